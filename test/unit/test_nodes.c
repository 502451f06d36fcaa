/*  test_nodes - a site's nodes, their agents and runs, by events alone. */
#include "nodes_fixture.h"

static const run_id_t r1 = {.task = {.bag = 1}, .number = 1};
static const run_id_t r2 = {.task = {.bag = 2}, .number = 1};

static void nodes_are_ordered_by_class_then_name_and_found_by_name (void **state)
{
    (void) state;
    nodes_world_t w;
    open_world (&w);
    static const char *const names [] = {"n1", "n2", "n3", "m1"};
    assert_int_equal (nodes_count (w.nodes), 4);
    for (size_t i = 0; i < 4; i++) {
        size_t found;
        assert_string_equal (nodes_at (w.nodes, i).name, names [i]);
        assert_true (nodes_find (w.nodes, names [i], &found));
        assert_int_equal (found, i);
        assert_int_equal (nodes_at (w.nodes, i).state, AGENT_AWAITED);
        assert_false (nodes_usable (w.nodes, i));
    }
    size_t found;
    assert_false (nodes_find (w.nodes, "n4", &found));
    assert_int_equal (nodes_at (w.nodes, 3).cpus, 16);
    close_world (&w);
}

static void an_idle_agent_is_answered_once_and_then_waits (void **state)
{
    (void) state;
    nodes_world_t w;
    open_world (&w);
    nodes_agent_t a = agent_of ("n1");
    agent_ask (&w, &a);
    assert_true (agent_told (&w, &a));
    assert_int_equal (a.wanted.runs_count, 0);
    assert_int_equal (a.wanted.lease_ms, w.limits.lease_ms);
    assert_string_equal (a.wanted.site, "ams");
    assert_int_equal (w.states [0], AGENT_UP);
    size_t writes = w.host.puts + w.host.deletes;
    agent_ask (&w, &a);
    assert_false (agent_told (&w, &a));
    pass (&w, w.limits.attend_ms - 1);
    assert_false (agent_told (&w, &a));
    pass (&w, 1);
    assert_true (agent_told (&w, &a));
    assert_int_equal (w.host.puts + w.host.deletes, writes); /* idling costs no write */
    agent_leaves (&a);
    close_world (&w);
}

