/*  The map of a schedule: which rows of links are a way through it, and what is drawn. */
#include "sim_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static attribute_t attribute (const char *name, const char *value)
{
    attribute_t made = {0};
    sim_text (made.name, sizeof made.name, name);
    sim_text (made.value, sizeof made.value, value);
    return made;
}

static vertex_t vertex (const char *name, vertex_kind_t kind, attribute_t *attributes)
{
    vertex_t made = {
      .kind = kind, .attributes = attributes, .attributes_count = attributes != NULL};
    sim_text (made.name, sizeof made.name, name);
    return made;
}

static link_t link_between (const char *name, const char *a, const char *b, int64_t latency_us,
                            attribute_t *media)
{
    link_t made = {.mbps = 100,
                   .latency_us = latency_us,
                   .attributes = media,
                   .attributes_count = media != NULL};
    sim_text (made.name, sizeof made.name, name);
    sim_text (made.ends [0], sizeof made.ends [0], a);
    sim_text (made.ends [1], sizeof made.ends [1], b);
    return made;
}

/*  d1: s1 -l1- X1, s1 -l2- s2 -l3- X1.   d2: X1 -l1- s3. */
typedef struct {
    attribute_t here [2];
    attribute_t fibre;
    vertex_t points [2][3];
    link_t links [2][3];
    sim_map_t map;
} map_fixture_t;

static void fixture_make (map_fixture_t *self)
{
    self->here [0] = attribute ("location", "paris");
    self->here [1] = attribute ("location", "paris");
    self->fibre = attribute ("media", "fibre");
    self->points [0][0] = vertex ("s1", VERTEX_SITE, NULL);
    self->points [0][1] = vertex ("s2", VERTEX_SITE, NULL);
    self->points [0][2] = vertex ("X1", VERTEX_EXCHANGE, &self->here [0]);
    self->points [1][0] = vertex ("X1", VERTEX_EXCHANGE, &self->here [1]);
    self->points [1][1] = vertex ("s3", VERTEX_SITE, NULL);
    self->links [0][0] = link_between ("l1", "s1", "X1", 500, &self->fibre);
    self->links [0][1] = link_between ("l2", "s2", "s1", 700, NULL);
    self->links [0][2] = link_between ("l3", "X1", "s2", 900, NULL);
    self->links [1][0] = link_between ("l1", "X1", "s3", 1000, &self->fibre);
    self->map = (sim_map_t){.count = 2};
    self->map.domains [0] = (domain_t){.vertices = self->points [0],
                                       .vertices_count = 3,
                                       .links = self->links [0],
                                       .links_count = 3};
    self->map.domains [1] = (domain_t){.vertices = self->points [1],
                                       .vertices_count = 2,
                                       .links = self->links [1],
                                       .links_count = 1};
    sim_text (self->map.names [0], SIM_POINT_BYTES, "d1");
    sim_text (self->map.names [1], SIM_POINT_BYTES, "d2");
}

static bool walks (const map_fixture_t *self, const char *from, const char *to, const char *media,
                   const sim_hop_t *hops, size_t count, char why [WHY_BYTES])
{
    sim_way_t way;
    why [0] = '\0';
    return sim_map_walk (&self->map, from, to, media, hops, count, &way, why);
}

static const sim_hop_t across [] = {{0, "l1"}, {1, "l1"}};

static void a_way_over_an_exchange_point_is_walked (void **state)
{
    (void) state;
    map_fixture_t fixture;
    fixture_make (&fixture);
    sim_way_t way;
    char why [WHY_BYTES];
    assert_true (sim_map_walk (&fixture.map, "s1", "s3", "fibre", across, 2, &way, why));
    assert_int_equal (way.domains, 2);
    assert_int_equal (way.latency_us, 1500);
    assert_string_equal (way.vertices [1], "X1");
}

static void two_needs_at_one_site_want_no_links (void **state)
{
    (void) state;
    map_fixture_t fixture;
    fixture_make (&fixture);
    char why [WHY_BYTES];
    assert_true (walks (&fixture, "s1", "s1", "", NULL, 0, why));
    assert_false (walks (&fixture, "s1", "s2", "", NULL, 0, why));
    assert_string_equal (why, "ends at s1, not at s2");
}

