/*  musubi audit - replays the ledgers of a whole federation and compares them with everything that
 *  its services say they have; or repairs a store from its ledger (rebuild.h).
 *
 *      each ledger    every row follows from those before it; nothing was ever overbooked
 *      each process   its records, reservations and calendar are what its ledger comes to
 *      all ledgers    no mixed outcome, no orphan, no commit that nobody decided
 *      all records    what `musubi check` finds
 *
 *  All ledgers are read once, and then each again to its end. By then everybody has heard of what
 *  the first reading showed, so that work in progress is not taken for an orphan. */
#include "commands.h"
#include "ledger_audit.h"
#include "ledger_check.h"
#include "rebuild.h"

#include <sys/stat.h>

#define TOLD_MAX 50
#define LOOK_MS  500

typedef struct {
    const cli_t *cli;
    session_t *session;
    int64_t settle_ms;
    check_teller_t teller;
    ledger_check_t *audited;
    size_t audited_count;
    json_t *silent;  /* name: why */
    json_t *lacking; /* as the check has it */
} audit_t;

static void audit_silent (audit_t *self, const char *name, const char *why)
{
    if (!json_object_get (self->silent, name))
        take (self->silent, name, json_string (why));
}

/*  A planner that is dead, or a finisher with nothing left to settle, leaves the directory when its
 *  lease has run out. Then it counts as if it had never been listed. */
static bool planner_gone (const audit_t *self, const char *name)
{
    int64_t until_ms = cli_mono_ms () + self->settle_ms;
    if (strncmp (name, "planner/", 8) != 0)
        return false;
    do {
        if (session_look (self->session, "") && !session_entry (self->session, name))
            return true;
        cli_rest (LOOK_MS);
    } while (cli_mono_ms () < until_ms && !cli_interrupted ());
    return false;
}

/*  Lists the services that are in the directory and keep a ledger. */
static void audit_list (audit_t *self)
{
    const json_t *entries = self->session->entries;
    self->audited = must (calloc (json_array_size (entries) + 1, sizeof *self->audited));
    json_each (entry, entries) {
        const char *name = text_of (entry, "name");
        if (keeps_records (name) || strncmp (name, "planner/", 8) == 0)
            ledger_check_begin (&self->audited [self->audited_count++], name,
                                text_of (entry, "endpoint"), self->session, &self->teller);
    }
}

static void read_all (audit_t *self, const char *folder)
{
    for (size_t i = 0; i < self->audited_count; i++)
        ledger_check_read (&self->audited [i], folder);
    for (size_t i = 0; i < self->audited_count; i++)
        self->audited [i].mark = self->audited [i].replay->figures.last;
    for (size_t i = 0; i < self->audited_count; i++)
        if (self->audited [i].heard)
            ledger_check_compare (&self->audited [i]);
    for (size_t i = 0; i < self->audited_count; i++) {
        ledger_check_t *one = &self->audited [i];
        if (one->heard && ledger_check_read (one, NULL))
            ledger_replay_end (one->replay, one->last);
        one->gone = !one->heard && !one->file && planner_gone (self, one->name);
        if (!one->heard && !one->gone)
            audit_silent (self, one->name, one->why);
        else if (one->moving)
            audit_silent (self, one->name,
                          "it changed all the time while it was compared: try again when it is "
                          "less busy");
    }
}

static audit_result_t judge_all (audit_t *self)
{
    memory_auto audit_ledger_t *ledgers = must (calloc (self->audited_count + 1, sizeof *ledgers));
    size_t count = 0;
    for (size_t i = 0; i < self->audited_count; i++) {
        const ledger_check_t *one = &self->audited [i];
        if (!one->heard)
            continue;
        ledgers [count] = (audit_ledger_t){.replay = one->replay, .mark = one->mark};
        memcpy (ledgers [count].name, one->name, sizeof one->name);
        memcpy (ledgers [count].store, one->store, STORE_ID_BYTES);
        count++;
    }
    return ledger_audit_judge (ledgers, count, check_tell, &self->teller);
}

/*  What `musubi check` finds; but what was booked is judged by the ledgers. */
static check_result_t audit_check_all (audit_t *self)
{
    check_gather_t gather;
    const char *name;
    json_t *value;
    check_gather (&gather, self->session);
    check_booked_elsewhere (gather.check);
    check_result_t result =
      check_judge (gather.check, cli_wall_ms (), self->settle_ms > 0, check_tell, &self->teller);
    json_object_foreach (gather.from.silent, name, value)
      audit_silent (self, name, "it is not listed, or does not answer");
    self->lacking = json_incref (gather.lacking);
    check_gather_end (&gather);
    return result;
}