static void a_run_is_stored_then_wanted_and_moves_as_its_agent_says (void **state)
{
    (void) state;
    nodes_world_t w;
    open_world (&w);
    nodes_agent_t a = agent_of ("n1");
    agent_comes (&w, &a);
    place (&w, "n1", r1, 3);
    assert_int_equal (records_in (&w.host.records, TABLE_RUNS), 1);
    assert_int_equal (nodes_at (w.nodes, 0).cpus_used, 3);
    assert_true (agent_told (&w, &a)); /* at once */
    const wanted_run_t *wanted = agent_wanted (&a, r1);
    assert_non_null (wanted);
    assert_int_equal (wanted->wish, WISH_START);
    assert_string_equal (wanted->order->arguments [1], "one word");
    assert_string_equal (wanted->order->environment [0], "A=b");
    assert_int_equal (wanted->order->cpus, 3);

    agent_says (&a, r1, RUN_CLAIMED);
    agent_ask (&w, &a);
    assert_int_equal (run_at (&w, r1).state, RUN_CLAIMED);
    assert_true (agent_told (&w, &a)); /* without the order now */
    assert_null (agent_wanted (&a, r1)->order);

    agent_says (&a, r1, RUN_RUNNING)->started_ms = EPOCH_MS + 7;
    agent_comes (&w, &a);
    assert_int_equal (run_at (&w, r1).state, RUN_RUNNING);
    assert_int_equal (run_at (&w, r1).started_ms, EPOCH_MS + 7);

    run_report_t *report = agent_says (&a, r1, RUN_ENDED);
    report->exit_code = 3;
    report->cpu_ms = 1234;
    report->ended_ms = EPOCH_MS + 9;
    agent_ask (&w, &a);
    run_t run = run_at (&w, r1);
    assert_int_equal (run.state, RUN_ENDED);
    assert_int_equal (run.exit_code, 3);
    assert_int_equal (run.cpu_ms, 1234);
    assert_int_equal (nodes_at (w.nodes, 0).cpus_used, 0);
    assert_true (agent_told (&w, &a));
    assert_int_equal (agent_wanted (&a, r1)->wish, WISH_FORGET);

    a.reports_count = 0;
    agent_comes (&w, &a);
    assert_null (agent_wanted (&a, r1));
    static const run_state_t heard [] = {RUN_CLAIMED, RUN_RUNNING, RUN_ENDED};
    assert_int_equal (w.moves_count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal (w.moves [i].state, heard [i]);
    agent_leaves (&a);
    close_world (&w);
}

static void a_run_ends_once_whatever_late_and_doubled_questions_say (void **state)
{
    (void) state;
    nodes_world_t w;
    open_world (&w);
    nodes_agent_t a = agent_of ("n1");
    agent_comes (&w, &a);
    place (&w, "n1", r1, 1);
    assert_true (agent_told (&w, &a));
    agent_says (&a, r1, RUN_RUNNING);
    nodes_agent_t early = a; /* what it says now arrives last */
    early.wanted = (wanted_t){0};
    a.number++;
    agent_says (&a, r1, RUN_ENDED)->exit_code = 1;
    agent_comes (&w, &a);
    a.number--; /* the same question once more, with another end in it */
    agent_says (&a, r1, RUN_ENDED)->exit_code = 2;
    agent_comes (&w, &a);
    agent_ask (&w, &early);
    assert_int_equal (reply_to (&w, early.asked)->status, CALL_BAD_REQUEST);
    restart (&w);
    agent_ask (&w, &early); /* now nobody remembers its number */
    assert_true (agent_told (&w, &early));
    assert_int_equal (agent_wanted (&early, r1)->wish, WISH_END); /* it says that it runs */
    assert_int_equal (run_at (&w, r1).state, RUN_ENDED);
    assert_int_equal (run_at (&w, r1).exit_code, 1);
    assert_int_equal (w.moves_count, 0);
    agent_leaves (&a);
    agent_leaves (&early);
    close_world (&w);
}

/*  The agent of n1 has been told to start r1, and reports that it runs. */
static void r1_runs (nodes_world_t *w, nodes_agent_t *a)
{
    place (w, "n1", r1, 1);
    assert_true (agent_told (w, a));
    agent_says (a, r1, RUN_RUNNING);
    agent_comes (w, a);
}

static void nothing_is_concluded_from_what_a_question_leaves_out (void **state)
{
    (void) state;
    nodes_world_t w;
    open_world (&w);
    nodes_agent_t a = agent_of ("n1");
    agent_comes (&w, &a);
    r1_runs (&w, &a);
    a.reports_count = 0;
    agent_comes (&w, &a);
    assert_int_equal (run_at (&w, r1).state, RUN_RUNNING);
    assert_null (agent_wanted (&a, r1)->order); /* it is not to be begun again */
    agent_leaves (&a);
    close_world (&w);
}

static void after_a_restart_everything_is_told_again_from_the_records (void **state)
{
    (void) state;
    nodes_world_t w;
    open_world (&w);
    nodes_agent_t a = agent_of ("n1");
    agent_comes (&w, &a);
    place (&w, "n1", r1, 1);
    place (&w, "n1", r2, 2);
    assert_true (agent_told (&w, &a));
    agent_says (&a, r1, RUN_RUNNING);
    agent_comes (&w, &a);
    uint64_t last = a.seen;
    restart (&w);
    assert_int_equal (nodes_at (w.nodes, 0).cpus_used, 3);
    assert_int_equal (nodes_at (w.nodes, 0).state, AGENT_AWAITED);
    assert_int_equal (run_at (&w, r1).state, RUN_RUNNING);
    agent_ask (&w, &a);
    assert_true (agent_told (&w, &a));
    assert_true (a.seen > last); /* no answer has the number of an earlier one */
    assert_null (agent_wanted (&a, r1)->order);
    assert_non_null (agent_wanted (&a, r2)->order);
    agent_leaves (&a);
    close_world (&w);
}

static void warning_and_end_are_told_at_once_and_their_reason_with_the_end (void **state)
{
    (void) state;
    nodes_world_t w;
    open_world (&w);
    nodes_agent_t a = agent_of ("n1");
    agent_comes (&w, &a);
    r1_runs (&w, &a);
    begin (&w);
    nodes_warn (w.nodes, &w.host.now, &r1, 60000);
    end (&w);
    assert_true (agent_told (&w, &a));
    assert_int_equal (agent_wanted (&a, r1)->wish, WISH_WARN);
    assert_int_equal (agent_wanted (&a, r1)->grace_ms, 60000);
    agent_comes (&w, &a);
    begin (&w);
    nodes_end (w.nodes, &w.host.now, &r1, 5000, "its reservation has ended");
    end (&w);
    assert_true (agent_told (&w, &a));
    assert_int_equal (agent_wanted (&a, r1)->wish, WISH_END);
    assert_int_equal (agent_wanted (&a, r1)->grace_ms, 5000);
    assert_true (run_at (&w, r1).told_to_end);

    /*  A shorter grace replaces a longer one, never the reverse; also after a restart. */
    agent_comes (&w, &a);
    begin (&w);
    nodes_end (w.nodes, &w.host.now, &r1, 9000, "later");
    nodes_end (w.nodes, &w.host.now, &r1, 0, "at once");
    end (&w);
    assert_true (agent_told (&w, &a));
    assert_int_equal (agent_wanted (&a, r1)->grace_ms, 0);
    restart (&w);
    agent_comes (&w, &a);
    assert_int_equal (agent_wanted (&a, r1)->wish, WISH_END);
    agent_says (&a, r1, RUN_ENDED)->signal = 15;
    agent_comes (&w, &a);
    assert_string_equal (run_at (&w, r1).why, "its reservation has ended");
    assert_string_equal (w.moves [w.moves_count - 1].why, "its reservation has ended");
    agent_leaves (&a);
    close_world (&w);
}

static void suspend (nodes_world_t *w, bool suspended)
{
    begin (w);
    nodes_suspend (w->nodes, &w->host.now, &r1, suspended, 0);
    end (w);
}

static void a_run_is_suspended_until_it_is_resumed_or_ended_also_after_a_restart (void **state)
{
    (void) state;
    nodes_world_t w;
    open_world (&w);
    nodes_agent_t a = agent_of ("n1");
    agent_comes (&w, &a);
    r1_runs (&w, &a);
    suspend (&w, true);
    assert_true (agent_told (&w, &a));
    assert_int_equal (agent_wanted (&a, r1)->wish, WISH_SUSPEND);
    assert_false (run_at (&w, r1).suspended); /* its agent has not said so */
    agent_says (&a, r1, RUN_RUNNING)->suspended = true;
    agent_comes (&w, &a);
    assert_true (run_at (&w, r1).suspended);
    assert_int_equal (run_at (&w, r1).state, RUN_RUNNING);
    assert_int_equal (w.suspensions, 1);
    assert_int_equal (nodes_at (w.nodes, 0).cpus_used, 1);

    restart (&w);
    agent_comes (&w, &a);
    assert_int_equal (agent_wanted (&a, r1)->wish, WISH_SUSPEND);
    begin (&w);
    nodes_warn (w.nodes, &w.host.now, &r1, 60000);
    end (&w);
    agent_comes (&w, &a);
    assert_int_equal (agent_wanted (&a, r1)->wish, WISH_SUSPEND); /* the warning waits */
    suspend (&w, false);
    agent_comes (&w, &a);
    assert_int_equal (agent_wanted (&a, r1)->wish, WISH_WARN);
    agent_says (&a, r1, RUN_RUNNING)->suspended = false;
    agent_comes (&w, &a);
    assert_false (run_at (&w, r1).suspended);

    suspend (&w, true);
    begin (&w);
    nodes_end (w.nodes, &w.host.now, &r1, 0, "cancelled");
    end (&w);
    agent_comes (&w, &a);
    assert_int_equal (agent_wanted (&a, r1)->wish, WISH_END);
    agent_leaves (&a);
    close_world (&w);
}

static void a_run_suspended_again_before_its_agent_heard_of_the_resumption_is_told_once (
  void **state)
{
    (void) state;
    nodes_world_t w;
    open_world (&w);
    nodes_agent_t a = agent_of ("n1");
    agent_comes (&w, &a);
    r1_runs (&w, &a);
    suspend (&w, true);
    assert_true (agent_told (&w, &a));
    agent_says (&a, r1, RUN_RUNNING)->suspended = true;
    agent_ask (&w, &a);
    assert_int_equal (w.suspensions, 1);

    suspend (&w, false); /* this answer is under way when the site wants it suspended again */
    suspend (&w, true);
    assert_true (agent_told (&w, &a));
    assert_int_equal (agent_wanted (&a, r1)->wish, WISH_RESUME);
    agent_ask (&w, &a);
    assert_int_equal (w.suspensions, 1); /* it may be about to go on */
    assert_true (agent_told (&w, &a));
    assert_int_equal (agent_wanted (&a, r1)->wish, WISH_SUSPEND);
    agent_ask (&w, &a);
    assert_int_equal (w.suspensions, 2);
    assert_false (agent_told (&w, &a));
    agent_comes (&w, &a);
    assert_int_equal (w.suspensions, 2);
    agent_leaves (&a);
    close_world (&w);
}

static void what_its_machine_is_like_is_known_from_its_agents_last_word (void **state)
{
    (void) state;
    nodes_world_t w;
    open_world (&w);
    nodes_agent_t a = agent_of ("n1");
    a.machine = (machine_state_t){.memory = 5000000000, .disk = 7, .load = 0.5};
    agent_comes (&w, &a);
    site_node_t node = nodes_at (w.nodes, 0);
    assert_int_equal (node.machine.memory, 5000000000);
    assert_int_equal (node.machine.disk, 7);
    assert_true (node.machine.load == 0.5);
    a.machine.disk = 6;
    agent_comes (&w, &a);
    assert_int_equal (nodes_at (w.nodes, 0).machine.disk, 6);
    agent_leaves (&a);
    close_world (&w);
}

static void an_agent_of_before_machines_were_told_is_heard (void **state)
{
    (void) state;
    static const uint8_t attend [] = {0x0a, 2,  'n', '1', 0x12, 4, 't',  'h', 'i',  'n', 0x18, 4,
                                      0x22, 16, 'o', 'l', 'd',  0, 0,    0,   0,    0,   0,    0,
                                      0,    0,  0,   0,   0,    0, 0x28, 1,   0x40, 1};
    nodes_world_t w;
    open_world (&w);
    uint64_t asked = ask_bytes (&w, "node/n1", "Attend", (bytes_t){attend, sizeof attend});
    const reply_t *reply = reply_to (&w, asked);
    assert_true (!reply || reply->status == CALL_OK);
    site_node_t node = nodes_at (w.nodes, 0);
    assert_int_equal (node.state, AGENT_UP);
    assert_int_equal (node.machine.memory, 0);
    close_world (&w);
}

static void a_run_that_no_agent_has_heard_of_ends_without_one (void **state)
{
    (void) state;
    nodes_world_t w;
    open_world (&w);
    nodes_agent_t a = agent_of ("n1");
    agent_ask (&w, &a);
    assert_true (agent_told (&w, &a)); /* it does not ask again */
    place (&w, "n1", r1, 1);
    begin (&w);
    nodes_end (w.nodes, &w.host.now, &r1, 0, "cancelled");
    end (&w);
    assert_int_equal (run_at (&w, r1).state, RUN_REFUSED);
    assert_string_equal (run_at (&w, r1).why, "cancelled");

    /*  After a restart it is not known whether the agent was told. */
    place (&w, "n1", r2, 1);
    restart (&w);
    begin (&w);
    nodes_end (w.nodes, &w.host.now, &r2, 0, "cancelled");
    end (&w);
    assert_int_equal (run_at (&w, r2).state, RUN_PLACED);
    agent_ask (&w, &a);
    assert_true (agent_told (&w, &a));
    assert_int_equal (agent_wanted (&a, r2)->wish, WISH_END);
    assert_null (agent_wanted (&a, r1));
    agent_leaves (&a);
    close_world (&w);
}

/*  For want of room on its disk, say. */
static void refuse_unfit (nodes_world_t *w, nodes_agent_t *a, run_id_t id)
{
    place (w, "n1", id, 1);
    agent_comes (w, a);
    run_report_t *report = agent_says (a, id, RUN_REFUSED);
    report->node_unfit = true;
    snprintf (report->why, sizeof report->why, "no room");
    agent_comes (w, a);
}

static void a_node_that_could_start_nothing_rests_longer_each_time_until_something_runs (
  void **state)
{
    (void) state;
    nodes_world_t w;
    open_world (&w);
    w.limits.attend_ms = 1000;
    nodes_agent_t a = agent_of ("n1");
    agent_comes (&w, &a);
    refuse_unfit (&w, &a, run_of (1, 1));
    assert_true (run_at (&w, run_of (1, 1)).node_unfit);
    assert_false (nodes_usable (w.nodes, 0));
    pass (&w, 4999);
    assert_false (nodes_usable (w.nodes, 0));
    size_t moves = w.node_moves;
    pass (&w, 1);
    assert_true (nodes_usable (w.nodes, 0));
    assert_int_equal (w.node_moves, moves + 1);

    refuse_unfit (&w, &a, run_of (1, 2));
    pass (&w, 5000);
    assert_false (nodes_usable (w.nodes, 0));
    pass (&w, 5000);
    assert_true (nodes_usable (w.nodes, 0));

    place (&w, "n1", run_of (1, 3), 1);
    agent_comes (&w, &a);
    agent_says (&a, run_of (1, 3), RUN_RUNNING);
    agent_comes (&w, &a);
    refuse_unfit (&w, &a, run_of (1, 4));
    assert_false (nodes_usable (w.nodes, 0));
    pass (&w, 5000);
    assert_true (nodes_usable (w.nodes, 0));
    agent_leaves (&a);
    close_world (&w);
}

static void runs_that_are_over_are_kept_for_a_while (void **state)
{
    (void) state;
    for (int kept = 0; kept < 2; kept++) {
        nodes_world_t w;
        open_world (&w);
        stop (&w);
        w.limits.runs_kept_ms = kept ? 3600000 : 0;
        start (&w);
        nodes_agent_t a = agent_of ("n1");
        agent_comes (&w, &a);
        place (&w, "n1", r1, 2);
        assert_true (agent_told (&w, &a));
        agent_says (&a, r1, RUN_ENDED);
        agent_ask (&w, &a);
        assert_int_equal (w.moves_count, 1);
        assert_int_equal (records_in (&w.host.records, TABLE_RUNS), kept);
        replies_forget (&w);
        if (kept) {
            pass (&w, 3000000);
            restart (&w);
            assert_int_equal (run_at (&w, r1).state, RUN_ENDED);
            pass (&w, 601000);
        }
        assert_false (nodes_run (w.nodes, &r1, &(run_t){0}));
        assert_int_equal (records_in (&w.host.records, TABLE_RUNS), 0);
        agent_leaves (&a);
        close_world (&w);
    }
}

static void wrong_agents_are_refused_in_words (void **state)
{
    (void) state;
    nodes_world_t w;
    open_world (&w);
    nodes_agent_t a = agent_of ("n9");
    agent_ask (&w, &a);
    assert_string_equal (reply_to (&w, a.asked)->reason,
                         "node: site ams has no node n9; its names are in its configuration");
    a = agent_of ("n1");
    a.class_name = "fat";
    agent_ask (&w, &a);
    assert_string_equal (reply_to (&w, a.asked)->reason,
                         "class_name: node n1 is of class thin, not fat");
    a = agent_of ("n1");
    a.cpus = 8;
    agent_ask (&w, &a);
    assert_string_equal (reply_to (&w, a.asked)->reason, "cpus: nodes of class thin have 4, not 8");
    attend_t attend = {
      .node = "n1", .class_name = "thin", .cpus = 4, .question.start = 1, .question.number = 1};
    uint64_t asked = ask_packed (&w, "node/n2", "Attend", codec_encode (&attend_codec, &attend));
    assert_int_equal (reply_to (&w, asked)->status, CALL_DENIED);
    assert_int_equal (w.node_moves, 0);
    close_world (&w);
}

static void a_drained_node_finishes_what_it_runs_and_gets_nothing_new (void **state)
{
    (void) state;
    nodes_world_t w;
    open_world (&w);
    nodes_agent_t a = agent_of ("n1");
    agent_comes (&w, &a);
    r1_runs (&w, &a);
    static const uint8_t drain [] = {0x0a, 2, 'n', '1', 0x10, 1};
    uint64_t asked = ask_bytes (&w, "mallory", "Drain", (bytes_t){drain, sizeof drain});
    assert_int_equal (reply_to (&w, asked)->status, CALL_DENIED);
    assert_true (nodes_usable (w.nodes, 0));
    asked = ask_bytes (&w, "root", "Drain", (bytes_t){drain, sizeof drain});
    assert_int_equal (reply_to (&w, asked)->status, CALL_OK);
    assert_false (nodes_usable (w.nodes, 0));
    restart (&w);
    agent_comes (&w, &a);
    assert_true (nodes_at (w.nodes, 0).drained);
    assert_false (nodes_usable (w.nodes, 0));
    assert_int_equal (run_at (&w, r1).state, RUN_RUNNING);
    static const uint8_t resume [] = {0x0a, 2, 'n', '1'};
    ask_bytes (&w, "root", "Drain", (bytes_t){resume, sizeof resume});
    assert_true (nodes_usable (w.nodes, 0));
    agent_leaves (&a);
    close_world (&w);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (nodes_are_ordered_by_class_then_name_and_found_by_name),
      cmocka_unit_test (an_idle_agent_is_answered_once_and_then_waits),
      cmocka_unit_test (a_run_is_stored_then_wanted_and_moves_as_its_agent_says),
      cmocka_unit_test (a_run_ends_once_whatever_late_and_doubled_questions_say),
      cmocka_unit_test (nothing_is_concluded_from_what_a_question_leaves_out),
      cmocka_unit_test (after_a_restart_everything_is_told_again_from_the_records),
      cmocka_unit_test (warning_and_end_are_told_at_once_and_their_reason_with_the_end),
      cmocka_unit_test (a_run_is_suspended_until_it_is_resumed_or_ended_also_after_a_restart),
      cmocka_unit_test (
        a_run_suspended_again_before_its_agent_heard_of_the_resumption_is_told_once),
      cmocka_unit_test (what_its_machine_is_like_is_known_from_its_agents_last_word),
      cmocka_unit_test (an_agent_of_before_machines_were_told_is_heard),
      cmocka_unit_test (a_run_that_no_agent_has_heard_of_ends_without_one),
      cmocka_unit_test (
        a_node_that_could_start_nothing_rests_longer_each_time_until_something_runs),
      cmocka_unit_test (runs_that_are_over_are_kept_for_a_while),
      cmocka_unit_test (wrong_agents_are_refused_in_words),
      cmocka_unit_test (a_drained_node_finishes_what_it_runs_and_gets_nothing_new),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
