/*  stages - makes phases of stages, and new stages of a change. */
#include "stages.h"

#include "must.h"

#include <inttypes.h>
#include <stdlib.h>

/*  --- phases --- */

static size_t stages_phases_of (const stages_t *stages, phase_t whole, phase_t phases [PHASES_MAX])
{
    int64_t from_ms = whole.from_ms;
    size_t count = 0;
    for (size_t i = 0; i < stages->count; i++) {
        const stage_t *stage = &stages->list [i];
        if (stage->amount > 0)
            phases [count++] = (phase_t){from_ms, stage->until_ms, stage->amount};
        from_ms = stage->until_ms;
    }
    phases [count++] = (phase_t){from_ms, whole.until_ms, whole.amount};
    return count;
}

static phase_t whole_compute (const user_request_t *self, size_t need)
{
    const compute_need_t *asked = &self->compute [need];
    return (phase_t){asked->offset_ms, asked->offset_ms + need_duration (self, need), asked->cpus};
}

static phase_t whole_network (const user_request_t *self, size_t need)
{
    phase_t whole = {.amount = self->network [need].mbps};
    network_need_interval (self, need, &whole.from_ms, &whole.until_ms);
    return whole;
}

size_t compute_phases (const user_request_t *self, size_t need, phase_t phases [PHASES_MAX])
{
    return stages_phases_of (&self->compute [need].stages, whole_compute (self, need), phases);
}

size_t network_phases (const user_request_t *self, size_t need, phase_t phases [PHASES_MAX])
{
    return stages_phases_of (&self->network [need].stages, whole_network (self, need), phases);
}

int64_t compute_first (const user_request_t *self, size_t need)
{
    phase_t phases [PHASES_MAX];
    (void) compute_phases (self, need, phases);
    return phases [0].from_ms;
}

int64_t compute_latest (const user_request_t *self, size_t need)
{
    const stages_t *stages = &self->compute [need].stages;
    return stages->count > 0 ? stages->list [stages->count - 1].until_ms
                             : self->compute [need].offset_ms;
}

int64_t network_latest (const user_request_t *self, size_t need)
{
    const stages_t *stages = &self->network [need].stages;
    return stages->count > 0 ? stages->list [stages->count - 1].until_ms
                             : whole_network (self, need).from_ms;
}

bool stages_check (const stages_t *self, int64_t from_ms, int64_t until_ms, const char *field,
                   char why [WHY_BYTES])
{
    int64_t at_ms = from_ms;
    for (size_t i = 0; i < self->count; i++) {
        if (self->list [i].until_ms <= at_ms)
            return wrong (why, "%s.stages[%zu].until_ms: must be after %" PRId64, field, i, at_ms);
        at_ms = self->list [i].until_ms;
    }
    if (self->count > 0 && at_ms >= until_ms)
        return wrong (why, "%s.duration: must not end before its last change takes effect", field);
    return true;
}

void stages_forget (user_request_t *self)
{
    for (size_t i = 0; i < self->compute_count; i++)
        self->compute [i].stages.count = 0;
    for (size_t i = 0; i < self->network_count; i++)
        self->network [i].stages.count = 0;
}

/*  --- a change --- */

/*  One need before and after a change. */
typedef struct {
    const char *id;
    const stages_t *old; /* NULL: it is new */
    phase_t before;
    phase_t after;
} passage_t;

static bool not_ended (const passage_t *passage, const change_time_t *time, char why [WHY_BYTES])
{
    bool same = passage->after.until_ms == passage->before.until_ms &&
                passage->after.amount == passage->before.amount;
    return passage->before.until_ms > time->now_ms || same ||
           wrong (why, "need %s has ended: it can't be changed any more", passage->id);
}

static bool not_past (const passage_t *passage, const change_time_t *time, char why [WHY_BYTES])
{
    return passage->after.until_ms >= passage->before.until_ms ||
           passage->before.from_ms > time->now_ms || passage->after.until_ms >= time->soonest_ms ||
           wrong (why,
                  "need %s has begun: it can end in %" PRId64 " s at the soonest, or be released",
                  passage->id, (time->soonest_ms - time->now_ms + 999) / 1000);
}

/*  Growth that has not begun yet is withdrawn. Returns what the need has until the change takes
 *  effect. */
static uint32_t stages_withdraw (stages_t *stages, uint32_t amount, const change_time_t *time)
{
    while (stages->count > 0) {
        const stage_t *last = &stages->list [stages->count - 1];
        if (last->until_ms < time->soonest_ms || last->amount > amount)
            break;
        amount = last->amount;
        stages->count--;
    }
    return amount;
}

/*  Keep what the need has until the change takes effect as one more stage. */
static bool add_stage (stages_t *to, const passage_t *passage, const change_time_t *time,
                       char why [WHY_BYTES])
{
    uint32_t amount = stages_withdraw (to, passage->old ? passage->before.amount : 0, time);
    int64_t last_ms = to->count > 0 ? to->list [to->count - 1].until_ms : passage->after.from_ms;
    int64_t effect_ms = time->effect_ms > last_ms ? time->effect_ms : last_ms;
    if (amount == passage->after.amount)
        return true;
    if (effect_ms >= passage->after.until_ms)
        return wrong (why, "need %s ends before a change could take effect, in %" PRId64 " s",
                      passage->id, (effect_ms - time->now_ms + 999) / 1000);
    if (effect_ms == last_ms)
        return true; /* what it was to have from then on has not begun */
    if (to->count == STAGES_MAX)
        return wrong (why,
                      "need %s has been changed %d times while it runs, and can't be changed again",
                      passage->id, STAGES_MAX);
    to->list [to->count++] = (stage_t){effect_ms, amount};
    return true;
}

