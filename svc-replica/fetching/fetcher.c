/*  fetcher - the states of a transfer, and requests that begin or join one. */
#include "fetcher_state.h"

#include "must.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHAINS_MAX 5 /* that one transfer may use, one after the other */

static const char *const kind_words [] = {"put", "fetch", "serve", "salvage"};
static const char *const transit_words [] = {"looking", "room", "sourcing", "resting",
                                             "running", "done", "failed"};

#define LIVE STATES (TRANSIT_RUNNING)

static const state_step_t transit_steps [] = {
  {LIVE & ~STATE (TRANSIT_ROOM), TRANSIT_LOOKING, .when = "it looks for sites that have the file"},
  {LIVE & ~STATE (TRANSIT_SOURCING), TRANSIT_ROOM, .when = "it waits until a node has room"},
  {LIVE, TRANSIT_SOURCING, .when = "it asks a site to feed it"},
  {LIVE & ~STATE (TRANSIT_ROOM), TRANSIT_RESTING, .when = "it tries again later"},
  {LIVE, TRANSIT_RUNNING, .when = "its chain has sources, or nothing else can be done"},
  {LIVE & ~STATE (TRANSIT_ROOM), TRANSIT_DONE, .when = "all who are to have the file have it"},
  {LIVE, TRANSIT_FAILED, .when = "it can't be had, or not in time: why"},
};
const state_table_t transit_states = {
  .name = "transfer", .states = transit_words, STATE_STEPS (transit_steps)};

transit_t *transit_of (const fetcher_t *self, const chain_id_t *id)
{
    return ordered_find (self->by_id, id->bytes);
}

/*  --- states --- */

void transit_move (transit_t *transit, transit_state_t to)
{
    if (transit->state == to)
        return;
    outbox_log (transit->fetcher->parts.service->outbox,
                to == TRANSIT_FAILED ? LEVEL_WARNING : LEVEL_INFO,
                "transfer %llu %s name=%s %s->%s%s%s%s%s", (unsigned long long) transit->number,
                kind_words [transit->kind], transit->file.name, transit_words [transit->state],
                transit_words [to], *transit->source ? " source=" : "", transit->source,
                *transit->why ? " why=" : "", transit->why);
    STATE_MOVE (&transit_states, transit->state, to);
}

static void transit_free (transit_t *transit)
{
    fetcher_t *self = transit->fetcher;
    timers_cancel (self->parts.service->timers, transit->timer);
    timers_cancel (self->parts.service->timers, transit->renew_timer);
    locating_cancel (self->parts.locating, transit->question);
    calls_cancel (self->parts.service->calls, transit->call);
    ordered_remove (self->transits, &transit->number);
    if (transit->begun)
        ordered_remove (self->by_id, transit->id.bytes);
    if (transit_live (transit))
        self->live--;
    else
        self->over--;
    free (transit->guests);
    free (transit->wanted);
    free (transit->candidates);
    free (transit);
}

static void fetcher_on_kept (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    transit_t *transit = owner;
    if (transit->begun)
        chain_forget (transit->fetcher->parts.chain, now, &transit->id);
    transit_free (transit);
}

/*  Forgets transfers that are over, the oldest first, if there are too many. */
static void fetcher_prune (fetcher_t *self, const moment_t *now)
{
    for (transit_t *transit = ordered_after (self->transits, NULL);
         transit && self->over > TRANSIT_KEPT_MAX;) {
        uint64_t number = transit->number;
        if (!transit_live (transit)) {
            timers_cancel (self->parts.service->timers, transit->timer);
            fetcher_on_kept (transit, now, 0);
        }
        transit = ordered_after (self->transits, &number);
    }
}

static void transit_ends (transit_t *transit, const moment_t *now, transit_state_t to)
{
    fetcher_t *self = transit->fetcher;
    timers_t *timers = self->parts.service->timers;
    locating_cancel (self->parts.locating, transit->question);
    transit_call_end (transit, now);
    timers_cancel (timers, transit->renew_timer);
    transit_move (transit, to);
    self->live--;
    self->over++;
    timers_move (timers, &transit->timer, now->mono_ms + TRANSIT_KEEP_MS, fetcher_on_kept, transit,
                 0);
}

