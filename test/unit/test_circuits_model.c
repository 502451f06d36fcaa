/*  test_circuits_model - a domain agrees at every tick and link with plain arrays, through random
 *  circuits held, voted, committed, aborted, changed, released, and restarts.
 */
#include "checks.h"
#include "nis_fixture.h"

#include "message.h"
#include "prng.h"

#define TICKS        40 /* minutes of the model's day */
#define LINKS        6
#define RESERVATIONS 8
#define PART_MAX     3

typedef struct {
    int64_t mbps [LINKS][TICKS];
} circuits_model_plain_t;

typedef struct {
    char name [8];
    uint32_t version; /* 0 = not there */
    bool pending;
    operation_t operation;
    txid_t txid;
    circuits_model_plain_t old;
    circuits_model_plain_t new; /* while pending */
} circuits_model_reservation_t;

typedef struct {
    service_world_t w;
    prng_t prng;
    int64_t capacities [LINKS];
    circuits_model_reservation_t reservations [RESERVATIONS];
    uint32_t made; /* names are not used again */
    size_t taken;
    size_t refused;
    size_t settled;
} circuits_model_t;

static const char *const names [LINKS] = {"a-r", "r-b", "b-x", "b-x2", "a-c", "c-r"};
static const char *const ways [] = {"a-r",          "a-r r-b", "a-r r-b b-x",     "a-c c-r r-b",
                                    "c-r r-b b-x2", "a-c",     "a-c c-r r-b b-x", "r-b b-x2",
                                    "b-x"};

static int64_t below (circuits_model_t *self, int64_t bound)
{
    return (int64_t) prng_below (&self->prng, (uint64_t) bound);
}

static void plain_add (circuits_model_plain_t *self, const circuit_t *circuit)
{
    for (size_t l = 0; l < circuit->links_count; l++) {
        size_t link = 0;
        while (strcmp (names [link], circuit->links [l]) != 0)
            link++;
        for (int64_t t = (circuit->from_ms - EPOCH_MS) / MINUTE_MS;
             t < (circuit->until_ms - EPOCH_MS) / MINUTE_MS; t++)
            self->mbps [link][t] += circuit->mbps;
    }
}

