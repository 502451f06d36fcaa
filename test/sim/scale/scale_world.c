/*  scale_world - makes the federation, counts what is sent, and judges. */
#include "scale_world.h"

#include "../../gis_everybody.h"
#include "lis.h"
#include "must.h"
#include "nis.h"
#include "planner.h"
#include "restore_guard.h"
#include "scale_users.h"
#include "sim_ledger.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECOND_US       INT64_C (1000000)
#define USERS_A_PLANNER 2
#define NODES           16 /* of a site, of one CPU each */
#define LINK_MBPS       10000
#define WARM_US         (20 * SECOND_US)  /* after all have started */
#define CALM_US         (120 * SECOND_US) /* without faults, after the last operation */
#define STEP_US         (10 * SECOND_US)  /* between two looks at how far it is */
#define DOWN_MS_MAX     20000
#define LOOKS_MAX       8192 /* of a soak */
#define GROWTH_MOST     1.2
#define PROGRESS_S      30
#define EXCHANGE        "X"
#define METHODS_MAX     96

typedef enum {
    KIND_SITE,
    KIND_DOMAIN,
    KIND_PLANNER,
    KIND_DIRECTORY,
    KIND_USER,
    KINDS
} scale_kind_t;

static const char *const kind_words [KINDS] = {"site", "domain", "planner", "directory", "user"};

/*  A process: what it runs, and where its processor time is counted. */
typedef struct {
    void (*make) (void *owner, core_t *core);
    void *owner;
    uint64_t *ns;
    uint64_t *steps;
    scale_kind_t kind;
} scale_hosted_t;

/*  A core whose steps are timed. */
typedef struct {
    core_t core;
    const scale_hosted_t *hosted;
} scale_core_t;

/*  A kind of message. */
typedef struct {
    char service [NAME_BYTES_MAX + 1];
    char method [NAME_BYTES_MAX + 1];
    sim_message_kind_t kind;
    uint64_t count;
    uint64_t bytes;
} scale_spoken_t;

/*  How large all is at one moment of a soak. */
typedef struct {
    int64_t at_ms;
    uint64_t stores;
    uint64_t heap;
} scale_size_t;

typedef struct {
    const scale_order_t *order;
    sim_tally_t tally;
    sim_t *sim;
    prng_t prng;
    scale_work_t work;
    size_t busy; /* users who have work in this stage */
    scale_hosted_t *hosted;
    size_t hosted_count;
    uint64_t ns [KINDS];
    uint64_t steps [KINDS];
    size_t counts [KINDS];
    size_t mortals [SCALE_GIS_MAX + SCALE_SITES_MAX + SCALE_DOMAINS_MAX + SCALE_PLANNERS_MAX];
    size_t mortals_count;
    gis_settings_t gis [SCALE_GIS_MAX];
    char homes [SCALE_GIS_MAX][NAME_BYTES_MAX + 1];
    const char *home_names [SCALE_GIS_MAX];
    char endpoints [SCALE_GIS_MAX][SIM_ADDRESS_BYTES];
    const char *endpoint_names [SCALE_GIS_MAX];
    const char *others [SCALE_GIS_MAX][SCALE_GIS_MAX];
    lis_settings_t *lis;
    nis_settings_t *nis;
    node_class_t class;
    char (*names) [NAME_BYTES_MAX + 1];
    size_t names_count;
    planner_settings_t planner;
    scale_user_t *users;
    size_t users_count;
    scale_spoken_t spoken [METHODS_MAX];
    size_t spoken_count;
    scale_size_t looks [LOOKS_MAX];
    size_t looks_count;
    time_t told; /* when progress was told */
    struct timespec begun;
} scale_world_t;

static const char *const anybody [] = {"*"};
static const access_t open_to_all = {
  .accounts = anybody, .accounts_count = 1, .administrators = anybody, .administrators_count = 1};

/*  --- cores whose steps are timed --- */

static uint64_t processor_ns (void)
{
    struct timespec now;
    clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t) now.tv_sec * 1000000000 + (uint64_t) now.tv_nsec;
}

static void timed_step (void *self_, const moment_t *now, const event_t *event)
{
    scale_core_t *self = self_;
    uint64_t begun = processor_ns ();
    self->core.step (self->core.self, now, event);
    *self->hosted->ns += processor_ns () - begun;
    ++*self->hosted->steps;
}

