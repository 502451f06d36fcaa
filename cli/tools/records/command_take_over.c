/*  musubi txn take-over - ends what a planner that is gone for good has left (T7, T8).
 *
 *  The homes are asked first: each knows the requests that it is home of, and they are few. A live
 *  planner is told to find out how each open transaction ends, and where nobody knows, to fence it.
 *  That ends it at all its participants, so that when all are asked then, little is left.
 */
#include "commands.h"
#include "record_fetch.h"
#include "transactions.h"

#define LETTERS_LEAST    8 /* of a store id, as tables and logs have them */
#define LETTERS_MOST     32
#define ROUNDS           3 /* of asking all and settling */
#define SETTLING_AT_ONCE 16

typedef struct {
    session_t *session;
    const char *letters; /* that the dead planner's store id begins with */
    json_t *planners;    /* entries of the others */
    json_t *told;        /* txid: what was said of it last, of those that were open once */
    json_t *forms;       /* as participants had them when they were asked last */
    json_t *silent;      /* then: name: why */
    size_t turn;
} take_over_t;

/*  One order that a planner has not answered yet. */
typedef struct {
    uint64_t call; /* 0 = free */
    const json_t *form;
    bool fence;
} settling_t;

/*  --- asking --- */

/*  Asks all of a kind, or all; returns how many transactions are open. */
static size_t take_over_look (take_over_t *self, const char *kind)
{
    json_auto_t *transactions = made (json_object ());
    record_fetch_t from = {.store = self->letters,
                           .kind = kind,
                           .take_record = transactions_take,
                           .owner = transactions};
    record_fetch_run (&from, self->session);
    json_decref (self->forms);
    json_decref (self->silent);
    self->forms = transactions_forms (transactions, from.silent, cli_wall_ms ());
    self->silent = json_incref (from.silent);
    record_fetch_clear (&from);
    size_t open = 0;
    json_each (form, self->forms)
        open += transaction_open (form);
    return open;
}

/*  Do all of them begin with one store's id? */
static bool one_store (const take_over_t *self)
{
    const char *first = text_of (json_array_get (self->forms, 0), "txid");
    json_each (form, self->forms)
        if (strncmp (text_of (form, "txid"), first, LETTERS_MOST) != 0)
            return false;
    return true;
}

/*  --- settling --- */

static void settle_order (take_over_t *self, settling_t *settling)
{
    const json_t *planner =
      json_array_get (self->planners, self->turn++ % json_array_size (self->planners));
    method_t method = services_method ("Planner", "Settle");
    json_auto_t *order = transaction_settle_order (settling->form, settling->fence);
    settling->call = session_send (self->session, text_of (planner, "endpoint"), &method, order);
}

/*  Takes the answer; a transaction of which nobody knows the end is fenced next. */
static void settle_hear (take_over_t *self, settling_t *settling, const client_reply_t *reply)
{
    method_t method = services_method ("Planner", "Settle");
    json_auto_t *answer = reply->status == CALL_OK ? services_answer (&method, reply->body) : NULL;
    settling->call = 0;
    take (self->told, text_of (settling->form, "txid"),
          json_string (answer                            ? text_of (answer, "text")
                       : reply->status == CALL_TIMED_OUT ? "the planner gave no answer in time"
                                                         : reply->reason));
    if (!answer || settling->fence || transaction_outcome_known (answer))
        return;
    settling->fence = true;
    settle_order (self, settling);
}

static const json_t *next_open (const take_over_t *self, size_t *at)
{
    const json_t *form;
    while ((form = json_array_get (self->forms, *at))) {
        ++*at;
        if (transaction_open (form))
            return form;
    }
    return NULL;
}

/*  Has planners settle all that are open, some at once. fence: what was known the last time has
 *  not come to all of its participants. */
static void settle_all (take_over_t *self, bool fence)
{
    settling_t settling [SETTLING_AT_ONCE] = {0};
    client_reply_t reply;
    size_t at = 0;
    do {
        for (size_t i = 0; i < SETTLING_AT_ONCE; i++) {
            if (settling [i].call == 0 && (settling [i].form = next_open (self, &at))) {
                settling [i].fence = fence;
                settle_order (self, &settling [i]);
            }
        }
        if (cli_interrupted () || !client_wait (self->session->client, -1, &reply))
            return;
        for (size_t i = 0; i < SETTLING_AT_ONCE; i++)
            if (settling [i].call == reply.call)
                settle_hear (self, &settling [i], &reply);
    } while (true);
}

/*  --- the command --- */

