/*  rank - which node is best for a task, as a small expression over what is known of the node
 *  (SPEC 35: matchmaking with a rank, and the cost of replicas in it).
 *
 *      expression = term {("+" | "-") term}
 *      term       = factor {"*" factor}
 *      factor     = number | attribute | "-" factor | "(" expression ")"
 *
 *  The node with the highest value is taken. Every value lies within ±RANK_VALUE_MAX, those on the
 *  way, too, so that no expression has a result that can't be compared. Plain values, pure.
 */
#ifndef MUSUBI_RANK_H
#define MUSUBI_RANK_H

#include "codec.h"

#define RANK_BYTES_MAX  255
#define RANK_STEPS_MAX  64 /* numbers, attributes and operators in an expression */
#define RANK_DEPTH_MAX  16 /* of brackets and signs within each other */
#define RANK_VALUE_MAX  1e18
#define RANK_NUMBER_MAX 1e12

typedef enum {
    RANK_MEMORY,    /* GB (10^9 bytes) that are free */
    RANK_DISK,      /* GB that are free where tasks have their folders */
    RANK_LOAD,      /* runnable processes, mean of a minute */
    RANK_CPUS,      /* of the node */
    RANK_CPUS_FREE, /* not used by tasks */
    RANK_PRICE,     /* of its class, credits a CPU-hour */
    RANK_STAGING,   /* seconds until those inputs of the task are there that are not */
    RANK_HELD,      /* GB of the task's inputs that are there */
    RANK_ATTRIBUTES
} rank_attribute_t;

/*  What is known of a node for a task. */
typedef struct {
    double of [RANK_ATTRIBUTES];
} rank_values_t;

typedef struct rank node_rank_t;

/*  NULL when the text is no expression: why names the position, counted from 1, and what would be
 *  right. The caller frees it with free (). */
node_rank_t *rank_new (const char *text, char why [WHY_BYTES]);

/*  0 for NULL. */
double rank_value (const node_rank_t *self, const rank_values_t *values);

#endif
