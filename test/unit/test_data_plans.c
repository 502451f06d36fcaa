/*  The algorithms on small random requests with data and space: whatever plan they find can be had
 *  on the snapshot, judged instant by instant and link by link by a check that shares nothing with
 *  them; ip with policy cost finds a cheapest plan of its starts; and what auto proves impossible,
 *  nobody finds.
 */
#include "backtracking.h"
#include "calendar_wire.h"
#include "directory_entry.h"
#include "host_in_memory.h"
#include "participant_ref.h"
#include "ranking.h"
#include "windows.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define SITES      3
#define DISKS      2
#define NEEDS      3
#define FILES      2
#define SPACES     2
#define LINKS      3 /* from each site to the next */
#define INSTANT_MS 1000
#define HORIZON    60 /* instants */
#define MBPS_BYTES 125000
#define STARTS     6 /* windows of ip */

typedef struct {
    user_request_t request;
    compute_need_t needs [NEEDS];
    data_need_t data [FILES];
    space_need_t space [SPACES];
    node_class_t classes [SITES];
    site_t sites [SITES];
    storage_offer_t disks [SITES][DISKS];
    site_storage_t storages [SITES];
    vertex_t vertices [SITES];
    link_t links [LINKS];
    domain_t domain;
    int64_t lead_ms; /* of everybody */
    int64_t nodes_free [SITES][HORIZON];
    int64_t mib_free [SITES][DISKS][HORIZON];
    int64_t mbps_free [LINKS][HORIZON];
    file_places_t *files;
    staging_terms_t terms;
    search_order_t order;
    snapshot_t *snapshot;
    prng_t prng;
} data_problem_t;

static uint64_t below (data_problem_t *problem, uint64_t most)
{
    return prng_below (&problem->prng, most);
}

/*  Mostly all of it; now and then less for a while. */
static void draw_free (data_problem_t *problem, int64_t *free_at, uint64_t most, uint64_t scarce)
{
    int64_t quantity = (int64_t) most;
    for (int t = 0; t < HORIZON; t++) {
        if (below (problem, 5) < scarce)
            quantity = (int64_t) below (problem, most + 1);
        free_at [t] = quantity;
    }
}

static void draw_sites (data_problem_t *problem)
{
    for (size_t s = 0; s < SITES; s++) {
        problem->classes [s] = (node_class_t){.name = "thin",
                                              .nodes = 2 + (uint32_t) below (problem, 3),
                                              .cpus_per_node = 1,
                                              .price = 3600000 * (int64_t) below (problem, 4)};
        problem->sites [s] = (site_t){
          .classes = &problem->classes [s], .classes_count = 1, .lead_ms = problem->lead_ms};
        draw_free (problem, problem->nodes_free [s], problem->classes [s].nodes, 1);
        problem->storages [s] = (site_storage_t){.nodes = problem->disks [s],
                                                 .nodes_count = 1 + (size_t) below (problem, DISKS),
                                                 .lead_ms = problem->lead_ms};
        for (size_t d = 0; d < DISKS; d++) {
            problem->disks [s][d].mib = 2 + (uint32_t) below (problem, 4);
            snprintf (problem->disks [s][d].name, sizeof problem->disks [s][d].name, "d%zu", d);
            draw_free (problem, problem->mib_free [s][d], problem->disks [s][d].mib, 1);
        }
    }
}

static void draw_links (data_problem_t *problem)
{
    problem->domain = (domain_t){.vertices = problem->vertices,
                                 .vertices_count = SITES,
                                 .links = problem->links,
                                 .links_count = LINKS,
                                 .lead_ms = problem->lead_ms,
                                 .horizon_ms = HORIZON * INSTANT_MS};
    for (size_t s = 0; s < SITES; s++) {
        problem->vertices [s] = (vertex_t){.kind = VERTEX_SITE};
        snprintf (problem->vertices [s].name, sizeof problem->vertices [s].name, "s%zu", s);
        link_t *link = &problem->links [s];
        *link = (link_t){.mbps = 1 + (uint32_t) below (problem, 3),
                         .latency_us = 1000,
                         .price = 3600000000 * (int64_t) below (problem, 3)};
        snprintf (link->name, sizeof link->name, "l%zu", s);
        snprintf (link->ends [0], sizeof link->ends [0], "s%zu", s);
        snprintf (link->ends [1], sizeof link->ends [1], "s%zu", (s + 1) % SITES);
        draw_free (problem, problem->mbps_free [s], link->mbps, 1);
    }
}

