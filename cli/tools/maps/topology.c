/*  topology - from a map to domains and sites. */
#include "topology.h"

#include "federation.h"
#include "must.h"
#include "ordered.h"
#include "prng.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>

#define NAME_LETTERS     22 /* of a node's label; "-2" and so on may follow */
#define NETWORK_LETTERS  16
#define NAME_BYTES       40
#define LATENCY_US_LEAST 100
#define LATENCY_US_NONE  1000
#define NOBODY           SIZE_MAX
#define CPUS_A_NODE      8

typedef struct {
    char name [NAME_BYTES];
    size_t from; /* its node in the map */
    size_t domain;
    bool exchange;
    uint32_t mbps_most; /* of its links */
} topology_point_t;

typedef struct {
    size_t ends [2]; /* points */
    size_t domain;
    uint32_t mbps;
    int64_t latency_us;
    char media [NAME_BYTES]; /* "" = not given */
    unsigned number;         /* among the links between the same two points, from 1 */
} topology_span_t;

typedef struct {
    size_t point;
    unsigned cpus;
    unsigned memory_gb;
    unsigned price_milli; /* thousandths of a credit a CPU-hour */
    bool arm;
} topology_place_t;

struct topology {
    topology_order_t order;
    char network [NAME_BYTES];
    topology_point_t *points; /* in the map's order */
    size_t points_count;
    size_t left_out;
    topology_span_t *spans;
    size_t spans_count;
    size_t *at_from; /* spans at a point: at [at_from [i]] until at [at_from [i + 1]] */
    size_t *at;
    topology_place_t *places;
    size_t domains_count;
};

/*  --- names --- */

/*  Small letters and digits; whatever else becomes one dash, and none at an end. */
static void clean (char *to, const char *from, size_t letters, const char *instead)
{
    size_t used = 0;
    bool dash = false;
    for (; *from && used < letters; from++) {
        unsigned char letter = (unsigned char) *from;
        if (letter < 0x80 && isalnum (letter)) {
            if (dash && used > 0 && used + 1 < letters)
                to [used++] = '-';
            to [used++] = (char) tolower (letter);
            dash = false;
        } else
            dash = true;
    }
    to [used] = '\0';
    if (used == 0)
        memcpy (to, instead, strlen (instead) + 1);
}

/*  Of the same label, the second is "label-2", and so on; but for names that others have. */
static void name_points (topology_t *self, const map_t *map)
{
    ordered_t *named = ordered_by_text (offsetof (topology_point_t, name));
    char (*plain) [NAME_LETTERS + 1] = must (calloc (self->points_count, sizeof *plain));
    for (size_t i = 0; i < self->points_count; i++) {
        topology_point_t *point = &self->points [i];
        unsigned number = 1;
        clean (plain [i], map->nodes [point->from].label, NAME_LETTERS, "node");
        for (size_t k = 0; k < i; k++)
            number += strcmp (plain [k], plain [i]) == 0;
        for (bool taken = true; taken; number++) {
            if (number == 1)
                snprintf (point->name, sizeof point->name, "%.22s", plain [i]);
            else
                snprintf (point->name, sizeof point->name, "%.22s-%u", plain [i], number);
            taken = ordered_find (named, point->name) != NULL;
        }
        ordered_add (named, point->name, point);
    }
    free (plain);
    ordered_destroy (&named);
}

/*  --- the part that is kept --- */

/*  Marks in part, for each node of the map, the part that it belongs to; returns the largest part's
 *  number, of equal ones the first. */
static size_t largest_part (const map_t *map, size_t *part)
{
    size_t *counts = must (calloc (map->nodes_count, sizeof *counts));
    for (size_t i = 0; i < map->nodes_count; i++)
        part [i] = i;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < map->edges_count; i++) {
            size_t *a = &part [map->edges [i].ends [0]];
            size_t *b = &part [map->edges [i].ends [1]];
            if (*a != *b) {
                *a = *b = *a < *b ? *a : *b;
                changed = true;
            }
        }
    }
    size_t largest = 0;
    for (size_t i = 0; i < map->nodes_count; i++)
        counts [part [i]]++;
    for (size_t i = 1; i < map->nodes_count; i++)
        if (counts [i] > counts [largest])
            largest = i;
    free (counts);
    return largest;
}

