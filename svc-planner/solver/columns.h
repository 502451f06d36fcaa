/*  columns - what the paths of several links cost at least, when they must share edges.
 *
 *  The linear relaxation over paths: GLPK's simplex proposes a price for each full pool, and the
 *  lightest path of every link at these prices, less what the pools are worth, is a bound whatever
 *  the prices are. So a slip of the simplex makes a bound weak, never wrong.
 */
#ifndef MUSUBI_COLUMNS_H
#define MUSUBI_COLUMNS_H

#include "net.h"

typedef struct {
    uint32_t from;
    uint32_t to;
    int64_t bandwidth;
    const uint8_t *banned; /* pools that it may not use */
} columns_link_t;

/*  No paths that fit cost less than this; INT64_MAX when there are none. Stops as soon as the bound
 *  is `enough`. */
int64_t columns_bound (const net_t *net, const columns_link_t *links, size_t count, int64_t enough,
                       spending_t *spending);

#endif
