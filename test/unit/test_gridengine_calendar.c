/*  test_gridengine_calendar - calendars that qconf -scal of Grid Engine 8.1.9 has shown are closed
 *  when their manual says so, also where clocks are put forward or back; and beside a model that
 *  looks at the wall each ten minutes.
 */
#include "gridengine_calendar.h"

#include "batch_picture.h"
#include "must.h"
#include "prng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define DAY_MS INT64_C (86400000)
#define EUROPE "CET-1CEST,M3.5.0,M10.5.0/3"
#define TIMES  64
#define DRAWS  200

static void zone_is (const char *zone)
{
    assert_int_equal (setenv ("TZ", zone, 1), 0);
    tzset ();
}

/*  "2026-12-04 06:00" on the wall. */
static int64_t wall (const char *text)
{
    struct tm tm = {.tm_isdst = -1};
    assert_non_null (strptime (text, "%Y-%m-%d %H:%M", &tm));
    return (int64_t) mktime (&tm) * 1000;
}

static size_t times_of (const char *year, const char *week, int64_t now_ms, size_t most,
                        int64_t *times_ms)
{
    char why [WHY_BYTES] = "";
    grid_calendar_t calendar;
    text_auto_t *by_year = must (strdup (year)), *by_week = must (strdup (week));
    assert_true (grid_calendar_read (by_year, by_week, &calendar, why));
    size_t count = grid_calendar_times (&calendar, now_ms, times_ms, most);
    grid_calendar_clear (&calendar);
    return count;
}

/*  Its first times after now are these, each two words: from, until. */
static void closed (const char *year, const char *week, const char *now, const char *const *wanted)
{
    int64_t times [2 * TIMES];
    size_t count = times_of (year, week, wall (now), TIMES, times), i = 0;
    for (; wanted [i]; i++) {
        assert_true (i / 2 < count);
        assert_int_equal (times [i], wall (wanted [i]));
    }
    assert_true (i > 0 || count == 0);
}

#define CLOSED(year, week, now, ...)                                                               \
    closed (year, week, now, (const char *const []){__VA_ARGS__, NULL})

#define HOLIDAYS                                                                                   \
    "1.1.1999,6.1.1999,28.3.1999,30.3.1999-31.3.1999,18.5.1999-19.5.1999,3.10.1999,25.12.1999,"    \
    "26.12.1999"

/*  The examples of the manual. The 4th of January 1999 is a Monday, the 6th a holiday. */
static void examples_of_the_manual (void **unused)
{
    (void) unused;
    zone_is ("UTC0");
    CLOSED (HOLIDAYS "=on", "mon-fri=6-20", "1999-01-04 07:00", "1999-01-04 06:00",
            "1999-01-04 20:00", "1999-01-05 06:00", "1999-01-05 20:00", "1999-01-07 06:00",
            "1999-01-07 20:00", "1999-01-08 06:00", "1999-01-08 20:00", "1999-01-11 06:00",
            "1999-01-11 20:00");
    CLOSED (HOLIDAYS, "mon-fri=20-6 sat-sun", "1999-01-04 07:00", "1999-01-04 20:00",
            "1999-01-05 06:00", "1999-01-05 20:00", "1999-01-07 06:00", "1999-01-07 20:00",
            "1999-01-08 06:00", "1999-01-08 20:00", "1999-01-11 06:00");
    CLOSED (HOLIDAYS "=suspended", "mon-fri=20-6=suspended sat-sun=suspended", "1999-01-05 07:00",
            "1999-01-05 20:00", "1999-01-07 06:00");
    CLOSED ("NONE", "sat-sun=suspended", "1999-01-04 07:00", "1999-01-09 00:00", "1999-01-11 00:00",
            "1999-01-16 00:00", "1999-01-18 00:00");
    CLOSED ("NONE", "12-18 tue=13-17=on", "1999-01-04 07:00", "1999-01-04 12:00",
            "1999-01-04 18:00", "1999-01-05 12:00", "1999-01-05 13:00", "1999-01-05 17:00",
            "1999-01-05 18:00", "1999-01-06 12:00", "1999-01-06 18:00");
    CLOSED ("12.03.2004=12-11=off", "NONE", "2004-03-01 00:00", "2004-03-12 00:00",
            "2004-03-12 11:00", "2004-03-12 12:00", "2004-03-13 00:00");
}

