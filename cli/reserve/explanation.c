/*  explanation - states of reservations and requests as sentences. */
#include "explanation.h"
#include "table.h"

#include "answer_form.h"
#include "cli.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

/*  --- refusals ---  */

static bool is_need (const json_t *request, const char *list, const char *id)
{
    return item_with (json_object_get (request, list), "id", id);
}

/*  The unit of a need's figures. For compute needs the sentence itself says whether CPUs or nodes
 *  are counted. */
static const char *explanation_unit_of (const json_t *request, const char *need)
{
    if (is_need (request, "data", need) || is_need (request, "space", need))
        return " MiB";
    bool network = json_array_size (json_object_get (request, "network")) > 0 && *need;
    return network && !is_need (request, "compute", need) ? " Mbit/s" : "";
}

static void print_blocked (const json_t *reason, const json_t *request, FILE *to)
{
    const char *need = text_of (reason, "need");
    const char *unit = explanation_unit_of (request, need);
    char from [TIMETEXT_BYTES];
    char until [TIMETEXT_BYTES];
    const char *resource = text_of (reason, "resource");
    fprintf (to, "%s\n", *need ? need : *resource ? resource : "the whole request");
    if (*need && *resource)
        fprintf (to, "    resource  %s\n", resource);
    if (*text_of (reason, "from"))
        fprintf (to, "    interval  %s to %s\n", time_brief (text_of (reason, "from"), from),
                 time_brief (text_of (reason, "until"), until));
    if (number_of (reason, "wanted") > 0)
        fprintf (to, "    wanted    %" PRId64 "%s, free %" PRId64 "\n",
                 number_of (reason, "wanted"), unit, number_of (reason, "free"));
    if (*text_of (reason, "text"))
        fprintf (to, "    why       %s\n", text_of (reason, "text"));
}

void explain_refusal_print (const json_t *form, const json_t *request, FILE *to)
{
    fprintf (to, "the request can't be satisfied\n");
    json_each_of (one, form, "reasons")
        print_blocked (one, request, to);
    const json_t *alternatives = json_object_get (form, "alternatives");
    if (json_array_size (alternatives) > 0)
        fprintf (to, "possible instead\n");
    json_each (one, alternatives) {
        char start [TIMETEXT_BYTES];
        const char *change = text_of (one, "change");
        const char *at = time_brief (text_of (one, "start"), start);
        fprintf (to, "    %s%s%s%s\n", change, *change && *at ? ", " : "", *at ? "start " : "", at);
    }
}

/*  --- reservations ---  */

/*  "thin: 4 nodes", "n8-x1: 1000 Mbit/s" */
static json_t *holds_of (const json_t *part)
{
    char bytes [BYTES_TEXT_BYTES];
    json_t *holds = made (json_array ());
    json_each_of (one, part, "bookings")
        json_array_append_new (holds,
                               json_sprintf ("%s: %" PRId64 " nodes", text_of (one, "class_name"),
                                             number_of (one, "nodes")));
    json_each_of (one, part, "space")
        json_array_append_new (
          holds, json_sprintf ("%s: %s", text_of (one, "node"),
                               bytes_text ((double) number_of (one, "bytes"), bytes)));
    json_each_of (one, part, "circuits") {
        json_each_of (link, one, "links")
            json_array_append_new (holds,
                                   json_sprintf ("%s: %" PRId64 " Mbit/s", json_string_value (link),
                                                 number_of (one, "mbps")));
    }
    return holds;
}

static const char *change_cell (const json_t *part, const char *key, char text [CELL_BYTES])
{
    text [0] = '\0';
    if (*text_of (part, key))
        snprintf (text, CELL_BYTES, "%s, %s", text_of (part, key), text_of (part, "change_state"));
    return text;
}

static const form_row_t part_rows [] = {
  {"PARTICIPANT", "participant", .kind = FORM_TEXT},
  {">VERSION", "version", .kind = FORM_NUMBER},
  {"STATE", "state", .kind = FORM_LOWER, .more = " "},
  {"CHANGE", "change", change_cell, FORM_LOWER, "pending_operation", true, " "},
  {.key = "change_state", NULL, FORM_LOWER, "pending_state", true, " "},
  {.key = "provisioned", .kind = FORM_FLAG, .optional = true},
  {"HOLDS", "holds", cell_list, .kind = FORM_SAME},
  {0}};

