/*  test_gridengine_look - what is told of Grid Engine's hosts: their states, jobs, calendars,
 *  features and GPUs, and what others have reserved.
 */
#include "gridengine_fixture.h"

static void jobs_have_their_hosts_until_their_limits (void **unused)
{
    (void) unused;
    char why [WHY_BYTES];
    batch_picture_t picture = {0};
    world_open ();
    model.jobs [0] = (model_job_t){"7", "r", "spare@g2", "spare", 0}; /* without a limit */
    model.jobs [1] = (model_job_t){"8", "r", OURS "@g1", OURS, 0};
    model.jobs [2] = (model_job_t){"9", "qw", "", "batch", 0};
    assert_true (gridengine.look (&setup, &picture, why));
    assert_true (batch_picture_find (&picture, "g2")->busy_until_ms == BATCH_FOREVER_MS);
    assert_true (batch_picture_find (&picture, "g2")->firm_until_ms == BATCH_FOREVER_MS);
    assert_int_equal (batch_picture_find (&picture, "g1")->busy_until_ms, 0);
    codec_clear (&batch_picture_codec, &picture);
    world_close ();
}

#define COMPLEXES                                                                                  \
    "#name    shortcut  type      relop requestable consumable default  urgency\n"                 \
    "arch     a         RESTRING  ==    YES         NO         NONE     0\n"                       \
    "gpu      gpu       INT       <=    YES         JOB        0        0\n"                       \
    "gpu_type gpu_type  RESTRING  ==    YES         NO         NONE     0\n"                       \
    "haswell  haswell   BOOL      ==    YES         NO         0        0\n"                       \
    "ib       ib        BOOL      ==    YES         NO         0        0\n"

/*  As qhost 8.1.9 writes it. */
#define HOSTS                                                                                      \
    "HOSTNAME                ARCH         NCPU NSOC NCOR NTHR  LOAD  MEMTOT  MEMUSE\n"             \
    "------------------------------------------------------------------------------\n"             \
    "global                  -               -    -    -    -     -       -       -\n"             \
    "    Host Resource(s):      hf:ib=1.000000\n"                                                  \
    "g1                      lx-amd64        2    1    2    2  5.27   23.5G  823.6M\n"             \
    "    Host Resource(s):      hf:haswell=0.000000\n"                                             \
    "g2                      lx-amd64        2    1    2    2  5.27   23.5G  823.6M\n"             \
    "    Host Resource(s):      hc:gpu=1.000000\n"                                                 \
    "   hf:gpu_type=a100\n"                                                                        \
    "   hf:haswell=1.000000\n"                                                                     \
    "   hf:ib=1.000000\n"

/*  Of GPUs it has those that are free and those of its jobs. */
static void a_host_has_features_and_gpus (void **unused)
{
    (void) unused;
    char why [WHY_BYTES];
    batch_picture_t picture = {0};
    world_begin ();
    model.complexes = COMPLEXES;
    assert_false (gridengine.look (&setup, &picture, why)); /* qhost says nothing */
    codec_clear (&batch_picture_codec, &picture);
    model.hosts = HOSTS;
    model.jobs [0] = (model_job_t){"7", "r", "batch@g2", "batch", 0};
    assert_true (gridengine.look (&setup, &picture, why));
    assert_non_null (strstr (model.said, "qhost -F gpu,gpu_type,haswell,ib\n"));
    const batch_node_t *g1 = batch_picture_find (&picture, "g1");
    const batch_node_t *g2 = batch_picture_find (&picture, "g2");
    assert_true (picture.features);
    assert_true (!g1->features && !*g1->gpu && g1->gpus == 0);
    assert_string_equal (g2->features, "haswell,ib");
    assert_string_equal (g2->gpu, "a100");
    assert_int_equal (g2->gpus, 2);
    codec_clear (&batch_picture_codec, &picture);
    world_end ();
}

/*  No other site has a host of ours. */
static void world_alone (bool open)
{
    if (open)
        world_open ();
    else
        world_begin ();
    *instance (NORTH "@g1") = (model_instance_t){.name = ""};
}

static void a_host_is_silent_drained_or_up (void **unused)
{
    (void) unused;
    char why [WHY_BYTES];
    batch_picture_t picture = {0};
    world_alone (true);
    instance_new ("batch", "g3", "E");
    instance_new ("batch", "g4", "o");
    instance_new ("batch", "g5", "d");
    instance_new (NORTH, "g5", "");
    strcpy (instance ("batch@g2")->state, "du");
    strcpy (instance (OURS "@g2")->state, "u");
    assert_true (gridengine.look (&setup, &picture, why));
    static const struct {
        bool up, silent, drained;
    } right [] = {{.up = true},
                  {.silent = true},
                  {.up = true, .drained = true},
                  {.up = true, .drained = true},
                  {.up = true, .drained = true}}; /* NORTH has not disabled it for us */
    assert_int_equal (picture.nodes_count, sizeof right / sizeof *right);
    for (size_t i = 0; i < picture.nodes_count; i++) {
        assert_int_equal (picture.nodes [i].up, right [i].up);
        assert_int_equal (picture.nodes [i].silent, right [i].silent);
        assert_int_equal (picture.nodes [i].drained, right [i].drained);
    }
    codec_clear (&batch_picture_codec, &picture);
    world_end ();
}

