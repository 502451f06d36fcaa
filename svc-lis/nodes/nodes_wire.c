/*  nodes_wire - tables: what agents and their site say to each other, what people are told, and
 *  what is kept.
 */
#include "nodes_wire.h"

#include "message.h"

#include "nodes.pb-c.h"

#include <assert.h>
#include <string.h>

static_assert ((int) WISH_START == MUSUBI__RUN_WISH__RUN_START, "same numbers");
static_assert ((int) WISH_FORGET == MUSUBI__RUN_WISH__RUN_FORGET, "same numbers");
static_assert ((int) AGENT_AWAITED == MUSUBI__NODE_STATE__NODE_AWAITED, "same numbers");
static_assert ((int) AGENT_LOST == MUSUBI__NODE_STATE__NODE_LOST, "same numbers");

/*  --- Attend --- */

static const codec_row_t attend_rows [] = {
  ROW_WORD ("node", attend_t, node),
  ROW_WORD ("class_name", attend_t, class_name),
  ROW_NUMBER ("cpus", attend_t, cpus),
  ROW_FIXED ("store", attend_t, store),
  ROW_NUMBER ("start", attend_t, start, LEAST (1)),
  ROW_LIST ("runs", attend_t, runs, runs_count, run_report, 0, AGENT_RUNS_MAX),
  ROW_NUMBER ("seen", attend_t, seen),
  ROW_NUMBER ("number", attend_t, number, LEAST (1)),
};
const codec_t attend_codec = CODEC (attend_t, musubi__attend_request__descriptor, attend_rows);

static const codec_row_t wanted_run_rows [] = {
  ROW_ONE ("run", wanted_run_t, id, run_id),
  ROW_ENUM ("wish", wanted_run_t, wish, WISH_FORGET),
  ROW_POINTER ("order", wanted_run_t, order, run_order),
  ROW_NUMBER ("grace_ms", wanted_run_t, grace_ms, LEAST (0)),
};
static const codec_t wanted_run_codec =
  CODEC (wanted_run_t, musubi__wanted_run__descriptor, wanted_run_rows);

static const codec_row_t wanted_output_rows [] = {
  ROW_NUMBER ("number", wanted_output_t, number), ROW_ONE ("run", wanted_output_t, id, run_id),
  ROW_FLAG ("errors", wanted_output_t, errors),   ROW_NUMBER ("offset", wanted_output_t, offset),
  ROW_NUMBER ("most", wanted_output_t, most),
};
static const codec_t wanted_output_codec =
  CODEC (wanted_output_t, musubi__wanted_output__descriptor, wanted_output_rows);

static const codec_row_t wanted_rows [] = {
  ROW_NUMBER ("number", wanted_t, number),
  ROW_LIST ("runs", wanted_t, runs, runs_count, wanted_run, 0, AGENT_RUNS_MAX + NODE_RUNS_MAX),
  ROW_LIST ("outputs", wanted_t, outputs, outputs_count, wanted_output, 0, NODE_OUTPUTS_MAX),
  ROW_NUMBER ("lease_ms", wanted_t, lease_ms, LEAST (1)),
  ROW_NUMBER ("attend_ms", wanted_t, attend_ms, LEAST (1)),
  ROW_WORD ("site", wanted_t, site, OR_NONE),
};
const codec_t wanted_codec = CODEC (wanted_t, musubi__attend_answer__descriptor, wanted_rows);

/*  --- Bring --- */

static const codec_row_t brought_rows [] = {
  ROW_NUMBER ("number", brought_t, number),
  ROW_BYTES ("data", brought_t, data.data, data.size, BODY_BYTES_MAX),
  ROW_NUMBER ("size", brought_t, size),
  ROW_TEXT ("why", brought_t, why, OR_NONE),
};
const codec_t brought_codec = CODEC (brought_t, musubi__bring_request__descriptor, brought_rows);

/*  --- Nodes and Drain --- */

static const codec_row_t nodes_question_rows [] = {
  ROW_WORD ("after", nodes_question_t, after, OR_NONE),
  ROW_NUMBER ("most", nodes_question_t, most),
};
const codec_t nodes_question_codec =
  CODEC (nodes_question_t, musubi__nodes_request__descriptor, nodes_question_rows);

static const codec_row_t node_record_rows [] = {
  ROW_STRING ("node", node_record_t, node, NAME_BYTES_MAX),
  ROW_STRING ("class_name", node_record_t, class_name, NAME_BYTES_MAX),
  ROW_ENUM ("state", node_record_t, state, AGENT_LOST),
  ROW_FLAG ("drained", node_record_t, drained),
  ROW_NUMBER ("cpus", node_record_t, cpus),
  ROW_NUMBER ("cpus_used", node_record_t, cpus_used),
  ROW_STRING ("reservation", node_record_t, reservation, NAME_BYTES_MAX),
  ROW_NUMBER ("heard_ms", node_record_t, heard_ms),
  ROW_STRING ("resting", node_record_t, resting, RUN_WHY_BYTES_MAX),
};
static const codec_t node_record_codec =
  CODEC (node_record_t, musubi__node_record__descriptor, node_record_rows);