static void draw_file (data_problem_t *problem, size_t at)
{
    file_places_t *file = &problem->files [at];
    file->known = true;
    file->size = problem->data [at].size;
    size_t holder = (size_t) below (problem, SITES);
    for (size_t s = 0; s < SITES; s++) {
        char name [8];
        snprintf (name, sizeof name, "s%zu", s);
        file_site_t *site = file_places_at (file, name);
        site->has = s == holder || below (problem, 4) == 0;
        site->told = true;
        site->staging.bytes_per_s = below (problem, 3) * 2 * MBPS_BYTES;
        snprintf (site->staging.source, sizeof site->staging.source, "s%zu", holder);
        site->staging.nodes = must (calloc (DISKS, sizeof *site->staging.nodes));
        for (size_t d = 0; d < problem->storages [s].nodes_count && site->has; d++)
            if (d == 0 || below (problem, 2) == 0)
                snprintf (site->staging.nodes [site->staging.nodes_count++],
                          sizeof site->staging.nodes [0], "d%zu", d);
    }
}

static void draw_request (data_problem_t *problem)
{
    user_request_t *request = &problem->request;
    *request = (user_request_t){.compute = problem->needs,
                                .compute_count = 1 + (size_t) below (problem, NEEDS),
                                .data = problem->data,
                                .data_count = (size_t) below (problem, FILES + 1),
                                .space = problem->space,
                                .space_count = (size_t) below (problem, SPACES + 1),
                                .distinct_sites = true};
    snprintf (request->policy, sizeof request->policy, "cost");
    for (size_t n = 0; n < request->compute_count; n++) {
        compute_need_t *need = &problem->needs [n];
        *need = (compute_need_t){.cpus = 1 + (uint32_t) below (problem, 2),
                                 .offset_ms = INSTANT_MS * (int64_t) below (problem, 3),
                                 .duration_ms = INSTANT_MS * (2 + (int64_t) below (problem, 5))};
        snprintf (need->id, sizeof need->id, "n%zu", n);
    }
    problem->files = file_places_new (FILES);
    for (size_t i = 0; i < request->data_count; i++) {
        static const uint32_t nodes [] = {0, 1, 2, DATA_NODES_ALL};
        data_need_t *data = &problem->data [i];
        *data = (data_need_t){.nodes = nodes [below (problem, 4)],
                              .by_ms = INSTANT_MS * (int64_t) below (problem, 2),
                              .mbps = (uint32_t) below (problem, 3),
                              .size = 1 + below (problem, 2 * SPACE_UNIT)};
        snprintf (data->at, sizeof data->at, "n%zu",
                  (size_t) below (problem, request->compute_count));
        snprintf (data->id, sizeof data->id, "data-%zu", i);
        snprintf (data->file, sizeof data->file, "file-%zu", i);
        draw_file (problem, i);
    }
    for (size_t i = 0; i < request->space_count; i++) {
        space_need_t *space = &problem->space [i];
        *space = (space_need_t){.bytes = 1 + below (problem, 2 * SPACE_UNIT)};
        snprintf (space->at, sizeof space->at, "n%zu",
                  (size_t) below (problem, request->compute_count));
        snprintf (space->id, sizeof space->id, "space-%zu", i);
    }
}

static void tell (free_profile_t *profile, const int64_t *free_at)
{
    profile_step_t steps [HORIZON];
    size_t count = 0;
    for (int t = 0; t < HORIZON; t++)
        if (count == 0 || steps [count - 1].free != free_at [t])
            steps [count++] = (profile_step_t){.from_ms = t * INSTANT_MS, .free = free_at [t]};
    free_profile_set (
      profile,
      &(profile_t){.steps = steps, .steps_count = count, .until_ms = HORIZON * INSTANT_MS});
}

/*  The table behind a place, or NULL for a source of files. */
static const int64_t *table_of (const data_problem_t *problem, size_t place)
{
    const site_class_t *class = &problem->snapshot->places [place];
    const char *name = problem->snapshot->sources [class->source].party.name;
    size_t site = (size_t) (name [strlen (name) - 1] - '0');
    if (problem->snapshot->sources [class->source].kind == SOURCE_SITE)
        return problem->nodes_free [site];
    return *class->class_name ? problem->mib_free [site][class->class_name [1] - '0'] : NULL;
}

