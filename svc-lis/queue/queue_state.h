/*  queue_state - what the files of the queue share; nobody else includes it.
 *
 *  queue.c               its start and end; when there is a pass, and what one does
 *  queue_reservations.c  tasks of reservations
 *  queue_handover.c      tasks that become jobs of a batch system
 *  queue_runs.c          a task's runs: started, moved, over, ended
 *  queue_files.c         inputs that come before a run, outputs that are stored after it
 *  queue_match.c         which node is best for a task
 *  queue_overlap.c       which runs make way for one whose inputs have come
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
#include "overlap.h"
#include "queue_share.h"
#include "queue_wire.h"
#include "stays.h"

typedef struct queue_files queue_files_t;
typedef struct queue_match queue_match_t;

/*  A node: what backfill does not know of it. */
typedef struct {
    resource_interval_t booked; /* of its class, if it is in the calendar */
    uint32_t transfers;         /* tasks whose inputs come, or whose outputs are stored */
    bool wanted; /* it is needed: its preemptible runs are warned, and end at wanted_ms */
    int64_t wanted_ms;
    ordered_t *coming; /* of queue_files_t: its tasks whose inputs are awaited, by turn */
    bool overlaps;     /* runs may be suspended there */
    bool claimed;      /* its suspended runs wait: CPUs that come free are another's */
    bool look;         /* either may go on: CPUs or an input have come, or it is otherwise moved */
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
    backfill_node_t *loads; /* of each node: what runs there */
    queue_node_t *nodes;
    const calendar_t **calendars; /* of each class */
    size_t *class_from;           /* of each class, its first node; and behind the last one */
    backfill_promise_t *promises;
    stays_t *stays;
    ordered_t *files; /* of queue_files_t: tasks that use or store some, by serial */
    uint64_t files_made;
    queue_match_t *match;
    ordered_t *deadlines; /* tasks that run, by until_ms, then id */
    const moment_t *now;  /* of the pass that is under way */
    uint64_t pass_timer;
    bool whole;          /* the pass is to look at more than nodes that say so */
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

/*  When the first task of such a bag would start, if it came now; 0 = not known. */
int64_t queue_expected (queue_t *self, const moment_t *now, const submission_t *asked);

/*  Asks for a pass over the nodes that are to be looked at; whole: over all that waits, too. */
void queue_pass_soon (queue_t *self, bool whole);

/*  --- queue_reservations.c --- */

/*  queue_reservations_pass starts and ends what is due in the queues of reservations that are
 *  dirty; queue_reservations_dirty makes all of them so. */
void queue_reservations_pass (queue_t *self, const moment_t *now);
void queue_reservations_dirty (queue_t *self);

/*  For openings_observer_t: has it tasks that wait or run? */
bool queue_wants (void *owner, const char *reservation);

/*  Does none of the reservation's tasks begin any more? */
bool queue_reservation_closed (const queue_t *self, const moment_t *now, const char *reservation);

/*  What a reservation has booked here, if anything; the caller frees the bookings.
 */
bool queue_part (const queue_t *self, const char *reservation, compute_booking_t **bookings,
                 size_t *count);

/*  Is the time of a reservation over by its bookings? For one that was never opened, which
 *  openings.h does not know. */
bool queue_past (const queue_t *self, const moment_t *now, const char *reservation);

/*  --- queue_handover.c --- */

/*  At a site with a batch system tasks don't wait for CPUs here: they become its jobs while there
 *  is room. The first hands over tasks of bags without a reservation; the second of one that has
 *  it. */
void queue_handover_pass (queue_t *self, const moment_t *now);
void queue_handover_reserved (queue_t *self, const moment_t *now, bag_t *bag);

/*  Can its tasks be jobs there, if the site has a batch system, and ever begin? */
call_status_t queue_handover_check (const queue_t *self, const submission_t *asked,
                                    char why [WHY_BYTES]);

/*  --- queue_runs.c --- */

ordered_compare_fn queue_by_end; /* of deadlines */

/*  Starts the next task of a bag on a node; slot says until when. */
void queue_start_task (queue_t *self, const moment_t *now, bag_t *bag, size_t node,
                       const backfill_run_t *slot);

/*  A placed task whose run was not ordered leaves its node: back into the queue, or for good when
 *  why is not NULL. */
void queue_unplace (queue_t *self, const moment_t *now, bag_t *bag, uint32_t index,
                    const char *why);

/*  The end of a task whose run is over already. */
void queue_task_end (queue_t *self, const moment_t *now, bag_t *bag, uint32_t index,
                     task_state_t to, const char *why);

/*  A placed task may have its node for its whole limit from now on; false when the calendar has no
 *  room for that. */
bool queue_slot_extend (queue_t *self, const moment_t *now, bag_t *bag, uint32_t index);

/*  A task on a node has another slot from now on, and so much of its limit left if that stands
 *  still; false when the calendar has no room for it. */
bool queue_slot_set (queue_t *self, const moment_t *now, bag_t *bag, uint32_t index,
                     const backfill_run_t *slot, int64_t left_ms);

void queue_run_moved (void *owner, const moment_t *now, const run_t *run);

/*  At start: takes up the tasks that run, and ends those whose run is over or not known. */
void queue_runs_settle (queue_t *self, const moment_t *now);

/*  Sets the timer that ends the next run at its limit. */
void queue_due_watch (queue_t *self, const moment_t *now);

/*  --- queue_files.c --- */

ordered_compare_fn queue_files_by_turn; /* of queue_files_t, as their bags wait */

/*  Has the inputs of a placed task brought to its node, and kept there. True when all are there
 *  now; otherwise its run has to wait. */
bool queue_files_use (queue_t *self, const moment_t *now, bag_t *bag, uint32_t index);

/*  What the task waits for from now on. */
void queue_files_wait (queue_t *self, task_t *task, files_state_t state);

/*  The task uses them no more, and waits for nothing. */
void queue_files_leave (queue_t *self, const moment_t *now, task_t *task);
void queue_files_free (void *thing);

/*  Its node could not start its run, perhaps for want of an input: its copies are read again. */
void queue_files_doubt (queue_t *self, const moment_t *now, const task_t *task);

/*  Orders the run of a placed task, whose inputs are there. */
void queue_order_run (queue_t *self, const moment_t *now, bag_t *bag, uint32_t index);

/*  Its run has ended well: stores its outputs, and ends it. */
void queue_files_store (queue_t *self, const moment_t *now, bag_t *bag, uint32_t index);

/*  For tasks of a node that wait for inputs: orders their runs, or takes them off it. */
void queue_files_pass (queue_t *self, const moment_t *now, size_t node);
void queue_files_moved (void *owner, const moment_t *now, const char *storage);

/*  How many tasks of the batch system's place wait for inputs: of reservations, or of none. */
uint32_t queue_files_coming (const queue_t *self, bool reserved);

/*  For which file a task waits, and why; "" = for none. */
const char *queue_files_waits (const task_t *task);

/*  --- queue_match.c --- */

void queue_match_init (queue_t *self);
void queue_match_end (queue_t *self);
void queue_match_trim (queue_t *self);

/*  For backfill, in a pass; behind it queue_match_ask asks for what was missing. */
backfill_worth_t queue_worth (void *owner, const backfill_bag_t *waiting, size_t node);
void queue_match_ask (queue_t *self, const moment_t *now);

/*  A file has come to a node's storage. */
void queue_match_there (queue_t *self, const char *name, size_t node, uint64_t size);

/*  --- queue_overlap.c --- */

/*  Has the node the CPUs for a placed task whose inputs have come? If not, runs that come after it
 *  in the queue are told to make way, and it is to be asked again when the node has changed.
 *  LEAVES: it is to wait in the queue, as what runs there can't be later than it is. */
overlap_answer_t queue_overlap_claim (queue_t *self, const moment_t *now, bag_t *bag,
                                      uint32_t index);

/*  First in a pass: what is told to stop there, and is not known to have stopped, gets CPUs. False
 *  when the node has not enough of them. */
bool queue_overlap_recount (queue_t *self, size_t node);

/*  Lets suspended runs of a node go on for which there is room, behind queue_files_pass; and notes
 *  whether it may get others. */
void queue_overlap_pass (queue_t *self, const moment_t *now, size_t node);
void queue_on_suspended (void *owner, const moment_t *now, const run_t *run);

/*  --- queue_nodes.c --- */

/*  A run takes CPUs of a node, and the node a place in the calendar; or gives both back. */
void queue_slot_take (queue_t *self, const moment_t *now, size_t node, const backfill_run_t *slot);
void queue_slot_leave (queue_t *self, const moment_t *now, size_t node, const backfill_run_t *slot);

/*  Can a node's booking be made so long? beside: with what is promised elsewhere counted as
 *  taken. */
bool queue_extends (queue_t *self, const moment_t *now, size_t node, int64_t until_ms, bool beside);

/*  A run is to have its CPUs until another time; false, with nothing changed, when the calendar has
 *  no room for that. */
bool queue_slot_change (queue_t *self, const moment_t *now, size_t node, const backfill_run_t *from,
                        const backfill_run_t *to);

/*  Books a node from now on until then, unless it is booked for longer. */
void queue_book (queue_t *self, const moment_t *now, size_t node, int64_t until_ms);

/*  Notes which nodes can be used now, and by what: of all, or of those that are to be looked at. */
void queue_nodes_look (queue_t *self, const moment_t *now, bool all);

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
