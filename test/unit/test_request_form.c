/*  request_form - users' JSON becomes proto's, and mistakes are named by path. */
#include "request_form.h"

#include "core.h"
#include "json.h"
#include "planner.pb-c.h"

#include "message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static json_t *parse (const char *text)
{
    char why [WHY_BYTES] = "";
    json_t *json = json_parse (text, strlen (text), why);
    if (!json)
        fail_msg ("%s: %s", text, why);
    return json;
}

static void assert_becomes (const char *text, const char *wanted)
{
    char why [LONG_WHY_BYTES] = "";
    json_t *written = parse (text);
    json_t *request = request_form_read (written, why);
    json_decref (written);
    if (!request)
        fail_msg ("%s: %s", text, why);
    json_t *expected = parse (wanted);
    char *got = json_dumps (request, JSON_SORT_KEYS);
    if (!json_equal (request, expected))
        fail_msg ("%s\n becomes %s", text, got);
    free (got);

    /* And it is a valid message of proto. */
    char json_why [WHY_BYTES] = "";
    ProtobufCMessage *message = json_to_message (&musubi__request__descriptor, request, json_why);
    if (!message)
        fail_msg ("%s", json_why);
    message_free (message);
    json_decref (request);
    json_decref (expected);
}

static void assert_refused (const char *text, const char *wanted)
{
    char why [LONG_WHY_BYTES] = "";
    json_t *written = parse (text);
    assert_null (request_form_read (written, why));
    json_decref (written);
    if (!strstr (why, wanted))
        fail_msg ("%s\n is refused with \"%s\",\n without \"%s\"", text, why, wanted);
}

/*  A request that is valid but for the fields given. */
static void assert_refused_with (const char *fields, const char *wanted)
{
    char text [4096];
    snprintf (text, sizeof text,
              "{\"window\": {\"earliest\": \"now\"}, \"duration\": \"1h\", "
              "\"compute\": [{\"id\": \"a\", \"cpus\": 1}, {\"id\": \"b\", \"cpus\": 2}], %s}",
              fields);
    assert_refused (text, wanted);
}

static void assert_window_refused (const char *window, const char *wanted)
{
    char text [1024];
    snprintf (text, sizeof text,
              "{\"window\": %s, \"duration\": \"1h\", \"compute\": [{\"id\": \"a\", \"cpus\": 1}]}",
              window);
    assert_refused (text, wanted);
}

static void assert_need_refused (const char *need, const char *wanted)
{
    char text [2048];
    snprintf (text, sizeof text,
              "{\"window\": {\"earliest\": \"now\"}, \"duration\": \"1h\", \"compute\": "
              "[{\"id\": \"a\", \"cpus\": 1}, %s]}",
              need);
    assert_refused (text, wanted);
}

static void the_example_of_the_interfaces_is_read_whole (void **state)
{
    (void) state;
    assert_becomes (
      "{\"name\": \"coupled-climate\", \"window\": {\"earliest\": \"2026-12-01T09:00:00Z\","
      " \"latest\": \"2026-12-01T15:00:00Z\", \"deadline\": \"2026-12-01T18:00:00Z\"},"
      " \"duration\": \"1h\", \"compute\": [{\"id\": \"ocean\", \"cpus\": 32, \"require\":"
      " {\"os\": \"linux\"}}, {\"id\": \"air\", \"cpus\": 64, \"offset\": \"10m\", \"duration\":"
      " \"30m\"}], \"network\": [{\"between\": [\"ocean\", \"air\"], \"mbps\": 1000,"
      " \"latency_ms_max\": 30, \"offset\": \"10m\", \"duration\": \"30m\"}], \"data\": [{\"file\":"
      " \"era5/2020.nc\", \"at\": \"ocean\"}], \"distinct_sites\": true, \"policy\": \"time\","
      " \"algorithm\": \"auto\"}",
      "{\"name\": \"coupled-climate\", \"window\": {\"earliest\": {\"at_ms\": 1796115600000},"
      " \"latest\": {\"at_ms\": 1796137200000}, \"deadline\": {\"at_ms\": 1796148000000}},"
      " \"duration_ms\": 3600000, \"compute\": [{\"id\": \"ocean\", \"cpus\": 32, \"require\":"
      " [{\"attribute\": \"os\", \"value\": \"linux\"}]}, {\"id\": \"air\", \"cpus\": 64,"
      " \"offset_ms\": 600000, \"duration_ms\": 1800000}], \"network\": [{\"between\": [\"ocean\","
      " \"air\"], \"mbps\": 1000, \"latency_ms_max\": 30.0, \"offset_ms\": 600000,"
      " \"duration_ms\": 1800000}], \"data\": [{\"file\": \"era5/2020.nc\", \"at\": \"ocean\", "
      "\"id\":"
      " \"data-1\"}],"
      " \"distinct_sites\": true, \"policy\": \"time\", \"algorithm\": \"auto\"}");
}

