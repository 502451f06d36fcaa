/*  queue - makes one pass at the end of every step in which work has come or ended, or an opening
 *  has moved, however much has happened.
 */
#include "queue_state.h"

#include <inttypes.h>
#include <string.h>

static const setting_t queue_rows [] = {
  SET_COUNT (queue_limits_t, bags_max, "limits/bags_max", 100000, 1, 10000000,
             "the most bags of tasks that are not over; a tenth of them of one owner"),
  SET_MERGED (queue_limits_t, bags_per_actor_max, "limits/bags_per_actor_max",
              "a tenth of limits/bags_max"),
  SET_FIXED (queue_limits_t, tasks_per_bag_max, "limits/tasks_per_bag_max", 1000000),
  SET_DURATION (queue_limits_t, limit_ms_max, "limits/task_limit", 30 * MS_DAY, MS_SECOND,
                TASK_LIMIT_MS_MOST, "the longest wall time that a task may ask for"),
  SET_FIXED_DURATION (queue_limits_t, life_ms, "queue/life", MS_MINUTE),
  SET_COUNT (queue_limits_t, data_bound, "queue/data_bound", 64000000, 0, INT64_C (1) << 50,
             "bytes of input: a task that lacks more of them at its node is data-bound. They come "
             "first, while others compute on its CPUs; these are suspended when they are needed"),
  SET_FIXED (queue_limits_t, input_rate, "queue/input_rate", 100000000),
  SET_COUNT (queue_limits_t, transfers, "queue/transfers", 2, 0, 1024,
             "data-bound tasks that a node is given at once; 0: inputs come on a task's own CPUs"),
  SET_FIXED (queue_limits_t, data_bound_max, "queue/data_bound_bags", 8),
  SET_COUNT (queue_limits_t, handed_max, "queue/handed", QUEUE_HANDED_MAX, 1, QUEUE_HANDED_MAX,
             "tasks of the queue that a batch system has at once, waiting there or running; others "
             "wait here, where they may be moved to other sites"),
  SET_FIXED_DURATION (queue_limits_t, stop_ms, "queue/stop", 10 * MS_SECOND),
  SET_DURATION (queue_limits_t, patience_ms, "queue/patience", MS_MINUTE, 0, MS_YEAR,
                "a task is stopped when one of its inputs could not be had for this long"),
  SET_MERGED_DURATION (queue_limits_t, retention_ms, "queue/retention", "limits/retention"),
};

/*  A site's file sets what the queue has in common with its openings and its records. */
static const void *queue_rule (void *settings, char why [WHY_BYTES])
{
    (void) why;
    queue_limits_t *limits = settings;
    limits->bags_per_actor_max = limits->bags_max < 10 ? 1 : limits->bags_max / 10;
    limits->list_max = 1000;
    limits->depth = BACKFILL_DEPTH;
    limits->start_ms = 5 * MS_SECOND;
    limits->warning_ms = MS_MINUTE;
    limits->grace_ms = 10 * MS_SECOND;
    limits->retention_ms = MS_DAY;
    return NULL;
}

const setting_table_t queue_table = SETTING_TABLE (queue_limits_t, queue_rows, queue_rule);

/*  --- what is not reserved --- */

static backfill_bag_t *next_waiting (void *owner, const backfill_bag_t *bag, bool plain)
{
    const queue_t *self = owner;
    const ordered_t *waiting = plain ? bags_plain (self->bags) : bags_waiting (self->bags);
    bag_t *next = ordered_after (waiting, bag ? bag->owner : NULL);
    return next ? &next->waiting : NULL;
}

static void on_backfill_start (void *owner, backfill_bag_t *waiting, size_t node,
                               const backfill_run_t *slot)
{
    queue_t *self = owner;
    queue_start_task (self, self->now, waiting->owner, node, slot);
}

