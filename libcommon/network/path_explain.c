/*  path_explain - why there is no path: the question is repeated with one demand more each time,
 *  until there is none.
 */
#include "path.h"

#include "must.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPLAIN_STEPS UINT64_C (100000000)
#define NAME_SHOWN    "%.63s"

/*  Part of the question, as it is repeated. */
typedef struct {
    const path_question_t *question;
    const graph_t *graph;
    bool all;      /* links that are not to be used, too */
    bool full;     /* links without room, too */
    int64_t least; /* of room, otherwise */
} path_explain_asked_t;

static int64_t path_explain_room_of (const path_explain_asked_t *asked, size_t link)
{
    const path_question_t *question = asked->question;
    return question->free ? question->free (question->owner, link)
                          : graph_link (asked->graph, link)->link->mbps;
}

static int64_t asked_free (void *owner, size_t link)
{
    const path_explain_asked_t *asked = owner;
    int64_t room = path_explain_room_of (asked, link);
    if (asked->all)
        return 0;
    return room < 0 || (!asked->full && room < asked->least) ? -1 : room;
}

static int64_t asked_latency (void *owner, size_t link)
{
    return graph_link (((const path_explain_asked_t *) owner)->graph, link)->link->latency_us;
}

/*  The quickest path among the links that asked lets pass. */
static bool quickest (path_explain_asked_t *asked, path_t *path)
{
    uint64_t steps = EXPLAIN_STEPS;
    path_question_t question = {.from = asked->question->from,
                                .to = asked->question->to,
                                .order = PATH_CHEAP,
                                .free = asked_free,
                                .weight = asked_latency,
                                .owner = asked};
    return path_find (asked->graph, &question, path, &steps) == PATH_FOUND;
}

static bool in_time (const path_explain_asked_t *asked, const path_t *path)
{
    int64_t limit_us = asked->question->latency_us_max;
    return limit_us == 0 || path->latency_us <= limit_us;
}

/*  --- a vertex that domains describe differently --- */

static const char *conflict_about (const graph_t *graph, const char *vertex)
{
    for (size_t i = 0; i < graph_conflicts (graph); i++)
        if (strcmp (graph_conflict_vertex (graph, i), vertex) == 0)
            return graph_conflict (graph, i);
    return NULL;
}

/*  Vertices of one name stand side by side: the first of them. */
static size_t first_of_name (const graph_t *graph, size_t vertex)
{
    const char *name = graph_vertex_name (graph, vertex);
    while (vertex > 0 && strcmp (graph_vertex_name (graph, vertex - 1), name) == 0)
        vertex--;
    return vertex;
}

/*  Marks in came the vertex from which each was reached, stepping over every disagreement. */
static bool path_explain_reach (const path_explain_asked_t *asked, size_t *came, size_t *queue)
{
    const graph_t *graph = asked->graph;
    size_t count = graph_vertices (graph);
    memset (came, 0xff, count * sizeof *came);
    size_t queued = 0;
    came [asked->question->from] = asked->question->from;
    queue [queued++] = asked->question->from;
    for (size_t i = 0; i < queued; i++) {
        size_t vertex = queue [i];
        size_t links_count;
        const size_t *links = graph_at (graph, vertex, &links_count);
        for (size_t k = 0; k < links_count; k++) {
            const size_t *ends = graph_link (graph, links [k])->ends;
            size_t other = ends [0] == vertex ? ends [1] : ends [0];
            if (came [other] == SIZE_MAX && path_explain_room_of (asked, links [k]) >= 0) {
                came [other] = vertex;
                queue [queued++] = other;
            }
        }
        size_t first = first_of_name (graph, vertex);
        for (size_t twin = first; twin < count && first_of_name (graph, twin) == first; twin++)
            if (came [twin] == SIZE_MAX) {
                came [twin] = vertex;
                queue [queued++] = twin;
            }
    }
    return came [asked->question->to] != SIZE_MAX;
}

/*  The disagreement nearest to the target that alone prevents a path; NULL if none does. */
static const char *blocking_conflict (const path_explain_asked_t *asked)
{
    const graph_t *graph = asked->graph;
    size_t count = graph_vertices (graph);
    if (graph_conflicts (graph) == 0)
        return NULL;
    size_t *came = must (calloc (2 * count + 1, sizeof *came));
    const char *conflict = NULL;
    if (path_explain_reach (asked, came, came + count))
        for (size_t at = asked->question->to; !conflict && came [at] != at; at = came [at])
            if (first_of_name (graph, at) == first_of_name (graph, came [at]))
                conflict = conflict_about (graph, graph_vertex_name (graph, at));
    free (came);
    return conflict;
}

