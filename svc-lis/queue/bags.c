/*  bags - finds bags by number, by request, by reservation, and in the order in which they wait. */
#include "bags.h"

#include "must.h"
#include "owner_counts.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const char *const task_words [TASK_STATES] = {
  "queued", "placed", "running", "ended", "stopped", "lost", "cancelled", "away", "returned"};

#define BEGUN (STATE (TASK_PLACED) | STATE (TASK_RUNNING) | STATE (TASK_AWAY))

static const state_step_t task_steps [] = {
  {STATE (TASK_QUEUED), TASK_PLACED, .when = "a node has room for it"},
  {STATE (TASK_PLACED), TASK_RUNNING, .when = "its run has begun"},
  {BEGUN, TASK_ENDED, .when = "its run has ended by itself, and its outputs are stored"},
  {BEGUN, TASK_STOPPED, .when = "ended by us, or not to be started, or its outputs not stored"},
  {BEGUN | STATE (TASK_QUEUED), TASK_LOST, .when = "nobody knows how it stands"},
  {BEGUN, TASK_QUEUED, .when = "it is to run again, or comes home"},
  {STATE (TASK_QUEUED) | STATE (TASK_AWAY), TASK_CANCELLED, .when = "its owner cancels it"},
  {STATE (TASK_QUEUED), TASK_AWAY, .when = "it is moved to another site"},
  {STATE (TASK_QUEUED), TASK_RETURNED, .when = "it is a guest, and goes home"},
};
const state_table_t task_states = {.name = "task", .states = task_words, STATE_STEPS (task_steps)};

struct bags {
    ordered_t *by_number;
    ordered_t *by_request;
    ordered_t *reservation_queues; /* by reservation */
    ordered_t *over;               /* by the time of their end, then number */
    ordered_t *waiting;
    ordered_t *plain;       /* those that have neither inputs nor a rank */
    owner_counts_t *owners; /* of bags that are not over */
    uint64_t numbers;       /* the highest one given */
};

/*  --- orders --- */

typedef struct {
    const char *owner;
    const char *request_id;
} request_key_t;

static int bags_by_request (const void *key, const void *thing)
{
    const request_key_t *request = key;
    const bag_t *bag = thing;
    int order = strcmp (request->owner, bag->owner);
    return order != 0 ? order : strcmp (request->request_id, bag->request_id);
}

