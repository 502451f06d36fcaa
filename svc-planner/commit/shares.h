/*  shares - who takes part in a plan with what: each participant's part of the new version beside
 *  what it holds of the old one, the edge that follows from both (T9), and the parts as they are
 *  sent.
 */
#ifndef MUSUBI_SHARES_H
#define MUSUBI_SHARES_H

#include "attempt.h"

/*  Bookings at a site, circuits in a network domain. */
typedef struct {
    compute_booking_t *bookings;
    size_t bookings_count;
    circuit_t *circuits;
    size_t circuits_count;
} holding_t;

/*  One participant's. */
typedef struct {
    participant_ref_t party;
    int64_t lead_ms;
    int64_t gap_ms;
    holding_t old; /* borrowed */
    holding_t new;
} share_t;

/*  Owns what is new: shares_clear. */
typedef struct {
    share_t shares [PARTICIPANTS_MAX - 1]; /* one is the home's */
    size_t count;
    bool full; /* there were more */
} shares_t;

void shares_clear (shares_t *self);

/*  The participant's share, new when it has none yet; NULL when there are too many. */
share_t *shares_of (shares_t *self, const participant_ref_t *party);

void share_book (share_t *self, const compute_booking_t *booking);

/*  Takes the circuit's links over. */
void share_connect (share_t *self, const circuit_t *circuit);

/*  First moment at which the new version needs what the old one lacks, less the largest lead of
 *  those where it does; when it lacks nothing, the old end (T9). */
int64_t shares_edge (const shares_t *self);

/*  Last end of what is booked before or after, cleaning included. */
int64_t shares_end (const shares_t *self);

/*  Could participants take it? False with why. */
bool shares_fit (const shares_t *self, char why [WHY_BYTES]);

attempt_part_t share_part (const share_t *self);

#endif
