/*  What is stored and what a start makes of it: everything that was flushed, nothing else; bad
 *  records skipped loudly; pruning (T13, T15; R1).
 */
#include "participant_fixture.h"

#define PRUNE_GO_MS 5 /* one go at a time, while there is something to prune */

static void everything_flushed_is_there_after_a_restart (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (20);
    rig_reserve (rig, 1, "r1", 6, 1, 3);
    hold_t hold = hold_of (rig, 2, OPERATION_MODIFY, "r1", 1, 8, 2, 4);
    rig_hold (rig, hold);
    hold = hold_of (rig, 3, OPERATION_RESERVE, "r2", 0, 2, 1, 2);
    hold.prepare = false;
    rig_hold (rig, hold);
    rig_verb (rig, "Abort", 9);
    rig_reserve (rig, 4, "r3", 1, 1, 2);
    rig_hold (rig, hold_of (rig, 5, OPERATION_RELEASE, "r3", 1, 0, 1, 2));
    rig_verb (rig, "Commit", 5);

    for (int i = 0; i < 3; i++) {
        assert_int_equal (rig_load (rig, 1), 8);
        assert_int_equal (rig_load (rig, 2), 8);
        assert_int_equal (rig_load (rig, 3), 8);
        assert_int_equal (rig_state (rig, 1), COMMAND_COMMITTED);
        assert_int_equal (rig_state (rig, 2), COMMAND_PREPARED);
        assert_int_equal (rig_state (rig, 3), COMMAND_HELD);
        assert_int_equal (rig_state (rig, 5), COMMAND_COMMITTED);
        rig_restart (rig, 10);
    }
    assert_int_equal (rig_verb (rig, "Commit", 2).state, COMMAND_COMMITTED);
    assert_int_equal (rig_load (rig, 1), 2);
    rig_restart (rig, 10);
    assert_int_equal (rig_load (rig, 1), 2);
    assert_int_equal (rig_load (rig, 3), 8);
    assert_int_equal (rig_hold (rig, hold_of (rig, 6, OPERATION_MODIFY, "r1", 2, 1, 1, 2)).state,
                      COMMAND_PREPARED);
    rig_destroy (rig);
}

static void the_answer_to_a_repeat_survives_a_restart (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    hold_t hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 6, 1, 2);
    packed_t body = codec_encode (&hold_codec, &hold);
    codec_clear (&hold_codec, &hold);
    rig_request (rig, PLANNER, "Hold", packed_copy ((bytes_t){body.data, body.size}));
    rig_restart (rig, 10);
    rig_request (rig, PLANNER, "Hold", body);
    assert_int_equal (rig_answer (rig).state, COMMAND_PREPARED);
    assert_int_equal (rig_answer (rig).refusal.reason, REFUSAL_NONE);
    assert_int_equal (rig_load (rig, 1), 6);
    rig_destroy (rig);
}

static void R1_a_restart_never_prolongs_a_hold (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    hold_t hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 6, 1, 2);
    hold.prepare = false;
    hold.ttl_ms = 10000;
    rig_hold (rig, hold);
    for (int i = 0; i < 4; i++)
        rig_restart (rig, 2000);
    assert_int_equal (rig_state (rig, 1), COMMAND_HELD);
    rig_pass (rig, 1999);
    assert_int_equal (rig_state (rig, 1), COMMAND_HELD);
    rig_pass (rig, 1);
    assert_int_equal (rig_state (rig, 1), COMMAND_EXPIRED);
    rig_destroy (rig);
}

static void a_hold_that_ended_while_we_were_down_expires_at_the_start (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    hold_t hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 6, 1, 2);
    hold.prepare = false;
    rig_hold (rig, hold);
    rig_restart (rig, 60000);
    assert_int_equal (rig_state (rig, 1), COMMAND_EXPIRED);
    assert_int_equal (rig_load (rig, 1), 0);
    assert_int_equal (rig->puts, 1);
    rig_destroy (rig);
}

static void a_vote_whose_edge_came_while_we_were_down_gives_back_at_the_start (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_hold (rig, hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 6, 1, 2));
    rig_restart (rig, HOUR_MS);
    assert_int_equal (rig_state (rig, 1), COMMAND_EDGE);
    assert_int_equal (rig_load (rig, 1), 0);
    rig_destroy (rig);
}

