/*  Participants in doubt: which services they ask, what they take as evidence, what they tell
 *  others, and what happens at the edge (T5, T7, T9, T10, T16).
 */
#include "participant_fixture.h"

static participant_rig_t *rig_voted (void)
{
    participant_rig_t *rig = rig_started (10);
    command_answer_t answer = rig_hold (rig, hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 6, 1, 2));
    assert_int_equal (answer.state, COMMAND_PREPARED);
    return rig;
}

/*  --- asking the coordinator --- */

static void T7_a_vote_asks_the_coordinators_very_store (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_voted ();
    rig_pass (rig, 1999);
    assert_int_equal (rig->asked_count, 0);
    rig_pass (rig, 1);
    assert_int_equal (rig->asked_count, 1);
    const asked_t *asked = rig_asked (rig, "Outcome");
    assert_string_equal (asked->service, "Coordinator");
    assert_string_equal (asked->endpoint, "sim://" PLANNER);
    assert_int_equal (asked->to_store [0], 0x11);
    assert_int_equal (asked->to_store [15], 0x11);
    rig_destroy (rig);
}

static void a_decision_in_time_asks_nobody (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_voted ();
    rig_verb (rig, "Commit", 1);
    rig_pass (rig, 60000);
    assert_int_equal (rig->asked_count, 0);
    rig_destroy (rig);
}

static void T7_committed_by_the_coordinator_commits (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_voted ();
    rig_pass (rig, 2000);
    rig_tell_outcome (rig, 1, OUTCOME_COMMITTED, false);
    assert_int_equal (rig_state (rig, 1), COMMAND_COMMITTED);
    assert_int_equal (rig->puts, 2);
    assert_int_equal (rig_counter (rig, "doubts_resolved"), 1);
    rig_pass (rig, 60000);
    assert_int_equal (rig->asked_count, 1);
    rig_destroy (rig);
}

static void T7_aborted_by_the_coordinator_aborts (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_voted ();
    rig_pass (rig, 2000);
    rig_tell_outcome (rig, 1, OUTCOME_ABORTED, false);
    assert_int_equal (rig_state (rig, 1), COMMAND_ABORTED);
    assert_int_equal (rig_load (rig, 1), 0);
    rig_destroy (rig);
}

static void T7_pending_before_decide_by_waits (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_voted ();
    rig_pass (rig, 2000);
    rig_tell_outcome (rig, 1, OUTCOME_PENDING, false);
    assert_null (rig_asked (rig, "Resolve"));
    rig_pass (rig, 2000);
    assert_non_null (rig_asked (rig, "Outcome"));
    assert_int_equal (rig_state (rig, 1), COMMAND_PREPARED);
    rig_destroy (rig);
}

static void T7_pending_past_decide_by_asks_the_others (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_voted ();
    for (int i = 0; i < 20 && !rig_asked (rig, "Resolve"); i++) {
        rig_pass (rig, 1000);
        if (rig_asked (rig, "Outcome"))
            rig_tell_outcome (rig, 1, OUTCOME_PENDING, false);
    }
    assert_non_null (rig_asked (rig, "Resolve"));
    assert_true (rig->host.now.wall_ms >= WALL_MS + 10000);
    assert_int_equal (rig_state (rig, 1), COMMAND_PREPARED);
    rig_destroy (rig);
}

/*  Without information from the coordinator: whatever the reason, the others are asked. */
static void asks_others_after (participant_rig_t *rig)
{
    const asked_t *asked = rig_asked (rig, "Resolve");
    assert_non_null (asked);
    assert_string_equal (asked->service, "Participant");
    assert_string_equal (asked->endpoint, "sim://lis/tyo");
    assert_int_equal (asked->to_store [0], 0xbb);
    assert_int_equal (rig->asked_count, 3); /* the coordinator, and two others: not itself */
    assert_int_equal (rig->asked [2].to_store [0], 0xcc);
    assert_int_equal (rig_state (rig, 1), COMMAND_PREPARED);
    rig_destroy (rig);
}

