/*  test_bus_calls - calls over sockets: each has its own answer, in time or not at all, also where
 *  descriptors are few.
 */
#include "bus_fixture.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

/*  --- calls --- */

static void every_call_gets_its_own_answer (void **state)
{
    (void) state;
    bool answered [201] = {false};
    for (uint64_t number = 1; number <= 200; number++)
        call (number, bus_endpoint (bus), PATIENCE_MS);
    assert_int_equal (peer_sockets_calls (peers), 200);
    for (int i = 0; i < 200; i++) {
        event_t answer = await_answer ();
        assert_int_equal (answer.answer.status, CALL_OK);
        assert_memory_equal (answer.answer.body.data, "hi", 2);
        assert_memory_equal (answer.answer.store, identity.id, STORE_ID_BYTES);
        assert_false (answered [answer.answer.call]);
        answered [answer.answer.call] = true;
    }
    assert_int_equal (peer_sockets_calls (peers), 0);
}

static void silence_is_timed_out_once_and_late_answers_are_dropped (void **state)
{
    (void) state;
    event_t answer;
    seen.silent = true;
    call (1, bus_endpoint (bus), 100);
    answer = await_answer ();
    assert_int_equal (answer.answer.call, 1);
    assert_int_equal (answer.answer.status, CALL_TIMED_OUT);
    assert_non_null (strstr (answer.answer.reason, "within 0.1 s"));
    assert_int_equal (seen.requests, 1);
    reply (seen.reply_to, (bytes_t){0});
    seen.silent = false;
    call (2, bus_endpoint (bus), PATIENCE_MS);
    answer = await_answer ();
    assert_int_equal (answer.answer.call, 2);
    assert_int_equal (answer.answer.status, CALL_OK);
    assert_int_equal (peer_sockets_calls (peers), 0);
}

static void an_unreachable_address_is_timed_out (void **state)
{
    (void) state;
    call (1, "sim://nowhere", 1000);
    call (2, "tcp://127.0.0.1:1", 50);
    event_t answer = await_answer ();
    assert_int_equal (answer.answer.call, 1);
    assert_int_equal (answer.answer.status, CALL_TIMED_OUT);
    assert_string_equal (answer.answer.reason, "the address can't be connected to");
    answer = await_answer ();
    assert_int_equal (answer.answer.call, 2);
    assert_int_equal (answer.answer.status, CALL_TIMED_OUT);
    assert_false (peer_sockets_reach (peers, "nonsense", mono_ms ()));
}

/*  A call that timed out while a peer was away never reaches it; one that did not time out does. No
 *  socket has listened at this address before: a closed socket goes on accepting for a moment, and
 *  a message sent to it is lost, which the caller sees as a time-out. */
static void a_peer_that_comes_back_gets_only_what_is_still_wanted (void **state)
{
    (void) state;
    char folder [] = "/tmp/musubi-test-bus.XXXXXX", endpoint [64], why [WHY_BYTES];
    assert_non_null (mkdtemp (folder));
    snprintf (endpoint, sizeof endpoint, "ipc://%s/bus", folder);
    bus_destroy (&bus);
    call (1, endpoint, 100);
    call (2, endpoint, 100);
    call (3, endpoint, PATIENCE_MS);
    assert_int_equal (await_answer ().answer.call, 1);
    assert_int_equal (await_answer ().answer.call, 2);
    bus = bus_new (ports, PORT_BUS,
                   &(bus_settings_t){.endpoint = endpoint, .events = "tcp://127.0.0.1:0"},
                   &identity, why);
    assert_non_null (bus);
    event_t answer = await_answer ();
    assert_int_equal (answer.answer.call, 3);
    assert_int_equal (answer.answer.status, CALL_OK);
    assert_int_equal (seen.requests, 1);
    unlink (endpoint + strlen ("ipc://"));
    rmdir (folder);
}

