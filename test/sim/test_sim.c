/*  The simulated host is held to its own promises by a core that is only a counter: it stores a
 *  record for each increment and answers with the sum.
 */
#include "sim.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "outbox.h"

#define ROUNDS 40

/*  The server: table 1 holds one record for each request it has counted. */
typedef struct {
    outbox_t *outbox;
    uint64_t sum;
} sim_counter_t;

static void counter_step (void *self_, const moment_t *now, const event_t *event)
{
    (void) now;
    sim_counter_t *self = self_;
    outbox_clear (self->outbox);
    if (event->kind == EVENT_RECORD)
        self->sum++;
    if (event->kind != EVENT_REQUEST)
        return;
    self->sum++;
    outbox_put (self->outbox, 1,
                (bytes_t){.data = (const uint8_t *) &self->sum, .size = sizeof self->sum},
                (bytes_t){0});
    outbox_reply (self->outbox, event->request.reply_to,
                  (bytes_t){.data = (const uint8_t *) &self->sum, .size = sizeof self->sum});
}

static bool counter_next (void *self, effect_t *effect)
{
    return outbox_next (((sim_counter_t *) self)->outbox, effect);
}

static void counter_destroy (void *self)
{
    outbox_destroy (&((sim_counter_t *) self)->outbox);
    free (self);
}

static void counter_make (void *owner, core_t *core)
{
    (void) owner;
    sim_counter_t *self = calloc (1, sizeof *self);
    assert (self);
    self->outbox = outbox_new ();
    *core = (core_t){
      .self = self, .step = counter_step, .next = counter_next, .destroy = counter_destroy};
}

/*  The client: asks ROUNDS times, one after another, and keeps what it was told. */
typedef struct {
    outbox_t *outbox; /* of the present life */
    sim_t *sim;
    int server;
    uint64_t calls;
    uint64_t answers;
    uint64_t late;
    uint64_t told; /* the greatest sum */
} sim_asker_t;

static void ask (sim_asker_t *self)
{
    outbox_push (self->outbox,
                 &(effect_t){.kind = EFFECT_CALL,
                             .call = {.call = ++self->calls,
                                      .endpoint = sim_address (self->sim, self->server),
                                      .service = "Participant",
                                      .method = "Count",
                                      .actor = "alice",
                                      .request_id = "",
                                      .timeout_ms = 300}});
}

static void asker_step (void *self_, const moment_t *now, const event_t *event)
{
    (void) now;
    sim_asker_t *self = self_;
    outbox_clear (self->outbox);
    if (event->kind == EVENT_START)
        ask (self);
    if (event->kind != EVENT_ANSWER)
        return;
    self->answers++;
    uint64_t sum;
    if (event->answer.status == CALL_OK && event->answer.body.size == sizeof sum) {
        memcpy (&sum, event->answer.body.data, sizeof sum);
        if (sum > self->told)
            self->told = sum;
    } else {
        self->late++;
    }
    if (self->calls < ROUNDS)
        ask (self);
}

static bool asker_next (void *self, effect_t *effect)
{
    return outbox_next (((sim_asker_t *) self)->outbox, effect);
}

static void asker_destroy (void *self)
{
    outbox_destroy (&((sim_asker_t *) self)->outbox);
}

static void asker_make (void *owner, core_t *core)
{
    sim_asker_t *self = owner;
    self->outbox = outbox_new ();
    *core =
      (core_t){.self = self, .step = asker_step, .next = asker_next, .destroy = asker_destroy};
}

static const sim_faults_t harsh = {
  .crash = 200, .crashes_max = 50, .pause_ms_max = 400, .move = 300, .slow = 50};
static const sim_net_faults_t stormy = {
  .loss = 100, .doubling = 100, .reordering = 100, .delay = 50, .delay_ms_max = 600, .keep = 500};

typedef struct {
    sim_asker_t asker;
    uint64_t recalled; /* the sum a restart would find */
    sim_tally_t tally;
} sim_outcome_t;

