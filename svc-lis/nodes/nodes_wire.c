/*  nodes_wire - codecs of what agents and their site tell each other, of people's questions, and of
 *  what is stored.
 */
#include "nodes_state.h"

#include "message.h"

#include "nodes.pb-c.h"

#include <assert.h>

static_assert ((int) WISH_START == MUSUBI__RUN_WISH__RUN_START, "same numbers");
static_assert ((int) WISH_RESUME == MUSUBI__RUN_WISH__RUN_RESUME, "same numbers");
static_assert ((int) AGENT_AWAITED == MUSUBI__NODE_STATE__NODE_AWAITED, "same numbers");
static_assert ((int) AGENT_LOST == MUSUBI__NODE_STATE__NODE_LOST, "same numbers");

#define LOAD_MOST 1e9

static const codec_row_t machine_state_rows [] = {
  ROW_NUMBER ("memory", machine_state_t, memory),
  ROW_NUMBER ("disk", machine_state_t, disk),
  ROW_NUMBER ("load", machine_state_t, load, BETWEEN (0, LOAD_MOST)),
};
const codec_t machine_state_codec = CODEC (machine_state_t, machine_state, machine_state_rows);

static const codec_row_t batch_node_rows [] = {
  ROW_WORD ("node", batch_node_t, node),
  ROW_FLAG ("up", batch_node_t, up),
  ROW_FLAG ("drained", batch_node_t, drained),
  ROW_TEXT ("why", batch_node_t, why, OR_NONE),
  ROW_NUMBER ("cpus", batch_node_t, cpus),
  ROW_NUMBER ("cpus_busy", batch_node_t, cpus_busy),
  ROW_FLAG ("silent", batch_node_t, silent),
  ROW_TIME ("busy_until_ms", batch_node_t, busy_until_ms),
  ROW_TIME ("firm_until_ms", batch_node_t, firm_until_ms),
  ROW_TIME ("busy_since_ms", batch_node_t, busy_since_ms),
  ROW_STRING ("features", batch_node_t, features, BATCH_FEATURES_BYTES_MAX),
  ROW_TEXT ("gpu", batch_node_t, gpu, OR_NONE),
  ROW_NUMBER ("gpus", batch_node_t, gpus),
};
static const codec_t batch_node_codec = CODEC (batch_node_t, batch_node, batch_node_rows);

static const codec_row_t batch_booking_rows [] = {
  ROW_WORD ("name", batch_booking_t, name),
  ROW_STRING_LIST ("nodes", batch_booking_t, nodes, nodes_count, NAME_BYTES_MAX, 0,
                   BATCH_NODES_MAX),
  ROW_TIME ("from_ms", batch_booking_t, from_ms),
  ROW_TIME ("until_ms", batch_booking_t, until_ms),
  ROW_NUMBER_LIST ("again_ms", batch_booking_t, again_ms, again_count, 0, 2 * BATCH_TIMES_MAX,
                   MOST (TIME_MS_MAX)),
  ROW_FLAG ("jobs", batch_booking_t, jobs),
};

static bool batch_booking_rule (void *self, char why [WHY_BYTES])
{
    const batch_booking_t *booking = self;
    int64_t from_ms, until_ms;
    bool right =
      booking->again_count % 2 == 0 || wrong (why, "again_ms: its last time has no until");
    for (size_t time = 0; right && batch_booking_next (booking, &time, &from_ms, &until_ms);)
        right = interval_right (from_ms, until_ms, why);
    return right;
}

const codec_t batch_booking_codec =
  CODEC_RULED (batch_booking_t, batch_booking, batch_booking_rows, batch_booking_rule);

