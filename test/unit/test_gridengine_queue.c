/*  test_gridengine_queue - a reservation's queue: what is disabled for it is given back, whoever
 *  has deleted it; nothing of others is; and no job is ended because its host is not heard.
 */
#include "gridengine_fixture.h"

static void what_was_disabled_is_given_back (void **unused)
{
    (void) unused;
    world_open ();
    assert_true (state_is ("spare@g2", "d"));
    assert_true (state_is (NORTH "@g1", "d"));
    assert_true (state_is (SECOND "@g9", ""));
    assert_string_equal (keep (BACK_END_WATCH, both, 2), "");
    assert_string_equal (closes (), "");
    all_is_as_before ();
    world_end ();
}

/*  What stands between its start and its first job: four questions, the end of its advance
 *  reservation, and the word itself. */
static void little_is_left_to_do_at_its_start (void **unused)
{
    (void) unused;
    world_begin ();
    back_end_order_t order = order_of (both, 2);
    char why [WHY_BYTES];
    order.from_ms = model.now_ms + 500;
    assert_true (gridengine.keep (&setup, BACK_END_PREPARE, &order, why));
    assert_true (state_is (OURS "@g1", "d"));
    assert_true (state_is ("batch@g1", "d"));
    model.now_ms += 500;
    *model.said = '\0';
    assert_true (gridengine.keep (&setup, BACK_END_OPEN, &order, why));
    assert_true (state_is (OURS "@g1", ""));
    size_t before = 0;
    const char *enabled = strstr (model.said, "qmod -e");
    assert_non_null (enabled);
    for (const char *at = model.said; at < enabled; at++)
        before += *at == '\n';
    assert_int_equal (before, 5);
    assert_non_null (strstr (enabled, "qconf -tsm"));
    assert_non_null (strstr (model.ours, "initial_state         default"));
    assert_string_equal (keep (BACK_END_OPEN, both, 2), ""); /* once more, after a crash */
    assert_null (strstr (model.said, "-Mq"));
    assert_string_equal (closes (), "");
    all_is_as_before ();
    world_end ();
}

static void a_queue_that_was_deleted_is_made_again_and_enabled (void **unused)
{
    (void) unused;
    world_open ();
    queue_delete ();
    assert_non_null (strstr (keep (BACK_END_WATCH, both, 2), "was gone"));
    assert_true (state_is (OURS "@g1", ""));
    assert_true (state_is (OURS "@g2", ""));
    assert_string_equal (closes (), "");
    all_is_as_before ();
    world_end ();
}

static void the_hosts_of_a_deleted_queue_are_given_back (void **unused)
{
    (void) unused;
    world_open ();
    queue_delete ();
    keep (BACK_END_WATCH, &both [1], 1); /* the other host looked drained, and was left */
    assert_true (state_is ("batch@g1", ""));
    assert_true (state_is ("spare@g1", "d"));
    assert_true (state_is ("batch@g2", "d"));
    queue_delete ();
    assert_string_equal (closes (), "");
    all_is_as_before ();
    world_end ();
}

static void what_an_operator_has_disabled_of_it_stays_so (void **unused)
{
    (void) unused;
    world_open ();
    switch_all (OURS "@g1", true);
    assert_string_equal (keep (BACK_END_WATCH, both, 2), "");
    assert_true (state_is (OURS "@g1", "d"));
    assert_string_equal (closes (), "");
    assert_true (state_is ("batch@g1", "d"));
    assert_true (state_is ("batch@g2", ""));
    world_end ();
}

static void a_note_of_an_instance_that_is_gone_goes (void **unused)
{
    (void) unused;
    world_open ();
    model_instance_t *one = instance ("spare@g2");
    *one = (model_instance_t){.name = ""};
    assert_string_equal (keep (BACK_END_OPEN, both, 1), "");
    assert_false (name_list_has (&model.listed, "spare@g2"));
    assert_true (state_is ("batch@g2", ""));
    world_end ();
}

