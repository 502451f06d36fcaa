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

static void made_requests_are_read_as_users_write_them (void **state)
{
    (void) state;
    swf_job_t jobs [400];
    for (size_t i = 0; i < 400; i++)
        jobs [i] = (swf_job_t){.submit_s = (int64_t) i * 97,
                               .run_s = 1 + (int64_t) i * 131 % 40000,
                               .cpus = 1 + (uint32_t) i * 7 % 200};
    swf_log_t log = {.jobs = jobs, .jobs_count = 400};
    coallocation_settings_t settings = {
      .seed = 3, .requests = 1000, .start_ms = 600000, .compress = 10, .cpus_max = 128};
    coallocation_t *made;
    size_t clipped;
    size_t count = coallocations_make (&log, &settings, &made, &clipped);
    assert_true (count >= 100);
    assert_true (clipped > 0);
    for (size_t i = 0; i < 2 * count; i++) {
        char why [FORM_WHY_BYTES] = "";
        json_t *written = coallocation_written (&made [i / 2], i % 2, i % 3 ? NULL : "cost");
        json_t *request = request_form_read (written, why);
        if (!request)
            fail_msg ("%s", why);
        const json_t *earliest = json_object_get (json_object_get (request, "window"), "earliest");
        assert_true (json_integer_value (json_object_get (
                       earliest, i % 2 ? "from_now_ms" : "at_ms")) == made [i / 2].earliest_ms);
        assert_int_equal (json_array_size (json_object_get (request, "compute")),
                          made [i / 2].needs);
        json_decref (request);
        json_decref (written);
    }
    free (made);
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
    char path [] = "/tmp/musubi-test-plot.XXXXXX";
    int file = mkstemp (path);
    assert_true (file >= 0);
    close (file);
    replay_outcome_t outcomes [] = {outcome (REPLAY_COMMITTED, .01, ""),
                                    outcome (REPLAY_REFUSED, .02, "short")};
    assert_true (replay_plot (outcomes, 2, "a<b>&c", path));
    char text [65536];
    FILE *svg = fopen (path, "r");
    size_t size = fread (text, 1, sizeof text - 1, svg);
    fclose (svg);
    unlink (path);
    text [size] = '\0';
    assert_null (strstr (text, "a<b>"));
    assert_ptr_equal (strstr (text, "</svg>"), text + size - strlen ("</svg>\n"));
    assert_false (replay_plot (outcomes, 2, "x", "/nonexistent/plot.svg"));
    assert_true (replay_plot (NULL, 0, "none", "/dev/null"));
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (made_requests_are_read_as_users_write_them),
      cmocka_unit_test (outcomes_are_counted_and_ranked),
      cmocka_unit_test (nothing_sent_is_no_summary_of_zero_by_zero),
      cmocka_unit_test (the_picture_is_whole_and_its_title_escaped),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
