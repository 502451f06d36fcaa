/*  circuits - links as offers, circuits as wishes, and the one thing more that is asked of a
 *  circuit: that it hangs together.
 */
#include "circuits.h"

#include "must.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

free_capacity_t *circuits_room (const char *name, const domain_t *domain,
                                const timekeeper_t *timekeeper)
{
    resource_offer_t *offers = must (calloc (domain->links_count + 1, sizeof *offers));
    for (size_t i = 0; i < domain->links_count; i++) {
        offers [i] = (resource_offer_t){.quantity = domain->links [i].mbps, .unit = 1};
        memcpy (offers [i].name, domain->links [i].name, sizeof offers [i].name);
    }
    free_capacity_settings_t settings = {
      .name = name,
      .words = {.resource = "link", .quantity = "Mbit/s", .amount = "Mbit/s"},
      .terms = {.disclosure = domain->disclosure,
                .lead_ms = domain->lead_ms,
                .horizon_ms = domain->horizon_ms},
      .offers = offers,
      .offers_count = domain->links_count,
    };
    free_capacity_t *room = free_capacity_new (&settings, timekeeper);
    free (offers);
    return room;
}

static admission_want_t *circuits_read (const part_body_t *part, size_t *count)
{
    const network_part_t *asked = &part->network;
    size_t links_count = 0;
    for (size_t i = 0; i < asked->circuits_count; i++)
        links_count += asked->circuits [i].links_count;
    admission_want_t *wishes = must (calloc (links_count + 1, sizeof *wishes));
    *count = 0;
    for (size_t i = 0; i < asked->circuits_count; i++) {
        const circuit_t *circuit = &asked->circuits [i];
        for (size_t l = 0; l < circuit->links_count; l++) {
            admission_want_t *wish = &wishes [(*count)++];
            *wish = (admission_want_t){.amount = circuit->mbps,
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

static bool circuit_valid (const circuits_t *self, const circuit_t *circuit, refusal_t *refusal)
{
    size_t links [CIRCUIT_LINKS_MAX];
    const char *vertices [CIRCUIT_LINKS_MAX + 1];
    assert (circuit->links_count <= CIRCUIT_LINKS_MAX); /* as a part is taken */
    for (size_t l = 0; l < circuit->links_count; l++) {
        bool found = free_capacity_find (self->room, circuit->links [l], &links [l]);
        assert (found); /* every wish has been looked at before */
    }
    bool again;
    size_t stop = domain_walk (self->domain, links, circuit->links_count, vertices, &again);
    if (stop == circuit->links_count)
        return true;
    *refusal = (refusal_t){.reason = REFUSAL_OUTSIDE,
                           .from_ms = circuit->from_ms,
                           .until_ms = circuit->until_ms,
                           .wanted = circuit->mbps};
    memcpy (refusal->need, circuit->need, sizeof refusal->need);
    snprintf (refusal->resource, sizeof refusal->resource, "%s/%s", free_capacity_name (self->room),
              circuit->links [stop]);
    snprintf (refusal->text, sizeof refusal->text, "need %.63s: link %.63s %s", circuit->need,
              circuit->links [stop],
              again ? "leads back to where the circuit has been"
                    : "does not begin where the link before it ends");
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
