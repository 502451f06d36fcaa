/*  farm - many services of a large federation in one process, over the real bus: each has its own
 *  sockets, its own connections to the directories, and the core of the product.
 *
 *      farm sites FIRST COUNT DIRECTORY…    the sites FIRST to FIRST + COUNT - 1
 *      farm follow COUNT DIRECTORY…         a follower of the directory: says when it has been told
 *                                           of COUNT sites by the start of the directory that it
 *                                           follows
 *
 *  The host is a plain one: stores are in memory and end with the process, so nothing is flushed.
 *  What sites cost is therefore not measured here; what they make others cost is.
 *
 *  A site has an address of 127.0.0.0/8 to itself, so that as many ports are left for connections
 *  as on machines of their own.
 */
#include "bus.h"
#include "clock.h"
#include "directory.h"
#include "directory_wire.h"
#include "lis.h"
#include "log.h"
#include "member.h"
#include "outbox.h"
#include "peer_sockets.h"
#include "sockets.h"

#include "../unit/host_in_memory.h"
#include "participant.h"

#include <inttypes.h>
#include <signal.h>
#include <sodium.h>

#define SITES_MAX     50000
#define SOCKETS_EACH  10 /* of a member: two, those that watch them, and connections */
#define FARM_READ_MAX 64 /* rows of one read */

typedef struct {
    memory_host_t host;
    bus_t *bus;
    peer_sockets_t *peers;
    outbox_t *reads;
    int64_t due_ms; /* monotonic: its next timer or time-out, as of its last event */
    struct farm *farm;
} farm_member_t;

typedef struct farm {
    poll_set_t *ports;
    farm_member_t *members;
    size_t count;
    const char *const *gis;
    size_t gis_count;
    void (*heard) (struct farm *self, const event_t *event); /* NULL: nobody listens */

    /* of a follower: */
    directory_mark_t from;     /* whose changes it is told */
    bool told [SITES_MAX + 1]; /* of each site, by its number */
    size_t told_count;
    size_t sites;
} farm_t;

static _Noreturn void farm_fail (const char *doing, const char *why)
{
    fprintf (stderr, "farm: %s: %s\n", doing, why);
    exit (1);
}

/*  --- a member --- */

static void farm_take (void *owner, const effect_t *effect)
{
    farm_member_t *self = owner;
    switch (effect->kind) {
    case EFFECT_CALL:
        peer_sockets_call (self->peers, effect, self->host.now.mono_ms);
        break;
    case EFFECT_READ:
        outbox_push (self->reads, effect);
        break;
    case EFFECT_LOG:
        if (effect->log.level >= LEVEL_WARNING)
            log_line (effect->log.level, "%s", effect->log.line);
        break;
    case EFFECT_REPLY:
    case EFFECT_PUBLISH:
    case EFFECT_SUBSCRIBE:
    case EFFECT_UNSUBSCRIBE:
        bus_effect (self->bus, effect);
        break;
    default:
        farm_fail ("effect", "members of a farm have no work, no flows, and do not stop");
    }
}

static void member_now (farm_member_t *self)
{
    self->host.now.mono_ms = clock_ms (CLOCK_MONOTONIC);
    self->host.now.wall_ms = clock_ms (CLOCK_REALTIME);
    randombytes_buf (self->host.now.entropy, sizeof self->host.now.entropy);
}

static void member_step (void *owner, const event_t *event)
{
    farm_member_t *self = owner;
    if (self->farm->heard)
        self->farm->heard (self->farm, event);
    member_now (self);
    memory_host_step (&self->host, event);
}

/*  Shows the rows that one read wants. */
static void show_rows (farm_member_t *self, const read_order_t *read)
{
    row_t rows [FARM_READ_MAX];
    size_t count = 0, at = records_at (&self->host.records, read->table, read->from);
    const records_t *records = &self->host.records;
    for (; at < records->count && records->list [at].table == read->table && count < read->most &&
           count < FARM_READ_MAX;
         at++)
        rows [count++] = (row_t){.key = kept_bytes (records->list [at].key),
                                 .value = kept_bytes (records->list [at].value)};
    bool more = at < records->count && records->list [at].table == read->table;
    member_step (
      self, &(event_t){.kind = EVENT_ROWS,
                       .rows = {.read = read->read, .rows = rows, .count = count, .more = more}});
}

/*  What was read may make it read on. */
static void member_read (farm_member_t *self)
{
    effect_t effect;
    while (outbox_next (self->reads, &effect))
        show_rows (self, &effect.read);
    outbox_clear (self->reads);
}

