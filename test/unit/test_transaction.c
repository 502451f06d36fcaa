/*  The values of a transaction: how txids count, and the rules between the fields of plans, holds,
 *  parts and profiles. Fields by themselves: test_codec.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prng.h"
#include "transaction.h"

static bytes_t bytes_of (packed_t packed)
{
    return (bytes_t){.data = packed.data, .size = packed.size};
}

static txid_t txid_of (int store, uint32_t start, uint64_t counter)
{
    txid_t txid = {.start = start, .counter = counter};
    memset (txid.store, store, STORE_ID_BYTES);
    return txid;
}

static void party_set (participant_ref_t *party, const char *name, int store)
{
    *party = (participant_ref_t){0};
    snprintf (party->name, sizeof party->name, "%s", name);
    snprintf (party->endpoint, sizeof party->endpoint, "tcp://127.0.0.1:%d", 5000 + store);
    memset (party->store, store, STORE_ID_BYTES);
}

static plan_t plan_full (void)
{
    plan_t plan = {.txid = txid_of (0x11, 7, 42),
                   .operation = OPERATION_MODIFY,
                   .base_version = 3,
                   .participants_count = 3,
                   .decide_by_ms = 1800000010000,
                   .edge_ms = 1800003600000,
                   .request_size = 5};
    strcpy (plan.reservation, "r-7f3a");
    plan.participants = calloc (3, sizeof (participant_ref_t));
    party_set (&plan.participants [0], "lis/ams", 1);
    party_set (&plan.participants [1], "lis/tyo", 2);
    party_set (&plan.participants [2], "gis/g1", 3);
    party_set (&plan.coordinator, "planner/1111", 0x11);
    strcpy (plan.actor, "alice");
    strcpy (plan.request_id, "morning@g1");
    strcpy (plan.home, "gis/g1");
    plan.request = malloc (5);
    memcpy (plan.request, "query", 5);
    return plan;
}

static compute_booking_t booking (void)
{
    compute_booking_t booked = {
      .cpus = 30, .nodes = 4, .from_ms = 1800003600000, .until_ms = 1800007200000};
    strcpy (booked.need, "the ocean");
    strcpy (booked.class_name, "thin");
    return booked;
}

static hold_t hold_full (void)
{
    hold_t hold = {.plan = plan_full (),
                   .part_kind = PART_COMPUTE,
                   .replaces_count = 2,
                   .ttl_ms = 30000,
                   .prepare = true};
    hold.replaces [0] = txid_of (0x11, 7, 40);
    hold.replaces [1] = txid_of (0x11, 6, 90);
    compute_booking_t booked = booking ();
    packed_t part = compute_part_encode (&booked, 1);
    hold.part = part.data;
    hold.part_size = part.size;
    return hold;
}

static void same_party (const participant_ref_t *a, const participant_ref_t *b)
{
    assert_string_equal (a->name, b->name);
    assert_string_equal (a->endpoint, b->endpoint);
    assert_memory_equal (a->store, b->store, STORE_ID_BYTES);
}

static void same_plan (const plan_t *a, const plan_t *b)
{
    assert_int_equal (txid_compare (&a->txid, &b->txid), 0);
    assert_int_equal (a->operation, b->operation);
    assert_string_equal (a->reservation, b->reservation);
    assert_int_equal (a->base_version, b->base_version);
    assert_int_equal (a->participants_count, b->participants_count);
    for (size_t i = 0; i < a->participants_count; i++)
        same_party (&a->participants [i], &b->participants [i]);
    assert_int_equal (a->awaited_count, b->awaited_count);
    for (size_t i = 0; i < a->awaited_count; i++)
        same_party (&a->awaited [i], &b->awaited [i]);
    same_party (&a->coordinator, &b->coordinator);
    assert_int_equal (a->decide_by_ms, b->decide_by_ms);
    assert_int_equal (a->edge_ms, b->edge_ms);
    assert_string_equal (a->actor, b->actor);
    assert_string_equal (a->request_id, b->request_id);
    assert_string_equal (a->home, b->home);
    assert_int_equal (a->request_size, b->request_size);
    assert_memory_equal (a->request, b->request, a->request_size);
}

static command_answer_t answer_full (void)
{
    command_answer_t answer = {
      .txid = txid_of (0x11, 7, 42), .state = COMMAND_REJECTED, .ttl_ms = 123, .late = true};
    refusal_t *refusal = &answer.refusal;
    refusal->reason = REFUSAL_CLAIM_BUSY;
    strcpy (refusal->resource, "ams/thin");
    strcpy (refusal->need, "the ocean");
    strcpy (refusal->text, "only 3 of 4 nodes are free");
    refusal->from_ms = 10;
    refusal->until_ms = 20;
    refusal->wanted = 4;
    refusal->free = -3;
    refusal->frees_ms = 77;
    refusal->blocker_set = true;
    refusal->blocker = txid_of (0x22, 1, 1);
    refusal->done = true;
    refusal->answer = malloc (3);
    memcpy (refusal->answer, "yes", 3);
    refusal->answer_size = 3;
    refusal->holder = malloc (sizeof (plan_t));
    *refusal->holder = plan_full ();
    refusal->fresh = calloc (2, sizeof (profile_t));
    refusal->fresh_count = 2;
    for (size_t i = 0; i < 2; i++) {
        profile_t *profile = &refusal->fresh [i];
        snprintf (profile->resource, sizeof profile->resource, "class%zu", i);
        profile->steps_count = 3;
        profile->steps = calloc (3, sizeof (profile_step_t));
        for (int64_t s = 0; s < 3; s++)
            profile->steps [s] = (profile_step_t){.from_ms = 10 * s, .free = 4 - s};
        profile->until_ms = 40;
    }
    return answer;
}

/*  --- txid --- */

