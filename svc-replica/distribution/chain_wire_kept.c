/*  chain_wire_kept - records of sites and of storage nodes. */
#include "chain_wire_own.h"
#include "message.h"
#include "must.h"
#include "transaction_wire.h"

#include <string.h>

packed_t kept_node_encode (const kept_node_t *node)
{
    Musubi__KeptStorageNode message = MUSUBI__KEPT_STORAGE_NODE__INIT;
    message.store = bytes_put (node->store, STORE_ID_BYTES);
    message.start = node->start;
    message.guest = node->guest;
    return packed_of (&message.base);
}

bool kept_node_decode (kept_node_t *node, bytes_t value, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__kept_storage_node__descriptor, value);
    if (!message)
        return wrong (why, "not a KeptStorageNode");
    const Musubi__KeptStorageNode *from = (const Musubi__KeptStorageNode *) message;
    bool taken = bytes_take (node->store, STORE_ID_BYTES, &from->store, "store", why);
    node->start = from->start;
    node->guest = from->guest;
    message_free (message);
    return taken;
}

/*  --- transfers --- */

typedef struct {
    Musubi__KeptTransfer message;
    Musubi__KeptSource sources [CHAIN_SOURCES_MAX];
    Musubi__KeptSource *sources_list [CHAIN_SOURCES_MAX];
} transfer_wire_t;

static void sources_put (transfer_wire_t *to, const kept_transfer_t *from)
{
    for (size_t i = 0; i < from->sources_count; i++) {
        const kept_source_t *source = &from->sources [i];
        Musubi__KeptSource *message = &to->sources [i];
        musubi__kept_source__init (message);
        message->node = (char *) source->node;
        message->name = (char *) source->name;
        message->endpoint = (char *) source->endpoint;
        message->failed = source->failed;
        message->wrong = source->wrong;
        message->why = (char *) source->why;
        to->sources_list [i] = message;
    }
    to->message.n_sources = from->sources_count;
    to->message.sources = to->sources_list;
}

packed_t kept_transfer_encode (const kept_transfer_t *transfer)
{
    transfer_wire_t wire = {.message = MUSUBI__KEPT_TRANSFER__INIT};
    size_t count = transfer->receivers_count;
    Musubi__KeptReceiver **list = messages_new (&musubi__kept_receiver__descriptor, count);
    for (size_t i = 0; i < count; i++) {
        const kept_receiver_t *from = &transfer->receivers [i];
        list [i]->node = (char *) from->node;
        list [i]->state = (uint32_t) from->state;
        list [i]->why = (char *) from->why;
        list [i]->attempt = from->attempt;
        list [i]->looks = from->looks;
    }
    sources_put (&wire, transfer);
    wire.message.token = bytes_put (transfer->token, CHAIN_TOKEN_BYTES);
    wire.message.file = (char *) transfer->file;
    wire.message.size_known = transfer->size_known;
    wire.message.size = transfer->size;
    wire.message.digest =
      bytes_put (transfer->digest, transfer->digest_known ? CHAIN_DIGEST_BYTES : 0);
    wire.message.n_receivers = count;
    wire.message.receivers = list;
    wire.message.mbps = transfer->mbps;
    wire.message.feeds = transfer->feeds;
    wire.message.epoch = transfer->epoch;
    wire.message.owner = transfer->owner;
    wire.message.loan = transfer->loan;
    wire.message.over = transfer->over;
    wire.message.why = (char *) transfer->why;
    wire.message.until_ms = transfer->until_ms;
    packed_t packed = packed_of (&wire.message.base);
    free (list);
    return packed;
}

