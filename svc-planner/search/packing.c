/*  packing - depth-first branch and bound for needs that may share places or are joined by paths.
 *
 *  The need with the fewest options is placed first, then needs that paths join to those placed. A
 *  network need comes right after its second end, so that places too far apart are ruled out at
 *  once. A branch ends when the weights so far plus the least weights of the rest are no better
 *  than the best plan known. Needs that are alike in everything are placed in ascending order of
 *  options, so that a plan is not met once for each of their permutations. Storage comes right
 *  after the need whose site it shares.
 */
#include "assign.h"
#include "must.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/*  A level of the search: a compute need to be placed, or a network need to be given a path. */
typedef struct {
    bool network;
    size_t need;
    int64_t rest_weight; /* least weights of this one and all deeper */
    size_t cursor;       /* next position to try */
    size_t taken;        /* position tried now */
} packing_level_t;

struct packing {
    const snapshot_t *snapshot;
    const int64_t *const *weights;
    routes_t *routes;
    int64_t check_from_ms;
    packing_need_t *needs;
    size_t needs_count;
    packing_level_t *levels; /* one more than needs of both kinds */
    size_t levels_count;
    size_t *level_of; /* by compute need */
    size_t depth;
    int64_t weight;
    int64_t bound;
    bool found;
    size_t *best; /* by need: index into its options */
};

static size_t option_index (const packing_t *self, size_t need, size_t position)
{
    return self->needs [need].order [position];
}

static const option_t *packing_option_at (const packing_t *self, size_t need, size_t position)
{
    return &self->snapshot->needs [need].options [option_index (self, need, position)];
}

static int64_t weight_at (const packing_t *self, size_t need, size_t position)
{
    return self->weights [need][option_index (self, need, position)];
}

static size_t taken_by (const packing_t *self, size_t need)
{
    return self->levels [self->level_of [need]].taken;
}

/*  Fewest options first, then most CPUs, then the request's order, which keeps like needs in
 *  order. */
static bool goes_before (const packing_t *self, size_t a, size_t b)
{
    const packing_need_t *first = &self->needs [a], *second = &self->needs [b];
    if (first->order_count != second->order_count)
        return first->order_count < second->order_count;
    uint32_t first_cpus = self->snapshot->request->compute [a].cpus;
    uint32_t second_cpus = self->snapshot->request->compute [b].cpus;
    return first_cpus != second_cpus ? first_cpus > second_cpus : a < b;
}

static const derived_t *packing_derived (const packing_t *self, size_t need)
{
    return &self->snapshot->request->compute [need].derived;
}

/*  Storage is placed right after the need whose site it shares, a file's source some time after
 *  it. */
static bool may_follow (const packing_t *self, size_t need, uint64_t placed)
{
    const derived_t *derived = packing_derived (self, need);
    return derived->kind == DERIVED_NOT ||
           (derived->kind == DERIVED_SOURCE && placed >> derived->at & 1);
}

/*  The compute need to be placed next: one that is joined to those placed, if there is any. */
static size_t choose_next (const packing_t *self, uint64_t placed, uint64_t joined)
{
    size_t next = SIZE_MAX;
    for (size_t i = 0; i < self->needs_count; i++) {
        if (placed >> i & 1 || !may_follow (self, i, placed))
            continue;
        bool nearer = next != SIZE_MAX && (joined >> i & 1) > (joined >> next & 1);
        bool farther = next != SIZE_MAX && (joined >> i & 1) < (joined >> next & 1);
        if (next == SIZE_MAX || nearer || (!farther && goes_before (self, i, next)))
            next = i;
    }
    return next;
}

static void add_level (packing_t *self, bool network, size_t need)
{
    self->levels [self->levels_count++] = (packing_level_t){.network = network, .need = need};
}

