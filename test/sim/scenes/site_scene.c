/*  site_scene - the world, its faults and its checks. */
#include "site_scene.h"
#include "participant.h"

#include "agent.h"
#include "checks.h"
#include "hasty_runner.h"
#include "lis.h"
#include "must.h"
#include "sim_machine.h"
#include "sim_patron.h"
#include "task_checks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THIN        3
#define FAT         1
#define AGENTS      (THIN + FAT)
#define CPUS_MAX    8         /* of a node */
#define LATE_US     15000000  /* until runs begin soon after they were placed, without faults */
#define LINK_MBPS   16        /* of storage nodes */
#define FAULTY_US   40000000  /* how long there are faults */
#define WHOLE_US    400000000 /* how long until everything must have come to an end */
#define TURN_US     500000    /* between two looks whether it has ended */
#define CLOCKS_MS   50        /* how far the clocks here may differ */
#define SITE_LEAD   1000
#define LEASE_GRACE 3000

typedef struct {
    const struct scene *scene;
    char name [8];
    const char *class_name;
    uint32_t cpus;
} site_scene_node_program_t;

typedef struct scene {
    sim_t *sim;
    sim_tally_t *tally;
    sim_machines_t machines;
    sim_patron_t patron;
    site_scene_node_program_t nodes [AGENTS];
    int site;
    int first_node;
    core_t site_core; /* of its present life */
    bool files;       /* tasks have some */
    sim_storage_t storage;
    task_checks_t task_checks;
    node_class_t classes [2];
    uint32_t cpus [AGENTS];
} site_scene_t;

/*  --- checks --- */

static void check_end (void *owner, const moment_t *now, const run_t *run)
{
    (void) now;
    site_scene_t *self = owner;
    const sim_run_t *real = sim_machines_run (&self->machines, &run->id);
    char text [RUN_ID_TEXT_BYTES];
    run_id_text (&run->id, text);
    if (!run_over (run->state))
        return;
    const sim_told_task_t *told = sim_patron_told (&self->patron, &run->id);
    if (told && (told->tries > run->id.number ||
                 (told->tries == run->id.number && sim_task_over (told->state))))
        sim_fail (self->sim, "the end of run %s is told twice", text);
    if (real && real->active)
        sim_fail (self->sim, "run %s is told over, and runs", text);
    if (run->state == RUN_ENDED && (!real || real->stand.report.state != RUN_ENDED ||
                                    real->stand.report.exit_code != run->exit_code))
        sim_fail (self->sim, "run %s has not ended as it is told", text);
    if (run->state == RUN_REFUSED && real && real->begun)
        sim_fail (self->sim, "run %s is told refused, and was begun", text);
    if (run->state == RUN_LOST && *run->why == '\0')
        sim_fail (self->sim, "run %s is told lost, and not why", text);
}

/*  What its owner knows of a task that is about to run. */
static void check_told (site_scene_t *self, const run_id_t *id, const char *text)
{
    const sim_told_task_t *told = sim_patron_told (&self->patron, id);
    if (told && sim_task_over (told->state))
        sim_fail (self->sim, "run %s begins, and its task was told to be over", text);
    if (told && told->tries > id->number)
        sim_fail (self->sim, "run %s begins, and a later try was told", text);
}

static void check_time (site_scene_t *self, const run_order_t *order, const char *text)
{
    const patron_reservation_t *reservation;
    int64_t now_ms = SIM_EPOCH_MS + sim_now_us (self->sim) / 1000;
    if (*order->reservation == '\0')
        return;
    if (!sim_patron_reservation (&self->patron, order->reservation, &reservation))
        sim_fail (self->sim, "run %s is of a reservation that nobody made", text);
    else if (now_ms + CLOCKS_MS < reservation->from_ms)
        sim_fail (self->sim, "run %s of reservation %s begins %" PRId64 " ms before its time", text,
                  reservation->name, reservation->from_ms - now_ms);
}

/*  What else runs: of the same task, or of another reservation at the same machine; and how many
 *  CPUs. */
