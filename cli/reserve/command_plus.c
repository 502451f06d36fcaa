/*  musubi plus - the commands of S3 (PluS): reservations of one site, in one phase or in two.
 *
 *  plus_reserve … plus_abort are the same commands as programs. The short options of S3 stand for
 *  the long ones. With -T a command waits for its commit; without, it is committed at once.
 */
#include "answer_form.h"
#include "commands.h"
#include "transaction.h"

typedef struct {
    const char *host;
    const char *start;
    const char *end;
    const char *class_name;
    const char *reservation;
    int64_t nodes;
    double gb;
    bool two_phase;
} plus_options_t;

/*  One run of a command, and the site, or the storage of one, that it calls. */
typedef struct {
    const cli_t *cli;
    session_t *session;
    plus_options_t options;
    char endpoint [256]; /* of the site */
    char site [NAME_BYTES_MAX + 1];
    char request_id [REQUEST_ID_BYTES_MAX + 1];
    char times [96]; /* " -s 2026-12-01T09:00:00Z" …, with absolute times */
    bool reserves, storage;
    bool relative; /* given relative to now: later the same words mean another request */
} plus_client_t;

/*  --- options --- */

static bool amount_given (const plus_options_t *options)
{
    return options->nodes || options->gb > 0;
}

/*  False when the command is over, with *code. */
static bool plus_parse (cli_t *cli, plus_options_t *options, int *code)
{
    cli_option_t list [] = {
      TEXT_OPTION ("start", &options->start, "T", "-s: start of the reservation"),
      TEXT_OPTION ("end", &options->end, "T", "-e: end of the reservation"),
      INTEGER_OPTION ("nodes", &options->nodes, "N", "-n: number of whole nodes", 1, 10000000),
      REAL_OPTION ("gb", &options->gb, "N", "instead of -n: GB of one of the site's storage nodes",
                   0.001, SPACE_BYTES_MAX / 1e9),
      TEXT_OPTION ("class", &options->class_name, "NAME",
                   "class of nodes, or storage node; default any"),
      TEXT_OPTION ("host", &options->host, "SITE", "-R: the site, by name or endpoint"),
      TEXT_OPTION ("reservation", &options->reservation, "ID", "-r: the reservation's id"),
      FLAG_OPTION ("two-phase", &options->two_phase, "-T: wait for plus_commit or plus_abort"),
      TEXT_OPTION ("request-id", &cli->request_id, "ID",
                   "names this command; asking again under the same id is safe"),
      {0}};
    return cli_parse (cli, list, 0, 0, code);
}

/*  RFC 3339 or now+30m; or CCYYMMDDhhmm[.SS] in UTC, as batch systems write it. */
static bool plus_read_time (const char *text, int64_t *ms, bool *relative)
{
    char written [48];
    size_t digits = strspn (text, "0123456789");
    if (timetext_parse (text, ms, relative)) {
        *ms += *relative ? cli_wall_ms () : 0;
        return true;
    }
    const char *seconds = text [digits] == '.' ? text + digits + 1 : "00";
    if (digits != 12 || strlen (seconds) != 2 || strspn (seconds, "0123456789") != 2)
        return false;
    snprintf (written, sizeof written, "%.4s-%.2s-%.2sT%.2s:%.2s:%.2sZ", text, text + 4, text + 6,
              text + 8, text + 10, seconds);
    return timetext_parse (written, ms, relative);
}

static bool time_into (plus_client_t *self, json_t *body, const char *field, const char *option,
                       const char *text)
{
    int64_t ms;
    bool relative;
    char meant [TIMETEXT_BYTES];
    if (!text)
        return true;
    if (!plus_read_time (text, &ms, &relative))
        return cli_refuse ("plus: %s %s is not a time such as 2026-12-01T09:00:00Z, now+30m or "
                           "202612010900",
                           option, text);
    size_t used = strlen (self->times);
    snprintf (self->times + used, sizeof self->times - used, " %s %s", option,
              timetext_format (ms, meant));
    self->relative = self->relative || relative;
    json_object_set_new (body, field, json_integer (ms));
    return true;
}

