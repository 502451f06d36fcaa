/*  test_bus - which messages from a socket reach a core, and how the others are answered: raw
 *  sockets beside the bus.
 */
#include "bus_fixture.h"

#include "bus.pb-c.h"
#include "message.h"
#include "prng.h"

static zsock_t *dial (int type)
{
    zsock_t *sock = zsock_new (type);
    assert_non_null (sock);
    zsock_set_linger (sock, 0);
    assert_int_equal (zsock_connect (sock, "%s", bus_endpoint (bus)), 0);
    return sock;
}

/*  The reply to a raw socket, while the loop turns; NULL when none comes within the time. */
static zmsg_t *await_raw (zsock_t *sock, int64_t patience_ms)
{
    event_t answer;
    int64_t until_ms = mono_ms () + patience_ms;
    zsock_set_rcvtimeo (sock, 0);
    for (;;) {
        zmsg_t *message = zmsg_recv (sock);
        if (message)
            return message;
        if (mono_ms () >= until_ms)
            return NULL;
        assert_false (turn (&answer));
    }
}

/*  A header as protobuf has it, so that fields can be wrong. */
static zframe_t *header_frame (Musubi__RequestHeader *header)
{
    size_t size;
    uint8_t *packed = message_pack (&header->base, &size);
    zframe_t *frame = zframe_new (packed, size);
    free (packed);
    return frame;
}

static Musubi__RequestHeader sound_header (void)
{
    Musubi__RequestHeader header = MUSUBI__REQUEST_HEADER__INIT;
    header.protocol = PROTOCOL;
    header.service = "Test";
    header.method = "Echo";
    header.call = 42;
    header.actor = "alice";
    header.request_id = "r1@g1";
    return header;
}

static void send_request (zsock_t *sock, Musubi__RequestHeader *header, const char *body)
{
    zmsg_t *message = zmsg_new ();
    zframe_t *frame = header_frame (header);
    zmsg_append (message, &frame);
    zmsg_addstr (message, body);
    assert_int_equal (zmsg_send (&message, sock), 0);
}

/*  A reply's header, taken out of its message. */
typedef struct {
    uint64_t call;
    call_status_t status;
    char reason [REASON_BYTES_MAX + 1];
    uint8_t store [STORE_ID_BYTES];
    uint32_t store_start;
} raw_reply_t;

/*  Takes [header] [body]; the body as text in *body, to be freed. */
static raw_reply_t read_reply (zmsg_t *message, char **body)
{
    assert_non_null (message);
    if (zframe_size (zmsg_first (message)) == 0) /* a delimiter, given because one was sent */
    {
        zframe_t *delimiter = zmsg_pop (message);
        zframe_destroy (&delimiter);
    }
    assert_int_equal (zmsg_size (message), 2);
    zframe_t *frame = zmsg_pop (message);
    Musubi__ReplyHeader *header =
      reply_header_read ((bytes_t){.data = zframe_data (frame), .size = zframe_size (frame)});
    assert_non_null (header);
    raw_reply_t reply = {
      .call = header->call, .status = (call_status_t) header->status, .store_start = header->start};
    strcpy (reply.reason, header->reason);
    memcpy (reply.store, header->store.data, header->store.len);
    message_free (&header->base);
    zframe_destroy (&frame);
    *body = zmsg_popstr (message);
    zmsg_destroy (&message);
    return reply;
}

static void assert_refused (Musubi__RequestHeader *header, const char *body, call_status_t status,
                            const char *reason)
{
    zsock_t *dealer = dial (ZMQ_DEALER);
    char *text;
    send_request (dealer, header, body);
    raw_reply_t answer = read_reply (await_raw (dealer, PATIENCE_MS), &text);
    assert_int_equal (answer.status, status);
    assert_string_equal (answer.reason, reason);
    assert_int_equal (answer.call, header->call);
    assert_string_equal (text, "");
    assert_int_equal (seen.requests, 0);
    zstr_free (&text);
    zsock_destroy (&dealer);
}

/*  --- requests --- */

static void a_plain_req_socket_works (void **state)
{
    (void) state;
    zsock_t *req = dial (ZMQ_REQ);
    Musubi__RequestHeader header = sound_header ();
    char *body;
    for (int i = 1; i <= 3; i++) {
        send_request (req, &header, "hello");
        raw_reply_t answer = read_reply (await_raw (req, PATIENCE_MS), &body);
        assert_int_equal (answer.status, CALL_OK);
        assert_int_equal (answer.call, 42);
        assert_int_equal (answer.store_start, 7);
        assert_memory_equal (answer.store, identity.id, STORE_ID_BYTES);
        assert_string_equal (body, "hello");
        zstr_free (&body);
        assert_int_equal (seen.requests, i);
    }
    assert_string_equal (seen.method, "Echo");
    assert_string_equal (seen.actor, "alice");
    assert_string_equal (seen.request_id, "r1@g1");
    zsock_destroy (&req);
}