static int64_t latency_between (const map_node_t *a, const map_node_t *b)
{
    if (!a->located || !b->located)
        return LATENCY_US_NONE;
    int64_t us = 10 * llround (map_distance_km (a, b) / TOPOLOGY_KM_A_MS * 100);
    return us > LATENCY_US_LEAST ? us : LATENCY_US_LEAST;
}

static void topology_add_span (topology_t *self, const map_t *map, const map_edge_t *edge,
                               const size_t *point_of)
{
    topology_span_t *span = &self->spans [self->spans_count++];
    *span = (topology_span_t){
      .ends = {point_of [edge->ends [0]], point_of [edge->ends [1]]},
      .mbps = edge->mbps ? edge->mbps : self->order.mbps,
      .latency_us = latency_between (&map->nodes [edge->ends [0]], &map->nodes [edge->ends [1]])};
    clean (span->media, edge->type, NAME_BYTES - 1, "");
    for (int end = 0; end < 2; end++) {
        topology_point_t *point = &self->points [span->ends [end]];
        if (span->mbps > point->mbps_most)
            point->mbps_most = span->mbps;
    }
}

static void keep_largest_part (topology_t *self, const map_t *map)
{
    size_t *part = must (calloc (map->nodes_count, sizeof *part));
    size_t *point_of = must (calloc (map->nodes_count, sizeof *point_of));
    size_t largest = largest_part (map, part);
    self->points = must (calloc (map->nodes_count, sizeof *self->points));
    self->spans = must (calloc (map->edges_count + 1, sizeof *self->spans));
    for (size_t i = 0; i < map->nodes_count; i++)
        if (part [i] == largest) {
            point_of [i] = self->points_count;
            self->points [self->points_count++] = (topology_point_t){.from = i, .domain = NOBODY};
        }
    self->left_out = map->nodes_count - self->points_count;
    for (size_t i = 0; i < map->edges_count; i++)
        if (part [map->edges [i].ends [0]] == largest)
            topology_add_span (self, map, &map->edges [i], point_of);
    free (part);
    free (point_of);
}

static size_t topology_other_end (const topology_span_t *span, size_t point)
{
    return span->ends [0] == point ? span->ends [1] : span->ends [0];
}

static void index_spans (topology_t *self)
{
    self->at_from = must (calloc (self->points_count + 2, sizeof *self->at_from));
    self->at = must (calloc (2 * self->spans_count + 1, sizeof *self->at));
    size_t *next = self->at_from + 1;
    for (size_t i = 0; i < self->spans_count; i++)
        for (int end = 0; end < 2; end++)
            next [self->spans [i].ends [end] + 1]++;
    for (size_t i = 1; i <= self->points_count; i++)
        next [i] += next [i - 1];
    for (size_t i = 0; i < self->spans_count; i++)
        for (int end = 0; end < 2; end++)
            self->at [next [self->spans [i].ends [end]]++] = i;
}

/*  --- the cut --- */

/*  Hops from the nearest of the roots so far, lowered by one more root. */
static void topology_measure (const topology_t *self, size_t root, size_t *hops, size_t *queue)
{
    size_t queued = 0;
    hops [root] = 0;
    queue [queued++] = root;
    for (size_t i = 0; i < queued; i++)
        for (size_t k = self->at_from [queue [i]]; k < self->at_from [queue [i] + 1]; k++) {
            size_t other = topology_other_end (&self->spans [self->at [k]], queue [i]);
            if (hops [queue [i]] + 1 < hops [other]) {
                hops [other] = hops [queue [i]] + 1;
                queue [queued++] = other;
            }
        }
}

