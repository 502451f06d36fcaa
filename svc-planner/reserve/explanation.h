/*  explanation - why there is no plan, and what could be had instead. */
#ifndef MUSUBI_EXPLANATION_H
#define MUSUBI_EXPLANATION_H

#include "errand.h"

/*  A reason for each need that nowhere in the federation could be had, ever; false when there is
 *  one. */
bool errand_possible (errand_t *self);

/*  Look for what is in the way of each network need, some at a time: true when all have been looked
 *  at. errand_examine_anew comes first. */
void errand_examine_anew (errand_t *self);
bool errand_examine (errand_t *self);

/*  Then: why the search found no plan, a reason for each need that is in the way by itself, and for
 *  everyone who was left out. */
void errand_explain (errand_t *self, const moment_t *now);

/*  None was found, and those who were silent might have had what was missing. */
bool errand_in_doubt (const errand_t *self);

/*  A reason for each need with places that nobody was asked about. */
void errand_explain_unasked (errand_t *self);

/*  What could be had instead, as far as the snapshot tells: each has been searched for
 *  (alternatives.c). */
void errand_seek_alternatives (errand_t *self, const moment_t *now);

#endif
