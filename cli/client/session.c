/*  session - reads directories, and calls the services they list. */
#include "session.h"

#include "access.h"
#include "json.h"
#include "message.h"
#include "must.h"
#include "request_terms.h"

#include <sodium.h>

#define AGAIN_MS      250
#define STRAGGLERS_MS 300 /* how long to wait for other directories once one has answered */

session_t *session_open (const cli_t *cli, int *code)
{
    session_t *self = must (calloc (1, sizeof *self));
    if (!endpoints_find (&self->places, cli)) {
        session_close (&self);
        *code = EXIT_USAGE;
        return NULL;
    }
    if (sodium_init () < 0)
        abort ();
    uint64_t seed;
    randombytes_buf (&seed, sizeof seed);
    prng_seed (&self->prng, seed);
    self->client = client_new ();
    self->entries = json_array ();
    self->absent = json_array ();
    self->homes = json_array ();
    self->answered = json_array ();
    return self;
}

void session_close (session_t **self_p)
{
    session_t *self = *self_p;
    if (!self)
        return;
    if (self->client)
        client_destroy (&self->client);
    json_decref (self->entries);
    json_decref (self->absent);
    json_decref (self->homes);
    json_decref (self->answered);
    endpoints_clear (&self->places);
    free (self);
    *self_p = NULL;
}

/*  --- the directory ---  */

/*  The index of a name in the sorted entries, or the index at which it would be inserted. */
static size_t session_place_of (const session_t *self, const char *name, bool *found)
{
    size_t least = 0;
    size_t most = json_array_size (self->entries);
    while (least < most) {
        size_t middle = least + (most - least) / 2;
        if (strcmp (text_of (json_array_get (self->entries, middle), "name"), name) < 0)
            least = middle + 1;
        else
            most = middle;
    }
    *found = has_text (json_array_get (self->entries, least), "name", name);
    return least;
}

/*  Of two entries with one name, the later start of the same store counts; of two stores, the one
 *  heard first. */
static void merge_entry (session_t *self, json_t *entry)
{
    bool found;
    size_t place = session_place_of (self, text_of (entry, "name"), &found);
    if (!found) {
        json_array_insert (self->entries, place, entry);
        return;
    }
    const json_t *old = json_array_get (self->entries, place);
    bool same = strcmp (text_of (old, "store"), text_of (entry, "store")) == 0;
    if (same && number_of (entry, "start") > number_of (old, "start"))
        json_array_set (self->entries, place, entry);
}

static void merge_snapshot (session_t *self, const json_t *snapshot)
{
    json_each_of (absent, snapshot, "absent")
        if (!item_with (self->absent, "name", text_of (absent, "name")))
            json_array_append (self->absent, absent);
    json_each_of (entry, snapshot, "entries") {
        merge_entry (self, entry);
        /* An answer names its store; the entry with that store gives the name of the directory. */
        if (strcmp (text_of (entry, "store"), text_of (snapshot, "store")) == 0 &&
            strncmp (text_of (entry, "name"), "gis/", 4) == 0)
            json_array_append (self->answered, json_object_get (entry, "name"));
    }
    if (json_array_size (self->homes) == 0 && json_object_get (snapshot, "homes"))
        json_array_extend (self->homes, json_object_get (snapshot, "homes"));
}

bool entry_is (const json_t *entry, const char *kind)
{
    return name_of_kind (text_of (entry, "name"), kind);
}

/*  Is there an entry that was looked for? */
static bool holds (const session_t *self, const char *wanted)
{
    if (strchr (wanted, '/'))
        return session_entry (self, wanted) != NULL;
    const json_t *entry;
    for (size_t i = 0; *wanted && (entry = json_array_get (self->entries, i)); i++)
        if (entry_is (entry, wanted) && !flag_of (json_object_get (entry, "planner"), "finishing"))
            return true;
    return false;
}

/*  Asks the directory of that number for the entries after a name; returns the call. */
static uint64_t ask_directory (session_t *self, size_t number, const char *after)
{
    method_t method = services_method ("Gis", "Snapshot");
    json_auto_t *question = must (json_pack ("{s:s}", "after", after));
    return session_send (self, self->places.gis [number], &method, question);
}

