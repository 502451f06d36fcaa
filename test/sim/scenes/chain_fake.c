/*  chain_fake - chain.h over disks made of arrays. */
#include "chain_fake_state.h"

#include "must.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*  --- views --- */

static disk_t *own_disk (const chain_t *self, const char *node)
{
    return fake_disk_of (self->service->name, node);
}

static uint64_t held_at (const chain_t *self, const char *node)
{
    uint64_t held = 0;
    for (size_t i = 0; i < self->count; i++)
        for (size_t k = 0; k < self->transfers [i]->receivers_count; k++)
            if (strcmp (self->transfers [i]->receivers [k].node, node) == 0 &&
                self->transfers [i]->receivers [k].state < RECEIVER_VERIFIED)
                held += self->transfers [i]->content.size;
    return held;
}

static disk_t *disk_at (const chain_t *self, size_t at)
{
    for (size_t i = 0; i < fake_world.disks_count; i++)
        if (strcmp (fake_world.disks [i].service, self->service->name) == 0 && at-- == 0)
            return &fake_world.disks [i];
    return NULL;
}

size_t chain_nodes (const chain_t *self)
{
    size_t count = 0;
    while (disk_at (self, count))
        count++;
    return count;
}

chain_node_t *chain_node_at (const chain_t *self, size_t node)
{
    return &disk_at (self, node)->node;
}

chain_node_t *chain_node (const chain_t *self, const char *name)
{
    disk_t *disk = own_disk (self, name);
    return disk ? &disk->node : NULL;
}

uint64_t chain_bytes_files (const chain_node_t *node)
{
    return fake_disk_used ((const disk_t *) node);
}

uint64_t chain_bytes_held (const chain_t *self, const chain_node_t *node)
{
    return held_at (self, node->name);
}

uint64_t chain_room (const chain_t *self, const chain_node_t *node)
{
    uint64_t taken = chain_bytes_files (node) + chain_bytes_held (self, node);
    return node->bytes_max > taken ? node->bytes_max - taken : 0;
}

uint32_t chain_feeds (const chain_t *self, const chain_node_t *node)
{
    (void) self;
    (void) node;
    return 0;
}

chain_file_t *chain_file (const chain_node_t *node, const char *name)
{
    disk_file_t *file = fake_file_of ((const disk_t *) node, name);
    return file ? &file->told : NULL;
}

chain_file_t *chain_file_after (const chain_node_t *node, const char *after)
{
    const disk_t *disk = (const disk_t *) node;
    chain_file_t *next = NULL;
    for (size_t i = 0; i < disk->count; i++) {
        chain_file_t *file = &disk->files [i].told;
        if ((!after || strcmp (file->stored.file, after) > 0) &&
            (!next || strcmp (file->stored.file, next->stored.file) < 0))
            next = file;
    }
    return next;
}

chain_transfer_t *chain_transfer (const chain_t *self, const chain_id_t *id)
{
    for (size_t i = 0; i < self->count; i++)
        if (memcmp (&self->transfers [i]->id, id, sizeof *id) == 0)
            return self->transfers [i];
    return NULL;
}

chain_transfer_t *chain_next (const chain_t *self, const chain_transfer_t *after)
{
    chain_transfer_t *next = NULL;
    for (size_t i = 0; i < self->count; i++)
        if ((!after || memcmp (&self->transfers [i]->id, &after->id, sizeof after->id) > 0) &&
            (!next || memcmp (&self->transfers [i]->id, &next->id, sizeof next->id) < 0))
            next = self->transfers [i];
    return next;
}

/*  What lies on the node's disk under the arrival's path gets its name as soon as the node has
 *  heard that it may have the room, if there is as much. */