static void a_dealer_without_delimiter_works_and_gets_none (void **state)
{
    (void) state;
    zsock_t *dealer = dial (ZMQ_DEALER);
    Musubi__RequestHeader header = sound_header ();
    char *body;
    send_request (dealer, &header, "");
    raw_reply_t answer = read_reply (await_raw (dealer, PATIENCE_MS), &body);
    assert_int_equal (answer.status, CALL_OK);
    zstr_free (&body);
    zsock_destroy (&dealer);
}

static void refuses_headers_out_of_bounds_by_field (void **state)
{
    (void) state;
    char long_text [200];
    memset (long_text, 'x', sizeof long_text - 1);
    long_text [sizeof long_text - 1] = '\0';
    uint8_t bytes [STORE_ID_BYTES] = "another store's";

    Musubi__RequestHeader header = sound_header ();
    header.protocol = 2;
    assert_refused (&header, "x", CALL_WRONG_PROTOCOL, "protocol: should be 1");
    header = sound_header ();
    header.service = long_text;
    assert_refused (&header, "x", CALL_BAD_REQUEST, "service: longer than 63 bytes");
    header = sound_header ();
    header.method = long_text;
    assert_refused (&header, "x", CALL_BAD_REQUEST, "method: longer than 63 bytes");
    header = sound_header ();
    header.actor = long_text;
    assert_refused (&header, "x", CALL_BAD_REQUEST, "actor: longer than 63 bytes");
    header = sound_header ();
    header.request_id = long_text;
    assert_refused (&header, "x", CALL_BAD_REQUEST, "request_id: longer than 127 bytes");
    header = sound_header ();
    header.to_store = (ProtobufCBinaryData){.len = 15, .data = bytes};
    assert_refused (&header, "x", CALL_BAD_REQUEST, "to_store: not 16 bytes");
    header.to_store.len = 16;
    assert_refused (&header, "x", CALL_WRONG_STORE, "another store serves this address");
    assert_int_equal (bus_counts (bus).refused, 7);
}

static void a_request_to_this_very_store_is_seen (void **state)
{
    (void) state;
    store_identity_t own = identity;
    zsock_t *dealer = dial (ZMQ_DEALER);
    Musubi__RequestHeader header = sound_header ();
    header.to_store = (ProtobufCBinaryData){.len = STORE_ID_BYTES, .data = own.id};
    char *body;
    send_request (dealer, &header, "x");
    assert_int_equal (read_reply (await_raw (dealer, PATIENCE_MS), &body).status, CALL_OK);
    zstr_free (&body);
    zsock_destroy (&dealer);
}

static void refuses_a_body_too_large_missing_or_doubled (void **state)
{
    (void) state;
    static const struct {
        size_t body_size;
        int bodies;
        call_status_t status;
        const char *reason;
    } cases [] = {
      {BODY_BYTES_MAX, 1, CALL_OK, ""},
      {BODY_BYTES_MAX + 1, 1, CALL_BAD_REQUEST, "body: larger than 1 MiB"},
      {10, 0, CALL_BAD_REQUEST, "frames: expected [header] [body] and no more"},
      {10, 2, CALL_BAD_REQUEST, "frames: expected [header] [body] and no more"},
      {10, 500, CALL_BAD_REQUEST, "frames: expected [header] [body] and no more"},
    };
    char *bytes = calloc (1, BODY_BYTES_MAX + 1);
    assert_non_null (bytes);
    for (size_t i = 0; i < sizeof cases / sizeof cases [0]; i++) {
        zsock_t *dealer = dial (ZMQ_DEALER);
        Musubi__RequestHeader header = sound_header ();
        zmsg_t *message = zmsg_new ();
        zframe_t *frame = header_frame (&header);
        zmsg_append (message, &frame);
        for (int body = 0; body < cases [i].bodies; body++)
            zmsg_addmem (message, bytes, cases [i].body_size);
        assert_int_equal (zmsg_send (&message, dealer), 0);
        char *text;
        raw_reply_t answer = read_reply (await_raw (dealer, PATIENCE_MS), &text);
        assert_int_equal (answer.status, cases [i].status);
        assert_string_equal (answer.reason, cases [i].reason);
        zstr_free (&text);
        zsock_destroy (&dealer);
    }
    assert_int_equal (seen.requests, 1);
    free (bytes);
}

/*  A sound request after the others shows that the bus has dealt with them. */
static void assert_still_serves (zsock_t *dealer)
{
    Musubi__RequestHeader header = sound_header ();
    header.call = 4711;
    send_request (dealer, &header, "still there?");
    for (;;) {
        char *body;
        raw_reply_t answer = read_reply (await_raw (dealer, PATIENCE_MS), &body);
        bool is_ours = answer.call == 4711;
        if (is_ours)
            assert_string_equal (body, "still there?");
        zstr_free (&body);
        if (is_ours)
            return;
    }
}

