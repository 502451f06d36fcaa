/*  bench_solve - how long the solvers take, in processor time of one thread, on the same problems.
 *
 *  Each problem is solved five times, and its median counts. A row is a solver and its problems.
 *  CBC's own program, where it is installed, gets the strong form as a file; its time is that of
 *  the process, start and reading included.
 */
#include "bench.h"

#include "formulation.h"
#include "solve_problems.h"
#include "solver.h"

#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    double *us; /* medians, one a problem */
    size_t count;
    size_t unproven;
    int64_t sum; /* sum of proven objectives, to compare solvers */
} times_t;

static int64_t limit_us;
static size_t runs;

static int64_t wall_us (void *of)
{
    (void) of;
    return (int64_t) (bench_wall_ns () / 1000);
}

static solver_answer_t solve (const program_t *program, solver_kind_t kind, double *us)
{
    solver_order_t order = {.kind = kind, .limit = {.time_us_max = limit_us, .clock_us = wall_us}};
    solver_answer_t answer;
    double began = bench_cpu_ns ();
    solver_run (program, &order, &answer);
    *us = (bench_cpu_ns () - began) / 1000;
    return answer;
}

static bool proven (const solver_answer_t *answer)
{
    return answer->status == SOLVER_OPTIMAL || answer->status == SOLVER_INFEASIBLE;
}

static void measure (times_t *times, const program_t *program, solver_kind_t kind)
{
    double samples [BENCH_RUNS];
    for (size_t i = 0; i < runs; i++) {
        solver_answer_t answer = solve (program, kind, &samples [i]);
        if (i == 0) {
            times->unproven += !proven (&answer);
            times->sum += answer.status == SOLVER_OPTIMAL ? answer.plan->cost : 0;
        }
        program_plan_destroy (&answer.plan);
    }
    times->us [times->count++] = bench_median (samples, runs);
}

static void report (bench_t *bench, const char *row, times_t *times)
{
    double total = 0;
    for (size_t i = 0; i < times->count; i++)
        total += times->us [i];
    double median = bench_median (times->us, times->count); /* sorts the samples */
    bench_put (bench, row, "problems", (double) times->count);
    bench_put (bench, row, "total ms", total / 1000);
    bench_put (bench, row, "mean us", total / (double) times->count);
    bench_put (bench, row, "median us", median);
    bench_put (bench, row, "99 % us", times->us [times->count * 99 / 100]);
    bench_put (bench, row, "99.9 % us", times->us [times->count * 999 / 1000]);
    bench_put (bench, row, "max us", times->us [times->count - 1]);
    bench_put (bench, row, "unproven", (double) times->unproven);
    bench_put (bench, row, "objectives", (double) times->sum);
    free (times->us);
}

/*  Every stride-th of the problems, with paths of at most that many edges. */
static void measure_all (bench_t *bench, const char *row, solver_kind_t kind,
                         const problem_t *problems, size_t count, size_t stride, uint32_t hops_max)
{
    times_t times = {.us = calloc (count / stride + 1, sizeof (double))};
    if (!times.us)
        abort ();
    for (size_t i = 0; i < count; i += stride) {
        program_t program = problems [i].program;
        program.hops_max = hops_max;
        measure (&times, &program, kind);
    }
    solver_rest ();
    report (bench, row, &times);
}

/*  --- CBC --- */

