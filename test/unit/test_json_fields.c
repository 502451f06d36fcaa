/*  fields: forms made by tables of fields, and tables printed of them. */
#include "json_fields.h"
#include "table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static const char *const states [][2] = {{"TASK_RUNNING", "running"}, {NULL}};

static const form_row_t piece [] = {{.key = "n", .kind = FORM_NUMBER}, {0}};

static const form_row_t rows [] = {
  {.key = "site", .kind = FORM_SHORT},
  {.key = "state", .kind = FORM_WORD, .more = states},
  {.key = "word", .kind = FORM_LOWER, .more = "-"},
  {.key = "cpus", .kind = FORM_NUMBER, .from = "size.cpus"},
  {.key = "load", .kind = FORM_REAL},
  {.key = "ready", .kind = FORM_FLAG},
  {.key = "start", .kind = FORM_TIME, .from = "start_ms", .optional = true},
  {.key = "limit", .kind = FORM_DURATION, .from = "limit_ms"},
  {.key = "pieces", .kind = FORM_EACH, .more = piece},
  {.key = "why", .kind = FORM_TEXT, .optional = true},
  {.key = "links", .kind = FORM_SAME},
  {0}};

static void is_form (const char *message, const char *wanted)
{
    json_t *from = json_loads (message, 0, NULL);
    json_t *form = form_of (rows, from);
    char *text = json_dumps (form, 0);
    assert_string_equal (text, wanted);
    free (text);
    json_decref (form);
    json_decref (from);
}

static void a_form_has_the_fields_of_its_table_in_its_order (void **state)
{
    (void) state;
    is_form (
      "{\"links\": [\"a\"], \"site\": \"lis/ams\", \"state\": \"TASK_RUNNING\", \"word\": \"A_B\", "
      "\"size\": {\"cpus\": 4}, \"load\": \"Infinity\", \"ready\": true, \"start_ms\": 1000, "
      "\"limit_ms\": 60000, \"pieces\": [{\"n\": 1}, {\"n\": 2}], \"why\": \"full\"}",
      "{\"site\": \"ams\", \"state\": \"running\", \"word\": \"a-b\", \"cpus\": 4, \"load\": "
      "\"inf\", "
      "\"ready\": true, \"start\": \"1970-01-01T00:00:01Z\", \"limit\": \"1m\", "
      "\"pieces\": [{\"n\": 1}, {\"n\": 2}], \"why\": \"full\", \"links\": [\"a\"]}");
}

static void what_is_not_told_is_left_out_only_where_it_may_be (void **state)
{
    (void) state;
    is_form (
      "{\"state\": \"TASK_NEW\", \"start_ms\": 0, \"why\": \"\"}",
      "{\"site\": \"\", \"state\": \"TASK_NEW\", \"word\": \"\", \"cpus\": 0, \"load\": 0.0, "
      "\"ready\": false, \"limit\": \"0s\", \"pieces\": [], \"links\": []}");
}

static void a_table_has_a_row_for_each_form (void **state)
{
    (void) state;
    static const form_row_t columns [] = {{"SITE", "site", .cell = cell_short},
                                          {">N", "n", .kind = FORM_NUMBER},
                                          {"WHY", "why", .kind = FORM_TEXT},
                                          {0}};
    json_t *forms = json_loads ("[{\"pieces\": [{\"n\": 10}, {\"n\": 2, \"why\": \"full\"}], "
                                "\"site\": \"lis/ams\", \"why\": \"-\"}]",
                                0, NULL);
    json_t *flat = forms_flat (forms, "pieces");
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream (&text, &size);
    table_print_forms (columns, flat, to);
    fclose (to);
    assert_string_equal (text, "SITE   N  WHY\nams   10  -\nams    2  full\n");
    free (text);
    json_decref (flat);
    json_decref (forms);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_form_has_the_fields_of_its_table_in_its_order),
      cmocka_unit_test (what_is_not_told_is_left_out_only_where_it_may_be),
      cmocka_unit_test (a_table_has_a_row_for_each_form),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