static json_t *part_form (const json_t *part)
{
    json_auto_t *whole = made (json_copy ((json_t *) part));
    if (!json_object_get (part, "pending")) {
        json_object_del (whole, "pending_operation");
        json_object_del (whole, "pending_state");
    }
    if (json_array_size (json_object_get (part, "circuits")) == 0)
        json_object_del (whole, "provisioned");
    take (whole, "holds", holds_of (part));
    return form_of (part_rows, whole);
}

__attribute__ ((format (printf, 2, 3))) static void say (json_t *waits, const char *format, ...)
{
    va_list arguments;
    va_start (arguments, format);
    json_t *sentence = json_vsprintf (format, arguments);
    va_end (arguments);
    if (!sentence || json_array_append_new (waits, sentence) != 0)
        abort ();
}

/*  Says what the pending change of a part waits for. */
static void say_pending (json_t *waits, const json_t *view, const json_t *part)
{
    const char *who = text_of (part, "participant");
    bool first = number_of (part, "version") == 0;
    /* Only the record of a first command has the plan, and with it the coordinator. */
    const json_t *coordinator = json_object_get (json_object_get (part, "plan"), "coordinator");
    const char *planner = first ? text_of (coordinator, "name") : "";
    const char *by = *planner ? planner : "its planner";
    char what [LOWER_BYTES];
    lower_word (text_of (part, "pending_operation"), ' ', what);
    if (has_text (part, "pending_state", "HELD"))
        say (waits, "%s holds a %s and has not been asked for its vote by %s yet", who, what, by);
    else if (has_text (part, "pending_state", "PREPARED") &&
             has_text (view, "status", "SHOW_COMMITTING"))
        say (waits, "%s has not yet acknowledged that the %s is decided; %s tells it again", who,
             what, by);
    else if (has_text (part, "pending_state", "PREPARED"))
        say (waits, "%s has voted for a %s and waits for the decision of %s", who, what, by);
    else if (has_text (part, "pending_state", "EDGE"))
        say (waits, "%s has given back a %s, because its window began before the decision", who,
             what);
    else
        say (waits, "%s has a %s under way", who, what);
}

static void say_part (json_t *waits, const json_t *view, const json_t *part)
{
    const char *who = text_of (part, "participant");
    if (json_object_get (part, "pending"))
        say_pending (waits, view, part);
    else if (number_of (part, "version") < number_of (view, "version"))
        say (waits, "%s is still at version %" PRId64, who, number_of (part, "version"));
    if (has_text (part, "state", "FAILED"))
        say (waits, "%s could not keep its part; what the others hold is released", who);
}

/*  One sentence for all domains whose circuits are reserved and not in use. */
static void say_unused (json_t *waits, const json_t *view)
{
    char domains [512] = "";
    size_t length = 0;
    if (!has_text (view, "status", "SHOW_COMMITTED") &&
        !has_text (view, "status", "SHOW_COMMITTING"))
        return;
    json_each_of (part, view, "parts") {
        bool unused = json_array_size (json_object_get (part, "circuits")) > 0 &&
                      !flag_of (part, "provisioned");
        if (unused && length < sizeof domains)
            length +=
              (size_t) snprintf (domains + length, sizeof domains - length, "%s%s",
                                 length ? ", " : "", name_short (text_of (part, "participant")));
    }
    if (length > 0)
        say (waits,
             "the circuits of %s are not provisioned: `musubi provision %s` puts them into use",
             domains, text_of (view, "reservation"));
}

static json_t *waits_of (const json_t *view)
{
    json_t *waits = made (json_array ());
    json_each_of (one, view, "parts")
        say_part (waits, view, one);
    json_each_of (one, view, "silent")
        say (waits, "%s does not answer, so what it holds is not known", json_string_value (one));
    if (has_text (view, "status", "SHOW_COMMITTING") && json_array_size (waits) == 0)
        say (waits, "not every participant has acknowledged the decision yet");
    say_unused (waits, view);
    return waits;
}

json_t *explain_reservation (const json_t *view)
{
    json_t *form = view_form (view);
    json_t *parts = made (json_array ());
    json_each_of (part, view, "parts")
        json_array_append_new (parts, part_form (part));
    json_object_del (form, "compute");
    json_object_del (form, "network");
    json_object_del (form, "provisioned");
    take (form, "parts", parts);
    take (form, "waits", waits_of (view));
    return form;
}

static void explanation_print_parts (const json_t *form, FILE *to)
{
    table_t *table = table_of (part_rows, json_object_get (form, "parts"));
    json_each_of (one, form, "silent") {
        const char *cells [] = {json_string_value (one), "", "no answer", "", ""};
        table_row (table, cells);
    }
    table_print (&table, to);
}

