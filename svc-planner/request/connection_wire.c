/*  connection_wire - placements and connections into their messages. */
#include "connection_wire.h"

#include "message.h"
#include "must.h"

#include <stdlib.h>

Musubi__Placement **placements_put (const placement_t *from, size_t count)
{
    Musubi__Placement **list = messages_new (&musubi__placement__descriptor, count);
    for (size_t i = 0; i < count; i++) {
        list [i]->need = (char *) from [i].need;
        list [i]->site = (char *) from [i].site;
        list [i]->class_name = (char *) from [i].class_name;
        list [i]->cpus = from [i].cpus;
        list [i]->from_ms = from [i].from_ms;
        list [i]->until_ms = from [i].until_ms;
    }
    return list;
}

static char **words_put (char **words, size_t *at, const char *first, size_t bytes, size_t count)
{
    char **list = &words [*at];
    for (size_t i = 0; i < count; i++)
        words [(*at)++] = (char *) first + i * bytes;
    return count > 0 ? list : NULL;
}

void connections_put (connections_wire_t *to, const connection_t *from, size_t count)
{
    size_t words = 0, at = 0;
    for (size_t i = 0; i < count; i++)
        words += from [i].path_count + from [i].links_count;
    *to = (connections_wire_t){.list = messages_new (&musubi__connection__descriptor, count),
                               .ends = must (calloc (count + 1, sizeof *to->ends)),
                               .words = must (calloc (words + 1, sizeof (char *)))};
    for (size_t i = 0; i < count; i++) {
        Musubi__Connection *into = to->list [i];
        into->need = (char *) from [i].need;
        to->ends [i][0] = (char *) from [i].ends [0];
        to->ends [i][1] = (char *) from [i].ends [1];
        into->n_between = 2;
        into->between = to->ends [i];
        into->mbps = from [i].mbps;
        into->n_path = from [i].path_count;
        into->path = words_put (to->words, &at, (const char *) from [i].path, sizeof *from [i].path,
                                from [i].path_count);
        into->n_links = from [i].links_count;
        into->links = words_put (to->words, &at, (const char *) from [i].links,
                                 sizeof *from [i].links, from [i].links_count);
        into->latency_ms = (double) from [i].latency_us / 1000;
        into->from_ms = from [i].from_ms;
        into->until_ms = from [i].until_ms;
    }
}

void connections_put_end (connections_wire_t *wire)
{
    free (wire->list);
    free (wire->ends);
    free (wire->words);
    *wire = (connections_wire_t){0};
}
