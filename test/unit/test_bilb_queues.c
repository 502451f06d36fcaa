/*  bilb_queues - steps on queues of jobs, and the extension: against the worked examples, against
 *  fractions, and over many steps with work going on.
 */
#include "bilb_queues.h"

#include "bilb_exact.h"
#include "prng.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MEMBERS 12
#define JOBS    400

static void expect_near (double got, double wanted, const char *what, const char *where)
{
    if (!(fabs (got - wanted) <= 1e-9 * (1 + fabs (wanted))))
        fail_msg ("%s, %s: %.17g instead of %.17g", where, what, got, wanted);
}

static void free_members (bilb_member_t *members, size_t count)
{
    for (size_t i = 0; i < count; i++)
        bilb_queue_free (&members [i].queue);
}

/*  --- the worked examples --- */

static const char *names [JOBS];
static uint32_t owners [JOBS];

static uint32_t job_named (const char *name, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp (names [i], name) == 0)
            return (uint32_t) i;
    fail_msg ("no job %s", name);
    return 0;
}

static size_t read_members (const json_t *vector, bilb_member_t *members, size_t *jobs_count)
{
    const json_t *queues = json_object_get (vector, "queues_in");
    size_t i;
    const json_t *queue;
    *jobs_count = 0;
    json_array_foreach (queues, i, queue)
    {
        const json_t *level = json_array_get (json_object_get (vector, "levels"), i);
        members [i] = (bilb_member_t){
          .speed = json_number_value (json_array_get (json_object_get (vector, "speeds"), i)),
          .level = json_is_string (level) ? INFINITY : json_number_value (level)};
        size_t p;
        const json_t *piece;
        json_array_foreach (queue, p, piece)
        {
            owners [*jobs_count] = (uint32_t) i;
            names [*jobs_count] = json_string_value (json_array_get (piece, 0));
            bilb_queue_add (&members [i].queue, (uint32_t) (*jobs_count)++,
                            json_number_value (json_array_get (piece, 1)));
        }
    }
    return json_array_size (queues);
}

static void expect_queues (const bilb_member_t *members, const json_t *queues, size_t jobs_count,
                           const char *where)
{
    size_t i;
    const json_t *queue;
    json_array_foreach (queues, i, queue)
    {
        assert_int_equal (members [i].queue.count, json_array_size (queue));
        size_t p;
        const json_t *piece;
        json_array_foreach (queue, p, piece)
        {
            const char *name = json_string_value (json_array_get (piece, 0));
            assert_int_equal (members [i].queue.pieces [p].job, job_named (name, jobs_count));
            expect_near (members [i].queue.pieces [p].load,
                         json_number_value (json_array_get (piece, 1)), name, where);
        }
    }
}

static void expect_completions (const bilb_queues_t *queues, const json_t *wanted,
                                size_t jobs_count, const char *where)
{
    const char *name;
    json_t *completion;
    assert_int_equal (json_object_size (wanted), jobs_count);
    json_object_foreach ((json_t *) wanted, name, completion)
      expect_near (bilb_queues_completion (queues, job_named (name, jobs_count)),
                   json_number_value (completion), name, where);
}

static void expect_step (bilb_queues_t *queues, const bilb_member_t *members, size_t count,
                         const json_t *wanted, size_t jobs_count, const char *where)
{
    bilb_t *bilb = bilb_queues_bilb (queues);
    const json_t *made = json_object_get (wanted, "transfers");
    const bilb_transfer_t *transfers;
    size_t turn_count;
    size_t seen = 0;
    bilb_walk (bilb);
    while (bilb_walk_turn (bilb, &transfers, &turn_count))
        for (size_t i = 0; i < turn_count; i++, seen++) {
            const json_t *transfer = json_array_get (made, seen);
            assert_int_equal (transfers [i].from,
                              json_integer_value (json_array_get (transfer, 0)));
            assert_int_equal (transfers [i].to, json_integer_value (json_array_get (transfer, 1)));
            expect_near (transfers [i].load, json_number_value (json_array_get (transfer, 2)),
                         "transfer", where);
        }
    assert_int_equal (seen, json_array_size (made));
    for (size_t i = 0; i < count; i++) {
        assert_int_equal (bilb_order (bilb) [i], json_integer_value (json_array_get (
                                                   json_object_get (wanted, "order"), i)));
        expect_near (bilb_loads (bilb) [i],
                     json_number_value (json_array_get (json_object_get (wanted, "loads"), i)),
                     "load", where);
    }
    expect_queues (members, json_object_get (wanted, "queues"), jobs_count, where);
    expect_completions (queues, json_object_get (wanted, "guaranteed_completion"), jobs_count,
                        where);
}

