/*  faults - the search: worker processes take seeds from a shared counter.
 *
 *  A schedule that trips an assertion, or never ends, takes its worker with it; the shared page
 *  says which seed it was at, so that the seed counts as failed and the search goes on with a new
 *  one.
 */
#include "faults.h"

#include "batch_scene.h"
#include "chain_scene.h"
#include "coalition_scene.h"
#include "site_scene.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define FAILURES_MAX   256
#define SCHEDULE_S_MAX 30 /* processor time of a schedule; most take below one second */
#define PROGRESS_EVERY 64

typedef struct {
    uint64_t seed;
    char why [LONG_WHY_BYTES];
} faults_failure_t;

/*  Shared by all workers. */
typedef struct {
    _Atomic uint64_t next;
    _Atomic uint64_t done;
    _Atomic uint32_t failures_count; /* failures beyond FAILURES_MAX are only counted */
    faults_failure_t failures [FAILURES_MAX];
    struct {
        _Atomic uint64_t seed; /* the seed that the worker is running; 0 = none */
        sim_tally_t tally;
    } workers [JOBS_MAX];
} faults_shared_t;

static void fail (faults_shared_t *shared, uint64_t seed, const char *why)
{
    uint32_t at = atomic_fetch_add (&shared->failures_count, 1);
    if (at >= FAILURES_MAX)
        return;
    shared->failures [at].seed = seed;
    sim_text (shared->failures [at].why, LONG_WHY_BYTES, why);
}

static void progress (const faults_shared_t *shared, const faults_order_t *order)
{
    uint64_t done = atomic_load (&shared->done);
    if (!isatty (STDERR_FILENO) || done % PROGRESS_EVERY != 0)
        return;
    fprintf (stderr, "\r%" PRIu64 " of %" PRIu64 " schedules, %u failed ", done,
             order->to - order->from + 1, atomic_load (&shared->failures_count));
}

bool faults_schedule_run (uint64_t seed, const faults_order_t *order, sim_tally_t *tally,
                          FILE *trace, char why [LONG_WHY_BYTES])
{
    return order->batch                   ? batch_scene_run (seed, order->files, tally, trace, why)
           : order->nodes || order->files ? site_scene_run (seed, order->files, tally, trace, why)
           : order->chains                ? chain_scene_run (seed, tally, trace, why)
           : order->balance               ? coalition_scene_run (seed, tally, trace, why)
                            : sim_schedule_run (seed, &order->options, tally, trace, why);
}

static void work (faults_shared_t *shared, const faults_order_t *order, size_t worker)
{
    static sim_tally_t tally;
    for (;;) {
        uint64_t seed = atomic_fetch_add (&shared->next, 1);
        if (seed > order->to || (order->stop && atomic_load (&shared->failures_count) > 0))
            break;
        atomic_store (&shared->workers [worker].seed, seed);
        (void) setitimer (ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = SCHEDULE_S_MAX},
                          NULL);
        char why [LONG_WHY_BYTES];
        if (!faults_schedule_run (seed, order, &tally, NULL, why))
            fail (shared, seed, why);
        sim_tally_merge (&shared->workers [worker].tally, &tally);
        memset (&tally, 0, sizeof tally);
        atomic_store (&shared->workers [worker].seed, 0);
        atomic_fetch_add (&shared->done, 1);
        progress (shared, order);
    }
    fflush (NULL);
    _exit (0);
}

static pid_t hire (faults_shared_t *shared, const faults_order_t *order, size_t worker)
{
    fflush (NULL);
    pid_t pid = fork ();
    if (pid == 0)
        work (shared, order, worker);
    if (pid < 0)
        perror ("musubi-sim: fork");
    return pid;
}

/*  Wait for one of the workers; one that died is replaced. */
static size_t workers_left (faults_shared_t *shared, const faults_order_t *order, pid_t *pids,
                            size_t left)
{
    int status;
    pid_t pid = wait (&status);
    if (pid < 0)
        return errno == EINTR ? left : 0;
    for (size_t worker = 0; worker < order->jobs; worker++) {
        if (pids [worker] != pid)
            continue;
        if (WIFEXITED (status) && WEXITSTATUS (status) == 0)
            return left - 1;
        uint64_t seed = atomic_exchange (&shared->workers [worker].seed, 0);
        char why [LONG_WHY_BYTES];
        if (WIFSIGNALED (status))
            snprintf (why, sizeof why, "the process ended by signal %d (%s)%s", WTERMSIG (status),
                      strsignal (WTERMSIG (status)),
                      WTERMSIG (status) == SIGPROF ? ": a core, or a check, takes too long" : "");
        else
            snprintf (why, sizeof why, "the process ended with %d", WEXITSTATUS (status));
        fail (shared, seed, why);
        atomic_fetch_add (&shared->done, 1);
        pids [worker] = hire (shared, order, worker);
        return pids [worker] < 0 ? left - 1 : left;
    }
    return left;
}

static int by_seed (const void *a, const void *b)
{
    const faults_failure_t *one = a;
    const faults_failure_t *two = b;
    return one->seed < two->seed ? -1 : one->seed > two->seed;
}

static int report (faults_shared_t *shared, const faults_order_t *order)
{
    static sim_tally_t sum;
    memset (&sum, 0, sizeof sum);
    for (size_t worker = 0; worker < order->jobs; worker++)
        sim_tally_merge (&sum, &shared->workers [worker].tally);
    sim_tally_print (&sum, stdout);
    uint32_t failed = atomic_load (&shared->failures_count);
    size_t shown = failed < FAILURES_MAX ? failed : FAILURES_MAX;
    qsort (shared->failures, shown, sizeof (faults_failure_t), by_seed);
    if (shown > 0)
        puts ("");
    for (size_t i = 0; i < shown; i++)
        printf ("seed %" PRIu64 ": %s\n", shared->failures [i].seed, shared->failures [i].why);
    bool nothing = sum.counts [order->nodes || order->batch ? COUNT_RUNS
                               : order->files               ? COUNT_FED
                               : order->chains              ? COUNT_RECEIVED
                               : order->balance             ? COUNT_MOVED
                                                            : COUNT_COMMITTED] == 0;
    if (nothing)
        printf ("\nnothing was %s: this shows nothing\n",
                order->nodes || order->files || order->batch ? "run"
                : order->chains                              ? "received"
                : order->balance                             ? "moved"
                                                             : "committed");
    printf ("\n%" PRIu64 " schedules, %u failed\n", atomic_load (&shared->done), failed);
    return failed > 0 || nothing ? 1 : 0;
}

int faults_run (const faults_order_t *order)
{
    assert (order->jobs >= 1 && order->jobs <= JOBS_MAX && order->from <= order->to);
    faults_shared_t *shared =
      mmap (NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        perror ("musubi-sim: shared memory");
        return 1;
    }
    atomic_store (&shared->next, order->from);
    pid_t pids [JOBS_MAX] = {0};
    size_t left = 0;
    for (size_t worker = 0; worker < order->jobs; worker++) {
        pids [worker] = hire (shared, order, worker);
        left += pids [worker] > 0;
    }
    while (left > 0)
        left = workers_left (shared, order, pids, left);
    if (isatty (STDERR_FILENO))
        fputs ("\r\033[K", stderr);
    int code = report (shared, order);
    munmap (shared, sizeof *shared);
    return code;
}
