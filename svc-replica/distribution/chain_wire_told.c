/*  chain_wire_told - from the views of chain.h to messages. */
#include "chain_wire_told.h"

#include "message.h"

#include "chain.pb-c.h"

const char *receiver_state_word (receiver_state_t state)
{
    static const char *const words [] = {[RECEIVER_WAITING] = "waiting",
                                         [RECEIVER_RECEIVING] = "receiving",
                                         [RECEIVER_CHECKING] = "checking",
                                         [RECEIVER_VERIFIED] = "verified",
                                         [RECEIVER_FAILED] = "failed"};
    return words [state];
}

static void receiver_put (Musubi__TransferReceiver *to, const chain_receiver_t *from)
{
    to->node = (char *) from->node;
    to->state = (char *) receiver_state_word (from->state);
    to->has = from->has;
    to->received = from->received;
    to->feeder = (char *) from->feeder;
    to->why = (char *) from->why;
}

static void record_put (Musubi__TransferRecord *to, const chain_t *chain,
                        const chain_transfer_t *from, arena_t *arena)
{
    chain_id_t *id = arena_take (arena, sizeof *id);
    *id = from->id;
    to->transfer = bytes_put (id->bytes, CHAIN_ID_BYTES);
    to->file = (char *) from->file;
    to->size_known = from->size_known;
    to->size = from->size;
    to->digest = bytes_put (from->digest, from->digest ? CHAIN_DIGEST_BYTES : 0);
    to->epoch = from->epoch;
    to->source_sent = from->fed;
    to->over = from->over;
    to->why = (char *) from->why;
    to->n_receivers = from->receivers_count;
    to->receivers =
      codec_messages (&musubi__transfer_receiver__descriptor, from->receivers_count, arena);
    for (size_t i = 0; i < from->receivers_count; i++) {
        chain_receiver_t receiver;
        chain_receiver (chain, &from->id, i, &receiver);
        receiver_put (to->receivers [i], &receiver);
    }
}

packed_t transfers_answer_encode (const chain_t *chain, const chain_id_t *id)
{
    arena_t arena;
    arena_init (&arena);
    Musubi__TransfersAnswer answer = MUSUBI__TRANSFERS_ANSWER__INIT;
    answer.transfers =
      codec_messages (&musubi__transfer_record__descriptor, TRANSFERS_TOLD_MAX, &arena);
    chain_transfer_t transfer;
    bool found =
      id ? chain_transfer (chain, id, &transfer) : chain_transfer_after (chain, NULL, &transfer);
    while (found && answer.n_transfers < TRANSFERS_TOLD_MAX) {
        record_put (answer.transfers [answer.n_transfers++], chain, &transfer, &arena);
        chain_id_t last = transfer.id;
        found = !id && chain_transfer_after (chain, &last, &transfer);
    }
    packed_t packed = packed_of (&answer.base);
    arena_end (&arena);
    return packed;
}

static void node_put (Musubi__StorageNodeRecord *to, const chain_node_t *from)
{
    to->node = (char *) from->name;
    to->state = (char *) agent_state_word (from->state);
    to->bytes_max = from->bytes_max;
    to->bytes_used = from->bytes_files;
    to->bytes_held = from->bytes_held;
    to->files = from->files;
    to->data = (char *) from->data;
    to->guest = from->guest;
    to->heard_ms = from->heard_ms;
}

packed_t storage_nodes_answer_encode (const chain_t *chain)
{
    arena_t arena;
    arena_init (&arena);
    Musubi__StorageNodesAnswer answer = MUSUBI__STORAGE_NODES_ANSWER__INIT;
    answer.n_nodes = chain_nodes (chain);
    answer.nodes =
      codec_messages (&musubi__storage_node_record__descriptor, answer.n_nodes, &arena);
    for (size_t i = 0; i < answer.n_nodes; i++) {
        chain_node_t node = chain_node_at (chain, i);
        node_put (answer.nodes [i], &node);
    }
    packed_t packed = packed_of (&answer.base);
    arena_end (&arena);
    return packed;
}
