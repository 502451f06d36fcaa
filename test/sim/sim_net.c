/*  sim_net - decides the fate of each message. */
#include "sim_net.h"

#include "must.h"

#include <stdlib.h>
#include <string.h>

#define FLIGHT_US_MIN  60
#define FLIGHT_US_MAX  400
#define FALL_BEHIND_US 40000
#define DOOM_DELAY_US  1000000
#define LANES_LEAST    1024

typedef struct {
    int a;
    int b;
    bool one_way;
    int64_t from_us;
    int64_t until_us;
} cut_t;

/*  The latest arrival in order, of the messages from one process to another. Few of all pairs talk
 *  to each other, so they are found by hashing. */
typedef struct {
    uint64_t pair; /* 0 = nobody's yet */
    int64_t last_us;
} sim_lane_t;

struct sim_net {
    prng_t prng;
    sim_tally_t *tally;
    sim_net_faults_t faults;
    fault_kind_t doom; /* of the next message */
    bool paced;
    int64_t flight_us; /* when paced */
    cut_t cuts [SIM_CUTS_MAX];
    size_t cuts_count;
    int64_t lags_us [SIM_PROCESSES_MAX];
    sim_lane_t *lanes;
    size_t lanes_count;
    size_t lanes_room; /* a power of two, at least twice the count */
};

sim_net_t *sim_net_new (uint64_t seed, sim_tally_t *tally)
{
    sim_net_t *self = calloc (1, sizeof *self);
    if (!self)
        abort ();
    prng_seed (&self->prng, seed);
    self->tally = tally;
    return self;
}

void sim_net_destroy (sim_net_t **self_p)
{
    if (*self_p)
        free ((*self_p)->lanes);
    free (*self_p);
    *self_p = NULL;
}

void sim_net_set (sim_net_t *self, const sim_net_faults_t *faults)
{
    self->faults = *faults;
}

void sim_net_cut (sim_net_t *self, int a, int b, bool one_way, int64_t from_us, int64_t until_us)
{
    if (self->cuts_count < SIM_CUTS_MAX)
        self->cuts [self->cuts_count++] =
          (cut_t){.a = a, .b = b, .one_way = one_way, .from_us = from_us, .until_us = until_us};
}

void sim_net_lag (sim_net_t *self, int process, int64_t lag_us)
{
    self->lags_us [process] = lag_us;
}

void sim_net_pace (sim_net_t *self, int64_t flight_us)
{
    self->paced = true;
    self->flight_us = flight_us;
}

void sim_net_doom (sim_net_t *self, fault_kind_t fate)
{
    self->doom = fate;
}

void sim_net_heal (sim_net_t *self)
{
    self->faults = (sim_net_faults_t){0};
    self->cuts_count = 0;
    memset (self->lags_us, 0, sizeof self->lags_us);
}

static bool happens (sim_net_t *self, uint32_t chance)
{
    return chance > 0 && prng_below (&self->prng, 1000) < chance;
}

static int64_t flight_us (sim_net_t *self, const sim_message_t *message)
{
    if (self->paced)
        return self->flight_us;
    return FLIGHT_US_MIN + (int64_t) prng_below (&self->prng, FLIGHT_US_MAX - FLIGHT_US_MIN) +
           self->lags_us [message->from] + self->lags_us [message->to];
}

/*  When the cut that blocks the message ends; 0 when no cut does. */
static int64_t cut_until (const sim_net_t *self, int from, int to, int64_t now_us)
{
    int64_t until_us = 0;
    for (size_t i = 0; i < self->cuts_count; i++) {
        const cut_t *cut = &self->cuts [i];
        bool between =
          (cut->a == from && cut->b == to) || (!cut->one_way && cut->a == to && cut->b == from);
        if (between && cut->from_us <= now_us && now_us < cut->until_us && cut->until_us > until_us)
            until_us = cut->until_us;
    }
    return until_us;
}

static bool unlucky (const sim_net_t *self, const sim_message_t *message)
{
    return self->faults.unlucky && message->kind == self->faults.unlucky_kind &&
           strcmp (message->method, self->faults.unlucky) == 0;
}

static sim_lane_t *lane_find (sim_lane_t *lanes, size_t room, uint64_t pair)
{
    size_t at = (pair * UINT64_C (0x9e3779b97f4a7c15) >> 20) & (room - 1);
    while (lanes [at].pair != 0 && lanes [at].pair != pair)
        at = (at + 1) & (room - 1);
    return &lanes [at];
}