static void a_header_cut_at_any_byte_is_answered_or_dropped (void **state)
{
    (void) state;
    zsock_t *dealer = dial (ZMQ_DEALER);
    Musubi__RequestHeader header = sound_header ();
    zframe_t *whole = header_frame (&header);
    size_t size = zframe_size (whole);
    for (size_t cut = 0; cut < size; cut++) {
        zmsg_t *message = zmsg_new ();
        zmsg_addmem (message, zframe_data (whole), cut);
        zmsg_addstr (message, "body");
        assert_int_equal (zmsg_send (&message, dealer), 0);
    }
    zframe_destroy (&whole);
    assert_still_serves (dealer);
    assert_true (bus_counts (bus).dropped > size / 2);
    assert_int_equal (bus_counts (bus).pending, 0);
    zsock_destroy (&dealer);
}

static void random_frames_never_hurt (void **state)
{
    (void) state;
    prng_t prng;
    uint64_t seed = 20261121;
    print_message ("seed %llu\n", (unsigned long long) seed);
    prng_seed (&prng, seed);
    zsock_t *dealer = dial (ZMQ_DEALER);
    for (int i = 0; i < 900; i++) {
        zmsg_t *message = zmsg_new ();
        uint64_t frames = 1 + prng_below (&prng, 5);
        for (uint64_t f = 0; f < frames; f++) {
            uint8_t bytes [300];
            size_t size = prng_below (&prng, 4) ? prng_below (&prng, sizeof bytes) : 0;
            for (size_t b = 0; b < size; b++)
                bytes [b] = (uint8_t) prng_next (&prng);
            zmsg_addmem (message, bytes, size);
        }
        assert_int_equal (zmsg_send (&message, dealer), 0);
    }
    assert_still_serves (dealer);
    bus_counts_t counts = bus_counts (bus);
    assert_int_equal (counts.requests, 901);
    assert_int_equal (counts.dropped + counts.refused + (uint64_t) seen.requests, 901);
    zsock_destroy (&dealer);
}

static void a_peer_that_leaves_before_its_reply_does_no_harm (void **state)
{
    (void) state;
    event_t answer;
    seen.silent = true;
    zsock_t *gone = dial (ZMQ_DEALER);
    Musubi__RequestHeader header = sound_header ();
    send_request (gone, &header, "x");
    while (seen.requests == 0)
        assert_false (turn (&answer));
    zsock_destroy (&gone);
    reply (seen.reply_to, (bytes_t){0});
    assert_int_equal (bus_counts (bus).pending, 0);
    seen.silent = false;
    zsock_t *dealer = dial (ZMQ_DEALER);
    assert_still_serves (dealer);
    zsock_destroy (&dealer);
}

/*  --- binding --- */

