/*  absences - which sites, domains, storages, indexes and balancers were listed once and are not
 *  now, and since when: so that one that is silent is not taken for one that never was.
 *
 *  Stored, as are those that are listed: a directory that starts anew misses who does not come back.
 *  Of more than remembered_max the one heard of longest ago is forgotten.
 */
#ifndef MUSUBI_ABSENCES_H
#define MUSUBI_ABSENCES_H

#include "directory_wire.h"
#include "service.h"

typedef struct absences absences_t;

typedef struct {
    uint32_t remembered_max; /* at most ABSENCES_MAX */
    int64_t remembered_ms;
    int64_t grace_ms; /* after a start, for those that were listed before it */
} absences_limits_t;

/*  Loads TABLE_ABSENCES. changed: what is told of that name has changed by the passing of time. */
typedef void absence_changed_fn (void *owner, const char *name);
absences_t *absences_new (service_t *service, const absences_limits_t *limits,
                          absence_changed_fn *changed, void *owner);
void absences_destroy (absences_t **self_p);

void absences_listed (absences_t *self, const directory_entry_t *entry);

/*  It is listed no more; it was heard of last, or stopped, at that wall time. */
void absences_left (absences_t *self, const char *name, int64_t since_ms, bool stopped);

bool absences_forget (absences_t *self, const withdraw_t *withdraw);

/*  NULL when it is listed, or not remembered. */
const absence_t *absences_find (const absences_t *self, const char *name);

/*  The first whose name is greater; NULL first, NULL at the end. */
const absence_t *absences_after (const absences_t *self, const char *name);

#endif
