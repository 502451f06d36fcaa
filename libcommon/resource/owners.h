/*  owners - how many of a service's bookings stand in each actor's name. Counting and asking cost
 *  the logarithm of the actors who have any. Pure.
 */
#ifndef MUSUBI_OWNERS_H
#define MUSUBI_OWNERS_H

#include <stddef.h>

typedef struct owners owners_t;

owners_t *owners_new (void);
void owners_destroy (owners_t **self_p);

/*  So many more in this actor's name; so many less, of what was added. */
void owners_add (owners_t *self, const char *actor, size_t count);
void owners_take_off (owners_t *self, const char *actor, size_t count);

size_t owners_count (const owners_t *self, const char *actor);

#endif
