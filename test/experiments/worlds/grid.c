/*  grid - a hierarchy in the style of Tiers, with links added by preference. */
#include "grid.h"

#include "must.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CORES           4
#define CITIES          8
#define FURTHER         3
#define AT_CITY_LEAST   2
#define AT_SYSTEM_LEAST 4
#define CORE_MBPS       10000
#define FURTHER_MBPS    5000
#define WIDE_MBPS       5000
#define CREDIT          1000000 /* micro-credits */
#define LINKS_MAX       64

const char *const grid_systems [GRID_SYSTEMS] = {"linux", "solaris", "bsd"};

static const uint32_t site_mbps [] = {1000, 2500, 5000};
static const uint32_t site_cpus [] = {64, 128, 256};

static void add_vertex (domain_t *network, const char *name, vertex_kind_t kind)
{
    vertex_t *vertex = &network->vertices [network->vertices_count++];
    snprintf (vertex->name, sizeof vertex->name, "%s", name);
    vertex->kind = kind;
}

static void add_link (domain_t *network, const char *a, const char *b, uint32_t mbps,
                      int64_t latency_us)
{
    assert (network->links_count < LINKS_MAX);
    link_t *link = &network->links [network->links_count++];
    snprintf (link->name, sizeof link->name, "k%02zu", network->links_count);
    snprintf (link->ends [0], sizeof link->ends [0], "%s", a);
    snprintf (link->ends [1], sizeof link->ends [1], "%s", b);
    link->mbps = mbps;
    link->latency_us = latency_us;
    link->price = CREDIT;
}

static bool linked (const domain_t *network, const char *a, const char *b)
{
    for (size_t i = 0; i < network->links_count; i++)
        for (int turned = 0; turned < 2; turned++)
            if (strcmp (network->links [i].ends [turned], a) == 0 &&
                strcmp (network->links [i].ends [!turned], b) == 0)
                return true;
    return false;
}

static uint64_t degree (const domain_t *network, const char *name)
{
    uint64_t count = 0;
    for (size_t i = 0; i < network->links_count; i++)
        for (int end = 0; end < 2; end++)
            count += strcmp (network->links [i].ends [end], name) == 0;
    return count;
}

static const char *core_name (size_t core, char name [NAME_BYTES_MAX + 1])
{
    snprintf (name, NAME_BYTES_MAX + 1, "grid/w%zu", core + 1);
    return name;
}

static const char *city_name (size_t city, char name [NAME_BYTES_MAX + 1])
{
    snprintf (name, NAME_BYTES_MAX + 1, "grid/m%zu", city + 1);
    return name;
}

static void make_core (domain_t *network)
{
    char a [NAME_BYTES_MAX + 1];
    char b [NAME_BYTES_MAX + 1];
    for (size_t i = 0; i < CORES; i++)
        add_vertex (network, core_name (i, a), VERTEX_ROUTER);
    for (size_t i = 0; i < CORES; i++)
        add_link (network, core_name (i, a), core_name ((i + 1) % CORES, b), CORE_MBPS, 10000);
    add_link (network, core_name (0, a), core_name (CORES / 2, b), CORE_MBPS, 14000);
    for (size_t i = 0; i < CITIES; i++) {
        add_vertex (network, city_name (i, a), VERTEX_ROUTER);
        add_link (network, a, core_name (i % CORES, b), CORE_MBPS, 2000);
    }
}

/*  Draws a city, weighted by its links: a city with more links gets more. */
static size_t draw_city (const domain_t *network, prng_t *prng)
{
    char name [NAME_BYTES_MAX + 1];
    uint64_t all = 0;
    for (size_t i = 0; i < CITIES; i++)
        all += degree (network, city_name (i, name));
    uint64_t at = prng_below (prng, all);
    for (size_t i = 0;; i++) {
        uint64_t here = degree (network, city_name (i, name));
        if (at < here)
            return i;
        at -= here;
    }
}

static void add_further (domain_t *network, prng_t *prng)
{
    for (size_t added = 0; added < FURTHER;) {
        char a [NAME_BYTES_MAX + 1];
        char b [NAME_BYTES_MAX + 1];
        size_t from = (size_t) prng_below (prng, CITIES);
        size_t to = draw_city (network, prng);
        if (from == to || linked (network, city_name (from, a), city_name (to, b)))
            continue;
        add_link (network, a, b, FURTHER_MBPS, 4000);
        added++;
    }
}

/*  The city of each site: two at each, the rest by preference. */
static void draw_places (const domain_t *network, prng_t *prng, size_t at [GRID_SITES])
{
    static_assert (GRID_SITES >= CITIES * AT_CITY_LEAST, "every city has sites");
    for (size_t i = 0; i < GRID_SITES; i++)
        at [i] = i < (size_t) CITIES * AT_CITY_LEAST ? i % CITIES : draw_city (network, prng);
}

