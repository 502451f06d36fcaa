/*  planner - commits that some participant could not keep (T10): what is repaired, in which order,
 *  and what the user is told.
 */
#include "planner_asking.h"

#include "message.h"
#include "record.h"

/*  Sites of 16 CPUs with a long lead, so that there is time between an edge and its window. */
static void late_federation (fed_t *fed, uint64_t seed, int sites)
{
    fed_new (fed, seed);
    fed_add (fed, FED_GIS, "gis/g1");
    for (int i = 0; i < sites; i++) {
        char name [32];
        snprintf (name, sizeof name, "lis/s%d", i);
        int site = fed_add_site (fed, name, 4, 4, 1000 * (i + 1), DISCLOSE_PROFILE);
        fed->procs [site].site.lead_ms = i == 0 ? 120000 : 2000;
    }
    fed_add (fed, FED_PLANNER, "p0");
    fed_add (fed, FED_PLANNER, "p1");
    fed_up (fed);
}

/*  s1 receives only p1's decisions. */
static bool keep_s1_in_doubt (fed_t *fed, const fed_call_t *call)
{
    int s1 = fed_find (fed, "lis/s1");
    bool tells = strcmp (call->method, "Commit") == 0 || strcmp (call->method, "Outcome") == 0 ||
                 strcmp (call->method, "Resolve") == 0;
    if (fed->counts [0] == 0 || !tells)
        return true;
    return call->from != s1 && (call->to != s1 || call->from == fed_find (fed, "p1"));
}

static void take (fed_t *fed, const char *id, const char *site, int64_t start_ms, int64_t for_ms)
{
    Musubi__ReserveRequest reserve = MUSUBI__RESERVE_REQUEST__INIT;
    Musubi__Request request = MUSUBI__REQUEST__INIT;
    Musubi__TimeFrame window = MUSUBI__TIME_FRAME__INIT;
    Musubi__Instant first = MUSUBI__INSTANT__INIT;
    Musubi__ComputeNeed need = MUSUBI__COMPUTE_NEED__INIT, *list [] = {&need};
    need.id = "taken";
    need.cpus = 16;
    need.site = (char *) site;
    first.when_case = MUSUBI__INSTANT__WHEN_AT_MS;
    first.at_ms = FED_EPOCH_MS + start_ms;
    window.start = &first;
    request.name = "other";
    request.window = &window;
    request.duration_ms = for_ms;
    request.n_compute = 1;
    request.compute = list;
    reserve.request = &request;
    Musubi__Answer *answer =
      read_answer (fed, fed_ask (fed, "p1", "Planner", "Reserve", "bob", id, &reserve.base, 60000));
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
}

static const char *site_of (const Musubi__Answer *answer, const char *need)
{
    for (size_t i = 0; i < answer->n_compute; i++)
        if (strcmp (answer->compute [i]->need, need) == 0)
            return answer->compute [i]->site;
    return "";
}

static bool same_answer (const Musubi__Answer *a, const Musubi__Answer *b)
{
    size_t sizes [2];
    uint8_t *bytes [2] = {message_pack (&a->base, &sizes [0]), message_pack (&b->base, &sizes [1])};
    bool same = sizes [0] == sizes [1] && memcmp (bytes [0], bytes [1], sizes [0]) == 0;
    free (bytes [0]);
    free (bytes [1]);
    return same;
}

static const user_wish_t two_sites = {
  .cpus = {16, 16}, .needs = 2, .distinct = true, .start_ms = 300000};
static const user_wish_t three_sites = {
  .cpus = {16, 16, 16}, .needs = 3, .distinct = true, .start_ms = 300000};

/*  A commit is decided over all of these sites, but s1 does not hear of it, and after the edge its
 *  nodes belong to another reservation. Returns the user's call. */
static uint64_t make_late_of (fed_t *fed, const char *id, const user_wish_t *wish)
{
    fed->passes = keep_s1_in_doubt;
    fed->counts [0] = 1;
    uint64_t call = ask_reserve (fed, "p0", id, wish);
    fed_run (fed, 185000);
    take (fed, "o@g1", "s1", 300000, FED_HOUR_MS);
    return call;
}

static uint64_t make_late (fed_t *fed, const char *id)
{
    return make_late_of (fed, id, &two_sites);
}

