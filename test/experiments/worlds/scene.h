/*  scene - what experiments that are played on a schedule have in common: its federation, network
 *  and checks are those of the search for faults; the users are the experiment's own.
 */
#ifndef MUSUBI_SCENE_H
#define MUSUBI_SCENE_H

#include "experiment.h"
#include "sim_schedule_own.h"

#define SCENE_AHEAD_MS 30000 /* how far ahead the wished windows begin */

/*  Two needs at the given sites (from 0), at a fixed time, each of which fills its site. With a
 *  link: this many Mbit/s between them. */
void scene_wish (const schedule_t *schedule, const size_t sites [2], int64_t duration_ms,
                 uint32_t mbps, sim_wish_t *wish);

/*  Requests of alice; ids need no home. */
sim_request_t *scene_reserve (schedule_t *schedule, const char *id, const sim_wish_t *wish);
sim_request_t *scene_change (schedule_t *schedule, const char *id, const sim_request_t *of,
                             operation_t operation, const sim_patch_t *patch);

/*  The client sends it think_ms after the action before, or at the same time as that one. */
sim_action_t *scene_action (sim_client_t *client, sim_request_t *request, int64_t think_ms,
                            bool beside);

/*  A schedule without faults: for sim_scene_t. */
void scene_calm (void *owner, schedule_t *schedule, sim_faults_t *faults, sim_net_faults_t *net);

/*  What a participant has of the reservation when all is over; NULL = nothing. */
const sim_command_t *scene_current (schedule_t *schedule, const char *participant,
                                    const char *reservation);

/*  True when this message is the final answer to the request, on its way to the user. */
bool scene_answers (const sim_message_t *message, const sim_request_t *request,
                    sim_answer_t *answer);

/*  Runs the schedule; a check that failed is recorded in the play. */
bool scene_run (uint64_t seed, const sim_options_t *options, const sim_scene_t *scene,
                play_t *play);

#endif
