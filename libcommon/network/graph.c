/*  graph - domains by name, and their vertices and links once joined.
 *
 *  The graph is joined at the first question after an add. Vertices ascend by name; a name that
 *  domains describe differently becomes one vertex for each description, in order of the first
 *  domain that gives it. So the numbers depend on which domains were added, not on the order.
 */
#include "graph.h"

#include "must.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONFLICT_BYTES 768 /* of one sentence: two values, the names around them */

typedef struct {
    char name [NAME_BYTES_MAX + 1];
    domain_t domain;
    size_t links_from; /* number of its first link */
} graph_member_t;

/*  A vertex as one domain describes it. */
typedef struct {
    const vertex_t *vertex;
    size_t member;
    size_t joined; /* number of the vertex that it is in the graph */
} described_t;

typedef struct {
    const char *vertex;
    char *sentence;
} conflict_t;

struct graph {
    graph_member_t **members; /* ascending by name */
    size_t members_count;
    bool joined; /* all below is of the present members */

    described_t *described; /* ascending by name, then domain */
    size_t described_count;
    const vertex_t **vertices;
    size_t vertices_count;
    graph_link_t *links;
    size_t links_count;
    size_t *links_by_name; /* within each domain's */
    size_t *at_from;       /* where the links at a vertex begin in at; one more than vertices */
    size_t *at;
    conflict_t *conflicts;
    size_t conflicts_count;
};

graph_t *graph_new (void)
{
    return must (calloc (1, sizeof (graph_t)));
}

static void joined_clear (graph_t *self)
{
    for (size_t i = 0; i < self->conflicts_count; i++)
        free (self->conflicts [i].sentence);
    free (self->conflicts);
    free (self->described);
    free (self->vertices);
    free (self->links);
    free (self->links_by_name);
    free (self->at_from);
    free (self->at);
    *self = (graph_t){.members = self->members, .members_count = self->members_count};
}

static void graph_member_free (graph_member_t *member)
{
    codec_clear (&domain_codec, &member->domain);
    free (member);
}

void graph_destroy (graph_t **self_p)
{
    graph_t *self = *self_p;
    if (!self)
        return;
    joined_clear (self);
    for (size_t i = 0; i < self->members_count; i++)
        graph_member_free (self->members [i]);
    free (self->members);
    free (self);
    *self_p = NULL;
}