/*  What g1 is, with such a state of the site's instance, and of OURS ("-" = there is none). */
static batch_node_t node_with (const char *site, const char *own, const char *calendar)
{
    char why [WHY_BYTES];
    batch_picture_t picture = {0};
    world_alone (*own != '-');
    if (*own != '-')
        strcpy (instance (OURS "@g1")->state, own);
    strcpy (instance ("batch@g1")->state, site);
    instance ("batch@g1")->calendar = calendar;
    assert_true (gridengine.look (&setup, &picture, why));
    batch_node_t node = picture.nodes [0];
    assert_string_equal (node.node, "g1");
    codec_clear (&batch_picture_codec, &picture);
    world_end ();
    return node;
}

/*  Whatever the letters are, but for what is not heard, and what we have done. */
static void each_state_of_the_sites_queue_takes_its_host_out (void **unused)
{
    (void) unused;
    static const char *const out [] = {"d", "s", "S", "D", "C", "E", "o", "c", "X", "dsa"};
    for (size_t i = 0; i < sizeof out / sizeof *out; i++) {
        batch_node_t node = node_with (out [i], "-", NULL);
        assert_true (node.up && node.drained && !node.silent);
        assert_non_null (strstr (node.why, "Grid Engine says "));
        assert_non_null (strstr (node.why, out [i]));
    }
    assert_false (node_with ("", "-", NULL).drained);
    batch_node_t unheard = node_with ("u", "-", NULL);
    assert_true (unheard.silent && !unheard.drained);
    assert_false (node_with ("a", "-", NULL).drained); /* of load, which passes */
    assert_false (node_with ("A", "-", NULL).drained);
}

static void our_own_disabling_hides_nothing_else (void **unused)
{
    (void) unused;
    assert_false (node_with ("d", "", NULL).drained);
    assert_string_equal (node_with ("d", "", NULL).why, "");
    assert_string_equal (node_with ("ds", "", NULL).why,
                         "Grid Engine says ds: disabled, suspended");
    assert_true (node_with ("dE", "", NULL).drained);
    assert_string_equal (node_with ("d", "s", NULL).why, "Grid Engine says s: suspended");
    assert_true (node_with ("d", "S", NULL).drained);
}

/*  A calendar's booking says until when. */
static void what_its_calendar_has_closed_is_booked_and_not_taken_out (void **unused)
{
    (void) unused;
    batch_node_t node = node_with ("D", "-", "night");
    assert_false (node.drained);
    assert_string_equal (node.why, "Grid Engine says D: disabled by its calendar");
    assert_false (node_with ("C", "-", "night").drained);
    assert_true (node_with ("D", "-", NULL).drained);
    assert_true (node_with ("Ds", "-", "night").drained);
    assert_false (node_with ("dD", "", "night").drained);
}

static void a_calendar_is_a_booking_of_its_hosts (void **unused)
{
    (void) unused;
    char why [WHY_BYTES];
    batch_picture_t picture = {0};
    world_begin ();
    assert_int_equal (setenv ("TZ", "UTC0", 1), 0);
    tzset ();
    instance_new ("batch", "g3", "");
    instance ("batch@g1")->calendar = instance ("batch@g3")->calendar = "night";
    instance ("spare@g2")->calendar = "day"; /* of another queue */
    model.week = "thu=1-2";                  /* the world begins on a Thursday */
    assert_true (gridengine.look (&setup, &picture, why));
    assert_int_equal (picture.bookings_count, 1);
    const batch_booking_t *booking = &picture.bookings [0];
    assert_string_equal (booking->name, "calendar-night");
    assert_int_equal (booking->nodes_count, 2);
    assert_string_equal (booking->nodes [0], "g1");
    assert_string_equal (booking->nodes [1], "g3");
    assert_int_equal (booking->from_ms, 3600000);
    assert_int_equal (booking->until_ms, 7200000);
    assert_int_equal (booking->again_ms [0], 3600000 + INT64_C (7) * 86400000);
    assert_string_equal (picture.trouble, "");

    model.week = "biweekly(thu)";
    assert_true (gridengine.look (&setup, &picture, why));
    assert_string_equal (picture.trouble,
                         "Grid Engine's calendar night can't be read: week biweekly(thu)");
    assert_int_equal (picture.bookings_count, 1);
    assert_int_equal (picture.bookings [0].from_ms, 0);
    assert_int_equal (picture.bookings [0].until_ms, BATCH_FOREVER_MS);

    model.week = NULL;
    assert_true (gridengine.look (&setup, &picture, why));
    assert_non_null (strstr (picture.trouble, "calendar night can't be read: it does not exist"));
    assert_int_equal (picture.bookings_count, 1);
    assert_int_equal (picture.bookings [0].nodes_count, 2);

    model.week = "NONE";
    assert_true (gridengine.look (&setup, &picture, why));
    assert_int_equal (picture.bookings_count, 0);
    codec_clear (&batch_picture_codec, &picture);
    world_end ();
}

