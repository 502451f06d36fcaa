/*  bus_fixture - the bus, and a caller (peer_sockets.h), in one loop of this process; a miniature
 *  core answers each request with its own body.
 */
#ifndef MUSUBI_BUS_FIXTURE_H
#define MUSUBI_BUS_FIXTURE_H

#include "bus.h"
#include "envelope.h"
#include "peer_sockets.h"
#include "sockets.h"

#include <czmq.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PORT_BUS = 1, PORT_PEER };

#define PATIENCE_MS 5000
#define FILES_MAX   256

static const store_identity_t identity = {.id = "the id of a bus", .start = 7};

static poll_set_t *ports;
static bus_t *bus;
static peer_sockets_t *peers;

/*  The request that the miniature core saw last. */
static struct {
    int requests;
    char method [METHOD_BYTES_MAX + 1];
    char actor [NAME_BYTES_MAX + 1];
    char request_id [REQUEST_ID_BYTES_MAX + 1];
    uint64_t reply_to;
    bool silent; /* it does not answer */
    int notices;
    uint64_t notice_number;
    char topic [NAME_BYTES_MAX + 1];
} seen;

static inline int64_t mono_ms (void)
{
    return zclock_mono ();
}

static inline int start_bus (void **state)
{
    (void) state;
    char why [WHY_BYTES];
    memset (&seen, 0, sizeof seen);
    ports = poll_set_new ();
    bus =
      bus_new (ports, PORT_BUS,
               &(bus_settings_t){.endpoint = "tcp://127.0.0.1:0", .events = "tcp://127.0.0.1:0"},
               &identity, why);
    peers = peer_sockets_new (ports, PORT_PEER, FILES_MAX);
    return bus ? 0 : -1;
}

static inline int end_bus (void **state)
{
    (void) state;
    peer_sockets_destroy (&peers);
    bus_destroy (&bus);
    poll_set_destroy (&ports);
    sockets_end (); /* which waits until their descriptors are free */
    return 0;
}

static inline void reply (uint64_t reply_to, bytes_t body)
{
    bus_effect (bus, &(effect_t){.kind = EFFECT_REPLY,
                                 .reply = {.reply_to = reply_to, .reason = "", .body = body}});
}

static inline void core_step (const event_t *event)
{
    if (event->kind == EVENT_NOTICE) {
        seen.notices++;
        seen.notice_number = event->notice.number;
        strncpy (seen.topic, event->notice.topic, sizeof seen.topic - 1);
        return;
    }
    assert_int_equal (event->kind, EVENT_REQUEST);
    seen.requests++;
    seen.reply_to = event->request.reply_to;
    strncpy (seen.method, event->request.method, sizeof seen.method - 1);
    strncpy (seen.actor, event->request.actor, sizeof seen.actor - 1);
    strncpy (seen.request_id, event->request.request_id, sizeof seen.request_id - 1);
    if (!seen.silent)
        reply (event->request.reply_to, event->request.body);
}

/*  One turn of the loop; true with an answer to a call of peers. */
static inline bool turn (event_t *answer)
{
    event_t event;
    int64_t now_ms = mono_ms ();
    peer_sockets_flush (peers);
    if (bus)
        bus_flush (bus);
    poll_set_wait (ports, 10);
    for (polled_t *port = poll_set_ready (ports); port; port = poll_set_ready (ports)) {
        if (port->kind == PORT_PEER) {
            if (peer_sockets_receive (peers, port, now_ms, answer))
                return true;
        } else if (bus_receive (bus, port, &event))
            core_step (&event);
    }
    peer_sockets_due (peers, now_ms);
    if (bus)
        bus_make_room (bus, 0);
    return peer_sockets_expire (peers, now_ms, answer);
}

static inline event_t await_answer (void)
{
    event_t answer = {0};
    int64_t until_ms = mono_ms () + PATIENCE_MS;
    while (!turn (&answer))
        assert_true (mono_ms () < until_ms);
    return answer;
}

static inline void call_with (uint64_t number, const char *endpoint, bytes_t body,
                              int64_t timeout_ms)
{
    peer_sockets_call (peers,
                       &(effect_t){.kind = EFFECT_CALL,
                                   .call = {.call = number,
                                            .endpoint = endpoint,
                                            .service = "Test",
                                            .method = "Echo",
                                            .actor = "bob",
                                            .request_id = "",
                                            .body = body,
                                            .timeout_ms = timeout_ms}},
                       mono_ms ());
}

static inline void call (uint64_t number, const char *endpoint, int64_t timeout_ms)
{
    call_with (number, endpoint, (bytes_t){.data = (const uint8_t *) "hi", .size = 2}, timeout_ms);
}

static inline void subscribe_to_oneself (void)
{
    assert_true (bus_effect (
      bus, &(effect_t){.kind = EFFECT_SUBSCRIBE, .subscribe = {.endpoint = bus_events (bus)}}));
}

static inline void publish (const char *topic)
{
    bus_effect (bus, &(effect_t){.kind = EFFECT_PUBLISH, .publish = {.topic = topic}});
}

#define BUS_TEST(name) cmocka_unit_test_setup_teardown (name, start_bus, end_bus)

#endif
