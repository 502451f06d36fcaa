/*  batch_system - names, and pictures that grow. */
#include "batch_system.h"

#include "must.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "musubi-"

static bool batch_name_plain (const char *name)
{
    return strspn (name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._@-") ==
           strlen (name);
}

bool batch_name (const batch_setup_t *setup, const char *name, char to [BATCH_NAME_BYTES_MAX + 1],
                 char why [WHY_BYTES])
{
    int size = snprintf (to, BATCH_NAME_BYTES_MAX + 1, PREFIX "%s-%s", setup->site, name);
    return (size <= BATCH_NAME_BYTES_MAX && batch_name_plain (to)) ||
           wrong (why,
                  "\"%.60s\": in a batch system a name should be letters, digits and . _ - @, "
                  "together with the site's at most %d",
                  name, BATCH_NAME_BYTES_MAX - (int) sizeof PREFIX);
}

const char *batch_name_ours (const batch_setup_t *setup, const char *name)
{
    size_t site = strlen (setup->site), prefix = sizeof PREFIX - 1;
    bool ours = strncmp (name, PREFIX, prefix) == 0 &&
                strncmp (name + prefix, setup->site, site) == 0 && name [prefix + site] == '-';
    return ours && batch_name_plain (name) ? name + prefix + site + 1 : NULL;
}

batch_node_t *batch_picture_node (batch_picture_t *picture, const char *node)
{
    picture->nodes =
      must (reallocarray (picture->nodes, picture->nodes_count + 1, sizeof *picture->nodes));
    batch_node_t *added = &picture->nodes [picture->nodes_count++];
    *added = (batch_node_t){0};
    snprintf (added->node, sizeof added->node, "%s", node);
    return added;
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
