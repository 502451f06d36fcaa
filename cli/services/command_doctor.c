/*  musubi doctor - does every service answer, and is it well? Asks the whole federation; or, with
 *  files, checks the members that this machine is to run (doctor_files).
 *
 *  All are asked at once: every service for its status, sites for their nodes and storage nodes.
 *  Then each site that has nodes, which of its reservations its batch system refuses.
 */
#include "answer_form.h"
#include "codec_table.h"
#include "commands.h"
#include "doctor_files.h"

#define CLOCK_MS_MAX 2000 /* how much clocks may differ */
#define STATE_BYTES  384  /* of a state with the reason for it */

typedef struct {
    const char *kind; /* NULL = everybody */
    const char *service;
    const char *method;
} doctor_question_t;

static const doctor_question_t questions [] = {
  {NULL, "Service", "Status"}, {"lis", "Nodes", "Nodes"}, {"replica", "Chain", "Nodes"}};

#define QUESTIONS (sizeof questions / sizeof *questions)

/*  One question to one member. */
typedef struct {
    const json_t *entry;
    const doctor_question_t *question;
    uint64_t call;
    int64_t asked_ms;
    size_t nodes;
    json_t *ailing; /* from a state, "silent (REASON)", to the names of nodes */
} doctor_asked_t;

static void doctor_ask (session_t *session, doctor_asked_t *asked, const char *after)
{
    method_t method = services_method (asked->question->service, asked->question->method);
    json_auto_t *body = *after ? json_pack ("{s:s}", "after", after) : json_object ();
    asked->asked_ms = cli_wall_ms ();
    asked->call = session_send (session, text_of (asked->entry, "endpoint"), &method, body);
}

/*  --- answers --- */

static void hear_status (findings_t *findings, const doctor_asked_t *asked, const json_t *answer)
{
    const char *who = text_of (asked->entry, "name");
    if (findings->sizes)
        doctor_sizes_add (findings->sizes, answer);
    int64_t wall_ms = number_of (answer, "wall_ms");
    int64_t now_ms = cli_wall_ms ();
    if (!has_text (answer, "name", who))
        findings_add (findings, who, "another service, %s, answers at its endpoint %s",
                      text_of (answer, "name"), text_of (asked->entry, "endpoint"));
    if (*text_of (answer, "restore_guard"))
        findings_add (findings, who, "does not serve yet: %s", text_of (answer, "restore_guard"));
    json_each_of (warning, answer, "warnings")
        findings_add (findings, who, "%s", json_string_value (warning));
    json_auto_t *shortage = shortage_sentence (json_object_get (answer, "shortage"));
    if (shortage)
        findings_add (findings, who, "%s", json_string_value (shortage));
    if (wall_ms < asked->asked_ms - CLOCK_MS_MAX || wall_ms > now_ms + CLOCK_MS_MAX)
        findings_add (findings, who, "its clock and this machine's differ by %.1f s",
                      (double) (wall_ms - now_ms) / 1000);
}

/*  Two services write states in two ways: "NODE_SILENT" and "silent". */
static void hear_node (doctor_asked_t *asked, const json_t *node)
{
    char state [LOWER_BYTES];
    const char *word = text_of (node, "state");
    lower_word (strncmp (word, "NODE_", 5) == 0 ? word + 5 : word, '_', state);
    if (flag_of (node, "guest"))
        return;
    asked->nodes++;
    char how [STATE_BYTES];
    const char *why = text_of (node, "why");
    bool up = strcmp (state, "up") == 0, drained = flag_of (node, "drained") && *why;
    bool trouble = *why && !*text_of (node, "class_name"); /* of a batch system as a whole */
    if (up && !drained && !trouble)
        return;
    snprintf (how, sizeof how, "%s%s%s%s",
              !up       ? state
              : drained ? "drained"
                        : "in trouble",
              *why ? " (" : "", why, *why ? ")" : "");
    if (!json_object_get (asked->ailing, how))
        take (asked->ailing, how, json_array ());
    json_array_append (json_object_get (asked->ailing, how), json_object_get (node, "node"));
}

