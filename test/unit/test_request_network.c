/*  The network needs of a request: what can be meant, when they carry, and how they travel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "domain.h"
#include "message.h"
#include "planner.pb-c.h"
#include "planner_wire.h"
#include "transaction_wire.h"

#define MINUTE_MS INT64_C (60000)

/*  ocean [0, 60 min), air [10, 40), and bandwidth between them. */
static user_request_t coupled (void)
{
    user_request_t request = {.duration_ms = 60 * MINUTE_MS};
    request.compute = calloc (2, sizeof *request.compute);
    request.compute_count = 2;
    strcpy (request.compute [0].id, "ocean");
    strcpy (request.compute [1].id, "air");
    request.compute [0].cpus = request.compute [1].cpus = 8;
    request.compute [1].offset_ms = 10 * MINUTE_MS;
    request.compute [1].duration_ms = 30 * MINUTE_MS;
    request.network = calloc (2, sizeof *request.network);
    request.network_count = 1;
    request.network [0] = (network_need_t){.ends = {"ocean", "air"}, .ends_count = 2, .mbps = 1000};
    user_request_name (&request);
    return request;
}

static void a_network_need_without_times_covers_what_both_ends_share (void **state)
{
    (void) state;
    char why [WHY_BYTES];
    user_request_t request = coupled ();
    int64_t from_ms, until_ms;
    assert_true (user_request_check (&request, why));
    assert_string_equal (request.network [0].id, "ocean-air");
    assert_int_equal (network_need_end (&request, 0, 0), 0);
    assert_int_equal (network_need_end (&request, 0, 1), 1);
    network_need_interval (&request, 0, &from_ms, &until_ms);
    assert_int_equal (from_ms, 10 * MINUTE_MS);
    assert_int_equal (until_ms, 40 * MINUTE_MS);
    request.network [0].offset_ms = 15 * MINUTE_MS;
    request.network [0].duration_ms = 25 * MINUTE_MS;
    assert_true (user_request_check (&request, why));
    network_need_interval (&request, 0, &from_ms, &until_ms);
    assert_int_equal (from_ms, 15 * MINUTE_MS);
    assert_int_equal (until_ms, 40 * MINUTE_MS);
    user_request_clear (&request);
}

typedef struct {
    const char *why;
    void (*spoil) (user_request_t *request);
} bad_t;

static void no_bandwidth (user_request_t *request)
{
    request->network [0].mbps = 0;
}

static void too_much_bandwidth (user_request_t *request)
{
    request->network [0].mbps = LINK_MBPS_MAX + 1;
}

static void named_like_a_compute_need (user_request_t *request)
{
    strcpy (request->network [0].id, "air");
}

static void two_without_ids_between_the_same (user_request_t *request)
{
    request->network [1] = request->network [0];
    *request->network [1].id = '\0';
    request->network_count = 2;
    user_request_name (request);
}

static void blank_in_id (user_request_t *request)
{
    strcpy (request->network [0].id, "a b");
}

static void no_id (user_request_t *request)
{
    *request->network [0].id = '\0';
}

static void begins_before_an_end (user_request_t *request)
{
    request->network [0].duration_ms = 40 * MINUTE_MS;
}

static void ends_after_an_end (user_request_t *request)
{
    request->network [0].offset_ms = 20 * MINUTE_MS;
    request->network [0].duration_ms = 20 * MINUTE_MS + 1;
}

static void offset_alone (user_request_t *request)
{
    request->network [0].offset_ms = 10 * MINUTE_MS;
}

static void ends_that_never_meet (user_request_t *request)
{
    request->compute [1].offset_ms = 60 * MINUTE_MS;
}

static void too_patient (user_request_t *request)
{
    request->network [0].latency_us_max = INT64_C (1000) * LATENCY_MS_MAX + 1;
}

static void wants_a_nameless_property (user_request_t *request)
{
    request->network [0].require = calloc (1, sizeof (requirement_t));
    request->network [0].require_count = 1;
}

static void odd_route (user_request_t *request)
{
    strcpy (request->route, "scenic");
}

