/*  home: one request, one claim, one answer, whoever asks again and whatever dies. The GIS's core,
 *  asked by the test as planners would; its store is kept by the fixture across restarts.
 */
#include "gis_fixture.h"
#include "message.h"

#include "gis.pb-c.h"
#include "planner.pb-c.h"

#define PLANNER_A "planner/aa000000000000000000000000000000"
#define PLANNER_B "planner/bb000000000000000000000000000000"
#define HOUR_MS   INT64_C (3600000)

static const uint8_t digest_one [DIGEST_BYTES] = {1};
static const uint8_t digest_two [DIGEST_BYTES] = {2};

static gis_settings_t home_settings (void)
{
    gis_settings_t settings = gis_settings_default;
    settings.name = "gis/g1";
    return settings;
}

static node_t *home_up (world_t *world)
{
    gis_settings_t settings = home_settings ();
    return gis_new (world, &settings);
}

static void restart (node_t *node)
{
    gis_settings_t settings = home_settings ();
    node_die (node);
    gis_up (node, &settings);
}

static int64_t wall (const node_t *node)
{
    return EPOCH_MS + node->world->now_ms;
}

static packed_t answer_of (Musubi__AnswerStatus status, const char *reservation, int64_t end_ms)
{
    Musubi__Answer answer = MUSUBI__ANSWER__INIT;
    answer.status = status;
    answer.reservation = (char *) reservation;
    answer.end_ms = end_ms;
    packed_t packed;
    packed.data = message_pack (&answer.base, &packed.size);
    return packed;
}

static txid_t txid_of (const char *planner, uint64_t counter)
{
    return (txid_t){
      .store = {strcmp (planner, PLANNER_A) == 0 ? 0xaa : 0xbb}, .start = 1, .counter = counter};
}

/*  One attempt at the claim of a request. */
typedef struct {
    const char *planner;
    uint64_t counter;
    const char *actor;
    const char *request_id;
    const uint8_t *digest;
    const char *home;
    bool prepare;
    uint64_t replaces; /* counter of the same planner; 0 = none */
    int64_t end_ms;    /* of the answer's last window; 0 = no answer yet */
} attempt_t;

static attempt_t attempt (uint64_t counter)
{
    return (attempt_t){.planner = PLANNER_A,
                       .counter = counter,
                       .actor = "alice",
                       .request_id = "r1@g1",
                       .digest = digest_one,
                       .home = "gis/g1",
                       .prepare = true,
                       .end_ms = EPOCH_MS + HOUR_MS};
}

static command_answer_t answered (node_t *node)
{
    command_answer_t answer;
    char why [WHY_BYTES];
    assert_int_equal (node->world->status, CALL_OK);
    assert_true (command_answer_decode (&answer, fixture_bytes (node->world->body), why));
    return answer;
}

static packed_t hold_of (node_t *node, const attempt_t *attempt)
{
    party_t parties [2] = {{.name = "gis/g1", .endpoint = "sim://gis/g1"},
                           {.name = "lis/ams", .store = {7}, .endpoint = "sim://lis/ams"}};
    memcpy (parties [0].store, node->store, STORE_ID_BYTES);
    hold_t hold = {.plan = {.txid = txid_of (attempt->planner, attempt->counter),
                            .participants = parties,
                            .participants_count = 2,
                            .decide_by_ms = wall (node) + 10000,
                            .edge_ms = wall (node) + HOUR_MS},
                   .part_kind = PART_CLAIM,
                   .prepare = attempt->prepare};
    snprintf (hold.plan.reservation, sizeof hold.plan.reservation, "res-%llu",
              (unsigned long long) attempt->counter);
    memcpy (hold.plan.coordinator.store, hold.plan.txid.store, STORE_ID_BYTES);
    snprintf (hold.plan.coordinator.name, sizeof hold.plan.coordinator.name, "%s",
              attempt->planner);
    snprintf (hold.plan.coordinator.endpoint, sizeof hold.plan.coordinator.endpoint, "sim://p");
    snprintf (hold.plan.actor, sizeof hold.plan.actor, "%s", attempt->actor);
    snprintf (hold.plan.request_id, sizeof hold.plan.request_id, "%s", attempt->request_id);
    snprintf (hold.plan.home, sizeof hold.plan.home, "%s", attempt->home);
    if (attempt->replaces)
        hold.replaces [hold.replaces_count++] = txid_of (attempt->planner, attempt->replaces);
    packed_t answer = {0};
    if (attempt->end_ms)
        answer = answer_of (MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED, hold.plan.reservation,
                            attempt->end_ms);
    packed_t part = claim_part_encode (attempt->digest, fixture_bytes (answer));
    hold.part = part.data;
    hold.part_size = part.size;
    packed_t body = hold_encode (&hold);
    free (part.data);
    free (answer.data);
    return body;
}

