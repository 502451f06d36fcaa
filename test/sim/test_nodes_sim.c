/*  test_nodes_sim - a site's nodes and their agents under the simulated host. Both die at every
 *  effect; the network between them loses, doubles, reorders and cuts; the machines go on.
 *
 *  What must hold: no two tries of a task are ever active at once; no try begins that its site
 *  counts as over; no try runs that its site counts as lost; each end is told once, and is the end
 *  that the machine knows; when faults have ended, everything comes to an end.
 */
#include "sim_machine.h"

#include "agent.h"
#include "checks.h"
#include "member.h"
#include "must.h"
#include "nodes.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define AGENTS   3
#define TASKS    24
#define TRIES    4
#define TICK_MS  150
#define FAULTY   40000000  /* µs with faults */
#define WHOLE    120000000 /* µs until everything has come to an end */
#define SEED_ENV "MUSUBI_NODES_SEEDS"

/*  A task's record at its site: the number of the try, and whether that try is over. */
typedef struct {
    uint32_t number;
    run_state_t state; /* of the current try */
    bool placed;       /* a try of it was ever begun */
} nodes_sim_task_t;

/*  The site's core: nodes, and an owner that places tasks at random. */
typedef struct scene {
    sim_t *sim;
    sim_machines_t machines;
    sim_tally_t tally;
    int site;
    bool quiet; /* places nothing new */

    /*  Of the present life. */
    service_t *service;
    nodes_t *nodes;
    site_t described;
    access_t access;
    nodes_sim_task_t tasks [TASKS];

    /*  What was told over all lives, durable or not: the checks' own memory. */
    size_t ends [TASKS][TRIES + 1];
    size_t ended, refused, lost;
} nodes_sim_scene_t;

static run_id_t run_id (size_t task, uint32_t number)
{
    return (run_id_t){.task = {.bag = task + 1}, .number = number};
}

/*  --- the site --- */

static void task_store (nodes_sim_scene_t *self, size_t task)
{
    uint8_t key = (uint8_t) task;
    outbox_put (self->service->outbox, TABLE_TASKS, (bytes_t){&key, 1},
                (bytes_t){(const uint8_t *) &self->tasks [task], sizeof (nodes_sim_task_t)});
}

static void task_load (void *owner, bytes_t key, bytes_t value)
{
    nodes_sim_scene_t *self = owner;
    assert (key.size == 1 && key.data [0] < TASKS && value.size == sizeof (nodes_sim_task_t));
    memcpy (&self->tasks [key.data [0]], value.data, sizeof (nodes_sim_task_t));
}

static void check_end (nodes_sim_scene_t *self, const run_t *run)
{
    const sim_run_t *real = sim_machines_run (&self->machines, &run->id);
    char text [RUN_ID_TEXT_BYTES];
    run_id_text (&run->id, text);
    if (real && real->active)
        sim_fail (self->sim, "run %s is told over, and runs", text);
    if (run->state == RUN_ENDED && (!real || real->stand.report.state != RUN_ENDED ||
                                    real->stand.report.exit_code != run->exit_code))
        sim_fail (self->sim, "run %s has not ended as it is told", text);
    if (run->state == RUN_REFUSED && real && real->begun)
        sim_fail (self->sim, "run %s is told refused, and was begun", text);
}

static void on_run_moved (void *owner, const moment_t *now, const run_t *run)
{
    (void) now;
    nodes_sim_scene_t *self = owner;
    size_t task = run->id.task.bag - 1;
    nodes_sim_task_t *record = &self->tasks [task];
    if (!run_over (run->state))
        return;
    check_end (self, run);
    if (record->number != run->id.number || run_over (record->state))
        sim_fail (self->sim, "the end of task %zu is told twice", task);
    record->state = run->state;
    self->ends [task][run->id.number]++;
    self->ended += run->state == RUN_ENDED;
    self->refused += run->state == RUN_REFUSED;
    self->lost += run->state == RUN_LOST;
    task_store (self, task);
}

