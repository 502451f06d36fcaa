/*  plus_wire - proto/plus.proto, to and from plain values. */
#ifndef MUSUBI_PLUS_WIRE_H
#define MUSUBI_PLUS_WIRE_H

#include "core.h"
#include "transaction.h"

/*  Reserve, modify and release alike: what is absent is 0 or "". */
typedef struct {
    char reservation [NAME_BYTES_MAX + 1];
    int64_t from_ms;
    int64_t until_ms;
    uint32_t nodes;
    char class_name [NAME_BYTES_MAX + 1];
} plus_wish_t;

bool plus_create_decode (bytes_t body, char why [WHY_BYTES]);
bool plus_reserve_decode (bytes_t body, plus_wish_t *wish, char why [WHY_BYTES]);
bool plus_modify_decode (bytes_t body, plus_wish_t *wish, char why [WHY_BYTES]);
bool plus_release_decode (bytes_t body, plus_wish_t *wish, char why [WHY_BYTES]);
bool plus_command_decode (bytes_t body, txid_t *command, char why [WHY_BYTES]);

typedef struct {
    char reservation [NAME_BYTES_MAX + 1]; /* "" = all */
    char after [NAME_BYTES_MAX + 1];
    uint32_t most;
} plus_question_t;
bool plus_properties_decode (bytes_t body, plus_question_t *question, char why [WHY_BYTES]);

packed_t plus_create_encode (const char *reservation);
packed_t plus_command_encode (const command_answer_t *answer, int64_t waits_until_ms);

/*  S3's states, numbered as proto ReservationState. */
typedef enum {
    PLUS_CREATED,
    PLUS_RESERVED,
    PLUS_ACTIVATED,
    PLUS_RELEASED,
    PLUS_FAILED
} plus_state_t;

typedef struct {
    char reservation [NAME_BYTES_MAX + 1];
    char owner [NAME_BYTES_MAX + 1];
    plus_state_t state;
    int64_t from_ms;
    int64_t until_ms;
    uint32_t nodes;
    char class_name [NAME_BYTES_MAX + 1];
    bool pending;
    command_answer_t command; /* under way */
    int64_t waits_until_ms;
} plus_properties_t;
/*  next: where to go on; NULL = that is all. */
packed_t plus_properties_encode (const plus_properties_t *properties, size_t count,
                                 const char *next);

/*  The request that a planner would have made of it, for planners that change it later. bookings
 *  are of one class, ascending; amounts in CPUs. */
packed_t plus_request_encode (const char *site, const compute_booking_t *bookings, size_t count);

/*  Records. */
typedef struct {
    uint8_t digest [DIGEST_BYTES];
    char reservation [NAME_BYTES_MAX + 1];
    txid_t command; /* start 0 = none: a create, or it was refused */
    int64_t asked_ms;
    packed_t refusal;     /* a PlusCommandAnswer, or with a status the words of it; owned */
    call_status_t status; /* of the refusal */
} plus_asked_t;

/*  More than any refusal has. */
#define PLUS_REFUSAL_BYTES_MAX 4096

packed_t plus_created_encode (const char *owner, int64_t until_ms);
bool plus_created_decode (bytes_t value, char owner [NAME_BYTES_MAX + 1], int64_t *until_ms,
                          char why [WHY_BYTES]);
packed_t plus_asked_encode (const plus_asked_t *asked);
/*  Its refusal is a copy: free it. */
bool plus_asked_decode (bytes_t value, plus_asked_t *asked, char why [WHY_BYTES]);

/*  BLAKE2b-256 of a method and its body. */
void plus_digest (const char *method, bytes_t body, uint8_t digest [DIGEST_BYTES]);

#endif
