/*  branch_bound - places one site after the other, each at its most promising node first.
 *
 *  All sums are doubled, so that half a distance is a whole number. A requested site's row holds
 *  what it would cost at each place: twice its CPUs and its links to placed sites, plus once, for
 *  its m links to sites not yet placed, the distances to the m nearest other places (each end
 *  counts half of a link). Rows change only for sites that are linked to the one just placed.
 *
 *  The bound of a node is the least sum of the rows. Kin share a row and take its cheapest places,
 *  each a different one. Where several kin want the same place, all but one take their next one.
 *
 *  Sites of equal cost and distance are not interchangeable once bandwidth binds; requested sites
 *  that want the same CPUs and the same links are.
 */
#include "branch_bound.h"

#include "branch_bound_state.h"
#include "must.h"

#include <string.h>

#define SETTLE_STEPS_MAX  2000 /* for the paths of one placing, at first */
#define SETTLE_STEPS_GROW 8    /* so many times more, when that was too few */

static int64_t *branch_bound_row_of (const branch_bound_t *self, size_t level, size_t site)
{
    return self->rows [level * self->sites + site];
}

static void branch_bound_leave (branch_bound_t *self, int64_t doubled)
{
    int64_t bound = (doubled + 1) / 2;
    if (bound < self->left_bound)
        self->left_bound = bound;
}

static bool no_better (const branch_bound_t *self, int64_t doubled)
{
    return (doubled + 1) / 2 >= self->best_cost;
}

/*  --- bounds --- */

/*  What is known of a node: the least doubled sum of all rows, and for each kin the cost of the
 *  last place that it takes in that sum. */
typedef struct {
    int64_t least;     /* sum of the rows, each kin by itself */
    int64_t contested; /* more, because a place takes only one site */
    int64_t lasts [PROGRAM_SITES_MAX];
} outlook_t;

typedef struct {
    uint32_t place;
    int64_t regret; /* what taking the next place instead costs at least */
} branch_bound_claim_t;

/*  The least entries of a kin's row, ascending: one for each member not placed, and one more. */
static void row_leasts (const branch_bound_t *self, const branch_bound_kin_t *kin,
                        const int64_t *row, size_t count, int64_t *costs, uint32_t *places)
{
    for (size_t i = 0; i < count; i++) {
        costs [i] = BRANCH_BOUND_NEVER;
        places [i] = BRANCH_BOUND_NOWHERE;
    }
    for (uint32_t s = kin->from; s < self->places; s++) {
        if (row [s] >= costs [count - 1] || self->used [s])
            continue;
        size_t i = count - 1;
        for (; i > 0 && costs [i - 1] > row [s]; i--) {
            costs [i] = costs [i - 1];
            places [i] = places [i - 1];
        }
        costs [i] = row [s];
        places [i] = s;
    }
}

/*  Of all that claim a place, the one with the greatest regret gets it. Returns the sum of the
 *  others' regrets. */
static int64_t regrets (const branch_bound_claim_t *claims, size_t count)
{
    int64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        bool dearest = true;
        for (size_t k = 0; k < count && dearest; k++)
            dearest = claims [k].place != claims [i].place ||
                      claims [k].regret < claims [i].regret ||
                      (claims [k].regret == claims [i].regret && k >= i);
        sum += dearest ? 0 : claims [i].regret;
    }
    return sum;
}

/*  False when a kin has too few places. */
static bool find_outlook (const branch_bound_t *self, size_t level, outlook_t *outlook)
{
    int64_t costs [PROGRAM_SITES_MAX + 1];
    uint32_t places [PROGRAM_SITES_MAX + 1];
    branch_bound_claim_t claims [PROGRAM_SITES_MAX];
    size_t claims_count = 0;
    outlook->least = 0;
    for (size_t k = 0; k < self->kin_count; k++) {
        const branch_bound_kin_t *kin = &self->kin [k];
        size_t wanting = kin->count - kin->placed;
        outlook->lasts [k] = 0;
        if (wanting == 0)
            continue;
        row_leasts (self, kin, branch_bound_row_of (self, level, kin->members [kin->placed]),
                    wanting + 1, costs, places);
        if (costs [wanting - 1] >= BRANCH_BOUND_NEVER)
            return false;
        outlook->lasts [k] = costs [wanting - 1];
        for (size_t i = 0; i < wanting; i++) {
            outlook->least += costs [i];
            claims [claims_count++] =
              (branch_bound_claim_t){.place = places [i], .regret = costs [wanting] - costs [i]};
        }
    }
    outlook->contested = regrets (claims, claims_count);
    return true;
}

