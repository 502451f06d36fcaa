/*  fetcher - the states of a transfer, and requests that begin or join one. */
#include "fetcher_state.h"

#include "must.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TO(state) (1u << (state))

static const uint32_t transit_next [] = {
  [TRANSIT_LOOKING] = TO (TRANSIT_ROOM) | TO (TRANSIT_SOURCING) | TO (TRANSIT_RESTING) |
                      TO (TRANSIT_DONE) | TO (TRANSIT_FAILED),
  [TRANSIT_ROOM] = TO (TRANSIT_SOURCING) | TO (TRANSIT_RUNNING) | TO (TRANSIT_FAILED),
  [TRANSIT_SOURCING] = TO (TRANSIT_RUNNING) | TO (TRANSIT_RESTING) | TO (TRANSIT_LOOKING) |
                       TO (TRANSIT_DONE) | TO (TRANSIT_FAILED),
  [TRANSIT_RESTING] =
    TO (TRANSIT_LOOKING) | TO (TRANSIT_SOURCING) | TO (TRANSIT_DONE) | TO (TRANSIT_FAILED),
  [TRANSIT_RUNNING] = TO (TRANSIT_SOURCING) | TO (TRANSIT_LOOKING) | TO (TRANSIT_ROOM) |
                      TO (TRANSIT_DONE) | TO (TRANSIT_FAILED),
  [TRANSIT_DONE] = 0,
  [TRANSIT_FAILED] = 0,
};

#define CHAINS_MAX 5 /* that one transfer may use, one after the other */

static const char *const kind_words [] = {"put", "fetch", "serve"};
static const char *const state_words [] = {"looking", "room", "sourcing", "resting",
                                           "running", "done", "failed"};

static int fetcher_by_number (const void *key, const void *thing)
{
    const uint64_t *number = key;
    const transit_t *transit = thing;
    return (*number > transit->number) - (*number < transit->number);
}

transit_t *transit_of (const fetcher_t *self, const chain_id_t *id)
{
    return ordered_find (self->by_id, id->bytes);
}

/*  --- states --- */

void transit_move (transit_t *transit, transit_state_t to)
{
    if (transit->state == to)
        return;
    assert (transit_next [transit->state] & TO (to));
    outbox_log (transit->fetcher->parts.service->outbox,
                to == TRANSIT_FAILED ? LEVEL_WARNING : LEVEL_INFO,
                "transfer %llu %s name=%s %s->%s%s%s%s%s", (unsigned long long) transit->number,
                kind_words [transit->kind], transit->file.name, state_words [transit->state],
                state_words [to], *transit->source ? " source=" : "", transit->source,
                *transit->why ? " why=" : "", transit->why);
    transit->state = to;
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
    timers_cancel (timers, transit->timer);
    transit->timer =
      timers_set (timers, now->mono_ms + TRANSIT_KEEP_MS, fetcher_on_kept, transit, 0);
}

static void fetcher_fail (transit_t *transit, const moment_t *now, const char *why)
{
    fetcher_t *self = transit->fetcher;
    if (!transit_live (transit))
        return;
    if (why != transit->why)
        snprintf (transit->why, sizeof transit->why, "%s", why);
    transit_source_ended (transit, now, 0, false);
    service_count (self->parts.service, "transfers_failed", 1);
    transit_ends (transit, now, TRANSIT_FAILED);
    if (transit->begun)
        chain_cancel (self->parts.chain, now, &transit->id, NULL, transit->why);
}

