/*  topology: whatever the map and the seed, the federation is whole: it loads, every domain hangs
 *  together, and every site reaches every other.
 */
#include "topology.h"

#include "domain_config.h"
#include "federation.h"
#include "graph.h"
#include "path.h"
#include "prng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/*  --- maps --- */

static map_t map_of (size_t nodes)
{
    map_t map = {.name = "Kite", .nodes_count = nodes};
    map.nodes = calloc (nodes, sizeof *map.nodes);
    map.edges = calloc (GRAPHML_EDGES_MAX, sizeof *map.edges);
    assert_true (map.nodes && map.edges);
    return map;
}

static map_edge_t *join (map_t *map, size_t a, size_t b, uint32_t mbps)
{
    map_edge_t *edge = &map->edges [map->edges_count++];
    *edge = (map_edge_t){.ends = {a, b}, .mbps = mbps};
    return edge;
}

/*  A tree and some more edges, parallel ones among them; few labels, so that many are the same. */
static map_t random_map (prng_t *lot)
{
    static const char *const labels [] = {
      "Harbour", "Old Mill & Sons", "\xc5\xbditn\xc3\xa1", "", "r_x", "--"};
    size_t nodes = 1 + prng_below (lot, 60);
    map_t map = map_of (nodes);
    for (size_t i = 0; i < nodes; i++) {
        map_node_t *node = &map.nodes [i];
        snprintf (node->label, sizeof node->label, "%s", labels [prng_below (lot, 6)]);
        node->located = prng_below (lot, 4) > 0;
        node->latitude = 40 + 20 * prng_unit (lot);
        node->longitude = 20 * prng_unit (lot);
        if (i > 0)
            join (&map, i, prng_below (lot, i), (uint32_t) prng_below (lot, 3) * 1000);
    }
    for (size_t i = prng_below (lot, 30); nodes > 1 && i > 0; i--) {
        size_t a = prng_below (lot, nodes);
        join (&map, a, (a + 1 + prng_below (lot, nodes - 1)) % nodes, 2500);
    }
    return map;
}

static char *written (const map_t *map, const topology_order_t *order)
{
    char why [WHY_BYTES];
    char *text = NULL;
    size_t size;
    topology_t *topology = topology_new (map, order, why);
    if (!topology)
        fail_msg ("%s", why);
    FILE *to = open_memstream (&text, &size);
    assert_non_null (to);
    topology_write (topology, to);
    fclose (to);
    topology_destroy (&topology);
    assert_null (topology);
    return text;
}

/*  --- what is checked of a federation --- */

/*  A domain of the federation as svc-nis would read it. */
static domain_t domain_of (const federation_t *federation, const char *name)
{
    char *section = NULL;
    char *end;
    size_t size;
    char why [LONG_WHY_BYTES];
    domain_t domain;
    FILE *to = open_memstream (&section, &size);
    federation_write_domain (federation, name, "carol", to);
    fclose (to);
    /* who may do what there is not of the graph */
    end = strstr (section, "administrators = ");
    assert_non_null (end);
    *end = '\0';
    static const setting_table_t *const tables [] = {&domain_table};
    config_t *config = config_open_text (name, section, strlen (section), NULL, 0, tables, 1, why);
    if (!config)
        fail_msg ("%s", why);
    if (!domain_config_read (config, config_settings (config, &domain_table), name, &domain, why))
        fail_msg ("%s", why);
    config_destroy (&config);
    free (section);
    return domain;
}

/*  Is there a path from the first vertex to every other? */
static bool hangs_together (const graph_t *graph)
{
    for (size_t i = 1; i < graph_vertices (graph); i++) {
        path_t path;
        uint64_t steps = 1000000;
        path_question_t question = {.from = 0, .to = i};
        if (path_find (graph, &question, &path, &steps) != PATH_FOUND)
            return false;
    }
    return true;
}

typedef struct {
    size_t links;
    size_t exchanges;
    graph_t *graph;
} topology_checked_t;

static bool is_exchange (const graph_t *graph, size_t vertex)
{
    const char *name = graph_vertex_name (graph, vertex);
    return graph_site_count (graph, name) == 0 &&
           !strchr (name, '/'); /* a router is its domain's */
}

