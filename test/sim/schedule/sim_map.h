/*  sim_map - the network of one schedule as it was drawn, and a check whether a sequence of links
 *  is a way through it.
 *
 *  The walk is written apart from the services' graph on purpose: names alone join the domains, and
 *  where two domains describe a point differently nothing may cross from one to the other.
 */
#ifndef MUSUBI_SIM_MAP_H
#define MUSUBI_SIM_MAP_H

#include "domain.h"
#include "prng.h"
#include "sim_wire.h"

#define SIM_DOMAINS_MAX 4

typedef struct {
    domain_t domains [SIM_DOMAINS_MAX];
    char names [SIM_DOMAINS_MAX][SIM_POINT_BYTES]; /* "d1" */
    size_t count;
    bool disagree; /* one domain describes an exchange point otherwise than the others */
} sim_map_t;

/*  What of a map is drawn from the seed, besides the graph. */
typedef struct {
    size_t domains;           /* how many */
    const char *const *sites; /* "s1" */
    size_t sites_count;
    bool narrow; /* links that few connections fill */
} sim_map_order_t;

void sim_map_draw (sim_map_t *self, prng_t *prng, const sim_map_order_t *order);
void sim_map_clear (sim_map_t *self);

/*  SIZE_MAX when there is none. */
size_t sim_map_domain (const sim_map_t *self, const char *name);
const link_t *sim_map_link (const sim_map_t *self, size_t domain, const char *name);

/*  A link of a path. */
typedef struct {
    size_t domain;
    char link [SIM_POINT_BYTES];
} sim_hop_t;

typedef struct {
    size_t domains; /* domains on the way; one that it enters twice counts twice */
    int64_t latency_us;
    char vertices [SIM_HOPS_MAX + 1][SIM_POINT_BYTES]; /* one more than hops */
} sim_way_t;

/*  True when the hops lead from one site to the other, cross only where domains agree, pass no
 *  point twice, and use only links of the medium ("" = any). False with why. */
bool sim_map_walk (const sim_map_t *self, const char *from, const char *to, const char *media,
                   const sim_hop_t *hops, size_t hops_count, sim_way_t *way, char why [WHY_BYTES]);

#endif
