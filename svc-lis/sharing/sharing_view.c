/*  sharing_view - answers State, from which a balancer works: how fast the site is and what is in
 *  its queue. */
#include "message.h"
#include "sharing_state.h"

#include "balance.pb-c.h"

#include <inttypes.h>

/*  The load that the bag's running tasks have left at most, until their limit. */
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

static void sharing_view_bag_tell (const queue_t *queue, const bag_t *bag, int64_t now_ms,
                                   const char *site, Musubi__QueuedBag *queued)
{
    const run_order_t *order = &bag->asked.order;
    queued->bag = bag->number;
    queued->home = (char *) (bag->guest ? bag->guest->home.name : site);
    queued->home_bag = bag->guest ? bag->guest->bag : bag->number;
    queued->running = bag->running;
    queued->waiting = bag->waiting.waiting;
    queued->movable = bag->guest || bag->asked.shared ? bag->waiting.waiting : 0;
    queued->task_load_s = (double) order->cpus * (double) order->limit_ms / 1000;
    queued->running_load_s = running_load_s (now_ms, bag);
    queued->submitted_ms = bag->submitted_ms;
    queued->away = bag->away;
    queued->input_bytes = queue_input (queue, bag, &queued->missing_bytes);
}

/*  Are all tasks of the bag begun or away, and some not over? */
static bool begun (const bag_t *bag)
{
    return (bag->running > 0 || bag->away > 0) && !bag->listed && !*bag->asked.order.reservation;
}

/*  The bag that follows: first bags without waiting tasks, by number, then those that wait, in
 *  their order. The first for NULL; NULL at the end. */
static const bag_t *next_queued (const bags_t *bags, const bag_t *bag)
{
    if (bag && bag->listed)
        return ordered_after (bags_waiting (bags), bag);
    for (bag = bags_after (bags, bag ? bag->number : 0); bag; bag = bags_after (bags, bag->number))
        if (begun (bag))
            return bag;
    return ordered_after (bags_waiting (bags), NULL);
}

void sharing_on_state (void *owner, const moment_t *now, const request_t *request, void *body)
{
    sharing_t *self = owner;
    uint32_t most = queue_limits (self->queue)->list_max;
    const state_asked_t *asked = body;
    if (!sharing_allowed (self, request))
        return;
    const bag_t *last = asked->after > 0 ? bags_find (self->bags, asked->after) : NULL;
    if (asked->after > 0 && !(last && (last->listed || begun (last)))) {
        service_refuse (self->service, request, CALL_NOT_FOUND,
                        "after: bag %" PRIu64 " is no longer in the queue; ask from the beginning",
                        asked->after);
        return;
    }
    int64_t now_ms = queue_now_ms (self->queue, now);
    Musubi__StateAnswer state = MUSUBI__STATE_ANSWER__INIT;
    state.cpus = queue_cpus (self->queue);
    state.level_s = self->membership.level_s;
    state.automatic = self->membership.automatic;
    state.done_s = (double) queue_done_ms (self->queue) / 1000;
    state.start = self->service->store.start;
    state.input_bytes_per_s = (double) queue_limits (self->queue)->input_rate;
    state.bags = messages_new (&musubi__queued_bag__descriptor, most);
    const bag_t *bag = next_queued (self->bags, last);
    for (; bag && state.n_bags < most; bag = next_queued (self->bags, bag))
        sharing_view_bag_tell (self->queue, bag, now_ms, self->service->name,
                               state.bags [state.n_bags++]);
    state.more = bag != NULL;
    service_reply (self->service, request, packed_of (&state.base));
    free (state.bags);
}
