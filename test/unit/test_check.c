/*  check: each kind of violation is found, and a sound federation is not accused. */
#include "check_fixture.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/*  A class of ten nodes. */
static void describe (fixture_t *self, const char *participant, int64_t cleaning_gap_ms)
{
    check_class (self->check, participant,
                 &(node_class_t){.name = "thin", .nodes = 10, .cpus_per_node = 1}, cleaning_gap_ms);
}

static int set_up (void **state)
{
    fixture_t *self = fixture_new ();
    describe (self, "lis/ams", 0);
    describe (self, "lis/ber", 0);
    *state = self;
    return 0;
}

/*  A command of transaction number, over ams, ber and the home g1, for hours [from, until). */
static void record (fixture_t *self, const char *participant, uint64_t number,
                    operation_t operation, const char *reservation, uint32_t base_version,
                    command_state_t state, uint32_t nodes, int from, int until)
{
    participant_ref_t parties [] = {{.name = "lis/ams"}, {.name = "lis/ber"}, {.name = "gis/g1"}};
    plan_t plan = {.txid = {.start = 1, .counter = number},
                   .operation = operation,
                   .base_version = base_version,
                   .participants = parties,
                   .participants_count = 3,
                   .edge_ms = (int64_t) from * HOUR_MS,
                   .home = "gis/g1"};
    snprintf (plan.reservation, sizeof plan.reservation, "%s", reservation);
    snprintf (plan.request_id, sizeof plan.request_id, "q%d@g1",
              (int) number % 100); /* 101 is 1 again */
    compute_booking_t booking = {.class_name = "thin",
                                 .nodes = nodes,
                                 .from_ms = (int64_t) from * HOUR_MS,
                                 .until_ms = (int64_t) until * HOUR_MS};
    bool books = nodes > 0 && strncmp (participant, "lis/", 4) == 0;
    check_command (self->check, participant,
                   &(check_record_t){
                     .plan = plan, .state = state, .bookings = &booking, .bookings_count = books});
}

static void record_everywhere (fixture_t *self, uint64_t number, operation_t operation,
                               const char *reservation, uint32_t base_version,
                               command_state_t state, uint32_t nodes, int from, int until)
{
    record (self, "lis/ams", number, operation, reservation, base_version, state, nodes, from,
            until);
    record (self, "lis/ber", number, operation, reservation, base_version, state, nodes, from,
            until);
    record (self, "gis/g1", number, operation, reservation, base_version, state, nodes, from,
            until);
}

static void a_sound_federation_is_not_accused (void **state)
{
    fixture_t *self = *state;
    record_everywhere (self, 1, OPERATION_RESERVE, "r1", 0, COMMAND_COMMITTED, 6, 10, 12);
    record_everywhere (self, 2, OPERATION_RESERVE, "r2", 0, COMMAND_COMMITTED, 10, 12, 13);
    record_everywhere (self, 3, OPERATION_RESERVE, "r3", 0, COMMAND_ABORTED, 10, 10, 13);
    record_everywhere (self, 4, OPERATION_MODIFY, "r1", 1, COMMAND_COMMITTED, 4, 10, 12);
    record_everywhere (self, 5, OPERATION_RESERVE, "r5", 0, COMMAND_COMMITTED, 6, 10, 12);
    record_everywhere (self, 6, OPERATION_RELEASE, "r2", 1, COMMAND_COMMITTED, 0, 12, 13);
    check_answer (self->check, "q1@g1", "r1", true);
    check_answer (self->check, "q5", "r5", true);
    check_answer (self->check, "q3", "", false);
    check_result_t result = judge (self, 1, true);
    assert_int_equal (result.violations, 0);
    assert_int_equal (result.transactions, 5);
    assert_int_equal (result.reservations, 2);
    assert_int_equal (result.answers, 3);
}

static void finds_two_reservations_of_one_request (void **state)
{
    fixture_t *self = *state;
    record_everywhere (self, 1, OPERATION_RESERVE, "r1", 0, COMMAND_COMMITTED, 1, 10, 12);
    record_everywhere (self, 101, OPERATION_RESERVE, "r2", 0, COMMAND_ABORTED, 1, 10, 12);
    record_everywhere (self, 201, OPERATION_MODIFY, "r1", 1, COMMAND_COMMITTED, 2, 10, 12);
    assert_int_equal (judge (self, 1, true).violations, 0);
    record_everywhere (self, 301, OPERATION_RESERVE, "r3", 0, COMMAND_COMMITTED, 1, 20, 22);
    assert_int_equal (judge (self, 1, true).violations, 1);
    assert_non_null (strstr (self->told [0], "q1@g1"));
    assert_non_null (strstr (self->told [0], "two reservations, r1 and r3"));
}

