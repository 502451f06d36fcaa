/*  swf and coallocations: which lines count as jobs, which are reported, and the requests made of
 *  them. */
#include "coallocations.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

static void tells_jobs_from_comments_and_bad_lines (void **state)
{
    (void) state;
    const struct {
        const char *line;
        bool good;
        bool is_job;
        uint32_t cpus;
    } cases [] = {
      {"1 0 -1 100 64 -1 -1 64 7200 -1 -1 -1 -1 -1 -1 -1 -1 -1\n", true, true, 64},
      {"  2   5 -1 3.7 8 -1 -1 -1 7200 -1 -1 -1 -1 -1 -1 -1 -1 -1", true, true, 8},
      {"3 5 -1 -1 8 -1 -1 8 7200", true, false, 0},
      {"3 5 -1 10 -1 -1 -1 0 7200", true, false, 0},
      {"; MaxProcs: 1152\n", true, false, 0},
      {"\n", true, false, 0},
      {"4 5 6\n", false, false, 0},
      {"4 5 six 10 8 -1 -1 8 1\n", false, false, 0},
      {"4 -5 0 10 8 -1 -1 8 1\n", false, false, 0},
      {"4 5 0 nan 8 -1 -1 8 1\n", false, false, 0},
      {"4 5 0 10 8 -1 -1 1e30 1\n", false, false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        swf_job_t job = {0};
        bool is_job;
        char why [WHY_BYTES] = "";
        assert_int_equal (swf_line (cases [i].line, &job, &is_job, why), cases [i].good);
        assert_int_equal (is_job, cases [i].is_job);
        assert_int_equal (job.cpus, cases [i].cpus);
        assert_int_equal (*why != '\0', !cases [i].good);
    }
}

/*  Writes text to a new temporary file, gzipped or not; the caller unlinks it. */
static void write_log (char name [32], const char *text, bool gzip)
{
    strcpy (name, "/tmp/test_swf.XXXXXX");
    int descriptor = mkstemp (name);
    assert_true (descriptor >= 0);
    gzFile file = gzdopen (descriptor, gzip ? "wb" : "wbT");
    assert_int_equal (gzputs (file, text), strlen (text));
    assert_int_equal (gzclose (file), Z_OK);
}

static void reads_plain_and_gzipped_alike_and_names_the_first_bad_line (void **state)
{
    (void) state;
    const char *text = "; comment\n1 0 -1 100 64 -1 -1 64 1\nrubbish\n2 5 -1 -1 8 -1 -1 8 1\nmore\n"
                       "3 9 -1 50 8 -1 -1 8 1";
    for (int gzip = 0; gzip < 2; gzip++) {
        char name [32], why [WHY_BYTES];
        write_log (name, text, gzip);
        swf_log_t log;
        assert_true (swf_read (&log, name, why));
        assert_int_equal (log.jobs_count, 2);
        assert_int_equal (log.jobs [1].submit_s, 9);
        assert_int_equal (log.passed_over, 1);
        assert_int_equal (log.bad_lines, 2);
        assert_int_equal (strncmp (log.first_bad, "3: ", 3), 0);
        swf_clear (&log);
        unlink (name);
    }
}

static void refuses_what_holds_no_job_or_is_cut (void **state)
{
    (void) state;
    char name [32], why [WHY_BYTES];
    swf_log_t log;
    assert_false (swf_read (&log, "/nonexistent.swf", why));
    write_log (name, "; nothing\n", false);
    assert_false (swf_read (&log, name, why));
    assert_non_null (strstr (why, "no job"));
    unlink (name);

    write_log (name, "1 0 -1 100 64 -1 -1 64 1\n1 0 -1 100 64 -1 -1 64 1\n", true);
    assert_int_equal (truncate (name, 30), 0);
    assert_false (swf_read (&log, name, why));
    unlink (name);
}

static void an_overlong_line_is_bad_and_the_next_is_read (void **state)
{
    (void) state;
    char text [3 * SWF_LINE_BYTES_MAX];
    memset (text, '7', sizeof text);
    strcpy (text + 2 * SWF_LINE_BYTES_MAX, "\n1 0 -1 100 64 -1 -1 64 1\n");
    char name [32], why [WHY_BYTES];
    write_log (name, text, false);
    swf_log_t log;
    assert_true (swf_read (&log, name, why));
    assert_int_equal (log.jobs_count, 1);
    assert_int_equal (log.bad_lines, 1);
    swf_clear (&log);
    unlink (name);
}

/*  As other systems write texts; and bytes that are none hide no line but their own. */
static void no_job_is_lost_without_a_word (void **state)
{
    (void) state;
    static const struct {
        const char *text;
        size_t size;
        size_t bad;
    } cases [] = {
#define JOB             "1 0 -1 100 64 -1 -1 64 1"
#define CASE(text, bad) {text, sizeof (text) - 1, bad}
      CASE ("\xef\xbb\xbf" JOB "\n" JOB "\n", 0),
      CASE ("; comment\r" JOB "\r" JOB, 0),
      CASE ("; comment\r\n" JOB "\r\n\r\n" JOB "\r\n", 0),
      CASE (JOB "\n1 0 -1 100\0 64 -1 -1 64 1\n" JOB "\n", 1),
      CASE ("; a comment with \0 in it\n" JOB "\n" JOB "\n", 0),
      CASE (JOB "\n\xff\xfe\n" JOB "\n", 1),
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char name [32], why [WHY_BYTES];
        swf_log_t log;
        strcpy (name, "/tmp/test_swf.XXXXXX");
        int descriptor = mkstemp (name);
        assert_int_equal (write (descriptor, cases [i].text, cases [i].size), cases [i].size);
        close (descriptor);
        if (!swf_read (&log, name, why))
            fail_msg ("%zu: %s", i, why);
        if (log.jobs_count != 2 || log.bad_lines != cases [i].bad || log.passed_over != 0)
            fail_msg ("%zu: %zu jobs, %zu bad, %zu passed over", i, log.jobs_count,
                      (size_t) log.bad_lines, (size_t) log.passed_over);
        swf_clear (&log);
        unlink (name);
    }
}

static swf_job_t jobs [] = {
  {.submit_s = 1000, .run_s = 60, .cpus = 8},     {.submit_s = 1100, .run_s = 7200, .cpus = 64},
  {.submit_s = 1200, .run_s = 1000, .cpus = 16},  {.submit_s = 1300, .run_s = 90000, .cpus = 512},
  {.submit_s = 1400, .run_s = 30, .cpus = 8},     {.submit_s = 500, .run_s = 2000, .cpus = 8},
  {.submit_s = 1600, .run_s = 3000, .cpus = 8},   {.submit_s = 1700, .run_s = 3000, .cpus = 8},
  {.submit_s = 1800, .run_s = 3000, .cpus = 128}, {.submit_s = 1900, .run_s = 3000, .cpus = 8},
};
static const swf_log_t job_log = {.jobs = jobs, .jobs_count = sizeof jobs / sizeof *jobs};

static void makes_requests_by_the_rule (void **state)
{
    (void) state;
    coallocation_settings_t settings = {
      .seed = 3, .requests = 100, .start_ms = 1000000, .compress = 10, .cpus_max = 64};
    coallocation_t *made;
    size_t clipped;
    size_t count = coallocations_make (&job_log, &settings, &made, &clipped);
    assert_in_range (count, 2, 5);
    size_t at = 0, over = 0;
    int64_t before_ms = 0;
    for (size_t i = 0; i < count; i++) {
        assert_in_range (made [i].needs, 2, 4);
        int64_t run_s = 0;
        for (size_t n = 0; n < made [i].needs; n++, at++) {
            uint32_t cpus = jobs [at].cpus;
            over += cpus > 64;
            assert_int_equal (made [i].cpus [n], cpus > 64 ? 64 : cpus);
            run_s = jobs [at].run_s > run_s ? jobs [at].run_s : run_s;
        }
        int64_t wanted_ms = run_s < 600 ? 600000 : run_s > 14400 ? 14400000 : run_s * 1000;
        assert_int_equal (made [i].duration_ms, wanted_ms);
        assert_int_equal (made [i].latest_ms, made [i].earliest_ms + 3 * wanted_ms);
        assert_int_equal (made [i].deadline_ms, made [i].latest_ms + wanted_ms);
        assert_true (made [i].earliest_ms >= before_ms);
        before_ms = made [i].earliest_ms;
    }
    assert_int_equal (made [0].earliest_ms, 1000000);
    assert_int_equal (made [1].earliest_ms,
                      1000000 + (jobs [made [0].needs].submit_s - 1000) * 100);
    assert_int_equal (clipped, over);
    free (made);
}

static void the_same_seed_makes_the_same_and_another_others (void **state)
{
    (void) state;
    coallocation_settings_t settings = {.seed = 3, .requests = 3, .compress = 1};
    coallocation_t *one, *two;
    size_t clipped;
    size_t count = coallocations_make (&job_log, &settings, &one, &clipped);
    assert_int_equal (coallocations_make (&job_log, &settings, &two, &clipped), count);
    assert_memory_equal (one, two, count * sizeof *one);
    free (two);
    int differ = 0;
    for (settings.seed = 4; settings.seed < 20; settings.seed++) {
        size_t others = coallocations_make (&job_log, &settings, &two, &clipped);
        differ += others != count || memcmp (one, two, count * sizeof *one) != 0;
        free (two);
    }
    assert_true (differ > 8);
    free (one);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (tells_jobs_from_comments_and_bad_lines),
      cmocka_unit_test (reads_plain_and_gzipped_alike_and_names_the_first_bad_line),
      cmocka_unit_test (refuses_what_holds_no_job_or_is_cut),
      cmocka_unit_test (an_overlong_line_is_bad_and_the_next_is_read),
      cmocka_unit_test (no_job_is_lost_without_a_word),
      cmocka_unit_test (makes_requests_by_the_rule),
      cmocka_unit_test (the_same_seed_makes_the_same_and_another_others),
    };
    return cmocka_run_group_tests_name ("swf", tests, NULL, NULL);
}
