/*  test_batch_week - eight days of a log as reservations to come, at a site in whose batch system
 *  others have all nodes for ten hours each week, and all or some for two hours each day. What the
 *  planner told, and what the batch system was told, is judged by sums here: nothing of the site's
 *  own calendars is used.
 *
 *  Where MUSUBI_DATA names a folder of real logs it is one of these, else a made-up one.
 */
#include "participant.h"

#include "agent.h"
#include "coallocations.h"
#include "hasty_runner.h"
#include "lis.h"
#include "message.h"
#include "must.h"
#include "planner.h"
#include "replica_scene.h"
#include "sim_batch.h"
#include "sim_wire.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MINUTE        INT64_C (60000)
#define HOUR          (60 * MINUTE)
#define DAY           (24 * HOUR)
#define ALL_NODES     0xfu
#define HALF          0x3u
#define SITES         4 /* the first has the batch system */
#define CPUS          2 /* of a node */
#define CPUS_MAX      4 /* of a need: half of a site */
#define REQUESTS_MAX  3000
#define BEFORE        HOUR /* from the test's begin to the log's */
#define LOAD          (8 * DAY)
#define AT_ONCE       8 /* requests */
#define SECOND_PASSES 1000
#define WANTED_LEAST  3 /* requests in each of the two weekly times */

typedef struct {
    char name [16];
    lis_settings_t settings;
    core_t core;
    int process;
} week_site_t;

/*  What others have: nodes by their bits. */
typedef struct {
    const char *name;
    unsigned nodes;
    int64_t from_ms;
    int64_t lasts_ms;
    int64_t period_ms;
    uint32_t times;
} recurring_t;

/*  At the site, as the planner told it. */
typedef struct {
    char reservation [NAME_BYTES_MAX + 1];
    int64_t from_ms;
    int64_t until_ms;
    uint32_t nodes;
} granted_t;

typedef struct {
    replica_scene_t *scene;
    sim_batch_t batch;
    sim_machines_t machines;
    week_site_t sites [SITES];
    planner_settings_t planner;
    int planner_process;
    coallocation_t *asked;
    size_t asked_count;
    size_t refused;
    granted_t granted [REQUESTS_MAX];
    size_t granted_count;
} week_t;

#define START_MS (SIM_EPOCH_MS + BEFORE)

static recurring_t others [] = {
  {"weekly", ALL_NODES, START_MS + 8 * HOUR, 10 * HOUR, 7 * DAY, 4},
  {"daily", ALL_NODES, START_MS + 20 * HOUR, 2 * HOUR, DAY, 28},
};
#define OTHERS (sizeof others / sizeof *others)

/*  --- who takes part --- */

static const char *const anybody [] = {"*"};
static const char *const directories [] = {"sim://gis/g1/1"};
static node_class_t class = {
  .name = "node", .nodes = SIM_BATCH_NODES, .cpus_per_node = CPUS, .price = 1};

static void week_site_make (void *owner, core_t *core)
{
    static node_place_t places [SIM_BATCH_NODES + 1] = {{.name = "n1"},
                                                        {.name = "n2"},
                                                        {.name = "n3"},
                                                        {.name = "n4"},
                                                        {.name = "slurm", .class = 1}};
    week_site_t *self = owner;
    runner_settings_t runner;
    hasty_runner (&runner, places, SIM_BATCH_NODES + 1);
    runner.batch = true;
    runner.openings.lend_ms = runner.openings.release_ms = 0;
    runner.openings.watch_ms = 10000;
    runner.openings.ahead = REQUESTS_MAX;
    runner.back_end = (back_end_limits_t){.retry_ms = 300, .retry_ms_max = 2000};
    lis_settings_t settings = self->settings;
    settings.runner = strcmp (self->name, "lis/ams") == 0 ? &runner : NULL;
    lis_core (&settings, core);
    self->core = *core;
}

static void week_agent_make (void *owner, core_t *core)
{
    const week_t *self = owner;
    const char *sites [] = {sim_address (scene_sim (self->scene), self->sites [0].process)};
    agent_settings_t settings = SETTINGS_PRESET (agent_settings_t, &agent_table);
    settings.name = "slurm";
    settings.class_name = "";
    settings.batch = true;
    settings.sites = sites;
    settings.sites_count = 1;
    settings.runs = "/runs";
    settings.look_ms = 500;
    settings.machine_ms = 400;
    agent_core (&settings, core);
}

static void week_planner_make (void *owner, core_t *core)
{
    planner_core (owner, core);
}

static int member_add (week_t *self, const char *name, void (*make) (void *, core_t *), void *owner)
{
    sim_t *sim = scene_sim (self->scene);
    return sim_add (sim,
                    &(sim_program_t){.name = name, .make = make, .owner = owner, .stays = true},
                    &(sim_clock_t){0}, SIM_NOBODY, sim_now_us (sim) + 1000);
}

