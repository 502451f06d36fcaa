/*  load - how much of something is taken, over time, by takings that are known by what they are.
 *
 *  A calendar without a capacity and without names: what was added is taken off again by saying the
 *  same interval and quantity. An empty one costs next to nothing, one with few takings a kilobyte;
 *  adding, taking off and asking cost the logarithm of the takings. Pure.
 */
#ifndef MUSUBI_LOAD_H
#define MUSUBI_LOAD_H

#include "calendar.h"

typedef struct load load_t;

load_t *load_new (void);
void load_destroy (load_t **self_p);

/*  quantity > 0, the interval as in calendar.h. What is taken off was added before. */
void load_add (load_t *self, interval_t over, int64_t quantity);
void load_take_off (load_t *self, interval_t over, int64_t quantity);
bool load_empty (const load_t *self);

/*  The greatest load in a non-empty interval. */
int64_t load_most (const load_t *self, interval_t over);

/*  The first maximal piece of a non-empty interval in which the load is above the limit (>= 0);
 *  false when there is none. */
bool load_above (const load_t *self, interval_t over, int64_t limit, interval_t *piece);

#endif
