/*  calendar - every promise of its header, and random operations against one number per tick. */
#include "../fuzz/calendar_trial.h"
#include "prng.h"

#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof (array) / sizeof (array) [0])

#define TIME_LAST  (CALENDAR_HORIZON_MS)
#define TIME_FIRST (-CALENDAR_HORIZON_MS)

static interval_t over (int64_t from, int64_t until)
{
    return (interval_t){.from = from, .until = until};
}

static taking_t booked (calendar_t *calendar, int64_t from, int64_t until, int64_t quantity)
{
    taking_t taking = {over (from, until), quantity};
    assert_true (calendar_take (calendar, taking));
    calendar_check (calendar);
    return taking;
}

static bool fits (const calendar_t *calendar, int64_t from, int64_t until, int64_t quantity)
{
    return calendar_fits (calendar, over (from, until), quantity);
}

/*  Capacity 10:  [100, 200) 4   [150, 300) 3   [400, 500) 10   [500, 600) 10   [700, 800) 6
 *
 *      free   10     6     3     7     10    0     0    10     4     10
 *          ...  100   150   200   300   400   500   600   700   800  ... */
static calendar_t *usual (void)
{
    calendar_t *calendar = calendar_new (10);
    booked (calendar, 100, 200, 4);
    booked (calendar, 150, 300, 3);
    booked (calendar, 400, 500, 10);
    booked (calendar, 500, 600, 10);
    booked (calendar, 700, 800, 6);
    return calendar;
}

static void begins_wholly_free (void **state)
{
    (void) state;
    calendar_t *calendar = calendar_new (5);
    assert_int_equal (calendar_capacity (calendar), 5);
    assert_int_equal (calendar_bookings (calendar), 0);
    assert_int_equal (calendar_least (calendar, over (INT64_MIN, INT64_MAX)), 5);
    int64_t start = 1;
    assert_true (calendar_first (calendar, over (-7, 20), 27, 5, &start));
    assert_int_equal (start, -7);
    interval_t span;
    assert_int_equal (calendar_spans (calendar, over (3, 9), 6, 5, &span, 1), 1);
    assert_int_equal (span.from, 3);
    assert_int_equal (span.until, 9);
    int64_t time;
    int64_t free_then;
    assert_int_equal (calendar_profile (calendar, over (3, 9), &time, &free_then, 1), 1);
    assert_int_equal (time, 3);
    assert_int_equal (free_then, 5);
    assert_true (calendar_booked (calendar, over (3, 9)) == 0);
    calendar_check (calendar);
    calendar_destroy (&calendar);
}

static void destroys_once_and_clears_the_pointer (void **state)
{
    (void) state;
    calendar_t *calendar = usual ();
    calendar_destroy (&calendar);
    assert_null (calendar);
    calendar_destroy (&calendar);
}

static void tells_the_least_free_of_half_open_intervals (void **state)
{
    (void) state;
    static const struct {
        int64_t from, until, least;
    } cases [] = {
      {0, 100, 10},   {0, 101, 6},    {99, 100, 10}, {100, 101, 6},   {100, 150, 6},
      {100, 151, 3},  {199, 200, 3},  {200, 201, 7}, {200, 300, 7},   {299, 400, 7},
      {300, 400, 10}, {300, 401, 0},  {450, 550, 0}, {599, 600, 0},   {600, 700, 10},
      {600, 701, 4},  {800, 900, 10}, {0, 900, 0},   {750, 10000, 4}, {-5000, 100, 10},
    };
    calendar_t *calendar = usual ();
    for (size_t i = 0; i < LENGTH (cases); i++) {
        interval_t asked = over (cases [i].from, cases [i].until);
        int64_t least = calendar_least (calendar, asked);
        if (least != cases [i].least)
            fail_msg ("[%" PRId64 ", %" PRId64 "): %" PRId64, asked.from, asked.until, least);
        assert_true (calendar_fits (calendar, asked, least));
        assert_false (calendar_fits (calendar, asked, least + 1));
    }
    calendar_destroy (&calendar);
}

