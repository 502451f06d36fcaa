/*  bilb_direct - one step as the paper writes it, transfer by transfer: eqs 2 to 4 with times for
 *  levels. The model that bilb.c is compared with.
 */
#ifndef MUSUBI_BILB_DIRECT_H
#define MUSUBI_BILB_DIRECT_H

#include "bilb.h"

#include <math.h>

/*  Clusters by time, lower index first among equals. */
static inline void direct_order (const bilb_cluster_t *clusters, size_t count, uint32_t *order)
{
    for (size_t i = 0; i < count; i++) {
        size_t at = i;
        double time = clusters [i].load / clusters [i].speed;
        for (; at > 0; at--) {
            const bilb_cluster_t *other = &clusters [order [at - 1]];
            if (other->load / other->speed <= time)
                break;
            order [at] = order [at - 1];
        }
        order [at] = (uint32_t) i;
    }
}

/*  What receiver and sender agree on at a turn. */
static inline double direct_share (const bilb_cluster_t *to, double to_load, double most,
                                   double speeds_before, double mean)
{
    double share = most * to->speed / speeds_before;
    share = fmin (share, to->level * to->speed - to_load);
    return fmax (0, fmin (share, to->speed * mean - to_load));
}

/*  Loads after the step; sent: by cluster. */
static inline void direct_step (const bilb_cluster_t *clusters, size_t count, double *loads,
                                double *sent)
{
    uint32_t order [4096];
    direct_order (clusters, count, order);
    double loads_sum = 0;
    double speeds_sum = 0;
    for (size_t k = 0; k < count; k++) {
        const bilb_cluster_t *sender = &clusters [order [k]];
        double mean = (loads_sum + sender->load) / (speeds_sum + sender->speed);
        double most = fmin (sender->load - sender->speed * mean, sender->level * sender->speed);
        loads [order [k]] = sender->load;
        sent [order [k]] = 0;
        for (size_t i = 0; i < k && most > 0; i++) {
            double share =
              direct_share (&clusters [order [i]], loads [order [i]], most, speeds_sum, mean);
            loads [order [i]] += share;
            sent [order [k]] += share;
        }
        loads [order [k]] -= sent [order [k]];
        loads_sum += sender->load;
        speeds_sum += sender->speed;
    }
}

#endif
