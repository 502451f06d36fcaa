/*  planner - against real sites and request homes in a small federation: what users ask and are
 *  told, whoever dies in between.
 */
#include "federation_fixture.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/*  --- asking --- */

typedef struct {
    uint32_t cpus [8];
    size_t needs;
    int64_t start_ms; /* from the epoch; 0 = earliest now, latest +6 h */
    int64_t duration_ms;
    bool distinct;
    const char *policy;
    bool dry_run;
} wish_t;

static uint64_t ask_reserve (fed_t *fed, const char *planner, const char *id, const wish_t *wish)
{
    Musubi__ReserveRequest reserve = MUSUBI__RESERVE_REQUEST__INIT;
    Musubi__Request request = MUSUBI__REQUEST__INIT;
    Musubi__TimeFrame window = MUSUBI__TIME_FRAME__INIT;
    Musubi__Instant first = MUSUBI__INSTANT__INIT, last = MUSUBI__INSTANT__INIT;
    Musubi__ComputeNeed needs [8], *list [8];
    char ids [8][32];
    for (size_t i = 0; i < wish->needs; i++) {
        musubi__compute_need__init (&needs [i]);
        snprintf (ids [i], sizeof ids [i], "n%zu", i);
        needs [i].id = ids [i];
        needs [i].cpus = wish->cpus [i];
        list [i] = &needs [i];
    }
    if (wish->start_ms) {
        first.when_case = MUSUBI__INSTANT__WHEN_AT_MS;
        first.at_ms = FED_EPOCH_MS + wish->start_ms;
        window.start = &first;
    } else {
        first.when_case = MUSUBI__INSTANT__WHEN_FROM_NOW_MS;
        last.when_case = MUSUBI__INSTANT__WHEN_FROM_NOW_MS;
        last.from_now_ms = 6 * FED_HOUR_MS;
        window.earliest = &first;
        window.latest = &last;
    }
    request.name = "test";
    request.window = &window;
    request.duration_ms = wish->duration_ms ? wish->duration_ms : FED_HOUR_MS;
    request.n_compute = wish->needs;
    request.compute = list;
    request.distinct_sites = wish->distinct;
    request.policy = (char *) (wish->policy ? wish->policy : "");
    reserve.request = &request;
    reserve.dry_run = wish->dry_run;
    return fed_ask (fed, planner, "Planner", "Reserve", "alice", id, &reserve.base, 60000);
}

static Musubi__Answer *read_answer (fed_t *fed, uint64_t id)
{
    call_status_t status;
    char reason [256];
    Musubi__Answer *answer =
      (Musubi__Answer *) fed_answer (fed, id, &musubi__answer__descriptor, &status, reason);
    if (!answer)
        fail_msg ("status %d: %s", (int) status, reason);
    return answer;
}

static Musubi__Answer *reserve (fed_t *fed, const char *planner, const char *id, const wish_t *wish)
{
    return read_answer (fed, ask_reserve (fed, planner, id, wish));
}

static void expect_status (const Musubi__Answer *answer, Musubi__AnswerStatus status)
{
    if (answer->status != status)
        fail_msg ("status %d, not %d: %s", (int) answer->status, (int) status,
                  answer->n_reasons ? answer->reasons [0]->text : "no reason");
}

static Musubi__ReservationView *show (fed_t *fed, const char *planner, const char *actor,
                                      const char *reservation)
{
    Musubi__ShowReservationRequest request = MUSUBI__SHOW_RESERVATION_REQUEST__INIT;
    request.reservation = (char *) reservation;
    call_status_t status;
    char reason [256];
    Musubi__ShowReservationAnswer *answer = (Musubi__ShowReservationAnswer *) fed_answer (
      fed, fed_ask (fed, planner, "Planner", "Show", actor, "", &request.base, 20000),
      &musubi__show_reservation_answer__descriptor, &status, reason);
    if (!answer)
        fail_msg ("status %d: %s", (int) status, reason);
    assert (answer);
    Musubi__ReservationView *view = answer->view;
    answer->view = NULL;
    message_free (&answer->base);
    return view;
}