const chain_arrival_t *chain_arrival (chain_t *self, const moment_t *now, const char *node,
                                      const chain_arrival_t *wanted)
{
    static chain_arrival_t arrival;
    disk_t *disk = own_disk (self, node);
    const disk_file_t *left = disk ? fake_file_of (disk, wanted->path) : NULL;
    uint64_t size = left ? left->told.stored.content.size : 0;
    if (left && (disk->heard < size || fake_disk_used (disk) > disk->node.bytes_max)) {
        disk->heard = wanted->room;
        arrival = *wanted;
        arrival.content = left->told.stored.content;
        snprintf (arrival.why, sizeof arrival.why, "disk full");
        return &arrival;
    }
    if (left) {
        fake_file_add (disk, wanted->file, left->told.stored.content.size, left->content, 1);
        fake_file_remove (disk, wanted->path);
        stored_file_t stored = fake_file_of (disk, wanted->file)->told.stored;
        self->observer.file_moved (self->observer.owner, now, &disk->node, &stored);
    }
    const disk_file_t *named = disk ? fake_file_of (disk, wanted->file) : NULL;
    if (!named)
        return NULL;
    arrival = *wanted;
    arrival.content = named->told.stored.content;
    arrival.done = true;
    return &arrival;
}

void chain_arrival_end (chain_t *self, const moment_t *now, const char *node, const char *path)
{
    (void) self;
    (void) now;
    (void) node;
    (void) path;
}

/*  --- orders --- */

/*  Adds a transfer, with space for its receivers behind it. */
static chain_transfer_t *transfer_new (chain_t *self, const kept_t *from)
{
    kept_t *kept = must (calloc (1, sizeof *kept));
    if (from)
        *kept = *from;
    kept->transfer.receivers = kept->receivers;
    kept->transfer.size_known = kept->transfer.content.digest_known = true;
    return self->transfers [self->count++] = &kept->transfer;
}

static void keep (const chain_t *self, const chain_transfer_t *transfer)
{
    outbox_put (self->service->outbox, TABLE_TRANSFERS,
                (bytes_t){.data = transfer->id.bytes, .size = CHAIN_ID_BYTES},
                (bytes_t){.data = (const uint8_t *) transfer, .size = sizeof (kept_t)});
}

static bool receiver_add (chain_transfer_t *transfer, const char *node, char *why)
{
    if (transfer->receivers_count == RECEIVERS_MAX) {
        snprintf (why, 64, "too many receivers");
        return false;
    }
    chain_receiver_t *receiver = &transfer->receivers [transfer->receivers_count++];
    *receiver = (chain_receiver_t){.state = RECEIVER_WAITING};
    snprintf (receiver->node, sizeof receiver->node, "%s", node);
    return true;
}

static bool roomy (const chain_t *self, const char *node, uint64_t size, char *why)
{
    const disk_t *disk = own_disk (self, node);
    if (!disk || disk->node.guest)
        return true;
    snprintf (why, 64, "no room");
    return chain_room (self, &disk->node) >= size;
}

static chain_origin_t *source_named (chain_transfer_t *transfer, const chain_source_t *from)
{
    for (size_t i = 0; i < transfer->sources_count; i++)
        if (strcmp (transfer->sources [i].name, from->node ? from->node : from->name) == 0)
            return &transfer->sources [i];
    return NULL;
}

static void source_add (chain_transfer_t *transfer, const chain_source_t *from)
{
    chain_origin_t *source = source_named (transfer, from);
    if (!source)
        source = &transfer->sources [transfer->sources_count++];
    *source = (chain_origin_t){.failed = false};
    snprintf (source->node, sizeof source->node, "%s", from->node ? from->node : "");
    snprintf (source->name, sizeof source->name, "%s", from->node ? from->node : from->name);
}

bool chain_begin (chain_t *self, const moment_t *now, const chain_order_t *order, chain_id_t *id,
                  char why [WHY_BYTES])
{
    for (size_t i = 0; i < order->receivers_count; i++)
        if (!roomy (self, order->receivers [i], order->content.size, why))
            return false;
    assert (self->count < TRANSFERS_MAX && order->size_known && order->content.digest_known);
    chain_transfer_t *transfer = transfer_new (self, NULL);
    uint64_t words [2] = {prng_next (&self->service->prng), prng_next (&self->service->prng)};
    memcpy (transfer->id.bytes, words, sizeof words);
    memcpy (transfer->token, words, sizeof words);
    snprintf (transfer->file, sizeof transfer->file, "%s", order->file);
    transfer->content = order->content;
    transfer->owner = order->owner;
    for (size_t i = 0; i < order->sources_count; i++)
        source_add (transfer, &order->sources [i]);
    for (size_t i = 0; i < order->receivers_count; i++)
        receiver_add (transfer, order->receivers [i], why);
    *id = transfer->id;
    keep (self, transfer);
    (void) now;
    return true;
}

