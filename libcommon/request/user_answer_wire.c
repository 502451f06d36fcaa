/*  user_answer_wire - answers, by tables of proto/planner.proto. */
#include "answer.h"
#include "codec_table.h"

#include "planner.pb-c.h"

#include <assert.h>

static_assert ((int) ANSWER_CONFLICT == MUSUBI__ANSWER_STATUS__ANSWER_CONFLICT, "same numbers");
static_assert ((int) ANSWER_COMMITTED == MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED, "same numbers");

static const codec_row_t placement_rows [] = {
  ROW_TEXT ("need", placement_t, need, OR_NONE),
  ROW_TEXT ("site", placement_t, site, OR_NONE),
  ROW_TEXT ("class_name", placement_t, class_name, OR_NONE),
  ROW_NUMBER ("cpus", placement_t, cpus),
  ROW_NUMBER ("from_ms", placement_t, from_ms),
  ROW_NUMBER ("until_ms", placement_t, until_ms),
};
const codec_t placement_codec = CODEC (placement_t, placement, placement_rows);

static const codec_row_t connection_rows [] = {
  ROW_TEXT ("need", connection_t, need, OR_NONE),
  ROW_IN_PLACE ("between", connection_t, ends, ends_count, KIND_TEXT, char, OR_NONE),
  ROW_NUMBER ("mbps", connection_t, mbps),
  ROW_WORD_LIST ("path", connection_t, path, path_count, 0, ANY_COUNT),
  ROW_WORD_LIST ("links", connection_t, links, links_count, 0, ANY_COUNT),
  ROW_MICROS ("latency_ms", connection_t, latency_us, NO_BOUND),
  ROW_NUMBER ("from_ms", connection_t, from_ms),
  ROW_NUMBER ("until_ms", connection_t, until_ms),
};
const codec_t connection_codec = CODEC (connection_t, connection, connection_rows);

static const codec_row_t room_rows [] = {
  ROW_TEXT ("need", room_t, booking.need, OR_NONE),
  ROW_TEXT ("file", room_t, booking.file, OR_NONE),
  ROW_TEXT ("site", room_t, site, OR_NONE),
  ROW_TEXT ("node", room_t, booking.node, OR_NONE),
  ROW_NUMBER ("bytes", room_t, booking.bytes),
  ROW_TEXT ("source", room_t, booking.source, OR_NONE),
  ROW_NUMBER ("from_ms", room_t, booking.from_ms),
  ROW_NUMBER ("due_ms", room_t, booking.due_ms),
  ROW_NUMBER ("until_ms", room_t, booking.until_ms),
  ROW_NUMBER ("mbps", room_t, booking.mbps),
  ROW_FIXED ("digest", room_t, booking.digest, SET_BY (room_t, booking.due_ms)),
};
const codec_t room_codec = CODEC (room_t, room, room_rows);

static const codec_row_t reason_rows [] = {
  ROW_TEXT ("need", reason_t, need, OR_NONE), ROW_TEXT ("resource", reason_t, resource, OR_NONE),
  ROW_NUMBER ("from_ms", reason_t, from_ms),  ROW_NUMBER ("until_ms", reason_t, until_ms),
  ROW_NUMBER ("wanted", reason_t, wanted),    ROW_NUMBER ("free", reason_t, free),
  ROW_TEXT ("text", reason_t, text, OR_NONE),
};
static const codec_t reason_codec = CODEC (reason_t, reason, reason_rows);

static const codec_row_t alternative_rows [] = {
  ROW_NUMBER ("start_ms", alternative_t, start_ms),
  ROW_TEXT ("change", alternative_t, change, OR_NONE),
};
static const codec_t alternative_codec = CODEC (alternative_t, alternative, alternative_rows);

static const codec_row_t answer_rows [] = {
  ROW_ENUM ("status", answer_t, status, ANSWER_CONFLICT),
  ROW_TEXT ("reservation", answer_t, reservation, OR_NONE),
  ROW_NUMBER ("start_ms", answer_t, start_ms),
  ROW_NUMBER ("end_ms", answer_t, end_ms),
  ROW_LIST ("compute", answer_t, compute, compute_count, placement, 0, ANY_COUNT),
  ROW_NUMBER ("cost", answer_t, cost),
  ROW_TEXT ("planner", answer_t, planner, OR_NONE),
  ROW_TEXT ("algorithm", answer_t, algorithm, OR_NONE),
  ROW_NUMBER ("rounds", answer_t, rounds),
  ROW_NUMBER ("planning_ms", answer_t, planning_ms),
  ROW_LIST ("reasons", answer_t, reasons, reasons_count, reason, 0, REASONS_MAX),
  ROW_ARRAY ("alternatives", answer_t, alternatives, alternatives_count, alternative),
  ROW_NUMBER ("version", answer_t, version),
  ROW_TEXT ("request_id", answer_t, request_id, OR_NONE),
  ROW_LIST ("network", answer_t, network, network_count, connection, 0, ANY_COUNT),
  ROW_WORD_LIST ("awaited", answer_t, awaited, awaited_count, 0, PARTICIPANTS_MAX),
  ROW_LIST ("data", answer_t, data, data_count, room, 0, ANY_COUNT),
};
const codec_t answer_codec = CODEC (answer_t, answer, answer_rows);
