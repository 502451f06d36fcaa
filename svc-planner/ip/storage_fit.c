/*  storage_fit - depth first over the storage needs, what needs least time ahead first. */
#include "storage_fit.h"

#include <assert.h>
#include <string.h>

#define STEPS_MAX 20000 /* options looked at for one compute need at one site */

typedef struct {
    const storage_question_t *question;
    const user_request_t *request;
    size_t of; /* the compute need */
    size_t site;
    size_t choice [NEEDS_MAX];
    size_t best [NEEDS_MAX];
    bool found;
    int64_t best_ms;
    uint64_t steps;
} fitting_t;

static bool covers (const option_t *option, size_t place)
{
    return option->place <= place && place < option->place + option->spread;
}

/*  What is free of a place beside what the storage needs before this one take there. */
static bool storage_fit_has_room (const storage_question_t *question, size_t need, size_t place,
                                  const size_t *choice)
{
    const snapshot_t *snapshot = question->snapshot;
    const need_options_t *needs = snapshot->needs;
    const option_t *option = &needs [need].options [choice [need]];
    const derived_t *derived = &snapshot->request->compute [need].derived;
    window_t others [NEEDS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < need; i++) {
        const derived_t *other = &snapshot->request->compute [i].derived;
        if (other->kind != DERIVED_STORAGE || other->at != derived->at ||
            !covers (&needs [i].options [choice [i]], place))
            continue;
        if (other->data > 0 && other->data == derived->data)
            return false; /* copies of one file are on nodes of their own */
        others [count].quantity = needs [i].options [choice [i]].nodes;
        option_interval (snapshot, i, &needs [i].options [choice [i]], question->start_ms,
                         &others [count].from_ms, &others [count].until_ms);
        count++;
    }
    int64_t from_ms, until_ms;
    option_interval (snapshot, need, option, question->start_ms, &from_ms, &until_ms);
    int64_t alone = free_profile_least (&snapshot->places [place].free_profile, from_ms, until_ms);
    int64_t left = free_profile_least_beside (&snapshot->places [place].free_profile, from_ms,
                                              until_ms, others, count);
    /* What is not visible is taken as if by somebody else. */
    return left - (alone - alone * question->visible / 100) >= option->nodes;
}

bool storage_fits_beside (const storage_question_t *question, size_t need, const size_t *choice)
{
    const snapshot_t *snapshot = question->snapshot;
    const option_t *option = &snapshot->needs [need].options [choice [need]];
    int64_t from_ms, until_ms;
    option_interval (snapshot, need, option, question->start_ms, &from_ms, &until_ms);
    /* What a file takes begins before all else: every participant's lead counts from there (T9). */
    if (snapshot->sources [snapshot->places [option->place].source].left_out ||
        from_ms < question->search->soonest_ms + snapshot_lead_ms (snapshot))
        return false;
    for (size_t place = option->place; place < option->place + option->spread; place++)
        if (!storage_fit_has_room (question, need, place, choice))
            return false;
    return true;
}

static bool ours (const fitting_t *self, size_t need)
{
    const derived_t *derived = &self->request->compute [need].derived;
    return derived->kind == DERIVED_STORAGE && derived->at == self->of;
}

static void storage_fit_go_on (fitting_t *self, size_t need, int64_t sum_ms)
{
    while (need < self->request->compute_count && !ours (self, need))
        need++;
    if (self->found && sum_ms >= self->best_ms)
        return;
    if (need == self->request->compute_count) {
        self->found = true;
        self->best_ms = sum_ms;
        memcpy (self->best, self->choice, sizeof self->best);
        return;
    }
    const need_options_t *options = &self->question->snapshot->needs [need];
    for (size_t i = 0; i < options->options_count && self->steps < STEPS_MAX; i++) {
        const option_t *option = &options->options [i];
        if (self->question->snapshot->places [option->place].site != self->site)
            continue;
        self->steps++;
        self->choice [need] = i;
        if (storage_fits_beside (self->question, need, self->choice))
            storage_fit_go_on (self, need + 1, sum_ms + option->before_ms);
    }
}

bool storage_fit (const storage_question_t *question, size_t need, size_t site, size_t *choice,
                  int64_t *ahead_ms)
{
    fitting_t self = {
      .question = question, .request = question->snapshot->request, .of = need, .site = site};
    assert (self.request->compute_count <= NEEDS_MAX);
    storage_fit_go_on (&self, need + 1, 0);
    for (size_t i = 0; i < self.request->compute_count && self.found; i++)
        if (ours (&self, i))
            choice [i] = self.best [i];
    *ahead_ms = self.best_ms;
    return self.found;
}
