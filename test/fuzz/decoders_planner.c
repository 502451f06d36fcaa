/*  decoders_planner - what users ask of a planner, what it is told by those it asks, its log. */
#include "decoders.h"
#include "planner_wire.h"
#include "question_wire.h"
#include "record.h"

/*  What has the right form is looked at as a planner would; only what can be meant is kept. */
static void look_at_request (user_request_t *request)
{
    char why [WHY_BYTES] = "";
    if (!taken_or_told (user_request_check (request, why), why))
        return;
    REQUIRE (user_request_span (request) > 0);
    for (size_t i = 0; i < request->network_count; i++) {
        int64_t from_ms;
        int64_t until_ms;
        network_need_interval (request, i, &from_ms, &until_ms);
        REQUIRE (from_ms < until_ms);
    }
    packed_t once = user_request_encode (request);
    user_request_t back;
    REQUIRE (user_request_decode (&back, bytes_of (once), why));
    packed_t twice = user_request_encode (&back);
    user_request_clear (&back);
    same_then_free (once, twice);
}

static void try_reserve (bytes_t body)
{
    user_request_t request;
    bool dry_run;
    char why [WHY_BYTES] = "";
    if (!taken_or_told (reserve_decode (body, &request, &dry_run, why), why))
        return;
    look_at_request (&request);
    user_request_clear (&request);
}

static void try_request (bytes_t body)
{
    user_request_t request;
    char why [WHY_BYTES] = "";
    if (!taken_or_told (user_request_decode (&request, body, why), why))
        return;
    look_at_request (&request);
    user_request_clear (&request);
}

static void try_modify (bytes_t body)
{
    request_patch_t patch;
    char why [WHY_BYTES] = "";
    if (!taken_or_told (modify_decode (body, &patch, why), why))
        return;
    taken_or_told (request_patch_check (&patch, why), why);
    request_patch_clear (&patch);
}

static void try_reservation (bytes_t body)
{
    char reservation [NAME_BYTES_MAX + 1];
    char why [WHY_BYTES] = "";
    taken_or_told (reservation_decode (body, reservation, why), why);
}

static void try_list (bytes_t body)
{
    list_question_t question;
    char why [WHY_BYTES] = "";
    taken_or_told (list_question_decode (body, &question, why), why);
}

static void try_profiles (bytes_t body)
{
    profile_t *profiles;
    size_t count;
    char why [WHY_BYTES] = "";
    if (!taken_or_told (profile_decode (body, &profiles, &count, why), why))
        return;
    for (size_t i = 0; i < count; i++) {
        const profile_t *profile = &profiles [i];
        for (size_t k = 0; k < profile->steps_count; k++) {
            bool last = k + 1 == profile->steps_count;
            REQUIRE (profile->steps [k].from_ms <
                     (last ? profile->until_ms : profile->steps [k + 1].from_ms));
        }
    }
    profiles_free (profiles, count);
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

static void try_status (bytes_t body)
{
    char name [NAME_BYTES_MAX + 1];
    char why [WHY_BYTES] = "";
    taken_or_told (status_decode (body, name, why), why);
}

static void try_part (bytes_t body)
{
    part_record_t record;
    bool known;
    char why [WHY_BYTES] = "";
    if (!taken_or_told (part_show_decode (body, &record, &known, why), why))
        return;
    if (known) {
        REQUIRE (record.state <= RECORD_FAILED && record.pending_state < COMMAND_STATES &&
                 record.pending_operation <= OPERATION_RELEASE);
        part_record_end (&record);
        part_record_clear (&record);
    }
}

static void try_parts (bytes_t body)
{
    part_record_t *records;
    size_t count;
    bool more;
    char next [NAME_BYTES_MAX + 1];
    char why [WHY_BYTES] = "";
    if (!taken_or_told (part_list_decode (body, &records, &count, &more, next, why), why))
        return;
    for (size_t i = 0; i < count; i++)
        part_record_clear (&records [i]);
    free (records);
}

static void try_decision (bytes_t body)
{
    decision_record_t record;
    char why [WHY_BYTES] = "";
    if (!taken_or_told (decision_decode (&record, body, why), why))
        return;
    REQUIRE (record.phase <= DECISION_REPAIRED);
    packed_t once = decision_encode (&record);
    decision_record_clear (&record);
    REQUIRE (decision_decode (&record, bytes_of (once), why));
    packed_t twice = decision_encode (&record);
    decision_record_clear (&record);
    same_then_free (once, twice);
}

static decoder_fn *const tries [] = {
  try_reserve,  try_request, try_modify,     try_reservation, try_list,
  try_profiles, try_windows, try_claim_look, try_claim_close, try_status,
  try_part,     try_parts,   try_decision,
};

const decoders_t decoders_planner = {tries, sizeof tries / sizeof *tries};
