/*  lessons - kept by name, since a new snapshot has other numbers. */
#include "lessons.h"

#include <stdio.h>
#include <string.h>

static void apply_lesson (snapshot_t *snapshot, const source_lesson_t *lesson)
{
    size_t source = snapshot_source (snapshot, lesson->name);
    if (source == SIZE_MAX)
        return;
    source_t *learner = &snapshot->sources [source];
    if (lesson->lead_ms > learner->lead_ms - learner->ahead_ms)
        learner->lead_ms = lesson->lead_ms + learner->ahead_ms;
    learner->lead_ms += lesson->ahead_ms - learner->ahead_ms;
    learner->ahead_ms = lesson->ahead_ms;
    if (lesson->left_out)
        snapshot_leave_out (snapshot, source, lesson->why);
}

static source_lesson_t *lesson_of (lessons_t *self, const char *name)
{
    size_t at = 0;
    while (at < self->count && strcmp (self->list [at].name, name) != 0)
        at++;
    if (at == LESSONS_MAX)
        at--; /* the last one makes room: it costs a round at most */
    else if (at == self->count)
        self->list [self->count++] = (source_lesson_t){0};
    source_lesson_t *lesson = &self->list [at];
    snprintf (lesson->name, sizeof lesson->name, "%s", name);
    return lesson;
}

void lessons_learn (lessons_t *self, snapshot_t *snapshot, size_t source, int64_t lead_ms,
                    const char *why)
{
    source_lesson_t *lesson = lesson_of (self, snapshot->sources [source].party.name);
    if (lead_ms > lesson->lead_ms)
        lesson->lead_ms = lead_ms;
    if (why) {
        lesson->left_out = true;
        snprintf (lesson->why, sizeof lesson->why, "%s", why);
    }
    apply_lesson (snapshot, lesson);
}

void lessons_learn_ahead (lessons_t *self, snapshot_t *snapshot, size_t source, int64_t ahead_ms)
{
    source_lesson_t *lesson = lesson_of (self, snapshot->sources [source].party.name);
    lesson->ahead_ms += ahead_ms;
    apply_lesson (snapshot, lesson);
}

void lessons_apply (const lessons_t *self, snapshot_t *snapshot)
{
    for (size_t i = 0; i < self->count; i++)
        apply_lesson (snapshot, &self->list [i]);
}