static topology_checked_t check (const char *text)
{
    char why [LONG_WHY_BYTES];
    federation_t *federation = federation_read ("made.zpl", text, strlen (text), why);
    if (!federation)
        fail_msg ("%s\n%s", why, text);
    topology_checked_t checked = {.graph = graph_new ()};
    const char *const *names;
    size_t count = federation_names (federation, "nis", &names);
    for (size_t i = 0; i < count; i++) {
        domain_t domain = domain_of (federation, names [i]);
        graph_t *alone = graph_new ();
        graph_add (alone, names [i], &domain);
        assert_true (hangs_together (alone));
        graph_destroy (&alone);
        graph_add (checked.graph, names [i], &domain);
        codec_clear (&domain_codec, &domain);
    }
    assert_true (hangs_together (checked.graph));
    assert_int_equal (graph_conflicts (checked.graph), 0);
    checked.links = graph_links (checked.graph);
    for (size_t i = 0; i < graph_vertices (checked.graph); i++)
        checked.exchanges += is_exchange (checked.graph, i);
    const char *const *sites;
    size_t sites_count = federation_names (federation, "lis", &sites);
    for (size_t i = 0; i < sites_count; i++)
        assert_int_equal (graph_site_count (checked.graph, sites [i]), 1);
    federation_destroy (&federation);
    return checked;
}

static void every_federation_is_whole (void **state)
{
    (void) state;
    const uint64_t seed = 20261122;
    print_message ("seed %llu\n", (unsigned long long) seed);
    prng_t lot;
    prng_seed (&lot, seed);
    for (int round = 0; round < 400; round++) {
        map_t map = random_map (&lot);
        topology_order_t order = {.sites = 1 + prng_below (&lot, map.nodes_count),
                                  .domains = prng_below (&lot, map.nodes_count + 1),
                                  .seed = prng_next (&lot)};
        if (order.domains > FEDERATION_DOMAINS_MAX)
            order.domains = FEDERATION_DOMAINS_MAX;
        char *text = written (&map, &order);
        topology_checked_t checked = check (text);
        assert_int_equal (checked.links, map.edges_count + order.sites); /* none is lost */
        graph_destroy (&checked.graph);
        char *again = written (&map, &order);
        assert_string_equal (text, again);
        free (again);
        free (text);
        map_clear (&map);
    }
}

static void another_seed_gives_another_federation (void **state)
{
    (void) state;
    prng_t lot;
    prng_seed (&lot, 5);
    map_t map = random_map (&lot);
    while (map.nodes_count < 20) {
        map_clear (&map);
        map = random_map (&lot);
    }
    char *one = written (&map, &(topology_order_t){.sites = 5, .seed = 1});
    char *other = written (&map, &(topology_order_t){.sites = 5, .seed = 2});
    assert_string_not_equal (one, other);
    free (one);
    free (other);
    map_clear (&map);
}

/*  A chain of four, cut into two: a - b - c - d. Whichever way it is cut, one link crosses, and
 *  belongs to the side of its end with fewer links. */
static void a_link_that_crosses_ends_at_an_exchange_point_of_both (void **state)
{
    (void) state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        map_t map = map_of (4);
        for (size_t i = 0; i < 4; i++) {
            map.nodes [i] = (map_node_t){.label = {(char) ('A' + i)}};
            if (i > 0)
                join (&map, i - 1, i, 0);
        }
        char *text = written (&map, &(topology_order_t){.sites = 1, .domains = 2, .seed = seed});
        topology_checked_t checked = check (text);
        assert_int_equal (checked.exchanges, 1);
        size_t exchange = 0;
        while (!is_exchange (checked.graph, exchange))
            exchange++;
        size_t count;
        const size_t *at = graph_at (checked.graph, exchange, &count);
        bool first = false;
        bool second = false;
        for (size_t i = 0; i < count; i++) {
            const char *domain = graph_link (checked.graph, at [i])->domain;
            first = first || strcmp (domain, "kite-1") == 0;
            second = second || strcmp (domain, "kite-2") == 0;
        }
        assert_true (first && second);
        graph_destroy (&checked.graph);
        free (text);
        map_clear (&map);
    }
}

static const graph_link_t *link_named (const topology_checked_t *checked, const char *name)
{
    for (size_t i = 0; i < graph_links (checked->graph); i++)
        if (strcmp (graph_link (checked->graph, i)->link->name, name) == 0)
            return graph_link (checked->graph, i);
    fail_msg ("no link is called %s", name);
    return NULL;
}

