/*  queue_records - stores bags and tasks, and deletes them in time.
 *
 *  A bag's record is written when it comes, is cancelled or is over; a task's when it is started
 *  and when its run is over. The record of bag 0 keeps the highest number that was ever given,
 *  after the bag of that number was deleted.
 */
#include "queue_state.h"

#include <string.h>

#define KEEP_LEAVE_MAX     1000 /* records of tasks that are deleted in one step */
#define KEEP_AGAIN_MS      100
#define KEEP_LOOK_MS_LEAST 1000
#define KEEP_LOOK_MS_MOST  3600000

void queue_put_bag (queue_t *self, const bag_t *bag)
{
    uint8_t key [BAG_KEY_BYTES];
    service_put (self->parts.service, TABLE_BAGS, bag_key_pack (bag->number, key),
                 codec_encode (&stored_bag_codec, bag));
}

void queue_put_task (queue_t *self, const bag_t *bag, uint32_t index)
{
    uint8_t key [TASK_KEY_BYTES];
    service_put (self->parts.service, TABLE_TASKS,
                 task_key_pack (&(task_id_t){bag->number, index}, key),
                 stored_task_encode (bag_task (bag, index)));
}

/*  --- loading --- */

/*  If the bag's class is no longer configured it waits for ever, and can be cancelled. */
static void class_find (const queue_t *self, bag_t *bag)
{
    const char *name = bag->asked.class_name;
    if (*name && !free_capacity_find (self->parts.room, name, &bag->waiting.class))
        bag->waiting.class = self->parts.site->classes_count;
}

static void on_bag (void *owner, bytes_t key, bytes_t value)
{
    queue_t *self = owner;
    uint64_t number = 0;
    uint8_t zeros [BAG_KEY_BYTES] = {0};
    if (key.size == BAG_KEY_BYTES && memcmp (key.data, zeros, sizeof zeros) == 0) {
        if (bag_key_unpack (&number, value))
            bags_number_used (self->bags, number);
        return;
    }
    char why [WHY_BYTES] = "its key is malformed";
    stored_bag_t stored;
    bool known = bag_key_unpack (&number, key);
    if (known)
        bags_number_used (self->bags, number);
    if (!known || bags_find (self->bags, number) || !stored_bag_decode (&stored, value, why)) {
        service_bad_record (self->parts.service, "bags", why);
        return;
    }
    bag_t *bag = bags_add (self->bags, number, stored.owner, stored.request_id, stored.submitted,
                           &stored.asked);
    bag->submitted_ms = stored.submitted_ms;
    bag->cancelled = stored.cancelled;
    bag->over_stored_ms = stored.over_ms;
    bag->guest = stored.guest;
    class_find (self, bag);
}

/*  A task with a damaged record has been started, so it is not started again. */
static void on_task (void *owner, bytes_t key, bytes_t value)
{
    queue_t *self = owner;
    task_id_t id = {0};
    char why [WHY_BYTES] = "its key is malformed, or its bag is not known";
    bag_t *bag = task_key_unpack (&id, key) ? bags_find (self->bags, id.bag) : NULL;
    if (!bag || id.index >= bag->asked.count || bag_task (bag, id.index)) {
        service_bad_record (self->parts.service, "tasks", why);
        return;
    }
    task_t *task = bag_task_new (bag, id.index);
    task_state_t state = TASK_LOST;
    if (stored_task_decode (task, value, why)) {
        state = task->state;
    } else {
        service_bad_record (self->parts.service, "tasks", why);
        task_text (&task->why, "its record is damaged");
    }
    task->state = TASK_QUEUED;
    bag_loaded (self->bags, bag, id.index, state);
}

/*  --- leaving --- */

static void forget_task (queue_t *self, const bag_t *bag, uint32_t index)
{
    uint8_t key [TASK_KEY_BYTES];
    outbox_delete (self->parts.service->outbox, TABLE_TASKS,
                   task_key_pack (&(task_id_t){bag->number, index}, key));
}

static void forget_bag (queue_t *self, bag_t *bag)
{
    uint8_t key [BAG_KEY_BYTES];
    outbox_delete (self->parts.service->outbox, TABLE_BAGS, bag_key_pack (bag->number, key));
    if (bag->number + 1 == bags_next_number (self->bags)) {
        uint8_t zeros [BAG_KEY_BYTES] = {0};
        outbox_put (self->parts.service->outbox, TABLE_BAGS, (bytes_t){zeros, sizeof zeros},
                    (bytes_t){key, sizeof key});
    }
    bags_remove (self->bags, bag);
}

static void on_keep (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    queue_t *self = owner;
    self->keep_timer = 0;
    int64_t past_ms =
      timekeeper_least (&self->parts.service->timekeeper, now) - self->limits.retention_ms;
    size_t left = 0;
    for (bag_t *bag; (bag = bags_over_first (self->bags)) && bag->over_ms <= past_ms &&
                     left < KEEP_LEAVE_MAX;) {
        bag->cancelled = true; /* so that tasks without a record count as over */
        while (bag->tasks_room > 0 && left < KEEP_LEAVE_MAX)
            if (bag_forget_last (bag)) {
                forget_task (self, bag, bag->tasks_room);
                left++;
            }
        if (bag->tasks_room == 0)
            forget_bag (self, bag);
    }
    queue_keep (self, now);
}

void queue_keep (queue_t *self, const moment_t *now)
{
    const bag_t *first = bags_over_first (self->bags);
    if (self->keep_timer != 0 || !first || !self->started)
        return;
    int64_t left_ms = first->over_ms + self->limits.retention_ms - now->wall_ms;
    bool partly = first->tasks_room == 0 || left_ms <= 0;
    left_ms = left_ms > KEEP_LOOK_MS_LEAST ? left_ms : KEEP_LOOK_MS_LEAST;
    left_ms = left_ms < KEEP_LOOK_MS_MOST ? left_ms : KEEP_LOOK_MS_MOST;
    self->keep_timer =
      timers_set (self->parts.service->timers, now->mono_ms + (partly ? KEEP_AGAIN_MS : left_ms),
                  on_keep, self, 0);
}

void queue_records (queue_t *self)
{
    service_load (self->parts.service, TABLE_BAGS, on_bag, self);
    service_load (self->parts.service, TABLE_TASKS, on_task, self);
}
