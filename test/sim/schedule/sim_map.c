/*  sim_map - drawing a small network, and walking through it. */
#include "sim_map.h"

#include "must.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERTICES_MAX 12
#define EXCHANGES    2

static_assert (VERTICES_MAX + 2 <= SIM_RESOURCES_MAX, "a tree and two links more are all checked");

static uint64_t below (prng_t *prng, uint64_t bound)
{
    return prng_below (prng, bound);
}

static bool chance (prng_t *prng, uint32_t percent)
{
    return below (prng, 100) < percent;
}

/*  --- drawing --- */

static void attribute_add (attribute_t **list, size_t *count, const char *name, const char *value)
{
    *list = must (realloc (*list, (*count + 1) * sizeof (attribute_t)));
    attribute_t *attribute = &(*list) [(*count)++];
    *attribute = (attribute_t){0};
    sim_text (attribute->name, sizeof attribute->name, name);
    sim_text (attribute->value, sizeof attribute->value, value);
}

static void vertex_add (domain_t *domain, const char *name, vertex_kind_t kind)
{
    assert (domain->vertices_count < VERTICES_MAX);
    vertex_t *vertex = &domain->vertices [domain->vertices_count++];
    *vertex = (vertex_t){.kind = kind};
    sim_text (vertex->name, sizeof vertex->name, name);
    if (kind == VERTEX_EXCHANGE)
        attribute_add (&vertex->attributes, &vertex->attributes_count, "location", "paris");
}

static void link_add (domain_t *domain, prng_t *prng, size_t a, size_t b, bool narrow)
{
    static const uint32_t rates [] = {300, 500, 1000, 4000};
    assert (domain->links_count < SIM_RESOURCES_MAX);
    link_t *link = &domain->links [domain->links_count++];
    *link = (link_t){.mbps = rates [below (prng, narrow ? 2 : 4)],
                     .latency_us = 500 * (1 + (int64_t) below (prng, 12)),
                     .price = 100 * (int64_t) below (prng, 5)};
    snprintf (link->name, sizeof link->name, "l%zu", domain->links_count);
    memcpy (link->ends [0], domain->vertices [a].name, sizeof link->ends [0]);
    memcpy (link->ends [1], domain->vertices [b].name, sizeof link->ends [1]);
    attribute_add (&link->attributes, &link->attributes_count, "media",
                   chance (prng, 75) ? "fibre" : "copper");
}

/*  A tree over the domain's vertices, and one or two more links, perhaps parallel to an existing
 *  link. */
static void links_draw (domain_t *domain, prng_t *prng, bool narrow)
{
    for (size_t v = 1; v < domain->vertices_count; v++)
        link_add (domain, prng, v, below (prng, v), narrow);
    for (size_t more = domain->vertices_count < 2 ? 0 : below (prng, 3); more > 0; more--) {
        size_t a = below (prng, domain->vertices_count);
        size_t b = below (prng, domain->vertices_count);
        if (a != b)
            link_add (domain, prng, a, b, narrow);
    }
}

/*  One domain describes an exchange point otherwise than the others do. */
static void disagree (sim_map_t *self, prng_t *prng)
{
    domain_t *domain = &self->domains [below (prng, self->count)];
    bool kind = chance (prng, 30);
    for (size_t v = 0; v < domain->vertices_count && !self->disagree; v++) {
        vertex_t *vertex = &domain->vertices [v];
        if (vertex->kind != VERTEX_EXCHANGE)
            continue;
        if (kind)
            vertex->kind = VERTEX_SITE;
        else
            sim_text (vertex->attributes [0].value, sizeof vertex->attributes [0].value, "lyon");
        self->disagree = true;
    }
}

static void domain_draw (sim_map_t *self, prng_t *prng, size_t number)
{
    static const char *const names [SIM_DOMAINS_MAX] = {"d1", "d2", "d3", "d4"};
    domain_t *domain = &self->domains [number];
    *domain = (domain_t){.vertices = must (calloc (VERTICES_MAX, sizeof (vertex_t))),
                         .links = must (calloc (SIM_RESOURCES_MAX, sizeof (link_t))),
                         .disclosure = chance (prng, 20) ? DISCLOSE_WINDOWS : DISCLOSE_PROFILE,
                         .lead_ms = (int64_t) below (prng, 600),
                         .horizon_ms = INT64_C (3600000)};
    sim_text (self->names [number], sizeof self->names [number], names [number]);
    if (chance (prng, 50)) {
        char router [NAME_BYTES_MAX + 1];
        snprintf (router, sizeof router, "%s/r1", self->names [number]);
        vertex_add (domain, router, VERTEX_ROUTER);
    }
    for (size_t x = 0; x < EXCHANGES; x++)
        if ((x == 0 && self->count > 1) || chance (prng, 50))
            vertex_add (domain, x == 0 ? "X1" : "X2", VERTEX_EXCHANGE);
}

