/*  freed - hears sites say that their calendars have freed something. */
#ifndef MUSUBI_FREED_H
#define MUSUBI_FREED_H

#include <jansson.h>
#include <stdint.h>

typedef struct freed freed_t;

/*  Listens to the publishers of all sites among the directory's entries. */
freed_t *freed_new (const json_t *entries);
void freed_destroy (freed_t **self_p);

/*  Returns at the first hint, after so long, or at an interrupt. What came since the last call
 *  counts; several hints at once are one. */
void freed_wait (freed_t *self, int64_t ms);

#endif
