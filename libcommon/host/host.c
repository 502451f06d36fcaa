/*  host - one loop: drain what has come, step the core for each, one durable write, and only then
 *  let go what the core has promised.
 *
 *  Puts and deletes go into the store's open write as they come; all else is held back, in order,
 *  until that write is flushed. A write that fails ends the process: it starts again from what is
 *  stored and does not guess (T13). What the core wants to read it gets in the next batch, before
 *  anything else.
 */
#include "host.h"

#include "backup.h"
#include "bus.h"
#include "clock.h"
#include "host_options.h"
#include "log.h"
#include "must.h"
#include "outbox.h"
#include "peer_sockets.h"
#include "poll_set.h"
#include "pool.h"
#include "segment.h"
#include "sockets.h"
#include "store.h"
#include "work.h"

#include <assert.h>
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#define REQUESTS_BATCH_MAX 256          /* events in one write */
#define STEPS_OF_ENTROPY   64           /* that the system is asked for at once */
#define LINGER_MS          200          /* for the last replies of a clean end */
#define END_MS_MAX         8000         /* for what is under way when SIGTERM comes */
#define KIND_BYTES         16           /* "lis" */
#define SCRUB_BYTES        (256u << 10) /* of records read in one go, */
#define SCRUB_PACE_MS      20           /* pause between two pieces while a scrub is under way */
#define TRIM_MS            60000        /* between two times that free memory is given back */
#define WEIGH_MS           1000         /* between two looks at the memory that is in use */
#define FILES_LEAST        64           /* to serve at all */
#define FILES_OWN          32           /* the store's, workers'; and an eighth of all to spare */
#define PEERS_SHARE        2            /* the part of what is left that our own calls may use */
#define FILES_SLACK        16           /* the part of it that is kept for who connects next */
#define ROOM_MS            50           /* between two attempts to make room */
#define CLOSED_TOLD_MS     10000        /* between two lines of connections closed */

static_assert (SOCKETS_MAX > SUBSCRIPTIONS_MAX + 64, "every subscription may have its socket");

enum { EXIT_DONE = 0, EXIT_MACHINE = 1, EXIT_CONFIG = 2 };
enum { PORT_BUS = 1, PORT_PEER, PORT_WORK };

typedef struct {
    const host_program_t *program;
    config_t *config;
    bind_settings_t bind;
    data_settings_t data; /* endpoint NULL: no files are fed */
    store_settings_t places;
    const char *pool; /* "" = its store is in none */
    core_t core;
    store_t *store;             /* NULL: it keeps nothing */
    store_facts_t own;          /* then */
    const store_facts_t *facts; /* NULL: it has not come so far yet */
    poll_set_t *ports;
    bus_t *bus;
    peer_sockets_t *peers;
    work_t *work;
    work_kind_t *works;  /* the program's, and the host's own */
    struct flows *flows; /* NULL = it has none */
    int signals;         /* a descriptor that says SIGTERM and SIGINT */

    outbox_t *held;   /* what may leave after the flush */
    outbox_t *reads;  /* what is to be read after it */
    bool reading;     /* reads is not empty */
    bool writing;     /* a write of the store is open */
    uint64_t flushes; /* since this start */
    int64_t alarm_ms; /* when the core wants to be woken */
    int64_t scrub_ms; /* when the store is read on */
    int64_t scrub_period_ms;
    int64_t scrub_began_ms;
    int64_t trimmed_ms; /* when memory that is free was last given back, */
    int64_t weighed_ms; /* and what is in use was last looked at */
    uint64_t memory_bytes;
    int64_t idle_ms; /* when idle connections were last closed */
    int64_t wall_least_ms;
    uint8_t entropy [STEPS_OF_ENTROPY][ENTROPY_BYTES];
    size_t entropy_left; /* steps for which it is there */
    size_t files;        /* descriptors that this process may have */
    int64_t room_ms;     /* when room was last made among them */
    int64_t closed_told_ms;
    uint64_t closed_told; /* connections closed, as last logged */
    bool ending;          /* SIGTERM has come, and the core has been told */
    int64_t end_ms;       /* monotonic: whatever is under way then is left */
    bool stopping;
    bool failed; /* the store: nothing more may leave */
} host_t;

