/*  planner - the release of a reservation with a part at a site that is away: it is accepted,
 *  carried out at the others, and driven on when the site is back, whatever dies meanwhile (R11).
 */
#include "message.h"
#include "planner_asking.h"

#include "gis.pb-c.h"

#define SOON_MS 30000 /* more than any pause between two looks */

static const user_wish_t both = {
  .cpus = {16, 16}, .needs = 2, .distinct = true, .start_ms = FED_HOUR_MS};
static const user_wish_t one = {.cpus = {16}, .needs = 1, .start_ms = FED_HOUR_MS};

/*  s0 and s1 with 16 CPUs each, planners p0 and p1; alice has all of them, and s1 dies. */
static void begin (fed_t *fed, uint64_t seed, char reservation [64])
{
    fed_federation (fed, seed, 1, 2, 4, 2);
    Musubi__Answer *answer = reserve (fed, "p0", "a@g1", &both);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    snprintf (reservation, 64, "%s", answer->reservation);
    message_free (&answer->base);
    fed_kill (fed, fed_find (fed, "lis/s1"));
}

static void expect_released (fed_t *fed, const char *planner, const char *id,
                             const char *reservation)
{
    Musubi__Answer *answer = release (fed, planner, id, reservation);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
}

static void expect_shown (fed_t *fed, const char *reservation, Musubi__ShowStatus status,
                          const char *silent)
{
    Musubi__ReservationView *view = show (fed, "p0", "alice", reservation);
    assert_int_equal (view->status, status);
    assert_int_equal (view->n_silent, silent != NULL);
    if (silent)
        assert_string_equal (view->silent [0], silent);
    message_free (&view->base);
}

/*  Both sites are wholly free. */
static void expect_free (fed_t *fed, const char *id)
{
    Musubi__Answer *answer = reserve (fed, "p0", id, &both);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
}

static void it_is_given_back_where_it_can_be_and_the_rest_when_the_site_is_back (void **state)
{
    (void) state;
    fed_t fed;
    char reservation [64];
    begin (&fed, 61, reservation);
    Musubi__Answer *answer = release (&fed, "p1", "r@g1", reservation);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_int_equal (answer->version, 2);
    assert_int_equal (answer->n_awaited, 1);
    assert_string_equal (answer->awaited [0], "lis/s1");
    assert_int_equal (answer->n_reasons, 2);
    assert_string_equal (answer->reasons [0]->text, "given back at: site s0");
    assert_string_equal (answer->reasons [1]->resource, "lis/s1");
    assert_string_equal (answer->reasons [1]->text,
                         "site s1 does not answer: it will give its part back once it does");
    message_free (&answer->base);
    answer = release (&fed, "p0", "r@g1", reservation); /* a repeat */
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_int_equal (answer->n_awaited, 1);
    message_free (&answer->base);
    expect_shown (&fed, reservation, MUSUBI__SHOW_STATUS__SHOW_RELEASING, "lis/s1");
    answer = reserve (&fed, "p0", "b@g1", &one);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_string_equal (answer->compute [0]->site, "s0");
    message_free (&answer->base);
    answer = modify_cpus (&fed, "p0", "m@g1", reservation, 8, 0); /* T11 */
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    message_free (&answer->base);

    fed_start (&fed, fed_find (&fed, "lis/s1"));
    fed_run (&fed, SOON_MS);
    expect_shown (&fed, reservation, MUSUBI__SHOW_STATUS__SHOW_RELEASED, NULL);
    answer = reserve (&fed, "p0", "c@g1", &one);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_string_equal (answer->compute [0]->site, "s1");
    message_free (&answer->base);
    fed_end (&fed);
}

/*  p1 is killed over and over, from its answer on until the site has come back. */
static void it_goes_on_after_every_death_of_the_planner (void **state)
{
    (void) state;
    for (int at_ms = 20; at_ms <= 320; at_ms += 60) {
        fed_t fed;
        char reservation [64];
        begin (&fed, 62, reservation);
        int p1 = fed_find (&fed, "p1");
        expect_released (&fed, "p1", "r@g1", reservation);
        for (int deaths = 0; deaths < 6; deaths++) {
            fed_kill (&fed, p1);
            fed_start (&fed, p1);
            if (deaths == 3)
                fed_start (&fed, fed_find (&fed, "lis/s1"));
            fed_run (&fed, deaths < 3 ? 2000 : 500 + at_ms);
        }
        fed_run (&fed, SOON_MS);
        expect_free (&fed, "b@g1");
        fed_end (&fed);
    }
}

