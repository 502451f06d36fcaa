/*  lis - one site's compute reservations: its classes of nodes, what is free on them and when, and
 *  the site's vote in transactions.
 *
 *  Questions (proto/calendar.proto, lis.proto) are answered from the timetable; whatever changes a
 *  reservation goes through the participant (proto/transaction.md), into which the timetable is
 *  plugged. Opens no socket and no file, reads no clock.
 */
#ifndef MUSUBI_LIS_H
#define MUSUBI_LIS_H

#include "participant.h"
#include "plus.h"
#include "runner.h"
#include "site.h"
#include "timetable.h"

/*  Limits of the questions; those of holds are in participant_limits_t. */
typedef struct {
    uint32_t bookings_max;           /* bookings in the calendars of all classes; 4 000 000 */
    uint32_t bookings_per_actor_max; /* of those, in one actor's name; 1 000 000 */
    uint32_t profile_steps_max;      /* in one answer, over all its classes; 16 384, at least 64 */
    uint32_t fresh_steps_max;        /* in the fresh profile of one refusal; 2 048, at least 64 */
    uint32_t spans_max;              /* in one answer to Free; 1 024 */
    uncommitted_limits_t uncommitted;
} lis_limits_t;

extern const lis_limits_t lis_limits_default;

/*  Those of them that the bookings keep. */
timetable_limits_t lis_timetable_limits (const lis_limits_t *limits);

#define LIS_STEPS_LEAST   64    /* one for each class of a site */
#define LIS_STEPS_MOST    32768 /* some 20 bytes each: fits BODY_BYTES_MAX */
#define LIS_SPANS_MOST    4096  /* some 80 bytes each */
#define LIS_BOOKINGS_MOST 1000000000

/*  Everything is copied by lis_core. */
typedef struct {
    const char *name; /* "lis/ams" */
    site_t site;
    access_t access; /* who has a local account here, and who administers the site */
    participant_limits_t participant;
    lis_limits_t limits;
    plus_limits_t plus;
    const char *const *gis_endpoints;
    size_t gis_count;
    const runner_settings_t *runner; /* NULL = it keeps the times only (back_end = none) */
    int64_t standing_wait_ms;        /* for a directory, at start; 0 = it serves meanwhile (T14) */
} lis_settings_t;

/*  The core of svc-lis; its host ends it with core->destroy. */
void lis_core (const lis_settings_t *settings, core_t *core);

/*  Its runner, NULL = none. For tests. */
runner_t *lis_runner (const core_t *core);

#endif
