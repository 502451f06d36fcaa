/*  chain_plan - which node feeds which, and in which order they stand.
 *
 *  With one chain (feeds = 1) each receiver is fed by the one before it; with more chains, by the
 *  one that many places before it. For the case that the feeder dies, each receiver also knows the
 *  ones before that, then nodes of this site, which do not leave as guests do, then two that have
 *  the whole file, then the sources. So only the head of a chain asks a source, unless all before
 *  it are gone, and a source is never asked by many at once. Those that can't feed others, because
 *  nobody reaches them, are fed by the last of those that can.
 */
#include "chain_state.h"

#include <stdio.h>
#include <string.h>

#define NEARER_MAX    5 /* how many of those before it a receiver is told */
#define OWN_MAX       2 /* how many nodes of the site it is told, whatever guests */
#define WHOLE_MAX     2 /* how many that have the whole file it is told */
#define BEHIND_BYTES  (UINT64_C (4) << 20) /* a receiver this close to its feeder is not behind */
#define SLOW_PERCENT  75 /* a receiver that gets less than this of what it could is slow */
#define BITS_PER_BYTE 8
#define PLAN_MS       100 /* between two plans of a transfer that all its nodes are told */

/*  --- feeders --- */

static void feeder_add (wanted_transfer_t *wanted, const char *name, const char *endpoint)
{
    if (wanted->feeders_count == FEEDERS_MAX || !*endpoint ||
        list_find (wanted->feeders, wanted->feeders_count, sizeof *wanted->feeders, name))
        return;
    feeder_t *feeder = &wanted->feeders [wanted->feeders_count++];
    snprintf (feeder->name, sizeof feeder->name, "%s", name);
    snprintf (feeder->endpoint, sizeof feeder->endpoint, "%s", endpoint);
}

static void chain_plan_receiver_add (const chain_t *self, wanted_transfer_t *wanted,
                                     const chain_receiver_t *receiver)
{
    const chain_node_t *place = chain_node (self, receiver->node);
    if (place)
        feeder_add (wanted, receiver->node, place->data);
}

static void sources_add (const chain_t *self, const chain_transfer_t *transfer, bool failed,
                         wanted_transfer_t *wanted)
{
    for (size_t i = 0; i < transfer->sources_count; i++) {
        const chain_origin_t *source = &transfer->sources [i];
        const chain_node_t *place = *source->node ? chain_node (self, source->node) : NULL;
        if (!source->wrong && !source->waits && source->failed == failed)
            feeder_add (wanted, source->name, place ? place->data : source->endpoint);
    }
}

static void whole_add (const chain_t *self, const chain_transfer_t *transfer,
                       wanted_transfer_t *wanted, const chain_receiver_t *but)
{
    size_t added = 0;
    for (size_t i = 0; i < transfer->receivers_count && added < WHOLE_MAX; i++) {
        const chain_receiver_t *receiver = &transfer->receivers [i];
        if (receiver == but || receiver->state != RECEIVER_VERIFIED || receiver->skipped)
            continue;
        chain_plan_receiver_add (self, wanted, receiver);
        added++;
    }
}

/*  Others may be fed by it. */
static bool feeds_others (const chain_t *self, const chain_receiver_t *receiver)
{
    const chain_node_t *place = chain_node (self, receiver->node);
    return receiver->state != RECEIVER_FAILED && !receiver->skipped && place && *place->data;
}

/*  Those that may feed this one, the nearest last: those before it that feed others, or all, if it
 *  feeds nobody itself. */
static size_t feeders_before (const chain_t *self, const chain_transfer_t *transfer,
                              const chain_receiver_t *own,
                              const chain_receiver_t *before [CHAIN_RECEIVERS_MAX])
{
    size_t count = 0;
    bool all = !feeds_others (self, own);
    for (size_t i = 0; i < transfer->receivers_count; i++) {
        const chain_receiver_t *other = &transfer->receivers [i];
        if ((all || other < own) && feeds_others (self, other))
            before [count++] = other;
    }
    return count;
}

