/*  graph: joins domains by names, in any order, and tells what the domains disagree about. */
#include "graph.h"

#include "prng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { VERTICES_MAX = 8, LINKS_MAX = 12, ATTRIBUTES_MAX = 2 };

typedef struct {
    domain_t domain;
    vertex_t vertices [VERTICES_MAX];
    attribute_t attributes [VERTICES_MAX][ATTRIBUTES_MAX];
    link_t links [LINKS_MAX];
} graph_drawn_t;

static void draw_clear (graph_drawn_t *self)
{
    memset (self, 0, sizeof *self);
    self->domain.vertices = self->vertices;
    self->domain.links = self->links;
}

static void draw_vertex (graph_drawn_t *self, const char *name, vertex_kind_t kind)
{
    size_t i = self->domain.vertices_count++;
    snprintf (self->vertices [i].name, sizeof self->vertices [i].name, "%s", name);
    self->vertices [i].kind = kind;
    self->vertices [i].attributes = self->attributes [i];
}

/*  Of the vertex drawn last. */
static void draw_attribute (graph_drawn_t *self, const char *name, const char *value)
{
    vertex_t *vertex = &self->vertices [self->domain.vertices_count - 1];
    attribute_t *attribute = &vertex->attributes [vertex->attributes_count++];
    snprintf (attribute->name, sizeof attribute->name, "%s", name);
    snprintf (attribute->value, sizeof attribute->value, "%s", value);
}

static void draw_link (graph_drawn_t *self, const char *name, const char *a, const char *b)
{
    link_t *link = &self->links [self->domain.links_count++];
    snprintf (link->name, sizeof link->name, "%s", name);
    snprintf (link->ends [0], sizeof link->ends [0], "%s", a);
    snprintf (link->ends [1], sizeof link->ends [1], "%s", b);
    link->mbps = 1000;
}

static void add (graph_t *graph, const char *name, const graph_drawn_t *drawn)
{
    char why [WHY_BYTES];
    if (!domain_check (&drawn->domain, name, why))
        fail_msg ("%s", why);
    graph_add (graph, name, &drawn->domain);
}

/*  A router is its domain's: "N/r1". */
static vertex_kind_t kind_of (const graph_t *graph, size_t vertex)
{
    const char *name = graph_vertex_name (graph, vertex);
    for (size_t i = 0; i < graph_site_count (graph, name); i++)
        if (graph_site (graph, name, i) == vertex)
            return VERTEX_SITE;
    return strchr (name, '/') ? VERTEX_ROUTER : VERTEX_EXCHANGE;
}

/*  Everything that a graph can be asked, as text. Malloc'ed. */
static char *told (const graph_t *graph)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream (&text, &size);
    assert_non_null (to);
    for (size_t i = 0; i < graph_vertices (graph); i++) {
        size_t count;
        const size_t *at = graph_at (graph, i, &count);
        fprintf (to, "%s (%s):", graph_vertex_name (graph, i),
                 vertex_kind_word (kind_of (graph, i)));
        for (size_t k = 0; k < count; k++)
            fprintf (to, " %zu", at [k]);
        fputc ('\n', to);
    }
    for (size_t i = 0; i < graph_links (graph); i++) {
        const graph_link_t *link = graph_link (graph, i);
        fprintf (to, "%s/%s %zu-%zu\n", link->domain, link->link->name, link->ends [0],
                 link->ends [1]);
    }
    for (size_t i = 0; i < graph_conflicts (graph); i++)
        fprintf (to, "%s: %s\n", graph_conflict_vertex (graph, i), graph_conflict (graph, i));
    fclose (to);
    return text;
}

static void assert_told (const graph_t *graph, const char *expected)
{
    char *text = told (graph);
    assert_string_equal (text, expected);
    free (text);
}

/*  Two domains that meet at X1 and at the site ams. */
static void draw_two (graph_drawn_t *north, graph_drawn_t *south)
{
    draw_clear (north);
    draw_vertex (north, "ams", VERTEX_SITE);
    draw_vertex (north, "N/r1", VERTEX_ROUTER);
    draw_vertex (north, "X1", VERTEX_EXCHANGE);
    draw_link (north, "b", "ams", "N/r1");
    draw_link (north, "a", "N/r1", "X1");
    draw_clear (south);
    draw_vertex (south, "X1", VERTEX_EXCHANGE);
    draw_vertex (south, "ams", VERTEX_SITE);
    draw_link (south, "a", "ams", "X1");
    draw_link (south, "aa", "X1", "ams"); /* parallel */
}