static void draw_systems (prng_t *prng, const size_t at [GRID_SITES], size_t system [GRID_SITES])
{
    bool enough = false;
    while (!enough) {
        size_t counts [GRID_SYSTEMS] = {0};
        size_t main_of [CITIES];
        for (size_t i = 0; i < CITIES; i++)
            main_of [i] = (size_t) prng_below (prng, GRID_SYSTEMS);
        for (size_t i = 0; i < GRID_SITES; i++) {
            bool like_others = prng_below (prng, 4) > 0;
            system [i] = like_others ? main_of [at [i]] : (size_t) prng_below (prng, GRID_SYSTEMS);
            counts [system [i]]++;
        }
        enough = true;
        for (size_t i = 0; i < GRID_SYSTEMS; i++)
            enough = enough && counts [i] >= AT_SYSTEM_LEAST;
    }
}

static void make_site (grid_t *self, size_t i, prng_t *prng)
{
    snprintf (self->names [i], sizeof self->names [i], "s%02zu", i + 1);
    node_class_t *class = must (calloc (1, sizeof *class));
    snprintf (class->name, sizeof class->name, "node");
    class->nodes = site_cpus [prng_below (prng, sizeof site_cpus / sizeof *site_cpus)];
    class->cpus_per_node = 1;
    class->price = CREDIT * (1 + (int64_t) prng_below (prng, 10));
    class->attributes = must (calloc (1, sizeof *class->attributes));
    class->attributes_count = 1;
    snprintf (class->attributes->name, sizeof class->attributes->name, "os");
    snprintf (class->attributes->value, sizeof class->attributes->value, "%s",
              grid_systems [self->system [i]]);
    self->sites [i] =
      (site_t){.classes = class, .classes_count = 1, .horizon_ms = INT64_C (366) * 86400000};
    self->cpus += class->nodes;
}

void grid_make (grid_t *self, uint64_t seed, bool wide)
{
    memset (self, 0, sizeof *self);
    prng_t prng;
    prng_seed (&prng, seed);
    domain_t *network = &self->network;
    network->vertices = must (calloc (CORES + CITIES + GRID_SITES, sizeof *network->vertices));
    network->links = must (calloc (LINKS_MAX, sizeof *network->links));
    network->horizon_ms = INT64_C (366) * 86400000;
    self->sites_count = GRID_SITES;
    size_t at [GRID_SITES];
    make_core (network);
    add_further (network, &prng);
    draw_places (network, &prng, at);
    draw_systems (&prng, at, self->system);
    for (size_t i = 0; i < GRID_SITES; i++) {
        char city [NAME_BYTES_MAX + 1];
        make_site (self, i, &prng);
        uint32_t mbps = site_mbps [prng_below (&prng, sizeof site_mbps / sizeof *site_mbps)];
        add_vertex (network, self->names [i], VERTEX_SITE);
        add_link (network, self->names [i], city_name (at [i], city), wide ? WIDE_MBPS : mbps, 500);
    }
    char why [WHY_BYTES];
    bool sound = domain_check (network, "grid", why);
    assert (sound);
    (void) sound;
}

/*  A site's vertex, and its one link. */
static void cut_off (domain_t *network, const char *name)
{
    size_t kept = 0;
    for (size_t i = 0; i < network->vertices_count; i++)
        if (strcmp (network->vertices [i].name, name) != 0)
            network->vertices [kept++] = network->vertices [i];
    network->vertices_count = kept;
    kept = 0;
    for (size_t i = 0; i < network->links_count; i++)
        if (strcmp (network->links [i].ends [0], name) != 0 &&
            strcmp (network->links [i].ends [1], name) != 0)
            network->links [kept++] = network->links [i];
    network->links_count = kept;
}

void grid_shrink (grid_t *self, size_t sites)
{
    assert (sites % GRID_SYSTEMS == 0 && sites <= (size_t) AT_SYSTEM_LEAST * GRID_SYSTEMS);
    size_t counts [GRID_SYSTEMS] = {0};
    size_t kept = 0;
    self->cpus = 0;
    for (size_t i = 0; i < self->sites_count; i++) {
        if (counts [self->system [i]] == sites / GRID_SYSTEMS) {
            cut_off (&self->network, self->names [i]);
            codec_clear (&site_codec, &self->sites [i]);
            continue;
        }
        counts [self->system [i]]++;
        memmove (self->names [kept], self->names [i], sizeof self->names [i]);
        self->sites [kept] = self->sites [i];
        self->system [kept] = self->system [i];
        self->cpus += self->sites [kept++].classes->nodes;
    }
    self->sites_count = kept;
}

void grid_clear (grid_t *self)
{
    for (size_t i = 0; i < self->sites_count; i++)
        codec_clear (&site_codec, &self->sites [i]);
    codec_clear (&domain_codec, &self->network);
}
