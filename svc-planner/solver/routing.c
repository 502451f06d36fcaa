/*  routing - lightest paths by A* with the graph's distances, and search over conflicts.
 *
 *  A link that must leave a pool takes its lightest path elsewhere; what this costs more is the
 *  least that the decision costs. When the links on an overfull pool are tried in turn, those tried
 *  before are kept on it: so no set of paths is looked at twice, and the branch ends when the links
 *  kept on a pool fill it. What is not settled in a few steps is begun anew with the bound of
 *  lagrange_bound.h at each node, which can also prove that there are no paths.
 */
#include "routing.h"

#include "lagrange_bound.h"
#include "must.h"

#include <string.h>

/*  Cost and conflicts are kept in one number, whose lowest bits count the conflicts. */
#define CONFLICT_SHIFT 12

/*  Steps of a settling before a linear program at each node is worth its time. */
#define STEPS_BEFORE_RELAXING 150

/*  Paths are kept by number: the caller's numbers first, then the best of a settling. */
#define KEPT_BEST (PROGRAM_SITES_MAX + 1)
#define KEPT      (KEPT_BEST + 1)

typedef struct {
    uint32_t link;
    uint32_t from;
    uint32_t to;
    int64_t bandwidth;
    const int32_t *distances; /* to its end */
    int64_t cost;             /* of its path, in unit costs */
    uint32_t length;          /* arcs on the path */
    uint32_t *arcs;
} routing_wire_t;

typedef struct {
    routing_wire_t *wires;
    uint32_t *arcs; /* a row for each wire */
    size_t room;    /* wires */
} routing_kept_t;

struct routing {
    const solver_graph_t *net;
    budget_t *budget;
    size_t nodes;
    routing_wire_t *wires;
    size_t wires_count;
    int64_t cost;
    int64_t *load;    /* by pool */
    uint8_t *banned;  /* by wire and pool, while settling */
    uint8_t *staying; /* the same */
    int64_t *stay_load;
    routing_kept_t kept [KEPT];

    /* A walk: by node, or by hop and node. */
    uint64_t *reached;
    uint32_t *came_by; /* arc */
    uint32_t *came_from;
    uint32_t *open;
    uint8_t *done;

    /* Settling. */
    int64_t limit;
    uint64_t steps_until;
    bool relax; /* ask for the Lagrange bound at each node */
    bool gave_up;
    bool found;
};

routing_t *routing_new (const solver_graph_t *net, budget_t *budget)
{
    const program_t *program = net->program;
    size_t nodes = program->nodes_count;
    size_t hops = program->hops_max > 0 && program->hops_max < nodes ? program->hops_max : 0;
    size_t states = nodes * (hops + 1);
    routing_t *self = must (calloc (1, sizeof *self));
    self->net = net;
    self->budget = budget;
    self->nodes = nodes;
    self->wires = must (calloc (program->links_count + 1, sizeof *self->wires));
    self->load = must (calloc (net->pools_count + 1, sizeof *self->load));
    self->reached = must (malloc (states * sizeof *self->reached));
    self->came_by = must (malloc (states * sizeof *self->came_by));
    self->came_from = must (malloc (states * sizeof *self->came_from));
    self->open = must (malloc (states * sizeof *self->open));
    self->done = must (malloc (states));
    return self;
}

void routing_destroy (routing_t **self_p)
{
    routing_t *self = *self_p;
    if (!self)
        return;
    for (size_t i = 0; i < self->net->program->links_count; i++)
        free (self->wires [i].arcs);
    for (size_t i = 0; i < KEPT; i++) {
        free (self->kept [i].wires);
        free (self->kept [i].arcs);
    }
    free (self->wires);
    free (self->load);
    free (self->banned);
    free (self->staying);
    free (self->stay_load);
    free (self->reached);
    free (self->came_by);
    free (self->came_from);
    free (self->open);
    free (self->done);
    free (self);
    *self_p = NULL;
}

/*  --- laying and lifting --- */

