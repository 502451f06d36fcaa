/*  The life of a command at its participant: hold, renew, vote, commit, abort, and every refusal on
 *  the way (T1-T4, T11; R1, R5, R9-R12).
 */
#include "participant_fixture.h"

/*  --- hold --- */

static void hold_takes_the_capacity_and_tells_its_life (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    hold_t hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 6, 1, 2);
    hold.prepare = false;
    command_answer_t answer = rig_hold (rig, hold);
    assert_int_equal (answer.state, COMMAND_HELD);
    assert_int_equal (answer.refusal.reason, REFUSAL_NONE);
    assert_int_equal (answer.ttl_ms, 60000);
    assert_int_equal (rig_load (rig, 1), 6);
    assert_int_equal (rig->puts, 1);
    assert_int_equal (rig_counter (rig, "holds"), 1);
    rig_destroy (rig);
}

static void hold_with_prepare_is_a_vote_in_one_round (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    command_answer_t answer = rig_hold (rig, hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 6, 1, 2));
    assert_int_equal (answer.state, COMMAND_PREPARED);
    assert_int_equal (answer.ttl_ms, 0);
    assert_int_equal (rig_counter (rig, "votes"), 1);
    rig_destroy (rig);
}

static void T3_a_yes_leaves_in_the_same_batch_as_its_record (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_hold (rig, hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 6, 1, 2));
    assert_int_equal (rig->puts, 1);
    rig_restart (rig, 10);
    assert_int_equal (rig_state (rig, 1), COMMAND_PREPARED);
    assert_int_equal (rig_load (rig, 1), 6);
    rig_destroy (rig);
}

static void T3_a_refusal_teaches_and_leaves_nothing (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (5);
    hold_t hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 6, 1, 2);
    rig_request (rig, PLANNER, "Hold", codec_encode (&hold_codec, &hold));
    codec_clear (&hold_codec, &hold);
    command_answer_t answer;
    char why [WHY_BYTES];
    assert_true (codec_decode (&command_answer_codec, &answer,
                               (bytes_t){rig->reply.data, rig->reply.size}, why));
    assert_int_equal (answer.state, COMMAND_REJECTED);
    assert_int_equal (answer.refusal.reason, REFUSAL_SHORT);
    assert_int_equal (answer.refusal.wanted, 6);
    assert_int_equal (answer.refusal.free, 5);
    assert_int_equal (answer.refusal.fresh_count, 1);
    codec_clear (&command_answer_codec, &answer);
    assert_int_equal (rig->puts, 0);
    assert_int_equal (pool_things (&rig->pool), 0);
    assert_int_equal (rig_state (rig, 1), COMMAND_UNKNOWN);
    assert_int_equal (rig_counter (rig, "refused_short"), 1);
    rig_destroy (rig);
}

static void hold_repeated_gets_the_same_answer_and_takes_once (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    for (int i = 0; i < 3; i++) {
        hold_t hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 6, 1, 2);
        command_answer_t answer = rig_hold (rig, hold);
        assert_int_equal (answer.state, COMMAND_PREPARED);
        assert_int_equal (answer.refusal.reason, REFUSAL_NONE);
        assert_int_equal (rig->puts, i == 0);
    }
    assert_int_equal (rig_load (rig, 1), 6);
    assert_int_equal (rig_counter (rig, "votes"), 1);
    rig_destroy (rig);
}

static void T1_another_plan_or_part_under_the_same_txid_is_a_conflict (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_hold (rig, hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 6, 1, 2));
    command_answer_t answer = rig_hold (rig, hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 5, 1, 2));
    assert_int_equal (answer.refusal.reason, REFUSAL_CONFLICT);
    answer = rig_hold (rig, hold_of (rig, 1, OPERATION_RESERVE, "r2", 0, 6, 1, 2));
    assert_int_equal (answer.refusal.reason, REFUSAL_CONFLICT);
    assert_int_equal (rig_state (rig, 1), COMMAND_PREPARED);
    assert_int_equal (rig_load (rig, 1), 6);
    rig_destroy (rig);
}

static void hold_that_prepares_votes_for_the_one_held_before (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    hold_t hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 6, 1, 2);
    hold.prepare = false;
    rig_hold (rig, hold);
    command_answer_t answer = rig_hold (rig, hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 6, 1, 2));
    assert_int_equal (answer.state, COMMAND_PREPARED);
    rig_destroy (rig);
}

static void T1_replaces_frees_the_old_for_the_new_in_one_write (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_hold (rig, hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 8, 1, 2));
    hold_t hold = hold_of (rig, 2, OPERATION_RESERVE, "r1", 0, 9, 1, 2);
    hold.replaces [hold.replaces_count++] = txid_numbered (1);
    command_answer_t answer = rig_hold (rig, hold);
    assert_int_equal (answer.state, COMMAND_PREPARED);
    assert_int_equal (rig->puts, 2);
    assert_int_equal (rig_state (rig, 1), COMMAND_ABORTED);
    assert_int_equal (rig_load (rig, 1), 9);
    rig_destroy (rig);
}

