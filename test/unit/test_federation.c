/*  federation - the example is accepted, sections of sites are copied, and mistakes are told with
 *  their line.
 */
#include "federation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static federation_t *read_text (const char *text, char why [LONG_WHY_BYTES])
{
    return federation_read ("fed.zpl", text, strlen (text), why);
}

static void assert_refused (const char *text, const char *wanted)
{
    char why [LONG_WHY_BYTES] = "";
    assert_null (read_text (text, why));
    if (!strstr (why, wanted))
        fail_msg ("%s\n is refused with \"%s\", without \"%s\"", text, why, wanted);
}

static void the_example_is_five_sites_and_two_directories (void **state)
{
    (void) state;
    char why [LONG_WHY_BYTES] = "";
    federation_t *federation =
      federation_read ("example", federation_example, federation_example_size, why);
    if (!federation)
        fail_msg ("%s", why);
    const char *const *names;
    assert_int_equal (federation_names (federation, "lis", &names), 5);
    assert_string_equal (names [0], "amsterdam");
    assert_int_equal (federation_names (federation, "gis", &names), 2);
    assert_string_equal (names [1], "g2");
    assert_int_equal (federation_planners (federation), 2);
    federation_destroy (&federation);
    assert_null (federation);
    federation_destroy (&federation);
}

static void a_thousand_sites_are_read (void **state)
{
    (void) state;
    char why [LONG_WHY_BYTES] = "";
    static char text [100000];
    size_t size = (size_t) sprintf (text, "name = wide\ndirectories = g1\nsites\n");
    for (int i = 0; i < 1000; i++)
        size += (size_t) sprintf (text + size,
                                  "    n%d\n        classes\n            thin\n"
                                  "                nodes = 1\n",
                                  i);
    federation_t *self = federation_read ("wide.zpl", text, size, why);
    const char *const *names;
    assert_string_equal (why, "");
    assert_int_equal (federation_names (self, "lis", &names), 1000);
    assert_string_equal (names [999], "n999");
    federation_destroy (&self);
}

static void a_sites_section_passes_through_one_level_up (void **state)
{
    (void) state;
    char why [LONG_WHY_BYTES] = "";
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
    federation_write_site (federation, "ams", "carol", "cs", file);
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
    assert_int_equal (federation_names (federation, "gis", &names), 2);
    assert_int_equal (federation_planners (federation), 1);
    federation_destroy (&federation);
}

static void accounts_that_are_given_are_the_only_ones (void **state)
{
    (void) state;
    char why [LONG_WHY_BYTES] = "";
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
    federation_write_site (federation, "ams", "carol", "cs", file);
    fclose (file);
    assert_null (strstr (text, "*"));
    assert_non_null (strstr (text, "climate = \"alice, bob\""));
    assert_non_null (strstr (text, "administrators = \"dave, carol\""));
    free (text);
    federation_destroy (&federation);
}

static const char runner [] = "sites\n"
                              "    ams\n"
                              "        classes\n"
                              "            thin\n"
                              "                nodes = 2\n"
                              "                cpus_per_node = 4\n"
                              "            fat\n"
                              "                nodes = 3\n"
                              "                names = \"big, f[09-10]\"\n"
                              "        back_end = runner\n"
                              "    ber\n"
                              "        classes\n"
                              "            thin\n"
                              "                nodes = 2\n";

static void a_site_with_a_runner_has_an_agent_for_each_node (void **state)
{
    (void) state;
    static const federation_node_t wanted [] = {
      {.name = "thin-001", .class_name = "thin", .cpus = 4},
      {.name = "thin-002", .class_name = "thin", .cpus = 4},
      {.name = "big", .class_name = "fat", .cpus = 1},
      {.name = "f09", .class_name = "fat", .cpus = 1},
      {.name = "f10", .class_name = "fat", .cpus = 1}};
    char why [LONG_WHY_BYTES] = "";
    federation_t *federation = read_text (runner, why);
    const federation_node_t *nodes = NULL;
    if (!federation)
        fail_msg ("%s", why);
    assert_int_equal (federation_nodes (federation, "ams", &nodes), 5);
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal (nodes [i].name, wanted [i].name);
        assert_string_equal (nodes [i].class_name, wanted [i].class_name);
        assert_int_equal (nodes [i].cpus, wanted [i].cpus);
    }
    assert_int_equal (federation_nodes (federation, "ber", &nodes), 0);
    assert_int_equal (federation_nodes (federation, "none", &nodes), 0);
    federation_destroy (&federation);
}

static void a_site_with_a_runner_is_not_open_to_everybody (void **state)
{
    (void) state;
    char why [LONG_WHY_BYTES] = "";
    federation_t *federation = read_text (runner, why);
    if (!federation)
        fail_msg ("%s", why);
    char *open = federation_without_accounts (federation);
    assert_string_equal (open, "sites/ams/accounts");
    free (open);
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream (&text, &size);
    federation_write_site (federation, "ams", "carol", "cs", file);
    fclose (file);
    assert_null (strstr (text, "*"));
    assert_non_null (strstr (text, "accounts\n    cs = \"carol\"\n"));
    free (text);
    federation_destroy (&federation);
    char given [1024];
    snprintf (given, sizeof given, "%s",
              "sites\n    ams\n        classes\n            thin\n                nodes = 2\n"
              "        back_end = runner\n        accounts\n            cs = carol\n");
    federation = read_text (given, why);
    if (!federation)
        fail_msg ("%s", why);
    assert_null (federation_without_accounts (federation));
    federation_destroy (&federation);
}

