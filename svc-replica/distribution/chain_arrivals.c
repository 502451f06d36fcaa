/*  chain_arrivals - files that tasks have left in the folders for arrivals of their nodes. */
#include "chain_state.h"

#include "must.h"

#include <stdlib.h>
#include <string.h>

static chain_arrival_t *arrival_find (chain_node_t *place, const char *path)
{
    return place ? list_find (place->arrivals, place->arrivals_count, sizeof *place->arrivals, path)
                 : NULL;
}

static bool same_wanted (const chain_arrival_t *a, const chain_arrival_t *b)
{
    return a->room == b->room && a->have == b->have && a->is_named == b->is_named &&
           memcmp (a->named, b->named, sizeof a->named) == 0;
}

const chain_arrival_t *chain_arrival (chain_t *self, const moment_t *now, const char *node,
                                      const chain_arrival_t *wanted)
{
    chain_node_t *place = chain_node (self, node);
    chain_arrival_t *arrival = arrival_find (place, wanted->path);
    if (!place || (!arrival && place->arrivals_count == ARRIVALS_MAX))
        return NULL;
    if (arrival && same_wanted (arrival, wanted))
        return arrival;
    if (!arrival && !place->arrivals)
        place->arrivals = must (calloc (ARRIVALS_MAX, sizeof *place->arrivals));
    if (!arrival)
        arrival = &place->arrivals [place->arrivals_count++];
    content_t found = arrival->content;
    *arrival = *wanted;
    arrival->content = found;
    chain_dirty (self, now, place);
    return arrival;
}

void chain_arrival_end (chain_t *self, const moment_t *now, const char *node, const char *path)
{
    chain_node_t *place = chain_node (self, node);
    chain_arrival_t *arrival = arrival_find (place, path);
    if (!arrival)
        return;
    *arrival = place->arrivals [--place->arrivals_count];
    place->arrivals [place->arrivals_count] = (chain_arrival_t){.room = 0};
    chain_dirty (self, now, place);
}

void chain_arrivals_take (chain_node_t *place, const storage_attend_t *asked)
{
    for (size_t i = 0; i < asked->arrivals_count; i++) {
        const chain_arrival_t *told = &asked->arrivals [i];
        chain_arrival_t *arrival = arrival_find (place, told->path);
        if (!arrival)
            continue;
        arrival->content = told->content;
        arrival->done = told->done;
        memcpy (arrival->why, told->why, sizeof arrival->why);
    }
}
