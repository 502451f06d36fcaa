/*  coalition_scene - the world, its faults and its checks. */
#include "coalition_scene.h"
#include "../../gis_everybody.h"

#include "agent.h"
#include "balancer_state.h"
#include "checks.h"
#include "gis.h"
#include "hasty_runner.h"
#include "lis.h"
#include "must.h"
#include "sim_machine.h"
#include "sim_sharer.h"
#include "sim_wire_sharing.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SITES        SHARER_SITES
#define NODES        2 /* of each site */
#define CPUS         2
#define FAULTY_US    40000000
#define WHOLE_US     400000000
#define TURN_US      500000
#define LOOK_US      700000 /* between two looks at the promises */
#define LIE          10     /* of a lie: how many times its CPUs */
#define GUARANTEES   64
#define ANSWERS_KEPT 64

typedef struct {
    const struct scene *scene;
    size_t site;
    char name [8];
} coalition_scene_node_program_t;

/*  A site, and its core's present life. */
typedef struct {
    struct scene *scene;
    const char *name;
    int process;
    int first_node;
    coalition_scene_node_program_t nodes [NODES];
    sim_machines_t machines;
    core_t core;
    bool lies;
    uint64_t states [ANSWERS_KEPT]; /* requests for its queue, by reply_to */
    size_t states_count;
    packed_t told; /* the last lie; as long as its effect */
} sharing_site_t;

typedef struct scene {
    sim_t *sim;
    sim_tally_t *tally;
    sharing_site_t sites [SITES];
    sim_sharer_t sharer;
    int directory;
    int balancer;
    uint32_t begun [SHARER_BAGS_MAX][SIM_BAG_TASKS_MAX];
    sim_guarantee_t promised [GUARANTEES];
    size_t promised_count;
    uint64_t step; /* the balancer's life when that was told */
} coalition_scene_t;

/*  --- checks --- */

/*  Finds the bag of this label, and the task's index at its home. */
static void check_begins (void *owner, int machine, const run_id_t *id, const run_order_t *order)
{
    (void) machine;
    const sharing_site_t *site = owner;
    coalition_scene_t *self = site->scene;
    unsigned bag = 0;
    uint32_t index = order->index_from + id->task.index;
    if (order->arguments_count != 2 || sscanf (order->arguments [1], "b%u", &bag) != 1 || bag < 1 ||
        bag > SHARER_BAGS_MAX || index >= SIM_BAG_TASKS_MAX)
        sim_fail (self->sim, "a task begins that nobody has submitted");
    else if (++self->begun [bag - 1][index] > 1)
        sim_fail (self->sim, "task b%u.%u begins again, at %s", bag, index, site->name);
}

static void check_promise (coalition_scene_t *self, const sim_guarantee_t *told)
{
    if (told->promised_ms == 0)
        return;
    for (size_t i = 0; i < self->promised_count; i++) {
        sim_guarantee_t *known = &self->promised [i];
        if (known->bag != told->bag || strcmp (known->home, told->home) != 0)
            continue;
        if (told->promised_ms > known->promised_ms)
            sim_fail (self->sim,
                      "bag %" PRIu64 " of %s is promised %" PRId64 " ms later than before",
                      told->bag, told->home, told->promised_ms - known->promised_ms);
        known->promised_ms = told->promised_ms;
        return;
    }
    if (self->promised_count < GUARANTEES) {
        self->promised [self->promised_count++] = *told;
        self->tally->counts [COUNT_PROMISES]++;
    }
}

/*  A site that is no member is promised nothing any more. */
static void forget_who_left (coalition_scene_t *self, bytes_t status)
{
    for (size_t i = self->promised_count; i-- > 0;)
        if (!sim_wire_member (status, self->promised [i].home))
            self->promised [i] = self->promised [--self->promised_count];
}

/*  An answer that was sent later may have arrived earlier. */
static void hear_promises (void *owner, bytes_t status)
{
    coalition_scene_t *self = owner;
    sim_guarantee_t told [GUARANTEES];
    size_t count = sim_wire_guarantees_read (status, told, GUARANTEES);
    if (count == SIZE_MAX)
        sim_fail (self->sim, "the balancer's status can't be read");
    if (count == SIZE_MAX || sim_wire_step (status) < self->step)
        return;
    self->step = sim_wire_step (status);
    for (size_t i = 0; i < count; i++)
        check_promise (self, &told [i]);
    forget_who_left (self, status);
}

/*  What the balancer would say if it died now. */
static void look_at_promises (coalition_scene_t *self)
{
    if (!sim_up (self->sim, self->balancer))
        return;
    sim_message_t *answer =
      sim_recall (self->sim, self->balancer, "Balancer", "Status", "alice", (bytes_t){0});
    if (answer)
        hear_promises (self, sim_message_body (answer));
    free (answer);
}

