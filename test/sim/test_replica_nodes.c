/*  test_replica_nodes - files at several storage nodes of a site, and rules that want them there,
 *  in the simulated host. */
#include "catalogue_check.h"
#include "replica_scene.h"

#include "message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define MB    1000000
#define SEEDS 20

static char why [256];

static const catalogue_t *catalogue_at (const replica_scene_t *scene, const char *site)
{
    return ((const replica_t *) scene_core (scene, site)->self)->catalogue;
}

static void put (replica_scene_t *scene, const char *site, const char *name, uint64_t size,
                 uint8_t content)
{
    uint64_t transfer = scene_put (scene, site, name, size, content, why);
    assert_int_not_equal (transfer, UINT64_MAX);
    assert_int_equal (scene_wait (scene, site, transfer, "", 20000, why), TRANSFER_DONE);
}

static uint64_t get_nodes (replica_scene_t *scene, const char *site, const char *name,
                           uint32_t nodes)
{
    Musubi__GetRequest request = MUSUBI__GET_REQUEST__INIT;
    ProtobufCMessage *answer;
    request.name = (char *) name;
    request.nodes = nodes;
    assert_int_equal (scene_ask (scene, site, "Get", &request.base, &answer, why), CALL_OK);
    uint64_t transfer = ((const Musubi__BeginAnswer *) answer)->transfer;
    message_free (answer);
    return transfer;
}

/*  What the site says of a transfer: how many nodes have the file, and which do not. */
static uint32_t nodes_told (replica_scene_t *scene, const char *site, uint64_t transfer,
                            char lacking [256])
{
    Musubi__TransferRequest request = MUSUBI__TRANSFER_REQUEST__INIT;
    ProtobufCMessage *message;
    request.transfer = transfer;
    assert_int_equal (scene_ask (scene, site, "Transfer", &request.base, &message, why), CALL_OK);
    const Musubi__TransferAnswer *answer = (const Musubi__TransferAnswer *) message;
    uint32_t have = answer->nodes;
    *lacking = '\0';
    for (size_t i = 0; i < answer->n_lacking; i++) {
        size_t used = strlen (lacking);
        snprintf (lacking + used, 256 - used, "%s%s", used > 0 ? ", " : "", answer->lacking [i]);
    }
    message_free (message);
    return have;
}

/*  How many of the nodes n1, n2 … have it. */
static size_t nodes_with (const char *site, const char *name, uint8_t content)
{
    static const char *const nodes [] = {"n1", "n2", "n3", "n4"};
    size_t count = 0;
    for (size_t i = 0; i < 4; i++)
        count += fake_has (site, nodes [i], name, content);
    return count;
}

static replica_scene_t *scene_of_nodes (uint64_t seed, size_t nodes)
{
    scene_plan_t plan = scene_plan_default;
    plan.nodes = nodes;
    return replica_scene_new (seed, &plan);
}

static void all_nodes_of_a_site_get_a_file_by_one_crossing (void **state)
{
    (void) state;
    replica_scene_t *scene = scene_of_nodes (20, 4);
    char lacking [256];
    put (scene, "replica/a", "x", 8 * MB, 1);
    uint64_t one = scene_get (scene, "replica/b", "x", "guest-1", why);
    scene_pass (scene, 500);
    uint64_t transfer = get_nodes (scene, "replica/b", "x", 3);
    assert_int_equal (transfer, one); /* it is joined */
    assert_int_equal (get_nodes (scene, "replica/b", "x", UINT32_MAX), one);
    assert_int_equal (scene_wait (scene, "replica/b", transfer, "", 20000, why), TRANSFER_DONE);
    assert_int_equal (nodes_with ("replica/b", "x", 1), 4);
    assert_int_equal (nodes_told (scene, "replica/b", transfer, lacking), 4);
    assert_string_equal (lacking, "");
    assert_int_equal (fake_crossed ("replica/b", "x"), 8 * MB);
    assert_int_equal (get_nodes (scene, "replica/b", "x", UINT32_MAX), 0); /* all is there */

    /* Where it was put: the node that has it feeds the others, and guests join them. */
    transfer = get_nodes (scene, "replica/a", "x", 3);
    assert_int_equal (scene_wait (scene, "replica/a", transfer, "", 20000, why), TRANSFER_DONE);
    assert_int_equal (nodes_with ("replica/a", "x", 1), 3);
    assert_int_equal (fake_crossed ("replica/a", "x"), 0);
    check_catalogue (catalogue_at (scene, "replica/a"));
    check_catalogue (catalogue_at (scene, "replica/b"));
    replica_scene_destroy (&scene);
}

