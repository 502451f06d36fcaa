/*  replica_scene - a directory, an index and a few sites with their files in the simulated host,
 *  over chain_fake's disks; and a user who sends requests, keeps the answers, and hears the notices
 *  of whom it has asked.
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
    uint64_t node_bytes; /* bytes that each may use */
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

/*  The core in its present life; NULL while it is down. */
const core_t *scene_core (const replica_scene_t *self, const char *name);

/*  Runs on for this long. */
void scene_pass (replica_scene_t *self, int64_t ms);

/*  Sends a request as alice (Stay: as the svc-lis of that site) and waits some seconds for the
 *  answer. Returns the status. When it is CALL_OK *answer is the caller's (message_free), else
 *  reason says why. */
call_status_t scene_ask (replica_scene_t *self, const char *service, const char *method,
                         const ProtobufCMessage *question, ProtobufCMessage **answer,
                         char reason [256]);

/*  Sends a request to any process and does not wait; the body becomes the scene's. What was told,
 *  as long as the scene lives; empty = nothing yet. */
size_t scene_send (replica_scene_t *self, int process, const char *actor, const char *service,
                   const char *method, packed_t body);
bytes_t scene_told (const replica_scene_t *self, size_t ask);

/*  Sends a participant's verb as a planner. The body becomes the scene's; *told is the caller's
 *  (codec_clear). */
call_status_t scene_vote (replica_scene_t *self, const char *planner, const char *site,
                          const char *method, packed_t body, command_answer_t *told,
                          char reason [256]);

/*  The same, but neither waits for the answer nor hears it. */
void scene_tell (replica_scene_t *self, const char *service, const char *method,
                 const ProtobufCMessage *question);

/*  Begins a transfer. Returns its number; 0 = there was nothing to do; UINT64_MAX when it was
 *  refused, with reason. size and content are what the guest has. */
uint64_t scene_put (replica_scene_t *self, const char *site, const char *name, uint64_t size,
                    uint8_t content, char reason [256]);
/*  guest "" = the file shall come to the site only. */
uint64_t scene_get (replica_scene_t *self, const char *site, const char *name, const char *guest,
                    char reason [256]);

/*  The state of the transfer. */
transfer_state_t scene_state (replica_scene_t *self, const char *site, uint64_t transfer,
                              const char *guest, char why [256]);
/*  Runs on until the transfer is over, at most for this long. */
transfer_state_t scene_wait (replica_scene_t *self, const char *site, uint64_t transfer,
                             const char *guest, int64_t ms, char why [256]);

#endif
