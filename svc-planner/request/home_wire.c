/*  home_wire - claims at homes, and the identity of a store. */
#include "home_wire.h"

#include "codec_table.h"
#include "must.h"

#include "bus.pb-c.h"
#include "gis.pb-c.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static_assert ((int) CLAIM_CLOSED == MUSUBI__CLAIM_STATE__CLOSED, "same numbers");
static_assert ((int) CLAIM_HELD == MUSUBI__CLAIM_STATE__HELD_CLAIM, "same numbers");

/*  --- Home --- */

/*  LookRequest is the first three of these. */
static const codec_row_t claim_asked_rows [] = {
  ROW_STRING ("actor", claim_asked_t, actor, NAME_BYTES_MAX),
  ROW_STRING ("request_id", claim_asked_t, request_id, REQUEST_ID_BYTES_MAX),
  ROW_BYTES ("digest", claim_asked_t, digest, digest_size, DIGEST_BYTES),
  ROW_BYTES ("answer", claim_asked_t, answer.data, answer.size, CLAIM_ANSWER_BYTES_MAX),
  ROW_NUMBER ("keep_until_ms", claim_asked_t, keep_until_ms),
};
const codec_t claim_asked_codec = CODEC (claim_asked_t, close_request, claim_asked_rows);

static const codec_row_t claim_look_rows [] = {
  ROW_ENUM ("state", claim_look_t, state, CLAIM_CLOSED),
  ROW_FLAG ("conflict", claim_look_t, conflict),
  ROW_BYTES ("answer", claim_look_t, answer.data, answer.size, CLAIM_ANSWER_BYTES_MAX),
  ROW_FLAG ("done", claim_look_t, done),
  ROW_BYTES ("holder", claim_look_t, packed_holder.data, packed_holder.size, BODY_BYTES_MAX),
};
static const codec_t claim_look_codec = CODEC (claim_look_t, look_answer, claim_look_rows);

void claim_look_clear (claim_look_t *self)
{
    if (self->holder)
        codec_clear (&plan_codec, self->holder);
    free (self->holder);
    codec_clear (&claim_look_codec, self);
}

static const codec_row_t claim_closed_rows [] = {
  ROW_FLAG ("closed", claim_closed_t, closed),
  ROW_ONE ("look", claim_closed_t, look, claim_look, SET_BY (claim_closed_t, look_set)),
};

static bool claim_closed_rule (void *self, char why [WHY_BYTES])
{
    const claim_closed_t *answer = self;
    return answer->closed || answer->look_set || wrong (why, "look: missing, though not closed");
}

const codec_t claim_closed_codec =
  CODEC_RULED (claim_closed_t, close_answer, claim_closed_rows, claim_closed_rule);

bool claim_told_decode (bytes_t body, bool closing, claim_closed_t *told, char why [WHY_BYTES])
{
    claim_look_t *look = &told->look;
    *told = (claim_closed_t){0};
    if (!(closing ? codec_decode (&claim_closed_codec, told, body, why)
                  : codec_decode (&claim_look_codec, look, body, why)))
        return false;
    if (look->packed_holder.size == 0)
        return true;
    look->holder = must (calloc (1, sizeof *look->holder));
    if (codec_decode (&plan_codec, look->holder, packed_bytes (look->packed_holder), why))
        return true;
    claim_look_clear (look);
    return false;
}

/*  --- Service --- */

bool status_lost (bytes_t body, const uint8_t store [STORE_ID_BYTES],
                  const participant_ref_t *party)
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
