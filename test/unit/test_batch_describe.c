/*  batch_describe: nodes as classes, their names as ranges, and what can't be described. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "batch_main.h"
#include "must.h"

static const batch_node_t *there;
static size_t there_count;
static bool gone, silent;
static char told [8192], left_out [1024];

static batch_fitness_t fake_check (const batch_setup_t *setup, bool reserves, char why [WHY_BYTES])
{
    assert_false (reserves); /* anybody may ask */
    wrong (why, "there is no queue %s", setup->queue);
    return strcmp (setup->queue, "none") == 0 ? BATCH_UNFIT : BATCH_FIT;
}

static bool fake_look (const batch_setup_t *setup, batch_picture_t *picture, char why [WHY_BYTES])
{
    (void) setup;
    snprintf (picture->system, sizeof picture->system, "fake");
    picture->gone = gone;
    for (size_t i = 0; i < there_count; i++) {
        batch_node_t *node = batch_picture_node (picture, there [i].node);
        *node = there [i];
        node->features = there [i].features ? must (strdup (there [i].features)) : NULL;
    }
    return !silent || wrong (why, "fake does not answer");
}

static const batch_system_t fake = {.name = "fake", .check = fake_check, .look = fake_look};

static void text_take (int from, int to, char *text, size_t most)
{
    fflush (NULL);
    ssize_t got = pread (to, text, most - 1, 0);
    text [got > 0 ? got : 0] = '\0';
    assert_true (dup2 (from, to) >= 0);
    close (from);
}

/*  Its exit code; what it has written is in told and left_out. */
static int describe (const batch_node_t *nodes, size_t count, const char *queue)
{
    const batch_system_t *const systems [] = {&fake, NULL};
    const char *words [] = {"describe", "fake", queue, "ams"};
    FILE *out = must (tmpfile ()), *log = must (tmpfile ());
    there = nodes;
    there_count = count;
    fflush (NULL);
    int stdout_was = dup (STDOUT_FILENO), stderr_was = dup (STDERR_FILENO);
    dup2 (fileno (out), STDOUT_FILENO);
    dup2 (fileno (log), STDERR_FILENO);
    int code = batch_describe_main (4, (char **) words, systems);
    text_take (stdout_was, STDOUT_FILENO, told, sizeof told);
    text_take (stderr_was, STDERR_FILENO, left_out, sizeof left_out);
    fclose (out);
    fclose (log);
    return code;
}

static void names_are (const char *list, const char *wanted)
{
    batch_node_t nodes [16] = {0};
    name_list_auto_t names = {0};
    name_list_add (&names, list, "");
    for (size_t i = 0; i < names.count; i++) {
        nodes [i].cpus = 2;
        snprintf (nodes [i].node, sizeof nodes [i].node, "%s", names.words [i]);
    }
    assert_int_equal (describe (nodes, names.count, "batch"), 0);
    text_auto_t *line = must_print ("\n                names = \"%s\"\n", wanted);
    if (!strstr (told, line))
        fail_msg ("%s is not in %s", line, told);
}

static void names_in_a_row_are_a_range (void **state)
{
    (void) state;
    names_are ("n1", "n1");
    names_are ("login", "login");
    names_are ("n10,n1,n9,n8,n11", "n1, n[8-11]");
    names_are ("n001,n002,n003,n010", "n[001-003], n010");
    names_are ("n098,n099,n100", "n[098-100]");
    names_are ("h08.x2.org,h09.x2.org,h10.x2.org", "h[08-10].x2.org");
    names_are ("h1.x1.org,h1.x2.org", "h1.x1.org, h1.x2.org");
    names_are ("r1n1,r1n2,r2n1", "r1n[1-2], r2n1");
    names_are ("n1a,n2a", "n[1-2]a");
    names_are ("1,2", "[1-2]");
    names_are ("n0000000001,n0000000002", "n0000000001, n0000000002"); /* too many digits */
}

static void alike_nodes_are_a_class (void **state)
{
    (void) state;
    static const batch_node_t nodes [] = {
      {.node = "n4", .cpus = 8, .gpu = "a100", .gpus = 4, .features = "haswell,gpu,ib,odd=1"},
      {.node = "n1", .cpus = 8},
      {.node = "n2", .cpus = 8, .gpus = 2},
      {.node = "n5", .cpus = 8, .gpu = "a100", .gpus = 4, .features = "haswell,gpu,ib,odd=1"},
      {.node = "n6"},
      {.node = "n3", .cpus = 16},
    };
    assert_int_equal (describe (nodes, sizeof nodes / sizeof *nodes, "batch"), 0);
    assert_string_equal (
      told, "name = ams\n"
            "directories = g1\n"
            "planners = 1\n"
            "\n"
            "sites\n"
            "    ams\n"
            "        classes\n"
            "            node-1\n"
            "                nodes = 1\n"
            "                names = \"n1\"\n"
            "                cpus_per_node = 8\n"
            "            node-2\n"
            "                nodes = 1\n"
            "                names = \"n2\"\n"
            "                cpus_per_node = 8\n"
            "                attributes\n"
            "                    gpus = 2\n"
            "            node-3\n"
            "                nodes = 2\n"
            "                names = \"n[4-5]\"\n"
            "                cpus_per_node = 8\n"
            "                attributes\n"
            "                    haswell = \"feature\"\n"
            "                    ib = \"feature\"\n"
            "                    gpu = \"a100\"\n"
            "                    gpus = 4\n"
            "            node-4\n"
            "                nodes = 1\n"
            "                names = \"n3\"\n"
            "                cpus_per_node = 16\n"
            "        back_end = fake\n"
            "    #   accounts                    # as which local account whose tasks run\n"
            "    #       climate = \"alice, bob\"\n"
            "        batch\n"
            "            queue = \"batch\"\n");
    assert_string_equal (left_out, "left out: n6, which has no CPUs\n"
                                   "node-3: left out: feature gpu\n"
                                   "node-3: left out: feature odd=1\n");
}

static void what_is_not_there_is_not_described (void **state)
{
    (void) state;
    static const batch_node_t nodes [] = {{.node = "n1", .cpus = 8}};
    assert_int_equal (describe (nodes, 1, "none"), 2);
    assert_string_equal (left_out, "there is no queue none\n");
    assert_int_equal (describe (nodes, 0, "batch"), 2);
    assert_string_equal (left_out, "fake has no nodes in batch\n");
    gone = true;
    assert_int_equal (describe (nodes, 1, "batch"), 2);
    gone = false;
    silent = true;
    assert_int_equal (describe (nodes, 1, "batch"), 3);
    assert_string_equal (left_out, "fake does not answer\n");
    assert_string_equal (told, "");
    silent = false;
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (names_in_a_row_are_a_range),
      cmocka_unit_test (alike_nodes_are_a_class),
      cmocka_unit_test (what_is_not_there_is_not_described),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
