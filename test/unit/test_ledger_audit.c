/*  Ledgers held together, and stores held against theirs. */
#include "ledger_audit.h"
#include "ledger_rows.h"
#include "ledger_tables.h"
#include "planner.pb-c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

/*  A site and a home, whose stores are those that rows_plan names, and what was found. */
typedef struct {
    rows_t site;
    rows_t home;
    audit_ledger_t ledgers [2];
    rows_t found; /* only its sentences are used */
} pair_t;

static int begin (void **state)
{
    static pair_t pair;
    pair = (pair_t){0};
    rows_begin (&pair.site);
    rows_begin (&pair.home);
    rows_quantity (&pair.site, MUSUBI__LEDGER_KIND__ROW_STARTED, "thin", 10, 0);
    rows_quantity (&pair.home, MUSUBI__LEDGER_KIND__ROW_STARTED, NULL, 0, 0);
    pair.ledgers [0] = (audit_ledger_t){.name = "lis/ams", .store = {1}};
    pair.ledgers [1] = (audit_ledger_t){.name = "gis/g1", .store = {2}};
    pair.ledgers [0].replay = pair.site.replay;
    pair.ledgers [1].replay = pair.home.replay;
    *state = &pair;
    return 0;
}

static int end (void **state)
{
    pair_t *pair = *state;
    rows_end (&pair->site);
    rows_end (&pair->home);
    return 0;
}

static rows_change_t booking (void)
{
    return (rows_change_t){
      .counter = 1, .reservation = "one", .nodes = 4, .from_ms = NINE, .until_ms = NINE + HOUR};
}

static rows_change_t claim (void)
{
    return (rows_change_t){.counter = 1, .reservation = "one", .request_id = "r@g1"};
}

static void commit (rows_t *rows, rows_change_t change)
{
    rows_move (rows, &change, COMMAND_PREPARED, "prepare");
    rows_move (rows, &change, COMMAND_COMMITTED, "commit");
}

static audit_result_t judge (pair_t *pair)
{
    return ledger_audit_judge (pair->ledgers, 2, rows_tell, &pair->found);
}

static void assert_told (const pair_t *pair, const char *words)
{
    if (!strstr (pair->found.told, words))
        fail_msg ("\"%s\" is not in: %s", words, pair->found.told);
    assert_int_equal (pair->found.violations, 1);
}

static void a_transaction_that_all_committed_is_whole (void **state)
{
    pair_t *pair = *state;
    commit (&pair->site, booking ());
    commit (&pair->home, claim ());
    audit_result_t result = judge (pair);
    assert_int_equal (result.violations, 0);
    assert_int_equal (result.committed, 1);
    assert_int_equal (result.unjudged, 0);
}

static void a_mixed_outcome_is_found (void **state)
{
    pair_t *pair = *state;
    rows_change_t one = claim ();
    commit (&pair->site, booking ());
    rows_move (&pair->home, &one, COMMAND_PREPARED, "prepare");
    rows_move (&pair->home, &one, COMMAND_ABORTED, "abort");
    judge (pair);
    assert_told (pair, "mixed outcome of 07000000-1-1: committed at lis/ams, aborted at gis/g1");
}

static void an_orphan_is_found (void **state)
{
    pair_t *pair = *state;
    commit (&pair->site, booking ());
    judge (pair);
    assert_told (
      pair, "(one) was committed at lis/ams, but gis/g1, which is in its plan, never heard of it");
}

/*  The home's rows of the transaction were cut off, or might have been. */
static void what_was_cut_off_is_no_orphan (void **state)
{
    pair_t *pair = *state;
    for (int64_t hours = 0; hours < 3; hours += 2) {
        pair->found = (rows_t){0};
        rows_end (&pair->home);
        rows_begin (&pair->home);
        pair->home.number = 7;
        pair->home.wall_ms = pair->site.wall_ms;
        rows_quantity (&pair->home, MUSUBI__LEDGER_KIND__ROW_CUT, NULL, 0, 0);
        pair->ledgers [1].replay = pair->home.replay;
        pair->site.wall_ms += hours * HOUR;
        rows_change_t one = booking ();
        one.counter += (uint64_t) hours;
        one.reservation = hours > 0 ? "late" : "one";
        commit (&pair->site, one);
        audit_result_t result = judge (pair);
        assert_int_equal (result.violations, hours > 0);
        assert_int_equal (result.unjudged, 1);
    }
}

