/*  The replay of ledgers: sound ones pass and end where they must, and each violation is found. */
#include "ledger_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static int begin (void **state)
{
    static rows_t rows;
    rows_begin (&rows);
    rows_quantity (&rows, MUSUBI__LEDGER_KIND__ROW_STARTED, "thin", 10, 60000);
    *state = &rows;
    return 0;
}

static int end (void **state)
{
    rows_end (*state);
    return 0;
}

static rows_change_t reserve (uint64_t counter, const char *reservation, uint32_t nodes)
{
    return (rows_change_t){.counter = counter,
                           .reservation = reservation,
                           .nodes = nodes,
                           .from_ms = NINE,
                           .until_ms = NINE + HOUR};
}

static void commit (rows_t *rows, rows_change_t *change)
{
    rows_move (rows, change, COMMAND_PREPARED, "prepare");
    rows_move (rows, change, COMMAND_COMMITTED, "commit");
}

static void assert_sound (const rows_t *rows)
{
    if (rows->violations > 0)
        fail_msg ("%s", rows->told);
}

static void assert_told (const rows_t *rows, const char *words)
{
    if (!strstr (rows->told, words))
        fail_msg ("\"%s\" is not in: %s", words, rows->told);
    assert_int_equal (rows->violations, 1);
}

static int64_t free_at (const rows_t *rows, int64_t at_ms)
{
    const replay_resource_t *thin = ledger_replay_named (rows->replay, "thin");
    return thin->quantity - levels_at (&thin->booked, at_ms);
}

/*  --- sound ledgers --- */

static void adopt (rows_t *rows)
{
    Musubi__LedgerRow row = MUSUBI__LEDGER_ROW__INIT;
    row.kind = MUSUBI__LEDGER_KIND__ROW_ADOPTED;
    rows->start = 2;
    rows_give (rows, &row);
}

static void an_adoption_is_told_before_the_start_that_it_was_made_in (void **state)
{
    rows_t *rows = *state;
    adopt (rows);
    rows_quantity (rows, MUSUBI__LEDGER_KIND__ROW_STARTED, "thin", 10, 60000);
    assert_sound (rows);
    assert_int_equal (rows->replay->figures.adopted, 1);
}

static void a_commit_books_its_window_and_the_gap_behind_it (void **state)
{
    rows_t *rows = *state;
    rows_change_t change = reserve (1, "one", 4);
    commit (rows, &change);
    assert_sound (rows);
    assert_int_equal (free_at (rows, NINE), 6);
    int64_t until_ms = levels_next (&ledger_replay_named (rows->replay, "thin")->booked, NINE);
    assert_int_equal (until_ms, NINE + HOUR + 60000);
    assert_int_equal (free_at (rows, NINE - 1), 10);
    assert_int_equal (free_at (rows, until_ms), 10);
    const replay_reservation_t *standing = ledger_replay_reservation (rows->replay, NULL);
    assert_non_null (standing);
    assert_string_equal (standing->id, "one");
    assert_string_equal (standing->record.owner, "alice");
    assert_int_equal (standing->record.version, 1);
    assert_int_equal (standing->record.until_ms, NINE + HOUR + 60000);
    assert_null (ledger_replay_reservation (rows->replay, "one"));
}

static void a_pending_change_counts_the_larger_of_old_and_new (void **state)
{
    rows_t *rows = *state;
    rows_change_t change = reserve (1, "one", 4);
    commit (rows, &change);
    rows_change_t less = reserve (2, "one", 2);
    less.operation = OPERATION_MODIFY;
    less.base = 1;
    less.until_ms = NINE + 2 * HOUR;
    rows_move (rows, &less, COMMAND_PREPARED, "prepare");
    assert_int_equal (free_at (rows, NINE), 6);
    assert_int_equal (free_at (rows, NINE + HOUR + 60000), 8);
    rows_move (rows, &less, COMMAND_COMMITTED, "commit");
    assert_int_equal (free_at (rows, NINE), 8);
    assert_sound (rows);
}

