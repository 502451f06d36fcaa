/*  queue_check - the bags agree with their tasks, with the list of waiting bags, and with the runs
 *  on each node. */
#include "checks.h"
#include "queue_state.h"

#include <assert.h>

static void bag_check (const bag_t *bag)
{
    bool all_over = bag->over == bag->asked.count && (!bag->guest || bag->guest->untold == 0);
    uint32_t counted [TASK_STATES] = {0};
    for (uint32_t i = 0; i < bag->asked.count; i++)
        counted [bag_task_state (bag, i)]++;
    uint32_t over = 0;
    for (task_state_t state = TASK_ENDED; state < TASK_STATES; state++)
        over += task_over (state) ? counted [state] : 0;
    assert (counted [TASK_AWAY] == bag->away);
    assert (counted [TASK_QUEUED] == bag->waiting.waiting && over == bag->over);
    assert (counted [TASK_PLACED] + counted [TASK_RUNNING] == bag->running);
    assert (bag->failed <= bag->over);
    assert (bag->listed == (bag->waiting.waiting > 0));
    assert ((bag->over_ms != 0) == all_over);
    for (uint32_t i = 0; i < bag->again_count; i++) {
        const task_t *task = bag_task (bag, bag->again [i]);
        assert (task && task->state == TASK_QUEUED &&
                (i == 0 || bag->again [i - 1] < bag->again [i]));
    }
}

static size_t waiting_check (const ordered_t *waiting)
{
    for (const bag_t *bag = NULL; (bag = ordered_after (waiting, bag));)
        assert (bag->listed);
    return ordered_count (waiting);
}

static void bags_check (const bags_t *self)
{
    size_t listed = 0;
    size_t open = 0;
    for (const bag_t *bag = bags_after (self, 0); bag; bag = bags_after (self, bag->number)) {
        bag_check (bag);
        listed += bag->listed;
        open += bag->over_ms == 0;
    }
    assert (open == bags_count (self));
    size_t waiting = waiting_check (bags_waiting (self));
    for (const reservation_queue_t *reservation_queue = NULL;
         (reservation_queue = bags_reservation_after (
            self, reservation_queue ? reservation_queue->reservation : ""));)
        waiting += waiting_check (reservation_queue->waiting);
    assert (listed == waiting);
}

void queue_check (const queue_t *self)
{
    bags_check (self->bags);
    for (size_t i = 0; i < nodes_count (self->parts.nodes); i++) {
        const backfill_node_t *load = &self->loads [i];
        const resource_interval_t *booked = &self->nodes [i].booked;
        uint32_t used = 0;
        for (size_t k = 0; k < load->runs_count; k++)
            used += load->runs [k].cpus;
        assert (used + load->cpus_free == load->cpus);
        assert (!booked->in_calendar ||
                (booked->quantity == 1 && booked->over.until == load->booked_until_ms));
    }
}
