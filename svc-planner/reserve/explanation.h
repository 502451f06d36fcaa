/*  explanation - why there is no plan, and what could be had instead. */
#ifndef MUSUBI_EXPLANATION_H
#define MUSUBI_EXPLANATION_H

#include "pending.h"

/*  A reason for each need that nowhere in the federation could be had, ever; false when there is
 *  one. */
bool pending_possible (pending_t *self);

/*  Look for what is in the way of each network need, some at a time: true when all have been looked
 *  at. pending_examine_anew comes first. */
void pending_examine_anew (pending_t *self);
bool pending_examine (pending_t *self);

/*  Then: why the search found no plan, a reason for each need that is in the way by itself, and for
 *  everyone who was left out. */
void pending_explain (pending_t *self, const moment_t *now);

/*  None was found, and those who were silent might have had what was missing. */
bool pending_in_doubt (const pending_t *self);

/*  A reason for each need with places that nobody was asked about. */
void pending_explain_unasked (pending_t *self);

/*  What could be had instead, as far as the snapshot tells: each has been searched for
 *  (alternatives.c). */
void pending_seek_alternatives (pending_t *self, const moment_t *now);

#endif
