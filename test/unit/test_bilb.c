/*  bilb - one step against the paper's double loop, at its bounds, and with what it must refuse. */
#include "bilb.h"

#include "bilb_direct.h"
#include "prng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define MANY 4096

static bool near (double a, double b, double scale)
{
    return fabs (a - b) <= 1e-9 * (1e-9 + scale);
}

static void expect (double got, double wanted)
{
    if (!near (got, wanted, fabs (wanted)))
        fail_msg ("%.17g instead of %.17g", got, wanted);
}

/*  --- random clusters --- */

typedef enum { ROUGH, COARSE, SKEWED, KINDS } bilb_kind_t;

static double draw_level (prng_t *prng, double scale)
{
    uint64_t kind = prng_below (prng, 8);
    return kind == 0 ? 0 : kind == 1 ? INFINITY : scale * prng_unit (prng) * 1.5;
}

/*  Coarse: small whole numbers, so that ties and bounds met exactly are common. */
static void draw (prng_t *prng, bilb_kind_t kind, bilb_cluster_t *clusters, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bilb_cluster_t *cluster = &clusters [i];
        if (kind == COARSE) {
            cluster->speed = (double) (1 + prng_below (prng, 4));
            cluster->load = (double) prng_below (prng, 13);
            cluster->level = prng_below (prng, 6) == 0 ? INFINITY : (double) prng_below (prng, 9);
        } else {
            cluster->speed =
              kind == SKEWED ? pow (10, 8 * prng_unit (prng) - 4) : 1 + prng_unit (prng);
            cluster->load = prng_below (prng, 5) == 0 ? 0 : -10 * log (1 - prng_unit (prng));
            cluster->level = draw_level (prng, kind == SKEWED ? 1000 : 20);
        }
    }
}

static double sum_of (const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values [i];
    return sum;
}

/*  What each cluster sent in the last step. */
static void find_sent (bilb_t *bilb, size_t count, double *sent)
{
    const bilb_transfer_t *transfers;
    size_t transfers_count;
    for (size_t i = 0; i < count; i++)
        sent [i] = 0;
    bilb_walk (bilb);
    while (bilb_walk_turn (bilb, &transfers, &transfers_count))
        for (size_t i = 0; i < transfers_count; i++)
            sent [transfers [i].from] += transfers [i].load;
}

static void compare (bilb_t *bilb, const bilb_cluster_t *clusters, size_t count, uint64_t seed)
{
    static double loads [MANY];
    static double sent [MANY];
    static double walked [MANY];
    static double walked_sent [MANY];
    bilb_step (bilb, clusters, count);
    direct_step (clusters, count, loads, sent);
    find_sent (bilb, count, walked_sent);
    double all = sum_of (loads, count);
    for (size_t i = 0; i < count; i++) {
        if (!near (bilb_loads (bilb) [i], loads [i], all))
            fail_msg ("seed %lu, cluster %zu of %zu: load %.17g, directly %.17g", seed, i, count,
                      bilb_loads (bilb) [i], loads [i]);
        if (!near (walked_sent [i], sent [i], all))
            fail_msg ("seed %lu, cluster %zu sent %.17g, directly %.17g", seed, i, walked_sent [i],
                      sent [i]);
        walked [i] = clusters [i].load;
    }
    const bilb_transfer_t *transfers;
    size_t transfers_count;
    bilb_walk (bilb);
    while (bilb_walk_turn (bilb, &transfers, &transfers_count))
        for (size_t i = 0; i < transfers_count; i++) {
            walked [transfers [i].from] -= transfers [i].load;
            walked [transfers [i].to] += transfers [i].load;
        }
    for (size_t i = 0; i < count; i++)
        if (!near (walked [i], loads [i], all))
            fail_msg ("seed %lu, cluster %zu: the transfers lead to %.17g, not %.17g", seed, i,
                      walked [i], loads [i]);
}

static void random_steps_are_those_of_the_double_loop (void **state)
{
    (void) state;
    bilb_t *bilb = bilb_new ();
    static bilb_cluster_t clusters [MANY];
    for (uint64_t seed = 1; seed <= 6000; seed++) {
        prng_t prng;
        prng_seed (&prng, seed);
        size_t count = 1 + prng_below (&prng, seed % 10 == 0 ? 150 : 12);
        draw (&prng, seed % KINDS, clusters, count);
        compare (bilb, clusters, count, seed);
    }
    bilb_destroy (&bilb);
}

static void thousands_of_clusters_too (void **state)
{
    (void) state;
    bilb_t *bilb = bilb_new ();
    static bilb_cluster_t clusters [MANY];
    for (uint64_t seed = 1; seed <= 6; seed++) {
        prng_t prng;
        prng_seed (&prng, seed);
        draw (&prng, seed % KINDS, clusters, MANY);
        compare (bilb, clusters, MANY, seed);
    }
    bilb_destroy (&bilb);
}

/*  --- what it promises --- */

static void bounds_hold_on_both_sides (void **state)
{
    (void) state;
    bilb_t *bilb = bilb_new ();
    bilb_cluster_t clusters [20];
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        prng_t prng;
        prng_seed (&prng, seed);
        draw (&prng, seed % KINDS, clusters, 20);
        double sent [20];
        bilb_step (bilb, clusters, 20);
        find_sent (bilb, 20, sent);
        for (size_t i = 0; i < 20; i++) {
            const bilb_cluster_t *cluster = &clusters [i];
            double time = bilb_loads (bilb) [i] / cluster->speed;
            double before = cluster->load / cluster->speed;
            assert_true (time <= fmax (before, cluster->level) * (1 + 1e-12));
            assert_true (sent [i] <= cluster->level * cluster->speed * (1 + 1e-9));
        }
    }
    bilb_destroy (&bilb);
}

