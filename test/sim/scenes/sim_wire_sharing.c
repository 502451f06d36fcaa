/*  sim_wire_sharing - protobuf of Sharing and Balancer. */
#include "sim_wire_sharing.h"

#include "message.h"

#include "balance.pb-c.h"

#include <stdio.h>
#include <string.h>

static packed_t packed (const ProtobufCMessage *message)
{
    packed_t made;
    made.data = message_pack (message, &made.size);
    return made;
}

packed_t sim_wire_join (const char *balancer, double level_s, bool automatic)
{
    Musubi__JoinRequest request = MUSUBI__JOIN_REQUEST__INIT;
    request.balancer = (char *) balancer;
    request.level_s = level_s;
    request.automatic = automatic;
    return packed (&request.base);
}

packed_t sim_wire_state_inflated (bytes_t body, double times)
{
    Musubi__StateAnswer *told =
      (Musubi__StateAnswer *) message_unpack (&musubi__state_answer__descriptor, body);
    if (!told)
        return (packed_t){.data = NULL};
    told->cpus *= times;
    packed_t made = packed (&told->base);
    message_free (&told->base);
    return made;
}

uint64_t sim_wire_step (bytes_t status)
{
    Musubi__BalanceStatusAnswer *told = (Musubi__BalanceStatusAnswer *) message_unpack (
      &musubi__balance_status_answer__descriptor, status);
    uint64_t step = told ? told->step : 0;
    if (told)
        message_free (&told->base);
    return step;
}

bool sim_wire_member (bytes_t body, const char *site)
{
    Musubi__BalanceStatusAnswer *told = (Musubi__BalanceStatusAnswer *) message_unpack (
      &musubi__balance_status_answer__descriptor, body);
    bool found = false;
    for (size_t i = 0; told && i < told->n_members; i++)
        found = found || strcmp (told->members [i]->site, site) == 0;
    if (told)
        message_free (&told->base);
    return found;
}

size_t sim_wire_guarantees_read (bytes_t body, sim_guarantee_t *guarantees, size_t most)
{
    Musubi__BalanceStatusAnswer *told = (Musubi__BalanceStatusAnswer *) message_unpack (
      &musubi__balance_status_answer__descriptor, body);
    if (!told)
        return SIZE_MAX;
    size_t count = told->n_guarantees < most ? told->n_guarantees : most;
    for (size_t i = 0; i < count; i++) {
        const Musubi__Guarantee *from = told->guarantees [i];
        guarantees [i] = (sim_guarantee_t){.bag = from->bag, .promised_ms = from->promised_ms};
        snprintf (guarantees [i].home, sizeof guarantees [i].home, "%s", from->home);
    }
    message_free (&told->base);
    return count;
}
