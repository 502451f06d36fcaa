/*  test_bus_bundles - messages to one peer that leave as one, between those who take bundles and
 *  those who know of none: raw sockets stand for the latter.
 */
#include "bundle.h"
#include "bus_fixture.h"
#include "must.h"

#include "message.h"

enum { MANY = 50 };

static bytes_t bytes (const char *text)
{
    return text_bytes (text);
}

/*  --- the bytes --- */

static bundle_t three (void)
{
    bundle_t bundle = {0};
    assert_true (bundle_add (&bundle, bytes ("first"), bytes ("one")));
    assert_true (bundle_add (&bundle, bytes ("second"), bytes ("")));
    assert_true (bundle_add (&bundle, bytes ("third"), bytes ("three")));
    return bundle;
}

static bytes_t travelling (const bundle_t *bundle)
{
    return (bytes_t){.data = bundle->bytes, .size = bundle->size};
}

static void assert_text (bytes_t read, const char *text)
{
    assert_int_equal (read.size, strlen (text));
    assert_memory_equal (read.data, text, read.size);
}

static void what_goes_in_comes_out (void **state)
{
    (void) state;
    static const char *const parts [][2] = {{"first", "one"}, {"second", ""}, {"third", "three"},
                                            {"first", "one"}, {"second", ""}, {"third", "three"}};
    bundle_t bundle = three (), other = three ();
    assert_true (bundle_join (&bundle, &other));
    bytes_t rest, header, body;
    assert_true (bundle_open (travelling (&bundle), &rest));
    for (size_t i = 0; i < 6; i++) {
        assert_true (bundle_next (&rest, &header, &body));
        assert_text (header, parts [i][0]);
        assert_text (body, parts [i][1]);
    }
    assert_int_equal (rest.size, 0);
    bundle_clear (&bundle);
    bundle_clear (&other);
}

/*  Each cut lies in memory of its own, so that a step past its end is seen. */
static void one_that_is_cut_gives_what_is_whole (void **state)
{
    (void) state;
    bundle_t bundle = three ();
    size_t whole [] = {1 + 8 + 5 + 3, 1 + 8 + 5 + 3 + 8 + 6, bundle.size};
    for (size_t cut = 0; cut < bundle.size; cut++) {
        uint8_t *copy = must (malloc (cut + (cut == 0)));
        memcpy (copy, bundle.bytes, cut);
        bytes_t rest = {0}, header, body;
        size_t read = 0;
        assert_int_equal (bundle_open ((bytes_t){copy, cut}, &rest), cut > 1);
        while (rest.size > 0)
            read += bundle_next (&rest, &header, &body);
        assert_int_equal (read, (size_t) (cut >= whole [0]) + (cut >= whole [1]));
        free (copy);
    }
    bundle_clear (&bundle);
}

static void sizes_that_lie_are_refused (void **state)
{
    (void) state;
    bundle_t bundle = three ();
    for (size_t at = 1; at < 9; at++) {
        uint8_t was = bundle.bytes [at];
        bundle.bytes [at] = 0xff;
        bytes_t rest, header, body;
        assert_true (bundle_open (travelling (&bundle), &rest));
        assert_false (bundle_next (&rest, &header, &body));
        assert_int_equal (rest.size, 0);
        bundle.bytes [at] = was;
    }
    bundle_clear (&bundle);
}

static void none_is_larger_than_its_limit_but_one_message_alone (void **state)
{
    (void) state;
    uint8_t *large = must (calloc (1, BODY_BYTES_MAX));
    bundle_t bundle = {0}, full = {0};
    bytes_t rest;
    assert_true (bundle_add (&bundle, bytes ("h"), (bytes_t){large, BODY_BYTES_MAX}));
    assert_false (bundle_add (&bundle, bytes ("h"), bytes ("b")));
    assert_false (bundle_join (&bundle, &bundle));
    assert_int_equal (bundle.count, 1);
    assert_false (bundle_open (travelling (&bundle), &rest));
    bundle_clear (&bundle);
    assert_true (bundle_add (&full, bytes ("h"), (bytes_t){large, BUNDLE_BYTES_MAX - 1 - 2 * 9}));
    assert_false (bundle_add (&full, bytes ("h"), bytes ("b")));
    assert_true (bundle_add (&full, bytes (""), bytes ("b")));
    assert_int_equal (full.size, BUNDLE_BYTES_MAX);
    assert_true (bundle_open (travelling (&full), &rest));
    bundle_clear (&full);
    free (large);
}

/*  --- calls --- */

static void call_many (uint64_t first, const char *endpoint)
{
    for (uint64_t number = first; number < first + MANY; number++)
        call (number, endpoint, PATIENCE_MS);
}

