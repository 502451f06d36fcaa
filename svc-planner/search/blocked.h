/*  blocked - what stands in the way of one connection, were it and its two ends alone. */
#ifndef MUSUBI_BLOCKED_H
#define MUSUBI_BLOCKED_H

#include "search.h"

typedef struct {
    size_t link; /* of the snapshot's graph, the one that is too full; SIZE_MAX: none */
    int64_t from_ms;
    int64_t until_ms;
    int64_t free; /* Mbit/s of that link over the interval; 0 without one */
    char why [256];
} blocked_t;

/*  Could this network need and its two ends be had somewhere, were they alone? When not, blocked is
 *  about the earliest start at which both ends have places, and the two places between which the
 *  most is free. */
bool search_connection_alone (const search_t *self, size_t network_need, blocked_t *blocked);

#endif