static bool timed_next (void *self_, effect_t *effect)
{
    scale_core_t *self = self_;
    return self->core.next (self->core.self, effect);
}

static void timed_destroy (void *self_)
{
    scale_core_t *self = self_;
    self->core.destroy (self->core.self);
    free (self);
}

static void make_timed (void *owner, core_t *core)
{
    const scale_hosted_t *hosted = owner;
    scale_core_t *self = must (calloc (1, sizeof *self));
    self->hosted = hosted;
    hosted->make (hosted->owner, &self->core);
    *core =
      (core_t){.self = self, .step = timed_step, .next = timed_next, .destroy = timed_destroy};
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

/*  --- the federation --- */

/*  Of each planner. */
static size_t world_users (const scale_order_t *order)
{
    return order->crowd > 0 ? (size_t) order->crowd : USERS_A_PLANNER;
}

static int world_add (scale_world_t *self, scale_kind_t kind, const char *name,
                      void (*make) (void *, core_t *), void *owner, int64_t start_us)
{
    static const sim_clock_t exact = {0};
    scale_hosted_t *hosted = &self->hosted [self->hosted_count++];
    *hosted = (scale_hosted_t){.make = make,
                               .owner = owner,
                               .ns = &self->ns [kind],
                               .steps = &self->steps [kind],
                               .kind = kind};
    self->counts [kind]++;
    int process = sim_add (
      self->sim, &(sim_program_t){.name = name, .make = make_timed, .owner = hosted, .stays = true},
      &exact, SIM_NOBODY, start_us);
    if (kind != KIND_USER)
        self->mortals [self->mortals_count++] = (size_t) process;
    return process;
}

static const char *name_of (scale_world_t *self, const char *kind, size_t number)
{
    char *name = self->names [self->names_count++];
    snprintf (name, NAME_BYTES_MAX + 1, "%s%zu", kind, number);
    return name;
}

static participant_limits_t limits_of (const scale_order_t *order)
{
    participant_limits_t limits = SETTINGS_PRESET (participant_limits_t, &participant_table);
    limits.retention_ms = order->retention_ms;
    limits.ledger.retention_ms = 4 * order->retention_ms;
    return limits;
}

static int64_t joins_us (scale_world_t *self)
{
    return SECOND_US + (int64_t) prng_below (&self->prng, 1000 * (uint64_t) self->order->join_ms);
}

static void add_directories (scale_world_t *self)
{
    size_t count = (size_t) self->order->directories;
    for (size_t i = 0; i < count; i++) {
        snprintf (self->homes [i], sizeof self->homes [i], "gis/g%zu", i + 1);
        snprintf (self->endpoints [i], sizeof self->endpoints [i], "sim://%s/1", self->homes [i]);
        self->home_names [i] = self->homes [i];
        self->endpoint_names [i] = self->endpoints [i];
    }
    for (size_t i = 0; i < count; i++) {
        gis_settings_t *settings = &self->gis [i];
        *settings = gis_for_everybody ();
        settings->name = self->homes [i];
        settings->homes = self->home_names;
        settings->homes_count = count;
        settings->entries_max = SIM_PROCESSES_MAX;
        settings->gis_endpoints = self->others [i];
        for (size_t other = 0; other < count; other++)
            if (other != i)
                self->others [i][settings->gis_count++] = self->endpoints [other];
        settings->limits = limits_of (self->order);
        settings->access = open_to_all;
        settings->restore_guard_wait_ms = RESTORE_GUARD_WAIT_MS / 10;
        world_add (self, KIND_DIRECTORY, settings->name, make_gis, settings, 0);
    }
}

static provider_settings_t provider_of (const scale_world_t *self, const char *name,
                                        const provider_limits_t *limits)
{
    return (provider_settings_t){.name = name,
                                 .access = open_to_all,
                                 .participant = limits_of (self->order),
                                 .limits = *limits,
                                 .gis_endpoints = self->endpoint_names,
                                 .gis_count = (size_t) self->order->directories,
                                 .restore_guard_wait_ms = RESTORE_GUARD_WAIT_MS / 10};
}

static void add_sites (scale_world_t *self)
{
    self->class = (node_class_t){.name = "thin", .nodes = NODES, .cpus_per_node = 1, .price = 1000};
    for (size_t i = 0; i < self->order->sites; i++) {
        lis_settings_t *settings = &self->lis [i];
        *settings = (lis_settings_t){
          .provider = provider_of (self, name_of (self, "lis/s", i),
                                   &SETTINGS_PRESET (lis_settings_t, &lis_table).provider.limits),
          .site = {.classes = &self->class,
                   .classes_count = 1,
                   .horizon_ms = INT64_C (365) * 86400000},
          .plus = SETTINGS_PRESET (plus_limits_t, &plus_table)};
        world_add (self, KIND_SITE, settings->provider.name, make_lis, settings, joins_us (self));
    }
}

static void domain_make (scale_world_t *self, size_t number, domain_t *domain)
{
    size_t most = (size_t) (self->order->sites / self->order->domains) + 1;
    *domain = (domain_t){.vertices = must (calloc (most + 1, sizeof (vertex_t))),
                         .links = must (calloc (most, sizeof (link_t))),
                         .horizon_ms = INT64_C (365) * 86400000};
    domain->vertices [domain->vertices_count++] =
      (vertex_t){.name = EXCHANGE, .kind = VERTEX_EXCHANGE};
    for (size_t site = number; site < self->order->sites; site += (size_t) self->order->domains) {
        vertex_t *vertex = &domain->vertices [domain->vertices_count++];
        link_t *link = &domain->links [domain->links_count++];
        *vertex = (vertex_t){.kind = VERTEX_SITE};
        snprintf (vertex->name, sizeof vertex->name, "s%zu", site);
        *link = (link_t){.ends = {"", EXCHANGE}, .mbps = LINK_MBPS, .latency_us = 1000};
        snprintf (link->name, sizeof link->name, "l%zu", site);
        memcpy (link->ends [0], vertex->name, sizeof link->ends [0]);
    }
}

static void add_domains (scale_world_t *self)
{
    for (size_t i = 0; i < self->order->domains; i++) {
        nis_settings_t *settings = &self->nis [i];
        *settings = (nis_settings_t){
          .provider = provider_of (self, name_of (self, "nis/d", i + 1),
                                   &SETTINGS_PRESET (nis_settings_t, &nis_table).provider.limits),
          .paths_max = NIS_PATHS_MOST};
        domain_make (self, i, &settings->domain);
        world_add (self, KIND_DOMAIN, settings->provider.name, make_nis, settings, joins_us (self));
    }
}

static void add_planners (scale_world_t *self)
{
    planner_settings_t *settings = &self->planner;
    *settings = SETTINGS_PRESET (planner_settings_t, &planner_table);
    settings->gis_endpoints = self->endpoint_names;
    settings->gis_count = (size_t) self->order->directories;
    settings->finish_interval_ms = 0;
    settings->margin_ms = 1000;
    settings->retention_ms = self->order->retention_ms;
    settings->ledger.retention_ms = 4 * self->order->retention_ms;
    settings->restore_guard_wait_ms = RESTORE_GUARD_WAIT_MS / 10;
    for (size_t i = 0; i < self->order->planners; i++) {
        int planner = world_add (self, KIND_PLANNER, name_of (self, "planner/", i + 1),
                                 make_planner, settings, joins_us (self));
        for (size_t k = 0; k < world_users (self->order); k++) {
            scale_user_t *user = &self->users [self->users_count++];
            *user =
              (scale_user_t){.work = &self->work, .number = self->users_count, .planner = planner};
            snprintf (user->name, sizeof user->name, "user%zu", user->number);
            prng_seed (&user->prng, prng_next (&self->prng));
            world_add (self, KIND_USER, name_of (self, "user/", self->users_count), scale_user_make,
                       user, 1000 * self->order->join_ms + WARM_US);
        }
    }
}

/*  --- counting --- */

static scale_spoken_t *spoken_of (scale_world_t *self, const sim_message_t *message)
{
    for (size_t i = 0; i < self->spoken_count; i++) {
        scale_spoken_t *one = &self->spoken [i];
        if (one->kind == message->kind && strcmp (one->method, message->method) == 0 &&
            strcmp (one->service, message->service) == 0)
            return one;
    }
    if (self->spoken_count == METHODS_MAX)
        return &self->spoken [METHODS_MAX - 1];
    scale_spoken_t *fresh = &self->spoken [self->spoken_count++];
    *fresh = (scale_spoken_t){.kind = message->kind};
    memcpy (fresh->service, message->service, sizeof fresh->service);
    memcpy (fresh->method, message->method, sizeof fresh->method);
    return fresh;
}

static void on_left (void *owner, const sim_message_t *message)
{
    scale_world_t *self = owner;
    scale_spoken_t *spoken = spoken_of (self, message);
    spoken->count++;
    spoken->bytes += message->size;
    bool background = message->kind == MESSAGE_NOTICE || strcmp (message->service, "Gis") == 0 ||
                      strcmp (message->service, "Planner") == 0;
    if (background || self->work.over)
        return;
    scale_figures_t *figures = &self->work.figures [self->work.stage];
    figures->messages++;
    figures->requests += message->kind == MESSAGE_REQUEST;
    figures->bytes += message->size;
}

static uint64_t heap_bytes (void)
{
    struct mallinfo2 heap = mallinfo2 ();
    return heap.uordblks + heap.hblkhd;
}

static uint64_t stores_bytes (const scale_world_t *self, scale_kind_t kind)
{
    uint64_t sum = 0;
    for (size_t p = 0; p < self->hosted_count; p++) {
        const sim_store_t *store = sim_store (self->sim, (int) p);
        if (kind == KINDS || self->hosted [p].kind == kind)
            sum += sim_store_bytes (store) - sim_store_free_bytes (store);
    }
    return sum;
}

/*  --- what is promised to all users together --- */

static int by_site (const void *a, const void *b)
{
    const scale_share_t *one = a, *two = b;
    return one->site != two->site ? (one->site < two->site ? -1 : 1)
                                  : (one->from_ms > two->from_ms) - (one->from_ms < two->from_ms);
}

/*  Nodes of its site that are promised at the instant at which this share begins. */
static uint32_t promised_at (const scale_share_t *shares, size_t count, size_t at)
{
    uint32_t sum = 0;
    size_t from = at;
    while (from > 0 && shares [from - 1].site == shares [at].site)
        from--;
    for (size_t i = from; i < count && shares [i].site == shares [at].site; i++)
        if (shares [i].from_ms <= shares [at].from_ms && shares [at].from_ms < shares [i].until_ms)
            sum += shares [i].nodes;
    return sum;
}

static void check_promises (scale_world_t *self)
{
    scale_share_t *shares =
      must (calloc (self->users_count * SCALE_BATCH * SCALE_NEEDS, sizeof *shares));
    size_t count = 0;
    for (size_t u = 0; u < self->users_count; u++)
        for (size_t k = 0; k < SCALE_BATCH; k++)
            for (size_t i = 0; i < self->users [u].kept [k].shares_count; i++)
                shares [count++] = self->users [u].kept [k].shares [i];
    qsort (shares, count, sizeof *shares, by_site);
    for (size_t i = 0; i < count; i++)
        if (promised_at (shares, count, i) > NODES)
            sim_fail (self->sim, "site s%u has %d nodes, and users were promised %u at once",
                      (unsigned) shares [i].site, NODES, promised_at (shares, count, i));
    free (shares);
}

/*  --- stages --- */

static bool work_is_over (const scale_world_t *self)
{
    const scale_order_t *order = self->order;
    const scale_figures_t *reserved = &self->work.figures [SCALE_RESERVE];
    return order->days_ms > 0 ? sim_now_us (self->sim) / 1000 >= order->days_ms
                              : reserved->done + reserved->refused >= order->reservations;
}

static void stage_next (void *owner)
{
    scale_world_t *self = owner;
    if (--self->busy > 0)
        return;
    if (self->work.stage == SCALE_RESERVE || self->work.stage == SCALE_MODIFY)
        check_promises (self);
    self->busy = self->users_count;
    self->work.stage = (self->work.stage + 1) % SCALE_STAGES;
    self->work.round += self->work.stage == SCALE_RESERVE;
    self->work.over = self->work.stage == SCALE_RESERVE && work_is_over (self);
}

/*  --- deaths, and looks --- */

static void kill_one (void *owner, uint64_t token)
{
    scale_world_t *self = owner;
    (void) token;
    if (self->work.over)
        return;
    size_t victim = self->mortals [prng_below (&self->prng, self->mortals_count)];
    sim_kill (self->sim, (int) victim, sim_now_us (self->sim),
              (int64_t) prng_below (&self->prng, DOWN_MS_MAX));
    sim_at (self->sim,
            sim_now_us (self->sim) +
              1000 * (int64_t) prng_below (&self->prng, 2 * (uint64_t) self->order->kills_ms),
            kill_one, self, 0);
}

static void world_look (scale_world_t *self)
{
    if (self->looks_count == LOOKS_MAX)
        return;
    self->looks [self->looks_count++] = (scale_size_t){.at_ms = sim_now_us (self->sim) / 1000,
                                                       .stores = stores_bytes (self, KINDS),
                                                       .heap = heap_bytes ()};
}

static void world_tell (scale_world_t *self)
{
    time_t now = time (NULL);
    const scale_figures_t *reserved = &self->work.figures [SCALE_RESERVE];
    if (now < self->told + PROGRESS_S)
        return;
    self->told = now;
    printf ("# %.0f virtual s, %" PRIu64 " reserved, %" PRIu64 " refused, heap %.0f MB\n",
            (double) sim_now_us (self->sim) / 1e6, reserved->done, reserved->refused,
            (double) heap_bytes () / 1e6);
    fflush (stdout);
}

/*  --- figures --- */

static double ratio (uint64_t a, uint64_t b)
{
    return b > 0 ? (double) a / (double) b : 0;
}

static void print_operations (const scale_world_t *self)
{
    static const char *const words [SCALE_STAGES] = {"reserve", "show", "modify", "release"};
    printf ("%-10s %9s %8s %7s %8s %9s %9s %9s\n", "operation", "done", "refused", "again", "votes",
            "questions", "messages", "bytes");
    for (size_t i = 0; i < SCALE_STAGES; i++) {
        const scale_figures_t *one = &self->work.figures [i];
        uint64_t all = one->done + one->refused;
        printf ("%-10s %9" PRIu64 " %8" PRIu64 " %7" PRIu64 " %8.2f %9.1f %9.1f %9.0f\n", words [i],
                one->done, one->refused, one->again, ratio (one->attempts, all),
                ratio (one->requests, all), ratio (one->messages, all), ratio (one->bytes, all));
    }
    puts ("(votes, questions, messages and bytes are those of one operation)");
    const scale_figures_t *reserved = &self->work.figures [SCALE_RESERVE];
    if (self->order->crowd > 0)
        printf (
          "a reservation begins %.2f windows after what was wanted, told in %.1f virtual ms\n",
          (double) reserved->waits_ms / (double) self->order->lasts_ms / (double) reserved->done,
          (double) reserved->took_ms / (double) (reserved->done + reserved->refused));
}

static int by_bytes (const void *a, const void *b)
{
    const scale_spoken_t *one = a, *two = b;
    return (one->bytes < two->bytes) - (one->bytes > two->bytes);
}

static void print_messages (scale_world_t *self)
{
    static const char *const words [] = {"request", "answer", "hint"};
    qsort (self->spoken, self->spoken_count, sizeof *self->spoken, by_bytes);
    printf ("%-36s %10s %12s %10s\n", "message", "sent", "bytes", "mean");
    for (size_t i = 0; i < self->spoken_count; i++) {
        const scale_spoken_t *one = &self->spoken [i];
        char name [2 * NAME_BYTES_MAX + 16];
        snprintf (name, sizeof name, "%s.%s %s", one->service, one->method, words [one->kind]);
        printf ("%-36s %10" PRIu64 " %12" PRIu64 " %10.0f\n", name, one->count, one->bytes,
                ratio (one->bytes, one->count));
    }
}

/*  Ends all processes of a kind and tells how much memory that gives back: theirs. */
static void print_kind (scale_world_t *self, scale_kind_t kind)
{
    uint64_t operations = 0;
    uint64_t stores = stores_bytes (self, kind);
    uint64_t before = heap_bytes ();
    for (size_t i = 0; i < SCALE_STAGES; i++)
        operations += self->work.figures [i].done + self->work.figures [i].refused;
    for (size_t p = 0; p < self->hosted_count; p++)
        if (self->hosted [p].kind == kind)
            sim_kill (self->sim, (int) p, sim_now_us (self->sim), -1);
    sim_run (self->sim, sim_now_us (self->sim) + 1);
    uint64_t after = heap_bytes ();
    size_t count = self->counts [kind];
    printf ("%-10s %6zu %10.1f %14.1f %12" PRIu64 " %12" PRIu64 " %12" PRIu64 "\n",
            kind_words [kind], count, (double) self->ns [kind] / 1e9,
            ratio (self->ns [kind], 1000 * operations), self->steps [kind],
            count > 0 && before > after ? (before - after) / count : 0,
            count > 0 ? stores / count : 0);
}

static void print_kinds (scale_world_t *self)
{
    printf ("%-10s %6s %10s %14s %12s %12s %12s\n", "kind", "number", "processor s", "us/operation",
            "steps", "memory each", "store each");
    for (scale_kind_t kind = 0; kind < KIND_USER; kind++)
        print_kind (self, kind);
}

/*  --- what must hold at the end --- */

/*  A site or domain has as much free at each instant ahead as it has in all. */
static void check_free (scale_world_t *self, int process, int64_t whole)
{
    int64_t now_ms = SIM_EPOCH_MS + sim_now_us (self->sim) / 1000;
    packed_t body = sim_wire_profile (now_ms, now_ms + INT64_C (86400000));
    sim_message_t *answer =
      sim_recall (self->sim, process, "Calendar", "Profile", "auditor", packed_bytes (body));
    sim_profile_t *profiles = must (calloc (SIM_RESOURCES_MAX, sizeof *profiles));
    size_t count = 0;
    bool read = answer && answer->status == CALL_OK &&
                sim_wire_profile_read (sim_message_body (answer), profiles, &count);
    if (!read || count == 0)
        sim_fail (self->sim, "%s does not tell what is free there", sim_name (self->sim, process));
    for (size_t i = 0; i < count; i++) {
        for (size_t s = 0; s < profiles [i].steps_count; s++)
            if (profiles [i].steps [s].free != whole)
                sim_fail (self->sim, "%s: %s is still held: %" PRId64 " of %" PRId64 " are free",
                          sim_name (self->sim, process), profiles [i].resource,
                          (int64_t) profiles [i].steps [s].free, whole);
        free (profiles [i].steps);
    }
    free (profiles);
    free (answer);
    free (body.data);
}

static void check_end (scale_world_t *self)
{
    uint64_t committed = self->work.figures [SCALE_RESERVE].done;
    for (size_t p = 0; p < self->hosted_count && !sim_failed (self->sim); p++) {
        if (self->hosted [p].kind == KIND_SITE)
            check_free (self, (int) p, NODES);
        if (self->hosted [p].kind == KIND_DOMAIN)
            check_free (self, (int) p, LINK_MBPS);
    }
    if (committed == 0)
        sim_fail (self->sim, "nothing was committed: this shows nothing");
    if (!sim_failed (self->sim))
        sim_ledger_check (self->sim, &self->tally);
}

/*  The mean over all looks in [from, until). */
static scale_size_t look_mean (const scale_world_t *self, int64_t from_ms, int64_t until_ms)
{
    scale_size_t sum = {0};
    uint64_t count = 0;
    for (size_t i = 0; i < self->looks_count; i++) {
        const scale_size_t *look = &self->looks [i];
        if (look->at_ms < from_ms || look->at_ms >= until_ms)
            continue;
        sum.stores += look->stores;
        sum.heap += look->heap;
        count++;
    }
    return (scale_size_t){.stores = count ? sum.stores / count : 0,
                          .heap = count ? sum.heap / count : 0};
}

/*  What was forgotten first has been forgotten for good when its window and its retention are over;
 *  from then on nothing grows. */
static void check_growth (scale_world_t *self, int64_t over_ms)
{
    int64_t span_ms =
      2 * self->order->ahead_ms + 12 * self->order->lasts_ms + 5 * self->order->retention_ms;
    scale_size_t first = look_mean (self, span_ms, 2 * span_ms);
    scale_size_t last = look_mean (self, over_ms - span_ms, over_ms);
    printf ("stores %.1f MB after the first retention, %.1f MB at the end; heap %.1f and %.1f MB\n",
            (double) first.stores / 1e6, (double) last.stores / 1e6, (double) first.heap / 1e6,
            (double) last.heap / 1e6);
    if (over_ms < 3 * span_ms || first.stores == 0)
        sim_fail (self->sim, "too short: records live for %.1f virtual hours",
                  (double) span_ms / 3.6e6);
    else if ((double) last.stores > GROWTH_MOST * (double) first.stores)
        sim_fail (self->sim, "the stores have grown");
    else if ((double) last.heap > GROWTH_MOST * (double) first.heap)
        sim_fail (self->sim, "the memory has grown");
}

/*  --- the run --- */

/*  Returns when the last operation was over. */
static int64_t world_run (scale_world_t *self)
{
    const scale_order_t *order = self->order;
    if (order->kills_ms > 0)
        sim_at (self->sim, 1000 * order->join_ms + 2 * WARM_US, kill_one, self, 0);
    int64_t look_us = INT64_C (60) * SECOND_US;
    while (!self->work.over && !sim_failed (self->sim)) {
        sim_run (self->sim, sim_now_us (self->sim) + STEP_US);
        if (order->days_ms > 0 && sim_now_us (self->sim) % (5 * look_us) == 0)
            world_look (self);
        world_tell (self);
    }
    int64_t over_ms = sim_now_us (self->sim) / 1000;
    if (!sim_failed (self->sim))
        sim_run (self->sim,
                 sim_now_us (self->sim) + CALM_US +
                   1000 * (order->keep ? 2 * order->ahead_ms + 12 * order->lasts_ms : 0));
    if (!sim_failed (self->sim))
        check_end (self);
    return over_ms;
}

static void world_print (scale_world_t *self)
{
    struct timespec now;
    clock_gettime (CLOCK_MONOTONIC, &now);
    printf ("%.0f virtual s in %.0f s, %.0f s of the processor; %" PRIu64 " deaths, %" PRIu64
            " rows of ledgers\n",
            (double) sim_now_us (self->sim) / 1e6, difftime (now.tv_sec, self->begun.tv_sec),
            (double) processor_ns () / 1e9, self->tally.counts [COUNT_CRASHES],
            self->tally.counts [COUNT_ROWS]);
    print_operations (self);
    print_messages (self);
    print_kinds (self);
}

static scale_world_t *world_new (const scale_order_t *order)
{
    scale_world_t *self = must (calloc (1, sizeof *self));
    size_t services = (size_t) (order->sites + order->domains + order->planners);
    size_t users = (size_t) order->planners * world_users (order);
    self->order = order;
    self->told = time (NULL);
    clock_gettime (CLOCK_MONOTONIC, &self->begun);
    prng_seed (&self->prng, order->seed);
    self->sim = sim_new (order->seed, &self->tally, NULL);
    self->hosted = must (calloc (SCALE_GIS_MAX + services + users, sizeof *self->hosted));
    self->names = must (calloc (services + users, sizeof *self->names));
    self->lis = must (calloc ((size_t) order->sites, sizeof *self->lis));
    self->nis = must (calloc ((size_t) order->domains + 1, sizeof *self->nis));
    self->users = must (calloc (users, sizeof *self->users));
    self->busy = users;
    self->work = (scale_work_t){
      .sim = self->sim, .order = order, .round = 1, .owner = self, .finished = stage_next};
    sim_observe (self->sim, &(sim_observer_t){.owner = self, .left = on_left});
    return self;
}

static void world_destroy (scale_world_t *self)
{
    sim_destroy (&self->sim);
    for (size_t i = 0; i < self->order->domains; i++) {
        free (self->nis [i].domain.vertices);
        free (self->nis [i].domain.links);
    }
    free (self->hosted);
    free (self->names);
    free (self->lis);
    free (self->nis);
    free (self->users);
    free (self);
}

bool scale_run (const scale_order_t *order, char why [LONG_WHY_BYTES])
{
    printf ("%" PRIu64 " sites, %" PRIu64 " domains, %" PRIu64 " planners, %" PRIu64
            " directories; seed %" PRIu64 "\n",
            order->sites, order->domains, order->planners, order->directories, order->seed);
    scale_world_t *self = world_new (order);
    add_directories (self);
    add_sites (self);
    add_domains (self);
    add_planners (self);
    int64_t over_ms = world_run (self);
    world_print (self);
    if (order->days_ms > 0 && !sim_failed (self->sim))
        check_growth (self, over_ms);
    bool good = !sim_failed (self->sim);
    if (!good)
        snprintf (why, LONG_WHY_BYTES, "%s", sim_why (self->sim));
    world_destroy (self);
    return good;
}