static void task_place (nodes_sim_scene_t *self, const moment_t *now, size_t task, size_t node)
{
    static const char *const arguments [] = {"/bin/true"};
    run_order_t order = {.arguments = arguments,
                         .arguments_count = 1,
                         .folder = "",
                         .output = "",
                         .errors = "",
                         .cpus = 1,
                         .limit_ms = 30000,
                         .cpu_limit_ms = 60000,
                         .account = "alice",
                         .owner = "alice",
                         .reservation = "",
                         .need = ""};
    nodes_sim_task_t *record = &self->tasks [task];
    *record = (nodes_sim_task_t){.number = record->number + 1, .state = RUN_PLACED, .placed = true};
    run_id_t id = run_id (task, record->number);
    nodes_start (self->nodes, now, node, &id, &order);
    task_store (self, task);
}

/*  Does something to a task: begins a try, begins another, warns it, or ends it. */
static void task_turn (nodes_sim_scene_t *self, const moment_t *now, size_t task)
{
    prng_t *prng = &self->service->prng;
    const nodes_sim_task_t *record = &self->tasks [task];
    run_id_t id = run_id (task, record->number);
    size_t node = prng_below (prng, AGENTS);
    bool waits = !record->placed || (run_over (record->state) && record->state != RUN_ENDED);
    if (waits && record->number < TRIES && !self->quiet && nodes_usable (self->nodes, node)) {
        task_place (self, now, task, node);
        if (prng_below (prng, 8) == 0) /* in the same step */
            nodes_end (self->nodes, now, &(run_id_t){id.task, record->number}, 500, "at once");
    } else if (!waits && prng_below (prng, 12) == 0) {
        nodes_warn (self->nodes, now, &id, 1000);
    } else if (!waits && prng_below (prng, 12) == 0) {
        nodes_end (self->nodes, now, &id, (int64_t) prng_below (prng, 1500), "told to");
    }
}

static void on_tick (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    nodes_sim_scene_t *self = owner;
    task_turn (self, now, prng_below (&self->service->prng, TASKS));
    timers_set (self->service->timers, now->mono_ms + TICK_MS, on_tick, self, 0);
}

/*  What was stored with one write is there as a whole, or not at all. */
static void on_start (void *owner, const moment_t *now)
{
    nodes_sim_scene_t *self = owner;
    for (size_t i = 0; i < TASKS; i++) {
        run_t run;
        run_id_t id = run_id (i, self->tasks [i].number);
        if (!self->tasks [i].placed)
            continue;
        if (!nodes_run (self->nodes, &id, &run) ||
            run_over (run.state) != run_over (self->tasks [i].state))
            sim_fail (self->sim, "task %zu and its run do not agree after a start", i);
    }
    on_tick (self, now, 0);
}

static void site_step (void *owner, const moment_t *now, const event_t *event)
{
    nodes_sim_scene_t *self = owner;
    service_step (self->service, now, event);
    nodes_check (self->nodes);
}

static bool site_next (void *owner, effect_t *effect)
{
    return service_next (((nodes_sim_scene_t *) owner)->service, effect);
}

static void site_destroy (void *owner)
{
    nodes_sim_scene_t *self = owner;
    nodes_destroy (&self->nodes);
    service_destroy (&self->service);
}

static void site_make (void *owner, core_t *core)
{
    static node_class_t classes [] = {{.name = "thin", .nodes = AGENTS, .cpus_per_node = 8}};
    static const node_place_t places [AGENTS] = {{.name = "n0"}, {.name = "n1"}, {.name = "n2"}};
    nodes_limits_t limits = {.attend_ms = 1000,
                             .silent_ms = 2500,
                             .lease_ms = 8000,
                             .lost_ms = 11200,
                             .output_bytes_max = 1000,
                             .runs_kept_ms = 3600000};
    nodes_sim_scene_t *self = owner;
    memset (self->tasks, 0, sizeof self->tasks);
    self->described = (site_t){.classes = classes, .classes_count = 1};
    self->service = member_new ("lis/ams", NULL, 0);
    self->nodes =
      nodes_new (self->service, &self->described, &self->access, places, AGENTS, &limits);
    nodes_observe (self->nodes, &(nodes_observer_t){.owner = self, .run_moved = on_run_moved});
    service_load (self->service, TABLE_TASKS, task_load, self);
    service_at_start (self->service, on_start, self);
    *core = (core_t){.self = self, .step = site_step, .next = site_next, .destroy = site_destroy};
}

