/*  roster - which services are listed in the directory, until when, and the numbered changes of the
 *  list.
 *
 *  An entry has a lease: if it is announced again before the lease ends it stays, else it goes. A
 *  name belongs to the store that holds it until its lease ends; a higher start of the same store
 *  replaces it at once. Every change gets the next number and is published (topic "directory"); a
 *  repeated announcement that changes nothing is no change. Ascending by name. Nothing is stored
 *  but who was listed.
 */
#ifndef MUSUBI_ROSTER_H
#define MUSUBI_ROSTER_H

#include "directory_wire.h"
#include "service.h"

/*  Which sites, domains, storages, indexes and balancers were listed once and are not now, and
 *  since when: so that one that is silent is not taken for one that never was. Stored, as are those
 *  that are listed: a directory that starts anew misses who does not come back. Of more than
 *  remembered_max the one heard of longest ago is forgotten. */
typedef struct absences absences_t;

typedef struct {
    uint32_t remembered_max; /* at most ABSENCES_MAX */
    int64_t remembered_ms;
    int64_t grace_ms; /* after a start, for those that were listed before it */
} absences_limits_t;

/*  NULL when it is listed, or not remembered. */
const absence_t *absences_find (const absences_t *self, const char *name);

/*  The first whose name is greater; NULL first, NULL at the end. */
const absence_t *absences_after (const absences_t *self, const char *name);

#define ROSTER_FOR_EVER INT64_MAX
#define ROSTER_LOG_MAX  4096 /* changes that those who have missed them are told */

typedef enum {
    ROSTER_OK,
    ROSTER_HELD,  /* another store holds the name and its lease has not ended */
    ROSTER_STALE, /* a higher start of the same store is listed */
    ROSTER_FULL,  /* entries_max, or the bytes of all entries */
} roster_answer_t;

/*  Valid until the roster changes. */
typedef struct {
    directory_entry_t entry;
    packed_t packed;     /* as it was announced */
    packed_t summary;    /* of what it has free, as it was announced last; empty = none */
    uint64_t summarised; /* the number of that change; 0 = there was none */
} listing_t;

typedef struct roster roster_t;

roster_t *roster_new (service_t *service, uint32_t entries_max, const absences_limits_t *limits);
void roster_destroy (roster_t **self_p);

/*  Lists an entry that is new or has changed, for lease_ms (ROSTER_FOR_EVER: without a lease). On
 *  ROSTER_OK the roster has taken over the contents of entry and packed; on any other answer
 *  nothing has changed. */
roster_answer_t roster_list (roster_t *self, const moment_t *now, directory_entry_t *entry,
                             packed_t *packed, int64_t lease_ms);

/*  Keeps it listed for another lease, if it is listed with exactly these bytes; else false. */
bool roster_keep (roster_t *self, const moment_t *now, const char *name, bytes_t packed,
                  int64_t lease_ms);

/*  Takes it off the list, and forgets it unless it only stops, if it is that start of that
 *  store. */
void roster_withdraw (roster_t *self, const moment_t *now, const withdraw_t *withdraw);

const absences_t *roster_absences (const roster_t *self);

/*  NULL when it is not listed. */
const listing_t *roster_find (const roster_t *self, const char *name);

/*  The first whose name is greater; NULL at the end. */
const listing_t *roster_after (const roster_t *self, const char *name);

/*  What a listed service has free. Changes of it have numbers of their own and are not
 *  published. */
void roster_summarise (roster_t *self, const char *name, bytes_t summary);

/*  The next listing by the number of its last such change; NULL at the end. */
const listing_t *roster_summarised (const roster_t *self, uint64_t number);

/*  The number of the last change; 0 before the first. */
uint64_t roster_number (const roster_t *self);

/*  Whom the changes after that number were about, of which there is at least one: each name once,
 *  ascending. Returns how many; SIZE_MAX: the log does not reach back so far. */
size_t roster_changed (const roster_t *self, uint64_t number,
                       char names [ROSTER_LOG_MAX][NAME_BYTES_MAX + 1]);

#endif