static bool source_take (kept_source_t *to, const Musubi__KeptSource *from, char why [WHY_BYTES])
{
    to->failed = from->failed;
    to->wrong = from->wrong;
    return text_take (to->node, NAME_BYTES_MAX, from->node, TEXT_WORD_OR_NONE, "node", why) &&
           text_take (to->name, FEEDER_NAME_BYTES_MAX, from->name, TEXT_WORD, "name", why) &&
           text_take (to->endpoint, CHAIN_ENDPOINT_BYTES_MAX, from->endpoint, TEXT_WORD_OR_NONE,
                      "endpoint", why) &&
           why_take (to->why, from->why, "why", why);
}

static bool receivers_take (kept_transfer_t *to, const Musubi__KeptTransfer *from,
                            char why [WHY_BYTES])
{
    if (from->n_receivers > CHAIN_RECEIVERS_MAX)
        return wrong (why, "receivers: more than %d", CHAIN_RECEIVERS_MAX);
    to->receivers = must (calloc (from->n_receivers + 1, sizeof *to->receivers));
    to->receivers_count = from->n_receivers;
    for (size_t i = 0; i < from->n_receivers; i++) {
        const Musubi__KeptReceiver *kept = from->receivers [i];
        if (kept->state > RECEIVER_FAILED)
            return wrong (why, "receivers.state: %u is not known", kept->state);
        to->receivers [i].state = (receiver_state_t) kept->state;
        to->receivers [i].attempt = kept->attempt;
        to->receivers [i].looks = kept->looks;
        if (!text_take (to->receivers [i].node, NAME_BYTES_MAX, kept->node, TEXT_WORD, "node",
                        why) ||
            !why_take (to->receivers [i].why, kept->why, "why", why))
            return false;
    }
    return true;
}

static bool transfer_take (kept_transfer_t *to, const Musubi__KeptTransfer *from,
                           char why [WHY_BYTES])
{
    if (!bytes_take (to->token, CHAIN_TOKEN_BYTES, &from->token, "token", why) ||
        !text_take (to->file, CHAIN_FILE_BYTES_MAX, from->file, TEXT_ANY, "file", why) ||
        !digest_take (to->digest, &to->digest_known, &from->digest, "digest", why) ||
        !why_take (to->why, from->why, "why", why))
        return false;
    if (from->n_sources > CHAIN_SOURCES_MAX || !size_valid (from->size))
        return wrong (why, "sources or size are out of range");
    for (size_t i = 0; i < from->n_sources; i++)
        if (!source_take (&to->sources [i], from->sources [i], why))
            return false;
    to->sources_count = from->n_sources;
    to->size_known = from->size_known;
    to->size = from->size;
    to->mbps = from->mbps;
    to->feeds = from->feeds;
    to->epoch = from->epoch;
    to->owner = from->owner;
    to->loan = from->loan;
    to->over = from->over;
    to->until_ms = from->until_ms;
    return receivers_take (to, from, why);
}

bool kept_transfer_decode (kept_transfer_t *transfer, bytes_t value, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__kept_transfer__descriptor, value);
    if (!message)
        return wrong (why, "not a KeptTransfer");
    *transfer = (kept_transfer_t){0};
    bool taken = transfer_take (transfer, (const Musubi__KeptTransfer *) message, why);
    message_free (message);
    if (!taken)
        free (transfer->receivers);
    return taken;
}

/*  --- files --- */

packed_t kept_file_encode (const stored_file_t *file, const chain_id_t *part)
{
    Musubi__StoredFile message;
    stored_file_put (&message, file);
    if (part)
        message.part = bytes_put (part->bytes, CHAIN_ID_BYTES);
    return packed_of (&message.base);
}

bool kept_file_decode (stored_file_t *file, bool *has_part, chain_id_t *part, bytes_t value,
                       char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__stored_file__descriptor, value);
    if (!message)
        return wrong (why, "not a StoredFile");
    const Musubi__StoredFile *from = (const Musubi__StoredFile *) message;
    *has_part = from->part.len > 0;
    bool taken = stored_file_take (file, from, "file", why) &&
                 (!*has_part || bytes_take (part->bytes, CHAIN_ID_BYTES, &from->part, "part", why));
    message_free (message);
    return taken;
}