static void what_is_booked_stays_booked_when_capacity_has_shrunk (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "r1", 6, 1, 2);
    rig_hold (rig, hold_of (rig, 2, OPERATION_RESERVE, "r2", 0, 4, 1, 2));
    rig->pool.capacity = 3;
    rig_restart (rig, 10);
    assert_int_equal (rig_load (rig, 1), 10);
    assert_int_equal (rig_verb (rig, "Commit", 2).state, COMMAND_COMMITTED);
    rig_destroy (rig);
}

static void a_bad_record_is_told_and_skipped_and_never_stops_a_start (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "r1", 2, 1, 2);
    rig_reserve (rig, 2, "r2", 3, 1, 2);
    rig_hold (rig, hold_of (rig, 3, OPERATION_RESERVE, "r3", 0, 1, 1, 2));
    size_t kept = rig->host.records.count;
    assert_int_equal (kept, 5);
    for (size_t bad = 0; bad < kept; bad++) {
        packed_t good = rig->host.records.list [bad].value;
        for (size_t size = 0; size < good.size; size++) {
            rig->host.records.list [bad].value = packed_copy ((bytes_t){good.data, size});
            rig_restart (rig, 0);
            free (rig->host.records.list [bad].value.data);
            rig->host.records.list [bad].value = good;
        }
        for (size_t at = 0; at < good.size; at += 7) {
            rig->host.records.list [bad].value = packed_copy ((bytes_t){good.data, good.size});
            rig->host.records.list [bad].value.data [at] ^= 0x5a;
            rig_restart (rig, 0);
            free (rig->host.records.list [bad].value.data);
            rig->host.records.list [bad].value = good;
        }
    }
    rig_restart (rig, 0);
    assert_int_equal (rig->host.records.count, kept);
    assert_int_equal (rig_load (rig, 1), 6);
    rig_destroy (rig);
}

static void a_skipped_record_leaves_the_others_and_stays_in_the_store (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "r1", 2, 1, 2);
    rig_reserve (rig, 2, "r2", 3, 1, 2);
    packed_t good = rig->host.records.list [2].value; /* two commands, then r1 */
    assert_int_equal (rig->host.records.list [2].table, TABLE_RESERVATIONS);
    rig->host.records.list [2].value = packed_copy ((bytes_t){(const uint8_t *) "\x07", 1});
    rig_restart (rig, 0);
    assert_int_equal (rig_counter (rig, "bad_records"), 1);
    assert_int_equal (rig_load (rig, 1), 3);
    assert_int_equal (rig->host.records.count, 4);
    free (rig->host.records.list [2].value.data);
    rig->host.records.list [2].value = good;
    rig_destroy (rig);
}

/*  T7: it may have voted, or committed; "aborted" would be a guess. */
static void T7_a_damaged_record_of_a_txid_is_no_information_and_never_a_tombstone (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_hold (rig, hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 2, 1, 2));
    packed_t good = rig->host.records.list [0].value;
    assert_int_equal (rig->host.records.list [0].table, TABLE_COMMANDS);
    rig->host.records.list [0].value = packed_copy ((bytes_t){(const uint8_t *) "\x07", 1});
    rig_restart (rig, 0);

    txid_t txid = txid_numbered (1);
    int64_t later_ms = rig->host.now.wall_ms + HOUR_MS;
    static const char *const verbs [] = {"Prepare", "Renew", "Commit", "Abort"};
    for (size_t i = 0; i < sizeof verbs / sizeof verbs [0]; i++) {
        command_answer_t answer = rig_verb (rig, verbs [i], 1);
        assert_int_equal (answer.state, COMMAND_UNKNOWN);
        assert_int_equal (answer.refusal.reason, REFUSAL_ENDED);
    }
    rig_request (rig, PLANNER, "Resolve",
                 codec_encode (&resolve_request_codec, &(resolve_request_t){txid, later_ms}));
    assert_int_equal (rig_answer (rig).state, COMMAND_UNKNOWN);
    rig_request (rig, PLANNER, "Fence",
                 codec_encode (&fence_request_codec, &(fence_request_t){txid, 1, later_ms}));
    command_answer_t fenced = rig_answer (rig);
    assert_int_equal (fenced.state, COMMAND_UNKNOWN);
    assert_int_not_equal (fenced.refusal.reason,
                          REFUSAL_NONE); /* not fenced: nobody counts on it */
    command_answer_t again = rig_hold (rig, hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 2, 1, 2));
    assert_int_equal (again.refusal.reason, REFUSAL_ENDED);
    rig_request (rig, PLANNER, "Outcome",
                 codec_encode (&decision_request_codec, &(decision_request_t){txid, 0}));
    outcome_answer_t told;
    char why [WHY_BYTES];
    assert_true (codec_decode (&outcome_answer_codec, &told,
                               (bytes_t){rig->reply.data, rig->reply.size}, why));
    assert_int_equal (told.outcome, OUTCOME_LOST);

    /* what replaces it is held, and whoever mends the record finds the vote as it was */
    hold_t instead = hold_of (rig, 2, OPERATION_RESERVE, "r2", 0, 2, 1, 2);
    instead.replaces [instead.replaces_count++] = txid;
    assert_int_equal (rig_hold (rig, instead).state, COMMAND_PREPARED);
    free (rig->host.records.list [0].value.data);
    rig->host.records.list [0].value = good;
    rig_restart (rig, 0);
    assert_int_equal (rig_state (rig, 1), COMMAND_PREPARED);
    assert_int_equal (rig_counter (rig, "bad_records"), 0);
    rig_destroy (rig);
}

