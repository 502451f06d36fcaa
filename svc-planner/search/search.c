/*  search - from profiles to start times to an assignment.
 *
 *  The start times at which each option of a need would fit alone are worked out once
 *  (start_windows.h). What is left to decide at a start is which options to combine (assign.h) and
 *  which paths go with them (routes.h).
 */
#include "search.h"

#include "assign.h"
#include "must.h"
#include "stages.h"
#include "start_windows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define START_SHARE 8 /* one start may use this part of all steps */
/*  Where plans are spread, a price counts from so many to so many thousandths, by lot. */
#define SPREAD_LEAST   1000
#define SPREAD_MOST    3000
#define RANDOM_WEIGHTS 1000000

typedef struct {
    start_windows_t *views; /* by option */
    size_t *order;          /* options ascending by weight */
    size_t *fit;            /* the options of order that fit at the start looked at */
    size_t fit_count;
    size_t like; /* an earlier need that is the same in everything */
} need_view_t;

struct search {
    const snapshot_t *snapshot;
    const user_request_t *request;
    search_order_t order;
    need_view_t *needs;
    int64_t **weights;
    int64_t *cells;        /* scratch of matching: weights by need and site */
    size_t *cell_option;   /* scratch: the option behind each cell */
    int64_t *lots;         /* by place: thousandths of its price that count; NULL = all of it */
    int64_t least_weight;  /* no plan can weigh less */
    int64_t least_paths;   /* the part of least_weight that is for paths */
    int64_t least_derived; /* and that for storage */
    size_t derived_count;  /* needs that matching leaves out: storage and sources of files */
    int64_t lead_ms;       /* the longest of any source, which counts for files and storage */
    uint64_t steps_left;
    uint64_t start_steps_left;
    bool begun; /* a start has been looked at */
    bool assigning;
    int64_t start_ms; /* the start that is looked at now */
    matching_t *matching;
    packing_t *packing;
    routes_t *routes; /* NULL without network needs */
    bool undecided;   /* a start was given up before it was searched to its end */
    bool found;
    int64_t found_start_ms;
    int64_t found_weight;
    size_t *found_choice;
};

static const site_class_t *search_place_of (const search_t *self, const option_t *option)
{
    return &self->snapshot->places [option->place];
}

static const source_t *search_site_of (const search_t *self, const option_t *option)
{
    return &self->snapshot->sources [search_place_of (self, option)->source];
}

/*  Questions about windows leave the cleaning gap out. */
static stay_t search_stay_of (const search_t *self, size_t need, const option_t *option,
                              int64_t nodes)
{
    bool windows = search_place_of (self, option)->free_profile.windows_count > 0;
    int64_t gap_ms = windows ? 0 : search_site_of (self, option)->gap_ms;
    int64_t offset_ms, until_ms;
    option_interval (self->snapshot, need, option, 0, &offset_ms, &until_ms);
    return (stay_t){
      .offset_ms = offset_ms, .length_ms = until_ms - offset_ms + gap_ms, .quantity = nodes};
}

static bool is_present (const search_t *self, size_t need, const option_t *option)
{
    const present_t *present = self->order.present ? &self->order.present [need] : NULL;
    return present && present->set && present->place == option->place;
}

static const derived_t *search_derived (const search_t *self, size_t need)
{
    return &self->request->compute [need].derived;
}

/*  Start times that the site's lead and the request's frame allow. What a file takes begins before
 *  all else: every participant's lead counts from there (T9). A source promises nothing. */
static start_window_t frame_of (const search_t *self, size_t need, const option_t *option)
{
    int64_t from_ms = self->order.starts.earliest_ms;
    bool fixed = from_ms == self->order.starts.latest_ms;
    int64_t lead_ms = search_site_of (self, option)->lead_ms;
    if (search_derived (self, need)->kind == DERIVED_SOURCE)
        return (start_window_t){from_ms, self->order.starts.latest_ms};
    /* A need added to a reservation that keeps its start counts from its own begin. */
    int64_t begin_ms = fixed && self->order.present ? compute_latest (self->request, need)
                                                    : user_request_offset_least (self->request);
    if (search_derived (self, need)->kind == DERIVED_STORAGE) {
        begin_ms = least (begin_ms, compute_latest (self->request, need) - option->before_ms);
        lead_ms = self->lead_ms;
    }
    if (!fixed || !is_present (self, need, option)) /* else it needs no lead */
        from_ms = greatest (from_ms, self->order.soonest_ms + lead_ms - begin_ms);
    return (start_window_t){from_ms, self->order.starts.latest_ms};
}

