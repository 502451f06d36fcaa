/*  coalition_form - how users see a balancer's answer, and the drawing of past coalitions. */
#include "coalition_chart.h"
#include "coalition_form.h"
#include "services.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static json_t *parse (const char *text)
{
    json_error_t error;
    json_t *json = json_loads (text, 0, &error);
    if (!json)
        fail_msg ("%s: %s", text, error.text);
    return json;
}

static const char status_text [] =
  "{\"name\": \"balancer/green\", \"coalition\": 3, \"step\": 17, \"formed_ms\": 1796115600000,"
  " \"next_step_ms\": 1796115770000, \"members\": [{\"site\": \"lis/ams\", \"automatic\": true,"
  " \"level_s\": 90.0, \"cpus\": 2.0, \"load_s\": 12.0, \"drain_s\": \"Infinity\", \"away\": 5,"
  " \"given_s\": 0.5, \"taken_s\": 5000.0, \"score\": 1.0426},"
  " {\"site\": \"lis/osa\", \"level_s\": 1800.0, \"cpus\": 8.0, \"drain_s\": 3.0, \"guests\": 5,"
  " \"aside\": \"it has done 3 of 40 CPU seconds\"}],"
  " \"guarantees\": [{\"home\": \"lis/ams\", \"bag\": 7, \"load_s\": 61.2,"
  " \"submitted_ms\": 1796115601000, \"promised_ms\": 1796115900000},"
  " {\"home\": \"lis/osa\", \"bag\": 7, \"load_s\": 10.0, \"submitted_ms\": 1796115602000,"
  " \"promised_ms\": 1796115700000, \"broken\": \"reservations\"}]}";

static char *print (void (*write) (const json_t *form, FILE *to), const json_t *form)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream (&text, &size);
    write (form, file);
    fclose (file);
    char *copy = strdup (text);
    assert_non_null (copy);
    free (text);
    return copy;
}

static const char *text_at (const json_t *form, const char *list, size_t at, const char *key)
{
    const json_t *one = json_array_get (json_object_get (form, list), at);
    return json_string_value (json_object_get (one, key));
}

static void a_status_has_short_names_and_times_in_words (void **state)
{
    (void) state;
    json_t *status = parse (status_text);
    json_t *form = coalition_form (status, NULL);
    assert_string_equal (json_string_value (json_object_get (form, "balancer")), "green");
    assert_string_equal (json_string_value (json_object_get (form, "formed")),
                         "2026-12-01T09:00:00Z");
    assert_string_equal (text_at (form, "members", 0, "site"), "ams");
    assert_string_equal (text_at (form, "members", 0, "drain_s"), "inf");
    assert_null (text_at (form, "members", 0, "aside"));
    assert_string_equal (text_at (form, "members", 1, "aside"), "it has done 3 of 40 CPU seconds");
    assert_string_equal (text_at (form, "guarantees", 0, "bag"), "ams/7");
    assert_string_equal (text_at (form, "guarantees", 0, "promised"), "2026-12-01T09:05:00Z");
    assert_string_equal (text_at (form, "guarantees", 1, "broken"), "reservations");
    json_decref (form);
    json_decref (status);
}

/*  A bag with the same number at another site is another bag. */
static void an_owner_is_told_what_is_promised_of_own_bags (void **state)
{
    (void) state;
    json_t *status = parse (status_text);
    json_t *own = parse ("{\"osa/7\": true, \"ams/8\": true}");
    json_t *form = coalition_form (status, own);
    assert_int_equal (json_array_size (json_object_get (form, "guarantees")), 1);
    assert_string_equal (text_at (form, "guarantees", 0, "bag"), "osa/7");
    json_decref (form);
    json_decref (own);
    json_decref (status);
}

/*  The answer of a balancer that has just begun, encoded and decoded by the contract's codec. */
static void nothing_told_is_a_status_too (void **state)
{
    (void) state;
    method_t method = services_method ("Balancer", "Status");
    json_t *status = services_answer (&method, (bytes_t){(const uint8_t *) "", 0});
    assert_non_null (status);
    json_t *form = coalition_form (status, NULL);
    assert_int_equal (json_array_size (json_object_get (form, "members")), 0);
    assert_null (json_object_get (form, "formed"));
    char *text = print (coalition_form_print, form);
    assert_non_null (
      strstr (text, "has no coalition yet; the next one is formed as soon as sites"));
    free (text);
    json_object_set_new (form, "next_step", json_string ("2026-12-01T09:00:00Z"));
    text = print (coalition_form_print, form);
    assert_non_null (
      strstr (text, "the next one is formed at 2026-12-01T09:00:00Z, from the sites"));
    free (text);
    json_decref (form);
    json_decref (status);
}

static void people_read_it_as_tables (void **state)
{
    (void) state;
    json_t *status = parse (status_text);
    json_t *form = coalition_form (status, NULL);
    char *text = print (coalition_form_print, form);
    assert_non_null (strstr (text, "green: coalition 3 since 2026-12-01T09:00:00Z, step 17"));
    assert_non_null (strstr (text, "auto 1m30s"));
    assert_non_null (strstr (text, "1h23m"));
    assert_non_null (strstr (text, "1.043"));
    assert_non_null (strstr (text, "it has done 3 of 40 CPU seconds"));
    assert_non_null (strstr (text, "ams/7  1m1s"));
    free (text);
    json_decref (form);
    json_decref (status);
}