void transit_fail (transit_t *transit, const moment_t *now, const char *format, ...)
{
    fetcher_t *self = transit->fetcher;
    char why [WHY_BYTES]; /* transit->why may be among the arguments */
    if (!transit_live (transit))
        return;
    format_rest (why, sizeof why, format);
    snprintf (transit->why, sizeof transit->why, "%s", why);
    transit_source_ended (transit, now, 0, false);
    service_count (self->parts.service, "transfers_failed", 1);
    transit_ends (transit, now, TRANSIT_FAILED);
    if (transit->begun)
        chain_cancel (self->parts.chain, now, &transit->id, NULL, transit->why);
}

static void guest_add (transit_t *transit, const char *guest)
{
    transit->guests =
      must (reallocarray (transit->guests, transit->guests_count + 1, sizeof *transit->guests));
    snprintf (transit->guests [transit->guests_count++], NAME_BYTES_MAX + 1, "%s", guest);
}

/*  Receivers that this chain has not served wait for the next chain. */
static void unserved_wait (transit_t *transit)
{
    const chain_t *chain = transit->fetcher->parts.chain;
    const chain_transfer_t *transfer = chain_transfer (chain, &transit->id);
    for (size_t i = 0; transfer && i < transfer->receivers_count; i++) {
        const chain_receiver_t *receiver = &transfer->receivers [i];
        const chain_node_t *node = chain_node (chain, receiver->node);
        if (receiver->state != RECEIVER_VERIFIED && (!node || node->guest))
            guest_add (transit, receiver->node);
    }
}

static void on_again (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    transit_look (owner, now);
}

void transit_again (transit_t *transit, const moment_t *now, const char *why)
{
    fetcher_t *self = transit->fetcher;
    if (transit->kind == TRANSIT_PUT || transit->chains >= CHAINS_MAX ||
        now->mono_ms >= transit->until_ms) {
        transit_fail (transit, now, "%s", why);
        return;
    }
    transit_source_ended (transit, now, 0, false);
    snprintf (transit->why, sizeof transit->why, "%s", why);
    unserved_wait (transit);
    ordered_remove (self->by_id, transit->id.bytes);
    chain_forget (self->parts.chain, now, &transit->id);
    transit->begun = false;
    locating_cancel (self->parts.locating, transit->question);
    transit_call_end (transit, now);
    timers_cancel (self->parts.service->timers, transit->timer);
    transit->kind = TRANSIT_FETCH;
    transit->settled = false;
    transit->queued = false;
    STATE_MOVE (&transit_states, transit->state, TRANSIT_RUNNING);
    if (transit->chains <= 1) {
        transit_look (transit, now);
        return;
    }
    transit_move (transit, TRANSIT_RESTING);
    int64_t ms = pause_doubled (TRANSIT_REST_MS, TRANSIT_REST_MS_MAX, transit->chains - 2);
    timers_move (self->parts.service->timers, &transit->timer, now->mono_ms + ms, on_again, transit,
                 0);
}

void transit_begun (transit_t *transit, const chain_id_t *id)
{
    transit->begun = true;
    transit->id = *id;
    ordered_add (transit->fetcher->by_id, transit->id.bytes, transit);
}

void transit_done (transit_t *transit, const moment_t *now)
{
    if (!transit_live (transit))
        return;
    service_count (transit->fetcher->parts.service, "transfers_done", 1);
    transit_ends (transit, now, TRANSIT_DONE);
}

transit_t *transit_new (fetcher_t *self, const moment_t *now, transit_kind_t kind, const char *name)
{
    fetcher_prune (self, now);
    transit_t *transit = must (calloc (1, sizeof *transit));
    transit->fetcher = self;
    /* The start is part of it, so a client's old number never means another transfer. */
    transit->number = (uint64_t) self->parts.service->store.start << 32 | ++self->numbers;
    transit->kind = kind;
    transit->until_ms = now->mono_ms + self->limits.patience_ms;
    assert (strlen (name) <= FILE_NAME_BYTES_MAX);
    memcpy (transit->file.name, name, strlen (name) + 1);
    ordered_add (self->transits, &transit->number, transit);
    self->live++;
    return transit;
}

