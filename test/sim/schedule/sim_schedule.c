/*  sim_schedule - draws, builds, runs and judges one schedule. */
#include "../../gis_everybody.h"
#include "lis.h"
#include "nis.h"
#include "recall.h"
#include "restore_guard.h"
#include "sim_ledger.h"
#include "sim_schedule_own.h"
#include "sim_shortage.h"

#include <stdlib.h>
#include <string.h>

#define LATE_CHANCE   15              /* percent of the schedules */
#define HEAL_US_MIN   (6 * SECOND_US) /* faults end between these */
#define HEAL_US_MAX   (14 * SECOND_US)
#define SETTLE_S_MAX  90 /* then every schedule must have settled within this */
#define PROBE_S_MAX   60
#define FORGET_CHANCE 15 /* percent of the schedules */
#define FORGET_S_MAX  180
#define PLUS_WAIT_MS  4000
#define DOUBT_MS_MAX  3000
#define REST_US       (8 * SECOND_US) /* longer than any delay */

uint64_t schedule_draw (schedule_t *self, uint64_t bound)
{
    return prng_below (&self->prng, bound);
}

bool schedule_chance (schedule_t *self, uint32_t percent)
{
    return schedule_draw (self, 100) < percent;
}

uint32_t schedule_pick (schedule_t *self, const uint32_t *list, size_t count)
{
    return list [schedule_draw (self, count)];
}

static uint32_t asked_or (uint32_t asked, uint32_t drawn, uint32_t most)
{
    assert (asked <= most);
    return asked ? asked : drawn;
}

const char *schedule_name (schedule_t *self, const char *kind, size_t number)
{
    char *name = self->names [self->names_count++];
    snprintf (name, NAME_BYTES_MAX + 1, "%s%zu", kind, number);
    return name;
}

static sim_clock_t draw_clock (schedule_t *self)
{
    bool off = schedule_chance (self, 20);
    return (sim_clock_t){.wall_offset_ms =
                           (int64_t) schedule_draw (self, off ? 1600 : 60) - (off ? 800 : 30),
                         .drift_ppm = (int32_t) schedule_draw (self, 400) - 200};
}

/*  --- the federation --- */

static const char *const auditors [] = {SIM_AUDITOR};
static const char *const everybody [] = {"*"};
static const access_t open_access = {.accounts = everybody,
                                     .accounts_count = 1,
                                     .administrators = auditors,
                                     .administrators_count = 1};

/*  Holds live shortly and questions come often, so that a transaction's whole life passes in
 *  seconds. */
static participant_limits_t quick_limits (const schedule_t *self)
{
    participant_limits_t limits = SETTINGS_PRESET (participant_limits_t, &participant_table);
    limits.hold_ttl_ms = HOLD_TTL_MS;
    limits.hold_ttl_ms_max = 3000;
    limits.hold_age_ms_max = 5000;
    limits.doubt_ms = self->doubt_ms;
    limits.doubt_ms_max = DOUBT_MS_MAX;
    limits.retention_ms = 3600000;
    return limits;
}

static void make_gis (void *owner, core_t *core)
{
    gis_core (owner, core);
}

static void make_lis (void *owner, core_t *core)
{
    lis_core (owner, core);
}

static void make_nis (void *owner, core_t *core)
{
    nis_core (owner, core);
}

static void make_planner (void *owner, core_t *core)
{
    planner_core (owner, core);
}

int schedule_add (schedule_t *self, const char *name, void (*make) (void *, core_t *), void *owner,
                  bool stays, int store_of)
{
    sim_clock_t clock = draw_clock (self);
    return sim_add (
      self->sim, &(sim_program_t){.name = name, .make = make, .owner = owner, .stays = stays},
      &clock, store_of, sim_now_us (self->sim) + (int64_t) schedule_draw (self, 20000));
}

