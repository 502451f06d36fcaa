/*  musubi check - gathers records page by page, and prints what the check finds. */
#include "check_gather.h"

#include "answer_form.h"
#include "commands.h"
#include "json.h"

#define LOOK_MS  500
#define TOLD_MAX 20

/*  --- what a participant has, as the directory says --- */

static void take_entry (check_gather_t *self, const char *participant, const json_t *entry)
{
    site_t site;
    domain_t domain;
    site_storage_t storage;
    if (json_read (&site_codec, &site, json_object_get (entry, "site"))) {
        for (size_t i = 0; i < site.classes_count; i++)
            check_class (self->check, participant, &site.classes [i], site.cleaning_gap_ms);
        codec_clear (&site_codec, &site);
    }
    if (json_read (&site_storage_codec, &storage, json_object_get (entry, "storage"))) {
        for (size_t i = 0; i < storage.nodes_count; i++)
            check_disk (self->check, participant, &storage.nodes [i]);
        codec_clear (&site_storage_codec, &storage);
    }
    if (json_read (&domain_codec, &domain, json_object_get (entry, "domain"))) {
        for (size_t i = 0; i < domain.vertices_count; i++)
            check_vertex (self->check, participant, &domain.vertices [i]);
        for (size_t i = 0; i < domain.links_count; i++)
            check_link (self->check, participant, &domain.links [i]);
        codec_clear (&domain_codec, &domain);
    }
}

/*  --- its records --- */

static void check_gather_take_record (void *owner, const char *participant,
                                      const check_record_t *record)
{
    check_gather_t *self = owner;
    check_command (self->check, participant, record);
    take (self->showing, participant, json_true ());
    self->records++;
}

bool check_ask (session_t *session, const char *endpoint, const char *service, const char *method,
                packed_t question, client_reply_t *reply)
{
    client_ask (session->client,
                &(client_request_t){.endpoint = endpoint,
                                    .service = service,
                                    .method = method,
                                    .actor = session->places.actor,
                                    .body = packed_bytes (question),
                                    .timeout_ms = session->places.timeout_ms},
                reply);
    free (question.data);
    return reply->status == CALL_OK;
}

/*  Which store has the name now, and what its clock says. */
static void check_gather_ask_status (check_gather_t *self, session_t *session, const json_t *entry)
{
    client_reply_t reply;
    method_t status = services_method ("Service", "Status");
    const char *name = text_of (entry, "name");
    if (!check_ask (session, text_of (entry, "endpoint"), status.service, status.method,
                    (packed_t){0}, &reply))
        return;
    json_auto_t *told = services_answer (&status, reply.body);
    check_store (self->check, name, reply.store);
    check_clock (self->check, name, number_of (told, "wall_ms"));
    json_auto_t *sentence = shortage_sentence (json_object_get (told, "shortage"));
    if (!sentence)
        return;
    check_lacks (self->check, name);
    take_last (self->lacking, json_sprintf ("%s: %s", name, json_string_value (sentence)));
}

void check_gather (check_gather_t *self, session_t *session)
{
    bool listed = session_look (session, "");
    *self = (check_gather_t){.check = check_new (),
                             .showing = made (json_object ()),
                             .lacking = made (json_array ()),
                             .from = {.take_record = check_gather_take_record, .owner = self}};
    record_fetch_run (&self->from, session);
    const char *name;
    json_t *why;
    json_object_foreach (self->from.silent, name, why)
    {
        if (session_entry (session, name))
            cli_fail (EXIT_UNKNOWN, "check: %s: %s", name, json_string_value (why));
    }
    if (!listed) {
        session_lost (session);
        take (self->from.silent, "gis", json_true ());
    }
    json_each (entry, session->entries) {
        name = text_of (entry, "name");
        if (keeps_records (name))
            take_entry (self, name, entry);
        if (json_object_get (self->from.heard, name))
            check_gather_ask_status (self, session, entry);
    }
    json_object_foreach (self->from.silent, name, why) check_silent (self->check, name);
}

/*  Who shows no records either has none or hides them; the rows of its ledger, which only
 *  administrators may see, tell which. */
static bool check_gather_hidden (const check_gather_t *self, session_t *session)
{
    const char *name;
    json_t *value;
    json_object_foreach (self->from.heard, name, value)
    {
        char reason [CLIENT_REASON_BYTES];
        json_t *answer = NULL;
        json_auto_t *question = json_pack ("{s:i}", "most", 1);
        if (!json_object_get (self->showing, name) &&
            session_ask_entry (session, session_entry (session, name), "Ledger", "Rows", question,
                               &answer, reason) == CALL_DENIED)
            return true;
        json_decref (answer);
    }
    return false;
}

/*  --- what users were answered --- */

static bool check_gather_take_answer (check_t *check, const json_t *line)
{
    const json_t *answer = json_object_get (line, "answer");
    const json_t *form = answer ? answer : line;
    const char *status = text_of (form, "status");
    const char *request_id = text_of (line, "request_id");
    bool told = strcmp (status, "committed") == 0 || strcmp (status, "released") == 0;
    if (*request_id == '\0')
        return false;
    /* Unknown is no claim; a conflict says nothing of the request that had the id first. */
    if (told || (strcmp (status, "refused") == 0 && !json_object_get (form, "conflict")))
        check_answer (check, request_id, text_of (form, "reservation"), told);
    return true;
}

static bool read_answers (check_t *check, const char *path)
{
    FILE *file = strcmp (path, "-") == 0 ? stdin : fopen (path, "re");
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    size_t number = 0;
    bool good = file != NULL;
    if (!file)
        cli_fail (EXIT_USAGE, "%s: %s", path, strerror (errno));
    while (good && (length = getline (&line, &room, file)) >= 0) {
        char why [WHY_BYTES] = "must be an answer with its request_id";
        json_auto_t *json = json_parse (line, (size_t) length, why);
        number++;
        good = json && check_gather_take_answer (check, json);
        if (!good)
            cli_fail (EXIT_USAGE, "%s:%zu: %s", path, number, why);
    }
    free (line);
    if (file && file != stdin)
        fclose (file);
    return good;
}

