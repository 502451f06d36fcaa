/*  tentative - the holds of bir while it is still searching (S0: a tentative reservation for each
 *  choice).
 *
 *  Each hold is a plan of its own with one participant, never prepared and without a home (T1). It
 *  is renewed until it is cancelled, or until the finished plan replaces it.
 */
#ifndef MUSUBI_TENTATIVE_H
#define MUSUBI_TENTATIVE_H

#include "attempt.h"
#include "backtrack.h"
#include "shares.h"

typedef struct tentative tentative_t;

/*  Everything is borrowed for life. */
typedef struct {
    service_t *service;
    const planner_settings_t *settings;
    coordinator_t *coordinator;
    const char *actor;      /* for whom */
    const char *request_id; /* of the client, with its home */
    int64_t until_mono_ms;  /* long after the search must have ended */
    trail_t *trail;         /* gets the holds that are left */
} tentative_order_t;

tentative_t *tentative_new (const tentative_order_t *order);

/*  Holds that exist, or may exist, go to the trail: the next plan replaces them there, or they are
 *  aborted. */
void tentative_destroy (tentative_t **self_p);

/*  Holds the shares at all of their participants at once. done is called later, once. held: all of
 *  them hold; if one refused, the holds of the others have been cancelled. Only one hold or cancel
 *  may be under way at a time. */
typedef void tentative_done_fn (void *owner, const moment_t *now, bool held);
void tentative_hold (tentative_t *self, const moment_t *now, backtrack_hold_t what,
                     const shares_t *shares, tentative_done_fn *done, void *owner);

/*  Why a hold failed: who refused, and why. The reason is NONE when nobody answered. */
typedef struct {
    char party [NAME_BYTES_MAX + 1];
    refusal_reason_t reason;
    char resource [2 * NAME_BYTES_MAX + 2];
    int64_t wanted;
    int64_t free;
    char text [256];
} tentative_refusal_t;
const tentative_refusal_t *tentative_refusal (const tentative_t *self);

/*  Cancels these holds, all at once. done is called when every participant has answered or was
 *  given up; the holds of the latter may last until they expire. */
void tentative_cancel (tentative_t *self, const moment_t *now, const backtrack_hold_t *holds,
                       size_t count, tentative_done_fn *done, void *owner);

#endif
