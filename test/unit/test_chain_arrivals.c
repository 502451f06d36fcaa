/*  chain_arrivals - files that tasks have left at a storage node, and their room. */
#include "chain.h"
#include "chain_wire.h"
#include "member.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ROOM 800

typedef struct {
    service_t *service;
    chain_t *chain;
    moment_t now;
    uint64_t asked; /* the node's last question */
    uint64_t told;  /* the site's last answer */
} arrivals_world_t;

/*  Takes what the site answers. */
static void settle (arrivals_world_t *self)
{
    effect_t effect;
    char why [WHY_BYTES];
    while (service_next (self->service, &effect)) {
        storage_wanted_t wanted;
        if (effect.kind != EFFECT_REPLY)
            continue;
        assert_int_equal (effect.reply.status, CALL_OK);
        assert_true (codec_decode (&storage_wanted_codec, &wanted, effect.reply.body, why));
        self->told = wanted.number;
        codec_clear (&storage_wanted_codec, &wanted);
    }
}

/*  The node asks, after it has carried out this answer; its file is there, or not yet. */
static void attend (arrivals_world_t *self, uint64_t seen, bool done)
{
    stored_file_t file = {.file = "out", .number = 1, .content = {.size = ROOM}};
    chain_arrival_t arrival = {.path = "left", .file = "out", .done = done};
    storage_attend_t attend = {.node = "n1",
                               .bytes_max = 10 * ROOM,
                               .question = {.store = {1}, .start = 1, .number = ++self->asked},
                               .files = &file,
                               .files_count = done,
                               .arrivals = &arrival,
                               .arrivals_count = 1};
    attend.question.seen = seen;
    packed_t body = codec_encode (&storage_attend_codec, &attend);
    event_t event = {.kind = EVENT_REQUEST,
                     .request = {.service = "Chain",
                                 .method = "Attend",
                                 .actor = "storage/n1",
                                 .request_id = "",
                                 .body = packed_bytes (body),
                                 .reply_to = self->asked}};
    service_step (self->service, &self->now, &event);
    settle (self);
    free (body.data);
}

/*  A task has left this file; it may have room. */
static void leave (arrivals_world_t *self, const char *path, uint64_t room)
{
    chain_arrival_t wanted = {.file = "out", .room = room};
    snprintf (wanted.path, sizeof wanted.path, "%s", path);
    assert_non_null (chain_arrival (self->chain, &self->now, "n1", &wanted));
    service_step (self->service, &self->now, &(event_t){.kind = EVENT_TIMER});
    settle (self);
}

static void room_is_held_until_the_file_that_takes_it_is_known (void **state)
{
    (void) state;
    static const char *const nodes [] = {"n1"};
    arrivals_world_t w = {.service = member_new ("replica/ams", NULL, 0), .now = {.mono_ms = 1000}};
    w.chain = chain_new (w.service, nodes, 1, &SETTINGS_PRESET (chain_limits_t, &chain_table));
    service_step (
      w.service, &w.now,
      &(event_t){.kind = EVENT_START,
                 .start = {.store = {.start = 1}, .endpoint = "sim://x", .events = "sim://y"}});
    settle (&w);
    const chain_node_t *node = chain_node (w.chain, "n1");
    attend (&w, 0, false);
    leave (&w, "left", ROOM);
    attend (&w, w.told, false);
    attend (&w, w.told, false); /* this question waits */
    uint64_t seen = w.told;
    leave (&w, "another", 0);
    assert_true (w.told > seen); /* this answer and the next question cross */
    attend (&w, seen, true);
    assert_int_equal (chain_bytes_files (node) + chain_bytes_held (w.chain, node), ROOM);
    attend (&w, w.told, true);
    assert_int_equal (chain_bytes_files (node), ROOM);
    assert_int_equal (chain_bytes_held (w.chain, node), 0);
    chain_destroy (&w.chain);
    service_destroy (&w.service);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (room_is_held_until_the_file_that_takes_it_is_known),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