static void what_one_site_can_not_keep_goes_to_another_and_all_hear_the_same (void **state)
{
    (void) state;
    fed_t fed;
    late_federation (&fed, 31, 3);
    Musubi__Answer *late = read_answer (&fed, make_late (&fed, "a@g1"));
    expect_status (late, MUSUBI__ANSWER_STATUS__ANSWER_IN_PROGRESS);
    fed.counts [0] = 0;
    fed_run (&fed, 30000);
    Musubi__Answer *first = reserve (&fed, "p1", "a@g1", &two_sites);
    expect_status (first, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_string_equal (first->reservation, late->reservation);
    assert_int_equal (first->version, 2);
    assert_int_equal (first->n_compute, 2);
    assert_string_equal (site_of (first, "n0"), "s0");
    assert_string_equal (site_of (first, "n1"), "s2");
    assert_int_equal (first->start_ms, FED_EPOCH_MS + two_sites.start_ms);
    assert_int_equal (first->cost, 16 * 1000 + 16 * 3000);
    assert_non_null (strstr (first->reasons [0]->text, "lis/s1 heard of the commit too late"));
    Musubi__Answer *again = reserve (&fed, "p0", "a@g1", &two_sites);
    assert_true (same_answer (first, again));
    Musubi__ReservationView *view = show (&fed, "p0", "alice", late->reservation);
    assert_int_equal (view->status, MUSUBI__SHOW_STATUS__SHOW_COMMITTED);
    assert_int_equal (view->n_compute, 2);
    message_free (&view->base);
    message_free (&late->base);
    message_free (&first->base);
    message_free (&again->base);
    fed_end (&fed);
}

static void the_same_window_comes_first_when_it_is_free_again (void **state)
{
    (void) state;
    fed_t fed;
    late_federation (&fed, 32, 3);
    fed.passes = keep_s1_in_doubt;
    fed.counts [0] = 1;
    uint64_t call = ask_reserve (&fed, "p0", "a@g1", &two_sites);
    fed_run (&fed, 185000);
    take (&fed, "o@g1", "s1", 300000, FED_HOUR_MS);
    message_free (&read_answer (&fed, call)->base);
    /* The commit is refused; then the reservation that took its place is released, before p0 looks.
     */
    fed_kill (&fed, fed_find (&fed, "p0"));
    fed.counts [0] = 0;
    fed_run (&fed, 60000);
    Musubi__ListReservationsRequest list = MUSUBI__LIST_RESERVATIONS_REQUEST__INIT;
    list.owner = "bob";
    call_status_t status;
    char reason [256];
    Musubi__ListReservationsAnswer *taken = (Musubi__ListReservationsAnswer *) fed_answer (
      &fed, fed_ask (&fed, "p1", "Planner", "List", "bob", "", &list.base, 20000),
      &musubi__list_reservations_answer__descriptor, &status, reason);
    assert_int_equal (taken->n_views, 1);
    Musubi__ReleaseRequest request = MUSUBI__RELEASE_REQUEST__INIT;
    request.reservation = taken->views [0]->reservation;
    Musubi__Answer *answer = read_answer (
      &fed, fed_ask (&fed, "p1", "Planner", "Release", "bob", "x@g1", &request.base, 60000));
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    message_free (&taken->base);
    fed_start (&fed, fed_find (&fed, "p0"));
    fed_run (&fed, 15000);
    answer = reserve (&fed, "p1", "a@g1", &two_sites);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_string_equal (site_of (answer, "n1"), "s1");
    message_free (&answer->base);
    fed_end (&fed);
}

static void with_no_other_plan_it_is_released_and_told_so_for_ever (void **state)
{
    (void) state;
    fed_t fed;
    late_federation (&fed, 33, 2);
    message_free (&read_answer (&fed, make_late (&fed, "a@g1"))->base);
    fed.counts [0] = 0;
    fed_run (&fed, 40000);
    Musubi__Answer *first = reserve (&fed, "p1", "a@g1", &two_sites);
    expect_status (first, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_non_null (strstr (first->reasons [0]->text, "failed, and released again everywhere"));
    Musubi__Answer *again = reserve (&fed, "p0", "a@g1", &two_sites);
    assert_true (same_answer (first, again));
    message_free (&first->base);
    message_free (&again->base);
    take (&fed, "f@g1", "s0", 360000, FED_HOUR_MS / 2); /* its nodes are free */
    fed_end (&fed);
}

/*  Has it received the commit, too late? Then nothing is pending there any more. */
static bool has_refused (fed_t *fed, const char *site, const char *reservation)
{
    Musubi__ReservationView *view = show (fed, "p1", "alice", reservation);
    bool refused = false;
    for (size_t i = 0; i < view->n_parts; i++)
        refused = refused || (strcmp (view->parts [i]->participant, site) == 0 &&
                              view->parts [i]->version == 1 && !view->parts [i]->pending);
    message_free (&view->base);
    return refused;
}

/*  s1 has refused the commit, p0 is dead for good, and p1 answers within the least time that it
 *  can be given. */
static void refused_and_alone (fed_t *fed)
{
    late_federation (fed, 43, 2);
    int p0 = fed_find (fed, "p0"), p1 = fed_find (fed, "p1");
    Musubi__Answer *late = read_answer (fed, make_late (fed, "a@g1"));
    fed->counts [0] = 0;
    while (!has_refused (fed, "lis/s1", late->reservation))
        fed_run (fed, 1);
    message_free (&late->base);
    fed_kill (fed, p0);
    fed_kill (fed, p1);
    planner_settings_t *settings = &fed->procs [p1].planner;
    settings->try_ms_max = settings->try_ms;
    settings->request_limit_ms = settings->try_ms + 1;
    fed_start (fed, p1);
}

/*  To wait for p0 takes longer than a request has. */
static void failed_is_told_though_the_coordinator_is_dead_for_good (void **state)
{
    (void) state;
    fed_t fed;
    refused_and_alone (&fed);
    fed_run (&fed, 2 * FED_HOUR_MS);
    Musubi__Answer *answer = reserve (&fed, "p1", "a@g1", &two_sites);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    message_free (&answer->base);
    fed_end (&fed);
}

static void who_has_not_acknowledged_is_named_though_the_time_is_up (void **state)
{
    (void) state;
    fed_t fed;
    refused_and_alone (&fed);
    fed_run (&fed, 10000); /* p1 has the directory */
    fed_kill (&fed, fed_find (&fed, "lis/s0"));
    Musubi__Answer *answer = reserve (&fed, "p1", "a@g1", &two_sites);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_IN_PROGRESS);
    assert_non_null (strstr (answer->reasons [0]->text, "committed, but site s0 has not"));
    message_free (&answer->base);
    fed_end (&fed);
}

/*  s2 has committed and is away when the rest is released. Until it has given back its part, too,
 *  no user is told that the reservation is gone everywhere. */
static void T10_failed_is_told_only_when_all_have_been_heard (void **state)
{
    (void) state;
    fed_t fed;
    late_federation (&fed, 39, 3);
    message_free (&read_answer (&fed, make_late_of (&fed, "a@g1", &three_sites))->base);
    fed_kill (&fed, fed_find (&fed, "lis/s2"));
    fed.counts [0] = 0;
    fed_run (&fed, 60000);
    take (&fed, "f@g1", "s0", 420000, FED_HOUR_MS / 2); /* all that could be released is free */
    Musubi__Answer *answer = reserve (&fed, "p1", "a@g1", &three_sites);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_IN_PROGRESS);
    message_free (&answer->base);
    fed_start (&fed, fed_find (&fed, "lis/s2"));
    fed_run (&fed, 20000);
    answer = reserve (&fed, "p1", "a@g1", &three_sites);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_non_null (strstr (answer->reasons [0]->text, "failed, and released again everywhere"));
    message_free (&answer->base);
    take (&fed, "g@g1", "s2", 420000, FED_HOUR_MS / 2);
    fed_end (&fed);
}

