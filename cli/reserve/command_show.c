/*  musubi show, musubi list - reservations as the federation knows them. */
#include "answer_form.h"
#include "fields.h"
#include "listing.h"
#include "opening_form.h"
#include "reserve_commands.h"
#include "watch.h"

#include <inttypes.h>
#include <string.h>

#define LIST_UNTIL_MS_MAX INT64_C (253402300799999) /* the last moment of the year 9999 */

/*  The form that was shown, new. */
static json_t *show (const cli_t *cli, const json_t *view)
{
    json_t *form = view_form (view);
    if (cli->json)
        cli_print_json (json_incref (form));
    else
        view_print (form, stdout);
    return form;
}

int run_show (cli_t *cli)
{
    bool follow = false;
    option_t list [] = {
      {"follow", OPTION_FLAG, &follow, NULL, "then tell each change, to its end", 0, 0}};
    words_t words;
    int code;
    if (!cli_parse (cli, (options_t){list, 1}, 1, 1, &words, &code))
        return code;
    session_t *session;
    json_t *view = listing_show (cli, &session, words.list [0], &code);
    json_t *form = view ? show (cli, view) : NULL;
    if (form && follow) {
        watch_t watch = {.cli = cli, .session = session, .poll_ms = WATCH_POLL_MS};
        fflush (stdout);
        code = watch_one (&watch, words.list [0], form);
    }
    json_decref (form);
    json_decref (view);
    session_close (&session);
    return code;
}

/*  "ams:32 ber:64", "ocean-air:1000": of each its name and quantity. */
static void quantities_text (const json_t *list, const char *name, const char *quantity, char *text,
                             size_t size)
{
    size_t length = 0;
    size_t i;
    const json_t *one;
    text [0] = '\0';
    json_array_foreach (list, i, one)
    {
        if (length < size)
            length +=
              (size_t) snprintf (text + length, size - length, "%s%s%s%" PRId64, i ? " " : "",
                                 text_of (one, name), *text_of (one, name) ? ":" : "",
                                 (int64_t) json_integer_value (json_object_get (one, quantity)));
    }
}

static void print_list (const json_t *forms)
{
    static const char *const headings [] = {"RESERVATION", "NAME", "OWNER", "STATUS",
                                            "START",       "END",  "CPUS",  "MBIT/S"};
    table_t *table = table_new (headings, 8);
    size_t i;
    const json_t *form;
    json_array_foreach (forms, i, form)
    {
        char cpus [256];
        char mbps [256];
        char start [TIME_TEXT_BYTES];
        char end [TIME_TEXT_BYTES];
        char status [64];
        snprintf (status, sizeof status, "%s, degraded", text_of (form, "status"));
        quantities_text (json_object_get (form, "compute"), "site", "cpus", cpus, sizeof cpus);
        quantities_text (json_object_get (form, "network"), "need", "mbps", mbps, sizeof mbps);
        const char *cells [] = {text_of (form, "reservation"),
                                text_of (form, "name"),
                                text_of (form, "owner"),
                                opening_degraded (form) ? status : text_of (form, "status"),
                                time_brief (text_of (form, "start"), start),
                                time_brief (text_of (form, "end"), end),
                                cpus,
                                mbps};
        table_row (table, cells);
    }
    table_print (&table, stdout);
}

static int list (const cli_t *cli, listing_filter_t *filter, bool mine)
{
    int code;
    session_t *session = listing_session (cli, &code);
    if (!session)
        return code;
    if (mine)
        filter->owner = session_actor (session);
    json_t *listing = listing_ask (cli, session, filter, &code);
    if (listing && cli->json)
        cli_print_json (json_incref (listing));
    else if (listing)
        print_list (json_object_get (listing, "reservations"));
    if (listing)
        listing_tell_silent (cli, listing);
    json_decref (listing);
    session_close (&session);
    return code;
}

int run_list (cli_t *cli)
{
    bool mine = false;
    option_time_t from = {0};
    option_time_t until = {0};
    option_t options [] = {
      {"mine", OPTION_FLAG, &mine, NULL, "only the actor's own", 0, 0},
      {"from", OPTION_TIME, &from, "T", "only those that end after this", 0, 0},
      {"until", OPTION_TIME, &until, "T", "only those that start before this", 0, 0},
    };
    words_t words;
    int code;
    if (!cli_parse (cli, (options_t){options, 3}, 0, 0, &words, &code))
        return code;
    int64_t now_ms = cli_wall_ms ();
    listing_filter_t filter = {.owner = ""};
    if (from.set || until.set) {
        filter.from_ms = from.set ? option_time_wall (from, now_ms) : 1;
        filter.until_ms = until.set ? option_time_wall (until, now_ms) : LIST_UNTIL_MS_MAX;
        if (filter.from_ms >= filter.until_ms)
            return cli_fail (EXIT_USAGE, "list: --from is not before --until");
    }
    return list (cli, &filter, mine);
}
