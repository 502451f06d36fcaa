/*  shares - the edge, compared with a check of every moment; and the parts that are sent. */
#include "shares.h"

#include "participant_ref.h"
#include "prng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOMENTS 12
#define GAP_MAX 3

static participant_ref_t party_named (const char *name)
{
    participant_ref_t party = {0};
    snprintf (party.name, sizeof party.name, "%s", name);
    return party;
}

static compute_booking_t booking (const char *need, const char *class_name, uint32_t nodes,
                                  int64_t from_ms, int64_t until_ms)
{
    compute_booking_t booking = {.nodes = nodes, .from_ms = from_ms, .until_ms = until_ms};
    snprintf (booking.need, sizeof booking.need, "%s", need);
    snprintf (booking.class_name, sizeof booking.class_name, "%s", class_name);
    return booking;
}

static circuit_t circuit (const char *first, const char *second, uint32_t mbps, int64_t from_ms,
                          int64_t until_ms)
{
    circuit_t circuit = {.mbps = mbps, .from_ms = from_ms, .until_ms = until_ms};
    circuit.links = calloc (2, sizeof *circuit.links);
    snprintf (circuit.links [circuit.links_count++], NAME_BYTES_MAX, "%s", first);
    if (second)
        snprintf (circuit.links [circuit.links_count++], NAME_BYTES_MAX, "%s", second);
    return circuit;
}

/*  --- the edge --- */

static int64_t nodes_at (const compute_booking_t *bookings, size_t count, const char *name,
                         int64_t at_ms)
{
    int64_t nodes = 0;
    for (size_t i = 0; i < count; i++)
        if (strcmp (bookings [i].class_name, name) == 0 && bookings [i].from_ms <= at_ms &&
            at_ms < bookings [i].until_ms)
            nodes += bookings [i].nodes;
    return nodes;
}

/*  Nodes that a need gave back when its booking ended, less those with which it went on at once. */
static int64_t cleaned_at (const compute_booking_t *bookings, size_t count, const char *name,
                           int64_t gap_ms, int64_t at_ms)
{
    int64_t nodes = 0;
    for (size_t i = 0; i < count; i++) {
        const compute_booking_t *over = &bookings [i];
        int64_t given_back = over->nodes;
        if (strcmp (over->class_name, name) != 0 || at_ms < over->until_ms ||
            at_ms >= over->until_ms + gap_ms)
            continue;
        for (size_t n = 0; n < count; n++)
            if (strcmp (bookings [n].need, over->need) == 0 &&
                strcmp (bookings [n].class_name, name) == 0 &&
                bookings [n].from_ms == over->until_ms)
                given_back -= bookings [n].nodes;
        nodes += given_back > 0 ? given_back : 0;
    }
    return nodes;
}

static int64_t mbps_at (const circuit_t *circuits, size_t count, const char *link, int64_t at_ms)
{
    int64_t mbps = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t l = 0; l < circuits [i].links_count; l++)
            if (strcmp (circuits [i].links [l], link) == 0 && circuits [i].from_ms <= at_ms &&
                at_ms < circuits [i].until_ms)
                mbps += circuits [i].mbps;
    return mbps;
}

static const char *const names [] = {"a", "b", "c"};

static bool lacks_at (const share_t *share, int64_t at_ms)
{
    const holding_t *new = &share->new, *old = &share->old;
    for (size_t i = 0; i < 3; i++) {
        int64_t nodes = nodes_at (new->bookings, new->bookings_count, names [i], at_ms) -
                        nodes_at (old->bookings, old->bookings_count, names [i], at_ms);
        int64_t cleaned =
          cleaned_at (new->bookings, new->bookings_count, names [i], share->gap_ms, at_ms) -
          cleaned_at (old->bookings, old->bookings_count, names [i], share->gap_ms, at_ms);
        if (nodes > 0 || nodes + cleaned > 0)
            return true;
        if (mbps_at (new->circuits, new->circuits_count, names [i], at_ms) >
            mbps_at (old->circuits, old->circuits_count, names [i], at_ms))
            return true;
    }
    return false;
}

static void random_interval (prng_t *prng, int64_t *from_ms, int64_t *until_ms)
{
    *from_ms = (int64_t) prng_below (prng, MOMENTS - 1);
    *until_ms = *from_ms + 1 + (int64_t) prng_below (prng, (uint64_t) (MOMENTS - *from_ms));
}

static const char *random_name (prng_t *prng)
{
    return names [prng_below (prng, 3)];
}

