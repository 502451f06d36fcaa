/*  planner - changes of reservations that have begun: needs grow and shrink, come and go, and some
 *  changes are not possible any more; and moves of reservations that have not begun.
 *
 *  Unless a test says otherwise, everything begins 60 s after the epoch and lasts an hour.
 */
#include "message.h"
#include "network_asking.h"

#define START_MS 60000
#define SOON_MS  5000  /* sites are asked about nothing sooner */
#define GAP_MS   60000 /* of cleaning, at all sites */
#define WALL_MS  (FED_EPOCH_MS + START_MS)

/*  A federation in which a wish of two sites and the connection between them has run for half an
 *  hour: n0 at a, n1 at b, each 4 CPUs on one node of 4. */
static const net_wish_t pair = {.sites = {"a", "b"},
                                .needs = 2,
                                .links = {{0, 1, 600, 0, 0, 0}},
                                .links_count = 1,
                                .start_ms = START_MS};

static char *run_pair (fed_t *fed, uint64_t seed)
{
    net_begin (fed, seed);
    Musubi__Answer *answer = reserve_net (fed, "p0", "r@g1", &pair);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    char *reservation = strdup (answer->reservation);
    assert_non_null (reservation);
    message_free (&answer->base);
    fed_run (fed, FED_HOUR_MS / 2);
    return reservation;
}

/*  What a modify asks, for a test to fill. */
typedef struct {
    Musubi__ModifyRequest body;
    Musubi__NeedPatch need, *needs [1];
    Musubi__ConnectionPatch connection, *connections [1];
    Musubi__TimeFrame window;
    Musubi__Instant instant;
    Musubi__ComputeNeed added, *adds [1];
    Musubi__NetworkNeed joined, *joins [1];
    char *ends [2];
    char *removes [2];
} alteration_t;

static void alteration_init (alteration_t *self, const char *reservation)
{
    *self = (alteration_t){.body = MUSUBI__MODIFY_REQUEST__INIT,
                           .need = MUSUBI__NEED_PATCH__INIT,
                           .connection = MUSUBI__CONNECTION_PATCH__INIT,
                           .window = MUSUBI__TIME_FRAME__INIT,
                           .instant = MUSUBI__INSTANT__INIT,
                           .added = MUSUBI__COMPUTE_NEED__INIT,
                           .joined = MUSUBI__NETWORK_NEED__INIT};
    self->body.reservation = (char *) reservation;
    self->needs [0] = &self->need;
    self->connections [0] = &self->connection;
    self->adds [0] = &self->added;
    self->joins [0] = &self->joined;
    self->body.compute = self->needs;
    self->body.network = self->connections;
    self->body.add_compute = self->adds;
    self->body.add_network = self->joins;
    self->body.remove = self->removes;
}

static void want_cpus (alteration_t *self, const char *need, uint32_t cpus)
{
    self->need.id = (char *) need;
    self->need.cpus = cpus;
    self->body.n_compute = 1;
}

static void want_mbps (alteration_t *self, const char *need, uint32_t mbps)
{
    self->connection.id = (char *) need;
    self->connection.mbps = mbps;
    self->body.n_network = 1;
}

static void want_start (alteration_t *self, int64_t start_ms)
{
    self->instant.when_case = MUSUBI__INSTANT__WHEN_AT_MS;
    self->instant.at_ms = start_ms;
    self->window.start = &self->instant;
    self->body.window = &self->window;
}

static Musubi__Answer *change (fed_t *fed, const char *planner, const char *id,
                               const alteration_t *asked)
{
    return read_answer (
      fed, fed_ask (fed, planner, "Planner", "Modify", "alice", id, &asked->body.base, 60000));
}

static void expect_refused (Musubi__Answer *answer, const char *words)
{
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_true (answer->n_reasons > 0);
    if (!strstr (answer->reasons [0]->text, words))
        fail_msg ("told: %s", answer->reasons [0]->text);
    message_free (&answer->base);
}

static int64_t wall_now (const fed_t *fed)
{
    return FED_EPOCH_MS + fed->mono_ms;
}

