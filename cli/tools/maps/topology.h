/*  topology - a federation on the map of a real network: the map cut into network domains, sites at
 *  some of its points.
 *
 *  Everything is decided by the map and a seed: the same two give the same federation, to the byte.
 *
 *      kept       the largest part of the map that hangs together
 *      cut        as many roots as domains: the first by lot, each further one as many hops away
 *                 from the others as can be. Then, always, the smallest domain that can grow takes
 *                 the next node beside it. So every domain hangs together.
 *      crossing   a link between two domains belongs to that of its end with fewer links (of equal
 *                 ones the later in the file); its other end becomes an exchange point, which both
 *                 domains list. All other nodes are routers.
 *      names      a node's label in small letters, digits and dashes, made unique; routers are
 *                 r_NAME, exchange points x_NAME, sites NAME; a link is A--B
 *      links      rate as told, else as ordered; latency by the great circle at 200 km a
 *                 ms, at least 0.1 ms, and 1 ms where an end's place is not known; half a credit
 *                 and another half for each ms, a Gbit/s-hour
 *      sites      nodes by lot. The site's link to its node is as fast as the fastest link there,
 *                 0.1 ms, and belongs to the node's domain.
 *      CPUs       64 to 1024, powers of two, small ones more often; 8 a node
 *
 *  Pure.
 */
#ifndef MUSUBI_TOPOLOGY_H
#define MUSUBI_TOPOLOGY_H

#include "graphml.h"

#include <stdio.h>

#define TOPOLOGY_NODES_A_DOMAIN 25 /* about; where the number of domains is not given */
#define TOPOLOGY_DOMAINS_LEAST  2  /* the same */
#define TOPOLOGY_MBPS_PRESET    10000
#define TOPOLOGY_KM_A_MS        200

typedef struct {
    size_t sites;
    size_t domains; /* 0 = by the number of nodes */
    uint64_t seed;
    uint32_t mbps; /* of links whose speed is not told; 0 = TOPOLOGY_MBPS_PRESET */
} topology_order_t;

typedef struct topology topology_t;

/*  NULL with why when the map has too few nodes for what is ordered. It borrows nothing. */
topology_t *topology_new (const map_t *map, const topology_order_t *order, char why [WHY_BYTES]);
void topology_destroy (topology_t **self_p);

/*  How many nodes were left out because they are not connected to the others. */
size_t topology_left_out (const topology_t *self);

/*  As a federation file. */
void topology_write (const topology_t *self, FILE *to);

#endif
