/*  federation - the example is sound, sites' sections pass through, and mistakes are told by line.
 */
#include "federation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static federation_t *read_text (const char *text, char why [CONFIG_WHY_BYTES])
{
    return federation_read ("fed.zpl", text, strlen (text), why);
}

static void assert_refused (const char *text, const char *wanted)
{
    char why [CONFIG_WHY_BYTES] = "";
    assert_null (read_text (text, why));
    if (!strstr (why, wanted))
        fail_msg ("%s\n is refused with \"%s\", without \"%s\"", text, why, wanted);
}

static void the_example_is_five_sites_and_two_directories (void **state)
{
    (void) state;
    char why [CONFIG_WHY_BYTES] = "";
    federation_t *federation =
      federation_read ("example", federation_example, federation_example_size, why);
    if (!federation)
        fail_msg ("%s", why);
    const char *const *names;
    assert_int_equal (federation_sites (federation, &names), 5);
    assert_string_equal (names [0], "amsterdam");
    assert_int_equal (federation_directories (federation, &names), 2);
    assert_string_equal (names [1], "g2");
    assert_int_equal (federation_planners (federation), 2);
    federation_destroy (&federation);
    assert_null (federation);
    federation_destroy (&federation);
}

static void a_sites_section_passes_through_one_level_up (void **state)
{
    (void) state;
    char why [CONFIG_WHY_BYTES] = "";
    federation_t *federation = read_text ("sites\n"
                                          "    ams\n"
                                          "        classes\n"
                                          "            thin\n"
                                          "                nodes = 4\n"
                                          "                attributes\n"
                                          "                    note = 'says \"hello\"'\n"
                                          "        lead = 10s # soon\n",
                                          why);
    if (!federation)
        fail_msg ("%s", why);
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream (&text, &size);
    federation_write_site (federation, "ams", "carol", file);
    fclose (file);
    assert_string_equal (text, "classes\n"
                               "    thin\n"
                               "        nodes = \"4\"\n"
                               "        attributes\n"
                               "            note = 'says \"hello\"'\n"
                               "lead = \"10s\"\n"
                               "administrators = \"carol\"\n"
                               "accounts\n"
                               "    everybody = \"*\"\n");
    free (text);
    const char *const *names;
    assert_int_equal (federation_directories (federation, &names), 2);
    assert_int_equal (federation_planners (federation), 1);
    federation_destroy (&federation);
}

static void accounts_that_are_given_are_the_only_ones (void **state)
{
    (void) state;
    char why [CONFIG_WHY_BYTES] = "";
    federation_t *federation = read_text ("sites\n"
                                          "    ams\n"
                                          "        classes\n"
                                          "            thin\n"
                                          "                nodes = 4\n"
                                          "        accounts\n"
                                          "            climate = \"alice, bob\"\n"
                                          "        administrators = dave\n",
                                          why);
    if (!federation)
        fail_msg ("%s", why);
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream (&text, &size);
    federation_write_site (federation, "ams", "carol", file);
    fclose (file);
    assert_null (strstr (text, "*"));
    assert_non_null (strstr (text, "climate = \"alice, bob\""));
    assert_non_null (strstr (text, "administrators = \"dave, carol\""));
    free (text);
    federation_destroy (&federation);
}

static void mistakes_are_told_with_file_and_line (void **state)
{
    (void) state;
    assert_refused ("colour = red\n", "fed.zpl:1");
    assert_refused ("sites\n    ams\n        classes\n            thin\n"
                    "                node = 4\n",
                    "fed.zpl:5");
    assert_refused ("sites\n    ams\n        classes\n            thin\n"
                    "                nodes = many\n",
                    "fed.zpl:5");
    assert_refused ("sites\n    ams\n        classes\n            thin\n"
                    "                price = 1\n",
                    "nodes");
    assert_refused ("planners = 0\n", "fed.zpl:1");
}

static void a_federation_without_sites_classes_or_directories_is_none (void **state)
{
    (void) state;
    static const char sound [] = "sites\n    ams\n        classes\n            thin\n"
                                 "                nodes = 4\n";
    char text [512];
    assert_refused ("name = none\n", "sites: ");
    assert_refused ("sites\n    ams\n        lead = 5s\n", "sites/ams/classes: ");
    snprintf (text, sizeof text, "directories = \" \"\n%s", sound);
    assert_refused (text, "directories: ");
    snprintf (text, sizeof text, "directories = \"g1, g1\"\n%s", sound);
    assert_refused (text, "directories: \"g1\": is named twice");
    snprintf (text, sizeof text, "directories = \"g/1\"\n%s", sound);
    assert_refused (text, "directories: \"g/1\"");
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (the_example_is_five_sites_and_two_directories),
      cmocka_unit_test (a_sites_section_passes_through_one_level_up),
      cmocka_unit_test (accounts_that_are_given_are_the_only_ones),
      cmocka_unit_test (mistakes_are_told_with_file_and_line),
      cmocka_unit_test (a_federation_without_sites_classes_or_directories_is_none),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
