/*  calls: each ends exactly once, whatever the network and the directory do. Events by hand. */
#include "call.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TRIES_MAX 4096
#define SEED      20260731

/*  A try as it was sent. */
typedef struct {
    uint64_t number;
    char endpoint [64];
    char request_id [64];
    char body [16];
    uint8_t to_store [STORE_ID_BYTES];
    int64_t sent_ms;
    int64_t timeout_ms;
    bool answered;
} try_t;

typedef struct {
    outbox_t *outbox;
    timers_t *timers;
    prng_t prng;
    calls_t *calls;
    moment_t now;
    const char *address; /* what the resolver says; NULL = not known */
    try_t tries [TRIES_MAX];
    size_t tries_count;
    size_t done_count;
    size_t done_of [TRIES_MAX]; /* by token */
    call_status_t status;
    char reason [128];
    char answer [16];
    uint32_t store_start;
    int64_t done_ms;
    bool in_start;
    bool again_when_done;    /* true: done starts another call */
    uint64_t cancel_in_done; /* done cancels this one */
} call_fixture_t;

static const char *resolve (void *owner, const moment_t *now, const char *peer)
{
    (void) now;
    call_fixture_t *self = owner;
    assert_string_equal (peer, "lis/ams");
    return self->address;
}

/*  Takes the tries that were sent since the last time. */
static void drain (call_fixture_t *self)
{
    effect_t effect;
    while (outbox_next (self->outbox, &effect)) {
        assert_int_equal (effect.kind, EFFECT_CALL);
        assert_true (self->tries_count < TRIES_MAX);
        try_t *try = &self->tries [self->tries_count++];
        *try = (try_t){.number = effect.call.call,
                       .sent_ms = self->now.mono_ms,
                       .timeout_ms = effect.call.timeout_ms};
        snprintf (try->endpoint, sizeof try->endpoint, "%s", effect.call.endpoint);
        snprintf (try->request_id, sizeof try->request_id, "%s", effect.call.request_id);
        assert_true (effect.call.body.size < sizeof try->body);
        if (effect.call.body.size > 0)
            memcpy (try->body, effect.call.body.data, effect.call.body.size);
        memcpy (try->to_store, effect.call.to_store, STORE_ID_BYTES);
        assert_string_equal (effect.call.service, "Calendar");
        assert_string_equal (effect.call.method, "Profile");
        assert_string_equal (effect.call.actor, "alice");
    }
    outbox_clear (self->outbox);
}

static call_order_t order_of (uint32_t tries_max)
{
    return (call_order_t){.peer = "lis/ams",
                          .endpoint = "",
                          .service = "Calendar",
                          .method = "Profile",
                          .actor = "alice",
                          .request_id = "r1@g1",
                          .body = {.data = (const uint8_t *) "body", .size = 4},
                          .timeout_ms = 1000,
                          .tries_max = tries_max};
}

static void on_done (void *owner, const moment_t *now, uint64_t token, const call_result_t *result)
{
    call_fixture_t *self = owner;
    assert_false (self->in_start);
    self->done_count++;
    assert_true (token < TRIES_MAX);
    self->done_of [token]++;
    self->status = result->status;
    self->store_start = result->store_start;
    self->done_ms = now->mono_ms;
    snprintf (self->reason, sizeof self->reason, "%s", result->reason);
    memset (self->answer, 0, sizeof self->answer);
    assert_true (result->body.size < sizeof self->answer);
    if (result->body.size > 0)
        memcpy (self->answer, result->body.data, result->body.size);
    if (self->again_when_done) {
        self->again_when_done = false;
        call_order_t order = order_of (1);
        calls_start (self->calls, now, &order, on_done, self, token + 1);
    }
    calls_cancel (self->calls, self->cancel_in_done);
}

static uint64_t start (call_fixture_t *self, const call_order_t *order, uint64_t token)
{
    self->in_start = true;
    uint64_t call = calls_start (self->calls, &self->now, order, on_done, self, token);
    self->in_start = false;
    assert_true (call != 0);
    drain (self);
    return call;
}

static void answer (call_fixture_t *self, uint64_t number, call_status_t status, const char *body)
{
    event_t event = {.kind = EVENT_ANSWER,
                     .answer = {.call = number,
                                .status = status,
                                .reason = status == CALL_OK ? "" : "because",
                                .body = {.data = (const uint8_t *) body, .size = strlen (body)},
                                .store = {9},
                                .store_start = 3}};
    calls_answer (self->calls, &self->now, &event);
    drain (self);
}

