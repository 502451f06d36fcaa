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

static const char domains_begin [] = "sites\n"
                                     "    ams\n"
                                     "        classes\n"
                                     "            thin\n"
                                     "                nodes = 4\n"
                                     "domains\n"
                                     "    N\n"
                                     "        sites = ams\n"
                                     "        routers = \"r1, r2\"\n"
                                     "        exchanges = X1\n";

/*  The beginning above and what follows it. */
static char *with_domain (const char *rest, char text [2048])
{
    snprintf (text, 2048, "%s%s", domains_begin, rest);
    return text;
}

static void a_domains_section_passes_through_one_level_up (void **state)
{
    (void) state;
    char why [CONFIG_WHY_BYTES] = "";
    char given [2048];
    federation_t *federation = read_text (with_domain ("        links\n"
                                                       "            ams\n"
                                                       "                between = \"ams, r1\"\n"
                                                       "                mbps = 1000\n"
                                                       "        provision = start\n"
                                                       "        administrators = dave\n",
                                                       given),
                                          why);
    if (!federation)
        fail_msg ("%s", why);
    const char *const *names;
    assert_int_equal (federation_domains (federation, &names), 1);
    assert_string_equal (names [0], "N");
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream (&text, &size);
    federation_write_domain (federation, "N", "carol", file);
    fclose (file);
    assert_string_equal (text, "sites = \"ams\"\n"
                               "routers = \"r1, r2\"\n"
                               "exchanges = \"X1\"\n"
                               "links\n"
                               "    ams\n"
                               "        between = \"ams, r1\"\n"
                               "        mbps = \"1000\"\n"
                               "provision = \"start\"\n"
                               "administrators = \"dave, carol\"\n"
                               "accounts\n"
                               "    everybody = \"*\"\n");
    free (text);
    federation_destroy (&federation);
}

static void a_domain_that_is_no_graph_of_this_federation_is_refused (void **state)
{
    (void) state;
    static const struct {
        const char *rest;
        const char *wanted;
    } cases [] = {
      {"    S\n        sites = oslo\n",
       "fed.zpl: domains/S/sites: \"oslo\": is none of this federation's sites"},
      {"    S\n        exchanges = ams\n",
       "fed.zpl: domains/S/exchanges: \"ams\": is one of the sites"},
      {"        links\n            l1\n                between = \"ams, r9\"\n"
       "                mbps = 1\n",
       "fed.zpl:13: domains/N/links/l1/between: \"r9\" should be one of sites, exchanges, routers"},
      {"        links\n            l1\n                between = \"ams\"\n"
       "                mbps = 1\n",
       "domains/N/links/l1/between: should be two vertices"},
      {"        links\n            l1\n                between = \"r1, r1\"\n"
       "                mbps = 1\n",
       "both ends are N/r1"},
      {"        links\n            l1\n                between = \"ams, r1\"\n", "fed.zpl:12: "},
      {"        links\n            l1\n                between = \"ams, r1\"\n"
       "                mbps = fast\n",
       "fed.zpl:14: "},
      {"        attributes\n            X9\n                location = paris\n",
       "domains/N/attributes/X9: no site, exchange point or router is called X9"},
      {"        provision = never\n",
       "fed.zpl: domains/N/provision: \"never\": should be asked or start"},
      {"        disclosure = nothing\n", "domains/N/disclosure: \"nothing\""},
      {"    S/1\n        sites = ams\n", "fed.zpl:11"},
      {"    S\n        routers = \"r1, r1\"\n", "domains/S/routers: r1 is given twice"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text [2048];
        assert_refused (with_domain (cases [i].rest, text), cases [i].wanted);
    }
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (the_example_is_five_sites_and_two_directories),
      cmocka_unit_test (a_sites_section_passes_through_one_level_up),
      cmocka_unit_test (accounts_that_are_given_are_the_only_ones),
      cmocka_unit_test (mistakes_are_told_with_file_and_line),
      cmocka_unit_test (a_federation_without_sites_classes_or_directories_is_none),
      cmocka_unit_test (a_domains_section_passes_through_one_level_up),
      cmocka_unit_test (a_domain_that_is_no_graph_of_this_federation_is_refused),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
