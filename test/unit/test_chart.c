/*  chart - a row for each resource and each reservation, with every bar in the right row. */
#include "chart.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static json_t *parse (const char *text)
{
    json_error_t error;
    json_t *json = json_loads (text, 0, &error);
    if (!json)
        fail_msg ("%s: %s", text, error.text);
    return json;
}

static const char entries_text [] =
  "[{\"name\": \"lis/n8\", \"site\": {\"classes\": [{\"name\": \"node\", \"nodes\": 4,"
  " \"cpus_per_node\": 2}]}}, {\"name\": \"nis/N\", \"domain\": {\"links\": [{\"name\": \"n8-x1\","
  " \"mbps\": 5000}, {\"name\": \"n16-x1\", \"mbps\": 9000}]}}, {\"name\": \"planner/1\"}]";

static const char forms_text [] =
  "[{\"reservation\": \"over\", \"compute\": [], \"network\": []}, {\"reservation\": \"r-1\","
  " \"compute\": [{\"id\": \"a\", \"site\": \"n8\", \"class\": \"node\", \"cpus\": 2, \"start\":"
  " \"2026-12-01T09:00:00Z\", \"end\": \"2026-12-01T10:00:00Z\"}, {\"id\": \"b\", \"site\":"
  " \"lost\", \"class\": \"node\", \"cpus\": 1, \"start\": \"2026-12-01T09:00:00Z\", \"end\":"
  " \"2026-12-01T10:00:00Z\"}], \"network\": [{\"need\": \"a-b\", \"mbps\": 1000, \"links\":"
  " [\"N/n8-x1\", \"S/gone\"], \"start\": \"2026-12-01T09:00:00Z\", \"end\":"
  " \"2026-12-01T10:00:00Z\"}]}]";

static void assert_row (const chart_t *chart, size_t row, const char *name, int64_t capacity,
                        bool link)
{
    assert_true (row < chart->gantt.rows_count);
    assert_string_equal (chart->gantt.rows [row].name, name);
    assert_true (chart->gantt.rows [row].capacity == capacity);
    assert_true (chart->gantt.rows [row].link == link);
}

static void links_in_use_have_rows_after_all_classes (void **state)
{
    (void) state;
    json_t *entries = parse (entries_text);
    json_t *forms = parse (forms_text);
    chart_t chart;
    chart_fill (&chart, entries, forms, false);
    assert_int_equal (chart.gantt.rows_count, 4);
    assert_row (&chart, 0, "n8/node", 8, false);
    assert_row (&chart, 1, "lost/node", 0, false);
    assert_row (&chart, 2, "N/n8-x1", 5000, true);
    assert_row (&chart, 3, "S/gone", 0, true);
    /* A reservation that holds nothing is not listed, and does not shift the others. */
    assert_int_equal (chart.gantt.reservations_count, 1);
    assert_string_equal (chart.gantt.reservations [0].id, "r-1");
    assert_int_equal (chart.gantt.bars_count, 4);
    for (size_t b = 0; b < chart.gantt.bars_count; b++) {
        assert_int_equal (chart.gantt.bars [b].row, b);
        assert_int_equal (chart.gantt.bars [b].reservation, 0);
        assert_true (chart.gantt.bars [b].until_ms - chart.gantt.bars [b].from_ms == 3600000);
    }
    assert_true (chart.gantt.bars [3].quantity == 1000);
    assert_string_equal (chart.gantt.bars [3].need, "a-b");
    chart_clear (&chart);
    json_decref (entries);
    json_decref (forms);
}

