/*  chain_wire_told - from the views of chain.h to messages. */
#include "chain_wire_told.h"

#include "chain_wire_own.h"
#include "message.h"
#include "must.h"
#include "transaction_wire.h"

#include <string.h>

static const char *const receiver_words [] = {[RECEIVER_WAITING] = "waiting",
                                              [RECEIVER_RECEIVING] = "receiving",
                                              [RECEIVER_CHECKING] = "checking",
                                              [RECEIVER_VERIFIED] = "verified",
                                              [RECEIVER_FAILED] = "failed"};
static const char *const node_words [] = {[CHAIN_NODE_AWAITED] = "awaited",
                                          [CHAIN_NODE_UP] = "up",
                                          [CHAIN_NODE_SILENT] = "silent",
                                          [CHAIN_NODE_LOST] = "lost"};

bool transfers_request_decode (bool *one, chain_id_t *id, bytes_t body, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__transfers_request__descriptor, body);
    if (!message)
        return wrong (why, "not a TransfersRequest");
    const Musubi__TransfersRequest *from = (const Musubi__TransfersRequest *) message;
    *one = from->transfer.len > 0;
    bool taken = !*one || bytes_take (id->bytes, CHAIN_ID_BYTES, &from->transfer, "transfer", why);
    message_free (message);
    return taken;
}

/*  A record with the lists it points to. */
typedef struct {
    Musubi__TransferRecord message;
    Musubi__TransferReceiver *receivers;
    Musubi__TransferReceiver **list;
    chain_id_t id;
} record_wire_t;

static void receivers_put (record_wire_t *to, const chain_t *chain, const chain_transfer_t *from)
{
    size_t count = from->receivers_count;
    to->receivers = must (calloc (count + 1, sizeof *to->receivers));
    to->list = must (calloc (count + 1, sizeof (Musubi__TransferReceiver *)));
    for (size_t i = 0; i < count; i++) {
        chain_receiver_t receiver;
        chain_receiver (chain, &from->id, i, &receiver);
        musubi__transfer_receiver__init (&to->receivers [i]);
        to->receivers [i].node = (char *) receiver.node;
        to->receivers [i].state = (char *) receiver_words [receiver.state];
        to->receivers [i].has = receiver.has;
        to->receivers [i].received = receiver.received;
        to->receivers [i].feeder = (char *) receiver.feeder;
        to->receivers [i].why = (char *) receiver.why;
        to->list [i] = &to->receivers [i];
    }
    to->message.n_receivers = count;
    to->message.receivers = to->list;
}

static void record_put (record_wire_t *to, const chain_t *chain, const chain_transfer_t *from)
{
    musubi__transfer_record__init (&to->message);
    to->id = from->id;
    to->message.transfer = bytes_put (to->id.bytes, CHAIN_ID_BYTES);
    to->message.file = (char *) from->file;
    to->message.size_known = from->size_known;
    to->message.size = from->size;
    to->message.digest = bytes_put (from->digest, from->digest ? CHAIN_DIGEST_BYTES : 0);
    to->message.epoch = from->epoch;
    to->message.source_sent = from->fed;
    to->message.over = from->over;
    to->message.why = (char *) from->why;
    receivers_put (to, chain, from);
}

packed_t transfers_answer_encode (const chain_t *chain, const chain_id_t *id)
{
    Musubi__TransfersAnswer answer = MUSUBI__TRANSFERS_ANSWER__INIT;
    record_wire_t *wires = must (calloc (TRANSFERS_TOLD_MAX, sizeof *wires));
    Musubi__TransferRecord *list [TRANSFERS_TOLD_MAX];
    size_t count = 0;
    chain_transfer_t transfer;
    bool found =
      id ? chain_transfer (chain, id, &transfer) : chain_transfer_after (chain, NULL, &transfer);
    while (found && count < TRANSFERS_TOLD_MAX) {
        record_put (&wires [count], chain, &transfer);
        list [count] = &wires [count].message;
        count++;
        chain_id_t last = transfer.id;
        found = !id && chain_transfer_after (chain, &last, &transfer);
    }
    answer.n_transfers = count;
    answer.transfers = list;
    packed_t packed = packed_of (&answer.base);
    for (size_t i = 0; i < count; i++) {
        free (wires [i].receivers);
        free (wires [i].list);
    }
    free (wires);
    return packed;
}

packed_t storage_nodes_answer_encode (const chain_t *chain)
{
    Musubi__StorageNodesAnswer answer = MUSUBI__STORAGE_NODES_ANSWER__INIT;
    size_t count = chain_nodes (chain);
    Musubi__StorageNodeRecord **list =
      messages_new (&musubi__storage_node_record__descriptor, count);
    for (size_t i = 0; i < count; i++) {
        chain_node_t node = chain_node_at (chain, i);
        list [i]->node = (char *) node.name;
        list [i]->state = (char *) node_words [node.state];
        list [i]->bytes_max = node.bytes_max;
        list [i]->bytes_used = node.bytes_files;
        list [i]->bytes_held = node.bytes_held;
        list [i]->files = node.files;
        list [i]->data = (char *) node.data;
        list [i]->guest = node.guest;
        list [i]->heard_ms = node.heard_ms;
    }
    answer.n_nodes = count;
    answer.nodes = list;
    packed_t packed = packed_of (&answer.base);
    free (list);
    return packed;
}
