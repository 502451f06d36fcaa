/*  test_rebalance - one step of a coalition in whole tasks: worked examples, and random ones
 *  checked by rules that this test computes from the orders alone.
 */
#include "rebalance.h"

#include "prng.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SITES_MAX 6
#define JOBS_MAX  24
#define MOVES_MAX 200

typedef struct {
    weighed_t sites [SITES_MAX];
    size_t sites_count;
    weighed_job_t jobs [JOBS_MAX];
    size_t jobs_count;
} rebalance_scene_t;

static void scene_end (rebalance_scene_t *self)
{
    for (size_t i = 0; i < self->sites_count; i++)
        weighed_clear (&self->sites [i]);
}

static void site (rebalance_scene_t *self, double cpus, double level_s)
{
    self->sites [self->sites_count++] = (weighed_t){.cpus = cpus, .level_s = level_s};
}

/*  A job of this home, and its tasks that wait there. */
static size_t job (rebalance_scene_t *self, size_t home, uint32_t waiting, double task_s)
{
    self->jobs [self->jobs_count] = (weighed_job_t){.home = home};
    weighed_add (&self->sites [home], &(piece_t){.bag = self->jobs_count + 1,
                                                 .job = self->jobs_count,
                                                 .waiting = waiting,
                                                 .movable = waiting,
                                                 .task_s = task_s});
    return self->jobs_count++;
}

/*  Tasks of it elsewhere. */
static void guests (rebalance_scene_t *self, size_t at, size_t of, uint32_t waiting, double task_s)
{
    weighed_add (
      &self->sites [at],
      &(piece_t){
        .bag = 1000 + of, .job = of, .waiting = waiting, .movable = waiting, .task_s = task_s});
}

/*  --- the rules --- */

/*  What of a task's input its site has to get first, s. */
static double input_of (const rebalance_scene_t *self, size_t at, size_t of, double work_s)
{
    const weighed_t *there = &self->sites [at];
    for (size_t i = 0; i < there->count; i++)
        if (there->pieces [i].job == of)
            return there->pieces [i].input_s;
    return fmin (self->jobs [of].input_bytes * there->byte_s, REBALANCE_INPUT_MOST * work_s);
}

/*  Carries out the orders on the queues: tasks that are sent leave their piece; tasks that are
 *  received go to the end or, at their home, to their bag or to the head. */
static void carry_out (rebalance_scene_t *self, const weighed_move_t *move)
{
    weighed_t *from = &self->sites [move->from];
    weighed_t *to = &self->sites [move->to];
    size_t at = 0;
    while (at < from->count && from->pieces [at].bag != move->bag)
        at++;
    assert (from->pieces && at < from->count);
    assert_int_equal (from->pieces [at].job, move->job);
    assert_true (move->count > 0 && move->count <= from->pieces [at].movable);
    from->pieces [at].waiting -= move->count;
    from->pieces [at].movable -= move->count;
    bool home = self->jobs [move->job].home == move->to;
    double input_s = input_of (self, move->to, move->job, move->task_s);
    for (size_t i = 0; home && i < to->count; i++)
        if (to->pieces [i].job == move->job && to->pieces [i].waiting > 0) {
            to->pieces [i].waiting += move->count;
            return;
        }
    weighed_add (to, &(piece_t){.job = move->job,
                                .waiting = move->count,
                                .task_s = move->task_s + input_s,
                                .input_s = input_s});
    if (home) {
        piece_t added = to->pieces [to->count - 1];
        memmove (&to->pieces [1], &to->pieces [0], (to->count - 1) * sizeof added);
        to->pieces [0] = added;
    }
}

static double completion (const rebalance_scene_t *self, size_t job)
{
    double latest = 0;
    for (size_t s = 0; s < self->sites_count; s++) {
        double before = 0;
        for (size_t i = 0; i < self->sites [s].count; i++) {
            const piece_t *piece = &self->sites [s].pieces [i];
            double load = piece->running_s + piece->waiting * piece->task_s;
            double last = piece->waiting > 0
                            ? (before + load - piece->task_s) / self->sites [s].cpus + piece->task_s
                            : fmin (piece->running_s, piece->task_s);
            before += load;
            if (piece->job == job && load > 0)
                latest = fmax (latest, last);
        }
    }
    return latest;
}

