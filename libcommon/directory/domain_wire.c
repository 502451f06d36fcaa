/*  domain_wire - what a network domain offers, in and out of messages. A description comes from a
 *  peer: it is checked here, once, so that graphs can be joined and searched without a doubt.
 */
#include "domain_wire.h"

#include "message.h"
#include "must.h"
#include "site_wire.h"
#include "transaction_wire.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELD_BYTES 64

static_assert ((int) VERTEX_EXCHANGE == MUSUBI__VERTEX_KIND__EXCHANGE_VERTEX, "same numbers");
static_assert ((int) VERTEX_ROUTER == MUSUBI__VERTEX_KIND__ROUTER_VERTEX, "same numbers");

/*  --- putting --- */

static void vertex_put (Musubi__Vertex *to, vertex_t *from)
{
    to->name = from->name;
    to->kind = (Musubi__VertexKind) from->kind;
    to->n_attributes = from->attributes_count;
    to->attributes = attributes_put (from->attributes, from->attributes_count);
}

static void link_put (Musubi__Link *to, link_t *from)
{
    to->name = from->name;
    to->a = from->ends [0];
    to->b = from->ends [1];
    to->mbps = from->mbps;
    to->latency_ms = (double) from->latency_us / 1000;
    to->price = from->price;
    to->n_attributes = from->attributes_count;
    to->attributes = attributes_put (from->attributes, from->attributes_count);
}

void domain_put (Musubi__DomainDescription *to, const domain_t *from)
{
    musubi__domain_description__init (to);
    to->n_vertices = from->vertices_count;
    to->vertices = messages_new (&musubi__vertex__descriptor, from->vertices_count);
    for (size_t i = 0; i < from->vertices_count; i++)
        vertex_put (to->vertices [i], &from->vertices [i]);
    to->n_links = from->links_count;
    to->links = messages_new (&musubi__link__descriptor, from->links_count);
    for (size_t i = 0; i < from->links_count; i++)
        link_put (to->links [i], &from->links [i]);
    to->disclosure = from->disclosure == DISCLOSE_WINDOWS ? MUSUBI__DISCLOSURE__WINDOWS
                                                          : MUSUBI__DISCLOSURE__PROFILE;
    to->lead_ms = from->lead_ms;
    to->horizon_ms = from->horizon_ms;
}

void domain_put_end (Musubi__DomainDescription *wire)
{
    for (size_t i = 0; i < wire->n_vertices; i++)
        free (wire->vertices [i]->attributes);
    free (wire->vertices);
    for (size_t i = 0; i < wire->n_links; i++)
        free (wire->links [i]->attributes);
    free (wire->links);
}

/*  --- taking --- */

bool latency_take (int64_t *latency_us, double latency_ms, uint32_t hops)
{
    double us = latency_ms * 1000;
    if (!isfinite (us) || us < 0 || us > (double) LATENCY_US_MAX * hops)
        return false;
    *latency_us = (int64_t) (us + 0.5);
    return true;
}

/*  On false *to is NULL. */
static bool attributes_take (attribute_t **to, size_t *count, Musubi__Attribute *const *from,
                             size_t from_count, const char *field, char why [WHY_BYTES])
{
    *to = NULL;
    *count = 0;
    if (from_count > CLASS_ATTRIBUTES_MAX)
        return wrong (why, "%s.attributes: more than %d", field, CLASS_ATTRIBUTES_MAX);
    if (from_count == 0)
        return true;
    *to = must (calloc (from_count, sizeof **to));
    for (size_t i = 0; i < from_count; i++)
        if (!attribute_take (&(*to) [i], from [i], field, why)) {
            free (*to);
            *to = NULL;
            return false;
        }
    *count = from_count;
    return true;
}

