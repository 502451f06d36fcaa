/*  records: what participants tell auditors is read whole - plan, bookings, circuits, and what the
 *  request asked - and what can't be read is not taken for anything. */
#include "record_fetch.h"

#include "json.h"
#include "message.h"
#include "services.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/*  Packs JSON as a message; the caller frees it. */
static packed_t pack (const ProtobufCMessageDescriptor *descriptor, json_t *json)
{
    char why [WHY_BYTES];
    packed_t packed;
    ProtobufCMessage *message = json_to_message (descriptor, json, why);
    if (!message)
        fail_msg ("%s", why);
    packed.data = message_pack (message, &packed.size);
    message_free (message);
    return packed;
}

static json_t *parsed (const char *text)
{
    char why [WHY_BYTES];
    json_t *json = json_parse (text, strlen (text), why);
    if (!json)
        fail_msg ("%s", why);
    return json;
}

/*  The hex of a packed Request. */
static char *request_hex (const char *text)
{
    method_t reserve = services_method ("Planner", "Reserve");
    json_t *json = parsed (text);
    packed_t packed = pack (reserve.asked->fields [0].descriptor, json);
    char *hex = calloc (2 * packed.size + 1, 1);
    assert_non_null (hex);
    for (size_t i = 0; i < packed.size; i++)
        sprintf (hex + 2 * i, "%02x", packed.data [i]);
    free (packed.data);
    json_decref (json);
    return hex;
}

/*  A page of one command: circuits and the request as given. */
static packed_t page (const char *circuits, const char *request)
{
    static const char *const party =
      "{\"name\": \"nis/N\", \"store\": \"000102030405060708090a0b0c0d0e0f\"}";
    char *hex = request_hex (request);
    size_t room = strlen (hex) + strlen (circuits) + 2048;
    char *text = calloc (room, 1);
    assert_non_null (text);
    snprintf (text, room,
              "{\"commands\": [{\"state\": \"COMMITTED\", \"plan\": {\"txid\": {\"store\": "
              "\"000102030405060708090a0b0c0d0e0f\", \"start\": 1, \"counter\": 7}, "
              "\"reservation\": \"r1\", \"participants\": [%s], \"coordinator\": %s, "
              "\"decide_by_ms\": 1000, \"edge_ms\": 2000, \"actor\": \"alice\", \"request_id\": "
              "\"q@g1\", \"home\": \"nis/N\", \"request\": \"%s\"}, \"circuits\": %s, "
              "\"bookings\": [{\"need\": \"a\", \"class_name\": \"thin\", \"cpus\": 3, \"nodes\": "
              "2, \"from_ms\": 5000, \"until_ms\": 6000}]}], \"more\": true}",
              party, party, hex, circuits);
    json_t *json = parsed (text);
    packed_t packed = pack (services_method ("Participant", "Commands").answered, json);
    json_decref (json);
    free (text);
    free (hex);
    return packed;
}

static const char *const circuits =
  "[{\"need\": \"a-b\", \"links\": [\"n8-x1\", \"n16-x1\"], \"mbps\": 500, \"from_ms\": 5000, "
  "\"until_ms\": 6000, \"hop\": 2}]";

static const char *const request =
  "{\"window\": {\"earliest\": {\"at_ms\": 5}, \"latest\": {\"from_now_ms\": 7}, \"deadline\": "
  "{\"at_ms\": 9}}, \"duration_ms\": 1000, \"distinct_sites\": true, \"compute\": [{\"id\": \"a\", "
  "\"cpus\": 3, \"offset_ms\": 10, \"site\": \"ams\", \"require\": [{\"attribute\": \"os\", "
  "\"value\": \"linux\"}, {\"attribute\": \"gpus\", \"min\": 2.5}]}, {\"id\": \"b\", \"cpus\": 4, "
  "\"duration_ms\": 900}], \"network\": "
  "[{\"between\": [\"a\", \"b\"], \"mbps\": 500, \"latency_ms_max\": 12.345, \"offset_ms\": 20, "
  "\"duration_ms\": 30}, {\"between\": [\"b\", \"a\"], \"mbps\": 1, \"id\": \"back\"}]}";

