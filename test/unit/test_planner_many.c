/*  planner - in a federation with more sites than are asked at once: free places are found, and
 *  places that were not asked are not said to be taken.
 */
#define FED_PROCS_MAX 160

#include "domain_fixture.h"
#include "message.h"
#include "planner_asking.h"
#include "planner_limits.h"

#define SITES   130
#define NODES   4
#define DOMAINS 5
#define LONG_MS (24 * FED_HOUR_MS)

/*  Each domain has some of the sites; all meet at one exchange. */
static void add_domain (fed_t *fed, size_t at)
{
    enum { EACH = SITES / DOMAINS };
    static char names [EACH][16];
    link_word_t words [EACH];
    char name [16];
    for (size_t i = 0; i < EACH; i++) {
        snprintf (names [i], sizeof names [i], "s%zu-X", at * EACH + i);
        words [i] = (link_word_t){.name = names [i], .mbps = 1000, .latency_ms = 1, .price = 1};
    }
    domain_t domain = domain_of (words, EACH, DISCLOSE_PROFILE);
    snprintf (name, sizeof name, "nis/N%zu", at);
    fed_add_domain (fed, name, &domain);
    codec_clear (&domain_codec, &domain);
}

/*  A third of the sites disclose windows only, unless all tell profiles. */
static void begin_with (fed_t *fed, uint64_t seed, bool profiles)
{
    char name [32];
    fed_new (fed, seed);
    fed_add (fed, FED_GIS, "gis/g1");
    for (int i = 0; i < SITES; i++) {
        snprintf (name, sizeof name, "lis/s%d", i);
        fed_add_site (fed, name, NODES, 4, 1000,
                      i % 3 == 1 && !profiles ? DISCLOSE_WINDOWS : DISCLOSE_PROFILE);
    }
    for (size_t i = 0; i < DOMAINS; i++)
        add_domain (fed, i);
    fed_add (fed, FED_PLANNER, "p0");
    fed_up (fed);
}

static void begin (fed_t *fed, uint64_t seed)
{
    begin_with (fed, seed, false);
}

/*  Questions to sites and to domains. */
static void count_questions (fed_t *fed, const fed_call_t *call)
{
    if (strcmp (call->service, "Calendar") == 0)
        fed->counts [fed->procs [call->to].kind == FED_NIS]++;
}

typedef struct {
    const char *site; /* of the first need; "" = any */
    bool linked;      /* two needs on distinct sites, and a connection between them */
    bool dry_run;
    const char *algorithm;
    int64_t duration_ms;
} many_wish_t;

static Musubi__Answer *ask_many (fed_t *fed, const char *id, const many_wish_t *wish)
{
    Musubi__ReserveRequest reserve = MUSUBI__RESERVE_REQUEST__INIT;
    Musubi__Request request = MUSUBI__REQUEST__INIT;
    Musubi__TimeFrame window = MUSUBI__TIME_FRAME__INIT;
    Musubi__Instant start = MUSUBI__INSTANT__INIT;
    Musubi__ComputeNeed needs [2], *list [2];
    Musubi__NetworkNeed network = MUSUBI__NETWORK_NEED__INIT, *networks [] = {&network};
    char *ids [] = {"n0", "n1"};
    for (size_t i = 0; i < 2; i++) {
        musubi__compute_need__init (&needs [i]);
        needs [i].id = ids [i];
        needs [i].cpus = 4;
        list [i] = &needs [i];
    }
    needs [0].site = (char *) (wish->site ? wish->site : "");
    needs [0].cpus = wish->site ? 4 * NODES : 4;
    start.when_case = MUSUBI__INSTANT__WHEN_AT_MS;
    start.at_ms = FED_EPOCH_MS + 5 * FED_HOUR_MS;
    window.start = &start;
    network.n_between = 2;
    network.between = ids;
    network.mbps = 100;
    request.name = "test";
    request.window = &window;
    request.duration_ms = wish->duration_ms;
    request.n_compute = wish->linked ? 2 : 1;
    request.compute = list;
    request.distinct_sites = wish->linked;
    request.n_network = wish->linked;
    request.network = networks;
    request.algorithm = (char *) (wish->algorithm ? wish->algorithm : "");
    reserve.request = &request;
    reserve.dry_run = wish->dry_run;
    return read_answer (
      fed, fed_ask (fed, "p0", "Planner", "Reserve", "alice", id, &reserve.base, 60000));
}

/*  All nodes of all sites but these are taken. */
static void fill (fed_t *fed, size_t free, size_t also_free)
{
    for (size_t i = 0; i < SITES; i++) {
        char site [16], id [32];
        if (i == free || i == also_free)
            continue;
        snprintf (site, sizeof site, "s%zu", i);
        snprintf (id, sizeof id, "fill%zu@g1", i);
        Musubi__Answer *answer =
          ask_many (fed, id, &(many_wish_t){.site = site, .duration_ms = LONG_MS});
        expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
        message_free (&answer->base);
    }
}

