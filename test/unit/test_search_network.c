/*  search with networks - against a solver that tries every start, every assignment and every
 *  combination of simple paths, on small random federations.
 *
 *  The solver knows the federation as tables and joins the domains itself, so that graph, paths and
 *  search are judged together.
 */
#include "directory_entry.h"
#include "search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SITES    4
#define POINTS   2 /* exchange points X0, X1 */
#define NAMES    (SITES + POINTS)
#define DOMAINS  3
#define LINKS    5 /* of a domain, at most */
#define VERTICES (DOMAINS * NAMES)
#define NEEDS    3
#define NETWORK  3
#define HORIZON  20 /* ms: small, so that every start can be tried */
#define PATHS    400

typedef struct {
    size_t ends [2]; /* vertices of the solver */
    size_t domain;
    link_t *link;
    int64_t free_at [HORIZON];
} search_network_wire_t;

typedef struct {
    user_request_t request;
    compute_need_t needs [NEEDS];
    network_need_t network [NETWORK];
    requirement_t require;
    node_class_t classes [SITES];
    site_t sites [SITES];
    int64_t free_at [SITES][HORIZON];
    domain_t domains [DOMAINS];
    vertex_t vertices [DOMAINS][NAMES];
    attribute_t odd [DOMAINS]; /* attribute of X0 that domains may see differently */
    link_t links [DOMAINS][LINKS];
    attribute_t media [DOMAINS][LINKS];
    bool split [NAMES]; /* described differently: a vertex for each domain */
    search_network_wire_t wires [DOMAINS * LINKS];
    size_t wires_count;
    starts_t starts;
    policy_t policy;
    snapshot_t *snapshot;
} search_network_problem_t;

static const char *name_of (size_t name)
{
    static const char *const names [NAMES] = {"s0", "s1", "s2", "s3", "X0", "X1"};
    return names [name];
}

/*  --- making a federation --- */

static size_t vertex_of (const search_network_problem_t *problem, size_t domain, size_t name)
{
    return problem->split [name] ? domain * NAMES + name : name;
}

static void make_sites (search_network_problem_t *problem, prng_t *prng)
{
    for (size_t s = 0; s < SITES; s++) {
        node_class_t *class = &problem->classes [s];
        *class = (node_class_t){.name = "thin",
                                .nodes = 1 + (uint32_t) prng_below (prng, 4),
                                .cpus_per_node = 1,
                                .price = 3600000 * (int64_t) prng_below (prng, 4)};
        int64_t free_nodes = class->nodes;
        for (int t = 0; t < HORIZON; t++) {
            if (prng_below (prng, 6) == 0)
                free_nodes = (int64_t) prng_below (prng, class->nodes + 1);
            problem->free_at [s][t] = free_nodes;
        }
        problem->sites [s] = (site_t){.classes = class,
                                      .classes_count = 1,
                                      .cleaning_gap_ms = (int64_t) prng_below (prng, 2),
                                      .lead_ms = (int64_t) prng_below (prng, 3)};
    }
}

static void make_link (search_network_problem_t *problem, prng_t *prng, size_t d,
                       const size_t ends [2])
{
    domain_t *domain = &problem->domains [d];
    size_t at = domain->links_count++;
    link_t *link = &problem->links [d][at];
    problem->media [d][at] = (attribute_t){.name = "media"};
    snprintf (problem->media [d][at].value, sizeof problem->media [d][at].value, "%s",
              prng_below (prng, 5) ? "fibre" : "radio");
    *link = (link_t){.mbps = 1 + (uint32_t) prng_below (prng, 4),
                     .latency_us = 1 + (int64_t) prng_below (prng, 4),
                     .price = 3600000000 * (int64_t) prng_below (prng, 3),
                     .attributes = &problem->media [d][at],
                     .attributes_count = 1};
    snprintf (link->name, sizeof link->name, "l%zu", at);
    search_network_wire_t *wire = &problem->wires [problem->wires_count++];
    *wire = (search_network_wire_t){.domain = d, .link = link};
    for (int end = 0; end < 2; end++) {
        snprintf (link->ends [end], sizeof link->ends [end], "%s", name_of (ends [end]));
        wire->ends [end] = vertex_of (problem, d, ends [end]);
    }
    int64_t free_mbps = link->mbps;
    for (int t = 0; t < HORIZON; t++) {
        if (prng_below (prng, 6) == 0)
            free_mbps = (int64_t) prng_below (prng, link->mbps + 1);
        wire->free_at [t] = free_mbps;
    }
}