/*  What the scheduler sees now. */
static backfill_t queue_world (queue_t *self, const moment_t *now)
{
    int64_t now_ms = queue_now_ms (self, now);
    const free_capacity_terms_t *terms = free_capacity_terms (self->parts.room);
    bool ranked =
      ordered_count (bags_waiting (self->bags)) > ordered_count (bags_plain (self->bags));
    return (backfill_t){
      .now_ms = now_ms,
      .slack_ms = self->limits.start_ms + self->limits.grace_ms,
      .gap_ms = terms->gap_ms,
      .horizon_ms = now_ms + terms->horizon_ms + 2 * self->limits.limit_ms_max,
      .life_ms = self->limits.warning_ms + self->limits.life_ms,
      .runs_max = NODE_RUNS_MAX,
      .classes_count = self->parts.site->classes_count,
      .calendars = self->calendars,
      .class_from = self->class_from,
      .nodes = self->loads,
      .nodes_count = nodes_count (self->parts.nodes),
      .depth = self->limits.depth,
      .data_bound_max = self->limits.data_bound_max,
      .promises = self->promises,
      .next = next_waiting,
      .start = on_backfill_start,
      .transfers_max = ranked ? self->limits.transfers : 0,
      .worth = queue_worth,
      .owner = self,
    };
}

/*  Those that wait before it are thought to take all CPUs one after the other. */
int64_t queue_expected (queue_t *self, const moment_t *now, const submission_t *asked)
{
    opening_t opening;
    if (*asked->order.reservation)
        return openings_find (self->parts.openings, asked->order.reservation, &opening)
                 ? opening.from_ms
                 : 0;
    if (nodes_batch (self->parts.nodes) != NODES_NONE)
        return 0; /* the batch system decides */
    backfill_bag_t bag = {.class = BACKFILL_ANY,
                          .cpus = asked->order.cpus,
                          .limit_ms = asked->order.limit_ms,
                          .files = order_has_files (&asked->order)};
    if (*asked->class_name)
        free_capacity_find (self->parts.room, asked->class_name, &bag.class);
    queue_nodes_look (self, now, true);
    backfill_t world = queue_world (self, now);
    int64_t start_ms = backfill_expected (&world, &bag);
    double waiting_ms = 0, cpus = queue_cpus (self);
    const ordered_t *waiting = bags_waiting (self->bags);
    for (const bag_t *before = ordered_after (waiting, NULL);
         before && before->asked.priority >= asked->priority;
         before = ordered_after (waiting, before))
        waiting_ms += (double) before->waiting.waiting * before->waiting.cpus *
                      (double) before->waiting.limit_ms;
    return start_ms == INT64_MAX || cpus <= 0 ? 0 : start_ms + (int64_t) (waiting_ms / cpus);
}

/*  --- for its sharer --- */

const queue_parts_t *queue_parts (const queue_t *self)
{
    return &self->parts;
}

const queue_limits_t *queue_limits (const queue_t *self)
{
    return &self->limits;
}

bags_t *queue_bags (const queue_t *self)
{
    return self->bags;
}

int64_t queue_done_ms (const queue_t *self)
{
    return self->done_ms;
}

int64_t queue_now_ms (const queue_t *self, const moment_t *now)
{
    return free_capacity_now_ms (self->parts.room, now);
}

/*  --- passes --- */

static void on_wake (void *owner, const moment_t *now, uint64_t token)
{
    (void) now, (void) token;
    queue_t *self = owner;
    self->wake_timer = 0;
    queue_soon (self);
}

static void wake_at (queue_t *self, const moment_t *now, int64_t wall_ms)
{
    timers_cancel (self->parts.service->timers, self->wake_timer);
    self->wake_timer = 0;
    if (wall_ms == INT64_MAX)
        return;
    int64_t at_ms = timekeeper_mono (&self->parts.service->timekeeper, now, wall_ms);
    at_ms = at_ms > now->mono_ms ? at_ms : now->mono_ms + 1;
    self->wake_timer = timers_set (self->parts.service->timers, at_ms, on_wake, self, 0);
}

/*  A task whose inputs have come may wait only for what its node was promised for. */
static void nodes_pass (queue_t *self, const moment_t *now)
{
    for (size_t i = 0; i < nodes_count (self->parts.nodes); i++) {
        if (!self->nodes [i].look)
            continue;
        self->nodes [i].look = false;
        self->nodes [i].claimed = !queue_overlap_recount (self, i);
        queue_files_pass (self, now, i);
        queue_overlap_pass (self, now, i);
    }
    for (size_t i = 0; i < self->parts.site->classes_count; i++)
        if (self->promises [i].bag)
            self->nodes [self->promises [i].node].look = true;
}

