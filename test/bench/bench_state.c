/*  bench_state - what a million reservations cost one site: processor time to make each, disk,
 *  the time of a start, memory.
 *
 *  The site's core runs on its real store, without sockets: requests go in and replies come out in
 *  batches, as its host's do. Each start is a process of its own, so that its memory is its own.
 *  Every reservation was made by one plan for this site and its home, and all have acknowledged it.
 */
#include "bench.h"
#include "lis.h"
#include "must.h"
#include "prng.h"
#include "store.h"

#include "participant.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    BATCH = 64, /* transactions in one write */
    ACTORS = 64,
    HOUR_MS = 3600000,
    SPREAD_HOURS = 8000,
    REQUEST_BYTES = 96, /* of the user's request, in each plan */
};

#define PLANNER "planner/11111111111111111111111111111111"

static int64_t grain_ms = HOUR_MS; /* each begins at a multiple of it */

typedef struct {
    core_t core;
    store_t *store;
    bool writing;
    outbox_t *reads;
    outbox_t *works;  /* of the ledger's segments: there is no other work here */
    moment_t loading; /* of all records at a start */
    prng_t prng;
    int64_t base_ms;
    size_t granted;
    uint64_t made;
} state_site_t;

static void state_store (bool good)
{
    if (!good)
        bench_fail ("the store refuses");
}

static void state_take (state_site_t *self, const effect_t *effect)
{
    if (effect->kind == EFFECT_READ)
        outbox_push (self->reads, effect);
    if (effect->kind == EFFECT_WORK)
        outbox_push (self->works, effect);
    if (effect->kind == EFFECT_REPLY && effect->reply.status == CALL_OK)
        self->granted++;
    if (effect->kind != EFFECT_PUT && effect->kind != EFFECT_DELETE)
        return;
    if (!self->writing)
        state_store (store_begin (self->store) == STORE_OK);
    self->writing = true;
    state_store (
      effect->kind == EFFECT_PUT
        ? store_put (self->store, effect->record.table, effect->record.key, effect->record.value) ==
            STORE_OK
        : store_delete (self->store, effect->record.table, effect->record.key) == STORE_OK);
}

static moment_t state_now (const state_site_t *self)
{
    return (moment_t){.wall_ms = bench_wall_ms (),
                      .mono_ms = (int64_t) (bench_wall_ns () / 1e6),
                      .store_free_bytes = store_facts (self->store)->free_bytes,
                      .store_bytes = store_facts (self->store)->bytes};
}

static void state_step_at (state_site_t *self, const moment_t *now, const event_t *event)
{
    effect_t effect;
    self->core.step (self->core.self, now, event);
    while (self->core.next (self->core.self, &effect))
        state_take (self, &effect);
}

static void state_step (state_site_t *self, const event_t *event)
{
    moment_t now = state_now (self);
    state_step_at (self, &now, event);
}

typedef struct {
    state_site_t *site;
    uint64_t read;
} state_reading_t;

static void state_show (void *owner, const row_t *rows, size_t count, bool more)
{
    const state_reading_t *reading = owner;
    state_step (reading->site,
                &(event_t){.kind = EVENT_ROWS, .rows = {reading->read, rows, count, more}});
}

static void state_read (state_site_t *self)
{
    outbox_t *reads = self->reads;
    self->reads = outbox_new ();
    for (effect_t effect; outbox_next (reads, &effect);) {
        state_reading_t reading = {self, effect.read.read};
        state_store (store_read (self->store, &effect.read, state_show, &reading) == STORE_OK);
    }
    outbox_destroy (&reads);
}

static bool state_work (state_site_t *self)
{
    outbox_t *works = self->works;
    bool worked = false;
    self->works = outbox_new ();
    for (effect_t effect; outbox_next (works, &effect); worked = true) {
        packed_t result = {0};
        state_store (
          store_segment (self->store, effect.work.arguments, &result.data, &result.size));
        state_step (self, &(event_t){.kind = EVENT_WORK,
                                     .work = {effect.work.work, true, {result.data, result.size}}});
        free (result.data);
    }
    outbox_destroy (&works);
    return worked;
}

/*  The end of a batch. What is wanted from the store is read after the flush; rows of the ledger
 *  leave for segments as they do under a host. */
static void state_flush (state_site_t *self)
{
    do {
        if (self->writing)
            state_store (store_flush (self->store, bench_wall_ms ()) == STORE_OK);
        self->writing = false;
        state_read (self);
    } while (state_work (self) || self->writing);
}

static bool state_load (void *owner, uint8_t table, bytes_t key, bytes_t value, bool sound)
{
    (void) sound;
    state_site_t *self = owner;
    state_step_at (self, &self->loading,
                   &(event_t){.kind = EVENT_RECORD, .record = {table, key, value}});
    return true;
}