static call_status_t hold_raw (node_t *node, const attempt_t *attempt)
{
    return ask_packed (node, attempt->planner, "Participant", "Hold", hold_of (node, attempt));
}

static command_answer_t hold (node_t *node, const attempt_t *attempt)
{
    assert_int_equal (hold_raw (node, attempt), CALL_OK);
    return answered (node);
}

/*  The state it got, or COMMAND_REJECTED with the reason in *reason. */
static command_state_t hold_state (node_t *node, const attempt_t *attempt, refusal_reason_t *reason)
{
    command_answer_t answer = hold (node, attempt);
    command_state_t state = answer.state;
    if (reason)
        *reason = answer.refusal.reason;
    command_answer_clear (&answer);
    return state;
}

static command_state_t tell (node_t *node, const char *planner, uint64_t counter,
                             const char *method)
{
    txid_t txid = txid_of (planner, counter);
    assert_int_equal (
      ask_packed (node, planner, "Participant", method, txid_message_encode (&txid)), CALL_OK);
    command_answer_t answer = answered (node);
    command_state_t state = answer.state;
    command_answer_clear (&answer);
    return state;
}

static void tell_done (node_t *node, uint64_t counter)
{
    txid_t txid = txid_of (PLANNER_A, counter);
    assert_int_equal (ask_packed (node, PLANNER_A, "Participant", "Done", done_encode (&txid, 1)),
                      CALL_OK);
}

static void commit_one (node_t *node, uint64_t counter)
{
    attempt_t one = attempt (counter);
    assert_int_equal (hold_state (node, &one, NULL), COMMAND_PREPARED);
    assert_int_equal (tell (node, PLANNER_A, counter, "Commit"), COMMAND_COMMITTED);
}

/*  --- look and close --- */

typedef struct {
    bool closed;
    int state;
    bool conflict;
    bool done;
    int answer_status; /* -1 = no answer */
    uint64_t holder;   /* its txid's counter; 0 = none */
} looked_t;

static looked_t looked_of (const Musubi__LookAnswer *answer)
{
    looked_t looked = {.state = (int) answer->state,
                       .conflict = answer->conflict,
                       .done = answer->done,
                       .answer_status = -1};
    if (answer->answer.len > 0) {
        Musubi__Answer *told = (Musubi__Answer *) message_unpack (
          &musubi__answer__descriptor,
          (bytes_t){.data = answer->answer.data, .size = answer->answer.len});
        assert_non_null (told);
        looked.answer_status = (int) told->status;
        message_free (&told->base);
    }
    if (answer->holder.len > 0) {
        plan_t plan;
        char why [WHY_BYTES];
        assert_true (plan_decode (
          &plan, (bytes_t){.data = answer->holder.data, .size = answer->holder.len}, why));
        looked.holder = plan.txid.counter;
        plan_clear (&plan);
    }
    return looked;
}

