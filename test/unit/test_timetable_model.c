/*  test_timetable_model - the timetable agrees at every tick with a plain array per reservation and
 *  class, through random reservations, changes, commits, aborts, losses of nodes and restarts.
 */
#include "timetable_fixture.h"

#include "admission.h"
#include "prng.h"

#define TICKS        96 /* a day of the model; the horizon ends before it */
#define CLASSES      3
#define RESERVATIONS 10
#define PART_MAX     4

typedef struct {
    int64_t nodes [CLASSES][TICKS];
} timetable_model_plain_t;

typedef struct {
    char name [8];
    void *current;
    void *taken;
    compute_booking_t part [PART_MAX]; /* committed */
    size_t part_count;
    compute_booking_t asked [PART_MAX];
    size_t asked_count;
    timetable_model_plain_t old;
    timetable_model_plain_t new;
} timetable_model_reservation_t;

typedef struct {
    timetable_fixture_t f;
    prng_t prng;
    int64_t gap;
    int64_t lead;
    int64_t horizon;
    int64_t minute;
    timetable_model_reservation_t reservations [RESERVATIONS];
    size_t outcomes [REFUSAL_REASONS];
    size_t settled;
} timetable_model_t;

static int64_t below (timetable_model_t *self, int64_t bound)
{
    return (int64_t) prng_below (&self->prng, (uint64_t) bound);
}

/*  All bookings here are of one need: nodes are cleaned after the last booking that has them, and a
 *  booking that begins when another ends takes over its nodes without cleaning. */
static timetable_model_plain_t plain_of (const timetable_model_t *self,
                                         const compute_booking_t *bookings, size_t count)
{
    timetable_model_plain_t plain = {0};
    static timetable_model_plain_t ends, begins;
    memset (&ends, 0, sizeof ends);
    memset (&begins, 0, sizeof begins);
    for (size_t i = 0; i < count; i++) {
        size_t class_index = 0;
        while (strcmp (self->f.classes [class_index].name, bookings [i].class_name) != 0)
            class_index++;
        int64_t from = (bookings [i].from_ms - EPOCH_MS) / TICK_MS;
        int64_t until = (bookings [i].until_ms - EPOCH_MS) / TICK_MS;
        begins.nodes [class_index][from] += bookings [i].nodes;
        ends.nodes [class_index][until] += bookings [i].nodes;
        for (int64_t t = from; t < until; t++)
            plain.nodes [class_index][t] += bookings [i].nodes;
    }
    for (size_t c = 0; c < self->f.site.classes_count; c++)
        for (int64_t end = 0; end + self->gap < TICKS; end++)
            for (int64_t t = end; t < end + self->gap; t++)
                if (ends.nodes [c][end] > begins.nodes [c][end])
                    plain.nodes [c][t] += ends.nodes [c][end] - begins.nodes [c][end];
    return plain;
}

static int64_t model_free (const timetable_model_t *self, size_t c, int64_t t)
{
    int64_t nodes = free_capacity_offer (self->f.room, c)->quantity;
    for (size_t r = 0; r < RESERVATIONS; r++) {
        const timetable_model_reservation_t *reservation = &self->reservations [r];
        int64_t old = reservation->old.nodes [c][t];
        int64_t new = reservation->taken ? reservation->new.nodes [c][t] : 0;
        nodes -= old > new ? old : new;
    }
    return nodes;
}

static void model_check (const timetable_model_t *self)
{
    for (size_t c = 0; c < CLASSES; c++)
        for (int64_t t = 0; t < TICKS; t++)
            assert_int_equal (free_at (&self->f, c, t), model_free (self, c, t));
}

/*  What the timetable should say, tick by tick. */
static verdict_t model_judge (const timetable_model_t *self, const timetable_model_plain_t *old,
                              const timetable_model_plain_t *new, size_t asked_count)
{
    for (size_t c = 0; c < CLASSES; c++)
        for (int64_t t = self->minute + self->horizon + self->gap; t < TICKS; t++)
            if (new->nodes [c][t] > old->nodes [c][t])
                return (verdict_t){.reason = REFUSAL_OUTSIDE};
    for (size_t c = 0; c < CLASSES; c++) {
        for (int64_t t = 0; t < self->minute + self->lead; t++) {
            bool more = new->nodes [c][t] > old->nodes [c][t];
            bool less = new->nodes [c][t] < old->nodes [c][t];
            if (more || (less && t < self->minute && asked_count > 0))
                return (verdict_t){.reason = REFUSAL_TOO_NEAR};
        }
    }
    for (size_t c = 0; c < CLASSES; c++) {
        for (int64_t t = 0; t < TICKS; t++) {
            int64_t extra = new->nodes [c][t] - old->nodes [c][t];
            if (extra <= 0 || model_free (self, c, t) >= extra)
                continue;
            verdict_t verdict = {.reason = REFUSAL_SHORT,
                                 .resource = c,
                                 .over = {at (t), at (t)},
                                 .wanted = new->nodes [c][t],
                                 .free = INT64_MAX};
            for (int64_t u = t;
                 u < TICKS && model_free (self, c, u) < extra &&
                 new->nodes [c][u] == new->nodes [c][t] && old->nodes [c][u] == old->nodes [c][t];
                 u++) {
                verdict.over.until = at (u + 1);
                int64_t left = model_free (self, c, u) + old->nodes [c][u];
                verdict.free = left < verdict.free ? left : verdict.free;
            }
            return verdict;
        }
    }
    return (verdict_t){.reason = REFUSAL_NONE};
}

