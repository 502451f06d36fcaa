/*  sim_storage - the processes, and a client who puts the files. */
#include "sim_storage.h"
#include "../../gis_everybody.h"
#include "replica.h"

#include "chain_fake.h"
#include "message.h"
#include "outbox.h"
#include "storage.h"

#include "replica.pb-c.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEET_US   2000000
#define PUT_US    60000000
#define LOOK_US   200000
#define ASK_MS    2000
#define LOOKS_MS  5000
#define FAST_MBPS 100000 /* while the server is given its files */
#define DAY_MS    (24 * INT64_C (3600000))

/*  --- the client --- */

static void put (sim_storage_t *self, size_t number)
{
    sim_storage_end_t *giver = &self->givers [number];
    uint8_t digest [FLOW_DIGEST_BYTES];
    Musubi__PutRequest request = MUSUBI__PUT_REQUEST__INIT;
    sim_file_digest (sim_flows_file (self->flows, giver->number, "/given", true), digest);
    request.name = giver->file;
    request.size = self->sizes [number];
    request.digest = (ProtobufCBinaryData){.len = sizeof digest, .data = digest};
    request.guest = giver->name;
    packed_t body;
    body.data = message_pack (&request.base, &body.size);
    outbox_push (self->outbox, &(effect_t){.kind = EFFECT_CALL,
                                           .call = {.call = ++self->calls,
                                                    .endpoint = sim_address (self->sim, self->home),
                                                    .service = "Replica",
                                                    .method = "Put",
                                                    .actor = "alice",
                                                    .request_id = "",
                                                    .body = {.data = body.data, .size = body.size},
                                                    .timeout_ms = ASK_MS}});
    free (body.data);
}

static bool there (const sim_storage_t *self, size_t number)
{
    return sim_storage_file (self, &self->server, self->givers [number].file);
}

static void client_step (void *owner, const moment_t *now, const event_t *event)
{
    sim_storage_t *self = owner;
    bool all = true;
    outbox_clear (self->outbox);
    if (event->kind != EVENT_START && event->kind != EVENT_TIMER)
        return;
    for (size_t i = 0; i < self->files_count; i++) {
        all = all && there (self, i);
        if (!there (self, i))
            put (self, i);
    }
    if (!all)
        outbox_timer (self->outbox, now->mono_ms + ASK_MS);
}

static bool client_next (void *owner, effect_t *effect)
{
    return outbox_next (((sim_storage_t *) owner)->outbox, effect);
}

static void client_destroy (void *owner)
{
    outbox_destroy (&((sim_storage_t *) owner)->outbox);
}

static void client_make (void *owner, core_t *core)
{
    sim_storage_t *self = owner;
    self->outbox = outbox_new ();
    *core =
      (core_t){.self = self, .step = client_step, .next = client_next, .destroy = client_destroy};
}

/*  --- the services --- */

static void gis_make (void *owner, core_t *core)
{
    gis_core (owner, core);
}

static void home_make (void *owner, core_t *core)
{
    replica_core (&((sim_storage_t *) owner)->replicas [0], core);
}

static void here_make (void *owner, core_t *core)
{
    sim_storage_t *self = owner;
    replica_core (&self->replicas [1], core);
    self->here_core = *core;
}

static void end_make (void *owner, core_t *core)
{
    const sim_storage_end_t *end = owner;
    const sim_storage_t *self = end->storage;
    bool is_here = end >= self->nodes && end < self->nodes + SIM_STORAGE_NODES_MAX;
    const char *site = sim_address (self->sim, is_here ? self->here : self->home);
    storage_core (&(storage_settings_t){.name = end->name,
                                        .sites = &site,
                                        .sites_count = 1,
                                        .folder = end->process + strlen ("disk"),
                                        .bytes_max = end->bytes_max,
                                        .look_ms = LOOKS_MS,
                                        .guest = *end->file != '\0',
                                        .gives_file = *end->file ? end->file : NULL,
                                        .gives_path = *end->file ? "/given" : NULL},
                  core);
}

static int storage_process (sim_storage_t *self, const char *name,
                            void (*make) (void *owner, core_t *core), void *owner)
{
    return sim_add (self->sim,
                    &(sim_program_t){.name = name, .make = make, .owner = owner, .stays = true},
                    &(sim_clock_t){.drift_ppm = 20}, SIM_NOBODY, sim_now_us (self->sim) + 1000);
}

