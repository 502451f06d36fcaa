/*  musubi check - are the participants' own records whole and within capacity? */
#include "check_gather.h"
#include "records_commands.h"

int run_check (cli_t *cli)
{
    const char *answers = NULL;
    int64_t settle_ms = 0;
    option_t list [] = {
      TEXT_OPTION ("answers", &answers, "FILE.jsonl",
                   "what users were told, a line each: must be true of the records"),
      DURATION_OPTION (
        "settle", &settle_ms, "D",
        "wait so long for work in progress to end; what is pending then is a violation"),
      {0}};
    words_t words;
    int code;
    session_t *session = session_begin (cli, list, 0, 0, &words, &code);
    if (!session)
        return code;
    code = check_run (cli, session, answers, settle_ms);
    session_close (&session);
    return code;
}