static void what_was_told_after_the_others_were_read_is_no_orphan (void **state)
{
    pair_t *pair = *state;
    commit (&pair->site, booking ());
    pair->ledgers [0].mark = 1;
    assert_int_equal (judge (pair).violations, 0);
}

static void what_was_cut_off_a_little_earlier_elsewhere_is_no_orphan (void **state)
{
    pair_t *pair = *state;
    replay_figures_t *cut = &pair->home.replay->figures;
    commit (&pair->site, booking ());
    cut->first = 7;
    cut->first_wall_ms = pair->site.replay->figures.last_wall_ms - 1000;
    audit_result_t result = judge (pair);
    assert_int_equal (result.violations, 0);
    assert_int_equal (result.unjudged, 1);
    cut->first_wall_ms -= 2 * 3600000;
    assert_int_equal (judge (pair).violations, 1);
}

/*  One who was away for hours tells that all have acknowledged, long after the other's rows
 *  left. */
static void what_is_acknowledged_late_is_no_orphan (void **state)
{
    pair_t *pair = *state;
    rows_change_t one = booking ();
    replay_figures_t *cut = &pair->home.replay->figures;
    commit (&pair->site, one);
    cut->first = 7;
    cut->first_wall_ms = pair->site.replay->figures.last_wall_ms + 1000;
    pair->site.wall_ms += 3 * HOUR;
    rows_move (&pair->site, &one, COMMAND_COMMITTED, "done");
    audit_result_t result = judge (pair);
    assert_int_equal (result.violations, 0);
    assert_int_equal (result.unjudged, 1);
}

static void a_participant_without_its_ledger_is_counted (void **state)
{
    pair_t *pair = *state;
    commit (&pair->site, booking ());
    pair->ledgers [1].store [0] = 9; /* another store than the one that the plan names */
    audit_result_t result = judge (pair);
    assert_int_equal (result.violations, 0);
    assert_int_equal (result.unjudged, 1);
}

static void two_plans_of_one_transaction_are_found (void **state)
{
    pair_t *pair = *state;
    rows_change_t other = claim ();
    other.reservation = "two";
    commit (&pair->site, booking ());
    commit (&pair->home, other);
    judge (pair);
    assert_told (pair, "has different plans at gis/g1 and at lis/ams");
}

static void a_commit_that_nobody_decided_is_found (void **state)
{
    pair_t *pair = *state;
    rows_t planner;
    rows_begin (&planner);
    rows_quantity (&planner, MUSUBI__LEDGER_KIND__ROW_STARTED, NULL, 0, 0);
    commit (&pair->site, booking ());
    commit (&pair->home, claim ());
    audit_ledger_t three [3] = {pair->ledgers [0], pair->ledgers [1], {.name = "planner/p"}};
    three [2].store [0] = 7;
    three [2].replay = planner.replay;
    ledger_audit_judge (three, 3, rows_tell, &pair->found);
    rows_end (&planner);
    assert_told (pair, "but its coordinator planner/p never decided that");
}

/*  The home lost the rows that told of its commit. */
static void lose_a_row (rows_t *rows)
{
    rows->number++;
    rows_quantity (rows, MUSUBI__LEDGER_KIND__ROW_CHANGED_CAPACITY, NULL, 0, 0);
}

static void give_confirmed (rows_t *planner)
{
    Musubi__LedgerRow row = MUSUBI__LEDGER_ROW__INIT;
    Musubi__DecisionRecord decision = MUSUBI__DECISION_RECORD__INIT;
    Musubi__Txid txid = MUSUBI__TXID__INIT;
    txid_t own = rows_txid (1);
    codec_fill (&txid_codec, &own, &txid, NULL);
    decision.phase = MUSUBI__DECISION_PHASE__SETTLED;
    packed_t packed = packed_of (&decision.base);
    row.kind = MUSUBI__LEDGER_KIND__ROW_DECIDED;
    row.txid = &txid;
    row.record = (ProtobufCBinaryData){.len = packed.size, .data = packed.data};
    rows_give (planner, &row);
    free (packed.data);
}

