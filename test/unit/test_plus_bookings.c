/*  test_plus_bookings - what changes make of a booking, and where their edge is, against a plain
 *  walk through all minutes.
 */
#include "disk_space.h"
#include "lis.h"
#include "plus_bookings.h"

#include "prng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MINUTES 40

static const resource_offer_t thin = {.name = "thin", .quantity = 8, .unit = 2};

static bool part_read (plus_bookings_t *self, packed_t part)
{
    part_reader_t reader;
    bookings_reader (&reader);
    bool good = plus_bookings_read (self, &reader, packed_bytes (part));
    free (part.data);
    return good;
}

static uint32_t plus_nodes_at (const plus_bookings_t *self, int64_t minute)
{
    uint32_t nodes = 0;
    for (size_t i = 0; i < self->count; i++)
        if (self->list [i].from_ms <= minute && minute < self->list [i].until_ms)
            nodes += self->list [i].quantity;
    return nodes;
}

static int64_t end_of (const plus_bookings_t *self)
{
    return self->count > 0 ? self->list [self->count - 1].until_ms : 0;
}

/*  Up to so many phases of 1 to 4 nodes, one after another, or none. */
static void draw (plus_bookings_t *self, prng_t *prng, size_t most)
{
    int64_t from = 1 + (int64_t) prng_below (prng, 8);
    self->count = (size_t) prng_below (prng, most + 1);
    for (size_t i = 0; i < self->count; i++) {
        uint32_t nodes = 1 + (uint32_t) prng_below (prng, 4);
        int64_t until = from + 1 + (int64_t) prng_below (prng, 9);
        self->list [i] = (admission_want_t){.need = PLUS_NEED,
                                            .resource = "thin",
                                            .quantity = nodes,
                                            .amount = 2 * nodes,
                                            .from_ms = from,
                                            .until_ms = until};
        from = until;
    }
}

static void T9_the_edge_is_the_first_minute_that_lacks_something (void **state)
{
    (void) state;
    prng_t prng;
    unsigned lacking = 0, sufficing = 0;
    prng_seed (&prng, 9);
    for (int round = 0; round < 5000; round++) {
        plus_bookings_t old, next;
        draw (&old, &prng, 3);
        draw (&next, &prng, 3);
        if (old.count == 0 && next.count == 0)
            continue;
        int64_t first = -1;
        for (int64_t minute = 0; minute < MINUTES && first < 0; minute++)
            if (plus_nodes_at (&next, minute) > plus_nodes_at (&old, minute))
                first = minute;
        bool lacks = true;
        int64_t edge = plus_bookings_edge (&old, &next, &lacks);
        assert_int_equal (lacks, first >= 0);
        assert_int_equal (edge, first >= 0 ? first : end_of (&old));
        assert_int_equal (plus_bookings_end (&old, &next),
                          end_of (&old) > end_of (&next) ? end_of (&old) : end_of (&next));
        lacking += first >= 0;
        sufficing += first < 0;
    }
    assert_true (lacking > 1000 && sufficing > 300);
}

/*  How many nodes there should be at a minute. */
static uint32_t wished_at (const plus_bookings_t *old, const plus_wish_t *whole, int64_t now,
                           int64_t soonest, int64_t minute)
{
    const admission_want_t *last = &old->list [old->count - 1];
    if (minute < whole->from_ms || minute >= whole->until_ms)
        return 0;
    if (old->list [0].from_ms > now || (minute >= soonest && whole->quantity != last->quantity))
        return whole->quantity;
    return minute < last->until_ms ? plus_nodes_at (old, minute) : last->quantity;
}

