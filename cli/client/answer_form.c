/*  answer_form - from the words of proto to those of the interfaces. */
#include "answer_form.h"

#include "opening_form.h"

#include "cli.h"
#include "fields.h"
#include "timetext.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WAY_TEXT_BYTES 1024 /* of a path in a table */

const char *name_short (const char *name)
{
    const char *slash = strchr (name, '/');
    return slash ? slash + 1 : name;
}

const char *time_text (int64_t ms, char text [TIME_TEXT_BYTES])
{
    return timetext_format (ms, text);
}

const char *time_brief (const char *time, char text [TIME_TEXT_BYTES])
{
    size_t length = strcspn (time, ".");
    snprintf (text, TIME_TEXT_BYTES, "%.*s%s", (int) length, time, time [length] == '.' ? "Z" : "");
    return text;
}

const char *cost_text (int64_t micro_credits, char text [COST_TEXT_BYTES])
{
    uint64_t magnitude =
      micro_credits < 0 ? 0 - (uint64_t) micro_credits : (uint64_t) micro_credits;
    int length = snprintf (text, COST_TEXT_BYTES, "%s%" PRIu64 ".%06" PRIu64,
                           micro_credits < 0 ? "-" : "", magnitude / 1000000, magnitude % 1000000);
    /* Two decimals stay, so that columns line up; more only where they tell something. */
    for (int decimals = 6; decimals > 2 && text [length - 1] == '0'; decimals--)
        text [--length] = '\0';
    return text;
}

const char *number_text (const json_t *form, const char *key, char text [NUMBER_TEXT_BYTES])
{
    snprintf (text, NUMBER_TEXT_BYTES, "%" PRId64, number_of (form, key));
    return text;
}

static void take_time (json_t *to, const char *key, const json_t *from, const char *from_key)
{
    char text [TIME_TEXT_BYTES];
    int64_t ms = number_of (from, from_key);
    if (ms != 0)
        take (to, key, json_string (time_text (ms, text)));
}

static void take_text (json_t *to, const char *key, const json_t *from, const char *from_key)
{
    const char *text = text_of (from, from_key);
    if (*text)
        take (to, key, json_string (text));
}

static void take_number (json_t *to, const char *key, const json_t *from)
{
    take (to, key, json_integer (number_of (from, key)));
}

static json_t *compute_form (const json_t *placements)
{
    json_t *list = made (json_array ());
    size_t i;
    const json_t *placement;
    json_array_foreach (placements, i, placement)
    {
        json_t *one = made (json_object ());
        take (one, "id", json_string (text_of (placement, "need")));
        take (one, "site", json_string (name_short (text_of (placement, "site"))));
        take_text (one, "class", placement, "class_name");
        take_number (one, "cpus", placement);
        take_time (one, "start", placement, "from_ms");
        take_time (one, "end", placement, "until_ms");
        json_array_append_new (list, one);
    }
    return list;
}

static json_t *texts_form (const json_t *texts)
{
    return texts ? json_deep_copy (texts) : json_array ();
}

static json_t *network_form (const json_t *connections)
{
    json_t *list = made (json_array ());
    size_t i;
    const json_t *connection;
    json_array_foreach (connections, i, connection)
    {
        json_t *one = made (json_object ());
        const json_t *latency = json_object_get (connection, "latency_ms");
        take (one, "need", json_string (text_of (connection, "need")));
        take (one, "between", texts_form (json_object_get (connection, "between")));
        take (one, "path", texts_form (json_object_get (connection, "path")));
        take (one, "links", texts_form (json_object_get (connection, "links")));
        take_number (one, "mbps", connection);
        if (json_number_value (latency) > 0)
            take (one, "latency_ms", json_real (json_number_value (latency)));
        take_time (one, "start", connection, "from_ms");
        take_time (one, "end", connection, "until_ms");
        json_array_append_new (list, one);
    }
    return list;
}

