/*  answer_form - from the JSON of proto to the JSON and text that users read. */
#include "answer_form.h"
#include "table.h"

#include "cli.h"
#include "must.h"

#include <inttypes.h>

static const form_row_t placement_rows [] = {
  {"NEED", "id", .kind = FORM_TEXT, .from = "need"},
  {"SITE", "site", .kind = FORM_SHORT},
  {"CLASS", "class", .kind = FORM_TEXT, .from = "class_name", .optional = true},
  {">CPUS", "cpus", .kind = FORM_NUMBER},
  {"START", "start", .kind = FORM_TIME, .from = "from_ms", .optional = true},
  {"END", "end", .kind = FORM_TIME, .from = "until_ms", .optional = true},
  {0}};

static const form_row_t connection_rows [] = {
  {.key = "need", .kind = FORM_TEXT},
  {.key = "between", .kind = FORM_SAME},
  {.key = "path", .kind = FORM_SAME},
  {.key = "links", .kind = FORM_SAME},
  {.key = "mbps", .kind = FORM_NUMBER},
  {.key = "latency_ms", .kind = FORM_REAL, .optional = true},
  {.key = "start", .kind = FORM_TIME, .from = "from_ms", .optional = true},
  {.key = "end", .kind = FORM_TIME, .from = "until_ms", .optional = true},
  {0}};

/*  A file that is there for good takes none. */
static const char *answer_form_room_cell (const json_t *form, const char *key,
                                          char text [CELL_BYTES])
{
    return number_of (form, key) ? cell_bytes (form, key, text) : "";
}

static const form_row_t room_rows [] = {
  {"NEED", "need", .kind = FORM_TEXT},
  {"FILE", "file", .kind = FORM_TEXT, .optional = true},
  {"SITE", "site", .kind = FORM_TEXT},
  {"NODE", "node", .kind = FORM_TEXT},
  {">SIZE", "bytes", .cell = answer_form_room_cell, .kind = FORM_NUMBER},
  {"FROM", "source", .kind = FORM_TEXT, .optional = true},
  {">MBIT/S", "mbps", .kind = FORM_NUMBER, .optional = true},
  {"BEGINS", "start", .kind = FORM_TIME, .from = "from_ms"},
  {"DUE", "due", .kind = FORM_TIME, .from = "due_ms", .optional = true},
  {"END", "end", .kind = FORM_TIME, .from = "until_ms"},
  {0}};

static const form_row_t reason_rows [] = {
  {.key = "need", .kind = FORM_TEXT, .optional = true},
  {.key = "resource", .kind = FORM_TEXT, .optional = true},
  {.key = "from", .kind = FORM_TIME, .from = "from_ms", .optional = true},
  {.key = "until", .kind = FORM_TIME, .from = "until_ms", .optional = true},
  {.key = "wanted", .kind = FORM_NUMBER},
  {.key = "free", .kind = FORM_NUMBER},
  {.key = "text", .kind = FORM_TEXT, .optional = true},
  {0}};

static const form_row_t alternative_rows [] = {
  {.key = "start", .kind = FORM_TIME, .from = "start_ms", .optional = true},
  {.key = "change", .kind = FORM_TEXT, .optional = true},
  {0}};

json_t *reason_form (const json_t *reason)
{
    return form_of (reason_rows, reason);
}

/*  A request in progress counts as unknown: asking again will tell. */
static const char *const status_words [][2] = {{"ANSWER_COMMITTED", "committed"},
                                               {"ANSWER_REFUSED", "refused"},
                                               {"ANSWER_CONFLICT", "refused"},
                                               {"ANSWER_PLANNED", "planned"},
                                               {NULL, "unknown"}};

/*  A conflict refuses this request, not the one that used the id before. */
static void take_conflict (json_t *form)
{
    take (form, "conflict", json_true ());
    take (form, "reasons",
          json_pack ("[{s:s}]", "text",
                     "conflict: this request id was used before with another request"));
}

