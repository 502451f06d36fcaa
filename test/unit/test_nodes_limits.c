/*  test_nodes_limits - output, limits, and damaged records. */
#include "nodes_fixture.h"

static const run_id_t r1 = {.task = {.bag = 1}, .number = 1};

/*  --- output --- */

typedef struct {
    size_t told;
    char data [64];
    uint64_t size;
    char why [128];
} heard_t;

static void on_output (void *owner, uint64_t token, bytes_t data, uint64_t size, const char *why)
{
    heard_t *heard = owner;
    assert_int_equal (token, 5);
    heard->told++;
    heard->size = size;
    snprintf (heard->data, sizeof heard->data, "%.*s", (int) data.size,
              data.data ? (const char *) data.data : "");
    snprintf (heard->why, sizeof heard->why, "%s", why ? why : "");
}

static void output_is_brought_by_its_node_alone_or_told_to_be_late (void **state)
{
    (void) state;
    nodes_world_t w;
    heard_t heard = {0};
    open_world (&w);
    nodes_agent_t a = agent_of ("n1");
    agent_comes (&w, &a);
    nodes_output (w.nodes, &w.host.now, &r1, false, 0, 100, on_output, &heard, 5);
    assert_int_equal (heard.told, 1);
    assert_string_equal (heard.why, "the site has no record of that run, or no longer has one");
    place (&w, "n1", r1, 1);
    assert_true (agent_told (&w, &a));
    agent_says (&a, r1, RUN_RUNNING);
    agent_comes (&w, &a);
    for (int late = 0; late < 2; late++) {
        heard = (heard_t){0};
        begin (&w);
        nodes_output (w.nodes, &w.host.now, &r1, true, 10, 100, on_output, &heard, 5);
        end (&w);
        assert_true (agent_told (&w, &a));
        assert_int_equal (a.wanted.outputs_count, 1);
        wanted_output_t wanted = a.wanted.outputs [0];
        assert_true (wanted.errors && wanted.offset == 10 && wanted.most == 100);
        if (late)
            pass (&w, OUTPUT_WAIT_MS);
        output_piece_t piece = {
          .number = wanted.number, .data = {(const uint8_t *) "hello", 5}, .size = 15, .why = ""};
        ask_packed (&w, "node/n2", "Bring", codec_encode (&output_piece_codec, &piece));
        assert_int_equal (heard.told, late);
        ask_packed (&w, "node/n1", "Bring", codec_encode (&output_piece_codec, &piece));
        ask_packed (&w, "node/n1", "Bring", codec_encode (&output_piece_codec, &piece));
        assert_int_equal (heard.told, 1);
        assert_string_equal (heard.data, late ? "" : "hello");
        assert_int_equal (heard.size, late ? 0 : 15);
        assert_true ((*heard.why != '\0') == late);
        replies_forget (&w);
        agent_comes (&w, &a);
        assert_int_equal (a.wanted.outputs_count, 0);
    }
    agent_leaves (&a);
    close_world (&w);
}

/*  --- limits and form --- */

static void more_orders_than_fit_an_answer_come_one_answer_after_another (void **state)
{
    (void) state;
    nodes_world_t w;
    open_world (&w);
    nodes_agent_t a = agent_of ("n1");
    agent_comes (&w, &a);
    char *big = malloc (60001);
    assert_non_null (big);
    memset (big, 'x', 60000);
    big [60000] = '\0';
    const char *const arguments [] = {"/bin/echo", big};
    run_order_t order = order_of (1);
    order.arguments = arguments;
    begin (&w);
    for (uint32_t i = 1; i <= 20; i++)
        nodes_start (w.nodes, &w.host.now, 0, &(run_id_t){.task = {.bag = i}, .number = 1}, &order);
    end (&w);
    size_t answers = 0;
    while (a.reports_count < 20) {
        assert_true (agent_told (&w, &a));
        answers++;
        for (size_t i = 0; i < a.wanted.runs_count; i++)
            if (a.wanted.runs [i].order)
                agent_says (&a, a.wanted.runs [i].id, RUN_CLAIMED);
        agent_ask (&w, &a);
    }
    assert_true (answers > 2);
    free (big);
    agent_leaves (&a);
    close_world (&w);
}

