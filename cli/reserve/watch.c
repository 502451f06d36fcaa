/*  musubi watch - looks, compares with the look before, and rests until a notice or the next
 *  poll. */
#include "watch.h"

#include "answer_form.h"
#include "changes.h"
#include "commands.h"
#include "listing.h"

#include <czmq.h>

/*  --- notices: one SUB socket, connected to all sites, storages and network domains --- */

/*  A burst of notices counts as one: those that follow closely are swallowed for a while. */
#define BURST_GAP_MS 100
#define BURST_MS_MAX 500

struct notices {
    zsock_t *socket;
    zpoller_t *poller;
    json_t *followed; /* a set of endpoints */
};

change_watch_t *change_watch_new (const char *topics)
{
    change_watch_t *self = must (calloc (1, sizeof *self));
    self->socket = must (zsock_new (ZMQ_SUB));
    zsock_set_linger (self->socket, 0);
    while (*topics) {
        char topic [64];
        size_t length = strcspn (topics, " ");
        snprintf (topic, sizeof topic, "%.*s", (int) length, topics);
        zsock_set_subscribe (self->socket, topic);
        topics += length + strspn (topics + length, " ");
    }
    self->poller = must (zpoller_new (self->socket, NULL));
    self->followed = must (json_object ());
    return self;
}

void change_watch_destroy (change_watch_t **self_p)
{
    change_watch_t *self = *self_p;
    if (!self)
        return;
    json_decref (self->followed);
    zpoller_destroy (&self->poller);
    zsock_destroy (&self->socket);
    free (self);
    *self_p = NULL;
}

void change_watch_follow (change_watch_t *self, const json_t *entries)
{
    json_each (entry, entries) {
        const char *events = json_string_value (json_object_get (entry, "events"));
        bool holds = json_object_get (entry, "site") || json_object_get (entry, "domain") ||
                     json_object_get (entry, "storage");
        if (!holds || !events || !*events || json_object_get (self->followed, events))
            continue;
        json_object_set_new (self->followed, events, json_true ());
        zsock_connect (self->socket, "%s", events);
    }
}

void change_watch_wait (change_watch_t *self, int64_t ms)
{
    int64_t until_ms = INT64_MAX;
    while (ms > 0 && zpoller_wait (self->poller, (int) ms)) {
        zmsg_t *notice = zmsg_recv (self->socket);
        zmsg_destroy (&notice);
        int64_t now_ms = cli_mono_ms ();
        if (until_ms == INT64_MAX)
            until_ms = now_ms + BURST_MS_MAX;
        ms = until_ms - now_ms < BURST_GAP_MS ? until_ms - now_ms : BURST_GAP_MS;
    }
}

/*  --- the pace --- */

#define EDGE_MS     20    /* after a start or end, so that participants have seen it, too */
#define REST_MS_MAX 5000  /* after a look that took long */
#define LOOK_MS     30000 /* how often the directory is read for new services */

/*  Was there an interrupt, or can nobody read the output any more? */
static bool watch_ended (void)
{
    return cli_interrupted () || ferror (stdout);
}

/*  What decides when the next look is due. */
typedef struct {
    change_watch_t *notices;
    int64_t begun_ms; /* monotonic, of the last look */
    int64_t known_ms; /* monotonic, of the last look at the directory */
    int64_t edge_ms;  /* wall: the next start or end of anything watched; INT64_MAX = none known */
    bool deaf;        /* no planner answered; said once */
} pace_t;

static pace_t pace_new (void)
{
    return (pace_t){.notices = change_watch_new ("calendar reservation use opening staged"),
                    .known_ms = cli_mono_ms (),
                    .edge_ms = INT64_MAX};
}

/*  The next moment at which a reservation changes by itself. */
static void pace_heed (pace_t *pace, const json_t *form)
{
    static const char *const edges [] = {"start", "end"};
    int64_t now_ms = cli_wall_ms ();
    for (size_t i = 0; i < 2; i++) {
        int64_t ms = form_time_ms (form, edges [i]);
        if (ms > now_ms && ms < pace->edge_ms)
            pace->edge_ms = ms;
    }
}

