/*  planner_settings - the settings of a planner; planner_config.h reads them from a file. */
#ifndef MUSUBI_PLANNER_SETTINGS_H
#define MUSUBI_PLANNER_SETTINGS_H

#include "ledger.h"
#include "setting.h"
#include "solver_order.h"

/*  How ip chooses among equal plans (S4's A and B). */
typedef enum { BALANCE_EVEN, BALANCE_WEIGHTS, BALANCE_POWER, BALANCE_NONE } balance_t;

/*  "ams", 10. */
typedef struct {
    char name [NAME_BYTES_MAX + 1];
    uint32_t number;
} named_number_t;

/*  The settings of algorithm ip (S4). */
typedef struct {
    uint32_t windows;     /* number of starts tried, N; at most WINDOWS_ASKED_MAX */
    solver_kind_t solver; /* glpk-pruned only with hops_max */
    bool first;           /* take the first plan of a window, not the best */
    uint32_t hops_max;    /* most links in a path, Pmax; 0 = any number */
    uint64_t steps_max;   /* of the solver, for one window */
    int64_t time_ms_max;  /* windows whose turn has not come by then are left out */
    uint32_t workers;     /* solver processes at once; 0 = none: everything is solved in this
                             process, limited by steps alone (in a file: one a processor) */
    balance_t balance;
    const named_number_t *weights; /* of sites and domains; 1 for any other */
    size_t weights_count;
    uint32_t visible;                 /* percent of what is free that a user's plans may use (C) */
    const named_number_t *visible_to; /* the same, for actors that have another percentage */
    size_t visible_to_count;
} ip_settings_t;

extern const setting_table_t ip_table;

/*  How long a plan allows for a file to come (SPEC 60). */
typedef struct {
    int64_t start_ms;         /* before the first byte comes */
    uint32_t margin_percent;  /* of a measured rate that is not counted on */
    uint32_t unmeasured_mbps; /* counted on where nothing was measured, before the margin */
} staging_terms_t;

extern const setting_table_t staging_table;

typedef struct {
    const char *const *gis_endpoints;
    size_t gis_count;
    const char *const *administrators; /* they see every reservation's details */
    size_t administrators_count;
    uint32_t in_progress_max;    /* most requests at once; others are told OVERLOADED */
    int64_t request_limit_ms;    /* time to answer, even if only with "in progress" */
    int64_t margin_ms;           /* how much later than the request a start of "now" is */
    int64_t guard_ms;            /* no plan is committed closer than this to its edge (T4) */
    int64_t decide_ms;           /* time to collect the votes on a plan */
    uint32_t hold_ttl_ms;        /* lifetime requested for holds */
    int64_t try_ms;              /* how long one try of a call waits, at least */
    int64_t try_ms_max;          /* and at most, for a participant that was slow or silent */
    uint32_t tries_max;          /* of a question or a hold; a commit is tried for ever */
    uint32_t attempts_max;       /* rounds of votes for one request */
    int64_t backoff_ms;          /* longest pause before the second attempt; pending_pause */
    uint32_t repair_tries_max;   /* plans tried in place of one that could not be kept */
    int64_t repair_limit_ms;     /* time for that, since the repair began here (T10) */
    uint32_t candidates_first;   /* so few sites and domains are all asked at once */
    uint32_t candidates_max;     /* places asked at once for one need; at most CANDIDATES_MAX */
    uint32_t asked_max;          /* places asked in all, until a plan is found; at most ASKED_MAX */
    uint32_t locate_all_max;     /* so few participants are asked at once where a reservation is;
                                    of more, those that its homes tell of */
    uint64_t search_steps_max;   /* of one search: then the best plan so far, or "unknown" */
    uint64_t search_slice_steps; /* of one slice: then other requests get their turn */
    int64_t frame_ms;            /* time frame searched when a request sets no end */
    int64_t frame_ms_max;        /* longest time frame searched */
    ledger_limits_t ledger;      /* how much of it is kept */
    int64_t retention_ms;        /* of commit records, from the end of their last window (T5) */
    int64_t done_ms;             /* how long DONE messages are gathered (T6) */
    int64_t finish_interval_ms;  /* between searches for stores of dead planners; 0 = none (T8) */
    int64_t finish_linger_ms;    /* how long a finisher stays after the last question */
    int64_t backtrack_wait_ms;   /* bbr, bir: time for planning; the first start tried is at its
                                    end (w_interval of S0) */
    bool backtrack_whole;        /* bbr, bir: skip places too late for the whole plan */
    bool backtrack_least;        /* bbr, bir: move the start only when no place is free on time */
    bool backtrack_serial;       /* bbr, bir: ask sites one after another */
    bool backtrack_own;          /* bbr: the plan's own choices count as taken */
    bool backtrack_terse;        /* bbr, bir: refuse without asking again for reasons */
    ip_settings_t ip;
    staging_terms_t staging;
    int64_t restore_guard_wait_ms; /* for a directory, at start; 0 = serve at once (T14) */
    bool finishing;                /* settle this store and end; take no requests (T8) */
} planner_settings_t;

extern const setting_table_t planner_table;

#endif