static call_status_t look_as (node_t *node, const char *caller, const char *actor,
                              const char *request_id, const uint8_t *digest, looked_t *looked)
{
    Musubi__LookRequest request = MUSUBI__LOOK_REQUEST__INIT;
    request.actor = (char *) actor;
    request.request_id = (char *) request_id;
    if (digest)
        request.digest = (ProtobufCBinaryData){.len = DIGEST_BYTES, .data = (uint8_t *) digest};
    packed_t body;
    body.data = message_pack (&request.base, &body.size);
    call_status_t status = ask_packed (node, caller, "Home", "Look", body);
    if (status == CALL_OK) {
        Musubi__LookAnswer *answer = (Musubi__LookAnswer *) message_unpack (
          &musubi__look_answer__descriptor, fixture_bytes (node->world->body));
        assert_non_null (answer);
        *looked = looked_of (answer);
        message_free (&answer->base);
    }
    return status;
}

static looked_t look (node_t *node)
{
    looked_t looked = {0};
    assert_int_equal (look_as (node, PLANNER_B, "alice", "r1@g1", digest_one, &looked), CALL_OK);
    return looked;
}

static call_status_t close_raw (node_t *node, const char *caller, const char *actor,
                                const char *request_id, const uint8_t *digest,
                                int64_t keep_until_ms, looked_t *looked)
{
    Musubi__CloseRequest request = MUSUBI__CLOSE_REQUEST__INIT;
    packed_t refusal = answer_of (MUSUBI__ANSWER_STATUS__ANSWER_REFUSED, "", 0);
    request.actor = (char *) actor;
    request.request_id = (char *) request_id;
    request.digest = (ProtobufCBinaryData){.len = DIGEST_BYTES, .data = (uint8_t *) digest};
    request.answer = (ProtobufCBinaryData){.len = refusal.size, .data = refusal.data};
    request.keep_until_ms = keep_until_ms;
    packed_t body;
    body.data = message_pack (&request.base, &body.size);
    free (refusal.data);
    call_status_t status = ask_packed (node, caller, "Home", "Close", body);
    if (status == CALL_OK) {
        Musubi__CloseAnswer *answer = (Musubi__CloseAnswer *) message_unpack (
          &musubi__close_answer__descriptor, fixture_bytes (node->world->body));
        assert_non_null (answer);
        *looked = looked_of (answer->look);
        looked->closed = answer->closed;
        message_free (&answer->base);
    }
    return status;
}

static looked_t close_claim (node_t *node, const uint8_t *digest)
{
    looked_t looked = {0};
    assert_int_equal (
      close_raw (node, PLANNER_A, "alice", "r1@g1", digest, wall (node) + HOUR_MS, &looked),
      CALL_OK);
    return looked;
}

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
    attempt_t first = attempt (1);
    attempt_t second = attempt (2);
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
    command_answer_clear (&answer);
    looked_t looked = look (node);
    assert_int_equal (looked.state, CLAIM_HELD);
    assert_int_equal (looked.holder, 1);
    assert_int_equal (looked.answer_status, -1); /* nothing may be told yet */
}

static void the_same_attempt_repeats_safely (void **state)
{
    node_t *node = home_up (*state);
    attempt_t one = attempt (1);
    packed_t body = hold_of (node, &one);
    for (int i = 0; i < 3; i++) {
        assert_int_equal (ask (node, PLANNER_A, "Participant", "Hold", fixture_bytes (body)),
                          CALL_OK);
        command_answer_t answer = answered (node);
        assert_int_equal (answer.state, COMMAND_PREPARED);
        command_answer_clear (&answer);
    }
    free (body.data);
    assert_int_equal (stored_of (node, TABLE_COMMANDS), 1);
}

static void another_body_under_the_same_id_is_a_conflict_in_every_state (void **state)
{
    node_t *node = home_up (*state);
    refusal_reason_t reason;
    attempt_t first = attempt (1);
    attempt_t other = attempt (2);
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
    attempt_t again = attempt (2);
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
        command_answer_clear (&answer);
        looked_t looked = look (node);
        assert_int_equal (looked.state, CLAIM_COMMITTED);
        assert_int_equal (looked.done, done);
        assert_int_equal (looked.holder, 1);
        assert_int_equal (looked.answer_status, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
        tell_done (node, 1);
    }
}

