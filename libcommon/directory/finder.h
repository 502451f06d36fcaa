/*  finder - asks a directory where services are, by name, for those who do not follow it.
 *
 *  What is wanted within one turn is asked in one question. The next GIS of the list is asked when
 *  one gives no answer. Nothing is repeated here: who needs an address tries again and wants it
 *  again. Pure.
 */
#ifndef MUSUBI_FINDER_H
#define MUSUBI_FINDER_H

#include "call.h"
#include "directory_entry.h"
#include "timers.h"

typedef struct finder finder_t;

/*  An entry that was wanted; what it owns may be taken over. */
typedef void finder_found_fn (void *owner, const moment_t *now, directory_entry_t *entry);

/*  Everything is borrowed for life. */
finder_t *finder_new (calls_t *calls, timers_t *timers, const char *const *gis, size_t gis_count,
                      finder_found_fn *found, void *owner);
void finder_destroy (finder_t **self_p);

/*  Asks for it soon, unless that is under way. */
void finder_want (finder_t *self, const moment_t *now, const char *name);

#endif