/*  Each domain has some of the sites and points; sometimes they don't describe X0 alike. */
static void make_domains (search_network_problem_t *problem, prng_t *prng)
{
    bool odd = prng_below (prng, 4) == 0;
    problem->split [SITES] = odd;
    for (size_t d = 0; d < DOMAINS; d++) {
        domain_t *domain = &problem->domains [d];
        *domain = (domain_t){.vertices = problem->vertices [d],
                             .links = problem->links [d],
                             .lead_ms = (int64_t) prng_below (prng, 3)};
        size_t names [NAMES];
        for (size_t name = 0; name < NAMES; name++) {
            if (name < SITES && prng_below (prng, 3) == 0)
                continue;
            vertex_t *vertex = &problem->vertices [d][domain->vertices_count];
            *vertex = (vertex_t){.kind = name < SITES ? VERTEX_SITE : VERTEX_EXCHANGE};
            snprintf (vertex->name, sizeof vertex->name, "%s", name_of (name));
            if (name == SITES && odd) {
                problem->odd [d] = (attribute_t){.name = "location"};
                snprintf (problem->odd [d].value, sizeof problem->odd [d].value, "place%zu", d);
                vertex->attributes = &problem->odd [d];
                vertex->attributes_count = 1;
            }
            names [domain->vertices_count++] = name;
        }
        size_t links = prng_below (prng, LINKS + 1);
        for (size_t i = 0; i < links; i++) {
            size_t a = prng_below (prng, domain->vertices_count);
            size_t b = prng_below (prng, domain->vertices_count - 1);
            b += b >= a;
            make_link (problem, prng, d, (size_t [2]){names [a], names [b]});
        }
    }
}

static void make_request (search_network_problem_t *problem, prng_t *prng)
{
    user_request_t *request = &problem->request;
    request->compute = problem->needs;
    request->network = problem->network;
    request->compute_count = 2 + prng_below (prng, NEEDS - 1);
    request->network_count = 1 + prng_below (prng, NETWORK);
    request->distinct_sites = prng_below (prng, 2) == 0;
    bool alike = prng_below (prng, 3) == 0;
    for (size_t n = 0; n < request->compute_count; n++) {
        compute_need_t *need = &problem->needs [n];
        if (n > 0 && alike)
            *need = problem->needs [n - 1];
        else
            *need = (compute_need_t){.cpus = 1 + (uint32_t) prng_below (prng, 2),
                                     .offset_ms = (int64_t) prng_below (prng, 3),
                                     .duration_ms = 3 + (int64_t) prng_below (prng, 3)};
        snprintf (need->id, sizeof need->id, "n%zu", n);
    }
    problem->require = (requirement_t){.attribute = "media", .value = "fibre"};
    for (size_t n = 0; n < request->network_count; n++) {
        network_need_t *need = &problem->network [n];
        size_t a = prng_below (prng, request->compute_count);
        size_t b = prng_below (prng, request->compute_count - 1);
        b += b >= a;
        *need = (network_need_t){.ends_count = 2, .mbps = 1 + (uint32_t) prng_below (prng, 3)};
        snprintf (need->id, sizeof need->id, "c%zu", n);
        snprintf (need->ends [0], sizeof need->ends [0], "n%zu", a);
        snprintf (need->ends [1], sizeof need->ends [1], "n%zu", b);
        if (prng_below (prng, 3) == 0)
            need->latency_us_max = 2 + (int64_t) prng_below (prng, 8);
        if (prng_below (prng, 3) == 0) {
            need->require = &problem->require;
            need->require_count = 1;
        }
        int64_t from_ms, until_ms;
        network_need_interval (request, n, &from_ms, &until_ms);
        if (prng_below (prng, 3) == 0 && until_ms - from_ms > 1) {
            need->offset_ms = from_ms + (int64_t) prng_below (prng, 2);
            need->duration_ms =
              1 + (int64_t) prng_below (prng, (uint64_t) (until_ms - need->offset_ms));
        }
        if (alike && n > 0 && prng_below (prng, 2) == 0) {
            need->mbps = problem->network [n - 1].mbps;
            need->latency_us_max = problem->network [n - 1].latency_us_max;
            need->require = problem->network [n - 1].require;
            need->require_count = problem->network [n - 1].require_count;
        }
    }
    problem->starts = (starts_t){.earliest_ms = (int64_t) prng_below (prng, 3)};
    problem->starts.latest_ms = problem->starts.earliest_ms + (int64_t) prng_below (prng, 11);
    problem->starts.deadline_ms = INT64_MAX;
}