static void sites_add (week_t *self)
{
    static const char *const names [SITES] = {"lis/ams", "lis/bru", "lis/cph", "lis/dub"};
    for (size_t i = 0; i < SITES; i++) {
        week_site_t *site = &self->sites [i];
        snprintf (site->name, sizeof site->name, "%s", names [i]);
        site->settings = (lis_settings_t){
          .provider = {.name = site->name,
                       .access = {.accounts = anybody, .accounts_count = 1},
                       .participant = SETTINGS_PRESET (participant_limits_t, &participant_table),
                       .limits = SETTINGS_PRESET (lis_settings_t, &lis_table).provider.limits,
                       .gis_endpoints = directories,
                       .gis_count = 1},
          .site = {.classes = &class, .classes_count = 1, .lead_ms = 1000, .horizon_ms = 30 * DAY},
          .plus = SETTINGS_PRESET (plus_limits_t, &plus_table)};
        site->process = member_add (self, site->name, week_site_make, site);
    }
}

static const runner_t *week_runner (const week_t *self)
{
    return ((const lis_t *) self->sites [0].core.self)->runner;
}

/*  The batch system has what others have booked; the site has heard of it. */
static void batch_begin (week_t *self, uint64_t seed)
{
    self->machines.sim = scene_sim (self->scene);
    self->batch.machines = &self->machines;
    for (size_t i = 0; i < SIM_BATCH_NODES; i++) {
        static const char *const names [SIM_BATCH_NODES] = {"n1", "n2", "n3", "n4"};
        self->batch.nodes [i] = (sim_batch_node_t){.name = names [i], .cpus = CPUS};
    }
    for (size_t i = 0; i < OTHERS; i++) {
        sim_reserved_t *one = &self->batch.reserved [self->batch.reserved_count++];
        *one = (sim_reserved_t){.from_ms = others [i].from_ms,
                                .until_ms = others [i].from_ms + others [i].lasts_ms,
                                .period_ms = others [i].period_ms,
                                .times = others [i].times,
                                .others = true};
        snprintf (one->name, sizeof one->name, "%s", others [i].name);
        for (size_t k = 0; k < SIM_BATCH_NODES; k++)
            one->has [k] = others [i].nodes >> k & 1;
    }
    sim_batch_start (&self->batch, scene_sim (self->scene), seed);
    sim_worker (scene_sim (self->scene), sim_batch_work, &self->batch);
}

static week_t *week_new (uint64_t seed)
{
    scene_plan_t nothing = scene_plan_default;
    week_t *self = must (calloc (1, sizeof *self));
    nothing.sites = nothing.nodes = 0;
    nothing.index = false;
    self->scene = replica_scene_new (seed, &nothing);
    batch_begin (self, seed);
    sites_add (self);
    member_add (self, "node/slurm", week_agent_make, self);
    self->planner = SETTINGS_PRESET (planner_settings_t, &planner_table);
    self->planner.restore_guard_wait_ms = 0;
    self->planner.gis_endpoints = directories;
    self->planner.gis_count = 1;
    self->planner.finish_interval_ms = 0;
    self->planner_process = member_add (self, "planner/1", week_planner_make, &self->planner);
    scene_pass (self->scene, 10 * SECOND_PASSES);
    const batch_picture_t *picture = nodes_picture (week_runner (self)->nodes);
    assert_non_null (picture);
    assert_int_equal (picture->bookings_count, OTHERS);
    return self;
}

static void week_end (week_t *self)
{
    replica_scene_destroy (&self->scene);
    free (self->asked);
    free (self);
}

/*  --- what users ask --- */

/*  As musubi workload makes them, so many as begin within LOAD. */
static void requests_make (week_t *self, uint64_t seed)
{
    char file [512] = TEST_LOG, failed [WHY_BYTES];
    const char *folder = getenv ("MUSUBI_DATA");
    swf_log_t log;
    size_t clipped;
    if (folder)
        snprintf (file, sizeof file, "%s/SDSC-BLUE-2000-10weeks.swf.gz", folder);
    if (!swf_read (&log, file, failed))
        fail_msg ("%s: %s", file, failed);
    size_t count = coallocations_make (&log,
                                       &(coallocation_settings_t){.seed = seed,
                                                                  .requests = REQUESTS_MAX,
                                                                  .start_ms = START_MS,
                                                                  .compress = 0.7,
                                                                  .cpus_max = CPUS_MAX},
                                       &self->asked, &clipped);
    while (self->asked_count < count &&
           self->asked [self->asked_count].earliest_ms < START_MS + LOAD)
        self->asked_count++;
    assert_true (self->asked_count < count); /* the log is long enough */
    swf_clear (&log);
}

