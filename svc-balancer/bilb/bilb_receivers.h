/*  bilb_receivers - the clusters that have had their turn, and rise together.
 *
 *  Those at one time form a group, and groups that meet stay together. Groups at or below the last
 *  target stand in a stack, the highest on top; what all of them rise by is added to one common
 *  offset. Those above it, whose limits kept work back, wait in a heap until the target comes by.
 *  Whoever reaches its level leaves its group for good. So each cluster costs a few operations on
 *  heaps in all, however often its time changes.
 */
#ifndef MUSUBI_BILB_RECEIVERS_H
#define MUSUBI_BILB_RECEIVERS_H

#include <stddef.h>
#include <stdint.h>

typedef struct bilb_receivers bilb_receivers_t;

bilb_receivers_t *bilb_receivers_new (void);
void bilb_receivers_destroy (bilb_receivers_t **self_p);

/*  Nobody is in; room for so many. */
void bilb_receivers_clear (bilb_receivers_t *self, size_t count);

/*  One more, named by the next number from 0 on; its time is no lower than the last target. */
void bilb_receivers_add (bilb_receivers_t *self, double time, double speed, double level);

/*  Each one's time rises by `rise`, but not above target nor its level; targets never fall. Returns
 *  the load that this is. */
double bilb_receivers_raise (bilb_receivers_t *self, double rise, double target);

/*  Times as they are now, by number. Ends the rising: clear before the next raise. */
void bilb_receivers_times (bilb_receivers_t *self, double *times);

#endif
