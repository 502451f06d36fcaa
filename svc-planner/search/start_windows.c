/*  start_windows - from profiles and windows to start times. */
#include "start_windows.h"

#include "must.h"

#include <stdlib.h>

void start_windows_clear (start_windows_t *self)
{
    free (self->spans);
    free (self->changes);
    *self = (start_windows_t){0};
}

void start_windows_add (start_windows_t *self, start_window_t span, start_window_t within)
{
    if (span.from_ms < within.from_ms)
        span.from_ms = within.from_ms;
    if (span.until_ms > within.until_ms)
        span.until_ms = within.until_ms;
    if (span.from_ms > span.until_ms)
        return;
    self->spans =
      must_grow (self->spans, self->spans_count, &self->spans_room, sizeof *self->spans);
    self->spans [self->spans_count++] = span;
}

static void fill_from_profile (start_windows_t *self, const free_profile_t *free_profile,
                               const stay_t *stay, start_window_t within)
{
    size_t i = 0;
    while (i < free_profile->steps_count) {
        if (free_profile->steps [i].free < stay->quantity) {
            i++;
            continue;
        }
        int64_t from_ms = free_profile->steps [i].from_ms;
        while (i < free_profile->steps_count && free_profile->steps [i].free >= stay->quantity)
            i++;
        int64_t until_ms =
          i < free_profile->steps_count ? free_profile->steps [i].from_ms : free_profile->until_ms;
        if (until_ms - from_ms >= stay->length_ms)
            start_windows_add (self,
                               (start_window_t){from_ms - stay->offset_ms,
                                                until_ms - stay->length_ms - stay->offset_ms},
                               within);
    }
}

static int compare_spans (const void *a, const void *b)
{
    const start_window_t *first = a, *second = b;
    if (first->from_ms != second->from_ms)
        return first->from_ms < second->from_ms ? -1 : 1;
    return (first->until_ms > second->until_ms) - (first->until_ms < second->until_ms);
}

static void fill_from_windows (start_windows_t *self, const free_profile_t *free_profile,
                               const stay_t *stay, start_window_t within)
{
    for (size_t i = 0; i < free_profile->windows_count; i++) {
        const window_t *window = &free_profile->windows [i];
        if (window->quantity >= stay->quantity &&
            window->until_ms - window->from_ms >= stay->length_ms)
            start_windows_add (
              self,
              (start_window_t){window->from_ms - stay->offset_ms,
                               window->until_ms - stay->length_ms - stay->offset_ms},
              within);
    }
    if (self->spans_count > 1)
        qsort (self->spans, self->spans_count, sizeof *self->spans, compare_spans);
}

void start_windows_fill (start_windows_t *self, const free_profile_t *free_profile,
                         const stay_t *stay, start_window_t within)
{
    if (free_profile->windows_count > 0)
        fill_from_windows (self, free_profile, stay, within);
    else
        fill_from_profile (self, free_profile, stay, within);
}

static void add_change (start_windows_t *self, int64_t start_ms)
{
    self->changes =
      must_grow (self->changes, self->changes_count, &self->changes_room, sizeof *self->changes);
    self->changes [self->changes_count++] = start_ms;
}

static int start_windows_compare_times (const void *a, const void *b)
{
    int64_t first = *(const int64_t *) a, second = *(const int64_t *) b;
    return (first > second) - (first < second);
}

void start_windows_find_changes (start_windows_t *self, const free_profile_t *free_profile,
                                 const stay_t *stay, start_window_t within, bool rises)
{
    for (size_t i = 0; i < self->spans_count; i++)
        add_change (self, self->spans [i].from_ms);
    if (!rises || self->spans_count == 0)
        return;
    for (size_t i = 1; i < free_profile->steps_count; i++) {
        int64_t start_ms = free_profile->steps [i].from_ms - stay->offset_ms;
        if (free_profile->steps [i].free > free_profile->steps [i - 1].free &&
            free_profile->steps [i].free >= stay->quantity && start_ms > within.from_ms &&
            start_ms <= within.until_ms)
            add_change (self, start_ms);
    }
    if (self->changes_count > 1)
        qsort (self->changes, self->changes_count, sizeof *self->changes,
               start_windows_compare_times);
}

int64_t start_windows_next_change (const start_windows_t *self)
{
    return self->change_at < self->changes_count ? self->changes [self->change_at] : INT64_MAX;
}

bool start_windows_pass (start_windows_t *self, int64_t start_ms)
{
    while (self->change_at < self->changes_count && self->changes [self->change_at] <= start_ms)
        self->change_at++;
    while (self->span_at < self->spans_count && self->spans [self->span_at].until_ms < start_ms)
        self->span_at++;
    return self->span_at < self->spans_count && self->spans [self->span_at].from_ms <= start_ms;
}