static bool times_into (plus_client_t *self, json_t *body)
{
    return time_into (self, body, "from_ms", "-s", self->options.start) &&
           time_into (self, body, "until_ms", "-e", self->options.end);
}

/*  --- the site --- */

static void plus_take_site (plus_client_t *self, const json_t *entry)
{
    snprintf (self->site, sizeof self->site, "%s", name_short (text_of (entry, "name")));
    snprintf (self->endpoint, sizeof self->endpoint, "%s", text_of (entry, "endpoint"));
    self->storage = entry_is (entry, "replica");
}

static bool is_silence (call_status_t status)
{
    return status == CALL_TIMED_OUT || status == CALL_NOT_SERVING;
}

static call_status_t plus_call (plus_client_t *self, const char *block, const char *name,
                                const json_t *body, const char *step, json_t **answer,
                                char reason [CLIENT_REASON_BYTES])
{
    method_t method = services_method (block, name);
    char id [REQUEST_ID_BYTES_MAX + 1] = "";
    if (*step && *self->request_id)
        snprintf (id, sizeof id, "%.*s.%s", REQUEST_ID_BYTES_MAX - 16, self->request_id, step);
    return session_ask (self->session, self->endpoint, &method, body, id,
                        self->session->places.timeout_ms, answer, reason);
}

static call_status_t plus_look (plus_client_t *self, const char *reservation)
{
    json_auto_t *body = json_pack ("{s:s}", "reservation", reservation);
    json_auto_t *answer = NULL;
    char reason [CLIENT_REASON_BYTES];
    return body ? plus_call (self, "Reservation", "Properties", body, "", &answer, reason)
                : CALL_BAD_REQUEST;
}

/*  The services that may be meant: sites and their storages, but a reserve says which it is. */
static json_t *candidates (const plus_client_t *self)
{
    json_t *all = json_array ();
    const char *host = self->options.host;
    for (size_t kind = 0; kind < 2; kind++) {
        json_auto_t *some = session_kind (self->session, kind ? "replica" : "lis");
        json_each (entry, some)
            if ((!self->reserves || (self->options.gb > 0) == (kind == 1)) &&
                (!host || strcmp (name_short (text_of (entry, "name")), host) == 0))
                json_array_append (all, (json_t *) entry);
    }
    return all;
}

/*  The one that is meant: of several the one that knows the reservation. */
static int find_site (plus_client_t *self)
{
    const char *host = self->options.host, *id = self->options.reservation;
    char silent [NAME_BYTES_MAX + 1] = "";
    if (host && strstr (host, "://")) {
        snprintf (self->endpoint, sizeof self->endpoint, "%s", host);
        snprintf (self->site, sizeof self->site, "%.*s", NAME_BYTES_MAX, host);
        return EXIT_DONE;
    }
    if (!session_look (self->session, ""))
        return session_lost (self->session);
    json_auto_t *all = candidates (self);
    size_t sites = json_array_size (all);
    if (host && sites == 0)
        return cli_fail (EXIT_REFUSED, "plus: -R %s: there is no such site", host);
    json_each (entry, all) {
        plus_take_site (self, entry);
        call_status_t status = id && !(host && sites == 1) ? plus_look (self, id)
                               : sites == 1                ? CALL_OK
                                                           : CALL_NOT_FOUND;
        if (status == CALL_OK)
            return EXIT_DONE;
        if (is_silence (status))
            snprintf (silent, sizeof silent, "%s", self->site);
    }
    if (*silent)
        return cli_fail (EXIT_UNKNOWN,
                         "plus: -r %s: site %s does not answer, and no other site knows it", id,
                         silent);
    if (id)
        return cli_fail (EXIT_REFUSED, "plus: -r %s: no site knows it, or it is not yours", id);
    return cli_fail (EXIT_USAGE, "plus: -R: name one of the %zu sites; `musubi sites` lists them",
                     sites);
}

/*  --- answers --- */

