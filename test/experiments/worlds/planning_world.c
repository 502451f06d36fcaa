/*  planning_world - the services, their clock, the users who queue at planners, and the counts. */
#include "planning_world.h"
#include "../../gis_everybody.h"

#include "gis.h"
#include "grid.h"
#include "lis.h"
#include "must.h"
#include "nis.h"
#include "outbox.h"
#include "s4_world.h"
#include "sim.h"
#include "sim_wire.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WARM_MS     INT64_C (60000)   /* services find each other */
#define LATE_MS     INT64_C (3600000) /* from the last request until all are answered */
#define PATIENCE_MS INT64_C (7200000)
#define LEASE_MS    3600000
#define STALE_EVERY 3 /* one site in so many is missing from an outdated directory */
#define HOLD_TTL_MS 300000
#define HOLDS_OPEN  1024
#define SQUEEZE     24 /* a day without query times is played in an hour */

#define SITES_MAX   GRID_SITES
#define DOMAINS_MAX S4_DOMAINS

static_assert (SITES_MAX >= S4_SITES, "there is room for either");

static const char *const home [] = {"gis/g1"};
static const char *const gis_endpoint [] = {"sim://gis/g1/1"};
static const char *const anybody [] = {"*"};

/*  A hold that has been asked for. */
typedef struct {
    int from;
    uint64_t call;
    double cpu_s;
} planning_world_pending_t;

typedef struct world planning_world_t;

/*  The requests put to one planner, in the order of their arrival. */
typedef struct {
    planning_world_t *world;
    outbox_t *outbox;
    int planner;
    size_t asked; /* the request under way; SIZE_MAX = none */
    int64_t asked_ms;
    size_t next;
    uint64_t calls;
    int64_t origin_ms; /* monotonic time of the world's beginning */
} users_t;

struct world {
    const planning_order_t *order;
    planning_result_t *result;
    sim_t *sim;
    prng_t prng; /* service times */
    grid_t grid;
    s4_world_t s4;
    gis_settings_t gis;
    lis_settings_t lis [SITES_MAX];
    char lis_names [SITES_MAX][NAME_BYTES_MAX + 1];
    nis_settings_t nis [DOMAINS_MAX];
    char nis_names [DOMAINS_MAX][NAME_BYTES_MAX + 1];
    planner_settings_t planner;
    users_t users [PLANNING_BURST_MAX];
    char planner_names [PLANNING_BURST_MAX][NAME_BYTES_MAX + 1];
    char user_names [PLANNING_BURST_MAX][NAME_BYTES_MAX + 1];
    scenario_request_t *requests;
    size_t requests_count;
    planning_world_pending_t pending [HOLDS_OPEN];
    size_t pending_count;
    double granted;   /* CPU-seconds, without what replaces a hold of the same plan */
    double committed; /* CPU-seconds */
    double cost;
    double planning_s;
    double latency_s;
    double waited_s;
    uint64_t answered;
    uint64_t committed_count;
    uint64_t messages;
};

/*  --- what a query takes (table 2) --- */

static bool is (const sim_message_t *message, const char *service, const char *method)
{
    return strcmp (message->service, service) == 0 && strcmp (message->method, method) == 0;
}

/*  Nodes have one CPU each. */
static double cpu_seconds_of (const sim_command_t *command)
{
    double sum = 0;
    for (size_t i = 0; i < command->bookings_count; i++)
        sum += (double) command->bookings [i].nodes *
               (double) (command->bookings [i].until_ms - command->bookings [i].from_ms) / 1e3;
    return sum;
}

static int64_t between_s (planning_world_t *self, int64_t least)
{
    return 1000000 * least + (int64_t) prng_below (&self->prng, 1000000);
}

/*  In its last round bir holds again what it holds already; no other step does. */
static bool is_held_again (const planning_world_t *self, const sim_asked_t *asked)
{
    return asked->replaces_count > 0 && strcmp (self->order->algorithm, "bir") == 0;
}