static void T7_silence_asks_the_others (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_voted ();
    rig_pass (rig, 2000);
    rig_tell_silence (rig, "Outcome");
    asks_others_after (rig);
}

static void T5_lost_is_no_information (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_voted ();
    rig_pass (rig, 2000);
    rig_tell_outcome (rig, 1, OUTCOME_LOST, false);
    asks_others_after (rig);
}

static void T16_another_store_at_the_address_is_no_information (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_voted ();
    rig_pass (rig, 2000);
    txid_t txid = txid_numbered (1);
    rig_tell (
      rig, rig_asked (rig, "Outcome"), CALL_OK,
      codec_encode (&outcome_answer_codec, &(outcome_answer_t){txid, OUTCOME_ABORTED, false}),
      0x77);
    asks_others_after (rig);

    rig = rig_voted ();
    rig_pass (rig, 2000);
    rig_tell (rig, rig_asked (rig, "Outcome"), CALL_WRONG_STORE, (packed_t){0}, 0x77);
    asks_others_after (rig);
}

static void an_answer_about_another_txid_is_no_information (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_voted ();
    rig_pass (rig, 2000);
    rig_tell_outcome (rig, 2, OUTCOME_COMMITTED, false);
    asks_others_after (rig);
}

static void an_answer_that_is_not_understood_is_no_information (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_voted ();
    rig_pass (rig, 2000);
    rig_tell (rig, rig_asked (rig, "Outcome"), CALL_OK,
              packed_copy ((bytes_t){(const uint8_t *) "\xff\xff", 2}), 0x11);
    asks_others_after (rig);
}

/*  --- asking the others --- */

static participant_rig_t *rig_asking_others (void)
{
    participant_rig_t *rig = rig_voted ();
    rig_pass (rig, 2000);
    rig_tell_silence (rig, "Outcome");
    return rig;
}

static void T7_committed_by_another_commits (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_asking_others ();
    rig_tell_state (rig, 1, COMMAND_COMMITTED);
    assert_int_equal (rig_state (rig, 1), COMMAND_COMMITTED);
    rig_destroy (rig);
}

static void T7_aborted_by_another_aborts (void **state)
{
    (void) state;
    static const command_state_t words [] = {COMMAND_ABORTED, COMMAND_EXPIRED};
    for (size_t i = 0; i < 2; i++) {
        participant_rig_t *rig = rig_asking_others ();
        rig_tell_state (rig, 1, COMMAND_PREPARED);
        assert_int_equal (rig_state (rig, 1), COMMAND_PREPARED);
        rig_tell_state (rig, 1, words [i]);
        assert_int_equal (rig_state (rig, 1), COMMAND_ABORTED);
        rig_destroy (rig);
    }
}

static void T7_edge_and_silence_of_others_are_no_information (void **state)
{
    (void) state;
    static const command_state_t words [] = {COMMAND_EDGE, COMMAND_EDGE_REFUSED, COMMAND_PREPARED,
                                             COMMAND_HELD, COMMAND_UNKNOWN};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        participant_rig_t *rig = rig_asking_others ();
        rig_tell_state (rig, 1, words [i]);
        rig_tell_silence (rig, "Resolve");
        assert_int_equal (rig_state (rig, 1), COMMAND_PREPARED);
        assert_int_equal (rig_load (rig, 1), 6);
        rig_pass (rig, 2000); /* it asks again, the coordinator first */
        assert_non_null (rig_asked (rig, "Outcome"));
        rig_destroy (rig);
    }
}

static void T16_another_store_cannot_abort_for_a_participant (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_asking_others ();
    command_answer_t answer = {.txid = txid_numbered (1), .state = COMMAND_ABORTED};
    rig_tell (rig, rig_asked (rig, "Resolve"), CALL_OK,
              codec_encode (&command_answer_codec, &answer), 0x99);
    assert_int_equal (rig_state (rig, 1), COMMAND_PREPARED);
    rig_destroy (rig);
}

