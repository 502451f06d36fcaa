/*  graphml: what is read of a map, how speeds are understood, and what is refused. */
#include "graphml.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD                                                                                       \
    "<?xml version='1.0' encoding='utf-8'?>\n"                                                     \
    "<graphml xmlns='http://graphml.graphdrawing.org/xmlns'>\n"                                    \
    "<key attr.name='Network' for='graph' id='n'/><key attr.name='label' for='node' id='l'/>\n"    \
    "<key attr.name='Latitude' for='node' id='lat'/>\n"                                            \
    "<key attr.name='Longitude' for='node' id='lon'/>\n"                                           \
    "<key attr.name='LinkLabel' for='edge' id='ll'/>\n"                                            \
    "<key attr.name='LinkSpeedRaw' for='edge' id='raw'/>\n"                                        \
    "<key attr.name='LinkSpeed' for='edge' id='s'/>\n"                                             \
    "<key attr.name='LinkSpeedUnits' for='edge' id='u'/>\n"                                        \
    "<key attr.name='LinkType' for='edge' id='t'/>\n"
#define TAIL "</graph></graphml>\n"

static bool read_text (map_t *map, const char *text, char why [WHY_BYTES])
{
    return graphml_read (map, text, strlen (text), why);
}

static void assert_refused (const char *text, const char *wanted)
{
    map_t map;
    char why [WHY_BYTES] = "";
    assert_false (read_text (&map, text, why));
    assert_null (map.nodes);
    if (!strstr (why, wanted))
        fail_msg ("refused with \"%s\", without \"%s\"", why, wanted);
}

static void reads_nodes_and_edges (void **state)
{
    (void) state;
    map_t map;
    char why [WHY_BYTES];
    if (!read_text (&map,
                    HEAD
                    "<graph edgedefault='undirected'><data key='n'>Kite</data>\n"
                    "<edge source='b' target='a'><data key='ll'>1-20Gbps</data></edge>\n"
                    "<node id='a'><data key='l'>Old Mill &amp; Sons</data>\n"
                    "<data key='lat'>50.5</data><data key='lon'>-3.25</data></node>\n"
                    "<node id='b'><data key='l'>Quay</data><data key='lat'>95</data>"
                    "<data key='lon'>0</data></node>\n"
                    "<node id='c'/>\n"
                    "<edge source='a' target='b'><data key='raw'>2500000000.0</data>"
                    "<data key='ll'>10 Gbps</data></edge>\n"
                    "<edge source='c' target='c'/>\n"
                    "<edge source='c' target='a'><data key='s'>155</data><data key='u'>M</data>"
                    "<data key='t'>Fibre</data></edge>\n"
                    "<edge source='b' target='c'><data key='ll'>Lit Fibre</data></edge>\n" TAIL,
                    why))
        fail_msg ("%s", why);
    assert_string_equal (map.name, "Kite");
    assert_int_equal (map.nodes_count, 3);
    assert_string_equal (map.nodes [0].label, "Old Mill & Sons");
    assert_true (map.nodes [0].located);
    assert_true (fabs (map.nodes [0].latitude - 50.5) < 1e-9);
    assert_true (fabs (map.nodes [0].longitude + 3.25) < 1e-9);
    assert_false (map.nodes [1].located); /* there is no such latitude */
    assert_string_equal (map.nodes [2].label, "");
    assert_int_equal (map.loops, 1);
    assert_int_equal (map.edges_count, 4); /* two of them parallel */
    static const struct {
        size_t ends [2];
        uint32_t mbps;
        const char *type;
    } expected [] = {
      {{1, 0}, 1000, ""}, {{0, 1}, 2500, ""}, {{2, 0}, 155, "Fibre"}, {{1, 2}, 0, ""}};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal (map.edges [i].ends [0], expected [i].ends [0]);
        assert_int_equal (map.edges [i].ends [1], expected [i].ends [1]);
        assert_int_equal (map.edges [i].mbps, expected [i].mbps);
        assert_string_equal (map.edges [i].type, expected [i].type);
    }
    map_clear (&map);
    assert_int_equal (map.nodes_count, 0);
}

