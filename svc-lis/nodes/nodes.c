/*  nodes - finds nodes by index and name, drains them, and answers people about them.
 *
 *  Whatever changes what a node's agent should know marks the node. At the end of the step, when
 *  everything that belongs together has happened, each marked node is looked at once and its
 *  waiting question answered.
 */
#include "nodes_state.h"

#include "must.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*  --- finding --- */

static int by_run (const void *key, const void *thing)
{
    const node_run_t *entry = thing;
    return run_id_compare (key, &entry->kept.run.id);
}

node_run_t *nodes_entry (const nodes_t *self, const run_id_t *id)
{
    return ordered_find (self->runs, id);
}

bool nodes_find (const nodes_t *self, const char *name, size_t *node)
{
    const node_state_t *place = ordered_find (self->by_name, name);
    if (place)
        *node = (size_t) (place - self->places);
    return place != NULL;
}

/*  --- moving --- */

void nodes_place_store (nodes_t *self, size_t node)
{
    const node_state_t *place = &self->places [node];
    stored_node_t kept = {
      .came = place->agent.came, .start = place->agent.start, .drained = place->drained};
    memcpy (kept.store, place->agent.store, STORE_ID_BYTES);
    if (node == self->batch && self->picture) {
        kept.bookings = self->picture->bookings;
        kept.bookings_count = self->picture->bookings_count;
    }
    service_put (self->service, TABLE_NODES, text_bytes (place->name),
                 codec_encode (&stored_node_codec, &kept));
}

void nodes_tell_place (nodes_t *self, const moment_t *now, size_t node)
{
    for (size_t i = 0; i < self->observers_count; i++)
        if (self->observers [i].node_moved)
            self->observers [i].node_moved (self->observers [i].owner, now, node);
}

static void nodes_on_settle (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    nodes_t *self = owner;
    self->settle_timer = 0;
    nodes_runs_settle (self, now);
    while (self->dirty_count > 0) {
        size_t node = self->dirty [--self->dirty_count];
        self->places [node].dirty = false;
        agent_session_settle (&self->places [node].agent, now);
    }
}

/*  A timer that is due fires at the end of the step that set it. */
void nodes_dirty (nodes_t *self, const moment_t *now, size_t node)
{
    if (self->settle_timer == 0)
        self->settle_timer =
          timers_set (self->service->timers, now->mono_ms, nodes_on_settle, self, 0);
    if (node == NODE_NONE || self->places [node].dirty)
        return;
    self->places [node].dirty = true;
    self->dirty [self->dirty_count++] = node;
}

/*  --- for people --- */

static void nodes_on_nodes (void *owner, const moment_t *now, const request_t *request, void *body)
{
    (void) now;
    nodes_t *self = owner;
    service_reply (self->service, request, nodes_answer_encode (self, body));
}

static void nodes_on_drain (nodes_t *self, const moment_t *now, size_t node, bool drained)
{
    node_state_t *place = &self->places [node];
    if (place->drained == drained)
        return;
    place->drained = drained;
    nodes_place_store (self, node);
    outbox_log (self->service->outbox, LEVEL_INFO, "node %s %s", place->name,
                drained ? "drained" : "resumed");
    nodes_tell_place (self, now, node);
    if (self->batch != NODE_NONE) /* what others have booked of it counts, or not */
        nodes_tell_place (self, now, self->batch);
}

static void on_drain (void *owner, const moment_t *now, const request_t *request, void *body)
{
    nodes_t *self = owner;
    const drain_t *asked = body;
    size_t node;
    if (!may (self->access, VERB_ADMINISTER, request->actor, request->actor, "")) {
        service_refuse (self->service, request, CALL_DENIED,
                        "only administrators of the site may drain or resume its nodes");
        return;
    }
    if (!nodes_find (self, asked->node, &node)) {
        service_refuse (self->service, request, CALL_NOT_FOUND, "node: the site has no node %s",
                        asked->node);
        return;
    }
    nodes_on_drain (self, now, node, asked->drained);
    const char *overbooked [NODES_OVERBOOKED_MAX];
    size_t count = 0;
    if (self->binder.overbooked)
        count = self->binder.overbooked (self->binder.owner, now, overbooked, NODES_OVERBOOKED_MAX);
    service_reply (self->service, request, drain_answer_encode (overbooked, count));
}

/*  --- life --- */

static void nodes_on_record (void *owner, bytes_t key, bytes_t value)
{
    nodes_t *self = owner;
    char name [NAME_BYTES_MAX + 1], why [WHY_BYTES];
    size_t node;
    snprintf (name, sizeof name, "%.*s",
              (int) (key.size < NAME_BYTES_MAX ? key.size : NAME_BYTES_MAX),
              (const char *) key.data);
    stored_node_t kept;
    if (!codec_decode (&stored_node_codec, &kept, value, why)) {
        service_bad_record (self->service, "nodes", why);
        return;
    }
    if (nodes_find (self, name, &node)) {
        node_state_t *place = &self->places [node];
        place->drained = kept.drained;
        place->agent.came = kept.came;
        place->agent.start = kept.start;
        memcpy (place->agent.store, kept.store, STORE_ID_BYTES);
        if (node == self->batch)
            nodes_batch_load (self, &kept);
    } else
        outbox_log (self->service->outbox, LEVEL_WARNING,
                    "node %s has a record but is no longer in the configuration", name);
    codec_clear (&stored_node_codec, &kept);
}

static void nodes_on_start (void *owner, const moment_t *now)
{
    nodes_t *self = owner;
    nodes_runs_start (self, now);
    nodes_attend_start (self, now);
}

