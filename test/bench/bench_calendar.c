/*  bench_calendar - the calendar at work, beside the plainest calendar that gives the same answers.
 *
 *  One site of 1024 CPUs, bookings of 1 to 64 CPUs for 5 minutes to 4 hours at random starts, on a
 *  horizon so long that half of everything is booked. The plain calendar is a sorted array of steps
 *  (an instant, and the level from there on): a question finds its place by binary search and walks
 *  on; a booking moves half of the array to put in two steps, and changes the steps between them.
 *  The same questions go to both calendars, and their answers must agree.
 *
 *  `first, none` asks for what no gap of the whole horizon has. It and the plain calendar's
 *  costlier work are measured on few questions; all figures are the median of five runs.
 */
#include "../fuzz/calendar_check.h"
#include "bench.h"
#include "prng.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MINUTE_MS (INT64_C (60000))
#define HOUR_MS   (60 * MINUTE_MS)

enum {
    CAPACITY = 1024,
    QUANTITY_MAX = 64,
    QUESTIONS = 1 << 16,
    SIZES = 4,
};

/* --- the plain calendar --- */

typedef struct {
    int64_t time;
    int64_t level; /* from this instant to the next step's */
} calendar_step_t;

typedef struct {
    calendar_step_t *steps;
    size_t count;
    size_t room;
} calendar_plain_t;

