/*  test_home - one request has one claim and one answer, whichever planner asks again.
 */
#include "home_fixture.h"
#include "message.h"
#include "parties_wire.h"

/*  --- claims --- */

static void a_request_never_seen_is_free (void **state)
{
    node_t *node = home_up (*state);
    looked_t looked = look (node);
    assert_int_equal (looked.state, CLAIM_FREE);
    assert_int_equal (looked.answer_status, -1);
    assert_false (looked.conflict || looked.holder);
}

static void a_second_attempt_is_told_who_has_the_claim (void **state)
{
    node_t *node = home_up (*state);
    home_attempt_t first = attempt (1);
    home_attempt_t second = attempt (2);
    second.planner = PLANNER_B;
    assert_int_equal (hold_state (node, &first, NULL), COMMAND_PREPARED);
    command_answer_t answer = hold (node, &second);
    assert_int_equal (answer.state, COMMAND_REJECTED);
    assert_int_equal (answer.refusal.reason, REFUSAL_CLAIM_BUSY);
    assert_true (answer.refusal.blocker_set);
    assert_int_equal (answer.refusal.blocker.counter, 1);
    assert_non_null (answer.refusal.holder); /* so that it can ask its coordinator and its list */
    assert_string_equal (answer.refusal.holder->coordinator.name, PLANNER_A);
    assert_int_equal (answer.refusal.holder->participants_count, 2);
    codec_clear (&command_answer_codec, &answer);
    looked_t looked = look (node);
    assert_int_equal (looked.state, CLAIM_HELD);
    assert_int_equal (looked.holder, 1);
    assert_int_equal (looked.answer_status, -1); /* nothing may be told yet */
}

static void the_same_attempt_repeats_safely (void **state)
{
    node_t *node = home_up (*state);
    home_attempt_t one = attempt (1);
    packed_t body = hold_of (node, &one);
    for (int i = 0; i < 3; i++) {
        assert_int_equal (ask (node, PLANNER_A, "Participant", "Hold", kept_bytes (body)), CALL_OK);
        command_answer_t answer = answered (node);
        assert_int_equal (answer.state, COMMAND_PREPARED);
        codec_clear (&command_answer_codec, &answer);
    }
    free (body.data);
    assert_int_equal (stored_of (node, TABLE_COMMANDS), 1);
}

static void another_body_under_the_same_id_is_a_conflict_in_every_state (void **state)
{
    node_t *node = home_up (*state);
    refusal_reason_t reason;
    home_attempt_t first = attempt (1);
    home_attempt_t other = attempt (2);
    other.digest = digest_two;
    looked_t looked = {0};
    hold_state (node, &first, NULL);
    assert_int_equal (hold_state (node, &other, &reason), COMMAND_REJECTED);
    assert_int_equal (reason, REFUSAL_CONFLICT);
    tell (node, PLANNER_A, 1, "Commit");
    hold_state (node, &other, &reason);
    assert_int_equal (reason, REFUSAL_CONFLICT);
    look_as (node, PLANNER_B, "alice", "r1@g1", digest_two, &looked);
    assert_true (looked.conflict);
    look_as (node, PLANNER_B, "alice", "r1@g1", NULL, &looked); /* not compared */
    assert_false (looked.conflict);

    other.actor = "bob"; /* another actor's r1 is another request */
    assert_int_equal (hold_state (node, &other, NULL), COMMAND_PREPARED);
}