/*  Old entries are dropped when the first answer comes, not before: while all directories are
 *  silent they are the best there is. */
static void session_forget (session_t *self)
{
    json_array_clear (self->entries);
    json_array_clear (self->absent);
    json_array_clear (self->homes);
    json_array_clear (self->answered);
    self->whole = false;
}

/*  Takes one page of one directory; first = the first answer of any of them. Returns the call for
 *  its next page; 0 after the last page, or when there was no answer, which *answered tells apart.
 */
static uint64_t session_take_page (session_t *self, size_t number, const client_reply_t *reply,
                                   bool first, bool *answered)
{
    method_t method = services_method ("Gis", "Snapshot");
    json_auto_t *snapshot =
      reply->status == CALL_OK ? services_answer (&method, reply->body) : NULL;
    uint64_t next = 0;
    *answered = snapshot != NULL;
    if (!snapshot)
        return 0;
    if (first)
        session_forget (self);
    merge_snapshot (self, snapshot);
    const json_t *entries = json_object_get (snapshot, "entries");
    size_t count = json_array_size (entries);
    if (!flag_of (snapshot, "more"))
        self->whole = true;
    else if (count > 0)
        next = ask_directory (self, number, text_of (json_array_get (entries, count - 1), "name"));
    return next;
}

bool session_look (session_t *self, const char *wanted)
{
    uint64_t calls [ENDPOINTS_GIS_MAX] = {0};
    for (size_t i = 0; i < self->places.gis_count; i++)
        calls [i] = ask_directory (self, i, "");

    bool anybody = false;
    size_t waiting = self->places.gis_count;
    int64_t until_ms = cli_mono_ms () + self->places.timeout_ms;
    while (waiting > 0 && !(anybody && holds (self, wanted)) && !cli_interrupted ()) {
        int64_t left_ms = until_ms - cli_mono_ms ();
        client_reply_t reply;
        if (left_ms <= 0 || !client_wait (self->client, left_ms, &reply))
            break;
        if (reply.status != CALL_OK)
            snprintf (self->lost, sizeof self->lost, "%s", reply.reason);
        /* Replies to earlier calls that were not waited for may still come. */
        for (size_t i = 0; i < self->places.gis_count; i++) {
            bool answered = false, was_whole = anybody && self->whole;
            if (calls [i] != reply.call)
                continue;
            calls [i] = session_take_page (self, i, &reply, !anybody, &answered);
            waiting -= calls [i] == 0;
            if (!was_whole && answered)
                until_ms = cli_mono_ms () + (self->whole ? STRAGGLERS_MS : self->places.timeout_ms);
            anybody = anybody || answered;
            break;
        }
    }
    return anybody && (*wanted || self->whole);
}

const json_t *session_entry (const session_t *self, const char *name)
{
    bool found;
    size_t place = session_place_of (self, name, &found);
    return found ? json_array_get (self->entries, place) : NULL;
}

json_t *session_kind (const session_t *self, const char *kind)
{
    json_t *list = must (json_array ());
    json_each (entry, self->entries)
        if (entry_is (entry, kind))
            json_array_append (list, entry);
    return list;
}

const json_t *session_absent (const session_t *self, const char *name)
{
    return session_entry (self, name) ? NULL : item_with (self->absent, "name", name);
}

json_t *session_absences (const session_t *self, const char *kind)
{
    json_t *list = made (json_array ());
    json_t *absent;
    for (size_t i = 0; (absent = json_array_get (self->absent, i)); i++)
        if (!session_entry (self, text_of (absent, "name")) && (!*kind || entry_is (absent, kind)))
            json_array_append (list, absent);
    return list;
}

const char *absence_text (const json_t *absence, char text [ABSENCE_TEXT_BYTES])
{
    char since [TIMETEXT_BYTES];
    snprintf (text, ABSENCE_TEXT_BYTES, "%s %s",
              flag_of (absence, "stopped") ? "stopped at" : "is silent since",
              timetext_format (number_of (absence, "since_ms") / 1000 * 1000, since));
    return text;
}

const json_t *entries_named (const json_t *entries, const char *name)
{
    json_each (entry, entries)
        if (strcmp (name_short (text_of (entry, "name")), name) == 0)
            return entry;
    return NULL;
}

