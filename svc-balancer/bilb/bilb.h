/*  bilb - one balancing step among clusters that selfish owners lend each other (Okazaki, Ooshita,
 *  Kakugawa and Masuzawa, after Rzadca and Trystram).
 *
 *  A cluster's time is load / speed: how long it needs for its queue. In ascending order of time
 *  each cluster in its turn sends work to those before it, so that the times of all so far meet.
 *  The level, a time, bounds both sides: a cluster receives nothing that would take its time above
 *  its level, and sends no more than it could do within its level. With all speeds 1 this is the
 *  homogeneous algorithm.
 *
 *  A turn is kept as two numbers, because the times of all receivers rise alike: by `rise`, unless
 *  a receiver is stopped by its level (for good) or by `target`, which never falls from one turn to
 *  the next. Written out one by one, n clusters may need n * n / 2 transfers. Pure; one thread at a
 *  time.
 */
#ifndef MUSUBI_BILB_H
#define MUSUBI_BILB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BILB_CLUSTERS_MAX 1000000
#define BILB_SPEED_MIN    1e-9
#define BILB_SPEED_MAX    1e9
#define BILB_LOAD_MAX     1e15 /* of one cluster */
#define BILB_LOAD_MIN     1e-9 /* of one job, when it comes */

/*  A smaller share of the load sent, or of the time, is rounding. */
#define BILB_GRAIN 1e-12

typedef struct {
    double speed; /* load done in a unit of time */
    double level; /* participation, a time; 0 = none, INFINITY = without bounds */
    double load;  /* all that is in the queue, with the rest of what runs */
} bilb_cluster_t;

typedef struct {
    uint32_t from;
    uint32_t to;
    double load;
} bilb_transfer_t;

typedef enum {
    BILB_GOOD,
    BILB_BAD_SPEED, /* not within BILB_SPEED_MIN to BILB_SPEED_MAX */
    BILB_BAD_LEVEL, /* negative, or no number */
    BILB_BAD_LOAD,  /* not within 0 to BILB_LOAD_MAX */
} bilb_check_t;

bilb_check_t bilb_check (const bilb_cluster_t *cluster);

/*  What would be right, for people: "must be ...". */
const char *bilb_check_words (bilb_check_t check);

/*  The last step and the memory it took, kept for the next one. */
typedef struct bilb bilb_t;

bilb_t *bilb_new (void);
void bilb_destroy (bilb_t **self_p);

/*  One step among clusters that have passed bilb_check; costs count * log (count). The functions
 *  below answer about the last step. The total load stays the same, and no limit is exceeded. */
void bilb_step (bilb_t *self, const bilb_cluster_t *clusters, size_t count);

/*  The clusters in ascending order of time, the lower index first among equals. */
const uint32_t *bilb_order (const bilb_t *self);

/*  Loads after the step, by cluster. */
const double *bilb_loads (const bilb_t *self);

/*  Transfers one by one: after bilb_walk, bilb_walk_turn gives the transfers of one turn at a time,
 *  in the order made, until it answers false. Turns without transfers are skipped. A turn costs a
 *  look at each cluster before the sender. */
void bilb_walk (bilb_t *self);
bool bilb_walk_turn (bilb_t *self, const bilb_transfer_t **transfers, size_t *count);

#endif
