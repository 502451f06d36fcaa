/*  workload - requests made of a log are what planners take, and what a replay
 *  comes to is counted right. */
#include "replay.h"
#include "request_form.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define JOBS 4000

/*  A log of jobs with all manner of CPUs and run times. */
static swf_log_t made_up_log (void)
{
    swf_log_t log = {.jobs = calloc (JOBS, sizeof *log.jobs), .jobs_count = JOBS};
    assert_non_null (log.jobs);
    for (size_t i = 0; i < JOBS; i++)
        log.jobs [i] = (swf_job_t){.submit_s = (int64_t) i * 97,
                                   .run_s = 1 + (int64_t) i * 131 % 40000,
                                   .cpus = 1 + (uint32_t) i * 7 % 200};
    return log;
}

static void made_requests_are_read_as_users_write_them (void **state)
{
    (void) state;
    swf_log_t log = made_up_log ();
    coallocation_settings_t settings = {.seed = 3,
                                        .requests = 100,
                                        .start_ms = 600000,
                                        .compress = 10,
                                        .cpus_max = 128,
                                        .links = true};
    coallocation_t *made;
    size_t clipped;
    size_t count = coallocations_make (&log, &settings, &made, &clipped);
    assert_int_equal (count, 100);
    assert_true (clipped > 0);
    for (size_t i = 0; i < 2 * count; i++) {
        char why [LONG_WHY_BYTES] = "";
        json_t *written = coallocation_written (&made [i / 2], i % 2, i % 3 ? NULL : "cost");
        json_t *request = request_form_read (written, why);
        if (!request)
            fail_msg ("%s", why);
        const json_t *earliest = json_object_get (json_object_get (request, "window"), "earliest");
        assert_true (json_integer_value (json_object_get (
                       earliest, i % 2 ? "from_now_ms" : "at_ms")) == made [i / 2].earliest_ms);
        assert_int_equal (json_array_size (json_object_get (request, "compute")),
                          made [i / 2].needs);
        assert_int_equal (json_array_size (json_object_get (request, "network")),
                          made [i / 2].links_count);
        json_decref (request);
        json_decref (written);
    }
    free (made);
    free (log.jobs);
}

static void links_join_every_two_of_three_and_a_chain_of_four (void **state)
{
    (void) state;
    static const size_t ends [5][3][2] = {
      {{0}}, {{0}}, {{0, 1}}, {{0, 1}, {0, 2}, {1, 2}}, {{0, 1}, {1, 2}, {2, 3}}};
    static const size_t wanted [5] = {0, 0, 1, 3, 3};
    swf_log_t log = made_up_log ();
    coallocation_settings_t settings = {.seed = 3, .requests = JOBS, .compress = 1, .links = true};
    coallocation_t *made;
    size_t clipped;
    size_t count = coallocations_make (&log, &settings, &made, &clipped);
    size_t of_needs [5] = {0};
    size_t drawn [3] = {0};
    size_t links = 0;
    for (size_t i = 0; i < count; i++) {
        of_needs [made [i].needs]++;
        assert_int_equal (made [i].links_count, wanted [made [i].needs]);
        for (size_t l = 0; l < made [i].links_count; l++, links++) {
            const coallocation_link_t *link = &made [i].links [l];
            assert_int_equal (link->ends [0], ends [made [i].needs][l][0]);
            assert_int_equal (link->ends [1], ends [made [i].needs][l][1]);
            assert_true (link->mbps == 500 || link->mbps == 1000 || link->mbps == 2000);
            drawn [link->mbps == 500 ? 0 : link->mbps == 1000 ? 1 : 2]++;
        }
    }
    assert_true (of_needs [2] > 100 && of_needs [3] > 100 && of_needs [4] > 100);
    assert_true (links > 2000); /* 6 : 3 : 1, give or take three in a hundred */
    assert_in_range (drawn [0], links * 57 / 100, links * 63 / 100);
    assert_in_range (drawn [1], links * 27 / 100, links * 33 / 100);
    assert_in_range (drawn [2], links * 7 / 100, links * 13 / 100);
    free (made);
    free (log.jobs);
}