static void finds_the_earliest_start (void **state)
{
    (void) state;
    static const struct {
        int64_t from, until, duration, quantity, start; /* start -1: none */
    } cases [] = {
      {0, 1000, 100, 10, 0},      /* the asked start itself */
      {1, 1000, 100, 10, 300},    /* one short of the first booking */
      {1, 1000, 99, 10, 1},       /* and just not short */
      {120, 1000, 80, 6, 200},    /* begins amid a booking */
      {120, 1000, 30, 6, 120},    /* which leaves enough */
      {120, 1000, 31, 6, 200},    /* but not for longer */
      {301, 1000, 100, 10, 600},  /* over two bookings that touch */
      {300, 1000, 100, 10, 300},  /* fills a gap exactly */
      {300, 1000, 101, 10, 800},  /* too long for it */
      {300, 1000, 101, 4, 600},   /* a booking that leaves enough goes by */
      {300, 900, 100, 10, 300},   /* ends at the window's end */
      {301, 700, 100, 10, 600},   /* the same */
      {301, 699, 100, 10, -1},    /* one short */
      {600, 700, 100, 10, 600},   /* the window is the gap */
      {600, 700, 101, 10, -1},    /* longer than the window */
      {400, 600, 1, 1, -1},       /* nothing is free */
      {0, 1000, 1, 11, -1},       /* more than there is */
      {900, 5000, 4100, 10, 900}, /* after everything */
      {-900, 0, 900, 10, -900},   /* before everything */
      {0, 0, 1, 1, -1},           /* an empty window */
      {10, 5, 1, 1, -1},          /* a reversed one */
    };
    calendar_t *calendar = usual ();
    for (size_t i = 0; i < LENGTH (cases); i++) {
        int64_t start = -1;
        bool found = calendar_first (calendar, over (cases [i].from, cases [i].until),
                                     cases [i].duration, cases [i].quantity, &start);
        if (found != (cases [i].start != -1) || start != cases [i].start)
            fail_msg ("case %zu: %" PRId64 ", not %" PRId64, i, start, cases [i].start);
    }
    calendar_destroy (&calendar);
}

static void lists_maximal_spans (void **state)
{
    (void) state;
    static const struct {
        int64_t from, until, duration, quantity;
        interval_t spans [5];
        size_t count;
    } cases [] = {
      {0, 1000, 1, 10, {{0, 100}, {300, 400}, {600, 700}, {800, 1000}}, 4},
      {0, 1000, 100, 10, {{0, 100}, {300, 400}, {600, 700}, {800, 1000}}, 4},
      {0, 1000, 101, 10, {{800, 1000}}, 1},
      {0, 1000, 1, 7, {{0, 100}, {200, 400}, {600, 700}, {800, 1000}}, 4},
      {0, 1000, 1, 3, {{0, 400}, {600, 1000}}, 2},
      {0, 1000, 1, 1, {{0, 400}, {600, 1000}}, 2},
      {0, 1000, 1, 0, {{0, 1000}}, 1},
      {50, 350, 50, 10, {{50, 100}, {300, 350}}, 2},
      {51, 350, 50, 10, {{300, 350}}, 1},
      {400, 600, 1, 1, {{0, 0}}, 0},
      {5, 5, 1, 1, {{0, 0}}, 0},
    };
    calendar_t *calendar = usual ();
    for (size_t i = 0; i < LENGTH (cases); i++) {
        interval_t spans [5];
        size_t count = calendar_spans (calendar, over (cases [i].from, cases [i].until),
                                       cases [i].duration, cases [i].quantity, spans, 5);
        assert_int_equal (count, cases [i].count);
        for (size_t j = 0; j < count; j++) {
            assert_int_equal (spans [j].from, cases [i].spans [j].from);
            assert_int_equal (spans [j].until, cases [i].spans [j].until);
        }
    }
    calendar_destroy (&calendar);
}

static void lists_no_more_spans_than_asked (void **state)
{
    (void) state;
    calendar_t *calendar = usual ();
    interval_t spans [3] = {{7, 7}, {7, 7}, {7, 7}};
    assert_int_equal (calendar_spans (calendar, over (0, 1000), 1, 10, spans, 2), 2);
    assert_int_equal (spans [1].until, 400);
    assert_int_equal (spans [2].from, 7);
    assert_int_equal (calendar_spans (calendar, over (0, 1000), 1, 10, NULL, 0), 0);
    calendar_destroy (&calendar);
}

