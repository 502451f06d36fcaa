/*  question_wire - what a planner asks sites, network domains and homes, to and from
 *  proto/calendar.proto and gis.proto.
 *
 *  Encoders return malloc'ed bytes. Decoders check what a peer may get wrong; on false, why says
 *  what, and nothing is allocated.
 */
#ifndef MUSUBI_QUESTION_WIRE_H
#define MUSUBI_QUESTION_WIRE_H

#include "transaction.h"

/*  Calendar.Profile over [from, until). resources: names of classes or links; none = all of them.
 *  reservation: what it holds counts as free; "" = none. */
packed_t profile_encode (const char *const *resources, size_t resources_count, int64_t from_ms,
                         int64_t until_ms, const char *reservation);

/*  Ascending steps, each profile with its own array: profiles_free. */
bool profile_decode (bytes_t body, profile_t **profiles, size_t *count, char why [WHY_BYTES]);
void profiles_free (profile_t *profiles, size_t count);

/*  Calendar.Windows: do these fit? */
typedef struct {
    const char *resource;  /* borrowed */
    struct supply *supply; /* that learns the answer; borrowed */
    uint32_t quantity;
    int64_t from_ms;
    int64_t until_ms;
} window_asked_t;
packed_t windows_encode (const window_asked_t *windows, size_t count, const char *reservation);

/*  One answer for each window asked. */
bool windows_decode (bytes_t body, bool *fits, size_t count, char why [WHY_BYTES]);

/*  Home.Look, Home.Close (T2). */
typedef enum { CLAIM_FREE, CLAIM_HELD, CLAIM_COMMITTED, CLAIM_CLOSED } claim_state_t;

/*  Owns answer and holder: claim_look_clear. */
typedef struct {
    claim_state_t state;
    bool conflict;
    packed_t answer;
    bool done;
    plan_t *holder; /* NULL when not told */
} claim_look_t;

packed_t claim_look_encode (const char *actor, const char *request_id,
                            const uint8_t digest [DIGEST_BYTES]);
bool claim_look_decode (bytes_t body, claim_look_t *look, char why [WHY_BYTES]);
void claim_look_clear (claim_look_t *self);

packed_t claim_close_encode (const char *actor, const char *request_id,
                             const uint8_t digest [DIGEST_BYTES], bytes_t answer,
                             int64_t keep_until_ms);
bool claim_close_decode (bytes_t body, bool *closed, claim_look_t *look, char why [WHY_BYTES]);

/*  Service.Status: who is it that answers there? */
bool status_decode (bytes_t body, char name [NAME_BYTES_MAX + 1], char why [WHY_BYTES]);

#endif
