/*  bookings - describes a site to its room: classes are the resources, counted in nodes; and reads
 *  from a ComputePart what is wanted of them.
 */
#ifndef MUSUBI_BOOKINGS_H
#define MUSUBI_BOOKINGS_H

#include "timetable.h"

/*  name is the site's, such as "ams"; the timekeeper is borrowed for life. */
free_capacity_t *bookings_room (const char *name, const site_t *site,
                                const timekeeper_t *timekeeper);

void bookings_reader (part_reader_t *reader);

#endif