/*  --- joining --- */

/*  True when this node or guest receives it, or waits for it. */
static bool transit_has_receiver (const transit_t *transit, const char *guest)
{
    return list_find (transit->guests, transit->guests_count, sizeof *transit->guests, guest) ||
           transit_wants (transit, guest) || transit_receives (transit, guest);
}

transit_t *transit_under_way (const fetcher_t *self, uint32_t kinds, const char *name,
                              const char *receiver)
{
    for (transit_t *transit = NULL; (transit = ordered_next (self->transits, transit));)
        if (transit_live (transit) && kinds & TRANSITS (transit->kind) &&
            strcmp (transit->file.name, name) == 0 &&
            (!receiver || transit_has_receiver (transit, receiver)))
            return transit;
    return NULL;
}

const chain_transfer_t *transit_transfer (const transit_t *transit)
{
    return transit->begun ? chain_transfer (transit->fetcher->parts.chain, &transit->id) : NULL;
}

bool transit_receives (const transit_t *transit, const char *guest)
{
    return chain_receiver_find (transit_transfer (transit), guest);
}

static bool fetcher_join (transit_t *transit, const moment_t *now, const char *guest,
                          char why [WHY_BYTES])
{
    if (!*guest || transit_has_receiver (transit, guest))
        return true;
    if (transit->begun)
        return chain_join (transit->fetcher->parts.chain, now, &transit->id, guest, why);
    if (transit->guests_count == CHAIN_RECEIVERS_MAX - 1)
        return wrong (why,
                      "%zu receivers wait for this file already, and no more may; ask again later",
                      transit->guests_count);
    guest_add (transit, guest);
    return true;
}

bool fetcher_busy (const fetcher_t *self, char why [WHY_BYTES])
{
    if (self->live < self->limits.transfers_max)
        return false;
    snprintf (
      why, WHY_BYTES,
      "the site has %zu transfers under way already, and may not have more; ask again later",
      self->live);
    return true;
}

/*  --- put --- */

call_status_t fetcher_put (fetcher_t *self, const moment_t *now, const begin_question_t *question,
                           const char *owner, uint64_t *transfer, char why [WHY_BYTES])
{
    const file_t *file = catalogue_find (self->parts.catalogue, question->name);
    transit_t *transit = transit_under_way (self, TRANSITS (TRANSIT_PUT), question->name, NULL);
    transit_t *mends = transit_under_way (self, TRANSITS (TRANSIT_FETCH), question->name, NULL);
    if (!transit && mends && mends->begun && file && file_copies (file, COPY_QUARANTINED) > 0)
        transit = mends; /* the client is one more source */
    content_t content = {.size = question->size, .digest_known = true};
    memcpy (content.digest, question->digest, FILE_DIGEST_BYTES);
    *transfer = 0;
    if ((file && !content_same (&file->content, &content)) ||
        (transit && !content_same (&transit->file.content, &content))) {
        snprintf (
          why, WHY_BYTES,
          "this site has another file called %.160s; choose another name, or evict that file first",
          question->name);
        return CALL_DENIED;
    }
    if (transit && strcmp (transit->guest, question->guest) != 0) {
        /* Another client puts the same bytes: one more source, if the transfer has begun. */
        chain_source_t source = {.node = question->guest};
        snprintf (why, WHY_BYTES,
                  "somebody else is putting %.160s just now; try again when that is done",
                  question->name);
        if (!transit->begun || !chain_source (self->parts.chain, now, &transit->id, &source, why))
            return CALL_OVERLOADED;
    }
    if (transit) {
        *transfer = transit->number;
        return CALL_OK;
    }
    if (file && file_copies (file, COPY_SOUND) > 0) {
        file_t wanted = *file;
        wanted.kept = true;
        catalogue_want (self->parts.catalogue, &wanted);
        return CALL_OK;
    }
    if (fetcher_busy (self, why))
        return CALL_OVERLOADED;
    transit = transit_new (self, now, TRANSIT_PUT, question->name);
    transit->file.content = content;
    snprintf (transit->file.owner, sizeof transit->file.owner, "%s", owner);
    snprintf (transit->guest, sizeof transit->guest, "%s", question->guest);
    transit->file.created_ms = now->wall_ms;
    transit->file.used_ms = now->wall_ms;
    transit->file.kept = true;
    transit->file.expires_ms = question->lifetime_ms > 0 ? now->wall_ms + question->lifetime_ms : 0;
    *transfer = transit->number;
    transit_look (transit, now);
    return CALL_OK;
}

