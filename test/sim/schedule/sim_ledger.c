/*  sim_ledger - replays the ledgers that lie in the stores: every row follows from those before it,
 *  every record is what the rows say, and all ledgers together tell of whole transactions.
 */
#include "sim_ledger.h"

#include "ledger_audit.h"
#include "ledger_tables.h"
#include "must.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    sim_t *sim;
    int process;
    ledger_replay_t *replay;
    ledger_tables_t *tables;
} sim_ledger_judged_t;

static void tell (void *owner, const char *sentence)
{
    const sim_ledger_judged_t *self = owner;
    sim_fail (self->sim, "the ledger of %s: %s", sim_name (self->sim, self->process), sentence);
}

static void tell_record (void *owner, bool mended, const char *sentence)
{
    (void) mended;
    tell (owner, sentence);
}

static void tell_all (void *owner, const char *sentence)
{
    sim_fail (owner, "the ledgers: %s", sentence);
}

static void replay_row (void *owner, uint8_t table, bytes_t key, bytes_t value)
{
    sim_ledger_judged_t *self = owner;
    (void) key;
    if (table == TABLE_LEDGER)
        ledger_replay_row (self->replay, value);
}

static void hold_record (void *owner, uint8_t table, bytes_t key, bytes_t value)
{
    sim_ledger_judged_t *self = owner;
    ledger_tables_record (self->tables, table, key, value, true);
}

static void judge_one (sim_ledger_judged_t *self)
{
    const sim_store_t *store = sim_store (self->sim, self->process);
    ledger_mender_t mender = {.tell = tell_record, .owner = self};
    self->replay = ledger_replay_new (tell, self);
    sim_store_each (store, true, replay_row, self);
    ledger_replay_end (self->replay, self->replay->figures.last);
    self->tables = ledger_tables_new (self->replay, &mender);
    sim_store_each (store, true, hold_record, self);
    ledger_tables_end (self->tables);
    ledger_tables_destroy (&self->tables);
}

/*  A store that was taken over belongs to its last process. */
static bool taken_over (sim_t *sim, int process)
{
    const store_identity_t *own = sim_identity (sim, process);
    for (int later = process + 1; later < (int) sim_processes (sim); later++)
        if (memcmp (sim_identity (sim, later)->id, own->id, STORE_ID_BYTES) == 0)
            return true;
    return false;
}

void sim_ledger_check (sim_t *sim, sim_tally_t *tally)
{
    size_t processes = sim_processes (sim);
    sim_ledger_judged_t *judged = must (calloc (processes, sizeof *judged));
    audit_ledger_t *ledgers = must (calloc (processes, sizeof *ledgers));
    size_t count = 0;
    for (int process = 0; process < (int) processes; process++) {
        sim_ledger_judged_t *one = &judged [count];
        *one = (sim_ledger_judged_t){.sim = sim, .process = process};
        if (taken_over (sim, process))
            continue;
        judge_one (one);
        tally->counts [COUNT_ROWS] += one->replay->figures.rows;
        ledgers [count].replay = one->replay;
        sim_text (ledgers [count].name, sizeof ledgers [count].name, sim_name (sim, process));
        memcpy (ledgers [count].store, sim_identity (sim, process)->id, STORE_ID_BYTES);
        count++;
    }
    ledger_audit_judge (ledgers, count, tell_all, sim);
    for (size_t i = 0; i < count; i++)
        ledger_replay_destroy (&judged [i].replay);
    free (judged);
    free (ledgers);
}