/*  The bound when one of the kin takes a place of this cost. */
static int64_t bound_with_cost (const outlook_t *outlook, size_t kin, int64_t cost)
{
    int64_t more = cost > outlook->lasts [kin] ? cost - outlook->lasts [kin] : 0;
    more = more > outlook->contested ? more : outlook->contested;
    return outlook->least + more;
}

/*  --- rows --- */

/*  The cheapest place of the row after (last_cost, last_place); NOWHERE when there is none. */
static uint32_t place_next (const branch_bound_t *self, const branch_bound_kin_t *kin,
                            const int64_t *row, int64_t last_cost, uint32_t last_place)
{
    uint32_t best = BRANCH_BOUND_NOWHERE;
    int64_t best_cost = BRANCH_BOUND_NEVER;
    for (uint32_t s = kin->from; s < self->places; s++) {
        if (row [s] >= best_cost || row [s] < last_cost || self->used [s] ||
            (row [s] == last_cost && last_place != BRANCH_BOUND_NOWHERE && s <= last_place))
            continue;
        best = s;
        best_cost = row [s];
    }
    return best;
}

/*  The row of `other` after a site that it is tied to went to `place`. */
static void row_next (const branch_bound_t *self, const int64_t *before, int64_t *after,
                      const branch_bound_tie_t *tie, size_t site, uint32_t place)
{
    const int32_t *distances =
      solver_graph_distances (self->net, self->net->link_class [tie->link], self->node_of [place]);
    size_t other = tie->other;
    const branch_bound_tie_t *ties = branch_bound_ties (self, other);
    size_t count = self->ties_count [other];
    bool even = ties [0].bandwidth == ties [count - 1].bandwidth;
    size_t waiting = 0; /* its ties to sites not placed, with this one */
    for (size_t i = 0; i < count; i++)
        waiting += ties [i].other == site || !branch_bound_placed (self, ties [i].other);
    for (size_t s = 0; s < self->places; s++) {
        int32_t distance = distances [self->node_of [s]];
        after [s] = BRANCH_BOUND_NEVER;
        if (before [s] >= BRANCH_BOUND_NEVER || distance >= SOLVER_GRAPH_FAR)
            continue;
        int64_t no_more = /* with even bandwidths the farthest of the nearest places drops out */
          even ? tie->bandwidth * self->near [s * (self->sites - 1) + waiting - 1]
               : branch_bound_halves (self, other, s, site) -
                   branch_bound_halves (self, other, s, other);
        after [s] = before [s] + 2 * tie->bandwidth * distance - no_more;
    }
}

/*  The rows of the next level, after `site` went to `place`. */
static void rows_next (branch_bound_t *self, size_t level, size_t site, uint32_t place)
{
    int64_t **next = &self->rows [(level + 1) * self->sites];
    memcpy (next, &self->rows [level * self->sites], self->sites * sizeof *next);
    const branch_bound_tie_t *ties = branch_bound_ties (self, site);
    for (size_t i = 0; i < self->ties_count [site]; i++) {
        size_t other = ties [i].other;
        const branch_bound_kin_t *kin = &self->kin [self->kin_of [other]];
        if (branch_bound_placed (self, other) || kin->members [kin->placed] != other)
            continue;
        int64_t *after = &self->room [((level + 1) * self->sites + other) * (self->places + 1)];
        row_next (self, branch_bound_row_of (self, level, other), after, &ties [i], site, place);
        for (uint32_t m = kin->placed; m < kin->count; m++)
            next [kin->members [m]] = after;
    }
}

/*  Chooses the kin whose next member is placed: the one with the fewest places that could lead to a
 *  better plan; of these the one with the most links to placed sites, then with the most links. */
