/*  recall - a home that has lost its store learns from the sites and domains which of its requests
 *  were carried out (T2).
 *
 *  The records of sites and domains name each request and its home. So each site and domain that
 *  this store has not heard of before is asked for the requests of this home
 *  (Participant.Commands). A committed request is kept as answered: it made this reservation, and
 *  can't be carried out again. A service that has told is remembered by its watermark, which is not
 *  raised before.
 *
 *  A store that has heard of no service yet is new, or replaces a lost one. For one lease, while a
 *  listed service has not told, no request can be claimed and nothing is told about claims. Who
 *  does not follow the directory learns only with its next heartbeat, a third of a lease later,
 *  that it is not listed; so a new store is silent about claims for the time that is configured (a
 *  lease), except where a federation begins and nobody can have promised anything. As soon as there
 *  is a sign of an earlier store (a directory, a follower or a heartbeat knew it, or a service
 *  tells of a request of this home), all services get a whole lease to be listed and to tell, and
 *  nothing is claimed before all that are listed have told. Services that come later are asked,
 *  too; if a request has been carried out twice by then, that raises an alarm. Pure.
 */
#ifndef MUSUBI_RECALL_H
#define MUSUBI_RECALL_H

#include "directory_entry.h"
#include "home.h"
#include "roster.h"

#define RECALL_MS       DIRECTORY_LEASE_MS /* for all live services to be listed */
#define RECALL_AGAIN_MS 100                /* before services that did not tell are asked again */
#define RECALL_ASK_MS   2000

typedef struct recall recall_t;

/*  Everything is borrowed for life. A new store waits for wait_ms without any sign of an earlier
 *  one (at most RECALL_MS; 0 = it is known that there was none). */
recall_t *recall_new (service_t *service, home_t *home, const roster_t *roster, int64_t wait_ms);
void recall_destroy (recall_t **self_p);

/*  At the start: has the store heard of any service before? */
void recall_start (recall_t *self, const moment_t *now, bool heard_before);

/*  This name is listed now. known: it has a watermark. seen: it says that a store of this directory
 *  has remembered it before. */
void recall_listed (recall_t *self, const moment_t *now, const char *name, bool known, bool seen);

/*  Another store than ours was known at this address: by a follower, for one. */
void recall_known (recall_t *self, const moment_t *now);

/*  May the watermark of this name be raised? */
bool recall_told (const recall_t *self, const char *name);

#endif
