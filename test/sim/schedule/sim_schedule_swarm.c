/*  sim_schedule_swarm - the wider draw: each schedule has a random few of the features below, drawn
 *  from a stream of their own, on top of the federation, users and faults that the seed gives
 *  without.
 *
 *  Users outside vary limits, sizes of stores, distances and shapes of requests; a fixed scene
 *  never does. Everything drawn here is within what a configuration may say.
 */
#include "planner_limits.h"
#include "sim_schedule_own.h"

#include <stdio.h>
#include <string.h>

#define CHANCE       30 /* percent, of each feature */
#define CHANCE_EDGES 50 /* higher, since a repair needs much to go wrong */

#define CROWD_THINK_MS   60     /* all clients ask within this time */
#define STORE_BYTES      131072 /* bytes of records: an eighth of the least limit that can be set */
#define LEFT_LEAST       13500  /* left when users begin: more than what is reserved for ends */
#define LEFT_MOST        30000
#define ABSENT_MS        600000 /* until faults end */
#define LONE_FRAME_MS    60000
#define PATIENT_LIMIT_MS 10000
#define LONE_MS          4000

static uint64_t draw (schedule_t *self, uint64_t bound)
{
    return prng_below (&self->swarm.prng, bound);
}

static uint64_t pick (schedule_t *self, const uint64_t *list, size_t count)
{
    return list [draw (self, count)];
}

#define ONE_OF(self, ...)                                                                          \
    pick (self, (const uint64_t []){__VA_ARGS__},                                                  \
          sizeof (const uint64_t []){__VA_ARGS__} / sizeof (uint64_t))

bool schedule_swarm_has (const schedule_t *self, swarm_feature_t feature)
{
    return self->swarm.features & 1u << feature;
}

/*  --- the federation --- */

static uint32_t drawn (schedule_t *self, uint32_t asked, uint64_t number)
{
    (void) self;
    return asked ? asked : (uint32_t) number;
}

void schedule_swarm_begin (schedule_t *self, sim_options_t *options)
{
    static const char *const words [SWARM_FEATURES] = {"sizes", "limits", "stores",   "lags",
                                                       "crowd", "thin",   "plus",     "absent",
                                                       "edges", "lone",   "segments", "told"};
    char told [128] = "";
    for (unsigned f = 0; f < SWARM_FEATURES; f++)
        if (draw (self, 100) < (f == SWARM_EDGES ? CHANCE_EDGES : CHANCE))
            self->swarm.features |= 1u << f;
    if (schedule_swarm_has (self, SWARM_LONE))
        self->swarm.features &= ~(1u << SWARM_CROWD | 1u << SWARM_EDGES | 1u << SWARM_STORES |
                                  1u << SWARM_ABSENT | 1u << SWARM_PLUS);
    self->check.releases = schedule_swarm_has (self, SWARM_ABSENT) &&
                           !schedule_swarm_has (self, SWARM_LIMITS) &&
                           !schedule_swarm_has (self, SWARM_STORES);
    for (unsigned f = 0; f < SWARM_FEATURES; f++)
        if (schedule_swarm_has (self, (swarm_feature_t) f))
            snprintf (told + strlen (told), sizeof told - strlen (told), " %s", words [f]);
    sim_trace (self->sim, SIM_NOBODY, "swarm:%s", told);
    if (schedule_swarm_has (self, SWARM_LONE))
        options->clients = 1;
    if (!schedule_swarm_has (self, SWARM_SIZES))
        return;
    if (schedule_swarm_has (self, SWARM_EDGES) && draw (self, 2) == 0) { /* no other place */
        options->sites = drawn (self, options->sites, 2);
        if (!options->no_domains)
            options->domains = drawn (self, options->domains, 1);
    }
    options->sites = drawn (self, options->sites, ONE_OF (self, 1, 2, 2, 3, 4, 5, 6, 8));
    options->planners = drawn (self, options->planners, ONE_OF (self, 1, 2, 3, 4, 6, 8));
    options->gis = drawn (self, options->gis, 1 + draw (self, SCHEDULE_GIS_MAX));
    options->clients = drawn (self, options->clients, ONE_OF (self, 1, 2, 3, 4, 6, 8, 12));
    if (!options->no_domains)
        options->domains = drawn (self, options->domains, draw (self, SCHEDULE_DOMAINS_MAX + 1));
}