static void make_snapshot (data_problem_t *problem)
{
    problem->snapshot = snapshot_new (&problem->request, &problem->terms);
    snapshot_t *snapshot = problem->snapshot;
    for (size_t s = 0; s < SITES; s++) {
        directory_entry_t entry = {.site = &problem->sites [s]};
        snprintf (entry.name, sizeof entry.name, "lis/s%zu", s);
        snapshot_consider (snapshot, &entry, CANDIDATES_MAX);
    }
    for (size_t s = 0; s < SITES; s++) {
        directory_entry_t entry = {.storage = &problem->storages [s]};
        snprintf (entry.name, sizeof entry.name, "replica/s%zu", s);
        snapshot_consider_storage (snapshot, &entry, problem->files);
    }
    directory_entry_t domain = {.name = "nis/N", .domain = &problem->domain};
    snapshot_consider_domain (snapshot, &domain);
    snapshot_join (snapshot);
    snapshot_stage (snapshot, problem->files);
    for (size_t p = 0; p < snapshot->places_count; p++)
        if (table_of (problem, p))
            tell (&snapshot->places [p].free_profile, table_of (problem, p));
    for (size_t l = 0; l < snapshot->links_count; l++)
        tell (&snapshot->links [l].free_profile, problem->mbps_free [l]);
}

static void make_problem (data_problem_t *problem, uint64_t seed)
{
    *problem =
      (data_problem_t){.terms = {.start_ms = 500, .margin_percent = 20, .unmeasured_mbps = 2}};
    prng_seed (&problem->prng, seed);
    problem->lead_ms = INSTANT_MS * (int64_t) below (problem, 3);
    draw_sites (problem);
    draw_links (problem);
    draw_request (problem);
    int64_t earliest_ms = INSTANT_MS * (5 + (int64_t) below (problem, 10));
    problem->order = (search_order_t){
      .starts = {.earliest_ms = earliest_ms,
                 .latest_ms = earliest_ms + INSTANT_MS * (int64_t) below (problem, 20),
                 .deadline_ms = INT64_MAX},
      .policy = POLICY_COST,
      .soonest_ms = INSTANT_MS * (int64_t) below (problem, 3),
      .check_from_ms = INT64_MIN,
      .prng = &problem->prng,
      .steps_max = 1000000};
    make_snapshot (problem);
}

static void end_problem (data_problem_t *problem)
{
    snapshot_destroy (&problem->snapshot);
    file_places_destroy (&problem->files, FILES);
}

/*  --- judging a plan --- */

/*  What a plan takes of one table, beside others. */
typedef struct {
    const int64_t *free_at;
    int64_t from_ms;
    int64_t until_ms;
    int64_t quantity;
} plan_use_t;

typedef struct {
    plan_use_t uses [64];
    size_t count;
} plan_uses_t;

static void use (plan_uses_t *uses, const int64_t *free_at, int64_t from_ms, int64_t until_ms,
                 int64_t quantity)
{
    assert_true (uses->count < 64);
    uses->uses [uses->count++] = (plan_use_t){free_at, from_ms, until_ms, quantity};
}

static int64_t used (const plan_uses_t *uses, const int64_t *free_at, int64_t at_ms)
{
    int64_t sum = 0;
    for (size_t i = 0; i < uses->count; i++)
        if (uses->uses [i].free_at == free_at && uses->uses [i].from_ms <= at_ms &&
            at_ms < uses->uses [i].until_ms)
            sum += uses->uses [i].quantity;
    return sum;
}

/*  What is taken rises only where something begins; what is free changes only at instants. */
static bool can_be_had (const plan_uses_t *uses)
{
    for (size_t i = 0; i < uses->count; i++) {
        const plan_use_t *one = &uses->uses [i];
        int64_t at_ms = one->from_ms;
        while (at_ms < one->until_ms) {
            if (at_ms < 0 || at_ms >= HORIZON * INSTANT_MS ||
                used (uses, one->free_at, at_ms) > one->free_at [at_ms / INSTANT_MS])
                return false;
            at_ms = (at_ms / INSTANT_MS + 1) * INSTANT_MS;
        }
    }
    return true;
}