static void look (void *owner, const check_record_t *record)
{
    (*(int *) owner)++;
    assert_int_equal (record->state, COMMAND_COMMITTED);
    assert_string_equal (record->plan.reservation, "r1");
    assert_int_equal (record->plan.txid.counter, 7);
    assert_int_equal (record->bookings_count, 1);
    assert_int_equal (record->bookings [0].nodes, 2);
    assert_int_equal (record->circuits_count, 1);
    assert_string_equal (record->circuits [0].need, "a-b");
    assert_int_equal (record->circuits [0].links_count, 2);
    assert_string_equal (record->circuits [0].links [1], "n16-x1");
    assert_int_equal (record->circuits [0].mbps, 500);
    assert_int_equal (record->circuits [0].hop, 2);

    const user_request_t *asked = record->request;
    assert_non_null (asked);
    assert_true (asked->distinct_sites);
    assert_int_equal (asked->duration_ms, 1000);
    assert_int_equal (asked->compute_count, 2);
    assert_int_equal (asked->window.earliest.ms, 5);
    assert_true (asked->window.latest.from_now);
    assert_int_equal (asked->window.deadline.ms, 9);
    assert_string_equal (asked->compute [0].site, "ams");
    assert_int_equal (asked->compute [0].require_count, 2);
    assert_string_equal (asked->compute [0].require [0].value, "linux");
    assert_false (asked->compute [0].require [0].numeric);
    assert_true (asked->compute [0].require [1].numeric);
    assert_true (asked->compute [0].require [1].min == 2.5);
    assert_int_equal (asked->compute [0].offset_ms, 10);
    assert_int_equal (asked->compute [0].duration_ms, 0);
    assert_int_equal (asked->compute [1].cpus, 4);
    assert_int_equal (asked->network_count, 2);
    assert_string_equal (asked->network [0].id, "a-b");
    assert_string_equal (asked->network [0].ends [1], "b");
    assert_int_equal (asked->network [0].latency_us_max, 12345);
    assert_int_equal (asked->network [0].offset_ms, 20);
    assert_int_equal (asked->network [0].duration_ms, 30);
    assert_string_equal (asked->network [1].id, "back");
    assert_int_equal (asked->network [1].latency_us_max, 0);
}

static void a_command_is_read_whole (void **state)
{
    (void) state;
    packed_t packed = page (circuits, request);
    txid_t last;
    bool more = false;
    int seen = 0;
    assert_true (records_read ((bytes_t){.data = packed.data, .size = packed.size}, look, &seen,
                               &last, &more));
    assert_int_equal (seen, 1);
    assert_int_equal (last.counter, 7);
    assert_true (more);
    free (packed.data);
}

static void count_asked (void *owner, const check_record_t *record)
{
    *(int *) owner += record->request ? 1 : 100;
}

static int asked_in (const char *text)
{
    packed_t packed = page (circuits, text);
    txid_t last;
    bool more;
    int seen = 0;
    assert_true (records_read ((bytes_t){.data = packed.data, .size = packed.size}, count_asked,
                               &seen, &last, &more));
    free (packed.data);
    return seen;
}

static void a_request_that_is_none_is_not_on_record (void **state)
{
    (void) state;
    assert_int_equal (asked_in (request), 1);
    assert_int_equal (asked_in ("{}"), 100); /* packed, nothing at all */
    assert_int_equal (asked_in ("{\"network\": [{\"between\": [\"a\"], \"mbps\": 1}]}"), 100);
}

static void a_body_cut_anywhere_is_refused_or_no_command (void **state)
{
    (void) state;
    packed_t packed = page (circuits, request);
    for (size_t size = 1; size < packed.size; size++) {
        uint8_t *cut = malloc (size); /* its own block, so that reading past its end is seen */
        assert_non_null (cut);
        memcpy (cut, packed.data, size);
        txid_t last;
        bool more;
        int seen = 0;
        if (records_read ((bytes_t){.data = cut, .size = size}, look, &seen, &last, &more))
            assert_true (size >= packed.size - 2); /* only the part after the command is missing */
        free (cut);
    }
    free (packed.data);
}

static void a_circuit_without_links_is_refused (void **state)
{
    (void) state;
    packed_t packed =
      page ("[{\"need\": \"a-b\", \"mbps\": 1, \"from_ms\": 1, \"until_ms\": 2}]", request);
    txid_t last;
    bool more;
    int seen = 0;
    assert_false (records_read ((bytes_t){.data = packed.data, .size = packed.size}, look, &seen,
                                &last, &more));
    assert_int_equal (seen, 0);
    free (packed.data);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_command_is_read_whole),
      cmocka_unit_test (a_request_that_is_none_is_not_on_record),
      cmocka_unit_test (a_body_cut_anywhere_is_refused_or_no_command),
      cmocka_unit_test (a_circuit_without_links_is_refused),
    };
    return cmocka_run_group_tests_name ("records", tests, NULL, NULL);
}