/*  The placements of one need follow each other without a gap, from its start to its end. */
static void expect_phases (Musubi__Placement *const *placements, size_t count, const char *need,
                           const uint32_t *cpus, size_t phases, int64_t until_ms)
{
    size_t seen = 0;
    int64_t at_ms = WALL_MS;
    for (size_t i = 0; i < count; i++) {
        if (strcmp (placements [i]->need, need) != 0)
            continue;
        if (seen >= phases) {
            fail_msg ("more than %zu placements of %s", phases, need);
            return;
        }
        assert_int_equal (placements [i]->cpus, cpus [seen]);
        assert_int_equal (placements [i]->from_ms, at_ms);
        at_ms = placements [i]->until_ms;
        seen++;
    }
    assert_int_equal (seen, phases);
    assert_int_equal (at_ms, until_ms);
}

/*  --- growing and shrinking --- */

static void what_runs_grows_from_soon_on_and_keeps_what_it_had_until_then (void **state)
{
    (void) state;
    fed_t fed;
    char *reservation = run_pair (&fed, 30);
    int64_t asked_ms = wall_now (&fed);
    alteration_t asked;
    alteration_init (&asked, reservation);
    want_cpus (&asked, "n0", 14);
    want_mbps (&asked, "n0-n1", 900);
    Musubi__Answer *answer = change (&fed, "p1", "m@g1", &asked);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_int_equal (answer->version, 2);
    assert_int_equal (answer->start_ms, WALL_MS);
    assert_int_equal (answer->end_ms, WALL_MS + FED_HOUR_MS);
    expect_phases (answer->compute, answer->n_compute, "n0", (uint32_t [2]){4, 16}, 2,
                   WALL_MS + FED_HOUR_MS);
    expect_phases (answer->compute, answer->n_compute, "n1", (uint32_t [1]){4}, 1,
                   WALL_MS + FED_HOUR_MS);
    int64_t grows_ms = answer->compute [0]->until_ms;
    assert_in_range (grows_ms, asked_ms, asked_ms + 60000);
    assert_int_equal (answer->n_network, 2);
    expect_path (answer->network [0], "n0-n1", 600, "a b", "N/a-b", 1);
    expect_path (answer->network [1], "n0-n1", 900, "a b", "N/a-b", 1);
    assert_int_equal (answer->network [1]->from_ms, grows_ms);
    fed_run (&fed, 1000);
    assert_int_equal (free_now (&fed, "lis/a", "thin", grows_ms - FED_EPOCH_MS), 4);
    assert_int_equal (free_now (&fed, "nis/N", "a-b", grows_ms - FED_EPOCH_MS - 1), 400);
    assert_int_equal (free_now (&fed, "nis/N", "a-b", grows_ms - FED_EPOCH_MS), 100);

    Musubi__ReservationView *view = show (&fed, "p0", "alice", reservation);
    assert_int_equal (view->status, MUSUBI__SHOW_STATUS__SHOW_COMMITTED);
    expect_phases (view->compute, view->n_compute, "n0", (uint32_t [2]){4, 14}, 2,
                   WALL_MS + FED_HOUR_MS);
    assert_int_equal (view->n_network, 2);
    expect_path (view->network [0], "n0-n1", 600, "a b", "N/a-b", 1);
    expect_path (view->network [1], "n0-n1", 900, "a b", "N/a-b", 1);
    message_free (&view->base);
    message_free (&answer->base);
    free (reservation);
    fed_end (&fed);
}