static size_t site_of_place (const data_problem_t *problem, size_t place)
{
    const snapshot_t *snapshot = problem->snapshot;
    const char *name = snapshot->sources [snapshot->places [place].source].party.name;
    return (size_t) (name [strlen (name) - 1] - '0');
}

static const option_t *chosen (const data_problem_t *problem, const size_t *options, size_t need)
{
    assert_true (options [need] < problem->snapshot->needs [need].options_count);
    return &problem->snapshot->needs [need].options [options [need]];
}

static bool has_lead (const data_problem_t *problem, int64_t from_ms)
{
    return from_ms >= problem->order.soonest_ms + problem->lead_ms;
}

static bool needs_fit (const data_problem_t *problem, int64_t start_ms, const size_t *options)
{
    plan_uses_t uses = {0};
    bool there [SITES] = {false};
    for (size_t n = 0; n < problem->request.compute_count; n++) {
        const option_t *option = chosen (problem, options, n);
        size_t site = site_of_place (problem, option->place);
        int64_t from_ms = start_ms + problem->needs [n].offset_ms;
        if (there [site] || !has_lead (problem, from_ms))
            return false;
        there [site] = true;
        use (&uses, problem->nodes_free [site], from_ms, from_ms + problem->needs [n].duration_ms,
             problem->needs [n].cpus);
    }
    return can_be_had (&uses);
}

static size_t at_of (const data_problem_t *problem, const char *at)
{
    return user_request_need (&problem->request, at);
}

static bool disk_has (const data_problem_t *problem, size_t file, size_t site, size_t disk)
{
    const file_site_t *place = &problem->files [file].sites [site];
    for (size_t i = 0; i < place->staging.nodes_count; i++)
        if (strcmp (place->staging.nodes [i], problem->disks [site][disk].name) == 0)
            return true;
    return false;
}

/*  How long the file's bytes take at least. */
static int64_t bytes_take_ms (const data_problem_t *problem, size_t file, size_t site)
{
    const data_need_t *data = &problem->data [file];
    const file_site_t *place = &problem->files [file].sites [site];
    double rate = place->staging.bytes_per_s > 0
                    ? (double) place->staging.bytes_per_s
                    : problem->terms.unmeasured_mbps * (double) MBPS_BYTES;
    rate *= 0.8;
    if (data->mbps > 0 && !place->has)
        rate = 0.9 * data->mbps * MBPS_BYTES;
    return (int64_t) ((double) data->size / rate * 1000);
}

/*  The time from which on a data need takes room, at an option. */
static int64_t comes_from_ms (const data_problem_t *problem, size_t file, const option_t *option,
                              int64_t due_ms)
{
    size_t site = site_of_place (problem, option->place);
    size_t first = (size_t) (problem->snapshot->places [option->place].class_name [1] - '0');
    bool all = true;
    for (size_t d = first; d < first + option->spread; d++)
        all = all && disk_has (problem, file, site, d);
    assert_true (all == (option->before_ms == 0));
    assert_true (all || option->before_ms >= bytes_take_ms (problem, file, site));
    return due_ms - option->before_ms;
}

static int64_t begin_of (const data_problem_t *problem, int64_t start_ms, const char *at)
{
    return start_ms + problem->needs [at_of (problem, at)].offset_ms;
}

