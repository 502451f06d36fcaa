/*  bug classes - mistakes that recur in reservation systems (test/README.md has the table): each is
 *  provoked here, and must not happen.
 */
#include "participant_fixture.h"

/*  How a change of r1, from 4 nodes at [2, 6) to 8 at [4, 9), can come to nothing. */
typedef enum { BY_ABORT, BY_EXPIRY, BY_REFUSAL, BY_EDGE, BY_DEATH, WAYS } bug_classes_way_t;

static void fail_change (participant_rig_t *rig, uint64_t counter, bug_classes_way_t way)
{
    hold_t hold =
      hold_of (rig, counter, OPERATION_MODIFY, "r1", 1, way == BY_REFUSAL ? 11 : 8, 4, 9);
    hold.prepare = way == BY_ABORT || way == BY_EDGE;
    hold.ttl_ms = 5000;
    if (way == BY_EDGE)
        hold.plan.edge_ms = rig->host.now.wall_ms + 20000;
    command_answer_t answer = rig_hold (rig, hold);
    assert_int_equal (answer.refusal.reason, way == BY_REFUSAL ? REFUSAL_SHORT : REFUSAL_NONE);
    if (way == BY_DEATH)
        rig_restart (rig, 6000); /* it is over before it is back */
    if (way == BY_EXPIRY)
        rig_pass (rig, 6000);
    if (way == BY_EDGE) {
        rig_pass (rig, 21000);
        assert_int_equal (rig_state (rig, counter), COMMAND_EDGE);
    }
    if (way == BY_ABORT || way == BY_EDGE)
        rig_verb (rig, "Abort", counter);
    rig_forget_calls (rig);
}

static void assert_old_stands (participant_rig_t *rig)
{
    reservation_view_t view;
    for (int64_t hour = 0; hour < 12; hour++)
        assert_int_equal (rig_load (rig, hour), hour >= 2 && hour < 6 ? 4 : 0);
    assert_true (participant_find (rig->participant, "r1", &view));
    assert_int_equal (view.version, 1);
    assert_string_equal (view.owner, "alice");
    assert_non_null (view.current);
}

static void a_failed_change_frees_nothing_of_the_old (void **state)
{
    (void) state;
    for (bug_classes_way_t way = 0; way < WAYS; way++) {
        participant_rig_t *rig = rig_started (10);
        rig_reserve (rig, 1, "r1", 4, 2, 6);
        fail_change (rig, 2, way);
        assert_old_stands (rig);
        rig_restart (rig, 0);
        assert_old_stands (rig);
        rig_destroy (rig);
    }
}

static void a_failed_change_never_answers_success (void **state)
{
    (void) state;
    for (bug_classes_way_t way = 0; way < WAYS; way++) {
        participant_rig_t *rig = rig_started (10);
        rig_reserve (rig, 1, "r1", 4, 2, 6);
        fail_change (rig, 2, way);
        static const char *const verbs [] = {"Prepare", "Commit", "Commit"};
        for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
            command_answer_t answer = rig_verb (rig, verbs [i], 2);
            assert_int_equal (answer.refusal.reason, REFUSAL_ENDED);
            assert_int_not_equal (answer.state, COMMAND_COMMITTED);
            assert_int_not_equal (answer.state, COMMAND_PREPARED);
        }
        assert_old_stands (rig);
        rig_destroy (rig);
    }
}

static void a_failed_change_leaves_a_reservation_that_can_be_changed_and_released (void **state)
{
    (void) state;
    for (bug_classes_way_t way = 0; way < WAYS; way++) {
        participant_rig_t *rig = rig_started (10);
        rig_reserve (rig, 1, "r1", 4, 2, 6);
        for (uint64_t counter = 2; counter <= 4; counter++)
            fail_change (rig, counter, way);
        assert_int_equal (
          rig_hold (rig, hold_of (rig, 5, OPERATION_MODIFY, "r1", 1, 10, 3, 5)).state,
          COMMAND_PREPARED);
        assert_int_equal (rig_verb (rig, "Commit", 5).state, COMMAND_COMMITTED);
        assert_int_equal (rig_load (rig, 2), 0);
        assert_int_equal (rig_load (rig, 3), 10);
        assert_int_equal (
          rig_hold (rig, hold_of (rig, 6, OPERATION_RELEASE, "r1", 2, 0, 3, 5)).state,
          COMMAND_PREPARED);
        assert_int_equal (rig_verb (rig, "Commit", 6).state, COMMAND_COMMITTED);
        assert_int_equal (pool_things (&rig->pool), 0);
        rig_destroy (rig);
    }
}

/*  Capacity that is to be given back, but is not yet, must not be booked by others; capacity that
 *  was given back must be free, and counted once. */
