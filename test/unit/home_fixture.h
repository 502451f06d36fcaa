/*  home_fixture - a GIS as the home of requests, asked by the test as planners would; its store is
 *  kept by the fixture below across restarts.
 */
#ifndef MUSUBI_HOME_FIXTURE_H
#define MUSUBI_HOME_FIXTURE_H

#include "../gis_everybody.h"
#include "gis_fixture.h"
#include "message.h"

#include "gis.pb-c.h"
#include "planner.pb-c.h"

#define PLANNER_A "planner/aa000000000000000000000000000000"
#define PLANNER_B "planner/bb000000000000000000000000000000"
#define HOUR_MS   INT64_C (3600000)

static const uint8_t digest_one [DIGEST_BYTES] = {1};
static const uint8_t digest_two [DIGEST_BYTES] = {2};

static inline gis_settings_t home_settings (void)
{
    gis_settings_t settings = gis_for_everybody ();
    settings.name = "gis/g1";
    return settings;
}

static inline node_t *home_up (world_t *world)
{
    gis_settings_t settings = home_settings ();
    return gis_new (world, &settings);
}

static inline void restart (node_t *node)
{
    gis_settings_t settings = home_settings ();
    node_die (node);
    gis_up (node, &settings);
}

static inline int64_t wall (const node_t *node)
{
    return EPOCH_MS + node->world->now_ms;
}

static inline packed_t answer_of (Musubi__AnswerStatus status, const char *reservation,
                                  int64_t end_ms)
{
    Musubi__Answer answer = MUSUBI__ANSWER__INIT;
    answer.status = status;
    answer.reservation = (char *) reservation;
    answer.end_ms = end_ms;
    packed_t packed;
    packed.data = message_pack (&answer.base, &packed.size);
    return packed;
}

static inline txid_t txid_of (const char *planner, uint64_t counter)
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
} home_attempt_t;

static inline home_attempt_t attempt (uint64_t counter)
{
    return (home_attempt_t){.planner = PLANNER_A,
                            .counter = counter,
                            .actor = "alice",
                            .request_id = "r1@g1",
                            .digest = digest_one,
                            .home = "gis/g1",
                            .prepare = true,
                            .end_ms = EPOCH_MS + HOUR_MS};
}

static inline command_answer_t answered (node_t *node)
{
    command_answer_t answer;
    char why [WHY_BYTES];
    assert_int_equal (node->world->status, CALL_OK);
    assert_true (
      codec_decode (&command_answer_codec, &answer, kept_bytes (node->world->body), why));
    return answer;
}

static inline packed_t hold_of (node_t *node, const home_attempt_t *attempt)
{
    participant_ref_t parties [2] = {
      {.name = "gis/g1", .endpoint = "sim://gis/g1"},
      {.name = "lis/ams", .store = {7}, .endpoint = "sim://lis/ams"}};
    memcpy (parties [0].store, node->host.store.id, STORE_ID_BYTES);
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
    packed_t part = claim_part_encode (attempt->digest, kept_bytes (answer));
    hold.part = part.data;
    hold.part_size = part.size;
    packed_t body = codec_encode (&hold_codec, &hold);
    free (part.data);
    free (answer.data);
    return body;
}

static inline call_status_t hold_raw (node_t *node, const home_attempt_t *attempt)
{
    return ask_packed (node, attempt->planner, "Participant", "Hold", hold_of (node, attempt));
}

static inline command_answer_t hold (node_t *node, const home_attempt_t *attempt)
{
    assert_int_equal (hold_raw (node, attempt), CALL_OK);
    return answered (node);
}

/*  The state of the claim, or COMMAND_REJECTED with the reason in *reason. */
static inline command_state_t hold_state (node_t *node, const home_attempt_t *attempt,
                                          refusal_reason_t *reason)
{
    command_answer_t answer = hold (node, attempt);
    command_state_t state = answer.state;
    if (reason)
        *reason = answer.refusal.reason;
    codec_clear (&command_answer_codec, &answer);
    return state;
}

static inline command_state_t tell (node_t *node, const char *planner, uint64_t counter,
                                    const char *method)
{
    txid_t txid = txid_of (planner, counter);
    assert_int_equal (
      ask_packed (node, planner, "Participant", method,
                  codec_encode (&decision_request_codec, &(decision_request_t){txid, 0})),
      CALL_OK);
    command_answer_t answer = answered (node);
    command_state_t state = answer.state;
    codec_clear (&command_answer_codec, &answer);
    return state;
}

static inline void tell_done (node_t *node, uint64_t counter)
{
    txid_t txid = txid_of (PLANNER_A, counter);
    assert_int_equal (ask_packed (node, PLANNER_A, "Participant", "Done",
                                  codec_encode (&done_request_codec, &(done_request_t){&txid, 1})),
                      CALL_OK);
}

static inline void commit_one (node_t *node, uint64_t counter)
{
    home_attempt_t one = attempt (counter);
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

static inline looked_t looked_of (const Musubi__LookAnswer *answer)
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
        assert_true (
          codec_decode (&plan_codec, &plan,
                        (bytes_t){.data = answer->holder.data, .size = answer->holder.len}, why));
        looked.holder = plan.txid.counter;
        codec_clear (&plan_codec, &plan);
    }
    return looked;
}

static inline call_status_t look_as (node_t *node, const char *caller, const char *actor,
                                     const char *request_id, const uint8_t *digest,
                                     looked_t *looked)
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
          &musubi__look_answer__descriptor, kept_bytes (node->world->body));
        assert_non_null (answer);
        *looked = looked_of (answer);
        message_free (&answer->base);
    }
    return status;
}

static inline looked_t look (node_t *node)
{
    looked_t looked = {0};
    assert_int_equal (look_as (node, PLANNER_B, "alice", "r1@g1", digest_one, &looked), CALL_OK);
    return looked;
}

static inline call_status_t close_raw (node_t *node, const char *caller, const char *actor,
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
          &musubi__close_answer__descriptor, kept_bytes (node->world->body));
        assert_non_null (answer);
        *looked = looked_of (answer->look);
        looked->closed = answer->closed;
        message_free (&answer->base);
    }
    return status;
}

static inline looked_t close_claim (node_t *node, const uint8_t *digest)
{
    looked_t looked = {0};
    assert_int_equal (
      close_raw (node, PLANNER_A, "alice", "r1@g1", digest, wall (node) + HOUR_MS, &looked),
      CALL_OK);
    return looked;
}

#endif
