/*  domains - the network domains among a directory's entries, joined to one graph.
 */
#ifndef MUSUBI_DOMAINS_H
#define MUSUBI_DOMAINS_H

#include "graph.h"

#include <jansson.h>

/*  The graph of all domains among the entries (JSON of proto Entry). One whose description can't be
 *  understood is left out; *passed_over counts them. End it with graph_destroy. */
graph_t *domains_graph (const json_t *entries, size_t *passed_over);

#endif