/*  The new version keeps the booking: as it is, or with a node less for part of the time. */
static void keep_booking (share_t *share, prng_t *prng, const compute_booking_t *old)
{
    compute_booking_t piece = *old;
    int64_t less_ms, more_ms;
    random_interval (prng, &less_ms, &more_ms);
    if (old->nodes > 1 && old->from_ms < less_ms && more_ms < old->until_ms) {
        piece.until_ms = less_ms;
        share_book (share, &piece);
        piece.nodes--;
        piece.from_ms = less_ms;
        piece.until_ms = more_ms;
        share_book (share, &piece);
        piece.nodes++;
        piece.from_ms = more_ms;
        piece.until_ms = old->until_ms;
    }
    share_book (share, &piece);
}

/*  Some old bookings or circuits, most of which the new version keeps, and some new ones. */
static void fill_site (share_t *share, prng_t *prng, compute_booking_t old [3])
{
    int64_t from_ms, until_ms;
    share->old.bookings = old;
    share->old.bookings_count = prng_below (prng, 4);
    for (size_t i = 0; i < share->old.bookings_count; i++) {
        random_interval (prng, &from_ms, &until_ms);
        char need [8];
        snprintf (need, sizeof need, "n%u", (unsigned) i);
        old [i] = booking (need, random_name (prng), 1 + (uint32_t) prng_below (prng, 3), from_ms,
                           until_ms);
        if (prng_below (prng, 4) > 0)
            keep_booking (share, prng, &old [i]);
    }
    if (prng_below (prng, 2)) {
        random_interval (prng, &from_ms, &until_ms);
        compute_booking_t more = booking ("more", random_name (prng), 1, from_ms, until_ms);
        share_book (share, &more);
    }
}

static void fill_domain (share_t *share, prng_t *prng, circuit_t old [3])
{
    int64_t from_ms, until_ms;
    share->old.circuits = old;
    share->old.circuits_count = prng_below (prng, 4);
    for (size_t i = 0; i < share->old.circuits_count; i++) {
        random_interval (prng, &from_ms, &until_ms);
        uint32_t mbps = 1 + (uint32_t) prng_below (prng, 3);
        old [i] = circuit ("a", prng_below (prng, 2) ? "b" : NULL, mbps, from_ms, until_ms);
        circuit_t kept =
          circuit ("a", old [i].links_count == 2 ? "b" : NULL, mbps, from_ms, until_ms);
        if (prng_below (prng, 4) > 0)
            share_connect (share, &kept);
        else
            free (kept.links);
    }
    if (prng_below (prng, 2)) {
        random_interval (prng, &from_ms, &until_ms);
        circuit_t more = circuit ("b", prng_below (prng, 2) ? "c" : NULL, 1, from_ms, until_ms);
        share_connect (share, &more);
    }
}

static void T9_the_edge_is_the_first_moment_that_lacks_something (void **state)
{
    (void) state;
    prng_t prng;
    unsigned lacking = 0, sufficing = 0;
    prng_seed (&prng, 9);
    for (int round = 0; round < 4000; round++) {
        shares_t shares = {0};
        compute_booking_t old_bookings [3];
        circuit_t old_circuits [3];
        participant_ref_t site = party_named ("lis/ams"), domain = party_named ("nis/N");
        share_t *at_site = shares_of (&shares, &site), *at_domain = shares_of (&shares, &domain);
        at_site->lead_ms = (int64_t) prng_below (&prng, 5);
        at_domain->lead_ms = (int64_t) prng_below (&prng, 5);
        at_site->gap_ms = (int64_t) prng_below (&prng, GAP_MAX + 1);
        fill_site (at_site, &prng, old_bookings);
        fill_domain (at_domain, &prng, old_circuits);
        int64_t first_ms = INT64_MAX, old_end_ms = 0;
        for (int64_t at_ms = 0; at_ms <= MOMENTS + GAP_MAX && first_ms == INT64_MAX; at_ms++)
            if (lacks_at (at_site, at_ms) || lacks_at (at_domain, at_ms))
                first_ms = at_ms;
        for (size_t i = 0; i < at_site->old.bookings_count; i++)
            if (old_bookings [i].until_ms > old_end_ms)
                old_end_ms = old_bookings [i].until_ms;
        for (size_t i = 0; i < at_domain->old.circuits_count; i++)
            if (old_circuits [i].until_ms > old_end_ms)
                old_end_ms = old_circuits [i].until_ms;
        bool site_lacks = false, domain_lacks = false;
        for (int64_t at_ms = 0; at_ms <= MOMENTS + GAP_MAX; at_ms++) {
            site_lacks = site_lacks || lacks_at (at_site, at_ms);
            domain_lacks = domain_lacks || lacks_at (at_domain, at_ms);
        }
        int64_t lead_ms = site_lacks ? at_site->lead_ms : 0;
        if (domain_lacks && at_domain->lead_ms > lead_ms)
            lead_ms = at_domain->lead_ms;
        assert_int_equal (shares_edge (&shares),
                          first_ms < INT64_MAX ? first_ms - lead_ms : old_end_ms);
        lacking += first_ms < INT64_MAX;
        sufficing += first_ms == INT64_MAX;
        for (size_t i = 0; i < at_domain->old.circuits_count; i++)
            free (old_circuits [i].links);
        shares_clear (&shares);
    }
    assert_true (lacking > 500 && sufficing > 100);
}

