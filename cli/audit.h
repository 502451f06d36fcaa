/*  audit - asks every participant itself for its records, and has them checked.
 *
 *  Planners are not asked: what they say is what is in question.
 */
#ifndef MUSUBI_AUDIT_H
#define MUSUBI_AUDIT_H

#include "check.h"
#include "session.h"

/*  answers = a file of answers as `musubi workload --answers` writes it, or NULL. settle_ms: how
 * long to wait for work in progress to end; then what is pending is a violation, too. Prints what
 * was found; returns the exit code. */
int audit_run (const cli_t *cli, session_t *session, const char *answers, int64_t settle_ms);

#endif