void schedule_swarm_temper (schedule_t *self)
{
    if (schedule_swarm_has (self, SWARM_CROWD))
        self->near_ms = (int64_t) ONE_OF (self, 1500, 3000, 20000);
    if (schedule_swarm_has (self, SWARM_EDGES)) {
        self->edgy = draw (self, 4) == 0;
        self->near_ms = (int64_t) ONE_OF (self, 600, 900, 1500);
        self->spread = (uint32_t) ONE_OF (self, 1, 3);
        self->think_ms_max = 800;
        self->nodes_least = (uint32_t) ONE_OF (self, 1, 1, 2);
    }
}

uint32_t schedule_swarm_late_chance (schedule_t *self, uint32_t usual)
{
    return schedule_swarm_has (self, SWARM_EDGES)  ? 90
           : schedule_swarm_has (self, SWARM_LONE) ? 0
                                                   : usual;
}

static bool narrows (schedule_t *self)
{
    return schedule_swarm_has (self, SWARM_LIMITS) && draw (self, 2) == 0 &&
           !schedule_swarm_has (self, SWARM_LONE);
}

static void narrow_shares (schedule_t *self, hold_quota_limits_t *limits)
{
    limits->share = (uint32_t) ONE_OF (self, 0, 50, 90);
    limits->share_per_planner = (uint32_t) ONE_OF (self, 0, 20, 75);
    limits->share_per_actor = (uint32_t) ONE_OF (self, 0, 20, 75);
}

static void narrow_participant (schedule_t *self, participant_limits_t *limits)
{
    limits->holds_max = (uint32_t) ONE_OF (self, 2, 6, 65536);
    limits->holds_per_actor_max = (uint32_t) ONE_OF (self, 1, 3, 4096);
    limits->holds_per_planner_max = (uint32_t) ONE_OF (self, 1, 3, 16384);
    limits->list_max = (uint32_t) ONE_OF (self, 1, 2, 1000);
}

static void shorten_ledger (schedule_t *self, ledger_limits_t *limits)
{
    if (!schedule_swarm_has (self, SWARM_SEGMENTS))
        return;
    limits->segment_rows = (uint32_t) ONE_OF (self, 2, 8, 16);
    limits->segments_bytes = (int64_t) ONE_OF (self, 2000, 1 << 30);
    limits->retention_ms = (int64_t) ONE_OF (self, 1000, 5000, MS_YEAR);
}

void schedule_swarm_gis (schedule_t *self, gis_settings_t *settings)
{
    shorten_ledger (self, &settings->limits.ledger);
    if (schedule_swarm_has (self, SWARM_ABSENT)) /* most are away for longer than their lease */
        settings->lease_ms_max = (uint32_t) ONE_OF (self, 3000, 3000, 60000);
    if (!narrows (self))
        return;
    narrow_participant (self, &settings->limits);
    settings->lease_ms_max = (uint32_t) ONE_OF (self, 3000, 60000);
}

void schedule_swarm_lis (schedule_t *self, lis_settings_t *settings)
{
    shorten_ledger (self, &settings->provider.participant.ledger);
    if (!narrows (self))
        return;
    narrow_participant (self, &settings->provider.participant);
    narrow_shares (self, &settings->provider.limits.bookings.hold_quota);
    settings->provider.limits.bookings.bookings_max = (uint32_t) ONE_OF (self, 2, 8, 4096);
    settings->provider.limits.bookings.bookings_per_actor_max =
      (uint32_t) ONE_OF (self, 1, 4, 4096);
    settings->provider.limits.questions.profile_steps_max =
      (uint32_t) ONE_OF (self, SITE_CLASSES_MAX, 16384);
    settings->provider.limits.bookings.fresh_steps_max =
      (uint32_t) ONE_OF (self, SITE_CLASSES_MAX, 2048);
    settings->provider.limits.questions.spans_max = (uint32_t) ONE_OF (self, 1, 3, 1024);
    settings->plus.wait_ms = (int64_t) ONE_OF (self, 1000, 4000, 20000);
}