/*  The record of a command that has ended is looked at no closer than it must be at a start. */
static void T7_an_ended_command_whose_record_proves_unsound_is_no_information (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_hold (rig, hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 2, 1, 2));
    rig_verb (rig, "Abort", 1);
    packed_t record = rig->host.records.list [0].value;
    uint8_t *endpoint = memmem (record.data, record.size, "sim://lis/tyo", 13);
    assert_non_null (endpoint);
    endpoint [9] = ' '; /* no blank may be in it */
    rig_restart (rig, 0);
    assert_int_equal (rig_counter (rig, "bad_records"), 0);
    for (int i = 0; i < 2; i++) {
        command_answer_t answer = rig_verb (rig, i == 0 ? "Abort" : "Resolve", 1);
        assert_int_equal (answer.state, COMMAND_UNKNOWN);
        assert_int_equal (answer.refusal.reason, REFUSAL_ENDED);
        assert_int_equal (rig_counter (rig, "bad_records"), 1);
    }
    command_answer_t again = rig_hold (rig, hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 2, 1, 2));
    assert_int_equal (again.refusal.reason, REFUSAL_ENDED);
    assert_int_equal (rig->host.records.list [0].table, TABLE_COMMANDS); /* whoever mends it */
    rig_destroy (rig);
}

static void a_request_that_was_carried_out_is_known_after_its_command_has_ended (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "r1", 2, 1, 2);
    for (int i = 0; i < 2; i++) {
        hold_t hold = hold_of (rig, 2, OPERATION_RESERVE, "r2", 0, 2, 1, 2);
        snprintf (hold.plan.request_id, sizeof hold.plan.request_id, "r1@g1");
        command_answer_t answer = rig_hold (rig, hold);
        assert_int_equal (answer.refusal.reason, REFUSAL_CLAIM_ANSWERED);
        txid_t txid = txid_numbered (1);
        assert_int_equal (txid_compare (&answer.refusal.blocker, &txid), 0);
        rig_request (
          rig, PLANNER, "Done",
          codec_encode (&done_request_codec, &(done_request_t){.txids = &txid, .count = 1}));
        rig_pass (rig, 10000); /* the mark is stored */
        rig_restart (rig, 0);
        assert_true (rig_command (rig, 1).done);
    }
    rig_destroy (rig);
}

static void two_changes_of_one_reservation_cannot_both_be_pending (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_hold (rig, hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 2, 1, 2));
    host_in_memory_kept_t first = rig->host.records.list [0];
    first.key = packed_copy ((bytes_t){first.key.data, first.key.size});
    first.value = packed_copy ((bytes_t){first.value.data, first.value.size});
    rig_verb (rig, "Abort", 1);
    rig_hold (rig, hold_of (rig, 2, OPERATION_RESERVE, "r1", 0, 2, 1, 2));
    free (rig->host.records.list [0].key.data);
    free (rig->host.records.list [0].value.data);
    rig->host.records.list [0] = first;
    rig_restart (rig, 0);
    assert_int_equal (rig_counter (rig, "bad_records"), 1);
    assert_int_equal (rig_load (rig, 1), 2);
    rig_destroy (rig);
}