static void keys_sort_as_txids_count (void **state)
{
    (void) state;
    prng_t prng;
    prng_seed (&prng, 7);
    for (int i = 0; i < 20000; i++) {
        txid_t a = txid_of ((int) prng_below (&prng, 2), (uint32_t) prng_below (&prng, 600),
                            prng_next (&prng) >> prng_below (&prng, 60));
        txid_t b = txid_of ((int) prng_below (&prng, 2), (uint32_t) prng_below (&prng, 600),
                            prng_next (&prng) >> prng_below (&prng, 60));
        uint8_t key_a [TXID_BYTES];
        uint8_t key_b [TXID_BYTES];
        txid_pack (&a, key_a);
        txid_pack (&b, key_b);
        int by_key = memcmp (key_a, key_b, TXID_BYTES);
        int by_value = txid_compare (&a, &b);
        assert_int_equal ((by_key > 0) - (by_key < 0), (by_value > 0) - (by_value < 0));
        txid_t back;
        assert_true (txid_unpack (&back, (bytes_t){.data = key_a, .size = TXID_BYTES}));
        assert_int_equal (txid_compare (&a, &back), 0);
        assert_false (txid_unpack (&back, (bytes_t){.data = key_a, .size = TXID_BYTES - 1}));
    }
}

static void a_txid_reads_as_store_start_and_counter (void **state)
{
    (void) state;
    char text [TXID_TEXT_BYTES];
    txid_t txid = txid_of (0xab, 7, 42);
    assert_string_equal (txid_text (&txid, text), "abababab-7-42");
    txid = txid_of (0, UINT32_MAX, UINT64_MAX);
    assert_string_equal (txid_text (&txid, text), "00000000-4294967295-18446744073709551615");
}

static void every_state_and_reason_has_a_word (void **state)
{
    (void) state;
    for (int i = 0; i < COMMAND_STATES; i++)
        assert_true (strlen (command_state_word ((command_state_t) i)) > 0);
    for (int i = 0; i < REFUSAL_REASONS; i++)
        assert_true (strlen (refusal_reason_word ((refusal_reason_t) i)) > 0);
}