static void add_gis (schedule_t *self)
{
    for (size_t i = 0; i < self->gis_count; i++) {
        self->homes [i] = schedule_name (self, "gis/g", i + 1);
        snprintf (self->gis_addresses [i], SIM_ADDRESS_BYTES, "sim://%s/1", self->homes [i]);
        self->gis_endpoints [i] = self->gis_addresses [i];
    }
    for (size_t i = 0; i < self->gis_count; i++) {
        gis_settings_t *settings = &self->gis [i];
        *settings = gis_for_everybody ();
        settings->name = self->homes [i];
        settings->homes = self->homes;
        settings->homes_count = self->gis_count;
        settings->gis_endpoints = self->others [i];
        for (size_t other = 0; other < self->gis_count; other++)
            if (other != i)
                self->others [i][settings->gis_count++] = self->gis_endpoints [other];
        settings->limits = quick_limits (self);
        settings->access = open_access;
        settings->restore_guard_wait_ms = RESTORE_GUARD_WAIT_MS / 10;
        schedule_swarm_gis (self, settings);
        self->gis_processes [i] =
          schedule_add (self, settings->name, make_gis, settings, true, SIM_NOBODY);
        sim_check_add_home (&self->check, self->gis_processes [i]);
    }
}

static void add_sites (schedule_t *self)
{
    for (size_t i = 0; i < self->sites_count; i++) {
        lis_settings_t *settings = &self->lis [i];
        node_class_t *class = calloc (1, sizeof *class);
        if (!class)
            abort ();
        *class = (node_class_t){.nodes = self->nodes_least +
                                         (uint32_t) schedule_draw (self, self->nodes_least * 2),
                                .cpus_per_node = 1 + (uint32_t) schedule_draw (self, 2),
                                .price = 1000 * (1 + (int64_t) schedule_draw (self, 5))};
        sim_text (class->name, sizeof class->name, "thin");
        *settings = (lis_settings_t){
          .provider.name = schedule_name (self, "lis/s", i + 1),
          .site = {.classes = class,
                   .classes_count = 1,
                   .disclosure = schedule_chance (self, 15) ? DISCLOSE_WINDOWS : DISCLOSE_PROFILE,
                   .lead_ms = (int64_t) schedule_draw (self, 200),
                   .horizon_ms = INT64_C (3600000),
                   .cleaning_gap_ms = schedule_chance (self, 30) ? 500 : 0},
          .provider.access = open_access,
          .provider.participant = quick_limits (self),
          .provider.limits = SETTINGS_PRESET (lis_settings_t, &lis_table).provider.limits,
          .plus = SETTINGS_PRESET (plus_limits_t, &plus_table),
          .provider.gis_endpoints = self->gis_endpoints,
          .provider.gis_count = self->gis_count,
          .provider.restore_guard_wait_ms = RESTORE_GUARD_WAIT_MS / 10};
        settings->provider.limits.bookings.bookings_max = 4096;
        settings->plus.wait_ms = PLUS_WAIT_MS;
        if (self->late.on && i == 0)
            settings->site.lead_ms += SIM_LATE_LEAD_MS;
        schedule_swarm_lis (self, settings);
        self->lis_processes [i] =
          schedule_add (self, settings->provider.name, make_lis, settings, false, SIM_NOBODY);
        sim_check_add_site (&self->check, self->lis_processes [i], &settings->site);
    }
}

/*  Adds the domains and the sites that they connect. */
static void add_domains (schedule_t *self, size_t count)
{
    const char *sites [SCHEDULE_SITES_MAX];
    for (size_t i = 0; i < self->sites_count; i++)
        sites [i] = self->lis [i].provider.name + strlen ("lis/");
    sim_map_draw (&self->map, &self->network,
                  &(sim_map_order_t){
                    .domains = count,
                    .sites = sites,
                    .sites_count = self->sites_count,
                    .narrow = schedule_swarm_narrow (self, prng_below (&self->network, 2) == 0)});
    self->tally->counts [COUNT_NETWORKED]++;
    self->tally->counts [COUNT_DISAGREED] += self->map.disagree;
    for (size_t i = 0; i < self->map.count; i++) {
        nis_settings_t *settings = &self->nis [i];
        *settings = (nis_settings_t){
          .provider.name = schedule_name (self, "nis/d", i + 1),
          .domain = self->map.domains [i],
          .use = prng_below (&self->network, 3) == 0 ? USE_AT_START : USE_ASKED,
          .provider.access = open_access,
          .provider.participant = quick_limits (self),
          .provider.limits = SETTINGS_PRESET (nis_settings_t, &nis_table).provider.limits,
          .provider.gis_endpoints = self->gis_endpoints,
          .provider.gis_count = self->gis_count,
          .provider.restore_guard_wait_ms = RESTORE_GUARD_WAIT_MS / 10,
          .paths_max = NIS_PATHS_MOST};
        settings->provider.limits.bookings.bookings_max = 4096;
        schedule_swarm_nis (self, settings);
        self->nis_processes [i] =
          schedule_add (self, settings->provider.name, make_nis, settings, false, SIM_NOBODY);
        sim_check_add_domain (&self->check, self->nis_processes [i], i);
    }
}

