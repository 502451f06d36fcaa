/*  request - which requests are refused, in which words, and how relative times are fixed. */
#include "request.h"

#include "planner_wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NOW_MS  INT64_C (1790000000000)
#define HOUR_MS INT64_C (3600000)

/*  A sound request of so many needs. */
static user_request_t sound (size_t needs)
{
    user_request_t request = {.duration_ms = HOUR_MS};
    request.compute = calloc (needs, sizeof *request.compute);
    request.compute_count = needs;
    for (size_t i = 0; i < needs; i++) {
        snprintf (request.compute [i].id, sizeof request.compute [i].id, "n%zu", i);
        request.compute [i].cpus = 4;
    }
    return request;
}

static void add_link (user_request_t *request, const char *from, const char *to)
{
    request->network = calloc (1, sizeof *request->network);
    request->network_count = 1;
    request->network [0].ends_count = 2;
    request->network [0].mbps = 1000;
    snprintf (request->network [0].ends [0], NAME_BYTES_MAX, "%s", from);
    snprintf (request->network [0].ends [1], NAME_BYTES_MAX, "%s", to);
    user_request_name (request);
}

static void add_file (user_request_t *request, const char *file, const char *at)
{
    request->data = calloc (1, sizeof *request->data);
    request->data_count = 1;
    snprintf (request->data [0].file, sizeof request->data [0].file, "%s", file);
    snprintf (request->data [0].at, NAME_BYTES_MAX, "%s", at);
    user_request_name (request);
}

static void add_space (user_request_t *request, uint64_t bytes, const char *at)
{
    request->space = calloc (2, sizeof *request->space);
    request->space_count = 2;
    for (size_t i = 0; i < 2; i++) {
        request->space [i].bytes = bytes;
        snprintf (request->space [i].at, NAME_BYTES_MAX, "%s", at);
    }
    user_request_name (request);
}

static void file_at_many_nodes (user_request_t *request)
{
    add_file (request, "x.nc", "n0");
    request->data [0].nodes = DATA_NODES_MAX + 1;
}

static void file_after_the_end (user_request_t *request)
{
    add_file (request, "x.nc", "n0");
    request->data [0].by_ms = HOUR_MS;
}

static void file_by_a_wide_circuit (user_request_t *request)
{
    add_file (request, "x.nc", "n0");
    request->data [0].mbps = UINT32_MAX;
}

static void file_named_as_a_need (user_request_t *request)
{
    add_file (request, "x.nc", "n0");
    strcpy (request->data [0].id, "n1");
}

static void space_nowhere (user_request_t *request)
{
    add_space (request, 1, "n9");
}

static void space_of_nothing (user_request_t *request)
{
    add_space (request, 0, "n1");
}

static void space_without_end (user_request_t *request)
{
    add_space (request, NEED_BYTES_MAX + 1, "n1");
}

static void space_named_twice (user_request_t *request)
{
    add_space (request, 1, "n1");
    strcpy (request->space [1].id, "space-1");
}

static void files_everywhere (user_request_t *request)
{
    free (request->data);
    request->data_count = 2;
    request->data = calloc (2, sizeof *request->data);
    for (size_t i = 0; i < 2; i++) {
        strcpy (request->data [i].file, "x.nc");
        strcpy (request->data [i].at, "n0");
        request->data [i].nodes = DATA_NODES_MAX;
    }
    user_request_name (request);
}

typedef struct {
    const char *why;
    void (*spoil) (user_request_t *request);
} request_bad_t;

static void no_cpus (user_request_t *request)
{
    request->compute [1].cpus = 0;
}

static void many_cpus (user_request_t *request)
{
    request->compute [1].cpus = CPUS_MAX + 1;
}

static void no_id (user_request_t *request)
{
    request->compute [0].id [0] = 0;
}

static void odd_id (user_request_t *request)
{
    strcpy (request->compute [0].id, "a b");
}