/*  --- the agents --- */

typedef struct {
    const nodes_sim_scene_t *scene;
    char name [16];
} agent_program_t;

static void agent_make (void *owner, core_t *core)
{
    const agent_program_t *program = owner;
    const char *sites [] = {sim_address (program->scene->sim, program->scene->site)};
    agent_settings_t settings = SETTINGS_PRESET (agent_settings_t, &agent_table);
    settings.name = program->name;
    settings.class_name = "thin";
    settings.cpus = 8;
    settings.sites = sites;
    settings.sites_count = 1;
    settings.runs = "/runs";
    settings.look_ms = 500;
    settings.stubborn_ms = 2000;
    agent_core (&settings, core);
}

/*  --- checks --- */

static void check_begins (void *owner, int machine, const run_id_t *id, const run_order_t *order)
{
    (void) machine;
    (void) order;
    nodes_sim_scene_t *self = owner;
    char text [RUN_ID_TEXT_BYTES];
    run_id_text (id, text);
    size_t task = id->task.bag - 1;
    if (self->ends [task][id->number] > 0 && sim_up (self->sim, self->site) &&
        self->tasks [task].number == id->number && run_over (self->tasks [task].state))
        sim_fail (self->sim, "run %s begins, and its site has told its end", text);
    for (uint32_t number = 1; number <= TRIES; number++) {
        run_id_t other = run_id (task, number);
        const sim_run_t *run = sim_machines_run (&self->machines, &other);
        if (run && run->active)
            sim_fail (self->sim, "run %s begins while try %u of its task runs", text, number);
    }
}

static void check_settled (nodes_sim_scene_t *self)
{
    for (size_t i = 0; i < TASKS; i++)
        if (self->tasks [i].placed && !run_over (self->tasks [i].state))
            sim_fail (self->sim, "task %zu has not come to an end: state %d", i,
                      self->tasks [i].state);
    for (size_t i = 0; i < self->machines.runs_count; i++)
        if (self->machines.runs [i].active)
            sim_fail (self->sim, "run %s has not come to an end", self->machines.runs [i].name);
}

/*  --- runs of the scene --- */

static void faults_draw (nodes_sim_scene_t *self, prng_t *prng)
{
    sim_net_faults_t net = {.loss = (uint32_t) prng_below (prng, 100),
                            .doubling = (uint32_t) prng_below (prng, 100),
                            .reordering = (uint32_t) prng_below (prng, 100),
                            .delay = (uint32_t) prng_below (prng, 50),
                            .delay_ms_max = 4000,
                            .keep = 500};
    sim_faults_t faults = {.crash = (uint32_t) prng_below (prng, 120),
                           .crashes_max = 40,
                           .pause_ms_max = 1500,
                           .slow = 30};
    sim_net_set (sim_net (self->sim), &net);
    sim_fault (self->sim, &faults, &net);
    for (int agent = 1; agent <= AGENTS; agent++) {
        int64_t at_us = 2000000 + (int64_t) prng_below (prng, FAULTY / 2);
        switch (prng_below (prng, 4)) {
        case 0: /* cut off, some longer than it takes to count as lost */
            sim_net_cut (sim_net (self->sim), agent, self->site, prng_below (prng, 3) == 0, at_us,
                         at_us + 1000000 + (int64_t) prng_below (prng, 18000000));
            break;
        case 1: /* away for long */
            sim_kill (self->sim, agent, at_us, 1000 + (int64_t) prng_below (prng, 17000));
            break;
        case 2: /* both at once */
            sim_kill (self->sim, agent, at_us, 1000);
            sim_kill (self->sim, self->site, at_us, 500 + (int64_t) prng_below (prng, 15000));
            break;
        default:
            break;
        }
    }
}

static void on_quiet (void *owner, uint64_t token)
{
    (void) token;
    nodes_sim_scene_t *self = owner;
    self->quiet = true;
    sim_heal (self->sim);
}