static void model_fresh_check (const timetable_model_t *self, const refusal_t *refusal,
                               const timetable_model_plain_t *old)
{
    for (size_t i = 0; i < refusal->fresh_count; i++) {
        const profile_t *fresh = &refusal->fresh [i];
        size_t c;
        assert_true (free_capacity_find (self->f.room, fresh->resource, &c));
        for (size_t s = 0; s < fresh->steps_count; s++) {
            int64_t until =
              s + 1 < fresh->steps_count ? fresh->steps [s + 1].from_ms : fresh->until_ms;
            for (int64_t ms = fresh->steps [s].from_ms; ms < until; ms += TICK_MS) {
                int64_t t = (ms - EPOCH_MS) / TICK_MS;
                if (t < TICKS)
                    assert_int_equal (fresh->steps [s].free,
                                      model_free (self, c, t) + old->nodes [c][t]);
            }
        }
    }
}

static compute_booking_t model_booking (timetable_model_t *self)
{
    size_t c = (size_t) below (self, CLASSES);
    const node_class_t *class = &self->f.classes [c];
    uint32_t cpus = 1 + (uint32_t) below (self, class->nodes * class->cpus_per_node * 5 / 8 + 1);
    int64_t from = self->minute + below (self, self->horizon + 1);
    if (below (self, 8) > 0 && from < self->minute + self->lead)
        from = self->minute + self->lead;
    int64_t until = from + 1 + below (self, 12);
    if (below (self, 16) > 0 && until > self->minute + self->horizon)
        until = self->minute + self->horizon;
    if (until <= from)
        until = from + 1;
    return booking ("n", class->name, cpus, class_nodes_for (class, cpus), from, until);
}

/*  Draws a part: a new one, or the present one with a change. */
static void model_ask (timetable_model_t *self, timetable_model_reservation_t *reservation)
{
    reservation->asked_count = 0;
    if (reservation->current && below (self, 3) > 0) {
        memcpy (reservation->asked, reservation->part, sizeof reservation->asked);
        reservation->asked_count = reservation->part_count;
        size_t i = (size_t) below (self, (int64_t) reservation->asked_count);
        compute_booking_t *changed = &reservation->asked [i];
        int64_t minutes = below (self, 13) - 6;
        if (changed->until_ms + minutes * TICK_MS > changed->from_ms)
            changed->until_ms += minutes * TICK_MS;
        if (below (self, 2) == 0 && reservation->asked_count < PART_MAX)
            reservation->asked [reservation->asked_count++] = model_booking (self);
        return;
    }
    size_t count = (size_t) below (self, PART_MAX + 1);
    while (reservation->asked_count < count)
        reservation->asked [reservation->asked_count++] = model_booking (self);
}

static void model_take (timetable_model_t *self, timetable_model_reservation_t *reservation)
{
    model_ask (self, reservation);
    timetable_model_plain_t new = plain_of (self, reservation->asked, reservation->asked_count);
    verdict_t want = model_judge (self, &reservation->old, &new, reservation->asked_count);
    plan_t plan = plan_for (reservation->name, "alice");
    refusal_t refusal;
    reservation->taken = take_plan (&self->f, &plan, reservation->current, reservation->asked,
                                    reservation->asked_count, false, &refusal);
    self->outcomes [refusal.reason]++;
    assert_int_equal (refusal.reason, want.reason);
    if (want.reason == REFUSAL_SHORT) {
        assert_int_equal (refusal.from_ms, want.over.from);
        assert_int_equal (refusal.until_ms, want.over.until);
        assert_int_equal (refusal.wanted, want.wanted);
        assert_int_equal (refusal.free, want.free);
    }
    if (want.reason != REFUSAL_NONE)
        model_fresh_check (self, &refusal, &reservation->old);
    else
        reservation->new = new;
    codec_clear (&refusal_codec, &refusal);
}