static void routing_lay (routing_t *self, const routing_wire_t *wire)
{
    for (uint32_t i = 0; i < wire->length; i++)
        self->load [self->net->arcs [wire->arcs [i]].pool] += wire->bandwidth;
    self->cost += wire->cost * wire->bandwidth;
}

static void routing_lift (routing_t *self, const routing_wire_t *wire)
{
    for (uint32_t i = 0; i < wire->length; i++)
        self->load [self->net->arcs [wire->arcs [i]].pool] -= wire->bandwidth;
    self->cost -= wire->cost * wire->bandwidth;
}

static void kept_fit (routing_t *self, routing_kept_t *kept)
{
    if (kept->room >= self->wires_count && kept->room > 0)
        return;
    kept->room = self->wires_count * 2 + 4;
    kept->arcs = must (realloc (kept->arcs, kept->room * self->nodes * sizeof *kept->arcs));
    kept->wires = must (realloc (kept->wires, kept->room * sizeof *kept->wires));
}

void routing_keep (routing_t *self, size_t number)
{
    routing_kept_t *kept = &self->kept [number];
    kept_fit (self, kept);
    for (size_t i = 0; i < self->wires_count; i++) {
        const routing_wire_t *wire = &self->wires [i];
        memcpy (&kept->arcs [i * self->nodes], wire->arcs, wire->length * sizeof *wire->arcs);
        kept->wires [i] = *wire;
    }
}

void routing_take_back (routing_t *self, size_t number)
{
    const routing_kept_t *kept = &self->kept [number];
    for (size_t i = 0; i < self->wires_count; i++) {
        routing_wire_t *wire = &self->wires [i];
        routing_lift (self, wire);
        wire->length = kept->wires [i].length;
        wire->cost = kept->wires [i].cost;
        memcpy (wire->arcs, &kept->arcs [i * self->nodes], wire->length * sizeof *wire->arcs);
        routing_lay (self, wire);
    }
}

/*  --- the lightest path of one wire --- */

/*  The price of this arc for a wire: its cost, and a conflict where the pool gets too full. False
 *  when the wire may not use it. */
static inline bool arc_price (const routing_t *self, const routing_wire_t *wire,
                              const uint8_t *banned, const solver_graph_arc_t *arc, uint64_t *price)
{
    int64_t free = self->net->free [arc->pool];
    if (free < wire->bandwidth || (banned && banned [arc->pool]) ||
        program_bars (self->net->program, wire->link, solver_graph_edge (self->net, arc->pool)))
        return false;
    if (self->stay_load && self->staying && banned &&
        self->stay_load [arc->pool] + wire->bandwidth > free &&
        !self->staying [(size_t) (wire - self->wires) * self->net->pools_count + arc->pool])
        return false;
    *price =
      ((uint64_t) arc->cost << CONFLICT_SHIFT) + (self->load [arc->pool] + wire->bandwidth > free);
    return true;
}

static void routing_read_walk (const routing_t *self, routing_wire_t *wire, uint32_t last,
                               uint32_t first)
{
    uint32_t length = 0;
    for (uint32_t at = last; at != first; at = self->came_from [at])
        length++;
    wire->length = length;
    for (uint32_t at = last; at != first; at = self->came_from [at])
        wire->arcs [--length] = self->came_by [at];
    wire->cost = (int64_t) (self->reached [last] >> CONFLICT_SHIFT);
}

