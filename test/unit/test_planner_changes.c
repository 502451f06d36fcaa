/*  planner - what comes after a reservation: planners that die, repair, modify, release, show,
 *  list.
 */
#include "message.h"
#include "planner_asking.h"

#include <inttypes.h>

/*  --- planners that fail --- */

static bool lose_commits (fed_t *fed, const fed_call_t *call)
{
    (void) fed;
    return strcmp (call->method, "Commit") != 0;
}

static void a_planner_killed_after_its_decision_drives_it_to_the_end (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 14, 1, 2, 4, 2);
    user_wish_t wish = {.cpus = {8, 8}, .needs = 2, .distinct = true};
    fed.passes = lose_commits;
    ask_reserve (&fed, "p0", "r@g1", &wish);
    fed_run (&fed, 200);
    fed_kill (&fed, fed_find (&fed, "p0"));
    fed.passes = NULL;
    fed_start (&fed, fed_find (&fed, "p0"));
    fed_run (&fed, 8000);
    Musubi__Answer *answer = reserve (&fed, "p1", "r@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    fed_end (&fed);
}

static void what_a_planner_left_undecided_is_aborted_when_it_is_back (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 15, 1, 2, 4, 2);
    user_wish_t wish = {.cpus = {16, 16}, .needs = 2, .distinct = true, .start_ms = FED_HOUR_MS};
    fed.returns = lose_vote_answers;
    ask_reserve (&fed, "p0", "r@g1", &wish);
    fed_run (&fed, 200);
    fed_kill (&fed, fed_find (&fed, "p0"));
    fed.returns = NULL;
    fed_start (&fed, fed_find (&fed, "p0"));
    fed_run (&fed, 8000);
    /* The same planner finds holds of its earlier start and replaces them. */
    Musubi__Answer *answer = reserve (&fed, "p0", "r@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    fed_end (&fed);
}

static void a_finisher_settles_a_dead_planners_store_and_ends (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 16, 1, 2, 4, 2);
    int dead = fed_find (&fed, "p0");
    user_wish_t wish = {.cpus = {8, 8}, .needs = 2, .distinct = true};
    fed.passes = lose_commits;
    ask_reserve (&fed, "p0", "r@g1", &wish);
    fed_run (&fed, 200);
    fed_kill (&fed, dead);
    fed.passes = NULL;
    assert_true (fed.procs [dead].host.records.count > 0);
    fed.procs [dead].planner.finishing = true;
    fed_start (&fed, dead);
    fed_run (&fed, 5000);
    Musubi__Answer *answer = reserve (&fed, "p1", "r@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    call_status_t status;
    char reason [256];
    uint64_t asked = ask_reserve (&fed, "p0", "x@g1", &wish);
    assert_null (fed_answer (&fed, asked, &musubi__answer__descriptor, &status, reason));
    assert_int_equal (status, CALL_OVERLOADED); /* it takes no requests */
    assert_false (fed.procs [dead].stopped);
    fed_run (&fed, 120000);
    assert_true (fed.procs [dead].stopped);
    fed_end (&fed);
}

/*  --- repair --- */

static void lose_store_of_s1_after_voting (fed_t *fed, const fed_call_t *call)
{
    int site = fed_find (fed, "lis/s1");
    if (call->to != site || strcmp (call->method, "Hold") != 0 || fed->counts [0]++ > 0)
        return;
    fed_kill (fed, site);
    fed_wipe (&fed->procs [site]);
    fed_start (fed, site);
}

static void a_lost_part_makes_the_rest_released_and_told_failed (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 17, 1, 2, 4, 2);
    user_wish_t wish = {.cpus = {16, 16}, .needs = 2, .distinct = true, .start_ms = FED_HOUR_MS};
    fed.after = lose_store_of_s1_after_voting;
    Musubi__Answer *answer = reserve (&fed, "p0", "r@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_non_null (strstr (answer->reasons [0]->text, "lis/s1 has lost its store"));
    message_free (&answer->base);
    answer = reserve (&fed, "p1", "r@g1", &wish); /* for ever */
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    message_free (&answer->base);
    fed_run (&fed, 30000);                         /* the old store's lease ends */
    answer = reserve (&fed, "p1", "r2@g1", &wish); /* everything is free again */
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    fed_end (&fed);
}

