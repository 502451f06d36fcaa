/*  placing - sites one after the other, each at its most promising node first.
 *
 *  All sums are doubled, so that half a distance is a whole number. A node's row of a requested
 * site holds what it would cost there: twice its CPUs and its links to placed sites, and once, for
 * the m links to sites not yet placed, the m nearest other places (each link counts half at either
 * end). Rows change only for sites that are linked to the one just placed.
 *
 *  Sites of equal cost and distance are not interchangeable once bandwidth binds; requested sites
 *  that want the same of the same are, and are kept in one order.
 */
#include "placing.h"

#include "must.h"
#include "routing.h"

#include <string.h>

#define NEVER            (INT64_MAX / 8) /* a cost that rules a place out */
#define SETTLE_STEPS_MAX 400 /* for paths at one placing, at first */
#define SETTLE_STEPS_GROW 8 /* times as many, when that was too few */
#define NOWHERE          UINT32_MAX

typedef struct {
    uint32_t link;
    uint32_t other; /* requested site */
    int64_t bandwidth;
} tie_t;

typedef struct {
    const program_t *program;
    const net_t *net;
    routing_t *routing;
    spending_t *spending;
    bool first;
    size_t sites;      /* requested */
    size_t places;     /* nodes that might do for some */
    uint32_t *node_of; /* by place */
    tie_t *ties;       /* of requested site j: ties [j * sites], by descending bandwidth */
    size_t *ties_count;
    uint8_t *alike; /* requested sites that may change places, by pair */
    int32_t *near;  /* by place: distances to the sites - 1 nearest others, ascending */
    int64_t **rows; /* by level and requested site */
    int64_t *room;  /* the rows' memory, the same way */
    uint32_t *at;   /* place of each requested site */
    uint8_t *used;  /* places */

    program_plan_t *best;
    int64_t best_cost;  /* NEVER: none */
    int64_t left_bound; /* what is not looked at costs so much at least; NEVER: nothing is left */
    uint64_t settle_steps_max;
    bool stopped;
} placing_t;

static int64_t *row_of (const placing_t *self, size_t level, size_t site)
{
    return self->rows [level * self->sites + site];
}

static size_t placed (const placing_t *self, size_t site)
{
    return self->at [site] != NOWHERE;
}

/*  --- the frame --- */

static int tie_compare (const void *a, const void *b)
{
    const tie_t *left = a;
    const tie_t *right = b;
    if (left->bandwidth != right->bandwidth)
        return left->bandwidth > right->bandwidth ? -1 : 1;
    return left->link < right->link ? -1 : 1;
}

static void ties_find (placing_t *self)
{
    const program_t *program = self->program;
    self->ties = must (malloc (self->sites * self->sites * sizeof *self->ties));
    self->ties_count = must (calloc (self->sites, sizeof *self->ties_count));
    for (size_t l = 0; l < program->links_count; l++) {
        const program_link_t *link = &program->links [l];
        for (size_t side = 0; side < 2 && link->bandwidth > 0; side++) {
            size_t site = link->ends [side];
            self->ties [site * self->sites + self->ties_count [site]++] = (tie_t){
              .link = (uint32_t) l, .other = link->ends [1 - side], .bandwidth = link->bandwidth};
        }
    }
    for (size_t j = 0; j < self->sites; j++)
        if (self->ties_count [j] > 1)
            qsort (&self->ties [j * self->sites], self->ties_count [j], sizeof *self->ties,
                   tie_compare);
}

/*  What site a has to do with site c: the bandwidth, and where directions count, its sign. */
static int64_t tie_between (const placing_t *self, size_t a, size_t c)
{
    for (size_t i = 0; i < self->ties_count [a]; i++) {
        const tie_t *tie = &self->ties [a * self->sites + i];
        if (tie->other != c)
            continue;
        bool back = self->program->reading == PROGRAM_DIRECTED &&
                    self->program->links [tie->link].ends [0] != a;
        return back ? -tie->bandwidth : tie->bandwidth;
    }
    return 0;
}

