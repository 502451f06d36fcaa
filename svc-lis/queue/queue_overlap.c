/*  queue_overlap - gives CPUs to data-bound tasks whose inputs have come, and has runs that come
 *  after them in the queue make way (overlap.h; SPEC 30, 38).
 *
 *  A run that is told to stop has its CPUs until its agent says that all its processes are stopped. It
 *  keeps its place in the calendar, since its limit goes on. Whatever is suspended goes on before new
 *  tasks are started, also after a restart: the wish is stored with the run.
 *
 *  Which runs have stopped is not stored. After a restart all that are told to stop may go on, until their
 *  agent says otherwise. Where their machine has not the CPUs for all of them, some have stopped. Until it
 *  is known which, nothing goes on and nothing new is begun there.
 */
#include "overlap.h"
#include "queue_state.h"

typedef struct {
    const queue_t *queue;
    overlap_run_t *runs; /* behind it */
    size_t count;
    bool suspended; /* gather those that are to be suspended; else the others, too */
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
    bag_t *bag;
    const task_t *task = overlap_task (found->queue, run, &bag);
    if (!task || *run->reservation || run->told_to_end || (found->suspended && !run->suspend))
        return true;
    found->runs [found->count++] = (overlap_run_t){
      .id = run->id,
      .priority = bag->asked.priority,
      .cpus = found->suspended ? bag->waiting.cpus - task->seat.cpus : task->seat.cpus,
      .suspended = run->suspend};
    return true;
}

static overlap_runs_t *overlap_runs (const queue_t *self, size_t node, bool suspended)
{
    size_t most = nodes_at (self->parts.nodes, node).runs;
    overlap_runs_t *found = must (calloc (1, sizeof *found + most * sizeof (overlap_run_t)));
    found->runs = (overlap_run_t *) (found + 1);
    found->queue = self;
    found->suspended = suspended;
    nodes_runs (self->parts.nodes, node, overlap_gather, found);
    return found;
}

static void overlap_seat (queue_t *self, const moment_t *now, task_t *task, uint32_t cpus)
{
    backfill_node_remove (&self->slots [task->node], &task->seat);
    task->seat.cpus = cpus;
    queue_seat_take (self, now, task->node, &task->seat);
}

/*  Is another task promised these CPUs, which waits before this one? */
static bool overlap_promised (const queue_t *self, const bag_t *bag, const task_t *task,
                              int64_t until_ms)
{
    const backfill_promise_t *promised = &self->promises [self->slots [task->node].class];
    if (!promised->bag || promised->node != task->node || until_ms <= promised->at_ms ||
        bag->waiting.cpus <= promised->spare)
        return false;
    const bag_t *first = promised->bag->owner;
    return first->asked.priority != bag->asked.priority
             ? first->asked.priority > bag->asked.priority
             : first->number < bag->number;
}

bool queue_overlap_claim (queue_t *self, const moment_t *now, bag_t *bag, uint32_t index)
{
    task_t *task = bag_task (bag, index);
    queue_node_t *place = &self->places [task->node];
    const backfill_node_t *slot = &self->slots [task->node];
    if (!task->seat.transfer)
        return true;
    if (place->claimed) /* by one that comes before it */
        return false;
    if (overlap_promised (self, bag, task, queue_now_ms (self, now) + bag->waiting.limit_ms))
        return false;
    if (slot->cpus_free >= bag->waiting.cpus)
        return true;
    overlap_runs_t *found = overlap_runs (self, task->node, false);
    overlap_run_t comes = {.id = {.task = {bag->number, index}},
                           .priority = bag->asked.priority,
                           .cpus = bag->waiting.cpus};
    place->claimed = overlap_clash (found->runs, found->count, &comes, slot->cpus_free);
    for (size_t i = 0; i < found->count; i++) {
        if (!found->runs [i].picked)
            continue;
        nodes_suspend (self->parts.nodes, now, &found->runs [i].id, true);
        service_count (self->parts.service, "runs_suspended", 1);
        place->overlaps = true;
    }
    free (found);
    return false;
}

void queue_on_suspended (void *owner, const moment_t *now, const run_t *run)
{
    queue_t *self = owner;
    bag_t *bag;
    task_t *task = overlap_task (self, run, &bag);
    if (task)
        self->places [task->node].look = true;
    if (task && run->suspended && run->suspend && task->seat.cpus > 0)
        overlap_seat (self, now, task, 0);
    queue_soon (self);
}

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
    if (!task || !run->suspend || run->suspended || task->seat.cpus == bag->waiting.cpus)
        return true;
    uint32_t lacking = bag->waiting.cpus - task->seat.cpus;
    uint32_t free = self->slots [task->node].cpus_free;
    uint32_t takes = free < lacking ? free : lacking;
    if (takes > 0)
        overlap_seat (self, self->now, task, task->seat.cpus + takes);
    found->lacking += lacking - takes;
    return true;
}

bool queue_overlap_recount (queue_t *self, size_t node)
{
    overlap_going_on_t found = {.queue = self};
    if (self->places [node].overlaps)
        nodes_runs (self->parts.nodes, node, overlap_recount, &found);
    return found.lacking == 0;
}

void queue_overlap_pass (queue_t *self, const moment_t *now, size_t node)
{
    queue_node_t *place = &self->places [node];
    if (!place->overlaps || place->claimed)
        return;
    overlap_runs_t *found = overlap_runs (self, node, true);
    overlap_resume (found->runs, found->count, self->slots [node].cpus_free);
    place->overlaps = false;
    for (size_t i = 0; i < found->count; i++) {
        const run_id_t *id = &found->runs [i].id;
        place->overlaps |= !found->runs [i].picked;
        if (!found->runs [i].picked)
            continue;
        bag_t *bag = bags_find (self->bags, id->task.bag);
        overlap_seat (self, now, bag_task (bag, id->task.index), bag->waiting.cpus);
        nodes_suspend (self->parts.nodes, now, id, false);
    }
    free (found);
}