static Musubi__Answer *release (fed_t *fed, const char *planner, const char *id,
                                const char *reservation)
{
    Musubi__ReleaseRequest request = MUSUBI__RELEASE_REQUEST__INIT;
    request.reservation = (char *) reservation;
    return read_answer (
      fed, fed_ask (fed, planner, "Planner", "Release", "alice", id, &request.base, 60000));
}

static Musubi__Answer *modify_cpus (fed_t *fed, const char *planner, const char *id,
                                    const char *reservation, uint32_t cpus, int64_t duration_ms)
{
    Musubi__ModifyRequest request = MUSUBI__MODIFY_REQUEST__INIT;
    Musubi__NeedPatch patch = MUSUBI__NEED_PATCH__INIT, *list [] = {&patch};
    patch.id = "n0";
    patch.cpus = cpus;
    request.reservation = (char *) reservation;
    request.duration_ms = duration_ms;
    if (cpus) {
        request.compute = list;
        request.n_compute = 1;
    }
    return read_answer (
      fed, fed_ask (fed, planner, "Planner", "Modify", "alice", id, &request.base, 60000));
}

/*  --- reserve --- */

static void a_plain_reserve_is_committed_at_two_sites (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 1, 1, 3, 16, 1);
    Musubi__Answer *answer =
      reserve (&fed, "p0", "r1@g1", &(wish_t){.cpus = {8, 16}, .needs = 2, .distinct = true});
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_int_equal (answer->n_compute, 2);
    assert_int_equal (answer->rounds, 1);
    assert_int_equal (answer->version, 1);
    assert_string_equal (answer->request_id, "r1@g1");
    assert_string_not_equal (answer->compute [0]->site, answer->compute [1]->site);
    assert_true (answer->start_ms >= FED_EPOCH_MS + fed.mono_ms);
    fed_run (&fed, 1000);
    Musubi__ReservationView *view = show (&fed, "p0", "alice", answer->reservation);
    assert_non_null (view);
    assert_int_equal (view->status, MUSUBI__SHOW_STATUS__SHOW_COMMITTED);
    assert_int_equal (view->n_compute, 2);
    assert_string_equal (view->owner, "alice");
    assert_string_equal (view->name, "test");
    message_free (&view->base);
    view = show (&fed, "p0", "mallory", answer->reservation);
    assert_string_equal (view->owner, "");
    assert_string_equal (view->name, "");
    assert_int_equal (view->n_parts, 0);
    message_free (&view->base);
    message_free (&answer->base);
    fed_end (&fed);
}

static void a_dry_run_promises_nothing (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 2, 1, 2, 4, 1);
    wish_t wish = {.cpus = {16, 16}, .needs = 2, .dry_run = true};
    for (int i = 0; i < 3; i++) {
        Musubi__Answer *answer = reserve (&fed, "p0", "", &wish);
        expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_PLANNED);
        assert_int_equal (answer->n_compute, 2);
        assert_string_equal (answer->reservation, "");
        message_free (&answer->base);
    }
    fed_end (&fed);
}

