/*  batch_scene - the world, its faults and its checks. */
#include "batch_scene.h"
#include "participant.h"

#include "agent.h"
#include "checks.h"
#include "hasty_runner.h"
#include "lis.h"
#include "must.h"
#include "sim_batch.h"
#include "sim_patron.h"
#include "task_checks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THIN      3
#define FAULTY_US 40000000  /* how long there are faults */
#define WHOLE_US  400000000 /* how long until everything must have come to an end */
#define TURN_US   500000    /* between two looks whether it has ended */
#define CLOCKS_MS 50        /* how far the clocks here may differ */
#define SITE_LEAD 1000
#define LINK_MBPS 16 /* of the storage node */

typedef struct scene {
    sim_t *sim;
    sim_tally_t *tally;
    sim_machines_t machines; /* only their runs, and the check before one begins */
    sim_batch_t batch;
    sim_patron_t patron;
    int site;
    core_t site_core; /* of its present life */
    bool files;       /* tasks have some */
    sim_storage_t storage;
    task_checks_t task_checks;
} batch_scene_t;

static const runner_t *runner_of (const batch_scene_t *self)
{
    return ((const lis_t *) self->site_core.self)->runner;
}

/*  --- checks --- */

static void check_end (void *owner, const moment_t *now, const run_t *run)
{
    (void) now;
    batch_scene_t *self = owner;
    const sim_run_t *real = sim_machines_run (&self->machines, &run->id);
    char text [RUN_ID_TEXT_BYTES];
    run_id_text (&run->id, text);
    if (!run_over (run->state))
        return;
    if (real && real->active)
        sim_fail (self->sim, "run %s is told over, and runs", text);
    if (run->state == RUN_ENDED && (!real || real->stand.report.state != RUN_ENDED ||
                                    real->stand.report.exit_code != run->exit_code))
        sim_fail (self->sim, "run %s has not ended as it is told", text);
    if (run->state == RUN_REFUSED && real && real->begun)
        sim_fail (self->sim, "run %s is told refused, and was begun", text);
    if (run->state == RUN_LOST && (!real || real->stand.report.state != RUN_LOST))
        sim_fail (self->sim, "run %s is told lost, and the batch system has not lost it: %s", text,
                  run->why);
}

static void check_time (batch_scene_t *self, const run_order_t *order, const char *text)
{
    const patron_reservation_t *reservation;
    int64_t now_ms = SIM_EPOCH_MS + sim_now_us (self->sim) / 1000;
    if (*order->reservation == '\0')
        return;
    if (!sim_patron_reservation (&self->patron, order->reservation, &reservation))
        sim_fail (self->sim, "run %s is of a reservation that nobody made", text);
    else if (now_ms + CLOCKS_MS < reservation->from_ms)
        sim_fail (self->sim, "run %s of %s begins %" PRId64 " ms before its time", text,
                  reservation->name, reservation->from_ms - now_ms);
}

static void check_begins (void *owner, int node, const run_id_t *id, const run_order_t *order)
{
    batch_scene_t *self = owner;
    char text [RUN_ID_TEXT_BYTES];
    run_id_text (id, text);
    check_time (self, order, text);
    const sim_told_task_t *told = sim_patron_told (&self->patron, id);
    if (told && (sim_task_over (told->state) || told->tries > id->number))
        sim_fail (self->sim, "run %s begins, and its task was told to be over or tried again",
                  text);
    for (size_t i = 0; i < self->machines.runs_count; i++) {
        const sim_run_t *other = &self->machines.runs [i];
        if (!other->active || run_id_compare (&other->id, id) == 0)
            continue;
        if (other->id.task.bag == id->task.bag && other->id.task.index == id->task.index)
            sim_fail (self->sim, "run %s begins while try %u of its task runs", text,
                      other->id.number);
        if (self->batch.jobs [i].node == (size_t) node && *order->reservation &&
            *other->reservation && strcmp (order->reservation, other->reservation) != 0)
            sim_fail (self->sim, "run %s of %s begins where something of %s runs", text,
                      order->reservation, other->reservation);
    }
}

