/*  test_chain_sim - a site's conductor and its storage nodes under the simulated host
 *  (chain_scene.h): without faults, with one fault at every place, and some schedules of many.
 */
#include "chain_scene.h"

#include "must.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SEEDS 60

static void without_faults_everybody_gets_the_file (void **state)
{
    (void) state;
    static sim_tally_t tally;
    chain_scene_t *scene = must (calloc (1, sizeof *scene));
    *scene = (chain_scene_t){.nodes = 4, .sources = 1, .size = 50000000, .mbps = CHAIN_SCENE_MBPS};
    chain_scene_begin (scene, 7, &tally, NULL);
    sim_run (scene->sim, 10000000);
    if (sim_failed (scene->sim))
        fail_msg ("%s", sim_why (scene->sim));
    for (size_t i = 0; i < scene->nodes; i++)
        assert_true (chain_scene_has (scene, i));
    assert_int_equal (service_counted (scene->service, "nodes_skipped"), 0);
    assert_int_equal (service_counted (scene->service, "nodes_slow"), 0);
    chain_scene_end (scene);
    free (scene);
}

static void with_faults_everybody_gets_the_file_and_nobody_a_wrong_one (void **state)
{
    (void) state;
    static sim_tally_t tally;
    char why [LONG_WHY_BYTES];
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        if (!chain_scene_run (seed, &tally, NULL, why))
            fail_msg ("seed %llu: %s", (unsigned long long) seed, why);
    assert_true (tally.counts [COUNT_CRASHES] > SEEDS);
    assert_true (tally.counts [COUNT_SKIPPED] > SEEDS / 4);
    assert_true (tally.counts [COUNT_SLOW] > 0);
    assert_true (tally.counts [COUNT_WRONG] > 0);
    assert_true (tally.counts [COUNT_CHUNKS_WRONG] > 0);
}

/*  5 s of bytes; in the middle, the node and the node behind it (if there are two) die. */
static void holds_up_nobody (fall_t how, size_t node, size_t count)
{
    static sim_tally_t tally;
    chain_scene_t *scene = must (calloc (1, sizeof *scene));
    *scene = (chain_scene_t){.nodes = 5, .sources = 1, .mbps = CHAIN_SCENE_MBPS};
    scene->size = UINT64_C (5) * CHAIN_SCENE_MBPS * 125000;
    chain_scene_begin (scene, 1 + how, &tally, NULL);
    sim_run (scene->sim, 3000000);
    for (size_t i = 0; i < count; i++)
        chain_scene_fall (scene, how, node + i);
    sim_run (scene->sim, 8000000);
    for (size_t i = 0; i < scene->nodes; i++)
        if ((i < node || i >= node + count) && !chain_scene_has (scene, i))
            fail_msg ("way %d, nodes %zu to %zu: node %zu was held up", (int) how, node,
                      node + count - 1, i);
    chain_scene_end (scene);
    free (scene);
}

static void whoever_falls_holds_up_nobody (void **state)
{
    (void) state;
    for (fall_t how = FALL_DEAD; how < FALLS; how++) {
        for (size_t node = 0; node < 5; node++)
            holds_up_nobody (how, node, 1);
        for (size_t node = 0; node < 4; node++)
            holds_up_nobody (how, node, 2);
    }
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (without_faults_everybody_gets_the_file),
      cmocka_unit_test (whoever_falls_holds_up_nobody),
      cmocka_unit_test (with_faults_everybody_gets_the_file_and_nobody_a_wrong_one),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
