/*  musubi watch - a line for each change, of one reservation or of all. */
#include "commands.h"
#include "listing.h"
#include "watch.h"

int run_watch (cli_t *cli)
{
    bool mine = false;
    int64_t poll_ms = WATCH_POLL_MS;
    cli_option_t list [] = {FLAG_OPTION ("mine", &mine, "only your own"),
                            DURATION_OPTION ("every", &poll_ms, "2s",
                                             "ask at least this often, even when no notice comes"),
                            {0}};
    int code;
    if (!cli_parse (cli, list, 0, 1, &code))
        return code;
    if (mine && cli->words_count > 0)
        return cli_fail (EXIT_USAGE,
                         "watch: --mine is for watching all reservations; leave out the id");
    if (poll_ms <= 0)
        return cli_fail (EXIT_USAGE, "watch: --every must be longer than 0");
    session_auto_t *session = listing_session (cli, &code);
    if (!session)
        return code;
    watch_t watch = {.cli = cli, .session = session, .poll_ms = poll_ms};
    return cli->words_count > 0 ? watch_one (&watch, cli->words [0], NULL)
                                : watch_all (&watch, mine ? session->places.actor : "");
}
