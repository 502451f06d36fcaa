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
#include "provider.h"
#include "use.h"

extern const provider_limits_t nis_limits_default;

#define NIS_WINDOWS_MOST 4096 /* in one question */
#define NIS_PATHS_MOST   256  /* questions about paths in one request */

/*  Everything is copied by nis_core. */
typedef struct {
    provider_settings_t provider;
    domain_t domain; /* domain_check is content with it */
    use_mode_t use;
    uint32_t paths_max; /* at most NIS_PATHS_MOST */
} nis_settings_t;

/*  The core of svc-nis; its host ends it with core->destroy. */
void nis_core (const nis_settings_t *settings, core_t *core);

/*  Walk the invariants; aborts on a broken one. For tests. */
void nis_check (const core_t *core);

#endif
