/*  chain - transfers: how they begin and end, and how they are stored. */
#include "chain_state.h"

#include "must.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OUTGOING_FEEDS_LOOK_MS 60000 /* between two looks for loans whose time is over */

static const setting_t chain_rows [] = {
  SET_FIXED_DURATION (chain_limits_t, silent_ms, "limits/node_silent", 25 * MS_SECOND),
  SET_FIXED_DURATION (chain_limits_t, lost_ms, "limits/node_lost", 120 * MS_SECOND),
};

static const void *chain_rule (void *settings, char why [WHY_BYTES])
{
    (void) why;
    chain_limits_t *limits = settings;
    limits->attend_ms = 10000;
    limits->report_ms = 250;
    limits->slow_ms = 2000;
    limits->skip_ms = 1000;
    return NULL;
}

const setting_table_t chain_table = SETTING_TABLE (chain_limits_t, chain_rows, chain_rule);

static_assert (CHAIN_ID_BYTES <= ENTROPY_BYTES && CHAIN_TOKEN_BYTES <= ENTROPY_BYTES,
               "a moment has enough");

/*  --- finding --- */

chain_transfer_t *chain_transfer (const chain_t *self, const chain_id_t *id)
{
    return ordered_find (self->transfers, id->bytes);
}

chain_transfer_t *chain_next (const chain_t *self, const chain_transfer_t *after)
{
    return ordered_after (self->transfers, after ? after->id.bytes : NULL);
}

chain_origin_t *chain_source_at (const chain_transfer_t *transfer, const char *node)
{
    return list_find (transfer->sources, transfer->sources_count, sizeof *transfer->sources, node);
}

uint32_t chain_attempt (const chain_transfer_t *transfer)
{
    uint32_t attempt = 0;
    for (size_t i = 0; i < transfer->receivers_count; i++)
        if (transfer->receivers [i].attempt > attempt)
            attempt = transfer->receivers [i].attempt;
    return attempt;
}

/*  --- records --- */

/*  With the endpoints of receivers, so that after a restart nobody is thought to have no feeder
 *  because the service has not heard of that one yet, and is sent to the source. */
void chain_store (chain_t *self, chain_transfer_t *transfer)
{
    for (size_t i = 0; i < transfer->receivers_count; i++) {
        const chain_node_t *place = chain_node (self, transfer->receivers [i].node);
        if (place)
            memcpy (transfer->receivers [i].data, place->data, sizeof place->data);
    }
    service_put (self->service, TABLE_TRANSFERS,
                 (bytes_t){.data = transfer->id.bytes, .size = CHAIN_ID_BYTES},
                 codec_encode (&chain_transfer_codec, transfer));
}

static void transfer_free (void *thing)
{
    chain_transfer_t *transfer = thing;
    free (transfer->receivers);
    free (transfer);
}

static void chain_remove (chain_t *self, chain_transfer_t *transfer)
{
    outbox_delete (self->service->outbox, TABLE_TRANSFERS,
                   (bytes_t){.data = transfer->id.bytes, .size = CHAIN_ID_BYTES});
    ordered_remove (self->transfers, transfer->id.bytes);
    transfer_free (transfer);
}

static void chain_on_record (void *owner, bytes_t key, bytes_t value)
{
    chain_t *self = owner;
    char why [WHY_BYTES] = "its key is not the 16 bytes of a transfer's id";
    chain_transfer_t *transfer = must (calloc (1, sizeof *transfer));
    if (key.size != CHAIN_ID_BYTES || !codec_decode (&chain_transfer_codec, transfer, value, why)) {
        service_bad_record (self->service, "transfers", why);
        free (transfer);
        return;
    }
    memcpy (transfer->id.bytes, key.data, CHAIN_ID_BYTES);
    transfer->receivers_room = transfer->receivers_count;
    ordered_add (self->transfers, transfer->id.bytes, transfer);
}

/*  --- states --- */

static void look_whether_over (chain_t *self, const moment_t *now, chain_transfer_t *transfer)
{
    for (size_t i = 0; i < transfer->receivers_count; i++)
        if (transfer->receivers [i].state < RECEIVER_VERIFIED)
            return;
    transfer->over = true;
    chain_tell (self, now, &(chain_event_t){.kind = TOLD_OVER, .id = transfer->id});
}

static const char *const receiver_words [] = {"waiting", "receiving", "checking", "verified",
                                              "failed"};