static void tell_nodes (findings_t *findings, const doctor_asked_t *asked)
{
    const char *state;
    json_t *names;
    json_object_foreach (asked->ailing, state, names)
    {
        char text [NAMES_TEXT_BYTES];
        findings_add (findings, text_of (asked->entry, "name"), "%zu of %zu %snodes %s: %s",
                      json_array_size (names), asked->nodes,
                      strcmp (asked->question->service, "Chain") == 0 ? "storage " : "", state,
                      texts_join (names, ", ", text, sizeof text));
    }
}

/*  Takes a page of nodes, and asks for the next one. */
static void hear_nodes (findings_t *findings, session_t *session, doctor_asked_t *asked,
                        const json_t *answer)
{
    const char *last = "";
    json_each_of (node, answer, "nodes") {
        hear_node (asked, node);
        last = text_of (node, "node");
    }
    if (flag_of (answer, "more") && *last)
        doctor_ask (session, asked, last);
    else
        tell_nodes (findings, asked);
}

/*  What would fit is told of one alone. */
static void tell_refused (findings_t *findings, session_t *session, const json_t *entry,
                          const char *id)
{
    char reason [CLIENT_REASON_BYTES];
    json_auto_t *body = json_pack ("{s:s}", "reservation", id), *answer = NULL;
    session_ask_entry (session, entry, "Participant", "Show", body, &answer, reason);
    const json_t *record = json_object_get (answer, "record");
    json_auto_t *sentence = record ? opening_sentence (record) : NULL;
    if (sentence)
        findings_add (findings, text_of (entry, "name"), "%s", json_string_value (sentence));
}

/*  Of reservations that are not over, those that the batch system refuses. */
static void look_for_refused (findings_t *findings, session_t *session, const json_t *entry)
{
    char reason [CLIENT_REASON_BYTES];
    json_auto_t *body = json_pack ("{s:I, s:I}", "from_ms", (json_int_t) cli_wall_ms (), "until_ms",
                                   (json_int_t) TIME_MS_MAX);
    for (bool more = true; more && !cli_interrupted ();) {
        json_auto_t *answer = NULL;
        session_ask_entry (session, entry, "Participant", "List", body, &answer, reason);
        json_each_of (record, answer, "records") {
            const json_t *opening = json_object_get (record, "opening");
            if (flag_of (opening, "absent") && flag_of (opening, "degraded") &&
                *text_of (opening, "trouble"))
                tell_refused (findings, session, entry, text_of (record, "reservation"));
        }
        more = flag_of (answer, "more");
        take (body, "after", json_string (text_of (answer, "next")));
    }
}

static void hear (findings_t *findings, session_t *session, doctor_asked_t *asked,
                  const client_reply_t *reply)
{
    method_t method = services_method (asked->question->service, asked->question->method);
    bool status = asked->question == questions;
    json_auto_t *answer = reply->status == CALL_OK ? services_answer (&method, reply->body) : NULL;
    asked->call = 0;
    if (json_object_get (asked->entry, "file"))
        doctor_hear (findings, asked->entry, reply, answer);
    else if (answer && status)
        hear_status (findings, asked, answer);
    else if (answer)
        hear_nodes (findings, session, asked, answer);
    else if (status) /* its other questions stay silent, too */
        findings_add (findings, text_of (asked->entry, "name"), "%s",
                      *reply->reason ? reply->reason : "its answer can't be read");
}

/*  --- the federation --- */

static size_t doctor_ask_all (session_t *session, const json_t *entries, doctor_asked_t *asked)
{
    size_t count = 0;
    json_each (entry, entries)
        for (size_t q = 0; q < QUESTIONS; q++)
            if (!questions [q].kind || entry_is (entry, questions [q].kind)) {
                asked [count] = (doctor_asked_t){
                  .entry = entry, .question = &questions [q], .ailing = json_object ()};
                doctor_ask (session, &asked [count++], "");
            }
    return count;
}

static void hear_all (findings_t *findings, session_t *session, doctor_asked_t *asked, size_t count)
{
    client_reply_t reply;
    while (!cli_interrupted () && client_wait (session->client, -1, &reply))
        for (size_t i = 0; i < count; i++)
            if (asked [i].call == reply.call) {
                hear (findings, session, &asked [i], &reply);
                break;
            }
}

