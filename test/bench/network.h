/*  network - a domain of many links for benches, and the requests that benches send to it. */
#ifndef MUSUBI_BENCH_NETWORK_H
#define MUSUBI_BENCH_NETWORK_H

#include "domain.h"
#include "prng.h"
#include "transaction.h"

enum {
    LINKS_MAX = 1000,
    CIRCUIT_MAX = 3, /* links of one that is booked */
    DAYS = 20,
    HOUR_MS = 3600000,
    DAY_MS = 24 * HOUR_MS,
};

#define PLANNER "planner/00000000000000000000000000000001" /* the actor that holds */

typedef struct {
    vertex_t vertices [LINKS_MAX];
    link_t links [LINKS_MAX];
    domain_t domain;
    prng_t prng;
    int64_t base_ms; /* the first moment that is booked */
    uint64_t holds;
} network_t;

/*  Half as many routers as links, in a ring; the other links are chords. */
void network_make (network_t *self, size_t links);

/*  The caller frees all bodies. */

/*  A hold, with its vote, of a part, which this call frees. */
packed_t hold_of (const char *name, const uint8_t store [STORE_ID_BYTES], part_kind_t kind,
                  packed_t part, int64_t now_ms, uint64_t counter, txid_t *txid);

/*  A hold of links that follow each other on the ring. */
packed_t circuit_hold (network_t *self, size_t links, const uint8_t store [STORE_ID_BYTES],
                       int64_t now_ms, txid_t *txid);

/*  What is free on a link, or on all of them (NULL), for 1 day or for DAYS. */
packed_t profile_question (const network_t *self, int days, const char *link);

/*  Asks for a path between two routers drawn at random. */
packed_t path_question (network_t *self, const char *route);

/*  Asks for a window of an hour on each link. */
packed_t windows_question (network_t *self);

#endif