static void a_repeat_at_another_planner_is_told_the_same (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 3, 2, 3, 16, 2);
    wish_t wish = {.cpus = {8, 16}, .needs = 2};
    Musubi__Answer *first = reserve (&fed, "p0", "r1@g2", &wish);
    expect_status (first, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    for (int i = 0; i < 2; i++) {
        fed_run (&fed, i * 2000); /* before and after DONE is heard */
        Musubi__Answer *again = reserve (&fed, "p1", "r1@g2", &wish);
        expect_status (again, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
        assert_string_equal (again->reservation, first->reservation);
        assert_string_equal (again->planner, first->planner);
        message_free (&again->base);
    }
    wish.cpus [0] = 4;
    Musubi__Answer *other = reserve (&fed, "p1", "r1@g2", &wish);
    expect_status (other, MUSUBI__ANSWER_STATUS__ANSWER_CONFLICT);
    message_free (&other->base);
    message_free (&first->base);
    fed_end (&fed);
}

static void repeats_meanwhile_wait_for_the_same_answer (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 4, 1, 3, 16, 2);
    wish_t wish = {.cpus = {8, 16}, .needs = 2};
    uint64_t asked [3];
    for (int i = 0; i < 3; i++)
        asked [i] = ask_reserve (&fed, "p0", "r1@g1", &wish);
    wish.cpus [0] = 9;
    uint64_t conflicting = ask_reserve (&fed, "p0", "r1@g1", &wish);
    Musubi__Answer *answers [3];
    for (int i = 0; i < 3; i++) {
        answers [i] = read_answer (&fed, asked [i]);
        expect_status (answers [i], MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
        assert_string_equal (answers [i]->reservation, answers [0]->reservation);
    }
    Musubi__Answer *conflict = read_answer (&fed, conflicting);
    expect_status (conflict, MUSUBI__ANSWER_STATUS__ANSWER_IN_PROGRESS);
    message_free (&conflict->base);
    for (int i = 0; i < 3; i++)
        message_free (&answers [i]->base);
    fed_end (&fed);
}

static void the_same_id_at_two_planners_is_done_once (void **state)
{
    (void) state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        fed_t fed;
        fed_federation (&fed, seed, 1, 3, 16, 2);
        wish_t wish = {.cpus = {8, 16}, .needs = 2};
        uint64_t first = ask_reserve (&fed, "p0", "r1@g1", &wish);
        fed_run (&fed, (int64_t) (seed % 7));
        uint64_t second = ask_reserve (&fed, "p1", "r1@g1", &wish);
        Musubi__Answer *one = read_answer (&fed, first), *two = read_answer (&fed, second);
        fed_run (&fed, 3000);
        Musubi__Answer *three = reserve (&fed, "p1", "r1@g1", &wish);
        expect_status (three, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
        if (one->status == MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED)
            assert_string_equal (one->reservation, three->reservation);
        if (two->status == MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED)
            assert_string_equal (two->reservation, three->reservation);
        message_free (&one->base);
        message_free (&two->base);
        message_free (&three->base);
        fed_end (&fed);
    }
}

static void an_id_is_given_to_a_request_without_one (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 5, 1, 2, 16, 1);
    Musubi__Answer *answer = reserve (&fed, "p0", "", &(wish_t){.cpus = {8}, .needs = 1});
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_non_null (strstr (answer->request_id, "@g1"));
    message_free (&answer->base);
    fed_end (&fed);
}

/*  --- refusals --- */

static void what_can_not_be_had_is_refused_with_the_need_and_stays_refused (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 6, 1, 2, 4, 2);
    wish_t wish = {.cpus = {8, 17}, .needs = 2};
    Musubi__Answer *answer = reserve (&fed, "p0", "big@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_string_equal (answer->reasons [0]->need, "n1");
    assert_int_equal (answer->reasons [0]->wanted, 17);
    assert_int_equal (answer->reasons [0]->free, 16);
    Musubi__Answer *again = reserve (&fed, "p1", "big@g1", &wish);
    expect_status (again, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_string_equal (again->planner, answer->planner); /* the answer that was kept */
    message_free (&again->base);
    message_free (&answer->base);
    fed_end (&fed);
}

static void a_full_federation_refuses_with_what_is_free (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 7, 1, 1, 4, 1);
    wish_t wish = {.cpus = {12}, .needs = 1, .start_ms = FED_HOUR_MS};
    Musubi__Answer *answer = reserve (&fed, "p0", "a@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    answer = reserve (&fed, "p0", "b@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_string_equal (answer->reasons [0]->resource, "s0/thin");
    assert_int_equal (answer->reasons [0]->free, 4);
    assert_int_equal (answer->n_alternatives, 1);
    message_free (&answer->base);
    fed_end (&fed);
}

static void networks_and_data_are_refused_in_words (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 8, 1, 2, 4, 1);
    Musubi__ReserveRequest message = MUSUBI__RESERVE_REQUEST__INIT;
    Musubi__Request request = MUSUBI__REQUEST__INIT;
    Musubi__ComputeNeed needs [2], *list [2];
    Musubi__NetworkNeed link = MUSUBI__NETWORK_NEED__INIT, *links [] = {&link};
    Musubi__DataNeed file = MUSUBI__DATA_NEED__INIT, *files [] = {&file};
    char *ends [] = {"a", "b"};
    for (int i = 0; i < 2; i++) {
        musubi__compute_need__init (&needs [i]);
        needs [i].id = ends [i];
        needs [i].cpus = 1;
        list [i] = &needs [i];
    }
    link.n_between = 2;
    link.between = ends;
    file.file = "x.nc";
    file.at = "a";
    request.duration_ms = 1000;
    request.n_compute = 2;
    request.compute = list;
    request.n_network = 1;
    request.network = links;
    request.n_data = 1;
    request.data = files;
    message.request = &request;
    Musubi__Answer *answer = read_answer (
      &fed, fed_ask (&fed, "p0", "Planner", "Reserve", "alice", "n@g1", &message.base, 9000));
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_int_equal (answer->n_reasons, 2);
    assert_non_null (strstr (answer->reasons [0]->text, "no network domains in this federation"));
    message_free (&answer->base);

    ends [1] = "c"; /* dangling */
    call_status_t status;
    char reason [256];
    uint64_t asked =
      fed_ask (&fed, "p0", "Planner", "Reserve", "alice", "m@g1", &message.base, 9000);
    assert_null (fed_answer (&fed, asked, &musubi__answer__descriptor, &status, reason));
    assert_int_equal (status, CALL_BAD_REQUEST);
    assert_string_equal (reason, "request.network[0].between[1]: no compute need 'c'");
    fed_end (&fed);
}

