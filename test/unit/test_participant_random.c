/*  Random sequences of requests, evidence, time and restarts, watched by an oracle: nothing
 *  overbooked, nothing leaked, what has ended has ended, what was promised stays, repeats change
 *  nothing, the ledger replayed comes to what is stored.
 */
#include "ledger_judge.h"

#include "prng.h"

#define COUNTERS     60
#define RESERVATIONS 6
#define STEPS        400
#define SEEDS        60

typedef struct {
    participant_rig_t *rig;
    prng_t prng;
    command_state_t seen [COUNTERS + 1];
    uint64_t next;
} participant_random_play_t;

static uint64_t pick (participant_random_play_t *play, uint64_t bound)
{
    return prng_below (&play->prng, bound);
}

static bool follows (command_state_t from, command_state_t to)
{
    switch (from) {
    case COMMAND_UNKNOWN:
        return true; /* many moves between two looks */
    case COMMAND_HELD:
        return to != COMMAND_UNKNOWN;
    case COMMAND_PREPARED:
        return to == COMMAND_COMMITTED || to == COMMAND_ABORTED || to == COMMAND_EDGE ||
               to == COMMAND_EDGE_REFUSED;
    case COMMAND_EDGE:
        return to == COMMAND_COMMITTED || to == COMMAND_ABORTED || to == COMMAND_EDGE_REFUSED;
    default:
        return false; /* final */
    }
}

static bool look (void *owner, const command_view_t *command)
{
    participant_random_play_t *play = owner;
    command_state_t *seen = &play->seen [command->plan->txid.counter];
    if (*seen != command->state && !follows (*seen, command->state))
        fail_msg ("%s became %s", command_state_word (*seen), command_state_word (command->state));
    *seen = command->state;
    return true;
}

static void watch (participant_random_play_t *play)
{
    participant_rig_t *rig = play->rig;
    rig_commands (rig, look, play);
    assert_true (pool_peak (&rig->pool) <= rig->pool.capacity);
    size_t open = 0;
    for (uint64_t i = 1; i <= COUNTERS; i++)
        open += play->seen [i] == COMMAND_HELD || play->seen [i] == COMMAND_PREPARED;
    size_t settled = 0;
    for (const thing_t *thing = rig->pool.things; thing; thing = thing->next)
        settled += thing->settled;
    assert_int_equal (pool_things (&rig->pool), open + settled);
    assert_true (settled <= RESERVATIONS);
    if (pick (play, 20) == 0)
        judge_rig (rig);
}

static void play_hold (participant_random_play_t *play)
{
    participant_rig_t *rig = play->rig;
    uint64_t counter =
      pick (play, 4) && play->next < COUNTERS ? ++play->next : 1 + pick (play, COUNTERS);
    char id [16];
    snprintf (id, sizeof id, "r%d", (int) pick (play, RESERVATIONS));
    operation_t operation = (operation_t) pick (play, 3);
    uint32_t base = operation == OPERATION_RESERVE ? 0 : 1 + (uint32_t) pick (play, 3);
    uint32_t nodes = operation == OPERATION_RELEASE ? 0 : 1 + (uint32_t) pick (play, 7);
    int64_t hours = (rig->host.now.wall_ms - WALL_MS) / HOUR_MS + 1;
    int64_t from_h = hours + (int64_t) pick (play, 5);
    hold_t hold = hold_of (rig, counter, operation, id, base, nodes, from_h,
                           from_h + 1 + (int64_t) pick (play, 4));
    hold.prepare = pick (play, 2);
    hold.ttl_ms = 1000 + (uint32_t) pick (play, 60000);
    if (counter > 1 && pick (play, 5) == 0) {
        uint64_t old = 1 + pick (play, counter - 1);
        hold.replaces [hold.replaces_count++] = txid_numbered (old);
    }
    packed_t body = codec_encode (&hold_codec, &hold);
    codec_clear (&hold_codec, &hold);
    rig_request (rig, PLANNER, "Hold", packed_copy ((bytes_t){body.data, body.size}));
    command_state_t first = rig_answer (rig).state;
    if (pick (play, 3) == 0) { /* doubled on its way */
        int64_t peak = pool_peak (&rig->pool);
        rig_request (rig, PLANNER, "Hold", packed_copy ((bytes_t){body.data, body.size}));
        assert_int_equal (rig_answer (rig).state, first);
        assert_int_equal (pool_peak (&rig->pool), peak);
    }
    free (body.data);
}

