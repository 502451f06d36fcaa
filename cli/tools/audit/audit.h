/*  audit - replays the ledgers of a whole federation and holds them against everything that it says
 *  of itself.
 *
 *      each ledger    every row follows from those before it; nothing was ever overbooked
 *      each process   its records, reservations and calendar are what its ledger comes to
 *      all ledgers    no mixed outcome, no orphan, no commit that nobody decided
 *      all records    what `musubi check` finds
 */
#ifndef MUSUBI_AUDIT_H
#define MUSUBI_AUDIT_H

#include "session.h"

/*  save: a folder for the ledgers, or NULL. settle_ms: how long to wait for work in progress to
 *  end; then what is pending is a violation, too. Prints what was found; returns the exit code. */
int audit_run (const cli_t *cli, session_t *session, const char *save, int64_t settle_ms);

#endif