/*  The first of [low, high) whose name is not less. */
static size_t graph_seek (const graph_t *self, size_t low, size_t high, const char *name,
                          const char *(*name_at) (const graph_t *self, size_t i))
{
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp (name_at (self, middle), name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const char *member_name (const graph_t *self, size_t i)
{
    return self->members [i]->name;
}

static size_t member_seek (const graph_t *self, const char *name)
{
    return graph_seek (self, 0, self->members_count, name, member_name);
}

static bool member_is (const graph_t *self, size_t at, const char *name)
{
    return at < self->members_count && strcmp (self->members [at]->name, name) == 0;
}

void graph_add (graph_t *self, const char *domain, const domain_t *description)
{
    assert (self && domain && description && strlen (domain) <= NAME_BYTES_MAX);
    joined_clear (self);
    graph_member_t *member = must (calloc (1, sizeof *member));
    memcpy (member->name, domain, strlen (domain) + 1);
    codec_copy (&domain_codec, &member->domain, description);

    size_t at = member_seek (self, domain);
    if (member_is (self, at, domain)) {
        graph_member_free (self->members [at]);
        self->members [at] = member;
        return;
    }
    self->members =
      must (realloc (self->members, (self->members_count + 1) * sizeof (graph_member_t *)));
    memmove (&self->members [at + 1], &self->members [at],
             (self->members_count - at) * sizeof (graph_member_t *));
    self->members [at] = member;
    self->members_count++;
}

/*  --- do domains agree about a vertex? --- */

static const char *attribute_of (const vertex_t *vertex, const char *name)
{
    for (size_t i = 0; i < vertex->attributes_count; i++)
        if (strcmp (vertex->attributes [i].name, name) == 0)
            return vertex->attributes [i].value;
    return NULL;
}

/*  The name of the first attribute, by name, whose value in b is not that of a; NULL when there
 *  is none. */
static const char *attribute_amiss (const vertex_t *a, const vertex_t *b)
{
    size_t amiss = SIZE_MAX;
    for (size_t i = 0; i < a->attributes_count; i++) {
        const attribute_t *attribute = &a->attributes [i];
        const char *other = attribute_of (b, attribute->name);
        if ((!other || strcmp (other, attribute->value) != 0) &&
            (amiss == SIZE_MAX || strcmp (attribute->name, a->attributes [amiss].name) < 0))
            amiss = i;
    }
    return amiss < SIZE_MAX ? a->attributes [amiss].name : NULL;
}

/*  The first attribute, by name, in which they differ; NULL when they have the same. */
static const char *attribute_apart (const vertex_t *a, const vertex_t *b)
{
    const char *here = attribute_amiss (a, b);
    const char *there = attribute_amiss (b, a);
    if (!here || !there)
        return here ? here : there;
    return strcmp (here, there) <= 0 ? here : there;
}

static bool same_vertex (const vertex_t *a, const vertex_t *b)
{
    return a->kind == b->kind && !attribute_apart (a, b);
}

static void says (char *text, size_t size, const char *domain, const vertex_t *vertex,
                  const char *attribute)
{
    const char *value = attribute_of (vertex, attribute);
    snprintf (text, size, "domain %s says %s%s%s", domain, value ? "" : "no ", attribute,
              value ? "=" : "");
    if (value)
        snprintf (text + strlen (text), size - strlen (text), "%s", value);
}

/*  The first domain that has it, and the first that does not agree with that one. */
static void conflict_add (graph_t *self, const described_t *first, const described_t *other)
{
    const char *name = first->vertex->name;
    const char *domain = self->members [first->member]->name;
    const char *other_domain = self->members [other->member]->name;
    char *sentence = must (malloc (CONFLICT_BYTES));
    if (first->vertex->kind != other->vertex->kind) {
        snprintf (sentence, CONFLICT_BYTES, "%s: domain %s says %s, domain %s says %s", name,
                  domain, vertex_kind_word (first->vertex->kind), other_domain,
                  vertex_kind_word (other->vertex->kind));
    } else {
        const char *attribute = attribute_apart (first->vertex, other->vertex);
        assert (attribute); /* what else would they differ in? */
        char here [CONFLICT_BYTES / 2];
        char there [CONFLICT_BYTES / 2];
        says (here, sizeof here, domain, first->vertex, attribute);
        says (there, sizeof there, other_domain, other->vertex, attribute);
        snprintf (sentence, CONFLICT_BYTES, "%s %.64s: %.300s, %.300s",
                  vertex_kind_word (first->vertex->kind), name, here, there);
    }
    self->conflicts =
      must (realloc (self->conflicts, (self->conflicts_count + 1) * sizeof *self->conflicts));
    self->conflicts [self->conflicts_count++] = (conflict_t){.vertex = name, .sentence = sentence};
}

/*  --- the joining --- */

static int by_name_and_domain (const void *a, const void *b)
{
    const described_t *left = a;
    const described_t *right = b;
    int order = strcmp (left->vertex->name, right->vertex->name);
    if (order != 0)
        return order;
    return (left->member > right->member) - (left->member < right->member);
}

static void graph_describe (graph_t *self)
{
    size_t count = 0;
    for (size_t i = 0; i < self->members_count; i++)
        count += self->members [i]->domain.vertices_count;
    self->described = must (calloc (count + 1, sizeof *self->described));
    for (size_t i = 0; i < self->members_count; i++) {
        const domain_t *domain = &self->members [i]->domain;
        for (size_t k = 0; k < domain->vertices_count; k++)
            self->described [self->described_count++] =
              (described_t){.vertex = &domain->vertices [k], .member = i};
    }
    qsort (self->described, count, sizeof *self->described, by_name_and_domain);
}

/*  One name, as all domains that have it describe it: [from, until) of described. Those that agree
 *  are one vertex. */
static void join_name (graph_t *self, size_t from, size_t until)
{
    size_t first = self->vertices_count;
    for (size_t i = from; i < until; i++) {
        described_t *described = &self->described [i];
        size_t joined = first;
        while (joined < self->vertices_count &&
               !same_vertex (self->vertices [joined], described->vertex))
            joined++;
        if (joined == first + 1 && joined == self->vertices_count)
            conflict_add (self, &self->described [from], described);
        if (joined == self->vertices_count)
            self->vertices [self->vertices_count++] = described->vertex;
        described->joined = joined;
    }
}

static void join_vertices (graph_t *self)
{
    self->vertices = must (calloc (self->described_count + 1, sizeof (vertex_t *)));
    size_t from = 0;
    for (size_t i = 1; i <= self->described_count; i++)
        if (i == self->described_count ||
            strcmp (self->described [i].vertex->name, self->described [from].vertex->name) != 0) {
            join_name (self, from, i);
            from = i;
        }
}

static const char *described_name (const graph_t *self, size_t i)
{
    return self->described [i].vertex->name;
}

/*  The vertex that the domain has under this name. */
static size_t graph_vertex_of (const graph_t *self, size_t member, const char *name)
{
    size_t at = graph_seek (self, 0, self->described_count, name, described_name);
    while (at < self->described_count && self->described [at].member < member)
        at++;
    assert (at < self->described_count && self->described [at].member == member &&
            strcmp (described_name (self, at), name) == 0);
    return self->described [at].joined;
}

static int by_link_name (const void *a, const void *b, void *links)
{
    const graph_link_t *left = &((const graph_link_t *) links) [*(const size_t *) a];
    const graph_link_t *right = &((const graph_link_t *) links) [*(const size_t *) b];
    return strcmp (left->link->name, right->link->name);
}

static void join_links (graph_t *self)
{
    size_t count = 0;
    for (size_t i = 0; i < self->members_count; i++)
        count += self->members [i]->domain.links_count;
    self->links = must (calloc (count + 1, sizeof *self->links));
    self->links_by_name = must (calloc (count + 1, sizeof *self->links_by_name));
    for (size_t i = 0; i < self->members_count; i++) {
        graph_member_t *member = self->members [i];
        member->links_from = self->links_count;
        for (size_t k = 0; k < member->domain.links_count; k++) {
            const link_t *link = &member->domain.links [k];
            self->links_by_name [self->links_count] = self->links_count;
            self->links [self->links_count++] =
              (graph_link_t){.domain = member->name,
                             .link = link,
                             .ends = {graph_vertex_of (self, i, link->ends [0]),
                                      graph_vertex_of (self, i, link->ends [1])}};
        }
        qsort_r (&self->links_by_name [member->links_from], member->domain.links_count,
                 sizeof *self->links_by_name, by_link_name, self->links);
    }
}

static void join_ends (graph_t *self)
{
    self->at_from = must (calloc (self->vertices_count + 2, sizeof *self->at_from));
    self->at = must (calloc (2 * self->links_count + 1, sizeof *self->at));
    size_t *next = self->at_from + 1; /* counts, then fills, then is where the next one begins */
    for (size_t i = 0; i < self->links_count; i++)
        for (int end = 0; end < 2; end++)
            next [self->links [i].ends [end] + 1]++;
    for (size_t i = 1; i <= self->vertices_count; i++)
        next [i] += next [i - 1];
    for (size_t i = 0; i < self->links_count; i++)
        for (int end = 0; end < 2; end++)
            self->at [next [self->links [i].ends [end]]++] = i;
}

/*  Questions use the joined graph. It is derived from the members, so making it changes no
 *  answer. */
static const graph_t *joined (const graph_t *self)
{
    if (!self->joined) {
        graph_t *stale = (graph_t *) self;
        graph_describe (stale);
        join_vertices (stale);
        join_links (stale);
        join_ends (stale);
        stale->joined = true;
    }
    return self;
}

/*  --- vertices --- */

size_t graph_vertices (const graph_t *self)
{
    return joined (self)->vertices_count;
}

const char *graph_vertex_name (const graph_t *self, size_t vertex)
{
    assert (vertex < joined (self)->vertices_count);
    return self->vertices [vertex]->name;
}

/*  Number of the first vertex whose name is not less. */
static size_t vertex_seek (const graph_t *self, const char *name)
{
    return graph_seek (self, 0, graph_vertices (self), name, graph_vertex_name);
}

static bool vertex_is (const graph_t *self, size_t vertex, const char *name)
{
    return vertex < self->vertices_count && strcmp (self->vertices [vertex]->name, name) == 0;
}

size_t graph_vertex (const graph_t *self, const char *name)
{
    size_t vertex = vertex_seek (self, name);
    return vertex_is (self, vertex, name) ? vertex : SIZE_MAX;
}

size_t graph_site_count (const graph_t *self, const char *site)
{
    size_t count = 0;
    for (size_t i = vertex_seek (self, site); vertex_is (self, i, site); i++)
        count += self->vertices [i]->kind == VERTEX_SITE;
    return count;
}

size_t graph_site (const graph_t *self, const char *site, size_t i)
{
    size_t vertex = vertex_seek (self, site);
    for (;; vertex++) {
        assert (vertex_is (self, vertex, site));
        if (self->vertices [vertex]->kind == VERTEX_SITE && i-- == 0)
            return vertex;
    }
}

/*  --- links --- */

size_t graph_links (const graph_t *self)
{
    return joined (self)->links_count;
}

const graph_link_t *graph_link (const graph_t *self, size_t link)
{
    assert (link < joined (self)->links_count);
    return &self->links [link];
}

static const char *link_name (const graph_t *self, size_t i)
{
    return self->links [self->links_by_name [i]].link->name;
}

size_t graph_find_link (const graph_t *self, const char *domain, const char *name)
{
    size_t member = member_seek (joined (self), domain);
    if (!member_is (self, member, domain))
        return SIZE_MAX;
    size_t from = self->members [member]->links_from;
    size_t until = from + self->members [member]->domain.links_count;
    size_t at = graph_seek (self, from, until, name, link_name);
    return at < until && strcmp (link_name (self, at), name) == 0 ? self->links_by_name [at]
                                                                  : SIZE_MAX;
}

const size_t *graph_at (const graph_t *self, size_t vertex, size_t *count)
{
    assert (vertex < joined (self)->vertices_count);
    *count = self->at_from [vertex + 1] - self->at_from [vertex];
    return &self->at [self->at_from [vertex]];
}

/*  --- disagreements --- */

size_t graph_conflicts (const graph_t *self)
{
    return joined (self)->conflicts_count;
}

const char *graph_conflict (const graph_t *self, size_t i)
{
    assert (i < joined (self)->conflicts_count);
    return self->conflicts [i].sentence;
}

const char *graph_conflict_vertex (const graph_t *self, size_t i)
{
    assert (i < joined (self)->conflicts_count);
    return self->conflicts [i].vertex;
}
