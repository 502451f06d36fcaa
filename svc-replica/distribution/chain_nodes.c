/*  chain_nodes - what storage nodes report and are told; each has a session (agent_session.h). */
#include "chain_state.h"

#include "must.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*  --- places --- */

chain_node_t *chain_node (const chain_t *self, const char *name)
{
    return ordered_find (self->places_by_name, name);
}

static chain_node_t *place_new (chain_t *self, const char *name, bool guest)
{
    self->places =
      must_grow (self->places, self->places_count, &self->places_room, sizeof *self->places);
    chain_node_t *place = must (calloc (1, sizeof *place));
    snprintf (place->name, sizeof place->name, "%s", name);
    place->guest = guest;
    place->files = ordered_by_text (offsetof (chain_file_t, stored.file));
    self->places [self->places_count++] = place;
    ordered_add (self->places_by_name, place->name, place);
    return place;
}

static void place_free (chain_node_t *place)
{
    ordered_end (&place->files, free);
    free (place->arrivals);
    agent_session_end (&place->agent);
    free (place);
}

static void chain_nodes_on_moved (void *owner, const moment_t *now, agent_session_t *agent,
                                  agent_state_t from, const char *why)
{
    chain_t *self = owner;
    const chain_node_t *place = (const chain_node_t *) agent;
    outbox_log (self->service->outbox, LEVEL_INFO, "storage node %s %s->%s", place->name,
                agent_state_word (from), agent_state_word (agent->state));
    chain_tell_node (self, now, place, NULL);
    if (agent->state == AGENT_LOST)
        chain_place_lost (self, now, place, why);
}

void chain_guests_purge (chain_t *self)
{
    size_t kept = 0;
    for (size_t i = 0; i < self->places_count; i++) {
        chain_node_t *place = self->places [i];
        if (place->guest && place->agent.state == AGENT_LOST) {
            ordered_remove (self->places_by_name, place->name);
            place_free (place);
        } else
            self->places [kept++] = place;
    }
    self->places_count = kept;
}

chain_node_t *chain_guest (chain_t *self, const moment_t *now, const char *name)
{
    chain_node_t *place = place_new (self, name, true);
    agent_session_start (&place->agent, &self->agents, place->name, now);
    return place;
}

/*  --- what a node should know --- */

typedef char file_name_t [CHAIN_FILE_BYTES_MAX + 1];

static void names_add (file_name_t **names, size_t *count, size_t *room, size_t most,
                       const char *name)
{
    if (*count == most)
        return;
    *names = must_grow (*names, *count, room, sizeof **names);
    snprintf ((*names) [(*count)++], sizeof **names, "%s", name);
}

static packed_t chain_nodes_wanted_now (void *owner, const moment_t *now, agent_session_t *agent)
{
    chain_t *self = owner;
    const chain_node_t *place = (const chain_node_t *) agent;
    storage_wanted_t wanted = {.files_seen = place->files_seen,
                               .attend_ms = self->limits.attend_ms,
                               .report_ms = self->limits.report_ms};
    const char *slash = strchr (self->service->name, '/');
    snprintf (wanted.site, sizeof wanted.site, "%s", slash ? slash + 1 : self->service->name);
    size_t transfers = 0, drops = 0, proves = 0, scrubs = 0; /* room for them */
    for (const chain_transfer_t *transfer = chain_next (self, NULL);
         transfer && wanted.transfers_count < WANTED_MAX; transfer = chain_next (self, transfer)) {
        wanted.transfers = must_grow (wanted.transfers, wanted.transfers_count, &transfers,
                                      sizeof *wanted.transfers);
        wanted.transfers_count +=
          chain_plan_for (self, now, transfer, place, &wanted.transfers [wanted.transfers_count]);
    }
    wanted.arrivals_count = place->arrivals_count;
    wanted.arrivals = must (calloc (place->arrivals_count + 1, sizeof *wanted.arrivals));
    for (size_t i = 0; i < place->arrivals_count; i++)
        wanted.arrivals [i] = place->arrivals [i];
    const chain_file_t *file = chain_file_after (place, NULL);
    for (; file; file = chain_file_after (place, file->stored.file)) {
        if (file->drop)
            names_add (&wanted.drops, &wanted.drops_count, &drops, DROPS_MAX, file->stored.file);
        if (file->prove && file->mbps == 0)
            names_add (&wanted.proves, &wanted.proves_count, &proves, PROVES_MAX,
                       file->stored.file);
        else if (file->prove)
            names_add (&wanted.scrubs, &wanted.scrubs_count, &scrubs, PROVES_MAX,
                       file->stored.file);
        wanted.scrub_mbps = file->prove && file->mbps > 0 ? file->mbps : wanted.scrub_mbps;
    }
    packed_t packed = codec_encode (&storage_wanted_codec, &wanted);
    codec_clear (&storage_wanted_codec, &wanted);
    return packed;
}

static packed_t chain_nodes_numbered (uint64_t number)
{
    return codec_encode (&storage_wanted_codec, &(storage_wanted_t){.number = number});
}

void chain_nodes_settle (chain_t *self, const moment_t *now)
{
    for (size_t i = 0; i < self->places_count; i++)
        if (self->places [i]->dirty) {
            self->places [i]->dirty = false;
            agent_session_settle (&self->places [i]->agent, now);
        }
}

void chain_dirty_all (chain_t *self, const moment_t *now, const chain_transfer_t *transfer)
{
    chain_node_t *place;
    for (size_t i = 0; i < transfer->receivers_count; i++)
        if ((place = chain_node (self, transfer->receivers [i].node)))
            chain_dirty (self, now, place);
    for (size_t i = 0; i < transfer->sources_count; i++)
        if ((place = chain_node (self, transfer->sources [i].node)))
            chain_dirty (self, now, place);
}