static size_t branch_bound_choose (const branch_bound_t *self, size_t level,
                                   const outlook_t *outlook, int64_t so_far)
{
    size_t chosen = 0;
    size_t fewest = SIZE_MAX;
    size_t most_ties = 0;
    for (size_t k = 0; k < self->kin_count; k++) {
        const branch_bound_kin_t *kin = &self->kin [k];
        if (kin->placed == kin->count)
            continue;
        size_t site = kin->members [kin->placed];
        const int64_t *row = branch_bound_row_of (self, level, site);
        size_t count = 0;
        for (uint32_t s = kin->from; s < self->places && count <= fewest; s++)
            count += row [s] < BRANCH_BOUND_NEVER && !self->used [s] &&
                     !no_better (self, so_far + bound_with_cost (outlook, k, row [s]));
        size_t ties = self->ties_count [site];
        for (size_t i = 0; i < self->ties_count [site]; i++)
            ties +=
              self->sites * branch_bound_placed (self, branch_bound_ties (self, site) [i].other);
        if (count < fewest || (count == fewest && ties > most_ties)) {
            chosen = k;
            fewest = count;
            most_ties = ties;
        }
    }
    return chosen;
}

/*  --- the search --- */

static void branch_bound_search (branch_bound_t *self, size_t level, int64_t cpus, int64_t routed);

/*  Opens the site's links to placed sites, and adds their cost by distance. False when one does not
 *  fit. */
static bool links_open (branch_bound_t *self, size_t site, int64_t *nearest)
{
    const program_t *program = self->program;
    const branch_bound_tie_t *ties = branch_bound_ties (self, site);
    bool fits = true;
    for (size_t i = 0; i < self->ties_count [site]; i++) {
        if (!branch_bound_placed (self, ties [i].other))
            continue;
        const program_link_t *link = &program->links [ties [i].link];
        uint32_t from = self->node_of [self->at [link->ends [0]]];
        uint32_t to = self->node_of [self->at [link->ends [1]]];
        const int32_t *distances =
          solver_graph_distances (self->net, self->net->link_class [ties [i].link], to);
        *nearest += ties [i].bandwidth * distances [from];
        fits = routing_open (self->routing, ties [i].link, from, to) && fits;
    }
    return fits;
}

/*  Settles the paths of all open links. *routed becomes what they cost at least. False when no
 *  better plan is left here. others: the doubled least cost of all but paths. */
static bool links_settle (branch_bound_t *self, size_t level, int64_t others, int64_t *routed)
{
    routing_keep (self->routing, level);
    int64_t limit = self->best_cost >= BRANCH_BOUND_NEVER ? BRANCH_BOUND_NEVER
                                                          : self->best_cost - (others + 1) / 2;
    routing_answer_t answer = routing_settle (self->routing, limit, self->settle_steps_max);
    if (answer == ROUTING_FITS)
        *routed = routing_cost (self->routing);
    else if (answer == ROUTING_UNKNOWN)
        branch_bound_leave (self, others + 2 * *routed);
    return answer == ROUTING_FITS || answer == ROUTING_UNSURE;
}

/*  Continues with the next member of the kin at the place. cpus: the doubled cost of all sites
 *  placed, with this one; routed: what paths cost at least, without its own; rest: the doubled
 *  least cost of all other sites. */
static void search_with (branch_bound_t *self, size_t level, branch_bound_kin_t *kin,
                         uint32_t place, int64_t cpus, int64_t routed, int64_t rest)
{
    size_t site = kin->members [kin->placed];
    size_t open = routing_open_count (self->routing);
    uint32_t from = kin->from;
    self->at [site] = place;
    self->used [place] = 1;
    kin->placed++;
    kin->from = place + 1;
    bool fits = links_open (self, site, &routed);
    if (fits || links_settle (self, level, cpus + rest, &routed)) {
        rows_next (self, level, site, place);
        branch_bound_search (self, level + 1, cpus, routed);
    }
    while (routing_open_count (self->routing) > open)
        routing_close (self->routing);
    if (!fits)
        routing_take_back (self->routing, level);
    kin->from = from;
    kin->placed--;
    self->used [place] = 0;
    self->at [site] = BRANCH_BOUND_NOWHERE;
}