static void check_others (site_scene_t *self, int machine, const run_id_t *id,
                          const run_order_t *order, const char *text)
{
    uint32_t cpus = order->cpus;
    for (size_t i = 0; i < self->machines.runs_count; i++) {
        const sim_run_t *other = &self->machines.runs [i];
        if (!other->active || run_id_compare (&other->id, id) == 0)
            continue;
        if (other->machine == machine && other->aside)
            cpus -= other->cpus;
        if (other->id.task.bag == id->task.bag && other->id.task.index == id->task.index)
            sim_fail (self->sim, "run %s begins while try %u of its task runs", text,
                      other->id.number);
        if (other->machine != machine)
            continue;
        cpus += other->cpus;
        if (*order->reservation && *other->reservation &&
            strcmp (order->reservation, other->reservation) != 0)
            sim_fail (self->sim, "run %s of %s begins where something of %s runs", text,
                      order->reservation, other->reservation);
    }
    if (cpus > self->nodes [machine - self->first_node].cpus)
        sim_fail (self->sim, "run %s begins, and its machine has not that many CPUs", text);
}

static void check_begins (void *owner, int machine, const run_id_t *id, const run_order_t *order)
{
    site_scene_t *self = owner;
    char text [RUN_ID_TEXT_BYTES];
    run_id_text (id, text);
    check_told (self, id, text);
    check_time (self, order, text);
    check_others (self, machine, id, order, text);
}

/*  --- when everything has come to its end --- */

static void check_task (site_scene_t *self, const patron_bag_t *bag, uint32_t index)
{
    const sim_told_task_t *told = &bag->tasks [index];
    run_id_t id = {.task = {.bag = bag->number, .index = index}, .number = told->tries};
    const sim_run_t *last = told->tries > 0 ? sim_machines_run (&self->machines, &id) : NULL;
    char text [RUN_ID_TEXT_BYTES];
    run_id_text (&id, text);
    if (told->state == TOLD_ENDED && (!last || last->stand.report.state != RUN_ENDED ||
                                      last->stand.report.exit_code != told->exit_code))
        sim_fail (self->sim, "task %s has not ended as it is told", text);
    int64_t ran_ms = last ? last->stand.report.ended_ms - last->stand.report.started_ms : 0;
    bool late = !last || last->begun_us < FAULTY_US + LATE_US; /* its site counts from before */
    if (told->limit && !late && last->suspensions > 0 &&
        ran_ms - last->stood_us / 1000 + CLOCKS_MS < bag->asked.limit_ms)
        sim_fail (self->sim, "task %s was ended at its limit, and had run for %" PRId64 " ms", text,
                  ran_ms - last->stood_us / 1000);
    id.number = told->tries + 1;
    if (sim_machines_run (&self->machines, &id))
        sim_fail (self->sim, "task %s has one try more than is told", text);
    if (told->state == TOLD_CANCELLED && !bag->cancelled && *bag->asked.reservation == '\0')
        sim_fail (self->sim, "task %s is cancelled, and nobody wanted that", text);
    if (told->state == TOLD_CANCELLED && last && last->begun && !bag->asked.requeue)
        sim_fail (self->sim, "task %s was cancelled before it began, and it did", text);
    self->tally->counts [COUNT_TASKS]++;
    self->tally->counts [COUNT_TASKS_LOST] += told->state == TOLD_LOST;
}

static void check_openings (site_scene_t *self)
{
    opening_t opening;
    for (size_t i = 0; i < self->patron.reservations_count; i++) {
        const patron_reservation_t *one = &self->patron.reservations [i];
        self->tally->counts [COUNT_OPENED] += one->commands [STEP_MAKE].state == COMMAND_DONE;
        if (openings_find (((const lis_t *) self->site_core.self)->runner->openings, one->name,
                           &opening) &&
            opening.phase != OPENING_OVER)
            sim_fail (self->sim, "reservation %s is %s, long after its end", one->name,
                      opening_states.states [opening.phase]);
    }
}

