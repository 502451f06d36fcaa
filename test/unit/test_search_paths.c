/*  search with networks - what it promises about paths, one case at a time: limits, changes,
 *  windows, disagreement, and how much it takes to be sure that there is none.
 */
#include "blocked.h"
#include "directory_entry.h"
#include "search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SITES_MAX 64
#define LINKS_MAX 128
#define DOMAINS   2
#define UNTIL_MS  10000

typedef struct {
    domain_t domain;
    vertex_t vertices [SITES_MAX + 8];
    link_t links [LINKS_MAX];
    attribute_t attributes [LINKS_MAX];
} search_paths_net_t;

/*  Sites s0, s1, … of nodes nodes each, wholly free; domains A and B between them. */
typedef struct {
    user_request_t request;
    compute_need_t needs [NEEDS_MAX];
    network_need_t network [NETWORK_NEEDS_MAX];
    requirement_t require;
    node_class_t class;
    site_t site;
    size_t sites;
    search_paths_net_t nets [DOMAINS];
    present_t present [NEEDS_MAX];
    present_path_t paths [NETWORK_NEEDS_MAX];
    snapshot_t *snapshot;
    search_t *search;
    search_order_t order;
    prng_t prng;
} search_paths_world_t;

static void world_begin (search_paths_world_t *self, size_t sites, uint32_t nodes)
{
    *self = (search_paths_world_t){.sites = sites};
    self->class = (node_class_t){.name = "thin", .nodes = nodes, .cpus_per_node = 1, .price = 1};
    self->site = (site_t){.classes = &self->class, .classes_count = 1};
    self->request.compute = self->needs;
    self->request.network = self->network;
    self->request.duration_ms = 100;
    self->request.distinct_sites = true;
    self->order = (search_order_t){.starts = {0, 500, INT64_MAX},
                                   .check_from_ms = INT64_MIN,
                                   .prng = &self->prng,
                                   .steps_max = 1000000};
    for (size_t d = 0; d < DOMAINS; d++) {
        self->nets [d].domain.vertices = self->nets [d].vertices;
        self->nets [d].domain.links = self->nets [d].links;
    }
    prng_seed (&self->prng, 1);
}

/*  A need that only this site can have. */
static void want_at (search_paths_world_t *self, size_t site)
{
    compute_need_t *need = &self->needs [self->request.compute_count];
    *need = (compute_need_t){.cpus = 1};
    snprintf (need->id, sizeof need->id, "n%zu", self->request.compute_count++);
    snprintf (need->site, sizeof need->site, "s%zu", site);
}

static void want_anywhere (search_paths_world_t *self)
{
    want_at (self, 0);
    *self->needs [self->request.compute_count - 1].site = '\0';
}

static network_need_t *want_path (search_paths_world_t *self, size_t a, size_t b, uint32_t mbps)
{
    network_need_t *need = &self->network [self->request.network_count];
    *need = (network_need_t){.ends_count = 2, .mbps = mbps};
    snprintf (need->id, sizeof need->id, "c%zu", self->request.network_count++);
    snprintf (need->ends [0], sizeof need->ends [0], "n%zu", a);
    snprintf (need->ends [1], sizeof need->ends [1], "n%zu", b);
    return need;
}

static vertex_t *vertex (search_paths_world_t *self, size_t net, const char *name)
{
    domain_t *domain = &self->nets [net].domain;
    for (size_t i = 0; i < domain->vertices_count; i++)
        if (strcmp (domain->vertices [i].name, name) == 0)
            return &domain->vertices [i];
    vertex_t *added = &domain->vertices [domain->vertices_count++];
    *added = (vertex_t){.kind = *name == 's' ? VERTEX_SITE : VERTEX_EXCHANGE};
    snprintf (added->name, sizeof added->name, "%s", name);
    return added;
}

static link_t *join (search_paths_world_t *self, size_t net, const char *a, const char *b,
                     uint32_t mbps)
{
    domain_t *domain = &self->nets [net].domain;
    vertex (self, net, a);
    vertex (self, net, b);
    link_t *link = &domain->links [domain->links_count];
    *link = (link_t){.mbps = mbps, .latency_us = 10};
    snprintf (link->name, sizeof link->name, "l%zu", domain->links_count++);
    snprintf (link->ends [0], sizeof link->ends [0], "%s", a);
    snprintf (link->ends [1], sizeof link->ends [1], "%s", b);
    return link;
}