static void add_planners (schedule_t *self)
{
    planner_settings_t *settings = &self->planner;
    *settings = SETTINGS_PRESET (planner_settings_t, &planner_table);
    settings->gis_endpoints = self->gis_endpoints;
    settings->gis_count = self->gis_count;
    settings->restore_guard_wait_ms = RESTORE_GUARD_WAIT_MS / 10;
    settings->administrators = auditors;
    settings->administrators_count = 1;
    settings->request_limit_ms = 3000;
    settings->margin_ms = 300;
    settings->guard_ms = 50;
    settings->decide_ms = PICK (self, 400, 1500, 3000);
    settings->hold_ttl_ms = HOLD_TTL_MS;
    settings->try_ms = PICK (self, 100, 300);
    settings->try_ms_max = 4 * settings->try_ms;
    settings->tries_max = 3;
    settings->candidates_first = (uint32_t) (self->seed / 2 % 3 + 1); /* few sites are many */
    if (self->seed % 2 == 1)
        settings->locate_all_max = 0; /* homes are asked first where a reservation is */
    settings->attempts_max = 4;
    settings->backoff_ms = 20;
    settings->frame_ms = 120000;
    settings->frame_ms_max = 600000;
    settings->retention_ms = 3600000;
    settings->done_ms = 100;
    settings->finish_interval_ms = 0;
    settings->finish_linger_ms = 3 * DOUBT_MS_MAX; /* in proportion as 45 s is to 15 s by default */
    settings->ip.windows = 1 + (uint32_t) prng_below (&self->plans, 10);
    settings->ip.solver = prng_below (&self->plans, 4) == 0 ? SOLVER_GLPK : SOLVER_AUTO;
    settings->staging.start_ms = 100;
    settings->ip.visible = prng_below (&self->plans, 4) == 0 ? 60 : 100;
    schedule_swarm_planner (self, settings);
    self->finisher = *settings;
    self->finisher.finishing = true;
    for (size_t i = 0; i < self->planners_count; i++)
        self->planners [i] = schedule_add (self, schedule_name (self, "planner/", i + 1),
                                           make_planner, settings, false, SIM_NOBODY);
}

/*  --- what happens --- */

static void on_left (void *owner, const sim_message_t *message)
{
    schedule_t *self = owner;
    if (self->over)
        return;
    sim_check_left (&self->check, message);
    sim_plus_left (&self->check, message);
    sim_ambush_left (&self->ambush, message);
    sim_late_left (&self->late, message);
    if (self->scene && self->scene->left)
        self->scene->left (self->scene->owner, message);
}

static void on_flushed (void *owner, int process)
{
    schedule_t *self = owner;
    if (!self->over)
        sim_check_flushed (&self->check, process);
}

static void adopt (void *owner, uint64_t dead)
{
    schedule_t *self = owner;
    self->finished = false;
    (void) schedule_add (self, schedule_name (self, "finisher/", ++self->finishers_count),
                         make_planner, &self->finisher, false, (int) dead);
}

static bool on_dies (void *owner, int process)
{
    schedule_t *self = owner;
    if (!self->orphans || self->orphan != SIM_NOBODY)
        return false;
    for (size_t i = 0; i < self->planners_count; i++) {
        if (self->planners [i] != process)
            continue;
        self->orphan = process;
        if (self->lost) {
            self->settler.lost = true;
            memcpy (self->settler.store, sim_identity (self->sim, process)->id, STORE_ID_BYTES);
            return true;
        }
        sim_at (self->sim, sim_now_us (self->sim) + 1000 * (int64_t) schedule_draw (self, 3000),
                adopt, self, (uint64_t) process);
        return true;
    }
    return false;
}

static void on_ended (void *owner, int process)
{
    schedule_t *self = owner;
    self->tally->counts [COUNT_TAKEN_OVER]++;
    self->finished = true;
    sim_trace (self->sim, process, "has settled the store it took over");
    if (self->again)
        sim_at (self->sim, sim_now_us (self->sim), adopt, self, (uint64_t) self->orphan);
    self->again = false;
}