static bool sites_alike (const placing_t *self, size_t a, size_t b)
{
    if (self->program->cpus [a] != self->program->cpus [b] ||
        self->ties_count [a] != self->ties_count [b])
        return false;
    if (self->program->reading == PROGRAM_DIRECTED && tie_between (self, a, b) != 0)
        return false;
    for (size_t c = 0; c < self->sites; c++)
        if (c != a && c != b && tie_between (self, a, c) != tie_between (self, b, c))
            return false;
    return true;
}

static void alike_find (placing_t *self)
{
    self->alike = must (calloc (self->sites * self->sites, 1));
    for (size_t a = 0; a < self->sites; a++)
        for (size_t b = a + 1; b < self->sites; b++)
            self->alike [a * self->sites + b] = self->alike [b * self->sites + a] =
              sites_alike (self, a, b);
}

static void places_find (placing_t *self)
{
    const program_t *program = self->program;
    int64_t least = INT64_MAX;
    for (size_t j = 0; j < self->sites; j++)
        least = program->cpus [j] < least ? program->cpus [j] : least;
    self->node_of = must (malloc (program->nodes_count * sizeof *self->node_of));
    for (size_t i = 0; i < program->nodes_count; i++)
        if (program->nodes [i].cpus >= least)
            self->node_of [self->places++] = (uint32_t) i;
}

/*  The nearest others of each place: a short list kept in order. */
static void near_find (placing_t *self)
{
    size_t most = self->sites - 1;
    self->near = must (malloc ((self->places * most + 1) * sizeof *self->near));
    if (self->net->classes_count == 0)
        return;
    for (size_t s = 0; s < self->places; s++) {
        int32_t *near = &self->near [s * most];
        const int32_t *distances =
          net_distances (self->net, self->net->class_widest, self->node_of [s]);
        for (size_t k = 0; k < most; k++)
            near [k] = NET_FAR;
        for (size_t t = 0; t < self->places; t++) {
            int32_t distance = distances [self->node_of [t]];
            if (t == s || most == 0 || distance >= near [most - 1])
                continue;
            size_t k = most - 1;
            for (; k > 0 && near [k - 1] > distance; k--)
                near [k] = near [k - 1];
            near [k] = distance;
        }
    }
}

/*  What the links of a site at a place to sites not placed cost at least, and that once: the
 * nearest places serve the greatest bandwidths. `also` counts as not placed. */
static int64_t halves (const placing_t *self, size_t site, size_t place, size_t also)
{
    const int32_t *near = &self->near [place * (self->sites - 1)];
    int64_t sum = 0;
    for (size_t i = 0; i < self->ties_count [site]; i++) {
        const tie_t *tie = &self->ties [site * self->sites + i];
        if (placed (self, tie->other) && tie->other != also)
            continue;
        if (*near >= NET_FAR)
            return NEVER;
        sum += tie->bandwidth * *near++;
    }
    return sum;
}

/*  Has the node bandwidth enough for all links of the site? */
static bool can_leave (const placing_t *self, size_t site, uint32_t node)
{
    const net_t *net = self->net;
    const tie_t *ties = &self->ties [site * self->sites];
    size_t count = self->ties_count [site];
    if (count == 0)
        return true;
    int64_t wanted = 0;
    for (size_t i = 0; i < count; i++)
        wanted += ties [i].bandwidth;
    int64_t least = ties [count - 1].bandwidth;
    bool even = ties [0].bandwidth == least;
    int64_t free = 0;
    for (uint32_t a = net->starts [node]; a < net->starts [node + 1] && free < wanted; a++) {
        int64_t pool = net->free [net->arcs [a].pool];
        if (pool >= least) /* links that go both ways may draw on two pools */
            free += (self->program->reading == PROGRAM_DIRECTED ? 2 : 1) *
                    (even ? pool / least * least : pool);
    }
    return free >= wanted;
}

