/*  explanation - why there is no plan, and what the user could ask for instead. */
#ifndef MUSUBI_EXPLANATION_H
#define MUSUBI_EXPLANATION_H

#include "pending.h"

/*  Add a reason for each need that no site or domain could ever meet. False: there is one. */
bool pending_possible (pending_t *self);

/*  Find what is in the way of each network need, a few a call; true when all are done. Call
 *  pending_examine_anew first. */
void pending_examine_anew (pending_t *self);
bool pending_examine (pending_t *self);

/*  Then add a reason for each need that can't be met even alone, and for every source left out. */
void pending_explain (pending_t *self, const moment_t *now);

/*  Could a silent site or domain have what is missing? */
bool pending_in_doubt (const pending_t *self);

/*  Add a reason for each need of which some places were not asked. */
void pending_explain_unasked (pending_t *self);

/*  Add what could be had instead: each alternative has been searched for on the snapshot
 *  (alternatives.c). */
void pending_seek_alternatives (pending_t *self, const moment_t *now);

#endif