static size_t request_send (week_t *self, const coallocation_t *asked)
{
    sim_wish_t wish = {.earliest_ms = asked->earliest_ms,
                       .latest_ms = asked->latest_ms,
                       .duration_ms = asked->duration_ms,
                       .distinct_sites = true,
                       .needs_count = asked->needs};
    for (size_t i = 0; i < asked->needs; i++) {
        snprintf (wish.needs [i].id, sizeof wish.needs [i].id, "%c", (char) ('a' + i));
        wish.needs [i].cpus = asked->cpus [i];
    }
    return scene_send (self->scene, self->planner_process, "alice", "Planner", "Reserve",
                       sim_wire_reserve (&wish));
}

static void answer_take (week_t *self, size_t ask)
{
    sim_answer_t answer;
    for (int turn = 0; turn < 1000 && scene_told (self->scene, ask).size == 0; turn++)
        scene_pass (self->scene, 10);
    assert_true (sim_wire_answer (scene_told (self->scene, ask), &answer));
    assert_true (answer.status == ANSWER_COMMITTED || answer.status == ANSWER_REFUSED);
    self->refused += answer.status == ANSWER_REFUSED;
    for (size_t i = 0; answer.status == ANSWER_COMMITTED && i < answer.placements_count; i++) {
        const sim_placement_t *placed = &answer.placements [i];
        if (strcmp (placed->site, "ams") != 0)
            continue;
        granted_t *one = &self->granted [self->granted_count++];
        *one = (granted_t){.from_ms = placed->from_ms,
                           .until_ms = placed->until_ms,
                           .nodes = (placed->cpus + CPUS - 1) / CPUS};
        snprintf (one->reservation, sizeof one->reservation, "%s", answer.reservation);
    }
}

static void week_ask (week_t *self)
{
    for (size_t at = 0; at < self->asked_count; at += AT_ONCE) {
        size_t asks [AT_ONCE], count = 0;
        while (count < AT_ONCE && at + count < self->asked_count) {
            asks [count] = request_send (self, &self->asked [at + count]);
            count++;
        }
        for (size_t i = 0; i < count; i++)
            answer_take (self, asks [i]);
    }
    scene_pass (self->scene, 60 * SECOND_PASSES); /* the batch system has heard of all */
}

/*  --- the judge --- */

static bool has_time (const recurring_t *one, uint32_t time, int64_t from_ms, int64_t until_ms)
{
    int64_t begins_ms = one->from_ms + (int64_t) time * one->period_ms;
    return begins_ms < until_ms && from_ms < begins_ms + one->lasts_ms;
}

/*  The nodes that others have at an instant of it. */
static unsigned others_nodes (int64_t from_ms, int64_t until_ms)
{
    unsigned nodes = 0;
    for (size_t i = 0; i < OTHERS; i++)
        for (uint32_t time = 0; time < others [i].times; time++)
            if (has_time (&others [i], time, from_ms, until_ms))
                nodes |= others [i].nodes;
    return nodes;
}

/*  More nodes are never had than as something begins. */
static void judge_instant (const week_t *self, int64_t at_ms)
{
    unsigned taken = (unsigned) __builtin_popcount (others_nodes (at_ms, at_ms + 1));
    for (size_t i = 0; i < self->granted_count; i++)
        if (self->granted [i].from_ms <= at_ms && at_ms < self->granted [i].until_ms)
            taken += self->granted [i].nodes;
    if (taken > SIM_BATCH_NODES)
        fail_msg ("%u of %d nodes are promised %" PRId64 " min after the load's begin", taken,
                  SIM_BATCH_NODES, (at_ms - START_MS) / MINUTE);
}

static void judge_promises (const week_t *self)
{
    for (size_t i = 0; i < self->granted_count; i++)
        judge_instant (self, self->granted [i].from_ms);
    for (size_t i = 0; i < OTHERS; i++)
        for (uint32_t time = 0; time < others [i].times; time++)
            judge_instant (self, others [i].from_ms + (int64_t) time * others [i].period_ms);
}

/*  Its nodes in the batch system, which may have it with fewer, or not at all: 0. */
static unsigned nodes_there (const week_t *self, const granted_t *granted)
{
    for (size_t i = 0; i < self->batch.reserved_count; i++) {
        const sim_reserved_t *one = &self->batch.reserved [i];
        unsigned nodes = 0;
        if (strcmp (one->name, granted->reservation) != 0)
            continue;
        for (size_t k = 0; k < SIM_BATCH_NODES; k++)
            nodes |= (unsigned) one->has [k] << k;
        assert_int_equal (one->from_ms, granted->from_ms);
        assert_int_equal (one->until_ms, granted->until_ms);
        assert_true ((uint32_t) __builtin_popcount (nodes) <= granted->nodes);
        return nodes;
    }
    return 0;
}