/*  The step in force at that time; the first step begins before all times. */
static size_t plain_at (const calendar_plain_t *self, int64_t time)
{
    size_t low = 0;
    size_t high = self->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (self->steps [middle].time <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static int64_t plain_least (const calendar_plain_t *self, interval_t over)
{
    int64_t most = 0;
    for (size_t i = plain_at (self, over.from);
         i < self->count && self->steps [i].time < over.until; i++)
        most = self->steps [i].level > most ? self->steps [i].level : most;
    return CAPACITY - most;
}

static bool plain_first (const calendar_plain_t *self, interval_t window, int64_t duration_ms,
                         int64_t quantity, int64_t *start)
{
    size_t i = plain_at (self, window.from);
    *start = window.from;
    for (; i < self->count && self->steps [i].time < window.until; i++) {
        if (self->steps [i].time - *start >= duration_ms)
            return true;
        if (self->steps [i].level > CAPACITY - quantity)
            *start = i + 1 < self->count ? self->steps [i + 1].time : INT64_MAX;
    }
    return *start <= window.until && window.until - *start >= duration_ms;
}

/*  The step that begins at that time, which is added if there is none. */
static size_t plain_step (calendar_plain_t *self, int64_t time)
{
    size_t at = plain_at (self, time);
    if (self->steps [at].time == time)
        return at;
    memmove (&self->steps [at + 2], &self->steps [at + 1],
             (self->count - at - 1) * sizeof (calendar_step_t));
    self->steps [at + 1] = (calendar_step_t){.time = time, .level = self->steps [at].level};
    self->count++;
    return at + 1;
}

/*  Removes a step that no longer changes the level. */
static void plain_unstep (calendar_plain_t *self, size_t at)
{
    if (self->steps [at].level != self->steps [at - 1].level)
        return;
    memmove (&self->steps [at], &self->steps [at + 1],
             (self->count - at - 1) * sizeof (calendar_step_t));
    self->count--;
}

/*  Books, or gives back when the quantity is negative. */
static void plain_add (calendar_plain_t *self, interval_t over, int64_t quantity)
{
    size_t from = plain_step (self, over.from);
    size_t until = plain_step (self, over.until);
    for (size_t i = from; i < until; i++)
        self->steps [i].level += quantity;
    plain_unstep (self, until);
    plain_unstep (self, from);
}

static int step_compare (const void *a, const void *b)
{
    const calendar_step_t *left = a;
    const calendar_step_t *right = b;
    return (left->time > right->time) - (left->time < right->time);
}

/* --- the site --- */

typedef struct {
    prng_t prng;
    uint32_t size; /* bookings kept */
    int64_t horizon_ms;
    calendar_t *calendar;
    calendar_plain_t plain;
    taking_t *takings;
    size_t heap_bytes;

    /* What the next measurement asks. */
    interval_t windows [QUESTIONS];
    int64_t duration_ms [QUESTIONS];
    int64_t quantity [QUESTIONS];

    /* What the next measurement moves. */
    taking_t *moved;
    uint32_t moved_count;
} calendar_site_t;

static int64_t random_between (prng_t *prng, int64_t least, int64_t most)
{
    return least + (int64_t) prng_below (prng, (uint64_t) (most - least) + 1);
}

static taking_t random_demand (calendar_site_t *self)
{
    int64_t duration = random_between (&self->prng, 5 * MINUTE_MS, 4 * HOUR_MS);
    int64_t from = random_between (&self->prng, 0, self->horizon_ms - duration);
    return (taking_t){
      .over = {.from = from, .until = from + duration},
      .quantity = random_between (&self->prng, 1, QUANTITY_MAX),
    };
}

static void *take (size_t count, size_t bytes)
{
    void *memory = calloc (count, bytes);
    if (!memory)
        abort ();
    return memory;
}

/*  Half is booked when `size` bookings of mean quantity and duration take half of capacity x
 *  horizon. */
static int64_t horizon_of (uint32_t size)
{
    double booked = size * ((1 + QUANTITY_MAX) / 2.0) * (double) (5 * MINUTE_MS + 4 * HOUR_MS) / 2;
    return (int64_t) (booked / (CAPACITY / 2.0));
}

static void site_fill (calendar_site_t *self)
{
    size_t before = mallinfo2 ().uordblks;
    size_t blocks_before = mallinfo2 ().hblkhd;
    self->calendar = calendar_new (CAPACITY);
    for (uint32_t i = 0; i < self->size;) {
        self->takings [i] = random_demand (self);
        i += calendar_take (self->calendar, self->takings [i]);
    }
    self->heap_bytes = mallinfo2 ().uordblks - before + mallinfo2 ().hblkhd - blocks_before;
}

/*  Built in one go: added one by one, a million steps would be moved a million times. */
static void plain_fill (calendar_site_t *self)
{
    calendar_plain_t *plain = &self->plain;
    plain->room = 4 * (size_t) self->size + 16;
    plain->steps = take (plain->room, sizeof (calendar_step_t));
    plain->steps [plain->count++] = (calendar_step_t){.time = INT64_MIN / 2};
    for (uint32_t i = 0; i < self->size; i++) {
        taking_t demand = self->takings [i];
        plain->steps [plain->count++] = (calendar_step_t){demand.over.from, demand.quantity};
        plain->steps [plain->count++] = (calendar_step_t){demand.over.until, -demand.quantity};
    }
    qsort (plain->steps, plain->count, sizeof (calendar_step_t), step_compare);
    int64_t level = 0;
    size_t kept = 1;
    for (size_t i = 1; i < plain->count; i++) {
        level += plain->steps [i].level;
        if (plain->steps [kept - 1].time != plain->steps [i].time)
            kept++;
        plain->steps [kept - 1] = (calendar_step_t){plain->steps [i].time, level};
    }
    plain->count = kept;
}

static calendar_site_t *site_new (uint32_t size, uint64_t seed)
{
    calendar_site_t *self = take (1, sizeof *self);
    self->size = size;
    self->horizon_ms = horizon_of (size);
    self->takings = take (size, sizeof *self->takings);
    self->moved = take (size, sizeof *self->moved);
    prng_seed (&self->prng, seed);
    site_fill (self);
    plain_fill (self);
    return self;
}

static void site_destroy (calendar_site_t **self_p)
{
    calendar_site_t *self = *self_p;
    calendar_destroy (&self->calendar);
    free (self->plain.steps);
    free (self->takings);
    free (self->moved);
    free (self);
    *self_p = NULL;
}

/* --- questions --- */

static uint64_t ask_fits (void *subject, uint32_t questions)
{
    const calendar_site_t *self = subject;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < questions; i++)
        sum += calendar_fits (self->calendar, self->windows [i], self->quantity [i]);
    return sum;
}

static uint64_t plain_ask_fits (void *subject, uint32_t questions)
{
    const calendar_site_t *self = subject;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < questions; i++)
        sum += plain_least (&self->plain, self->windows [i]) >= self->quantity [i];
    return sum;
}

static uint64_t ask_least (void *subject, uint32_t questions)
{
    const calendar_site_t *self = subject;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < questions; i++)
        sum += (uint64_t) calendar_least (self->calendar, self->windows [i]);
    return sum;
}

static uint64_t plain_ask_least (void *subject, uint32_t questions)
{
    const calendar_site_t *self = subject;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < questions; i++)
        sum += (uint64_t) plain_least (&self->plain, self->windows [i]);
    return sum;
}

