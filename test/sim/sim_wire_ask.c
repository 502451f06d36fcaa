/*  sim_wire_ask - what users, the auditor and those who hold without a plan say. */
#include "message.h"
#include "sim_wire_own.h"

#include "calendar.pb-c.h"
#include "gis.pb-c.h"
#include "nis.pb-c.h"
#include "planner.pb-c.h"

#include <stdio.h>
#include <string.h>

static packed_t pack (const ProtobufCMessage *message)
{
    packed_t packed;
    packed.data = message_pack (message, &packed.size);
    return packed;
}

/*  A txid as a message that borrows it. */
static Musubi__Txid txid_of (const txid_t *txid)
{
    Musubi__Txid message = MUSUBI__TXID__INIT;
    message.store = (ProtobufCBinaryData){.len = STORE_ID_BYTES, .data = (uint8_t *) txid->store};
    message.start = txid->start;
    message.counter = txid->counter;
    return message;
}

packed_t sim_wire_reserve (const sim_wish_t *wish)
{
    Musubi__ComputeNeed needs [SIM_NEEDS_MAX];
    Musubi__ComputeNeed *list [SIM_NEEDS_MAX];
    for (size_t i = 0; i < wish->needs_count; i++) {
        musubi__compute_need__init (&needs [i]);
        needs [i].id = (char *) wish->needs [i].id;
        needs [i].site = (char *) wish->needs [i].site;
        needs [i].cpus = wish->needs [i].cpus;
        needs [i].offset_ms = wish->needs [i].offset_ms;
        needs [i].duration_ms = wish->needs [i].duration_ms;
        list [i] = &needs [i];
    }
    Musubi__Instant earliest = MUSUBI__INSTANT__INIT;
    earliest.when_case = MUSUBI__INSTANT__WHEN_AT_MS;
    earliest.at_ms = wish->earliest_ms;
    Musubi__Instant latest = MUSUBI__INSTANT__INIT;
    latest.when_case = MUSUBI__INSTANT__WHEN_AT_MS;
    latest.at_ms = wish->latest_ms;
    Musubi__TimeFrame frame = MUSUBI__TIME_FRAME__INIT;
    if (wish->fixed) {
        frame.start = &earliest;
    } else {
        frame.earliest = &earliest;
        frame.latest = &latest;
    }
    Musubi__Request request = MUSUBI__REQUEST__INIT;
    request.name = "sim";
    request.window = &frame;
    request.duration_ms = wish->duration_ms;
    request.n_compute = wish->needs_count;
    request.compute = list;
    Musubi__NetworkNeed network [SIM_CONNECTIONS_MAX];
    Musubi__NetworkNeed *network_list [SIM_CONNECTIONS_MAX];
    char *ends [SIM_CONNECTIONS_MAX][2];
    Musubi__Requirement media [SIM_CONNECTIONS_MAX];
    Musubi__Requirement *require [SIM_CONNECTIONS_MAX];
    for (size_t i = 0; i < wish->network_count; i++) {
        const sim_network_need_t *need = &wish->network [i];
        musubi__network_need__init (&network [i]);
        network_list [i] = &network [i];
        for (size_t e = 0; e < 2; e++)
            ends [i][e] = (char *) wish->needs [need->ends [e]].id;
        network [i].n_between = 2;
        network [i].between = ends [i];
        network [i].id = need->unnamed ? "" : (char *) need->id;
        network [i].mbps = need->mbps;
        network [i].latency_ms_max = need->latency_ms_max;
        network [i].offset_ms = need->offset_ms;
        network [i].duration_ms = need->duration_ms;
        if (!*need->media)
            continue;
        musubi__requirement__init (&media [i]);
        media [i].attribute = "media";
        media [i].test_case = MUSUBI__REQUIREMENT__TEST_VALUE;
        media [i].value = (char *) need->media;
        require [i] = &media [i];
        network [i].n_require = 1;
        network [i].require = &require [i];
    }
    request.n_network = wish->network_count;
    request.network = network_list;
    request.route = wish->fixed_route ? "fixed" : "";
    request.algorithm = (char *) wish->algorithm;
    request.policy = (char *) wish->policy;
    request.distinct_sites = wish->distinct_sites;
    Musubi__DataNeed data [SIM_ROOMS_MAX], *data_list [SIM_ROOMS_MAX];
    Musubi__SpaceNeed space [SIM_ROOMS_MAX], *space_list [SIM_ROOMS_MAX];
    request.data = data_list;
    request.space = space_list;
    for (size_t i = 0; i < wish->rooms_count; i++) {
        const sim_room_t *room = &wish->rooms [i];
        musubi__data_need__init (&data [i]);
        musubi__space_need__init (&space [i]);
        data [i].id = space [i].id = (char *) room->id;
        data [i].at = space [i].at = (char *) wish->needs [room->at].id;
        space [i].bytes = (uint64_t) room->mib << 20;
        data [i].file = (char *) room->file;
        data [i].nodes = room->nodes;
        data [i].mbps = room->mbps;
        if (*room->file)
            data_list [request.n_data++] = &data [i];
        else
            space_list [request.n_space++] = &space [i];
    }
    Musubi__ReserveRequest message = MUSUBI__RESERVE_REQUEST__INIT;
    message.request = &request;
    return pack (&message.base);
}

