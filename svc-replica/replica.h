/*  replica - one site's files: its catalogue, its storage nodes, and how files come and go
 *  (proto/replica.proto, chain.proto). Or, if index is set, an index of what all sites have. Opens
 *  no socket and no file, reads no clock.
 */
#ifndef MUSUBI_REPLICA_H
#define MUSUBI_REPLICA_H

#include "fetcher.h"
#include "file_index.h"
#include "outgoing_feeds.h"
#include "rules.h"

typedef struct {
    uint32_t files_max;  /* most in the catalogue; 1 000 000 */
    uint32_t places_max; /* most that an index remembers; 4 000 000 */
    outgoing_feeds_limits_t outgoing_feeds;
    fetcher_limits_t transfers;
    chain_limits_t chain;
} replica_limits_t;

/*  Everything is copied by replica_core. */
typedef struct {
    const char *name; /* "replica/ams"; "index/i1" */
    bool index;
    const char *const *nodes; /* names of its storage nodes */
    size_t nodes_count;
    selector_cost_t cost;
    access_t access; /* who may put and get here, and who are its administrators */
    replica_limits_t limits;
    const char *const *gis_endpoints;
    size_t gis_count;
} replica_settings_t;

/*  The parts; only tests look at them. */
typedef struct {
    service_t *service;
    char *site; /* "ams" */
    access_t access;
    file_index_t *index; /* if not NULL, all parts below are NULL */
    chain_t *chain;
    catalogue_t *catalogue;
    cache_t *cache;
    selector_t *selector;
    locating_t *locating;
    publisher_t *publisher;
    outgoing_feeds_t *outgoing_feeds;
    fetcher_t *fetcher;
    rules_t *rules;
} replica_t;

/*  The core of svc-replica; its self is a replica_t; its host ends it with core->destroy. */
void replica_core (const replica_settings_t *settings, core_t *core);

#endif
