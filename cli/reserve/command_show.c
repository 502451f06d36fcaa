/*  musubi show, musubi list - reservations as the federation knows them. */
#include "answer_form.h"
#include "commands.h"
#include "listing.h"
#include "watch.h"

#define LIST_UNTIL_MS_MAX INT64_C (253402300799999) /* the last moment of the year 9999 */

/*  Prints a reservation; returns its form, new. */
static json_t *show_show (const cli_t *cli, const json_t *view)
{
    json_t *form = view_form (view);
    if (!cli_json (cli, json_incref (form)))
        view_print (form, stdout);
    return form;
}

int run_show (cli_t *cli)
{
    bool follow = false;
    cli_option_t list [] = {
      FLAG_OPTION ("follow", &follow, "then print each change, until the reservation ends"), {0}};
    int code;
    if (!cli_parse (cli, list, 1, 1, &code))
        return code;
    session_auto_t *session = NULL;
    json_auto_t *view = listing_show (cli, &session, cli->words [0], &code);
    json_auto_t *form = view ? show_show (cli, view) : NULL;
    if (form && follow) {
        watch_t watch = {.cli = cli, .session = session, .poll_ms = WATCH_POLL_MS};
        fflush (stdout);
        code = watch_one (&watch, cli->words [0], form);
    }
    return code;
}

/*  "ams:32 ber:64", "ocean-air:1000": of each its name and quantity. */
static const char *show_quantities (const json_t *list, const char *name, const char *quantity,
                                    char text [CELL_BYTES])
{
    json_auto_t *texts = made (json_array ());
    json_each (one, list)
        take_last (texts,
                   json_sprintf ("%s%s%" PRId64, text_of (one, name),
                                 *text_of (one, name) ? ":" : "", number_of (one, quantity)));
    return texts_join (texts, " ", text, CELL_BYTES);
}

static const char *show_cpus_cell (const json_t *form, const char *key, char text [CELL_BYTES])
{
    return show_quantities (json_object_get (form, key), "site", "cpus", text);
}

static const char *mbps_cell (const json_t *form, const char *key, char text [CELL_BYTES])
{
    return show_quantities (json_object_get (form, key), "need", "mbps", text);
}

/*  "ams/disk-1:200 MB". */
static const char *storage_cell (const json_t *form, const char *key, char text [CELL_BYTES])
{
    json_auto_t *texts = made (json_array ());
    char bytes [BYTES_TEXT_BYTES];
    json_each_of (room, form, key)
        take_last (texts, json_sprintf ("%s/%s:%s", text_of (room, "site"), text_of (room, "node"),
                                        bytes_text ((double) number_of (room, "bytes"), bytes)));
    return texts_join (texts, " ", text, CELL_BYTES);
}

static const char *status_cell (const json_t *form, const char *key, char text [CELL_BYTES])
{
    (void) key;
    return view_status (form, text);
}

static const form_row_t columns [] = {{"RESERVATION", "reservation", .kind = FORM_TEXT},
                                      {"NAME", "name", .kind = FORM_TEXT},
                                      {"OWNER", "owner", .kind = FORM_TEXT},
                                      {"STATUS", "status", .cell = status_cell},
                                      {"START", "start", .kind = FORM_TIME},
                                      {"END", "end", .kind = FORM_TIME},
                                      {"CPUS", "compute", .cell = show_cpus_cell},
                                      {"MBIT/S", "network", .cell = mbps_cell},
                                      {"STORAGE", "data", .cell = storage_cell},
                                      {0}};

static int show_list (const cli_t *cli, listing_filter_t *filter, bool mine)
{
    int code;
    session_auto_t *session = listing_session (cli, &code);
    if (!session)
        return code;
    if (mine)
        filter->owner = session->places.actor;
    json_auto_t *listing = listing_ask (cli, session, filter, &code);
    if (listing && !cli_json (cli, json_incref (listing)))
        table_print_forms (columns, json_object_get (listing, "reservations"), stdout);
    if (listing && listing_tell_silent (cli, listing))
        code = EXIT_UNKNOWN;
    return code;
}

int run_list (cli_t *cli)
{
    bool mine = false;
    option_time_t from = {0};
    option_time_t until = {0};
    cli_option_t options [] = {
      FLAG_OPTION ("mine", &mine, "only your own"),
      TIME_OPTION ("from", &from, "T", "only those that end after this time"),
      TIME_OPTION ("until", &until, "T", "only those that start before this time"),
      {0}};
    int code;
    if (!cli_parse (cli, options, 0, 0, &code))
        return code;
    int64_t now_ms = cli_wall_ms ();
    listing_filter_t filter = {.owner = ""};
    if (from.set || until.set) {
        filter.from_ms = from.set ? option_time_wall (from, now_ms) : 1;
        filter.until_ms = until.set ? option_time_wall (until, now_ms) : LIST_UNTIL_MS_MAX;
        if (filter.from_ms >= filter.until_ms)
            return cli_fail (EXIT_USAGE, "list: --until must be later than --from");
    }
    return show_list (cli, &filter, mine);
}