static void rows_begin (placing_t *self)
{
    const program_t *program = self->program;
    size_t row = self->places + 1;
    self->room = must (malloc ((self->sites + 1) * self->sites * row * sizeof *self->room));
    self->rows = must (malloc ((self->sites + 1) * self->sites * sizeof *self->rows));
    for (size_t j = 0; j < self->sites; j++) {
        int64_t *costs = self->rows [j] = &self->room [j * row];
        for (size_t s = 0; s < self->places; s++) {
            uint32_t node = self->node_of [s];
            costs [s] = NEVER;
            if (program->nodes [node].cpus < program->cpus [j] || !can_leave (self, j, node))
                continue;
            int64_t later = halves (self, j, s, j);
            if (later < NEVER)
                costs [s] = 2 * program->nodes [node].unit_cost * program->cpus [j] + later;
        }
    }
}

/*  Are there places for all, as far as CPUs go? Those who want more fit wherever those fit who want
 *  still more, so counting suffices. */
static bool places_suffice (const placing_t *self)
{
    const program_t *program = self->program;
    for (size_t j = 0; j < self->sites; j++) {
        size_t places = 0;
        size_t wanting = 0;
        for (size_t s = 0; s < self->places; s++)
            places += program->nodes [self->node_of [s]].cpus >= program->cpus [j];
        for (size_t k = 0; k < self->sites; k++)
            wanting += program->cpus [k] >= program->cpus [j];
        if (places < wanting)
            return false;
    }
    return true;
}

/*  --- the search --- */

static void leave (placing_t *self, int64_t doubled)
{
    int64_t bound = (doubled + 1) / 2;
    if (bound < self->left_bound)
        self->left_bound = bound;
}

static bool worse (const placing_t *self, int64_t doubled)
{
    return (doubled + 1) / 2 >= self->best_cost;
}

/*  The rows of the next level, after `site` went to `place`. */
static void rows_next (placing_t *self, size_t level, size_t site, uint32_t place)
{
    size_t row = self->places + 1;
    int64_t **next = &self->rows [(level + 1) * self->sites];
    memcpy (next, &self->rows [level * self->sites], self->sites * sizeof *next);
    for (size_t i = 0; i < self->ties_count [site]; i++) {
        const tie_t *tie = &self->ties [site * self->sites + i];
        size_t other = tie->other;
        if (placed (self, other))
            continue;
        const int64_t *before = row_of (self, level, other);
        int64_t *after = next [other] = &self->room [((level + 1) * self->sites + other) * row];
        const int32_t *distances =
          net_distances (self->net, self->net->link_class [tie->link], self->node_of [place]);
        for (size_t s = 0; s < self->places; s++) {
            int32_t distance = distances [self->node_of [s]];
            after [s] = NEVER;
            if (before [s] >= NEVER || distance >= NET_FAR)
                continue;
            after [s] = before [s] + 2 * tie->bandwidth * distance - halves (self, other, s, site) +
                        halves (self, other, s, other);
        }
    }
}

/*  Requested sites that may change places stand in one order. */
static bool in_order (const placing_t *self, size_t site, size_t place)
{
    const uint8_t *alike = &self->alike [site * self->sites];
    for (size_t k = 0; k < self->sites; k++)
        if (alike [k] && placed (self, k) && (k < site) != (self->at [k] < place))
            return false;
    return true;
}

/*  The least of a row over places that are free. */
static int64_t row_least (const placing_t *self, const int64_t *row)
{
    int64_t least = NEVER;
    for (size_t s = 0; s < self->places; s++)
        if (row [s] < least && !self->used [s])
            least = row [s];
    return least;
}

/*  Who is placed next: of the fewest places that could still lead to something better; of these the
 *  one with the most links to placed sites, then with the most links. */