static void check_settled (site_scene_t *self)
{
    char why [LONG_WHY_BYTES];
    if (!sim_patron_settled (&self->patron, why)) {
        sim_fail (self->sim, "%s", why);
        return;
    }
    for (size_t i = 0; i < self->patron.bags_count; i++) {
        const patron_bag_t *bag = &self->patron.bags [i];
        for (uint32_t k = 0; k < bag->asked.count && bag->number > 0; k++)
            check_task (self, bag, k);
    }
    for (size_t i = 0; i < self->machines.runs_count; i++) {
        const sim_run_t *run = &self->machines.runs [i];
        self->tally->counts [COUNT_RUNS] += run->begun;
        if (run->active)
            sim_fail (self->sim, "run %s has not come to an end", run->name);
    }
    check_openings (self);
    if (self->files)
        task_checks_settled (&self->task_checks);
}

/*  --- the site --- */

static void site_step (void *owner, const moment_t *now, const event_t *event)
{
    site_scene_t *self = owner;
    self->site_core.step (self->site_core.self, now, event);
    if (event->kind != EVENT_RECORD) /* until all nodes are there they may disagree */
        site_check (&self->site_core);
}

static bool site_next (void *owner, effect_t *effect)
{
    site_scene_t *self = owner;
    return self->site_core.next (self->site_core.self, effect);
}

static void site_destroy (void *owner)
{
    site_scene_t *self = owner;
    self->site_core.destroy (self->site_core.self);
    self->site_core = (core_t){0};
}

/*  Tasks that lack a file are data-bound, and lose patience soon. */
static void site_files_set (const site_scene_t *self, runner_settings_t *runner,
                            lis_settings_t *settings)
{
    runner->queue.data_bound = 1000000;
    runner->queue.input_rate = 1000000;
    runner->queue.patience_ms = 12000;
    settings->provider.gis_endpoints = self->storage.gis_endpoints;
    settings->provider.gis_count = 1;
}

static void site_make (void *owner, core_t *core)
{
    static const char *const accounts [] = {"alice"};
    static const char *const administrators [] = {"root"};
    static const char *const nowhere [] = {NULL};
    site_scene_t *self = owner;
    static node_place_t places [AGENTS] = {
      {.name = "thin-1"}, {.name = "thin-2"}, {.name = "thin-3"}, {.name = "fat-1", .class = 1}};
    runner_settings_t runner;
    hasty_runner (&runner, places, AGENTS);
    lis_settings_t settings = {
      .provider.name = "lis/ams",
      .site = {.classes = self->classes,
               .classes_count = 2,
               .lead_ms = SITE_LEAD,
               .horizon_ms = 24 * INT64_C (3600000),
               .cleaning_gap_ms = 700},
      .provider.access = {accounts, 1, administrators, 1},
      .provider.participant = SETTINGS_PRESET (participant_limits_t, &participant_table),
      .provider.limits = SETTINGS_PRESET (lis_settings_t, &lis_table).provider.limits,
      .plus = SETTINGS_PRESET (plus_limits_t, &plus_table),
      .provider.gis_endpoints = nowhere,
      .runner = &runner,
    };
    settings.provider.participant.doubt_ms = 500;
    if (self->files)
        site_files_set (self, &runner, &settings);
    lis_core (&settings, &self->site_core);
    nodes_observe (((const lis_t *) self->site_core.self)->runner->nodes,
                   &(nodes_observer_t){.owner = self, .run_moved = check_end});
    *core = (core_t){.self = self, .step = site_step, .next = site_next, .destroy = site_destroy};
}

static void node_make (void *owner, core_t *core)
{
    const site_scene_node_program_t *program = owner;
    const char *sites [] = {sim_address (program->scene->sim, program->scene->site)};
    agent_settings_t settings = SETTINGS_PRESET (agent_settings_t, &agent_table);
    settings.name = program->name;
    settings.class_name = program->class_name;
    settings.cpus = program->cpus;
    settings.sites = sites;
    settings.sites_count = 1;
    settings.runs = "/runs";
    settings.look_ms = 500;
    settings.stubborn_ms = 2000;
    if (program->scene->files) {
        settings.storage = program->name;
        settings.arrivals = "/arrivals"; /* each on its own disk */
    }
    agent_core (&settings, core);
}

/*  --- faults --- */

