/*  nodes_backoff - gives a node no new runs for a while when it could not start one, because its
 *  disk is full, say. The pause grows until something runs there; without it such a node would
 *  refuse task after task as fast as they come.
 */
#include "nodes_state.h"

#include <stdio.h>

static void on_rested (void *owner, const moment_t *now, uint64_t node)
{
    nodes_t *self = owner;
    node_state_t *place = &self->places [node];
    place->rest_timer = 0;
    outbox_log (self->service->outbox, LEVEL_INFO, "node %s is given runs again", place->name);
    nodes_tell_place (self, now, node);
}

void nodes_rest (nodes_t *self, const moment_t *now, size_t node, const char *why)
{
    node_state_t *place = &self->places [node];
    if (place->rest_timer != 0 || self->limits.rest_ms == 0)
        return;
    uint32_t longer_ms = 2 * place->rest_ms;
    place->rest_ms = place->rest_ms == 0                    ? self->limits.rest_ms
                     : longer_ms < self->limits.rest_ms_max ? longer_ms
                                                            : self->limits.rest_ms_max;
    snprintf (place->rest_why, sizeof place->rest_why, "%s", why);
    place->rest_timer =
      timers_set (self->service->timers, now->mono_ms + place->rest_ms, on_rested, self, node);
    service_count (self->service, "nodes_rested", 1);
    outbox_log (self->service->outbox, LEVEL_WARNING, "node %s is given no new runs for %g s: %s",
                place->name, place->rest_ms / 1000.0, why);
    nodes_tell_place (self, now, node);
}
