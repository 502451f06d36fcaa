/*  queue_wire - proto/tasks.proto as plain values. queue_wire.c and queue_wire_kept.c alone see the
 *  generated code.
 *
 *  Encoders return malloc'ed bytes that the caller frees. Decoders check; on false why names the
 *  field and nothing is allocated.
 */
#ifndef MUSUBI_QUEUE_WIRE_H
#define MUSUBI_QUEUE_WIRE_H

#include "bags.h"
#include "transaction.h"

/*  Whose it is is told with the request; "" for account: not known yet. On true the submission is
 *  the caller's: submission_clear. */
typedef struct {
    const char *owner;
    const char *account;
    uint32_t count_max;
    int64_t limit_ms_max;
} submitter_t;
bool submit_decode (submission_t *asked, bytes_t body, const submitter_t *by, char why [WHY_BYTES]);
packed_t submit_answer_encode (uint64_t bag);

typedef struct {
    char owner [NAME_BYTES_MAX + 1];
    uint64_t after;
    uint32_t most;
    bool over;
} bags_question_t;
bool bags_question_decode (bags_question_t *question, bytes_t body, char why [WHY_BYTES]);

typedef struct {
    const bag_t *bag;
    int64_t expected_ms;
} bag_record_t;
packed_t bags_answer_encode (const bag_record_t *records, size_t count, bool more);

typedef struct {
    uint64_t bag;
    uint32_t from;
    uint32_t most;
} tasks_question_t;
bool tasks_question_decode (tasks_question_t *question, bytes_t body, char why [WHY_BYTES]);

/*  Of the tasks [from, from + count). cpu_ms of those that run is asked of whoever knows. */
typedef int64_t cpu_ms_fn (void *owner, const bag_t *bag, uint32_t index);
packed_t tasks_answer_encode (const bag_t *bag, uint32_t from, uint32_t count, cpu_ms_fn *cpu_ms,
                              void *owner);

typedef struct {
    uint64_t bag;
    bool one;
    uint32_t index;
} cancel_t;
bool cancel_decode (cancel_t *cancel, bytes_t body, char why [WHY_BYTES]);
packed_t cancel_answer_encode (uint32_t cancelled, uint32_t ended);

typedef struct {
    task_id_t task;
    bool errors;
    uint64_t offset;
    uint32_t most;
} output_question_t;
bool output_question_decode (output_question_t *question, bytes_t body, char why [WHY_BYTES]);
packed_t output_answer_encode (bytes_t data, uint64_t size, bool over, uint64_t dropped);

/*  --- on disk --- */

#define BAG_KEY_BYTES  8
#define TASK_KEY_BYTES 12
void bag_key_pack (uint64_t bag, uint8_t key [BAG_KEY_BYTES]);
bool bag_key_unpack (uint64_t *bag, bytes_t key);
void task_key_pack (const task_id_t *task, uint8_t key [TASK_KEY_BYTES]);
bool task_key_unpack (task_id_t *task, bytes_t key);

packed_t stored_bag_encode (const bag_t *bag);

/*  Strings and submitted are copies; submitted and asked are the caller's. */
typedef struct {
    char owner [NAME_BYTES_MAX + 1];
    char request_id [REQUEST_ID_BYTES_MAX + 1];
    packed_t submitted;
    submission_t asked;
    int64_t submitted_ms;
    bool cancelled;
    int64_t over_ms;
    bool guest_set;
    guest_t guest; /* asked has its count, and the index that it starts from */
} stored_bag_t;
bool stored_bag_decode (stored_bag_t *bag, bytes_t record, char why [WHY_BYTES]);

packed_t stored_task_encode (const task_t *task);

/*  Into a task as bag_task_new makes it. */
bool stored_task_decode (task_t *task, bytes_t record, char why [WHY_BYTES]);

#endif