/*  s1 can't keep the later end: both sites have the old window again. */
static void S3_a_change_that_can_not_be_kept_leaves_the_old_window_at_all (void **state)
{
    (void) state;
    fed_t fed;
    late_federation (&fed, 34, 2);
    Musubi__Answer *first = reserve (&fed, "p0", "a@g1", &two_sites);
    expect_status (first, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    int64_t end_ms = first->end_ms;
    fed.passes = keep_s1_in_doubt;
    fed.counts [0] = 1;
    Musubi__ModifyRequest request = MUSUBI__MODIFY_REQUEST__INIT;
    request.reservation = first->reservation;
    request.duration_ms = 2 * FED_HOUR_MS;
    uint64_t call =
      fed_ask (&fed, "p0", "Planner", "Modify", "alice", "m@g1", &request.base, 60000);
    fed_run (&fed, 300000 + FED_HOUR_MS - 120000 + 15000 - fed.mono_ms);
    message_free (&read_answer (&fed, call)->base);
    take (&fed, "o@g1", "s1", 300000 + FED_HOUR_MS + 60000, FED_HOUR_MS);
    fed.counts [0] = 0;
    fed_run (&fed, 20000);
    Musubi__Answer *answer = read_answer (
      &fed, fed_ask (&fed, "p1", "Planner", "Modify", "alice", "m@g1", &request.base, 60000));
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_non_null (strstr (answer->reasons [0]->text, "is as it was before"));
    message_free (&answer->base);
    Musubi__ReservationView *view = show (&fed, "p1", "alice", first->reservation);
    assert_int_equal (view->status, MUSUBI__SHOW_STATUS__SHOW_COMMITTED);
    assert_int_equal (view->n_compute, 2);
    for (size_t i = 0; i < view->n_compute; i++)
        assert_int_equal (view->compute [i]->until_ms, end_ms);
    assert_int_equal (view->version, 3);
    message_free (&view->base);
    message_free (&first->base);
    fed_end (&fed);
}

/*  The planner is killed again and again during a repair; its record says how far the repair is. */
static void a_repair_goes_on_after_every_death (void **state)
{
    (void) state;
    for (int at_ms = 20; at_ms <= 220; at_ms += 20) {
        fed_t fed;
        late_federation (&fed, 35, 3);
        message_free (&read_answer (&fed, make_late (&fed, "a@g1"))->base);
        fed.counts [0] = 0;
        int s1 = fed_find (&fed, "lis/s1"), p0 = fed_find (&fed, "p0");
        (void) s1;
        fed_run (&fed, 1000);
        for (int deaths = 0; deaths < 4; deaths++) {
            fed_run (&fed, at_ms);
            fed_kill (&fed, p0);
            fed_start (&fed, p0);
        }
        fed_run (&fed, 60000);
        Musubi__Answer *answer = reserve (&fed, "p1", "a@g1", &two_sites);
        expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
        assert_string_equal (site_of (answer, "n1"), "s2");
        message_free (&answer->base);
        fed_end (&fed);
    }
}

/*  p0 dies when s1 has refused. Then alice releases while s0 is away; s2 gives back its part, and
 *  s0 when it returns. p0 finds a version that another plan, one without a request, has made. */
static void what_was_released_meanwhile_is_not_put_right (void **state)
{
    (void) state;
    fed_t fed;
    late_federation (&fed, 41, 3);
    Musubi__Answer *late = read_answer (&fed, make_late_of (&fed, "a@g1", &three_sites));
    int p0 = fed_find (&fed, "p0"), s0 = fed_find (&fed, "lis/s0");
    fed.counts [0] = 0;
    while (!has_refused (&fed, "lis/s1", late->reservation))
        fed_run (&fed, 1);
    fed_kill (&fed, p0);
    fed_kill (&fed, s0);
    Musubi__Answer *answer = release (&fed, "p1", "x@g1", late->reservation);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_string_equal (answer->awaited [0], "lis/s0");
    message_free (&answer->base);
    fed_start (&fed, s0);
    fed_run (&fed, 20000);
    fed_start (&fed, p0);
    fed_run (&fed, 20000);
    Musubi__ReservationView *view = show (&fed, "p1", "alice", late->reservation);
    assert_int_equal (view->status, MUSUBI__SHOW_STATUS__SHOW_RELEASED);
    assert_int_equal (view->n_compute, 2); /* what s0 and s2 had */
    message_free (&view->base);
    answer = reserve (&fed, "p1", "a@g1", &three_sites);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_non_null (strstr (answer->reasons [0]->text, "and released since"));
    message_free (&answer->base);
    message_free (&late->base);
    fed_end (&fed);
}

static bool is_repairing (const fed_proc_t *planner)
{
    for (size_t i = 0; i < planner->host.records.count; i++) {
        const host_in_memory_kept_t *record = &planner->host.records.list [i];
        decision_record_t decision;
        char why [WHY_BYTES];
        if (record->table != TABLE_DECISIONS || record->key.size != TXID_BYTES)
            continue;
        assert_true (codec_decode (&decision_codec, &decision, kept_bytes (record->value), why));
        bool repairing = decision.phase == DECISION_REPAIRING;
        codec_clear (&decision_codec, &decision);
        if (repairing)
            return true;
    }
    return false;
}

/*  As above, but p0 looks while s0 is still away and s2 has given back its part. */
static void T10_released_since_is_told_only_when_all_have_given_back (void **state)
{
    (void) state;
    fed_t fed;
    late_federation (&fed, 42, 3);
    Musubi__Answer *late = read_answer (&fed, make_late_of (&fed, "a@g1", &three_sites));
    int p0 = fed_find (&fed, "p0"), s0 = fed_find (&fed, "lis/s0");
    fed.counts [0] = 0;
    while (!is_repairing (&fed.procs [p0]))
        fed_run (&fed, 1);
    fed_kill (&fed, p0);
    fed_kill (&fed, s0);
    Musubi__Answer *answer = release (&fed, "p1", "x@g1", late->reservation);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    fed_start (&fed, p0);
    fed_run (&fed, 20000);
    answer = reserve (&fed, "p1", "a@g1", &three_sites);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_IN_PROGRESS);
    message_free (&answer->base);
    fed_start (&fed, s0);
    fed_run (&fed, 20000);
    answer = reserve (&fed, "p1", "a@g1", &three_sites);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_non_null (strstr (answer->reasons [0]->text, "and released since"));
    message_free (&answer->base);
    message_free (&late->base);
    fed_end (&fed);
}