/*  Resident, of this process; 0 = unknown. */
static uint64_t memory_in_use (void)
{
    unsigned long long pages = 0;
    file_auto_t *file = fopen ("/proc/self/statm", "re");
    if (file && fscanf (file, "%*u %llu", &pages) != 1)
        pages = 0;
    return pages * (uint64_t) sysconf (_SC_PAGESIZE);
}

/*  T15: after a restart the wall clock never counts as earlier than the last stamp. */
static int64_t wall_ms (const host_t *self)
{
    int64_t now_ms = clock_ms (CLOCK_REALTIME);
    return now_ms > self->wall_least_ms ? now_ms : self->wall_least_ms;
}

__attribute__ ((format (printf, 1, 2))) static bool cannot_serve (const char *format, ...)
{
    char why [LONG_WHY_BYTES];
    format_rest (why, sizeof why, format);
    log_line (LEVEL_ALARM, "cannot serve: %s", why);
    return false;
}

static void host_fail (host_t *self, const char *doing)
{
    log_line (LEVEL_ALARM,
              "store failed doing=%s why=\"%s\"; this process ends: started again, it goes on from "
              "what is stored",
              doing, self->facts->why);
    self->failed = true;
}

static void write_record (host_t *self, const effect_t *effect)
{
    assert (self->store);
    if (self->failed)
        return;
    if (!self->writing && store_begin (self->store) != STORE_OK) {
        host_fail (self, "begin");
        return;
    }
    self->writing = true;
    store_answer_t answer =
      effect->kind == EFFECT_PUT
        ? store_put (self->store, effect->record.table, effect->record.key, effect->record.value)
        : store_delete (self->store, effect->record.table, effect->record.key);
    if (answer != STORE_OK) {
        self->writing = false;
        host_fail (self, effect->kind == EFFECT_PUT ? "put" : "delete");
    }
}

/*  What the core points to lives until its next step, so what is held back is copied. */
static void host_take (host_t *self, const effect_t *effect)
{
    switch (effect->kind) {
    case EFFECT_PUT:
    case EFFECT_DELETE:
        write_record (self, effect);
        break;
    case EFFECT_TIMER:
        self->alarm_ms = effect->timer.mono_ms;
        break;
    default:
        outbox_push (self->held, effect);
    }
}

static moment_t host_moment (host_t *self)
{
    bus_counts_t bus = bus_counts (self->bus);
    moment_t now = {.wall_ms = wall_ms (self),
                    .mono_ms = clock_ms (CLOCK_MONOTONIC),
                    .store_free_bytes = self->facts->free_bytes,
                    .store_bytes = self->facts->bytes,
                    .store_flushes = self->flushes,
                    .messages_sent = bus.sent + peer_sockets_sent (self->peers),
                    .bytes_sent = bus.sent_bytes + peer_sockets_sent_bytes (self->peers),
                    .connections_closed = bus.closed,
                    .connections_in = bus.connections,
                    .connections_out = peer_sockets_open (self->peers),
                    .memory_bytes = self->memory_bytes};
    if (self->entropy_left == 0) {
        randombytes_buf (self->entropy, sizeof self->entropy);
        self->entropy_left = STEPS_OF_ENTROPY;
    }
    uint8_t *entropy = self->entropy [--self->entropy_left];
    memcpy (now.entropy, entropy, ENTROPY_BYTES);
    sodium_memzero (entropy, ENTROPY_BYTES); /* tokens are made of it */
    return now;
}

static void host_step (host_t *self, const moment_t *now, const event_t *event)
{
    effect_t effect;
    self->core.step (self->core.self, now, event);
    while (self->core.next (self->core.self, &effect))
        host_take (self, &effect);
}

static void host_turn (host_t *self, const event_t *event)
{
    moment_t now = host_moment (self);
    host_step (self, &now, event);
}

static void host_leave (host_t *self, const effect_t *effect)
{
    switch (effect->kind) {
    case EFFECT_CALL:
        peer_sockets_call (self->peers, effect, clock_ms (CLOCK_MONOTONIC));
        break;
    case EFFECT_WORK:
        work_start (self->work, effect);
        break;
    case EFFECT_FLOW:
        assert (self->flows);
        self->program->flow->order (self->flows, &effect->flow);
        break;
    case EFFECT_READ:
        outbox_push (self->reads, effect);
        self->reading = true;
        break;
    case EFFECT_LOG:
        log_line (effect->log.level, "%s", effect->log.line);
        break;
    case EFFECT_STOP:
        log_line (LEVEL_INFO, "stopping reason=\"%s\"", effect->stop.reason);
        self->stopping = true;
        break;
    default:
        if (!bus_effect (self->bus, effect))
            log_line (LEVEL_WARNING, "subscription failed endpoint=%s why=\"%s\"",
                      effect->subscribe.endpoint, strerror (errno));
    }
}