static void times_from_now_stay_times_from_now (void **state)
{
    (void) state;
    assert_becomes ("{\"window\": {\"start\": \"now+30m\"}, \"compute\": [{\"id\": \"a\", \"cpus\":"
                    " 1, \"duration\": \"90s\"}]}",
                    "{\"window\": {\"start\": {\"from_now_ms\": 1800000}}, \"compute\": [{\"id\":"
                    " \"a\", \"cpus\": 1, \"duration_ms\": 90000}], \"distinct_sites\": false}");
    assert_becomes ("{\"window\": {\"earliest\": \"now\"}, \"duration\": \"1h\", \"compute\":"
                    " [{\"id\": \"a\", \"cpus\": 1}]}",
                    "{\"window\": {\"earliest\": {\"from_now_ms\": 0}}, \"duration_ms\": 3600000,"
                    " \"compute\": [{\"id\": \"a\", \"cpus\": 1}], \"distinct_sites\": false}");
}

static void requirements_are_values_or_at_least (void **state)
{
    (void) state;
    assert_becomes ("{\"window\": {\"earliest\": \"now\"}, \"duration\": \"1h\", \"compute\":"
                    " [{\"id\": \"a\", \"cpus\": 1, \"site\": \"ams\", \"require\": {\"os\":"
                    " \"bsd\", \"gpus\": {\"min\": 4}, \"cores\": 8, \"ecc\": true}}]}",
                    "{\"window\": {\"earliest\": {\"from_now_ms\": 0}}, \"duration_ms\": 3600000,"
                    " \"compute\": [{\"id\": \"a\", \"cpus\": 1, \"site\": \"ams\", \"require\":"
                    " [{\"attribute\": \"os\", \"value\": \"bsd\"}, {\"attribute\": \"gpus\","
                    " \"min\": 4.0}, {\"attribute\": \"cores\", \"value\": \"8\"}, {\"attribute\":"
                    " \"ecc\", \"value\": \"true\"}]}], \"distinct_sites\": false}");
    assert_need_refused ("{\"id\": \"b\", \"cpus\": 1, \"require\": {\"gpus\": {\"max\": 4}}}",
                         "compute[1].require.gpus: must be a value or {\"min\": number}");
    assert_need_refused (
      "{\"id\": \"b\", \"cpus\": 1, \"require\": {\"gpus\": \">=4\"}}",
      "compute[1].require.gpus: a comparison such as \">=4\" is not understood: write {\"min\":");
    assert_need_refused ("{\"id\": \"b\", \"cpus\": 1, \"require\": {\"gpus\": []}}",
                         "compute[1].require.gpus: ");
    assert_need_refused ("{\"id\": \"b\", \"cpus\": 1, \"require\": {\"\": 1}}",
                         "compute[1].require");
    assert_need_refused ("{\"id\": \"b\", \"cpus\": 1, \"require\": [\"os\"]}",
                         "compute[1].require: must be an object");
}