static void backfill_whole (queue_t *self, const moment_t *now)
{
    service_count (self->parts.service, "queue_passes", 1);
    queue_match_trim (self);
    queue_reservations_pass (self, now);
    backfill_t world = queue_world (self, now);
    size_t started = backfill_pass (&world);
    queue_match_ask (self, now);
    int64_t wake_ms = queue_preempt (self, now);
    for (size_t i = 0; i < world.classes_count; i++) {
        const backfill_promise_t *promised = &self->promises [i];
        if (promised->bag && promised->at_ms > world.now_ms && promised->at_ms < wake_ms)
            wake_ms = promised->at_ms;
    }
    if (started > 0)
        queue_due_watch (self, now);
    wake_at (self, now, wake_ms);
}

/*  An input that has come concerns its node alone, unless the node can be given another task
 *  then. */
static void on_pass (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    queue_t *self = owner;
    bool whole = self->whole;
    self->whole = false;
    self->pass_timer = 0;
    if (nodes_batch (self->parts.nodes) != NODES_NONE) {
        queue_files_pass (self, now, nodes_batch (self->parts.nodes));
        queue_reservations_pass (self, now);
        queue_handover_pass (self, now);
        return;
    }
    self->now = now;
    queue_nodes_look (self, now, whole);
    nodes_pass (self, now);
    if (self->whole && !whole)
        queue_nodes_look (self, now, true);
    whole |= self->whole;
    self->whole = self->pass_timer != 0;
    if (whole)
        backfill_whole (self, now);
    self->now = NULL;
}

/*  A timer that is due fires at the end of the step that set it. */
void queue_pass_soon (queue_t *self, bool whole)
{
    self->whole |= whole;
    if (self->pass_timer == 0 && self->started)
        self->pass_timer = timers_set (self->parts.service->timers, 0, on_pass, self, 0);
}

void queue_soon (queue_t *self)
{
    queue_pass_soon (self, true);
}

void queue_settle (queue_t *self, const moment_t *now, bag_t *bag)
{
    if (bag->guest)
        self->sharer.guests_over (self->sharer.owner, now, bag);
    if (!bags_settle (self->bags, bag, queue_now_ms (self, now)))
        return;
    outbox_log (self->parts.service->outbox, LEVEL_INFO, "bag %" PRIu64 " over tasks=%" PRIu32,
                bag->number, bag->asked.count);
    queue_put_bag (self, bag);
    queue_keep (self, now);
}

/*  --- what others tell --- */

static void queue_on_node_moved (void *owner, const moment_t *now, size_t node)
{
    (void) now;
    queue_t *self = owner;
    self->nodes [node].look = true;
    queue_reservations_dirty (self);
    queue_soon (self);
}

static void on_opening_moved (void *owner, const moment_t *now, const opening_t *opening)
{
    (void) now;
    queue_t *self = owner;
    reservation_queue_t *reservation_queue = bags_reservation (self->bags, opening->reservation);
    if (reservation_queue)
        reservation_queue->dirty = true;
    queue_soon (self);
}

/*  A reservation may have been left before it was opened. */
static void queue_on_freed (void *owner)
{
    queue_t *self = owner;
    queue_reservations_dirty (self);
    queue_soon (self);
}

/*  --- its life --- */

static void untold (void *owner, bag_t *bag, uint32_t index)
{
    (void) owner, (void) bag, (void) index;
}

/*  A task without a record, of a bag that is over, has lost that record; it is not begun again. */
static void bags_load (queue_t *self, const moment_t *now)
{
    for (bag_t *bag = bags_after (self->bags, 0); bag; bag = bags_after (self->bags, bag->number)) {
        if (bag->guest)
            self->sharer.guests_load (self->sharer.owner, bag);
        if (bag->cancelled || bag->over_stored_ms != 0)
            bag_cancel (self->bags, bag, untold, self);
        bags_settle (self->bags, bag, queue_now_ms (self, now));
    }
}