static void on_look (void *owner, uint64_t token)
{
    coalition_scene_t *self = owner;
    look_at_promises (self);
    sim_at (self->sim, sim_now_us (self->sim) + LOOK_US, on_look, self, token);
}

static void on_logged (void *owner, int process, const char *line)
{
    coalition_scene_t *self = owner;
    unsigned tasks = 0;
    if (strncmp (line, "record ignored", 14) == 0)
        sim_fail (self->sim, "%s: %s", sim_name (self->sim, process), line);
    if (process != self->balancer)
        return;
    const char *count = strstr (line, " tasks=");
    if (strncmp (line, "order ", 6) == 0 && count && sscanf (count, " tasks=%u", &tasks) == 1)
        self->tally->counts [COUNT_MOVED] += tasks;
    self->tally->counts [COUNT_ASIDE] += strstr (line, " set aside: ") != NULL;
}

static void check_settled (coalition_scene_t *self)
{
    char why [LONG_WHY_BYTES];
    if (!sim_sharer_settled (&self->sharer, why)) {
        sim_fail (self->sim, "%s", why);
        return;
    }
    for (size_t i = 0; i < self->sharer.bags_count; i++) {
        const sharer_bag_t *bag = &self->sharer.bags [i];
        for (size_t k = 0; k < bag->asked.count; k++) {
            sim_task_state_t state = bag->tasks [k].state;
            self->tally->counts [COUNT_TASKS]++;
            self->tally->counts [COUNT_TASKS_LOST] += state == TOLD_LOST;
            self->tally->counts [COUNT_RUNS] += self->begun [i][k];
            if (state == TOLD_ENDED && self->begun [i][k] != 1)
                sim_fail (self->sim, "task %s.%zu has ended, and was begun %u times", bag->label, k,
                          self->begun [i][k]);
            if (state == TOLD_CANCELLED)
                sim_fail (self->sim, "task %s.%zu is cancelled, and nobody wanted that", bag->label,
                          k);
        }
    }
    for (size_t s = 0; s < SITES; s++)
        for (size_t i = 0; i < self->sites [s].machines.runs_count; i++)
            if (self->sites [s].machines.runs [i].active)
                sim_fail (self->sim, "run %s has not come to an end",
                          self->sites [s].machines.runs [i].name);
}

/*  --- sites --- */

static void site_step (void *owner, const moment_t *now, const event_t *event)
{
    sharing_site_t *self = owner;
    if (event->kind == EVENT_REQUEST && strcmp (event->request.method, "State") == 0)
        self->states [self->states_count++ % ANSWERS_KEPT] = event->request.reply_to;
    self->core.step (self->core.self, now, event);
    if (event->kind != EVENT_RECORD)
        site_check (&self->core);
}

static bool asked_for_queue (const sharing_site_t *self, uint64_t reply_to)
{
    for (size_t i = 0; i < ANSWERS_KEPT && i < self->states_count; i++)
        if (self->states [i] == reply_to)
            return true;
    return false;
}

static bool site_next (void *owner, effect_t *effect)
{
    sharing_site_t *self = owner;
    if (!self->core.next (self->core.self, effect))
        return false;
    if (self->lies && effect->kind == EFFECT_REPLY && effect->reply.status == CALL_OK &&
        asked_for_queue (self, effect->reply.reply_to)) {
        packed_t lie = sim_wire_state_inflated (effect->reply.body, LIE);
        if (lie.data) {
            free (self->told.data);
            self->told = lie;
            effect->reply.body = (bytes_t){lie.data, lie.size};
        }
    }
    return true;
}

static void site_destroy (void *owner)
{
    sharing_site_t *self = owner;
    self->core.destroy (self->core.self);
    self->core = (core_t){0};
    self->states_count = 0;
}

static void site_make (void *owner, core_t *core)
{
    static node_class_t classes [] = {
      {.name = "thin", .nodes = NODES, .cpus_per_node = CPUS, .price = 1}};
    static const char *const accounts [] = {"alice"};
    static const char *const administrators [] = {"root"};
    sharing_site_t *self = owner;
    const char *directories [] = {sim_address (self->scene->sim, self->scene->directory)};
    static node_place_t places [NODES] = {{.name = "thin-1"}, {.name = "thin-2"}};
    runner_settings_t runner;
    hasty_runner (&runner, places, NODES);
    lis_settings_t settings = {
      .provider.name = self->name,
      .site = {.classes = classes,
               .classes_count = 1,
               .lead_ms = 1000,
               .horizon_ms = 24 * INT64_C (3600000)},
      .provider.access = {accounts, 1, administrators, 1},
      .provider.participant = SETTINGS_PRESET (participant_limits_t, &participant_table),
      .provider.limits = SETTINGS_PRESET (lis_settings_t, &lis_table).provider.limits,
      .plus = SETTINGS_PRESET (plus_limits_t, &plus_table),
      .provider.gis_endpoints = directories,
      .provider.gis_count = 1,
      .provider.restore_guard_wait_ms = 1000,
      .runner = &runner,
    };
    settings.provider.participant.doubt_ms = 500;
    lis_core (&settings, &self->core);
    *core = (core_t){.self = self, .step = site_step, .next = site_next, .destroy = site_destroy};
}