static void expect_sentence (const Musubi__Answer *answer, const char *wanted, bool there)
{
    bool found = false;
    for (size_t i = 0; i < answer->n_reasons; i++)
        found = found || strstr (answer->reasons [i]->text, wanted);
    if (found != there)
        fail_msg ("%s \"%s\": %s", there ? "nothing says" : "it says", wanted,
                  answer->n_reasons ? answer->reasons [0]->text : "no reason");
}

static void the_one_free_site_of_many_is_always_found (void **state)
{
    (void) state;
    static fed_t fed;
    begin (&fed, 31);
    fill (&fed, 97, 97);
    static const char *const algorithms [] = {"auto", "bbr", "bir", "ip"};
    for (size_t i = 0; i < 24; i++) {
        Musubi__Answer *answer = ask_many (&fed, "",
                                           &(many_wish_t){.dry_run = true,
                                                          .algorithm = algorithms [i % 4],
                                                          .duration_ms = FED_HOUR_MS});
        expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_PLANNED);
        assert_string_equal (answer->compute [0]->site, "s97");
        message_free (&answer->base);
    }
    fed_end (&fed);
}

static void count_shows (fed_t *fed, const fed_call_t *call)
{
    fed->counts [0] +=
      strcmp (call->service, "Participant") == 0 && strcmp (call->method, "Show") == 0;
    fed->counts [1] += strcmp (call->method, "Parties") == 0;
}

/*  Where a reservation is costs a question to each home and to each participant; everybody is asked
 *  when no home answers, and before it is said to be nowhere. */