static void draws_the_profile_as_steps_that_differ (void **state)
{
    (void) state;
    static const int64_t expected [][2] = {{120, 6}, {150, 3},  {200, 7}, {300, 10},
                                           {400, 0}, {600, 10}, {700, 4}};
    calendar_t *calendar = usual ();
    int64_t times [8];
    int64_t free_then [8];
    size_t count = calendar_profile (calendar, over (120, 800), times, free_then, 8);
    assert_int_equal (count, LENGTH (expected));
    for (size_t i = 0; i < count; i++) {
        assert_int_equal (times [i], expected [i][0]);
        assert_int_equal (free_then [i], expected [i][1]);
    }
    calendar_destroy (&calendar);
}

static void counts_the_steps_it_has_no_room_for (void **state)
{
    (void) state;
    calendar_t *calendar = usual ();
    int64_t times [3] = {-1, -1, -1};
    int64_t free_then [3] = {-1, -1, -1};
    assert_int_equal (calendar_profile (calendar, over (120, 800), times, free_then, 2), 7);
    assert_int_equal (times [1], 150);
    assert_int_equal (times [2], -1);
    assert_int_equal (free_then [2], -1);
    assert_int_equal (calendar_profile (calendar, over (120, 800), NULL, NULL, 0), 7);
    assert_int_equal (calendar_profile (calendar, over (120, 120), NULL, NULL, 0), 0);
    calendar_destroy (&calendar);
}

static void adds_up_what_is_booked (void **state)
{
    (void) state;
    static const struct {
        int64_t from, until;
        double booked;
    } cases [] = {
      {0, 1000, 400 + 450 + 1000 + 1000 + 600},
      {0, 100, 0},
      {120, 160, 30 * 4 + 10 * 7},
      {450, 460, 100},
      {900, 1000, 0},
      {1000, 900, 0},
      {INT64_MIN, INT64_MAX, 3450},
    };
    calendar_t *calendar = usual ();
    for (size_t i = 0; i < LENGTH (cases); i++)
        assert_true (calendar_booked (calendar, over (cases [i].from, cases [i].until)) ==
                     cases [i].booked);
    calendar_destroy (&calendar);
}

static void is_short_when_one_is_missing_for_one_tick (void **state)
{
    (void) state;
    calendar_t *calendar = usual ();
    assert_false (fits (calendar, 0, 151, 4));
    assert_false (fits (calendar, 0, 150, 7));
    assert_false (fits (calendar, 2000, 3000, 11));
    assert_false (fits (calendar, 2000, 3000, INT64_MAX));
    assert_int_equal (calendar_bookings (calendar), 5);
    booked (calendar, 0, 150, 6);
    calendar_destroy (&calendar);
}

static void tells_the_first_piece_that_is_short (void **state)
{
    (void) state;
    static const struct {
        int64_t from, until, quantity;
        interval_t piece; /* from 0 until 0: none */
    } cases [] = {
      {0, 1000, 10, {100, 300}}, {0, 1000, 6, {150, 200}},  {0, 1000, 3, {400, 600}},
      {0, 1000, 0, {0, 0}},      {0, 100, 10, {0, 0}},      {160, 170, 6, {160, 170}},
      {450, 700, 5, {450, 600}}, {610, 750, 5, {700, 750}}, {0, 1000, 11, {0, 1000}},
      {200, 400, 7, {0, 0}},     {199, 400, 7, {199, 200}}, {300, 401, 1, {400, 401}},
    };
    calendar_t *calendar = usual ();
    for (size_t i = 0; i < LENGTH (cases); i++) {
        interval_t piece = {0, 0};
        bool told = calendar_short (calendar, over (cases [i].from, cases [i].until),
                                    cases [i].quantity, &piece);
        assert_int_equal (told, cases [i].piece.until > 0);
        assert_int_equal (piece.from, cases [i].piece.from);
        assert_int_equal (piece.until, cases [i].piece.until);
    }
    calendar_destroy (&calendar);
}