static void questions_back_off_and_never_end_while_in_doubt (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_hold (rig, hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 6, 10, 12));
    int asked = 0;
    int64_t last_ms = rig->host.now.mono_ms;
    int64_t longest_ms = 0;
    for (int second = 0; second < 600; second++) {
        rig_pass (rig, 1000);
        while (rig_asked (rig, "Outcome")) {
            asked++;
            int64_t pause_ms = rig->host.now.mono_ms - last_ms;
            longest_ms = pause_ms > longest_ms ? pause_ms : longest_ms;
            last_ms = rig->host.now.mono_ms;
            rig_tell_silence (rig, "Outcome");
        }
        while (rig_asked (rig, "Resolve"))
            rig_tell_silence (rig, "Resolve");
        rig_forget_calls (rig);
    }
    assert_in_range (asked, 600 / 16, 600 / 7 + 4);
    assert_in_range (longest_ms, 8000, 16000);
    assert_int_equal (rig_state (rig, 1), COMMAND_PREPARED);
    rig_destroy (rig);
}

static void a_decision_while_asking_ends_the_questions (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_asking_others ();
    rig_verb (rig, "Abort", 1);
    assert_int_equal (rig_state (rig, 1), COMMAND_ABORTED);
    rig_tell_state (rig, 1, COMMAND_PREPARED); /* late answers are ignored */
    rig_pass (rig, 60000);
    assert_int_equal (rig->asked_count, 3);
    rig_destroy (rig);
}

static void T7_doubt_goes_on_after_a_restart (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_voted ();
    rig_restart (rig, 100);
    rig_pass (rig, 2000);
    rig_tell_outcome (rig, 1, OUTCOME_COMMITTED, true);
    assert_int_equal (rig_state (rig, 1), COMMAND_COMMITTED);
    rig_destroy (rig);
}

/*  --- being asked --- */

static void T7_held_command_is_tombstoned_by_resolve (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    hold_t hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 6, 1, 2);
    hold.prepare = false;
    rig_hold (rig, hold);
    command_answer_t answer = rig_verb_as (rig, "lis/tyo", "Resolve", 1);
    assert_int_equal (answer.state, COMMAND_ABORTED);
    assert_int_equal (rig->puts, 1);
    assert_int_equal (rig_load (rig, 1), 0);
    answer = rig_verb (rig, "Prepare", 1);
    assert_int_equal (answer.refusal.reason, REFUSAL_ENDED);
    assert_int_equal (answer.state, COMMAND_ABORTED);
    rig_destroy (rig);
}

static void T7_unknown_command_is_tombstoned_by_resolve (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    command_answer_t answer = rig_verb_as (rig, "gis/g1", "Resolve", 1);
    assert_int_equal (answer.state, COMMAND_ABORTED);
    assert_int_equal (rig->puts, 1);
    rig_restart (rig, 10);
    answer = rig_hold (rig, hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 6, 1, 2));
    assert_int_equal (answer.refusal.reason, REFUSAL_ENDED);
    assert_int_equal (answer.state, COMMAND_ABORTED);
    rig_destroy (rig);
}

static void T7_expired_says_aborted (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    hold_t hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 6, 1, 2);
    hold.prepare = false;
    rig_hold (rig, hold);
    rig_pass (rig, 60000);
    assert_int_equal (rig_verb_as (rig, "lis/tyo", "Resolve", 1).state, COMMAND_ABORTED);
    assert_int_equal (rig_state (rig, 1), COMMAND_EXPIRED);
    rig_destroy (rig);
}

static void T7_a_vote_is_not_shaken_by_resolve (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_voted ();
    assert_int_equal (rig_verb_as (rig, "lis/tyo", "Resolve", 1).state, COMMAND_PREPARED);
    assert_int_equal (rig->puts, 0);
    rig_verb (rig, "Commit", 1);
    assert_int_equal (rig_verb_as (rig, "lis/tyo", "Resolve", 1).state, COMMAND_COMMITTED);
    rig_destroy (rig);
}