static void a_home_that_is_not_there_means_unknown_and_asking_again_is_safe (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 9, 2, 2, 8, 1);
    wish_t good = {.cpus = {8}, .needs = 1}, bad = {.cpus = {800}, .needs = 1};
    int home = fed_find (&fed, "gis/g2");
    fed_kill (&fed, home);
    Musubi__Answer *answer = reserve (&fed, "p0", "r@g2", &good);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_UNKNOWN);
    message_free (&answer->base);
    answer = reserve (&fed, "p0", "s@g2", &bad); /* refused is not told without its claim */
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_UNKNOWN);
    message_free (&answer->base);
    fed_start (&fed, home);
    fed_run (&fed, 12000);
    answer = reserve (&fed, "p0", "r@g2", &good);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    answer = reserve (&fed, "p0", "s@g2", &bad);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    message_free (&answer->base);
    fed_end (&fed);
}

/*  --- sites that fail --- */

static void a_silent_site_is_planned_without (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 10, 1, 3, 4, 1);
    fed_kill (&fed, fed_find (&fed, "lis/s0")); /* the cheapest */
    Musubi__Answer *answer =
      reserve (&fed, "p0", "r@g1", &(wish_t){.cpus = {8, 8}, .needs = 2, .distinct = true});
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    for (size_t i = 0; i < 2; i++)
        assert_string_not_equal (answer->compute [i]->site, "s0");
    message_free (&answer->base);
    fed_end (&fed);
}

static void a_silent_site_is_waited_for_once_but_for_who_needs_it (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 26, 1, 3, 8, 1);
    int site = fed_find (&fed, "lis/s0");
    wish_t small = {.cpus = {8, 8}, .needs = 2, .distinct = true};
    wish_t large = {.cpus = {8, 8, 8}, .needs = 3, .distinct = true};
    fed_kill (&fed, site);
    int64_t took_ms [2];
    for (int i = 0; i < 2; i++) {
        took_ms [i] = fed.mono_ms;
        Musubi__Answer *answer = reserve (&fed, "p0", i ? "b@g1" : "a@g1", &small);
        took_ms [i] = fed.mono_ms - took_ms [i];
        expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
        message_free (&answer->base);
    }
    assert_true (took_ms [0] >= 1000);
    assert_in_range (took_ms [1], 1, 100);
    Musubi__Answer *answer = reserve (&fed, "p0", "c@g1", &large);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_string_equal (answer->reasons [answer->n_reasons - 1]->resource, "lis/s0");
    message_free (&answer->base);
    fed_start (&fed, site);
    answer = reserve (&fed, "p0", "d@g1", &large);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    fed_end (&fed);
}

