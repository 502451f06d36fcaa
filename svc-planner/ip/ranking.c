/*  ranking - solves a program for each window, and sorts the plans. */
#include "ranking.h"

#include "must.h"
#include "participant_ref.h"
#include "storage_fit.h"
#include "windows.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_HERE 500 /* of a solver here, before a process of its own is worth starting */

/*  --- what a unit costs --- */

#define AVAILABILITY "availability"
#define POWER        "power"
#define PARTS        1000000 /* lack of availability, and watts, are counted in millionths */
#define UNIT_MAX     (INT64_C (1) << 40)

/*  What the programs of S4 minimise, in whole numbers for a CPU-hour and a Gbit/s-hour. */
typedef enum {
    OBJECTIVE_PRICE,   /* what users pay (policies time and cost) */
    OBJECTIVE_WEIGHTS, /* price times a weight that the operator gives a site or domain (B) */
    OBJECTIVE_POWER,   /* the attribute "power" of classes and links: what they draw (B) */
    OBJECTIVE_QUALITY, /* 1 minus the attribute "availability" of classes and links (C). The least
                          sum of what is lacking is the best quality; a sum of qualities would
                          reward detours */
} objective_weighing_t;

/*  The attribute of this name as a number; negative when there is none. */
static double number_of (const attribute_t *attributes, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        char *end;
        if (strcmp (attributes [i].name, name) != 0)
            continue;
        double value = strtod (attributes [i].value, &end);
        return *end || end == attributes [i].value || !isfinite (value) || value < 0 ? -1 : value;
    }
    return -1;
}

/*  Its power, or its lack of availability, in PARTS; -1 when it is not stated. */
static int64_t parts_of (const attribute_t *attributes, size_t count, objective_weighing_t by)
{
    double value = number_of (attributes, count, by == OBJECTIVE_POWER ? POWER : AVAILABILITY);
    if (value < 0)
        return -1;
    if (by == OBJECTIVE_QUALITY)
        value = value > 1 ? 0 : 1 - value;
    value = value * PARTS + 0.5;
    return value >= (double) UNIT_MAX ? UNIT_MAX : (int64_t) value;
}

static int64_t objective_weight_of (const ip_settings_t *settings, const char *name)
{
    for (size_t i = 0; i < settings->weights_count; i++)
        if (strcmp (settings->weights [i].name, name) == 0)
            return settings->weights [i].number;
    return 1;
}

static int64_t weighed (const ip_settings_t *settings, objective_weighing_t by, int64_t price,
                        const char *name)
{
    int64_t weight = by == OBJECTIVE_WEIGHTS ? objective_weight_of (settings, name) : 1;
    price = price < UNIT_MAX ? price : UNIT_MAX;
    return price > UNIT_MAX / weight ? UNIT_MAX : price * weight;
}

static int64_t place_unit (const snapshot_t *snapshot, const directory_t *directory,
                           const ip_settings_t *settings, objective_weighing_t by, size_t at)
{
    const site_class_t *place = &snapshot->places [at];
    const char *name = snapshot->sources [place->source].party.name;
    if (by == OBJECTIVE_PRICE || by == OBJECTIVE_WEIGHTS)
        return weighed (settings, by, place->price, participant_ref_short_name (name));
    const directory_entry_t *entry = directory_find (directory, name);
    const node_class_t *class =
      entry && entry->site ? site_class (entry->site, place->class_name) : NULL;
    return class ? parts_of (class->attributes, class->attributes_count, by) : -1;
}

static int64_t link_unit (const snapshot_t *snapshot, const ip_settings_t *settings,
                          objective_weighing_t by, size_t at)
{
    const graph_link_t *link = graph_link (snapshot->graph, at);
    if (by == OBJECTIVE_PRICE || by == OBJECTIVE_WEIGHTS)
        return weighed (settings, by, link->link->price, link->domain);
    return parts_of (link->link->attributes, link->link->attributes_count, by);
}

/*  What states nothing counts as much as the worst that is stated, not as 0. */
static void fill_untold (int64_t *units, size_t count)
{
    int64_t most = 1;
    for (size_t i = 0; i < count; i++)
        most = units [i] > most ? units [i] : most;
    for (size_t i = 0; i < count; i++)
        units [i] = units [i] < 0 ? most : units [i];
}

static void unit_costs_weigh (unit_costs_t *self, const snapshot_t *snapshot,
                              const directory_t *directory, const ip_settings_t *settings,
                              objective_weighing_t by)
{
    self->places = must (calloc (snapshot->places_count + 1, sizeof *self->places));
    self->links = must (calloc (snapshot->links_count + 1, sizeof *self->links));
    for (size_t i = 0; i < snapshot->places_count; i++)
        self->places [i] = place_unit (snapshot, directory, settings, by, i);
    for (size_t i = 0; i < snapshot->links_count; i++)
        self->links [i] = link_unit (snapshot, settings, by, i);
    fill_untold (self->places, snapshot->places_count);
    fill_untold (self->links, snapshot->links_count);
}