static void state_open (state_site_t *self, const char *folder)
{
    static node_class_t classes [] = {{.name = "thin", .nodes = 2000000, .cpus_per_node = 4}};
    static const char *const accounts [] = {"*"};
    char why [WHY_BYTES];
    static const uint8_t id [STORE_ID_BYTES] = {7};
    lis_settings_t settings = {
      .provider.name = "lis/one",
      .site = {.classes = classes, .classes_count = 1, .horizon_ms = INT64_C (9000) * HOUR_MS},
      .provider.access = {accounts, 1, NULL, 0},
      .provider.participant = SETTINGS_PRESET (participant_limits_t, &participant_table),
      .provider.limits = SETTINGS_PRESET (lis_settings_t, &lis_table).provider.limits,
      .plus = SETTINGS_PRESET (plus_limits_t, &plus_table)};
    self->reads = outbox_new ();
    self->works = outbox_new ();
    if (store_open (&self->store, folder, STORE_BYTES_DEFAULT, id, bench_wall_ms (), why) !=
        STORE_OK)
        bench_fail (why);
    lis_core (&settings, &self->core);
    self->loading = state_now (self);
    state_store (store_each (self->store, state_load, self) == STORE_OK);
    state_step (self, &(event_t){.kind = EVENT_START,
                                 .start = {.store = store_facts (self->store)->identity,
                                           .endpoint = "sim://lis/one",
                                           .events = "sim://lis/one/events"}});
    state_flush (self);
}

static void state_close (state_site_t *self)
{
    self->core.destroy (self->core.self);
    store_close (&self->store);
    outbox_destroy (&self->reads);
    outbox_destroy (&self->works);
}

static void state_request (state_site_t *self, const char *method, packed_t body)
{
    state_step (self, &(event_t){.kind = EVENT_REQUEST,
                                 .request = {.service = "Participant",
                                             .method = method,
                                             .actor = PLANNER,
                                             .request_id = "",
                                             .body = {body.data, body.size},
                                             .reply_to = 1}});
    free (body.data);
}

static txid_t state_txid (uint64_t counter)
{
    txid_t txid = {.start = 1, .counter = counter};
    memset (txid.store, 0x11, STORE_ID_BYTES);
    return txid;
}

static packed_t state_hold (state_site_t *self, uint64_t counter)
{
    uint8_t request [REQUEST_BYTES] = {0};
    participant_ref_t parties [2] = {
      {.name = "lis/one", .endpoint = "tcp://127.0.0.1:17001", .store = {7}},
      {.name = "gis/g1", .endpoint = "tcp://127.0.0.1:17002", .store = {9}}};
    uint64_t begins = (uint64_t) ((int64_t) SPREAD_HOURS * HOUR_MS / grain_ms);
    int64_t from_ms = self->base_ms + (int64_t) prng_below (&self->prng, begins) * grain_ms;
    hold_t hold = {.part_kind = PART_COMPUTE, .prepare = true};
    plan_t *plan = &hold.plan;
    *plan = (plan_t){.txid = state_txid (counter),
                     .operation = OPERATION_RESERVE,
                     .participants = parties,
                     .participants_count = 2,
                     .coordinator = {.name = PLANNER, .endpoint = "tcp://127.0.0.1:17003"},
                     .decide_by_ms = bench_wall_ms () + 10000,
                     .edge_ms = from_ms,
                     .end_ms = from_ms + HOUR_MS,
                     .home = "gis/g1",
                     .request = request,
                     .request_size = sizeof request};
    memset (plan->coordinator.store, 0x11, STORE_ID_BYTES);
    snprintf (plan->reservation, sizeof plan->reservation, "%08x%08x%08x%08x",
              (unsigned) prng_below (&self->prng, UINT32_MAX),
              (unsigned) prng_below (&self->prng, UINT32_MAX), 0x1234, (unsigned) counter);
    snprintf (plan->actor, sizeof plan->actor, "client%u", (unsigned) (counter % ACTORS));
    snprintf (plan->request_id, sizeof plan->request_id, "s12345-%u@g1", (unsigned) counter);
    compute_booking_t booking = {.need = "a",
                                 .class_name = "thin",
                                 .cpus = 4,
                                 .nodes = 1,
                                 .from_ms = from_ms,
                                 .until_ms = from_ms + HOUR_MS};
    packed_t part = compute_part_encode (&booking, 1);
    hold.part = part.data;
    hold.part_size = part.size;
    packed_t body = codec_encode (&hold_codec, &hold);
    free (part.data);
    return body;
}

/*  Held and voted, committed, acknowledged: three writes for a batch. */
static void state_batch (state_site_t *self, size_t count)
{
    txid_t txids [BATCH];
    self->granted = 0;
    for (size_t i = 0; i < count; i++)
        state_request (self, "Hold", state_hold (self, self->made + i + 1));
    state_flush (self);
    for (size_t i = 0; i < count; i++) {
        txids [i] = state_txid (self->made + i + 1);
        state_request (self, "Commit",
                       codec_encode (&decision_request_codec, &(decision_request_t){txids [i], 0}));
    }
    state_flush (self);
    if (self->granted != 2 * count)
        bench_fail ("a reservation was not made");
    state_request (
      self, "Done",
      codec_encode (&done_request_codec, &(done_request_t){.txids = txids, .count = count}));
    state_flush (self);
    self->made += count;
}

