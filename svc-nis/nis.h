/*  nis - one network domain's bandwidth: its graph, what is free on its links and when, paths, and
 *  the domain's vote in transactions.
 *
 *  Questions (proto/calendar.proto, nis.proto) are answered from the timetable; whatever changes a
 *  reservation goes through the participant (proto/transaction.md), into which the timetable is
 *  plugged. Opens no socket and no file, reads no clock.
 */
#ifndef MUSUBI_NIS_H
#define MUSUBI_NIS_H

#include "domain.h"
#include "participant.h"
#include "timetable.h"
#include "use.h"

/*  Limits of the questions; those of holds are in participant_limits_t. */
typedef struct {
    uint32_t bookings_max; /* in the calendars of all links: a circuit books each; 4 000 000 */
    uint32_t bookings_per_actor_max; /* of those, in one actor's name; 1 000 000 */
    uncommitted_limits_t uncommitted;
    uint32_t profile_steps_max; /* in one answer, over all its links; 32 768, at least 4 096 */
    uint32_t fresh_steps_max;   /* in the fresh profiles of one refusal; 8 192, at least 4 096 */
    uint32_t spans_max;         /* in one answer to Free; 1 024 */
    uint32_t windows_max;       /* in one question; 4 096 */
    uint32_t paths_max;         /* questions in one request; 256 */
} nis_limits_t;

extern const nis_limits_t nis_limits_default;

/*  Those of them that the bookings keep. */
timetable_limits_t nis_timetable_limits (const nis_limits_t *limits);

#define NIS_STEPS_LEAST  DOMAIN_LINKS_MAX /* one for each link of a domain */
#define NIS_STEPS_MOST   32768            /* some 20 bytes each: fits BODY_BYTES_MAX */
#define NIS_SPANS_MOST   4096             /* some 80 bytes each */
#define NIS_WINDOWS_MOST 4096
#define NIS_PATHS_MOST   256

/*  Everything is copied by nis_core. */
typedef struct {
    const char *name; /* "nis/N" */
    domain_t domain;  /* domain_check is content with it */
    use_mode_t use;
    access_t access; /* who has an account here, and who administers the domain */
    participant_limits_t participant;
    nis_limits_t limits;
    const char *const *gis_endpoints;
    size_t gis_count;
    int64_t standing_wait_ms; /* for a directory, at start; 0 = it serves meanwhile (T14) */
} nis_settings_t;

/*  The core of svc-nis; its host ends it with core->destroy. */
void nis_core (const nis_settings_t *settings, core_t *core);

/*  Walk the invariants; aborts on a broken one. For tests. */
void nis_check (const core_t *core);

#endif
