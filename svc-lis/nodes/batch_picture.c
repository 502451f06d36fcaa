/*  batch_picture - pictures that grow. */
#include "batch_picture.h"

#include "must.h"

#include <inttypes.h>
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

static bool feature_there (const char *features, const char *feature)
{
    size_t size = strlen (feature);
    for (const char *at = features; at && (at = strstr (at, feature)); at += size)
        if ((at == features || at [-1] == ',') && (at [size] == ',' || !at [size]))
            return true;
    return false;
}

static bool attribute_there (const batch_node_t *node, const attribute_t *attribute)
{
    if (strcmp (attribute->value, BATCH_FEATURE) == 0)
        return feature_there (node->features, attribute->name);
    if (strcmp (attribute->name, BATCH_GPU) == 0)
        return strcmp (attribute->value, node->gpu) == 0;
    return strcmp (attribute->name, BATCH_GPUS) != 0 ||
           strtoull (attribute->value, NULL, 10) <= node->gpus;
}

bool batch_node_fits (const batch_picture_t *picture, const batch_node_t *node,
                      const node_class_t *class, char why [WHY_BYTES])
{
    if (node->cpus > 0 && node->cpus < class->cpus_per_node)
        return wrong (why,
                      "it has %" PRIu32 " CPUs in %.63s, and class %.63s sells %" PRIu32
                      ": set its cpus_per_node",
                      node->cpus, picture->system, class->name, class->cpus_per_node);
    for (size_t i = 0; picture->features && i < class->attributes_count; i++) {
        const attribute_t *sold = &class->attributes [i];
        if (!attribute_there (node, sold))
            return wrong (why,
                          "class %.40s sells %.40s = %.40s, and in %.20s it has gpu = \"%.40s\", "
                          "gpus = %" PRIu32 ", features \"%.60s\": change the class's attributes",
                          class->name, sold->name, sold->value, picture->system, node->gpu,
                          node->gpus, node->features ? node->features : "");
    }
    return true;
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