static int plus_refused (plus_client_t *self, call_status_t status, const char *reason)
{
    if (!is_silence (status))
        return cli_fail (status == CALL_BAD_REQUEST ? EXIT_USAGE : EXIT_REFUSED, "plus: %s: %s",
                         self->site, reason);
    cli_fail (EXIT_UNKNOWN, "plus: %s: %s", self->site, reason);
    if (*self->request_id) {
        text_auto_t *again = cli_again (self->cli, self->request_id);
        fprintf (stderr, "ask again:\n  %s\n", again);
        if (self->relative)
            fprintf (stderr, "with these times, as the ones given were relative to now:%s\n",
                     self->times);
    }
    return EXIT_UNKNOWN;
}

/*  "PLUS_PREPARED" -> "prepared", "TOO_NEAR" -> "too-near" */
static const char *small_word (const char *from, char word [LOWER_BYTES])
{
    return lower_word (strncmp (from, "PLUS_", 5) == 0 ? from + 5 : from, '-', word);
}

static const char *state_word (const json_t *command, char word [LOWER_BYTES])
{
    return small_word (text_of (command, "state"), word);
}

static bool is_state (const json_t *command, const char *word)
{
    char state [LOWER_BYTES];
    return strcmp (state_word (command, state), word) == 0;
}

/*  Adds the outcome of a command to the object that scripts read. */
static void plus_take_command (json_t *told, const json_t *command)
{
    char text [TIMETEXT_BYTES];
    char word [LOWER_BYTES];
    const json_t *refusal = json_object_get (command, "refusal");
    int64_t waits_ms = number_of (command, "waits_until_ms");
    take (told, "command", json_string (state_word (command, word)));
    if (waits_ms)
        take (told, "waits_until", json_string (timetext_format (waits_ms, text)));
    if (refusal) {
        json_t *form = reason_form (refusal);
        take (form, "reason", json_string (small_word (text_of (refusal, "reason"), word)));
        take (told, "refusal", form);
    }
}

static int print_command (plus_client_t *self, const char *reservation, const json_t *command)
{
    char state [LOWER_BYTES];
    char until [TIMETEXT_BYTES];
    const json_t *refusal = json_object_get (command, "refusal");
    int64_t waits_ms = number_of (command, "waits_until_ms");
    bool good = !refusal && (is_state (command, "committed") || is_state (command, "prepared"));
    (void) state_word (command, state);
    if (self->cli->json) {
        json_t *told =
          made (json_pack ("{s:s, s:s}", "reservation", reservation, "site", self->site));
        plus_take_command (told, command);
        cli_print_json (told);
    } else if (good) {
        printf ("%s\n", reservation);
    }
    if (good && waits_ms)
        cli_note (self->cli, "%s at %s until %s: plus_commit -r %s, or plus_abort", state,
                  self->site, timetext_format (waits_ms, until), reservation);
    if (!good && refusal && !self->cli->json)
        cli_fail (EXIT_REFUSED, "plus: %s: %s: %s", self->site,
                  small_word (text_of (refusal, "reason"), state), text_of (refusal, "text"));
    return good ? EXIT_DONE : EXIT_REFUSED;
}

/*  --- the commands --- */

/*  Finishes a command: without -T it is committed now. */
static int plus_finish (plus_client_t *self, const char *reservation, const json_t *command)
{
    char reason [CLIENT_REASON_BYTES];
    if (self->options.two_phase || !is_state (command, "prepared"))
        return print_command (self, reservation, command);
    json_auto_t *body = json_pack ("{s:O}", "command", json_object_get (command, "command"));
    json_auto_t *answer = NULL;
    call_status_t status = plus_call (self, "Command", "Commit", body, "", &answer, reason);
    return status == CALL_OK ? print_command (self, reservation, answer)
                             : plus_refused (self, status, reason);
}

static int operate (plus_client_t *self, const char *name, const char *reservation,
                    const json_t *body)
{
    char reason [CLIENT_REASON_BYTES];
    json_auto_t *answer = NULL;
    call_status_t status = plus_call (self, "Reservation", name, body, "command", &answer, reason);
    return status == CALL_OK ? plus_finish (self, reservation, answer)
                             : plus_refused (self, status, reason);
}