/*  A*: continues from the node with the least sum of cost so far and distance to the end. */
static bool routing_walk (routing_t *self, routing_wire_t *wire, const uint8_t *banned)
{
    const solver_graph_t *net = self->net;
    for (size_t i = 0; i < self->nodes; i++) {
        self->reached [i] = UINT64_MAX;
        self->done [i] = 0;
    }
    size_t open = 0;
    self->reached [wire->from] = 0;
    self->open [open++] = wire->from;
    while (open > 0) {
        size_t best = 0;
        uint64_t best_sum = UINT64_MAX;
        for (size_t i = 0; i < open; i++) {
            uint32_t node = self->open [i];
            uint64_t sum =
              self->reached [node] + ((uint64_t) wire->distances [node] << CONFLICT_SHIFT);
            if (sum < best_sum) {
                best = i;
                best_sum = sum;
            }
        }
        uint32_t node = self->open [best];
        self->open [best] = self->open [--open];
        if (node == wire->to) {
            routing_read_walk (self, wire, wire->to, wire->from);
            return true;
        }
        self->done [node] = 1;
        for (uint32_t a = net->starts [node]; a < net->starts [node + 1]; a++) {
            const solver_graph_arc_t *arc = &net->arcs [a];
            uint64_t price;
            if (self->done [arc->to] || wire->distances [arc->to] >= SOLVER_GRAPH_FAR ||
                !arc_price (self, wire, banned, arc, &price))
                continue;
            uint64_t sum = self->reached [node] + price;
            if (sum >= self->reached [arc->to])
                continue;
            if (self->reached [arc->to] == UINT64_MAX)
                self->open [open++] = arc->to;
            self->reached [arc->to] = sum;
            self->came_by [arc->to] = a;
            self->came_from [arc->to] = node;
        }
    }
    return false;
}

/*  The same where paths may have no more than hops_max edges, in as many rounds. State h * nodes +
 *  i: node i after h edges. A path that meets a node twice is never cheaper, so paths are simple;
 *  where arcs cost nothing, the path with fewer edges wins. */
static bool routing_walk_within (routing_t *self, routing_wire_t *wire, const uint8_t *banned,
                                 uint32_t hops_max)
{
    const solver_graph_t *net = self->net;
    size_t nodes = self->nodes;
    for (size_t i = 0; i < nodes * (hops_max + 1); i++)
        self->reached [i] = UINT64_MAX;
    self->reached [wire->from] = 0;
    uint32_t best = 0;
    uint64_t best_sum = UINT64_MAX;
    for (uint32_t hop = 0; hop < hops_max; hop++) {
        for (uint32_t node = 0; node < nodes; node++) {
            uint64_t so_far = self->reached [hop * nodes + node];
            if (so_far == UINT64_MAX || node == wire->to)
                continue;
            for (uint32_t a = net->starts [node]; a < net->starts [node + 1]; a++) {
                const solver_graph_arc_t *arc = &net->arcs [a];
                uint64_t price;
                if (!arc_price (self, wire, banned, arc, &price))
                    continue;
                size_t state = (hop + 1) * nodes + arc->to;
                if (so_far + price >= self->reached [state])
                    continue;
                self->reached [state] = so_far + price;
                self->came_by [state] = a;
                self->came_from [state] = (uint32_t) (hop * nodes + node);
            }
        }
        uint64_t sum = self->reached [(hop + 1) * nodes + wire->to];
        if (sum < best_sum) {
            best_sum = sum;
            best = (uint32_t) ((hop + 1) * nodes + wire->to);
        }
    }
    if (best_sum == UINT64_MAX)
        return false;
    routing_read_walk (self, wire, best, wire->from);
    return true;
}

static bool find_path (routing_t *self, routing_wire_t *wire, const uint8_t *banned)
{
    uint32_t hops_max = self->net->program->hops_max;
    self->budget->steps++;
    return hops_max > 0 && hops_max < self->nodes
             ? routing_walk_within (self, wire, banned, hops_max)
             : routing_walk (self, wire, banned);
}

/*  --- opening and closing --- */

static bool routing_fits (const routing_t *self, const routing_wire_t *wire)
{
    for (uint32_t i = 0; i < wire->length; i++) {
        uint32_t pool = self->net->arcs [wire->arcs [i]].pool;
        if (self->load [pool] > self->net->free [pool])
            return false;
    }
    return true;
}

bool routing_open (routing_t *self, uint32_t link, uint32_t from, uint32_t to)
{
    routing_wire_t *wire = &self->wires [self->wires_count++];
    if (!wire->arcs)
        wire->arcs = must (malloc (self->nodes * sizeof *wire->arcs));
    wire->link = link;
    wire->from = from;
    wire->to = to;
    wire->bandwidth = self->net->program->links [link].bandwidth;
    wire->distances = solver_graph_distances (self->net, self->net->link_class [link], to);
    wire->length = 0;
    wire->cost = 0;
    bool reached = find_path (self, wire, NULL);
    assert (reached); /* it is not too far */
    routing_lay (self, wire);
    return routing_fits (self, wire);
}