/*  For a fixed start, which may lie in the past: only what is still to come needs capacity. */
static void span_of_fixed (const search_t *self, start_windows_t *view,
                           const free_profile_t *free_profile, const stay_t *stay,
                           start_window_t within)
{
    int64_t start_ms = self->order.starts.earliest_ms;
    int64_t begin_ms = start_ms + stay->offset_ms;
    int64_t from_ms = greatest (begin_ms, self->order.check_from_ms);
    int64_t until_ms = begin_ms + stay->length_ms;
    if (from_ms >= until_ms ||
        free_profile_least (free_profile, from_ms, until_ms) >= stay->quantity)
        start_windows_add (view, (start_window_t){start_ms, start_ms}, within);
}

static void find_spans (const search_t *self, start_windows_t *view, size_t need,
                        const option_t *option, int64_t nodes)
{
    const free_profile_t *free_profile = &search_place_of (self, option)->free_profile;
    const present_t *present = self->order.present ? &self->order.present [need] : NULL;
    bool elsewhere = present && present->pinned && present->place != option->place;
    /* A source promises nothing, so it need not answer. */
    bool left_out = search_site_of (self, option)->left_out &&
                    search_derived (self, need)->kind != DERIVED_SOURCE;
    if (left_out || elsewhere)
        return;
    start_window_t within = frame_of (self, need, option);
    if (within.from_ms > within.until_ms)
        return;
    stay_t stay = search_stay_of (self, need, option, nodes);
    if (self->order.starts.earliest_ms == self->order.starts.latest_ms)
        span_of_fixed (self, view, free_profile, &stay, within);
    else
        start_windows_fill (view, free_profile, &stay, within);
}

static void make_views (search_t *self, size_t need)
{
    const need_options_t *options = &self->snapshot->needs [need];
    need_view_t *view = &self->needs [need];
    view->views = must (calloc (options->options_count + 1, sizeof *view->views));
    for (size_t i = 0; i < options->options_count; i++) {
        const option_t *option = &options->options [i];
        find_spans (self, &view->views [i], need, option, option->nodes);
        stay_t stay = search_stay_of (self, need, option, option->nodes);
        /*  Where needs may share a place, any rise of what is free can make room for several
         *  together. */
        for (size_t k = 0; k < option->spread; k++)
            start_windows_find_changes (&view->views [i],
                                        &search_place_of (self, option) [k].free_profile, &stay,
                                        frame_of (self, need, option),
                                        !self->request->distinct_sites || self->derived_count > 0);
    }
}

/*  Draws for each place how much its price counts. By place, so that like needs stay alike. */
static void draw_lots (search_t *self)
{
    self->lots = must (calloc (self->snapshot->places_count + 1, sizeof *self->lots));
    for (size_t i = 0; i < self->snapshot->places_count; i++)
        self->lots [i] = self->snapshot->sources [self->snapshot->places [i].source].put_off
                           ? SPREAD_MOST /* it would have to be asked first */
                           : SPREAD_LEAST + (int64_t) prng_below (self->order.prng,
                                                                  SPREAD_MOST - SPREAD_LEAST + 1);
}

/*  Among plans of one price the one whose files come soonest: a second weighs a micro-credit. */
static int64_t staging_weight (const option_t *option)
{
    return option->before_ms / 1000;
}

static int64_t weigh_option (search_t *self, size_t need, const option_t *option)
{
    int64_t weight = 0;
    switch (self->order.policy) {
    case POLICY_TIME:
    case POLICY_COST:
    case POLICY_QUALITY: /* only algorithm ip ranks by quality */
        weight = least (snapshot_cost (self->snapshot, need, option), WEIGHT_MAX);
        if (self->lots)
            weight = least (weight * self->lots [option->place] / SPREAD_LEAST, WEIGHT_MAX);
        weight = least (weight + staging_weight (option), WEIGHT_MAX);
        break;
    case POLICY_LOAD:
        weight = free_profile_utilisation (&search_place_of (self, option)->free_profile,
                                           search_place_of (self, option)->nodes);
        break;
    case POLICY_RANDOM:
        weight = (int64_t) prng_below (self->order.prng, RANDOM_WEIGHTS);
        if (search_site_of (self, option)->put_off)
            weight += RANDOM_WEIGHTS; /* it would have to be asked first */
        break;
    }
    bool away =
      self->order.present && self->order.present [need].set && !is_present (self, need, option);
    return away ? weight + AWAY_WEIGHT : weight;
}

