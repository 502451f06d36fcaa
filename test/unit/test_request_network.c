/*  request - its network needs: which make sense, when they carry data, and how they are encoded.
 */
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
} request_network_bad_t;

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

static void odd_route (user_request_t *request)
{
    strcpy (request->route, "scenic");
}

static const request_network_bad_t bads [] = {
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
  {"request.network[0].offset: it would last from 0s to 40m, but its ends run together only from "
   "10m to 40m",
   begins_before_an_end},
  {"request.network[0].offset: it would last from 20m to 40m1ms, but its ends run together only "
   "from 10m to 40m",
   ends_after_an_end},
  {"request.network[0].duration: must be given, too, when there is an offset", offset_alone},
  {"request.network[0].between: 'ocean' and 'air' never run at the same time",
   ends_that_never_meet},
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

/*  As a client may send it, whatever our own encoder would. */
static bool decode_latency (double latency_ms, user_request_t *request, char why [WHY_BYTES])
{
    Musubi__NetworkNeed need = MUSUBI__NETWORK_NEED__INIT, *needs [] = {&need};
    Musubi__Request message = MUSUBI__REQUEST__INIT;
    need.latency_ms_max = latency_ms;
    message.network = needs;
    message.n_network = 1;
    packed_t packed = packed_of (&message.base);
    bool good = codec_decode (&user_request_codec, request,
                              (bytes_t){.data = packed.data, .size = packed.size}, why);
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
        assert_ptr_equal (strstr (why, "network[0].latency_ms_max: "), why);
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

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_network_need_without_times_covers_what_both_ends_share),
      cmocka_unit_test (what_a_network_need_can_not_mean_is_refused_by_field),
      cmocka_unit_test (ids_too_long_to_be_joined_stay_empty),
      cmocka_unit_test (policy_and_route_say_which_path_is_best),
      cmocka_unit_test (a_latency_limit_is_one_in_whole_microseconds),
      cmocka_unit_test (a_patch_changes_the_bandwidth_it_names),
      cmocka_unit_test (a_shorter_duration_is_refused_where_a_connection_needs_the_time),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