static void what_runs_grows_shrinks_and_is_prolonged_again_and_again (void **state)
{
    (void) state;
    fed_t fed;
    char *reservation = run_pair (&fed, 31);
    static const uint32_t cpus [] = {4, 16, 8, 32, 4};
    alteration_t asked;
    for (size_t i = 1; i < 5; i++) {
        char id [32];
        snprintf (id, sizeof id, "m%zu@g1", i);
        alteration_init (&asked, reservation);
        want_cpus (&asked, "n0", cpus [i]);
        asked.body.duration_ms = FED_HOUR_MS + (int64_t) i * 60000;
        Musubi__Answer *answer = change (&fed, i % 2 ? "p0" : "p1", id, &asked);
        expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
        expect_phases (answer->compute, answer->n_compute, "n0", cpus, i + 1,
                       WALL_MS + asked.body.duration_ms);
        message_free (&answer->base);
        fed_run (&fed, 120000);
        assert_int_equal (free_now (&fed, "lis/a", "thin", fed.mono_ms + SOON_MS),
                          8 - cpus [i] / 4);
    }
    Musubi__Answer *answer = release (&fed, "p1", "x@g1", reservation);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    fed_run (&fed, 1000);
    assert_int_equal (free_now (&fed, "lis/a", "thin", fed.mono_ms + 60000), 8);
    assert_int_equal (free_now (&fed, "nis/N", "a-b", fed.mono_ms + 60000), 1000);
    free (reservation);
    fed_end (&fed);
}

static void two_changes_before_the_first_takes_effect_leave_no_trace_of_it (void **state)
{
    (void) state;
    fed_t fed;
    char *reservation = run_pair (&fed, 32);
    alteration_t asked;
    alteration_init (&asked, reservation);
    want_cpus (&asked, "n0", 32);
    Musubi__Answer *answer = change (&fed, "p0", "m1@g1", &asked);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    want_cpus (&asked, "n0", 8);
    answer = change (&fed, "p0", "m2@g1", &asked);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    expect_phases (answer->compute, answer->n_compute, "n0", (uint32_t [2]){4, 8}, 2,
                   WALL_MS + FED_HOUR_MS);
    message_free (&answer->base);
    want_cpus (&asked, "n0", 4); /* as it is */
    answer = change (&fed, "p0", "m3@g1", &asked);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    expect_phases (answer->compute, answer->n_compute, "n0", (uint32_t [1]){4}, 1,
                   WALL_MS + FED_HOUR_MS);
    message_free (&answer->base);
    want_cpus (&asked, "n0", 8);
    answer = change (&fed, "p0", "m4@g1", &asked);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    fed_run (&fed, 120000);
    assert_int_equal (free_now (&fed, "lis/a", "thin", fed.mono_ms + SOON_MS), 6);
    free (reservation);
    fed_end (&fed);
}

static void what_can_not_grow_is_refused_by_name_and_stands (void **state)
{
    (void) state;
    fed_t fed;
    char *reservation = run_pair (&fed, 33);
    alteration_t asked;
    alteration_init (&asked, reservation);
    want_cpus (&asked, "n0", 36);
    Musubi__Answer *answer = change (&fed, "p0", "m1@g1", &asked);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    message_free (&answer->base);
    alteration_init (&asked, reservation);
    want_mbps (&asked, "n0-n1", 1001);
    answer = change (&fed, "p0", "m2@g1", &asked);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_non_null (reason_of (answer, "n0-n1"));
    message_free (&answer->base);
    Musubi__ReservationView *view = show (&fed, "p0", "alice", reservation);
    assert_int_equal (view->status, MUSUBI__SHOW_STATUS__SHOW_COMMITTED);
    assert_int_equal (view->version, 1);
    message_free (&view->base);
    assert_int_equal (free_now (&fed, "lis/a", "thin", fed.mono_ms + 30000), 7);
    assert_int_equal (free_now (&fed, "nis/N", "a-b", fed.mono_ms + 30000), 400);
    free (reservation);
    fed_end (&fed);
}

