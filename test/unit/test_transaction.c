/*  The values of a transaction and their passage: txids, plans, holds and parts come out as they
 * went in, and what is wrong with them is refused by the field's name.
 */
#include "transaction_fixture.h"

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

static void a_plan_comes_out_as_it_went_in (void **state)
{
    (void) state;
    plan_t plan = plan_full ();
    plan_t back;
    plan_t copy;
    char why [WHY_BYTES];
    packed_t packed = plan_encode (&plan);
    assert_true (plan_decode (&back, bytes_of (packed), why));
    same_plan (&plan, &back);
    plan_copy (&copy, &back);
    plan_clear (&back);
    same_plan (&plan, &copy);
    plan_clear (&copy);
    plan_clear (&plan);
    free (packed.data);
}

static void a_hold_comes_out_as_it_went_in (void **state)
{
    (void) state;
    hold_t hold = hold_full ();
    hold_t back;
    char why [WHY_BYTES];
    packed_t packed = hold_encode (&hold);
    assert_true (hold_decode (&back, bytes_of (packed), why));
    same_plan (&hold.plan, &back.plan);
    assert_int_equal (back.part_kind, PART_COMPUTE);
    assert_int_equal (back.part_size, hold.part_size);
    assert_memory_equal (back.part, hold.part, hold.part_size);
    assert_int_equal (back.replaces_count, 2);
    assert_int_equal (txid_compare (&back.replaces [1], &hold.replaces [1]), 0);
    assert_int_equal (back.ttl_ms, 30000);
    assert_true (back.prepare);
    hold_clear (&back);
    hold_clear (&hold);
    free (packed.data);
}

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
    packed_t packed = hold_encode (&hold);
    assert_true (hold_decode (&back, bytes_of (packed), why));
    assert_int_equal (back.part_kind, PART_NONE);
    hold_clear (&back);
    free (packed.data);
    hold.part_kind = PART_COMPUTE; /* empty is not the same as none */
    packed = hold_encode (&hold);
    assert_true (hold_decode (&back, bytes_of (packed), why));
    assert_int_equal (back.part_kind, PART_COMPUTE);
    assert_int_equal (back.part_size, 0);
    hold_clear (&back);
    hold_clear (&hold);
    free (packed.data);
}

static void await_one (plan_t *plan)
{
    plan->awaited = calloc (1, sizeof (party_t));
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
    packed_t packed = plan_encode (&plan);
    assert_true (plan_decode (&back, bytes_of (packed), why));
    same_plan (&plan, &back);
    plan_copy (&copy, &back);
    plan_clear (&back);
    same_plan (&plan, &copy);
    assert_ptr_equal (plan_party (&copy, "lis/osa"), &copy.awaited [0]);
    assert_ptr_equal (plan_party (&copy, "lis/tyo"), &copy.participants [1]);
    assert_null (plan_party (&copy, "lis/kyo"));
    plan_clear (&copy);
    plan_clear (&plan);
    free (packed.data);
}

/*  Spoil one thing of a plan; the decoder must name its field. */
typedef void spoil_fn (plan_t *plan);

