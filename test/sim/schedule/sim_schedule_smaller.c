/*  sim_schedule_smaller - in some schedules a site comes back with fewer nodes, or a storage node
 *  with a smaller disk, than it had when it died.
 */
#include "sim_schedule_own.h"

#define CHANCE  20  /* percent of the schedules */
#define AWAY_MS 500 /* and longer */
#define LOOK_US 5000
#define MIB     (UINT64_C (1) << 20)

static uint64_t below (schedule_t *self, uint64_t bound)
{
    return prng_below (&self->smaller, bound);
}

/*  A description changes while nobody runs by it. What dies when it is told to end is up for
 *  longer. */
static void on_site (void *owner, uint64_t site)
{
    schedule_t *self = owner;
    node_class_t *class = &self->lis [site].site.classes [0];
    if (sim_up (self->sim, self->lis_processes [site])) {
        if (sim_now_us (self->sim) < self->heal_us)
            sim_at (self->sim, sim_now_us (self->sim) + LOOK_US, on_site, self, site);
        return;
    }
    class->nodes = 1 + (uint32_t) below (self, class->nodes - 1);
    self->tally->counts [COUNT_SMALLER]++;
    sim_trace (self->sim, self->lis_processes [site], "comes back with %u nodes", class->nodes);
    sim_check_lowered (&self->check, self->lis_processes [site], class->name, class->nodes);
}

/*  Its agent says so from its next life on. */
static void on_disk (void *owner, uint64_t number)
{
    schedule_t *self = owner;
    sim_kept_t *kept = &self->keeper.kept [number];
    if (sim_up (self->sim, self->keeper_process)) {
        if (sim_now_us (self->sim) < self->heal_us)
            sim_at (self->sim, sim_now_us (self->sim) + LOOK_US, on_disk, self, number);
        return;
    }
    uint32_t mib = (uint32_t) below (self, kept->mib);
    kept->bytes_max -= (kept->mib - mib) * MIB;
    kept->mib = mib;
    kept->smaller = true;
    self->tally->counts [COUNT_SMALLER]++;
    sim_trace (self->sim, kept->process, "disk %s comes back with %u MiB", kept->name, mib);
}

/*  Early enough for what comes to be booked, late enough for something to be booked already. */
void schedule_smaller (schedule_t *self)
{
    int64_t at_us = 2 * SECOND_US + (int64_t) below (self, (uint64_t) (self->heal_us / 2));
    int64_t away_ms = AWAY_MS + (int64_t) below (self, 4000);
    if (below (self, 100) >= CHANCE)
        return;
    if (self->data && below (self, 2) == 0) {
        sim_kill (self->sim, self->keeper_process, at_us, away_ms);
        sim_at (self->sim, at_us, on_disk, self, below (self, self->keeper.kept_count));
        return;
    }
    size_t site = below (self, self->sites_count);
    if (self->lis [site].site.classes [0].nodes < 2)
        return;
    sim_kill (self->sim, self->lis_processes [site], at_us, away_ms);
    sim_at (self->sim, at_us, on_site, self, site);
}