static const state_step_t receiver_steps [] = {
  {STATES (RECEIVER_CHECKING), RECEIVER_WAITING, .when = "wrong bytes have spread: it begins anew"},
  {STATES (RECEIVER_CHECKING), RECEIVER_RECEIVING, .when = "it has a feeder"},
  {STATES (RECEIVER_CHECKING), RECEIVER_CHECKING, .when = "it has all bytes"},
  {STATES (RECEIVER_CHECKING), RECEIVER_VERIFIED, .when = "it has proved the file"},
  {STATES (RECEIVER_CHECKING), RECEIVER_FAILED, .when = "it can't have the file, or is not to"},
};
const state_table_t receiver_states = {
  .name = "receiver", .states = receiver_words, STATE_STEPS (receiver_steps)};

void chain_receiver_move (chain_t *self, const moment_t *now, chain_transfer_t *transfer,
                          chain_receiver_t *receiver, receiver_state_t state, const char *why)
{
    if (receiver->state == state)
        return;
    STATE_MOVE (&receiver_states, receiver->state, state);
    snprintf (receiver->why, sizeof receiver->why, "%s", why);
    chain_event_t told = {.kind = TOLD_RECEIVER, .id = transfer->id};
    memcpy (told.node, receiver->node, sizeof told.node);
    chain_tell (self, now, &told);
    if (state < RECEIVER_VERIFIED)
        return;
    outbox_log (self->service->outbox, state == RECEIVER_FAILED ? LEVEL_WARNING : LEVEL_INFO,
                "transfer %s %s node=%s file=\"%s\" why=\"%s\"", chain_id_text (&transfer->id).text,
                state == RECEIVER_FAILED ? "failed" : "verified", receiver->node, transfer->file,
                why);
    chain_dirty_all (self, now, transfer);
    look_whether_over (self, now, transfer);
    chain_store (self, transfer);
}

/*  --- what owners do --- */

/*  A name that is not configured belongs to a guest that has not come yet. */
static bool chain_node_right (const chain_t *self, const char *what, const char *node,
                              char why [WHY_BYTES])
{
    if (*node == '\0' || strlen (node) > NAME_BYTES_MAX)
        return wrong (why, "%s: \"%.80s\" should be a node's name of 1 to %d bytes", what, node,
                      NAME_BYTES_MAX);
    return chain_node (self, node) || self->places_count < CHAIN_NODES_MAX ||
           wrong (why, "%s: the site has %d nodes and guests already, and may not have more", what,
                  CHAIN_NODES_MAX);
}

static bool receiver_right (const chain_t *self, const chain_transfer_t *transfer, const char *node,
                            char why [WHY_BYTES])
{
    const chain_node_t *place = chain_node (self, node);
    if (!chain_node_right (self, "receiver", node, why))
        return false;
    if (chain_receiver_find (transfer, node))
        return wrong (why, "receiver: node %s receives this transfer already", node);
    if (chain_source_at (transfer, node))
        return wrong (why, "receiver: node %s is a source of this transfer, so it can't receive it",
                      node);
    if (transfer->receivers_count == CHAIN_RECEIVERS_MAX)
        return wrong (why, "receivers: this transfer has %d already, and may not have more",
                      CHAIN_RECEIVERS_MAX);
    if (place && transfer->size_known && !chain_has_room (self, place, transfer->content.size))
        return wrong (why, "receiver: node %s has no room for %" PRIu64 " bytes", node,
                      transfer->content.size);
    return true;
}

static void chain_receiver_add (chain_transfer_t *transfer, const char *node)
{
    transfer->receivers = must_grow (transfer->receivers, transfer->receivers_count,
                                     &transfer->receivers_room, sizeof *transfer->receivers);
    chain_receiver_t *receiver = &transfer->receivers [transfer->receivers_count++];
    *receiver = (chain_receiver_t){0};
    snprintf (receiver->node, sizeof receiver->node, "%s", node);
    receiver->attempt = chain_attempt (transfer);
    (void) chain_to_tail (transfer, receiver, false);
}

static chain_origin_t *source_named (chain_transfer_t *transfer, const chain_source_t *source)
{
    const char *name = source->node ? source->node : source->name;
    for (size_t i = 0; name && i < transfer->sources_count; i++)
        if (!transfer->sources [i].wrong && strcmp (transfer->sources [i].name, name) == 0 &&
            (source->node != NULL) == (*transfer->sources [i].node != '\0'))
            return &transfer->sources [i];
    return NULL;
}

