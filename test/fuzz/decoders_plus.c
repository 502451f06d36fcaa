/*  decoders_plus - what users of S3's interface ask of a site, and its records. */
#include "decoders.h"
#include "plus_wire.h"

#include <stdlib.h>

static void try_create (bytes_t body)
{
    char why [WHY_BYTES] = "";
    taken_or_told (plus_create_decode (body, why), why);
}

static void try_reserve (bytes_t body)
{
    plus_wish_t wish;
    char why [WHY_BYTES] = "";
    if (taken_or_told (plus_reserve_decode (body, &wish, why), why))
        REQUIRE (*wish.reservation && wish.nodes > 0 && wish.from_ms < wish.until_ms);
}

static void try_modify (bytes_t body)
{
    plus_wish_t wish;
    char why [WHY_BYTES] = "";
    if (taken_or_told (plus_modify_decode (body, &wish, why), why))
        REQUIRE (*wish.reservation && (wish.nodes > 0 || wish.from_ms > 0 || wish.until_ms > 0));
}

static void try_release (bytes_t body)
{
    plus_wish_t wish;
    char why [WHY_BYTES] = "";
    if (taken_or_told (plus_release_decode (body, &wish, why), why))
        REQUIRE (*wish.reservation);
}

static void try_command (bytes_t body)
{
    txid_t command;
    char why [WHY_BYTES] = "";
    if (taken_or_told (plus_command_decode (body, &command, why), why))
        REQUIRE (command.start > 0);
}

static void try_properties (bytes_t body)
{
    plus_question_t question;
    char why [WHY_BYTES] = "";
    taken_or_told (plus_properties_decode (body, &question, why), why);
}

static void try_created (bytes_t body)
{
    char owner [2][NAME_BYTES_MAX + 1];
    int64_t until_ms [2];
    char why [WHY_BYTES] = "";
    if (!taken_or_told (plus_created_decode (body, owner [0], &until_ms [0], why), why))
        return;
    packed_t once = plus_created_encode (owner [0], until_ms [0]);
    REQUIRE (plus_created_decode (bytes_of (once), owner [1], &until_ms [1], why));
    same_then_free (once, plus_created_encode (owner [1], until_ms [1]));
}

static void try_asked (bytes_t body)
{
    plus_asked_t asked [2];
    char why [WHY_BYTES] = "";
    if (!taken_or_told (plus_asked_decode (body, &asked [0], why), why))
        return;
    packed_t once = plus_asked_encode (&asked [0]);
    REQUIRE (plus_asked_decode (bytes_of (once), &asked [1], why));
    same_then_free (once, plus_asked_encode (&asked [1]));
    free (asked [0].refusal.data);
    free (asked [1].refusal.data);
}

static decoder_fn *const tries [] = {
  try_create,  try_reserve,    try_modify,  try_release,
  try_command, try_properties, try_created, try_asked,
};

const decoders_t decoders_plus = {tries, sizeof tries / sizeof *tries};
