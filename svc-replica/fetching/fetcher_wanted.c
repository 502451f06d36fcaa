/*  fetcher_wanted - brings files to nodes that are named, because somebody stays with them there
 *  (staging.h). */
#include "fetcher_state.h"

#include "must.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t transit_mbps (const transit_t *transit)
{
    uint32_t most = transit->fetcher->limits.mbps;
    return transit->mbps > 0 && (most == 0 || transit->mbps < most) ? transit->mbps : most;
}

bool transit_wants (const transit_t *transit, const char *node)
{
    return list_find (transit->wanted, transit->wanted_count, sizeof *transit->wanted, node);
}

/*  Of those wanted the first with room; else the one that is waited for. A node that can't have it
 *  at all fails the transfer only when all are so. */
cache_answer_t transit_place (transit_t *transit, const moment_t *now,
                              char node [NAME_BYTES_MAX + 1], char why [WHY_BYTES])
{
    cache_t *cache = transit->fetcher->parts.cache;
    cache_answer_t best = CACHE_FULL;
    for (size_t i = 0; i < transit->wanted_count && best != CACHE_READY; i++) {
        cache_answer_t answer =
          cache_room_at (cache, now, &transit->file, transit->wanted [i], why);
        if (answer != CACHE_FULL) {
            best = answer;
            snprintf (node, NAME_BYTES_MAX + 1, "%s", transit->wanted [i]);
        }
    }
    if (best == CACHE_READY || transit->only_wanted)
        return best;
    return cache_room (cache, now, &transit->file, NULL, node, why);
}

static void want (transit_t *transit, const bring_t *bring)
{
    if (!transit_wants (transit, bring->node)) {
        transit->wanted =
          must (reallocarray (transit->wanted, transit->wanted_count + 1, sizeof *transit->wanted));
        snprintf (transit->wanted [transit->wanted_count++], NAME_BYTES_MAX + 1, "%s", bring->node);
    }
    if (!*transit->prefer)
        snprintf (transit->prefer, sizeof transit->prefer, "%s", bring->source);
    if (bring->mbps > transit->mbps)
        transit->mbps = bring->mbps;
    if (bring->digest)
        memcpy (transit->digest, bring->digest, FILE_DIGEST_BYTES);
    transit->expected = transit->expected || bring->digest;
}

static transit_t *wanted_new (fetcher_t *self, const moment_t *now, const bring_t *bring)
{
    chain_source_t sources [CHAIN_SOURCES_MAX];
    const file_t *file = catalogue_find (self->parts.catalogue, bring->name);
    bool here = sources_here (self, now, bring->name, sources) > 0;
    transit_kind_t kind = here ? TRANSIT_SERVE : TRANSIT_FETCH;
    transit_t *transit = file && file->content.digest_known
                           ? transit_for (self, now, kind, file)
                           : transit_new (self, now, kind, bring->name);
    transit->only_wanted = true;
    want (transit, bring);
    return transit;
}

void fetcher_bring (fetcher_t *self, const moment_t *now, const bring_t *bring, uint64_t *transfer,
                    char why [WHY_BYTES])
{
    const copy_t *lost =
      file_copy (catalogue_find (self->parts.catalogue, bring->name), bring->node);
    if (lost && lost->state == COPY_SOUND)
        fetcher_lost (self, now, bring->name, bring->node);
    transit_t *transit =
      transit_under_way (self, TRANSITS_ALL & ~TRANSITS (TRANSIT_SALVAGE), bring->name, NULL);
    *transfer = 0;
    if (!transit && fetcher_busy (self, why))
        return;
    if (transit) {
        *transfer = transit->number;
        want (transit, bring);
        if (transit->begun)
            transit_spread (transit, now);
        return;
    }
    transit = wanted_new (self, now, bring);
    *transfer = transit->number;
    if (transit->kind == TRANSIT_SERVE)
        transit_room (transit, now);
    else
        transit_look (transit, now);
}

bool fetcher_bringing (const fetcher_t *self, const moment_t *now, uint64_t number,
                       staged_file_t *told)
{
    const transit_t *transit = ordered_find (self->transits, &number);
    char why [WHY_BYTES] = "";
    if (!transit)
        return false;
    const chain_receiver_t *receiver = chain_receiver_find (transit_transfer (transit), told->node);
    bool failed = receiver && receiver->state == RECEIVER_FAILED;
    if (receiver)
        told->has = receiver->has;
    if (transit->kind == TRANSIT_FETCH)
        snprintf (told->source, sizeof told->source, "%s", transit->source);
    if (!*transit->why && !failed && transit_live (transit))
        (void) transit_silent (transit, now, why);
    snprintf (told->why, sizeof told->why, "%s",
              failed && *receiver->why ? receiver->why
              : *transit->why          ? transit->why
                                       : why);
    return transit_live (transit) && !failed;
}

void fetcher_bring_end (fetcher_t *self, const moment_t *now, uint64_t number, const char *node)
{
    transit_t *transit = ordered_find (self->transits, &number);
    if (!transit || !transit_live (transit) || !transit->only_wanted)
        return;
    for (size_t i = transit->wanted_count; i-- > 0;)
        if (strcmp (transit->wanted [i], node) == 0)
            memmove (transit->wanted [i], transit->wanted [--transit->wanted_count],
                     sizeof *transit->wanted);
    if (transit->begun && transit_receives (transit, node))
        chain_cancel (self->parts.chain, now, &transit->id, node, "nobody wants it there any more");
    if (transit->wanted_count == 0 && transit_live (transit))
        transit_fail (transit, now, "nobody wants it any more");
}
