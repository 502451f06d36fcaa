/*  chain_events - tells the observer what has happened at the end of the step, so that it finds
 *  everything settled and may change what it likes; and answers questions of people.
 */
#include "chain_state.h"

#include "must.h"

#include <string.h>

/*  --- the observer --- */

void chain_observe (chain_t *self, const chain_observer_t *observer)
{
    self->observer = *observer;
}

static void tell_transfer (const chain_observer_t *observer, const moment_t *now,
                           const chain_transfer_t *transfer, const chain_event_t *told)
{
    const chain_receiver_t *receiver = chain_receiver_find (transfer, told->node);
    if (told->kind == TOLD_RECEIVER && receiver && observer->receiver_moved)
        observer->receiver_moved (observer->owner, now, transfer, receiver);
    if (told->kind == TOLD_OVER && observer->transfer_over)
        observer->transfer_over (observer->owner, now, transfer);
    if (told->kind == TOLD_SOURCE && observer->source_failed)
        observer->source_failed (observer->owner, now, transfer, told->source, told->wrong,
                                 told->why);
}

static void tell_node (const chain_t *self, const chain_observer_t *observer, const moment_t *now,
                       const chain_event_t *told)
{
    const chain_node_t *node = chain_node (self, told->node);
    if (node && told->kind == TOLD_NODE && observer->node_moved)
        observer->node_moved (observer->owner, now, node);
    if (node && told->kind == TOLD_FILE && observer->file_moved)
        observer->file_moved (observer->owner, now, node, &told->file);
}

static void tell_one (chain_t *self, const moment_t *now, const chain_event_t *told)
{
    const chain_transfer_t *transfer = chain_transfer (self, &told->id);
    if (told->kind == TOLD_NODE || told->kind == TOLD_FILE)
        tell_node (self, &self->observer, now, told);
    else if (transfer)
        tell_transfer (&self->observer, now, transfer, told);
}

/*  What the observer causes is told in the same round. */
static void chain_events_on_settle (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    chain_t *self = owner;
    self->settle = 0;
    for (size_t i = 0; i < self->told_count; i++) {
        chain_event_t told = self->told [i]; /* the list may move meanwhile */
        tell_one (self, now, &told);
    }
    self->told_count = 0;
    chain_nodes_settle (self, now);
}

/*  A timer that is due fires at the end of the step that set it. */
static void settle_soon (chain_t *self, const moment_t *now)
{
    if (self->settle == 0)
        self->settle =
          timers_set (self->service->timers, now->mono_ms, chain_events_on_settle, self, 0);
}

void chain_dirty (chain_t *self, const moment_t *now, chain_node_t *place)
{
    place->dirty = true;
    settle_soon (self, now);
}

void chain_tell (chain_t *self, const moment_t *now, const chain_event_t *told)
{
    self->told = must_grow (self->told, self->told_count, &self->told_room, sizeof *self->told);
    self->told [self->told_count++] = *told;
    settle_soon (self, now);
}

void chain_tell_node (chain_t *self, const moment_t *now, const chain_node_t *place,
                      const stored_file_t *file)
{
    chain_event_t told = {.kind = file ? TOLD_FILE : TOLD_NODE};
    memcpy (told.node, place->name, sizeof told.node);
    if (file)
        told.file = *file;
    chain_tell (self, now, &told);
}

/*  --- people --- */

static void chain_events_on_nodes (void *owner, const moment_t *now, const request_t *request,
                                   void *body)
{
    (void) body;
    (void) now;
    chain_t *self = owner;
    service_reply (self->service, request, storage_nodes_answer_encode (self));
}

void chain_told_serve (chain_t *self)
{
    service_serve (self->service, "Chain", "Nodes", NULL, ALWAYS, chain_events_on_nodes, self);
}