static void scene_run (nodes_sim_scene_t *self, uint64_t seed, FILE *trace)
{
    static const sim_machines_faults_t machines = {
      .length_ms_max = 6000, .lasting = 250, .grace_ms = 3000, .refused = 30, .orphaned = 60};
    static const char *const names [AGENTS] = {"node/n0", "node/n1", "node/n2"};
    agent_program_t agents [AGENTS];
    prng_t prng;
    memset (self, 0, sizeof *self);
    prng_seed (&prng, seed);
    self->sim = sim_new (seed, &self->tally, trace);
    sim_machines_init (&self->machines, self->sim, seed + 77, &machines);
    self->machines.begins = check_begins;
    self->machines.owner = self;
    sim_worker (self->sim, sim_machines_work, &self->machines);
    self->site =
      sim_add (self->sim,
               &(sim_program_t){.name = "lis/ams", .make = site_make, .owner = self, .stays = true},
               &(sim_clock_t){.drift_ppm = 80}, SIM_NOBODY, 0);
    for (int i = 0; i < AGENTS; i++) {
        agents [i] = (agent_program_t){.scene = self};
        snprintf (agents [i].name, sizeof agents [i].name, "n%d", i);
        sim_add (self->sim,
                 &(sim_program_t){.name = names [i], .make = agent_make, .owner = &agents [i]},
                 &(sim_clock_t){.drift_ppm = -90 + 60 * i}, SIM_NOBODY, 1000 * (i + 1));
    }
    sim_run (self->sim, 500000);
    if (seed > 0)
        faults_draw (self, &prng);
    sim_at (self->sim, FAULTY, on_quiet, self, 0);
    sim_run (self->sim, WHOLE);
    if (!sim_failed (self->sim))
        check_settled (self);
}

static void scene_end (nodes_sim_scene_t *self)
{
    sim_destroy (&self->sim);
}

/*  --- tests --- */

static void without_faults_every_task_comes_to_its_end (void **state)
{
    (void) state;
    nodes_sim_scene_t *scene = must (malloc (sizeof *scene));
    scene_run (scene, 0, NULL);
    if (sim_failed (scene->sim))
        fail_msg ("%s", sim_why (scene->sim));
    assert_true (scene->ended >= TASKS / 2);
    scene_end (scene);
    free (scene);
}

static void with_faults_each_run_ends_once_as_it_is_told_or_is_lost (void **state)
{
    (void) state;
    const char *wanted = getenv (SEED_ENV);
    uint64_t seeds = wanted ? strtoull (wanted, NULL, 10) : 500;
    size_t ended = 0, refused = 0, lost = 0;
    uint64_t crashes = 0;
    nodes_sim_scene_t *scene = must (malloc (sizeof *scene));
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        scene_run (scene, seed, NULL);
        if (sim_failed (scene->sim))
            fail_msg ("seed %llu: %s", (unsigned long long) seed, sim_why (scene->sim));
        ended += scene->ended;
        refused += scene->refused;
        lost += scene->lost;
        crashes += scene->tally.counts [COUNT_CRASHES];
        scene_end (scene);
    }
    print_message ("seeds 1..%llu: crashes=%llu ended=%zu refused=%zu lost=%zu\n",
                   (unsigned long long) seeds, (unsigned long long) crashes, ended, refused, lost);
    assert_true (crashes > seeds);
    assert_true (ended > 5 * seeds);
    assert_true (refused > 0);
    assert_true (lost > 0);
    free (scene);
}

/*  test_nodes_sim SEED: one of them, step by step. */
static int replay (uint64_t seed)
{
    nodes_sim_scene_t *scene = must (malloc (sizeof *scene));
    scene_run (scene, seed, stdout);
    bool failed = sim_failed (scene->sim);
    printf ("%s\n", failed ? sim_why (scene->sim) : "all holds");
    scene_end (scene);
    free (scene);
    return failed;
}

int main (int argc, char **argv)
{
    if (argc > 1)
        return replay (strtoull (argv [1], NULL, 10));
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (without_faults_every_task_comes_to_its_end),
      cmocka_unit_test (with_faults_each_run_ends_once_as_it_is_told_or_is_lost),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
