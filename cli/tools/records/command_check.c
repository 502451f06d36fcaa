/*  musubi check - are the participants' own records whole and within capacity? */
#include "check_gather.h"
#include "records_commands.h"

int run_check (cli_t *cli)
{
    const char *answers = NULL;
    int64_t settle_ms = 0;
    option_t list [] = {
      {"answers", OPTION_TEXT, &answers, "FILE.jsonl",
       "what users were told, a line each: must be true of the records", 0, 0},
      {"settle", OPTION_DURATION, &settle_ms, "D",
       "wait so long for work in progress to end; what is pending then is a violation", 0, 0},
    };
    words_t words;
    int code;
    if (!cli_parse (cli, (options_t){list, 2}, 0, 0, &words, &code))
        return code;
    session_t *session = session_open_all (cli, &code);
    if (!session)
        return code;
    code = check_run (cli, session, answers, settle_ms);
    session_close (&session);
    return code;
}
