/*  lessons - what refusals have taught a request about sites and domains beyond what is free there.
 *  They outlive a snapshot and hold for every one of this request.
 */
#ifndef MUSUBI_LESSONS_H
#define MUSUBI_LESSONS_H

#include "snapshot.h"

typedef struct {
    char name [NAME_BYTES_MAX + 1];
    int64_t lead_ms;  /* the least notice it needs */
    int64_t ahead_ms; /* and how much more, because its clock is ahead */
    bool left_out;
    char why [WHY_BYTES];
} source_lesson_t;

#define LESSONS_MAX 32

typedef struct {
    source_lesson_t list [LESSONS_MAX];
    size_t count;
} lessons_t;

/*  Learn that a source needs at least this lead, and, unless why is NULL, that it must be left out.
 *  The snapshot is corrected. */
void lessons_learn (lessons_t *self, snapshot_t *snapshot, size_t source, int64_t lead_ms,
                    const char *why);

/*  Learn that its clock is that much further ahead than known before: plans start later there. */
void lessons_learn_ahead (lessons_t *self, snapshot_t *snapshot, size_t source, int64_t ahead_ms);

/*  Corrects a new snapshot. */
void lessons_apply (const lessons_t *self, snapshot_t *snapshot);

#endif