static void choose_roots (topology_t *self, prng_t *lot, size_t *roots)
{
    size_t *hops = must (calloc (self->points_count, sizeof *hops));
    size_t *queue = must (calloc (self->points_count, sizeof *queue));
    for (size_t i = 0; i < self->points_count; i++)
        hops [i] = SIZE_MAX / 2;
    for (size_t d = 0; d < self->domains_count; d++) {
        size_t root = 0;
        if (d == 0)
            root = prng_below (lot, self->points_count);
        else
            for (size_t i = 1; i < self->points_count; i++)
                if (hops [i] > hops [root])
                    root = i;
        roots [d] = root;
        topology_measure (self, root, hops, queue);
    }
    free (hops);
    free (queue);
}

/*  A domain while it grows: its points in the order in which it took them. */
typedef struct {
    size_t *points;
    size_t count;
    size_t looked; /* points before it have no free neighbour */
} growing_t;

static size_t free_neighbour (const topology_t *self, growing_t *growing)
{
    for (; growing->looked < growing->count; growing->looked++) {
        size_t point = growing->points [growing->looked];
        for (size_t k = self->at_from [point]; k < self->at_from [point + 1]; k++) {
            size_t other = topology_other_end (&self->spans [self->at [k]], point);
            if (self->points [other].domain == NOBODY)
                return other;
        }
    }
    return NOBODY;
}

static void topology_take (topology_t *self, growing_t *growing, size_t domain, size_t point)
{
    self->points [point].domain = domain;
    growing->points [growing->count++] = point;
}

static void topology_cut (topology_t *self, prng_t *lot)
{
    assert (self->domains_count > 0);
    size_t *roots = must (calloc (self->domains_count, sizeof *roots));
    growing_t *growing = must (calloc (self->domains_count, sizeof *growing));
    choose_roots (self, lot, roots);
    for (size_t d = 0; d < self->domains_count; d++) {
        growing [d].points = must (calloc (self->points_count, sizeof *growing [d].points));
        topology_take (self, &growing [d], d, roots [d]);
    }
    for (size_t taken = self->domains_count; taken < self->points_count; taken++) {
        size_t smallest = NOBODY;
        for (size_t d = 0; d < self->domains_count; d++)
            if (free_neighbour (self, &growing [d]) != NOBODY &&
                (smallest == NOBODY || growing [d].count < growing [smallest].count))
                smallest = d;
        assert (smallest != NOBODY); /* the points hang together */
        topology_take (self, &growing [smallest], smallest,
                       free_neighbour (self, &growing [smallest]));
    }
    for (size_t d = 0; d < self->domains_count; d++)
        free (growing [d].points);
    free (growing);
    free (roots);
}

static size_t spans_at (const topology_t *self, size_t point)
{
    return self->at_from [point + 1] - self->at_from [point];
}

static void give_spans (topology_t *self)
{
    for (size_t i = 0; i < self->spans_count; i++) {
        topology_span_t *span = &self->spans [i];
        size_t a = span->ends [0] < span->ends [1] ? span->ends [0] : span->ends [1];
        size_t b = topology_other_end (span, a);
        size_t owner = spans_at (self, a) < spans_at (self, b) ? a : b;
        span->domain = self->points [owner].domain;
        if (self->points [a].domain != self->points [b].domain)
            self->points [topology_other_end (span, owner)].exchange = true;
    }
}

/*  Numbers the links between the same two points. */
static void number_spans (topology_t *self)
{
    for (size_t i = 0; i < self->spans_count; i++) {
        topology_span_t *span = &self->spans [i];
        span->number = 1;
        for (size_t k = self->at_from [span->ends [0]]; k < self->at_from [span->ends [0] + 1];
             k++) {
            size_t earlier = self->at [k];
            if (earlier < i &&
                topology_other_end (&self->spans [earlier], span->ends [0]) == span->ends [1])
                span->number++;
        }
    }
}

/*  --- sites --- */