/*  p1 is not started again: a finisher opens its store, does what is left, and ends. */
static void who_takes_the_store_over_drives_it_on (void **state)
{
    (void) state;
    fed_t fed;
    char reservation [64];
    begin (&fed, 63, reservation);
    int p1 = fed_find (&fed, "p1");
    expect_released (&fed, "p1", "r@g1", reservation);
    fed_kill (&fed, p1);
    fed.procs [p1].planner.finishing = true;
    fed_start (&fed, p1);
    fed_run (&fed, 120000);
    assert_false (fed.procs [p1].stopped);
    fed_start (&fed, fed_find (&fed, "lis/s1"));
    fed_run (&fed, SOON_MS);
    expect_shown (&fed, reservation, MUSUBI__SHOW_STATUS__SHOW_RELEASED, NULL);
    expect_free (&fed, "b@g1");
    fed_run (&fed, 120000);
    assert_true (fed.procs [p1].stopped);
    fed_end (&fed);
}

/*  The site's clock is ahead, so it takes its part for over, until the clock is set right. */
static void a_site_that_comes_back_with_its_clock_ahead_gives_back_nonetheless (void **state)
{
    (void) state;
    fed_t fed;
    char reservation [64];
    begin (&fed, 69, reservation);
    fed_proc_t *s1 = &fed.procs [fed_find (&fed, "lis/s1")];
    expect_released (&fed, "p1", "r@g1", reservation);
    s1->ahead_ms = 3 * FED_HOUR_MS;
    fed_start (&fed, fed_find (&fed, "lis/s1"));
    fed_run (&fed, SOON_MS);
    s1->ahead_ms = 0;
    fed_run (&fed, SOON_MS);
    expect_shown (&fed, reservation, MUSUBI__SHOW_STATUS__SHOW_RELEASED, NULL);
    expect_free (&fed, "b@g1");
    fed_end (&fed);
}

static void once_the_window_has_passed_there_is_nothing_left_to_do (void **state)
{
    (void) state;
    fed_t fed;
    char reservation [64];
    begin (&fed, 64, reservation);
    int p1 = fed_find (&fed, "p1");
    expect_released (&fed, "p1", "r@g1", reservation);
    fed_kill (&fed, p1);
    fed.procs [p1].planner.finishing = true;
    fed_start (&fed, p1);
    fed_run (&fed, 2 * FED_HOUR_MS + 180000);
    assert_true (fed.procs [p1].stopped);
    fed_start (&fed, fed_find (&fed, "lis/s1"));
    fed_run (&fed, SOON_MS);
    expect_shown (&fed, reservation, MUSUBI__SHOW_STATUS__SHOW_RELEASED, NULL);
    fed_end (&fed);
}

/*  The site, with a new store, books again what the homes say it had promised, but nothing
 *  released. */
static void a_site_that_has_lost_its_store_has_nothing_to_give_back (void **state)
{
    (void) state;
    fed_t fed;
    char reservation [64];
    begin (&fed, 65, reservation);
    expect_released (&fed, "p1", "r@g1", reservation);
    fed_wipe (&fed.procs [fed_find (&fed, "lis/s1")]);
    fed_start (&fed, fed_find (&fed, "lis/s1"));
    fed_run (&fed, 2 * SOON_MS);
    expect_shown (&fed, reservation, MUSUBI__SHOW_STATUS__SHOW_RELEASED, NULL);
    expect_free (&fed, "b@g1");
    fed_end (&fed);
}