/*  Returns how many lack nodes there. */
static size_t judge_nodes (const week_t *self)
{
    size_t missing = 0, absent = 0;
    for (size_t i = 0; i < self->granted_count; i++) {
        const granted_t *one = &self->granted [i];
        unsigned nodes = nodes_there (self, one);
        absent += nodes == 0;
        missing += (uint32_t) __builtin_popcount (nodes) < one->nodes;
        if (nodes & others_nodes (one->from_ms, one->until_ms))
            fail_msg ("%s is over what others have", one->reservation);
        for (size_t k = 0; k < i; k++)
            if (self->granted [k].from_ms < one->until_ms &&
                one->from_ms < self->granted [k].until_ms &&
                nodes & nodes_there (self, &self->granted [k]))
                fail_msg ("%s and %s have a node in common", one->reservation,
                          self->granted [k].reservation);
    }
    assert_int_equal (self->batch.reserved_count, self->granted_count - absent + OTHERS);
    return missing;
}

/*  How many are between the times of one that recurs, and beside it at a time of it. */
static size_t granted_within (const week_t *self, int64_t from_ms, int64_t until_ms)
{
    size_t count = 0;
    for (size_t i = 0; i < self->granted_count; i++)
        count += self->granted [i].from_ms >= from_ms && self->granted [i].until_ms <= until_ms;
    return count;
}

static size_t granted_beside (const week_t *self, const recurring_t *one)
{
    size_t count = 0;
    for (size_t i = 0; i < self->granted_count; i++)
        for (uint32_t time = 0; time < one->times; time++)
            count += has_time (one, time, self->granted [i].from_ms, self->granted [i].until_ms);
    return count;
}

/*  Requests that ask for a start at that time of it first. */
static size_t wanted_in (const week_t *self, const recurring_t *one, uint32_t time)
{
    size_t count = 0;
    for (size_t i = 0; i < self->asked_count; i++)
        count += has_time (one, time, self->asked [i].earliest_ms, self->asked [i].earliest_ms + 1);
    return count;
}

static void judge_load (const week_t *self)
{
    const recurring_t *weekly = &others [0], *daily = &others [1];
    int64_t over_ms = weekly->from_ms + weekly->lasts_ms;
    int64_t second_ms = weekly->from_ms + weekly->period_ms;
    size_t first = wanted_in (self, weekly, 0), second = wanted_in (self, weekly, 1);
    size_t before = granted_within (self, START_MS, weekly->from_ms);
    size_t between = granted_within (self, over_ms, second_ms);
    size_t behind = granted_within (self, over_ms + weekly->period_ms, START_MS + 2 * LOAD);
    size_t beside = granted_beside (self, daily);
    print_message ("# %zu asked, %zu refused; %zu and %zu would begin in a weekly time\n",
                   self->asked_count, self->refused, first, second);
    print_message ("# %zu granted at ams: %zu before these, %zu between, %zu behind; %zu beside a "
                   "daily one\n",
                   self->granted_count, before, between, behind, beside);
    assert_true (first >= WANTED_LEAST && second >= WANTED_LEAST);
    assert_true (before > 0 && between > 0 && behind > 0);
    assert_true ((beside > 0) == (daily->nodes != ALL_NODES));
}

/*  At most one of lacking_one_of may lack nodes; 0: none may. */
static void week_play (uint64_t seed, unsigned daily_nodes, size_t lacking_one_of)
{
    others [1].nodes = daily_nodes;
    week_t *self = week_new (seed);
    requests_make (self, seed);
    week_ask (self);
    judge_promises (self);
    size_t missing = judge_nodes (self);
    judge_load (self);
    print_message ("# %zu lack nodes\n", missing);
    assert_true (missing * lacking_one_of <= self->granted_count);
    assert_true (missing == 0 || lacking_one_of > 0);
    week_end (self);
}

static void nothing_is_over_what_recurs_and_all_has_nodes (void **state)
{
    (void) state;
    for (uint64_t seed = 1; seed <= 3; seed++)
        week_play (seed, ALL_NODES, 0);
}

/*  There is room by counts, but the nodes that others have differ: naming.h. */
static void nor_where_others_have_some_of_the_nodes (void **state)
{
    (void) state;
    for (uint64_t seed = 1; seed <= 3; seed++)
        week_play (seed, HALF, 4);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (nothing_is_over_what_recurs_and_all_has_nodes),
      cmocka_unit_test (nor_where_others_have_some_of_the_nodes),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