static bool stage_need (stages_t *to, const passage_t *passage, const change_time_t *time,
                        char why [WHY_BYTES])
{
    to->count = 0;
    if (passage->old) {
        *to = *passage->old;
        if (!not_ended (passage, time, why) || !not_past (passage, time, why))
            return false;
        if (passage->after.amount == passage->before.amount)
            return true;
    }
    if (passage->after.from_ms >= time->effect_ms) {
        to->count = 0; /* it begins later: it has the new amount from its start */
        return true;
    }
    return add_stage (to, passage, time, why);
}

/*  --- needs that were taken out --- */

/*  End a need when the change takes effect; later stages are dropped. */
static void end_need (stages_t *stages, uint32_t *amount, int64_t *until_ms, int64_t effect_ms)
{
    *until_ms = effect_ms;
    while (stages->count > 0 && stages->list [stages->count - 1].until_ms >= effect_ms)
        *amount = stages->list [--stages->count].amount;
}

/*  Has the need nothing before the change takes effect, so that it can be dropped as a whole? */
static bool not_begun (const stages_t *stages, const phase_t *whole, const change_time_t *time)
{
    phase_t phases [PHASES_MAX];
    (void) stages_phases_of (stages, *whole, phases);
    return phases [0].from_ms >= time->effect_ms ||
           (phases [0].from_ms > whole->from_ms && phases [0].from_ms >= time->soonest_ms);
}

static void *grown (void *list, size_t count, size_t size)
{
    return must (realloc (list, (count + 1) * size));
}

static void keep_compute (user_request_t *self, const user_request_t *before, size_t need,
                          const change_time_t *time)
{
    phase_t whole = whole_compute (before, need);
    if (not_begun (&before->compute [need].stages, &whole, time))
        return;
    self->compute = grown (self->compute, self->compute_count, sizeof *self->compute);
    compute_need_t *kept = &self->compute [self->compute_count++];
    *kept = before->compute [need];
    kept->require = must_copy (kept->require, kept->require_count * sizeof *kept->require);
    if (whole.until_ms > time->effect_ms)
        end_need (&kept->stages, &kept->cpus, &whole.until_ms, time->effect_ms);
    kept->duration_ms = whole.until_ms - whole.from_ms;
}

static void keep_network (user_request_t *self, const user_request_t *before, size_t need,
                          const change_time_t *time)
{
    phase_t whole = whole_network (before, need);
    if (not_begun (&before->network [need].stages, &whole, time))
        return;
    self->network = grown (self->network, self->network_count, sizeof *self->network);
    network_need_t *kept = &self->network [self->network_count++];
    *kept = before->network [need];
    kept->require = must_copy (kept->require, kept->require_count * sizeof *kept->require);
    if (whole.until_ms > time->effect_ms)
        end_need (&kept->stages, &kept->mbps, &whole.until_ms, time->effect_ms);
    kept->offset_ms = whole.from_ms;
    kept->duration_ms = whole.until_ms - whole.from_ms;
}

/*  --- the whole request --- */

static bool make_compute (user_request_t *self, const user_request_t *before,
                          const change_time_t *time, char why [WHY_BYTES])
{
    for (size_t i = 0; i < self->compute_count; i++) {
        size_t old = user_request_need (before, self->compute [i].id);
        passage_t passage = {.id = self->compute [i].id, .after = whole_compute (self, i)};
        if (old != SIZE_MAX) {
            passage.old = &before->compute [old].stages;
            passage.before = whole_compute (before, old);
        }
        if (!stage_need (&self->compute [i].stages, &passage, time, why))
            return false;
    }
    return true;
}

static bool make_network (user_request_t *self, const user_request_t *before,
                          const change_time_t *time, char why [WHY_BYTES])
{
    for (size_t i = 0; i < self->network_count; i++) {
        size_t old = user_request_network (before, self->network [i].id);
        passage_t passage = {.id = self->network [i].id, .after = whole_network (self, i)};
        if (old != SIZE_MAX) {
            passage.old = &before->network [old].stages;
            passage.before = whole_network (before, old);
        }
        if (!stage_need (&self->network [i].stages, &passage, time, why))
            return false;
    }
    return true;
}

bool stages_make (user_request_t *self, const user_request_t *before, const change_time_t *time,
                  char why [WHY_BYTES])
{
    if (!make_compute (self, before, time, why) || !make_network (self, before, time, why))
        return false;
    for (size_t i = 0; i < before->compute_count; i++)
        if (user_request_need (self, before->compute [i].id) == SIZE_MAX)
            keep_compute (self, before, i, time);
    for (size_t i = 0; i < before->network_count; i++)
        if (user_request_network (self, before->network [i].id) == SIZE_MAX)
            keep_network (self, before, i, time);
    return user_request_check (self, why);
}