static void an_aborted_change_gives_back_what_it_took (void **state)
{
    rows_t *rows = *state;
    rows_change_t change = reserve (1, "one", 4);
    rows_move (rows, &change, COMMAND_HELD, "hold");
    assert_int_equal (free_at (rows, NINE), 6);
    rows_move (rows, &change, COMMAND_EXPIRED, "ttl");
    assert_int_equal (free_at (rows, NINE), 10);
    assert_null (ledger_replay_reservation (rows->replay, NULL));
    assert_sound (rows);
}

static void a_vote_past_its_edge_gives_back_and_may_come_in_again (void **state)
{
    rows_t *rows = *state;
    rows_change_t change = reserve (1, "one", 4);
    rows_move (rows, &change, COMMAND_PREPARED, "prepare");
    rows_move (rows, &change, COMMAND_EDGE, "edge");
    assert_int_equal (free_at (rows, NINE), 10);
    rows_move (rows, &change, COMMAND_COMMITTED, "commit");
    assert_int_equal (free_at (rows, NINE), 6);
    assert_sound (rows);
}

static void an_edge_refused_reservation_is_at_its_new_version_with_nothing (void **state)
{
    rows_t *rows = *state;
    rows_change_t change = reserve (1, "one", 4);
    rows_move (rows, &change, COMMAND_PREPARED, "prepare");
    rows_move (rows, &change, COMMAND_EDGE, "edge");
    rows_move (rows, &change, COMMAND_EDGE_REFUSED, "commit");
    const replay_reservation_t *standing = ledger_replay_reservation (rows->replay, NULL);
    assert_non_null (standing);
    assert_int_equal (standing->record.version, 1);
    assert_true (standing->record.failed);
    assert_int_equal (free_at (rows, NINE), 10);
    assert_sound (rows);
}

static void what_was_granted_before_a_capacity_was_lowered_is_no_overbooking (void **state)
{
    rows_t *rows = *state;
    rows_change_t first = reserve (1, "one", 8);
    commit (rows, &first);
    rows_quantity (rows, MUSUBI__LEDGER_KIND__ROW_CHANGED_CAPACITY, "thin", 5, 60000);
    rows_change_t shrink = reserve (2, "one", 6);
    shrink.operation = OPERATION_MODIFY;
    shrink.base = 1;
    commit (rows, &shrink);
    assert_sound (rows);
    assert_int_equal (free_at (rows, NINE), -1);
}

static void give_cut (rows_t *rows, uint64_t kept_from)
{
    Musubi__LedgerRow cut = MUSUBI__LEDGER_ROW__INIT;
    cut.kind = MUSUBI__LEDGER_KIND__ROW_CUT;
    cut.kept_from = kept_from;
    rows_give (rows, &cut);
}

static void a_cut_ledger_takes_what_began_before_as_it_is_found (void **state)
{
    rows_t *rows = *state;
    rows_end (rows);
    rows_begin (rows);
    rows->number = 40;
    rows_change_t old = reserve (1, "one", 4);
    old.state = COMMAND_PREPARED;
    rows_move (rows, &old, COMMAND_COMMITTED, "commit");
    give_cut (rows, 41);
    ledger_replay_end (rows->replay, rows->number);
    assert_sound (rows);
}

static void a_change_of_a_reservation_that_was_cut_off_is_taken_on_from_its_version (void **state)
{
    rows_t *rows = *state;
    rows_end (rows);
    rows_begin (rows);
    rows->number = 40;
    give_cut (rows, 41);
    rows_change_t change = reserve (1, "one", 4);
    change.operation = OPERATION_MODIFY;
    change.base = 2;
    commit (rows, &change);
    rows_change_t next = reserve (2, "one", 3);
    next.operation = OPERATION_MODIFY;
    next.base = 3;
    commit (rows, &next);
    ledger_replay_end (rows->replay, rows->number);
    assert_sound (rows);
}