static void books_and_answers_at_the_ends_of_the_horizon (void **state)
{
    (void) state;
    calendar_t *calendar = calendar_new (10);
    taking_t whole = booked (calendar, TIME_FIRST, TIME_LAST, 3);
    taking_t last = booked (calendar, TIME_LAST - 1, TIME_LAST, 7);
    taking_t first = booked (calendar, TIME_FIRST, TIME_FIRST + 1, 7);
    assert_int_equal (calendar_least (calendar, over (INT64_MIN, INT64_MAX)), 0);
    assert_int_equal (calendar_least (calendar, over (INT64_MIN, TIME_FIRST)), 10);
    assert_int_equal (calendar_least (calendar, over (TIME_LAST, INT64_MAX)), 10);
    assert_int_equal (calendar_least (calendar, over (TIME_LAST - 1, TIME_LAST)), 0);
    int64_t start = 0;
    assert_true (calendar_first (calendar, over (TIME_FIRST, INT64_MAX), INT64_MAX / 2, 8, &start));
    assert_int_equal (start, TIME_LAST);
    assert_true (calendar_first (calendar, over (INT64_MIN, INT64_MAX), INT64_MAX / 2, 8, &start));
    assert_true (start == INT64_MIN);
    assert_false (calendar_first (calendar, over (INT64_MIN, INT64_MAX), INT64_MAX, 3, &start));
    assert_true (calendar_first (calendar, over (INT64_MIN, INT64_MAX), INT64_MAX, 0, &start));
    assert_true (start == INT64_MIN);
    calendar_give_back (calendar, whole);
    calendar_give_back (calendar, last);
    calendar_check (calendar);
    calendar_give_back (calendar, first);
    calendar_check (calendar);
    calendar_destroy (&calendar);
}

static void keeps_the_largest_quantities_apart (void **state)
{
    (void) state;
    calendar_t *calendar = calendar_new (CALENDAR_QUANTITY_MAX);
    booked (calendar, 0, 100, CALENDAR_QUANTITY_MAX - 1);
    assert_int_equal (calendar_least (calendar, over (0, 100)), 1);
    assert_false (fits (calendar, 99, 200, 2));
    booked (calendar, 99, 200, 1);
    booked (calendar, 100, 200, CALENDAR_QUANTITY_MAX - 1);
    assert_int_equal (calendar_least (calendar, over (0, 1000)), 0);
    calendar_set_capacity (calendar, 0);
    assert_true (calendar_least (calendar, over (0, 1000)) == -CALENDAR_QUANTITY_MAX);
    assert_false (calendar_fits (calendar, over (0, 1000), INT64_MIN + CALENDAR_QUANTITY_MAX + 1) ==
                  false);
    assert_false (calendar_fits (calendar, over (0, 1000), INT64_MAX));
    int64_t start = 0;
    assert_true (calendar_first (calendar, over (50, 1000), 10, INT64_MIN, &start));
    assert_int_equal (start, 50);
    assert_false (calendar_first (calendar, over (50, 1000), 10, INT64_MAX, &start));
    calendar_destroy (&calendar);
}

static void gives_back_where_changes_cancelled_out (void **state)
{
    (void) state;
    calendar_t *calendar = calendar_new (10);
    taking_t before = booked (calendar, 0, 100, 5);
    taking_t after = booked (calendar, 100, 200, 5);
    int64_t times [4];
    int64_t free_then [4];
    assert_int_equal (calendar_profile (calendar, over (0, 200), times, free_then, 4), 1);
    interval_t span;
    assert_int_equal (calendar_spans (calendar, over (0, 200), 200, 5, &span, 1), 1);
    calendar_give_back (calendar, before);
    calendar_check (calendar);
    assert_int_equal (calendar_least (calendar, over (0, 100)), 10);
    assert_int_equal (calendar_least (calendar, over (100, 200)), 5);
    calendar_give_back (calendar, after);
    calendar_check (calendar);
    calendar_destroy (&calendar);
}

/*  At all instants but the outermost the changes cancel out. Releasing every other booking makes
 *  all of these instants count, and must not need more memory. */