static size_t choose (const placing_t *self, size_t level, const int64_t *leasts, int64_t sum)
{
    size_t chosen = self->sites;
    size_t fewest = SIZE_MAX;
    size_t most_ties = 0;
    for (size_t j = 0; j < self->sites; j++) {
        if (placed (self, j))
            continue;
        const int64_t *row = row_of (self, level, j);
        size_t count = 0;
        for (size_t s = 0; s < self->places; s++)
            count += row [s] < NEVER && !self->used [s] &&
                     !worse (self, sum - leasts [j] + row [s]) && in_order (self, j, s);
        size_t ties = self->ties_count [j];
        for (size_t i = 0; i < self->ties_count [j]; i++)
            ties += self->sites * placed (self, self->ties [j * self->sites + i].other);
        if (count < fewest || (count == fewest && ties > most_ties)) {
            chosen = j;
            fewest = count;
            most_ties = ties;
        }
    }
    return chosen;
}

/*  The free place of the least cost in the row after (last_cost, last_place); NOWHERE when none. */
static uint32_t place_next (const placing_t *self, const int64_t *row, int64_t last_cost,
                            uint32_t last_place)
{
    uint32_t best = NOWHERE;
    for (uint32_t s = 0; s < self->places; s++) {
        if (self->used [s] || row [s] < last_cost || row [s] >= NEVER ||
            (row [s] == last_cost && last_place != NOWHERE && s <= last_place))
            continue;
        if (best == NOWHERE || row [s] < row [best])
            best = s;
    }
    return best;
}

static void search (placing_t *self, size_t level, int64_t cpus, int64_t routed);

/*  Opens the site's links to placed sites; tells what they cost by their distances. */
static bool links_open (placing_t *self, size_t site, int64_t *nearest)
{
    const program_t *program = self->program;
    bool fits = true;
    for (size_t i = 0; i < self->ties_count [site]; i++) {
        const tie_t *tie = &self->ties [site * self->sites + i];
        if (!placed (self, tie->other))
            continue;
        const program_link_t *link = &program->links [tie->link];
        uint32_t from = self->node_of [self->at [link->ends [0]]];
        uint32_t to = self->node_of [self->at [link->ends [1]]];
        *nearest +=
          tie->bandwidth * net_distances (self->net, self->net->link_class [tie->link], to) [from];
        fits = routing_open (self->routing, tie->link, from, to) && fits;
    }
    return fits;
}

/*  With the site at the place. `cpus`: doubled cost of all placed with this one; `routed`: what
 * paths cost at least, without its; `rest`: the doubled least of all others. */
static void search_with (placing_t *self, size_t level, size_t site, uint32_t place, int64_t cpus,
                         int64_t routed, int64_t rest)
{
    size_t open = routing_open_count (self->routing);
    self->at [site] = place;
    self->used [place] = 1;
    int64_t least = routed;
    bool settled = false;
    bool good = true;
    if (!links_open (self, site, &least)) {
        settled = true;
        routing_keep (self->routing, level);
        int64_t limit = self->best_cost >= NEVER ? NEVER : self->best_cost - (cpus + rest + 1) / 2;
        switch (routing_settle (self->routing, limit, self->settle_steps_max)) {
        case ROUTING_FITS:
            least = routing_cost (self->routing);
            break;
        case ROUTING_UNSURE:
            break;
        case ROUTING_NONE:
            good = false;
            break;
        case ROUTING_UNKNOWN:
            leave (self, cpus + 2 * least + rest);
            good = false;
            break;
        }
    }
    if (good) {
        rows_next (self, level, site, place);
        search (self, level + 1, cpus, least);
    }
    while (routing_open_count (self->routing) > open)
        routing_close (self->routing);
    if (settled)
        routing_take_back (self->routing, level);
    self->used [place] = 0;
    self->at [site] = NOWHERE;
}

/*  All are placed. */
static void take (placing_t *self, int64_t cpus, int64_t routed)
{
    int64_t cost = cpus / 2 + routing_cost (self->routing);
    if (cost < self->best_cost) {
        self->best_cost = cost;
        for (size_t j = 0; j < self->sites; j++)
            self->best->nodes [j] = self->node_of [self->at [j]];
        routing_tell (self->routing, self->best);
        self->best->cost = cost;
        self->stopped = self->stopped || self->first;
    }
    if (cpus / 2 + routed < self->best_cost)
        leave (self, cpus + 2 * routed);
}