json_t *answer_form (const json_t *answer)
{
    static const form_row_t refused [] = {
      {.key = "reasons", .kind = FORM_EACH, .more = reason_rows},
      {.key = "alternatives", .kind = FORM_EACH, .more = alternative_rows},
      {0}};
    static const form_row_t placed [] = {
      {.key = "version", .kind = FORM_NUMBER},
      {.key = "start", .kind = FORM_TIME, .from = "start_ms", .optional = true},
      {.key = "end", .kind = FORM_TIME, .from = "end_ms", .optional = true},
      {.key = "compute", .kind = FORM_EACH, .more = placement_rows},
      {.key = "network", .kind = FORM_EACH, .more = connection_rows},
      {.key = "data", .kind = FORM_EACH, .more = room_rows},
      {.key = "cost", .kind = FORM_NUMBER},
      {0}};
    static const form_row_t planning [] = {
      {.key = "planner", .kind = FORM_TEXT, .optional = true},
      {.key = "algorithm", .kind = FORM_TEXT, .optional = true},
      {.key = "rounds", .kind = FORM_NUMBER},
      {.key = "planning_ms", .kind = FORM_NUMBER},
      {0}};
    static const form_row_t asked [] = {{.key = "reservation", .kind = FORM_TEXT, .optional = true},
                                        {.key = "status", .kind = FORM_WORD, .more = status_words},
                                        {.key = "request_id", .kind = FORM_TEXT, .optional = true},
                                        {0}};
    /* The reasons of a repair: the parts of a committed plan that somebody could not keep were
     * placed anew (T10). */
    static const form_row_t after [] = {
      {.key = "reasons", .kind = FORM_EACH, .optional = true, .more = reason_rows},
      {.key = "awaited", .kind = FORM_SAME, .optional = true},
      {0}};
    json_t *form = form_of (asked, answer);
    const char *status = text_of (form, "status");
    if (has_text (answer, "status", "ANSWER_CONFLICT")) {
        take_conflict (form);
    } else if (strcmp (status, "refused") == 0) {
        form_add (form, refused, answer);
    } else {
        form_add (form, placed, answer);
        form_add (form, strcmp (status, "committed") == 0 ? after : after + 1, answer);
    }
    form_add (form, planning, answer);
    return form;
}

json_t *answer_form_unknown (const char *request_id, const char *why)
{
    return made (json_pack ("{s:s, s:s, s:[{s:s}]}", "status", "unknown", "request_id", request_id,
                            "reasons", "text", why));
}

int answer_code (const json_t *form)
{
    const char *status = text_of (form, "status");
    return strcmp (status, "refused") == 0   ? EXIT_REFUSED
           : strcmp (status, "unknown") == 0 ? EXIT_UNKNOWN
                                             : EXIT_DONE;
}

/*  The path from one end to the other: its vertices, or its links where the vertices are not known.
 */
static const char *way_cell (const json_t *connection, const char *key, char text [CELL_BYTES])
{
    const json_t *path = json_object_get (connection, key);
    const json_t *links = json_object_get (connection, "links");
    const json_t *way = json_array_size (path) > 0 ? path : links;
    if (json_array_size (way) == 0)
        return "on one site";
    return texts_join (way, " > ", text, CELL_BYTES);
}

static const char *links_cell (const json_t *connection, const char *key, char text [CELL_BYTES])
{
    return texts_join (json_object_get (connection, key), " ", text, CELL_BYTES);
}

static const form_row_t connection_columns [] = {{"NEED", "need", .kind = FORM_TEXT},
                                                 {">MBIT/S", "mbps", .kind = FORM_NUMBER},
                                                 {"PATH", "path", .cell = way_cell},
                                                 {"LINKS", "links", .cell = links_cell},
                                                 {">LATENCY", "latency_ms", .cell = cell_latency},
                                                 {"START", "start", .kind = FORM_TIME},
                                                 {"END", "end", .kind = FORM_TIME},
                                                 {0}};

static void answer_form_print_parts (const json_t *form, FILE *to)
{
    const json_t *compute = json_object_get (form, "compute");
    const json_t *network = json_object_get (form, "network");
    const json_t *data = json_object_get (form, "data");
    if (json_array_size (compute) > 0)
        table_print_forms (placement_rows, compute, to);
    if (json_array_size (network) > 0)
        table_print_forms (connection_columns, network, to);
    if (json_array_size (data) > 0)
        table_print_forms (room_rows, data, to);
}