packed_t sim_wire_modify (const char *reservation, const sim_patch_t *patch)
{
    Musubi__ModifyRequest message = MUSUBI__MODIFY_REQUEST__INIT;
    message.reservation = (char *) reservation;
    message.duration_ms = patch->duration_ms;
    Musubi__NeedPatch need = MUSUBI__NEED_PATCH__INIT;
    Musubi__NeedPatch *needs [] = {&need};
    if (patch->cpus > 0) {
        need.id = (char *) patch->need;
        need.cpus = patch->cpus;
        message.n_compute = 1;
        message.compute = needs;
    }
    Musubi__ConnectionPatch connection = MUSUBI__CONNECTION_PATCH__INIT;
    Musubi__ConnectionPatch *connections [] = {&connection};
    if (patch->mbps > 0) {
        connection.id = (char *) patch->connection;
        connection.mbps = patch->mbps;
        message.n_network = 1;
        message.network = connections;
    }
    Musubi__Instant start = MUSUBI__INSTANT__INIT;
    start.when_case = MUSUBI__INSTANT__WHEN_AT_MS;
    start.at_ms = patch->start_ms;
    Musubi__TimeFrame frame = MUSUBI__TIME_FRAME__INIT;
    frame.start = &start;
    if (patch->start_ms > 0)
        message.window = &frame;
    return pack (&message.base);
}

packed_t sim_wire_release (const char *reservation)
{
    Musubi__ReleaseRequest message = MUSUBI__RELEASE_REQUEST__INIT;
    message.reservation = (char *) reservation;
    return pack (&message.base);
}

packed_t sim_wire_show (const char *reservation)
{
    Musubi__ShowReservationRequest message = MUSUBI__SHOW_RESERVATION_REQUEST__INIT;
    message.reservation = (char *) reservation;
    return pack (&message.base);
}

packed_t sim_wire_look (const char *actor, const char *request_id)
{
    Musubi__LookRequest message = MUSUBI__LOOK_REQUEST__INIT;
    message.actor = (char *) actor;
    message.request_id = (char *) request_id;
    return pack (&message.base);
}

packed_t sim_wire_commands (const txid_t *after)
{
    Musubi__CommandsRequest message = MUSUBI__COMMANDS_REQUEST__INIT;
    Musubi__Txid txid;
    if (after) {
        txid = txid_of (after);
        message.after = &txid;
    }
    return pack (&message.base);
}

packed_t sim_wire_settle (const txid_t *txid, const char *participant)
{
    Musubi__SettleRequest message = MUSUBI__SETTLE_REQUEST__INIT;
    Musubi__Txid wire = txid_of (txid);
    message.txid = &wire;
    message.participant = (char *) participant;
    message.fence = true;
    return pack (&message.base);
}

packed_t sim_wire_profile (int64_t from_ms, int64_t until_ms)
{
    Musubi__ProfileRequest message = MUSUBI__PROFILE_REQUEST__INIT;
    message.from_ms = from_ms;
    message.until_ms = until_ms;
    return pack (&message.base);
}

packed_t sim_wire_capacity (const char *resource, uint32_t quantity)
{
    Musubi__CapacityRequest message = MUSUBI__CAPACITY_REQUEST__INIT;
    message.resource = (char *) resource;
    message.quantity = quantity;
    return pack (&message.base);
}

packed_t sim_wire_use (const char *reservation)
{
    Musubi__UseRequest message = MUSUBI__USE_REQUEST__INIT;
    message.reservation = (char *) reservation;
    return pack (&message.base);
}

packed_t sim_wire_list (const char *after)
{
    Musubi__ListRequest message = MUSUBI__LIST_REQUEST__INIT;
    message.after = (char *) after;
    return pack (&message.base);
}

