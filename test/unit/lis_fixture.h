/*  lis_fixture - service_fixture for a site. */
#ifndef MUSUBI_LIS_FIXTURE_H
#define MUSUBI_LIS_FIXTURE_H

#include "lis.h"
#include "participant.h"

#include "gis.pb-c.h"

typedef lis_settings_t settings_t;
typedef compute_booking_t booking_t;
#define FIXTURE_NAME "lis/ams"
#define FIXTURE_PART PART_COMPUTE
#define fixture_core lis_core
#define fixture_part compute_part_encode

/*  Nodes of thin. */
static inline uint32_t fixture_announced (const Musubi__Entry *entry)
{
    return entry->site && entry->site->n_classes == 2 ? entry->site->classes [0]->nodes
                                                      : UINT32_MAX;
}

#include "service_fixture.h"

/*  ams: thin, 8 nodes of 1 CPU at 1 credit; fat, 4 nodes of 16. Lead a minute, horizon 1000. */
static inline void prepare_world (service_world_t *self)
{
    static node_class_t classes [] = {
      {.name = "thin", .nodes = 8, .cpus_per_node = 1, .price = 1000000},
      {.name = "fat", .nodes = 4, .cpus_per_node = 16}};
    static const char *const accounts [] = {"alice", "bob"};
    static const char *const administrators [] = {"root"};
    static const char *const gis [] = {"sim://gis/g1"};
    *self = (service_world_t){.host = memory_host (EPOCH_MS, 5000, take_effect, self)};
    self->settings = (lis_settings_t){
      .provider.name = FIXTURE_NAME,
      .site = {.classes = classes,
               .classes_count = 2,
               .lead_ms = MINUTE_MS,
               .horizon_ms = 1000 * MINUTE_MS},
      .provider.access = {accounts, 2, administrators, 1},
      .provider.participant = SETTINGS_PRESET (participant_limits_t, &participant_table),
      .provider.limits = SETTINGS_PRESET (lis_settings_t, &lis_table).provider.limits,
      .plus = SETTINGS_PRESET (plus_limits_t, &plus_table),
      .provider.gis_endpoints = gis,
      .provider.gis_count = 1,
    };
}

static inline void open_world (service_world_t *self)
{
    prepare_world (self);
    start (self);
}

static inline compute_booking_t booking (const char *class_name, uint32_t cpus, uint32_t nodes,
                                         int64_t from, int64_t until)
{
    compute_booking_t made = {
      .need = "ocean", .cpus = cpus, .nodes = nodes, .from_ms = at (from), .until_ms = at (until)};
    snprintf (made.class_name, sizeof made.class_name, "%s", class_name);
    return made;
}

#endif
