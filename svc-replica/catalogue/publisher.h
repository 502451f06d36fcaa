/*  publisher - tells every index of the federation what this site has, as it changes: soft state.
 *
 *  Each index has a desk of its own, found through the directory (kind "index"). It is told the
 *  changes since the number that it has, page by page, and again at a third of the lease when
 *  nothing changes. One that is silent is tried again with back-off, and told all that it missed;
 *  one that has lost everything says so by its answer. Pure.
 */
#ifndef MUSUBI_PUBLISHER_H
#define MUSUBI_PUBLISHER_H

#include "catalogue.h"

#define PUBLISH_TRY_MS 2000
#define PUBLISH_GAP_MS 50 /* changes are gathered so long */

typedef struct publisher publisher_t;

/*  site: "ams". Both are borrowed for life. */
publisher_t *publisher_new (service_t *service, catalogue_t *catalogue, const char *site);
void publisher_destroy (publisher_t **self_p);

/*  At start, and whenever the directory may have changed: look who the indexes are. */
void publisher_look (publisher_t *self, const moment_t *now);

/*  Somebody's index said that site has the file, and it has not: tell all. */
void publisher_stale (publisher_t *self, const moment_t *now, const char *name, const char *site);

#endif
