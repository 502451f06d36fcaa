/*  test_file_name - which names a file may have. */
#include "transaction.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void names_that_print_are_taken (void **state)
{
    (void) state;
    static const char *const good [] = {
      "a",   "era5/2020.nc", "with blank and $(sh) 'quotes' \"too\"",
      "…/…", "結び/データ",  "..a/b..",
      "...", "-rf",          "a=b%2F"};
    char why [WHY_BYTES];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!file_name_check (good [i], why))
            fail_msg ("%s: %s", good [i], why);
}

static void what_is_no_name_is_refused_in_words (void **state)
{
    (void) state;
    static const struct {
        const char *name;
        const char *why;
    } bad [] = {
      {"", "missing"},        {"/a", "empty"},     {"a//b", "empty"},     {"a/", "empty"},
      {".", "no part"},       {"..", "no part"},   {"../etc", "no part"}, {"a/./b", "no part"},
      {"a/..", "no part"},    {"a\nb", "control"}, {"a\x7f", "control"},  {"\xc2\x85", "control"},
      {"\x1b[2J", "control"},
    };
    char why [WHY_BYTES];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (file_name_check (bad [i].name, why))
            fail_msg ("%zu was taken", i);
        assert_non_null (strstr (why, bad [i].why));
    }
}

static void a_name_has_at_most_255_bytes (void **state)
{
    (void) state;
    char name [FILE_NAME_BYTES_MAX + 2];
    char why [WHY_BYTES];
    memset (name, 'x', sizeof name);
    name [FILE_NAME_BYTES_MAX] = '\0';
    assert_true (file_name_check (name, why));
    name [FILE_NAME_BYTES_MAX] = 'x';
    name [FILE_NAME_BYTES_MAX + 1] = '\0';
    assert_false (file_name_check (name, why));
    assert_non_null (strstr (why, "255"));
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (names_that_print_are_taken),
      cmocka_unit_test (what_is_no_name_is_refused_in_words),
      cmocka_unit_test (a_name_has_at_most_255_bytes),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