static void gives_back_without_asking_for_memory (void **state)
{
    (void) state;
    enum { COUNT = 20000 };
    calendar_t *calendar = calendar_new (1);
    for (int i = 0; i < COUNT; i++)
        calendar_book (calendar, over (i, i + 1), 1);
    assert_int_equal (calendar_profile (calendar, over (0, COUNT), NULL, NULL, 0), 1);
    size_t bytes = calendar_bytes (calendar);
    for (int i = 0; i < COUNT; i += 2) {
        calendar_release (calendar, over (i, i + 1), 1);
        assert_true (calendar_bytes (calendar) <= bytes);
        bytes = calendar_bytes (calendar);
    }
    calendar_check (calendar);
    assert_int_equal (calendar_profile (calendar, over (0, COUNT), NULL, NULL, 0), COUNT);
    for (int i = 1; i < COUNT; i += 2) {
        calendar_release (calendar, over (i, i + 1), 1);
        assert_true (calendar_bytes (calendar) <= bytes);
        bytes = calendar_bytes (calendar);
    }
    calendar_check (calendar);
    assert_int_equal (calendar_least (calendar, over (0, COUNT)), 1);
    calendar_destroy (&calendar);
}

/*  An instant counts its touches in 16 bits. */
static void stand_more_at_one_instant_than_it_counts (bool starting)
{
    enum { COUNT = 70000 };
    calendar_t *calendar = calendar_new (COUNT);
    calendar_starting (calendar, starting);
    for (int i = 0; i < COUNT; i++)
        calendar_book (calendar, over (1000, 2000), 1);
    calendar_starting (calendar, false);
    calendar_check (calendar);
    assert_int_equal (calendar_least (calendar, over (1999, 2000)), 0);
    for (int i = 0; i < COUNT - 1; i++)
        calendar_release (calendar, over (1000, 2000), 1);
    calendar_check (calendar);
    assert_int_equal (calendar_least (calendar, over (0, 3000)), COUNT - 1);
    assert_int_equal (calendar_profile (calendar, over (0, 3000), NULL, NULL, 0), 3);
    calendar_release (calendar, over (1000, 2000), 1);
    calendar_check (calendar);
    int64_t start = 0;
    assert_true (calendar_first (calendar, over (0, 3000), 3000, COUNT, &start));
    booked (calendar, 1000, 2000, COUNT);
    calendar_destroy (&calendar);
}

static void stands_more_bookings_at_one_instant_than_it_counts (void **state)
{
    (void) state;
    stand_more_at_one_instant_than_it_counts (false);
    stand_more_at_one_instant_than_it_counts (true);
}

static void starts_with_nothing_and_with_what_reaches_to_the_ends (void **state)
{
    (void) state;
    calendar_t *calendar = calendar_new (3);
    calendar_starting (calendar, true);
    calendar_starting (calendar, false);
    calendar_check (calendar);
    assert_int_equal (calendar_least (calendar, over (INT64_MIN, INT64_MAX)), 3);
    calendar_starting (calendar, true);
    calendar_book (calendar, over (-1, TIME_LAST), 1);
    calendar_book (calendar, over (TIME_FIRST, TIME_LAST), 1);
    calendar_book (calendar, over (TIME_FIRST, 0), 1);
    calendar_starting (calendar, false);
    calendar_check (calendar);
    assert_int_equal (calendar_bookings (calendar), 3);
    assert_int_equal (calendar_least (calendar, over (-1, 0)), 0);
    assert_int_equal (calendar_least (calendar, over (TIME_FIRST, -1)), 1);
    assert_int_equal (calendar_least (calendar, over (0, TIME_LAST)), 1);
    assert_int_equal (calendar_least (calendar, over (TIME_LAST, INT64_MAX)), 3);
    calendar_starting (calendar, true); /* too late, and so it may be asked */
    booked (calendar, 0, 1, 1);
    calendar_starting (calendar, false);
    assert_int_equal (calendar_bookings (calendar), 4);
    assert_int_equal (calendar_least (calendar, over (0, 1)), 0);
    calendar_destroy (&calendar);
}