void schedule_swarm_nis (schedule_t *self, nis_settings_t *settings)
{
    shorten_ledger (self, &settings->provider.participant.ledger);
    if (!narrows (self))
        return;
    narrow_participant (self, &settings->provider.participant);
    narrow_shares (self, &settings->provider.limits.bookings.hold_quota);
    settings->provider.limits.bookings.bookings_max = (uint32_t) ONE_OF (self, 2, 8, 4096);
    settings->provider.limits.bookings.bookings_per_actor_max =
      (uint32_t) ONE_OF (self, 1, 4, 4096);
    settings->provider.limits.questions.spans_max = (uint32_t) ONE_OF (self, 1, 3, 1024);
    settings->provider.limits.questions.windows_max = (uint32_t) ONE_OF (self, 1, 8, 4096);
    settings->paths_max = (uint32_t) ONE_OF (self, 1, 2, 256);
}

static void narrow_planner (schedule_t *self, planner_settings_t *settings)
{
    settings->search_steps_max = ONE_OF (self, 1000, 5000, 50000);
    settings->search_slice_steps = ONE_OF (self, 100, 1000, 50000);
    settings->candidates_max = (uint32_t) ONE_OF (self, 1, 2, CANDIDATES_MAX, CANDIDATES_MAX);
    settings->candidates_first = (uint32_t) ONE_OF (self, 1, 2, CANDIDATES_FIRST);
    settings->in_progress_max = (uint32_t) ONE_OF (self, 1, 3, 4096);
    settings->request_limit_ms = (int64_t) ONE_OF (self, 500, 3000, 10000);
    settings->decide_ms = (int64_t) ONE_OF (self, 200, 1500, 10000);
    settings->try_ms = (int64_t) ONE_OF (self, 30, 300, 1000);
    settings->tries_max = (uint32_t) ONE_OF (self, 1, 3, 6);
    settings->attempts_max = (uint32_t) ONE_OF (self, 1, 4, 32);
    settings->backoff_ms = (int64_t) ONE_OF (self, 1, 20, 200);
    settings->repair_tries_max = (uint32_t) ONE_OF (self, 0, 1, 8);
    settings->repair_limit_ms = (int64_t) ONE_OF (self, 500, 30000);
    settings->done_ms = (int64_t) ONE_OF (self, 10, 100, 1000);
    settings->frame_ms = (int64_t) ONE_OF (self, 10000, 120000);
    settings->backtrack_wait_ms = (int64_t) ONE_OF (self, 500, 5000, 20000);
    settings->backtrack_whole = draw (self, 2) == 0;
    settings->backtrack_least = draw (self, 2) == 0;
    settings->backtrack_serial = draw (self, 2) == 0;
    settings->backtrack_own = draw (self, 2) == 0;
    settings->backtrack_terse = draw (self, 2) == 0;
    settings->ip.windows = (uint32_t) ONE_OF (self, 1, 4, WINDOWS_ASKED_MAX);
    settings->ip.steps_max = ONE_OF (self, 1, 200, 20000);
    settings->ip.first = draw (self, 2) == 0;
    settings->ip.hops_max = (uint32_t) ONE_OF (self, 0, 2, 6);
    settings->ip.balance = (balance_t) draw (self, BALANCE_NONE + 1);
}

/*  Searches of a crowd are cut short: otherwise one of them takes as long as a whole schedule. */
void schedule_swarm_planner (schedule_t *self, planner_settings_t *settings)
{
    shorten_ledger (self, &settings->ledger);
    if (schedule_swarm_has (self, SWARM_CROWD))
        settings->search_steps_max = ONE_OF (self, 1000, 1000, 2000, 10000);
    if (schedule_swarm_has (self, SWARM_LIMITS))
        narrow_planner (self, settings);
    if (schedule_swarm_has (self, SWARM_EDGES)) { /* what can't be kept is released soon */
        settings->repair_tries_max = (uint32_t) ONE_OF (self, 0, 0, 1, 8);
        settings->repair_limit_ms = (int64_t) ONE_OF (self, 0, 500, 30000);
    }
    if (!schedule_swarm_has (self, SWARM_LONE))
        return;
    settings->request_limit_ms = PATIENT_LIMIT_MS; /* nothing shall be refused for lack of time */
    settings->decide_ms = PATIENT_LIMIT_MS;
    settings->attempts_max = 32;
}

