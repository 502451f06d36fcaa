/*  locating - which other sites have a file: the indexes are asked first, and when none of them
 *  knows a sound copy, every site itself. An index only says where to ask; asking all is complete
 *  but for those that are silent. Pure.
 */
#ifndef MUSUBI_LOCATING_H
#define MUSUBI_LOCATING_H

#include "file_place.h"
#include "selector.h"
#include "service.h"

#define LOCATE_TRY_MS 1500
#define LOCATE_NAMED  8 /* silent sites that are named */

/*  Borrowed for the length of located_fn. */
typedef struct {
    const file_place_t *places; /* of other sites; with sound copies, one a site */
    size_t count;
    size_t silent; /* sites that should have been asked and did not answer */
    char silent_names [256];
} file_copies_t;

typedef void located_fn (void *owner, const moment_t *now, const file_copies_t *located);

typedef struct locating locating_t;

/*  site: "ams", whose own places are left out. The selector hears how soon others answer. All are
 *  borrowed for life. */
locating_t *locating_new (service_t *service, const char *site, selector_t *selector);
void locating_destroy (locating_t **self_p);

/*  done is called exactly once, never from within. everybody: the sites themselves, whatever the
 *  indexes say. Returns its number, never 0. */
uint64_t locating_ask (locating_t *self, const moment_t *now, const char *name, bool everybody,
                       located_fn *done, void *owner);
void locating_cancel (locating_t *self, uint64_t question);

#endif