/*  --- judging ---  */

void check_tell (void *owner, const char *sentence)
{
    check_teller_t *teller = owner;
    json_array_append_new (teller->sentences, json_string (sentence));
    if (!teller->json && json_array_size (teller->sentences) <= teller->most)
        printf ("VIOLATION %s\n", sentence);
}

const char *check_verdict (const json_t *lacking, size_t violations, const char *verdict)
{
    json_each (sentence, lacking)
        printf ("LACKING %s\n", json_string_value (sentence));
    if (violations > 0)
        return "NOT SOUND";
    return json_array_size (lacking) == 0
             ? verdict
             : "no violation found, but there is less than was promised";
}

void check_tell_rest (const check_teller_t *self)
{
    size_t told = json_array_size (self->sentences);
    if (told > self->most)
        printf ("… and %zu more\n", told - self->most);
}

static void check_gather_print_result (const check_gather_t *self, const check_teller_t *teller,
                                       const check_result_t *result, bool hidden)
{
    size_t heard = json_object_size (self->from.heard);
    size_t silent = json_object_size (self->from.silent);
    if (teller->json) {
        cli_print_json (json_pack (
          "{s:I, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:O, s:O}",
          "participants", (json_int_t) heard, "silent", names_of (self->from.silent), "records",
          (json_int_t) self->records, "transactions", (json_int_t) result->transactions,
          "reservations", (json_int_t) result->reservations, "connections",
          (json_int_t) result->connections, "circuits", (json_int_t) result->circuits, "unasked",
          (json_int_t) result->unasked, "answers", (json_int_t) result->answers, "pending",
          (json_int_t) result->pending, "unjudged", (json_int_t) result->unjudged, "repaired",
          (json_int_t) result->repaired, "lost", (json_int_t) result->lost, "violations",
          (json_int_t) result->violations, "sentences", teller->sentences, "lacking",
          self->lacking));
        return;
    }
    check_tell_rest (teller);
    printf ("%zu participants, %zu records: %zu committed transactions, %zu standing "
            "reservations with %zu connections of %zu circuits, %zu answers, %zu pending, %zu "
            "repaired\n",
            heard, self->records, result->transactions, result->reservations, result->connections,
            result->circuits, result->answers, result->pending, result->repaired);
    const char *name;
    json_t *value;
    json_object_foreach (self->from.silent, name, value)
      printf ("%s did not answer: %zu transactions can't be judged\n", name, result->unjudged);
    if (hidden)
        printf ("records are shown to administrators only, and you are none everywhere\n");
    if (result->unasked > 0)
        printf (
          "%zu reservations can't be compared with their requests, of which nobody has a record\n",
          result->unasked);
    const char *verdict =
      "sound: every transaction is whole, every reservation is as asked for, nothing is overbooked";
    if (silent > 0 || hidden)
        verdict =
          "no violation found, but not everybody showed all: it is not known whether all is "
          "sound";
    printf ("%s\n", check_verdict (self->lacking, result->violations, verdict));
}

void check_gather_end (check_gather_t *self)
{
    check_destroy (&self->check);
    record_fetch_clear (&self->from);
    json_decref (self->showing);
    json_decref (self->lacking);
}

void check_wait (session_t *session, int64_t settle_ms)
{
    int64_t until_ms = cli_mono_ms () + settle_ms;
    for (bool over = settle_ms == 0; !over;) {
        check_gather_t self;
        check_gather (&self, session);
        check_result_t result = check_judge (self.check, cli_wall_ms (), false, NULL, NULL);
        over = (result.pending == 0 && json_object_size (self.from.silent) == 0 &&
                result.violations == 0 && json_array_size (self.lacking) == 0) ||
               cli_mono_ms () >= until_ms || cli_interrupted ();
        check_gather_end (&self);
        if (!over)
            cli_rest (LOOK_MS);
    }
}

int check_run (const cli_t *cli, session_t *session, const char *answers, int64_t settle_ms)
{
    check_gather_t self;
    check_result_t result;
    check_wait (session, settle_ms);
    check_gather (&self, session);
    int code = EXIT_USAGE;
    if (!answers || read_answers (self.check, answers)) {
        check_teller_t teller = {json_array (), cli->json, TOLD_MAX};
        result = check_judge (self.check, cli_wall_ms (), settle_ms > 0, check_tell, &teller);
        bool hidden = check_gather_hidden (&self, session);
        check_gather_print_result (&self, &teller, &result, hidden);
        json_decref (teller.sentences);
        code = result.violations || json_array_size (self.lacking) > 0                ? EXIT_REFUSED
               : hidden || result.unjudged || json_object_size (self.from.heard) == 0 ? EXIT_UNKNOWN
                                                                                      : EXIT_DONE;
    }
    check_gather_end (&self);
    return code;
}

int run_check (cli_t *cli)
{
    const char *answers = NULL;
    int64_t settle_ms = 0;
    cli_option_t list [] = {
      TEXT_OPTION ("answers", &answers, "FILE.jsonl",
                   "the answers that users got, one a line: they must agree with the records"),
      DURATION_OPTION (
        "settle", &settle_ms, "D",
        "wait up to this long for work in progress to end; what is still pending then is a "
        "violation"),
      {0}};
    int code;
    session_auto_t *session = session_begin (cli, list, 0, 0, &code);
    return session ? check_run (cli, session, answers, settle_ms) : code;
}
