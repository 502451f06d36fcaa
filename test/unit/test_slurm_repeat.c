/*  slurm_repeat: times of a reservation that recurs, beside what slurmctld does with it step by
 *  step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "batch_picture.h"
#include "prng.h"
#include "slurm_parse.h"

#define HOUR   INT64_C (3600000)
#define DAY    (24 * HOUR)
#define EUROPE "CET-1CEST,M3.5.0,M10.5.0/3"
#define TIMES  BATCH_TIMES_MAX
#define DRAWS  300

static void zone_is (const char *zone)
{
    assert_int_equal (setenv ("TZ", zone, 1), 0);
    tzset ();
}

/*  "2026-03-28 02:30" on the wall. */
static int64_t wall (const char *text)
{
    struct tm tm = {.tm_isdst = -1};
    assert_non_null (strptime (text, "%Y-%m-%d %H:%M", &tm));
    return (int64_t) mktime (&tm) * 1000;
}

static void starts (slurm_repeat_t repeat, const char *from, int64_t length_ms,
                    const char *const *wanted)
{
    int64_t again [2 * TIMES];
    slurm_repeat_times (repeat, wall (from), wall (from) + length_ms, again, TIMES);
    for (size_t i = 0; wanted [i]; i++) {
        assert_int_equal (again [2 * i], wall (wanted [i]));
        assert_int_equal (again [2 * i + 1], wall (wanted [i]) + length_ms);
    }
}

#define STARTS(repeat, from, length_ms, ...)                                                       \
    starts (repeat, from, length_ms, (const char *const []){__VA_ARGS__, NULL})

static void flags_say_how_it_recurs (void **state)
{
    (void) state;
    assert_int_equal (slurm_repeat_read ("MAINT,DAILY,SPEC_NODES"), SLURM_DAILY);
    assert_int_equal (slurm_repeat_read ("HOURLY"), SLURM_HOURLY);
    assert_int_equal (slurm_repeat_read ("WEEKDAY,PURGE_COMP=00:10:00"), SLURM_WEEKDAY);
    assert_int_equal (slurm_repeat_read ("FLEX,WEEKEND"), SLURM_WEEKEND);
    assert_int_equal (slurm_repeat_read ("MAINT,WEEKLY"), SLURM_WEEKLY);
    assert_int_equal (slurm_repeat_read ("OVERLAP,SPEC_NODES,TIME_FLOAT"), SLURM_FLOATS);
    assert_int_equal (slurm_repeat_read ("NO_DAILY,WEEKLYISH,MAINT"), SLURM_ONCE);
    assert_int_equal (slurm_repeat_read (""), SLURM_ONCE);
}

static void each_kind_has_its_days (void **state)
{
    (void) state;
    zone_is (EUROPE); /* the 27th of November 2026 is a Friday */
    STARTS (SLURM_HOURLY, "2026-11-27 22:10", HOUR / 6, "2026-11-27 23:10", "2026-11-28 00:10");
    STARTS (SLURM_DAILY, "2026-11-27 08:00", HOUR, "2026-11-28 08:00", "2026-11-29 08:00");
    STARTS (SLURM_WEEKLY, "2026-11-27 08:00", 2 * DAY, "2026-12-04 08:00", "2026-12-11 08:00");
    STARTS (SLURM_WEEKDAY, "2026-11-26 08:00", HOUR, "2026-11-27 08:00", "2026-11-30 08:00",
            "2026-12-01 08:00");
    STARTS (SLURM_WEEKEND, "2026-11-25 08:00", HOUR, "2026-11-28 08:00", "2026-11-29 08:00",
            "2026-12-05 08:00");
    STARTS (SLURM_WEEKDAY, "2026-11-28 08:00", HOUR, "2026-11-30 08:00");
}

/*  Slurm may take it from Friday's night to Sunday's, or to Monday's. */
static void one_over_midnight_is_held_each_day (void **state)
{
    (void) state;
    zone_is (EUROPE);
    STARTS (SLURM_WEEKDAY, "2026-11-27 22:00", 4 * HOUR, "2026-11-28 22:00", "2026-11-29 22:00");
}

static void the_wall_counts_when_clocks_are_set (void **state)
{
    (void) state;
    zone_is (EUROPE); /* forward on the 29th of March 2026, back on the 25th of October */
    STARTS (SLURM_WEEKLY, "2026-03-24 08:00", HOUR, "2026-03-31 08:00", "2026-04-07 08:00");
    STARTS (SLURM_DAILY, "2026-10-24 08:00", HOUR, "2026-10-25 08:00", "2026-10-26 08:00");
    assert_int_equal (wall ("2026-10-26 08:00") - wall ("2026-10-24 08:00"), 2 * DAY + HOUR);
    zone_is ("UTC0");
    STARTS (SLURM_DAILY, "2026-10-24 08:00", HOUR, "2026-10-25 08:00", "2026-10-26 08:00");
}