static void arrange (packing_t *self)
{
    const user_request_t *request = self->snapshot->request;
    uint64_t placed = 0, joined = 0;
    for (size_t need; (need = choose_next (self, placed, joined)) != SIZE_MAX;) {
        placed |= UINT64_C (1) << need;
        joined |= self->routes ? routes_joined (self->routes, need) : 0;
        self->level_of [need] = self->levels_count;
        add_level (self, false, need);
        for (size_t n = 0; self->routes && n < request->network_count; n++) {
            size_t ends [2] = {network_need_end (request, n, 0), network_need_end (request, n, 1)};
            if ((ends [0] == need || ends [1] == need) && placed >> ends [ends [0] == need] & 1)
                add_level (self, true, n);
        }
        for (size_t n = 0; n < self->needs_count; n++) {
            if (packing_derived (self, n)->kind != DERIVED_STORAGE ||
                packing_derived (self, n)->at != need)
                continue;
            self->level_of [n] = self->levels_count;
            add_level (self, false, n);
        }
    }
    int64_t rest = 0;
    for (size_t depth = self->levels_count; depth-- > 0;) {
        packing_level_t *level = &self->levels [depth];
        rest += level->network ? routes_least (self->routes, level->need)
                               : weight_at (self, level->need, 0);
        level->rest_weight = rest;
    }
}

packing_t *packing_new (const snapshot_t *snapshot, const packing_need_t *needs,
                        const int64_t *const *weights, routes_t *routes, int64_t check_from_ms,
                        int64_t bound)
{
    size_t count = snapshot->request->compute_count;
    size_t levels = count + (routes ? snapshot->request->network_count : 0);
    packing_t *self = must (calloc (1, sizeof *self));
    self->snapshot = snapshot;
    self->weights = weights;
    self->check_from_ms = check_from_ms;
    self->bound = bound;
    self->needs_count = count;
    self->needs = must (malloc (count * sizeof *self->needs));
    memcpy (self->needs, needs, count * sizeof *needs);
    self->routes = routes;
    self->levels = must (calloc (levels + 1, sizeof *self->levels));
    self->level_of = must (calloc (count, sizeof *self->level_of));
    self->best = must (calloc (count, sizeof *self->best));
    arrange (self);
    return self;
}

void packing_destroy (packing_t **self_p)
{
    packing_t *self = *self_p;
    if (!self)
        return;
    free (self->needs);
    free (self->levels);
    free (self->level_of);
    free (self->best);
    free (self);
    *self_p = NULL;
}

/*  What a need takes of a place, cleaning included, as far as that is still to come. */
static window_t packing_stay_of (const packing_t *self, size_t index, const option_t *option)
{
    const packing_need_t *need = &self->needs [index];
    const site_class_t *place = &self->snapshot->places [option->place];
    const source_t *site = &self->snapshot->sources [place->source];
    int64_t gap_ms =
      place->free_profile.windows_count > 0 ? 0 : site->gap_ms; /* windows leave it out */
    int64_t from_ms = need->from_ms - option->before_ms;
    from_ms = from_ms > self->check_from_ms ? from_ms : self->check_from_ms;
    return (window_t){from_ms, need->until_ms + gap_ms, option->nodes};
}

/*  May these two needs be at these options together, as far as sites and files go? */
static bool packing_apart (const packing_t *self, size_t need, const option_t *option, size_t other,
                           const option_t *taken)
{
    const site_class_t *places = self->snapshot->places;
    const derived_t *mine = packing_derived (self, need), *theirs = packing_derived (self, other);
    if (mine->kind == DERIVED_NOT && theirs->kind == DERIVED_NOT)
        return !self->snapshot->request->distinct_sites ||
               places [taken->place].source != places [option->place].source;
    /* Each copy of a file is on a storage node of its own. */
    return mine->kind != DERIVED_STORAGE || theirs->kind != DERIVED_STORAGE || mine->data == 0 ||
           mine->data != theirs->data || taken->place != option->place;
}

/*  Does so much of one place fit beside what the needs placed already take of it? first: it fits
 *  alone, or the option would be none at this start. Counts the steps that this takes. */
static bool packing_fits_at (packing_t *self, size_t at, bool first, const window_t *stay,
                             uint64_t *steps)
{
    const site_class_t *place = &self->snapshot->places [at];
    window_t others [NEEDS_MAX];
    size_t others_count = 0;
    for (size_t d = 0; d < self->depth; d++) {
        const packing_level_t *level = &self->levels [d];
        if (level->network)
            continue;
        const option_t *taken = packing_option_at (self, level->need, level->taken);
        if (at < taken->place || at >= taken->place + taken->spread)
            continue;
        window_t other = packing_stay_of (self, level->need, taken);
        if (other.from_ms < stay->until_ms && other.until_ms > stay->from_ms)
            others [others_count++] = other;
    }
    if (others_count == 0 && first)
        return true;
    if (others_count > 0 && place->free_profile.windows_count > 0)
        return false; /* asked about one by one: whether both fit together is not known */
    uint64_t cost = self->depth + 2 * (1 + others_count) * (1 + others_count);
    *steps -= cost < *steps ? cost : *steps;
    return free_profile_least_beside (&place->free_profile, stay->from_ms, stay->until_ms, others,
                                      others_count) >= stay->quantity;
}