static void a_change_of_what_was_made_before_the_cut_is_taken_as_it_is_found (void **state)
{
    rows_t *rows = *state;
    rows_end (rows);
    rows_begin (rows);
    rows->number = 40;
    rows_change_t shrink = reserve (2, "one", 2);
    shrink.operation = OPERATION_MODIFY;
    shrink.base = 1;
    commit (rows, &shrink);
    Musubi__LedgerRow cut = MUSUBI__LEDGER_ROW__INIT;
    cut.kind = MUSUBI__LEDGER_KIND__ROW_CUT;
    cut.kept_from = 41;
    rows_give (rows, &cut);
    ledger_replay_end (rows->replay, rows->number);
    assert_sound (rows);
}

/*  --- violations --- */

static void a_row_that_is_missing_is_found (void **state)
{
    rows_t *rows = *state;
    rows_change_t change = reserve (1, "one", 4);
    rows_move (rows, &change, COMMAND_PREPARED, "prepare");
    Musubi__LedgerRow lost = MUSUBI__LEDGER_ROW__INIT;
    lost.kind = MUSUBI__LEDGER_KIND__ROW_CLOSED_CLAIM;
    packed_t packed = rows_pack (rows, &lost);
    free (packed.data);
    rows_move (rows, &change, COMMAND_COMMITTED, "commit");
    assert_told (rows, "row 4: rows 3 to 3 are missing");
    assert_int_equal (rows->replay->figures.broken, 1);
}

static void give_exported (rows_t *rows, uint64_t from, uint64_t kept_from)
{
    Musubi__LedgerRow exported = MUSUBI__LEDGER_ROW__INIT;
    exported.kind = MUSUBI__LEDGER_KIND__ROW_EXPORTED;
    exported.exported_from = from;
    exported.kept_from = kept_from;
    rows_give (rows, &exported);
}

static void the_segment_that_rows_are_missing_of_is_named (void **state)
{
    rows_t *rows = *state;
    rows->number += 3;
    give_exported (rows, 1, 2);
    assert_told (rows, "row 5: rows 2 to 4 are missing");
    give_exported (rows, 2, 4);
    give_exported (rows, 4, 5);
    give_exported (rows, 5, 7);
    assert_int_equal (rows->violations, 3);
    assert_non_null (strstr (rows->told, "row 6: the segment ledger/2-3.seg is gone or damaged"));
    assert_non_null (strstr (rows->told, "row 7: the segment ledger/4-4.seg is gone or damaged"));
}

static void the_first_segment_is_named_when_it_was_not_cut (void **state)
{
    rows_t *rows = *state;
    for (uint64_t kept_from = 1; kept_from <= 5; kept_from += 4) {
        rows_end (rows);
        rows_begin (rows);
        rows->number = 4;
        give_exported (rows, 2, 5);
        give_cut (rows, kept_from);
        ledger_replay_end (rows->replay, rows->number);
        assert_int_equal (rows->violations, kept_from == 5 ? 0 : 2);
        assert_true (kept_from == 5 || strstr (rows->told, "the segment ledger/2-4.seg is gone"));
    }
}

static void rows_missing_at_either_end_are_found (void **state)
{
    rows_t *rows = *state;
    rows_end (rows);
    rows_begin (rows);
    rows->number = 4;
    rows_quantity (rows, MUSUBI__LEDGER_KIND__ROW_STARTED, "thin", 10, 0);
    ledger_replay_end (rows->replay, 7);
    assert_int_equal (rows->violations, 2);
    assert_non_null (strstr (rows->told, "row 5: the rows before it are missing"));
    assert_non_null (strstr (rows->told, "row 7: rows 6 to 7 are missing"));
}

static void a_row_that_was_changed_afterwards_is_found (void **state)
{
    rows_t *rows = *state;
    rows->before [3] ^= 1;
    rows_quantity (rows, MUSUBI__LEDGER_KIND__ROW_CHANGED_CAPACITY, "thin", 12, 0);
    assert_told (rows, "row 2: it does not follow from row 1");
}

static void a_damaged_row_is_told_and_the_rest_goes_on (void **state)
{
    rows_t *rows = *state;
    rows_change_t change = reserve (1, "one", 4);
    rows_move (rows, &change, COMMAND_PREPARED, "prepare");
    assert_false (ledger_replay_row (rows->replay, RECORD_DAMAGED));
    rows->number++;
    rows->start = 2;
    rows_quantity (rows, MUSUBI__LEDGER_KIND__ROW_STARTED, "thin", 10, 60000);
    assert_told (rows, "row 3: can't be read");
    rows_change_t unseen = reserve (9, "two", 2);
    unseen.state = COMMAND_PREPARED;
    rows_move (rows, &unseen, COMMAND_COMMITTED, "commit");
    assert_int_equal (rows->violations, 1);
}

