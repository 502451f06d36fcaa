/*  search - against a solver that tries every start and every assignment, on small random problems;
 *  and its promises about policies, limits and slices.
 */
#include "directory_entry.h"
#include "search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SITES         3
#define CLASSES       2
#define NEEDS         4
#define STORAGE_NODES 2
#define HORIZON       24 /* ms: small, so that every start can be tried */

typedef struct {
    user_request_t request;
    compute_need_t needs [NEEDS];
    node_class_t classes [SITES][CLASSES];
    site_t sites [SITES];
    int64_t free_at [SITES][CLASSES][HORIZON];
    bool stores; /* with data and space needs, and storage that is described like a class: d0, d1 */
    storage_offer_t nodes [SITES][STORAGE_NODES];
    site_storage_t storages [SITES];
    int64_t room_at [SITES][STORAGE_NODES][HORIZON];
    data_need_t data [2];
    space_need_t space [2];
    file_places_t *files;
    starts_t starts;
    snapshot_t *snapshot;
} search_problem_t;

static directory_entry_t entry_of (search_problem_t *problem, size_t site)
{
    directory_entry_t entry = {.site = &problem->sites [site], .store = {(uint8_t) (site + 1)}};
    snprintf (entry.name, sizeof entry.name, "lis/s%zu", site);
    return entry;
}

/*  The arrays as a profile with the fewest steps. */
static void tell_profiles (search_problem_t *problem)
{
    for (size_t p = 0; p < problem->snapshot->places_count; p++) {
        const site_class_t *place = &problem->snapshot->places [p];
        const char *name = problem->snapshot->sources [place->source].party.name;
        size_t site = (size_t) (name [strlen (name) - 1] - '0');
        size_t class = (size_t) (place->class_name [1] - '0');
        const int64_t *told = *place->class_name == 'c' ? problem->free_at [site][class]
                                                        : problem->room_at [site][class];
        profile_step_t steps [HORIZON];
        size_t count = 0;
        for (int t = 0; t < HORIZON; t++) {
            int64_t free_nodes = told [t];
            if (count == 0 || steps [count - 1].free != free_nodes)
                steps [count++] = (profile_step_t){.from_ms = t, .free = free_nodes};
        }
        free_profile_set (&problem->snapshot->places [p].free_profile,
                          &(profile_t){.steps = steps, .steps_count = count, .until_ms = HORIZON});
    }
}

/*  Up to two files and space for compute needs; some of the storage nodes have a file already. */
static void make_storage_needs (search_problem_t *problem, prng_t *prng)
{
    user_request_t *request = &problem->request;
    if (request->compute_count > 2)
        request->compute_count = 2;
    request->data = problem->data;
    request->data_count = prng_below (prng, 3);
    request->space = problem->space;
    request->space_count = prng_below (prng, request->data_count == 0 ? 3 : 2);
    for (size_t i = 0; i < request->data_count; i++) {
        data_need_t *data = &problem->data [i];
        size_t at = prng_below (prng, request->compute_count);
        *data = (data_need_t){.size = (1 + prng_below (prng, 3)) * SPACE_UNIT,
                              .by_ms = (int64_t) prng_below (prng, 2)};
        if (data->by_ms >= problem->needs [at].duration_ms)
            data->by_ms = 0;
        if (i == 0 && prng_below (prng, 3) == 0)
            data->nodes = prng_below (prng, 2) ? 2 : DATA_NODES_ALL;
        snprintf (data->at, sizeof data->at, "n%zu", at);
    }
    for (size_t i = 0; i < request->space_count; i++) {
        problem->space [i].bytes = (1 + prng_below (prng, 3)) * SPACE_UNIT - prng_below (prng, 9);
        snprintf (problem->space [i].at, NAME_BYTES_MAX, "n%zu",
                  (size_t) prng_below (prng, request->compute_count));
    }
    user_request_name (request);
    problem->files = file_places_new (request->data_count);
    for (size_t s = 0; s < SITES; s++) {
        problem->storages [s] = (site_storage_t){.nodes = problem->nodes [s],
                                                 .nodes_count = 1 + prng_below (prng, 2),
                                                 .lead_ms = (int64_t) prng_below (prng, 4)};
        for (size_t n = 0; n < STORAGE_NODES; n++) {
            uint32_t mib = 1 + (uint32_t) prng_below (prng, 5);
            problem->nodes [s][n].mib = mib;
            snprintf (problem->nodes [s][n].name, NAME_BYTES_MAX, "d%zu", n);
            for (int t = 0; t < HORIZON; t++)
                problem->room_at [s][n][t] = t > 0 && prng_below (prng, 3)
                                               ? problem->room_at [s][n][t - 1]
                                               : (int64_t) prng_below (prng, mib + 1);
        }
    }
}