void routing_close (routing_t *self)
{
    assert (self->wires_count > 0);
    routing_lift (self, &self->wires [--self->wires_count]);
}

size_t routing_open_count (const routing_t *self)
{
    return self->wires_count;
}

int64_t routing_cost (const routing_t *self)
{
    return self->cost;
}

/*  --- settling --- */

/*  The pool that is overfull by most; UINT32_MAX when none is. */
static uint32_t worst_pool (const routing_t *self)
{
    uint32_t worst = UINT32_MAX;
    int64_t worst_over = 0;
    for (size_t i = 0; i < self->wires_count; i++) {
        const routing_wire_t *wire = &self->wires [i];
        for (uint32_t k = 0; k < wire->length; k++) {
            uint32_t pool = self->net->arcs [wire->arcs [k]].pool;
            int64_t over = self->load [pool] - self->net->free [pool];
            if (over > worst_over) {
                worst_over = over;
                worst = pool;
            }
        }
    }
    return worst;
}

static bool uses (const routing_t *self, const routing_wire_t *wire, uint32_t pool)
{
    for (uint32_t i = 0; i < wire->length; i++)
        if (self->net->arcs [wire->arcs [i]].pool == pool)
            return true;
    return false;
}

static uint8_t *mark (const routing_t *self, uint8_t *marks, size_t wire, uint32_t pool)
{
    return &marks [wire * self->net->pools_count + pool];
}

typedef struct {
    size_t wire;
    int64_t more; /* what leaving the pool costs more, at least */
} routing_leaving_t;

static int leaving_compare (const void *a, const void *b)
{
    const routing_leaving_t *left = a;
    const routing_leaving_t *right = b;
    if (left->more != right->more)
        return left->more < right->more ? -1 : 1;
    return left->wire < right->wire ? -1 : 1;
}

static void routing_settle_node (routing_t *self);

/*  What it costs more, at least, to take the wire off the pool; INT64_MAX when it can't leave.
 *  settling: also settles with the wire off the pool. */
static int64_t try_without (routing_t *self, size_t index, uint32_t pool, bool settling)
{
    routing_wire_t *wire = &self->wires [index];
    routing_wire_t before = *wire;
    routing_lift (self, wire);
    wire->arcs = must (malloc (self->nodes * sizeof *wire->arcs));
    *mark (self, self->banned, index, pool) = 1;
    bool can = find_path (self, wire, mark (self, self->banned, index, 0));
    int64_t more = can ? (wire->cost - before.cost) * wire->bandwidth : INT64_MAX;
    if (can && settling) {
        routing_lay (self, wire);
        routing_settle_node (self);
        routing_lift (self, wire);
    }
    *mark (self, self->banned, index, pool) = 0;
    free (wire->arcs);
    *wire = before;
    routing_lay (self, wire);
    return more;
}

/*  Notes whether a wire must stay on a pool: because it can't leave, or because leaving was
 *  tried. */
static void routing_stay (routing_t *self, size_t index, uint32_t pool, bool stays)
{
    int64_t bandwidth = self->wires [index].bandwidth;
    *mark (self, self->staying, index, pool) = stays;
    self->stay_load [pool] += stays ? bandwidth : -bandwidth;
}

/*  One of the wires on the pool must leave it: tries each in turn, with those tried before
 *  staying. */
