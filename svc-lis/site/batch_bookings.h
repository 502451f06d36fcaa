/*  batch_bookings - what others have booked in a site's batch system, in the site's own calendars:
 *  so nothing is granted over it. A node that is lost or drained is not counted twice.
 */
#ifndef MUSUBI_BATCH_BOOKINGS_H
#define MUSUBI_BATCH_BOOKINGS_H

#include "free_capacity.h"
#include "nodes.h"

/*  All zero but for the room. */
typedef struct {
    free_capacity_t *room;
    interval_list_t booked;
    bool apart;           /* jobs are not in the calendars, but told here: */
    interval_list_t jobs; /* what they take beside the others */
} batch_bookings_t;

/*  Makes the calendars say what the nodes' batch system has told last. True when they have changed.
 */
bool batch_bookings_follow (batch_bookings_t *self, const nodes_t *nodes);
void batch_bookings_end (batch_bookings_t *self);

#endif
