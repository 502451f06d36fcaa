/*  test_router - the agent of a router when somebody else touches its machine: until a look has
 *  ended it tells no circuit as seen there.
 */
#include "host_in_memory.h"
#include "router.h"
#include "shape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define LOOK_MS  60000
#define PAUSE_MS 100 /* longer than the pause between two watches */

typedef struct {
    memory_host_t host;
    uint64_t call;         /* the last question */
    size_t told;           /* circuits in it */
    uint64_t shape, watch; /* the last works */
    size_t shapes;         /* how many there were */
    size_t logs;           /* that tell of a queue */
} router_world_t;

static router_interface_t wan = {.name = "wan", .mbps = 100, .queue = "bfifo"};
static prefix_t from [] = {{0x0a010000, 16}}, to [] = {{0x0a020000, 16}};
static shape_t circuit = {.reservation = "r1",
                          .need = "x-y",
                          .interface = "wan",
                          .mbps = 30,
                          .until_ms = INT64_C (4000000000000),
                          .from = from,
                          .from_count = 1,
                          .to = to,
                          .to_count = 1};
static const router_work_t shaped = {&wan, 1, &circuit, 1};
static const router_work_t touched = {&wan, 1, NULL, 0};

static void take (void *owner, const effect_t *effect)
{
    router_world_t *self = owner;
    router_question_t asked;
    char why [WHY_BYTES];
    if (effect->kind == EFFECT_CALL) {
        self->call = effect->call.call;
        assert_true (codec_decode (&router_question_codec, &asked, effect->call.body, why));
        self->told = asked.seen.shapes_count;
        codec_clear (&router_question_codec, &asked);
    } else if (effect->kind == EFFECT_WORK && strcmp (effect->work.kind, ROUTER_WATCH) == 0) {
        self->watch = effect->work.work;
    } else if (effect->kind == EFFECT_WORK) {
        self->shape = effect->work.work;
        self->shapes++;
    } else if (effect->kind == EFFECT_LOG) {
        self->logs += strstr (effect->log.line, "wait in a bfifo") != NULL;
    }
}

static void step (void *owner, const event_t *event)
{
    memory_host_step (&((router_world_t *) owner)->host, event);
}

static void pass (router_world_t *self, int64_t ms)
{
    memory_host_pass (&self->host, ms, step);
}

static void answer (router_world_t *self)
{
    static uint64_t number;
    router_answer_t told = {
      .number = ++number, .attend_ms = LOOK_MS, .lease_ms = 10 * LOOK_MS, .wanted = shaped};
    packed_t body = codec_encode (&router_answer_codec, &told);
    step (self, &(event_t){.kind = EVENT_ANSWER,
                           .answer = {.call = self->call,
                                      .status = CALL_OK,
                                      .reason = "",
                                      .body = {body.data, body.size}}});
    free (body.data);
    pass (self, 1);
}

static void ends (router_world_t *self, uint64_t work, const router_work_t *result)
{
    packed_t packed = result ? codec_encode (&router_work_codec, result) : (packed_t){0};
    step (self,
          &(event_t){
            .kind = EVENT_WORK,
            .work = {.work = work, .ok = result != NULL, .result = {packed.data, packed.size}}});
    free (packed.data);
    pass (self, 1);
}

/*  An agent that has told its circuit. */
static void open_router (router_world_t *self)
{
    static const char *const endpoints [] = {"sim://nis/N"};
    *self = (router_world_t){.host = memory_host (1700000000000, 5000, take, self)};
    memcpy (self->host.store.id, "0123456789abcdef", STORE_ID_BYTES);
    router_core (
      &(router_settings_t){
        .name = "r1", .endpoints = endpoints, .endpoints_count = 1, .look_ms = LOOK_MS},
      &self->host.core);
    memory_host_boot (&self->host, NULL, "sim://router/r1", step);
    answer (self);
    ends (self, self->shape, &shaped);
    assert_int_equal (self->told, 1);
    assert_int_equal (self->logs, 1);
}

static void close_router (router_world_t *self)
{
    self->host.core.destroy (self->host.core.self);
    records_clear (&self->host.records);
}

static void what_was_touched_is_not_told_before_it_was_looked_at (void **state)
{
    (void) state;
    router_world_t w;
    open_router (&w);
    size_t shapes = w.shapes;
    ends (&w, w.watch, &touched);
    assert_int_equal (w.told, 0);
    assert_int_equal (w.shapes, shapes + 1);
    ends (&w, w.shape, &shaped);
    assert_int_equal (w.told, 1);
    assert_int_equal (w.shapes, shapes + 1);
    assert_int_equal (w.logs, 1);
    close_router (&w);
}

/*  That look may have passed there before. */
static void a_look_that_had_begun_before_does_not_count (void **state)
{
    (void) state;
    router_world_t w;
    open_router (&w);
    answer (&w);
    uint64_t before = w.shape;
    ends (&w, w.watch, &touched);
    assert_int_equal (w.told, 0);
    assert_int_equal (w.shape, before);
    ends (&w, before, &shaped);
    assert_int_equal (w.told, 0);
    assert_int_not_equal (w.shape, before);
    ends (&w, w.shape, &shaped);
    assert_int_equal (w.told, 1);
    close_router (&w);
}

/*  Answers come all the time; on a busy machine one comes in each look. */
static void an_answer_meanwhile_does_not_make_a_look_doubtful (void **state)
{
    (void) state;
    router_world_t w;
    open_router (&w);
    ends (&w, w.watch, &touched);
    assert_int_equal (w.told, 0);
    uint64_t look = w.shape;
    answer (&w);
    assert_int_equal (w.shape, look);
    ends (&w, look, &shaped);
    assert_int_equal (w.told, 1);
    assert_int_not_equal (w.shape, look); /* as it was out of date */
    close_router (&w);
}

static void watching_goes_on_where_it_can (void **state)
{
    (void) state;
    router_world_t w;
    open_router (&w);
    size_t shapes = w.shapes;
    uint64_t watch = w.watch;
    ends (&w, watch, &(router_work_t){0});
    assert_int_equal (w.watch, watch); /* not at once, should somebody go on and on */
    pass (&w, PAUSE_MS);
    assert_int_not_equal (w.watch, watch);
    assert_int_equal (w.shapes, shapes);
    assert_int_equal (w.told, 1);
    watch = w.watch;
    ends (&w, watch, NULL);
    pass (&w, LOOK_MS);
    assert_int_equal (w.watch, watch);
    assert_true (w.shapes > shapes); /* looks go on */
    close_router (&w);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (what_was_touched_is_not_told_before_it_was_looked_at),
      cmocka_unit_test (a_look_that_had_begun_before_does_not_count),
      cmocka_unit_test (an_answer_meanwhile_does_not_make_a_look_doubtful),
      cmocka_unit_test (watching_goes_on_where_it_can),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
