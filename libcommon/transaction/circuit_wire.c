/*  circuit_wire - circuits in parts and records of proto/transaction.proto. */
#include "transaction_wire.h"

#include "message.h"
#include "must.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void circuits_free (circuit_t *circuits, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free (circuits [i].links);
    free (circuits);
}

static bool links_take (circuit_t *to, const Musubi__Circuit *from, char why [WHY_BYTES])
{
    if (from->n_links == 0 || from->n_links > CIRCUIT_LINKS_MAX)
        return wrong (why, "network.circuits: %s must have 1 to %d links", to->need,
                      CIRCUIT_LINKS_MAX);
    to->links = must (calloc (from->n_links, sizeof *to->links));
    to->links_count = from->n_links;
    for (size_t i = 0; i < from->n_links; i++) {
        if (!text_take (to->links [i], NAME_BYTES_MAX, from->links [i], TEXT_WORD,
                        "network.circuits.links", why))
            return false;
        for (size_t before = 0; before < i; before++)
            if (strcmp (to->links [before], to->links [i]) == 0)
                return wrong (why, "network.circuits: %s has link %s twice", to->need,
                              to->links [i]);
    }
    return true;
}

static bool circuit_take (circuit_t *to, const Musubi__Circuit *from, char why [WHY_BYTES])
{
    *to = (circuit_t){
      .mbps = from->mbps, .from_ms = from->from_ms, .until_ms = from->until_ms, .hop = from->hop};
    if (!text_take (to->need, NAME_BYTES_MAX, from->need, TEXT_ANY, "network.circuits.need", why))
        return false;
    if (to->mbps == 0)
        return wrong (why, "network.circuits: %s asks no bandwidth", to->need);
    if (!time_valid (to->from_ms) || !time_valid (to->until_ms) || to->from_ms >= to->until_ms)
        return wrong (why, "network.circuits: %s has no interval [from, until)", to->need);
    return links_take (to, from, why);
}

bool circuits_take (circuit_t **circuits, size_t *count, Musubi__Circuit *const *from,
                    size_t from_count, char why [WHY_BYTES])
{
    *circuits = NULL;
    *count = 0;
    if (from_count > CIRCUITS_MAX)
        return wrong (why, "network.circuits: more than %d", CIRCUITS_MAX);
    if (from_count == 0)
        return true;
    size_t links_count = 0;
    for (size_t i = 0; i < from_count; i++)
        links_count += from [i]->n_links;
    if (links_count > PART_LINKS_MAX)
        return wrong (why, "network.circuits: more than %d links in all", PART_LINKS_MAX);
    circuit_t *taken = must (calloc (from_count, sizeof *taken));
    for (size_t i = 0; i < from_count; i++) {
        if (!circuit_take (&taken [i], from [i], why)) {
            circuits_free (taken, i + 1);
            return false;
        }
    }
    *circuits = taken;
    *count = from_count;
    return true;
}

bool network_part_decode (bytes_t part, circuit_t **circuits, size_t *count, char why [WHY_BYTES])
{
    *circuits = NULL;
    *count = 0;
    ProtobufCMessage *message = message_unpack (&musubi__network_part__descriptor, part);
    if (!message)
        return wrong (why, "not a NetworkPart");
    const Musubi__NetworkPart *from = (Musubi__NetworkPart *) message;
    bool good = circuits_take (circuits, count, from->circuits, from->n_circuits, why);
    message_free (message);
    return good;
}

Musubi__Circuit **circuits_put (const circuit_t *from, size_t count)
{
    Musubi__Circuit **list = messages_new (&musubi__circuit__descriptor, count);
    for (size_t i = 0; i < count; i++) {
        Musubi__Circuit *to = list [i];
        to->need = (char *) from [i].need;
        to->n_links = from [i].links_count;
        to->links = must (calloc (to->n_links + 1, sizeof (char *)));
        for (size_t l = 0; l < to->n_links; l++)
            to->links [l] = from [i].links [l];
        to->mbps = from [i].mbps;
        to->from_ms = from [i].from_ms;
        to->until_ms = from [i].until_ms;
        to->hop = from [i].hop;
    }
    return list;
}

void circuits_put_end (Musubi__Circuit **wire, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free (wire [i]->links);
    free (wire);
}

packed_t network_part_encode (const circuit_t *circuits, size_t count)
{
    assert (count <= CIRCUITS_MAX);
    Musubi__NetworkPart part = MUSUBI__NETWORK_PART__INIT;
    part.n_circuits = count;
    part.circuits = circuits_put (circuits, count);
    packed_t packed = packed_of (&part.base);
    circuits_put_end (part.circuits, count);
    return packed;
}
