/*  naming - a list of what is taken for each node; names are added to it, and taken back to try
 *  again.
 */
#include "naming.h"

#include "must.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    interval_t over;
    size_t next;
} naming_taken_t;

typedef struct {
    size_t node;
    int cost;
    int64_t slack_ms; /* until somebody has it next */
} naming_candidate_t;

struct naming {
    const naming_node_t *nodes;
    size_t nodes_count;
    size_t *last; /* of each node: what was taken there last; SIZE_MAX = nothing */
    naming_taken_t *taken;
    size_t taken_count, taken_room;
    bool *had; /* of each node: by the need that is served */
    naming_candidate_t *candidates;
    size_t *places; /* for the nodes of all needs */
};

naming_t *naming_new (const naming_node_t *nodes, size_t count)
{
    naming_t *self = must (calloc (1, sizeof *self));
    self->nodes = nodes;
    self->nodes_count = count;
    self->last = must (calloc (count + 1, sizeof *self->last));
    for (size_t i = 0; i < count; i++)
        self->last [i] = SIZE_MAX;
    self->had = must (calloc (count + 1, sizeof *self->had));
    self->candidates = must (calloc (count + 1, sizeof *self->candidates));
    return self;
}

void naming_destroy (naming_t **self_p)
{
    naming_t *self = *self_p;
    if (!self)
        return;
    free (self->last);
    free (self->taken);
    free (self->had);
    free (self->candidates);
    free (self->places);
    free (self);
    *self_p = NULL;
}

void naming_take (naming_t *self, size_t node, interval_t over)
{
    self->taken =
      must_grow (self->taken, self->taken_count, &self->taken_room, sizeof *self->taken);
    self->taken [self->taken_count] = (naming_taken_t){.over = over, .next = self->last [node]};
    self->last [node] = self->taken_count++;
}

/*  Has nobody the node then? *slack_ms: for how long after that. */
static bool naming_free (const naming_t *self, size_t node, interval_t over, int64_t *slack_ms)
{
    *slack_ms = INT64_MAX;
    for (size_t i = self->last [node]; i != SIZE_MAX; i = self->taken [i].next) {
        interval_t taken = self->taken [i].over;
        if (taken.from < over.until && over.from < taken.until)
            return false;
        if (taken.from >= over.until && taken.from - over.until < *slack_ms)
            *slack_ms = taken.from - over.until;
    }
    return true;
}

/*  How dear it is to name the node for the need; -1 = it can't be. */
static int naming_cost (const naming_t *self, const naming_need_t *need, size_t node, bool had)
{
    const naming_node_t *at = &self->nodes [node];
    if (at->class != need->class || !at->there || (at->drained && !had))
        return -1;
    if (at->drained)
        return 4;
    bool quiet = at->busy_until_ms <= need->over.from || (had && need->settled);
    return had ? (quiet ? 0 : 2) : (quiet ? 1 : 3);
}

static int naming_candidate_compare (const void *left, const void *right)
{
    const naming_candidate_t *a = left, *b = right;
    if (a->cost != b->cost)
        return a->cost < b->cost ? -1 : 1;
    if (a->slack_ms != b->slack_ms)
        return a->slack_ms < b->slack_ms ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

/*  keep: only where it has it now, and nothing speaks against that. */
static void naming_serve (naming_t *self, naming_need_t *need, bool keep)
{
    size_t count = 0;
    for (size_t i = 0; i < need->had_count; i++)
        self->had [need->had [i].node] = true;
    for (size_t node = 0; need->count < need->wanted && node < self->nodes_count; node++) {
        naming_candidate_t *one = &self->candidates [count];
        *one = (naming_candidate_t){.node = node,
                                    .cost = naming_cost (self, need, node, self->had [node])};
        count += one->cost >= 0 && (!keep || one->cost == 0) &&
                 naming_free (self, node, need->over, &one->slack_ms);
    }
    for (size_t i = 0; i < need->had_count; i++)
        self->had [need->had [i].node] = false;
    qsort (self->candidates, count, sizeof *self->candidates, naming_candidate_compare);
    for (size_t i = 0; i < count && need->count < need->wanted; i++) {
        naming_take (self, self->candidates [i].node, need->over);
        need->nodes [need->count++] = self->candidates [i].node;
    }
}

/*  Takes back what a try before has named: others have the first so many. How many nodes are
 *  lacking. */
static uint32_t naming_try (naming_t *self, naming_need_t *needs, size_t count, bool keep,
                            size_t others)
{
    uint32_t lacking = 0;
    for (size_t i = 0; i < self->nodes_count; i++)
        while (self->last [i] != SIZE_MAX && self->last [i] >= others)
            self->last [i] = self->taken [self->last [i]].next;
    self->taken_count = others;
    for (size_t i = 0; i < count; i++) {
        needs [i].count = 0;
        if (keep)
            naming_serve (self, &needs [i], true);
    }
    for (size_t i = 0; i < count; i++) {
        naming_serve (self, &needs [i], false);
        lacking += needs [i].wanted - (uint32_t) needs [i].count;
    }
    return lacking;
}

static int naming_need_compare (const void *left, const void *right)
{
    const naming_need_t *a = left, *b = right;
    if (a->over.from != b->over.from)
        return a->over.from < b->over.from ? -1 : 1;
    return (a->nodes > b->nodes) - (a->nodes < b->nodes);
}

void naming_fit (naming_t *self, naming_need_t *needs, size_t count)
{
    size_t all = 0, others = self->taken_count;
    for (size_t i = 0; i < count; i++)
        all += needs [i].wanted;
    self->places = must (calloc (all + 1, sizeof *self->places));
    for (size_t i = 0, at = 0; i < count; at += needs [i++].wanted)
        needs [i].nodes = self->places + at;
    if (count > 0)
        qsort (needs, count, sizeof *needs, naming_need_compare); /* of equal starts as they came */
    uint32_t lacking = naming_try (self, needs, count, true, others);
    if (lacking > 0 && naming_try (self, needs, count, false, others) >= lacking)
        naming_try (self, needs, count, true, others);
}