static bool lose_holds_of_s1 (fed_t *fed, const fed_call_t *call)
{
    return strcmp (call->method, "Hold") != 0 || call->to != fed_find (fed, "lis/s1");
}

static void a_site_that_does_not_vote_is_replaced (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 11, 1, 3, 4, 1);
    fed.passes = lose_holds_of_s1;
    Musubi__Answer *answer =
      reserve (&fed, "p0", "r@g1", &(wish_t){.cpus = {8, 8}, .needs = 2, .distinct = true});
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_int_equal (answer->rounds, 2);
    for (size_t i = 0; i < 2; i++)
        assert_string_not_equal (answer->compute [i]->site, "s1");
    message_free (&answer->base);
    fed_end (&fed);
}

static bool lose_commits_of_s1 (fed_t *fed, const fed_call_t *call)
{
    return strcmp (call->method, "Commit") != 0 || call->to != fed_find (fed, "lis/s1");
}

static void committed_is_told_only_when_all_have_acknowledged (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 12, 1, 2, 4, 2);
    wish_t wish = {.cpus = {8, 8}, .needs = 2, .distinct = true};
    fed.passes = lose_commits_of_s1;
    uint64_t asked = ask_reserve (&fed, "p0", "r@g1", &wish);
    fed_run (&fed, 1500);
    assert_false (fed_answered (&fed, asked));
    /* Meanwhile nobody else says committed either. */
    Musubi__Answer *other = reserve (&fed, "p1", "r@g1", &wish);
    expect_status (other, MUSUBI__ANSWER_STATUS__ANSWER_IN_PROGRESS);
    message_free (&other->base);
    fed.passes = NULL;
    Musubi__Answer *answer = read_answer (&fed, asked);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    fed_end (&fed);
}

static void past_its_limit_a_decided_request_is_in_progress_and_ends_behind (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 13, 1, 2, 4, 1);
    int site = fed_find (&fed, "lis/s1");
    wish_t wish = {.cpus = {8, 8}, .needs = 2, .distinct = true, .start_ms = FED_HOUR_MS};
    fed.passes = lose_commits_of_s1;
    uint64_t asked = ask_reserve (&fed, "p0", "r@g1", &wish);
    fed_run (&fed, 1000);
    fed_kill (&fed, site);
    Musubi__Answer *answer = read_answer (&fed, asked);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_IN_PROGRESS);
    message_free (&answer->base);
    fed.passes = NULL;
    fed_start (&fed, site);
    fed_run (&fed, 5000);
    answer = reserve (&fed, "p0", "r@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    fed_end (&fed);
}

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
    wish_t wish = {.cpus = {8, 8}, .needs = 2, .distinct = true};
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

static bool lose_vote_answers (fed_t *fed, const fed_call_t *call)
{
    (void) fed;
    return strcmp (call->method, "Hold") != 0;
}

static void what_a_planner_left_undecided_is_aborted_when_it_is_back (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 15, 1, 2, 4, 2);
    wish_t wish = {.cpus = {16, 16}, .needs = 2, .distinct = true, .start_ms = FED_HOUR_MS};
    fed.returns = lose_vote_answers;
    ask_reserve (&fed, "p0", "r@g1", &wish);
    fed_run (&fed, 200);
    fed_kill (&fed, fed_find (&fed, "p0"));
    fed.returns = NULL;
    fed_start (&fed, fed_find (&fed, "p0"));
    fed_run (&fed, 8000);
    /* The very same planner finds its own remains and goes over them. */
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
    wish_t wish = {.cpus = {8, 8}, .needs = 2, .distinct = true};
    fed.passes = lose_commits;
    ask_reserve (&fed, "p0", "r@g1", &wish);
    fed_run (&fed, 200);
    fed_kill (&fed, dead);
    fed.passes = NULL;
    assert_true (fed.procs [dead].records_count > 0);
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
    fed_proc_t *proc = &fed->procs [site];
    fed_kill (fed, site);
    for (size_t i = 0; i < proc->records_count; i++) {
        free (proc->records [i].key);
        free (proc->records [i].value);
    }
    proc->records_count = 0;
    for (size_t i = 0; i < STORE_ID_BYTES; i++)
        proc->store.id [i] ^= 0xff;
    proc->store.start = 0;
    fed_start (fed, site);
}