/*  Why the change is impossible; NULL when it is possible. */
static const char *wrong_in (const plus_bookings_t *old, const plus_wish_t *wish,
                             const plus_wish_t *whole, int64_t now, int64_t soonest)
{
    if (whole->from_ms >= whole->until_ms)
        return "until_ms: the reservation would end before it starts";
    if (old->list [0].from_ms > now)
        return NULL;
    if (whole->from_ms != old->list [0].from_ms)
        return "from_ms: the reservation has begun, so its start can't change";
    if (whole->until_ms <= now)
        return "until_ms: that moment has passed; release the reservation to end it now";
    if (wish->quantity &&
        wished_at (old, whole, now, soonest, whole->until_ms - 1) != wish->quantity)
        return "quantity: the reservation ends before it could have another";
    return NULL;
}

static void a_change_keeps_the_past_and_makes_what_is_wished_of_the_rest (void **state)
{
    (void) state;
    prng_t prng;
    unsigned made = 0, refused = 0, begun = 0;
    prng_seed (&prng, 46);
    for (int round = 0; round < 20000; round++) {
        plus_bookings_t old, next = {.count = 0}, read;
        draw (&old, &prng, 3);
        if (old.count == 0)
            continue;
        const admission_want_t *last = &old.list [old.count - 1];
        int64_t now = (int64_t) prng_below (&prng, (uint64_t) last->until_ms);
        int64_t soonest = now + 1 + (int64_t) prng_below (&prng, 6);
        plus_wish_t wish = {0};
        if (prng_below (&prng, 4) == 0)
            wish.from_ms = 1 + (int64_t) prng_below (&prng, 15);
        if (prng_below (&prng, 2) == 0)
            wish.until_ms = 1 + (int64_t) prng_below (&prng, MINUTES - 1);
        if (prng_below (&prng, 2) == 0)
            wish.quantity = 1 + (uint32_t) prng_below (&prng, 4);
        plus_wish_t whole = {.from_ms = wish.from_ms ? wish.from_ms : old.list [0].from_ms,
                             .until_ms = wish.until_ms ? wish.until_ms : last->until_ms,
                             .quantity = wish.quantity ? wish.quantity : last->quantity};
        const char *wrong = wrong_in (&old, &wish, &whole, now, soonest);
        char why [WHY_BYTES] = "";
        assert_int_equal (plus_bookings_change (&next, &old, &thin, &wish, now, soonest, why),
                          !wrong);
        if (wrong) {
            assert_string_equal (why, wrong);
            refused++;
            continue;
        }
        for (int64_t minute = 0; minute < MINUTES; minute++)
            assert_int_equal (plus_nodes_at (&next, minute),
                              wished_at (&old, &whole, now, soonest, minute));
        assert_true (part_read (&read, plus_part_encode (PART_COMPUTE, next.list, next.count)));
        assert_int_equal (read.count, next.count);
        for (size_t i = 0; i < next.count; i++)
            assert_int_equal (next.list [i].amount, 2 * next.list [i].quantity);
        made++;
        begun += old.list [0].from_ms <= now;
    }
    assert_true (made > 5000 && refused > 1000 && begun > 3000);
}

/*  One node, three from minute 30 on, and then shortened to end before that. */
static void who_ends_it_before_its_nodes_change_has_those_of_before (void **state)
{
    (void) state;
    plus_bookings_t old, turned, next;
    char why [WHY_BYTES];
    plus_bookings_new (&old, &thin, &(plus_wish_t){.from_ms = 1, .until_ms = 40, .quantity = 1});
    plus_wish_t wish = {.quantity = 3};
    assert_true (plus_bookings_change (&turned, &old, &thin, &wish, 5, 30, why));
    wish = (plus_wish_t){.until_ms = 20};
    assert_true (plus_bookings_change (&next, &turned, &thin, &wish, 10, 35, why));
    assert_int_equal (next.count, 1);
    assert_int_equal (next.list [0].quantity, 1);
    assert_int_equal (next.list [0].until_ms, 20);
    wish.quantity = 1;
    assert_true (plus_bookings_change (&next, &turned, &thin, &wish, 10, 35, why));
    assert_int_equal (next.list [0].quantity, 1);
    wish.quantity = 3; /* which it would never have */
    assert_false (plus_bookings_change (&next, &turned, &thin, &wish, 10, 35, why));
    assert_string_equal (why, "quantity: the reservation ends before it could have another");
}