/*  Does it fit beside the needs placed already? */
static bool packing_fits (packing_t *self, size_t need, const option_t *option, uint64_t *steps)
{
    const derived_t *derived = packing_derived (self, need);
    if (derived->kind != DERIVED_NOT &&
        !option_beside (self->snapshot, need, option,
                        packing_option_at (self, derived->at, taken_by (self, derived->at))))
        return false;
    for (size_t d = 0; d < self->depth; d++) {
        const packing_level_t *level = &self->levels [d];
        if (!level->network && !packing_apart (self, need, option, level->need,
                                               packing_option_at (self, level->need, level->taken)))
            return false;
    }
    window_t stay = packing_stay_of (self, need, option);
    if (stay.from_ms >= stay.until_ms || stay.quantity == 0)
        return true;
    for (size_t i = 0; i < option->spread; i++)
        if (!packing_fits_at (self, option->place + i, i == 0, &stay, steps))
            return false;
    return true;
}

static void keep_best (packing_t *self)
{
    self->found = true;
    self->bound = self->weight;
    for (size_t i = 0; i < self->needs_count; i++)
        self->best [i] = option_index (self, i, taken_by (self, i));
    if (self->routes)
        routes_keep (self->routes);
}

static void step_back (packing_t *self)
{
    const packing_level_t *level = &self->levels [--self->depth];
    self->weight -= level->network ? routes_weight (self->routes, level->need)
                                   : weight_at (self, level->need, level->taken);
}

static void enter (packing_t *self)
{
    packing_level_t *level = &self->levels [self->depth];
    if (self->depth == self->levels_count)
        return;
    if (level->network) {
        const user_request_t *request = self->snapshot->request;
        size_t a = network_need_end (request, level->need, 0);
        size_t b = network_need_end (request, level->need, 1);
        size_t options [2] = {option_index (self, a, taken_by (self, a)),
                              option_index (self, b, taken_by (self, b))};
        routes_open (self->routes, level->need, options);
    } else {
        size_t like = self->needs [level->need].like;
        level->cursor = like == SIZE_MAX ? 0 : taken_by (self, like);
    }
}

static void step_down (packing_t *self, int64_t weight)
{
    self->weight += weight;
    self->depth++;
    enter (self);
}

/*  What this level may weigh at most for a plan to be better than the best one known. */
static int64_t budget (const packing_t *self)
{
    if (self->bound == INT64_MAX)
        return INT64_MAX;
    return self->bound - self->weight - self->levels [self->depth + 1].rest_weight;
}

/*  Tries the next path, or the next place that fits. False when none is left at this level. */
static bool advance_path (packing_t *self, const packing_level_t *level, uint64_t *steps)
{
    if (!routes_next (self->routes, level->need, budget (self), steps)) {
        routes_close (self->routes, level->need);
        return false;
    }
    step_down (self, routes_weight (self->routes, level->need));
    return true;
}

static bool advance_place (packing_t *self, packing_level_t *level, uint64_t *steps)
{
    size_t position = level->cursor;
    if (position == self->needs [level->need].order_count ||
        weight_at (self, level->need, position) >= budget (self))
        return false;
    level->cursor++;
    if (packing_fits (self, level->need, packing_option_at (self, level->need, position), steps)) {
        level->taken = position;
        step_down (self, weight_at (self, level->need, position));
    }
    return true;
}

assign_state_t packing_run (packing_t *self, uint64_t *steps)
{
    while (*steps > 0) {
        (*steps)--;
        if (self->depth == self->levels_count) {
            keep_best (self);
            step_back (self);
            continue;
        }
        packing_level_t *level = &self->levels [self->depth];
        bool advanced =
          level->network ? advance_path (self, level, steps) : advance_place (self, level, steps);
        if (!advanced && self->depth == 0)
            return self->found ? ASSIGN_FOUND : ASSIGN_NONE;
        if (!advanced)
            step_back (self);
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
