/*  chain_reports - takes the nodes' reports on their transfers, and draws the consequences.
 *
 *  A receiver that was skipped by the one after it goes to the tail. If it is dead, nobody depends
 *  on it there; if it is alive, it goes on from where it is. So a wrong verdict costs little, and
 *  nobody alive is given up. A source that does not answer is asked last from then on; one whose
 *  bytes are wrong is not asked any more.
 */
#include "chain_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define WRONGS_MAX        3 /* after so many files with wrong bytes a receiver has failed */
#define SKIPS_DOUBLED_MAX 6 /* chain_limits_t's skip_ms doubles so often */
#define CHUNKS_WRONG_MAX  3 /* wrong chunks from one source, although it finds its file right */

/*  --- sources --- */

static void source_tell (chain_t *self, const moment_t *now, const chain_transfer_t *transfer,
                         const chain_origin_t *source)
{
    chain_event_t told = {.kind = TOLD_SOURCE, .id = transfer->id, .wrong = source->wrong};
    memcpy (told.source, source->name, sizeof told.source);
    memcpy (told.why, source->why, sizeof told.why);
    outbox_log (self->service->outbox, LEVEL_WARNING,
                "transfer %s source failed name=%s wrong=%d why=\"%s\"",
                chain_id_text (&transfer->id).text, source->name, source->wrong, source->why);
    chain_tell (self, now, &told);
}

/*  If every source has wrong bytes, the transfer fails. */
static void sources_look (chain_t *self, const moment_t *now, chain_transfer_t *transfer)
{
    char why [WHY_BYTES];
    if (transfer->loan || transfer->over || chain_source_left (transfer, true))
        return;
    const chain_origin_t *last = &transfer->sources [transfer->sources_count - 1];
    snprintf (why, sizeof why, "no source is left: %s: %.160s", last->name, last->why);
    memcpy (transfer->why, why, sizeof why);
    chain_cancel (self, now, &transfer->id, NULL, why);
}

/*  Wrong bytes have spread along the chain: all receivers that are not verified begin anew, and are
 *  fed only by receivers that have begun anew. */
static void receive_anew (chain_transfer_t *transfer)
{
    uint32_t attempt = chain_attempt (transfer);
    for (size_t i = 0; i < transfer->receivers_count; i++) {
        chain_receiver_t *receiver = &transfer->receivers [i];
        if (receiver->state >= RECEIVER_VERIFIED)
            continue;
        receiver->attempt = attempt + 1;
        STATE_MOVE (&receiver_states, receiver->state, RECEIVER_WAITING);
        receiver->has = 0;
    }
}

static void source_fail (chain_t *self, const moment_t *now, chain_transfer_t *transfer,
                         chain_origin_t *source, bool wrong, const char *why)
{
    if (source->wrong || (source->failed && !wrong))
        return;
    source->failed = true;
    source->wrong = wrong;
    snprintf (source->why, sizeof source->why, "%s", why);
    source_tell (self, now, transfer, source);
    if (wrong && source->fed > 0 && source->wrongs == 0)
        receive_anew (transfer); /* else the wrong chunk was dropped */
    else if (!chain_source_left (transfer, false))
        chain_most_first (transfer);
    chain_replan (self, now, transfer);
    sources_look (self, now, transfer);
}

/*  The size is known from now on: a receiver without room for it fails. */
static void size_learn (chain_t *self, const moment_t *now, chain_transfer_t *transfer,
                        uint64_t size)
{
    char why [WHY_BYTES];
    for (size_t i = 0; i < transfer->receivers_count; i++) {
        chain_receiver_t *receiver = &transfer->receivers [i];
        const chain_node_t *place = chain_node (self, receiver->node);
        if (receiver->state >= RECEIVER_VERIFIED || !place || chain_has_room (self, place, size))
            continue;
        snprintf (why, sizeof why, "node %s has no room for %" PRIu64 " bytes", place->name, size);
        chain_receiver_move (self, now, transfer, receiver, RECEIVER_FAILED, why);
    }
    transfer->size_known = true;
    transfer->content.size = size;
    if (!transfer->over)
        chain_replan (self, now, transfer);
}