static void tell_files (search_problem_t *problem, prng_t *prng)
{
    for (size_t i = 0; i < problem->request.data_count; i++)
        for (size_t s = 0; s < SITES; s++) {
            char name [NAME_BYTES_MAX + 1];
            snprintf (name, sizeof name, "s%zu", s);
            file_site_t *site = file_places_at (&problem->files [i], name);
            site->told = prng_below (prng, 4) > 0;
            site->has = prng_below (prng, 2) == 0;
            site->staging.bytes_per_s = SPACE_UNIT * (400 + prng_below (prng, 2000));
            if (prng_below (prng, 4) > 0)
                snprintf (site->staging.source, sizeof site->staging.source, "s%zu",
                          (s + 1) % SITES);
            if (!site->has || !site->told)
                continue;
            site->staging.nodes = calloc (1, sizeof *site->staging.nodes);
            site->staging.nodes_count = 1;
            snprintf (site->staging.nodes [0], sizeof site->staging.nodes [0], "d%zu",
                      (size_t) prng_below (prng, STORAGE_NODES));
        }
    for (size_t s = 0; s < SITES; s++) {
        directory_entry_t entry = {.storage = &problem->storages [s]};
        snprintf (entry.name, sizeof entry.name, "replica/s%zu", s);
        snapshot_consider_storage (problem->snapshot, &entry, problem->files);
    }
    snapshot_stage (problem->snapshot, problem->files);
}

static void make_problem (search_problem_t *problem, prng_t *prng, bool stores)
{
    *problem = (search_problem_t){.stores = stores};
    for (size_t s = 0; s < SITES; s++) {
        for (size_t c = 0; c < CLASSES; c++) {
            node_class_t *class = &problem->classes [s][c];
            *class = (node_class_t){.nodes = 1 + (uint32_t) prng_below (prng, 5),
                                    .cpus_per_node = 1 + (uint32_t) prng_below (prng, 2),
                                    .price = 3600000 * (int64_t) prng_below (prng, 4)};
            snprintf (class->name, sizeof class->name, "c%zu", c);
            int64_t free_nodes = class->nodes;
            for (int t = 0; t < HORIZON; t++) {
                if (prng_below (prng, 3) == 0)
                    free_nodes = (int64_t) prng_below (prng, class->nodes + 1);
                problem->free_at [s][c][t] = free_nodes;
            }
        }
        problem->sites [s] = (site_t){.classes = problem->classes [s],
                                      .classes_count = CLASSES,
                                      .cleaning_gap_ms = (int64_t) prng_below (prng, 2),
                                      .lead_ms = (int64_t) prng_below (prng, 4)};
    }
    user_request_t *request = &problem->request;
    request->compute = problem->needs;
    request->compute_count = 1 + prng_below (prng, NEEDS);
    request->distinct_sites = prng_below (prng, 2) == 0;
    bool alike = prng_below (prng, 2) == 0;
    for (size_t n = 0; n < request->compute_count; n++) {
        compute_need_t *need = &problem->needs [n];
        if (n > 0 && alike)
            *need = problem->needs [n - 1];
        else
            *need = (compute_need_t){.cpus = 1 + (uint32_t) prng_below (prng, 4),
                                     .offset_ms = (int64_t) prng_below (prng, 4),
                                     .duration_ms = 1 + (int64_t) prng_below (prng, 4)};
        snprintf (need->id, sizeof need->id, "n%zu", n);
    }
    problem->starts = (starts_t){.earliest_ms = (int64_t) prng_below (prng, 4)};
    problem->starts.latest_ms = problem->starts.earliest_ms + (int64_t) prng_below (prng, 14);
    problem->starts.deadline_ms = INT64_MAX;
    if (stores)
        make_storage_needs (problem, prng);
    problem->snapshot = snapshot_new (request, &(staging_terms_t){.unmeasured_mbps = 100000});
    for (size_t s = 0; s < SITES; s++) {
        directory_entry_t entry = entry_of (problem, s);
        snapshot_consider (problem->snapshot, &entry, CANDIDATES_MAX);
    }
    if (stores)
        tell_files (problem, prng);
    tell_profiles (problem);
}

