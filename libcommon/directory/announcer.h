/*  announcer - keeps a service's own entry alive at every GIS of its list.
 *
 *  Announcing and heartbeat are one message, sent three times to a lease. Each GIS has a desk of
 *  its own: one that is silent or refuses never holds up the others, and one that has lost
 *  everything is filled by the next heartbeat. Their answers also tell how far clocks are apart.
 */
#ifndef MUSUBI_ANNOUNCER_H
#define MUSUBI_ANNOUNCER_H

#include "call.h"
#include "directory_entry.h"
#include "outbox.h"
#include "prng.h"
#include "standing.h"
#include "timers.h"

#define ANNOUNCE_TRY_MS     1000 /* patience with one announcement */
#define ANNOUNCE_GAP_MS     250  /* between two to one GIS, however often the entry changes */
#define ANNOUNCE_LOAD_MS    1000 /* the same when only the load has changed */
#define ANNOUNCE_REFUSED_MS 5000 /* before a GIS that refused is asked again */

typedef struct announcer announcer_t;

/*  gis_endpoints are copied; the rest is borrowed for life. */
announcer_t *announcer_new (calls_t *calls, outbox_t *outbox, timers_t *timers, prng_t *prng,
                            const char *const *gis_endpoints, size_t gis_count);
void announcer_destroy (announcer_t **self_p);

/*  Before the first announcement: whose mark goes with each, and who is told what each GIS
 *  remembered (T14). Borrowed for life. Without it none goes. */
void announcer_standing (announcer_t *self, standing_t *standing);

/*  Announce this entry from now on; again to change it. Copied. */
void announcer_announce (announcer_t *self, const moment_t *now, const directory_entry_t *entry);

/*  What is announced; NULL before. */
const directory_entry_t *announcer_entry (const announcer_t *self);

/*  A GIS (by its index in the list) does not show our entry: tell it now. */
void announcer_remind (announcer_t *self, const moment_t *now, size_t gis);

/*  Wall clock of that GIS - ours, as last measured; of any other when it has not answered yet; 0
 *  when none has. */
int64_t announcer_skew_ms (const announcer_t *self, size_t gis);

#endif
