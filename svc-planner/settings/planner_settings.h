/*  planner_settings - what an operator says of a planner; planner_config.h reads it from a file. */
#ifndef MUSUBI_PLANNER_SETTINGS_H
#define MUSUBI_PLANNER_SETTINGS_H

#include "core.h"
#include "solver_order.h"

/*  How an operator has ip choose among places (S4's A and B). */
typedef enum { BALANCE_EVEN, BALANCE_WEIGHTS, BALANCE_POWER, BALANCE_NONE } balance_t;

/*  "ams", 10. */
typedef struct {
    char name [NAME_BYTES_MAX + 1];
    uint32_t number;
} named_number_t;

/*  What the integer programs of algorithm ip are told (S4). */
typedef struct {
    uint32_t windows;     /* starts that are looked at, N; at most WINDOWS_ASKED_MAX */
    solver_kind_t solver; /* glpk-pruned only with hops_max */
    bool first;           /* any plan of a window will do */
    uint32_t hops_max;    /* links of a path, Pmax; 0 = any */
    uint64_t steps_max;   /* of the solver, for one window */
    int64_t time_ms_max;  /* windows whose turn comes later are not looked at */
    uint32_t workers;     /* solvers in processes of their own at once; 0 = none: where the host
                             has no workers, all is solved here, bounded by steps alone */
    balance_t balance;
    const named_number_t *weights; /* of sites and domains; 1 where there is none */
    size_t weights_count;
    uint32_t visible;                 /* percent of what is free that a user's plans may see (C) */
    const named_number_t *visible_to; /* where that is another for an actor */
    size_t visible_to_count;
} ip_settings_t;

typedef struct {
    const char *const *gis_endpoints;
    size_t gis_count;
    const char *const *administrators; /* they see every reservation's details */
    size_t administrators_count;
    uint32_t in_progress_max;    /* requests at once; OVERLOADED beyond */
    int64_t request_limit_ms;    /* an answer by then, even if it is "in progress" */
    int64_t margin_ms;           /* "now" as a start means so much later */
    int64_t guard_ms;            /* nothing is decided nearer than this to the edge (T4) */
    int64_t decide_ms;           /* a plan's decide_by is so far away */
    uint32_t hold_ttl_ms;        /* asked for holds */
    int64_t try_ms;              /* patience with one try of a call to a participant, */
    int64_t try_ms_max;          /* longer, up to this, with one whose answers take long */
    uint32_t tries_max;          /* tries of a question or a hold; a commit is tried for ever */
    uint32_t attempts_max;       /* rounds of hold and prepare for one request */
    int64_t backoff_ms;          /* before the second attempt, at most; pending_pause */
    uint32_t repair_tries_max;   /* plans looked for in the place of one that could not be kept */
    int64_t repair_limit_ms;     /* and for so long, since the repair began here (T10) */
    uint32_t candidates_max;     /* places asked at once for one need, at most CANDIDATES_MAX */
    uint32_t asked_max;          /* in all, as many at once, until a plan is found; ASKED_MAX */
    uint64_t search_steps_max;   /* of one search: then the best so far, or "unknown" */
    uint64_t search_slice_steps; /* after so many, other requests get their turn */
    int64_t frame_ms;            /* how far starts are looked for when a request sets no end */
    int64_t frame_ms_max;        /* the longest frame searched */
    int64_t ledger_retention_ms; /* rows of the ledger are kept so long (ledger.h) */
    int64_t retention_ms;        /* commit records stay so long past the last window's end (T5) */
    int64_t done_ms;             /* DONE messages are gathered for so long (T6) */
    int64_t finish_interval_ms; /* how often dead planners' stores are looked for; 0 = never (T8) */
    int64_t finish_linger_ms;   /* a finisher stays so long after the last question */
    int64_t backtrack_wait_ms;  /* bbr, bir: the first start tried is so far ahead, and planning
                                   ends by then (w_interval of S0) */
    bool backtrack_whole;       /* bbr, bir: no place from which the whole plan can't end in time */
    bool backtrack_least;       /* bbr, bir: a late place moves the start only when all are late */
    bool backtrack_serial;      /* bbr, bir: sites are asked one after another */
    bool backtrack_own;         /* bbr: the plan's own choices count as taken */
    bool backtrack_terse;       /* bbr, bir: nobody is asked again to explain a refusal */
    ip_settings_t ip;
    int64_t restore_guard_wait_ms; /* for a directory, at start; 0 = it serves meanwhile (T14) */
    bool finishing;                /* settle this store and end: takes no requests (T8) */
} planner_settings_t;

extern const planner_settings_t planner_settings_default;

#endif
