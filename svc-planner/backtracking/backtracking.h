/*  backtracking - algorithms bbr and bir over live services: S0's search (backtrack.h) with its
 *  questions sent to sites and network domains and, in bir, its choices held there.
 *
 *  A site is asked for the earliest time, from the wished start on, at which it has room for the
 *  need (Calendar.Free); a domain, whether its links of the one fixed path are free
 *  (Calendar.Windows). A site that discloses windows only is asked about some windows at equal
 *  distances. One that does not answer counts as having nothing free. Storage is asked in the same
 *  way, from when on a file would have to come.
 */
#ifndef MUSUBI_BACKTRACKING_H
#define MUSUBI_BACKTRACKING_H

#include "attempt.h"
#include "snapshot.h"
#include "tentative.h"
#include "unresponsive.h"

typedef struct backtracking backtracking_t;

/*  Everything is borrowed for life. The snapshot has candidates and graph; what is free need not be
 *  known. */
typedef struct {
    service_t *service;
    const planner_settings_t *settings;
    coordinator_t *coordinator;
    unresponsive_t *unresponsive;
    snapshot_t *snapshot; /* sources that do not answer are noted there */
    const char *actor;
    const char *request_id;
    starts_t starts;
    int64_t soonest_ms; /* wall: no file can begin to come, and no circuit to carry, before this */
    policy_t policy;
    bool incremental;      /* bir */
    bool counts_own;       /* what the plan so far takes counts as taken */
    int64_t limit_mono_ms; /* the search is given up then: its begin + w_interval */
    trail_t *trail;        /* gets the holds that are left, also those of a plan found */
} backtracking_order_t;

typedef enum {
    BACKTRACKING_FOUND,
    BACKTRACKING_NONE, /* no plan was found; the search is incomplete */
    BACKTRACKING_LATE, /* the limit came first */
} backtracking_end_t;

/*  Called once, never from within backtracking_new. */
typedef void backtracking_done_fn (void *owner, const moment_t *now, backtracking_end_t end);

backtracking_t *backtracking_new (const backtracking_order_t *order, const moment_t *now,
                                  backtracking_done_fn *done, void *owner);
void backtracking_destroy (backtracking_t **self_p);

/*  The plan found. */
choice_t backtracking_choice (const backtracking_t *self);

/*  Why the search last failed for a need. */
typedef struct {
    bool set;
    size_t link; /* of the graph: the link that is too full; SIZE_MAX: none in particular */
    int64_t from_ms;
    int64_t until_ms;
    bool refused; /* it was found free, but the hold was refused: */
    tentative_refusal_t refusal;
} hindrance_t;

/*  By need, or by network need; valid until the search is destroyed. */
const hindrance_t *backtracking_hindrances (const backtracking_t *self, bool network);

#endif