/*  The end of a batch: flushed, then let go in the order of the effects. */
static void finish_batch (host_t *self)
{
    if (self->writing && !self->failed) {
        if (store_flush (self->store, wall_ms (self)) == STORE_OK)
            self->flushes++;
        else
            host_fail (self, "flush");
    }
    self->writing = false;
    effect_t effect;
    log_hold ();
    while (!self->failed && outbox_next (self->held, &effect))
        host_leave (self, &effect);
    log_release ();
    outbox_clear (self->held);
    if (self->failed)
        return;
    bus_flush (self->bus);
    peer_sockets_flush (self->peers);
}

static bool host_receive (host_t *self, polled_t *port, int64_t now_ms, event_t *event)
{
    switch (port->kind) {
    case PORT_BUS:
        return bus_receive (self->bus, port, event);
    case PORT_PEER:
        return peer_sockets_receive (self->peers, port, now_ms, event);
    default:
        return work_receive (self->work, port, event);
    }
}

/*  The next thing that has happened; false when nothing has. */
static bool next_event (host_t *self, int64_t now_ms, event_t *event)
{
    for (polled_t *port = poll_set_ready (self->ports); port; port = poll_set_ready (self->ports))
        if (host_receive (self, port, now_ms, event))
            return true;
    if (self->flows && self->program->flow->receive (self->flows, event))
        return true;
    return peer_sockets_expire (self->peers, now_ms, event);
}

typedef struct {
    host_t *host;
    uint64_t read;
} host_reading_t;

static void show_rows (void *owner, const row_t *rows, size_t count, bool more)
{
    const host_reading_t *reading = owner;
    host_turn (
      reading->host,
      &(event_t){.kind = EVENT_ROWS,
                 .rows = {.read = reading->read, .rows = rows, .count = count, .more = more}});
}

/*  Before anything is put in this batch, so that what is read is as flushed by the one before. What
 *  the core wants to read next is held until this one is flushed. */
static void read_records (host_t *self)
{
    effect_t effect;
    while (!self->failed && outbox_next (self->reads, &effect)) {
        host_reading_t reading = {.host = self, .read = effect.read.read};
        if (store_read (self->store, &effect.read, show_rows, &reading) != STORE_OK)
            host_fail (self, "read");
    }
    outbox_clear (self->reads);
    self->reading = false;
}

/*  Prints the key as text if it is printable, else in hex. */
static bool tell_damaged (void *owner, uint8_t table, bytes_t key, bytes_t value, bool sound)
{
    (void) owner;
    (void) value;
    assert (!sound);
    char text [2 * STORE_KEY_BYTES_MAX + 1];
    size_t size = key.size < STORE_KEY_BYTES_MAX ? key.size : STORE_KEY_BYTES_MAX;
    bool plain = true;
    for (size_t i = 0; i < size; i++)
        plain = plain && key.data [i] > ' ' && key.data [i] < 0x7f;
    if (plain)
        snprintf (text, sizeof text, "%.*s", (int) size, (const char *) key.data);
    else
        sodium_bin2hex (text, sizeof text, key.data, size);
    log_line (LEVEL_ALARM, "record damaged table=%u key=%s: its checksum is wrong", table,
              size > 0 ? text : "-");
    return true;
}

/*  Reads on through the store, a piece at a time; each period begins a new pass. */
static void scrub (host_t *self, int64_t now_ms)
{
    bool ended;
    if (now_ms < self->scrub_ms)
        return;
    if (store_scrub (self->store, SCRUB_BYTES, tell_damaged, NULL, &ended) != STORE_OK) {
        host_fail (self, "scrub");
        return;
    }
    self->scrub_ms = now_ms + SCRUB_PACE_MS;
    if (!ended)
        return;
    int64_t next_ms = self->scrub_began_ms + self->scrub_period_ms;
    self->scrub_began_ms = self->scrub_ms = next_ms > self->scrub_ms ? next_ms : self->scrub_ms;
}

