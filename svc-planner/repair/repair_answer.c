/*  repair_answer - makes an answer from the view of a reservation. */
#include "repair_answer.h"

#include "connections.h"
#include "view.h"

#include <stdio.h>
#include <string.h>

#define COST_MAX (INT64_C (1) << 50) /* of one need: sums stay in range */

/*  A placement is told in whole nodes, as it is granted; and its cost. */
static void grant (const directory_t *directory, placement_t *placement, int64_t *cost)
{
    char name [2 * NAME_BYTES_MAX];
    snprintf (name, sizeof name, "lis/%s", placement->site);
    const directory_entry_t *entry = directory_find (directory, name);
    for (size_t c = 0; entry && entry->site && c < entry->site->classes_count; c++) {
        const node_class_t *class = &entry->site->classes [c];
        if (strcmp (class->name, placement->class_name) != 0)
            continue;
        placement->cpus = class_nodes_for (class, placement->cpus) * class->cpus_per_node;
        double of_it = (double) class->price * (double) placement->cpus *
                       (double) (placement->until_ms - placement->from_ms) / 3.6e6;
        *cost += of_it >= (double) COST_MAX ? COST_MAX : (int64_t) (of_it + 0.5);
    }
}

static int64_t path_cost (const graph_t *graph, const connection_t *connection)
{
    int64_t cost = 0;
    for (size_t i = 0; i < connection->links_count; i++) {
        char domain [NAME_BYTES_MAX + 1];
        const char *slash = strchr (connection->links [i], '/');
        if (!slash || (size_t) (slash - connection->links [i]) >= sizeof domain)
            continue;
        snprintf (domain, sizeof domain, "%.*s", (int) (slash - connection->links [i]),
                  connection->links [i]);
        size_t link = graph_find_link (graph, domain, slash + 1);
        if (link != SIZE_MAX)
            cost += link_cost (graph_link (graph, link)->link->price, connection->mbps,
                               connection->until_ms - connection->from_ms);
    }
    return cost;
}

/*  Sort placements in the order of the request's needs. */
static void sort_placements (const part_record_t *newest, placement_t *placements, size_t count)
{
    user_request_t request;
    char why [WHY_BYTES];
    if (!plan_user_request (&newest->plan, &request, why))
        return;
    size_t done = 0;
    for (size_t n = 0; n < request.compute_count; n++)
        for (size_t i = done; i < count; i++) {
            if (strcmp (placements [i].need, request.compute [n].id) != 0)
                continue;
            placement_t found = placements [i];
            memmove (&placements [done + 1], &placements [done], (i - done) * sizeof found);
            placements [done++] = found;
        }
    user_request_clear (&request);
}

void repair_answer_standing (const directory_t *directory, const locate_t *locate, answer_t *answer)
{
    graph_t *graph = federation_graph (directory);
    view_t view;
    view_located (&view, locate, NULL, graph);
    answer->version = view.version;
    answer->start_ms = view.start_ms;
    answer->end_ms = view.end_ms;
    answer->compute = view.compute;
    answer->compute_count = view.compute_count;
    answer->network = view.network;
    answer->network_count = view.network_count;
    answer->data = view.data;
    answer->data_count = view.data_count;
    view.compute = NULL;
    view.data = NULL;
    view.network = NULL;
    view.network_count = 0;
    answer->cost = 0;
    for (size_t i = 0; i < answer->compute_count; i++)
        grant (directory, &answer->compute [i], &answer->cost);
    sort_placements (locate_newest (locate), answer->compute, answer->compute_count);
    for (size_t i = 0; i < answer->network_count; i++)
        answer->cost += path_cost (graph, &answer->network [i]);
    view_clear (&view);
    graph_destroy (&graph);
}
