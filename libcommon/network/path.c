/*  path - one path after the other, after Yen (1971) with Lawler's saving (1972).
 *
 *  The best path is given first. Then the other paths part into sets: those that leave it at its
 *  first vertex, at its second, and so on; of each set the best waits. Giving one of them parts its
 *  own set in the same way. So the sets never overlap, every path comes once, and the one given is
 *  the best of all that are left.
 */
#include "path.h"

#include "must.h"
#include "path_search.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/*  The best of a set: the paths that begin as it does until they leave, and then take none of the
 *  barred links. */
typedef struct {
    path_t path;
    size_t leaves; /* kept links of the paths in its set */
    size_t *barred;
    size_t barred_count;
} path_candidate_t;

struct path_finder {
    const graph_t *graph;
    path_search_t *way;
    path_question_t question;
    bool begun;              /* the best of all was found, or there is none */
    path_candidate_t *given; /* the last one given, while its set is parted; NULL */
    size_t parted;           /* the next vertex to leave it at */
    path_candidate_t **waiting;
    size_t waiting_count;
    size_t waiting_room;
};

bool path_order_parse (const char *word, path_order_t *order)
{
    if (strcmp (word, "free") != 0 && strcmp (word, "fixed") != 0)
        return false;
    *order = strcmp (word, "fixed") == 0 ? PATH_FIXED : PATH_FREE;
    return true;
}

static size_t path_follow (const graph_t *graph, size_t vertex, size_t link)
{
    const size_t *ends = graph_link (graph, link)->ends;
    return ends [0] == vertex ? ends [1] : ends [0];
}

size_t path_vertices (const graph_t *graph, const path_t *path, size_t *vertices)
{
    vertices [0] = path->from;
    for (size_t i = 0; i < path->links_count; i++)
        vertices [i + 1] = path_follow (graph, vertices [i], path->links [i]);
    return path->links_count + 1;
}

path_state_t path_find (const graph_t *graph, const path_question_t *question, path_t *path,
                        uint64_t *steps)
{
    assert (graph && question && path && steps);
    path_search_t *way = path_search_new (graph);
    path_search_ask (way, question);
    path_t nothing = {0};
    path_state_t state = path_search_best (way, &nothing, 0, NULL, 0, path, steps);
    if (state == PATH_FOUND && !path_search_has_room (way, path))
        state = PATH_NONE; /* fixed: it is the only one */
    path_search_destroy (&way);
    return state;
}

/*  --- candidates --- */