/*  What became of those that were open; returns an exit code. */
static int take_over_tell (const cli_t *cli, const take_over_t *self)
{
    size_t committed = 0, aborted = json_object_size (self->told); /* some have left no record */
    json_auto_t *left = made (json_array ());
    json_each (form, self->forms) {
        const char *txid = text_of (form, "txid");
        json_t *why = json_object_get (self->told, txid);
        bool ended = !transaction_open (form);
        bool stands = ended && listed ("committed repaired", text_of (form, "status"));
        if (!ended)
            take_last (left, json_pack ("{s:s, s:s}", "txid", txid, "why",
                                        why ? json_string_value (why) : "it was not asked about"));
        committed += why && stands;
        aborted -= why && (stands || !ended);
    }
    bool all = json_array_size (left) + json_object_size (self->silent) == 0;
    if (cli->json) {
        cli_print_json (json_pack ("{s:s, s:I, s:I, s:O, s:o}", "planner", self->letters,
                                   "committed", (json_int_t) committed, "aborted",
                                   (json_int_t) aborted, "left", left, "silent",
                                   names_of (self->silent)));
        return all ? EXIT_DONE : EXIT_UNKNOWN;
    }
    json_each (form, left)
        printf ("%s: %s\n", text_of (form, "txid"), text_of (form, "why"));
    const char *name;
    json_t *why;
    json_object_foreach (self->silent, name, why)
      printf ("no records from %s: %s\n", name, json_string_value (why));
    printf ("planner/%s: %zu committed, %zu aborted, %zu left%s\n", self->letters, committed,
            aborted, json_array_size (left), all ? "" : ": run this again when all answer");
    return all ? EXIT_DONE : EXIT_UNKNOWN;
}

static int take_over (const cli_t *cli, take_over_t *self)
{
    size_t open = take_over_look (self, "gis");
    for (int round = 0; round <= ROUNDS && !cli_interrupted (); round++) {
        if (!one_store (self))
            return cli_fail (EXIT_USAGE,
                             "txn take-over: several planners begin with %s: give more of its name",
                             self->letters);
        cli_note (cli, "%s: %zu transactions are open", round == 0 ? "homes" : "all", open);
        if (round == ROUNDS || (round > 0 && open == 0))
            return take_over_tell (cli, self);
        settle_all (self, round == ROUNDS - 1);
        open = take_over_look (self, NULL);
    }
    return cli_fail (EXIT_UNKNOWN, "txn take-over: interrupted; it can be run again");
}

/*  Sorts the planners into this one and others. False after saying why it must not be, with *code.
 */
static bool take_over_may (take_over_t *self, bool gone, int *code)
{
    char reason [CLIENT_REASON_BYTES];
    json_auto_t *all = session_kind (self->session, "planner");
    json_auto_t *answer = NULL;
    const json_t *other;
    json_each (entry, all) {
        json_auto_t *said = NULL;
        json_auto_t *nothing = made (json_object ());
        if (strncmp (text_of (entry, "name") + strlen ("planner/"), self->letters,
                     strlen (self->letters)) != 0)
            json_array_append (self->planners, (json_t *) entry);
        else if (!gone &&
                 session_ask_entry (self->session, entry, "Service", "Status", nothing, &said,
                                    reason) == CALL_OK &&
                 strcmp (text_of (said, "name"), text_of (entry, "name")) == 0)
            *code = cli_fail (EXIT_REFUSED,
                              "txn take-over: %s answers at %s, and ends its transactions by "
                              "itself; end that process first, or give --gone",
                              text_of (entry, "name"), text_of (entry, "endpoint"));
    }
    if (*code != EXIT_DONE)
        return false;
    other = json_array_get (self->planners, 0);
    if (!other) {
        *code = cli_fail (EXIT_UNKNOWN, "txn take-over: no other planner is listed; start one");
        return false;
    }
    json_auto_t *one = made (json_pack ("{s:i}", "most", 1));
    call_status_t status =
      session_ask_entry (self->session, other, "Ledger", "Rows", one, &answer, reason);
    if (status != CALL_OK) /* who is no administrator is not shown what others have open, either */
        *code = cli_fail (session_code (status), "txn take-over: %s: %s", text_of (other, "name"),
                          reason);
    return status == CALL_OK;
}

int run_take_over (cli_t *cli)
{
    bool gone = false;
    cli_option_t options [] = {
      FLAG_OPTION ("gone", &gone,
                   "although it answers: it is obeyed no more where it has not decided, and must "
                   "follow"),
      {0}};
    int code;
    if (!cli_parse (cli, options, 1, 1, &code))
        return code;
    const char *letters = cli->words [0];
    letters += strncmp (letters, "planner/", 8) == 0 ? 8 : 0;
    size_t length = strlen (letters);
    code = EXIT_DONE;
    if (strspn (letters, "0123456789abcdef") != length || length < LETTERS_LEAST ||
        length > LETTERS_MOST)
        return cli_fail (EXIT_USAGE,
                         "%s: not a planner's name; it must be as `musubi txn list` writes it: "
                         "planner/3fa9c2d1",
                         cli->words [0]);
    take_over_t self = {.session = session_open_all (cli, &code),
                        .letters = letters,
                        .planners = made (json_array ()),
                        .told = made (json_object ())};
    if (self.session && take_over_may (&self, gone, &code))
        code = take_over (cli, &self);
    json_decref (self.planners);
    json_decref (self.told);
    json_decref (self.forms);
    json_decref (self.silent);
    session_close (&self.session);
    return code;
}
