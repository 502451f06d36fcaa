/*  services - every method of the contract is found, by its name among a kind's or by its full
 *  name. */
#include "services.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static size_t count_all (const char *kind)
{
    method_t method;
    size_t count = 0;
    while (services_at (kind, count, &method))
        count++;
    return count;
}

static void found_by_full_name (const method_t *method)
{
    char name [128];
    char why [LONG_WHY_BYTES];
    method_t found;
    snprintf (name, sizeof name, "%s.%s", method->service, method->method);
    assert_true (services_find ("", name, &found, why));
    assert_ptr_equal (found.asked, method->asked);
    assert_ptr_equal (found.answered, method->answered);
}

static void found_by_short_name (const char *kind, const method_t *method)
{
    char why [LONG_WHY_BYTES];
    method_t found;
    size_t namesakes = 0;
    for (size_t i = 0; services_at (kind, i, &found); i++)
        namesakes += strcmp (method->method, found.method) == 0;
    if (namesakes > 1) {
        assert_false (services_find (kind, method->method, &found, why));
        assert_non_null (strstr (why, "more than one"));
        return;
    }
    if (!services_find (kind, method->method, &found, why))
        fail_msg ("%s", why);
    assert_string_equal (found.service, method->service);
}

static void every_method_is_found_by_its_full_name (void **state)
{
    (void) state;
    method_t method;
    assert_true (count_all ("") > 25);
    for (size_t i = 0; services_at ("", i, &method); i++)
        found_by_full_name (&method);
}

static void within_a_kind_the_short_name_is_enough_where_it_is_the_only_one (void **state)
{
    (void) state;
    static const char *const kinds [] = {"gis", "lis", "planner"};
    method_t method;
    for (size_t k = 0; k < 3; k++) {
        assert_true (count_all (kinds [k]) > 5);
        for (size_t i = 0; services_at (kinds [k], i, &method); i++)
            found_by_short_name (kinds [k], &method);
    }
}

static void what_there_is_not_is_told_with_what_there_is (void **state)
{
    (void) state;
    char why [LONG_WHY_BYTES] = "";
    method_t found;
    assert_false (services_find ("planner", "Frobnicate", &found, why));
    assert_non_null (strstr (why, "Frobnicate: no such method; there are: Planner.Reserve"));
    assert_false (services_find ("lis", "Snapshot", &found, why));
    assert_false (services_find ("lis", "Lis.", &found, why));
    assert_false (services_find ("lis", ".Free", &found, why));
    assert_false (services_find ("", "Show", &found, why));
    assert_non_null (strstr (why, "more than one"));
    assert_false (services_find ("planner", "Free", &found, why));
}

static void an_answer_that_is_none_is_not_taken (void **state)
{
    (void) state;
    static const uint8_t broken [] = {0x0a, 0xff};
    method_t status = services_method ("Service", "Status");
    assert_null (services_answer (&status, (bytes_t){broken, sizeof broken}));
    json_t *empty = services_answer (&status, (bytes_t){NULL, 0});
    assert_non_null (empty);
    json_decref (empty);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (every_method_is_found_by_its_full_name),
      cmocka_unit_test (within_a_kind_the_short_name_is_enough_where_it_is_the_only_one),
      cmocka_unit_test (what_there_is_not_is_told_with_what_there_is),
      cmocka_unit_test (an_answer_that_is_none_is_not_taken),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