static void await_many (uint64_t first)
{
    bool answered [MANY] = {false};
    for (int i = 0; i < MANY; i++) {
        event_t answer = await_answer ();
        assert_int_equal (answer.answer.status, CALL_OK);
        assert_memory_equal (answer.answer.body.data, "hi", 2);
        assert_false (answered [answer.answer.call - first]);
        answered [answer.answer.call - first] = true;
    }
}

static void calls_of_one_turn_and_their_answers_are_one_message_each (void **state)
{
    (void) state;
    call (1, bus_endpoint (bus), PATIENCE_MS);
    await_answer ();
    call_many (2, bus_endpoint (bus));
    await_many (2);
    assert_int_equal (peer_sockets_sent (peers), 2);
    assert_int_equal (bus_counts (bus).sent, 2);
    assert_int_equal (bus_counts (bus).requests, 1 + MANY);
}

/*  What listens at an address now may not be what has listened there. */
static void a_new_connection_knows_of_no_bundles_yet (void **state)
{
    (void) state;
    call_many (1, bus_endpoint (bus));
    await_many (1);
    assert_int_equal (peer_sockets_sent (peers), MANY);
    peer_sockets_due (peers, mono_ms () + PEER_IDLE_MS);
    assert_int_equal (peer_sockets_open (peers), 0);
    call_many (1 + MANY, bus_endpoint (bus));
    await_many (1 + MANY);
    assert_int_equal (peer_sockets_sent (peers), 2 * MANY);
}

static void what_is_too_much_for_one_message_leaves_as_several (void **state)
{
    enum { LARGE = BUNDLE_BYTES_MAX / 3 };
    (void) state;
    uint8_t *large = must (calloc (1, LARGE));
    call (1, bus_endpoint (bus), PATIENCE_MS);
    await_answer ();
    for (uint64_t number = 2; number < 8; number++)
        call_with (number, bus_endpoint (bus), (bytes_t){large, LARGE}, PATIENCE_MS);
    for (int i = 0; i < 6; i++) {
        event_t answer = await_answer ();
        assert_int_equal (answer.answer.status, CALL_OK);
        assert_int_equal (answer.answer.body.size, LARGE);
    }
    assert_int_equal (peer_sockets_sent (peers), 1 + 3);
    free (large);
}

/*  The next message of a raw socket, while the loop turns. */
static zmsg_t *await_message (zsock_t *raw)
{
    event_t none;
    zmsg_t *message;
    int64_t until_ms = mono_ms () + PATIENCE_MS;
    while (!(message = zmsg_recv (raw))) {
        assert_false (turn (&none));
        assert_true (mono_ms () < until_ms);
    }
    return message;
}

/*  Answers [route] [delimiter] [header] [body] as a service did that knew of no bundles. */
static void answer_as_before (zsock_t *service, zmsg_t *message)
{
    assert_int_equal (zmsg_size (message), 4);
    zframe_t *body = zmsg_last (message);
    zmsg_remove (message, body);
    zframe_t *frame = zmsg_last (message);
    zmsg_remove (message, frame);
    Musubi__RequestHeader *asked =
      request_header_read ((bytes_t){.data = zframe_data (frame), .size = zframe_size (frame)});
    assert_true (asked->bundles);
    Musubi__ReplyHeader header = MUSUBI__REPLY_HEADER__INIT;
    uint8_t packed [HEADER_BYTES_MAX];
    header.protocol = PROTOCOL;
    header.call = asked->call;
    header.reason = (char *) "";
    zmsg_addmem (message, packed, header_write (&header.base, packed));
    zmsg_append (message, &body);
    assert_int_equal (zmsg_send (&message, service), 0);
    message_free (&asked->base);
    zframe_destroy (&frame);
}

static void a_service_that_knows_of_none_is_asked_one_by_one (void **state)
{
    (void) state;
    zmsg_t *asked [MANY];
    zsock_t *service = zsock_new (ZMQ_ROUTER);
    zsock_set_rcvtimeo (service, 0);
    assert_true (zsock_bind (service, "tcp://127.0.0.1:*") > 0);
    call (1, zsock_endpoint (service), PATIENCE_MS);
    answer_as_before (service, await_message (service));
    await_answer ();
    call_many (2, zsock_endpoint (service));
    for (int i = 0; i < MANY; i++)
        asked [i] = await_message (service);
    for (int i = 0; i < MANY; i++)
        answer_as_before (service, asked [i]);
    await_many (2);
    assert_int_equal (peer_sockets_sent (peers), 1 + MANY);
    zsock_destroy (&service);
}

/*  --- raw callers --- */

static zsock_t *raw_caller (void)
{
    zsock_t *caller = zsock_new (ZMQ_DEALER);
    zsock_set_linger (caller, 0);
    zsock_set_rcvtimeo (caller, 0);
    assert_int_equal (zsock_connect (caller, "%s", bus_endpoint (bus)), 0);
    return caller;
}