static void expect_reschedule (const bilb_queues_t *queues, const bilb_member_t *members,
                               const json_t *wanted, size_t jobs_count, const char *where)
{
    size_t count;
    const bilb_slot_t *slots = bilb_queues_slots (queues, &count);
    const json_t *selection = json_object_get (wanted, "selection_from_back");
    assert_int_equal (count, json_array_size (selection));
    for (size_t i = 0; i < count; i++) {
        const json_t *slot = json_array_get (selection, i);
        assert_int_equal (slots [i].job,
                          job_named (json_string_value (json_array_get (slot, 0)), jobs_count));
        expect_near (slots [i].start, json_number_value (json_array_get (slot, 1)), "start", where);
        expect_near (slots [i].end, json_number_value (json_array_get (slot, 2)), "end", where);
    }
    expect_queues (members, json_object_get (wanted, "queues"), jobs_count, where);
    expect_completions (queues, json_object_get (wanted, "completion"), jobs_count, where);
}

static void the_worked_examples_come_out (void **state)
{
    (void) state;
    json_t *file = json_load_file (TEST_DATA "/bilb-samples.json", 0, NULL);
    assert_non_null (file);
    bilb_queues_t *queues = bilb_queues_new ();
    size_t v;
    const json_t *vector;
    json_array_foreach (json_object_get (file, "vectors"), v, vector)
    {
        const char *where = json_string_value (json_object_get (vector, "name"));
        bilb_member_t members [MEMBERS];
        size_t jobs_count;
        size_t count = read_members (vector, members, &jobs_count);
        bilb_queues_step (queues, members, count, jobs_count);
        expect_step (queues, members, count, json_object_get (vector, "expect"), jobs_count, where);
        assert_true (bilb_queues_reschedule (queues, members, count, owners));
        expect_reschedule (queues, members, json_object_get (vector, "expect_reschedule"),
                           jobs_count, where);
        free_members (members, count);
    }
    assert_true (v > 0);
    bilb_queues_destroy (&queues);
    json_decref (file);
}

/*  --- fractions --- */

static void draw_exact (prng_t *prng, exact_t *exact, bilb_member_t *members)
{
    *exact = (exact_t){.count = 1 + prng_below (prng, EXACT_CLUSTERS)};
    for (size_t i = 0; i < exact->count; i++) {
        exact_cluster_t *cluster = &exact->clusters [i];
        cluster->speed = whole (1 + (int64_t) prng_below (prng, 4));
        cluster->bounded = prng_below (prng, 3) > 0;
        cluster->level = whole ((int64_t) prng_below (prng, 8));
        members [i] =
          (bilb_member_t){.speed = real_of (cluster->speed),
                          .level = cluster->bounded ? real_of (cluster->level) : INFINITY};
        for (size_t jobs = prng_below (prng, 4); jobs > 0 && exact->jobs_count < EXACT_JOBS;
             jobs--) {
            int64_t load = 1 + (int64_t) prng_below (prng, 12);
            exact_add (cluster, (int) exact->jobs_count, whole (load));
            bilb_queue_add (&members [i].queue, (uint32_t) exact->jobs_count, (double) load);
            owners [exact->jobs_count] = (uint32_t) i;
            exact->owners [exact->jobs_count++] = i;
        }
    }
}

static void expect_exact (const bilb_queues_t *queues, const bilb_member_t *members,
                          const exact_t *exact, const char *where)
{
    for (int job = 0; job < (int) exact->jobs_count; job++) {
        expect_near (bilb_queues_completion (queues, (uint32_t) job),
                     real_of (exact_completion (exact, job)), "completion", where);
        for (size_t i = 0; i < exact->count; i++) {
            double load = 0;
            for (size_t p = 0; p < members [i].queue.count; p++)
                if (members [i].queue.pieces [p].job == (uint32_t) job)
                    load += members [i].queue.pieces [p].load;
            expect_near (load, real_of (exact_job_load (exact, job, i)), "part", where);
        }
    }
}

/*  Rounding may order two equal clusters either way, and the order changes the result. */
static bool has_equal_times (const exact_t *exact)
{
    for (size_t i = 0; i < exact->count; i++)
        for (size_t k = 0; k < i; k++) {
            fraction_t time = exact_time (&exact->clusters [i]);
            if (time.over > 0 && minus (time, exact_time (&exact->clusters [k])).over == 0)
                return true;
        }
    return false;
}