static bool storage_fits (const data_problem_t *problem, int64_t start_ms, const size_t *options)
{
    const snapshot_t *snapshot = problem->snapshot;
    plan_uses_t uses = {0};
    size_t wanted = 0, got = 0;
    for (size_t i = 0; i < problem->request.data_count; i++)
        wanted += problem->data [i].nodes == 2 ? 2 : 1;
    for (size_t n = problem->request.compute_count; n < snapshot->request->compute_count; n++) {
        const derived_t *derived = &snapshot->request->compute [n].derived;
        if (derived->kind != DERIVED_STORAGE)
            continue;
        const option_t *option = chosen (problem, options, n);
        size_t site = site_of_place (problem, option->place);
        const char *at = derived->data ? problem->data [derived->data - 1].at
                                       : problem->space [derived->space - 1].at;
        size_t need = at_of (problem, at);
        int64_t from_ms = begin_of (problem, start_ms, at);
        int64_t until_ms = from_ms + problem->needs [need].duration_ms;
        uint64_t bytes = derived->data ? problem->data [derived->data - 1].size
                                       : problem->space [derived->space - 1].bytes;
        if (site != site_of_place (problem, chosen (problem, options, need)->place))
            return false;
        if (derived->data) {
            const data_need_t *data = &problem->data [derived->data - 1];
            got++;
            if (option->spread !=
                (data->nodes == DATA_NODES_ALL ? problem->storages [site].nodes_count : 1))
                return false;
            from_ms = comes_from_ms (problem, derived->data - 1, option, from_ms + data->by_ms);
        }
        if (!has_lead (problem, from_ms))
            return false;
        size_t disk = (size_t) (snapshot->places [option->place].class_name [1] - '0');
        for (size_t d = disk; d < disk + option->spread; d++)
            use (&uses, problem->mib_free [site][d], from_ms, until_ms,
                 (int64_t) ((bytes + SPACE_UNIT - 1) / SPACE_UNIT));
        for (size_t m = problem->request.compute_count; m < n; m++)
            if (derived->data && snapshot->request->compute [m].derived.kind == DERIVED_STORAGE &&
                snapshot->request->compute [m].derived.data == derived->data &&
                chosen (problem, options, m)->place == option->place)
                return false;
    }
    assert_int_equal (got, wanted);
    return can_be_had (&uses);
}

/*  Goes along a path by the names of its links; SITES when it does not hang together. */
static size_t end_of_path (size_t from, const path_t *path)
{
    for (size_t i = 0; i < path->links_count; i++) {
        size_t a = path->links [i], b = (a + 1) % SITES; /* the only domain's, in its order */
        assert_true (a < LINKS);
        if (from != a && from != b)
            return SITES;
        from = from == a ? b : a;
    }
    return from;
}

static int64_t circuit_ms (const data_problem_t *problem, size_t file)
{
    const data_need_t *data = &problem->data [file];
    double rate = 0.9 * data->mbps * MBPS_BYTES;
    return problem->terms.start_ms + (int64_t) ((double) data->size / rate * 1000 + 1);
}

static bool circuits_fit (const data_problem_t *problem, int64_t start_ms, const size_t *options,
                          const path_t *paths)
{
    const user_request_t *request = problem->snapshot->request;
    plan_uses_t uses = {0};
    for (size_t l = 0; l < request->network_count; l++) {
        size_t file = request->network [l].data - 1;
        const data_need_t *data = &problem->data [file];
        size_t source = user_request_need (request, request->network [l].ends [0]);
        size_t from = site_of_place (problem, chosen (problem, options, source)->place);
        size_t to =
          site_of_place (problem, chosen (problem, options, at_of (problem, data->at))->place);
        if (!problem->files [file].sites [from].has ||
            (problem->files [file].sites [to].has && from != to) ||
            end_of_path (from, &paths [l]) != to || (paths [l].links_count == 0) != (from == to))
            return false;
        int64_t due_ms = begin_of (problem, start_ms, data->at) + data->by_ms;
        if (paths [l].links_count > 0 && !has_lead (problem, due_ms - circuit_ms (problem, file)))
            return false;
        for (size_t i = 0; i < paths [l].links_count; i++)
            use (&uses, problem->mbps_free [paths [l].links [i]],
                 due_ms - circuit_ms (problem, file), due_ms, data->mbps);
    }
    return can_be_had (&uses);
}

static void judge (const data_problem_t *problem, const choice_t *plan, const char *who)
{
    if (!needs_fit (problem, plan->start_ms, plan->options))
        fail_msg ("%s: CPUs that can't be had", who);
    if (!storage_fits (problem, plan->start_ms, plan->options))
        fail_msg ("%s: room that can't be had", who);
    if (!circuits_fit (problem, plan->start_ms, plan->options, plan->paths))
        fail_msg ("%s: circuits that can't be had", who);
}

/*  --- everything, tried --- */

/*  Counts through the options of the needs in [first, end) that are of this kind; false when all
 *  have been tried. */
static bool next_choice (const data_problem_t *problem, size_t first, size_t end, int kind,
                         size_t *options)
{
    for (size_t n = first; n < end; n++) {
        if ((int) problem->snapshot->request->compute [n].derived.kind != kind)
            continue;
        if (++options [n] < problem->snapshot->needs [n].options_count)
            return true;
        options [n] = 0;
    }
    return false;
}