static void more_phases_than_a_part_can_have_are_refused (void **state)
{
    (void) state;
    plus_bookings_t old, next;
    char why [WHY_BYTES];
    plus_wish_t wish = {.from_ms = 1, .until_ms = 1000000, .quantity = 1};
    plus_bookings_new (&old, &thin, &wish);
    int64_t now = 10;
    for (uint32_t i = 1; i < BOOKINGS_MAX; i++, now += 10) {
        wish = (plus_wish_t){.quantity = 1 + i % 2};
        assert_true (plus_bookings_change (&next, &old, &thin, &wish, now, now + 1, why));
        assert_int_equal (next.count, i + 1);
        old = next;
    }
    wish.quantity = 3;
    assert_false (plus_bookings_change (&next, &old, &thin, &wish, now, now + 1, why));
    assert_non_null (strstr (why, "quantity: changed"));
    /*  As many nodes as the last phase: no new phase. */
    wish = (plus_wish_t){.until_ms = 2000000};
    assert_true (plus_bookings_change (&next, &old, &thin, &wish, now, now + 1, why));
    assert_int_equal (next.count, BOOKINGS_MAX);
}

static bool readable (const compute_booking_t *bookings, size_t count)
{
    plus_bookings_t read;
    return part_read (&read, compute_part_encode (bookings, count));
}

static void only_one_need_without_a_hole_is_read (void **state)
{
    (void) state;
    compute_booking_t two [2] = {
      {.need = "a", .class_name = "thin", .cpus = 2, .nodes = 1, .from_ms = 10, .until_ms = 20},
      {.need = "a", .class_name = "thin", .cpus = 4, .nodes = 2, .from_ms = 20, .until_ms = 30}};
    assert_true (readable (two, 2));
    two [1].from_ms = 21;
    assert_false (readable (two, 2));
    two [1].from_ms = 20;
    strcpy (two [1].need, "b");
    assert_false (readable (two, 2));
    strcpy (two [1].need, "a");
    strcpy (two [1].class_name, "fat");
    assert_false (readable (two, 2));
}

static void room_is_read_in_whole_mib_and_room_for_a_file_is_left_to_planners (void **state)
{
    (void) state;
    part_reader_t reader;
    plus_bookings_t read;
    admission_want_t want = {
      .need = PLUS_NEED, .resource = "d1", .quantity = 3, .from_ms = 10, .until_ms = 20};
    space_booking_t file = {
      .need = "a", .node = "d1", .bytes = 1, .from_ms = 10, .until_ms = 20, .due_ms = 20};
    disk_space_reader (NULL, &reader);
    packed_t part = plus_part_encode (PART_SPACE, &want, 1);
    assert_true (plus_bookings_read (&read, &reader, packed_bytes (part)));
    assert_int_equal (read.count, 1);
    assert_int_equal (read.list [0].quantity, 3);
    assert_string_equal (read.list [0].resource, "d1");
    free (part.data);
    strcpy (file.file, "x");
    part = codec_encode (&space_part_codec, &(space_part_t){&file, 1});
    assert_false (plus_bookings_read (&read, &reader, packed_bytes (part)));
    free (part.data);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (T9_the_edge_is_the_first_minute_that_lacks_something),
      cmocka_unit_test (a_change_keeps_the_past_and_makes_what_is_wished_of_the_rest),
      cmocka_unit_test (who_ends_it_before_its_nodes_change_has_those_of_before),
      cmocka_unit_test (more_phases_than_a_part_can_have_are_refused),
      cmocka_unit_test (only_one_need_without_a_hole_is_read),
      cmocka_unit_test (room_is_read_in_whole_mib_and_room_for_a_file_is_left_to_planners),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
