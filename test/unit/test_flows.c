/*  test_flows - the thread that moves bulk bytes, on loopback: without the token a receiver gets
 *  nothing, the bytes that come are those that were sent, and bytes that it had are not sent again.
 */
#include "flow_fixture.h"
#include "flow_marks.h"

#include <fcntl.h>
#include <sys/stat.h>

#define MEBIBYTE (1024 * 1024)

static flow_event_t await (end_t *end, flow_news_t news)
{
    return await_of (end, ANY_FLOW, news);
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
                                             .marks = path ("source.marks"),
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

static void no_part (void)
{
    unlink (path ("source.marks"));
    unlink (path ("part"));
    unlink (path ("part" FLOW_MARKS));
}

static void refused (const uint8_t *shown, uint64_t epoch, uint64_t size, const char *word)
{
    end_t feeder = end_new ("tcp://127.0.0.1:0"), receiver = end_new (NULL);
    uint8_t *data = some_bytes ();
    write_file ("source", data, BYTES);
    no_part ();
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

/*  A part with more than a MiB, as a receiver that has ended left it. */
static void part_left (const end_t *feeder)
{
    end_t receiver = end_new (NULL);
    no_part ();
    open_part (&receiver, token, 6, BYTES);
    dial (&receiver, feeder);
    await (&receiver, FLOW_LINKED);
    flows_order (receiver.flows, &(flow_order_t){.verb = FLOW_GO, .flow = 1, .link = 7});
    while (await (&receiver, FLOW_PROGRESS).has <= MEBIBYTE)
        continue;
    end_destroy (&receiver);
}

static uint64_t part_bytes (void)
{
    struct stat found;
    assert_int_equal (stat (path ("part"), &found), 0);
    return (uint64_t) found.st_size;
}

/*  It has the first bytes from before, gets so many more, and has the right file then. */
static void receive_rest (const end_t *feeder, const uint8_t *data, uint64_t before, uint64_t more)
{
    end_t receiver = end_new (NULL);
    uint8_t *got = must (malloc (BYTES));
    assert_int_equal (open_part (&receiver, token, 6, BYTES).has, before);
    dial (&receiver, feeder);
    assert_int_equal (await (&receiver, FLOW_LINKED).peer_has, BYTES);
    flows_order (receiver.flows, &(flow_order_t){.verb = FLOW_GO, .flow = 1, .link = 7});
    flow_event_t whole = await (&receiver, FLOW_WHOLE);
    assert_int_equal (whole.received, more);
    FILE *file = must (fopen (path ("part"), "rb"));
    assert_int_equal (fread (got, 1, BYTES, file), BYTES);
    fclose (file);
    assert_memory_equal (got, data, BYTES);
    end_destroy (&receiver);
    free (got);
}

/*  Another process may have put the file there. */
static void a_part_that_leads_elsewhere_is_not_written (void **state)
{
    (void) state;
    static const uint8_t there [] = "there";
    for (int anew = 0; anew < 2; anew++) {
        end_t receiver = end_new (NULL);
        struct stat found;
        no_part ();
        unlink (path ("elsewhere"));
        write_file ("elsewhere", there, sizeof there);
        assert_int_equal (symlink (path ("elsewhere"), path ("part")), 0);
        flows_order (receiver.flows, &(flow_order_t){.verb = FLOW_OPEN,
                                                     .flow = 1,
                                                     .id = id,
                                                     .token = token,
                                                     .path = path ("part"),
                                                     .size = BYTES,
                                                     .anew = anew,
                                                     .epoch = 5,
                                                     .feeds = 1});
        await (&receiver, anew ? FLOW_OPENED : FLOW_BROKEN);
        assert_int_equal (stat (path ("elsewhere"), &found), 0);
        assert_int_equal (found.st_size, sizeof there);
        assert_int_equal (lstat (path ("part"), &found), 0);
        assert_int_equal (S_ISREG (found.st_mode), anew);
        end_destroy (&receiver);
    }
    no_part ();
    unlink (path ("elsewhere"));
}

static void what_comes_is_what_was_sent (void **state)
{
    (void) state;
    end_t feeder = end_new ("tcp://127.0.0.1:0");
    uint8_t *data = some_bytes ();
    write_file ("source", data, BYTES);
    feed (&feeder);
    no_part ();
    receive_rest (&feeder, data, 0, BYTES);
    end_destroy (&feeder);
    free (data);
}

static void what_was_there_before_does_not_come_again (void **state)
{
    (void) state;
    end_t feeder = end_new ("tcp://127.0.0.1:0");
    uint8_t *data = some_bytes ();
    write_file ("source", data, BYTES);
    feed_at (&feeder, 16);
    part_left (&feeder);
    uint64_t before = part_bytes () / MEBIBYTE * MEBIBYTE;
    assert_in_range (before, MEBIBYTE, BYTES);
    receive_rest (&feeder, data, before, BYTES - before);
    end_destroy (&feeder);
    free (data);
}

static void spoil (const char *name, long at)
{
    FILE *file = must (fopen (path (name), "r+b"));
    assert_int_equal (fseek (file, at, SEEK_SET), 0);
    int was = fgetc (file);
    assert_int_equal (fseek (file, at, SEEK_SET), 0);
    fputc (was ^ 1, file);
    fclose (file);
}

static void what_was_there_before_and_is_wrong_comes_again (void **state)
{
    (void) state;
    end_t feeder = end_new ("tcp://127.0.0.1:0");
    uint8_t *data = some_bytes ();
    write_file ("source", data, BYTES);
    feed_at (&feeder, 16);
    part_left (&feeder);
    spoil ("part", 0);
    receive_rest (&feeder, data, 0, BYTES);
    spoil ("part", MEBIBYTE + 5);                     /* now it has all */
    receive_rest (&feeder, data, MEBIBYTE, MEBIBYTE); /* one chunk of four */
    spoil ("part" FLOW_MARKS, 3 * 48);                /* the head and two rows before it */
    receive_rest (&feeder, data, 2 * MEBIBYTE, BYTES - 2 * MEBIBYTE);
    end_destroy (&feeder);
    free (data);
}

/*  --- wrong bytes --- */

/*  A source whose marks are those of the bytes; digest is theirs. */
static void source_marked (const uint8_t *data, uint8_t digest [FLOW_DIGEST_BYTES])
{
    end_t feeder = end_new ("tcp://127.0.0.1:0"), receiver = end_new (NULL);
    write_file ("source", data, BYTES);
    no_part ();
    feed (&feeder);
    open_part (&receiver, token, 6, BYTES);
    dial (&receiver, &feeder);
    await (&receiver, FLOW_LINKED);
    flows_order (receiver.flows, &(flow_order_t){.verb = FLOW_GO, .flow = 1, .link = 7});
    memcpy (digest, await (&receiver, FLOW_WHOLE).digest, FLOW_DIGEST_BYTES);
    end_destroy (&receiver);
    end_destroy (&feeder);
    assert_int_equal (rename (path ("part" FLOW_MARKS), path ("source.marks")), 0);
    unlink (path ("part"));
}

static void open_expecting (end_t *end, const uint8_t digest [FLOW_DIGEST_BYTES])
{
    flows_order (end->flows, &(flow_order_t){.verb = FLOW_OPEN,
                                             .flow = 1,
                                             .id = id,
                                             .token = token,
                                             .path = path ("part"),
                                             .size = BYTES,
                                             .digest = digest,
                                             .epoch = 6,
                                             .feeds = 1});
    await (end, FLOW_OPENED);
}

static void go (end_t *end, const end_t *feeder, uint64_t link)
{
    dial_link (end, feeder, link);
    await (end, FLOW_LINKED);
    flows_order (end->flows, &(flow_order_t){.verb = FLOW_GO, .flow = 1, .link = link});
}

static void part_is (const uint8_t *data)
{
    uint8_t *got = must (malloc (BYTES));
    FILE *file = must (fopen (path ("part"), "rb"));
    assert_int_equal (fread (got, 1, BYTES, file), BYTES);
    fclose (file);
    assert_memory_equal (got, data, BYTES);
    free (got);
}

/*  The source has one wrong byte. The right bytes that came from it stay, and the rest comes from
 *  another feeder. */
static void found_in_its_chunk (long at, uint64_t stays)
{
    end_t bad = end_new ("tcp://127.0.0.1:0"), good = end_new ("tcp://127.0.0.1:0");
    end_t receiver = end_new (NULL);
    uint8_t *data = some_bytes (), digest [FLOW_DIGEST_BYTES];
    source_marked (data, digest);
    spoil ("source", at);
    feed (&bad);
    open_expecting (&receiver, digest);
    go (&receiver, &bad, 7);
    flow_event_t failed = await (&receiver, FLOW_FAILED);
    assert_int_equal (failed.link, 7);
    assert_true (failed.wrong);
    assert_int_equal (failed.has, stays);
    assert_int_equal (part_bytes (), stays);
    spoil ("source", at); /* it is right again */
    feed (&good);
    go (&receiver, &good, 8);
    flow_event_t whole = await (&receiver, FLOW_WHOLE);
    assert_memory_equal (whole.digest, digest, FLOW_DIGEST_BYTES);
    assert_in_range (whole.received, BYTES, BYTES + 2 * MEBIBYTE);
    part_is (data);
    end_destroy (&receiver);
    end_destroy (&good);
    end_destroy (&bad);
    free (data);
}

static void a_wrong_byte_is_found_at_the_end_of_its_chunk (void **state)
{
    (void) state;
    found_in_its_chunk (5, 0);
    found_in_its_chunk (2 * MEBIBYTE + 5, UINT64_C (2) * MEBIBYTE);
}

static void a_wrong_byte_of_the_last_chunk_is_found_by_the_digest_of_all (void **state)
{
    (void) state;
    found_in_its_chunk (BYTES - 1, UINT64_C (3) * MEBIBYTE);
}

/*  The receiver has wrong bytes from before, and their marks: a feeder with the right bytes can't
 *  continue them. */
static void what_is_here_and_is_not_what_the_feeder_has_comes_again (void **state)
{
    (void) state;
    end_t bad = end_new ("tcp://127.0.0.1:0"), good = end_new ("tcp://127.0.0.1:0");
    uint8_t *data = some_bytes (), digest [FLOW_DIGEST_BYTES];
    source_marked (data, digest);
    rename (path ("source.marks"), path ("kept"));
    spoil ("source", 5);
    feed_at (&bad, 16);
    part_left (&bad);
    end_destroy (&bad);
    rename (path ("kept"), path ("source.marks"));
    spoil ("source", 5);
    feed (&good);
    end_t receiver = end_new (NULL);
    open_expecting (&receiver, digest);
    go (&receiver, &good, 7);
    flow_event_t failed = await (&receiver, FLOW_FAILED);
    assert_false (failed.wrong);
    assert_int_equal (failed.has, 0);
    go (&receiver, &good, 8);
    assert_memory_equal (await (&receiver, FLOW_WHOLE).digest, digest, FLOW_DIGEST_BYTES);
    part_is (data);
    end_destroy (&receiver);
    end_destroy (&good);
    free (data);
}

/*  The node in the middle has fed a part of a chunk before it finds that the chunk is wrong. The
 *  node behind it goes on all the same, and reports no feeder as wrong. */
static void who_is_behind_finds_the_wrong_bytes_too (void **state)
{
    (void) state;
    end_t bad = end_new ("tcp://127.0.0.1:0"), good = end_new ("tcp://127.0.0.1:0");
    end_t middle = end_new ("tcp://127.0.0.1:0"), last = end_new (NULL);
    uint8_t *data = some_bytes (), digest [FLOW_DIGEST_BYTES];
    source_marked (data, digest);
    spoil ("source", MEBIBYTE + 5);
    feed_at (&bad, 64);
    flow_order_t order = {.verb = FLOW_OPEN,
                          .flow = 1,
                          .id = id,
                          .token = token,
                          .path = path ("middle"),
                          .size = BYTES,
                          .digest = digest,
                          .epoch = 6,
                          .feeds = 1};
    flows_order (middle.flows, &order);
    await (&middle, FLOW_OPENED);
    open_expecting (&last, digest);
    go (&last, &middle, 7);
    go (&middle, &bad, 7);
    assert_true (await (&middle, FLOW_FAILED).wrong);
    spoil ("source", MEBIBYTE + 5);
    feed (&good);
    go (&middle, &good, 8);
    uint64_t link = 7;
    event_t event;
    flow_event_t end = {0};
    for (int64_t until_ms = mono_ms () + WAIT_MS;
         end.news != FLOW_WHOLE && mono_ms () < until_ms;) {
        while (end.news != FLOW_WHOLE && flows_receive (last.flows, &event)) {
            end = event.flow;
            if (end.news == FLOW_FAILED) { /* what it has of that chunk came by two links */
                assert_false (end.wrong);
                go (&last, &middle, ++link);
            }
        }
        poll_set_wait (last.ports, 100);
    }
    assert_int_equal (end.news, FLOW_WHOLE);
    part_is (data);
    end_destroy (&last);
    end_destroy (&middle);
    end_destroy (&good);
    end_destroy (&bad);
    unlink (path ("middle"));
    unlink (path ("middle" FLOW_MARKS));
    free (data);
}

/*  The donor has wrong bytes in some chunks: these are received, and no others. */
static void mended_from_a_donor (const long *bad, size_t count, uint64_t received)
{
    end_t feeder = end_new ("tcp://127.0.0.1:0"), receiver = end_new (NULL);
    uint8_t *data = some_bytes (), digest [FLOW_DIGEST_BYTES];
    source_marked (data, digest);
    write_file ("donor", data, BYTES);
    rename (path ("source.marks"), path ("donor.marks"));
    for (size_t i = 0; i < count; i++)
        spoil ("donor", bad [i]);
    feed (&feeder);
    flows_order (receiver.flows, &(flow_order_t){.verb = FLOW_OPEN,
                                                 .flow = 1,
                                                 .id = id,
                                                 .token = token,
                                                 .path = path ("part"),
                                                 .donor = path ("donor"),
                                                 .marks = path ("donor.marks"),
                                                 .size = BYTES,
                                                 .digest = digest,
                                                 .epoch = 6,
                                                 .feeds = 1});
    flow_event_t news = await (&receiver, FLOW_OPENED);
    if (count > 0) {
        assert_int_equal (news.has, bad [0] / MEBIBYTE * MEBIBYTE);
        go (&receiver, &feeder, 7);
    }
    news = await (&receiver, FLOW_WHOLE);
    assert_memory_equal (news.digest, digest, FLOW_DIGEST_BYTES);
    assert_int_equal (news.received, received);
    part_is (data);
    no_part ();
    unlink (path ("donor"));
    unlink (path ("donor.marks"));
    end_destroy (&receiver);
    end_destroy (&feeder);
    free (data);
}

static void only_what_is_bad_of_a_donor_is_received (void **state)
{
    (void) state;
    mended_from_a_donor (NULL, 0, 0);
    mended_from_a_donor ((long []){5}, 1, MEBIBYTE);
    mended_from_a_donor ((long []){MEBIBYTE, 2 * MEBIBYTE}, 2, UINT64_C (2) * MEBIBYTE);
    mended_from_a_donor ((long []){9, BYTES - 1}, 2, MEBIBYTE + 17);
}

static void a_digest_is_the_sha_256_of_all_bytes_those_from_before_too (void **state)
{
    (void) state;
    /*  Of "abc", as FIPS 180-2 prints it. */
    static const uint8_t of_abc [FLOW_DIGEST_BYTES] = {
      0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40,
      0xde, 0x5d, 0xae, 0x22, 0x23, 0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17,
      0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad};
    end_t receiver = end_new (NULL);
    write_file ("part", (const uint8_t *) "abc", 3);
    flow_mark_t mark = {.check = 0};
    memcpy (mark.mark, of_abc, sizeof of_abc);
    int marks = open (path ("part" FLOW_MARKS), O_RDWR | O_CREAT | O_TRUNC, 0640);
    assert_true (flow_marks_begin (marks) && flow_marks_put (marks, 3, &mark));
    close (marks);
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
    no_part ();
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

/*  Both feed slowly, so that the first is still feeding when the second begins. */
static void who_is_fed_by_another_takes_nothing_from_the_first_any_more (void **state)
{
    (void) state;
    end_t first = end_new ("tcp://127.0.0.1:0"), second = end_new ("tcp://127.0.0.1:0");
    end_t receiver = end_new (NULL);
    uint8_t *data = some_bytes (), *got = must (malloc (BYTES));
    write_file ("source", data, BYTES);
    no_part ();
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

/*  The middle one has the whole file and ends while it feeds the last one, slowly. */
static void who_is_fed_from_a_whole_file_gets_the_rest_from_one_that_ends (void **state)
{
    (void) state;
    end_t first = end_new ("tcp://127.0.0.1:0"), middle = end_new ("tcp://127.0.0.1:0");
    end_t last = end_new (NULL);
    uint8_t *data = some_bytes ();
    write_file ("source", data, BYTES);
    no_part ();
    feed (&first);
    flow_order_t part = {.verb = FLOW_OPEN,
                         .flow = 1,
                         .id = id,
                         .token = token,
                         .path = path ("part"),
                         .size = BYTES,
                         .epoch = 6,
                         .mbps = 24,
                         .feeds = 1};
    flows_order (middle.flows, &part);
    await (&middle, FLOW_OPENED);
    go (&middle, &first, 7);
    await (&middle, FLOW_WHOLE);
    part.path = path ("rest");
    flows_order (last.flows, &part);
    await (&last, FLOW_OPENED);
    go (&last, &middle, 8);
    assert_in_range (await (&last, FLOW_PROGRESS).has, 1, BYTES - 1);
    end_destroy (&middle);
    assert_int_equal (await (&last, FLOW_WHOLE).received, BYTES);
    end_destroy (&last);
    end_destroy (&first);
    unlink (path ("rest"));
    unlink (path ("rest.marks"));
    free (data);
}

static int remove_folder (void **state)
{
    (void) state;
    unlink (path ("source"));
    no_part ();
    return rmdir (folder);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (who_has_not_the_token_gets_nothing),
      cmocka_unit_test (who_follows_an_older_plan_is_sent_away),
      cmocka_unit_test (who_awaits_another_size_is_not_fed),
      cmocka_unit_test (a_part_that_leads_elsewhere_is_not_written),
      cmocka_unit_test (what_comes_is_what_was_sent),
      cmocka_unit_test (what_was_there_before_does_not_come_again),
      cmocka_unit_test (what_was_there_before_and_is_wrong_comes_again),
      cmocka_unit_test (a_wrong_byte_is_found_at_the_end_of_its_chunk),
      cmocka_unit_test (a_wrong_byte_of_the_last_chunk_is_found_by_the_digest_of_all),
      cmocka_unit_test (what_is_here_and_is_not_what_the_feeder_has_comes_again),
      cmocka_unit_test (who_is_behind_finds_the_wrong_bytes_too),
      cmocka_unit_test (only_what_is_bad_of_a_donor_is_received),
      cmocka_unit_test (a_digest_is_the_sha_256_of_all_bytes_those_from_before_too),
      cmocka_unit_test (a_feeder_that_ends_is_told_as_failed),
      cmocka_unit_test (who_is_fed_by_another_takes_nothing_from_the_first_any_more),
      cmocka_unit_test (who_is_fed_from_a_whole_file_gets_the_rest_from_one_that_ends),
    };
    return cmocka_run_group_tests (tests, make_folder, remove_folder);
}
