/*  domain - checking and pricing of what a network domain offers. */
#include "domain.h"

#include "must.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const char *vertex_kind_word (vertex_kind_t kind)
{
    static const char *const words [] = {
      [VERTEX_SITE] = "site", [VERTEX_EXCHANGE] = "exchange point", [VERTEX_ROUTER] = "router"};
    assert (kind < sizeof words / sizeof *words);
    return words [kind];
}

/*  --- the check --- */

/*  A word without blanks, control characters and slashes. */
static bool domain_sound (const char *name)
{
    for (const char *at = name; *at; at++)
        if ((uint8_t) *at <= ' ' || *at == 0x7f || *at == '/')
            return false;
    return *name != '\0';
}

static bool attributes_check (const attribute_t *attributes, size_t count, const char *what,
                              const char *name, char why [WHY_BYTES])
{
    if (count > CLASS_ATTRIBUTES_MAX)
        return wrong (why, "%s %s: more than %d attributes", what, name, CLASS_ATTRIBUTES_MAX);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp (attributes [i].name, attributes [k].name) == 0)
                return wrong (why, "%s %s: attribute %s is given twice", what, name,
                              attributes [i].name);
    return true;
}

static bool vertex_check (const vertex_t *vertex, const char *domain, char why [WHY_BYTES])
{
    const char *kind = vertex_kind_word (vertex->kind);
    const char *local = vertex->name;
    size_t length = strlen (domain);
    if (vertex->kind == VERTEX_ROUTER) {
        if (strncmp (local, domain, length) != 0 || local [length] != '/')
            return wrong (why, "router %s: its name must begin with %s/", vertex->name, domain);
        local += length + 1;
    }
    if (!domain_sound (local))
        return wrong (why, "%s \"%s\": a name must not be empty and has no blanks or slashes", kind,
                      vertex->name);
    return attributes_check (vertex->attributes, vertex->attributes_count, kind, vertex->name, why);
}

