/*  balancer_wire - a balancer's side of proto/balance.proto as plain values.
 *
 *  Encoders return malloc'ed bytes that the caller frees. Decoders check; on false why names the
 *  field and nothing is allocated.
 */
#ifndef MUSUBI_BALANCER_WIRE_H
#define MUSUBI_BALANCER_WIRE_H

#include "coalition.h"

#include "codec.h"

/*  --- questions to members --- */

typedef struct {
    char balancer [NAME_BYTES_MAX + 1];
    double level_s;
    bool automatic;
} terms_t;
extern const codec_t terms_codec;

/*  Adds a page to what the member has told so far. */
bool state_decode (member_queue_t *queue, bool *more, bytes_t body, char why [WHY_BYTES]);

extern const codec_t move_codec; /* of an order_t */

typedef struct {
    uint32_t moved;
} balancer_moved_t;
extern const codec_t moved_codec;

/*  --- questions to the balancer --- */

extern const codec_t balance_status_codec; /* of nothing */

packed_t balance_status_encode (const char *name, const coalition_t *coalition,
                                int64_t next_step_ms);

typedef struct {
    uint64_t from;
} balance_history_t;
extern const codec_t balance_history_codec;

/*  --- records --- */

extern const codec_t stored_coalition_codec; /* of a coalition_kept_t */
extern const codec_t stored_member_codec;    /* of a member_kept_t, but for the site, its key */
extern const codec_t stored_job_codec;       /* of a job_kept_t */
extern const codec_t stored_order_codec;     /* of an order_t, but for its key */

bool stored_member_decode (member_kept_t *kept, bytes_t key, bytes_t value, char why [WHY_BYTES]);
bool stored_job_decode (job_t *job, bytes_t key, bytes_t value, char why [WHY_BYTES]);
bool stored_order_decode (order_t *order, bytes_t key, bytes_t value, char why [WHY_BYTES]);

/*  What a coalition was worth to a member. */
typedef struct {
    const coalition_member_t *member;
    double level_s; /* that was */
    uint32_t jobs;
    double flow_s;
    double flow_alone_s;
} member_worth_t;
packed_t coalition_record_encode (const coalition_t *coalition, int64_t ended_ms,
                                  const member_worth_t *worths, size_t count);

#endif