static int create (plus_client_t *self, char reservation [NAME_BYTES_MAX + 1])
{
    char reason [CLIENT_REASON_BYTES];
    json_auto_t *answer = NULL;
    json_auto_t *body = json_object ();
    call_status_t status = plus_call (self, "Factory", "Create", body, "create", &answer, reason);
    if (status != CALL_OK)
        return plus_refused (self, status, reason);
    snprintf (reservation, NAME_BYTES_MAX + 1, "%s", text_of (answer, "reservation"));
    return EXIT_DONE;
}

/*  Nodes, or whole MiB of storage, and of which class or storage node. False after refusing. */
static bool quantity_into (const plus_client_t *self, json_t *body)
{
    const plus_options_t *options = &self->options;
    if (options->nodes && options->gb > 0)
        return cli_refuse ("plus: -n and --gb: a reservation has nodes, or room on a disk");
    if (options->gb > 0)
        json_object_set_new (body, "quantity",
                             json_integer (space_mib ((uint64_t) (options->gb * 1e9))));
    else if (options->nodes)
        json_object_set_new (body, "quantity", json_integer (options->nodes));
    if (options->class_name)
        json_object_set_new (body, "resource", json_string (options->class_name));
    return true;
}

static int reserve (plus_client_t *self, const char *name)
{
    char reservation [NAME_BYTES_MAX + 1];
    const plus_options_t *options = &self->options;
    if (!options->start || !options->end || !amount_given (options))
        return cli_fail (EXIT_USAGE, "plus reserve: -s, -e and -n or --gb are needed");
    json_auto_t *body = json_object ();
    bool good = times_into (self, body) && quantity_into (self, body);
    int code = good ? find_site (self) : EXIT_USAGE;
    if (code == EXIT_DONE)
        code = create (self, reservation);
    if (code != EXIT_DONE)
        return code;
    json_object_set_new (body, "reservation", json_string (reservation));
    return operate (self, name, reservation, body);
}

/*  "Modify", or "Release", which has no terms. */
static int plus_change (plus_client_t *self, const char *name)
{
    const plus_options_t *options = &self->options;
    bool releases = strcmp (name, "Release") == 0;
    bool terms = options->start || options->end || amount_given (options);
    if (!terms && !releases)
        return cli_fail (EXIT_USAGE, "plus modify: give at least one of -s, -e, -n and --gb");
    if (terms && releases)
        return cli_fail (EXIT_USAGE, "plus cancel: only -r, -R and -T are taken");
    json_auto_t *body = json_pack ("{s:s}", "reservation", options->reservation);
    bool good = body && times_into (self, body) && quantity_into (self, body);
    int code = good ? find_site (self) : EXIT_USAGE;
    if (code == EXIT_DONE && !releases && amount_given (options) &&
        (options->gb > 0) != self->storage)
        return cli_fail (EXIT_USAGE, "plus modify: -r %s: it is one of %s", options->reservation,
                         self->storage ? "room on a disk: give --gb" : "nodes: give -n");
    return code == EXIT_DONE ? operate (self, name, options->reservation, body) : code;
}

/*  The properties of one reservation, or of a page of all; NULL after refusing, with *code. */
static json_t *properties (plus_client_t *self, const char *after, int *code)
{
    char reason [CLIENT_REASON_BYTES];
    json_t *answer = NULL;
    json_auto_t *body = json_pack ("{s:s}", "after", after);
    if (self->options.reservation)
        json_object_set_new (body, "reservation", json_string (self->options.reservation));
    call_status_t status = plus_call (self, "Reservation", "Properties", body, "", &answer, reason);
    if (status != CALL_OK)
        *code = plus_refused (self, status, reason);
    return answer;
}

