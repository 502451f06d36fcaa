/*  test_home_kept - what a home has answered stays so: amended by repairs alone, and across
 *  restarts.
 */
#include "home_fixture.h"

/*  --- amend (T10) --- */

static command_answer_t amend_as (node_t *node, const char *planner, uint64_t counter,
                                  uint32_t epoch, Musubi__AnswerStatus status,
                                  const char *reservation)
{
    txid_t txid = txid_of (PLANNER_A, counter);
    packed_t told = answer_of (status, reservation, 0);
    packed_t body = codec_encode (&amend_request_codec, &(amend_request_t){txid, epoch, told});
    free (told.data);
    assert_int_equal (ask_packed (node, planner, "Participant", "Amend", body), CALL_OK);
    return answered (node);
}

static refusal_reason_t amend_refused (node_t *node, const char *planner, uint64_t counter,
                                       uint32_t epoch, Musubi__AnswerStatus status)
{
    command_answer_t answer = amend_as (node, planner, counter, epoch, status, "res-1");
    refusal_reason_t reason = answer.refusal.reason;
    codec_clear (&command_answer_codec, &answer);
    return reason;
}

static void T2_a_repair_amends_the_answer_once_and_for_good (void **state)
{
    world_t *world = *state;
    node_t *node = home_up (world);
    home_attempt_t one = attempt (1);
    assert_int_equal (hold_state (node, &one, NULL), COMMAND_PREPARED);
    assert_int_equal (amend_refused (node, PLANNER_A, 1, 0, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED),
                      REFUSAL_ENDED); /* nothing was committed */
    assert_int_equal (tell (node, PLANNER_A, 1, "Commit"), COMMAND_COMMITTED);
    assert_int_equal (amend_refused (node, PLANNER_B, 1, 0, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED),
                      REFUSAL_MAY_NOT); /* another's, and not fenced */
    assert_int_equal (amend_refused (node, "alice", 1, 1, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED),
                      REFUSAL_MAY_NOT);
    looked_t looked = look (node);
    assert_false (looked.done);
    assert_int_equal (looked.answer_status, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    for (int times = 0; times < 3; times++) { /* it repeats, also after a restart */
        assert_int_equal (
          amend_refused (node, PLANNER_A, 1, 0, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED),
          REFUSAL_NONE);
        looked = look (node);
        assert_true (looked.done);
        assert_int_equal (looked.answer_status, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
        if (times == 1)
            restart (node);
    }
    command_answer_t other =
      amend_as (node, PLANNER_A, 1, 0, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED, "res-1");
    packed_t told = answer_of (MUSUBI__ANSWER_STATUS__ANSWER_REFUSED, "res-1", 0);
    assert_int_equal (other.refusal.reason, REFUSAL_CONFLICT);
    assert_int_equal (other.refusal.answer_size, told.size);
    assert_memory_equal (other.refusal.answer, told.data, told.size);
    free (told.data);
    codec_clear (&command_answer_codec, &other);
    assert_int_equal (look (node).answer_status, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    refusal_reason_t reason;
    home_attempt_t two = attempt (2); /* the request is answered */
    assert_int_equal (hold_state (node, &two, &reason), COMMAND_REJECTED);
    assert_int_equal (reason, REFUSAL_CLAIM_ANSWERED);
}

static void T2_what_all_have_acknowledged_is_never_amended (void **state)
{
    world_t *world = *state;
    node_t *node = home_up (world);
    commit_one (node, 1);
    tell_done (node, 1);
    assert_int_equal (amend_refused (node, PLANNER_A, 1, 0, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED),
                      REFUSAL_CONFLICT);
    assert_int_equal (look (node).answer_status, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
}

static void T8_who_has_fenced_amends_in_the_coordinators_place (void **state)
{
    world_t *world = *state;
    node_t *node = home_up (world);
    home_attempt_t one = attempt (1);
    txid_t txid = txid_of (PLANNER_A, 1);
    assert_int_equal (hold_state (node, &one, NULL), COMMAND_PREPARED);
    assert_int_equal (
      ask_packed (node, PLANNER_B, "Participant", "Fence",
                  codec_encode (&fence_request_codec, &(fence_request_t){txid, 2, wall (node)})),
      CALL_OK);
    assert_int_equal (
      ask_packed (node, PLANNER_B, "Participant", "Commit",
                  codec_encode (&decision_request_codec, &(decision_request_t){txid, 2})),
      CALL_OK);
    assert_int_equal (amend_refused (node, PLANNER_B, 1, 1, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED),
                      REFUSAL_MAY_NOT);
    assert_int_equal (amend_refused (node, PLANNER_B, 1, 2, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED),
                      REFUSAL_NONE);
    assert_true (look (node).done);
}

/*  --- restarts --- */

static void after_a_restart_everything_is_answered_as_before (void **state)
{
    node_t *node = home_up (*state);
    looked_t looked = {0};
    commit_one (node, 1);
    home_attempt_t prepared = attempt (2);
    prepared.request_id = "r2@g1";
    hold_state (node, &prepared, NULL);
    home_attempt_t held = attempt (3);
    held.request_id = "r3@g1";
    held.prepare = false;
    hold_state (node, &held, NULL);
    close_raw (node, PLANNER_A, "alice", "r4@g1", digest_one, wall (node) + HOUR_MS, &looked);
    tell_done (node, 1);
    world_run (node->world, 10000); /* marks of done are written lazily */

    for (int i = 0; i < 2; i++) {
        restart (node);
        looked = look (node);
        assert_int_equal (looked.state, CLAIM_COMMITTED);
        assert_int_equal (looked.answer_status, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
        assert_true (looked.done);
        look_as (node, PLANNER_A, "alice", "r2@g1", digest_one, &looked);
        assert_int_equal (looked.state, CLAIM_HELD);
        assert_int_equal (looked.holder, 2);
        look_as (node, PLANNER_A, "alice", "r3@g1", digest_one, &looked);
        assert_int_equal (looked.state, CLAIM_HELD);
        look_as (node, PLANNER_A, "alice", "r4@g1", digest_one, &looked);
        assert_int_equal (looked.state, CLAIM_CLOSED);
        assert_int_equal (looked.answer_status, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    }
    home_attempt_t again = attempt (9);
    refusal_reason_t reason;
    hold_state (node, &again, &reason);
    assert_int_equal (reason, REFUSAL_CLAIM_ANSWERED);
    again.request_id = "r2@g1";
    hold_state (node, &again, &reason);
    assert_int_equal (reason, REFUSAL_CLAIM_BUSY);
    again.request_id = "r4@g1";
    hold_state (node, &again, &reason);
    assert_int_equal (reason, REFUSAL_CLAIM_ANSWERED);
    assert_int_equal (tell (node, PLANNER_A, 2, "Commit"), COMMAND_COMMITTED);
    look_as (node, PLANNER_A, "alice", "r2@g1", digest_one, &looked);
    assert_int_equal (looked.state, CLAIM_COMMITTED);
}

static void a_closed_claim_loaded_from_the_store_is_forgotten_in_time (void **state)
{
    world_t *world = *state;
    node_t *node = home_up (world);
    close_claim (node, digest_one);
    world_run (world, HOUR_MS);
    restart (node);
    world_run (world, 23 * HOUR_MS);
    assert_int_equal (look (node).state, CLAIM_CLOSED);
    world_run (world, 2 * HOUR_MS);
    assert_int_equal (look (node).state, CLAIM_FREE);
    assert_int_equal (stored_of (node, TABLE_CLAIMS), 0);
}

static void damaged_records_are_skipped_with_an_alarm (void **state)
{
    node_t *node = home_up (*state);
    close_claim (node, digest_one);
    static const char *const keys [] = {"alice", "", "alice\0", "\0r1@g1", "alice\0r1@g1"};
    static const size_t sizes [] = {5, 0, 6, 6, 11};
    size_t alarms = node->alarms;
    for (size_t i = 0; i < 5; i++) {
        bytes_t key = {.data = (const uint8_t *) keys [i], .size = sizes [i]};
        node_step (node,
                   &(event_t){.kind = EVENT_RECORD,
                              .record = {.table = TABLE_CLAIMS,
                                         .key = key,
                                         .value = {.data = (const uint8_t *) "\xff", .size = 1}}});
    }
    const host_in_memory_kept_t *good =
      records_find (&node->host.records, TABLE_CLAIMS,
                    (bytes_t){.data = (const uint8_t *) "alice\0r1@g1", .size = 11});
    node_step (node, &(event_t){.kind = EVENT_RECORD,
                                .record = {.table = TABLE_CLAIMS,
                                           .key = kept_bytes (good->key),
                                           .value = kept_bytes (good->value)}});
    assert_int_equal (node->alarms, alarms + 6);
    assert_int_equal (look (node).state, CLAIM_CLOSED);
}

/*  Random planners, users and crashes against a list of what has been answered: an answer once told
 *  is told for ever, and no request is committed twice. */
static void an_answer_once_told_is_told_for_ever (void **state)
{
    enum { REQUESTS = 12 };
    world_t *world = *state;
    node_t *node = home_up (world);
    const uint64_t seed = 20260803;
    print_message ("seed %llu\n", (unsigned long long) seed);
    prng_t chance;
    prng_seed (&chance, seed);
    struct {
        char id [16];
        int told; /* claim_state_t, once final */
        uint64_t open;
    } requests [REQUESTS] = {0};
    for (size_t i = 0; i < REQUESTS; i++)
        snprintf (requests [i].id, sizeof requests [i].id, "q%zu@g1", i);
    uint64_t counter = 0;
    for (int round = 0; round < 3000; round++) {
        size_t i = prng_below (&chance, REQUESTS);
        looked_t looked = {0};
        refusal_reason_t reason;
        home_attempt_t one = attempt (++counter);
        one.request_id = requests [i].id;
        switch (prng_below (&chance, 6)) {
        case 0:
        case 1:
            if (hold_state (node, &one, &reason) == COMMAND_PREPARED) {
                assert_int_equal (requests [i].told, CLAIM_FREE);
                assert_int_equal (requests [i].open, 0);
                requests [i].open = counter;
            } else {
                assert_int_equal (reason, requests [i].told == CLAIM_FREE ? REFUSAL_CLAIM_BUSY
                                                                          : REFUSAL_CLAIM_ANSWERED);
            }
            break;
        case 2:
            if (requests [i].open != 0 && prng_below (&chance, 5) == 0) {
                assert_int_equal (tell (node, PLANNER_A, requests [i].open, "Commit"),
                                  COMMAND_COMMITTED);
                requests [i].told = CLAIM_COMMITTED;
                requests [i].open = 0;
            }
            break;
        case 3:
            if (requests [i].open != 0) {
                assert_int_equal (tell (node, PLANNER_A, requests [i].open, "Abort"),
                                  COMMAND_ABORTED);
                requests [i].open = 0;
            }
            break;
        case 4:
            if (prng_below (&chance, 10) != 0)
                break;
            assert_int_equal (close_raw (node, PLANNER_B, "alice", requests [i].id, digest_one,
                                         wall (node) + 100 * HOUR_MS, &looked),
                              CALL_OK);
            if (looked.closed) {
                assert_true (requests [i].told == CLAIM_FREE || requests [i].told == CLAIM_CLOSED);
                assert_int_equal (requests [i].open, 0);
                requests [i].told = CLAIM_CLOSED;
            }
            break;
        default:
            if (prng_below (&chance, 20) == 0)
                restart (node);
            break;
        }
        look_as (node, PLANNER_B, "alice", requests [i].id, digest_one, &looked);
        assert_int_equal (looked.state, requests [i].open ? CLAIM_HELD : requests [i].told);
        if (prng_below (&chance, 50) == 0)
            world_run (world, 100);
    }
}

int main (void)
{
    const struct CMUnitTest tests [] = {
#define TEST(name) cmocka_unit_test_setup_teardown (name, world_set_up, world_tear_down)
      TEST (T2_a_repair_amends_the_answer_once_and_for_good),
      TEST (T2_what_all_have_acknowledged_is_never_amended),
      TEST (T8_who_has_fenced_amends_in_the_coordinators_place),
      TEST (after_a_restart_everything_is_answered_as_before),
      TEST (a_closed_claim_loaded_from_the_store_is_forgotten_in_time),
      TEST (damaged_records_are_skipped_with_an_alarm),
      TEST (an_answer_once_told_is_told_for_ever),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
