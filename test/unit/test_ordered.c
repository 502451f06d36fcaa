/*  ordered: against a plain table of flags, in any order of coming and going. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ordered.h"
#include "prng.h"

#define THINGS 5000

static int compare (const void *key, const void *thing)
{
    int a = *(const int *) key;
    int b = *(const int *) thing;
    return (a > b) - (a < b);
}

static void an_empty_order_has_nothing (void **state)
{
    (void) state;
    ordered_t *order = ordered_new (compare);
    int key = 3;
    assert_int_equal (ordered_count (order), 0);
    assert_null (ordered_find (order, &key));
    assert_null (ordered_remove (order, &key));
    assert_null (ordered_after (order, NULL));
    assert_null (ordered_after (order, &key));
    ordered_destroy (&order);
    assert_null (order);
    ordered_destroy (&order);
}

static void agrees_with_a_plain_table (void **state)
{
    (void) state;
    static int things [THINGS];
    static bool in [THINGS];
    size_t count = 0;
    prng_t prng;
    prng_seed (&prng, 11);
    for (int i = 0; i < THINGS; i++)
        things [i] = i;
    memset (in, 0, sizeof in);
    ordered_t *order = ordered_new (compare);
    for (int step = 0; step < 200000; step++) {
        /* grow, then shrink, then grow again */
        bool grow = (step / 40000) % 2 == 0;
        int key = (int) prng_below (&prng, THINGS);
        bool add = prng_below (&prng, 10) < (grow ? 7 : 3);
        assert_ptr_equal (ordered_find (order, &key), in [key] ? &things [key] : NULL);
        if (add && !in [key]) {
            ordered_add (order, &key, &things [key]);
            in [key] = true;
            count++;
        } else if (!add && in [key]) {
            assert_ptr_equal (ordered_remove (order, &key), &things [key]);
            in [key] = false;
            count--;
        }
        assert_int_equal (ordered_count (order), count);
        int next = key + 1;
        while (next < THINGS && !in [next])
            next++;
        assert_ptr_equal (ordered_after (order, &key), next < THINGS ? &things [next] : NULL);
    }
    int seen = -1;
    size_t walked = 0;
    const int *at = NULL;
    for (const int *thing; (thing = ordered_after (order, at)); at = thing) {
        assert_true (*thing > seen);
        assert_true (in [*thing]);
        seen = *thing;
        walked++;
    }
    assert_int_equal (walked, count);
    ordered_destroy (&order);
}

static void keys_may_come_in_order_or_backwards (void **state)
{
    (void) state;
    static int things [THINGS];
    for (int backwards = 0; backwards < 2; backwards++) {
        ordered_t *order = ordered_new (compare);
        for (int i = 0; i < THINGS; i++) {
            int key = backwards ? THINGS - 1 - i : i;
            things [key] = key;
            ordered_add (order, &key, &things [key]);
        }
        for (int i = 0; i < THINGS; i++)
            assert_ptr_equal (ordered_find (order, &i), &things [i]);
        for (int i = 0; i < THINGS; i++) {
            assert_ptr_equal (ordered_after (order, NULL), &things [i]);
            assert_ptr_equal (ordered_remove (order, &i), &things [i]);
        }
        assert_int_equal (ordered_count (order), 0);
        ordered_destroy (&order);
    }
}

typedef struct {
    int number;
    char name [8];
} ordered_named_t;

static size_t ended;

static void end (void *thing)
{
    (void) thing;
    ended++;
}

static void keys_may_stand_in_the_things (void **state)
{
    (void) state;
    ordered_named_t things [] = {{3, "c"}, {1, "b"}, {2, "a"}};
    ordered_t *texts = ordered_by_text (offsetof (ordered_named_t, name));
    ordered_t *bytes = ordered_by_bytes (offsetof (ordered_named_t, name), 1);
    for (size_t i = 0; i < 3; i++) {
        ordered_add (texts, things [i].name, &things [i]);
        ordered_add (bytes, things [i].name, &things [i]);
    }
    assert_ptr_equal (ordered_after (texts, NULL), &things [2]);
    assert_ptr_equal (ordered_after (texts, "a"), &things [1]);
    assert_null (ordered_find (texts, "bb"));
    assert_ptr_equal (ordered_find (bytes, "bb"), &things [1]); /* one byte counts */
    ordered_destroy (&bytes);
    ordered_end (&texts, end);
    assert_null (texts);
    assert_int_equal (ended, 3);
    ordered_end (&texts, end); /* harmless */
}

static void numbers_sort_as_numbers (void **state)
{
    (void) state;
    uint64_t things [] = {256, 1, UINT64_MAX};
    ordered_t *numbers = ordered_by_number (0);
    for (size_t i = 0; i < 3; i++)
        ordered_add (numbers, &things [i], &things [i]);
    assert_ptr_equal (ordered_after (numbers, NULL), &things [1]);
    assert_ptr_equal (ordered_after (numbers, &(uint64_t){1}), &things [0]);
    assert_ptr_equal (ordered_remove (numbers, &(uint64_t){UINT64_MAX}), &things [2]);
    assert_null (ordered_find (numbers, &(uint64_t){0}));
    ordered_destroy (&numbers);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (an_empty_order_has_nothing),
      cmocka_unit_test (agrees_with_a_plain_table),
      cmocka_unit_test (keys_may_come_in_order_or_backwards),
      cmocka_unit_test (keys_may_stand_in_the_things),
      cmocka_unit_test (numbers_sort_as_numbers),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