json_t *reason_form (const json_t *reason)
{
    json_t *one = made (json_object ());
    take_text (one, "need", reason, "need");
    take_text (one, "resource", reason, "resource");
    take_time (one, "from", reason, "from_ms");
    take_time (one, "until", reason, "until_ms");
    take_number (one, "wanted", reason);
    take_number (one, "free", reason);
    take_text (one, "text", reason, "text");
    return one;
}

static json_t *reasons_form (const json_t *reasons)
{
    json_t *list = made (json_array ());
    size_t i;
    const json_t *reason;
    json_array_foreach (reasons, i, reason) json_array_append_new (list, reason_form (reason));
    return list;
}

static json_t *alternatives_form (const json_t *alternatives)
{
    json_t *list = made (json_array ());
    size_t i;
    const json_t *alternative;
    json_array_foreach (alternatives, i, alternative)
    {
        json_t *one = made (json_object ());
        take_time (one, "start", alternative, "start_ms");
        take_text (one, "change", alternative, "change");
        json_array_append_new (list, one);
    }
    return list;
}

static const char *status_word (const char *status)
{
    static const char *const words [][2] = {{"ANSWER_COMMITTED", "committed"},
                                            {"ANSWER_REFUSED", "refused"},
                                            {"ANSWER_CONFLICT", "refused"},
                                            {"ANSWER_PLANNED", "planned"},
                                            {NULL}};
    /* In progress is unknown, too: whoever asks again will know. */
    return word_of (words, status, "unknown");
}

/*  A conflict is a refusal of this request, not of the one that had its id before. */
static void take_conflict (json_t *form)
{
    json_t *reason = made (json_object ());
    take (reason, "text",
          json_string ("conflict: this request id was used before with another request"));
    json_t *reasons = made (json_array ());
    json_array_append_new (reasons, reason);
    take (form, "conflict", json_true ());
    take (form, "reasons", reasons);
}

json_t *answer_form (const json_t *answer)
{
    json_t *form = made (json_object ());
    const char *status = status_word (text_of (answer, "status"));
    bool conflict = strcmp (text_of (answer, "status"), "ANSWER_CONFLICT") == 0;
    take_text (form, "reservation", answer, "reservation");
    take (form, "status", json_string (status));
    take_text (form, "request_id", answer, "request_id");
    if (conflict) {
        take_conflict (form);
    } else if (strcmp (status, "refused") == 0) {
        take (form, "reasons", reasons_form (json_object_get (answer, "reasons")));
        take (form, "alternatives", alternatives_form (json_object_get (answer, "alternatives")));
    } else {
        take_number (form, "version", answer);
        take_time (form, "start", answer, "start_ms");
        take_time (form, "end", answer, "end_ms");
        take (form, "compute", compute_form (json_object_get (answer, "compute")));
        take (form, "network", network_form (json_object_get (answer, "network")));
        take (form, "data", json_array ());
        take_number (form, "cost", answer);
        /* What was committed and could not be kept by all may have been placed anew (T10). */
        const json_t *why = json_object_get (answer, "reasons");
        if (strcmp (status, "committed") == 0 && json_array_size (why) > 0)
            take (form, "reasons", reasons_form (why));
        const json_t *awaited = json_object_get (answer, "awaited");
        if (json_array_size (awaited) > 0)
            take (form, "awaited", json_deep_copy (awaited));
    }
    take_text (form, "planner", answer, "planner");
    take_text (form, "algorithm", answer, "algorithm");
    take_number (form, "rounds", answer);
    take_number (form, "planning_ms", answer);
    return form;
}

json_t *answer_form_unknown (const char *request_id, const char *why)
{
    json_t *reason = made (json_object ());
    take (reason, "text", json_string (why));
    json_t *reasons = made (json_array ());
    json_array_append_new (reasons, reason);
    json_t *form = made (json_object ());
    take (form, "status", json_string ("unknown"));
    take (form, "request_id", json_string (request_id));
    take (form, "reasons", reasons);
    return form;
}