static void tell (free_profile_t *free_profile, const int64_t free_at [HORIZON])
{
    profile_step_t steps [HORIZON];
    size_t count = 0;
    for (int t = 0; t < HORIZON; t++)
        if (count == 0 || steps [count - 1].free != free_at [t])
            steps [count++] = (profile_step_t){.from_ms = t, .free = free_at [t]};
    free_profile_set (free_profile,
                      &(profile_t){.steps = steps, .steps_count = count, .until_ms = HORIZON});
}

static void make_snapshot (search_network_problem_t *problem)
{
    problem->snapshot = snapshot_new (&problem->request, NULL);
    for (size_t s = 0; s < SITES; s++) {
        directory_entry_t entry = {.site = &problem->sites [s]};
        snprintf (entry.name, sizeof entry.name, "lis/%s", name_of (s));
        snapshot_consider (problem->snapshot, &entry, CANDIDATES_MAX);
    }
    for (size_t d = 0; d < DOMAINS; d++) {
        directory_entry_t entry = {.domain = &problem->domains [d]};
        snprintf (entry.name, sizeof entry.name, "nis/%c", (char) ('A' + d));
        snapshot_consider_domain (problem->snapshot, &entry);
    }
    snapshot_join (problem->snapshot);
    for (size_t p = 0; p < problem->snapshot->places_count; p++) {
        site_class_t *place = &problem->snapshot->places [p];
        const char *name = problem->snapshot->sources [place->source].party.name;
        tell (&place->free_profile, problem->free_at [name [strlen ("lis/s")] - '0']);
    }
    for (size_t i = 0; i < problem->snapshot->links_count; i++)
        if (problem->snapshot->links [i].useful)
            tell (&problem->snapshot->links [i].free_profile, problem->wires [i].free_at);
}

static void make_problem (search_network_problem_t *problem, prng_t *prng, policy_t policy,
                          const char *route)
{
    static const char *const words [] = {"time", "cost", "load", "random"};
    *problem = (search_network_problem_t){.policy = policy};
    make_sites (problem, prng);
    make_domains (problem, prng);
    make_request (problem, prng);
    snprintf (problem->request.route, sizeof problem->request.route, "%s", route);
    snprintf (problem->request.policy, sizeof problem->request.policy, "%s", words [policy]);
    make_snapshot (problem);
}

/*  --- the solver --- */

typedef struct {
    size_t links [NAMES + DOMAINS];
    size_t links_count;
    char names [4 * (NAMES + DOMAINS)]; /* of the vertices passed: each has two letters */
    int64_t latency_us;
    uint32_t mbps; /* capacity of the narrowest */
    bool meets;    /* all links meet the requirement */
} search_network_way_t;

typedef struct {
    const search_network_problem_t *problem;
    const network_need_t *need;
    search_network_way_t ways [PATHS];
    size_t ways_count;
    bool passed [VERTICES];
    search_network_way_t way;
} search_network_walk_t;

static void walk (search_network_walk_t *self, size_t at, size_t to_name)
{
    if (at % NAMES == to_name) {
        assert_true (self->ways_count < PATHS);
        if (self->need->latency_us_max == 0 || self->way.latency_us <= self->need->latency_us_max)
            self->ways [self->ways_count++] = self->way;
        return; /* sites are never split: there is one vertex to arrive at */
    }
    self->passed [at] = true;
    for (size_t i = 0; i < self->problem->wires_count; i++) {
        const search_network_wire_t *wire = &self->problem->wires [i];
        if (wire->ends [0] != at && wire->ends [1] != at)
            continue;
        size_t next = wire->ends [wire->ends [0] == at];
        if (self->passed [next])
            continue;
        search_network_way_t before = self->way;
        search_network_way_t *way = &self->way;
        way->links [way->links_count++] = i;
        strcat (way->names, name_of (next % NAMES));
        way->latency_us += wire->link->latency_us;
        way->mbps = wire->link->mbps < way->mbps ? wire->link->mbps : way->mbps;
        way->meets =
          way->meets && link_meets (wire->link, self->need->require, self->need->require_count);
        walk (self, next, to_name);
        self->way = before;
    }
    self->passed [at] = false;
}