/*  One way of two: along the link, or round the other way. */
static path_t way (size_t from, size_t to, bool round)
{
    path_t path = {0};
    bool onward = (from + 1) % SITES == to;
    if (from == to)
        return path;
    if (onward != round) {
        for (size_t at = from; at != to; at = (at + 1) % SITES)
            path.links [path.links_count++] = at;
        return path;
    }
    for (size_t at = from; at != to; at = (at + SITES - 1) % SITES)
        path.links [path.links_count++] = (at + SITES - 1) % SITES;
    return path;
}

static int64_t circuits_cost (const data_problem_t *problem, const path_t *paths)
{
    const user_request_t *request = problem->snapshot->request;
    int64_t cost = 0;
    for (size_t l = 0; l < request->network_count; l++)
        for (size_t i = 0; i < paths [l].links_count; i++)
            cost += problem->links [paths [l].links [i]].price / 3600000000 *
                    request->network [l].mbps * circuit_ms (problem, request->network [l].data - 1);
    return cost;
}

/*  The least cost of circuits, -1 when they can't be had. */
static int64_t least_circuits (const data_problem_t *problem, int64_t start_ms, size_t *options)
{
    const user_request_t *request = problem->snapshot->request;
    int64_t best = -1;
    do
        for (size_t rounds = 0; rounds < (size_t) 1 << request->network_count; rounds++) {
            path_t paths [FILES + 1] = {0};
            for (size_t l = 0; l < request->network_count; l++) {
                size_t ends [2];
                for (int end = 0; end < 2; end++) {
                    size_t need = user_request_need (request, request->network [l].ends [end]);
                    ends [end] = site_of_place (problem, chosen (problem, options, need)->place);
                }
                paths [l] = way (ends [0], ends [1], rounds >> l & 1);
            }
            int64_t cost = circuits_cost (problem, paths);
            if ((best < 0 || cost < best) && circuits_fit (problem, start_ms, options, paths))
                best = cost;
        }
    while (next_choice (problem, problem->request.compute_count, request->compute_count,
                        DERIVED_SOURCE, options));
    return best;
}

static bool some_storage_fits (const data_problem_t *problem, int64_t start_ms, size_t *options)
{
    bool fits = false;
    do
        fits = fits || storage_fits (problem, start_ms, options);
    while (next_choice (problem, problem->request.compute_count,
                        problem->snapshot->request->compute_count, DERIVED_STORAGE, options));
    return fits;
}

/*  The least cost of a plan at a start, -1 when there is none. */
static int64_t least_cost (const data_problem_t *problem, int64_t start_ms)
{
    const snapshot_t *snapshot = problem->snapshot;
    size_t options [NEEDS_MAX] = {0};
    int64_t best = -1;
    for (size_t n = 0; n < snapshot->request->compute_count; n++)
        if (snapshot->needs [n].options_count == 0)
            return -1;
    do {
        int64_t cost = 0;
        for (size_t n = 0; n < problem->request.compute_count; n++)
            cost += problem->sites [site_of_place (problem, chosen (problem, options, n)->place)]
                      .classes->price /
                    3600000 * problem->needs [n].cpus * problem->needs [n].duration_ms;
        if ((best >= 0 && cost >= best) || !needs_fit (problem, start_ms, options) ||
            !some_storage_fits (problem, start_ms, options))
            continue;
        int64_t circuits = least_circuits (problem, start_ms, options);
        if (circuits >= 0 && (best < 0 || cost + circuits < best))
            best = cost + circuits;
    } while (next_choice (problem, 0, problem->request.compute_count, DERIVED_NOT, options));
    return best;
}

/*  --- ip --- */