static void T1_replaced_stays_aborted_when_the_new_is_refused (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_hold (rig, hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 8, 1, 2));
    hold_t hold = hold_of (rig, 2, OPERATION_RESERVE, "r1", 0, 11, 1, 2);
    hold.replaces [hold.replaces_count++] = txid_numbered (1);
    assert_int_equal (rig_hold (rig, hold).refusal.reason, REFUSAL_SHORT);
    assert_int_equal (rig_state (rig, 1), COMMAND_ABORTED);
    assert_int_equal (rig_load (rig, 1), 0);
    rig_destroy (rig);
}

static void T1_replaced_that_comes_later_is_refused (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    hold_t hold = hold_of (rig, 2, OPERATION_RESERVE, "r1", 0, 5, 1, 2);
    hold.replaces [hold.replaces_count++] = txid_numbered (1);
    rig_hold (rig, hold);
    command_answer_t answer = rig_hold (rig, hold_of (rig, 1, OPERATION_RESERVE, "r9", 0, 1, 1, 2));
    assert_int_equal (answer.refusal.reason, REFUSAL_ENDED);
    assert_int_equal (answer.state, COMMAND_ABORTED);
    rig_destroy (rig);
}

static void replaces_a_committed_plan_is_refused_and_changes_nothing (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "r1", 4, 1, 2);
    hold_t hold = hold_of (rig, 2, OPERATION_RESERVE, "r2", 0, 5, 1, 2);
    hold.replaces [hold.replaces_count++] = txid_numbered (1);
    assert_int_equal (rig_hold (rig, hold).refusal.reason, REFUSAL_CONFLICT);
    assert_int_equal (rig_state (rig, 1), COMMAND_COMMITTED);
    assert_int_equal (rig_load (rig, 1), 4);
    rig_destroy (rig);
}

static void bad_request (participant_rig_t *rig, hold_t hold, const char *words)
{
    rig_request (rig, PLANNER, "Hold", codec_encode (&hold_codec, &hold));
    codec_clear (&hold_codec, &hold);
    assert_int_equal (rig->status, CALL_BAD_REQUEST);
    if (!strstr (rig->reason, words))
        fail_msg ("'%s' does not say '%s'", rig->reason, words);
    assert_int_equal (rig->puts, 0);
}

static void hold_of_another_store_or_kind_is_not_understood (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    hold_t hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 1, 1, 2);
    memset (hold.plan.participants [0].store, 0xab, STORE_ID_BYTES);
    bad_request (rig, hold, "plan.participants");

    hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 1, 1, 2);
    uint8_t digest [DIGEST_BYTES] = {1};
    packed_t claim = claim_part_encode (digest, (bytes_t){0});
    free (hold.part);
    hold.part = claim.data;
    hold.part_size = claim.size;
    hold.part_kind = PART_CLAIM;
    bad_request (rig, hold, "part");

    bad_request (rig, hold_of (rig, 1, OPERATION_RELEASE, "r1", 1, 1, 1, 2), "release");
    rig_request (rig, PLANNER, "Hold", packed_copy ((bytes_t){(const uint8_t *) "junk", 4}));
    assert_int_equal (rig->status, CALL_BAD_REQUEST);
    rig_destroy (rig);
}

static void a_part_that_means_nothing_here_is_refused_by_the_resource (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    hold_t hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 1, 1, 2);
    compute_booking_t booking = {.cpus = 1, .nodes = 1, .until_ms = 1};
    strcpy (booking.need, "ocean");
    strcpy (booking.class_name, "fat");
    free (hold.part);
    packed_t part = compute_part_encode (&booking, 1);
    hold.part = part.data;
    hold.part_size = part.size;
    assert_int_equal (rig_hold (rig, hold).refusal.reason, REFUSAL_UNKNOWN_RESOURCE);
    rig_destroy (rig);
}

/*  --- a hold's life --- */

static void R1_hold_expires_by_itself_and_gives_back (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    hold_t hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 6, 1, 2);
    hold.prepare = false;
    hold.ttl_ms = 2000;
    assert_int_equal (rig_hold (rig, hold).ttl_ms, 2000);
    rig_pass (rig, 1999);
    assert_int_equal (rig_state (rig, 1), COMMAND_HELD);
    rig_pass (rig, 1);
    assert_int_equal (rig_state (rig, 1), COMMAND_EXPIRED);
    assert_int_equal (rig_load (rig, 1), 0);
    command_answer_t answer = rig_verb (rig, "Commit", 1);
    assert_int_equal (answer.refusal.reason, REFUSAL_ENDED);
    assert_int_equal (answer.state, COMMAND_EXPIRED);
    rig_destroy (rig);
}

static void R1_hold_is_over_even_before_its_timer_rings (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    hold_t hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 6, 1, 2);
    hold.prepare = false;
    hold.ttl_ms = 2000;
    rig_hold (rig, hold);
    rig->host.now.mono_ms += 2000;
    rig->host.now.wall_ms += 2000;
    command_answer_t answer = rig_verb (rig, "Prepare", 1);
    assert_int_equal (answer.refusal.reason, REFUSAL_ENDED);
    assert_int_equal (answer.state, COMMAND_EXPIRED);
    rig_destroy (rig);
}