/*  All sites are placed: keeps the plan if it is the best so far. */
static void branch_bound_take (branch_bound_t *self, int64_t cpus, int64_t routed)
{
    int64_t cost = cpus / 2 + routing_cost (self->routing);
    if (cost < self->best_cost) {
        self->best_cost = cost;
        for (size_t j = 0; j < self->sites; j++)
            self->best->nodes [j] = self->node_of [self->at [j]];
        routing_tell (self->routing, self->best);
        self->stopped = self->first;
    }
    if (cpus / 2 + routed < self->best_cost)
        branch_bound_leave (self, cpus + 2 * routed);
}

static void branch_bound_search (branch_bound_t *self, size_t level, int64_t cpus, int64_t routed)
{
    if (level == self->sites) {
        branch_bound_take (self, cpus, routed);
        return;
    }
    int64_t so_far = cpus + 2 * routed;
    outlook_t outlook;
    if (!find_outlook (self, level, &outlook) ||
        no_better (self, so_far + outlook.least + outlook.contested))
        return;
    if (self->stopped || !budget_step (self->budget)) {
        branch_bound_leave (self, so_far + outlook.least + outlook.contested);
        return;
    }
    size_t chosen = branch_bound_choose (self, level, &outlook, so_far);
    branch_bound_kin_t *kin = &self->kin [chosen];
    size_t site = kin->members [kin->placed];
    const int64_t *row = branch_bound_row_of (self, level, site);
    int64_t cost = 0;
    for (uint32_t place = place_next (self, kin, row, cost, BRANCH_BOUND_NOWHERE);
         place != BRANCH_BOUND_NOWHERE; place = place_next (self, kin, row, cost, place)) {
        cost = row [place];
        int64_t least = so_far + bound_with_cost (&outlook, chosen, cost);
        if (no_better (self, least))
            return;
        if (self->stopped || self->budget->over) {
            branch_bound_leave (self, least);
            return;
        }
        int64_t own = 2 * program_offer (self->program, site, self->node_of [place]);
        search_with (self, level, kin, place, cpus + own, routed,
                     outlook.least - outlook.lasts [chosen]);
    }
}

/*  What was too much work is looked at again, with more steps and the best plan so far. */
static void search_all (branch_bound_t *self)
{
    self->settle_steps_max = SETTLE_STEPS_MAX;
    for (;;) {
        self->left_bound = BRANCH_BOUND_NEVER;
        branch_bound_search (self, 0, 0, 0);
        if (self->stopped || self->budget->over || self->left_bound >= self->best_cost)
            return;
        self->settle_steps_max *= SETTLE_STEPS_GROW;
    }
}

/*  --- the answer --- */

static void branch_bound_answer_from (branch_bound_t *self, solver_answer_t *answer)
{
    bool found = self->best_cost < BRANCH_BOUND_NEVER;
    bool proven = self->left_bound >= self->best_cost;
    answer->status = found    ? proven ? SOLVER_OPTIMAL : SOLVER_FEASIBLE
                     : proven ? SOLVER_INFEASIBLE
                              : SOLVER_UNKNOWN;
    answer->bound = proven ? self->best_cost : self->left_bound;
    if (!found) {
        program_plan_destroy (&self->best);
        return;
    }
    bool right = program_plan_check (self->program, self->best);
    assert (right && self->best->cost == self->best_cost);
    answer->plan = self->best;
}

void branch_bound_solve (const program_t *program, const solver_order_t *order, budget_t *budget,
                         solver_answer_t *answer)
{
    branch_bound_t self = {
      .program = program,
      .budget = budget,
      .first = order->first,
      .sites = program->sites_count,
      .best_cost = BRANCH_BOUND_NEVER,
    };
    if (!branch_bound_find (&self)) {
        answer->status = SOLVER_INFEASIBLE;
        branch_bound_unmake (&self);
        return;
    }
    solver_graph_t *net = solver_graph_new (program, budget);
    if (net) {
        self.net = net;
        self.routing = routing_new (net, budget);
        self.best = program_plan_new (program);
        branch_bound_make (&self);
        search_all (&self);
        branch_bound_answer_from (&self, answer);
        routing_destroy (&self.routing);
        solver_graph_destroy (&net);
    } /* else unknown, bound 0 */
    branch_bound_unmake (&self);
}