static void other_words_that_it_takes (void **unused)
{
    (void) unused;
    zone_is ("UTC0"); /* the 23rd of December 2027 is a Thursday */
    CLOSED ("24.dec.2027-2.January.2028=OFF", "none", "2027-12-23 00:00", "2027-12-24 00:00",
            "2028-01-03 00:00");
    CLOSED ("NONE", "Mon,Wed-Thu=ON 0-24", "2027-12-23 00:00", "2027-12-24 00:00",
            "2027-12-27 00:00", "2027-12-28 00:00", "2027-12-29 00:00");
    CLOSED ("NONE", "fri-monday=susp", "2027-12-23 00:00", "2027-12-24 00:00", "2027-12-28 00:00");
    CLOSED ("NONE", "sat-sun=suspended mon=3:00-4:00,5-6=off", "2027-12-23 00:00",
            "2027-12-25 00:00", "2027-12-27 00:00", "2027-12-27 03:00", "2027-12-27 04:00",
            "2027-12-27 05:00", "2027-12-27 06:00");
    CLOSED ("NONE", "NONE", "2027-12-23 00:00", NULL);
    CLOSED ("31.2.2027=off", "NONE", "2027-01-01 00:00", NULL);
    CLOSED ("1.1.1999=off", "NONE", "2027-01-01 00:00", NULL);
    int64_t times [4];
    assert_int_equal (
      times_of ("NONE", "mon-fri=off   mon-fri=on", wall ("2027-12-23 00:00"), 2, times), 1);
    assert_true (times [0] > wall ("2032-12-20 00:00")); /* five years are open */
    assert_int_equal (
      times_of ("NONE", "mon=23:59:59-0:0:1=off", wall ("2027-12-27 12:00"), 2, times), 2);
    assert_int_equal (times [0], wall ("2027-12-28 00:00") - 1000);
    assert_int_equal (times [1], wall ("2027-12-28 00:00"));
    assert_int_equal (times [2], wall ("2028-01-03 00:00"));
}

/*  As qmaster takes it: of that day the week says all that the year does not. */
static void a_year_goes_before_the_week_at_its_times (void **unused)
{
    (void) unused;
    zone_is ("UTC0");
    CLOSED ("28.12.2027=8-10=on 29.12.2027=on", "tue-wed=off", "2027-12-27 00:00",
            "2027-12-28 00:00", "2027-12-28 08:00", "2027-12-28 10:00", "2027-12-29 00:00",
            "2028-01-04 00:00", "2028-01-06 00:00");
}

static void what_has_no_end_is_held_without_one (void **unused)
{
    (void) unused;
    zone_is ("UTC0");
    int64_t times [2 * TIMES], now_ms = wall ("2027-12-27 12:00");
    assert_int_equal (times_of ("NONE", "suspended", now_ms, TIMES, times), 1);
    assert_int_equal (times [0], wall ("2027-12-27 00:00"));
    assert_int_equal (times [1], BATCH_FOREVER_MS);
    assert_int_equal (times_of ("NONE", "mon=off", now_ms, 3, times), 3); /* no room for more */
    assert_int_equal (times [4], wall ("2028-01-10 00:00"));
    assert_int_equal (times [5], BATCH_FOREVER_MS);
    int64_t many [2 * BATCH_TIMES_MAX];
    size_t count = times_of ("NONE", "mon=off", now_ms, BATCH_TIMES_MAX, many);
    assert_int_equal (count, 263); /* Mondays in five years, and what is beyond them */
    assert_true (many [2 * count - 2] > now_ms + 1829 * DAY_MS);
    assert_int_equal (many [2 * count - 1], BATCH_FOREVER_MS);
    assert_int_equal (times_of ("1.1.2037=off", "NONE", now_ms, TIMES, times), 1);
    assert_int_equal (times [1], BATCH_FOREVER_MS);
}