static uint64_t ask_first (void *subject, uint32_t questions)
{
    const calendar_site_t *self = subject;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < questions; i++) {
        int64_t start = 0;
        if (calendar_first (self->calendar, self->windows [i], self->duration_ms [i],
                            self->quantity [i], &start))
            sum += (uint64_t) start;
    }
    return sum;
}

static uint64_t plain_ask_first (void *subject, uint32_t questions)
{
    const calendar_site_t *self = subject;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < questions; i++) {
        int64_t start = 0;
        if (plain_first (&self->plain, self->windows [i], self->duration_ms [i], self->quantity [i],
                         &start))
            sum += (uint64_t) start;
    }
    return sum;
}

typedef uint64_t work_t (void *subject, uint32_t questions);

/*  One row for our calendar and one for the plain one; their answers to the same questions must
 *  agree. */
static void measure (bench_t *bench, calendar_site_t *site, const char *column, const char *row,
                     work_t *ours, work_t *plain, uint32_t questions, uint32_t plain_questions)
{
    if (ours (site, plain_questions) != plain (site, plain_questions)) {
        fprintf (stderr, "%s: the calendars disagree\n", row);
        exit (1);
    }
    char plain_row [96];
    snprintf (plain_row, sizeof plain_row, "plain: %s", row);
    bench_put (bench, row, column, bench_ns (ours, site, questions));
    bench_put (bench, plain_row, column, bench_ns (plain, site, plain_questions));
}

/*  About this many steps of the plain calendar are walked in a run of its questions. */
static uint32_t plain_share (const calendar_site_t *site, double part)
{
    double questions = 2e6 / (1 + part * (double) site->plain.count);
    return questions < 1 ? 1 : questions > QUESTIONS ? QUESTIONS : (uint32_t) questions;
}

static void ask_fits_rows (bench_t *bench, calendar_site_t *site, const char *column)
{
    for (uint32_t i = 0; i < QUESTIONS; i++) {
        taking_t demand = random_demand (site);
        site->windows [i] = demand.over;
        site->quantity [i] = demand.quantity;
    }
    measure (bench, site, column, "fits over 2 h", ask_fits, plain_ask_fits, QUESTIONS, QUESTIONS);
}

static void ask_least_rows (bench_t *bench, calendar_site_t *site, const char *column)
{
    for (uint32_t i = 0; i < QUESTIONS; i++) {
        int64_t from = random_between (&site->prng, 0, site->horizon_ms * 9 / 10);
        site->windows [i] = (interval_t){.from = from, .until = from + site->horizon_ms / 10};
    }
    measure (bench, site, column, "least over a tenth", ask_least, plain_ask_least, QUESTIONS,
             plain_share (site, 0.1));
}

static void ask_first_rows (bench_t *bench, calendar_site_t *site, const char *column)
{
    for (uint32_t i = 0; i < QUESTIONS; i++) {
        taking_t demand = random_demand (site);
        site->windows [i] =
          (interval_t){.from = demand.over.from, .until = site->horizon_ms + 30 * HOUR_MS};
        site->quantity [i] = demand.quantity;
        site->duration_ms [i] = demand.over.until - demand.over.from;
    }
    measure (bench, site, column, "first, random start", ask_first, plain_ask_first, QUESTIONS,
             QUESTIONS / 4);
    for (uint32_t i = 0; i < QUESTIONS; i++) {
        site->quantity [i] = CAPACITY * 55 / 100;
        site->duration_ms [i] = 2 * HOUR_MS;
    }
    measure (bench, site, column, "first, 55 % for 2 h", ask_first, plain_ask_first, QUESTIONS / 4,
             QUESTIONS / 16);
}

static void ask_none_rows (bench_t *bench, calendar_site_t *site, const char *column)
{
    for (uint32_t i = 0; i < QUESTIONS; i++) {
        site->windows [i] = (interval_t){.from = 0, .until = site->horizon_ms};
        site->quantity [i] = CAPACITY * 60 / 100;
        site->duration_ms [i] = 24 * HOUR_MS;
    }
    if (ask_first (site, 1) != 0) {
        fprintf (stderr, "60 %% is free for 24 h after all: choose another seed\n");
        exit (1);
    }
    uint32_t questions = plain_share (site, 0.02);
    measure (bench, site, column, "first, 60 % for 24 h: none", ask_first, plain_ask_first,
             questions, plain_share (site, 1));
}

/* --- bookings --- */