static void T7_resolve_is_for_participants_and_planners_only (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    hold_t hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 6, 1, 2);
    hold.prepare = false;
    rig_hold (rig, hold);
    static const char *const strangers [] = {"alice", "root", "lis/osa", "", "lis/", "planner/"};
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++) {
        command_answer_t answer = rig_verb_as (rig, strangers [i], "Resolve", 1);
        assert_int_equal (answer.refusal.reason, REFUSAL_MAY_NOT);
        assert_int_equal (answer.state, COMMAND_UNKNOWN);
    }
    assert_int_equal (rig_verb_as (rig, "alice", "Resolve", 2).refusal.reason, REFUSAL_MAY_NOT);
    assert_int_equal (rig_state (rig, 1), COMMAND_HELD);
    assert_int_equal (rig_verb_as (rig, OTHER_PLANNER, "Resolve", 1).state, COMMAND_ABORTED);
    rig_destroy (rig);
}

static outcome_t outcome (participant_rig_t *rig, const char *caller, uint64_t counter)
{
    txid_t txid = txid_numbered (counter);
    rig_request (rig, caller, "Outcome",
                 codec_encode (&decision_request_codec, &(decision_request_t){txid, 0}));
    assert_int_equal (rig->status, CALL_OK);
    assert_int_equal (rig->puts, 0);
    outcome_answer_t told;
    char why [WHY_BYTES];
    assert_true (codec_decode (&outcome_answer_codec, &told,
                               (bytes_t){rig->reply.data, rig->reply.size}, why));
    return told.outcome;
}

static void T7_outcome_only_reads (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    assert_int_equal (outcome (rig, "lis/tyo", 1), OUTCOME_LOST);
    hold_t hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 6, 1, 2);
    hold.prepare = false;
    rig_hold (rig, hold);
    assert_int_equal (outcome (rig, "lis/tyo", 1), OUTCOME_PENDING);
    rig_verb (rig, "Prepare", 1);
    assert_int_equal (outcome (rig, "lis/tyo", 1), OUTCOME_PENDING);
    rig_verb (rig, "Commit", 1);
    assert_int_equal (outcome (rig, OTHER_PLANNER, 1), OUTCOME_COMMITTED);
    rig_verb (rig, "Abort", 2);
    assert_int_equal (outcome (rig, "lis/tyo", 2), OUTCOME_ABORTED);
    txid_t txid = txid_numbered (1);
    rig_request (rig, "alice", "Outcome",
                 codec_encode (&decision_request_codec, &(decision_request_t){txid, 0}));
    assert_int_equal (rig->status, CALL_DENIED);
    rig_destroy (rig);
}

/*  --- the edge --- */

static void T9_a_vote_at_its_edge_gives_back_loudly (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_voted ();
    rig_pass (rig, HOUR_MS - 1);
    assert_int_equal (rig_state (rig, 1), COMMAND_PREPARED);
    assert_int_equal (rig->alarms, 0);
    rig_pass (rig, 1);
    assert_int_equal (rig_state (rig, 1), COMMAND_EDGE);
    assert_int_equal (rig_load (rig, 1), 0);
    assert_int_equal (rig->alarms, 1);
    assert_int_equal (rig_verb_as (rig, "lis/tyo", "Resolve", 1).state, COMMAND_EDGE);
    assert_int_equal (outcome (rig, "lis/tyo", 1), OUTCOME_LOST);
    assert_int_equal (rig_verb (rig, "Prepare", 1).state, COMMAND_EDGE);
    rig_destroy (rig);
}