/*  Before a look: notices from now on count for the next one. */
static void pace_begin (const watch_t *self, pace_t *pace)
{
    if (cli_mono_ms () - pace->known_ms > LOOK_MS) {
        session_look (self->session, "planner");
        pace->known_ms = cli_mono_ms ();
    }
    change_watch_follow (pace->notices, self->session->entries);
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
        change_watch_wait (pace->notices, rest_ms > 1 ? rest_ms : 1);
}

static void watch_tell (const watch_t *self, const json_t *changes)
{
    json_each (change, changes)
        if (self->cli->json) {
            (void) json_dumpf (change, stdout, 0);
            putchar ('\n');
        } else {
            change_print (change, stdout);
        }
    fflush (stdout);
}

static void tell_between (const watch_t *self, const json_t *before, const json_t *after)
{
    json_auto_t *changes = changes_between (before, after, cli_wall_ms ());
    watch_tell (self, changes);
}

/*  Says once that no planner answers, until one answers again. */
static void pace_hear (const watch_t *self, pace_t *pace, const char *reason)
{
    if (reason && !pace->deaf && !cli_interrupted ())
        cli_note (self->cli, "%s; asking again", reason);
    pace->deaf = reason != NULL;
    if (reason)
        session_look (self->session, "planner");
}

/*  --- one reservation ---  */

typedef enum {
    LOOK_SEEN,
    LOOK_NOWHERE, /* all have answered, and none knows it */
    LOOK_UNSURE,  /* none that answered knows it, or none answered: ask again */
    LOOK_REFUSED, /* refused with a message; asking again is of no use */
} watch_look_t;

/*  How it looks now: *form is new with LOOK_SEEN, else NULL. *code is that of LOOK_REFUSED. */
static watch_look_t watch_look_at (const watch_t *self, pace_t *pace, const char *id,
                                   const json_t *body, json_t **form, int *code)
{
    char reason [CLIENT_REASON_BYTES];
    json_auto_t *answer = NULL;
    bool sent;
    pace_begin (self, pace);
    int asked = session_ask_planner (self->session, "Show", body, "", &answer, &sent, reason);
    const json_t *view = json_object_get (answer, "view");
    const json_t *silent = json_object_get (answer, "silent");
    char names [ENTRIES_TEXT_BYTES];
    watch_look_t look = asked == EXIT_UNKNOWN          ? LOOK_UNSURE
                        : asked != EXIT_DONE           ? LOOK_REFUSED
                        : view                         ? LOOK_SEEN
                        : json_array_size (silent) > 0 ? LOOK_UNSURE
                                                       : LOOK_NOWHERE;
    if (look == LOOK_UNSURE && json_array_size (silent) > 0)
        snprintf (reason, sizeof reason,
                  "%.64s: unknown to all that answered, and these did not answer: %.128s", id,
                  texts_join (silent, ", ", names, sizeof names));
    pace_hear (self, pace, look == LOOK_UNSURE ? reason : NULL);
    if (look == LOOK_REFUSED)
        *code = cli_fail (asked, "%s: %s", self->cli->command->name, reason);
    *form = look == LOOK_SEEN ? view_form (view) : NULL;
    return look;
}

