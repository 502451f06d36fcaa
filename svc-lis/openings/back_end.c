/*  back_end - keeps a job for each reservation that has a step under way or to be tried again, and
 *  one without a name for the reconciliation, and one of all for the look.
 */
#include "back_end.h"

#include "must.h"
#include "openings_wire.h"
#include "ordered.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define TROUBLE_BYTES 160
#define NAMES_AT_ONCE 4 /* so that whatever opens does not wait for many that are to come */

const back_end_kind_t back_end_runner = {.name = "runner"};
const back_end_kind_t back_end_batch = {
  .name = "batch",
  .works = {"batch", "batch", "batch", "batch", "batch", "batch", "batch", "batch", "batch"}};

const back_end_limits_t back_end_limits_default = {.retry_ms = 1000, .retry_ms_max = 60000};

typedef struct {
    back_end_t *back_end;
    char reservation [NAME_BYTES_MAX + 1];
    back_end_step_t step;
    packed_t arguments;
    uint64_t work;  /* under way; 0 = none */
    uint64_t timer; /* it is tried again then */
    uint32_t failures;
    bool again; /* another step was ordered while the work of this one was under way */
    char trouble [TROUBLE_BYTES];
} back_end_job_t;

struct back_end {
    service_t *service;
    const back_end_kind_t *kind;
    back_end_limits_t limits;
    ordered_t *jobs; /* by reservation */
    uint64_t works;  /* numbers those of this start */
    bool reconciled; /* since this start */
    back_end_told_fn *told;
    void *owner;
};

static void job_end (back_end_job_t *job)
{
    back_end_t *self = job->back_end;
    timers_cancel (self->service->timers, job->timer);
    ordered_remove (self->jobs, job->reservation);
    free (job->arguments.data);
    free (job);
}

void back_end_told (back_end_t *self, back_end_told_fn *told, void *owner)
{
    self->told = told;
    self->owner = owner;
}

static size_t names_at_work (const back_end_t *self)
{
    size_t count = 0;
    for (const back_end_job_t *job = NULL; (job = ordered_next (self->jobs, job));)
        count += job->step == BACK_END_NAME && job->work > 0;
    return count;
}

/*  While it is reconciled, what is not in that list would be removed again. */
static void job_order (back_end_job_t *job)
{
    back_end_t *self = job->back_end;
    if (*job->reservation && ordered_find (self->jobs, ""))
        return;
    timers_cancel (self->service->timers, job->timer);
    job->timer = 0;
    job->again = false;
    if (job->step == BACK_END_NAME && names_at_work (self) >= NAMES_AT_ONCE)
        return;
    job->work = ++self->works;
    outbox_work (self->service->outbox, job->work, self->kind->works [job->step],
                 packed_bytes (job->arguments));
}

static void on_retry (void *owner, const moment_t *now, uint64_t token)
{
    (void) now, (void) token;
    back_end_job_t *job = owner;
    job->timer = 0;
    job_order (job);
}

static back_end_job_t *back_end_job_of (back_end_t *self, const char *reservation)
{
    back_end_job_t *job = ordered_find (self->jobs, reservation);
    if (job)
        return job;
    job = must (calloc (1, sizeof *job));
    job->back_end = self;
    snprintf (job->reservation, sizeof job->reservation, "%s", reservation);
    ordered_add (self->jobs, job->reservation, job);
    return job;
}

/*  Orders a step. Work that is under way can't be called back: when it ends, the step that was
 *  ordered last is started. */
static void back_end_start (back_end_t *self, const char *reservation, back_end_step_t step,
                            const back_end_order_t *orders, size_t count)
{
    back_end_job_t *job = back_end_job_of (self, reservation);
    free (job->arguments.data);
    job->step = step;
    job->arguments = codec_encode (
      &back_end_task_codec,
      &(back_end_task_t){.step = step, .orders = (back_end_order_t *) orders, .count = count});
    job->failures = 0;
    snprintf (job->trouble, sizeof job->trouble, "the back end has not finished yet");
    if (job->work == 0)
        job_order (job);
    else
        job->again = true;
}

void back_end_step (back_end_t *self, back_end_step_t step, const back_end_order_t *order)
{
    back_end_job_t *job = ordered_find (self->jobs, order->reservation);
    if (step == BACK_END_WATCH && job)
        return;
    if (back_end_acts (self, step))
        back_end_start (self, order->reservation, step, order, 1);
    else if (job && job->work == 0)
        job_end (job);
}

void back_end_reconcile (back_end_t *self, const back_end_order_t *orders, size_t count)
{
    if (back_end_acts (self, BACK_END_RECONCILE))
        back_end_start (self, "", BACK_END_RECONCILE, orders, count);
}

void back_end_look (back_end_t *self, const back_end_order_t *orders, size_t count)
{
    if (back_end_acts (self, BACK_END_LOOK) && !ordered_find (self->jobs, BACK_END_ALL))
        back_end_start (self, BACK_END_ALL, BACK_END_LOOK, orders, count);
}