static const codec_row_t batch_picture_rows [] = {
  ROW_TEXT ("system", batch_picture_t, system, OR_NONE),
  ROW_TIME ("seen_ms", batch_picture_t, seen_ms),
  ROW_TEXT ("why", batch_picture_t, why, OR_NONE),
  ROW_LIST ("nodes", batch_picture_t, nodes, nodes_count, batch_node, 0, BATCH_NODES_MAX),
  ROW_LIST ("bookings", batch_picture_t, bookings, bookings_count, batch_booking, 0,
            BATCH_BOOKINGS_MAX),
  ROW_TEXT ("trouble", batch_picture_t, trouble, OR_NONE),
  ROW_NUMBER ("longest_ms", batch_picture_t, longest_ms, LEAST (0)),
  ROW_TIME ("reach_ms", batch_picture_t, reach_ms),
  ROW_FLAG ("partial", batch_picture_t, partial),
  ROW_FLAG ("features", batch_picture_t, features),
};
const codec_t batch_picture_codec = CODEC (batch_picture_t, batch_picture, batch_picture_rows);

static const codec_row_t attend_rows [] = {
  ROW_WORD ("node", attend_t, node),
  ROW_WORD ("class_name", attend_t, class_name, OR_NONE),
  ROW_NUMBER ("cpus", attend_t, cpus),
  ROW_FIXED ("store", attend_t, question.store),
  ROW_NUMBER ("start", attend_t, question.start, LEAST (1)),
  ROW_LIST ("runs", attend_t, runs, runs_count, run_report, 0, AGENT_RUNS_MAX),
  ROW_NUMBER ("seen", attend_t, question.seen),
  ROW_NUMBER ("number", attend_t, question.number, LEAST (1)),
  ROW_WORD ("storage", attend_t, storage, OR_NONE),
  ROW_ONE ("machine", attend_t, machine, machine_state, OR_NONE), /* older agents don't tell it */
  ROW_POINTER ("batch", attend_t, batch, batch_picture),
};
const codec_t attend_codec = CODEC (attend_t, attend_request, attend_rows);

static const codec_row_t wanted_run_rows [] = {
  ROW_ONE ("run", wanted_run_t, id, run_id),
  ROW_ENUM ("wish", wanted_run_t, wish, WISH_RESUME),
  ROW_POINTER ("order", wanted_run_t, order, run_order),
  ROW_NUMBER ("grace_ms", wanted_run_t, grace_ms, LEAST (0)),
};
static const codec_t wanted_run_codec = CODEC (wanted_run_t, wanted_run, wanted_run_rows);

static const codec_row_t wanted_output_rows [] = {
  ROW_NUMBER ("number", wanted_output_t, number), ROW_ONE ("run", wanted_output_t, id, run_id),
  ROW_FLAG ("errors", wanted_output_t, errors),   ROW_NUMBER ("offset", wanted_output_t, offset),
  ROW_NUMBER ("most", wanted_output_t, most),
};
static const codec_t wanted_output_codec =
  CODEC (wanted_output_t, wanted_output, wanted_output_rows);

static const codec_row_t wanted_rows [] = {
  ROW_NUMBER ("number", wanted_t, number),
  ROW_LIST ("runs", wanted_t, runs, runs_count, wanted_run, 0, AGENT_RUNS_MAX + NODE_RUNS_MAX),
  ROW_LIST ("outputs", wanted_t, outputs, outputs_count, wanted_output, 0, NODE_OUTPUTS_MAX),
  ROW_NUMBER ("lease_ms", wanted_t, lease_ms, LEAST (1)),
  ROW_NUMBER ("attend_ms", wanted_t, attend_ms, LEAST (1)),
  ROW_WORD ("site", wanted_t, site, OR_NONE),
};
const codec_t wanted_codec = CODEC (wanted_t, attend_answer, wanted_rows);

static const codec_row_t output_piece_rows [] = {
  ROW_NUMBER ("number", output_piece_t, number),
  ROW_BYTES ("data", output_piece_t, data.data, data.size, BODY_BYTES_MAX),
  ROW_NUMBER ("size", output_piece_t, size),
  ROW_TEXT ("why", output_piece_t, why, OR_NONE),
};
const codec_t output_piece_codec = CODEC (output_piece_t, bring_request, output_piece_rows);

static const codec_row_t nodes_question_rows [] = {
  ROW_WORD ("after", nodes_question_t, after, OR_NONE),
  ROW_NUMBER ("most", nodes_question_t, most),
};
const codec_t nodes_question_codec = CODEC (nodes_question_t, nodes_request, nodes_question_rows);