/*  The sentence of the planner; where there is none, one made of the figures. */
static void print_reason (const json_t *reason, FILE *to)
{
    const char *text = text_of (reason, "text");
    const char *need = text_of (reason, "need");
    const char *resource = text_of (reason, "resource");
    /* A reason without a need is about a resource, or about the whole request. */
    const char *about = *need ? need : *text ? resource : "";
    fprintf (to, "  %s%s%s%s", about, *about ? ": " : "", *text ? text : resource,
             *text ? "" : " refuses");
    if (*need && *resource && *text && !strstr (text, resource))
        fprintf (to, " [%s]", resource);
    if (number_of (reason, "wanted") > 0)
        fprintf (to, " (wanted %" PRId64 ", free %" PRId64, number_of (reason, "wanted"),
                 number_of (reason, "free"));
    if (number_of (reason, "wanted") > 0 && *text_of (reason, "from"))
        fprintf (to, ", %s to %s", text_of (reason, "from"), text_of (reason, "until"));
    fprintf (to, "%s\n", number_of (reason, "wanted") > 0 ? ")" : "");
}

static void print_reasons (const json_t *form, FILE *to)
{
    json_each_of (one, form, "reasons")
        print_reason (one, to);
    json_each_of (one, form, "alternatives")
        fprintf (to, "  possible: %s%s%s\n", text_of (one, "start"),
                 *text_of (one, "start") && *text_of (one, "change") ? ", " : "",
                 text_of (one, "change"));
}

/*  "2026-12-01T09:00:00Z to 2026-12-01T10:00:00Z", where there is a start. */
static void print_span (const json_t *form, const char *before, FILE *to)
{
    char start [TIMETEXT_BYTES];
    char end [TIMETEXT_BYTES];
    if (*text_of (form, "start"))
        fprintf (to, "%s%s to %s", before, time_brief (text_of (form, "start"), start),
                 time_brief (text_of (form, "end"), end));
}

void answer_print (const json_t *form, const char *what, FILE *to)
{
    const char *status = text_of (form, "status");
    char cost [COST_TEXT_BYTES];
    if (answer_code (form) != EXIT_DONE) {
        fprintf (to, "%s %s\n", what, status);
        print_reasons (form, to);
        return;
    }
    const char *id = text_of (form, "reservation");
    fprintf (to, "%s%s%s", status, *id ? " " : "", id);
    print_span (form, "  ", to);
    fprintf (to, "\n");
    print_reasons (form, to);
    answer_form_print_parts (form, to);
    if (json_array_size (json_object_get (form, "compute")) > 0)
        fprintf (to, "cost %s, planned in %" PRId64 " ms and %" PRId64 " round%s\n",
                 cost_text (number_of (form, "cost"), cost), number_of (form, "planning_ms"),
                 number_of (form, "rounds"), number_of (form, "rounds") == 1 ? "" : "s");
}

static const char *const show_words [][2] = {{"SHOW_UNKNOWN", "unknown"},
                                             {"SHOW_COMMITTING", "committing"},
                                             {"SHOW_COMMITTED", "committed"},
                                             {"SHOW_PENDING", "pending"},
                                             {"SHOW_RELEASED", "released"},
                                             {"SHOW_FAILED", "failed"},
                                             {"SHOW_RELEASING", "releasing"},
                                             {"SHOW_ENDED", "ended"},
                                             {NULL, "unknown"}};

static const char *const state_words [][2] = {{"CREATED", "created"},     {"RESERVED", "reserved"},
                                              {"ACTIVATED", "activated"}, {"RELEASED", "released"},
                                              {"FAILED", "failed"},       {NULL, "unknown"}};

/*  The domains whose circuits may be used now; NULL where no parts are told. */
static json_t *provisioned_form (const json_t *parts)
{
    json_t *domains = json_array_size (parts) > 0 ? made (json_array ()) : NULL;
    json_each (part, parts)
        if (flag_of (part, "provisioned"))
            json_array_append_new (domains,
                                   json_string (name_short (text_of (part, "participant"))));
    return domains;
}

static const char *const phase_words [][2] = {{"OPENING_BINDING", "binding"},
                                              {"OPENING_OPEN", "open"},
                                              {"OPENING_WARNED", "warned"},
                                              {"OPENING_CLOSING", "closing"},
                                              {"OPENING_CLEANING", "cleaning"},
                                              {"OPENING_OVER", "over"},
                                              {NULL, "waiting"}};

