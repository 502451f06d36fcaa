/*  solving: a solver in a process of its own gives the answers of one in this, and ends in time
 *  where that one does not.
 */
#include "program_verify.h"

#include "must.h"
#include "prng.h"
#include "solving.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { NODES_MOST = 150, EDGES_MOST = 600, SITES_MOST = 64, LINKS_MOST = 2016 };

typedef struct {
    program_t program;
    program_node_t nodes [NODES_MOST];
    program_edge_t edges [EDGES_MOST];
    int64_t cpus [SITES_MOST];
    program_link_t links [LINKS_MOST];
    int64_t offers [SITES_MOST * NODES_MOST];
    uint8_t barred [LINKS_MOST * EDGES_MOST];
} solving_drawn_t;

/*  A net drawn by lot in which each node is joined to `degree` later ones, and sites that are all
 *  linked with each other. */
static solving_drawn_t *draw (uint64_t seed, size_t nodes, size_t degree, size_t sites)
{
    solving_drawn_t *self = calloc (1, sizeof *self);
    assert_non_null (self);
    prng_t prng;
    prng_seed (&prng, seed);
    self->program = (program_t){.nodes = self->nodes,
                                .nodes_count = nodes,
                                .edges = self->edges,
                                .cpus = self->cpus,
                                .sites_count = sites,
                                .links = self->links};
    for (uint32_t i = 0; i < nodes; i++) {
        self->nodes [i] =
          (program_node_t){.cpus = 4, .unit_cost = 1 + (int64_t) prng_below (&prng, 5)};
        for (uint32_t k = 1; k <= degree && i + k < nodes; k++)
            self->edges [self->program.edges_count++] =
              (program_edge_t){.ends = {i, i + k},
                               .bandwidth = 1 + (int64_t) prng_below (&prng, 3),
                               .unit_cost = 1 + (int64_t) prng_below (&prng, 9)};
    }
    for (uint32_t o = 0; o < sites; o++) {
        self->cpus [o] = 1 + (int64_t) prng_below (&prng, 4);
        for (uint32_t p = o + 1; p < sites; p++)
            self->links [self->program.links_count++] =
              (program_link_t){.ends = {o, p}, .bandwidth = 1};
    }
    return self;
}

/*  What each site and link may use is its own. */
static void draw_differences (solving_drawn_t *self, uint64_t seed)
{
    prng_t prng;
    prng_seed (&prng, seed);
    program_t *program = &self->program;
    for (size_t i = 0; i < program->sites_count * program->nodes_count; i++)
        self->offers [i] =
          prng_below (&prng, 4) == 0 ? PROGRAM_BARRED : (int64_t) prng_below (&prng, 6);
    for (size_t i = 0; i < program->links_count * program->edges_count; i++)
        self->barred [i] = prng_below (&prng, 8) == 0;
    program->offers = self->offers;
    program->barred = self->barred;
}

/*  Has it solved by that solver; the answer is about `program`. */
static solver_answer_t solve_by (const char *solver, const program_t *program,
                                 const solver_order_t *order, bool (*stop) (void))
{
    packed_t asked = solving_order_encode (program, order);
    uint8_t *result;
    size_t size;
    bool good = solving_run (solver, packed_bytes (asked), stop, &result, &size);
    free (asked.data);
    if (!good)
        fail_msg ("%s", (const char *) result);
    solver_answer_t answer;
    int64_t spent_us;
    assert_true (
      solving_answer_decode ((bytes_t){.data = result, .size = size}, program, &answer, &spent_us));
    assert_true (spent_us >= 0);
    free (result);
    return answer;
}

/*  By musubi-solve. */
static solver_answer_t solve_aside (const program_t *program, const solver_order_t *order)
{
    char solver [PATH_MAX];
    solving_program (solver);
    return solve_by (solver, program, order, NULL);
}