/*  Options ascending by weight; those of equal weight stay in the snapshot's order. */
static void search_sort_options (search_t *self, size_t need)
{
    size_t count = self->snapshot->needs [need].options_count;
    need_view_t *view = &self->needs [need];
    const int64_t *weights = self->weights [need];
    view->order = must (calloc (count + 1, sizeof *view->order));
    view->fit = must (calloc (count + 1, sizeof *view->fit));
    for (size_t i = 0; i < count; i++) {
        size_t at = i;
        for (; at > 0 && weights [i] < weights [view->order [at - 1]]; at--)
            view->order [at] = view->order [at - 1];
        view->order [at] = i;
    }
}

/*  Would the derived needs stay the same if these two needs changed places? Copies of one file can,
 *  and space at one site; a compute need that something is derived for can't. */
static bool derived_alike (const search_t *self, size_t a, size_t b)
{
    const derived_t *first = search_derived (self, a), *second = search_derived (self, b);
    if (first->kind == DERIVED_STORAGE)
        return second->kind == DERIVED_STORAGE && first->at == second->at &&
               first->data == second->data;
    bool tied = first->kind != DERIVED_NOT || second->kind != DERIVED_NOT;
    for (size_t n = 0; n < self->request->compute_count; n++) {
        const derived_t *derived = search_derived (self, n);
        tied = tied || (derived->kind != DERIVED_NOT && (derived->at == a || derived->at == b));
    }
    return !tied;
}

static bool needs_alike (const search_t *self, size_t a, size_t b)
{
    const compute_need_t *first = &self->request->compute [a];
    const compute_need_t *second = &self->request->compute [b];
    const need_options_t *options = self->snapshot->needs;
    if (self->derived_count > 0 && !derived_alike (self, a, b))
        return false;
    if (self->routes && !routes_alike (self->routes, a, b))
        return false;
    if (first->offset_ms != second->offset_ms || first->cpus != second->cpus ||
        first->stages.count + second->stages.count > 0 ||
        need_duration (self->request, a) != need_duration (self->request, b) ||
        options [a].options_count != options [b].options_count)
        return false;
    for (size_t i = 0; i < options [a].options_count; i++)
        if (options [a].options [i].place != options [b].options [i].place ||
            options [a].options [i].before_ms != options [b].options [i].before_ms ||
            self->weights [a][i] != self->weights [b][i] ||
            self->needs [a].views [i].spans_count != self->needs [b].views [i].spans_count)
            return false;
    return true;
}

static void find_likes (search_t *self)
{
    for (size_t need = 0; need < self->request->compute_count; need++) {
        self->needs [need].like = SIZE_MAX;
        for (size_t before = need; before-- > 0;) {
            if (needs_alike (self, before, need)) {
                self->needs [need].like = before;
                break;
            }
        }
    }
}