static double tasks_of (const rebalance_scene_t *self, size_t job)
{
    double tasks = 0;
    for (size_t s = 0; s < self->sites_count; s++)
        for (size_t i = 0; i < self->sites [s].count; i++)
            if (self->sites [s].pieces [i].job == job)
                tasks += self->sites [s].pieces [i].waiting;
    return tasks;
}

static const weighed_move_t *weigh (rebalance_t *weighing, rebalance_scene_t *scene,
                                    bool reschedule, size_t most, size_t *count)
{
    return rebalance_step (weighing, scene->sites, scene->sites_count, scene->jobs,
                           scene->jobs_count, reschedule, most, count);
}

/*  --- by hand --- */

static void an_idle_site_takes_half_of_what_an_equal_one_has (void **state)
{
    (void) state;
    rebalance_scene_t scene = {0};
    size_t count;
    site (&scene, 2, 600);
    site (&scene, 2, 600);
    job (&scene, 0, 12, 10);
    rebalance_t *weighing = rebalance_new ();
    const weighed_move_t *moves = weigh (weighing, &scene, false, MOVES_MAX, &count);
    assert_int_equal (count, 1);
    assert_int_equal (moves [0].from, 0);
    assert_int_equal (moves [0].to, 1);
    assert_int_equal (moves [0].count, 6);
    assert_int_equal (moves [0].bag, 1);
    rebalance_destroy (&weighing);
    scene_end (&scene);
}

static void bags_of_one_task_move_too (void **state)
{
    (void) state;
    rebalance_scene_t scene = {0};
    size_t count;
    for (int i = 0; i < 3; i++)
        site (&scene, 1, 600);
    for (int i = 0; i < 9; i++)
        job (&scene, 0, 1, 10);
    rebalance_t *weighing = rebalance_new ();
    const weighed_move_t *moves = weigh (weighing, &scene, false, MOVES_MAX, &count);
    size_t sent [SITES_MAX] = {0};
    for (size_t i = 0; i < count; i++)
        sent [moves [i].to] += moves [i].count;
    assert_int_equal (sent [1], 3);
    assert_int_equal (sent [2], 3);
    rebalance_destroy (&weighing);
    scene_end (&scene);
}

static void nothing_is_taken_above_a_level (void **state)
{
    (void) state;
    rebalance_scene_t scene = {0};
    size_t count;
    site (&scene, 1, 600);
    site (&scene, 1, 25);
    job (&scene, 0, 20, 10);
    rebalance_t *weighing = rebalance_new ();
    const weighed_move_t *moves = weigh (weighing, &scene, false, MOVES_MAX, &count);
    assert_int_equal (count, 1);
    assert_int_equal (moves [0].count, 2);
    rebalance_destroy (&weighing);
    scene_end (&scene);
}

static void what_an_owner_keeps_for_itself_stays (void **state)
{
    (void) state;
    rebalance_scene_t scene = {0};
    size_t count;
    site (&scene, 1, 600);
    site (&scene, 1, 600);
    job (&scene, 0, 20, 10);
    scene.sites [0].pieces [0].movable = 0;
    rebalance_t *weighing = rebalance_new ();
    weigh (weighing, &scene, true, MOVES_MAX, &count);
    assert_int_equal (count, 0);
    rebalance_destroy (&weighing);
    scene_end (&scene);
}