bool chain_join (chain_t *self, const moment_t *now, const chain_id_t *id, const char *node,
                 char why [WHY_BYTES])
{
    (void) now;
    chain_transfer_t *transfer = chain_transfer (self, id);
    if (!transfer || transfer->over || !roomy (self, node, transfer->content.size, why) ||
        !receiver_add (transfer, node, why))
        return false;
    keep (self, transfer);
    return true;
}

bool chain_source (chain_t *self, const moment_t *now, const chain_id_t *id,
                   const chain_source_t *source, char why [WHY_BYTES])
{
    (void) now;
    chain_transfer_t *transfer = chain_transfer (self, id);
    snprintf (why, 64, "too many sources");
    if (!transfer || transfer->over ||
        (transfer->sources_count == CHAIN_SOURCES_MAX && !source_named (transfer, source)))
        return false;
    source_add (transfer, source);
    keep (self, transfer);
    return true;
}

static void tell_receiver (const chain_t *self, const moment_t *now,
                           const chain_transfer_t *transfer, const chain_receiver_t *receiver)
{
    self->observer.receiver_moved (self->observer.owner, now, transfer, receiver);
}

static bool all_ended (const chain_transfer_t *transfer)
{
    for (size_t i = 0; i < transfer->receivers_count; i++)
        if (transfer->receivers [i].state < RECEIVER_VERIFIED)
            return false;
    return true;
}

static void look_over (chain_t *self, const moment_t *now, chain_transfer_t *transfer)
{
    if (transfer->over || !all_ended (transfer))
        return;
    transfer->over = true;
    keep (self, transfer);
    self->observer.transfer_over (self->observer.owner, now, transfer);
}

void chain_cancel (chain_t *self, const moment_t *now, const chain_id_t *id, const char *node,
                   const char *why)
{
    chain_transfer_t *transfer = chain_transfer (self, id);
    bool failed [RECEIVERS_MAX] = {false};
    for (size_t i = 0; transfer && i < transfer->receivers_count; i++) {
        chain_receiver_t *receiver = &transfer->receivers [i];
        failed [i] =
          receiver->state < RECEIVER_VERIFIED && (!node || strcmp (node, receiver->node) == 0);
        if (!failed [i])
            continue;
        receiver->state = RECEIVER_FAILED;
        snprintf (receiver->why, sizeof receiver->why, "%.60s", why);
    }
    if (!transfer || transfer->over)
        return;
    bool over = all_ended (transfer); /* observers hear of it when all has been done */
    transfer->over = over;
    keep (self, transfer);
    for (size_t i = 0; i < transfer->receivers_count; i++)
        if (failed [i])
            tell_receiver (self, now, transfer, &transfer->receivers [i]);
    if (over)
        self->observer.transfer_over (self->observer.owner, now, transfer);
}

void chain_forget (chain_t *self, const moment_t *now, const chain_id_t *id)
{
    (void) now;
    for (size_t i = 0; i < self->count; i++) {
        if (memcmp (&self->transfers [i]->id, id, sizeof *id) != 0)
            continue;
        loan_t *loan = fake_loan_of (id, self->service->name);
        if (self->transfers [i]->loan && loan)
            loan->active = false;
        outbox_delete (self->service->outbox, TABLE_TRANSFERS,
                       (bytes_t){.data = id->bytes, .size = CHAIN_ID_BYTES});
        assert (self->forgotten_count < TRANSFERS_MAX);
        self->forgotten [self->forgotten_count++] = self->transfers [i];
        self->transfers [i] = self->transfers [--self->count];
        return;
    }
}

