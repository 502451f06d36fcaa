/*  decoders_directory - headers of every message, the directory from both ends, homes. */
#include "decoders.h"
#include "directory_entry.h"
#include "envelope.h"
#include "gis_wire.h"

/*  A header that was understood is written and read again. */
static void try_request_header (bytes_t frame)
{
    request_header_t header;
    const char *why = NULL;
    envelope_answer_t answer = request_header_read (frame, &header, &why);
    REQUIRE (answer == ENVELOPE_OK || why);
    if (answer != ENVELOPE_OK)
        return;
    uint8_t written [HEADER_BYTES_MAX];
    size_t size = request_header_write (&header, written);
    request_header_t again;
    REQUIRE (request_header_read ((bytes_t){written, size}, &again, &why) == ENVELOPE_OK);
    REQUIRE (again.call == header.call && strcmp (again.service, header.service) == 0 &&
             strcmp (again.method, header.method) == 0 && strcmp (again.actor, header.actor) == 0 &&
             strcmp (again.request_id, header.request_id) == 0);
}

static void try_reply_header (bytes_t frame)
{
    reply_header_t header;
    if (reply_header_read (frame, &header) != ENVELOPE_OK)
        return;
    REQUIRE (header.status <= CALL_NOT_SERVING);
    uint8_t written [HEADER_BYTES_MAX];
    size_t size = reply_header_write (&header, written);
    reply_header_t again;
    REQUIRE (reply_header_read ((bytes_t){written, size}, &again) == ENVELOPE_OK);
    REQUIRE (again.call == header.call && again.status == header.status &&
             strcmp (again.reason, header.reason) == 0);
}

static void try_hint_header (bytes_t frame)
{
    hint_header_t header;
    if (hint_header_read (frame, &header) != ENVELOPE_OK)
        return;
    uint8_t written [HEADER_BYTES_MAX];
    size_t size = hint_header_write (&header, written);
    hint_header_t again;
    REQUIRE (hint_header_read ((bytes_t){written, size}, &again) == ENVELOPE_OK);
    REQUIRE (again.number == header.number && again.store_start == header.store_start);
}

static void try_entry (bytes_t body)
{
    directory_entry_t entry;
    char why [WHY_BYTES] = "";
    if (!taken_or_told (codec_decode (&directory_entry_codec, &entry, body, why), why))
        return;
    packed_t once = codec_encode (&directory_entry_codec, &entry);
    codec_clear (&directory_entry_codec, &entry);
    REQUIRE (codec_decode (&directory_entry_codec, &entry, bytes_of (once), why));
    packed_t twice = codec_encode (&directory_entry_codec, &entry);
    codec_clear (&directory_entry_codec, &entry);
    same_then_free (once, twice);
}

/*  An announcement's entry is looked at by itself, later. */
static void try_announce (bytes_t body)
{
    announce_t announce;
    char why [WHY_BYTES] = "";
    if (!taken_or_told (announce_decode (&announce, body, why), why))
        return;
    try_entry (bytes_of (announce.packed));
    announce_clear (&announce);
}

static void try_announce_answer (bytes_t body)
{
    announce_answer_t answer;
    char why [WHY_BYTES] = "";
    taken_or_told (codec_decode (&announce_answer_codec, &answer, body, why), why);
}

static void try_withdraw (bytes_t body)
{
    withdraw_t withdraw;
    char why [WHY_BYTES] = "";
    taken_or_told (codec_decode (&withdraw_codec, &withdraw, body, why), why);
}

static void try_snapshot_request (bytes_t body)
{
    snapshot_request_t request;
    char why [WHY_BYTES] = "";
    taken_or_told (codec_decode (&snapshot_request_codec, &request, body, why), why);
}

static void try_snapshot (bytes_t body)
{
    directory_snapshot_t snapshot;
    char why [WHY_BYTES] = "";
    if (!taken_or_told (codec_decode (&directory_snapshot_codec, &snapshot, body, why), why))
        return;
    for (size_t i = 1; i < snapshot.entries_count; i++)
        REQUIRE (strcmp (snapshot.entries [i - 1].name, snapshot.entries [i].name) < 0);
    REQUIRE (snapshot.homes_count <= DIRECTORY_HOMES_MAX);
    codec_clear (&directory_snapshot_codec, &snapshot);
}

static void try_delta (bytes_t body)
{
    directory_delta_t delta;
    char why [WHY_BYTES] = "";
    if (taken_or_told (codec_decode (&directory_delta_codec, &delta, body, why), why))
        codec_clear (&directory_delta_codec, &delta);
}

static void try_find (bytes_t body)
{
    find_t find;
    char why [WHY_BYTES] = "";
    if (taken_or_told (codec_decode (&find_codec, &find, body, why), why))
        REQUIRE (find.require_count <= FIND_REQUIRE_MAX);
}

static void try_look (bytes_t body)
{
    look_t look;
    char why [WHY_BYTES] = "";
    taken_or_told (codec_decode (&look_codec, &look, body, why), why);
}

static void try_close (bytes_t body)
{
    close_t close;
    char why [WHY_BYTES] = "";
    if (!taken_or_told (codec_decode (&close_codec, &close, body, why), why))
        return;
    REQUIRE (close.claim.digest_set);
    int64_t end_ms;
    answer_end_ms (bytes_of (close.answer), &end_ms);
    free (close.answer.data);
}

static void try_closed_record (bytes_t body)
{
    closed_record_t record;
    char why [WHY_BYTES] = "";
    if (!taken_or_told (codec_decode (&closed_record_codec, &record, body, why), why))
        return;
    packed_t once = codec_encode (&closed_record_codec, &record);
    free (record.answer.data);
    REQUIRE (codec_decode (&closed_record_codec, &record, bytes_of (once), why));
    packed_t twice = codec_encode (&closed_record_codec, &record);
    free (record.answer.data);
    same_then_free (once, twice);
}

static void try_answer_end (bytes_t body)
{
    int64_t end_ms;
    answer_end_ms (body, &end_ms);
}

static decoder_fn *const tries [] = {
  try_request_header, try_reply_header,    try_hint_header, try_entry,
  try_announce,       try_announce_answer, try_withdraw,    try_snapshot_request,
  try_snapshot,       try_delta,           try_find,        try_look,
  try_close,          try_closed_record,   try_answer_end,
};

const decoders_t decoders_directory = {tries, sizeof tries / sizeof *tries};