#define OSA "musubi-osa-0123456789ab-1-1"

/*  Is the host drained, as it is the other site's by what has that name? */
static bool claimed (const batch_picture_t *picture, const char *host, const char *site,
                     const char *name)
{
    const batch_node_t *node = batch_picture_find (picture, host);
    text_auto_t *why = must_print ("the site %s has it, too, as %s says: ", site, name);
    return node->up && node->drained && strncmp (node->why, why, strlen (why)) == 0;
}

/*  By its queue, whatever we have there and whatever the state of its instance is; and by what it
 *  has reserved of any queue. */
static void what_another_site_keeps_claims_its_host (void **unused)
{
    (void) unused;
    static const char *const states [] = {"", "d", "u"};
    char why [WHY_BYTES];
    batch_picture_t picture = {0};
    world_open ();
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        strcpy (instance (NORTH "@g1")->state, states [i]);
        assert_true (gridengine.look (&setup, &picture, why));
        assert_true (claimed (&picture, "g1", "ams-north", NORTH));
        assert_false (batch_picture_find (&picture, "g2")->drained);
    }
    strcpy (instance (OURS "@g1")->state, "d"); /* as it opens: its notes say that it is ours */
    assert_true (gridengine.look (&setup, &picture, why));
    assert_true (claimed (&picture, "g1", "ams-north", NORTH));
    *instance (NORTH "@g1") = (model_instance_t){.name = ""};
    strcpy (instance (OURS "@g1")->state, "");
    model.advances = "<ar_summary><id>7</id><name>" OSA "</name>"
                     "<start_time>1970-01-02T00:00:00</start_time>"
                     "<end_time>1970-01-03T00:00:00</end_time><granted_slots_list>"
                     "<granted_slots queue_instance='spare@g2' slots='2'/>"
                     "<granted_slots queue_instance='spare@g7' slots='2'/>"
                     "</granted_slots_list></ar_summary>";
    assert_true (gridengine.look (&setup, &picture, why));
    assert_true (claimed (&picture, "g2", "osa", OSA));
    assert_false (batch_picture_find (&picture, "g1")->drained);
    assert_int_equal (picture.bookings_count, 0);
    codec_clear (&batch_picture_codec, &picture);
    world_end ();
}

/*  As of a Grid Engine that tells times in another way. */
static void what_has_no_times_is_booked_always_and_told (void **unused)
{
    (void) unused;
    char why [WHY_BYTES];
    batch_picture_t picture = {0};
    world_begin ();
    model.advances = "<ar_summary><id>7</id><start_time>1795968240000</start_time>"
                     "<end_time>1795968340000</end_time><granted_slots_list>"
                     "<granted_slots queue_instance='batch@g2' slots='2'/></granted_slots_list>"
                     "</ar_summary>";
    assert_true (gridengine.look (&setup, &picture, why));
    assert_string_equal (picture.trouble, "the times of Grid Engine's ar-7 can't be read");
    assert_int_equal (picture.bookings_count, 1);
    assert_string_equal (picture.bookings [0].nodes [0], "g2");
    assert_int_equal (picture.bookings [0].from_ms, 0);
    assert_int_equal (picture.bookings [0].until_ms, BATCH_FOREVER_MS);
    model.advances = NULL;
    assert_true (gridengine.look (&setup, &picture, why));
    assert_string_equal (picture.trouble, "");
    assert_int_equal (picture.bookings_count, 0);
    codec_clear (&batch_picture_codec, &picture);
    world_end ();
}

static void without_its_queue_a_site_loses_no_host (void **unused)
{
    (void) unused;
    char why [WHY_BYTES];
    batch_picture_t picture = {0};
    world_alone (true);
    *instance ("batch@g1") = (model_instance_t){.name = ""};
    *instance ("batch@g2") = (model_instance_t){.name = ""};
    assert_true (gridengine.look (&setup, &picture, why));
    assert_int_equal (picture.nodes_count, 3); /* and g9 */
    for (size_t i = 0; i < picture.nodes_count; i++) {
        assert_true (picture.nodes [i].up && picture.nodes [i].drained);
        assert_string_equal (picture.nodes [i].why, "Grid Engine has no queue batch with hosts");
    }
    codec_clear (&batch_picture_codec, &picture);
    world_end ();
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (jobs_have_their_hosts_until_their_limits),
      cmocka_unit_test (a_host_has_features_and_gpus),
      cmocka_unit_test (a_host_is_silent_drained_or_up),
      cmocka_unit_test (each_state_of_the_sites_queue_takes_its_host_out),
      cmocka_unit_test (our_own_disabling_hides_nothing_else),
      cmocka_unit_test (what_its_calendar_has_closed_is_booked_and_not_taken_out),
      cmocka_unit_test (a_calendar_is_a_booking_of_its_hosts),
      cmocka_unit_test (what_another_site_keeps_claims_its_host),
      cmocka_unit_test (what_has_no_times_is_booked_always_and_told),
      cmocka_unit_test (without_its_queue_a_site_loses_no_host),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