static void released_ahead_of_its_time_is_free_once_and_only_when_committed (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "r1", 8, 2, 6);
    assert_int_equal (rig_hold (rig, hold_of (rig, 2, OPERATION_RELEASE, "r1", 1, 0, 6, 6)).state,
                      COMMAND_PREPARED);
    assert_int_equal (rig_load (rig, 3), 8);
    assert_int_equal (
      rig_hold (rig, hold_of (rig, 3, OPERATION_RESERVE, "r2", 0, 8, 2, 6)).refusal.reason,
      REFUSAL_SHORT);
    rig_verb (rig, "Commit", 2);
    assert_int_equal (rig_load (rig, 3), 0);
    rig_reserve (rig, 4, "r2", 8, 2, 6);
    rig_verb (rig, "Commit", 2); /* again: frees nothing of another's */
    rig_restart (rig, 0);
    rig_verb (rig, "Commit", 2);
    assert_int_equal (rig_load (rig, 3), 8);
    assert_int_equal (
      rig_hold (rig, hold_of (rig, 5, OPERATION_RESERVE, "r3", 0, 3, 2, 6)).refusal.reason,
      REFUSAL_SHORT);
    rig_pass (rig, 3 * HOUR_MS); /* its window has come: it does not come back to life */
    reservation_view_t view;
    assert_true (participant_find (rig->participant, "r1", &view));
    assert_null (view.current);
    assert_int_equal (rig_load (rig, 3), 8);
    rig_destroy (rig);
}

static void a_reservation_that_never_came_to_be_leaves_no_ghost (void **state)
{
    (void) state;
    for (int way = 0; way < 3; way++) {
        participant_rig_t *rig = rig_started (10);
        hold_t hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 8, 2, 6);
        hold.prepare = way == 2;
        rig_hold (rig, hold);
        reservation_view_t view;
        assert_true (participant_find (rig->participant, "r1", &view));
        assert_string_equal (view.owner, "alice"); /* never one without */
        if (way == 0)
            rig_pass (rig, 61000);
        if (way == 1)
            rig_restart (rig, 61000);
        if (way == 2)
            rig_verb (rig, "Abort", 1);
        for (int look = 0; look < 2; look++) {
            assert_false (participant_find (rig->participant, "r1", &view));
            assert_false (participant_next (rig->participant, NULL, &view));
            assert_int_equal (pool_things (&rig->pool), 0);
            rig_restart (rig, 0);
        }
        hold = hold_of (rig, 2, OPERATION_RESERVE, "r1", 0, 10, 2, 6); /* by anybody else */
        strcpy (hold.plan.actor, "bob");
        assert_int_equal (rig_hold (rig, hold).state, COMMAND_PREPARED);
        rig_destroy (rig);
    }
}

/*  A timer that was set for a command which has ended in another way must do nothing. */
static void a_timer_of_what_is_over_changes_nothing (void **state)
{
    (void) state;
    static const char *const ends [] = {"Commit", "Abort"};
    for (size_t i = 0; i < 2; i++) {
        participant_rig_t *rig = rig_started (10);
        hold_t hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 4, 2, 6);
        hold.prepare = false;
        rig_hold (rig, hold);
        rig_verb (rig, "Prepare", 1);
        rig_verb (rig, ends [i], 1);
        command_state_t ended = rig_state (rig, 1);
        size_t alarms = rig->alarms;
        rig_pass (rig, 61000);       /* its ttl */
        rig_pass (rig, 2 * HOUR_MS); /* its edge */
        assert_int_equal (rig_state (rig, 1), ended);
        assert_int_equal (rig_load (rig, 3), i == 0 ? 4 : 0);
        assert_int_equal (rig->alarms, alarms);
        assert_int_equal (rig_counter (rig, "expired") + rig_counter (rig, "edges"), 0);
        rig_forget_calls (rig);
        rig_destroy (rig);
    }
}

/*  A hold expires at the very instant at which it is to be prepared, aborted or released. */
static void a_hold_that_ends_as_a_verb_arrives_ends_once (void **state)
{
    (void) state;
    static const char *const verbs [] = {"Prepare", "Abort", "Commit", "Resolve", "Renew"};
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        participant_rig_t *rig = rig_started (10);
        hold_t hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 4, 2, 6);
        hold.prepare = false;
        hold.plan.decide_by_ms = rig->host.now.wall_ms + 120000;
        rig_hold (rig, hold);
        rig->host.now.mono_ms += 60000;
        rig->host.now.wall_ms += 60000;
        txid_t txid = txid_numbered (1);
        packed_t body = strcmp (verbs [i], "Resolve") == 0
                          ? codec_encode (&resolve_request_codec,
                                          &(resolve_request_t){txid, rig->host.now.wall_ms + 10000})
                        : strcmp (verbs [i], "Renew") == 0
                          ? codec_encode (&renew_request_codec, &(renew_request_t){txid, 1000})
                          : codec_encode (&decision_request_codec, &(decision_request_t){txid, 0});
        rig_request (rig, PLANNER, verbs [i], body);
        rig_pass (rig, 1000);
        assert_int_equal (rig_state (rig, 1), COMMAND_EXPIRED);
        assert_int_equal (rig_counter (rig, "expired"), 1);
        assert_int_equal (pool_things (&rig->pool), 0);
        rig_destroy (rig);
    }
}

