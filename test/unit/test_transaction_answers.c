/*  The values of a transaction and their passage: what participants and coordinators answer, and
 * the small messages.
 */
#include "transaction_fixture.h"

static void an_answer_comes_out_as_it_went_in (void **state)
{
    (void) state;
    command_answer_t answer = answer_full ();
    command_answer_t back;
    char why [WHY_BYTES];
    packed_t packed = command_answer_encode (&answer);
    assert_true (command_answer_decode (&back, bytes_of (packed), why));
    assert_int_equal (txid_compare (&back.txid, &answer.txid), 0);
    assert_int_equal (back.state, COMMAND_REJECTED);
    assert_int_equal (back.ttl_ms, 123);
    assert_true (back.late);
    const refusal_t *refusal = &back.refusal;
    assert_int_equal (refusal->reason, REFUSAL_CLAIM_BUSY);
    assert_string_equal (refusal->resource, "ams/thin");
    assert_string_equal (refusal->need, "the ocean");
    assert_string_equal (refusal->text, "only 3 of 4 nodes are free");
    assert_int_equal (refusal->wanted, 4);
    assert_int_equal (refusal->free, -3);
    assert_int_equal (refusal->frees_ms, 77);
    assert_true (refusal->blocker_set && refusal->done);
    assert_int_equal (txid_compare (&refusal->blocker, &answer.refusal.blocker), 0);
    assert_int_equal (refusal->answer_size, 3);
    same_plan (refusal->holder, answer.refusal.holder);
    assert_int_equal (refusal->fresh_count, 2);
    assert_string_equal (refusal->fresh [1].resource, "class1");
    assert_int_equal (refusal->fresh [1].steps [2].free, 2);
    assert_int_equal (refusal->fresh [1].until_ms, 40);
    command_answer_clear (&back);
    command_answer_clear (&answer);
    free (packed.data);
}

static void a_profile_that_does_not_ascend_is_refused (void **state)
{
    (void) state;
    for (int spoilt = 0; spoilt < 3; spoilt++) {
        command_answer_t answer = answer_full ();
        command_answer_t back;
        char why [WHY_BYTES];
        profile_t *profile = &answer.refusal.fresh [1];
        size_t count = profile->steps_count;
        if (spoilt == 0)
            profile->steps [2].from_ms = 10;
        else if (spoilt == 1)
            profile->until_ms = 20;
        else
            profile->steps_count = 0;
        packed_t packed = command_answer_encode (&answer);
        assert_false (command_answer_decode (&back, bytes_of (packed), why));
        assert_non_null (strstr (why, "refusal.fresh"));
        free (packed.data);
        profile->steps_count = count;
        command_answer_clear (&answer);
    }
}

static void assert_answer_refused (const command_answer_t *answer, const char *field)
{
    command_answer_t back;
    char why [WHY_BYTES] = "";
    packed_t packed = command_answer_encode (answer);
    assert_false (command_answer_decode (&back, bytes_of (packed), why));
    assert_non_null (strstr (why, field));
    free (packed.data);
}

static void numbers_below_zero_are_no_words_of_an_enum (void **state)
{
    (void) state;
    char why [WHY_BYTES] = "";
    plan_t plan = plan_full ();
    plan.operation = (operation_t) -1;
    plan_t plan_back;
    packed_t packed = plan_encode (&plan);
    assert_false (plan_decode (&plan_back, bytes_of (packed), why));
    assert_non_null (strstr (why, "plan.operation"));
    free (packed.data);
    plan_clear (&plan);

    txid_t txid = txid_of (0x11, 7, 42);
    assert_answer_refused (&(command_answer_t){.txid = txid, .state = (command_state_t) INT32_MIN},
                           "state");
    assert_answer_refused (&(command_answer_t){.txid = txid,
                                               .state = COMMAND_REJECTED,
                                               .refusal = {.reason = (refusal_reason_t) -1}},
                           "reason");

    txid_t back;
    outcome_t outcome = OUTCOME_COMMITTED;
    bool done;
    packed = outcome_encode (&txid, (outcome_t) -18, true);
    assert_false (outcome_decode (bytes_of (packed), &back, &outcome, &done, why));
    assert_int_equal (outcome, OUTCOME_LOST);
    free (packed.data);
}

