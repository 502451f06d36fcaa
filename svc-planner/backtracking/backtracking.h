/*  backtracking - bbr and bir over live services: S0's search (backtrack.h), its questions put to
 *  sites and network domains, its choices held where they are to be.
 *
 *  A site is asked when, from the wished start on, the need is free (Calendar.Free); a domain,
 *  whether its links of the one fixed path are free (Calendar.Windows). Who discloses windows
 *  only is asked about some, at equal distances; who is silent has nothing free.
 */
#ifndef MUSUBI_BACKTRACKING_H
#define MUSUBI_BACKTRACKING_H

#include "attempt.h"
#include "backtrack.h"
#include "snapshot.h"
#include "tentative.h"
#include "unresponsive.h"

typedef struct backtracking backtracking_t;

/*  Everything is borrowed for life; the snapshot has candidates and graph, nothing of it need be
 *  known to be free. */
typedef struct {
    service_t *service;
    const planner_settings_t *settings;
    coordinator_t *coordinator;
    unresponsive_t *unresponsive;
    snapshot_t *snapshot; /* who is silent is noted there */
    const char *actor;
    const char *request_id;
    starts_t starts;
    policy_t policy;
    bool incremental;      /* bir */
    bool counts_own;       /* what the plan in the making takes counts as taken */
    int64_t limit_mono_ms; /* given up by then: begun + w_interval */
    trail_t *trail;        /* takes the holds that are left, of a plan found, too */
} backtracking_order_t;

typedef enum {
    BACKTRACKING_FOUND,
    BACKTRACKING_NONE, /* as far as this search goes, which is incomplete */
    BACKTRACKING_LATE, /* the limit came first */
} backtracking_end_t;

/*  Called once, never from within backtracking_new. */
typedef void backtracking_done_fn (void *owner, const moment_t *now, backtracking_end_t end);

backtracking_t *backtracking_new (const backtracking_order_t *order, const moment_t *now,
                                  backtracking_done_fn *done, void *owner);
void backtracking_destroy (backtracking_t **self_p);

/*  The plan found. */
choice_t backtracking_choice (const backtracking_t *self);

/*  The last no that the search met for a need. */
typedef struct {
    bool set;
    size_t link; /* of the graph, the one too full; SIZE_MAX: none in particular */
    int64_t from_ms;
    int64_t until_ms;
    bool refused; /* to be held: */
    tentative_refusal_t refusal;
} hindrance_t;

/*  By need, or by network need; good until the search ends. */
const hindrance_t *backtracking_hindrances (const backtracking_t *self, bool network);

#endif