static void unknown_keys_are_refused_by_path (void **state)
{
    (void) state;
    assert_refused ("[]", "must be an object");
    assert_refused_with ("\"colour\": 1",
                         "colour: is not a key here; the keys are: name window duration");
    assert_refused_with ("\"\": 1", "is not a key here");
    assert_refused_with ("\"window duration\": 1", "is not a key here");
    assert_window_refused ("{\"earliest\": \"now\", \"last\": \"now\"}",
                           "window.last: is not a key here");
    assert_need_refused ("{\"id\": \"b\", \"cpus\": 1, \"cpu\": 1}",
                         "compute[1].cpu: is not a key here");
    assert_refused_with ("\"network\": [{\"between\": [\"a\", \"b\"], \"mbps\": 1, \"gbps\": 1}]",
                         "network[0].gbps: is not a key here");
    assert_refused_with ("\"data\": [{\"file\": \"f\", \"at\": \"a\", \"size\": 1}]",
                         "data[0].size: is not a key here");
}

static void needs_that_can_not_be_meant_are_refused (void **state)
{
    (void) state;
    assert_refused ("{\"window\": {\"earliest\": \"now\"}, \"compute\": []}", "compute: ");
    assert_refused ("{\"window\": {\"earliest\": \"now\"}, \"compute\": {\"id\": \"a\"}}",
                    "compute: ");
    assert_need_refused ("7", "compute[1]: must be an object");
    assert_need_refused ("{\"cpus\": 1}", "compute[1].id: is missing");
    assert_need_refused ("{\"id\": \"\", \"cpus\": 1}", "compute[1].id: ");
    assert_need_refused ("{\"id\": \"a\", \"cpus\": 1}", "compute[1].id: is used twice");
    assert_need_refused ("{\"id\": \"b\"}", "compute[1].cpus: is missing");
    assert_need_refused ("{\"id\": \"b\", \"cpus\": 0}", "compute[1].cpus: must be a whole number");
    assert_need_refused ("{\"id\": \"b\", \"cpus\": -5}",
                         "compute[1].cpus: must be a whole number");
    assert_need_refused ("{\"id\": \"b\", \"cpus\": 1.5}",
                         "compute[1].cpus: must be a whole number");
    assert_need_refused ("{\"id\": \"b\", \"cpus\": \"8\"}", "compute[1].cpus: must be a whole");
    assert_need_refused ("{\"id\": \"b\", \"cpus\": 1, \"offset\": \"-1h\"}",
                         "compute[1].offset: ");
    assert_need_refused ("{\"id\": \"b\", \"cpus\": 1, \"duration\": \"soon\"}",
                         "compute[1].duration: ");
    assert_need_refused ("{\"id\": \"b\", \"cpus\": 1, \"duration\": \"0s\"}",
                         "compute[1].duration: ");
    assert_need_refused ("{\"id\": \"b\", \"cpus\": 1, \"site\": 7}", "compute[1].site: ");
    assert_refused ("{\"window\": {\"earliest\": \"now\"}, \"compute\": [{\"id\": \"a\", \"cpus\":"
                    " 1}]}",
                    "compute[0].duration: is missing, here and for the whole request");
}