static int domain_by_name (const void *a, const void *b)
{
    return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static bool domain_known (const char **names, size_t count, const char *name)
{
    return count > 0 && bsearch (&name, names, count, sizeof *names, domain_by_name) != NULL;
}

static bool given_once (const char **names, size_t count, const char *what, char why [WHY_BYTES])
{
    if (count > 0)
        qsort (names, count, sizeof *names, domain_by_name);
    for (size_t i = 1; i < count; i++)
        if (strcmp (names [i - 1], names [i]) == 0)
            return wrong (why, "%s %s is given twice", what, names [i]);
    return true;
}

static bool link_check (const link_t *link, const char **vertices, size_t vertices_count,
                        char why [WHY_BYTES])
{
    if (!domain_sound (link->name))
        return wrong (why, "link \"%s\": a name must not be empty and has no blanks or slashes",
                      link->name);
    for (int end = 0; end < 2; end++)
        if (!domain_known (vertices, vertices_count, link->ends [end]))
            return wrong (why, "link %s: the domain has no vertex \"%s\"", link->name,
                          link->ends [end]);
    if (strcmp (link->ends [0], link->ends [1]) == 0)
        return wrong (why, "link %s: both ends are %s", link->name, link->ends [0]);
    if (link->mbps > LINK_MBPS_MAX)
        return wrong (why, "link %s: mbps must be at most %d", link->name, LINK_MBPS_MAX);
    if (link->latency_us < 0 || link->latency_us > LATENCY_US_MAX)
        return wrong (why, "link %s: latency_ms must be 0 to %d", link->name,
                      LATENCY_US_MAX / 1000);
    if (link->price < 0 || link->price > LINK_PRICE_MAX)
        return wrong (why, "link %s: price must be 0 to %lld micro-credits", link->name,
                      (long long) LINK_PRICE_MAX);
    return attributes_check (link->attributes, link->attributes_count, "link", link->name, why);
}

/*  Bytes of the packed description, or a few more: a text has a tag and a length before it, so has
 *  a message; a number takes at most ten and its tag. */
static size_t bytes_most (const domain_t *self)
{
    size_t bytes = 64;
    for (size_t i = 0; i < self->vertices_count; i++) {
        const vertex_t *vertex = &self->vertices [i];
        bytes += 8 + strlen (vertex->name);
        for (size_t k = 0; k < vertex->attributes_count; k++)
            bytes +=
              8 + strlen (vertex->attributes [k].name) + strlen (vertex->attributes [k].value);
    }
    for (size_t i = 0; i < self->links_count; i++) {
        const link_t *link = &self->links [i];
        bytes += 36 + strlen (link->name) + strlen (link->ends [0]) + strlen (link->ends [1]);
        for (size_t k = 0; k < link->attributes_count; k++)
            bytes += 8 + strlen (link->attributes [k].name) + strlen (link->attributes [k].value);
    }
    return bytes;
}

/*  names has room for as many as there are vertices and links. */
static bool domain_graph_check (const domain_t *self, const char *name, const char **names,
                                char why [WHY_BYTES])
{
    const char **vertices = names;
    const char **links = names + self->vertices_count;
    for (size_t i = 0; i < self->vertices_count; i++) {
        if (!vertex_check (&self->vertices [i], name, why))
            return false;
        vertices [i] = self->vertices [i].name;
    }
    if (!given_once (vertices, self->vertices_count, "vertex", why))
        return false;
    for (size_t i = 0; i < self->links_count; i++) {
        if (!link_check (&self->links [i], vertices, self->vertices_count, why))
            return false;
        links [i] = self->links [i].name;
    }
    return given_once (links, self->links_count, "link", why);
}

bool domain_check (const domain_t *self, const char *name, char why [WHY_BYTES])
{
    assert (self && name && why);
    if (!domain_sound (name))
        return wrong (why, "domain \"%s\": a name must not be empty and has no blanks or slashes",
                      name);
    if (self->vertices_count > DOMAIN_VERTICES_MAX)
        return wrong (why, "more than %d vertices", DOMAIN_VERTICES_MAX);
    if (self->links_count > DOMAIN_LINKS_MAX)
        return wrong (why, "more than %d links", DOMAIN_LINKS_MAX);
    if (self->lead_ms < 0 || self->horizon_ms < 0)
        return wrong (why, "lead and horizon must not be negative");
    if (bytes_most (self) > DOMAIN_BYTES_MAX)
        return wrong (
          why, "the description is larger than %d bytes: shorten names or leave out attributes",
          DOMAIN_BYTES_MAX);
    const char **names =
      must (calloc (self->vertices_count + self->links_count + 1, sizeof *names));
    bool sane = domain_graph_check (self, name, names, why);
    free (names);
    return sane;
}

/*  --- links --- */

size_t domain_link (const domain_t *self, const char *name)
{
    for (size_t i = 0; i < self->links_count; i++)
        if (strcmp (self->links [i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

static bool link_joins (const link_t *self, const char *vertex)
{
    return strcmp (self->ends [0], vertex) == 0 || strcmp (self->ends [1], vertex) == 0;
}

size_t domain_walk (const domain_t *self, const size_t *links, size_t count, const char **vertices,
                    bool *again)
{
    assert (count > 0);
    const link_t *all = self->links, *first = &all [links [0]];
    *again = false;
    vertices [0] = first->ends [count > 1 && link_joins (&all [links [1]], first->ends [0])];
    for (size_t l = 0; l < count; l++) {
        const link_t *link = &all [links [l]];
        if (!link_joins (link, vertices [l]))
            return l;
        vertices [l + 1] = link->ends [strcmp (link->ends [0], vertices [l]) == 0];
        for (size_t before = 0; before <= l; before++)
            *again |= strcmp (vertices [before], vertices [l + 1]) == 0;
        if (*again)
            return l;
    }
    return count;
}

bool link_meets (const link_t *self, const requirement_t *require, size_t require_count)
{
    return attributes_meet (self->attributes, self->attributes_count, require, require_count);
}

int64_t link_cost (int64_t price, uint32_t mbps, int64_t duration_ms)
{
    assert (price >= 0 && price <= LINK_PRICE_MAX && duration_ms >= 0);
    const __int128 unit = (__int128) 1000 * 3600000; /* Mbit/s in a Gbit/s, ms in an hour */
    __int128 cost = ((__int128) price * mbps * duration_ms + unit - 1) / unit;
    return cost < LINK_COST_MAX ? (int64_t) cost : LINK_COST_MAX;
}
