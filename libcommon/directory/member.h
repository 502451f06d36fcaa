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

/*  Before the start: it needs only addresses and the homes (directory_follow_none). */
void member_follow_none (service_t *self);

/*  Tells the directories what is offered here; call it again when that has changed. The service's
 *  name and addresses are filled in. A GIS, which follows no directory, tells nothing. From
 *  EVENT_START on. */
void member_announce (service_t *self, const moment_t *now, directory_entry_t *entry);

#endif