static bool vertex_take (vertex_t *to, const Musubi__Vertex *from, size_t index,
                         char why [WHY_BYTES])
{
    char field [FIELD_BYTES];
    snprintf (field, sizeof field, "domain.vertices[%zu]", index);
    if (!text_take (to->name, NAME_BYTES_MAX, from->name, TEXT_WORD, field, why))
        return false;
    if (from->kind != MUSUBI__VERTEX_KIND__SITE_VERTEX &&
        from->kind != MUSUBI__VERTEX_KIND__EXCHANGE_VERTEX &&
        from->kind != MUSUBI__VERTEX_KIND__ROUTER_VERTEX)
        return wrong (why, "%s.kind: %d is not known", field, (int) from->kind);
    to->kind = (vertex_kind_t) from->kind;
    return attributes_take (&to->attributes, &to->attributes_count, from->attributes,
                            from->n_attributes, field, why);
}

static bool link_take (link_t *to, const Musubi__Link *from, size_t index, char why [WHY_BYTES])
{
    char field [FIELD_BYTES];
    snprintf (field, sizeof field, "domain.links[%zu]", index);
    if (!text_take (to->name, NAME_BYTES_MAX, from->name, TEXT_WORD, field, why) ||
        !text_take (to->ends [0], NAME_BYTES_MAX, from->a, TEXT_WORD, field, why) ||
        !text_take (to->ends [1], NAME_BYTES_MAX, from->b, TEXT_WORD, field, why))
        return false;
    if (!latency_take (&to->latency_us, from->latency_ms, 1))
        return wrong (why, "%s.latency_ms: not in 0 to %d", field, LATENCY_US_MAX / 1000);
    to->mbps = from->mbps;
    to->price = from->price;
    return attributes_take (&to->attributes, &to->attributes_count, from->attributes,
                            from->n_attributes, field, why);
}

/*  What was taken before a false is the caller's to clear. */
static bool parts_take (domain_t *to, const Musubi__DomainDescription *from, char why [WHY_BYTES])
{
    to->vertices = must (calloc (from->n_vertices + 1, sizeof *to->vertices));
    to->links = must (calloc (from->n_links + 1, sizeof *to->links));
    for (size_t i = 0; i < from->n_vertices; i++)
        if (!vertex_take (&to->vertices [to->vertices_count++], from->vertices [i], i, why))
            return false;
    for (size_t i = 0; i < from->n_links; i++)
        if (!link_take (&to->links [to->links_count++], from->links [i], i, why))
            return false;
    return true;
}

static bool whole_check (const domain_t *domain, const char *name, char why [WHY_BYTES])
{
    char reason [160];
    return domain_check (domain, name, reason) || wrong (why, "domain: %.150s", reason);
}

bool domain_take (domain_t *to, const Musubi__DomainDescription *from, const char *name,
                  char why [WHY_BYTES])
{
    assert (to && from && name);
    if (from->n_vertices > DOMAIN_VERTICES_MAX)
        return wrong (why, "domain.vertices: more than %d", DOMAIN_VERTICES_MAX);
    if (from->n_links > DOMAIN_LINKS_MAX)
        return wrong (why, "domain.links: more than %d", DOMAIN_LINKS_MAX);
    if (from->disclosure != MUSUBI__DISCLOSURE__PROFILE &&
        from->disclosure != MUSUBI__DISCLOSURE__WINDOWS)
        return wrong (why, "domain.disclosure: %d is not known", (int) from->disclosure);
    if (!time_valid (from->lead_ms))
        return wrong (why, "domain.lead_ms: out of range");
    if (!time_valid (from->horizon_ms))
        return wrong (why, "domain.horizon_ms: out of range");

    *to =
      (domain_t){.disclosure = from->disclosure == MUSUBI__DISCLOSURE__WINDOWS ? DISCLOSE_WINDOWS
                                                                               : DISCLOSE_PROFILE,
                 .lead_ms = from->lead_ms,
                 .horizon_ms = from->horizon_ms};
    if (parts_take (to, from, why) && whole_check (to, name, why))
        return true;
    domain_clear (to);
    return false;
}
