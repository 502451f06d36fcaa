/*  queue_wire - proto/tasks.proto as plain values. queue_wire.c alone sees the generated code. */
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
extern const codec_t submission_codec; /* but for what the submitter says */

typedef struct {
    uint64_t bag;
} submitted_t;
extern const codec_t submitted_codec;

typedef struct {
    char owner [NAME_BYTES_MAX + 1];
    uint64_t after;
    uint32_t most;
    bool over;
} bags_question_t;
extern const codec_t bags_question_codec;

typedef struct {
    const bag_t *bag;
    int64_t expected_ms;
} bag_record_t;

/*  Malloc'ed bytes, that the caller frees. */
packed_t bags_answer_encode (const bag_record_t *records, size_t count, bool more);

typedef struct {
    uint64_t bag;
    uint32_t from;
    uint32_t most;
} tasks_question_t;
extern const codec_t tasks_question_codec;

/*  A task as it is told. */
typedef struct {
    task_id_t id;
    task_state_t state;
    uint32_t tries;
    const char *node;
    int64_t started_ms;
    int64_t ended_ms;
    int32_t exit_code;
    int32_t signal;
    int64_t cpu_ms;
    const char *why;
    const char *site; /* it was moved there; NULL = never */
    uint64_t dropped;
} task_record_t;

typedef struct {
    task_record_t *tasks;
    size_t count;
    bool more;
} tasks_told_t;
extern const codec_t tasks_told_codec;

typedef struct {
    uint64_t bag;
    bool one;
    uint32_t index;
} cancel_t;
extern const codec_t cancel_codec;

typedef struct {
    uint32_t cancelled; /* had not begun */
    uint32_t ended;     /* are told to end */
} cancelled_t;
extern const codec_t cancelled_codec;

typedef struct {
    task_id_t task;
    bool errors;
    uint64_t offset;
    uint32_t most;
} output_question_t;
extern const codec_t output_question_codec;

typedef struct {
    bytes_t data;
    uint64_t size;
    bool over;
    uint64_t dropped;
} output_told_t;
extern const codec_t output_told_codec;

/*  --- on disk --- */

#define BAG_KEY_BYTES  8
#define TASK_KEY_BYTES 12
void bag_key_pack (uint64_t bag, uint8_t key [BAG_KEY_BYTES]);
bool bag_key_unpack (uint64_t *bag, bytes_t key);
void task_key_pack (const task_id_t *task, uint8_t key [TASK_KEY_BYTES]);
bool task_key_unpack (task_id_t *task, bytes_t key);

/*  A bag of which what is kept is filled: it is decoded with what was submitted. */
typedef bag_t stored_bag_t;
extern const codec_t stored_bag_codec;

/*  On true what it points to is the caller's. */
bool stored_bag_decode (stored_bag_t *bag, bytes_t record, char why [WHY_BYTES]);

packed_t stored_task_encode (const task_t *task);

/*  Into a task as bag_task_new makes it. */
bool stored_task_decode (task_t *task, bytes_t record, char why [WHY_BYTES]);

extern const codecs_t queue_codecs; /* all of them */

#endif