typedef struct {
    double made_us;
    double wall_ms;
    double cpu_ms;
    double anonymous_bytes;
} state_start_t;

static double state_anonymous_bytes (void)
{
    char line [256];
    double kib = 0;
    FILE *file = fopen ("/proc/self/status", "r");
    while (file && fgets (line, sizeof line, file))
        if (strncmp (line, "RssAnon:", 8) == 0)
            kib = strtod (line + 8, NULL);
    if (file)
        fclose (file);
    return kib * 1024;
}

/*  Processor time of one, in microseconds. */
static double state_fill (const char *folder, uint64_t reservations)
{
    state_site_t self = {0};
    prng_seed (&self.prng, 1);
    state_open (&self, folder);
    self.base_ms = (bench_wall_ms () / HOUR_MS + 2) * HOUR_MS;
    double began_ns = bench_cpu_ns ();
    while (self.made < reservations)
        state_batch (&self, reservations - self.made < BATCH ? reservations - self.made : BATCH);
    double took_ns = bench_cpu_ns () - began_ns;
    state_close (&self);
    return took_ns / 1e3 / (double) reservations;
}

static state_start_t state_start (const char *folder)
{
    state_site_t self = {0};
    double wall_ns = bench_wall_ns (), cpu_ns = bench_cpu_ns ();
    double before = state_anonymous_bytes ();
    state_open (&self, folder);
    return (state_start_t){.wall_ms = (bench_wall_ns () - wall_ns) / 1e6,
                           .cpu_ms = (bench_cpu_ns () - cpu_ns) / 1e6,
                           .anonymous_bytes = state_anonymous_bytes () - before};
}

/*  In a process of its own: makes reservations, or with none starts again on those there are. */
static state_start_t state_apart (const char *folder, uint64_t reservations)
{
    int report [2], status;
    state_start_t told = {0};
    if (pipe (report) != 0)
        bench_fail ("no pipe");
    pid_t child = fork ();
    if (child == 0) {
        if (reservations > 0)
            told.made_us = state_fill (folder, reservations);
        else
            told = state_start (folder);
        _exit (write (report [1], &told, sizeof told) != sizeof told);
    }
    close (report [1]);
    bool heard = read (report [0], &told, sizeof told) == sizeof told;
    close (report [0]);
    if (waitpid (child, &status, 0) < 0 || status != 0 || !heard)
        bench_fail ("the site does not serve");
    return told;
}

/*  All files in the folder and those below it. */
static double state_disk_bytes (const char *folder)
{
    char path [512];
    double bytes = 0;
    DIR *files = opendir (folder);
    if (!files)
        bench_fail (folder);
    for (const struct dirent *entry; (entry = readdir (files));) {
        struct stat found;
        snprintf (path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name [0] == '.' || lstat (path, &found) != 0)
            continue;
        bytes += S_ISDIR (found.st_mode) ? state_disk_bytes (path) : (double) found.st_blocks * 512;
    }
    closedir (files);
    return bytes;
}

static void state_measure (bench_t *bench, const char *folder, uint64_t reservations)
{
    char row [64];
    double walls [BENCH_RUNS], cpus [BENCH_RUNS];
    state_start_t told = {0};
    double n = (double) reservations;
    double made_us = state_apart (folder, reservations).made_us;
    for (int i = 0; i < BENCH_RUNS; i++) {
        told = state_apart (folder, 0);
        walls [i] = told.wall_ms;
        cpus [i] = told.cpu_ms;
    }
    snprintf (row, sizeof row, "%llu reservations", (unsigned long long) reservations);
    bench_put (bench, row, "made us each", made_us);
    bench_put (bench, row, "to start ms", bench_median (walls, BENCH_RUNS));
    bench_put (bench, row, "of it CPU ms", bench_median (cpus, BENCH_RUNS));
    bench_put (bench, row, "memory B each", told.anonymous_bytes / n);
    bench_put (bench, row, "disk B each", state_disk_bytes (folder) / n);
}

int main (int argc, char **argv)
{
    bench_t *bench = bench_new (argc, argv, "state", "what many reservations cost a site");
    uint64_t most = (uint64_t) bench_option (bench, "--reservations", 100000);
    grain_ms = (int64_t) bench_option (bench, "--grain-ms", HOUR_MS);
    char folder [] = "/tmp/musubi-state.XXXXXX", part [64], command [64];
    bench_begin (bench);
    if (!mkdtemp (folder))
        bench_fail ("no temporary folder");
    for (uint64_t n = most / 10; n > 0 && n <= most; n = n == most ? most + 1 : most) {
        snprintf (part, sizeof part, "%s/%llu", folder, (unsigned long long) n);
        state_measure (bench, part, n);
    }
    bench_note (bench, "memory: anonymous, after a start; CPU: of the core and its store's reads, "
                       "without the child that reads the file first.");
    snprintf (command, sizeof command, "rm -rf '%s'", folder);
    if (system (command) != 0)
        bench_fail (command);
    return bench_end (&bench);
}