/*  --- modify and release --- */

static void what_has_ended_is_not_called_released_and_keeps_where_and_when_it_was (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 19, 1, 2, 4, 1);
    user_wish_t wish = {.cpus = {16}, .needs = 1, .start_ms = FED_HOUR_MS};
    Musubi__Answer *answer = reserve (&fed, "p0", "a@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    fed_run (&fed, 2 * FED_HOUR_MS + 60000);
    Musubi__ReservationView *view = show (&fed, "p0", "alice", answer->reservation);
    assert_int_equal (view->status, MUSUBI__SHOW_STATUS__SHOW_ENDED);
    assert_int_equal (view->state, MUSUBI__RESERVATION_STATE__RELEASED); /* S3's word */
    assert_int_equal (view->n_compute, 1);
    assert_int_equal (view->start_ms, answer->start_ms);
    assert_int_equal (view->compute [0]->until_ms, answer->start_ms + FED_HOUR_MS);
    message_free (&view->base);
    message_free (&answer->base);
    fed_end (&fed);
}

static void released_is_free_again_and_twice_is_told_so (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 18, 1, 2, 4, 2);
    user_wish_t wish = {.cpus = {16, 16}, .needs = 2, .distinct = true, .start_ms = FED_HOUR_MS};
    Musubi__Answer *first = reserve (&fed, "p0", "a@g1", &wish);
    expect_status (first, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    Musubi__Answer *answer = release (&fed, "p1", "b@g1", first->reservation);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_int_equal (answer->version, 2);
    message_free (&answer->base);
    answer = release (&fed, "p0", "b@g1", first->reservation); /* a repeat */
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    answer = release (&fed, "p0", "c@g1", first->reservation); /* a new one */
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    message_free (&answer->base);
    Musubi__ReservationView *view = show (&fed, "p0", "alice", first->reservation);
    assert_int_equal (view->status, MUSUBI__SHOW_STATUS__SHOW_RELEASED);
    message_free (&view->base);
    answer = reserve (&fed, "p0", "d@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    answer = release (&fed, "p0", "e@g1", "no-such-thing");
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    message_free (&answer->base);
    message_free (&first->base);
    fed_end (&fed);
}

static void a_change_grows_in_place_moves_when_it_must_and_shrinks (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 19, 1, 2, 8, 2);
    user_wish_t wish = {.cpus = {16}, .needs = 1, .start_ms = FED_HOUR_MS};
    Musubi__Answer *first = reserve (&fed, "p0", "a@g1", &wish);
    expect_status (first, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_string_equal (first->compute [0]->site, "s0");
    Musubi__Answer *answer = modify_cpus (&fed, "p1", "b@g1", first->reservation, 28, 0);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_string_equal (answer->compute [0]->site, "s0"); /* with its own 16 counted as free */
    assert_int_equal (answer->compute [0]->cpus, 28);
    assert_int_equal (answer->start_ms, first->start_ms);
    assert_int_equal (answer->version, 2);
    message_free (&answer->base);

    wish.cpus [0] = 4; /* takes the rest of s0 */
    Musubi__Answer *other = reserve (&fed, "p0", "c@g1", &wish);
    assert_string_equal (other->compute [0]->site, "s0");
    message_free (&other->base);
    answer = modify_cpus (&fed, "p1", "d@g1", first->reservation, 32, 0);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_string_equal (answer->compute [0]->site, "s1");
    assert_int_equal (answer->version, 3);
    message_free (&answer->base);
    answer = modify_cpus (&fed, "p0", "e@g1", first->reservation, 4, FED_HOUR_MS / 2);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_string_equal (answer->compute [0]->site, "s1");
    assert_int_equal (answer->end_ms - answer->start_ms, FED_HOUR_MS / 2);
    message_free (&answer->base);
    fed_run (&fed, 200);
    Musubi__ReservationView *view = show (&fed, "p0", "alice", first->reservation);
    assert_int_equal (view->status, MUSUBI__SHOW_STATUS__SHOW_COMMITTED);
    assert_int_equal (view->version, 4);
    assert_int_equal (view->n_compute, 1);
    message_free (&view->base);
    message_free (&first->base);
    fed_end (&fed);
}

static bool lose_what_p1_asks_of_s0 (fed_t *fed, const fed_call_t *call)
{
    return call->from != fed_find (fed, "p1") || call->to != fed_find (fed, "lis/s0");
}

static void a_release_takes_along_the_site_that_a_change_brought_in_meanwhile (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 23, 1, 2, 8, 2);
    user_wish_t wish = {.cpus = {16}, .needs = 1, .start_ms = FED_HOUR_MS};
    Musubi__Answer *first = reserve (&fed, "p0", "a@g1", &wish);
    assert_string_equal (first->compute [0]->site, "s0");
    Musubi__Answer *answer = reserve (&fed, "p0", "b@g1", &wish);
    assert_string_equal (answer->compute [0]->site, "s0");
    message_free (&answer->base);
    Musubi__ReleaseRequest request = MUSUBI__RELEASE_REQUEST__INIT;
    request.reservation = first->reservation;
    fed.passes = lose_what_p1_asks_of_s0;
    uint64_t asked =
      fed_ask (&fed, "p1", "Planner", "Release", "alice", "c@g1", &request.base, 60000);
    fed_run (&fed, 20); /* s1 has said that it does not know it */
    answer = modify_cpus (&fed, "p0", "d@g1", first->reservation, 32, 0);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_string_equal (answer->compute [0]->site, "s1");
    message_free (&answer->base);
    fed.passes = NULL;
    answer = read_answer (&fed, asked);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_int_equal (answer->version, 3);
    message_free (&answer->base);
    wish.cpus [0] = 32; /* all of s1, which has it free again */
    answer = reserve (&fed, "p0", "e@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    message_free (&first->base);
    fed_end (&fed);
}

static void who_lives_now_where_a_site_was_says_nothing_for_it (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 24, 1, 3, 8, 2);
    user_wish_t wish = {.cpus = {32, 32}, .needs = 2, .start_ms = FED_HOUR_MS};
    Musubi__Answer *first = reserve (&fed, "p0", "a@g1", &wish);
    expect_status (first, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    int gone = fed_find (&fed, "lis/s0"), other = fed_find (&fed, "lis/s2");
    fed_kill (&fed, gone);
    fed_kill (&fed, other);
    size_t room = sizeof fed.procs [gone].endpoint;
    char endpoint [sizeof fed.procs [gone].endpoint];
    memcpy (endpoint, fed.procs [gone].endpoint, room);
    memcpy (fed.procs [gone].endpoint, fed.procs [other].endpoint, room);
    memcpy (fed.procs [other].endpoint, endpoint, room);
    fed_start (&fed, other);
    Musubi__Answer *answer = release (&fed, "p1", "b@g1", first->reservation);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_int_equal (answer->n_awaited, 1); /* s0 may come back */
    assert_string_equal (answer->awaited [0], "lis/s0");
    message_free (&answer->base);
    fed_start (&fed, gone);
    fed_run (&fed, 30000);
    answer = reserve (&fed, "p0", "d@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    message_free (&first->base);
    fed_end (&fed);
}

static void a_running_reservation_is_prolonged_where_it_is (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 20, 1, 2, 8, 1);
    user_wish_t wish = {.cpus = {16}, .needs = 1, .start_ms = 60000};
    Musubi__Answer *first = reserve (&fed, "p0", "a@g1", &wish);
    expect_status (first, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    fed_run (&fed, 600000);
    Musubi__Answer *answer =
      modify_cpus (&fed, "p0", "b@g1", first->reservation, 0, 2 * FED_HOUR_MS);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_string_equal (answer->compute [0]->site, first->compute [0]->site);
    assert_int_equal (answer->start_ms, first->start_ms);
    assert_int_equal (answer->end_ms, first->start_ms + 2 * FED_HOUR_MS);
    message_free (&answer->base);
    message_free (&first->base);
    fed_end (&fed);
}

/*  s1 gets no Hold of a change: one vote of two is missing. */
static bool lose_holds_at_s1 (fed_t *fed, const fed_call_t *call)
{
    return strcmp (call->method, "Hold") != 0 || call->to != fed_find (fed, "lis/s1");
}

/*  cpus: of the first need; 0 = as it is. */
static Musubi__Answer *move_to (fed_t *fed, const char *id, const char *reservation,
                                int64_t start_ms, uint32_t cpus)
{
    Musubi__ModifyRequest modify = MUSUBI__MODIFY_REQUEST__INIT;
    Musubi__TimeFrame window = MUSUBI__TIME_FRAME__INIT;
    Musubi__Instant start = MUSUBI__INSTANT__INIT;
    Musubi__NeedPatch patch = MUSUBI__NEED_PATCH__INIT, *list [] = {&patch};
    patch.id = "n0";
    patch.cpus = cpus;
    modify.compute = list;
    modify.n_compute = cpus > 0;
    start.when_case = MUSUBI__INSTANT__WHEN_AT_MS;
    start.at_ms = FED_EPOCH_MS + start_ms;
    window.start = &start;
    modify.reservation = (char *) reservation;
    modify.window = &window;
    return read_answer (fed,
                        fed_ask (fed, "p1", "Planner", "Modify", "alice", id, &modify.base, 60000));
}

/*  With a new window that allows the old start, a tenth of a second before it: whatever becomes of
 *  it, nobody is told to have had less since that start. */
static void R10_what_begins_now_is_not_made_smaller_from_its_start_on (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 20, 1, 2, 8, 2);
    user_wish_t wish = {.cpus = {16}, .needs = 1, .start_ms = 60000};
    Musubi__Answer *first = reserve (&fed, "p0", "a@g1", &wish);
    expect_status (first, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    fed_run (&fed, first->start_ms - FED_EPOCH_MS - fed.mono_ms - 100);
    Musubi__Answer *answer = move_to (&fed, "b@g1", first->reservation, 60000, 8);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_non_null (strstr (answer->reasons [0]->text, "too late"));
    message_free (&answer->base);
    fed_run (&fed, 1000);
    answer = modify_cpus (&fed, "p0", "c@g1", first->reservation, 8, 0);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    message_free (&first->base);
    fed_end (&fed);
}

/*  A change at two sites, one of which refuses it: the reservation keeps what it had, what it might
 *  have got is free for others, and it can be changed again. */
static void R10_a_change_that_fails_at_one_of_two_sites_leaves_the_old_at_both (void **state)
{
    (void) state;
    static const struct {
        uint32_t cpus; /* of the first need; 0 = as it is */
        int64_t duration_ms;
        int64_t move_ms;
    } changes [] = {
      {0, 2 * FED_HOUR_MS, 0}, {8, FED_HOUR_MS / 2, 0}, {24, 0, 0}, {0, 0, 3 * FED_HOUR_MS}};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        fed_t fed;
        fed_federation (&fed, 30 + i, 1, 2, 8, 2);
        user_wish_t wish = {
          .cpus = {16, 16}, .needs = 2, .distinct = true, .start_ms = FED_HOUR_MS};
        Musubi__Answer *first = reserve (&fed, "p0", "a@g1", &wish);
        expect_status (first, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
        for (int round = 0; round < 2; round++) {
            char id [16];
            snprintf (id, sizeof id, "m%d@g1", round);
            fed.passes = round == 0 ? lose_holds_at_s1 : NULL;
            Musubi__Answer *answer =
              changes [i].move_ms ? move_to (&fed, id, first->reservation, changes [i].move_ms, 0)
                                  : modify_cpus (&fed, "p1", id, first->reservation,
                                                 changes [i].cpus, changes [i].duration_ms);
            fed.passes = NULL;
            expect_status (answer, round == 0 ? MUSUBI__ANSWER_STATUS__ANSWER_UNKNOWN
                                              : MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
            fed_run (&fed, 1000);
            Musubi__ReservationView *view = show (&fed, "p0", "alice", first->reservation);
            assert_int_equal (view->status, MUSUBI__SHOW_STATUS__SHOW_COMMITTED);
            assert_int_equal (view->version, 1 + round);
            assert_int_equal (view->n_compute, 2);
            if (round == 0) {
                assert_int_equal (view->start_ms, first->start_ms);
                assert_int_equal (view->end_ms, first->end_ms);
                /* the other half of both sites, over all the time that was asked for */
                user_wish_t rest = wish;
                rest.duration_ms = 4 * FED_HOUR_MS;
                Musubi__Answer *other = reserve (&fed, "p0", "b@g1", &rest);
                expect_status (other, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
                Musubi__Answer *gone = release (&fed, "p0", "c@g1", other->reservation);
                expect_status (gone, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
                message_free (&other->base);
                message_free (&gone->base);
            } else {
                assert_int_equal (view->start_ms, answer->start_ms);
                assert_int_equal (view->end_ms, answer->end_ms);
            }
            message_free (&view->base);
            message_free (&answer->base);
        }
        message_free (&first->base);
        fed_end (&fed);
    }
}

static void nobody_changes_what_is_anothers (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 21, 1, 2, 8, 1);
    Musubi__Answer *first = reserve (&fed, "p0", "a@g1", &(user_wish_t){.cpus = {16}, .needs = 1});
    Musubi__ReleaseRequest request = MUSUBI__RELEASE_REQUEST__INIT;
    request.reservation = first->reservation;
    Musubi__Answer *answer = read_answer (
      &fed, fed_ask (&fed, "p0", "Planner", "Release", "mallory", "b@g1", &request.base, 9000));
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    message_free (&answer->base);
    fed_run (&fed, 1000);
    Musubi__ReservationView *view = show (&fed, "p0", "alice", first->reservation);
    assert_int_equal (view->status, MUSUBI__SHOW_STATUS__SHOW_COMMITTED);
    message_free (&view->base);
    message_free (&first->base);
    fed_end (&fed);
}

static void changes_of_one_reservation_at_two_planners_come_one_after_the_other (void **state)
{
    (void) state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        fed_t fed;
        fed_federation (&fed, seed, 1, 2, 16, 2);
        user_wish_t wish = {.cpus = {8, 8}, .needs = 2, .start_ms = FED_HOUR_MS, .distinct = true};
        Musubi__Answer *first = reserve (&fed, "p0", "a@g1", &wish);
        expect_status (first, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
        Musubi__ModifyRequest request = MUSUBI__MODIFY_REQUEST__INIT;
        uint64_t asked [4];
        request.reservation = first->reservation;
        for (int i = 0; i < 4; i++) {
            char id [16];
            snprintf (id, sizeof id, "m%d@g1", i);
            request.duration_ms = (i + 2) * FED_HOUR_MS;
            asked [i] = fed_ask (&fed, i % 2 ? "p1" : "p0", "Planner", "Modify", "alice", id,
                                 &request.base, 60000);
        }
        uint32_t committed = 0, highest = 0;
        for (int i = 0; i < 4; i++) {
            Musubi__Answer *answer = read_answer (&fed, asked [i]);
            committed += answer->status == MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED;
            if (answer->version > highest)
                highest = answer->version;
            message_free (&answer->base);
        }
        assert_in_range (committed, 2, 4);
        assert_int_equal (highest, committed + 1); /* no version was made twice */
        fed_run (&fed, 1000);
        Musubi__ReservationView *view = show (&fed, "p0", "alice", first->reservation);
        assert_int_equal (view->status, MUSUBI__SHOW_STATUS__SHOW_COMMITTED);
        assert_int_equal (view->version, highest);
        message_free (&view->base);
        message_free (&first->base);
        fed_end (&fed);
    }
}

static void lists_come_in_pages_and_name_the_silent (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 22, 1, 3, 64, 1);
    for (int i = 0; i < 10; i++) {
        char id [16];
        snprintf (id, sizeof id, "r%d@g1", i);
        Musubi__Answer *answer =
          reserve (&fed, "p0", id, &(user_wish_t){.cpus = {4, 4}, .needs = 2, .distinct = true});
        expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
        message_free (&answer->base);
    }
    fed_run (&fed, 500);
    char after [64] = "";
    size_t seen = 0;
    bool more = true;
    while (more) {
        Musubi__ListReservationsRequest request = MUSUBI__LIST_RESERVATIONS_REQUEST__INIT;
        request.most = 3;
        request.after = after;
        call_status_t status;
        char reason [256];
        Musubi__ListReservationsAnswer *answer = (Musubi__ListReservationsAnswer *) fed_answer (
          &fed, fed_ask (&fed, "p0", "Planner", "List", "alice", "", &request.base, 9000),
          &musubi__list_reservations_answer__descriptor, &status, reason);
        assert_non_null (answer);
        assert_true (answer->n_views > 0);
        for (size_t i = 0; i < answer->n_views; i++) {
            assert_true (strcmp (answer->views [i]->reservation, after) > 0);
            snprintf (after, sizeof after, "%s", answer->views [i]->reservation);
            assert_int_equal (answer->views [i]->n_compute, 2);
            assert_int_equal (answer->views [i]->status, MUSUBI__SHOW_STATUS__SHOW_COMMITTED);
            seen++;
        }
        more = answer->more;
        message_free (&answer->base);
    }
    assert_int_equal (seen, 10);
    fed_kill (&fed, fed_find (&fed, "lis/s2"));
    Musubi__ListReservationsRequest request = MUSUBI__LIST_RESERVATIONS_REQUEST__INIT;
    call_status_t status;
    char reason [256];
    Musubi__ListReservationsAnswer *answer = (Musubi__ListReservationsAnswer *) fed_answer (
      &fed, fed_ask (&fed, "p0", "Planner", "List", "alice", "", &request.base, 9000),
      &musubi__list_reservations_answer__descriptor, &status, reason);
    assert_int_equal (answer->n_silent, 1);
    assert_string_equal (answer->silent [0], "lis/s2");
    message_free (&answer->base);
    fed_end (&fed);
}

/*  Commits of p0 do not reach s1, and nobody else can tell s1 the outcome. */
static bool keep_s1_in_doubt (fed_t *fed, const fed_call_t *call)
{
    int p0 = fed_find (fed, "p0");
    bool commit = call->from == p0 && call->to == fed_find (fed, "lis/s1") &&
                  strcmp (call->method, "Commit") == 0;
    bool question = (call->to == p0 && strcmp (call->method, "Outcome") == 0) ||
                    strcmp (call->method, "Resolve") == 0;
    return !fed->counts [0] || !(commit || question);
}

static bool has_failed_part (fed_t *fed, const char *reservation)
{
    Musubi__ReservationView *view = show (fed, "p1", "alice", reservation);
    bool failed = false;
    for (size_t i = 0; view && i < view->n_parts; i++)
        failed = failed || view->parts [i]->state == MUSUBI__RESERVATION_STATE__FAILED;
    if (view)
        message_free (&view->base);
    return failed;
}

/*  Three sites of 16 CPUs with a long lead, so that there is time between an edge and its window.
 */
static void T10_a_repair_leaves_a_later_version_alone (void **state)
{
    (void) state;
    fed_t fed;
    fed_new (&fed, 3);
    fed_add (&fed, FED_GIS, "gis/g1");
    for (int i = 0; i < 3; i++) {
        char name [32];
        snprintf (name, sizeof name, "lis/s%d", i);
        int site = fed_add_site (&fed, name, 4, 4, 1000 * (i + 1), DISCLOSE_PROFILE);
        fed.procs [site].site.lead_ms = 120000;
    }
    fed_add (&fed, FED_PLANNER, "p0");
    fed_add (&fed, FED_PLANNER, "p1");
    for (int i = 0; i < fed.procs_count; i++)
        fed_start (&fed, i);
    fed_run (&fed, 8000);

    /* Decided, but s1 does not hear of it, and past the edge another takes its nodes. */
    fed.passes = keep_s1_in_doubt;
    fed.counts [0] = 1;
    user_wish_t wish = {.cpus = {16, 16}, .needs = 2, .distinct = true, .start_ms = 300000};
    uint64_t id = ask_reserve (&fed, "p0", "a@g1", &wish);
    fed_run (&fed, 185000);
    Musubi__Answer *answer = read_answer (&fed, id);
    char reservation [64];
    snprintf (reservation, sizeof reservation, "%s", answer->reservation);
    message_free (&answer->base);
    wish.start_ms = 400000;
    answer = reserve (&fed, "p1", "o@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);

    /* The commit comes through and is refused; p0 dies before it has repaired anything. */
    fed.counts [0] = 0;
    for (int i = 0; i < 2000 && !has_failed_part (&fed, reservation); i++)
        fed_run (&fed, 20);
    fed_kill (&fed, fed_find (&fed, "p0"));

    answer = move_to (&fed, "m@g1", reservation, 10 * FED_HOUR_MS, 0);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    fed_start (&fed, fed_find (&fed, "p0"));
    fed_run (&fed, 30000);
    Musubi__ReservationView *view = show (&fed, "p1", "alice", reservation);
    assert_non_null (view);
    assert_int_equal (view->status, MUSUBI__SHOW_STATUS__SHOW_COMMITTED);
    assert_int_equal (view->version, 2);
    assert_int_equal (view->n_compute, 2);
    message_free (&view->base);
    fed_end (&fed);
}

/*  How long p1 takes to show and to change the reservation. */
static int64_t shown_in_ms (fed_t *fed, const char *reservation)
{
    int64_t from_ms = fed->mono_ms;
    musubi__reservation_view__free_unpacked (show (fed, "p1", "alice", reservation), NULL);
    return fed->mono_ms - from_ms;
}

static int64_t changed_in_ms (fed_t *fed, const char *id, const char *reservation, uint32_t cpus)
{
    int64_t from_ms = fed->mono_ms;
    Musubi__Answer *answer = modify_cpus (fed, "p1", id, reservation, cpus, 0);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    return fed->mono_ms - from_ms;
}

static void who_asks_about_a_reservation_waits_for_a_silent_site_once (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 31, 1, 3, 8, 2);
    Musubi__Answer *first =
      reserve (&fed, "p0", "a@g1", &(user_wish_t){.cpus = {8, 8}, .needs = 2, .distinct = true});
    expect_status (first, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    int site = fed_find (&fed, "lis/s2"); /* the dearest site takes no part */
    for (size_t i = 0; i < 2; i++)
        assert_string_not_equal (first->compute [i]->site, "s2");
    fed_kill (&fed, site);
    assert_true (shown_in_ms (&fed, first->reservation) >= 2000);
    assert_in_range (shown_in_ms (&fed, first->reservation), 0, 600);
    assert_in_range (changed_in_ms (&fed, "b@g1", first->reservation, 4), 0, 900);
    fed_start (&fed, site);
    fed_run (&fed, 1000);
    assert_in_range (shown_in_ms (&fed, first->reservation), 0, 100);
    message_free (&first->base);
    fed_end (&fed);
}

/*  --- an attempt that somebody else has ended --- */

/*  counts [1]: the process that the first hold reaches late. Another planner takes its sender for
 *  dead and has a tombstone put there before. */
static bool tombstone_the_first_hold (fed_t *fed, const fed_call_t *call)
{
    char why [WHY_BYTES];
    hold_t hold;
    if (call->to != (int) fed->counts [1] || strcmp (call->method, "Hold") != 0 ||
        fed->counts [0]++ > 0)
        return true;
    assert_true (
      codec_decode (&hold_codec, &hold, (bytes_t){.data = call->body, .size = call->size}, why));
    packed_t body = codec_encode (&resolve_request_codec,
                                  &(resolve_request_t){hold.plan.txid, hold.plan.decide_by_ms});
    effect_t effect = {.kind = EFFECT_CALL,
                       .call = {.endpoint = fed->procs [call->to].endpoint,
                                .service = "Participant",
                                .method = "Resolve",
                                .actor = "planner/22222222222222222222222222222222",
                                .request_id = "",
                                .body = {.data = body.data, .size = body.size},
                                .timeout_ms = 1000}};
    fed_send (fed, -1, &effect);
    free (body.data);
    codec_clear (&hold_codec, &hold);
    return false;
}

static void an_attempt_that_somebody_has_ended_is_followed_by_another (void **state)
{
    (void) state;
    static const char *const where [] = {"lis/s1", "gis/g1"};
    for (size_t i = 0; i < 2; i++) {
        fed_t fed;
        fed_federation (&fed, 32, 1, 2, 4, 1);
        fed.counts [1] = (unsigned) fed_find (&fed, where [i]);
        fed.passes = tombstone_the_first_hold;
        user_wish_t wish = {.cpus = {8, 8}, .needs = 2, .distinct = true, .start_ms = FED_HOUR_MS};
        Musubi__Answer *first = reserve (&fed, "p0", "a@g1", &wish);
        expect_status (first, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
        fed.counts [0] = 0;
        Musubi__Answer *answer = modify_cpus (&fed, "p0", "b@g1", first->reservation, 4, 0);
        expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
        message_free (&answer->base);
        fed.counts [0] = 0;
        answer = release (&fed, "p0", "c@g1", first->reservation);
        expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
        assert_true (fed.counts [0] > 1);
        message_free (&answer->base);
        message_free (&first->base);
        fed_end (&fed);
    }
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_planner_killed_after_its_decision_drives_it_to_the_end),
      cmocka_unit_test (what_a_planner_left_undecided_is_aborted_when_it_is_back),
      cmocka_unit_test (a_finisher_settles_a_dead_planners_store_and_ends),
      cmocka_unit_test (a_lost_part_makes_the_rest_released_and_told_failed),
      cmocka_unit_test (what_has_ended_is_not_called_released_and_keeps_where_and_when_it_was),
      cmocka_unit_test (released_is_free_again_and_twice_is_told_so),
      cmocka_unit_test (a_change_grows_in_place_moves_when_it_must_and_shrinks),
      cmocka_unit_test (a_release_takes_along_the_site_that_a_change_brought_in_meanwhile),
      cmocka_unit_test (who_lives_now_where_a_site_was_says_nothing_for_it),
      cmocka_unit_test (a_running_reservation_is_prolonged_where_it_is),
      cmocka_unit_test (R10_what_begins_now_is_not_made_smaller_from_its_start_on),
      cmocka_unit_test (R10_a_change_that_fails_at_one_of_two_sites_leaves_the_old_at_both),
      cmocka_unit_test (nobody_changes_what_is_anothers),
      cmocka_unit_test (changes_of_one_reservation_at_two_planners_come_one_after_the_other),
      cmocka_unit_test (lists_come_in_pages_and_name_the_silent),
      cmocka_unit_test (T10_a_repair_leaves_a_later_version_alone),
      cmocka_unit_test (who_asks_about_a_reservation_waits_for_a_silent_site_once),
      cmocka_unit_test (an_attempt_that_somebody_has_ended_is_followed_by_another),
    };
    return cmocka_run_group_tests_name ("planner changes", tests, NULL, NULL);
}
