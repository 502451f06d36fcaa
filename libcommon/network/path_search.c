/*  path_search - labels from the target to the start, and the walk back along them. */
#include "path_search.h"

#include "must.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NOTHING    UINT32_MAX
#define WEIGHT_MAX (INT64_MAX / (2 * PATH_HOPS_MAX)) /* of one link: sums don't overflow */

/*  A link as this question sees it. */
typedef struct {
    size_t ends [2];
    int64_t free;
    int64_t width; /* what counts as wide: its room, or its capacity */
    int64_t weight;
    int64_t latency_us;
    bool usable;
} lane_t;

/*  From a vertex to the target at this cost: compared number by number, less is better. */
typedef struct {
    int64_t cost [3];
    int64_t latency_us;
    uint32_t hops;
    uint32_t vertex;
    uint32_t before; /* the label that its vertex got before; NOTHING */
} label_t;

/*  What a round counts, in this order. */
typedef enum { COUNT_HOPS, COUNT_WEIGHT, COUNT_WIDTH, COUNT_NOTHING } count_t;

/*  The part of the path that is given, and what is left to find. */
typedef struct {
    size_t start; /* vertex at its end */
    size_t hops;
    int64_t width;
    int64_t latency_us;
} search_base_t;

typedef struct {
    const count_t *counts; /* three */
    int64_t width_min;
    bool limited;   /* keep within the latency limit */
    bool hops_tell; /* a label with fewer hops is not worse in all */
} search_round_t;

struct way {
    const graph_t *graph;
    path_question_t question;
    size_t vertices_count;
    size_t links_count;
    lane_t *lanes;
    bool *blocked;       /* vertices of the given part */
    uint32_t *settled;   /* last label of each vertex; NOTHING */
    int64_t *nearest_us; /* from the start; INT64_MAX: not to be reached. Under a limit only */
    bool *barred;        /* links that the start must not take */
    label_t *labels;
    size_t labels_count;
    size_t labels_room;
    uint32_t *heap; /* of labels that are not settled */
    size_t heap_count;
    size_t heap_room;
    bool hops_ran_out; /* in this round a label was given up for its hops */
};

path_search_t *path_search_new (const graph_t *graph)
{
    assert (graph);
    path_search_t *self = must (calloc (1, sizeof *self));
    self->graph = graph;
    self->vertices_count = graph_vertices (graph);
    self->links_count = graph_links (graph);
    self->lanes = must (calloc (self->links_count + 1, sizeof *self->lanes));
    self->barred = must (calloc (self->links_count + 1, sizeof *self->barred));
    self->blocked = must (calloc (self->vertices_count + 1, sizeof *self->blocked));
    self->settled = must (calloc (self->vertices_count + 1, sizeof *self->settled));
    self->nearest_us = must (calloc (self->vertices_count + 1, sizeof *self->nearest_us));
    for (size_t i = 0; i < self->links_count; i++) {
        const graph_link_t *link = graph_link (graph, i);
        self->lanes [i] =
          (lane_t){.ends = {link->ends [0], link->ends [1]}, .latency_us = link->link->latency_us};
    }
    return self;
}

void path_search_destroy (path_search_t **self_p)
{
    path_search_t *self = *self_p;
    if (!self)
        return;
    free (self->lanes);
    free (self->barred);
    free (self->blocked);
    free (self->settled);
    free (self->nearest_us);
    free (self->labels);
    free (self->heap);
    free (self);
    *self_p = NULL;
}

void path_search_ask (path_search_t *self, const path_question_t *question)
{
    assert (question->from < self->vertices_count && question->to < self->vertices_count);
    assert (question->latency_us_max >= 0);
    self->question = *question;
    for (size_t i = 0; i < self->links_count; i++) {
        const link_t *link = graph_link (self->graph, i)->link;
        lane_t *lane = &self->lanes [i];
        lane->free = question->free ? question->free (question->owner, i) : link->mbps;
        lane->weight = question->weight ? question->weight (question->owner, i) : link->price;
        assert (lane->weight >= 0);
        if (lane->weight > WEIGHT_MAX)
            lane->weight = WEIGHT_MAX;
        bool fixed = question->order == PATH_FIXED;
        lane->width = fixed ? link->mbps : lane->free;
        lane->usable = lane->free >= (fixed ? 0 : (int64_t) question->mbps);
        if (lane->free < 0)
            lane->usable = false;
    }
}

bool path_search_has_room (const path_search_t *self, const path_t *path)
{
    return path->mbps >= (int64_t) self->question.mbps;
}

static size_t path_search_other_end (const lane_t *lane, size_t vertex)
{
    return lane->ends [0] == vertex ? lane->ends [1] : lane->ends [0];
}