static void a_vote_does_not_expire (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_hold (rig, hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 6, 1, 2));
    rig->host.now.mono_ms += 30 * 60000;
    rig->host.now.wall_ms += 30 * 60000;
    assert_int_equal (rig_verb (rig, "Prepare", 1).state, COMMAND_PREPARED);
    rig_destroy (rig);
}

static command_answer_t renew (participant_rig_t *rig, uint64_t counter, uint32_t ttl_ms)
{
    txid_t txid = txid_numbered (counter);
    rig_request (rig, PLANNER, "Renew",
                 codec_encode (&renew_request_codec, &(renew_request_t){txid, ttl_ms}));
    return rig_answer (rig);
}

static void R12_renewal_prolongs_up_to_the_hold_age (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    hold_t hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 6, 1, 2);
    hold.prepare = false;
    hold.ttl_ms = 9000000;
    assert_int_equal (rig_hold (rig, hold).ttl_ms, 300000);
    rig_pass (rig, 200000);
    assert_int_equal (renew (rig, 1, 1000).ttl_ms, 100000); /* never shortens */
    assert_int_equal (renew (rig, 1, 0).ttl_ms, 100000);
    assert_int_equal (renew (rig, 1, 9000000).ttl_ms, 300000);
    rig_pass (rig, 250000);
    assert_int_equal (renew (rig, 1, 9000000).ttl_ms, 150000); /* 600 s in all */
    command_answer_t answer = renew (rig, 1, 9000000);
    assert_int_equal (answer.refusal.reason, REFUSAL_LIMIT);
    assert_string_equal (answer.refusal.resource, "hold_age_ms_max");
    rig_pass (rig, 150000);
    assert_int_equal (rig_state (rig, 1), COMMAND_EXPIRED);
    assert_int_equal (renew (rig, 1, 1000).refusal.reason, REFUSAL_ENDED);
    assert_int_equal (renew (rig, 2, 1000).state, COMMAND_UNKNOWN);
    rig_destroy (rig);
}

static void renewal_is_stored (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    hold_t hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 6, 1, 2);
    hold.prepare = false;
    rig_hold (rig, hold);
    rig_pass (rig, 50000);
    renew (rig, 1, 60000);
    assert_int_equal (rig->puts, 1);
    rig_restart (rig, 30000);
    assert_int_equal (rig_state (rig, 1), COMMAND_HELD);
    rig_pass (rig, 30000);
    assert_int_equal (rig_state (rig, 1), COMMAND_EXPIRED);
    rig_destroy (rig);
}

static void renewal_of_a_vote_has_nothing_to_do (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_hold (rig, hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 6, 1, 2));
    command_answer_t answer = renew (rig, 1, 1000);
    assert_int_equal (answer.state, COMMAND_PREPARED);
    assert_int_equal (answer.refusal.reason, REFUSAL_NONE);
    assert_int_equal (rig->puts, 0);
    rig_destroy (rig);
}

/*  --- the decision --- */

static void R5_commit_repeats_with_the_same_answer (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "r1", 6, 1, 2);
    size_t kept = rig->host.records.count;
    for (int i = 0; i < 3; i++) {
        command_answer_t answer = rig_verb (rig, "Commit", 1);
        assert_int_equal (answer.state, COMMAND_COMMITTED);
        assert_int_equal (answer.refusal.reason, REFUSAL_NONE);
        assert_false (answer.late);
        assert_int_equal (rig->puts, 0);
    }
    assert_int_equal (rig->host.records.count, kept);
    assert_int_equal (rig_load (rig, 1), 6);
    assert_int_equal (rig_verb (rig, "Prepare", 1).state, COMMAND_COMMITTED);
    rig_destroy (rig);
}

static void R5_commit_of_what_never_voted_is_refused_without_effect (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    hold_t hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 6, 1, 2);
    hold.prepare = false;
    rig_hold (rig, hold);
    command_answer_t answer = rig_verb (rig, "Commit", 1);
    assert_int_equal (answer.refusal.reason, REFUSAL_ENDED);
    assert_int_equal (answer.state, COMMAND_HELD);
    assert_int_equal (rig->puts, 0);
    answer = rig_verb (rig, "Commit", 2);
    assert_int_equal (answer.refusal.reason, REFUSAL_ENDED);
    assert_int_equal (answer.state, COMMAND_UNKNOWN);
    assert_int_equal (rig->puts, 0);
    assert_int_equal (rig_state (rig, 1), COMMAND_HELD);
    rig_destroy (rig);
}

static void R5_abort_gives_back_and_repeats (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_hold (rig, hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 6, 1, 2));
    for (int i = 0; i < 2; i++) {
        command_answer_t answer = rig_verb (rig, "Abort", 1);
        assert_int_equal (answer.state, COMMAND_ABORTED);
        assert_int_equal (answer.refusal.reason, REFUSAL_NONE);
    }
    assert_int_equal (rig_load (rig, 1), 0);
    assert_int_equal (rig_verb (rig, "Commit", 1).state, COMMAND_ABORTED);
    assert_int_equal (rig_verb (rig, "Prepare", 1).refusal.reason, REFUSAL_ENDED);
    rig_destroy (rig);
}

