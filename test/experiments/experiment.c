/*  experiment - shares the plays among workers, then computes the estimates, judges the criteria
 *  and writes the files. */
#include "experiment.h"

#include "must.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLAY_S_MAX 120 /* processor time: only a core that never returns takes that long */

static const experiment_t *const experiments [] = {
  &experiment_backtracking, &experiment_policies, &experiment_wide,     &experiment_arms,
  &experiment_live,         &experiment_growth,   &experiment_scores,   &experiment_extension,
  &experiment_lies,         &experiment_staging,  &experiment_overlap,  &experiment_fanout,
  &experiment_catalogue,    &experiment_steal,    &experiment_quarrel,  &experiment_matrix,
  &experiment_commit,       &experiment_success,  &experiment_levels,   &experiment_weights,
  &experiment_solvers,      &experiment_planners, &experiment_diagrams, &experiment_polling,
  &experiment_batch};
#define EXPERIMENTS (sizeof experiments / sizeof experiments [0])

/*  Shared by all workers; the plays follow it in memory. */
typedef struct {
    _Atomic size_t next;
    _Atomic size_t at [EXPERIMENT_JOBS_MAX]; /* by worker: number of its play, plus one; 0 = none */
    play_t plays [];
} experiment_shared_t;

/*  --- numbers --- */

/*  The value below which 97.5 % of Student's t lies. */
static double student (size_t freedom)
{
    static const double table [] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                                    2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                                    2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                                    2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
    if (freedom <= sizeof table / sizeof table [0])
        return table [freedom - 1];
    return freedom <= 60    ? 2.042
           : freedom <= 120 ? 2.000
                            : 1.980; /* an estimate that is never too narrow */
}

static estimate_t estimate_of (const double *values, size_t count)
{
    estimate_t estimate = {.most = NO_VALUE};
    for (size_t i = 0; i < count; i++) {
        if (isnan (values [i]))
            continue;
        estimate.count++;
        estimate.sum += values [i];
        estimate.most = fmax (estimate.most, values [i]);
    }
    if (estimate.count == 0) {
        estimate.mean = estimate.low = estimate.high = NO_VALUE;
        return estimate;
    }
    estimate.mean = estimate.sum / (double) estimate.count;
    double squares = 0;
    for (size_t i = 0; i < count; i++) {
        double off = values [i] - estimate.mean;
        if (!isnan (off))
            squares += off * off;
    }
    double half = 0;
    if (estimate.count > 1)
        half = student (estimate.count - 1) *
               sqrt (squares / (double) (estimate.count - 1) / (double) estimate.count);
    estimate.low = estimate.mean - half;
    estimate.high = estimate.mean + half;
    return estimate;
}

static size_t plays_of (const experiment_run_t *run, size_t arm)
{
    return run->first [arm + 1] - run->first [arm];
}

estimate_t experiment_estimate (const experiment_run_t *run, size_t arm, size_t metric)
{
    size_t count = plays_of (run, arm);
    double *values = must (calloc (count + 1, sizeof *values));
    for (size_t i = 0; i < count; i++)
        values [i] = run->plays [run->first [arm] + i].values [metric];
    estimate_t estimate = estimate_of (values, count);
    free (values);
    return estimate;
}

estimate_t experiment_paired (const experiment_run_t *run, size_t a, size_t b, size_t metric)
{
    size_t count = plays_of (run, a);
    assert (count == plays_of (run, b));
    double *values = must (calloc (count + 1, sizeof *values));
    for (size_t i = 0; i < count; i++)
        values [i] = run->plays [run->first [b] + i].values [metric] -
                     run->plays [run->first [a] + i].values [metric];
    estimate_t estimate = estimate_of (values, count);
    free (values);
    return estimate;
}

size_t experiment_failures (const experiment_run_t *run, size_t arm)
{
    size_t failures = 0;
    for (size_t i = run->first [arm]; i < run->first [arm + 1]; i++)
        failures += run->plays [i].failed;
    return failures;
}

void experiment_setting (experiment_run_t *run, const char *name, const char *format, ...)
{
    assert (run->settings_count < SETTINGS_MAX);
    told_setting_t *setting = &run->settings [run->settings_count++];
    setting->name = name;
    va_list arguments;
    va_start (arguments, format);
    vsnprintf (setting->value, sizeof setting->value, format, arguments);
    va_end (arguments);
}