static try_t *last_try (call_fixture_t *self)
{
    assert_true (self->tries_count > 0);
    return &self->tries [self->tries_count - 1];
}

/*  Let time pass until the next timer, and run it. */
static void next_timer (call_fixture_t *self)
{
    assert_true (timers_due (self->timers) < INT64_MAX);
    self->now.mono_ms = timers_due (self->timers);
    timers_run (self->timers, &self->now);
    drain (self);
}

static int set_up (void **state)
{
    call_fixture_t *self = calloc (1, sizeof *self);
    assert_non_null (self);
    self->outbox = outbox_new ();
    self->timers = timers_new ();
    prng_seed (&self->prng, SEED);
    self->calls = calls_new (self->outbox, self->timers, &self->prng);
    calls_resolver (self->calls, resolve, self);
    self->now = (moment_t){.wall_ms = 1700000000000, .mono_ms = 5000};
    self->address = "sim://ams";
    *state = self;
    return 0;
}

static int tear_down (void **state)
{
    call_fixture_t *self = *state;
    calls_destroy (&self->calls);
    calls_destroy (&self->calls); /* twice is harmless */
    assert_int_equal (timers_due (self->timers), INT64_MAX);
    timers_destroy (&self->timers);
    outbox_destroy (&self->outbox);
    free (self);
    return 0;
}

static void an_answer_ends_the_call_once (void **state)
{
    call_fixture_t *self = *state;
    uint8_t store [STORE_ID_BYTES] = {4, 2};
    call_order_t order = order_of (3);
    order.to_store = store;
    start (self, &order, 7);
    assert_int_equal (self->tries_count, 1);
    assert_string_equal (last_try (self)->endpoint, "sim://ams");
    assert_memory_equal (last_try (self)->to_store, store, STORE_ID_BYTES);
    assert_int_equal (last_try (self)->timeout_ms, 1000);
    assert_int_equal (self->done_count, 0);
    answer (self, last_try (self)->number, CALL_OK, "yes");
    assert_int_equal (self->done_count, 1);
    assert_int_equal (self->done_of [7], 1);
    assert_int_equal (self->status, CALL_OK);
    assert_string_equal (self->answer, "yes");
    assert_int_equal (self->store_start, 3);
    assert_int_equal (timers_due (self->timers), INT64_MAX);
}

static void doubled_late_and_unknown_answers_are_ignored (void **state)
{
    call_fixture_t *self = *state;
    call_order_t order = order_of (0);
    start (self, &order, 1);
    uint64_t first = last_try (self)->number;
    answer (self, first, CALL_TIMED_OUT, "");
    next_timer (self);
    uint64_t second = last_try (self)->number;
    assert_true (first != second);
    answer (self, first, CALL_OK, "late"); /* of a try that was given up */
    assert_int_equal (self->done_count, 0);
    answer (self, second, CALL_OK, "yes");
    answer (self, second, CALL_OK, "again");
    assert_int_equal (self->done_count, 1);
    assert_string_equal (self->answer, "yes");
    start (self, &order, 2); /* takes the slot that was freed */
    answer (self, second, CALL_OK, "again");
    answer (self, first, CALL_OK, "late");
    answer (self, 0, CALL_OK, "nobody");
    answer (self, UINT64_MAX, CALL_OK, "nobody");
    assert_int_equal (self->done_count, 1);
}

static void a_repeat_carries_the_same_id_and_body (void **state)
{
    call_fixture_t *self = *state;
    char body [] = "once";
    char request_id [] = "r7@g1";
    call_order_t order = order_of (3);
    order.request_id = request_id;
    order.body = (bytes_t){.data = (const uint8_t *) body, .size = 4};
    start (self, &order, 1);
    memset (body, 'x', 4); /* the order was copied */
    memset (request_id, 'x', 5);
    answer (self, last_try (self)->number, CALL_OVERLOADED, "");
    next_timer (self);
    answer (self, last_try (self)->number, CALL_TIMED_OUT, "");
    next_timer (self);
    assert_int_equal (self->tries_count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal (self->tries [i].request_id, "r7@g1");
        assert_string_equal (self->tries [i].body, "once");
    }
}