static void search (placing_t *self, size_t level, int64_t cpus, int64_t routed)
{
    if (level == self->sites) {
        take (self, cpus, routed);
        return;
    }
    int64_t leasts [PROGRAM_SITES_MAX];
    int64_t sum = cpus + 2 * routed;
    for (size_t j = 0; j < self->sites; j++) {
        if (placed (self, j))
            continue;
        leasts [j] = row_least (self, row_of (self, level, j));
        if (leasts [j] >= NEVER)
            return;
        sum += leasts [j];
    }
    if (worse (self, sum))
        return;
    if (self->stopped || !spending_step (self->spending)) {
        self->stopped = true;
        leave (self, sum);
        return;
    }
    size_t site = choose (self, level, leasts, sum);
    const int64_t *row = row_of (self, level, site);
    int64_t rest = sum - cpus - 2 * routed - leasts [site];
    int64_t cost = 0;
    for (uint32_t place = place_next (self, row, cost, NOWHERE); place != NOWHERE;
         place = place_next (self, row, cost, place)) {
        cost = row [place];
        if (worse (self, sum - leasts [site] + cost))
            return;
        if (self->stopped || self->spending->over) {
            leave (self, sum - leasts [site] + cost);
            return;
        }
        if (!in_order (self, site, place))
            continue;
        int64_t own =
          2 * self->program->nodes [self->node_of [place]].unit_cost * self->program->cpus [site];
        search_with (self, level, site, place, cpus + own, routed, rest);
    }
}

/*  --- the answer --- */

static void placing_free (placing_t *self)
{
    routing_destroy (&self->routing);
    free (self->node_of);
    free (self->ties);
    free (self->ties_count);
    free (self->alike);
    free (self->near);
    free (self->rows);
    free (self->room);
    free (self->at);
    free (self->used);
}

static void answer_from (placing_t *self, solver_answer_t *answer)
{
    bool found = self->best_cost < NEVER;
    bool proven = self->left_bound >= self->best_cost;
    answer->status = found    ? proven ? SOLVER_OPTIMAL : SOLVER_FEASIBLE
                     : proven ? SOLVER_INFEASIBLE
                              : SOLVER_UNKNOWN;
    answer->bound = proven ? self->best_cost : self->left_bound;
    if (!found) {
        program_plan_destroy (&self->best);
        return;
    }
    if (!program_plan_check (self->program, self->best) || self->best->cost != self->best_cost)
        abort (); /* we are wrong */
    answer->plan = self->best;
}

void placing_solve (const program_t *program, const solver_order_t *order, spending_t *spending,
                    solver_answer_t *answer)
{
    placing_t self = {
      .program = program,
      .spending = spending,
      .first = order->first,
      .sites = program->sites_count,
      .best_cost = NEVER,
      .left_bound = NEVER,
    };
    places_find (&self);
    if (!places_suffice (&self)) {
        answer->status = SOLVER_INFEASIBLE;
        free (self.node_of);
        return;
    }
    net_t *net = net_new (program, spending);
    if (!net) {
        free (self.node_of);
        return; /* unknown, bound 0 */
    }
    self.net = net;
    self.routing = routing_new (net, spending);
    self.at = must (malloc (self.sites * sizeof *self.at));
    self.used = must (calloc (self.places + 1, 1));
    memset (self.at, 0xff, self.sites * sizeof *self.at);
    self.best = program_plan_new (program);
    ties_find (&self);
    alike_find (&self);
    near_find (&self);
    rows_begin (&self);
    /* What was too much work the first time is looked at again, with the best plan so far. */
    for (self.settle_steps_max = SETTLE_STEPS_MAX;;
         self.settle_steps_max *= SETTLE_STEPS_GROW) {
        self.left_bound = NEVER;
        search (&self, 0, 0, 0);
        if (self.stopped || spending->over || self.left_bound >= self.best_cost)
            break;
    }
    answer_from (&self, answer);
    placing_free (&self);
    net_destroy (&net);
}
