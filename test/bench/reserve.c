/*  reserve - packs requests to planners, and reads their answers. */
#include "reserve.h"

#include "bench.h"
#include "message.h"
#include "planner.pb-c.h"

#include <assert.h>
#include <stdio.h>

static packed_t pack (const ProtobufCMessage *message)
{
    packed_t packed;
    packed.data = message_pack (message, &packed.size);
    return packed;
}

packed_t reserve_encode (const bench_reserve_t *self)
{
    static const char *const ids [RESERVE_SITES_MAX] = {"a", "b", "c", "d"};
    Musubi__ComputeNeed needs [RESERVE_SITES_MAX];
    Musubi__ComputeNeed *need_list [RESERVE_SITES_MAX];
    Musubi__NetworkNeed connections [RESERVE_SITES_MAX];
    Musubi__NetworkNeed *connection_list [RESERVE_SITES_MAX];
    char *ends [RESERVE_SITES_MAX][2];
    assert (self->sites >= 1 && self->sites <= RESERVE_SITES_MAX);
    for (size_t i = 0; i < self->sites; i++) {
        musubi__compute_need__init (&needs [i]);
        needs [i].id = (char *) ids [i];
        needs [i].cpus = self->cpus [i];
        need_list [i] = &needs [i];
        ends [i][0] = (char *) ids [i];
        ends [i][1] = (char *) ids [(i + 1) % self->sites];
        musubi__network_need__init (&connections [i]);
        connections [i].n_between = 2;
        connections [i].between = ends [i];
        connections [i].mbps = self->mbps [i];
        connection_list [i] = &connections [i];
    }
    if (self->site)
        needs [0].site = (char *) self->site;
    Musubi__Instant earliest = MUSUBI__INSTANT__INIT, deadline = MUSUBI__INSTANT__INIT;
    earliest.when_case = deadline.when_case = MUSUBI__INSTANT__WHEN_AT_MS;
    earliest.at_ms = self->earliest_ms;
    deadline.at_ms = self->deadline_ms;
    Musubi__TimeFrame frame = MUSUBI__TIME_FRAME__INIT;
    frame.earliest = &earliest;
    frame.deadline = &deadline;
    Musubi__Request request = MUSUBI__REQUEST__INIT;
    request.window = &frame;
    request.duration_ms = self->duration_ms;
    request.n_compute = self->sites;
    request.compute = need_list;
    request.n_network = self->links ? self->sites : 0;
    request.network = connection_list;
    request.distinct_sites = true;
    Musubi__SpaceNeed space = MUSUBI__SPACE_NEED__INIT;
    Musubi__SpaceNeed *space_list [] = {&space};
    space.at = needs [0].id;
    space.bytes = self->room_bytes;
    request.n_space = self->room_bytes > 0;
    request.space = space_list;
    Musubi__DataNeed data = MUSUBI__DATA_NEED__INIT;
    Musubi__DataNeed *data_list [] = {&data};
    data.at = needs [0].id;
    data.file = (char *) self->file;
    request.n_data = self->file != NULL;
    request.data = data_list;
    Musubi__ReserveRequest reserve = MUSUBI__RESERVE_REQUEST__INIT;
    reserve.request = &request;
    return pack (&reserve.base);
}

packed_t modify_encode (const char *reservation, uint32_t cpus)
{
    Musubi__NeedPatch patch = MUSUBI__NEED_PATCH__INIT;
    Musubi__NeedPatch *list [] = {&patch};
    patch.id = (char *) "a";
    patch.cpus = cpus;
    Musubi__ModifyRequest request = MUSUBI__MODIFY_REQUEST__INIT;
    request.reservation = (char *) reservation;
    request.n_compute = 1;
    request.compute = list;
    return pack (&request.base);
}

packed_t release_encode (const char *reservation)
{
    Musubi__ReleaseRequest request = MUSUBI__RELEASE_REQUEST__INIT;
    request.reservation = (char *) reservation;
    return pack (&request.base);
}

static ProtobufCMessage *answer_unpack (bytes_t body)
{
    ProtobufCMessage *message = message_unpack (&musubi__answer__descriptor, body);
    if (!message)
        bench_fail ("a planner's answer can't be read");
    return message;
}

bool answer_committed (bytes_t body, char reservation [NAME_BYTES_MAX + 1])
{
    ProtobufCMessage *message = answer_unpack (body);
    const Musubi__Answer *answer = (const Musubi__Answer *) message;
    bool committed = answer->status == MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED;
    if (committed && reservation)
        snprintf (reservation, NAME_BYTES_MAX + 1, "%s", answer->reservation);
    message_free (message);
    return committed;
}

uint32_t answer_rounds (bytes_t body)
{
    ProtobufCMessage *message = answer_unpack (body);
    uint32_t rounds = ((const Musubi__Answer *) message)->rounds;
    message_free (message);
    return rounds;
}
