/*  queue_runs - tasks and their runs. Each try is stored with its run, in one write, and its end
 *  with the run's end; whatever is told here is stored by then.
 */
#include "queue_state.h"

#include <inttypes.h>
#include <stdio.h>

/*  --- those that have had their time --- */

int queue_by_end (const void *key, const void *thing)
{
    const task_deadline_t *a = key, *b = thing;
    if (a->end_ms != b->end_ms)
        return a->end_ms < b->end_ms ? -1 : 1;
    if (a->bag->number != b->bag->number)
        return a->bag->number < b->bag->number ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

/*  When the site ends it, in case its own starter has not done so before. */
static task_deadline_t queue_runs_deadline_of (const queue_t *self, bag_t *bag, uint32_t index)
{
    const task_t *task = bag_task (bag, index);
    int64_t end_ms = task->left_ms > 0 ? INT64_MAX : task->slot.until_ms - self->limits.grace_ms;
    return (task_deadline_t){end_ms, bag, index};
}

static void deadline_add (queue_t *self, bag_t *bag, uint32_t index)
{
    task_deadline_t *deadline = must (malloc (sizeof *deadline));
    *deadline = queue_runs_deadline_of (self, bag, index);
    ordered_add (self->deadlines, deadline, deadline);
}

static void deadline_remove (queue_t *self, bag_t *bag, uint32_t index)
{
    task_deadline_t deadline = queue_runs_deadline_of (self, bag, index);
    free (ordered_remove (self->deadlines, &deadline));
}

static void queue_runs_on_due (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    queue_t *self = owner;
    self->due_timer = 0;
    int64_t now_ms = queue_now_ms (self, now);
    for (task_deadline_t *deadline;
         (deadline = ordered_after (self->deadlines, NULL)) && deadline->end_ms <= now_ms;) {
        bag_t *bag = deadline->bag;
        uint32_t index = deadline->index;
        deadline_remove (self, bag, index);
        if (bag_task (bag, index)->files_state == FILES_COMING)
            queue_unplace (self, now, bag, index, NULL); /* it has not run yet */
        else
            queue_stop_task (self, now, bag, index, STOP_LIMIT, "it ran longer than its limit");
    }
    queue_due_watch (self, now);
}

void queue_due_watch (queue_t *self, const moment_t *now)
{
    timers_t *timers = self->parts.service->timers;
    timers_cancel (timers, self->due_timer);
    self->due_timer = 0;
    const task_deadline_t *first = ordered_after (self->deadlines, NULL);
    if (!first || first->end_ms == INT64_MAX)
        return;
    int64_t at_ms = timekeeper_mono (&self->parts.service->timekeeper, now, first->end_ms);
    at_ms = at_ms > now->mono_ms ? at_ms : now->mono_ms + 1;
    self->due_timer = timers_set (timers, at_ms, queue_runs_on_due, self, 0);
}

/*  --- starting and stopping --- */

static run_id_t run_of (const bag_t *bag, uint32_t index)
{
    return (run_id_t){.task = {bag->number, index}, .number = bag_task (bag, index)->tries};
}

static void tell_moved (queue_t *self, const bag_t *bag, uint32_t index, task_state_t from)
{
    const task_t *task = bag_task (bag, index);
    bool told = task_over (task->state);
    outbox_log (self->parts.service->outbox, task->state == TASK_LOST ? LEVEL_WARNING : LEVEL_INFO,
                "task %" PRIu64 ".%" PRIu32 " %s->%s node=%s try=%" PRIu32 "%s%s", bag->number,
                index, task_states.states [from], task_states.states [task->state], task->node_name,
                task->tries, told && *task->why ? " why=" : "", told ? task->why : "");
}

/*  Skips numbers that a damaged record has forgotten: a run is never started twice. */
static void number_next (const queue_t *self, const bag_t *bag, uint32_t index)
{
    task_t *task = bag_task (bag, index);
    run_t run;
    run_id_t id;
    do {
        task->tries++;
        id = run_of (bag, index);
    } while (nodes_run (self->parts.nodes, &id, &run));
}

void queue_start_task (queue_t *self, const moment_t *now, bag_t *bag, size_t node,
                       const backfill_run_t *slot)
{
    uint32_t index = bag_take (bag);
    task_t *task = bag_task (bag, index);
    number_next (self, bag, index);
    task->stop = STOP_NONE;
    task->node = node;
    task->slot = *slot;
    task->started_ms = task->ended_ms = task->cpu_ms = 0;
    task->left_ms = task->claim_ms = 0;
    task->exit_code = task->signal = 0;
    task->dropped = 0;
    task_text (&task->node_name, nodes_at (self->parts.nodes, node).name);
    task_text (&task->storage,
               bag->waiting.files ? nodes_at (self->parts.nodes, node).storage : "");
    task_text (&task->why, "");
    task_move (self->bags, bag, index, TASK_PLACED);
    if (slot->booked)
        queue_book (self, now, node,
                    slot->until_ms + free_capacity_terms (self->parts.room)->gap_ms);
    deadline_add (self, bag, index);
    bool there = queue_files_use (self, now, bag, index) && !slot->transfer;
    queue_files_wait (self, task, there ? FILES_NONE : FILES_COMING);
    queue_put_task (self, bag, index);
    tell_moved (self, bag, index, TASK_QUEUED);
    service_count (self->parts.service, "tasks_started", 1);
    if (task->files_state == FILES_NONE)
        queue_order_run (self, now, bag, index);
    queue_settle (self, now, bag);
}

void queue_stop_task (queue_t *self, const moment_t *now, bag_t *bag, uint32_t index, stop_t stop,
                      const char *why)
{
    task_t *task = bag_task (bag, index);
    if (task->stop != STOP_NONE)
        return;
    task->stop = stop;
    if (task->files_state == FILES_COMING) {
        queue_unplace (self, now, bag, index, why);
        return;
    }
    if (task->files_state == FILES_STORING) {
        queue_task_end (self, now, bag, index, TASK_STOPPED, why);
        return;
    }
    queue_put_task (self, bag, index);
    run_id_t id = run_of (bag, index);
    nodes_end (self->parts.nodes, now, &id, self->limits.grace_ms, why);
}

/*  --- what becomes of them --- */

/*  Was the run of the queue ended because its node was needed? One that ends well all the same has
 *  done its work. */
static bool preempted (const bag_t *bag, const task_t *task, const run_t *run)
{
    return !*bag->asked.order.reservation && run->told_to_end && task->stop == STOP_NONE &&
           (run->signal != 0 || run->exit_code != 0 || run->started_ms == 0);
}

static task_state_t state_after (const queue_t *self, const bag_t *bag, const task_t *task,
                                 const run_t *run)
{
    bool again = bag->asked.requeue && !bag->cancelled && task->stop == STOP_NONE;
    bool was_preempted = preempted (bag, task, run);
    if (was_preempted)
        service_count (self->parts.service, "tasks_preempted", 1);
    if (run->node_unfit && !bag->cancelled && task->stop == STOP_NONE)
        return TASK_QUEUED;
    if (run->state == RUN_LOST)
        return again ? TASK_QUEUED : TASK_LOST;
    if (was_preempted)
        return again ? TASK_QUEUED : TASK_STOPPED;
    if (bag->asked.order.outputs_count > 0 && run->state == RUN_ENDED && run->exit_code == 0 &&
        run->signal == 0 && !run->handed)
        return TASK_STOPPED;
    bool by_itself = run->state == RUN_ENDED && !*run->why && !run->told_to_end;
    bool in_spite = !*bag->asked.order.reservation && run->state == RUN_ENDED &&
                    task->stop == STOP_NONE && run->told_to_end;
    return by_itself || in_spite ? TASK_ENDED : TASK_STOPPED;
}

static void result_take (task_t *task, const run_t *run, task_state_t state)
{
    char why [TASK_WHY_BYTES_MAX + 1];
    const char *lead = run->state == RUN_REFUSED ? "could not be started: " : "";
    snprintf (why, sizeof why, "%s%s", lead, state == TASK_ENDED ? "" : run->why);
    task_text (&task->why, why);
    task->started_ms = run->started_ms;
    task->ended_ms = run->ended_ms;
    task->exit_code = run->exit_code;
    task->signal = run->signal;
    task->cpu_ms = run->cpu_ms;
    task->dropped = run->dropped;
}

static void queue_task_move (queue_t *self, const moment_t *now, bag_t *bag, uint32_t index,
                             task_state_t to)
{
    task_t *task = bag_task (bag, index);
    task_state_t from = task->state;
    queue_files_leave (self, now, task);
    queue_files_wait (self, task, FILES_NONE);
    task_move (self->bags, bag, index, to);
    queue_put_task (self, bag, index);
    tell_moved (self, bag, index, from);
    service_count (self->parts.service, to == TASK_LOST ? "tasks_lost" : "tasks_over",
                   to != TASK_QUEUED);
}

void queue_task_end (queue_t *self, const moment_t *now, bag_t *bag, uint32_t index,
                     task_state_t to, const char *why)
{
    task_text (&bag_task (bag, index)->why, why);
    queue_task_move (self, now, bag, index, to);
    queue_settle (self, now, bag);
    queue_soon (self);
}

static void run_over_take (queue_t *self, const moment_t *now, bag_t *bag, uint32_t index,
                           const run_t *run)
{
    task_t *task = bag_task (bag, index);
    task_state_t to = state_after (self, bag, task, run);
    result_take (task, run, to);
    if (!*bag->asked.order.reservation && run->started_ms > 0 && run->ended_ms > run->started_ms)
        self->done_ms += (run->ended_ms - run->started_ms) * bag->waiting.cpus;
    deadline_remove (self, bag, index);
    if (task->node != TASK_NODE_NONE)
        queue_slot_leave (self, now, task->node, &task->slot);
    if (to == TASK_ENDED && bag->asked.order.outputs_count > 0 && run->handed) {
        if (task->state == TASK_PLACED)
            task_move (self->bags, bag, index, TASK_RUNNING);
        queue_files_store (self, now, bag, index);
        queue_put_task (self, bag, index);
    } else {
        queue_task_move (self, now, bag, index, to);
    }
    /*  The reservation that the node is bound to may start something there now. */
    const char *holder =
      task->node != TASK_NODE_NONE ? openings_of_node (self->parts.openings, task->node) : NULL;
    reservation_queue_t *reservation_queue = holder ? bags_reservation (self->bags, holder) : NULL;
    if (reservation_queue)
        reservation_queue->dirty = true;
    queue_settle (self, now, bag);
    queue_soon (self);
}

void queue_unplace (queue_t *self, const moment_t *now, bag_t *bag, uint32_t index, const char *why)
{
    run_t never = {
      .id = run_of (bag, index), .state = RUN_REFUSED, .node_unfit = !why, .why = why ? why : ""};
    run_over_take (self, now, bag, index, &never);
}

bool queue_slot_set (queue_t *self, const moment_t *now, bag_t *bag, uint32_t index,
                     const backfill_run_t *slot, int64_t left_ms)
{
    task_t *task = bag_task (bag, index);
    if (!queue_slot_change (self, now, task->node, &task->slot, slot))
        return false;
    deadline_remove (self, bag, index);
    task->slot = *slot;
    task->left_ms = left_ms;
    deadline_add (self, bag, index);
    return true;
}

bool queue_slot_extend (queue_t *self, const moment_t *now, bag_t *bag, uint32_t index)
{
    backfill_run_t slot = bag_task (bag, index)->slot;
    self->whole |= slot.transfer; /* the node is free for another transfer */
    if (slot.transfer)
        slot = (backfill_run_t){.cpus = bag->waiting.cpus, .booked = !bag->waiting.preemptible};
    slot.until_ms = queue_now_ms (self, now) + bag->asked.order.limit_ms + self->limits.start_ms +
                    self->limits.grace_ms;
    return queue_slot_set (self, now, bag, index, &slot, 0);
}

void queue_run_moved (void *owner, const moment_t *now, const run_t *run)
{
    queue_t *self = owner;
    bag_t *bag = bags_find (self->bags, run->id.task.bag);
    task_t *task = bag ? bag_task (bag, run->id.task.index) : NULL;
    if (!task || task->tries != run->id.number || task->files_state != FILES_NONE ||
        (task->state != TASK_PLACED && task->state != TASK_RUNNING))
        return;
    if (run->node_unfit)
        queue_files_doubt (self, now, task);
    if (run_over (run->state)) {
        run_over_take (self, now, bag, run->id.task.index, run);
    } else if (run->state == RUN_RUNNING && task->state == TASK_PLACED) {
        task->started_ms = run->started_ms;
        task_move (self->bags, bag, run->id.task.index, TASK_RUNNING);
    }
}

/*  --- at start --- */

static void run_settle (queue_t *self, const moment_t *now, bag_t *bag, uint32_t index)
{
    task_t *task = bag_task (bag, index);
    run_id_t id = run_of (bag, index);
    run_t run;
    files_state_t loaded = task->files_state;
    task->files_state = FILES_NONE;
    if (loaded == FILES_STORING) {
        nodes_find (self->parts.nodes, task->node_name, &task->node);
        queue_files_store (self, now, bag, index);
        return;
    }
    bool known = nodes_run (self->parts.nodes, &id, &run);
    bool found = nodes_find (self->parts.nodes, task->node_name, &task->node);
    bool handed = found && task->node == nodes_batch (self->parts.nodes);
    task->slot.cpus = handed || (known && run.suspend) ? 0 : bag->waiting.cpus;
    if (!found || self->loads [task->node].cpus_free < task->slot.cpus)
        task->node = TASK_NODE_NONE; /* the configuration has changed: it goes on without being
                                        counted */
    if (task->node != TASK_NODE_NONE) {
        self->nodes [task->node].overlaps |= known && run.suspend;
        queue_slot_take (self, now, task->node, &task->slot);
    }
    deadline_add (self, bag, index);
    if (loaded == FILES_COMING) {
        queue_unplace (self, now, bag, index, NULL);
        return;
    }
    queue_files_use (self, now, bag, index);
    if (!known)
        run = (run_t){.id = id, .state = RUN_LOST, .why = "the record of its run is damaged"};
    queue_run_moved (self, now, &run);
}

void queue_runs_settle (queue_t *self, const moment_t *now)
{
    for (bag_t *bag = bags_after (self->bags, 0); bag; bag = bags_after (self->bags, bag->number))
        for (uint32_t i = 0; i < bag->tasks_room && bag->running > 0; i++) {
            const task_t *task = bag_task (bag, i);
            if (task && (task->state == TASK_PLACED || task->state == TASK_RUNNING))
                run_settle (self, now, bag, i);
        }
}
