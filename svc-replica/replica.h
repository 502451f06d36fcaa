/*  replica - one site's files: its catalogue, its storage nodes, and how files come and go
 *  (proto/replica.proto, chain.proto). A provider, too, whose resources are the disks of its
 *  storage nodes (disk_space.h). Or, if index is set, an index of what all sites have, which
 *  promises nothing. Opens no socket and no file, reads no clock.
 */
#ifndef MUSUBI_REPLICA_H
#define MUSUBI_REPLICA_H

#include "disk_space.h"
#include "fetcher.h"
#include "file_index.h"
#include "outgoing_feeds.h"
#include "plus.h"
#include "provider.h"
#include "rules.h"
#include "staging.h"

typedef struct {
    uint32_t files_max;  /* most in the catalogue */
    uint32_t places_max; /* most that an index remembers */
    outgoing_feeds_limits_t outgoing_feeds;
    fetcher_limits_t transfers;
    chain_limits_t chain;
    scrub_limits_t scrub;
    int64_t home_ms; /* longest that a task waits for its output to be at home */
} replica_limits_t;

/*  Everything is copied by replica_core. */
typedef struct {
    provider_settings_t provider; /* "replica/ams"; "index/i1". Of an index nobody books anything */
    bool index;
    const char *const *nodes; /* names of its storage nodes */
    size_t nodes_count;
    selector_cost_t cost;
    free_capacity_terms_t terms;
    plus_limits_t plus;
    replica_limits_t limits;
} replica_settings_t;

/*  Rows of its numbers, index and cost. */
extern const setting_table_t replica_table;

/*  The parts; only tests look at them. Of an index's provider only service and access are there. */
typedef struct {
    provider_t provider;
    service_t *service; /* the provider's */
    char *site;         /* "ams" */
    disk_space_t *space;
    plus_t *plus;
    void (*step) (void *self, const moment_t *now, const event_t *event); /* the provider's */
    file_index_t *index; /* if not NULL, all parts below are NULL */
    chain_t *chain;
    catalogue_t *catalogue;
    cache_t *cache;
    scrub_t *scrub;
    selector_t *selector;
    locating_t *locating;
    publisher_t *publisher;
    outgoing_feeds_t *outgoing_feeds;
    fetcher_t *fetcher;
    rules_t *rules;
    staging_t *staging;
    take_ins_t *taking;
} replica_t;

/*  The core of svc-replica; its self is a replica_t; its host ends it with core->destroy. */
void replica_core (const replica_settings_t *settings, core_t *core);

#endif
