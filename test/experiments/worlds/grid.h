/*  grid - gridg-n and gridg-w of S0, as far as they can be had: the paper's own files are lost.
 *
 *  In the manner of GridG (Lu and Dinda, SC 2003): a hierarchy of wide, metropolitan and local
 *  networks as Tiers makes it, then further links that are drawn towards vertices which have many
 *  already, so that degrees follow a power law. One network domain owns all links.
 *
 *      WAN    4 routers in a ring with one chord, 10 Gbit/s
 *      MAN    8 routers, two at each of the WAN's, 10 Gbit/s; 3 further links among them, 5 Gbit/s
 *      LAN    18 sites, each at a metropolitan router; at least two at each
 *
 *  gridg-n: the link of a site is 1, 2.5 or 5 Gbit/s; gridg-w: 5 Gbit/s, all else the same. A site
 *  is one class of single-CPU nodes: 64, 128 or 256. Operating systems are concentrated: each
 *  metropolitan network has one, which a site has with a chance of 3 in 4, and each system is at 4
 *  sites at least. A CPU costs 1 to 10 credits an hour, a Gbit/s on a link one. Pure.
 */
#ifndef MUSUBI_GRID_H
#define MUSUBI_GRID_H

#include "domain.h"
#include "prng.h"

#define GRID_SITES   18
#define GRID_SYSTEMS 3

extern const char *const grid_systems [GRID_SYSTEMS]; /* "linux", "solaris", "bsd" */

typedef struct {
    char names [GRID_SITES][NAME_BYTES_MAX + 1]; /* "s01" */
    site_t sites [GRID_SITES];
    size_t sites_count;
    size_t system [GRID_SITES]; /* which operating system */
    domain_t network;
    uint64_t cpus; /* of all sites */
} grid_t;

/*  The same seed gives the same grid; narrow and wide differ only in the sites' links. */
void grid_make (grid_t *self, uint64_t seed, bool wide);
void grid_clear (grid_t *self);

/*  Keeps this many of the sites, a multiple of the number of systems and at most 12: the first
 *  sites of each system, the same number of each. The routers and their links stay. */
void grid_shrink (grid_t *self, size_t sites);

#endif