static void guests_go_to_no_third_site (void **state)
{
    (void) state;
    rebalance_scene_t scene = {0};
    size_t count;
    for (int i = 0; i < 3; i++)
        site (&scene, 1, 600);
    size_t of = job (&scene, 0, 30, 10);
    guests (&scene, 1, of, 30, 10);
    rebalance_t *weighing = rebalance_new ();
    const weighed_move_t *moves = weigh (weighing, &scene, false, MOVES_MAX, &count);
    assert_true (count > 0);
    for (size_t i = 0; i < count; i++)
        assert_true (moves [i].from == 0 ? moves [i].to == 2 : moves [i].to == 0);
    rebalance_destroy (&weighing);
    scene_end (&scene);
}

static void one_set_aside_gets_its_own_back_and_keeps_nothing_of_others (void **state)
{
    (void) state;
    rebalance_scene_t scene = {0};
    size_t count;
    for (int i = 0; i < 3; i++)
        site (&scene, 1, 600);
    scene.sites [0].aside = true;
    size_t liars = job (&scene, 0, 5, 10);
    guests (&scene, 1, liars, 4, 10);
    size_t victims = job (&scene, 2, 2, 10);
    guests (&scene, 0, victims, 3, 10);
    rebalance_t *weighing = rebalance_new ();
    const weighed_move_t *moves = weigh (weighing, &scene, false, MOVES_MAX, &count);
    bool own = false;
    bool others = false;
    for (size_t i = 0; i < count; i++) {
        own = own || (moves [i].from == 1 && moves [i].to == 0 && moves [i].count == 4);
        others = others || (moves [i].from == 0 && moves [i].to == 2 && moves [i].count == 3);
        assert_false (moves [i].from == 0 && moves [i].job == liars);
    }
    assert_true (own && others);
    rebalance_destroy (&weighing);
    scene_end (&scene);
}

static void without_cpus_or_work_or_company_nothing_moves (void **state)
{
    (void) state;
    rebalance_scene_t scene = {0};
    size_t count;
    rebalance_t *weighing = rebalance_new ();
    weigh (weighing, &scene, true, MOVES_MAX, &count);
    assert_int_equal (count, 0);
    site (&scene, 0, 600);
    job (&scene, 0, 5, 10);
    weigh (weighing, &scene, true, MOVES_MAX, &count);
    assert_int_equal (count, 0);
    assert_true (isinf (scene.jobs [0].before_s));
    site (&scene, 4, 600);
    weigh (weighing, &scene, true, MOVES_MAX, &count);
    assert_int_equal (count, 0);
    rebalance_destroy (&weighing);
    scene_end (&scene);
}

/*  --- by chance --- */

static void draw (rebalance_scene_t *scene, prng_t *prng)
{
    static const double tasks [] = {0.1, 1, 7.5, 60, 600};
    size_t sites = 2 + (size_t) prng_below (prng, SITES_MAX - 1);
    size_t jobs = 1 + (size_t) prng_below (prng, JOBS_MAX);
    *scene = (rebalance_scene_t){0};
    for (size_t i = 0; i < sites; i++) {
        double level = prng_below (prng, 4) == 0 ? INFINITY : (double) prng_below (prng, 2000);
        site (scene, (double) (1 + prng_below (prng, 16)), level);
        scene->sites [i].aside = prng_below (prng, 10) == 0;
    }
    for (size_t i = 0; i < jobs; i++) {
        size_t home = (size_t) prng_below (prng, sites);
        double task_s = tasks [prng_below (prng, 5)];
        size_t at = job (scene, home, (uint32_t) prng_below (prng, 60), task_s);
        weighed_t *queue = &scene->sites [home];
        piece_t *piece = &queue->pieces [queue->count - 1];
        if (prng_below (prng, 4) == 0)
            piece->movable = 0;
        if (prng_below (prng, 3) == 0)
            piece->running_s = task_s * (double) (1 + prng_below (prng, 4)) / 2;
        size_t guest = (size_t) prng_below (prng, sites);
        if (guest != home && prng_below (prng, 2) == 0)
            guests (scene, guest, at, 1 + (uint32_t) prng_below (prng, 20), task_s);
    }
}

/*  Half of the jobs have inputs, which half of the sites that have tasks of them lack; others lack
 *  them. */
