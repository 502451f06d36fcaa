/*  replica_scene - a directory, an index and a few sites with their files in the simulated host,
 *  over chain_fake's disks; and a user who asks and keeps the answers.
 */
#ifndef MUSUBI_REPLICA_SCENE_H
#define MUSUBI_REPLICA_SCENE_H

#include "chain_fake.h"
#include "replica.h"
#include "sim.h"

#include "replica.pb-c.h"

#define SCENE_SITES_MAX 8

typedef struct {
    size_t sites;        /* named a, b, c … */
    size_t nodes;        /* storage nodes of each: n1, n2 … */
    uint64_t node_bytes; /* that each may use */
    bool index;
    replica_limits_t limits;
    selector_cost_t cost;
} scene_plan_t;

extern const scene_plan_t scene_plan_default;

typedef struct replica_scene replica_scene_t;

replica_scene_t *replica_scene_new (uint64_t seed, const scene_plan_t *plan);
void replica_scene_destroy (replica_scene_t **self_p);

sim_t *scene_sim (replica_scene_t *self);
int scene_process (const replica_scene_t *self, const char *name);

/*  The core as it is in this life; NULL while it is down. */
const core_t *scene_core (const replica_scene_t *self, const char *name);

/*  Run on for so long. */
void scene_pass (replica_scene_t *self, int64_t ms);

/*  Asked by alice, waits for the answer for some seconds. The status; *answer is the caller's
 *  (message_free) when it is CALL_OK, and reason says why when it is not. */
call_status_t scene_ask (replica_scene_t *self, const char *service, const char *method,
                         const ProtobufCMessage *question, ProtobufCMessage **answer,
                         char reason [256]);

/*  The same without waiting, and without hearing the answer. */
void scene_tell (replica_scene_t *self, const char *service, const char *method,
                 const ProtobufCMessage *question);

/*  Begin: the transfer's number, 0 = there was nothing to do; UINT64_MAX when it was refused, with
 *  reason. size and content are what the guest has. */
uint64_t scene_put (replica_scene_t *self, const char *site, const char *name, uint64_t size,
                    uint8_t content, char reason [256]);
/*  guest "" = into the site alone. */
uint64_t scene_get (replica_scene_t *self, const char *site, const char *name, const char *guest,
                    char reason [256]);

/*  How it stands. */
transfer_state_t scene_state (replica_scene_t *self, const char *site, uint64_t transfer,
                              const char *guest, char why [256]);
/*  Runs on until it is over, for up to so long. */
transfer_state_t scene_wait (replica_scene_t *self, const char *site, uint64_t transfer,
                             const char *guest, int64_t ms, char why [256]);

#endif