void transit_fail (transit_t *transit, const moment_t *now, const char *format, ...)
{
    char why [CHAIN_WHY_BYTES_MAX + 1];
    va_list arguments;
    va_start (arguments, format);
    vsnprintf (why, sizeof why, format, arguments);
    va_end (arguments);
    fetcher_fail (transit, now, why);
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

void transit_again (transit_t *transit, const moment_t *now, const char *why)
{
    fetcher_t *self = transit->fetcher;
    if (transit->kind == TRANSIT_PUT || transit->chains >= CHAINS_MAX ||
        now->mono_ms >= transit->until_ms) {
        fetcher_fail (transit, now, why);
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
    transit->node [0] = '\0';
    transit->settled = false;
    transit->state = TRANSIT_RUNNING;
    transit_look (transit, now);
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

/*  The transfer under way that a request may join; NULL = none. */
static transit_t *joinable (const fetcher_t *self, transit_kind_t kind, const char *name)
{
    for (transit_t *transit = ordered_after (self->transits, NULL); transit;
         transit = ordered_after (self->transits, &transit->number))
        if (transit_live (transit) && transit->kind == kind &&
            strcmp (transit->file.name, name) == 0)
            return transit;
    return NULL;
}

static const chain_transfer_t *transfer_of (const transit_t *transit)
{
    return transit->begun ? chain_transfer (transit->fetcher->parts.chain, &transit->id) : NULL;
}

static bool has_receiver (const transit_t *transit, const char *guest)
{
    const chain_transfer_t *transfer = transfer_of (transit);
    for (size_t i = 0; i < transit->guests_count; i++)
        if (strcmp (transit->guests [i], guest) == 0)
            return true;
    for (size_t i = 0; transfer && i < transfer->receivers_count; i++)
        if (strcmp (transfer->receivers [i].node, guest) == 0)
            return true;
    return false;
}

static bool fetcher_join (transit_t *transit, const moment_t *now, const char *guest,
                          char why [CHAIN_WHY_BYTES_MAX + 1])
{
    if (!*guest || has_receiver (transit, guest))
        return true;
    if (transit->begun)
        return chain_join (transit->fetcher->parts.chain, now, &transit->id, guest, why);
    if (transit->guests_count == CHAIN_RECEIVERS_MAX - 1) {
        snprintf (why, CHAIN_WHY_BYTES_MAX + 1,
                  "%zu receivers wait for this file already, and no more may; ask again later",
                  transit->guests_count);
        return false;
    }
    guest_add (transit, guest);
    return true;
}

static bool busy (const fetcher_t *self, char why [CHAIN_WHY_BYTES_MAX + 1])
{
    if (self->live < self->limits.transfers_max)
        return false;
    snprintf (
      why, CHAIN_WHY_BYTES_MAX + 1,
      "the site has %zu transfers under way already, and may not have more; ask again later",
      self->live);
    return true;
}

/*  --- put --- */

call_status_t fetcher_put (fetcher_t *self, const moment_t *now, const begin_question_t *question,
                           const char *owner, uint64_t *transfer,
                           char why [CHAIN_WHY_BYTES_MAX + 1])
{
    const file_t *file = catalogue_find (self->parts.catalogue, question->name);
    transit_t *transit = joinable (self, TRANSIT_PUT, question->name);
    content_t content = {.size = question->size, .digest_known = true};
    memcpy (content.digest, question->digest, FILE_DIGEST_BYTES);
    *transfer = 0;
    if ((file && !content_same (&file->content, &content)) ||
        (transit && !content_same (&transit->file.content, &content))) {
        snprintf (
          why, CHAIN_WHY_BYTES_MAX + 1,
          "this site has another file called %.160s; choose another name, or evict that file first",
          question->name);
        return CALL_DENIED;
    }
    if (transit && strcmp (transit->guest, question->guest) != 0) {
        /* Another client puts the same bytes: one more source, if the transfer has begun. */
        chain_source_t source = {.node = question->guest};
        snprintf (why, CHAIN_WHY_BYTES_MAX + 1,
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
        catalogue_keep (self->parts.catalogue, question->name, true);
        return CALL_OK;
    }
    if (busy (self, why))
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

size_t sources_here (const fetcher_t *self, const char *name,
                     chain_source_t sources [CHAIN_SOURCES_MAX])
{
    const file_t *file = catalogue_find (self->parts.catalogue, name);
    size_t count = 0;
    for (size_t i = 0; file && i < file->copies_count && count < CHAIN_SOURCES_MAX; i++) {
        const copy_t *copy = &file->copies [i];
        const chain_node_t *node = chain_node (self->parts.chain, copy->node);
        if (copy->state == COPY_SOUND && node && node->agent.state <= AGENT_UP)
            sources [count++] = (chain_source_t){.node = copy->node};
    }
    return count;
}

static call_status_t fetcher_serve (fetcher_t *self, const moment_t *now, const file_t *file,
                                    const begin_question_t *question, uint64_t *transfer,
                                    char why [CHAIN_WHY_BYTES_MAX + 1])
{
    chain_source_t sources [CHAIN_SOURCES_MAX];
    const char *receivers [] = {question->guest};
    chain_order_t order = {.file = file->name,
                           .size_known = true,
                           .content = file->content,
                           .sources = sources,
                           .sources_count = sources_here (self, question->name, sources),
                           .receivers = receivers,
                           .receivers_count = 1,
                           .mbps = self->limits.mbps,
                           .owner = TRANSIT_SERVE + 1};
    chain_id_t id;
    if (!chain_begin (self->parts.chain, now, &order, &id, why))
        return CALL_DENIED;
    transit_t *transit = transit_new (self, now, TRANSIT_SERVE, file->name);
    transit->file.content = file->content;
    transit->file.created_ms = file->created_ms;
    transit->begun = true;
    transit->settled = true;
    transit->id = id;
    transit->state = TRANSIT_RUNNING;
    ordered_add (self->by_id, id.bytes, transit);
    *transfer = transit->number;
    return CALL_OK;
}

/*  Marks the file as kept, with this lifetime, whether it is here or on its way. What is kept
 *  already is not changed. */
static void fetcher_keep (const fetcher_t *self, const moment_t *now,
                          const begin_question_t *question, transit_t *transit)
{
    const file_t *file = catalogue_find (self->parts.catalogue, question->name);
    int64_t expires_ms = question->lifetime_ms > 0 ? now->wall_ms + question->lifetime_ms : 0;
    if (!question->keep)
        return;
    if (file && !file->kept) {
        catalogue_keep (self->parts.catalogue, question->name, true);
        catalogue_expire (self->parts.catalogue, question->name, expires_ms);
    }
    if (transit && !transit->file.kept) {
        transit->file.kept = true;
        transit->file.expires_ms = expires_ms;
    }
}

call_status_t fetcher_get (fetcher_t *self, const moment_t *now, const begin_question_t *question,
                           uint64_t *transfer, char why [CHAIN_WHY_BYTES_MAX + 1])
{
    static const transit_kind_t kinds [] = {TRANSIT_FETCH, TRANSIT_PUT, TRANSIT_SERVE};
    chain_source_t sources [CHAIN_SOURCES_MAX];
    fetcher_keep (self, now, question, NULL);
    catalogue_use (self->parts.catalogue, question->name, now->wall_ms);
    const file_t *file = catalogue_find (self->parts.catalogue, question->name);
    bool here = sources_here (self, question->name, sources) > 0;
    *transfer = 0;
    if (here && !*question->guest)
        return CALL_OK;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        transit_t *transit = joinable (self, kinds [i], question->name);
        if (!transit || (kinds [i] == TRANSIT_SERVE && !*question->guest) ||
            !fetcher_join (transit, now, question->guest, why))
            continue;
        fetcher_keep (self, now, question, transit);
        *transfer = transit->number;
        return CALL_OK;
    }
    if (busy (self, why))
        return CALL_OVERLOADED;
    if (here)
        return fetcher_serve (self, now, file, question, transfer, why);
    transit_t *transit = transit_new (self, now, TRANSIT_FETCH, question->name);
    fetcher_keep (self, now, question, transit);
    if (file && file->content.digest_known) {
        transit->file.content = file->content;
        transit->file.created_ms = file->created_ms;
    }
    *transfer = transit->number;
    fetcher_join (transit, now, question->guest, why);
    transit_look (transit, now);
    return CALL_OK;
}

/*  --- how it stands --- */

static transfer_state_t state_for (const transit_t *transit, const char *guest,
                                   const chain_transfer_t *transfer, const char **why)
{
    const char *node = *guest ? guest : transit->node;
    for (size_t i = 0; transfer && i < transfer->receivers_count; i++) {
        const chain_receiver_t *hop = &transfer->receivers [i];
        if (strcmp (hop->node, node) != 0)
            continue;
        if (hop->state == RECEIVER_VERIFIED)
            return TRANSFER_DONE;
        if (hop->state != RECEIVER_FAILED)
            break;
        if (*hop->why && (*guest || !*transit->why))
            *why = hop->why;
        if (*guest || !transit_live (transit))
            return TRANSFER_FAILED;
    }
    return transit->state == TRANSIT_DONE      ? TRANSFER_DONE
           : transit->state == TRANSIT_FAILED  ? TRANSFER_FAILED
           : transit->state == TRANSIT_RUNNING ? TRANSFER_RUNNING
                                               : TRANSFER_WAITING;
}

bool fetcher_told (const fetcher_t *self, uint64_t number, const char *guest, packed_t *answer)
{
    const transit_t *transit = ordered_find (self->transits, &number);
    if (!transit ||
        (*guest && strcmp (guest, transit->guest) != 0 && !has_receiver (transit, guest)))
        return false;
    const chain_transfer_t *transfer = transfer_of (transit);
    const char *why = transit->why;
    transfer_state_t state = state_for (transit, guest, transfer, &why);
    *answer = transfer_answer_encode (state, &transit->file, transit->source, transfer, why);
    return true;
}

/*  --- life --- */

fetcher_t *fetcher_new (const fetcher_parts_t *parts, const fetcher_limits_t *limits)
{
    fetcher_t *self = must (calloc (1, sizeof *self));
    *self = (fetcher_t){.parts = *parts,
                        .limits = *limits,
                        .transits = ordered_new (fetcher_by_number),
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
    ordered_destroy (&self->transits);
    ordered_destroy (&self->by_id);
    free (self);
    *self_p = NULL;
}