static void queue_on_start (void *owner, const moment_t *now)
{
    queue_t *self = owner;
    self->started = true;
    bags_load (self, now);
    queue_runs_settle (self, now);
    queue_reservations_dirty (self);
    queue_due_watch (self, now);
    queue_keep (self, now);
    queue_soon (self);
}

static void slots_make (queue_t *self)
{
    size_t count = nodes_count (self->parts.nodes);
    self->loads = must (calloc (count + 1, sizeof *self->loads));
    self->nodes = must (calloc (count + 1, sizeof *self->nodes));
    for (size_t i = 0; i < count; i++) {
        site_node_t node = nodes_at (self->parts.nodes, i);
        self->nodes [i].coming = ordered_new (queue_files_by_turn);
        self->loads [i] = (backfill_node_t){.class = node.class,
                                            .cpus = node.cpus,
                                            .cpus_free = node.cpus,
                                            .booked_until_ms = INT64_MIN,
                                            .ready_ms = INT64_MAX,
                                            .lent_until_ms = INT64_MIN,
                                            .given_until_ms = INT64_MAX};
    }
    size_t classes = self->parts.site->classes_count;
    self->calendars = must (calloc (classes + 1, sizeof *self->calendars));
    self->promises = must (calloc (classes + 1, sizeof *self->promises));
    self->class_from = must (calloc (classes + 1, sizeof *self->class_from));
    for (size_t i = 0, node = 0; i < classes; i++) {
        self->calendars [i] = free_capacity_calendar (self->parts.room, i);
        while (node < count && self->loads [node].class <= i)
            node++;
        self->class_from [i + 1] = node;
    }
}

queue_t *queue_new (const queue_parts_t *parts, const queue_limits_t *limits)
{
    queue_t *self = must (calloc (1, sizeof *self));
    self->parts = *parts;
    self->limits = *limits;
    self->bags = bags_new ();
    self->deadlines = ordered_new (queue_by_end);
    self->files = ordered_by_number (0);
    self->stays =
      stays_new (parts->service, parts->service->name + strlen ("lis/"), queue_files_moved, self);
    queue_match_init (self);
    self->freed = (change_notice_t){.service = parts->service, .topic = "calendar"};
    slots_make (self);
    queue_serve (self);
    queue_records (self);
    nodes_observe (parts->nodes, &(nodes_observer_t){.owner = self,
                                                     .run_moved = queue_run_moved,
                                                     .run_suspended = queue_on_suspended,
                                                     .node_moved = queue_on_node_moved});
    openings_observe (
      parts->openings,
      &(openings_observer_t){.owner = self, .moved = on_opening_moved, .wants = queue_wants});
    timetable_on_freed (parts->timetable, queue_on_freed, self);
    service_at_start (parts->service, queue_on_start, self);
    return self;
}

void queue_share (queue_t *self, const queue_sharer_t *sharer)
{
    self->sharer = *sharer;
}

void queue_destroy (queue_t **self_p)
{
    queue_t *self = *self_p;
    if (!self)
        return;
    timers_t *timers = self->parts.service->timers;
    uint64_t set [] = {self->pass_timer, self->wake_timer, self->due_timer, self->keep_timer};
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        timers_cancel (timers, set [i]);
    change_notice_end (&self->freed);
    timetable_off_freed (self->parts.timetable, self);
    for (size_t i = 0; i < nodes_count (self->parts.nodes); i++) {
        if (self->nodes [i].booked.in_calendar)
            free_capacity_release (self->parts.room,
                                   &(interval_list_t){.list = &self->nodes [i].booked, .count = 1});
        backfill_node_clear (&self->loads [i]);
        ordered_destroy (&self->nodes [i].coming);
    }
    ordered_end (&self->deadlines, free);
    ordered_end (&self->files, queue_files_free);
    queue_match_end (self);
    stays_destroy (&self->stays);
    bags_destroy (&self->bags);
    free (self->loads);
    free (self->nodes);
    free (self->calendars);
    free (self->class_from);
    free (self->promises);
    free (self->readers);
    free (self);
    *self_p = NULL;
}
