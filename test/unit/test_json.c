/*  json - messages to JSON and back, and every refusal by its path. */
#include "json.h"

#include "message.h"

#include "bus.pb-c.h"
#include "planner.pb-c.h"
#include "transaction.pb-c.h"

#include <inttypes.h>
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

/*  Reads text as such a message and writes it again, compact; the caller frees. */
static char *through (const ProtobufCMessageDescriptor *descriptor, const char *text)
{
    char why [WHY_BYTES] = "";
    json_t *json = parse (text);
    ProtobufCMessage *message = json_to_message (descriptor, json, why);
    json_decref (json);
    if (!message)
        fail_msg ("%s: %s", text, why);
    json = json_from_message (message);
    message_free (message);
    char *back = json_dumps (json, JSON_COMPACT);
    json_decref (json);
    assert_non_null (back);
    return back;
}

static void assert_through (const ProtobufCMessageDescriptor *descriptor, const char *text,
                            const char *wanted)
{
    char *back = through (descriptor, text);
    assert_string_equal (back, wanted);
    free (back);
}

static void assert_refused (const ProtobufCMessageDescriptor *descriptor, const char *text,
                            const char *wanted)
{
    char why [WHY_BYTES] = "";
    json_t *json = parse (text);
    assert_null (json_to_message (descriptor, json, why));
    json_decref (json);
    if (!strstr (why, wanted))
        fail_msg ("%s\n is refused with \"%s\",\n without \"%s\"", text, why, wanted);
}

static void assert_unparsed (const char *text, size_t size, const char *wanted)
{
    char why [WHY_BYTES] = "";
    assert_null (json_parse (text, size, why));
    if (!strstr (why, wanted))
        fail_msg ("refused with \"%s\", without \"%s\"", why, wanted);
}

static void numbers_enums_and_booleans_are_written_even_when_zero (void **state)
{
    (void) state;
    assert_through (&musubi__command_answer__descriptor, "{}",
                    "{\"state\":\"UNKNOWN\",\"ttl_ms\":0,\"late\":false,\"epoch\":0}");
    assert_through (&musubi__free_answer__descriptor, "{}", "{\"utilisation\":0.0}");
}

static void every_kind_of_field_passes_both_ways (void **state)
{
    (void) state;
    assert_through (&musubi__txid__descriptor,
                    "{\"store\":\"00FFa9\",\"start\":4294967295,\"counter\":7}",
                    "{\"store\":\"00ffa9\",\"start\":4294967295,\"counter\":7}");
    assert_through (&musubi__command_answer__descriptor,
                    "{\"txid\":{},\"state\":\"PREPARED\",\"refusal\":{\"reason\":\"SHORT\","
                    "\"wanted\":-3,\"text\":\"結び\",\"fresh\":[{\"resource\":\"thin\",\"steps\":"
                    "[{\"from_ms\":1,\"free\":2},{}]}]},\"late\":true}",
                    "{\"txid\":{\"start\":0,\"counter\":0},\"state\":\"PREPARED\",\"refusal\":{"
                    "\"reason\":\"SHORT\",\"from_ms\":0,\"until_ms\":0,\"wanted\":-3,\"free\":0,"
                    "\"frees_ms\":0,\"fresh\":[{\"resource\":\"thin\",\"steps\":[{\"from_ms\":1,"
                    "\"free\":2},{\"from_ms\":0,\"free\":0}],\"until_ms\":0}],\"done\":false,"
                    "\"text\":\"結び\"},\"ttl_ms\":0,\"late\":true,\"epoch\":0}");
    assert_through (&musubi__windows_answer__descriptor, "{\"fits\":[true,false]}",
                    "{\"fits\":[true,false],\"version\":0}");
    assert_through (&musubi__network_need__descriptor,
                    "{\"between\":[\"a\",\"b\"],\"latency_ms_max\":2.5}",
                    "{\"between\":[\"a\",\"b\"],\"mbps\":0,\"latency_ms_max\":2.5,\"offset_ms\":0,"
                    "\"duration_ms\":0}");
}

static void integers_are_taken_as_text_too (void **state)
{
    (void) state;
    assert_through (&musubi__instant__descriptor, "{\"at_ms\":\"-9223372036854775808\"}",
                    "{\"at_ms\":-9223372036854775808}");
    assert_through (&musubi__instant__descriptor, "{\"at_ms\":\"9223372036854775807\"}",
                    "{\"at_ms\":9223372036854775807}");
    assert_through (&musubi__txid__descriptor, "{\"counter\":\"18446744073709551615\"}",
                    "{\"start\":0,\"counter\":\"18446744073709551615\"}");
}

static void a_real_may_be_whole_or_beyond_json (void **state)
{
    (void) state;
    assert_through (&musubi__requirement__descriptor, "{\"min\":4}", "{\"min\":4.0}");
    assert_through (&musubi__requirement__descriptor, "{\"min\":\"Infinity\"}",
                    "{\"min\":\"Infinity\"}");
    assert_through (&musubi__requirement__descriptor, "{\"min\":\"-Infinity\"}",
                    "{\"min\":\"-Infinity\"}");
    assert_through (&musubi__requirement__descriptor, "{\"min\":\"NaN\"}", "{\"min\":\"NaN\"}");
}