static bool source_right (const chain_t *self, chain_transfer_t *transfer,
                          const chain_source_t *source, char why [WHY_BYTES])
{
    if (transfer->sources_count == CHAIN_SOURCES_MAX && !source_named (transfer, source))
        return wrong (why, "sources: this transfer has %d already, and may not have more",
                      CHAIN_SOURCES_MAX);
    if (source->node) {
        if (chain_receiver_find (transfer, source->node))
            return wrong (why,
                          "source: node %s receives this transfer, so it can't be a source of it",
                          source->node);
        return chain_node_right (self, "source", source->node, why);
    }
    if (!source->name || *source->name == '\0' || strlen (source->name) > FEEDER_NAME_BYTES_MAX ||
        strpbrk (source->name, " \t"))
        return wrong (why, "source: its name should have 1 to %d bytes and no blanks",
                      FEEDER_NAME_BYTES_MAX);
    if (!source->endpoint || strncmp (source->endpoint, "tcp://", 6) != 0 ||
        strlen (source->endpoint) > CHAIN_ENDPOINT_BYTES_MAX)
        return wrong (
          why, "source: %.80s has no data endpoint; one such as tcp://10.0.0.7:4711 is wanted",
          source->name);
    return transfer->size_known ||
           wrong (why, "size: a file that comes from another site must have a known size");
}

/*  A source that the transfer has already counts as working again. */
static void source_add (chain_transfer_t *transfer, const chain_source_t *source)
{
    chain_origin_t *kept = source_named (transfer, source);
    if (!kept)
        kept = &transfer->sources [transfer->sources_count++];
    kept->failed = kept->wrong = false;
    kept->why [0] = '\0';
    snprintf (kept->node, sizeof kept->node, "%s", source->node ? source->node : "");
    snprintf (kept->name, sizeof kept->name, "%s", source->node ? source->node : source->name);
    snprintf (kept->endpoint, sizeof kept->endpoint, "%s", source->node ? "" : source->endpoint);
}

static bool order_take (const chain_t *self, chain_transfer_t *transfer, const chain_order_t *order,
                        char why [WHY_BYTES])
{
    char wrong_name [WHY_BYTES];
    if (!chain_file_name_right (order->file, wrong_name))
        return wrong (why, "%.200s", wrong_name);
    if (order->receivers_count == 0)
        return wrong (why, "receivers: none is given; at least one is wanted");
    snprintf (transfer->file, sizeof transfer->file, "%s", order->file);
    transfer->size_known = order->size_known;
    transfer->content = order->content;
    transfer->mbps = order->mbps;
    transfer->feeds = order->feeds > 0 ? order->feeds : 1;
    transfer->owner = order->owner;
    for (size_t i = 0; i < order->sources_count; i++) {
        if (!source_right (self, transfer, &order->sources [i], why))
            return false;
        source_add (transfer, &order->sources [i]);
    }
    for (size_t i = 0; i < order->receivers_count; i++) {
        if (!receiver_right (self, transfer, order->receivers [i], why))
            return false;
        chain_receiver_add (transfer, order->receivers [i]);
    }
    return true;
}

static void guests_await (chain_t *self, const moment_t *now, const chain_transfer_t *transfer)
{
    for (size_t i = 0; i < transfer->receivers_count; i++)
        if (!chain_node (self, transfer->receivers [i].node))
            chain_guest (self, now, transfer->receivers [i].node);
    for (size_t i = 0; i < transfer->sources_count; i++)
        if (*transfer->sources [i].node && !chain_node (self, transfer->sources [i].node))
            chain_guest (self, now, transfer->sources [i].node);
}

/*  The token needs true randomness, so it is the moment's entropy; prng_next is good enough for
 *  names only. It is mixed in so that transfers that begin at one moment get different tokens. */
static void chain_draw (chain_t *self, const moment_t *now, chain_transfer_t *transfer)
{
    memcpy (transfer->token, now->entropy, CHAIN_TOKEN_BYTES);
    do {
        for (size_t i = 0; i < CHAIN_ID_BYTES; i += sizeof (uint64_t)) {
            uint64_t word = prng_next (&self->service->prng);
            memcpy (transfer->id.bytes + i, &word, sizeof word);
        }
        for (size_t i = 0; i < CHAIN_TOKEN_BYTES; i += sizeof (uint64_t)) {
            uint64_t word;
            memcpy (&word, transfer->token + i, sizeof word);
            word ^= prng_next (&self->service->prng);
            memcpy (transfer->token + i, &word, sizeof word);
        }
    } while (chain_transfer (self, &transfer->id));
}

