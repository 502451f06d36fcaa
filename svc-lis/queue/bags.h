/*  bags - the site's bags of tasks: what was submitted, and how far each task is. Plain data in
 *  memory; queue.h stores it, starts tasks and answers people.
 *
 *  A bag is one record, however many tasks it has; a task gets a record when it is first started,
 *  or cancelled by itself. Tasks without a record wait, from the first index on. Waiting bags are
 *  in order of priority, then number, as backfill.h walks them; those of a reservation are in an
 *  order of their own. Finding costs the logarithm of the bags.
 */
#ifndef MUSUBI_BAGS_H
#define MUSUBI_BAGS_H

#include "backfill.h"
#include "ordered.h"
#include "rank.h"
#include "runs.h"

#define TASK_PRIORITY_MOST 1000 /* either way */
#define TASK_LIMIT_MS_MOST (INT64_C (366) * 24 * 3600000)
#define TASK_NODE_NONE     SIZE_MAX
#define TASK_WHY_BYTES_MAX                                                                         \
    (RUN_WHY_BYTES_MAX + 31) /* that of its run, with a few words before
                                                       it */

/*  What was submitted. */
typedef struct {
    char name [NAME_BYTES_MAX + 1];
    uint32_t count;
    int32_t priority;
    char class_name [NAME_BYTES_MAX + 1]; /* "" = any */
    bool preemptible;
    bool requeue;
    bool shared;                    /* tasks that wait may be moved to another site */
    char rank [RANK_BYTES_MAX + 1]; /* which nodes are best: rank.h; "" = the site's */
    run_order_t order;              /* command, cpus, limits, owner, reservation and need */
} submission_t;

/*  Same numbers as proto TaskState. */
typedef enum {
    TASK_QUEUED,
    TASK_PLACED,
    TASK_RUNNING,
    TASK_ENDED,
    TASK_STOPPED,
    TASK_LOST,
    TASK_CANCELLED,
    TASK_AWAY,     /* at another site, until that tells its end or gives it back */
    TASK_RETURNED, /* a guest, given back to its home */
    TASK_STATES
} task_state_t;
extern const state_table_t task_states;

static inline bool task_over (task_state_t state)
{
    return state >= TASK_ENDED && state != TASK_AWAY;
}

/*  Why the queue has told a run to end. Its reservation, or whoever needs its node, may end it
 *  too. */
typedef enum { STOP_NONE, STOP_CANCELLED, STOP_LIMIT, STOPS } stop_t;

/*  Where a task is, or was run, if not here. */
typedef struct {
    txid_t move;                    /* that took it there */
    char site [NAME_BYTES_MAX + 1]; /* "lis/osa" */
} trip_t;

/*  What a task that is placed or runs waits for, beside its run. Same numbers as
 *  StoredTask.files. */
typedef enum {
    FILES_NONE,
    FILES_COMING,  /* its inputs; its run is ordered when they are there */
    FILES_STORING, /* its outputs; its run has ended well */
    FILES_STATES
} files_state_t;

/*  A task that was started, or cancelled by itself. */
typedef struct {
    task_state_t state;
    stop_t stop;
    uint32_t tries;
    size_t node;         /* index in nodes.h, of the last try; TASK_NODE_NONE = none of them */
    char *node_name;     /* of the last try; "" = none */
    backfill_run_t slot; /* what it takes of its node, while it is placed or running */
    int64_t
      left_ms; /* of its limit, when its run was told to stand still; 0 = it counts, and the site
                            ends it at its end, too */
    int64_t claim_ms;   /* by then what makes way for it has stopped; 0 = nothing does */
    int64_t started_ms; /* wall ms; 0 = not yet */
    int64_t ended_ms;
    int32_t exit_code;
    int32_t signal;
    int64_t cpu_ms;
    uint64_t dropped; /* bytes of output, as run_t */
    char *why;
    trip_t *trip;              /* NULL = it is here, and has run nowhere else */
    bool told;                 /* of a guest: its home has acknowledged its end */
    int64_t late_ms;           /* so long an input could not be had, at nodes that it has left */
    uint32_t files_state;      /* files_state_t */
    char *storage;             /* of one with files: the storage node of the last try; else "" */
    struct queue_files *files; /* that it uses or stores; of queue_files.c. NULL = none */
} task_t;

/*  Of a bag whose tasks came from another site (sharing.h). */
typedef struct {
    txid_t move; /* that brought them */
    participant_ref_t home;
    uint64_t bag;    /* at home */
    uint32_t first;  /* index at home of the first one */
    uint32_t count;  /* of them */
    uint32_t untold; /* tasks that are over, and whose home has not acknowledged it */
} guest_origin_t;