/*  --- the heap of labels, least first --- */

static bool below (const path_search_t *self, uint32_t a, uint32_t b)
{
    const label_t *left = &self->labels [a];
    const label_t *right = &self->labels [b];
    for (int i = 0; i < 3; i++)
        if (left->cost [i] != right->cost [i])
            return left->cost [i] < right->cost [i];
    if (left->latency_us != right->latency_us)
        return left->latency_us < right->latency_us;
    return a < b;
}

static void heap_push (path_search_t *self, uint32_t label)
{
    self->heap = must_grow (self->heap, self->heap_count, &self->heap_room, sizeof *self->heap);
    size_t at = self->heap_count++;
    while (at > 0 && below (self, label, self->heap [(at - 1) / 2])) {
        self->heap [at] = self->heap [(at - 1) / 2];
        at = (at - 1) / 2;
    }
    self->heap [at] = label;
}

static uint32_t heap_pop (path_search_t *self)
{
    uint32_t least = self->heap [0];
    uint32_t last = self->heap [--self->heap_count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < self->heap_count; at = child) {
        if (child + 1 < self->heap_count &&
            below (self, self->heap [child + 1], self->heap [child]))
            child++;
        if (!below (self, self->heap [child], last))
            break;
        self->heap [at] = self->heap [child];
    }
    self->heap [at] = last;
    return least;
}

/*  --- labels --- */

/*  Has its vertex a label that is as good or better in all that counts? Labels of a vertex come
 *  in order of cost, so a settled one costs no more; and the one settled last is the quickest. */
static bool surpassed (const path_search_t *self, const search_round_t *round, const label_t *label)
{
    uint32_t at = self->settled [label->vertex];
    if (at == NOTHING)
        return false;
    if (!round->hops_tell)
        return !round->limited || self->labels [at].latency_us <= label->latency_us;
    for (; at != NOTHING; at = self->labels [at].before)
        if (self->labels [at].hops <= label->hops &&
            (!round->limited || self->labels [at].latency_us <= label->latency_us))
            return true;
    return false;
}

static bool too_late (const path_search_t *self, const search_round_t *round,
                      const search_base_t *base, const label_t *label)
{
    int64_t nearest_us = self->nearest_us [label->vertex];
    return round->limited &&
           (nearest_us == INT64_MAX ||
            base->latency_us + nearest_us + label->latency_us > self->question.latency_us_max);
}

static void extend_cost (label_t *to, const label_t *from, const search_round_t *round,
                         const lane_t *lane)
{
    for (int i = 0; i < 3; i++)
        switch (round->counts [i]) {
        case COUNT_HOPS:
            to->cost [i] = from->cost [i] + 1;
            break;
        case COUNT_WEIGHT:
            to->cost [i] = from->cost [i] + lane->weight;
            break;
        case COUNT_WIDTH: /* as a number that is less for what is wider */
            to->cost [i] = from->cost [i] > -lane->width ? from->cost [i] : -lane->width;
            break;
        case COUNT_NOTHING:
            to->cost [i] = 0;
            break;
        }
}

static void label_push (path_search_t *self, const label_t *label)
{
    self->labels =
      must_grow (self->labels, self->labels_count, &self->labels_room, sizeof *self->labels);
    assert (self->labels_count < NOTHING);
    self->labels [self->labels_count] = *label;
    heap_push (self, (uint32_t) self->labels_count++);
}

/*  May the lane be part of this round's paths, from the vertex at its far end on? */
static bool open_from (const path_search_t *self, const search_round_t *round,
                       const search_base_t *base, size_t link, size_t vertex)
{
    const lane_t *lane = &self->lanes [link];
    return lane->usable && lane->width >= round->width_min && !self->blocked [vertex] &&
           !(vertex == base->start && self->barred [link]);
}

static path_state_t extend (path_search_t *self, const search_round_t *round,
                            const search_base_t *base, uint32_t number, uint64_t *steps)
{
    const label_t from = self->labels [number];
    size_t count;
    const size_t *at = graph_at (self->graph, from.vertex, &count);
    if (*steps < count)
        return PATH_UNKNOWN;
    *steps -= count;
    for (size_t i = 0; i < count; i++) {
        const lane_t *lane = &self->lanes [at [i]];
        size_t vertex = path_search_other_end (lane, from.vertex);
        if (!open_from (self, round, base, at [i], vertex))
            continue;
        label_t label = {.latency_us = from.latency_us + lane->latency_us,
                         .hops = from.hops + 1,
                         .vertex = (uint32_t) vertex,
                         .before = NOTHING};
        extend_cost (&label, &from, round, lane);
        if (surpassed (self, round, &label) || too_late (self, round, base, &label))
            continue;
        if (base->hops + label.hops > PATH_HOPS_MAX)
            self->hops_ran_out = true;
        else
            label_push (self, &label);
    }
    return PATH_FOUND;
}

