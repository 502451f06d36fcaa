/*  balancer_wire - a balancer's side of proto/balance.proto as plain values. balancer_wire.c and
 *  balancer_wire_kept.c alone see the generated code.
 *
 *  Encoders return malloc'ed bytes that the caller frees. Decoders check; on false why names the
 *  field and nothing is allocated.
 */
#ifndef MUSUBI_BALANCER_WIRE_H
#define MUSUBI_BALANCER_WIRE_H

#include "coalition.h"

#include "transaction.h"

/*  --- members are asked --- */

typedef struct {
    char balancer [NAME_BYTES_MAX + 1];
    double level_s;
    bool automatic;
} terms_t;

packed_t membership_question_encode (void);
bool membership_decode (terms_t *terms, bytes_t body, char why [WHY_BYTES]);

packed_t state_question_encode (uint64_t after);

/*  Adds what a page says to what has been told so far. */
bool state_decode (told_t *told, bool *more, bytes_t body, char why [WHY_BYTES]);

packed_t move_encode (const order_t *order);
bool moved_decode (uint32_t *moved, bytes_t body, char why [WHY_BYTES]);

/*  --- it is asked --- */

bool balance_status_decode (bytes_t body, char why [WHY_BYTES]);

typedef struct {
    const char *name;
    const coalition_t *coalition;
    int64_t next_step_ms;
} status_told_t;
packed_t balance_status_encode (const status_told_t *told);

bool balance_history_decode (uint64_t *from, bytes_t body, char why [WHY_BYTES]);

/*  Records as they are kept. */
packed_t balance_history_encode (const bytes_t *records, size_t count, bool more);

/*  --- what is kept --- */

packed_t stored_coalition_encode (const coalition_kept_t *kept);
bool stored_coalition_decode (coalition_kept_t *kept, bytes_t value, char why [WHY_BYTES]);
packed_t stored_member_encode (const member_kept_t *kept);
bool stored_member_decode (member_kept_t *kept, bytes_t key, bytes_t value, char why [WHY_BYTES]);
packed_t stored_job_encode (const job_kept_t *kept);
bool stored_job_decode (job_t *job, bytes_t key, bytes_t value, char why [WHY_BYTES]);
packed_t stored_order_encode (const order_t *order);
bool stored_order_decode (order_t *order, bytes_t key, bytes_t value, char why [WHY_BYTES]);

/*  What a coalition was worth to a member. */
typedef struct {
    const member_t *member;
    uint32_t jobs;
    double flow_s;
    double flow_alone_s;
} member_worth_t;
packed_t coalition_record_encode (const coalition_t *coalition, int64_t ended_ms,
                                  const member_worth_t *worths, size_t count);
bool coalition_record_check (bytes_t key, bytes_t value, uint64_t *number, char why [WHY_BYTES]);

#endif
