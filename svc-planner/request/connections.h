/*  connections - the paths of network needs: cut into circuits for the domains that carry them, and
 *  put together again from what the domains have on record.
 */
#ifndef MUSUBI_CONNECTIONS_H
#define MUSUBI_CONNECTIONS_H

#include "directory.h"
#include "path.h"
#include "record.h"
#include "request.h"

/*  Every domain that the directory knows, joined. */
graph_t *federation_graph (const directory_t *directory);

/*  "N/n1-x1". */
void link_resource (const graph_t *graph, size_t link, char resource [RESOURCE_BYTES]);

/*  How many links of the path from its first-th on belong to one domain. */
size_t path_stretch (const graph_t *graph, const path_t *path, size_t first);

/*  Vertices, links and latency of a path that starts at a vertex. */
void connection_set_path (connection_t *self, const graph_t *graph, const path_t *path);

/*  The connections of a reservation, from the circuits its participants have on record, ascending
 *  by need. request: what it was made for, which names their ends and those that need no links;
 *  NULL = not known. graph: NULL = not known. A path is told only where every link of it is. The
 *  caller owns the list: connections_free. */
connection_t *connections_gather (const part_record_t *const *records, size_t records_count,
                                  const user_request_t *request, const graph_t *graph,
                                  size_t *count);

/*  The links of one need in the graph, as they are on record; false when they are not all known.
 *  links has room for PATH_HOPS_MAX. None at all is false, too;
 *  so is no graph (NULL). */
bool connection_links (const part_record_t *const *records, size_t records_count, const char *need,
                       const graph_t *graph, size_t *links, size_t *links_count);

#endif
