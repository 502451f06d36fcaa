/*  registration - keeps a service's own entry listed at every GIS of its list.
 *
 *  Announcement and heartbeat are one message, sent three times to a lease. Each GIS has a
 *  registrar of its own, so that one that is silent or refuses never holds up the others; one that
 *  has lost everything is filled again by the next heartbeat. Their answers also tell how far the
 *  clocks are apart.
 */
#ifndef MUSUBI_REGISTRATION_H
#define MUSUBI_REGISTRATION_H

#include "call.h"
#include "directory_entry.h"
#include "outbox.h"
#include "prng.h"
#include "restore_guard.h"
#include "timers.h"

#define ANNOUNCE_TRY_MS     1000 /* patience with one announcement */
#define ANNOUNCE_GAP_MS     250  /* between two to one GIS, however often the entry changes */
#define ANNOUNCE_LOAD_MS    1000 /* the same when only the load has changed */
#define ANNOUNCE_REFUSED_MS 5000 /* before a GIS that refused is asked again */

typedef struct registration registration_t;

/*  gis_endpoints are copied; the rest is borrowed for life. */
registration_t *registration_new (calls_t *calls, outbox_t *outbox, timers_t *timers, prng_t *prng,
                                  const char *const *gis_endpoints, size_t gis_count);
void registration_destroy (registration_t **self_p);

/*  Call it before the first announcement: the guard's mark goes with each announcement, and the
 *  guard is told what each GIS remembered (T14). Borrowed for life. Without it no mark is sent. */
void registration_guard (registration_t *self, restore_guard_t *restore_guard);

/*  Before the first announcement: each GIS is asked for the request homes (T2), and what it tells
 *  is handed over, borrowed for the length of the call. */
typedef void registration_homes_fn (void *owner, const char *gis,
                                    const char (*homes) [NAME_BYTES_MAX + 1], size_t homes_count);
void registration_ask_homes (registration_t *self, registration_homes_fn *told, void *owner);

/*  Before the first announcement: what is free goes with each one. */
void registration_summarise (registration_t *self, free_summary_fn *summary, void *owner);

/*  Does any GIS answer, as far as is known? */
bool registration_hears (const registration_t *self);

/*  Announces this entry from now on; call it again to change the entry, which is copied. */
void registration_announce (registration_t *self, const moment_t *now,
                            const directory_entry_t *entry);

/*  The process ends: tells each GIS so. */
void registration_withdraw (registration_t *self, const moment_t *now);

/*  The entry that is announced; NULL before. */
const directory_entry_t *registration_entry (const registration_t *self);

/*  A GIS (by its index in the list) does not show our entry: tells it now. */
void registration_remind (registration_t *self, const moment_t *now, size_t gis);

/*  The wall clock of that GIS minus ours, as last measured; that of another GIS when it has not
 *  answered yet; 0 when none has. */
int64_t registration_skew_ms (const registration_t *self, size_t gis);

#endif