static void ip_finds_a_cheapest_plan_with_data (void **state)
{
    (void) state;
    size_t found = 0, none = 0, given_up = 0;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        data_problem_t problem;
        make_problem (&problem, seed);
        ip_settings_t settings = {.windows = STARTS, .steps_max = 100000, .visible = 100};
        ranking_order_t order = {.snapshot = problem.snapshot,
                                 .settings = &settings,
                                 .search = problem.order,
                                 .policy = POLICY_COST,
                                 .windows = STARTS,
                                 .visible = 100};
        ranking_t *ranking = ranking_new (&order, &problem.prng);
        aside_t aside;
        while (ranking_step (ranking, &aside))
            ;
        ranking_close (ranking);
        int64_t best = -1;
        for (size_t i = 0; i < STARTS; i++) {
            int64_t cost = least_cost (&problem, windows_start (&problem.order.starts, STARTS, i));
            best = cost >= 0 && (best < 0 || cost < best) ? cost : best;
        }
        bool there = ranking_next (ranking);
        if (there) {
            const window_plan_t *plan = ranking_plan (ranking);
            judge (&problem, &(choice_t){plan->start_ms, plan->choice, plan->paths}, "ip");
            assert_true (best >= 0 && plan->price >= best);
        }
        found += there;
        none += best < 0;
        if (ranking_tally (ranking)->unknown > 0)
            given_up++; /* circuits of several needs on one link */
        else if (there != (best >= 0) || (there && ranking_plan (ranking)->price != best))
            fail_msg ("seed %zu: %lld, not %lld, is the least cost (%zu links)", (size_t) seed,
                      (long long) best, there ? (long long) ranking_plan (ranking)->price : -1LL,
                      problem.snapshot->request->network_count);
        ranking_destroy (&ranking);
        end_problem (&problem);
    }
    print_message ("%zu plans, %zu problems without, %zu with contended circuits\n", found, none,
                   given_up);
    assert_true (found > 600 && none > 600 && given_up < 20);
}

/*  --- auto --- */

static void auto_finds_plans_with_data_that_can_be_had (void **state)
{
    (void) state;
    size_t found = 0;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        data_problem_t problem;
        make_problem (&problem, seed);
        search_t *search = search_new (problem.snapshot, &problem.order);
        search_state_t ended;
        while ((ended = search_run (search, 100000)) == SEARCH_MORE)
            ;
        if (ended == SEARCH_FOUND) {
            choice_t plan = search_choice (search);
            judge (&problem, &plan, "auto");
        }
        for (size_t i = 0; ended == SEARCH_NONE && i < STARTS; i++)
            if (least_cost (&problem, windows_start (&problem.order.starts, STARTS, i)) >= 0)
                fail_msg ("seed %zu: there is a plan", (size_t) seed);
        found += ended == SEARCH_FOUND;
        search_destroy (&search);
        end_problem (&problem);
    }
    assert_true (found > 300);
}

/*  --- bbr, and bir's dry run --- */

/*  The services that a search asks, told by its problem's tables. */
typedef struct {
    data_problem_t *problem;
    memory_host_t host;
    struct {
        uint64_t call;
        packed_t body; /* of its answer */
    } calls [256];
    size_t calls_count;
    bool ended;
    backtracking_end_t end;
} data_services_t;

static const int64_t *table_named (data_problem_t *problem, const char *party, const char *resource)
{
    size_t site = (size_t) (party [strlen (party) - 1] - '0');
    if (strncmp (party, "nis/", 4) == 0)
        return problem->mbps_free [resource [1] - '0'];
    return strncmp (party, "lis/", 4) == 0 ? problem->nodes_free [site]
                                           : problem->mib_free [site][resource [1] - '0'];
}

static bool free_over (const int64_t *free_at, int64_t from_ms, int64_t until_ms, int64_t quantity)
{
    plan_uses_t uses = {0};
    use (&uses, free_at, from_ms, until_ms, quantity);
    return can_be_had (&uses);
}

static packed_t answer_free (data_services_t *self, const char *party, bytes_t body)
{
    free_question_t asked;
    char why [WHY_BYTES];
    assert_true (codec_decode (&free_question_codec, &asked, body, why));
    const int64_t *free_at = table_named (self->problem, party, asked.resource);
    int64_t from_ms = asked.over.from;
    if (from_ms < self->problem->order.soonest_ms + self->problem->lead_ms)
        from_ms = self->problem->order.soonest_ms + self->problem->lead_ms;
    while (from_ms + asked.duration_ms <= asked.over.until &&
           !free_over (free_at, from_ms, from_ms + asked.duration_ms, asked.amount))
        from_ms = (from_ms / INSTANT_MS + 1) * INSTANT_MS;
    free_span_t span = {.resource = asked.resource, .over = {from_ms, asked.over.until}};
    free_answer_t told = {.spans = &span,
                          .count = from_ms + asked.duration_ms <= asked.over.until ? 1 : 0};
    return codec_encode (&free_answer_codec, &told);
}

