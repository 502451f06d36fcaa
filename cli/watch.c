/*  watch - look, compare with the look before, rest until a hint or the next poll. */
#include "watch.h"

#include "answer_form.h"
#include "changes.h"
#include "hints.h"
#include "listing.h"
#include "timetext.h"

#include <stdlib.h>
#include <string.h>

#define EDGE_MS     20    /* after a start or end, so that the participants see it too */
#define REST_MS_MAX 5000  /* after a look that took long */
#define LOOK_MS     30000 /* looks so often at the directory for publishers that are new */

static const char *text_of (const json_t *object, const char *key)
{
    const char *text = json_string_value (json_object_get (object, key));
    return text ? text : "";
}

/*  What a look costs and when the next one is due. */
typedef struct {
    hints_t *hints;
    int64_t begun_ms; /* monotonic, of the last look */
    int64_t known_ms; /* monotonic, of the last look at the directory */
    int64_t edge_ms;  /* wall: the next start or end of anything watched; INT64_MAX = none known */
    bool deaf;        /* nobody could be asked; told once */
} pace_t;

static pace_t pace_new (void)
{
    return (pace_t){.hints = hints_new ("calendar reservation use"),
                    .known_ms = cli_mono_ms (),
                    .edge_ms = INT64_MAX};
}

/*  The next moment at which a reservation changes by itself. */
static void pace_heed (pace_t *pace, const json_t *form)
{
    static const char *const edges [] = {"start", "end"};
    int64_t now_ms = cli_wall_ms ();
    for (size_t i = 0; i < 2; i++) {
        int64_t ms;
        bool relative;
        if (timetext_parse (text_of (form, edges [i]), &ms, &relative) && ms > now_ms &&
            ms < pace->edge_ms)
            pace->edge_ms = ms;
    }
}

/*  Before a look: what is hinted from now on is heard. */
static void pace_begin (const watch_t *self, pace_t *pace)
{
    if (cli_mono_ms () - pace->known_ms > LOOK_MS) {
        session_look (self->session, "planner");
        pace->known_ms = cli_mono_ms ();
    }
    hints_follow (pace->hints, session_entries (self->session));
    pace->begun_ms = cli_mono_ms ();
}

static void pace_rest (const watch_t *self, const pace_t *pace)
{
    int64_t least_ms = 3 * (cli_mono_ms () - pace->begun_ms);
    int64_t rest_ms = self->poll_ms;
    if (pace->edge_ms != INT64_MAX && pace->edge_ms - cli_wall_ms () + EDGE_MS < rest_ms)
        rest_ms = pace->edge_ms - cli_wall_ms () + EDGE_MS;
    cli_rest (least_ms < REST_MS_MAX ? least_ms : REST_MS_MAX);
    if (!cli_interrupted ())
        hints_wait (pace->hints, rest_ms > 1 ? rest_ms : 1);
}

static void tell (const watch_t *self, const json_t *changes)
{
    size_t i;
    const json_t *change;
    json_array_foreach (changes, i, change)
    {
        if (self->cli->json) {
            if (json_dumpf (change, stdout, 0) != 0)
                abort ();
            putchar ('\n');
        } else {
            change_print (change, stdout);
        }
    }
    fflush (stdout);
}

static void tell_between (const watch_t *self, const json_t *before, const json_t *after)
{
    json_t *changes = changes_between (before, after, cli_wall_ms ());
    tell (self, changes);
    json_decref (changes);
}

/*  Nobody could be asked: told once, until somebody can be again. */
static void pace_hear (const watch_t *self, pace_t *pace, const char *reason)
{
    if (reason && !pace->deaf && !cli_interrupted ())
        cli_note (self->cli, "%s; asking again", reason);
    pace->deaf = reason != NULL;
    if (reason)
        session_look (self->session, "planner");
}

/*  --- one reservation ---  */

/*  How it looks now, new; NULL when nobody could be asked, or nobody knows it: then *gone, unless
 *  some are silent. */