static void where_a_reservation_is_its_home_tells (void **state)
{
    (void) state;
    static fed_t fed;
    begin (&fed, 36);
    Musubi__Answer *made =
      ask_many (&fed, "one@g1", &(many_wish_t){.linked = true, .duration_ms = FED_HOUR_MS});
    expect_status (made, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    size_t participants = 2 + made->network [0]->n_links;
    fed.after = count_shows;
    for (int home = 1; home >= 0; home--) {
        memset (fed.counts, 0, sizeof fed.counts);
        Musubi__ReservationView *view = show (&fed, "p0", "alice", made->reservation);
        assert_int_equal (view->status, MUSUBI__SHOW_STATUS__SHOW_COMMITTED);
        assert_int_equal (view->n_compute, 2);
        message_free (&view->base);
        if (home)
            assert_in_range (fed.counts [0], 3, participants);
        else
            assert_int_equal (fed.counts [0], SITES + DOMAINS);
        if (home)
            fed_kill (&fed, fed_find (&fed, "gis/g1"));
    }
    fed_start (&fed, fed_find (&fed, "gis/g1"));
    fed_run (&fed, 20000);
    memset (fed.counts, 0, sizeof fed.counts);
    Musubi__Answer *nowhere = release (&fed, "p0", "two@g1", "nobody-knows-it");
    expect_status (nowhere, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_int_equal (fed.counts [0], SITES + DOMAINS);
    message_free (&nowhere->base);
    memset (fed.counts, 0, sizeof fed.counts);
    Musubi__Answer *released = release (&fed, "p0", "three@g1", made->reservation);
    expect_status (released, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_in_range (fed.counts [0], 3, participants);
    message_free (&released->base);
    message_free (&made->base);
    fed_end (&fed);
}

static void what_is_free_nowhere_was_asked_of_all (void **state)
{
    (void) state;
    static fed_t fed;
    begin (&fed, 32);
    fill (&fed, SITES, SITES);
    Musubi__Answer *answer =
      ask_many (&fed, "", &(many_wish_t){.dry_run = true, .duration_ms = FED_HOUR_MS});
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    expect_sentence (answer, "nowhere free", true);
    expect_sentence (answer, "not asked", false);
    message_free (&answer->base);
    fed_end (&fed);
}

static void what_a_limit_kept_from_being_asked_is_counted (void **state)
{
    (void) state;
    static fed_t fed;
    begin (&fed, 33);
    fill (&fed, SITES, SITES);
    int planner = fed_find (&fed, "p0");
    fed_kill (&fed, planner);
    fed.procs [planner].planner.asked_max = 100;
    fed_start (&fed, planner);
    fed_run (&fed, 2000);
    for (int dry = 0; dry < 2; dry++) {
        Musubi__Answer *answer =
          ask_many (&fed, "all@g1", &(many_wish_t){.dry_run = dry, .duration_ms = FED_HOUR_MS});
        expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
        expect_sentence (answer, "nowhere free", false);
        expect_sentence (answer, "at none of the 100 places", true);
        expect_sentence (answer, "30 of 130 places that could have it were not asked", true);
        message_free (&answer->base);
    }
    fed_end (&fed);
}

static void the_two_free_sites_of_many_are_joined (void **state)
{
    (void) state;
    static fed_t fed;
    begin (&fed, 35);
    fill (&fed, 20, 109);
    fed.after = count_questions;
    for (size_t i = 0; i < 8; i++) {
        Musubi__Answer *answer = ask_many (
          &fed, "", &(many_wish_t){.linked = true, .dry_run = true, .duration_ms = FED_HOUR_MS});
        expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_PLANNED);
        assert_int_equal (answer->network [0]->n_links, 2);
        message_free (&answer->base);
    }
    /* Three rounds, and a domain is asked again only if there is something new to ask. */
    assert_true (fed.counts [0] <= 8 * 2 * SITES);
    assert_true (fed.counts [1] <= 8 * 3 * DOMAINS);
    fed_end (&fed);
}

/*  The one of the plan is enough when it has what its summary may mean: no more are asked. */
static void who_is_not_needed_is_not_asked (void **state)
{
    (void) state;
    static fed_t fed;
    begin (&fed, 36);
    fed.after = count_questions;
    Musubi__Answer *answer = ask_many (&fed, "one@g1", &(many_wish_t){.duration_ms = FED_HOUR_MS});
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_int_equal (fed.counts [0], 1);
    message_free (&answer->base);
    fed_end (&fed);
}

static bool lose_summaries (fed_t *fed, const fed_call_t *call)
{
    (void) fed;
    return strcmp (call->method, "Summaries") != 0;
}

/*  Heartbeats tell that the others are full; without what they tell, nobody can be left out. */
static void summaries_say_where_room_may_be (void **state)
{
    (void) state;
    static fed_t fed;
    begin_with (&fed, 37, true);
    fill (&fed, 97, 97);
    fed_run (&fed, 12000); /* a heartbeat, and the planner's next question for summaries */
    fed.after = count_questions;
    for (int told = 1; told >= 0; told--) {
        Musubi__Answer *answer =
          ask_many (&fed, "", &(many_wish_t){.dry_run = true, .duration_ms = FED_HOUR_MS});
        expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_PLANNED);
        assert_string_equal (answer->compute [0]->site, "s97");
        message_free (&answer->base);
        if (told)
            assert_true (fed.counts [0] <= CANDIDATES_FIRST);
        else
            assert_true (fed.counts [0] > CANDIDATES_FIRST);
        fed.counts [0] = 0;
        fed.passes = lose_summaries;
        fed_kill (&fed, fed_find (&fed, "p0"));
        fed_start (&fed, fed_find (&fed, "p0"));
        fed_run (&fed, 8000);
    }
    fed_end (&fed);
}

/*  Others of the same price are drawn by lot, so one try might come upon it by chance. */
static void expect_cheapest (fed_t *fed, const char *site)
{
    for (size_t i = 0; i < 12; i++) {
        Musubi__Answer *answer = read_answer (
          fed,
          ask_reserve (fed, "p0", "",
                       &(user_wish_t){.cpus = {4}, .needs = 1, .policy = "cost", .dry_run = true}));
        expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_PLANNED);
        assert_string_equal (answer->compute [0]->site, site);
        message_free (&answer->base);
    }
}

static void come_back_with_price (fed_t *fed, const char *name, int64_t price)
{
    int at = fed_find (fed, name);
    fed_kill (fed, at);
    fed->procs [at].site.classes [0].price = price;
    fed_start (fed, at);
    fed_run (fed, 8000);
}

/*  Its name stays; only what it offers is another thing. */
static void the_cheapest_of_many_is_found_whenever_prices_change (void **state)
{
    (void) state;
    static fed_t fed;
    begin_with (&fed, 38, true);
    come_back_with_price (&fed, "lis/s40", 500);
    expect_cheapest (&fed, "s40");
    come_back_with_price (&fed, "lis/s97", 250);
    expect_cheapest (&fed, "s97");
    come_back_with_price (&fed, "lis/s97", 2000);
    expect_cheapest (&fed, "s40");
    fed_end (&fed);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (the_one_free_site_of_many_is_always_found),
      cmocka_unit_test (where_a_reservation_is_its_home_tells),
      cmocka_unit_test (what_is_free_nowhere_was_asked_of_all),
      cmocka_unit_test (what_a_limit_kept_from_being_asked_is_counted),
      cmocka_unit_test (the_two_free_sites_of_many_are_joined),
      cmocka_unit_test (who_is_not_needed_is_not_asked),
      cmocka_unit_test (summaries_say_where_room_may_be),
      cmocka_unit_test (the_cheapest_of_many_is_found_whenever_prices_change),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