static void same_plan (const program_t *program, const program_plan_t *one,
                       const program_plan_t *other)
{
    assert_int_equal (one->cost, other->cost);
    assert_memory_equal (one->nodes, other->nodes, program->sites_count * sizeof *one->nodes);
    for (size_t l = 0; l < program->links_count; l++) {
        size_t row = l * program->nodes_count;
        assert_int_equal (one->path_lengths [l], other->path_lengths [l]);
        assert_memory_equal (&one->paths [row], &other->paths [row],
                             one->path_lengths [l] * sizeof *one->paths);
    }
}

/*  --- the same answers --- */

static void a_process_of_its_own_gives_the_same_answers (void **state)
{
    (void) state;
    size_t plans = 0;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        solving_drawn_t *drawn = draw (seed, 9, 3, 3);
        if (seed % 2 == 0)
            draw_differences (drawn, seed);
        drawn->program.reading = seed % 3 == 0 ? PROGRAM_DIRECTED : PROGRAM_SHARED;
        drawn->program.hops_max = seed % 4 == 0 ? 2 : 0;
        for (size_t kind = 0; kind < SOLVER_KINDS; kind++) {
            solver_order_t order = {.kind = (solver_kind_t) kind};
            if (!solver_takes (order.kind, &drawn->program))
                continue;
            solver_answer_t here;
            solver_run (&drawn->program, &order, &here);
            solver_answer_t aside = solve_aside (&drawn->program, &order);
            assert_int_equal (aside.status, here.status);
            assert_int_equal (aside.steps, here.steps);
            assert_int_equal (aside.bound, here.bound);
            assert_int_equal (!aside.plan, !here.plan);
            if (here.plan)
                same_plan (&drawn->program, aside.plan, here.plan);
            plans += here.plan != NULL;
            program_plan_destroy (&here.plan);
            program_plan_destroy (&aside.plan);
        }
        free (drawn);
    }
    assert_true (plans > 0);
    solver_rest ();
}

/*  --- limits --- */

