/*  batch_picture - pictures that grow. */
#include "batch_picture.h"

#include "must.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

batch_node_t *batch_picture_node (batch_picture_t *picture, const char *node)
{
    picture->nodes =
      must (reallocarray (picture->nodes, picture->nodes_count + 1, sizeof *picture->nodes));
    batch_node_t *added = &picture->nodes [picture->nodes_count++];
    *added = (batch_node_t){0};
    snprintf (added->node, sizeof added->node, "%s", node);
    return added;
}

static int batch_picture_compare (const void *one, const void *other)
{
    return strcmp (one, other); /* names are first members */
}

void batch_picture_sort (batch_picture_t *picture)
{
    if (picture->nodes_count > 1)
        qsort (picture->nodes, picture->nodes_count, sizeof *picture->nodes, batch_picture_compare);
}

batch_node_t *batch_picture_find (const batch_picture_t *picture, const char *node)
{
    return picture->nodes_count == 0 ? NULL
                                     : bsearch (node, picture->nodes, picture->nodes_count,
                                                sizeof *picture->nodes, batch_picture_compare);
}

void batch_node_job (batch_node_t *node, int64_t since_ms, int64_t until_ms, bool firm)
{
    if (node->busy_until_ms == 0 || since_ms < node->busy_since_ms)
        node->busy_since_ms = since_ms;
    if (until_ms > node->busy_until_ms)
        node->busy_until_ms = until_ms;
    if (firm && until_ms > node->firm_until_ms)
        node->firm_until_ms = until_ms;
}

batch_booking_t *batch_picture_booking (batch_picture_t *picture, const char *name, int64_t from_ms,
                                        int64_t until_ms)
{
    picture->bookings = must (
      reallocarray (picture->bookings, picture->bookings_count + 1, sizeof *picture->bookings));
    batch_booking_t *added = &picture->bookings [picture->bookings_count++];
    *added = (batch_booking_t){.from_ms = from_ms, .until_ms = until_ms};
    snprintf (added->name, sizeof added->name, "%s", name);
    return added;
}

void batch_booking_node (batch_booking_t *booking, const char *node)
{
    booking->nodes =
      must (reallocarray (booking->nodes, booking->nodes_count + 1, sizeof *booking->nodes));
    booking->nodes [booking->nodes_count++] = must (strdup (node));
}

bool batch_booking_next (const batch_booking_t *booking, size_t *time, int64_t *from_ms,
                         int64_t *until_ms)
{
    size_t end = 2 * *time; /* of its pair */
    if (end > booking->again_count)
        return false;
    *from_ms = end == 0 ? booking->from_ms : booking->again_ms [end - 2];
    *until_ms = end == 0 ? booking->until_ms : booking->again_ms [end - 1];
    (*time)++;
    return true;
}
