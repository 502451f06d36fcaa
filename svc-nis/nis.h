/*  nis - one network domain's bandwidth: its graph, what is free on its links and when, paths, and
 *  the domain's vote in transactions.
 *
 *  Questions (proto/calendar.proto, nis.proto) are answered from the timetable; whatever changes a
 *  reservation goes through the participant (proto/transaction.md), into which the timetable is
 *  plugged. Opens no socket and no file, reads no clock.
 */
#ifndef MUSUBI_NIS_H
#define MUSUBI_NIS_H

#include "calendar_service.h"
#include "circuit_usage.h"
#include "circuits.h"
#include "domain.h"
#include "provider.h"
#include "routers.h"

/*  Answers Nis.Paths: ways through the domain's own graph over which so much is free. */
typedef struct paths path_service_t;

#define NIS_WINDOWS_MOST 4096 /* in one question */
#define NIS_PATHS_MOST   256  /* questions about paths in one request */

/*  Everything is copied by nis_core. */
typedef struct {
    provider_settings_t provider;
    domain_t domain; /* passes domain_check */
    use_mode_t use;
    bool agents;                /* its back end is agents on its routers: */
    routers_settings_t routers; /* then with these */
    uint32_t paths_max;         /* at most NIS_PATHS_MOST */
} nis_settings_t;

/*  Rows of its numbers. */
extern const setting_table_t nis_table;

/*  What the core is of. */
typedef struct {
    provider_t provider;
    domain_t domain; /* with the present capacities */
    circuits_t circuits;
    circuit_usage_t *uses;
    routers_t *routers; /* NULL = the back end is none */
    path_service_t *paths;
} nis_t;

/*  The core of svc-nis; its host ends it with core->destroy. */
void nis_core (const nis_settings_t *settings, core_t *core);

#endif
