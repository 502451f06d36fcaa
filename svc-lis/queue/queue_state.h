/*  queue_state - what the files of the queue share; nobody else includes it.
 *
 *  queue.c               its start and end; when there is a pass, and what one does
 *  queue_reservations.c  tasks of reservations
 *  queue_runs.c          a task's runs: started, moved, over, ended
 *  queue_nodes.c         what runs where, and what of that is in the calendar; preemption
 *  queue_api.c           Submit, Cancel, Output
 *  queue_view.c          Bags, Tasks
 *  queue_records.c       what is stored, and for how long
 */
#ifndef MUSUBI_QUEUE_STATE_H
#define MUSUBI_QUEUE_STATE_H

#include "bags.h"
#include "change_notice.h"
#include "must.h"
#include "ordered.h"
#include "queue_share.h"
#include "queue_wire.h"

/*  A node: what backfill does not know of it. */
typedef struct {
    resource_interval_t booked; /* of its class, if it is in the calendar */
    bool wanted; /* it is needed: its preemptible runs are warned, and end at wanted_ms */
    int64_t wanted_ms;
} queue_node_t;

/*  A request that waits for output of a task. */
typedef struct {
    uint64_t token;
    uint64_t reply_to;
    bool over; /* was the task over when output was asked for? */
    uint64_t dropped;
} reader_t;

struct queue {
    queue_parts_t parts;
    queue_limits_t limits;
    queue_sharer_t sharer;
    bags_t *bags;
    backfill_node_t *slots; /* of each node: what runs there */
    queue_node_t *places;
    const calendar_t **calendars; /* of each class */
    size_t *class_from;           /* of each class, its first node; and behind the last one */
    backfill_promise_t *promises;
    ordered_t *deadlines; /* tasks that run, by until_ms, then id */
    const moment_t *now;  /* of the pass that is under way */
    uint64_t pass_timer;
    uint64_t wake_timer; /* something may start then, though nothing happens before */
    uint64_t due_timer;
    uint64_t keep_timer;
    int64_t done_ms; /* CPUs times wall time of tasks that have ended, since this start */
    bool started;
    change_notice_t freed;
    reader_t *readers;
    size_t readers_count;
    uint64_t readers_next;
};

/*  The deadline of a task that runs. */
typedef struct {
    int64_t end_ms; /* the site ends it then */
    bag_t *bag;
    uint32_t index;
} task_deadline_t;

/*  --- queue_reservations.c --- */

/*  queue_reservations_pass starts and ends what is due in the queues of reservations that are
 *  dirty; queue_reservations_dirty makes all of them so. */
void queue_reservations_pass (queue_t *self, const moment_t *now);
void queue_reservations_dirty (queue_t *self);

/*  For openings_observer_t: has it tasks that wait or run? */
bool queue_wants (void *owner, const char *reservation);

/*  What a reservation has booked here, if anything; the caller frees the bookings.
 */
bool queue_part (const queue_t *self, const char *reservation, compute_booking_t **bookings,
                 size_t *count);

/*  Is the time of a reservation over by its bookings? For one that was never opened, which
 *  openings.h does not know. */
bool queue_past (const queue_t *self, const moment_t *now, const char *reservation);

/*  --- queue_runs.c --- */

ordered_compare_fn queue_by_end; /* of deadlines */

/*  Starts the next task of a bag on a node; seat says until when. */
void queue_start_task (queue_t *self, const moment_t *now, bag_t *bag, size_t node,
                       const backfill_run_t *seat);

void queue_run_moved (void *owner, const moment_t *now, const run_t *run);

/*  At start: takes up the tasks that run, and ends those whose run is over or not known. */
void queue_runs_settle (queue_t *self, const moment_t *now);

/*  Sets the timer that ends the next run at its limit. */
void queue_due_watch (queue_t *self, const moment_t *now);

/*  --- queue_nodes.c --- */

/*  A run takes CPUs of a node, and the node a place in the calendar; or gives both back. */
void queue_seat_take (queue_t *self, const moment_t *now, size_t node, const backfill_run_t *seat);
void queue_seat_leave (queue_t *self, const moment_t *now, size_t node, const backfill_run_t *seat);

/*  Books a node from now on until then, unless it is booked for longer. */
void queue_book (queue_t *self, const moment_t *now, size_t node, int64_t until_ms);

/*  Notes which nodes can be used now, and by what. */
void queue_nodes_look (queue_t *self, const moment_t *now);

/*  Warns and ends preemptible runs on nodes that the calendar needs. Returns when to look again. */
int64_t queue_preempt (queue_t *self, const moment_t *now);

/*  --- queue_api.c, queue_view.c, queue_records.c --- */

void queue_serve (queue_t *self);
method_fn queue_on_bags;
method_fn queue_on_tasks;
void queue_records (queue_t *self);

/*  Finds a bag for a request; false, with the request refused, if there is none or the actor may
 *  not use it. */
bool queue_allowed (queue_t *self, const request_t *request, uint64_t number, bag_t **bag);

/*  Sets the timer that deletes bags which have been over for long enough. */
void queue_keep (queue_t *self, const moment_t *now);

#endif
