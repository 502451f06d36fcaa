/*  backfill - which of the waiting tasks start now, and where (EASY backfill; Lifka 1995).
 *
 *  Bags wait in an order, and as many tasks of each are started as there is room for. The first
 *  task of a class that has to wait is promised the earliest start that it can have if everything
 *  that runs goes on to its limit. Tasks behind it go ahead only where that start is not delayed.
 *  Runs end early, so a promise can only become better.
 *
 *  The site's calendar counts whole nodes. A node with a run that is not preemptible is booked
 *  there until the last limit of its runs, and another task on it books only what goes beyond that.
 *  So reservations and the queue never get the same node, and a task that fits under another's
 *  booking costs the calendar nothing. A preemptible task books nothing: it may be ended when its
 *  node is needed, and is not started where that would be within its least life.
 *
 *  The tasks of a bag are alike, and what has failed in a pass fails for all that ask for at least
 *  as much. So a pass costs the nodes, the tasks that it starts, and a look at each of at most
 *  `depth` bags. Plain values, pure.
 */
#ifndef MUSUBI_BACKFILL_H
#define MUSUBI_BACKFILL_H

#include "calendar.h"

#define BACKFILL_ANY   SIZE_MAX /* class */
#define BACKFILL_DEPTH 1000     /* bags looked at behind the first one that waits */

/*  A run on a node. */
typedef struct {
    int64_t until_ms; /* it is over by then */
    uint32_t cpus;
    bool booked;   /* its node is in the calendar for it */
    bool transfer; /* its inputs are coming; it has no CPUs yet */
} backfill_run_t;

/*  A new one has all CPUs free, and no runs. */
typedef struct {
    size_t class;
    uint32_t cpus;
    uint32_t cpus_free;
    bool storage;            /* it may get tasks with files */
    int64_t booked_until_ms; /* until when booked runs have it in the calendar; it may be past */

    /*  When tasks may be put there: INT64_MIN = now; later when a reservation has the node until
     *  then; INT64_MAX = not known. */
    int64_t ready_ms;

    /*  A reservation has the node but lends it to preemptible tasks until then; INT64_MIN = it does
     *  not.
     */
    int64_t lent_until_ms;

    /*  A reservation has given the node back: tasks there must be over by then, within its booking.
     *  INT64_MAX = it has not. */
    int64_t given_until_ms;
    bool wanted; /* it gets no more preemptible tasks */

    /*  Its free CPUs are for runs that are suspended there, or for whom they make way: it gets only
     *  tasks that begin with a transfer until all have gone on. */
    bool claimed;

    backfill_run_t *runs; /* ascending by until_ms */
    size_t runs_count;
    size_t runs_room;
    uint32_t transfers; /* of these runs */
    int64_t failed_ms;  /* private to a pass */
} backfill_node_t;

void backfill_node_add (backfill_node_t *self, const backfill_run_t *run, int64_t gap_ms);

/*  Takes out a run that was added with the same values. booked_until_ms stays: whoever made the
 *  booking shortens it. */
void backfill_node_remove (backfill_node_t *self, const backfill_run_t *run);

/*  The last limit of its booked runs; INT64_MIN = it has none. */
int64_t backfill_node_busy_until (const backfill_node_t *self);
void backfill_node_clear (backfill_node_t *self);

/*  A bag of alike tasks; a member of its owner's own record of the bag. */
typedef struct {
    size_t class;     /* or BACKFILL_ANY */
    uint32_t cpus;    /* that each task needs on one node */
    uint32_t waiting; /* tasks */
    int64_t limit_ms;
    bool preemptible;
    bool ranked; /* nodes are not all the same to its tasks: worth tells */
    bool files;  /* its tasks go only to nodes with storage */
    bool large;  /* its next task may be data-bound somewhere; worth writes what it knows of that */
    void *owner;
} backfill_bag_t;

/*  What a node is to the next task of a bag: the highest rank wins, then the least staging. */
typedef struct {
    double rank;
    double staging_s;
    bool unknown;  /* not now: where its inputs are is being asked */
    bool transfer; /* of one with files: it is data-bound there, its inputs come first */
} backfill_worth_t;

bool backfill_worth_more (const backfill_worth_t *one, const backfill_worth_t *other);

/*  What the first waiting task of a class was promised. */
typedef struct {
    const backfill_bag_t *bag; /* NULL = none */
    size_t node;
    int64_t at_ms;
    int64_t from_ms;  /* from then on its node is not booked yet; at least at_ms */
    int64_t until_ms; /* gap included */
    uint32_t spare;   /* CPUs that are left on the node from at_ms on */
} backfill_promise_t;

typedef struct {
    int64_t now_ms;
    int64_t slack_ms;       /* how long after its limit a task is over at the latest */
    int64_t gap_ms;         /* kept free after a booking */
    int64_t horizon_ms;     /* no promise ends later than that */
    int64_t life_ms;        /* a preemptible task's least life */
    size_t runs_max;        /* on one node */
    uint32_t transfers_max; /* of them */
    size_t classes_count;
    const calendar_t *const *calendars; /* of each class, in nodes */
    const size_t *class_from;           /* of each class, its first node; and behind the last */
    backfill_node_t *nodes;             /* ascending by class */
    size_t nodes_count;
    size_t depth;
    uint32_t data_bound_max; /* bags that wait for transfers, each a look at all open nodes: behind
                                so many no ranked bag is looked at */
    backfill_promise_t *promises; /* of each class: written */

    /*  The bag that waits behind this one, which may have left since; the first for NULL; NULL at
     *  the end. plain: the next one that is not ranked. */
    backfill_bag_t *(*next) (void *owner, const backfill_bag_t *bag, bool plain);

    /*  Of a bag that is ranked. NULL = none is. */
    backfill_worth_t (*worth) (void *owner, const backfill_bag_t *bag, size_t node);

    /*  Starts a task of the bag on the node; it is over at run->until_ms. The owner takes the task
     *  from waiting, and may drop the bag when none waits any more. If the run is booked, the owner
     *  also books the node's class, from the node's booked_until_ms or now, to until_ms + gap_ms.
     *  Afterwards the run is added to the node. */
    void (*start) (void *owner, backfill_bag_t *bag, size_t node, const backfill_run_t *run);
    void *owner;
} backfill_t;

/*  When a task of the bag could start at the earliest, if none waited before it; INT64_MAX = not
 *  known. */
int64_t backfill_expected (const backfill_t *self, const backfill_bag_t *bag);

/*  Can a node's booking be made so long? beside: with what is promised elsewhere counted as
 *  taken. */
bool backfill_extends (const backfill_t *self, size_t node, int64_t until_ms, bool beside);

/*  Makes one pass. Returns how many tasks it started. */
size_t backfill_pass (backfill_t *self);

#endif