static const form_row_t free_rows [] = {{.key = "class", .kind = FORM_TEXT, .from = "class_name"},
                                        {.key = "nodes", .kind = FORM_NUMBER},
                                        {.key = "start", .kind = FORM_TIME, .from = "from_ms"},
                                        {.key = "end", .kind = FORM_TIME, .from = "until_ms"},
                                        {0}};

static const char *const counted_words [][2] = {{"USE_TOLD", "tasks"},
                                                {"USE_ACCOUNTED", "accounting"},
                                                {"USE_UNACCOUNTED", "tasks, without accounting"},
                                                {NULL, "tasks"}};

/*  The state of the reservation on a site's nodes. */
static const form_row_t opening_rows [] = {
  {.key = "site", .kind = FORM_TEXT},
  {.key = "phase", .kind = FORM_WORD, .from = "opening.phase", .more = phase_words},
  {.key = "nodes", .kind = FORM_NUMBER, .from = "opening.bound"},
  {.key = "wanted", .kind = FORM_NUMBER, .from = "opening.wanted"},
  {.key = "ready", .kind = FORM_FLAG, .from = "opening.ready"},
  {.key = "absent", .kind = FORM_FLAG, .from = "opening.absent"},
  {.key = "degraded", .kind = FORM_FLAG, .from = "opening.degraded"},
  {.key = "lent", .kind = FORM_FLAG, .from = "opening.lent"},
  {.key = "given_back", .kind = FORM_FLAG, .from = "opening.given_back"},
  {.key = "disconnected", .kind = FORM_FLAG, .from = "opening.disconnected"},
  {.key = "cpu_ms", .kind = FORM_NUMBER, .from = "opening.cpu_ms"},
  {.key = "offered_ms", .kind = FORM_NUMBER, .from = "opening.offered_ms"},
  {.key = "counted", .kind = FORM_WORD, .from = "opening.counted", .more = counted_words},
  {.key = "trouble", .kind = FORM_TEXT, .from = "opening.trouble", .optional = true},
  {.key = "alternatives",
   .kind = FORM_EACH,
   .from = "opening.alternatives",
   .optional = true,
   .more = free_rows},
  {0}};

/*  One opening, with a line for each alternative. */
static void opening_print (const json_t *form, FILE *to)
{
    static const char *const flags [][2] = {{"ready", "ready"},
                                            {"absent", "not there yet"},
                                            {"degraded", "degraded"},
                                            {"lent", "lent while it is not used"},
                                            {"given_back", "given back unused"},
                                            {"disconnected", "disconnected"}};
    int64_t offered_ms = number_of (form, "offered_ms");
    const char *counted = text_of (form, "counted");
    fprintf (to, "at %s: %s, %" PRId64 " of %" PRId64 " nodes", text_of (form, "site"),
             text_of (form, "phase"), number_of (form, "nodes"), number_of (form, "wanted"));
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (json_is_true (json_object_get (form, flags [i][0])))
            fprintf (to, ", %s", flags [i][1]);
    if (offered_ms > 0)
        fprintf (to, ", used %.0f %%%s",
                 100.0 * (double) number_of (form, "cpu_ms") / (double) offered_ms,
                 strcmp (counted, "accounting") == 0 ? " by the batch system's accounting"
                 : strcmp (counted, "tasks") == 0    ? ""
                                                     : " as its tasks told (no accounting there)");
    if (*text_of (form, "trouble"))
        fprintf (to, ", %s", text_of (form, "trouble"));
    fputc ('\n', to);
    json_each_of (one, form, "alternatives") {
        char from [TIMETEXT_BYTES];
        char until [TIMETEXT_BYTES];
        fprintf (to, "  %" PRId64 " nodes of %s are free from %s to %s\n", number_of (one, "nodes"),
                 text_of (one, "class"), time_brief (text_of (one, "start"), from),
                 time_brief (text_of (one, "end"), until));
    }
}