static void unit_costs_clear (unit_costs_t *self)
{
    free (self->places);
    free (self->links);
    *self = (unit_costs_t){0};
}

/*  --- the windows --- */

/*  A window whose program is solved elsewhere. */
typedef struct {
    prng_t drawn; /* the random source before its program was made */
    bool out;
    bool back;
    bool ok;
    packed_t result;
} out_t;

struct ranking {
    ranking_order_t order;
    unit_costs_t costs;
    programs_t *programs; /* NULL: the request can't be written as a program */
    window_plan_t *candidates;
    size_t count;
    prng_t *prng;
    out_t *outs;       /* by window */
    size_t outs_count; /* windows that are out and not back */
    size_t window;     /* the next one to look at */
    size_t next;       /* of the list */
    ranking_tally_t tally;
};

/*  The user's policy counts; where it is about time only, the operator's choice (S4 3.4). */
static objective_weighing_t weighing_of (const ranking_order_t *order)
{
    if (order->policy == POLICY_QUALITY)
        return OBJECTIVE_QUALITY;
    if (order->policy == POLICY_COST)
        return OBJECTIVE_PRICE;
    switch (order->settings->balance) {
    case BALANCE_WEIGHTS:
        return OBJECTIVE_WEIGHTS;
    case BALANCE_POWER:
        return OBJECTIVE_POWER;
    case BALANCE_EVEN:
    case BALANCE_NONE:
        break;
    }
    return OBJECTIVE_PRICE;
}

ranking_t *ranking_new (const ranking_order_t *order, prng_t *prng)
{
    assert (order->windows > 0);
    ranking_t *self = must (calloc (1, sizeof *self));
    self->order = *order;
    self->prng = prng;
    self->outs = must (calloc (order->windows, sizeof *self->outs));
    self->candidates = must (calloc (order->windows, sizeof *self->candidates));
    self->tally.windows = order->windows;
    unit_costs_weigh (&self->costs, order->snapshot, order->directory, order->settings,
                      weighing_of (order));
    self->programs =
      programs_new (&(programs_order_t){.snapshot = order->snapshot,
                                        .search = &self->order.search,
                                        .costs = &self->costs,
                                        .even = order->settings->balance == BALANCE_EVEN,
                                        .visible = order->visible,
                                        .hops_max = order->settings->hops_max},
                    prng, self->tally.why);
    return self;
}

void ranking_destroy (ranking_t **self_p)
{
    ranking_t *self = *self_p;
    *self_p = NULL;
    if (!self)
        return;
    for (size_t i = 0; i < self->count; i++)
        candidate_clear (&self->candidates [i]);
    for (size_t i = 0; i < self->order.windows; i++)
        free (self->outs [i].result.data);
    free (self->outs);
    programs_destroy (&self->programs);
    unit_costs_clear (&self->costs);
    free (self->candidates);
    free (self);
}

static int64_t start_of (const ranking_t *self, size_t window)
{
    return windows_start (&self->order.search.starts, self->order.windows, window);
}

/*  Counts an answer about the program that was made last, and keeps its plan. */
static void ranking_take (ranking_t *self, solver_answer_t *answer)
{
    self->tally.proven += answer->status == SOLVER_INFEASIBLE;
    self->tally.unknown += answer->status == SOLVER_UNKNOWN;
    if (answer->plan && programs_read (self->programs, answer->plan,
                                       &self->candidates [self->count], self->tally.why))
        self->count++;
    else
        self->tally.unknown += answer->plan != NULL;
    program_plan_destroy (&answer->plan);
}

/*  False when it takes so long that it should be done elsewhere. */
static bool solve_here (ranking_t *self, const program_t *program, const solver_order_t *order)
{
    solver_order_t here = *order;
    bool aside = self->order.settings->workers > 0;
    if (aside && order->kind != SOLVER_AUTO)
        return false;
    if (aside && here.limit.steps_max > STEPS_HERE)
        here.limit.steps_max = STEPS_HERE;
    solver_answer_t answer;
    solver_run (program, &here, &answer);
    bool over = answer.status == SOLVER_OPTIMAL || answer.status == SOLVER_INFEASIBLE ||
                (answer.plan && order->first) || here.limit.steps_max == order->limit.steps_max;
    if (over)
        ranking_take (self, &answer);
    program_plan_destroy (&answer.plan);
    return over;
}

static void ranking_look_at (ranking_t *self, size_t window, aside_t *aside)
{
    const ip_settings_t *settings = self->order.settings;
    solver_order_t order = {.kind = settings->solver,
                            .first = settings->first,
                            .limit = {.steps_max = settings->steps_max}};
    self->outs [window].drawn = *self->prng;
    const program_t *program = programs_at (self->programs, start_of (self, window));
    if (!program) {
        self->tally.proven++;
        return;
    }
    if (solve_here (self, program, &order))
        return;
    *aside = (aside_t){.window = window, .order = solving_order_encode (program, &order)};
    self->outs [window].out = true;
    self->outs_count++;
}