static void the_needs_of_a_seed_are_the_same_with_links_and_without (void **state)
{
    (void) state;
    swf_log_t log = made_up_log ();
    coallocation_settings_t settings = {.seed = 5, .requests = JOBS, .compress = 2};
    coallocation_t *bare, *linked, *again;
    size_t clipped;
    size_t count = coallocations_make (&log, &settings, &bare, &clipped);
    settings.links = true;
    assert_int_equal (coallocations_make (&log, &settings, &linked, &clipped), count);
    assert_int_equal (coallocations_make (&log, &settings, &again, &clipped), count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal (bare [i].links_count, 0);
        for (size_t l = 0; l < linked [i].links_count; l++)
            assert_int_equal (linked [i].links [l].mbps, again [i].links [l].mbps);
        assert_int_equal (bare [i].needs, linked [i].needs);
        assert_memory_equal (bare [i].cpus, linked [i].cpus, sizeof bare [i].cpus);
        assert_true (bare [i].earliest_ms == linked [i].earliest_ms);
        assert_true (bare [i].duration_ms == linked [i].duration_ms);
    }
    free (again);
    free (linked);
    free (bare);
    free (log.jobs);
}

static void read_form (const char *text, replay_outcome_t *outcome)
{
    coallocation_t request = {.links_count = 3};
    json_t *form = json_loads (text, 0, NULL);
    assert_non_null (form);
    *outcome = (replay_outcome_t){0};
    replay_outcome_read (outcome, &request, form);
    json_decref (form);
}

static void an_answer_comes_to_connections_circuits_and_links (void **state)
{
    (void) state;
    replay_outcome_t outcome;
    read_form ("{\"status\": \"committed\", \"network\": ["
               "{\"need\": \"a-b\", \"links\": [\"N/1\", \"N/2\", \"S/1\", \"N/3\"]},"
               "{\"need\": \"a-c\", \"links\": []},"
               "{\"need\": \"b-c\", \"links\": [\"NN/1\", \"N/1\"]}]}",
               &outcome);
    assert_int_equal (outcome.status, REPLAY_COMMITTED);
    assert_int_equal (outcome.asked_links, 3);
    assert_int_equal (outcome.connections, 2);
    assert_int_equal (outcome.circuits, 5);
    assert_int_equal (outcome.links, 6);
}

static void a_refusal_is_known_by_the_need_that_its_first_reason_names (void **state)
{
    (void) state;
    replay_outcome_t outcome;
    read_form ("{\"status\": \"refused\", \"reasons\": [{\"need\": \"a-b\", \"resource\": "
               "\"N/n8-x1\", \"text\": \"N/n8-x1 has 100 Mbit/s free of 2000\"}, {}]}",
               &outcome);
    assert_int_equal (outcome.status, REPLAY_REFUSED);
    assert_int_equal (outcome.blocker, REPLAY_BY_LINK);
    assert_string_equal (outcome.reason, "* has # Mbit/s free of #");
    read_form ("{\"status\": \"refused\", \"reasons\": [{\"need\": \"c\", \"text\": \"12 CPUs\"}]}",
               &outcome);
    assert_int_equal (outcome.blocker, REPLAY_BY_CLASS);
    assert_string_equal (outcome.reason, "# CPUs");
    read_form ("{\"status\": \"refused\", \"reasons\": []}", &outcome);
    assert_int_equal (outcome.blocker, REPLAY_BY_NO_NEED);
    assert_string_equal (outcome.reason, "no reason given");
}

static replay_outcome_t outcome (replay_status_t status, double latency_s, const char *reason)
{
    replay_outcome_t one = {.status = status, .sent_s = 1, .latency_s = latency_s};
    snprintf (one.reason, sizeof one.reason, "%s", reason);
    return one;
}

