/*  The participant at a request home (T2): the same verbs over claims of capacity one,
 *  without versions, edge or reservation.
 */
#include "participant_fixture.h"

/*  --- a resource of claims --- */

typedef struct claim {
    struct claim *next;
    char request [NAME_BYTES_MAX + REQUEST_ID_BYTES_MAX + 2];
    txid_t txid;
    packed_t answer;
    bool settled;
    bool final;
} participant_claims_claim_t;

static participant_claims_claim_t *claims;

static void *claim_take (void *owner, const moment_t *now, const plan_t *plan, const void *current,
                         const part_body_t *part, bool forced, refusal_t *refusal)
{
    (void) owner;
    (void) now;
    assert_null (current);
    participant_claims_claim_t *claim = calloc (1, sizeof *claim);
    snprintf (claim->request, sizeof claim->request, "%s/%s", plan->actor, plan->request_id);
    for (const participant_claims_claim_t *at = claims; at && !forced; at = at->next) {
        if (strcmp (at->request, claim->request) == 0) {
            free (claim);
            refusal->reason = at->settled ? REFUSAL_CLAIM_ANSWERED : REFUSAL_CLAIM_BUSY;
            refusal->blocker = at->txid;
            refusal->blocker_set = true;
            return NULL;
        }
    }
    claim->answer = packed_copy (packed_bytes (part->claim.answer));
    claim->txid = plan->txid;
    claim->next = claims;
    claims = claim;
    return claim;
}

static void claim_drop (void *owner, void *taken)
{
    (void) owner;
    for (participant_claims_claim_t **at = &claims; *at; at = &(*at)->next) {
        if (*at == taken) {
            *at = (*at)->next;
            free (((participant_claims_claim_t *) taken)->answer.data);
            free (taken);
            return;
        }
    }
    fail_msg ("dropped a claim that is not there");
}

static void *claim_settle (void *owner, void *current, void *taken)
{
    (void) owner;
    assert_null (current);
    ((participant_claims_claim_t *) taken)->settled = true;
    return taken;
}

static void claim_answer_final (void *owner, void *current)
{
    (void) owner;
    ((participant_claims_claim_t *) current)->final = true;
}

static void claim_end (void *owner, void *current)
{
    assert_true (((participant_claims_claim_t *) current)->settled);
    claim_drop (owner, current);
}

static span_t claim_span (void *owner, const part_body_t *part)
{
    (void) owner;
    (void) part;
    return (span_t){.set = true, .from_ms = WALL_MS, .until_ms = WALL_MS + 2 * HOUR_MS};
}

static bool claim_valid (void *owner, const plan_t *plan, const part_body_t *part,
                         refusal_t *refusal, char why [WHY_BYTES])
{
    (void) owner;
    (void) refusal;
    packed_t answer = part->claim.answer;
    if (!*plan->home)
        return wrong (why, "plan.home: missing");
    return answer.size == 0 || answer.data [0] != '?' ||
           wrong (why, "claim.answer: not such a message");
}

static participant_rig_t *home_started (void)
{
    participant_rig_t *rig = rig_new (0);
    rig->resource = (resource_t){.owner = rig,
                                 .part_kind = PART_CLAIM,
                                 .claims = true,
                                 .take = claim_take,
                                 .drop = claim_drop,
                                 .settle = claim_settle,
                                 .end = claim_end,
                                 .span = claim_span,
                                 .valid = claim_valid,
                                 .answer_final = claim_answer_final};
    rig_boot (rig);
    return rig;
}

static packed_t claim_part (uint8_t digest_byte, const char *answer)
{
    uint8_t digest [DIGEST_BYTES] = {digest_byte};
    return claim_part_encode (digest,
                              (bytes_t){(const uint8_t *) answer, answer ? strlen (answer) : 0});
}

static hold_t claim_of (const participant_rig_t *rig, uint64_t counter, const char *request_id,
                        const char *answer)
{
    hold_t hold = hold_of (rig, counter, OPERATION_RESERVE, "r1", 0, 0, 1, 2);
    strcpy (hold.plan.request_id, request_id);
    free (hold.part);
    packed_t part = claim_part (7, answer);
    hold.part = part.data;
    hold.part_size = part.size;
    hold.part_kind = PART_CLAIM;
    return hold;
}

static const participant_claims_claim_t *claim_of_txid (uint64_t counter)
{
    txid_t txid = txid_numbered (counter);
    for (const participant_claims_claim_t *claim = claims; claim; claim = claim->next)
        if (txid_compare (&claim->txid, &txid) == 0)
            return claim;
    return NULL;
}

