/*  services - every method of the contract is found, by its name among a kind's or by its full
 *  name. */
#include "services.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void count_it (void *owner, const method_t *method)
{
    (void) method;
    ++*(size_t *) owner;
}

static void found_by_full_name (void *owner, const method_t *method)
{
    char name [128];
    char why [SERVICES_WHY_BYTES];
    method_t found;
    (void) owner;
    snprintf (name, sizeof name, "%s.%s", method->service, method->method);
    assert_true (services_find ("", name, &found, why));
    assert_ptr_equal (found.asked, method->asked);
    assert_ptr_equal (found.answered, method->answered);
}

typedef struct {
    const char *name;
    size_t count;
} namesakes_t;

static void count_namesake (void *owner, const method_t *method)
{
    namesakes_t *self = owner;
    self->count += strcmp (method->method, self->name) == 0;
}

static void found_by_short_name (void *owner, const method_t *method)
{
    char why [SERVICES_WHY_BYTES];
    method_t found;
    namesakes_t namesakes = {.name = method->method};
    services_visit (owner, count_namesake, &namesakes);
    if (namesakes.count > 1) {
        assert_false (services_find (owner, method->method, &found, why));
        assert_non_null (strstr (why, "more than one"));
        return;
    }
    if (!services_find (owner, method->method, &found, why))
        fail_msg ("%s", why);
    assert_string_equal (found.service, method->service);
}

static void every_method_is_found_by_its_full_name (void **state)
{
    (void) state;
    size_t count = 0;
    services_visit ("", count_it, &count);
    assert_true (count > 25);
    services_visit ("", found_by_full_name, NULL);
}

static void within_a_kind_the_short_name_is_enough_where_it_is_the_only_one (void **state)
{
    (void) state;
    char *const kinds [] = {"gis", "lis", "planner"};
    for (size_t k = 0; k < 3; k++) {
        size_t count = 0;
        services_visit (kinds [k], count_it, &count);
        assert_true (count > 5);
        services_visit (kinds [k], found_by_short_name, kinds [k]);
    }
}

static void what_there_is_not_is_told_with_what_there_is (void **state)
{
    (void) state;
    char why [SERVICES_WHY_BYTES] = "";
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
