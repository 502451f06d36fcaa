/*  nis_fixture - service_fixture for a network domain. */
#ifndef MUSUBI_NIS_FIXTURE_H
#define MUSUBI_NIS_FIXTURE_H

#include "nis.h"
#include "participant.h"

#include "gis.pb-c.h"
#include "nis.pb-c.h"

typedef nis_settings_t settings_t;
typedef circuit_t booking_t;
#define FIXTURE_NAME "nis/N"
#define FIXTURE_PART PART_NETWORK
#define fixture_core nis_core
#define fixture_part network_part_encode

/*  Mbit/s of a-r. */
static inline uint32_t fixture_announced (const Musubi__Entry *entry)
{
    return entry->domain && entry->domain->n_links == 6 ? entry->domain->links [0]->mbps
                                                        : UINT32_MAX;
}

#include "service_fixture.h"

/*  N: sites a, b, c; exchange point X; router N/r.
 *
 *      a ── a-r 1000 ── r ── r-b 1000 ── b ── b-x 400 ── X
 *      │                │                │
 *      └── a-c 500 ── c ┘ c-r 800        └ (b-x2 100, satellite) ── X
 */
static inline void prepare_world (service_world_t *self)
{
    static vertex_t vertices [] = {{.name = "a", .kind = VERTEX_SITE},
                                   {.name = "b", .kind = VERTEX_SITE},
                                   {.name = "c", .kind = VERTEX_SITE},
                                   {.name = "X", .kind = VERTEX_EXCHANGE},
                                   {.name = "N/r", .kind = VERTEX_ROUTER}};
    static attribute_t fibre [] = {{"media", "fibre"}, {"availability", "0.9995"}};
    static attribute_t satellite [] = {{"media", "satellite"}, {"availability", "0.9"}};
    static link_t links [] = {
      {.name = "a-r", .ends = {"a", "N/r"}, .mbps = 1000, .latency_us = 1000},
      {.name = "r-b", .ends = {"N/r", "b"}, .mbps = 1000, .latency_us = 2500},
      {.name = "b-x", .ends = {"b", "X"}, .mbps = 400, .latency_us = 300},
      {.name = "b-x2", .ends = {"X", "b"}, .mbps = 100, .latency_us = 250000},
      {.name = "a-c", .ends = {"a", "c"}, .mbps = 500, .latency_us = 100},
      {.name = "c-r", .ends = {"c", "N/r"}, .mbps = 800, .latency_us = 200},
    };
    for (size_t i = 0; i < 6; i++) {
        links [i].attributes = i == 3 ? satellite : fibre;
        links [i].attributes_count = 2;
    }
    static const char *const accounts [] = {"alice", "bob"};
    static const char *const administrators [] = {"root"};
    static const char *const gis [] = {"sim://gis/g1"};
    *self = (service_world_t){.host = memory_host (EPOCH_MS, 5000, take_effect, self)};
    self->settings = (nis_settings_t){
      .provider.name = "nis/N",
      .domain = {.vertices = vertices,
                 .vertices_count = 5,
                 .links = links,
                 .links_count = 6,
                 .lead_ms = MINUTE_MS,
                 .horizon_ms = 1000 * MINUTE_MS},
      .provider.access = {accounts, 2, administrators, 1},
      .provider.participant = SETTINGS_PRESET (participant_limits_t, &participant_table),
      .provider.limits = SETTINGS_PRESET (nis_settings_t, &nis_table).provider.limits,
      .provider.gis_endpoints = gis,
      .provider.gis_count = 1,
      .paths_max = NIS_PATHS_MOST,
    };
}

static inline void open_world (service_world_t *self)
{
    prepare_world (self);
    start (self);
}

/*  Links are separated by blanks. The result is overwritten some circuits later. */
static inline circuit_t circuit (const char *links, uint32_t mbps, int64_t from, int64_t until)
{
    static char kept [64][CIRCUIT_LINKS_MAX][NAME_BYTES_MAX + 1];
    static size_t next;
    circuit_t made = {
      .need = "ocean-air", .mbps = mbps, .from_ms = at (from), .until_ms = at (until)};
    made.links = kept [next++ % 64];
    for (const char *at = links; *at; at += strspn (at, " ")) {
        size_t length = strcspn (at, " ");
        snprintf (made.links [made.links_count++], NAME_BYTES_MAX + 1, "%.*s", (int) length, at);
        at += length;
    }
    return made;
}

#endif
