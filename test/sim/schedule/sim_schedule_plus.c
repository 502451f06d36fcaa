/*  sim_schedule_plus - the actions at single sites and their storages, in a third of the schedules.
 *  They are drawn from a stream of their own, so that all other schedules are as they were without
 *  them.
 */
#include "sim_schedule_own.h"

#include <stdio.h>

static void draw_change (prng_t *prng, sim_plus_change_t *change, bool first)
{
    static const int64_t durations_ms [] = {3000, 10000, 70000};
    static const sim_plus_end_t ends [] = {PLUS_END_COMMIT, PLUS_END_COMMIT, PLUS_END_COMMIT,
                                           PLUS_END_ABORT, PLUS_END_NEGLECT};
    *change = (sim_plus_change_t){
      .operation = first                       ? OPERATION_RESERVE
                   : prng_below (prng, 5) == 0 ? OPERATION_RELEASE
                                               : OPERATION_MODIFY,
      .end = first && prng_below (prng, 2) ? PLUS_END_COMMIT : ends [prng_below (prng, 5)],
      .think_ms = (int64_t) prng_below (prng, 1200),
      .wait_ms = prng_below (prng, 2) ? (int64_t) prng_below (prng, 2000) : 0};
    if (change->operation == OPERATION_RELEASE)
        return;
    if (first || prng_below (prng, 2) == 0)
        change->duration_ms = durations_ms [prng_below (prng, 3)];
    if (first || change->duration_ms == 0 || prng_below (prng, 3) == 0)
        change->nodes = 1 + (uint32_t) prng_below (prng, 3);
    if (first)
        change->start_ms = 500 + (int64_t) prng_below (prng, 8000);
    else if (prng_below (prng, 4) == 0)
        change->start_ms = 500 + (int64_t) prng_below (prng, 3000);
}

void schedule_plus_add (schedule_t *self)
{
    sim_plus_t *plus = &self->plus;
    plus->sim = self->sim;
    plus->tally = self->tally;
    plus->gives_up = schedule_swarm_has (self, SWARM_STORES);
    prng_seed (&plus->prng, prng_next (&self->pluses));
    /* it keeps its address: at another's former one, callers would want that other */
    (void) schedule_add (self, schedule_name (self, "plus/", 1), sim_plus_make, plus, true,
                         SIM_NOBODY);
}

void schedule_plus (schedule_t *self)
{
    prng_t *prng = &self->pluses;
    sim_plus_t *plus = &self->plus;
    if (prng_below (prng, 3) > 0 && !schedule_swarm_has (self, SWARM_PLUS))
        return;
    plus->actions_count = 1 + (size_t) prng_below (prng, SIM_PLUS_ACTIONS_MAX);
    for (size_t i = 0; i < plus->actions_count; i++) {
        sim_plus_action_t *action = &plus->actions [i];
        uint64_t site = prng_below (prng, self->sites_count);
        bool storage = self->data && prng_below (prng, 2) == 0;
        *action = (sim_plus_action_t){
          .process = storage ? self->replica_processes [site] : self->lis_processes [site],
          .changes_count = 1 + (size_t) prng_below (prng, SIM_PLUS_CHANGES_MAX)};
        sim_text (action->actor, sizeof action->actor, i % 2 ? "bob" : "alice");
        snprintf (action->id, sizeof action->id, "plus-%zu", i + 1);
        for (size_t c = 0; c < action->changes_count; c++)
            draw_change (prng, &action->changes [c], c == 0);
    }
    schedule_swarm_plus (self);
    schedule_plus_add (self);
}
