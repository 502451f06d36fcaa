/*  question_wire - what a planner asks sites, network domains and homes, to and from
 *  proto/calendar.proto and gis.proto.
 *
 *  Encoders return malloc'ed bytes. Decoders check what a peer may get wrong; on false, why says
 *  what, and nothing is allocated.
 */
#ifndef MUSUBI_QUESTION_WIRE_H
#define MUSUBI_QUESTION_WIRE_H

#include "transaction.h"

/*  Calendar.Profile over [from, until). Borrows. */
typedef struct {
    const char *const *resources; /* names of classes or links; none = all of them */
    size_t resources_count;
    int64_t from_ms;
    int64_t until_ms;
    const char *reservation; /* what it holds counts as free; "" = none */
} profile_asked_t;
extern const codec_t profile_asked_codec;

typedef struct {
    profile_t *profiles;
    size_t count;
} profiles_told_t;
extern const codec_t profiles_told_codec;

/*  Calendar.Windows: do these fit? Borrows. */
typedef struct {
    const char *resource;
    struct supply *supply; /* that learns the answer */
    uint32_t quantity;
    int64_t from_ms;
    int64_t until_ms;
} window_asked_t;

typedef struct {
    window_asked_t *windows;
    size_t count;
    const char *reservation;
} windows_asked_t;
extern const codec_t windows_asked_codec;

/*  One answer for each window asked. */
bool windows_decode (bytes_t body, bool *fits, size_t count, char why [WHY_BYTES]);

/*  Calendar.Free: when is so much free for the duration? Borrows. */
typedef struct {
    const char *resource; /* "thin" */
    uint32_t amount;      /* CPUs */
    int64_t duration_ms;
    int64_t from_ms;
    int64_t until_ms;
    uint32_t most; /* spans told */
} free_asked_t;
extern const codec_t free_asked_codec;

typedef struct {
    int64_t ms;
} start_told_t;

typedef struct {
    start_told_t *starts; /* the earliest first */
    size_t count;
    double load; /* booked share of [from, until) */
} free_told_t;
extern const codec_t free_told_codec;

/*  Home.Look, Home.Close (T2). Borrows. */
typedef struct {
    const char *actor;
    const char *request_id;
    const uint8_t *digest;
    size_t digest_size;
    packed_t answer; /* Close alone */
    int64_t keep_until_ms;
} claim_asked_t;
extern const codec_t claim_asked_codec;

typedef enum { CLAIM_FREE, CLAIM_HELD, CLAIM_COMMITTED, CLAIM_CLOSED } claim_state_t;

/*  Owns what it points to: claim_look_clear. */
typedef struct {
    claim_state_t state;
    bool conflict;
    packed_t answer;
    bool done;
    packed_t packed_holder;
    plan_t *holder; /* NULL when not told */
} claim_look_t;

bool claim_look_decode (bytes_t body, claim_look_t *look, char why [WHY_BYTES]);
bool claim_close_decode (bytes_t body, bool *closed, claim_look_t *look, char why [WHY_BYTES]);
void claim_look_clear (claim_look_t *self);

/*  Service.Status, answered by that store: is it the party, and its store another one? */
bool status_lost (bytes_t body, const uint8_t store [STORE_ID_BYTES], const party_t *party);

extern const codecs_t planner_question_codecs; /* all of these */

#endif