/*  After its events: reads what it asked for, and lets leave what it has to say. */
static void member_settle (farm_member_t *self, int64_t now_ms)
{
    member_read (self);
    bus_flush (self->bus);
    peer_sockets_flush (self->peers);
    int64_t peers_ms = peer_sockets_due (self->peers, now_ms);
    self->due_ms = peers_ms < self->host.alarm_ms ? peers_ms : self->host.alarm_ms;
}

static void member_ring (farm_member_t *self, int64_t now_ms)
{
    event_t event;
    if (now_ms >= self->host.alarm_ms)
        memory_host_ring (&self->host, member_step);
    while (peer_sockets_expire (self->peers, now_ms, &event))
        member_step (self, &event);
}

/*  Opens its sockets at an address of its own. */
static void member_open (farm_t *farm, size_t at, size_t number)
{
    farm_member_t *self = &farm->members [at];
    char endpoint [64], events [64], why [WHY_BYTES];
    snprintf (endpoint, sizeof endpoint, "tcp://127.1.%zu.%zu:5600", number / 250,
              1 + number % 250);
    snprintf (events, sizeof events, "tcp://127.1.%zu.%zu:5601", number / 250, 1 + number % 250);
    self->farm = farm;
    self->reads = outbox_new ();
    core_t core = self->host.core;
    self->host = memory_host (0, 0, farm_take, self);
    self->host.core = core;
    self->host.keeps_rows = true;
    self->host.store.start = 1;
    randombytes_buf (self->host.store.id, STORE_ID_BYTES);
    self->bus =
      bus_new (farm->ports, (int) (2 * at),
               &(bus_settings_t){.endpoint = endpoint, .events = events}, &self->host.store, why);
    if (!self->bus)
        farm_fail (endpoint, why);
    self->peers = peer_sockets_new (farm->ports, (int) (2 * at + 1), SOCKETS_EACH);
    if (!self->peers)
        farm_fail (endpoint, strerror (errno));
}

static void member_boot (farm_member_t *self)
{
    member_step (self, &(event_t){.kind = EVENT_START,
                                  .start = {.store = self->host.store,
                                            .endpoint = bus_endpoint (self->bus),
                                            .events = bus_events (self->bus)}});
    member_settle (self, clock_ms (CLOCK_MONOTONIC));
}

/*  --- the loop --- */

static void farm_receive (farm_t *farm, polled_t *port, int64_t now_ms)
{
    event_t event;
    farm_member_t *self = &farm->members [port->kind / 2];
    bool heard = port->kind % 2 == 0 ? bus_receive (self->bus, port, &event)
                                     : peer_sockets_receive (self->peers, port, now_ms, &event);
    if (heard)
        member_step (self, &event);
    member_settle (self, now_ms);
}

static void farm_turn (farm_t *farm)
{
    int64_t now_ms = clock_ms (CLOCK_MONOTONIC), due_ms = now_ms + 1000;
    for (size_t i = 0; i < farm->count; i++) {
        farm_member_t *self = &farm->members [i];
        if (self->due_ms <= now_ms) {
            member_ring (self, now_ms);
            member_settle (self, now_ms);
        }
        due_ms = self->due_ms < due_ms ? self->due_ms : due_ms;
    }
    poll_set_wait (farm->ports, due_ms > now_ms ? due_ms - now_ms : 0);
    now_ms = clock_ms (CLOCK_MONOTONIC);
    for (polled_t *port; (port = poll_set_ready (farm->ports));)
        farm_receive (farm, port, now_ms);
}

static void farm_open (farm_t *self, size_t count)
{
    self->count = count;
    self->members = must (calloc (count, sizeof *self->members));
    sockets_prepare ();
    self->ports = must (poll_set_new ());
}

/*  For ever: it is ended by a signal. */
static _Noreturn void farm_run (farm_t *self, size_t first)
{
    for (size_t i = 0; i < self->count; i++)
        member_open (self, i, first + i);
    for (size_t i = 0; i < self->count; i++)
        member_boot (&self->members [i]);
    puts ("ready");
    fflush (stdout);
    for (;;)
        farm_turn (self);
}

/*  --- sites --- */

