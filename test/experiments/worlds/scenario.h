/*  scenario - what the users of S0 ask for, drawn from a seed (tables 1 and 2 of the paper; where
 *  it is silent, as said here).
 *
 *  A workflow (wf) is a chain of three jobs and two links: each job starts d before the one before
 *  it ends, and the link between them spans that d, which is the least of a draw and both jobs'
 *  durations. A co-allocation (co) is three jobs, all linked, with one duration for everything.
 *  Each job wants an operating system and CPUs; nothing else. Load 1 would keep every CPU of the
 *  grid busy, were every request granted. Pure.
 */
#ifndef MUSUBI_SCENARIO_H
#define MUSUBI_SCENARIO_H

#include "prng.h"

#define SCENARIO_JOBS          3 /* jobs of a request of S0 */
#define SCENARIO_LINKS         3
#define SCENARIO_JOBS_MAX      4 /* jobs of any request */
#define SCENARIO_LINKS_MAX     6
#define SCENARIO_PLANNERS      3
#define SCENARIO_W_INTERVAL_MS INT64_C (1800000) /* from arrival to the first start tried */
#define SCENARIO_CPUS_MAX      64                /* lines of a histogram */

/*  How many jobs of a log asked for this many CPUs. */
typedef struct {
    uint32_t cpus [SCENARIO_CPUS_MAX];
    uint64_t jobs [SCENARIO_CPUS_MAX];
    size_t count;
    uint64_t all;
} cpu_histogram_t;

/*  Reads text of lines "CPUS JOBS". False, with why naming the line. */
bool cpu_histogram_read (cpu_histogram_t *self, const char *text, char why [WHY_BYTES]);
double cpu_histogram_mean (const cpu_histogram_t *self);

typedef enum { SCENARIO_WORKFLOW, SCENARIO_COALLOCATION } scenario_kind_t;

#define SCENARIO_ANY_SYSTEM SIZE_MAX

typedef struct {
    size_t system; /* of the grid's operating systems */
    uint32_t cpus;
    int64_t offset_ms;
    int64_t duration_ms;
} scenario_job_t;

typedef struct {
    size_t ends [2]; /* jobs */
    uint32_t mbps;
    int64_t offset_ms;
    int64_t duration_ms;
} scenario_link_t;

typedef struct {
    int64_t arrival_ms;  /* from the scenario's start */
    int64_t earliest_ms; /* the first start that is tried, also from the scenario's start */
    size_t user;
    size_t planner; /* the planner that it is sent to */
    bool distinct;  /* a site for each job */
    scenario_job_t jobs [SCENARIO_JOBS_MAX];
    size_t jobs_count;
    scenario_link_t links [SCENARIO_LINKS_MAX];
    size_t links_count;
    int64_t span_ms;   /* duration of the whole application */
    int64_t within_ms; /* the deadline, counted from the first start that is tried */
} scenario_request_t;

typedef struct {
    scenario_kind_t kind;
    double load;      /* > 0 */
    uint64_t cpus;    /* of the grid */
    int64_t until_ms; /* requests arrive until this time */
    const cpu_histogram_t *histogram;
} scenario_order_t;

/*  The caller frees the list. Ascending by arrival. */
scenario_request_t *scenario_make (const scenario_order_t *order, uint64_t seed, size_t *count);

#endif