static void same_id (user_request_t *request)
{
    strcpy (request->compute [1].id, "n0");
}

static void negative_offset (user_request_t *request)
{
    request->compute [1].offset_ms = -1;
}

static void long_duration (user_request_t *request)
{
    request->compute [0].duration_ms = DURATION_MS_MAX + 1;
}

static void no_duration (user_request_t *request)
{
    request->duration_ms = 0;
}

static void odd_site (user_request_t *request)
{
    strcpy (request->compute [0].site, "lis/ams");
}

static void no_needs (user_request_t *request)
{
    request->compute_count = 0;
}

static void too_many_links (user_request_t *request)
{
    request->network_count = NETWORK_NEEDS_MAX + 1;
}

static void dangling_link (user_request_t *request)
{
    add_link (request, "n0", "n7");
}

static void link_to_itself (user_request_t *request)
{
    add_link (request, "n1", "n1");
}

static void link_with_one_end (user_request_t *request)
{
    add_link (request, "n1", "n0");
    request->network [0].ends_count = 1;
}

static void file_nowhere (user_request_t *request)
{
    add_file (request, "x.nc", "n9");
}

static void file_without_name (user_request_t *request)
{
    add_file (request, "", "n0");
}

static void start_and_latest (user_request_t *request)
{
    request->window.start = (instant_t){.set = true, .ms = NOW_MS};
    request->window.latest = (instant_t){.set = true, .ms = NOW_MS};
}

static void latest_before_earliest (user_request_t *request)
{
    request->window.earliest = (instant_t){.set = true, .ms = NOW_MS};
    request->window.latest = (instant_t){.set = true, .ms = NOW_MS - 1};
}

static void deadline_before_start (user_request_t *request)
{
    request->window.earliest = (instant_t){.set = true, .from_now = true, .ms = HOUR_MS};
    request->window.deadline = (instant_t){.set = true, .from_now = true, .ms = HOUR_MS};
}

static void far_away (user_request_t *request)
{
    request->window.earliest = (instant_t){.set = true, .ms = INSTANT_MS_MAX + 1};
}

/*  9999-12-31T23:59:59Z. */
static void last_second (user_request_t *request)
{
    request->window = (frame_t){.start = {.set = true, .ms = INT64_C (253402300799000)}};
}

static void odd_policy (user_request_t *request)
{
    strcpy (request->policy, "best");
}

static void odd_algorithm (user_request_t *request)
{
    strcpy (request->algorithm, "best");
}

static void quality_without_ip (user_request_t *request)
{
    strcpy (request->policy, "quality");
}

static void load_with_ip (user_request_t *request)
{
    strcpy (request->algorithm, "ip");
    strcpy (request->policy, "load");
}

static void fixed_with_ip (user_request_t *request)
{
    strcpy (request->algorithm, "ip");
    strcpy (request->route, "fixed");
}

static void two_connections_with_ip (user_request_t *request)
{
    strcpy (request->algorithm, "ip");
    request->network = realloc (request->network, 2 * sizeof *request->network);
    request->network_count = 2;
    for (size_t i = 0; i < 2; i++) {
        request->network [i] = (network_need_t){.ends_count = 2, .mbps = 100};
        snprintf (request->network [i].id, NAME_BYTES_MAX, "c%zu", i);
        strcpy (request->network [i].ends [i], "n0");
        strcpy (request->network [i].ends [1 - i], "n1");
    }
}

