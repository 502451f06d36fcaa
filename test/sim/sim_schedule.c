/*  sim_schedule - draws, builds, runs and judges one schedule. */
#include "sim_schedule.h"

#include "gis.h"
#include "lis.h"
#include "planner.h"
#include "sim_auditor.h"
#include "sim_check.h"
#include "sim_client.h"
#include "sim_holder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define FINISHERS    4
#define SECOND_US    INT64_C (1000000)
#define CALM_US      (SECOND_US / 2) /* everybody starts and is announced */
#define HEAL_US_MIN  (6 * SECOND_US) /* faults end between these */
#define HEAL_US_MAX  (14 * SECOND_US)
#define SETTLE_S_MAX 90 /* then all must have settled within this */
#define PROBE_S_MAX  60
#define DOUBT_MS_MAX 3000
#define REST_US      (8 * SECOND_US) /* longer than any delay */

static_assert ((int) SCHEDULE_PLANNERS_MAX <= SIM_PLANNERS_MAX, "users know every planner");
static_assert (SCHEDULE_SITES_MAX + SCHEDULE_GIS_MAX <= SIM_SITES_MAX, "all are checked");

typedef struct {
    uint64_t seed;
    prng_t prng;
    sim_t *sim;
    sim_tally_t *tally;
    sim_book_t book;
    sim_check_t check;

    char names [SCHEDULE_SITES_MAX + SCHEDULE_GIS_MAX + SCHEDULE_PLANNERS_MAX +
                SCHEDULE_CLIENTS_MAX + FINISHERS + 1][NAME_BYTES_MAX + 1];
    size_t names_count;
    char gis_addresses [SCHEDULE_GIS_MAX][SIM_ADDRESS_BYTES];
    const char *gis_endpoints [SCHEDULE_GIS_MAX];
    const char
      *others [SCHEDULE_GIS_MAX][SCHEDULE_GIS_MAX]; /* of each GIS: the endpoints of the rest */
    const char *homes [SCHEDULE_GIS_MAX];
    size_t gis_count;
    gis_settings_t gis [SCHEDULE_GIS_MAX];
    int gis_processes [SCHEDULE_GIS_MAX];

    lis_settings_t lis [SCHEDULE_SITES_MAX];
    int lis_processes [SCHEDULE_SITES_MAX];
    size_t sites_count;

    planner_settings_t planner;
    planner_settings_t finisher;
    int planners [SCHEDULE_PLANNERS_MAX];
    size_t planners_count;
    bool orphans; /* the first planner that dies never comes back */
    int orphan;   /* who that was; SIM_NOBODY = nobody yet */
    size_t finishers_count;
    bool finished; /* the last of its finishers has ended */

    sim_client_t clients [SCHEDULE_CLIENTS_MAX + 1]; /* the last asks the probes */
    size_t clients_count;
    sim_holder_t holder;
    sim_auditor_t auditor;
    bool edgy;             /* commits come late, and others want the same */
    uint32_t nodes_least;  /* of a site; few make conflicts */
    uint32_t doubt_ms;     /* votes wait so long before they ask */
    uint32_t think_ms_max; /* between two commands of a user */
    int64_t near_ms;       /* how soon the wished windows begin, */
    uint32_t spread;       /* and how far apart, in half seconds */
    int64_t heal_us;
} schedule_t;

static uint64_t draw (schedule_t *self, uint64_t bound)
{
    return prng_below (&self->prng, bound);
}

static bool chance (schedule_t *self, uint32_t percent)
{
    return draw (self, 100) < percent;
}

/*  One of a list, each as likely. */
static uint32_t pick (schedule_t *self, const uint32_t *list, size_t count)
{
    return list [draw (self, count)];
}

#define PICK(self, ...)                                                                            \
    pick (self, (const uint32_t []){__VA_ARGS__},                                                  \
          sizeof (const uint32_t []){__VA_ARGS__} / sizeof (uint32_t))

static uint32_t asked_or (uint32_t asked, uint32_t drawn, uint32_t most)
{
    assert (asked <= most);
    return asked ? asked : drawn;
}

static const char *name_of (schedule_t *self, const char *kind, size_t number)
{
    char *name = self->names [self->names_count++];
    snprintf (name, NAME_BYTES_MAX + 1, "%s%zu", kind, number);
    return name;
}

