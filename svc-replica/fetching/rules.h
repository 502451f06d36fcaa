/*  rules - makes the copies that owners have ordered: at so many sites, or in so many domains, and
 *  at so many storage nodes of each. The site where a rule was given, its home, counts the copies
 *  from time to time, and asks other sites to fetch the file when there are too few: one after the
 *  other, the nearest first, while it is on its way to those before. Only copies that their sites
 *  keep are counted, and those on their way; a site that merely caches one is asked to keep it. How
 *  many nodes of a site are to have the file is remembered there, and each site sees to its own.
 *  Rules ask one question at a time, so that they never crowd out users. Pure.
 */
#ifndef MUSUBI_RULES_H
#define MUSUBI_RULES_H

#include "fetcher.h"

#define RULES_LOOK_MS 10000 /* between two rounds over all rules */

typedef struct rules rules_t;

/*  All borrowed for life. */
rules_t *rules_new (const fetcher_parts_t *parts, fetcher_t *fetcher);
void rules_destroy (rules_t **self_p);

/*  Begins a round now. To be called at start, and when a rule was given or a copy has arrived. */
void rules_hurry (rules_t *self, const moment_t *now);

#endif
