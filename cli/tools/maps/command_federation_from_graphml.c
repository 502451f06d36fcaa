/*  musubi federation from-graphml - a federation on the map of a real network.
 *
 *  Input: a GraphML file as the Internet Topology Zoo keeps them, how many sites to place on it,
 *  and the seed of the random choices. Output: a federation file (deploy/federations/README.md)
 *  that `up` takes. What was left out of the map, or is not known from it, is reported on standard
 *  error. */
#include "commands.h"
#include "federation.h"
#include "topology.h"

typedef struct {
    const char *file;
    const char *out; /* NULL = standard output */
    int64_t sites;   /* 0 = not given */
    int64_t seed;    /* below 0 = not given */
    int64_t domains; /* 0 = by the map's size */
    int64_t mbps;    /* of links whose speed is not told */
} from_graphml_t;

/*  False after refusing. */
static bool read_map (const char *file, map_t *map)
{
    char why [WHY_BYTES];
    size_t size;
    text_auto_t *text = cli_read_text (file, GRAPHML_BYTES_MAX + 1, &size);
    bool good = text && graphml_read (map, text, size, why);
    if (!text)
        cli_fail (EXIT_USAGE, "%s: can't be read: %s", file, strerror (errno));
    else if (!good)
        cli_fail (EXIT_USAGE, "%s:%s", file, why);
    return good;
}

static void tell_left_out (const from_graphml_t *asked, const map_t *map,
                           const topology_t *topology)
{
    size_t unknown = 0;
    for (size_t i = 0; i < map->edges_count; i++)
        unknown += map->edges [i].mbps == 0;
    if (unknown > 0)
        fprintf (stderr,
                 "%s: %zu of %zu links have no speed that is understood: taken as %" PRId64
                 " Mbit/s (--mbps)\n",
                 asked->file, unknown, map->edges_count, asked->mbps);
    if (map->directed > 0)
        fprintf (stderr, "%s: edges with one direction, taken for both: %zu\n", asked->file,
                 map->directed);
    if (map->loops > 0)
        fprintf (stderr, "%s: left out: edges from a node to itself: %zu\n", asked->file,
                 map->loops);
    if (topology_left_out (topology) > 0)
        fprintf (stderr, "%s: left out: nodes that are not connected to the others: %zu\n",
                 asked->file, topology_left_out (topology));
}

/*  Writes the federation, once it is seen that `up` would take it; returns the exit code. */
static int federation_from_graphml_write (const from_graphml_t *asked, const map_t *map,
                                          const topology_t *topology)
{
    text_auto_t *text = NULL;
    size_t size;
    FILE *to = must (open_memstream (&text, &size));
    topology_write (topology, to);
    if (fclose (to) != 0)
        abort ();
    tell_left_out (asked, map, topology);
    return federation_save (text, size, asked->out ? asked->out : "-");
}

static int federation_from_graphml_make (const from_graphml_t *asked, const map_t *map)
{
    topology_order_t order = {.sites = (size_t) asked->sites,
                              .domains = (size_t) asked->domains,
                              .seed = (uint64_t) asked->seed,
                              .mbps = (uint32_t) asked->mbps};
    char why [WHY_BYTES];
    topology_t *topology = topology_new (map, &order, why);
    if (!topology)
        return cli_fail (EXIT_USAGE, "%s: %s", asked->file, why);
    int code = federation_from_graphml_write (asked, map, topology);
    topology_destroy (&topology);
    return code;
}

int run_federation_from_graphml (cli_t *cli)
{
    from_graphml_t asked = {.seed = -1, .mbps = TOPOLOGY_MBPS_PRESET};
    cli_option_t list [] = {
      INTEGER_OPTION ("sites", &asked.sites, "N", "sites to place on the map", 1,
                      FEDERATION_SITES_MAX),
      INTEGER_OPTION ("seed", &asked.seed, "S",
                      "seed of the random choices: the same seed gives the same federation", 0,
                      9007199254740992.0),
      INTEGER_OPTION ("domains", &asked.domains, "K",
                      "network domains to cut the map into; about 25 nodes each, at least two", 1,
                      FEDERATION_DOMAINS_MAX),
      INTEGER_OPTION ("mbps", &asked.mbps, "M",
                      "Mbit/s of links whose speed the map does not tell; default 10000", 1, 1e9),
      TEXT_OPTION ("out", &asked.out, "FILE", "write to this file instead of standard output"),
      {0}};
    map_t map;
    int code;
    if (!cli_parse (cli, list, 1, 1, &code))
        return code;
    if (asked.sites == 0 || asked.seed < 0)
        return cli_fail (EXIT_USAGE, "%s: say %s", cli->command->name,
                         asked.sites == 0 ? "--sites N, how many to place on the map"
                                          : "--seed S, so that it can be made again");
    asked.file = cli->words [0];
    if (!read_map (asked.file, &map))
        return EXIT_USAGE;
    code = federation_from_graphml_make (&asked, &map);
    map_clear (&map);
    return code;
}