static void a_lost_part_makes_the_rest_released_and_told_failed (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 17, 1, 2, 4, 2);
    wish_t wish = {.cpus = {16, 16}, .needs = 2, .distinct = true, .start_ms = FED_HOUR_MS};
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

static void released_is_free_again_and_twice_is_told_so (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 18, 1, 2, 4, 2);
    wish_t wish = {.cpus = {16, 16}, .needs = 2, .distinct = true, .start_ms = FED_HOUR_MS};
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
    wish_t wish = {.cpus = {16}, .needs = 1, .start_ms = FED_HOUR_MS};
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

static void a_running_reservation_is_prolonged_where_it_is (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 20, 1, 2, 8, 1);
    wish_t wish = {.cpus = {16}, .needs = 1, .start_ms = 60000};
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

static void nobody_changes_what_is_anothers (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 21, 1, 2, 8, 1);
    Musubi__Answer *first = reserve (&fed, "p0", "a@g1", &(wish_t){.cpus = {16}, .needs = 1});
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
        wish_t wish = {.cpus = {8, 8}, .needs = 2, .start_ms = FED_HOUR_MS, .distinct = true};
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
          reserve (&fed, "p0", id, &(wish_t){.cpus = {4, 4}, .needs = 2, .distinct = true});
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

/*  --- many at once --- */

typedef struct {
    unsigned committed;
    unsigned rounds;
} burst_t;

/*  Sixteen at once, spread over three planners, five sites of 8 nodes. */
static burst_t run_bursts (unsigned bursts, const wish_t *wish)
{
    burst_t sum = {0};
    for (uint64_t seed = 1; seed <= bursts; seed++) {
        fed_t fed;
        fed_federation (&fed, seed, 1, 5, 8, 3);
        uint64_t asked [16];
        for (unsigned i = 0; i < 16; i++) {
            char id [16], planner [8];
            snprintf (id, sizeof id, "r%u@g1", i);
            snprintf (planner, sizeof planner, "p%u", i % 3);
            asked [i] = ask_reserve (&fed, planner, id, wish);
        }
        for (unsigned i = 0; i < 16; i++) {
            Musubi__Answer *answer = read_answer (&fed, asked [i]);
            sum.committed += answer->status == MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED;
            sum.rounds += answer->rounds;
            message_free (&answer->base);
        }
        fed_end (&fed);
    }
    print_message ("# %u of %u committed in %u rounds\n", sum.committed, bursts * 16, sum.rounds);
    return sum;
}

static void a_burst_that_fits_is_committed_whole (void **state)
{
    (void) state;
    wish_t wish = {.cpus = {8, 8, 8}, .needs = 3, .distinct = true};
    assert_int_equal (run_bursts (10, &wish).committed, 160);
}

/*  At a site only one fits at a time, and three sites of five are needed: six in six hours. */
static void a_burst_that_is_too_much_gets_all_there_is (void **state)
{
    (void) state;
    wish_t wish = {.cpus = {20, 20, 20}, .needs = 3, .distinct = true};
    assert_in_range (run_bursts (10, &wish).committed, 57, 60);
}

static void too_many_at_once_are_told_to_come_later (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 23, 1, 2, 64, 0);
    int planner = fed_add (&fed, FED_PLANNER, "p0");
    fed.procs [planner].planner.in_progress_max = 4;
    fed_start (&fed, planner);
    fed_run (&fed, 6000);
    uint64_t asked [6];
    for (int i = 0; i < 6; i++) {
        char id [16];
        snprintf (id, sizeof id, "r%d@g1", i);
        asked [i] = ask_reserve (&fed, "p0", id, &(wish_t){.cpus = {4}, .needs = 1});
    }
    for (int i = 0; i < 6; i++) {
        call_status_t status;
        char reason [256];
        ProtobufCMessage *answer =
          fed_answer (&fed, asked [i], &musubi__answer__descriptor, &status, reason);
        assert_int_equal (status, i < 4 ? CALL_OK : CALL_OVERLOADED);
        message_free (answer);
    }
    fed_end (&fed);
}