search_t *search_new (const snapshot_t *snapshot, const search_order_t *order)
{
    assert (order->prng);
    assert (order->starts.earliest_ms <= order->starts.latest_ms);
    size_t count = snapshot->request->compute_count;
    search_t *self = must (calloc (1, sizeof *self));
    self->snapshot = snapshot;
    self->request = snapshot->request;
    self->order = *order;
    if (order->present)
        self->order.present = must_copy (order->present, count * sizeof *order->present);
    if (order->present_paths)
        self->order.present_paths = must_copy (
          order->present_paths, snapshot->request->network_count * sizeof *order->present_paths);
    self->steps_left = order->steps_max;
    self->needs = must (calloc (count, sizeof *self->needs));
    self->weights = must (calloc (count, sizeof *self->weights));
    self->found_choice = must (calloc (count, sizeof *self->found_choice));
    size_t cells = count * (snapshot->sources_count + 1);
    self->cells = must (calloc (cells, sizeof *self->cells));
    self->cell_option = must (calloc (cells, sizeof *self->cell_option));
    if (order->spread && order->policy == POLICY_TIME)
        draw_lots (self);
    for (size_t need = 0; need < count; need++)
        self->derived_count += search_derived (self, need)->kind != DERIVED_NOT;
    self->lead_ms = snapshot_lead_ms (snapshot);
    for (size_t need = 0; need < count; need++) {
        const need_options_t *options = &snapshot->needs [need];
        self->weights [need] = must (calloc (options->options_count + 1, sizeof (int64_t)));
        for (size_t i = 0; i < options->options_count; i++)
            self->weights [need][i] = weigh_option (self, need, &options->options [i]);
        make_views (self, need);
        search_sort_options (self, need);
        int64_t lightest =
          options->options_count > 0 ? self->weights [need][self->needs [need].order [0]] : 0;
        self->least_weight += lightest;
        if (search_derived (self, need)->kind != DERIVED_NOT)
            self->least_derived += lightest;
    }
    if (self->request->network_count > 0)
        self->routes = routes_new (snapshot, order);
    for (size_t need = 0; need < self->request->network_count; need++)
        self->least_paths += routes_least (self->routes, need);
    self->least_weight += self->least_paths;
    find_likes (self);
    return self;
}

void search_destroy (search_t **self_p)
{
    search_t *self = *self_p;
    if (!self)
        return;
    for (size_t need = 0; need < self->request->compute_count; need++) {
        need_view_t *view = &self->needs [need];
        for (size_t i = 0; i < self->snapshot->needs [need].options_count; i++)
            start_windows_clear (&view->views [i]);
        free (view->views);
        free (view->order);
        free (view->fit);
        free (self->weights [need]);
    }
    matching_destroy (&self->matching);
    packing_destroy (&self->packing);
    routes_destroy (&self->routes);
    free ((void *) self->order.present);
    free ((void *) self->order.present_paths);
    free (self->needs);
    free (self->weights);
    free (self->cells);
    free (self->cell_option);
    free (self->lots);
    free (self->found_choice);
    free (self);
    *self_p = NULL;
}

static void count_steps (search_t *self, uint64_t steps)
{
    self->steps_left -= steps < self->steps_left ? steps : self->steps_left;
}

/*  Moves to the next start worth a look; false when there is none. Links don't matter before the
 *  first start at which some need has a place. */
static bool next_start (search_t *self)
{
    int64_t start_ms = INT64_MAX;
    uint64_t steps = 1;
    if (self->routes && self->begun)
        start_ms = routes_next_start (self->routes, self->start_ms, &steps);
    for (size_t need = 0; need < self->request->compute_count; need++) {
        for (size_t i = 0; i < self->snapshot->needs [need].options_count; i++) {
            start_ms = least (start_ms, start_windows_next_change (&self->needs [need].views [i]));
            steps++;
        }
    }
    count_steps (self, steps);
    self->begun = true;
    self->start_ms = start_ms;
    return start_ms <= self->order.starts.latest_ms;
}

/*  Passes all changes up to the start and finds the options that fit there. False when some need
 *  has none. */
static bool find_fits (search_t *self)
{
    bool all = true;
    for (size_t need = 0; need < self->request->compute_count; need++) {
        need_view_t *need_view = &self->needs [need];
        need_view->fit_count = 0;
        for (size_t i = 0; i < self->snapshot->needs [need].options_count; i++) {
            size_t option = need_view->order [i];
            if (start_windows_pass (&need_view->views [option], self->start_ms))
                need_view->fit [need_view->fit_count++] = option;
        }
        all = all && need_view->fit_count > 0;
    }
    return all;
}

/*  Drops options that fit but lack links. False when some need has none left. */
static bool find_served (search_t *self)
{
    uint64_t rest = self->steps_left;
    bool all = true;
    routes_start (self->routes, self->start_ms);
    for (size_t need = 0; need < self->request->compute_count && all; need++) {
        need_view_t *view = &self->needs [need];
        size_t count = 0;
        for (size_t i = 0; i < view->fit_count; i++)
            if (routes_serves (self->routes, need, view->fit [i], &rest))
                view->fit [count++] = view->fit [i];
        view->fit_count = count;
        all = count > 0;
    }
    count_steps (self, self->steps_left - rest);
    return all;
}

