/*  answer_form - planners' answers as the JSON and the text that users read. */
#include "answer_form.h"
#include "cli.h"
#include "json_fields.h"

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

static json_t *form_read (const char *text)
{
    json_t *answer = parse (text);
    json_t *form = answer_form (answer);
    json_decref (answer);
    return form;
}

static char *print (const json_t *form)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream (&text, &size);
    answer_print (form, "reserve", file);
    fclose (file);
    return text;
}

static const char committed [] =
  "{\"status\": \"ANSWER_COMMITTED\", \"reservation\": \"r-1\", \"start_ms\": 1796115600000,"
  " \"end_ms\": 1796119200000, \"compute\": [{\"need\": \"ocean\", \"site\": \"lis/ams\","
  " \"class_name\": \"thin\", \"cpus\": 32, \"from_ms\": 1796115600000, \"until_ms\":"
  " 1796119200000}], \"cost\": 1250000, \"planner\": \"planner/3fa9\", \"algorithm\": \"auto\","
  " \"rounds\": 1, \"planning_ms\": 12, \"version\": 1, \"request_id\": \"x@g1\"}";

static void a_committed_answer_has_the_keys_of_the_interfaces (void **state)
{
    (void) state;
    json_t *form = form_read (committed);
    json_t *expected = parse (
      "{\"reservation\": \"r-1\", \"status\": \"committed\", \"request_id\": \"x@g1\","
      " \"version\": 1, \"start\": \"2026-12-01T09:00:00Z\", \"end\": \"2026-12-01T10:00:00Z\","
      " \"compute\": [{\"id\": \"ocean\", \"site\": \"ams\", \"class\": \"thin\", \"cpus\": 32,"
      " \"start\": \"2026-12-01T09:00:00Z\", \"end\": \"2026-12-01T10:00:00Z\"}],"
      " \"network\": [], \"data\": [], \"cost\": 1250000, \"planner\": \"planner/3fa9\","
      " \"algorithm\": \"auto\", \"rounds\": 1, \"planning_ms\": 12}");
    assert_true (json_equal (form, expected));
    assert_int_equal (answer_code (form), EXIT_DONE);
    char *text = print (form);
    assert_non_null (strstr (text, "committed r-1"));
    assert_non_null (strstr (text, "cost 1.25, planned in 12 ms and 1 round\n"));
    free (text);
    json_decref (form);
    json_decref (expected);
}

static const char connected [] =
  "{\"status\": \"ANSWER_COMMITTED\", \"reservation\": \"r-2\", \"start_ms\": 1796115600000,"
  " \"end_ms\": 1796119200000, \"network\": [{\"need\": \"ocean-air\", \"between\": [\"ocean\","
  " \"air\"], \"mbps\": 1000, \"path\": [\"n8\", \"X1\", \"s8\"], \"links\": [\"N/n8-x1\","
  " \"S/x1-s8\"], \"latency_ms\": 2.5, \"from_ms\": 1796115600000, \"until_ms\": 1796119200000},"
  " {\"need\": \"air-ice\", \"between\": [\"air\", \"ice\"], \"mbps\": 500, \"path\": [\"s8\"],"
  " \"from_ms\": 1796115600000, \"until_ms\": 1796119200000}]}";

static void connections_have_the_keys_of_the_interfaces (void **state)
{
    (void) state;
    json_t *form = form_read (connected);
    json_t *expected = parse (
      "[{\"need\": \"ocean-air\", \"between\": [\"ocean\", \"air\"], \"path\": [\"n8\", \"X1\","
      " \"s8\"], \"links\": [\"N/n8-x1\", \"S/x1-s8\"], \"mbps\": 1000, \"latency_ms\": 2.5,"
      " \"start\": \"2026-12-01T09:00:00Z\", \"end\": \"2026-12-01T10:00:00Z\"},"
      " {\"need\": \"air-ice\", \"between\": [\"air\", \"ice\"], \"path\": [\"s8\"], \"links\":"
      " [], \"mbps\": 500, \"start\": \"2026-12-01T09:00:00Z\", \"end\": "
      "\"2026-12-01T10:00:00Z\"}]");
    assert_true (json_equal (json_object_get (form, "network"), expected));
    json_decref (expected);
    json_decref (form);
}

