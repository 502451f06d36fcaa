/*  program - checks that a program can be solved and that a plan is right. */
#include "program.h"

#include "must.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static_assert (PROGRAM_LINKS_MAX == PROGRAM_SITES_MAX * (PROGRAM_SITES_MAX - 1) / 2,
               "all pairs may be linked");

/*  Is the value in the range? When not, why says what would be right. */
static bool program_within (int64_t value, char why [WHY_BYTES], const char *list, size_t index,
                            const char *what, int64_t least, int64_t most)
{
    if (value >= least && value <= most)
        return true;
    snprintf (why, WHY_BYTES, "%s[%zu]: %s must be a whole number from %" PRId64 " to %" PRId64,
              list, index, what, least, most);
    return false;
}

static bool refuse_count (char why [WHY_BYTES], const char *list, size_t least, size_t most)
{
    snprintf (why, WHY_BYTES, "%s: must have %zu to %zu entries", list, least, most);
    return false;
}

static bool counts_check (const program_t *self, char why [WHY_BYTES])
{
    if (self->nodes_count < 1 || self->nodes_count > PROGRAM_NODES_MAX)
        return refuse_count (why, "nodes", 1, PROGRAM_NODES_MAX);
    if (self->edges_count > PROGRAM_EDGES_MAX)
        return refuse_count (why, "edges", 0, PROGRAM_EDGES_MAX);
    if (self->sites_count < 1 || self->sites_count > PROGRAM_SITES_MAX)
        return refuse_count (why, "request.cpu", 1, PROGRAM_SITES_MAX);
    if (self->links_count > PROGRAM_LINKS_MAX)
        return refuse_count (why, "request.links", 0, PROGRAM_LINKS_MAX);
    return true;
}

static bool nodes_check (const program_t *self, char why [WHY_BYTES])
{
    for (size_t i = 0; i < self->nodes_count; i++)
        if (!program_within (self->nodes [i].cpus, why, "nodes", i, "free CPUs", 0,
                             PROGRAM_AMOUNT_MAX) ||
            !program_within (self->nodes [i].unit_cost, why, "nodes", i, "the unit cost", 0,
                             PROGRAM_UNIT_COST_MAX))
            return false;
    for (size_t i = 0; i < self->sites_count; i++)
        if (!program_within (self->cpus [i], why, "request.cpu", i, "the CPUs wanted", 1,
                             PROGRAM_AMOUNT_MAX))
            return false;
    for (size_t i = 0; self->offers && i < self->sites_count * self->nodes_count; i++)
        if (!program_within (self->offers [i], why, "offers", i, "the cost", PROGRAM_BARRED,
                             PROGRAM_COST_MAX))
            return false;
    return true;
}

/*  Two ends must exist, differ, and not be joined twice. `seen` holds a bit for each pair. */
static bool ends_check (const uint32_t ends [2], size_t count, uint8_t *seen, const char *list,
                        size_t index, const char *of, char why [WHY_BYTES])
{
    if (ends [0] >= count || ends [1] >= count || ends [0] == ends [1]) {
        snprintf (why, WHY_BYTES,
                  "%s[%zu]: its ends must be two different %s, numbered from 0 to %zu", list, index,
                  of, count - 1);
        return false;
    }
    size_t low = ends [0] < ends [1] ? ends [0] : ends [1];
    size_t pair = low * count + (ends [0] + ends [1] - low);
    if (seen [pair / 8] & (1u << pair % 8)) {
        snprintf (why, WHY_BYTES,
                  "%s[%zu]: %" PRIu32 " and %" PRIu32 " are joined already; one entry serves both "
                  "directions",
                  list, index, ends [0], ends [1]);
        return false;
    }
    seen [pair / 8] |= (uint8_t) (1u << pair % 8);
    return true;
}

static bool edges_check (const program_t *self, char why [WHY_BYTES])
{
    uint8_t *seen = must (calloc (self->nodes_count * self->nodes_count / 8 + 1, 1));
    bool good = true;
    for (size_t i = 0; i < self->edges_count && good; i++) {
        const program_edge_t *edge = &self->edges [i];
        good = ends_check (edge->ends, self->nodes_count, seen, "edges", i, "nodes", why) &&
               program_within (edge->bandwidth, why, "edges", i, "free bandwidth", 0,
                               PROGRAM_AMOUNT_MAX) &&
               program_within (edge->unit_cost, why, "edges", i, "the unit cost", 0,
                               PROGRAM_UNIT_COST_MAX);
    }
    free (seen);
    return good;
}

static bool links_check (const program_t *self, char why [WHY_BYTES])
{
    uint8_t seen [PROGRAM_SITES_MAX * PROGRAM_SITES_MAX / 8 + 1] = {0};
    for (size_t i = 0; i < self->links_count; i++) {
        const program_link_t *link = &self->links [i];
        if (!ends_check (link->ends, self->sites_count, seen, "request.links", i, "requested sites",
                         why) ||
            !program_within (link->bandwidth, why, "request.links", i, "bandwidth", 0,
                             PROGRAM_AMOUNT_MAX))
            return false;
    }
    return true;
}