/*  One round: labels until the first one of the start, which is the best: *best. */
static path_state_t path_search_spread (path_search_t *self, const search_round_t *round,
                                        const search_base_t *base, label_t *best, uint64_t *steps)
{
    memset (self->settled, 0xff, self->vertices_count * sizeof *self->settled);
    self->labels_count = 0;
    self->heap_count = 0;
    self->hops_ran_out = false;
    label_t target = {.vertex = (uint32_t) self->question.to, .before = NOTHING};
    for (int i = 0; i < 3; i++)
        target.cost [i] = round->counts [i] == COUNT_WIDTH ? -INT64_MAX : 0;
    label_push (self, &target);

    while (self->heap_count > 0) {
        uint32_t number = heap_pop (self);
        label_t *label = &self->labels [number];
        if (surpassed (self, round, label))
            continue;
        label->before = self->settled [label->vertex];
        self->settled [label->vertex] = number;
        if (label->vertex == base->start) {
            *best = *label;
            return PATH_FOUND;
        }
        if (extend (self, round, base, number, steps) == PATH_UNKNOWN)
            return PATH_UNKNOWN;
    }
    return PATH_NONE;
}

/*  The least latency from the start to everywhere. */
static path_state_t look_ahead (path_search_t *self, const search_round_t *round,
                                const search_base_t *base, uint64_t *steps)
{
    for (size_t i = 0; i < self->vertices_count; i++)
        self->nearest_us [i] = INT64_MAX;
    self->labels_count = 0;
    self->heap_count = 0;
    label_push (self, &(label_t){.vertex = (uint32_t) base->start});
    while (self->heap_count > 0) {
        const label_t from = self->labels [heap_pop (self)];
        if (self->nearest_us [from.vertex] < INT64_MAX)
            continue;
        self->nearest_us [from.vertex] = from.cost [0];
        size_t count;
        const size_t *at = graph_at (self->graph, from.vertex, &count);
        if (*steps < count)
            return PATH_UNKNOWN;
        *steps -= count;
        for (size_t i = 0; i < count; i++) {
            const lane_t *lane = &self->lanes [at [i]];
            size_t vertex = path_search_other_end (lane, from.vertex);
            if (open_from (self, round, base, at [i], from.vertex) && !self->blocked [vertex])
                label_push (self, &(label_t){.vertex = (uint32_t) vertex,
                                             .cost = {from.cost [0] + lane->latency_us}});
        }
    }
    return PATH_FOUND;
}

/*  --- the walk along the labels --- */

/*  The label of the vertex that the lane extends to what is left, in time; NOTHING when there is
 *  none. */
static uint32_t leads_on (const path_search_t *self, const search_round_t *round, size_t vertex,
                          const lane_t *lane, const label_t *left)
{
    uint32_t at = self->settled [vertex];
    for (; at != NOTHING; at = self->labels [at].before) {
        const label_t *label = &self->labels [at];
        label_t extended;
        extend_cost (&extended, label, round, lane);
        if (memcmp (extended.cost, left->cost, sizeof left->cost) == 0 &&
            (!round->limited || label->latency_us + lane->latency_us <= left->latency_us))
            break;
    }
    return at;
}

static void path_add (path_t *path, const path_search_t *self, size_t link)
{
    const lane_t *lane = &self->lanes [link];
    path->links [path->links_count++] = link;
    path->latency_us += lane->latency_us;
    path->weight += lane->weight;
    if (lane->free < path->mbps)
        path->mbps = lane->free;
}

/*  From the start, always to the first vertex by name from which what is left can be had. */
static void path_search_walk (const path_search_t *self, const search_round_t *round,
                              const search_base_t *base, const label_t *best, path_t *path)
{
    label_t left = *best;
    left.latency_us = self->question.latency_us_max - base->latency_us;
    for (size_t vertex = base->start; vertex != self->question.to;) {
        size_t count;
        const size_t *at = graph_at (self->graph, vertex, &count);
        size_t next = SIZE_MAX;
        size_t link = SIZE_MAX;
        uint32_t label = NOTHING;
        for (size_t i = 0; i < count; i++) {
            const lane_t *lane = &self->lanes [at [i]];
            size_t other = path_search_other_end (lane, vertex);
            if (other >= next || !open_from (self, round, base, at [i], vertex))
                continue;
            uint32_t leads = leads_on (self, round, other, lane, &left);
            if (leads != NOTHING) {
                next = other;
                link = at [i];
                label = leads;
            }
        }
        assert (label != NOTHING && path->links_count < PATH_HOPS_MAX);
        path_add (path, self, link);
        memcpy (left.cost, self->labels [label].cost, sizeof left.cost);
        left.latency_us -= self->lanes [link].latency_us;
        vertex = next;
    }
}

