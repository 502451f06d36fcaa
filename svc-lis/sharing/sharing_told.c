/*  sharing_told - what a balancer weighs: how fast the site is, and what is in its queue. */
#include "sharing_state.h"

#include <inttypes.h>
#include <stdio.h>

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

static queued_bag_t queued_bag (const bag_t *bag, int64_t now_ms, const char *site)
{
    const run_order_t *order = &bag->asked.order;
    queued_bag_t queued = {
      .bag = bag->number,
      .home_bag = bag->guest ? bag->guest->bag : bag->number,
      .running = bag->running,
      .waiting = bag->waiting.waiting,
      .movable = bag->guest || bag->asked.shared ? bag->waiting.waiting : 0,
      .task_load_s = (double) order->cpus * (double) order->limit_ms / 1000,
      .running_load_s = running_load_s (now_ms, bag),
      .submitted_ms = bag->submitted_ms,
      .away = bag->away,
    };
    snprintf (queued.home, sizeof queued.home, "%s", bag->guest ? bag->guest->home.name : site);
    return queued;
}

/*  Begun or gone: nothing of it waits, and it is not over. */
static bool begun (const bag_t *bag)
{
    return (bag->running > 0 || bag->away > 0) && !bag->listed && !*bag->asked.order.reservation;
}

/*  First those of which all have begun, or are away, by number; then those that wait, in their
 *  order. NULL first; NULL at the end. */
static const bag_t *next_queued (const bags_t *bags, const bag_t *bag)
{
    if (bag && bag->listed)
        return ordered_after (bags_waiting (bags), bag);
    for (bag = bags_after (bags, bag ? bag->number : 0); bag; bag = bags_after (bags, bag->number))
        if (begun (bag))
            return bag;
    return ordered_after (bags_waiting (bags), NULL);
}

static void on_state (void *owner, const moment_t *now, const request_t *request, void *body)
{
    sharing_t *self = owner;
    uint32_t most = queue_limits (self->queue)->list_max;
    const state_asked_t *asked = body;
    if (!sharing_allowed (self, request))
        return;
    const bag_t *last = asked->after > 0 ? bags_find (self->bags, asked->after) : NULL;
    if (asked->after > 0 && !(last && (last->listed || begun (last)))) {
        service_refuse (self->service, request, CALL_NOT_FOUND,
                        "after: bag %" PRIu64 " is not in the queue any more; ask from its head",
                        asked->after);
        return;
    }
    int64_t now_ms = queue_now_ms (self->queue, now);
    queued_bag_t *bags = must (calloc (most, sizeof *bags));
    site_state_t state = {.cpus = queue_cpus (self->queue),
                          .level_s = self->membership.level_s,
                          .automatic = self->membership.automatic,
                          .done_s = (double) queue_done_ms (self->queue) / 1000,
                          .start = self->service->store.start,
                          .bags = bags};
    const bag_t *bag = next_queued (self->bags, last);
    for (; bag && state.bags_count < most; bag = next_queued (self->bags, bag))
        bags [state.bags_count++] = queued_bag (bag, now_ms, self->service->name);
    state.more = bag != NULL;
    service_reply (self->service, request, codec_encode (&site_state_codec, &state));
    free (bags);
}

void sharing_told_serve (sharing_t *self)
{
    service_serve (self->service, "Sharing", "State", &state_asked_codec, on_state, self);
}