/*  A hold of one node, or of one Mbit/s, at the party that it is sent to. */
static packed_t pack_hold (Musubi__Plan *plan, const sim_hold_t *hold, const sim_party_t *party)
{
    Musubi__HoldRequest message = MUSUBI__HOLD_REQUEST__INIT;
    message.plan = plan;
    message.ttl_ms = hold->ttl_ms;
    Musubi__ComputeBooking booking = MUSUBI__COMPUTE_BOOKING__INIT;
    booking.need = "try";
    booking.class_name = (char *) party->resource;
    booking.cpus = party->unit;
    booking.nodes = 1;
    booking.from_ms = hold->from_ms;
    booking.until_ms = hold->until_ms;
    Musubi__ComputeBooking *bookings [] = {&booking};
    Musubi__ComputePart compute = MUSUBI__COMPUTE_PART__INIT;
    compute.n_bookings = 1;
    compute.bookings = bookings;
    Musubi__Circuit circuit = MUSUBI__CIRCUIT__INIT;
    char *links [] = {(char *) party->resource};
    circuit.need = "try";
    circuit.n_links = 1;
    circuit.links = links;
    circuit.mbps = party->unit;
    circuit.from_ms = hold->from_ms;
    circuit.until_ms = hold->until_ms;
    Musubi__Circuit *circuits [] = {&circuit};
    Musubi__NetworkPart network = MUSUBI__NETWORK_PART__INIT;
    network.n_circuits = 1;
    network.circuits = circuits;
    if (party->network) {
        message.part_case = MUSUBI__HOLD_REQUEST__PART_NETWORK;
        message.network = &network;
    } else {
        message.part_case = MUSUBI__HOLD_REQUEST__PART_COMPUTE;
        message.compute = &compute;
    }
    return pack (&message.base);
}

packed_t sim_wire_hold (const sim_hold_t *hold, size_t to)
{
    Musubi__Txid txid = txid_of (&hold->txid);
    Musubi__Party list [2];
    Musubi__Party *parties [2];
    for (size_t i = 0; i < hold->parties_count; i++) {
        const sim_party_t *party = &hold->parties [i];
        musubi__party__init (&list [i]);
        list [i].name = (char *) party->name;
        list [i].endpoint = (char *) party->address;
        list [i].store =
          (ProtobufCBinaryData){.len = STORE_ID_BYTES, .data = (uint8_t *) party->store};
        parties [i] = &list [i];
    }
    Musubi__Party coordinator = MUSUBI__PARTY__INIT;
    coordinator.name = (char *) hold->coordinator;
    coordinator.endpoint = (char *) hold->coordinator_address;
    coordinator.store =
      (ProtobufCBinaryData){.len = STORE_ID_BYTES, .data = (uint8_t *) hold->txid.store};
    Musubi__Plan plan = MUSUBI__PLAN__INIT;
    char reservation [NAME_BYTES_MAX + 1];
    snprintf (reservation, sizeof reservation, "try-%02x%02x%02x%02x-%u-%llu", hold->txid.store [0],
              hold->txid.store [1], hold->txid.store [2], hold->txid.store [3], hold->txid.start,
              (unsigned long long) hold->txid.counter);
    plan.txid = &txid;
    plan.operation = MUSUBI__OPERATION__RESERVE;
    plan.reservation = reservation;
    plan.n_participants = hold->parties_count;
    plan.participants = parties;
    plan.coordinator = &coordinator;
    plan.decide_by_ms = hold->decide_by_ms;
    plan.edge_ms = hold->from_ms;
    plan.actor = (char *) hold->actor;
    return pack_hold (&plan, hold, &hold->parties [to]);
}

packed_t sim_wire_txid (const txid_t *txid)
{
    Musubi__Txid message = txid_of (txid);
    Musubi__CommitRequest request = MUSUBI__COMMIT_REQUEST__INIT;
    request.txid = &message;
    return pack (&request.base);
}

packed_t sim_wire_renew (const txid_t *txid, uint32_t ttl_ms)
{
    Musubi__Txid message = txid_of (txid);
    Musubi__RenewRequest request = MUSUBI__RENEW_REQUEST__INIT;
    request.txid = &message;
    request.ttl_ms = ttl_ms;
    return pack (&request.base);
}

packed_t sim_wire_outcome (const txid_t *txid, outcome_t outcome)
{
    Musubi__Txid message = txid_of (txid);
    Musubi__OutcomeAnswer answer = MUSUBI__OUTCOME_ANSWER__INIT;
    answer.txid = &message;
    answer.outcome = (Musubi__Outcome) outcome;
    return pack (&answer.base);
}

packed_t sim_wire_welcome (int64_t wall_ms)
{
    Musubi__AnnounceAnswer answer = MUSUBI__ANNOUNCE_ANSWER__INIT;
    answer.lease_ms = 15000;
    answer.wall_ms = wall_ms;
    return pack (&answer.base);
}