static void check_bound (batch_scene_t *self)
{
    const runner_t *runner = runner_of (self);
    for (size_t i = 0; i < SIM_BATCH_NODES; i++) {
        size_t node;
        if (!nodes_find (runner->nodes, self->batch.nodes [i].name, &node))
            continue;
        const char *holder = openings_of_node (runner->openings, node);
        opening_t opening;
        const sim_reserved_t *other = holder && openings_find (runner->openings, holder, &opening)
                                        ? sim_batch_other (&self->batch, i, holder, opening.from_ms)
                                        : NULL;
        if (other)
            sim_fail (self->sim, "node %s is bound to %s, and still reserved for %s",
                      self->batch.nodes [i].name, holder, other->name);
    }
}

/*  A node that others have at a time of theirs is not free then. */
static void check_booked (batch_scene_t *self)
{
    const runner_t *runner = runner_of (self);
    const batch_picture_t *picture = nodes_picture (runner->nodes);
    const free_capacity_t *room = runner->provider->room;
    for (size_t i = 0; picture && i < picture->bookings_count; i++) {
        const batch_booking_t *booking = &picture->bookings [i];
        size_t node, time = 0;
        interval_t over;
        if (!nodes_find (runner->nodes, booking->nodes [0], &node))
            continue;
        site_node_t place = nodes_at (runner->nodes, node);
        if (place.state == AGENT_LOST || place.drained)
            continue;
        while (batch_booking_next (booking, &time, &over.from, &over.until))
            if (free_capacity_least (room, place.class, over, NULL) >=
                (int64_t) free_capacity_offer (room, place.class)->quantity)
                sim_fail (self->sim, "node %s is free, and booked as %s", place.name,
                          booking->name);
    }
}

/*  --- when everything has come to its end --- */

static void check_task (batch_scene_t *self, const patron_bag_t *bag, uint32_t index)
{
    const sim_told_task_t *told = &bag->tasks [index];
    run_id_t id = {.task = {.bag = bag->number, .index = index}, .number = told->tries};
    const sim_run_t *last = told->tries > 0 ? sim_machines_run (&self->machines, &id) : NULL;
    char text [RUN_ID_TEXT_BYTES];
    run_id_text (&id, text);
    if (told->state == TOLD_ENDED && (!last || last->stand.report.state != RUN_ENDED ||
                                      last->stand.report.exit_code != told->exit_code))
        sim_fail (self->sim, "task %s has not ended as it is told", text);
    id.number = told->tries + 1;
    if (sim_machines_run (&self->machines, &id))
        sim_fail (self->sim, "task %s has one try more than is told", text);
    if (told->state == TOLD_CANCELLED && !bag->cancelled && *bag->asked.reservation == '\0')
        sim_fail (self->sim, "task %s is cancelled, and nobody wanted that", text);
    self->tally->counts [COUNT_TASKS]++;
    self->tally->counts [COUNT_TASKS_LOST] += told->state == TOLD_LOST;
}

static void check_over (batch_scene_t *self)
{
    opening_t opening;
    for (size_t i = 0; i < self->patron.reservations_count; i++) {
        const patron_reservation_t *one = &self->patron.reservations [i];
        if (openings_find (runner_of (self)->openings, one->name, &opening) &&
            opening.phase != OPENING_OVER)
            sim_fail (self->sim, "reservation %s is %s, long after its end", one->name,
                      opening_states.states [opening.phase]);
    }
    for (size_t i = 0; i < self->batch.reserved_count; i++)
        if (!self->batch.reserved [i].others)
            sim_fail (self->sim, "reservation %s is left in the batch system",
                      self->batch.reserved [i].name);
    self->tally->counts [COUNT_OPENED] += self->batch.prepared;
}

static void check_settled (batch_scene_t *self)
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
        if (run->active || self->batch.jobs [i].known)
            sim_fail (self->sim, "job %s has not come to an end", run->name);
    }
    check_over (self);
    if (self->files)
        task_checks_settled (&self->task_checks);
}

/*  --- the site --- */

static void site_step (void *owner, const moment_t *now, const event_t *event)
{
    batch_scene_t *self = owner;
    self->site_core.step (self->site_core.self, now, event);
    if (event->kind == EVENT_RECORD) /* until all nodes are there they may disagree */
        return;
    site_check (&self->site_core);
    check_bound (self);
    check_booked (self);
}