static packed_t prepare_message (const txid_t *txid, packed_t claim)
{
    return codec_encode (&prepare_request_codec,
                         &(prepare_request_t){*txid, claim, claim.data != NULL});
}

static command_answer_t prepare (participant_rig_t *rig, uint64_t counter, packed_t claim)
{
    txid_t txid = txid_numbered (counter);
    packed_t body = prepare_message (&txid, claim);
    free (claim.data);
    rig_request (rig, PLANNER, "Prepare", body);
    return rig_answer (rig);
}

/*  --- promises --- */

static void T2_one_attempt_has_the_claim (void **state)
{
    (void) state;
    participant_rig_t *rig = home_started ();
    assert_int_equal (rig_hold (rig, claim_of (rig, 1, "a@g1", "yes")).state, COMMAND_PREPARED);
    command_answer_t answer = rig_hold (rig, claim_of (rig, 2, "a@g1", "yes"));
    assert_int_equal (answer.refusal.reason, REFUSAL_CLAIM_BUSY);
    assert_int_equal (answer.refusal.blocker.counter, 1);
    assert_int_equal (rig_hold (rig, claim_of (rig, 3, "b@g1", "yes")).state, COMMAND_PREPARED);
    rig_verb (rig, "Abort", 1);
    assert_int_equal (rig_hold (rig, claim_of (rig, 4, "a@g1", "yes")).state, COMMAND_PREPARED);
    rig_verb (rig, "Commit", 4);
    assert_int_equal (rig_hold (rig, claim_of (rig, 5, "a@g1", "yes")).refusal.reason,
                      REFUSAL_CLAIM_ANSWERED);
    rig_destroy (rig);
    assert_null (claims);
}

static void T2_a_replacing_attempt_takes_the_claim_over_in_one_write (void **state)
{
    (void) state;
    participant_rig_t *rig = home_started ();
    rig_hold (rig, claim_of (rig, 1, "a@g1", "yes"));
    hold_t hold = claim_of (rig, 2, "a@g1", "other");
    hold.replaces [hold.replaces_count++] = txid_numbered (1);
    assert_int_equal (rig_hold (rig, hold).state, COMMAND_PREPARED);
    assert_int_equal (rig->puts, 2);
    assert_null (claim_of_txid (1));
    rig_destroy (rig);
}

static void T2_the_claim_has_no_edge_and_no_version (void **state)
{
    (void) state;
    participant_rig_t *rig = home_started ();
    rig_hold (rig, claim_of (rig, 1, "a@g1", "yes"));
    rig_hold (rig, claim_of (rig, 2, "b@g1", "yes")); /* the same reservation: not its business */
    for (int hour = 0; hour < 5; hour++) {
        rig_pass (rig, HOUR_MS);
        rig_forget_calls (rig);
    }
    assert_int_equal (rig_state (rig, 1), COMMAND_PREPARED);
    assert_int_equal (rig_verb (rig, "Commit", 1).state, COMMAND_COMMITTED);
    assert_false (rig_verb (rig, "Commit", 1).late);
    rig_destroy (rig);
}

static void T2_prepare_brings_the_answer_to_keep (void **state)
{
    (void) state;
    participant_rig_t *rig = home_started ();
    hold_t hold = claim_of (rig, 1, "a@g1", NULL);
    hold.prepare = false;
    packed_t again = codec_encode (&hold_codec, &hold);
    rig_hold (rig, hold);
    assert_int_equal (prepare (rig, 1, claim_part (7, "the answer")).state, COMMAND_PREPARED);
    assert_int_equal (claim_of_txid (1)->answer.size, strlen ("the answer"));
    assert_int_equal (prepare (rig, 1, claim_part (7, "the answer")).refusal.reason, REFUSAL_NONE);
    assert_int_equal (prepare (rig, 1, (packed_t){0}).refusal.reason, REFUSAL_NONE);
    assert_int_equal (prepare (rig, 1, claim_part (7, "another")).refusal.reason, REFUSAL_CONFLICT);
    /* the hold itself, doubled on its way, is no conflict */
    rig_request (rig, PLANNER, "Hold", again);
    assert_int_equal (rig_answer (rig).refusal.reason, REFUSAL_NONE);
    rig_restart (rig, 10);
    assert_int_equal (rig_verb (rig, "Commit", 1).state, COMMAND_COMMITTED);
    rig_restart (rig, 10);
    assert_int_equal (claim_of_txid (1)->answer.size, strlen ("the answer"));
    assert_true (claim_of_txid (1)->settled);
    rig_destroy (rig);
}