static void binds_beyond_this_machine_only_when_trusted (void **state)
{
    (void) state;
    static const struct {
        const char *endpoint;
        bool local;
        bool sound;
    } cases [] = {
      {"tcp://127.0.0.1:0", true, true},
      {"tcp://127.9.8.7:5600", true, true},
      {"tcp://localhost:5600", true, true},
      {"tcp://[::1]:5600", true, true},
      {"ipc:///tmp/x.sock", true, true},
      {"tcp://0.0.0.0:5600", false, true},
      {"tcp://*:5600", false, true},
      {"tcp://[::]:5600", false, true},
      {"tcp://192.168.1.1:5600", false, true},
      {"tcp://eth0:5600", false, true},
      {"tcp://127.evil.example:5600", false, true},
      {"tcp://128.0.0.1:5600", false, true},
      {"tcp://127.0.0.1", false, false},
      {"tcp://:5600", false, false},
      {"udp://127.0.0.1:5600", false, false},
      {"inproc://x", false, false},
      {"ipc://", false, false},
      {"", false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases [0]; i++) {
        char why [WHY_BYTES];
        bus_settings_t settings = {.endpoint = "tcp://127.0.0.1:0", .events = cases [i].endpoint};
        assert_int_equal (bus_settings_right (&settings, why), cases [i].local);
        if (!cases [i].local)
            assert_non_null (strstr (why, "bind/events: '"));
        if (!cases [i].local && cases [i].sound)
            assert_non_null (strstr (why, "bind/trusted = true"));
        settings.trusted = true;
        assert_int_equal (bus_settings_right (&settings, why), cases [i].sound);
    }
}

static void tells_others_the_host_they_can_reach (void **state)
{
    (void) state;
    char why [WHY_BYTES];
    bus_t *public = bus_new (ports, PORT_BUS,
                             &(bus_settings_t){.endpoint = "tcp://127.0.0.1:0",
                                               .events = "tcp://127.0.0.1:0",
                                               .host = "ams.example"},
                             &identity, why);
    assert_non_null (public);
    assert_int_equal (strncmp (bus_endpoint (public), "tcp://ams.example:", 18), 0);
    assert_true (atoi (bus_events (public) + 18) > 0);
    bus_destroy (&public);
}

static void bound_to_every_address_tells_the_name_of_its_machine (void **state)
{
    (void) state;
    char why [WHY_BYTES], own [128], wanted [160];
    assert_int_equal (gethostname (own, sizeof own), 0);
    int size = snprintf (wanted, sizeof wanted, "tcp://%s:", own);
    bus_t *public = bus_new (
      ports, PORT_BUS,
      &(bus_settings_t){.endpoint = "tcp://*:0", .events = "tcp://0.0.0.0:0", .trusted = true},
      &identity, why);
    assert_non_null (public);
    assert_int_equal (strncmp (bus_endpoint (public), wanted, (size_t) size), 0);
    assert_int_equal (strncmp (bus_events (public), wanted, (size_t) size), 0);
    assert_true (atoi (bus_endpoint (public) + size) > 0);
    bus_destroy (&public);
}

static void an_address_in_use_is_told (void **state)
{
    (void) state;
    char why [WHY_BYTES];
    bus_settings_t settings = {.endpoint = bus_endpoint (bus), .events = "tcp://127.0.0.1:0"};
    assert_null (bus_new (ports, PORT_BUS, &settings, &identity, why));
    assert_non_null (strstr (why, "Address already in use"));
}

/*  --- hints --- */

static void notices_are_numbered_and_stop_when_unsubscribed (void **state)
{
    (void) state;
    event_t answer;
    int64_t until_ms = mono_ms () + PATIENCE_MS;
    subscribe_to_oneself ();
    subscribe_to_oneself ();
    uint64_t published = 0;
    while (seen.notices == 0) { /* a subscriber that joins late misses what was before */
        publish ("calendar");
        published++;
        assert_false (turn (&answer));
        assert_true (mono_ms () < until_ms);
    }
    while (seen.notice_number < published)
        assert_false (turn (&answer));
    int notices = seen.notices;
    publish ("directory");
    while (seen.notice_number == published)
        assert_false (turn (&answer));
    assert_string_equal (seen.topic, "directory");
    assert_int_equal (seen.notices, notices + 1); /* not doubled */
    assert_int_equal (seen.notice_number, published + 1);
    bus_effect (
      bus, &(effect_t){.kind = EFFECT_UNSUBSCRIBE, .subscribe = {.endpoint = bus_events (bus)}});
    assert_false (bus_effect (
      bus, &(effect_t){.kind = EFFECT_SUBSCRIBE, .subscribe = {.endpoint = "nowhere"}}));
}

static void garbled_notices_are_dropped (void **state)
{
    (void) state;
    event_t answer;
    zsock_t *publisher = zsock_new (ZMQ_PUB);
    assert_true (zsock_bind (publisher, "tcp://127.0.0.1:*") > 0);
    bus_effect (bus, &(effect_t){.kind = EFFECT_SUBSCRIBE,
                                 .subscribe = {.endpoint = zsock_endpoint (publisher)}});
    int64_t until_ms = mono_ms () + PATIENCE_MS;
    while (bus_counts (bus).dropped < 10) {
        zstr_send (publisher, "topic alone");
        zstr_sendx (publisher, "topic", "garbage", NULL);
        zstr_sendx (publisher, "topic", "garbage", "body", "and", "more", NULL);
        assert_false (turn (&answer));
        assert_true (mono_ms () < until_ms);
    }
    assert_int_equal (seen.notices, 0);
    zsock_destroy (&publisher);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      BUS_TEST (a_plain_req_socket_works),
      BUS_TEST (a_dealer_without_delimiter_works_and_gets_none),
      BUS_TEST (refuses_headers_out_of_bounds_by_field),
      BUS_TEST (a_request_to_this_very_store_is_seen),
      BUS_TEST (refuses_a_body_too_large_missing_or_doubled),
      BUS_TEST (a_header_cut_at_any_byte_is_answered_or_dropped),
      BUS_TEST (random_frames_never_hurt),
      BUS_TEST (a_peer_that_leaves_before_its_reply_does_no_harm),
      BUS_TEST (binds_beyond_this_machine_only_when_trusted),
      BUS_TEST (tells_others_the_host_they_can_reach),
      BUS_TEST (bound_to_every_address_tells_the_name_of_its_machine),
      BUS_TEST (an_address_in_use_is_told),
      BUS_TEST (notices_are_numbered_and_stop_when_unsubscribed),
      BUS_TEST (garbled_notices_are_dropped),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