int answer_code (const json_t *form)
{
    const char *status = text_of (form, "status");
    return strcmp (status, "refused") == 0   ? EXIT_REFUSED
           : strcmp (status, "unknown") == 0 ? EXIT_UNKNOWN
                                             : EXIT_DONE;
}

static void print_compute (const json_t *compute, FILE *to)
{
    static const char *const headings [] = {"NEED", "SITE", "CLASS", ">CPUS", "START", "END"};
    table_t *table = table_new (headings, 6);
    size_t i;
    const json_t *one;
    json_array_foreach (compute, i, one)
    {
        char cpus [24];
        char start [TIME_TEXT_BYTES];
        char end [TIME_TEXT_BYTES];
        const char *cells [] = {text_of (one, "id"),
                                text_of (one, "site"),
                                text_of (one, "class"),
                                number_text (one, "cpus", cpus),
                                time_brief (text_of (one, "start"), start),
                                time_brief (text_of (one, "end"), end)};
        table_row (table, cells);
    }
    table_print (&table, to);
}

void texts_join (const json_t *texts, const char *between, char *joined, size_t size)
{
    size_t length = 0;
    size_t i;
    const json_t *one;
    joined [0] = '\0';
    json_array_foreach (texts, i, one)
    {
        if (length < size)
            length += (size_t) snprintf (joined + length, size - length, "%s%s", i ? between : "",
                                         json_string_value (one) ? json_string_value (one) : "");
    }
}

/*  The way from one end to the other: its vertices, or the links where these are not known. */
static void way_text (const json_t *connection, char *text, size_t size)
{
    const json_t *path = json_object_get (connection, "path");
    const json_t *links = json_object_get (connection, "links");
    if (json_array_size (path) > 0 || json_array_size (links) > 0)
        texts_join (json_array_size (path) > 0 ? path : links, " > ", text, size);
    else
        snprintf (text, size, "on one site");
}

static void print_network (const json_t *network, FILE *to)
{
    static const char *const headings [] = {"NEED",     ">MBIT/S", "PATH", "LINKS",
                                            ">LATENCY", "START",   "END"};
    table_t *table = table_new (headings, 7);
    size_t i;
    const json_t *one;
    json_array_foreach (network, i, one)
    {
        char mbps [24];
        char way [WAY_TEXT_BYTES];
        char links [WAY_TEXT_BYTES];
        char latency [32] = "";
        char start [TIME_TEXT_BYTES];
        char end [TIME_TEXT_BYTES];
        way_text (one, way, sizeof way);
        texts_join (json_object_get (one, "links"), " ", links, sizeof links);
        if (json_object_get (one, "latency_ms"))
            snprintf (latency, sizeof latency, "%.6g ms",
                      json_real_value (json_object_get (one, "latency_ms")));
        const char *cells [] = {text_of (one, "need"),
                                number_text (one, "mbps", mbps),
                                way,
                                links,
                                latency,
                                time_brief (text_of (one, "start"), start),
                                time_brief (text_of (one, "end"), end)};
        table_row (table, cells);
    }
    table_print (&table, to);
}

static void print_parts (const json_t *form, FILE *to)
{
    if (json_array_size (json_object_get (form, "compute")) > 0)
        print_compute (json_object_get (form, "compute"), to);
    if (json_array_size (json_object_get (form, "network")) > 0)
        print_network (json_object_get (form, "network"), to);
}

/*  The sentence of the planner, or one made of the figures. */
static void print_reason (const json_t *reason, FILE *to)
{
    const char *text = text_of (reason, "text");
    const char *need = text_of (reason, "need");
    const char *resource = text_of (reason, "resource");
    /* What is not about a need is about a resource, or about the whole request. */
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
    size_t i;
    const json_t *one;
    json_array_foreach (json_object_get (form, "reasons"), i, one) print_reason (one, to);
    json_array_foreach (json_object_get (form, "alternatives"), i, one) fprintf (
      to, "  possible: %s%s%s\n", text_of (one, "start"),
      *text_of (one, "start") && *text_of (one, "change") ? ", " : "", text_of (one, "change"));
}