static void node_make (void *owner, core_t *core)
{
    const coalition_scene_node_program_t *program = owner;
    const coalition_scene_t *scene = program->scene;
    const char *sites [] = {sim_address (scene->sim, scene->sites [program->site].process)};
    agent_settings_t settings = SETTINGS_PRESET (agent_settings_t, &agent_table);
    settings.name = program->name;
    settings.class_name = "thin";
    settings.cpus = CPUS;
    settings.sites = sites;
    settings.sites_count = 1;
    settings.runs = "/runs";
    settings.look_ms = 500;
    settings.stubborn_ms = 2000;
    agent_core (&settings, core);
}

/*  --- directory and balancer --- */

static void directory_make (void *owner, core_t *core)
{
    gis_settings_t settings = gis_for_everybody ();
    (void) owner;
    settings.name = "gis/g1";
    gis_core (&settings, core);
}

/*  The invariants of a balancer, walked. */
static void check_balancer (const core_t *core)
{
    const balancer_t *self = core->self;
    const coalition_t *coalition = &self->coalition;
    size_t over = 0;
    for (size_t i = 1; i < coalition->members_count; i++)
        assert (strcmp (coalition->members [i - 1]->kept.site, coalition->members [i]->kept.site) <
                0);
    for (const job_t *job = coalition_job_after (coalition, NULL); job;
         job = coalition_job_after (coalition, job))
        over += job->kept.ended_ms != 0;
    assert (over == coalition->jobs_over);
    for (size_t i = 1; i < self->open_orders_count; i++)
        assert (self->open_orders [i - 1].order.number < self->open_orders [i].order.number);
}

/*  Each has a life of its own: a copy of it is asked what the balancer would say if it died now. */
static void balancer_step (void *owner, const moment_t *now, const event_t *event)
{
    core_t *core = owner;
    core->step (core->self, now, event);
    if (event->kind != EVENT_RECORD)
        check_balancer (core);
}

static bool balancer_next (void *owner, effect_t *effect)
{
    core_t *core = owner;
    return core->next (core->self, effect);
}

static void balancer_destroy (void *owner)
{
    core_t *core = owner;
    core->destroy (core->self);
    free (core);
}

static void balancer_make (void *owner, core_t *core)
{
    coalition_scene_t *self = owner;
    const char *directories [] = {sim_address (self->sim, self->directory)};
    balancer_settings_t settings = {.name = "balancer/green",
                                    .coalition_ms = 20000,
                                    .step_ms = 1000,
                                    .reschedule = true,
                                    .limits = {.members_max = 256,
                                               .jobs_max = 10000,
                                               .orders_max = 1000,
                                               .kept_max = 100000,
                                               .history_max = 1000,
                                               .silent_steps = 3,
                                               .delivered_work_steps = 4,
                                               .work_least = 0.5,
                                               .timeout_ms = 2000},
                                    .gis_endpoints = directories,
                                    .gis_count = 1};
    core_t *life = must (calloc (1, sizeof *life));
    balancer_core (&settings, life);
    *core = (core_t){
      .self = life, .step = balancer_step, .next = balancer_next, .destroy = balancer_destroy};
}

/*  --- faults --- */

static int some_process (coalition_scene_t *self, prng_t *prng)
{
    uint64_t which = prng_below (prng, SITES + 1);
    return which == SITES ? self->balancer : self->sites [which].process;
}

static void some_trouble (coalition_scene_t *self, prng_t *prng)
{
    int64_t at_us = 3000000 + (int64_t) prng_below (prng, FAULTY_US / 2);
    int64_t long_ms = 1000 + (int64_t) prng_below (prng, 12000);
    int one = some_process (self, prng);
    int other = some_process (self, prng);
    if (prng_below (prng, 2) == 0)
        sim_kill (self->sim, one, at_us, long_ms);
    else if (one != other)
        sim_net_cut (sim_net (self->sim), one, other, prng_below (prng, 3) == 0, at_us,
                     at_us + 1000 * long_ms);
}

static void faults_draw (coalition_scene_t *self, prng_t *prng)
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
                           .crashes_max = 60,
                           .pause_ms_max = 1500,
                           .slow = 30};
    sim_net_set (sim_net (self->sim), &net);
    sim_fault (self->sim, &faults, &net);
    for (uint64_t i = prng_below (prng, 5); i > 0; i--)
        some_trouble (self, prng);
    self->sites [0].lies = prng_below (prng, 3) == 0;
}

