/*  test_bus_calls - calls over sockets: each has its own answer, in time or not at all, also where
 *  descriptors are few.
 */
#include "bus_fixture.h"

#include <arpa/inet.h>
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
    snprintf (other_name, sizeof other_name, "tcp://localhost:%s",
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

static void one_more_connection_than_may_be_ends_the_longest_idle_one (void **state)
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
           !has_ended (raw [CONNECTIONS - MOST])) {
        assert_false (turn (&answer));
        assert_true (mono_ms () < until_ms);
    }
    for (size_t i = 0; i < CONNECTIONS; i++) {
        assert_int_equal (has_ended (raw [i]), i <= CONNECTIONS - MOST);
        close (raw [i]);
    }
    call (100, bus_endpoint (bus), PATIENCE_MS);
    assert_int_equal (await_answer ().answer.status, CALL_OK);
    assert_int_equal (bus_counts (bus).closed, CONNECTIONS + 1 - MOST);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      BUS_TEST (every_call_gets_its_own_answer),
      BUS_TEST (silence_is_timed_out_once_and_late_answers_are_dropped),
      BUS_TEST (an_unreachable_address_is_timed_out),
      BUS_TEST (a_peer_that_comes_back_gets_only_what_is_still_wanted),
      BUS_TEST (an_address_not_used_for_long_is_let_go),
      BUS_TEST (a_forgotten_call_has_no_answer),
      BUS_TEST (a_caller_made_where_another_has_just_ended_can_dial),
      BUS_TEST (what_leaves_is_counted),
      BUS_TEST (a_call_without_a_descriptor_waits_for_one),
      BUS_TEST (a_subscription_without_a_descriptor_waits_for_one),
      BUS_TEST (one_more_connection_than_may_be_ends_the_longest_idle_one),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
