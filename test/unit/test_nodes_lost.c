/*  test_nodes_lost - what becomes of runs when a node, its store or the site's is gone. */
#include "nodes_fixture.h"

static const run_id_t r1 = {.task = {.bag = 1}, .number = 1};
static const run_id_t r2 = {.task = {.bag = 2}, .number = 1};

static void a_silent_node_gets_nothing_new_and_is_lost_with_its_runs_in_the_end (void **state)
{
    (void) state;
    nodes_world_t w;
    open_world (&w);
    nodes_agent_t a = agent_of ("n1");
    agent_comes (&w, &a);
    place (&w, "n1", r1, 2);
    assert_true (agent_told (&w, &a));
    agent_says (&a, r1, RUN_RUNNING);
    agent_comes (&w, &a);
    pass (&w, w.limits.silent_ms);
    assert_int_equal (w.states [0], AGENT_SILENT);
    assert_false (nodes_usable (w.nodes, 0));
    assert_int_equal (run_at (&w, r1).state, RUN_RUNNING);
    pass (&w, w.limits.lost_ms - w.limits.silent_ms - 1);
    assert_int_equal (run_at (&w, r1).state, RUN_RUNNING);
    pass (&w, 1);
    assert_int_equal (w.states [0], AGENT_LOST);
    assert_int_equal (run_at (&w, r1).state, RUN_LOST);
    assert_string_equal (run_at (&w, r1).why, "node n1 has not been heard for 330 s");
    assert_int_equal (nodes_at (w.nodes, 0).cpus_used, 0);
    assert_int_equal (w.moves [w.moves_count - 1].state, RUN_LOST);

    /*  The node returns and must end the runs that count as lost; they stay lost, whatever it
     *  reports. */
    replies_forget (&w);
    agent_ask (&w, &a);
    assert_true (agent_told (&w, &a));
    assert_int_equal (w.states [0], AGENT_UP);
    assert_int_equal (agent_wanted (&a, r1)->wish, WISH_END);
    agent_says (&a, r1, RUN_ENDED);
    agent_ask (&w, &a);
    assert_true (agent_told (&w, &a));
    assert_int_equal (agent_wanted (&a, r1)->wish, WISH_FORGET);
    assert_int_equal (run_at (&w, r1).state, RUN_LOST);
    agent_leaves (&a);
    close_world (&w);
}

static void a_site_that_starts_gives_its_agents_the_whole_time (void **state)
{
    (void) state;
    nodes_world_t w;
    open_world (&w);
    nodes_agent_t a = agent_of ("n1");
    agent_comes (&w, &a);
    place (&w, "n1", r1, 2);
    pass (&w, w.limits.lost_ms - 1000);
    restart (&w);
    pass (&w, w.limits.lost_ms - 1);
    assert_int_equal (run_at (&w, r1).state, RUN_PLACED);
    pass (&w, 1);
    assert_int_equal (run_at (&w, r1).state, RUN_LOST);
    agent_leaves (&a);
    close_world (&w);
}

static void an_agent_with_a_new_store_is_not_told_to_begin_what_the_old_one_may_have (void **state)
{
    (void) state;
    nodes_world_t w;
    open_world (&w);
    nodes_agent_t a = agent_of ("n1"), b = agent_of ("n1");
    b.store [0] = 2;
    agent_comes (&w, &a);
    place (&w, "n1", r1, 2);
    assert_true (agent_told (&w, &a));

    /*  Of two machines with one name the second is kept out while the first is heard. */
    agent_ask (&w, &b);
    assert_int_equal (reply_to (&w, b.asked)->status, CALL_DENIED);
    pass (&w, w.limits.silent_ms);
    agent_ask (&w, &b);
    assert_true (agent_told (&w, &b));
    assert_null (agent_wanted (&b, r1));
    assert_int_equal (nodes_at (w.nodes, 0).cpus_used, 2);
    place (&w, "n1", r2, 2);
    agent_comes (&w, &b);
    assert_non_null (agent_wanted (&b, r2));
    assert_null (agent_wanted (&b, r1));

    /*  The runs of the first one are lost when its lease must have ended, whether b is heard or
     *  not. */
    for (int64_t left = w.limits.lost_ms - w.limits.silent_ms - 1; left > 0; left -= 10000) {
        pass (&w, left < 10000 ? left : 10000);
        agent_comes (&w, &b);
    }
    assert_int_equal (run_at (&w, r1).state, RUN_PLACED);
    pass (&w, 1);
    assert_int_equal (run_at (&w, r1).state, RUN_LOST);
    assert_int_equal (run_at (&w, r2).state, RUN_PLACED);
    agent_leaves (&a);
    agent_leaves (&b);
    close_world (&w);
}

static void an_older_start_of_an_agents_store_is_refused_as_a_backup (void **state)
{
    (void) state;
    nodes_world_t w;
    open_world (&w);
    nodes_agent_t a = agent_of ("n1");
    a.start = 5;
    agent_comes (&w, &a);
    restart (&w);
    a.start = 4;
    agent_ask (&w, &a);
    assert_int_equal (reply_to (&w, a.asked)->status, CALL_DENIED);
    a.start = 6;
    a.number = 0;
    a.seen = 0;
    agent_comes (&w, &a);
    agent_leaves (&a);
    close_world (&w);
}

static void runs_of_an_earlier_store_of_the_site_are_never_begun (void **state)
{
    (void) state;
    nodes_world_t w;
    open_world (&w);
    nodes_agent_t a = agent_of ("n1");
    agent_comes (&w, &a);
    place (&w, "n1", r1, 2);
    w.host.store.id [0] = 77; /* a backup, adopted */
    restart (&w);
    agent_ask (&w, &a);
    assert_true (agent_told (&w, &a));
    assert_null (agent_wanted (&a, r1));
    pass (&w, w.limits.lost_ms);
    assert_int_equal (run_at (&w, r1).state, RUN_LOST);
    agent_leaves (&a);
    close_world (&w);
}

static void a_run_that_the_site_does_not_know_is_left_out_and_so_ended (void **state)
{
    (void) state;
    nodes_world_t w;
    open_world (&w);
    nodes_agent_t a = agent_of ("n1");
    agent_says (&a, r1, RUN_RUNNING);
    agent_comes (&w, &a);
    assert_null (agent_wanted (&a, r1));
    assert_false (nodes_run (w.nodes, &r1, &(run_t){0}));
    agent_leaves (&a);
    close_world (&w);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_silent_node_gets_nothing_new_and_is_lost_with_its_runs_in_the_end),
      cmocka_unit_test (a_site_that_starts_gives_its_agents_the_whole_time),
      cmocka_unit_test (an_agent_with_a_new_store_is_not_told_to_begin_what_the_old_one_may_have),
      cmocka_unit_test (an_older_start_of_an_agents_store_is_refused_as_a_backup),
      cmocka_unit_test (runs_of_an_earlier_store_of_the_site_are_never_begun),
      cmocka_unit_test (a_run_that_the_site_does_not_know_is_left_out_and_so_ended),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