static void room_on_storage_is_a_bar_in_its_nodes_row (void **state)
{
    (void) state;
    json_t *entries =
      parse ("[{\"name\": \"replica/n8\", \"storage\": {\"nodes\": [{\"name\": \"d1\","
             " \"mib\": 1000}, {\"name\": \"d2\", \"mib\": 500}]}}]");
    json_t *forms =
      parse ("[{\"reservation\": \"r\", \"compute\": [{\"id\": \"a\", \"site\": \"n8\", \"class\": "
             "\"node\"}],"
             " \"data\": [{\"need\": \"in\", \"site\": \"n8\", \"node\": \"d2\", \"bytes\": "
             "1048577}, {\"need\":"
             " \"kept\", \"site\": \"n8\", \"node\": \"d2\", \"bytes\": 0}]}]");
    chart_t chart;
    chart_fill (&chart, entries, forms, false);
    assert_int_equal (chart.gantt.rows_count, 2);
    assert_row (&chart, 1, "n8/d2", 500, true);
    assert_string_equal (chart.gantt.rows [1].unit, "MiB");
    assert_int_equal (chart.gantt.bars_count, 2);
    assert_int_equal (chart.gantt.bars [1].row, 1);
    assert_int_equal (chart.gantt.bars [1].quantity, 2);
    chart_clear (&chart);
    chart_fill (&chart, entries, forms, true);
    assert_int_equal (chart.gantt.rows_count, 3);
    chart_clear (&chart);
    json_decref (entries);
    json_decref (forms);
}

static void all_links_have_rows_when_asked (void **state)
{
    (void) state;
    json_t *entries = parse (entries_text);
    json_t *forms = parse ("[]");
    chart_t chart;
    chart_fill (&chart, entries, forms, true);
    assert_int_equal (chart.gantt.rows_count, 3);
    assert_row (&chart, 2, "N/n16-x1", 9000, true);
    chart_clear (&chart);
    chart_fill (&chart, entries, forms, false);
    assert_int_equal (chart.gantt.rows_count, 1);
    chart_clear (&chart);
    json_decref (entries);
    json_decref (forms);
}

static void reservations_of_others_are_counted_not_drawn (void **state)
{
    (void) state;
    json_t *entries = parse (entries_text);
    json_t *forms = parse (
      "[{\"reservation\": \"mine\", \"owner\": \"alice\", \"compute\": [{\"id\": \"a\", \"site\":"
      " \"n8\", \"class\": \"node\", \"cpus\": 2, \"start\": \"2026-12-01T09:00:00Z\", \"end\":"
      " \"2026-12-01T10:00:00Z\"}], \"network\": []}, {\"reservation\": \"another's\","
      " \"start\": \"2026-12-01T09:00:00Z\", \"end\": \"2026-12-01T10:00:00Z\", \"compute\": [],"
      " \"network\": []}, {\"reservation\": \"released\", \"owner\": \"alice\", \"compute\": [],"
      " \"network\": []}]");
    chart_t chart;
    chart_fill (&chart, entries, forms, false);
    assert_int_equal (chart.gantt.reservations_count, 1);
    assert_int_equal (chart.gantt.bars_count, 1);
    assert_int_equal (chart.hidden_count, 1);
    chart_clear (&chart);
    json_decref (entries);
    json_decref (forms);
}

static void the_state_of_circuits_is_in_their_bars_and_beside_the_reservation (void **state)
{
    (void) state;
    json_t *entries = parse (entries_text);
    json_t *forms =
      parse ("[{\"reservation\": \"r\", \"status\": \"committed\", \"compute\": [], \"network\":"
             " [{\"need\": \"a-b\", \"mbps\": 10, \"links\": [\"N/n8-x1\", \"NN/x1-b\"]}],"
             " \"circuits\": [{\"domain\": \"N\", \"state\": \"degraded\", \"trouble\":"
             " \"router r1: its agent does not ask\"}]}]");
    chart_t chart;
    chart_fill (&chart, entries, forms, false);
    assert_int_equal (chart.gantt.bars_count, 2);
    assert_string_equal (chart.gantt.bars [0].need, "a-b degraded");
    assert_string_equal (chart.gantt.bars [1].need, "a-b"); /* of a domain that tells nothing */
    assert_string_equal (chart.gantt.reservations [0].status,
                         "committed, degraded: router r1: its agent does not ask");
    chart_clear (&chart);
    json_decref (entries);
    json_decref (forms);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (links_in_use_have_rows_after_all_classes),
      cmocka_unit_test (room_on_storage_is_a_bar_in_its_nodes_row),
      cmocka_unit_test (all_links_have_rows_when_asked),
      cmocka_unit_test (reservations_of_others_are_counted_not_drawn),
      cmocka_unit_test (the_state_of_circuits_is_in_their_bars_and_beside_the_reservation),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