static void run_batch (host_t *self)
{
    read_records (self);
    event_t event;
    int64_t now_ms = clock_ms (CLOCK_MONOTONIC);
    if (!self->failed)
        scrub (self, now_ms);
    if (!self->failed && now_ms >= self->alarm_ms) {
        self->alarm_ms = INT64_MAX;
        host_turn (self, &(event_t){.kind = EVENT_TIMER});
    }
    for (int i = 0; i < REQUESTS_BATCH_MAX && !self->failed && next_event (self, now_ms, &event);
         i++)
        host_turn (self, &event);
    finish_batch (self);
}

static void hear_signals (host_t *self)
{
    struct signalfd_siginfo heard;
    while (read (self->signals, &heard, sizeof heard) == (ssize_t) sizeof heard) {
        log_line (LEVEL_INFO, "stopping reason=\"%s\"", strsignal ((int) heard.ssi_signo));
        self->stopping = self->ending; /* told again: at once */
        if (!self->ending) {
            self->ending = true;
            self->end_ms = clock_ms (CLOCK_MONOTONIC) + END_MS_MAX;
            host_turn (self, &(event_t){.kind = EVENT_END});
        }
    }
}

/*  For connections, ours and to us. */
static size_t files_left (const host_t *self)
{
    return self->files - self->files / 8 - FILES_OWN;
}

static size_t host_lacking (const host_t *self)
{
    return peer_sockets_lacking (self->peers) + bus_lacking (self->bus);
}

/*  Our own calls have priority over incoming connections that are idle, and these over connections
 *  of ours that have no call. */
static void host_make_room (host_t *self, int64_t now_ms)
{
    size_t left = files_left (self);
    while (bus_counts (self->bus).connections + peer_sockets_open (self->peers) >
             left - left / FILES_SLACK &&
           peer_sockets_make_room (self->peers))
        continue;
    bus_limit (self->bus, left - peer_sockets_open (self->peers));
    if (host_lacking (self) > 0 && now_ms - self->room_ms >= ROOM_MS) {
        bus_make_room (self->bus, host_lacking (self));
        self->room_ms = now_ms;
    }
    uint64_t closed = bus_counts (self->bus).closed;
    if (closed == self->closed_told || now_ms - self->closed_told_ms < CLOSED_TOLD_MS)
        return;
    log_line (
      LEVEL_WARNING,
      "connections closed count=%llu open_files_max=%zu connections_max=%lld: the longest "
      "idle ones were closed to make room for others; raise ulimit -n, or find out who opens "
      "so many",
      (unsigned long long) (closed - self->closed_told), self->files,
      (long long) self->bind.connections_max);
    self->closed_told = closed;
    self->closed_told_ms = now_ms;
}

/*  What is done now and then. */
static void host_tidy (host_t *self, int64_t now_ms)
{
    if (now_ms - self->trimmed_ms >= TRIM_MS) {
        malloc_trim (0); /* or what a rush took stays in the process */
        self->trimmed_ms = now_ms;
    }
    if (now_ms - self->weighed_ms >= WEIGH_MS) {
        self->memory_bytes = memory_in_use ();
        self->weighed_ms = now_ms;
    }
    if (now_ms - self->idle_ms >= CALLER_IDLE_MS) {
        bus_close_idle (self->bus);
        self->idle_ms = now_ms;
    }
}

static void host_loop (host_t *self)
{
    while (!self->stopping && !self->failed) {
        int64_t now_ms = clock_ms (CLOCK_MONOTONIC);
        int64_t due_ms = peer_sockets_due (self->peers, now_ms);
        host_make_room (self, now_ms);
        if (self->alarm_ms < due_ms)
            due_ms = self->alarm_ms;
        if (self->scrub_ms < due_ms)
            due_ms = self->scrub_ms;
        if (self->ending && self->end_ms < due_ms)
            due_ms = self->end_ms;
        if (host_lacking (self) > 0 && self->room_ms + ROOM_MS < due_ms)
            due_ms = self->room_ms + ROOM_MS;
        int64_t wait_ms = due_ms == INT64_MAX ? -1 : due_ms > now_ms ? due_ms - now_ms : 0;
        if (self->reading)
            wait_ms = 0;
        poll_set_wait (self->ports, wait_ms);
        hear_signals (self);
        run_batch (self);
        host_tidy (self, now_ms);
        self->stopping |= self->ending && clock_ms (CLOCK_MONOTONIC) >= self->end_ms;
    }
}

typedef struct {
    host_t *host;
    moment_t began; /* of all records: there may be millions */
} host_loading_t;