static json_t *look_at (const watch_t *self, pace_t *pace, const json_t *body, bool *gone)
{
    char reason [CLIENT_REASON_BYTES];
    json_t *answer;
    bool sent;
    json_t *form = NULL;
    pace_begin (self, pace);
    int code = session_ask_planner (self->session, "Show", body, "", &answer, &sent, reason);
    *gone = false;
    pace_hear (self, pace, code == EXIT_DONE ? NULL : reason);
    if (code == EXIT_DONE) {
        const json_t *view = json_object_get (answer, "view");
        form = view ? view_form (view) : NULL;
        *gone = !view && json_array_size (json_object_get (answer, "silent")) == 0;
    }
    json_decref (answer);
    return form;
}

int watch_one (const watch_t *self, const char *id, const json_t *first)
{
    json_t *body = json_pack ("{s:s}", "reservation", id);
    if (!body)
        return cli_fail (EXIT_USAGE, "%s: the id is not UTF-8", self->cli->command->name);
    pace_t pace = pace_new ();
    json_t *before = first ? json_deep_copy (first) : NULL;
    int code = EXIT_DONE;
    bool over = before && change_over (before);
    while (!over && !cli_interrupted ()) {
        bool gone;
        json_t *form = look_at (self, &pace, body, &gone);
        pace.edge_ms = INT64_MAX;
        if (gone && !before) {
            code = cli_fail (EXIT_REFUSED, "%s: there is no such reservation", id);
            over = true;
        } else if (form || gone) {
            tell_between (self, before, form);
            over = gone || change_over (form);
            json_decref (before);
            before = form;
        }
        if (form)
            pace_heed (&pace, form);
        if (!over && !cli_interrupted ())
            pace_rest (self, &pace);
    }
    json_decref (before);
    json_decref (body);
    hints_destroy (&pace.hints);
    return code;
}

/*  --- all of them ---  */

typedef struct {
    json_t *known; /* id to form */
    json_t *silent;
    bool begun; /* what was there at first is no change */
} survey_t;

static void begin (const watch_t *self, survey_t *survey, pace_t *pace, const json_t *listing)
{
    size_t i;
    json_t *form;
    json_array_foreach (json_object_get (listing, "reservations"), i, form)
    {
        json_object_set (survey->known, text_of (form, "reservation"), form);
        pace_heed (pace, form);
    }
    cli_note (self->cli, "watching; %zu reservations are known now",
              json_object_size (survey->known));
    survey->begun = true;
}

static void compare (const watch_t *self, survey_t *survey, pace_t *pace, const json_t *listing)
{
    const json_t *silent = json_object_get (listing, "silent");
    json_t *known = json_object ();
    size_t i;
    json_t *form;
    json_array_foreach (json_object_get (listing, "reservations"), i, form)
    {
        const char *id = text_of (form, "reservation");
        tell_between (self, json_object_get (survey->known, id), form);
        json_object_set (known, id, form);
        json_object_del (survey->known, id);
        pace_heed (pace, form);
    }
    /* Those that only silent participants know are not gone. */
    const char *id;
    json_object_foreach (survey->known, id, form)
    {
        if (json_array_size (silent) > 0)
            json_object_set (known, id, form);
        else
            tell_between (self, form, NULL);
    }
    json_decref (survey->known);
    survey->known = known;
}

static void take (const watch_t *self, survey_t *survey, pace_t *pace, const json_t *listing)
{
    json_t *silent = json_object_get (listing, "silent");
    json_t *changes = changes_of_silence ("", survey->silent, silent, cli_wall_ms ());
    tell (self, changes);
    json_decref (changes);
    json_decref (survey->silent);
    survey->silent = json_incref (silent);
    pace->edge_ms = INT64_MAX;
    if (survey->begun)
        compare (self, survey, pace, listing);
    else
        begin (self, survey, pace, listing);
}

int watch_all (const watch_t *self, const char *owner)
{
    survey_t survey = {.known = json_object (), .silent = json_array ()};
    listing_filter_t filter = {.owner = owner};
    pace_t pace = pace_new ();
    while (!cli_interrupted ()) {
        char reason [CLIENT_REASON_BYTES];
        int code;
        pace_begin (self, &pace);
        json_t *listing = listing_gather (self->session, &filter, &code, reason);
        pace_hear (self, &pace, listing ? NULL : reason);
        if (listing)
            take (self, &survey, &pace, listing);
        json_decref (listing);
        if (!cli_interrupted ())
            pace_rest (self, &pace);
    }
    json_decref (survey.known);
    json_decref (survey.silent);
    hints_destroy (&pace.hints);
    return EXIT_DONE;
}