/*  The new version of a reservation that has two nodes from 0 to 100; cleaning takes 10. */
static int64_t edge_of (const compute_booking_t *new, size_t count)
{
    compute_booking_t old = booking ("n", "a", 2, 0, 100);
    shares_t shares = {0};
    participant_ref_t site = party_named ("lis/ams");
    share_t *share = shares_of (&shares, &site);
    share->gap_ms = 10;
    share->old.bookings = &old;
    share->old.bookings_count = 1;
    for (size_t i = 0; i < count; i++)
        share_book (share, &new [i]);
    int64_t edge_ms = shares_edge (&shares);
    shares_clear (&shares);
    return edge_ms;
}

static void T9_nodes_that_are_cleaned_are_of_no_use_to_a_change (void **state)
{
    (void) state;
    compute_booking_t longer = booking ("n", "a", 2, 0, 200);
    compute_booking_t fewer [] = {booking ("n", "a", 2, 0, 50), booking ("n", "a", 1, 50, 100)};
    compute_booking_t again [] = {booking ("n", "a", 2, 0, 50), booking ("n", "a", 1, 50, 55),
                                  booking ("n", "a", 2, 55, 100)};
    compute_booking_t later [] = {booking ("n", "a", 2, 0, 50), booking ("n", "a", 1, 50, 60),
                                  booking ("n", "a", 2, 60, 100)};
    assert_int_equal (edge_of (&longer, 1), 100); /* then its nodes would be taken from it */
    assert_int_equal (edge_of (fewer, 2), 100);   /* it lacks nothing until the old end */
    longer.until_ms = 100;
    longer.cpus = 2;
    assert_int_equal (edge_of (&longer, 1), 0);
    compute_booking_t more [] = {booking ("n", "a", 2, 0, 40), booking ("n", "a", 2, 40, 100)};
    more [1].cpus = 2;
    assert_int_equal (edge_of (more, 2), 40);  /* CPUs of its own nodes */
    assert_int_equal (edge_of (again, 3), 55); /* what it gave back is not clean yet */
    assert_int_equal (edge_of (later, 3), 100);
}

/*  The old version of a reservation has two CPUs from 0 to 50, four until 100, and a circuit. */
static int64_t begun_of (const compute_booking_t *new, size_t count, uint32_t mbps)
{
    compute_booking_t old [] = {booking ("n", "a", 2, 0, 50), booking ("n", "a", 2, 50, 100)};
    circuit_t had = circuit ("l", NULL, 10, 30, 100), has = circuit ("l", NULL, mbps, 30, 100);
    shares_t shares = {0};
    participant_ref_t site = party_named ("lis/ams"), domain = party_named ("nis/N");
    share_t *share = shares_of (&shares, &site), *at_domain = shares_of (&shares, &domain);
    old [0].cpus = 2;
    old [1].cpus = 4;
    share->old = (holding_t){.bookings = old, .bookings_count = 2};
    at_domain->old = (holding_t){.circuits = &had, .circuits_count = 1};
    for (size_t i = 0; i < count; i++)
        share_book (share, &new [i]);
    share_connect (at_domain, &has);
    int64_t begun_ms = shares_begun (&shares);
    shares_clear (&shares);
    free (had.links);
    return begun_ms;
}