static void some_trouble (site_scene_t *self, prng_t *prng, int node)
{
    int64_t at_us = sim_now_us (self->sim) + 2500000 + (int64_t) prng_below (prng, FAULTY_US / 2);
    int64_t long_ms = 1000 + (int64_t) prng_below (prng, 17000);
    switch (prng_below (prng, 5)) {
    case 0: /* cut off, some longer than it takes to count as lost */
        sim_net_cut (sim_net (self->sim), node, self->site, prng_below (prng, 3) == 0, at_us,
                     at_us + 1000 * long_ms);
        break;
    case 1:
        sim_kill (self->sim, node, at_us, long_ms);
        break;
    case 2: /* both at once */
        sim_kill (self->sim, node, at_us, 1000);
        sim_kill (self->sim, self->site, at_us, long_ms);
        break;
    default:
        break;
    }
}

/*  Which faults there are at all is drawn before how many: a schedule that has all of them seldom
 *  gets anywhere. */
static void faults_draw (site_scene_t *self, prng_t *prng)
{
    bool messages = prng_below (prng, 3) > 0, deaths = prng_below (prng, 4) > 0;
    sim_net_faults_t net = {.delay_ms_max = 4000, .keep = 500};
    if (messages) {
        net.loss = (uint32_t) prng_below (prng, 100);
        net.doubling = (uint32_t) prng_below (prng, 100);
        net.reordering = (uint32_t) prng_below (prng, 100);
        net.delay = (uint32_t) prng_below (prng, 50);
    }
    sim_faults_t faults = {.crash = deaths ? (uint32_t) prng_below (prng, 120) : 0,
                           .crashes_max = 40,
                           .pause_ms_max = 1500,
                           .slow = 30};
    sim_net_set (sim_net (self->sim), &net);
    sim_fault (self->sim, &faults, &net);
    for (int i = 0; i < AGENTS; i++)
        some_trouble (self, prng, self->first_node + i);
    if (self->files)
        task_checks_faults (&self->task_checks, FAULTY_US);
}

static void on_quiet (void *owner, uint64_t token)
{
    (void) token;
    site_scene_t *self = owner;
    self->patron.quiet = true;
    sim_heal (self->sim);
}

/*  --- a run of it --- */

static const char *const names [AGENTS] = {"node/thin-1", "node/thin-2", "node/thin-3",
                                           "node/fat-1"};

/*  Storage nodes with more or less room, some too little for all files. */
static void storage_begin (site_scene_t *self, uint64_t seed)
{
    sim_storage_t *storage = &self->storage;
    prng_t prng;
    prng_seed (&prng, seed + 7777);
    *storage = (sim_storage_t){.sim = self->sim,
                               .flows = sim_flows_new (self->sim, seed + 91, LINK_MBPS),
                               .nodes_count = AGENTS,
                               .files_count = SIM_STORAGE_FILES_MAX};
    if (prng_below (&prng, 2) == 0)
        sim_flows_mark (storage->flows);
    for (size_t i = 0; i < storage->files_count; i++)
        storage->sizes [i] = 1000000 + prng_below (&prng, 7000000);
    for (size_t i = 0; i < AGENTS; i++) {
        snprintf (storage->nodes [i].name, sizeof storage->nodes [i].name, "%s",
                  names [i] + strlen ("node/"));
        storage->nodes [i].bytes_max = 6000000 + prng_below (&prng, 30000000);
    }
    self->patron.files = storage->files_count;
    self->task_checks = (task_checks_t){.sim = self->sim,
                                        .tally = self->tally,
                                        .storage = storage,
                                        .machines = &self->machines,
                                        .patron = &self->patron,
                                        .cpus = self->cpus,
                                        .prng = prng};
    task_checks_begin (&self->task_checks);
    sim_storage_begin (storage);
}

static void cpus_draw (site_scene_t *self, uint64_t seed)
{
    prng_t prng;
    prng_seed (&prng, seed + 8888);
    self->patron.thin_cpus = 1 + (uint32_t) prng_below (&prng, CPUS_MAX);
    self->patron.fat_cpus = 1 + (uint32_t) prng_below (&prng, CPUS_MAX);
    for (size_t i = 0; i < AGENTS; i++)
        self->cpus [i] = i < THIN ? self->patron.thin_cpus : self->patron.fat_cpus;
    self->classes [0] = (node_class_t){
      .name = "thin", .nodes = THIN, .cpus_per_node = self->patron.thin_cpus, .price = 1};
    self->classes [1] = (node_class_t){
      .name = "fat", .nodes = FAT, .cpus_per_node = self->patron.fat_cpus, .price = 1};
}

