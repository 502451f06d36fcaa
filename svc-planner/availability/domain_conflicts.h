/*  domain_conflicts - which of the places where domains disagree matter to a network need. */
#ifndef MUSUBI_DOMAIN_CONFLICTS_H
#define MUSUBI_DOMAIN_CONFLICTS_H

#include "snapshot.h"

/*  Disagreements as the graph counts them, those first that touch a path of these network needs:
 *
 *      first    a path would cross there from one end to the other, were the domains to agree
 *      then     it can be reached from one end
 *      last     all others
 *
 *  and ascending within each. Writes at most most, returns how many. Costs a walk through the graph
 *  for each end of each need. */
size_t domain_conflicts_rank (const snapshot_t *self, const size_t *network_needs,
                              size_t needs_count, size_t *conflicts, size_t most);

#endif
