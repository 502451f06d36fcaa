/*  queue_overlap - gives CPUs to data-bound tasks whose inputs have come, and has runs that come
 *  after them in the queue make way (overlap.h; SPEC 30, 38).
 *
 *  A run that is told to stop has its CPUs until its agent says that all its processes are stopped.
 *  Its limit stands still from then on until it goes on, and its place in the calendar moves with
 *  it: that is settled before it is told. Whatever is suspended goes on before new tasks are given
 *  CPUs of that node, also after a restart: the wish is stored with the run. If one has not stopped
 *  within stop_ms they go on, and who came waits in the queue.
 *
 *  Which runs have stopped is not stored. After a restart all that are told to stop may go on,
 *  until their agent says otherwise. Where their machine has not the CPUs for all of them, some
 *  have stopped. Until it is known which, nothing goes on and nothing new is begun there.
 */
#include "queue_state.h"

typedef struct {
    queue_t *queue;
    const moment_t *now;
    size_t node;
    const backfill_promise_t *promised; /* of one that waits before the one that comes; or NULL */
    overlap_run_t *runs;                /* behind it */
    size_t count;
} overlap_runs_t;

static task_t *overlap_task (const queue_t *self, const run_t *run, bag_t **bag)
{
    *bag = bags_find (self->bags, run->id.task.bag);
    task_t *task = *bag ? bag_task (*bag, run->id.task.index) : NULL;
    return task && task->tries == run->id.number && task->node != TASK_NODE_NONE &&
               (task->state == TASK_PLACED || task->state == TASK_RUNNING)
             ? task
             : NULL;
}

/*  Those of reservations keep their CPUs. */
static bool overlap_gather (void *owner, const run_t *run)
{
    overlap_runs_t *found = owner;
    const queue_t *self = found->queue;
    bag_t *bag;
    const task_t *task = overlap_task (self, run, &bag);
    if (!task)
        return true;
    int64_t least_ms = self->limits.start_ms + self->limits.grace_ms;
    int64_t left_ms =
      task->left_ms > 0 ? task->left_ms : task->slot.until_ms - queue_now_ms (self, found->now);
    found->runs [found->count++] =
      (overlap_run_t){.id = run->id,
                      .priority = bag->asked.priority,
                      .cpus = task->slot.cpus,
                      .width = bag->waiting.cpus,
                      .booked = task->slot.booked,
                      .suspended = run->suspend && !run->told_to_end,
                      .stays = *run->reservation || run->told_to_end,
                      .until_ms = task->slot.until_ms,
                      .left_ms = left_ms > least_ms ? left_ms : least_ms};
    return true;
}

static overlap_runs_t *overlap_runs (queue_t *self, const moment_t *now, size_t node)
{
    size_t most = nodes_at (self->parts.nodes, node).runs;
    overlap_runs_t *found = must (calloc (1, sizeof *found + most * sizeof (overlap_run_t)));
    *found = (overlap_runs_t){
      .queue = self, .now = now, .node = node, .runs = (overlap_run_t *) (found + 1)};
    nodes_runs (self->parts.nodes, node, overlap_gather, found);
    return found;
}

/*  A run has other CPUs, until another time, and its node is booked for it until then. If the
 *  calendar has no room for that any more it may be ended for a reservation, as if it were
 *  preemptible. */
static void overlap_slot (queue_t *self, const moment_t *now, const overlap_run_t *run,
                          int64_t left_ms, bool suspend)
{
    bag_t *bag = bags_find (self->bags, run->id.task.bag);
    task_t *task = bag_task (bag, run->id.task.index);
    backfill_run_t slot = {
      .until_ms = run->ends_ms, .cpus = run->cpus, .booked = task->slot.booked};
    if (!queue_slot_set (self, now, bag, run->id.task.index, &slot, left_ms)) {
        slot.booked = false;
        queue_slot_set (self, now, bag, run->id.task.index, &slot, left_ms);
    }
    nodes_suspend (self->parts.nodes, now, &run->id, suspend,
                   slot.booked ? slot.until_ms + free_capacity_terms (self->parts.room)->gap_ms
                               : 0);
    queue_put_task (self, bag, run->id.task.index);
    queue_due_watch (self, now);
}

/*  --- one comes --- */

/*  What was promised to a task of its class that waits before this one. */
static const backfill_promise_t *overlap_promised (const queue_t *self, const bag_t *bag,
                                                   size_t node)
{
    const backfill_promise_t *promised = &self->promises [self->loads [node].class];
    return promised->bag && bags_by_turn (promised->bag->owner, bag) < 0 ? promised : NULL;
}

static bool overlap_fits (void *owner, const overlap_run_t *run)
{
    const overlap_runs_t *self = owner;
    const backfill_promise_t *promised = self->promised;
    int64_t gap_ms = free_capacity_terms (self->queue->parts.room)->gap_ms;
    if (promised && promised->node == self->node && run->ends_ms > promised->at_ms)
        return false;
    return !run->booked ||
           queue_extends (self->queue, self->now, self->node, run->ends_ms + gap_ms, promised);
}

static void overlap_make_way (overlap_runs_t *found)
{
    queue_t *self = found->queue;
    for (size_t i = 0; i < found->count; i++) {
        const overlap_run_t *run = &found->runs [i];
        if (!run->suspended && !run->picked)
            continue;
        overlap_slot (self, found->now, run, run->left_ms, true);
        service_count (self->parts.service, "runs_suspended", run->picked);
        self->nodes [found->node].overlaps = true;
    }
}

static void overlap_on_stop_due (void *owner, const moment_t *now, uint64_t node)
{
    (void) now;
    queue_t *self = owner;
    self->nodes [node].look = true;
    queue_pass_soon (self, false);
}

