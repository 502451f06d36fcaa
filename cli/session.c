/*  session - finding directories and planners, and asking them. */
#include "session.h"

#include "config.h"
#include "json.h"
#include "message.h"
#include "prng.h"

#include <assert.h>
#include <errno.h>
#include <pwd.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GIS_MAX            16
#define TIMEOUT_MS         10000
#define STRAGGLERS_MS      300 /* patience with the other directories once one has answered */
#define PROBE_MS           500 /* patience with a planner that is asked whether it lives */
#define PROBES             3   /* planners asked at once */
#define TRY_MS_LEAST       3000
#define AGAIN_MS           250 /* before asking again what is in progress */
#define GIS_TEXT_BYTES_MAX 4096

struct session {
    client_t *client;
    char *gis_text; /* cut at its commas */
    const char *gis [GIS_MAX];
    size_t gis_count;
    char *actor;
    int64_t timeout_ms;
    json_t *entries;  /* array, ascending by name */
    json_t *homes;    /* array of names, as the first directory has it */
    json_t *answered; /* array of names of directories that have answered */
    prng_t prng;
};

/*  --- where and who ---  */

static const config_key_t settings_keys [] = {
  {.path = "gis", .type = CONFIG_TEXT, .meaning = "directories to ask, comma-separated endpoints"},
  {.path = "actor", .type = CONFIG_TEXT, .meaning = "for whom to ask"},
  {.path = "timeout",
   .type = CONFIG_DURATION,
   .preset = "10s",
   .least = 1,
   .most = 86400000,
   .meaning = "how long to wait for an answer"},
};

/*  The user's own settings; *config stays NULL when there is no such file. */
static bool load_settings (config_t **config, char why [CONFIG_WHY_BYTES])
{
    const char *folder = getenv ("XDG_CONFIG_HOME");
    const char *home = getenv ("HOME");
    char *path = NULL;
    *config = NULL;
    bool own = folder && *folder == '/';
    if (!own && !home)
        return true;
    if (asprintf (&path, "%s%s/musubi.zpl", own ? folder : home, own ? "" : "/.config") < 0)
        abort ();
    bool loaded = true;
    if (access (path, F_OK) == 0) {
        *config = config_load (path, NULL, 0, settings_keys,
                               sizeof settings_keys / sizeof settings_keys [0], why);
        loaded = *config != NULL;
    }
    free (path);
    return loaded;
}

static char *copy_of (const char *text)
{
    char *copy = strdup (text);
    if (!copy)
        abort ();
    return copy;
}

/*  The endpoints that `musubi up` left in its folder; NULL when there are none. Malloc'ed. */
static char *read_federation (const cli_t *cli)
{
    char *dir = cli_federation_dir (cli);
    char *path = NULL;
    if (asprintf (&path, "%s/gis", dir) < 0)
        abort ();
    free (dir);
    FILE *file = fopen (path, "re");
    free (path);
    if (!file)
        return NULL;
    char text [GIS_TEXT_BYTES_MAX];
    bool read = fgets (text, sizeof text, file) != NULL;
    fclose (file);
    if (!read)
        return NULL;
    text [strcspn (text, "\r\n")] = '\0';
    return copy_of (text);
}

/*  The first of the places that says where directories are. */
static char *find_gis (const cli_t *cli, const config_t *settings)
{
    const char *environment = getenv ("MUSUBI_GIS");
    if (cli->gis)
        return copy_of (cli->gis);
    if (cli->dir)
        return read_federation (cli);
    if (environment && *environment)
        return copy_of (environment);
    if (settings && config_text (settings, "gis"))
        return copy_of (config_text (settings, "gis"));
    return read_federation (cli);
}

static char *find_actor (const cli_t *cli, const config_t *settings)
{
    const char *environment = getenv ("MUSUBI_ACTOR");
    const char *user = getenv ("USER");
    const struct passwd *account = NULL;
    if (cli->actor)
        return copy_of (cli->actor);
    if (environment && *environment)
        return copy_of (environment);
    if (settings && config_text (settings, "actor"))
        return copy_of (config_text (settings, "actor"));
    if (user && *user)
        return copy_of (user);
    account = getpwuid (geteuid ());
    return copy_of (account ? account->pw_name : "nobody");
}