static int plus_decide (plus_client_t *self, const char *name)
{
    int code = find_site (self);
    json_auto_t *answer = code == EXIT_DONE ? properties (self, "", &code) : NULL;
    if (!answer)
        return code;
    const json_t *one = item_of (answer, "reservations", 0);
    const json_t *command = item_of (one, "commands", 0);
    char state [LOWER_BYTES], reason [CLIENT_REASON_BYTES];
    if (!command)
        return cli_fail (EXIT_REFUSED,
                         "plus: %s: no command waits for a commit or abort; it is %s at %s",
                         self->options.reservation, state_word (one, state), self->site);
    json_auto_t *told = NULL;
    json_auto_t *body = json_pack ("{s:O}", "command", json_object_get (command, "command"));
    call_status_t status = plus_call (self, "Command", name, body, "", &told, reason);
    if (status != CALL_OK)
        return plus_refused (self, status, reason);
    if (strcmp (name, "Abort") != 0 || !is_state (told, "aborted"))
        return print_command (self, self->options.reservation, told);
    printf ("%s\n", self->options.reservation);
    return EXIT_DONE;
}

/*  One reservation as users read it. */
static json_t *status_form (const plus_client_t *self, const json_t *one)
{
    static const form_row_t rows [] = {{.key = "start", .kind = FORM_TIME, .from = "from_ms"},
                                       {.key = "end", .kind = FORM_TIME, .from = "until_ms"},
                                       {.key = "nodes", .kind = FORM_NUMBER, .from = "quantity"},
                                       {.key = "class", .kind = FORM_TEXT, .from = "resource"},
                                       {0}};
    static const form_row_t room [] = {{.key = "start", .kind = FORM_TIME, .from = "from_ms"},
                                       {.key = "end", .kind = FORM_TIME, .from = "until_ms"},
                                       {.key = "mib", .kind = FORM_NUMBER, .from = "quantity"},
                                       {.key = "node", .kind = FORM_TEXT, .from = "resource"},
                                       {0}};
    char word [LOWER_BYTES];
    json_t *form = made (json_pack ("{s:s, s:s, s:s, s:s}", "reservation",
                                    text_of (one, "reservation"), "site", self->site, "owner",
                                    text_of (one, "owner"), "state", state_word (one, word)));
    const json_t *command = item_of (one, "commands", 0);
    if (number_of (one, "until_ms"))
        form_add (form, self->storage ? room : rows, one);
    if (command)
        plus_take_command (form, command);
    return form;
}

static const char *nodes_cell (const json_t *form, const char *key, char text [CELL_BYTES])
{
    if (number_of (form, key))
        return number_text (form, key, text);
    snprintf (text, CELL_BYTES, "%" PRId64 " MiB", number_of (form, "mib"));
    return number_of (form, "mib") ? text : "";
}

static const char *class_cell (const json_t *form, const char *key, char text [CELL_BYTES])
{
    (void) text;
    return text_of (form, json_object_get (form, "node") ? "node" : key);
}

/*  Created but not reserved, and no command waits: the reserve was refused, and the site soon
 *  forgets it. */
static bool is_forgotten (const json_t *one)
{
    return is_state (one, "created") && json_array_size (json_object_get (one, "commands")) == 0;
}

static int status_at (plus_client_t *self, json_t *all)
{
    int code = EXIT_DONE;
    char next [NAME_BYTES_MAX + 1] = "";
    bool more = true;
    while (more) {
        json_auto_t *answer = properties (self, next, &code);
        json_each_of (one, answer, "reservations") {
            if (!self->options.reservation && is_forgotten (one))
                continue;
            json_array_append_new (all, status_form (self, one));
        }
        more = flag_of (answer, "more") && strcmp (text_of (answer, "next"), next) > 0;
        snprintf (next, sizeof next, "%s", text_of (answer, "next"));
    }
    return code;
}