static bool goes_before (const search_network_way_t *a, const search_network_way_t *b)
{
    if (a->links_count != b->links_count)
        return a->links_count < b->links_count;
    if (a->mbps != b->mbps)
        return a->mbps > b->mbps;
    int order = strcmp (a->names, b->names);
    if (order != 0)
        return order < 0;
    for (size_t i = 0; i < a->links_count; i++)
        if (a->links [i] != b->links [i])
            return a->links [i] < b->links [i];
    return false;
}

/*  All ways between two sites that the route allows. */
static void find_ways (search_network_walk_t *self, const search_network_problem_t *problem,
                       size_t n, size_t from, size_t to)
{
    self->problem = problem;
    self->need = &problem->network [n];
    self->ways_count = 0;
    memset (self->passed, 0, sizeof self->passed);
    self->way = (search_network_way_t){.mbps = UINT32_MAX, .meets = true};
    walk (self, from, to);
    if (strcmp (problem->request.route, "fixed") != 0)
        return;
    for (size_t i = 1; i < self->ways_count; i++)
        if (goes_before (&self->ways [i], &self->ways [0]))
            self->ways [0] = self->ways [i];
    self->ways_count = self->ways_count > 0;
}

/*  One for all problems: it is large. */
typedef struct {
    search_network_walk_t walks [NETWORK][SITES][SITES]; /* by network need */
    int64_t taken [DOMAINS * LINKS][HORIZON];
} solver_t;

static int64_t way_cost (const search_network_problem_t *problem, size_t n,
                         const search_network_way_t *way)
{
    int64_t from, until, cost = 0;
    network_need_interval (&problem->request, n, &from, &until);
    for (size_t i = 0; i < way->links_count; i++)
        cost += problem->wires [way->links [i]].link->price / 3600000000 *
                problem->network [n].mbps * (until - from);
    return cost;
}

/*  What a way counts for where the least sum is sought. */
static int64_t way_weight (const search_network_problem_t *problem, size_t n,
                           const search_network_way_t *way)
{
    return problem->policy == POLICY_LOAD ? 0 : way_cost (problem, n, way);
}

/*  Take the way's links for the need (sign 1), or give them back (-1). Does all fit? */
static bool take (solver_t *self, const search_network_problem_t *problem, int64_t start, size_t n,
                  const search_network_way_t *way, int64_t sign)
{
    int64_t from, until;
    bool fits = way->meets;
    network_need_interval (&problem->request, n, &from, &until);
    for (size_t i = 0; i < way->links_count; i++) {
        const search_network_wire_t *wire = &problem->wires [way->links [i]];
        int64_t lead = problem->domains [wire->domain].lead_ms;
        fits = fits && start + user_request_offset_least (&problem->request) >= lead;
        for (int64_t t = start + from; t < start + until; t++) {
            if (t >= HORIZON) {
                fits = false;
                continue;
            }
            int64_t *taken = &self->taken [way->links [i]][t];
            *taken += sign * problem->network [n].mbps;
            fits = fits && *taken <= wire->free_at [t];
        }
    }
    return fits;
}

/*  Least cost of ways for the needs from n on; -1 when there are none that go together. */
static int64_t try_ways (solver_t *self, const search_network_problem_t *problem, int64_t start,
                         const size_t *sites, size_t n)
{
    if (n == problem->request.network_count)
        return 0;
    const network_need_t *need = &problem->network [n];
    size_t from = sites [need->ends [0][1] - '0'], to = sites [need->ends [1][1] - '0'];
    if (from == to)
        return try_ways (self, problem, start, sites, n + 1);
    const search_network_walk_t *walk = &self->walks [n][from][to];
    int64_t best = -1;
    for (size_t i = 0; i < walk->ways_count; i++) {
        if (take (self, problem, start, n, &walk->ways [i], 1)) {
            int64_t rest = try_ways (self, problem, start, sites, n + 1);
            int64_t cost = way_weight (problem, n, &walk->ways [i]);
            if (rest >= 0 && (best < 0 || rest + cost < best))
                best = rest + cost;
        }
        take (self, problem, start, n, &walk->ways [i], -1);
    }
    return best;
}