static bool load_record (void *owner, uint8_t table, bytes_t key, bytes_t value, bool sound)
{
    const host_loading_t *loading = owner;
    host_t *self = loading->host;
    if (!sound)
        tell_damaged (self, table, key, value, sound);
    host_step (
      self, &loading->began,
      &(event_t){.kind = EVENT_RECORD, .record = {.table = table, .key = key, .value = value}});
    return !self->failed;
}

/*  Loads the stored records, starts the core and announces "ready". */
static bool host_start (host_t *self)
{
    const store_identity_t *store = &self->facts->identity;
    host_loading_t loading = {.host = self, .began = host_moment (self)};
    if (self->store && store_each (self->store, load_record, &loading) != STORE_OK)
        host_fail (self, "load");
    if (self->failed)
        return false;
    const char *data = self->flows ? self->program->flow->endpoint (self->flows) : "";
    host_turn (self, &(event_t){.kind = EVENT_START,
                                .start = {.store = *store,
                                          .adopted_from = self->facts->adopted_from,
                                          .endpoint = bus_endpoint (self->bus),
                                          .events = bus_events (self->bus),
                                          .data = data}});
    finish_batch (self);
    if (self->failed)
        return false;
    log_line (LEVEL_INFO, "serving endpoint=%s events=%s store=%s start=%u",
              bus_endpoint (self->bus), bus_events (self->bus), self->facts->folder, store->start);
    printf ("ready endpoint=%s events=%s\n", bus_endpoint (self->bus), bus_events (self->bus));
    fflush (stdout);
    return true;
}

/*  Before any thread is made, so that all inherit it: signals are read, not caught. */
static bool take_signals (host_t *self)
{
    sigset_t ends;
    sigemptyset (&ends);
    sigaddset (&ends, SIGTERM);
    sigaddset (&ends, SIGINT);
    signal (SIGPIPE, SIG_IGN); /* a reader of our output that ends is not our end */
    if (sigprocmask (SIG_BLOCK, &ends, NULL) != 0)
        return false;
    self->signals = signalfd (-1, &ends, SFD_NONBLOCK | SFD_CLOEXEC);
    return self->signals >= 0;
}

/*  The host's own settings. */
static void settings_take (host_t *self)
{
    const config_t *config = self->config;
    self->bind = *(const bind_settings_t *) config_settings (config, &bind_table);
    self->places = *(const store_settings_t *) config_settings (config, &store_table);
    self->pool = self->program->pools
                   ? ((const pool_settings_t *) config_settings (config, &pool_table))->folder
                   : "";
    if (self->program->flow)
        self->data = *(const data_settings_t *) config_settings (config, &data_table);
    if (self->data.endpoint && strcmp (self->data.endpoint, "none") == 0)
        self->data.endpoint = NULL;
}

static bus_settings_t bus_settings (const host_t *self)
{
    return (bus_settings_t){.endpoint = self->bind.endpoint,
                            .events = self->bind.events,
                            .data = self->data.endpoint,
                            .host = self->bind.host,
                            .connections_max = self->bind.connections_max,
                            .trusted = self->bind.trusted};
}

/*  Checks the settings of the host; the core checks its own. */
static bool config_right (const host_t *self, char why [LONG_WHY_BYTES])
{
    bus_settings_t settings = bus_settings (self);
    bool folder = self->places.folder, pool = *self->pool;
    if (!self->program->keeps_nothing && folder == pool) {
        snprintf (why, LONG_WHY_BYTES,
                  folder ? "store/folder and store/pool are both given; give one"
                         : "store/folder is missing: name the folder of the store");
        return false;
    }
    return bus_settings_right (&settings, why);
}

/*  With --adopt the settings must name one store; --backup needs one to copy. */
static bool adopt_right (const host_t *self, const host_options_t *options,
                         char why [LONG_WHY_BYTES])
{
    if (options->backup && self->program->keeps_nothing)
        snprintf (why, LONG_WHY_BYTES, "--backup: %s keeps nothing", self->program->program);
    else if (!options->adopt)
        return true;
    else if (self->program->not_adopted)
        snprintf (why, LONG_WHY_BYTES, "--adopt: %s", self->program->not_adopted);
    else if (!self->places.folder)
        snprintf (why, LONG_WHY_BYTES, "--adopt: store/folder must name the store to adopt");
    else
        return true;
    return false;
}