static void finds_a_commit_that_another_participant_lacks (void **state)
{
    fixture_t *self = *state;
    record (self, "lis/ams", 1, OPERATION_RESERVE, "r1", 0, COMMAND_COMMITTED, 6, 10, 12);
    record (self, "gis/g1", 1, OPERATION_RESERVE, "r1", 0, COMMAND_COMMITTED, 6, 10, 12);
    assert_int_equal (judge (self, 1, true).violations, 1);
    assert_non_null (strstr (self->told [0], "unknown at lis/ber"));

    record (self, "lis/ber", 1, OPERATION_RESERVE, "r1", 0, COMMAND_ABORTED, 6, 10, 12);
    assert_int_equal (judge (self, 1, true).violations, 1);
    assert_non_null (strstr (self->told [0], "aborted at lis/ber"));
}

static void finds_who_takes_no_part_and_who_has_another_plan (void **state)
{
    fixture_t *self = *state;
    describe (self, "lis/cph", 0);
    record_everywhere (self, 1, OPERATION_RESERVE, "r1", 0, COMMAND_COMMITTED, 6, 10, 12);
    record (self, "lis/cph", 1, OPERATION_RESERVE, "r1", 0, COMMAND_COMMITTED, 6, 10, 12);
    assert_int_equal (judge (self, 1, true).violations, 1);
    assert_non_null (strstr (self->told [0], "committed at lis/cph, which is not in its plan"));

    record (self, "lis/ams", 2, OPERATION_RESERVE, "r2", 0, COMMAND_COMMITTED, 1, 20, 21);
    record (self, "lis/ber", 2, OPERATION_MODIFY, "r2", 0, COMMAND_COMMITTED, 1, 20, 21);
    record (self, "gis/g1", 2, OPERATION_RESERVE, "r2", 0, COMMAND_COMMITTED, 1, 20, 21);
    assert_int_equal (judge (self, 1, true).violations, 2);
    assert_non_null (strstr (self->told [1], "r2 has different plans at lis/ber and at gis/g1"));
}

static void a_silent_participant_is_not_judged (void **state)
{
    fixture_t *self = *state;
    record (self, "lis/ams", 1, OPERATION_RESERVE, "r1", 0, COMMAND_COMMITTED, 6, 10, 12);
    record (self, "gis/g1", 1, OPERATION_RESERVE, "r1", 0, COMMAND_COMMITTED, 6, 10, 12);
    check_silent (self->check, "lis/ber");
    check_result_t result = judge (self, 1, true);
    assert_int_equal (result.violations, 0);
    assert_int_equal (result.unjudged, 1);
}

static void finds_an_overbooked_instant (void **state)
{
    fixture_t *self = *state;
    record_everywhere (self, 1, OPERATION_RESERVE, "r1", 0, COMMAND_COMMITTED, 6, 10, 12);
    record_everywhere (self, 2, OPERATION_RESERVE, "r2", 0, COMMAND_COMMITTED, 5, 11, 13);
    assert_int_equal (judge (self, 1, true).violations, 2); /* at ams and at ber */
    assert_non_null (strstr (self->told [0], "11 nodes booked of 10"));
}

static void less_than_was_promised_is_no_violation (void **state)
{
    fixture_t *self = *state;
    check_lacks (self->check, "lis/ams");
    record_everywhere (self, 1, OPERATION_RESERVE, "r1", 0, COMMAND_COMMITTED, 11, 10, 12);
    assert_int_equal (judge (self, 1, true).violations, 1);
    assert_non_null (strstr (self->told [0], "lis/ber/thin has 11 nodes booked of 10"));
}

static void counts_the_cleaning_gap_and_a_vote_as_booked (void **state)
{
    fixture_t *self = *state;
    describe (self, "lis/cph", HOUR_MS);
    record (self, "lis/cph", 1, OPERATION_RESERVE, "r1", 0, COMMAND_PREPARED, 6, 10, 12);
    record (self, "lis/cph", 2, OPERATION_RESERVE, "r2", 0, COMMAND_PREPARED, 5, 12, 13);
    assert_int_equal (judge (self, 1, false).violations, 1);
}

