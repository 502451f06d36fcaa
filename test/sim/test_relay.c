/*  test_relay - many sites want a file of one, in the simulated host: sites that are still
 *  receiving it feed others, so that its bytes leave the first one once.
 */
#include "chain_fake_names.h"
#include "replica_scene.h"

#include "fetcher_state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MB      1000000
#define SITES   6
#define SIZE    (8 * MB) /* comes in 1.6 s */
#define SEEDS   40
#define ENDS_MS (60 * 1000)

static char why [256];

static const char *site_name (size_t i)
{
    static char names [SITES][16];
    snprintf (names [i], sizeof names [i], "replica/%c", (char) ('a' + i));
    return names [i];
}

static replica_scene_t *begin (uint64_t seed, bool index)
{
    scene_plan_t plan = scene_plan_default;
    plan.sites = SITES;
    plan.index = index;
    replica_scene_t *scene = replica_scene_new (seed, &plan);
    uint64_t transfer = scene_put (scene, "replica/a", "x", SIZE, 1, why);
    assert_int_equal (scene_wait (scene, "replica/a", transfer, "", 20000, why), TRANSFER_DONE);
    scene_pass (scene, 500);
    return scene;
}

static void want (replica_scene_t *scene, size_t site)
{
    Musubi__GetRequest get = MUSUBI__GET_REQUEST__INIT;
    get.name = "x";
    get.guest = "";
    scene_tell (scene, site_name (site), "Get", &get.base);
}

static size_t have_it (void)
{
    size_t count = 0;
    for (size_t i = 1; i < SITES; i++)
        count += fake_has (site_name (i), "n1", "x", 1);
    return count;
}

/*  Loans of this site that have not ended. */
static size_t loans_at (const replica_scene_t *scene, size_t site)
{
    size_t count = 0;
    const chain_t *chain = ((const replica_t *) scene_core (scene, site_name (site))->self)->chain;
    for (const chain_transfer_t *transfer = chain_next (chain, NULL); transfer;
         transfer = chain_next (chain, transfer))
        count += transfer->loan && !transfer->over;
    return count;
}

static void all_at_once_or_one_by_one_it_leaves_its_site_once (void **state)
{
    (void) state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        replica_scene_t *scene = begin (seed, seed % 2);
        for (size_t i = 1; i < SITES; i++) {
            want (scene, i);
            scene_pass (scene, (int64_t) (seed % 4) * 100);
        }
        scene_pass (scene, 20000);
        assert_int_equal (have_it (), SITES - 1);
        if (fake_crossed ("replica/a/n1", "x") != SIZE)
            fail_msg ("seed %u: %llu bytes have left", (unsigned) seed,
                      (unsigned long long) fake_crossed ("replica/a/n1", "x"));
        for (size_t i = 0; i < SITES; i++)
            assert_int_equal (loans_at (scene, i), 0);
        replica_scene_destroy (&scene);
    }
}

/*  The site that feeds it; 'a' + it is its name. SITES = none, or its service is down. */
static size_t feeder_of (const replica_scene_t *scene, size_t site)
{
    const core_t *core = scene_core (scene, site_name (site));
    const char *from = core ? fetcher_from (((replica_t *) core->self)->fetcher, "x") : "";
    return *from ? (size_t) (*from - 'a') : SITES;
}

static size_t first_relay (const replica_scene_t *scene)
{
    for (size_t i = 1; i < SITES; i++)
        if (feeder_of (scene, i) == 0)
            return i;
    fail_msg ("no site is fed by the first one");
    return 0;
}

/*  The site that got it from the first one is gone for good: one other goes on there. */
static void when_the_first_relay_dies_one_takes_its_place (void **state)
{
    (void) state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        replica_scene_t *scene = begin (seed, seed % 2);
        sim_t *sim = scene_sim (scene);
        for (size_t i = 1; i < SITES; i++)
            want (scene, i);
        scene_pass (scene, 1000);
        const char *dies = site_name (first_relay (scene));
        fake_up (dies, "n1", false);
        sim_kill (sim, scene_process (scene, dies), sim_now_us (sim), -1);
        scene_pass (scene, 40000);
        assert_int_equal (have_it (), SITES - 2);
        assert_in_range (fake_crossed ("replica/a/n1", "x"), SIZE, SIZE * 13 / 10);
        replica_scene_destroy (&scene);
    }
}