static void T9_commit_readmits_into_a_free_window (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_voted ();
    rig_pass (rig, HOUR_MS + 1000);
    command_answer_t answer = rig_verb (rig, "Commit", 1);
    assert_int_equal (answer.state, COMMAND_COMMITTED);
    assert_true (answer.late);
    assert_int_equal (rig_load (rig, 1), 6);
    assert_true (rig_verb (rig, "Commit", 1).late);
    rig_restart (rig, 10);
    assert_true (rig_verb (rig, "Commit", 1).late);
    assert_int_equal (rig_load (rig, 1), 6);
    rig_destroy (rig);
}

static void T9_commit_into_a_window_that_is_gone_is_refused_for_ever (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_voted ();
    rig_pass (rig, HOUR_MS - 1000);
    hold_t hold = hold_of (rig, 2, OPERATION_RESERVE, "r2", 0, 4, 1, 2);
    rig_hold (rig, hold);
    rig_verb (rig, "Commit", 2);
    rig_pass (rig, 1000);
    rig->pool.capacity = 9; /* nodes lost: 4 are booked, 6 do not fit */
    command_answer_t answer = rig_verb (rig, "Commit", 1);
    assert_int_equal (answer.refusal.reason, REFUSAL_ENDED);
    assert_int_equal (answer.state, COMMAND_EDGE_REFUSED);
    rig->pool.capacity = 10;
    assert_int_equal (rig_verb (rig, "Commit", 1).state, COMMAND_EDGE_REFUSED);
    assert_int_equal (rig_verb (rig, "Abort", 1).state, COMMAND_EDGE_REFUSED);
    assert_int_equal (rig_verb_as (rig, "lis/tyo", "Resolve", 1).state, COMMAND_EDGE_REFUSED);
    assert_int_equal (rig_load (rig, 1), 4);
    rig_restart (rig, 10);
    assert_int_equal (rig_verb (rig, "Commit", 1).state, COMMAND_EDGE_REFUSED);
    rig_destroy (rig);
}

static void T9_commit_after_the_whole_window_is_refused (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_voted ();
    rig_pass (rig, 2 * HOUR_MS);
    assert_int_equal (rig_verb (rig, "Commit", 1).state, COMMAND_EDGE_REFUSED);
    rig_destroy (rig);
}

static void T9_abort_at_the_edge_ends_it (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_voted ();
    rig_pass (rig, HOUR_MS);
    assert_int_equal (rig_verb (rig, "Abort", 1).state, COMMAND_ABORTED);
    rig_destroy (rig);
}

static void T9_the_doubt_goes_on_past_the_edge (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_voted ();
    rig_pass (rig, HOUR_MS);
    rig_restart (rig, 10);
    assert_int_equal (rig_state (rig, 1), COMMAND_EDGE);
    rig_pass (rig, 2000);
    rig_tell_outcome (rig, 1, OUTCOME_COMMITTED, false);
    assert_int_equal (rig_state (rig, 1), COMMAND_COMMITTED);
    assert_int_equal (rig_load (rig, 1), 6);
    rig_destroy (rig);
}

static void T15_a_stepped_clock_alone_makes_no_edge (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_voted ();
    rig->host.now.wall_ms += 2 * HOUR_MS;
    rig_pass (rig, 120000);
    assert_int_equal (rig_state (rig, 1), COMMAND_PREPARED);
    assert_int_equal (rig_verb (rig, "Commit", 1).state, COMMAND_COMMITTED);
    assert_int_equal (rig->alarms, 1); /* the step was told */
    rig_destroy (rig);
}

static void T15_a_clock_put_back_does_not_hide_the_edge_for_long (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_voted ();
    rig->host.now.wall_ms -= 5 * HOUR_MS;
    rig_pass (rig, HOUR_MS);
    assert_int_equal (rig_state (rig, 1), COMMAND_PREPARED);
    rig->host.now.wall_ms += 5 * HOUR_MS;
    rig_pass (rig, 60000);
    assert_int_equal (rig_state (rig, 1), COMMAND_EDGE);
    rig_destroy (rig);
}

