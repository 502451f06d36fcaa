/*  assign - assigns needs to places at one start time, with the least sum of weights.
 *
 *  Two exact methods; each runs for some steps at a time and can be continued.
 */
#ifndef MUSUBI_ASSIGN_H
#define MUSUBI_ASSIGN_H

#include "routes.h"
#include "weights.h"

#define WEIGHT_NONE INT64_MAX /* the need can't be placed there */

typedef enum { ASSIGN_MORE, ASSIGN_FOUND, ASSIGN_NONE } assign_state_t;

/*  --- each need at a site of its own: the Hungarian method, one need a step --- */

typedef struct matching matching_t;

/*  weights [need * sites + site], borrowed. */
matching_t *matching_new (const int64_t *weights, size_t needs, size_t sites);
void matching_destroy (matching_t **self_p);
assign_state_t matching_run (matching_t *self, uint64_t *steps);

/*  The site of a need, once found; and the sum of all weights. */
size_t matching_site (const matching_t *self, size_t need);
int64_t matching_weight (const matching_t *self);

/*  --- needs that may share a place's capacity, or are joined by paths: branch and bound --- */

/*  A need as it would stand at this start. */
typedef struct {
    int64_t from_ms;
    int64_t until_ms;    /* without the cleaning gap */
    const size_t *order; /* its feasible options, ascending by weight; borrowed */
    size_t order_count;
    size_t like; /* an earlier need that is the same in everything, or SIZE_MAX */
} packing_need_t;

typedef struct packing packing_t;

/*  Only plans that weigh less than bound are looked for. weights [need] [option]; all is borrowed,
 *  only needs are copied. The routes must have been started at this start; NULL without network
 *  needs. The paths of the best plan are kept in it. */
packing_t *packing_new (const snapshot_t *snapshot, const packing_need_t *needs,
                        const int64_t *const *weights, routes_t *routes, int64_t check_from_ms,
                        int64_t bound);
void packing_destroy (packing_t **self_p);

/*  On ASSIGN_MORE there may be a plan already: packing_choice is not NULL then. On ASSIGN_FOUND it
 *  is the best one. */
assign_state_t packing_run (packing_t *self, uint64_t *steps);
const size_t *packing_choice (const packing_t *self);
int64_t packing_weight (const packing_t *self);

#endif