bool chain_lend (chain_t *self, const moment_t *now, const chain_loan_t *loan,
                 char endpoint [CHAIN_ENDPOINT_BYTES_MAX + 1], char why [WHY_BYTES])
{
    (void) now;
    snprintf (endpoint, CHAIN_ENDPOINT_BYTES_MAX + 1, "tcp://%s:1", loan->node);
    loan_t asked = {.id = loan->id};
    snprintf (asked.service, sizeof asked.service, "%s", self->service->name);
    snprintf (asked.node, sizeof asked.node, "%s", loan->node);
    snprintf (asked.name, sizeof asked.name, "%s", loan->file);
    snprintf (why, 64, "it neither has nor receives the file");
    if (!fake_lent (&asked, &(content_t){.size = 0}, &(uint64_t){0}))
        return false;
    loan_t *known = fake_loan_of (&loan->id, self->service->name);
    if (!known) {
        assert (fake_world.outgoing_feeds_count < OUTGOING_FEEDS_MAX);
        known = &fake_world.outgoing_feeds [fake_world.outgoing_feeds_count++];
    }
    *known = asked;
    known->active = true;
    memcpy (known->token, loan->token, sizeof known->token);
    chain_transfer_t *transfer = chain_transfer (self, &loan->id);
    if (!transfer) {
        transfer = transfer_new (self, NULL);
        transfer->id = loan->id;
        transfer->loan = true;
        transfer->until_ms = loan->until_ms;
        snprintf (transfer->file, sizeof transfer->file, "%s", loan->file);
        keep (self, transfer);
    }
    snprintf (transfer->lent_to, sizeof transfer->lent_to, "%s", loan->site);
    snprintf (transfer->sources [0].node, sizeof transfer->sources [0].node, "%s", loan->node);
    return true;
}

bool chain_drop (chain_t *self, const moment_t *now, const char *node, const char *name)
{
    (void) now;
    disk_file_t *file = fake_file_of (own_disk (self, node), name);
    for (size_t i = 0; i < self->count; i++)
        for (size_t k = 0; k < self->transfers [i]->sources_count; k++)
            if (!self->transfers [i]->over && strcmp (self->transfers [i]->file, name) == 0 &&
                strcmp (self->transfers [i]->sources [k].node, node) == 0)
                return false;
    if (file)
        file->told.drop = true;
    return file != NULL;
}

bool chain_prove (chain_t *self, const moment_t *now, const char *node, const char *name,
                  uint32_t mbps)
{
    (void) mbps;
    disk_t *disk = own_disk (self, node);
    disk_file_t *file = fake_file_of (disk, name);
    uint8_t digest [CHAIN_DIGEST_BYTES];
    if (!file)
        return false;
    fake_digest (digest, file->content);
    if (memcmp (digest, file->told.stored.content.digest, sizeof digest) == 0)
        return true;
    file->told.stored.quarantined = true;
    file->told.stored.damage =
      (damage_t){.bad = {{.offset = 2 << 20, .bytes = 1 << 20}}, .bad_count = 1};
    stored_file_t stored = file->told.stored;
    self->observer.file_moved (self->observer.owner, now, &disk->node, &stored);
    return true;
}

/*  --- bytes move --- */

/*  A receiver that has the file: receivers that still wait are fed there. */
static const disk_file_t *verified_feeder (const chain_t *self, const chain_transfer_t *transfer)
{
    for (size_t i = 0; i < transfer->receivers_count; i++) {
        const disk_t *disk = own_disk (self, transfer->receivers [i].node);
        if (transfer->receivers [i].state != RECEIVER_VERIFIED || !disk || !fake_is_up (disk))
            continue;
        const disk_file_t *file = fake_file_of (disk, transfer->file);
        if (file)
            return file;
    }
    return NULL;
}

/*  Where its bytes come from now, and from which source if from one; NULL when no source or feeder
 *  is left. */
static const disk_file_t *feeder (chain_t *self, const moment_t *now, chain_transfer_t *transfer,
                                  bool *crosses, chain_origin_t **source, uint64_t *until)
{
    *crosses = false;
    *until = UINT64_MAX;
    *source = NULL;
    const disk_file_t *has = verified_feeder (self, transfer);
    if (has)
        return has;
    for (size_t i = 0; i < transfer->sources_count; i++) {
        chain_origin_t *at = &transfer->sources [i];
        if (at->failed)
            continue;
        const loan_t *loan = fake_loan_named (&transfer->id, at->name);
        bool lent = !*at->node && loan && loan->active;
        disk_t *disk = *at->node ? own_disk (self, at->node)
                       : lent    ? fake_disk_of (loan->service, loan->node)
                                 : NULL;
        const disk_file_t *file = !disk || !fake_is_up (disk) ? NULL
                                  : lent ? fake_lent (loan, &transfer->content, until)
                                         : fake_file_of (disk, transfer->file);
        if (file) {
            *crosses = !*at->node;
            *source = at;
            return file;
        }
        if (disk && fake_is_up (disk) && lent)
            fake_missing_add (disk, transfer->file);
        at->failed = true;
        keep (self, transfer);
        char name [sizeof at->name];
        memcpy (name, at->name, sizeof name);
        self->observer.source_failed (self->observer.owner, now, transfer, name, false,
                                      disk && fake_is_up (disk) ? "has no such file"
                                                                : "does not answer");
    }
    return NULL;
}

