/*  staging_question - tells planners how soon files could be at this site. */
#include "staging.h"

#include "must.h"

#include <stdlib.h>
#include <string.h>

static int by_name (const void *one, const void *other)
{
    return strcmp (one, other);
}

static void nodes_having (const fetcher_parts_t *parts, staging_answer_t *told)
{
    const file_t *file = catalogue_find (parts->catalogue, told->name);
    if (!file)
        return;
    told->kept = file->kept || file->pinned;
    told->nodes = must (calloc (file->copies_count + 1, sizeof *told->nodes));
    for (size_t i = 0; i < file->copies_count; i++) {
        const chain_node_t *node = chain_node (parts->chain, file->copies [i].node);
        if (file->copies [i].state == COPY_SOUND && node && node->agent.state == AGENT_UP)
            memcpy (told->nodes [told->nodes_count++], node->name, sizeof *told->nodes);
    }
    qsort (told->nodes, told->nodes_count, sizeof *told->nodes, by_name);
}

/*  The site from which it would come. One whose transfers to here are as many as may be has a turn
 *  later, and is better than none. */
static void best_source (const fetcher_parts_t *parts, const moment_t *now,
                         const staging_question_t *asked, staging_answer_t *told)
{
    const char *sites [STAGING_SITES_MAX] = {NULL};
    size_t count = 0;
    int64_t again_ms;
    for (size_t i = 0; i < asked->sites_count; i++)
        if (strcmp (asked->sites [i], parts->site) != 0)
            sites [count++] = asked->sites [i];
    size_t best =
      selector_choose (parts->selector, now->mono_ms, sites, count, asked->size, &again_ms);
    for (size_t i = 0; i < count && best == count; i++)
        if (selector_full (parts->selector, sites [i]))
            best = i;
    if (best == count)
        return;
    memcpy (told->source, sites [best], sizeof told->source);
    told->bytes_per_s = selector_rate (parts->selector, told->source);
}

static void staging_question_on_staging (void *owner, const moment_t *now, const request_t *request,
                                         void *body)
{
    const fetcher_parts_t *parts = owner;
    const staging_asked_t *asked = body;
    staging_told_t told = {.count = asked->count};
    told.files = must (calloc (asked->count + 1, sizeof *told.files));
    for (size_t i = 0; i < asked->count; i++) {
        memcpy (told.files [i].name, asked->files [i].name, sizeof told.files [i].name);
        nodes_having (parts, &told.files [i]);
        best_source (parts, now, &asked->files [i], &told.files [i]);
    }
    for (size_t i = 0; i < chain_nodes (parts->chain); i++) {
        const chain_node_t *node = chain_node_at (parts->chain, i);
        if (!node->guest && node->bytes_max > told.bytes_max)
            told.bytes_max = node->bytes_max;
    }
    service_reply (parts->service, request, codec_encode (&staging_told_codec, &told));
    codec_clear (&staging_told_codec, &told);
}

void staging_question_serve (fetcher_parts_t *parts)
{
    service_serve (parts->service, "Replica", "Staging", &staging_asked_codec, ALWAYS,
                   staging_question_on_staging, parts);
}
