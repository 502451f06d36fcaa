/*  bags - the site's bags of tasks: what was asked, and how far each of their tasks is. Plain data
 *  in memory; who stores it, starts it and answers about it is queue.h.
 *
 *  A bag is one record however many tasks it has; a task gets one when it is first started, or
 *  cancelled by itself. Those that have none wait, from the first index on. Bags that wait are kept
 *  by priority, then by number, as backfill.h walks them; those of a reservation by themselves.
 *  Finding costs the logarithm of the bags.
 */
#ifndef MUSUBI_BAGS_H
#define MUSUBI_BAGS_H

#include "backfill.h"
#include "ordered.h"
#include "runs.h"

#define TASK_PRIORITY_MOST 1000 /* either way */
#define TASK_LIMIT_MS_MOST (INT64_C (366) * 24 * 3600000)
#define TASK_NODE_NONE     SIZE_MAX
#define TASK_WHY_BYTES_MAX (RUN_WHY_BYTES_MAX + 31) /* its run's, and who ended that */

/*  What was asked. */
typedef struct {
    char name [NAME_BYTES_MAX + 1];
    uint32_t count;
    int32_t priority;
    char class_name [NAME_BYTES_MAX + 1]; /* "" = any */
    bool preemptible;
    bool requeue;
    bool shared;       /* tasks that wait may be moved to another site */
    run_order_t order; /* command, cpus, limits, whose it is, reservation and need */
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
    TASK_AWAY,     /* another site's, until that tells its end or gives it back */
    TASK_RETURNED, /* a guest, given back to its home */
    TASK_STATES
} task_state_t;

static inline bool task_over (task_state_t state)
{
    return state >= TASK_ENDED && state != TASK_AWAY;
}

/*  Who has told its run to end, of us; others are its reservation, and whoever wants its node. */
typedef enum { STOP_NONE, STOP_CANCELLED, STOP_LIMIT, STOPS } stop_t;

/*  Where a task is, or was run, that is not here. */
typedef struct {
    txid_t move;                    /* that took it there */
    char site [NAME_BYTES_MAX + 1]; /* "lis/osa" */
} trip_t;

/*  One that was started, or cancelled by itself. */
typedef struct {
    task_state_t state;
    stop_t stop;
    uint32_t tries;
    size_t node;         /* index in nodes.h, of the last try; TASK_NODE_NONE = none of them */
    char *node_name;     /* of the last try; "" = none */
    backfill_run_t seat; /* while it is placed or running: what it takes there */
    int64_t started_ms;  /* wall ms; 0 = not yet */
    int64_t ended_ms;
    int32_t exit_code;
    int32_t signal;
    int64_t cpu_ms;
    uint64_t dropped; /* bytes of output, as run_t */
    char *why;
    trip_t *trip; /* NULL = it is here, and was run nowhere else */
    bool told;    /* of a guest: its home has acknowledged its end */
} task_t;

/*  Of a bag whose tasks are another site's (sharing.h). */
typedef struct {
    txid_t move; /* that brought them */
    participant_ref_t home;
    uint64_t bag;    /* at home */
    uint32_t first;  /* index at home of the first one */
    uint32_t count;  /* of them */
    uint32_t untold; /* that are over, and their home has not acknowledged it */
} guest_origin_t;

typedef struct {
    backfill_bag_t waiting; /* waiting.waiting: tasks that are queued; owner: this bag */
    bool listed;            /* among those that wait */
    uint64_t number;
    char owner [NAME_BYTES_MAX + 1];
    char request_id [REQUEST_ID_BYTES_MAX + 1];
    packed_t submitted; /* as it came */
    submission_t asked;
    int64_t submitted_ms;
    bool cancelled;         /* as a whole: what was not begun never is */
    int64_t over_stored_ms; /* as its record says, until it is settled */
    int64_t over_ms;        /* wall ms; 0 = not over */
    task_t **tasks;         /* by index; NULL = no record. tasks_room of them */
    uint32_t tasks_room;
    uint32_t untouched; /* below it every index has a record */
    uint32_t *again;    /* indices that are to be run again, ascending */
    uint32_t again_count;
    uint32_t running; /* placed ones included */
    uint32_t over;
    uint32_t failed;       /* of these: not cancelled, and not ended with exit code 0 */
    uint32_t away;         /* at other sites */
    guest_origin_t *guest; /* NULL = submitted here */
} bag_t;