static void what_runs_can_be_shortened_to_an_end_to_come (void **state)
{
    (void) state;
    fed_t fed;
    char *reservation = run_pair (&fed, 34);
    alteration_t asked;
    alteration_init (&asked, reservation);
    asked.body.duration_ms = FED_HOUR_MS / 4;
    expect_refused (change (&fed, "p0", "m1@g1", &asked), "need n0 has begun: it can end in");
    asked.body.duration_ms = FED_HOUR_MS / 2 + 300000;
    Musubi__Answer *answer = change (&fed, "p0", "m2@g1", &asked);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    fed_run (&fed, 1000);
    int64_t end_ms = START_MS + asked.body.duration_ms;
    assert_int_equal (free_now (&fed, "lis/a", "thin", end_ms + GAP_MS - 1), 7);
    assert_int_equal (free_now (&fed, "lis/a", "thin", end_ms + GAP_MS), 8);
    assert_int_equal (free_now (&fed, "nis/N", "a-b", end_ms), 1000);
    free (reservation);
    fed_end (&fed);
}

/*  --- needs that come and go --- */

static void a_need_and_its_connection_join_what_runs (void **state)
{
    (void) state;
    fed_t fed;
    char *reservation = run_pair (&fed, 35);
    alteration_t asked;
    alteration_init (&asked, reservation);
    asked.added.id = "late";
    asked.added.cpus = 8;
    asked.added.site = "c";
    asked.body.n_add_compute = 1;
    asked.ends [0] = "n1";
    asked.ends [1] = "late";
    asked.joined.between = asked.ends;
    asked.joined.n_between = 2;
    asked.joined.mbps = 300;
    asked.body.n_add_network = 1;
    Musubi__Answer *answer = change (&fed, "p0", "m1@g1", &asked);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_int_equal (answer->n_compute, 3);
    assert_string_equal (answer->compute [2]->need, "late");
    assert_true (answer->compute [2]->from_ms > wall_now (&fed));
    assert_int_equal (answer->compute [2]->until_ms, WALL_MS + FED_HOUR_MS);
    assert_int_equal (answer->n_network, 2);
    expect_path (answer->network [1], "n1-late", 300, "b X1 c", "N/b-X1 S/X1-c", 5);
    assert_int_equal (answer->network [1]->from_ms, answer->compute [2]->from_ms);
    message_free (&answer->base);
    fed_run (&fed, 120000);
    assert_int_equal (free_now (&fed, "lis/c", "thin", fed.mono_ms + SOON_MS), 6);

    /* And goes again, with its connection or not at all. */
    alteration_init (&asked, reservation);
    asked.removes [0] = "late";
    asked.body.n_remove = 1;
    expect_refused (change (&fed, "p1", "m2@g1", &asked),
                    "remove: need 'n1-late' still joins 'late'");
    asked.removes [1] = "n1-late";
    asked.body.n_remove = 2;
    answer = change (&fed, "p1", "m3@g1", &asked);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    fed_run (&fed, 120000);
    assert_int_equal (free_now (&fed, "lis/c", "thin", fed.mono_ms + SOON_MS), 8);
    assert_int_equal (free_now (&fed, "nis/S", "X1-c", fed.mono_ms + SOON_MS), 1000);
    assert_int_equal (free_now (&fed, "nis/N", "a-b", fed.mono_ms + SOON_MS), 400);
    alteration_init (&asked, reservation);
    want_cpus (&asked, "late", 4);
    expect_refused (change (&fed, "p1", "m4@g1", &asked), "need late has ended");
    free (reservation);
    fed_end (&fed);
}

static void the_last_need_is_not_taken_out_but_released (void **state)
{
    (void) state;
    fed_t fed;
    char *reservation = run_pair (&fed, 36);
    alteration_t asked;
    alteration_init (&asked, reservation);
    asked.removes [0] = "n0-n1";
    asked.removes [1] = "n0";
    asked.body.n_remove = 2;
    Musubi__Answer *answer = change (&fed, "p0", "m1@g1", &asked);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    fed_run (&fed, 120000);
    assert_int_equal (free_now (&fed, "lis/a", "thin", fed.mono_ms + SOON_MS), 8);
    assert_int_equal (free_now (&fed, "lis/b", "thin", fed.mono_ms + SOON_MS), 7);
    asked.removes [0] = "nobody";
    asked.body.n_remove = 1;
    expect_refused (change (&fed, "p0", "m2@g1", &asked), "no need 'nobody'");
    free (reservation);
    fed_end (&fed);
}

