/*  planner - with sites and domains that are far away: slow answers are waited for, and a missing
 *  one never counts as a no.
 */
#include "message.h"
#include "network_asking.h"

#define FAR_MS 500 /* each way */

/*  One GIS, three sites of which the first is far, one planner. */
static void begin (fed_t *fed, uint64_t seed)
{
    fed_federation (fed, seed, 1, 3, 4, 1);
    fed->procs [fed_find (fed, "lis/s0")].far_ms = FAR_MS;
    fed_run (fed, 5000);
}

static Musubi__Answer *ask_wish (fed_t *fed, const char *id, const char *algorithm)
{
    net_wish_t wish = {.needs = 3,
                       .cpus = {16, 16, 16},
                       .distinct = true,
                       .start_ms = FED_HOUR_MS,
                       .algorithm = algorithm};
    return reserve_net (fed, "p0", id, &wish);
}

static void a_far_site_is_reserved_changed_and_released (void **state)
{
    (void) state;
    static const char *const algorithms [] = {"auto", "bbr", "bir", "ip"};
    for (size_t i = 0; i < 4; i++) {
        fed_t fed;
        begin (&fed, 40 + i);
        Musubi__Answer *answer = ask_wish (&fed, "a@g1", algorithms [i]);
        expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
        Musubi__ReservationView *view = show (&fed, "p0", "alice", answer->reservation);
        assert_int_equal (view->n_silent, 0);
        assert_int_equal (view->n_compute, 3);
        message_free (&view->base);
        Musubi__Answer *change =
          modify_cpus (&fed, "p0", "b@g1", answer->reservation, 8, 2 * FED_HOUR_MS);
        expect_status (change, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
        message_free (&change->base);
        change = release (&fed, "p0", "c@g1", answer->reservation);
        expect_status (change, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
        message_free (&change->base);
        message_free (&answer->base);
        fed_end (&fed);
    }
}

/*  The silent site may have room, so the answer is unknown and not refused. The same request is
 *  granted once the site answers. */
static void the_silence_of_a_site_is_no_refusal (void **state)
{
    (void) state;
    static const char *const algorithms [] = {"auto", "bbr", "bir", "ip"};
    for (size_t i = 0; i < 4; i++) {
        fed_t fed;
        fed_federation (&fed, 50 + i, 1, 3, 4, 1);
        int site = fed_find (&fed, "lis/s0");
        fed_kill (&fed, site);
        Musubi__Answer *answer = ask_wish (&fed, "a@g1", algorithms [i]);
        expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_UNKNOWN);
        assert_non_null (reason_about (answer, "lis/s0"));
        message_free (&answer->base);
        fed_start (&fed, site);
        fed_run (&fed, 8000);
        answer = ask_wish (&fed, "a@g1", algorithms [i]);
        expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
        message_free (&answer->base);
        fed_end (&fed);
    }
}

/*  A need that the silent site could not have met is refused all the same. */
static void a_certain_no_needs_no_silent_site (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 60, 1, 3, 4, 1);
    net_wish_t wish = {.needs = 2, .sites = {"s1"}, .cpus = {16, 4}, .start_ms = FED_HOUR_MS};
    Musubi__Answer *answer = reserve_net (&fed, "p0", "a@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    fed_kill (&fed, fed_find (&fed, "lis/s0"));
    answer = reserve_net (&fed, "p0", "b@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    message_free (&answer->base);
    fed_end (&fed);
}

/*  A change of a reservation at the silent site is not refused for good. */
static void the_silence_of_a_participant_refuses_no_change (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 61, 1, 3, 4, 1);
    Musubi__Answer *answer = ask_wish (&fed, "a@g1", "");
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    int site = fed_find (&fed, "lis/s0");
    fed_kill (&fed, site);
    for (int back = 0; back < 2; back++) {
        Musubi__Answer *change = modify_cpus (&fed, "p0", "b@g1", answer->reservation, 8, 0);
        expect_status (change, back ? MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED
                                    : MUSUBI__ANSWER_STATUS__ANSWER_UNKNOWN);
        message_free (&change->base);
        if (!back)
            fed_start (&fed, site);
        fed_run (&fed, 8000);
    }
    message_free (&answer->base);
    fed_end (&fed);
}

/*  Everybody is as far from everybody else. */
static void all_may_be_far (void **state)
{
    (void) state;
    fed_t fed;
    net_begin (&fed, 62);
    for (int i = 0; i < fed.procs_count; i++)
        fed.procs [i].far_ms = FAR_MS / 2;
    fed_run (&fed, 20000);
    Musubi__Answer *answer = reserve_net (&fed, "p0", "a@g1", &triangle);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    fed_end (&fed);
}

/*  At the soonest start the votes of distant sites can't be in before the edge: the next plan
 *  leaves them more time. */
static void the_far_are_reserved_as_soon_as_they_can_vote (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 63, 1, 3, 4, 1);
    int planner = fed_find (&fed, "p0");
    fed_kill (&fed, planner);
    fed.procs [planner].planner.margin_ms = 0;
    fed_start (&fed, planner);
    for (int i = 0; i < fed.procs_count; i++)
        fed.procs [i].far_ms = FAR_MS / 2;
    fed_run (&fed, 20000);
    net_wish_t wish = {.needs = 2, .distinct = true, .start_ms = 1, .latest_ms = FED_HOUR_MS};
    Musubi__Answer *answer = reserve_net (&fed, "p0", "a@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    fed_end (&fed);
}

static bool lose_holds_at_s0 (fed_t *fed, const fed_call_t *call)
{
    return strcmp (call->method, "Hold") != 0 || call->to != fed_find (fed, "lis/s0");
}

/*  A request runs out of time while its first plan waits for a vote. Nobody has said no, and the
 *  same request is granted once the site answers. */
static void a_vote_that_does_not_come_in_time_is_no_refusal (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 64, 1, 3, 4, 1);
    int planner = fed_find (&fed, "p0");
    fed_kill (&fed, planner);
    fed.procs [planner].planner.request_limit_ms = 1000; /* less than a try */
    fed_start (&fed, planner);
    fed_run (&fed, 5000);
    fed.passes = lose_holds_at_s0;
    Musubi__Answer *answer = ask_wish (&fed, "a@g1", "");
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_UNKNOWN);
    message_free (&answer->base);
    fed.passes = NULL;
    answer = ask_wish (&fed, "a@g1", "");
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    fed_end (&fed);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_far_site_is_reserved_changed_and_released),
      cmocka_unit_test (the_silence_of_a_site_is_no_refusal),
      cmocka_unit_test (a_certain_no_needs_no_silent_site),
      cmocka_unit_test (the_silence_of_a_participant_refuses_no_change),
      cmocka_unit_test (all_may_be_far),
      cmocka_unit_test (the_far_are_reserved_as_soon_as_they_can_vote),
      cmocka_unit_test (a_vote_that_does_not_come_in_time_is_no_refusal),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