static void seconds_are_rounded_for_people (void **state)
{
    (void) state;
    static const struct {
        double seconds;
        const char *text;
    } rows [] = {{0, "0s"},          {0.25, "0.25s"},  {59.96, "60s"},  {60.4, "1m"},
                 {3599, "59m59s"},   {3629, "1h"},     {5000, "1h23m"}, {90000, "1d1h"},
                 {1e9, "1.16e+04d"}, {INFINITY, "inf"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text [SECONDS_TEXT_BYTES];
        assert_string_equal (seconds_text (rows [i].seconds, text), rows [i].text);
    }
}

/*  --- history --- */

/*  ams takes 100 CPU seconds and osa gives them, then the other way round half as many. */
static json_t *history (void)
{
    static const char *const records [] = {
      "{\"coalition\": 4, \"formed_ms\": 1796115600000, \"ended_ms\": 1796119200000, \"steps\": 9,"
      " \"members\": [{\"site\": \"lis/ams\", \"level_s\": 60.0, \"taken_s\": 100.0, \"jobs\": 3,"
      " \"flow_s\": 90.0, \"flow_alone_s\": 100.0, \"score\": 1.5},"
      " {\"site\": \"lis/osa\", \"level_s\": 60.0, \"given_s\": 100.0}]}",
      "{\"coalition\": 5, \"formed_ms\": 1796119200000, \"ended_ms\": 1796122800000, \"steps\": 9,"
      " \"members\": [{\"site\": \"lis/ams\", \"level_s\": 60.0, \"given_s\": 50.0,"
      " \"score\": 1.25}, {\"site\": \"lis/osa\", \"level_s\": 60.0, \"taken_s\": 50.0,"
      " \"score\": 1.0}]}"};
    json_t *forms = json_array ();
    for (size_t i = 0; i < 2; i++) {
        json_t *record = parse (records [i]);
        json_array_append_new (forms, coalition_form_record (record));
        json_decref (record);
    }
    return json_pack ("{s:s, s:o}", "balancer", "green", "coalitions", forms);
}

static void print_narrow (const json_t *form, FILE *to)
{
    coalition_chart_print (form, 80, to);
}

static size_t times (const char *text, const char *what)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr (at, what)); at += strlen (what))
        count++;
    return count;
}

static void what_was_given_and_taken_is_drawn_to_one_scale (void **state)
{
    (void) state;
    json_t *form = history ();
    char *text = print (print_narrow, form);
    /* 12 columns for 100 s, 6 for 50 s, on either side. */
    assert_int_equal (times (text, "▒"), 12 + 6);
    assert_int_equal (times (text, "█"), 12 + 6);
    assert_non_null (strstr (text, "▒▒▒▒▒▒▒▒▒▒▒▒│ "));
    assert_non_null (strstr (text, "│██████      "));
    assert_non_null (strstr (text, "2026-12-01T10:00:00Z"));
    free (text);
    json_decref (form);
}

/*  Scores from 1 to 1.5: 1.25 stands in the middle row of nine. */
static void scores_stand_at_their_heights (void **state)
{
    (void) state;
    json_t *form = history ();
    char *text = print (print_narrow, form);
    assert_non_null (strstr (text, "  1.500 │  A   \n"));
    assert_non_null (strstr (text, "  1.000 │-----B\n"));
    assert_int_equal (times (text, "        │     A\n"), 1);
    const char *top = strstr (text, "1.500 │");
    size_t rows = 0;
    for (const char *at = top; at < strstr (text, "│     A\n"); at++)
        rows += *at == '\n';
    assert_int_equal (rows, 4);
    assert_non_null (strstr (text, "A ams  B osa"));
    free (text);
    json_decref (form);
}

static void the_picture_has_a_bar_for_each_and_a_line_for_each_owner (void **state)
{
    (void) state;
    json_t *form = history ();
    char *text = print (coalition_chart_svg, form);
    assert_int_equal (times (text, "<title>ams took 1m40s</title>"), 1);
    assert_int_equal (times (text, "<title>osa gave 1m40s</title>"), 1);
    assert_int_equal (times (text, "<title>ams gave 50s</title>"), 1);
    assert_int_equal (times (text, "height=\"100.0\""), 2);
    assert_int_equal (times (text, "height=\"50.0\""), 2);
    assert_int_equal (times (text, "<path"), 2);
    assert_non_null (strstr (text, "</svg>"));
    assert_null (strstr (text, "nan"));
    free (text);
    json_decref (form);
}

static void no_history_is_told_and_drawn (void **state)
{
    (void) state;
    json_t *form = parse ("{\"balancer\": \"gr<een\", \"coalitions\": []}");
    char *text = print (print_narrow, form);
    assert_non_null (strstr (text, "no coalition has ended yet"));
    free (text);
    text = print (coalition_chart_svg, form);
    assert_non_null (strstr (text, "gr&lt;een"));
    assert_null (strstr (text, "<rect x="));
    free (text);
    json_decref (form);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_status_has_short_names_and_times_in_words),
      cmocka_unit_test (an_owner_is_told_what_is_promised_of_own_bags),
      cmocka_unit_test (nothing_told_is_a_status_too),
      cmocka_unit_test (people_read_it_as_tables),
      cmocka_unit_test (seconds_are_rounded_for_people),
      cmocka_unit_test (what_was_given_and_taken_is_drawn_to_one_scale),
      cmocka_unit_test (scores_stand_at_their_heights),
      cmocka_unit_test (the_picture_has_a_bar_for_each_and_a_line_for_each_owner),
      cmocka_unit_test (no_history_is_told_and_drawn),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
