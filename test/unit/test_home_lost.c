/*  test_home_lost - a home whose store was lost, and the requests that it had answered: what sites
 *  keep of them bars a second time (T2).
 */
#include "message.h"
#include "planner_asking.h"

#include "bus.pb-c.h"
#include "recall.h"

static const user_wish_t four = {.cpus = {4}, .needs = 1};

static void lose (fed_t *fed, const char *name)
{
    int at = fed_find (fed, name);
    if (fed->procs [at].up)
        fed_kill (fed, at);
    fed_wipe (&fed->procs [at]);
    fed_start (fed, at);
}

static size_t reservations (const fed_t *fed)
{
    size_t count = 0;
    for (int i = 0; i < fed->procs_count; i++)
        count += records_in (&fed->procs [i].host.records, TABLE_RESERVATIONS);
    return count;
}

static Musubi__StatusAnswer *status_of (fed_t *fed, const char *name)
{
    Musubi__StatusRequest request = MUSUBI__STATUS_REQUEST__INIT;
    call_status_t status;
    char reason [256];
    Musubi__StatusAnswer *answer = (Musubi__StatusAnswer *) fed_answer (
      fed, fed_ask (fed, name, "Service", "Status", "alice", "", &request.base, 2000),
      &musubi__status_answer__descriptor, &status, reason);
    assert_non_null (answer);
    return answer;
}

static int64_t counted (fed_t *fed, const char *name, const char *counter)
{
    Musubi__StatusAnswer *answer = status_of (fed, name);
    int64_t value = 0;
    for (size_t i = 0; i < answer->n_counters; i++)
        if (strcmp (answer->counters [i]->name, counter) == 0)
            value = answer->counters [i]->value;
    message_free (&answer->base);
    return value;
}

static void reserve_one (fed_t *fed, const char *id, char reservation [64])
{
    Musubi__Answer *answer = reserve (fed, "p0", id, &four);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    snprintf (reservation, 64, "%s", answer->reservation);
    message_free (&answer->base);
}

/*  Asked until it is answered for good, as a client does. */
static Musubi__Answer *insist (fed_t *fed, const char *planner, const char *id)
{
    for (int tries = 0; tries < 30; tries++) {
        call_status_t status;
        char reason [256];
        uint64_t call = ask_reserve (fed, planner, id, &four);
        Musubi__Answer *answer =
          (Musubi__Answer *) fed_answer (fed, call, &musubi__answer__descriptor, &status, reason);
        if (answer && answer->status != MUSUBI__ANSWER_STATUS__ANSWER_UNKNOWN)
            return answer;
        if (answer)
            message_free (&answer->base);
        fed_run (fed, 1000);
    }
    fail_msg ("no answer for good");
    return NULL;
}

static void expect_done_before (fed_t *fed, const char *planner, const char *id,
                                const char *reservation)
{
    Musubi__Answer *answer = insist (fed, planner, id);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_true (answer->n_reasons > 0);
    assert_non_null (strstr (answer->reasons [0]->text, reservation));
    message_free (&answer->base);
}

static void asked_again (int homes)
{
    fed_t fed;
    char made [64], other [64];
    fed_federation (&fed, 1, homes, 3, 4, 2);
    reserve_one (&fed, "r1@g1", made);
    lose (&fed, "gis/g1");
    expect_done_before (&fed, "p0", "r1@g1", made);
    expect_done_before (&fed, "p1", "r1@g1", made);
    assert_int_equal (reservations (&fed), 1);
    fed_run (&fed, 2 * RECALL_MS);
    reserve_one (&fed, "r2@g1", other); /* and it is a home again */
    fed_kill (&fed, fed_find (&fed, "gis/g1"));
    fed_start (&fed, fed_find (&fed, "gis/g1"));
    fed_run (&fed, 8000);
    expect_done_before (&fed, "p1", "r1@g1", made);
    assert_int_equal (reservations (&fed), 2);
    fed_end (&fed);
}

static void a_request_is_not_done_again_by_the_only_home_when_its_store_was_lost (void **state)
{
    (void) state;
    asked_again (1);
}

static void nor_by_one_of_two_homes (void **state)
{
    (void) state;
    asked_again (2);
}

static void a_home_that_dies_while_it_learns_begins_again (void **state)
{
    (void) state;
    fed_t fed;
    char made [64];
    fed_federation (&fed, 2, 1, 3, 4, 2);
    reserve_one (&fed, "r1@g1", made);
    lose (&fed, "gis/g1");
    for (int64_t life_ms = 1; life_ms < 3000; life_ms *= 3) {
        fed_run (&fed, life_ms);
        fed_kill (&fed, fed_find (&fed, "gis/g1"));
        fed_start (&fed, fed_find (&fed, "gis/g1"));
    }
    expect_done_before (&fed, "p1", "r1@g1", made);
    assert_int_equal (reservations (&fed), 1);
    fed_end (&fed);
}

