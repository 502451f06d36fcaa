/*  musubi txn - for operators: transactions that are not over, and how to end one by hand.
 *
 *  Everything is taken from the participants' own records. What becomes of a transaction is never
 *  decided here: the coordinator knows, or the participants find it out (T7); with --fence a
 *  planner ends it in the coordinator's place (T8). */
#include "commands.h"
#include "listing.h"
#include "record_fetch.h"
#include "transactions.h"

#define LOOK_MS 250 /* between two looks whether participants in doubt have found out */

/*  The forms, new, of all transactions that txid may mean; NULL = of all. *from says who answered.
 */
static json_t *txn_look (session_t *session, const char *txid, record_fetch_t *from)
{
    json_auto_t *transactions = made (json_object ());
    *from = (record_fetch_t){.txid = txid, .take_record = transactions_take, .owner = transactions};
    record_fetch_run (from, session);
    return transactions_forms (transactions, from->silent, cli_wall_ms ());
}

/*  --- list --- */

static void txn_tell_silent (const json_t *silent)
{
    const char *name;
    json_t *why;
    json_object_foreach ((json_t *) silent, name, why)
      fprintf (stderr, "no records from %s: %s\n", name, json_string_value (why));
}

/*  The forms that are wanted, as a new list; frees the old one. */
static json_t *sift (json_t *forms, bool (*wanted) (const json_t *form))
{
    json_t *sifted = json_array ();
    json_each (form, forms)
        if (wanted (form))
            json_array_append (sifted, form);
    json_decref (forms);
    return sifted;
}

static int txn_list (const cli_t *cli, session_t *session, bool (*wanted) (const json_t *form))
{
    record_fetch_t from;
    json_auto_t *forms = txn_look (session, NULL, &from);
    if (wanted)
        forms = sift (forms, wanted);
    if (!cli_json (cli, json_pack ("{s:o, s:o}", "transactions", json_incref (forms), "silent",
                                   names_of (from.silent)))) {
        transactions_print (forms, cli_wall_ms (), stdout);
        txn_tell_silent (from.silent);
    }
    bool heard = json_object_size (from.heard) > 0;
    record_fetch_clear (&from);
    return heard ? EXIT_DONE : cli_fail (EXIT_UNKNOWN, "txn list: no participant answered");
}

static int run_list_txns (cli_t *cli)
{
    bool in_doubt = false;
    bool all = false;
    cli_option_t options [] = {
      FLAG_OPTION ("in-doubt", &in_doubt, "only transactions whose decision is overdue"),
      FLAG_OPTION ("all", &all,
                   "also transactions that are over, as long as records of them are kept"),
      {0}};
    int code;
    if (!cli_parse (cli, options, 0, 0, &code))
        return code;
    if (in_doubt && all)
        return cli_fail (EXIT_USAGE, "txn list: --in-doubt or --all, not both");
    session_auto_t *session = session_open_all (cli, &code);
    return session ? txn_list (cli, session,
                               all        ? NULL
                               : in_doubt ? transaction_in_doubt
                                          : transaction_open)
                   : code;
}

/*  --- one --- */

/*  The form of a transaction, new; NULL after saying why there is none, with *code. */
static json_t *txn_find (const cli_t *cli, session_t *session, const char *txid, int *code)
{
    record_fetch_t from;
    json_auto_t *forms = txn_look (session, txid, &from);
    size_t count = json_array_size (forms);
    json_t *form = count == 1 ? json_incref (json_array_get (forms, 0)) : NULL;
    if (count > 1)
        *code = cli_fail (EXIT_USAGE,
                          "%s: %zu transactions begin with this; give the whole id, such as %s",
                          txid, count, text_of (json_array_get (forms, 0), "txid"));
    else if (!form && json_object_size (from.silent) > 0)
        *code = cli_fail (EXIT_UNKNOWN, "%s: %s, and %zu did not answer", txid,
                          json_object_size (from.heard) > 0
                            ? "no participant that answered has a record of it"
                            : "no participant answered",
                          json_object_size (from.silent));
    else if (!form)
        *code =
          cli_fail (EXIT_REFUSED,
                    "%s: nobody has a record of this transaction (other users' transactions are "
                    "shown to administrators only)",
                    txid);
    if (form && !cli->json)
        txn_tell_silent (from.silent);
    record_fetch_clear (&from);
    return form;
}

/*  What a service says of a txid: "committed", "aborted", "pending", "lost"; or why it says
 *  nothing. The text lives in the caller's array. */
static const char *txn_outcome_of (session_t *session, const char *service, const json_t *entry,
                                   const char *txid, char text [CLIENT_REASON_BYTES])
{
    json_auto_t *question = json_pack ("{s:o}", "txid", txid_json (txid));
    json_auto_t *answer = NULL;
    call_status_t status =
      session_ask_entry (session, entry, service, "Outcome", question, &answer, text);
    if (status == CALL_OK) {
        static const char *const words [][2] = {{"OUTCOME_COMMITTED", "committed"},
                                                {"OUTCOME_ABORTED", "aborted"},
                                                {"OUTCOME_PENDING", "pending"},
                                                {NULL, "knows nothing of it"}};
        const char *word = word_of (words, text_of (answer, "outcome"));
        bool done = word == words [0][1] && flag_of (answer, "done");
        snprintf (text, CLIENT_REASON_BYTES, "%s%s", word, done ? ", acknowledged by all" : "");
    }
    return text;
}

/*  Participants do not list their tombstones: one that answers and has no record is asked how the
 *  transaction ended. */