static void digest_learn (chain_t *self, const moment_t *now, chain_transfer_t *transfer,
                          const receiver_report_t *receipt)
{
    transfer->content.digest_known = true;
    memcpy (transfer->content.digest, receipt->content.digest, CHAIN_DIGEST_BYTES);
    chain_store (self, transfer);
    chain_dirty_all (self, now, transfer);
}

static int64_t proved_ms (const chain_t *self, const chain_transfer_t *transfer,
                          const chain_origin_t *source)
{
    const chain_node_t *place = chain_node (self, source->node);
    const chain_file_t *file = chain_file (place, transfer->file);
    return file ? file->stored.proved_ms : 0;
}

static void source_receipt (chain_t *self, const moment_t *now, chain_transfer_t *transfer,
                            chain_origin_t *source, const receiver_report_t *receipt)
{
    source->fed = receipt->fed;
    if (receipt->state == RECEIPT_FAILED) {
        source_fail (self, now, transfer, source, true, receipt->why);
        return;
    }
    if (receipt->state != RECEIPT_FEEDING || source->wrong)
        return;
    if (!transfer->size_known)
        size_learn (self, now, transfer, receipt->content.size);
    if (transfer->over)
        return;
    if (receipt->content.size != transfer->content.size) {
        source_fail (self, now, transfer, source, true,
                     "its file has another size than the transfer");
        return;
    }
    if (receipt->content.digest_known && !transfer->content.digest_known)
        digest_learn (self, now, transfer, receipt);
    else if (receipt->content.digest_known &&
             memcmp (receipt->content.digest, transfer->content.digest, CHAIN_DIGEST_BYTES) != 0) {
        source_fail (self, now, transfer, source, true,
                     "its file has another digest than the transfer");
        return;
    }
    if (source->doubted_ms != 0 && source->doubted_ms == proved_ms (self, transfer, source))
        return; /* it must read its file again first */
    bool waited = source->waits, works = source->failed && receipt->epoch >= transfer->epoch;
    source->doubted_ms = 0;
    source->waits = false;
    if (works) {
        source->failed = false; /* it works again */
        source->why [0] = '\0';
    }
    if (works || waited)
        chain_replan (self, now, transfer);
}

/*  --- receivers --- */

/*  Nobody is fed by it before it has found its file right. One of another site can't be asked to
 *  read it. */
static void source_doubt (chain_t *self, const moment_t *now, const chain_transfer_t *transfer,
                          chain_origin_t *source)
{
    if (!chain_prove (self, now, source->node, transfer->file, 0))
        return;
    source->doubted_ms = proved_ms (self, transfer, source);
    source->waits = source->doubted_ms != 0;
}

/*  All bytes came and do not match the digest. The sources read their files again, to find out
 *  whose bytes are wrong. */
static void bytes_wrong (chain_t *self, const moment_t *now, chain_transfer_t *transfer,
                         chain_receiver_t *receiver, const char *why)
{
    service_count (self->service, "files_wrong", 1);
    for (size_t i = 0; i < transfer->sources_count; i++)
        source_doubt (self, now, transfer, &transfer->sources [i]);
    if (++receiver->wrongs >= WRONGS_MAX) {
        chain_receiver_move (self, now, transfer, receiver, RECEIVER_FAILED, why);
        return;
    }
    receive_anew (transfer);
    chain_replan (self, now, transfer);
}

static void verified (chain_t *self, const moment_t *now, chain_transfer_t *transfer,
                      chain_receiver_t *receiver, const receiver_report_t *receipt)
{
    if (!transfer->content.digest_known || !receipt->content.digest_known ||
        memcmp (receipt->content.digest, transfer->content.digest, CHAIN_DIGEST_BYTES) != 0)
        return; /* it has verified another file */
    receiver->has = transfer->content.size;
    chain_receiver_move (self, now, transfer, receiver, RECEIVER_VERIFIED, "");
}

/*  Puts a receiver to the tail. It feeds nobody for a time that doubles. */
static void skip (const chain_t *self, const moment_t *now, chain_transfer_t *transfer,
                  chain_receiver_t *receiver)
{
    uint32_t doubled = receiver->skips++;
    if (doubled > SKIPS_DOUBLED_MAX)
        doubled = SKIPS_DOUBLED_MAX;
    receiver->skipped = true;
    receiver->skipped_epoch = transfer->epoch + 1;
    receiver->skipped_until_ms = now->mono_ms + ((int64_t) self->limits.skip_ms << doubled);
    chain_to_tail (transfer, receiver, true);
}

