/*  planner - bbr and bir, with sites that disclose windows only, and as dry runs. */
#include "message.h"
#include "network_asking.h"

static const char *const both [] = {"bbr", "bir"};

/*  Two sites, joined by 1,000 Mbit/s. */
static void begin (fed_t *fed, uint64_t seed, disclosure_t disclosure)
{
    static const link_word_t link = {.name = "s0-s1", .mbps = 1000, .latency_ms = 1, .price = 1};
    domain_t domain = domain_of (&link, 1, disclosure);
    fed_new (fed, seed);
    fed_add (fed, FED_GIS, "gis/g1");
    fed_add_site (fed, "lis/s0", 4, 4, 1000, disclosure);
    fed_add_site (fed, "lis/s1", 4, 4, 1000, disclosure);
    fed_add_domain (fed, "nis/N", &domain);
    codec_clear (&domain_codec, &domain);
    fed_add (fed, FED_PLANNER, "p0");
    fed_up (fed);
}

static void expect_dry_run (uint64_t seed, const net_wish_t *asked, Musubi__AnswerStatus status)
{
    fed_t fed;
    begin (&fed, seed, DISCLOSE_PROFILE);
    net_wish_t wish = *asked;
    for (int promised = 0; promised < 2; promised++) {
        wish.dry_run = !promised;
        Musubi__Answer *answer = reserve_net (&fed, "p0", promised ? "a@g1" : "", &wish);
        expect_status (answer, status == MUSUBI__ANSWER_STATUS__ANSWER_PLANNED && promised
                                 ? MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED
                                 : status);
        message_free (&answer->base);
    }
    fed_end (&fed);
}

/*  The plan of a dry run can be had: bir counts what it would hold. */
static void a_dry_run_of_bir_says_what_bir_would_get (void **state)
{
    (void) state;
    net_wish_t links = {.needs = 4,
                        .sites = {"s0", "s1", "s0", "s1"},
                        .links = {{0, 1, 600, 0, 0, 0}, {2, 3, 600, 0, 0, 0}},
                        .links_count = 2,
                        .start_ms = FED_HOUR_MS,
                        .algorithm = "bir"};
    expect_dry_run (1, &links, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    links.links [0].mbps = links.links [1].mbps = 300;
    expect_dry_run (2, &links, MUSUBI__ANSWER_STATUS__ANSWER_PLANNED);
    /* Whole nodes: five CPUs are two nodes of four, of which the site has four. */
    net_wish_t nodes = {.needs = 3,
                        .sites = {"s0", "s0", "s0"},
                        .cpus = {5, 5, 1},
                        .start_ms = FED_HOUR_MS,
                        .algorithm = "bir"};
    expect_dry_run (3, &nodes, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
    nodes.cpus [1] = 1;
    nodes.needs = 2;
    expect_dry_run (4, &nodes, MUSUBI__ANSWER_STATUS__ANSWER_PLANNED);
}

static void sites_that_disclose_windows_only_are_used (void **state)
{
    (void) state;
    for (size_t i = 0; i < 2; i++) {
        fed_t fed;
        begin (&fed, 10 + i, DISCLOSE_WINDOWS);
        net_wish_t wish = {.needs = 2,
                           .cpus = {16, 16},
                           .links = {{0, 1, 600, 0, 0, 0}},
                           .links_count = 1,
                           .distinct = true,
                           .start_ms = FED_HOUR_MS,
                           .algorithm = both [i]};
        Musubi__Answer *answer = reserve_net (&fed, "p0", "a@g1", &wish);
        expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
        assert_int_equal (answer->start_ms, FED_EPOCH_MS + FED_HOUR_MS);
        message_free (&answer->base);

        answer = reserve_net (&fed, "p0", "b@g1", &wish); /* that start only */
        expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_REFUSED);
        message_free (&answer->base);

        wish.latest_ms = 5 * FED_HOUR_MS; /* or any after it */
        answer = reserve_net (&fed, "p0", "c@g1", &wish);
        expect_status (answer, MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED);
        assert_in_range (answer->start_ms, FED_EPOCH_MS + 2 * FED_HOUR_MS,
                         FED_EPOCH_MS + 3 * FED_HOUR_MS);
        message_free (&answer->base);
        fed_end (&fed);
    }
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_dry_run_of_bir_says_what_bir_would_get),
      cmocka_unit_test (sites_that_disclose_windows_only_are_used),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