/*  Every quarter of a second a user asks for a change of it that fails. A planner that left
 *  recently touched reservations to others would never repair it. */
static void a_repair_is_not_put_off_by_what_else_is_asked_of_the_reservation (void **state)
{
    (void) state;
    fed_t fed;
    late_federation (&fed, 40, 3);
    Musubi__Answer *late = read_answer (&fed, make_late (&fed, "a@g1"));
    Musubi__ModifyRequest request = MUSUBI__MODIFY_REQUEST__INIT;
    uint64_t asked [80];
    request.reservation = late->reservation;
    request.duration_ms = 2 * FED_HOUR_MS;
    fed.counts [0] = 0;
    for (int i = 0; i < 80; i++) {
        char id [16];
        snprintf (id, sizeof id, "m%d@g1", i);
        asked [i] =
          fed_ask (&fed, i % 2 ? "p1" : "p0", "Planner", "Modify", "bob", id, &request.base, 60000);
        fed_run (&fed, 250);
    }
    Musubi__Answer *answer = reserve (&fed, "p1", "a@g1", &two_sites);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_string_equal (site_of (answer, "n1"), "s2");
    message_free (&answer->base);
    for (int i = 0; i < 80; i++) {
        answer = read_answer (&fed, asked [i]);
        assert_int_not_equal (answer->status, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
        message_free (&answer->base);
    }
    message_free (&late->base);
    fed_end (&fed);
}

/*  --- T2 --- */

static bool lose_amends (fed_t *fed, const fed_call_t *call)
{
    bool amend = strcmp (call->method, "Amend") == 0;
    fed->counts [3] += amend;
    return keep_s1_in_doubt (fed, call) && !amend;
}

/*  Another plan has replaced that of request a, but the home loses its store before it hears so.
 *  Then a could be carried out again, so nothing of it may stay booked. */
static void T2_a_home_that_loses_the_claim_before_it_hears_of_a_repair_has_it_undone (void **state)
{
    (void) state;
    fed_t fed;
    late_federation (&fed, 38, 3);
    Musubi__Answer *late = read_answer (&fed, make_late (&fed, "a@g1"));
    fed.passes = lose_amends;
    fed.counts [0] = 0;
    for (int i = 0; i < 3000 && fed.counts [3] == 0; i++)
        fed_run (&fed, 10);
    Musubi__ReservationView *view = show (&fed, "p1", "alice", late->reservation);
    assert_int_equal (view->version, 2);
    assert_int_equal (view->status, MUSUBI__SHOW_STATUS__SHOW_COMMITTED);
    message_free (&view->base);

    fed_proc_t *home = &fed.procs [fed_find (&fed, "gis/g1")];
    fed_kill (&fed, fed_find (&fed, "gis/g1"));
    fed_wipe (home);
    fed_start (&fed, fed_find (&fed, "gis/g1"));
    fed.passes = NULL;
    fed_run (&fed, 40000);
    view = show (&fed, "p1", "alice", late->reservation);
    assert_int_equal (view->status, MUSUBI__SHOW_STATUS__SHOW_RELEASED);
    message_free (&view->base);
    message_free (&late->base);
    fed_end (&fed);
}

/*  s2 is asked what it has by nobody who hears of it, once it has been told of the new plan. */
static bool s2_commits_and_shows_nothing (fed_t *fed, const fed_call_t *call)
{
    bool s2 = call->to == fed_find (fed, "lis/s2");
    bool show = s2 && strcmp (call->method, "Show") == 0 && fed->counts [4] > 0;
    fed->counts [4] += s2 && strcmp (call->method, "Commit") == 0;
    return lose_amends (fed, call) && !show;
}

enum { SILENT_WHEN_IT_HAS_LOOKED, SILENT_SINCE_ITS_COMMIT, SILENT_AND_A_DEATH, SILENCES };

/*  The only site of its new plan does not answer when it looks again: since the home has not heard
 *  of it, or at once, before any look has shown that plan; the planner may have died in between.
 *  The silence is not taken for a place that has nothing. */
static void T10_a_repair_waits_for_whom_it_has_planned_with (void **state)
{
    (void) state;
    static const user_wish_t one_site = {.cpus = {16}, .needs = 1};
    for (int silence = 0; silence < SILENCES; silence++) {
        fed_t fed;
        late_federation (&fed, 45, 3);
        take (&fed, "x@g1", "s0", 200000, FED_HOUR_MS);
        fed.passes = keep_s1_in_doubt;
        fed.counts [0] = 1;
        uint64_t call = ask_reserve (&fed, "p0", "a@g1", &one_site);
        fed_run (&fed, 20000); /* past its edge */
        take (&fed, "o@g1", "s1", 200000, FED_HOUR_MS);
        Musubi__Answer *late = read_answer (&fed, call);
        unsigned *seen = &fed.counts [silence == SILENT_WHEN_IT_HAS_LOOKED ? 3 : 4];
        fed.passes =
          silence == SILENT_WHEN_IT_HAS_LOOKED ? lose_amends : s2_commits_and_shows_nothing;
        fed.counts [0] = 0;
        for (int i = 0; i < 3000 && *seen == 0; i++)
            fed_run (&fed, 10);
        assert_true (*seen > 0);
        fed.counts [4] = 1;
        fed.passes = s2_commits_and_shows_nothing;
        if (silence == SILENT_AND_A_DEATH) {
            fed_run (&fed, 5);
            fed_kill (&fed, fed_find (&fed, "p0"));
            fed_start (&fed, fed_find (&fed, "p0"));
        }
        fed_run (&fed, 60000);
        fed.passes = NULL;
        fed_run (&fed, 40000);
        Musubi__Answer *again = reserve (&fed, "p1", "a@g1", &one_site);
        expect_status (again, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
        assert_string_equal (site_of (again, "n0"), "s2");
        Musubi__ReservationView *view = show (&fed, "p1", "alice", late->reservation);
        assert_int_equal (view->status, MUSUBI__SHOW_STATUS__SHOW_COMMITTED);
        assert_int_equal (view->version, 2);
        assert_int_equal (view->n_compute, 1);
        message_free (&view->base);
        message_free (&again->base);
        message_free (&late->base);
        fed_end (&fed);
    }
}

/*  --- T8 --- */

/*  1: no site hears of p0's decision. 2: only s1 does. 3: none does, and a fence does not reach s1.
 */
static bool keep_in_doubt (fed_t *fed, const fed_call_t *call)
{
    bool to_s1 = call->to == fed_find (fed, "lis/s1");
    bool tells = strcmp (call->method, "Commit") == 0 || strcmp (call->method, "Outcome") == 0 ||
                 strcmp (call->method, "Resolve") == 0;
    if (fed->counts [2] == 0)
        return true;
    if (fed->counts [2] == 3 && to_s1 && strcmp (call->method, "Fence") == 0)
        return false;
    return !tells || call->from == fed_find (fed, "p1") || (fed->counts [2] == 2 && to_s1);
}

static void administer (fed_t *fed, const char *planner)
{
    static const char *const administrators [] = {"root"};
    int at = fed_find (fed, planner);
    fed_kill (fed, at);
    fed->procs [at].planner.administrators = administrators;
    fed->procs [at].planner.administrators_count = 1;
    fed_start (fed, at);
    fed_run (fed, 8000);
}

/*  Its first plan. */
static void ask_to_fence (fed_t *fed, const char *planner, const char *by)
{
    const store_identity_t *store = &fed->procs [fed_find (fed, planner)].host.store;
    Musubi__SettleRequest request = MUSUBI__SETTLE_REQUEST__INIT;
    Musubi__Txid txid = MUSUBI__TXID__INIT;
    txid.store = (ProtobufCBinaryData){.len = STORE_ID_BYTES, .data = (uint8_t *) store->id};
    txid.start = store->start;
    txid.counter = 1;
    request.txid = &txid;
    request.participant = "lis/s0";
    request.fence = true;
    fed_ask (fed, by, "Planner", "Settle", "root", "", &request.base, 60000);
}

/*  s1 has refused the commit at its edge; then p1 fences the others, and dies for good. That s1 was
 *  told of the commit is no proof for those in doubt (T9), so p0 has to end it. */
static void T8_what_was_refused_at_an_edge_is_repaired_in_spite_of_a_dead_planners_fence (
  void **state)
{
    (void) state;
    fed_t fed;
    late_federation (&fed, 37, 3);
    administer (&fed, "p1");
    fed.passes = keep_in_doubt;
    fed.counts [2] = 1;
    uint64_t call = ask_reserve (&fed, "p0", "a@g1", &two_sites);
    fed_run (&fed, 185000);
    take (&fed, "o@g1", "s1", 300000, FED_HOUR_MS);
    fed.counts [2] = 2;
    fed_run (&fed, 5000);
    fed.counts [2] = 3;
    ask_to_fence (&fed, "p0", "p1");
    fed_run (&fed, 5000);
    fed_kill (&fed, fed_find (&fed, "p1"));
    fed.counts [2] = 0;
    fed_run (&fed, 60000);
    message_free (&read_answer (&fed, call)->base);
    Musubi__Answer *answer = reserve (&fed, "p0", "a@g1", &two_sites);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_string_equal (site_of (answer, "n0"), "s0");
    assert_string_equal (site_of (answer, "n1"), "s2");
    message_free (&answer->base);
    fed_end (&fed);
}

/*  As the planner that has fenced p0's first plan, repaired it, and come to nothing. */
static void amend_refused (fed_t *fed)
{
    const store_identity_t *store = &fed->procs [fed_find (fed, "p0")].host.store;
    Musubi__AmendRequest request = MUSUBI__AMEND_REQUEST__INIT;
    Musubi__Txid txid = MUSUBI__TXID__INIT;
    txid.store = (ProtobufCBinaryData){.len = STORE_ID_BYTES, .data = (uint8_t *) store->id};
    txid.start = store->start;
    txid.counter = 1;
    Musubi__Answer told = MUSUBI__ANSWER__INIT;
    told.status = MUSUBI__ANSWER_STATUS__ANSWER_REFUSED;
    told.request_id = "a@g1";
    request.txid = &txid;
    request.epoch = 1;
    request.answer.data = message_pack (&told.base, &request.answer.len);
    fed_ask (fed, "gis/g1", "Participant", "Amend", "planner/22222222222222222222222222222222", "",
             &request.base, 60000);
    fed_run (fed, 100);
    free (request.answer.data);
}

/*  p0's replacing plan stands, and the home does not hear of it. Returns the user's answer. */
static Musubi__Answer *replace_unheard (fed_t *fed)
{
    late_federation (fed, 44, 3);
    Musubi__Answer *late = read_answer (fed, make_late (fed, "a@g1"));
    fed->passes = lose_amends;
    fed->counts [0] = 0;
    for (int i = 0; i < 3000 && fed->counts [3] == 0; i++)
        fed_run (fed, 10);
    Musubi__ReservationView *view = show (fed, "p1", "alice", late->reservation);
    assert_int_equal (view->version, 2);
    message_free (&view->base);
    return late;
}

/*  Another planner repairs it, too, after a fence, and has told "failed" before p0's replacing plan
 *  stands. */
static void T10_what_stands_though_another_has_told_failed_is_given_back (void **state)
{
    (void) state;
    fed_t fed;
    Musubi__Answer *late = replace_unheard (&fed);
    fed.passes = NULL;
    amend_refused (&fed);
    fed_run (&fed, 40000);
    Musubi__ReservationView *view = show (&fed, "p1", "alice", late->reservation);
    assert_int_equal (view->status, MUSUBI__SHOW_STATUS__SHOW_RELEASED);
    assert_false (is_repairing (&fed.procs [fed_find (&fed, "p0")]));
    message_free (&view->base);
    Musubi__Answer *again = reserve (&fed, "p1", "a@g1", &two_sites);
    expect_status (again, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    message_free (&again->base);
    message_free (&late->base);
    fed_end (&fed);
}

/*  p0 is away until the window has passed: then there is nothing to give back. */
static void T10_what_is_over_when_its_planner_is_back_is_left (void **state)
{
    (void) state;
    fed_t fed;
    message_free (&replace_unheard (&fed)->base);
    fed_kill (&fed, fed_find (&fed, "p0"));
    fed.passes = NULL;
    amend_refused (&fed);
    fed_run (&fed, 2 * FED_HOUR_MS);
    fed_start (&fed, fed_find (&fed, "p0"));
    assert_true (is_repairing (&fed.procs [fed_find (&fed, "p0")]));
    fed_run (&fed, 60000);
    assert_false (is_repairing (&fed.procs [fed_find (&fed, "p0")]));
    fed_end (&fed);
}

/*  --- T14 --- */

/*  The records of one process at an earlier time. */
typedef struct {
    records_t records;
    uint32_t start;
} backup_t;

static backup_t backup_take (const fed_proc_t *proc)
{
    return (backup_t){.records = records_copy (&proc->host.records),
                      .start = proc->host.store.start};
}

static void backup_restore (fed_proc_t *proc, const backup_t *backup)
{
    records_clear (&proc->host.records);
    proc->host.records = backup->records;
    proc->host.store.start = backup->start;
}

/*  1: the commit does not reach s2, and s2 asks no other. 2: besides, s0 has committed and does not
 *  tell p0. */
static bool keep_s2_in_doubt (fed_t *fed, const fed_call_t *call)
{
    int s2 = fed_find (fed, "lis/s2");
    if (fed->counts [1] == 0)
        return true;
    if (fed->counts [1] == 2 && call->from == fed_find (fed, "p0") &&
        call->to == fed_find (fed, "lis/s0"))
        return false;
    return call->from != s2 && !(call->to == s2 && strcmp (call->method, "Commit") == 0);
}

/*  p0's backup was made during a repair. Later p0 decided a change, of which s2 has not heard. The
 *  backup has no record of it, so p0 must not answer "aborted". */
static void T14_a_restored_planner_aborts_nothing_that_it_has_forgotten (void **state)
{
    (void) state;
    fed_t fed;
    late_federation (&fed, 36, 3);
    fed_proc_t *p0 = &fed.procs [fed_find (&fed, "p0")];
    Musubi__Answer *late = read_answer (&fed, make_late (&fed, "a@g1"));
    fed.counts [0] = 0;
    for (int i = 0; i < 1000 && !is_repairing (p0); i++)
        fed_run (&fed, 10);
    assert_true (is_repairing (p0));
    backup_t backup = backup_take (p0);
    fed_run (&fed, 30000);
    assert_false (is_repairing (p0));

    fed.passes = keep_s2_in_doubt;
    fed.counts [1] = 1;
    Musubi__ModifyRequest request = MUSUBI__MODIFY_REQUEST__INIT;
    request.reservation = late->reservation;
    request.duration_ms = 2 * FED_HOUR_MS;
    fed_ask (&fed, "p0", "Planner", "Modify", "alice", "m@g1", &request.base, 60000);
    fed_run (&fed, 1000);
    fed_kill (&fed, fed_find (&fed, "p0"));
    backup_restore (p0, &backup);
    fed.counts [1] = 2;
    fed_start (&fed, fed_find (&fed, "p0"));
    fed_run (&fed, 10000);
    fed.counts [1] = 0;
    fed_run (&fed, 60000);

    Musubi__ReservationView *view = show (&fed, "p1", "alice", late->reservation);
    assert_int_equal (view->version, 3);
    assert_int_equal (view->n_compute, 2);
    for (size_t i = 0; i < view->n_compute; i++)
        assert_int_equal (view->compute [i]->until_ms - view->compute [i]->from_ms,
                          2 * FED_HOUR_MS);
    message_free (&view->base);
    message_free (&late->base);
    fed_end (&fed);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (what_one_site_can_not_keep_goes_to_another_and_all_hear_the_same),
      cmocka_unit_test (the_same_window_comes_first_when_it_is_free_again),
      cmocka_unit_test (with_no_other_plan_it_is_released_and_told_so_for_ever),
      cmocka_unit_test (failed_is_told_though_the_coordinator_is_dead_for_good),
      cmocka_unit_test (who_has_not_acknowledged_is_named_though_the_time_is_up),
      cmocka_unit_test (T10_failed_is_told_only_when_all_have_been_heard),
      cmocka_unit_test (S3_a_change_that_can_not_be_kept_leaves_the_old_window_at_all),
      cmocka_unit_test (a_repair_goes_on_after_every_death),
      cmocka_unit_test (what_was_released_meanwhile_is_not_put_right),
      cmocka_unit_test (T10_released_since_is_told_only_when_all_have_given_back),
      cmocka_unit_test (a_repair_is_not_put_off_by_what_else_is_asked_of_the_reservation),
      cmocka_unit_test (T2_a_home_that_loses_the_claim_before_it_hears_of_a_repair_has_it_undone),
      cmocka_unit_test (
        T8_what_was_refused_at_an_edge_is_repaired_in_spite_of_a_dead_planners_fence),
      cmocka_unit_test (T10_a_repair_waits_for_whom_it_has_planned_with),
      cmocka_unit_test (T10_what_stands_though_another_has_told_failed_is_given_back),
      cmocka_unit_test (T10_what_is_over_when_its_planner_is_back_is_left),
      cmocka_unit_test (T14_a_restored_planner_aborts_nothing_that_it_has_forgotten),
    };
    return cmocka_run_group_tests_name ("repair", tests, NULL, NULL);
}