/*  How far the files are; NULL when no site tells it. */
static json_t *staging_form (const json_t *sites)
{
    static const form_row_t file [] = {{.key = "site", .kind = FORM_TEXT},
                                       {.key = "need", .kind = FORM_TEXT},
                                       {.key = "node", .kind = FORM_TEXT},
                                       {.key = "file", .kind = FORM_TEXT},
                                       {.key = "state", .kind = FORM_LOWER, .more = " "},
                                       {.key = "has", .kind = FORM_NUMBER},
                                       {.key = "size", .kind = FORM_NUMBER},
                                       {.key = "source", .kind = FORM_TEXT, .optional = true},
                                       {.key = "why", .kind = FORM_TEXT, .optional = true},
                                       {0}};
    json_auto_t *files = json_array_size (sites) > 0 ? forms_flat (sites, "files") : NULL;
    json_t *forms = files ? forms_of (file, files) : NULL;
    json_each (one, forms) /* "late" of "staged late" */
        take (one, "state", json_string (text_of (one, "state") + strlen ("staged ")));
    return forms;
}

static void staging_print (const json_t *file, FILE *to)
{
    char has [BYTES_TEXT_BYTES], size [BYTES_TEXT_BYTES];
    const char *source = text_of (file, "source"), *why = text_of (file, "why");
    fprintf (to, "%s: %s at %s/%s %s, %s of %s%s%s%s%s\n", text_of (file, "need"),
             text_of (file, "file"), text_of (file, "site"), text_of (file, "node"),
             text_of (file, "state"), bytes_text ((double) number_of (file, "has"), has),
             bytes_text ((double) number_of (file, "size"), size), *source ? " from " : "", source,
             *why ? ": " : "", why);
}

static const char *const circuit_words [][2] = {{"CIRCUITS_OPENING", "opening"},
                                                {"CIRCUITS_ACTIVE", "active"},
                                                {"CIRCUITS_DEGRADED", "degraded"},
                                                {NULL, "idle"}};

/*  How far a domain's circuits in use are. */
static const form_row_t circuit_rows [] = {
  {.key = "domain", .kind = FORM_TEXT},
  {.key = "state", .kind = FORM_WORD, .more = circuit_words},
  {.key = "trouble", .kind = FORM_TEXT, .optional = true},
  {.key = "wait_us", .kind = FORM_NUMBER, .optional = true},
  {0}};

json_t *view_form (const json_t *view)
{
    static const form_row_t first [] = {
      {.key = "reservation", .kind = FORM_TEXT, .optional = true},
      {.key = "name", .kind = FORM_TEXT, .optional = true},
      {.key = "owner", .kind = FORM_TEXT, .optional = true},
      {.key = "status", .kind = FORM_WORD, .more = show_words},
      {.key = "state", .kind = FORM_WORD, .more = state_words},
      {.key = "version", .kind = FORM_NUMBER},
      {.key = "start", .kind = FORM_TIME, .from = "start_ms", .optional = true},
      {.key = "end", .kind = FORM_TIME, .from = "end_ms", .optional = true},
      {.key = "compute", .kind = FORM_EACH, .more = placement_rows},
      {.key = "network", .kind = FORM_EACH, .more = connection_rows},
      {.key = "data", .kind = FORM_EACH, .more = room_rows},
      {0}};
    static const form_row_t used [] = {
      {.key = "circuits", .kind = FORM_EACH, .optional = true, .more = circuit_rows},
      {.key = "openings", .kind = FORM_EACH, .optional = true, .more = opening_rows},
      {0}};
    static const form_row_t last [] = {{.key = "silent", .kind = FORM_SAME}, {0}};
    json_t *form = form_of (first, view);
    json_t *provisioned = provisioned_form (json_object_get (view, "parts"));
    if (provisioned)
        take (form, "provisioned", provisioned);
    form_add (form, used, view);
    json_t *staging = staging_form (json_object_get (view, "staging"));
    if (staging)
        take (form, "staging", staging);
    if (json_array_size (json_object_get (view, "lacking")) > 0)
        json_object_set (form, "lacking", json_object_get (view, "lacking"));
    form_add (form, last, view);
    return form;
}