static int64_t larger (int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t model_free (const circuits_model_t *self, size_t link, int64_t t)
{
    int64_t mbps = self->capacities [link];
    for (size_t r = 0; r < RESERVATIONS; r++) {
        const circuits_model_reservation_t *one = &self->reservations [r];
        mbps -= one->pending ? larger (one->old.mbps [link][t], one->new.mbps [link][t])
                             : one->old.mbps [link][t];
    }
    return mbps;
}

/*  One profile of all links says what the arrays say. */
static void model_check (circuits_model_t *self)
{
    domain_core_check (&self->w.host.core);
    Musubi__ProfileRequest request = MUSUBI__PROFILE_REQUEST__INIT;
    request.from_ms = at (0);
    request.until_ms = at (TICKS);
    ask (&self->w, "root", "Calendar", "Profile", &request.base);
    Musubi__ProfileAnswer *told = answer (&self->w, &musubi__profile_answer__descriptor);
    assert_int_equal (told->n_profiles, LINKS);
    for (size_t link = 0; link < LINKS; link++) {
        const Musubi__Profile *profile = told->profiles [link];
        size_t step = 0;
        for (int64_t t = 0; t < TICKS; t++) {
            if (step + 1 < profile->n_steps && profile->steps [step + 1]->from_ms <= at (t))
                step++;
            assert_int_equal (profile->steps [step]->free, model_free (self, link, t));
        }
    }
    message_free (&told->base);
}

/*  Would the model take it? Everything lies ahead. */
static bool model_fits (const circuits_model_t *self, const circuits_model_reservation_t *one,
                        const circuits_model_plain_t *new)
{
    for (size_t link = 0; link < LINKS; link++) {
        for (int64_t t = 0; t < TICKS; t++) {
            int64_t extra = new->mbps [link][t] - one->old.mbps [link][t];
            if (extra > 0 && model_free (self, link, t) < extra)
                return false;
        }
    }
    return true;
}

static void model_hold (circuits_model_t *self, circuits_model_reservation_t *one)
{
    circuit_t circuits [PART_MAX];
    circuits_model_plain_t new = {0};
    service_order_t order = {.reservation = one->name, .bookings = circuits, .prepare = true};
    if (one->version == 0) {
        snprintf (one->name, sizeof one->name, "r%u", self->made++);
    } else {
        order.operation = below (self, 4) == 0 ? OPERATION_RELEASE : OPERATION_MODIFY;
        order.base_version = one->version;
    }
    if (order.operation != OPERATION_RELEASE)
        order.count = 1 + (size_t) below (self, PART_MAX);
    for (size_t i = 0; i < order.count; i++) {
        int64_t from = 2 + below (self, TICKS - 3);
        int64_t until = from + 1 + below (self, TICKS - from);
        static const int64_t sizes [] = {10, 50, 100, 200, 400};
        circuits [i] = circuit (ways [below (self, sizeof ways / sizeof *ways)],
                                (uint32_t) sizes [below (self, 5)], from, until);
        plain_add (&new, &circuits [i]);
    }
    bool fits = model_fits (self, one, &new);
    command_answer_t told;
    txid_t txid = hold (&self->w, &order, &told);
    assert_int_equal (told.state, fits ? COMMAND_PREPARED : COMMAND_REJECTED);
    assert_int_equal (told.refusal.reason, fits ? REFUSAL_NONE : REFUSAL_SHORT);
    codec_clear (&command_answer_codec, &told);
    self->taken += fits;
    self->refused += !fits;
    if (!fits)
        return;
    one->pending = true;
    one->operation = order.operation;
    one->txid = txid;
    one->new = new;
}

static void model_decide (circuits_model_t *self, circuits_model_reservation_t *one)
{
    bool commit = below (self, 3) > 0;
    assert_int_equal (tell (&self->w, commit ? "Commit" : "Abort", &one->txid),
                      commit ? COMMAND_COMMITTED : COMMAND_ABORTED);
    one->pending = false;
    if (!commit)
        return;
    self->settled++;
    one->old = one->new;
    one->version = one->operation == OPERATION_RELEASE ? 0 : one->version + 1;
}

static void model_capacity (circuits_model_t *self)
{
    size_t link = (size_t) below (self, LINKS);
    Musubi__CapacityRequest request = MUSUBI__CAPACITY_REQUEST__INIT;
    request.resource = (char *) names [link];
    request.quantity = (uint32_t) below (self, 1200);
    assert_int_equal (ask (&self->w, "root", "Calendar", "Capacity", &request.base), CALL_OK);
    self->capacities [link] = request.quantity;
}

static void model_run (uint64_t seed, size_t *taken, size_t *refused, size_t *settled)
{
    static const int64_t capacities [LINKS] = {1000, 1000, 400, 100, 500, 800};
    static circuits_model_t self;
    self = (circuits_model_t){0};
    memcpy (self.capacities, capacities, sizeof capacities);
    prng_seed (&self.prng, seed);
    prepare_world (&self.w);
    self.w.settings.provider.limits.bookings.hold_quota =
      (hold_quota_limits_t){0}; /* test_hold_quota.c */
    start (&self.w);
    for (int step = 0; step < 250; step++) {
        circuits_model_reservation_t *one = &self.reservations [below (&self, RESERVATIONS)];
        int64_t dice = below (&self, 100);
        if (dice < 3)
            restart (&self.w);
        else if (dice < 6)
            model_capacity (&self);
        else if (one->pending)
            model_decide (&self, one);
        else
            model_hold (&self, one);
        model_check (&self);
    }
    *taken += self.taken;
    *refused += self.refused;
    *settled += self.settled;
    close_world (&self.w);
}

static void agrees_with_plain_arrays_at_every_tick_and_link (void **state)
{
    (void) state;
    size_t taken = 0;
    size_t refused = 0;
    size_t settled = 0;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        print_message ("# seed %llu\n", (unsigned long long) seed);
        model_run (seed, &taken, &refused, &settled);
    }
    print_message ("# taken %zu settled %zu refused %zu\n", taken, settled, refused);
    assert_true (settled > 500);
    assert_true (refused > 500);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (agrees_with_plain_arrays_at_every_tick_and_link),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