static void routing_branch (routing_t *self, uint32_t pool)
{
    routing_leaving_t *leaving = must (malloc ((self->wires_count + 1) * sizeof *leaving));
    size_t count = 0;
    for (size_t i = 0; i < self->wires_count; i++)
        if (uses (self, &self->wires [i], pool) && !*mark (self, self->staying, i, pool))
            leaving [count++] =
              (routing_leaving_t){.wire = i, .more = try_without (self, i, pool, false)};
    qsort (leaving, count, sizeof *leaving, leaving_compare);
    /* Wires that can't leave stay, whichever else leaves. */
    size_t able = count;
    while (able > 0 && leaving [able - 1].more == INT64_MAX)
        able--;
    for (size_t i = able; i < count; i++)
        routing_stay (self, leaving [i].wire, pool, true);
    int64_t most = self->net->free [pool];
    size_t tried = 0;
    while (tried < able && self->stay_load [pool] <= most && !self->gave_up &&
           leaving [tried].more < self->limit - self->cost) {
        (void) try_without (self, leaving [tried].wire, pool, true);
        routing_stay (self, leaving [tried++].wire, pool, true);
    }
    for (size_t i = 0; i < count; i++)
        if (i < tried || i >= able)
            routing_stay (self, leaving [i].wire, pool, false);
    free (leaving);
}

/*  A lower bound of what paths cost under the present bans. */
static int64_t relaxed_bound (routing_t *self)
{
    lagrange_link_t *links = must (malloc ((self->wires_count + 1) * sizeof *links));
    for (size_t i = 0; i < self->wires_count; i++) {
        const routing_wire_t *wire = &self->wires [i];
        links [i] = (lagrange_link_t){.from = wire->from,
                                      .to = wire->to,
                                      .bandwidth = wire->bandwidth,
                                      .banned = mark (self, self->banned, i, 0)};
    }
    int64_t bound = lagrange_bound (self->net, links, self->wires_count, self->limit, self->budget);
    free (links);
    return bound;
}

static void routing_settle_node (routing_t *self)
{
    if (self->gave_up || self->cost >= self->limit)
        return;
    if (!budget_step (self->budget) || self->budget->steps >= self->steps_until) {
        self->gave_up = true;
        return;
    }
    uint32_t pool = worst_pool (self);
    if (pool != UINT32_MAX) {
        if (!self->relax || relaxed_bound (self) < self->limit)
            routing_branch (self, pool);
        return;
    }
    routing_keep (self, KEPT_BEST);
    self->limit = self->cost;
    self->found = true;
}

/*  Lays each wire on its lightest path again, if an earlier settling has moved it. */
static void lay_lightest (routing_t *self)
{
    for (size_t i = 0; i < self->wires_count; i++) {
        routing_wire_t *wire = &self->wires [i];
        if (wire->cost == wire->distances [wire->from])
            continue;
        routing_lift (self, wire);
        bool reached = find_path (self, wire, NULL);
        assert (reached);
        routing_lay (self, wire);
    }
}

static void settle_within (routing_t *self, uint64_t steps_max)
{
    self->steps_until = self->budget->steps + steps_max;
    self->gave_up = false;
    routing_settle_node (self);
}

routing_answer_t routing_settle (routing_t *self, int64_t limit, uint64_t steps_max)
{
    size_t marks = self->net->program->links_count * self->net->pools_count + 1;
    if (!self->banned) {
        self->banned = must (calloc (marks, 1));
        self->staying = must (calloc (marks, 1));
        self->stay_load = must (calloc (self->net->pools_count + 1, sizeof *self->stay_load));
    }
    lay_lightest (self);
    self->limit = limit;
    self->found = false;
    self->relax = false;
    settle_within (self, STEPS_BEFORE_RELAXING);
    if (self->gave_up && !self->budget->over) {
        self->relax = true;
        settle_within (self, steps_max);
    }
    if (self->found)
        routing_take_back (self, KEPT_BEST);
    if (self->gave_up)
        return self->found ? ROUTING_UNSURE : ROUTING_UNKNOWN;
    return self->found ? ROUTING_FITS : ROUTING_NONE;
}

void routing_tell (const routing_t *self, program_plan_t *plan)
{
    for (size_t i = 0; i < self->wires_count; i++) {
        const routing_wire_t *wire = &self->wires [i];
        uint32_t *path = &plan->paths [wire->link * self->nodes];
        path [0] = wire->from;
        for (uint32_t k = 0; k < wire->length; k++)
            path [k + 1] = self->net->arcs [wire->arcs [k]].to;
        plan->path_lengths [wire->link] = wire->length + 1;
    }
}