static void a_record_under_the_wrong_key_or_of_another_service_is_skipped (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "r1", 2, 1, 2);
    rig->host.records.list [0].key.data [TXID_BYTES - 1] = 9; /* the command's */
    rig_restart (rig, 0);
    assert_int_equal (rig_counter (rig, "bad_records"), 1);
    assert_int_equal (rig_load (rig, 1), 2); /* the reservation stands by itself */
    rig->host.records.list [0].key.data [TXID_BYTES - 1] = 1;

    size_t key_size = rig->host.records.list [1].key.size;
    rig->host.records.list [1].key.size = 0;
    rig_stop (rig);
    rig_boot (rig);
    assert_int_equal (rig_counter (rig, "bad_records"), 1);
    assert_int_equal (rig_load (rig, 1), 0);
    rig->host.records.list [1].key.size = key_size;

    rig_stop (rig);
    rig->resource.part_kind = PART_CLAIM;
    rig_boot (rig);
    assert_int_equal (rig_counter (rig, "bad_records"), 2);
    rig_stop (rig);
    rig->resource.part_kind = PART_COMPUTE;
    rig_boot (rig);
    assert_int_equal (rig_load (rig, 1), 2);
    rig_destroy (rig);
}

static void a_reservation_whose_part_is_unsound_is_kept_when_another_takes_its_id (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "r1", 2, 1, 2);
    rig_reserve (rig, 2, "r2", 3, 1, 2);
    host_in_memory_kept_t *kept = &rig->host.records.list [2];
    assert_int_equal (kept->table, TABLE_RESERVATIONS);
    uint8_t *class_name = memmem (kept->value.data, kept->value.size, "thin", 4);
    assert_non_null (class_name);
    *class_name = ' '; /* no blank may be in it */
    packed_t unsound = packed_copy (packed_bytes (kept->value));
    rig_restart (rig, 0);
    assert_int_equal (rig_counter (rig, "bad_records"), 1);
    assert_int_equal (rig_load (rig, 1), 3);
    assert_int_equal (rig->host.records.count, 4);

    hold_t hold = hold_of (rig, 3, OPERATION_RESERVE, "r1", 0, 2, 1, 2);
    snprintf (hold.plan.request_id, sizeof hold.plan.request_id, "another@g1");
    assert_int_equal (rig_hold (rig, hold).state, COMMAND_PREPARED);
    assert_int_equal (rig_verb (rig, "Commit", 3).state, COMMAND_COMMITTED);
    const host_in_memory_kept_t *aside = &rig->host.records.list [rig->host.records.count - 1];
    assert_int_equal (aside->table, TABLE_ASIDE);
    assert_int_equal (aside->value.size, unsound.size);
    assert_memory_equal (aside->value.data, unsound.data, unsound.size);
    free (unsound.data);
    rig_destroy (rig);
}

static void a_reservation_whose_command_is_lost_can_still_be_released (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "r1", 2, 1, 2);
    packed_t good = rig->host.records.list [0].value;
    rig->host.records.list [0].value = packed_copy ((bytes_t){(const uint8_t *) "?", 1});
    rig_restart (rig, 0);
    assert_int_equal (rig_load (rig, 1), 2);
    hold_t hold = hold_of (rig, 2, OPERATION_RELEASE, "r1", 1, 0, 1, 2);
    assert_int_equal (rig_hold (rig, hold).state, COMMAND_PREPARED);
    rig_verb (rig, "Commit", 2);
    assert_int_equal (rig_load (rig, 1), 0);
    free (rig->host.records.list [0].value.data);
    rig->host.records.list [0].value = good;
    rig_destroy (rig);
}

/*  --- pruning --- */