/*  What everybody may use is said in the description, of sites without tasks and of domains,
 *  too. */
static void what_names_no_accounts_is_found (void **state)
{
    (void) state;
    static const char sites [] = "sites\n    ams\n        classes\n            thin\n"
                                 "                nodes = 2\n%sdomains\n    N\n"
                                 "        sites = ams\n        routers = r1\n%s        links\n"
                                 "            l\n                between = \"ams, r1\"\n"
                                 "                mbps = 100\n";
    static const char accounts [] = "        accounts\n            everybody = \"*\"\n";
    static const char *const cases [][3] = {{"", accounts, "sites/ams/accounts"},
                                            {accounts, "", "domains/N/accounts"},
                                            {accounts, accounts}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char given [1024], why [LONG_WHY_BYTES] = "";
        snprintf (given, sizeof given, sites, cases [i][0], cases [i][1]);
        federation_t *federation = read_text (given, why);
        if (!federation)
            fail_msg ("%s", why);
        char *open = federation_without_accounts (federation);
        assert_string_equal (open ? open : "", cases [i][2] ? cases [i][2] : "");
        free (open);
        federation_destroy (&federation);
    }
}

static void what_was_a_setting_is_taken_and_goes_no_further (void **state)
{
    (void) state;
    static const char old [] = "sites\n    ams\n        classes\n            thin\n"
                               "                nodes = 4\n        nodes\n"
                               "            attend = 1s\n            lost = 330s\n"
                               "        queue\n            patience = 5s\n"
                               "            life = 1m\n";
    char why [LONG_WHY_BYTES] = "";
    federation_t *federation = read_text (old, why);
    if (!federation)
        fail_msg ("%s", why);
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream (&text, &size);
    assert_non_null (file);
    federation_write_site (federation, "ams", "carol", "cs", file);
    fclose (file);
    assert_non_null (strstr (text, "nodes\n    attend = \"1s\"\nqueue\n    patience = \"5s\"\n"));
    assert_null (strstr (text, "lost"));
    assert_null (strstr (text, "life"));
    free (text);
    federation_destroy (&federation);
    assert_refused ("sites\n    ams\n        classes\n            thin\n"
                    "                nodes = 4\n        queue\n            life = 2m\n",
                    "fed.zpl:7: sites/ams/queue/life is no setting any more: it is fixed at 1m");
}