static bool split_gis (session_t *self)
{
    for (char *save = NULL, *one = strtok_r (self->gis_text, ", ", &save); one;
         one = strtok_r (NULL, ", ", &save)) {
        if (strncmp (one, "tcp://", 6) != 0 && strncmp (one, "ipc://", 6) != 0) {
            cli_fail (EXIT_USAGE, "--gis: \"%s\" is not an endpoint such as tcp://127.0.0.1:5600",
                      one);
            return false;
        }
        if (self->gis_count == GIS_MAX) {
            cli_fail (EXIT_USAGE, "--gis: more than %d endpoints", GIS_MAX);
            return false;
        }
        self->gis [self->gis_count++] = one;
    }
    return true;
}

static bool settle_places (session_t *self, const cli_t *cli)
{
    char why [CONFIG_WHY_BYTES];
    config_t *settings;
    if (!load_settings (&settings, why)) {
        cli_fail (EXIT_USAGE, "%s", why);
        return false;
    }
    self->actor = find_actor (cli, settings);
    self->gis_text = find_gis (cli, settings);
    self->timeout_ms = cli->timeout_ms ? cli->timeout_ms
                       : settings      ? config_duration_ms (settings, "timeout")
                                       : TIMEOUT_MS;
    config_destroy (&settings);
    if (self->gis_text && !split_gis (self))
        return false;
    if (self->gis_count == 0) {
        cli_fail (EXIT_USAGE, "no federation: start one with `musubi up`, or say where its "
                              "directories are with --gis or MUSUBI_GIS");
        return false;
    }
    if (*self->actor == '\0' || strlen (self->actor) > NAME_BYTES_MAX) {
        cli_fail (EXIT_USAGE, "--actor: a name of 1 to %d bytes is wanted", NAME_BYTES_MAX);
        return false;
    }
    return true;
}

char *session_find_actor (const cli_t *cli)
{
    char why [CONFIG_WHY_BYTES];
    config_t *settings;
    if (!load_settings (&settings, why))
        cli_fail (EXIT_USAGE, "%s", why);
    char *actor = find_actor (cli, settings);
    config_destroy (&settings);
    return actor;
}