/*  A source of this site is read again and found wrong. Of another site's source this site can only
 *  say that what came was wrong. */
static void bytes_wrong (chain_t *self, const moment_t *now, chain_transfer_t *transfer,
                         chain_receiver_t *receiver, chain_origin_t *source)
{
    bool left = false;
    if (source)
        source->failed = true;
    if (!source || !*source->node) {
        receiver->state = RECEIVER_FAILED;
        snprintf (receiver->why, sizeof receiver->why, "its bytes are others");
        keep (self, transfer);
        tell_receiver (self, now, transfer, receiver);
        for (size_t i = 0; i < transfer->receivers_count; i++)
            left = left || transfer->receivers [i].state < RECEIVER_VERIFIED;
        if (left && source) /* the others need another one */
            self->observer.source_failed (self->observer.owner, now, transfer, source->name, true,
                                          "its bytes are others");
        return;
    }
    for (size_t i = 0; i < transfer->receivers_count; i++)
        if (transfer->receivers [i].state < RECEIVER_VERIFIED)
            transfer->receivers [i].has = 0;
    for (size_t i = 0; i < transfer->sources_count; i++)
        left = left || !transfer->sources [i].failed;
    keep (self, transfer);
    if (!left)
        chain_cancel (self, now, &transfer->id, NULL, "no source is left");
    self->observer.source_failed (self->observer.owner, now, transfer, source->name, true,
                                  "its bytes are others");
}

/*  All bytes have come: checks whether they are the right ones. */
static void receiver_check (chain_t *self, const moment_t *now, chain_transfer_t *transfer,
                            chain_receiver_t *receiver, const disk_file_t *bytes,
                            chain_origin_t *source)
{
    uint8_t digest [CHAIN_DIGEST_BYTES];
    disk_t *disk = own_disk (self, receiver->node);
    fake_digest (digest, bytes->content);
    if (memcmp (digest, transfer->content.digest, sizeof digest) != 0 ||
        bytes->told.stored.content.size != transfer->content.size) {
        bytes_wrong (self, now, transfer, receiver, source);
        return;
    }
    fake_file_add (disk, transfer->file, transfer->content.size, bytes->content, now->wall_ms);
    receiver->state = RECEIVER_VERIFIED;
    keep (self, transfer);
    tell_receiver (self, now, transfer, receiver);
    if (!disk->node.guest) {
        stored_file_t stored = fake_file_of (disk, transfer->file)->told.stored;
        self->observer.file_moved (self->observer.owner, now, &disk->node, &stored);
    }
}

static void transfer_tick (chain_t *self, const moment_t *now, chain_transfer_t *transfer)
{
    bool crosses;
    chain_origin_t *source;
    uint64_t until;
    const disk_file_t *bytes = transfer->over || transfer->loan
                                 ? NULL
                                 : feeder (self, now, transfer, &crosses, &source, &until);
    bool head = true;
    for (size_t i = 0; bytes && i < transfer->receivers_count && !(source && source->failed); i++) {
        chain_receiver_t *receiver = &transfer->receivers [i];
        const disk_t *disk = own_disk (self, receiver->node);
        if (receiver->state >= RECEIVER_VERIFIED) {
            head = false; /* it feeds the others */
            continue;
        }
        if (!disk || !fake_is_up (disk))
            continue;
        uint64_t most = until < transfer->content.size ? until : transfer->content.size;
        uint64_t left = most > receiver->has ? most - receiver->has : 0;
        uint64_t piece = left < FAKE_PIECE_BYTES ? left : FAKE_PIECE_BYTES;
        receiver->state = RECEIVER_RECEIVING;
        receiver->has += piece;
        receiver->received += piece;
        if (head && crosses) {
            fake_count_crossed (self->service->name, transfer->file, piece);
            fake_count_crossed (source->name, transfer->file, piece);
        }
        head = false;
        if (receiver->has == transfer->content.size)
            receiver_check (self, now, transfer, receiver, bytes, source);
    }
    if (!transfer->loan && !transfer->over)
        look_over (self, now, transfer);
    if (transfer->loan && now->wall_ms >= transfer->until_ms)
        transfer->over = true;
}

