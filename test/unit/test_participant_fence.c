/*  Fencing at a participant (T8): which actors may fence, what is flushed, which decisions are
 *  refused from then on, and what is still evidence.
 */
#include "participant_fixture.h"

static participant_rig_t *rig_voted (void)
{
    participant_rig_t *rig = rig_started (10);
    command_answer_t answer = rig_hold (rig, hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 6, 1, 2));
    assert_int_equal (answer.state, COMMAND_PREPARED);
    return rig;
}

static command_answer_t fence (participant_rig_t *rig, const char *caller, uint64_t counter,
                               uint32_t epoch)
{
    txid_t txid = txid_numbered (counter);
    rig_request (rig, caller, "Fence",
                 codec_encode (&fence_request_codec,
                               &(fence_request_t){txid, epoch, rig->host.now.wall_ms + 10000}));
    return rig_answer (rig);
}

static command_answer_t decide (participant_rig_t *rig, const char *caller, const char *method,
                                uint64_t counter, uint32_t epoch)
{
    txid_t txid = txid_numbered (counter);
    rig_request (rig, caller, method,
                 codec_encode (&decision_request_codec, &(decision_request_t){txid, epoch}));
    return rig_answer (rig);
}

/*  The state it ends with, and why the verb was refused. */
static void expect (command_answer_t answer, command_state_t state, refusal_reason_t reason,
                    uint32_t epoch)
{
    assert_int_equal (answer.state, state);
    assert_int_equal (answer.refusal.reason, reason);
    assert_int_equal (answer.epoch, epoch);
    codec_clear (&command_answer_codec, &answer);
}

static void T8_a_fenced_vote_stands_and_refuses_its_coordinator (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_voted ();
    expect (fence (rig, OTHER_PLANNER, 1, 1), COMMAND_PREPARED, REFUSAL_NONE, 1);
    assert_int_equal (rig->puts, 1); /* in the write that lets the answer leave */
    assert_int_equal (rig_load (rig, 1), 6);
    expect (decide (rig, PLANNER, "Commit", 1, 0), COMMAND_PREPARED, REFUSAL_FENCED, 1);
    expect (decide (rig, PLANNER, "Abort", 1, 0), COMMAND_PREPARED, REFUSAL_FENCED, 1);
    assert_int_equal (rig->puts, 0);
    assert_int_equal (rig_state (rig, 1), COMMAND_PREPARED);
    rig_destroy (rig);
}

static void T8_the_epoch_survives_a_restart (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_voted ();
    expect (fence (rig, OTHER_PLANNER, 1, 3), COMMAND_PREPARED, REFUSAL_NONE, 3);
    rig_restart (rig, 1000);
    expect (decide (rig, PLANNER, "Commit", 1, 0), COMMAND_PREPARED, REFUSAL_FENCED, 3);
    expect (decide (rig, OTHER_PLANNER, "Commit", 1, 3), COMMAND_COMMITTED, REFUSAL_NONE, 3);
    rig_destroy (rig);
}

static void T8_who_fenced_decides_either_way (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_voted ();
    expect (fence (rig, OTHER_PLANNER, 1, 1), COMMAND_PREPARED, REFUSAL_NONE, 1);
    expect (decide (rig, OTHER_PLANNER, "Abort", 1, 1), COMMAND_ABORTED, REFUSAL_NONE, 1);
    assert_int_equal (rig_load (rig, 1), 0);
    expect (decide (rig, OTHER_PLANNER, "Abort", 1, 1), COMMAND_ABORTED, REFUSAL_NONE, 1);
    /* what its coordinator is told by then: over, and by a fence */
    expect (decide (rig, PLANNER, "Commit", 1, 0), COMMAND_ABORTED, REFUSAL_ENDED, 1);
    rig_destroy (rig);
}

static void T8_no_epoch_that_the_caller_has_not_set_decides (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_voted ();
    expect (decide (rig, OTHER_PLANNER, "Commit", 1, 1), COMMAND_UNKNOWN, REFUSAL_MAY_NOT, 0);
    expect (decide (rig, PLANNER, "Commit", 1, 1), COMMAND_UNKNOWN, REFUSAL_MAY_NOT, 0);
    expect (fence (rig, OTHER_PLANNER, 1, 2), COMMAND_PREPARED, REFUSAL_NONE, 2);
    expect (decide (rig, PLANNER, "Commit", 1, 2), COMMAND_UNKNOWN, REFUSAL_MAY_NOT, 0);
    expect (decide (rig, OTHER_PLANNER, "Commit", 1, 0), COMMAND_UNKNOWN, REFUSAL_MAY_NOT, 0);
    expect (decide (rig, OTHER_PLANNER, "Commit", 1, 3), COMMAND_UNKNOWN, REFUSAL_MAY_NOT, 0);
    expect (decide (rig, OTHER_PLANNER, "Commit", 1, 1), COMMAND_PREPARED, REFUSAL_FENCED, 2);
    expect (decide (rig, "root", "Abort", 1, 0), COMMAND_PREPARED, REFUSAL_FENCED, 2);
    assert_int_equal (rig_state (rig, 1), COMMAND_PREPARED);
    rig_destroy (rig);
}