/*  Those of a reservation. */
typedef struct {
    char reservation [NAME_BYTES_MAX + 1];
    ordered_t *waiting; /* bags, as bags_waiting has them */
    uint32_t bags;      /* that are not over */
    uint64_t running;
    bool dirty; /* something may be startable */
} reservation_queue_t;

typedef struct bags bags_t;

bags_t *bags_new (void);
void bags_destroy (bags_t **self_p);

/*  The number that the next bag gets. */
uint64_t bags_next_number (const bags_t *self);

/*  Never give it, nor a lower one. */
void bags_number_used (bags_t *self, uint64_t number);

/*  Takes over what it is given; it is not listed yet. Its number must be new. */
bag_t *bags_add (bags_t *self, uint64_t number, const char *owner, const char *request_id,
                 packed_t submitted, const submission_t *asked);

/*  Out of everything, and freed. */
void bags_remove (bags_t *self, bag_t *bag);

bag_t *bags_find (const bags_t *self, uint64_t number);
bag_t *bags_after (const bags_t *self, uint64_t number);

/*  The one that was submitted with this id; NULL when there is none, or the id is "". */
bag_t *bags_requested (const bags_t *self, const char *owner, const char *request_id);

/*  Bags that are not over: in all, and of an owner. */
size_t bags_count (const bags_t *self);
size_t bags_of (const bags_t *self, const char *owner);

/*  Bags that wait for what is not reserved, in the order in which they are to be started. */
const ordered_t *bags_waiting (const bags_t *self);

/*  The reservation's bags, NULL when there are none; all such, ascending by name. */
reservation_queue_t *bags_reservation (const bags_t *self, const char *reservation);
reservation_queue_t *bags_reservation_after (const bags_t *self, const char *reservation);

/*  A bag's state has been changed: list it where it belongs, or no more; over_ms is set, and true
 *  is returned, when that was its last task. */
bool bags_settle (bags_t *self, bag_t *bag, int64_t now_ms);

/*  The first of those that are over, by when they were. */
bag_t *bags_over_first (const bags_t *self);

/*  --- a bag's tasks --- */

/*  NULL when it has no record. */
task_t *bag_task (const bag_t *self, uint32_t index);

/*  With a record from now on: queued. */
task_t *bag_task_new (bag_t *self, uint32_t index);

/*  The same, and it is among those that are to be run again. */
task_t *bag_task_waits (bag_t *self, uint32_t index);

/*  The last tasks that wait, and were never started, next to one another: at most so many, from
 *  first on. 0 = there is none. Costs the number of tasks behind them. */
uint32_t bag_tail (const bag_t *self, uint32_t most, uint32_t *first);

/*  The next one to start, waiting.waiting > 0; it has a record from now on. Its state is the
 *  caller's to move with task_move. */
uint32_t bag_take (bag_t *self);

/*  Nothing of it is begun any more; returns how many tasks that are. To those that were run before,
 *  which the caller stores, told is said. */
uint32_t bag_cancel (bags_t *bags, bag_t *bag,
                     void (*told) (void *owner, bag_t *bag, uint32_t index), void *owner);

/*  Moves it, and counts. What is queued again will be taken again. */
void task_move (bags_t *bags, bag_t *bag, uint32_t index, task_state_t to);

/*  A task with a record, as it was stored. */
void bag_loaded (bags_t *bags, bag_t *bag, uint32_t index, task_state_t state);

/*  Of a bag that is over: takes off the last index; true when it had a record. */
bool bag_forget_last (bag_t *self);

/*  How a task without a record is, too. */
task_state_t bag_task_state (const bag_t *self, uint32_t index);

void task_text (char **to, const char *from);
void submission_clear (submission_t *self);

/*  Tasks first to first + count - 1 of what was asked, as guests: behind what is there, so of no
 *  higher priority than most. */
void submission_of_guests (submission_t *self, uint32_t first, uint32_t count);

#endif
