/*  planning_wire - three jobs, their links, and what became of them. */
#include "planning_wire.h"

#include "message.h"

#include "planner.pb-c.h"

#include <stdio.h>

#define MICRO 1e6

static const char *const jobs [SCENARIO_JOBS] = {"j1", "j2", "j3"};

packed_t planning_ask_encode (const planning_ask_t *ask)
{
    const scenario_request_t *from = ask->request;
    Musubi__Requirement systems [SCENARIO_JOBS];
    Musubi__Requirement *requirements [SCENARIO_JOBS];
    Musubi__ComputeNeed compute [SCENARIO_JOBS];
    Musubi__ComputeNeed *compute_list [SCENARIO_JOBS];
    for (size_t i = 0; i < SCENARIO_JOBS; i++) {
        musubi__requirement__init (&systems [i]);
        systems [i].attribute = (char *) "os";
        systems [i].test_case = MUSUBI__REQUIREMENT__TEST_VALUE;
        systems [i].value = (char *) ask->systems [from->jobs [i].system];
        requirements [i] = &systems [i];
        musubi__compute_need__init (&compute [i]);
        compute [i].id = (char *) jobs [i];
        compute [i].cpus = from->jobs [i].cpus;
        compute [i].offset_ms = from->jobs [i].offset_ms;
        compute [i].duration_ms = from->jobs [i].duration_ms;
        compute [i].n_require = 1;
        compute [i].require = &requirements [i];
        compute_list [i] = &compute [i];
    }
    Musubi__NetworkNeed network [SCENARIO_LINKS];
    Musubi__NetworkNeed *network_list [SCENARIO_LINKS];
    char *ends [SCENARIO_LINKS][2];
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
    request.n_compute = SCENARIO_JOBS;
    request.compute = compute_list;
    request.n_network = from->links_count;
    request.network = network_list;
    request.policy = (char *) ask->policy;
    request.algorithm = (char *) ask->algorithm;
    request.route = (char *) "fixed";
    Musubi__ReserveRequest reserve = MUSUBI__RESERVE_REQUEST__INIT;
    reserve.request = &request;
    packed_t packed;
    packed.data = message_pack (&reserve.base, &packed.size);
    return packed;
}

bool planning_answer_decode (bytes_t body, planning_answer_t *answer)
{
    ProtobufCMessage *message = message_unpack (&musubi__answer__descriptor, body);
    if (!message)
        return false;
    const Musubi__Answer *told = (Musubi__Answer *) message;
    answer->committed = told->status == MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED;
    answer->final = answer->committed || told->status == MUSUBI__ANSWER_STATUS__ANSWER_REFUSED;
    answer->cost = (double) told->cost / MICRO;
    answer->planning_s = (double) told->planning_ms / 1000;
    message_free (message);
    return true;
}
