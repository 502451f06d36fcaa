/*  test_flow_follows - one end receives a file and feeds it to another one meanwhile, under a
 *  second id and token, as a site does that is still receiving what another site wants.
 */
#include "flow_fixture.h"

#define MBPS   16 /* the file takes more than a second */
#define OWN    1  /* flow of what an end receives or has */
#define SECOND 2  /* flow that follows it */

/*  Source, relay and receiver, and what their transfers show: the second is between the last
 *  two. */
typedef struct {
    end_t source, relay, receiver;
    uint8_t *data;
} chain_of_three_t;

static const uint8_t second_id [FLOW_ID_BYTES] = {3}, second_token [FLOW_TOKEN_BYTES] = {4};

static void link_up (end_t *end, const end_t *feeder)
{
    flows_order (end->flows, &(flow_order_t){.verb = FLOW_DIAL,
                                             .flow = OWN,
                                             .link = 7,
                                             .endpoint = flows_endpoint (feeder->flows)});
    await_of (end, OWN, FLOW_LINKED);
    flows_order (end->flows, &(flow_order_t){.verb = FLOW_GO, .flow = OWN, .link = 7});
}

static void open_part (end_t *end, const char *name, bool second, uint64_t attempt)
{
    flows_order (end->flows, &(flow_order_t){.verb = FLOW_OPEN,
                                             .flow = OWN,
                                             .id = second ? second_id : id,
                                             .token = second ? second_token : token,
                                             .path = path (name),
                                             .attempt = attempt,
                                             .size = BYTES,
                                             .epoch = 6,
                                             .feeds = 1});
}

static void open_following (end_t *end, uint64_t flow, uint64_t follows)
{
    flows_order (end->flows, &(flow_order_t){.verb = FLOW_OPEN,
                                             .flow = flow,
                                             .follows = follows,
                                             .id = second_id,
                                             .token = second_token,
                                             .path = path ("relay"),
                                             .attempt = FLOW_PROVED,
                                             .size = BYTES,
                                             .feeds = 1});
}

/*  The relay has some bytes; the receiver, which is at its third attempt, is fed with them. */
static chain_of_three_t begin (void)
{
    chain_of_three_t all = {.source = end_new ("tcp://127.0.0.1:0"),
                            .relay = end_new ("tcp://127.0.0.1:0"),
                            .receiver = end_new ("tcp://127.0.0.1:0"),
                            .data = malloc (BYTES)};
    for (size_t i = 0; i < BYTES; i++)
        all.data [i] = (uint8_t) (i * 7 + i / 251);
    write_file ("source", all.data, BYTES);
    flows_order (all.source.flows, &(flow_order_t){.verb = FLOW_OPEN,
                                                   .flow = OWN,
                                                   .id = id,
                                                   .token = token,
                                                   .path = path ("source"),
                                                   .whole = true,
                                                   .attempt = FLOW_PROVED,
                                                   .size = FLOW_SIZE_UNKNOWN,
                                                   .mbps = MBPS,
                                                   .feeds = 1});
    await_of (&all.source, OWN, FLOW_OPENED);
    open_part (&all.relay, "relay", false, 0);
    link_up (&all.relay, &all.source);
    assert_in_range (await_of (&all.relay, OWN, FLOW_PROGRESS).has, 1, BYTES - 1);
    open_following (&all.relay, SECOND, OWN);
    assert_int_equal (await_of (&all.relay, SECOND, FLOW_OPENED).size, BYTES);
    open_part (&all.receiver, "receiver", true, 3);
    link_up (&all.receiver, &all.relay);
    return all;
}

static void end (chain_of_three_t *all)
{
    static const char *const names [] = {"source", "relay", "relay" FLOW_MARKS, "receiver",
                                         "receiver" FLOW_MARKS};
    end_destroy (&all->receiver);
    end_destroy (&all->relay);
    end_destroy (&all->source);
    free (all->data);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink (path (names [i]));
}

static void receiver_has_all (chain_of_three_t *all)
{
    uint8_t *got = must (malloc (BYTES));
    assert_int_equal (await_of (&all->receiver, OWN, FLOW_WHOLE).received, BYTES);
    FILE *file = must (fopen (path ("receiver"), "rb"));
    assert_int_equal (fread (got, 1, BYTES, file), BYTES);
    fclose (file);
    assert_memory_equal (got, all->data, BYTES);
    free (got);
}

static void what_is_still_received_is_fed_under_a_second_token (void **state)
{
    (void) state;
    chain_of_three_t all = begin ();
    flow_event_t early = await_of (&all.receiver, OWN, FLOW_PROGRESS);
    assert_in_range (early.has, 1, BYTES - 1); /* the relay has not all itself */
    receiver_has_all (&all);
    assert_int_equal (await_of (&all.relay, OWN, FLOW_WHOLE).received, BYTES);
    assert_int_equal (all.relay.broken, 0);
    end (&all);
}

static void it_goes_on_when_the_other_is_proved_and_closed (void **state)
{
    (void) state;
    chain_of_three_t all = begin ();
    await_of (&all.relay, OWN, FLOW_WHOLE);
    open_part (&all.relay, "relay", false, FLOW_PROVED);
    flows_order (all.relay.flows, &(flow_order_t){.verb = FLOW_CLOSE, .flow = OWN});
    receiver_has_all (&all);
    assert_int_equal (all.relay.broken, 0);
    end (&all);
}

static void it_breaks_when_the_other_is_closed_before (void **state)
{
    (void) state;
    chain_of_three_t all = begin ();
    await_of (&all.receiver, OWN, FLOW_PROGRESS);
    flows_order (all.relay.flows, &(flow_order_t){.verb = FLOW_CLOSE, .flow = OWN});
    assert_string_equal (await_of (&all.relay, SECOND, FLOW_BROKEN).why,
                         "the file that it followed was given up");
    assert_int_equal (await_of (&all.receiver, OWN, FLOW_FAILED).link, 7);
    end (&all);
}

static void it_breaks_when_there_is_none_to_follow (void **state)
{
    (void) state;
    end_t relay = end_new ("tcp://127.0.0.1:0");
    open_following (&relay, SECOND, OWN);
    await_of (&relay, SECOND, FLOW_BROKEN);
    end_destroy (&relay);
}

static int remove_folder (void **state)
{
    (void) state;
    return rmdir (folder);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (what_is_still_received_is_fed_under_a_second_token),
      cmocka_unit_test (it_goes_on_when_the_other_is_proved_and_closed),
      cmocka_unit_test (it_breaks_when_the_other_is_closed_before),
      cmocka_unit_test (it_breaks_when_there_is_none_to_follow),
    };
    return cmocka_run_group_tests (tests, make_folder, remove_folder);
}