static void domains_are_joined_by_the_names_of_vertices (void **state)
{
    (void) state;
    graph_drawn_t north;
    graph_drawn_t south;
    draw_two (&north, &south);
    graph_t *graph = graph_new ();
    add (graph, "S", &south);
    add (graph, "N", &north);
    assert_told (graph, "N/r1 (router): 0 1\n"
                        "X1 (exchange point): 1 2 3\n"
                        "ams (site): 0 2 3\n"
                        "N/b 2-0\n"
                        "N/a 0-1\n"
                        "S/a 2-1\n"
                        "S/aa 1-2\n");
    assert_int_equal (graph_vertex (graph, "X1"), 1);
    assert_true (graph_vertex (graph, "X2") == SIZE_MAX);
    assert_int_equal (graph_find_link (graph, "N", "a"), 1);
    assert_int_equal (graph_find_link (graph, "S", "aa"), 3);
    assert_true (graph_find_link (graph, "S", "b") == SIZE_MAX);
    assert_true (graph_find_link (graph, "T", "a") == SIZE_MAX);
    assert_int_equal (graph_site_count (graph, "ams"), 1);
    assert_int_equal (graph_site (graph, "ams", 0), 2);
    assert_int_equal (graph_site_count (graph, "X1"), 0); /* is no site */
    assert_int_equal (graph_site_count (graph, "nowhere"), 0);
    graph_destroy (&graph);
    assert_null (graph);
    graph_destroy (&graph);
}

static void an_empty_graph_answers (void **state)
{
    (void) state;
    graph_t *graph = graph_new ();
    assert_told (graph, "");
    graph_add (graph, "N", &(domain_t){0});
    assert_told (graph, "");
    assert_true (graph_find_link (graph, "N", "a") == SIZE_MAX);
    graph_destroy (&graph);
}

static void what_it_was_given_may_go (void **state)
{
    (void) state;
    graph_drawn_t north;
    graph_drawn_t south;
    draw_two (&north, &south);
    graph_t *graph = graph_new ();
    add (graph, "N", &north);
    memset (&north, 'x', sizeof north);
    assert_int_equal (graph_vertices (graph), 3);
    assert_string_equal (graph_vertex_name (graph, 2), "ams");
    graph_destroy (&graph);
}

static void a_domain_that_comes_again_replaces_itself (void **state)
{
    (void) state;
    graph_drawn_t north;
    graph_drawn_t south;
    draw_two (&north, &south);
    graph_t *graph = graph_new ();
    add (graph, "N", &north);
    add (graph, "S", &south);
    assert_int_equal (graph_links (graph), 4);
    north.domain.links_count = 1;
    north.domain.vertices_count = 2;
    add (graph, "N", &north);
    assert_told (graph, "N/r1 (router): 0\n"
                        "X1 (exchange point): 1 2\n"
                        "ams (site): 0 1 2\n"
                        "N/b 2-0\n"
                        "S/a 2-1\n"
                        "S/aa 1-2\n");
    graph_destroy (&graph);
}

/*  Domains N and S, each with one site beside X1; X1 as each of them says. */
static graph_t *disagreeing (vertex_kind_t north_kind, const char *north_place,
                             vertex_kind_t south_kind, const char *south_place)
{
    graph_drawn_t north;
    graph_drawn_t south;
    draw_clear (&north);
    draw_vertex (&north, "ams", VERTEX_SITE);
    draw_vertex (&north, "X1", north_kind);
    if (north_place)
        draw_attribute (&north, "location", north_place);
    draw_attribute (&north, "hall", "7");
    draw_link (&north, "n", "ams", "X1");
    draw_clear (&south);
    draw_vertex (&south, "bcn", VERTEX_SITE);
    draw_vertex (&south, "X1", south_kind);
    draw_attribute (&south, "hall", "7");
    if (south_place)
        draw_attribute (&south, "location", south_place);
    draw_link (&south, "s", "bcn", "X1");
    graph_t *graph = graph_new ();
    add (graph, "S", &south);
    add (graph, "N", &north);
    return graph;
}