static int places_compare (const void *one, const void *other)
{
    const node_state_t *a = one, *b = other;
    if (a->class != b->class)
        return a->class < b->class ? -1 : 1;
    return strcmp (a->name, b->name);
}

static void places_init (nodes_t *self, const node_place_t *places, size_t count)
{
    self->places = must (calloc (count + 1, sizeof *self->places));
    self->by_name = ordered_by_text (offsetof (node_state_t, name));
    self->dirty = must (calloc (count + 1, sizeof *self->dirty));
    self->places_count = count;
    for (size_t i = 0; i < count; i++) {
        assert (places [i].class <= self->site->classes_count);
        memcpy (self->places [i].name, places [i].name, sizeof self->places [i].name);
        self->places [i].class = places [i].class;
        self->places [i].runs = ordered_new (by_run);
    }
    qsort (self->places, count, sizeof *self->places, places_compare);
    for (size_t i = 0; i < count; i++)
        ordered_add (self->by_name, self->places [i].name, &self->places [i]);
    bool last = count > 0 && self->places [count - 1].class == self->site->classes_count;
    self->batch = last ? count - 1 : NODE_NONE;
}

nodes_limits_t nodes_limits_of (const nodes_terms_t *terms)
{
    return (nodes_limits_t){.attend_ms = terms->attend_ms,
                            .silent_ms = terms->silent_ms,
                            .lease_ms = terms->lease_ms,
                            .lost_ms = terms->lost_ms,
                            .output_bytes_max = 256 << 10,
                            .runs_kept_ms = MS_DAY,
                            .rest_ms = 5 * MS_SECOND,
                            .rest_ms_max = 5 * MS_MINUTE};
}

nodes_t *nodes_new (service_t *service, const site_t *site, const access_t *access,
                    const node_place_t *places, size_t places_count, const nodes_limits_t *limits)
{
    assert (places_count <= NODES_PLACES_MAX);
    assert (limits->attend_ms > 0 && limits->attend_ms < limits->silent_ms);
    assert (limits->silent_ms < limits->lease_ms && limits->lease_ms < limits->lost_ms);
    nodes_t *self = must (calloc (1, sizeof *self));
    self->service = service;
    self->site = site;
    self->access = access;
    self->limits = *limits;
    self->runs = ordered_new (by_run);
    places_init (self, places, places_count);
    nodes_runs_init (self);
    nodes_outputs_init (self);
    service_load (service, TABLE_NODES, nodes_on_record, self);
    service_load (service, TABLE_RUNS, nodes_runs_load, self);
    service_at_start (service, nodes_on_start, self);
    service_serve (service, "Nodes", "Attend", &attend_codec, ALWAYS, nodes_on_attend, self);
    service_serve (service, "Nodes", "Bring", &output_piece_codec, ALWAYS, nodes_on_bring, self);
    service_serve (service, "Nodes", "Nodes", &nodes_question_codec, ALWAYS, nodes_on_nodes, self);
    service_serve (service, "Nodes", "Drain", &drain_codec, ALWAYS, on_drain, self);
    return self;
}

void nodes_destroy (nodes_t **self_p)
{
    nodes_t *self = *self_p;
    if (!self)
        return;
    nodes_outputs_end (self);
    nodes_runs_end (self);
    nodes_picture_forget (self);
    for (size_t i = 0; i < self->places_count; i++) {
        ordered_destroy (&self->places [i].runs);
        free (self->places [i].reports);
        agent_session_end (&self->places [i].agent);
    }
    free (self->places);
    ordered_destroy (&self->by_name);
    free (self->dirty);
    free (self);
    *self_p = NULL;
}

void nodes_observe (nodes_t *self, const nodes_observer_t *observer)
{
    assert (self->observers_count < NODES_OBSERVERS_MAX);
    self->observers [self->observers_count++] = *observer;
}

void nodes_binder (nodes_t *self, const nodes_binder_t *binder)
{
    self->binder = *binder;
}

size_t nodes_count (const nodes_t *self)
{
    return self->places_count;
}

site_node_t nodes_at (const nodes_t *self, size_t node)
{
    assert (node < self->places_count);
    const node_state_t *place = &self->places [node];
    const char *silent =
      place->agent.state == AGENT_UP && node != self->batch ? NULL : nodes_batch_silent (self);
    return (site_node_t){
      .name = place->name,
      .class = place->class,
      .cpus = node == self->batch ? 0 : self->site->classes [place->class].cpus_per_node,
      .cpus_used = place->told ? place->told->cpus_busy : place->cpus_used,
      .runs = (uint32_t) ordered_count (place->runs),
      .state = place->agent.state,
      .drained = place->drained || place->taken_out,
      .machine = place->machine,
      .storage = place->storage,
      .busy_until_ms = place->told ? place->told->busy_until_ms : 0,
      .firm_until_ms = place->told ? place->told->firm_until_ms : 0,
      .busy_since_ms = place->told ? place->told->busy_since_ms : 0,
      .why = silent                ? silent
             : place->told         ? place->told->why
             : !self->picture      ? ""
             : node == self->batch ? self->picture->trouble
                                   : "the batch system does not tell it"};
}

void nodes_transferring (nodes_t *self, size_t node, bool transferring)
{
    assert (node < self->places_count);
    self->places [node].transferring = transferring;
}

bool nodes_usable (const nodes_t *self, size_t node)
{
    assert (node < self->places_count);
    const node_state_t *place = &self->places [node];
    return place->agent.state == AGENT_UP && !place->drained && !place->taken_out &&
           !nodes_batch_silent (self) && place->rest_timer == 0 &&
           ordered_count (place->runs) < NODE_RUNS_MAX;
}
