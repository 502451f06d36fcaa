/*  nodes_wire_kept - protobuf <-> plain values: what is told to people, and what is kept. */
#include "nodes_wire.h"

#include "message.h"
#include "must.h"
#include "runs_wire.h"
#include "transaction_wire.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static_assert ((int) AGENT_AWAITED == MUSUBI__NODE_STATE__NODE_AWAITED &&
                 (int) AGENT_UP == MUSUBI__NODE_STATE__NODE_UP &&
                 (int) AGENT_SILENT == MUSUBI__NODE_STATE__NODE_SILENT &&
                 (int) AGENT_LOST == MUSUBI__NODE_STATE__NODE_LOST,
               "same numbers");

/*  --- Nodes and Drain --- */

bool nodes_question_decode (bytes_t body, char after [NAME_BYTES_MAX + 1], uint32_t *most,
                            char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__nodes_request__descriptor, body);
    if (!message)
        return wrong (why, "not a NodesRequest");
    const Musubi__NodesRequest *from = (const Musubi__NodesRequest *) message;
    bool taken = text_take (after, NAME_BYTES_MAX, from->after, TEXT_WORD_OR_NONE, "after", why);
    *most = from->most;
    message_free (message);
    return taken;
}

packed_t nodes_answer_encode (const node_record_t *records, size_t count, bool more)
{
    Musubi__NodesAnswer answer = MUSUBI__NODES_ANSWER__INIT;
    Musubi__NodeRecord **list = messages_new (&musubi__node_record__descriptor, count);
    for (size_t i = 0; i < count; i++) {
        const node_t *node = records [i].node;
        list [i]->node = (char *) node->name;
        list [i]->class_name = (char *) records [i].class_name;
        list [i]->state = (Musubi__NodeState) node->state;
        list [i]->drained = node->drained;
        list [i]->cpus = node->cpus;
        list [i]->cpus_used = node->cpus_used;
        list [i]->heard_ms = records [i].heard_ms;
        list [i]->resting = (char *) records [i].resting;
        if (records [i].reservation)
            list [i]->reservation = (char *) records [i].reservation;
    }
    answer.n_nodes = count;
    answer.nodes = list;
    answer.more = more;
    packed_t packed = packed_of (&answer.base);
    free (list);
    return packed;
}

bool drain_decode (bytes_t body, char node [NAME_BYTES_MAX + 1], bool *drained,
                   char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__drain_request__descriptor, body);
    if (!message)
        return wrong (why, "not a DrainRequest");
    const Musubi__DrainRequest *from = (const Musubi__DrainRequest *) message;
    bool taken = text_take (node, NAME_BYTES_MAX, from->node, TEXT_WORD, "node", why);
    *drained = from->drained;
    message_free (message);
    return taken;
}

packed_t drain_answer_encode (const char *const *overbooked, size_t count)
{
    Musubi__DrainAnswer answer = MUSUBI__DRAIN_ANSWER__INIT;
    answer.n_overbooked = count;
    answer.overbooked = (char **) overbooked;
    return packed_of (&answer.base);
}

/*  --- records --- */

packed_t stored_node_encode (const stored_node_t *node)
{
    Musubi__StoredNode record = MUSUBI__STORED_NODE__INIT;
    if (node->came)
        record.store =
          (ProtobufCBinaryData){.len = STORE_ID_BYTES, .data = (uint8_t *) node->store};
    record.start = node->start;
    record.drained = node->drained;
    return packed_of (&record.base);
}

bool stored_node_decode (stored_node_t *node, bytes_t record, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__stored_node__descriptor, record);
    if (!message)
        return wrong (why, "not a StoredNode");
    const Musubi__StoredNode *from = (const Musubi__StoredNode *) message;
    *node = (stored_node_t){
      .came = from->store.len == STORE_ID_BYTES, .start = from->start, .drained = from->drained};
    if (node->came)
        memcpy (node->store, from->store.data, STORE_ID_BYTES);
    bool sound = node->came || from->store.len == 0;
    message_free (message);
    return sound || wrong (why, "store: must be %d bytes", STORE_ID_BYTES);
}