/*  --- plan and hold --- */

static void a_hold_without_a_part_is_one (void **state)
{
    (void) state;
    hold_t hold = hold_full ();
    hold_t back;
    char why [WHY_BYTES];
    free (hold.part);
    hold.part = NULL;
    hold.part_size = 0;
    hold.part_kind = PART_NONE;
    packed_t packed = codec_encode (&hold_codec, &hold);
    assert_true (codec_decode (&hold_codec, &back, bytes_of (packed), why));
    assert_int_equal (back.part_kind, PART_NONE);
    codec_clear (&hold_codec, &back);
    free (packed.data);
    hold.part_kind = PART_COMPUTE; /* empty is not the same as none */
    packed = codec_encode (&hold_codec, &hold);
    assert_true (codec_decode (&hold_codec, &back, bytes_of (packed), why));
    assert_int_equal (back.part_kind, PART_COMPUTE);
    assert_int_equal (back.part_size, 0);
    codec_clear (&hold_codec, &back);
    codec_clear (&hold_codec, &hold);
    free (packed.data);
}

static void a_hold_with_a_plan_that_is_packed_is_the_same_hold (void **state)
{
    (void) state;
    char why [WHY_BYTES];
    hold_t hold = hold_full (), back, expected;
    packed_t plan = codec_encode (&plan_codec, &hold.plan);
    packed_t packed = hold_with_plan (&hold, &plan), whole = codec_encode (&hold_codec, &hold);
    assert_true (codec_decode (&hold_codec, &back, bytes_of (packed), why));
    assert_true (codec_decode (&hold_codec, &expected, bytes_of (whole), why));
    assert_int_equal (packed.size, whole.size);
    assert_true (codec_same (&hold_codec, &expected, &back));
    codec_clear (&hold_codec, &back);
    codec_clear (&hold_codec, &expected);
    codec_clear (&hold_codec, &hold);
    free (packed.data);
    free (whole.data);
    free (plan.data);
}

static void await_one (plan_t *plan)
{
    plan->awaited = calloc (1, sizeof (participant_ref_t));
    plan->awaited_count = 1;
    party_set (plan->awaited, "lis/osa", 4);
}

static void a_release_names_whom_it_awaits (void **state)
{
    (void) state;
    plan_t plan = plan_full (), back, copy;
    char why [WHY_BYTES];
    plan.operation = OPERATION_RELEASE;
    await_one (&plan);
    packed_t packed = codec_encode (&plan_codec, &plan);
    assert_true (codec_decode (&plan_codec, &back, bytes_of (packed), why));
    same_plan (&plan, &back);
    codec_copy (&plan_codec, &copy, &back);
    codec_clear (&plan_codec, &back);
    same_plan (&plan, &copy);
    assert_ptr_equal (plan_party (&copy, "lis/osa"), &copy.awaited [0]);
    assert_ptr_equal (plan_party (&copy, "lis/tyo"), &copy.participants [1]);
    assert_null (plan_party (&copy, "lis/kyo"));
    codec_clear (&plan_codec, &copy);
    codec_clear (&plan_codec, &plan);
    free (packed.data);
}

/*  Spoil one thing of a plan; the decoder must name its field. */
typedef void spoil_fn (plan_t *plan);

static void doubled_name (plan_t *plan)
{
    strcpy (plan->participants [1].name, "lis/ams");
}
static void doubled_store (plan_t *plan)
{
    memset (plan->participants [1].store, 1, STORE_ID_BYTES);
}
static void strange_home (plan_t *plan)
{
    strcpy (plan->home, "gis/g2");
}
static void home_without_request (plan_t *plan)
{
    *plan->request_id = '\0';
}
static void strange_coordinator (plan_t *plan)
{
    memset (plan->coordinator.store, 0x12, STORE_ID_BYTES);
}
static void reserve_with_base (plan_t *plan)
{
    plan->operation = OPERATION_RESERVE;
}
static void modify_without_base (plan_t *plan)
{
    plan->base_version = 0;
}