static void R5_abort_before_its_hold_buries_it (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    command_answer_t answer = rig_verb (rig, "Abort", 1);
    assert_int_equal (answer.state, COMMAND_ABORTED);
    assert_int_equal (rig->puts, 1);
    rig_restart (rig, 10);
    answer = rig_hold (rig, hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 6, 1, 2));
    assert_int_equal (answer.refusal.reason, REFUSAL_ENDED);
    assert_int_equal (answer.state, COMMAND_ABORTED);
    assert_int_equal (pool_things (&rig->pool), 0);
    rig_destroy (rig);
}

static void R5_abort_of_the_committed_is_refused (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "r1", 6, 1, 2);
    command_answer_t answer = rig_verb (rig, "Abort", 1);
    assert_int_equal (answer.refusal.reason, REFUSAL_ENDED);
    assert_int_equal (answer.state, COMMAND_COMMITTED);
    assert_int_equal (rig_load (rig, 1), 6);
    rig_destroy (rig);
}

/*  --- T15: hold and vote come in time --- */

static void T15_hold_and_prepare_after_decide_by_are_refused (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    hold_t hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 6, 1, 2);
    hold.prepare = false;
    rig_hold (rig, hold);
    rig_pass (rig, 9999);
    hold = hold_of (rig, 2, OPERATION_RESERVE, "r2", 0, 1, 1, 2);
    hold.plan.decide_by_ms = rig->host.now.wall_ms;
    assert_int_equal (rig_hold (rig, hold).refusal.reason, REFUSAL_LATE);
    rig_pass (rig, 1);
    command_answer_t answer = rig_verb (rig, "Prepare", 1);
    assert_int_equal (answer.refusal.reason, REFUSAL_LATE);
    assert_int_equal (answer.state, COMMAND_HELD);
    rig_destroy (rig);
}

static void T15_decide_by_counts_by_whichever_clock_comes_first (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    hold_t hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 6, 1, 2);
    hold.prepare = false;
    rig_hold (rig, hold);
    rig->host.now.wall_ms -= 60000; /* stepped back: the monotonic clock still counts */
    rig_pass (rig, 10000);
    assert_int_equal (rig_verb (rig, "Prepare", 1).refusal.reason, REFUSAL_LATE);

    hold = hold_of (rig, 2, OPERATION_RESERVE, "r2", 0, 1, 1, 2);
    hold.plan.decide_by_ms += 60000;
    hold.prepare = false;
    rig_hold (rig, hold);
    rig->host.now.wall_ms += 120000; /* stepped forward: the wall clock counts too */
    assert_int_equal (rig_verb (rig, "Prepare", 2).refusal.reason, REFUSAL_LATE);
    rig_destroy (rig);
}

static void T15_a_clock_put_right_long_ago_does_not_make_holds_late (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig->host.now.wall_ms -= 30 * 60000; /* it was half an hour fast when we started */
    rig_pass (rig, 60000);
    hold_t hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 6, 1, 2);
    hold.prepare = false;
    assert_int_equal (rig_hold (rig, hold).state, COMMAND_HELD);
    rig_pass (rig, 5000);
    assert_int_equal (rig_verb (rig, "Prepare", 1).state, COMMAND_PREPARED);
    rig_destroy (rig);
}

static void R11_a_release_gets_in_whatever_the_clock_says (void **state)
{
    (void) state;
    static const struct {
        int64_t ahead_ms;
        bool prepare;
    } cases [] = {{HOUR_MS / 2, true},  {HOUR_MS / 2, false}, {3 * HOUR_MS, true},
                  {3 * HOUR_MS, false}, {-3 * HOUR_MS, true}, {-3 * HOUR_MS, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases [0]; i++) {
        participant_rig_t *rig = rig_started (10);
        rig_reserve (rig, 1, "r1", 6, 1, 2);
        hold_t hold = hold_of (rig, 2, OPERATION_RELEASE, "r1", 1, 0, 0, 0);
        hold.prepare = cases [i].prepare;
        hold.plan.edge_ms = WALL_MS + 2 * HOUR_MS; /* the old end */
        rig->host.now.wall_ms += cases [i].ahead_ms;
        command_answer_t answer = rig_hold (rig, hold);
        if (!cases [i].prepare)
            answer = rig_verb (rig, "Prepare", 2);
        assert_int_equal (answer.refusal.reason, REFUSAL_NONE);
        assert_int_equal (answer.state, COMMAND_PREPARED);
        assert_int_equal (rig_verb (rig, "Commit", 2).state, COMMAND_COMMITTED);
        assert_int_equal (rig_load (rig, 1), 0);
        rig_destroy (rig);
    }
}

static void T7_a_release_is_late_once_its_tombstone_could_be_gone (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "r1", 6, 1, 60);
    hold_t hold = hold_of (rig, 2, OPERATION_RELEASE, "r1", 1, 0, 0, 0);
    hold.plan.edge_ms = WALL_MS + 60 * HOUR_MS;
    rig->host.now.wall_ms = hold.plan.decide_by_ms + 24 * HOUR_MS;
    assert_int_equal (rig_hold (rig, hold).refusal.reason, REFUSAL_LATE);
    rig->host.now.wall_ms--;
    hold = hold_of (rig, 2, OPERATION_RELEASE, "r1", 1, 0, 0, 0);
    hold.plan.edge_ms = WALL_MS + 60 * HOUR_MS;
    hold.plan.decide_by_ms = rig->host.now.wall_ms - 24 * HOUR_MS + 1;
    assert_int_equal (rig_hold (rig, hold).state, COMMAND_PREPARED);
    rig_destroy (rig);
}

