/*  decoders_replica - what is asked of a site's files and of indexes of files, and their records.
 */
#include "decoders.h"
#include "replica_wire.h"

static void try_record (bytes_t body)
{
    file_t file;
    char why [WHY_BYTES] = "";
    if (!taken_or_told (file_record_decode (&file, body, why), why))
        return;
    REQUIRE (*file.name && file.copies_count > 0 && file.copies_count <= COPIES_MAX);
    packed_t once = file_record_encode (&file);
    free (file.copies);
    REQUIRE (file_record_decode (&file, bytes_of (once), why));
    packed_t twice = file_record_encode (&file);
    free (file.copies);
    same_then_free (once, twice);
}

static void try_put (bytes_t body)
{
    begin_question_t question;
    char why [WHY_BYTES] = "";
    if (taken_or_told (put_question_decode (&question, body, why), why))
        REQUIRE (*question.name && *question.guest && question.lifetime_ms >= 0);
}

static void try_get (bytes_t body)
{
    begin_question_t question [2];
    char why [WHY_BYTES] = "";
    if (!taken_or_told (get_question_decode (&question [0], body, why), why))
        return;
    packed_t once = get_question_encode (&question [0]);
    REQUIRE (get_question_decode (&question [1], bytes_of (once), why));
    same_then_free (once, get_question_encode (&question [1]));
}

static void try_transfer (bytes_t body)
{
    uint64_t transfer;
    char guest [NAME_BYTES_MAX + 1];
    char why [WHY_BYTES] = "";
    taken_or_told (transfer_question_decode (&transfer, guest, body, why), why);
}

static void try_files (bytes_t body)
{
    files_question_t question;
    char why [WHY_BYTES] = "";
    if (taken_or_told (files_question_decode (&question, body, why), why))
        REQUIRE (question.most > 0 && question.most <= FILES_PAGE_MAX);
}

static void try_said (bytes_t body)
{
    for (said_kind_t kind = SAID_PIN; kind <= SAID_EVICT; kind++) {
        said_t said;
        char why [WHY_BYTES] = "";
        if (taken_or_told (said_decode (&said, kind, body, why), why))
            REQUIRE (*said.name && said.lifetime_ms >= 0 && said.rule.copies <= RULE_COPIES_MAX);
    }
}

static void try_locate (bytes_t body)
{
    char name [2][FILE_NAME_BYTES_MAX + 1];
    char why [WHY_BYTES] = "";
    if (!taken_or_told (locate_decode (name [0], body, why), why))
        return;
    packed_t once = locate_encode (name [0]);
    REQUIRE (locate_decode (name [1], bytes_of (once), why));
    same_then_free (once, locate_encode (name [1]));
}

static void try_located (bytes_t body)
{
    file_place_t *places;
    size_t count;
    char why [WHY_BYTES] = "";
    if (!taken_or_told (located_decode (&places, &count, body, why), why))
        return;
    packed_t once = located_encode (places, count, NULL, 0);
    free (places);
    REQUIRE (located_decode (&places, &count, bytes_of (once), why));
    packed_t twice = located_encode (places, count, NULL, 0);
    free (places);
    same_then_free (once, twice);
}

static void try_offer (bytes_t body)
{
    offer_question_t offer [2];
    char why [WHY_BYTES] = "";
    if (!taken_or_told (offer_question_decode (&offer [0], body, why), why))
        return;
    packed_t once = offer_question_encode (&offer [0]);
    REQUIRE (offer_question_decode (&offer [1], bytes_of (once), why));
    same_then_free (once, offer_question_encode (&offer [1]));
}

static void try_offered (bytes_t body)
{
    offer_answer_t offer [2];
    char why [WHY_BYTES] = "";
    if (!taken_or_told (offer_answer_decode (&offer [0], body, why), why))
        return;
    packed_t once = offer_answer_encode (&offer [0]);
    REQUIRE (offer_answer_decode (&offer [1], bytes_of (once), why));
    same_then_free (once, offer_answer_encode (&offer [1]));
}

static void try_offer_end (bytes_t body)
{
    offer_end_t end [2];
    char why [WHY_BYTES] = "";
    if (!taken_or_told (offer_end_decode (&end [0], body, why), why))
        return;
    packed_t once = offer_end_encode (&end [0]);
    REQUIRE (offer_end_decode (&end [1], bytes_of (once), why));
    same_then_free (once, offer_end_encode (&end [1]));
}

static void try_publish (bytes_t body)
{
    publish_t publish;
    char why [WHY_BYTES] = "";
    if (!taken_or_told (publish_decode (&publish, body, why), why))
        return;
    REQUIRE (*publish.site && publish.after <= publish.number && publish.lease_ms > 0);
    packed_t once = publish_encode (&publish);
    publish_clear (&publish);
    REQUIRE (publish_decode (&publish, bytes_of (once), why));
    packed_t twice = publish_encode (&publish);
    publish_clear (&publish);
    same_then_free (once, twice);
}

static void try_published (bytes_t body)
{
    uint64_t number;
    char why [WHY_BYTES] = "";
    taken_or_told (publish_answer_decode (&number, body, why), why);
}

static void try_stale (bytes_t body)
{
    char name [2][FILE_NAME_BYTES_MAX + 1];
    char site [2][NAME_BYTES_MAX + 1];
    char why [WHY_BYTES] = "";
    if (!taken_or_told (stale_decode (name [0], site [0], body, why), why))
        return;
    packed_t once = stale_encode (name [0], site [0]);
    REQUIRE (stale_decode (name [1], site [1], bytes_of (once), why));
    same_then_free (once, stale_encode (name [1], site [1]));
}

static decoder_fn *const tries [] = {
  try_record,  try_put,   try_get,     try_transfer,  try_files,   try_said,      try_locate,
  try_located, try_offer, try_offered, try_offer_end, try_publish, try_published, try_stale,
};

const decoders_t decoders_replica = {tries, sizeof tries / sizeof *tries};