/*  A closed socket's names live on for a moment, and the next caller may lie where it lay. */
static void a_caller_made_where_another_has_just_ended_can_dial (void **state)
{
    (void) state;
    for (uint64_t number = 1; number <= 100; number++) {
        peer_sockets_destroy (&peers);
        peers = peer_sockets_new (ports, PORT_PEER, FILES_MAX);
        assert_true (peer_sockets_reach (peers, bus_endpoint (bus), mono_ms ()));
    }
}

/*  Headers and bodies, as they left: an answer's body is the request's. */
static void what_leaves_is_counted (void **state)
{
    (void) state;
    call (1, bus_endpoint (bus), PATIENCE_MS);
    await_answer ();
    assert_int_equal (peer_sockets_sent (peers), 1);
    assert_int_equal (bus_counts (bus).sent, 1);
    uint64_t asked = peer_sockets_sent_bytes (peers), answered = bus_counts (bus).sent_bytes;
    assert_true (asked > 2 && answered > 2);
    call_with (2, bus_endpoint (bus), (bytes_t){.data = (const uint8_t *) "twelve bytes", 12},
               PATIENCE_MS);
    await_answer ();
    assert_int_equal (peer_sockets_sent (peers), 2);
    assert_int_equal (peer_sockets_sent_bytes (peers), 2 * asked + 10);
    assert_int_equal (bus_counts (bus).sent, 2);
    assert_int_equal (bus_counts (bus).sent_bytes, 2 * answered + 10);
    bus_effect (bus, &(effect_t){.kind = EFFECT_PUBLISH,
                                 .publish = {.topic = "t", .body = {(const uint8_t *) "x", 1}}});
    assert_int_equal (bus_counts (bus).sent, 3);
}

static void an_address_not_used_for_long_is_let_go (void **state)
{
    (void) state;
    call (1, bus_endpoint (bus), PATIENCE_MS);
    await_answer ();
    int64_t later_ms = mono_ms () + PEER_IDLE_MS;
    assert_int_equal (peer_sockets_due (peers, later_ms), INT64_MAX);
    call (2, bus_endpoint (bus), PATIENCE_MS);
    assert_int_equal (await_answer ().answer.status, CALL_OK);
}

/*  A bus that can be reached at many addresses: 127.0.0.2 and on. */
static void bind_to_many (void)
{
    char why [WHY_BYTES];
    bus_destroy (&bus);
    bus = bus_new (ports, PORT_BUS,
                   &(bus_settings_t){.endpoint = "tcp://0.0.0.0:0",
                                     .host = "127.0.0.1",
                                     .events = "tcp://127.0.0.1:0",
                                     .trusted = true},
                   &identity, why);
    assert_non_null (bus);
}

static void call_one_of_many (uint64_t number)
{
    char endpoint [64];
    snprintf (endpoint, sizeof endpoint, "tcp://127.0.0.%d:%s", (int) number + 1,
              strrchr (bus_endpoint (bus), ':') + 1);
    call (number, endpoint, PATIENCE_MS);
}

static size_t descriptors (void)
{
    DIR *folder = opendir ("/proc/self/fd");
    assert_non_null (folder);
    size_t count = 0;
    while (readdir (folder))
        count++;
    closedir (folder);
    return count;
}

static void an_address_costs_one_descriptor (void **state)
{
    enum { ADDRESSES = 50 };
    (void) state;
    bind_to_many ();
    size_t before = descriptors ();
    for (uint64_t number = 1; number <= ADDRESSES; number++) {
        call_one_of_many (number);
        assert_int_equal (await_answer ().answer.status, CALL_OK);
    }
    assert_int_equal (peer_sockets_open (peers), ADDRESSES);
    assert_true (descriptors () <= before + 2 * ADDRESSES); /* one of each is the bus's */
    peer_sockets_due (peers, mono_ms () + PEER_IDLE_MS);
    assert_int_equal (peer_sockets_open (peers), 0);
}