static const request_bad_t bads [] = {
  {"request.compute[1].cpus: must be 1 to 1000000", no_cpus},
  {"request.compute[1].cpus: must be 1 to 1000000", many_cpus},
  {"request.compute[0].id: must be letters, digits and . _ -, at least one", no_id},
  {"request.compute[0].id: must be letters, digits and . _ -, at least one", odd_id},
  {"request.compute[1].id: 'n0' is used twice", same_id},
  {"request.compute[1].offset: must be 0 to 31 days", negative_offset},
  {"request.compute[0].duration: must be 1 ms to 366 days", long_duration},
  {"request.compute[0].duration: must be given here or for the whole request", no_duration},
  {"request.compute[0].site: must be a site's name, or absent", odd_site},
  {"request.compute: must have at least one need", no_needs},
  {"request.network: has 65 needs, must have at most 64", too_many_links},
  {"request.network[0].between[1]: there is no compute need 'n7'", dangling_link},
  {"request.network[0].between: 'n1' can't be linked to itself", link_to_itself},
  {"request.network[0].between: must name two compute needs", link_with_one_end},
  {"request.data[0].at: there is no compute need 'n9'", file_nowhere},
  {"request.data[0].file: missing", file_without_name},
  {"request.data[0].nodes: must be 1 to 32, or all", file_at_many_nodes},
  {"request.data[0].by: must be 0 or later, and before 'n0' ends", file_after_the_end},
  {"request.data[0].mbps: must be 1 to 1000000000, or 0 for no circuit", file_by_a_wide_circuit},
  {"request.data[0].id: 'n1' is used twice: give each need an id of its own", file_named_as_a_need},
  {"request.space[0].at: there is no compute need 'n9'", space_nowhere},
  {"request.space[0].bytes: must be 1 to 1125899906842624", space_of_nothing},
  {"request.space[0].bytes: must be 1 to 1125899906842624", space_without_end},
  {"request.space[1].id: 'space-1' is used twice: give each need an id of its own",
   space_named_twice},
  {"request.data: 66 places would be needed for CPUs, files with their sources and space, must be "
   "at most 64",
   files_everywhere},
  {"request.window.start: excludes earliest, latest and deadline; give one or the other",
   start_and_latest},
  {"request.window.latest: is before earliest", latest_before_earliest},
  {"request.window.deadline: must be at least 1h after the earliest start, because the request "
   "lasts so long",
   deadline_before_start},
  {"request.window.earliest: must be from 1970 to 9998-12-31T23:00:00Z, so that it ends before "
   "9999",
   far_away},
  {"request.window.start: must be from 1970 to 9998-12-31T23:00:00Z, so that it ends before 9999",
   last_second},
  {"request.policy: 'best' must be time, cost, load, random or quality", odd_policy},
  {"request.algorithm: 'best' must be auto, bbr, bir or ip", odd_algorithm},
  {"request.policy: quality needs request.algorithm ip", quality_without_ip},
  {"request.policy: must be time, cost or quality with ip", load_with_ip},
  {"request.route: must be free with ip", fixed_with_ip},
  {"request.network[1].between: joins the same needs as request.network[0]; with ip there may be "
   "only one connection between two needs",
   two_connections_with_ip},
};

static void what_can_not_be_meant_is_refused_by_field (void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof bads / sizeof bads [0]; i++) {
        char why [WHY_BYTES] = "";
        user_request_t request = sound (2);
        assert_true (user_request_check (&request, why));
        bads [i].spoil (&request);
        assert_false (user_request_check (&request, why));
        assert_string_equal (why, bads [i].why);
        if (request.network_count > 1)
            request.network_count = 0; /* it was only said */
        request.compute_count = 2;
        user_request_clear (&request);
    }
}

static void sixty_four_needs_are_a_request_and_sixty_five_are_not (void **state)
{
    (void) state;
    char why [WHY_BYTES];
    user_request_t request = sound (NEEDS_MAX);
    assert_true (user_request_check (&request, why));
    user_request_clear (&request);
    request = sound (NEEDS_MAX + 1);
    assert_false (user_request_check (&request, why));
    assert_string_equal (why, "request.compute: has 65 needs, must have at most 64");
    user_request_clear (&request);
}