static void links_are_as_the_map_says (void **state)
{
    (void) state;
    map_t map = map_of (3);
    map.nodes [0] = (map_node_t){.label = "Quay", .located = true};
    map.nodes [1] = (map_node_t){.label = "Weir", .located = true, .longitude = 3.597};
    map.nodes [2] = (map_node_t){.label = "Quay"};
    memcpy (join (&map, 0, 1, 2500)->type, "Lit Fibre", sizeof "Lit Fibre");
    join (&map, 1, 0, 0);
    join (&map, 1, 2, 155);
    char *text = written (&map, &(topology_order_t){.sites = 3, .domains = 1, .seed = 9});
    topology_checked_t checked = check (text);
    assert_int_equal (checked.exchanges, 0);

    const link_t *told = link_named (&checked, "quay--weir")->link;
    assert_int_equal (told->mbps, 2500);
    assert_int_equal (told->latency_us, 2000); /* 400 km at 200 km a ms */
    assert_int_equal (told->price, 1500000);   /* a half and two halves of a credit */
    assert_string_equal (told->attributes [0].name, "media");
    assert_string_equal (told->attributes [0].value, "lit-fibre");
    const link_t *untold = link_named (&checked, "weir--quay--2")->link; /* the parallel one */
    assert_int_equal (untold->mbps, 10000);
    assert_int_equal (untold->attributes_count, 0);
    const link_t *nowhere = link_named (&checked, "weir--quay-2")->link;
    assert_int_equal (nowhere->mbps, 155);
    assert_int_equal (nowhere->latency_us, 1000);
    const link_t *access = link_named (&checked, "quay")->link; /* as fast as the fastest there */
    assert_int_equal (access->mbps, 10000);
    assert_int_equal (access->latency_us, 100);
    assert_int_equal (link_named (&checked, "quay-2")->link->mbps, 155);
    graph_destroy (&checked.graph);
    free (text);
    map_clear (&map);
}

static void what_hangs_apart_is_left_out (void **state)
{
    (void) state;
    char why [WHY_BYTES];
    map_t map = map_of (7);
    join (&map, 0, 1, 0);
    join (&map, 2, 3, 0);
    join (&map, 3, 4, 0);
    join (&map, 5, 6, 0);
    topology_t *topology = topology_new (&map, &(topology_order_t){.sites = 3, .seed = 1}, why);
    assert_non_null (topology);
    assert_int_equal (topology_left_out (topology), 4);
    topology_destroy (&topology);
    assert_null (topology_new (&map, &(topology_order_t){.sites = 4, .seed = 1}, why));
    assert_string_equal (why, "4 sites can't be placed on the 3 nodes that are connected");
    assert_null (
      topology_new (&map, &(topology_order_t){.sites = 1, .domains = 4, .seed = 1}, why));
    assert_string_equal (why, "4 domains can't be cut from the 3 nodes that are connected");
    map_clear (&map);
}

/*  Each begins with the network's name and its number. */
static size_t domains_written (const topology_t *topology)
{
    char *text = NULL;
    size_t size, count = 0;
    FILE *to = open_memstream (&text, &size);
    assert_non_null (to);
    topology_write (topology, to);
    assert_int_equal (fclose (to), 0);
    for (const char *at = text; (at = strstr (at, "\n    kite-")); at++)
        count++;
    free (text);
    return count;
}

static void domains_are_about_25_nodes_each_and_at_least_two (void **state)
{
    (void) state;
    static const struct {
        size_t nodes;
        size_t domains;
    } cases [] = {{1, 1}, {2, 2}, {30, 2}, {74, 3}, {250, 10}, {4000, 160}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char why [WHY_BYTES];
        map_t map = map_of (cases [i].nodes);
        for (size_t k = 1; k < cases [i].nodes; k++)
            join (&map, k - 1, k, 0);
        topology_t *topology = topology_new (&map, &(topology_order_t){.sites = 1}, why);
        assert_int_equal (domains_written (topology), cases [i].domains);
        topology_destroy (&topology);
        map_clear (&map);
    }
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (every_federation_is_whole),
      cmocka_unit_test (another_seed_gives_another_federation),
      cmocka_unit_test (a_link_that_crosses_ends_at_an_exchange_point_of_both),
      cmocka_unit_test (links_are_as_the_map_says),
      cmocka_unit_test (what_hangs_apart_is_left_out),
      cmocka_unit_test (domains_are_about_25_nodes_each_and_at_least_two),
    };
    return cmocka_run_group_tests_name ("topology", tests, NULL, NULL);
}