static void T2_prepare_brings_only_an_answer_that_the_home_understands (void **state)
{
    (void) state;
    participant_rig_t *rig = home_started ();
    hold_t hold = claim_of (rig, 1, "a@g1", NULL);
    hold.prepare = false;
    rig_hold (rig, hold);
    txid_t txid = txid_numbered (1);
    packed_t part = claim_part (7, "?");
    rig_request (rig, PLANNER, "Prepare", prepare_message (&txid, part));
    free (part.data);
    assert_int_equal (rig->status, CALL_BAD_REQUEST);
    assert_non_null (strstr (rig->reason, "claim.answer"));
    assert_int_equal (rig_state (rig, 1), COMMAND_HELD);
    assert_int_equal (claim_of_txid (1)->answer.size, 0);
    assert_int_equal (prepare (rig, 1, claim_part (7, "the answer")).state, COMMAND_PREPARED);
    rig_destroy (rig);
}

static void T2_prepare_for_another_body_is_a_conflict (void **state)
{
    (void) state;
    participant_rig_t *rig = home_started ();
    hold_t hold = claim_of (rig, 1, "a@g1", NULL);
    hold.prepare = false;
    rig_hold (rig, hold);
    assert_int_equal (prepare (rig, 1, claim_part (8, "x")).refusal.reason, REFUSAL_CONFLICT);
    assert_int_equal (rig_state (rig, 1), COMMAND_HELD);
    rig_destroy (rig);
}

static void a_claim_brought_to_a_site_is_a_conflict (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    hold_t hold = hold_of (rig, 1, OPERATION_RESERVE, "r1", 0, 1, 1, 2);
    hold.prepare = false;
    rig_hold (rig, hold);
    assert_int_equal (prepare (rig, 1, claim_part (7, "x")).refusal.reason, REFUSAL_CONFLICT);
    assert_int_equal (rig_state (rig, 1), COMMAND_HELD);
    rig_destroy (rig);
}

static void T2_a_committed_claim_is_kept_until_the_window_and_retention_have_passed (void **state)
{
    (void) state;
    participant_rig_t *rig = home_started ();
    rig_hold (rig, claim_of (rig, 1, "a@g1", "yes"));
    rig_verb (rig, "Commit", 1);
    txid_t txid = txid_numbered (1);
    rig_request (rig, PLANNER, "Done",
                 codec_encode (&done_request_codec, &(done_request_t){&txid, 1}));
    rig_pass (rig, 26 * HOUR_MS - 1000);
    assert_non_null (claim_of_txid (1));
    rig_pass (rig, HOUR_MS);
    assert_null (claim_of_txid (1));
    assert_int_equal (rig->host.records.count, 0);
    rig_destroy (rig);
}

static void T6_the_home_hears_when_all_have_acknowledged_also_after_a_restart (void **state)
{
    (void) state;
    participant_rig_t *rig = home_started ();
    txid_t txid = txid_numbered (1);
    rig_hold (rig, claim_of (rig, 1, "a@g1", "yes"));
    rig_hold (rig, claim_of (rig, 2, "b@g1", "yes"));
    rig_verb (rig, "Commit", 1);
    rig_verb (rig, "Commit", 2);
    assert_false (claim_of_txid (1)->final);
    rig_request (rig, PLANNER, "Done",
                 codec_encode (&done_request_codec, &(done_request_t){&txid, 1}));
    assert_true (claim_of_txid (1)->final);
    assert_false (claim_of_txid (2)->final);
    rig_hold (rig, claim_of (rig, 3, "c@g1", "yes")); /* the mark is stored with it */
    rig_restart (rig, 0);
    assert_true (claim_of_txid (1)->final);
    assert_false (claim_of_txid (2)->final);
    rig_destroy (rig);
}

/*  Its answer has no window; the edge of a release is where the old window ends. */
static void T2_the_claim_of_a_release_is_kept_until_the_released_window_has_passed (void **state)
{
    (void) state;
    participant_rig_t *rig = home_started ();
    hold_t hold = claim_of (rig, 1, "a@g1", "yes");
    hold.plan.operation = OPERATION_RELEASE;
    hold.plan.base_version = 1;
    hold.plan.edge_ms = WALL_MS + 50 * HOUR_MS;
    rig_hold (rig, hold);
    rig_verb (rig, "Commit", 1);
    txid_t txid = txid_numbered (1);
    rig_request (rig, PLANNER, "Done",
                 codec_encode (&done_request_codec, &(done_request_t){&txid, 1}));
    rig_pass (rig, 74 * HOUR_MS - 1000);
    assert_int_equal (rig_hold (rig, claim_of (rig, 2, "a@g1", "yes")).refusal.reason,
                      REFUSAL_CLAIM_ANSWERED);
    rig_pass (rig, HOUR_MS);
    assert_null (claim_of_txid (1));
    rig_destroy (rig);
}