/*  --- get --- */

size_t sources_here (const fetcher_t *self, const moment_t *now, const char *name,
                     chain_source_t sources [CHAIN_SOURCES_MAX])
{
    const file_t *file = catalogue_find (self->parts.catalogue, name);
    size_t count = 0;
    for (size_t i = 0; file && i < file->copies_count && count < CHAIN_SOURCES_MAX; i++) {
        const copy_t *copy = &file->copies [i];
        const chain_node_t *node = chain_node (self->parts.chain, copy->node);
        if (copy->state == COPY_SOUND && node && node->agent.state <= AGENT_UP &&
            agent_session_quiet_ms (&node->agent, now) == 0)
            sources [count++] = (chain_source_t){.node = copy->node};
    }
    return count;
}

bool node_silent (const fetcher_t *self, const moment_t *now, const char *name,
                  char why [WHY_BYTES])
{
    const chain_node_t *node = chain_node (self->parts.chain, name);
    int64_t quiet_ms = node ? agent_session_quiet_ms (&node->agent, now) : 0;
    if (quiet_ms > 0)
        snprintf (why, WHY_BYTES, "%s %s of %s has been silent for %lld s",
                  node->guest ? "client" : "storage node", name, self->parts.site,
                  (long long) quiet_ms / 1000);
    return quiet_ms > 0;
}

bool transit_silent (const transit_t *transit, const moment_t *now, char why [WHY_BYTES])
{
    const fetcher_t *self = transit->fetcher;
    const file_t *file = catalogue_find (self->parts.catalogue, transit->file.name);
    for (size_t i = 0; file && i < file->copies_count; i++)
        if (node_silent (self, now, file->copies [i].node, why))
            return true;
    return file && node_silent (self, now, transit->guest, why);
}

bool receiver_own (const fetcher_t *self, const chain_receiver_t *receiver)
{
    const chain_node_t *node = chain_node (self->parts.chain, receiver->node);
    return node && !node->guest;
}

uint32_t nodes_lacking (const fetcher_t *self, const char *name, uint32_t nodes)
{
    const file_t *file = catalogue_find (self->parts.catalogue, name);
    uint32_t own = 0, have = 0;
    for (size_t i = 0; i < chain_nodes (self->parts.chain); i++) {
        const chain_node_t *node = chain_node_at (self->parts.chain, i);
        const copy_t *copy = file_copy (file, node->name);
        own += !node->guest;
        have += copy && (copy->state == COPY_SOUND || copy->state == COPY_STAGED);
    }
    nodes = nodes < own ? nodes : own;
    return nodes > have ? nodes - have : 0;
}

/*  Marks the file as kept, with the lifetime asked for; that of one that is kept already stays. So
 *  many nodes are to have it from now on. */
static void keep (file_t *file, const moment_t *now, const begin_question_t *question)
{
    if (!question->keep)
        return;
    if (!file->kept)
        file->expires_ms = question->lifetime_ms > 0 ? now->wall_ms + question->lifetime_ms : 0;
    file->kept = true;
    if (file->rule.copies == 0)
        file->rule = (replica_rule_t){.nodes = question->nodes};
}

