/*  sim_schedule_faults - which faults a schedule has, and how many of each. */
#include "sim_schedule_own.h"

static int64_t draw_time_us (schedule_t *self)
{
    return CALM_US + (int64_t) schedule_draw (self, (uint64_t) (self->heal_us - CALM_US));
}

static int draw_process (schedule_t *self)
{
    return (int) schedule_draw (self, sim_processes (self->sim));
}

/*  Lets one kind of message seldom get through, so that what happens without it is exercised often.
 */
static void draw_unlucky (schedule_t *self, sim_net_faults_t *net)
{
    static const char *const methods [] = {"Hold",    "Commit", "Commit", "Abort",   "Resolve",
                                           "Outcome", "Close",  "Look",   "Reserve", "Modify",
                                           "Profile", "Done",   "Prepare"};
    net->unlucky = methods [schedule_draw (self, sizeof methods / sizeof methods [0])];
    net->unlucky_kind = schedule_chance (self, 50) ? MESSAGE_REQUEST : MESSAGE_ANSWER;
    net->unlucky_loss = PICK (self, 300, 600, 900);
}

static void draw_faults (schedule_t *self, sim_faults_t *faults, sim_net_faults_t *net)
{
    *net = (sim_net_faults_t){.loss = PICK (self, 0, 0, 15, 60, 150),
                              .doubling = PICK (self, 0, 0, 30, 150),
                              .reordering = PICK (self, 0, 30, 100, 300),
                              .delay = PICK (self, 0, 0, 20, 60),
                              .delay_ms_max = PICK (self, 200, 1500, 6000),
                              .keep = PICK (self, 0, 500, 1000)};
    *faults = (sim_faults_t){.crash = PICK (self, 0, 5, 15, 30, 60),
                             .crashes_max = 1 + (uint32_t) schedule_draw (self, 8),
                             .pause_ms_max = PICK (self, 30, 500, 4000),
                             .move = PICK (self, 0, 0, 400),
                             .slow = PICK (self, 0, 0, 15),
                             .told = schedule_swarm_has (self, SWARM_TOLD) ? 700 : 0};
    if (self->edgy) {
        net->unlucky = "Commit";
        net->unlucky_kind = MESSAGE_REQUEST;
        net->unlucky_loss = PICK (self, 500, 900);
    } else if (schedule_chance (self, 35)) {
        draw_unlucky (self, net);
    }
    self->orphans = self->planners_count > 1 && schedule_chance (self, 35);
}

static void step_clock (void *owner, uint64_t process)
{
    schedule_t *self = owner;
    int64_t by_ms = 1200 + (int64_t) schedule_draw (self, 3000);
    if (schedule_chance (self, 50))
        by_ms = -by_ms;
    sim_step_clock (self->sim, (int) process, by_ms);
    sim_check_stepped (&self->check, (int) process, by_ms);
}

static void add_faults (schedule_t *self)
{
    if (schedule_chance (self, 40))
        for (size_t cuts = 1 + schedule_draw (self, 4); cuts > 0; cuts--) {
            int64_t from_us = draw_time_us (self);
            int64_t long_us = SECOND_US / 5 + (int64_t) schedule_draw (self, 5 * SECOND_US);
            sim_net_cut (sim_net (self->sim), draw_process (self), draw_process (self),
                         schedule_chance (self, 30), from_us, from_us + long_us);
        }
    if (schedule_chance (self, 40))
        for (size_t kills = 1 + schedule_draw (self, 3); kills > 0; kills--)
            sim_kill (self->sim, draw_process (self), draw_time_us (self),
                      (int64_t) PICK (self, 20, 400, 4000));
    if (schedule_chance (self, 15))
        sim_at (self->sim, draw_time_us (self), step_clock, self, (uint64_t) draw_process (self));
}

/*  Faults that wait for a vote or a decision of a domain; in some schedules, of a site. */
static void lay_ambush (schedule_t *self)
{
    sim_ambush_t *ambush = &self->ambush;
    prng_t *prng = &self->network;
    if (self->map.count == 0 || prng_below (prng, 100) >= 40)
        return;
    ambush->sim = self->sim;
    ambush->tally = self->tally;
    ambush->left = 1 + prng_below (prng, 3);
    ambush->chance = prng_below (prng, 2) == 0 ? 100 : 30;
    prng_seed (&ambush->prng, prng_next (prng));
    for (size_t i = 0; i < self->map.count; i++)
        ambush->victims [ambush->victims_count++] = self->nis_processes [i];
    if (prng_below (prng, 3) == 0)
        for (size_t i = 0; i < self->sites_count; i++)
            ambush->victims [ambush->victims_count++] = self->lis_processes [i];
}

void schedule_faults (schedule_t *self, sim_faults_t *faults, sim_net_faults_t *net)
{
    draw_faults (self, faults, net);
    add_faults (self);
    lay_ambush (self);
}
