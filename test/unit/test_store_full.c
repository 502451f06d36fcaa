/*  test_store_full - a home on a small store, stepped as the host does it: many events in one
 *  write, and room counted by what was put. Whatever comes, every write is taken, what begins
 *  something is refused first, and what was begun can end (T13).
 */
#include "home_fixture.h"
#include "message.h"
#include "store_fixture.h"

#include "bus.pb-c.h"
#include "outbox.h"
#include "prng.h"

#include <inttypes.h>

#define ANSWER_BYTES_MOST 60000

/*  The fixture's messages are made for a node of a world: this one has nothing but a clock. */
static world_t world;

typedef struct {
    node_t *node;
    store_t *store;
    core_t core;
    outbox_t *reads; /* after the flush */
    uint64_t bytes;
    bool writing;
    unsigned alarms;
    uint64_t store_least; /* free, after any flush */
} home_host_t;

static void take_put (home_host_t *self, const effect_t *effect)
{
    if (!self->writing)
        assert_int_equal (store_begin (self->store), STORE_OK);
    self->writing = true;
    store_answer_t answer =
      effect->kind == EFFECT_PUT
        ? store_put (self->store, effect->record.table, effect->record.key, effect->record.value)
        : store_delete (self->store, effect->record.table, effect->record.key);
    assert_string_equal (store_facts (self->store)->why, "");
    assert_int_equal (answer, STORE_OK);
}

static void host_step (home_host_t *self, const event_t *event)
{
    moment_t now = {.wall_ms = EPOCH_MS + world.now_ms,
                    .mono_ms = ++world.now_ms,
                    .store_bytes = store_facts (self->store)->bytes,
                    .store_free_bytes = store_facts (self->store)->free_bytes};
    self->core.step (self->core.self, &now, event);
    effect_t effect;
    while (self->core.next (self->core.self, &effect)) {
        if (effect.kind == EFFECT_PUT || effect.kind == EFFECT_DELETE)
            take_put (self, &effect);
        else if (effect.kind == EFFECT_REPLY)
            take_reply (self->node, &effect);
        else if (effect.kind == EFFECT_READ)
            outbox_push (self->reads, &effect);
        else if (effect.kind == EFFECT_LOG && effect.log.level == LEVEL_ALARM)
            self->alarms++;
    }
}

typedef struct {
    home_host_t *host;
    uint64_t read;
} store_full_reading_t;

static void show_rows (void *owner, const row_t *rows, size_t count, bool more)
{
    const store_full_reading_t *reading = owner;
    host_step (
      reading->host,
      &(event_t){.kind = EVENT_ROWS,
                 .rows = {.read = reading->read, .rows = rows, .count = count, .more = more}});
}

static void host_flush (home_host_t *self);

/*  What they ask to read in turn waits for the next flush, as in the host. */
static void host_read (home_host_t *self)
{
    outbox_t *reads = self->reads;
    effect_t effect;
    self->reads = outbox_new ();
    while (outbox_next (reads, &effect)) {
        store_full_reading_t reading = {.host = self, .read = effect.read.read};
        assert_int_equal (store_read (self->store, &effect.read, show_rows, &reading), STORE_OK);
        host_flush (self);
    }
    outbox_destroy (&reads);
}

static void host_flush (home_host_t *self)
{
    if (self->writing)
        assert_int_equal (store_flush (self->store, EPOCH_MS + world.now_ms), STORE_OK);
    assert_string_equal (store_facts (self->store)->why, "");
    self->writing = false;
    if (store_facts (self->store)->free_bytes < self->store_least)
        self->store_least = store_facts (self->store)->free_bytes;
}

static bool load (void *owner, uint8_t table, bytes_t key, bytes_t value, bool sound)
{
    assert_true (sound);
    host_step (owner, &(event_t){.kind = EVENT_RECORD,
                                 .record = {.table = table, .key = key, .value = value}});
    return true;
}

static void host_up (home_host_t *self)
{
    gis_settings_t settings = home_settings ();
    char why [WHY_BYTES];
    assert_int_equal (store_open (&self->store, folder, self->bytes, entropy, EPOCH_MS, why),
                      STORE_OK);
    self->reads = outbox_new ();
    gis_core (&settings, &self->core);
    assert_int_equal (store_each (self->store, load, self), STORE_OK);
    host_step (self, &(event_t){.kind = EVENT_START,
                                .start = {.store = store_facts (self->store)->identity,
                                          .endpoint = "tcp://127.0.0.1:1",
                                          .events = "tcp://127.0.0.1:2"}});
    host_flush (self);
}

static void host_down (home_host_t *self)
{
    self->core.destroy (self->core.self);
    outbox_destroy (&self->reads);
    store_close (&self->store);
    free (world.body.data);
    world.body = (packed_t){0};
}

