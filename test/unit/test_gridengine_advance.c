/*  test_gridengine_advance - what keeps the hosts of a reservation from its commit until its queue
 *  opens.
 */
#include "gridengine_fixture.h"

/*  Of this name, from so many seconds on, for an hour. */
static const char *names (const char *name, int64_t after_s, const char **nodes, size_t count)
{
    static char why [WHY_BYTES];
    back_end_order_t order = order_of (nodes, count);
    order.reservation = name;
    order.from_ms = model.now_ms + after_s * 1000 + 250;
    order.until_ms = order.from_ms + 3600000;
    *why = '\0';
    *model.said = '\0';
    return gridengine.keep (&setup, BACK_END_NAME, &order, why) ? "" : why;
}

static size_t kept (void)
{
    size_t count = 0;
    for (size_t i = 0; i < MOST; i++)
        count += model.ours_kept [i].id > 0;
    return count;
}

static void a_named_one_is_kept_until_its_own_queue_opens (void **unused)
{
    (void) unused;
    char why [WHY_BYTES];
    batch_picture_t picture = {0};
    name_list_auto_t listed = {0};
    world_begin ();
    assert_string_equal (names (OURS, 3600, both, 2), "");
    assert_non_null (strstr (model.said, "qrsub -N " OURS " -a 197001010116.40 -e 197001010216.41 "
                                         "-u alice -q batch@g1,batch@g2 -pe make 4\n"));
    assert_null (model.ours);
    assert_int_equal (model.listed.count, 0);
    assert_string_equal (names (OURS, 3600, both, 2), ""); /* once more, after a crash */
    assert_null (strstr (model.said, "qrsub"));
    assert_true (gridengine.look (&setup, &picture, why));
    assert_int_equal (picture.bookings_count, 0);
    codec_clear (&batch_picture_codec, &picture);
    assert_true (gridengine.list (&setup, &listed, why));
    assert_int_equal (listed.count, 1);
    assert_string_equal (listed.words [0], OURS);

    assert_string_equal (keep (BACK_END_OPEN, both, 2), "");
    const char *closed = strstr (model.said, "qmod -d"), *gone = strstr (model.said, "qrdel " OURS);
    const char *open = strstr (model.said, "qmod -e");
    assert_true (closed && gone && open && closed < gone && gone < open);
    assert_int_equal (kept (), 0);
    assert_string_equal (keep (BACK_END_WATCH, both, 2), "");
    assert_null (strstr (model.said, "qrdel"));
    world_close ();
}

static void one_that_was_never_opened_goes_at_its_end (void **unused)
{
    (void) unused;
    world_begin ();
    assert_string_equal (names (OURS, 3600, both, 2), "");
    assert_string_equal (names (SECOND, 7201, both, 2), "");
    assert_int_equal (kept (), 2);
    assert_string_equal (closes (), "");
    assert_int_equal (kept (), 1);
    assert_true (advances_delete (SECOND));
    world_close ();
}

static void one_that_moves_is_made_beside_the_old_or_in_its_place (void **unused)
{
    (void) unused;
    world_begin ();
    assert_string_equal (names (OURS, 3600, both, 1), "");
    assert_string_equal (names (OURS, 3600, &both [1], 1), "");
    const char *made = strstr (model.said, "qrsub"), *gone = strstr (model.said, "qrdel 1\n");
    assert_true (made && gone && made < gone);
    assert_int_equal (kept (), 1);
    assert_string_equal (names (OURS, 1800, both, 2), "");
    made = strstr (model.said, "qrsub");
    gone = strstr (model.said, "qrdel 2\n");
    assert_true (made && gone && made < gone);
    assert_non_null (strstr (gone, "qrsub"));
    assert_int_equal (kept (), 1);
    world_close ();
}

/*  What was opened, and waits again since it was put off, gives the other queues back. */
static void one_that_is_put_off_gives_its_hosts_back (void **unused)
{
    (void) unused;
    world_open ();
    assert_string_equal (names (OURS, 3600, both, 2), "");
    assert_int_equal (kept (), 1);
    assert_true (state_is ("batch@g1", ""));
    assert_true (state_is (OURS "@g1", "d"));
    world_close ();
}

