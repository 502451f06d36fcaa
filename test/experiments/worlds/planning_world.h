/*  planning_world - the papers' simulations, played with our own services: S0's grid (18 sites, one
 *  network domain, three planners) or S4's federation (s4_world.h: 10 sites, three domains, one
 *  planner), and one directory. Each query takes the time of S0's table 2, or none at all:
 *
 *      free check 1-2 s (Calendar.Windows), CPU window search 2-3 s (Calendar.Free),
 *      prepare, commit, cancel 1-2 s each; all else nothing
 *
 *  A profile counts as a window search: it is more than one answer of S0's, in one message.
 *
 *  Each service does one thing at a time, each planner one request at a time, in the order of their
 *  arrival; a request that is not answered by arrival + w_interval has failed. bir's last round,
 *  where a hold replaces those of the same plan, takes no time, but its messages count. Every other
 *  hold takes its time, even one that replaces what an earlier plan held.
 *
 *  bbr and bir take the fixed routes of S0; the others choose among all paths, as this project does
 *  by default.
 */
#ifndef MUSUBI_PLANNING_WORLD_H
#define MUSUBI_PLANNING_WORLD_H

#include "planner.h"
#include "planning_wire.h"
#include "scenario.h"

#define PLANNING_W_INTERVAL_MS SCENARIO_W_INTERVAL_MS
#define PLANNING_BURST_MAX     32

typedef enum { PLANNING_GRID, PLANNING_S4 } planning_setting_t;

/*  Called when a request has been answered; tells whether in time. */
typedef void planning_told_fn (void *owner, const scenario_request_t *request,
                               const planning_answer_t *answer, bool in_time);

/*  Queries whose time was measured at live services. */
typedef enum {
    TIMED_FREE,
    TIMED_WINDOWS,
    TIMED_PROFILE,
    TIMED_HOLD,  /* also used for a vote: a record and a flush */
    TIMED_ABORT, /* also used for a commit: the same */
    TIMED
} timed_t;

/*  The world of E0.5, as live services have it: fewer sites, the product's own limits and timers,
 *  each query taking the time that was measured. Requests come faster than the scenario says; the
 *  windows that they ask for are as S0 has them, and lie ahead. */
typedef struct {
    size_t sites;
    int64_t haste;    /* seconds of the scenario in one second */
    int64_t ahead_ms; /* from the first arrival's moment to the scenario's */
    int64_t times_us [TIMED];
    uint64_t lot; /* other ties between the same requests */
} planning_live_t;

typedef struct {
    planning_setting_t setting;
    bool untimed; /* queries take no time: only the order of requests matters */
    const char *algorithm;
    const char *policy;
    scenario_kind_t kind;
    bool wide;
    double load;
    int64_t hours; /* of arrivals */
    size_t burst;  /* requests that come at once, each to its own planner; 0 = one by one */
    const cpu_histogram_t *histogram; /* of the grid's requests */
    const ip_settings_t *ip;          /* NULL: by default */
    planning_told_fn *told;           /* may be NULL */
    void *owner;
    bool own;   /* bbr counts its own choices */
    bool least; /* a late place moves the start only when all are */
    bool whole; /* the milder deadline */
    bool quota; /* uncommitted holds are limited as they are by default (hold_quota.h) */
    bool stale; /* every third site is newer than the directory's list */
    const planning_live_t *live; /* NULL: S0's world */
} planning_order_t;

typedef struct {
    uint64_t requests;
    uint64_t planned;
    double price;      /* credits a CPU-hour of what was planned, links included */
    double planning_s; /* mean of planned requests: from question to committed plan */
    double latency_s;  /* mean of planned requests: in the planner's hands, commits too */
    double waited_s;   /* mean over answered requests: from arrival to answer */
    double messages;   /* messages to and from services, for each request */
    double blocked;    /* CPU-seconds held and never committed, for each request */
    uint64_t too_late; /* requests not answered within w_interval */
} planning_result_t;

/*  What these requests ask of routes: S0's are fixed, other planners choose theirs. */
const char *planning_route (const char *algorithm);

/*  A pure function of its arguments. False with why when something did not hold. */
bool planning_play (const planning_order_t *order, uint64_t seed, planning_result_t *result,
                    char why [LONG_WHY_BYTES]);

#endif