static void a_frame_is_fixed_at_the_moment_of_receipt (void **state)
{
    (void) state;
    char why [WHY_BYTES];
    const planner_settings_t *settings = &SETTINGS_PRESET (planner_settings_t, &planner_table);
    user_request_t request = sound (2);
    request.compute [1].offset_ms = HOUR_MS; /* it lasts two hours in all */
    starts_t starts;

    assert_true (user_request_resolve (&request, settings, NOW_MS, &starts, why));
    assert_int_equal (starts.earliest_ms, NOW_MS + settings->margin_ms);
    assert_int_equal (starts.latest_ms, starts.earliest_ms + settings->frame_ms);

    request.window.earliest = (instant_t){.set = true, .ms = NOW_MS - HOUR_MS};
    request.window.deadline = (instant_t){.set = true, .ms = NOW_MS + 3 * HOUR_MS};
    assert_true (user_request_resolve (&request, settings, NOW_MS, &starts, why));
    assert_int_equal (starts.earliest_ms, NOW_MS + settings->margin_ms);
    assert_int_equal (starts.latest_ms, NOW_MS + HOUR_MS);

    assert_false (user_request_resolve (&request, settings, NOW_MS + 2 * HOUR_MS, &starts, why));
    assert_non_null (strstr (why, "deadline: can't be kept any more"));

    request.window = (frame_t){.latest = {.set = true, .ms = NOW_MS - 1}};
    assert_false (user_request_resolve (&request, settings, NOW_MS, &starts, why));
    assert_non_null (strstr (why, "request.window.latest: has passed"));

    request.window = (frame_t){.start = {.set = true, .ms = NOW_MS - 1}};
    assert_false (user_request_resolve (&request, settings, NOW_MS, &starts, why));
    assert_string_equal (why, "request.window.start: has passed");

    request.window = (frame_t){.latest = {.set = true, .ms = NOW_MS + INT64_C (60) * 24 * HOUR_MS}};
    assert_false (user_request_resolve (&request, settings, NOW_MS, &starts, why));
    assert_non_null (strstr (why, "frame_max"));
    user_request_clear (&request);
}

static void what_is_kept_in_a_plan_has_absolute_times_and_survives_the_wire (void **state)
{
    (void) state;
    char why [WHY_BYTES];
    user_request_t request = sound (3), again;
    strcpy (request.name, "coupled");
    strcpy (request.policy, "cost");
    strcpy (request.compute [2].site, "ams");
    request.distinct_sites = true;
    request.compute [1].require = calloc (2, sizeof (requirement_t));
    request.compute [1].require_count = 2;
    strcpy (request.compute [1].require [0].attribute, "os");
    strcpy (request.compute [1].require [0].value, "linux");
    strcpy (request.compute [1].require [1].attribute, "memory");
    request.compute [1].require [1].numeric = true;
    request.compute [1].require [1].min = 64.5;
    add_link (&request, "n0", "n1");
    request.network [0].mbps = 1000;
    add_file (&request, "era5/2020.nc", "n2");
    request.window.earliest = (instant_t){.set = true, .from_now = true, .ms = 0};
    request.window.latest = (instant_t){.set = true, .from_now = true, .ms = HOUR_MS};
    user_request_fix (&request, &SETTINGS_PRESET (planner_settings_t, &planner_table), NOW_MS);
    assert_int_equal (request.window.earliest.ms,
                      NOW_MS + SETTINGS_PRESET (planner_settings_t, &planner_table).margin_ms);
    assert_int_equal (request.window.latest.ms, NOW_MS + HOUR_MS);

    packed_t packed = codec_encode (&user_request_codec, &request);
    bytes_t body = {.data = packed.data, .size = packed.size};
    assert_true (codec_decode (&user_request_codec, &again, body, why));
    packed_t repacked = codec_encode (&user_request_codec, &again);
    assert_int_equal (packed.size, repacked.size);
    assert_memory_equal (packed.data, repacked.data, packed.size);
    assert_true (user_request_check (&again, why));
    assert_false (again.window.earliest.from_now);
    assert_true (again.compute [1].require [1].numeric);
    assert_int_equal (again.network [0].mbps, 1000);
    user_request_clear (&again);
    for (size_t size = 0; size < packed.size; size++) /* cut anywhere: no crash, no leak */
        if (codec_decode (&user_request_codec, &again, (bytes_t){.data = packed.data, .size = size},
                          why))
            user_request_clear (&again);
    free (packed.data);
    free (repacked.data);
    user_request_clear (&request);
}

