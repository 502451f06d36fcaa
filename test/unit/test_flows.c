/*  test_flows - the thread that moves bulk bytes, on loopback: who has not the token gets nothing,
 *  what comes is what was sent, and what was there before does not come again.
 */
#include "flows.h"
#include "must.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define BYTES   (3 * 1024 * 1024 + 17)
#define WAIT_MS 20000 /* for news that must come */

typedef struct {
    ports_t *ports;
    flows_t *flows;
} end_t;

static char folder [64];
static uint8_t id [FLOW_ID_BYTES] = {1}, token [FLOW_TOKEN_BYTES] = {2};

static end_t end_new (const char *listen)
{
    char why [FLOWS_WHY_BYTES];
    end_t end = {.ports = ports_new ()};
    end.flows = flows_new (end.ports, listen, NULL, why);
    if (!end.flows)
        fail_msg ("%s", why);
    return end;
}

static void end_destroy (end_t *end)
{
    flows_destroy (&end->flows);
    ports_destroy (&end->ports);
}

static int64_t mono_ms (void)
{
    struct timespec now;
    clock_gettime (CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/*  The next news of this kind; others are passed over. */
static flow_event_t await (end_t *end, flow_news_t news)
{
    event_t event;
    for (int64_t until_ms = mono_ms () + WAIT_MS; mono_ms () < until_ms;) {
        while (flows_receive (end->flows, &event))
            if (event.flow.news == news)
                return event.flow;
        ports_wait (end->ports, 100);
    }
    fail_msg ("no news %d came", (int) news);
    return (flow_event_t){0};
}

static const char *path (const char *name)
{
    static char paths [4][128];
    static int turn;
    char *to = paths [turn++ % 4];
    snprintf (to, sizeof paths [0], "%s/%s", folder, name);
    return to;
}

static void write_file (const char *name, const uint8_t *data, size_t size)
{
    FILE *file = must (fopen (path (name), "wb"));
    assert_int_equal (fwrite (data, 1, size, file), size);
    fclose (file);
}

static uint8_t *some_bytes (void)
{
    uint8_t *data = must (malloc (BYTES));
    uint32_t word = 12345;
    for (size_t i = 0; i < BYTES; i++) {
        word = word * 1664525 + 1013904223;
        data [i] = (uint8_t) (word >> 24);
    }
    return data;
}

static void feed_at (end_t *end, uint32_t mbps)
{
    flows_order (end->flows, &(flow_order_t){.verb = FLOW_OPEN,
                                             .flow = 1,
                                             .id = id,
                                             .token = token,
                                             .path = path ("source"),
                                             .whole = true,
                                             .attempt = FLOW_PROVED,
                                             .size = FLOW_SIZE_UNKNOWN,
                                             .epoch = 5,
                                             .mbps = mbps,
                                             .feeds = 1});
    assert_int_equal (await (end, FLOW_OPENED).size, BYTES);
}

static void feed (end_t *end)
{
    feed_at (end, 0);
}

static flow_event_t open_part (end_t *end, const uint8_t *shown, uint64_t epoch, uint64_t size)
{
    flows_order (end->flows, &(flow_order_t){.verb = FLOW_OPEN,
                                             .flow = 1,
                                             .id = id,
                                             .token = shown,
                                             .path = path ("part"),
                                             .size = size,
                                             .epoch = epoch,
                                             .feeds = 1});
    return await (end, FLOW_OPENED);
}

static void dial_link (end_t *end, const end_t *feeder, uint64_t link)
{
    flows_order (end->flows, &(flow_order_t){.verb = FLOW_DIAL,
                                             .flow = 1,
                                             .link = link,
                                             .endpoint = flows_endpoint (feeder->flows)});
}

static void dial (end_t *end, const end_t *feeder)
{
    dial_link (end, feeder, 7);
}

static void refused (const uint8_t *shown, uint64_t epoch, uint64_t size, const char *word)
{
    end_t feeder = end_new ("tcp://127.0.0.1:0"), receiver = end_new (NULL);
    uint8_t *data = some_bytes ();
    write_file ("source", data, BYTES);
    unlink (path ("part"));
    feed (&feeder);
    open_part (&receiver, shown, epoch, size);
    dial (&receiver, &feeder);
    flow_event_t news = await (&receiver, FLOW_FAILED);
    assert_int_equal (news.link, 7);
    assert_true (news.refused);
    assert_non_null (strstr (news.why, word));
    assert_int_equal (news.has, 0);
    end_destroy (&receiver);
    end_destroy (&feeder);
    free (data);
}

static void who_has_not_the_token_gets_nothing (void **state)
{
    (void) state;
    uint8_t other [FLOW_TOKEN_BYTES] = {2, 1};
    refused (other, 5, BYTES, "not with this token");
}

static void who_follows_an_older_plan_is_sent_away (void **state)
{
    (void) state;
    refused (token, 4, BYTES, "later plan");
}

static void who_awaits_another_size_is_not_fed (void **state)
{
    (void) state;
    refused (token, 5, BYTES - 1, "another size");
}

/*  From before there are so many bytes. */
static void receive_all (size_t before)
{
    end_t feeder = end_new ("tcp://127.0.0.1:0"), receiver = end_new (NULL);
    uint8_t *data = some_bytes (), *got = must (malloc (BYTES));
    write_file ("source", data, BYTES);
    write_file ("part", data, before);
    feed (&feeder);
    assert_int_equal (open_part (&receiver, token, 6, BYTES).has, before);
    dial (&receiver, &feeder);
    assert_int_equal (await (&receiver, FLOW_LINKED).peer_has, BYTES);
    flows_order (receiver.flows, &(flow_order_t){.verb = FLOW_GO, .flow = 1, .link = 7});
    flow_event_t whole = await (&receiver, FLOW_WHOLE);
    assert_int_equal (whole.received, BYTES - before);
    FILE *file = must (fopen (path ("part"), "rb"));
    assert_int_equal (fread (got, 1, BYTES, file), BYTES);
    fclose (file);
    assert_memory_equal (got, data, BYTES);
    end_destroy (&receiver);
    end_destroy (&feeder);
    free (data);
    free (got);
}

static void what_comes_is_what_was_sent (void **state)
{
    (void) state;
    receive_all (0);
}

static void what_was_there_before_does_not_come_again (void **state)
{
    (void) state;
    receive_all (BYTES / 2);
}

static void a_digest_is_the_sha_256_of_all_bytes_those_from_before_too (void **state)
{
    (void) state;
    /*  Of "abc", as FIPS 180-2 prints it. */
    static const uint8_t of_abc [4] = {0xba, 0x78, 0x16, 0xbf};
    end_t receiver = end_new (NULL);
    write_file ("part", (const uint8_t *) "abc", 3);
    flows_order (receiver.flows, &(flow_order_t){.verb = FLOW_OPEN,
                                                 .flow = 1,
                                                 .id = id,
                                                 .token = token,
                                                 .path = path ("part"),
                                                 .size = 3,
                                                 .feeds = 1});
    assert_memory_equal (await (&receiver, FLOW_WHOLE).digest, of_abc, sizeof of_abc);
    end_destroy (&receiver);
}

static void a_feeder_that_ends_is_told_as_failed (void **state)
{
    (void) state;
    end_t feeder = end_new ("tcp://127.0.0.1:0"), receiver = end_new (NULL);
    uint8_t *data = some_bytes ();
    write_file ("source", data, BYTES);
    unlink (path ("part"));
    feed (&feeder);
    open_part (&receiver, token, 6, BYTES);
    dial (&receiver, &feeder);
    await (&receiver, FLOW_LINKED);
    end_destroy (&feeder);
    flow_event_t news = await (&receiver, FLOW_FAILED);
    assert_int_equal (news.link, 7);
    assert_false (news.refused);
    end_destroy (&receiver);
    free (data);
}

/*  Both feed slowly, so that the first still does when the second begins. */
static void who_is_fed_by_another_takes_nothing_from_the_first_any_more (void **state)
{
    (void) state;
    end_t first = end_new ("tcp://127.0.0.1:0"), second = end_new ("tcp://127.0.0.1:0");
    end_t receiver = end_new (NULL);
    uint8_t *data = some_bytes (), *got = must (malloc (BYTES));
    write_file ("source", data, BYTES);
    unlink (path ("part"));
    feed_at (&first, 16);
    feed_at (&second, 16);
    open_part (&receiver, token, 6, BYTES);
    dial_link (&receiver, &first, 7);
    await (&receiver, FLOW_LINKED);
    dial_link (&receiver, &second, 8);
    await (&receiver, FLOW_LINKED);
    flows_order (receiver.flows, &(flow_order_t){.verb = FLOW_GO, .flow = 1, .link = 7});
    flow_event_t begun = await (&receiver, FLOW_PROGRESS);
    assert_in_range (begun.has, 1, BYTES - 1);
    flows_order (receiver.flows, &(flow_order_t){.verb = FLOW_GO, .flow = 1, .link = 8});
    assert_int_equal (await (&receiver, FLOW_WHOLE).received, BYTES);
    FILE *file = must (fopen (path ("part"), "rb"));
    assert_int_equal (fread (got, 1, BYTES, file), BYTES);
    fclose (file);
    assert_memory_equal (got, data, BYTES);
    end_destroy (&receiver);
    end_destroy (&second);
    end_destroy (&first);
    free (data);
    free (got);
}

static int make_folder (void **state)
{
    (void) state;
    snprintf (folder, sizeof folder, "/tmp/test_flows.XXXXXX");
    return mkdtemp (folder) ? 0 : -1;
}

static int remove_folder (void **state)
{
    (void) state;
    unlink (path ("source"));
    unlink (path ("part"));
    return rmdir (folder);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (who_has_not_the_token_gets_nothing),
      cmocka_unit_test (who_follows_an_older_plan_is_sent_away),
      cmocka_unit_test (who_awaits_another_size_is_not_fed),
      cmocka_unit_test (what_comes_is_what_was_sent),
      cmocka_unit_test (what_was_there_before_does_not_come_again),
      cmocka_unit_test (a_digest_is_the_sha_256_of_all_bytes_those_from_before_too),
      cmocka_unit_test (a_feeder_that_ends_is_told_as_failed),
      cmocka_unit_test (who_is_fed_by_another_takes_nothing_from_the_first_any_more),
    };
    return cmocka_run_group_tests (tests, make_folder, remove_folder);
}
