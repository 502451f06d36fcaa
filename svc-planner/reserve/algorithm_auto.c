/*  algorithm_auto - the planner's own search, in slices, on the answers of one query. */
#include "algorithm.h"
#include "must.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct {
    finder_order_t order;
    search_t *search;
    search_state_t state;
    uint64_t timer; /* of the next slice */
} auto_finder_t;

static void algorithm_auto_on_slice (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    static const finder_end_t ends [] = {[SEARCH_FOUND] = FINDER_FOUND,
                                         [SEARCH_NONE] = FINDER_NONE,
                                         [SEARCH_UNKNOWN] = FINDER_UNKNOWN};
    auto_finder_t *self = owner;
    const pendings_t *pendings = self->order.pendings;
    choice_t choice = {0};
    self->timer = 0;
    self->state = search_run (self->search, pendings->settings->search_slice_steps);
    if (self->state == SEARCH_MORE) {
        /* Everything else that is due has its turn first. */
        service_count (pendings->service, "search_slices", 1);
        self->timer = timers_set (pendings->service->timers, now->mono_ms + 1,
                                  algorithm_auto_on_slice, self, 0);
        return;
    }
    if (self->state == SEARCH_FOUND)
        choice = search_choice (self->search);
    self->order.ended (self->order.owner, now, ends [self->state], &choice);
}

static void algorithm_auto_begin (const finder_order_t *order, const moment_t *now, void **finder)
{
    auto_finder_t *self = *finder = must (calloc (1, sizeof *self));
    self->order = *order;
    self->search = search_new (order->snapshot, &order->search);
    algorithm_auto_on_slice (self, now, 0);
}

static void algorithm_auto_explain (const void *finder, answer_t *answer)
{
    const auto_finder_t *self = finder;
    if (self->state == SEARCH_UNKNOWN)
        answer_reason (answer, "", "",
                       "no plan found within limits/search_steps_max = %" PRIu64
                       " steps: there may be one",
                       self->order.pendings->settings->search_steps_max);
}

static const search_t *algorithm_auto_search (const void *finder)
{
    const auto_finder_t *self = finder;
    return self->search;
}

static void algorithm_auto_destroy (void *finder)
{
    auto_finder_t *self = finder;
    timers_cancel (self->order.pendings->service->timers, self->timer);
    search_destroy (&self->search);
    free (self);
}

const algorithm_t algorithm_auto = {
  .name = "auto",
  .supposes = true,
  .begin = algorithm_auto_begin,
  .explain = algorithm_auto_explain,
  .search = algorithm_auto_search,
  .destroy = algorithm_auto_destroy,
};