static const bad_t bads [] = {
  {"request.network[0].mbps: must be 1 to 1000000000", no_bandwidth},
  {"request.network[0].mbps: must be 1 to 1000000000", too_much_bandwidth},
  {"request.network[0].id: 'air' is used twice: give each need an id of its own",
   named_like_a_compute_need},
  {"request.network[1].id: 'ocean-air' is used twice: give each need an id of its own",
   two_without_ids_between_the_same},
  {"request.network[0].id: must be letters, digits and . _ -, at least one", blank_in_id},
  {"request.network[0].id: must be given, as its ends' ids joined by \"-\" are longer than 63 "
   "bytes",
   no_id},
  {"request.network[0].offset: 0 ms to 2400000 ms is not within the time both ends share, 600000 "
   "ms to 2400000 ms",
   begins_before_an_end},
  {"request.network[0].offset: 1200000 ms to 2400001 ms is not within the time both ends share, "
   "600000 ms to 2400000 ms",
   ends_after_an_end},
  {"request.network[0].duration: must be given with an offset", offset_alone},
  {"request.network[0].between: 'ocean' and 'air' share no time", ends_that_never_meet},
  {"request.network[0].latency_ms_max: must be 0.001 to 3600000, or 0 for any", too_patient},
  {"request.network[0].require[0].attribute: must not be empty", wants_a_nameless_property},
  {"request.route: 'scenic' must be free or fixed", odd_route},
};

static void what_a_network_need_can_not_mean_is_refused_by_field (void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof bads / sizeof bads [0]; i++) {
        char why [WHY_BYTES] = "";
        user_request_t request = coupled ();
        bads [i].spoil (&request);
        assert_false (user_request_check (&request, why));
        assert_string_equal (why, bads [i].why);
        user_request_clear (&request);
    }
}

static void ids_too_long_to_be_joined_stay_empty (void **state)
{
    (void) state;
    user_request_t request = coupled ();
    memset (request.compute [0].id, 'x', 40);
    memset (request.compute [1].id, 'y', 40);
    strcpy (request.network [0].ends [0], request.compute [0].id);
    strcpy (request.network [0].ends [1], request.compute [1].id);
    *request.network [0].id = '\0';
    user_request_name (&request);
    assert_string_equal (request.network [0].id, "");
    user_request_clear (&request);
}

static void policy_and_route_say_which_path_is_best (void **state)
{
    (void) state;
    user_request_t request = coupled ();
    assert_int_equal (user_request_path_order (&request), PATH_FREE);
    strcpy (request.route, "free");
    assert_int_equal (user_request_path_order (&request), PATH_FREE);
    strcpy (request.policy, "cost");
    assert_int_equal (user_request_path_order (&request), PATH_CHEAP);
    strcpy (request.route, "fixed");
    assert_int_equal (user_request_path_order (&request), PATH_FIXED);
    user_request_clear (&request);
}

static void a_network_need_survives_the_wire (void **state)
{
    (void) state;
    char why [WHY_BYTES];
    user_request_t request = coupled (), again;
    network_need_t *need = &request.network [0];
    strcpy (need->id, "halo");
    strcpy (request.route, "fixed");
    need->latency_us_max = 12345;
    need->offset_ms = 15 * MINUTE_MS;
    need->duration_ms = 5 * MINUTE_MS;
    need->require = calloc (2, sizeof (requirement_t));
    need->require_count = 2;
    strcpy (need->require [0].attribute, "media");
    strcpy (need->require [0].value, "fibre");
    strcpy (need->require [1].attribute, "availability");
    need->require [1].numeric = true;
    need->require [1].min = 0.999;
    request.compute [0].require = calloc (1, sizeof (requirement_t));
    request.compute [0].require_count = 1;
    strcpy (request.compute [0].require [0].attribute, "os");
    strcpy (request.compute [0].require [0].value, "linux");
    packed_t packed = user_request_encode (&request);
    bytes_t body = {.data = packed.data, .size = packed.size};
    assert_true (user_request_decode (&again, body, why));
    assert_true (user_request_check (&again, why));
    const network_need_t *same = &again.network [0];
    assert_string_equal (again.route, "fixed");
    assert_string_equal (same->id, "halo");
    assert_int_equal (same->latency_us_max, 12345);
    assert_int_equal (same->offset_ms, 15 * MINUTE_MS);
    assert_int_equal (same->duration_ms, 5 * MINUTE_MS);
    assert_int_equal (same->require_count, 2);
    assert_string_equal (same->require [0].value, "fibre");
    assert_true (same->require [1].min == 0.999);
    assert_string_equal (again.compute [0].require [0].attribute, "os");
    user_request_clear (&again);
    for (size_t size = 0; size < packed.size; size++) /* cut anywhere: no crash, no leak */
        if (user_request_decode (&again, (bytes_t){.data = packed.data, .size = size}, why))
            user_request_clear (&again);
    user_request_copy (&again, &request);
    user_request_clear (&request);
    packed_t repacked = user_request_encode (&again);
    assert_int_equal (repacked.size, packed.size);
    assert_memory_equal (repacked.data, packed.data, packed.size);
    free (packed.data);
    free (repacked.data);
    user_request_clear (&again);
}