/*  Files of a time when it kept a store start it as well. */
static int keep_nothing (host_t *self)
{
    const store_settings_t *places = config_settings (self->config, &store_table);
    const void *const given [] = {&places->folder, &places->bytes, &places->scrub_ms};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (config_given (self->config, given [i]))
            log_line (LEVEL_WARNING, "%s is not used: %s keeps nothing any more; leave it out",
                      store_table.rows [i].path, self->program->program);
    self->own = (store_facts_t){.folder = "none", .identity.start = 1};
    randombytes_buf (self->own.identity.id, STORE_ID_BYTES);
    self->facts = &self->own;
    return EXIT_DONE;
}

/*  Without facts afterwards, the process ends with the returned exit code. */
static int host_open_store (host_t *self)
{
    char why [WHY_BYTES];
    uint8_t id [STORE_ID_BYTES];
    if (self->program->keeps_nothing)
        return keep_nothing (self);
    randombytes_buf (id, sizeof id);
    const char *folder = self->places.folder;
    uint64_t bytes = self->places.bytes;
    int64_t now_ms = clock_ms (CLOCK_REALTIME);
    store_answer_t answer = folder ? store_open (&self->store, folder, bytes, id, now_ms, why)
                                   : pool_claim (&self->store, self->pool, bytes, id, now_ms, why);
    if (answer == STORE_LOCKED && self->program->gives_way && self->program->gives_way ()) {
        log_line (LEVEL_INFO, "not needed: %s", why);
        return EXIT_DONE;
    }
    if (answer != STORE_OK) {
        log_line (LEVEL_ALARM, "cannot serve: %s", why);
        return EXIT_MACHINE;
    }
    self->facts = store_facts (self->store);
    self->wall_least_ms = self->facts->stamp_ms;
    if (now_ms < self->wall_least_ms)
        log_line (LEVEL_ALARM,
                  "clock is behind the last time stamp in the store by=%.3fs: until it has caught "
                  "up, time stands still here",
                  (double) (self->wall_least_ms - now_ms) / 1000);
    return EXIT_DONE;
}

/*  T14: what an operator has said with --adopt. */
static bool adopt_store (host_t *self)
{
    uint8_t id [STORE_ID_BYTES];
    randombytes_buf (id, sizeof id);
    if (store_adopt (self->store, id) != STORE_OK)
        return cannot_serve ("%s", self->facts->why);
    log_line (LEVEL_ALARM, "store adopted under a new id folder=%s", self->facts->folder);
    return true;
}

static work_t *host_works (host_t *self)
{
    const host_program_t *program = self->program;
    self->works = must (calloc (program->works_count + 1, sizeof *self->works));
    if (program->works_count > 0)
        memcpy (self->works, program->works, program->works_count * sizeof *self->works);
    self->works [program->works_count] =
      (work_kind_t){.kind = SEGMENT_WORK, .run_for = store_segment, .owner = self->store};
    return work_new (self->ports, PORT_WORK, self->works, program->works_count + 1,
                     program->workers);
}

static bool open_flows (host_t *self)
{
    char why [WHY_BYTES];
    if (!self->program->flow)
        return true;
    self->flows =
      self->program->flow->begin (self->ports, self->data.endpoint, self->bind.host, why);
    return self->flows || cannot_serve ("bind/data: %s", why);
}

static bool open_sockets (host_t *self)
{
    char why [WHY_BYTES];
    bus_settings_t settings = bus_settings (self);
    self->files = sockets_prepare ();
    if (self->files < FILES_LEAST)
        return cannot_serve (
          "this process may open %zu files, at least %d are needed; raise ulimit -n", self->files,
          FILES_LEAST);
    self->ports = poll_set_new ();
    if (!self->ports || !poll_set_watch (self->ports, self->signals))
        return cannot_serve ("no file descriptor is free: %s", strerror (errno));
    self->bus = bus_new (self->ports, PORT_BUS, &settings, &self->facts->identity, why);
    if (!self->bus)
        return cannot_serve ("%s", why);
    self->peers = peer_sockets_new (self->ports, PORT_PEER, files_left (self) / PEERS_SHARE);
    if (!self->peers)
        return cannot_serve ("no file descriptor is free: %s", strerror (errno));
    self->work = host_works (self);
    if (!self->work)
        return cannot_serve ("no worker thread can be started: %s", strerror (errno));
    return open_flows (self);
}