void experiment_criterion (experiment_run_t *run, const char *name, bool accept, const char *format,
                           ...)
{
    assert (run->criteria_count < CRITERIA_MAX);
    criterion_t *criterion = &run->criteria [run->criteria_count++];
    snprintf (criterion->name, sizeof criterion->name, "%s", name);
    criterion->accept = accept;
    va_list arguments;
    va_start (arguments, format);
    vsnprintf (criterion->what, sizeof criterion->what, format, arguments);
    va_end (arguments);
}

void experiment_criterion_sound (experiment_run_t *run)
{
    size_t failures = 0;
    size_t arms = run->experiment->arms (run->small);
    for (size_t arm = 0; arm < arms; arm++)
        failures += experiment_failures (run, arm);
    experiment_criterion (run, "sound", failures == 0,
                          "%zu of %zu plays broke an invariant of the simulation", failures,
                          run->first [arms]);
}

/*  --- the plays --- */

static void find (const experiment_run_t *run, size_t play, size_t *arm, uint64_t *seed)
{
    *arm = 0;
    while (run->first [*arm + 1] <= play)
        (*arm)++;
    *seed = 1 + (play - run->first [*arm]);
}

static void play_one (const experiment_run_t *run, size_t at, play_t *play)
{
    size_t arm;
    uint64_t seed;
    find (run, at, &arm, &seed);
    for (size_t metric = 0; metric < METRICS_MAX; metric++)
        play->values [metric] = NO_VALUE;
    run->experiment->play (arm, seed, play);
}

static void work (experiment_shared_t *shared, const experiment_run_t *run, size_t plays,
                  size_t worker)
{
    for (;;) {
        size_t at = atomic_fetch_add (&shared->next, 1);
        if (at >= plays)
            break;
        if (run->taken [at])
            continue;
        atomic_store (&shared->at [worker], at + 1);
        (void) setitimer (ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = PLAY_S_MAX}, NULL);
        play_one (run, at, &shared->plays [at]);
        atomic_store (&shared->at [worker], 0);
    }
    fflush (NULL);
    _exit (0);
}

static pid_t hire (experiment_shared_t *shared, const experiment_run_t *run, size_t plays,
                   size_t worker)
{
    fflush (NULL);
    pid_t pid = fork ();
    if (pid == 0)
        work (shared, run, plays, worker);
    if (pid < 0)
        perror ("musubi-sim: fork");
    return pid;
}

/*  A worker has ended. If it died at a play, that play counts as a failure and a new worker
 *  replaces it. */
static pid_t replace (experiment_shared_t *shared, const experiment_run_t *run, size_t plays,
                      size_t worker, int status)
{
    if (WIFEXITED (status) && WEXITSTATUS (status) == 0)
        return 0;
    size_t at = atomic_exchange (&shared->at [worker], 0);
    if (at > 0) {
        play_t *play = &shared->plays [at - 1];
        for (size_t metric = 0; metric < METRICS_MAX; metric++)
            play->values [metric] = NO_VALUE;
        play->failed = true;
        snprintf (play->why, sizeof play->why, "the process ended by signal %d",
                  WIFSIGNALED (status) ? WTERMSIG (status) : 0);
    }
    return hire (shared, run, plays, worker);
}

static bool play_all (experiment_run_t *run, size_t plays)
{
    size_t bytes = sizeof (experiment_shared_t) + plays * sizeof (play_t);
    experiment_shared_t *shared =
      mmap (NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        perror ("musubi-sim: shared memory");
        return false;
    }
    memcpy (shared->plays, run->plays, plays * sizeof *run->plays);
    pid_t pids [EXPERIMENT_JOBS_MAX] = {0};
    size_t left = 0;
    for (size_t worker = 0; worker < run->jobs; worker++) {
        pids [worker] = hire (shared, run, plays, worker);
        left += pids [worker] > 0;
    }
    bool good = left > 0;
    while (left > 0) {
        int status;
        pid_t pid = wait (&status);
        if (pid < 0 && errno == EINTR)
            continue;
        if (pid < 0)
            break;
        for (size_t worker = 0; worker < run->jobs; worker++) {
            if (pids [worker] != pid)
                continue;
            pids [worker] = replace (shared, run, plays, worker, status);
            if (pids [worker] <= 0)
                left--;
            good = good && pids [worker] >= 0;
        }
    }
    memcpy (run->plays, shared->plays, plays * sizeof *run->plays);
    munmap (shared, bytes);
    return good;
}

/*  --- what is told --- */