static void feeders_of (const chain_t *self, const chain_transfer_t *transfer,
                        const chain_receiver_t *own, wanted_transfer_t *wanted)
{
    const chain_receiver_t *before [CHAIN_RECEIVERS_MAX];
    size_t count = feeders_before (self, transfer, own, before);
    size_t feeds = transfer->feeds, nodes = 0;
    bool head = count < feeds;
    if (head)
        sources_add (self, transfer, false, wanted);
    for (size_t i = 0; !head && i < NEARER_MAX && i + feeds <= count; i++)
        chain_plan_receiver_add (self, wanted, before [count - feeds - i]);
    for (size_t i = count; i > 0 && nodes < OWN_MAX; i--)
        if (!chain_node (self, before [i - 1]->node)->guest) {
            chain_plan_receiver_add (self, wanted, before [i - 1]);
            nodes++;
        }
    whole_add (self, transfer, wanted, own);
    sources_add (self, transfer, false, wanted);
    sources_add (self, transfer, true, wanted);
    for (size_t i = transfer->receivers_count; i-- > 0;) { /* better than nobody */
        const chain_receiver_t *other = &transfer->receivers [i];
        if (other->skipped && other->state != RECEIVER_FAILED &&
            (other < own || (other != own && other->state == RECEIVER_VERIFIED)))
            chain_plan_receiver_add (self, wanted, other);
    }
}

/*  --- what is wanted --- */

bool chain_plan_for (const chain_t *self, const moment_t *now, const chain_transfer_t *transfer,
                     const chain_node_t *place, wanted_transfer_t *wanted)
{
    if (transfer->over || (transfer->loan && now->wall_ms >= transfer->until_ms))
        return false;
    const chain_origin_t *source = chain_source_at (transfer, place->name);
    const chain_receiver_t *receiver = source ? NULL : chain_receiver_find (transfer, place->name);
    bool receives = receiver && receiver->state != RECEIVER_FAILED && transfer->size_known;
    if (!receives && (!source || source->wrong))
        return false;
    *wanted = (wanted_transfer_t){.id = transfer->id,
                                  .feeds_only = source,
                                  .size_known = transfer->size_known,
                                  .content = transfer->content,
                                  .mbps = transfer->mbps,
                                  .feeds = transfer->feeds,
                                  .epoch = transfer->loan ? 0 : transfer->epoch,
                                  .attempt = receives ? receiver->attempt : 0,
                                  .looks = receives ? receiver->looks : 0};
    for (size_t i = 0; receives && i < transfer->receivers_count; i++)
        wanted->feeds += !feeds_others (self, &transfer->receivers [i]);
    memcpy (wanted->token, transfer->token, CHAIN_TOKEN_BYTES);
    memcpy (wanted->file, transfer->file, sizeof wanted->file);
    if (receives)
        feeders_of (self, transfer, receiver, wanted);
    return true;
}

/*  --- order --- */

static void plan_tell (chain_t *self, const moment_t *now, chain_transfer_t *transfer)
{
    transfer->told_ms = now->mono_ms;
    transfer->untold = false;
    chain_dirty_all (self, now, transfer);
}

static void on_plans (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    chain_t *self = owner;
    self->plans = 0;
    for (chain_transfer_t *transfer = NULL; (transfer = chain_next (self, transfer));)
        if (transfer->untold)
            plan_tell (self, now, transfer);
}

void chain_replan (chain_t *self, const moment_t *now, chain_transfer_t *transfer)
{
    transfer->epoch++;
    chain_store (self, transfer);
    transfer->untold = true;
    if (transfer->told_ms == 0 || now->mono_ms - transfer->told_ms >= PLAN_MS)
        plan_tell (self, now, transfer);
    else if (self->plans == 0)
        self->plans = timers_set (self->service->timers, now->mono_ms + PLAN_MS, on_plans, self, 0);
}

static void place_at (chain_transfer_t *transfer, size_t from, size_t to)
{
    chain_receiver_t moved = transfer->receivers [from];
    if (from < to)
        memmove (&transfer->receivers [from], &transfer->receivers [from + 1],
                 (to - from) * sizeof moved);
    else
        memmove (&transfer->receivers [to + 1], &transfer->receivers [to],
                 (from - to) * sizeof moved);
    transfer->receivers [to] = moved;
}

bool chain_to_tail (chain_transfer_t *transfer, chain_receiver_t *receiver, bool last)
{
    size_t from = (size_t) (receiver - transfer->receivers), to = 0;
    for (size_t i = 0; i < transfer->receivers_count; i++)
        to += i != from && (last || !transfer->receivers [i].skipped);
    if (to != from)
        place_at (transfer, from, to);
    return to != from;
}