static void inputs_draw (rebalance_scene_t *scene, prng_t *prng)
{
    for (size_t i = 0; i < scene->sites_count; i++)
        scene->sites [i].byte_s = 1.0 / (double) (1 + prng_below (prng, 4));
    for (size_t i = 0; i < scene->jobs_count; i++)
        if (prng_below (prng, 2) == 0)
            scene->jobs [i].input_bytes = (double) (1 + prng_below (prng, 300));
    for (size_t s = 0; s < scene->sites_count; s++)
        for (size_t i = 0; i < scene->sites [s].count; i++) {
            piece_t *piece = &scene->sites [s].pieces [i];
            bool lacks = prng_below (prng, 2) == 0;
            piece->input_s = lacks
                               ? weighed_input (&scene->sites [s],
                                                scene->jobs [piece->job].input_bytes, piece->task_s)
                               : 0;
            piece->task_s += piece->input_s;
        }
}

static double total_load (const rebalance_scene_t *scene, size_t s)
{
    return weighed_load (&scene->sites [s]);
}

static void check_orders (rebalance_scene_t *scene, const weighed_move_t *moves, size_t count)
{
    double before [JOBS_MAX] = {0};
    double tasks [JOBS_MAX] = {0};
    double loads [SITES_MAX] = {0};
    double sent [SITES_MAX] = {0};
    bool takes [SITES_MAX] = {false};
    for (size_t i = 0; i < scene->jobs_count; i++) {
        before [i] = completion (scene, i);
        tasks [i] = tasks_of (scene, i);
        assert_true (fabs (before [i] - scene->jobs [i].before_s) <= 1e-9 * (1 + before [i]));
    }
    for (size_t i = 0; i < scene->sites_count; i++)
        loads [i] = total_load (scene, i);
    for (size_t i = 0; i < count; i++) {
        size_t home = scene->jobs [moves [i].job].home;
        assert_true (moves [i].from != moves [i].to);
        assert_true (home == moves [i].from || home == moves [i].to);
        bool brought = scene->sites [moves [i].from].aside || scene->sites [moves [i].to].aside;
        assert_true (!brought || home == moves [i].to);
        sent [moves [i].from] += brought ? 0 : moves [i].count * moves [i].task_s;
        takes [moves [i].to] = takes [moves [i].to] || !brought;
        carry_out (scene, &moves [i]);
    }
    for (size_t i = 0; i < scene->jobs_count; i++) {
        double after = completion (scene, i);
        assert_true (tasks_of (scene, i) == tasks [i]);
        assert_true (fabs (after - scene->jobs [i].after_s) <= 1e-9 * (1 + after));
        if (!scene->sites [scene->jobs [i].home].aside)
            assert_true (after <= before [i] + 1e-5 * (1 + before [i]));
    }
    for (size_t i = 0; i < scene->sites_count; i++) {
        double most = scene->sites [i].level_s * scene->sites [i].cpus;
        assert_true (sent [i] <= most * (1 + 1e-6) + 1e-6);
        if (takes [i])
            assert_true (total_load (scene, i) <= fmax (most, loads [i]) * (1 + 1e-6) + 1e-6);
    }
}

static void no_job_is_later_and_no_level_passed_whatever_the_queues (void **state)
{
    (void) state;
    prng_t prng;
    size_t moves_seen = 0;
    size_t gained = 0;
    prng_seed (&prng, 7);
    rebalance_t *weighing = rebalance_new ();
    for (int round = 0; round < 4000; round++) {
        rebalance_scene_t scene = {0};
        size_t count;
        draw (&scene, &prng);
        if (round % 4 >= 2)
            inputs_draw (&scene, &prng);
        const weighed_move_t *moves = weigh (weighing, &scene, round % 2 == 0, MOVES_MAX, &count);
        assert_true (count <= MOVES_MAX);
        check_orders (&scene, moves, count);
        moves_seen += count;
        for (size_t i = 0; i < scene.jobs_count; i++)
            gained += scene.jobs [i].after_s < 0.9 * scene.jobs [i].before_s;
        scene_end (&scene);
    }
    rebalance_destroy (&weighing);
    print_message ("%zu moves, %zu jobs a tenth earlier\n", moves_seen, gained);
    assert_true (moves_seen > 4000 && gained > 1000);
}

