/*  weights - bounds of what a place or a path weighs, so that no sum overflows. */
#ifndef MUSUBI_WEIGHTS_H
#define MUSUBI_WEIGHTS_H

#include "least.h"
#include "planner_limits.h"

#include <assert.h>

#define WEIGHT_MAX (INT64_C (1) << 44) /* of one need, at a place or on a path */
#define AWAY_WEIGHT                                                                                \
    (INT64_C (1) << 52) /* of not being where it is: more than all others together */
static_assert (AWAY_WEIGHT > (NEEDS_MAX + NETWORK_NEEDS_MAX) * WEIGHT_MAX,
               "a present place or path wins over any price");
static_assert (INT64_MAX / (NEEDS_MAX + NETWORK_NEEDS_MAX) > AWAY_WEIGHT + WEIGHT_MAX,
               "sums of weights fit");

#endif