/*  A second step on top shows that the order of pieces in queues is the same, too. */
static bool compare_exact (bilb_queues_t *queues, bilb_member_t *members, exact_t *exact,
                           const char *where)
{
    exact_slot_t wanted [EXACT_JOBS] = {0};
    for (int round = 0; round < 2; round++) {
        if (round > 0 && has_equal_times (exact))
            return false;
        bilb_queues_step (queues, members, exact->count, exact->jobs_count);
        exact_step (exact);
        if (exact_outgrown)
            return false;
        expect_exact (queues, members, exact, where);
        size_t wanted_count = exact_reschedule (exact, wanted);
        if (exact_outgrown || exact->tie)
            return false;
        assert_int_equal (wanted_count, exact->jobs_count);
        assert_true (bilb_queues_reschedule (queues, members, exact->count, owners));
        size_t count;
        const bilb_slot_t *slots = bilb_queues_slots (queues, &count);
        assert_int_equal (count, wanted_count);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal (slots [i].job, wanted [i].job);
            expect_near (slots [i].start, real_of (wanted [i].start), "start", where);
            expect_near (slots [i].end, real_of (wanted [i].end), "end", where);
        }
        expect_exact (queues, members, exact, where);
        /* Some work of the first cluster is done, so that the second step has something to do. */
        exact->clusters [0].count = members [0].queue.count = 0;
        for (int job = 0; job < (int) exact->jobs_count; job++)
            if (exact_job_loads (exact, job).over == 0)
                return true;
    }
    return true;
}

static void steps_and_schedules_are_those_of_exact_fractions (void **state)
{
    (void) state;
    bilb_queues_t *queues = bilb_queues_new ();
    static exact_t exact;
    size_t compared = 0;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        char where [32];
        snprintf (where, sizeof where, "seed %lu", seed);
        prng_t prng;
        prng_seed (&prng, seed);
        bilb_member_t members [MEMBERS];
        exact_outgrown = false;
        draw_exact (&prng, &exact, members);
        compared += compare_exact (queues, members, &exact, where);
        free_members (members, exact.count);
    }
    print_message ("%zu of 3000 compared to their end\n", compared);
    assert_true (compared > 1000);
    bilb_queues_destroy (&queues);
}

/*  --- work goes on --- */

/*  Completions on the way, counted from the beginning. */
typedef struct {
    bilb_member_t members [MEMBERS];
    size_t count;
    size_t jobs_count;
    double promises [JOBS];
    double left [JOBS];
    double now;
} bilb_queues_course_t;

static void work_on (bilb_queues_course_t *course, double time)
{
    course->now += time;
    for (size_t i = 0; i < course->count; i++) {
        bilb_queue_t *queue = &course->members [i].queue;
        double load = time * course->members [i].speed;
        size_t done = 0;
        while (done < queue->count && queue->pieces [done].load <= load) {
            load -= queue->pieces [done].load;
            course->left [queue->pieces [done].job] -= queue->pieces [done].load;
            done++;
        }
        if (done < queue->count && load > 0) {
            queue->pieces [done].load -= load;
            course->left [queue->pieces [done].job] -= load;
        }
        if (done > 0)
            memmove (queue->pieces, queue->pieces + done,
                     (queue->count - done) * sizeof *queue->pieces);
        queue->count -= done;
    }
}

static void arrive (bilb_queues_course_t *course, prng_t *prng)
{
    if (course->jobs_count == JOBS)
        return;
    size_t owner = prng_below (prng, course->count);
    double load = -4 * log (1 - prng_unit (prng)) + 1e-3;
    bilb_queue_add (&course->members [owner].queue, (uint32_t) course->jobs_count, load);
    owners [course->jobs_count] = (uint32_t) owner;
    course->left [course->jobs_count] = load;
    course->promises [course->jobs_count++] = INFINITY;
}

static double load_of (const bilb_queue_t *queue)
{
    double load = 0;
    for (size_t i = 0; i < queue->count; i++)
        load += queue->pieces [i].load;
    return load;
}

/*  No promise breaks, and what is left of each job is in the queues. */
static void expect_promises (bilb_queues_course_t *course, const bilb_queues_t *queues,
                             uint64_t seed)
{
    double found [JOBS] = {0};
    for (size_t i = 0; i < course->count; i++)
        for (size_t p = 0; p < course->members [i].queue.count; p++)
            found [course->members [i].queue.pieces [p].job] +=
              course->members [i].queue.pieces [p].load;
    for (size_t job = 0; job < course->jobs_count; job++) {
        if (fabs (found [job] - course->left [job]) > 1e-7)
            fail_msg ("seed %lu: job %zu has %g left, %g in queues", seed, job, course->left [job],
                      found [job]);
        if (found [job] == 0)
            continue;
        double completion = course->now + bilb_queues_completion (queues, (uint32_t) job);
        if (completion > course->promises [job] + 1e-7)
            fail_msg ("seed %lu: job %zu promised for %.12g, now %.12g", seed, job,
                      course->promises [job], completion);
        course->promises [job] = fmin (course->promises [job], completion);
    }
}