bool ranking_step (ranking_t *self, aside_t *aside)
{
    *aside = (aside_t){0};
    if (self->programs && self->window < self->order.windows)
        ranking_look_at (self, self->window++, aside);
    return self->programs && self->window < self->order.windows;
}

void ranking_solved (ranking_t *self, size_t window, bool ok, bytes_t result)
{
    out_t *out = &self->outs [window];
    assert (out->out && !out->back && self->outs_count > 0);
    self->outs_count--;
    out->back = true;
    out->ok = ok;
    out->result = packed_copy (result);
}

bool ranking_waits (const ranking_t *self)
{
    return self->outs_count > 0;
}

/*  Takes the answers of windows that were solved elsewhere, in the order of the windows. */
static void take_back (ranking_t *self, size_t window)
{
    out_t *out = &self->outs [window];
    if (!out->out)
        return;
    if (!out->back || (!out->ok && out->result.size == 0)) {
        self->tally.late++;
        return;
    }
    if (!out->ok) {
        self->tally.unknown++;
        self->tally.broken = true;
        snprintf (self->tally.why, sizeof self->tally.why, "%.*s", (int) out->result.size,
                  (const char *) out->result.data);
        return;
    }
    const program_t *program = programs_again (self->programs, start_of (self, window), out->drawn);
    solver_answer_t answer;
    int64_t spent_us;
    (void) solving_answer_decode (packed_bytes (out->result), program, &answer,
                                  &spent_us); /* an unusable answer counts as unknown */
    ranking_take (self, &answer);
}

/*  By rank, then by start. */
static int by_rank (const void *a, const void *b)
{
    const window_plan_t *first = a;
    const window_plan_t *second = b;
    if (first->rank != second->rank)
        return first->rank < second->rank ? -1 : 1;
    return (first->start_ms > second->start_ms) - (first->start_ms < second->start_ms);
}

void ranking_close (ranking_t *self)
{
    policy_t policy = self->order.policy;
    for (size_t i = 0; i < self->window; i++)
        take_back (self, i);
    self->tally.plans = self->count;
    self->tally.late += self->order.windows - self->window;
    self->window = self->order.windows;
    for (size_t i = 0; i < self->count; i++) {
        window_plan_t *candidate = &self->candidates [i];
        candidate->rank = policy == POLICY_COST      ? candidate->price
                          : policy == POLICY_QUALITY ? candidate->weight
                                                     : 0;
    }
    qsort (self->candidates, self->count, sizeof *self->candidates, by_rank);
    solver_rest ();
}

/*  --- the list --- */

static bool need_stands (const ranking_t *self, const window_plan_t *plan, size_t need)
{
    const snapshot_t *snapshot = self->order.snapshot;
    const option_t *option = &snapshot->needs [need].options [plan->choice [need]];
    const site_class_t *place = &snapshot->places [option->place];
    int64_t from_ms = plan->start_ms + snapshot->request->compute [need].offset_ms;
    if (snapshot->request->compute [need].derived.kind == DERIVED_STORAGE)
        return storage_fits_beside (&(storage_question_t){.snapshot = snapshot,
                                                          .search = &self->order.search,
                                                          .visible = 100,
                                                          .start_ms = plan->start_ms},
                                    need, plan->choice);
    return !snapshot->sources [place->source].left_out &&
           free_profile_least (&place->free_profile, from_ms,
                               from_ms + need_duration (snapshot->request, need)) >= option->nodes;
}

static bool path_stands (const ranking_t *self, const window_plan_t *plan, size_t need)
{
    const snapshot_t *snapshot = self->order.snapshot;
    const path_t *path = &plan->paths [need];
    int64_t from_ms;
    int64_t until_ms;
    network_need_interval (snapshot->request, need, &from_ms, &until_ms);
    for (size_t i = 0; i < path->links_count; i++) {
        const snapshot_link_t *link = &snapshot->links [path->links [i]];
        if (snapshot->sources [link->source].left_out ||
            free_profile_least (&link->free_profile, plan->start_ms + from_ms,
                                plan->start_ms + until_ms) < snapshot->request->network [need].mbps)
            return false;
    }
    return true;
}

static bool ranking_stands (const ranking_t *self, const window_plan_t *plan)
{
    const user_request_t *request = self->order.snapshot->request;
    for (size_t i = 0; i < request->compute_count; i++)
        if (!need_stands (self, plan, i))
            return false;
    for (size_t i = 0; i < request->network_count; i++)
        if (!path_stands (self, plan, i))
            return false;
    return true;
}

bool ranking_next (ranking_t *self)
{
    while (self->next < self->count && !ranking_stands (self, &self->candidates [self->next]))
        self->next++;
    if (self->next == self->count)
        return false;
    self->next++;
    return true;
}

const window_plan_t *ranking_plan (const ranking_t *self)
{
    assert (self->next > 0);
    return &self->candidates [self->next - 1];
}

const ranking_tally_t *ranking_tally (const ranking_t *self)
{
    return &self->tally;
}
