/*  rules - makes the copies that owners have ordered: so many, at different sites or in different
 *  domains. The site where a rule was given counts the copies from time to time, and asks another
 *  site to fetch the file when there are too few. Only copies that their sites keep are counted; a
 *  site that merely caches one is asked to keep it. Rules ask one question at a time, so that they
 *  never crowd out users. Pure.
 */
#ifndef MUSUBI_RULES_H
#define MUSUBI_RULES_H

#include "catalogue.h"
#include "locating.h"

#define RULES_LOOK_MS 10000 /* between two rounds over all rules */

typedef struct rules rules_t;

/*  All borrowed for life. */
rules_t *rules_new (service_t *service, catalogue_t *catalogue, locating_t *locating,
                    const char *site);
void rules_destroy (rules_t **self_p);

/*  Begins a round now. To be called at start, and when a rule was given or a copy has arrived. */
void rules_hurry (rules_t *self, const moment_t *now);

#endif