/*  Processor time of one run on the file, in us; negative when it can't be run. */
static double cbc_run (const char *file, const char *solution)
{
    char *arguments [] = {"cbc",    (char *) file, "-ratioGap",       "0",
                          "-solve", "-solu",       (char *) solution, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init (&actions);
    posix_spawn_file_actions_addopen (&actions, STDOUT_FILENO, "/dev/null", 1 /* write */, 0);
    pid_t pid;
    int code = posix_spawnp (&pid, "cbc", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy (&actions);
    if (code != 0)
        return -1;
    int status;
    struct rusage used;
    if (wait4 (pid, &status, 0, &used) != pid || !WIFEXITED (status) || WEXITSTATUS (status) != 0)
        return -1;
    return (double) (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e6 +
           (double) (used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/*  What CBC found: its solution's first line is "Optimal - objective value 38.0…" or "Infeasible…".
 */
static void cbc_read (times_t *times, const char *solution)
{
    FILE *file = fopen (solution, "r");
    char line [256];
    double objective;
    bool told = file && fgets (line, sizeof line, file);
    if (told && sscanf (line, "Optimal - objective value %lf", &objective) == 1)
        times->sum += (int64_t) (objective + 0.5);
    else if (!told ||
             (strncmp (line, "Infeasible", 10) != 0 && strncmp (line, "Integer inf", 11) != 0))
        times->unproven++;
    if (file)
        fclose (file);
}

static void measure_cbc (bench_t *bench, const char *row, const problem_t *problems, size_t count,
                         size_t stride)
{
    char folder [] = "/tmp/bench_solve.XXXXXX";
    if (!mkdtemp (folder))
        abort ();
    char file [64];
    char solution [64];
    snprintf (file, sizeof file, "%s/problem.lp", folder);
    snprintf (solution, sizeof solution, "%s/solution", folder);
    times_t times = {.us = calloc (count / stride + 1, sizeof (double))};
    if (!times.us)
        abort ();
    bool there = true;
    for (size_t i = 0; i < count && there; i += stride) {
        double samples [BENCH_RUNS];
        if (!formulation_write (&problems [i].program, file))
            abort ();
        for (size_t k = 0; k < runs && there; k++) {
            samples [k] = cbc_run (file, solution);
            there = samples [k] >= 0;
        }
        if (there) {
            cbc_read (&times, solution);
            times.us [times.count++] = bench_median (samples, runs);
        }
    }
    unlink (file);
    unlink (solution);
    rmdir (folder);
    if (there) {
        report (bench, row, &times);
    } else {
        bench_note (bench, "cbc is not installed (coinor-cbc)");
        free (times.us);
    }
}

/*  --- larger networks --- */

static void measure_large (bench_t *bench, size_t count, size_t sites, size_t requested,
                           double linked, double used)
{
    problem_t *problems = problems_large (7, count, sites, requested, linked, used);
    char row [80];
    snprintf (row, sizeof row, "auto: %zu of %zu, %.0f %% linked, %.0f %% used", requested, sites,
              100 * linked, 100 * used);
    measure_all (bench, row, SOLVER_AUTO, problems, count, 1, 0);
    problems_free (problems, count);
}

int main (int argc, char **argv)
{
    bench_t *bench =
      bench_new (argc, argv, "bench_solve", "solvers of the co-allocation program, processor time");
    size_t windows_least = (size_t) bench_option (bench, "--windows", 500);
    bool glpk = bench_option (bench, "--glpk", 1) != 0;
    bool plain = bench_option (bench, "--plain", 0) != 0;
    bool cbc = bench_option (bench, "--cbc", 1) != 0;
    size_t large = (size_t) bench_option (bench, "--large", 40);
    runs = (size_t) bench_option (bench, "--runs", BENCH_RUNS);
    limit_us = bench_option (bench, "--limit-s", 60) * 1000000;
    bench_begin (bench);
    if (runs < 1 || runs > BENCH_RUNS || windows_least < 1) {
        fprintf (stderr, "bench_solve: --runs is 1 to %d, --windows at least 1\n", BENCH_RUNS);
        return 2;
    }

    size_t count;
    problem_t *windows = problems_s4 (4, &count);
    size_t stride = count / windows_least > 0 ? count / windows_least : 1;
    measure_all (bench, "auto: S4, all windows", SOLVER_AUTO, windows, count, 1, 0);
    measure_all (bench, "auto: S4", SOLVER_AUTO, windows, count, stride, 0);
    if (glpk) {
        measure_all (bench, "glpk: S4", SOLVER_GLPK, windows, count, stride, 0);
        measure_all (bench, "auto: S4, 2 edges", SOLVER_AUTO, windows, count, stride, 2);
        measure_all (bench, "glpk: S4, 2 edges", SOLVER_GLPK, windows, count, stride, 2);
        measure_all (bench, "glpk-pruned: S4, 2 edges", SOLVER_GLPK_PRUNED, windows, count, stride,
                     2);
    }
    if (plain)
        measure_all (bench, "glpk-plain: S4", SOLVER_GLPK_PLAIN, windows, count, stride, 0);
    if (cbc)
        measure_cbc (bench, "cbc, strong form: S4", windows, count, stride);
    problems_free (windows, count);

    static const double used [] = {0.1, 0.5, 0.8};
    for (size_t i = 0; i < 3 && large > 0; i++) {
        measure_large (bench, large, 100, 4, 1, used [i]);
        measure_large (bench, large, 160, 4, 1, used [i]);
        measure_large (bench, large, 80, 6, 0.5, used [i]);
        measure_large (bench, large, 80, 6, 1, used [i]);
    }
    return bench_end (&bench);
}
