/*  ranking - plans for the windows of a request, best first: the algorithm ip (S4, 3c and 3d).
 *
 *  Starts at equal distances are looked at one after the other, one window in each step. Its
 *  program is solved here, or becomes an order for a solver elsewhere; those are solved side by
 *  side. Then the plans are ranked as the policy says:
 *
 *      time       earliest first
 *      cost       cheapest first; of equals, the earliest
 *      quality    least lack of quality first; of equals, the earliest
 *
 *  Solvers are bounded by steps, so the same windows give the same list. Pure.
 */
#ifndef MUSUBI_RANKING_H
#define MUSUBI_RANKING_H

#include "directory.h"
#include "prng.h"
#include "programs.h"
#include "solving_wire.h"

typedef struct {
    const snapshot_t *snapshot; /* borrowed for life; so is the next */
    const directory_t *directory;
    const ip_settings_t *settings;
    search_order_t search; /* the frame of starts, and from when on things can be had */
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

/*  Looks at the next window; false when that was the last. With settings->workers only what takes a
 *  few steps is solved here; the caller has *aside solved, and takes its bytes over. */
bool ranking_step (ranking_t *self, aside_t *aside);

/*  The answer about a window that was solved elsewhere. Not ok: result is a sentence that says why
 *  there is none, or empty when there was no time for it. */
void ranking_solved (ranking_t *self, size_t window, bool ok, bytes_t result);

/*  Are there windows that are solved elsewhere and not answered yet? */
bool ranking_waits (const ranking_t *self);

/*  No more windows: sorts the plans found into the list. The list does not depend on the order of
 *  the answers. */
void ranking_close (ranking_t *self);

/*  Goes to the next plan, the first time to the first; false when there is none. Skips plans that
 *  can't be had any more, as far as refusals have corrected the snapshot. */
bool ranking_next (ranking_t *self);
const window_plan_t *ranking_plan (const ranking_t *self);

/*  What has come of the windows. */
typedef struct {
    size_t windows;
    size_t plans;
    size_t proven;        /* proven to have no plan */
    size_t unknown;       /* the solver's limit came first */
    size_t late;          /* not looked at */
    bool broken;          /* a solver broke down: its window is unknown */
    char why [WHY_BYTES]; /* why a window is unknown, for the last one; "" = none */
} ranking_tally_t;

const ranking_tally_t *ranking_tally (const ranking_t *self);

#endif
