/*  far_windows: a reservation whose parts lie days apart is one reservation until its last window
 *  has passed, though each of its sites keeps records by a retention that is shorter than that.
 */
#include "federation_fixture.h"
#include "message.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/*  Needs "near" at +1 h and "far" at +73 h, an hour each, at different sites. */
static Musubi__Answer *reserve (fed_t *fed)
{
    Musubi__ReserveRequest reserve = MUSUBI__RESERVE_REQUEST__INIT;
    Musubi__Request request = MUSUBI__REQUEST__INIT;
    Musubi__TimeFrame window = MUSUBI__TIME_FRAME__INIT;
    Musubi__Instant start = MUSUBI__INSTANT__INIT;
    Musubi__ComputeNeed needs [2], *list [2] = {&needs [0], &needs [1]};
    musubi__compute_need__init (&needs [0]);
    musubi__compute_need__init (&needs [1]);
    needs [0].id = "near";
    needs [1].id = "far";
    needs [0].cpus = needs [1].cpus = 16;
    needs [1].offset_ms = 72 * FED_HOUR_MS;
    start.when_case = MUSUBI__INSTANT__WHEN_AT_MS;
    start.at_ms = FED_EPOCH_MS + FED_HOUR_MS;
    window.start = &start;
    request.name = "far apart";
    request.window = &window;
    request.duration_ms = FED_HOUR_MS;
    request.n_compute = 2;
    request.compute = list;
    request.distinct_sites = true;
    reserve.request = &request;
    uint64_t asked =
      fed_ask (fed, "p0", "Planner", "Reserve", "alice", "a@g1", &reserve.base, 60000);
    call_status_t status;
    char reason [256];
    Musubi__Answer *answer =
      (Musubi__Answer *) fed_answer (fed, asked, &musubi__answer__descriptor, &status, reason);
    assert_non_null (answer);
    assert_int_equal (answer->status, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_string_not_equal (answer->compute [0]->site, answer->compute [1]->site);
    return answer;
}

static Musubi__Answer *release (fed_t *fed, const char *id, const char *reservation)
{
    Musubi__ReleaseRequest request = MUSUBI__RELEASE_REQUEST__INIT;
    request.reservation = (char *) reservation;
    uint64_t asked = fed_ask (fed, "p0", "Planner", "Release", "alice", id, &request.base, 60000);
    call_status_t status;
    char reason [256];
    Musubi__Answer *answer =
      (Musubi__Answer *) fed_answer (fed, asked, &musubi__answer__descriptor, &status, reason);
    assert_non_null (answer);
    return answer;
}

static bool known_at (fed_t *fed, const char *site, const char *reservation)
{
    char name [64], reason [256];
    call_status_t status;
    Musubi__ShowRequest request = MUSUBI__SHOW_REQUEST__INIT;
    request.reservation = (char *) reservation;
    snprintf (name, sizeof name, "lis/%s", site);
    Musubi__ShowAnswer *answer = (Musubi__ShowAnswer *) fed_answer (
      fed, fed_ask (fed, name, "Participant", "Show", "alice", "", &request.base, 9000),
      &musubi__show_answer__descriptor, &status, reason);
    assert_non_null (answer);
    bool known = answer->record != NULL;
    message_free (&answer->base);
    return known;
}

static void a_reservation_can_be_released_while_its_last_window_lies_ahead (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 41, 1, 2, 4, 1);
    Musubi__Answer *answer = reserve (&fed);
    fed_run (&fed, 30 * FED_HOUR_MS); /* the near part's own retention ended at 26 h */
    for (size_t i = 0; i < 2; i++)
        assert_true (known_at (&fed, answer->compute [i]->site, answer->reservation));
    Musubi__Answer *released = release (&fed, "b@g1", answer->reservation);
    assert_int_equal (released->status, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_int_equal (released->version, 2);
    message_free (&released->base);
    message_free (&answer->base);
    fed_end (&fed);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_reservation_can_be_released_while_its_last_window_lies_ahead),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
