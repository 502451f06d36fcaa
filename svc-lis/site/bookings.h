/*  bookings - a site as its room sees it: classes of nodes are the resources, counted in nodes; and
 *  what a ComputePart asks of them.
 */
#ifndef MUSUBI_BOOKINGS_H
#define MUSUBI_BOOKINGS_H

#include "timetable.h"

/*  name is the site's, "ams"; the timekeeper is borrowed for life. */
free_capacity_t *bookings_room (const char *name, const site_t *site,
                                const timekeeper_t *timekeeper);

void bookings_reader (part_reader_t *reader);

#endif