static void dangling_needs_are_refused (void **state)
{
    (void) state;
    assert_refused_with ("\"network\": [{\"between\": [\"a\", \"c\"], \"mbps\": 1}]",
                         "network[0].between: no compute need has the id \"c\"");
    assert_refused_with ("\"network\": [{\"between\": [\"a\", \"a\"], \"mbps\": 1}]",
                         "network[0].between: \"a\" can't be linked to itself");
    assert_refused_with ("\"network\": [{\"between\": [\"a\"], \"mbps\": 1}]",
                         "network[0].between: must be the ids of two");
    assert_refused_with ("\"network\": [{\"between\": [\"a\", \"b\", \"b\"], \"mbps\": 1}]",
                         "network[0].between: must be the ids of two");
    assert_refused_with ("\"network\": [{\"mbps\": 1}]",
                         "network[0].between: must be the ids of two");
    assert_refused_with ("\"network\": [{\"between\": [\"a\", \"b\"]}]", "network[0].mbps: ");
    assert_refused_with (
      "\"network\": [{\"between\": [\"a\", \"b\"], \"mbps\": 1, \"latency_ms_max\": 0}]",
      "network[0].latency_ms_max: ");
    assert_refused_with ("\"data\": [{\"file\": \"f\", \"at\": \"c\"}]",
                         "data[0].at: no compute need has the id \"c\"");
    assert_refused_with ("\"data\": [{\"at\": \"a\"}]", "data[0].file: is missing");
}

static void a_network_need_may_have_an_id_a_time_and_wishes (void **state)
{
    (void) state;
    assert_becomes (
      "{\"window\": {\"earliest\": \"now\"}, \"duration\": \"1h\", \"compute\": [{\"id\": \"a\","
      " \"cpus\": 1}, {\"id\": \"b\", \"cpus\": 2}], \"network\": [{\"id\": \"wide\", \"between\":"
      " [\"b\", \"a\"], \"mbps\": 5000, \"require\": {\"media\": \"fibre\", \"availability\":"
      " {\"min\": 0.99}}}, {\"between\": [\"a\", \"b\"], \"mbps\": 1, \"offset\": \"0s\","
      " \"duration\": \"5m\"}], \"route\": \"fixed\"}",
      "{\"window\": {\"earliest\": {\"from_now_ms\": 0}}, \"duration_ms\": 3600000, \"compute\":"
      " [{\"id\": \"a\", \"cpus\": 1}, {\"id\": \"b\", \"cpus\": 2}], \"network\": [{\"id\":"
      " \"wide\", \"between\": [\"b\", \"a\"], \"mbps\": 5000, \"require\": [{\"attribute\":"
      " \"media\", \"value\": \"fibre\"}, {\"attribute\": \"availability\", \"min\": 0.99}]},"
      " {\"between\": [\"a\", \"b\"], \"mbps\": 1, \"offset_ms\": 0, \"duration_ms\": 300000}],"
      " \"distinct_sites\": false, \"route\": \"fixed\"}");
}