bool schedule_swarm_narrow (schedule_t *self, bool usual)
{
    return usual || schedule_swarm_has (self, SWARM_THIN);
}

/*  --- users --- */

size_t schedule_swarm_commands (schedule_t *self, size_t usual)
{
    if (schedule_swarm_has (self, SWARM_LONE))
        return 1;
    return self->clients_count > CLIENTS_USUAL ? 1 + draw (self, 2) : usual;
}

/*  All that one site has, or one CPU: a user who is alone must get it. */
static void wish_alone (schedule_t *self, sim_wish_t *wish)
{
    uint32_t most = 1;
    for (size_t i = 0; i < self->sites_count; i++) {
        const node_class_t *class = &self->lis [i].site.classes [0];
        uint32_t cpus = class->nodes * class->cpus_per_node;
        most = cpus > most ? cpus : most;
    }
    wish->needs_count = 1;
    wish->network_count = 0;
    wish->needs [0].cpus = draw (self, 2) == 0 ? most : 1;
    wish->needs [0].offset_ms = 0;
    wish->needs [0].site [0] = '\0';
    wish->fixed = false;
    wish->latest_ms = wish->earliest_ms + LONE_FRAME_MS;
    wish->duration_ms = LONE_MS;
    *wish->algorithm = *wish->policy = '\0';
}

/*  Up to six needs; all pairs are linked by more bandwidth than most links carry. */
static void wish_much (schedule_t *self, sim_wish_t *wish)
{
    wish->needs_count = 2 + draw (self, SIM_NEEDS_MAX - 1);
    wish->distinct_sites = wish->needs_count <= self->sites_count && draw (self, 2) == 0;
    wish->network_count = 0;
    wish->fixed = draw (self, 4) == 0;
    wish->latest_ms = wish->earliest_ms + 1000 * (int64_t) ONE_OF (self, 2, 20, 100);
    for (size_t n = 0; n < wish->needs_count; n++) {
        sim_need_t *need = &wish->needs [n];
        *need = (sim_need_t){.cpus = 1 + (uint32_t) draw (self, 4)};
        snprintf (need->id, sizeof need->id, "n%zu", n + 1);
    }
    if (self->map.count == 0)
        return;
    uint64_t most = ONE_OF (self, 100, 1000, 2400);
    for (size_t b = 1; b < wish->needs_count; b++)
        for (size_t a = 0; a < b; a++) {
            sim_network_need_t *need = &wish->network [wish->network_count++];
            *need = (sim_network_need_t){.ends = {a, b}, .mbps = 50 + (uint32_t) draw (self, most)};
            snprintf (need->id, sizeof need->id, "c%zu", wish->network_count);
        }
}

void schedule_swarm_wish (schedule_t *self, sim_wish_t *wish)
{
    if (schedule_swarm_has (self, SWARM_LONE))
        wish_alone (self, wish);
    else if (schedule_swarm_has (self, SWARM_CROWD) && draw (self, 4) > 0)
        wish_much (self, wish);
}

int64_t schedule_swarm_think (schedule_t *self, int64_t usual_ms)
{
    return schedule_swarm_has (self, SWARM_CROWD) ? (int64_t) draw (self, CROWD_THINK_MS)
                                                  : usual_ms;
}

