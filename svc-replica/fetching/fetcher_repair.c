/*  fetcher_repair - looks from time to time, and when a copy is quarantined or another one is
 *  there, whether a quarantined copy can be mended: from another node of the site, or from another
 *  site. Its node takes what is right from the copy itself, so that only bad chunks travel. Also
 *  gives what is right of a copy that can't be mended.
 */
#include "fetcher_state.h"

#include <stdio.h>
#include <string.h>

#define MEND_LOOK_MS 30000

/*  Has one of its quarantined copies room beside it for the new one? */
static bool mendable (const fetcher_t *self, const file_t *file)
{
    for (size_t i = 0; i < file->copies_count; i++) {
        const chain_node_t *node = chain_node (self->parts.chain, file->copies [i].node);
        if (file->copies [i].state == COPY_QUARANTINED && node && node->agent.state == AGENT_UP &&
            chain_room (self->parts.chain, node) >= file->content.size)
            return file->content.digest_known &&
                   !transit_under_way (self, TRANSITS_ALL, file->name, NULL);
    }
    return false;
}

static void mend_go_on (fetcher_t *self, const moment_t *now);

static void mend_on_located (void *owner, const moment_t *now, const file_copies_t *located)
{
    fetcher_t *self = owner;
    const file_t *file = catalogue_find (self->parts.catalogue, self->mend_name);
    bool sound = false;
    self->mend_question = 0;
    for (size_t i = 0; file && i < located->count; i++)
        sound = sound || (located->places [i].sound > 0 &&
                          content_equal (&located->places [i].content, &file->content));
    if (sound && mendable (self, file))
        transit_look (transit_for (self, now, TRANSIT_FETCH, file), now);
    mend_go_on (self, now);
}

static void mend_on_round (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    fetcher_t *self = owner;
    self->mend_name [0] = '\0';
    mend_go_on (self, now);
}

/*  Goes on to the next file that can perhaps be repaired, or ends the round. */
static void mend_go_on (fetcher_t *self, const moment_t *now)
{
    chain_source_t sources [CHAIN_SOURCES_MAX];
    timers_move (self->parts.service->timers, &self->mend_timer, now->mono_ms + MEND_LOOK_MS,
                 mend_on_round, self, 0);
    const file_t *file = catalogue_after (self->parts.catalogue, self->mend_name);
    while (file && !mendable (self, file))
        file = catalogue_after (self->parts.catalogue, file->name);
    if (!file)
        return;
    memcpy (self->mend_name, file->name, sizeof self->mend_name);
    if (sources_here (self, now, file->name, sources) > 0) {
        transit_room (transit_for (self, now, TRANSIT_SERVE, file), now);
        mend_hurry (self, now);
    } else {
        self->mend_question =
          locating_ask (self->parts.locating, now, self->mend_name, true, mend_on_located, self);
    }
}

void mend_hurry (fetcher_t *self, const moment_t *now)
{
    if (self->mend_question != 0)
        return;
    timers_move (self->parts.service->timers, &self->mend_timer, now->mono_ms, mend_on_round, self,
                 0);
}

void mend_end (fetcher_t *self)
{
    locating_cancel (self->parts.locating, self->mend_question);
    timers_cancel (self->parts.service->timers, self->mend_timer);
}

/*  --- salvage --- */

static const chain_file_t *quarantined_file (const fetcher_t *self, const char *name,
                                             const char **node)
{
    const file_t *file = catalogue_find (self->parts.catalogue, name);
    for (size_t i = 0; file && i < file->copies_count; i++) {
        const chain_node_t *at = chain_node (self->parts.chain, file->copies [i].node);
        const chain_file_t *have = chain_file (at, name);
        *node = file->copies [i].node;
        if (have && at->agent.state == AGENT_UP && have->stored.quarantined &&
            have->stored.damage.found.digest_known)
            return have;
    }
    return NULL;
}

call_status_t fetcher_salvage (fetcher_t *self, const moment_t *now,
                               const begin_question_t *question, uint64_t *transfer,
                               damage_t *damage, char why [WHY_BYTES])
{
    chain_source_t source = {0};
    const char *receiver = question->guest;
    const chain_file_t *have = quarantined_file (self, question->name, &source.node);
    transit_t *transit =
      transit_under_way (self, TRANSITS (TRANSIT_SALVAGE), question->name, receiver);
    chain_id_t id;
    snprintf (
      why, WHY_BYTES,
      "%s has no bad copy of %.120s at a storage node that is up; name the site that has one "
      "with --site, or get it without --salvage",
      self->parts.site, question->name);
    if (!have)
        return CALL_NOT_FOUND;
    *damage = have->stored.damage;
    *transfer = transit ? transit->number : 0;
    if (transit || !*receiver)
        return CALL_OK;
    chain_order_t order = {.file = question->name,
                           .size_known = true,
                           .content = damage->found,
                           .sources = &source,
                           .sources_count = 1,
                           .receivers = &receiver,
                           .receivers_count = 1,
                           .mbps = self->limits.mbps,
                           .owner = TRANSIT_SALVAGE + 1};
    if (!chain_begin (self->parts.chain, now, &order, &id, why))
        return CALL_OVERLOADED;
    transit = transit_new (self, now, TRANSIT_SALVAGE, question->name);
    transit->file.content = damage->found;
    transit_begun (transit, &id);
    transit->settled = true;
    STATE_MOVE (&transit_states, transit->state, TRANSIT_RUNNING);
    *transfer = transit->number;
    return CALL_OK;
}
