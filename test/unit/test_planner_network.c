/*  planner - with network domains: connections are planned, voted on and told together with the
 *  places of their ends.
 */
#include "message.h"
#include "network_asking.h"

/*  --- reserve --- */

static void places_and_connections_in_two_domains_are_one_reservation (void **state)
{
    (void) state;
    fed_t fed;
    net_begin (&fed, 1);
    Musubi__Answer *answer = reserve_net (&fed, "p0", "r@g1", &triangle);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_int_equal (answer->rounds, 1);
    assert_int_equal (answer->n_network, 2);
    expect_path (answer->network [0], "n0-n1", 600, "a b", "N/a-b", 1);
    expect_path (answer->network [1], "n1-n2", 400, "b X1 c", "N/b-X1 S/X1-c", 5);
    /* 3 needs of 4 CPUs at 1000 an hour; 0.6 Gbit/s at 1, 0.4 at 2 and at 4 million. */
    assert_int_equal (answer->cost, 3 * 4 * 1000 + 600000 + 800000 + 1600000);

    Musubi__ReservationView *view = show (&fed, "p1", "alice", answer->reservation);
    assert_non_null (view);
    assert_int_equal (view->status, MUSUBI__SHOW_STATUS__SHOW_COMMITTED);
    assert_int_equal (view->n_parts, 5);
    assert_int_equal (view->n_network, 2);
    expect_path (view->network [0], "n0-n1", 600, "a b", "N/a-b", 1);
    expect_path (view->network [1], "n1-n2", 400, "b X1 c", "N/b-X1 S/X1-c", 5);
    assert_string_equal (view->network [1]->between [1], "n2");
    assert_int_equal (view->network [1]->from_ms, FED_EPOCH_MS + FED_HOUR_MS);
    message_free (&view->base);

    assert_int_equal (free_now (&fed, "nis/N", "a-b", FED_HOUR_MS), 400);
    assert_int_equal (free_now (&fed, "nis/N", "b-X1", FED_HOUR_MS), 600);
    assert_int_equal (free_now (&fed, "nis/S", "X1-c", FED_HOUR_MS), 600);
    message_free (&answer->base);
    fed_end (&fed);
}

