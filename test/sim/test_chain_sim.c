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

/*  The part that an earlier client's end has left; all but it is received, and by another file's
 *  part nobody is held up. */
static void goes_on (uint64_t part, bool other, uint64_t received)
{
    static sim_tally_t tally;
    chain_scene_t *scene = must (calloc (1, sizeof *scene));
    *scene = (chain_scene_t){.nodes = 3,
                             .sources = 1,
                             .size = 50000000,
                             .mbps = CHAIN_SCENE_MBPS,
                             .marks = true,
                             .part = part,
                             .part_other = other};
    chain_scene_begin (scene, 11, &tally, NULL);
    sim_run (scene->sim, 20000000);
    if (sim_failed (scene->sim))
        fail_msg ("part of %llu bytes: %s", (unsigned long long) part, sim_why (scene->sim));
    for (size_t i = 0; i < scene->nodes; i++)
        assert_true (chain_scene_has (scene, i));
    assert_in_range (sim_flows_received (scene->flows, scene->processes [0]), received,
                     received + (UINT64_C (2) << 20));
    for (size_t i = 1; i < scene->nodes; i++)
        assert_int_equal (sim_flows_received (scene->flows, scene->processes [i]), scene->size);
    assert_int_equal (service_counted (scene->service, "files_wrong"), 0);
    chain_scene_end (scene);
    free (scene);
}