/*  "lis/ams"; a service without a name of its own is named by its store. */
static void open_log (const host_t *self, bool verbose)
{
    char name [NAME_BYTES_MAX + 1];
    const char *kind = self->program->program;
    kind += strncmp (kind, "svc-", 4) == 0 ? 4 : 0;
    const setting_table_t *table = self->program->settings;
    const char *own =
      table->count == 0
        ? NULL
        : *(const char *const *) ((const char *) config_settings (self->config, table) +
                                  table->rows [0].at);
    if (own)
        snprintf (name, sizeof name, "%.*s/%.40s", KIND_BYTES, kind, own);
    else if (self->facts) {
        const uint8_t *id = self->facts->identity.id;
        int used = snprintf (name, sizeof name, "%.*s/", KIND_BYTES, kind);
        sodium_bin2hex (name + used, sizeof name - (size_t) used, id, STORE_ID_BYTES);
    } else
        snprintf (name, sizeof name, "%.*s", KIND_BYTES, kind);
    log_open (name, verbose ? LEVEL_DEBUG : LEVEL_INFO);
}

static int host_serve (host_t *self, bool verbose, bool adopt)
{
    open_log (self, verbose);
    if (!take_signals (self)) {
        log_line (LEVEL_ALARM, "cannot serve: signals can't be received: %s", strerror (errno));
        return EXIT_MACHINE;
    }
    int code = host_open_store (self);
    if (!self->facts)
        return code;
    if (adopt && !adopt_store (self))
        return EXIT_MACHINE;
    open_log (self, verbose);
    if (self->store)
        store_guard (self->store);
    if (!open_sockets (self) || !host_start (self))
        return EXIT_MACHINE;
    self->scrub_period_ms = self->places.scrub_ms;
    self->scrub_began_ms = self->scrub_ms =
      self->store ? clock_ms (CLOCK_MONOTONIC) + self->scrub_period_ms : INT64_MAX;
    host_loop (self);
    if (self->failed)
        return EXIT_MACHINE;
    bus_linger (self->bus, LINGER_MS);
    return EXIT_DONE;
}

/*  False when a thread is left that only _exit can end. */
static bool host_close (host_t *self)
{
    bool all_ended = work_destroy (&self->work);
    if (self->flows)
        self->program->flow->end (&self->flows);
    peer_sockets_destroy (&self->peers);
    bus_destroy (&self->bus);
    poll_set_destroy (&self->ports);
    if (all_ended) {
        sockets_end ();
        free (self->works);
        store_close (&self->store); /* that thread may be writing a segment of it */
    }
    outbox_destroy (&self->held);
    outbox_destroy (&self->reads);
    if (self->core.self)
        self->core.destroy (self->core.self);
    if (self->signals >= 0)
        close (self->signals);
    return all_ended;
}

static void warn (void *owner, const char *text)
{
    fprintf (stderr, "%s: %s; leave it out\n", (const char *) owner, text);
}

static int run_configured (host_t *self, const host_options_t *options)
{
    char why [LONG_WHY_BYTES] = "";
    self->config = config_open (options->file, options->settings, options->settings_count,
                                options->tables, options->tables_count, why);
    if (self->config) {
        settings_take (self);
        config_warn (self->config, warn, (void *) (uintptr_t) self->program->program);
    }
    if (!self->config || !config_right (self, why) || !adopt_right (self, options, why) ||
        !self->program->core_new (self->config, &self->core, why)) {
        fprintf (stderr, "%s: %s\n", self->program->program, why);
        return EXIT_CONFIG;
    }
    if (options->backup)
        return backup_run (self->program->program, self->places.folder, options->backup);
    if (options->check)
        return self->program->fit && !self->program->fit () ? EXIT_CONFIG : EXIT_DONE;
    return host_serve (self, options->verbose, options->adopt);
}

int host_run (const host_program_t *program, int argc, char **argv)
{
    host_options_t options;
    int code;
    umask (077); /* what a service makes is its own */
    if (!host_options_read (&options, program, argc, argv, &code))
        return code;
    host_t *self = must (calloc (1, sizeof *self));
    self->program = program;
    self->signals = -1;
    self->alarm_ms = INT64_MAX;
    self->held = outbox_new ();
    self->reads = outbox_new ();
    code = run_configured (self, &options);
    if (!host_close (self))
        _exit (code);
    config_destroy (&self->config);
    free (self);
    return code;
}