/*  --- both rounds --- */

static const count_t first_counts [][3] = {
  [PATH_FIXED] = {COUNT_HOPS, COUNT_WIDTH, COUNT_NOTHING},
  [PATH_FREE] = {COUNT_HOPS, COUNT_WIDTH, COUNT_NOTHING},
  [PATH_CHEAP] = {COUNT_WEIGHT, COUNT_HOPS, COUNT_WIDTH},
};
static const count_t second_counts [][3] = {
  [PATH_FIXED] = {COUNT_HOPS, COUNT_NOTHING, COUNT_NOTHING},
  [PATH_FREE] = {COUNT_HOPS, COUNT_WEIGHT, COUNT_NOTHING},
  [PATH_CHEAP] = {COUNT_WEIGHT, COUNT_HOPS, COUNT_NOTHING},
};

/*  path has the given part, and gets the rest. */
static path_state_t rounds (path_search_t *self, search_round_t round, const search_base_t *base,
                            path_t *path, uint64_t *steps)
{
    path_order_t order = self->question.order;
    label_t best;
    round.counts = first_counts [order];
    round.width_min = INT64_MIN;
    path_state_t state = path_search_spread (self, &round, base, &best, steps);
    bool ran_out = self->hops_ran_out;
    if (state == PATH_FOUND) {
        int64_t width = -best.cost [order == PATH_CHEAP ? 2 : 1];
        round.counts = second_counts [order];
        round.width_min = width < base->width ? width : base->width;
        state = path_search_spread (self, &round, base, &best, steps);
        ran_out = ran_out || self->hops_ran_out;
    }
    if (state == PATH_UNKNOWN)
        return PATH_UNKNOWN;
    if (ran_out && order == PATH_CHEAP && !round.hops_tell) {
        round.hops_tell = true; /* what costs less may have too many hops to get there */
        return rounds (self, round, base, path, steps);
    }
    if (state == PATH_FOUND)
        path_search_walk (self, &round, base, &best, path);
    return state;
}

/*  The first search ignores the latency limit: mostly the best path keeps it. */
static path_state_t path_search_solve (path_search_t *self, const search_base_t *base, path_t *path,
                                       uint64_t *steps)
{
    int64_t limit_us = self->question.latency_us_max;
    path_t whole = *path;
    path_state_t state = rounds (self, (search_round_t){0}, base, &whole, steps);
    if (state == PATH_FOUND && limit_us > 0 && whole.latency_us > limit_us) {
        search_round_t round = {.width_min = INT64_MIN, .limited = true};
        if (look_ahead (self, &round, base, steps) == PATH_UNKNOWN)
            return PATH_UNKNOWN;
        int64_t nearest_us = self->nearest_us [self->question.to];
        if (nearest_us == INT64_MAX || base->latency_us + nearest_us > limit_us)
            return PATH_NONE;
        whole = *path;
        state = rounds (self, round, base, &whole, steps);
    }
    if (state == PATH_FOUND)
        *path = whole;
    return state;
}

path_state_t path_search_best (path_search_t *self, const path_t *begin, size_t kept,
                               const size_t *barred, size_t barred_count, path_t *path,
                               uint64_t *steps)
{
    assert (kept <= begin->links_count && kept <= PATH_HOPS_MAX);
    search_base_t base = {.start = self->question.from, .hops = kept, .width = INT64_MAX};
    path_t found = {.from = self->question.from, .mbps = INT64_MAX};
    for (size_t i = 0; i < kept; i++) {
        const lane_t *lane = &self->lanes [begin->links [i]];
        path_add (&found, self, begin->links [i]);
        if (lane->width < base.width)
            base.width = lane->width;
        self->blocked [base.start] = true;
        base.start = path_search_other_end (lane, base.start);
    }
    base.latency_us = found.latency_us;
    for (size_t i = 0; i < barred_count; i++)
        self->barred [barred [i]] = true;

    path_state_t state = base.start == self->question.to
                           ? (kept == 0 ? PATH_FOUND : PATH_NONE)
                           : path_search_solve (self, &base, &found, steps);
    for (size_t i = 0; i < barred_count; i++)
        self->barred [barred [i]] = false;
    size_t vertex = self->question.from;
    for (size_t i = 0; i < kept; i++) {
        self->blocked [vertex] = false;
        vertex = path_search_other_end (&self->lanes [begin->links [i]], vertex);
    }
    if (state == PATH_FOUND)
        *path = found;
    return state;
}
