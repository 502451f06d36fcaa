/*  test_log - each call logs one whole line, harmless whatever its text contains. */
#include "log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static int kept_stderr;
static FILE *caught;

static int catch_stderr (void **state)
{
    (void) state;
    caught = tmpfile ();
    kept_stderr = dup (STDERR_FILENO);
    return caught && dup2 (fileno (caught), STDERR_FILENO) >= 0 ? 0 : -1;
}

static int release_stderr (void **state)
{
    (void) state;
    dup2 (kept_stderr, STDERR_FILENO);
    close (kept_stderr);
    fclose (caught);
    return 0;
}

/*  Everything logged, as one text; the lines' times are cut off when they look like times. */
static const char *logged (void)
{
    static char text [32768];
    size_t used = 0;
    char line [8192];
    rewind (caught);
    text [0] = '\0';
    while (fgets (line, sizeof line, caught)) {
        int year, month, day, hour, minute, second, thousandth, size = 0;
        assert_int_equal (sscanf (line, "%4d-%2d-%2dT%2d:%2d:%2d.%3dZ%n", &year, &month, &day,
                                  &hour, &minute, &second, &thousandth, &size),
                          7);
        assert_int_equal (size, 24);
        assert_true (year >= 2020 && month <= 12 && day <= 31 && second <= 60);
        used += (size_t) snprintf (text + used, sizeof text - used, "%s", line + size);
    }
    return text;
}

static void a_line_has_time_level_name_and_words (void **state)
{
    (void) state;
    log_open ("lis/ams", LEVEL_DEBUG);
    log_line (LEVEL_INFO, "hold %s held->committed cpus=%d", "7f3a-1-9", 64);
    log_line (LEVEL_DEBUG, "d");
    log_line (LEVEL_WARNING, "w");
    log_line (LEVEL_ALARM, "a");
    assert_string_equal (logged (), " info lis/ams hold 7f3a-1-9 held->committed cpus=64\n"
                                    " debug lis/ams d\n"
                                    " warning lis/ams w\n"
                                    " alarm lis/ams a\n");
}

static void levels_below_the_threshold_are_silent (void **state)
{
    (void) state;
    log_open ("x", LEVEL_WARNING);
    log_line (LEVEL_DEBUG, "no");
    log_line (LEVEL_INFO, "no");
    log_line (LEVEL_WARNING, "yes");
    assert_string_equal (logged (), " warning x yes\n");
}

static void nothing_in_a_line_can_forge_another (void **state)
{
    (void) state;
    log_open ("x", LEVEL_INFO);
    log_line (LEVEL_INFO, "%s", "a\n2026-12-01T09:00:00.000Z alarm x forged\r\x1b[2J\x7f");
    assert_string_equal (logged (), " info x a?2026-12-01T09:00:00.000Z alarm x forged??[2J?\n");
}

static void a_long_line_is_cut_and_still_a_line (void **state)
{
    (void) state;
    char text [5000];
    memset (text, 'y', sizeof text - 1);
    text [sizeof text - 1] = '\0';
    log_open ("x", LEVEL_INFO);
    log_line (LEVEL_INFO, "%s", text);
    log_line (LEVEL_INFO, "next");
    const char *all = logged ();
    size_t first = strcspn (all, "\n");
    assert_true (first > 1500 && first < sizeof text);
    assert_string_equal (all + first, "\n info x next\n");
}

static void held_lines_leave_together_and_before_a_warning (void **state)
{
    (void) state;
    log_open ("x", LEVEL_INFO);
    log_hold ();
    log_line (LEVEL_INFO, "one");
    assert_string_equal (logged (), "");
    log_line (LEVEL_WARNING, "two");
    assert_string_equal (logged (), " info x one\n warning x two\n");
    log_line (LEVEL_INFO, "three");
    log_release ();
    log_line (LEVEL_INFO, "four");
    assert_string_equal (logged (), " info x one\n warning x two\n info x three\n info x four\n");
}

static void more_than_can_be_held_is_whole (void **state)
{
    (void) state;
    enum { LINES = 100 };
    char text [100] = "";
    memset (text, 'y', sizeof text - 1);
    log_open ("x", LEVEL_INFO);
    log_hold ();
    for (int i = 0; i < LINES; i++)
        log_line (LEVEL_INFO, "%d %s%s", i, text, text);
    log_release ();
    const char *at = logged ();
    for (int i = 0; i < LINES && at; i++) {
        char expected [256];
        snprintf (expected, sizeof expected, " info x %d %s%s\n", i, text, text);
        assert_memory_equal (at, expected, strlen (expected));
        at += strlen (expected);
    }
    assert_string_equal (at, "");
}

#define LOG_TEST(name) cmocka_unit_test_setup_teardown (name, catch_stderr, release_stderr)

int main (void)
{
    const struct CMUnitTest tests [] = {
      LOG_TEST (a_line_has_time_level_name_and_words),
      LOG_TEST (levels_below_the_threshold_are_silent),
      LOG_TEST (nothing_in_a_line_can_forge_another),
      LOG_TEST (a_long_line_is_cut_and_still_a_line),
      LOG_TEST (held_lines_leave_together_and_before_a_warning),
      LOG_TEST (more_than_can_be_held_is_whole),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