static void T8_a_higher_epoch_takes_over_and_no_lower_or_equal_one (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_voted ();
    expect (fence (rig, OTHER_PLANNER, 1, 2), COMMAND_PREPARED, REFUSAL_NONE, 2);
    expect (fence (rig, OTHER_PLANNER, 1, 2), COMMAND_PREPARED, REFUSAL_NONE, 2);
    assert_int_equal (rig->puts, 0); /* a repeat */
    expect (fence (rig, PLANNER, 1, 2), COMMAND_PREPARED, REFUSAL_FENCED, 2);
    expect (fence (rig, OTHER_PLANNER, 1, 1), COMMAND_PREPARED, REFUSAL_FENCED, 2);
    expect (fence (rig, PLANNER, 1, 3), COMMAND_PREPARED, REFUSAL_NONE, 3);
    expect (decide (rig, OTHER_PLANNER, "Commit", 1, 2), COMMAND_PREPARED, REFUSAL_FENCED, 3);
    expect (decide (rig, PLANNER, "Commit", 1, 3), COMMAND_COMMITTED, REFUSAL_NONE, 3);
    rig_destroy (rig);
}

static void T8_a_fence_makes_a_tombstone_of_what_has_not_voted (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    hold_t held = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 6, 1, 2);
    held.prepare = false;
    expect (rig_hold (rig, held), COMMAND_HELD, REFUSAL_NONE, 0);
    expect (fence (rig, OTHER_PLANNER, 1, 1), COMMAND_ABORTED, REFUSAL_NONE, 1);
    assert_int_equal (rig_load (rig, 1), 0);
    expect (rig_verb (rig, "Prepare", 1), COMMAND_ABORTED, REFUSAL_ENDED, 1);

    expect (fence (rig, OTHER_PLANNER, 2, 1), COMMAND_ABORTED, REFUSAL_NONE, 1);
    rig_restart (rig, 100);
    expect (rig_hold (rig, hold_of (rig, 2, OPERATION_RESERVE, "r2", 0, 6, 1, 2)), COMMAND_ABORTED,
            REFUSAL_ENDED, 1);
    rig_destroy (rig);
}

static void T8_what_is_over_is_told_and_stays (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_voted ();
    expect (rig_verb (rig, "Commit", 1), COMMAND_COMMITTED, REFUSAL_NONE, 0);
    expect (fence (rig, OTHER_PLANNER, 1, 1), COMMAND_COMMITTED, REFUSAL_NONE, 0);
    assert_int_equal (rig->puts, 0);
    expect (decide (rig, OTHER_PLANNER, "Abort", 1, 1), COMMAND_COMMITTED, REFUSAL_ENDED, 0);
    assert_int_equal (rig_load (rig, 1), 6);
    rig_destroy (rig);
}

static void T8_only_planners_and_administrators_fence_and_only_planners_decide (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_voted ();
    expect (fence (rig, "alice", 1, 1), COMMAND_UNKNOWN, REFUSAL_MAY_NOT, 0);
    expect (fence (rig, "lis/tyo", 1, 1), COMMAND_UNKNOWN, REFUSAL_MAY_NOT, 0);
    expect (fence (rig, "root", 1, 1), COMMAND_PREPARED, REFUSAL_NONE, 1);
    expect (decide (rig, "root", "Commit", 1, 1), COMMAND_UNKNOWN, REFUSAL_MAY_NOT, 0);
    assert_int_equal (rig_state (rig, 1), COMMAND_PREPARED);
    rig_destroy (rig);
}

static void an_epoch_of_zero_is_not_understood (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_voted ();
    txid_t txid = txid_numbered (1);
    rig_request (rig, OTHER_PLANNER, "Fence",
                 codec_encode (&fence_request_codec, &(fence_request_t){txid, 0, WALL_MS}));
    assert_int_equal (rig->status, CALL_BAD_REQUEST);
    assert_non_null (strstr (rig->reason, "epoch"));
    rig_destroy (rig);
}

static void T8_once_fenced_the_coordinators_committed_is_no_evidence (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_voted ();
    rig_pass (rig, 2000); /* it has asked before it was fenced */
    expect (fence (rig, OTHER_PLANNER, 1, 1), COMMAND_PREPARED, REFUSAL_NONE, 1);
    rig_tell_outcome (rig, 1, OUTCOME_COMMITTED, false);
    assert_int_equal (rig_state (rig, 1), COMMAND_PREPARED);
    assert_non_null (rig_asked (rig, "Resolve"));
    rig_destroy (rig);
}

static void T8_once_fenced_the_coordinators_aborted_still_is (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_voted ();
    expect (fence (rig, OTHER_PLANNER, 1, 1), COMMAND_PREPARED, REFUSAL_NONE, 1);
    rig_pass (rig, 2000);
    rig_tell_outcome (rig, 1, OUTCOME_ABORTED, false);
    assert_int_equal (rig_state (rig, 1), COMMAND_ABORTED);
    rig_destroy (rig);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (T8_a_fenced_vote_stands_and_refuses_its_coordinator),
      cmocka_unit_test (T8_the_epoch_survives_a_restart),
      cmocka_unit_test (T8_who_fenced_decides_either_way),
      cmocka_unit_test (T8_no_epoch_that_the_caller_has_not_set_decides),
      cmocka_unit_test (T8_a_higher_epoch_takes_over_and_no_lower_or_equal_one),
      cmocka_unit_test (T8_a_fence_makes_a_tombstone_of_what_has_not_voted),
      cmocka_unit_test (T8_what_is_over_is_told_and_stays),
      cmocka_unit_test (T8_only_planners_and_administrators_fence_and_only_planners_decide),
      cmocka_unit_test (an_epoch_of_zero_is_not_understood),
      cmocka_unit_test (T8_once_fenced_the_coordinators_committed_is_no_evidence),
      cmocka_unit_test (T8_once_fenced_the_coordinators_aborted_still_is),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