/*  "2026-12-01T09:00:00Z to 2026-12-01T10:00:00Z", where there is a start. */
static void print_span (const json_t *form, const char *before, FILE *to)
{
    char start [TIME_TEXT_BYTES];
    char end [TIME_TEXT_BYTES];
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
    print_parts (form, to);
    if (json_array_size (json_object_get (form, "compute")) > 0)
        fprintf (to, "cost %s, planned in %" PRId64 " ms and %" PRId64 " round%s\n",
                 cost_text (number_of (form, "cost"), cost), number_of (form, "planning_ms"),
                 number_of (form, "rounds"), number_of (form, "rounds") == 1 ? "" : "s");
}

static const char *show_word (const char *status)
{
    static const char *const words [][2] = {
      {"SHOW_UNKNOWN", "unknown"},     {"SHOW_COMMITTING", "committing"},
      {"SHOW_COMMITTED", "committed"}, {"SHOW_PENDING", "pending"},
      {"SHOW_RELEASED", "released"},   {"SHOW_FAILED", "failed"},
      {"SHOW_RELEASING", "releasing"}, {NULL}};
    return word_of (words, status, "unknown");
}

static const char *state_word (const char *state)
{
    static const char *const words [][2] = {{"CREATED", "created"},     {"RESERVED", "reserved"},
                                            {"ACTIVATED", "activated"}, {"RELEASED", "released"},
                                            {"FAILED", "failed"},       {NULL}};
    return word_of (words, state, "unknown");
}

/*  The domains whose circuits may be used now; NULL where no parts are told. */
static json_t *provisioned_form (const json_t *parts)
{
    json_t *domains = json_array_size (parts) > 0 ? made (json_array ()) : NULL;
    size_t i;
    const json_t *part;
    json_array_foreach (parts, i, part)
    {
        if (json_is_true (json_object_get (part, "provisioned")))
            json_array_append_new (domains,
                                   json_string (name_short (text_of (part, "participant"))));
    }
    return domains;
}

json_t *view_form (const json_t *view)
{
    json_t *form = made (json_object ());
    take_text (form, "reservation", view, "reservation");
    take_text (form, "name", view, "name");
    take_text (form, "owner", view, "owner");
    take (form, "status", json_string (show_word (text_of (view, "status"))));
    take (form, "state", json_string (state_word (text_of (view, "state"))));
    take_number (form, "version", view);
    take_time (form, "start", view, "start_ms");
    take_time (form, "end", view, "end_ms");
    take (form, "compute", compute_form (json_object_get (view, "compute")));
    take (form, "network", network_form (json_object_get (view, "network")));
    json_t *provisioned = provisioned_form (json_object_get (view, "parts"));
    if (provisioned)
        take (form, "provisioned", provisioned);
    json_t *openings = openings_form (json_object_get (view, "openings"));
    if (openings)
        take (form, "openings", openings);
    json_t *silent = json_object_get (view, "silent");
    take (form, "silent", silent ? json_deep_copy (silent) : json_array ());
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
    print_parts (form, to);
    size_t i;
    const json_t *one;
    json_array_foreach (json_object_get (form, "provisioned"), i, one)
      fprintf (to, "provisioned at %s\n", json_string_value (one));
    json_array_foreach (json_object_get (form, "openings"), i, one) opening_print (one, to);
    const json_t *silent;
    json_array_foreach (json_object_get (form, "silent"), i, silent) fprintf (
      to, "%s %s\n", strcmp (status, "releasing") == 0 ? "not given back yet by" : "no answer from",
      json_string_value (silent));
}