static void a_start_that_falls_is_found (void **state)
{
    rows_t *rows = *state;
    rows->start = 3;
    rows_quantity (rows, MUSUBI__LEDGER_KIND__ROW_STARTED, "thin", 10, 0);
    rows->start = 2;
    rows_quantity (rows, MUSUBI__LEDGER_KIND__ROW_CHANGED_CAPACITY, "thin", 10, 0);
    assert_told (rows, "it was written in start 2, after a row of start 3");
}

static void a_start_before_its_predecessors_rows_is_found (void **state)
{
    rows_t *rows = *state;
    rows->start = 2;
    rows->wall_ms -= HOUR;
    rows_quantity (rows, MUSUBI__LEDGER_KIND__ROW_STARTED, "thin", 10, 0);
    assert_told (rows, "start 2 begins earlier");
}

static void a_step_that_the_table_lacks_is_found (void **state)
{
    rows_t *rows = *state;
    rows_change_t change = reserve (1, "one", 4);
    rows_move (rows, &change, COMMAND_HELD, "hold");
    rows_move (rows, &change, COMMAND_COMMITTED, "commit");
    assert_told (rows, "goes from held to committed by \"commit\", which is not a step");
}

static void a_step_from_another_state_than_it_was_in_is_found (void **state)
{
    rows_t *rows = *state;
    rows_change_t change = reserve (1, "one", 4);
    rows_move (rows, &change, COMMAND_PREPARED, "prepare");
    rows_move (rows, &change, COMMAND_ABORTED, "abort");
    change.state = COMMAND_PREPARED;
    rows_move (rows, &change, COMMAND_COMMITTED, "commit");
    assert_told (rows, "goes from prepared to committed, but was aborted");
}

static void a_command_that_nothing_began_is_found (void **state)
{
    rows_t *rows = *state;
    rows_change_t change = reserve (1, "one", 4);
    change.state = COMMAND_PREPARED;
    rows_move (rows, &change, COMMAND_ABORTED, "abort");
    assert_told (rows, "but was initial");
}

static void overbooking_at_one_instant_is_found (void **state)
{
    rows_t *rows = *state;
    rows_change_t first = reserve (1, "one", 8);
    commit (rows, &first);
    rows_change_t second = reserve (2, "two", 3);
    second.from_ms = NINE + HOUR + 59999; /* the gap's last millisecond */
    second.until_ms = NINE + 2 * HOUR;
    rows_move (rows, &second, COMMAND_PREPARED, "prepare");
    assert_told (rows,
                 "two books more of thin than there is: 11 of 10 at 2026-12-01T10:00:59.999Z");
}

static void a_window_right_behind_the_gap_is_no_overbooking (void **state)
{
    rows_t *rows = *state;
    rows_change_t first = reserve (1, "one", 8);
    commit (rows, &first);
    rows_change_t second = reserve (2, "two", 10);
    second.from_ms = NINE + HOUR + 60000;
    second.until_ms = NINE + 2 * HOUR;
    commit (rows, &second);
    assert_sound (rows);
}

static void overbooking_by_a_vote_let_in_past_its_edge_is_found (void **state)
{
    rows_t *rows = *state;
    rows_change_t late = reserve (1, "one", 8);
    rows_move (rows, &late, COMMAND_PREPARED, "prepare");
    rows_move (rows, &late, COMMAND_EDGE, "edge");
    rows_change_t other = reserve (2, "two", 8);
    commit (rows, &other);
    rows_move (rows, &late, COMMAND_COMMITTED, "outcome");
    assert_told (rows, "one books more of thin than there is: 16 of 10");
}