void explain_reservation_print (const json_t *form, FILE *to)
{
    char start [TIMETEXT_BYTES];
    char end [TIMETEXT_BYTES];
    fprintf (to, "%s %s, %s, version %" PRId64, text_of (form, "reservation"),
             text_of (form, "status"), text_of (form, "state"), number_of (form, "version"));
    if (*text_of (form, "start"))
        fprintf (to, "  %s to %s", time_brief (text_of (form, "start"), start),
                 time_brief (text_of (form, "end"), end));
    fputc ('\n', to);
    if (json_array_size (json_object_get (form, "parts")) > 0 ||
        json_array_size (json_object_get (form, "silent")) > 0)
        explanation_print_parts (form, to);
    size_t i;
    const json_t *sentence;
    for (i = 0; (sentence = item_of (form, "waits", i)); i++)
        fprintf (to, "%s\n", json_string_value (sentence));
    if (i == 0)
        fprintf (to, "it waits for nothing\n");
}

int explain_reservation_code (const json_t *form)
{
    return has_text (form, "status", "failed")    ? EXIT_REFUSED
           : has_text (form, "status", "unknown") ? EXIT_UNKNOWN
                                                  : EXIT_DONE;
}

/*  --- requests ---  */

static json_t *holder_form (const json_t *plan)
{
    static const form_row_t rows [] = {
      {.key = "reservation", .kind = FORM_TEXT},
      {.key = "operation", .kind = FORM_LOWER, .more = " "},
      {.key = "coordinator", .kind = FORM_TEXT, .from = "coordinator.name"},
      {.key = "participants", .kind = FORM_SAME, .from = "names"},
      {.key = "decide_by", .kind = FORM_TIME, .from = "decide_by_ms"},
      {0}};
    json_auto_t *whole = made (json_copy ((json_t *) plan));
    json_t *names = made (json_array ());
    json_each_of (party, plan, "participants")
        take_last (names, json_string (text_of (party, "name")));
    take (whole, "names", names);
    return form_of (rows, whole);
}

json_t *explain_claim (const char *request_id, const json_t *look, const json_t *answer,
                       const json_t *holder)
{
    const char *state = has_text (look, "state", "COMMITTED_CLAIM") ? "committed"
                        : has_text (look, "state", "CLOSED")        ? "refused"
                        : has_text (look, "state", "HELD_CLAIM")    ? "in progress"
                                                                    : "unknown";
    json_t *form = json_object ();
    take (form, "request_id", json_string (request_id));
    take (form, "state", json_string (state));
    if (has_text (look, "state", "COMMITTED_CLAIM"))
        take (form, "done", json_boolean (flag_of (look, "done")));
    if (answer)
        take (form, "answer", answer_form (answer));
    if (holder)
        take (form, "holder", holder_form (holder));
    return form;
}

static void print_holder (const json_t *holder, FILE *to)
{
    char participants [1024];
    char decide_by [TIMETEXT_BYTES];
    texts_join (json_object_get (holder, "participants"), ", ", participants, sizeof participants);
    fprintf (to, "a %s of %s by %s\n    with       %s\n    decides    by %s\n",
             text_of (holder, "operation"), text_of (holder, "reservation"),
             text_of (holder, "coordinator"), participants,
             time_brief (text_of (holder, "decide_by"), decide_by));
}

void explain_claim_print (const json_t *form, FILE *to)
{
    const json_t *answer = json_object_get (form, "answer");
    fprintf (to, "%s %s\n", text_of (form, "request_id"), text_of (form, "state"));
    if (has_text (form, "state", "unknown"))
        fprintf (to, "its home has no record of it: it was never sent in this actor's name, or it "
                     "is long over\n");
    else if (has_text (form, "state", "in progress"))
        fprintf (to, "an attempt is under way; ask again with the same id\n");
    else if (has_text (form, "state", "committed") && !flag_of (form, "done"))
        fprintf (to, "decided; not every participant has acknowledged it yet\n");
    bool settled = has_text (form, "state", "refused") || flag_of (form, "done");
    if (json_object_get (form, "holder") && !settled)
        print_holder (json_object_get (form, "holder"), to);
    if (answer && has_text (form, "state", "refused"))
        explain_refusal_print (answer, NULL, to);
    else if (answer)
        answer_print (answer, "request", to);
}

int explain_claim_code (const json_t *form)
{
    return has_text (form, "state", "committed")     ? EXIT_DONE
           : has_text (form, "state", "in progress") ? EXIT_UNKNOWN
                                                     : EXIT_REFUSED;
}