static void a_clients_end_goes_on_with_the_part_of_another (void **state)
{
    (void) state;
    goes_on (UINT64_C (20) << 20, false, 50000000 - (UINT64_C (20) << 20));
    goes_on (50000000, false, 0);
    goes_on (50000000, true, 50000000);
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

static void the_source_sends_its_bytes_once_although_the_first_start_late (void **state)
{
    (void) state;
    static sim_tally_t tally;
    chain_scene_t *scene = must (calloc (1, sizeof *scene));
    *scene = (chain_scene_t){.nodes = 8, .sources = 1, .late = 4};
    scene->size = UINT64_C (5) * CHAIN_SCENE_MBPS * 125000;
    chain_scene_begin (scene, 11, &tally, NULL);
    sim_run (scene->sim, 20000000);
    for (size_t i = 0; i < scene->nodes; i++)
        assert_true (chain_scene_has (scene, i));
    uint64_t sent = sim_flows_fed (scene->flows, scene->processes [scene->nodes]);
    if (sent > scene->size + scene->size / 50)
        fail_msg ("the source sent %llu bytes of %llu", (unsigned long long) sent,
                  (unsigned long long) scene->size);
    chain_scene_end (scene);
    free (scene);
}

/*  Each node that asks the service that is back must not be told that it is the first. */
static void a_service_that_comes_back_sends_nobody_to_the_source (void **state)
{
    (void) state;
    static sim_tally_t tally;
    for (uint64_t seed = 21; seed < 26; seed++) {
        chain_scene_t *scene = must (calloc (1, sizeof *scene));
        *scene = (chain_scene_t){.nodes = 8, .sources = 1, .mbps = CHAIN_SCENE_MBPS};
        scene->size = UINT64_C (5) * CHAIN_SCENE_MBPS * 125000;
        chain_scene_begin (scene, seed, &tally, NULL);
        sim_run (scene->sim, 2000000);
        sim_kill (scene->sim, scene->site, sim_now_us (scene->sim), 500);
        sim_run (scene->sim, 20000000);
        for (size_t i = 0; i < scene->nodes; i++)
            assert_true (chain_scene_has (scene, i));
        uint64_t sent = sim_flows_fed (scene->flows, scene->processes [scene->nodes]);
        if (sent > scene->size + scene->size / 50)
            fail_msg ("seed %llu: the source sent %llu bytes of %llu", (unsigned long long) seed,
                      (unsigned long long) sent, (unsigned long long) scene->size);
        chain_scene_end (scene);
        free (scene);
    }
}

/*  Half of the nodes reach others and are reached by nobody: each is tried again, ever less
 *  often. */
static void whoever_nobody_reaches_is_tried_ever_less_often (void **state)
{
    (void) state;
    static sim_tally_t tally;
    chain_scene_t *scene = must (calloc (1, sizeof *scene));
    *scene = (chain_scene_t){.nodes = 8, .sources = 1, .hides = true};
    scene->size = UINT64_C (30) * CHAIN_SCENE_MBPS * 125000;
    chain_scene_begin (scene, 12, &tally, NULL);
    sim_run (scene->sim, 240000000);
    for (size_t i = 0; i < scene->nodes; i++)
        assert_true (chain_scene_has (scene, i));
    int64_t skips = service_counted (scene->service, "nodes_skipped");
    uint64_t plans = chain_next (scene->chain, NULL)->epoch;
    uint64_t sent = sim_flows_fed (scene->flows, scene->processes [scene->nodes]);
    if (skips > 4 * 7 || plans > 40 || sent > scene->size + scene->size / 10)
        fail_msg ("skipped %lld times, %llu plans, %llu bytes sent of %llu", (long long) skips,
                  (unsigned long long) plans, (unsigned long long) sent,
                  (unsigned long long) scene->size);
    chain_scene_end (scene);
    free (scene);
}

static const chain_file_t *file_at (const chain_scene_t *scene, const char *node)
{
    return chain_file (chain_node (scene->chain, node), "climate/run 1");
}

static void pass (chain_scene_t *scene, int64_t ms)
{
    sim_run (scene->sim, sim_now_us (scene->sim) + ms * 1000);
    if (sim_failed (scene->sim))
        fail_msg ("%s", sim_why (scene->sim));
}

/*  Also over a restart of its node; the other copy mends it. */
static void a_copy_that_goes_bad_stays_until_it_is_mended (void **state)
{
    (void) state;
    static sim_tally_t tally;
    chain_scene_t *scene = must (calloc (1, sizeof *scene));
    *scene = (chain_scene_t){.nodes = 2, .sources = 1, .size = 50000000, .mbps = CHAIN_SCENE_MBPS};
    chain_scene_begin (scene, 7, &tally, NULL);
    pass (scene, 10000);
    sim_file_t *file = sim_flows_files (scene->flows);
    while (file->process != scene->processes [1] || !strstr (file->path, "/files/"))
        file = file->after;
    moment_t now = {.wall_ms = SIM_EPOCH_MS + sim_now_us (scene->sim) / 1000};
    file->damaged = true;
    assert_true (chain_prove (scene->chain, &now, "n1", "climate/run 1", 0));
    pass (scene, 30000);
    assert_true (file_at (scene, "n1")->stored.quarantined);
    sim_kill (scene->sim, scene->processes [1], sim_now_us (scene->sim), 300);
    pass (scene, 20000);
    assert_true (file_at (scene, "n1")->stored.quarantined);
    assert_true (file->damaged && strstr (file->path, "/files/"));
    chain_source_t source = {.node = "n0"};
    const char *receiver = "n1";
    chain_id_t id;
    char why [WHY_BYTES];
    now = (moment_t){.wall_ms = SIM_EPOCH_MS + sim_now_us (scene->sim) / 1000};
    assert_true (chain_begin (scene->chain, &now,
                              &(chain_order_t){.file = "climate/run 1",
                                               .size_known = true,
                                               .content = file_at (scene, "n1")->stored.content,
                                               .sources = &source,
                                               .sources_count = 1,
                                               .receivers = &receiver,
                                               .receivers_count = 1},
                              &id, why));
    pass (scene, 30000);
    assert_false (file_at (scene, "n1")->stored.quarantined);
    assert_int_equal (chain_transfer (scene->chain, &id)->receivers [0].state, RECEIVER_VERIFIED);
    chain_scene_end (scene);
    free (scene);
}

/*  g0 has another file than its digest was taken of, feeds it, and does not hear that it is to read
 *  it again. */
static void after_wrong_bytes_a_source_feeds_nobody_before_it_has_read_its_file (void **state)
{
    (void) state;
    static sim_tally_t tally;
    chain_scene_t *scene = must (calloc (1, sizeof *scene));
    *scene = (chain_scene_t){.nodes = 2, .sources = 2, .size = 50000000, .mbps = CHAIN_SCENE_MBPS};
    chain_scene_begin (scene, 7, &tally, NULL);
    int liar = scene->processes [scene->nodes];
    sim_flows_file (scene->flows, liar, "/given", true)->content++;
    sim_net_cut (sim_net (scene->sim), liar, scene->site, false, sim_now_us (scene->sim),
                 INT64_C (60000000));
    pass (scene, 20000);
    for (size_t i = 0; i < scene->nodes; i++)
        assert_true (chain_scene_has (scene, i));
    assert_in_range (service_counted (scene->service, "files_wrong"), 1, scene->nodes);
    chain_scene_end (scene);
    free (scene);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (without_faults_everybody_gets_the_file),
      cmocka_unit_test (a_clients_end_goes_on_with_the_part_of_another),
      cmocka_unit_test (whoever_falls_holds_up_nobody),
      cmocka_unit_test (the_source_sends_its_bytes_once_although_the_first_start_late),
      cmocka_unit_test (a_service_that_comes_back_sends_nobody_to_the_source),
      cmocka_unit_test (whoever_nobody_reaches_is_tried_ever_less_often),
      cmocka_unit_test (a_copy_that_goes_bad_stays_until_it_is_mended),
      cmocka_unit_test (after_wrong_bytes_a_source_feeds_nobody_before_it_has_read_its_file),
      cmocka_unit_test (with_faults_everybody_gets_the_file_and_nobody_a_wrong_one),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
