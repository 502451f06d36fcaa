/*  owner_counts - how many of a service's bookings stand in each actor's name. Counting and asking
 *  cost the logarithm of the number of actors that have any. Pure.
 */
#ifndef MUSUBI_OWNER_COUNTS_H
#define MUSUBI_OWNER_COUNTS_H

#include <stddef.h>

typedef struct owners owner_counts_t;

owner_counts_t *owner_counts_new (void);
void owner_counts_destroy (owner_counts_t **self_p);

/*  Adds so many in this actor's name; takes off so many of those that were added. */
void owner_counts_add (owner_counts_t *self, const char *actor, size_t count);
void owner_counts_take_off (owner_counts_t *self, const char *actor, size_t count);

size_t owner_counts_of (const owner_counts_t *self, const char *actor);

#endif