static void goes_below_zero_when_capacity_is_lost (void **state)
{
    (void) state;
    calendar_t *calendar = calendar_new (10);
    booked (calendar, 0, 100, 3);
    booked (calendar, 50, 300, 5);
    taking_t late = booked (calendar, 200, 400, 4);
    interval_t piece;
    assert_false (calendar_short (calendar, over (0, 1000), 0, &piece));
    calendar_set_capacity (calendar, 8);
    assert_int_equal (calendar_least (calendar, over (0, 1000)), -1);
    assert_int_equal (calendar_least (calendar, over (0, 200)), 0);
    assert_true (calendar_short (calendar, over (0, 1000), 0, &piece));
    assert_true (piece.from == 200 && piece.until == 300);
    calendar_set_capacity (calendar, 0);
    assert_false (fits (calendar, 0, 1, 1));
    calendar_give_back (calendar, late);
    calendar_set_capacity (calendar, 9);
    assert_int_equal (calendar_least (calendar, over (0, 1000)), 1);
    calendar_destroy (&calendar);
}

static void takes_bookings_that_do_not_fit (void **state)
{
    (void) state;
    calendar_t *calendar = calendar_new (10);
    booked (calendar, 0, 100, 8);
    calendar_book (calendar, over (50, 150), 8);
    calendar_check (calendar);
    assert_int_equal (calendar_least (calendar, over (0, 200)), -6);
    assert_int_equal (calendar_least (calendar, over (0, 50)), 2);
    int64_t start = 0;
    assert_true (calendar_first (calendar, over (0, 1000), 10, 3, &start));
    assert_int_equal (start, 150);
    calendar_release (calendar, over (50, 150), 8);
    assert_int_equal (calendar_least (calendar, over (0, 200)), 2);
    calendar_destroy (&calendar);
}

/*  Used as hold_quota does: counts what is booked at the same time, without a capacity. */
static void counts_without_a_capacity (void **state)
{
    (void) state;
    calendar_t *calendar = calendar_new (0);
    interval_t piece;
    assert_int_equal (calendar_least (calendar, over (0, 100)), 0);
    assert_false (calendar_short (calendar, over (0, 100), 0, &piece));
    calendar_book (calendar, over (10, 30), 5);
    calendar_book (calendar, over (20, 40), 5);
    assert_int_equal (calendar_least (calendar, over (0, 100)), -10);
    assert_false (calendar_short (calendar, over (0, 100), -10, &piece));
    assert_true (calendar_short (calendar, over (0, 100), -9, &piece));
    assert_true (piece.from == 20 && piece.until == 30);
    assert_true (calendar_short (calendar, over (0, 25), 0, &piece));
    assert_true (piece.from == 10 && piece.until == 25);
    calendar_release (calendar, over (10, 30), 5);
    calendar_release (calendar, over (20, 40), 5);
    assert_int_equal (calendar_bookings (calendar), 0);
    calendar_destroy (&calendar);
}

static void random_bytes (prng_t *prng, uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes [i] = (uint8_t) prng_below (prng, 256);
}

static char trial_name [64];

/*  When a trial aborts, prints which one it was. */
static void tell_trial (int number)
{
    (void) number;
    if (write (STDERR_FILENO, trial_name, strlen (trial_name)) < 0)
        return;
}

/*  Many short trials in all the worlds there are, and some long ones. */
static void agrees_with_one_number_per_tick (void **state)
{
    (void) state;
    static uint8_t bytes [20000];
    print_message ("seeds 1 to 1000\n");
    signal (SIGABRT, tell_trial);
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        snprintf (trial_name, sizeof trial_name, "trial of seed %" PRIu64 " failed\n", seed);
        prng_t prng;
        prng_seed (&prng, seed);
        size_t size = seed % 50 == 0 ? sizeof bytes : 200 + prng_below (&prng, 800);
        random_bytes (&prng, bytes, size);
        calendar_trial (bytes, size);
    }
    signal (SIGABRT, SIG_DFL);
}

/*  A tree of three levels and more: 100,000 bookings over 2^20 ticks, asked while it grows and
 *  while it shrinks. */
typedef struct {
    calendar_t *calendar;
    int32_t *booked;
    taking_t *takings;
    uint32_t count;
} tall_t;

enum { TALL_TICKS = 1 << 20, TALL_BOOKINGS = 100000, TALL_CAPACITY = 64 };

