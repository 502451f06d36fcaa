/*  shares - what each participant gets in a plan, beside what it has of the old version; the edge
 *  that follows from both (T9); and the parts as they are sent.
 */
#ifndef MUSUBI_SHARES_H
#define MUSUBI_SHARES_H

#include "attempt.h"
#include "part_record.h"

/*  One participant's share. */
typedef struct {
    participant_ref_t party;
    int64_t lead_ms;
    int64_t gap_ms;
    holding_t old; /* borrowed */
    holding_t new;
} share_t;

/*  Owns the new holdings: shares_clear. */
typedef struct {
    share_t shares [PARTICIPANTS_MAX - 1]; /* the home takes part, too */
    size_t count;
    bool full; /* there were more */
} shares_t;

void shares_clear (shares_t *self);

/*  The participant's share, which is added when it has none yet; NULL when there are too many. */
share_t *shares_of (shares_t *self, const participant_ref_t *party);

void share_book (share_t *self, const compute_booking_t *booking);

void share_store (share_t *self, const space_booking_t *booking);

/*  Takes the circuit's links over. */
void share_connect (share_t *self, const circuit_t *circuit);

/*  The first moment at which the new version needs more than the old one has, less the longest lead
 *  of the participants where it does. If it never does, the old version's end (T9). Nodes count in
 *  use, and again with those that are being cleaned; CPUs count for each need. */
int64_t shares_edge (const shares_t *self);

/*  When the first of what the old version has, and the new one has otherwise or not at all, begins:
 *  a change must be decided before. INT64_MAX: there is none. */
int64_t shares_begun (const shares_t *self);

/*  The last end of old and new holdings, cleaning included. */
int64_t shares_end (const shares_t *self);

/*  Is it within the limits of a plan? False with why. */
bool shares_fit (const shares_t *self, char why [WHY_BYTES]);

attempt_part_t share_part (const share_t *self);

#endif