static const codec_row_t nodes_told_rows [] = {
  ROW_LIST ("nodes", nodes_told_t, nodes, count, node_record, 0, NODES_LIST_MAX),
  ROW_FLAG ("more", nodes_told_t, more),
};
const codec_t nodes_told_codec =
  CODEC (nodes_told_t, musubi__nodes_answer__descriptor, nodes_told_rows);

static const codec_row_t drain_rows [] = {
  ROW_WORD ("node", drain_t, node),
  ROW_FLAG ("drained", drain_t, drained),
};
const codec_t drain_codec = CODEC (drain_t, musubi__drain_request__descriptor, drain_rows);

static const codec_row_t drain_told_rows [] = {
  ROW_STRING_LIST ("overbooked", drain_told_t, overbooked, count, NAME_BYTES_MAX, 0,
                   NODES_OVERBOOKED_MAX),
};
const codec_t drain_told_codec =
  CODEC (drain_told_t, musubi__drain_answer__descriptor, drain_told_rows);

/*  --- records --- */

static const codec_row_t stored_node_rows [] = {
  ROW_FIXED ("store", stored_node_t, store, SET_BY (stored_node_t, came)),
  ROW_NUMBER ("start", stored_node_t, start),
  ROW_FLAG ("drained", stored_node_t, drained),
};
const codec_t stored_node_codec =
  CODEC (stored_node_t, musubi__stored_node__descriptor, stored_node_rows);

static const codec_row_t stored_run_rows [] = {
  ROW_ONE ("run", stored_run_t, run.id, run_id),
  ROW_STRING ("node", stored_run_t, run.node, NAME_BYTES_MAX),
  ROW_FIXED ("agent", stored_run_t, agent),
  ROW_FIXED ("site", stored_run_t, site),
  ROW_FLAG ("placed", stored_run_t, placed),
  ROW_ENUM ("state", stored_run_t, run.state, RUN_LOST),
  ROW_POINTER ("order", stored_run_t, order, run_order),
  ROW_NUMBER ("cpus", stored_run_t, run.cpus),
  ROW_STRING ("reservation", stored_run_t, run.reservation, NAME_BYTES_MAX),
  ROW_NUMBER ("placed_ms", stored_run_t, run.placed_ms),
  ROW_NUMBER ("started_ms", stored_run_t, run.started_ms),
  ROW_NUMBER ("ended_ms", stored_run_t, run.ended_ms),
  ROW_NUMBER ("exit_code", stored_run_t, run.exit_code),
  ROW_NUMBER ("signal", stored_run_t, run.signal),
  ROW_NUMBER ("cpu_ms", stored_run_t, run.cpu_ms),
  ROW_STRING ("why", stored_run_t, run.why, RECORD_BYTES_MAX),
  ROW_FLAG ("warned", stored_run_t, warned),
  ROW_NUMBER ("warn_ms", stored_run_t, warn_ms),
  ROW_FLAG ("told_to_end", stored_run_t, run.told_to_end),
  ROW_NUMBER ("grace_ms", stored_run_t, grace_ms),
  ROW_STRING ("end_why", stored_run_t, end_why, RECORD_BYTES_MAX),
  ROW_NUMBER ("over_ms", stored_run_t, over_ms),
  ROW_NUMBER ("booked_until_ms", stored_run_t, run.booked_until_ms),
  ROW_FLAG ("node_unfit", stored_run_t, run.node_unfit),
  ROW_NUMBER ("dropped", stored_run_t, run.dropped),
};

static bool stored_run_rule (void *self, const void *message, char why [WHY_BYTES])
{
    (void) message;
    const stored_run_t *run = self;
    char text [NAME_BYTES_MAX + 1];
    if (run->placed != (run->order != NULL))
        return wrong (why, "order: %s", run->placed ? "missing" : "of one that is claimed");
    return text_take (text, NAME_BYTES_MAX, run->run.node, TEXT_WORD, "node", why) &&
           text_take (text, NAME_BYTES_MAX, run->run.reservation, TEXT_WORD_OR_NONE, "reservation",
                      why);
}

const codec_t stored_run_codec =
  CODEC_RULED (stored_run_t, musubi__stored_run__descriptor, stored_run_rows, stored_run_rule);

packed_t stored_run_encode (const stored_run_t *run)
{
    stored_run_t record = *run;
    record.placed = run->run.state == RUN_PLACED;
    if (record.placed)
        record.run.state = RUN_CLAIMED;
    return codec_encode (&stored_run_codec, &record);
}

bool stored_run_decode (stored_run_t *run, bytes_t record, char why [WHY_BYTES])
{
    if (!codec_decode (&stored_run_codec, run, record, why))
        return false;
    if (run->placed)
        run->run.state = RUN_PLACED;
    return true;
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

static const codec_t *const codecs [] = {
  &attend_codec,  &wanted_run_codec,     &wanted_output_codec, &wanted_codec,
  &brought_codec, &nodes_question_codec, &node_record_codec,   &nodes_told_codec,
  &drain_codec,   &drain_told_codec,     &stored_node_codec,   &stored_run_codec,
};
const codecs_t nodes_codecs = CODECS (codecs);