static void an_aborted_or_expired_attempt_frees_the_claim (void **state)
{
    world_t *world = *state;
    node_t *node = home_up (world);
    attempt_t one = attempt (1);
    hold_state (node, &one, NULL);
    assert_int_equal (tell (node, PLANNER_A, 1, "Abort"), COMMAND_ABORTED);
    assert_int_equal (look (node).state, CLAIM_FREE);
    attempt_t two = attempt (2);
    two.prepare = false;
    assert_int_equal (hold_state (node, &two, NULL), COMMAND_HELD);
    world_run (world, node->world->now_ms + 60001);
    assert_int_equal (look (node).state, CLAIM_FREE);
    attempt_t three = attempt (3);
    assert_int_equal (hold_state (node, &three, NULL), COMMAND_PREPARED);
}

static void the_next_plan_replaces_the_one_before (void **state)
{
    node_t *node = home_up (*state);
    attempt_t one = attempt (1);
    attempt_t two = attempt (2);
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
    attempt_t one = attempt (1);
    one.prepare = false;
    one.end_ms = 0;
    assert_int_equal (hold_state (node, &one, NULL), COMMAND_HELD);
    txid_t txid = txid_of (PLANNER_A, 1);
    packed_t answer = answer_of (MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED, "res-1", EPOCH_MS);
    packed_t part = claim_part_encode (digest_one, fixture_bytes (answer));
    bytes_t bytes = fixture_bytes (part);
    assert_int_equal (
      ask_packed (node, PLANNER_A, "Participant", "Prepare", prepare_encode (&txid, &bytes)),
      CALL_OK);
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
        attempt_t one = attempt (1);
        one.request_id = ids [i];
        assert_int_equal (hold_raw (node, &one), CALL_BAD_REQUEST);
        assert_int_equal (look_as (node, PLANNER_A, "alice", ids [i], NULL, &looked),
                          CALL_BAD_REQUEST);
        assert_int_equal (
          close_raw (node, PLANNER_A, "alice", ids [i], digest_one, EPOCH_MS, &looked),
          CALL_BAD_REQUEST);
    }
    attempt_t elsewhere = attempt (1);
    elsewhere.home = "gis/g2";
    assert_int_equal (hold_raw (node, &elsewhere), CALL_BAD_REQUEST);
    assert_int_equal (stored_of (node, TABLE_COMMANDS), 0);
    attempt_t dotted = attempt (1);
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
    attempt_t late = attempt (1);
    command_answer_t answer = hold (node, &late);
    assert_int_equal (answer.refusal.reason, REFUSAL_CLAIM_ANSWERED);
    assert_true (answer.refusal.answer_size > 0);
    command_answer_clear (&answer);
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
    attempt_t late = attempt (1);
    late.digest = digest_two;
    refusal_reason_t reason;
    hold_state (node, &late, &reason);
    assert_int_equal (reason, REFUSAL_CONFLICT);
}

static void closing_fails_while_an_attempt_has_the_claim (void **state)
{
    node_t *node = home_up (*state);
    attempt_t held = attempt (1);
    held.prepare = false;
    hold_state (node, &held, NULL);
    looked_t looked = close_claim (node, digest_one);
    assert_false (looked.closed);
    assert_int_equal (looked.state, CLAIM_HELD);
    assert_int_equal (looked.holder, 1);

    txid_t txid = txid_of (PLANNER_A, 1); /* only held: RESOLVE ends it for good */
    assert_int_equal (ask_packed (node, PLANNER_B, "Participant", "Resolve",
                                  resolve_encode (&txid, wall (node) + 10000)),
                      CALL_OK);
    assert_true (close_claim (node, digest_one).closed);
    assert_int_equal (tell (node, PLANNER_A, 1, "Prepare"), COMMAND_ABORTED);
}