static void more_addresses_than_descriptors_take_turns (void **state)
{
    enum { ADDRESSES = 50, FILES = 8 };
    (void) state;
    bind_to_many ();
    peer_sockets_destroy (&peers);
    peers = peer_sockets_new (ports, PORT_PEER, FILES);
    for (uint64_t number = 1; number <= ADDRESSES; number++)
        call_one_of_many (number);
    for (int i = 0; i < ADDRESSES; i++) {
        assert_int_equal (await_answer ().answer.status, CALL_OK);
        assert_true (peer_sockets_open (peers) <= FILES);
    }
    assert_int_equal (seen.requests, ADDRESSES);
}

/*  libzmq names a host as it was dialled, or by its number when it dials again by itself. */
static void a_peer_that_was_named_and_comes_back_is_heard (void **state)
{
    (void) state;
    char why [WHY_BYTES], endpoint [64], name [64];
    event_t answer;
    strcpy (endpoint, bus_endpoint (bus));
    snprintf (name, sizeof name, "tcp://127.1:%s", strrchr (endpoint, ':') + 1);
    call (1, name, PATIENCE_MS);
    await_answer ();
    for (uint64_t life = 2; life < 5; life++) {
        seen.silent = true; /* one is asked as it ends */
        int before = seen.requests;
        call (10 * life, name, PATIENCE_MS);
        while (seen.requests == before)
            assert_false (turn (&answer));
        bus_destroy (&bus);
        peer_sockets_forget (peers, 10 * life);
        seen.silent = false;
        for (int64_t until_ms = mono_ms () + PATIENCE_MS; !bus;) {
            assert_true (mono_ms () < until_ms); /* a closed socket has its address for a while */
            bus = bus_new (ports, PORT_BUS,
                           &(bus_settings_t){.endpoint = endpoint, .events = "tcp://127.0.0.1:0"},
                           &identity, why);
        }
        for (int64_t until_ms = mono_ms () + PATIENCE_MS; peer_sockets_open (peers) > 0;) {
            assert_true (mono_ms () < until_ms); /* until the loss is heard */
            assert_false (turn (&answer));
        }
        call (life, name, PATIENCE_MS);
        answer = await_answer ();
        assert_int_equal (answer.answer.call, life);
        assert_int_equal (answer.answer.status, CALL_OK);
    }
}

/*  What one peer doesn't read waits, and the others are served. */
static void a_peer_that_does_not_read_holds_up_nobody (void **state)
{
    enum { MANY = 4 * PEER_MESSAGES_HELD_MAX, BYTES = 1 << 18 };
    (void) state;
    static uint8_t large [BYTES];
    char endpoint [64];
    size_t size = sizeof endpoint;
    void *slow = socket_open (ZMQ_ROUTER);
    socket_set (slow, ZMQ_RCVHWM, 1);
    assert_int_equal (zmq_bind (slow, "tcp://127.0.0.1:*"), 0);
    zmq_getsockopt (slow, ZMQ_LAST_ENDPOINT, endpoint, &size);
    for (uint64_t number = 1; number <= MANY; number++)
        call_with (number, endpoint, (bytes_t){large, BYTES}, 1000 * PATIENCE_MS);
    call (MANY + 1, bus_endpoint (bus), PATIENCE_MS);
    event_t answer = await_answer ();
    assert_int_equal (answer.answer.call, MANY + 1);
    assert_int_equal (answer.answer.status, CALL_OK);
    while (peer_sockets_sent (peers) < PEER_MESSAGES_HELD_MAX) /* that it holds is bounded */
        assert_false (turn (&answer));
    assert_true (peer_sockets_sent (peers) < MANY);
    socket_close (&slow);
}

static void a_forgotten_call_has_no_answer (void **state)
{
    (void) state;
    event_t answer;
    call (1, bus_endpoint (bus), PATIENCE_MS);
    peer_sockets_forget (peers, 1);
    peer_sockets_forget (peers, 1);
    assert_int_equal (peer_sockets_calls (peers), 0);
    call (2, bus_endpoint (bus), PATIENCE_MS);
    answer = await_answer ();
    assert_int_equal (answer.answer.call, 2);
}

/*  --- few descriptors --- */