static double total_after (rebalance_t *weighing, rebalance_scene_t *scene, bool reschedule)
{
    double total = 0;
    size_t count;
    weigh (weighing, scene, reschedule, MOVES_MAX, &count);
    for (size_t i = 0; i < scene->jobs_count; i++)
        total += scene->jobs [i].after_s;
    return total;
}

static void the_extension_is_taken_where_jobs_are_earlier_by_it (void **state)
{
    (void) state;
    prng_t prng;
    size_t better = 0;
    prng_seed (&prng, 11);
    rebalance_t *weighing = rebalance_new ();
    for (int round = 0; round < 1000; round++) {
        rebalance_scene_t scene = {0};
        draw (&scene, &prng);
        double stepped = total_after (weighing, &scene, false);
        double extended = total_after (weighing, &scene, true);
        assert_true (extended <= stepped * (1 + 1e-9));
        better += extended < 0.99 * stepped;
        scene_end (&scene);
    }
    rebalance_destroy (&weighing);
    print_message ("earlier by a hundredth in %zu of 1000\n", better);
    assert_true (better > 10);
}

static void a_limit_of_moves_is_kept (void **state)
{
    (void) state;
    rebalance_scene_t scene = {0};
    size_t count;
    site (&scene, 1, 600);
    site (&scene, 1, 600);
    for (int i = 0; i < 20; i++)
        job (&scene, 0, 1, 1);
    rebalance_t *weighing = rebalance_new ();
    weigh (weighing, &scene, true, 3, &count);
    assert_int_equal (count, 3);
    rebalance_destroy (&weighing);
    scene_end (&scene);
}

/*  Ten tasks of 10 s at one of two alike sites; how many go to the other? bytes: what each reads,
 *  at a byte a second; at_home: home has it, else the other site, which has a task of the job
 *  already. */
static uint32_t sent_with_input (double bytes, bool at_home)
{
    rebalance_scene_t scene = {0};
    size_t count;
    uint32_t sent = 0;
    site (&scene, 1, INFINITY);
    site (&scene, 1, INFINITY);
    scene.sites [0].byte_s = scene.sites [1].byte_s = 1;
    size_t of = job (&scene, 0, 10, 10 + (at_home ? 0 : bytes));
    scene.jobs [of].input_bytes = bytes;
    scene.sites [0].pieces [0].input_s = at_home ? 0 : bytes;
    if (!at_home)
        guests (&scene, 1, of, 1, 10);
    rebalance_t *rebalance = rebalance_new ();
    const weighed_move_t *moves =
      rebalance_step (rebalance, scene.sites, 2, scene.jobs, 1, false, MOVES_MAX, &count);
    for (size_t i = 0; i < count; i++) {
        assert_true (fabs (moves [i].task_s - 10) < 1e-9); /* accounts are of work alone */
        sent += moves [i].count;
    }
    assert_true (scene.jobs [of].after_s <= scene.jobs [of].before_s + 1e-6);
    rebalance_destroy (&rebalance);
    scene_end (&scene);
    return sent;
}

static void a_task_goes_away_from_its_data_only_where_that_pays (void **state)
{
    (void) state;
    assert_int_equal (sent_with_input (0, true), 5);
    uint32_t some = sent_with_input (10, true);
    assert_true (some > 0 && some < 5);
    assert_int_equal (sent_with_input (95, true), 0); /* one would end later than all at home */
    assert_true (sent_with_input (10, false) > 5);    /* to its data */
}