static void model_settle (timetable_model_t *self, timetable_model_reservation_t *reservation)
{
    reservation->current = settle (&self->f, reservation->current, reservation->taken);
    assert_true ((reservation->current == NULL) == (reservation->asked_count == 0));
    reservation->taken = NULL;
    reservation->old = reservation->new;
    memcpy (reservation->part, reservation->asked, sizeof reservation->part);
    reservation->part_count = reservation->asked_count;
    self->settled++;
}

/*  The process is started again and loads its records, first the committed, then the pending. */
static void model_restart (timetable_model_t *self)
{
    uint32_t nodes [CLASSES];
    for (size_t c = 0; c < CLASSES; c++)
        nodes [c] = free_capacity_offer (self->f.room, c)->quantity;
    timetable_destroy (&self->f.timetable);
    free_capacity_destroy (&self->f.room);
    open_site (&self->f);
    refusal_t refusal;
    for (size_t r = 0; r < RESERVATIONS; r++) {
        timetable_model_reservation_t *reservation = &self->reservations [r];
        plan_t plan = plan_for (reservation->name, "alice");
        if (reservation->current)
            reservation->current = settle (&self->f, NULL,
                                           take_plan (&self->f, &plan, NULL, reservation->part,
                                                      reservation->part_count, true, &refusal));
        if (reservation->taken)
            reservation->taken =
              take_plan (&self->f, &plan, reservation->current, reservation->asked,
                         reservation->asked_count, true, &refusal);
    }
    for (size_t c = 0; c < CLASSES; c++)
        free_capacity_set_quantity (self->f.room, c, nodes [c]);
}

static void model_step (timetable_model_t *self)
{
    timetable_model_reservation_t *reservation = &self->reservations [below (self, RESERVATIONS)];
    int64_t dice = below (self, 100);
    if (dice < 2) {
        size_t c = (size_t) below (self, CLASSES);
        free_capacity_set_quantity (self->f.room, c,
                                    (uint32_t) below (self, 2 * self->f.classes [c].nodes));
    } else if (dice < 4) {
        model_restart (self);
    } else if (dice < 8 && self->minute + self->horizon + self->gap + 20 < TICKS) {
        set_now (&self->f, ++self->minute);
    } else if (reservation->taken && dice < 40) {
        self->f.resource.drop (self->f.resource.owner, reservation->taken);
        reservation->taken = NULL;
    } else if (reservation->taken) {
        model_settle (self, reservation);
    } else if (reservation->current && dice < 15) {
        self->f.resource.end (self->f.resource.owner, reservation->current);
        reservation->current = NULL;
        reservation->old = (timetable_model_plain_t){0};
        reservation->part_count = 0;
    } else {
        model_take (self, reservation);
    }
}

static void model_run (uint64_t seed, int64_t gap, size_t outcomes [REFUSAL_REASONS],
                       size_t *settled)
{
    static timetable_model_t self;
    self = (timetable_model_t){.gap = gap, .lead = 2, .horizon = 40};
    prng_seed (&self.prng, seed);
    open_fixture (&self.f);
    timetable_destroy (&self.f.timetable);
    free_capacity_destroy (&self.f.room);
    self.f.site.cleaning_gap_ms = gap * TICK_MS;
    self.f.site.horizon_ms = self.horizon * TICK_MS;
    open_site (&self.f);
    for (size_t r = 0; r < RESERVATIONS; r++)
        snprintf (self.reservations [r].name, sizeof self.reservations [r].name, "r%zu", r);
    for (int step = 0; step < 600; step++) {
        model_step (&self);
        model_check (&self);
    }
    for (size_t reason = 0; reason < REFUSAL_REASONS; reason++)
        outcomes [reason] += self.outcomes [reason];
    *settled += self.settled;
    close_fixture (&self.f);
}

static void agrees_with_plain_arrays_at_every_tick (void **state)
{
    (void) state;
    size_t outcomes [REFUSAL_REASONS] = {0};
    size_t settled = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        print_message ("# seed %llu\n", (unsigned long long) seed);
        model_run (seed, (int64_t) seed % 3, outcomes, &settled);
    }
    print_message ("# taken %zu settled %zu short %zu near %zu outside %zu\n",
                   outcomes [REFUSAL_NONE], settled, outcomes [REFUSAL_SHORT],
                   outcomes [REFUSAL_TOO_NEAR], outcomes [REFUSAL_OUTSIDE]);
    assert_true (settled > 1000);
    assert_true (outcomes [REFUSAL_SHORT] > 500);
    assert_true (outcomes [REFUSAL_TOO_NEAR] > 100);
    assert_true (outcomes [REFUSAL_OUTSIDE] > 100);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (agrees_with_plain_arrays_at_every_tick),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