/*  Takes all descriptors that are left of FILES_MAX. */
static size_t take_descriptors (int taken [FILES_MAX], struct rlimit *before)
{
    size_t count = 0;
    assert_int_equal (getrlimit (RLIMIT_NOFILE, before), 0);
    struct rlimit few = {.rlim_cur = FILES_MAX, .rlim_max = before->rlim_max};
    assert_int_equal (setrlimit (RLIMIT_NOFILE, &few), 0);
    for (int file = dup (0); file >= 0; file = dup (0))
        taken [count++] = file;
    assert_int_equal (errno, EMFILE);
    return count;
}

static void give_back (const int taken [FILES_MAX], size_t count, const struct rlimit *before)
{
    for (size_t i = 0; i < count; i++)
        close (taken [i]);
    assert_int_equal (setrlimit (RLIMIT_NOFILE, before), 0);
}

static void a_call_without_a_descriptor_waits_for_one (void **state)
{
    (void) state;
    int taken [FILES_MAX];
    struct rlimit before;
    event_t answer;
    seen.silent = true; /* a call is in flight, so that its connection can't be let go */
    call (1, bus_endpoint (bus), PATIENCE_MS);
    while (seen.requests == 0)
        assert_false (turn (&answer));
    size_t count = take_descriptors (taken, &before);
    call (2, "tcp://127.0.0.1:1", 50);
    assert_int_equal (peer_sockets_lacking (peers), 1);
    answer = await_answer ();
    assert_int_equal (answer.answer.call, 2);
    assert_int_equal (answer.answer.status, CALL_TIMED_OUT);
    assert_non_null (strstr (answer.answer.reason, "no file descriptor"));
    assert_non_null (strstr (answer.answer.reason, "ulimit -n"));

    char other_name [64];
    snprintf (other_name, sizeof other_name, "tcp://127.1:%s",
              strrchr (bus_endpoint (bus), ':') + 1);
    seen.silent = false;
    call (3, other_name, PATIENCE_MS);
    assert_false (turn (&answer));
    give_back (taken, count, &before);
    answer = await_answer ();
    assert_int_equal (answer.answer.call, 3);
    assert_int_equal (answer.answer.status, CALL_OK);
    assert_int_equal (peer_sockets_lacking (peers), 0);
}

static void a_subscription_without_a_descriptor_waits_for_one (void **state)
{
    (void) state;
    int taken [FILES_MAX];
    struct rlimit before;
    event_t answer;
    size_t count = take_descriptors (taken, &before);
    effect_t subscribe = {.kind = EFFECT_SUBSCRIBE, .subscribe = {.endpoint = bus_events (bus)}};
    assert_false (bus_effect (bus, &subscribe));
    assert_int_equal (bus_lacking (bus), 1);
    assert_false (turn (&answer));
    assert_int_equal (bus_lacking (bus), 1);
    give_back (taken, count, &before);
    int64_t until_ms = mono_ms () + PATIENCE_MS;
    while (seen.notices == 0) {
        bus_effect (bus,
                    &(effect_t){.kind = EFFECT_PUBLISH,
                                .publish = {.topic = "t", .body = {(const uint8_t *) "x", 1}}});
        assert_false (turn (&answer));
        assert_true (mono_ms () < until_ms);
    }
    assert_int_equal (bus_lacking (bus), 0);
}

static int raw_connection (void)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port =
                               htons ((uint16_t) atoi (strrchr (bus_endpoint (bus), ':') + 1)),
                             .sin_addr.s_addr = htonl (INADDR_LOOPBACK)};
    int file = socket (AF_INET, SOCK_STREAM, 0);
    assert_int_equal (connect (file, (struct sockaddr *) &to, sizeof to), 0);
    return file;
}

/*  It sends only its greeting, and then perhaps closes the connection. */
static bool has_ended (int file)
{
    char bytes [256];
    ssize_t got;
    while ((got = recv (file, bytes, sizeof bytes, MSG_DONTWAIT)) > 0)
        continue;
    return got == 0 || errno == ECONNRESET;
}

static size_t count_ended (const int *files, size_t count)
{
    size_t ended = 0;
    for (size_t i = 0; i < count; i++)
        ended += has_ended (files [i]);
    return ended;
}