static void on_quiet (void *owner, uint64_t token)
{
    (void) token;
    coalition_scene_t *self = owner;
    self->sharer.quiet = true;
    sim_heal (self->sim);
}

/*  --- a run of it --- */

static int add (coalition_scene_t *self, const char *name, void (*make) (void *, core_t *),
                void *owner, int32_t drift_ppm, int64_t start_us)
{
    return sim_add (self->sim,
                    &(sim_program_t){.name = name, .make = make, .owner = owner, .stays = true},
                    &(sim_clock_t){.drift_ppm = drift_ppm}, SIM_NOBODY, start_us);
}

static void site_add (coalition_scene_t *self, size_t at, uint64_t seed)
{
    static const char *const names [SITES] = {"lis/ams", "lis/osa", "lis/kyo"};
    static const char *const nodes [SITES][NODES] = {
      {"node/ams-1", "node/ams-2"}, {"node/osa-1", "node/osa-2"}, {"node/kyo-1", "node/kyo-2"}};
    static const sim_machines_faults_t machines = {
      .length_ms_max = 4000, .lasting = 300, .grace_ms = 3000, .orphaned = 15};
    sharing_site_t *site = &self->sites [at];
    site->scene = self;
    site->name = names [at];
    site->process = add (self, site->name, site_make, site, 40 * (int32_t) at, 1000);
    sim_machines_init (&site->machines, self->sim, seed + 77 + at, &machines);
    site->machines.begins = check_begins;
    site->machines.owner = site;
    self->sharer.sites [at] = site->process;
    for (int i = 0; i < NODES; i++) {
        site->nodes [i] = (coalition_scene_node_program_t){.scene = self, .site = at};
        snprintf (site->nodes [i].name, sizeof site->nodes [i].name, "thin-%d", i + 1);
        int number = add (self, nodes [at][i], node_make, &site->nodes [i], -90 + 60 * i, 2000);
        site->first_node = i == 0 ? number : site->first_node;
    }
}

/*  The site whose node it is. */
static bool work (void *owner, int process, int64_t mono_ms, const char *kind, bytes_t arguments,
                  uint8_t **result, size_t *result_size)
{
    coalition_scene_t *self = owner;
    size_t at = 0;
    while (at + 1 < SITES && process >= self->sites [at + 1].process)
        at++;
    return sim_machines_work (&self->sites [at].machines, process, mono_ms, kind, arguments, result,
                              result_size);
}

static void scene_play (coalition_scene_t *self, uint64_t seed, FILE *trace)
{
    prng_t prng;
    char why [LONG_WHY_BYTES];
    prng_seed (&prng, seed);
    self->sim = sim_new (seed, self->tally, trace);
    self->sharer.sim = self->sim;
    prng_seed (&self->sharer.prng, seed + 777);
    sim_worker (self->sim, work, self);
    sim_observe (self->sim, &(sim_observer_t){.owner = self, .logged = on_logged});
    self->directory = add (self, "gis/g1", directory_make, self, 0, 0);
    for (size_t i = 0; i < SITES; i++)
        site_add (self, i, seed);
    self->balancer = add (self, "balancer/green", balancer_make, self, -30, 4000);
    self->sharer.balancer = self->balancer;
    self->sharer.told = hear_promises;
    self->sharer.owner = self;
    add (self, "user/alice", sim_sharer_make, &self->sharer, 10, 300000);
    sim_run (self->sim, 500000);
    faults_draw (self, &prng);
    sim_at (self->sim, LOOK_US, on_look, self, 0);
    sim_at (self->sim, FAULTY_US, on_quiet, self, 0);
    sim_run (self->sim, FAULTY_US + 10000000);
    while (!sim_failed (self->sim) && sim_now_us (self->sim) < WHOLE_US &&
           !sim_sharer_settled (&self->sharer, why))
        sim_run (self->sim, sim_now_us (self->sim) + TURN_US);
    sim_run (self->sim, sim_now_us (self->sim) + 2000 * HASTY_LOST_MS);
    if (!sim_failed (self->sim))
        check_settled (self);
}

bool coalition_scene_run (uint64_t seed, sim_tally_t *tally, FILE *trace, char why [LONG_WHY_BYTES])
{
    coalition_scene_t *self = must (calloc (1, sizeof *self));
    self->tally = tally;
    scene_play (self, seed, trace);
    bool held = !sim_failed (self->sim);
    if (!held)
        sim_text (why, LONG_WHY_BYTES, sim_why (self->sim));
    tally->counts [COUNT_SCHEDULES]++;
    tally->counts [COUNT_STEPS] += sim_steps (self->sim);
    sim_destroy (&self->sim);
    for (size_t i = 0; i < SITES; i++)
        free (self->sites [i].told.data);
    free (self);
    return held;
}
