/*  path_search - the best path that begins in a given manner: the search under path.h, which says
 *  what "best" is.
 *
 *  Labels spread from the target towards the start, in order of what they cost until the
 *  target. A first round finds how many hops, how wide or how cheap the best path is; a second
 *  one, over the links that are wide enough, settles what is left to choose, and a walk along
 *  its labels takes the names in order. Without a latency limit one label a vertex is enough.
 *  Under a limit that stands against the order a vertex has one for each pair of cost and
 *  latency that is no worse in both than another. Every extension costs a hop, so the best
 *  path never meets a vertex twice.
 */
#ifndef MUSUBI_PATH_SEARCH_H
#define MUSUBI_PATH_SEARCH_H

#include "path.h"

typedef struct way path_search_t;

/*  The graph must outlive it and not change. */
path_search_t *path_search_new (const graph_t *graph);
void path_search_destroy (path_search_t **self_p);

/*  Sets the question; looks at every link once. */
void path_search_ask (path_search_t *self, const path_question_t *question);

/*  The best path whose first links are those of begin, up to kept, and whose next link is none of
 *  barred. Takes steps as path_find does. PATH_FIXED: decided by capacity alone, without a look at
 *  the room. */
path_state_t path_search_best (path_search_t *self, const path_t *begin, size_t kept,
                               const size_t *barred, size_t barred_count, path_t *path,
                               uint64_t *steps);

/*  Does every link of the path have the room that was asked for? */
bool path_search_has_room (const path_search_t *self, const path_t *path);

#endif
