/*  fuzz_decoders - any bytes as what tables do not read alone: headers, rules behind a table,
 *  messages of which only a part is read. The first byte picks the decoder, the rest is the body.
 *  What a table reads by itself is tried by fuzz_codecs.
 *
 *  A refusal must name a reason; what is taken must keep what the logic asserts. Add a decoder at
 *  the end: the corpus names them by number. */
#include "bundle.h"
#include "calendar_wire.h"
#include "directory_entry.h"
#include "directory_wire.h"
#include "envelope.h"
#include "fuzzing.h"
#include "home_wire.h"
#include "message.h"
#include "planner_wire.h"
#include "record.h"
#include "record_fetch.h"
#include "services.h"

typedef void decoder_fn (bytes_t body);

/*  Returns taken; when it is false, checks that there is a reason. */
static inline bool taken_or_told (bool taken, const char why [WHY_BYTES])
{
    REQUIRE (taken || (why [0] != '\0' && memchr (why, '\0', WHY_BYTES)));
    return taken;
}

/*  A header that was taken is written and read again. */
static void try_request_header (bytes_t frame)
{
    const char *why;
    Musubi__RequestHeader *header = request_header_read (frame);
    if (header && request_header_judge (header, &why) == CALL_OK) {
        uint8_t written [HEADER_BYTES_MAX];
        size_t size = header_write (&header->base, written);
        Musubi__RequestHeader *again = request_header_read ((bytes_t){written, size});
        REQUIRE (again && request_header_judge (again, &why) == CALL_OK);
        REQUIRE (again->call == header->call && strcmp (again->service, header->service) == 0 &&
                 strcmp (again->method, header->method) == 0 &&
                 strcmp (again->actor, header->actor) == 0 &&
                 strcmp (again->request_id, header->request_id) == 0);
        message_free (&again->base);
    }
    message_free ((ProtobufCMessage *) header);
}

static void try_reply_header (bytes_t frame)
{
    Musubi__ReplyHeader *header = reply_header_read (frame);
    if (!header)
        return;
    REQUIRE (header->status <= MUSUBI__STATUS__NOT_SERVING);
    REQUIRE (strlen (header->reason) <= REASON_BYTES_MAX);
    uint8_t written [HEADER_BYTES_MAX];
    size_t size = header_write (&header->base, written);
    Musubi__ReplyHeader *again = reply_header_read ((bytes_t){written, size});
    REQUIRE (again && again->call == header->call && again->status == header->status &&
             strcmp (again->reason, header->reason) == 0);
    message_free (&again->base);
    message_free (&header->base);
}

static void try_notice_header (bytes_t frame)
{
    Musubi__HintHeader *header = notice_header_read (frame);
    if (!header)
        return;
    uint8_t written [HEADER_BYTES_MAX];
    size_t size = header_write (&header->base, written);
    Musubi__HintHeader *again = notice_header_read ((bytes_t){written, size});
    REQUIRE (again && again->number == header->number && again->start == header->start);
    message_free (&again->base);
    message_free (&header->base);
}

/*  The entry of an announcement is checked by itself, later. */
static void try_announce (bytes_t body)
{
    announcement_t announcement;
    directory_entry_t entry;
    char why [WHY_BYTES] = "";
    if (!taken_or_told (codec_decode (&announcement_codec, &announcement, body, why), why))
        return;
    if (taken_or_told (
          codec_decode (&directory_entry_codec, &entry, packed_bytes (announcement.entry), why),
          why))
        codec_clear (&directory_entry_codec, &entry);
    codec_clear (&announcement_codec, &announcement);
}

static void try_answer_end (bytes_t body)
{
    if (answer_right (body))
        answer_end_ms (body);
}

/*  A request of the right form is checked as a planner would; only one that makes sense goes on. */
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

static void try_frame (bytes_t body)
{
    interval_t frame = {1, 2};
    request_frame_decode (body, INT64_C (1800000000000), &frame);
    REQUIRE (frame.from < frame.until);
}

static void look (void *owner, const check_record_t *record)
{
    size_t *count = owner;
    (*count)++;
    REQUIRE (record->state < COMMAND_STATES);
}

static void try_records (bytes_t body)
{
    size_t count = 0;
    txid_t last;
    bool more;
    records_read (body, look, &count, &last, &more);
}

/*  What is read of a bundle lies in it, and is what went in. */
static void try_bundle (bytes_t frame)
{
    bytes_t rest, header, body;
    bundle_t again = {0};
    if (!bundle_open (frame, &rest))
        return;
    while (bundle_next (&rest, &header, &body))
        REQUIRE (bundle_add (&again, header, body));
    REQUIRE (rest.size == 0);
    REQUIRE (again.count == 0 || memcmp (again.bytes, frame.data, again.size) == 0);
    bundle_clear (&again);
}

/*  The body as the answer of one method. */
static void try_answers (bytes_t body)
{
    if (body.size == 0)
        return;
    method_t method;
    if (services_at ("", body.data [0], &method))
        json_decref (services_answer (&method, (bytes_t){body.data + 1, body.size - 1}));
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    static decoder_fn *const tries [] = {try_request_header, try_reply_header, try_notice_header,
                                         try_announce,       try_answer_end,   try_reserve,
                                         try_modify,         try_frame,        try_records,
                                         try_answers,        try_bundle};
    if (size < 1 || data [0] >= sizeof tries / sizeof *tries)
        return FUZZ_UNWANTED;
    uint8_t *body = malloc (size); /* of its own, so that a step past its end is seen */
    if (!body)
        abort ();
    memcpy (body, data + 1, size - 1);
    tries [data [0]]((bytes_t){.data = body, .size = size - 1});
    free (body);
    return 0;
}