static int64_t now_ms (void)
{
    struct timespec now;
    clock_gettime (CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/*  2,016 paths on a net of 297 edges: GLPK's first basis alone takes it seconds, in which it looks
 *  at no clock. */
static void what_glpk_can_not_end_is_ended (void **state)
{
    (void) state;
    solving_drawn_t *drawn = draw (11, NODES_MOST, 2, SITES_MOST);
    static const solver_kind_t kinds [] = {SOLVER_GLPK, SOLVER_GLPK_PLAIN};
    for (size_t i = 0; i < 2; i++) {
        solver_order_t order = {.kind = kinds [i], .limit.time_us_max = 500000};
        int64_t begun_ms = now_ms ();
        solver_answer_t answer = solve_aside (&drawn->program, &order);
        print_message ("%s: %s after %" PRId64 " ms\n", solver_kind_word (order.kind),
                       solver_status_word (answer.status), now_ms () - begun_ms);
        assert_int_equal (answer.status, SOLVER_UNKNOWN);
        assert_null (answer.plan);
    }
    free (drawn);
}

/*  --- other programs in the place of musubi-solve --- */

/*  A script in a folder of its own; "said" beside it is what it tells. */
typedef struct {
    char folder [64];
    char program [80];
    char said [80];
} stand_in_t;

static void stand_in_write (const char *path, const void *data, size_t size, mode_t mode)
{
    int file = open (path, O_WRONLY | O_CREAT | O_CLOEXEC, mode);
    assert_true (file >= 0);
    assert_int_equal (write (file, data, size), size);
    close (file);
}

static stand_in_t stand_in (packed_t said, const char *script)
{
    stand_in_t self = {.folder = "/tmp/musubi-stand-in.XXXXXX"};
    assert_non_null (mkdtemp (self.folder));
    snprintf (self.program, sizeof self.program, "%s/solve", self.folder);
    snprintf (self.said, sizeof self.said, "%s/said", self.folder);
    stand_in_write (self.said, said.data, said.size, 0600);
    char *text = must_print ("#!/bin/sh\ncat >/dev/null\ncat '%s'\n%s\n", self.said, script);
    stand_in_write (self.program, text, strlen (text), 0700);
    free (text);
    return self;
}

static void stand_in_clear (const stand_in_t *self)
{
    unlink (self->program);
    unlink (self->said);
    rmdir (self->folder);
}

/*  As musubi-solve tells an answer. */
static void say (FILE *to, const program_t *program, const solver_answer_t *answer)
{
    packed_t bytes = solving_answer_encode (program, answer, 1);
    uint8_t length [SOLVING_LENGTH_BYTES];
    number_put (length, bytes.size, sizeof length);
    fwrite (length, sizeof length, 1, to);
    fwrite (bytes.data, bytes.size, 1, to);
    free (bytes.data);
}

/*  That nothing is known, then a plan than which something cheaper may be, and the first byte of a
 *  third answer. */
static packed_t two_answers (const program_t *program, const solver_answer_t *best)
{
    packed_t said;
    FILE *to = must (open_memstream ((char **) &said.data, &said.size));
    say (to, program, &(solver_answer_t){.status = SOLVER_UNKNOWN});
    solver_answer_t some = {
      .status = SOLVER_FEASIBLE, .plan = best->plan, .bound = best->plan->cost - 1};
    say (to, program, &some);
    fputc (0x10, to);
    fclose (to);
    return said;
}

/*  A signal ends a solver early. */
static bool at_once (void)
{
    return true;
}

static void on_alarm (int number)
{
    (void) number;
}

static void hear_alarms (void)
{
    sigaction (SIGALRM, &(struct sigaction){.sa_handler = on_alarm}, NULL);
}

static void of_one_that_never_ends_the_last_that_it_told_is_the_answer (void **state)
{
    (void) state;
    solving_drawn_t *drawn = draw (2, 8, 2, 3);
    solver_order_t order = {.kind = SOLVER_GLPK};
    solver_answer_t best;
    solver_run (&drawn->program, &order, &best);

    packed_t said = two_answers (&drawn->program, &best);
    /* When all has been said, it may be ended. */
    stand_in_t stuck = stand_in (said, "while :; do kill -ALRM $PPID; sleep 0.05; done");
    hear_alarms ();
    solver_answer_t answer = solve_by (stuck.program, &drawn->program, &order, at_once);
    assert_int_equal (answer.status, SOLVER_FEASIBLE);
    assert_int_equal (answer.plan->cost, best.plan->cost);
    assert_int_equal (answer.bound, best.plan->cost - 1);
    program_plan_destroy (&answer.plan);

    stand_in_t mute = stand_in ((packed_t){0}, "exec sleep 1000");
    order.limit.time_us_max = 1000;
    answer = solve_by (mute.program, &drawn->program, &order, NULL);
    assert_int_equal (answer.status, SOLVER_UNKNOWN);
    assert_int_equal (answer.bound, 0);
    stand_in_clear (&stuck);
    stand_in_clear (&mute);
    free (said.data);
    program_plan_destroy (&best.plan);
    free (drawn);
    solver_rest ();
}

typedef struct {
    const program_t *program;
    int64_t least;
    size_t plans;
    size_t bounds;
    int64_t cost; /* of the last plan */
    int64_t bound;
} hearer_t;

static void on_report (void *of, const solver_answer_t *so_far)
{
    hearer_t *self = of;
    const char *why = "";
    assert_true (so_far->bound <= self->least);
    assert_true (so_far->bound >= self->bound);
    if (so_far->plan) {
        int64_t cost = verify_plan (self->program, so_far->plan, &why);
        assert_int_equal (cost, so_far->plan->cost);
        assert_true (cost >= self->least && cost <= self->cost);
        self->plans += cost < self->cost;
        self->cost = cost;
    } else
        assert_int_equal (so_far->status, SOLVER_UNKNOWN);
    self->bounds += so_far->bound > self->bound;
    self->bound = so_far->bound;
}

static void what_is_told_on_the_way_is_true_and_grows (void **state)
{
    (void) state;
    size_t plans = 0;
    size_t bounds = 0;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        solving_drawn_t *drawn = draw (seed, 9, 3, 3);
        solver_order_t order = {.kind = SOLVER_AUTO};
        solver_answer_t known;
        solver_run (&drawn->program, &order, &known);
        hearer_t hearer = {.program = &drawn->program,
                           .least = known.plan ? known.plan->cost : INT64_MAX,
                           .cost = INT64_MAX};
        program_plan_destroy (&known.plan);
        order = (solver_order_t){.kind = SOLVER_GLPK_PLAIN, .report = on_report, .hearer = &hearer};
        solver_run (&drawn->program, &order, &known);
        plans += hearer.plans;
        bounds += hearer.bounds;
        program_plan_destroy (&known.plan);
        free (drawn);
    }
    assert_true (plans > 6); /* of some problems, several */
    assert_true (bounds > 6);
    solver_rest ();
}

static void one_that_is_ended_early_has_told_what_it_knew (void **state)
{
    (void) state;
    solving_drawn_t *drawn = draw (3, 40, 4, 7);
    solver_order_t order = {.kind = SOLVER_GLPK_PLAIN}; /* without a limit: for hours */
    packed_t asked = solving_order_encode (&drawn->program, &order);
    hear_alarms ();
    struct timeval one = {.tv_sec = 1};
    setitimer (ITIMER_REAL, &(struct itimerval){.it_interval = one, .it_value = one}, NULL);
    uint8_t *result;
    size_t size;
    char solver [PATH_MAX];
    solving_program (solver);
    assert_true (solving_run (solver, packed_bytes (asked), at_once, &result, &size));
    setitimer (ITIMER_REAL, &(struct itimerval){{0}, {0}}, NULL);
    solver_answer_t answer;
    int64_t spent_us;
    assert_true (solving_answer_decode ((bytes_t){.data = result, .size = size}, &drawn->program,
                                        &answer, &spent_us));
    assert_true (answer.status == SOLVER_FEASIBLE || answer.status == SOLVER_UNKNOWN);
    if (answer.plan)
        assert_true (answer.bound < answer.plan->cost);
    program_plan_destroy (&answer.plan);
    free (result);
    free (asked.data);
    free (drawn);
}

/*  --- what passes between them --- */

static void no_part_of_an_order_is_an_order (void **state)
{
    (void) state;
    solving_drawn_t *drawn = draw (2, 8, 2, 3);
    draw_differences (drawn, 2);
    solver_order_t order = {.kind = SOLVER_GLPK, .limit = {.steps_max = 7, .time_us_max = 9}};
    packed_t whole = solving_order_encode (&drawn->program, &order);
    char why [LONG_WHY_BYTES];
    solving_t solving;
    assert_true (solving_order_decode (&solving, packed_bytes (whole), why));
    assert_int_equal (solving.order.kind, SOLVER_GLPK);
    assert_int_equal (solving.order.limit.steps_max, 7);
    assert_int_equal (solving.order.limit.time_us_max, 9);
    assert_memory_equal (solving.program.offers, drawn->offers, 3 * 8 * sizeof (int64_t));
    assert_memory_equal (solving.program.barred, drawn->barred, 3 * drawn->program.edges_count);
    solving_clear (&solving);
    for (size_t size = 0; size < whole.size; size++)
        assert_false (
          solving_order_decode (&solving, (bytes_t){.data = whole.data, .size = size}, why));
    free (whole.data);
    free (drawn);
}

static void an_answer_that_is_not_about_the_program_is_refused (void **state)
{
    (void) state;
    solving_drawn_t *drawn = draw (2, 8, 2, 3);
    const program_t *program = &drawn->program;
    solver_order_t order = {.kind = SOLVER_AUTO};
    solver_answer_t known;
    solver_answer_t again;
    int64_t spent_us;
    solver_run (program, &order, &known);
    assert_int_equal (known.status, SOLVER_OPTIMAL);

    packed_t bytes = solving_answer_encode (program, &known, 12);
    assert_true (solving_answer_decode (packed_bytes (bytes), program, &again, &spent_us));
    assert_int_equal (spent_us, 12);
    same_plan (program, again.plan, known.plan);
    program_plan_destroy (&again.plan);
    for (size_t size = 0; size < bytes.size; size++)
        if (solving_answer_decode ((bytes_t){.data = bytes.data, .size = size}, program, &again,
                                   &spent_us)) {
            same_plan (program, again.plan, known.plan);
            program_plan_destroy (&again.plan);
        }
    program_t narrower = *program;
    narrower.hops_max = 1;
    narrower.edges_count /= 2;
    assert_false (solving_answer_decode (packed_bytes (bytes), &narrower, &again, &spent_us));
    assert_null (again.plan);
    free (bytes.data);

    known.bound--; /* "optimal", but something cheaper may be */
    bytes = solving_answer_encode (program, &known, 12);
    assert_false (solving_answer_decode (packed_bytes (bytes), program, &again, &spent_us));
    free (bytes.data);
    known.plan->nodes [1] = known.plan->nodes [0];
    bytes = solving_answer_encode (program, &known, 12);
    assert_false (solving_answer_decode (packed_bytes (bytes), program, &again, &spent_us));
    free (bytes.data);
    program_plan_destroy (&known.plan);
    free (drawn);
}

static void a_wrong_order_is_refused_in_words (void **state)
{
    (void) state;
    uint8_t *result;
    size_t size;
    assert_false (solving_run ("/nowhere", (bytes_t){.data = (const uint8_t *) "\xff", .size = 1},
                               NULL, &result, &size));
    assert_non_null (strstr ((const char *) result, "SolverOrder"));
    free (result);
}

/*  Why there is no answer, to be freed. */
static char *why_not (const char *solver)
{
    solving_drawn_t *drawn = draw (2, 8, 2, 3);
    packed_t asked = solving_order_encode (&drawn->program, &(solver_order_t){.kind = SOLVER_GLPK});
    uint8_t *result;
    size_t size;
    assert_false (solving_run (solver, packed_bytes (asked), NULL, &result, &size));
    assert_int_equal (size, strlen ((const char *) result));
    free (asked.data);
    free (drawn);
    return (char *) result;
}

static void one_that_is_missing_or_breaks_down_is_named (void **state)
{
    (void) state;
    char *why = why_not ("/nowhere/musubi-solve");
    assert_string_equal (why, "/nowhere/musubi-solve is missing: install it there");
    free (why);

    stand_in_t other = stand_in ((packed_t){0}, "exit 7");
    why = why_not (other.said); /* it is no program */
    assert_non_null (strstr (why, "said can't be started: "));
    free (why);
    why = why_not (other.program);
    assert_string_equal (why, "musubi-solve ended with exit code 7");
    free (why);
    stand_in_clear (&other);

    other = stand_in ((packed_t){0}, "kill -KILL $$");
    why = why_not (other.program);
    assert_string_equal (why, "musubi-solve was ended by signal 9: Killed");
    free (why);
    stand_in_clear (&other);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_process_of_its_own_gives_the_same_answers),
      cmocka_unit_test (what_glpk_can_not_end_is_ended),
      cmocka_unit_test (of_one_that_never_ends_the_last_that_it_told_is_the_answer),
      cmocka_unit_test (what_is_told_on_the_way_is_true_and_grows),
      cmocka_unit_test (one_that_is_ended_early_has_told_what_it_knew),
      cmocka_unit_test (no_part_of_an_order_is_an_order),
      cmocka_unit_test (an_answer_that_is_not_about_the_program_is_refused),
      cmocka_unit_test (a_wrong_order_is_refused_in_words),
      cmocka_unit_test (one_that_is_missing_or_breaks_down_is_named),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
