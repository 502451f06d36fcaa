/*  recall - a home that has lost its store learns from the sites and domains which of its requests
 *  were carried out (T2).
 *
 *  Their records name the request and its home, and are their own. So each site and domain that
 *  this store has not heard of before is asked for those of ours (Participant.Commands); what was
 *  committed is kept as a request that is answered: it made this reservation, and can't be done
 *  again. A name that has been told is remembered by its watermark, which is not raised before.
 *
 *  A store that has heard of nobody yet is new, or in place of one that was lost: for a lease,
 *  while somebody who is listed has not told, nothing is claimed and nothing told of claims. Once
 *  there is a sign that there was another store - a directory or a follower knew it, or somebody
 *  tells a request of ours - all who live have a whole lease to be listed and to tell. Who comes
 *  later is asked too: what has been done twice by then is an alarm. Pure.
 */
#ifndef MUSUBI_RECALL_H
#define MUSUBI_RECALL_H

#include "directory_entry.h"
#include "home.h"
#include "roster.h"

#define RECALL_MS       DIRECTORY_LEASE_MS /* that those who live have to be listed */
#define RECALL_AGAIN_MS 100                /* before those who did not tell are asked again */
#define RECALL_ASK_MS   2000

typedef struct recall recall_t;

/*  All is borrowed for life. Waits for standing's word that another store was known. */
recall_t *recall_new (service_t *service, home_t *home, const roster_t *roster);
void recall_destroy (recall_t **self_p);

/*  At the start: has the store heard of anybody before? */
void recall_start (recall_t *self, const moment_t *now, bool heard_before);

/*  This name is listed now. known: it has a watermark. */
void recall_listed (recall_t *self, const moment_t *now, const char *name, bool known);

/*  A follower has followed another store than ours at this address. */
void recall_followed (recall_t *self, const moment_t *now);

/*  May the watermark of this name be raised? */
bool recall_told (const recall_t *self, const char *name);

#endif
