/*  sharing_told - what a balancer weighs: how fast the site is, and what is in its queue. */
#include "sharing_state.h"

#include <inttypes.h>

/*  What is left of those that run at most: until their limit here. */
static double running_load_s (int64_t now_ms, const bag_t *bag)
{
    double load_s = 0;
    uint32_t left = bag->running;
    for (uint32_t i = 0; i < bag->tasks_room && left > 0; i++) {
        const task_t *task = bag_task (bag, i);
        if (!task || (task->state != TASK_PLACED && task->state != TASK_RUNNING))
            continue;
        int64_t until_ms = task->started_ms > 0 ? task->started_ms + bag->waiting.limit_ms
                                                : now_ms + bag->waiting.limit_ms;
        if (until_ms > now_ms)
            load_s += (double) bag->waiting.cpus * (double) (until_ms - now_ms) / 1000;
        left--;
    }
    return load_s;
}

/*  Begun or gone: nothing of it waits, and it is not over. */
static bool begun (const bag_t *bag)
{
    return (bag->running > 0 || bag->away > 0) && !bag->listed && !*bag->asked.order->reservation;
}

/*  First those of which all have begun, or are away, by number; then those that wait, in their
 * order. NULL first; NULL at the end. */
static const bag_t *next_queued (const bags_t *bags, const bag_t *bag)
{
    const backfill_bag_t *waiting = bags_first (bags);
    if (bag && bag->listed)
        return bag->waiting.next ? bag->waiting.next->owner : NULL;
    for (bag = bags_after (bags, bag ? bag->number : 0); bag; bag = bags_after (bags, bag->number))
        if (begun (bag))
            return bag;
    return waiting ? waiting->owner : NULL;
}

static void on_state (void *owner, const moment_t *now, const request_t *request)
{
    sharing_t *self = owner;
    uint32_t most = queue_limits (self->queue)->list_max;
    uint64_t after;
    char why [WHY_BYTES];
    if (!sharing_allowed (self, request))
        return;
    if (!state_question_decode (&after, request->body, why)) {
        service_refuse (self->service, request, CALL_BAD_REQUEST, "%s", why);
        return;
    }
    const bag_t *last = after > 0 ? bags_find (self->bags, after) : NULL;
    if (after > 0 && !(last && (last->listed || begun (last)))) {
        service_refuse (self->service, request, CALL_NOT_FOUND,
                        "after: bag %" PRIu64 " is not in the queue any more; ask from its head",
                        after);
        return;
    }
    int64_t now_ms = queue_now_ms (self->queue, now);
    queued_bag_t *bags = must (calloc (most, sizeof *bags));
    site_state_t state = {.cpus = queue_cpus (self->queue),
                          .done_s = (double) queue_done_ms (self->queue) / 1000,
                          .start = self->service->store.start,
                          .bags = bags};
    const bag_t *bag = next_queued (self->bags, last);
    for (; bag && state.bags_count < most; bag = next_queued (self->bags, bag))
        bags [state.bags_count++] = (queued_bag_t){bag, running_load_s (now_ms, bag)};
    state.more = bag != NULL;
    service_reply (self->service, request,
                   state_answer_encode (&state, &self->membership, self->service->name));
    free (bags);
}

void sharing_told_serve (sharing_t *self)
{
    service_serve (self->service, "Sharing", "State", on_state, self);
}