static void tries_are_counted_and_the_last_status_is_told (void **state)
{
    static const call_status_t statuses [] = {CALL_TIMED_OUT, CALL_OVERLOADED};
    for (size_t i = 0; i < 2; i++) {
        call_fixture_t *self = *state;
        self->tries_count = self->done_count = 0;
        call_order_t order = order_of (2);
        start (self, &order, i);
        answer (self, last_try (self)->number, CALL_TIMED_OUT, "");
        assert_int_equal (self->done_count, 0);
        next_timer (self);
        answer (self, last_try (self)->number, statuses [i], "");
        assert_int_equal (self->tries_count, 2);
        assert_int_equal (self->done_count, 1);
        assert_int_equal (self->status, statuses [i]);
        assert_string_equal (self->reason, "because");
    }
}

static void other_refusals_end_the_call_at_once (void **state)
{
    static const call_status_t statuses [] = {CALL_BAD_REQUEST, CALL_UNKNOWN_METHOD,
                                              CALL_WRONG_STORE, CALL_DENIED,
                                              CALL_NOT_FOUND,   CALL_WRONG_PROTOCOL};
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        call_fixture_t *self = *state;
        call_order_t order = order_of (5);
        start (self, &order, i);
        answer (self, last_try (self)->number, statuses [i], "");
        assert_int_equal (self->done_count, i + 1);
        assert_int_equal (self->status, statuses [i]);
    }
}

static void back_off_doubles_with_jitter_up_to_its_limit (void **state)
{
    call_fixture_t *self = *state;
    print_message ("seed %d\n", SEED);
    call_order_t order = order_of (0);
    bool differs = false;
    int64_t usual_ms = CALL_BACKOFF_MS;
    start (self, &order, 1);
    for (int i = 0; i < 40; i++) {
        answer (self, last_try (self)->number, CALL_TIMED_OUT, "");
        int64_t wait_ms = timers_due (self->timers) - self->now.mono_ms;
        assert_in_range (wait_ms, usual_ms / 2, usual_ms);
        differs = differs || wait_ms != usual_ms;
        usual_ms = 2 * usual_ms < CALL_BACKOFF_MS_MAX ? 2 * usual_ms : CALL_BACKOFF_MS_MAX;
        next_timer (self);
    }
    assert_true (differs);
    assert_int_equal (self->done_count, 0); /* 0 tries = until cancelled */
}

static void an_unknown_address_is_a_timed_out_try_after_its_back_off (void **state)
{
    call_fixture_t *self = *state;
    self->address = NULL;
    call_order_t order = order_of (3);
    start (self, &order, 1);
    int64_t began_ms = self->now.mono_ms;
    int timers = 0;
    while (self->done_count == 0) {
        int64_t before_ms = self->now.mono_ms;
        next_timer (self);
        assert_true (self->now.mono_ms - before_ms >= CALL_BACKOFF_MS / 2); /* no busy loop */
        timers++;
    }
    assert_int_equal (timers, 3);
    assert_int_equal (self->tries_count, 0);
    assert_int_equal (self->status, CALL_TIMED_OUT);
    assert_string_equal (self->reason, "the address of lis/ams is not known");
    assert_true (self->done_ms > began_ms);
}

static void the_address_is_looked_up_at_each_try (void **state)
{
    call_fixture_t *self = *state;
    call_order_t order = order_of (0);
    order.endpoint = "sim://before";
    self->address = NULL;
    start (self, &order, 1);
    assert_string_equal (last_try (self)->endpoint, "sim://before"); /* the address it had last */
    answer (self, last_try (self)->number, CALL_TIMED_OUT, "");
    self->address = "sim://moved";
    next_timer (self);
    assert_string_equal (last_try (self)->endpoint, "sim://moved"); /* the directory goes first */
    answer (self, last_try (self)->number, CALL_TIMED_OUT, "");
    self->address = NULL;
    next_timer (self);
    assert_string_equal (last_try (self)->endpoint, "sim://before");

    order.peer = ""; /* the resolver is not asked */
    order.endpoint = "sim://only";
    self->address = "sim://wrong";
    start (self, &order, 2);
    assert_string_equal (last_try (self)->endpoint, "sim://only");
}

static void an_address_that_was_found_meanwhile_gets_the_last_try (void **state)
{
    call_fixture_t *self = *state;
    self->address = NULL;
    call_order_t order = order_of (1);
    start (self, &order, 1);
    self->address = "sim://ams";
    next_timer (self);
    assert_int_equal (self->tries_count, 1);
    answer (self, last_try (self)->number, CALL_TIMED_OUT, "no answer");
    assert_int_equal (self->done_count, 1);
    assert_int_equal (self->tries_count, 1);
}