static void outcomes_are_counted_and_ranked (void **state)
{
    (void) state;
    replay_outcome_t outcomes [104];
    for (size_t i = 0; i < 100; i++)
        outcomes [i] = outcome (REPLAY_COMMITTED, .001 * (double) (100 - i), "");
    outcomes [100] = outcome (REPLAY_REFUSED, .0005, "short");
    outcomes [101] = outcome (REPLAY_REFUSED, .0005, "late");
    outcomes [102] = outcome (REPLAY_REFUSED, .0005, "short");
    outcomes [103] = outcome (REPLAY_UNKNOWN, 9, "");
    replay_summary_t summary;
    replay_summarise (outcomes, 104, &summary);
    assert_int_equal (summary.committed, 100);
    assert_int_equal (summary.refused, 3);
    assert_int_equal (summary.unknown, 1);
    assert_int_equal (summary.reasons_count, 2);
    assert_string_equal (summary.reasons [0].reason, "short");
    assert_int_equal (summary.reasons [0].count, 2);
    assert_true (summary.seconds == 10);
    assert_true (summary.per_second == 10.3);
    assert_true (summary.committed_per_second == 10);
    assert_true (summary.p50_s > .048 && summary.p50_s < .050);
    assert_true (summary.max_s == .1);
    assert_true (summary.p50_s <= summary.p90_s && summary.p90_s <= summary.p99_s);
}

static void rare_reasons_are_told_as_one (void **state)
{
    (void) state;
    replay_outcome_t outcomes [60];
    size_t count = 0;
    for (int i = 0; i < 20; i++) {
        char reason [8];
        snprintf (reason, sizeof reason, "why %c", 'a' + i);
        for (int k = 0; k < (i < 10 ? 3 : 1); k++) {
            outcomes [count] = outcome (REPLAY_REFUSED, .001, reason);
            outcomes [count++].blocker = i % 2 ? REPLAY_BY_LINK : REPLAY_BY_CLASS;
        }
    }
    replay_summary_t summary;
    replay_summarise (outcomes, count, &summary);
    assert_int_equal (summary.refused, 40);
    assert_int_equal (summary.refused_by [REPLAY_BY_CLASS], 20);
    assert_int_equal (summary.refused_by [REPLAY_BY_LINK], 20);
    assert_int_equal (summary.reasons_count, REPLAY_REASONS_MAX);
    size_t told = 0;
    for (size_t i = 0; i < summary.reasons_count; i++)
        told += summary.reasons [i].count;
    assert_int_equal (told, 40);
    assert_int_equal (summary.reasons [0].count, 3);
    assert_string_equal (summary.reasons [REPLAY_REASONS_MAX - 1].reason, "(5 other reasons)");
    assert_int_equal (summary.reasons [REPLAY_REASONS_MAX - 1].count, 5);
}

static void nothing_sent_is_no_summary_of_zero_by_zero (void **state)
{
    (void) state;
    replay_summary_t summary;
    replay_summarise (NULL, 0, &summary);
    assert_int_equal (summary.committed, 0);
    assert_true (summary.per_second == 0);
    assert_true (summary.max_s == 0);
}

static void the_picture_is_whole_and_its_title_escaped (void **state)
{
    (void) state;
    replay_outcome_t outcomes [] = {outcome (REPLAY_COMMITTED, .01, ""),
                                    outcome (REPLAY_REFUSED, .02, "short")};
    char *text = NULL;
    size_t size;
    FILE *svg = open_memstream (&text, &size);
    assert_non_null (svg);
    replay_plot (outcomes, 2, "a<b>&c", svg);
    assert_int_equal (fclose (svg), 0);
    assert_null (strstr (text, "a<b>"));
    assert_ptr_equal (strstr (text, "</svg>"), text + size - strlen ("</svg>\n"));
    free (text);
    svg = open_memstream (&text, &size);
    assert_non_null (svg);
    replay_plot (NULL, 0, "none", svg);
    assert_int_equal (fclose (svg), 0);
    assert_non_null (strstr (text, "</svg>"));
    free (text);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (made_requests_are_read_as_users_write_them),
      cmocka_unit_test (links_join_every_two_of_three_and_a_chain_of_four),
      cmocka_unit_test (the_needs_of_a_seed_are_the_same_with_links_and_without),
      cmocka_unit_test (an_answer_comes_to_connections_circuits_and_links),
      cmocka_unit_test (a_refusal_is_known_by_the_need_that_its_first_reason_names),
      cmocka_unit_test (rare_reasons_are_told_as_one),
      cmocka_unit_test (outcomes_are_counted_and_ranked),
      cmocka_unit_test (nothing_sent_is_no_summary_of_zero_by_zero),
      cmocka_unit_test (the_picture_is_whole_and_its_title_escaped),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