call_status_t fetcher_get (fetcher_t *self, const moment_t *now, const begin_question_t *question,
                           uint64_t *transfer, char why [WHY_BYTES])
{
    static const transit_kind_t kinds [] = {TRANSIT_FETCH, TRANSIT_PUT, TRANSIT_SERVE};
    chain_source_t sources [CHAIN_SOURCES_MAX];
    catalogue_use (self->parts.catalogue, question->name, now->wall_ms);
    const file_t *file = catalogue_find (self->parts.catalogue, question->name);
    if (file) {
        file_t wanted = *file;
        keep (&wanted, now, question);
        catalogue_want (self->parts.catalogue, &wanted);
    }
    bool here = sources_here (self, now, question->name, sources) > 0;
    bool spreads =
      question->nodes > 1 && (nodes_lacking (self, question->name, question->nodes) > 0 ||
                              (file && file_copies (file, COPY_STAGED) > 0));
    *transfer = 0;
    if (here && !*question->guest && !spreads)
        return CALL_OK;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        transit_t *transit = transit_under_way (self, TRANSITS (kinds [i]), question->name, NULL);
        if (!transit ||
            (kinds [i] == TRANSIT_SERVE && (*question->guest ? !transit->begun : !spreads)) ||
            !fetcher_join (transit, now, question->guest, why))
            continue;
        keep (&transit->file, now, question);
        *transfer = transit->number;
        transit->only_wanted = false;
        if (question->nodes > transit->nodes)
            transit->nodes = question->nodes;
        if (transit->begun)
            transit_spread (transit, now);
        return CALL_OK;
    }
    if (fetcher_busy (self, why))
        return CALL_OVERLOADED;
    transit_t *transit =
      transit_new (self, now, here ? TRANSIT_SERVE : TRANSIT_FETCH, question->name);
    transit->nodes = question->nodes;
    transit->settled = here;
    keep (&transit->file, now, question);
    if (file && file->content.digest_known) {
        transit->file.content = file->content;
        transit->file.created_ms = file->created_ms;
    }
    *transfer = transit->number;
    fetcher_join (transit, now, question->guest, why);
    if (here)
        transit_room (transit, now);
    else
        transit_look (transit, now);
    return CALL_OK;
}

bool fetcher_spread (fetcher_t *self, const moment_t *now, const char *name, uint32_t nodes)
{
    const file_t *file = catalogue_find (self->parts.catalogue, name);
    begin_question_t question = {.nodes = nodes};
    char node [NAME_BYTES_MAX + 1], why [WHY_BYTES];
    uint64_t transfer;
    if (nodes_lacking (self, name, nodes) == 0)
        return true;
    if (self->live >= FETCHER_SPREADS_MAX ||
        cache_room (self->parts.cache, now, file, NULL, node, why) != CACHE_READY)
        return false;
    memcpy (question.name, name, strlen (name) + 1);
    return fetcher_get (self, now, &question, &transfer, why) == CALL_OK;
}

/*  --- how it stands --- */

/*  For the site: it is done when no node is left that receives it. */
static transfer_state_t state_for (const transit_t *transit, const char *guest,
                                   const chain_transfer_t *transfer, const char **why)
{
    bool pending = !transit->begun;
    for (size_t i = 0; transfer && i < transfer->receivers_count; i++) {
        const chain_receiver_t *hop = &transfer->receivers [i];
        if (*guest ? strcmp (hop->node, guest) != 0 : !receiver_own (transit->fetcher, hop))
            continue;
        if (*guest && hop->state == RECEIVER_VERIFIED)
            return TRANSFER_DONE;
        pending = pending || hop->state < RECEIVER_VERIFIED;
        if (hop->state == RECEIVER_FAILED && *hop->why && (*guest || !*transit->why))
            *why = hop->why;
        if (*guest && hop->state == RECEIVER_FAILED)
            return TRANSFER_FAILED;
    }
    return transit->state == TRANSIT_DONE || (!*guest && transit->settled && !pending)
             ? TRANSFER_DONE
           : transit->state == TRANSIT_FAILED                    ? TRANSFER_FAILED
           : transit->state == TRANSIT_RUNNING && !*transit->why ? TRANSFER_RUNNING
                                                                 : TRANSFER_WAITING;
}