static void a_committed_claim_answers_with_the_stored_answer (void **state)
{
    node_t *node = home_up (*state);
    commit_one (node, 1);
    home_attempt_t again = attempt (2);
    again.planner = PLANNER_B;
    for (int done = 0; done < 2; done++) {
        command_answer_t answer = hold (node, &again);
        assert_int_equal (answer.refusal.reason, REFUSAL_CLAIM_ANSWERED);
        assert_int_equal (answer.refusal.done, done);
        packed_t expected =
          answer_of (MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED, "res-1", EPOCH_MS + HOUR_MS);
        assert_int_equal (answer.refusal.answer_size, expected.size);
        assert_memory_equal (answer.refusal.answer, expected.data, expected.size);
        free (expected.data);
        codec_clear (&command_answer_codec, &answer);
        looked_t looked = look (node);
        assert_int_equal (looked.state, CLAIM_COMMITTED);
        assert_int_equal (looked.done, done);
        assert_int_equal (looked.holder, 1);
        assert_int_equal (looked.answer_status, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
        tell_done (node, 1);
    }
}

/*  How many take part, as told to a planner. */
static size_t parties_told_of (node_t *node, const char *reservation)
{
    parties_question_t question;
    parties_told_t told;
    char why [WHY_BYTES];
    snprintf (question.reservation, sizeof question.reservation, "%s", reservation);
    packed_t body = codec_encode (&parties_question_codec, &question);
    assert_int_equal (ask_packed (node, PLANNER_A, "Home", "Parties", body), CALL_OK);
    assert_true (codec_decode (&parties_told_codec, &told, kept_bytes (node->world->body), why));
    size_t count = told.count;
    for (size_t i = 0; i < count; i++)
        assert_string_equal (told.list [i].name, "lis/ams"); /* the home has no part of it */
    assert_false (told.more);
    codec_clear (&parties_told_codec, &told);
    return count;
}

static void claims_tell_who_takes_part_in_a_reservation (void **state)
{
    node_t *node = home_up (*state);
    assert_int_equal (parties_told_of (node, "res-1"), 0);
    home_attempt_t one = attempt (1);
    hold_state (node, &one, NULL);
    assert_int_equal (parties_told_of (node, "res-1"), 1);
    tell (node, PLANNER_A, 1, "Abort");
    assert_int_equal (parties_told_of (node, "res-1"), 0);
    commit_one (node, 2);
    for (int restarted = 0; restarted < 2; restarted++) {
        assert_int_equal (parties_told_of (node, "res-2"), 1);
        assert_int_equal (parties_told_of (node, "res-1"), 0);
        assert_int_equal (parties_told_of (node, "res-20"), 0);
        restart (node);
    }
    parties_question_t question = {.reservation = "res-2"};
    packed_t body = codec_encode (&parties_question_codec, &question);
    assert_int_equal (ask_packed (node, "alice", "Home", "Parties", body), CALL_DENIED);
}

static void an_aborted_or_expired_attempt_frees_the_claim (void **state)
{
    world_t *world = *state;
    node_t *node = home_up (world);
    home_attempt_t one = attempt (1);
    hold_state (node, &one, NULL);
    assert_int_equal (tell (node, PLANNER_A, 1, "Abort"), COMMAND_ABORTED);
    assert_int_equal (look (node).state, CLAIM_FREE);
    home_attempt_t two = attempt (2);
    two.prepare = false;
    assert_int_equal (hold_state (node, &two, NULL), COMMAND_HELD);
    world_run (world, node->world->now_ms + 60001);
    assert_int_equal (look (node).state, CLAIM_FREE);
    home_attempt_t three = attempt (3);
    assert_int_equal (hold_state (node, &three, NULL), COMMAND_PREPARED);
}

static void the_next_plan_replaces_the_one_before (void **state)
{
    node_t *node = home_up (*state);
    home_attempt_t one = attempt (1);
    home_attempt_t two = attempt (2);
    hold_state (node, &one, NULL);
    two.replaces = 1;
    assert_int_equal (hold_state (node, &two, NULL), COMMAND_PREPARED);
    assert_int_equal (look (node).holder, 2);
    assert_int_equal (tell (node, PLANNER_A, 1, "Commit"), COMMAND_ABORTED);
    assert_int_equal (tell (node, PLANNER_A, 2, "Commit"), COMMAND_COMMITTED);
}

static void the_vote_may_bring_the_answer (void **state)
{
    node_t *node = home_up (*state);
    home_attempt_t one = attempt (1);
    one.prepare = false;
    one.end_ms = 0;
    assert_int_equal (hold_state (node, &one, NULL), COMMAND_HELD);
    txid_t txid = txid_of (PLANNER_A, 1);
    packed_t answer = answer_of (MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED, "res-1", EPOCH_MS);
    packed_t part = claim_part_encode (digest_one, kept_bytes (answer));
    packed_t body = codec_encode (&prepare_request_codec, &(prepare_request_t){txid, part, true});
    assert_int_equal (ask_packed (node, PLANNER_A, "Participant", "Prepare", body), CALL_OK);
    free (part.data);
    free (answer.data);
    assert_int_equal (tell (node, PLANNER_A, 1, "Commit"), COMMAND_COMMITTED);
    assert_int_equal (look (node).answer_status, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
}

static void claims_of_other_homes_are_refused (void **state)
{
    static const char *const ids [] = {"r1@g2", "r1", "@g1", "r1@", "g1"};
    node_t *node = home_up (*state);
    looked_t looked = {0};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        home_attempt_t one = attempt (1);
        one.request_id = ids [i];
        assert_int_equal (hold_raw (node, &one), CALL_BAD_REQUEST);
        assert_int_equal (look_as (node, PLANNER_A, "alice", ids [i], NULL, &looked),
                          CALL_BAD_REQUEST);
        assert_int_equal (
          close_raw (node, PLANNER_A, "alice", ids [i], digest_one, EPOCH_MS, &looked),
          CALL_BAD_REQUEST);
    }
    home_attempt_t elsewhere = attempt (1);
    elsewhere.home = "gis/g2";
    assert_int_equal (hold_raw (node, &elsewhere), CALL_BAD_REQUEST);
    assert_int_equal (stored_of (node, TABLE_COMMANDS), 0);
    home_attempt_t dotted = attempt (1);
    dotted.request_id = "a@b@g1"; /* the last one counts */
    assert_int_equal (hold_state (node, &dotted, NULL), COMMAND_PREPARED);
}

/*  --- closing --- */

static void closing_is_stored_and_final (void **state)
{
    node_t *node = home_up (*state);
    looked_t looked = close_claim (node, digest_one);
    assert_true (looked.closed);
    assert_int_equal (looked.state, CLAIM_CLOSED);
    assert_int_equal (stored_of (node, TABLE_CLAIMS), 1);
    home_attempt_t late = attempt (1);
    command_answer_t answer = hold (node, &late);
    assert_int_equal (answer.refusal.reason, REFUSAL_CLAIM_ANSWERED);
    assert_true (answer.refusal.answer_size > 0);
    codec_clear (&command_answer_codec, &answer);
    assert_int_equal (look (node).answer_status, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_int_equal (stored_of (node, TABLE_COMMANDS), 0);
}

static void closing_again_is_answered_alike_and_another_body_is_a_conflict (void **state)
{
    node_t *node = home_up (*state);
    close_claim (node, digest_one);
    looked_t again = close_claim (node, digest_one);
    assert_true (again.closed);
    assert_int_equal (again.answer_status, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    looked_t other = close_claim (node, digest_two);
    assert_false (other.closed);
    assert_true (other.conflict);
    assert_int_equal (stored_of (node, TABLE_CLAIMS), 1);
    home_attempt_t late = attempt (1);
    late.digest = digest_two;
    refusal_reason_t reason;
    hold_state (node, &late, &reason);
    assert_int_equal (reason, REFUSAL_CONFLICT);
}

static void closing_fails_while_an_attempt_has_the_claim (void **state)
{
    node_t *node = home_up (*state);
    home_attempt_t held = attempt (1);
    held.prepare = false;
    hold_state (node, &held, NULL);
    looked_t looked = close_claim (node, digest_one);
    assert_false (looked.closed);
    assert_int_equal (looked.state, CLAIM_HELD);
    assert_int_equal (looked.holder, 1);

    txid_t txid = txid_of (PLANNER_A, 1); /* only held: RESOLVE ends it for good */
    assert_int_equal (ask_packed (node, PLANNER_B, "Participant", "Resolve",
                                  codec_encode (&resolve_request_codec,
                                                &(resolve_request_t){txid, wall (node) + 10000})),
                      CALL_OK);
    assert_true (close_claim (node, digest_one).closed);
    assert_int_equal (tell (node, PLANNER_A, 1, "Prepare"), COMMAND_ABORTED);
}

static void closing_fails_while_prepared_and_once_committed (void **state)
{
    node_t *node = home_up (*state);
    home_attempt_t one = attempt (1);
    hold_state (node, &one, NULL);
    assert_false (close_claim (node, digest_one).closed);
    tell (node, PLANNER_A, 1, "Commit");
    looked_t looked = close_claim (node, digest_one);
    assert_false (looked.closed);
    assert_int_equal (looked.state, CLAIM_COMMITTED);
    assert_int_equal (looked.answer_status, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_int_equal (stored_of (node, TABLE_CLAIMS), 0);
}

static void a_vote_brings_only_what_is_an_answer (void **state)
{
    node_t *node = home_up (*state);
    home_attempt_t one = attempt (1);
    one.prepare = false;
    one.end_ms = 0;
    hold_state (node, &one, NULL);
    txid_t txid = txid_of (PLANNER_A, 1);
    uint8_t garbage [] = {0xff, 0xff, 0xff};
    packed_t claim = claim_part_encode (digest_one, (bytes_t){garbage, sizeof garbage});
    packed_t body = codec_encode (&prepare_request_codec, &(prepare_request_t){txid, claim, true});
    assert_int_equal (ask_packed (node, PLANNER_A, "Participant", "Prepare", body),
                      CALL_BAD_REQUEST);
    free (claim.data);
    assert_int_equal (look (node).state, CLAIM_HELD);
}

static void closing_after_an_abort_succeeds (void **state)
{
    node_t *node = home_up (*state);
    home_attempt_t one = attempt (1);
    hold_state (node, &one, NULL);
    tell (node, PLANNER_A, 1, "Abort");
    assert_true (close_claim (node, digest_one).closed);
    assert_int_equal (tell (node, PLANNER_A, 1, "Commit"), COMMAND_ABORTED);
}

static void closed_claims_are_forgotten_after_window_and_retention (void **state)
{
    world_t *world = *state;
    node_t *node = home_up (world);
    close_claim (node, digest_one); /* kept for an hour, then for a day */
    world_run (world, 25 * HOUR_MS - 1000);
    assert_int_equal (look (node).state, CLAIM_CLOSED);
    world_run (world, 2000);
    assert_int_equal (look (node).state, CLAIM_FREE);
    assert_int_equal (stored_of (node, TABLE_CLAIMS), 0);
}

static void a_stepped_clock_forgets_nothing_early (void **state)
{
    world_t *world = *state;
    node_t *node = home_up (world);
    close_claim (node, digest_one);
    node->skew_ms = 100 * HOUR_MS;
    world_run (world, 24 * HOUR_MS);
    assert_int_equal (look (node).state, CLAIM_CLOSED);
    node->skew_ms = -10 * HOUR_MS;
    world_run (world, 2 * HOUR_MS);
    assert_int_equal (look (node).state, CLAIM_CLOSED); /* by the clock that is behind */
    world_run (world, 10 * HOUR_MS);
    assert_int_equal (look (node).state, CLAIM_FREE);
}

static void committed_claims_are_kept_past_the_last_window (void **state)
{
    world_t *world = *state;
    node_t *node = home_up (world);
    home_attempt_t one = attempt (1);
    one.end_ms = EPOCH_MS + 50 * HOUR_MS;
    hold_state (node, &one, NULL);
    tell (node, PLANNER_A, 1, "Commit");
    tell_done (node, 1);
    for (int hours = 0; hours < 73; hours++)
        world_run (world, HOUR_MS);
    assert_int_equal (look (node).state, CLAIM_COMMITTED);
    for (int hours = 0; hours < 3; hours++)
        world_run (world, HOUR_MS);
    assert_int_equal (look (node).state, CLAIM_FREE);
    assert_int_equal (stored_of (node, TABLE_COMMANDS), 0);
}

/*  --- limits and rights --- */

static void refusals_kept_have_a_limit (void **state)
{
    world_t *world = *state;
    gis_settings_t settings = home_settings ();
    settings.closed_max = 2;
    node_t *node = gis_new (world, &settings);
    looked_t looked = {0};
    assert_int_equal (close_raw (node, PLANNER_A, "alice", "a@g1", digest_one, EPOCH_MS, &looked),
                      CALL_OK);
    assert_int_equal (close_raw (node, PLANNER_A, "alice", "b@g1", digest_one, EPOCH_MS, &looked),
                      CALL_OK);
    assert_int_equal (close_raw (node, PLANNER_A, "alice", "c@g1", digest_one, EPOCH_MS, &looked),
                      CALL_OVERLOADED);
    assert_non_null (strstr (world->reason, "closed_max"));
    assert_int_equal (/* a repeat needs no room */
                      close_raw (node, PLANNER_A, "alice", "b@g1", digest_one, EPOCH_MS, &looked),
                      CALL_OK);
    assert_true (looked.closed);
}

static void only_planners_close_and_only_the_concerned_look (void **state)
{
    node_t *node = home_up (*state);
    looked_t looked = {0};
    commit_one (node, 1);
    assert_int_equal (look_as (node, "alice", "alice", "r1@g1", NULL, &looked), CALL_OK);
    assert_int_equal (looked.state, CLAIM_COMMITTED);
    assert_int_equal (look_as (node, "bob", "alice", "r1@g1", NULL, &looked), CALL_DENIED);
    assert_int_equal (close_raw (node, "alice", "alice", "r2@g1", digest_one, EPOCH_MS, &looked),
                      CALL_DENIED);
    assert_int_equal (close_raw (node, "bob", "alice", "r2@g1", digest_one, EPOCH_MS, &looked),
                      CALL_DENIED);
}

static void actors_without_account_get_no_claim (void **state)
{
    static const char *const accounts [] = {"bob"};
    world_t *world = *state;
    gis_settings_t settings = home_settings ();
    settings.access.accounts = accounts;
    node_t *node = gis_new (world, &settings);
    refusal_reason_t reason;
    home_attempt_t one = attempt (1);
    hold_state (node, &one, &reason);
    assert_int_equal (reason, REFUSAL_MAY_NOT);
    assert_true (close_claim (node, digest_one).closed); /* so that the refusal can be told */
}

static void malformed_closings_are_refused_by_field (void **state)
{
    node_t *node = home_up (*state);
    looked_t looked = {0};
    assert_int_equal (close_raw (node, PLANNER_A, "", "r1@g1", digest_one, EPOCH_MS, &looked),
                      CALL_BAD_REQUEST);
    assert_int_equal (close_raw (node, PLANNER_A, "alice", "", digest_one, EPOCH_MS, &looked),
                      CALL_BAD_REQUEST);
    assert_int_equal (close_raw (node, PLANNER_A, "alice", "r1@g1", digest_one, -1, &looked),
                      CALL_BAD_REQUEST);
    Musubi__CloseRequest request = MUSUBI__CLOSE_REQUEST__INIT;
    request.actor = "alice";
    request.request_id = "r1@g1";
    packed_t body;
    body.data = message_pack (&request.base, &body.size);
    assert_int_equal (ask_packed (node, PLANNER_A, "Home", "Close", body), CALL_BAD_REQUEST);
    assert_non_null (strstr (node->world->reason, "digest"));
    assert_int_equal (look (node).state, CLAIM_FREE);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
#define TEST(name) cmocka_unit_test_setup_teardown (name, world_set_up, world_tear_down)
      TEST (a_request_never_seen_is_free),
      TEST (a_second_attempt_is_told_who_has_the_claim),
      TEST (the_same_attempt_repeats_safely),
      TEST (another_body_under_the_same_id_is_a_conflict_in_every_state),
      TEST (a_committed_claim_answers_with_the_stored_answer),
      TEST (claims_tell_who_takes_part_in_a_reservation),
      TEST (an_aborted_or_expired_attempt_frees_the_claim),
      TEST (the_next_plan_replaces_the_one_before),
      TEST (the_vote_may_bring_the_answer),
      TEST (claims_of_other_homes_are_refused),
      TEST (closing_is_stored_and_final),
      TEST (closing_again_is_answered_alike_and_another_body_is_a_conflict),
      TEST (closing_fails_while_an_attempt_has_the_claim),
      TEST (closing_fails_while_prepared_and_once_committed),
      TEST (a_vote_brings_only_what_is_an_answer),
      TEST (closing_after_an_abort_succeeds),
      TEST (closed_claims_are_forgotten_after_window_and_retention),
      TEST (a_stepped_clock_forgets_nothing_early),
      TEST (committed_claims_are_kept_past_the_last_window),
      TEST (refusals_kept_have_a_limit),
      TEST (only_planners_close_and_only_the_concerned_look),
      TEST (actors_without_account_get_no_claim),
      TEST (malformed_closings_are_refused_by_field),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