static bool site_next (void *owner, effect_t *effect)
{
    batch_scene_t *self = owner;
    return self->site_core.next (self->site_core.self, effect);
}

static void site_destroy (void *owner)
{
    batch_scene_t *self = owner;
    self->site_core.destroy (self->site_core.self);
    self->site_core = (core_t){0};
}

static void site_make (void *owner, core_t *core)
{
    static node_class_t classes [] = {
      {.name = "thin", .nodes = THIN, .cpus_per_node = 4, .price = 1},
      {.name = "fat", .nodes = 1, .cpus_per_node = 8, .price = 1}};
    static const char *const accounts [] = {"alice"};
    static const char *const administrators [] = {"root"};
    static const char *const nowhere [] = {NULL};
    static node_place_t places [SIM_BATCH_NODES + 1] = {{.name = "thin-1"},
                                                        {.name = "thin-2"},
                                                        {.name = "thin-3"},
                                                        {.name = "fat-1", .class = 1},
                                                        {.name = "slurm", .class = 2}};
    static account_t charging [] = {
      {.actor = "alice", .account = "alice", .charged = "physics", .section = "accounts/climate"}};
    batch_scene_t *self = owner;
    runner_settings_t runner;
    hasty_runner (&runner, places, SIM_BATCH_NODES + 1);
    runner.batch = true;
    runner.openings.lend_ms = runner.openings.release_ms = 0;
    runner.openings.watch_ms = 1000;
    runner.openings.ahead = 8;
    runner.accounts = charging;
    runner.back_end = (back_end_limits_t){.retry_ms = 300, .retry_ms_max = 2000};
    runner.queue.handed_max = 8;
    lis_settings_t settings = {
      .provider.name = "lis/ams",
      .site = {.classes = classes,
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
    if (self->files) {
        runner.queue.patience_ms = 12000;
        settings.provider.gis_endpoints = self->storage.gis_endpoints;
        settings.provider.gis_count = 1;
    }
    lis_core (&settings, &self->site_core);
    nodes_observe (runner_of (self)->nodes,
                   &(nodes_observer_t){.owner = self, .run_moved = check_end});
    *core = (core_t){.self = self, .step = site_step, .next = site_next, .destroy = site_destroy};
}

static void agent_make (void *owner, core_t *core)
{
    const batch_scene_t *self = owner;
    const char *sites [] = {sim_address (self->sim, self->site)};
    agent_settings_t settings = SETTINGS_PRESET (agent_settings_t, &agent_table);
    settings.name = "slurm";
    settings.class_name = "";
    settings.batch = true;
    settings.sites = sites;
    settings.sites_count = 1;
    settings.runs = "/runs";
    settings.look_ms = 500;
    settings.machine_ms = 400;
    settings.limit_ms = 1500;
    settings.stubborn_ms = 2000;
    if (self->files) {
        settings.storage = self->storage.nodes [0].name;
        settings.arrivals = "/arrivals";
    }
    agent_core (&settings, core);
}

/*  --- faults --- */

static void some_trouble (batch_scene_t *self, prng_t *prng, int agent)
{
    int64_t at_us = sim_now_us (self->sim) + 2500000 + (int64_t) prng_below (prng, FAULTY_US / 2);
    int64_t long_ms = 1000 + (int64_t) prng_below (prng, 17000);
    switch (prng_below (prng, 4)) {
    case 0: /* cut off, longer than a node of its own would count as lost */
        sim_net_cut (sim_net (self->sim), agent, self->site, prng_below (prng, 3) == 0, at_us,
                     at_us + 1000 * long_ms);
        break;
    case 1:
        sim_kill (self->sim, agent, at_us, long_ms);
        break;
    case 2: /* both at once */
        sim_kill (self->sim, agent, at_us, 1000);
        sim_kill (self->sim, self->site, at_us, long_ms);
        break;
    default:
        break;
    }
}

static void faults_draw (batch_scene_t *self, prng_t *prng, int agent)
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
                           .slow = 30,
                           .work_ms_max = prng_below (prng, 3) == 0 ? 3000 : 200};
    sim_net_set (sim_net (self->sim), &net);
    sim_fault (self->sim, &faults, &net);
    some_trouble (self, prng, agent);
    sim_batch_trouble (&self->batch, FAULTY_US);
    if (self->files)
        task_checks_faults (&self->task_checks, FAULTY_US);
}

