/*  branch_bound_make - what is known of a program before anything is placed. */
#include "branch_bound_state.h"

#include "must.h"

#include <string.h>

/*  --- places --- */

/*  Where a site fits, any site that wants less fits as well; so counting suffices. */
static bool places_suffice (const branch_bound_t *self)
{
    const program_t *program = self->program;
    if (program->offers)
        return self->places >= self->sites;
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

static bool offers_any (const branch_bound_t *self, size_t node)
{
    for (size_t j = 0; j < self->sites; j++)
        if (program_offer (self->program, j, node) != PROGRAM_BARRED)
            return true;
    return false;
}

bool branch_bound_find (branch_bound_t *self)
{
    const program_t *program = self->program;
    self->node_of = must (calloc (program->nodes_count, sizeof *self->node_of));
    for (size_t i = 0; i < program->nodes_count; i++)
        if (offers_any (self, i))
            self->node_of [self->places++] = (uint32_t) i;
    return places_suffice (self);
}

/*  --- ties and kin --- */

static int tie_compare (const void *a, const void *b)
{
    const branch_bound_tie_t *left = a;
    const branch_bound_tie_t *right = b;
    if (left->bandwidth != right->bandwidth)
        return left->bandwidth > right->bandwidth ? -1 : 1;
    return left->link < right->link ? -1 : 1;
}

static void ties_find (branch_bound_t *self)
{
    const program_t *program = self->program;
    self->ties = must (calloc (self->sites * self->sites, sizeof *self->ties));
    self->ties_count = must (calloc (self->sites, sizeof *self->ties_count));
    for (size_t l = 0; l < program->links_count; l++) {
        const program_link_t *link = &program->links [l];
        for (size_t side = 0; side < 2 && link->bandwidth > 0; side++) {
            size_t site = link->ends [side];
            self->ties [site * self->sites + self->ties_count [site]++] = (branch_bound_tie_t){
              .link = (uint32_t) l, .other = link->ends [1 - side], .bandwidth = link->bandwidth};
        }
    }
    for (size_t j = 0; j < self->sites; j++)
        if (self->ties_count [j] > 1)
            qsort (&self->ties [j * self->sites], self->ties_count [j], sizeof *self->ties,
                   tie_compare);
}

/*  The bandwidth of the link between sites a and c; where directions count, negative from c to
 *  a. */
static int64_t tie_between (const branch_bound_t *self, size_t a, size_t c)
{
    const branch_bound_tie_t *ties = branch_bound_ties (self, a);
    for (size_t i = 0; i < self->ties_count [a]; i++) {
        if (ties [i].other != c)
            continue;
        bool back = self->program->reading == PROGRAM_DIRECTED &&
                    self->program->links [ties [i].link].ends [0] != a;
        return back ? -ties [i].bandwidth : ties [i].bandwidth;
    }
    return 0;
}

/*  The edges that the tie between two sites may not use; NULL where there is none. */
static const uint8_t *bars_between (const branch_bound_t *self, size_t a, size_t c)
{
    const branch_bound_tie_t *ties = branch_bound_ties (self, a);
    for (size_t i = 0; i < self->ties_count [a]; i++)
        if (ties [i].other == c)
            return &self->program->barred [ties [i].link * self->program->edges_count];
    return NULL;
}

static bool bars_alike (const branch_bound_t *self, size_t a, size_t b, size_t c)
{
    const uint8_t *one = bars_between (self, a, c);
    return !one || memcmp (one, bars_between (self, b, c), self->program->edges_count) == 0;
}

static bool offers_alike (const program_t *program, size_t a, size_t b)
{
    size_t row = program->nodes_count;
    return program->offers ? memcmp (&program->offers [a * row], &program->offers [b * row],
                                     row * sizeof *program->offers) == 0
                           : program->cpus [a] == program->cpus [b];
}

static bool sites_alike (const branch_bound_t *self, size_t a, size_t b)
{
    if (!offers_alike (self->program, a, b) || self->ties_count [a] != self->ties_count [b])
        return false;
    if (self->program->reading == PROGRAM_DIRECTED && tie_between (self, a, b) != 0)
        return false;
    for (size_t c = 0; c < self->sites; c++)
        if (c != a && c != b &&
            (tie_between (self, a, c) != tie_between (self, b, c) ||
             (self->program->barred && !bars_alike (self, a, b, c))))
            return false;
    return true;
}

/*  Being alike is an equivalence, so comparing with the first member suffices. */
static void kin_find (branch_bound_t *self)
{
    self->kin = must (calloc (self->sites, sizeof *self->kin));
    self->kin_of = must (malloc (self->sites * sizeof *self->kin_of));
    for (size_t j = 0; j < self->sites; j++) {
        size_t k = 0;
        while (k < self->kin_count && !sites_alike (self, self->kin [k].members [0], j))
            k++;
        self->kin_count += k == self->kin_count;
        self->kin [k].members [self->kin [k].count++] = (uint32_t) j;
        self->kin_of [j] = (uint32_t) k;
    }
}

/*  --- what places cost --- */

/*  The nearest others of each place: a short list kept in order. */
static void near_find (branch_bound_t *self)
{
    size_t most = self->sites - 1;
    self->near = must (malloc ((self->places * most + 1) * sizeof *self->near));
    if (self->net->classes_count == 0)
        return;
    for (size_t s = 0; s < self->places; s++) {
        int32_t *near = &self->near [s * most];
        const int32_t *distances =
          solver_graph_distances (self->net, self->net->class_widest, self->node_of [s]);
        for (size_t k = 0; k < most; k++)
            near [k] = SOLVER_GRAPH_FAR;
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

int64_t branch_bound_halves (const branch_bound_t *self, size_t site, size_t place, size_t also)
{
    const int32_t *near = &self->near [place * (self->sites - 1)];
    const branch_bound_tie_t *ties = branch_bound_ties (self, site);
    int64_t sum = 0;
    for (size_t i = 0; i < self->ties_count [site]; i++) {
        if (branch_bound_placed (self, ties [i].other) && ties [i].other != also)
            continue;
        if (*near >= SOLVER_GRAPH_FAR)
            return BRANCH_BOUND_NEVER;
        sum += ties [i].bandwidth * *near++;
    }
    return sum;
}

/*  Does the node have bandwidth enough for all links of the site? */
static bool can_leave (const branch_bound_t *self, size_t site, uint32_t node)
{
    const solver_graph_t *net = self->net;
    const branch_bound_tie_t *ties = branch_bound_ties (self, site);
    size_t count = self->ties_count [site];
    if (count == 0)
        return true;
    int64_t wanted = 0;
    for (size_t i = 0; i < count; i++)
        wanted += ties [i].bandwidth;
    int64_t least = ties [count - 1].bandwidth;
    bool even = ties [0].bandwidth == least;
    int64_t room = 0;
    for (uint32_t a = net->starts [node]; a < net->starts [node + 1] && room < wanted; a++) {
        int64_t pool = net->free [net->arcs [a].pool];
        if (pool >= least) /* links that go both ways may draw on two pools */
            room += (self->program->reading == PROGRAM_DIRECTED ? 2 : 1) *
                    (even ? pool - pool % least : pool);
    }
    return room >= wanted;
}

static void rows_begin (branch_bound_t *self)
{
    const program_t *program = self->program;
    size_t row = self->places + 1;
    self->room = must (malloc ((self->sites + 1) * self->sites * row * sizeof *self->room));
    self->rows = must (malloc ((self->sites + 1) * self->sites * sizeof *self->rows));
    for (size_t k = 0; k < self->kin_count; k++) {
        size_t site = self->kin [k].members [0];
        int64_t *costs = &self->room [site * row];
        for (size_t s = 0; s < self->places; s++) {
            uint32_t node = self->node_of [s];
            costs [s] = BRANCH_BOUND_NEVER;
            int64_t offer = program_offer (program, site, node);
            if (offer == PROGRAM_BARRED || !can_leave (self, site, node))
                continue;
            int64_t later = branch_bound_halves (self, site, s, site);
            if (later < BRANCH_BOUND_NEVER)
                costs [s] = 2 * offer + later;
        }
        for (uint32_t m = 0; m < self->kin [k].count; m++)
            self->rows [self->kin [k].members [m]] = costs;
    }
}

void branch_bound_make (branch_bound_t *self)
{
    self->at = must (malloc (self->sites * sizeof *self->at));
    memset (self->at, 0xff, self->sites * sizeof *self->at); /* nowhere */
    self->used = must (calloc (self->places + 1, 1));
    ties_find (self);
    kin_find (self);
    near_find (self);
    rows_begin (self);
}

void branch_bound_unmake (branch_bound_t *self)
{
    free (self->node_of);
    free (self->ties);
    free (self->ties_count);
    free (self->kin);
    free (self->kin_of);
    free (self->near);
    free (self->rows);
    free (self->room);
    free (self->at);
    free (self->used);
}