/*  Is there room at a site, by itself, for a need that is derived? */
static bool search_houses (const search_t *self, size_t derived, const option_t *at)
{
    const need_view_t *view = &self->needs [derived];
    for (size_t i = 0; i < view->fit_count; i++)
        if (option_beside (self->snapshot, derived,
                           &self->snapshot->needs [derived].options [view->fit [i]], at))
            return true;
    return false;
}

/*  Drops options that fit but have no storage beside them. False when some need has none left. */
static bool find_housed (search_t *self)
{
    uint64_t steps = 0;
    for (size_t n = 0; n < self->request->compute_count; n++) {
        if (search_derived (self, n)->kind == DERIVED_NOT)
            continue;
        size_t at = search_derived (self, n)->at, count = 0;
        need_view_t *view = &self->needs [at];
        for (size_t i = 0; i < view->fit_count; i++)
            if (search_houses (self, n, &self->snapshot->needs [at].options [view->fit [i]]))
                view->fit [count++] = view->fit [i];
        steps += view->fit_count * self->needs [n].fit_count;
        view->fit_count = count;
        if (count == 0)
            break;
    }
    count_steps (self, steps);
    for (size_t n = 0; n < self->request->compute_count; n++)
        if (self->needs [n].fit_count == 0)
            return false;
    return true;
}

/*  Whether compute needs can be had at sites of their own; what is derived from data and space
 *  needs shares the site of another. */
static void begin_matching (search_t *self)
{
    size_t sites = self->snapshot->sources_count, rows = 0;
    for (size_t need = 0; need < self->request->compute_count; need++) {
        if (search_derived (self, need)->kind != DERIVED_NOT)
            continue;
        const need_view_t *view = &self->needs [need];
        size_t first = rows++ * sites;
        for (size_t site = 0; site < sites; site++)
            self->cells [first + site] = WEIGHT_NONE;
        for (size_t i = 0; i < view->fit_count; i++) {
            const option_t *option = &self->snapshot->needs [need].options [view->fit [i]];
            size_t cell = first + search_place_of (self, option)->source;
            if (self->cells [cell] != WEIGHT_NONE)
                continue; /* a lighter class of the site is there already */
            self->cells [cell] = self->weights [need][view->fit [i]];
            self->cell_option [cell] = view->fit [i];
        }
    }
    self->matching = matching_new (self->cells, rows, sites);
}

static void begin_packing (search_t *self)
{
    packing_need_t needs [NEEDS_MAX];
    for (size_t need = 0; need < self->request->compute_count; need++) {
        int64_t begin_ms = self->start_ms + self->request->compute [need].offset_ms;
        needs [need] = (packing_need_t){
          .from_ms = self->start_ms + compute_latest (self->request, need),
          .until_ms = begin_ms + need_duration (self->request, need),
          .order = self->needs [need].fit,
          .order_count = self->needs [need].fit_count,
          .like = self->needs [need].like,
        };
    }
    self->packing =
      packing_new (self->snapshot, needs, (const int64_t *const *) self->weights, self->routes,
                   self->order.check_from_ms, self->found ? self->found_weight : INT64_MAX);
}

static void keep_plan (search_t *self, int64_t weight, const size_t *choice)
{
    if (self->found && weight >= self->found_weight)
        return;
    self->found = true;
    self->found_start_ms = self->start_ms;
    self->found_weight = weight;
    memcpy (self->found_choice, choice, self->request->compute_count * sizeof *choice);
}

static void keep_matching (search_t *self)
{
    size_t choice [NEEDS_MAX];
    for (size_t need = 0; need < self->request->compute_count; need++)
        choice [need] = self->cell_option [need * self->snapshot->sources_count +
                                           matching_site (self->matching, need)];
    keep_plan (self, matching_weight (self->matching), choice);
}

/*  The assignment has ended or was given up. True when nothing is left to do at this start. */
static bool end_matching (search_t *self, assign_state_t state)
{
    bool more = self->routes || self->derived_count > 0;
    bool packs =
      more && state == ASSIGN_FOUND &&
      !(self->found && matching_weight (self->matching) + self->least_paths + self->least_derived >=
                         self->found_weight);
    if (state == ASSIGN_FOUND && !more)
        keep_matching (self);
    matching_destroy (&self->matching);
    if (packs) /* there are distinct sites; now find paths between them, and storage */
        begin_packing (self);
    return !packs;
}