static int site_of (const fed_t *fed)
{
    for (int i = 0; i < fed->procs_count; i++)
        if (fed->procs [i].kind == FED_LIS &&
            records_in (&fed->procs [i].host.records, TABLE_RESERVATIONS) > 0)
            return i;
    fail ();
    return -1;
}

/*  The one who knows is away all the time: nobody can know, and it is told when it comes back. */
static void what_was_done_twice_is_an_alarm_that_names_both (void **state)
{
    (void) state;
    fed_t fed;
    char made [64], again [64];
    fed_federation (&fed, 3, 1, 3, 4, 2);
    reserve_one (&fed, "r1@g1", made);
    int site = site_of (&fed);
    fed_kill (&fed, site);
    lose (&fed, "gis/g1");
    fed_run (&fed, 2 * RECALL_MS);
    reserve_one (&fed, "r1@g1", again);
    assert_string_not_equal (made, again);
    assert_int_equal (counted (&fed, "gis/g1", "done_twice"), 0);
    fed_start (&fed, site);
    fed_run (&fed, 8000);
    assert_int_equal (counted (&fed, "gis/g1", "done_twice"), 1);
    Musubi__StatusAnswer *status = status_of (&fed, "gis/g1");
    assert_int_equal (status->n_warnings, 1);
    assert_non_null (strstr (status->warnings [0], "r1@g1"));
    assert_non_null (strstr (status->warnings [0], made));
    assert_non_null (strstr (status->warnings [0], again));
    message_free (&status->base);
    fed_end (&fed);
}

static void a_new_federation_waits_for_nothing (void **state)
{
    (void) state;
    fed_t fed;
    char made [64];
    fed_new (&fed, 4);
    fed_add (&fed, FED_GIS, "gis/g1");
    fed_add_site (&fed, "lis/s0", 4, 4, 1000, DISCLOSE_PROFILE);
    fed_add (&fed, FED_PLANNER, "p0");
    for (int i = 0; i < fed.procs_count; i++)
        fed_start (&fed, i);
    fed_run (&fed, RECALL_MS / 4);
    reserve_one (&fed, "r1@g1", made);
    fed_end (&fed);
}

static void expect_guard (fed_t *fed, const char *name, const char *words)
{
    Musubi__StatusAnswer *status = status_of (fed, name);
    if (*words)
        assert_non_null (strstr (status->restore_guard, words));
    else
        assert_string_equal (status->restore_guard, "");
    message_free (&status->base);
}

/*  Who does not follow the directory is heard of up to a third of a lease later. */
static void a_home_with_a_new_store_claims_nothing_until_all_could_be_listed (void **state)
{
    (void) state;
    fed_t fed;
    char made [64];
    fed_new (&fed, 5);
    fed.recall_wait_ms = RECALL_MS;
    fed_add (&fed, FED_GIS, "gis/g1");
    fed_add_site (&fed, "lis/s0", 4, 4, 1000, DISCLOSE_PROFILE);
    fed_add (&fed, FED_PLANNER, "p0");
    for (int i = 0; i < fed.procs_count; i++)
        fed_start (&fed, i);
    fed_run (&fed, RECALL_MS - 2000);
    expect_guard (&fed, "gis/g1", "its store is new");
    fed_run (&fed, 3000);
    expect_guard (&fed, "gis/g1", "");
    reserve_one (&fed, "r1@g1", made);
    fed_kill (&fed, fed_find (&fed, "gis/g1"));
    fed_start (&fed, fed_find (&fed, "gis/g1"));
    fed_run (&fed, 100);
    expect_guard (&fed, "gis/g1", ""); /* it has its store: there is nobody to wait for */
    fed_end (&fed);
}

/*  Without a follower, and without a request that was carried out. */
static void a_heartbeat_of_who_was_listed_before_is_a_sign_of_another_store (void **state)
{
    (void) state;
    fed_t fed;
    fed_new (&fed, 6);
    fed_add (&fed, FED_GIS, "gis/g1");
    fed_add_site (&fed, "lis/s0", 4, 4, 1000, DISCLOSE_PROFILE);
    for (int i = 0; i < fed.procs_count; i++)
        fed_start (&fed, i);
    fed_run (&fed, 1000);
    expect_guard (&fed, "gis/g1", "");
    lose (&fed, "gis/g1");
    fed_run (&fed, RECALL_MS / 2);
    expect_guard (&fed, "gis/g1", "its store was lost");
    fed_run (&fed, RECALL_MS);
    expect_guard (&fed, "gis/g1", "");
    fed_end (&fed);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_request_is_not_done_again_by_the_only_home_when_its_store_was_lost),
      cmocka_unit_test (nor_by_one_of_two_homes),
      cmocka_unit_test (a_home_that_dies_while_it_learns_begins_again),
      cmocka_unit_test (what_was_done_twice_is_an_alarm_that_names_both),
      cmocka_unit_test (a_new_federation_waits_for_nothing),
      cmocka_unit_test (a_home_with_a_new_store_claims_nothing_until_all_could_be_listed),
      cmocka_unit_test (a_heartbeat_of_who_was_listed_before_is_a_sign_of_another_store),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
