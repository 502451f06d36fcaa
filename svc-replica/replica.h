/*  replica - one site's files: its catalogue, the storage nodes that have them, and how they come
 *  and go (proto/replica.proto, chain.proto). Or, with index set, what sites have told of theirs.
 *  Opens no socket and no file, reads no clock.
 */
#ifndef MUSUBI_REPLICA_H
#define MUSUBI_REPLICA_H

#include "access.h"
#include "chain.h"
#include "loans.h"
#include "negotiator.h"
#include "selector.h"

typedef struct {
    uint32_t files_max;  /* in the catalogue; 1 000 000 */
    uint32_t places_max; /* that an index remembers; 4 000 000 */
    loans_limits_t loans;
    negotiator_limits_t transfers;
    chain_limits_t chain;
} replica_limits_t;

extern const replica_limits_t replica_limits_default;

/*  Everything is copied by replica_core. */
typedef struct {
    const char *name; /* "replica/ams"; "index/i1" */
    bool index;
    const chain_place_t *nodes; /* storage nodes */
    size_t nodes_count;
    selector_cost_t cost;
    access_t access; /* who may put and get here, and who administers it */
    replica_limits_t limits;
    const char *const *gis_endpoints;
    size_t gis_count;
} replica_settings_t;

/*  The core of svc-replica; its host ends it with core->destroy. */
void replica_core (const replica_settings_t *settings, core_t *core);

/*  Walks the invariants of all its parts. For tests. */
void replica_check (const core_t *core);

/*  Its catalogue; NULL of an index. For tests. */
const catalogue_t *replica_catalogue (const core_t *core);

#endif