static bool end_packing (search_t *self)
{
    if (packing_choice (self->packing))
        keep_plan (self, packing_weight (self->packing), packing_choice (self->packing));
    if (self->routes && routes_unproven (self->routes))
        self->undecided = true;
    packing_destroy (&self->packing);
    return true;
}

/*  Continues at this start; true when it is searched to its end or given up. */
static bool assign_here (search_t *self, uint64_t steps)
{
    uint64_t given = steps < self->start_steps_left ? steps : self->start_steps_left;
    uint64_t rest = given;
    assign_state_t state =
      self->matching ? matching_run (self->matching, &rest) : packing_run (self->packing, &rest);
    count_steps (self, given - rest);
    self->start_steps_left -= given - rest;
    if (state == ASSIGN_MORE && self->start_steps_left > 0 && self->steps_left > 0)
        return false;
    if (state == ASSIGN_MORE)
        self->undecided = true;
    return self->matching ? end_matching (self, state) : end_packing (self);
}

static search_state_t search_ended (const search_t *self)
{
    return self->found                                ? SEARCH_FOUND
           : self->undecided || self->steps_left == 0 ? SEARCH_UNKNOWN
                                                      : SEARCH_NONE;
}

/*  Is the plan found as good as any later start could give? */
static bool is_good_enough (const search_t *self)
{
    bool first_counts = self->order.policy == POLICY_TIME || self->order.policy == POLICY_RANDOM;
    return self->found && (first_counts || self->found_weight <= self->least_weight);
}

/*  Begins with the next start worth a look; false when there is none. */
static bool begin_start (search_t *self)
{
    if (is_good_enough (self) || !next_start (self))
        return false;
    if (!find_fits (self) || (self->derived_count > 0 && !find_housed (self)) ||
        (self->routes && !find_served (self)))
        return true;
    self->assigning = true;
    self->start_steps_left = self->order.steps_max / START_SHARE + 1;
    if (self->request->distinct_sites)
        begin_matching (self);
    else
        begin_packing (self);
    return true;
}

search_state_t search_run (search_t *self, uint64_t steps)
{
    uint64_t stop_at = self->steps_left > steps ? self->steps_left - steps : 0;
    while (self->steps_left > stop_at) {
        if (self->assigning)
            self->assigning = !assign_here (self, self->steps_left - stop_at);
        else if (!begin_start (self))
            return self->found ? SEARCH_FOUND : self->undecided ? SEARCH_UNKNOWN : SEARCH_NONE;
    }
    return self->steps_left == 0 ? search_ended (self) : SEARCH_MORE;
}

choice_t search_choice (const search_t *self)
{
    assert (self->found);
    return (choice_t){.start_ms = self->found_start_ms,
                      .options = self->found_choice,
                      .paths = self->routes ? routes_kept (self->routes) : NULL};
}

static bool fits_alone (const search_t *self, size_t need, const option_t *option, int64_t nodes)
{
    start_windows_t view = {0};
    find_spans (self, &view, need, option, nodes);
    bool fits = view.spans_count > 0;
    start_windows_clear (&view);
    return fits;
}

bool search_alone (const search_t *self, size_t need, size_t *place, int64_t *nodes)
{
    const need_options_t *options = &self->snapshot->needs [need];
    *place = SIZE_MAX;
    *nodes = 0;
    for (size_t i = 0; i < options->options_count; i++)
        if (self->needs [need].views [i].spans_count > 0)
            return true;
    uint64_t cpus_most = 0;
    for (size_t i = 0; i < options->options_count; i++) {
        const option_t *option = &options->options [i];
        int64_t low = 0, high = option->nodes;
        while (high - low > 1) {
            int64_t middle = low + (high - low) / 2;
            if (fits_alone (self, need, option, middle))
                low = middle;
            else
                high = middle;
        }
        uint64_t cpus = (uint64_t) low * search_place_of (self, option)->cpus_per_node;
        if (cpus > cpus_most) {
            cpus_most = cpus;
            *place = option->place;
            *nodes = low;
        }
    }
    return false;
}

const snapshot_t *search_snapshot (const search_t *self)
{
    return self->snapshot;
}

const search_order_t *search_order (const search_t *self)
{
    return &self->order;
}
