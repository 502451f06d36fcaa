/*  connections - circuits and paths.
 *
 *  Each circuit on record says how many links of its path come before it. So the circuits of one
 *  need, sorted by that number, make up its path.
 */
#include "connections.h"

#include "directory.h"
#include "must.h"
#include "participant_ref.h"
#include "stages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

graph_t *federation_graph (const directory_t *directory)
{
    graph_t *graph = graph_new ();
    const directory_entry_t *entry = directory_next (directory, "nis", NULL);
    for (; entry; entry = directory_next (directory, "nis", entry))
        if (entry->domain)
            graph_add (graph, participant_ref_short_name (entry->name), entry->domain);
    return graph;
}

void link_resource (const graph_t *graph, size_t link, char resource [RESOURCE_BYTES])
{
    const graph_link_t *at = graph_link (graph, link);
    snprintf (resource, RESOURCE_BYTES, "%s/%s", at->domain, at->link->name);
}

size_t path_stretch (const graph_t *graph, const path_t *path, size_t first)
{
    const char *domain = graph_link (graph, path->links [first])->domain;
    size_t end = first + 1;
    while (end < path->links_count &&
           strcmp (graph_link (graph, path->links [end])->domain, domain) == 0)
        end++;
    return end - first;
}

void connection_set_path (connection_t *self, const graph_t *graph, const path_t *path)
{
    size_t vertices [PATH_HOPS_MAX + 1];
    self->path_count = path_vertices (graph, path, vertices);
    self->path = must (calloc (self->path_count, sizeof *self->path));
    for (size_t i = 0; i < self->path_count; i++)
        snprintf (self->path [i], sizeof self->path [i], "%s",
                  graph_vertex_name (graph, vertices [i]));
    self->links_count = path->links_count;
    self->links = must (calloc (path->links_count + 1, sizeof *self->links));
    for (size_t i = 0; i < path->links_count; i++)
        link_resource (graph, path->links [i], self->links [i]);
    self->latency_us = path->latency_us;
}

/*  --- from records --- */

/*  A circuit with the domain that has it on record. */
typedef struct {
    const char *domain;
    const circuit_t *circuit;
} connections_piece_t;

static int compare_pieces (const void *a, const void *b)
{
    const connections_piece_t *first = a, *second = b;
    int order = strcmp (first->circuit->need, second->circuit->need);
    if (order != 0)
        return order;
    if (first->circuit->from_ms != second->circuit->from_ms)
        return first->circuit->from_ms < second->circuit->from_ms ? -1 : 1;
    return (first->circuit->hop > second->circuit->hop) -
           (first->circuit->hop < second->circuit->hop);
}

/*  The index behind the pieces, from first on, of the same need and time. */
static size_t pieces_end (const connections_piece_t *pieces, size_t count, size_t first)
{
    size_t end = first + 1;
    while (end < count && strcmp (pieces [end].circuit->need, pieces [first].circuit->need) == 0 &&
           pieces [end].circuit->from_ms == pieces [first].circuit->from_ms)
        end++;
    return end;
}

/*  All circuits on record, sorted by need, time and position in the path. */
static connections_piece_t *pieces_of (const part_record_t *const *records, size_t records_count,
                                       size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < records_count; i++)
        *count += records [i]->circuits_count;
    connections_piece_t *pieces = must (calloc (*count + 1, sizeof *pieces));
    size_t at = 0;
    for (size_t i = 0; i < records_count; i++)
        for (size_t c = 0; c < records [i]->circuits_count; c++)
            pieces [at++] =
              (connections_piece_t){.domain = participant_ref_short_name (records [i]->participant),
                                    .circuit = &records [i]->circuits [c]};
    qsort (pieces, *count, sizeof *pieces, compare_pieces);
    return pieces;
}