static void lanes_grow (sim_net_t *self)
{
    size_t room = self->lanes_room ? 2 * self->lanes_room : LANES_LEAST;
    sim_lane_t *lanes = must (calloc (room, sizeof *lanes));
    for (size_t i = 0; i < self->lanes_room; i++)
        if (self->lanes [i].pair != 0)
            *lane_find (lanes, room, self->lanes [i].pair) = self->lanes [i];
    free (self->lanes);
    self->lanes = lanes;
    self->lanes_room = room;
}

static int64_t *lane_of (sim_net_t *self, int from, int to)
{
    if (2 * self->lanes_count >= self->lanes_room)
        lanes_grow (self);
    uint64_t pair = ((uint64_t) (unsigned) from + 1) << 32 | (unsigned) to;
    sim_lane_t *lane = lane_find (self->lanes, self->lanes_room, pair);
    self->lanes_count += lane->pair == 0;
    lane->pair = pair;
    return &lane->last_us;
}

/*  When the message arrives if no fault hits it: in order, unless it is drawn to fall behind. */
static int64_t arrival_us (sim_net_t *self, int64_t now_us, const sim_message_t *message)
{
    if (happens (self, self->faults.delay)) {
        sim_tally_message (self->tally, message, FAULT_DELAYED);
        return now_us + flight_us (self, message) +
               1000 * (int64_t) prng_below (&self->prng, self->faults.delay_ms_max + 1);
    }
    if (happens (self, self->faults.reordering)) {
        sim_tally_message (self->tally, message, FAULT_REORDERED);
        return now_us + flight_us (self, message) +
               (int64_t) prng_below (&self->prng, FALL_BEHIND_US);
    }
    int64_t *last_us = lane_of (self, message->from, message->to);
    int64_t at_us = now_us + flight_us (self, message);
    if (at_us <= *last_us)
        at_us = self->paced ? *last_us : *last_us + 1;
    *last_us = at_us;
    return at_us;
}

/*  Applies the fate that was set for this message; returns how often it arrives. */
static size_t meet_doom (sim_net_t *self, int64_t now_us, const sim_message_t *message,
                         fault_kind_t doom, int64_t arrivals_us [2])
{
    sim_tally_message (self->tally, message, doom);
    int64_t behind_us = FALL_BEHIND_US / 2 + (int64_t) prng_below (&self->prng, FALL_BEHIND_US);
    arrivals_us [0] = now_us + flight_us (self, message);
    if (doom == FAULT_LOST)
        return 0;
    if (doom == FAULT_DELAYED)
        arrivals_us [0] +=
          DOOM_DELAY_US / 2 + (int64_t) prng_below (&self->prng, (uint64_t) DOOM_DELAY_US);
    if (doom == FAULT_REORDERED)
        arrivals_us [0] += behind_us;
    arrivals_us [1] = arrivals_us [0] + behind_us;
    return doom == FAULT_DOUBLED ? 2 : 1;
}

size_t sim_net_route (sim_net_t *self, int64_t now_us, const sim_message_t *message,
                      int64_t arrivals_us [2])
{
    sim_tally_message (self->tally, message, FAULT_NONE);
    if (message->to == SIM_NOBODY)
        return 0;
    int64_t until_us = cut_until (self, message->from, message->to, now_us);
    if (until_us > 0) {
        sim_tally_message (self->tally, message, FAULT_CUT);
        if (!happens (self, self->faults.keep))
            return 0;
        arrivals_us [0] = until_us + flight_us (self, message);
        return 1;
    }
    fault_kind_t doom = self->doom;
    self->doom = FAULT_NONE;
    if (doom != FAULT_NONE)
        return meet_doom (self, now_us, message, doom, arrivals_us);
    if (happens (self, self->faults.loss) ||
        (unlucky (self, message) && happens (self, self->faults.unlucky_loss))) {
        sim_tally_message (self->tally, message, FAULT_LOST);
        return 0;
    }
    arrivals_us [0] = arrival_us (self, now_us, message);
    if (!happens (self, self->faults.doubling))
        return 1;
    sim_tally_message (self->tally, message, FAULT_DOUBLED);
    arrivals_us [1] = arrivals_us [0] + (int64_t) prng_below (&self->prng, 2 * FALL_BEHIND_US);
    return 2;
}

bool sim_net_keeps (sim_net_t *self)
{
    return happens (self, self->faults.keep);
}