/*  Puts to the tail those that the reporter has skipped: they did not answer, and another one feeds
 *  it now. */
static bool skipped (chain_t *self, const moment_t *now, chain_transfer_t *transfer,
                     const char *own, const receiver_report_t *receipt)
{
    bool moved = false;
    for (size_t i = 0; i < receipt->silent_count; i++) {
        chain_receiver_t *other = chain_receiver_find (transfer, receipt->silent [i]);
        if (!other || !*receipt->feeder || other->skipped || strcmp (other->node, own) == 0 ||
            receipt->epoch < other->skipped_epoch)
            continue;
        outbox_log (self->service->outbox, LEVEL_INFO,
                    "transfer %s skipped node=%s by=%s epoch=%" PRIu64,
                    chain_id_text (&transfer->id).text, other->node, own, receipt->epoch);
        service_count (self->service, "nodes_skipped", 1);
        skip (self, now, transfer, other);
        moved = true;
    }
    return moved;
}

static void sources_skipped (chain_t *self, const moment_t *now, chain_transfer_t *transfer,
                             const receiver_report_t *receipt)
{
    for (size_t i = 0; i < receipt->silent_count; i++)
        for (size_t j = 0; j < transfer->sources_count; j++)
            if (strcmp (transfer->sources [j].name, receipt->silent [i]) == 0)
                source_fail (self, now, transfer, &transfer->sources [j], false,
                             "it does not answer");
}

/*  A chunk from this source did not match its digest, and the receiver goes on at another one. A
 *  node of this site reads its file again, and is asked last until it has found it right, up to
 *  CHUNKS_WRONG_MAX times. A source of another site, or a guest, is not asked any more. */
static void source_chunk_wrong (chain_t *self, const moment_t *now, chain_transfer_t *transfer,
                                chain_origin_t *source)
{
    uint64_t epoch = transfer->epoch;
    const chain_node_t *place = chain_node (self, source->node);
    bool enough = ++source->wrongs >= CHUNKS_WRONG_MAX || !place || place->guest;
    source->doubted_ms = proved_ms (self, transfer, source);
    chain_prove (self, now, source->node, transfer->file, 0);
    source_fail (self, now, transfer, source, enough, "its bytes do not match its digests");
    if (transfer->epoch == epoch)
        chain_replan (self, now, transfer);
}

/*  Others found wrong bytes in this receiver's file: it goes to the tail and checks its file. */
static void receiver_chunk_wrong (chain_t *self, const moment_t *now, chain_transfer_t *transfer,
                                  chain_receiver_t *receiver)
{
    if (receiver->state == RECEIVER_VERIFIED)
        chain_prove (self, now, receiver->node, transfer->file, 0);
    receiver->looks++;
    skip (self, now, transfer, receiver);
    chain_replan (self, now, transfer);
}

/*  Handles the feeders whose bytes the reporter found wrong. Each leads to a new plan, so that it
 *  counts once. */
static void chunks_wrong (chain_t *self, const moment_t *now, chain_transfer_t *transfer,
                          const char *own, const receiver_report_t *receipt)
{
    for (size_t i = 0; i < receipt->wrong_count && !transfer->over; i++) {
        const char *feeder = receipt->wrong [i];
        outbox_log (self->service->outbox, LEVEL_WARNING, "transfer %s wrong bytes from=%s to=%s",
                    chain_id_text (&transfer->id).text, feeder, own);
        service_count (self->service, "chunks_wrong", 1);
        for (size_t j = 0; j < transfer->sources_count; j++)
            if (strcmp (transfer->sources [j].name, feeder) == 0)
                source_chunk_wrong (self, now, transfer, &transfer->sources [j]);
        chain_receiver_t *receiver = chain_receiver_find (transfer, feeder);
        if (receiver && strcmp (feeder, own) != 0 && receiver->state != RECEIVER_FAILED)
            receiver_chunk_wrong (self, now, transfer, receiver);
    }
}

