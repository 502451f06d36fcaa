/*  publisher - tells every index of the federation what this site has, as it changes.
 *
 *  For each index, found in the directory by its kind "index", there is a follower that knows up to
 *  which change the index has come. The index is told the later changes page by page; if nothing
 *  changes, it is called again after a third of the lease. One that does not answer is tried again
 *  and then told all that it missed. One that has lost everything says so in its answer. Pure.
 */
#ifndef MUSUBI_PUBLISHER_H
#define MUSUBI_PUBLISHER_H

#include "catalogue.h"

#define PUBLISH_TRY_MS 2000
#define PUBLISH_GAP_MS 50 /* changes are collected for this long */

typedef struct publisher publisher_t;

/*  site: "ams". Both are borrowed for life. */
publisher_t *publisher_new (service_t *service, catalogue_t *catalogue, const char *site);
void publisher_destroy (publisher_t **self_p);

/*  To be called at start, and when the directory may have changed: looks up the indexes. */
void publisher_look (publisher_t *self, const moment_t *now);

/*  An index said that site has the file, which is not so: tells all indexes. */
void publisher_stale (publisher_t *self, const moment_t *now, const char *name, const char *site);

#endif
