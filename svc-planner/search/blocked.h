/*  blocked - why a single connection can't be had, even with nothing but its two ends. */
#ifndef MUSUBI_BLOCKED_H
#define MUSUBI_BLOCKED_H

#include "search.h"

typedef struct {
    size_t link; /* of the snapshot's graph: the link that is too full; SIZE_MAX: none */
    int64_t from_ms;
    int64_t until_ms;
    int64_t free; /* Mbit/s free on that link over the interval; 0 without one */
    char why [256];
} blocked_t;

/*  Could this network need and its two ends be had, if the request wanted nothing else? When not,
 *  blocked tells of the earliest start at which both ends have places, and of the two places
 *  between which the most is free. */
bool search_connection_alone (const search_t *self, size_t network_need, blocked_t *blocked);

#endif