static void a_node_without_room_fails_by_itself_and_is_named (void **state)
{
    (void) state;
    replica_scene_t *scene = scene_of_nodes (21, 3);
    char lacking [256];
    put (scene, "replica/b", "full", 8 * MB, 2);
    put (scene, "replica/a", "x", 5 * MB, 1);
    const char *full = fake_has ("replica/b", "n1", "full", 2)   ? "n1"
                       : fake_has ("replica/b", "n2", "full", 2) ? "n2"
                                                                 : "n3";
    uint64_t transfer = get_nodes (scene, "replica/b", "x", UINT32_MAX);
    assert_int_equal (scene_wait (scene, "replica/b", transfer, "", 20000, why), TRANSFER_DONE);
    assert_int_equal (nodes_told (scene, "replica/b", transfer, lacking), 2);
    assert_memory_equal (lacking, full, 2);
    assert_string_equal (lacking + 2, ": has no room for it");

    /* A node that is away in between takes nobody along, and gets the rest when it is back. */
    transfer = get_nodes (scene, "replica/c", "x", UINT32_MAX);
    scene_pass (scene, 600);
    fake_up ("replica/c", "n2", false);
    assert_int_equal (scene_wait (scene, "replica/c", transfer, "", 5000, why), TRANSFER_RUNNING);
    assert_int_equal (nodes_with ("replica/c", "x", 1), 2);
    fake_up ("replica/c", "n2", true);
    assert_int_equal (scene_wait (scene, "replica/c", transfer, "", 5000, why), TRANSFER_DONE);
    assert_int_equal (nodes_with ("replica/c", "x", 1), 3);
    assert_false (fake_overrun ());
    check_catalogue (catalogue_at (scene, "replica/b"));
    check_catalogue (catalogue_at (scene, "replica/c"));
    replica_scene_destroy (&scene);
}

static void a_restart_forgets_no_node (void **state)
{
    (void) state;
    replica_scene_t *scene = scene_of_nodes (22, 4);
    sim_t *sim = scene_sim (scene);
    put (scene, "replica/a", "x", 8 * MB, 1);
    get_nodes (scene, "replica/b", "x", UINT32_MAX);
    scene_pass (scene, 500);
    sim_kill (sim, scene_process (scene, "replica/b"), sim_now_us (sim), 200);
    scene_pass (scene, 10000);
    assert_int_equal (nodes_with ("replica/b", "x", 1), 4);
    assert_int_equal (
      file_copies (catalogue_find (catalogue_at (scene, "replica/b"), "x"), COPY_SOUND), 4);
    assert_true (fake_crossed ("replica/b", "x") < 12 * MB); /* these nodes begin anew */
    check_catalogue (catalogue_at (scene, "replica/b"));
    replica_scene_destroy (&scene);
}

static void say_rule_of (replica_scene_t *scene, const char *site, const char *name,
                         uint32_t copies, uint32_t nodes, const char *sites)
{
    Musubi__RuleRequest request = MUSUBI__RULE_REQUEST__INIT;
    Musubi__ReplicaRule rule = MUSUBI__REPLICA_RULE__INIT;
    ProtobufCMessage *answer;
    request.name = (char *) name;
    request.rule = &rule;
    rule.copies = copies;
    rule.nodes = nodes;
    rule.sites = (char *) sites;
    assert_int_equal (scene_ask (scene, site, "Rule", &request.base, &answer, why), CALL_OK);
    message_free (answer);
}