static void counts_the_larger_of_a_version_and_its_change (void **state)
{
    fixture_t *self = *state;
    record_everywhere (self, 1, OPERATION_RESERVE, "r1", 0, COMMAND_COMMITTED, 6, 10, 12);
    record_everywhere (self, 2, OPERATION_RESERVE, "r2", 0, COMMAND_COMMITTED, 4, 10, 14);
    record (self, "lis/ams", 3, OPERATION_MODIFY, "r1", 1, COMMAND_PREPARED, 4, 11, 14);
    assert_int_equal (judge (self, 1, false).violations, 0);
    /* Until twelve r1 has six, then four. */
    record_everywhere (self, 4, OPERATION_RESERVE, "r4", 0, COMMAND_COMMITTED, 2, 12, 14);
    assert_int_equal (judge (self, 1, false).violations, 0);
    record_everywhere (self, 5, OPERATION_RESERVE, "r5", 0, COMMAND_COMMITTED, 1, 13, 15);
    assert_int_equal (judge (self, 1, false).violations, 1);
    assert_non_null (strstr (self->told [0], "lis/ams/thin has 11 nodes booked of 10"));
}

static void finds_a_booking_of_what_is_not_described (void **state)
{
    fixture_t *self = *state;
    record (self, "lis/cph", 1, OPERATION_RESERVE, "r1", 0, COMMAND_PREPARED, 6, 10, 12);
    assert_int_equal (judge (self, 1, false).violations, 1);
    assert_non_null (strstr (self->told [0], "thin at lis/cph, which describes no such class"));
}

static void finds_two_versions_of_one_number (void **state)
{
    fixture_t *self = *state;
    record_everywhere (self, 1, OPERATION_RESERVE, "r1", 0, COMMAND_COMMITTED, 6, 10, 12);
    record_everywhere (self, 2, OPERATION_MODIFY, "r1", 1, COMMAND_COMMITTED, 3, 10, 12);
    assert_int_equal (judge (self, 1, true).violations, 0);
    record_everywhere (self, 3, OPERATION_MODIFY, "r1", 1, COMMAND_COMMITTED, 4, 10, 12);
    assert_int_equal (judge (self, 1, true).violations, 1);
    assert_non_null (strstr (self->told [0], "two different versions 2: of "));
    record_everywhere (self, 4, OPERATION_MODIFY, "r1", 2, COMMAND_COMMITTED, 4, 10, 12);
    assert_int_equal (judge (self, 1, true).violations, 1); /* and later, too */
}

/*  Nobody but the home voted for the release. */
static void finds_a_version_that_a_change_and_a_release_have_made (void **state)
{
    fixture_t *self = *state;
    participant_ref_t parties [] = {{.name = "gis/g2"}, {.name = "lis/ams"}, {.name = "lis/ber"}};
    plan_t release = {.txid = {.start = 2, .counter = 7},
                      .operation = OPERATION_RELEASE,
                      .base_version = 1,
                      .participants = parties,
                      .participants_count = 1,
                      .awaited = &parties [1],
                      .awaited_count = 2};
    snprintf (release.reservation, sizeof release.reservation, "r1");
    snprintf (release.request_id, sizeof release.request_id, "rel@g2");
    check_command (self->check, "gis/g2",
                   &(check_record_t){.plan = release, .state = COMMAND_COMMITTED});
    record_everywhere (self, 1, OPERATION_RESERVE, "r1", 0, COMMAND_COMMITTED, 6, 10, 12);
    assert_int_equal (judge (self, 1, true).violations, 0);
    record_everywhere (self, 2, OPERATION_MODIFY, "r1", 1, COMMAND_COMMITTED, 3, 10, 12);
    assert_int_equal (judge (self, 1, true).violations, 1);
    record_everywhere (self, 3, OPERATION_MODIFY, "r1", 2, COMMAND_COMMITTED, 4, 10, 12);
    assert_int_equal (judge (self, 1, true).violations, 1);
    assert_non_null (strstr (self->told [0], "two different versions 2: of "));
}

static void finds_what_a_later_version_has_left_behind (void **state)
{
    fixture_t *self = *state;
    record_everywhere (self, 1, OPERATION_RESERVE, "r1", 0, COMMAND_COMMITTED, 6, 10, 12);
    describe (self, "lis/cph", 0);
    record (self, "lis/cph", 0, OPERATION_RESERVE, "r1", 0, COMMAND_ABORTED, 6, 10, 12);
    record_everywhere (self, 2, OPERATION_MODIFY, "r1", 2, COMMAND_COMMITTED, 6, 10, 12);
    assert_int_equal (judge (self, 1, true).violations, 0);

    /* cph took part in a version between these two; neither of their plans names it. */
    participant_ref_t parties [] = {{.name = "lis/cph"}};
    plan_t between = {.txid = {.start = 1, .counter = 9},
                      .operation = OPERATION_MODIFY,
                      .base_version = 1,
                      .reservation = "r1",
                      .participants = parties,
                      .participants_count = 1};
    compute_booking_t booking = {
      .class_name = "thin", .nodes = 1, .from_ms = HOUR_MS, .until_ms = 2 * HOUR_MS};
    check_command (
      self->check, "lis/cph",
      &(check_record_t){
        .plan = between, .state = COMMAND_COMMITTED, .bookings = &booking, .bookings_count = 1});
    assert_int_equal (judge (self, 1, true).violations, 1);
    assert_non_null (strstr (self->told [0], "still has bookings at lis/cph"));
}