static home_host_t host_new (uint64_t bytes)
{
    memset (&world, 0, sizeof world);
    home_host_t self = {.node = &world.nodes [0], .bytes = bytes, .store_least = UINT64_MAX};
    self.node->world = &world;
    memcpy (self.node->host.store.id, entropy, STORE_ID_BYTES);
    return self;
}

static call_status_t host_ask (home_host_t *self, const char *service, const char *method,
                               packed_t body)
{
    world.replied = false;
    host_step (self, &(event_t){.kind = EVENT_REQUEST,
                                .request = {.service = service,
                                            .method = method,
                                            .actor = PLANNER_A,
                                            .request_id = "",
                                            .body = kept_bytes (body),
                                            .reply_to = REPLY_TO_TEST}});
    free (body.data);
    assert_true (world.replied);
    return world.status;
}

/*  The refusal of a request, with reasons of so many bytes. */
static call_status_t close_one (home_host_t *self, uint64_t number, size_t bytes)
{
    static char reason [ANSWER_BYTES_MOST + 1];
    char id [64];
    snprintf (id, sizeof id, "c%" PRIu64 "@g1", number);
    memset (reason, 'r', bytes);
    reason [bytes] = '\0';
    packed_t refusal = answer_of (MUSUBI__ANSWER_STATUS__ANSWER_REFUSED, reason, 0);
    Musubi__CloseRequest request = MUSUBI__CLOSE_REQUEST__INIT;
    request.actor = (char *) "alice";
    request.request_id = id;
    request.digest = (ProtobufCBinaryData){.len = DIGEST_BYTES, .data = (uint8_t *) digest_one};
    request.answer = (ProtobufCBinaryData){.len = refusal.size, .data = refusal.data};
    request.keep_until_ms = EPOCH_MS + HOUR_MS;
    packed_t body;
    body.data = message_pack (&request.base, &body.size);
    free (refusal.data);
    return host_ask (self, "Home", "Close", body);
}

/*  The state the claim got; COMMAND_REJECTED only for want of room. */
static command_state_t hold_one (home_host_t *self, uint64_t number)
{
    char id [64];
    snprintf (id, sizeof id, "h%" PRIu64 "@g1", number);
    home_attempt_t one = attempt (number);
    one.request_id = id;
    assert_int_equal (host_ask (self, "Participant", "Hold", hold_of (self->node, &one)), CALL_OK);
    command_answer_t answer = answered (self->node);
    if (answer.state == COMMAND_REJECTED)
        assert_int_equal (answer.refusal.reason, REFUSAL_STORE_FULL);
    else
        assert_int_equal (answer.state, COMMAND_PREPARED);
    command_state_t got = answer.state;
    codec_clear (&command_answer_codec, &answer);
    return got;
}

static void end_one (home_host_t *self, uint64_t number, bool commit)
{
    txid_t txid = txid_of (PLANNER_A, number);
    assert_int_equal (
      host_ask (self, "Participant", commit ? "Commit" : "Abort",
                codec_encode (&decision_request_codec, &(decision_request_t){txid, 0})),
      CALL_OK);
    command_answer_t answer = answered (self->node);
    assert_int_equal (answer.state, commit ? COMMAND_COMMITTED : COMMAND_ABORTED);
    codec_clear (&command_answer_codec, &answer);
}

static bool warns_of_a_full_store (home_host_t *self)
{
    assert_int_equal (host_ask (self, "Service", "Status", (packed_t){0}), CALL_OK);
    Musubi__StatusAnswer *answer = (Musubi__StatusAnswer *) message_unpack (
      &musubi__status_answer__descriptor, kept_bytes (world.body));
    bool warns = answer->n_warnings == 1 && strstr (answer->warnings [0], "nearly full");
    message_free (&answer->base);
    return warns;
}

/*  Until nothing more is taken; returns how many were. */
static uint64_t close_many (home_host_t *host)
{
    uint64_t closed = 0, refused = 0;
    for (uint64_t number = 0; refused < 1000; number++) {
        if (close_one (host, number, 200) == CALL_OK) {
            closed++;
        } else {
            assert_int_equal (world.status, CALL_OVERLOADED);
            assert_non_null (strstr (world.reason, "the store of gis/g1 is full"));
            refused++;
        }
        if (number % 256 == 255)
            host_flush (host);
    }
    host_flush (host);
    assert_true (closed > 500);
    return closed;
}