/*  Why a node does not have the file. */
static const char *lacking_why (const chain_node_t *node, const chain_transfer_t *transfer)
{
    const chain_receiver_t *receiver = chain_receiver_find (transfer, node->name);
    if (receiver)
        return *receiver->why ? receiver->why : "is receiving it";
    return node->agent.state == AGENT_UP ? "has no room for it" : "is not up";
}

/*  Counts the nodes that have the file, and lists the others if more than one are to have it. The
 *  caller frees the list and its texts. */
static nodes_told_t nodes_tell (const transit_t *transit, const chain_transfer_t *transfer)
{
    const fetcher_parts_t *parts = &transit->fetcher->parts;
    const file_t *file = catalogue_find (parts->catalogue, transit->file.name);
    nodes_told_t told = {.lacking = must (calloc (chain_nodes (parts->chain), sizeof (char *)))};
    for (size_t i = 0; i < chain_nodes (parts->chain); i++) {
        const chain_node_t *node = chain_node_at (parts->chain, i);
        const copy_t *copy = file_copy (file, node->name);
        bool has = copy && copy->state == COPY_SOUND;
        told.have += has;
        if (!has && !node->guest && transit->nodes > 1)
            told.lacking [told.lacking_count++] =
              must_print ("%s: %s", node->name, lacking_why (node, transfer));
    }
    return told;
}

bool fetcher_told (const fetcher_t *self, const moment_t *now, uint64_t number, const char *guest,
                   packed_t *answer)
{
    char silent [WHY_BYTES];
    const transit_t *transit = ordered_find (self->transits, &number);
    if (!transit ||
        (*guest && strcmp (guest, transit->guest) != 0 && !transit_has_receiver (transit, guest)))
        return false;
    const chain_transfer_t *transfer = transit_transfer (transit);
    const char *why = transit->why;
    transfer_state_t state = state_for (transit, guest, transfer, &why);
    if (state == TRANSFER_RUNNING && !*why && transit_silent (transit, now, silent))
        why = silent;
    nodes_told_t nodes = nodes_tell (transit, transfer);
    *answer = transfer_answer_encode (self->parts.chain, state, &transit->file, transit->source,
                                      transfer, &nodes, why);
    for (size_t i = 0; i < nodes.lacking_count; i++)
        free (nodes.lacking [i]);
    free (nodes.lacking);
    return true;
}

const char *fetcher_from (void *fetcher, const char *name)
{
    const transit_t *transit = transit_under_way (fetcher, TRANSITS (TRANSIT_FETCH), name, NULL);
    return transit && transit->state == TRANSIT_RUNNING ? transit->source : "";
}

/*  --- life --- */

fetcher_t *fetcher_new (const fetcher_parts_t *parts, const fetcher_limits_t *limits)
{
    fetcher_t *self = must (calloc (1, sizeof *self));
    *self = (fetcher_t){.parts = *parts,
                        .limits = *limits,
                        .transits = ordered_by_number (offsetof (transit_t, number)),
                        .by_id = ordered_by_bytes (offsetof (transit_t, id), CHAIN_ID_BYTES)};
    service_limit (parts->service, "transfers_max", limits->transfers_max);
    chain_observe (parts->chain, &(chain_observer_t){.owner = self,
                                                     .receiver_moved = fetcher_receiver,
                                                     .source_failed = fetcher_source_failed,
                                                     .transfer_over = fetcher_over,
                                                     .file_moved = fetcher_file,
                                                     .node_moved = fetcher_node});
    return self;
}

void fetcher_destroy (fetcher_t **self_p)
{
    fetcher_t *self = *self_p;
    if (!self)
        return;
    for (transit_t *transit; (transit = ordered_after (self->transits, NULL));)
        transit_free (transit);
    mend_end (self);
    ordered_destroy (&self->transits);
    ordered_destroy (&self->by_id);
    free (self);
    *self_p = NULL;
}
