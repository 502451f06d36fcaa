/*  explanation - why a request is refused, what a reservation waits for, what became of a request.
 */
#include "explanation.h"

#include "cli.h"

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

static char *printed (void (*print) (const json_t *form, FILE *to), const json_t *form)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream (&text, &size);
    print (form, file);
    fclose (file);
    return text;
}

static void a_refusal_names_need_resource_interval_and_figures (void **state)
{
    (void) state;
    json_t *form = parse (
      "{\"status\": \"refused\", \"reasons\": [{\"need\": \"ocean-air\", \"resource\": \"N/n8-x1\","
      " \"from\": \"2026-12-01T09:00:00Z\", \"until\": \"2026-12-01T10:00:00Z\", \"wanted\": 6000,"
      " \"free\": 5000, \"text\": \"too full\"}, {\"need\": \"air\", \"resource\": \"n8/node\","
      " \"wanted\": 9, \"free\": 8}, {\"resource\": \"nis/N\", \"text\": \"left out\"}], "
      "\"alternatives\": [{\"change\": \"with 5000 Mbit/s\"},"
      " {\"start\": \"2026-12-01T12:00:00Z\"}]}");
    json_t *request = parse ("{\"compute\": [{\"id\": \"ocean\"}, {\"id\": \"air\"}], \"network\":"
                             " [{\"between\": [\"ocean\", \"air\"]}]}");
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream (&text, &size);
    explain_refusal_print (form, request, file);
    fclose (file);
    assert_string_equal (text, "the request can't be satisfied\n"
                               "ocean-air\n"
                               "    resource  N/n8-x1\n"
                               "    interval  2026-12-01T09:00:00Z to 2026-12-01T10:00:00Z\n"
                               "    wanted    6000 Mbit/s, free 5000\n"
                               "    why       too full\n"
                               "air\n"
                               "    resource  n8/node\n"
                               "    wanted    9, free 8\n"
                               "nis/N\n"
                               "    why       left out\n"
                               "possible instead\n"
                               "    with 5000 Mbit/s\n"
                               "    start 2026-12-01T12:00:00Z\n");
    free (text);
    json_decref (form);
    json_decref (request);
}

/*  The sentences about a view, joined by "|". */
static void assert_waits (const char *view_text, const char *wanted, int code)
{
    json_t *view = parse (view_text);
    json_t *form = explain_reservation (view);
    char told [1024] = "";
    size_t i;
    const json_t *one;
    json_array_foreach (json_object_get (form, "waits"), i, one)
    {
        size_t length = strlen (told);
        snprintf (told + length, sizeof told - length, "%s%s", i ? "|" : "",
                  json_string_value (one));
    }
    assert_string_equal (told, wanted);
    assert_int_equal (explain_reservation_code (form), code);
    json_decref (form);
    json_decref (view);
}

static void a_reservation_that_is_complete_waits_for_nothing (void **state)
{
    (void) state;
    json_t *view = parse (
      "{\"reservation\": \"r-1\", \"status\": \"SHOW_COMMITTED\", \"state\": \"RESERVED\","
      " \"version\": 1, \"parts\": [{\"participant\": \"lis/n8\", \"version\": 1, \"state\":"
      " \"RESERVED\", \"bookings\": [{\"class_name\": \"node\", \"nodes\": 4}]}, {\"participant\":"
      " \"nis/N\", \"version\": 1, \"state\": \"RESERVED\", \"provisioned\": true, \"circuits\":"
      " [{\"links\": [\"n8-x1\", \"x1-n16\"], \"mbps\": 1000}]}]}");
    json_t *form = explain_reservation (view);
    assert_int_equal (json_array_size (json_object_get (form, "waits")), 0);
    assert_int_equal (explain_reservation_code (form), EXIT_DONE);
    char *text = printed (explain_reservation_print, form);
    assert_non_null (strstr (text, "r-1 committed, reserved, version 1\n"));
    assert_non_null (strstr (text, "lis/n8             1  reserved  -       node: 4 nodes\n"));
    assert_non_null (strstr (text, "n8-x1: 1000 Mbit/s, x1-n16: 1000 Mbit/s\n"));
    assert_non_null (strstr (text, "it waits for nothing\n"));
    free (text);
    json_decref (form);
    json_decref (view);
}

