/*  queue_wire - proto/tasks.proto as plain values, except answers that are filled as they are
 *  computed. */
#ifndef MUSUBI_QUEUE_WIRE_H
#define MUSUBI_QUEUE_WIRE_H

#include "bags.h"

/*  The request tells the owner; account is "" while it is not known. On true the caller owns the
 *  submission: submission_clear. */
typedef struct {
    const char *owner;
    const char *account;
    uint32_t count_max;
    int64_t limit_ms_max;
} submitter_t;
bool submit_decode (submission_t *asked, bytes_t body, const submitter_t *by, char why [WHY_BYTES]);
extern const codec_t submission_codec; /* without what the submitter adds */

extern const codec_t submitted_codec; /* of a bag_t: its number */

typedef struct {
    char owner [NAME_BYTES_MAX + 1];
    uint64_t after;
    uint32_t most;
    bool over;
} bags_question_t;
extern const codec_t bags_question_codec;

typedef struct {
    uint64_t bag;
    uint32_t from;
    uint32_t most;
} tasks_question_t;
extern const codec_t tasks_question_codec;

typedef struct {
    uint64_t bag;
    bool one;
    uint32_t index;
} cancel_t;
extern const codec_t cancel_codec;

typedef struct {
    task_id_t task;
    bool errors;
    uint64_t offset;
    uint32_t most;
} output_question_t;
extern const codec_t output_question_codec;

/*  --- on disk --- */

#define BAG_KEY_BYTES  8
#define TASK_KEY_BYTES 12
bytes_t bag_key_pack (uint64_t bag, uint8_t key [BAG_KEY_BYTES]);
bool bag_key_unpack (uint64_t *bag, bytes_t key);
bytes_t task_key_pack (const task_id_t *task, uint8_t key [TASK_KEY_BYTES]);
bool task_key_unpack (task_id_t *task, bytes_t key);

/*  A bag with the members that are stored; its submission is decoded with it. */
typedef bag_t stored_bag_t;
extern const codec_t stored_bag_codec;

/*  On true the caller owns what it points to. */
bool stored_bag_decode (stored_bag_t *bag, bytes_t record, char why [WHY_BYTES]);

packed_t stored_task_encode (const task_t *task);

/*  Fills a task that bag_task_new has made. */
bool stored_task_decode (task_t *task, bytes_t record, char why [WHY_BYTES]);

#endif
