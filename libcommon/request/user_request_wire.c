/*  user_request_wire - requests, by tables of proto/planner.proto. */
#include "user_request.h"

#include "codec_table.h"
#include "request_terms.h"
#include "site.h"

#include "planner.pb-c.h"

static const codec_row_t instant_rows [] = {
  ROW_NUMBER ("at_ms", instant_t, ms, CASE_OF (instant_t, from_now, false)),
  ROW_NUMBER ("from_now_ms", instant_t, ms, CASE_OF (instant_t, from_now, true)),
};

/*  An Instant without a case is not set. */
static bool instant_rule (void *self, const void *message, char why [WHY_BYTES])
{
    (void) why;
    const Musubi__Instant *from = message;
    ((instant_t *) self)->set = from->when_case != MUSUBI__INSTANT__WHEN__NOT_SET;
    return true;
}

static const codec_t instant_codec = CODEC_JUDGED (instant_t, instant, instant_rows, instant_rule);

static const codec_row_t frame_rows [] = {
  ROW_ONE ("start", frame_t, start, instant, SET_BY (frame_t, start.set)),
  ROW_ONE ("earliest", frame_t, earliest, instant, SET_BY (frame_t, earliest.set)),
  ROW_ONE ("latest", frame_t, latest, instant, SET_BY (frame_t, latest.set)),
  ROW_ONE ("deadline", frame_t, deadline, instant, SET_BY (frame_t, deadline.set)),
};
const codec_t frame_codec = CODEC (frame_t, time_frame, frame_rows);

static const codec_row_t stage_rows [] = {
  ROW_NUMBER ("until_ms", stage_t, until_ms),
  ROW_NUMBER ("amount", stage_t, amount),
};
static const codec_t stage_codec = CODEC (stage_t, stage, stage_rows);

static const codec_row_t compute_need_rows [] = {
  ROW_TEXT ("id", compute_need_t, id, OR_NONE),
  ROW_NUMBER ("cpus", compute_need_t, cpus),
  ROW_LIST ("require", compute_need_t, require, require_count, requirement, 0,
            CLASS_ATTRIBUTES_MAX),
  ROW_NUMBER ("offset_ms", compute_need_t, offset_ms),
  ROW_NUMBER ("duration_ms", compute_need_t, duration_ms),
  ROW_TEXT ("site", compute_need_t, site, OR_NONE),
  ROW_ARRAY ("stages", compute_need_t, stages.list, stages.count, stage),
};
const codec_t compute_need_codec = CODEC (compute_need_t, compute_need, compute_need_rows);

static const codec_row_t network_need_rows [] = {
  ROW_IN_PLACE ("between", network_need_t, ends, ends_count, KIND_TEXT, char, OR_NONE),
  ROW_NUMBER ("mbps", network_need_t, mbps),
  ROW_MICROS ("latency_ms_max", network_need_t, latency_us_max, INT64_C (1000) * LATENCY_MS_MAX),
  ROW_NUMBER ("offset_ms", network_need_t, offset_ms),
  ROW_NUMBER ("duration_ms", network_need_t, duration_ms),
  ROW_TEXT ("id", network_need_t, id, OR_NONE),
  ROW_LIST ("require", network_need_t, require, require_count, requirement, 0,
            CLASS_ATTRIBUTES_MAX),
  ROW_ARRAY ("stages", network_need_t, stages.list, stages.count, stage),
};

/*  A limit below a microsecond would become 0, which means any. */
static bool network_need_rule (void *self, const void *message, char why [WHY_BYTES])
{
    (void) self;
    double ms = ((const Musubi__NetworkNeed *) message)->latency_ms_max;
    return ms == 0 || ms >= 0.001 ||
           wrong (why, "latency_ms_max: %g should be at least 0.001, or 0 for any", ms);
}

const codec_t network_need_codec =
  CODEC_JUDGED (network_need_t, network_need, network_need_rows, network_need_rule);

static const codec_row_t data_need_rows [] = {
  ROW_TEXT ("file", data_need_t, file, OR_NONE),
  ROW_TEXT ("at", data_need_t, at, OR_NONE),
  ROW_NUMBER ("nodes", data_need_t, nodes),
  ROW_NUMBER ("by_ms", data_need_t, by_ms),
  ROW_NUMBER ("mbps", data_need_t, mbps),
  ROW_TEXT ("id", data_need_t, id, OR_NONE),
  ROW_NUMBER ("size", data_need_t, size),
  ROW_FIXED ("digest", data_need_t, digest, SET_BY (data_need_t, size)),
};
const codec_t data_need_codec = CODEC (data_need_t, data_need, data_need_rows);

static const codec_row_t space_need_rows [] = {
  ROW_TEXT ("at", space_need_t, at, OR_NONE),
  ROW_NUMBER ("bytes", space_need_t, bytes),
  ROW_TEXT ("id", space_need_t, id, OR_NONE),
};
const codec_t space_need_codec = CODEC (space_need_t, space_need, space_need_rows);

static const codec_row_t user_request_rows [] = {
  ROW_TEXT ("name", user_request_t, name, OR_NONE),
  ROW_ONE ("window", user_request_t, window, frame, OR_NONE),
  ROW_NUMBER ("duration_ms", user_request_t, duration_ms),
  ROW_LIST ("compute", user_request_t, compute, compute_count, compute_need, 0, NEEDS_MAX),
  ROW_LIST ("network", user_request_t, network, network_count, network_need, 0, NETWORK_NEEDS_MAX),
  ROW_LIST ("data", user_request_t, data, data_count, data_need, 0, FILES_MAX),
  ROW_FLAG ("distinct_sites", user_request_t, distinct_sites),
  ROW_TEXT ("policy", user_request_t, policy, OR_NONE),
  ROW_TEXT ("algorithm", user_request_t, algorithm, OR_NONE),
  ROW_TEXT ("route", user_request_t, route, OR_NONE),
  ROW_LIST ("space", user_request_t, space, space_count, space_need, 0, SPACE_NEEDS_MAX),
};

static bool user_request_rule (void *self, char why [WHY_BYTES])
{
    (void) why;
    user_request_name (self);
    return true;
}

const codec_t user_request_codec =
  CODEC_RULED (user_request_t, request, user_request_rows, user_request_rule);