static void say_rule_nodes (replica_scene_t *scene, const char *site, uint32_t copies,
                            uint32_t nodes, const char *sites)
{
    say_rule_of (scene, site, "x", copies, nodes, sites);
}

static void a_rule_over_nodes_is_kept_at_every_site_by_itself (void **state)
{
    (void) state;
    static const char *const sites [] = {"replica/a", "replica/b", "replica/c"};
    replica_scene_t *scene = scene_of_nodes (23, 3);
    put (scene, "replica/a", "x", MB, 1);
    fake_up ("replica/c", "n2", false);
    say_rule_nodes (scene, "replica/a", UINT32_MAX, UINT32_MAX, "");
    scene_pass (scene, 15000);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal (nodes_with (sites [i], "x", 1), i == 2 ? 2 : 3);
    fake_up ("replica/c", "n2", true);
    sim_kill (scene_sim (scene), scene_process (scene, "replica/a"), sim_now_us (scene_sim (scene)),
              -1); /* nobody needs the site where the rule is */
    fake_lose ("replica/b", "n1", "x");
    uint64_t transfer = scene_get (scene, "replica/b", "x", "guest-1", why); /* so it is noticed */
    scene_wait (scene, "replica/b", transfer, "guest-1", 20000, why);
    scene_pass (scene, 25000);
    assert_int_equal (nodes_with ("replica/b", "x", 1), 3);
    assert_int_equal (nodes_with ("replica/c", "x", 1), 3);

    /* What the rule brought stays when the site is told that it has ended; nothing is mended. */
    say_rule_nodes (scene, "replica/b", 0, 0, "");
    fake_lose ("replica/b", "n2", "x");
    sim_kill (scene_sim (scene), scene_process (scene, "replica/b"), sim_now_us (scene_sim (scene)),
              100); /* so that it is told what its nodes have */
    scene_pass (scene, 25000);
    assert_int_equal (nodes_with ("replica/b", "x", 1), 2);
    replica_scene_destroy (&scene);
}

static void a_rule_may_name_its_sites (void **state)
{
    (void) state;
    replica_scene_t *scene = scene_of_nodes (24, 3);
    put (scene, "replica/a", "x", MB, 1);
    say_rule_nodes (scene, "replica/a", UINT32_MAX, 2, "b");
    scene_pass (scene, 15000);
    assert_int_equal (nodes_with ("replica/a", "x", 1), 1);
    assert_int_equal (nodes_with ("replica/b", "x", 1), 2);
    assert_int_equal (nodes_with ("replica/c", "x", 1), 0);
    say_rule_nodes (scene, "replica/a", UINT32_MAX, UINT32_MAX, "a,b");
    scene_pass (scene, 25000);
    assert_int_equal (nodes_with ("replica/a", "x", 1), 3);
    assert_int_equal (nodes_with ("replica/b", "x", 1), 3);
    assert_int_equal (nodes_with ("replica/c", "x", 1), 0);
    assert_int_equal (fake_crossed ("replica/b", "x"), MB);
    replica_scene_destroy (&scene);
}

/*  More files than are tried in one round. */
static void files_without_room_do_not_keep_back_those_that_have_it (void **state)
{
    (void) state;
    scene_plan_t plan = scene_plan_default;
    plan.nodes = 2;
    plan.node_bytes = 60 * MB;
    replica_scene_t *scene = replica_scene_new (25, &plan);
    char name [8];
    put (scene, "replica/a", "full", 58 * MB, 1);
    for (size_t i = 0; i < 18; i++) {
        snprintf (name, sizeof name, "f%02zu", i);
        put (scene, "replica/a", name, 3 * MB, (uint8_t) (i + 2));
        say_rule_of (scene, "replica/a", name, UINT32_MAX, 2, "a");
    }
    put (scene, "replica/a", "z", MB, 1);
    say_rule_of (scene, "replica/a", "z", UINT32_MAX, 2, "a");
    scene_pass (scene, 45000);
    assert_int_equal (nodes_with ("replica/a", "f00", 2), 1);
    assert_int_equal (nodes_with ("replica/a", "z", 1), 2);
    assert_false (fake_overrun ());
    replica_scene_destroy (&scene);
}