/*  The store of the planner that accepted it is gone: the owner releases what is left. */
static void what_nobody_drives_can_be_released_again (void **state)
{
    (void) state;
    fed_t fed;
    char reservation [64];
    begin (&fed, 66, reservation);
    expect_released (&fed, "p1", "r@g1", reservation);
    Musubi__Answer *answer = release (&fed, "p0", "s@g1", reservation);
    expect_status (answer,
                   MUSUBI__ANSWER_STATUS__ANSWER_REFUSED); /* no site that answers has a part */
    message_free (&answer->base);
    fed_kill (&fed, fed_find (&fed, "p1"));
    fed_start (&fed, fed_find (&fed, "lis/s1"));
    fed_run (&fed, SOON_MS);
    expect_shown (&fed, reservation, MUSUBI__SHOW_STATUS__SHOW_RELEASING, "lis/s1");
    expect_released (&fed, "p0", "t@g1", reservation);
    expect_shown (&fed, reservation, MUSUBI__SHOW_STATUS__SHOW_RELEASED, NULL);
    expect_free (&fed, "b@g1");
    fed_end (&fed);
}

/*  As above, with three sites, one of which is still away: the owner is told which, and the release
 *  is driven on there, too. */
static void who_is_awaited_still_is_named_by_a_second_release (void **state)
{
    static const user_wish_t all = {
      .cpus = {16, 16, 16}, .needs = 3, .distinct = true, .start_ms = FED_HOUR_MS};
    (void) state;
    fed_t fed;
    fed_federation (&fed, 67, 1, 3, 4, 2);
    Musubi__Answer *answer = reserve (&fed, "p0", "a@g1", &all);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    char reservation [64];
    snprintf (reservation, sizeof reservation, "%s", answer->reservation);
    message_free (&answer->base);
    fed_kill (&fed, fed_find (&fed, "lis/s1"));
    fed_kill (&fed, fed_find (&fed, "lis/s2"));
    expect_released (&fed, "p1", "r@g1", reservation);
    fed_kill (&fed, fed_find (&fed, "p1"));
    fed_start (&fed, fed_find (&fed, "lis/s1"));
    fed_run (&fed, SOON_MS);
    answer = release (&fed, "p0", "t@g1", reservation);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_int_equal (answer->n_awaited, 1);
    assert_string_equal (answer->awaited [0], "lis/s2");
    message_free (&answer->base);
    expect_shown (&fed, reservation, MUSUBI__SHOW_STATUS__SHOW_RELEASING, "lis/s2");
    fed_start (&fed, fed_find (&fed, "lis/s2"));
    fed_run (&fed, SOON_MS);
    expect_shown (&fed, reservation, MUSUBI__SHOW_STATUS__SHOW_RELEASED, NULL);
    answer = reserve (&fed, "p0", "b@g1", &all);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    fed_end (&fed);
}

static Musubi__Answer *move_to (fed_t *fed, const char *id, const char *reservation,
                                const char *site)
{
    Musubi__ModifyRequest request = MUSUBI__MODIFY_REQUEST__INIT;
    Musubi__NeedPatch patch = MUSUBI__NEED_PATCH__INIT, *list [] = {&patch};
    patch.id = "n0";
    patch.site = (char *) site;
    request.reservation = (char *) reservation;
    request.compute = list;
    request.n_compute = 1;
    return read_answer (
      fed, fed_ask (fed, "p0", "Planner", "Modify", "alice", id, &request.base, 60000));
}

/*  n0 moves away from its site, which knows the reservation since and has nothing to give back.
 *  Were its word enough, nothing would bar a change by another planner before the rest is given
 *  back. */