static void a_release_that_books_is_none (void **state)
{
    fixture_t *self = *state;
    record_everywhere (self, 1, OPERATION_RELEASE, "r1", 1, COMMAND_COMMITTED, 1, 10, 12);
    assert_int_equal (judge (self, 1, true).violations, 1);
    assert_non_null (strstr (self->told [0], "is released, but still has bookings"));
}

/*  A release over one site and the home; another site is awaited or not. */
static void record_part (fixture_t *self, const char *participant, uint64_t number,
                         const char *awaited)
{
    participant_ref_t parties [] = {{.name = "gis/g1"}}, waits [] = {{.name = ""}};
    plan_t plan = {.txid = {.start = 1, .counter = number},
                   .operation = OPERATION_RELEASE,
                   .base_version = 1,
                   .reservation = "r1",
                   .participants = parties,
                   .participants_count = 1,
                   .awaited = waits,
                   .awaited_count = awaited != NULL};
    snprintf (parties [0].name, sizeof parties [0].name, "%s", participant);
    snprintf (waits [0].name, sizeof waits [0].name, "%s", awaited ? awaited : "");
    check_command (self->check, participant,
                   &(check_record_t){.plan = plan, .state = COMMAND_COMMITTED});
}

static void a_part_that_a_release_awaits_is_pending_until_it_is_given_back (void **state)
{
    fixture_t *self = *state;
    record_everywhere (self, 1, OPERATION_RESERVE, "r1", 0, COMMAND_COMMITTED, 6, 10, 12);
    record_part (self, "lis/ams", 2, "lis/ber");
    check_result_t result = judge (self, 1, false);
    assert_int_equal (result.violations, 0);
    assert_int_equal (result.pending, 1);

    record_part (self, "lis/ber", 3, NULL);
    result = judge (self, 1, true);
    assert_int_equal (result.violations, 0);
    assert_int_equal (result.pending, 0);
}

static void finds_a_part_that_a_release_leaves_out_and_does_not_await (void **state)
{
    fixture_t *self = *state;
    record_everywhere (self, 1, OPERATION_RESERVE, "r1", 0, COMMAND_COMMITTED, 6, 10, 12);
    record_part (self, "lis/ams", 2, NULL);
    assert_int_equal (judge (self, 1, true).violations, 1);
}

/*  The window is over by ber's clock or by the judge's: then a release has nothing to give back. */
static void what_is_over_is_not_held_against_a_release_that_leaves_it_out (void **state)
{
    fixture_t *self = *state;
    record_everywhere (self, 1, OPERATION_RESERVE, "r1", 0, COMMAND_COMMITTED, 6, 10, 12);
    record_part (self, "lis/ams", 2, NULL);
    assert_int_equal (judge (self, 12, true).violations, 0);
    check_clock (self->check, "lis/ams", 13 * (int64_t) HOUR_MS);
    check_clock (self->check, "lis/ber", 12 * (int64_t) HOUR_MS - 1);
    assert_int_equal (judge (self, 1, true).violations, 1);
    assert_non_null (strstr (self->told [0], "r1 still has bookings at lis/ber"));
    check_clock (self->check, "lis/ber", 12 * (int64_t) HOUR_MS);
    assert_int_equal (judge (self, 1, true).violations, 0);
}

static void what_a_release_awaits_is_not_pending_once_it_is_over (void **state)
{
    fixture_t *self = *state;
    record_everywhere (self, 1, OPERATION_RESERVE, "r1", 0, COMMAND_COMMITTED, 6, 10, 12);
    record_part (self, "lis/ams", 2, "lis/ber");
    assert_int_equal (judge (self, 1, true).pending, 1);
    check_clock (self->check, "lis/ber", 12 * (int64_t) HOUR_MS);
    assert_int_equal (judge (self, 1, true).pending, 0);
}