/*  As after the qmaster's own start. */
static void no_job_ends_because_its_host_is_not_heard (void **unused)
{
    (void) unused;
    world_open ();
    model.jobs [0] = (model_job_t){"7", "r", OURS "@g1", OURS, 0};
    model.jobs [1] = (model_job_t){"8", "r", OURS "@g2", OURS, 0};
    strcpy (instance (OURS "@g1")->state, "u");
    strcpy (instance ("batch@g1")->state, "du");
    assert_string_equal (keep (BACK_END_WATCH, both, 2), "");
    assert_null (strstr (model.said, "qdel"));
    keep (BACK_END_WATCH, &both [1], 1); /* it is no longer the reservation's: its job is to end */
    const char *told = strstr (model.said, "qdel 7\n"), *taken = strstr (model.said, "qdel -f 7\n");
    assert_true (told && taken && told < taken);
    assert_null (strstr (model.said, "qdel 8"));
    assert_true (model.now_ms >= 1000000 + 2000); /* after its grace */
    assert_string_equal (closes (), "");
    assert_non_null (strstr (model.said, "qdel 8\n"));
    assert_null (strstr (model.said, "qdel -f"));
    world_end ();
}

/*  7 may be run again, 8 may not. */
static const char *open_over_jobs (clear_t clear)
{
    world_begin ();
    model.clear = clear;
    model.jobs [0] = (model_job_t){"7", "r", "batch@g1", "batch", 0};
    model.jobs [1] = (model_job_t){"8", "r", "spare@g2", "spare", 0};
    return keep (BACK_END_OPEN, both, 2);
}

static void no_job_of_others_ends (void **unused)
{
    (void) unused;
    assert_string_equal (open_over_jobs (CLEAR_WAIT),
                         "Grid Engine's job 8 of others still runs on its hosts");
    assert_null (strstr (model.said, "qmod -rj"));
    assert_null (strstr (model.said, "qdel"));
    assert_null (strstr (model.said, "qalter"));
    assert_true (state_is (OURS "@g1", "d"));
    world_close ();
}

static void those_that_may_be_run_again_make_way (void **unused)
{
    (void) unused;
    assert_string_equal (open_over_jobs (CLEAR_REQUEUE),
                         "Grid Engine's job 8 of others still runs on its hosts");
    assert_non_null (strstr (model.said, "qmod -rj 7"));
    assert_null (strstr (model.said, "qmod -rj 8"));
    assert_null (strstr (model.said, "qdel"));
    world_close ();
}

static void all_make_way_and_are_told_for_whom (void **unused)
{
    (void) unused;
    assert_string_equal (open_over_jobs (CLEAR_END), "");
    const char *told = strstr (model.said, "qalter -ac musubi=the reservation " OURS " of alice");
    const char *ended = strstr (model.said, "qmod -rj 7");
    assert_true (told && ended && told < ended);
    assert_non_null (strstr (model.said, "qmod -rj 8"));
    assert_true (state_is (OURS "@g1", ""));
    world_close ();
}

static void only_what_is_exactly_ours_is_listed (void **unused)
{
    (void) unused;
    char why [WHY_BYTES];
    name_list_auto_t names = {0};
    world_open ();
    assert_true (gridengine.list (&setup, &names, why));
    assert_int_equal (names.count, 1); /* SECOND has no host of the site's queue */
    assert_string_equal (names.words [0], OURS);
    queue_delete ();
    name_list_clear (&names);
    assert_true (gridengine.list (&setup, &names, why));
    assert_int_equal (names.count, 1);
    world_end ();
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (what_was_disabled_is_given_back),
      cmocka_unit_test (little_is_left_to_do_at_its_start),
      cmocka_unit_test (a_queue_that_was_deleted_is_made_again_and_enabled),
      cmocka_unit_test (the_hosts_of_a_deleted_queue_are_given_back),
      cmocka_unit_test (what_an_operator_has_disabled_of_it_stays_so),
      cmocka_unit_test (a_note_of_an_instance_that_is_gone_goes),
      cmocka_unit_test (no_job_ends_because_its_host_is_not_heard),
      cmocka_unit_test (no_job_of_others_ends),
      cmocka_unit_test (those_that_may_be_run_again_make_way),
      cmocka_unit_test (all_make_way_and_are_told_for_whom),
      cmocka_unit_test (only_what_is_exactly_ours_is_listed),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