static void tell (free_profile_t *free_profile, int64_t quantity)
{
    profile_step_t step = {.from_ms = 0, .free = quantity};
    free_profile_set (free_profile,
                      &(profile_t){.steps = &step, .steps_count = 1, .until_ms = UNTIL_MS});
}

/*  Everything that would be asked about is free as described. */
static void world_look (search_paths_world_t *self)
{
    self->snapshot = snapshot_new (&self->request, NULL);
    for (size_t s = 0; s < self->sites; s++) {
        directory_entry_t entry = {.site = &self->site};
        snprintf (entry.name, sizeof entry.name, "lis/s%zu", s);
        snapshot_consider (self->snapshot, &entry, CANDIDATES_MAX);
    }
    for (size_t d = 0; d < DOMAINS; d++) {
        directory_entry_t entry = {.domain = &self->nets [d].domain};
        snprintf (entry.name, sizeof entry.name, "nis/%c", (char) ('A' + d));
        if (self->nets [d].domain.links_count > 0)
            snapshot_consider_domain (self->snapshot, &entry);
    }
    snapshot_join (self->snapshot);
    for (size_t p = 0; p < self->snapshot->places_count; p++)
        tell (&self->snapshot->places [p].free_profile, self->class.nodes);
    for (size_t i = 0; i < self->snapshot->links_count; i++)
        if (self->snapshot->links [i].useful)
            tell (&self->snapshot->links [i].free_profile,
                  graph_link (self->snapshot->graph, i)->link->mbps);
}

static search_state_t seek (search_paths_world_t *self)
{
    self->order.policy = user_request_policy (&self->request);
    search_destroy (&self->search);
    self->search = search_new (self->snapshot, &self->order);
    search_state_t state = SEARCH_MORE;
    while (state == SEARCH_MORE)
        state = search_run (self->search, 1000);
    return state;
}

static void world_end (search_paths_world_t *self)
{
    search_destroy (&self->search);
    snapshot_destroy (&self->snapshot);
}

static size_t link_at (const search_paths_world_t *self, size_t net, size_t link)
{
    char domain [] = {(char) ('A' + net), '\0'};
    size_t found =
      graph_find_link (self->snapshot->graph, domain, self->nets [net].links [link].name);
    assert_int_not_equal (found, SIZE_MAX);
    return found;
}

static free_profile_t *free_profile_of (const search_paths_world_t *self, size_t net, size_t link)
{
    return &self->snapshot->links [link_at (self, net, link)].free_profile;
}