static void T15_a_clock_put_right_does_not_put_the_edge_off (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig->host.now.wall_ms += 30 * 60000; /* it was half an hour slow when we started */
    rig_hold (rig, hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 6, 1, 2));
    rig_pass (rig, 30 * 60000 - 1);
    assert_int_equal (rig_state (rig, 1), COMMAND_PREPARED);
    rig_pass (rig, 1);
    assert_int_equal (rig_state (rig, 1), COMMAND_EDGE);
    rig_destroy (rig);
}

static void T7_a_plan_of_one_asks_its_coordinator_again_and_again (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    hold_t hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 6, 1, 2);
    hold.plan.participants_count = 1;
    *hold.plan.home = '\0';
    rig_hold (rig, hold);
    for (int i = 0; i < 3; i++) {
        rig_pass (rig, 15000);
        rig_tell_silence (rig, "Outcome");
    }
    assert_null (rig_asked (rig, "Resolve"));
    rig_pass (rig, 15000);
    rig_tell_outcome (rig, 1, OUTCOME_ABORTED, false);
    assert_int_equal (rig_state (rig, 1), COMMAND_ABORTED);
    rig_destroy (rig);
}

static int64_t tombstone_for_ms (int64_t decide_by_ms)
{
    participant_rig_t *rig = rig_started (10);
    txid_t txid = txid_numbered (1);
    rig_request (rig, "lis/tyo", "Resolve",
                 codec_encode (&resolve_request_codec, &(resolve_request_t){txid, decide_by_ms}));
    assert_int_equal (rig_answer (rig).state, COMMAND_ABORTED);
    int64_t minutes = 0;
    while (rig->host.records.count > 0 && minutes < 5000) {
        rig_pass (rig, 60000);
        minutes++;
    }
    rig_destroy (rig);
    return minutes * 60000;
}

static void T15_tombstones_live_to_decide_by_and_retention (void **state)
{
    (void) state;
    int64_t day_ms = 24 * HOUR_MS;
    int64_t sweep_ms = 15 * 60000;
    assert_in_range (tombstone_for_ms (0), day_ms, day_ms + sweep_ms);
    assert_in_range (tombstone_for_ms (WALL_MS + HOUR_MS), day_ms + HOUR_MS,
                     day_ms + HOUR_MS + sweep_ms);
    /* a sender can't make it keep a tombstone for ever */
    assert_in_range (tombstone_for_ms (WALL_MS + 1000 * day_ms), 2 * day_ms, 2 * day_ms + sweep_ms);
}

static void T10_edge_refused_counts_as_the_new_version_with_nothing (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_voted ();
    rig_pass (rig, 2 * HOUR_MS);
    rig_verb (rig, "Commit", 1);
    hold_t hold = hold_of (rig, 2, OPERATION_RELEASE, "r1", 1, 0, 4, 5);
    assert_int_equal (rig_hold (rig, hold).state, COMMAND_PREPARED);
    assert_int_equal (rig_verb (rig, "Commit", 2).state, COMMAND_COMMITTED);
    rig_destroy (rig);
}

static void T10_edge_refused_modify_keeps_what_it_had_of_the_old (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "r1", 6, 4, 6);
    rig_hold (rig, hold_of (rig, 2, OPERATION_MODIFY, "r1", 1, 8, 1, 2));
    rig_pass (rig, HOUR_MS);
    assert_int_equal (rig_state (rig, 2), COMMAND_EDGE);
    assert_int_equal (rig_load (rig, 4), 6);
    rig->pool.capacity = 7;
    assert_int_equal (rig_verb (rig, "Commit", 2).state, COMMAND_EDGE_REFUSED);
    assert_int_equal (rig_load (rig, 4), 6);
    rig_restart (rig, 10);
    assert_int_equal (rig_load (rig, 4), 6);
    assert_int_equal (
      rig_hold (rig, hold_of (rig, 3, OPERATION_RELEASE, "r1", 1, 0, 4, 5)).refusal.reason,
      REFUSAL_STALE_VERSION);
    assert_int_equal (rig_hold (rig, hold_of (rig, 4, OPERATION_RELEASE, "r1", 2, 0, 4, 5)).state,
                      COMMAND_PREPARED);
    rig_verb (rig, "Commit", 4);
    assert_int_equal (rig_load (rig, 4), 0);
    rig_destroy (rig);
}

