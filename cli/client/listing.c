/*  listing - asks page after page, and collects the names of those that were silent. */
#include "listing.h"

#include "answer_form.h"

session_t *listing_session (const cli_t *cli, int *code)
{
    return session_open_for (cli, "planner", code);
}

json_t *listing_question (const cli_t *cli, session_t *session, const char *method,
                          const json_t *body, int *code)
{
    char reason [CLIENT_REASON_BYTES];
    json_t *answer;
    bool sent;
    *code = session_ask_planner (session, method, body, "", &answer, &sent, reason);
    if (*code == EXIT_DONE)
        return answer;
    cli_fail (*code, "%s: %s", cli->command->name, reason);
    json_decref (answer);
    return NULL;
}

json_t *listing_show (const cli_t *cli, session_t **session, const char *id, int *code)
{
    json_auto_t *body = json_pack ("{s:s}", "reservation", id);
    *session = NULL;
    if (!body) {
        *code = cli_fail (EXIT_USAGE, "%s: the id must be UTF-8", cli->command->name);
        return NULL;
    }
    *session = listing_session (cli, code);
    json_auto_t *answer = *session ? listing_question (cli, *session, "Show", body, code) : NULL;
    json_t *view = json_incref (json_object_get (answer, "view"));
    const json_t *silent = json_object_get (answer, "silent");
    char names [ENTRIES_TEXT_BYTES];
    if (answer && !view)
        *code = json_array_size (silent) > 0
                  ? cli_fail (EXIT_UNKNOWN,
                              "%s: unknown to all that answered, and these did not answer: %s", id,
                              texts_join (silent, ", ", names, sizeof names))
                  : cli_fail (EXIT_REFUSED, "%s: there is no such reservation", id);
    return view;
}

static void listing_take_page (json_t *listing, const json_t *answer)
{
    json_t *reservations = json_object_get (listing, "reservations");
    json_t *silent = json_object_get (listing, "silent");
    json_each_of (one, answer, "views")
        json_array_append_new (reservations, view_form (one));
    json_each_of (one, answer, "silent")
        if (!list_has (silent, one))
            json_array_append (silent, one);
}

json_t *listing_gather (session_t *session, const listing_filter_t *filter, int *code,
                        char reason [CLIENT_REASON_BYTES])
{
    json_auto_t *body =
      made (json_pack ("{s:s, s:I, s:I}", "owner", filter->owner, "from_ms",
                       (json_int_t) filter->from_ms, "until_ms", (json_int_t) filter->until_ms));
    json_t *listing = made (json_pack ("{s:[], s:[]}", "reservations", "silent"));
    bool more = true;
    while (more) {
        json_auto_t *answer = NULL;
        bool sent;
        *code = session_ask_planner (session, "List", body, "", &answer, &sent, reason);
        if (*code != EXIT_DONE) {
            json_decref (listing);
            listing = NULL;
            break;
        }
        listing_take_page (listing, answer);
        const json_t *views = json_object_get (answer, "views");
        size_t count = json_array_size (views);
        more = count > 0 && flag_of (answer, "more");
        if (more)
            json_object_set (body, "after",
                             json_object_get (json_array_get (views, count - 1), "reservation"));
    }
    return listing;
}

json_t *listing_ask (const cli_t *cli, session_t *session, const listing_filter_t *filter,
                     int *code)
{
    char reason [CLIENT_REASON_BYTES];
    json_t *listing = listing_gather (session, filter, code, reason);
    if (!listing)
        cli_fail (*code, "%s: %s", cli->command->name, reason);
    return listing;
}

bool listing_tell_silent (const cli_t *cli, const json_t *listing)
{
    json_each_of (name, listing, "silent")
        cli_note (cli, "no answer from %s: its reservations may be missing",
                  json_string_value (name));
    return json_array_size (json_object_get (listing, "silent")) > 0;
}