static void clear_problem (search_problem_t *problem)
{
    snapshot_destroy (&problem->snapshot);
    file_places_destroy (&problem->files, problem->request.data_count);
}

/*  Is the storage of the plan at the sites of the needs that it is for, each copy of a file on a
 *  node of its own, and is there time enough for the files? */
static bool storage_right (const search_problem_t *problem, int64_t start, const size_t *choice)
{
    const snapshot_t *snapshot = problem->snapshot;
    const compute_need_t *compute = snapshot->request->compute;
    int64_t lead = 0, begin = start + user_request_offset_least (&problem->request);
    for (size_t s = 0; s < snapshot->sources_count; s++)
        lead = snapshot->sources [s].lead_ms > lead ? snapshot->sources [s].lead_ms : lead;
    for (size_t n = problem->request.compute_count; n < snapshot->request->compute_count; n++) {
        const option_t *option = &snapshot->needs [n].options [choice [n]];
        size_t at = compute [n].derived.at;
        const option_t *beside = &snapshot->needs [at].options [choice [at]];
        const char *here = snapshot->sources [snapshot->places [option->place].source].party.name;
        const char *there = snapshot->sources [snapshot->places [beside->place].source].party.name;
        if (strcmp (strchr (here, '/'), strchr (there, '/')) != 0)
            return false;
        int64_t from = start + compute [n].offset_ms - option->before_ms;
        if (from < lead || begin < lead)
            return false;
        for (size_t m = problem->request.compute_count; m < n; m++)
            if (compute [m].derived.data > 0 &&
                compute [m].derived.data == compute [n].derived.data &&
                snapshot->needs [m].options [choice [m]].place == option->place)
                return false;
    }
    return true;
}

/*  Does the whole plan fit, moment by moment? */
static bool plan_fits (const search_problem_t *problem, int64_t start, const size_t *choice)
{
    const snapshot_t *snapshot = problem->snapshot;
    if (!storage_right (problem, start, choice))
        return false;
    for (size_t p = 0; p < snapshot->places_count; p++) {
        const site_class_t *place = &snapshot->places [p];
        /* From before the first byte of a file to past the end of every need. */
        for (int64_t t = start - (problem->stores ? 10 : 0); t < start + 10; t++) {
            int64_t wanted = 0;
            for (size_t n = 0; n < snapshot->request->compute_count; n++) {
                const option_t *option = &snapshot->needs [n].options [choice [n]];
                int64_t due = start + snapshot->request->compute [n].offset_ms;
                int64_t from = due - option->before_ms;
                int64_t until = due + need_duration (snapshot->request, n) +
                                snapshot->sources [place->source].gap_ms;
                if (option->place <= p && p < option->place + option->spread && from <= t &&
                    t < until)
                    wanted += option->nodes;
            }
            if (wanted > 0 &&
                (t >= HORIZON || free_profile_least (&place->free_profile, t, t + 1) < wanted))
                return false;
        }
    }
    for (size_t n = 0; n < problem->request.compute_count; n++) {
        size_t site = snapshot->places [snapshot->needs [n].options [choice [n]].place].source;
        if (start + user_request_offset_least (&problem->request) <
            snapshot->sources [site].lead_ms)
            return false;
        for (size_t m = 0; m < n; m++) {
            const option_t *other = &snapshot->needs [m].options [choice [m]];
            if (problem->request.distinct_sites && snapshot->places [other->place].source == site)
                return false;
        }
    }
    return true;
}

