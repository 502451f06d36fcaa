/*  lis - one site's compute reservations: its classes of nodes, what is free on them and when, and
 *  the site's vote in transactions.
 *
 *  Questions (proto/calendar.proto, lis.proto) are answered from the timetable. Every change of a
 *  reservation goes through the participant (proto/transaction.md), which has the timetable as its
 *  resource. Opens no socket and no file, reads no clock.
 */
#ifndef MUSUBI_LIS_H
#define MUSUBI_LIS_H

#include "plus.h"
#include "provider.h"
#include "runner.h"

/*  Describes a site to its room: classes are the resources, counted in nodes; and reads from a
 *  ComputePart what is wanted of them. name is the site's, such as "ams"; the timekeeper is
 *  borrowed for life. */
free_capacity_t *bookings_room (const char *name, const site_t *site,
                                const timekeeper_t *timekeeper);

void bookings_reader (part_reader_t *reader);

/*  Everything is copied by lis_core. */
typedef struct {
    provider_settings_t provider;
    site_t site;
    plus_limits_t plus;
    const runner_settings_t *runner; /* NULL: the site keeps reservations' times only (back_end =
                                        none) */
} lis_settings_t;

/*  Rows of its numbers (lis_config.c). */
extern const setting_table_t lis_table;

/*  The parts of the core. */
typedef struct {
    provider_t provider;
    site_t site;      /* with the present number of nodes */
    runner_t *runner; /* NULL: back_end = none */
    plus_t *plus;
} lis_t;

/*  The core of svc-lis; its host ends it with core->destroy. */
void lis_core (const lis_settings_t *settings, core_t *core);

/*  NULL: the site runs nothing. */
charges_t *lis_charges (const core_t *core);

#endif
