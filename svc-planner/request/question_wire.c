/*  question_wire - profiles, windows and claims, to and from their messages. */
#include "question_wire.h"

#include "codec_table.h"
#include "must.h"
#include "transaction_wire.h"

#include "bus.pb-c.h"
#include "calendar.pb-c.h"
#include "gis.pb-c.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static_assert ((int) CLAIM_CLOSED == MUSUBI__CLAIM_STATE__CLOSED, "same numbers");
static_assert ((int) CLAIM_HELD == MUSUBI__CLAIM_STATE__HELD_CLAIM, "same numbers");

/*  --- Calendar --- */

static const codec_row_t profile_asked_rows [] = {
  ROW_STRING_LIST ("resources", profile_asked_t, resources, resources_count, NAME_BYTES_MAX, 0,
                   ANY_COUNT),
  ROW_NUMBER ("from_ms", profile_asked_t, from_ms),
  ROW_NUMBER ("until_ms", profile_asked_t, until_ms),
  ROW_STRING ("reservation", profile_asked_t, reservation, NAME_BYTES_MAX),
  ROW_UNUSED ("without_work"),
};
const codec_t profile_asked_codec =
  CODEC (profile_asked_t, musubi__profile_request__descriptor, profile_asked_rows);

static const codec_row_t profiles_told_rows [] = {
  ROW_LIST ("profiles", profiles_told_t, profiles, count, profile, 0, PROFILES_MAX),
  ROW_UNUSED ("version"),
};
const codec_t profiles_told_codec =
  CODEC (profiles_told_t, musubi__profile_answer__descriptor, profiles_told_rows);

static const codec_row_t window_asked_rows [] = {
  ROW_STRING ("resource", window_asked_t, resource, NAME_BYTES_MAX),
  ROW_NUMBER ("quantity", window_asked_t, quantity),
  ROW_NUMBER ("from_ms", window_asked_t, from_ms),
  ROW_NUMBER ("until_ms", window_asked_t, until_ms),
};
static const codec_t window_asked_codec =
  CODEC (window_asked_t, musubi__window__descriptor, window_asked_rows);

static const codec_row_t windows_asked_rows [] = {
  ROW_LIST ("windows", windows_asked_t, windows, count, window_asked, 0, ANY_COUNT),
  ROW_STRING ("reservation", windows_asked_t, reservation, NAME_BYTES_MAX),
};
const codec_t windows_asked_codec =
  CODEC (windows_asked_t, musubi__windows_request__descriptor, windows_asked_rows);

typedef struct {
    bool *fits;
    size_t count;
} windows_told_t;

static const codec_row_t windows_told_rows [] = {
  ROW_FLAG_LIST ("fits", windows_told_t, fits, count, 0, ANY_COUNT),
  ROW_UNUSED ("version"),
};
static const codec_t windows_told_codec =
  CODEC (windows_told_t, musubi__windows_answer__descriptor, windows_told_rows);

bool windows_decode (bytes_t body, bool *fits, size_t count, char why [WHY_BYTES])
{
    windows_told_t told;
    if (!codec_decode (&windows_told_codec, &told, body, why))
        return false;
    bool good =
      told.count == count || wrong (why, "fits: %zu answers to %zu windows", told.count, count);
    if (good && count > 0)
        memcpy (fits, told.fits, count * sizeof *fits);
    codec_clear (&windows_told_codec, &told);
    return good;
}

static const codec_row_t free_asked_rows [] = {
  ROW_STRING ("resource", free_asked_t, resource, NAME_BYTES_MAX),
  ROW_NUMBER ("amount", free_asked_t, amount),
  ROW_NUMBER ("duration_ms", free_asked_t, duration_ms),
  ROW_NUMBER ("from_ms", free_asked_t, from_ms),
  ROW_NUMBER ("until_ms", free_asked_t, until_ms),
  ROW_NUMBER ("most", free_asked_t, most),
};
const codec_t free_asked_codec =
  CODEC (free_asked_t, musubi__free_request__descriptor, free_asked_rows);

static const codec_row_t start_told_rows [] = {
  ROW_UNUSED ("resource"),
  ROW_TIME ("from_ms", start_told_t, ms),
  ROW_UNUSED ("until_ms"),
};
static const codec_t start_told_codec =
  CODEC (start_told_t, musubi__free_span__descriptor, start_told_rows);

