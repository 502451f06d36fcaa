/*  experiment - what the papers claim, tried in the simulated host: musubi-sim experiment NAME.
 *
 *  An experiment has arms: the ways that are compared. Every arm is played with every seed, the
 *  same seeds for all, and each play gives a number for each metric, or none where a metric says
 *  nothing of this play. The criteria are judged on those numbers. A play is a pure function of
 *  (arm, seed): workers share the plays among them, and the result is the same for any number of
 *  workers, to the byte.
 */
#ifndef MUSUBI_EXPERIMENT_H
#define MUSUBI_EXPERIMENT_H

#include "bytes.h"
#include "sim_message.h"

#include <stdio.h>

#define METRICS_MAX          112
#define CRITERIA_MAX         16
#define SETTINGS_MAX         16
#define ARM_NAME_BYTES       96
#define EXPERIMENT_JOBS_MAX  64
#define EXPERIMENT_SEEDS_MAX 100000

/*  The value of a metric that says nothing of a play. */
#define NO_VALUE __builtin_nan ("")

typedef struct {
    const char *name; /* "modify_ms" */
    const char *what; /* a few words, with the unit */
} metric_t;

/*  One arm with one seed. */
typedef struct {
    double values [METRICS_MAX]; /* NO_VALUE until they are set */
    bool failed;                 /* an invariant did not hold; why says which one */
    char why [LONG_WHY_BYTES];
} play_t;

typedef struct {
    char name [64];
    char what [320];
    bool accept;
} criterion_t;

typedef struct {
    const char *name;
    char value [160];
} told_setting_t;

typedef struct experiment experiment_t;

/*  All plays of one run. */
typedef struct {
    const experiment_t *experiment;
    uint64_t seeds; /* from 1; an arm may take a multiple of them */
    bool small;     /* the short form, as CI runs it */
    uint32_t jobs;
    const char *revision;
    play_t *plays; /* by arm, then seed */
    bool *taken;   /* plays that were taken from an earlier result and are not played */
    size_t *first; /* by arm: index of its first play; one more element for the end */
    criterion_t criteria [CRITERIA_MAX];
    size_t criteria_count;
    told_setting_t settings [SETTINGS_MAX];
    size_t settings_count;
} experiment_run_t;

struct experiment {
    const char *name;  /* "E3.1" */
    const char *title; /* one sentence */
    const char *claim; /* what the paper says */
    const metric_t *metrics;
    size_t metrics_count;
    size_t (*arms) (bool small);
    void (*arm_name) (size_t arm, char name [ARM_NAME_BYTES]);
    uint64_t (*arm_seeds) (size_t arm, uint64_t seeds); /* NULL: seeds, for every arm */
    uint64_t seeds;                                     /* by default */
    uint64_t seeds_small;
    bool alone; /* plays measure this machine, so two never run at a time */
    void (*play) (size_t arm, uint64_t seed, play_t *play);
    void (*judge) (experiment_run_t *run);
    void (*plot) (const experiment_run_t *run, FILE *to); /* an SVG */
    void (*tell) (const experiment_run_t *run, FILE *to); /* a table for people; may be NULL */
};

extern const experiment_t experiment_backtracking;
extern const experiment_t experiment_growth;
extern const experiment_t experiment_scores;
extern const experiment_t experiment_extension;
extern const experiment_t experiment_lies;
extern const experiment_t experiment_policies;
extern const experiment_t experiment_wide;
extern const experiment_t experiment_arms;
extern const experiment_t experiment_planners;
extern const experiment_t experiment_live;
extern const experiment_t experiment_batch;
extern const experiment_t experiment_catalogue;
extern const experiment_t experiment_staging;
extern const experiment_t experiment_overlap;
extern const experiment_t experiment_fanout;
extern const experiment_t experiment_steal;
extern const experiment_t experiment_quarrel;
extern const experiment_t experiment_matrix;
extern const experiment_t experiment_commit;
extern const experiment_t experiment_success;
extern const experiment_t experiment_levels;
extern const experiment_t experiment_weights;
extern const experiment_t experiment_solvers;
extern const experiment_t experiment_diagrams;
extern const experiment_t experiment_polling;

/*  Mean and its 95 % interval (Student's t) over the plays that have a value. */
typedef struct {
    size_t count;
    double mean;
    double low;
    double high;
    double sum;
    double most;
} estimate_t;

estimate_t experiment_estimate (const experiment_run_t *run, size_t arm, size_t metric);

/*  The difference arm b less arm a, seed by seed: both must have been played with the same seeds.
 */
estimate_t experiment_paired (const experiment_run_t *run, size_t a, size_t b, size_t metric);

/*  How many plays of the arm broke an invariant. */
size_t experiment_failures (const experiment_run_t *run, size_t arm);

void experiment_setting (experiment_run_t *run, const char *name, const char *format, ...)
  __attribute__ ((format (printf, 3, 4)));
void experiment_criterion (experiment_run_t *run, const char *name, bool accept, const char *format,
                           ...) __attribute__ ((format (printf, 4, 5)));

/*  The criterion that no play of any arm breaks an invariant. */
void experiment_criterion_sound (experiment_run_t *run);

/*  The whole result as JSON; false with errno when it can't be written. */
bool experiment_write (const experiment_run_t *run, const char *path);

/*  Takes the plays of the same arms and seeds from a result of the same revision and form, and
 *  marks them. Their values have the ten digits that were written. False with why. */
bool experiment_take (experiment_run_t *run, const char *path, char why [LONG_WHY_BYTES]);

typedef struct {
    const char *name; /* NULL: list them */
    uint64_t seeds;   /* 0 = the experiment's own */
    bool small;
    uint32_t jobs;
    const char *out;  /* NULL = none */
    const char *take; /* an earlier result to take plays from; NULL = none */
    const char *plot; /* NULL = none */
    const char *revision;
} experiment_order_t;

/*  Exit code: 0 when every criterion holds, 1 when one does not or a file can't be written, 2 when
 *  there is no such experiment. */
int experiment_run (const experiment_order_t *order);

#endif
