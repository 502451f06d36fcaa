/*  timetext - what is read and written, and what is refused. */
#include "timetext.h"

#include "prng.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof (array) / sizeof (array) [0])

static void reads_times_of_rfc_3339 (void **state)
{
    (void) state;
    static const struct {
        const char *text;
        int64_t ms;
    } cases [] = {
      {"1970-01-01T00:00:00Z", 0},
      {"1970-01-01t00:00:01z", 1000},
      {"2026-12-01T09:00:00Z", 1796115600000},
      {"2026-12-01T18:00:00.250+09:00", 1796115600250},
      {"2026-12-01T05:30:00-03:30", 1796115600000},
      {"2000-02-29T23:59:59.9Z", 951868799900},
      {"2000-03-01T00:00:00.123456789Z", 951868800123},
      {"1969-12-31T23:59:59.999Z", -1},
      {"0000-01-01T00:00:00Z", -62167219200000},
      {"9999-12-31T23:59:59.999Z", 253402300799999},
    };
    for (size_t i = 0; i < LENGTH (cases); i++) {
        int64_t ms = 42;
        bool relative = true;
        if (!timetext_parse (cases [i].text, &ms, &relative))
            fail_msg ("%s is refused", cases [i].text);
        assert_false (relative);
        if (ms != cases [i].ms)
            fail_msg ("%s reads as %" PRId64 ", not %" PRId64, cases [i].text, ms, cases [i].ms);
    }
}

static void reads_times_relative_to_now (void **state)
{
    (void) state;
    static const struct {
        const char *text;
        int64_t ms;
    } cases [] = {
      {"now", 0}, {"now+30m", 1800000}, {"now-1h", -3600000}, {"now+1d12h5ms", 129600005}};
    for (size_t i = 0; i < LENGTH (cases); i++) {
        int64_t ms = 42;
        bool relative = false;
        assert_true (timetext_parse (cases [i].text, &ms, &relative));
        assert_true (relative);
        assert_true (ms == cases [i].ms);
    }
}

static void refuses_what_is_no_time (void **state)
{
    (void) state;
    static const char *const cases [] = {
      "",
      "n",
      "now+",
      "now+30",
      "now 30m",
      "now+-30m",
      "nowhere",
      "30m",
      "2026-12-01",
      "2026-12-01T09:00:00",
      "2026-12-01 09:00:00Z",
      "2026-12-01T09:00Z",
      "2026-13-01T09:00:00Z",
      "2026-00-01T09:00:00Z",
      "2026-02-29T09:00:00Z",
      "1900-02-29T09:00:00Z",
      "2026-04-31T09:00:00Z",
      "2026-12-00T09:00:00Z",
      "2026-12-01T24:00:00Z",
      "2026-12-01T09:60:00Z",
      "2026-12-31T23:59:60Z",
      "2026-12-01T09:00:00.Z",
      "2026-12-01T09:00:00+9:00",
      "2026-12-01T09:00:00+24:00",
      "2026-12-01T09:00:00Z ",
      " 2026-12-01T09:00:00Z",
      "+026-12-01T09:00:00Z",
      "20261-12-01T09:00:00Z",
    };
    for (size_t i = 0; i < LENGTH (cases); i++) {
        int64_t ms;
        bool relative;
        if (timetext_parse (cases [i], &ms, &relative))
            fail_msg ("\"%s\" is taken", cases [i]);
    }
}

static void reads_durations (void **state)
{
    (void) state;
    static const struct {
        const char *text;
        int64_t ms;
    } cases [] = {{"90s", 90000},
                  {"30m", 1800000},
                  {"1h30m", 5400000},
                  {"0s", 0},
                  {"250ms", 250},
                  {"1m1ms", 60001},
                  {"1d2h3m4s5ms", 93784005},
                  {"007s", 7000},
                  {"3652425d", INT64_C (3652425) * 86400000}};
    for (size_t i = 0; i < LENGTH (cases); i++) {
        int64_t ms = 42;
        if (!timetext_parse_duration (cases [i].text, &ms))
            fail_msg ("%s is refused", cases [i].text);
        assert_true (ms == cases [i].ms);
    }
}

static void refuses_what_is_no_duration (void **state)
{
    (void) state;
    static const char *const cases [] = {
      "",      "30",    "m",    "-30m", "1.5h",        "1h 30m",
      "30m1h", "1m1m",  "30M",  "1hm",  "3652426d",    "1sms",
      "1w",    "30min", "+30m", "1h30", "3652425d1ms", "99999999999999999999d"};
    for (size_t i = 0; i < LENGTH (cases); i++) {
        int64_t ms;
        if (timetext_parse_duration (cases [i], &ms))
            fail_msg ("\"%s\" is taken", cases [i]);
    }
}

static void writes_times_with_milliseconds_only_when_there_are_some (void **state)
{
    (void) state;
    char text [TIMETEXT_BYTES];
    assert_string_equal (timetext_format (1796115600000, text), "2026-12-01T09:00:00Z");
    assert_string_equal (timetext_format (1796115600250, text), "2026-12-01T09:00:00.250Z");
    assert_string_equal (timetext_format (-1, text), "1969-12-31T23:59:59.999Z");
}

static void writes_durations_in_their_largest_units (void **state)
{
    (void) state;
    char text [TIMETEXT_BYTES];
    assert_string_equal (timetext_format_duration (5400000, text), "1h30m");
    assert_string_equal (timetext_format_duration (250, text), "250ms");
    assert_string_equal (timetext_format_duration (0, text), "0s");
    assert_string_equal (timetext_format_duration (-90000, text), "-1m30s");
    assert_string_equal (timetext_format_duration (86400000, text), "1d");
}

static void extremes_fit_in_the_text (void **state)
{
    (void) state;
    char text [TIMETEXT_BYTES];
    assert_string_equal (timetext_format (INT64_MAX, text), "292278994-08-17T07:12:55.807Z");
    assert_string_equal (timetext_format (INT64_MIN, text), "-292275055-05-16T16:47:04.192Z");
    assert_string_equal (timetext_format_duration (INT64_MAX, text), "106751991167d7h12m55s807ms");
    assert_string_equal (timetext_format_duration (INT64_MIN, text), "-106751991167d7h12m55s808ms");
}

static void what_is_written_reads_back (void **state)
{
    (void) state;
    uint64_t seed = 20261201;
    print_message ("seed %" PRIu64 "\n", seed);
    prng_t prng;
    prng_seed (&prng, seed);
    for (int i = 0; i < 20000; i++) {
        char text [TIMETEXT_BYTES];
        int64_t back;
        bool relative;
        int64_t ms = (int64_t) (prng_next (&prng) % 253402300799999u);
        assert_true (timetext_parse (timetext_format (ms, text), &back, &relative));
        assert_true (back == ms);
        ms %= INT64_C (1) << (1 + prng_next (&prng) % 47);
        assert_true (timetext_parse_duration (timetext_format_duration (ms, text), &back));
        assert_true (back == ms);
    }
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (reads_times_of_rfc_3339),
      cmocka_unit_test (reads_times_relative_to_now),
      cmocka_unit_test (refuses_what_is_no_time),
      cmocka_unit_test (reads_durations),
      cmocka_unit_test (refuses_what_is_no_duration),
      cmocka_unit_test (writes_times_with_milliseconds_only_when_there_are_some),
      cmocka_unit_test (writes_durations_in_their_largest_units),
      cmocka_unit_test (extremes_fit_in_the_text),
      cmocka_unit_test (what_is_written_reads_back),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
