/*  bench_directory - what a directory of many services costs: a whole snapshot, the changes that a
 *  follower has missed, a heartbeat, a question for one name; and all services announcing
 *  themselves to one that has just started. Its core in memory, questions and answers packed.
 */
#include "bench.h"

#include "../gis_everybody.h"
#include "../unit/host_in_memory.h"
#include "gis_wire.h"

#define MISSED    100 /* changes */
#define QUESTIONS 1000
#define SNAPSHOTS 10

typedef struct {
    memory_host_t host;
    uint32_t entries;
    uint64_t bytes;   /* of all answers */
    double taking_ns; /* spent by the follower */
    char last [NAME_BYTES_MAX + 1];
    bool more;
    directory_mark_t mark;
} directory_bench_t;

static void take (void *owner, const effect_t *effect)
{
    directory_bench_t *self = owner;
    if (effect->kind != EFFECT_REPLY)
        return;
    if (effect->reply.status != CALL_OK)
        bench_fail (effect->reply.reason);
    self->bytes += effect->reply.body.size;
}

/*  A follower's end of it: takes the page apart. */
static void take_page (void *owner, const effect_t *effect)
{
    directory_bench_t *self = owner;
    directory_snapshot_t page;
    char why [WHY_BYTES];
    take (owner, effect);
    if (effect->kind != EFFECT_REPLY)
        return;
    double before_ns = bench_cpu_ns ();
    if (!codec_decode (&directory_snapshot_codec, &page, effect->reply.body, why))
        bench_fail (why);
    self->more = page.more;
    self->mark = page.mark;
    memcpy (self->last, page.last, sizeof self->last);
    codec_clear (&directory_snapshot_codec, &page);
    self->taking_ns += bench_cpu_ns () - before_ns;
}

static void on_event (void *owner, const event_t *event)
{
    directory_bench_t *self = owner;
    self->host.now.mono_ms++;
    self->host.now.wall_ms++;
    memory_host_step (&self->host, event);
}

static void ask (directory_bench_t *self, const char *actor, const char *method, packed_t body)
{
    on_event (self, &(event_t){.kind = EVENT_REQUEST,
                               .request = {.service = "Gis",
                                           .method = method,
                                           .actor = actor,
                                           .request_id = "",
                                           .body = packed_bytes (body)}});
    free (body.data);
}

static void announce (directory_bench_t *self, uint32_t number, uint32_t start)
{
    node_class_t class = {.name = "thin", .nodes = 100, .cpus_per_node = 8};
    site_t site = {.classes = &class, .classes_count = 1};
    directory_entry_t entry = {.start = start, .site = &site};
    memcpy (entry.store, &number, sizeof number);
    snprintf (entry.name, sizeof entry.name, "lis/site-%05u", number);
    snprintf (entry.endpoint, sizeof entry.endpoint, "tcp://10.0.%u.%u:5600", number / 256,
              number % 256);
    packed_t packed = codec_encode (&directory_entry_codec, &entry);
    ask (self, entry.name, "Announce",
         codec_encode (&announcement_codec, &(announcement_t){.entry = packed, .lease_ms = 60000}));
    free (packed.data);
}

static uint64_t heartbeats (void *subject, uint32_t operations)
{
    directory_bench_t *self = subject;
    for (uint32_t i = 0; i < operations; i++)
        announce (self, i % self->entries, 1);
    return self->bytes;
}

static void ask_pages (directory_bench_t *self, snapshot_request_t question)
{
    do {
        ask (self, "planner/1", "Snapshot", codec_encode (&snapshot_request_codec, &question));
        memcpy (question.after, self->last, sizeof question.after);
    } while (self->more);
}

static uint64_t snapshots (void *subject, uint32_t operations)
{
    directory_bench_t *self = subject;
    for (uint32_t i = 0; i < operations; i++)
        ask_pages (self, (snapshot_request_t){0});
    return self->bytes;
}

static uint64_t catch_ups (void *subject, uint32_t operations)
{
    directory_bench_t *self = subject;
    directory_mark_t have = self->mark;
    have.number -= MISSED;
    for (uint32_t i = 0; i < operations; i++)
        ask_pages (self, (snapshot_request_t){.have = have, .changes = true});
    return self->bytes;
}

static uint64_t finds (void *subject, uint32_t operations)
{
    directory_bench_t *self = subject;
    char names [1][NAME_BYTES_MAX + 1];
    for (uint32_t i = 0; i < operations; i++) {
        snprintf (names [0], sizeof names [0], "lis/site-%05u", i % self->entries);
        ask (self, "lis/asker", "Find",
             codec_encode (&find_codec, &(find_t){.names = names, .names_count = 1}));
    }
    return self->bytes;
}

static void measure (bench_t *bench, uint32_t entries)
{
    directory_bench_t self = {.entries = entries};
    gis_settings_t settings = gis_for_everybody ();
    char row [64];
    snprintf (row, sizeof row, "%u entries", entries);
    settings.name = "gis/g1";
    settings.entries_max = GIS_ENTRIES_MAX;
    self.host = memory_host (INT64_C (1800000000000), 1000, take, &self);
    gis_core (&settings, &self.host.core);
    memory_host_boot (&self.host, NULL, "tcp://10.1.0.1:5600", on_event);
    double before = bench_cpu_ns ();
    for (uint32_t i = 0; i < entries; i++)
        announce (&self, i, 1);
    bench_put (bench, row, "all announce ms", (bench_cpu_ns () - before) / 1e6);
    bench_put (bench, row, "heartbeat us", bench_ns (heartbeats, &self, QUESTIONS) / 1e3);
    bench_put (bench, row, "find us", bench_ns (finds, &self, QUESTIONS) / 1e3);
    self.host.take = take_page;
    double whole_ns = bench_ns (snapshots, &self, SNAPSHOTS);
    double taking_ns = self.taking_ns / SNAPSHOTS / BENCH_RUNS;
    bench_put (bench, row, "snapshot ms", (whole_ns - taking_ns) / 1e6);
    bench_put (bench, row, "its follower ms", taking_ns / 1e6);
    self.host.take = take;
    for (uint32_t i = 0; i < MISSED; i++)
        announce (&self, i % entries, 2 + i);
    self.host.take = take_page;
    ask_pages (&self, (snapshot_request_t){0});
    bench_put (bench, row, "catch-up us", bench_ns (catch_ups, &self, QUESTIONS) / 1e3);
    self.host.core.destroy (self.host.core.self);
    records_clear (&self.host.records);
}

int main (int argc, char **argv)
{
    static const uint32_t entries [] = {100, 1000, 10000};
    bench_t *bench = bench_new (argc, argv, "directory", "what a directory of many sites costs");
    bench_begin (bench);
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        measure (bench, entries [i]);
    bench_note (bench,
                "A catch-up tells 100 changes that were missed. \"And taken\": with what the "
                "follower does to take the snapshot apart; a catch-up has that, too.");
    return bench_end (&bench);
}