static void follow (bilb_queues_t *queues, uint64_t seed)
{
    prng_t prng;
    prng_seed (&prng, seed);
    static bilb_queues_course_t course;
    course = (bilb_queues_course_t){.count = 2 + prng_below (&prng, MEMBERS - 1)};
    for (size_t i = 0; i < course.count; i++)
        course.members [i] =
          (bilb_member_t){.speed = seed % 3 == 0 ? 1 : 1 + prng_unit (&prng),
                          .level = prng_below (&prng, 4) == 0 ? INFINITY : 8 * prng_unit (&prng)};
    for (int step = 0; step < 120; step++) {
        for (size_t arrivals = prng_below (&prng, 5); arrivals > 0; arrivals--)
            arrive (&course, &prng);
        bilb_queues_step (queues, course.members, course.count, course.jobs_count);
        double loads [MEMBERS];
        for (size_t i = 0; i < course.count; i++)
            loads [i] = load_of (&course.members [i].queue);
        expect_promises (&course, queues, seed);
        if (seed % 2 == 0) {
            assert_true (bilb_queues_reschedule (queues, course.members, course.count, owners));
            for (size_t i = 0; i < course.count; i++)
                expect_near (load_of (&course.members [i].queue), loads [i], "length", "rebuilt");
            expect_promises (&course, queues, seed);
        }
        work_on (&course, prng_unit (&prng) * 1.5);
    }
    free_members (course.members, course.count);
}

static void no_promise_breaks_and_no_work_is_lost_however_long_it_goes_on (void **state)
{
    (void) state;
    bilb_queues_t *queues = bilb_queues_new ();
    for (uint64_t seed = 1; seed <= 60; seed++)
        follow (queues, seed);
    bilb_queues_destroy (&queues);
}

/*  --- the extension --- */

static void the_fast_owners_job_comes_first (void **state)
{
    (void) state;
    bilb_schedule_t *schedule = bilb_schedule_new ();
    const bilb_busy_t clusters [] = {{1, 4}, {1, 4}};
    const bilb_job_t jobs [] = {{4, 4, 2}, {4, 4, 1}};
    assert_true (bilb_schedule_rebuild (schedule, clusters, 2, jobs, 2));
    size_t count;
    const bilb_slot_t *slots = bilb_schedule_slots (schedule, &count);
    assert_int_equal (count, 2);
    assert_int_equal (slots [0].job, 1);
    assert_true (slots [0].start == 2 && slots [0].end == 4);
    assert_int_equal (slots [1].job, 0);
    assert_true (slots [1].start == 0 && slots [1].end == 2);
    bilb_schedule_destroy (&schedule);
}

static void promises_that_no_schedule_keeps_are_told (void **state)
{
    (void) state;
    bilb_schedule_t *schedule = bilb_schedule_new ();
    const bilb_busy_t clusters [] = {{1, 4}};
    const bilb_job_t jobs [] = {{2, 3, 1}, {2, 3, 1}};
    assert_false (bilb_schedule_rebuild (schedule, clusters, 1, jobs, 2));
    size_t count;
    bilb_schedule_slots (schedule, &count);
    assert_int_equal (count, 0);
    bilb_schedule_destroy (&schedule);
}

/*  A job that is tiny beside the others keeps its load, too, though times have no digits for it. */
static void a_tiny_job_among_huge_ones_is_not_lost (void **state)
{
    (void) state;
    bilb_queues_t *queues = bilb_queues_new ();
    bilb_member_t members [3] = {{.speed = 1e-3, .level = INFINITY},
                                 {.speed = 1, .level = INFINITY},
                                 {.speed = 1e3, .level = INFINITY}};
    static const double loads [] = {BILB_LOAD_MIN, 1e9, 3e9, BILB_LOAD_MIN, 2, 1e12};
    for (uint32_t job = 0; job < 6; job++) {
        owners [job] = job % 3;
        bilb_queue_add (&members [job % 3].queue, job, loads [job]);
    }
    for (int step = 0; step < 5; step++) {
        bilb_queues_step (queues, members, 3, 6);
        if (step > 0)
            assert_true (bilb_queues_reschedule (queues, members, 3, owners));
        for (uint32_t job = 0; job < 6; job++) {
            double load = 0;
            for (size_t i = 0; i < 3; i++)
                for (size_t p = 0; p < members [i].queue.count; p++)
                    if (members [i].queue.pieces [p].job == job)
                        load += members [i].queue.pieces [p].load;
            assert_true (fabs (load - loads [job]) <= 1e-9 * loads [job]);
        }
    }
    free_members (members, 3);
    bilb_queues_destroy (&queues);
}