const char *entries_list (const json_t *entries, char text [ENTRIES_TEXT_BYTES])
{
    json_auto_t *names = must (json_array ());
    json_each (entry, entries)
        take_last (names, json_string (name_short (text_of (entry, "name"))));
    return texts_join (names, ", ", text, ENTRIES_TEXT_BYTES);
}

int session_lost (const session_t *self)
{
    size_t known = json_array_size (self->entries);
    if (known > 0 && !self->whole)
        fprintf (stderr,
                 "musubi: the directory was read in part only: after %zu entries, the last one %s, "
                 "no more came from",
                 known, text_of (json_array_get (self->entries, known - 1), "name"));
    else
        fputs ("musubi: no directory answers at", stderr);
    for (size_t i = 0; i < self->places.gis_count; i++)
        fprintf (stderr, " %s", self->places.gis [i]);
    fprintf (stderr, "%s%s; try again, or give other directories with --gis\n",
             *self->lost ? ": " : "", self->lost);
    return EXIT_UNKNOWN;
}

session_t *session_open_for (const cli_t *cli, const char *wanted, int *code)
{
    session_t *self = session_open (cli, code);
    if (self && !session_look (self, wanted)) {
        *code = session_lost (self);
        session_close (&self);
    }
    return self;
}

session_t *session_open_all (const cli_t *cli, int *code)
{
    return session_open_for (cli, "", code);
}

session_t *session_begin (cli_t *cli, const cli_option_t *own, size_t least, size_t most, int *code)
{
    return cli_parse (cli, own, least, most, code) ? session_open_all (cli, code) : NULL;
}

/*  --- asking ---  */

/*  A body, packed, for the caller to free; NULL with why. */
static uint8_t *pack_body (const method_t *method, const json_t *body, size_t *size,
                           char why [WHY_BYTES])
{
    json_auto_t *own = json_deep_copy (body);
    message_auto_t *message = json_to_message (method->asked, own, why);
    return message ? message_pack (message, size) : NULL;
}

uint64_t session_send (session_t *self, const char *endpoint, const method_t *method,
                       const json_t *body)
{
    char why [WHY_BYTES];
    size_t size;
    memory_auto uint8_t *packed = must (pack_body (method, body, &size, why));
    return client_send (self->client, &(client_request_t){.endpoint = endpoint,
                                                          .service = method->service,
                                                          .method = method->method,
                                                          .actor = self->places.actor,
                                                          .body = {packed, size},
                                                          .timeout_ms = self->places.timeout_ms});
}

call_status_t session_ask (session_t *self, const char *endpoint, const method_t *method,
                           const json_t *body, const char *request_id, int64_t timeout_ms,
                           json_t **answer, char reason [CLIENT_REASON_BYTES])
{
    char why [WHY_BYTES];
    size_t size;
    memory_auto uint8_t *packed = pack_body (method, body, &size, why);
    *answer = NULL;
    if (!packed) {
        snprintf (reason, CLIENT_REASON_BYTES, "%s", why);
        return CALL_BAD_REQUEST;
    }
    client_reply_t reply;
    client_ask (self->client,
                &(client_request_t){.endpoint = endpoint,
                                    .service = method->service,
                                    .method = method->method,
                                    .actor = self->places.actor,
                                    .request_id = request_id,
                                    .body = {packed, size},
                                    .timeout_ms = timeout_ms},
                &reply);
    snprintf (reason, CLIENT_REASON_BYTES, "%s", reply.reason);
    if (reply.status == CALL_OK) {
        *answer = services_answer (method, reply.body);
        if (!*answer) {
            snprintf (reason, CLIENT_REASON_BYTES,
                      "%s answers %s with a message that can't be read", endpoint, method->method);
            return CALL_BAD_REQUEST;
        }
    } else if (*reason == '\0') {
        snprintf (reason, CLIENT_REASON_BYTES, "%s",
                  reply.status == CALL_TIMED_OUT ? "no answer in time" : "refused");
    }
    return reply.status;
}

