/*  packing - needs that may share places: depth-first branch and bound.
 *
 *  The need with the fewest options goes first. A branch ends where the weights so far and the
 *  least weights of the rest are no better than the best plan known. Needs that are alike in
 *  everything are placed in ascending order of options, so that a plan is not met once for each of
 *  their permutations.
 */
#include "assign.h"
#include "must.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct packing {
    const snapshot_t *snapshot;
    const int64_t *const *weights;
    int64_t check_from_ms;
    packing_need_t *needs;
    size_t needs_count;
    size_t *sequence;     /* by depth: a need */
    size_t *depth_of;     /* by need */
    int64_t *rest_weight; /* by depth: least weights of this one and all deeper */
    size_t *cursor;       /* by depth: next position to try */
    size_t *taken;        /* by depth: position tried now */
    size_t depth;
    int64_t weight;
    int64_t bound;
    bool found;
    size_t *best;   /* by need: index into its options */
    int64_t *edges; /* scratch of fits: boundaries within an interval */
};

static size_t option_index (const packing_t *self, size_t depth, size_t position)
{
    return self->needs [self->sequence [depth]].order [position];
}

static const option_t *option_at (const packing_t *self, size_t depth, size_t position)
{
    size_t need = self->sequence [depth];
    return &self->snapshot->needs [need].options [self->needs [need].order [position]];
}

static int64_t weight_at (const packing_t *self, size_t depth, size_t position)
{
    return self->weights [self->sequence [depth]][option_index (self, depth, position)];
}

/*  Fewest options first; then the most nodes; then as asked, which keeps like needs in order. */
static bool goes_before (const packing_t *self, size_t a, size_t b)
{
    const packing_need_t *first = &self->needs [a], *second = &self->needs [b];
    if (first->order_count != second->order_count)
        return first->order_count < second->order_count;
    uint32_t first_cpus = self->snapshot->request->compute [a].cpus;
    uint32_t second_cpus = self->snapshot->request->compute [b].cpus;
    return first_cpus != second_cpus ? first_cpus > second_cpus : a < b;
}

static void arrange (packing_t *self)
{
    for (size_t i = 0; i < self->needs_count; i++) {
        size_t at = i;
        for (; at > 0 && goes_before (self, i, self->sequence [at - 1]); at--)
            self->sequence [at] = self->sequence [at - 1];
        self->sequence [at] = i;
    }
    for (size_t depth = self->needs_count; depth-- > 0;) {
        self->depth_of [self->sequence [depth]] = depth;
        self->rest_weight [depth] = self->rest_weight [depth + 1] + weight_at (self, depth, 0);
    }
}

packing_t *packing_new (const snapshot_t *snapshot, const packing_need_t *needs,
                        const int64_t *const *weights, int64_t check_from_ms, int64_t bound)
{
    size_t count = snapshot->request->compute_count;
    packing_t *self = must (calloc (1, sizeof *self));
    self->snapshot = snapshot;
    self->weights = weights;
    self->check_from_ms = check_from_ms;
    self->bound = bound;
    self->needs_count = count;
    self->needs = must (malloc (count * sizeof *self->needs));
    memcpy (self->needs, needs, count * sizeof *needs);
    self->sequence = must (calloc (count, sizeof *self->sequence));
    self->depth_of = must (calloc (count, sizeof *self->depth_of));
    self->rest_weight = must (calloc (count + 1, sizeof *self->rest_weight));
    self->cursor = must (calloc (count + 1, sizeof *self->cursor));
    self->taken = must (calloc (count, sizeof *self->taken));
    self->best = must (calloc (count, sizeof *self->best));
    self->edges = must (calloc (2 * count + 2, sizeof *self->edges));
    arrange (self);
    return self;
}

void packing_destroy (packing_t **self_p)
{
    packing_t *self = *self_p;
    if (!self)
        return;
    free (self->needs);
    free (self->sequence);
    free (self->depth_of);
    free (self->rest_weight);
    free (self->cursor);
    free (self->taken);
    free (self->best);
    free (self->edges);
    free (self);
    *self_p = NULL;
}

typedef struct {
    int64_t from_ms;
    int64_t until_ms;
    uint32_t nodes;
} stay_t;