int watch_one (const watch_t *self, const char *id, const json_t *first)
{
    json_auto_t *body = json_pack ("{s:s}", "reservation", id);
    if (!body)
        return cli_fail (EXIT_USAGE, "%s: the id must be UTF-8", self->cli->command->name);
    pace_t pace = pace_new ();
    json_t *before = first ? json_deep_copy (first) : NULL;
    int code = EXIT_DONE;
    bool over = before && change_over (before);
    while (!over && !watch_ended ()) {
        json_t *form;
        watch_look_t look = watch_look_at (self, &pace, id, body, &form, &code);
        pace.edge_ms = INT64_MAX;
        over = look == LOOK_NOWHERE || look == LOOK_REFUSED || (form && change_over (form));
        if (look == LOOK_NOWHERE && !before)
            code = cli_fail (EXIT_REFUSED, "%s: there is no such reservation", id);
        if (look == LOOK_SEEN || look == LOOK_NOWHERE) {
            tell_between (self, before, form);
            json_decref (before);
            before = form;
        }
        if (form)
            pace_heed (&pace, form);
        if (!over && !watch_ended ())
            pace_rest (self, &pace);
    }
    json_decref (before);
    change_watch_destroy (&pace.notices);
    return code;
}

/*  --- all of them ---  */

typedef struct {
    json_t *known; /* id to form */
    json_t *silent;
    bool begun; /* the first listing has no changes */
} watch_pass_t;

static void watch_begin (const watch_t *self, watch_pass_t *pass, pace_t *pace,
                         const json_t *listing)
{
    json_each_of (form, listing, "reservations") {
        json_object_set (pass->known, text_of (form, "reservation"), form);
        pace_heed (pace, form);
    }
    size_t count = json_object_size (pass->known);
    cli_note (self->cli, "watching; %zu reservation%s known now", count, count == 1 ? "" : "s");
    pass->begun = true;
}

static void watch_compare (const watch_t *self, watch_pass_t *pass, pace_t *pace,
                           const json_t *listing)
{
    const json_t *silent = json_object_get (listing, "silent");
    json_t *known = json_object ();
    json_t *form;
    for (size_t i = 0; (form = item_of (listing, "reservations", i)); i++) {
        const char *id = text_of (form, "reservation");
        tell_between (self, json_object_get (pass->known, id), form);
        json_object_set (known, id, form);
        json_object_del (pass->known, id);
        pace_heed (pace, form);
    }
    /* A reservation that only silent participants know is not gone. */
    const char *id;
    json_object_foreach (pass->known, id, form)
    {
        if (json_array_size (silent) > 0)
            json_object_set (known, id, form);
        else
            tell_between (self, form, NULL);
    }
    json_decref (pass->known);
    pass->known = known;
}

/*  Silence is told once for the federation, not for each of its reservations. */
static void leave_out_silence (const json_t *listing)
{
    json_each_of (form, listing, "reservations")
        json_object_del (form, "silent");
}

static void take_listing (const watch_t *self, watch_pass_t *pass, pace_t *pace,
                          const json_t *listing)
{
    json_t *silent = json_object_get (listing, "silent");
    json_auto_t *changes = changes_of_silence ("", pass->silent, silent, cli_wall_ms ());
    watch_tell (self, changes);
    json_decref (pass->silent);
    pass->silent = json_incref (silent);
    pace->edge_ms = INT64_MAX;
    leave_out_silence (listing);
    if (pass->begun)
        watch_compare (self, pass, pace, listing);
    else
        watch_begin (self, pass, pace, listing);
}

/*  Follows all reservations, or those of one owner ("" = anybody's), until an interrupt. */
static int watch_all (const watch_t *self, const char *owner)
{
    watch_pass_t pass = {.known = json_object (), .silent = json_array ()};
    listing_filter_t filter = {.owner = owner};
    pace_t pace = pace_new ();
    while (!watch_ended ()) {
        char reason [CLIENT_REASON_BYTES];
        int code;
        pace_begin (self, &pace);
        json_auto_t *listing = listing_gather (self->session, &filter, &code, reason);
        pace_hear (self, &pace, listing ? NULL : reason);
        if (listing)
            take_listing (self, &pass, &pace, listing);
        if (!watch_ended ())
            pace_rest (self, &pace);
    }
    json_decref (pass.known);
    json_decref (pass.silent);
    change_watch_destroy (&pace.notices);
    return EXIT_DONE;
}

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
