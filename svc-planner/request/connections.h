/*  connections - the paths of network needs: cut into circuits for the domains that carry them, and
 *  put together again from the domains' records.
 */
#ifndef MUSUBI_CONNECTIONS_H
#define MUSUBI_CONNECTIONS_H

#include "directory.h"
#include "path.h"
#include "record.h"
#include "request.h"

/*  The graphs of all domains in the directory, joined. */
graph_t *federation_graph (const directory_t *directory);

/*  "N/n1-x1". */
void link_resource (const graph_t *graph, size_t link, char resource [RESOURCE_BYTES]);

/*  How many links of the path, from its first-th on, belong to the same domain. */
size_t path_stretch (const graph_t *graph, const path_t *path, size_t first);

/*  Fill in the vertices, links and latency of a path. */
void connection_set_path (connection_t *self, const graph_t *graph, const path_t *path);

/*  The connections of a reservation, from the circuits on record, ascending by need. request: the
 *  one it was made for, with the ends of connections and those that need no links; NULL = not
 *  known. graph: NULL = not known. A path is given only when all its links are known. The caller
 *  owns the list: connections_free. */
connection_t *connections_gather (const part_record_t *const *records, size_t records_count,
                                  const user_request_t *request, const graph_t *graph,
                                  size_t *count);

/*  Find the links of one need, as on record, in the graph. links has room for PATH_HOPS_MAX. False:
 *  not all of them are known, or there are none, or graph is NULL. */
bool connection_links (const part_record_t *const *records, size_t records_count, const char *need,
                       const graph_t *graph, size_t *links, size_t *links_count);

#endif