static void each_part_says_what_it_waits_for (void **state)
{
    (void) state;
    assert_waits ("{\"reservation\": \"r\", \"status\": \"SHOW_PENDING\", \"state\": \"CREATED\","
                  " \"parts\": [{\"participant\": \"lis/a\", \"pending\": {}, \"pending_state\":"
                  " \"PREPARED\", \"pending_operation\": \"RESERVE\", \"plan\": {\"coordinator\":"
                  " {\"name\": \"planner/7f\"}}}, {\"participant\": \"nis/N\", \"pending\": {},"
                  " \"pending_state\": \"HELD\", \"pending_operation\": \"RESERVE\"}]}",
                  "lis/a has voted for a reserve and waits for the decision of planner/7f|"
                  "nis/N holds a reserve and has not been asked for its vote by its planner yet",
                  EXIT_DONE);
    assert_waits (
      "{\"reservation\": \"r\", \"status\": \"SHOW_COMMITTING\", \"state\":"
      " \"RESERVED\", \"version\": 2, \"parts\": [{\"participant\": \"lis/a\","
      " \"version\": 2}, {\"participant\": \"lis/b\", \"version\": 1, \"pending\": {},"
      " \"pending_state\": \"PREPARED\", \"pending_operation\": \"MODIFY\"},"
      " {\"participant\": \"lis/c\", \"version\": 1}]}",
      "lis/b has not yet acknowledged that the modify is decided; its planner tells it again|"
      "lis/c is still at version 1",
      EXIT_DONE);
    assert_waits ("{\"reservation\": \"r\", \"status\": \"SHOW_UNKNOWN\", \"state\": \"RESERVED\","
                  " \"version\": 1, \"silent\": [\"nis/N\"]}",
                  "nis/N does not answer, so what it holds is not known", EXIT_UNKNOWN);
    assert_waits ("{\"reservation\": \"r\", \"status\": \"SHOW_FAILED\", \"state\": \"FAILED\","
                  " \"version\": 1, \"parts\": [{\"participant\": \"lis/a\", \"version\": 1,"
                  " \"state\": \"FAILED\"}]}",
                  "lis/a could not keep its part; what the others hold is released", EXIT_REFUSED);
    assert_waits (
      "{\"reservation\": \"r\", \"status\": \"SHOW_COMMITTED\", \"state\":"
      " \"RESERVED\", \"version\": 1, \"parts\": [{\"participant\": \"nis/N\","
      " \"version\": 1, \"circuits\": [{\"links\": [\"l\"], \"mbps\": 1}]}, {\"participant\":"
      " \"nis/S\", \"version\": 1, \"provisioned\": true, \"circuits\": [{\"links\":"
      " [\"l\"], \"mbps\": 1}]}, {\"participant\": \"nis/U\", \"version\": 1,"
      " \"circuits\": [{\"links\": [\"l\"], \"mbps\": 1}]}]}",
      "the circuits of N, U are not provisioned: `musubi provision r` puts them into use",
      EXIT_DONE);
    assert_waits ("{\"reservation\": \"r\", \"status\": \"SHOW_COMMITTING\", \"state\":"
                  " \"RESERVED\", \"version\": 1}",
                  "not every participant has acknowledged the decision yet", EXIT_DONE);
}

static void assert_claim (const char *look_text, const char *answer_text, const char *holder_text,
                          int code, const char *wanted)
{
    json_t *look = parse (look_text);
    json_t *answer = answer_text ? parse (answer_text) : NULL;
    json_t *holder = holder_text ? parse (holder_text) : NULL;
    json_t *form = explain_claim ("x@g1", look, answer, holder);
    assert_int_equal (explain_claim_code (form), code);
    char *text = printed (explain_claim_print, form);
    if (!strstr (text, wanted))
        fail_msg ("\"%s\" is not in \"%s\"", wanted, text);
    free (text);
    json_decref (form);
    json_decref (look);
    json_decref (answer);
    json_decref (holder);
}

static void a_request_id_tells_what_its_home_keeps (void **state)
{
    (void) state;
    static const char committed [] =
      "{\"status\": \"ANSWER_COMMITTED\", \"reservation\": \"r-1\", \"start_ms\": 1796115600000,"
      " \"end_ms\": 1796119200000}";
    static const char refused [] =
      "{\"status\": \"ANSWER_REFUSED\", \"reasons\": [{\"need\": \"a\", \"text\": \"too many\"}]}";
    static const char holder [] =
      "{\"reservation\": \"r-1\", \"operation\": \"RESERVE\", \"participants\": [{\"name\":"
      " \"lis/a\"}, {\"name\": \"nis/N\"}], \"coordinator\": {\"name\": \"planner/7f\"},"
      " \"decide_by_ms\": 1796115600000}";
    assert_claim ("{\"state\": \"COMMITTED_CLAIM\", \"done\": true}", committed, holder, EXIT_DONE,
                  "committed r-1");
    assert_claim ("{\"state\": \"COMMITTED_CLAIM\", \"done\": false}", committed, NULL, EXIT_DONE,
                  "not every participant has acknowledged");
    assert_claim ("{\"state\": \"CLOSED\"}", refused, NULL, EXIT_REFUSED,
                  "x@g1 refused\nthe request can't be satisfied\na\n    why       too many\n");
    assert_claim ("{\"state\": \"HELD_CLAIM\"}", NULL, holder, EXIT_UNKNOWN,
                  "a reserve of r-1 by planner/7f\n    with       lis/a, nis/N\n"
                  "    decides    by 2026-12-01T09:00:00Z\n");
    assert_claim ("{\"state\": \"FREE\"}", NULL, NULL, EXIT_REFUSED, "x@g1 unknown\n");
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_refusal_names_need_resource_interval_and_figures),
      cmocka_unit_test (a_reservation_that_is_complete_waits_for_nothing),
      cmocka_unit_test (each_part_says_what_it_waits_for),
      cmocka_unit_test (a_request_id_tells_what_its_home_keeps),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