static void small_messages_come_out_as_they_went_in (void **state)
{
    (void) state;
    txid_t txid = txid_of (0x11, 7, 42);
    txid_t back;
    char why [WHY_BYTES];
    packed_t packed = txid_message_encode (&txid);
    assert_true (txid_message_decode (&back, bytes_of (packed), why));
    assert_int_equal (txid_compare (&txid, &back), 0);
    free (packed.data);

    uint32_t ttl_ms;
    packed = renew_encode (&txid, 1234);
    assert_true (renew_decode (bytes_of (packed), &back, &ttl_ms, why));
    assert_int_equal (ttl_ms, 1234);
    free (packed.data);

    int64_t decide_by_ms;
    packed = resolve_encode (&txid, 1800000010000);
    assert_true (resolve_decode (bytes_of (packed), &back, &decide_by_ms, why));
    assert_int_equal (decide_by_ms, 1800000010000);
    free (packed.data);

    outcome_t outcome;
    bool done;
    packed = outcome_encode (&txid, OUTCOME_COMMITTED, true);
    assert_true (outcome_decode (bytes_of (packed), &back, &outcome, &done, why));
    assert_int_equal (outcome, OUTCOME_COMMITTED);
    assert_true (done);
    free (packed.data);

    bool claim_set;
    packed_t claim;
    packed = prepare_encode (&txid, NULL);
    assert_true (prepare_decode (bytes_of (packed), &back, &claim_set, &claim, why));
    assert_false (claim_set);
    free (packed.data);
    uint8_t digest [DIGEST_BYTES] = {9};
    packed_t part = claim_part_encode (digest, (bytes_t){0});
    bytes_t part_bytes = bytes_of (part);
    packed = prepare_encode (&txid, &part_bytes);
    assert_true (prepare_decode (bytes_of (packed), &back, &claim_set, &claim, why));
    assert_true (claim_set);
    assert_int_equal (claim.size, part.size);
    assert_memory_equal (claim.data, part.data, part.size);
    free (claim.data);
    free (part.data);
    free (packed.data);

    txid_t txids [3] = {txid_of (1, 1, 1), txid_of (1, 1, 2), txid_of (2, 3, 4)};
    txid_t *list;
    size_t count;
    packed = done_encode (txids, 3);
    assert_true (done_decode (bytes_of (packed), &list, &count, why));
    assert_int_equal (count, 3);
    assert_int_equal (txid_compare (&list [2], &txids [2]), 0);
    free (list);
    free (packed.data);
    packed = done_encode (txids, 0);
    assert_true (done_decode (bytes_of (packed), &list, &count, why));
    assert_int_equal (count, 0);
    free (list);
    free (packed.data);
}

static void an_amended_answer_is_kept_as_it_was_sent (void **state)
{
    (void) state;
    txid_t txid = {.store = {7}, .start = 2, .counter = 9}, got;
    uint8_t told [5] = {1, 2, 3, 4, 5};
    uint32_t epoch;
    packed_t answer;
    char why [WHY_BYTES];
    packed_t packed = amend_encode (&txid, 4, (bytes_t){.data = told, .size = sizeof told});
    assert_true (amend_decode (bytes_of (packed), &got, &epoch, &answer, why));
    assert_int_equal (txid_compare (&got, &txid), 0);
    assert_int_equal (epoch, 4);
    assert_int_equal (answer.size, sizeof told);
    assert_memory_equal (answer.data, told, sizeof told);
    free (answer.data);
    free (packed.data);
    packed = amend_encode (&txid, 4, (bytes_t){0});
    assert_false (amend_decode (bytes_of (packed), &got, &epoch, &answer, why));
    assert_non_null (strstr (why, "answer: must be 1 to 65536 bytes"));
    free (packed.data);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (an_answer_comes_out_as_it_went_in),
      cmocka_unit_test (a_profile_that_does_not_ascend_is_refused),
      cmocka_unit_test (numbers_below_zero_are_no_words_of_an_enum),
      cmocka_unit_test (small_messages_come_out_as_they_went_in),
      cmocka_unit_test (an_amended_answer_is_kept_as_it_was_sent),
    };
    return cmocka_run_group_tests_name ("transaction-answers", tests, NULL, NULL);
}
