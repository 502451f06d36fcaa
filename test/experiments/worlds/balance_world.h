/*  balance_world - a round of S1's simulation: clusters that balance their queues every unit of
 *  time.
 *
 *  Everything is empty at first. Jobs arrive at each cluster for a round's time and join its queue
 *  at once; then the queues are drained. All but the arrivals is decided by the product's own core
 *  (bilb_queues.h), which checks each step. The same arrivals are also played with each cluster
 *  alone, first come first served.
 */
#ifndef MUSUBI_BALANCE_WORLD_H
#define MUSUBI_BALANCE_WORLD_H

#include "bilb_queues.h"
#include "experiment.h"

#define WORLD_CLUSTERS_MAX 15
#define WORLD_T            1000.0 /* length of a round; t, the time between two steps, is 1 */

typedef enum {
    CASE_I,  /* faster clusters have larger jobs, equally often */
    CASE_II, /* in the other case faster clusters have more jobs, of equal size */
} world_case_t;

/*  A job that is given instead of drawn. */
typedef struct {
    uint32_t owner;
    double release;
    double load;
} world_job_t;

typedef struct {
    world_case_t which;
    size_t clusters;
    uint64_t seed; /* the same seed gives the same draws, whatever the levels and the algorithm */
    bool extended; /* rebuild the schedule after each step */
    double levels [WORLD_CLUSTERS_MAX];
    double claimed [WORLD_CLUSTERS_MAX]; /* speed that the balancer is told; 0 = the true one */
    const world_job_t *given; /* instead of drawn ones: by owner, each owner's as they come; all of
                                 them count. NULL = drawn */
    size_t given_count;
} world_order_t;

/*  Sums, by owner, of the flow times (completion less release) of the jobs that count: those that
 *  arrived between 0.2 T and 0.8 T. */
typedef struct {
    double flow [WORLD_CLUSTERS_MAX];
    double alone [WORLD_CLUSTERS_MAX];
    double jobs [WORLD_CLUSTERS_MAX];
    uint64_t steps;
} world_round_t;

/*  Speeds lie equally spaced from 1 to 2. */
double world_speed (size_t cluster, size_t clusters);

/*  Mean time for which a job of that cluster waits when the cluster is alone (S1 eqs 9 to 11, which
 *  take sizes for exponential). */
double world_wait (world_case_t which, size_t cluster, size_t clusters);

/*  A worker's memory, kept from round to round. */
typedef struct balance_world balance_world_t;

balance_world_t *balance_world_new (void);
void balance_world_destroy (balance_world_t **self_p);

/*  False, with why in the play, if a promise is broken at a later step. Owners that lie about their
 *  speed break promises by themselves, so their plays are not checked for this. */
bool balance_world_play (balance_world_t *self, const world_order_t *order, world_round_t *round,
                         play_t *play);

#endif