/*  As measured (E0.5); any other query takes no time. */
static int64_t serve_measured (const planning_live_t *live, const sim_message_t *request)
{
    static const struct {
        const char *service;
        const char *method;
        timed_t timed;
    } table [] = {{"Calendar", "Free", TIMED_FREE},       {"Calendar", "Windows", TIMED_WINDOWS},
                  {"Calendar", "Profile", TIMED_PROFILE}, {"Participant", "Hold", TIMED_HOLD},
                  {"Participant", "Prepare", TIMED_HOLD}, {"Participant", "Commit", TIMED_ABORT},
                  {"Participant", "Abort", TIMED_ABORT}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (is (request, table [i].service, table [i].method))
            return live->times_us [table [i].timed];
    return 0;
}

static int64_t serve (void *owner, const sim_message_t *request)
{
    planning_world_t *self = owner;
    if (self->order->untimed)
        return 0;
    if (self->order->live)
        return serve_measured (self->order->live, request);
    if (request->to >= 0 && strncmp (sim_name (self->sim, request->to), "gis/", 4) == 0)
        return 0;
    if (is (request, "Calendar", "Free") || is (request, "Calendar", "Profile"))
        return between_s (self, 2);
    if (is (request, "Calendar", "Windows") || is (request, "Participant", "Commit") ||
        is (request, "Participant", "Abort"))
        return between_s (self, 1);
    if (!is (request, "Participant", "Hold"))
        return 0;
    sim_asked_t asked;
    bool read = sim_wire_hold_read (request, &asked);
    return read && is_held_again (self, &asked) ? 0 : between_s (self, 1);
}

/*  --- counting --- */

static bool counts (const sim_message_t *message)
{
    return strcmp (message->service, "Calendar") == 0 ||
           strcmp (message->service, "Participant") == 0;
}

static void see_hold (planning_world_t *self, const sim_message_t *message)
{
    sim_asked_t asked;
    if (!sim_wire_hold_read (message, &asked) || is_held_again (self, &asked))
        return;
    assert (self->pending_count < HOLDS_OPEN);
    self->pending [self->pending_count++] = (planning_world_pending_t){
      .from = message->from, .call = message->call, .cpu_s = cpu_seconds_of (&asked.command)};
}

static void see_held (planning_world_t *self, const sim_message_t *message)
{
    txid_t txid;
    command_state_t state;
    uint32_t ttl_ms;
    refusal_reason_t refused;
    for (size_t i = 0; i < self->pending_count; i++) {
        if (self->pending [i].from != message->to || self->pending [i].call != message->call)
            continue;
        if (message->status == CALL_OK &&
            sim_wire_command_answer (sim_message_body (message), &txid, &state, &ttl_ms,
                                     &refused) &&
            (state == COMMAND_HELD || state == COMMAND_PREPARED))
            self->granted += self->pending [i].cpu_s;
        self->pending [i] = self->pending [--self->pending_count];
        return;
    }
}

static void left (void *owner, const sim_message_t *message)
{
    planning_world_t *self = owner;
    if (message->kind == MESSAGE_NOTICE || !counts (message))
        return;
    self->messages++;
    if (is (message, "Participant", "Hold") && message->kind == MESSAGE_REQUEST)
        see_hold (self, message);
    else if (is (message, "Participant", "Hold"))
        see_held (self, message);
}

/*  --- users --- */

static int64_t world_ms (const planning_world_t *self)
{
    return sim_now_us (self->sim) / 1000 - WARM_MS;
}

/*  How far its windows lie ahead of what the request says. */
static int64_t ahead_ms (const planning_world_t *self)
{
    return self->order->live ? self->order->live->ahead_ms : 0;
}

/*  The next request of this planner from this index on. */
static size_t request_from (const users_t *self, size_t at)
{
    const planning_world_t *world = self->world;
    size_t planner = (size_t) (self - world->users);
    while (at < world->requests_count && world->requests [at].planner != planner)
        at++;
    return at;
}

const char *planning_route (const char *algorithm)
{
    bool backtracks = strcmp (algorithm, "bbr") == 0 || strcmp (algorithm, "bir") == 0;
    return backtracks ? "fixed" : "";
}

/*  When the request is sent to its planner. Where queries take no time, it does not matter how long
 *  services are idle in between, and a whole day would take far longer to play than its requests
 *  do. */
static int64_t arrives_ms (const planning_world_t *self, const scenario_request_t *request)
{
    if (self->order->live)
        return request->arrival_ms / self->order->live->haste;
    return self->order->untimed ? request->arrival_ms / SQUEEZE : request->arrival_ms;
}

static void ask (users_t *self, const moment_t *now)
{
    planning_world_t *world = self->world;
    const planning_order_t *order = world->order;
    while (self->asked == SIZE_MAX && self->next < world->requests_count) {
        const scenario_request_t *request = &world->requests [self->next];
        int64_t wait_ms = arrives_ms (world, request) - world_ms (world);
        if (wait_ms > 0) {
            outbox_timer (self->outbox, now->mono_ms + wait_ms);
            return;
        }
        size_t at = self->next;
        self->next = request_from (self, at + 1);
        if (arrives_ms (world, request) + PLANNING_W_INTERVAL_MS <= world_ms (world)) {
            world->result->too_late++;
            continue;
        }
        planning_ask_t asks = {.request = request,
                               .systems = grid_systems,
                               .algorithm = order->algorithm,
                               .policy = order->policy,
                               .route = planning_route (order->algorithm),
                               .earliest_ms =
                                 SIM_EPOCH_MS + WARM_MS + ahead_ms (world) + request->earliest_ms};
        char id [NAME_BYTES_MAX + 1];
        snprintf (id, sizeof id, "r%zu@g1", at);
        packed_t body = planning_ask_encode (&asks);
        outbox_push (
          self->outbox,
          &(effect_t){
            .kind = EFFECT_CALL,
            .call = {.call = ++self->calls,
                     .endpoint = sim_address (world->sim, self->planner),
                     .service = "Planner",
                     .method = "Reserve",
                     .actor = order->setting == PLANNING_S4 ? s4_users [request->user] : "user",
                     .request_id = id,
                     .body = {.data = body.data, .size = body.size},
                     .timeout_ms = PATIENCE_MS}});
        free (body.data);
        self->asked = at;
        self->asked_ms = world_ms (world);
    }
}

static void take_answer (users_t *self, const event_t *event)
{
    planning_world_t *world = self->world;
    const scenario_request_t *request = &world->requests [self->asked];
    planning_answer_t answer;
    if (event->answer.status != CALL_OK || !planning_answer_decode (event->answer.body, &answer) ||
        !answer.final) {
        sim_fail (world->sim, "request %zu: no final answer: status %d %s", self->asked,
                  (int) event->answer.status, event->answer.reason);
        return;
    }
    bool in_time = world_ms (world) <= arrives_ms (world, request) + PLANNING_W_INTERVAL_MS;
    if (!in_time)
        world->result->too_late++;
    answer.start_ms -= SIM_EPOCH_MS + WARM_MS;
    if (world->order->told)
        world->order->told (world->order->owner, request, &answer, in_time);
    world->answered++;
    world->waited_s += (double) (world_ms (world) - arrives_ms (world, request)) / 1000;
    if (!answer.committed)
        return;
    world->result->planned += in_time;
    world->committed_count++;
    world->planning_s += answer.planning_s;
    world->latency_s += (double) (world_ms (world) - self->asked_ms) / 1000;
    world->cost += answer.cost;
    for (size_t i = 0; i < request->jobs_count; i++)
        world->committed +=
          (double) request->jobs [i].cpus * (double) request->jobs [i].duration_ms / 1e3;
}

static void users_step (void *self_, const moment_t *now, const event_t *event)
{
    users_t *self = self_;
    outbox_clear (self->outbox);
    if (event->kind == EVENT_ANSWER) {
        take_answer (self, event);
        self->asked = SIZE_MAX;
    }
    ask (self, now);
}

static bool users_next (void *self, effect_t *effect)
{
    return outbox_next (((users_t *) self)->outbox, effect);
}

static void users_destroy (void *self)
{
    outbox_destroy (&((users_t *) self)->outbox);
}

static void make_users (void *owner, core_t *core)
{
    users_t *self = owner;
    self->outbox = outbox_new ();
    *core =
      (core_t){.self = self, .step = users_step, .next = users_next, .destroy = users_destroy};
}

/*  --- services --- */

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

static int add (planning_world_t *self, const char *name, void (*make) (void *, core_t *),
                void *owner, int64_t start_us)
{
    static const sim_clock_t exact = {0};
    return sim_add (self->sim,
                    &(sim_program_t){.name = name, .make = make, .owner = owner, .stays = true},
                    &exact, SIM_NOBODY, start_us);
}

/*  A plan may take as long as w_interval, and no participant is in doubt meanwhile. */
static participant_limits_t limits_of (const planning_world_t *self)
{
    participant_limits_t limits = SETTINGS_PRESET (participant_limits_t, &participant_table);
    if (self->order->live)
        return limits;
    limits.hold_ttl_ms = HOLD_TTL_MS;
    limits.hold_ttl_ms_max = HOLD_TTL_MS;
    limits.hold_age_ms_max = 2 * (uint32_t) PLANNING_W_INTERVAL_MS;
    limits.doubt_ms = 600000;
    limits.doubt_ms_max = 600000;
    return limits;
}

static const hold_quota_limits_t all_uncommitted = {
  .share = 100, .share_per_planner = 100, .share_per_actor = 100};
static const access_t open_to_all = {.accounts = anybody, .accounts_count = 1};

static void add_gis (planning_world_t *self)
{
    self->gis = gis_for_everybody ();
    self->gis.name = home [0];
    self->gis.homes = home;
    self->gis.homes_count = 1;
    self->gis.lease_ms_min = self->gis.lease_ms_max = LEASE_MS;
    self->gis.access = open_to_all;
    self->gis.limits = limits_of (self);
    add (self, home [0], make_gis, &self->gis, 0);
}

static void add_lis (planning_world_t *self, size_t at, const char *name, const site_t *site)
{
    char *full = self->lis_names [at];
    snprintf (full, sizeof self->lis_names [at], "lis/%.50s", name);
    self->lis [at] = (lis_settings_t){
      .provider.name = full,
      .site = *site,
      .provider.access = open_to_all,
      .provider.participant = limits_of (self),
      .provider.limits = SETTINGS_PRESET (lis_settings_t, &lis_table).provider.limits,
      .plus = SETTINGS_PRESET (plus_limits_t, &plus_table),
      .provider.gis_endpoints = gis_endpoint,
      .provider.gis_count = 1};
    if (!self->order->quota && !self->order->live)
        self->lis [at].provider.limits.bookings.hold_quota = all_uncommitted;
    if (self->order->stale && at % STALE_EVERY == 0)
        self->lis [at].provider.gis_count = 0;
    add (self, full, make_lis, &self->lis [at], 1000);
}

static void add_nis (planning_world_t *self, size_t at, const char *name, const domain_t *domain)
{
    char *full = self->nis_names [at];
    snprintf (full, sizeof self->nis_names [at], "nis/%.50s", name);
    self->nis [at] = (nis_settings_t){
      .provider.name = full,
      .domain = *domain,
      .provider.access = open_to_all,
      .provider.participant = limits_of (self),
      .provider.limits = SETTINGS_PRESET (nis_settings_t, &nis_table).provider.limits,
      .provider.gis_endpoints = gis_endpoint,
      .provider.gis_count = 1,
      .paths_max = NIS_PATHS_MOST};
    if (!self->order->quota && !self->order->live)
        self->nis [at].provider.limits.bookings.hold_quota = all_uncommitted;
    add (self, full, make_nis, &self->nis [at], 1000);
}

static void add_services (planning_world_t *self)
{
    add_gis (self);
    if (self->order->setting == PLANNING_S4) {
        for (size_t i = 0; i < S4_SITES; i++)
            add_lis (self, i, s4_sites [i].name, &self->s4.sites [i]);
        for (size_t i = 0; i < S4_DOMAINS; i++)
            add_nis (self, i, s4_domains [i], &self->s4.domains [i]);
        return;
    }
    for (size_t i = 0; i < self->grid.sites_count; i++)
        add_lis (self, i, self->grid.names [i], &self->grid.sites [i]);
    add_nis (self, 0, "grid", &self->grid.network);
}

/*  Planning may take w_interval, whatever else the product's defaults would say. */
static void set_patience (const planning_world_t *self, planner_settings_t *settings)
{
    settings->request_limit_ms = 2 * PLANNING_W_INTERVAL_MS;
    settings->decide_ms = PLANNING_W_INTERVAL_MS;
    settings->hold_ttl_ms = HOLD_TTL_MS;
    settings->try_ms = PLANNING_W_INTERVAL_MS;
    settings->backtrack_wait_ms = PLANNING_W_INTERVAL_MS;
    settings->backtrack_terse = true; /* S0's planners only say no, and look for no alternatives */
    settings->backtrack_own = self->order->own;
    settings->backtrack_least = self->order->least;
    settings->backtrack_whole = self->order->whole;
}

static void add_planners (planning_world_t *self)
{
    planner_settings_t *settings = &self->planner;
    *settings = SETTINGS_PRESET (planner_settings_t, &planner_table);
    settings->restore_guard_wait_ms = 0;
    settings->gis_endpoints = gis_endpoint;
    settings->gis_count = 1;
    if (!self->order->live)
        set_patience (self, settings);
    settings->finish_interval_ms = 0;
    if (self->order->ip)
        settings->ip = *self->order->ip;
    size_t count = self->order->setting == PLANNING_S4 ? 1 : SCENARIO_PLANNERS;
    if (self->order->burst > 0)
        count = self->order->burst;
    for (size_t i = 0; i < count; i++) {
        snprintf (self->planner_names [i], sizeof self->planner_names [i], "planner/%zu", i + 1);
        snprintf (self->user_names [i], sizeof self->user_names [i], "users/%zu", i + 1);
        users_t *users = &self->users [i];
        *users =
          (users_t){.world = self,
                    .planner = add (self, self->planner_names [i], make_planner, settings, 2000),
                    .asked = SIZE_MAX};
        users->next = request_from (users, 0);
        add (self, self->user_names [i], make_users, users, 1000 * WARM_MS);
    }
}

static void make_setting (planning_world_t *self, uint64_t seed)
{
    const planning_order_t *order = self->order;
    if (order->setting == PLANNING_S4) {
        s4_world_make (&self->s4);
        self->requests =
          s4_requests (seed, order->load, order->hours * 3600000, &self->requests_count);
        return;
    }
    grid_make (&self->grid, seed, order->wide);
    if (order->live)
        grid_shrink (&self->grid, order->live->sites);
    self->requests = scenario_make (&(scenario_order_t){.kind = order->kind,
                                                        .load = order->load,
                                                        .cpus = self->grid.cpus,
                                                        .until_ms = order->hours * 3600000,
                                                        .histogram = order->histogram},
                                    seed, &self->requests_count);
}

static void clear_setting (planning_world_t *self)
{
    free (self->requests);
    if (self->order->setting == PLANNING_S4)
        s4_world_clear (&self->s4);
    else
        grid_clear (&self->grid);
}

/*  The same requests, grouped into bursts: each comes when the last one of its burst would have
 *  come. */
static void gather_bursts (planning_world_t *self)
{
    size_t burst = self->order->burst;
    for (size_t i = 0; burst > 0 && i < self->requests_count; i++) {
        scenario_request_t *request = &self->requests [i];
        size_t last = i - i % burst + burst - 1;
        if (last >= self->requests_count)
            last = self->requests_count - 1;
        int64_t later_ms = self->requests [last].arrival_ms - request->arrival_ms;
        request->planner = i % burst;
        request->arrival_ms += later_ms;
        if (self->order->setting == PLANNING_GRID) /* S4's starts are some time of the next day */
            request->earliest_ms += later_ms;
    }
}

static double mean_of (double sum, uint64_t count)
{
    return count > 0 ? sum / (double) count : 0;
}

bool planning_play (const planning_order_t *order, uint64_t seed, planning_result_t *result,
                    char why [LONG_WHY_BYTES])
{
    static const sim_observer_t none = {0};
    assert (order->burst <= PLANNING_BURST_MAX);
    planning_world_t *self = must (calloc (1, sizeof *self));
    sim_tally_t tally = {0};
    *result = (planning_result_t){0};
    self->order = order;
    self->result = result;
    prng_seed (&self->prng, seed ^ UINT64_C (0x5e771ce));
    make_setting (self, seed);
    gather_bursts (self);
    uint64_t lot = order->live ? order->live->lot * UINT64_C (0x9e3779b97f4a7c15) : 0;
    self->sim = sim_new (seed ^ lot, &tally, NULL);
    sim_observer_t observer = none;
    observer.owner = self;
    observer.left = left;
    sim_observe (self->sim, &observer);
    sim_pace (self->sim, 0, 0);
    sim_serve (self->sim, serve, self);
    add_services (self);
    add_planners (self);
    int64_t until_ms = order->hours * 3600000 + LATE_MS;
    if (order->live)
        until_ms = order->hours * 3600000 / order->live->haste + LATE_MS;
    sim_run (self->sim, 1000 * (WARM_MS + (order->untimed ? until_ms / SQUEEZE : until_ms)));
    bool sound = !sim_failed (self->sim);
    if (!sound)
        snprintf (why, LONG_WHY_BYTES, "%s", sim_why (self->sim));
    sim_destroy (&self->sim);
    double requests = (double) self->requests_count;
    result->requests = self->requests_count;
    result->price = self->committed > 0 ? 3600 * self->cost / self->committed : 0;
    result->planning_s = mean_of (self->planning_s, self->committed_count);
    result->latency_s = mean_of (self->latency_s, self->committed_count);
    result->waited_s = mean_of (self->waited_s, self->answered);
    result->messages = requests > 0 ? (double) self->messages / requests : 0;
    result->blocked = requests > 0 ? (self->granted - self->committed) / requests : 0;
    clear_setting (self);
    free (self);
    return sound;
}
