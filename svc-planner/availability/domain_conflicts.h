/*  domain_conflicts - which disagreements between domains matter to a network need. */
#ifndef MUSUBI_DOMAIN_CONFLICTS_H
#define MUSUBI_DOMAIN_CONFLICTS_H

#include "snapshot.h"

/*  Lists the graph's conflicts, by how much they matter to these network needs:
 *
 *      first    a path could cross there from one end to the other if the domains agreed
 *      then     it can be reached from one end
 *      last     all others
 *
 *  and ascending within each. Writes `most` of them at most, and returns how many. Costs a walk
 *  through the graph for each end of each need. */
size_t domain_conflicts_rank (const snapshot_t *self, const size_t *network_needs,
                              size_t needs_count, size_t *conflicts, size_t most);

#endif
