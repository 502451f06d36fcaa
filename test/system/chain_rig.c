/*  chain_rig - a site's svc-replica with nothing but its conductor: begins one transfer when its
 *  nodes have come, and ends when that is over. For chain.t and bench_chain.
 *
 *  "chain-rig node" is a storage node, as svc-replica node is.
 *
 *  Its log tells what it is told: "rig moved node=n2 state=verified", "rig source failed", "rig
 *  over"; Chain.Transfers tells the rest.
 */
#include "chain.h"
#include "host.h"
#include "member.h"
#include "must.h"
#include "name_list.h"
#include "participant_config.h"
#include "storage_main.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    service_t *service;
    chain_t *chain;
    const config_t *config; /* lives longer */
    name_list_t nodes;
    name_list_t sources;
    name_list_t receivers;
    bool begun;
    chain_id_t id;
} chain_rig_t;

static const config_key_t rig_keys [] = {
  KEY_NEEDED (CONFIG_TEXT, "nodes", 0, 0, "names of the storage nodes"),
  KEY_NEEDED (CONFIG_TEXT, "sources", 0, 0, "nodes that have the file, in order"),
  KEY_NEEDED (CONFIG_TEXT, "receivers", 0, 0, "nodes that are to get it, in order"),
  KEY_NEEDED (CONFIG_TEXT, "file", 0, 0, "its logical name"),
  KEY_INTEGER ("mbps", "0", 0, 1e6, "limit of each feeder, Mbit/s"),
  KEY_DURATION ("slow", "1s", 100, 1e6, "slow_ms of the conductor"),
  KEY_DURATION ("lost", "60s", 1000, 1e6, "lost_ms of the conductor"),
};

static bool all_up (const chain_rig_t *self, const name_list_t *names)
{
    for (size_t i = 0; i < names->count; i++) {
        const chain_node_t *node = chain_node (self->chain, names->words [i]);
        if (!node || node->agent.state != AGENT_UP)
            return false;
    }
    return true;
}

static void begin (chain_rig_t *self, const moment_t *now)
{
    char why [CHAIN_WHY_BYTES_MAX + 1];
    chain_source_t sources [CHAIN_SOURCES_MAX] = {0};
    if (self->begun || !all_up (self, &self->nodes) || !all_up (self, &self->sources))
        return;
    if (chain_next (self->chain, NULL)) {
        self->begun = true; /* in an earlier start */
        return;
    }
    /*  The first of the sources may have told the file's size and digest. */
    const chain_file_t *file = chain_file (chain_node (self->chain, self->sources.words [0]),
                                           config_text (self->config, "file"));
    bool known = file && file->stored.content.digest_known;
    for (size_t i = 0; i < self->sources.count; i++)
        sources [i].node = self->sources.words [i];
    self->begun = true;
    bool began =
      chain_begin (self->chain, now,
                   &(chain_order_t){.file = config_text (self->config, "file"),
                                    .size_known = known,
                                    .content = known ? file->stored.content : (content_t){0},
                                    .sources = sources,
                                    .sources_count = self->sources.count,
                                    .receivers = (const char *const *) self->receivers.words,
                                    .receivers_count = self->receivers.count,
                                    .mbps = (uint32_t) config_integer (self->config, "mbps")},
                   &self->id, why);
    outbox_log (self->service->outbox, LEVEL_INFO, "rig begins ok=%d at_ms=%" PRId64 " why=\"%s\"",
                began, now->mono_ms, began ? "" : why);
    if (!began)
        outbox_stop (self->service->outbox, "it can't begin");
}

static void on_file (void *owner, const moment_t *now, const chain_node_t *node,
                     const stored_file_t *file)
{
    (void) node;
    (void) file;
    begin (owner, now);
}

static void on_node (void *owner, const moment_t *now, const chain_node_t *node)
{
    chain_rig_t *self = owner;
    if (node->agent.state == AGENT_UP)
        begin (self, now);
}

static void on_receiver (void *owner, const moment_t *now, const chain_transfer_t *transfer,
                         const chain_receiver_t *receiver)
{
    static const char *const words [] = {"waiting", "receiving", "checking", "verified", "failed"};
    chain_rig_t *self = owner;
    (void) transfer;
    outbox_log (self->service->outbox, LEVEL_INFO,
                "rig moved node=%s state=%s at_ms=%" PRId64 " received=%" PRIu64 " why=\"%s\"",
                receiver->node, words [receiver->state], now->mono_ms, receiver->received,
                receiver->why);
}

static void on_source (void *owner, const moment_t *now, const chain_transfer_t *transfer,
                       const char *source, bool wrong, const char *why)
{
    chain_rig_t *self = owner;
    (void) now;
    (void) transfer;
    outbox_log (self->service->outbox, LEVEL_INFO, "rig source failed name=%s wrong=%d why=\"%s\"",
                source, wrong, why);
}

static void on_over (void *owner, const moment_t *now, const chain_transfer_t *transfer)
{
    chain_rig_t *self = owner;
    outbox_log (self->service->outbox, LEVEL_INFO,
                "rig over at_ms=%" PRId64 " fed=%" PRIu64 " epoch=%" PRIu64 " why=\"%s\"",
                now->mono_ms, chain_fed (transfer), transfer->epoch, transfer->why);
}

static void rig_step (void *owner, const moment_t *now, const event_t *event)
{
    service_step (((chain_rig_t *) owner)->service, now, event);
}

static bool rig_next (void *owner, effect_t *effect)
{
    return service_next (((chain_rig_t *) owner)->service, effect);
}

static void rig_destroy (void *owner)
{
    chain_rig_t *self = owner;
    chain_destroy (&self->chain);
    service_destroy (&self->service);
    name_list_clear (&self->nodes);
    name_list_clear (&self->sources);
    name_list_clear (&self->receivers);
    free (self);
}

static bool rig_new (const config_t *config, core_t *core, char why [LONG_WHY_BYTES])
{
    (void) why;
    chain_rig_t *self = must (calloc (1, sizeof *self));
    self->config = config;
    name_list_add (&self->nodes, config_text (config, "nodes"), "");
    name_list_add (&self->sources, config_text (config, "sources"), "");
    name_list_add (&self->receivers, config_text (config, "receivers"), "");
    self->service = member_new ("replica/rig", NULL, 0);
    chain_limits_t limits = chain_limits_default;
    limits.slow_ms = (uint32_t) config_duration_ms (config, "slow");
    limits.lost_ms = (uint32_t) config_duration_ms (config, "lost");
    self->chain = chain_new (self->service, (const char *const *) self->nodes.words,
                             self->nodes.count, &limits);
    chain_observe (self->chain, &(chain_observer_t){.owner = self,
                                                    .receiver_moved = on_receiver,
                                                    .source_failed = on_source,
                                                    .transfer_over = on_over,
                                                    .file_moved = on_file,
                                                    .node_moved = on_node});
    *core = (core_t){.self = self, .step = rig_step, .next = rig_next, .destroy = rig_destroy};
    return true;
}

int main (int argc, char **argv)
{
    if (argc > 1 && strcmp (argv [1], "node") == 0)
        return storage_main (argc - 1, argv + 1);
    host_program_t program = {.program = "chain-rig",
                              .keys = rig_keys,
                              .keys_count = sizeof rig_keys / sizeof *rig_keys,
                              .core_new = rig_new};
    return host_run (&program, argc, argv);
}
