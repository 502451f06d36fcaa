/*  directory - a service's view of which services exist and where they are reached, kept fresh from
 *  a GIS; and its own entry there.
 *
 *  The Clone pattern of the ZeroMQ guide: a snapshot, then numbered deltas. A gap, a new store or
 *  start of the publisher, or any doubt is settled by a new snapshot. When the GIS that is followed
 *  falls silent, or begins anew and lists few yet, the next one of the list is tried, and what is
 *  known stays known meanwhile (T16: a hint, never evidence). The own entry is announced to every
 *  GIS of the list, so that each can serve alone.
 *
 *  Who needs only addresses does not follow: it asks for services by name when it calls them, and
 *  is told the homes when it announces itself. It may follow some kinds beside: of these it asks
 *  what has changed, from time to time and when it needs to know, and hears no notices.
 */
#ifndef MUSUBI_DIRECTORY_H
#define MUSUBI_DIRECTORY_H

#include "call.h"
#include "core.h"
#include "directory_entry.h"
#include "outbox.h"
#include "timers.h"

#define DIRECTORY_POLL_MS     5000 /* asks for a snapshot when it has heard nothing for so long */
#define DIRECTORY_ENTRIES_MAX 65536

struct restore_guard;

typedef struct directory directory_t;

/*  gis_endpoints are copied. */
directory_t *directory_new (calls_t *calls, outbox_t *outbox, timers_t *timers, prng_t *prng,
                            const char *const *gis_endpoints, size_t gis_count);
void directory_destroy (directory_t **self_p);

/*  Before the start: this one does not follow. */
void directory_follow_none (directory_t *self);

/*  One that does not follow the whole: follows this kind ("replica") from now on, one of
 *  SNAPSHOT_KINDS_MAX. */
void directory_follow (directory_t *self, const moment_t *now, const char *kind);

/*  Asks now what has changed of the kinds that are followed. True: heard is called once that is
 *  known, or nobody has told it. */
typedef void directory_heard_fn (void *owner, const moment_t *now);
bool directory_refresh (directory_t *self, const moment_t *now);
void directory_on_heard (directory_t *self, directory_heard_fn *heard, void *owner);

/*  Before the start: see registration_guard. */
void directory_restore_guard (directory_t *self, struct restore_guard *restore_guard);

/*  Before the start: see registration_summarise. */
void directory_summarise (directory_t *self, free_summary_fn *summary, void *owner);

/*  Starts following (at EVENT_START). */
void directory_start (directory_t *self, const moment_t *now);

/*  Takes an EVENT_NOTICE. */
void directory_notice (directory_t *self, const moment_t *now, const event_t *event);

/*  Announces this entry from now on, with heartbeats; call it again to change the entry, which is
 *  copied. */
void directory_announce (directory_t *self, const moment_t *now, const directory_entry_t *entry);

/*  The process ends: its entry is withdrawn. */
void directory_withdraw (directory_t *self, const moment_t *now);

/*  Has a snapshot come since changes are heard? Before that, nobody should be told that a service
 *  does not exist. One that follows nothing: have the homes been told? */
bool directory_known (const directory_t *self);

/*  Where a service is reached, NULL when that is not known. One that does not follow asks for it
 *  then, and from time to time, so that the next try may know. Valid until the next event. */
const char *directory_address (directory_t *self, const moment_t *now, const char *name);

/*  NULL when not known. Valid until the next event. */
const directory_entry_t *directory_find (const directory_t *self, const char *name);

/*  Keeps this summary with the entry of that name, if it is known, as long as it is of the same
 *  start of the same store; NULL: none is told any more. Its contents are taken over. */
void directory_keep_summary (directory_t *self, const char *name, free_summary_t *summary);

/*  Grows when a site comes or changes, or any entry goes. In between all pointers to entries stay
 *  good. */
uint64_t directory_turnover (const directory_t *self);

/*  Iterate a kind ("lis"; "" = all) ascending by name: pass NULL first, then the entry before. */
const directory_entry_t *directory_next (const directory_t *self, const char *kind,
                                         const directory_entry_t *before);

/*  Of those who were listed and are not now: the one of that name or NULL; and ascending by name,
 *  NULL first, NULL at the end. They are told to people, never called. Valid until the next
 *  event. */
const absence_t *directory_absent (const directory_t *self, const char *name);
const absence_t *directory_next_absent (const directory_t *self, const absence_t *before);

/*  The federation's fixed list of request homes (names of GIS services), in order (T2). */
size_t directory_homes (const directory_t *self, const char *const **homes);

/*  Has the GIS that is followed answered, as far as is known? While none answers, what is known is
 *  kept, and nothing new is learned. */
bool directory_hears (const directory_t *self);

/*  Clock skew to the followed GIS as last measured, ms: its wall clock - ours. */
int64_t directory_skew_ms (const directory_t *self);

#endif
