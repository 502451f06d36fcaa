/*  test_status - what a service tells about itself: who it is, what it and its host have counted.
 */
#include "bus.pb-c.h"
#include "member.h"
#include "message.h"
#include "service.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static Musubi__StatusAnswer *ask (service_t *service, const moment_t *now)
{
    event_t event = {.kind = EVENT_REQUEST,
                     .request = {.service = "Service",
                                 .method = "Status",
                                 .actor = "anybody",
                                 .request_id = "",
                                 .reply_to = 1}};
    service_step (service, now, &event);
    effect_t effect;
    ProtobufCMessage *message = NULL;
    while (service_next (service, &effect)) {
        if (effect.kind != EFFECT_REPLY)
            continue;
        assert_int_equal (effect.reply.status, CALL_OK);
        message = message_unpack (&musubi__status_answer__descriptor, effect.reply.body);
    }
    assert_non_null (message);
    return (Musubi__StatusAnswer *) message;
}

/*  -1 when the status does not have it. */
static int64_t counter (const Musubi__StatusAnswer *answer, const char *name)
{
    int64_t value = -1;
    for (size_t i = 0; i < answer->n_counters; i++) {
        if (strcmp (answer->counters [i]->name, name) != 0)
            continue;
        assert_int_equal (value, -1); /* told once */
        value = answer->counters [i]->value;
    }
    return value;
}

static void what_the_host_counts_is_told_as_it_stands_then (void **state)
{
    (void) state;
    service_t *service = member_new ("lis/ams", NULL, 0);
    moment_t now = {.wall_ms = 1000,
                    .mono_ms = 1000,
                    .store_flushes = 5,
                    .messages_sent = 70,
                    .bytes_sent = 9000};
    Musubi__StatusAnswer *answer = ask (service, &now);
    assert_string_equal (answer->name, "lis/ams");
    assert_int_equal (counter (answer, "flushes"), 5);
    assert_int_equal (counter (answer, "messages_sent"), 70);
    assert_int_equal (counter (answer, "bytes_sent"), 9000);
    message_free (&answer->base);

    now.store_flushes = 6;
    now.messages_sent = 71;
    now.bytes_sent = 9100;
    answer = ask (service, &now);
    assert_int_equal (counter (answer, "flushes"), 6);
    assert_int_equal (counter (answer, "messages_sent"), 71);
    assert_int_equal (counter (answer, "bytes_sent"), 9100);
    message_free (&answer->base);
    service_destroy (&service);
}

#define STORE_MIB 100

/*  As the store has so many bytes after so many minutes of this start. */
static Musubi__StatusAnswer *ask_of_store (service_t *service, int64_t minutes, uint64_t used)
{
    moment_t now = {.wall_ms = minutes * 60000,
                    .mono_ms = minutes * 60000,
                    .store_bytes = STORE_MIB << 20,
                    .store_free_bytes = (STORE_MIB << 20) - used};
    return ask (service, &now);
}

static void a_store_that_fills_is_told_in_time (void **state)
{
    (void) state;
    service_t *service = member_new ("lis/ams", NULL, 0);
    uint64_t step = 1 << 20; /* an hour */
    Musubi__StatusAnswer *answer = ask_of_store (service, 0, 0);
    assert_int_equal (counter (answer, "store_bytes"), STORE_MIB << 20);
    assert_int_equal (counter (answer, "store_watched_ms"), 0);
    assert_int_equal (counter (answer, "store_growth_bytes"), 0);
    message_free (&answer->base);
    for (int64_t minutes = 30; minutes < 24 * 60; minutes += 30) {
        answer = ask_of_store (service, minutes, (uint64_t) minutes / 60 * step);
        assert_int_equal (counter (answer, "store_watched_ms"), minutes / 60 * 3600000);
        if (minutes >= 60)
            assert_int_equal (counter (answer, "store_growth_bytes"), 24 * step);
        assert_int_equal (answer->n_warnings, 0); /* not by less than a day */
        message_free (&answer->base);
    }
    answer = ask_of_store (service, 24 * 60, 24 * step);
    assert_int_equal (counter (answer, "store_used_bytes"), 24 * step);
    assert_int_equal (answer->n_warnings, 1);
    assert_non_null (strstr (answer->warnings [0], "the store will be full in 3 days"));
    message_free (&answer->base);

    /*  It stays as large: a day later nothing of the growth is left. */
    for (int64_t hour = 25; hour <= 48; hour++)
        message_free (&ask_of_store (service, hour * 60, 24 * step)->base);
    answer = ask_of_store (service, 48 * 60, 24 * step);
    assert_int_equal (counter (answer, "store_watched_ms"), 24 * 3600000);
    assert_int_equal (counter (answer, "store_growth_bytes"), 0);
    assert_int_equal (answer->n_warnings, 0);
    message_free (&answer->base);

    answer = ask_of_store (service, 49 * 60, 12 * step);
    assert_int_equal (counter (answer, "store_growth_bytes"), -12 * (int64_t) step);
    message_free (&answer->base);
    service_destroy (&service);
}

static void take (void *owner, const moment_t *now, const request_t *request, void *body)
{
    (void) now, (void) body;
    service_reply (owner, request, (packed_t){0});
}

/*  By a method of the service "Any", which answers whatever it is asked. */
static call_status_t told (service_t *service, const char *method, const moment_t *now)
{
    event_t event = {
      .kind = EVENT_REQUEST,
      .request = {.service = "Any", .method = method, .actor = "a", .request_id = "r"}};
    service_step (service, now, &event);
    effect_t effect;
    while (service_next (service, &effect))
        if (effect.kind == EFFECT_REPLY)
            return effect.reply.status;
    fail ();
    return CALL_OK;
}

/*  Each with room in the store, with a full one, and while the process ends. */
static void a_method_is_served_when_its_registration_says (void **state)
{
    (void) state;
    service_t *service = service_new ("lis/ams");
    service_serve (service, "Any", "Look", NULL, ALWAYS, take, service);
    service_serve (service, "Any", "Undo", NULL, UNTIL_END, take, service);
    service_serve (service, "Any", "Begin", NULL, BEGINS, take, service);
    moment_t room = {.store_bytes = 1 << 20, .store_free_bytes = 1 << 20};
    moment_t full = {.store_bytes = 1 << 20, .store_free_bytes = 1 << 10};
    assert_int_equal (told (service, "Look", &room), CALL_OK);
    assert_int_equal (told (service, "Undo", &room), CALL_OK);
    assert_int_equal (told (service, "Begin", &room), CALL_OK);
    assert_int_equal (told (service, "Look", &full), CALL_OK);
    assert_int_equal (told (service, "Undo", &full), CALL_OK);
    assert_int_equal (told (service, "Begin", &full), CALL_OVERLOADED);
    assert_int_equal (told (service, "Other", &full), CALL_UNKNOWN_METHOD);
    service_step (service, &room, &(event_t){.kind = EVENT_END});
    assert_int_equal (told (service, "Look", &room), CALL_OK);
    assert_int_equal (told (service, "Undo", &room), CALL_NOT_SERVING);
    assert_int_equal (told (service, "Begin", &room), CALL_NOT_SERVING);
    service_destroy (&service);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (what_the_host_counts_is_told_as_it_stands_then),
      cmocka_unit_test (a_store_that_fills_is_told_in_time),
      cmocka_unit_test (a_method_is_served_when_its_registration_says),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