static void end_begin (sim_storage_t *self, sim_storage_end_t *end)
{
    end->storage = self;
    snprintf (end->process, sizeof end->process, "disk/%.31s", end->name);
    end->number = storage_process (self, end->process, end_make, end);
}

static void replica_set (sim_storage_t *self, replica_settings_t *settings, const char *name,
                         const char *const *nodes, size_t nodes_count)
{
    static const char *const anybody [] = {"*"};
    *settings = (replica_settings_t){
      .provider = {.name = name,
                   .access = {anybody, 1, NULL, 0},
                   .gis_endpoints = self->gis_endpoints,
                   .gis_count = 1,
                   .participant = SETTINGS_PRESET (participant_limits_t, &participant_table),
                   .limits = SETTINGS_PRESET (replica_settings_t, &replica_table).provider.limits},
      .nodes = nodes,
      .nodes_count = nodes_count,
      .terms = {.horizon_ms = 30 * DAY_MS},
      .plus = SETTINGS_PRESET (plus_limits_t, &plus_table),
      .limits = {.files_max = 1000,
                 .places_max = 1000,
                 .outgoing_feeds = {.source_max = 16, .pair_max = 4},
                 .transfers = {.transfers_max = 64, .patience_ms = 5000},
                 .chain = SETTINGS_PRESET (chain_limits_t, &chain_table)}};
}

static void file_give (sim_storage_t *self, size_t number)
{
    sim_storage_end_t *giver = &self->givers [number];
    snprintf (giver->name, sizeof giver->name, "giver-%zu", number);
    snprintf (giver->file, sizeof giver->file, "in-%zu", number);
    giver->bytes_max = UINT64_C (1) << 40;
    end_begin (self, giver);
    sim_file_t *given = sim_flows_file (self->flows, giver->number, "/given", true);
    given->content = given->marked = sim_storage_content (number);
    given->bytes = self->sizes [number];
    sim_flows_rate (self->flows, giver->number, FAST_MBPS);
}

static void files_give (sim_storage_t *self)
{
    int64_t until_us = sim_now_us (self->sim) + PUT_US;
    for (size_t i = 0; i < self->files_count; i++)
        file_give (self, i);
    sim_run (self->sim, sim_now_us (self->sim) + MEET_US);
    storage_process (self, "client/1", client_make, self);
    for (size_t i = 0; i < self->files_count && !sim_failed (self->sim);) {
        if (there (self, i))
            i++;
        else if (sim_now_us (self->sim) > until_us)
            sim_fail (self->sim, "the server does not get %s", self->givers [i].file);
        else
            sim_run (self->sim, sim_now_us (self->sim) + LOOK_US);
    }
    for (size_t i = 0; i < self->files_count; i++)
        sim_kill (self->sim, self->givers [i].number, sim_now_us (self->sim) + MEET_US, -1);
}

void sim_storage_begin (sim_storage_t *self)
{
    static const char *const server [] = {"server"};
    fake_chains (false);
    self->disk.flows = self->flows;
    self->gis_endpoints [0] = "sim://gis/g1/1";
    self->gis = gis_for_everybody ();
    self->gis.name = "gis/g1";
    storage_process (self, "gis/g1", gis_make, &self->gis);
    for (size_t i = 0; i < self->nodes_count; i++)
        self->node_names [i] = self->nodes [i].name;
    replica_set (self, &self->replicas [0], "replica/home", server, 1);
    replica_set (self, &self->replicas [1], "replica/ams", self->node_names, self->nodes_count);
    self->home = storage_process (self, "replica/home", home_make, self);
    self->here = storage_process (self, "replica/ams", here_make, self);
    snprintf (self->server.name, sizeof self->server.name, "server");
    self->server.bytes_max = UINT64_C (1) << 40;
    end_begin (self, &self->server);
    for (size_t i = 0; i < self->nodes_count; i++)
        end_begin (self, &self->nodes [i]);
    files_give (self);
}

void sim_storage_end (void)
{
    fake_chains (true);
}

bool sim_storage_is (const sim_storage_t *self, int process)
{
    for (size_t i = 0; i < self->nodes_count; i++)
        if (self->nodes [i].number == process)
            return true;
    for (size_t i = 0; i < self->files_count; i++)
        if (self->givers [i].number == process)
            return true;
    return self->server.number == process;
}

sim_file_t *sim_storage_file (const sim_storage_t *self, const sim_storage_end_t *node,
                              const char *name)
{
    char path [SIM_PATH_BYTES];
    snprintf (path, sizeof path, "/%s/files/%s", node->name, name);
    return sim_flows_file (self->flows, node->number, path, false);
}
