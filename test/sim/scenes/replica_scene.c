/*  replica_scene - the processes, and a user core that sends what it is given. */
#include "replica_scene.h"
#include "../../gis_everybody.h"
#include "replica.h"

#include "gis.h"
#include "message.h"
#include "must.h"
#include "outbox.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ASKS_MAX     4096
#define USER_TICK_MS 5
#define PATIENCE_MS  3000

#define SCENE_HORIZON_MS 86400000 /* of bookings */

const scene_plan_t scene_plan_default = {
  .sites = 3,
  .nodes = 1,
  .node_bytes = 10000000,
  .index = true,
  .limits = {.files_max = 100000,
             .places_max = 100000,
             .outgoing_feeds = {.source_max = 8, .pair_max = 4},
             .transfers = {.transfers_max = 512, .patience_ms = 30000},
             .home_ms = 60000},
  .cost = SELECT_THROUGHPUT,
};

typedef struct {
    int process;
    char service [16];
    char method [32];
    char actor [NAME_BYTES_MAX + 1];
    char request_id [32]; /* of what a planner is asked */
    uint8_t *body;
    size_t size;
    bool sent;
    bool answered;
    bool heard; /* a caller waits for it */
    call_status_t status;
    char reason [256];
    uint8_t *answer;
    size_t answer_size;
} ask_t;

typedef struct {
    replica_scene_t *scene;
    char name [NAME_BYTES_MAX + 1];
    replica_settings_t settings;
    core_t core;
    int process;
} scene_member_t;

struct replica_scene {
    sim_t *sim;
    sim_tally_t tally;
    gis_settings_t gis;
    char gis_address [64];
    const char *gis_endpoints [1];
    char node_names [16][24];
    const char *nodes [16];
    scene_member_t members [SCENE_SITES_MAX + 1];
    size_t members_count;
    int user;
    outbox_t *outbox;
    ask_t asks [ASKS_MAX];
    size_t asks_count;
    size_t asks_sent;
};

/*  --- the user --- */

static void send (replica_scene_t *self, size_t at)
{
    ask_t *ask = &self->asks [at];
    char events [128];
    ask->sent = true;
    snprintf (events, sizeof events, "%s/events", sim_address (self->sim, ask->process));
    outbox_subscribe (self->outbox, events);
    outbox_push (self->outbox,
                 &(effect_t){.kind = EFFECT_CALL,
                             .call = {.call = at + 1,
                                      .endpoint = sim_address (self->sim, ask->process),
                                      .service = ask->service,
                                      .method = ask->method,
                                      .actor = ask->actor,
                                      .request_id = ask->request_id,
                                      .body = {.data = ask->body, .size = ask->size},
                                      .timeout_ms = PATIENCE_MS}});
}

static void user_step (void *owner, const moment_t *now, const event_t *event)
{
    replica_scene_t *self = owner;
    outbox_clear (self->outbox);
    if (event->kind == EVENT_ANSWER) {
        ask_t *ask = &self->asks [event->answer.call - 1];
        ask->answered = true;
        ask->status = event->answer.status;
        snprintf (ask->reason, sizeof ask->reason, "%s", event->answer.reason);
        if (ask->heard && event->answer.body.size > 0) {
            ask->answer_size = event->answer.body.size;
            ask->answer = must (malloc (ask->answer_size));
            memcpy (ask->answer, event->answer.body.data, ask->answer_size);
        }
        return;
    }
    while (self->asks_sent < self->asks_count)
        send (self, self->asks_sent++);
    outbox_timer (self->outbox, now->mono_ms + USER_TICK_MS);
}

static bool user_next (void *owner, effect_t *effect)
{
    return outbox_next (((replica_scene_t *) owner)->outbox, effect);
}

static void user_destroy (void *owner)
{
    outbox_destroy (&((replica_scene_t *) owner)->outbox);
}

static void user_make (void *owner, core_t *core)
{
    replica_scene_t *self = owner;
    self->outbox = outbox_new ();
    *core = (core_t){.self = self, .step = user_step, .next = user_next, .destroy = user_destroy};
}

/*  --- the services --- */

static void gis_make (void *owner, core_t *core)
{
    gis_core (owner, core);
}

static void member_make (void *owner, core_t *core)
{
    scene_member_t *member = owner;
    replica_core (&member->settings, core);
    member->core = *core;
}

static void member_add (replica_scene_t *self, const char *name, const scene_plan_t *plan,
                        bool index)
{
    static const char *const anybody [] = {"*"};
    scene_member_t *member = &self->members [self->members_count++];
    member->scene = self;
    snprintf (member->name, sizeof member->name, "%s", name);
    member->settings = (replica_settings_t){
      .index = index,
      .nodes = self->nodes,
      .nodes_count = plan->nodes,
      .cost = plan->cost,
      .provider = {.name = member->name,
                   .access = {.accounts = anybody, .accounts_count = 1},
                   .gis_endpoints = self->gis_endpoints,
                   .gis_count = 1,
                   .participant = SETTINGS_PRESET (participant_limits_t, &participant_table),
                   .limits = SETTINGS_PRESET (replica_settings_t, &replica_table).provider.limits},
      .terms = {.horizon_ms = SCENE_HORIZON_MS},
      .plus = SETTINGS_PRESET (plus_limits_t, &plus_table),
      .limits = plan->limits};
    member->process = sim_add (
      self->sim, &(sim_program_t){.name = member->name, .make = member_make, .owner = member},
      &(sim_clock_t){0}, SIM_NOBODY, 1000);
}