static void play_verb (participant_random_play_t *play)
{
    static const char *const verbs [] = {"Prepare", "Commit", "Commit", "Abort", "Resolve"};
    const char *verb = verbs [pick (play, sizeof verbs / sizeof *verbs)];
    uint64_t counter = 1 + pick (play, play->next + 1 < COUNTERS ? play->next + 1 : COUNTERS);
    command_answer_t first = rig_verb (play->rig, verb, counter);
    if (pick (play, 3) == 0) {
        command_answer_t again = rig_verb (play->rig, verb, counter);
        assert_int_equal (again.state, first.state);
        assert_int_equal (again.refusal.reason, first.refusal.reason);
        assert_int_equal (play->rig->puts, 0);
    }
}

static void play_done (participant_random_play_t *play)
{
    txid_t txid = txid_numbered (1 + pick (play, COUNTERS));
    rig_request (play->rig, PLANNER, "Done",
                 codec_encode (&done_request_codec, &(done_request_t){&txid, 1}));
}

static void play_answer (participant_random_play_t *play)
{
    participant_rig_t *rig = play->rig;
    size_t waiting = 0;
    for (size_t i = 0; i < rig->asked_count; i++)
        waiting += rig->asked [i].call != 0;
    if (waiting == 0) {
        rig_forget_calls (rig);
        return;
    }
    asked_t *asked = rig->asked;
    while (asked->call == 0)
        asked++;
    uint32_t kind = (uint32_t) pick (play, 4);
    decision_request_t named;
    char why [WHY_BYTES];
    assert_true (codec_decode (&decision_request_codec, &named,
                               (bytes_t){asked->body.data, asked->body.size}, why));
    txid_t txid = named.txid;
    if (kind == 0) {
        rig_tell (rig, asked, CALL_TIMED_OUT, (packed_t){0}, 0);
    } else if (strcmp (asked->method, "Outcome") == 0) {
        outcome_t outcome = (outcome_t) pick (play, 4);
        rig_tell (rig, asked, CALL_OK,
                  codec_encode (&outcome_answer_codec, &(outcome_answer_t){txid, outcome, false}),
                  asked->to_store [0]);
    } else {
        command_answer_t answer = {.txid = txid,
                                   .state = (command_state_t) pick (play, COMMAND_STATES)};
        rig_tell (rig, asked, CALL_OK, codec_encode (&command_answer_codec, &answer),
                  asked->to_store [0]);
    }
}

static void play_pass (participant_random_play_t *play)
{
    participant_rig_t *rig = play->rig;
    int64_t ms = (int64_t) pick (play, pick (play, 8) ? 3000 : 1800000);
    for (int64_t left_ms = ms; left_ms > 0;) {
        int64_t step_ms = left_ms < 5000 ? left_ms : 5000;
        rig_pass (rig, step_ms);
        left_ms -= step_ms;
        while (rig->asked_count > 0)
            play_answer (play);
    }
}

/*  Nothing that can still change is left; what is booked can all be given back. */
static void wind_up (participant_random_play_t *play)
{
    participant_rig_t *rig = play->rig;
    for (uint64_t i = 1; i <= COUNTERS; i++)
        rig_verb (rig, "Abort", i);
    watch (play);
    for (const thing_t *thing = rig->pool.things; thing; thing = thing->next)
        assert_true (thing->settled);
    rig_restart (rig, 1);
    watch (play);
    for (uint64_t i = 1; i <= COUNTERS; i++)
        assert_true (play->seen [i] != COMMAND_HELD && play->seen [i] != COMMAND_PREPARED &&
                     play->seen [i] != COMMAND_EDGE);
}

static void play_seed (uint64_t seed)
{
    participant_random_play_t play = {.rig = rig_started (10)};
    prng_seed (&play.prng, seed);
    for (int step = 0; step < STEPS; step++) {
        uint64_t kind = pick (&play, 100);
        if (kind < 40)
            play_hold (&play);
        else if (kind < 75)
            play_verb (&play);
        else if (kind < 80)
            play_done (&play);
        else if (kind < 88)
            play_answer (&play);
        else if (kind < 98)
            play_pass (&play);
        else
            rig_restart (play.rig, (int64_t) pick (&play, 5000));
        watch (&play);
    }
    wind_up (&play);
    rig_destroy (play.rig);
}

static void nothing_breaks_under_any_sequence (void **state)
{
    (void) state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        print_message ("seed %d\n", (int) seed);
        play_seed (seed);
    }
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (nothing_breaks_under_any_sequence),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