static void an_enum_is_taken_by_name_or_known_number (void **state)
{
    (void) state;
    assert_through (&musubi__refusal__descriptor, "{\"reason\":1}",
                    "{\"reason\":\"SHORT\",\"from_ms\":0,\"until_ms\":0,\"wanted\":0,\"free\":0,"
                    "\"frees_ms\":0,\"done\":false}");
}

static void an_enum_of_a_newer_peer_is_shown_by_number (void **state)
{
    (void) state;
    Musubi__CommandAnswer answer = MUSUBI__COMMAND_ANSWER__INIT;
    size_t size;
    answer.state = MUSUBI__COMMAND_STATE__EDGE_REFUSED;
    uint8_t *packed = message_pack (&answer.base, &size);
    packed [size - 1] = 99;
    ProtobufCMessage *newer =
      message_unpack (&musubi__command_answer__descriptor, (bytes_t){packed, size});
    free (packed);
    assert_non_null (newer);
    json_t *json = json_from_message (newer);
    message_free (newer);
    assert_int_equal (json_integer_value (json_object_get (json, "state")), 99);
    json_decref (json);
}

static void null_reads_as_absent (void **state)
{
    (void) state;
    assert_through (&musubi__instant__descriptor, "{\"at_ms\":null,\"from_now_ms\":5}",
                    "{\"from_now_ms\":5}");
}

static void a_chosen_zero_of_a_oneof_is_kept (void **state)
{
    (void) state;
    assert_through (&musubi__instant__descriptor, "{\"from_now_ms\":0}", "{\"from_now_ms\":0}");
    assert_through (&musubi__requirement__descriptor, "{\"attribute\":\"os\",\"value\":\"\"}",
                    "{\"attribute\":\"os\",\"value\":\"\"}");
}

static void a_oneof_takes_one_of_its_fields (void **state)
{
    (void) state;
    assert_refused (&musubi__instant__descriptor, "{\"at_ms\":1,\"from_now_ms\":2}",
                    "from_now_ms: excludes at_ms");
    assert_refused (&musubi__hold_request__descriptor,
                    "{\"compute\":{\"bookings\":[{\"need\":\"a\"}]},\"claim\":{}}",
                    "claim: excludes compute");
    /* Half-read members are freed: the leak checker watches. */
    assert_refused (&musubi__hold_request__descriptor,
                    "{\"compute\":{\"bookings\":[{\"need\":\"a\"},{\"nodes\":-1}]}}",
                    "compute.bookings[1].nodes: ");
    assert_refused (&musubi__requirement__descriptor, "{\"value\":5}", "value: wants a text");
}

static void a_bad_field_is_named_by_its_path (void **state)
{
    (void) state;
    const ProtobufCMessageDescriptor *hold = &musubi__hold_request__descriptor;
    assert_refused (hold, "{\"plan\":{\"participants\":[{},{},{\"name\":7}]}}",
                    "plan.participants[2].name: wants a text, not a whole number");
    assert_refused (hold, "{\"plan\":{\"colour\":1}}",
                    "plan.colour: no such field: Plan has txid, operation, reservation");
    assert_refused (hold, "{\"plan\":{\"operation\":\"STEAL\"}}",
                    "plan.operation: STEAL is not one of RESERVE, MODIFY, RELEASE");
    assert_refused (hold, "{\"plan\":{\"operation\":9}}", "plan.operation: 9 is not one of");
    assert_refused (hold, "{\"plan\":[]}", "plan: wants an object, not an array");
    assert_refused (hold, "{\"replaces\":{}}", "replaces: wants an array, not an object");
    assert_refused (hold, "{\"replaces\":[null]}", "replaces[0]: wants an object, not null");
    assert_refused (hold, "{\"prepare\":1}", "prepare: wants true or false");
    assert_refused (hold, "{\"ttl_ms\":4294967296}", "ttl_ms: 4294967296 is out of range");
    assert_refused (hold, "{\"ttl_ms\":-1}", "ttl_ms: -1 is out of range");
    assert_refused (hold, "{\"ttl_ms\":1.0}", "ttl_ms: wants a whole number, not a fraction");
    assert_refused (hold, "{\"ttl_ms\":\"\"}", "ttl_ms: wants a whole number");
    assert_refused (hold, "{\"ttl_ms\":\"12x\"}", "ttl_ms: wants a whole number");
    assert_refused (hold, "{\"plan\":{\"txid\":{\"counter\":-1}}}", "plan.txid.counter: ");
    assert_refused (hold, "{\"plan\":{\"txid\":{\"counter\":\"18446744073709551616\"}}}",
                    "plan.txid.counter: 18446744073709551616 is out of range");
    assert_refused (hold, "{\"plan\":{\"txid\":{\"store\":\"abc\"}}}",
                    "plan.txid.store: wants bytes");
    assert_refused (hold, "{\"plan\":{\"txid\":{\"store\":\"zz\"}}}",
                    "plan.txid.store: wants bytes");
    assert_refused (&musubi__instant__descriptor, "{\"at_ms\":\"9223372036854775808\"}",
                    "at_ms: 9223372036854775808 is out of range");
    assert_refused (&musubi__requirement__descriptor, "{\"min\":\"many\"}", "min: wants a number");
    assert_refused (&musubi__status_request__descriptor, "{\"a\":1}",
                    "a: no such field: StatusRequest has none");
    assert_refused (&musubi__status_request__descriptor, "[]", "wants an object, not an array");
}