/*  Changes the order of the chain as the report demands. */
static void chain_reports_replace (chain_t *self, const moment_t *now, chain_transfer_t *transfer,
                                   const char *node, const receiver_report_t *receipt)
{
    bool moved = false;
    chain_receiver_t *receiver = chain_receiver_find (transfer, node);
    if (receiver->skipped && receipt->epoch >= receiver->skipped_epoch &&
        now->mono_ms >= receiver->skipped_until_ms) {
        receiver->skipped = false;
        receiver->skipped_epoch = transfer->epoch + 1;
        moved = chain_to_tail (transfer, receiver, false);
    }
    moved = skipped (self, now, transfer, node, receipt) || moved;
    if (receipt->epoch == transfer->epoch)
        moved = chain_overtakes (self, transfer, chain_receiver_find (transfer, node)) || moved;
    receiver = chain_receiver_find (transfer, node);
    if (chain_slow (self, now, transfer, receiver)) {
        outbox_log (self->service->outbox, LEVEL_INFO, "transfer %s slow node=%s: to the tail",
                    chain_id_text (&transfer->id).text, node);
        service_count (self->service, "nodes_slow", 1);
        receiver->slow = true;
        moved = chain_to_tail (transfer, receiver, false) || moved;
    }
    uint64_t epoch = transfer->epoch;
    if (receipt->epoch == epoch) {
        sources_skipped (self, now, transfer, receipt);
        chunks_wrong (self, now, transfer, node, receipt);
    }
    if (moved && transfer->epoch == epoch)
        chain_replan (self, now, transfer);
}

/*  A change of the order moves receivers in memory, so node says which one it is. */
static void receiver_receipt (chain_t *self, const moment_t *now, chain_transfer_t *transfer,
                              chain_receiver_t *receiver, const char *node,
                              const receiver_report_t *receipt)
{
    if (receiver->state >= RECEIVER_VERIFIED || receipt->attempt < receiver->attempt)
        return;
    if (receipt->has > transfer->content.size)
        return; /* it reports another file */
    receiver->has = receipt->has;
    receiver->received = receipt->received;
    receiver->opening = receipt->state == RECEIPT_OPENING;
    receiver->epoch = receipt->epoch;
    memcpy (receiver->feeder, receipt->feeder, sizeof receiver->feeder);
    switch (receipt->state) {
    case RECEIPT_RECEIVING:
    case RECEIPT_CHECKING:
        if (receipt->state == RECEIPT_CHECKING || *receipt->feeder)
            chain_receiver_move (
              self, now, transfer, receiver,
              receipt->state == RECEIPT_CHECKING ? RECEIVER_CHECKING : RECEIVER_RECEIVING, "");
        chain_reports_replace (self, now, transfer, node, receipt);
        break;
    case RECEIPT_VERIFIED:
        verified (self, now, transfer, receiver, receipt);
        break;
    case RECEIPT_FAILED:
        if (receipt->wrong_bytes)
            bytes_wrong (self, now, transfer, receiver, receipt->why);
        else
            chain_receiver_move (self, now, transfer, receiver, RECEIVER_FAILED, receipt->why);
        if (!transfer->over)
            chain_replan (self, now, transfer);
        break;
    case RECEIPT_OPENING:
    case RECEIPT_FEEDING:
        break;
    }
}

void chain_receipt (chain_t *self, const moment_t *now, chain_node_t *place,
                    const receiver_report_t *receipt)
{
    chain_transfer_t *transfer = chain_transfer (self, &receipt->id);
    if (!transfer || transfer->over)
        return;
    chain_origin_t *source = chain_source_at (transfer, place->name);
    chain_receiver_t *receiver = chain_receiver_find (transfer, place->name);
    if (source)
        source_receipt (self, now, transfer, source, receipt);
    else if (receiver)
        receiver_receipt (self, now, transfer, receiver, place->name, receipt);
}

void chain_place_lost (chain_t *self, const moment_t *now, const chain_node_t *place,
                       const char *why)
{
    for (chain_transfer_t *transfer = NULL; (transfer = chain_next (self, transfer));)
        chain_cancel (self, now, &transfer->id, place->name, why);
}