static void closing_fails_while_prepared_and_once_committed (void **state)
{
    node_t *node = home_up (*state);
    attempt_t one = attempt (1);
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
    attempt_t one = attempt (1);
    one.prepare = false;
    one.end_ms = 0;
    hold_state (node, &one, NULL);
    txid_t txid = txid_of (PLANNER_A, 1);
    uint8_t garbage [] = {0xff, 0xff, 0xff};
    packed_t claim = claim_part_encode (digest_one, (bytes_t){garbage, sizeof garbage});
    assert_int_equal (ask_packed (node, PLANNER_A, "Participant", "Prepare",
                                  prepare_encode (&txid, &(bytes_t){claim.data, claim.size})),
                      CALL_BAD_REQUEST);
    free (claim.data);
    assert_int_equal (look (node).state, CLAIM_HELD);
}

static void closing_after_an_abort_succeeds (void **state)
{
    node_t *node = home_up (*state);
    attempt_t one = attempt (1);
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
    attempt_t one = attempt (1);
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
    attempt_t one = attempt (1);
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

/*  --- amend (T10) --- */

static command_answer_t amend_as (node_t *node, const char *planner, uint64_t counter,
                                  uint32_t epoch, Musubi__AnswerStatus status,
                                  const char *reservation)
{
    txid_t txid = txid_of (PLANNER_A, counter);
    packed_t told = answer_of (status, reservation, 0);
    packed_t body = amend_encode (&txid, epoch, fixture_bytes (told));
    free (told.data);
    assert_int_equal (ask_packed (node, planner, "Participant", "Amend", body), CALL_OK);
    return answered (node);
}

static refusal_reason_t amend_refused (node_t *node, const char *planner, uint64_t counter,
                                       uint32_t epoch, Musubi__AnswerStatus status)
{
    command_answer_t answer = amend_as (node, planner, counter, epoch, status, "res-1");
    refusal_reason_t reason = answer.refusal.reason;
    command_answer_clear (&answer);
    return reason;
}

static void T2_a_repair_amends_the_answer_once_and_for_good (void **state)
{
    world_t *world = *state;
    node_t *node = home_up (world);
    attempt_t one = attempt (1);
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
    assert_int_equal (
      amend_refused (node, PLANNER_A, 1, 0, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED),
      REFUSAL_CONFLICT);
    assert_int_equal (look (node).answer_status, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    refusal_reason_t reason;
    attempt_t two = attempt (2); /* the request is answered */
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
    attempt_t one = attempt (1);
    txid_t txid = txid_of (PLANNER_A, 1);
    assert_int_equal (hold_state (node, &one, NULL), COMMAND_PREPARED);
    assert_int_equal (
      ask_packed (node, PLANNER_B, "Participant", "Fence", fence_encode (&txid, 2, wall (node))),
      CALL_OK);
    assert_int_equal (
      ask_packed (node, PLANNER_B, "Participant", "Commit", decision_message_encode (&txid, 2)),
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
    attempt_t prepared = attempt (2);
    prepared.request_id = "r2@g1";
    hold_state (node, &prepared, NULL);
    attempt_t held = attempt (3);
    held.request_id = "r3@g1";
    held.prepare = false;
    hold_state (node, &held, NULL);
    close_raw (node, PLANNER_A, "alice", "r4@g1", digest_one, wall (node) + HOUR_MS, &looked);
    tell_done (node, 1);
    world_run (node->world, 10000); /* marks of done are written lazily */

    for (int i = 0; i < 2; i++) {
        restart (node);
        gis_check (&node->core);
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
    attempt_t again = attempt (9);
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
    stored_t *good = &node->records [stored_find (
      node, TABLE_CLAIMS, (bytes_t){.data = (const uint8_t *) "alice\0r1@g1", .size = 11})];
    node_step (node, &(event_t){.kind = EVENT_RECORD,
                                .record = {.table = TABLE_CLAIMS,
                                           .key = fixture_bytes (good->key),
                                           .value = fixture_bytes (good->value)}});
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
        attempt_t one = attempt (++counter);
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
        gis_check (&node->core);
        if (prng_below (&chance, 50) == 0)
            world_run (world, 100);
    }
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