void sim_map_draw (sim_map_t *self, prng_t *prng, const sim_map_order_t *order)
{
    assert (order->domains <= SIM_DOMAINS_MAX);
    *self = (sim_map_t){.count = order->domains};
    for (size_t d = 0; d < self->count; d++)
        domain_draw (self, prng, d);
    for (size_t s = 0; s < order->sites_count && self->count > 0; s++) {
        size_t first = chance (prng, 95) ? (s + below (prng, 2)) % self->count : self->count;
        for (size_t d = 0; d < self->count; d++)
            if (d == first || (first < self->count && chance (prng, 15)))
                vertex_add (&self->domains [d], order->sites [s], VERTEX_SITE);
    }
    for (size_t d = 0; d < self->count; d++)
        links_draw (&self->domains [d], prng, order->narrow);
    if (self->count > 1 && chance (prng, 15))
        disagree (self, prng);
    char why [WHY_BYTES];
    for (size_t d = 0; d < self->count; d++)
        if (!domain_check (&self->domains [d], self->names [d], why)) {
            fprintf (stderr, "musubi-sim: drew no sound domain: %s\n", why);
            abort ();
        }
}

void sim_map_clear (sim_map_t *self)
{
    for (size_t d = 0; d < self->count; d++)
        codec_clear (&domain_codec, &self->domains [d]);
    self->count = 0;
}

/*  --- walking --- */

static bool same (const char *a, const char *b)
{
    return strcmp (a, b) == 0;
}

size_t sim_map_domain (const sim_map_t *self, const char *name)
{
    for (size_t d = 0; d < self->count; d++)
        if (same (self->names [d], name))
            return d;
    return SIZE_MAX;
}

const link_t *sim_map_link (const sim_map_t *self, size_t domain, const char *name)
{
    const domain_t *in = &self->domains [domain];
    for (size_t l = 0; l < in->links_count; l++)
        if (same (in->links [l].name, name))
            return &in->links [l];
    return NULL;
}

static const vertex_t *vertex_of (const domain_t *domain, const char *name)
{
    for (size_t v = 0; v < domain->vertices_count; v++)
        if (same (domain->vertices [v].name, name))
            return &domain->vertices [v];
    return NULL;
}

static const char *value_of (const attribute_t *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (same (list [i].name, name))
            return list [i].value;
    return NULL;
}

static bool alike (const vertex_t *a, const vertex_t *b)
{
    if (a->kind != b->kind || a->attributes_count != b->attributes_count)
        return false;
    for (size_t i = 0; i < a->attributes_count; i++) {
        const char *value = value_of (b->attributes, b->attributes_count, a->attributes [i].name);
        if (!value || !same (value, a->attributes [i].value))
            return false;
    }
    return true;
}

/*  True when both domains describe one point alike; what a third domain says of it does not matter.
 */
static bool one_point (const sim_map_t *self, size_t a, size_t b, const char *name)
{
    const vertex_t *first = vertex_of (&self->domains [a], name);
    const vertex_t *other = vertex_of (&self->domains [b], name);
    return a == b || (first && other && alike (first, other));
}

/*  True when the way, of so many hops, has been at its present end before. */
static bool returns (const sim_map_t *self, const sim_way_t *way, const sim_hop_t *hops,
                     size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (same (way->vertices [i], way->vertices [count]) &&
            one_point (self, hops [count - 1].domain, hops [i].domain, way->vertices [i]))
            return true;
    return false;
}

bool sim_map_walk (const sim_map_t *self, const char *from, const char *to, const char *media,
                   const sim_hop_t *hops, size_t hops_count, sim_way_t *way, char why [WHY_BYTES])
{
    *way = (sim_way_t){0};
    sim_text (way->vertices [0], SIM_POINT_BYTES, from);
    for (size_t i = 0; i < hops_count; i++) {
        const char *at = way->vertices [i];
        const char *domain = self->names [hops [i].domain];
        const link_t *link = sim_map_link (self, hops [i].domain, hops [i].link);
        bool crosses = i > 0 && hops [i].domain != hops [i - 1].domain;
        if (!link || (!same (link->ends [0], at) && !same (link->ends [1], at))) {
            snprintf (why, WHY_BYTES, "%s/%s does not begin at %s", domain, hops [i].link, at);
            return false;
        }
        if (crosses && !one_point (self, hops [i].domain, hops [i - 1].domain, at)) {
            snprintf (why, WHY_BYTES, "crosses from %s to %s at %s, of which domains disagree",
                      self->names [hops [i - 1].domain], domain, at);
            return false;
        }
        const char *value = value_of (link->attributes, link->attributes_count, "media");
        if (*media && (!value || !same (value, media))) {
            snprintf (why, WHY_BYTES, "%s/%s is not of %s", domain, link->name, media);
            return false;
        }
        way->domains += i == 0 || crosses;
        way->latency_us += link->latency_us;
        sim_text (way->vertices [i + 1], SIM_POINT_BYTES,
                  link->ends [same (link->ends [0], at) ? 1 : 0]);
        if (returns (self, way, hops, i + 1)) {
            snprintf (why, WHY_BYTES, "comes by %s twice", way->vertices [i + 1]);
            return false;
        }
    }
    if (!same (way->vertices [hops_count], to))
        snprintf (why, WHY_BYTES, "ends at %s, not at %s", way->vertices [hops_count], to);
    return same (way->vertices [hops_count], to);
}