static void look_for_homes (findings_t *findings, session_t *session)
{
    json_each (name, session->homes)
        if (!session_entry (session, json_string_value (name)))
            findings_add (findings, json_string_value (name),
                          "it is a home of requests, and no directory lists it");
}

/*  Who was listed and is not now. Each directory remembers by itself. */
static void look_for_absent (findings_t *findings, const session_t *session)
{
    json_auto_t *list = session_absences (session, "");
    char text [ABSENCE_TEXT_BYTES];
    json_each (one, list)
        findings_add (findings, text_of (one, "name"),
                      "%s; to forget it, at each directory: musubi call gis/NAME Gis.Withdraw "
                      "'{\"name\": \"%s\", \"store\": \"%s\", \"start\": %" PRId64 "}'",
                      absence_text (one, text), text_of (one, "name"), text_of (one, "store"),
                      number_of (one, "start"));
}

/*  Only services that others of the federation need are missed. */
static void look_for_kinds (findings_t *findings, session_t *session)
{
    static const char *const wanted [][3] = {
      {"lis", "planner", "no planner is listed: nothing can be reserved"},
      {"replica", "index", "no index is listed: each search for a file has to ask all sites"}};
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
        bool there = false, missing = true;
        json_each (entry, session->entries) {
            there = there || entry_is (entry, wanted [k][0]);
            missing = missing && !entry_is (entry, wanted [k][1]);
        }
        if (there && missing)
            findings_add (findings, "federation", "%s", wanted [k][2]);
    }
}

/*  Asks all entries, and adds what is wrong; returns an exit code. */
static int ask_and_hear (findings_t *findings, session_t *session, const json_t *entries)
{
    doctor_asked_t *asked =
      must (calloc (json_array_size (entries) * QUESTIONS + 1, sizeof *asked));
    size_t count = doctor_ask_all (session, entries, asked);
    hear_all (findings, session, asked, count);
    for (size_t i = 0; i < count; i++) {
        if (asked [i].nodes > 0 && entry_is (asked [i].entry, "lis"))
            look_for_refused (findings, session, asked [i].entry);
        json_decref (asked [i].ailing);
    }
    free (asked);
    return cli_interrupted () ? cli_fail (EXIT_UNKNOWN, "doctor: interrupted") : EXIT_DONE;
}

static int look_at_federation (const cli_t *cli, findings_t *findings)
{
    int code = EXIT_DONE;
    session_auto_t *session = session_open_all (cli, &code);
    if (!session)
        return code;
    findings->looked_at = json_array_size (session->entries);
    look_for_homes (findings, session);
    look_for_absent (findings, session);
    look_for_kinds (findings, session);
    return ask_and_hear (findings, session, session->entries);
}

/*  Asks all neighbours at once, so that names that resolve to nothing take one --timeout in all. */
static int look_at_files (const cli_t *cli, findings_t *findings)
{
    int code = EXIT_DONE;
    json_auto_t *asked = made (json_array ());
    for (size_t i = 0; i < cli->words_count; i++)
        doctor_file (cli->words [i], asked, findings);
    cli_t own = *cli;
    own.gis = "tcp://127.0.0.1:1"; /* a session must have one; it is not asked */
    session_auto_t *session = json_array_size (asked) > 0 ? session_open (&own, &code) : NULL;
    return session ? ask_and_hear (findings, session, asked) : code;
}

int run_doctor (cli_t *cli)
{
    bool sizes = false;
    cli_option_t list_of [] = {
      FLAG_OPTION ("sizes", &sizes,
                   "tell the memory and the store of each service, and when it will be full"),
      {0}};
    int code;
    if (!cli_parse (cli, list_of, 0, WORDS_MAX, &code))
        return code;
    if (sizes && cli->words_count > 0)
        return cli_fail (EXIT_USAGE, "doctor: --sizes asks services, so it takes no files");
    findings_t findings = {.wrong = made (json_array ()), .sizes = sizes ? json_array () : NULL};
    code =
      cli->words_count == 0 ? look_at_federation (cli, &findings) : look_at_files (cli, &findings);
    if (code == EXIT_DONE)
        code = findings_tell (&findings, cli->json);
    findings_clear (&findings);
    return code;
}
