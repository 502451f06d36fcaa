/*  pendings - the requests that a planner has in progress. Other rooms use this header alone; a
 *  request's own struct is in pending.h.
 */
#ifndef MUSUBI_PENDINGS_H
#define MUSUBI_PENDINGS_H

#include "coordinator.h"
#include "directory.h"
#include "free_profile.h"
#include "ordered.h"
#include "states.h"
#include "unresponsive.h"

typedef struct pending pending_t;
typedef void pending_step_fn (pending_t *self, const moment_t *now);

/*  A site, and what it is ranked by, the least first: the price of its cheapest class, as
 *  listed. */
typedef struct {
    const directory_entry_t *entry;
    int64_t rank;
} ranked_site_t;

/*  Nodes that a new reservation has put to the vote. */
typedef struct {
    txid_t txid;
    char party [NAME_BYTES_MAX + 1];
    char class_name [NAME_BYTES_MAX + 1];
    window_t taken;
} recent_t;

#define RECENT_MAX 256 /* older ones are forgotten: it may cost a round */

typedef struct {
    recent_t list [RECENT_MAX]; /* the last ones, in a ring */
    uint64_t count;             /* of all so far */
} recents_t;

/*  What they share. All up to solvers is borrowed and filled before pendings_open. */
typedef struct {
    service_t *service;
    const planner_settings_t *settings;
    coordinator_t *coordinator;
    unresponsive_t *unresponsive; /* who was silent lately */
    struct solvers *solvers;
    pending_step_fn *const *steps; /* by pending_step_t */
    ordered_t *open;               /* by actor and request id; dry runs by number */
    uint64_t begun;
    recents_t recents;
    uint64_t conflicts;      /* a digest of domains' disagreements as last logged; 0 = none */
    ranked_site_t *sites;    /* of the directory, in any order, since this turnover of it */
    ranked_site_t *cheapest; /* the same, ascending by price */
    size_t sites_count;
    uint64_t sites_turnover;
} pendings_t;

/*  Closing ends the requests in progress without an answer. */
void pendings_open (pendings_t *self);
void pendings_close (pendings_t *self);

/*  Which step of a request may follow which, and what leads to it; pending_go asserts it. */
extern const state_table_t pending_states;

/*  Methods of service Planner; owner: pendings_t. */
method_fn planner_on_reserve;
method_fn planner_on_modify;
method_fn planner_on_release;

/*  What a repair tries in place of a plan that could not be kept, in this order. */
typedef enum {
    REPAIR_SAME,      /* the same window, at the same participants */
    REPAIR_ELSEWHERE, /* another site, path or window, as the request allows */
    REPAIR_BACK,      /* of a change: what the reservation was before */
    REPAIR_NOTHING,   /* no plan: it is released */
} repair_step_t;

typedef enum {
    REPAIR_SETTLED,  /* every participant has acknowledged the plan */
    REPAIR_LOST,     /* decided, but not kept by all, or ended by another planner: look again */
    REPAIR_NO_PLAN,  /* none was found or accepted: text says why */
    REPAIR_DEFERRED, /* somebody was silent, or the reservation was changing: look again */
} repair_end_t;

/*  A repair's request for a plan (T10): no user waits for it, and it has no home. */
typedef struct {
    repair_step_t step;
    const plan_t *plan; /* that could not be kept; borrowed, as all here, while the request lives */
    const bool *lost;   /* the participants that could not keep it, by index */
    const before_t *before; /* what the reservation was, if the plan is a change */
    void (*ended) (void *owner, const moment_t *now, repair_end_t end, const char *text);
    void *owner;
} repair_order_t;

/*  Look for a plan in place of one that could not be kept. repair_order->ended is called once, and
 *  never before this returns; the request is gone then. */
pending_t *pending_repair (pendings_t *pendings, const moment_t *now,
                           const repair_order_t *repair_order);
void pending_destroy (pending_t *self);

#endif
