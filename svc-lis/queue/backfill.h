/*  backfill - which of the waiting tasks start now, and where (EASY backfill; Lifka 1995).
 *
 *  Bags wait in an order. As many tasks of each are started as there is room for; the first task of
 *  a class that has to wait is promised the earliest start that it can have if all that runs goes
 *  on to its limit; what comes behind it may go ahead only where that start is not delayed. Runs
 *  end early, so a promise can only become better.
 *
 *  Whole nodes are what the site's calendar counts. A node on which something runs that is not
 *  preemptible is booked there until the last limit; to put a task on it books what goes beyond
 *  that. So reservations and the queue never want the same node, and a task that fits under the
 *  booking of another costs the calendar nothing. A preemptible task books nothing: it may be ended
 *  when its node is wanted, and is not begun where that is so within its least life.
 *
 *  A bag's tasks are alike, and what has failed in a pass fails for all that ask at least as much:
 *  a pass costs the nodes, the tasks that it starts, and a glance at each of at most depth bags.
 *  Plain values, pure.
 */
#ifndef MUSUBI_BACKFILL_H
#define MUSUBI_BACKFILL_H

#include "calendar.h"

#define BACKFILL_ANY   SIZE_MAX /* class */
#define BACKFILL_DEPTH 1000     /* bags looked at behind the first one that waits */

/*  What runs on a node. */
typedef struct {
    int64_t until_ms; /* over by then */
    uint32_t cpus;
    bool booked; /* its node is in the calendar for it */
} backfill_run_t;

/*  Start with all that is free, and no runs. */
typedef struct {
    size_t class;
    uint32_t cpus;
    uint32_t cpus_free;
    int64_t booked_until_ms; /* in the calendar for booked runs; not when that is past */

    /*  From when on tasks may be put there: INT64_MIN = now; later when a reservation has it until
     *  then; INT64_MAX when that is not known. */
    int64_t ready_ms;

    /*  A reservation's, but preemptible tasks may borrow it until then; INT64_MIN = they may not.
     */
    int64_t lent_until_ms;

    /*  A reservation's that has given it back: it is ready, and all that is put there must be over
     *  by then, in its booking. INT64_MAX = it is not. */
    int64_t given_until_ms;
    bool wanted; /* no further preemptible tasks */

    backfill_run_t *runs; /* ascending by until_ms */
    size_t runs_count;
    size_t runs_room;
    int64_t failed_ms; /* private to a pass */
} backfill_node_t;

void backfill_node_add (backfill_node_t *self, const backfill_run_t *run, int64_t gap_ms);

/*  Takes out a run that was added like this. booked_until_ms stays: it is whose booking it is to
 *  shorten it. */
void backfill_node_remove (backfill_node_t *self, const backfill_run_t *run);

/*  Until when booked runs may go on; INT64_MIN = there are none. */
int64_t backfill_node_busy_until (const backfill_node_t *self);
void backfill_node_clear (backfill_node_t *self);

/*  A bag of alike tasks; part of its owner's own record of it. */
typedef struct {
    size_t class;     /* or BACKFILL_ANY */
    uint32_t cpus;    /* of one node, each */
    uint32_t waiting; /* tasks */
    int64_t limit_ms;
    bool preemptible;
    void *owner;
} backfill_bag_t;

/*  What the first waiting task of a class was promised. */
typedef struct {
    const backfill_bag_t *bag; /* NULL = none */
    size_t node;
    int64_t at_ms;
    int64_t from_ms;  /* its node is not booked yet from then on; at least at_ms */
    int64_t until_ms; /* gap included */
    uint32_t spare;   /* CPUs that are left on the node from at_ms on */
} backfill_promise_t;

typedef struct {
    int64_t now_ms;
    int64_t slack_ms;   /* a task is over so long after its limit at the latest */
    int64_t gap_ms;     /* kept free after a booking */
    int64_t horizon_ms; /* nothing is promised that ends later than that */
    int64_t life_ms;    /* a preemptible task's least life */
    size_t runs_max;    /* on one node */
    size_t classes_count;
    const calendar_t *const *calendars; /* of each class, in nodes */
    const size_t *class_from;           /* of each class, its first node; and behind the last */
    backfill_node_t *nodes;             /* ascending by class */
    size_t nodes_count;
    size_t depth;
    backfill_promise_t *promises; /* of each class: written */

    /*  The bag that waits behind this one, which may have left since; NULL: the first. NULL at the
     *  end. */
    backfill_bag_t *(*next) (void *owner, const backfill_bag_t *bag);

    /*  A task of the bag starts on the node, and is over at until_ms. Its owner takes it from
     *  waiting, may take the bag out of those when nothing waits any more, and books the node's
     *  class from the node's booked_until_ms, or now, to until_ms + gap_ms, if it is not
     *  preemptible. The run is added to the node afterwards. */
    void (*start) (void *owner, backfill_bag_t *bag, size_t node, int64_t until_ms);
    void *owner;
} backfill_t;

/*  One pass. Returns how many tasks were started. */
size_t backfill_pass (backfill_t *self);

#endif
