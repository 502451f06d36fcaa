/*  locating - finds out which other sites have a file. The indexes are asked first; if none knows a
 *  sound copy, all sites are asked that the directory lists at that moment. What an index says is
 *  only a hint. What all sites say is complete, except for those that do not answer. Pure.
 */
#ifndef MUSUBI_LOCATING_H
#define MUSUBI_LOCATING_H

#include "file_index.h"
#include "selector.h"
#include "service.h"

#define LOCATE_TRY_MS 1500
#define LOCATE_NAMED  8 /* most silent sites that are named */

/*  Borrowed, until located_fn returns. */
typedef struct {
    const file_place_t
      *places; /* other sites with sound copies, or copies on their way; each once */
    size_t count;
    size_t silent; /* sites that did not answer */
    char silent_names [256];
    file_place_t
      damaged; /* a site that has only quarantined copies; damaged.quarantined 0 = none */
} file_copies_t;

typedef void located_fn (void *owner, const moment_t *now, const file_copies_t *located);

typedef struct locating locating_t;

/*  site: "ams", whose own places are left out. The selector is told how fast other sites answer.
 *  All are borrowed for life. */
locating_t *locating_new (service_t *service, const char *site, selector_t *selector);
void locating_destroy (locating_t **self_p);

/*  Calls done exactly once, later. everybody: asks all sites, whatever the indexes say. Returns the
 *  number of the question, never 0. */
uint64_t locating_ask (locating_t *self, const moment_t *now, const char *name, bool everybody,
                       located_fn *done, void *owner);
void locating_cancel (locating_t *self, uint64_t question);

#endif
