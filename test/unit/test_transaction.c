/*  The values of a transaction and their passage: what goes in comes out, cut or spoilt bytes are
 *  refused by the field's name, whatever comes in is bounded.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "prng.h"
#include "transaction.h"
#include "transaction.pb-c.h"

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

static void party_set (party_t *party, const char *name, int store)
{
    *party = (party_t){0};
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
    plan.participants = calloc (3, sizeof (party_t));
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

static void same_party (const party_t *a, const party_t *b)
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

/*  --- answers --- */

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

/*  --- cut and spoilt --- */

/*  Decode with every decoder; whatever is accepted is ended. */
static void decode_all (bytes_t body)
{
    char why [WHY_BYTES];
    plan_t plan;
    if (plan_decode (&plan, body, why))
        plan_clear (&plan);
    hold_t hold;
    if (hold_decode (&hold, body, why))
        hold_clear (&hold);
    command_answer_t answer;
    if (command_answer_decode (&answer, body, why))
        command_answer_clear (&answer);
    compute_booking_t *bookings;
    size_t count;
    if (compute_part_decode (body, &bookings, &count, why))
        free (bookings);
    uint8_t digest [DIGEST_BYTES];
    packed_t packed;
    if (claim_part_decode (body, digest, &packed, why))
        free (packed.data);
    txid_t txid;
    txid_message_decode (&txid, body, why);
    uint32_t ttl_ms;
    renew_decode (body, &txid, &ttl_ms, why);
    int64_t decide_by_ms;
    resolve_decode (body, &txid, &decide_by_ms, why);
    outcome_t outcome;
    bool flag;
    outcome_decode (body, &txid, &outcome, &flag, why);
    if (prepare_decode (body, &txid, &flag, &packed, why))
        free (packed.data);
    uint32_t epoch;
    if (amend_decode (body, &txid, &epoch, &packed, why))
        free (packed.data);
    txid_t *txids;
    if (done_decode (body, &txids, &count, why))
        free (txids);
}

static void cut_everywhere (packed_t packed)
{
    for (size_t size = 0; size <= packed.size; size++) {
        uint8_t *cut = malloc (size ? size : 1); /* its own memory, so that reading past it shows */
        memcpy (cut, packed.data, size);
        decode_all ((bytes_t){.data = cut, .size = size});
        free (cut);
    }
}

static void spoil_everywhere (packed_t packed, prng_t *prng)
{
    for (int i = 0; i < 3000; i++) {
        uint8_t *spoilt = malloc (packed.size);
        memcpy (spoilt, packed.data, packed.size);
        for (uint64_t n = 1 + prng_below (prng, 4); n > 0; n--)
            spoilt [prng_below (prng, packed.size)] = (uint8_t) prng_next (prng);
        decode_all ((bytes_t){.data = spoilt, .size = packed.size});
        free (spoilt);
    }
}

static void messages_cut_at_every_byte_or_spoilt_do_no_harm (void **state)
{
    (void) state;
    prng_t prng;
    prng_seed (&prng, 20261);
    txid_t txid = txid_of (0x11, 7, 42);
    uint8_t digest [DIGEST_BYTES] = {1};
    plan_t plan = plan_full ();
    hold_t hold = hold_full ();
    command_answer_t answer = answer_full ();
    compute_booking_t booked = booking ();
    packed_t part = claim_part_encode (digest, (bytes_t){.data = digest, .size = 9});
    bytes_t part_bytes = bytes_of (part);
    packed_t messages [] = {
      plan_encode (&plan),
      hold_encode (&hold),
      command_answer_encode (&answer),
      compute_part_encode (&booked, 1),
      part,
      txid_message_encode (&txid),
      renew_encode (&txid, 1),
      resolve_encode (&txid, 1),
      prepare_encode (&txid, &part_bytes),
      done_encode (&txid, 1),
      outcome_encode (&txid, OUTCOME_ABORTED, false),
      amend_encode (&txid, 3, (bytes_t){.data = digest, .size = 9}),
    };
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        cut_everywhere (messages [i]);
        spoil_everywhere (messages [i], &prng);
        free (messages [i].data);
    }
    plan_clear (&plan);
    hold_clear (&hold);
    command_answer_clear (&answer);
}

static void a_message_cut_short_of_what_it_needs_is_refused (void **state)
{
    (void) state;
    plan_t plan = plan_full ();
    plan_t back;
    char why [WHY_BYTES];
    packed_t packed = plan_encode (&plan);
    /* The last field is the request, which a plan may lack: everything before it is needed. */
    size_t needed = packed.size - (plan.request_size + 2);
    for (size_t size = 0; size < packed.size; size++) {
        bool good = plan_decode (&back, (bytes_t){.data = packed.data, .size = size}, why);
        if (good) {
            /* cut exactly between the optional fields at its end */
            assert_true (size >= needed - strlen (plan.home) - 2 - strlen (plan.request_id) - 2);
            plan_clear (&back);
        }
    }
    free (packed.data);
    plan_clear (&plan);
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
      cmocka_unit_test (an_answer_comes_out_as_it_went_in),
      cmocka_unit_test (a_profile_that_does_not_ascend_is_refused),
      cmocka_unit_test (numbers_below_zero_are_no_words_of_an_enum),
      cmocka_unit_test (small_messages_come_out_as_they_went_in),
      cmocka_unit_test (an_amended_answer_is_kept_as_it_was_sent),
      cmocka_unit_test (messages_cut_at_every_byte_or_spoilt_do_no_harm),
      cmocka_unit_test (a_message_cut_short_of_what_it_needs_is_refused),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
