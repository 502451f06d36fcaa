/*  ranking - plans for the windows of a request, best first: what algorithm ip finds (S4, 3c and
 *  3d).
 *
 *  Starts at equal distances are looked at one after the other, a window a step: its program, a
 *  solver's plan, or an order for a solver elsewhere, whose windows are solved side by side. Then
 *  the plans are ranked as the policy says:
 *
 *      time       earliest first
 *      cost       cheapest first, of these the earliest
 *      quality    what lacks the least quality first, of these the earliest
 *
 *  Solvers are bounded by steps, so the same windows give the same list. Pure.
 */
#ifndef MUSUBI_RANKING_H
#define MUSUBI_RANKING_H

#include "directory.h"
#include "objective.h"
#include "prng.h"
#include "solving_wire.h"

typedef struct {
    const snapshot_t *snapshot; /* borrowed for life; so is the next */
    const directory_t *directory;
    const ip_settings_t *settings;
    search_order_t search; /* the frame, and from when on things can be had */
    policy_t policy;
    size_t windows;
    uint32_t visible; /* percent */
} ranking_order_t;

typedef struct ranking ranking_t;

ranking_t *ranking_new (const ranking_order_t *order, prng_t *prng);
void ranking_destroy (ranking_t **self_p);

/*  A window whose program is to be solved in a process of its own (solving_wire.h). */
typedef struct {
    size_t window;
    packed_t order; /* data NULL: there is none */
} aside_t;

/*  Look at the next window; false when that was the last. With settings->workers only what the
 *  search does in a few steps is solved here; the caller takes the rest over, with its bytes. */
bool ranking_step (ranking_t *self, aside_t *aside);

/*  What came of a window that was taken over. Not ok: a sentence why it is not known, or nothing:
 *  there was no time for it. */
void ranking_solved (ranking_t *self, size_t window, bool ok, bytes_t result);

/*  Are windows out that nothing has come of? */
bool ranking_waits (const ranking_t *self);

/*  No more windows: make the list of what was found, the same in whatever order it came. */
void ranking_close (ranking_t *self);

/*  Go to the next plan, at first to the first: false when there is none. Plans that the snapshot
 *  says can't be had any more, as refusals have corrected it, are passed over. */
bool ranking_next (ranking_t *self);
bool ranking_has_next (const ranking_t *self);
const window_plan_t *ranking_plan (const ranking_t *self);

/*  What came of the windows. */
typedef struct {
    size_t windows;
    size_t plans;
    size_t proven;        /* without any plan */
    size_t unknown;       /* the solver's limit came first */
    size_t late;          /* not looked at */
    char why [WHY_BYTES]; /* what a program could not say; "" = nothing */
} ranking_tally_t;

const ranking_tally_t *ranking_tally (const ranking_t *self);

#endif