/*  Chooses the bookings that go: moves `moved_count` of them to the front. */
static void draw_moved (calendar_site_t *self)
{
    for (uint32_t i = 0; i < self->moved_count; i++) {
        uint32_t other = i + (uint32_t) prng_below (&self->prng, self->size - i);
        self->moved [i] = self->takings [other];
        self->takings [other] = self->takings [i];
        self->takings [i] = self->moved [i];
    }
}

/*  Gives some bookings back, then makes as many new ones, so that the site stays equally full.
 *  Counted for each call of calendar_take, refused ones included. */
static void move (calendar_site_t *self, double *book_ns, double *release_ns)
{
    draw_moved (self);
    double began = bench_cpu_ns ();
    for (uint32_t i = 0; i < self->moved_count; i++)
        calendar_give_back (self->calendar, self->takings [i]);
    *release_ns = (bench_cpu_ns () - began) / self->moved_count;

    uint32_t tried = 0;
    began = bench_cpu_ns ();
    for (uint32_t i = 0; i < self->moved_count; tried++) {
        self->takings [i] = random_demand (self);
        i += calendar_take (self->calendar, self->takings [i]);
    }
    *book_ns = (bench_cpu_ns () - began) / tried;
}

/*  The plain calendar does the same number: a real release, and a booking without asking whether it
 *  fits. */
static void plain_move (calendar_site_t *self, double *book_ns, double *release_ns)
{
    draw_moved (self);
    double began = bench_cpu_ns ();
    for (uint32_t i = 0; i < self->moved_count; i++)
        plain_add (&self->plain, self->moved [i].over, -self->moved [i].quantity);
    *release_ns = (bench_cpu_ns () - began) / self->moved_count;
    began = bench_cpu_ns ();
    for (uint32_t i = 0; i < self->moved_count; i++)
        plain_add (&self->plain, self->moved [i].over, self->moved [i].quantity);
    *book_ns = (bench_cpu_ns () - began) / self->moved_count;
}

static void measure_moves (bench_t *bench, calendar_site_t *site, const char *column,
                           uint32_t moved_count,
                           void (*moves) (calendar_site_t *, double *, double *),
                           const char *book_row, const char *release_row)
{
    double book_ns [BENCH_RUNS];
    double release_ns [BENCH_RUNS];
    site->moved_count = moved_count < site->size ? moved_count : site->size;
    for (int i = 0; i < BENCH_RUNS; i++)
        moves (site, &book_ns [i], &release_ns [i]);
    bench_put (bench, book_row, column, bench_median (book_ns, BENCH_RUNS));
    bench_put (bench, release_row, column, bench_median (release_ns, BENCH_RUNS));
}

static void put_bytes (bench_t *bench, const calendar_site_t *site, const char *column)
{
    bench_put (bench, "bytes a booking", column,
               (double) calendar_bytes (site->calendar) / site->size);
    bench_put (bench, "bytes a booking, of the heap", column,
               (double) site->heap_bytes / site->size);
    bench_put (bench, "plain: bytes a booking", column,
               (double) site->plain.count * sizeof (calendar_step_t) / site->size);
}

static void bench_size (bench_t *bench, uint32_t size, uint64_t seed)
{
    char column [16];
    snprintf (column, sizeof column, "%" PRIu32, size);
    calendar_site_t *site = site_new (size, seed);
    ask_fits_rows (bench, site, column);
    ask_least_rows (bench, site, column);
    ask_first_rows (bench, site, column);
    ask_none_rows (bench, site, column);
    put_bytes (bench, site, column);
    measure_moves (bench, site, column, plain_share (site, 1) + 15, plain_move, "plain: book",
                   "plain: release");
    measure_moves (bench, site, column, size / 10, move, "book", "release");
    bench_put (bench, "bytes a booking, after moves", column,
               (double) calendar_bytes (site->calendar) / site->size);
    site_destroy (&site);
}

int main (int argc, char **argv)
{
    bench_t *bench =
      bench_new (argc, argv, "bench_calendar", "the calendar beside a sorted array of steps");
    int64_t size_max = bench_option (bench, "--bookings-max", 1000000);
    int64_t seed = bench_option (bench, "--seed", 1);
    bench_begin (bench);
    static const uint32_t sizes [SIZES] = {1000, 10000, 100000, 1000000};
    for (int i = 0; i < SIZES && sizes [i] <= size_max; i++)
        bench_size (bench, sizes [i], (uint64_t) seed);
    bench_note (bench,
                "Columns: bookings held. Figures: ns of processor time an operation, or bytes.");
    return bench_end (&bench);
}
