/*  circuits - links as offers, circuits as wishes, and the one thing more that is asked of a
 *  circuit: that it hangs together.
 */
#include "circuits.h"

#include "must.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef size_t ends_t [2]; /* of a link: indices of its vertices */

struct circuits {
    const room_t *room;
    ends_t *ends;
    char (*names) [NAME_BYTES_MAX + 1]; /* of vertices, ascending */
    size_t names_count;
};

static int name_compare (const void *left, const void *right)
{
    return strcmp (left, right);
}

static size_t vertex_index (const circuits_t *self, const char *name)
{
    const char (*found) [NAME_BYTES_MAX + 1] =
      bsearch (name, self->names, self->names_count, sizeof *self->names, name_compare);
    assert (found);
    return (size_t) (found - self->names);
}

static room_t *room_of (const char *name, const domain_t *domain, const timekeeper_t *timekeeper)
{
    offer_t *offers = must (calloc (domain->links_count + 1, sizeof *offers));
    for (size_t i = 0; i < domain->links_count; i++) {
        offers [i] = (offer_t){.quantity = domain->links [i].mbps, .unit = 1};
        memcpy (offers [i].name, domain->links [i].name, sizeof offers [i].name);
    }
    room_settings_t settings = {
      .name = name,
      .words = {.resource = "link", .quantity = "Mbit/s", .amount = "Mbit/s"},
      .terms = {.disclosure = domain->disclosure,
                .lead_ms = domain->lead_ms,
                .horizon_ms = domain->horizon_ms},
      .offers = offers,
      .offers_count = domain->links_count,
    };
    room_t *room = room_new (&settings, timekeeper);
    free (offers);
    return room;
}

circuits_t *circuits_new (const char *name, const domain_t *domain, const timekeeper_t *timekeeper,
                          room_t **room)
{
    circuits_t *self = must (calloc (1, sizeof *self));
    *room = room_of (name, domain, timekeeper);
    self->room = *room;
    self->names_count = domain->vertices_count;
    self->names = must (calloc (domain->vertices_count + 1, sizeof *self->names));
    for (size_t i = 0; i < domain->vertices_count; i++)
        memcpy (self->names [i], domain->vertices [i].name, sizeof self->names [i]);
    qsort (self->names, self->names_count, sizeof *self->names, name_compare);
    self->ends = must (calloc (domain->links_count + 1, sizeof *self->ends));
    for (size_t i = 0; i < domain->links_count; i++)
        for (size_t end = 0; end < 2; end++)
            self->ends [i][end] = vertex_index (self, domain->links [i].ends [end]);
    return self;
}

void circuits_destroy (circuits_t **self_p)
{
    circuits_t *self = *self_p;
    if (!self)
        return;
    free (self->names);
    free (self->ends);
    free (self);
    *self_p = NULL;
}

static wish_t *circuits_read (const part_body_t *part, size_t *count)
{
    const network_part_t *asked = &part->network;
    size_t links_count = 0;
    for (size_t i = 0; i < asked->circuits_count; i++)
        links_count += asked->circuits [i].links_count;
    wish_t *wishes = must (calloc (links_count + 1, sizeof *wishes));
    *count = 0;
    for (size_t i = 0; i < asked->circuits_count; i++) {
        const circuit_t *circuit = &asked->circuits [i];
        for (size_t l = 0; l < circuit->links_count; l++) {
            wish_t *wish = &wishes [(*count)++];
            *wish = (wish_t){.amount = circuit->mbps,
                             .quantity = circuit->mbps,
                             .from_ms = circuit->from_ms,
                             .until_ms = circuit->until_ms};
            memcpy (wish->need, circuit->need, sizeof wish->need);
            memcpy (wish->resource, circuit->links [l], sizeof wish->resource);
        }
    }
    return wishes;
}

/*  --- does it hang together? --- */

static bool joins (const ends_t ends, size_t vertex)
{
    return ends [0] == vertex || ends [1] == vertex;
}

/*  The end of the first link from which the walk begins: the one that the second does not have. */
static size_t walk_begin (const ends_t first, const ends_t second)
{
    return joins (second, first [0]) ? first [1] : first [0];
}

/*  Which link can't be gone over next, and why; links_count when all can. */
static size_t walk_stop (const ends_t *links, size_t links_count, bool *again)
{
    size_t seen [CIRCUIT_LINKS_MAX + 1];
    assert (links_count > 0 && links_count <= CIRCUIT_LINKS_MAX); /* as a part is taken */
    seen [0] = links_count > 1 ? walk_begin (links [0], links [1]) : links [0][0];
    for (size_t l = 0; l < links_count; l++) {
        *again = false;
        if (!joins (links [l], seen [l]))
            return l;
        seen [l + 1] = links [l][0] == seen [l] ? links [l][1] : links [l][0];
        *again = true;
        for (size_t before = 0; before <= l; before++)
            if (seen [before] == seen [l + 1])
                return l;
    }
    return links_count;
}

static bool circuit_valid (const circuits_t *self, const circuit_t *circuit, refusal_t *refusal)
{
    ends_t links [CIRCUIT_LINKS_MAX];
    for (size_t l = 0; l < circuit->links_count; l++) {
        size_t link;
        bool found = room_find (self->room, circuit->links [l], &link);
        assert (found); /* every wish has been looked at before */
        memcpy (links [l], self->ends [link], sizeof links [l]);
    }
    bool again;
    size_t stop = walk_stop (links, circuit->links_count, &again);
    if (stop == circuit->links_count)
        return true;
    *refusal = (refusal_t){.reason = REFUSAL_OUTSIDE,
                           .from_ms = circuit->from_ms,
                           .until_ms = circuit->until_ms,
                           .wanted = circuit->mbps};
    memcpy (refusal->need, circuit->need, sizeof refusal->need);
    snprintf (refusal->resource, sizeof refusal->resource, "%s/%s", room_name (self->room),
              circuit->links [stop]);
    snprintf (refusal->text, sizeof refusal->text, "need %.63s: link %.63s %s", circuit->need,
              circuit->links [stop],
              again ? "leads back to where the circuit has been"
                    : "does not go on where the one before ends");
    return false;
}

static bool circuits_valid (const void *owner, const part_body_t *part, refusal_t *refusal)
{
    bool valid = true;
    for (size_t i = 0; i < part->network.circuits_count && valid; i++)
        valid = circuit_valid (owner, &part->network.circuits [i], refusal);
    return valid;
}

void circuits_reader (const circuits_t *self, part_reader_t *reader)
{
    *reader = (part_reader_t){
      .part_kind = PART_NETWORK, .read = circuits_read, .valid = circuits_valid, .owner = self};
}
