/*  sim_ambush - faults that wait for their moment: once a participant has voted, or once the
 *  decision is on its way to it, it is cut off, or dies.
 *
 *  Faults drawn over time seldom fall between PREPARE and COMMIT, which are a few milliseconds
 *  apart; these always do. A cut goes both ways, or only hides what is said to the participant, or
 *  only what it says.
 */
#ifndef MUSUBI_SIM_AMBUSH_H
#define MUSUBI_SIM_AMBUSH_H

#include "sim.h"

#define SIM_VICTIMS_MAX 16

typedef struct {
    sim_t *sim;                    /* in */
    sim_tally_t *tally;            /* in */
    prng_t prng;                   /* in */
    int victims [SIM_VICTIMS_MAX]; /* in: the participants that it may hit */
    size_t victims_count;
    size_t left;     /* in: how many times */
    uint32_t chance; /* in: percent of the votes and decisions that are hit, while any is left */
} sim_ambush_t;

/*  A message leaves: strikes if this is the moment. */
void sim_ambush_left (sim_ambush_t *self, const sim_message_t *message);

#endif
