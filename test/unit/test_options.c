/*  options - words and options in any order, each value by its kind, refusals that name the option.
 */
#include "options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct {
    bool dry_run;
    const char *policy;
    int64_t need;
    double rate;
    int64_t duration_ms;
    option_time_t from;
    option_time_t between [2];
    bool json;
    const char *words [2];
    size_t words_count;
    char why [WHY_BYTES];
} options_line_t;

static bool parse (options_line_t *line, int argc, const char *const *argv)
{
    *line = (options_line_t){0};
    const cli_option_t own [] = {FLAG_OPTION ("dry-run", &line->dry_run, ""),
                                 TEXT_OPTION ("policy", &line->policy, "P", ""),
                                 INTEGER_OPTION ("need", &line->need, "N", "", 1, 100),
                                 REAL_OPTION ("rate", &line->rate, "R", "", 0.5, 10),
                                 DURATION_OPTION ("for", &line->duration_ms, "D", ""),
                                 TIME_OPTION ("from", &line->from, "T", ""),
                                 SPAN_OPTION ("between", line->between, "T T", ""),
                                 {0}};
    const cli_option_t global [] = {FLAG_OPTION ("json", &line->json, ""), {0}};
    return options_parse (own, global, argc, (char *const *) argv, line->words, 2,
                          &line->words_count, line->why);
}

#define PARSE(line, ...)                                                                           \
    parse (line, (int) (sizeof ((const char *[]){__VA_ARGS__}) / sizeof (char *)),                 \
           (const char *[]){__VA_ARGS__})

static void words_and_options_mix (void **state)
{
    (void) state;
    options_line_t line;
    assert_true (PARSE (&line, "one", "--need", "7", "--json", "two", "--policy=cost"));
    assert_int_equal (line.words_count, 2);
    assert_string_equal (line.words [0], "one");
    assert_string_equal (line.words [1], "two");
    assert_int_equal (line.need, 7);
    assert_true (line.json);
    assert_false (line.dry_run);
    assert_string_equal (line.policy, "cost");
}

static void values_are_read_by_their_kind (void **state)
{
    (void) state;
    options_line_t line;
    assert_true (PARSE (&line, "--for", "90")); /* seconds */
    assert_true (line.duration_ms == 90000);
    assert_true (PARSE (&line, "--rate", "2.5", "--for", "1h30m", "--from", "now+5m", "--between",
                        "2026-12-01T09:00:00Z", "now+1h"));
    assert_true (line.rate == 2.5);
    assert_true (line.duration_ms == 5400000);
    assert_true (line.from.set && line.from.relative && line.from.ms == 300000);
    assert_true (line.between [0].set && !line.between [0].relative);
    assert_true (line.between [1].relative && line.between [1].ms == 3600000);
    assert_true (option_time_wall (line.from, 1000) == 301000);
    assert_true (option_time_wall (line.between [0], 1000) == 1796115600000);
}

static void two_dashes_end_the_options_and_one_is_a_word (void **state)
{
    (void) state;
    options_line_t line;
    assert_true (PARSE (&line, "-", "--", "--json"));
    assert_int_equal (line.words_count, 2);
    assert_string_equal (line.words [0], "-");
    assert_string_equal (line.words [1], "--json");
    assert_false (line.json);
}

static void what_is_wrong_is_named (void **state)
{
    (void) state;
    options_line_t line;
    static const struct {
        const char *argv [3];
        int argc;
        const char *why;
    } cases [] = {
      {{"--colour"}, 1, "--colour is not an option"},
      {{"-n"}, 1, "-n is not an option"},
      {{"--need"}, 1, "--need needs a value: N"},
      {{"--between", "now"}, 2, "--between needs a value: T T"},
      {{"--between=now"}, 1, "--between needs a value: T T"},
      {{"--dry-run=yes"}, 1, "--dry-run takes no value"},
      {{"--need", "0"}, 2, "--need: \"0\" is not a whole number from 1 to 100"},
      {{"--need", "101"}, 2, "--need: \"101\""},
      {{"--need", "7x"}, 2, "--need: \"7x\""},
      {{"--need", ""}, 2, "--need: \"\""},
      {{"--need", "99999999999999999999"}, 2, "--need: "},
      {{"--rate", "nan"}, 2, "--rate: \"nan\""},
      {{"--rate", "0.1"}, 2, "--rate: \"0.1\" is not a number from 0.5 to 10"},
      {{"--for", "long"}, 2, "--for: \"long\" is not a duration"},
      {{"--for", "90x"}, 2, "--for: \"90x\" is not a duration"},
      {{"--for", ""}, 2, "--for: \"\" is not a duration"},
      {{"--from", "later"}, 2, "--from: \"later\" is not a time"},
      {{"a", "b", "c"}, 3, "\"c\" is one argument too many"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases [0]; i++) {
        assert_false (parse (&line, cases [i].argc, cases [i].argv));
        if (!strstr (line.why, cases [i].why))
            fail_msg ("\"%s\" is not in \"%s\"", cases [i].why, line.why);
    }
}

static void the_first_word_is_found_behind_values (void **state)
{
    (void) state;
    static const cli_option_t list [] = {{.name = "gis", .kind = OPTION_TEXT}, {0}};
    char *const behind [] = {"--gis", "tcp://here", "--json", "sites", "x"};
    char *const attached [] = {"--gis=tcp://here", "sites"};
    assert_int_equal (options_first_word (list, 5, behind), 3);
    assert_int_equal (options_first_word (list, 2, attached), 1);
    assert_int_equal (options_first_word (list, 2, behind), -1);
    assert_int_equal (options_first_word (list, 0, behind), -1);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (words_and_options_mix),
      cmocka_unit_test (values_are_read_by_their_kind),
      cmocka_unit_test (two_dashes_end_the_options_and_one_is_a_word),
      cmocka_unit_test (what_is_wrong_is_named),
      cmocka_unit_test (the_first_word_is_found_behind_values),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
