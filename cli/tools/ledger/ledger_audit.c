/*  ledger_audit - all commands of all ledgers, by txid. */
#include "ledger_audit.h"

#include "must.h"

/*  How far apart two participants' rows of one transaction may be: clocks differ, and who was away
 *  commits late. */
#define APART_MS INT64_C (3600000)

/*  What one ledger says of a transaction. */
typedef struct {
    txid_t txid;
    size_t ledger;
    bool confirmed; /* a decision, by the coordinator or by a planner that fenced it, that all
                       have acknowledged */
    uint64_t row;
    const replay_command_t *command; /* NULL: a decision */
} audit_statement_t;

typedef struct {
    const audit_ledger_t *ledgers;
    size_t ledgers_count;
    replay_tell_fn *tell;
    void *owner;
    audit_statement_t *statements;
    size_t statements_count;
    size_t statements_room;
    audit_result_t result;
} audit_run_t;

__attribute__ ((format (printf, 2, 3))) static void violation (audit_run_t *self,
                                                               const char *format, ...)
{
    char sentence [512];
    format_rest (sentence, sizeof sentence, format);
    self->result.violations++;
    self->tell (self->owner, sentence);
}

/*  --- gathering --- */

static void add_statement (audit_run_t *self, audit_statement_t statement)
{
    self->statements = must_grow (self->statements, self->statements_count, &self->statements_room,
                                  sizeof *self->statements);
    self->statements [self->statements_count++] = statement;
}

static void add_ledger (audit_run_t *self, size_t ledger)
{
    const ledger_replay_t *replay = self->ledgers [ledger].replay;
    const replay_command_t *command;
    for (const txid_t *after = NULL; (command = ordered_after (replay->commands, after));
         after = &command->txid)
        add_statement (self, (audit_statement_t){.txid = command->txid,
                                                 .ledger = ledger,
                                                 .row = command->row,
                                                 .command = command});
    const replay_kept_t *kept;
    for (const replay_key_t *after = NULL; (kept = ordered_after (replay->kept, after));
         after = &kept->key) {
        audit_statement_t statement = {.ledger = ledger, .row = kept->row};
        if (kept->key.table == TABLE_DECISIONS &&
            txid_unpack (&statement.txid, (bytes_t){kept->key.key, kept->key.key_size}) &&
            decision_read (packed_bytes (kept->record), &statement.confirmed))
            add_statement (self, statement);
    }
}

static int ledger_audit_by_txid (const void *a, const void *b)
{
    const audit_statement_t *one = a;
    const audit_statement_t *other = b;
    int order = txid_compare (&one->txid, &other->txid);
    if (order != 0)
        return order;
    return (one->ledger > other->ledger) - (one->ledger < other->ledger);
}

/*  --- one transaction --- */

/*  Is it the store that the plan means, under this id or under the one before it was adopted? */
static bool is_store (const audit_ledger_t *ledger, const uint8_t store [STORE_ID_BYTES])
{
    const replay_figures_t *figures = &ledger->replay->figures;
    return memcmp (ledger->store, store, STORE_ID_BYTES) == 0 ||
           (figures->adopted > 0 && memcmp (figures->before_id, store, STORE_ID_BYTES) == 0);
}

static bool ledger_audit_takes_part (const audit_ledger_t *ledger, const plan_t *plan)
{
    for (size_t i = 0; i < plan->participants_count; i++)
        if (is_store (ledger, plan->participants [i].store))
            return true;
    return false;
}

/*  Are all its rows here from before that moment on? Then what they do not mention has not
 *  happened. A transaction is judged by when it began elsewhere: one who was away may hear of it
 *  hours after the others, and the others' rows have left by then. */
static bool ledger_audit_complete (const audit_ledger_t *ledger, int64_t since_ms)
{
    const replay_figures_t *figures = &ledger->replay->figures;
    return figures->broken == 0 && figures->adopted == 0 &&
           (figures->first <= 1 || figures->first_wall_ms < since_ms - APART_MS);
}

typedef struct {
    audit_run_t *audit;
    const audit_statement_t *statements;
    size_t count;
    const plan_t *plan;
    const audit_statement_t *committed; /* one that has committed; NULL = none */
    char text [TXID_TEXT_BYTES];
} audit_transaction_t;

static const char *ledger_audit_name_of (const audit_transaction_t *txn,
                                         const audit_statement_t *statement)
{
    return txn->audit->ledgers [statement->ledger].name;
}

/*  Rows after the mark may be of events that the others had not heard of when they were read. */
static bool ledger_audit_marked (const audit_transaction_t *txn, const audit_statement_t *statement)
{
    uint64_t mark = txn->audit->ledgers [statement->ledger].mark;
    return mark == 0 || statement->row <= mark;
}

static void judge_mixed (const audit_transaction_t *txn)
{
    const audit_statement_t *yes = txn->committed;
    for (size_t i = 0; i < txn->count; i++) {
        const audit_statement_t *statement = &txn->statements [i];
        if (!statement->command || statement->command->decided ||
            (statement->command->state != COMMAND_ABORTED &&
             statement->command->state != COMMAND_EXPIRED) ||
            !ledger_audit_takes_part (&txn->audit->ledgers [statement->ledger], txn->plan))
            continue;
        violation (txn->audit, "mixed outcome of %s: %s at %s, %s at %s", txn->text,
                   command_state_word (yes->command->state), ledger_audit_name_of (txn, yes),
                   command_state_word (statement->command->state),
                   ledger_audit_name_of (txn, statement));
    }
}

static bool ledger_audit_heard (const audit_transaction_t *txn, size_t ledger, bool decision)
{
    for (size_t i = 0; i < txn->count; i++)
        if (txn->statements [i].ledger == ledger && !txn->statements [i].command == decision)
            return true;
    return false;
}

