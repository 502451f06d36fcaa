/*  lagrange_bound - a lower bound of what the paths of several links cost when they must share
 *  edges.
 *
 *  It is the linear relaxation over paths: GLPK's simplex proposes a price for each full pool. The
 *  lightest path of every link at these prices, minus what the pools are worth, is a lower bound
 *  whatever the prices are. So a numerical error of the simplex makes the bound weak, never wrong.
 */
#ifndef MUSUBI_LAGRANGE_BOUND_H
#define MUSUBI_LAGRANGE_BOUND_H

#include "solver_graph.h"

typedef struct {
    uint32_t from;
    uint32_t to;
    int64_t bandwidth;
    const uint8_t *banned; /* pools that it may not use */
} lagrange_link_t;

/*  No paths that fit cost less than this; INT64_MAX when no paths fit. Stops as soon as the bound
 *  reaches `enough`. */
int64_t lagrange_bound (const solver_graph_t *net, const lagrange_link_t *links, size_t count,
                        int64_t enough, budget_t *budget);

#endif