/*  Which one depends on the descriptors that the system gives, so not always the one that has been
 *  idle for longest. */
static void one_more_connection_than_may_be_ends_an_idle_one (void **state)
{
    enum { CONNECTIONS = 20, MOST = 8 };
    char why [WHY_BYTES];
    int raw [CONNECTIONS];
    (void) state;
    bus_destroy (&bus);
    bus = bus_new (ports, PORT_BUS,
                   &(bus_settings_t){.endpoint = "tcp://127.0.0.1:0",
                                     .events = "tcp://127.0.0.1:0",
                                     .connections_max = MOST},
                   &identity, why);
    for (size_t i = 0; i < CONNECTIONS; i++) {
        call (i + 1, bus_endpoint (bus), PATIENCE_MS); /* this one is never idle */
        assert_int_equal (await_answer ().answer.status, CALL_OK);
        raw [i] = raw_connection ();
    }
    event_t answer;
    int64_t until_ms = mono_ms () + PATIENCE_MS;
    while (bus_counts (bus).closed < CONNECTIONS + 1 - MOST ||
           count_ended (raw, CONNECTIONS) < CONNECTIONS + 1 - MOST) {
        assert_false (turn (&answer));
        assert_true (mono_ms () < until_ms);
    }
    assert_int_equal (count_ended (raw, CONNECTIONS), CONNECTIONS + 1 - MOST);
    for (size_t i = 0; i < CONNECTIONS; i++)
        close (raw [i]);
    call (100, bus_endpoint (bus), PATIENCE_MS);
    assert_int_equal (await_answer ().answer.status, CALL_OK);
    assert_int_equal (bus_counts (bus).closed, CONNECTIONS + 1 - MOST);
}

static void a_connection_that_asks_nothing_for_long_is_closed (void **state)
{
    (void) state;
    event_t answer;
    int raw = raw_connection ();
    call (1, bus_endpoint (bus), PATIENCE_MS);
    await_answer ();
    int64_t until_ms = mono_ms () + PATIENCE_MS;
    for (; bus_counts (bus).connections < 2; assert_true (mono_ms () < until_ms))
        assert_false (turn (&answer));
    bus_close_idle (bus);
    assert_int_equal (bus_counts (bus).connections, 2);
    call (2, bus_endpoint (bus), PATIENCE_MS);
    await_answer ();
    bus_close_idle (bus);
    assert_int_equal (bus_counts (bus).connections, 1);
    for (; !has_ended (raw); assert_true (mono_ms () < until_ms))
        assert_false (turn (&answer));
    close (raw);
    call (3, bus_endpoint (bus), PATIENCE_MS);
    assert_int_equal (await_answer ().answer.status, CALL_OK);
    assert_int_equal (peer_sockets_open (peers), 1);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      BUS_TEST (every_call_gets_its_own_answer),
      BUS_TEST (silence_is_timed_out_once_and_late_answers_are_dropped),
      BUS_TEST (an_unreachable_address_is_timed_out),
      BUS_TEST (a_peer_that_comes_back_gets_only_what_is_still_wanted),
      BUS_TEST (an_address_not_used_for_long_is_let_go),
      BUS_TEST (an_address_costs_one_descriptor),
      BUS_TEST (more_addresses_than_descriptors_take_turns),
      BUS_TEST (a_peer_that_was_named_and_comes_back_is_heard),
      BUS_TEST (a_peer_that_does_not_read_holds_up_nobody),
      BUS_TEST (a_forgotten_call_has_no_answer),
      BUS_TEST (a_caller_made_where_another_has_just_ended_can_dial),
      BUS_TEST (what_leaves_is_counted),
      BUS_TEST (a_call_without_a_descriptor_waits_for_one),
      BUS_TEST (a_subscription_without_a_descriptor_waits_for_one),
      BUS_TEST (a_connection_that_asks_nothing_for_long_is_closed),
      BUS_TEST (one_more_connection_than_may_be_ends_an_idle_one),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