/*  --- asking --- */

/*  The node that attends. NULL after refusing the request. */
static chain_node_t *place_for (chain_t *self, const moment_t *now, const request_t *request,
                                const storage_attend_t *asked)
{
    chain_node_t *place = chain_node (self, asked->node);
    if (!agent_is (request->actor, "storage/", asked->node))
        service_refuse (self->service, request, CALL_DENIED,
                        "storage node %s may be attended by the actor storage/%s alone, not by %s",
                        asked->node, asked->node, request->actor);
    else if (!place && !asked->guest)
        service_refuse (self->service, request, CALL_NOT_FOUND,
                        "node: %s has no storage node %s; add it to nodes in the configuration of "
                        "the site's svc-replica",
                        self->service->name, asked->node);
    else if (place && place->guest != asked->guest)
        service_refuse (self->service, request, CALL_BAD_REQUEST,
                        "guest: the name %s belongs to %s already; use another one", asked->node,
                        place->guest ? "a guest" : "a storage node");
    else if (!place && self->places_count >= CHAIN_NODES_MAX)
        service_refuse (self->service, request, CALL_OVERLOADED,
                        "the site has %d storage nodes and guests already, and may not have more",
                        CHAIN_NODES_MAX);
    else
        return place ? place : chain_guest (self, now, asked->node);
    return NULL;
}

static void place_store (chain_t *self, const chain_node_t *place)
{
    kept_node_t kept = {
      .start = place->agent.start, .guest = place->guest, .bytes_max = place->bytes_max};
    memcpy (kept.store, place->agent.store, STORE_ID_BYTES);
    service_put (self->service, TABLE_STORAGE_NODES, text_bytes (place->name),
                 codec_encode (&kept_node_codec, &kept));
}

static void on_attend (void *owner, const moment_t *now, const request_t *request, void *body)
{
    chain_t *self = owner;
    const storage_attend_t *asked = body;
    chain_node_t *place = place_for (self, now, request, asked);
    agent_store_t store =
      place ? agent_session_take (&place->agent, now, request, &asked->question) : AGENT_REFUSED;
    if (store == AGENT_REFUSED)
        return;
    bool other = store != AGENT_SAME || place->bytes_max != asked->bytes_max;
    place->bytes_max = asked->bytes_max;
    if (store != AGENT_SAME)
        chain_files_unsure (place);
    if (other && !place->guest)
        place_store (self, place);
    bool news = agent_session_hear (&place->agent, now, &asked->question);
    bool moved = strcmp (place->data, asked->data) != 0;
    memcpy (place->data, asked->data, sizeof place->data);
    memcpy (place->folder, asked->folder, sizeof place->folder);
    if (news) {
        if (chain_files_take (self, now, place, asked)) /* who is done gives its room to a file */
            chain_arrivals_take (place, asked);
        for (size_t i = 0; i < asked->receipts_count; i++)
            chain_receipt (self, now, place, &asked->receipts [i]);
    }
    if (moved)
        chain_feeds_now (self, now, place);
    agent_session_wait (&place->agent, request);
    chain_dirty (self, now, place);
}

/*  --- life --- */

static void chain_nodes_on_record (void *owner, bytes_t key, bytes_t value)
{
    chain_t *self = owner;
    char name [NAME_BYTES_MAX + 1], why [WHY_BYTES];
    snprintf (name, sizeof name, "%.*s", (int) (key.size < sizeof name ? key.size : 0),
              (const char *) key.data);
    chain_node_t *place = chain_node (self, name);
    kept_node_t kept;
    if (!codec_decode (&kept_node_codec, &kept, value, why)) {
        service_bad_record (self->service, "storage nodes", why);
        return;
    }
    if (!place)
        return; /* not configured any more */
    place->agent.came = true;
    place->agent.start = kept.start;
    place->bytes_max = kept.bytes_max; /* what was promised of it stays promised */
    memcpy (place->agent.store, kept.store, STORE_ID_BYTES);
}

static void chain_nodes_on_start (void *owner, const moment_t *now)
{
    chain_t *self = owner;
    for (size_t i = 0; i < self->places_count; i++)
        agent_session_start (&self->places [i]->agent, &self->agents, self->places [i]->name, now);
}

void chain_nodes_init (chain_t *self, const char *const *names, size_t count)
{
    self->agents = (agent_sessions_t){.service = self->service,
                                      .attend_ms = self->limits.attend_ms,
                                      .silent_ms = self->limits.silent_ms,
                                      .lost_ms = self->limits.lost_ms,
                                      .owner = self,
                                      .wanted = chain_nodes_wanted_now,
                                      .numbered = chain_nodes_numbered,
                                      .moved = chain_nodes_on_moved};
    self->places_by_name = ordered_by_text (offsetof (chain_node_t, name));
    for (size_t i = 0; i < count; i++)
        place_new (self, names [i], false);
    service_load (self->service, TABLE_STORAGE_NODES, chain_nodes_on_record, self);
    service_at_start (self->service, chain_nodes_on_start, self);
    service_serve (self->service, "Chain", "Attend", &storage_attend_codec, ALWAYS, on_attend,
                   self);
}

void chain_nodes_end (chain_t *self)
{
    for (size_t i = 0; i < self->places_count; i++)
        place_free (self->places [i]);
    free (self->places);
    ordered_destroy (&self->places_by_name);
}

size_t chain_nodes (const chain_t *self)
{
    return self->places_count;
}

chain_node_t *chain_node_at (const chain_t *self, size_t node)
{
    assert (node < self->places_count);
    return self->places [node];
}
