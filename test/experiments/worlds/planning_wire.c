/*  planning_wire - packs jobs and their links, and reads the answers. */
#include "planning_wire.h"

#include "message.h"

#include "planner.pb-c.h"

#include <stdio.h>

#define MICRO 1e6

static const char *const jobs [SCENARIO_JOBS_MAX] = {"j1", "j2", "j3", "j4"};

packed_t planning_ask_encode (const planning_ask_t *ask)
{
    const scenario_request_t *from = ask->request;
    Musubi__Requirement systems [SCENARIO_JOBS_MAX];
    Musubi__Requirement *requirements [SCENARIO_JOBS_MAX];
    Musubi__ComputeNeed compute [SCENARIO_JOBS_MAX];
    Musubi__ComputeNeed *compute_list [SCENARIO_JOBS_MAX];
    for (size_t i = 0; i < from->jobs_count; i++) {
        bool any = from->jobs [i].system == SCENARIO_ANY_SYSTEM;
        musubi__requirement__init (&systems [i]);
        systems [i].attribute = (char *) "os";
        systems [i].test_case = MUSUBI__REQUIREMENT__TEST_VALUE;
        systems [i].value = (char *) (any ? "" : ask->systems [from->jobs [i].system]);
        requirements [i] = &systems [i];
        musubi__compute_need__init (&compute [i]);
        compute [i].id = (char *) jobs [i];
        compute [i].cpus = from->jobs [i].cpus;
        compute [i].offset_ms = from->jobs [i].offset_ms;
        compute [i].duration_ms = from->jobs [i].duration_ms;
        compute [i].n_require = any ? 0 : 1;
        compute [i].require = &requirements [i];
        compute_list [i] = &compute [i];
    }
    Musubi__NetworkNeed network [SCENARIO_LINKS_MAX];
    Musubi__NetworkNeed *network_list [SCENARIO_LINKS_MAX];
    char *ends [SCENARIO_LINKS_MAX][2];
    for (size_t i = 0; i < from->links_count; i++) {
        musubi__network_need__init (&network [i]);
        for (int end = 0; end < 2; end++)
            ends [i][end] = (char *) jobs [from->links [i].ends [end]];
        network [i].n_between = 2;
        network [i].between = ends [i];
        network [i].mbps = from->links [i].mbps;
        network [i].offset_ms = from->links [i].offset_ms;
        network [i].duration_ms = from->links [i].duration_ms;
        network_list [i] = &network [i];
    }
    Musubi__Instant earliest = MUSUBI__INSTANT__INIT;
    earliest.when_case = MUSUBI__INSTANT__WHEN_AT_MS;
    earliest.at_ms = ask->earliest_ms;
    Musubi__Instant deadline = MUSUBI__INSTANT__INIT;
    deadline.when_case = MUSUBI__INSTANT__WHEN_AT_MS;
    deadline.at_ms = ask->earliest_ms + from->within_ms;
    Musubi__TimeFrame frame = MUSUBI__TIME_FRAME__INIT;
    frame.earliest = &earliest;
    frame.deadline = &deadline;
    Musubi__Request request = MUSUBI__REQUEST__INIT;
    request.window = &frame;
    request.duration_ms = from->span_ms;
    request.n_compute = from->jobs_count;
    request.compute = compute_list;
    request.distinct_sites = from->distinct;
    request.n_network = from->links_count;
    request.network = network_list;
    request.policy = (char *) ask->policy;
    request.algorithm = (char *) ask->algorithm;
    request.route = (char *) ask->route;
    Musubi__ReserveRequest reserve = MUSUBI__RESERVE_REQUEST__INIT;
    reserve.request = &request;
    packed_t packed;
    packed.data = message_pack (&reserve.base, &packed.size);
    return packed;
}

static bool copy_text (char *to, size_t room, const char *from)
{
    return (size_t) snprintf (to, room, "%s", from) < room;
}

static bool read_plan (const Musubi__Answer *told, planning_answer_t *answer)
{
    if (told->n_compute > SCENARIO_JOBS_MAX)
        return false;
    for (size_t i = 0; i < told->n_compute; i++) {
        planning_placement_t *place = &answer->places [answer->places_count++];
        place->cpus = told->compute [i]->cpus;
        if (!copy_text (place->site, sizeof place->site, told->compute [i]->site))
            return false;
    }
    for (size_t i = 0; i < told->n_network; i++)
        for (size_t k = 0; k < told->network [i]->n_links; k++) {
            if (answer->hops_count == PLANNING_HOPS_MAX)
                return false;
            planning_hop_t *hop = &answer->hops [answer->hops_count++];
            hop->mbps = told->network [i]->mbps;
            if (!copy_text (hop->link, sizeof hop->link, told->network [i]->links [k]))
                return false;
        }
    return true;
}

bool planning_answer_decode (bytes_t body, planning_answer_t *answer)
{
    ProtobufCMessage *message = message_unpack (&musubi__answer__descriptor, body);
    if (!message)
        return false;
    const Musubi__Answer *told = (Musubi__Answer *) message;
    *answer = (planning_answer_t){0};
    answer->committed = told->status == MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED;
    answer->final = answer->committed || told->status == MUSUBI__ANSWER_STATUS__ANSWER_REFUSED;
    answer->cost = (double) told->cost / MICRO;
    answer->planning_s = (double) told->planning_ms / 1000;
    answer->start_ms = told->start_ms;
    bool read = read_plan (told, answer);
    message_free (message);
    return read;
}