static void a_taking_after_a_capacity_was_lowered_is_judged_by_what_is_left (void **state)
{
    rows_t *rows = *state;
    rows_quantity (rows, MUSUBI__LEDGER_KIND__ROW_CHANGED_CAPACITY, "thin", 5, 60000);
    rows_change_t change = reserve (1, "one", 6);
    rows_move (rows, &change, COMMAND_PREPARED, "prepare");
    assert_told (rows, "6 of 5");
}

static void a_class_that_is_no_more_offered_has_nothing_to_take (void **state)
{
    rows_t *rows = *state;
    rows->start = 2;
    rows_quantity (rows, MUSUBI__LEDGER_KIND__ROW_STARTED, "fat", 5, 0);
    rows_change_t change = reserve (1, "one", 1);
    rows_move (rows, &change, COMMAND_PREPARED, "prepare");
    assert_told (rows, "1 of 0");
}

static void a_start_that_begins_twice_is_found_also_after_an_adoption (void **state)
{
    rows_t *rows = *state;
    adopt (rows);
    rows_quantity (rows, MUSUBI__LEDGER_KIND__ROW_STARTED, "thin", 10, 60000);
    rows_quantity (rows, MUSUBI__LEDGER_KIND__ROW_STARTED, "thin", 10, 60000);
    assert_told (rows, "start 2 begins twice");
}

static void two_changes_of_one_reservation_at_once_are_found (void **state)
{
    rows_t *rows = *state;
    rows_change_t first = reserve (1, "one", 4);
    commit (rows, &first);
    rows_change_t changes [2] = {reserve (2, "one", 3), reserve (3, "one", 2)};
    for (size_t i = 0; i < 2; i++) {
        changes [i].operation = OPERATION_MODIFY;
        changes [i].base = 1;
        rows_move (rows, &changes [i], COMMAND_PREPARED, "prepare");
    }
    assert_told (rows, "is pending on one");
}

static void a_change_of_an_old_version_is_found (void **state)
{
    rows_t *rows = *state;
    rows_change_t first = reserve (1, "one", 4);
    commit (rows, &first);
    rows_change_t change = reserve (2, "one", 3);
    change.operation = OPERATION_MODIFY;
    change.base = 3;
    rows_move (rows, &change, COMMAND_PREPARED, "prepare");
    assert_told (rows, "changes version 3 of one, which is at version 1");
}

static rows_change_t claim (uint64_t counter)
{
    return (rows_change_t){.counter = counter, .reservation = "one", .request_id = "r@g1"};
}

static void a_claim_with_two_attempts_is_found (void **state)
{
    rows_t *rows = *state;
    rows_change_t one = claim (1);
    rows_change_t two = claim (2);
    rows_move (rows, &one, COMMAND_PREPARED, "prepare");
    rows_move (rows, &two, COMMAND_HELD, "hold");
    assert_told (rows, "claims alice/r@g1, which 07000000-1-1 already holds");
}

static void a_claim_goes_to_the_next_attempt_when_the_first_is_over (void **state)
{
    rows_t *rows = *state;
    rows_change_t one = claim (1);
    rows_change_t two = claim (2);
    rows_move (rows, &one, COMMAND_PREPARED, "prepare");
    rows_move (rows, &one, COMMAND_ABORTED, "abort");
    commit (rows, &two);
    assert_sound (rows);
}

static void close_claim (rows_t *rows)
{
    Musubi__LedgerRow row = MUSUBI__LEDGER_ROW__INIT;
    row.kind = MUSUBI__LEDGER_KIND__ROW_CLOSED_CLAIM;
    row.actor = (char *) "alice";
    row.request_id = (char *) "r@g1";
    rows_give (rows, &row);
}

static void an_attempt_after_the_claim_was_closed_is_found (void **state)
{
    rows_t *rows = *state;
    rows_change_t one = claim (1);
    close_claim (rows);
    rows_move (rows, &one, COMMAND_HELD, "hold");
    assert_told (rows, "which is closed");
}

static void closing_a_claim_that_is_voted_for_is_found (void **state)
{
    rows_t *rows = *state;
    rows_change_t one = claim (1);
    rows_move (rows, &one, COMMAND_PREPARED, "prepare");
    close_claim (rows);
    assert_told (rows, "alice/r@g1 is closed while 07000000-1-1 is prepared there");
}