static void ask_recordless (session_t *session, json_t *form)
{
    json_each_of (one, form, "participants") {
        const char *name = text_of (one, "participant");
        const json_t *entry = session_entry (session, name);
        char text [CLIENT_REASON_BYTES];
        if (!has_text (one, "state", "unknown") || !entry)
            continue;
        if (strcmp (text_of (one, "store"), text_of (entry, "store")) != 0)
            transaction_set (form, name, "lost", cli_wall_ms ());
        else if (strcmp (
                   txn_outcome_of (session, "Participant", entry, text_of (form, "txid"), text),
                   "aborted") == 0)
            transaction_set (form, name, "aborted", cli_wall_ms ());
    }
}

static void txn_ask_coordinator (session_t *session, json_t *form)
{
    const json_t *entry = session_entry (session, text_of (form, "coordinator"));
    char text [CLIENT_REASON_BYTES] = "not in the directory";
    if (entry)
        txn_outcome_of (session, "Coordinator", entry, text_of (form, "txid"), text);
    json_object_set_new (form, "coordinator_says", json_string (text));
}

static void print_one (const cli_t *cli, const json_t *form)
{
    if (!cli_json (cli, json_deep_copy (form)))
        transaction_print (form, cli_wall_ms (), stdout);
}

/*  Opens a session and finds the transaction; NULL after saying why not, with *code. */
static json_t *open_one (const cli_t *cli, const char *txid, session_t **session, int *code)
{
    if (!txid_sound (txid)) {
        *code =
          cli_fail (EXIT_USAGE,
                    "%s: not a transaction id; it must be as `musubi txn list` and logs write it: "
                    "3fa9c2d1-7-42",
                    txid);
        return NULL;
    }
    *session = session_open_all (cli, code);
    return *session ? txn_find (cli, *session, txid, code) : NULL;
}

static int run_show_txn (cli_t *cli)
{
    int code;
    if (!cli_parse (cli, NULL, 1, 1, &code))
        return code;
    session_auto_t *session = NULL;
    json_auto_t *form = open_one (cli, cli->words [0], &session, &code);
    if (!form)
        return code;
    ask_recordless (session, form);
    txn_ask_coordinator (session, form);
    print_one (cli, form);
    return EXIT_DONE;
}

/*  --- resolve --- */

/*  Asks again for a form; it stays as it was when nobody answers. */
static void txn_look_again (session_t *session, json_t **form)
{
    record_fetch_t from;
    json_auto_t *forms = txn_look (session, text_of (*form, "txid"), &from);
    if (json_array_size (forms) == 1) {
        json_decref (*form);
        *form = json_incref (json_array_get (forms, 0));
        ask_recordless (session, *form);
    }
    record_fetch_clear (&from);
}

/*  Has a planner settle it; NULL after saying why that failed, with *code. */
static json_t *txn_settle (const cli_t *cli, session_t *session, const json_t *form, bool fence,
                           int *code)
{
    json_auto_t *question = transaction_settle_order (form, fence);
    return listing_question (cli, session, "Settle", question, code);
}

/*  Prints how it stands at each participant; returns the exit code. */
static int txn_tell_end (const cli_t *cli, json_t *form, const char *said)
{
    bool open = transaction_open (form);
    json_object_set_new (form, "settled", json_boolean (!open));
    if (*said)
        json_object_set_new (form, "said", json_string (said));
    if (!cli->json && *said)
        printf ("%s\n", said);
    print_one (cli, form);
    return open ? EXIT_UNKNOWN : EXIT_DONE;
}

static int txn_resolve (const cli_t *cli, session_t *session, json_t **form, bool fence)
{
    ask_recordless (session, *form);
    if (!transaction_open (*form)) {
        cli_note (cli, "there is nothing to resolve: the transaction has ended");
        return txn_tell_end (cli, *form, "");
    }
    int code;
    json_auto_t *answer = txn_settle (cli, session, *form, false, &code);
    if (!answer)
        return code;
    /* When the outcome is known, participants in doubt need a moment to hear of it; a fence is
       for those that do not. */
    int64_t until_ms = cli_mono_ms () + session->places.timeout_ms;
    txn_look_again (session, form);
    while (transaction_outcome_known (answer) && transaction_open (*form) &&
           cli_mono_ms () < until_ms && !cli_interrupted ()) {
        cli_rest (LOOK_MS);
        txn_look_again (session, form);
    }
    if (fence && transaction_open (*form)) {
        json_decref (answer);
        answer = txn_settle (cli, session, *form, true, &code);
        if (!answer)
            return code;
        txn_look_again (session, form);
    }
    return txn_tell_end (cli, *form, text_of (answer, "text"));
}

static int run_resolve_txn (cli_t *cli)
{
    bool fence = false;
    cli_option_t options [] = {
      FLAG_OPTION ("fence", &fence,
                   "if nobody knows how it ends, decide in its coordinator's place: every "
                   "participant must answer, and a coordinator that comes back must follow"),
      {0}};
    int code;
    if (!cli_parse (cli, options, 1, 1, &code))
        return code;
    session_auto_t *session = NULL;
    json_auto_t *form = open_one (cli, cli->words [0], &session, &code);
    return form ? txn_resolve (cli, session, &form, fence) : code;
}

int run_txn (cli_t *cli)
{
    static const cli_command_t commands [] = {
      {"txn list", "[--in-doubt | --all]", "List transactions that are not over, the oldest first.",
       run_list_txns},
      {"txn show", "TXID", "Show a transaction as each participant and its coordinator have it.",
       run_show_txn},
      {"txn resolve", "TXID [--fence]", "Find out how a transaction ends, or end it.",
       run_resolve_txn},
      {"txn take-over", "PLANNER [--gone]",
       "End all transactions of a planner that is gone for good.", run_take_over},
    };
    return cli_run_own (cli, commands, sizeof commands / sizeof commands [0]);
}
