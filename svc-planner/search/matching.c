/*  matching - the assignment problem by successive shortest paths with potentials (Hungarian
 *  method), one need after another.
 */
#include "assign.h"
#include "must.h"

#include <assert.h>
#include <stdlib.h>

/*  Columns are 1 … sites; column 0 holds the need being placed, as is usual for this method. */
struct matching {
    size_t needs;
    size_t sites;
    const int64_t *weights;
    int64_t *need_potential;
    int64_t *site_potential;
    size_t *need_of; /* by column: 1 + need, 0 = free */
    size_t *came_from;
    int64_t *slack;
    bool *seen;
    size_t next;
};

matching_t *matching_new (const int64_t *weights, size_t needs, size_t sites)
{
    matching_t *self = must (calloc (1, sizeof *self));
    self->needs = needs;
    self->sites = sites;
    self->weights = weights;
    self->need_potential = must (calloc (needs + 1, sizeof *self->need_potential));
    self->site_potential = must (calloc (sites + 1, sizeof *self->site_potential));
    self->need_of = must (calloc (sites + 1, sizeof *self->need_of));
    self->came_from = must (calloc (sites + 1, sizeof *self->came_from));
    self->slack = must (calloc (sites + 1, sizeof *self->slack));
    self->seen = must (calloc (sites + 1, sizeof *self->seen));
    return self;
}

void matching_destroy (matching_t **self_p)
{
    matching_t *self = *self_p;
    if (!self)
        return;
    free (self->need_potential);
    free (self->site_potential);
    free (self->need_of);
    free (self->came_from);
    free (self->slack);
    free (self->seen);
    free (self);
    *self_p = NULL;
}

static void matching_relax (matching_t *self, size_t column)
{
    size_t need = self->need_of [column];
    const int64_t *weights = &self->weights [(need - 1) * self->sites];
    for (size_t c = 1; c <= self->sites; c++) {
        if (self->seen [c] || weights [c - 1] == WEIGHT_NONE)
            continue;
        int64_t slack = weights [c - 1] - self->need_potential [need] - self->site_potential [c];
        if (slack < self->slack [c]) {
            self->slack [c] = slack;
            self->came_from [c] = column;
        }
    }
}

static size_t matching_nearest (const matching_t *self)
{
    size_t best = 0;
    for (size_t c = 1; c <= self->sites; c++)
        if (!self->seen [c] && self->slack [c] != WEIGHT_NONE &&
            (best == 0 || self->slack [c] < self->slack [best]))
            best = c;
    return best;
}

static void shift (matching_t *self, int64_t delta)
{
    for (size_t c = 0; c <= self->sites; c++) {
        if (self->seen [c]) {
            self->need_potential [self->need_of [c]] += delta;
            self->site_potential [c] -= delta;
        } else if (self->slack [c] != WEIGHT_NONE)
            self->slack [c] -= delta;
    }
}

/*  Places one more need along the cheapest chain of exchanges; false when there is none. */
static bool place_need (matching_t *self, size_t need)
{
    self->need_of [0] = need;
    for (size_t c = 0; c <= self->sites; c++) {
        self->slack [c] = WEIGHT_NONE;
        self->seen [c] = false;
    }
    size_t column = 0;
    while (self->need_of [column] != 0) {
        self->seen [column] = true;
        matching_relax (self, column);
        column = matching_nearest (self);
        if (column == 0)
            return false;
        shift (self, self->slack [column]);
    }
    while (column != 0) {
        size_t before = self->came_from [column];
        self->need_of [column] = self->need_of [before];
        column = before;
    }
    return true;
}

assign_state_t matching_run (matching_t *self, uint64_t *steps)
{
    while (self->next < self->needs) {
        if (*steps == 0)
            return ASSIGN_MORE;
        uint64_t cost = (uint64_t) (self->next + 1) * self->sites + 1;
        *steps -= cost < *steps ? cost : *steps;
        if (!place_need (self, ++self->next))
            return ASSIGN_NONE;
    }
    return ASSIGN_FOUND;
}

size_t matching_site (const matching_t *self, size_t need)
{
    for (size_t c = 1; c <= self->sites; c++)
        if (self->need_of [c] == need + 1)
            return c - 1;
    assert (!"the need is placed");
    return 0;
}

int64_t matching_weight (const matching_t *self)
{
    int64_t sum = 0;
    for (size_t need = 0; need < self->needs; need++)
        sum += self->weights [need * self->sites + matching_site (self, need)];
    return sum;
}