static void T11_a_change_at_its_edge_is_still_pending (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "r1", 6, 4, 6);
    rig_hold (rig, hold_of (rig, 2, OPERATION_MODIFY, "r1", 1, 8, 1, 3));
    rig_pass (rig, HOUR_MS);
    assert_int_equal (
      rig_hold (rig, hold_of (rig, 3, OPERATION_MODIFY, "r1", 1, 2, 4, 5)).refusal.reason,
      REFUSAL_BUSY_CHANGE);
    rig_destroy (rig);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (T7_a_vote_asks_the_coordinators_very_store),
      cmocka_unit_test (a_decision_in_time_asks_nobody),
      cmocka_unit_test (T7_committed_by_the_coordinator_commits),
      cmocka_unit_test (T7_aborted_by_the_coordinator_aborts),
      cmocka_unit_test (T7_pending_before_decide_by_waits),
      cmocka_unit_test (T7_pending_past_decide_by_asks_the_others),
      cmocka_unit_test (T7_silence_asks_the_others),
      cmocka_unit_test (T5_lost_is_no_information),
      cmocka_unit_test (T16_another_store_at_the_address_is_no_information),
      cmocka_unit_test (an_answer_about_another_txid_is_no_information),
      cmocka_unit_test (an_answer_that_is_not_understood_is_no_information),
      cmocka_unit_test (T7_committed_by_another_commits),
      cmocka_unit_test (T7_aborted_by_another_aborts),
      cmocka_unit_test (T7_edge_and_silence_of_others_are_no_information),
      cmocka_unit_test (T16_another_store_cannot_abort_for_a_participant),
      cmocka_unit_test (questions_back_off_and_never_end_while_in_doubt),
      cmocka_unit_test (a_decision_while_asking_ends_the_questions),
      cmocka_unit_test (T7_doubt_goes_on_after_a_restart),
      cmocka_unit_test (T7_held_command_is_tombstoned_by_resolve),
      cmocka_unit_test (T7_unknown_command_is_tombstoned_by_resolve),
      cmocka_unit_test (T7_expired_says_aborted),
      cmocka_unit_test (T7_a_vote_is_not_shaken_by_resolve),
      cmocka_unit_test (T7_resolve_is_for_participants_and_planners_only),
      cmocka_unit_test (T7_outcome_only_reads),
      cmocka_unit_test (T9_a_vote_at_its_edge_gives_back_loudly),
      cmocka_unit_test (T9_commit_readmits_into_a_free_window),
      cmocka_unit_test (T9_commit_into_a_window_that_is_gone_is_refused_for_ever),
      cmocka_unit_test (T9_commit_after_the_whole_window_is_refused),
      cmocka_unit_test (T9_abort_at_the_edge_ends_it),
      cmocka_unit_test (T9_the_doubt_goes_on_past_the_edge),
      cmocka_unit_test (T15_a_stepped_clock_alone_makes_no_edge),
      cmocka_unit_test (T15_a_clock_put_back_does_not_hide_the_edge_for_long),
      cmocka_unit_test (T15_a_clock_put_right_does_not_put_the_edge_off),
      cmocka_unit_test (T7_a_plan_of_one_asks_its_coordinator_again_and_again),
      cmocka_unit_test (T15_tombstones_live_to_decide_by_and_retention),
      cmocka_unit_test (T10_edge_refused_counts_as_the_new_version_with_nothing),
      cmocka_unit_test (T10_edge_refused_modify_keeps_what_it_had_of_the_old),
      cmocka_unit_test (T11_a_change_at_its_edge_is_still_pending),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
