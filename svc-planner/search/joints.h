/*  joints - how network needs join the compute needs of a request, and which compute needs could
 *  change places without a difference to them.
 */
#ifndef MUSUBI_JOINTS_H
#define MUSUBI_JOINTS_H

#include "request.h"

typedef struct {
    size_t ends [2]; /* compute needs */
    size_t kind;     /* those of one kind ask the same of a path */
} joint_t;

typedef struct {
    joint_t joints [NETWORK_NEEDS_MAX];
    size_t joints_count;
    bool directed; /* a path there may not do for the way back */
} joints_t;

/*  The compute needs joined to this one, as bits. */
uint64_t joints_of (const joints_t *self, size_t compute_need);

/*  Would the joints be the same, were these two compute needs to change places? */
bool joints_alike (const joints_t *self, size_t a, size_t b);

#endif
