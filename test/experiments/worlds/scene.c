/*  scene - users whose requests the experiment gives. */
#include "scene.h"

#include "must.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE_MS 2500

void scene_wish (const schedule_t *schedule, const size_t sites [2], int64_t duration_ms,
                 uint32_t mbps, sim_wish_t *wish)
{
    *wish = (sim_wish_t){.earliest_ms = SCENE_AHEAD_MS,
                         .latest_ms = SCENE_AHEAD_MS,
                         .fixed = true,
                         .duration_ms = duration_ms,
                         .distinct_sites = true,
                         .needs_count = 2};
    for (size_t i = 0; i < 2; i++) {
        const lis_settings_t *lis = &schedule->lis [sites [i]];
        const node_class_t *class = &lis->site.classes [0];
        snprintf (wish->needs [i].id, sizeof wish->needs [i].id, "n%zu", i + 1);
        sim_text (wish->needs [i].site, sizeof wish->needs [i].site,
                  lis->provider.name + strlen ("lis/"));
        wish->needs [i].cpus = class->nodes * class->cpus_per_node;
    }
    if (mbps == 0)
        return;
    wish->network_count = 1;
    wish->network [0] = (sim_network_need_t){.id = "c1", .ends = {0, 1}, .mbps = mbps};
}

static sim_request_t *request_add (schedule_t *schedule, const char *id, operation_t operation)
{
    sim_request_t *request = sim_book_add (&schedule->book);
    request->operation = operation;
    sim_text (request->actor, sizeof request->actor, "alice");
    snprintf (request->request_id, sizeof request->request_id, "%s@g1", id);
    return request;
}

sim_request_t *scene_reserve (schedule_t *schedule, const char *id, const sim_wish_t *wish)
{
    sim_request_t *request = request_add (schedule, id, OPERATION_RESERVE);
    request->wish [0] = request->wish [1] = *wish;
    request->wish [1].duration_ms += 1000;
    return request;
}

sim_request_t *scene_change (schedule_t *schedule, const char *id, const sim_request_t *of,
                             operation_t operation, const sim_patch_t *patch)
{
    sim_request_t *request = request_add (schedule, id, operation);
    request->of = of;
    if (patch)
        request->patch [0] = *patch;
    return request;
}

sim_action_t *scene_action (sim_client_t *client, sim_request_t *request, int64_t think_ms,
                            bool beside)
{
    sim_action_t *action = &client->actions [client->actions_count++];
    *action = (sim_action_t){
      .request = request, .think_ms = think_ms, .beside = beside, .patience_ms = PATIENCE_MS};
    return action;
}

void scene_calm (void *owner, schedule_t *schedule, sim_faults_t *faults, sim_net_faults_t *net)
{
    (void) owner;
    (void) schedule;
    *faults = (sim_faults_t){0};
    *net = (sim_net_faults_t){.keep = 1000};
}

const sim_command_t *scene_current (schedule_t *schedule, const char *participant,
                                    const char *reservation)
{
    for (size_t i = 0; i < schedule->check.participants_count; i++) {
        const sim_participant_t *one = sim_check_records (&schedule->check, i);
        if (strcmp (sim_check_name (&schedule->check, one), participant) == 0)
            return sim_current (one->commands, one->commands_count, reservation);
    }
    return NULL;
}

bool scene_answers (const sim_message_t *message, const sim_request_t *request,
                    sim_answer_t *answer)
{
    return message->kind == MESSAGE_ANSWER && message->status == CALL_OK &&
           strcmp (message->service, "Planner") == 0 &&
           strcmp (message->request_id, request->request_id) == 0 &&
           sim_wire_answer (sim_message_body (message), answer) &&
           (answer->status == ANSWER_COMMITTED || answer->status == ANSWER_REFUSED);
}

bool scene_run (uint64_t seed, const sim_options_t *options, const sim_scene_t *scene, play_t *play)
{
    sim_tally_t *tally = must (calloc (1, sizeof *tally));
    char why [LONG_WHY_BYTES] = "";
    play->failed = !schedule_play (seed, options, scene, tally, NULL, why);
    sim_text (play->why, sizeof play->why, why);
    free (tally);
    return !play->failed;
}