static int bags_by_end (const void *key, const void *thing)
{
    const bag_t *a = key, *b = thing;
    if (a->over_ms != b->over_ms)
        return a->over_ms < b->over_ms ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

int bags_by_turn (const void *key, const void *thing)
{
    const bag_t *a = key, *b = thing;
    if (a->asked.priority != b->asked.priority)
        return a->asked.priority > b->asked.priority ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/*  --- their life --- */

bags_t *bags_new (void)
{
    bags_t *self = must (calloc (1, sizeof *self));
    self->by_number = ordered_by_number (offsetof (bag_t, number));
    self->by_request = ordered_new (bags_by_request);
    self->reservation_queues = ordered_by_text (offsetof (reservation_queue_t, reservation));
    self->over = ordered_new (bags_by_end);
    self->waiting = ordered_new (bags_by_turn);
    self->plain = ordered_new (bags_by_turn);
    self->owners = owner_counts_new ();
    return self;
}

static void task_free (task_t *task)
{
    if (!task)
        return;
    free (task->node_name);
    free (task->why);
    free (task->storage);
    free (task->trip);
    free (task);
}

static void bag_free (void *thing)
{
    bag_t *bag = thing;
    for (uint32_t i = 0; i < bag->tasks_room; i++)
        task_free (bag->tasks [i]);
    free (bag->tasks);
    free (bag->again);
    free (bag->guest);
    free (bag->submitted.data);
    submission_clear (&bag->asked);
    free (bag->rank);
    free (bag);
}

static void reservation_queue_free (bags_t *self, reservation_queue_t *reservation_queue)
{
    ordered_remove (self->reservation_queues, reservation_queue->reservation);
    ordered_destroy (&reservation_queue->waiting);
    free (reservation_queue);
}

void bags_destroy (bags_t **self_p)
{
    bags_t *self = *self_p;
    if (!self)
        return;
    for (reservation_queue_t *reservation_queue;
         (reservation_queue = ordered_after (self->reservation_queues, NULL));)
        reservation_queue_free (self, reservation_queue);
    ordered_end (&self->by_number, bag_free);
    ordered_destroy (&self->by_request);
    ordered_destroy (&self->reservation_queues);
    ordered_destroy (&self->over);
    ordered_destroy (&self->waiting);
    ordered_destroy (&self->plain);
    owner_counts_destroy (&self->owners);
    free (self);
    *self_p = NULL;
}

void submission_clear (submission_t *self)
{
    codec_clear (&run_order_codec, &self->order);
    *self = (submission_t){0};
}

void submission_of_guests (submission_t *self, uint32_t first, uint32_t count)
{
    self->count = count;
    self->order.index_from = first;
    if (self->priority > 0)
        self->priority = 0;
}

uint64_t bags_next_number (const bags_t *self)
{
    return self->numbers + 1;
}

void bags_number_used (bags_t *self, uint64_t number)
{
    self->numbers = number > self->numbers ? number : self->numbers;
}

/*  --- queues of reservations --- */

static const char *bags_reservation_of (const bag_t *bag)
{
    return bag->asked.order.reservation;
}

reservation_queue_t *bags_reservation (const bags_t *self, const char *reservation)
{
    return ordered_find (self->reservation_queues, reservation);
}

reservation_queue_t *bags_reservation_after (const bags_t *self, const char *reservation)
{
    return ordered_after (self->reservation_queues, reservation);
}

static void reservation_queue_enter (bags_t *self, const bag_t *bag)
{
    if (!*bags_reservation_of (bag))
        return;
    reservation_queue_t *reservation_queue = bags_reservation (self, bags_reservation_of (bag));
    if (!reservation_queue) {
        reservation_queue = must (calloc (1, sizeof *reservation_queue));
        reservation_queue->waiting = ordered_new (bags_by_turn);
        snprintf (reservation_queue->reservation, sizeof reservation_queue->reservation, "%s",
                  bags_reservation_of (bag));
        ordered_add (self->reservation_queues, reservation_queue->reservation, reservation_queue);
    }
    reservation_queue->bags++;
}

static void reservation_queue_leave (bags_t *self, const bag_t *bag)
{
    if (!*bags_reservation_of (bag))
        return;
    reservation_queue_t *reservation_queue = bags_reservation (self, bags_reservation_of (bag));
    if (--reservation_queue->bags > 0)
        return;
    assert (ordered_count (reservation_queue->waiting) == 0 && reservation_queue->running == 0);
    reservation_queue_free (self, reservation_queue);
}

/*  --- bags --- */

bag_t *bags_add (bags_t *self, uint64_t number, const char *owner, const char *request_id,
                 packed_t submitted, const submission_t *asked)
{
    bag_t *bag = must (calloc (1, sizeof *bag));
    bag->number = number;
    snprintf (bag->owner, sizeof bag->owner, "%s", owner);
    snprintf (bag->request_id, sizeof bag->request_id, "%s", request_id);
    bag->submitted = submitted;
    bag->asked = *asked;
    char why [WHY_BYTES];
    bag->rank = *asked->rank ? rank_new (asked->rank, why) : NULL;
    bag->waiting = (backfill_bag_t){.class = BACKFILL_ANY,
                                    .cpus = asked->order.cpus,
                                    .waiting = asked->count,
                                    .limit_ms = asked->order.limit_ms,
                                    .preemptible = asked->preemptible,
                                    .files = order_has_files (&asked->order),
                                    .large = asked->order.inputs_count > 0,
                                    .ranked = asked->order.inputs_count > 0 || *asked->rank,
                                    .owner = bag};
    ordered_add (self->by_number, &bag->number, bag);
    if (*bag->request_id)
        ordered_add (self->by_request, &(request_key_t){bag->owner, bag->request_id}, bag);
    owner_counts_add (self->owners, bag->owner, 1);
    reservation_queue_enter (self, bag);
    bags_number_used (self, number);
    return bag;
}

bag_t *bags_find (const bags_t *self, uint64_t number)
{
    return ordered_find (self->by_number, &number);
}

bag_t *bags_after (const bags_t *self, uint64_t number)
{
    return ordered_after (self->by_number, &number);
}

bag_t *bags_requested (const bags_t *self, const char *owner, const char *request_id)
{
    return *request_id ? ordered_find (self->by_request, &(request_key_t){owner, request_id})
                       : NULL;
}

size_t bags_count (const bags_t *self)
{
    return ordered_count (self->by_number) - ordered_count (self->over);
}

size_t bags_of (const bags_t *self, const char *owner)
{
    return owner_counts_of (self->owners, owner);
}

const ordered_t *bags_waiting (const bags_t *self)
{
    return self->waiting;
}

const ordered_t *bags_plain (const bags_t *self)
{
    return self->plain;
}

bag_t *bags_over_first (const bags_t *self)
{
    return ordered_after (self->over, NULL);
}

/*  --- waiting --- */

static void bags_list_in (ordered_t *waiting, bag_t *bag, bool listed)
{
    if (listed)
        ordered_add (waiting, bag, bag);
    else
        ordered_remove (waiting, bag);
}

/*  Puts a bag among those that wait, or takes it out. */
static void bags_list (bags_t *self, bag_t *bag, bool listed)
{
    if (bag->listed == listed)
        return;
    bag->listed = listed;
    if (*bags_reservation_of (bag)) {
        bags_list_in (bags_reservation (self, bags_reservation_of (bag))->waiting, bag, listed);
        return;
    }
    bags_list_in (self->waiting, bag, listed);
    if (!bag->waiting.ranked)
        bags_list_in (self->plain, bag, listed);
}

/*  A bag of guests is over when their home has heard of all their ends. */
static bool all_over (const bag_t *bag)
{
    return bag->over == bag->asked.count && (!bag->guest || bag->guest->untold == 0);
}

bool bags_settle (bags_t *self, bag_t *bag, int64_t now_ms)
{
    bags_list (self, bag, bag->waiting.waiting > 0);
    if (bag->over_ms != 0 || !all_over (bag))
        return false;
    bag->over_ms = bag->over_stored_ms != 0 ? bag->over_stored_ms : now_ms;
    ordered_add (self->over, bag, bag);
    owner_counts_take_off (self->owners, bag->owner, 1);
    reservation_queue_leave (self, bag);
    return true;
}

void bags_remove (bags_t *self, bag_t *bag)
{
    bags_list (self, bag, false);
    if (bag->over_ms != 0) {
        ordered_remove (self->over, bag);
    } else {
        owner_counts_take_off (self->owners, bag->owner, 1);
        reservation_queue_leave (self, bag);
    }
    if (*bag->request_id)
        ordered_remove (self->by_request, &(request_key_t){bag->owner, bag->request_id});
    ordered_remove (self->by_number, &bag->number);
    bag_free (bag);
}

/*  --- tasks --- */

void task_text (char **to, const char *from)
{
    char *copy = must (strdup (from));
    free (*to);
    *to = copy;
}

task_t *bag_task (const bag_t *self, uint32_t index)
{
    return index < self->tasks_room ? self->tasks [index] : NULL;
}

static void tasks_grow (bag_t *self, uint32_t index)
{
    if (index < self->tasks_room)
        return;
    uint64_t room = self->tasks_room > 0 ? 2 * (uint64_t) self->tasks_room : 4;
    while (room <= index)
        room *= 2;
    room = room < self->asked.count ? room : self->asked.count;
    self->tasks = must (reallocarray (self->tasks, room, sizeof *self->tasks));
    for (uint64_t i = self->tasks_room; i < room; i++)
        self->tasks [i] = NULL;
    self->tasks_room = (uint32_t) room;
}

task_t *bag_task_new (bag_t *self, uint32_t index)
{
    assert (index < self->asked.count && !bag_task (self, index));
    tasks_grow (self, index);
    task_t *task = must (calloc (1, sizeof *task));
    task->node = TASK_NODE_NONE;
    task_text (&task->node_name, "");
    task_text (&task->why, "");
    task_text (&task->storage, "");
    self->tasks [index] = task;
    while (self->untouched < self->asked.count && bag_task (self, self->untouched))
        self->untouched++;
    return task;
}

uint32_t bag_next (const bag_t *self)
{
    return self->again_count > 0 ? self->again [0] : self->untouched;
}

uint32_t bag_take (bag_t *self)
{
    assert (self->waiting.waiting > 0 && !self->cancelled);
    uint32_t index = bag_next (self);
    if (self->again_count == 0)
        bag_task_new (self, index);
    return index;
}

static void again_add (bag_t *self, uint32_t index)
{
    self->again = must (reallocarray (self->again, self->again_count + 1, sizeof *self->again));
    uint32_t at = self->again_count++;
    for (; at > 0 && self->again [at - 1] > index; at--)
        self->again [at] = self->again [at - 1];
    self->again [at] = index;
}

static void again_remove (bag_t *self, uint32_t index)
{
    uint32_t at = 0;
    while (at < self->again_count && self->again [at] != index)
        at++;
    if (at == self->again_count)
        return;
    self->again_count--;
    memmove (&self->again [at], &self->again [at + 1],
             (self->again_count - at) * sizeof *self->again);
}

task_t *bag_task_waits (bag_t *self, uint32_t index)
{
    task_t *task = bag_task_new (self, index);
    again_add (self, index);
    return task;
}

static bool waits_untried (const bag_t *self, uint32_t index)
{
    const task_t *task = bag_task (self, index);
    return bag_task_state (self, index) == TASK_QUEUED && (!task || task->tries == 0);
}

uint32_t bag_tail (const bag_t *self, uint32_t most, uint32_t *first)
{
    uint32_t behind = self->waiting.waiting > 0 ? self->asked.count : 0;
    while (behind > 0 && !waits_untried (self, behind - 1))
        behind--;
    *first = behind;
    while (*first > 0 && behind - *first < most && waits_untried (self, *first - 1))
        --*first;
    return behind - *first;
}

static uint32_t *counter_of (bag_t *bag, task_state_t state)
{
    if (state == TASK_QUEUED)
        return &bag->waiting.waiting;
    if (state == TASK_AWAY)
        return &bag->away;
    return task_over (state) ? &bag->over : &bag->running;
}

static bool running (task_state_t state)
{
    return state == TASK_PLACED || state == TASK_RUNNING;
}

/*  Is the task over without having done its work, and not by its owner's will? */
static bool bags_failed (const task_t *task, task_state_t state)
{
    if (state == TASK_ENDED)
        return task->exit_code != 0 || task->signal != 0;
    return state == TASK_LOST || (state == TASK_STOPPED && task->stop != STOP_CANCELLED);
}

static void task_count (bags_t *bags, bag_t *bag, uint32_t index, task_state_t to)
{
    task_t *task = bag_task (bag, index);
    --*counter_of (bag, task->state);
    ++*counter_of (bag, to);
    if (task->state == TASK_QUEUED && to != TASK_QUEUED)
        again_remove (bag, index);
    if (task->state != TASK_QUEUED && to == TASK_QUEUED)
        again_add (bag, index);
    if (*bags_reservation_of (bag)) {
        reservation_queue_t *reservation_queue = bags_reservation (bags, bags_reservation_of (bag));
        reservation_queue->running += running (to);
        reservation_queue->running -= running (task->state);
    }
    bag->waiting.large = bag->asked.order.inputs_count > 0; /* another task may be the next */
    bag->failed += bags_failed (task, to);
    if (bag->guest && task_over (to) && !task->told)
        bag->guest->untold++;
    task->state = to;
}

void task_move (bags_t *bags, bag_t *bag, uint32_t index, task_state_t to)
{
    assert (states_allow (&task_states, bag_task (bag, index)->state, 0, to));
    task_count (bags, bag, index, to);
}

void bag_loaded (bags_t *bags, bag_t *bag, uint32_t index, task_state_t state)
{
    if (state == TASK_QUEUED)
        again_add (bag, index);
    else
        task_count (bags, bag, index, state);
}

bool bag_forget_last (bag_t *self)
{
    assert (self->over_ms != 0 && self->cancelled && self->tasks_room > 0);
    task_t *last = self->tasks [--self->tasks_room];
    task_free (last);
    return last != NULL;
}

uint32_t bag_cancel (bags_t *bags, bag_t *bag,
                     void (*told) (void *owner, bag_t *bag, uint32_t index), void *owner)
{
    uint32_t cancelled = bag->waiting.waiting;
    while (bag->again_count > 0) {
        uint32_t index = bag->again [0];
        task_move (bags, bag, index, TASK_CANCELLED);
        told (owner, bag, index);
    }
    bag->cancelled = true;
    bag->over += bag->waiting.waiting;
    bag->waiting.waiting = 0;
    return cancelled;
}

task_state_t bag_task_state (const bag_t *self, uint32_t index)
{
    const task_t *task = bag_task (self, index);
    if (task)
        return task->state;
    return self->cancelled ? TASK_CANCELLED : TASK_QUEUED;
}
