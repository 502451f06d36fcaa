/*  Requests about commands that have ended, whose records are in the store alone: nothing is said
 *  of such a command before its record has been read, then what was always said (T5, T7).
 */
#include "participant_fixture.h"

static packed_t decision (uint64_t counter)
{
    return codec_encode (&decision_request_codec,
                         &(decision_request_t){txid_numbered (counter), 0});
}

static packed_t resolve (const participant_rig_t *rig, uint64_t counter)
{
    return codec_encode (
      &resolve_request_codec,
      &(resolve_request_t){txid_numbered (counter), rig->host.now.wall_ms + 10000});
}

static packed_t repeated_hold (const participant_rig_t *rig, uint64_t counter, const char *id)
{
    hold_t hold = hold_of (rig, counter, OPERATION_RESERVE, "r1", 0, 2, 1, 2);
    snprintf (hold.plan.request_id, sizeof hold.plan.request_id, "%s", id);
    packed_t body = codec_encode (&hold_codec, &hold);
    codec_clear (&hold_codec, &hold);
    return body;
}

/*  What was asked for comes now. */
static void show (participant_rig_t *rig)
{
    rig->replied = false;
    memory_host_show (&rig->host);
    participant_check (rig->participant);
}

/*  1 is committed and acknowledged by all, 2 was aborted; both records are in the store alone. */
static participant_rig_t *rig_shelved (void)
{
    participant_rig_t *rig = rig_started (10);
    txid_t txid = txid_numbered (1);
    rig_reserve (rig, 1, "r1", 2, 1, 2);
    rig_request (rig, PLANNER, "Done",
                 codec_encode (&done_request_codec, &(done_request_t){&txid, 1}));
    rig_hold (rig, hold_of (rig, 2, OPERATION_RESERVE, "r2", 0, 2, 1, 2));
    rig_verb (rig, "Abort", 2);
    rig_pass (rig, 10000); /* the mark is stored */
    rig->host.reads_late = true;
    return rig;
}

static void nothing_is_said_before_the_record_has_been_read (void **state)
{
    (void) state;
    static const char *const methods [] = {"Prepare", "Renew", "Commit", "Abort", "Resolve"};
    for (size_t restarts = 0; restarts < 2; restarts++) {
        participant_rig_t *rig = rig_shelved ();
        if (restarts)
            rig_restart (rig, 0);
        for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
            bool asks = strcmp (methods [i], "Resolve") == 0;
            for (uint64_t counter = 1; counter <= 2; counter++) {
                assert_false (rig_answers (rig, PLANNER, methods [i],
                                           asks ? resolve (rig, counter) : decision (counter)));
                assert_int_equal (rig->host.reads_count, 1);
                show (rig);
                assert_true (rig->replied);
                assert_int_equal (rig_answer (rig).state,
                                  counter == 1 ? COMMAND_COMMITTED : COMMAND_ABORTED);
            }
        }
        assert_int_equal (rig_counter (rig, "aborts"), restarts ? 0 : 1); /* no tombstones */
        rig_destroy (rig);
    }
}

static void T2_a_request_that_was_carried_out_waits_for_its_record (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_shelved ();
    assert_false (rig_answers (rig, PLANNER, "Hold", repeated_hold (rig, 7, "r1@g1")));
    show (rig);
    assert_int_equal (rig_answer (rig).refusal.reason, REFUSAL_CLAIM_ANSWERED);
    /* what came to nothing may begin again */
    assert_true (rig_answers (rig, PLANNER, "Hold", repeated_hold (rig, 8, "r2@g1")));
    rig_destroy (rig);
}

/*  Refused for what an earlier one of that request made, once that has been read. */
static void check_carried_out (participant_rig_t *rig, uint64_t counter, const char *id)
{
    assert_false (rig_answers (rig, PLANNER, "Hold", repeated_hold (rig, counter, id)));
    assert_int_equal (rig->host.reads_count, 1);
    show (rig);
    assert_int_equal (rig_answer (rig).refusal.reason, REFUSAL_CLAIM_ANSWERED);
}

static void T2_each_of_many_requests_is_known_until_it_is_pruned (void **state)
{
    (void) state;
    enum { MANY = 600 };
    participant_rig_t *rig = rig_started (MANY + 1);
    for (uint64_t i = 1; i <= MANY; i++) {
        char id [8];
        txid_t txid = txid_numbered (i);
        snprintf (id, sizeof id, "r%d", (int) i);
        rig_reserve (rig, i, id, 1, 1, 2);
        rig_request (rig, PLANNER, "Done",
                     codec_encode (&done_request_codec, &(done_request_t){&txid, 1}));
    }
    for (int i = 0; i < 10; i++)
        rig_pass (rig, 10000); /* the marks are stored */
    rig->host.reads_late = true;
    for (uint64_t restarts = 0; restarts < 2; restarts++) {
        if (restarts)
            rig_restart (rig, 0);
        check_carried_out (rig, 1001, "r1@g1");
        check_carried_out (rig, 1002, "r599@g1");
        check_carried_out (rig, 1003, "r600@g1");
        assert_true (
          rig_answers (rig, PLANNER, "Hold", repeated_hold (rig, 1004 + restarts, "new@g1")));
    }
    rig->host.reads_late = false;
    rig_pass (rig, 27 * HOUR_MS);
    for (int i = 0; i < 1000 && rig_counter (rig, "pruned") < 2 * MANY; i++)
        rig_pass (rig, 1000);
    rig->host.reads_late = true;
    assert_true (rig_answers (rig, PLANNER, "Hold", repeated_hold (rig, 1006, "r1@g1")));
    assert_true (rig_answers (rig, PLANNER, "Hold", repeated_hold (rig, 1007, "r600@g1")));
    rig_destroy (rig);
}