static void nodes_that_can_not_be_told_apart_are_refused (void **state)
{
    (void) state;
    static const struct {
        const char *names;
        const char *why;
    } cases [] = {
      {"big, f1, big", "fed.zpl:7: sites/ams/classes: two nodes are called big"},
      {"f[1-3], thin-002", "names 4 nodes, should be 3"},
      {"f1, f2", "fed.zpl:13: sites/ams/classes/fat/names: names 2 nodes, should be 3"},
      {"f1, f2, thin-002", "two nodes are called thin-002"},
      {"f[3-1]", "should be a name, or a range such as n[001-064]"},
      {"f[1-]", "should be a name, or a range"},
      {"f[1-3", "should be a name, or a range"},
      {"f[-3]", "should be a name, or a range"},
      {"f[001-3]", "should be a name, or a range"},
      {"f[1-3]x[1-3]", "should be 1 to 58 letters, digits and . _ -"},
      {"f/1, f2, f3", "\"f/1\" should be 1 to 58 letters, digits and . _ -"},
      {"f[1-3]345678901234567890123456789012345678901234567890123456789", "1 to 58"},
      {"f[0-999999999]", "at most 65536 nodes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text [1024];
        snprintf (text, sizeof text,
                  "name = fed\ndirectories = g1\nplanners = 1\n\nsites\n    ams\n"
                  "        classes\n            thin\n                nodes = 2\n"
                  "                cpus_per_node = 4\n            fat\n                nodes = 3\n"
                  "                names = \"%s\"\n        back_end = runner\n",
                  cases [i].names);
        assert_refused (text, cases [i].why);
    }
}

#define STORAGE                                                                                    \
    "indexes = i1\nsites\n    ams\n        classes\n            thin\n"                            \
    "                nodes = 4\n        storage\n            nodes = \"d1, d2\"\n"                 \
    "            bytes = 5000000\n            mbps = 100\n        lead = 10s\n"

static void what_is_said_of_storage_goes_to_who_keeps_the_files (void **state)
{
    (void) state;
    char why [LONG_WHY_BYTES] = "";
    federation_t *federation = read_text (STORAGE, why);
    if (!federation)
        fail_msg ("%s", why);
    const char *const *names;
    assert_int_equal (federation_names (federation, "index", &names), 1);
    assert_string_equal (names [0], "i1");
    assert_int_equal (federation_storage (federation, "ams", &names), 2);
    assert_string_equal (names [1], "d2");
    assert_int_equal (federation_storage_bytes (federation, "ams"), 5000000);
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream (&text, &size);
    assert_non_null (file);
    federation_write_storage (federation, "ams", "carol", file);
    fputs ("---\n", file);
    federation_write_site (federation, "ams", "carol", "cs", file);
    fclose (file);
    char *site = strstr (text, "---\n");
    assert_non_null (strstr (text, "nodes = \"d1, d2\"\nmbps = \"100\"\nadministrators = "));
    assert_true (strstr (text, "everybody = \"*\"") < site);
    assert_null (strstr (text, "bytes"));
    assert_null (strstr (site, "storage"));
    assert_non_null (strstr (site, "lead = \"10s\""));
    free (text);
    federation_destroy (&federation);
}

static void storage_that_can_not_be_is_refused (void **state)
{
    (void) state;
    static const char head [] = "sites\n    ams\n        classes\n            thin\n"
                                "                nodes = 4\n        storage\n            ";
    static const struct {
        const char *line;
        const char *why;
    } cases [] = {
      {"nodes = \"d1, d1\"\n", "sites/ams/storage/nodes: \"d1\": is named twice"},
      {"nodes = \"d/1\"\n", "sites/ams/storage/nodes: \"d/1\": use letters"},
      {"bytes = 1048575\n",
       "fed.zpl:7: sites/ams/storage/bytes: '1048575' is not an integer from 1048576 to"},
      {"cost = money\n", "'money' is not throughput or rtt"},
      {"disks = 2\n", "fed.zpl:7: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text [512];
        snprintf (text, sizeof text, "%s%s", head, cases [i].line);
        assert_refused (text, cases [i].why);
    }
    assert_refused ("indexes = \"i1, i1\"\nsites\n    ams\n        classes\n            thin\n"
                    "                nodes = 4\n",
                    "indexes: \"i1\": is named twice");
}

#define A_SITE "sites\n    ams\n        classes\n            thin\n                nodes = 4\n"

static void what_is_said_of_a_balancer_goes_to_it (void **state)
{
    (void) state;
    char why [LONG_WHY_BYTES] = "";
    federation_t *federation = read_text (
      "balancers\n    green\n        coalition = 20m\n        step = 5s\n    red\n" A_SITE, why);
    if (!federation)
        fail_msg ("%s", why);
    const char *const *names;
    assert_int_equal (federation_names (federation, "balancer", &names), 2);
    assert_string_equal (names [0], "green");
    assert_string_equal (names [1], "red");
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream (&text, &size);
    assert_non_null (file);
    federation_write_balancer (federation, "green", file);
    federation_write_balancer (federation, "red", file);
    fclose (file);
    assert_string_equal (text, "coalition = \"20m\"\nstep = \"5s\"\n");
    free (text);
    federation_destroy (&federation);
    assert_refused ("balancers\n    green\n        step = 2h\n" A_SITE,
                    "fed.zpl:2: balancers/green/coalition: must not be shorter than step");
    assert_refused ("balancers\n    green\n        steps = 2h\n" A_SITE, "fed.zpl:3: ");
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
    assert_refused (
      "sites\n    ams\n        classes\n            thin\n"
      "                nodes = 4\n        back_end = rnner\n",
      "sites/ams/back_end: 'rnner' is not none, runner, slurm, gridengine or commands");
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
    char why [LONG_WHY_BYTES] = "";
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
    assert_int_equal (federation_names (federation, "nis", &names), 1);
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
       "fed.zpl:12: domains/S/sites: \"oslo\": is not a site of this federation"},
      {"    S\n        exchanges = ams\n", "fed.zpl:12: domains/S/exchanges: \"ams\": is a site"},
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
       "fed.zpl:11: domains/N/provision: 'never' is not asked or start"},
      {"        disclosure = nothing\n",
       "domains/N/disclosure: 'nothing' is not profile or windows"},
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
      cmocka_unit_test (a_thousand_sites_are_read),
      cmocka_unit_test (a_sites_section_passes_through_one_level_up),
      cmocka_unit_test (accounts_that_are_given_are_the_only_ones),
      cmocka_unit_test (a_site_with_a_runner_has_an_agent_for_each_node),
      cmocka_unit_test (a_site_with_a_runner_is_not_open_to_everybody),
      cmocka_unit_test (what_names_no_accounts_is_found),
      cmocka_unit_test (what_was_a_setting_is_taken_and_goes_no_further),
      cmocka_unit_test (nodes_that_can_not_be_told_apart_are_refused),
      cmocka_unit_test (what_is_said_of_storage_goes_to_who_keeps_the_files),
      cmocka_unit_test (storage_that_can_not_be_is_refused),
      cmocka_unit_test (what_is_said_of_a_balancer_goes_to_it),
      cmocka_unit_test (mistakes_are_told_with_file_and_line),
      cmocka_unit_test (a_federation_without_sites_classes_or_directories_is_none),
      cmocka_unit_test (a_domains_section_passes_through_one_level_up),
      cmocka_unit_test (a_domain_that_is_no_graph_of_this_federation_is_refused),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
