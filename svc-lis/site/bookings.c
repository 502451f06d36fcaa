/*  bookings - makes offers of classes, and wishes of bookings. */
#include "bookings.h"

#include "must.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

free_capacity_t *bookings_room (const char *name, const site_t *site,
                                const timekeeper_t *timekeeper)
{
    resource_offer_t offers [SITE_CLASSES_MAX];
    assert (site->classes_count <= SITE_CLASSES_MAX);
    for (size_t i = 0; i < site->classes_count; i++) {
        const node_class_t *class = &site->classes [i];
        offers [i] = (resource_offer_t){.quantity = class->nodes, .unit = class->cpus_per_node};
        snprintf (offers [i].name, sizeof offers [i].name, "%s", class->name);
    }
    free_capacity_settings_t settings = {
      .name = name,
      .words = {.resource = "class", .quantity = "nodes", .amount = "CPUs"},
      .terms = {.disclosure = site->disclosure,
                .lead_ms = site->lead_ms,
                .horizon_ms = site->horizon_ms,
                .gap_ms = site->cleaning_gap_ms},
      .offers = offers,
      .offers_count = site->classes_count,
    };
    return free_capacity_new (&settings, timekeeper);
}

static admission_want_t *bookings_read (const part_body_t *part, size_t *count)
{
    *count = part->compute.bookings_count;
    admission_want_t *wishes = must (malloc ((*count + 1) * sizeof *wishes));
    for (size_t i = 0; i < *count; i++) {
        const compute_booking_t *booking = &part->compute.bookings [i];
        wishes [i] = (admission_want_t){.amount = booking->cpus,
                                        .quantity = booking->nodes,
                                        .from_ms = booking->from_ms,
                                        .until_ms = booking->until_ms};
        memcpy (wishes [i].need, booking->need, sizeof wishes [i].need);
        memcpy (wishes [i].resource, booking->class_name, sizeof wishes [i].resource);
    }
    return wishes;
}

void bookings_reader (part_reader_t *reader)
{
    *reader = (part_reader_t){.part_kind = PART_COMPUTE, .read = bookings_read};
}