void chain_feeds_now (chain_t *self, const moment_t *now, const chain_node_t *place)
{
    for (chain_transfer_t *transfer = NULL; (transfer = chain_next (self, transfer));) {
        const chain_receiver_t *own = chain_receiver_find (transfer, place->name);
        size_t from = own ? (size_t) (own - transfer->receivers) : 0, to = from;
        for (size_t i = from + 1; own && i < transfer->receivers_count; i++)
            if (transfer->receivers [i].has >= own->has &&
                feeds_others (self, &transfer->receivers [i]))
                to = i;
        if (own && !own->skipped && to != from)
            place_at (transfer, from, to);
        if (!transfer->over && (own || chain_source_at (transfer, place->name)))
            chain_replan (self, now, transfer);
    }
}

bool chain_overtakes (const chain_t *self, chain_transfer_t *transfer, chain_receiver_t *receiver)
{
    const chain_receiver_t *before [CHAIN_RECEIVERS_MAX];
    bool from_source = false;
    for (size_t i = 0; i < transfer->sources_count; i++)
        from_source = from_source || strcmp (transfer->sources [i].name, receiver->feeder) == 0;
    if (!from_source || receiver->skips > 0 || !feeds_others (self, receiver) ||
        feeders_before (self, transfer, receiver, before) < transfer->feeds)
        return false;
    size_t from = (size_t) (receiver - transfer->receivers), to = 0;
    while (to < from && transfer->receivers [to].has >= receiver->has)
        to++;
    if (to != from)
        place_at (transfer, from, to);
    return to != from;
}

void chain_most_first (chain_transfer_t *transfer)
{
    for (size_t i = 1; i < transfer->receivers_count; i++)
        for (size_t j = i; j > 0 && !transfer->receivers [j].skipped &&
                           transfer->receivers [j].has > transfer->receivers [j - 1].has;
             j--)
            place_at (transfer, j, j - 1);
}

bool chain_source_left (const chain_transfer_t *transfer, bool also_failed)
{
    for (size_t i = 0; i < transfer->sources_count; i++)
        if (!transfer->sources [i].wrong && (also_failed || !transfer->sources [i].failed))
            return true;
    return false;
}

/*  --- the slow --- */

/*  How many bytes its feeder has; a source has all. */
static uint64_t feeder_has (const chain_transfer_t *transfer, const chain_receiver_t *receiver)
{
    const chain_receiver_t *feeder = chain_receiver_find (transfer, receiver->feeder);
    return feeder ? feeder->has : transfer->content.size;
}

/*  The bytes that it could have got meanwhile: what its feeder got, or, if that one has all, what
 *  the limit of the transfer allows. 0 = not known. */
static uint64_t could_get (const chain_transfer_t *transfer, const chain_receiver_t *receiver,
                           uint64_t feeder_now, int64_t over_ms)
{
    if (feeder_now < transfer->content.size)
        return feeder_now - receiver->behind_feeder_has;
    uint64_t bytes_a_ms = (uint64_t) transfer->mbps * 1000 / BITS_PER_BYTE;
    return bytes_a_ms * (uint64_t) over_ms;
}

bool chain_slow (const chain_t *self, const moment_t *now, const chain_transfer_t *transfer,
                 chain_receiver_t *receiver)
{
    bool last = receiver == &transfer->receivers [transfer->receivers_count - 1];
    uint64_t feeder = feeder_has (transfer, receiver);
    if (last || receiver->slow || receiver->skipped || !*receiver->feeder ||
        receiver->state != RECEIVER_RECEIVING || feeder < receiver->has + BEHIND_BYTES) {
        receiver->behind_ms = 0;
        return false;
    }
    bool began = receiver->behind_ms != 0;
    int64_t over_ms = now->mono_ms - receiver->behind_ms;
    if (began && over_ms < self->limits.slow_ms)
        return false;
    uint64_t got = receiver->has - receiver->behind_has;
    bool slow = began && got * 100 < could_get (transfer, receiver, feeder, over_ms) * SLOW_PERCENT;
    receiver->behind_ms = now->mono_ms;
    receiver->behind_has = receiver->has;
    receiver->behind_feeder_has = feeder;
    return slow;
}