/*  One run of a client and a server; only the server may die. */
static sim_outcome_t run (uint64_t seed, const sim_faults_t *faults, const sim_net_faults_t *net,
                          FILE *trace)
{
    sim_outcome_t outcome = {0};
    sim_t *sim = sim_new (seed, &outcome.tally, trace);
    sim_clock_t clock = {.wall_offset_ms = 40, .drift_ppm = -120};
    outcome.asker = (sim_asker_t){.sim = sim};
    outcome.asker.server = sim_add (
      sim, &(sim_program_t){.name = "counter/one", .make = counter_make}, &clock, SIM_NOBODY, 0);
    sim_add (sim,
             &(sim_program_t){.name = "asker/one", .make = asker_make, .owner = &outcome.asker},
             &clock, SIM_NOBODY, 5000);
    sim_run (sim, 4000);
    sim_net_set (sim_net (sim), net);
    sim_fault (sim, faults, net);
    sim_run (sim, 60000000);
    assert_false (sim_failed (sim));
    sim_message_t *answer = sim_recall (sim, outcome.asker.server, "Participant", "Count", "",
                                        (bytes_t){.data = NULL, .size = 0});
    assert_non_null (answer);
    assert_int_equal (answer->size, sizeof outcome.recalled);
    memcpy (&outcome.recalled, answer->body, sizeof outcome.recalled);
    free (answer);
    sim_destroy (&sim);
    return outcome;
}

static void without_faults_every_call_is_answered (void **state)
{
    (void) state;
    sim_outcome_t outcome = run (1, &(sim_faults_t){0}, &(sim_net_faults_t){0}, NULL);
    assert_int_equal (outcome.asker.answers, ROUNDS);
    assert_int_equal (outcome.asker.late, 0);
    assert_int_equal (outcome.asker.told, ROUNDS);
    assert_int_equal (outcome.recalled, ROUNDS + 1);
}

static void what_was_told_outlives_crashes (void **state)
{
    (void) state;
    uint64_t crashes = 0;
    uint64_t late = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        /* the asking process does not die: it keeps no promises */
        sim_faults_t faults = harsh;
        faults.crash = 0;
        sim_outcome_t calm = run (seed, &faults, &stormy, NULL);
        assert_int_equal (calm.asker.answers, ROUNDS);
        late += calm.asker.late;
        sim_outcome_t outcome = run (seed, &harsh, &(sim_net_faults_t){0}, NULL);
        assert_true (outcome.recalled > outcome.asker.told);
        crashes += outcome.tally.counts [COUNT_CRASHES];
    }
    print_message ("seeds 1..100: crashes=%llu late=%llu\n", (unsigned long long) crashes,
                   (unsigned long long) late);
    assert_true (crashes > 100);
    assert_true (late > 100);
}

static void a_fault_of_each_kind_happens (void **state)
{
    (void) state;
    sim_tally_t sum = {0};
    for (uint64_t seed = 1; seed <= 50; seed++) {
        sim_outcome_t outcome = run (seed, &harsh, &stormy, NULL);
        sim_tally_merge (&sum, &outcome.tally);
    }
    for (size_t f = 0; f < FAULT_KINDS; f++) {
        uint64_t met = 0;
        for (size_t i = 0; i < sum.rows_count; i++)
            met += sum.rows [i].met [f];
        if (f != FAULT_CUT)
            assert_true (met > 0);
    }
}

static char *trace_of (uint64_t seed)
{
    char *text = NULL;
    size_t size = 0;
    FILE *trace = open_memstream (&text, &size);
    assert_non_null (trace);
    (void) run (seed, &harsh, &stormy, trace);
    fclose (trace);
    return text;
}

static void the_same_seed_gives_the_same_bytes (void **state)
{
    (void) state;
    char *first = trace_of (7);
    char *second = trace_of (7);
    char *other = trace_of (8);
    assert_true (strlen (first) > 1000);
    assert_string_equal (first, second);
    assert_string_not_equal (first, other);
    free (first);
    free (second);
    free (other);
}