/*  It has its place in the calendar before others make way for it. */
static overlap_answer_t overlap_ask (overlap_runs_t *found, bag_t *bag, uint32_t index)
{
    queue_t *self = found->queue;
    uint32_t cpus_free = self->loads [found->node].cpus_free;
    int64_t from_ms = queue_now_ms (self, found->now) + self->limits.stop_ms;
    int64_t slack_ms = self->limits.start_ms + self->limits.grace_ms;
    backfill_run_t slot = {.until_ms = from_ms + bag->waiting.limit_ms + slack_ms,
                           .booked = !bag->waiting.preemptible,
                           .transfer = true};
    overlap_run_t comes = {.id = {.task = {bag->number, index}},
                           .priority = bag->asked.priority,
                           .width = bag->waiting.cpus,
                           .booked = slot.booked,
                           .until_ms = slot.until_ms,
                           .ends_ms = slot.until_ms};
    overlap_answer_t answer =
      overlap_clash (found->runs, found->count, &comes, cpus_free, overlap_fits, found);
    if (answer == OVERLAP_GOES && !overlap_fits (found, &comes))
        answer = OVERLAP_LEAVES;
    if (answer != OVERLAP_GOES || !queue_slot_set (self, found->now, bag, index, &slot, 0))
        return answer;
    bag_task (bag, index)->claim_ms = from_ms;
    overlap_make_way (found);
    if (cpus_free < comes.width)
        timers_set (self->parts.service->timers, found->now->mono_ms + self->limits.stop_ms + 1,
                    overlap_on_stop_due, self, found->node);
    return OVERLAP_GOES;
}

overlap_answer_t queue_overlap_claim (queue_t *self, const moment_t *now, bag_t *bag,
                                      uint32_t index)
{
    const task_t *task = bag_task (bag, index);
    queue_node_t *own = &self->nodes [task->node];
    overlap_answer_t answer = OVERLAP_GOES;
    if (!task->slot.transfer)
        return OVERLAP_GOES;
    if (own->claimed) /* by one that comes before it */
        return OVERLAP_WAITS;
    if (task->claim_ms == 0) {
        overlap_runs_t *found = overlap_runs (self, now, task->node);
        found->promised = overlap_promised (self, bag, task->node);
        answer = overlap_ask (found, bag, index);
        free (found);
    }
    if (answer != OVERLAP_GOES || self->loads [task->node].cpus_free >= bag->waiting.cpus)
        return answer;
    if (task->claim_ms < queue_now_ms (self, now))
        return OVERLAP_LEAVES; /* one has not stopped in time */
    own->claimed = true;
    return OVERLAP_WAITS;
}

/*  --- what its agent tells --- */

void queue_on_suspended (void *owner, const moment_t *now, const run_t *run)
{
    queue_t *self = owner;
    bag_t *bag;
    task_t *task = overlap_task (self, run, &bag);
    if (task)
        self->nodes [task->node].look = true;
    overlap_run_t slot = {.id = run->id};
    if (task && run->suspended && run->suspend && task->slot.cpus > 0) {
        slot.ends_ms = task->slot.until_ms;
        overlap_slot (self, now, &slot, task->left_ms, true);
    } else if (task && !run->suspended && !run->suspend && task->left_ms > 0) {
        slot.cpus = task->slot.cpus;
        slot.ends_ms = queue_now_ms (self, now) + task->left_ms;
        overlap_slot (self, now, &slot, 0, false);
    }
    queue_soon (self);
}

/*  --- in a pass --- */

typedef struct {
    queue_t *queue;
    uint32_t lacking;
} overlap_going_on_t;

static bool overlap_recount (void *owner, const run_t *run)
{
    overlap_going_on_t *found = owner;
    queue_t *self = found->queue;
    bag_t *bag;
    task_t *task = overlap_task (self, run, &bag);
    if (!task || !run->suspend || run->suspended || task->slot.cpus == bag->waiting.cpus)
        return true;
    uint32_t lacking = bag->waiting.cpus - task->slot.cpus;
    uint32_t free = self->loads [task->node].cpus_free;
    uint32_t takes = free < lacking ? free : lacking;
    overlap_run_t slot = {
      .id = run->id, .cpus = task->slot.cpus + takes, .ends_ms = task->slot.until_ms};
    if (takes > 0)
        overlap_slot (self, self->now, &slot, task->left_ms, true);
    found->lacking += lacking - takes;
    return true;
}

bool queue_overlap_recount (queue_t *self, size_t node)
{
    overlap_going_on_t found = {.queue = self};
    if (self->nodes [node].overlaps)
        nodes_runs (self->parts.nodes, node, overlap_recount, &found);
    return found.lacking == 0;
}

void queue_overlap_pass (queue_t *self, const moment_t *now, size_t node)
{
    queue_node_t *own = &self->nodes [node];
    if (own->overlaps && !own->claimed) {
        overlap_runs_t *found = overlap_runs (self, now, node);
        overlap_resume (found->runs, found->count, self->loads [node].cpus_free);
        own->overlaps = false;
        for (size_t i = 0; i < found->count; i++) {
            overlap_run_t *run = &found->runs [i];
            own->overlaps |= run->suspended && !run->picked;
            bool stood = run->cpus < run->width; /* what is left counts when it is heard to go on */
            run->cpus = run->width;
            run->ends_ms = queue_now_ms (self, now) + self->limits.stop_ms + run->left_ms;
            if (run->picked)
                overlap_slot (self, now, run, stood ? run->left_ms : 0, false);
        }
        free (found);
    }
    self->loads [node].claimed = own->claimed || own->overlaps;
}
