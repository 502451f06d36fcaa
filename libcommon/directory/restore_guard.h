/*  restore_guard - may this process speak for its store (T14)?
 *
 *  A directory remembers, for each name, how far the ledger of its store had come. It tells that in
 *  its answer to the first announcement, and the service compares it with its own ledger:
 *
 *      nothing, or a row that the ledger has, with the same digest   it serves
 *      a row that the ledger does not have, or has with another one  a restored backup: it has
 *                                                                    forgotten promises, and serves
 *                                                                    nobody until it is adopted
 *                                                                    under a new id
 *      another store                                                 the store of this name was
 *                                                                    lost: restore_guard_on_lost
 *
 *  Until the first directory has answered, every method that promises something or tells of
 *  promises is refused, at most for the configured wait, or for a lease longer when a directory
 *  refuses to list the service. Then it serves, with an alarm, because a site that is cut off must
 *  keep its promises. The first answer of each further directory is compared in the same way. What
 *  a directory remembers is as old as the last heartbeat, so a backup that was taken since then is
 *  not noticed.
 *
 *  The number of the row is not enough: a restored backup that has served unseen comes to the
 *  remembered row by itself. So that row is read, and its digest, which covers all rows before it,
 *  is compared. Pure.
 */
#ifndef MUSUBI_RESTORE_GUARD_H
#define MUSUBI_RESTORE_GUARD_H

#include "core.h"
#include "ledger.h"
#include "service.h"

#define RESTORE_GUARD_WAIT_MS 10000 /* for the first directory, unless configured otherwise */
#define RESTORE_GUARD_GIS_MAX 64    /* directories that one service announces itself to */

typedef enum {
    RESTORE_GUARD_UNKNOWN, /* no directory has been heard yet */
    RESTORE_GUARD_GOOD,
    RESTORE_GUARD_BACKUP, /* for as long as this process lives */
} restore_guard_state_t;

typedef struct restore_guard restore_guard_t;

/*  Made by member_new for every service, whose ledger that is. */
restore_guard_t *restore_guard_new (struct service *service, ledger_t *ledger);
void restore_guard_destroy (restore_guard_t **self_p);

/*  Before the start: to how many directories it announces itself, none = it serves at once; and how
 *  long it waits for the first one, 0 = it serves meanwhile. */
void restore_guard_expect (restore_guard_t *self, size_t directories);
void restore_guard_wait (restore_guard_t *self, int64_t wait_ms);

/*  The rows of that wait, and of its old name, for the tables of whoever has a guard. */
#define SET_RESTORE_GUARD_WAIT(type, member)                                                       \
    SET_MERGED_DURATION (type, member, "standing/wait", "restore_guard/wait"),                     \
      SET_DURATION (type, member, "restore_guard/wait", 10 * MS_SECOND, 0, MS_HOUR,                \
                    "how long a start waits for a directory to confirm that the store is no "      \
                    "restored backup, before it serves unconfirmed (T14); 0s = it serves at once")

/*  Another store was known under this name. Whoever is called must make up for what was lost, and
 *  then call restore_guard_settled. Without a callback the loss is only logged, as an alarm. */
typedef void restore_guard_lost_fn (void *owner, const moment_t *now,
                                    const uint8_t store [STORE_ID_BYTES]);
void restore_guard_on_lost (restore_guard_t *self, restore_guard_lost_fn *lost, void *owner);
void restore_guard_settled (restore_guard_t *self, const moment_t *now);

/*  At EVENT_START, before everything else. adopted_from: as in the event. */
void restore_guard_start (restore_guard_t *self, const moment_t *now, const uint8_t *adopted_from);

restore_guard_state_t restore_guard_state (const restore_guard_t *self);

/*  May this method be answered now? False with why filled. Only methods that promise something or
 *  tell of promises are ever refused: those of Participant, Home and Coordinator, and those by
 *  which a planner begins a transaction. */
bool restore_guard_serves (const restore_guard_t *self, const char *service, const char *method,
                           char why [WHY_BYTES]);

/*  Until what was lost has been learned from others, every method that promises something or tells
 *  of promises is refused with this text. "" = they are served again. */
void restore_guard_learn (restore_guard_t *self, const char *text);

/*  What the making up for a lost store waits for; "" = nothing. Shown by restore_guard_text. */
void restore_guard_tell (restore_guard_t *self, const char *text);

/*  "" when it serves, and nothing has to be made up for; else one sentence, for Service.Status. */
const char *restore_guard_text (const restore_guard_t *self);

/*  --- for the registration --- */

/*  Called once for each directory when restore_guard_seen of it becomes true. */
typedef void restore_guard_seen_fn (void *owner, const moment_t *now, size_t gis);
void restore_guard_on_seen (restore_guard_t *self, restore_guard_seen_fn *seen, void *owner);

/*  Our own mark, to be announced. */
ledger_mark_t restore_guard_mark (const restore_guard_t *self);

/*  Has what this directory remembered been compared with our ledger, and is nothing left to be made
 *  up for? */
bool restore_guard_seen (const restore_guard_t *self, size_t gis);

/*  A directory has answered. before: what it remembered, NULL = nothing. replaced: our store had
 *  this name once, and another one has replaced it. */
void restore_guard_heard (restore_guard_t *self, const moment_t *now, size_t gis,
                          const ledger_mark_t *before, bool replaced);

/*  A directory refuses to list the service, as it does while another store holds its name; that may
 *  be the store that was lost. When that store's lease has ended and the directory is asked again,
 *  it tells what it remembers. That is waited for once, and no longer, because the other store may
 *  be alive. */
void restore_guard_denied (restore_guard_t *self, const moment_t *now);

#endif