/*  The links of one need's pieces; false when one is missing or not known. */
static bool find_links (const connections_piece_t *pieces, size_t count, const graph_t *graph,
                        size_t *links, size_t *links_count)
{
    *links_count = 0;
    for (size_t i = 0; i < count; i++) {
        const circuit_t *circuit = pieces [i].circuit;
        if (circuit->hop != *links_count || circuit->links_count > PATH_HOPS_MAX - *links_count)
            return false;
        for (size_t l = 0; l < circuit->links_count; l++) {
            size_t link = graph_find_link (graph, pieces [i].domain, circuit->links [l]);
            if (link == SIZE_MAX)
                return false;
            links [(*links_count)++] = link;
        }
    }
    return *links_count > 0;
}

bool connection_links (const part_record_t *const *records, size_t records_count, const char *need,
                       const graph_t *graph, size_t *links, size_t *links_count)
{
    size_t count, from = 0, until = 0;
    connections_piece_t *pieces = pieces_of (records, records_count, &count);
    for (size_t first = 0, end; first < count; first = end) {
        end = pieces_end (pieces, count, first);
        if (strcmp (pieces [first].circuit->need, need) != 0)
            continue;
        from = first; /* of a need that was changed while it runs, the latest counts */
        until = end;
    }
    bool found = graph && find_links (&pieces [from], until - from, graph, links, links_count);
    free (pieces);
    return found;
}

/*  The vertex from which these links lead from one site to the other, or SIZE_MAX. A site about
 *  which domains disagree has several vertices. */
static size_t walk_start (const graph_t *graph, const char *const sites [2], const size_t *links,
                          size_t count)
{
    for (size_t i = 0; i < graph_site_count (graph, sites [0]); i++) {
        size_t start = graph_site (graph, sites [0], i), at = start, l = 0;
        for (; l < count; l++) {
            const size_t *ends = graph_link (graph, links [l])->ends;
            if (ends [0] != at && ends [1] != at)
                break;
            at = ends [0] == at ? ends [1] : ends [0];
        }
        if (l == count && strcmp (graph_vertex_name (graph, at), sites [1]) == 0)
            return start;
    }
    return SIZE_MAX;
}

/*  The site that has a compute need booked; NULL when it is not on record. */
static const char *connections_site_of (const part_record_t *const *records, size_t count,
                                        const char *need, const compute_booking_t **booking)
{
    for (size_t i = 0; i < count; i++)
        for (size_t b = 0; b < records [i]->bookings_count; b++)
            if (strcmp (records [i]->bookings [b].need, need) == 0) {
                *booking = &records [i]->bookings [b];
                return participant_ref_short_name (records [i]->participant);
            }
    return NULL;
}

/*  The site from which a data need's file comes; NULL when it is not on record. */
static const char *source_of_file (const part_record_t *const *records, size_t count,
                                   const char *need)
{
    for (size_t i = 0; i < count; i++)
        for (size_t b = 0; b < records [i]->space_count; b++)
            if (strcmp (records [i]->space [b].need, need) == 0 && *records [i]->space [b].source)
                return records [i]->space [b].source;
    return NULL;
}

static void copy_links (connection_t *to, const connections_piece_t *pieces, size_t count)
{
    size_t links = 0;
    for (size_t i = 0; i < count; i++)
        links += pieces [i].circuit->links_count;
    to->links = must (calloc (links + 1, sizeof *to->links));
    for (size_t i = 0; i < count; i++)
        for (size_t l = 0; l < pieces [i].circuit->links_count; l++)
            snprintf (to->links [to->links_count++], sizeof to->links [0], "%s/%s",
                      pieces [i].domain, pieces [i].circuit->links [l]);
}

/*  Make a connection of one need's pieces: with its path if that can be found, else with its links
 *  alone. */