static void awaited_by_a_modify (plan_t *plan)
{
    await_one (plan);
}

static void a_bad_plan_is_refused_by_its_field (void **state)
{
    (void) state;
    static const struct {
        spoil_fn *spoil;
        const char *field;
    } spoils [] = {
      {doubled_name, "participants"},
      {doubled_store, "participants"},
      {strange_home, "home"},
      {home_without_request, "request_id"},
      {strange_coordinator, "coordinator.store"},
      {reserve_with_base, "base_version"},
      {modify_without_base, "base_version"},
      {awaited_by_a_modify, "awaited"},
    };
    for (size_t i = 0; i < sizeof spoils / sizeof *spoils; i++) {
        plan_t plan = plan_full ();
        plan_t back;
        char why [WHY_BYTES] = "";
        spoils [i].spoil (&plan);
        packed_t packed = codec_encode (&plan_codec, &plan);
        assert_false (codec_decode (&plan_codec, &back, bytes_of (packed), why));
        if (strncmp (why, spoils [i].field, strlen (spoils [i].field)) != 0)
            fail_msg ("'%s' does not name %s", why, spoils [i].field);
        assert_null (back.participants);
        free (packed.data);
        plan.participants_count = 3;
        codec_clear (&plan_codec, &plan);
    }
}

static void replaces_only_earlier_plans_of_the_same_coordinator (void **state)
{
    (void) state;
    const txid_t bad [] = {txid_of (0x12, 7, 40), txid_of (0x11, 7, 42), txid_of (0x11, 7, 43),
                           txid_of (0x11, 8, 1)};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        hold_t hold = hold_full ();
        hold_t back;
        char why [WHY_BYTES];
        hold.replaces [1] = bad [i];
        packed_t packed = codec_encode (&hold_codec, &hold);
        assert_false (codec_decode (&hold_codec, &back, bytes_of (packed), why));
        assert_non_null (strstr (why, "replaces"));
        free (packed.data);
        codec_clear (&hold_codec, &hold);
    }
}

/*  --- parts and answers --- */

static void no_interval (compute_booking_t *booking, circuit_t *circuit)
{
    (void) circuit;
    booking->until_ms = booking->from_ms;
}
static void doubled_link (compute_booking_t *booking, circuit_t *circuit)
{
    (void) booking;
    strcpy (circuit->links [1], circuit->links [0]);
}

static void a_bad_part_is_refused_by_its_field (void **state)
{
    (void) state;
    static const struct {
        void (*spoil) (compute_booking_t *booking, circuit_t *circuit);
        const char *why;
    } spoils [] = {
      {no_interval, "bookings[1].until_ms: 1800003600000 should be after from_ms, 1800003600000"},
      {doubled_link, "circuits[0].links[1]: n1-x1 is given twice"},
    };
    for (size_t i = 0; i < sizeof spoils / sizeof *spoils; i++) {
        compute_booking_t booked [2] = {booking (), booking ()};
        char links [2][NAME_BYTES_MAX + 1] = {"n1-x1", "n2-x1"};
        circuit_t circuit = {
          .need = "pipe", .links = links, .links_count = 2, .mbps = 1, .until_ms = 1};
        compute_part_t compute;
        network_part_t network;
        char why [WHY_BYTES] = "";
        spoils [i].spoil (&booked [1], &circuit);
        packed_t first = compute_part_encode (booked, 2),
                 second = network_part_encode (&circuit, 1);
        bool taken = codec_decode (&compute_part_codec, &compute, bytes_of (first), why) &&
                     codec_decode (&network_part_codec, &network, bytes_of (second), why);
        assert_false (taken);
        assert_string_equal (why, spoils [i].why);
        codec_clear (&compute_part_codec, &compute);
        free (first.data);
        free (second.data);
    }
}