static int status (plus_client_t *self, const char *name)
{
    static const form_row_t columns [] = {{"RESERVATION", "reservation", .kind = FORM_TEXT},
                                          {"SITE", "site", .kind = FORM_TEXT},
                                          {"OWNER", "owner", .kind = FORM_TEXT},
                                          {"STATE", "state", .kind = FORM_TEXT},
                                          {"START", "start", .kind = FORM_TIME},
                                          {"END", "end", .kind = FORM_TIME},
                                          {">NODES", "nodes", .cell = nodes_cell},
                                          {"CLASS", "class", .cell = class_cell},
                                          {"COMMAND", "command", .kind = FORM_TEXT},
                                          {0}};
    (void) name;
    bool everywhere = !self->options.host && !self->options.reservation;
    int code = EXIT_DONE;
    if (!everywhere)
        code = find_site (self);
    else if (!session_look (self->session, ""))
        code = session_lost (self->session);
    if (code != EXIT_DONE)
        return code;
    json_auto_t *all = json_array ();
    const json_t *entry;
    if (!everywhere)
        code = status_at (self, all);
    json_auto_t *sites = candidates (self);
    for (size_t i = 0; everywhere && (entry = json_array_get (sites, i)); i++) {
        plus_take_site (self, entry);
        int one = status_at (self, all);
        code = one > code ? one : code;
    }
    if (!cli_json (self->cli, json_incref (all)) &&
        (json_array_size (all) > 0 || code == EXIT_DONE))
        table_print_forms (columns, all, stdout);
    return code;
}

/*  --- running one --- */

typedef struct {
    const char *name;
    int (*act) (plus_client_t *self, const char *method);
    const char *method;
    bool id;      /* needs -r */
    bool changes; /* under a request id */
} manner_t;

static const manner_t manners [] = {{"plus reserve", reserve, "Reserve", false, true},
                                    {"plus cancel", plus_change, "Release", true, true},
                                    {"plus modify", plus_change, "Modify", true, true},
                                    {"plus status", status, NULL, false, false},
                                    {"plus commit", plus_decide, "Commit", true, false},
                                    {"plus abort", plus_decide, "Abort", true, false}};

static void choose_id (plus_client_t *self)
{
    if (self->cli->request_id)
        snprintf (self->request_id, sizeof self->request_id, "%s", self->cli->request_id);
    else
        snprintf (self->request_id, sizeof self->request_id, "plus-%016llx",
                  (unsigned long long) prng_next (&self->session->prng));
    fprintf (stderr, "request-id %s\n", self->request_id);
}

static int plus_run (cli_t *cli)
{
    int code;
    plus_client_t self = {.cli = cli};
    const manner_t *manner = manners;
    while (strcmp (manner->name, cli->command->name) != 0)
        manner++;
    if (!plus_parse (cli, &self.options, &code))
        return code;
    if (manner->id && !self.options.reservation)
        return cli_fail (EXIT_USAGE, "%s: -r is needed", manner->name);
    session_auto_t *session = session_open (cli, &code);
    if (!session)
        return code;
    if (cli->request_id && strlen (cli->request_id) > REQUEST_ID_BYTES_MAX - 16)
        return cli_fail (EXIT_USAGE, "plus: --request-id: at most %d bytes",
                         REQUEST_ID_BYTES_MAX - 16);
    self.session = session;
    self.reserves = manner->act == reserve;
    if (manner->changes)
        choose_id (&self);
    return manner->act (&self, manner->method);
}

int run_plus (cli_t *cli)
{
    static const cli_command_t commands [] = {
      {"plus reserve", "-s START -e END {-n NODES|--gb N} [-R SITE] [-T] [--class NAME]",
       "Reserve nodes of one site, or room on a disk; prints the reservation's id.", plus_run},
      {"plus cancel", "-r ID [-R SITE] [-T]", "Give a reservation back.", plus_run},
      {"plus modify", "-r ID [-s START] [-e END] [-n NODES|--gb N] [-R SITE] [-T]",
       "Change a reservation; the old one stands until the change is committed.", plus_run},
      {"plus status", "[-r ID] [-R SITE]",
       "Show one reservation, or all of yours, and the command that waits.", plus_run},
      {"plus commit", "-r ID [-R SITE]", "Commit the command that has waited since -T.", plus_run},
      {"plus abort", "-r ID [-R SITE]",
       "Abort the command that has waited since -T; the reservation stays as it was.", plus_run},
    };
    return cli_run_own (cli, commands, sizeof commands / sizeof *commands);
}