static void finished_records_are_pruned_after_their_retention (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "r1", 2, 1, 2);
    txid_t txid = txid_numbered (1);
    rig_request (rig, PLANNER, "Done",
                 codec_encode (&done_request_codec, &(done_request_t){&txid, 1}));
    rig_hold (rig, hold_of (rig, 2, OPERATION_RESERVE, "r2", 0, 2, 1, 2));
    rig_verb (rig, "Abort", 2);
    rig_verb (rig, "Abort", 3);
    assert_int_equal (rig->host.records.count, 4);
    rig_pass (rig, 24 * HOUR_MS - 60000); /* nothing yet */
    assert_int_equal (rig->host.records.count, 4);
    rig_pass (rig, HOUR_MS - 60000); /* the aborted: decide_by + retention */
    assert_int_equal (rig->host.records.count, 3);
    rig_pass (rig, HOUR_MS);
    assert_int_equal (rig->host.records.count, 2); /* the tombstone of unknown date */
    rig_pass (rig, HOUR_MS);                       /* the window's end + retention */
    assert_int_equal (rig->host.records.count, 0);
    assert_int_equal (pool_things (&rig->pool), 0);
    assert_int_equal (rig_counter (rig, "pruned"), 4);
    rig_destroy (rig);
}

/*  Our part is over at hour 2, another site's only at hour 74: until then the others ask us. */
static void a_part_is_kept_until_the_whole_plans_last_window_and_retention_have_passed (
  void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    hold_t hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 2, 1, 2);
    hold.plan.end_ms = WALL_MS + 74 * HOUR_MS;
    rig_hold (rig, hold);
    rig_verb (rig, "Commit", 1);
    txid_t txid = txid_numbered (1);
    rig_request (rig, PLANNER, "Done",
                 codec_encode (&done_request_codec, &(done_request_t){&txid, 1}));
    rig_pass (rig, 40 * HOUR_MS);
    rig_restart (rig, 0);
    rig_pass (rig, 33 * HOUR_MS);
    hold = hold_of (rig, 2, OPERATION_RELEASE, "r1", 1, 0, 1, 2);
    hold.plan.edge_ms = hold.plan.end_ms = WALL_MS + 74 * HOUR_MS;
    assert_int_equal (rig_hold (rig, hold).state, COMMAND_PREPARED);
    rig_verb (rig, "Abort", 2);
    rig_pass (rig, 24 * HOUR_MS); /* hour 97 */
    assert_int_equal (rig_state (rig, 1), COMMAND_COMMITTED);
    rig_pass (rig, 25 * HOUR_MS);
    assert_int_equal (rig_state (rig, 1), COMMAND_UNKNOWN);
    assert_int_equal (rig->host.records.count, 0);
    rig_destroy (rig);
}

/*  A change that moves another site's window out takes what is kept here along. */
static void a_change_prolongs_how_long_a_part_is_kept_but_never_shortens_it (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    hold_t hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 2, 1, 2);
    hold.plan.end_ms = WALL_MS + 50 * HOUR_MS;
    rig_hold (rig, hold);
    rig_verb (rig, "Commit", 1);
    hold = hold_of (rig, 2, OPERATION_MODIFY, "r1", 1, 3, 1, 2);
    hold.plan.end_ms = WALL_MS + 2 * HOUR_MS;
    rig_hold (rig, hold);
    rig_verb (rig, "Commit", 2);
    txid_t txids [] = {txid_numbered (1), txid_numbered (2)};
    rig_request (rig, PLANNER, "Done",
                 codec_encode (&done_request_codec, &(done_request_t){txids, 2}));
    rig_pass (rig, 73 * HOUR_MS);
    hold = hold_of (rig, 3, OPERATION_RELEASE, "r1", 2, 0, 1, 2);
    hold.plan.edge_ms = WALL_MS + 80 * HOUR_MS;
    assert_int_equal (rig_hold (rig, hold).state, COMMAND_PREPARED);
    rig_destroy (rig);
}

static void a_commit_not_acknowledged_by_all_is_kept_and_asked_about (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "r1", 2, 1, 2);
    rig_pass (rig, 27 * HOUR_MS);
    assert_int_equal (rig_state (rig, 1), COMMAND_COMMITTED);
    rig_tell_outcome (rig, 1, OUTCOME_COMMITTED, false);
    rig_pass (rig, HOUR_MS);
    assert_int_equal (rig_state (rig, 1), COMMAND_COMMITTED);
    rig_tell_silence (rig, "Outcome");
    rig_pass (rig, HOUR_MS);
    assert_int_equal (rig_state (rig, 1), COMMAND_COMMITTED);
    rig_tell_outcome (rig, 1, OUTCOME_COMMITTED, true);
    rig_pass (rig, HOUR_MS);
    assert_int_equal (rig_state (rig, 1), COMMAND_UNKNOWN);
    assert_int_equal (rig->host.records.count, 0);
    rig_destroy (rig);
}