static void add_request (bundle_t *bundle, uint64_t number, uint32_t protocol, bool bundles)
{
    uint8_t packed [HEADER_BYTES_MAX];
    Musubi__RequestHeader header = MUSUBI__REQUEST_HEADER__INIT;
    header.protocol = protocol;
    header.service = header.method = header.actor = header.request_id = (char *) "x";
    header.call = number;
    header.bundles = bundles;
    bytes_t head = {.data = packed, .size = header_write (&header.base, packed)};
    assert_true (bundle_add (bundle, head, bytes ("body")));
}

static void send_frame (zsock_t *caller, const uint8_t *data, size_t size)
{
    assert_int_equal (zmq_send (zsock_resolve (caller), data, size, 0), size);
}

static void assert_reply (bytes_t header_frame, uint64_t number, call_status_t status)
{
    Musubi__ReplyHeader *header = reply_header_read (header_frame);
    assert_non_null (header);
    assert_int_equal (header->call, number);
    assert_int_equal (header->status, (int) status);
    assert_true (header->bundles);
    message_free (&header->base);
}

static void a_bundle_is_answered_with_one_refusals_and_all (void **state)
{
    (void) state;
    zsock_t *caller = raw_caller ();
    bundle_t bundle = {0};
    for (uint64_t number = 1; number <= 3; number++)
        add_request (&bundle, number, number == 2 ? 99 : PROTOCOL, true);
    send_frame (caller, bundle.bytes, bundle.size);
    zmsg_t *message = await_message (caller);
    assert_int_equal (zmsg_size (message), 1);
    zframe_t *frame = zmsg_first (message);
    bytes_t rest, header, body;
    assert_true (bundle_open ((bytes_t){zframe_data (frame), zframe_size (frame)}, &rest));
    for (uint64_t number = 1; number <= 3; number++) {
        assert_true (bundle_next (&rest, &header, &body));
        assert_reply (header, number, number == 2 ? CALL_WRONG_PROTOCOL : CALL_OK);
        assert_text (body, number == 2 ? "" : "body");
    }
    assert_int_equal (rest.size, 0);
    assert_int_equal (bus_counts (bus).sent, 1);
    zmsg_destroy (&message);
    bundle_clear (&bundle);
    zsock_destroy (&caller);
}

static void a_caller_that_knows_of_none_gets_each_reply_alone (void **state)
{
    (void) state;
    zsock_t *caller = raw_caller ();
    bundle_t bundle = {0};
    for (uint64_t number = 1; number <= 3; number++)
        add_request (&bundle, number, PROTOCOL, false);
    send_frame (caller, bundle.bytes, bundle.size); /* so that all are answered in one turn */
    for (uint64_t number = 1; number <= 3; number++) {
        zmsg_t *message = await_message (caller);
        assert_int_equal (zmsg_size (message), 2);
        zframe_t *frame = zmsg_first (message);
        assert_reply ((bytes_t){zframe_data (frame), zframe_size (frame)}, number, CALL_OK);
        zmsg_destroy (&message);
    }
    bundle_clear (&bundle);
    zsock_destroy (&caller);
}

static void a_bundle_cut_at_any_byte_hurts_nobody (void **state)
{
    (void) state;
    event_t none;
    zsock_t *caller = raw_caller ();
    bundle_t bundle = {0};
    add_request (&bundle, 1, PROTOCOL, true);
    size_t first = bundle.size;
    add_request (&bundle, 2, PROTOCOL, true);
    seen.silent = true; /* so that no answers pile up at the caller */
    for (size_t cut = 0; cut <= bundle.size; cut++)
        send_frame (caller, bundle.bytes, cut);
    size_t whole = 1 + bundle.size - first; /* that have the first request */
    int64_t until_ms = mono_ms () + PATIENCE_MS;
    while (seen.requests < (int) whole + 1) {
        assert_false (turn (&none));
        assert_true (mono_ms () < until_ms);
    }
    assert_int_equal (bus_counts (bus).pending, whole + 1);
    assert_int_equal (bus_counts (bus).dropped, bundle.size - 2); /* all but that, and nothing */
    bundle_clear (&bundle);
    zsock_destroy (&caller);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (what_goes_in_comes_out),
      cmocka_unit_test (one_that_is_cut_gives_what_is_whole),
      cmocka_unit_test (sizes_that_lie_are_refused),
      cmocka_unit_test (none_is_larger_than_its_limit_but_one_message_alone),
      BUS_TEST (calls_of_one_turn_and_their_answers_are_one_message_each),
      BUS_TEST (a_new_connection_knows_of_no_bundles_yet),
      BUS_TEST (what_is_too_much_for_one_message_leaves_as_several),
      BUS_TEST (a_service_that_knows_of_none_is_asked_one_by_one),
      BUS_TEST (a_bundle_is_answered_with_one_refusals_and_all),
      BUS_TEST (a_caller_that_knows_of_none_gets_each_reply_alone),
      BUS_TEST (a_bundle_cut_at_any_byte_hurts_nobody),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