static void tall_mark (tall_t *tall, interval_t interval, int64_t quantity)
{
    for (int64_t i = interval.from; i < interval.until; i++)
        tall->booked [i] += (int32_t) quantity;
}

static void tall_book (tall_t *tall, prng_t *prng)
{
    int64_t from = (int64_t) prng_below (prng, TALL_TICKS - 1000);
    interval_t interval = over (from, from + 1 + (int64_t) prng_below (prng, 600));
    taking_t taking = {interval, 1 + (int64_t) prng_below (prng, 4)};
    if (calendar_take (tall->calendar, taking)) {
        tall_mark (tall, interval, taking.quantity);
        tall->takings [tall->count++] = taking;
    }
}

static void tall_release (tall_t *tall, prng_t *prng)
{
    uint32_t at = (uint32_t) prng_below (prng, tall->count);
    taking_t taking = tall->takings [at];
    calendar_give_back (tall->calendar, taking);
    tall_mark (tall, taking.over, -taking.quantity);
    tall->takings [at] = tall->takings [--tall->count];
}

static void tall_ask (const tall_t *tall, prng_t *prng)
{
    int64_t from = (int64_t) prng_below (prng, TALL_TICKS);
    int64_t until = from + 1 + (int64_t) prng_below (prng, (uint64_t) (TALL_TICKS - from));
    int64_t duration = 1 + (int64_t) prng_below (prng, 20000);
    int64_t quantity = TALL_CAPACITY - (int64_t) prng_below (prng, 90);
    int32_t most = 0;
    int64_t since = from;
    int64_t start = -1;
    for (int64_t i = from; i < until; i++) {
        most = tall->booked [i] > most ? tall->booked [i] : most;
        if (tall->booked [i] > TALL_CAPACITY - quantity)
            since = i + 1;
        else if (start < 0 && i + 1 - since >= duration)
            start = since;
    }
    assert_int_equal (calendar_least (tall->calendar, over (from, until)), TALL_CAPACITY - most);
    int64_t near = from + 1 + (int64_t) prng_below (prng, (uint64_t) (until - from) / 200 + 1);
    int32_t lowest = INT32_MAX;
    for (int64_t i = from; i < near; i++)
        lowest = tall->booked [i] < lowest ? tall->booked [i] : lowest;
    assert_int_equal (calendar_most (tall->calendar, over (from, near)), TALL_CAPACITY - lowest);
    int64_t found = -1;
    assert_int_equal (
      calendar_first (tall->calendar, over (from, until), duration, quantity, &found), start >= 0);
    assert_int_equal (found, start);
}

static void agrees_when_the_tree_is_tall (void **state)
{
    (void) state;
    static int32_t marks [TALL_TICKS];
    static taking_t takings [TALL_BOOKINGS];
    tall_t tall = {calendar_new (TALL_CAPACITY), marks, takings, 0};
    prng_t prng;
    prng_seed (&prng, 2026);
    print_message ("seed 2026\n");
    for (int i = 0; i < TALL_BOOKINGS; i++) {
        tall_book (&tall, &prng);
        if (i % 3 == 0)
            tall_release (&tall, &prng);
        if (i % 1000 == 0)
            tall_ask (&tall, &prng);
        if (i % 10000 == 0)
            calendar_check (tall.calendar);
    }
    assert_true (tall.count > TALL_BOOKINGS / 4);
    while (tall.count > 0) {
        tall_release (&tall, &prng);
        if (tall.count % 1000 == 0)
            tall_ask (&tall, &prng);
        if (tall.count % 10000 == 0)
            calendar_check (tall.calendar);
    }
    calendar_destroy (&tall.calendar);
}

/*  Where a gap begins is looked up late, when subtrees were passed over as too brief. Here they all
 *  are: one-tick bookings of 2 of 2, up to a place that moves down the tree, then of 1, and a
 *  question for 1 that is longer than a node of many leaves. */