session_t *session_open (const cli_t *cli, int *code)
{
    session_t *self = calloc (1, sizeof *self);
    if (!self)
        abort ();
    if (!settle_places (self, cli)) {
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
    json_decref (self->homes);
    json_decref (self->answered);
    free (self->gis_text);
    free (self->actor);
    free (self);
    *self_p = NULL;
}

const char *session_actor (const session_t *self)
{
    return self->actor;
}

int64_t session_timeout_ms (const session_t *self)
{
    return self->timeout_ms;
}

client_t *session_client (const session_t *self)
{
    return self->client;
}

uint64_t session_random (session_t *self)
{
    return prng_next (&self->prng);
}

/*  --- the directory ---  */

static const char *text_of (const json_t *object, const char *key)
{
    const char *text = json_string_value (json_object_get (object, key));
    return text ? text : "";
}

/*  Where a name is in the sorted entries, or would be. */
static size_t place_of (const session_t *self, const char *name, bool *found)
{
    size_t least = 0;
    size_t most = json_array_size (self->entries);
    while (least < most) {
        size_t middle = least + (most - least) / 2;
        int order = strcmp (text_of (json_array_get (self->entries, middle), "name"), name);
        if (order == 0) {
            *found = true;
            return middle;
        }
        if (order < 0)
            least = middle + 1;
        else
            most = middle;
    }
    *found = false;
    return least;
}

/*  Of two entries of one name the later start of the same store holds; else the one heard first. */
static void merge_entry (session_t *self, json_t *entry)
{
    bool found;
    size_t place = place_of (self, text_of (entry, "name"), &found);
    if (!found) {
        json_array_insert (self->entries, place, entry);
        return;
    }
    const json_t *old = json_array_get (self->entries, place);
    bool same = strcmp (text_of (old, "store"), text_of (entry, "store")) == 0;
    if (same && json_integer_value (json_object_get (entry, "start")) >
                  json_integer_value (json_object_get (old, "start")))
        json_array_set (self->entries, place, entry);
}

static void merge_snapshot (session_t *self, const json_t *snapshot)
{
    size_t i;
    json_t *entry;
    json_array_foreach (json_object_get (snapshot, "entries"), i, entry)
    {
        merge_entry (self, entry);
        /* Who answers is known by store; its entry gives the name. */
        if (strcmp (text_of (entry, "store"), text_of (snapshot, "store")) == 0 &&
            strncmp (text_of (entry, "name"), "gis/", 4) == 0)
            json_array_append (self->answered, json_object_get (entry, "name"));
    }
    if (json_array_size (self->homes) == 0 && json_object_get (snapshot, "homes"))
        json_array_extend (self->homes, json_object_get (snapshot, "homes"));
}

/*  Has what was looked for come? */
static bool holds (const session_t *self, const char *wanted)
{
    size_t length = strlen (wanted);
    if (length == 0)
        return false;
    if (strchr (wanted, '/'))
        return session_entry (self, wanted) != NULL;
    size_t i;
    const json_t *entry;
    json_array_foreach (self->entries, i, entry)
    {
        const char *name = text_of (entry, "name");
        const json_t *planner = json_object_get (entry, "planner");
        if (strncmp (name, wanted, length) == 0 && name [length] == '/' &&
            !json_is_true (json_object_get (planner, "finishing")))
            return true;
    }
    return false;
}

/*  Asks the one of that number for the entries after a name; returns the call. */
static uint64_t ask_directory (session_t *self, size_t number, const char *after)
{
    method_t method = services_method ("Gis", "Snapshot");
    json_t *question = json_pack ("{s:s}", "after", after);
    char why [JSON_WHY_BYTES];
    ProtobufCMessage *message = question ? json_to_message (method.asked, question, why) : NULL;
    if (!message)
        abort ();
    size_t size;
    uint8_t *body = message_pack (message, &size);
    uint64_t call = client_send (self->client, &(client_request_t){.endpoint = self->gis [number],
                                                                   .service = method.service,
                                                                   .method = method.method,
                                                                   .actor = self->actor,
                                                                   .body = {body, size},
                                                                   .timeout_ms = self->timeout_ms});
    free (body);
    message_free (message);
    json_decref (question);
    return call;
}

/*  One page of one directory. Returns the call that asks for the next one, 0 when it was the last;
 *  *answered when it was an answer at all. */
static uint64_t take_page (session_t *self, size_t number, const client_reply_t *reply,
                           bool *answered)
{
    method_t method = services_method ("Gis", "Snapshot");
    json_t *snapshot = reply->status == CALL_OK ? services_answer (&method, reply->body) : NULL;
    uint64_t next = 0;
    *answered = snapshot != NULL;
    if (!snapshot)
        return 0;
    merge_snapshot (self, snapshot);
    const json_t *entries = json_object_get (snapshot, "entries");
    size_t count = json_array_size (entries);
    if (json_is_true (json_object_get (snapshot, "more")) && count > 0)
        next = ask_directory (self, number, text_of (json_array_get (entries, count - 1), "name"));
    json_decref (snapshot);
    return next;
}

bool session_look (session_t *self, const char *wanted)
{
    uint64_t calls [GIS_MAX];
    json_array_clear (self->entries);
    json_array_clear (self->homes);
    json_array_clear (self->answered);
    for (size_t i = 0; i < self->gis_count; i++)
        calls [i] = ask_directory (self, i, "");

    bool anybody = false;
    size_t waiting = self->gis_count;
    int64_t until_ms = cli_mono_ms () + self->timeout_ms;
    while (waiting > 0 && !(anybody && holds (self, wanted)) && !cli_interrupted ()) {
        int64_t left_ms = until_ms - cli_mono_ms ();
        client_reply_t reply;
        if (left_ms <= 0 || !client_wait (self->client, left_ms, &reply))
            break;
        /* Replies to other calls may still come, of whom we did not wait for. */
        for (size_t i = 0; i < self->gis_count; i++) {
            bool answered = false;
            if (calls [i] != reply.call)
                continue;
            calls [i] = take_page (self, i, &reply, &answered);
            waiting -= calls [i] == 0;
            if (answered && !anybody && until_ms > cli_mono_ms () + STRAGGLERS_MS)
                until_ms = cli_mono_ms () + STRAGGLERS_MS;
            anybody = anybody || answered;
            break;
        }
    }
    return anybody;
}

const json_t *session_entries (const session_t *self)
{
    return self->entries;
}

const json_t *session_entry (const session_t *self, const char *name)
{
    bool found;
    size_t place = place_of (self, name, &found);
    return found ? json_array_get (self->entries, place) : NULL;
}

const json_t *session_homes (const session_t *self)
{
    return self->homes;
}

int session_lost (const session_t *self)
{
    fputs ("musubi: no directory answers at", stderr);
    for (size_t i = 0; i < self->gis_count; i++)
        fprintf (stderr, " %s", self->gis [i]);
    fputs ("; try again, or name others with --gis\n", stderr);
    return EXIT_UNKNOWN;
}

/*  --- asking ---  */

call_status_t session_ask (session_t *self, const char *endpoint, const method_t *method,
                           const json_t *body, const char *request_id, int64_t timeout_ms,
                           json_t **answer, char reason [CLIENT_REASON_BYTES])
{
    char why [JSON_WHY_BYTES];
    json_t *own = json_deep_copy (body);
    ProtobufCMessage *message = json_to_message (method->asked, own, why);
    json_decref (own);
    *answer = NULL;
    if (!message) {
        snprintf (reason, CLIENT_REASON_BYTES, "%s", why);
        return CALL_BAD_REQUEST;
    }
    size_t size;
    uint8_t *packed = message_pack (message, &size);
    message_free (message);
    client_reply_t reply;
    client_ask (self->client,
                &(client_request_t){.endpoint = endpoint,
                                    .service = method->service,
                                    .method = method->method,
                                    .actor = self->actor,
                                    .request_id = request_id,
                                    .body = {packed, size},
                                    .timeout_ms = timeout_ms},
                &reply);
    free (packed);
    snprintf (reason, CLIENT_REASON_BYTES, "%s", reply.reason);
    if (reply.status == CALL_OK) {
        *answer = services_answer (method, reply.body);
        if (!*answer) {
            snprintf (reason, CLIENT_REASON_BYTES, "%s answers %s with something else", endpoint,
                      method->method);
            return CALL_BAD_REQUEST;
        }
    } else if (*reason == '\0') {
        snprintf (reason, CLIENT_REASON_BYTES, "%s",
                  reply.status == CALL_TIMED_OUT ? "no answer in time" : "refused");
    }
    return reply.status;
}

static bool id_sound (const char *id, size_t length)
{
    return length > 0 && strspn (id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                     "0123456789._-") >= length;
}

/*  FNV-1a over "actor/id": the slot is part of the contract (T2), so every client must agree. */
static uint64_t slot_hash (const char *actor, const char *id)
{
    uint64_t hash = UINT64_C (14695981039346656037);
    const char *parts [] = {actor, "/", id};
    for (size_t p = 0; p < 3; p++)
        for (const char *at = parts [p]; *at; at++)
            hash = (hash ^ (unsigned char) *at) * UINT64_C (1099511628211);
    return hash;
}

static const char *short_name (const char *name)
{
    const char *slash = strchr (name, '/');
    return slash ? slash + 1 : name;
}

/*  One of the homes that have answered just now. */
static const char *live_home (session_t *self)
{
    size_t live = 0;
    const char *chosen = NULL;
    size_t i;
    const json_t *home;
    json_array_foreach (self->homes, i, home)
    {
        size_t a;
        const json_t *name;
        json_array_foreach (self->answered, a, name)
        {
            if (json_equal (home, name) && prng_below (&self->prng, ++live) == 0)
                chosen = json_string_value (home);
        }
    }
    return chosen;
}

bool session_request_id (session_t *self, const char *given, char id [REQUEST_ID_BYTES_MAX + 1],
                         char why [OPTIONS_WHY_BYTES])
{
    char fresh [24];
    const char *home = NULL;
    size_t homes = json_array_size (self->homes);
    if (!given) {
        snprintf (fresh, sizeof fresh, "%016llx", (unsigned long long) prng_next (&self->prng));
        home = live_home (self);
    } else if (strlen (given) > REQUEST_ID_BYTES_MAX - NAME_BYTES_MAX) {
        snprintf (why, OPTIONS_WHY_BYTES, "--request-id: longer than %d bytes",
                  REQUEST_ID_BYTES_MAX - NAME_BYTES_MAX);
        return false;
    } else if (strchr (given, '@')) {
        const char *at = strchr (given, '@');
        if (!id_sound (given, (size_t) (at - given)) || !id_sound (at + 1, strlen (at + 1))) {
            snprintf (why, OPTIONS_WHY_BYTES,
                      "--request-id: letters, digits and . _ - are wanted, then @ and a home");
            return false;
        }
        snprintf (id, REQUEST_ID_BYTES_MAX + 1, "%s", given);
        return true;
    } else if (!id_sound (given, strlen (given))) {
        snprintf (why, OPTIONS_WHY_BYTES, "--request-id: letters, digits and . _ - are wanted");
        return false;
    } else if (homes > 0) {
        home =
          json_string_value (json_array_get (self->homes, slot_hash (self->actor, given) % homes));
    }
    if (!home) {
        snprintf (why, OPTIONS_WHY_BYTES, "no home for requests answers: the directories name %zu",
                  homes);
        return false;
    }
    snprintf (id, REQUEST_ID_BYTES_MAX + 1, "%s@%.*s", given ? given : fresh, NAME_BYTES_MAX,
              short_name (home));
    return true;
}

/*  --- planners ---  */

typedef struct {
    char name [NAME_BYTES_MAX + 1];
    char endpoint [256];
    uint64_t order; /* load, then chance */
    bool tried;
} planner_t;

typedef struct {
    planner_t *list;
    size_t count;
} planners_t;

static int by_order (const void *a, const void *b)
{
    const planner_t *one = a;
    const planner_t *other = b;
    return (one->order > other->order) - (one->order < other->order);
}

/*  Those that take requests, the idlest first, equals in random order. */
static planners_t list_planners (session_t *self)
{
    planners_t planners = {calloc (json_array_size (self->entries) + 1, sizeof (planner_t)), 0};
    if (!planners.list)
        abort ();
    size_t i;
    const json_t *entry;
    json_array_foreach (self->entries, i, entry)
    {
        const json_t *planner = json_object_get (entry, "planner");
        if (!planner || json_is_true (json_object_get (planner, "finishing")))
            continue;
        planner_t *one = &planners.list [planners.count++];
        snprintf (one->name, sizeof one->name, "%s", text_of (entry, "name"));
        snprintf (one->endpoint, sizeof one->endpoint, "%s", text_of (entry, "endpoint"));
        uint64_t load = (uint64_t) json_integer_value (json_object_get (planner, "in_progress"));
        one->order = load << 32 | (uint32_t) prng_next (&self->prng);
    }
    qsort (planners.list, planners.count, sizeof (planner_t), by_order);
    return planners;
}

/*  Asks up to PROBES untried planners whether they live, all at once, and takes the first that says
 *  so; NULL when none does in time. Those that stay silent count as tried. */
static planner_t *live_planner (session_t *self, planners_t *planners, int64_t until_ms)
{
    method_t status = services_method ("Service", "Status");
    planner_t *probed [PROBES];
    uint64_t calls [PROBES];
    size_t count = 0;
    int64_t patience_ms = until_ms - cli_mono_ms ();
    if (patience_ms > PROBE_MS)
        patience_ms = PROBE_MS;
    for (size_t i = 0; i < planners->count && count < PROBES && patience_ms > 0; i++) {
        if (planners->list [i].tried)
            continue;
        probed [count] = &planners->list [i];
        calls [count++] =
          client_send (self->client, &(client_request_t){.endpoint = planners->list [i].endpoint,
                                                         .service = status.service,
                                                         .method = status.method,
                                                         .actor = self->actor,
                                                         .timeout_ms = patience_ms});
    }
    client_reply_t reply;
    for (size_t waiting = count; waiting > 0 && client_wait (self->client, -1, &reply);)
        for (size_t i = 0; i < count; i++) {
            if (calls [i] != reply.call)
                continue;
            if (reply.status == CALL_OK)
                return probed [i];
            probed [i]->tried = true;
            waiting--;
        }
    return NULL;
}

/*  An answer that says no more than "not yet". */
static bool undecided (const json_t *answer)
{
    const char *status = text_of (answer, "status");
    return strcmp (status, "ANSWER_UNKNOWN") == 0 || strcmp (status, "ANSWER_IN_PROGRESS") == 0;
}

/*  Does another try make sense after such an end? */
static bool passing (call_status_t status)
{
    return status == CALL_TIMED_OUT || status == CALL_OVERLOADED || status == CALL_WRONG_STORE;
}

static int code_of (call_status_t status)
{
    return status == CALL_OK                                             ? EXIT_DONE
           : status == CALL_BAD_REQUEST || status == CALL_UNKNOWN_METHOD ? EXIT_USAGE
                                                                         : EXIT_REFUSED;
}

/*  A live planner, looking at the directory again when all known ones are used up. */
static planner_t *next_planner (session_t *self, planners_t *planners, int64_t until_ms)
{
    while (!cli_interrupted ()) {
        planner_t *planner = live_planner (self, planners, until_ms);
        if (planner)
            return planner;
        bool untried = false;
        for (size_t i = 0; i < planners->count; i++)
            untried = untried || !planners->list [i].tried;
        if (cli_mono_ms () >= until_ms)
            return NULL;
        if (untried)
            continue;
        cli_rest (AGAIN_MS);
        session_look (self, "planner");
        free (planners->list);
        *planners = list_planners (self);
    }
    return NULL;
}

int session_ask_planner (session_t *self, const char *method_name, const json_t *body,
                         const char *request_id, json_t **answer, bool *sent,
                         char reason [CLIENT_REASON_BYTES])
{
    method_t method = services_method ("Planner", method_name);
    int64_t until_ms = cli_mono_ms () + self->timeout_ms;
    int64_t try_ms = self->timeout_ms / 2 > TRY_MS_LEAST ? self->timeout_ms / 2 : TRY_MS_LEAST;
    planners_t planners = list_planners (self);
    int code = EXIT_UNKNOWN;
    *answer = NULL;
    *sent = false;
    snprintf (reason, CLIENT_REASON_BYTES, "no planner answers");
    for (bool over = false; !over;) {
        planner_t *planner = next_planner (self, &planners, until_ms);
        int64_t left_ms = until_ms - cli_mono_ms ();
        if (!planner || left_ms <= 0)
            break;
        *sent = true;
        json_decref (*answer);
        call_status_t status = session_ask (self, planner->endpoint, &method, body, request_id,
                                            left_ms < try_ms ? left_ms : try_ms, answer, reason);
        if (status == CALL_OK && !undecided (*answer)) {
            code = EXIT_DONE;
            over = true;
        } else if (status == CALL_OK) {
            snprintf (reason, CLIENT_REASON_BYTES, "it is not decided yet");
            cli_rest (AGAIN_MS);
        } else if (passing (status)) {
            planner->tried = true;
        } else {
            code = code_of (status);
            over = true;
        }
        over = over || cli_interrupted ();
    }
    free (planners.list);
    return code;
}