/*  More is wanted than there is, and what was refused is asked for once more. */
void schedule_swarm_plus (schedule_t *self)
{
    sim_plus_t *plus = &self->plus;
    if (!schedule_swarm_has (self, SWARM_PLUS))
        return;
    for (size_t i = 0; i < plus->actions_count; i++)
        for (size_t c = 0; c < plus->actions [i].changes_count; c++) {
            sim_plus_change_t *change = &plus->actions [i].changes [c];
            change->again = (uint32_t) ONE_OF (self, 0, 1, 4);
            change->again_ms = (int64_t) ONE_OF (self, 100, 1000, 4000);
            if (change->nodes > 0 && draw (self, 2) == 0)
                change->nodes += (uint32_t) draw (self, 4);
        }
}

/*  --- faults --- */

static int draw_server (schedule_t *self)
{
    uint64_t at = draw (self, self->sites_count + self->map.count + self->gis_count);
    if (at < self->sites_count)
        return self->lis_processes [at];
    at -= self->sites_count;
    return at < self->map.count ? self->nis_processes [at]
                                : self->gis_processes [at - self->map.count];
}

static void small_store (schedule_t *self, int process)
{
    if (draw (self, 2) == 0)
        sim_small_store (self->sim, process, STORE_BYTES,
                         LEFT_LEAST + draw (self, LEFT_MOST - LEFT_LEAST));
}

/*  While edges pass and repairs are under way, no planner can reach it for some time. */
static void silence (schedule_t *self, int process)
{
    int64_t from_us = 4 * SECOND_US + (int64_t) draw (self, 6 * SECOND_US);
    int64_t until_us = from_us + SECOND_US / 2 + (int64_t) draw (self, 4 * SECOND_US);
    for (size_t i = 0; i < self->planners_count; i++)
        sim_net_cut (sim_net (self->sim), process, self->planners [i], false, from_us, until_us);
}

void schedule_swarm_faults (schedule_t *self)
{
    if (schedule_swarm_has (self, SWARM_STORES)) {
        for (size_t i = 0; i < self->gis_count; i++)
            small_store (self, self->gis_processes [i]);
        for (size_t i = 0; i < self->sites_count; i++)
            small_store (self, self->lis_processes [i]);
        for (size_t i = 0; i < self->map.count; i++)
            small_store (self, self->nis_processes [i]);
        for (size_t i = 0; i < self->planners_count; i++)
            small_store (self, self->planners [i]);
    }
    if (schedule_swarm_has (self, SWARM_LAGS))
        for (size_t p = 0; p < sim_processes (self->sim); p++)
            if (draw (self, 3) == 0)
                sim_net_lag (sim_net (self->sim), (int) p,
                             1000 * (int64_t) ONE_OF (self, 2, 20, 100, 250, 500));
    if (schedule_swarm_has (self, SWARM_EDGES))
        for (size_t silent = draw (self, 6); silent > 0; silent--)
            silence (self, self->map.count > 0 && draw (self, 2) == 0
                             ? self->nis_processes [draw (self, self->map.count)]
                             : draw_server (self));
    if (schedule_swarm_has (self, SWARM_ABSENT))
        for (size_t gone = 1 + draw (self, 2); gone > 0; gone--)
            sim_kill (self->sim, draw_server (self),
                      CALM_US + (int64_t) draw (self, (uint64_t) (self->heal_us - CALM_US)),
                      ABSENT_MS);
}

void schedule_swarm_room (schedule_t *self)
{
    for (size_t p = 0; schedule_swarm_has (self, SWARM_STORES) && p < sim_processes (self->sim);
         p++)
        sim_small_store (self->sim, (int) p, SIM_STORE_BYTES, SIM_STORE_BYTES / 2);
}

/*  --- checks --- */

/*  A user who is alone is never told that there is not enough: what he asked for was free all the
 *  while, however many places there are to look at, and however far away they are. */
static void check_alone (schedule_t *self, const sim_request_t *request)
{
    if (request->operation == OPERATION_RESERVE && request->answer.status == ANSWER_REFUSED)
        sim_fail (self->sim, "%s was refused what nobody else had: %s", request->request_id,
                  request->answer.reason);
}

void schedule_swarm_check (schedule_t *self)
{
    for (size_t i = 0; i < self->book.count; i++) {
        const sim_request_t *request = &self->book.requests [i];
        if (schedule_swarm_has (self, SWARM_LONE))
            check_alone (self, request);
    }
}