static void a_need_taken_out_before_it_joined_leaves_no_trace (void **state)
{
    (void) state;
    fed_t fed;
    char *reservation = run_pair (&fed, 41);
    alteration_t asked;
    alteration_init (&asked, reservation);
    asked.added.id = "late";
    asked.added.cpus = 8;
    asked.added.site = "c";
    asked.body.n_add_compute = 1;
    Musubi__Answer *answer = change (&fed, "p0", "m1@g1", &asked);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    alteration_init (&asked, reservation);
    asked.removes [0] = "late";
    asked.body.n_remove = 1;
    answer = change (&fed, "p0", "m2@g1", &asked);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_int_equal (answer->n_compute, 2);
    message_free (&answer->base);
    fed_run (&fed, 1000);
    assert_int_equal (free_now (&fed, "lis/c", "thin", fed.mono_ms + 20000), 8);
    free (reservation);
    fed_end (&fed);
}

/*  --- moving --- */

static void what_has_begun_can_not_be_moved_and_stands (void **state)
{
    (void) state;
    fed_t fed;
    char *reservation = run_pair (&fed, 37);
    alteration_t asked;
    alteration_init (&asked, reservation);
    want_start (&asked, WALL_MS + 5 * FED_HOUR_MS);
    expect_refused (change (&fed, "p0", "m1@g1", &asked), "can't be moved any more");
    alteration_init (&asked, reservation);
    want_cpus (&asked, "n0", 0);
    asked.need.site = "c";
    expect_refused (change (&fed, "p0", "m2@g1", &asked),
                    "need n0 has begun at a: it can't be moved to c");
    alteration_init (&asked, reservation);
    want_start (&asked, WALL_MS); /* where it is */
    asked.body.duration_ms = 2 * FED_HOUR_MS;
    Musubi__Answer *answer = change (&fed, "p0", "m3@g1", &asked);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_int_equal (answer->start_ms, WALL_MS);
    assert_int_equal (answer->end_ms, WALL_MS + 2 * FED_HOUR_MS);
    message_free (&answer->base);
    fed_run (&fed, 1000);
    assert_int_equal (free_now (&fed, "lis/a", "thin", START_MS + 2 * FED_HOUR_MS - 1), 7);
    assert_int_equal (free_now (&fed, "nis/N", "a-b", START_MS + 2 * FED_HOUR_MS - 1), 400);
    free (reservation);
    fed_end (&fed);
}