static void where_nothing_is_booked_is_not_enough (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 70, 1, 3, 4, 2);
    Musubi__Answer *answer = reserve (&fed, "p0", "a@g1", &both);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    char reservation [64], left [24], others [2][24] = {"", ""};
    snprintf (reservation, sizeof reservation, "%s", answer->reservation);
    snprintf (left, sizeof left, "lis/%s", answer->compute [0]->site);
    snprintf (others [0], sizeof others [0], "lis/%s", answer->compute [1]->site);
    for (int i = 0; i < 3; i++) {
        char site [24];
        snprintf (site, sizeof site, "lis/s%d", i);
        if (strcmp (site, left) != 0 && strcmp (site, others [0]) != 0)
            memcpy (others [1], site, sizeof site);
    }
    message_free (&answer->base);
    answer = move_to (&fed, "v@g1", reservation, others [1] + strlen ("lis/"));
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    for (int i = 0; i < 2; i++)
        fed_kill (&fed, fed_find (&fed, others [i]));
    answer = release (&fed, "p0", "r@g1", reservation);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_UNKNOWN);
    assert_non_null (strstr (answer->reasons [0]->text, "does not answer"));
    message_free (&answer->base);
    for (int i = 0; i < 2; i++)
        fed_start (&fed, fed_find (&fed, others [i]));
    fed_run (&fed, SOON_MS);
    answer = modify_cpus (&fed, "p1", "m@g1", reservation, 8, 0);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_int_equal (answer->version, 3);
    message_free (&answer->base);
    fed_run (&fed, SOON_MS);
    expect_shown (&fed, reservation, MUSUBI__SHOW_STATUS__SHOW_COMMITTED, NULL);
    answer = release (&fed, "p1", "r@g1", reservation); /* the same request */
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_int_equal (answer->version, 4);
    assert_int_equal (answer->n_awaited, 0);
    message_free (&answer->base);
    expect_free (&fed, "b@g1");
    fed_end (&fed);
}

static void forget (fed_t *fed, int at)
{
    const fed_proc_t *proc = &fed->procs [at];
    Musubi__WithdrawRequest request = MUSUBI__WITHDRAW_REQUEST__INIT;
    request.name = (char *) proc->name;
    request.store =
      (ProtobufCBinaryData){.len = STORE_ID_BYTES, .data = (uint8_t *) proc->host.store.id};
    request.start = proc->host.store.start;
    call_status_t status;
    char reason [256];
    ProtobufCMessage *answer = fed_answer (
      fed, fed_ask (fed, "gis/g1", "Gis", "Withdraw", proc->name, "", &request.base, 5000),
      &musubi__withdraw_answer__descriptor, &status, reason);
    assert_non_null (answer);
    message_free (answer);
}

static void with_sites (fed_t *fed, void (*deed) (fed_t *fed, int at))
{
    deed (fed, fed_find (fed, "lis/s0"));
    deed (fed, fed_find (fed, "lis/s1"));
    deed (fed, fed_find (fed, "lis/s2"));
}

/*  All sites that know it are away for longer than their lease, or even forgotten by the directory:
 *  it is not said that nobody knows it, and the same release is done when they are back. */
static void what_only_those_know_who_are_away_is_not_given_up (void **state)
{
    (void) state;
    for (int forgotten = 0; forgotten < 2; forgotten++) {
        fed_t fed;
        char reservation [64];
        fed_federation (&fed, 68, 1, 3, 4, 1);
        Musubi__Answer *answer = reserve (&fed, "p0", "a@g1", &both);
        expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
        snprintf (reservation, sizeof reservation, "%s", answer->reservation);
        message_free (&answer->base);
        with_sites (&fed, fed_kill);
        fed_run (&fed, DIRECTORY_LEASE_MS + 1000);
        if (forgotten)
            with_sites (&fed, forget);
        answer = release (&fed, "p0", "r@g1", reservation);
        expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_UNKNOWN);
        message_free (&answer->base);
        with_sites (&fed, fed_start);
        fed_run (&fed, SOON_MS);
        expect_released (&fed, "p0", "r@g1", reservation);
        fed_end (&fed);
    }
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (it_is_given_back_where_it_can_be_and_the_rest_when_the_site_is_back),
      cmocka_unit_test (it_goes_on_after_every_death_of_the_planner),
      cmocka_unit_test (who_takes_the_store_over_drives_it_on),
      cmocka_unit_test (a_site_that_comes_back_with_its_clock_ahead_gives_back_nonetheless),
      cmocka_unit_test (once_the_window_has_passed_there_is_nothing_left_to_do),
      cmocka_unit_test (a_site_that_has_lost_its_store_has_nothing_to_give_back),
      cmocka_unit_test (what_nobody_drives_can_be_released_again),
      cmocka_unit_test (who_is_awaited_still_is_named_by_a_second_release),
      cmocka_unit_test (where_nothing_is_booked_is_not_enough),
      cmocka_unit_test (what_only_those_know_who_are_away_is_not_given_up),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