static void what_is_in_its_way_is_told (void **unused)
{
    (void) unused;
    world_begin ();
    model.jobs [0] = (model_job_t){"7", "r", "batch@g1", "batch", 5000};
    assert_string_equal (names (OURS, 3600, both, 2),
                         "Grid Engine's job 7 of bob is in its way until 1970-01-01T01:40:00Z");
    model.jobs [0].limit_s = 3590; /* its duration_offset reaches into it */
    assert_non_null (strstr (names (OURS, 3600, both, 2), "until 1970-01-01T01:16:30Z"));
    model.jobs [0].limit_s = 0;
    assert_string_equal (names (OURS, 3600, both, 2),
                         "Grid Engine's job 7 of bob is in its way until it is ended");
    model.jobs [0].limit_s = 3000;
    assert_string_equal (names (OURS, 3600, both, 2),
                         "Grid Engine gives no advance reservation of 4 slots by its parallel "
                         "environment make: it does not exist");
    model.jobs [0] = (model_job_t){.id = ""};
    assert_string_equal (names (SECOND, 1800, &both [1], 1), "");
    assert_string_equal (names (OURS, 3600, both, 2),
                         "Grid Engine's advance reservation 1 of root is in its way until "
                         "1970-01-01T01:46:41Z");
    world_close ();
}

static void what_is_no_longer_so_is_found_by_one_question (void **unused)
{
    (void) unused;
    char why [WHY_BYTES], *differ = NULL;
    world_begin ();
    assert_string_equal (names (OURS, 3600, both, 1), "");
    assert_string_equal (names (SECOND, 3600, &both [1], 1), "");
    back_end_order_t orders [] = {order_of (both, 1), order_of (&both [1], 1)};
    for (size_t i = 0; i < 2; i++) {
        orders [i].reservation = i == 0 ? OURS : SECOND;
        orders [i].from_ms = model.now_ms + 3600250;
        orders [i].until_ms = orders [i].from_ms + 3600000;
    }
    *model.said = '\0';
    assert_true (gridengine.compare (&setup, orders, 2, &differ, why));
    assert_null (differ);
    assert_string_equal (model.said, "qrstat -u * -xml\nqrstat -ar 2,1 -xml\n");
    assert_true (advances_delete (OURS));
    orders [1].until_ms += 1000;
    assert_true (gridengine.compare (&setup, orders, 2, &differ, why));
    assert_string_equal (differ,
                         ID " Grid Engine's advance reservation " OURS " is gone, or another\n"
                            "0123456789ab-1-2 Grid Engine's advance reservation " SECOND
                            " is gone, or another\n");
    free (differ);
    world_close ();
}

static void without_an_environment_over_hosts_what_there_is_stays (void **unused)
{
    (void) unused;
    world_begin ();
    assert_string_equal (names (OURS, 3600, both, 2), "");
    model.environments = "smp";
    assert_string_equal (names (OURS, 1800, both, 2),
                         "Grid Engine's queue batch has no parallel environment with "
                         "allocation_rule $round_robin or $fill_up, which an advance "
                         "reservation of hosts needs: name one in its pe_list (qconf -mq)");
    assert_int_equal (kept (), 1);
    world_close ();
}

static void named_as_long_before_as_the_longest_job_of_its_queue (void **unused)
{
    (void) unused;
    char why [WHY_BYTES];
    batch_picture_t picture = {0};
    world_begin ();
    model.limit = "2:0:0,[g1=3:0:0]";
    assert_true (gridengine.look (&setup, &picture, why));
    assert_int_equal (picture.reach_ms, 3 * 3600000);
    model.limit = NULL;
    assert_true (gridengine.look (&setup, &picture, why));
    assert_int_equal (picture.reach_ms, 0);
    codec_clear (&batch_picture_codec, &picture);
    world_end ();
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_named_one_is_kept_until_its_own_queue_opens),
      cmocka_unit_test (one_that_was_never_opened_goes_at_its_end),
      cmocka_unit_test (one_that_moves_is_made_beside_the_old_or_in_its_place),
      cmocka_unit_test (one_that_is_put_off_gives_its_hosts_back),
      cmocka_unit_test (what_is_in_its_way_is_told),
      cmocka_unit_test (what_is_no_longer_so_is_found_by_one_question),
      cmocka_unit_test (without_an_environment_over_hosts_what_there_is_stays),
      cmocka_unit_test (named_as_long_before_as_the_longest_job_of_its_queue),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