static void finds_a_long_gap_wherever_in_the_tree_it_begins (void **state)
{
    (void) state;
    enum { COUNT = 16000, LEAST = 5000, DURATION = 8000 };
    static int order [COUNT];
    calendar_t *calendar = calendar_new (2);
    prng_t prng;
    prng_seed (&prng, 7);
    for (int i = 0; i < COUNT; i++) {
        int other = (int) prng_below (&prng, (uint64_t) i + 1);
        order [i] = order [other];
        order [other] = i;
    }
    for (int i = 0; i < COUNT; i++)
        calendar_book (calendar, over (2L * order [i], 2L * order [i] + 1), 2);
    int64_t end = 2L * COUNT - 1;
    for (int i = COUNT; i > LEAST; i--) {
        int64_t begin = 2L * i - 1;
        int64_t start = -1;
        bool found = calendar_first (calendar, over (0, end), DURATION, 1, &start);
        assert_int_equal (found, end - begin >= DURATION);
        assert_int_equal (start, found ? begin : -1);
        calendar_release (calendar, over (begin - 1, begin), 2);
        calendar_book (calendar, over (begin - 1, begin), 1);
    }
    calendar_check (calendar);
    calendar_destroy (&calendar);
}

/*  As much is booked in one leaf as at other times already: nothing is new above it but where the
 *  tree begins. */
static void takes_a_booking_before_all_others (void **state)
{
    (void) state;
    enum { COUNT = 4000 };
    calendar_t *calendar = calendar_new (1);
    for (int64_t i = 1; i <= COUNT; i++)
        calendar_book (calendar, over (2 * i, 2 * i + 1), 1);
    assert_true (calendar->changes.height > 1);
    calendar_book (calendar, over (0, 1), 1);
    calendar_check (calendar);
    calendar_destroy (&calendar);
}

/*  A site's calendar as it lives: bookings come at the far end and go at the near one. */
static void stays_small_as_time_goes_by (void **state)
{
    (void) state;
    enum { KEPT = 1000 };
    calendar_t *calendar = calendar_new (1000);
    size_t bytes_max = 0;
    for (int64_t i = 0; i < 200000; i++) {
        if (i >= KEPT)
            calendar_release (calendar, over ((i - KEPT) * 7, (i - KEPT) * 7 + 5000), 1);
        calendar_book (calendar, over (i * 7, i * 7 + 5000), 1);
        if (calendar_bytes (calendar) > bytes_max)
            bytes_max = calendar_bytes (calendar);
        if (i % 20000 == 0)
            calendar_check (calendar);
    }
    calendar_check (calendar);
    assert_true (bytes_max < 76 * KEPT);
    calendar_destroy (&calendar);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (begins_wholly_free),
      cmocka_unit_test (destroys_once_and_clears_the_pointer),
      cmocka_unit_test (tells_the_least_free_of_half_open_intervals),
      cmocka_unit_test (finds_the_earliest_start),
      cmocka_unit_test (lists_maximal_spans),
      cmocka_unit_test (lists_no_more_spans_than_asked),
      cmocka_unit_test (draws_the_profile_as_steps_that_differ),
      cmocka_unit_test (counts_the_steps_it_has_no_room_for),
      cmocka_unit_test (adds_up_what_is_booked),
      cmocka_unit_test (is_short_when_one_is_missing_for_one_tick),
      cmocka_unit_test (tells_the_first_piece_that_is_short),
      cmocka_unit_test (books_and_answers_at_the_ends_of_the_horizon),
      cmocka_unit_test (keeps_the_largest_quantities_apart),
      cmocka_unit_test (gives_back_where_changes_cancelled_out),
      cmocka_unit_test (gives_back_without_asking_for_memory),
      cmocka_unit_test (stands_more_bookings_at_one_instant_than_it_counts),
      cmocka_unit_test (starts_with_nothing_and_with_what_reaches_to_the_ends),
      cmocka_unit_test (goes_below_zero_when_capacity_is_lost),
      cmocka_unit_test (takes_bookings_that_do_not_fit),
      cmocka_unit_test (counts_without_a_capacity),
      cmocka_unit_test (agrees_with_one_number_per_tick),
      cmocka_unit_test (agrees_when_the_tree_is_tall),
      cmocka_unit_test (finds_a_long_gap_wherever_in_the_tree_it_begins),
      cmocka_unit_test (takes_a_booking_before_all_others),
      cmocka_unit_test (stays_small_as_time_goes_by),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