static void a_connection_carries_only_while_it_is_asked_for (void **state)
{
    (void) state;
    fed_t fed;
    net_begin (&fed, 2);
    net_wish_t wish = triangle;
    wish.links [0].offset_ms = FED_HOUR_MS / 4;
    wish.links [0].duration_ms = FED_HOUR_MS / 4;
    Musubi__Answer *answer = reserve_net (&fed, "p0", "r@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_int_equal (answer->network [0]->from_ms, FED_EPOCH_MS + FED_HOUR_MS + FED_HOUR_MS / 4);
    assert_int_equal (answer->network [0]->until_ms, FED_EPOCH_MS + FED_HOUR_MS + FED_HOUR_MS / 2);
    assert_int_equal (free_now (&fed, "nis/N", "a-b", FED_HOUR_MS), 1000);
    assert_int_equal (free_now (&fed, "nis/N", "a-b", FED_HOUR_MS + FED_HOUR_MS / 3), 400);
    assert_int_equal (free_now (&fed, "nis/N", "a-b", FED_HOUR_MS + FED_HOUR_MS / 2), 1000);
    message_free (&answer->base);
    fed_end (&fed);
}

static void ends_at_one_site_need_no_network (void **state)
{
    (void) state;
    fed_t fed;
    fed_federation (&fed, 3, 1, 2, 4, 1); /* no domain at all */
    net_wish_t wish = {
      .needs = 2, .links = {{0, 1, 600, 0, 0, 0}}, .links_count = 1, .start_ms = FED_HOUR_MS};
    Musubi__Answer *answer = reserve_net (&fed, "p0", "r@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_string_equal (answer->compute [0]->site, answer->compute [1]->site);
    assert_int_equal (answer->n_network, 1);
    assert_int_equal (answer->network [0]->n_path, 1);
    assert_string_equal (answer->network [0]->path [0], answer->compute [0]->site);
    assert_int_equal (answer->network [0]->n_links, 0);
    Musubi__ReservationView *view = show (&fed, "p0", "alice", answer->reservation);
    assert_int_equal (view->n_network, 1);
    assert_int_equal (view->network [0]->n_path, 1);
    assert_string_equal (view->network [0]->path [0], answer->compute [0]->site);
    message_free (&view->base);
    message_free (&answer->base);

    wish.distinct = true;
    answer = reserve_net (&fed, "p0", "r2@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_string_equal (answer->reasons [0]->need, "n0-n1");
    assert_string_equal (
      answer->reasons [0]->text,
      "no network domain is known: n0 and n1 can't be linked from one site to another");
    message_free (&answer->base);
    fed_end (&fed);
}

static void a_domain_that_tells_windows_only_takes_part (void **state)
{
    (void) state;
    fed_t fed;
    net_build (&fed, 4, DISCLOSE_WINDOWS, DISCLOSE_PROFILE);
    fed_up (&fed);
    net_wish_t wish = triangle;
    wish.links [1].mbps = 700;
    wish.links [2] = (net_link_t){0, 2, 200, 0, 0, 0};
    wish.links_count = 3;
    Musubi__Answer *answer = reserve_net (&fed, "p0", "r@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_int_equal (answer->rounds, 1);
    assert_int_equal (free_now (&fed, "nis/S", "X1-c", FED_HOUR_MS), 100);
    message_free (&answer->base);
    answer = reserve_net (&fed, "p1", "r2@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    message_free (&answer->base);
    fed_end (&fed);
}

/*  --- no --- */

static void a_domain_that_refuses_leaves_nothing_anywhere (void **state)
{
    (void) state;
    fed_t fed;
    net_build (&fed, 5, DISCLOSE_PROFILE, DISCLOSE_PROFILE);
    fed.procs [fed_find (&fed, "nis/S")].nobody = true; /* no account for anybody there */
    fed_up (&fed);
    Musubi__Answer *answer = reserve_net (&fed, "p0", "r@g1", &triangle);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_non_null (reason_about (answer, "nis/S"));
    fed_run (&fed, 5000);
    expect_untouched (&fed);
    message_free (&answer->base);
    fed_end (&fed);
}

static void a_refusal_teaches_a_detour (void **state)
{
    (void) state;
    fed_t fed;
    net_begin (&fed, 6);
    net_wish_t wish = triangle;
    wish.links_count = 1;
    uint64_t first = ask_reserve_net (&fed, "p0", "r1@g1", &wish);
    uint64_t second = ask_reserve_net (&fed, "p1", "r2@g1", &wish);
    Musubi__Answer *answers [] = {read_answer (&fed, first), read_answer (&fed, second)};
    size_t straight = answers [0]->n_network == 1 && answers [0]->network [0]->n_links == 1 ? 0 : 1;
    for (size_t i = 0; i < 2; i++)
        expect_status (answers [i], MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    expect_path (answers [straight]->network [0], "n0-n1", 600, "a b", "N/a-b", 1);
    expect_path (answers [1 - straight]->network [0], "n0-n1", 600, "a X1 b", "N/a-X1 N/b-X1", 4);
    assert_int_equal (answers [straight]->rounds + answers [1 - straight]->rounds, 3);
    message_free (&answers [0]->base);
    message_free (&answers [1]->base);
    fed_end (&fed);
}

/*  By planner: how many holds it has sent to domains, and when it sent the last one to a site. */
enum { DOMAINS_ASKED, SITES_ASKED_MS = 2 };

/*  At once, both kinds would arrive at the same time. */
static bool domain_comes_later (fed_t *fed, const fed_call_t *call)
{
    if (call->from < 0 || call->to < 0 || strcmp (call->method, "Hold") != 0)
        return true;
    size_t planner = call->from == fed_find (fed, "p1");
    unsigned *asked = &fed->counts [DOMAINS_ASKED + planner];
    unsigned *asked_ms = &fed->counts [SITES_ASKED_MS + planner];
    if (strncmp (fed->procs [call->to].name, "lis/", 4) == 0)
        *asked_ms = (unsigned) fed->mono_ms;
    if (strncmp (fed->procs [call->to].name, "nis/", 4) == 0 && ++*asked > 1)
        assert_true (fed->mono_ms > *asked_ms);
    return true;
}

static void after_a_refusal_domains_are_asked_when_all_sites_agree (void **state)
{
    (void) state;
    fed_t fed;
    net_begin (&fed, 6);
    fed.passes = domain_comes_later;
    net_wish_t wish = triangle;
    wish.links_count = 1;
    uint64_t first = ask_reserve_net (&fed, "p0", "r1@g1", &wish);
    uint64_t second = ask_reserve_net (&fed, "p1", "r2@g1", &wish);
    Musubi__Answer *answers [] = {read_answer (&fed, first), read_answer (&fed, second)};
    for (size_t i = 0; i < 2; i++) {
        expect_status (answers [i], MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
        message_free (&answers [i]->base);
    }
    assert_int_equal (fed.counts [DOMAINS_ASKED] + fed.counts [DOMAINS_ASKED + 1], 3);
    fed_end (&fed);
}

static void a_link_that_is_too_full_is_named_with_what_it_has (void **state)
{
    (void) state;
    fed_t fed;
    net_begin (&fed, 7);
    net_wish_t wish = {.sites = {"c", "d"},
                       .needs = 2,
                       .links = {{0, 1, 300, 0, 0, 0}},
                       .links_count = 1,
                       .start_ms = FED_HOUR_MS};
    Musubi__Answer *answer = reserve_net (&fed, "p0", "r1@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    answer = reserve_net (&fed, "p0", "r2@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    const Musubi__Reason *reason = reason_about (answer, "S/c-d");
    assert_non_null (reason);
    assert_string_equal (reason->need, "n0-n1");
    assert_int_equal (reason->wanted, 300);
    assert_int_equal (reason->free, 200);
    assert_int_equal (reason->from_ms, FED_EPOCH_MS + FED_HOUR_MS);
    assert_int_equal (reason->until_ms, FED_EPOCH_MS + 2 * FED_HOUR_MS);
    assert_int_equal (answer->n_alternatives, 1);
    assert_string_equal (answer->alternatives [0]->change,
                         "need n0-n1 with 200 Mbit/s instead of 300");
    assert_int_equal (answer->alternatives [0]->start_ms, FED_EPOCH_MS + FED_HOUR_MS);
    message_free (&answer->base);
    fed_end (&fed);
}

static void a_latency_that_no_path_keeps_is_told (void **state)
{
    (void) state;
    fed_t fed;
    net_begin (&fed, 8);
    net_wish_t wish = {.sites = {"a", "c"},
                       .needs = 2,
                       .links = {{.from = 0, .to = 1, .mbps = 300, .latency_ms = 4.5}},
                       .links_count = 1,
                       .start_ms = FED_HOUR_MS,
                       .dry_run = true};
    Musubi__Answer *answer = reserve_net (&fed, "p0", "", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_string_equal (answer->reasons [0]->need, "n0-n1");
    assert_non_null (
      strstr (answer->reasons [0]->text, "takes 5.000 ms, more than the limit of 4.500 ms"));
    assert_int_equal (answer->n_alternatives, 1);
    assert_string_equal (answer->alternatives [0]->change, "need n0-n1 without its latency limit");
    message_free (&answer->base);
    wish.links [0].latency_ms = 5;
    answer = reserve_net (&fed, "p0", "", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_PLANNED);
    expect_path (answer->network [0], "n0-n1", 300, "a X1 c", "N/a-X1 S/X1-c", 5);
    message_free (&answer->base);
    fed_end (&fed);
}

static void a_start_that_is_too_near_for_somebody_names_them (void **state)
{
    (void) state;
    fed_t fed;
    net_build (&fed, 20, DISCLOSE_PROFILE, DISCLOSE_PROFILE);
    fed.procs [fed_find (&fed, "nis/S")].domain.lead_ms = 600000;
    fed.procs [fed_find (&fed, "lis/d")].site.lead_ms = 500000;
    fed_up (&fed);
    net_wish_t wish = triangle;
    wish.start_ms = 300000;
    Musubi__Answer *answer = reserve_net (&fed, "p0", "r1@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_non_null (reason_of (answer, "n1-n2"));
    assert_non_null (strstr (reason_of (answer, "n1-n2")->text,
                             "the start is too near: network domain S must be told 600 s ahead"));
    message_free (&answer->base);
    wish.sites [2] = "d";
    wish.links_count = 0;
    answer = reserve_net (&fed, "p0", "r2@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_non_null (reason_of (answer, "n2"));
    assert_string_equal (reason_of (answer, "n2")->text,
                         "the start is too near: site d must be told 500 s ahead");
    message_free (&answer->base);
    wish = triangle;
    wish.start_ms = 700000;
    answer = reserve_net (&fed, "p0", "r3@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    fed_end (&fed);
}

static void who_only_asks_is_told_of_every_need_in_the_way (void **state)
{
    (void) state;
    fed_t fed;
    net_begin (&fed, 9);
    net_wish_t wish = {.sites = {"c", "d", "a", "nowhere"},
                       .needs = 4,
                       .cpus = {4, 4, 400, 4},
                       .links = {{0, 1, 700, 0, 0, 0}, {1, 2, 100, 0, 0, 0}},
                       .links_count = 2,
                       .start_ms = FED_HOUR_MS,
                       .dry_run = true};
    Musubi__Answer *answer = reserve_net (&fed, "p0", "", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    const Musubi__Reason *large = reason_of (answer, "n2"), *lost = reason_of (answer, "n3"),
                         *wide = reason_of (answer, "n0-n1");
    assert_non_null (large);
    assert_non_null (lost);
    assert_non_null (wide);
    assert_int_equal (large->wanted, 400);
    assert_non_null (strstr (lost->text, "no site 'nowhere' is known"));
    assert_int_equal (wide->wanted, 700);
    message_free (&answer->base);
    fed_end (&fed);
}

static void what_could_be_had_instead_is_told_when_a_search_finds_it (void **state)
{
    (void) state;
    fed_t fed;
    net_begin (&fed, 19);
    net_wish_t wish = {.sites = {"a"}, .cpus = {16}, .needs = 1, .start_ms = FED_HOUR_MS};
    Musubi__Answer *answer = reserve_net (&fed, "p0", "r1@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    wish.cpus [0] = 24;
    answer = reserve_net (&fed, "p0", "r2@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_int_equal (answer->n_alternatives, 1);
    assert_string_equal (answer->alternatives [0]->change, "need n0 with 16 CPUs instead of 24");
    message_free (&answer->base);

    /* Fewer CPUs alone would not do, nor less bandwidth alone. */
    net_wish_t taken = {.sites = {"c", "d"},
                        .needs = 2,
                        .links = {{0, 1, 100, 0, 0, 0}},
                        .links_count = 1,
                        .start_ms = FED_HOUR_MS};
    answer = reserve_net (&fed, "p0", "r3@g1", &taken);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    message_free (&answer->base);
    wish.sites [1] = "c";
    wish.sites [2] = "d";
    wish.needs = 3;
    wish.links [0] = (net_link_t){1, 2, 450, 0, 0, 0};
    wish.links_count = 1;
    answer = reserve_net (&fed, "p0", "r4@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_int_equal (answer->n_alternatives, 1);
    assert_string_equal (answer->alternatives [0]->change,
                         "need n0 with 16 CPUs instead of 24, need n1-n2 with 400 Mbit/s instead "
                         "of 450");
    message_free (&answer->base);

    /* Each fits alone, but both don't fit on what is left of one link. */
    net_wish_t both = {.sites = {"c", "d", "d"},
                       .needs = 3,
                       .links = {{0, 1, 200, 0, 0, 0}, {0, 2, 300, 0, 0, 0}},
                       .links_count = 2,
                       .start_ms = FED_HOUR_MS};
    answer = reserve_net (&fed, "p0", "r5@g1", &both);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_string_equal (answer->reasons [0]->text,
                         "each need is free by itself, but not all of them at one start");
    assert_int_equal (answer->n_alternatives, 1);
    assert_string_equal (answer->alternatives [0]->change,
                         "need n0-n2 with 150 Mbit/s instead of 300");
    message_free (&answer->base);

    net_wish_t five = {.needs = 5, .distinct = true, .start_ms = FED_HOUR_MS};
    answer = reserve_net (&fed, "p0", "r6@g1", &five); /* at four sites */
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_int_equal (answer->n_alternatives, 1);
    assert_string_equal (answer->alternatives [0]->change, "without distinct_sites");
    message_free (&answer->base);
    fed_end (&fed);
}

static void an_exchange_point_that_domains_describe_differently_is_named (void **state)
{
    (void) state;
    fed_t fed;
    net_build (&fed, 10, DISCLOSE_PROFILE, DISCLOSE_PROFILE);
    domain_describe (&fed.procs [fed_find (&fed, "nis/N")].domain, "X1", "location", "paris");
    domain_describe (&fed.procs [fed_find (&fed, "nis/S")].domain, "X1", "location", "lyon");
    fed_up (&fed);
    Musubi__Answer *answer = reserve_net (&fed, "p0", "r@g1", &triangle);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_non_null (reason_of (answer, "n1-n2"));
    assert_null (reason_of (answer, "n0-n1")); /* inside N it serves */
    const Musubi__Reason *reason = reason_about (answer, "X1");
    assert_non_null (reason);
    assert_non_null (
      strstr (reason->text,
              "exchange point X1: domain N says location=paris, domain S says location=lyon"));
    message_free (&answer->base);
    fed_end (&fed);
}

static void disagreements_on_the_way_are_told_before_all_others (void **state)
{
    (void) state;
    fed_t fed;
    net_build (&fed, 10, DISCLOSE_PROFILE, DISCLOSE_PROFILE);
    domain_t *n = &fed.procs [fed_find (&fed, "nis/N")].domain;
    domain_t *s = &fed.procs [fed_find (&fed, "nis/S")].domain;
    for (int i = 0; i < 5; i++) { /* before X1 by name, and no link leads there */
        char name [16];
        snprintf (name, sizeof name, "X0%d", i);
        domain_add_vertex (n, name);
        domain_add_vertex (s, name);
        domain_describe (n, name, "location", "paris");
        domain_describe (s, name, "location", "lyon");
    }
    domain_describe (n, "X1", "location", "paris");
    domain_describe (s, "X1", "location", "lyon");
    fed_up (&fed);
    Musubi__Answer *answer = reserve_net (&fed, "p0", "r@g1", &triangle);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    const char *told [8];
    size_t count = 0;
    for (size_t i = 0; i < answer->n_reasons; i++)
        if (*answer->reasons [i]->resource == 'X' && count < 8)
            told [count++] = answer->reasons [i]->resource;
    assert_int_equal (count, 4);
    assert_string_equal (told [0], "X1");
    assert_string_equal (told [1], "X00");
    assert_string_equal (told [3], "X02");
    message_free (&answer->base);
    fed_end (&fed);
}

static void domains_that_disagree_everywhere_do_not_fill_the_log (void **state)
{
    (void) state;
    fed_t fed;
    net_build (&fed, 15, DISCLOSE_PROFILE, DISCLOSE_PROFILE);
    domain_t *n = &fed.procs [fed_find (&fed, "nis/N")].domain;
    domain_t *s = &fed.procs [fed_find (&fed, "nis/S")].domain;
    for (int i = 0; i < 100; i++) {
        char name [16];
        snprintf (name, sizeof name, "X%d", 1000 + i);
        domain_add_vertex (n, name);
        domain_add_vertex (s, name);
        domain_describe (n, name, "location", "paris");
        domain_describe (s, name, "location", "lyon");
    }
    fed_up (&fed);
    net_wish_t wish = triangle;
    wish.dry_run = true;
    for (int i = 0; i < 2; i++) {
        size_t before = fed.warnings;
        Musubi__Answer *answer = reserve_net (&fed, "p0", i ? "r2@g1" : "r1@g1", &wish);
        expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_PLANNED);
        message_free (&answer->base);
        assert_int_equal (fed.warnings - before, i ? 0 : 17); /* 16, and how many more there are */
    }
    fed_end (&fed);
}

/*  --- silence --- */

static void a_silent_domain_is_planned_around (void **state)
{
    (void) state;
    fed_t fed;
    net_begin (&fed, 11);
    fed_kill (&fed, fed_find (&fed, "nis/N"));
    net_wish_t wish = {.needs = 2,
                       .links = {{0, 1, 300, 0, 0, 0}},
                       .links_count = 1,
                       .distinct = true,
                       .start_ms = FED_HOUR_MS};
    Musubi__Answer *answer = reserve_net (&fed, "p0", "r1@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_string_equal (answer->network [0]->links [0], "S/c-d");
    message_free (&answer->base);
    answer = reserve_net (&fed, "p0", "r2@g1", &triangle);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_UNKNOWN);
    assert_non_null (reason_about (answer, "nis/N"));
    assert_non_null (strstr (answer->reasons [0]->text,
                             "n0 and n1: every path needs network domain "
                             "N, which is left out: "));
    message_free (&answer->base);
    fed_end (&fed);
}

/*  After so long N's lease is over, and nobody knows it any more. */
static void sites_that_no_domain_reaches_any_more_are_told (void **state)
{
    (void) state;
    fed_t fed;
    net_begin (&fed, 14);
    fed_kill (&fed, fed_find (&fed, "nis/N"));
    fed_run (&fed, 120000);
    net_wish_t wish = {.needs = 2,
                       .sites = {"c", "a"},
                       .links = {{0, 1, 300, 0, 0, 0}},
                       .links_count = 1,
                       .start_ms = FED_HOUR_MS};
    Musubi__Answer *answer = reserve_net (&fed, "p0", "r1@g1", &wish);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    assert_string_equal (answer->reasons [0]->text,
                         "300 Mbit/s between n0 and n1: no known network domain reaches the "
                         "sites that have room for n1");
    message_free (&answer->base);
    fed_end (&fed);
}

/*  From the first commit on, N can neither hear nor ask. */
static bool cut_n_at_the_commit (fed_t *fed, const fed_call_t *call)
{
    int n = fed_find (fed, "nis/N");
    if (call->to == n && strcmp (call->method, "Commit") == 0)
        fed->counts [0] = 1;
    return fed->counts [0] == 0 || (call->to != n && call->from != n);
}

static void a_domain_cut_off_before_the_commit_is_named_until_it_is_back (void **state)
{
    (void) state;
    fed_t fed;
    net_begin (&fed, 12);
    fed.passes = cut_n_at_the_commit;
    Musubi__Answer *answer = reserve_net (&fed, "p0", "r@g1", &triangle);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_IN_PROGRESS);
    const Musubi__Reason *reason = reason_about (answer, "nis/N");
    assert_non_null (reason);
    assert_string_equal (reason->text,
                         "committed, but network domain N has not acknowledged yet: ask again");
    message_free (&answer->base);
    answer = reserve_net (&fed, "p1", "r@g1", &triangle); /* asked elsewhere */
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_IN_PROGRESS);
    reason = reason_about (answer, "nis/N");
    assert_non_null (reason);
    assert_string_equal (reason->text,
                         "committed, but network domain N has not acknowledged yet: ask again");
    message_free (&answer->base);

    fed.passes = NULL;
    fed_run (&fed, 60000);
    answer = reserve_net (&fed, "p1", "r@g1", &triangle);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    assert_int_equal (free_now (&fed, "nis/N", "a-b", FED_HOUR_MS), 400);
    message_free (&answer->base);
    fed_end (&fed);
}

static void a_domain_that_died_is_named_and_keeps_its_part (void **state)
{
    (void) state;
    fed_t fed;
    net_begin (&fed, 13);
    Musubi__Answer *answer = reserve_net (&fed, "p0", "r@g1", &triangle);
    expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
    fed_kill (&fed, fed_find (&fed, "nis/N"));
    Musubi__ReservationView *view = show (&fed, "p0", "alice", answer->reservation);
    assert_int_equal (view->n_silent, 1);
    assert_string_equal (view->silent [0], "nis/N");
    message_free (&view->base);
    Musubi__Answer *change = modify_cpus (&fed, "p0", "x@g1", answer->reservation, 1, 0);
    expect_status (change, MUSUBI__ANSWER_STATUS__ANSWER_UNKNOWN);
    assert_string_equal (change->reasons [0]->resource, "nis/N");
    assert_string_equal (change->reasons [0]->text,
                         "network domain N takes part in the reservation and does not answer");
    message_free (&change->base);

    fed_start (&fed, fed_find (&fed, "nis/N"));
    fed_run (&fed, 10000);
    view = show (&fed, "p0", "alice", answer->reservation);
    assert_int_equal (view->status, MUSUBI__SHOW_STATUS__SHOW_COMMITTED);
    assert_int_equal (view->n_network, 2);
    expect_path (view->network [1], "n1-n2", 400, "b X1 c", "N/b-X1 S/X1-c", 5);
    message_free (&view->base);
    message_free (&answer->base);
    fed_end (&fed);
}

/*  Domains may be down, not heard of yet, or not there at all. */
static void where_no_domain_is_known_no_algorithm_finds_a_connection (void **state)
{
    (void) state;
    static const char *const algorithms [] = {"auto", "ip", "bbr", "bir"};
    static const char *const policies [] = {"time", "cost"};
    fed_t fed;
    fed_federation (&fed, 41, 1, 3, 8, 1);
    for (unsigned i = 0; i < 16; i++) {
        char id [16];
        snprintf (id, sizeof id, "r%u@g1", i);
        net_wish_t wish = {.needs = 2,
                           .links = {{0, 1, 100, 0, 0, 0}},
                           .links_count = 1,
                           .start_ms = FED_HOUR_MS,
                           .distinct = true,
                           .algorithm = algorithms [i % 4],
                           .policy = policies [i / 4 % 2],
                           .dry_run = i >= 8};
        Musubi__Answer *answer = reserve_net (&fed, "p0", id, &wish);
        expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
        assert_true (answer->n_reasons > 0);
        message_free (&answer->base);
    }
    fed_end (&fed);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (places_and_connections_in_two_domains_are_one_reservation),
      cmocka_unit_test (a_connection_carries_only_while_it_is_asked_for),
      cmocka_unit_test (ends_at_one_site_need_no_network),
      cmocka_unit_test (a_domain_that_tells_windows_only_takes_part),
      cmocka_unit_test (a_domain_that_refuses_leaves_nothing_anywhere),
      cmocka_unit_test (a_refusal_teaches_a_detour),
      cmocka_unit_test (after_a_refusal_domains_are_asked_when_all_sites_agree),
      cmocka_unit_test (a_link_that_is_too_full_is_named_with_what_it_has),
      cmocka_unit_test (a_latency_that_no_path_keeps_is_told),
      cmocka_unit_test (a_start_that_is_too_near_for_somebody_names_them),
      cmocka_unit_test (who_only_asks_is_told_of_every_need_in_the_way),
      cmocka_unit_test (what_could_be_had_instead_is_told_when_a_search_finds_it),
      cmocka_unit_test (an_exchange_point_that_domains_describe_differently_is_named),
      cmocka_unit_test (disagreements_on_the_way_are_told_before_all_others),
      cmocka_unit_test (domains_that_disagree_everywhere_do_not_fill_the_log),
      cmocka_unit_test (a_silent_domain_is_planned_around),
      cmocka_unit_test (sites_that_no_domain_reaches_any_more_are_told),
      cmocka_unit_test (a_domain_cut_off_before_the_commit_is_named_until_it_is_back),
      cmocka_unit_test (a_domain_that_died_is_named_and_keeps_its_part),
      cmocka_unit_test (where_no_domain_is_known_no_algorithm_finds_a_connection),
    };
    return cmocka_run_group_tests_name ("planner with networks", tests, NULL, NULL);
}