static void a_hold_waits_for_all_that_it_names (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_shelved ();
    hold_t hold = hold_of (rig, 7, OPERATION_RESERVE, "r7", 0, 2, 1, 2);
    hold.replaces [0] = txid_numbered (2);
    hold.replaces [1] = txid_numbered (1);
    hold.replaces_count = 2;
    assert_false (rig_answers (rig, PLANNER, "Hold", codec_encode (&hold_codec, &hold)));
    assert_int_equal (rig->host.reads_count, 2);
    show (rig);
    assert_false (rig->replied);
    show (rig);
    assert_true (rig->replied);
    assert_int_equal (rig_answer (rig).refusal.reason, REFUSAL_CONFLICT);
    codec_clear (&hold_codec, &hold);
    rig_destroy (rig);
}

static void an_acknowledgement_waits_for_nothing (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_shelved ();
    txid_t txids [2] = {txid_numbered (1), txid_numbered (2)};
    assert_true (rig_answers (rig, PLANNER, "Done",
                              codec_encode (&done_request_codec, &(done_request_t){txids, 2})));
    assert_int_equal (rig->host.reads_count, 0);
    rig_destroy (rig);
}

/*  What was read is older than what is known: the command is not here any more. */
static void a_record_that_was_deleted_while_it_was_read_does_not_count (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_shelved ();
    assert_false (rig_answers (rig, PLANNER, "Commit", decision (1)));
    records_t before = records_copy (&rig->host.records);
    rig_pass (rig, 30 * HOUR_MS);
    assert_int_equal (records_in (&rig->host.records, TABLE_COMMANDS), 0);
    records_t after = rig->host.records;
    rig->host.records = before;
    show (rig);
    records_clear (&rig->host.records);
    rig->host.records = after;
    assert_int_equal (rig_answer (rig).state, COMMAND_UNKNOWN);
    assert_int_equal (rig_state (rig, 1), COMMAND_UNKNOWN);
    rig_destroy (rig);
}

static void T7_a_record_that_is_not_in_the_store_is_no_information (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_shelved ();
    uint8_t key [TXID_BYTES];
    txid_t txid = txid_numbered (1);
    txid_pack (&txid, key);
    records_delete (&rig->host.records, TABLE_COMMANDS, (bytes_t){key, sizeof key});
    assert_false (rig_answers (rig, PLANNER, "Resolve", resolve (rig, 1)));
    show (rig);
    command_answer_t answer = rig_answer (rig);
    assert_int_equal (answer.state, COMMAND_UNKNOWN);
    assert_int_equal (answer.refusal.reason, REFUSAL_ENDED);
    assert_int_equal (rig_counter (rig, "bad_records"), 1);
    assert_int_equal (records_in (&rig->host.records, TABLE_COMMANDS), 1); /* no tombstone */
    rig_destroy (rig);
}

/*  A start forgets who waits: he hears nothing, and asks again. */
static void waiting_ends_with_the_process (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_shelved ();
    assert_false (rig_answers (rig, PLANNER, "Commit", decision (1)));
    rig_restart (rig, 10);
    assert_int_equal (rig->host.reads_count, 0);
    assert_false (rig_answers (rig, PLANNER, "Commit", decision (1)));
    show (rig);
    assert_int_equal (rig_answer (rig).state, COMMAND_COMMITTED);
    rig_destroy (rig);
}

static void what_waits_is_bounded (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_shelved ();
    size_t waiting = 0;
    while (!rig_answers (rig, PLANNER, "Commit", decision (1)))
        waiting++;
    assert_int_equal (rig->status, CALL_OVERLOADED);
    assert_int_equal (waiting, 4096); /* RECORD_READS_MAX */
    while (rig->host.reads_count > 0) {
        show (rig);
        assert_int_equal (rig_answer (rig).state, COMMAND_COMMITTED);
        waiting--;
    }
    assert_int_equal (waiting, 0);
    assert_false (rig_answers (rig, PLANNER, "Commit", decision (1)));
    rig_destroy (rig);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (nothing_is_said_before_the_record_has_been_read),
      cmocka_unit_test (T2_a_request_that_was_carried_out_waits_for_its_record),
      cmocka_unit_test (T2_each_of_many_requests_is_known_until_it_is_pruned),
      cmocka_unit_test (a_hold_waits_for_all_that_it_names),
      cmocka_unit_test (an_acknowledgement_waits_for_nothing),
      cmocka_unit_test (a_record_that_was_deleted_while_it_was_read_does_not_count),
      cmocka_unit_test (T7_a_record_that_is_not_in_the_store_is_no_information),
      cmocka_unit_test (waiting_ends_with_the_process),
      cmocka_unit_test (what_waits_is_bounded),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