static void connections_are_printed_with_their_way (void **state)
{
    (void) state;
    json_t *form = form_read (connected);
    char *text = print (form);
    assert_non_null (strstr (text, "ocean-air    1000  n8 > X1 > s8  N/n8-x1 S/x1-s8   2.5 ms  "
                                   "2026-12-01T09:00:00Z  2026-12-01T10:00:00Z\n"));
    assert_non_null (strstr (text, "air-ice       500  s8            -                      -  "));
    free (text);
    json_decref (form);
}

static void how_a_reservation_stands_is_one_word (void **state)
{
    (void) state;
    static const char *const cases [][2] = {
      {"\"state\": \"reserved\"", "committed"},
      {"\"state\": \"reserved\", \"openings\": [{\"ready\": true}, {\"ready\": true}]",
       "committed, ready"},
      {"\"state\": \"activated\", \"openings\": [{\"ready\": true}]", "committed, active"},
      {"\"state\": \"activated\", \"openings\": [{\"ready\": true}, {\"ready\": false}]",
       "committed"},
      {"\"state\": \"activated\", \"circuits\": [{\"state\": \"active\"}]", "committed, active"},
      {"\"state\": \"reserved\", \"circuits\": [{\"state\": \"active\"}]", "committed"},
      {"\"state\": \"activated\", \"openings\": [{\"ready\": true}], \"circuits\": [{\"state\": "
       "\"opening\"}]",
       "committed"},
      {"\"openings\": [{\"ready\": true}, {\"degraded\": true}]", "committed, degraded"},
      {"\"lacking\": [\"lis/ams\"], \"openings\": [{\"ready\": true}]", "committed, degraded"},
      {"\"openings\": [{\"degraded\": true}, {\"disconnected\": true}]", "committed, disconnected"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text [1024], told [CELL_BYTES];
        snprintf (text, sizeof text, "{\"status\": \"committed\", %s}", cases [i][0]);
        json_t *form = parse (text);
        assert_string_equal (view_status (form, told), cases [i][1]);
        json_decref (form);
    }
}

static void what_a_batch_system_refuses_is_one_sentence (void **state)
{
    (void) state;
    json_t *part = parse (
      "{\"participant\": \"lis/ams\", \"reservation\": \"r-1\", \"opening\": {\"phase\": "
      "\"OPENING_WAITING\", \"bound\": 0, \"wanted\": 3, \"degraded\": true, \"absent\": true,"
      " \"trouble\": \"name: no\", \"alternatives\": [{\"class_name\": \"any\", \"nodes\": 2,"
      " \"from_ms\": 60000, \"until_ms\": 120000}, {\"class_name\": \"big\", \"nodes\": 1,"
      " \"from_ms\": 60000, \"until_ms\": 120000}]}}");
    json_t *sentence = opening_sentence (part);
    assert_string_equal (
      json_string_value (sentence),
      "r-1 at ams: waiting, 0 of 3 nodes, not there yet, degraded, name: no; 2 nodes of any are "
      "free from 1970-01-01T00:01:00Z to 1970-01-01T00:02:00Z; 1 nodes of big are free from "
      "1970-01-01T00:01:00Z to 1970-01-01T00:02:00Z");
    json_decref (sentence);
    json_decref (part);
}

static void a_reservation_is_shown_with_its_files_and_degraded_by_a_late_one (void **state)
{
    (void) state;
    json_t *view = parse (
      "{\"reservation\": \"r-1\", \"status\": \"SHOW_COMMITTED\", \"state\": \"RESERVED\","
      " \"version\": 1, \"data\": [{\"need\": \"in\", \"file\": \"x.nc\", \"site\": \"ams\", "
      "\"node\":"
      " \"d1\", \"bytes\": 200000000, \"source\": \"ber\", \"from_ms\": 1000, \"due_ms\": 2000,"
      " \"until_ms\": 3000}], \"staging\": [{\"site\": \"ams\", \"files\": [{\"need\": \"in\","
      " \"node\": \"d1\", \"file\": \"x.nc\", \"state\": \"STAGED_LATE\", \"has\": 50000000,"
      " \"size\": 200000000, \"why\": \"ber does not answer\"}]}]}");
    json_t *form = view_form (view);
    assert_true (opening_degraded (form));
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream (&text, &size);
    view_print (form, file);
    fclose (file);
    assert_non_null (strstr (text, "in    x.nc  ams   d1    200 MB  ber"));
    assert_non_null (
      strstr (text, "in: x.nc at ams/d1 late, 50.0 MB of 200 MB: ber does not answer\n"));
    free (text);
    json_decref (form);
    json_decref (view);
}

static void a_reservation_is_shown_with_its_connections_and_their_use (void **state)
{
    (void) state;
    json_t *view = parse (
      "{\"reservation\": \"r-1\", \"status\": \"SHOW_COMMITTED\", \"state\": \"RESERVED\","
      " \"version\": 1, \"network\": [{\"need\": \"a-b\", \"mbps\": 7, \"links\": [\"N/l1\","
      " \"S/l2\"]}], \"parts\": [{\"participant\": \"nis/N\", \"provisioned\": true},"
      " {\"participant\": \"nis/S\", \"provisioned\": false}, {\"participant\": \"lis/n8\"}]}");
    json_t *form = view_form (view);
    json_t *expected = parse ("[\"N\"]");
    assert_true (json_equal (json_object_get (form, "provisioned"), expected));
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream (&text, &size);
    view_print (form, file);
    fclose (file);
    /* When the graph is not known any more, the links tell the path. */
    assert_non_null (strstr (text, "a-b        7  N/l1 > S/l2  N/l1 S/l2"));
    assert_non_null (strstr (text, "provisioned at N\n"));
    free (text);
    json_decref (expected);
    json_decref (form);
    json_decref (view);
}

static void a_reservation_is_shown_with_how_it_stands_on_its_nodes (void **state)
{
    (void) state;
    json_t *view = parse (
      "{\"reservation\": \"r-1\", \"status\": \"SHOW_COMMITTED\", \"state\": \"ACTIVATED\","
      " \"openings\": [{\"site\": \"ams\", \"opening\": {\"phase\": \"OPENING_OPEN\", \"wanted\": "
      "3,"
      " \"bound\": 2, \"degraded\": true, \"cpu_ms\": 250, \"offered_ms\": 1000, \"alternatives\":"
      " [{\"class_name\": \"fat\", \"nodes\": 4, \"from_ms\": 1796115600000, \"until_ms\":"
      " 1796119200000}]}}, {\"site\": \"ber\", \"opening\": {\"wanted\": 1}}],"
      " \"lacking\": [\"nis/N\"]}");
    json_t *form = view_form (view);
    assert_true (opening_degraded (form));
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream (&text, &size);
    view_print (form, file);
    fclose (file);
    assert_non_null (strstr (text, "at ams: open, 2 of 3 nodes, degraded, used 25 %\n"
                                   "  4 nodes of fat are free from 2026-12-01T09:00:00Z to "
                                   "2026-12-01T10:00:00Z\n"
                                   "at ber: waiting, 0 of 1 nodes\n"
                                   "degraded: nis/N has less than it has promised\n"));
    free (text);
    json_decref (form);
    json_decref (view);
}

static void a_refusal_tells_reasons_and_alternatives (void **state)
{
    (void) state;
    json_t *form = form_read (
      "{\"status\": \"ANSWER_REFUSED\", \"reasons\": [{\"need\": \"a\", \"resource\": \"ams/thin\","
      " \"from_ms\": 1796115600000, \"until_ms\": 1796119200000, \"wanted\": 9, \"free\": 4,"
      " \"text\": \"ams/thin is short\"}, {\"resource\": \"nis/N\", \"text\": \"left out: no "
      "answer\"}],"
      " \"alternatives\": [{\"start_ms\": 1796119200000,"
      " \"change\": \"an hour later\"}], \"rounds\": 5, \"planning_ms\": 3}");
    assert_int_equal (answer_code (form), EXIT_REFUSED);
    json_t *expected =
      parse ("[{\"need\": \"a\", \"resource\": \"ams/thin\", \"from\": \"2026-12-01T09:00:00Z\","
             " \"until\": \"2026-12-01T10:00:00Z\", \"wanted\": 9, \"free\": 4, \"text\":"
             " \"ams/thin is short\"}, {\"resource\": \"nis/N\", \"wanted\": 0, \"free\": 0,"
             " \"text\": \"left out: no answer\"}]");
    assert_true (json_equal (json_object_get (form, "reasons"), expected));
    json_decref (expected);
    char *text = print (form);
    assert_non_null (strstr (text, "reserve refused\n  a: ams/thin is short (wanted 9, free 4"));
    assert_non_null (strstr (text, "\n  nis/N: left out: no answer\n"));
    assert_non_null (strstr (text, "possible: 2026-12-01T10:00:00Z, an hour later"));
    free (text);
    json_decref (form);
}

static void a_conflict_is_a_refusal_that_says_so (void **state)
{
    (void) state;
    json_t *form = form_read ("{\"status\": \"ANSWER_CONFLICT\"}");
    assert_int_equal (answer_code (form), EXIT_REFUSED);
    assert_true (json_is_true (json_object_get (form, "conflict")));
    char *text = print (form);
    assert_non_null (strstr (text, "conflict"));
    free (text);
    json_decref (form);
}

static void whatever_is_not_final_is_unknown (void **state)
{
    (void) state;
    static const char *const cases [] = {"{\"status\": \"ANSWER_UNKNOWN\"}",
                                         "{\"status\": \"ANSWER_IN_PROGRESS\"}", "{\"status\": 99}",
                                         "{}"};
    for (size_t i = 0; i < sizeof cases / sizeof cases [0]; i++) {
        json_t *form = form_read (cases [i]);
        assert_int_equal (answer_code (form), EXIT_UNKNOWN);
        json_decref (form);
    }
    json_t *form = answer_form_unknown ("x@g1", "no planner answers");
    assert_int_equal (answer_code (form), EXIT_UNKNOWN);
    json_decref (form);
}

static void a_plan_that_was_not_reserved_is_planned (void **state)
{
    (void) state;
    json_t *form = form_read ("{\"status\": \"ANSWER_PLANNED\", \"start_ms\": 1796115600000}");
    assert_string_equal (json_string_value (json_object_get (form, "status")), "planned");
    assert_int_equal (answer_code (form), EXIT_DONE);
    json_decref (form);
}

static void costs_have_two_decimals_or_as_many_as_matter (void **state)
{
    (void) state;
    static const struct {
        int64_t cost;
        const char *text;
    } cases [] = {{0, "0.00"},
                  {1250000, "1.25"},
                  {1000000, "1.00"},
                  {1, "0.000001"},
                  {1500, "0.0015"},
                  {-2500000, "-2.50"},
                  {123456789, "123.456789"},
                  {INT64_MIN, "-9223372036854.775808"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases [0]; i++) {
        char text [COST_TEXT_BYTES];
        assert_string_equal (cost_text (cases [i].cost, text), cases [i].text);
    }
}

static void a_reservation_is_shown_with_who_was_silent (void **state)
{
    (void) state;
    json_t *view = parse ("{\"reservation\": \"r-1\", \"owner\": \"alice\", \"status\":"
                          " \"SHOW_COMMITTING\", \"state\": \"RESERVED\", \"version\": 2,"
                          " \"silent\": [\"lis/ams\"]}");
    json_t *form = view_form (view);
    assert_string_equal (json_string_value (json_object_get (form, "status")), "committing");
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream (&text, &size);
    view_print (form, file);
    fclose (file);
    assert_non_null (strstr (text, "committing, reserved, version 2, owner alice"));
    assert_non_null (strstr (text, "no answer from lis/ams"));
    free (text);
    json_decref (form);
    json_decref (view);
}

static void what_was_placed_anew_by_a_repair_says_why (void **state)
{
    (void) state;
    json_t *form =
      form_read ("{\"status\": \"ANSWER_COMMITTED\", \"reservation\": \"r-1\", \"reasons\": "
                 "[{\"text\": \"lis/ber has lost its store: repaired\"}]}");
    assert_int_equal (answer_code (form), EXIT_DONE);
    assert_int_equal (json_array_size (json_object_get (form, "reasons")), 1);
    char *text = print (form);
    assert_non_null (strstr (text, "lis/ber has lost its store: repaired"));
    free (text);
    json_decref (form);
}

static void a_release_tells_whom_it_awaits (void **state)
{
    (void) state;
    json_t *form =
      form_read ("{\"status\": \"ANSWER_COMMITTED\", \"reservation\": \"r-1\", \"awaited\": "
                 "[\"lis/ber\"], \"reasons\": [{\"resource\": \"lis/ber\", \"text\": "
                 "\"site ber does not answer\"}]}");
    assert_int_equal (answer_code (form), EXIT_DONE);
    assert_string_equal (json_string_value (json_array_get (json_object_get (form, "awaited"), 0)),
                         "lis/ber");
    char *text = print (form);
    assert_non_null (strstr (text, "lis/ber: site ber does not answer"));
    free (text);
    json_decref (form);
    json_t *view = parse ("{\"reservation\": \"r-1\", \"status\": \"SHOW_RELEASING\", \"state\":"
                          " \"RELEASED\", \"version\": 2, \"silent\": [\"lis/ber\"]}");
    form = view_form (view);
    size_t size;
    FILE *file = open_memstream (&text, &size);
    view_print (form, file);
    fclose (file);
    assert_non_null (strstr (text, "releasing, released, version 2"));
    assert_non_null (strstr (text, "not given back yet by lis/ber"));
    free (text);
    json_decref (form);
    json_decref (view);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_committed_answer_has_the_keys_of_the_interfaces),
      cmocka_unit_test (a_release_tells_whom_it_awaits),
      cmocka_unit_test (what_was_placed_anew_by_a_repair_says_why),
      cmocka_unit_test (connections_have_the_keys_of_the_interfaces),
      cmocka_unit_test (connections_are_printed_with_their_way),
      cmocka_unit_test (how_a_reservation_stands_is_one_word),
      cmocka_unit_test (what_a_batch_system_refuses_is_one_sentence),
      cmocka_unit_test (a_reservation_is_shown_with_its_files_and_degraded_by_a_late_one),
      cmocka_unit_test (a_reservation_is_shown_with_its_connections_and_their_use),
      cmocka_unit_test (a_reservation_is_shown_with_how_it_stands_on_its_nodes),
      cmocka_unit_test (a_refusal_tells_reasons_and_alternatives),
      cmocka_unit_test (a_conflict_is_a_refusal_that_says_so),
      cmocka_unit_test (whatever_is_not_final_is_unknown),
      cmocka_unit_test (a_plan_that_was_not_reserved_is_planned),
      cmocka_unit_test (costs_have_two_decimals_or_as_many_as_matter),
      cmocka_unit_test (a_reservation_is_shown_with_who_was_silent),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