/*  Counts how commands ended, from the log lines of their state changes. */
static void on_logged (void *owner, int process, const char *line)
{
    static const struct {
        const char *begin;
        const char *words;
        count_kind_t count;
    } told [] = {
      {"hold ", "cause=outcome", COUNT_DOUBT}, {"hold ", "cause=resolve", COUNT_DOUBT},
      {"hold ", "->edge ", COUNT_EDGES},       {"hold ", "edge->committed", COUNT_LATE},
      {"txn ", "->repaired", COUNT_REPAIRED},  {"txn ", "decided->aborted", COUNT_FENCED},
    };
    schedule_t *self = owner;
    sim_late_logged (&self->late, process, line);
    if (self->scene && self->scene->logged)
        self->scene->logged (self->scene->owner, process, line);
    for (size_t i = 0; i < sizeof told / sizeof told [0]; i++)
        if (strncmp (line, told [i].begin, strlen (told [i].begin)) == 0 &&
            strstr (line, told [i].words))
            self->tally->counts [told [i].count]++;
}

/*  Faults have ended: everything must settle by itself. */
static void settle (schedule_t *self)
{
    char why [LONG_WHY_BYTES] = "";
    schedule_users_patient (self);
    for (int second = 0; second < SETTLE_S_MAX && !sim_failed (self->sim); second++) {
        sim_run (self->sim, sim_now_us (self->sim) + SECOND_US);
        if (schedule_users_ended (self) && sim_check_settled (&self->check, why))
            return;
    }
    if (!schedule_users_ended (self))
        sim_text (why, sizeof why, "a user is still without a final answer");
    sim_fail (self->sim, "not settled %d s after the last fault: %s", SETTLE_S_MAX, why);
}

/*  Asked again when all is over, an id gives the answer that it gave; with another body it gives
 *  none. */
static void probe (schedule_t *self)
{
    const sim_client_t *prober = &self->clients [SCHEDULE_CLIENTS_MAX];
    schedule_swarm_room (self);
    schedule_prober (self);
    for (int second = 0; second < PROBE_S_MAX && !sim_failed (self->sim); second++) {
        if (sim_client_ended (prober))
            break;
        sim_run (self->sim, sim_now_us (self->sim) + SECOND_US);
    }
    if (!sim_client_ended (prober))
        sim_fail (self->sim, "asked again after all was over, a request is not answered");
    for (size_t i = 0; i < self->book.count; i++) {
        const sim_request_t *request = &self->book.requests [i];
        size_t other = request->told [0] ? 1 : 0;
        if ((request->told [0] || request->told [1]) && !request->conflict [other])
            sim_fail (self->sim, "%s with another body is no conflict", request->request_id);
    }
}

static void audit (schedule_t *self)
{
    self->auditor.sim = self->sim;
    self->auditor.check = &self->check;
    sim_run (self->sim, sim_now_us (self->sim) + REST_US); /* what the answers left to be done */
    (void) schedule_add (self, SIM_AUDITOR, sim_auditor_make, &self->auditor, false, SIM_NOBODY);
    for (int second = 0; second < PROBE_S_MAX && !sim_failed (self->sim); second++) {
        if (sim_auditor_ended (&self->auditor))
            break;
        sim_run (self->sim, sim_now_us (self->sim) + SECOND_US);
    }
    if (sim_auditor_ended (&self->auditor))
        sim_auditor_report (&self->auditor);
    else
        sim_fail (self->sim, "a participant does not show its records");
}

/*  When all is judged, a home loses its store, and every request is asked for once more while
 *  messages are lost: no request may be done again (T2). */