/*  As a client may send it, whatever our own encoder would. */
static bool decode_latency (double latency_ms, user_request_t *request, char why [WHY_BYTES])
{
    Musubi__NetworkNeed need = MUSUBI__NETWORK_NEED__INIT, *needs [] = {&need};
    Musubi__Request message = MUSUBI__REQUEST__INIT;
    need.latency_ms_max = latency_ms;
    message.network = needs;
    message.n_network = 1;
    packed_t packed = packed_of (&message.base);
    bool good =
      user_request_decode (request, (bytes_t){.data = packed.data, .size = packed.size}, why);
    free (packed.data);
    return good;
}

static void a_latency_limit_is_one_in_whole_microseconds (void **state)
{
    (void) state;
    static const double odd [] = {-1, 0.0004, 3600000.1, 1e300, 0.0 / 0.0};
    char why [WHY_BYTES];
    user_request_t request;
    for (size_t i = 0; i < sizeof odd / sizeof odd [0]; i++) {
        assert_false (decode_latency (odd [i], &request, why));
        assert_string_equal (
          why, "request.network[0].latency_ms_max: must be 0.001 to 3600000, or 0 for any");
    }
    assert_true (decode_latency (0.0011, &request, why));
    assert_int_equal (request.network [0].latency_us_max, 1);
    user_request_clear (&request);
    assert_true (decode_latency (0, &request, why));
    assert_int_equal (request.network [0].latency_us_max, 0);
    user_request_clear (&request);
}

static void a_patch_changes_the_bandwidth_it_names (void **state)
{
    (void) state;
    char why [WHY_BYTES];
    user_request_t request = coupled ();
    connection_patch_t change = {.id = "ocean-air", .mbps = 2500};
    request_patch_t patch = {.reservation = "r-1", .network = &change, .network_count = 1};
    assert_true (request_patch_check (&patch, why));
    assert_true (user_request_patch (&request, &patch, why));
    assert_int_equal (request.network [0].mbps, 2500);
    change.mbps = 0;
    assert_true (user_request_patch (&request, &patch, why));
    assert_int_equal (request.network [0].mbps, 2500);
    change.mbps = LINK_MBPS_MAX + 1;
    assert_false (request_patch_check (&patch, why));
    assert_string_equal (why, "network[0].mbps: must be 1 to 1000000000");
    strcpy (change.id, "ocean");
    change.mbps = 1;
    assert_false (user_request_patch (&request, &patch, why));
    assert_string_equal (why, "network[0].id: the reservation has no network need 'ocean'");
    user_request_clear (&request);
}

static void a_shorter_duration_is_refused_where_a_connection_needs_the_time (void **state)
{
    (void) state;
    char why [WHY_BYTES];
    user_request_t request = coupled ();
    request.compute [1].duration_ms = 0;
    request.network [0].offset_ms = 30 * MINUTE_MS;
    request.network [0].duration_ms = 30 * MINUTE_MS;
    request_patch_t patch = {.reservation = "r-1", .duration_ms = 50 * MINUTE_MS};
    assert_true (user_request_check (&request, why));
    assert_false (user_request_patch (&request, &patch, why));
    assert_non_null (strstr (why, "request.network[0].offset: "));
    user_request_clear (&request);
}