void view_print (const json_t *form, FILE *to)
{
    const char *name = text_of (form, "name");
    const char *owner = text_of (form, "owner");
    fprintf (to, "%s%s%s\n", text_of (form, "reservation"), *name ? "  " : "", name);
    const char *status = text_of (form, "status");
    const char *state = text_of (form, "state");
    bool alike = strcmp (status, state) == 0;
    fprintf (to, "%s%s%s, version %" PRId64 "%s%s\n", status, alike ? "" : ", ", alike ? "" : state,
             number_of (form, "version"), *owner ? ", owner " : "", owner);
    print_span (form, "", to);
    if (*text_of (form, "start"))
        fprintf (to, "\n");
    answer_form_print_parts (form, to);
    json_each_of (one, form, "provisioned")
        fprintf (to, "provisioned at %s\n", json_string_value (one));
    json_each_of (one, form, "circuits") {
        fprintf (to, "circuits at %s %s%s%s", text_of (one, "domain"), text_of (one, "state"),
                 *text_of (one, "trouble") ? ": " : "", text_of (one, "trouble"));
        if (number_of (one, "wait_us") > 0)
            fprintf (to, "; one that is full adds up to %.1f ms to its latency",
                     (double) number_of (one, "wait_us") / 1e3);
        fprintf (to, "\n");
    }
    json_each_of (one, form, "openings")
        opening_print (one, to);
    json_each_of (one, form, "staging")
        staging_print (one, to);
    json_each_of (one, form, "lacking")
        fprintf (to, "degraded: %s has less than it has promised\n", json_string_value (one));
    json_each_of (silent, form, "silent")
        fprintf (to, "%s %s\n",
                 strcmp (status, "releasing") == 0 ? "not given back yet by" : "no answer from",
                 json_string_value (silent));
}

json_t *shortage_sentence (const json_t *shortage)
{
    char since [TIMETEXT_BYTES];
    char brief [TIMETEXT_BYTES];
    int64_t count = number_of (shortage, "reservations");
    if (count == 0)
        return NULL;
    timetext_format (number_of (shortage, "since_ms"), since);
    return made (json_sprintf (
      "since %s there is less than was promised: %" PRId64 " reservation%s, first %s",
      time_brief (since, brief), count, count > 1 ? "s" : "", text_of (shortage, "first")));
}

json_t *opening_sentence (const json_t *part)
{
    char *text = NULL;
    size_t size = 0;
    const char *site = strchr (text_of (part, "participant"), '/');
    json_auto_t *sites = made (json_pack ("[{s:s, s:O}]", "site", site ? site + 1 : "", "opening",
                                          json_object_get (part, "opening")));
    json_auto_t *forms = forms_of (opening_rows, sites);
    FILE *to = must (open_memstream (&text, &size));
    opening_print (json_array_get (forms, 0), to);
    fclose (to);
    text [size - 1] = '\0'; /* the end of its last line */
    for (char *end = text; (end = strstr (end, "\n "));)
        *end++ = ';', memmove (end, end + 1, strlen (end));
    json_t *sentence = made (json_sprintf ("%s %s", text_of (part, "reservation"), text));
    free (text);
    return sentence;
}

bool opening_degraded (const json_t *view)
{
    json_each_of (one, view, "openings")
        if (flag_of (one, "degraded"))
            return true;
    return json_array_size (json_object_get (view, "lacking")) > 0 ||
           item_with (json_object_get (view, "circuits"), "state", "degraded") ||
           item_with (json_object_get (view, "staging"), "state", "late");
}

/*  How it stands where it is, in a word: "disconnected" or "degraded" somewhere; "active", or
 *  "ready" before its start, when it is so at every site that has nodes for it, and its circuits
 *  are where a domain tells how they are; else "". */
static const char *view_condition (const json_t *view)
{
    size_t ready = 0, count = 0;
    bool activated = has_text (view, "state", "activated");
    const json_t *one;
    for (; (one = item_of (view, "openings", count)); count++) {
        if (flag_of (one, "disconnected"))
            return "disconnected";
        ready += flag_of (one, "ready");
    }
    if (opening_degraded (view))
        return "degraded";
    for (size_t i = 0; activated && (one = item_of (view, "circuits", i)); i++, count++)
        ready += has_text (one, "state", "active");
    if (count == 0 || ready < count)
        return "";
    return activated ? "active" : "ready";
}

const char *view_trouble (const json_t *view)
{
    static const char *const lists [] = {"openings", "circuits"};
    for (size_t l = 0; l < 2; l++) {
        json_each_of (one, view, lists [l])
            if (*text_of (one, "trouble"))
                return text_of (one, "trouble");
    }
    return "";
}

const char *view_status (const json_t *view, char text [CELL_BYTES])
{
    const char *condition = view_condition (view);
    snprintf (text, CELL_BYTES, "%s%s%s", text_of (view, "status"), *condition ? ", " : "",
              condition);
    return text;
}