static void a_vote_before_rows_that_are_missing_may_have_been_decided_in_them (void **state)
{
    pair_t *pair = *state;
    rows_t planner;
    rows_change_t vote = claim ();
    rows_begin (&planner);
    rows_quantity (&planner, MUSUBI__LEDGER_KIND__ROW_STARTED, NULL, 0, 0);
    give_confirmed (&planner);
    commit (&pair->site, booking ());
    rows_move (&pair->home, &vote, COMMAND_PREPARED, "prepare");
    audit_ledger_t three [3] = {pair->ledgers [0], pair->ledgers [1], {.name = "planner/p"}};
    three [2].store [0] = 7;
    three [2].replay = planner.replay;
    ledger_audit_judge (three, 3, rows_tell, &pair->found);
    assert_told (pair, "is acknowledged by all according to planner/p, but is prepared at gis/g1");
    lose_a_row (&pair->home);
    assert_int_equal (ledger_audit_judge (three, 3, rows_tell, &pair->found).violations, 0);
    rows_end (&planner);
}

/*  --- a store against its ledger --- */

typedef struct {
    char told [1024];
    size_t mended;
    size_t left;
    size_t puts;
    size_t erased;
} mended_rows_t;

static void on_told (void *owner, bool mended, const char *sentence)
{
    mended_rows_t *self = owner;
    size_t used = strlen (self->told);
    snprintf (self->told + used, sizeof self->told - used, "%s\n", sentence);
    self->mended += mended;
    self->left += !mended;
}

static void on_put (void *owner, uint8_t table, bytes_t key, bytes_t value)
{
    mended_rows_t *self = owner;
    (void) table;
    (void) key;
    self->puts += value.data != NULL;
    self->erased += value.data == NULL;
}

static ledger_tables_t *tables_of (rows_t *rows, mended_rows_t *mended)
{
    *mended = (mended_rows_t){0};
    return ledger_tables_new (rows->replay,
                              &(ledger_mender_t){.tell = on_told, .put = on_put, .owner = mended});
}

/*  The command's record as it must be, or with a byte changed. */
static void give_command (ledger_tables_t *tables, const rows_t *rows, bool changed, bool sound)
{
    txid_t txid = rows_txid (1);
    uint8_t key [TXID_BYTES];
    txid_pack (&txid, key);
    const replay_command_t *command = ordered_find (rows->replay->commands, &txid);
    assert_non_null (command);
    packed_t value = codec_encode (&command_record_codec, &command->record);
    value.data [0] ^= changed;
    ledger_tables_record (tables, TABLE_COMMANDS, (bytes_t){.data = key, .size = sizeof key},
                          (bytes_t){.data = value.data, .size = value.size}, sound);
    free (value.data);
}

static void a_store_as_its_ledger_tells_has_no_difference (void **state)
{
    pair_t *pair = *state;
    mended_rows_t mended;
    rows_change_t held = booking ();
    rows_move (&pair->site, &held, COMMAND_HELD, "hold");
    ledger_tables_t *tables = tables_of (&pair->site, &mended);
    give_command (tables, &pair->site, false, true);
    assert_int_equal (ledger_tables_end (tables), 0);
    ledger_tables_destroy (&tables);
}

static void records_missing_changed_or_damaged_are_written_anew (void **state)
{
    pair_t *pair = *state;
    mended_rows_t mended;
    commit (&pair->site, booking ());
    ledger_tables_t *tables = tables_of (&pair->site, &mended);
    give_command (tables, &pair->site, true, true);
    assert_int_equal (ledger_tables_end (tables), 2); /* and no reservation was given */
    ledger_tables_destroy (&tables);
    assert_int_equal (mended.puts, 2);
    assert_int_equal (mended.left, 0);
    assert_non_null (
      strstr (mended.told, "command 07000000-1-1: its record differs from its ledger"));
    assert_non_null (strstr (mended.told, "reservation one: its record is missing"));

    tables = tables_of (&pair->site, &mended);
    give_command (tables, &pair->site, false, false);
    ledger_tables_end (tables);
    ledger_tables_destroy (&tables);
    assert_non_null (strstr (mended.told, "command 07000000-1-1: its record is damaged"));
}

/*  Its record, kept for so much longer than its rows tell, in so much another version; what is
 *  wrong with it. */