static packed_t answer_windows (data_services_t *self, const char *party, bytes_t body)
{
    windows_question_t asked;
    bool fits [16];
    char why [WHY_BYTES];
    assert_true (codec_decode (&windows_question_codec, &asked, body, why));
    assert_true (asked.windows_count <= 16);
    for (size_t i = 0; i < asked.windows_count; i++)
        fits [i] =
          asked.windows [i].over.from >= self->problem->order.soonest_ms + self->problem->lead_ms &&
          free_over (table_named (self->problem, party, asked.windows [i].resource),
                     asked.windows [i].over.from, asked.windows [i].over.until,
                     asked.windows [i].quantity);
    windows_answer_t told = {.fits = fits, .count = asked.windows_count};
    packed_t packed = codec_encode (&windows_answer_codec, &told);
    codec_clear (&windows_question_codec, &asked);
    return packed;
}

static void on_end (void *owner, const moment_t *now, backtracking_end_t end)
{
    (void) now;
    data_services_t *self = owner;
    self->ended = true;
    self->end = end;
}

static void take (void *owner, const effect_t *effect)
{
    data_services_t *self = owner;
    if (effect->kind != EFFECT_CALL)
        return;
    assert_true (self->calls_count < 256);
    self->calls [self->calls_count].call = effect->call.call;
    self->calls [self->calls_count++].body =
      strcmp (effect->call.method, "Free") == 0
        ? answer_free (self, effect->call.endpoint, effect->call.body)
        : answer_windows (self, effect->call.endpoint, effect->call.body);
}

/*  Answers one call after the other, the last one first, until the search has ended. */
static void answer_calls (data_services_t *self)
{
    memory_host_step (&self->host, &(event_t){.kind = EVENT_TIMER});
    assert_true (self->ended || self->calls_count > 0);
    while (self->calls_count > 0) {
        packed_t body = self->calls [--self->calls_count].body;
        if (!self->ended)
            memory_host_step (&self->host,
                              &(event_t){.kind = EVENT_ANSWER,
                                         .answer = {.call = self->calls [self->calls_count].call,
                                                    .reason = "",
                                                    .body = packed_bytes (body)}});
        free (body.data);
        assert_true (self->ended || self->calls_count > 0);
    }
}

static void backtracking_finds_plans_with_data_that_can_be_had (void **state)
{
    (void) state;
    size_t found = 0;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        data_problem_t problem;
        make_problem (&problem, seed);
        for (size_t i = 0; i < problem.snapshot->sources_count; i++) {
            participant_ref_t *party = &problem.snapshot->sources [i].party;
            snprintf (party->endpoint, sizeof party->endpoint, "%.60s", party->name);
        }
        service_t *service = service_new ("planner/p");
        data_services_t self = {.problem = &problem, .host = memory_host (0, 1, take, &self)};
        self.host.core = service_as_core (service);
        unresponsive_t unresponsive = {0};
        trail_t trail = {0};
        backtracking_order_t order = {.service = service,
                                      .settings =
                                        &SETTINGS_PRESET (planner_settings_t, &planner_table),
                                      .unresponsive = &unresponsive,
                                      .snapshot = problem.snapshot,
                                      .actor = "alice",
                                      .request_id = "r@g1",
                                      .starts = problem.order.starts,
                                      .soonest_ms = problem.order.soonest_ms,
                                      .policy = seed % 2 ? POLICY_COST : POLICY_TIME,
                                      .counts_own = true,
                                      .limit_mono_ms = 1000000,
                                      .trail = &trail};
        backtracking_t *search = backtracking_new (&order, &self.host.now, on_end, &self);
        answer_calls (&self);
        if (self.end == BACKTRACKING_FOUND) {
            choice_t plan = backtracking_choice (search);
            judge (&problem, &plan, "bbr");
            found++;
        }
        backtracking_destroy (&search);
        trail_clear (&trail);
        service_destroy (&service);
        end_problem (&problem);
    }
    print_message ("%zu plans by bbr\n", found);
    assert_true (found > 100);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (ip_finds_a_cheapest_plan_with_data),
      cmocka_unit_test (auto_finds_plans_with_data_that_can_be_had),
      cmocka_unit_test (backtracking_finds_plans_with_data_that_can_be_had),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