static void network_needs_that_can_not_be_meant_are_refused (void **state)
{
    (void) state;
    static const char *const cases [][2] = {
      {"{\"between\": [\"a\", \"b\"], \"mbps\": 0}", "network[0].mbps: must be a whole number"},
      {"{\"between\": [\"a\", \"b\"], \"mbps\": 1000000001}",
       "network[0].mbps: must be a whole number from 1 to 1000000000"},
      {"{\"between\": [\"a\", \"b\"], \"mbps\": 1, \"id\": \"\"}", "network[0].id: must be a text"},
      {"{\"between\": [\"a\", \"b\"], \"mbps\": 1, \"id\": \"b\"}",
       "network[0].id: \"b\" is used twice"},
      {"{\"between\": [\"a\", \"b\"], \"mbps\": 1}, {\"between\": [\"a\", \"b\"], \"mbps\": 2}",
       "network[1].id: \"a-b\" is used twice; give this need an id of its own"},
      {"{\"between\": [\"a\", \"b\"], \"mbps\": 1}, {\"id\": \"a-b\", \"between\": [\"b\", \"a\"],"
       " \"mbps\": 2}",
       "network[1].id: \"a-b\" is used twice"},
      {"{\"between\": [\"a\", \"b\"], \"mbps\": 1, \"require\": [\"fibre\"]}",
       "network[0].require: must be an object"},
      {"{\"between\": [\"a\", \"b\"], \"mbps\": 1, \"duration\": \"0s\"}",
       "network[0].duration: must be longer"},
      {"{\"between\": [\"a\", \"b\"], \"mbps\": 1, \"latency_ms_max\": \"30\"}",
       "network[0].latency_ms_max: must be a number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases [0]; i++) {
        char fields [1024];
        snprintf (fields, sizeof fields, "\"network\": [%s]", cases [i][0]);
        assert_refused_with (fields, cases [i][1]);
    }
    assert_refused_with ("\"route\": \"scenic\"", "route: \"scenic\" is not one of: free fixed");
}

static void ids_that_are_too_long_when_joined_want_one_of_their_own (void **state)
{
    (void) state;
    char longest [NAME_BYTES_MAX + 1];
    char text [1024];
    memset (longest, 'x', NAME_BYTES_MAX);
    longest [NAME_BYTES_MAX] = '\0';
    static const char format [] =
      "{\"window\": {\"earliest\": \"now\"}, \"duration\": \"1h\", \"compute\": [{\"id\": \"%s\","
      " \"cpus\": 1}, {\"id\": \"b\", \"cpus\": 1}], \"network\": [{%s\"between\": [\"%s\","
      " \"b\"], \"mbps\": 1}]}";
    snprintf (text, sizeof text, format, longest, "", longest);
    assert_refused (text, "is longer than 63 bytes; give this need an id of its own");
    snprintf (text, sizeof text, format, longest, "\"id\": \"short\", ", longest);
    char why [LONG_WHY_BYTES] = "";
    json_t *written = parse (text);
    json_t *request = request_form_read (written, why);
    assert_non_null (request);
    json_decref (request);
    json_decref (written);
}

static void windows_that_can_not_be_meant_are_refused (void **state)
{
    (void) state;
    assert_refused ("{\"duration\": \"1h\", \"compute\": [{\"id\": \"a\", \"cpus\": 1}]}",
                    "window: is missing");
    assert_window_refused ("{}", "window: must have start, or");
    assert_window_refused ("7", "window: must be an object");
    assert_window_refused ("{\"earliest\": \"tomorrow\"}", "window.earliest: must be a time");
    assert_window_refused ("{\"earliest\": 5}", "window.earliest: must be a time");
    assert_window_refused ("{\"earliest\": \"now-1h\"}", "window.earliest: lies in the past");
    assert_window_refused ("{\"start\": \"now\", \"latest\": \"now+1h\"}", "window.start: fixes");
    assert_window_refused ("{\"earliest\": \"now+2h\", \"latest\": \"now+1h\"}",
                           "window.latest: is before earliest");
    assert_window_refused ("{\"earliest\": \"now+5h\", \"deadline\": \"now+1h\"}",
                           "window.deadline: is too early: the request lasts 1h");
    assert_window_refused ("{\"earliest\": \"now+5h\", \"deadline\": \"now+5h59m\"}",
                           "window.deadline: is too early");
    assert_window_refused ("{\"latest\": \"2026-12-01T10:00:00Z\", \"deadline\":"
                           " \"2026-12-01T09:00:00Z\"}",
                           "window.deadline: is too early");
}

static void what_depends_on_the_moment_is_left_to_planners (void **state)
{
    (void) state;
    /* An absolute deadline long past and a relative start: an old request repeated. */
    assert_becomes ("{\"window\": {\"earliest\": \"now\", \"deadline\": \"2001-01-01T00:00:00Z\"},"
                    " \"duration\": \"1h\", \"compute\": [{\"id\": \"a\", \"cpus\": 1}]}",
                    "{\"window\": {\"earliest\": {\"from_now_ms\": 0}, \"deadline\": {\"at_ms\":"
                    " 978307200000}}, \"duration_ms\": 3600000, \"compute\": [{\"id\": \"a\","
                    " \"cpus\": 1}], \"distinct_sites\": false}");
}

static void choices_are_of_those_there_are (void **state)
{
    (void) state;
    assert_refused_with ("\"policy\": \"luck\"", "policy: \"luck\" is not one of: time cost load");
    assert_refused_with ("\"policy\": \"\"", "policy: ");
    assert_refused_with ("\"policy\": \"time cost\"", "policy: ");
    assert_refused_with ("\"policy\": 7", "policy: ");
    assert_refused_with ("\"algorithm\": \"best\"",
                         "algorithm: \"best\" is not one of: auto bbr bir ip");
    assert_refused_with ("\"distinct_sites\": 1", "distinct_sites: must be true or false");
    assert_refused_with ("\"name\": \"\"", "name: ");
}

static void too_many_needs_are_refused (void **state)
{
    (void) state;
    char *text = malloc (65536);
    assert_non_null (text);
    int length = snprintf (text, 65536,
                           "{\"window\": {\"earliest\": \"now\"}, \"duration\": \"1h\","
                           " \"compute\": [");
    for (int i = 0; i < 65; i++)
        length += snprintf (text + length, (size_t) (65536 - length),
                            "%s{\"id\": \"n%d\", \"cpus\": 1}", i ? "," : "", i);
    snprintf (text + length, (size_t) (65536 - length), "]}");
    assert_refused (text, "compute: has 65 needs; at most 64 are allowed");
    free (text);
}

static void a_refusal_holds_no_control_characters (void **state)
{
    (void) state;
    char why [LONG_WHY_BYTES] = "";
    json_t *written = parse ("{\"\\u001b[2J\": 1}");
    assert_null (request_form_read (written, why));
    json_decref (written);
    assert_null (strchr (why, 0x1b));
}

static void files_and_space_are_read_with_their_words (void **state)
{
    (void) state;
    assert_becomes (
      "{\"window\": {\"earliest\": \"now\"}, \"duration\": \"1h\", \"compute\": [{\"id\": \"a\", "
      "\"cpus\":"
      " 1}], \"data\": [{\"file\": \"x\", \"at\": \"a\", \"nodes\": \"all\", \"by\": \"10m\", "
      "\"mbps\": 100},"
      " {\"file\": \"y\", \"at\": \"a\", \"nodes\": 2, \"by\": \"start\", \"mbps\": \"best\", "
      "\"id\": \"in\"}],"
      " \"space\": [{\"at\": \"a\", \"gb\": 1.5}]}",
      "{\"window\": {\"earliest\": {\"from_now_ms\": 0}}, \"duration_ms\": 3600000, \"compute\": "
      "[{\"id\":"
      " \"a\", \"cpus\": 1}], \"data\": [{\"file\": \"x\", \"at\": \"a\", \"nodes\": 4294967295, "
      "\"by_ms\":"
      " 600000, \"mbps\": 100, \"id\": \"data-1\"}, {\"file\": \"y\", \"at\": \"a\", \"nodes\": 2, "
      "\"id\":"
      " \"in\"}], \"space\": [{\"at\": \"a\", \"bytes\": 1500000000, \"id\": \"space-1\"}],"
      " \"distinct_sites\": false}");
    assert_refused_with ("\"data\": [{\"file\": \"f\", \"at\": \"a\", \"nodes\": \"some\"}]",
                         "data[0].nodes: must be \"all\" or a whole number from 1 to ");
    assert_refused_with ("\"data\": [{\"file\": \"f\", \"at\": \"a\", \"nodes\": 0}]",
                         "data[0].nodes: must be a whole number from 1 to ");
    assert_refused_with ("\"data\": [{\"file\": \"f\", \"at\": \"a\", \"by\": \"soon\"}]",
                         "data[0].by: must be \"start\" or a duration");
    assert_refused_with ("\"data\": [{\"file\": \"f\", \"at\": \"a\", \"mbps\": \"worst\"}]",
                         "data[0].mbps: must be \"best\" or a whole number from 1 to ");
    assert_refused_with ("\"data\": [{\"file\": \"f\", \"at\": \"a\", \"id\": \"a\"}]",
                         "data[0].id: is used twice");
    assert_refused_with ("\"space\": [{\"at\": \"c\", \"gb\": 1}]",
                         "space[0].at: no compute need has the id \"c\"");
    assert_refused_with ("\"space\": [{\"at\": \"a\", \"gb\": -1}]",
                         "space[0].gb: must be a number above 0, in GB of 10^9 bytes, at most ");
    assert_refused_with ("\"space\": [{\"at\": \"a\", \"gb\": 1e30}]", "at most 1125900");
}

static void an_input_is_for_every_need (void **state)
{
    (void) state;
    char why [LONG_WHY_BYTES] = "";
    json_t *written =
      parse ("{\"window\": {\"start\": \"now+1h\"}, \"duration\": \"1h\", \"compute\":"
             " [{\"id\": \"a\", \"cpus\": 1}, {\"id\": \"b\", \"cpus\": 1}]}");
    request_form_input (written, "x.nc");
    json_t *request = request_form_read (written, why);
    json_decref (written);
    assert_non_null (request);
    json_t *data =
      parse ("[{\"file\": \"x.nc\", \"at\": \"a\", \"id\": \"data-1\"}, {\"file\": \"x.nc\","
             " \"at\": \"b\", \"id\": \"data-2\"}]");
    assert_true (json_equal (json_object_get (request, "data"), data));
    json_decref (data);
    json_decref (request);
}

static void a_patch_names_what_it_changes (void **state)
{
    (void) state;
    char why [LONG_WHY_BYTES] = "";
    json_t *written = parse ("{\"window\": {\"start\": \"now+1h\"}, \"duration\": \"2h\", "
                             "\"compute\": [{\"id\": \"a\", \"cpus\": 16}], "
                             "\"network\": [{\"id\": \"a-b\", \"mbps\": 2000}]}");
    json_t *patch = request_form_patch (written, "r1", why);
    json_t *expected =
      parse ("{\"reservation\": \"r1\", \"window\": {\"start\": {\"from_now_ms\": 3600000}}, "
             "\"duration_ms\": 7200000, \"compute\": [{\"id\": \"a\", \"cpus\": 16}], "
             "\"network\": [{\"id\": \"a-b\", \"mbps\": 2000}]}");
    assert_true (json_equal (patch, expected));
    json_decref (patch);
    json_decref (expected);
    json_decref (written);
}

static void a_patch_moves_needs_and_takes_them_in_and_out (void **state)
{
    (void) state;
    char why [LONG_WHY_BYTES] = "";
    json_t *written =
      parse ("{\"compute\": [{\"id\": \"a\", \"site\": \"*\"}], "
             "\"add\": {\"compute\": [{\"id\": \"b\", \"cpus\": 2, \"site\": \"tsu\"}], "
             "\"network\": [{\"between\": [\"a\", \"b\"], \"mbps\": 5}]}, "
             "\"remove\": [\"c\", \"a-c\"]}");
    json_t *patch = request_form_patch (written, "r1", why);
    json_t *expected =
      parse ("{\"reservation\": \"r1\", \"compute\": [{\"id\": \"a\", \"site\": \"*\"}], "
             "\"add_compute\": [{\"id\": \"b\", \"cpus\": 2, \"site\": \"tsu\"}], "
             "\"add_network\": [{\"between\": [\"a\", \"b\"], \"mbps\": 5}], "
             "\"remove\": [\"c\", \"a-c\"]}");
    assert_true (json_equal (patch, expected));
    json_decref (patch);
    json_decref (expected);
    json_decref (written);
}

static void a_patch_that_can_not_be_meant_is_refused (void **state)
{
    (void) state;
    static const char *const cases [][2] = {
      {"{}", "changes nothing"},
      {"[]", "must be an object"},
      {"{\"policy\": \"time\"}", "policy: is not a key here"},
      {"{\"duration\": \"0s\"}", "duration: "},
      {"{\"compute\": [{\"id\": \"a\"}]}", "compute[0]: changes nothing; give cpus or site"},
      {"{\"add\": {}, \"remove\": []}", "remove: must be an array of ids of needs"},
      {"{\"remove\": [7]}", "remove: must be an array of ids of needs"},
      {"{\"remove\": [\"a\", \"b\", \"a\"]}", "remove: \"a\" is named twice"},
      {"{\"add\": {\"files\": []}}",
       "add.files: is not a key here; the keys are: compute network data space"},
      {"{\"add\": {\"space\": [{\"at\": \"a\"}]}}", "add.space[0].gb: is missing"},
      {"{\"space\": [{\"id\": \"s\", \"gb\": 0}]}", "space[0].gb: must be a number above 0"},
      {"{\"add\": {\"compute\": [{\"id\": \"b\"}]}}", "add.compute[0].cpus: is missing"},
      {"{\"add\": {\"network\": [{\"between\": [\"a\", \"a\"], \"mbps\": 1}]}}",
       "add.network[0].between: \"a\" can't be linked to itself"},
      {"{\"compute\": [{\"id\": \"a\", \"cpus\": 1}, {\"id\": \"a\", \"cpus\": 1}]}",
       "compute[1].id: is used twice"},
      {"{\"network\": [{\"mbps\": 1}]}", "network[0].id: is missing"},
      {"{\"network\": [{\"id\": \"a-b\"}]}", "network[0].mbps: is missing"},
      {"{\"network\": [{\"id\": \"a-b\", \"mbps\": 1, \"between\": []}]}",
       "network[0].between: is not a key here; the keys are: id mbps"},
      {"{\"network\": [{\"id\": \"a\", \"mbps\": 1}, {\"id\": \"a\", \"mbps\": 1}]}",
       "network[1].id: is used twice"},
      {"{\"window\": {\"earliest\": \"now+2h\", \"deadline\": \"now+1h\"}}", "window.deadline: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases [0]; i++) {
        char why [LONG_WHY_BYTES] = "";
        json_t *written = parse (cases [i][0]);
        assert_null (request_form_patch (written, "r1", why));
        json_decref (written);
        if (!strstr (why, cases [i][1]))
            fail_msg ("%s is refused with \"%s\"", cases [i][0], why);
    }
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (the_example_of_the_interfaces_is_read_whole),
      cmocka_unit_test (times_from_now_stay_times_from_now),
      cmocka_unit_test (requirements_are_values_or_at_least),
      cmocka_unit_test (unknown_keys_are_refused_by_path),
      cmocka_unit_test (needs_that_can_not_be_meant_are_refused),
      cmocka_unit_test (dangling_needs_are_refused),
      cmocka_unit_test (a_network_need_may_have_an_id_a_time_and_wishes),
      cmocka_unit_test (network_needs_that_can_not_be_meant_are_refused),
      cmocka_unit_test (ids_that_are_too_long_when_joined_want_one_of_their_own),
      cmocka_unit_test (windows_that_can_not_be_meant_are_refused),
      cmocka_unit_test (what_depends_on_the_moment_is_left_to_planners),
      cmocka_unit_test (choices_are_of_those_there_are),
      cmocka_unit_test (too_many_needs_are_refused),
      cmocka_unit_test (a_refusal_holds_no_control_characters),
      cmocka_unit_test (files_and_space_are_read_with_their_words),
      cmocka_unit_test (an_input_is_for_every_need),
      cmocka_unit_test (a_patch_names_what_it_changes),
      cmocka_unit_test (a_patch_moves_needs_and_takes_them_in_and_out),
      cmocka_unit_test (a_patch_that_can_not_be_meant_is_refused),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
