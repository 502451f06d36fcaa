/*  capacity - counts the nodes of a class anew whenever one of it has moved. */
#include "capacity.h"

#include "must.h"

#include <stdlib.h>

#define TELL_MS                                                                                    \
    1000 /* those who are hit are looked for so long after a loss: many come at once               \
          */
#define TOLD_MAX 16

struct capacity {
    service_t *service;
    const site_t *site;
    const room_t *room;
    nodes_t *nodes;
    questions_t *questions;
    uint64_t timer;
};

static void on_tell (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    capacity_t *self = owner;
    const char *names [TOLD_MAX];
    self->timer = 0;
    questions_overbooked (self->questions, now, names, TOLD_MAX);
}

static void count_class (capacity_t *self, const moment_t *now, size_t class)
{
    size_t resource;
    uint32_t there = 0;
    if (!room_find (self->room, self->site->classes [class].name, &resource))
        return;
    uint32_t before = room_offer (self->room, resource)->quantity;
    for (size_t i = 0; i < nodes_count (self->nodes); i++) {
        node_t node = nodes_at (self->nodes, i);
        there += node.class == class && node.state != AGENT_LOST && !node.drained;
    }
    questions_there (self->questions, now, resource, there);
    if (room_offer (self->room, resource)->quantity < before && self->timer == 0)
        self->timer = timers_set (self->service->timers, now->mono_ms + TELL_MS, on_tell, self, 0);
}

static void on_node_moved (void *owner, const moment_t *now, size_t node)
{
    capacity_t *self = owner;
    count_class (self, now, nodes_at (self->nodes, node).class);
}

static void on_start (void *owner, const moment_t *now)
{
    capacity_t *self = owner;
    for (size_t class = 0; class < self->site->classes_count; class ++)
        count_class (self, now, class);
}

capacity_t *capacity_new (service_t *service, const site_t *site, const room_t *room,
                          nodes_t *nodes, questions_t *questions)
{
    capacity_t *self = must (calloc (1, sizeof *self));
    self->service = service;
    self->site = site;
    self->room = room;
    self->nodes = nodes;
    self->questions = questions;
    nodes_observe (nodes, &(nodes_observer_t){.owner = self, .node_moved = on_node_moved});
    service_at_start (service, on_start, self);
    return self;
}

void capacity_destroy (capacity_t **self_p)
{
    capacity_t *self = *self_p;
    if (!self)
        return;
    timers_cancel (self->service->timers, self->timer);
    free (self);
    *self_p = NULL;
}