static int64_t plan_cost (const search_problem_t *problem, const size_t *choice)
{
    int64_t cost = 0;
    for (size_t n = 0; n < problem->snapshot->request->compute_count; n++)
        cost +=
          snapshot_cost (problem->snapshot, n, &problem->snapshot->needs [n].options [choice [n]]);
    return cost;
}

/*  The least cost at a start, -1 when nothing fits. */
static int64_t exhaust_start (const search_problem_t *problem, int64_t start)
{
    size_t choice [NEEDS_MAX] = {0};
    size_t count = problem->snapshot->request->compute_count;
    int64_t best = -1;
    for (size_t n = 0; n < count; n++)
        if (problem->snapshot->needs [n].options_count == 0)
            return -1;
    for (;;) {
        int64_t cost = plan_cost (problem, choice);
        if ((best < 0 || cost < best) && plan_fits (problem, start, choice))
            best = cost;
        size_t n = 0;
        while (n < count && ++choice [n] == problem->snapshot->needs [n].options_count)
            choice [n++] = 0;
        if (n == count)
            return best;
    }
}

static search_state_t run (search_t *search, uint64_t slice)
{
    search_state_t state = SEARCH_MORE;
    while (state == SEARCH_MORE)
        state = search_run (search, slice);
    return state;
}

static search_order_t order_of (const search_problem_t *problem, policy_t policy, prng_t *prng)
{
    return (search_order_t){.starts = problem->starts,
                            .policy = policy,
                            .prng = prng,
                            .check_from_ms = INT64_MIN,
                            .steps_max = 10000000};
}

/*  How dear a plan at the earliest start may be, where the cheapest there costs so much. */
static bool cost_right (const search_order_t *order, int64_t cost, int64_t best_cost)
{
    if (order->policy == POLICY_RANDOM)
        return true;
    return cost >= best_cost && cost <= (order->spread ? 3 : 1) * best_cost;
}

static void compare_with_exhaustion (uint64_t seed, policy_t policy, bool spread, bool stores,
                                     unsigned *found, unsigned *dearer)
{
    prng_t prng;
    prng_seed (&prng, seed);
    search_problem_t problem;
    make_problem (&problem, &prng, stores);
    int64_t best_start = -1, best_cost = -1;
    for (int64_t t = problem.starts.earliest_ms; t <= problem.starts.latest_ms; t++) {
        int64_t cost = exhaust_start (&problem, t);
        if (cost >= 0 && (best_cost < 0 || (policy == POLICY_COST && cost < best_cost))) {
            best_cost = cost;
            best_start = t;
        }
    }
    search_order_t order = order_of (&problem, policy, &prng);
    order.spread = spread;
    search_t *search = search_new (problem.snapshot, &order);
    search_state_t state = run (search, 1 + prng_below (&prng, 50));
    if ((state == SEARCH_FOUND) != (best_start >= 0))
        fail_msg ("seed %llu: state %d, exhaustion starts at %lld", (unsigned long long) seed,
                  (int) state, (long long) best_start);
    if (state == SEARCH_FOUND) {
        (*found)++;
        const size_t *choice = search_choice (search).options;
        if (!plan_fits (&problem, search_choice (search).start_ms, choice) ||
            !cost_right (&order, plan_cost (&problem, choice), best_cost) ||
            search_choice (search).start_ms != best_start)
            fail_msg ("seed %llu: start %lld cost %lld, exhaustion %lld cost %lld",
                      (unsigned long long) seed, (long long) search_choice (search).start_ms,
                      (long long) plan_cost (&problem, choice), (long long) best_start,
                      (long long) best_cost);
        *dearer += plan_cost (&problem, choice) > best_cost;
    }
    search_destroy (&search);
    clear_problem (&problem);
}

/*  How many plans were dearer than the cheapest at their start. */
static unsigned compare_many (policy_t policy, bool spread)
{
    unsigned found = 0, dearer = 0, problems = 1500;
    for (uint64_t seed = 1; seed <= problems; seed++)
        compare_with_exhaustion (seed, policy, spread, false, &found, &dearer);
    print_message ("# seeds 1..%u: %u have a plan\n", problems, found);
    assert_in_range (found, problems / 4, problems * 9 / 10);
    return dearer;
}

