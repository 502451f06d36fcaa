/*  domain_wire - what a network domain offers, in and out of messages. A description comes from a
 *  peer: it is checked here, once, so that graphs can be joined and searched without a doubt.
 */
#include "domain_wire.h"

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

/*  Attributes go one after the other into the lists of the whole description. */
static Musubi__Attribute **attributes_put (domain_wire_t *to, size_t *at, attribute_t *attributes,
                                           size_t count)
{
    Musubi__Attribute **list = &to->attribute_list [*at];
    for (size_t i = 0; i < count; i++, (*at)++) {
        Musubi__Attribute *message = to->attribute_list [*at] = &to->attributes [*at];
        musubi__attribute__init (message);
        message->name = attributes [i].name;
        message->value = attributes [i].value;
    }
    return list;
}

static void vertex_put (domain_wire_t *to, size_t index, size_t *at, vertex_t *vertex)
{
    Musubi__Vertex *message = to->vertex_list [index] = &to->vertices [index];
    musubi__vertex__init (message);
    message->name = vertex->name;
    message->kind = (Musubi__VertexKind) vertex->kind;
    message->n_attributes = vertex->attributes_count;
    message->attributes = attributes_put (to, at, vertex->attributes, vertex->attributes_count);
}

static void link_put (domain_wire_t *to, size_t index, size_t *at, link_t *link)
{
    Musubi__Link *message = to->link_list [index] = &to->links [index];
    musubi__link__init (message);
    message->name = link->name;
    message->a = link->ends [0];
    message->b = link->ends [1];
    message->mbps = link->mbps;
    message->latency_ms = (double) link->latency_us / 1000;
    message->price = link->price;
    message->n_attributes = link->attributes_count;
    message->attributes = attributes_put (to, at, link->attributes, link->attributes_count);
}

void domain_put (domain_wire_t *to, const domain_t *from)
{
    size_t attributes_count = 0;
    for (size_t i = 0; i < from->vertices_count; i++)
        attributes_count += from->vertices [i].attributes_count;
    for (size_t i = 0; i < from->links_count; i++)
        attributes_count += from->links [i].attributes_count;

    *to = (domain_wire_t){.message = MUSUBI__DOMAIN_DESCRIPTION__INIT};
    to->vertices = must (calloc (from->vertices_count + 1, sizeof *to->vertices));
    to->vertex_list = must (calloc (from->vertices_count + 1, sizeof (Musubi__Vertex *)));
    to->links = must (calloc (from->links_count + 1, sizeof *to->links));
    to->link_list = must (calloc (from->links_count + 1, sizeof (Musubi__Link *)));
    to->attributes = must (calloc (attributes_count + 1, sizeof *to->attributes));
    to->attribute_list = must (calloc (attributes_count + 1, sizeof (Musubi__Attribute *)));

    size_t at = 0;
    for (size_t i = 0; i < from->vertices_count; i++)
        vertex_put (to, i, &at, &from->vertices [i]);
    for (size_t i = 0; i < from->links_count; i++)
        link_put (to, i, &at, &from->links [i]);
    to->message.n_vertices = from->vertices_count;
    to->message.vertices = to->vertex_list;
    to->message.n_links = from->links_count;
    to->message.links = to->link_list;
    to->message.disclosure = from->disclosure == DISCLOSE_WINDOWS ? MUSUBI__DISCLOSURE__WINDOWS
                                                                  : MUSUBI__DISCLOSURE__PROFILE;
    to->message.lead_ms = from->lead_ms;
    to->message.horizon_ms = from->horizon_ms;
}

void domain_put_end (domain_wire_t *wire)
{
    free (wire->vertices);
    free (wire->vertex_list);
    free (wire->links);
    free (wire->link_list);
    free (wire->attributes);
    free (wire->attribute_list);
    *wire = (domain_wire_t){0};
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
