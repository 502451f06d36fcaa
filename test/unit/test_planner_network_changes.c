/*  The planner with network domains: reservations with connections changed, released, repaired. */
#include "message.h"
#include "network_asking.h"

static void a_change_of_bandwidth_keeps_the_path_and_a_release_gives_all_back (void **state)
{
    (void) state;
    fed_t fed;
    net_begin (&fed, 14);
    Musubi__Answer *answer = reserve_net (&fed, "p0", "r@g1", &triangle);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    const char *reservation = answer->reservation;
    Musubi__Answer *change = modify_mbps (&fed, "p1", "m1@g1", reservation, "n1-n2", 900);
    expect_status (change, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_int_equal (change->version, 2);
    expect_path (change->network [1], "n1-n2", 900, "b X1 c", "N/b-X1 S/X1-c", 5);
    message_free (&change->base);
    assert_int_equal (free_now (&fed, "nis/S", "X1-c", FED_HOUR_MS), 100);
    assert_int_equal (free_now (&fed, "nis/N", "a-b", FED_HOUR_MS), 400);

    change = modify_mbps (&fed, "p1", "m2@g1", reservation, "n1-n2", 1001);
    expect_status (change, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    message_free (&change->base);
    assert_int_equal (free_now (&fed, "nis/S", "X1-c", FED_HOUR_MS), 100); /* the old stands */

    change = modify_mbps (&fed, "p1", "m3@g1", reservation, "n7-n8", 100);
    expect_status (change, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_non_null (strstr (change->reasons [0]->text, "no network need 'n7-n8'"));
    message_free (&change->base);

    change = release (&fed, "p1", "x@g1", reservation);
    expect_status (change, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&change->base);
    expect_untouched (&fed);
    message_free (&answer->base);
    fed_end (&fed);
}

static void a_connection_grows_beside_others_though_a_shorter_path_is_free_by_now (void **state)
{
    (void) state;
    fed_t fed;
    net_begin (&fed, 15);
    net_wish_t wish = triangle;
    wish.links_count = 1;
    Musubi__Answer *first = reserve_net (&fed, "p0", "r1@g1", &wish);
    Musubi__Answer *second = reserve_net (&fed, "p0", "r2@g1", &wish);
    expect_status (second, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    expect_path (second->network [0], "n0-n1", 600, "a X1 b", "N/a-X1 N/b-X1", 4);
    Musubi__Answer *gone = release (&fed, "p0", "x@g1", first->reservation);
    expect_status (gone, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    Musubi__Answer *change = modify_mbps (&fed, "p1", "m@g1", second->reservation, "n0-n1", 800);
    expect_status (change, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    expect_path (change->network [0], "n0-n1", 800, "a X1 b", "N/a-X1 N/b-X1", 4);
    assert_int_equal (free_now (&fed, "nis/N", "a-b", FED_HOUR_MS), 1000);
    assert_int_equal (free_now (&fed, "nis/N", "a-X1", FED_HOUR_MS), 200);
    message_free (&first->base);
    message_free (&second->base);
    message_free (&gone->base);
    message_free (&change->base);
    fed_end (&fed);
}

/*  --- running --- */

static void a_running_connection_is_prolonged_on_its_path (void **state)
{
    (void) state;
    fed_t fed;
    net_begin (&fed, 16);
    net_wish_t wish = triangle;
    wish.links_count = 1;
    wish.start_ms = 30000;
    Musubi__Answer *first = reserve_net (&fed, "p0", "r1@g1", &wish);
    Musubi__Answer *second = reserve_net (&fed, "p0", "r2@g1", &wish);
    expect_path (second->network [0], "n0-n1", 600, "a X1 b", "N/a-X1 N/b-X1", 4);
    Musubi__Answer *gone = release (&fed, "p0", "x@g1", first->reservation);
    expect_status (gone, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    fed_run (&fed, FED_HOUR_MS / 2);
    Musubi__Answer *change =
      modify_cpus (&fed, "p1", "m@g1", second->reservation, 0, 2 * FED_HOUR_MS);
    expect_status (change, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    expect_path (change->network [0], "n0-n1", 600, "a X1 b", "N/a-X1 N/b-X1", 4);
    assert_int_equal (change->network [0]->until_ms, FED_EPOCH_MS + 30000 + 2 * FED_HOUR_MS);
    assert_int_equal (free_now (&fed, "nis/N", "a-X1", 2 * FED_HOUR_MS), 400);
    assert_int_equal (free_now (&fed, "nis/N", "a-X1", 2 * FED_HOUR_MS + 30000), 1000);
    message_free (&first->base);
    message_free (&second->base);
    message_free (&gone->base);
    message_free (&change->base);
    fed_end (&fed);
}

/*  --- repair --- */

/*  N receives only p1's decisions. */
static bool keep_n_in_doubt (fed_t *fed, const fed_call_t *call)
{
    int n = fed_find (fed, "nis/N");
    bool tells = strcmp (call->method, "Commit") == 0 || strcmp (call->method, "Outcome") == 0 ||
                 strcmp (call->method, "Resolve") == 0;
    if (fed->counts [0] == 0 || !tells)
        return true;
    return call->from != n && (call->to != n || call->from == fed_find (fed, "p1"));
}

/*  The plan is decided, but N does not receive the commit before its edge, frees the bandwidth, and
 *  another reservation takes it. */
static void T10_what_a_domain_can_not_keep_is_released_everywhere (void **state)
{
    (void) state;
    fed_t fed;
    net_build (&fed, 17, DISCLOSE_PROFILE, DISCLOSE_PROFILE);
    fed.procs [fed_find (&fed, "nis/N")].domain.lead_ms = 120000;
    fed_up (&fed);
    fed.passes = keep_n_in_doubt;
    fed.counts [0] = 1;
    net_wish_t wish = triangle;
    wish.start_ms = 300000;
    uint64_t id = ask_reserve_net (&fed, "p0", "r@g1", &wish);
    fed_run (&fed, 185000); /* past the edge */
    Musubi__Answer *answer = read_answer (&fed, id);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_IN_PROGRESS);
    assert_non_null (reason_about (answer, "nis/N"));
    char reservation [64];
    snprintf (reservation, sizeof reservation, "%s", answer->reservation);
    message_free (&answer->base);
    net_wish_t other = {.sites = {"a", "b"},
                        .needs = 2,
                        .links = {{0, 1, 600, 0, 0, 0}},
                        .links_count = 1,
                        .start_ms = 400000};
    answer = reserve_net (&fed, "p1", "o@g1", &other);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    expect_path (answer->network [0], "n0-n1", 600, "a b", "N/a-b", 1);
    message_free (&answer->base);

    fed.counts [0] = 0;
    fed_run (&fed, 60000);
    answer = reserve_net (&fed, "p1", "r@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_non_null (strstr (answer->reasons [0]->text, "failed"));
    message_free (&answer->base);
    Musubi__ReservationView *view = show (&fed, "p1", "alice", reservation);
    assert_true (!view || view->status == MUSUBI__SHOW_STATUS__SHOW_FAILED ||
                 view->status == MUSUBI__SHOW_STATUS__SHOW_RELEASED);
    if (view)
        message_free (&view->base);
    assert_int_equal (free_now (&fed, "nis/N", "a-b", 500000), 400); /* only the other's is taken */
    assert_int_equal (free_now (&fed, "nis/N", "b-X1", 500000), 1000);
    assert_int_equal (free_now (&fed, "nis/S", "X1-c", 500000), 1000);
    assert_int_equal (free_now (&fed, "lis/c", "thin", 500000), 8);
    fed_end (&fed);
}

/*  counts [0]: b hears of no decision but p1's. counts [1]: N hears of none, and is not listed any
 *  more; or (2) is only not listed; or (3) the first, from the next hold on. */
static bool b_in_doubt_and_n_unlisted (fed_t *fed, const fed_call_t *call)
{
    int b = fed_find (fed, "lis/b"), n = fed_find (fed, "nis/N");
    bool tells = strcmp (call->method, "Commit") == 0 || strcmp (call->method, "Outcome") == 0 ||
                 strcmp (call->method, "Resolve") == 0;
    if (fed->counts [1] == 3 && call->to == n && strcmp (call->method, "Hold") == 0)
        fed->counts [1] = 1;
    if (fed->counts [1] > 0 && fed->counts [1] < 3 && call->from == n &&
        strcmp (call->method, "Announce") == 0)
        return false;
    if (fed->counts [1] == 1 && tells && (call->from == n || call->to == n))
        return false;
    return fed->counts [0] == 0 || !tells ||
           (call->from != b && (call->to != b || call->from == fed_find (fed, "p1")));
}

/*  b's nodes are taken after its edge, and free again before p0 repairs the reservation. When N has
 *  acknowledged that, no directory lists it. */
static void T10_a_repair_is_told_with_its_paths_though_a_domain_is_listed_late (void **state)
{
    (void) state;
    fed_t fed;
    net_build (&fed, 20, DISCLOSE_PROFILE, DISCLOSE_PROFILE);
    fed.procs [fed_find (&fed, "lis/a")].site.lead_ms = 120000;
    fed_up (&fed);
    fed.passes = b_in_doubt_and_n_unlisted;
    fed.counts [0] = 1;
    net_wish_t wish = {.sites = {"a", "b"},
                       .needs = 2,
                       .links = {{0, 1, 600, 0, 0, 0}},
                       .links_count = 1,
                       .start_ms = 300000};
    net_wish_t thief = {.sites = {"b"}, .cpus = {32}, .needs = 1, .start_ms = 300000};
    uint64_t id = ask_reserve_net (&fed, "p0", "r@g1", &wish);
    fed_run (&fed, 185000); /* past the edge */
    message_free (&read_answer (&fed, id)->base);
    Musubi__Answer *answer = reserve_net (&fed, "p1", "o@g1", &thief);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    fed_kill (&fed, fed_find (&fed, "p0"));
    fed.counts [0] = 0;
    fed_run (&fed, 30000); /* b refuses the commit */
    message_free (&release (&fed, "p1", "x@g1", answer->reservation)->base);
    message_free (&answer->base);
    fed.counts [1] = 3;
    fed_start (&fed, fed_find (&fed, "p0"));
    fed_run (&fed, 30000);
    fed.counts [1] = 2;
    fed_run (&fed, 10000);
    fed.counts [1] = 0;
    fed_run (&fed, 20000);
    answer = reserve_net (&fed, "p1", "r@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_int_equal (answer->version, 2);
    assert_int_equal (answer->n_network, 1);
    expect_path (answer->network [0], "n0-n1", 600, "a b", "N/a-b", 1);
    message_free (&answer->base);
    fed_end (&fed);
}

/*  --- list --- */

static void a_list_tells_paths_and_names_silent_domains (void **state)
{
    (void) state;
    fed_t fed;
    net_begin (&fed, 18);
    Musubi__Answer *answer = reserve_net (&fed, "p0", "r@g1", &triangle);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    Musubi__ListReservationsRequest request = MUSUBI__LIST_RESERVATIONS_REQUEST__INIT;
    call_status_t status;
    char reason [256];
    for (int round = 0; round < 2; round++) {
        Musubi__ListReservationsAnswer *list = (Musubi__ListReservationsAnswer *) fed_answer (
          &fed, fed_ask (&fed, "p1", "Planner", "List", "alice", "", &request.base, 30000),
          &musubi__list_reservations_answer__descriptor, &status, reason);
        assert_non_null (list);
        assert (list);
        assert_int_equal (list->n_views, 1);
        assert_int_equal (list->n_silent, round);
        assert_int_equal (list->views [0]->n_network, 2);
        if (round == 0) {
            expect_path (list->views [0]->network [1], "n1-n2", 400, "b X1 c", "N/b-X1 S/X1-c", 5);
            fed_kill (&fed, fed_find (&fed, "nis/S"));
        } else { /* half a path is told as the links that are known */
            assert_string_equal (list->silent [0], "nis/S");
            expect_path (list->views [0]->network [1], "n1-n2", 400, "", "N/b-X1", 0);
        }
        message_free (&list->base);
    }
    fed_end (&fed);
}

/*  An actor that is neither owner nor administrator learns start and end and nothing else, also
 *  when a participant is silent. */
static void a_stranger_is_told_when_not_where (void **state)
{
    (void) state;
    fed_t fed;
    net_begin (&fed, 19);
    Musubi__Answer *answer = reserve_net (&fed, "p0", "r@g1", &triangle);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    char reservation [NAME_BYTES_MAX + 1];
    snprintf (reservation, sizeof reservation, "%s", answer->reservation);
    int64_t start_ms = answer->start_ms, end_ms = answer->end_ms;
    message_free (&answer->base);
    Musubi__ListReservationsRequest request = MUSUBI__LIST_RESERVATIONS_REQUEST__INIT;
    call_status_t status;
    char reason [256];
    for (int round = 0; round < 2; round++) {
        Musubi__ListReservationsAnswer *list = (Musubi__ListReservationsAnswer *) fed_answer (
          &fed, fed_ask (&fed, "p1", "Planner", "List", "mallory", "", &request.base, 30000),
          &musubi__list_reservations_answer__descriptor, &status, reason);
        assert_non_null (list);
        assert (list);
        assert_int_equal (list->n_views, 1);
        Musubi__ReservationView *shown = show (&fed, "p1", "mallory", reservation);
        assert_non_null (shown);
        assert (shown);
        const Musubi__ReservationView *views [] = {list->views [0], shown};
        for (size_t i = 0; i < 2; i++) {
            assert_string_equal (views [i]->reservation, reservation);
            assert_int_equal (views [i]->start_ms, start_ms);
            assert_int_equal (views [i]->end_ms, end_ms);
            assert_string_equal (views [i]->owner, "");
            assert_string_equal (views [i]->name, "");
            assert_int_equal (views [i]->n_compute, 0);
            assert_int_equal (views [i]->n_network, 0);
            assert_int_equal (views [i]->n_parts, 0);
            assert_int_equal (views [i]->n_silent, 0);
        }
        message_free (&shown->base);
        message_free (&list->base);
        shown = show (&fed, "p1", "alice", reservation);
        assert_non_null (shown);
        assert (shown);
        assert_int_equal (shown->n_compute, 3);
        assert_int_equal (shown->n_silent, round);
        message_free (&shown->base);
        if (round == 0)
            fed_kill (&fed, fed_find (&fed, "nis/S"));
    }
    fed_end (&fed);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_change_of_bandwidth_keeps_the_path_and_a_release_gives_all_back),
      cmocka_unit_test (a_connection_grows_beside_others_though_a_shorter_path_is_free_by_now),
      cmocka_unit_test (a_running_connection_is_prolonged_on_its_path),
      cmocka_unit_test (T10_what_a_domain_can_not_keep_is_released_everywhere),
      cmocka_unit_test (T10_a_repair_is_told_with_its_paths_though_a_domain_is_listed_late),
      cmocka_unit_test (a_list_tells_paths_and_names_silent_domains),
      cmocka_unit_test (a_stranger_is_told_when_not_where),
    };
    return cmocka_run_group_tests_name ("planner with networks, changes", tests, NULL, NULL);
}
