/*  disk_bookings - one order of all of them. */
#include "disk_bookings.h"

#include "must.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool disk_booking_runs (const disk_booking_t *self, int64_t now_ms)
{
    return self->booking.from_ms <= now_ms && now_ms < self->booking.until_ms;
}

void disk_bookings_forget (disk_bookings_t *self, const char *reservation)
{
    disk_booking_t *booking = ordered_after (self, NULL);
    for (disk_booking_t *next; booking; booking = next) {
        next = ordered_after (self, booking->key);
        if (strcmp (booking->reservation, reservation) == 0)
            free (ordered_remove (self, booking->key));
    }
}

static void disk_bookings_take (disk_bookings_t *self, const reservation_view_t *view)
{
    part_body_t part;
    char why [WHY_BYTES];
    if (view->over || view->part.size == 0 || !part_decode (&part, PART_SPACE, view->part, why))
        return;
    for (size_t i = 0; i < part.space.bookings_count; i++) {
        disk_booking_t *booking = must (calloc (1, sizeof *booking));
        booking->booking = part.space.bookings [i];
        snprintf (booking->reservation, sizeof booking->reservation, "%s", view->id);
        snprintf (booking->key, sizeof booking->key, "%s\n%s\n%s\n%zu", booking->booking.node,
                  booking->booking.file, view->id, i); /* none of them has a line's end */
        ordered_add (self, booking->key, booking);
    }
    part_clear (&part);
}

void disk_bookings_learn (disk_bookings_t *self, const participant_t *participant,
                          const char *reservation)
{
    reservation_view_t view;
    disk_bookings_forget (self, reservation);
    if (participant_find (participant, reservation, &view))
        disk_bookings_take (self, &view);
}

void disk_bookings_learn_all (disk_bookings_t *self, const participant_t *participant)
{
    reservation_view_t view;
    for (const char *after = NULL; participant_next (participant, after, &view); after = view.id)
        disk_bookings_take (self, &view);
}

disk_booking_t *disk_bookings_next (const disk_bookings_t *self, const char *node, const char *file,
                                    const disk_booking_t *after)
{
    char prefix [DISK_BOOKING_KEY_BYTES] = "";
    if (*node)
        snprintf (prefix, sizeof prefix, file ? "%s\n%s\n" : "%s\n", node, file);
    disk_booking_t *next = ordered_after (self, after ? after->key : prefix);
    return next && strncmp (next->key, prefix, strlen (prefix)) == 0 ? next : NULL;
}