static void a_way_that_is_none_is_told (void **state)
{
    (void) state;
    map_fixture_t fixture;
    fixture_make (&fixture);
    static const sim_hop_t apart [] = {{0, "l2"}, {1, "l1"}};
    static const sim_hop_t round [] = {{0, "l1"}, {0, "l3"}, {0, "l2"}};
    static const sim_hop_t short_of [] = {{0, "l1"}};
    static const sim_hop_t copper [] = {{0, "l2"}};
    char why [WHY_BYTES];
    assert_false (walks (&fixture, "s1", "s3", "", apart, 2, why));
    assert_string_equal (why, "d2/l1 does not begin at s2");
    assert_false (walks (&fixture, "s1", "s1", "", round, 3, why));
    assert_string_equal (why, "comes by s1 twice");
    assert_false (walks (&fixture, "s1", "s3", "", short_of, 1, why));
    assert_string_equal (why, "ends at X1, not at s3");
    assert_false (walks (&fixture, "s1", "s2", "fibre", copper, 1, why));
    assert_string_equal (why, "d1/l2 is not of fibre");
}

static void nothing_crosses_where_two_domains_disagree (void **state)
{
    (void) state;
    map_fixture_t fixture;
    fixture_make (&fixture);
    static const sim_hop_t inside [] = {{0, "l1"}, {0, "l3"}};
    char why [WHY_BYTES];
    fixture.here [1] = attribute ("location", "lyon");
    assert_false (walks (&fixture, "s1", "s3", "", across, 2, why));
    assert_string_equal (why, "crosses from d1 to d2 at X1, of which domains disagree");
    assert_true (walks (&fixture, "s1", "s2", "", inside, 2, why));
    fixture.here [1] = attribute ("location", "paris");
    fixture.points [1][0].kind = VERTEX_SITE;
    assert_false (walks (&fixture, "s1", "s3", "", across, 2, why));
}

static void a_third_domain_that_disagrees_hinders_nobody_else (void **state)
{
    (void) state;
    map_fixture_t fixture;
    fixture_make (&fixture);
    attribute_t lyon = attribute ("location", "lyon");
    vertex_t points [2] = {vertex ("X1", VERTEX_EXCHANGE, &lyon), vertex ("s4", VERTEX_SITE, NULL)};
    link_t link = link_between ("l1", "X1", "s4", 100, NULL);
    fixture.map.count = 3;
    sim_text (fixture.map.names [2], SIM_POINT_BYTES, "d3");
    fixture.map.domains [2] =
      (domain_t){.vertices = points, .vertices_count = 2, .links = &link, .links_count = 1};
    static const sim_hop_t astray [] = {{0, "l1"}, {2, "l1"}};
    char why [WHY_BYTES];
    assert_true (walks (&fixture, "s1", "s3", "", across, 2, why));
    assert_false (walks (&fixture, "s1", "s4", "", astray, 2, why));
    assert_string_equal (why, "crosses from d1 to d3 at X1, of which domains disagree");
}

static void what_is_drawn_comes_from_the_seed (void **state)
{
    (void) state;
    const char *const sites [] = {"s1", "s2", "s3", "s4"};
    size_t disagreeing = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        sim_map_t maps [2];
        for (size_t i = 0; i < 2; i++) {
            prng_t prng;
            prng_seed (&prng, seed);
            sim_map_draw (
              &maps [i], &prng,
              &(sim_map_order_t){.domains = 1 + seed % 4, .sites = sites, .sites_count = 4});
        }
        assert_int_equal (maps [0].count, 1 + seed % 4);
        for (size_t d = 0; d < maps [0].count; d++) {
            assert_int_equal (maps [0].domains [d].links_count, maps [1].domains [d].links_count);
            for (size_t l = 0; l < maps [0].domains [d].links_count; l++)
                assert_int_equal (maps [0].domains [d].links [l].mbps,
                                  maps [1].domains [d].links [l].mbps);
        }
        disagreeing += maps [0].disagree;
        sim_map_clear (&maps [0]);
        sim_map_clear (&maps [1]);
    }
    assert_in_range (disagreeing, 5, 60);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_way_over_an_exchange_point_is_walked),
      cmocka_unit_test (two_needs_at_one_site_want_no_links),
      cmocka_unit_test (a_way_that_is_none_is_told),
      cmocka_unit_test (nothing_crosses_where_two_domains_disagree),
      cmocka_unit_test (a_third_domain_that_disagrees_hinders_nobody_else),
      cmocka_unit_test (what_is_drawn_comes_from_the_seed),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