static void forget (schedule_t *self)
{
    prng_t prng;
    prng_seed (&prng, self->seed ^ 0x666f72676574u);
    if (prng_below (&prng, 100) >= FORGET_CHANCE)
        return;
    uint64_t lost = prng_below (&prng, self->gis_count);
    int home = self->gis_processes [lost];
    self->gis [lost].recall_wait_ms = RECALL_MS; /* it was 0 where the federation began */
    sim_net_faults_t net = {.loss = prng_below (&prng, 2) * 60, .keep = 500};
    self->over = true;
    sim_fault (self->sim, &(sim_faults_t){0}, &net);
    sim_lose (self->sim, home);
    sim_kill (self->sim, home, sim_now_us (self->sim), (int64_t) prng_below (&prng, 3000));
    sim_run (self->sim, sim_now_us (self->sim) + (int64_t) prng_below (&prng, 6) * SECOND_US);
    schedule_insister (self);
    for (int second = 0; second < FORGET_S_MAX && !sim_failed (self->sim); second++) {
        if (sim_client_ended (&self->insister))
            break;
        sim_run (self->sim, sim_now_us (self->sim) + SECOND_US);
    }
    if (!sim_client_ended (&self->insister))
        sim_fail (self->sim, "asked again after a home was lost, a request is not answered");
    net.loss = 0;
    sim_fault (self->sim, &(sim_faults_t){0}, &net);
    sim_run (self->sim, sim_now_us (self->sim) + 3 * RECALL_MS * 1000); /* it learns, and serves */
    sim_check_once (&self->check);
    self->tally->counts [COUNT_FORGOTTEN]++;
}

/*  Draws what kind of schedule this is. */
static void draw_temper (schedule_t *self)
{
    self->nodes_least = PICK (self, 1, 2, 3);
    self->doubt_ms = PICK (self, 300, 300, 3000);
    self->think_ms_max = PICK (self, 800, 3000);
    self->spread = PICK (self, 1, 4, 16);
    self->edgy = schedule_chance (self, 20);
    if (self->edgy) {
        self->near_ms = PICK (self, 600, 900, 1500);
        self->spread = 3;
        self->think_ms_max = 800;
        self->doubt_ms = DOUBT_MS_MAX;
        self->nodes_least = 1;
    }
}

/*  In some schedules, commits come after the edge and find that the window is taken. */
static void draw_late (schedule_t *self)
{
    sim_late_t *late = &self->late;
    prng_seed (&late->prng, self->seed ^ 0x6c617465u);
    if (self->scene ||
        prng_below (&late->prng, 100) >= schedule_swarm_late_chance (self, LATE_CHANCE))
        return;
    late->on = true;
    late->sim = self->sim;
    late->check = &self->check;
    late->left = 1 + prng_below (&late->prng, SIM_LATE_MOST);
    self->near_ms = SIM_LATE_NEAR_MS;
    sim_late_begin (late);
}

/*  A third of the schedules has no network. */
static uint32_t domains_drawn (schedule_t *self)
{
    static const uint32_t counts [] = {0, 0, 1, 2, 2, 3};
    return counts [prng_below (&self->network, sizeof counts / sizeof counts [0])];
}

static void build (schedule_t *self, const sim_options_t *asked)
{
    sim_options_t given = *asked;
    const sim_options_t *options = &given;
    if (given.swarm)
        schedule_swarm_begin (self, &given);
    self->gis_count =
      asked_or (options->gis, 1 + (uint32_t) schedule_draw (self, 2), SCHEDULE_GIS_MAX);
    self->sites_count =
      asked_or (options->sites, 3 + (uint32_t) schedule_draw (self, 2), SCHEDULE_SITES_MAX);
    self->planners_count =
      asked_or (options->planners, 1 + (uint32_t) PICK (self, 0, 1, 1, 2), SCHEDULE_PLANNERS_MAX);
    self->clients_count =
      asked_or (options->clients, 2 + (uint32_t) schedule_draw (self, 2), SCHEDULE_CLIENTS_MAX);
    uint32_t domains = options->no_domains
                         ? 0
                         : asked_or (options->domains, domains_drawn (self), SCHEDULE_DOMAINS_MAX);
    self->orphan = SIM_NOBODY;
    self->near_ms = PICK (self, 600, 900, 1500, 3000, 20000);
    draw_temper (self);
    schedule_swarm_temper (self);
    draw_late (self);
    if (self->scene && self->scene->shape)
        self->scene->shape (self->scene->owner, self);
    self->heal_us = HEAL_US_MIN + (int64_t) schedule_draw (self, HEAL_US_MAX - HEAL_US_MIN);
    self->check.sim = self->sim;
    self->check.book = &self->book;
    self->check.tally = self->tally;
    self->check.map = &self->map;
    self->check.hold_age_ms_max = quick_limits (self).hold_age_ms_max;
    sim_observe (self->sim, &(sim_observer_t){.owner = self,
                                              .left = on_left,
                                              .flushed = on_flushed,
                                              .logged = on_logged,
                                              .dies = on_dies,
                                              .ended = on_ended});
    add_gis (self);
    add_sites (self);
    if (domains > 0)
        add_domains (self, domains);
    if (options->data)
        schedule_data_begin (self);
    add_planners (self);
    if (self->late.on)
        (void) schedule_add (self, "thief/1", sim_thief_make, &self->late.thief, true, SIM_NOBODY);
}