static void what_has_not_begun_moves_to_another_time_and_another_site (void **state)
{
    (void) state;
    fed_t fed;
    net_begin (&fed, 38);
    net_wish_t wish = pair;
    wish.start_ms = FED_HOUR_MS;
    Musubi__Answer *first = reserve_net (&fed, "p0", "r@g1", &wish);
    expect_status (first, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    alteration_t asked;
    alteration_init (&asked, first->reservation);
    want_start (&asked, FED_EPOCH_MS + 5 * FED_HOUR_MS);
    Musubi__Answer *answer = change (&fed, "p1", "m1@g1", &asked);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_int_equal (answer->start_ms, FED_EPOCH_MS + 5 * FED_HOUR_MS);
    message_free (&answer->base);
    fed_run (&fed, 1000);
    assert_int_equal (free_now (&fed, "lis/a", "thin", FED_HOUR_MS), 8);
    assert_int_equal (free_now (&fed, "nis/N", "a-b", FED_HOUR_MS), 1000);
    assert_int_equal (free_now (&fed, "nis/N", "a-b", 5 * FED_HOUR_MS), 400);

    alteration_init (&asked, first->reservation);
    want_cpus (&asked, "n0", 0);
    asked.need.site = "c";
    answer = change (&fed, "p1", "m2@g1", &asked);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_string_equal (answer->compute [0]->site, "c");
    expect_path (answer->network [0], "n0-n1", 600, "c X1 b", "S/X1-c N/b-X1", 5);
    message_free (&answer->base);
    fed_run (&fed, 1000);
    assert_int_equal (free_now (&fed, "lis/a", "thin", 5 * FED_HOUR_MS), 8);
    assert_int_equal (free_now (&fed, "lis/c", "thin", 5 * FED_HOUR_MS), 7);
    assert_int_equal (free_now (&fed, "nis/N", "a-b", 5 * FED_HOUR_MS), 1000);
    assert_int_equal (free_now (&fed, "nis/S", "X1-c", 5 * FED_HOUR_MS), 400);
    message_free (&first->base);
    fed_end (&fed);
}

/*  --- faults --- */

/*  The holds of a change do not reach N. */
static bool lose_holds_at_n (fed_t *fed, const fed_call_t *call)
{
    return strcmp (call->method, "Hold") != 0 || call->to != fed_find (fed, "nis/N");
}

static void R10_what_grows_at_two_sites_and_not_in_their_domain_grows_nowhere (void **state)
{
    (void) state;
    fed_t fed;
    char *reservation = run_pair (&fed, 39);
    alteration_t asked;
    alteration_init (&asked, reservation);
    want_cpus (&asked, "n0", 32);
    want_mbps (&asked, "n0-n1", 900);
    fed.passes = lose_holds_at_n;
    Musubi__Answer *answer = change (&fed, "p0", "m1@g1", &asked);
    fed.passes = NULL;
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    message_free (&answer->base);
    fed_run (&fed, 1000);
    assert_int_equal (free_now (&fed, "lis/a", "thin", fed.mono_ms + 120000), 7);
    answer = change (&fed, "p1", "m2@g1", &asked);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    fed_run (&fed, 120000);
    assert_int_equal (free_now (&fed, "lis/a", "thin", fed.mono_ms + SOON_MS), 0);
    free (reservation);
    fed_end (&fed);
}

/*  --- two commands on one reservation --- */

/*  p0's decisions reach lis/a only while counts [0] is 0. */
static bool keep_a_in_doubt (fed_t *fed, const fed_call_t *call)
{
    int a = fed_find (fed, "lis/a");
    bool tells = strcmp (call->method, "Commit") == 0 || strcmp (call->method, "Outcome") == 0 ||
                 strcmp (call->method, "Resolve") == 0;
    return fed->counts [0] == 0 || !tells || (call->to != a && call->from != a);
}

static void R10_the_second_change_is_told_the_name_of_the_first_and_may_be_asked_again (
  void **state)
{
    (void) state;
    fed_t fed;
    char *reservation = run_pair (&fed, 40);
    alteration_t first, second;
    alteration_init (&first, reservation);
    want_cpus (&first, "n0", 8);
    alteration_init (&second, reservation);
    want_cpus (&second, "n1", 12);
    fed.passes = keep_a_in_doubt;
    fed.counts [0] = 1;
    uint64_t asked =
      fed_ask (&fed, "p0", "Planner", "Modify", "alice", "m1@g1", &first.body.base, 60000);
    fed_run (&fed, 200); /* prepared at both sites, decided, and not known at a */
    Musubi__Answer *answer = change (&fed, "p1", "m2@g1", &second);
    expect_refused (answer, "(modify) of the reservation is pending at site a");
    fed.counts [0] = 0;
    answer = read_answer (&fed, asked);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    answer = change (&fed, "p1", "m3@g1", &second);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_int_equal (answer->version, 3);
    message_free (&answer->base);
    fed_run (&fed, 120000);
    assert_int_equal (free_now (&fed, "lis/a", "thin", fed.mono_ms + SOON_MS), 6);
    assert_int_equal (free_now (&fed, "lis/b", "thin", fed.mono_ms + SOON_MS), 5);
    free (reservation);
    fed_end (&fed);
}

static void R11_a_change_that_is_pending_is_no_reason_to_refuse_a_release (void **state)
{
    (void) state;
    fed_t fed;
    char *reservation = run_pair (&fed, 44);
    alteration_t first;
    alteration_init (&first, reservation);
    want_cpus (&first, "n0", 8);
    fed.passes = keep_a_in_doubt;
    fed.counts [0] = 1;
    uint64_t asked =
      fed_ask (&fed, "p0", "Planner", "Modify", "alice", "m1@g1", &first.body.base, 60000);
    fed_run (&fed, 200); /* prepared at both sites, decided, and not known at a */
    Musubi__Answer *answer = release (&fed, "p1", "x@g1", reservation);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_UNKNOWN);
    assert_non_null (
      strstr (answer->reasons [0]->text, "(modify) of the reservation is pending at site a"));
    message_free (&answer->base);
    fed.counts [0] = 0;
    message_free (&read_answer (&fed, asked)->base);
    answer = release (&fed, "p1", "x@g1", reservation);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    free (reservation);
    fed_end (&fed);
}