/*  The same queues, as a balancer sees them that does not know of inputs. */
static void without_inputs (const rebalance_scene_t *scene, rebalance_scene_t *blind)
{
    *blind = (rebalance_scene_t){.jobs_count = scene->jobs_count};
    for (size_t i = 0; i < scene->jobs_count; i++)
        blind->jobs [i].home = scene->jobs [i].home;
    for (size_t s = 0; s < scene->sites_count; s++) {
        site (blind, scene->sites [s].cpus, scene->sites [s].level_s);
        blind->sites [s].aside = scene->sites [s].aside;
        for (size_t i = 0; i < scene->sites [s].count; i++) {
            piece_t piece = scene->sites [s].pieces [i];
            piece.task_s -= piece.input_s;
            piece.input_s = 0;
            weighed_add (&blind->sites [s], &piece);
        }
    }
}

/*  What the orders come to: the seconds for which all tasks wait for inputs; and how many jobs are
 *  later. */
static double carried_out (rebalance_scene_t *scene, const weighed_move_t *moves, size_t count,
                           size_t *later)
{
    double before [JOBS_MAX] = {0}, input_s = 0;
    for (size_t i = 0; i < scene->jobs_count; i++)
        before [i] = completion (scene, i);
    for (size_t i = 0; i < count; i++)
        carry_out (scene, &moves [i]);
    for (size_t i = 0; i < scene->jobs_count; i++)
        *later += !scene->sites [scene->jobs [i].home].aside &&
                  completion (scene, i) > before [i] + 1e-5 * (1 + before [i]);
    for (size_t s = 0; s < scene->sites_count; s++)
        for (size_t i = 0; i < scene->sites [s].count; i++)
            input_s += scene->sites [s].pieces [i].waiting * scene->sites [s].pieces [i].input_s;
    return input_s;
}

static void tasks_follow_their_data_and_no_promise_breaks_by_it (void **state)
{
    (void) state;
    prng_t prng;
    size_t count, later = 0, later_blind = 0;
    double input_s = 0, blind_s = 0;
    prng_seed (&prng, 23);
    rebalance_t *weighing = rebalance_new ();
    for (int round = 0; round < 1000; round++) {
        rebalance_scene_t scene = {0}, blind = {0}, same = {0};
        prng_t again = prng;
        draw (&scene, &prng);
        inputs_draw (&scene, &prng);
        draw (&same, &again);
        inputs_draw (&same, &again);
        without_inputs (&scene, &blind);
        const weighed_move_t *moves = weigh (weighing, &scene, false, MOVES_MAX, &count);
        input_s += carried_out (&scene, moves, count, &later);
        moves = weigh (weighing, &blind, false, MOVES_MAX, &count);
        blind_s += carried_out (&same, moves, count, &later_blind);
        scene_end (&scene);
        scene_end (&blind);
        scene_end (&same);
    }
    rebalance_destroy (&weighing);
    print_message (
      "tasks wait %.0f s for inputs; %.0f s by orders that know of none, which make %zu "
      "jobs later\n",
      input_s, blind_s, later_blind);
    assert_int_equal (later, 0);
    assert_true (later_blind > 0);
    assert_true (input_s < blind_s);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_task_goes_away_from_its_data_only_where_that_pays),
      cmocka_unit_test (tasks_follow_their_data_and_no_promise_breaks_by_it),
      cmocka_unit_test (an_idle_site_takes_half_of_what_an_equal_one_has),
      cmocka_unit_test (bags_of_one_task_move_too),
      cmocka_unit_test (nothing_is_taken_above_a_level),
      cmocka_unit_test (what_an_owner_keeps_for_itself_stays),
      cmocka_unit_test (guests_go_to_no_third_site),
      cmocka_unit_test (one_set_aside_gets_its_own_back_and_keeps_nothing_of_others),
      cmocka_unit_test (without_cpus_or_work_or_company_nothing_moves),
      cmocka_unit_test (a_limit_of_moves_is_kept),
      cmocka_unit_test (the_extension_is_taken_where_jobs_are_earlier_by_it),
      cmocka_unit_test (no_job_is_later_and_no_level_passed_whatever_the_queues),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