static void finds_what_is_pending_past_its_time (void **state)
{
    fixture_t *self = *state;
    record (self, "lis/ams", 1, OPERATION_RESERVE, "r1", 0, COMMAND_PREPARED, 6, 10, 12);
    check_result_t result = judge (self, 9, false);
    assert_int_equal (result.violations, 0);
    assert_int_equal (result.pending, 1);
    assert_int_equal (judge (self, 11, false).violations, 1);
    assert_int_equal (judge (self, 9, true).violations, 1);
}

static void finds_an_answer_that_the_records_contradict (void **state)
{
    fixture_t *self = *state;
    record_everywhere (self, 1, OPERATION_RESERVE, "r1", 0, COMMAND_COMMITTED, 6, 10, 12);
    check_answer (self->check, "q1", "r1", false);
    check_answer (self->check, "q2", "r2", true);
    check_answer (self->check, "q1@g2", "r1", true); /* another home, another request */
    assert_int_equal (judge (self, 1, true).violations, 3);
}

static void an_edge_refused_part_is_sound_only_once_released_elsewhere (void **state)
{
    fixture_t *self = *state;
    record (self, "lis/ams", 1, OPERATION_RESERVE, "r1", 0, COMMAND_COMMITTED, 6, 10, 12);
    record (self, "gis/g1", 1, OPERATION_RESERVE, "r1", 0, COMMAND_COMMITTED, 6, 10, 12);
    record (self, "lis/ber", 1, OPERATION_RESERVE, "r1", 0, COMMAND_EDGE_REFUSED, 6, 10, 12);
    assert_int_equal (judge (self, 1, true).violations, 1);
    record_everywhere (self, 2, OPERATION_RELEASE, "r1", 1, COMMAND_COMMITTED, 0, 10, 12);
    check_result_t result = judge (self, 1, true);
    assert_int_equal (result.violations, 0);
    assert_int_equal (result.repaired, 1);
}

static void an_edge_refused_part_is_sound_once_another_plan_has_come_in_its_place (void **state)
{
    fixture_t *self = *state;
    record (self, "lis/ams", 1, OPERATION_RESERVE, "r1", 0, COMMAND_COMMITTED, 6, 10, 12);
    record (self, "gis/g1", 1, OPERATION_RESERVE, "r1", 0, COMMAND_COMMITTED, 6, 10, 12);
    record (self, "lis/ber", 1, OPERATION_RESERVE, "r1", 0, COMMAND_EDGE_REFUSED, 6, 10, 12);
    record_everywhere (self, 2, OPERATION_MODIFY, "r2", 1, COMMAND_COMMITTED, 6, 10, 12);
    assert_int_equal (judge (self, 1, true).repaired, 0); /* another reservation's */
    record_everywhere (self, 3, OPERATION_MODIFY, "r1", 1, COMMAND_COMMITTED, 6, 20, 22);
    assert_int_equal (judge (self, 1, true).repaired, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown (name, set_up, tear_down)

int main (void)
{
    const struct CMUnitTest tests [] = {
      TEST (a_sound_federation_is_not_accused),
      TEST (finds_two_reservations_of_one_request),
      TEST (finds_a_commit_that_another_participant_lacks),
      TEST (finds_who_takes_no_part_and_who_has_another_plan),
      TEST (a_silent_participant_is_not_judged),
      TEST (finds_an_overbooked_instant),
      TEST (less_than_was_promised_is_no_violation),
      TEST (counts_the_cleaning_gap_and_a_vote_as_booked),
      TEST (counts_the_larger_of_a_version_and_its_change),
      TEST (finds_a_booking_of_what_is_not_described),
      TEST (finds_two_versions_of_one_number),
      TEST (finds_a_version_that_a_change_and_a_release_have_made),
      TEST (finds_what_a_later_version_has_left_behind),
      TEST (a_release_that_books_is_none),
      TEST (a_part_that_a_release_awaits_is_pending_until_it_is_given_back),
      TEST (finds_a_part_that_a_release_leaves_out_and_does_not_await),
      TEST (what_is_over_is_not_held_against_a_release_that_leaves_it_out),
      TEST (what_a_release_awaits_is_not_pending_once_it_is_over),
      TEST (finds_what_is_pending_past_its_time),
      TEST (finds_an_answer_that_the_records_contradict),
      TEST (an_edge_refused_part_is_sound_only_once_released_elsewhere),
      TEST (an_edge_refused_part_is_sound_once_another_plan_has_come_in_its_place),
    };
    return cmocka_run_group_tests_name ("check", tests, NULL, NULL);
}
