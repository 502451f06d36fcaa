/*  decoders_planner - what a table alone does not say: what users ask of a planner, windows,
 * claims, its log.
 */
#include "decoders.h"
#include "planner_wire.h"
#include "question_wire.h"
#include "record.h"
#include "windows.h"

/*  What has the right form is looked at as a planner would; only what can be meant goes on. */
static void try_reserve (bytes_t body)
{
    reserve_t asked;
    char why [WHY_BYTES] = "";
    if (!taken_or_told (codec_decode (&reserve_codec, &asked, body, why), why))
        return;
    const user_request_t *request = &asked.request;
    if (taken_or_told (user_request_check (request, why), why)) {
        REQUIRE (user_request_span (request) > 0);
        for (size_t i = 0; i < request->network_count; i++) {
            int64_t from_ms;
            int64_t until_ms;
            network_need_interval (request, i, &from_ms, &until_ms);
            REQUIRE (from_ms < until_ms);
        }
    }
    codec_clear (&reserve_codec, &asked);
}

static void try_modify (bytes_t body)
{
    request_patch_t patch;
    char why [WHY_BYTES] = "";
    if (!taken_or_told (codec_decode (&request_patch_codec, &patch, body, why), why))
        return;
    taken_or_told (request_patch_check (&patch, why), why);
    codec_clear (&request_patch_codec, &patch);
}

/*  Answers to as many windows as there are bytes in the first byte. */
static void try_windows (bytes_t body)
{
    bool fits [256];
    char why [WHY_BYTES] = "";
    size_t count = body.size > 0 ? body.data [0] : 0;
    if (body.size > 0)
        body = (bytes_t){.data = body.data + 1, .size = body.size - 1};
    taken_or_told (windows_decode (body, fits, count, why), why);
}

static void try_claim_look (bytes_t body)
{
    claim_look_t look;
    char why [WHY_BYTES] = "";
    if (!taken_or_told (claim_look_decode (body, &look, why), why))
        return;
    REQUIRE (look.state <= CLAIM_CLOSED);
    claim_look_clear (&look);
}

static void try_claim_close (bytes_t body)
{
    claim_look_t look;
    bool closed;
    char why [WHY_BYTES] = "";
    if (taken_or_told (claim_close_decode (body, &closed, &look, why), why))
        claim_look_clear (&look);
}

static void try_decision (bytes_t body)
{
    decision_record_t record;
    char why [WHY_BYTES] = "";
    if (!taken_or_told (codec_decode (&decision_codec, &record, body, why), why))
        return;
    packed_t once = decision_encode (&record);
    codec_clear (&decision_codec, &record);
    REQUIRE (codec_decode (&decision_codec, &record, bytes_of (once), why));
    packed_t twice = decision_encode (&record);
    codec_clear (&decision_codec, &record);
    same_then_free (once, twice);
}

static decoder_fn *const tries [] = {try_reserve,    try_modify,      try_windows,
                                     try_claim_look, try_claim_close, try_decision};

const decoders_t decoders_planner = {tries, sizeof tries / sizeof *tries};