static void no_participants (plan_t *plan)
{
    plan->participants_count = 0;
}
static void doubled_name (plan_t *plan)
{
    strcpy (plan->participants [1].name, "lis/ams");
}
static void doubled_store (plan_t *plan)
{
    memset (plan->participants [1].store, 1, STORE_ID_BYTES);
}
static void nameless_party (plan_t *plan)
{
    *plan->participants [1].name = '\0';
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
static void no_reservation (plan_t *plan)
{
    *plan->reservation = '\0';
}
static void blank_in_actor (plan_t *plan)
{
    strcpy (plan->actor, "alice liddell");
}
static void newline_in_reservation (plan_t *plan)
{
    strcpy (plan->reservation, "r1\nr2");
}
static void reserve_with_base (plan_t *plan)
{
    plan->operation = OPERATION_RESERVE;
}
static void modify_without_base (plan_t *plan)
{
    plan->base_version = 0;
}
static void last_version (plan_t *plan)
{
    plan->base_version = UINT32_MAX;
}
static void negative_time (plan_t *plan)
{
    plan->decide_by_ms = -1;
}
static void time_after_the_end (plan_t *plan)
{
    plan->edge_ms = INT64_MAX;
}
static void counter_zero (plan_t *plan)
{
    plan->txid.counter = 0;
}
static void start_zero (plan_t *plan)
{
    plan->txid.start = 0;
}
static void no_such_operation (plan_t *plan)
{
    plan->operation = (operation_t) 3;
}

static void awaited_by_a_modify (plan_t *plan)
{
    await_one (plan);
}
static void nameless_awaited (plan_t *plan)
{
    plan->operation = OPERATION_RELEASE;
    await_one (plan);
    *plan->awaited [0].name = '\0';
}

static void a_bad_plan_is_refused_by_its_field (void **state)
{
    (void) state;
    static const struct {
        spoil_fn *spoil;
        const char *field;
    } spoils [] = {
      {no_participants, "plan.participants"},
      {doubled_name, "plan.participants"},
      {doubled_store, "plan.participants"},
      {nameless_party, "plan.participants"},
      {strange_home, "plan.home"},
      {home_without_request, "plan.request_id"},
      {strange_coordinator, "plan.coordinator.store"},
      {no_reservation, "plan.reservation"},
      {blank_in_actor, "plan.actor"},
      {newline_in_reservation, "plan.reservation"},
      {reserve_with_base, "plan.base_version"},
      {modify_without_base, "plan.base_version"},
      {last_version, "plan.base_version"},
      {negative_time, "plan: decide_by_ms"},
      {time_after_the_end, "plan: decide_by_ms"},
      {counter_zero, "plan.txid"},
      {start_zero, "plan.txid"},
      {no_such_operation, "plan.operation"},
      {awaited_by_a_modify, "plan.awaited"},
      {nameless_awaited, "plan.awaited"},
    };
    for (size_t i = 0; i < sizeof spoils / sizeof *spoils; i++) {
        plan_t plan = plan_full ();
        plan_t back;
        char why [WHY_BYTES] = "";
        spoils [i].spoil (&plan);
        packed_t packed = plan_encode (&plan);
        assert_false (plan_decode (&back, bytes_of (packed), why));
        if (strncmp (why, spoils [i].field, strlen (spoils [i].field)) != 0)
            fail_msg ("'%s' does not name %s", why, spoils [i].field);
        assert_null (back.participants);
        free (packed.data);
        plan.participants_count = 3;
        plan_clear (&plan);
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
        packed_t packed = hold_encode (&hold);
        assert_false (hold_decode (&back, bytes_of (packed), why));
        assert_non_null (strstr (why, "replaces"));
        free (packed.data);
        hold_clear (&hold);
    }
}

static void names_of_the_greatest_length_pass_and_longer_ones_do_not (void **state)
{
    (void) state;
    plan_t plan = plan_full ();
    plan_t back;
    char why [WHY_BYTES];
    memset (plan.reservation, 'r', NAME_BYTES_MAX);
    plan.reservation [NAME_BYTES_MAX] = '\0';
    packed_t packed = plan_encode (&plan);
    assert_true (plan_decode (&back, bytes_of (packed), why));
    assert_int_equal (strlen (back.reservation), NAME_BYTES_MAX);
    plan_clear (&back);
    Musubi__Plan *message =
      (Musubi__Plan *) message_unpack (&musubi__plan__descriptor, bytes_of (packed));
    free (packed.data);
    free (message->reservation);
    message->reservation = calloc (1, NAME_BYTES_MAX + 2);
    memset (message->reservation, 'r', NAME_BYTES_MAX + 1);
    packed.data = message_pack (&message->base, &packed.size);
    assert_false (plan_decode (&back, bytes_of (packed), why));
    assert_string_equal (why, "plan.reservation: longer than 63 bytes");
    free (packed.data);
    message_free (&message->base);
    plan_clear (&plan);
}

static void more_participants_than_the_limit_are_refused (void **state)
{
    (void) state;
    plan_t plan = plan_full ();
    plan_t back;
    char why [WHY_BYTES];
    plan.participants = realloc (plan.participants, (PARTICIPANTS_MAX + 1) * sizeof (party_t));
    for (int i = 3; i <= PARTICIPANTS_MAX; i++) {
        char name [24];
        snprintf (name, sizeof name, "lis/s%d", i);
        party_set (&plan.participants [i], name, i + 1);
    }
    plan.participants_count = PARTICIPANTS_MAX;
    packed_t packed = plan_encode (&plan);
    assert_true (plan_decode (&back, bytes_of (packed), why));
    plan_clear (&back);
    free (packed.data);
    plan.participants_count = PARTICIPANTS_MAX + 1;
    packed = plan_encode (&plan);
    assert_false (plan_decode (&back, bytes_of (packed), why));
    free (packed.data);
    plan_clear (&plan);
}

/*  --- parts --- */

static void a_bad_booking_is_refused_by_its_need (void **state)
{
    (void) state;
    for (int spoilt = 0; spoilt < 7; spoilt++) {
        compute_booking_t booked [2] = {booking (), booking ()};
        compute_booking_t *back;
        size_t count;
        char why [WHY_BYTES];
        switch (spoilt) {
        case 0:
            booked [1].cpus = 0;
            break;
        case 1:
            booked [1].nodes = 0;
            break;
        case 2:
            booked [1].until_ms = booked [1].from_ms;
            break;
        case 3:
            booked [1].from_ms = -1;
            break;
        case 4:
            *booked [1].need = '\0';
            break;
        case 5:
            strcpy (booked [1].class_name, "thin\tfat");
            break;
        default:
            booked [1].until_ms = INT64_MAX;
            break;
        }
        packed_t packed = compute_part_encode (booked, 2);
        assert_false (compute_part_decode (bytes_of (packed), &back, &count, why));
        assert_non_null (strstr (why, "compute.bookings"));
        assert_null (back);
        free (packed.data);
    }
}

static void bookings_up_to_the_limit_come_out_as_they_went_in (void **state)
{
    (void) state;
    compute_booking_t *booked = calloc (BOOKINGS_MAX, sizeof *booked);
    compute_booking_t *back;
    size_t count;
    char why [WHY_BYTES];
    for (uint32_t i = 0; i < BOOKINGS_MAX; i++) {
        booked [i] = booking ();
        booked [i].cpus = i + 1;
    }
    packed_t packed = compute_part_encode (booked, BOOKINGS_MAX);
    assert_true (compute_part_decode (bytes_of (packed), &back, &count, why));
    assert_int_equal (count, BOOKINGS_MAX);
    for (uint32_t i = 0; i < BOOKINGS_MAX; i++) {
        assert_int_equal (back [i].cpus, i + 1);
        assert_string_equal (back [i].need, "the ocean");
        assert_string_equal (back [i].class_name, "thin");
        assert_int_equal (back [i].nodes, 4);
        assert_int_equal (back [i].until_ms, booked [i].until_ms);
    }
    free (back);
    /* one more: the same part twice in a row is one with the bookings of both */
    packed_t twice = {.data = malloc (2 * packed.size), .size = 2 * packed.size};
    memcpy (twice.data, packed.data, packed.size);
    memcpy (twice.data + packed.size, packed.data, packed.size);
    assert_false (compute_part_decode (bytes_of (twice), &back, &count, why));
    free (twice.data);
    free (packed.data);
    free (booked);
}

static void a_claim_comes_out_as_it_went_in (void **state)
{
    (void) state;
    uint8_t digest [DIGEST_BYTES];
    uint8_t back [DIGEST_BYTES];
    packed_t answer;
    char why [WHY_BYTES];
    memset (digest, 0x5e, sizeof digest);
    packed_t packed =
      claim_part_encode (digest, (bytes_t){.data = (const uint8_t *) "answer", .size = 6});
    assert_true (claim_part_decode (bytes_of (packed), back, &answer, why));
    assert_memory_equal (back, digest, DIGEST_BYTES);
    assert_int_equal (answer.size, 6);
    assert_memory_equal (answer.data, "answer", 6);
    free (answer.data);
    free (packed.data);
    assert_false (claim_part_decode ((bytes_t){0}, back, &answer, why));
    assert_non_null (strstr (why, "claim.digest"));
    uint8_t *large = calloc (1, CLAIM_ANSWER_BYTES_MAX + 1);
    packed =
      claim_part_encode (digest, (bytes_t){.data = large, .size = CLAIM_ANSWER_BYTES_MAX + 1});
    assert_false (claim_part_decode (bytes_of (packed), back, &answer, why));
    assert_non_null (strstr (why, "claim.answer"));
    free (packed.data);
    free (large);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (keys_sort_as_txids_count),
      cmocka_unit_test (a_txid_reads_as_store_start_and_counter),
      cmocka_unit_test (every_state_and_reason_has_a_word),
      cmocka_unit_test (a_plan_comes_out_as_it_went_in),
      cmocka_unit_test (a_hold_comes_out_as_it_went_in),
      cmocka_unit_test (a_hold_without_a_part_is_one),
      cmocka_unit_test (a_release_names_whom_it_awaits),
      cmocka_unit_test (a_bad_plan_is_refused_by_its_field),
      cmocka_unit_test (replaces_only_earlier_plans_of_the_same_coordinator),
      cmocka_unit_test (names_of_the_greatest_length_pass_and_longer_ones_do_not),
      cmocka_unit_test (more_participants_than_the_limit_are_refused),
      cmocka_unit_test (a_bad_booking_is_refused_by_its_need),
      cmocka_unit_test (bookings_up_to_the_limit_come_out_as_they_went_in),
      cmocka_unit_test (a_claim_comes_out_as_it_went_in),
    };
    return cmocka_run_group_tests_name ("transaction", tests, NULL, NULL);
}