static void storage_and_files_as_exhaustion_places_them (void **state)
{
    (void) state;
    unsigned found = 0, dearer = 0, problems = 1500;
    for (uint64_t seed = 1; seed <= problems; seed++)
        compare_with_exhaustion (seed, seed % 2 ? POLICY_TIME : POLICY_COST, false, true, &found,
                                 &dearer);
    print_message ("# seeds 1..%u: %u have a plan\n", problems, found);
    assert_in_range (found, problems / 4, problems * 9 / 10);
    assert_int_equal (dearer, 0);
}

static void earliest_start_then_cheapest_as_exhaustion_finds (void **state)
{
    (void) state;
    compare_many (POLICY_TIME, false);
}

static void cheapest_over_all_starts_as_exhaustion_finds (void **state)
{
    (void) state;
    compare_many (POLICY_COST, false);
}

static void random_places_at_the_earliest_start (void **state)
{
    (void) state;
    compare_many (POLICY_RANDOM, false);
}

static void who_spreads_takes_dearer_places_but_no_later_start (void **state)
{
    (void) state;
    assert_int_equal (compare_many (POLICY_TIME, false), 0);
    assert_in_range (compare_many (POLICY_TIME, true), 10, 1000);
    assert_int_equal (compare_many (POLICY_COST, true), 0); /* only time is indifferent to price */
}

/*  A federation of equal sites, wholly free. */
typedef struct {
    user_request_t request;
    snapshot_t *snapshot;
    node_class_t class;
    site_t site;
} equal_t;

static void make_equal (equal_t *self, size_t needs, size_t sites, uint32_t nodes, uint32_t cpus,
                        bool distinct)
{
    *self = (equal_t){.class = {.name = "thin", .nodes = nodes, .cpus_per_node = 1, .price = 1}};
    self->site = (site_t){.classes = &self->class, .classes_count = 1};
    self->request.compute = calloc (needs, sizeof (compute_need_t));
    self->request.compute_count = needs;
    self->request.duration_ms = 100;
    self->request.distinct_sites = distinct;
    for (size_t n = 0; n < needs; n++) {
        snprintf (self->request.compute [n].id, NAME_BYTES_MAX, "n%zu", n);
        self->request.compute [n].cpus = cpus;
    }
    self->snapshot = snapshot_new (&self->request, NULL);
    for (size_t s = 0; s < sites; s++) {
        directory_entry_t entry = {.site = &self->site};
        snprintf (entry.name, sizeof entry.name, "lis/s%zu", s);
        snapshot_consider (self->snapshot, &entry, CANDIDATES_MAX);
    }
    profile_step_t step = {.from_ms = 0, .free = nodes};
    for (size_t p = 0; p < self->snapshot->places_count; p++)
        free_profile_set (&self->snapshot->places [p].free_profile,
                          &(profile_t){.steps = &step, .steps_count = 1, .until_ms = 1000});
}

static void clear_equal (equal_t *self)
{
    snapshot_destroy (&self->snapshot);
    user_request_clear (&self->request);
}

static search_state_t search_equal (equal_t *self, uint64_t steps_max, uint64_t slice,
                                    unsigned *slices)
{
    prng_t prng;
    prng_seed (&prng, 7);
    search_order_t order = {.starts = {0, 500, INT64_MAX},
                            .check_from_ms = INT64_MIN,
                            .prng = &prng,
                            .steps_max = steps_max};
    search_t *search = search_new (self->snapshot, &order);
    search_state_t state = SEARCH_MORE;
    for (*slices = 0; state == SEARCH_MORE; (*slices)++)
        state = search_run (search, slice);
    search_destroy (&search);
    return state;
}

static void sixty_four_needs_on_sixty_four_sites_are_matched (void **state)
{
    (void) state;
    equal_t equal;
    unsigned slices;
    make_equal (&equal, 64, 64, 4, 3, true);
    assert_int_equal (search_equal (&equal, 1000000, 10000, &slices), SEARCH_FOUND);
    clear_equal (&equal);
}

