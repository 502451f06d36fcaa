/*  plan_shares - what the needs of a plan take of each participant (shares.h), phase by phase: CPUs
 *  at a site, room at its storage, a circuit in each domain of a path. Pure.
 */
#ifndef MUSUBI_PLAN_SHARES_H
#define MUSUBI_PLAN_SHARES_H

#include "shares.h"
#include "snapshot.h"

/*  Nothing is booked where shares are full. */
typedef struct {
    shares_t *shares;
    const snapshot_t *snapshot;
    int64_t start_ms; /* of the plan */
} plan_shares_t;

/*  A compute need, or one for storage, at this option. source: of a file, as snapshot_space_booking
 *  wants it. */
void plan_shares_need (const plan_shares_t *self, size_t need, const option_t *option,
                       const char *source);
void plan_shares_path (const plan_shares_t *self, size_t network_need, const path_t *path);

#endif