/*  Two users grow and shrink it again and again, at two planners at once: each is told what became
 *  of the change, no version is made twice, and the last committed change stands. */
static void two_actors_grow_and_shrink_what_runs_at_once (void **state)
{
    (void) state;
    for (uint64_t seed = 50; seed < 58; seed++) {
        fed_t fed;
        char *reservation = run_pair (&fed, seed);
        uint32_t committed = 0, newest = 0, nodes = 0;
        for (int round = 0; round < 3; round++) {
            static const uint32_t cpus [2] = {24, 12};
            alteration_t wanted [2];
            uint64_t asked [2];
            for (int i = 0; i < 2; i++) {
                char id [32];
                snprintf (id, sizeof id, "m%d-%d@g1", round, i);
                alteration_init (&wanted [i], reservation);
                want_cpus (&wanted [i], "n0", cpus [i]);
                want_mbps (&wanted [i], "n0-n1", 10 * cpus [i]);
                asked [i] = fed_ask (&fed, i ? "p1" : "p0", "Planner", "Modify", "alice", id,
                                     &wanted [i].body.base, 60000);
            }
            for (int i = 0; i < 2; i++) {
                Musubi__Answer *answer = read_answer (&fed, asked [i]);
                bool made = answer->status == MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED;
                if (!made)
                    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
                committed += made;
                if (made && answer->version > newest) {
                    newest = answer->version;
                    nodes = cpus [i] / 4;
                }
                message_free (&answer->base);
            }
            fed_run (&fed, 120000);
            assert_int_equal (newest, committed + 1);
            assert_int_equal (free_now (&fed, "lis/a", "thin", fed.mono_ms + SOON_MS), 8 - nodes);
            assert_int_equal (free_now (&fed, "nis/N", "a-b", fed.mono_ms + SOON_MS),
                              1000 - 40 * nodes);
        }
        assert_true (committed >= 3);
        free (reservation);
        fed_end (&fed);
    }
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (what_runs_grows_from_soon_on_and_keeps_what_it_had_until_then),
      cmocka_unit_test (what_runs_grows_shrinks_and_is_prolonged_again_and_again),
      cmocka_unit_test (two_changes_before_the_first_takes_effect_leave_no_trace_of_it),
      cmocka_unit_test (what_can_not_grow_is_refused_by_name_and_stands),
      cmocka_unit_test (what_runs_can_be_shortened_to_an_end_to_come),
      cmocka_unit_test (a_need_and_its_connection_join_what_runs),
      cmocka_unit_test (a_need_taken_out_before_it_joined_leaves_no_trace),
      cmocka_unit_test (the_last_need_is_not_taken_out_but_released),
      cmocka_unit_test (what_has_begun_can_not_be_moved_and_stands),
      cmocka_unit_test (what_has_not_begun_moves_to_another_time_and_another_site),
      cmocka_unit_test (R10_the_second_change_is_told_the_name_of_the_first_and_may_be_asked_again),
      cmocka_unit_test (R11_a_change_that_is_pending_is_no_reason_to_refuse_a_release),
      cmocka_unit_test (two_actors_grow_and_shrink_what_runs_at_once),
      cmocka_unit_test (R10_what_grows_at_two_sites_and_not_in_their_domain_grows_nowhere),
    };
    return cmocka_run_group_tests_name ("planner running", tests, NULL, NULL);
}