const char *back_end_trouble (const back_end_t *self, const char *reservation)
{
    const back_end_job_t *job = self->reconciled ? NULL : ordered_find (self->jobs, "");
    if (!job)
        job = ordered_find (self->jobs, reservation);
    return job && (job->step != BACK_END_WATCH || job->failures > 0) ? job->trouble : "";
}

bool back_end_fails (const back_end_t *self, const char *reservation)
{
    const back_end_job_t *job = ordered_find (self->jobs, reservation);
    return job && job->failures > 0;
}

bool back_end_acts (const back_end_t *self, back_end_step_t step)
{
    return self->kind->works [step] != NULL;
}

static void job_failed (back_end_job_t *job, const moment_t *now, bytes_t why)
{
    static const char *const words [] = {"prepare", "open", "watch", "close",  "reconcile",
                                         "count",   "name", "look",  "charges"};
    static_assert (sizeof words / sizeof *words == BACK_END_STEPS, "a word for each step");
    back_end_t *self = job->back_end;
    const back_end_limits_t *limits = &self->limits;
    int64_t pause = pause_doubled (limits->retry_ms, limits->retry_ms_max, job->failures++);
    snprintf (job->trouble, sizeof job->trouble, "%s: %.*s", words [job->step],
              (int) (why.size < TROUBLE_BYTES ? why.size : TROUBLE_BYTES), (const char *) why.data);
    service_count (self->service, "back_end_failures", 1);
    outbox_log (self->service->outbox, LEVEL_WARNING,
                "back end reservation=%s step=%s failed tries=%u again_in_s=%g: %s",
                job->reservation, words [job->step], job->failures, (double) pause / 1000,
                job->trouble);
    job->timer = timers_set (self->service->timers, now->mono_ms + pause, on_retry, job, 0);
}

static back_end_job_t *job_at_work (const back_end_t *self, uint64_t work)
{
    for (back_end_job_t *job = NULL; (job = ordered_next (self->jobs, job));)
        if (job->work == work)
            return job;
    return NULL;
}

/*  Those that had to wait for the reconciliation. */
static void jobs_begin (back_end_t *self)
{
    self->reconciled = true;
    for (back_end_job_t *job = NULL; (job = ordered_next (self->jobs, job));)
        if (job->work == 0)
            job_order (job);
}

/*  Those that are not as they were told. One that is told again already is left alone. */
static void look_told (back_end_t *self, const moment_t *now, bytes_t result)
{
    char *text = must (strndup (result.size > 0 ? (const char *) result.data : "", result.size));
    for (char *line = text, *next; *line; line = next) {
        next = line + strcspn (line, "\n");
        if (*next)
            *next++ = '\0';
        char *why = strchr (line, ' ');
        if (!why)
            continue;
        *why++ = '\0';
        if (self->told && !ordered_find (self->jobs, line))
            self->told (self->owner, now, line, BACK_END_LOOK, why, (bytes_t){0});
    }
    free (text);
}

/*  One of those that had to wait for others of their kind, whenever a work ends. */
static void names_begin (back_end_t *self)
{
    back_end_job_t *job = NULL;
    while ((job = ordered_next (self->jobs, job)))
        if (job->step == BACK_END_NAME && job->work == 0 && job->timer == 0)
            break;
    if (job)
        job_order (job);
}

static bool back_end_on_work (void *owner, const moment_t *now, const event_t *event)
{
    back_end_t *self = owner;
    back_end_job_t *job = job_at_work (self, event->work.work);
    if (!job)
        return false;
    job->work = 0;
    if (job->again) {
        job_order (job);
        names_begin (self);
        return true;
    }
    back_end_step_t step = job->step;
    char reservation [NAME_BYTES_MAX + 1];
    char why [TROUBLE_BYTES];
    memcpy (reservation, job->reservation, sizeof reservation);
    if (!event->work.ok)
        job_failed (job, now, event->work.result);
    memcpy (why, job->trouble, sizeof why);
    if (event->work.ok)
        job_end (job);
    if (event->work.ok && !*reservation)
        jobs_begin (self);
    names_begin (self);
    if (event->work.ok && step == BACK_END_LOOK)
        look_told (self, now, event->work.result);
    if (self->told)
        self->told (self->owner, now, reservation, step, event->work.ok ? NULL : why,
                    event->work.result);
    return true;
}

/*  --- its life --- */

back_end_t *back_end_new (service_t *service, const back_end_kind_t *kind,
                          const back_end_limits_t *limits)
{
    assert (limits->retry_ms > 0 && limits->retry_ms <= limits->retry_ms_max);
    back_end_t *self = must (calloc (1, sizeof *self));
    self->service = service;
    self->kind = kind;
    self->limits = *limits;
    self->jobs = ordered_by_text (offsetof (back_end_job_t, reservation));
    service_on_work (service, back_end_on_work, self);
    return self;
}

void back_end_destroy (back_end_t **self_p)
{
    back_end_t *self = *self_p;
    if (!self)
        return;
    for (back_end_job_t *job; (job = ordered_after (self->jobs, NULL));)
        job_end (job);
    ordered_destroy (&self->jobs);
    free (self);
    *self_p = NULL;
}