static void run (schedule_t *self)
{
    sim_faults_t faults = {0};
    sim_net_faults_t net = {.keep = 1000}; /* a process that starts later is waited for */
    sim_fault (self->sim, &faults, &net);
    sim_run (self->sim, CALM_US);
    if (self->scene && self->scene->users)
        self->scene->users (self->scene->owner, self);
    else
        schedule_users (self);
    if (self->scene && self->scene->faults)
        self->scene->faults (self->scene->owner, self, &faults, &net);
    else if (!schedule_swarm_has (self, SWARM_LONE))
        schedule_faults (self, &faults, &net);
    if (!self->scene && !schedule_swarm_has (self, SWARM_LONE)) {
        schedule_settler (self);
        schedule_plus (self);
        schedule_smaller (self);
    }
    schedule_swarm_faults (self);
    sim_fault (self->sim, &faults, &net);
    sim_run (self->sim, self->heal_us);
    sim_heal (self->sim);
    self->late.left = 0;
    self->again = !self->finished; /* a process that was cut off all the while asks only now */
    if (self->finished)
        adopt (self, (uint64_t) self->orphan);
    settle (self);
    if (!sim_failed (self->sim))
        probe (self);
    if (!sim_failed (self->sim))
        sim_shortage_check_all (&self->check);
    if (!sim_failed (self->sim))
        audit (self);
    if (!sim_failed (self->sim))
        sim_check_end (&self->check);
    if (!sim_failed (self->sim))
        schedule_swarm_check (self);
    if (!sim_failed (self->sim))
        sim_plus_check (&self->plus, &self->check);
    if (!sim_failed (self->sim))
        sim_ledger_check (self->sim, self->tally);
    if (!sim_failed (self->sim) && self->scene && self->scene->judge)
        self->scene->judge (self->scene->owner, self);
    if (!sim_failed (self->sim) && !self->scene)
        forget (self);
}

bool schedule_play (uint64_t seed, const sim_options_t *options, const sim_scene_t *scene,
                    sim_tally_t *tally, FILE *trace, char why [LONG_WHY_BYTES])
{
    schedule_t *self = calloc (1, sizeof *self);
    if (!self)
        abort ();
    self->seed = seed;
    self->scene = scene;
    self->tally = tally;
    prng_seed (&self->prng, seed ^ 0x7363686564756cu);
    prng_seed (&self->changes, seed ^ 0x6368616e676573u);
    prng_seed (&self->pluses, seed ^ 0x706c7573u);
    prng_seed (&self->plans, seed ^ 0x706c616e73u);
    prng_seed (&self->files, seed ^ 0x66696c6573u);
    prng_seed (&self->smaller, seed ^ 0x736d616c6c6572u);
    prng_seed (&self->fences, seed ^ 0x66656e636573u);
    prng_seed (&self->swarm.prng, seed ^ 0x737761726du);
    prng_seed (&self->network, seed ^ 0x646f6d61696e73u);
    self->sim = sim_new (seed, tally, trace);
    build (self, options);
    run (self);
    bool passed = !sim_failed (self->sim);
    sim_text (why, LONG_WHY_BYTES, sim_why (self->sim));
    tally->counts [COUNT_SCHEDULES]++;
    tally->counts [COUNT_STEPS] += sim_steps (self->sim);
    sim_destroy (&self->sim);
    sim_check_clear (&self->check);
    sim_book_clear (&self->book);
    sim_auditor_clear (&self->auditor);
    sim_map_clear (&self->map);
    sim_late_end (&self->late);
    for (size_t i = 0; i < self->sites_count; i++)
        free (self->lis [i].site.classes);
    free (self);
    return passed;
}

bool sim_schedule_run (uint64_t seed, const sim_options_t *options, sim_tally_t *tally, FILE *trace,
                       char why [LONG_WHY_BYTES])
{
    return schedule_play (seed, options, NULL, tally, trace, why);
}