static void nodes_phase_put (Musubi__NodeRecord *to, const node_state_t *place)
{
    to->transferring = place->transferring;
    for (const node_run_t *entry = ordered_after (place->runs, NULL); entry;
         entry = ordered_after (place->runs, &entry->kept.run.id))
        to->suspended += entry->kept.run.suspended;
    to->computing = ordered_count (place->runs) > to->suspended;
}

static void nodes_node_put (Musubi__NodeRecord *to, const nodes_t *self, const node_state_t *place,
                            arena_t *arena)
{
    size_t index = (size_t) (place - self->places);
    site_node_t node = nodes_at (self, index);
    to->node = (char *) node.name;
    to->class_name = (char *) (index == self->batch ? "" : self->site->classes [node.class].name);
    to->why = (char *) node.why;
    to->state = (Musubi__NodeState) node.state;
    to->drained = node.drained;
    to->cpus = node.cpus;
    to->cpus_used = node.cpus_used;
    if (self->binder.reservation)
        to->reservation = (char *) self->binder.reservation (self->binder.owner, index);
    to->heard_ms = place->agent.heard_wall_ms;
    to->resting = (char *) (place->rest_timer != 0 ? place->rest_why : "");
    to->machine = codec_put (&machine_state_codec, &place->machine, arena);
    nodes_phase_put (to, place);
}

packed_t nodes_answer_encode (const nodes_t *self, const nodes_question_t *asked)
{
    ARENA (arena);
    Musubi__NodesAnswer answer = MUSUBI__NODES_ANSWER__INIT;
    size_t most = asked->most > 0 && asked->most < NODES_LIST_MAX ? asked->most : NODES_LIST_MAX;
    answer.nodes = codec_messages (&musubi__node_record__descriptor, most, &arena);
    const node_state_t *place = ordered_after (self->by_name, asked->after);
    for (; place && answer.n_nodes < most; place = ordered_after (self->by_name, place->name))
        nodes_node_put (answer.nodes [answer.n_nodes++], self, place, &arena);
    answer.more = place != NULL;
    return packed_of (&answer.base);
}

static const codec_row_t drain_rows [] = {
  ROW_WORD ("node", drain_t, node),
  ROW_FLAG ("drained", drain_t, drained),
};
const codec_t drain_codec = CODEC (drain_t, drain_request, drain_rows);

packed_t drain_answer_encode (const char **overbooked, size_t count)
{
    Musubi__DrainAnswer answer = MUSUBI__DRAIN_ANSWER__INIT;
    answer.overbooked = (char **) overbooked;
    answer.n_overbooked = count;
    return packed_of (&answer.base);
}

static const codec_row_t stored_node_rows [] = {
  ROW_FIXED ("store", stored_node_t, store, SET_BY (stored_node_t, came)),
  ROW_NUMBER ("start", stored_node_t, start),
  ROW_FLAG ("drained", stored_node_t, drained),
  ROW_LIST ("bookings", stored_node_t, bookings, bookings_count, batch_booking, 0,
            BATCH_BOOKINGS_MAX),
};
const codec_t stored_node_codec = CODEC (stored_node_t, stored_node, stored_node_rows);

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
  ROW_FLAG ("suspend", stored_run_t, run.suspend),
};

static bool stored_run_rule (void *self, char why [WHY_BYTES])
{
    const stored_run_t *run = self;
    char text [NAME_BYTES_MAX + 1];
    if (run->placed != (run->order != NULL))
        return wrong (why, "order: %s", run->placed ? "missing" : "a run that is claimed has none");
    return text_take (text, NAME_BYTES_MAX, run->run.node, TEXT_WORD, "node", why) &&
           text_take (text, NAME_BYTES_MAX, run->run.reservation, TEXT_WORD_OR_NONE, "reservation",
                      why);
}

const codec_t stored_run_codec =
  CODEC_RULED (stored_run_t, stored_run, stored_run_rows, stored_run_rule);

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

bytes_t run_key_pack (const run_id_t *id, uint8_t key [RUN_KEY_BYTES])
{
    number_put (key, id->task.bag, 8);
    number_put (key + 8, id->task.index, 4);
    number_put (key + 12, id->number, 4);
    return (bytes_t){key, RUN_KEY_BYTES};
}
