/*  fuzz_graphml - any text as a map of a network, after three bytes that say which federation is to
 *  be laid over it: the map is read or refused with a line, and the federation can be read as any
 *  other. */
#include "federation.h"
#include "fuzzing.h"
#include "graphml.h"
#include "topology.h"

static void map_sound (const map_t *map)
{
    REQUIRE (map->nodes_count <= GRAPHML_NODES_MAX && map->edges_count <= GRAPHML_EDGES_MAX);
    for (size_t i = 0; i < map->edges_count; i++) {
        const map_edge_t *edge = &map->edges [i];
        REQUIRE (edge->ends [0] < map->nodes_count && edge->ends [1] < map->nodes_count);
        REQUIRE (edge->ends [0] != edge->ends [1]);
    }
}

static void federation_sound (const topology_t *topology, const topology_order_t *order)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream (&text, &size);
    if (!to)
        abort ();
    topology_write (topology, to);
    fclose (to);
    char why [LONG_WHY_BYTES] = "";
    federation_t *federation = federation_read ("map", text, size, why);
    if (!federation)
        fprintf (stderr, "%s\n%s\n", why, text);
    REQUIRE (federation);
    const char *const *names;
    REQUIRE (federation_names (federation, "lis", &names) == order->sites);
    size_t domains = federation_names (federation, "nis", &names);
    REQUIRE (order->domains > 0 ? domains == order->domains : domains > 0);
    federation_destroy (&federation);
    free (text);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    if (size < 3)
        return FUZZ_UNWANTED;
    topology_order_t order = {
      .sites = 1 + data [0] % 16, .domains = data [1] % 8, .seed = data [2]};
    map_t map;
    char why [WHY_BYTES] = "";
    if (!graphml_read (&map, (const char *) data + 3, size - 3, why)) {
        REQUIRE (why [0] != '\0' && memchr (why, '\0', sizeof why) && !map.nodes);
        return 0;
    }
    map_sound (&map);
    char order_why [WHY_BYTES] = "";
    topology_t *topology = topology_new (&map, &order, order_why);
    map_clear (&map);
    if (topology)
        federation_sound (topology, &order);
    else
        REQUIRE (order_why [0] != '\0' && memchr (order_why, '\0', sizeof order_why));
    topology_destroy (&topology);
    return 0;
}
