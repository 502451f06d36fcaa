/*  path - ways through a graph from one vertex to another, best first.
 *
 *      fixed   fewest hops, then the widest bottleneck by capacity, then the names of the vertices
 *              in order: what the graph alone decides (S0)
 *      free    fewest hops, then the widest, then the cheapest, then the names, among links with
 *              room
 *      cheap   cheapest, then fewest hops, then the widest, then the names
 *
 *  Names are compared hop by hop; of parallel links the earlier one of the graph goes first, so
 *  that no two paths are equal. Only simple paths (no vertex twice) of at most PATH_HOPS_MAX links,
 *  within the latency limit; they may lead through sites. Answers are exact: each path is the best
 *  of those not given yet, and "none" is proven. Pure.
 */
#ifndef MUSUBI_PATH_H
#define MUSUBI_PATH_H

#include "graph.h"

#define PATH_HOPS_MAX 64

typedef enum { PATH_FIXED, PATH_FREE, PATH_CHEAP } path_order_t;

/*  "free", "fixed": what users may ask for. */
bool path_order_parse (const char *word, path_order_t *order);

typedef struct {
    size_t from; /* vertices */
    size_t to;
    path_order_t order;
    int64_t latency_us_max; /* 0 = any */
    uint32_t mbps;
    /*  How much is free of a link; negative: it is not to be used at all; NULL = all of its
     *  capacity. Called once a link and search. PATH_FIXED decides by capacity, then the path must
     *  have room.
     */
    int64_t (*free) (void *owner, size_t link);
    /*  What a link weighs, not below zero, for PATH_CHEAP and PATH_FREE; NULL = its price. */
    int64_t (*weight) (void *owner, size_t link);
    void *owner;
} path_question_t;

typedef struct {
    size_t from; /* vertex */
    size_t links [PATH_HOPS_MAX];
    size_t links_count; /* 0: from is to */
    int64_t latency_us;
    int64_t mbps;   /* least free on the way; INT64_MAX without links */
    int64_t weight; /* sum */
} path_t;

typedef enum {
    PATH_FOUND,
    PATH_NONE,    /* proven: there is no (further) one */
    PATH_UNKNOWN, /* the steps ran out */
} path_state_t;

/*  The best path. *steps is how many steps may be taken, and on return how many are left; a step
 *  looks at one end of one link. A search takes about two or three for each link, and more only
 *  if the latency limit excludes the paths that would come first. */
path_state_t path_find (const graph_t *graph, const path_question_t *question, path_t *path,
                        uint64_t *steps);

/*  The paths in order, each once, for a caller that must try another when the first does not fit
 *  the rest of its plan. PATH_FIXED has at most one. The graph must outlive the finder and not
 *  change; free quantities are those of its beginning. After PATH_UNKNOWN it goes on where it
 *  stopped. */
typedef struct path_finder path_finder_t;

path_finder_t *path_finder_new (const graph_t *graph, const path_question_t *question);
void path_finder_destroy (path_finder_t **self_p);
path_state_t path_finder_next (path_finder_t *self, path_t *path, uint64_t *steps);

/*  Another question about the same graph, from the first path on: as a new finder, but it keeps its
 *  memory. */
void path_finder_ask (path_finder_t *self, const path_question_t *question);

/*  The vertices of a path in order; vertices has room for PATH_HOPS_MAX + 1. Returns how many. */
size_t path_vertices (const graph_t *graph, const path_t *path, size_t *vertices);

/*  Why is there none? One sentence that names what stands in the way: no path at all, every path
 *  longer than the latency limit, a vertex that two domains describe differently, or the link with
 *  the most room among those that are too full (*link, else SIZE_MAX). */
void path_explain (const graph_t *graph, const path_question_t *question, size_t *link,
                   char why [WHY_BYTES]);

#endif