static void one_site_short_is_proven_impossible_at_once (void **state)
{
    (void) state;
    equal_t equal;
    unsigned slices;
    make_equal (&equal, 64, 63, 4, 3, true);
    assert_int_equal (search_equal (&equal, 10000000, 10000, &slices), SEARCH_NONE);
    clear_equal (&equal);
}

static void like_needs_do_not_explode (void **state)
{
    (void) state;
    equal_t equal;
    unsigned slices;
    make_equal (&equal, 20, 3, 12, 2, false);
    assert_int_equal (search_equal (&equal, 3000000, 10000, &slices), SEARCH_NONE);
    clear_equal (&equal);
}

/*  Unequal needs that nearly fill the places: past any enumeration. */
static void hard_packing_ends_unknown_within_its_steps (void **state)
{
    (void) state;
    equal_t equal;
    unsigned slices;
    make_equal (&equal, 48, 16, 100, 1, false);
    for (uint32_t n = 0; n < 48; n++)
        equal.request.compute [n].cpus = 34 + n % 7 * 3;
    for (size_t n = 0; n < 48; n++)
        for (size_t i = 0; i < equal.snapshot->needs [n].options_count; i++)
            equal.snapshot->needs [n].options [i].nodes = equal.request.compute [n].cpus;
    assert_int_equal (search_equal (&equal, 200000, 1000, &slices), SEARCH_UNKNOWN);
    assert_in_range (slices, 20, 400); /* slices end near where they are told to */
    clear_equal (&equal);
}

static void a_patch_corrects_its_interval_and_no_more (void **state)
{
    (void) state;
    prng_t prng;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        prng_seed (&prng, seed);
        equal_t equal;
        make_equal (&equal, 1, 1, 9, 1, false);
        int64_t now [60], fresh [60];
        profile_step_t steps [60], patch [60];
        int64_t from = 0, until = 60;
        for (int round = 0; round < 4; round++) {
            size_t count = 0;
            for (int64_t t = from; t < until; t++) {
                fresh [t] = t > from && prng_below (&prng, 3) ? fresh [t - 1]
                                                              : (int64_t) prng_below (&prng, 4);
                if (count == 0 || patch [count - 1].free != fresh [t])
                    patch [count++] = (profile_step_t){.from_ms = t, .free = fresh [t]};
                now [t] = fresh [t];
            }
            memcpy (steps, patch, sizeof steps);
            profile_t profile = {.steps = steps, .steps_count = count, .until_ms = until};
            if (round == 0)
                free_profile_set (&equal.snapshot->places [0].free_profile, &profile);
            else
                free_profile_patch (&equal.snapshot->places [0].free_profile, &profile);
            for (int64_t t = 0; t < 60; t++)
                if (free_profile_least (&equal.snapshot->places [0].free_profile, t, t + 1) !=
                    now [t])
                    fail_msg ("seed %llu round %d t %lld", (unsigned long long) seed, round,
                              (long long) t);
            from = (int64_t) prng_below (&prng, 59);
            until = from + 1 + (int64_t) prng_below (&prng, (uint64_t) (60 - from));
        }
        /* What is taken is taken from each part by itself, and no more than there is. */
        int64_t taken = (int64_t) prng_below (&prng, 4);
        free_profile_t *left = &equal.snapshot->places [0].free_profile;
        free_profile_take (left, (window_t){from - 5, until, taken});
        for (int64_t t = 0; t < 60; t++) {
            int64_t wanted = t < from - 5 || t >= until ? now [t] : now [t] - taken;
            if (free_profile_least (left, t, t + 1) != (wanted > 0 ? wanted : 0))
                fail_msg ("seed %llu taken %lld t %lld", (unsigned long long) seed,
                          (long long) taken, (long long) t);
        }
        clear_equal (&equal);
    }
}