/*  --- a link that is too full --- */

/*  The path whose narrowest link is the widest, in time. */
static bool widest (path_explain_asked_t *asked, path_t *path)
{
    size_t count = graph_links (asked->graph);
    memory_auto int64_t *rooms = must (calloc (count + 1, sizeof *rooms));
    for (size_t i = 0; i < count; i++)
        rooms [i] = path_explain_room_of (asked, i);
    qsort (rooms, count, sizeof *rooms, amount_compare);
    asked->full = false;
    bool found = false;
    size_t low = 0;
    size_t high = count; /* the answer is below */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        path_t tried;
        asked->least = rooms [middle];
        if (quickest (asked, &tried) && in_time (asked, &tried)) {
            *path = tried;
            found = true;
            low = middle + 1;
        } else
            high = middle;
    }
    return found;
}

static size_t narrowest (const path_explain_asked_t *asked, const path_t *path)
{
    size_t link = path->links [0];
    for (size_t i = 1; i < path->links_count; i++)
        if (path_explain_room_of (asked, path->links [i]) < path_explain_room_of (asked, link))
            link = path->links [i];
    return link;
}

static bool fixed_path (const path_explain_asked_t *asked, path_t *path)
{
    uint64_t steps = EXPLAIN_STEPS;
    path_question_t question = *asked->question;
    question.mbps = 0;
    return path_find (asked->graph, &question, path, &steps) == PATH_FOUND;
}

static void explain_room (path_explain_asked_t *asked, size_t *link, char why [WHY_BYTES])
{
    const graph_t *graph = asked->graph;
    const path_question_t *question = asked->question;
    bool fixed = question->order == PATH_FIXED;
    path_t path;
    if (!(fixed ? fixed_path (asked, &path) : widest (asked, &path)) || path.links_count == 0) {
        snprintf (why, WHY_BYTES, "there is a path");
        return;
    }
    *link = narrowest (asked, &path);
    int64_t room = path_explain_room_of (asked, *link);
    if (room >= (int64_t) question->mbps) {
        *link = SIZE_MAX;
        snprintf (why, WHY_BYTES, "there is a path");
        return;
    }
    const graph_link_t *narrow = graph_link (graph, *link);
    snprintf (why, WHY_BYTES, NAME_SHOWN "/" NAME_SHOWN " has %lld Mbit/s free of the %u wanted%s",
              narrow->domain, narrow->link->name, (long long) room, question->mbps,
              fixed ? ", and it is on the fixed path" : ", and no other path has more");
}

/*  --- the steps --- */

void path_explain (const graph_t *graph, const path_question_t *question, size_t *link,
                   char why [WHY_BYTES])
{
    assert (graph && question && link && why);
    *link = SIZE_MAX;
    const char *from = graph_vertex_name (graph, question->from);
    const char *to = graph_vertex_name (graph, question->to);
    path_explain_asked_t asked = {.question = question, .graph = graph, .full = true};
    path_t path;
    if (!quickest (&asked, &path)) {
        const char *conflict = blocking_conflict (&asked);
        asked.all = true;
        if (conflict)
            snprintf (why, WHY_BYTES, "no path may cross %.220s", conflict);
        else if (quickest (&asked, &path))
            snprintf (why, WHY_BYTES,
                      "no path from " NAME_SHOWN " to " NAME_SHOWN
                      " over links that meet the requirements",
                      from, to);
        else
            snprintf (why, WHY_BYTES, "no path from " NAME_SHOWN " to " NAME_SHOWN, from, to);
        return;
    }
    if (!in_time (&asked, &path)) {
        snprintf (why, WHY_BYTES,
                  "the quickest path from " NAME_SHOWN " to " NAME_SHOWN
                  " takes %.3f ms, more than the limit of %.3f ms",
                  from, to, (double) path.latency_us / 1000,
                  (double) question->latency_us_max / 1000);
        return;
    }
    explain_room (&asked, link, why);
}
