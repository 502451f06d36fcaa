/*  plus_wire - proto/plus.proto as plain values. */
#ifndef MUSUBI_PLUS_WIRE_H
#define MUSUBI_PLUS_WIRE_H

#include "admission.h"

/*  What reserve, modify and release ask for; a field that is absent is 0 or "". */
typedef struct {
    char reservation [NAME_BYTES_MAX + 1];
    int64_t from_ms;
    int64_t until_ms;
    uint32_t quantity; /* of one resource: nodes, MiB */
    char resource [NAME_BYTES_MAX + 1];
} plus_wish_t;

extern const codec_t plus_reserve_codec;
extern const codec_t plus_modify_codec;
extern const codec_t plus_release_codec;

extern const codec_t plus_handle_codec; /* of the txid_t of a command */

typedef struct {
    char reservation [NAME_BYTES_MAX + 1]; /* "" = all */
    char after [NAME_BYTES_MAX + 1];
    uint32_t most;
} plus_question_t;
extern const codec_t plus_question_codec;

/*  Numbered as proto PlusCommandState. */
typedef enum { PLUS_INITIAL, PLUS_PREPARED, PLUS_COMMITTED, PLUS_ABORTED } plus_command_state_t;

typedef struct {
    command_answer_t answer;
    plus_command_state_t state;
    int64_t waits_until_ms;
} plus_command_t;
extern const codec_t plus_command_codec;

/*  A participant's answer as this interface gives it. Borrows. */
plus_command_t plus_command_of (const command_answer_t *answer, int64_t waits_until_ms);

/*  The part that books these wants, count > 0 of one resource, ascending. kind: PART_COMPUTE or
 *  PART_SPACE. */
packed_t plus_part_encode (part_kind_t kind, const admission_want_t *wants, size_t count);

/*  The request that a planner would have made of them, for planners that change the reservation
 *  later; empty where planners have none: room without CPUs. */
packed_t plus_request_encode (part_kind_t kind, const char *site, const admission_want_t *wants,
                              size_t count);

/*  Records. */
typedef struct {
    uint8_t digest [DIGEST_BYTES];
    char reservation [NAME_BYTES_MAX + 1];
    txid_t command; /* start 0 = none: it was a create, or was refused */
    int64_t asked_ms;
    packed_t refusal;     /* a PlusCommandAnswer; with a status, its words. Owned */
    call_status_t status; /* of the refusal */
} plus_asked_t;

extern const codec_t plus_asked_codec;

#define PLUS_REFUSAL_BYTES_MAX 4096

typedef struct {
    char owner [NAME_BYTES_MAX + 1];
    int64_t until_ms; /* wall: it is forgotten then, unless a command of it waits */
} plus_created_t;
extern const codec_t plus_created_codec;
extern const codec_t plus_create_codec; /* an empty message */

/*  The BLAKE2b-256 digest of a method and its body. */
void plus_digest (const char *method, bytes_t body, uint8_t digest [DIGEST_BYTES]);

#endif