static void windows_are_used_only_as_they_were_asked (void **state)
{
    (void) state;
    equal_t equal;
    make_equal (&equal, 1, 1, 9, 2, false);
    site_class_t *place = &equal.snapshot->places [0];
    place->free_profile.steps_count = 0;
    free_profile_window (&equal.snapshot->places [0].free_profile, (window_t){40, 140, 1});
    free_profile_window (&equal.snapshot->places [0].free_profile, (window_t){90, 190, 2});
    prng_t prng;
    prng_seed (&prng, 1);
    search_order_t order = {
      .starts = {0, 500, INT64_MAX}, .check_from_ms = INT64_MIN, .prng = &prng, .steps_max = 1000};
    search_t *search = search_new (equal.snapshot, &order);
    assert_int_equal (run (search, 100), SEARCH_FOUND);
    assert_int_equal (search_choice (search).start_ms, 90);
    search_destroy (&search);
    free_profile_deny (&equal.snapshot->places [0].free_profile, 90, 190, 2);
    search = search_new (equal.snapshot, &order);
    assert_int_equal (run (search, 100), SEARCH_NONE);
    search_destroy (&search);
    clear_equal (&equal);
}

static void a_change_prefers_the_present_place (void **state)
{
    (void) state;
    equal_t equal;
    make_equal (&equal, 1, 3, 9, 2, true);
    equal.snapshot->places [2].price = 1000000000;
    present_t present = {.set = true, .place = 2};
    prng_t prng;
    prng_seed (&prng, 1);
    search_order_t order = {.starts = {100, 100, INT64_MAX},
                            .check_from_ms = INT64_MIN,
                            .soonest_ms = 5000,
                            .present = &present,
                            .prng = &prng,
                            .steps_max = 1000};
    search_t *search = search_new (equal.snapshot, &order);
    assert_int_equal (run (search, 100), SEARCH_FOUND);
    assert_int_equal (equal.snapshot->needs [0].options [search_choice (search).options [0]].place,
                      2);
    search_destroy (&search);
    clear_equal (&equal);
}

static void what_is_short_is_told_with_the_most_that_fits (void **state)
{
    (void) state;
    equal_t equal;
    make_equal (&equal, 1, 2, 9, 8, true);
    profile_step_t low [] = {{0, 4}, {300, 9}, {350, 5}};
    free_profile_set (&equal.snapshot->places [0].free_profile,
                      &(profile_t){.steps = low, .steps_count = 3, .until_ms = 1000});
    free_profile_set (&equal.snapshot->places [1].free_profile,
                      &(profile_t){.steps = low, .steps_count = 1, .until_ms = 1000});
    prng_t prng;
    prng_seed (&prng, 1);
    search_order_t order = {
      .starts = {0, 500, INT64_MAX}, .check_from_ms = INT64_MIN, .prng = &prng, .steps_max = 1000};
    search_t *search = search_new (equal.snapshot, &order);
    assert_int_equal (run (search, 100), SEARCH_NONE);
    size_t place;
    int64_t nodes;
    assert_false (search_alone (search, 0, &place, &nodes));
    assert_int_equal (place, 0);
    assert_int_equal (nodes, 5);
    search_destroy (&search);
    clear_equal (&equal);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (storage_and_files_as_exhaustion_places_them),
      cmocka_unit_test (earliest_start_then_cheapest_as_exhaustion_finds),
      cmocka_unit_test (cheapest_over_all_starts_as_exhaustion_finds),
      cmocka_unit_test (random_places_at_the_earliest_start),
      cmocka_unit_test (who_spreads_takes_dearer_places_but_no_later_start),
      cmocka_unit_test (sixty_four_needs_on_sixty_four_sites_are_matched),
      cmocka_unit_test (one_site_short_is_proven_impossible_at_once),
      cmocka_unit_test (like_needs_do_not_explode),
      cmocka_unit_test (hard_packing_ends_unknown_within_its_steps),
      cmocka_unit_test (a_patch_corrects_its_interval_and_no_more),
      cmocka_unit_test (windows_are_used_only_as_they_were_asked),
      cmocka_unit_test (a_change_prefers_the_present_place),
      cmocka_unit_test (what_is_short_is_told_with_the_most_that_fits),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