static void T9_hold_past_its_edge_is_refused (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    hold_t hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 6, 1, 2);
    hold.plan.edge_ms = rig->host.now.wall_ms;
    assert_int_equal (rig_hold (rig, hold).refusal.reason, REFUSAL_LATE);
    rig_destroy (rig);
}

static void a_plan_decided_far_ahead_is_refused_by_name (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    hold_t hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 6, 5, 6);
    hold.plan.decide_by_ms += 2 * HOUR_MS;
    command_answer_t answer = rig_hold (rig, hold);
    assert_int_equal (answer.refusal.reason, REFUSAL_LIMIT);
    assert_string_equal (answer.refusal.resource, "decide_ahead_ms_max");
    rig_destroy (rig);
}

/*  --- T11: versions --- */

static void T11_modify_carries_the_larger_of_both_until_commit (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "r1", 6, 1, 3);
    /* 8 from hour 2 to 4: room only because 6 of them are its own in hour 2 */
    command_answer_t answer = rig_hold (rig, hold_of (rig, 2, OPERATION_MODIFY, "r1", 1, 8, 2, 4));
    assert_int_equal (answer.state, COMMAND_PREPARED);
    assert_int_equal (rig_load (rig, 1), 6);
    assert_int_equal (rig_load (rig, 2), 8);
    assert_int_equal (rig_load (rig, 3), 8);
    answer = rig_hold (rig, hold_of (rig, 3, OPERATION_RESERVE, "r2", 0, 5, 1, 2));
    assert_int_equal (answer.refusal.reason, REFUSAL_SHORT);
    assert_int_equal (rig_verb (rig, "Commit", 2).state, COMMAND_COMMITTED);
    assert_int_equal (rig_load (rig, 1), 0);
    assert_int_equal (rig_load (rig, 2), 8);
    assert_int_equal (rig_load (rig, 3), 8);
    rig_destroy (rig);
}

static void R10_an_aborted_modify_leaves_the_old_as_it_was (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "r1", 6, 1, 3);
    rig_hold (rig, hold_of (rig, 2, OPERATION_MODIFY, "r1", 1, 8, 2, 4));
    rig_verb (rig, "Abort", 2);
    assert_int_equal (rig_load (rig, 1), 6);
    assert_int_equal (rig_load (rig, 2), 6);
    assert_int_equal (rig_load (rig, 3), 0);
    assert_int_equal (rig_hold (rig, hold_of (rig, 3, OPERATION_MODIFY, "r1", 1, 2, 1, 2)).state,
                      COMMAND_PREPARED);
    rig_destroy (rig);
}

static void R10_a_refused_modify_leaves_the_old_as_it_was (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "r1", 6, 1, 3);
    assert_int_equal (
      rig_hold (rig, hold_of (rig, 2, OPERATION_MODIFY, "r1", 1, 11, 2, 4)).refusal.reason,
      REFUSAL_SHORT);
    assert_int_equal (rig_load (rig, 1), 6);
    assert_int_equal (rig_hold (rig, hold_of (rig, 3, OPERATION_MODIFY, "r1", 1, 2, 1, 2)).state,
                      COMMAND_PREPARED);
    rig_destroy (rig);
}

static void T11_a_second_change_is_busy_and_names_the_blocker (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "r1", 6, 1, 3);
    hold_t hold = hold_of (rig, 2, OPERATION_MODIFY, "r1", 1, 2, 1, 2);
    hold.prepare = false;
    rig_hold (rig, hold);
    command_answer_t answer = rig_hold (rig, hold_of (rig, 3, OPERATION_MODIFY, "r1", 1, 3, 1, 2));
    assert_int_equal (answer.refusal.reason, REFUSAL_BUSY_CHANGE);
    txid_t blocker = txid_numbered (2);
    assert_int_equal (txid_compare (&answer.refusal.blocker, &blocker), 0);
    assert_int_equal (answer.refusal.frees_ms, rig->host.now.wall_ms + 60000);
    rig_pass (rig, 60000);
    assert_int_equal (rig_hold (rig, hold_of (rig, 4, OPERATION_MODIFY, "r1", 1, 3, 1, 2)).state,
                      COMMAND_PREPARED);
    rig_destroy (rig);
}

