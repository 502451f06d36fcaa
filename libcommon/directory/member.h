/*  member - a service of a federation: with a view of the directory, a ledger of what happens to
 *  its promises, and a restore guard, which says whether it may speak for its store. Pure.
 */
#ifndef MUSUBI_MEMBER_H
#define MUSUBI_MEMBER_H

#include "directory.h"
#include "ledger.h"
#include "restore_guard.h"
#include "service.h"

/*  The directory follows the first of these GIS endpoints that answers; none for a GIS. End it with
 *  service_destroy. */
service_t *member_new (const char *name, const char *const *gis_endpoints, size_t gis_count);

/*  What it has beside what every service has. Asserts that member_new made it. Borrowed. */
directory_t *directory_of (const service_t *service); /* NULL in a GIS: it sets its own resolver */
restore_guard_t *restore_guard_of (
  const service_t *service);                    /* may it speak for its store? (T14) */
ledger_t *ledger_of (const service_t *service); /* what happens to what this process has promised */

/*  Before the start: it needs only addresses and the homes (directory_follow_none). */
void member_follow_none (service_t *service);

/*  Tells the directories what is offered here; call it again when that has changed. The service's
 *  name and addresses are filled in. A GIS, which follows no directory, tells nothing. From
 *  EVENT_START on. */
void member_announce (service_t *service, const moment_t *now, directory_entry_t *entry);

#endif