static void prune_reservation (rows_t *rows, const char *id)
{
    Musubi__LedgerRow row = MUSUBI__LEDGER_ROW__INIT;
    row.kind = MUSUBI__LEDGER_KIND__ROW_PRUNED_RESERVATION;
    row.reservation = (char *) id;
    rows_give (rows, &row);
}

static void a_reservation_forgotten_before_its_end_is_found (void **state)
{
    rows_t *rows = *state;
    rows_change_t change = reserve (1, "one", 4);
    commit (rows, &change);
    prune_reservation (rows, "one");
    assert_told (rows, "reservation one is removed before its end");
}

static void a_reservation_forgotten_after_its_end_is_gone (void **state)
{
    rows_t *rows = *state;
    rows_change_t change = reserve (1, "one", 4);
    commit (rows, &change);
    rows->wall_ms = NINE + 2 * HOUR;
    prune_reservation (rows, "one");
    assert_null (ledger_replay_reservation (rows->replay, NULL));
    assert_int_equal (free_at (rows, NINE), 10);
    assert_sound (rows);
}

static void a_vote_that_is_forgotten_is_found (void **state)
{
    rows_t *rows = *state;
    rows_change_t change = reserve (1, "one", 4);
    rows_move (rows, &change, COMMAND_PREPARED, "prepare");
    Musubi__LedgerRow row = MUSUBI__LEDGER_ROW__INIT;
    Musubi__Txid txid = MUSUBI__TXID__INIT;
    txid_t own = rows_txid (1);
    codec_fill (&txid_codec, &own, &txid, NULL);
    row.kind = MUSUBI__LEDGER_KIND__ROW_PRUNED_COMMAND;
    row.txid = &txid;
    rows_give (rows, &row);
    assert_told (rows, "is removed while it is prepared");
}

/*  --- behind rows that are missing --- */

/*  As many rows as a segment might have. */
static void lose_rows (rows_t *rows)
{
    Musubi__LedgerRow lost = MUSUBI__LEDGER_ROW__INIT;
    lost.kind = MUSUBI__LEDGER_KIND__ROW_CLOSED_CLAIM;
    for (int i = 0; i < 3; i++) {
        packed_t packed = rows_pack (rows, &lost);
        free (packed.data);
    }
}

static rows_change_t modify (uint64_t counter, const char *reservation, uint32_t nodes,
                             uint32_t base)
{
    rows_change_t change = reserve (counter, reservation, nodes);
    change.operation = OPERATION_MODIFY;
    change.base = base;
    return change;
}

/*  "one" was changed twice, "two" was decided and forgotten, "three" voted for and its claim
 *  left. */
static void what_missing_rows_changed_is_taken_as_it_is_found (void **state)
{
    rows_t *rows = *state;
    rows_change_t one = reserve (1, "one", 4), two = reserve (2, "two", 6);
    rows_change_t three = reserve (3, "three", 3), held = claim (4), next = claim (5);
    commit (rows, &one);
    rows_move (rows, &two, COMMAND_PREPARED, "prepare");
    rows_move (rows, &held, COMMAND_HELD, "hold");
    lose_rows (rows);
    rows_move (rows, &next, COMMAND_PREPARED, "prepare");
    three.state = COMMAND_PREPARED;
    rows_move (rows, &three, COMMAND_COMMITTED, "commit");
    rows_change_t later = modify (6, "one", 9, 3), again = modify (7, "two", 9, 1);
    commit (rows, &later);
    rows_move (rows, &again, COMMAND_PREPARED, "prepare");
    prune_reservation (rows, "four");
    assert_told (rows, "are missing");
    assert_false (ledger_replay_whole (rows->replay));
    assert_int_equal (ledger_replay_find (rows->replay, text_bytes ("one"))->record.version, 4);
}