static void T11_a_version_that_is_not_current_is_stale (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "r1", 6, 1, 3);
    assert_int_equal (
      rig_hold (rig, hold_of (rig, 2, OPERATION_MODIFY, "r1", 2, 2, 1, 2)).refusal.reason,
      REFUSAL_STALE_VERSION);
    assert_int_equal (
      rig_hold (rig, hold_of (rig, 3, OPERATION_RESERVE, "r1", 0, 2, 1, 2)).refusal.reason,
      REFUSAL_STALE_VERSION);
    rig_hold (rig, hold_of (rig, 4, OPERATION_MODIFY, "r1", 1, 2, 1, 2));
    rig_verb (rig, "Commit", 4);
    assert_int_equal (
      rig_hold (rig, hold_of (rig, 5, OPERATION_MODIFY, "r1", 1, 2, 1, 2)).refusal.reason,
      REFUSAL_STALE_VERSION);
    assert_int_equal (rig_hold (rig, hold_of (rig, 6, OPERATION_MODIFY, "r1", 2, 2, 1, 2)).state,
                      COMMAND_PREPARED);
    rig_destroy (rig);
}

static void T11_a_late_commit_of_the_first_change_cannot_commit_the_second (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "r1", 6, 1, 3);
    hold_t hold = hold_of (rig, 2, OPERATION_MODIFY, "r1", 1, 2, 1, 2);
    rig_hold (rig, hold);
    assert_int_equal (rig_verb (rig, "Commit", 1).state, COMMAND_COMMITTED);
    assert_int_equal (rig_state (rig, 2), COMMAND_PREPARED);
    assert_int_equal (rig_load (rig, 2), 6);
    rig_destroy (rig);
}

static void a_site_can_join_and_leave_by_modify (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    /* it joins a reservation at version 3 of which it knows nothing */
    assert_int_equal (rig_hold (rig, hold_of (rig, 1, OPERATION_MODIFY, "r1", 3, 5, 1, 3)).state,
                      COMMAND_PREPARED);
    rig_verb (rig, "Commit", 1);
    assert_int_equal (rig_load (rig, 1), 5);
    assert_int_equal (
      rig_hold (rig, hold_of (rig, 2, OPERATION_MODIFY, "r1", 3, 5, 1, 3)).refusal.reason,
      REFUSAL_STALE_VERSION);
    /* it leaves */
    assert_int_equal (rig_hold (rig, hold_of (rig, 3, OPERATION_MODIFY, "r1", 4, 0, 1, 3)).state,
                      COMMAND_PREPARED);
    assert_int_equal (rig_load (rig, 1), 5);
    rig_verb (rig, "Commit", 3);
    assert_int_equal (rig_load (rig, 1), 0);
    assert_int_equal (pool_things (&rig->pool), 0);
    /* the others went on without it; it joins again */
    assert_int_equal (rig_hold (rig, hold_of (rig, 4, OPERATION_MODIFY, "r1", 9, 2, 1, 3)).state,
                      COMMAND_PREPARED);
    rig_verb (rig, "Commit", 4);
    assert_int_equal (rig_hold (rig, hold_of (rig, 5, OPERATION_RELEASE, "r1", 10, 0, 1, 3)).state,
                      COMMAND_PREPARED);
    rig_destroy (rig);
}

static void a_release_gives_back_with_its_commit_and_is_final (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "r1", 6, 1, 3);
    hold_t hold = hold_of (rig, 2, OPERATION_RELEASE, "r1", 1, 0, 1, 3);
    free (hold.part);
    hold.part = NULL;
    hold.part_size = 0;
    hold.part_kind = PART_NONE;
    assert_int_equal (rig_hold (rig, hold).state, COMMAND_PREPARED);
    assert_int_equal (rig_load (rig, 1), 6);
    rig_verb (rig, "Commit", 2);
    assert_int_equal (rig_load (rig, 1), 0);
    assert_int_equal (
      rig_hold (rig, hold_of (rig, 3, OPERATION_MODIFY, "r1", 2, 1, 1, 3)).refusal.reason,
      REFUSAL_NO_RESERVATION);
    assert_int_equal (
      rig_hold (rig, hold_of (rig, 4, OPERATION_RESERVE, "r1", 0, 1, 1, 3)).refusal.reason,
      REFUSAL_STALE_VERSION);
    rig_destroy (rig);
}

static void T11_a_waiting_release_bars_new_changes_for_a_while (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "r1", 6, 1, 3);
    rig_hold (rig, hold_of (rig, 2, OPERATION_MODIFY, "r1", 1, 2, 1, 2));
    assert_int_equal (
      rig_hold (rig, hold_of (rig, 3, OPERATION_RELEASE, "r1", 1, 0, 1, 3)).refusal.reason,
      REFUSAL_BUSY_CHANGE);
    rig_verb (rig, "Abort", 2);
    command_answer_t answer = rig_hold (rig, hold_of (rig, 4, OPERATION_MODIFY, "r1", 1, 3, 1, 2));
    assert_int_equal (answer.refusal.reason, REFUSAL_BUSY_CHANGE);
    assert_true (answer.refusal.frees_ms > rig->host.now.wall_ms);
    assert_int_equal (rig_hold (rig, hold_of (rig, 5, OPERATION_RELEASE, "r1", 1, 0, 1, 3)).state,
                      COMMAND_PREPARED);
    rig_verb (rig, "Abort", 5);
    assert_int_equal (rig_hold (rig, hold_of (rig, 6, OPERATION_MODIFY, "r1", 1, 3, 1, 2)).state,
                      COMMAND_PREPARED);
    rig_destroy (rig);
}

