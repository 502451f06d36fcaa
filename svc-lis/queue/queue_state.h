/*  queue_state - what the files of the queue share; nobody else includes it.
 *
 *  queue.c            its start and end; when there is a pass, and what one does
 *  queue_reservations.c     tasks of reservations
 *  queue_runs.c       a task's runs: started, moved, over, ended
 *  queue_nodes.c      what runs where, and what of that is in the calendar; preemption
 *  queue_api.c      Submit, Cancel, Output
 *  queue_view.c       Bags, Tasks
 *  queue_records.c    what is stored, and for how long
 */
#ifndef MUSUBI_QUEUE_STATE_H
#define MUSUBI_QUEUE_STATE_H

#include "bags.h"
#include "change_notice.h"
#include "must.h"
#include "ordered.h"
#include "queue_share.h"
#include "queue_wire.h"

/*  A node, beside what backfill knows of it. */
typedef struct {
    resource_interval_t booked; /* of its class; booking 0 = not in the calendar */
    bool wanted;                /* its preemptible runs are warned, and end at wanted_ms */
    int64_t wanted_ms;
} queue_node_t;

/*  Who waits for output of a task. */
typedef struct {
    uint64_t token;
    uint64_t reply_to;
    bool over; /* the task, when it was asked */
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
    ordered_t *due;      /* tasks that run, by until_ms, then id */
    const moment_t *now; /* of the pass that is under way */
    uint64_t pass_timer;
    uint64_t wake_timer; /* nothing has happened, and yet something may start */
    uint64_t due_timer;
    uint64_t keep_timer;
    int64_t done_ms; /* CPUs times wall time that its tasks have had, in this start */
    bool started;
    change_notice_t freed;
    reader_t *readers;
    size_t readers_count;
    uint64_t readers_next;
};

/*  A task that runs, in due. */
typedef struct {
    int64_t end_ms; /* it is told to end then */
    bag_t *bag;
    uint32_t index;
} due_t;

/*  --- queue_reservations.c --- */

/*  Start what can be of the booths that are dirty, and end what is over; all are, now. */
void queue_reservations_pass (queue_t *self, const moment_t *now);
void queue_reservations_dirty (queue_t *self);

/*  Of openings_wants: are there tasks that wait, or run? */
bool queue_wants (void *owner, const char *reservation);

/*  What a reservation has booked here; the caller frees the bookings. False when that is nothing.
 */
bool queue_part (const queue_t *self, const char *reservation, compute_booking_t **bookings,
                 size_t *count);

/*  Is its time over? For one that openings.h does not know: none tells its end there, as it was
 *  never opened. */
bool queue_past (const queue_t *self, const moment_t *now, const char *reservation);

/*  --- queue_runs.c --- */

ordered_compare_fn queue_by_end; /* of due */

/*  Start the next task of a bag there, over at until_ms. */
void queue_start_task (queue_t *self, const moment_t *now, bag_t *bag, size_t node,
                       const backfill_run_t *seat);

void queue_run_moved (void *owner, const moment_t *now, const run_t *run);

/*  At start: tasks whose run is not known, or over. */
void queue_runs_settle (queue_t *self, const moment_t *now);

/*  The runs that have had their time are ended; look again in time. */
void queue_due_watch (queue_t *self, const moment_t *now);

/*  --- queue_nodes.c --- */

/*  What runs on a node takes its seat, and its node the calendar, or gives both back. */
void queue_seat_take (queue_t *self, const moment_t *now, size_t node, const backfill_run_t *seat);
void queue_seat_leave (queue_t *self, const moment_t *now, size_t node, const backfill_run_t *seat);

/*  In the calendar from now or before until then, if it is not for longer. */
void queue_book (queue_t *self, const moment_t *now, size_t node, int64_t until_ms);

/*  Which nodes can be used now, and by whom. */
void queue_nodes_look (queue_t *self, const moment_t *now);

/*  Warn, and end, preemptible runs whose nodes the calendar wants; when to look again. */
int64_t queue_preempt (queue_t *self, const moment_t *now);

/*  --- queue_api.c, queue_view.c, queue_records.c --- */

void queue_serve (queue_t *self);
method_fn queue_on_bags;
method_fn queue_on_tasks;
void queue_records (queue_t *self);

/*  False, and the request is refused, unless there is such a bag and the asker may see to it. */
bool queue_allowed (queue_t *self, const request_t *request, uint64_t number, bag_t **bag);

/*  Bags that are over leave in time. */
void queue_keep (queue_t *self, const moment_t *now);

#endif