/*  Room for a file says which, and by when; room alone says how much. */
static void a_bad_booking_of_room_is_refused_by_its_field (void **state)
{
    (void) state;
    static const struct {
        space_booking_t booking;
        const char *why; /* NULL = it is right */
    } told [] = {
      {{.bytes = 1, .until_ms = 9}, NULL},
      {{.bytes = 1, .until_ms = 9, .file = "x", .due_ms = 9}, NULL},
      {{.bytes = 0, .until_ms = 9, .file = "x", .due_ms = 9}, NULL}, /* it is there for good */
      {{.bytes = 0, .until_ms = 9}, "bytes: missing"},
      {{.bytes = SPACE_BYTES_MAX + 1, .until_ms = 9}, "bytes: "},
      {{.bytes = 1, .from_ms = 9, .until_ms = 9}, "until_ms: "},
      {{.bytes = 1, .until_ms = 9, .mbps = 1}, "file: missing"},
      {{.bytes = 1, .until_ms = 9, .file = "../x", .due_ms = 9}, "file: "},
      {{.bytes = 1, .until_ms = 9, .file = "x"}, "digest: missing"},
      {{.bytes = 1, .until_ms = 9, .file = "x", .due_ms = 10}, "due_ms: "},
      {{.bytes = 1, .from_ms = 5, .until_ms = 9, .file = "x", .due_ms = 4}, "due_ms: "},
    };
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        space_booking_t booking = told [i].booking;
        space_part_t part = {&booking, 1}, back;
        char why [WHY_BYTES] = "";
        memcpy (booking.node, "d1", 3);
        memcpy (booking.need, "data", 5);
        packed_t packed = codec_encode (&space_part_codec, &part);
        assert_int_equal (codec_decode (&space_part_codec, &back, bytes_of (packed), why),
                          told [i].why == NULL);
        if (told [i].why)
            assert_memory_equal (why + strlen ("bookings[0]."), told [i].why,
                                 strlen (told [i].why));
        codec_clear (&space_part_codec, &back);
        free (packed.data);
    }
    assert_int_equal (space_mib (0), 1);
    assert_int_equal (space_mib (SPACE_UNIT), 1);
    assert_int_equal (space_mib (SPACE_UNIT + 1), 2);
}

static void a_profile_that_does_not_ascend_is_refused (void **state)
{
    (void) state;
    for (int damaged = 0; damaged < 3; damaged++) {
        command_answer_t answer = answer_full ();
        command_answer_t back;
        char why [WHY_BYTES];
        profile_t *profile = &answer.refusal.fresh [1];
        size_t count = profile->steps_count;
        if (damaged == 0)
            profile->steps [2].from_ms = 10;
        else if (damaged == 1)
            profile->until_ms = 20;
        else
            profile->steps_count = 0;
        packed_t packed = codec_encode (&command_answer_codec, &answer);
        assert_false (codec_decode (&command_answer_codec, &back, bytes_of (packed), why));
        assert_non_null (strstr (why, "refusal.fresh"));
        free (packed.data);
        profile->steps_count = count;
        codec_clear (&command_answer_codec, &answer);
    }
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (keys_sort_as_txids_count),
      cmocka_unit_test (a_txid_reads_as_store_start_and_counter),
      cmocka_unit_test (every_state_and_reason_has_a_word),
      cmocka_unit_test (a_hold_without_a_part_is_one),
      cmocka_unit_test (a_hold_with_a_plan_that_is_packed_is_the_same_hold),
      cmocka_unit_test (a_release_names_whom_it_awaits),
      cmocka_unit_test (a_bad_plan_is_refused_by_its_field),
      cmocka_unit_test (replaces_only_earlier_plans_of_the_same_coordinator),
      cmocka_unit_test (a_bad_part_is_refused_by_its_field),
      cmocka_unit_test (a_bad_booking_of_room_is_refused_by_its_field),
      cmocka_unit_test (a_profile_that_does_not_ascend_is_refused),
    };
    return cmocka_run_group_tests_name ("transaction", tests, NULL, NULL);
}
