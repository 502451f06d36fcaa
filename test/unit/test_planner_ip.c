/*  planner - algorithm ip: windows at equal distances, an integer program for each, and the plans
 *  put to the vote in the order of their rank.
 */
#include "message.h"
#include "network_asking.h"

/*  a and b, a connection between them, in one of ten windows an hour apart. */
static const net_wish_t pair = {.sites = {"a", "b"},
                                .needs = 2,
                                .links = {{0, 1, 600, 0, 0, 0}},
                                .links_count = 1,
                                .start_ms = FED_HOUR_MS,
                                .latest_ms = 10 * FED_HOUR_MS,
                                .algorithm = "ip"};

static void expect_start (const Musubi__Answer *answer, int64_t hour)
{
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_string_equal (answer->algorithm, "ip");
    assert_int_equal (answer->start_ms, FED_EPOCH_MS + hour * FED_HOUR_MS);
}

/*  Somebody takes CPUs of a site, or bandwidth between a and b, for an hour. */
static void take_cpus (fed_t *fed, const char *site, uint32_t cpus, int64_t hour)
{
    static unsigned number;
    char id [32];
    snprintf (id, sizeof id, "cpus%u@g1", ++number);
    net_wish_t wish = {.sites = {site}, .needs = 1, .cpus = {cpus}, .start_ms = hour * FED_HOUR_MS};
    Musubi__Answer *answer = reserve_net (fed, "p1", id, &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
}

static void take_link (fed_t *fed, uint32_t mbps, int64_t hour)
{
    static unsigned number;
    char id [32];
    snprintf (id, sizeof id, "link%u@g1", ++number);
    net_wish_t wish = pair;
    wish.algorithm = "auto";
    wish.latest_ms = 0;
    wish.start_ms = hour * FED_HOUR_MS;
    wish.links [0].mbps = mbps;
    Musubi__Answer *answer = reserve_net (fed, "p1", id, &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
}

/*  --- plans --- */

static void places_and_paths_are_those_of_the_cheapest_program (void **state)
{
    (void) state;
    fed_t fed;
    net_begin (&fed, 1);
    net_wish_t wish = triangle;
    wish.algorithm = "ip";
    Musubi__Answer *answer = reserve_net (&fed, "p0", "r@g1", &wish);
    expect_start (answer, 1);
    expect_path (answer->network [0], "n0-n1", 600, "a b", "N/a-b", 1);
    expect_path (answer->network [1], "n1-n2", 400, "b X1 c", "N/b-X1 S/X1-c", 5);
    assert_int_equal (answer->cost, 3 * 4 * 1000 + 600000 + 800000 + 1600000);
    assert_int_equal (free_now (&fed, "nis/N", "b-X1", FED_HOUR_MS), 600);
    message_free (&answer->base);
    fed_end (&fed);
}

static void with_time_the_earliest_window_is_taken (void **state)
{
    (void) state;
    fed_t fed;
    net_begin (&fed, 2);
    take_cpus (&fed, "a", 32, 1); /* and its cleaning reaches into the second window */
    take_link (&fed, 600, 3);     /* the detour over X1 is free */
    Musubi__Answer *answer = reserve_net (&fed, "p0", "r@g1", &pair);
    expect_start (answer, 3);
    expect_path (answer->network [0], "n0-n1", 600, "a X1 b", "N/a-X1 N/b-X1", 4);
    message_free (&answer->base);
    fed_end (&fed);
}

static void with_cost_the_cheapest_window_is_taken (void **state)
{
    (void) state;
    fed_t fed;
    net_begin (&fed, 3);
    take_link (&fed, 600, 1);
    take_link (&fed, 600, 2);
    net_wish_t wish = pair;
    wish.policy = "cost";
    Musubi__Answer *answer = reserve_net (&fed, "p0", "r@g1", &wish);
    expect_start (answer, 3);
    expect_path (answer->network [0], "n0-n1", 600, "a b", "N/a-b", 1);
    message_free (&answer->base);
    fed_end (&fed);
}

static void describe (link_t *link, attribute_t *attribute, const char *availability)
{
    *attribute = (attribute_t){.name = "availability"};
    snprintf (attribute->value, sizeof attribute->value, "%s", availability);
    link->attributes = attribute;
    link->attributes_count = 1;
}

static void with_quality_the_most_available_path_is_taken_without_detours (void **state)
{
    (void) state;
    static const char *const told [] = {"0.9", "0.999", "0.999"};
    fed_t fed;
    fed_new (&fed, 4);
    fed_add (&fed, FED_GIS, "gis/g1");
    fed_add_site (&fed, "lis/a", 8, 4, 1000, DISCLOSE_PROFILE);
    fed_add_site (&fed, "lis/b", 8, 4, 1000, DISCLOSE_PROFILE);
    domain_t domain = domain_of (links_n, 3, DISCLOSE_PROFILE);
    attribute_t attributes [3];
    for (size_t i = 0; i < 3; i++)
        describe (&domain.links [i], &attributes [i], told [i]);
    fed_add_domain (&fed, "nis/N", &domain);
    for (size_t i = 0; i < 3; i++)
        domain.links [i].attributes = NULL;
    codec_clear (&domain_codec, &domain);
    fed_add (&fed, FED_PLANNER, "p0");
    fed_up (&fed);
    net_wish_t wish = pair;
    wish.policy = "quality";
    Musubi__Answer *answer = reserve_net (&fed, "p0", "r@g1", &wish);
    expect_start (answer, 1);
    expect_path (answer->network [0], "n0-n1", 600, "a X1 b", "N/a-X1 N/b-X1", 4);
    message_free (&answer->base);
    fed_end (&fed);
}

/*  Two links from a to X1 and two from X1 to b: cheap and slow, dear and fast. One of each is
 *  within the limit, which no program can express. */
static void a_path_keeps_its_latency_over_parallel_links (void **state)
{
    (void) state;
    static const link_word_t words [] = {{"a-X1", 1000, 3, 1000000},
                                         {"a-X1", 1000, 1, 3000000},
                                         {"X1-b", 1000, 3, 1000000},
                                         {"X1-b", 1000, 1, 4000000}};
    static const char *const names [] = {"slow1", "fast1", "slow2", "fast2"};
    fed_t fed;
    fed_new (&fed, 5);
    fed_add (&fed, FED_GIS, "gis/g1");
    fed_add_site (&fed, "lis/a", 8, 4, 1000, DISCLOSE_PROFILE);
    fed_add_site (&fed, "lis/b", 8, 4, 1000, DISCLOSE_PROFILE);
    domain_t domain = domain_of (words, 4, DISCLOSE_PROFILE);
    for (size_t i = 0; i < 4; i++)
        snprintf (domain.links [i].name, sizeof domain.links [i].name, "%s", names [i]);
    fed_add_domain (&fed, "nis/N", &domain);
    codec_clear (&domain_codec, &domain);
    fed_add (&fed, FED_PLANNER, "p0");
    fed_up (&fed);
    net_wish_t wish = pair;
    wish.links [0].latency_ms = 4;
    Musubi__Answer *answer = reserve_net (&fed, "p0", "r1@g1", &wish);
    expect_start (answer, 1);
    expect_path (answer->network [0], "n0-n1", 600, "a X1 b", "N/fast1 N/slow2", 4);
    message_free (&answer->base);
    wish.latest_ms = 0; /* what is left is slow1 and fast2: as short */
    answer = reserve_net (&fed, "p0", "r2@g1", &wish);
    expect_start (answer, 1);
    expect_path (answer->network [0], "n0-n1", 600, "a X1 b", "N/slow1 N/fast2", 4);
    message_free (&answer->base);
    answer = reserve_net (&fed, "p0", "r3@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_non_null (reason_of (answer, "n0-n1"));
    message_free (&answer->base);
    fed_end (&fed);
}

static void who_tells_windows_only_takes_part (void **state)
{
    (void) state;
    fed_t fed;
    net_build (&fed, 6, DISCLOSE_WINDOWS, DISCLOSE_WINDOWS);
    fed.procs [fed_find (&fed, "lis/a")].site.disclosure = DISCLOSE_WINDOWS;
    fed_up (&fed);
    take_cpus (&fed, "a", 32, 1);
    Musubi__Answer *answer = reserve_net (&fed, "p0", "r@g1", &pair);
    expect_start (answer, 3);
    assert_int_equal (answer->rounds, 1);
    message_free (&answer->base);
    fed_end (&fed);
}

static void each_solver_gives_the_same_plan (void **state)
{
    (void) state;
    for (solver_kind_t kind = SOLVER_AUTO; kind < SOLVER_KINDS; kind++) {
        fed_t fed;
        net_build (&fed, 7, DISCLOSE_PROFILE, DISCLOSE_PROFILE);
        ip_settings_t *ip = &fed.procs [fed_find (&fed, "p0")].planner.ip;
        ip->solver = kind;
        ip->hops_max = 2;
        fed_up (&fed);
        net_wish_t wish = triangle;
        wish.algorithm = "ip";
        wish.dry_run = true;
        Musubi__Answer *answer = reserve_net (&fed, "p0", "", &wish);
        expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_PLANNED);
        expect_path (answer->network [0], "n0-n1", 600, "a b", "N/a-b", 1);
        expect_path (answer->network [1], "n1-n2", 400, "b X1 c", "N/b-X1 S/X1-c", 5);
        message_free (&answer->base);
        expect_untouched (&fed);
        fed_end (&fed);
    }
}

/*  --- what the operator wants --- */

static void equal_load_goes_to_the_least_used (void **state)
{
    (void) state;
    fed_t fed;
    net_begin (&fed, 8);
    take_cpus (&fed, "a", 16, 1);
    take_cpus (&fed, "b", 16, 1);
    take_cpus (&fed, "d", 16, 1);
    net_wish_t wish = {.needs = 1, .start_ms = FED_HOUR_MS, .algorithm = "ip"};
    Musubi__Answer *answer = reserve_net (&fed, "p0", "r@g1", &wish);
    expect_start (answer, 1);
    assert_string_equal (answer->compute [0]->site, "c");
    message_free (&answer->base);
    fed_end (&fed);
}

static void weights_say_which_sites_come_first (void **state)
{
    (void) state;
    static const named_number_t weights [] = {{"a", 10}, {"b", 1}, {"c", 100}, {"d", 1000}};
    static const char *const order [] = {"b", "a", "c", "d"};
    fed_t fed;
    net_build (&fed, 9, DISCLOSE_PROFILE, DISCLOSE_PROFILE);
    ip_settings_t *ip = &fed.procs [fed_find (&fed, "p0")].planner.ip;
    ip->balance = BALANCE_WEIGHTS;
    ip->weights = weights;
    ip->weights_count = 4;
    fed_up (&fed);
    for (size_t i = 0; i < 4; i++) {
        char id [32];
        snprintf (id, sizeof id, "r%zu@g1", i);
        net_wish_t wish = {.needs = 1, .cpus = {32}, .start_ms = FED_HOUR_MS, .algorithm = "ip"};
        Musubi__Answer *answer = reserve_net (&fed, "p0", id, &wish);
        expect_start (answer, 1);
        assert_string_equal (answer->compute [0]->site, order [i]);
        message_free (&answer->base);
    }
    fed_end (&fed);
}

static void power_says_which_sites_come_first (void **state)
{
    (void) state;
    static const char *const watts [] = {"300", "100", "400", "200"};
    static const char *const order [] = {"b", "d", "a", "c"};
    fed_t fed;
    net_build (&fed, 11, DISCLOSE_PROFILE, DISCLOSE_PROFILE);
    fed.procs [fed_find (&fed, "p0")].planner.ip.balance = BALANCE_POWER;
    for (size_t i = 0; i < 4; i++) {
        char site [] = {'l', 'i', 's', '/', (char) ('a' + i), '\0'};
        attribute_t *told = fed.procs [fed_find (&fed, site)].site.classes [0].attributes;
        *told = (attribute_t){.name = "power"};
        snprintf (told->value, sizeof told->value, "%s", watts [i]);
    }
    fed_up (&fed);
    for (size_t i = 0; i < 4; i++) {
        char id [32];
        snprintf (id, sizeof id, "r%zu@g1", i);
        net_wish_t wish = {.needs = 1, .cpus = {32}, .start_ms = FED_HOUR_MS, .algorithm = "ip"};
        Musubi__Answer *answer = reserve_net (&fed, "p0", id, &wish);
        expect_start (answer, 1);
        assert_string_equal (answer->compute [0]->site, order [i]);
        message_free (&answer->base);
    }
    fed_end (&fed);
}

static void a_low_level_sees_less_than_there_is (void **state)
{
    (void) state;
    static const named_number_t levels [] = {{"alice", 50}};
    for (int disclosure = DISCLOSE_PROFILE; disclosure <= DISCLOSE_WINDOWS; disclosure++) {
        fed_t fed;
        net_build (&fed, 10, (disclosure_t) disclosure, (disclosure_t) disclosure);
        for (const char *name = "abcd"; *name; name++) {
            char site [16];
            snprintf (site, sizeof site, "lis/%c", *name);
            fed.procs [fed_find (&fed, site)].site.disclosure = (disclosure_t) disclosure;
        }
        ip_settings_t *ip = &fed.procs [fed_find (&fed, "p0")].planner.ip;
        ip->visible_to = levels;
        ip->visible_to_count = 1;
        fed_up (&fed);
        net_wish_t wish = pair;
        wish.links [0].mbps = 500;
        wish.cpus [0] = 16;
        Musubi__Answer *answer = reserve_net (&fed, "p0", "r1@g1", &wish);
        expect_start (answer, 1);
        message_free (&answer->base);
        answer = reserve_net (&fed, "p0", "r2@g1", &wish); /* half of what is left is too little */
        expect_start (answer, 3);
        message_free (&answer->base);
        wish.cpus [0] = 17;
        answer = reserve_net (&fed, "p0", "r3@g1", &wish);
        expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
        message_free (&answer->base);
        answer = reserve_net (&fed, "p1", "r4@g1", &wish); /* where there are no levels */
        expect_start (answer, 5);
        message_free (&answer->base);
        fed_end (&fed);
    }
}

/*  --- no --- */

/*  Another planner takes all of a for the first window when p0 has asked what is free. */
static void take_a_meanwhile (fed_t *fed, const fed_call_t *call)
{
    if (call->from != fed_find (fed, "p0") || strcmp (call->method, "Profile") != 0 ||
        call->to != fed_find (fed, "lis/a") || fed->counts [0]++ > 0)
        return;
    net_wish_t wish = {.sites = {"a"}, .needs = 1, .cpus = {32}, .start_ms = FED_HOUR_MS};
    (void) ask_reserve_net (fed, "p1", "meanwhile@g1", &wish);
}

static void a_refused_plan_is_followed_by_the_next_on_the_list (void **state)
{
    (void) state;
    fed_t fed;
    net_begin (&fed, 11);
    fed.after = take_a_meanwhile;
    Musubi__Answer *answer = reserve_net (&fed, "p0", "r@g1", &pair);
    expect_start (answer, 3); /* the cleaning of a reaches into the second window */
    assert_int_equal (answer->rounds, 2);
    fed_run (&fed, 1000);
    assert_int_equal (free_now (&fed, "lis/b", "thin", FED_HOUR_MS), 8);
    assert_int_equal (free_now (&fed, "nis/N", "a-b", FED_HOUR_MS), 1000);
    assert_int_equal (free_now (&fed, "nis/N", "a-b", 3 * FED_HOUR_MS), 400);
    message_free (&answer->base);
    fed_end (&fed);
}

static void when_the_list_ends_the_refusal_says_why (void **state)
{
    (void) state;
    fed_t fed;
    net_begin (&fed, 12);
    fed.after = take_a_meanwhile;
    net_wish_t wish = pair;
    wish.latest_ms = 2 * FED_HOUR_MS; /* all windows need a then */
    Musubi__Answer *answer = reserve_net (&fed, "p0", "r@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_int_equal (answer->rounds, 1);
    assert_string_equal (answer->algorithm, "ip");
    const Musubi__Reason *reason = reason_about (answer, "a/thin");
    assert_non_null (reason);
    assert_string_equal (reason->need, "n0");
    assert_string_equal (answer->reasons [answer->n_reasons - 1]->text,
                         "ip: no other plan on its list is possible any more");
    message_free (&answer->base);
    fed_end (&fed);
}

static void what_fits_no_window_is_refused_by_need (void **state)
{
    (void) state;
    fed_t fed;
    net_begin (&fed, 13);
    for (int64_t hour = 1; hour <= 10; hour += 2)
        take_cpus (&fed, "a", 29, hour);
    net_wish_t wish = pair;
    wish.cpus [0] = 5;
    Musubi__Answer *answer = reserve_net (&fed, "p0", "r@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_non_null (
      strstr (answer->reasons [0]->text,
              "ip: no plan found in 10 windows with a site for each need: 10 have none"));
    assert_non_null (reason_of (answer, "n0"));
    message_free (&answer->base);
    wish.start_ms = 20 * FED_HOUR_MS;
    wish.latest_ms = 0;
    wish.links [0].mbps = 1001;
    answer = reserve_net (&fed, "p0", "r2@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_non_null (reason_of (answer, "n0-n1"));
    message_free (&answer->base);
    fed_end (&fed);
}

static void each_need_gets_a_site_of_its_own (void **state)
{
    (void) state;
    fed_t fed;
    net_begin (&fed, 14);
    net_wish_t wish = {.needs = 4, .start_ms = FED_HOUR_MS, .algorithm = "ip"};
    Musubi__Answer *answer = reserve_net (&fed, "p0", "r@g1", &wish);
    expect_start (answer, 1);
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal (answer->compute [i]->site, answer->compute [k]->site);
    message_free (&answer->base);
    wish.needs = 5;
    answer = reserve_net (&fed, "p0", "r2@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_non_null (strstr (answer->reasons [0]->text,
                             "no plan found in 1 windows with a site for each need: 1 have none"));
    message_free (&answer->base);
    fed_end (&fed);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (places_and_paths_are_those_of_the_cheapest_program),
      cmocka_unit_test (with_time_the_earliest_window_is_taken),
      cmocka_unit_test (with_cost_the_cheapest_window_is_taken),
      cmocka_unit_test (with_quality_the_most_available_path_is_taken_without_detours),
      cmocka_unit_test (a_path_keeps_its_latency_over_parallel_links),
      cmocka_unit_test (who_tells_windows_only_takes_part),
      cmocka_unit_test (each_solver_gives_the_same_plan),
      cmocka_unit_test (equal_load_goes_to_the_least_used),
      cmocka_unit_test (weights_say_which_sites_come_first),
      cmocka_unit_test (power_says_which_sites_come_first),
      cmocka_unit_test (a_low_level_sees_less_than_there_is),
      cmocka_unit_test (a_refused_plan_is_followed_by_the_next_on_the_list),
      cmocka_unit_test (when_the_list_ends_the_refusal_says_why),
      cmocka_unit_test (what_fits_no_window_is_refused_by_need),
      cmocka_unit_test (each_need_gets_a_site_of_its_own),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