static void on_quiet (void *owner, uint64_t token)
{
    (void) token;
    batch_scene_t *self = owner;
    self->patron.quiet = true;
    sim_heal (self->sim);
    sim_batch_heal (&self->batch);
}

/*  --- a run of it --- */

/*  One storage node for all, with more or less room. */
static void batch_storage_begin (batch_scene_t *self, uint64_t seed)
{
    sim_storage_t *storage = &self->storage;
    prng_t prng;
    prng_seed (&prng, seed + 7777);
    *storage = (sim_storage_t){.sim = self->sim,
                               .flows = sim_flows_new (self->sim, seed + 91, LINK_MBPS),
                               .nodes = {{.name = "disk-1"}},
                               .nodes_count = 1,
                               .files_count = SIM_STORAGE_FILES_MAX};
    storage->nodes [0].bytes_max = 6000000 + prng_below (&prng, 60000000);
    for (size_t i = 0; i < storage->files_count; i++)
        storage->sizes [i] = 1000000 + prng_below (&prng, 7000000);
    self->patron.files = storage->files_count;
    self->task_checks = (task_checks_t){.sim = self->sim,
                                        .tally = self->tally,
                                        .storage = storage,
                                        .machines = &self->machines,
                                        .batch = &self->batch,
                                        .patron = &self->patron,
                                        .prng = prng};
    task_checks_begin (&self->task_checks);
    sim_storage_begin (storage);
}

static int processes_add (batch_scene_t *self)
{
    int64_t from_us = sim_now_us (self->sim);
    self->site =
      sim_add (self->sim,
               &(sim_program_t){.name = "lis/ams", .make = site_make, .owner = self, .stays = true},
               &(sim_clock_t){.drift_ppm = 80}, SIM_NOBODY, from_us);
    int agent =
      sim_add (self->sim, &(sim_program_t){.name = "node/slurm", .make = agent_make, .owner = self},
               &(sim_clock_t){.drift_ppm = -90}, SIM_NOBODY, from_us + 1000);
    sim_add (self->sim,
             &(sim_program_t){.name = "planner/p", .make = sim_patron_make, .owner = &self->patron},
             &(sim_clock_t){.drift_ppm = 10}, SIM_NOBODY, from_us + 300000);
    return agent;
}

static void scene_play (batch_scene_t *self, uint64_t seed, FILE *trace)
{
    static const sim_batch_node_t nodes [SIM_BATCH_NODES] = {{.name = "thin-1", .cpus = 4},
                                                             {.name = "thin-2", .cpus = 4},
                                                             {.name = "thin-3", .cpus = 4},
                                                             {.name = "fat-1", .cpus = 8}};
    prng_t prng;
    prng_seed (&prng, seed);
    self->sim = sim_new (seed, self->tally, trace);
    self->machines.sim = self->sim;
    self->machines.begins = check_begins;
    self->machines.owner = self;
    self->batch.machines = &self->machines;
    memcpy (self->batch.nodes, nodes, sizeof nodes);
    sim_batch_start (&self->batch, self->sim, seed + 77);
    sim_worker (self->sim, sim_batch_work, &self->batch);
    self->patron.thin_cpus = 4;
    self->patron.fat_cpus = 8;
    self->patron.sim = self->sim;
    prng_seed (&self->patron.prng, seed + 777);
    if (self->files)
        batch_storage_begin (self, seed);
    int agent = processes_add (self);
    self->patron.site = self->site;
    self->patron.machines = &self->machines;
    for (size_t i = 0; i < SIM_BATCH_NODES; i++)
        self->patron.nodes [i] = nodes [i].name;
    self->patron.nodes_count = SIM_BATCH_NODES;
    sim_run (self->sim, sim_now_us (self->sim) + 500000);
    faults_draw (self, &prng, agent);
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

bool batch_scene_run (uint64_t seed, bool files, sim_tally_t *tally, FILE *trace,
                      char why [LONG_WHY_BYTES])
{
    batch_scene_t *self = must (calloc (1, sizeof *self));
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
    if (files)
        sim_storage_end ();
    free (self);
    return held;
}