static void refusals_fill_a_home_up_and_then_are_refused_in_words (void **state)
{
    (void) state;
    home_host_t host = host_new (STORE_BYTES_LEAST);
    host_up (&host);
    assert_int_equal (hold_one (&host, 1), COMMAND_PREPARED);
    assert_int_equal (hold_one (&host, 2), COMMAND_PREPARED);
    assert_false (warns_of_a_full_store (&host));
    uint64_t closed = close_many (&host);
    for (int start = 0; start < 20; start++) {
        host_down (&host);
        host.alarms = 0;
        host_up (&host);
        assert_true (host.alarms > 0 && warns_of_a_full_store (&host));
        assert_int_equal (hold_one (&host, 3), COMMAND_REJECTED);
        assert_int_equal (close_one (&host, closed + 5000, 200), CALL_OVERLOADED);
        assert_int_equal (close_one (&host, 0, 200), CALL_OK); /* it was told before */
    }
    end_one (&host, 1, true);
    end_one (&host, 2, false);
    host_flush (&host);
    host_down (&host);
}

/*  Until so much time has passed, as a home that nobody asks anything but how it is. */
static void pass (home_host_t *self, int64_t ms)
{
    for (int64_t until_ms = world.now_ms + ms; world.now_ms < until_ms; world.now_ms += 60000) {
        assert_int_equal (host_ask (self, "Service", "Status", (packed_t){0}), CALL_OK);
        host_flush (self);
        host_read (self);
    }
}

static void a_full_home_takes_requests_again_when_the_old_ones_are_over (void **state)
{
    (void) state;
    home_host_t host = host_new (STORE_BYTES_LEAST);
    gis_settings_t settings = home_settings ();
    host_up (&host);
    assert_int_equal (hold_one (&host, 1), COMMAND_PREPARED);
    assert_int_equal (hold_one (&host, 2), COMMAND_PREPARED);
    uint64_t fresh = close_many (&host) + 5000;
    assert_true (warns_of_a_full_store (&host));
    assert_int_equal (hold_one (&host, 3), COMMAND_REJECTED);
    end_one (&host, 1, true);
    end_one (&host, 2, false);
    host_flush (&host);

    pass (&host, HOUR_MS / 2); /* the windows asked for have not passed */
    assert_int_equal (close_one (&host, fresh, 200), CALL_OVERLOADED);
    assert_int_equal (close_one (&host, 0, 200), CALL_OK); /* it was told before */

    pass (&host, HOUR_MS + settings.limits.retention_ms);
    assert_false (warns_of_a_full_store (&host));
    assert_int_equal (hold_one (&host, 4), COMMAND_PREPARED);
    assert_int_equal (close_one (&host, fresh, 200), CALL_OK);
    end_one (&host, 4, true);
    host_flush (&host);
    assert_true (host.store_least > 0);
    host_down (&host);
}

typedef struct {
    uint64_t open [4096];
    size_t open_count;
    uint64_t number;
    uint64_t refused;
} store_full_story_t;

static void something (home_host_t *host, store_full_story_t *story, prng_t *prng)
{
    uint64_t draw = prng_below (prng, 100);
    if (draw < 30) {
        story->refused += close_one (host, story->number++,
                                     prng_below (prng, 3) ? prng_below (prng, 500)
                                                          : prng_below (prng, 60000)) != CALL_OK;
    } else if (draw < 75 || story->open_count == 0) {
        uint64_t number = ++story->number;
        if (hold_one (host, number) == COMMAND_PREPARED)
            story->open [story->open_count++] = number;
        else
            story->refused++;
    } else {
        size_t at = prng_below (prng, story->open_count);
        end_one (host, story->open [at], draw < 90);
        story->open [at] = story->open [--story->open_count];
    }
}

static void whatever_comes_no_write_fails_and_what_was_begun_ends (void **state)
{
    (void) state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        prng_t prng;
        prng_seed (&prng, seed);
        print_message ("seed %" PRIu64 "\n", seed);
        home_host_t host = host_new (STORE_BYTES_LEAST + prng_below (&prng, 2 << 20));
        store_full_story_t story = {0};
        host_up (&host);
        while (story.refused < 500) {
            for (uint64_t left = 1 + prng_below (&prng, 256); left > 0; left--)
                something (&host, &story, &prng);
            host_flush (&host);
            if (prng_below (&prng, 10) == 0) {
                host_down (&host);
                host_up (&host);
            }
        }
        while (story.open_count > 0)
            end_one (&host, story.open [--story.open_count], prng_below (&prng, 2));
        host_flush (&host);
        assert_true (host.store_least > 0); /* the room that was kept has sufficed */
        host_down (&host);
        assert_int_equal (folder_remove (NULL), 0);
        assert_int_equal (folder_new (NULL), 0);
    }
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      STORE_TEST (refusals_fill_a_home_up_and_then_are_refused_in_words),
      STORE_TEST (a_full_home_takes_requests_again_when_the_old_ones_are_over),
      STORE_TEST (whatever_comes_no_write_fails_and_what_was_begun_ends),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