static void judge_orphan (const audit_transaction_t *txn)
{
    audit_run_t *self = txn->audit;
    bool all = true;
    for (size_t p = 0; p < txn->plan->participants_count; p++) {
        const participant_ref_t *party = &txn->plan->participants [p];
        size_t at = 0;
        while (at < self->ledgers_count && !is_store (&self->ledgers [at], party->store))
            at++;
        if (at == self->ledgers_count ||
            !ledger_audit_complete (&self->ledgers [at], txn->committed->command->begun_ms)) {
            all = all && at < self->ledgers_count && ledger_audit_heard (txn, at, false);
            continue;
        }
        if (!ledger_audit_heard (txn, at, false) && ledger_audit_marked (txn, txn->committed))
            violation (
              self, "%s (%s) was committed at %s, but %s, which is in its plan, never heard of it",
              txn->text, txn->plan->reservation, ledger_audit_name_of (txn, txn->committed),
              party->name);
    }
    if (!all)
        self->result.unjudged++;
}

/*  A site may coordinate what it alone takes part in (libcommon/plus/plus.h): its commit is the
 *  decision.
 */
static bool decided_alone (const audit_transaction_t *txn)
{
    return txn->plan->participants_count == 1 &&
           memcmp (txn->plan->participants [0].store, txn->committed->txid.store, STORE_ID_BYTES) ==
             0;
}

/*  The coordinator's own ledger has its decision (T4). */
static void judge_decided (const audit_transaction_t *txn)
{
    audit_run_t *self = txn->audit;
    const audit_statement_t *yes = txn->committed;
    for (size_t at = 0; at < self->ledgers_count && !decided_alone (txn); at++)
        if (is_store (&self->ledgers [at], yes->txid.store) &&
            ledger_audit_complete (&self->ledgers [at], yes->command->begun_ms) &&
            !ledger_audit_heard (txn, at, true) && ledger_audit_marked (txn, yes))
            violation (self, "%s was committed at %s, but its coordinator %s never decided that",
                       txn->text, ledger_audit_name_of (txn, yes), self->ledgers [at].name);
}

static void judge_confirmed (const audit_transaction_t *txn, const audit_statement_t *decision)
{
    for (size_t i = 0; i < txn->count; i++) {
        const audit_statement_t *statement = &txn->statements [i];
        const ledger_replay_t *replay = txn->audit->ledgers [statement->ledger].replay;
        if (statement->command && !statement->command->decided &&
            ledger_replay_knows (replay, statement->row) &&
            ledger_audit_takes_part (&txn->audit->ledgers [statement->ledger], txn->plan))
            violation (txn->audit, "%s is acknowledged by all according to %s, but is %s at %s",
                       txn->text, ledger_audit_name_of (txn, decision),
                       command_state_word (statement->command->state),
                       ledger_audit_name_of (txn, statement));
    }
}

static bytes_t plan_told (const audit_statement_t *statement)
{
    return statement->command ? packed_bytes (statement->command->record.plan) : (bytes_t){0};
}

/*  The plan as each of them has it; false when nobody has any. */
static bool ledger_audit_take_plan (const audit_transaction_t *txn, plan_t *plan)
{
    const audit_statement_t *whose = NULL;
    char why [WHY_BYTES];
    for (size_t i = 0; i < txn->count; i++) {
        const audit_statement_t *statement = &txn->statements [i];
        bytes_t told = plan_told (statement);
        bytes_t first = whose ? plan_told (whose) : told;
        if (told.size == 0)
            continue;
        if (!whose)
            whose = codec_decode (&plan_codec, plan, told, why) ? statement : NULL;
        else if (told.size != first.size || memcmp (told.data, first.data, first.size) != 0)
            violation (txn->audit, "%s has different plans at %s and at %s", txn->text,
                       ledger_audit_name_of (txn, statement), ledger_audit_name_of (txn, whose));
    }
    return whose != NULL;
}

static void ledger_audit_row (audit_run_t *self, const audit_statement_t *statements, size_t count)
{
    audit_transaction_t txn = {.audit = self, .statements = statements, .count = count};
    const audit_statement_t *confirmed = NULL;
    txid_text (&statements->txid, txn.text);
    for (size_t i = 0; i < count; i++) {
        if (statements [i].command && statements [i].command->decided)
            txn.committed = &statements [i];
        if (statements [i].confirmed)
            confirmed = &statements [i];
    }
    self->result.transactions++;
    plan_t plan;
    if (!ledger_audit_take_plan (&txn, &plan))
        return;
    txn.plan = &plan;
    if (txn.committed) {
        self->result.committed++;
        judge_mixed (&txn);
        judge_orphan (&txn);
        judge_decided (&txn);
    }
    if (confirmed && ledger_audit_marked (&txn, confirmed))
        judge_confirmed (&txn, confirmed);
    codec_clear (&plan_codec, &plan);
}

audit_result_t ledger_audit_judge (const audit_ledger_t *ledgers, size_t count,
                                   replay_tell_fn *tell, void *owner)
{
    audit_run_t self = {.ledgers = ledgers, .ledgers_count = count, .tell = tell, .owner = owner};
    for (size_t i = 0; i < count; i++)
        add_ledger (&self, i);
    if (self.statements_count > 0)
        qsort (self.statements, self.statements_count, sizeof *self.statements,
               ledger_audit_by_txid);
    for (size_t from = 0, until; from < self.statements_count; from = until) {
        until = from + 1;
        while (until < self.statements_count &&
               txid_compare (&self.statements [until].txid, &self.statements [from].txid) == 0)
            until++;
        ledger_audit_row (&self, &self.statements [from], until - from);
    }
    free (self.statements);
    return self.result;
}