static void choose_places (topology_t *self, prng_t *lot)
{
    static const unsigned cpus [] = {64,  64,  64,  64,  128, 128, 128,
                                     128, 256, 256, 256, 512, 512, 1024};
    size_t *points = must (calloc (self->points_count, sizeof *points));
    self->places = must (calloc (self->order.sites + 1, sizeof *self->places));
    for (size_t i = 0; i < self->points_count; i++)
        points [i] = i;
    for (size_t i = 0; i < self->order.sites; i++) {
        size_t with = i + prng_below (lot, self->points_count - i);
        size_t point = points [with];
        points [with] = points [i];
        self->places [i] =
          (topology_place_t){.point = point,
                             .cpus = cpus [prng_below (lot, sizeof cpus / sizeof *cpus)],
                             .memory_gb = 32u << prng_below (lot, 3),
                             .price_milli = 20 + 5 * (unsigned) prng_below (lot, 7),
                             .arm = prng_below (lot, 8) == 0};
    }
    free (points);
}

/*  --- making --- */

static size_t domains_by_nodes (size_t nodes)
{
    size_t domains = (nodes + TOPOLOGY_NODES_A_DOMAIN / 2) / TOPOLOGY_NODES_A_DOMAIN;
    if (domains < TOPOLOGY_DOMAINS_LEAST)
        domains = TOPOLOGY_DOMAINS_LEAST;
    if (domains > FEDERATION_DOMAINS_MAX)
        domains = FEDERATION_DOMAINS_MAX;
    return domains < nodes ? domains : nodes;
}

static bool enough (const topology_t *self, char why [WHY_BYTES])
{
    size_t nodes = self->points_count;
    if (self->order.sites > nodes)
        snprintf (why, WHY_BYTES, "%zu sites can't be placed on the %zu nodes that are connected",
                  self->order.sites, nodes);
    else if (self->order.domains > nodes)
        snprintf (why, WHY_BYTES, "%zu domains can't be cut from the %zu nodes that are connected",
                  self->order.domains, nodes);
    else
        return true;
    return false;
}

topology_t *topology_new (const map_t *map, const topology_order_t *order, char why [WHY_BYTES])
{
    assert (map->nodes_count > 0 && order->sites > 0 && order->sites <= FEDERATION_SITES_MAX);
    assert (order->domains <= FEDERATION_DOMAINS_MAX);
    topology_t *self = must (calloc (1, sizeof *self));
    self->order = *order;
    self->order.mbps = order->mbps ? order->mbps : TOPOLOGY_MBPS_PRESET;
    keep_largest_part (self, map);
    if (!enough (self, why)) {
        topology_destroy (&self);
        return NULL;
    }
    prng_t lot;
    prng_seed (&lot, order->seed);
    self->domains_count = order->domains ? order->domains : domains_by_nodes (self->points_count);
    clean (self->network, map->name, NETWORK_LETTERS, "map");
    name_points (self, map);
    index_spans (self);
    topology_cut (self, &lot);
    give_spans (self);
    number_spans (self);
    choose_places (self, &lot);
    return self;
}

void topology_destroy (topology_t **self_p)
{
    topology_t *self = *self_p;
    if (!self)
        return;
    free (self->points);
    free (self->spans);
    free (self->at_from);
    free (self->at);
    free (self->places);
    free (self);
    *self_p = NULL;
}

size_t topology_left_out (const topology_t *self)
{
    return self->left_out;
}

/*  --- writing --- */

static void write_head (const topology_t *self, FILE *to)
{
    fprintf (
      to,
      "#   %zu sites on the map of the network \"%s\", cut into %zu domains; seed %llu.\n"
      "#   Written by `musubi federation from-graphml`; what is not on the map is made up.\n\n"
      "name = %s\n"
      "directories = g1, g2\n"
      "planners = 3\n\n",
      self->order.sites, self->network, self->domains_count, (unsigned long long) self->order.seed,
      self->network);
}

static void write_sites (const topology_t *self, FILE *to)
{
    fputs ("sites\n", to);
    for (size_t i = 0; i < self->order.sites; i++) {
        const topology_place_t *place = &self->places [i];
        fprintf (to,
                 "    %s\n"
                 "        classes\n"
                 "            node\n"
                 "                nodes = %u\n"
                 "                cpus_per_node = %u\n"
                 "                price = 0.%03u\n"
                 "                attributes\n"
                 "                    os = linux\n"
                 "                    arch = %s\n"
                 "                    memory_gb = %u\n",
                 self->points [place->point].name, place->cpus / CPUS_A_NODE, CPUS_A_NODE,
                 place->price_milli, place->arm ? "aarch64" : "x86_64", place->memory_gb);
    }
}