static void a_store_forgets_what_was_not_flushed (void **state)
{
    (void) state;
    uint8_t id [STORE_ID_BYTES] = {1};
    sim_store_t *store = sim_store_new (id);
    bytes_t key = {.data = id, .size = 1};
    sim_store_open (store);
    sim_store_put (store, 1, key, key);
    assert_true (sim_store_waiting (store));
    sim_store_open (store);
    assert_false (sim_store_waiting (store));
    assert_int_equal (sim_store_free_bytes (store), SIM_STORE_BYTES);
    sim_store_put (store, 1, key, key);
    sim_store_flush (store, 1234);
    assert_int_equal (sim_store_free_bytes (store), SIM_STORE_BYTES - 2);
    assert_int_equal (sim_store_stamp_ms (store), 1234);
    sim_store_delete (store, 1, key);
    sim_store_forget (store);
    sim_store_flush (store, 1235);
    assert_int_equal (sim_store_free_bytes (store), SIM_STORE_BYTES - 2);
    assert_int_equal (sim_store_identity (store)->start, 2);
    sim_store_destroy (&store);
}

static void a_cut_parts_two_and_heals (void **state)
{
    (void) state;
    sim_tally_t tally = {0};
    sim_net_t *net = sim_net_new (1, &tally);
    sim_message_t *message = sim_message_new (MESSAGE_REQUEST, (bytes_t){0});
    message->from = 1;
    message->to = 2;
    int64_t arrivals_us [2];
    sim_net_cut (net, 1, 2, true, 1000, 2000);
    assert_int_equal (sim_net_route (net, 999, message, arrivals_us), 1);
    assert_int_equal (sim_net_route (net, 1000, message, arrivals_us), 0);
    message->from = 2;
    message->to = 1;
    assert_int_equal (sim_net_route (net, 1000, message, arrivals_us), 1);
    message->from = 1;
    message->to = 2;
    sim_net_heal (net);
    assert_int_equal (sim_net_route (net, 1500, message, arrivals_us), 1);
    free (message);
    sim_net_destroy (&net);
}

static int64_t tenth_of_a_second (void *owner, const sim_message_t *request)
{
    (void) owner;
    return request->kind == MESSAGE_REQUEST ? 100000 : 0;
}

static void requests_are_served_one_after_another (void **state)
{
    (void) state;
    sim_tally_t tally = {0};
    sim_t *sim = sim_new (1, &tally, NULL);
    sim_clock_t clock = {0};
    sim_pace (sim, 0, 0);
    sim_serve (sim, tenth_of_a_second, NULL);
    int server = sim_add (sim, &(sim_program_t){.name = "counter/one", .make = counter_make},
                          &clock, SIM_NOBODY, 0);
    sim_asker_t askers [2];
    for (int i = 0; i < 2; i++) {
        askers [i] = (sim_asker_t){.sim = sim, .server = server};
        sim_add (sim,
                 &(sim_program_t){
                   .name = i ? "asker/two" : "asker/one", .make = asker_make, .owner = &askers [i]},
                 &clock, SIM_NOBODY, 1000);
    }
    /* 2 askers with one question each at a time: every answer takes a fifth of a second. */
    sim_run (sim, 5 * 200000 + 50000);
    assert_int_equal (askers [0].answers, 5);
    assert_int_equal (askers [1].answers, 5);
    sim_run (sim, 60000000);
    assert_int_equal (askers [0].answers + askers [1].answers, 2 * ROUNDS);
    assert_int_equal (askers [0].late + askers [1].late, 0);
    sim_destroy (&sim);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (without_faults_every_call_is_answered),
      cmocka_unit_test (what_was_told_outlives_crashes),
      cmocka_unit_test (a_fault_of_each_kind_happens),
      cmocka_unit_test (the_same_seed_gives_the_same_bytes),
      cmocka_unit_test (a_store_forgets_what_was_not_flushed),
      cmocka_unit_test (a_cut_parts_two_and_heals),
      cmocka_unit_test (requests_are_served_one_after_another),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