static void without_bounds_all_times_meet_but_the_receivers_own (void **state)
{
    (void) state;
    bilb_t *bilb = bilb_new ();
    bilb_step (bilb, (bilb_cluster_t []){{1, INFINITY, 12}, {3, INFINITY, 0}, {2, INFINITY, 6}}, 3);
    assert_int_equal (bilb_order (bilb) [0], 1);
    assert_int_equal (bilb_order (bilb) [1], 2);
    assert_int_equal (bilb_order (bilb) [2], 0);
    expect (bilb_loads (bilb) [0], 3);
    expect (bilb_loads (bilb) [1], 9);
    expect (bilb_loads (bilb) [2], 6);
    bilb_destroy (&bilb);
}

/*  Turn 1 levels the first two at 2; in turn 2 the one that is full at 2 refuses its half of the 4
 *  wanted, and that half stays with the sender. */
static void what_a_full_receiver_refuses_stays_with_the_sender (void **state)
{
    (void) state;
    bilb_t *bilb = bilb_new ();
    bilb_step (bilb, (bilb_cluster_t []){{1, 2, 0}, {1, INFINITY, 4}, {1, INFINITY, 8}}, 3);
    double sent [3];
    find_sent (bilb, 3, sent);
    expect (sent [2], 2);
    expect (bilb_loads (bilb) [0], 2);
    expect (bilb_loads (bilb) [1], 4);
    expect (bilb_loads (bilb) [2], 6);
    bilb_destroy (&bilb);
}

static void equal_times_move_nothing (void **state)
{
    (void) state;
    bilb_t *bilb = bilb_new ();
    bilb_cluster_t clusters [7];
    for (size_t i = 0; i < 7; i++)
        clusters [i] = (bilb_cluster_t){1 + (double) i / 6, 10, (1 + (double) i / 6) * 0.7};
    bilb_step (bilb, clusters, 7);
    const bilb_transfer_t *transfers;
    size_t count;
    bilb_walk (bilb);
    assert_false (bilb_walk_turn (bilb, &transfers, &count));
    for (size_t i = 0; i < 7; i++)
        assert_true (bilb_loads (bilb) [i] == clusters [i].load);
    bilb_destroy (&bilb);
}

static void one_cluster_and_empty_queues_have_nothing_to_do (void **state)
{
    (void) state;
    bilb_t *bilb = bilb_new ();
    bilb_step (bilb, (bilb_cluster_t []){{1, 5, 3}}, 1);
    expect (bilb_loads (bilb) [0], 3);
    bilb_step (bilb, (bilb_cluster_t []){{1, 5, 0}, {2, INFINITY, 0}, {1, 0, 0}}, 3);
    for (size_t i = 0; i < 3; i++)
        assert_true (bilb_loads (bilb) [i] == 0);
    bilb_destroy (&bilb);
}

static void speeds_that_lie_far_apart_lose_nothing (void **state)
{
    (void) state;
    bilb_t *bilb = bilb_new ();
    bilb_step (bilb,
               (bilb_cluster_t []){{BILB_SPEED_MIN, INFINITY, 1},
                                   {BILB_SPEED_MAX, INFINITY, 0},
                                   {1, 1e300, BILB_LOAD_MAX},
                                   {BILB_SPEED_MAX, 1e-3, 0}},
               4);
    expect (sum_of (bilb_loads (bilb), 4), BILB_LOAD_MAX + 1);
    expect (bilb_loads (bilb) [3], BILB_SPEED_MAX * 1e-3);
    bilb_destroy (&bilb);
}

static void what_no_cluster_can_be_is_refused (void **state)
{
    (void) state;
    static const struct {
        bilb_cluster_t cluster;
        bilb_check_t check;
    } cases [] = {
      {{1, 0, 0}, BILB_GOOD},
      {{1, INFINITY, BILB_LOAD_MAX}, BILB_GOOD},
      {{0, 1, 1}, BILB_BAD_SPEED},
      {{-1, 1, 1}, BILB_BAD_SPEED},
      {{NAN, 1, 1}, BILB_BAD_SPEED},
      {{INFINITY, 1, 1}, BILB_BAD_SPEED},
      {{1, -1e-9, 1}, BILB_BAD_LEVEL},
      {{1, NAN, 1}, BILB_BAD_LEVEL},
      {{1, 1, -1}, BILB_BAD_LOAD},
      {{1, 1, NAN}, BILB_BAD_LOAD},
      {{1, 1, INFINITY}, BILB_BAD_LOAD},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal (bilb_check (&cases [i].cluster), cases [i].check);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (random_steps_are_those_of_the_double_loop),
      cmocka_unit_test (thousands_of_clusters_too),
      cmocka_unit_test (bounds_hold_on_both_sides),
      cmocka_unit_test (without_bounds_all_times_meet_but_the_receivers_own),
      cmocka_unit_test (what_a_full_receiver_refuses_stays_with_the_sender),
      cmocka_unit_test (equal_times_move_nothing),
      cmocka_unit_test (one_cluster_and_empty_queues_have_nothing_to_do),
      cmocka_unit_test (speeds_that_lie_far_apart_lose_nothing),
      cmocka_unit_test (what_no_cluster_can_be_is_refused),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
