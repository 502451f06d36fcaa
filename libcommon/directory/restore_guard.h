/*  restore_guard - may this process speak for its store (T14)?
 *
 *  A directory remembers of each name how far the ledger of its store had come. Who starts is told
 *  that with the answer to its first announcement, and holds it against its own ledger:
 *
 *      nothing, or a row that is in its own ledger with that digest    it serves
 *      a row that its ledger does not have, or has otherwise            a restored backup: it has
 *                                                                       forgotten promises, and
 *                                                                       serves nobody until it is
 *                                                                       adopted under a new id
 *      another store                                                    the store of this name was
 *                                                                       lost: see restore_guard_on_lost
 *
 *  Until one directory has been heard, the verbs that promise or tell of promises are refused, for
 *  a named while at most, or a lease longer where one refuses to list it: then it serves, with an
 *  alarm, for a site that is cut off keeps its promises. Each further directory is held against
 *  the ledger when it is heard first. What a directory remembers is as old as the last heartbeat:
 *  a backup taken since then is not seen.
 *
 *  Row and start alone would not prove it: a backup that has served unseen comes by itself to the
 *  row that is remembered. So the row is read again, and its digest, which covers all rows before
 *  it, is compared. Pure.
 */
#ifndef MUSUBI_RESTORE_GUARD_H
#define MUSUBI_RESTORE_GUARD_H

#include "core.h"
#include "ledger.h"
#include "service.h"

#define RESTORE_GUARD_WAIT_MS 10000 /* for the first directory, where no configuration says else */
#define RESTORE_GUARD_GIS_MAX 64    /* directories that one service announces itself to */

typedef enum {
    RESTORE_GUARD_UNKNOWN, /* no directory has been heard yet */
    RESTORE_GUARD_GOOD,
    RESTORE_GUARD_BACKUP, /* for as long as this process lives */
} restore_guard_state_t;

typedef struct restore_guard restore_guard_t;

/*  Made by service_new for every service, as service->standing. */
restore_guard_t *restore_guard_new (struct service *service);
void restore_guard_destroy (restore_guard_t **self_p);

/*  Before the start: how many directories it announces itself to, none = it serves at once; and how
 *  long it waits for the first one, 0 = it serves meanwhile. */
void restore_guard_expect (restore_guard_t *self, size_t directories);
void restore_guard_wait (restore_guard_t *self, int64_t wait_ms);

/*  Under this name another store was known. It has to be made up for what is lost, and then to say
 *  restore_guard_settled. Without anybody who does, it is only told loudly. */
typedef void restore_guard_lost_fn (void *owner, const moment_t *now,
                                    const uint8_t store [STORE_ID_BYTES]);
void restore_guard_on_lost (restore_guard_t *self, restore_guard_lost_fn *lost, void *owner);
void restore_guard_settled (restore_guard_t *self, const moment_t *now);

/*  At EVENT_START, first of all. adopted_from: as there. */
void restore_guard_start (restore_guard_t *self, const moment_t *now, const uint8_t *adopted_from);

restore_guard_state_t restore_guard_state (const restore_guard_t *self);

/*  May this be answered now? False with why filled. Only what promises or tells of promises is
 *  ever refused: Participant, Home, Coordinator, and what makes a planner begin a transaction. */
bool restore_guard_serves (const restore_guard_t *self, const char *service, const char *method,
                           char why [WHY_BYTES]);

/*  While not even the promises of others can be told: nothing that promises or tells of promises is
 *  answered, and text says why. "" = it is again. */
void restore_guard_learn (restore_guard_t *self, const char *text);

/*  While what was lost is made up for: what that waits for, "" = nothing. Shown by restore_guard_text.
 */
void restore_guard_tell (restore_guard_t *self, const char *text);

/*  "" when it serves, and nothing is left to be made up for; else one sentence, for Service.Status.
 */
const char *restore_guard_text (const restore_guard_t *self);

/*  --- for the announcer --- */

/*  Called once for each directory when restore_guard_seen of it becomes true. */
typedef void restore_guard_seen_fn (void *owner, const moment_t *now, size_t gis);
void restore_guard_on_seen (restore_guard_t *self, restore_guard_seen_fn *seen, void *owner);

/*  Our own mark, to be announced. */
ledger_mark_t restore_guard_mark (const restore_guard_t *self);

/*  Has what this directory remembered been held against our ledger, and is nothing left to be made
 *  up for? */
bool restore_guard_seen (const restore_guard_t *self, size_t gis);

/*  It has answered: before NULL when it remembered nothing; replaced: our store had this name once,
 *  and another one has taken its place. */
void restore_guard_heard (restore_guard_t *self, const moment_t *now, size_t gis,
                          const ledger_mark_t *before, bool replaced);

/*  A directory refuses to list it, as it does while another store holds its name: perhaps the one
 *  that was lost. It tells what it remembers when that one's lease is over and it is asked again.
 *  That is waited for, once; no longer, for that store may be alive. */
void restore_guard_denied (restore_guard_t *self, const moment_t *now);

#endif