static bool sites_fit (const search_network_problem_t *problem, int64_t start, const size_t *sites)
{
    const user_request_t *request = &problem->request;
    for (size_t n = 0; n < request->compute_count; n++) {
        const site_t *site = &problem->sites [sites [n]];
        if (start + user_request_offset_least (request) < site->lead_ms)
            return false;
        for (size_t m = 0; m < n; m++)
            if (request->distinct_sites && sites [m] == sites [n])
                return false;
    }
    for (size_t s = 0; s < SITES; s++) {
        for (int64_t t = start; t < start + 12; t++) {
            int64_t wanted = 0;
            for (size_t n = 0; n < request->compute_count; n++) {
                int64_t from = start + problem->needs [n].offset_ms;
                int64_t until =
                  from + need_duration (request, n) + problem->sites [s].cleaning_gap_ms;
                if (sites [n] == s && from <= t && t < until)
                    wanted += problem->needs [n].cpus;
            }
            if (wanted > 0 && (t >= HORIZON || problem->free_at [s][t] < wanted))
                return false;
        }
    }
    return true;
}

static int64_t load_of (const search_network_problem_t *problem, size_t site)
{
    int64_t free_ms = 0;
    for (int t = 0; t < HORIZON; t++)
        free_ms += problem->free_at [site][t];
    double share = 1 - (double) free_ms / HORIZON / problem->classes [site].nodes;
    return share <= 0 ? 0 : (int64_t) (share * 1e6);
}

static int64_t sites_weight (const search_network_problem_t *problem, const size_t *sites)
{
    int64_t weight = 0;
    for (size_t n = 0; n < problem->request.compute_count; n++)
        weight += problem->policy == POLICY_LOAD
                    ? load_of (problem, sites [n])
                    : problem->classes [sites [n]].price / 3600000 * problem->needs [n].cpus *
                        need_duration (&problem->request, n);
    return weight;
}

/*  The least weight at a start, -1 when nothing fits. */
static int64_t exhaust_start (solver_t *self, const search_network_problem_t *problem,
                              int64_t start)
{
    size_t sites [NEEDS] = {0};
    size_t count = problem->request.compute_count;
    int64_t best = -1;
    for (;;) {
        int64_t cost = sites_weight (problem, sites);
        if ((best < 0 || cost < best) && sites_fit (problem, start, sites)) {
            int64_t paths = try_ways (self, problem, start, sites, 0);
            if (paths >= 0 && (best < 0 || cost + paths < best))
                best = cost + paths;
        }
        size_t n = 0;
        while (n < count && ++sites [n] == SITES)
            sites [n++] = 0;
        if (n == count)
            return best;
    }
}

static void solver_prepare (solver_t *self, const search_network_problem_t *problem)
{
    memset (self->taken, 0, sizeof self->taken);
    for (size_t n = 0; n < problem->request.network_count; n++)
        for (size_t from = 0; from < SITES; from++)
            for (size_t to = 0; to < SITES; to++)
                if (from != to)
                    find_ways (&self->walks [n][from][to], problem, n, from, to);
}

/*  --- the plan that the search found --- */

static size_t site_of (const search_network_problem_t *problem, const search_t *search, size_t need)
{
    const snapshot_t *snapshot = problem->snapshot;
    size_t place = snapshot->needs [need].options [search_choice (search).options [need]].place;
    return (size_t) (snapshot->sources [snapshot->places [place].source].party.name [5] - '0');
}

/*  Is the path one of those that the solver knows between these sites? */
static const search_network_way_t *way_of (const search_network_walk_t *walk, const path_t *path)
{
    for (size_t i = 0; i < walk->ways_count; i++)
        if (walk->ways [i].links_count == path->links_count &&
            memcmp (walk->ways [i].links, path->links, path->links_count * sizeof (size_t)) == 0)
            return &walk->ways [i];
    return NULL;
}

/*  Weight of a plan that holds; -1 when it does not. */
static int64_t judge (solver_t *self, const search_network_problem_t *problem,
                      const search_t *search)
{
    int64_t start = search_choice (search).start_ms;
    size_t sites [NEEDS];
    for (size_t n = 0; n < problem->request.compute_count; n++)
        sites [n] = site_of (problem, search, n);
    bool fits = sites_fit (problem, start, sites);
    int64_t cost = sites_weight (problem, sites);
    memset (self->taken, 0, sizeof self->taken);
    for (size_t n = 0; n < problem->request.network_count; n++) {
        const network_need_t *need = &problem->network [n];
        size_t from = sites [need->ends [0][1] - '0'], to = sites [need->ends [1][1] - '0'];
        const path_t *path = &search_choice (search).paths [n];
        if (from == to) {
            fits = fits && path->links_count == 0;
            continue;
        }
        const search_network_way_t *way = way_of (&self->walks [n][from][to], path);
        if (!way)
            return -1;
        fits = take (self, problem, start, n, way, 1) && fits;
        cost += way_weight (problem, n, way);
        size_t vertices [PATH_HOPS_MAX + 1];
        size_t count = path_vertices (problem->snapshot->graph, path, vertices);
        assert_int_equal (count, path->links_count + 1);
        assert_string_equal (graph_vertex_name (problem->snapshot->graph, vertices [0]),
                             name_of (from));
        assert_string_equal (graph_vertex_name (problem->snapshot->graph, vertices [count - 1]),
                             name_of (to));
        assert_int_equal (snapshot_path_cost (problem->snapshot, n, path),
                          way_cost (problem, n, way));
    }
    return fits ? cost : -1;
}

