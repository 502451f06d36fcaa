/*  repair - a decided commit that some participant can't keep: release what the others hold (T10).
 *
 *  The decision stays "repairing" until nobody books anything for it any more, by a release that
 *  all of them have acknowledged, or because its window has passed.
 */
#ifndef MUSUBI_REPAIR_H
#define MUSUBI_REPAIR_H

#include "errand.h"

/*  The coordinator's repairer; owner is the planner. */
coordinator_repair_fn repair_begin;

/*  Repairs are kept by the txid of their decision. */
ordered_compare_fn repair_compare;

void repairs_clear (planner_t *planner);

#endif