static void an_address_that_appears_is_used (void **state)
{
    call_fixture_t *self = *state;
    self->address = NULL;
    call_order_t order = order_of (0);
    start (self, &order, 1);
    next_timer (self);
    next_timer (self);
    assert_int_equal (self->tries_count, 0);
    self->address = "sim://ams";
    next_timer (self);
    assert_int_equal (self->tries_count, 1);
    answer (self, last_try (self)->number, CALL_OK, "yes");
    assert_int_equal (self->done_count, 1);
}

/*  Asks once; the answer comes after this long, or never (0). Returns how long the call waited. */
static int64_t ask_once (call_fixture_t *self, const call_order_t *order, int64_t trip_ms)
{
    start (self, order, 0);
    try_t *try = last_try (self);
    bool silent = trip_ms == 0 || trip_ms > try->timeout_ms;
    self->now.mono_ms += silent ? try->timeout_ms : trip_ms;
    answer (self, try->number, silent ? CALL_TIMED_OUT : CALL_OK, "");
    return try->timeout_ms;
}

static void who_is_near_gets_what_was_ordered (void **state)
{
    call_fixture_t *self = *state;
    call_order_t order = order_of (1);
    for (int i = 0; i < 20; i++)
        assert_int_equal (ask_once (self, &order, 1 + i % 5), 1000);
}

/*  500 ms away each way: the first try times out, the second and all later ones are answered. */
static void who_is_far_is_waited_for (void **state)
{
    call_fixture_t *self = *state;
    call_order_t order = order_of (1);
    order.lasting = true;
    assert_int_equal (ask_once (self, &order, 1010), 1000);
    assert_int_equal (ask_once (self, &order, 1010), 2000);
    assert_int_equal (ask_once (self, &order, 1010), CALL_PATIENCE_MS_MAX); /* 3 * 1010, cut */
    for (int i = 0; i < 50; i++)
        assert_true (ask_once (self, &order, 1010 + i % 100) > 1010 + i % 100);
    /* It settles near what answers take. */
    assert_true (ask_once (self, &order, 1010) < 2000);
    order.timeout_ms = 3000;
    assert_int_equal (ask_once (self, &order, 1010), 3000);
}

static void patience_has_an_end (void **state)
{
    call_fixture_t *self = *state;
    call_order_t order = order_of (1);
    order.lasting = true;
    for (int i = 0; i < 100; i++)
        ask_once (self, &order, 0);
    assert_int_equal (ask_once (self, &order, 0), CALL_PATIENCE_MS_MAX);
    calls_patience (self->calls, 2500);
    assert_int_equal (ask_once (self, &order, 0), 2500);
    order.timeout_ms = 15000; /* a caller that wants a longer wait gets it */
    assert_int_equal (ask_once (self, &order, 0), 15000);
    order.timeout_ms = 1000;
    ask_once (self, &order, 5);
    assert_int_equal (ask_once (self, &order, 5), 1000); /* heard: as before */
}

/*  Within a call each try waits twice as long as the one before. The next call begins with the
 *  short wait again, unless answers are known to take longer. */
static void who_asks_once_is_not_held_up_by_the_dead (void **state)
{
    call_fixture_t *self = *state;
    call_order_t order = order_of (3);
    order.timeout_ms = 500;
    for (int i = 0; i < 5; i++) {
        start (self, &order, 0);
        for (int64_t wait_ms = 500; wait_ms <= 2000; wait_ms *= 2) {
            try_t *try = last_try (self);
            assert_int_equal (try->timeout_ms, wait_ms);
            self->now.mono_ms += wait_ms;
            answer (self, try->number, CALL_TIMED_OUT, "");
            if (wait_ms < 2000)
                next_timer (self); /* its back-off */
        }
    }
    order.tries_max = 1;
    order.lasting = true;
    ask_once (self, &order, 900);
    order.lasting = false;
    assert_true (ask_once (self, &order, 900) > 900);
}

/*  One service is dead, the other is not. */
static void each_peer_has_a_way_of_its_own (void **state)
{
    call_fixture_t *self = *state;
    call_order_t order = order_of (1), other = order_of (1);
    order.lasting = other.lasting = true;
    other.peer = "";
    other.endpoint = "tcp://other";
    for (int i = 0; i < 5; i++)
        ask_once (self, &other, 0);
    assert_int_equal (ask_once (self, &order, 1), 1000);
    assert_int_equal (ask_once (self, &other, 0), CALL_PATIENCE_MS_MAX);
}