static void a_patch_changes_what_it_names (void **state)
{
    (void) state;
    char why [WHY_BYTES];
    user_request_t request = sound (2);
    need_patch_t need = {.id = "n1", .cpus = 9};
    request_patch_t patch = {
      .reservation = "r-1", .duration_ms = 2 * HOUR_MS, .compute = &need, .compute_count = 1};
    assert_true (request_patch_check (&patch, why));
    assert_true (user_request_patch (&request, &patch, why));
    assert_int_equal (request.compute [0].cpus, 4);
    assert_int_equal (request.compute [1].cpus, 9);
    assert_int_equal (request.duration_ms, 2 * HOUR_MS);
    strcpy (need.id, "n5");
    assert_false (user_request_patch (&request, &patch, why));
    assert_string_equal (why, "compute[0].id: the reservation has no need 'n5'");
    patch = (request_patch_t){.reservation = "r-1"};
    assert_false (request_patch_check (&patch, why));
    patch = (request_patch_t){.reservation = "no good", .duration_ms = 1};
    assert_false (request_patch_check (&patch, why));
    user_request_clear (&request);
}

static void an_id_says_its_home_or_is_given_one_by_hash (void **state)
{
    (void) state;
    static const char *const homes [] = {"gis/g1", "gis/g2", "gis/g3"};
    char why [WHY_BYTES];
    request_name_t name;
    assert_true (request_name_parse (&name, "alice", "r1@g2", homes, 3, why));
    assert_string_equal (name.full, "r1@g2");
    assert_string_equal (name.home, "gis/g2");
    assert_true (request_name_parse (&name, "alice", "a@b@g3", homes, 3, why));
    assert_string_equal (name.home, "gis/g3");

    unsigned hits [3] = {0};
    for (int i = 0; i < 300; i++) {
        char id [16], first [NAME_BYTES_MAX + 1];
        snprintf (id, sizeof id, "id%d", i);
        assert_true (request_name_parse (&name, "alice", id, homes, 3, why));
        strcpy (first, name.home);
        hits [name.home [5] - '1']++;
        assert_true (request_name_parse (&name, "alice", id, homes, 3, why));
        assert_string_equal (first, name.home);
    }
    for (int i = 0; i < 3; i++)
        assert_in_range (hits [i], 60, 140);

    char long_id [REQUEST_ID_BYTES_MAX + 2];
    memset (long_id, 'x', sizeof long_id);
    long_id [REQUEST_ID_BYTES_MAX + 1] = 0;
    assert_false (request_name_parse (&name, "alice", long_id, homes, 3, why));
    long_id [REQUEST_ID_BYTES_MAX] = 0;
    assert_false (request_name_parse (&name, "alice", long_id, homes, 3, why)); /* no room: @g1 */
    assert_false (request_name_parse (&name, "alice", "r1@g9", homes, 3, why));
    assert_string_equal (why, "request id: no directory is named 'g9', which would be its home");
    assert_false (request_name_parse (&name, "alice", "@g1", homes, 3, why));
    assert_false (request_name_parse (&name, "alice", "a b@g1", homes, 3, why));
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (what_can_not_be_meant_is_refused_by_field),
      cmocka_unit_test (sixty_four_needs_are_a_request_and_sixty_five_are_not),
      cmocka_unit_test (a_frame_is_fixed_at_the_moment_of_receipt),
      cmocka_unit_test (what_is_kept_in_a_plan_has_absolute_times_and_survives_the_wire),
      cmocka_unit_test (a_patch_changes_what_it_names),
      cmocka_unit_test (an_id_says_its_home_or_is_given_one_by_hash),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