static sim_clock_t draw_clock (schedule_t *self)
{
    bool off = chance (self, 20);
    return (sim_clock_t){.wall_offset_ms =
                           (int64_t) draw (self, off ? 1600 : 60) - (off ? 800 : 30),
                         .drift_ppm = (int32_t) draw (self, 400) - 200};
}

/*  --- the federation --- */

static const char *const auditors [] = {SIM_AUDITOR};
static const char *const everybody [] = {"*"};
static const access_t open_access = {.accounts = everybody,
                                     .accounts_count = 1,
                                     .administrators = auditors,
                                     .administrators_count = 1};

/*  Short lives and quick questions: a whole life of a transaction passes in seconds. */
static participant_limits_t quick_limits (const schedule_t *self)
{
    participant_limits_t limits = participant_limits_default;
    limits.hold_ttl_ms = 1500;
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

static void make_planner (void *owner, core_t *core)
{
    planner_core (owner, core);
}

static int add (schedule_t *self, const char *name, void (*make) (void *, core_t *), void *owner,
                bool stays, int store_of)
{
    sim_clock_t clock = draw_clock (self);
    return sim_add (self->sim,
                    &(sim_program_t){.name = name, .make = make, .owner = owner, .stays = stays},
                    &clock, store_of, sim_now_us (self->sim) + (int64_t) draw (self, 20000));
}

static void add_gis (schedule_t *self)
{
    for (size_t i = 0; i < self->gis_count; i++) {
        self->homes [i] = name_of (self, "gis/g", i + 1);
        snprintf (self->gis_addresses [i], SIM_ADDRESS_BYTES, "sim://%s/1", self->homes [i]);
        self->gis_endpoints [i] = self->gis_addresses [i];
    }
    for (size_t i = 0; i < self->gis_count; i++) {
        gis_settings_t *settings = &self->gis [i];
        *settings = gis_settings_default;
        settings->name = self->homes [i];
        settings->homes = self->homes;
        settings->homes_count = self->gis_count;
        settings->gis_endpoints = self->others [i];
        for (size_t other = 0; other < self->gis_count; other++)
            if (other != i)
                self->others [i][settings->gis_count++] = self->gis_endpoints [other];
        settings->limits = quick_limits (self);
        settings->access = open_access;
        self->gis_processes [i] = add (self, settings->name, make_gis, settings, true, SIM_NOBODY);
        sim_check_add (&self->check, self->gis_processes [i], NULL);
    }
}

static void add_sites (schedule_t *self)
{
    for (size_t i = 0; i < self->sites_count; i++) {
        lis_settings_t *settings = &self->lis [i];
        node_class_t *class = calloc (1, sizeof *class);
        if (!class)
            abort ();
        *class =
          (node_class_t){.nodes = self->nodes_least + (uint32_t) draw (self, self->nodes_least * 2),
                         .cpus_per_node = 1 + (uint32_t) draw (self, 2),
                         .price = 1000 * (1 + (int64_t) draw (self, 5))};
        sim_text (class->name, sizeof class->name, "thin");
        *settings = (lis_settings_t){
          .name = name_of (self, "lis/s", i + 1),
          .site = {.classes = class,
                   .classes_count = 1,
                   .disclosure = chance (self, 15) ? DISCLOSE_WINDOWS : DISCLOSE_PROFILE,
                   .lead_ms = (int64_t) draw (self, 200),
                   .horizon_ms = INT64_C (3600000),
                   .cleaning_gap_ms = chance (self, 30) ? 500 : 0},
          .access = open_access,
          .participant = quick_limits (self),
          .limits = lis_limits_default,
          .gis_endpoints = self->gis_endpoints,
          .gis_count = self->gis_count};
        settings->limits.bookings_max = 4096;
        self->lis_processes [i] = add (self, settings->name, make_lis, settings, false, SIM_NOBODY);
        sim_check_add (&self->check, self->lis_processes [i], &settings->site);
    }
}

static void add_planners (schedule_t *self)
{
    planner_settings_t *settings = &self->planner;
    *settings = planner_settings_default;
    settings->gis_endpoints = self->gis_endpoints;
    settings->gis_count = self->gis_count;
    settings->administrators = auditors;
    settings->administrators_count = 1;
    settings->request_limit_ms = 3000;
    settings->margin_ms = 300;
    settings->guard_ms = 50;
    settings->decide_ms = PICK (self, 400, 1500, 3000);
    settings->hold_ttl_ms = 1500;
    settings->try_ms = PICK (self, 100, 300);
    settings->tries_max = 3;
    settings->attempts_max = 4;
    settings->backoff_ms = 20;
    settings->frame_ms = 120000;
    settings->frame_ms_max = 600000;
    settings->retention_ms = 3600000;
    settings->done_ms = 100;
    settings->finish_interval_ms = 0;
    settings->finish_linger_ms = 3 * DOUBT_MS_MAX; /* as 45 s to 15 s by default */
    self->finisher = *settings;
    self->finisher.finishing = true;
    for (size_t i = 0; i < self->planners_count; i++)
        self->planners [i] =
          add (self, name_of (self, "planner/", i + 1), make_planner, settings, false, SIM_NOBODY);
}

/*  --- the users --- */

static void draw_wish (schedule_t *self, sim_wish_t *wish)
{
    *wish = (sim_wish_t){.distinct_sites = chance (self, 60)};
    wish->earliest_ms = self->near_ms + 500 * (int64_t) draw (self, self->spread);
    wish->fixed = chance (self, 30);
    wish->latest_ms = wish->earliest_ms + 1000 * (int64_t) draw (self, 20);
    wish->duration_ms = 4000 + 1000 * (int64_t) draw (self, 16);
    size_t most = self->sites_count < SIM_NEEDS_MAX ? self->sites_count : SIM_NEEDS_MAX;
    wish->needs_count = most < 2 ? most : 2 + draw (self, most - 1);
    for (size_t i = 0; i < wish->needs_count; i++) {
        sim_need_t *need = &wish->needs [i];
        snprintf (need->id, sizeof need->id, "n%zu", i + 1);
        need->cpus = 1 + (uint32_t) draw (self, 4);
        if (chance (self, 20))
            need->offset_ms = 1000 * (int64_t) draw (self, 5);
        if (chance (self, 15))
            sim_text (need->site, sizeof need->site,
                      self->lis [draw (self, self->sites_count)].name + strlen ("lis/"));
    }
}

static void draw_request (schedule_t *self, sim_request_t *request, size_t client, size_t number)
{
    static const char *const actors [] = {"alice", "bob"};
    sim_text (request->actor, sizeof request->actor,
              actors [draw (self, chance (self, 50) ? 1 : 2)]);
    if (chance (self, 15))
        snprintf (request->request_id, sizeof request->request_id, "c%zu-%zu", client, number);
    else
        snprintf (request->request_id, sizeof request->request_id, "c%zu-%zu@g%llu", client, number,
                  (unsigned long long) draw (self, self->gis_count) + 1);
    request->operation = number == 1         ? OPERATION_RESERVE
                         : chance (self, 30) ? OPERATION_RESERVE
                         : chance (self, 65) ? OPERATION_MODIFY
                                             : OPERATION_RELEASE;
    request->whim = (uint32_t) draw (self, 1000);
    request->aim = (uint32_t) draw (self, 1000);
    draw_wish (self, &request->wish [0]);
    request->wish [1] = request->wish [0];
    request->wish [1].duration_ms += 1000;
}

static sim_errand_t *errand_add (sim_client_t *client, sim_request_t *request)
{
    sim_errand_t *errand = &client->errands [client->errands_count++];
    *errand = (sim_errand_t){.request = request};
    return errand;
}

static int64_t draw_patience (schedule_t *self)
{
    return chance (self, 30) ? 5 + (int64_t) draw (self, 60) : 500 + (int64_t) draw (self, 4000);
}

/*  Another change of the same reservation, at the same time. */
static void draw_quarrel (schedule_t *self, sim_client_t *client, const sim_request_t *first)
{
    sim_request_t *request = sim_book_add (&self->book);
    *request = *first;
    char id [NAME_BYTES_MAX + 1];
    snprintf (id, sizeof id, "q%.50s", first->request_id);
    sim_text (request->request_id, sizeof request->request_id, id);
    request->whim = (uint32_t) draw (self, 1000);
    if (chance (self, 25))
        request->operation = OPERATION_RELEASE;
    sim_errand_t *errand = errand_add (client, request);
    errand->beside = true;
    errand->think_ms = client->errands [client->errands_count - 2].think_ms;
    errand->patience_ms = draw_patience (self);
}

static void draw_errands (schedule_t *self, sim_client_t *client, size_t number)
{
    size_t commands = 1 + draw (self, 4);
    for (size_t i = 0; i < commands; i++) {
        sim_request_t *request = sim_book_add (&self->book);
        draw_request (self, request, number, i + 1);
        sim_errand_t *errand = errand_add (client, request);
        errand->think_ms = (int64_t) draw (self, i == 0 ? 1500 : self->think_ms_max);
        errand->patience_ms = draw_patience (self);
        if (chance (self, 20)) { /* the same to another planner at once */
            errand = errand_add (client, request);
            errand->beside = true;
            errand->think_ms = (int64_t) draw (self, 1600);
            errand->patience_ms = draw_patience (self);
        }
        if (chance (self, 15)) { /* the same id taken for something else */
            errand = errand_add (client, request);
            errand->beside = true;
            errand->variant = 1;
            errand->think_ms = (int64_t) draw (self, 2500);
            errand->patience_ms = draw_patience (self);
        }
        if (request->operation == OPERATION_MODIFY && chance (self, 60))
            draw_quarrel (self, client, request);
        if (chance (self, 40)) {
            errand = errand_add (client, request);
            errand->show = true;
            errand->think_ms = (int64_t) draw (self, 300);
            errand->patience_ms = draw_patience (self);
        }
    }
}

static void client_begin (schedule_t *self, sim_client_t *client, const char *name)
{
    client->sim = self->sim;
    client->book = &self->book;
    memcpy (client->planners, self->planners, sizeof client->planners);
    client->planners_count = self->planners_count;
    prng_seed (&client->prng, prng_next (&self->prng));
    (void) add (self, name, sim_client_make, client, false, SIM_NOBODY);
}

static void add_users (schedule_t *self)
{
    for (size_t i = 0; i < self->clients_count; i++) {
        draw_errands (self, &self->clients [i], i + 1);
        client_begin (self, &self->clients [i], name_of (self, "client/", i + 1));
    }
    if (chance (self, 50))
        return;
    sim_holder_t *holder = &self->holder;
    holder->sim = self->sim;
    holder->ttl_ms = quick_limits (self).hold_ttl_ms;
    holder->wanted = 1 + draw (self, 6);
    prng_seed (&holder->prng, prng_next (&self->prng));
    for (size_t i = 0; i < self->sites_count; i++) {
        holder->processes [i] = self->lis_processes [i];
        holder->sites [i] = &self->lis [i].site;
    }
    holder->sites_count = self->sites_count;
    (void) add (self, name_of (self, "holder/", 1), sim_holder_make, holder, true, SIM_NOBODY);
}

/*  --- the faults --- */

static int64_t draw_time_us (schedule_t *self)
{
    return CALM_US + (int64_t) draw (self, (uint64_t) (self->heal_us - CALM_US));
}

static int draw_process (schedule_t *self)
{
    return (int) draw (self, sim_processes (self->sim));
}

/*  One kind of message gets through seldom: what depends on it is exercised, not just met. */
static void draw_unlucky (schedule_t *self, sim_net_faults_t *net)
{
    static const char *const methods [] = {"Hold",    "Commit", "Commit", "Abort",   "Resolve",
                                           "Outcome", "Close",  "Look",   "Reserve", "Modify",
                                           "Profile", "Done",   "Prepare"};
    net->unlucky = methods [draw (self, sizeof methods / sizeof methods [0])];
    net->unlucky_kind = chance (self, 50) ? MESSAGE_REQUEST : MESSAGE_ANSWER;
    net->unlucky_loss = PICK (self, 300, 600, 900);
}

static void draw_faults (schedule_t *self, sim_faults_t *faults, sim_net_faults_t *net)
{
    *net = (sim_net_faults_t){.loss = PICK (self, 0, 0, 15, 60, 150),
                              .doubling = PICK (self, 0, 0, 30, 150),
                              .reordering = PICK (self, 0, 30, 100, 300),
                              .delay = PICK (self, 0, 0, 20, 60),
                              .delay_ms_max = PICK (self, 200, 1500, 6000),
                              .keep = PICK (self, 0, 500, 1000)};
    *faults = (sim_faults_t){.crash = PICK (self, 0, 5, 15, 30, 60),
                             .crashes_max = 1 + (uint32_t) draw (self, 8),
                             .pause_ms_max = PICK (self, 30, 500, 4000),
                             .move = PICK (self, 0, 0, 400),
                             .slow = PICK (self, 0, 0, 15)};
    if (self->edgy) {
        net->unlucky = "Commit";
        net->unlucky_kind = MESSAGE_REQUEST;
        net->unlucky_loss = PICK (self, 500, 900);
    } else if (chance (self, 35)) {
        draw_unlucky (self, net);
    }
    self->orphans = self->planners_count > 1 && chance (self, 35);
}

static void step_clock (void *owner, uint64_t process)
{
    schedule_t *self = owner;
    int64_t by_ms = 1200 + (int64_t) draw (self, 3000);
    if (chance (self, 50))
        by_ms = -by_ms;
    sim_step_clock (self->sim, (int) process, by_ms);
    sim_check_stepped (&self->check, (int) process, by_ms);
}

static void add_faults (schedule_t *self)
{
    if (chance (self, 40))
        for (size_t cuts = 1 + draw (self, 4); cuts > 0; cuts--) {
            int64_t from_us = draw_time_us (self);
            int64_t long_us = SECOND_US / 5 + (int64_t) draw (self, 5 * SECOND_US);
            sim_net_cut (sim_net (self->sim), draw_process (self), draw_process (self),
                         chance (self, 30), from_us, from_us + long_us);
        }
    if (chance (self, 40))
        for (size_t kills = 1 + draw (self, 3); kills > 0; kills--)
            sim_kill (self->sim, draw_process (self), draw_time_us (self),
                      (int64_t) PICK (self, 20, 400, 4000));
    if (chance (self, 15))
        sim_at (self->sim, draw_time_us (self), step_clock, self, (uint64_t) draw_process (self));
}

/*  --- what happens --- */

static void on_left (void *owner, const sim_message_t *message)
{
    schedule_t *self = owner;
    sim_check_left (&self->check, message);
}

static void on_flushed (void *owner, int process)
{
    schedule_t *self = owner;
    sim_check_flushed (&self->check, process);
}

static void adopt (void *owner, uint64_t dead)
{
    schedule_t *self = owner;
    self->finished = false;
    (void) add (self, name_of (self, "finisher/", ++self->finishers_count), make_planner,
                &self->finisher, false, (int) dead);
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
        sim_at (self->sim, sim_now_us (self->sim) + 1000 * (int64_t) draw (self, 3000), adopt, self,
                (uint64_t) process);
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
}

/*  How commands ended is told by the lines of their state changes. */
static void on_logged (void *owner, int process, const char *line)
{
    static const struct {
        const char *begin;
        const char *words;
        count_kind_t count;
    } told [] = {
      {"hold ", "cause=outcome", COUNT_DOUBT}, {"hold ", "cause=resolve", COUNT_DOUBT},
      {"hold ", "->edge ", COUNT_EDGES},       {"hold ", "edge->committed", COUNT_LATE},
      {"txn ", "->repaired", COUNT_REPAIRED},
    };
    schedule_t *self = owner;
    (void) process;
    for (size_t i = 0; i < sizeof told / sizeof told [0]; i++)
        if (strncmp (line, told [i].begin, strlen (told [i].begin)) == 0 &&
            strstr (line, told [i].words))
            self->tally->counts [told [i].count]++;
}

static bool users_ended (const schedule_t *self)
{
    for (size_t i = 0; i < self->clients_count; i++)
        if (!sim_client_ended (&self->clients [i]))
            return false;
    return true;
}

/*  Faults have ended: everything must come to rest by itself. */
static void settle (schedule_t *self)
{
    char why [SIM_WHY_BYTES] = "";
    for (size_t i = 0; i < self->clients_count; i++)
        self->clients [i].patient = true;
    for (int second = 0; second < SETTLE_S_MAX && !sim_failed (self->sim); second++) {
        sim_run (self->sim, sim_now_us (self->sim) + SECOND_US);
        if (users_ended (self) && sim_check_settled (&self->check, why))
            return;
    }
    if (!users_ended (self))
        sim_text (why, sizeof why, "a user is still without a final answer");
    sim_fail (self->sim, "not settled %d s after the last fault: %s", SETTLE_S_MAX, why);
}

/*  Asked again when all is over, an id gives the answer it gave; with another body, none. */
static void probe (schedule_t *self)
{
    sim_client_t *prober = &self->clients [SCHEDULE_CLIENTS_MAX];
    prober->patient = true;
    for (size_t i = 0; i < self->book.count; i++) {
        sim_request_t *request = &self->book.requests [i];
        if (!request->told [0] && !request->told [1])
            continue;
        errand_add (prober, request)->variant = request->told [0] ? 0 : 1;
        errand_add (prober, request)->variant = request->told [0] ? 1 : 0;
    }
    size_t alive = 0;
    for (size_t i = 0; i < self->planners_count; i++)
        if (sim_up (self->sim, self->planners [i]))
            self->planners [alive++] = self->planners [i];
    self->planners_count = alive;
    client_begin (self, prober, "prober");
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
    sim_run (self->sim, sim_now_us (self->sim) + REST_US); /* what answers left to do */
    (void) add (self, SIM_AUDITOR, sim_auditor_make, &self->auditor, false, SIM_NOBODY);
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

/*  What kind of schedule this is. */
static void draw_temper (schedule_t *self)
{
    self->nodes_least = PICK (self, 1, 2, 3);
    self->doubt_ms = PICK (self, 300, 300, 3000);
    self->think_ms_max = PICK (self, 800, 3000);
    self->spread = PICK (self, 1, 4, 16);
    self->edgy = chance (self, 20);
    if (self->edgy) {
        self->near_ms = PICK (self, 600, 900, 1500);
        self->spread = 3;
        self->think_ms_max = 800;
        self->doubt_ms = DOUBT_MS_MAX;
        self->nodes_least = 1;
    }
}

static void build (schedule_t *self, const sim_options_t *options)
{
    self->gis_count = asked_or (options->gis, 1 + (uint32_t) draw (self, 2), SCHEDULE_GIS_MAX);
    self->sites_count =
      asked_or (options->sites, 3 + (uint32_t) draw (self, 2), SCHEDULE_SITES_MAX);
    self->planners_count =
      asked_or (options->planners, 1 + (uint32_t) PICK (self, 0, 1, 1, 2), SCHEDULE_PLANNERS_MAX);
    self->clients_count =
      asked_or (options->clients, 2 + (uint32_t) draw (self, 2), SCHEDULE_CLIENTS_MAX);
    self->orphan = SIM_NOBODY;
    self->near_ms = PICK (self, 600, 900, 1500, 3000, 20000);
    draw_temper (self);
    self->heal_us = HEAL_US_MIN + (int64_t) draw (self, HEAL_US_MAX - HEAL_US_MIN);
    self->check.sim = self->sim;
    self->check.book = &self->book;
    self->check.tally = self->tally;
    self->check.hold_age_ms_max = quick_limits (self).hold_age_ms_max;
    sim_observe (self->sim, &(sim_observer_t){.owner = self,
                                              .left = on_left,
                                              .flushed = on_flushed,
                                              .logged = on_logged,
                                              .dies = on_dies,
                                              .ended = on_ended});
    add_gis (self);
    add_sites (self);
    add_planners (self);
}

static void run (schedule_t *self)
{
    sim_faults_t faults = {0};
    sim_net_faults_t net = {.keep = 1000}; /* who starts later is waited for */
    sim_fault (self->sim, &faults, &net);
    sim_run (self->sim, CALM_US);
    add_users (self);
    draw_faults (self, &faults, &net);
    add_faults (self);
    sim_fault (self->sim, &faults, &net);
    sim_run (self->sim, self->heal_us);
    sim_heal (self->sim);
    if (self->finished) /* who was cut off from it all the while asks only now */
        adopt (self, (uint64_t) self->orphan);
    settle (self);
    if (!sim_failed (self->sim))
        probe (self);
    if (!sim_failed (self->sim))
        audit (self);
    if (!sim_failed (self->sim))
        sim_check_end (&self->check);
}

bool sim_schedule_run (uint64_t seed, const sim_options_t *options, sim_tally_t *tally, FILE *trace,
                       char why [SIM_WHY_BYTES])
{
    schedule_t *self = calloc (1, sizeof *self);
    if (!self)
        abort ();
    self->seed = seed;
    self->tally = tally;
    prng_seed (&self->prng, seed ^ 0x7363686564756cu);
    self->sim = sim_new (seed, tally, trace);
    build (self, options);
    run (self);
    bool passed = !sim_failed (self->sim);
    sim_text (why, SIM_WHY_BYTES, sim_why (self->sim));
    tally->counts [COUNT_SCHEDULES]++;
    tally->counts [COUNT_STEPS] += sim_steps (self->sim);
    sim_destroy (&self->sim);
    sim_check_clear (&self->check);
    sim_book_clear (&self->book);
    sim_auditor_clear (&self->auditor);
    for (size_t i = 0; i < self->sites_count; i++)
        free (self->lis [i].site.classes);
    free (self);
    return passed;
}