/*  What is not told singly is held throughout; a month of hours is. */
static void behind_the_last_time_it_holds_for_ever (void **state)
{
    (void) state;
    int64_t again [2 * TIMES], from_ms = wall ("2026-11-27 08:00");
    slurm_repeat_times (SLURM_HOURLY, from_ms, from_ms + HOUR / 2, again, TIMES);
    assert_int_equal (again [2 * TIMES - 2], from_ms + TIMES * HOUR);
    assert_int_equal (again [2 * TIMES - 1], BATCH_FOREVER_MS);
    assert_true (again [2 * TIMES - 2] > from_ms + 28 * DAY);
    slurm_repeat_times (SLURM_DAILY, from_ms, from_ms + HOUR, again, 1);
    assert_int_equal (again [0], from_ms + DAY);
    assert_int_equal (again [1], BATCH_FOREVER_MS);
}

/*  As slurmctld moves one, at the moment that it has ended. Where the wall shows a time twice, or
 *  never, mktime goes by what it was asked before: about a day of that month. */
static bool slurmctld_moves (slurm_repeat_t repeat, time_t *from, time_t *until, int month)
{
    struct tm tm;
    time_t *both [] = {from, until}, before = *from;
    localtime_r (until, &tm);
    int day = tm.tm_wday;
    int days = repeat == SLURM_WEEKLY    ? 7
               : repeat == SLURM_DAILY   ? 1
               : repeat == SLURM_WEEKDAY ? (day == 5   ? 3
                                            : day == 6 ? 2
                                                       : 1)
               : repeat == SLURM_WEEKEND ? (day == 0   ? 6
                                            : day == 6 ? 1
                                                       : 6 - day)
                                         : 0;
    for (int i = 0; i < 2; i++) {
        struct tm asked = {.tm_year = 126, .tm_mon = month, .tm_mday = 15, .tm_isdst = -1};
        mktime (&asked);
        localtime_r (both [i], &tm);
        tm.tm_mday += days;
        tm.tm_hour += repeat == SLURM_HOURLY;
        tm.tm_isdst = -1;
        *both [i] = mktime (&tm);
    }
    return *from > before;
}

static bool covered (int64_t from_ms, int64_t until_ms, const int64_t *again)
{
    for (size_t i = 0; i < TIMES; i++)
        if (again [2 * i] <= from_ms && again [2 * i + 1] > from_ms)
            from_ms = again [2 * i + 1];
    return from_ms >= until_ms;
}

static void whatever_slurmctld_does_is_covered (void **state)
{
    (void) state;
    static const char *const zones [] = {"UTC0", EUROPE, "EST5EDT,M3.2.0,M11.1.0",
                                         "ACST-9:30ACDT,M10.1.0,M4.1.0/3", "LHST-10:30LHDT-11"};
    static const int64_t lengths [] = {600000, HOUR, 5 * HOUR, DAY, 30 * HOUR};
    int64_t again [2 * TIMES];
    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        prng_t prng;
        prng_seed (&prng, seed);
        zone_is (zones [prng_below (&prng, 5)]);
        slurm_repeat_t repeat = (slurm_repeat_t) (SLURM_HOURLY + prng_below (&prng, 5));
        int64_t from_ms = 1770000000000 + (int64_t) prng_below (&prng, 365 * 96) * HOUR / 4;
        int64_t length_ms = lengths [prng_below (&prng, 5)];
        slurm_repeat_times (repeat, from_ms, from_ms + length_ms, again, TIMES);
        for (int month = 0; month < 12; month += 6) {
            time_t from = from_ms / 1000, until = (from_ms + length_ms) / 1000;
            for (int i = 0; i < 500 && slurmctld_moves (repeat, &from, &until, month); i++)
                if (!covered (from * INT64_C (1000), until * INT64_C (1000), again))
                    fail_msg ("seed %d: time %d of kind %d, %lld to %lld is not held", (int) seed,
                              i, (int) repeat, (long long) from, (long long) until);
        }
        for (size_t i = 0; i < TIMES; i++)
            assert_true (again [2 * i] < again [2 * i + 1] &&
                         (i == 0 || again [2 * i - 2] < again [2 * i]));
    }
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (flags_say_how_it_recurs),
      cmocka_unit_test (each_kind_has_its_days),
      cmocka_unit_test (one_over_midnight_is_held_each_day),
      cmocka_unit_test (the_wall_counts_when_clocks_are_set),
      cmocka_unit_test (behind_the_last_time_it_holds_for_ever),
      cmocka_unit_test (whatever_slurmctld_does_is_covered),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