/*  An answer that tells of no window yet, or of less than the plan: the plan tells (T2). */
static void T2_a_claim_is_kept_until_the_whole_plans_last_window_and_retention_have_passed (
  void **state)
{
    (void) state;
    participant_rig_t *rig = home_started ();
    hold_t hold = claim_of (rig, 1, "a@g1", "yes");
    hold.plan.end_ms = WALL_MS + 74 * HOUR_MS;
    rig_hold (rig, hold);
    rig_verb (rig, "Commit", 1);
    txid_t txid = txid_numbered (1);
    rig_request (rig, PLANNER, "Done",
                 codec_encode (&done_request_codec, &(done_request_t){&txid, 1}));
    rig_pass (rig, 98 * HOUR_MS - 1000);
    assert_int_equal (rig_hold (rig, claim_of (rig, 2, "a@g1", "yes")).refusal.reason,
                      REFUSAL_CLAIM_ANSWERED);
    rig_pass (rig, HOUR_MS);
    assert_null (claim_of_txid (1));
    rig_destroy (rig);
}

/*  A site's release has an empty part: no home can have written that. */
static void a_sites_records_in_a_homes_store_are_told_and_never_stop_a_start (void **state)
{
    (void) state;
    participant_rig_t *rig = rig_started (10);
    rig_reserve (rig, 1, "r1", 2, 1, 2);
    rig_hold (rig, hold_of (rig, 2, OPERATION_RELEASE, "r1", 1, 0, 1, 2));
    rig_verb (rig, "Abort", 3); /* a tombstone is the same everywhere */
    rig_stop (rig);
    rig->resource = (resource_t){.owner = rig,
                                 .part_kind = PART_CLAIM,
                                 .claims = true,
                                 .take = claim_take,
                                 .drop = claim_drop,
                                 .settle = claim_settle,
                                 .end = claim_end,
                                 .span = claim_span,
                                 .valid = claim_valid};
    rig_boot (rig);
    assert_int_equal (rig_counter (rig, "bad_records"), 2);
    assert_int_equal (rig_verb (rig, "Commit", 3).state, COMMAND_ABORTED);
    assert_null (claims);
    rig_destroy (rig);
}

static void a_home_wants_its_claims_well_formed (void **state)
{
    (void) state;
    participant_rig_t *rig = home_started ();
    hold_t hold = claim_of (rig, 1, "a@g1", "yes");
    *hold.plan.home = '\0';
    rig_request (rig, PLANNER, "Hold", codec_encode (&hold_codec, &hold));
    codec_clear (&hold_codec, &hold);
    assert_int_equal (rig->status, CALL_BAD_REQUEST);
    assert_string_equal (rig->reason, "plan.home: missing");
    rig_destroy (rig);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (T2_one_attempt_has_the_claim),
      cmocka_unit_test (T2_a_replacing_attempt_takes_the_claim_over_in_one_write),
      cmocka_unit_test (T2_the_claim_has_no_edge_and_no_version),
      cmocka_unit_test (T2_prepare_brings_the_answer_to_keep),
      cmocka_unit_test (T2_prepare_brings_only_an_answer_that_the_home_understands),
      cmocka_unit_test (T2_prepare_for_another_body_is_a_conflict),
      cmocka_unit_test (a_claim_brought_to_a_site_is_a_conflict),
      cmocka_unit_test (T2_a_committed_claim_is_kept_until_the_window_and_retention_have_passed),
      cmocka_unit_test (T6_the_home_hears_when_all_have_acknowledged_also_after_a_restart),
      cmocka_unit_test (T2_the_claim_of_a_release_is_kept_until_the_released_window_has_passed),
      cmocka_unit_test (
        T2_a_claim_is_kept_until_the_whole_plans_last_window_and_retention_have_passed),
      cmocka_unit_test (a_sites_records_in_a_homes_store_are_told_and_never_stop_a_start),
      cmocka_unit_test (a_home_wants_its_claims_well_formed),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
