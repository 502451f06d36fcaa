/*  test_storage_links - a storage node's agent looks for a feeder, and the list of its site changes
 *  meanwhile.
 */
#include "chain_wire.h"
#include "must.h"
#include "storage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FILE_BYTES 1000
#define WORKS_MAX  4

static core_t core;
static uint64_t call;             /* its last question, */
static storage_attend_t told;     /* and what that said */
static uint64_t flow, asked_over; /* opened, and dialled, last */
static char dialled [64];         /* whom */
static uint64_t fed_over;         /* the link that it goes on with */
static uint64_t works [WORKS_MAX];
static size_t works_count;

static void note_flow (const flow_order_t *order)
{
    if (order->verb == FLOW_OPEN)
        flow = order->flow;
    if (order->verb == FLOW_DIAL) {
        asked_over = order->link;
        snprintf (dialled, sizeof dialled, "%s", order->endpoint);
    }
    if (order->verb == FLOW_GO)
        fed_over = order->link;
}

static void links_note (const effect_t *effect)
{
    char why [WHY_BYTES];
    if (effect->kind == EFFECT_FLOW)
        note_flow (&effect->flow);
    if (effect->kind == EFFECT_WORK && works_count < WORKS_MAX)
        works [works_count++] = effect->work.work;
    if (effect->kind != EFFECT_CALL || strcmp (effect->call.method, "Attend") != 0)
        return;
    call = effect->call.call;
    codec_clear (&storage_attend_codec, &told);
    assert_true (codec_decode (&storage_attend_codec, &told, effect->call.body, why));
}

/*  Work ends at once, and well. */
static void links_step (int64_t mono_ms, const event_t *event)
{
    const moment_t now = {.mono_ms = mono_ms, .wall_ms = 1700000000000 + mono_ms};
    effect_t effect;
    core.step (core.self, &now, event);
    while (core.next (core.self, &effect))
        links_note (&effect);
    while (works_count > 0) {
        event_t ended = {.kind = EVENT_WORK, .work = {.work = works [--works_count], .ok = true}};
        links_step (mono_ms, &ended);
    }
}

static void links_start (void)
{
    static const char *const sites [] = {"sim://replica"};
    storage_core (&(storage_settings_t){.name = "n4",
                                        .sites = sites,
                                        .sites_count = 1,
                                        .folder = "/n4",
                                        .bytes_max = 10 * FILE_BYTES},
                  &core);
    links_step (
      0,
      &(event_t){
        .kind = EVENT_START,
        .start = {.store.start = 1, .endpoint = "sim://n4", .events = "", .data = "tcp://n4:1"}});
}

/*  The site's plan, of one epoch: these feed it, the nearest first. */
static void site_plans (int64_t mono_ms, uint64_t number, const char *first, const char *second)
{
    wanted_transfer_t wanted = {.id = {.bytes = {1}},
                                .file = "f",
                                .size_known = true,
                                .content.size = FILE_BYTES,
                                .feeds = 1,
                                .epoch = 7,
                                .attempt = 1};
    const char *names [] = {first, second};
    for (size_t i = 0; i < 2; i++) {
        feeder_t *feeder = &wanted.feeders [wanted.feeders_count++];
        snprintf (feeder->name, sizeof feeder->name, "%s", names [i]);
        snprintf (feeder->endpoint, sizeof feeder->endpoint, "tcp://%s:1", names [i]);
    }
    storage_wanted_t answer = {.number = number,
                               .transfers = &wanted,
                               .transfers_count = 1,
                               .attend_ms = 1000,
                               .report_ms = 1000,
                               .site = "ams"};
    packed_t body = codec_encode (&storage_wanted_codec, &answer);
    links_step (mono_ms, &(event_t){.kind = EVENT_ANSWER,
                                    .answer = {.call = call,
                                               .reason = "",
                                               .body = {.data = body.data, .size = body.size}}});
    links_step (mono_ms, &(event_t){.kind = EVENT_TIMER});
    free (body.data);
}

static void flow_says (int64_t mono_ms, flow_news_t news, uint64_t of_link)
{
    links_step (
      mono_ms,
      &(event_t){
        .kind = EVENT_FLOW,
        .flow = {.news = news, .flow = flow, .link = of_link, .size = FILE_BYTES, .why = ""}});
}

/*  A list of the same epoch changes when a node becomes whole, or may feed again. */
static void who_feeds_it_is_who_was_asked_though_the_list_has_changed (void **state)
{
    (void) state;
    links_start ();
    site_plans (10, 1, "n5", "g0");
    flow_says (20, FLOW_OPENED, 0);
    assert_string_equal (dialled, "tcp://n5:1");
    site_plans (30, 2, "n0", "n5");
    flow_says (40, FLOW_LINKED, asked_over);
    assert_int_equal (fed_over, asked_over);
    links_step (50, &(event_t){.kind = EVENT_TIMER});
    assert_int_equal (told.receipts_count, 1);
    assert_string_equal (told.receipts [0].feeder, "n5");
    codec_clear (&storage_attend_codec, &told);
    core.destroy (core.self);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (who_feeds_it_is_who_was_asked_though_the_list_has_changed),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