static void a_cancelled_call_is_never_done (void **state)
{
    call_fixture_t *self = *state;
    call_order_t order = order_of (0);
    uint64_t in_flight = start (self, &order, 1);
    uint64_t number = last_try (self)->number;
    uint64_t backing_off = start (self, &order, 2);
    answer (self, last_try (self)->number, CALL_TIMED_OUT, "");
    calls_cancel (self->calls, in_flight);
    calls_cancel (self->calls, backing_off);
    assert_int_equal (timers_due (self->timers), INT64_MAX);
    answer (self, number, CALL_OK, "yes");
    calls_cancel (self->calls, in_flight); /* again, and nobody */
    calls_cancel (self->calls, 0);
    calls_cancel (self->calls, number);
    start (self, &order, 3); /* it has a slot that was freed, but not the names of the old call */
    calls_cancel (self->calls, in_flight);
    calls_cancel (self->calls, backing_off);
    answer (self, last_try (self)->number, CALL_OK, "yes");
    assert_int_equal (self->done_count, 1);
    assert_int_equal (self->done_of [3], 1);
}

static void done_may_start_and_cancel_calls (void **state)
{
    call_fixture_t *self = *state;
    call_order_t order = order_of (1);
    self->cancel_in_done = start (self, &order, 50);
    uint64_t cancelled = last_try (self)->number;
    start (self, &order, 1);
    self->again_when_done = true;
    answer (self, last_try (self)->number, CALL_OK, "yes");
    assert_int_equal (self->done_of [1], 1);
    answer (self, last_try (self)->number, CALL_OK, "yes");
    assert_int_equal (self->done_of [2], 1);
    answer (self, cancelled, CALL_OK, "yes");
    assert_int_equal (self->done_of [50], 0);
}

/*  Random order of answers, losses and cancels: every call not cancelled is done once. */
static void thousands_in_flight_end_once_each (void **state)
{
    call_fixture_t *self = *state;
    enum { CALLS = 1000 };
    uint64_t calls [CALLS];
    bool cancelled [CALLS] = {false};
    print_message ("seed %d\n", SEED);
    prng_t chance;
    prng_seed (&chance, SEED);
    call_order_t order = order_of (3);
    for (uint64_t i = 0; i < CALLS; i++)
        calls [i] = start (self, &order, i);
    for (bool open = true; open;) {
        open = false;
        for (size_t i = 0; i < self->tries_count; i++) {
            try_t *try = &self->tries [i];
            if (try->answered)
                continue;
            open = true;
            uint64_t dice = prng_below (&chance, 10);
            try->answered = dice < 7;
            if (dice < 3)
                answer (self, try->number, CALL_OK, "yes");
            else if (dice < 7)
                answer (self, try->number, dice < 5 ? CALL_TIMED_OUT : CALL_OVERLOADED, "");
            if (dice == 0)
                answer (self, try->number, CALL_OK, "doubled");
            size_t other = prng_below (&chance, CALLS);
            if (dice == 9 && self->done_of [other] == 0) {
                cancelled [other] = true;
                calls_cancel (self->calls, calls [other]);
            }
        }
        if (timers_due (self->timers) < INT64_MAX) {
            next_timer (self);
            open = true;
        }
    }
    for (size_t i = 0; i < CALLS; i++)
        assert_int_equal (self->done_of [i], cancelled [i] ? 0 : 1);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
#define TEST(name) cmocka_unit_test_setup_teardown (name, set_up, tear_down)
      TEST (an_answer_ends_the_call_once),
      TEST (doubled_late_and_unknown_answers_are_ignored),
      TEST (a_repeat_carries_the_same_id_and_body),
      TEST (tries_are_counted_and_the_last_status_is_told),
      TEST (other_refusals_end_the_call_at_once),
      TEST (back_off_doubles_with_jitter_up_to_its_limit),
      TEST (an_unknown_address_is_a_timed_out_try_after_its_back_off),
      TEST (the_address_is_looked_up_at_each_try),
      TEST (an_address_that_was_found_meanwhile_gets_the_last_try),
      TEST (an_address_that_appears_is_used),
      TEST (who_is_near_gets_what_was_ordered),
      TEST (who_is_far_is_waited_for),
      TEST (patience_has_an_end),
      TEST (who_asks_once_is_not_held_up_by_the_dead),
      TEST (each_peer_has_a_way_of_its_own),
      TEST (a_cancelled_call_is_never_done),
      TEST (done_may_start_and_cancel_calls),
      TEST (thousands_in_flight_end_once_each),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