static void tell_gone (chain_t *self, const moment_t *now, const disk_t *disk, const char *name)
{
    stored_file_t stored = {.gone = true};
    snprintf (stored.file, sizeof stored.file, "%s", name);
    self->observer.file_moved (self->observer.owner, now, &disk->node, &stored);
}

static void drops_tick (chain_t *self, const moment_t *now)
{
    for (size_t i = 0; i < fake_world.disks_count; i++) {
        disk_t *disk = &fake_world.disks [i];
        if (strcmp (disk->service, self->service->name) != 0 || !fake_is_up (disk))
            continue;
        if (*disk->missing && !fake_file_of (disk, disk->missing))
            tell_gone (self, now, disk, disk->missing);
        disk->missing [0] = '\0';
        for (size_t k = disk->count; k-- > 0;) {
            if (!disk->files [k].told.drop)
                continue;
            char name [CHAIN_FILE_BYTES_MAX + 1];
            memcpy (name, disk->files [k].told.stored.file, sizeof name);
            fake_file_remove (disk, name);
            tell_gone (self, now, disk, name);
        }
    }
}

static void forgotten_free (chain_t *self)
{
    while (self->forgotten_count > 0)
        free (self->forgotten [--self->forgotten_count]);
}

static void on_tick (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    chain_t *self = owner;
    for (size_t i = 0; i < self->count; i++)
        transfer_tick (self, now, self->transfers [i]);
    drops_tick (self, now);
    forgotten_free (self);
    self->timer = timers_set (self->service->timers, now->mono_ms + FAKE_TICK_MS, on_tick, self, 0);
}

/*  --- life --- */

static void load (void *owner, bytes_t key, bytes_t value)
{
    (void) key;
    chain_t *self = owner;
    kept_t kept;
    assert (value.size == sizeof kept);
    memcpy (&kept, value.data, sizeof kept);
    transfer_new (self, &kept);
}

/*  Nodes attend again and tell what they have; transfers that are over are told as over once more.
 */
static void on_attend (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    chain_t *self = owner;
    for (size_t i = 0; i < fake_world.disks_count; i++) {
        disk_t *disk = &fake_world.disks [i];
        if (strcmp (disk->service, self->service->name) != 0 || disk->node.guest ||
            !fake_is_up (disk))
            continue;
        for (size_t k = 0; k < disk->count; k++) {
            disk->files [k].told.drop = false;
            stored_file_t stored = disk->files [k].told.stored;
            self->observer.file_moved (self->observer.owner, now, &disk->node, &stored);
        }
        disk->node.files_told = true;
        self->observer.node_moved (self->observer.owner, now, &disk->node);
    }
    on_tick (self, now, 0);
}

static void at_start (void *owner, const moment_t *now)
{
    chain_t *self = owner;
    for (size_t i = 0; i < fake_world.disks_count; i++)
        if (strcmp (fake_world.disks [i].service, self->service->name) == 0)
            fake_world.disks [i].node.files_told = false;
    self->timer =
      timers_set (self->service->timers, now->mono_ms + FAKE_TICK_MS, on_attend, self, 0);
}

chain_t *chain_new (service_t *service, const char *const *nodes, size_t nodes_count,
                    const chain_limits_t *limits)
{
    (void) nodes;
    (void) nodes_count;
    (void) limits;
    chain_t *self = must (calloc (1, sizeof *self));
    self->service = service;
    fake_chain_is (self, true);
    service_load (service, TABLE_TRANSFERS, load, self);
    service_at_start (service, at_start, self);
    return self;
}

void chain_destroy (chain_t **self_p)
{
    chain_t *self = *self_p;
    if (!self)
        return;
    fake_chain_is (self, false);
    for (size_t i = 0; i < self->count; i++)
        free (self->transfers [i]);
    forgotten_free (self);
    free (self);
    *self_p = NULL;
}

void chain_observe (chain_t *self, const chain_observer_t *observer)
{
    self->observer = *observer;
}