static void understands_words_about_speed (void **state)
{
    (void) state;
    static const struct {
        const char *words;
        uint32_t mbps;
    } cases [] = {
      {"10 Gbps", 10000},
      {"10Gbit/s", 10000},
      {"10 G", 10000},
      {"2.5 Gbps", 2500},
      {"155 Mbps", 155},
      {"1-20Gbps", 1000},
      {"10 - 40 Gbps", 10000},
      {"100M-1G", 100},
      {"< 10 Gbps", 10000},
      {"622 mb/s", 622},
      {"64 kbps", 1}, /* no link has less */
      {"1 Tbps", 1000000},
      {"Lit Fibre", 0},
      {"STM-16", 0},
      {"OC-48 (2.5 Gbps)", 2500},
      {"4 great fibres", 0},
      {"10", 0},
      {"", 0},
      {"0 Gbps", 0},
      {"99999999999999999999999999999999999999999 Gbps", 1000000000},
      {"9999999999 Gbps", 1000000000},
      {"-", 0},
      {"10-", 0},
      {"10-Gbps", 0},
      {"-5 Gbps", 0}, /* nor what stands within a number */
      {"1e3 Mbps", 0},
      {"1.2.3 G", 0},
      {"2,5 Gbps", 0},
      {"1,000 Mbps", 0},
      {"1 500 Mbps", 0},
      {"Ethernet, 10Gbps", 10000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (graphml_rate (cases [i].words) != cases [i].mbps)
            fail_msg ("\"%s\" is taken for %u Mbit/s", cases [i].words,
                      graphml_rate (cases [i].words));
}

/*  Keys, defaults and directions mean what GraphML says. */
static void keeps_the_rules_of_the_format (void **state)
{
    (void) state;
    map_t map;
    char why [WHY_BYTES];
    if (!read_text (&map,
                    "<graphml><key id='k' for='edge' attr.name='LinkLabel'>"
                    "<default>40 Gbps</default></key>"
                    "<key id='v' for='node' attr.name='LinkSpeedRaw'/>"
                    "<key id='r' for='edge' attr.name='LinkSpeedRaw'/>"
                    "<key id='l' attr.name='label'><default>Mill</default></key>"
                    "<graph edgedefault='directed'><node id='a'/>"
                    "<node id='b'><data key='l'>Quay</data></node>"
                    "<edge source='a' target='b'/>"
                    "<edge source='b' target='a' directed='false'><data key='k'>1 G</data></edge>"
                    "<edge source='a' target='b'><data key='v'>5e6</data></edge>"
                    "<edge source='a' target='b'><data key='r'>2.5e9</data></edge>"
                    "<edge source='a' target='b'><data key='r'>10 Gbps</data></edge>"
                    "</graph></graphml>",
                    why))
        fail_msg ("%s", why);
    static const uint32_t mbps [] = {40000, 1000, 40000, 2500, 40000};
    assert_int_equal (map.edges_count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal (map.edges [i].mbps, mbps [i]);
    assert_int_equal (map.directed, 4);
    assert_string_equal (map.nodes [0].label, "Mill");
    assert_string_equal (map.nodes [1].label, "Quay");
    map_clear (&map);
}

static void measures_great_circles (void **state)
{
    (void) state;
    static const struct {
        map_node_t a;
        map_node_t b;
        double km;
    } cases [] = {
      {{.latitude = 0, .longitude = 0}, {.latitude = 0, .longitude = 0}, 0},
      {{.latitude = 0, .longitude = 0}, {.latitude = 0, .longitude = 1}, 111.195},
      {{.latitude = 0, .longitude = 179.5}, {.latitude = 0, .longitude = -179.5}, 111.195},
      {{.latitude = 90, .longitude = 0}, {.latitude = -90, .longitude = 77}, 20015.087},
      {{.latitude = 60, .longitude = 0}, {.latitude = 60, .longitude = 180}, 6671.696},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true (fabs (map_distance_km (&cases [i].a, &cases [i].b) - cases [i].km) < 0.01);
}

static void what_is_no_map_is_refused_with_its_line (void **state)
{
    (void) state;
    assert_refused ("", "1: not XML");
    assert_refused ("sites\n    ams\n", "not XML");
    assert_refused ("<html><body/></html>", "not GraphML");
    assert_refused (HEAD "<graph>\n<node id='a'>", "not XML");
    assert_refused (HEAD "<key attr.name='label' id='ll'/>" TAIL,
                    "11: two keys have the id \"ll\"");
    assert_refused (HEAD "<graph>" TAIL, "no nodes");
    assert_refused (HEAD "</graphml>", "no nodes");
    assert_refused (HEAD "<graph><node/>" TAIL, "an id is missing");
    assert_refused (HEAD "<graph><node id='a'/><node id='a'/>" TAIL, "two nodes have the id \"a\"");
    assert_refused (HEAD "<graph><node id='a'/><node id='b'/><edge source='a' target='b'/>"
                         "<edge source='a' target='b'/><edge id='a' source='a' target='b'/>\n"
                         "<edge id='a' source='a' target='a'/>" TAIL,
                    "12: two edges have the id \"a\"");
    assert_refused (HEAD "<graph><node id='a'/>\n<edge source='a' target='z'/>" TAIL,
                    "12: an edge ends at node \"z\", which is not in the map");
    assert_refused (HEAD "<graph><node id='a'/><edge source='a'/>" TAIL, "an id is missing");
    assert_refused (HEAD "<graph><node id='a'><graph/></node>" TAIL, "a graph within another");
    assert_refused (HEAD "<graph><node id='a'><node id='b'/></node>" TAIL, "directly in its graph");
    assert_refused (HEAD "<node id='a'/></graphml>", "directly in its graph");
}

/*  Entities that multiply, entities from elsewhere, and deep nesting: none gets so far as to cost
 *  anything. */
static void bombs_are_refused (void **state)
{
    (void) state;
    assert_refused ("<?xml version='1.0'?>\n<!DOCTYPE lolz [<!ENTITY a 'aaaaaaaaaa'>"
                    "<!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;'>"
                    "<!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;'>]>\n"
                    "<graphml><graph><node id='&c;'/></graph></graphml>",
                    "2: a document type");
    assert_refused ("<!DOCTYPE graphml SYSTEM 'file:///etc/passwd'><graphml/>", "a document type");
    char deep [4096] = "<graphml>";
    for (int i = 0; i < 200; i++)
        strcat (deep, "<a>");
    assert_refused (deep, "nested too deeply");
}

/*  text is head, count times one with %d for the number, tail. */
static char *repeated (const char *head, const char *one, size_t count, const char *tail)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream (&text, &size);
    assert_non_null (to);
    fputs (head, to);
    for (size_t i = 0; i < count; i++)
        fprintf (to, "<%s%zu'/>", one, i);
    fputs (tail, to);
    fclose (to);
    return text;
}

static void limits_are_kept (void **state)
{
    (void) state;
    map_t map;
    char why [WHY_BYTES];
    char *text = repeated ("<graphml><graph>", "node id='", GRAPHML_NODES_MAX, TAIL);
    assert_true (read_text (&map, text, why));
    assert_int_equal (map.nodes_count, GRAPHML_NODES_MAX);
    map_clear (&map);
    free (text);
    text = repeated ("<graphml><graph>", "node id='", GRAPHML_NODES_MAX + 1, TAIL);
    assert_refused (text, "more than 4096 nodes");
    free (text);
    text = repeated ("<graphml><graph><node id='a'/>", "edge source='a' target='",
                     GRAPHML_EDGES_MAX + 1, TAIL);
    assert_refused (text, "more than 8192 edges");
    free (text);
    text = repeated ("<graphml>", "key attr.name='label' id='", 300, "<graph><node id='a'/>" TAIL);
    assert_refused (text, "too many keys");
    free (text);

    text = malloc (GRAPHML_BYTES_MAX + 1);
    assert_non_null (text);
    memset (text, ' ', GRAPHML_BYTES_MAX + 1);
    assert_false (graphml_read (&map, text, GRAPHML_BYTES_MAX + 1, why));
    assert_non_null (strstr (why, "more than 16777216 bytes"));
    free (text);
}

static void a_long_label_is_cut_and_a_long_id_refused (void **state)
{
    (void) state;
    char letters [301];
    char text [4096];
    map_t map;
    char why [WHY_BYTES];
    memset (letters, 'x', 300);
    letters [300] = '\0';
    snprintf (text, sizeof text, HEAD "<graph><node id='a'><data key='l'>%s</data></node>" TAIL,
              letters);
    assert_true (read_text (&map, text, why));
    assert_int_equal (strlen (map.nodes [0].label), GRAPHML_TEXT_BYTES - 1);
    map_clear (&map);
    snprintf (text, sizeof text, HEAD "<graph><node id='%s'/>" TAIL, letters);
    assert_refused (text, "an id is too long");
    snprintf (text, sizeof text,
              HEAD "<graph><node id='a'/><edge id='%s' source='a' target='a'/>" TAIL, letters);
    assert_refused (text, "an id is too long");
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (reads_nodes_and_edges),
      cmocka_unit_test (understands_words_about_speed),
      cmocka_unit_test (keeps_the_rules_of_the_format),
      cmocka_unit_test (measures_great_circles),
      cmocka_unit_test (what_is_no_map_is_refused_with_its_line),
      cmocka_unit_test (bombs_are_refused),
      cmocka_unit_test (limits_are_kept),
      cmocka_unit_test (a_long_label_is_cut_and_a_long_id_refused),
    };
    return cmocka_run_group_tests_name ("graphml", tests, NULL, NULL);
}