static int path_compare (int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/*  Hop by hop, the vertex before the link. */
static int compare_names (const path_finder_t *self, const path_t *a, const path_t *b)
{
    size_t here = self->question.from;
    size_t there = here;
    for (size_t i = 0; i < a->links_count && i < b->links_count; i++) {
        if (a->links [i] == b->links [i] && here == there) {
            here = there = path_follow (self->graph, here, a->links [i]);
            continue;
        }
        here = path_follow (self->graph, here, a->links [i]);
        there = path_follow (self->graph, there, b->links [i]);
        if (here != there)
            return here < there ? -1 : 1;
        return a->links [i] < b->links [i] ? -1 : 1;
    }
    return 0;
}

static bool better (const path_finder_t *self, const path_candidate_t *left,
                    const path_candidate_t *right)
{
    const path_t *a = &left->path;
    const path_t *b = &right->path;
    int hops = path_compare ((int64_t) a->links_count, (int64_t) b->links_count);
    int wide = path_compare (b->mbps, a->mbps);
    int weight = path_compare (a->weight, b->weight);
    int order [] = {hops, wide, weight};
    if (self->question.order == PATH_CHEAP)
        memcpy (order, (int []){weight, hops, wide}, sizeof order);
    for (int i = 0; i < 3; i++)
        if (order [i] != 0)
            return order [i] < 0;
    return compare_names (self, a, b) < 0;
}

static void candidate_free (path_candidate_t *candidate)
{
    if (!candidate)
        return;
    free (candidate->barred);
    free (candidate);
}

static void waiting_push (path_finder_t *self, path_candidate_t *candidate)
{
    self->waiting = must_grow (self->waiting, self->waiting_count, &self->waiting_room,
                               sizeof (path_candidate_t *));
    self->waiting [self->waiting_count++] = candidate;
}

static path_candidate_t *waiting_take_best (path_finder_t *self)
{
    size_t best = 0;
    for (size_t i = 1; i < self->waiting_count; i++)
        if (better (self, self->waiting [i], self->waiting [best]))
            best = i;
    path_candidate_t *taken = self->waiting [best];
    self->waiting [best] = self->waiting [--self->waiting_count];
    return taken;
}

static void waiting_clear (path_finder_t *self)
{
    for (size_t i = 0; i < self->waiting_count; i++)
        candidate_free (self->waiting [i]);
    self->waiting_count = 0;
    candidate_free (self->given);
    self->given = NULL;
}

/*  --- the finder --- */

path_finder_t *path_finder_new (const graph_t *graph, const path_question_t *question)
{
    assert (graph && question);
    path_finder_t *self = must (calloc (1, sizeof *self));
    self->graph = graph;
    self->way = path_search_new (graph);
    path_finder_ask (self, question);
    return self;
}

void path_finder_destroy (path_finder_t **self_p)
{
    path_finder_t *self = *self_p;
    if (!self)
        return;
    waiting_clear (self);
    free (self->waiting);
    path_search_destroy (&self->way);
    free (self);
    *self_p = NULL;
}

void path_finder_ask (path_finder_t *self, const path_question_t *question)
{
    waiting_clear (self);
    self->question = *question;
    self->begun = false;
    path_search_ask (self->way, question);
}

/*  The best of the paths that keep so many links of the given one, then leave it. */
static path_state_t path_part (path_finder_t *self, size_t kept, uint64_t *steps)
{
    const path_candidate_t *given = self->given;
    size_t inherited = kept == given->leaves ? given->barred_count : 0;
    path_candidate_t *candidate = must (calloc (1, sizeof *candidate));
    candidate->leaves = kept;
    candidate->barred_count = inherited + 1;
    candidate->barred = must (calloc (inherited + 1, sizeof *candidate->barred));
    if (inherited > 0)
        memcpy (candidate->barred, given->barred, inherited * sizeof *candidate->barred);
    candidate->barred [inherited] = given->path.links [kept];
    path_state_t state = path_search_best (self->way, &given->path, kept, candidate->barred,
                                           candidate->barred_count, &candidate->path, steps);
    if (state == PATH_FOUND)
        waiting_push (self, candidate);
    else
        candidate_free (candidate);
    return state;
}

static path_state_t path_begin (path_finder_t *self, uint64_t *steps)
{
    path_candidate_t *candidate = must (calloc (1, sizeof *candidate));
    path_t nothing = {0};
    path_state_t state =
      path_search_best (self->way, &nothing, 0, NULL, 0, &candidate->path, steps);
    self->begun = state != PATH_UNKNOWN;
    if (state == PATH_FOUND && path_search_has_room (self->way, &candidate->path))
        waiting_push (self, candidate);
    else
        candidate_free (candidate);
    return state;
}

path_state_t path_finder_next (path_finder_t *self, path_t *path, uint64_t *steps)
{
    assert (self && path && steps);
    if (!self->begun && path_begin (self, steps) == PATH_UNKNOWN)
        return PATH_UNKNOWN;
    if (self->given && self->question.order != PATH_FIXED)
        for (; self->parted < self->given->path.links_count; self->parted++)
            if (path_part (self, self->parted, steps) == PATH_UNKNOWN)
                return PATH_UNKNOWN;
    candidate_free (self->given);
    self->given = NULL;
    if (self->waiting_count == 0)
        return PATH_NONE;
    self->given = waiting_take_best (self);
    self->parted = self->given->leaves;
    *path = self->given->path;
    return PATH_FOUND;
}