static void a_node_is_full_at_so_many_runs (void **state)
{
    (void) state;
    nodes_world_t w;
    open_world (&w);
    nodes_agent_t a = agent_of ("n1");
    agent_comes (&w, &a);
    run_order_t order = order_of (1);
    begin (&w);
    for (uint32_t i = 0; i < NODE_RUNS_MAX; i++) {
        assert_true (nodes_usable (w.nodes, 0));
        nodes_start (w.nodes, &w.host.now, 0,
                     &(run_id_t){.task = {.bag = 1, .index = i}, .number = 1}, &order);
    }
    assert_false (nodes_usable (w.nodes, 0));
    end (&w);
    agent_leaves (&a);
    close_world (&w);
}

static void damaged_questions_are_refused_or_answered (void **state)
{
    (void) state;
    nodes_world_t w;
    open_world (&w);
    run_report_t report = {.id = r1, .state = RUN_ENDED, .why = "w"};
    attend_t attend = {.node = "n1",
                       .class_name = "thin",
                       .cpus = 4,
                       .question.store = {1},
                       .question.start = 1,
                       .question.number = 1,
                       .runs = &report,
                       .runs_count = 1};
    packed_t body = codec_encode (&attend_codec, &attend);
    for (size_t cut = 0; cut < body.size; cut++) {
        uint8_t *exact = malloc (cut + 1);
        assert_non_null (exact);
        memcpy (exact, body.data, cut);
        ask_bytes (&w, "node/n1", "Attend", (bytes_t){exact, cut});
        ask_bytes (&w, "node/n1", "Bring", (bytes_t){exact, cut});
        for (size_t at = 0; at < cut; at++) {
            uint8_t was = exact [at];
            exact [at] = (uint8_t) (was + 1 + 7 * cut);
            ask_bytes (&w, "node/n1", "Attend", (bytes_t){exact, cut});
            exact [at] = was;
            replies_forget (&w);
        }
        replies_forget (&w);
        free (exact);
    }
    free (body.data);
    close_world (&w);
}

static void a_damaged_record_is_skipped_and_counted (void **state)
{
    (void) state;
    nodes_world_t w;
    open_world (&w);
    nodes_agent_t a = agent_of ("n1");
    agent_comes (&w, &a);
    place (&w, "n1", r1, 1);
    for (size_t i = 0; i < w.host.records.count; i++)
        if (w.host.records.list [i].table >= TABLE_NODES)
            w.host.records.list [i].value.size = 1, w.host.records.list [i].value.data [0] = 7;
    restart (&w);
    assert_int_equal (service_counted (w.service, "bad_records"), 2);
    assert_false (nodes_run (w.nodes, &r1, &(run_t){0}));
    agent_leaves (&a);
    close_world (&w);
}

static void orders_are_checked_by_field (void **state)
{
    (void) state;
    char why [WHY_BYTES];
    run_order_t order = order_of (1);
    assert_true (run_order_check (&order, why));
    order.arguments_count = 0;
    assert_false (run_order_check (&order, why));
    assert_string_equal (why, "arguments: the first one must name a program");
    order = order_of (1);
    const char *const environment [] = {"=b"};
    order.environment = environment;
    assert_false (run_order_check (&order, why));
    assert_string_equal (why, "environment[0]: \"=b\" should be NAME=value");
    order = order_of (1);
    order.folder = "here";
    assert_false (run_order_check (&order, why));
    assert_string_equal (why, "folder: \"here\" should be an absolute path, or empty");
    order = order_of (0);
    assert_false (run_order_check (&order, why));
    assert_string_equal (why, "cpus: must be at least 1");
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (output_is_brought_by_its_node_alone_or_told_to_be_late),
      cmocka_unit_test (more_orders_than_fit_an_answer_come_one_answer_after_another),
      cmocka_unit_test (a_node_is_full_at_so_many_runs),
      cmocka_unit_test (damaged_questions_are_refused_or_answered),
      cmocka_unit_test (a_damaged_record_is_skipped_and_counted),
      cmocka_unit_test (orders_are_checked_by_field),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