replica_scene_t *replica_scene_new (uint64_t seed, const scene_plan_t *plan)
{
    replica_scene_t *self = must (calloc (1, sizeof *self));
    fake_reset ();
    self->sim = sim_new (seed, &self->tally, NULL);
    snprintf (self->gis_address, sizeof self->gis_address, "sim://gis/g1/1");
    self->gis_endpoints [0] = self->gis_address;
    self->gis = gis_for_everybody ();
    self->gis.name = "gis/g1";
    sim_add (
      self->sim,
      &(sim_program_t){.name = "gis/g1", .make = gis_make, .owner = &self->gis, .stays = true},
      &(sim_clock_t){0}, SIM_NOBODY, 0);
    for (size_t i = 0; i < plan->nodes; i++) {
        snprintf (self->node_names [i], sizeof self->node_names [i], "n%zu", i + 1);
        self->nodes [i] = self->node_names [i];
    }
    if (plan->index)
        member_add (self, "index/i1", plan, true);
    for (size_t i = 0; i < plan->sites; i++) {
        char name [16];
        snprintf (name, sizeof name, "replica/%c", (char) ('a' + i));
        for (size_t k = 0; k < plan->nodes; k++)
            fake_disk (name, self->nodes [k], plan->node_bytes);
        member_add (self, name, plan, false);
    }
    self->user =
      sim_add (self->sim, &(sim_program_t){.name = "user/1", .make = user_make, .owner = self},
               &(sim_clock_t){0}, SIM_NOBODY, 2000);
    scene_pass (self, 1500); /* everybody has met */
    return self;
}

void replica_scene_destroy (replica_scene_t **self_p)
{
    replica_scene_t *self = *self_p;
    sim_destroy (&self->sim);
    for (size_t i = 0; i < self->asks_count; i++) {
        free (self->asks [i].body);
        free (self->asks [i].answer);
    }
    free (self);
    fake_reset ();
    *self_p = NULL;
}

sim_t *scene_sim (replica_scene_t *self)
{
    return self->sim;
}

static scene_member_t *member_of (const replica_scene_t *self, const char *name)
{
    for (size_t i = 0; i < self->members_count; i++)
        if (strcmp (self->members [i].name, name) == 0)
            return (scene_member_t *) &self->members [i];
    return NULL;
}

int scene_process (const replica_scene_t *self, const char *name)
{
    return member_of (self, name)->process;
}

const core_t *scene_core (const replica_scene_t *self, const char *name)
{
    const scene_member_t *member = member_of (self, name);
    return sim_up (self->sim, member->process) ? &member->core : NULL;
}

void scene_pass (replica_scene_t *self, int64_t ms)
{
    sim_run (self->sim, sim_now_us (self->sim) + ms * 1000);
}

/*  --- asking --- */

static ask_t *ask_add (replica_scene_t *self, const char *service, const char *method,
                       const ProtobufCMessage *question, bool heard)
{
    assert (self->asks_count < ASKS_MAX);
    ask_t *ask = &self->asks [self->asks_count++];
    *ask = (ask_t){.process = scene_process (self, service), .heard = heard, .actor = "alice"};
    if (strcmp (method, "Stay") == 0 ||
        strcmp (method, "TakeIn") == 0) /* only the site's own svc-lis may */
        snprintf (ask->actor, sizeof ask->actor, "lis/%s", strchr (service, '/') + 1);
    snprintf (ask->service, sizeof ask->service, "%s",
              strncmp (service, "index/", 6) == 0 ? "ReplicaIndex" : "Replica");
    snprintf (ask->method, sizeof ask->method, "%s", method);
    ask->body = message_pack (question, &ask->size);
    return ask;
}

void scene_tell (replica_scene_t *self, const char *service, const char *method,
                 const ProtobufCMessage *question)
{
    ask_add (self, service, method, question, false);
}

static const ProtobufCMessageDescriptor *answer_descriptor (const char *service, const char *method)
{
    const ProtobufCServiceDescriptor *descriptor = strncmp (service, "index/", 6) == 0
                                                     ? &musubi__replica_index__descriptor
                                                     : &musubi__replica__descriptor;
    return protobuf_c_service_descriptor_get_method_by_name (descriptor, method)->output;
}

call_status_t scene_ask (replica_scene_t *self, const char *service, const char *method,
                         const ProtobufCMessage *question, ProtobufCMessage **answer,
                         char reason [256])
{
    ask_t *ask = ask_add (self, service, method, question, true);
    for (int64_t ms = 0; ms < 2 * PATIENCE_MS && !ask->answered && !sim_failed (self->sim); ms += 5)
        scene_pass (self, 5);
    *answer = NULL;
    snprintf (reason, 256, "%s", ask->answered ? ask->reason : "no answer");
    if (!ask->answered)
        return CALL_TIMED_OUT;
    if (ask->status == CALL_OK)
        *answer = message_unpack (answer_descriptor (service, method),
                                  (bytes_t){.data = ask->answer, .size = ask->answer_size});
    return ask->status;
}