static const codec_row_t free_told_rows [] = {
  ROW_LIST ("spans", free_told_t, starts, count, start_told, 0, ANY_COUNT),
  ROW_NUMBER ("utilisation", free_told_t, load, BETWEEN (0, 1)),
};
const codec_t free_told_codec =
  CODEC (free_told_t, musubi__free_answer__descriptor, free_told_rows);

/*  --- Home --- */

/*  LookRequest is the first three of these. */
static const codec_row_t claim_asked_rows [] = {
  ROW_STRING ("actor", claim_asked_t, actor, NAME_BYTES_MAX),
  ROW_STRING ("request_id", claim_asked_t, request_id, REQUEST_ID_BYTES_MAX),
  ROW_BYTES ("digest", claim_asked_t, digest, digest_size, DIGEST_BYTES),
  ROW_BYTES ("answer", claim_asked_t, answer.data, answer.size, CLAIM_ANSWER_BYTES_MAX),
  ROW_NUMBER ("keep_until_ms", claim_asked_t, keep_until_ms),
};
const codec_t claim_asked_codec =
  CODEC (claim_asked_t, musubi__close_request__descriptor, claim_asked_rows);

static const codec_row_t claim_look_rows [] = {
  ROW_ENUM ("state", claim_look_t, state, CLAIM_CLOSED),
  ROW_FLAG ("conflict", claim_look_t, conflict),
  ROW_BYTES ("answer", claim_look_t, answer.data, answer.size, CLAIM_ANSWER_BYTES_MAX),
  ROW_FLAG ("done", claim_look_t, done),
  ROW_BYTES ("holder", claim_look_t, packed_holder.data, packed_holder.size, BODY_BYTES_MAX),
};
static const codec_t claim_look_codec =
  CODEC (claim_look_t, musubi__look_answer__descriptor, claim_look_rows);

void claim_look_clear (claim_look_t *self)
{
    if (self->holder)
        plan_clear (self->holder);
    free (self->holder);
    codec_clear (&claim_look_codec, self);
}

static bool holder_take (claim_look_t *look, char why [WHY_BYTES])
{
    bytes_t packed = {.data = look->packed_holder.data, .size = look->packed_holder.size};
    if (packed.size == 0)
        return true;
    look->holder = must (calloc (1, sizeof *look->holder));
    if (codec_decode (&plan_codec, look->holder, packed, why))
        return true;
    claim_look_clear (look);
    return false;
}

bool claim_look_decode (bytes_t body, claim_look_t *look, char why [WHY_BYTES])
{
    return codec_decode (&claim_look_codec, look, body, why) && holder_take (look, why);
}

typedef struct {
    bool closed;
    bool look_set;
    claim_look_t look;
} claim_closed_t;

static const codec_row_t claim_closed_rows [] = {
  ROW_FLAG ("closed", claim_closed_t, closed),
  ROW_ONE ("look", claim_closed_t, look, claim_look, SET_BY (claim_closed_t, look_set)),
};

static bool claim_closed_rule (void *self, const void *message, char why [WHY_BYTES])
{
    (void) message;
    const claim_closed_t *answer = self;
    return answer->closed || answer->look_set || wrong (why, "look: missing, though not closed");
}

static const codec_t claim_closed_codec = CODEC_RULED (
  claim_closed_t, musubi__close_answer__descriptor, claim_closed_rows, claim_closed_rule);

bool claim_close_decode (bytes_t body, bool *closed, claim_look_t *look, char why [WHY_BYTES])
{
    claim_closed_t answer;
    bool good = codec_decode (&claim_closed_codec, &answer, body, why);
    *closed = answer.closed;
    *look = answer.look;
    return good && holder_take (look, why);
}

/*  --- Service --- */

bool status_lost (bytes_t body, const uint8_t store [STORE_ID_BYTES], const party_t *party)
{
    arena_t arena;
    char why [WHY_BYTES];
    arena_init (&arena);
    const Musubi__StatusAnswer *told =
      codec_unpack (&musubi__status_answer__descriptor, body, &arena, why);
    bool lost = told && strcmp (told->name, party->name) == 0 &&
                memcmp (store, party->store, STORE_ID_BYTES) != 0;
    arena_end (&arena);
    return lost;
}

static const codec_t *const codecs [] = {
  &profile_asked_codec, &profiles_told_codec, &window_asked_codec, &windows_asked_codec,
  &windows_told_codec,  &free_asked_codec,    &start_told_codec,   &free_told_codec,
  &claim_asked_codec,   &claim_look_codec,    &claim_closed_codec,
};
const codecs_t planner_question_codecs = CODECS (codecs);