static void a_site_that_tells_windows_only_takes_part (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 24, 1, 1, 8, 0);
    int site = fed_add_site (&fed, "lis/w", 8, 4, 1, DISCLOSE_WINDOWS);
    int planner = fed_add (&fed, FED_PLANNER, "p0");
    fed_start (&fed, site);
    fed_start (&fed, planner);
    fed_run (&fed, 6000);
    wish_t wish = {.cpus = {32, 32}, .needs = 2, .distinct = true};
    for (int i = 0; i < 3; i++) {
        char id [16];
        snprintf (id, sizeof id, "r%d@g1", i);
        Musubi__Answer *answer = reserve (&fed, "p0", id, &wish);
        expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
        message_free (&answer->base);
    }
    fed_end (&fed);
}

static void a_request_is_answered_though_everything_is_lost (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 25, 1, 2, 8, 1);
    fed.returns = lose_vote_answers;
    int64_t begun_ms = fed.mono_ms;
    Musubi__Answer *answer = reserve (&fed, "p0", "r@g1", &(wish_t){.cpus = {8}, .needs = 1});
    assert_true (fed.mono_ms - begun_ms <= 31000);
    assert_int_not_equal (answer->status, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    fed_end (&fed);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_plain_reserve_is_committed_at_two_sites),
      cmocka_unit_test (a_dry_run_promises_nothing),
      cmocka_unit_test (a_repeat_at_another_planner_is_told_the_same),
      cmocka_unit_test (repeats_meanwhile_wait_for_the_same_answer),
      cmocka_unit_test (the_same_id_at_two_planners_is_done_once),
      cmocka_unit_test (an_id_is_given_to_a_request_without_one),
      cmocka_unit_test (what_can_not_be_had_is_refused_with_the_need_and_stays_refused),
      cmocka_unit_test (a_full_federation_refuses_with_what_is_free),
      cmocka_unit_test (networks_and_data_are_refused_in_words),
      cmocka_unit_test (a_home_that_is_not_there_means_unknown_and_asking_again_is_safe),
      cmocka_unit_test (a_silent_site_is_planned_without),
      cmocka_unit_test (a_silent_site_is_waited_for_once_but_for_who_needs_it),
      cmocka_unit_test (a_site_that_does_not_vote_is_replaced),
      cmocka_unit_test (committed_is_told_only_when_all_have_acknowledged),
      cmocka_unit_test (past_its_limit_a_decided_request_is_in_progress_and_ends_behind),
      cmocka_unit_test (a_planner_killed_after_its_decision_drives_it_to_the_end),
      cmocka_unit_test (what_a_planner_left_undecided_is_aborted_when_it_is_back),
      cmocka_unit_test (a_finisher_settles_a_dead_planners_store_and_ends),
      cmocka_unit_test (a_lost_part_makes_the_rest_released_and_told_failed),
      cmocka_unit_test (released_is_free_again_and_twice_is_told_so),
      cmocka_unit_test (a_change_grows_in_place_moves_when_it_must_and_shrinks),
      cmocka_unit_test (a_running_reservation_is_prolonged_where_it_is),
      cmocka_unit_test (nobody_changes_what_is_anothers),
      cmocka_unit_test (changes_of_one_reservation_at_two_planners_come_one_after_the_other),
      cmocka_unit_test (lists_come_in_pages_and_name_the_silent),
      cmocka_unit_test (a_burst_that_fits_is_committed_whole),
      cmocka_unit_test (a_burst_that_is_too_much_gets_all_there_is),
      cmocka_unit_test (too_many_at_once_are_told_to_come_later),
      cmocka_unit_test (a_site_that_tells_windows_only_takes_part),
      cmocka_unit_test (a_request_is_answered_though_everything_is_lost),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
