/*  rules - files whose owner wants so many copies, at sites or in domains apart: the site where the
 *  rule was said looks from time to time how many there are, and asks another site to fetch one
 *  when they are too few. Only copies that their sites keep count: one that a cache may let go is
 *  asked for, too, and kept from then on. One question at a time, so rules never crowd out users.
 *  Pure.
 */
#ifndef MUSUBI_RULES_H
#define MUSUBI_RULES_H

#include "catalogue.h"
#include "locating.h"

#define RULES_LOOK_MS 10000 /* between two rounds through all rules */

typedef struct rules rules_t;

/*  All borrowed for life. */
rules_t *rules_new (service_t *service, catalogue_t *catalogue, locating_t *locating,
                    const char *site);
void rules_destroy (rules_t **self_p);

/*  Begin a round now: at start, and when a rule was said or a copy has come. */
void rules_hurry (rules_t *self, const moment_t *now);

#endif