/*  The answer to a question comes when its transaction has been decided, or its record deleted. */
static void an_answer_that_comes_when_the_command_is_over_finds_nobody (void **state)
{
    (void) state;
    for (int way = 0; way < 2; way++) {
        participant_rig_t *rig = rig_new (10);
        rig->limits.retention_ms = 1000;
        rig_boot (rig);
        rig_hold (rig, hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 4, 2, 6));
        rig_pass (rig, 2000);
        asked_t *asked = rig_asked (rig, "Outcome");
        assert_non_null (asked);
        rig_verb (rig, way == 0 ? "Commit" : "Abort", 1);
        if (way == 1) {
            rig_pass (rig, 15000);
            assert_int_equal (rig_state (rig, 1), COMMAND_UNKNOWN); /* pruned */
        }
        txid_t txid = txid_numbered (1);
        outcome_t contrary = way == 0 ? OUTCOME_ABORTED : OUTCOME_COMMITTED;
        rig_tell (rig, asked, CALL_OK,
                  codec_encode (&outcome_answer_codec, &(outcome_answer_t){txid, contrary, false}),
                  0x11);
        assert_int_equal (rig_state (rig, 1), way == 0 ? COMMAND_COMMITTED : COMMAND_UNKNOWN);
        assert_int_equal (rig_load (rig, 3), way == 0 ? 4 : 0);
        rig_destroy (rig);
    }
}

/*  When one of two holds expires, that one ends and not its neighbour. */
static void what_runs_out_is_the_one_whose_time_it_was (void **state)
{
    (void) state;
    for (uint64_t first = 1; first <= 2; first++) {
        participant_rig_t *rig = rig_started (10);
        for (uint64_t counter = 1; counter <= 2; counter++) {
            char id [8];
            snprintf (id, sizeof id, "r%d", (int) counter);
            hold_t hold =
              hold_of (rig, counter, OPERATION_RESERVE, id, 0, (uint32_t) counter, 2, 6);
            hold.prepare = false;
            hold.ttl_ms = counter == first ? 5000 : 50000;
            rig_hold (rig, hold);
        }
        rig_pass (rig, 6000);
        reservation_view_t view;
        assert_int_equal (rig_state (rig, first), COMMAND_EXPIRED);
        assert_int_equal (rig_state (rig, 3 - first), COMMAND_HELD);
        assert_int_equal (rig_load (rig, 3), (int64_t) (3 - first));
        assert_int_equal (participant_find (rig->participant, "r1", &view), first == 2);
        assert_int_equal (participant_find (rig->participant, "r2", &view), first == 1);
        rig_destroy (rig);
    }
}

/*  Nodes are lost between the vote and the commit: the promise stands, and its remaining nodes are
 *  promised to no other. */
static void what_is_lost_between_vote_and_commit_is_not_sold_again (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_hold (rig, hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 8, 2, 6));
    rig->pool.capacity = 4;
    assert_int_equal (rig_verb (rig, "Commit", 1).state, COMMAND_COMMITTED);
    assert_int_equal (rig_load (rig, 3), 8);
    assert_int_equal (
      rig_hold (rig, hold_of (rig, 2, OPERATION_RESERVE, "r2", 0, 1, 2, 6)).refusal.reason,
      REFUSAL_SHORT);
    rig_destroy (rig);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_failed_change_frees_nothing_of_the_old),
      cmocka_unit_test (a_failed_change_never_answers_success),
      cmocka_unit_test (a_failed_change_leaves_a_reservation_that_can_be_changed_and_released),
      cmocka_unit_test (released_ahead_of_its_time_is_free_once_and_only_when_committed),
      cmocka_unit_test (a_reservation_that_never_came_to_be_leaves_no_ghost),
      cmocka_unit_test (a_timer_of_what_is_over_changes_nothing),
      cmocka_unit_test (a_hold_that_ends_as_a_verb_arrives_ends_once),
      cmocka_unit_test (an_answer_that_comes_when_the_command_is_over_finds_nobody),
      cmocka_unit_test (what_runs_out_is_the_one_whose_time_it_was),
      cmocka_unit_test (what_is_lost_between_vote_and_commit_is_not_sold_again),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