static void a_release_or_leaving_of_what_is_not_here_is_refused (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    assert_int_equal (
      rig_hold (rig, hold_of (rig, 1, OPERATION_RELEASE, "r1", 1, 0, 1, 3)).refusal.reason,
      REFUSAL_NO_RESERVATION);
    assert_int_equal (
      rig_hold (rig, hold_of (rig, 2, OPERATION_MODIFY, "r1", 1, 0, 1, 3)).refusal.reason,
      REFUSAL_NO_RESERVATION);
    rig_destroy (rig);
}

static void an_aborted_reserve_leaves_its_name_free (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_hold (rig, hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 6, 1, 3));
    assert_int_equal (
      rig_hold (rig, hold_of (rig, 2, OPERATION_RESERVE, "r1", 0, 1, 1, 3)).refusal.reason,
      REFUSAL_BUSY_CHANGE);
    rig_verb (rig, "Abort", 1);
    rig_reserve (rig, 3, "r1", 6, 1, 3);
    rig_destroy (rig);
}

/*  --- T6: done --- */

static void done (participant_rig_t *rig, const char *caller, uint64_t counter)
{
    txid_t txid = txid_numbered (counter);
    rig_request (rig, caller, "Done",
                 codec_encode (&done_request_codec, &(done_request_t){&txid, 1}));
    assert_int_equal (rig->status, CALL_OK);
}

static void T6_done_travels_with_the_next_write (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "r1", 6, 1, 3);
    done (rig, PLANNER, 1);
    assert_int_equal (rig->puts, 0);
    assert_true (rig_command (rig, 1).done);
    rig_hold (rig, hold_of (rig, 2, OPERATION_RESERVE, "r2", 0, 1, 1, 3));
    assert_int_equal (rig->puts, 2);
    rig_restart (rig, 10);
    assert_true (rig_command (rig, 1).done);
    rig_destroy (rig);
}

static void T6_done_is_stored_after_a_while_when_nothing_else_is (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "r1", 6, 1, 3);
    done (rig, PLANNER, 1);
    rig_restart (rig, 10);
    assert_false (rig_command (rig, 1).done); /* forgotten: a mark is no promise */
    done (rig, PLANNER, 1);
    rig_pass (rig, 5000);
    rig_restart (rig, 10);
    assert_true (rig_command (rig, 1).done);
    rig_destroy (rig);
}

static void T6_done_of_strangers_and_of_the_undecided_is_ignored (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "r1", 6, 1, 3);
    rig_hold (rig, hold_of (rig, 2, OPERATION_RESERVE, "r2", 0, 1, 1, 3));
    done (rig, OTHER_PLANNER, 1);
    done (rig, PLANNER, 2);
    done (rig, PLANNER, 3);
    assert_false (rig_command (rig, 1).done);
    assert_false (rig_command (rig, 2).done);
    rig_destroy (rig);
}

/*  --- T2: a request whose home has forgotten it --- */

/*  Another attempt at the request of the one numbered before. */
static hold_t attempt_at (participant_rig_t *rig, uint64_t counter, uint64_t before,
                          const char *reservation)
{
    hold_t hold = hold_of (rig, counter, OPERATION_RESERVE, reservation, 0, 1, 1, 2);
    snprintf (hold.plan.request_id, sizeof hold.plan.request_id, "r%d@g1", (int) before);
    return hold;
}

static void expect_barred (participant_rig_t *rig, hold_t hold, const char *reservation)
{
    command_answer_t answer = rig_hold (rig, hold);
    char text [TXID_TEXT_BYTES], first [TXID_TEXT_BYTES];
    txid_t one = txid_numbered (1);
    assert_int_equal (answer.state, COMMAND_REJECTED);
    assert_int_equal (answer.refusal.reason, REFUSAL_CLAIM_ANSWERED);
    assert_non_null (strstr (answer.refusal.text, reservation));
    assert_string_equal (txid_text (&answer.refusal.blocker, text), txid_text (&one, first));
    codec_clear (&command_answer_codec, &answer);
}

static void T2_a_request_that_was_committed_here_is_not_held_again (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "first", 2, 1, 2);
    expect_barred (rig, attempt_at (rig, 2, 1, "second"), "first");
    rig_restart (rig, 10);
    expect_barred (rig, attempt_at (rig, 3, 1, "second"), "first");
    rig_hold (rig, hold_of (rig, 4, OPERATION_RELEASE, "first", 1, 0, 1, 2));
    assert_int_equal (rig_verb (rig, "Commit", 4).state, COMMAND_COMMITTED);
    expect_barred (rig, attempt_at (rig, 5, 1, "second"), "first");
    assert_int_equal (rig_load (rig, 1), 0);
    rig_destroy (rig);
}