static void R10_what_is_changed_from_its_begin_on_is_changed_before_it (void **state)
{
    (void) state;
    compute_booking_t now [] = {booking ("n", "a", 2, 0, 50), booking ("n", "a", 2, 50, 80),
                                booking ("n", "a", 2, 80, 100)};
    now [0].cpus = 2;
    now [1].cpus = now [2].cpus = 4;
    assert_int_equal (begun_of (now, 2, 10), INT64_MAX); /* it ends earlier */
    now [2].cpus = 1;
    assert_int_equal (begun_of (now, 3, 10), INT64_MAX); /* less from some time later on */
    assert_int_equal (begun_of (now, 3, 5), 30);         /* so is a circuit */
    now [1].cpus = 3;
    assert_int_equal (begun_of (now, 3, 10), 50);
    now [0].cpus = 1;
    assert_int_equal (begun_of (now, 3, 5), 0);
    now [0] = booking ("n", "a", 2, 60, 160); /* it moves */
    assert_int_equal (begun_of (now, 1, 10), 0);
    assert_int_equal (begun_of (NULL, 0, 10), 0);
}

static void a_plan_ends_with_its_last_part_and_the_cleaning_after_it (void **state)
{
    (void) state;
    shares_t shares = {0};
    participant_ref_t site = party_named ("lis/ams"), domain = party_named ("nis/N");
    share_t *at_site = shares_of (&shares, &site);
    at_site->gap_ms = 5;
    compute_booking_t short_one = booking ("n", "a", 1, 0, 10);
    share_book (at_site, &short_one);
    assert_int_equal (shares_end (&shares), 15);
    circuit_t long_one = circuit ("a", NULL, 1, 0, 20);
    share_connect (shares_of (&shares, &domain), &long_one);
    assert_int_equal (shares_end (&shares), 20);
    compute_booking_t old = booking ("n", "a", 1, 0, 30);
    at_site->old.bookings = &old;
    at_site->old.bookings_count = 1;
    assert_int_equal (shares_end (&shares), 35);
    shares_clear (&shares);
}

/*  --- parts --- */

static void each_participant_gets_a_part_of_its_kind (void **state)
{
    (void) state;
    shares_t shares = {0};
    participant_ref_t domain = party_named ("nis/N");
    circuit_t one = circuit ("a", "b", 1000, 0, 20), *circuits;
    size_t count;
    char why [WHY_BYTES];
    snprintf (one.need, sizeof one.need, "ocean-air");
    one.hop = 2;
    share_connect (shares_of (&shares, &domain), &one);
    attempt_part_t part = share_part (&shares.shares [0]);
    assert_int_equal (part.kind, PART_NETWORK);
    bytes_t packed = {.data = part.part.data, .size = part.part.size};
    assert_true (network_part_decode (packed, &circuits, &count, why));
    assert_int_equal (count, 1);
    assert_string_equal (circuits [0].need, "ocean-air");
    assert_string_equal (circuits [0].links [1], "b");
    assert_int_equal (circuits [0].hop, 2);
    circuits_free (circuits, count);
    free (part.part.data);
    shares_clear (&shares);
    assert_int_equal (participant_ref_part_kind ("nis/N"), PART_NETWORK);
    assert_int_equal (participant_ref_part_kind ("lis/ams"), PART_COMPUTE);
}

static void too_many_participants_or_circuits_are_refused_in_words (void **state)
{
    (void) state;
    char why [WHY_BYTES];
    shares_t shares = {0};
    participant_ref_t domain = party_named ("nis/N");
    for (size_t i = 0; i <= CIRCUITS_MAX; i++) {
        circuit_t one = circuit ("a", NULL, 1, 0, 1);
        assert_true (shares_fit (&shares, why));
        share_connect (shares_of (&shares, &domain), &one);
    }
    assert_false (shares_fit (&shares, why));
    assert_string_equal (why, "257 circuits in network domain N: a reservation may have 256");
    shares_clear (&shares);
    shares = (shares_t){0};
    for (int i = 0; i < PARTICIPANTS_MAX; i++) {
        char name [32];
        snprintf (name, sizeof name, "lis/s%d", i);
        participant_ref_t site = party_named (name);
        assert_int_equal (shares_of (&shares, &site) != NULL, i < PARTICIPANTS_MAX - 1);
    }
    assert_false (shares_fit (&shares, why));
    assert_string_equal (why, "more than 65 sites and network domains would take part");
    shares_clear (&shares);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (T9_the_edge_is_the_first_moment_that_lacks_something),
      cmocka_unit_test (T9_nodes_that_are_cleaned_are_of_no_use_to_a_change),
      cmocka_unit_test (R10_what_is_changed_from_its_begin_on_is_changed_before_it),
      cmocka_unit_test (a_plan_ends_with_its_last_part_and_the_cleaning_after_it),
      cmocka_unit_test (each_participant_gets_a_part_of_its_kind),
      cmocka_unit_test (too_many_participants_or_circuits_are_refused_in_words),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