/*  Own points, and what links of the domain lead to. */
static bool touches (const topology_t *self, size_t domain, size_t point)
{
    bool touched = self->points [point].domain == domain;
    for (size_t k = self->at_from [point]; k < self->at_from [point + 1] && !touched; k++)
        touched = self->spans [self->at [k]].domain == domain;
    return touched;
}

static void write_word (FILE *to, const char *key, size_t *written, const char *before,
                        const char *word)
{
    if ((*written)++ == 0)
        fprintf (to, "        %s = \"", key);
    else
        fputs (", ", to);
    fprintf (to, "%s%s", before, word);
}

static void write_vertices (const topology_t *self, size_t domain, FILE *to)
{
    size_t written = 0;
    for (size_t i = 0; i < self->order.sites; i++) {
        const topology_point_t *point = &self->points [self->places [i].point];
        if (point->domain == domain)
            write_word (to, "sites", &written, "", point->name);
    }
    fputs (written ? "\"\n" : "", to);
    for (int exchanges = 1; exchanges >= 0; exchanges--) {
        written = 0;
        for (size_t i = 0; i < self->points_count; i++)
            if (self->points [i].exchange == exchanges && touches (self, domain, i))
                write_word (to, exchanges ? "exchanges" : "routers", &written,
                            exchanges ? "x_" : "r_", self->points [i].name);
        fputs (written ? "\"\n" : "", to);
    }
}

static const char *before_name (const topology_point_t *point)
{
    return point->exchange ? "x_" : "r_";
}

static void write_terms (FILE *to, uint32_t mbps, int64_t latency_us, const char *media)
{
    int64_t price_milli = 500 + latency_us / 2;
    fprintf (to,
             "                mbps = %u\n"
             "                latency_ms = %lld.%02lld\n"
             "                price = %lld.%03lld\n",
             mbps, (long long) (latency_us / 1000), (long long) (latency_us % 1000 / 10),
             (long long) (price_milli / 1000), (long long) (price_milli % 1000));
    if (*media)
        fprintf (to, "                attributes\n                    media = %s\n", media);
}

/*  The first link of a domain comes after the heading. */
static void begin_link (bool *headed, FILE *to)
{
    fputs (*headed ? "" : "        links\n", to);
    *headed = true;
}

static void write_links (const topology_t *self, size_t domain, FILE *to)
{
    bool headed = false;
    for (size_t i = 0; i < self->order.sites; i++) {
        const topology_point_t *point = &self->points [self->places [i].point];
        if (point->domain != domain)
            continue;
        begin_link (&headed, to);
        fprintf (to, "            %s\n                between = \"%s, %s%s\"\n", point->name,
                 point->name, before_name (point), point->name);
        write_terms (to, point->mbps_most ? point->mbps_most : self->order.mbps, LATENCY_US_LEAST,
                     "");
    }
    for (size_t i = 0; i < self->spans_count; i++) {
        const topology_span_t *span = &self->spans [i];
        const topology_point_t *a = &self->points [span->ends [0]];
        const topology_point_t *b = &self->points [span->ends [1]];
        if (span->domain != domain)
            continue;
        begin_link (&headed, to);
        fprintf (to, "            %s--%s", a->name, b->name);
        if (span->number > 1)
            fprintf (to, "--%u", span->number);
        fprintf (to, "\n                between = \"%s%s, %s%s\"\n", before_name (a), a->name,
                 before_name (b), b->name);
        write_terms (to, span->mbps, span->latency_us, span->media);
    }
}

void topology_write (const topology_t *self, FILE *to)
{
    write_head (self, to);
    write_sites (self, to);
    fputs ("\ndomains\n", to);
    for (size_t d = 0; d < self->domains_count; d++) {
        fprintf (to, "    %s-%zu\n", self->network, d + 1);
        write_vertices (self, d, to);
        write_links (self, d, to);
    }
}