static void gather_one (connection_t *to, const connections_piece_t *pieces, size_t count,
                        const part_record_t *const *records, size_t records_count,
                        const user_request_t *request, const graph_t *graph)
{
    const circuit_t *circuit = pieces [0].circuit;
    const compute_booking_t *booking;
    path_t path = {.from = SIZE_MAX};
    *to = (connection_t){.ends_count = 2,
                         .mbps = circuit->mbps,
                         .from_ms = circuit->from_ms,
                         .until_ms = circuit->until_ms};
    snprintf (to->need, sizeof to->need, "%s", circuit->need);
    size_t index = request ? user_request_network (request, circuit->need) : SIZE_MAX;
    size_t file = request ? user_request_data (request, circuit->need) : SIZE_MAX;
    const char *sites [2] = {NULL, NULL};
    if (index != SIZE_MAX) {
        const network_need_t *need = &request->network [index];
        memcpy (to->ends, need->ends, sizeof to->ends);
        for (int end = 0; end < 2; end++)
            sites [end] = connections_site_of (records, records_count, need->ends [end], &booking);
    } else if (file != SIZE_MAX) {
        sites [0] = source_of_file (records, records_count, circuit->need);
        sites [1] = connections_site_of (records, records_count, request->data [file].at, &booking);
        snprintf (to->ends [0], sizeof to->ends [0], "%s", sites [0] ? sites [0] : "");
        memcpy (to->ends [1], request->data [file].at, sizeof to->ends [1]);
    }
    if (sites [0] && sites [1] && graph &&
        find_links (pieces, count, graph, path.links, &path.links_count))
        path.from = walk_start (graph, sites, path.links, path.links_count);
    if (path.from == SIZE_MAX) {
        copy_links (to, pieces, count);
        return;
    }
    for (size_t i = 0; i < path.links_count; i++)
        path.latency_us += graph_link (graph, path.links [i])->link->latency_us;
    connection_set_path (to, graph, &path);
}

/*  A need whose ends are at one site has no circuits: its path is that site. */
static bool gather_local (connection_t *to, const part_record_t *const *records,
                          size_t records_count, const user_request_t *request, size_t index)
{
    const network_need_t *need = &request->network [index];
    const compute_booking_t *here, *there;
    const char *site = connections_site_of (records, records_count, need->ends [0], &here);
    const char *other = connections_site_of (records, records_count, need->ends [1], &there);
    if (!site || !other || strcmp (site, other) != 0)
        return false;
    int64_t from_ms, until_ms;
    network_need_interval (request, index, &from_ms, &until_ms);
    int64_t start_ms =
      here->from_ms - compute_first (request, network_need_end (request, index, 0));
    *to = (connection_t){.ends_count = 2,
                         .mbps = need->mbps,
                         .path_count = 1,
                         .from_ms = start_ms + from_ms,
                         .until_ms = start_ms + until_ms};
    memcpy (to->need, need->id, sizeof to->need);
    memcpy (to->ends, need->ends, sizeof to->ends);
    to->path = must (calloc (1, sizeof *to->path));
    snprintf (to->path [0], sizeof to->path [0], "%s", site);
    return true;
}

/*  A file's circuit of which a domain has lost its part carries nothing, and is not told: the file
 *  comes without it, or has come. */
static bool circuit_whole (const connections_piece_t *pieces, size_t count,
                           const user_request_t *request)
{
    size_t hops = 0, whole = 0;
    for (; whole < count && pieces [whole].circuit->hop == hops; whole++)
        hops += pieces [whole].circuit->links_count;
    return whole == count || !request ||
           user_request_data (request, pieces [0].circuit->need) == SIZE_MAX;
}

static bool has_connection (const connection_t *connections, size_t count, const char *need)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp (connections [i].need, need) == 0)
            return true;
    return false;
}

connection_t *connections_gather (const part_record_t *const *records, size_t records_count,
                                  const user_request_t *request, const graph_t *graph,
                                  size_t *count)
{
    size_t pieces_count;
    connections_piece_t *pieces = pieces_of (records, records_count, &pieces_count);
    size_t most = pieces_count + (request ? request->network_count : 0);
    connection_t *connections = must (calloc (most + 1, sizeof *connections));
    *count = 0;
    for (size_t first = 0, end; first < pieces_count; first = end) {
        end = pieces_end (pieces, pieces_count, first);
        if (circuit_whole (&pieces [first], end - first, request))
            gather_one (&connections [(*count)++], &pieces [first], end - first, records,
                        records_count, request, graph);
    }
    free (pieces);
    for (size_t i = 0; request && i < request->network_count; i++)
        if (!has_connection (connections, *count, request->network [i].id) &&
            gather_local (&connections [*count], records, records_count, request, i))
            (*count)++;
    return connections;
}
