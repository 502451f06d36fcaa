/*  bilb_receivers - the clusters that have had their turn, and whose times rise together.
 *
 *  Clusters with the same time form a group, and groups that meet stay together. Groups at or below
 *  the last target stand on a stack, the highest on top; what all of them rise by is added to one
 *  common offset. Clusters above it, whose limits held work back, wait in a heap until the target
 *  reaches them. A cluster that reaches its level leaves its group for good. So each cluster costs
 *  a few heap operations in all, however often its time changes.
 */
#ifndef MUSUBI_BILB_RECEIVERS_H
#define MUSUBI_BILB_RECEIVERS_H

#include <stddef.h>
#include <stdint.h>

typedef struct bilb_receivers bilb_receivers_t;

bilb_receivers_t *bilb_receivers_new (void);
void bilb_receivers_destroy (bilb_receivers_t **self_p);

/*  Empties it, and makes room for so many clusters. */
void bilb_receivers_clear (bilb_receivers_t *self, size_t count);

/*  Adds a cluster; they are numbered from 0 in this order. Its time is not below the last
 *  target. */
void bilb_receivers_add (bilb_receivers_t *self, double time, double speed, double level);

/*  Raises the time of each cluster by `rise`, but not above target or its level; targets never
 *  fall. Returns the load that they receive in all. */
double bilb_receivers_raise (bilb_receivers_t *self, double rise, double target);

/*  Times as they are now, by number. Ends the rising: clear before the next raise. */
void bilb_receivers_times (bilb_receivers_t *self, double *times);

#endif