static void what_cannot_be_read_is_told (void **unused)
{
    (void) unused;
    static const char *const odd [][3] = {
      {"jan=off", "NONE", "year jan=off"},
      {"2.1.2028-24.12.2027", "NONE", "year 2.1.2028-24.12.2027"},
      {"1.1.2027=5-5=off", "NONE", "year 1.1.2027=5-5=off"},
      {"1.1.2027=12-24:30", "NONE", "year 1.1.2027=12-24:30"},
      {"1.1.2027=off 1.1=off", "NONE", "year 1.1=off"},
      {"NONE", "mo=off", "week mo=off"},
      {"NONE", "mon=of", "week mon=of"},
      {"NONE", "on=1-2", "week on=1-2"},
      {"NONE", "mon=1-2=3-4", "week mon=1-2=3-4"},
      {"NONE", "mon==off", "week mon==off"},
      {"NONE", "mon=1-2-3", "week mon=1-2-3"},
      {"NONE", "mon=1:60-3", "week mon=1:60-3"},
      {"NONE", "mon-=off", "week mon-=off"},
      {"NONE", "biweekly(mon)", "week biweekly(mon)"}};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        char why [WHY_BYTES] = "";
        grid_calendar_t calendar;
        text_auto_t *year = must (strdup (odd [i][0])), *week = must (strdup (odd [i][1]));
        assert_false (grid_calendar_read (year, week, &calendar, why));
        assert_string_equal (why, odd [i][2]);
        grid_calendar_clear (&calendar);
    }
}

/*  --- beside a model --- */

typedef struct {
    int days [2]; /* first and last of the week */
    int hours [2];
    int state; /* 0 = off, 1 = suspended, 2 = on */
} drawn_t;

static bool within (const int *range, int at, bool ends)
{
    bool turned = range [0] > range [1];
    bool behind = at >= range [0], before = ends ? at < range [1] : at <= range [1];
    return turned ? behind || before : behind && before;
}

static bool model_closed (const drawn_t *drawn, size_t count, int64_t ms)
{
    struct tm shown;
    int most = -1;
    time_t s = (time_t) (ms / 1000);
    localtime_r (&s, &shown);
    for (size_t i = 0; i < count; i++) {
        bool is = within (drawn [i].days, shown.tm_wday, false) &&
                  within (drawn [i].hours, shown.tm_hour, true);
        most = is && drawn [i].state > most ? drawn [i].state : most;
    }
    return most == 0 || most == 1;
}

/*  Two weeks round a change of clocks, forward and back. */
static void a_drawn_week_is_closed_as_its_model (void **unused)
{
    (void) unused;
    static const char *const names [] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};
    static const char *const states [] = {"off", "suspended", "on"};
    zone_is (EUROPE);
    for (uint64_t seed = 1; seed <= DRAWS; seed++) {
        prng_t prng;
        drawn_t drawn [4];
        char week [256] = "";
        int64_t times [2 * BATCH_TIMES_MAX];
        prng_seed (&prng, seed);
        size_t count = 1 + prng_below (&prng, 4);
        for (size_t i = 0; i < count; i++) {
            drawn_t *one = &drawn [i];
            *one =
              (drawn_t){{(int) prng_below (&prng, 7), 0}, {(int) prng_below (&prng, 24), 0}, 0};
            one->days [1] = (one->days [0] + 1 + (int) prng_below (&prng, 6)) % 7;
            one->hours [1] = (one->hours [0] + 1 + (int) prng_below (&prng, 22)) % 24;
            one->state = (int) prng_below (&prng, 3);
            snprintf (week + strlen (week), sizeof week - strlen (week), "%s%s-%s=%d-%d=%s",
                      i ? " " : "", names [one->days [0]], names [one->days [1]], one->hours [0],
                      one->hours [1], states [one->state]);
        }
        int64_t from_ms = wall (seed % 2 ? "2027-03-22 00:00" : "2027-10-25 00:00"), at_ms;
        size_t told = times_of ("NONE", week, from_ms, BATCH_TIMES_MAX, times), time = 0;
        for (at_ms = from_ms; at_ms < from_ms + 14 * DAY_MS; at_ms += 600000) {
            while (time < told && times [2 * time + 1] <= at_ms)
                time++;
            bool is = time < told && times [2 * time] <= at_ms;
            if (is != model_closed (drawn, count, at_ms))
                fail_msg ("seed %llu: %s at %lld", (unsigned long long) seed, week,
                          (long long) at_ms);
        }
    }
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (examples_of_the_manual),
      cmocka_unit_test (other_words_that_it_takes),
      cmocka_unit_test (a_year_goes_before_the_week_at_its_times),
      cmocka_unit_test (what_has_no_end_is_held_without_one),
      cmocka_unit_test (what_cannot_be_read_is_told),
      cmocka_unit_test (a_drawn_week_is_closed_as_its_model),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