static void tell_arm (const experiment_run_t *run, size_t arm)
{
    const experiment_t *experiment = run->experiment;
    char name [ARM_NAME_BYTES];
    experiment->arm_name (arm, name);
    printf ("%s (%zu plays)\n", name, run->first [arm + 1] - run->first [arm]);
    for (size_t metric = 0; metric < experiment->metrics_count; metric++) {
        estimate_t estimate = experiment_estimate (run, arm, metric);
        if (estimate.count > 0)
            printf ("  %-24s %12.4g  [%.4g, %.4g]  %s\n", experiment->metrics [metric].name,
                    estimate.mean, estimate.low, estimate.high, experiment->metrics [metric].what);
    }
}

static void tell_failures (const experiment_run_t *run, size_t plays)
{
    size_t told = 0;
    for (size_t i = 0; i < plays && told < 20; i++) {
        if (!run->plays [i].failed)
            continue;
        size_t arm;
        uint64_t seed;
        char name [ARM_NAME_BYTES];
        find (run, i, &arm, &seed);
        run->experiment->arm_name (arm, name);
        printf ("broken: %s, seed %" PRIu64 ": %s\n", name, seed, run->plays [i].why);
        told++;
    }
}

static int tell (const experiment_run_t *run, size_t arms)
{
    bool accept = true;
    printf ("%s: %s\n\n", run->experiment->name, run->experiment->title);
    if (run->experiment->tell)
        run->experiment->tell (run, stdout);
    else
        for (size_t arm = 0; arm < arms; arm++)
            tell_arm (run, arm);
    puts ("");
    tell_failures (run, run->first [arms]);
    for (size_t i = 0; i < run->criteria_count; i++) {
        const criterion_t *criterion = &run->criteria [i];
        accept = accept && criterion->accept;
        printf ("%-8s %s: %s\n", criterion->accept ? "accept" : "REJECT", criterion->name,
                criterion->what);
    }
    return accept ? 0 : 1;
}

static bool draw (const experiment_run_t *run, const char *path)
{
    FILE *to = fopen (path, "w");
    if (!to)
        return false;
    run->experiment->plot (run, to);
    bool good = !ferror (to);
    return fclose (to) == 0 && good;
}

static int list (void)
{
    for (size_t i = 0; i < EXPERIMENTS; i++)
        printf ("%s  %s (%" PRIu64 " seeds, %zu arms)\n", experiments [i]->name,
                experiments [i]->title, experiments [i]->seeds, experiments [i]->arms (false));
    return 0;
}

static const experiment_t *experiment_named (const char *name)
{
    for (size_t i = 0; i < EXPERIMENTS; i++)
        if (strcmp (experiments [i]->name, name) == 0)
            return experiments [i];
    return NULL;
}

int experiment_run (const experiment_order_t *order)
{
    if (!order->name)
        return list ();
    const experiment_t *experiment = experiment_named (order->name);
    if (!experiment) {
        fprintf (stderr, "musubi-sim: %s: no such experiment; experiment --list names them\n",
                 order->name);
        return 2;
    }
    experiment_run_t run = {.experiment = experiment,
                            .seeds = order->seeds   ? order->seeds
                                     : order->small ? experiment->seeds_small
                                                    : experiment->seeds,
                            .small = order->small,
                            .jobs = experiment->alone ? 1 : order->jobs,
                            .revision = order->revision};
    size_t arms = experiment->arms (run.small);
    run.first = must (calloc (arms + 1, sizeof *run.first));
    for (size_t arm = 0; arm < arms; arm++)
        run.first [arm + 1] =
          run.first [arm] +
          (experiment->arm_seeds ? experiment->arm_seeds (arm, run.seeds) : run.seeds);
    size_t plays = run.first [arms];
    char why [LONG_WHY_BYTES];
    int code = 1;
    run.plays = must (calloc (plays + 1, sizeof *run.plays));
    run.taken = must (calloc (plays + 1, sizeof *run.taken));
    if (order->take && !experiment_take (&run, order->take, why)) {
        fprintf (stderr, "musubi-sim: --take %s: %s\n", order->take, why);
    } else if (play_all (&run, plays)) {
        experiment->judge (&run);
        code = tell (&run, arms);
        if (order->out && !experiment_write (&run, order->out)) {
            fprintf (stderr, "musubi-sim: %s: %s\n", order->out, strerror (errno));
            code = 1;
        }
        if (order->plot && !draw (&run, order->plot)) {
            fprintf (stderr, "musubi-sim: %s: %s\n", order->plot, strerror (errno));
            code = 1;
        }
    }
    free (run.plays);
    free (run.taken);
    free (run.first);
    return code;
}
