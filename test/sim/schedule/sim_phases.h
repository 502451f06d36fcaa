/*  sim_phases - what a need has over time, as the participants' records say it.
 *
 *  A need that was changed while it lasts is booked once for each phase: they follow each other
 *  without a gap, at one site or on one path, and what had passed when a change was made is as the
 *  version before had it.
 */
#ifndef MUSUBI_SIM_PHASES_H
#define MUSUBI_SIM_PHASES_H

#include "sim_check.h"

#define SIM_PHASES_MAX 24 /* of one need */

typedef struct {
    int64_t from_ms;
    int64_t until_ms;
    uint32_t amount; /* CPUs, Mbit/s */
} sim_phase_t;

typedef struct {
    sim_phase_t list [SIM_PHASES_MAX]; /* ascending */
    size_t count;
    bool broken;                   /* the phases leave a gap, or lie at two places */
    const sim_participant_t *site; /* of a compute need */
    uint32_t nodes;                /* of its last phase */
    int64_t held_ms;               /* when the command came to that participant */
} sim_phases_t;

/*  The phases of one need in a transaction. */
void sim_phases_compute (sim_check_t *check, const txid_t *txid, const char *need,
                         sim_phases_t *phases);
void sim_phases_network (sim_check_t *check, const txid_t *txid, const char *need,
                         sim_phases_t *phases);

/*  When the change came to the participants that had the need in the version before, by their own
 *  clocks: the earliest of these times. */
int64_t sim_phases_left_ms (sim_check_t *check, const txid_t *base, const txid_t *change,
                            const char *need);

/*  Checks whether these phases may follow those of the version before, which the change came to at
 *  left_ms. False when something that had passed has changed, or was not there before. */
bool sim_phases_follow (const sim_phases_t *self, const sim_phases_t *before, int64_t left_ms);

#endif