static void a_long_key_leaves_room_for_the_reason (void **state)
{
    (void) state;
    char text [5000];
    char key [4000];
    memset (key, 'k', sizeof key - 1);
    key [sizeof key - 1] = '\0';
    snprintf (text, sizeof text, "{\"plan\":{\"%s\":1}}", key);
    assert_refused (&musubi__hold_request__descriptor, text, "no such field: Plan has txid");
}

static void text_beyond_the_parser_is_refused_with_its_place (void **state)
{
    (void) state;
    static const char broken [] = "{\"a\": 1,\n \"b\": }";
    assert_unparsed (broken, strlen (broken), "line 2 column ");
    assert_unparsed ("", 0, "line 1 column ");
    assert_unparsed ("{\"a\":1,\"a\":2}", 13, "duplicate");
    assert_unparsed ("{\"a\":\"\xff\"}", 9, "line 1");
    assert_unparsed ("{\"a\":\"\\u0000\"}", 14, "line 1");
    assert_unparsed ("{} trailing", 11, "line 1");
}

static void nesting_is_limited_before_the_parser_recurses (void **state)
{
    (void) state;
    char text [2 * JSON_NESTING_MAX + 3];
    memset (text, '[', JSON_NESTING_MAX);
    memset (text + JSON_NESTING_MAX, ']', JSON_NESTING_MAX);
    text [2 * JSON_NESTING_MAX] = '\0';
    json_decref (parse (text));

    char *deep = malloc (BODY_BYTES_MAX);
    assert_non_null (deep);
    memset (deep, '[', BODY_BYTES_MAX);
    assert_unparsed (deep, BODY_BYTES_MAX, "line 1 column 17: nested deeper than 16");
    free (deep);

    /* Brackets inside a text are text, escaped quotation marks included. */
    json_decref (parse ("{\"a\": \"\\\"[[[[[[[[[[[[[[[[[[[[[[[[[[\\\\\"}"));
}

static void size_is_limited (void **state)
{
    (void) state;
    char *large = malloc (BODY_BYTES_MAX + 1);
    assert_non_null (large);
    memset (large, ' ', BODY_BYTES_MAX + 1);
    large [0] = '{';
    large [1] = '}';
    char why [WHY_BYTES] = "";
    json_t *json = json_parse (large, BODY_BYTES_MAX, why);
    assert_non_null (json);
    json_decref (json);
    assert_unparsed (large, BODY_BYTES_MAX + 1, "1048577 bytes; at most 1048576");
    free (large);
}

static void what_the_parser_quotes_is_printable (void **state)
{
    (void) state;
    char why [WHY_BYTES] = "";
    assert_null (json_parse ("\x1b[2J", 4, why));
    for (const char *at = why; *at; at++)
        assert_true (*at >= 0x20 && *at < 0x7f);
}

static void a_key_is_printed_without_control_characters (void **state)
{
    (void) state;
    char why [WHY_BYTES] = "";
    json_t *json = parse ("{\"\\u001b[2J\":1}");
    assert_null (json_to_message (&musubi__txid__descriptor, json, why));
    json_decref (json);
    assert_null (strchr (why, 0x1b));
    assert_non_null (strstr (why, "no such field"));
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (numbers_enums_and_booleans_are_written_even_when_zero),
      cmocka_unit_test (every_kind_of_field_passes_both_ways),
      cmocka_unit_test (integers_are_taken_as_text_too),
      cmocka_unit_test (a_real_may_be_whole_or_beyond_json),
      cmocka_unit_test (an_enum_is_taken_by_name_or_known_number),
      cmocka_unit_test (an_enum_of_a_newer_peer_is_shown_by_number),
      cmocka_unit_test (null_reads_as_absent),
      cmocka_unit_test (a_chosen_zero_of_a_oneof_is_kept),
      cmocka_unit_test (a_oneof_takes_one_of_its_fields),
      cmocka_unit_test (a_bad_field_is_named_by_its_path),
      cmocka_unit_test (a_long_key_leaves_room_for_the_reason),
      cmocka_unit_test (text_beyond_the_parser_is_refused_with_its_place),
      cmocka_unit_test (nesting_is_limited_before_the_parser_recurses),
      cmocka_unit_test (size_is_limited),
      cmocka_unit_test (what_the_parser_quotes_is_printable),
      cmocka_unit_test (a_key_is_printed_without_control_characters),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