/*  A thousand jobs end months ahead; another is promised for the next moment. */
static void far_ends_leave_near_promises_exact (void **state)
{
    (void) state;
    bilb_queues_t *queues = bilb_queues_new ();
    bilb_member_t members [3] = {{.speed = 1, .level = INFINITY},
                                 {.speed = 1.3, .level = INFINITY},
                                 {.speed = 1.7, .level = 0}};
    uint32_t *of = calloc (2001, sizeof *of);
    for (uint32_t job = 0; job < 2000; job++) {
        of [job] = job % 2;
        bilb_queue_add (&members [job % 2].queue, job, 7000 + job * 0.37);
    }
    of [2000] = 2;
    bilb_queue_add (&members [2].queue, 2000, 0.5);
    bilb_queues_step (queues, members, 3, 2001);
    assert_true (bilb_queues_reschedule (queues, members, 3, of));
    assert_true (bilb_queues_completion (queues, 2000) <= 0.5 / 1.7 + 2e-9);
    expect_near (load_of (&members [2].queue), 0.5, "length", "rebuilt");
    free_members (members, 3);
    free (of);
    bilb_queues_destroy (&queues);
}

/*  Where rounding would break a promise, the queues stay as the step left them: sizes over eighteen
 *  powers of ten. */
static void what_rounding_would_break_is_not_rebuilt (void **state)
{
    (void) state;
    bilb_queues_t *queues = bilb_queues_new ();
    size_t refused = 0;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        prng_t prng;
        prng_seed (&prng, seed);
        size_t count = 1 + prng_below (&prng, 8);
        uint32_t jobs = 0;
        bilb_member_t members [8] = {0};
        for (size_t i = 0; i < count; i++) {
            members [i].speed = pow (10, 18 * prng_unit (&prng) - 9);
            members [i].level = prng_below (&prng, 3) == 0 ? INFINITY : 1e3 * prng_unit (&prng);
            for (size_t own = prng_below (&prng, 6); own > 0; own--) {
                owners [jobs] = (uint32_t) i;
                bilb_queue_add (&members [i].queue, jobs++, pow (10, 23 * prng_unit (&prng) - 9));
            }
        }
        double before [48];
        bilb_queues_step (queues, members, count, jobs);
        for (uint32_t job = 0; job < jobs; job++)
            before [job] = bilb_queues_completion (queues, job);
        bool rebuilt = bilb_queues_reschedule (queues, members, count, owners);
        refused += !rebuilt;
        for (uint32_t job = 0; job < jobs; job++) {
            double completion = bilb_queues_completion (queues, job);
            assert_true (completion <= before [job] + BILB_TIE * (1 + before [job]));
            assert_true (rebuilt || completion == before [job]);
        }
        free_members (members, count);
    }
    assert_true (refused > 0 && refused < 500);
    bilb_queues_destroy (&queues);
}

static void nothing_to_do_is_no_schedule (void **state)
{
    (void) state;
    bilb_queues_t *queues = bilb_queues_new ();
    bilb_member_t members [] = {{.speed = 1, .level = 3}, {.speed = 2, .level = INFINITY}};
    bilb_queues_step (queues, members, 2, 0);
    assert_true (bilb_queues_reschedule (queues, members, 2, NULL));
    size_t count;
    bilb_queues_slots (queues, &count);
    assert_int_equal (count, 0);
    bilb_queues_destroy (&queues);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (the_worked_examples_come_out),
      cmocka_unit_test (steps_and_schedules_are_those_of_exact_fractions),
      cmocka_unit_test (no_promise_breaks_and_no_work_is_lost_however_long_it_goes_on),
      cmocka_unit_test (the_fast_owners_job_comes_first),
      cmocka_unit_test (promises_that_no_schedule_keeps_are_told),
      cmocka_unit_test (a_tiny_job_among_huge_ones_is_not_lost),
      cmocka_unit_test (far_ends_leave_near_promises_exact),
      cmocka_unit_test (what_rounding_would_break_is_not_rebuilt),
      cmocka_unit_test (nothing_to_do_is_no_schedule),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