static size_t reservation_differs (const rows_t *rows, int64_t longer_ms, uint32_t versions)
{
    static const uint8_t id [] = "one";
    bytes_t key = {.data = id, .size = 3};
    mended_rows_t mended = {0};
    ledger_tables_t *tables =
      ledger_tables_new (rows->replay, &(ledger_mender_t){.tell = on_told, .owner = &mended});
    reservation_record_t record = ledger_replay_find (rows->replay, key)->record;
    record.until_ms += longer_ms;
    record.version += versions;
    packed_t value = codec_encode (&reservation_record_codec, &record);
    ledger_tables_record (tables, TABLE_RESERVATIONS, key,
                          (bytes_t){.data = value.data, .size = value.size}, true);
    ledger_tables_destroy (&tables);
    free (value.data);
    return mended.left;
}

/*  A reservation stays on record until its longest version has ended. */
static void an_end_that_was_cut_off_may_be_later (void **state)
{
    pair_t *pair = *state;
    rows_end (&pair->home);
    rows_begin (&pair->home);
    pair->home.number = 40;
    rows_change_t change = booking ();
    change.operation = OPERATION_MODIFY;
    change.base = 1;
    commit (&pair->home, change);
    assert_int_equal (reservation_differs (&pair->home, 0, 0), 0);
    assert_int_equal (reservation_differs (&pair->home, HOUR, 0), 0);
    assert_int_equal (reservation_differs (&pair->home, -1, 0), 1);
    assert_int_equal (reservation_differs (&pair->home, HOUR, 1), 1);
    commit (&pair->site, booking ());
    assert_int_equal (reservation_differs (&pair->site, 0, 0), 0);
    assert_int_equal (reservation_differs (&pair->site, HOUR, 0), 1);
}

static void a_promise_that_no_row_tells_of_is_left_and_rubbish_is_not (void **state)
{
    pair_t *pair = *state;
    mended_rows_t mended;
    static const uint8_t key [] = "two";
    bytes_t id = {.data = key, .size = 3};
    ledger_tables_t *tables = tables_of (&pair->site, &mended);
    ledger_tables_record (tables, TABLE_RESERVATIONS, id, (bytes_t){0}, true);
    assert_int_equal (mended.left, 1);
    ledger_tables_record (tables, TABLE_RESERVATIONS, id, RECORD_DAMAGED, false);
    assert_int_equal (mended.mended, 1);
    assert_int_equal (mended.erased, 1);
    ledger_tables_destroy (&tables);
}

/*  What missing rows may have changed is not put back as it was before them. */
static void a_record_is_not_set_back_to_before_rows_that_are_missing (void **state)
{
    pair_t *pair = *state;
    mended_rows_t mended;
    rows_change_t vote = booking ();
    rows_move (&pair->site, &vote, COMMAND_PREPARED, "prepare");
    lose_a_row (&pair->site);
    ledger_tables_t *tables = tables_of (&pair->site, &mended);
    give_command (tables, &pair->site, true, true);
    assert_int_equal (ledger_tables_end (tables), 0);
    assert_int_equal (mended.puts + mended.erased, 0);
    ledger_tables_destroy (&tables);
}

int main (void)
{
#define TEST(name) cmocka_unit_test_setup_teardown (name, begin, end)
    const struct CMUnitTest tests [] = {
      TEST (a_transaction_that_all_committed_is_whole),
      TEST (a_mixed_outcome_is_found),
      TEST (an_orphan_is_found),
      TEST (what_was_cut_off_is_no_orphan),
      TEST (what_was_told_after_the_others_were_read_is_no_orphan),
      TEST (what_was_cut_off_a_little_earlier_elsewhere_is_no_orphan),
      TEST (what_is_acknowledged_late_is_no_orphan),
      TEST (a_participant_without_its_ledger_is_counted),
      TEST (two_plans_of_one_transaction_are_found),
      TEST (a_commit_that_nobody_decided_is_found),
      TEST (a_vote_before_rows_that_are_missing_may_have_been_decided_in_them),
      TEST (a_store_as_its_ledger_tells_has_no_difference),
      TEST (records_missing_changed_or_damaged_are_written_anew),
      TEST (an_end_that_was_cut_off_may_be_later),
      TEST (a_promise_that_no_row_tells_of_is_left_and_rubbish_is_not),
      TEST (a_record_is_not_set_back_to_before_rows_that_are_missing),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
