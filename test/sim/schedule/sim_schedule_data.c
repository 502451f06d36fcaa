/*  sim_schedule_data - in schedules with data: an index, the storage of each site, the files that
 *  lie there, and what users want of them.
 */
#include "chain_fake.h"
#include "replica.h"
#include "sim_schedule_own.h"

#include <stdio.h>
#include <string.h>

#define MIB          (UINT64_C (1) << 20)
#define FILE_MIB_MAX 12

static const char *const files [] = {"file1", "file2"};
static const char *const nodes [SCHEDULE_DISKS_MAX] = {"d1", "d2"};

static void make_replica (void *owner, core_t *core)
{
    replica_core (owner, core);
}

static uint64_t below (schedule_t *self, uint64_t bound)
{
    return prng_below (&self->files, bound);
}

/*  Without disks: an index. */
static int add_replica (schedule_t *self, replica_settings_t *settings, const char *name,
                        size_t disks)
{
    *settings = (replica_settings_t){
      .index = disks == 0,
      .nodes = nodes,
      .nodes_count = disks,
      .cost = SELECT_THROUGHPUT,
      .provider = {.name = name,
                   .access = {.accounts = self->lis [0].provider.access.accounts,
                              .accounts_count = 1,
                              .administrators = self->lis [0].provider.access.administrators,
                              .administrators_count = 1},
                   .gis_endpoints = self->gis_endpoints,
                   .gis_count = self->gis_count,
                   .participant = self->lis [0].provider.participant,
                   .limits = SETTINGS_PRESET (replica_settings_t, &replica_table).provider.limits,
                   .restore_guard_wait_ms = self->lis [0].provider.restore_guard_wait_ms},
      .terms = {.disclosure = below (self, 7) == 0 ? DISCLOSE_WINDOWS : DISCLOSE_PROFILE,
                .lead_ms = (int64_t) below (self, 200),
                .horizon_ms = INT64_C (3600000)},
      .plus = self->lis [0].plus,
      .limits = {.files_max = 1000,
                 .places_max = 1000,
                 .outgoing_feeds = {.source_max = 8, .pair_max = 4},
                 .transfers = {.transfers_max = 512, .patience_ms = 30000},
                 .chain = SETTINGS_PRESET (chain_limits_t, &chain_table)}};
    settings->limits.chain.attend_ms = 500;
    return schedule_add (self, name, make_replica, settings, false, SIM_NOBODY);
}

/*  What a disk has beside the file that lies there for good is what may be promised of it. */
static void add_disks (schedule_t *self, size_t site, size_t disks)
{
    uint32_t mib [SCHEDULE_DISKS_MAX];
    for (size_t d = 0; d < disks; d++) {
        sim_kept_t *kept = &self->keeper.kept [self->keeper.kept_count++];
        mib [d] = 8 + 8 * (uint32_t) below (self, 4);
        *kept = (sim_kept_t){.process = self->replica_processes [site],
                             .name = nodes [d],
                             .bytes_max = mib [d] * MIB,
                             .mib = mib [d]};
        for (size_t f = 0; f < 2 && d == 0; f++)
            if (f == site) { /* at the first two sites */
                kept->file = files [f];
                kept->file_bytes = self->file_mib [f] * MIB;
                kept->bytes_max += kept->file_bytes;
            }
    }
    sim_check_add_storage (&self->check, self->replica_processes [site], nodes, mib, disks,
                           self->replicas [site].terms.lead_ms);
}

void schedule_data_begin (schedule_t *self)
{
    fake_chains (false); /* this is no fake */
    self->data = true;
    self->keeper.sim = self->sim;
    self->keeper.check = &self->check;
    for (size_t f = 0; f < 2; f++)
        self->file_mib [f] = 1 + (uint32_t) below (self, FILE_MIB_MAX);
    (void) add_replica (self, &self->index, schedule_name (self, "index/i", 1), 0);
    for (size_t i = 0; i < self->sites_count; i++) {
        size_t disks = 1 + below (self, SCHEDULE_DISKS_MAX);
        self->replica_processes [i] =
          add_replica (self, &self->replicas [i], schedule_name (self, "replica/s", i + 1), disks);
        add_disks (self, i, disks);
    }
    self->keeper_process = schedule_add (self, schedule_name (self, "keeper/", 1), sim_keeper_make,
                                         &self->keeper, false, SIM_NOBODY);
}

void schedule_data_wish (schedule_t *self, sim_wish_t *wish)
{
    if (!self->data || below (self, 4) == 0)
        return;
    wish->rooms_count = 1 + below (self, SIM_ROOMS_MAX);
    for (size_t i = 0; i < wish->rooms_count; i++) {
        sim_room_t *room = &wish->rooms [i];
        *room = (sim_room_t){.at = below (self, wish->needs_count),
                             .mib = 1 + (uint32_t) below (self, 16)};
        snprintf (room->id, sizeof room->id, "room%zu", i + 1);
        if (below (self, 2) == 0)
            continue;
        size_t file = below (self, 2);
        sim_text (room->file, sizeof room->file, files [file]);
        room->mib = self->file_mib [file];
        room->nodes = (uint32_t) below (self, 3);
        room->mbps = self->map.count > 0 && below (self, 2) == 0 ? 100 : 0;
    }
}
