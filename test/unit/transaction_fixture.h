/*  transaction_fixture - values of a transaction with every field set, and whether two plans are
 * the same.
 */
#ifndef MUSUBI_TEST_TRANSACTION_FIXTURE_H
#define MUSUBI_TEST_TRANSACTION_FIXTURE_H

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

static inline bytes_t bytes_of (packed_t packed)
{
    return (bytes_t){.data = packed.data, .size = packed.size};
}

static inline txid_t txid_of (int store, uint32_t start, uint64_t counter)
{
    txid_t txid = {.start = start, .counter = counter};
    memset (txid.store, store, STORE_ID_BYTES);
    return txid;
}

static inline void party_set (party_t *party, const char *name, int store)
{
    *party = (party_t){0};
    snprintf (party->name, sizeof party->name, "%s", name);
    snprintf (party->endpoint, sizeof party->endpoint, "tcp://127.0.0.1:%d", 5000 + store);
    memset (party->store, store, STORE_ID_BYTES);
}

static inline plan_t plan_full (void)
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

static inline compute_booking_t booking (void)
{
    compute_booking_t booked = {
      .cpus = 30, .nodes = 4, .from_ms = 1800003600000, .until_ms = 1800007200000};
    strcpy (booked.need, "the ocean");
    strcpy (booked.class_name, "thin");
    return booked;
}

static inline hold_t hold_full (void)
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

static inline void same_party (const party_t *a, const party_t *b)
{
    assert_string_equal (a->name, b->name);
    assert_string_equal (a->endpoint, b->endpoint);
    assert_memory_equal (a->store, b->store, STORE_ID_BYTES);
}

static inline void same_plan (const plan_t *a, const plan_t *b)
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

static inline command_answer_t answer_full (void)
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

#endif