typedef struct {
    backfill_bag_t waiting; /* its member waiting counts queued tasks; owner is this bag */
    bool listed;            /* it is among the bags that wait */
    uint64_t number;
    char owner [NAME_BYTES_MAX + 1];
    char request_id [REQUEST_ID_BYTES_MAX + 1];
    packed_t submitted; /* the request as it came */
    submission_t asked;
    node_rank_t *rank; /* NULL = none was asked for */
    int64_t submitted_ms;
    bool cancelled;         /* as a whole: tasks that have not begun never do */
    int64_t over_stored_ms; /* as its record says, until it is settled */
    int64_t over_ms;        /* wall ms; 0 = not over */
    task_t **tasks;         /* by index; NULL = no record. tasks_room of them */
    uint32_t tasks_room;
    uint32_t untouched; /* below it every index has a record */
    uint32_t *again;    /* indices that are to be run again, ascending */
    uint32_t again_count;
    uint32_t running; /* placed ones included */
    uint32_t over;
    uint32_t failed;       /* of these: neither cancelled nor ended with exit code 0 */
    uint32_t away;         /* at other sites */
    guest_origin_t *guest; /* NULL = submitted here */
} bag_t;

/*  The bags of a reservation. */
typedef struct {
    char reservation [NAME_BYTES_MAX + 1];
    ordered_t *waiting; /* bags, as bags_waiting has them */
    uint32_t bags;      /* that are not over */
    uint64_t running;
    bool dirty; /* a task of it may be startable */
} reservation_queue_t;

typedef struct bags bags_t;

bags_t *bags_new (void);
void bags_destroy (bags_t **self_p);

/*  The number that the next bag gets. */
uint64_t bags_next_number (const bags_t *self);

/*  This number and lower ones are never given again. */
void bags_number_used (bags_t *self, uint64_t number);

/*  A new bag, which owns submitted and asked; it is not listed yet. Its number must be new. */
bag_t *bags_add (bags_t *self, uint64_t number, const char *owner, const char *request_id,
                 packed_t submitted, const submission_t *asked);

/*  Takes the bag out of everything and frees it. */
void bags_remove (bags_t *self, bag_t *bag);

bag_t *bags_find (const bags_t *self, uint64_t number);
bag_t *bags_after (const bags_t *self, uint64_t number);

/*  The one that was submitted with this id; NULL when there is none, or the id is "". */
bag_t *bags_requested (const bags_t *self, const char *owner, const char *request_id);

/*  How many bags are not over: in all, and of one owner. */
size_t bags_count (const bags_t *self);
size_t bags_of (const bags_t *self, const char *owner);

/*  Bags that wait for nodes without a reservation, in the order in which they are started. */
const ordered_t *bags_waiting (const bags_t *self);
ordered_compare_fn bags_by_turn;

/*  Those of them that have neither inputs nor a rank. */
const ordered_t *bags_plain (const bags_t *self);

/*  The bags of a reservation, NULL when there are none; the next such, in the order of names. */
reservation_queue_t *bags_reservation (const bags_t *self, const char *reservation);
reservation_queue_t *bags_reservation_after (const bags_t *self, const char *reservation);

/*  Lists a bag that has changed where it belongs, or no more. True when that ended its last task;
 *  then over_ms is set. */
bool bags_settle (bags_t *self, bag_t *bag, int64_t now_ms);

/*  The bag that has been over for longest. */
bag_t *bags_over_first (const bags_t *self);

/*  --- a bag's tasks --- */

/*  NULL when it has no record. */
task_t *bag_task (const bag_t *self, uint32_t index);

/*  Gives a task a record; it is queued. */
task_t *bag_task_new (bag_t *self, uint32_t index);

/*  The same, for a task that is to be run again. */
task_t *bag_task_waits (bag_t *self, uint32_t index);

/*  The last tasks in a row that wait and were never started, at most so many. Returns how many,
 *  with the index of the first. Costs the number of tasks behind them. */
uint32_t bag_tail (const bag_t *self, uint32_t most, uint32_t *first);

/*  The task that bag_take would take. */
uint32_t bag_next (const bag_t *self);

/*  The next task to start, when waiting.waiting > 0; it has a record from now on. The caller moves
 *  it with task_move. */
uint32_t bag_take (bag_t *self);

/*  Cancels all tasks that wait; returns how many. told is called for those with a record, which the
 *  caller stores. */
uint32_t bag_cancel (bags_t *bags, bag_t *bag,
                     void (*told) (void *owner, bag_t *bag, uint32_t index), void *owner);

/*  Moves a task to another state and keeps the counts. A task that is queued again will be taken
 *  again. */
void task_move (bags_t *bags, bag_t *bag, uint32_t index, task_state_t to);

/*  Sets the state of a task whose record was loaded. */
void bag_loaded (bags_t *bags, bag_t *bag, uint32_t index, task_state_t state);

/*  Takes the last index off a bag that is over; true when it had a record. */
bool bag_forget_last (bag_t *self);

/*  The state of a task, with a record or without. */
task_state_t bag_task_state (const bag_t *self, uint32_t index);

void task_text (char **to, const char *from);
void submission_clear (submission_t *self);

/*  Makes it a submission of guests, tasks first to first + count - 1 of the bag. Their priority is
 *  not above 0, so that they wait behind the site's own tasks. */
void submission_of_guests (submission_t *self, uint32_t first, uint32_t count);

#endif