static bool transfers_room (const chain_t *self, char why [WHY_BYTES])
{
    return ordered_count (self->transfers) < CHAIN_TRANSFERS_MAX ||
           wrong (why, "the site has %d transfers already, and may not have more; try again later",
                  CHAIN_TRANSFERS_MAX);
}

bool chain_begin (chain_t *self, const moment_t *now, const chain_order_t *order, chain_id_t *id,
                  char why [WHY_BYTES])
{
    if (!transfers_room (self, why))
        return false;
    chain_transfer_t *transfer = must (calloc (1, sizeof *transfer));
    if (!order_take (self, transfer, order, why)) {
        transfer_free (transfer);
        return false;
    }
    chain_draw (self, now, transfer);
    ordered_add (self->transfers, transfer->id.bytes, transfer);
    guests_await (self, now, transfer);
    chain_replan (self, now, transfer);
    *id = transfer->id;
    service_count (self->service, "transfers", 1);
    return true;
}

static chain_transfer_t *open_transfer (const chain_t *self, const chain_id_t *id,
                                        char why [WHY_BYTES])
{
    chain_transfer_t *transfer = chain_transfer (self, id);
    if (transfer && !transfer->over && !transfer->loan)
        return transfer;
    wrong (why, "the transfer is over");
    return NULL;
}

bool chain_join (chain_t *self, const moment_t *now, const chain_id_t *id, const char *node,
                 char why [WHY_BYTES])
{
    chain_transfer_t *transfer = open_transfer (self, id, why);
    if (!transfer || !receiver_right (self, transfer, node, why))
        return false;
    chain_receiver_add (transfer, node);
    guests_await (self, now, transfer);
    chain_replan (self, now, transfer);
    return true;
}

bool chain_source (chain_t *self, const moment_t *now, const chain_id_t *id,
                   const chain_source_t *source, char why [WHY_BYTES])
{
    chain_transfer_t *transfer = open_transfer (self, id, why);
    if (!transfer || !source_right (self, transfer, source, why))
        return false;
    source_add (transfer, source);
    guests_await (self, now, transfer);
    chain_replan (self, now, transfer);
    return true;
}

void chain_cancel (chain_t *self, const moment_t *now, const chain_id_t *id, const char *node,
                   const char *why)
{
    chain_transfer_t *transfer = chain_transfer (self, id);
    bool moved = false;
    if (!transfer || transfer->over)
        return;
    for (size_t i = 0; i < transfer->receivers_count; i++) {
        chain_receiver_t *receiver = &transfer->receivers [i];
        if (receiver->state >= RECEIVER_VERIFIED || (node && strcmp (receiver->node, node) != 0))
            continue;
        chain_receiver_move (self, now, transfer, receiver, RECEIVER_FAILED, why);
        moved = true;
    }
    if (moved && !transfer->over)
        chain_replan (self, now, transfer);
}

void chain_forget (chain_t *self, const moment_t *now, const chain_id_t *id)
{
    chain_transfer_t *transfer = chain_transfer (self, id);
    if (!transfer || (!transfer->over && !transfer->loan))
        return;
    chain_dirty_all (self, now, transfer);
    chain_remove (self, transfer);
}

/*  --- loans --- */

/*  What the node has under this name, or is receiving; NULL = neither. */
static const content_t *lent_content (const chain_t *self, const chain_node_t *place,
                                      const char *file)
{
    const chain_file_t *have = chain_file (place, file);
    if (have)
        return &have->stored.content;
    for (const chain_transfer_t *transfer = NULL; (transfer = chain_next (self, transfer));) {
        if (transfer->loan || transfer->over || !transfer->size_known ||
            !transfer->content.digest_known || strcmp (transfer->file, file) != 0)
            continue;
        const chain_receiver_t *receiver = chain_receiver_find (transfer, place->name);
        if (receiver && receiver->state != RECEIVER_FAILED)
            return &transfer->content;
    }
    return NULL;
}