/*  An upper bound of what the places of a plan cost. */
static double places_most (const program_t *self)
{
    double sum = 0;
    double dearest = 0;
    for (size_t i = 0; i < self->nodes_count; i++)
        if ((double) self->nodes [i].unit_cost > dearest)
            dearest = (double) self->nodes [i].unit_cost;
    for (size_t j = 0; j < self->sites_count; j++) {
        double most = self->offers ? 0 : dearest * (double) self->cpus [j];
        for (size_t i = 0; self->offers && i < self->nodes_count; i++)
            if ((double) program_offer (self, j, i) > most)
                most = (double) program_offer (self, j, i);
        sum += most;
    }
    return sum;
}

/*  Every sum that a solver forms must be exact, so no plan may cost more than PROGRAM_COST_MAX. */
static bool sums_check (const program_t *self, char why [WHY_BYTES])
{
    double dearest_edge = 0;
    double bandwidth = 0;
    for (size_t i = 0; i < self->edges_count; i++)
        if ((double) self->edges [i].unit_cost > dearest_edge)
            dearest_edge = (double) self->edges [i].unit_cost;
    for (size_t i = 0; i < self->links_count; i++)
        bandwidth += (double) self->links [i].bandwidth;
    if (places_most (self) + bandwidth * dearest_edge * (double) self->nodes_count <
        (double) PROGRAM_COST_MAX)
        return true;
    snprintf (why, WHY_BYTES,
              "request: amounts times unit costs may exceed %" PRId64
              "; count amounts or costs in larger units",
              PROGRAM_COST_MAX);
    return false;
}

bool program_check (const program_t *self, char why [WHY_BYTES])
{
    return counts_check (self, why) && nodes_check (self, why) && edges_check (self, why) &&
           links_check (self, why) && sums_check (self, why);
}

int64_t program_divisor (int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

program_plan_t *program_plan_new (const program_t *self)
{
    program_plan_t *plan = must (malloc (sizeof *plan));
    plan->nodes = must (calloc (self->sites_count, sizeof *plan->nodes));
    plan->paths = must (malloc ((self->links_count * self->nodes_count + 1) * sizeof *plan->paths));
    plan->path_lengths = must (calloc (self->links_count + 1, sizeof *plan->path_lengths));
    plan->cost = 0;
    return plan;
}

void program_plan_destroy (program_plan_t **plan_p)
{
    program_plan_t *plan = *plan_p;
    if (!plan)
        return;
    free (plan->nodes);
    free (plan->paths);
    free (plan->path_lengths);
    free (plan);
    *plan_p = NULL;
}

static bool places_check (const program_t *self, program_plan_t *plan)
{
    for (size_t i = 0; i < self->sites_count; i++) {
        uint32_t node = plan->nodes [i];
        if (node >= self->nodes_count || program_offer (self, i, node) == PROGRAM_BARRED)
            return false;
        for (size_t k = 0; k < i; k++)
            if (plan->nodes [k] == node)
                return false;
        plan->cost += program_offer (self, i, node);
    }
    return true;
}

size_t program_edge (const program_t *self, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < self->edges_count; i++) {
        const uint32_t *ends = self->edges [i].ends;
        if ((ends [0] == a && ends [1] == b) || (ends [0] == b && ends [1] == a))
            return i;
    }
    return self->edges_count;
}

/*  Checks a path, and takes its bandwidth from `left`, which has two figures for each edge. */
static bool path_check (const program_t *self, program_plan_t *plan, size_t link, int64_t *left)
{
    const program_link_t *wanted = &self->links [link];
    const uint32_t *path = &plan->paths [link * self->nodes_count];
    uint32_t length = plan->path_lengths [link];
    if (wanted->bandwidth == 0)
        return length == 0;
    if (length < 2 || length > self->nodes_count || path [0] != plan->nodes [wanted->ends [0]] ||
        path [length - 1] != plan->nodes [wanted->ends [1]])
        return false;
    if (self->hops_max > 0 && length - 1 > self->hops_max)
        return false;
    for (uint32_t i = 0; i + 1 < length; i++) {
        size_t edge = program_edge (self, path [i], path [i + 1]);
        if (edge == self->edges_count || program_bars (self, link, edge))
            return false;
        bool back = self->reading == PROGRAM_DIRECTED && path [i] != self->edges [edge].ends [0];
        left [2 * edge + back] -= wanted->bandwidth;
        if (left [2 * edge + back] < 0)
            return false;
        plan->cost += wanted->bandwidth * self->edges [edge].unit_cost;
    }
    return true;
}

bool program_plan_check (const program_t *self, program_plan_t *plan)
{
    plan->cost = 0;
    if (!places_check (self, plan))
        return false;
    int64_t *left = must (malloc ((2 * self->edges_count + 1) * sizeof *left));
    for (size_t i = 0; i < self->edges_count; i++)
        left [2 * i] = left [2 * i + 1] = self->edges [i].bandwidth;
    bool good = true;
    for (size_t i = 0; i < self->links_count && good; i++)
        good = path_check (self, plan, i, left);
    free (left);
    return good;
}
