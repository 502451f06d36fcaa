/*  graph - the networks of many domains as one graph, joined by the names of their vertices.
 *
 *  Sites and exchange points are known federation-wide; a path may cross wherever two domains list
 *  the same one. Where domains describe it differently - another kind, other attributes - nobody
 *  can say that it is the same point: it is one vertex for each group of domains that agree, and
 * the disagreement is told in words. So a path crosses there between domains that agree, whatever a
 *  third one says, and from none of them to one that disagrees. Pure.
 */
#ifndef MUSUBI_GRAPH_H
#define MUSUBI_GRAPH_H

#include "domain.h"

typedef struct graph graph_t;

graph_t *graph_new (void);
void graph_destroy (graph_t **self_p);

/*  Add a domain ("N") that passes domain_check; what it describes is copied. Domains may
 *  come in any order: the graph is the same. Adding one of that name again replaces it. The graph
 *  is joined at the first question after an add, not at each add. */
void graph_add (graph_t *self, const char *domain, const domain_t *description);

/*  --- vertices: 0 … graph_vertices - 1, stable until the next add --- */

size_t graph_vertices (const graph_t *self);
const char *graph_vertex_name (const graph_t *self, size_t vertex);

/*  SIZE_MAX when there is none. Where domains describe it differently it is one vertex for each
 *  description; this gives the one of the domain that is first by name. */
size_t graph_vertex (const graph_t *self, const char *name);

/*  The site's vertices, of which there are several only where domains disagree: 0 … count - 1. */
size_t graph_site_count (const graph_t *self, const char *site);
size_t graph_site (const graph_t *self, const char *site, size_t i);

/*  --- links: 0 … graph_links - 1, ascending by domain, then in its order --- */

typedef struct {
    const char *domain;
    const link_t *link;
    size_t ends [2]; /* vertices */
} graph_link_t;

size_t graph_links (const graph_t *self);
const graph_link_t *graph_link (const graph_t *self, size_t link);

/*  SIZE_MAX when there is none. */
size_t graph_find_link (const graph_t *self, const char *domain, const char *name);

/*  The links at a vertex; ascending. */
const size_t *graph_at (const graph_t *self, size_t vertex, size_t *count);

/*  --- disagreements: one sentence each, ascending by vertex; the domain that is first by name, and
 *  the next one that says otherwise:
 *
 *      exchange point X1: domain N says location=paris, domain S says location=lyon
 *      X2: domain N says exchange point, domain S says site */
size_t graph_conflicts (const graph_t *self);
const char *graph_conflict (const graph_t *self, size_t i);
/*  The vertex it is about, by name. */
const char *graph_conflict_vertex (const graph_t *self, size_t i);

#endif