/*  The first site is away while the others stand behind one another: the first of these must not go
 *  on at those that it feeds. */
static void nobody_is_fed_by_whom_it_feeds (void **state)
{
    (void) state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        replica_scene_t *scene = begin (seed, seed % 2);
        sim_t *sim = scene_sim (scene);
        for (size_t i = 1; i < SITES; i++) {
            want (scene, i);
            scene_pass (scene, 100);
        }
        fake_up ("replica/a", "n1", false);
        sim_kill (sim, scene_process (scene, "replica/a"), sim_now_us (sim), 4000);
        for (size_t tenth = 0; tenth < 80; tenth++) {
            scene_pass (scene, 100);
            for (size_t i = 1; i < SITES; i++) {
                size_t from = feeder_of (scene, i), steps = 0;
                while (from < SITES && from != i && steps++ < SITES)
                    from = feeder_of (scene, from);
                assert_int_not_equal (from, i);
            }
        }
        fake_up ("replica/a", "n1", true);
        scene_pass (scene, ENDS_MS);
        assert_int_equal (have_it (), SITES - 1);
        replica_scene_destroy (&scene);
    }
}

/*  Whoever was lent the first one's node, and never heard of it, does not wait for itself. */
static void a_loan_of_which_it_never_heard_delays_nobody (void **state)
{
    (void) state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        replica_scene_t *scene = begin (seed, seed % 2);
        sim_t *sim = scene_sim (scene);
        want (scene, 1);
        while (loans_at (scene, 0) == 0)
            sim_run (sim, sim_now_us (sim) + 50);
        sim_kill (sim, scene_process (scene, site_name (1)), sim_now_us (sim), 500);
        scene_pass (scene, 4500);
        if (have_it () != 1)
            fail_msg ("seed %u: it has not come", (unsigned) seed);
        replica_scene_destroy (&scene);
    }
}

/*  Services are killed, nodes are away; in the end every site has the file, nobody waits in a
 *  circle, and no loan stays. */
static void with_faults_every_site_gets_it_and_no_loan_stays (void **state)
{
    (void) state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        replica_scene_t *scene = begin (seed, seed % 2);
        sim_t *sim = scene_sim (scene);
        prng_t prng;
        prng_seed (&prng, seed);
        for (size_t i = 1; i < SITES; i++)
            want (scene, i);
        for (size_t k = 0; k < 8; k++) {
            const char *site = site_name (prng_below (&prng, SITES));
            scene_pass (scene, (int64_t) prng_below (&prng, 400));
            if (k % 2 == 0)
                sim_kill (sim, scene_process (scene, site), sim_now_us (sim),
                          (int64_t) prng_below (&prng, 3000));
            else
                fake_up (site, "n1", false);
            scene_pass (scene, (int64_t) prng_below (&prng, 1000));
            fake_up (site, "n1", true);
        }
        scene_pass (scene, 5000);
        for (size_t i = 1; i < SITES; i++)
            want (scene, i); /* the first request may have come while its service was down */
        scene_pass (scene, ENDS_MS);
        if (have_it () != SITES - 1)
            fail_msg ("seed %u: only %zu sites have it", (unsigned) seed, have_it ());
        if (seed <= 4) {
            scene_pass (scene, LOAN_MS);
            for (size_t i = 0; i < SITES; i++)
                assert_int_equal (loans_at (scene, i), 0);
        }
        replica_scene_destroy (&scene);
    }
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (all_at_once_or_one_by_one_it_leaves_its_site_once),
      cmocka_unit_test (when_the_first_relay_dies_one_takes_its_place),
      cmocka_unit_test (nobody_is_fed_by_whom_it_feeds),
      cmocka_unit_test (a_loan_of_which_it_never_heard_delays_nobody),
      cmocka_unit_test (with_faults_every_site_gets_it_and_no_loan_stays),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