/*  The path of a need goes over these links of domain A, and no others. */
static void assert_path (const search_paths_world_t *self, size_t need, const size_t *links,
                         size_t count)
{
    const path_t *path = &search_choice (self->search).paths [need];
    assert_int_equal (path->links_count, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal (path->links [i], link_at (self, 0, links [i]));
}
#define ASSERT_PATH(world, need, ...)                                                              \
    assert_path (world, need, (size_t []){__VA_ARGS__},                                            \
                 sizeof ((size_t []){__VA_ARGS__}) / sizeof (size_t))

/*  s0 and s1, straight (link 0), or through X0 (links 1 and 2). */
static void make_triangle (search_paths_world_t *self, uint32_t straight, uint32_t around)
{
    world_begin (self, 2, 8);
    want_at (self, 0);
    want_at (self, 1);
    join (self, 0, "s0", "s1", straight);
    join (self, 0, "s0", "X0", around);
    join (self, 0, "X0", "s1", around);
}

/*  --- which path --- */

static void a_need_on_one_site_needs_no_network (void **state)
{
    (void) state;
    search_paths_world_t world;
    world_begin (&world, 1, 8);
    world.request.distinct_sites = false;
    want_anywhere (&world);
    want_anywhere (&world);
    want_path (&world, 0, 1, 1000);
    world_look (&world);
    assert_null (world.snapshot->graph);
    assert_int_equal (seek (&world), SEARCH_FOUND);
    assert_int_equal (search_choice (world.search).paths [0].links_count, 0);
    world.request.distinct_sites = true;
    assert_int_equal (seek (&world), SEARCH_NONE);
    world_end (&world);
}

static void two_needs_part_where_one_link_is_not_enough (void **state)
{
    (void) state;
    search_paths_world_t world;
    make_triangle (&world, 10, 10);
    want_path (&world, 0, 1, 6);
    want_path (&world, 0, 1, 5);
    world_look (&world);
    assert_int_equal (seek (&world), SEARCH_FOUND);
    ASSERT_PATH (&world, 0, 0);
    ASSERT_PATH (&world, 1, 1, 2);
    want_path (&world, 1, 0, 5);
    assert_int_equal (seek (&world), SEARCH_FOUND); /* beside the other one that takes 5 */
    want_path (&world, 1, 0, 5);
    assert_int_equal (seek (&world), SEARCH_NONE);
    world_end (&world);
}

static void a_fixed_route_does_not_give_way (void **state)
{
    (void) state;
    search_paths_world_t world;
    make_triangle (&world, 10, 10);
    want_path (&world, 0, 1, 6);
    want_path (&world, 0, 1, 5);
    snprintf (world.request.route, sizeof world.request.route, "fixed");
    world_look (&world);
    assert_int_equal (seek (&world), SEARCH_NONE);
    world.request.network_count = 1;
    assert_int_equal (seek (&world), SEARCH_FOUND);
    ASSERT_PATH (&world, 0, 0);
    world_end (&world);
}

static void needs_at_different_times_share_a_link (void **state)
{
    (void) state;
    search_paths_world_t world;
    make_triangle (&world, 10, 1);
    network_need_t *first = want_path (&world, 0, 1, 10);
    network_need_t *second = want_path (&world, 0, 1, 10);
    first->duration_ms = second->duration_ms = 50;
    second->offset_ms = 50;
    world_look (&world);
    assert_int_equal (seek (&world), SEARCH_FOUND);
    ASSERT_PATH (&world, 0, 0);
    ASSERT_PATH (&world, 1, 0);
    second->offset_ms = 49;
    assert_int_equal (seek (&world), SEARCH_NONE);
    world_end (&world);
}

static void the_cheapest_path_counts_with_its_bandwidth_and_time (void **state)
{
    (void) state;
    search_paths_world_t world;
    make_triangle (&world, 10, 10);
    want_path (&world, 0, 1, 2);
    world.nets [0].links [0].price = 3600000000 * 5; /* 5 micro-credits a Mbit/s and ms */
    world.nets [0].links [1].price = world.nets [0].links [2].price = 3600000000 * 2;
    world_look (&world);
    assert_int_equal (seek (&world), SEARCH_FOUND);
    ASSERT_PATH (&world, 0, 1, 2);
    assert_int_equal (
      snapshot_path_cost (world.snapshot, 0, &search_choice (world.search).paths [0]),
      2 * 2 * 2 * 100);
    snprintf (world.request.policy, sizeof world.request.policy, "load"); /* money is no matter */
    assert_int_equal (seek (&world), SEARCH_FOUND);
    ASSERT_PATH (&world, 0, 0);
    world_end (&world);
}

static void a_latency_limit_takes_the_quicker_way_round (void **state)
{
    (void) state;
    search_paths_world_t world;
    make_triangle (&world, 10, 10);
    network_need_t *need = want_path (&world, 0, 1, 1);
    world.nets [0].links [0].latency_us = 21;
    need->latency_us_max = 20;
    world_look (&world);
    assert_int_equal (seek (&world), SEARCH_FOUND);
    ASSERT_PATH (&world, 0, 1, 2);
    assert_int_equal (search_choice (world.search).paths [0].latency_us, 20);
    need->latency_us_max = 19;
    assert_int_equal (seek (&world), SEARCH_NONE);
    blocked_t blocked;
    assert_false (search_connection_alone (world.search, 0, &blocked));
    assert_int_equal (blocked.link, SIZE_MAX);
    assert_non_null (strstr (blocked.why, "takes 0.020 ms, more than the limit of 0.019 ms"));
    world_end (&world);
}

static void links_without_what_is_required_are_passed_by (void **state)
{
    (void) state;
    search_paths_world_t world;
    make_triangle (&world, 10, 10);
    network_need_t *need = want_path (&world, 0, 1, 1);
    world.require = (requirement_t){.attribute = "media", .value = "fibre"};
    need->require = &world.require;
    need->require_count = 1;
    for (size_t i = 1; i < 3; i++) {
        attribute_t *attribute = &world.nets [0].attributes [i];
        *attribute = (attribute_t){.name = "media", .value = "fibre"};
        world.nets [0].links [i].attributes = attribute;
        world.nets [0].links [i].attributes_count = 1;
    }
    world_look (&world);
    assert_false (world.snapshot->links [link_at (&world, 0, 0)].useful);
    assert_int_equal (seek (&world), SEARCH_FOUND);
    ASSERT_PATH (&world, 0, 1, 2);
    world_end (&world);
}

/*  --- several domains --- */

/*  s0 is in A, s1 in B; both touch X0. */
static void make_crossing (search_paths_world_t *self)
{
    world_begin (self, 2, 8);
    want_at (self, 0);
    want_at (self, 1);
    join (self, 0, "s0", "X0", 10);
    join (self, 1, "X0", "s1", 10);
    want_path (self, 0, 1, 5);
}

static void a_path_crosses_where_both_domains_are (void **state)
{
    (void) state;
    search_paths_world_t world;
    make_crossing (&world);
    world_look (&world);
    assert_int_equal (seek (&world), SEARCH_FOUND);
    const path_t *path = &search_choice (world.search).paths [0];
    assert_int_equal (path->links_count, 2);
    assert_int_equal (path->links [0], link_at (&world, 0, 0));
    assert_int_equal (path->links [1], link_at (&world, 1, 0));
    assert_string_equal (
      graph_vertex_name (world.snapshot->graph, search_choice (world.search).paths [0].from), "s0");
    world_end (&world);
}

static void no_path_crosses_where_domains_disagree (void **state)
{
    (void) state;
    search_paths_world_t world;
    make_crossing (&world);
    attribute_t here = {.name = "location", .value = "paris"};
    vertex (&world, 0, "X0")->attributes = &here;
    vertex (&world, 0, "X0")->attributes_count = 1;
    world_look (&world);
    assert_int_equal (graph_conflicts (world.snapshot->graph), 1);
    assert_int_equal (seek (&world), SEARCH_NONE);
    blocked_t blocked;
    assert_false (search_connection_alone (world.search, 0, &blocked));
    assert_int_equal (blocked.link, SIZE_MAX);
    assert_non_null (strstr (blocked.why, graph_conflict (world.snapshot->graph, 0)));
    world_end (&world);
}

/*  Domains that see s0 differently both lead there, each by itself. */
static void a_site_in_dispute_is_left_by_either_domain (void **state)
{
    (void) state;
    search_paths_world_t world;
    world_begin (&world, 3, 8);
    want_at (&world, 0);
    want_anywhere (&world);
    join (&world, 0, "s0", "s1", 10);
    join (&world, 1, "s0", "s2", 20);
    attribute_t here = {.name = "location", .value = "paris"};
    vertex (&world, 0, "s0")->attributes = &here;
    vertex (&world, 0, "s0")->attributes_count = 1;
    network_need_t *need = want_path (&world, 0, 1, 5);
    world_look (&world);
    assert_int_equal (seek (&world), SEARCH_FOUND);
    world_end (&world);
    need->mbps = 15;
    world_look (&world);
    assert_int_equal (seek (&world), SEARCH_FOUND);
    assert_int_equal (search_choice (world.search).paths [0].links [0], link_at (&world, 1, 0));
    world_end (&world);
}

static void a_domain_left_out_is_planned_around (void **state)
{
    (void) state;
    search_paths_world_t world;
    make_crossing (&world);
    join (&world, 0, "s0", "s1", 5);
    world.nets [0].links [1].latency_us = 1000;
    world_look (&world);
    snapshot_leave_out (world.snapshot, snapshot_source (world.snapshot, "nis/B"), "silent");
    assert_int_equal (seek (&world), SEARCH_FOUND);
    ASSERT_PATH (&world, 0, 1);
    snapshot_leave_out (world.snapshot, snapshot_source (world.snapshot, "nis/A"), "silent");
    assert_int_equal (seek (&world), SEARCH_NONE);
    world_end (&world);
}

static void a_plan_waits_for_the_lead_of_its_domains (void **state)
{
    (void) state;
    search_paths_world_t world;
    make_crossing (&world);
    world.nets [1].domain.lead_ms = 70;
    world.order.soonest_ms = 50;
    world_look (&world);
    assert_int_equal (seek (&world), SEARCH_FOUND);
    assert_int_equal (search_choice (world.search).start_ms, 120);
    world.order.starts.latest_ms = 119;
    assert_int_equal (seek (&world), SEARCH_NONE);
    world_end (&world);
}

/*  --- what is asked --- */

static void useless_links_are_not_asked_about (void **state)
{
    (void) state;
    search_paths_world_t world;
    make_triangle (&world, 10, 10);
    join (&world, 0, "s0", "X1", 10); /* 3: leads nowhere */
    join (&world, 0, "X1", "X2", 10); /* 4 */
    join (&world, 0, "s0", "s1", 4);  /* 5: too narrow */
    want_path (&world, 0, 1, 5);
    world_look (&world);
    const bool useful [] = {true, true, true, false, false, false};
    for (size_t i = 0; i < 6; i++)
        assert_int_equal (world.snapshot->links [link_at (&world, 0, i)].useful, useful [i]);
    world_end (&world);
}

/*  Of a link in a domain with windows only, it is known what fits into the windows asked about. */
static void windows_of_links_are_used_as_they_were_asked (void **state)
{
    (void) state;
    search_paths_world_t world;
    make_triangle (&world, 10, 1);
    want_path (&world, 0, 1, 3);
    world_look (&world);
    free_profile_t *free_profile = free_profile_of (&world, 0, 0);
    free_profile_clear (free_profile);
    free_profile_window (free_profile, (window_t){40, 140, 0});
    free_profile_window (free_profile, (window_t){90, 190, 3});
    free_profile_window (free_profile, (window_t){200, 300, 6});
    assert_int_equal (seek (&world), SEARCH_FOUND);
    assert_int_equal (search_choice (world.search).start_ms, 90);
    want_path (&world, 1, 0, 3); /* both together: only where the sum was asked for */
    assert_int_equal (seek (&world), SEARCH_FOUND);
    assert_int_equal (search_choice (world.search).start_ms, 200);
    free_profile_deny (free_profile, 200, 300, 6);
    assert_int_equal (seek (&world), SEARCH_NONE);
    world_end (&world);
}

static void starts_follow_the_rise_of_a_link (void **state)
{
    (void) state;
    search_paths_world_t world;
    make_triangle (&world, 10, 1);
    network_need_t *need = want_path (&world, 0, 1, 5);
    need->offset_ms = 30;
    need->duration_ms = 40;
    world_look (&world);
    profile_step_t steps [] = {{0, 4}, {60, 10}, {90, 3}, {130, 5}, {500, 0}};
    free_profile_set (free_profile_of (&world, 0, 0),
                      &(profile_t){.steps = steps, .steps_count = 5, .until_ms = UNTIL_MS});
    assert_int_equal (seek (&world), SEARCH_FOUND);
    assert_int_equal (search_choice (world.search).start_ms, 100);
    world_end (&world);
}

/*  --- changes --- */

static void set_present (search_paths_world_t *self, const size_t *links, size_t count)
{
    self->paths [0] = (present_path_t){.set = true, .links_count = count};
    for (size_t i = 0; i < count; i++)
        self->paths [0].links [i] = link_at (self, 0, links [i]);
    self->order.present_paths = self->paths;
}

static void a_change_keeps_the_path_that_it_has (void **state)
{
    (void) state;
    search_paths_world_t world;
    make_triangle (&world, 10, 10);
    want_path (&world, 0, 1, 5);
    world.nets [0].links [1].price = 1000000000000;
    world_look (&world);
    set_present (&world, (size_t []){1, 2}, 2);
    assert_int_equal (seek (&world), SEARCH_FOUND);
    ASSERT_PATH (&world, 0, 1, 2);
    tell (free_profile_of (&world, 0, 2), 4); /* until it can't */
    assert_int_equal (seek (&world), SEARCH_FOUND);
    ASSERT_PATH (&world, 0, 0);
    world.paths [0].pinned = true;
    assert_int_equal (seek (&world), SEARCH_NONE);
    tell (free_profile_of (&world, 0, 2), 5);
    assert_int_equal (seek (&world), SEARCH_FOUND);
    ASSERT_PATH (&world, 0, 1, 2);
    world_end (&world);
}

/*  Another need gives way to one that has begun, whatever the order of the two. */
static void a_path_that_has_begun_goes_before_others (void **state)
{
    (void) state;
    search_paths_world_t world;
    make_triangle (&world, 10, 10);
    want_path (&world, 0, 1, 7);
    want_path (&world, 0, 1, 7);
    world_look (&world);
    set_present (&world, (size_t []){0}, 1);
    world.paths [1] = world.paths [0];
    world.paths [1].pinned = true;
    world.paths [0].set = false;
    assert_int_equal (seek (&world), SEARCH_FOUND);
    ASSERT_PATH (&world, 0, 1, 2);
    ASSERT_PATH (&world, 1, 0);
    world_end (&world);
}

static void what_has_passed_of_a_connection_needs_no_room (void **state)
{
    (void) state;
    search_paths_world_t world;
    make_triangle (&world, 10, 1);
    want_path (&world, 0, 1, 8);
    world_look (&world);
    profile_step_t steps [] = {{40, 8}, {150, 0}};
    free_profile_set (free_profile_of (&world, 0, 0),
                      &(profile_t){.steps = steps, .steps_count = 2, .until_ms = UNTIL_MS});
    world.order.starts = (starts_t){0, 0, INT64_MAX};
    world.order.check_from_ms = 40;
    world.order.soonest_ms = 5000; /* what stays where it is needs no lead */
    for (size_t n = 0; n < 2; n++)
        world.present [n] = (present_t){.set = true, .pinned = true, .place = n};
    world.order.present = world.present;
    set_present (&world, (size_t []){0}, 1);
    assert_int_equal (seek (&world), SEARCH_FOUND);
    ASSERT_PATH (&world, 0, 0);
    world.order.check_from_ms = 39; /* of which nothing is known */
    assert_int_equal (seek (&world), SEARCH_NONE);
    world_end (&world);
}

/*  --- what stands in the way --- */

static void what_blocks_is_the_link_with_the_most_room (void **state)
{
    (void) state;
    search_paths_world_t world;
    make_triangle (&world, 10, 10);
    network_need_t *need = want_path (&world, 0, 1, 10);
    need->offset_ms = 20;
    need->duration_ms = 50;
    world_look (&world);
    tell (free_profile_of (&world, 0, 0), 3);
    tell (free_profile_of (&world, 0, 2), 7);
    assert_int_equal (seek (&world), SEARCH_NONE);
    blocked_t blocked;
    assert_false (search_connection_alone (world.search, 0, &blocked));
    assert_int_equal (blocked.link, link_at (&world, 0, 2));
    assert_int_equal (blocked.free, 7);
    assert_int_equal (blocked.from_ms, 20);
    assert_int_equal (blocked.until_ms, 70);
    need->mbps = 7;
    assert_true (search_connection_alone (world.search, 0, &blocked));
    world_end (&world);
}

/*  As a request is planned again after it has lost a race. */
static void a_spread_search_tells_what_blocks_as_well (void **state)
{
    (void) state;
    search_paths_world_t world;
    make_triangle (&world, 11, 11);
    want_path (&world, 0, 1, 11);
    world_look (&world);
    for (size_t i = 0; i < 3; i++)
        tell (free_profile_of (&world, 0, i), 10);
    world.order.spread = true;
    assert_int_equal (seek (&world), SEARCH_NONE);
    blocked_t blocked;
    assert_false (search_connection_alone (world.search, 0, &blocked));
    assert_int_equal (blocked.free, 10);
    tell (free_profile_of (&world, 0, 0), 11);
    assert_int_equal (seek (&world), SEARCH_FOUND);
    assert_true (search_connection_alone (world.search, 0, &blocked));
    world.order.steps_max = 1;
    assert_int_equal (seek (&world), SEARCH_UNKNOWN);
    assert_false (search_connection_alone (world.search, 0, &blocked));
    assert_non_null (strstr (blocked.why, "no path was found in 1 steps"));
    world_end (&world);
}

static void of_many_places_the_best_joined_are_told_about (void **state)
{
    (void) state;
    search_paths_world_t world;
    world_begin (&world, 4, 8);
    want_anywhere (&world);
    want_anywhere (&world);
    join (&world, 0, "s0", "s1", 10);
    join (&world, 0, "s1", "s2", 10);
    join (&world, 0, "s2", "s3", 10);
    want_path (&world, 0, 1, 9);
    world_look (&world);
    for (size_t i = 0; i < 3; i++)
        tell (free_profile_of (&world, 0, i), i == 1 ? 8 : 2);
    assert_int_equal (seek (&world), SEARCH_NONE);
    blocked_t blocked;
    assert_false (search_connection_alone (world.search, 0, &blocked));
    assert_int_equal (blocked.link, link_at (&world, 0, 1));
    assert_int_equal (blocked.free, 8);
    world_end (&world);
}

static void ends_that_never_fit_together_are_said_to_be_so (void **state)
{
    (void) state;
    search_paths_world_t world;
    make_triangle (&world, 10, 10);
    want_path (&world, 0, 1, 5);
    world_look (&world);
    profile_step_t early [] = {{0, 8}, {150, 0}}, late [] = {{0, 0}, {200, 8}};
    free_profile_set (&world.snapshot->places [0].free_profile,
                      &(profile_t){.steps = early, .steps_count = 2, .until_ms = UNTIL_MS});
    free_profile_set (&world.snapshot->places [1].free_profile,
                      &(profile_t){.steps = late, .steps_count = 2, .until_ms = UNTIL_MS});
    assert_int_equal (seek (&world), SEARCH_NONE);
    blocked_t blocked;
    assert_false (search_connection_alone (world.search, 0, &blocked));
    assert_int_equal (blocked.link, SIZE_MAX);
    assert_string_equal (blocked.why, "there is no start at which both of its ends have room");
    world_end (&world);
}

/*  --- how much it takes --- */

/*  Six sites, each joined to each; needs between three pairs have many paths. A fourth pair can't
 *  have its two: that must not be tried with every path of the others. */
static void independent_needs_do_not_multiply (void **state)
{
    (void) state;
    search_paths_world_t world;
    world_begin (&world, 8, 8);
    for (size_t i = 0; i < 6; i++) {
        for (size_t k = i + 1; k < 6; k++) {
            char a [8], b [8];
            snprintf (a, sizeof a, "s%zu", i);
            snprintf (b, sizeof b, "s%zu", k);
            join (&world, 0, a, b, 100);
        }
    }
    join (&world, 1, "s6", "s7", 10);
    for (size_t i = 0; i < 8; i++)
        want_at (&world, i);
    for (size_t i = 0; i < 8; i += 2)
        want_path (&world, i, i + 1, 6);
    want_path (&world, 7, 6, 6);
    world_look (&world);
    world.order.steps_max = 20000;
    assert_int_equal (seek (&world), SEARCH_NONE);
    world.network [4].mbps = 4;
    assert_int_equal (seek (&world), SEARCH_FOUND);
    world_end (&world);
}

#define GRID 80 /* exchange points each way: 12,640 links between them */

static void grid_link (domain_t *domain, const char *a, const char *b)
{
    link_t *link = &domain->links [domain->links_count];
    *link = (link_t){.mbps = 10, .latency_us = 10};
    snprintf (link->name, sizeof link->name, "l%zu", domain->links_count++);
    snprintf (link->ends [0], sizeof link->ends [0], "%s", a);
    snprintf (link->ends [1], sizeof link->ends [1], "%s", b);
}

/*  Sites s0 to s3 in it, each by one link, 20 exchange points from one to the next. */
static void grid_make (domain_t *domain)
{
    domain->vertices = calloc (GRID * GRID + 4, sizeof (vertex_t));
    domain->links = calloc (2 * GRID * (GRID - 1) + 4, sizeof (link_t));
    assert_non_null (domain->vertices);
    assert_non_null (domain->links);
    for (size_t i = 0; i < GRID * GRID + 4; i++) {
        vertex_t *vertex = &domain->vertices [domain->vertices_count++];
        bool site = i >= GRID * GRID;
        *vertex = (vertex_t){.kind = site ? VERTEX_SITE : VERTEX_EXCHANGE};
        snprintf (vertex->name, sizeof vertex->name, site ? "s%zu" : "x%zu",
                  site ? i - GRID * GRID : i);
    }
    for (size_t i = 0; i < GRID * GRID; i++) {
        const char *here = domain->vertices [i].name;
        if (i % GRID > 0)
            grid_link (domain, here, domain->vertices [i - 1].name);
        if (i >= GRID)
            grid_link (domain, here, domain->vertices [i - GRID].name);
    }
    for (size_t s = 0; s < 4; s++)
        grid_link (domain, domain->vertices [GRID * GRID + s].name,
                   domain->vertices [(10 + 20 * (s / 2)) * GRID + 10 + 20 * (s % 2)].name);
}

/*  What a question may cost grows with the links there are. */
static void a_modest_request_is_decided_among_thousands_of_links (void **state)
{
    (void) state;
    search_paths_world_t world;
    world_begin (&world, 4, 8);
    grid_make (&world.nets [0].domain);
    for (size_t i = 0; i < 3; i++)
        want_anywhere (&world);
    want_path (&world, 0, 1, 5);
    network_need_t *need = want_path (&world, 1, 2, 5);
    world.order.steps_max = 2000000; /* as a planner is delivered */
    world_look (&world);
    assert_true (graph_links (world.snapshot->graph) > 12000);
    assert_int_equal (seek (&world), SEARCH_FOUND);
    assert_int_equal (search_choice (world.search).paths [0].links_count, 22);
    world_end (&world);
    need->latency_us_max = 100; /* no two sites are so near */
    snprintf (world.needs [1].site, sizeof world.needs [1].site, "s0");
    snprintf (world.needs [2].site, sizeof world.needs [2].site, "s1");
    world_look (&world);
    assert_int_equal (seek (&world), SEARCH_NONE);
    blocked_t blocked;
    assert_false (search_connection_alone (world.search, 1, &blocked));
    assert_non_null (strstr (blocked.why, "takes 0.220 ms, more than the limit of 0.100 ms"));
    world_end (&world);
    free (world.nets [0].domain.vertices);
    free (world.nets [0].domain.links);
}

/*  As many needs as there may be, in rings, on sites in a line: no ring can close there. */
static void a_hostile_request_ends_within_its_steps (void **state)
{
    (void) state;
    search_paths_world_t world;
    world_begin (&world, 64, 1);
    for (size_t i = 0; i + 1 < 64; i++) {
        char a [8], b [8];
        snprintf (a, sizeof a, "s%zu", i);
        snprintf (b, sizeof b, "s%zu", i + 1);
        join (&world, 0, a, b, 3);
    }
    for (size_t i = 0; i < 64; i++)
        want_anywhere (&world);
    for (size_t i = 0; i < 64; i++)
        want_path (&world, i, (i * 7 + 1) % 64, 2);
    world_look (&world);
    world.order.steps_max = 300000;
    assert_int_equal (seek (&world), SEARCH_UNKNOWN);
    world.order.policy = POLICY_TIME;
    search_destroy (&world.search);
    world.search = search_new (world.snapshot, &world.order);
    unsigned slices = 1;
    while (search_run (world.search, 10000) == SEARCH_MORE)
        slices++;
    assert_in_range (slices, 5, 40); /* slices end near where they are told to */
    world_end (&world);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_need_on_one_site_needs_no_network),
      cmocka_unit_test (two_needs_part_where_one_link_is_not_enough),
      cmocka_unit_test (a_fixed_route_does_not_give_way),
      cmocka_unit_test (needs_at_different_times_share_a_link),
      cmocka_unit_test (the_cheapest_path_counts_with_its_bandwidth_and_time),
      cmocka_unit_test (a_latency_limit_takes_the_quicker_way_round),
      cmocka_unit_test (links_without_what_is_required_are_passed_by),
      cmocka_unit_test (a_path_crosses_where_both_domains_are),
      cmocka_unit_test (no_path_crosses_where_domains_disagree),
      cmocka_unit_test (a_site_in_dispute_is_left_by_either_domain),
      cmocka_unit_test (a_domain_left_out_is_planned_around),
      cmocka_unit_test (a_plan_waits_for_the_lead_of_its_domains),
      cmocka_unit_test (useless_links_are_not_asked_about),
      cmocka_unit_test (windows_of_links_are_used_as_they_were_asked),
      cmocka_unit_test (starts_follow_the_rise_of_a_link),
      cmocka_unit_test (a_change_keeps_the_path_that_it_has),
      cmocka_unit_test (a_path_that_has_begun_goes_before_others),
      cmocka_unit_test (what_has_passed_of_a_connection_needs_no_room),
      cmocka_unit_test (what_blocks_is_the_link_with_the_most_room),
      cmocka_unit_test (a_spread_search_tells_what_blocks_as_well),
      cmocka_unit_test (of_many_places_the_best_joined_are_told_about),
      cmocka_unit_test (ends_that_never_fit_together_are_said_to_be_so),
      cmocka_unit_test (independent_needs_do_not_multiply),
      cmocka_unit_test (a_modest_request_is_decided_among_thousands_of_links),
      cmocka_unit_test (a_hostile_request_ends_within_its_steps),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