static void T2_other_requests_and_attempts_that_came_to_nothing_bar_nobody (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "first", 1, 1, 2);
    hold_t others = attempt_at (rig, 2, 1, "second");
    snprintf (others.plan.actor, sizeof others.plan.actor, "bob");
    assert_int_equal (rig_hold (rig, others).state, COMMAND_PREPARED);
    hold_t homeless = attempt_at (rig, 3, 1, "third"); /* a repair, or a step of bir's search */
    homeless.plan.home [0] = '\0';
    assert_int_equal (rig_hold (rig, homeless).state, COMMAND_PREPARED);
    assert_int_equal (rig_hold (rig, attempt_at (rig, 4, 4, "fourth")).state, COMMAND_PREPARED);
    assert_int_equal (rig_verb (rig, "Abort", 4).state, COMMAND_ABORTED);
    assert_int_equal (rig_hold (rig, attempt_at (rig, 5, 4, "fifth")).state, COMMAND_PREPARED);
    rig_destroy (rig);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (T2_a_request_that_was_committed_here_is_not_held_again),
      cmocka_unit_test (T2_other_requests_and_attempts_that_came_to_nothing_bar_nobody),
      cmocka_unit_test (hold_takes_the_capacity_and_tells_its_life),
      cmocka_unit_test (hold_with_prepare_is_a_vote_in_one_round),
      cmocka_unit_test (T3_a_yes_leaves_in_the_same_batch_as_its_record),
      cmocka_unit_test (T3_a_refusal_teaches_and_leaves_nothing),
      cmocka_unit_test (hold_repeated_gets_the_same_answer_and_takes_once),
      cmocka_unit_test (T1_another_plan_or_part_under_the_same_txid_is_a_conflict),
      cmocka_unit_test (hold_that_prepares_votes_for_the_one_held_before),
      cmocka_unit_test (T1_replaces_frees_the_old_for_the_new_in_one_write),
      cmocka_unit_test (T1_replaced_stays_aborted_when_the_new_is_refused),
      cmocka_unit_test (T1_replaced_that_comes_later_is_refused),
      cmocka_unit_test (replaces_a_committed_plan_is_refused_and_changes_nothing),
      cmocka_unit_test (hold_of_another_store_or_kind_is_not_understood),
      cmocka_unit_test (a_part_that_means_nothing_here_is_refused_by_the_resource),
      cmocka_unit_test (R1_hold_expires_by_itself_and_gives_back),
      cmocka_unit_test (R1_hold_is_over_even_before_its_timer_rings),
      cmocka_unit_test (a_vote_does_not_expire),
      cmocka_unit_test (R12_renewal_prolongs_up_to_the_hold_age),
      cmocka_unit_test (renewal_is_stored),
      cmocka_unit_test (renewal_of_a_vote_has_nothing_to_do),
      cmocka_unit_test (R5_commit_repeats_with_the_same_answer),
      cmocka_unit_test (R5_commit_of_what_never_voted_is_refused_without_effect),
      cmocka_unit_test (R5_abort_gives_back_and_repeats),
      cmocka_unit_test (R5_abort_before_its_hold_buries_it),
      cmocka_unit_test (R5_abort_of_the_committed_is_refused),
      cmocka_unit_test (T15_hold_and_prepare_after_decide_by_are_refused),
      cmocka_unit_test (T15_decide_by_counts_by_whichever_clock_comes_first),
      cmocka_unit_test (T15_a_clock_put_right_long_ago_does_not_make_holds_late),
      cmocka_unit_test (R11_a_release_gets_in_whatever_the_clock_says),
      cmocka_unit_test (T7_a_release_is_late_once_its_tombstone_could_be_gone),
      cmocka_unit_test (T9_hold_past_its_edge_is_refused),
      cmocka_unit_test (a_plan_decided_far_ahead_is_refused_by_name),
      cmocka_unit_test (T11_modify_carries_the_larger_of_both_until_commit),
      cmocka_unit_test (R10_an_aborted_modify_leaves_the_old_as_it_was),
      cmocka_unit_test (R10_a_refused_modify_leaves_the_old_as_it_was),
      cmocka_unit_test (T11_a_second_change_is_busy_and_names_the_blocker),
      cmocka_unit_test (T11_a_version_that_is_not_current_is_stale),
      cmocka_unit_test (T11_a_late_commit_of_the_first_change_cannot_commit_the_second),
      cmocka_unit_test (a_site_can_join_and_leave_by_modify),
      cmocka_unit_test (a_release_gives_back_with_its_commit_and_is_final),
      cmocka_unit_test (T11_a_waiting_release_bars_new_changes_for_a_while),
      cmocka_unit_test (a_release_or_leaving_of_what_is_not_here_is_refused),
      cmocka_unit_test (an_aborted_reserve_leaves_its_name_free),
      cmocka_unit_test (T6_done_travels_with_the_next_write),
      cmocka_unit_test (T6_done_is_stored_after_a_while_when_nothing_else_is),
      cmocka_unit_test (T6_done_of_strangers_and_of_the_undecided_is_ignored),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
