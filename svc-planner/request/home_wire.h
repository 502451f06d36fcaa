/*  home_wire - what a planner asks homes (proto/gis.proto), and the identity of a store. */
#ifndef MUSUBI_HOME_WIRE_H
#define MUSUBI_HOME_WIRE_H

#include "transaction.h"

/*  Home.Look, Home.Close (T2). Borrows. */
typedef struct {
    const char *actor;
    const char *request_id;
    const uint8_t *digest;
    size_t digest_size;
    packed_t answer; /* Close only, as keep_until_ms */
    int64_t keep_until_ms;
} claim_asked_t;
extern const codec_t claim_asked_codec;

typedef enum { CLAIM_FREE, CLAIM_HELD, CLAIM_COMMITTED, CLAIM_CLOSED } home_claim_state_t;

/*  Owns what it points to: claim_look_clear. */
typedef struct {
    home_claim_state_t state;
    bool conflict;
    packed_t answer;
    bool done;
    packed_t packed_holder;
    plan_t *holder; /* the attempt's plan; NULL when not told */
} claim_look_t;

typedef struct {
    bool closed;
    bool look_set;
    claim_look_t look;
} claim_closed_t;

/*  The answer of Home.Close, or of Home.Look; the caller owns the look. */
bool claim_told_decode (bytes_t body, bool closing, claim_closed_t *told, char why [WHY_BYTES]);
void claim_look_clear (claim_look_t *self);

/*  An answer of Service.Status from this store: does the party answer, but with another store than
 *  before? */
bool status_lost (bytes_t body, const uint8_t store [STORE_ID_BYTES],
                  const participant_ref_t *party);

#endif