bool chain_lend (chain_t *self, const moment_t *now, const chain_loan_t *loan,
                 char endpoint [CHAIN_ENDPOINT_BYTES_MAX + 1], char why [WHY_BYTES])
{
    const chain_node_t *place = chain_node (self, loan->node);
    const content_t *content = place ? lent_content (self, place, loan->file) : NULL;
    if (!content)
        return wrong (why, "node %s does not have the file %.150s", loan->node, loan->file);
    if (place->agent.state != AGENT_UP || !*place->data)
        return wrong (why, "node %s is not up, or has no data endpoint", loan->node);
    chain_transfer_t *transfer = chain_transfer (self, &loan->id);
    if (transfer &&
        (!transfer->loan || memcmp (transfer->token, loan->token, CHAIN_TOKEN_BYTES) != 0 ||
         strcmp (transfer->sources [0].node, loan->node) != 0))
        return wrong (why, "another transfer has this id");
    if (!transfer && !transfers_room (self, why))
        return false;
    if (transfer && transfer->sources [0].wrong) { /* what it fed from has ended: it begins again */
        chain_remove (self, transfer);
        transfer = NULL;
    }
    if (!transfer) {
        transfer = must (calloc (1, sizeof *transfer));
        transfer->receivers = must (calloc (1, sizeof *transfer->receivers));
        transfer->id = loan->id;
        transfer->loan = true;
        transfer->feeds = 1;
        memcpy (transfer->token, loan->token, CHAIN_TOKEN_BYTES);
        snprintf (transfer->file, sizeof transfer->file, "%s", loan->file);
        transfer->size_known = true;
        transfer->content = *content;
        source_add (transfer, &(chain_source_t){.node = loan->node});
        ordered_add (self->transfers, transfer->id.bytes, transfer);
    }
    snprintf (transfer->lent_to, sizeof transfer->lent_to, "%s", loan->site);
    transfer->mbps = loan->mbps;
    transfer->until_ms = loan->until_ms;
    chain_replan (self, now, transfer);
    memcpy (endpoint, place->data, sizeof place->data);
    return true;
}

static void on_outgoing_feeds (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    chain_t *self = owner;
    for (chain_transfer_t *transfer = chain_next (self, NULL), *next; transfer; transfer = next) {
        next = chain_next (self, transfer);
        if (transfer->loan && now->wall_ms >= transfer->until_ms)
            chain_forget (self, now, &transfer->id);
    }
    chain_guests_purge (self);
    timers_set (self->service->timers, now->mono_ms + OUTGOING_FEEDS_LOOK_MS, on_outgoing_feeds,
                self, 0);
}

/*  --- life --- */

/*  After a restart the owner is told again of each transfer that is over and not forgotten. */
static void chain_on_start (void *owner, const moment_t *now)
{
    chain_t *self = owner;
    for (const chain_transfer_t *transfer = NULL; (transfer = chain_next (self, transfer));) {
        for (size_t i = 0; i < transfer->receivers_count; i++) {
            const chain_receiver_t *receiver = &transfer->receivers [i];
            chain_node_t *place = chain_node (self, receiver->node);
            if (!place)
                place = chain_guest (self, now, receiver->node);
            memcpy (place->data, receiver->data, sizeof place->data);
        }
        if (transfer->over && !transfer->loan)
            chain_tell (self, now, &(chain_event_t){.kind = TOLD_OVER, .id = transfer->id});
    }
    on_outgoing_feeds (self, now, 0);
}

chain_t *chain_new (service_t *service, const char *const *nodes, size_t nodes_count,
                    const chain_limits_t *limits)
{
    assert (limits->lost_ms > limits->silent_ms && limits->silent_ms > limits->attend_ms);
    chain_t *self = must (calloc (1, sizeof *self));
    self->service = service;
    self->limits = *limits;
    self->transfers = ordered_by_bytes (offsetof (chain_transfer_t, id), CHAIN_ID_BYTES);
    chain_nodes_init (self, nodes, nodes_count);
    service_load (service, TABLE_TRANSFERS, chain_on_record, self);
    service_at_start (service, chain_on_start, self);
    chain_told_serve (self);
    return self;
}

void chain_destroy (chain_t **self_p)
{
    chain_t *self = *self_p;
    if (!self)
        return;
    ordered_end (&self->transfers, transfer_free);
    free (self->told);
    chain_nodes_end (self);
    free (self);
    *self_p = NULL;
}