/*  What the need at this depth takes of a place, cleaning included, as far as it is yet to come. */
static stay_t stay_at (const packing_t *self, size_t depth, const option_t *option)
{
    const packing_need_t *need = &self->needs [self->sequence [depth]];
    const place_t *place = &self->snapshot->places [option->place];
    const source_t *site = &self->snapshot->sources [place->source];
    int64_t gap_ms = place->supply.windows_count > 0 ? 0 : site->gap_ms; /* it was asked without */
    int64_t from_ms = need->from_ms > self->check_from_ms ? need->from_ms : self->check_from_ms;
    return (stay_t){from_ms, need->until_ms + gap_ms, option->nodes};
}

static void insert_edge (packing_t *self, size_t *count, int64_t edge_ms)
{
    size_t at = (*count)++;
    for (; at > 0 && self->edges [at - 1] > edge_ms; at--)
        self->edges [at] = self->edges [at - 1];
    self->edges [at] = edge_ms;
}

/*  Does it fit beside those that stay at the same place already? The steps it took are counted. */
static bool fits (packing_t *self, const option_t *option, uint64_t *steps)
{
    const place_t *place = &self->snapshot->places [option->place];
    stay_t new_stay = stay_at (self, self->depth, option);
    if (new_stay.from_ms >= new_stay.until_ms)
        return true;
    stay_t others [NEEDS_MAX];
    size_t others_count = 0, edges_count = 0;
    insert_edge (self, &edges_count, new_stay.from_ms);
    for (size_t d = 0; d < self->depth; d++) {
        const option_t *taken = option_at (self, d, self->taken [d]);
        if (taken->place != option->place)
            continue;
        stay_t stay = stay_at (self, d, taken);
        if (stay.from_ms >= new_stay.until_ms || stay.until_ms <= new_stay.from_ms)
            continue;
        if (place->supply.windows_count > 0)
            return false; /* asked one by one: what fits together is not known */
        others [others_count++] = stay;
        if (stay.from_ms > new_stay.from_ms)
            insert_edge (self, &edges_count, stay.from_ms);
        if (stay.until_ms < new_stay.until_ms)
            insert_edge (self, &edges_count, stay.until_ms);
    }
    insert_edge (self, &edges_count, new_stay.until_ms);
    uint64_t cost = self->depth + edges_count * (1 + others_count);
    *steps -= cost < *steps ? cost : *steps;
    for (size_t e = 0; e + 1 < edges_count; e++) {
        if (self->edges [e] == self->edges [e + 1])
            continue;
        int64_t wanted = new_stay.nodes;
        for (size_t i = 0; i < others_count; i++)
            if (others [i].from_ms <= self->edges [e] && self->edges [e] < others [i].until_ms)
                wanted += others [i].nodes;
        if (supply_least (&place->supply, self->edges [e], self->edges [e + 1]) < wanted)
            return false;
    }
    return true;
}

static void keep_best (packing_t *self)
{
    self->found = true;
    self->bound = self->weight;
    for (size_t d = 0; d < self->needs_count; d++)
        self->best [self->sequence [d]] = option_index (self, d, self->taken [d]);
}

static void step_back (packing_t *self)
{
    self->depth--;
    self->weight -= weight_at (self, self->depth, self->taken [self->depth]);
}

static void step_down (packing_t *self, size_t position)
{
    self->taken [self->depth] = position;
    self->weight += weight_at (self, self->depth, position);
    self->depth++;
    if (self->depth == self->needs_count)
        return;
    size_t like = self->needs [self->sequence [self->depth]].like;
    self->cursor [self->depth] = like == SIZE_MAX ? 0 : self->taken [self->depth_of [like]];
}

assign_state_t packing_run (packing_t *self, uint64_t *steps)
{
    while (*steps > 0) {
        (*steps)--;
        if (self->depth == self->needs_count) {
            keep_best (self);
            step_back (self);
            continue;
        }
        const packing_need_t *need = &self->needs [self->sequence [self->depth]];
        size_t position = self->cursor [self->depth];
        bool hopeless =
          position == need->order_count || self->weight + weight_at (self, self->depth, position) +
                                               self->rest_weight [self->depth + 1] >=
                                             self->bound;
        if (hopeless && self->depth == 0)
            return self->found ? ASSIGN_FOUND : ASSIGN_NONE;
        if (hopeless) {
            step_back (self);
            continue;
        }
        self->cursor [self->depth]++;
        if (fits (self, option_at (self, self->depth, position), steps))
            step_down (self, position);
    }
    return ASSIGN_MORE;
}

const size_t *packing_choice (const packing_t *self)
{
    return self->found ? self->best : NULL;
}

int64_t packing_weight (const packing_t *self)
{
    assert (self->found);
    return self->bound;
}