static void processes_add (site_scene_t *self)
{
    int64_t from_us = sim_now_us (self->sim);
    self->site =
      sim_add (self->sim,
               &(sim_program_t){.name = "lis/ams", .make = site_make, .owner = self, .stays = true},
               &(sim_clock_t){.drift_ppm = 80}, SIM_NOBODY, from_us);
    for (int i = 0; i < AGENTS; i++) {
        bool thin = i < THIN;
        self->nodes [i] = (site_scene_node_program_t){
          .scene = self, .class_name = thin ? "thin" : "fat", .cpus = self->cpus [i]};
        snprintf (self->nodes [i].name, sizeof self->nodes [i].name, "%s",
                  names [i] + strlen ("node/"));
        self->patron.nodes [i] = self->nodes [i].name;
        int number = sim_add (
          self->sim,
          &(sim_program_t){.name = names [i], .make = node_make, .owner = &self->nodes [i]},
          &(sim_clock_t){.drift_ppm = -90 + 60 * i}, SIM_NOBODY, from_us + 1000 * (i + 1));
        self->first_node = i == 0 ? number : self->first_node;
    }
    self->patron.nodes_count = AGENTS;
    sim_add (self->sim,
             &(sim_program_t){.name = "planner/p", .make = sim_patron_make, .owner = &self->patron},
             &(sim_clock_t){.drift_ppm = 10}, SIM_NOBODY, from_us + 300000);
}

static void scene_play (site_scene_t *self, uint64_t seed, FILE *trace)
{
    static const sim_machines_faults_t machines = {.length_ms_max = 6000,
                                                   .lasting = 200,
                                                   .grace_ms = LEASE_GRACE,
                                                   .refused = 20,
                                                   .orphaned = 30};
    prng_t prng;
    prng_seed (&prng, seed);
    self->sim = sim_new (seed, self->tally, trace);
    sim_machines_init (&self->machines, self->sim, seed + 77, &machines);
    self->machines.begins = check_begins;
    self->machines.owner = self;
    sim_worker (self->sim, sim_machines_work, &self->machines);
    self->patron.sim = self->sim;
    prng_seed (&self->patron.prng, seed + 777);
    cpus_draw (self, seed);
    if (self->files)
        storage_begin (self, seed);
    processes_add (self);
    self->patron.site = self->site;
    self->patron.machines = &self->machines;
    self->task_checks.first_node = self->first_node;
    sim_run (self->sim, sim_now_us (self->sim) + 500000);
    faults_draw (self, &prng);
    sim_at (self->sim, FAULTY_US, on_quiet, self, 0);
    sim_run (self->sim, FAULTY_US + 15000000);
    char why [LONG_WHY_BYTES];
    while (!sim_failed (self->sim) && sim_now_us (self->sim) < (self->files ? 2 : 1) * WHOLE_US &&
           !sim_patron_settled (&self->patron, why))
        sim_run (self->sim, sim_now_us (self->sim) + TURN_US);
    sim_run (self->sim, sim_now_us (self->sim) + 2000 * HASTY_LOST_MS);
    if (!sim_failed (self->sim))
        check_settled (self);
}

bool site_scene_run (uint64_t seed, bool files, sim_tally_t *tally, FILE *trace,
                     char why [LONG_WHY_BYTES])
{
    site_scene_t *self = must (calloc (1, sizeof *self));
    self->tally = tally;
    self->files = files;
    scene_play (self, seed, trace);
    bool held = !sim_failed (self->sim);
    if (!held)
        sim_text (why, LONG_WHY_BYTES, sim_why (self->sim));
    tally->counts [COUNT_SCHEDULES]++;
    tally->counts [COUNT_STEPS] += sim_steps (self->sim);
    sim_destroy (&self->sim);
    sim_flows_destroy (&self->storage.flows);
    sim_storage_end ();
    free (self);
    return held;
}
