/*  disk_bookings - the committed bookings of a site's disks, found by storage node and file.
 *
 *  A mirror of what the participant has on record, kept by its callbacks; held and prepared
 *  commands are in the calendars alone. Pure.
 */
#ifndef MUSUBI_DISK_BOOKINGS_H
#define MUSUBI_DISK_BOOKINGS_H

#include "ordered.h"
#include "participant.h"

#define DISK_BOOKING_KEY_BYTES (2 * NAME_BYTES_MAX + FILE_NAME_BYTES_MAX + 16)

/*  To be read by others; holds is disk_space's own. */
typedef struct {
    char key [DISK_BOOKING_KEY_BYTES]; /* node, file, reservation, place: sorts so */
    space_booking_t booking;
    char reservation [NAME_BYTES_MAX + 1];
    bool holds; /* its window has not begun, and the copy that it will use is counted already */
} disk_booking_t;

/*  Has its window begun, and is it not over? */
bool disk_booking_runs (const disk_booking_t *self, int64_t now_ms);

/*  Of disk_booking_t, by key; made and ended by disk_space. */
typedef ordered_t disk_bookings_t;

/*  Takes over what the participant has of this reservation now (a walk over all bookings), or, at
 *  the start, of all. */
void disk_bookings_learn (disk_bookings_t *self, const participant_t *participant,
                          const char *reservation);
void disk_bookings_learn_all (disk_bookings_t *self, const participant_t *participant);
void disk_bookings_forget (disk_bookings_t *self, const char *reservation);

/*  Walks the bookings of one node, or of all where node is "": NULL gives the first, each gives the
 *  next, and NULL ends them. With a file only bookings of that file are given; "" means room
 *  without a file, NULL means both. */
disk_booking_t *disk_bookings_next (const disk_bookings_t *self, const char *node, const char *file,
                                    const disk_booking_t *after);

#endif
