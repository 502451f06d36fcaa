/*  repeats - every message of a transaction comes once, or twice, or again when all is over, across
 *  deaths and with other bodies: the participant ends up as if each had come once (R9).
 */
#include "participant_fixture.h"

#include "prng.h"

#define SEEDS        300
#define MESSAGES_MAX 8
#define HOURS        12

typedef struct {
    const char *method;
    uint64_t counter;
} repeats_message_t;

/*  What a planner sends for a reserve, a change and a release, of which each may be held first and
 *  may be aborted. */
typedef struct {
    repeats_message_t messages [MESSAGES_MAX * 3];
    size_t count;
    bool held_first [4]; /* by counter */
} script_t;

static void script_add (script_t *self, const char *method, uint64_t counter)
{
    self->messages [self->count++] = (repeats_message_t){method, counter};
}

static script_t script_draw (prng_t *prng)
{
    script_t script = {0};
    for (uint64_t counter = 1; counter <= 3; counter++) {
        bool held_first = prng_below (prng, 2);
        bool aborted = counter == 2 && prng_below (prng, 2);
        script.held_first [counter] = held_first;
        script_add (&script, "Hold", counter);
        if (held_first) {
            script_add (&script, "Renew", counter);
            script_add (&script, "Prepare", counter);
        }
        script_add (&script, aborted ? "Abort" : "Commit", counter);
        if (!aborted)
            script_add (&script, "Done", counter);
        if (aborted)
            break; /* there is no version for the release to change */
    }
    return script;
}

/*  The plan of a counter is always the same, however late it is sent. */
static packed_t hold_body (const participant_rig_t *rig, const script_t *script, uint64_t counter,
                           uint32_t more)
{
    operation_t operation = (operation_t) (counter - 1);
    uint32_t nodes = counter == 1 ? 4 : counter == 2 ? 6 : 0;
    hold_t hold = hold_of (rig, counter, operation, "r1", (uint32_t) counter - 1,
                           nodes + (nodes ? more : 0), 2, counter == 1 ? 6 : 9);
    hold.prepare = !script->held_first [counter];
    hold.plan.decide_by_ms = WALL_MS + 60000;
    hold.plan.end_ms = more && !nodes ? WALL_MS + 9 * HOUR_MS : 0; /* a release has no part */
    packed_t body = codec_encode (&hold_codec, &hold);
    codec_clear (&hold_codec, &hold);
    return body;
}

static command_answer_t send (participant_rig_t *rig, const script_t *script,
                              const repeats_message_t *message)
{
    txid_t txid = txid_numbered (message->counter);
    if (strcmp (message->method, "Done") == 0) {
        rig_request (rig, PLANNER, "Done",
                     codec_encode (&done_request_codec, &(done_request_t){&txid, 1}));
        return (command_answer_t){0};
    }
    packed_t body = strcmp (message->method, "Hold") == 0
                      ? hold_body (rig, script, message->counter, 0)
                    : strcmp (message->method, "Renew") == 0
                      ? codec_encode (&renew_request_codec, &(renew_request_t){txid, 20000})
                      : codec_encode (&decision_request_codec, &(decision_request_t){txid, 0});
    rig_request (rig, PLANNER, message->method, body);
    return rig_answer (rig);
}

typedef struct {
    int64_t load [HOURS];
    uint32_t version;
    command_state_t states [4];
} repeats_picture_t;

static repeats_picture_t look (const participant_rig_t *rig)
{
    repeats_picture_t picture = {0};
    reservation_view_t view;
    for (int hour = 0; hour < HOURS; hour++)
        picture.load [hour] = rig_load (rig, hour);
    if (participant_find (rig->participant, "r1", &view))
        picture.version = view.version;
    for (uint64_t counter = 1; counter <= 3; counter++)
        picture.states [counter] = rig_state (rig, counter);
    return picture;
}

static void assert_same (const repeats_picture_t *one, const repeats_picture_t *other)
{
    assert_memory_equal (one->load, other->load, sizeof one->load);
    assert_int_equal (one->version, other->version);
    for (size_t i = 1; i <= 3; i++)
        assert_int_equal (one->states [i], other->states [i]);
}

/*  A hold of a txid that is known, with another part or plan. */
static void send_changed (participant_rig_t *rig, const script_t *script, uint64_t counter)
{
    repeats_picture_t before = look (rig);
    rig_request (rig, PLANNER, "Hold", hold_body (rig, script, counter, 1));
    command_answer_t answer = rig_answer (rig);
    assert_int_equal (answer.refusal.reason, REFUSAL_CONFLICT);
    repeats_picture_t after = look (rig);
    assert_same (&before, &after);
    assert_int_equal (rig->puts, 0);
}

/*  One that came before, when later ones have: it must change nothing. A Hold with the vote, or a
 *  Prepare, that comes again after its own time is answered from the record. */
static void send_old (participant_rig_t *rig, const script_t *script, const repeats_message_t *old)
{
    repeats_picture_t before = look (rig);
    send (rig, script, old);
    repeats_picture_t after = look (rig);
    assert_same (&before, &after);
}

/*  Requests that contradict a decision that has been taken. */
static void send_contrary (participant_rig_t *rig, uint64_t counter)
{
    repeats_picture_t before = look (rig);
    command_state_t state = before.states [counter];
    if (state != COMMAND_COMMITTED && state != COMMAND_ABORTED)
        return;
    command_answer_t answer =
      rig_verb (rig, state == COMMAND_COMMITTED ? "Abort" : "Commit", counter);
    assert_int_equal (answer.refusal.reason, REFUSAL_ENDED);
    assert_int_equal (answer.state, state);
    repeats_picture_t after = look (rig);
    assert_same (&before, &after);
}

static void trouble (participant_rig_t *rig, prng_t *prng, const script_t *script, size_t at,
                     const command_answer_t *first)
{
    const repeats_message_t *message = &script->messages [at];
    if (prng_below (prng, 3) == 0)
        rig_restart (rig, (int64_t) prng_below (prng, 50));
    if (prng_below (prng, 2)) {
        command_answer_t again = send (rig, script, message);
        assert_int_equal (again.state, first->state);
        assert_int_equal (again.refusal.reason, first->refusal.reason);
    }
    for (size_t i = 0; i < at; i++)
        if (prng_below (prng, 4) == 0)
            send_old (rig, script, &script->messages [i]);
    if (prng_below (prng, 2))
        send_changed (rig, script, 1 + prng_below (prng, message->counter));
    if (prng_below (prng, 2))
        send_contrary (rig, 1 + prng_below (prng, message->counter));
}

static void each_message_repeated_leaves_what_it_leaves_once (void **state)
{
    (void) state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        prng_t prng;
        prng_seed (&prng, seed);
        print_message ("# seed %d\n", (int) seed);
        script_t script = script_draw (&prng);
        participant_rig_t *once = rig_started (10);
        participant_rig_t *often = rig_started (10);
        for (size_t i = 0; i < script.count; i++) {
            send (once, &script, &script.messages [i]);
            command_answer_t first = send (often, &script, &script.messages [i]);
            trouble (often, &prng, &script, i, &first);
            repeats_picture_t wanted = look (once);
            repeats_picture_t found = look (often);
            assert_same (&wanted, &found);
        }
        rig_destroy (once);
        rig_destroy (often);
    }
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (each_message_repeated_leaves_what_it_leaves_once),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