call_status_t session_ask_entry (session_t *self, const json_t *entry, const char *service,
                                 const char *method_name, const json_t *body, json_t **answer,
                                 char reason [CLIENT_REASON_BYTES])
{
    method_t method = services_method (service, method_name);
    return session_ask (self, text_of (entry, "endpoint"), &method, body, "",
                        self->places.timeout_ms, answer, reason);
}

call_status_t session_ask_again (session_t *self, const json_t *entry, const char *service,
                                 const char *method_name, const json_t *body,
                                 const char *request_id, int64_t try_ms, json_t **answer,
                                 char reason [CLIENT_REASON_BYTES])
{
    method_t method = services_method (service, method_name);
    call_status_t status = CALL_TIMED_OUT;
    int64_t until_ms = cli_mono_ms () + self->places.timeout_ms;
    int64_t left_ms;
    *answer = NULL;
    snprintf (reason, CLIENT_REASON_BYTES, "no answer");
    while (!cli_interrupted () && (left_ms = until_ms - cli_mono_ms ()) > 0) {
        status = session_ask (self, text_of (entry, "endpoint"), &method, body, request_id,
                              left_ms < try_ms ? left_ms : try_ms, answer, reason);
        if (status != CALL_TIMED_OUT && status != CALL_OVERLOADED && status != CALL_NOT_SERVING)
            break;
        cli_rest (AGAIN_MS);
    }
    return status;
}

int session_code (call_status_t status)
{
    return status == CALL_OK            ? EXIT_DONE
           : status == CALL_TIMED_OUT   ? EXIT_UNKNOWN
           : status == CALL_BAD_REQUEST ? EXIT_USAGE
                                        : EXIT_REFUSED;
}

int session_tell (const cli_t *cli, const json_t *entry, call_status_t status, const char *reason,
                  const char *lacks)
{
    const char *name = name_short (text_of (entry, "name"));
    if (status == CALL_UNKNOWN_METHOD)
        return cli_fail (EXIT_REFUSED, "%s: %s %s", cli->command->name, name, lacks);
    return status == CALL_OK
             ? EXIT_DONE
             : cli_fail (session_code (status), "%s: %s: %s", cli->command->name, name, reason);
}

static bool id_sound (const char *id, size_t length)
{
    return length > 0 && strspn (id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                     "0123456789._-") >= length;
}

/*  A home that has just answered, chosen at random. */
static const char *live_home (session_t *self)
{
    size_t live = 0;
    const char *chosen = NULL;
    json_each (home, self->homes) {
        if (list_has (self->answered, home) && prng_below (&self->prng, ++live) == 0)
            chosen = json_string_value (home);
    }
    return chosen;
}

bool session_request_id (session_t *self, const char *given, char id [REQUEST_ID_BYTES_MAX + 1],
                         char why [WHY_BYTES])
{
    char fresh [24];
    const char *home = NULL;
    size_t homes = json_array_size (self->homes);
    if (!given) {
        snprintf (fresh, sizeof fresh, "%016llx", (unsigned long long) prng_next (&self->prng));
        home = live_home (self);
    } else if (strlen (given) > REQUEST_ID_BYTES_MAX - NAME_BYTES_MAX) {
        return wrong (why, "--request-id: the id may have at most %d bytes",
                      REQUEST_ID_BYTES_MAX - NAME_BYTES_MAX);
    } else if (strchr (given, '@')) {
        const char *at = strchr (given, '@');
        if (!id_sound (given, (size_t) (at - given)) || !id_sound (at + 1, strlen (at + 1))) {
            snprintf (
              why, WHY_BYTES,
              "--request-id: use letters, digits and . _ - for the id, then @ and its home");
            return false;
        }
        snprintf (id, REQUEST_ID_BYTES_MAX + 1, "%s", given);
        return true;
    } else if (!id_sound (given, strlen (given))) {
        return wrong (why, "--request-id: use letters, digits and . _ -");
    } else if (homes > 0) {
        home = json_string_value (
          json_array_get (self->homes, request_slot (self->places.actor, given) % homes));
    }
    if (!home)
        return wrong (why, "none of the federation's %zu request homes answers", homes);
    snprintf (id, REQUEST_ID_BYTES_MAX + 1, "%s@%.*s", given ? given : fresh, NAME_BYTES_MAX,
              name_short (home));
    return true;
}
