/*  free_summary - levels and spans; and that what is told of calendars bounds them. */
#include "free_capacity.h"
#include "free_summary.h"
#include "prng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FROM_MS INT64_C (1790000000000)
#define HOUR_MS INT64_C (3600000)

static void levels_round_up_by_an_eighth_at_most (void **state)
{
    (void) state;
    for (uint64_t quantity = 0; quantity < 100000; quantity++) {
        uint64_t told = free_summary_quantity (free_summary_level (quantity));
        assert_true (told >= quantity && (quantity > 16 || told == quantity));
        assert_true (told - quantity <= quantity / 8);
    }
    for (unsigned level = 1; level <= 248; level++) { /* each is the least for its quantity */
        uint64_t quantity = free_summary_quantity ((uint8_t) level);
        assert_int_equal (free_summary_level (quantity), level);
        assert_true (free_summary_quantity ((uint8_t) (level - 1)) < quantity);
    }
    assert_true (free_summary_quantity (free_summary_level (UINT32_MAX)) >= UINT32_MAX);
}

static void spans_double_every_fourth (void **state)
{
    (void) state;
    assert_int_equal (free_summary_begin (FROM_MS, 0), FROM_MS);
    int64_t length_ms = FREE_SUMMARY_SPAN_MS;
    for (size_t span = 0; span < FREE_SUMMARY_SPANS; span++) {
        if (span > 0 && span % 4 == 0)
            length_ms *= 2;
        assert_int_equal (
          free_summary_begin (FROM_MS, span + 1) - free_summary_begin (FROM_MS, span), length_ms);
    }
}

/*  Two resources: 5 in the first span, then none for three, then 9; the other one is not told. */
static void the_first_start_is_in_a_span_with_enough (void **state)
{
    (void) state;
    uint8_t levels [] = {5, 5, 0, 0, 0, 9};
    const free_summary_t summary = {FROM_MS, levels, sizeof levels};
    int64_t span_ms = FREE_SUMMARY_SPAN_MS;
    static const struct {
        int64_t from, duration, first; /* in spans, from FROM_MS on */
        uint64_t quantity;
    } cases [] = {
      {0, 1, 0, 5},  {0, 1, 4, 6}, {0, 2, 4, 5},   {0, 1, 6, 10},   {-3, 3, -3, 99}, {-3, 4, -3, 5},
      {-3, 5, 4, 5}, {2, 1, 4, 1}, {0, 50, 6, 10}, {90, 1, 90, 99}, {0, 1, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal (free_summary_first (&summary, 0, FROM_MS + cases [i].from * span_ms,
                                              cases [i].duration * span_ms, cases [i].quantity),
                          FROM_MS + cases [i].first * span_ms);
    assert_int_equal (free_summary_first (&summary, 1, FROM_MS, span_ms, 99), FROM_MS);
    assert_int_equal (free_summary_of (&summary, 0).size, 5);
    assert_int_equal (free_summary_of (&summary, 1).size, 0);
}

static void wrong_counts_are_refused (void **state)
{
    (void) state;
    uint8_t levels [FREE_SUMMARY_SPANS + 2] = {2, 1};
    free_summary_t summary = {FROM_MS, levels, 2}, read;
    char why [WHY_BYTES];
    for (int i = 0; i < 2; i++) {
        packed_t packed = codec_encode (&free_summary_codec, &summary);
        assert_false (codec_decode (&free_summary_codec, &read, packed_bytes (packed), why));
        assert_non_null (strstr (why, "levels"));
        free (packed.data);
        levels [0] = FREE_SUMMARY_SPANS + 1;
        summary.levels_size = sizeof levels;
    }
}

/*  At every instant of ten days; and in no span more is told than is free at its best instant. */
static void what_is_told_bounds_what_is_free (void **state)
{
    (void) state;
    enum { STEPS = 960 };
    timekeeper_t keeper = {0};
    for (uint64_t seed = 1; seed <= 50; seed++) {
        prng_t prng;
        prng_seed (&prng, seed);
        resource_offer_t offers [] = {{"a", 40, 1}, {"b", 700, 1}, {"c", 3, 1}};
        free_capacity_t *capacity = free_capacity_new (
          &(free_capacity_settings_t){.name = "ams", .offers = offers, .offers_count = 3}, &keeper);
        free_summary_t summary;
        free_capacity_summary (capacity, FROM_MS, &summary);
        assert_int_equal (summary.levels_size, 0); /* nothing is taken */
        for (int i = 0; i < 60; i++) {
            int64_t from_ms = FROM_MS + (int64_t) prng_below (&prng, 900) * HOUR_MS / 4;
            resource_interval_t one = {
              .resource = prng_below (&prng, 2),
              .over = {from_ms, from_ms + (int64_t) (1 + prng_below (&prng, 60)) * HOUR_MS / 4}};
            int64_t left = free_capacity_least (capacity, one.resource, one.over, NULL);
            one.quantity = left > 0 ? 1 + (int64_t) prng_below (&prng, (uint64_t) left) : 0;
            if (one.quantity > 0)
                free_capacity_book (capacity, &(interval_list_t){&one, 1});
        }
        free_capacity_summary (capacity, FROM_MS, &summary);
        for (size_t r = 0; r < 3; r++) {
            bytes_t levels = free_summary_of (&summary, r);
            int64_t best [FREE_SUMMARY_SPANS] = {0};
            size_t span = 0;
            for (int64_t at = FROM_MS; at < FROM_MS + STEPS * HOUR_MS / 4; at += HOUR_MS / 4) {
                while (free_summary_begin (FROM_MS, span + 1) <= at)
                    span++;
                int64_t there =
                  free_capacity_least (capacity, r, (interval_t){at, at + HOUR_MS / 4}, NULL);
                best [span] = there > best [span] ? there : best [span];
                uint64_t told = span < levels.size ? free_summary_quantity (levels.data [span])
                                                   : offers [r].quantity;
                assert_true (told >= (uint64_t) there);
            }
            for (size_t k = 0; k < span && k < levels.size; k++)
                assert_int_equal (levels.data [k], free_summary_level ((uint64_t) best [k]));
            assert_true (r < 2 || levels.size == 0);
        }
        codec_clear (&free_summary_codec, &summary);
        free_capacity_destroy (&capacity);
    }
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (levels_round_up_by_an_eighth_at_most),
      cmocka_unit_test (spans_double_every_fourth),
      cmocka_unit_test (the_first_start_is_in_a_span_with_enough),
      cmocka_unit_test (wrong_counts_are_refused),
      cmocka_unit_test (what_is_told_bounds_what_is_free),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