static void T5_a_coordinator_forgets_a_commit_only_when_all_have_acknowledged (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "r1", 2, 1, 2);
    rig_pass (rig, 27 * HOUR_MS);
    rig_tell_outcome (rig, 1, OUTCOME_ABORTED, false);
    rig_pass (rig, HOUR_MS);
    assert_int_equal (rig_state (rig, 1), COMMAND_UNKNOWN);
    rig_destroy (rig);
}

static void what_is_undecided_is_never_pruned (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_hold (rig, hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 2, 1, 2));
    for (int hour = 0; hour < 40; hour++) {
        rig_pass (rig, HOUR_MS);
        rig_forget_calls (rig);
    }
    assert_int_equal (rig_state (rig, 1), COMMAND_EDGE);
    assert_int_equal (rig->host.records.count, 1);
    rig_destroy (rig);
}

static void pruning_looks_at_a_bounded_number_in_one_go_and_goes_on_at_once (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    for (uint64_t i = 1; i <= 1000; i++)
        rig_verb (rig, "Abort", i);
    rig_pass (rig, 25 * HOUR_MS);
    assert_int_equal (rig->host.records.count, 1000);
    size_t most = 0;
    int goes = 0;
    for (int step = 0; step < 1000000 && rig->host.records.count > 0; step++) {
        size_t before = rig->host.records.count;
        rig_pass (rig, PRUNE_GO_MS);
        goes += before < 1000 || rig->host.records.count < 1000;
        if (before - rig->host.records.count > most)
            most = before - rig->host.records.count;
    }
    assert_int_equal (rig->host.records.count, 0);
    assert_int_equal (most, 256);
    assert_int_equal (goes, 4);
    rig_destroy (rig);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (everything_flushed_is_there_after_a_restart),
      cmocka_unit_test (the_answer_to_a_repeat_survives_a_restart),
      cmocka_unit_test (R1_a_restart_never_prolongs_a_hold),
      cmocka_unit_test (a_hold_that_ended_while_we_were_down_expires_at_the_start),
      cmocka_unit_test (a_vote_whose_edge_came_while_we_were_down_gives_back_at_the_start),
      cmocka_unit_test (what_is_booked_stays_booked_when_capacity_has_shrunk),
      cmocka_unit_test (a_bad_record_is_told_and_skipped_and_never_stops_a_start),
      cmocka_unit_test (a_skipped_record_leaves_the_others_and_stays_in_the_store),
      cmocka_unit_test (T7_a_damaged_record_of_a_txid_is_no_information_and_never_a_tombstone),
      cmocka_unit_test (T7_an_ended_command_whose_record_proves_unsound_is_no_information),
      cmocka_unit_test (a_request_that_was_carried_out_is_known_after_its_command_has_ended),
      cmocka_unit_test (two_changes_of_one_reservation_cannot_both_be_pending),
      cmocka_unit_test (a_record_under_the_wrong_key_or_of_another_service_is_skipped),
      cmocka_unit_test (a_reservation_whose_part_is_unsound_is_kept_when_another_takes_its_id),
      cmocka_unit_test (a_reservation_whose_command_is_lost_can_still_be_released),
      cmocka_unit_test (finished_records_are_pruned_after_their_retention),
      cmocka_unit_test (a_part_is_kept_until_the_whole_plans_last_window_and_retention_have_passed),
      cmocka_unit_test (a_change_prolongs_how_long_a_part_is_kept_but_never_shortens_it),
      cmocka_unit_test (a_commit_not_acknowledged_by_all_is_kept_and_asked_about),
      cmocka_unit_test (T5_a_coordinator_forgets_a_commit_only_when_all_have_acknowledged),
      cmocka_unit_test (what_is_undecided_is_never_pruned),
      cmocka_unit_test (pruning_looks_at_a_bounded_number_in_one_go_and_goes_on_at_once),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