static void audit_print_result (const audit_t *self, const audit_result_t *all,
                                const check_result_t *checked)
{
    uint64_t rows = 0;
    size_t kept = 0;
    size_t heard = 0;
    for (size_t i = 0; i < self->audited_count; i++) {
        rows += self->audited [i].replay->figures.rows;
        kept += self->audited [i].kept;
        heard += self->audited [i].heard;
    }
    size_t violations = json_array_size (self->teller.sentences);
    if (cli_json (self->cli,
                  json_pack ("{s:I, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:O, s:O}",
                             "ledgers", (json_int_t) heard, "silent", names_of (self->silent),
                             "rows", (json_int_t) rows, "compared", (json_int_t) kept,
                             "transactions", (json_int_t) all->transactions, "committed",
                             (json_int_t) all->committed, "unjudged", (json_int_t) all->unjudged,
                             "reservations", (json_int_t) checked->reservations, "pending",
                             (json_int_t) checked->pending, "violations", (json_int_t) violations,
                             "sentences", self->teller.sentences, "lacking", self->lacking)))
        return;
    check_tell_rest (&self->teller);
    printf ("%zu ledgers, %llu rows; %zu records and calendar intervals compared with them: %zu "
            "transactions, %zu of them committed, %zu standing reservations, %zu pending\n",
            heard, (unsigned long long) rows, kept, all->transactions, all->committed,
            checked->reservations, checked->pending);
    if (all->unjudged > 0)
        printf ("%zu committed transactions had a participant whose ledger could not be read\n",
                all->unjudged);
    const char *name;
    json_t *why;
    json_object_foreach (self->silent, name, why)
      printf ("%s could not be audited: %s\n", name, json_string_value (why));
    const char *verdict = "sound: every ledger is unbroken and every transaction whole, and "
                          "nothing was ever overbooked";
    if (json_object_size (self->silent) > 0)
        verdict = "no violation found, but not everybody could be audited: it is not known whether "
                  "all is sound";
    printf ("%s\n", check_verdict (self->lacking, violations, verdict));
}

static bool all_saved (audit_t *self)
{
    bool all = true;
    for (size_t i = 0; i < self->audited_count; i++)
        all = (self->audited [i].gone || ledger_check_saved (&self->audited [i])) && all;
    return all;
}

/*  save: a folder for the ledgers, or NULL. Prints what was found; returns the exit code. */
static int audit (const cli_t *cli, session_t *session, const char *save, int64_t settle_ms)
{
    if (save && mkdir (save, 0700) != 0 && errno != EEXIST)
        return cli_fail (EXIT_USAGE, "audit: %s: %s", save, strerror (errno));
    check_wait (session, settle_ms);
    if (!session_look (session, ""))
        return session_lost (session);
    audit_t self = {.cli = cli,
                    .session = session,
                    .settle_ms = settle_ms,
                    .teller = {json_array (), cli->json, TOLD_MAX},
                    .silent = json_object ()};
    audit_list (&self);
    read_all (&self, save);
    audit_result_t all = judge_all (&self);
    check_result_t checked = audit_check_all (&self);
    audit_print_result (&self, &all, &checked);
    bool found = json_array_size (self.teller.sentences) + json_array_size (self.lacking) > 0;
    int code = found                                                           ? EXIT_REFUSED
               : json_object_size (self.silent) > 0 || self.audited_count == 0 ? EXIT_UNKNOWN
                                                                               : EXIT_DONE;
    if (save && !all_saved (&self) && code == EXIT_DONE)
        code = EXIT_USAGE;
    for (size_t i = 0; i < self.audited_count; i++)
        ledger_check_end (&self.audited [i]);
    free (self.audited);
    json_decref (self.teller.sentences);
    json_decref (self.silent);
    return code;
}

int run_audit (cli_t *cli)
{
    const char *save = NULL;
    const char *store = NULL;
    const char *from = NULL;
    int64_t settle_ms = 0;
    cli_option_t options [] = {
      TEXT_OPTION ("save", &save, "DIR", "save each ledger as a file in this folder"),
      DURATION_OPTION (
        "settle", &settle_ms, "D",
        "wait up to this long for work in progress to end; what is still pending then is a "
        "violation"),
      TEXT_OPTION ("rebuild", &store, "STORE",
                   "instead of auditing a federation, make the records of one store agree with its "
                   "ledger; its process must be stopped"),
      TEXT_OPTION ("from", &from, "FILE", "with --rebuild: a ledger saved by --save"),
      {0}};
    int code;
    if (!cli_parse (cli, options, 0, 0, &code))
        return code;
    if (store && (save || settle_ms > 0))
        return cli_fail (EXIT_USAGE,
                         "audit: --rebuild asks no federation: leave out --save and --settle");
    if (from && !store)
        return cli_fail (EXIT_USAGE, "audit: --from FILE needs --rebuild STORE");
    if (store)
        return rebuild_run (cli, store, from);
    session_auto_t *session = session_open_all (cli, &code);
    return session ? audit (cli, session, save, settle_ms) : code;
}
