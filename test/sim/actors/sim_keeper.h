/*  sim_keeper - the agents of all storage nodes of a federation, as one core: they say what each
 *  may keep and which files lie there, and do nothing of what they are told. What is searched for
 *  faults with them is what is promised of disks, not what is on them.
 */
#ifndef MUSUBI_SIM_KEEPER_H
#define MUSUBI_SIM_KEEPER_H

#include "sim_check.h"

#define SIM_KEPT_MAX 16 /* storage nodes */

typedef struct {
    int process;      /* its site's svc-replica */
    const char *name; /* static */
    uint64_t bytes_max;
    uint32_t mib;     /* may be promised of it */
    bool smaller;     /* it is to be heard of */
    const char *file; /* that lies there; NULL = none */
    uint64_t file_bytes;
    uint64_t number; /* the rest is the keeper's */
    uint64_t seen;
    uint64_t files_seen;
    uint64_t call;
    int64_t due_ms;
} sim_kept_t;

/*  They outlive the core's lives. */
typedef struct {
    sim_t *sim;
    sim_check_t *check; /* is told what came back smaller, once its site has heard */
    sim_kept_t kept [SIM_KEPT_MAX];
    size_t kept_count;
    uint64_t calls;
    store_identity_t store;
    struct outbox *outbox; /* of the present life */
} sim_keeper_t;

/*  The core; owner is a sim_keeper_t. */
void sim_keeper_make (void *owner, core_t *core);

#endif