static void a_modify_names_connections (void **state)
{
    (void) state;
    char why [WHY_BYTES];
    Musubi__ConnectionPatch change = MUSUBI__CONNECTION_PATCH__INIT, *changes [] = {&change};
    Musubi__ModifyRequest message = MUSUBI__MODIFY_REQUEST__INIT;
    message.reservation = "r-1";
    change.id = "ocean-air";
    change.mbps = 700;
    message.network = changes;
    message.n_network = 1;
    packed_t packed = packed_of (&message.base);
    request_patch_t patch;
    assert_true (modify_decode ((bytes_t){.data = packed.data, .size = packed.size}, &patch, why));
    assert_int_equal (patch.network_count, 1);
    assert_string_equal (patch.network [0].id, "ocean-air");
    assert_int_equal (patch.network [0].mbps, 700);
    request_patch_clear (&patch);
    free (packed.data);
}

static void an_answer_tells_each_connection_with_its_path (void **state)
{
    (void) state;
    answer_t answer = {.status = ANSWER_PLANNED};
    answer.network = calloc (2, sizeof *answer.network);
    answer.network_count = 2;
    connection_t *crossing = &answer.network [0];
    *crossing = (connection_t){.need = "ocean-air",
                               .ends = {"ocean", "air"},
                               .mbps = 1000,
                               .path_count = 3,
                               .links_count = 2,
                               .latency_us = 1500,
                               .from_ms = 10,
                               .until_ms = 20};
    crossing->path = calloc (3, sizeof *crossing->path);
    crossing->links = calloc (2, sizeof *crossing->links);
    strcpy (crossing->path [0], "n8");
    strcpy (crossing->path [1], "X1");
    strcpy (crossing->path [2], "s8");
    strcpy (crossing->links [0], "N/n8-x1");
    strcpy (crossing->links [1], "S/s8-x1");
    answer.network [1] =
      (connection_t){.need = "near", .ends = {"a", "b"}, .mbps = 5, .path_count = 1};
    answer.network [1].path = calloc (1, sizeof *answer.network [1].path);
    strcpy (answer.network [1].path [0], "n8");
    packed_t packed = answer_encode (&answer);
    Musubi__Answer *told = (Musubi__Answer *) message_unpack (
      &musubi__answer__descriptor, (bytes_t){.data = packed.data, .size = packed.size});
    assert_non_null (told);
    assert_int_equal (told->n_network, 2);
    assert_string_equal (told->network [0]->between [1], "air");
    assert_int_equal (told->network [0]->n_path, 3);
    assert_string_equal (told->network [0]->path [2], "s8");
    assert_int_equal (told->network [0]->n_links, 2);
    assert_string_equal (told->network [0]->links [1], "S/s8-x1");
    assert_true (told->network [0]->latency_ms == 1.5);
    assert_int_equal (told->network [0]->mbps, 1000);
    assert_int_equal (told->network [1]->n_path, 1);
    assert_int_equal (told->network [1]->n_links, 0);
    message_free (&told->base);
    free (packed.data);
    answer_clear (&answer);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_network_need_without_times_covers_what_both_ends_share),
      cmocka_unit_test (what_a_network_need_can_not_mean_is_refused_by_field),
      cmocka_unit_test (ids_too_long_to_be_joined_stay_empty),
      cmocka_unit_test (policy_and_route_say_which_path_is_best),
      cmocka_unit_test (a_network_need_survives_the_wire),
      cmocka_unit_test (a_latency_limit_is_one_in_whole_microseconds),
      cmocka_unit_test (a_patch_changes_the_bandwidth_it_names),
      cmocka_unit_test (a_shorter_duration_is_refused_where_a_connection_needs_the_time),
      cmocka_unit_test (a_modify_names_connections),
      cmocka_unit_test (an_answer_tells_each_connection_with_its_path),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
