/*  musubi audit - do a federation's ledgers prove that all is as it should be? And a store made
 *  whole from its ledger.
 */
#include "audit.h"
#include "audit_commands.h"
#include "rebuild.h"

int run_audit (cli_t *cli)
{
    const char *save = NULL;
    const char *store = NULL;
    const char *from = NULL;
    int64_t settle_ms = 0;
    option_t options [] = {
      TEXT_OPTION ("save", &save, "DIR", "keep each ledger as a file there"),
      DURATION_OPTION (
        "settle", &settle_ms, "D",
        "wait so long for work in progress to end; what is pending then is a violation"),
      TEXT_OPTION ("rebuild", &store, "STORE",
                   "no federation: make the records of a store whose process is stopped agree with "
                   "its ledger"),
      TEXT_OPTION ("from", &from, "FILE", "with --rebuild: a ledger saved by --save"),
      {0}};
    words_t words;
    int code;
    if (!cli_parse (cli, options, 0, 0, &words, &code))
        return code;
    if (store && (save || settle_ms > 0))
        return cli_fail (EXIT_USAGE,
                         "audit: --rebuild asks no federation: without --save, --settle");
    if (from && !store)
        return cli_fail (EXIT_USAGE, "audit: --from is for --rebuild STORE");
    if (store)
        return rebuild_run (cli, store, from);
    session_t *session = session_open_all (cli, &code);
    if (!session)
        return code;
    code = audit_run (cli, session, save, settle_ms);
    session_close (&session);
    return code;
}
