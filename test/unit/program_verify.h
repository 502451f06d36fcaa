/*  program_verify - checks a plan against its program, with code that no solver uses.
 *
 *  Bandwidth is counted in a table of node pairs, so that it needs no edge's number.
 */
#ifndef MUSUBI_PROGRAM_VERIFY_H
#define MUSUBI_PROGRAM_VERIFY_H

#include "program.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t *bandwidth; /* nodes x nodes; -1 = no edge */
    int64_t *unit_cost;
    size_t nodes;
} verify_map_t;

static verify_map_t verify_map (const program_t *program)
{
    size_t n = program->nodes_count;
    verify_map_t map = {malloc ((n * n + 1) * sizeof (int64_t)),
                        calloc (n * n + 1, sizeof (int64_t)), n};
    if (!map.bandwidth || !map.unit_cost)
        abort ();
    for (size_t i = 0; i < n * n; i++)
        map.bandwidth [i] = -1;
    for (size_t i = 0; i < program->edges_count; i++) {
        const program_edge_t *edge = &program->edges [i];
        size_t there = edge->ends [0] * n + edge->ends [1];
        size_t back = edge->ends [1] * n + edge->ends [0];
        map.bandwidth [there] = map.bandwidth [back] = edge->bandwidth;
        map.unit_cost [there] = map.unit_cost [back] = edge->unit_cost;
    }
    return map;
}

/*  The cost of a path, whose bandwidth is taken from the table; -1 and why when it can't be had. */
static int64_t verify_path (const program_t *program, const program_plan_t *plan, size_t link,
                            verify_map_t *map, const char **why)
{
    const program_link_t *wanted = &program->links [link];
    const uint32_t *path = plan->paths + link * program->nodes_count;
    size_t hops = plan->path_lengths [link] - 1;
    int64_t cost = 0;
    *why = "a path does not lead from end to end";
    if (plan->path_lengths [link] < 2 || path [0] != plan->nodes [wanted->ends [0]] ||
        path [hops] != plan->nodes [wanted->ends [1]])
        return -1;
    *why = "a path has too many edges";
    if (program->hops_max > 0 && hops > program->hops_max)
        return -1;
    for (size_t i = 0; i < hops; i++) {
        size_t there = path [i] * map->nodes + path [i + 1];
        size_t back = path [i + 1] * map->nodes + path [i];
        *why = "a path comes to a node twice";
        for (size_t k = i + 1; k <= hops; k++)
            if (path [k] == path [i])
                return -1;
        *why = "an edge has not the bandwidth";
        if (map->bandwidth [there] < wanted->bandwidth)
            return -1;
        map->bandwidth [there] -= wanted->bandwidth;
        if (program->reading == PROGRAM_SHARED)
            map->bandwidth [back] -= wanted->bandwidth;
        cost += map->unit_cost [there] * wanted->bandwidth;
    }
    return cost;
}

static bool verify_barred (const program_t *program, const program_plan_t *plan, size_t link)
{
    const uint32_t *path = plan->paths + link * program->nodes_count;
    for (size_t i = 0; program->barred && i + 1 < plan->path_lengths [link]; i++)
        for (size_t e = 0; e < program->edges_count; e++) {
            uint32_t a = program->edges [e].ends [0];
            uint32_t b = program->edges [e].ends [1];
            bool here =
              (path [i] == a && path [i + 1] == b) || (path [i] == b && path [i + 1] == a);
            if (here && program->barred [link * program->edges_count + e])
                return true;
        }
    return false;
}

/*  The plan's cost; -1 with why when it is wrong. */
static int64_t verify_plan (const program_t *program, const program_plan_t *plan, const char **why)
{
    int64_t cost = 0;
    for (size_t j = 0; j < program->sites_count; j++) {
        uint32_t node = plan->nodes [j];
        *why = "a site is nowhere, or has too few CPUs";
        if (node >= program->nodes_count)
            return -1;
        int64_t offer = program->offers ? program->offers [j * program->nodes_count + node]
                        : program->nodes [node].cpus < program->cpus [j]
                          ? -1
                          : program->nodes [node].unit_cost * program->cpus [j];
        if (offer < 0)
            return -1;
        *why = "two sites are at one node";
        for (size_t k = 0; k < j; k++)
            if (plan->nodes [k] == node)
                return -1;
        cost += offer;
    }
    verify_map_t map = verify_map (program);
    for (size_t l = 0; l < program->links_count && cost >= 0; l++) {
        if (program->links [l].bandwidth == 0)
            continue;
        *why = "a path lies over an edge that is barred to it";
        if (verify_barred (program, plan, l)) {
            cost = -1;
            break;
        }
        int64_t path = verify_path (program, plan, l, &map, why);
        cost = path < 0 ? -1 : cost + path;
    }
    free (map.bandwidth);
    free (map.unit_cost);
    return cost;
}

#endif