static void the_order_of_attributes_does_not_matter (void **state)
{
    (void) state;
    graph_t *graph = disagreeing (VERTEX_EXCHANGE, "paris", VERTEX_EXCHANGE, "paris");
    assert_int_equal (graph_conflicts (graph), 0);
    assert_int_equal (graph_vertices (graph), 3);
    graph_destroy (&graph);
}

static void a_vertex_described_differently_is_one_for_each_description (void **state)
{
    (void) state;
    graph_t *graph = disagreeing (VERTEX_EXCHANGE, "paris", VERTEX_EXCHANGE, "lyon");
    assert_told (
      graph, "X1 (exchange point): 0\n"
             "X1 (exchange point): 1\n"
             "ams (site): 0\n"
             "bcn (site): 1\n"
             "N/n 2-0\n"
             "S/s 3-1\n"
             "X1: exchange point X1: domain N says location=paris, domain S says location=lyon\n");
    assert_int_equal (graph_vertex (graph, "X1"), 0);
    graph_destroy (&graph);
}

static void says_how_descriptions_differ (void **state)
{
    (void) state;
    graph_t *graph = disagreeing (VERTEX_EXCHANGE, "paris", VERTEX_EXCHANGE, NULL);
    assert_string_equal (graph_conflict (graph, 0), "exchange point X1: domain N says "
                                                    "location=paris, domain S says no location");
    graph_destroy (&graph);
    graph = disagreeing (VERTEX_SITE, NULL, VERTEX_SITE, "lyon");
    assert_string_equal (graph_conflict (graph, 0),
                         "site X1: domain N says no location, domain S says location=lyon");
    assert_int_equal (graph_site_count (graph, "X1"), 2);
    assert_int_equal (graph_site (graph, "X1", 1), 1);
    graph_destroy (&graph);
    graph = disagreeing (VERTEX_EXCHANGE, NULL, VERTEX_SITE, "lyon");
    assert_string_equal (graph_conflict (graph, 0),
                         "X1: domain N says exchange point, domain S says site");
    assert_int_equal (graph_site_count (graph, "X1"), 1);
    assert_int_equal (graph_site (graph, "X1", 0), 1);
    graph_destroy (&graph);
}

static void a_long_disagreement_is_told_whole (void **state)
{
    (void) state;
    char paris [ATTRIBUTE_VALUE_BYTES_MAX + 1];
    char lyon [ATTRIBUTE_VALUE_BYTES_MAX + 1];
    memset (paris, 'p', ATTRIBUTE_VALUE_BYTES_MAX);
    memset (lyon, 'l', ATTRIBUTE_VALUE_BYTES_MAX);
    paris [ATTRIBUTE_VALUE_BYTES_MAX] = lyon [ATTRIBUTE_VALUE_BYTES_MAX] = '\0';
    graph_t *graph = disagreeing (VERTEX_EXCHANGE, paris, VERTEX_EXCHANGE, lyon);
    assert_non_null (strstr (graph_conflict (graph, 0), paris));
    assert_non_null (strstr (graph_conflict (graph, 0), lyon));
    graph_destroy (&graph);
}

/*  Each domain has a link from its own router to X1, which lies where that domain says. */
static graph_t *meeting_at (const char *const names [], const char *const places [], size_t count)
{
    graph_t *graph = graph_new ();
    for (size_t i = count; i-- > 0;) {
        graph_drawn_t drawn;
        char router [NAME_BYTES_MAX + 1];
        snprintf (router, sizeof router, "%s/r", names [i]);
        draw_clear (&drawn);
        draw_vertex (&drawn, router, VERTEX_ROUTER);
        draw_vertex (&drawn, "X1", VERTEX_EXCHANGE);
        draw_attribute (&drawn, "location", places [i]);
        draw_link (&drawn, "a", router, "X1");
        add (graph, names [i], &drawn);
    }
    return graph;
}

static void one_that_disagrees_does_not_part_the_others (void **state)
{
    (void) state;
    graph_t *graph = meeting_at ((const char *const []){"N", "S", "U"},
                                 (const char *const []){"paris", "lyon", "paris"}, 3);
    assert_told (
      graph, "N/r (router): 0\n"
             "S/r (router): 1\n"
             "U/r (router): 2\n"
             "X1 (exchange point): 0 2\n"
             "X1 (exchange point): 1\n"
             "N/a 0-3\n"
             "S/a 1-4\n"
             "U/a 2-3\n"
             "X1: exchange point X1: domain N says location=paris, domain S says location=lyon\n");
    graph_destroy (&graph);
}