size_t scene_send (replica_scene_t *self, int process, const char *actor, const char *service,
                   const char *method, packed_t body)
{
    assert (self->asks_count < ASKS_MAX);
    ask_t *ask = &self->asks [self->asks_count];
    *ask = (ask_t){.process = process, .heard = true, .body = body.data, .size = body.size};
    snprintf (ask->service, sizeof ask->service, "%s", service);
    snprintf (ask->actor, sizeof ask->actor, "%s", actor);
    snprintf (ask->method, sizeof ask->method, "%s", method);
    if (strcmp (service, "Planner") == 0)
        snprintf (ask->request_id, sizeof ask->request_id, "q%zu@g1", self->asks_count);
    return self->asks_count++;
}

call_status_t scene_vote (replica_scene_t *self, const char *planner, const char *site,
                          const char *method, packed_t body, command_answer_t *told,
                          char reason [256])
{
    const ask_t *ask = &self->asks [scene_send (self, scene_process (self, site), planner,
                                                "Participant", method, body)];
    *told = (command_answer_t){.state = COMMAND_UNKNOWN};
    for (int64_t ms = 0; ms < 2 * PATIENCE_MS && !ask->answered && !sim_failed (self->sim); ms += 5)
        scene_pass (self, 5);
    snprintf (reason, 256, "%s", ask->answered ? ask->reason : "no answer");
    if (!ask->answered)
        return CALL_TIMED_OUT;
    if (ask->status == CALL_OK &&
        !codec_decode (&command_answer_codec, told,
                       (bytes_t){.data = ask->answer, .size = ask->answer_size}, reason))
        return CALL_BAD_REQUEST;
    return ask->status;
}

bytes_t scene_told (const replica_scene_t *self, size_t ask)
{
    return (bytes_t){.data = self->asks [ask].answer, .size = self->asks [ask].answer_size};
}

static uint64_t begun (replica_scene_t *self, const char *site, const char *method,
                       const ProtobufCMessage *question, char reason [256])
{
    ProtobufCMessage *answer;
    if (scene_ask (self, site, method, question, &answer, reason) != CALL_OK)
        return UINT64_MAX;
    uint64_t transfer = ((Musubi__BeginAnswer *) answer)->transfer;
    message_free (answer);
    return transfer;
}

uint64_t scene_put (replica_scene_t *self, const char *site, const char *name, uint64_t size,
                    uint8_t content, char reason [256])
{
    char guest [32];
    uint8_t digest [CHAIN_DIGEST_BYTES];
    snprintf (guest, sizeof guest, "guest-put-%zu", self->asks_count);
    fake_guest (site, guest);
    fake_file (site, guest, name, size, content);
    fake_digest (digest, content);
    Musubi__PutRequest question = MUSUBI__PUT_REQUEST__INIT;
    question.name = (char *) name;
    question.size = size;
    question.digest = (ProtobufCBinaryData){.len = sizeof digest, .data = digest};
    question.guest = guest;
    return begun (self, site, "Put", &question.base, reason);
}

uint64_t scene_get (replica_scene_t *self, const char *site, const char *name, const char *guest,
                    char reason [256])
{
    Musubi__GetRequest question = MUSUBI__GET_REQUEST__INIT;
    question.name = (char *) name;
    question.guest = (char *) guest;
    if (*guest)
        fake_guest (site, guest);
    return begun (self, site, "Get", &question.base, reason);
}

transfer_state_t scene_state (replica_scene_t *self, const char *site, uint64_t transfer,
                              const char *guest, char why [256])
{
    Musubi__TransferRequest question = MUSUBI__TRANSFER_REQUEST__INIT;
    ProtobufCMessage *message;
    question.transfer = transfer;
    question.guest = (char *) guest;
    if (transfer == 0)
        return TRANSFER_DONE;
    if (scene_ask (self, site, "Transfer", &question.base, &message, why) != CALL_OK)
        return TRANSFER_WAITING;
    const Musubi__TransferAnswer *answer = (const Musubi__TransferAnswer *) message;
    transfer_state_t state = (transfer_state_t) answer->state;
    snprintf (why, 256, "%s", answer->why);
    message_free (message);
    return state;
}

transfer_state_t scene_wait (replica_scene_t *self, const char *site, uint64_t transfer,
                             const char *guest, int64_t ms, char why [256])
{
    int64_t until_us = sim_now_us (self->sim) + ms * 1000;
    transfer_state_t state = TRANSFER_WAITING;
    while (sim_now_us (self->sim) < until_us && !sim_failed (self->sim)) {
        state = scene_state (self, site, transfer, guest, why);
        if (state == TRANSFER_DONE || state == TRANSFER_FAILED)
            return state;
        scene_pass (self, 50);
    }
    return state;
}