packed_t stored_run_encode (const stored_run_t *run)
{
    Musubi__StoredRun record = MUSUBI__STORED_RUN__INIT;
    run_id_wire_t id;
    run_order_wire_t order;
    run_id_put (&id, &run->run.id);
    record.run = &id.id;
    record.node = (char *) run->run.node;
    record.agent = (ProtobufCBinaryData){.len = STORE_ID_BYTES, .data = (uint8_t *) run->agent};
    record.site = (ProtobufCBinaryData){.len = STORE_ID_BYTES, .data = (uint8_t *) run->site};
    record.placed = run->run.state == RUN_PLACED;
    if (!record.placed)
        record.state = run_state_put (run->run.state);
    if (run->order) {
        run_order_put (&order, run->order);
        record.order = &order.order;
    }
    record.cpus = run->run.cpus;
    record.reservation = (char *) run->run.reservation;
    record.placed_ms = run->run.placed_ms;
    record.started_ms = run->run.started_ms;
    record.ended_ms = run->run.ended_ms;
    record.exit_code = run->run.exit_code;
    record.signal = run->run.signal;
    record.cpu_ms = run->run.cpu_ms;
    record.dropped = run->run.dropped;
    record.why = (char *) run->run.why;
    record.warned = run->warned;
    record.warn_ms = run->warn_ms;
    record.told_to_end = run->run.told_to_end;
    record.grace_ms = run->grace_ms;
    record.end_why = (char *) run->end_why;
    record.over_ms = run->over_ms;
    record.booked_until_ms = run->run.booked_until_ms;
    record.node_unfit = run->run.node_unfit;
    return packed_of (&record.base);
}

static const char *copied (const char *text)
{
    return must (strdup (text));
}

static bool stored_run_take (stored_run_t *to, const Musubi__StoredRun *from, char why [WHY_BYTES])
{
    char node [NAME_BYTES_MAX + 1];
    char reservation [NAME_BYTES_MAX + 1];
    run_id_t id;
    run_state_t state = RUN_PLACED;
    if (!run_id_take (&id, from->run, "run", why) ||
        !text_take (node, NAME_BYTES_MAX, from->node, TEXT_WORD, "node", why) ||
        !text_take (reservation, NAME_BYTES_MAX, from->reservation, TEXT_WORD_OR_NONE,
                    "reservation", why) ||
        (!from->placed && !run_state_take (&state, from->state, "state", why)))
        return false;
    if (from->agent.len != STORE_ID_BYTES || from->site.len != STORE_ID_BYTES)
        return wrong (why, "agent, site: must be %d bytes", STORE_ID_BYTES);
    *to = (stored_run_t){.warned = from->warned,
                         .warn_ms = from->warn_ms,
                         .grace_ms = from->grace_ms,
                         .over_ms = from->over_ms};
    if (from->placed && !(to->order = run_order_take (from->order, why)))
        return false;
    memcpy (to->agent, from->agent.data, STORE_ID_BYTES);
    memcpy (to->site, from->site.data, STORE_ID_BYTES);
    to->end_why = copied (from->end_why);
    to->run = (run_t){.id = id,
                      .state = state,
                      .node = copied (node),
                      .cpus = from->cpus,
                      .reservation = copied (reservation),
                      .booked_until_ms = from->booked_until_ms,
                      .placed_ms = from->placed_ms,
                      .started_ms = from->started_ms,
                      .ended_ms = from->ended_ms,
                      .exit_code = from->exit_code,
                      .signal = from->signal,
                      .cpu_ms = from->cpu_ms,
                      .dropped = from->dropped,
                      .told_to_end = from->told_to_end,
                      .node_unfit = from->node_unfit,
                      .why = copied (from->why)};
    return true;
}

bool stored_run_decode (stored_run_t *run, bytes_t record, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__stored_run__descriptor, record);
    if (!message)
        return wrong (why, "not a StoredRun");
    bool taken = stored_run_take (run, (const Musubi__StoredRun *) message, why);
    message_free (message);
    return taken;
}

void stored_run_clear (stored_run_t *self)
{
    free ((char *) self->run.node);
    free ((char *) self->run.reservation);
    free ((char *) self->run.why);
    free ((char *) self->end_why);
    free (self->order);
    *self = (stored_run_t){0};
}

static void big_endian (uint8_t *to, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        to [i] = (uint8_t) (value >> (8 * (bytes - 1 - i)));
}

void run_key_pack (const run_id_t *id, uint8_t key [RUN_KEY_BYTES])
{
    big_endian (key, id->task.bag, 8);
    big_endian (key + 8, id->task.index, 4);
    big_endian (key + 12, id->number, 4);
}