static void each_group_that_agrees_is_one_vertex (void **state)
{
    (void) state;
    graph_t *graph =
      meeting_at ((const char *const []){"A", "B", "C", "D", "E"},
                  (const char *const []){"lyon", "paris", "oslo", "paris", "lyon"}, 5);
    assert_int_equal (graph_conflicts (graph), 1); /* one sentence a name */
    assert_int_equal (graph_vertices (graph), 5 + 3);
    size_t at [5];
    for (size_t i = 0; i < 5; i++)
        at [i] = graph_link (graph, i)->ends [1];
    size_t lyon = graph_vertex (graph, "X1");
    assert_int_equal (at [0], lyon);
    assert_int_equal (at [1], lyon + 1);
    assert_int_equal (at [2], lyon + 2);
    assert_int_equal (at [3], at [1]);
    assert_int_equal (at [4], at [0]);
    graph_destroy (&graph);
}

/*  Exchange points a to e between four domains, which sometimes disagree. */
static void draw_random (graph_drawn_t *drawn, prng_t *lot)
{
    draw_clear (drawn);
    for (const char *name = "abcde"; *name; name++)
        if (prng_below (lot, 3) > 0) {
            draw_vertex (drawn, (char []){*name, '\0'},
                         prng_below (lot, 8) ? VERTEX_EXCHANGE : VERTEX_SITE);
            if (prng_below (lot, 4) == 0)
                draw_attribute (drawn, "location", prng_below (lot, 2) ? "paris" : "lyon");
        }
    size_t count = drawn->domain.vertices_count;
    size_t links = count > 1 ? prng_below (lot, 8) : 0;
    for (size_t i = 0; i < links; i++) {
        size_t a = prng_below (lot, count);
        size_t b = (a + 1 + prng_below (lot, count - 1)) % count;
        draw_link (drawn, (char []){(char) ('9' - i), '\0'},
                   (char []){*drawn->vertices [a].name, '\0'},
                   (char []){*drawn->vertices [b].name, '\0'});
    }
}

static void the_order_in_which_domains_come_does_not_matter (void **state)
{
    (void) state;
    const uint64_t seed = 20261123;
    print_message ("seed %llu\n", (unsigned long long) seed);
    prng_t lot;
    prng_seed (&lot, seed);
    size_t disagreements = 0;
    for (int round = 0; round < 500; round++) {
        static const char *const names [] = {"N", "S", "U", "W"};
        graph_drawn_t drawn [4];
        for (size_t i = 0; i < 4; i++)
            draw_random (&drawn [i], &lot);
        graph_t *one = graph_new ();
        graph_t *other = graph_new ();
        for (size_t i = 0; i < 4; i++)
            add (one, names [i], &drawn [i]);
        size_t order [4] = {0, 1, 2, 3};
        for (size_t i = 0; i < 4; i++) {
            size_t with = i + prng_below (&lot, 4 - i);
            size_t kept = order [i];
            order [i] = order [with];
            order [with] = kept;
            add (other, names [order [i]], &drawn [order [(i + 1) % 4]]); /* to be replaced */
            assert_true (graph_vertices (other) > 0 || graph_links (other) == 0);
        }
        for (size_t i = 0; i < 4; i++)
            add (other, names [order [i]], &drawn [order [i]]);
        char *expected = told (one);
        assert_told (other, expected);
        free (expected);
        disagreements += graph_conflicts (one);
        graph_destroy (&one);
        graph_destroy (&other);
    }
    assert_true (disagreements > 100);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (domains_are_joined_by_the_names_of_vertices),
      cmocka_unit_test (an_empty_graph_answers),
      cmocka_unit_test (what_it_was_given_may_go),
      cmocka_unit_test (a_domain_that_comes_again_replaces_itself),
      cmocka_unit_test (the_order_of_attributes_does_not_matter),
      cmocka_unit_test (a_vertex_described_differently_is_one_for_each_description),
      cmocka_unit_test (says_how_descriptions_differ),
      cmocka_unit_test (a_long_disagreement_is_told_whole),
      cmocka_unit_test (one_that_disagrees_does_not_part_the_others),
      cmocka_unit_test (each_group_that_agrees_is_one_vertex),
      cmocka_unit_test (the_order_in_which_domains_come_does_not_matter),
    };
    return cmocka_run_group_tests_name ("graph", tests, NULL, NULL);
}