static search_state_t run (search_t *search, uint64_t slice)
{
    search_state_t state = SEARCH_MORE;
    while (state == SEARCH_MORE)
        state = search_run (search, slice);
    return state;
}

static bool compare (solver_t *solver, uint64_t seed, policy_t policy, const char *route)
{
    prng_t prng;
    prng_seed (&prng, seed);
    search_network_problem_t problem;
    make_problem (&problem, &prng, policy, route);
    solver_prepare (solver, &problem);
    int64_t best_start = -1, best_cost = -1;
    bool any_start = policy == POLICY_COST || policy == POLICY_LOAD;
    for (int64_t t = problem.starts.earliest_ms; t <= problem.starts.latest_ms; t++) {
        int64_t cost = exhaust_start (solver, &problem, t);
        if (cost >= 0 && (best_cost < 0 || (any_start && cost < best_cost))) {
            best_cost = cost;
            best_start = t;
        }
    }
    search_order_t order = {.starts = problem.starts,
                            .policy = policy,
                            .prng = &prng,
                            .check_from_ms = INT64_MIN,
                            .steps_max = 10000000};
    search_t *search = search_new (problem.snapshot, &order);
    search_state_t state = run (search, 1 + prng_below (&prng, 50));
    if ((state == SEARCH_FOUND) != (best_start >= 0))
        fail_msg ("seed %llu %s: state %d, exhaustion starts at %lld", (unsigned long long) seed,
                  route, (int) state, (long long) best_start);
    if (state != SEARCH_FOUND)
        assert_int_equal (state, SEARCH_NONE);
    if (state == SEARCH_FOUND) {
        int64_t cost = judge (solver, &problem, search);
        if (cost < 0 || (policy != POLICY_RANDOM && cost != best_cost) ||
            search_choice (search).start_ms != best_start)
            fail_msg ("seed %llu %s: start %lld cost %lld, exhaustion %lld cost %lld",
                      (unsigned long long) seed, route, (long long) search_choice (search).start_ms,
                      (long long) cost, (long long) best_start, (long long) best_cost);
    }
    search_destroy (&search);
    snapshot_destroy (&problem.snapshot);
    return state == SEARCH_FOUND;
}

static void compare_many (policy_t policy, const char *route, unsigned problems)
{
    solver_t *solver = malloc (sizeof *solver);
    assert_non_null (solver);
    unsigned found = 0;
    for (uint64_t seed = 1; seed <= problems; seed++)
        found += compare (solver, seed, policy, route);
    free (solver);
    print_message ("# seeds 1..%u: %u have a plan\n", problems, found);
    assert_in_range (found, problems / 4, problems * 9 / 10);
}

static void earliest_start_then_cheapest_as_exhaustion_finds (void **state)
{
    (void) state;
    compare_many (POLICY_TIME, "free", 5000);
}

static void cheapest_over_all_starts_as_exhaustion_finds (void **state)
{
    (void) state;
    compare_many (POLICY_COST, "", 5000);
}

static void fixed_paths_as_exhaustion_finds (void **state)
{
    (void) state;
    compare_many (POLICY_TIME, "fixed", 2500);
    compare_many (POLICY_COST, "fixed", 2500);
}

static void any_places_at_the_earliest_start_as_exhaustion_finds (void **state)
{
    (void) state;
    compare_many (POLICY_RANDOM, "free", 2500);
}

static void the_least_load_over_all_starts_as_exhaustion_finds (void **state)
{
    (void) state;
    compare_many (POLICY_LOAD, "free", 2500);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (earliest_start_then_cheapest_as_exhaustion_finds),
      cmocka_unit_test (cheapest_over_all_starts_as_exhaustion_finds),
      cmocka_unit_test (fixed_paths_as_exhaustion_finds),
      cmocka_unit_test (any_places_at_the_earliest_start_as_exhaustion_finds),
      cmocka_unit_test (the_least_load_over_all_starts_as_exhaustion_finds),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
