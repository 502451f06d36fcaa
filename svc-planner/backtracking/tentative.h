/*  tentative - what bir holds while it is still searching (S0: a tentative reservation for each
 *  choice).
 *
 *  Each is a plan of its own with one participant, never prepared and without a home (T1); it is
 *  renewed until it is cancelled, or until the finished plan replaces it.
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
    int64_t until_mono_ms;  /* the search has ended by then, by far */
    trail_t *trail;         /* takes what is left */
} tentative_order_t;

tentative_t *tentative_new (const tentative_order_t *order);

/*  What is held, or may be, goes to the trail: the next plan replaces it there, or it is aborted.
 */
void tentative_destroy (tentative_t **self_p);

/*  Hold the shares at all their participants at once; held: everyone did. Where one did not, the
 *  others have been told to give up theirs. done is called later, once, and one thing at a time is
 *  asked for. */
typedef void tentative_done_fn (void *owner, const moment_t *now, bool held);
void tentative_hold (tentative_t *self, const moment_t *now, backtrack_hold_t what,
                     const shares_t *shares, tentative_done_fn *done, void *owner);

/*  Of a hold that did not come about: what was told, of whom; nothing (want of an answer): NONE. */
typedef struct {
    char party [NAME_BYTES_MAX + 1];
    refusal_reason_t reason;
    char resource [2 * NAME_BYTES_MAX + 2];
    int64_t wanted;
    int64_t free;
    char text [256];
} tentative_refusal_t;
const tentative_refusal_t *tentative_refusal (const tentative_t *self);

/*  Cancel these, all at once; done when everyone has answered, or was silent for too long: then it
 *  may hold until it expires. */
void tentative_cancel (tentative_t *self, const moment_t *now, const backtrack_hold_t *holds,
                       size_t count, tentative_done_fn *done, void *owner);

#endif