static void farm_sites (farm_t *self, size_t first, size_t count)
{
    static node_class_t classes [] = {
      {.name = "thin", .nodes = 100, .cpus_per_node = 8, .price = 1000}};
    static const char *const accounts [] = {"*"};
    farm_open (self, count);
    for (size_t i = 0; i < count; i++) {
        char name [NAME_BYTES_MAX + 1];
        snprintf (name, sizeof name, "lis/s%05zu", first + i);
        lis_settings_t settings = {
          .provider.name = name,
          .site = {.classes = classes,
                   .classes_count = 1,
                   .horizon_ms = 30 * 24 * INT64_C (3600000)},
          .provider.access = {.accounts = accounts, .accounts_count = 1},
          .provider.participant = SETTINGS_PRESET (participant_limits_t, &participant_table),
          .provider.limits = SETTINGS_PRESET (lis_settings_t, &lis_table).provider.limits,
          .plus = SETTINGS_PRESET (plus_limits_t, &plus_table),
          .provider.gis_endpoints = self->gis,
          .provider.gis_count = self->gis_count};
        lis_core (&settings, &self->members [i].host.core);
    }
    farm_run (self, first);
}

/*  --- the follower --- */

static void follow_name (farm_t *self, const char *name, bool there)
{
    size_t number;
    if (sscanf (name, "lis/s%zu", &number) != 1 || number >= SITES_MAX ||
        self->told [number] == there)
        return;
    self->told [number] = there;
    self->told_count += there ? 1 : (size_t) -1;
    if (there && self->told_count == self->sites) {
        printf ("whole start=%u sites=%zu mono_ms=%" PRId64 "\n", self->from.start,
                self->told_count, clock_ms (CLOCK_MONOTONIC));
        fflush (stdout);
    }
}

static void follow_publisher (farm_t *self, const uint8_t *store, uint32_t start)
{
    if (self->from.start == start && memcmp (self->from.store, store, STORE_ID_BYTES) == 0)
        return;
    self->from.start = start;
    memcpy (self->from.store, store, STORE_ID_BYTES);
    memset (self->told, 0, sizeof self->told);
    self->told_count = 0;
    printf ("follows start=%u mono_ms=%" PRId64 "\n", start, clock_ms (CLOCK_MONOTONIC));
    fflush (stdout);
}

static void follow_page (farm_t *self, const event_t *event)
{
    directory_snapshot_t page;
    char why [WHY_BYTES];
    if (event->answer.status != CALL_OK ||
        !codec_decode (&directory_snapshot_codec, &page, event->answer.body, why))
        return;
    follow_publisher (self, page.mark.store, page.mark.start);
    for (size_t i = 0; i < page.gone_count; i++)
        follow_name (self, page.gone [i], false);
    for (size_t i = 0; i < page.entries_count; i++)
        follow_name (self, page.entries [i].name, true);
    codec_clear (&directory_snapshot_codec, &page);
}

static void follow_change (farm_t *self, const event_t *event)
{
    directory_delta_t delta;
    char why [WHY_BYTES];
    if (self->from.start == 0 ||
        memcmp (event->notice.store, self->from.store, STORE_ID_BYTES) != 0 ||
        !codec_decode (&directory_delta_codec, &delta, event->notice.body, why))
        return;
    follow_publisher (self, event->notice.store, event->notice.store_start);
    follow_name (self, delta.name, !delta.gone);
    codec_clear (&directory_delta_codec, &delta);
}

/*  Reads along what its core is told. */
static void follow_heard (farm_t *self, const event_t *event)
{
    if (event->kind == EVENT_ANSWER)
        follow_page (self, event);
    else if (event->kind == EVENT_NOTICE && strcmp (event->notice.topic, "directory") == 0)
        follow_change (self, event);
}

static void farm_follow (farm_t *self, size_t sites)
{
    farm_open (self, 1);
    self->sites = sites;
    self->heard = follow_heard;
    self->members [0].host.core =
      service_as_core (member_new ("follower/1", self->gis, self->gis_count));
    farm_run (self, SITES_MAX);
}

int main (int argc, char **argv)
{
    static farm_t farm;
    bool sites = argc > 4 && strcmp (argv [1], "sites") == 0;
    bool follow = argc > 3 && strcmp (argv [1], "follow") == 0;
    size_t given = sites ? 4 : 3;
    signal (SIGPIPE, SIG_IGN);
    log_open ("farm", LEVEL_WARNING);
    if (sodium_init () < 0)
        abort ();
    if (!sites && !follow) {
        fputs ("usage: farm sites FIRST COUNT DIRECTORY… | farm follow COUNT DIRECTORY…\n", stderr);
        return 2;
    }
    size_t first = strtoul (argv [2], NULL, 10);
    size_t count = sites ? strtoul (argv [3], NULL, 10) : first;
    farm.gis = (const char *const *) argv + given;
    farm.gis_count = (size_t) argc - given;
    if (count < 1 || count > SITES_MAX || (sites && first + count > SITES_MAX))
        farm_fail ("COUNT", "from 1 site to 50000");
    if (sites)
        farm_sites (&farm, first, count);
    farm_follow (&farm, count);
}