/*  What "one" had may have been given back; what "two" has since may not be given to another. */
static void what_is_taken_behind_missing_rows_is_judged_by_itself (void **state)
{
    rows_t *rows = *state;
    rows_change_t one = reserve (1, "one", 10), two = reserve (2, "two", 8);
    rows_change_t three = reserve (3, "three", 3);
    commit (rows, &one);
    lose_rows (rows);
    rows->start = 3;
    rows_quantity (rows, MUSUBI__LEDGER_KIND__ROW_STARTED, "thin", 10, 60000);
    commit (rows, &two);
    assert_told (rows, "are missing");
    assert_int_equal (free_at (rows, NINE), 2);
    rows_move (rows, &three, COMMAND_HELD, "hold");
    assert_int_equal (rows->violations, 2);
    assert_non_null (strstr (rows->told, "three books more of thin than there is: 11 of 10"));
}

/*  A step that the missing rows can't explain is found as ever. */
static void what_is_wrong_behind_missing_rows_is_found (void **state)
{
    rows_t *rows = *state;
    lose_rows (rows);
    rows_change_t one = reserve (1, "one", 1);
    commit (rows, &one);
    rows_change_t two = modify (2, "one", 1, 5);
    rows_move (rows, &two, COMMAND_PREPARED, "prepare");
    assert_int_equal (rows->violations, 2);
    assert_non_null (strstr (rows->told, "changes version 5 of one, which is at version 1"));
}

int main (void)
{
#define TEST(name) cmocka_unit_test_setup_teardown (name, begin, end)
    const struct CMUnitTest tests [] = {
      TEST (an_adoption_is_told_before_the_start_that_it_was_made_in),
      TEST (a_start_that_begins_twice_is_found_also_after_an_adoption),
      TEST (a_commit_books_its_window_and_the_gap_behind_it),
      TEST (a_pending_change_counts_the_larger_of_old_and_new),
      TEST (an_aborted_change_gives_back_what_it_took),
      TEST (a_vote_past_its_edge_gives_back_and_may_come_in_again),
      TEST (an_edge_refused_reservation_is_at_its_new_version_with_nothing),
      TEST (what_was_granted_before_a_capacity_was_lowered_is_no_overbooking),
      TEST (a_cut_ledger_takes_what_began_before_as_it_is_found),
      TEST (a_change_of_what_was_made_before_the_cut_is_taken_as_it_is_found),
      TEST (a_change_of_a_reservation_that_was_cut_off_is_taken_on_from_its_version),
      TEST (a_row_that_is_missing_is_found),
      TEST (the_segment_that_rows_are_missing_of_is_named),
      TEST (the_first_segment_is_named_when_it_was_not_cut),
      TEST (rows_missing_at_either_end_are_found),
      TEST (a_row_that_was_changed_afterwards_is_found),
      TEST (a_damaged_row_is_told_and_the_rest_goes_on),
      TEST (a_start_that_falls_is_found),
      TEST (a_start_before_its_predecessors_rows_is_found),
      TEST (a_step_that_the_table_lacks_is_found),
      TEST (a_step_from_another_state_than_it_was_in_is_found),
      TEST (a_command_that_nothing_began_is_found),
      TEST (overbooking_at_one_instant_is_found),
      TEST (a_window_right_behind_the_gap_is_no_overbooking),
      TEST (overbooking_by_a_vote_let_in_past_its_edge_is_found),
      TEST (a_taking_after_a_capacity_was_lowered_is_judged_by_what_is_left),
      TEST (a_class_that_is_no_more_offered_has_nothing_to_take),
      TEST (two_changes_of_one_reservation_at_once_are_found),
      TEST (a_change_of_an_old_version_is_found),
      TEST (a_claim_with_two_attempts_is_found),
      TEST (a_claim_goes_to_the_next_attempt_when_the_first_is_over),
      TEST (an_attempt_after_the_claim_was_closed_is_found),
      TEST (closing_a_claim_that_is_voted_for_is_found),
      TEST (a_reservation_forgotten_before_its_end_is_found),
      TEST (a_reservation_forgotten_after_its_end_is_gone),
      TEST (a_vote_that_is_forgotten_is_found),
      TEST (what_missing_rows_changed_is_taken_as_it_is_found),
      TEST (what_is_taken_behind_missing_rows_is_judged_by_itself),
      TEST (what_is_wrong_behind_missing_rows_is_found),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