/*  --- random schedules --- */

static const sim_faults_t harsh = {.crash = 20, .crashes_max = 6, .pause_ms_max = 1500, .slow = 20};
static const sim_net_faults_t stormy = {
  .loss = 20, .doubling = 30, .reordering = 30, .delay = 30, .delay_ms_max = 1000, .keep = 500};

#define FILES 4

/*  Whatever crashes, goes away or is lost meanwhile: when all faults have ended, every node of
 *  every site has each file that a rule wants there. */
static void one_schedule (uint64_t seed)
{
    static const char *const sites [] = {"replica/a", "replica/b", "replica/c"};
    static const char *const nodes [] = {"n1", "n2", "n3"};
    static const char *const names [FILES] = {"f0", "f1", "f2", "f3"};
    replica_scene_t *scene = scene_of_nodes (seed, 3);
    sim_t *sim = scene_sim (scene);
    prng_t prng;
    prng_seed (&prng, seed);
    for (size_t i = 0; i < FILES; i++) {
        put (scene, sites [i % 3], names [i], MB / 2, (uint8_t) (i + 1));
        say_rule_of (scene, sites [i % 3], names [i], UINT32_MAX, UINT32_MAX, "");
    }
    sim_fault (sim, &harsh, &stormy);
    for (size_t step = 0; step < 30; step++) {
        const char *site = sites [prng_below (&prng, 3)], *node = nodes [prng_below (&prng, 3)];
        size_t file = prng_below (&prng, FILES);
        uint64_t what = prng_below (&prng, 4);
        fake_up (site, node, what != 0);
        if (what == 1 && nodes_with (site, names [file], (uint8_t) (file + 1)) == 3)
            fake_lose (site, node, names [file]);
        scene_pass (scene, (int64_t) prng_below (&prng, 1500));
    }
    for (size_t s = 0; s < 3; s++)
        for (size_t n = 0; n < 3; n++)
            fake_up (sites [s], nodes [n], true);
    sim_heal (sim);
    scene_pass (scene, 5000);
    for (size_t s = 0; s < 3; s++) /* so that nodes tell what they have */
        sim_kill (sim, scene_process (scene, sites [s]), sim_now_us (sim), 100);
    scene_pass (scene, 90000);
    for (size_t s = 0; s < 3; s++)
        for (size_t i = 0; i < FILES; i++)
            if (nodes_with (sites [s], names [i], (uint8_t) (i + 1)) != 3)
                fail_msg ("seed %llu: %s is at %zu of 3 nodes of %s", (unsigned long long) seed,
                          names [i], nodes_with (sites [s], names [i], (uint8_t) (i + 1)),
                          sites [s]);
    for (size_t s = 0; s < 3; s++)
        check_catalogue (catalogue_at (scene, sites [s]));
    assert_false (fake_overrun ());
    replica_scene_destroy (&scene);
}

static void random_schedules_end_with_the_file_at_all_nodes (void **state)
{
    (void) state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        one_schedule (seed);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (all_nodes_of_a_site_get_a_file_by_one_crossing),
      cmocka_unit_test (a_node_without_room_fails_by_itself_and_is_named),
      cmocka_unit_test (a_restart_forgets_no_node),
      cmocka_unit_test (a_rule_over_nodes_is_kept_at_every_site_by_itself),
      cmocka_unit_test (a_rule_may_name_its_sites),
      cmocka_unit_test (files_without_room_do_not_keep_back_those_that_have_it),
      cmocka_unit_test (random_schedules_end_with_the_file_at_all_nodes),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
