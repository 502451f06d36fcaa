/*  domain_fixture - network domains in short notation, for tests: "n8-X1" is a link of that name
 *  between the vertices n8 and X1.
 */
#ifndef MUSUBI_TEST_DOMAIN_FIXTURE_H
#define MUSUBI_TEST_DOMAIN_FIXTURE_H

#include "domain.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *name; /* "n8-X1"; exchange points begin with X, all others are sites */
    uint32_t mbps;
    double latency_ms;
    int64_t price;
} link_word_t;

static inline void domain_add_vertex (domain_t *domain, const char *name)
{
    for (size_t i = 0; i < domain->vertices_count; i++)
        if (strcmp (domain->vertices [i].name, name) == 0)
            return;
    domain->vertices =
      realloc (domain->vertices, (domain->vertices_count + 1) * sizeof *domain->vertices);
    assert (domain->vertices);
    vertex_t *vertex = &domain->vertices [domain->vertices_count++];
    *vertex = (vertex_t){.kind = *name == 'X' ? VERTEX_EXCHANGE : VERTEX_SITE};
    snprintf (vertex->name, sizeof vertex->name, "%s", name);
}

/*  The caller ends it with codec_clear. */
static inline domain_t domain_of (const link_word_t *links, size_t count, disclosure_t disclosure)
{
    domain_t domain = {.disclosure = disclosure,
                       .lead_ms = 2000,
                       .horizon_ms = INT64_C (400) * 24 * 3600000,
                       .links = calloc (count, sizeof *domain.links),
                       .links_count = count};
    assert (domain.links);
    for (size_t i = 0; i < count; i++) {
        link_t *link = &domain.links [i];
        snprintf (link->name, sizeof link->name, "%s", links [i].name);
        const char *dash = strchr (links [i].name, '-');
        assert (dash);
        snprintf (link->ends [0], sizeof link->ends [0], "%.*s", (int) (dash - links [i].name),
                  links [i].name);
        snprintf (link->ends [1], sizeof link->ends [1], "%s", dash + 1);
        link->mbps = links [i].mbps;
        link->latency_us = (int64_t) (links [i].latency_ms * 1000);
        link->price = links [i].price;
        domain_add_vertex (&domain, link->ends [0]);
        domain_add_vertex (&domain, link->ends [1]);
    }
    return domain;
}

/*  Describes a vertex in a way that contradicts another domain. */
static inline void domain_describe (domain_t *domain, const char *vertex, const char *attribute,
                                    const char *value)
{
    for (size_t i = 0; i < domain->vertices_count; i++) {
        vertex_t *at = &domain->vertices [i];
        if (strcmp (at->name, vertex) != 0)
            continue;
        assert (!at->attributes);
        at->attributes = calloc (1, sizeof *at->attributes);
        assert (at->attributes);
        at->attributes_count = 1;
        snprintf (at->attributes->name, sizeof at->attributes->name, "%s", attribute);
        snprintf (at->attributes->value, sizeof at->attributes->value, "%s", value);
        return;
    }
    assert (!"a vertex of the domain");
}

#endif
