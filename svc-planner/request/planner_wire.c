/*  planner_wire - requests and answers, to and from proto/planner.proto. */
#include "planner_wire.h"

#include "codec_table.h"

#include "planner.pb-c.h"

#include <assert.h>

static_assert ((int) ANSWER_CONFLICT == MUSUBI__ANSWER_STATUS__ANSWER_CONFLICT, "same numbers");
static_assert ((int) ANSWER_COMMITTED == MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED, "same numbers");

/*  --- requests --- */

static const codec_row_t instant_rows [] = {
  ROW_NUMBER ("at_ms", instant_t, ms, CASE_OF (instant_t, from_now, false)),
  ROW_NUMBER ("from_now_ms", instant_t, ms, CASE_OF (instant_t, from_now, true)),
};

/*  One that says nothing is not set. */
static bool instant_rule (void *self, const void *message, char why [WHY_BYTES])
{
    (void) why;
    const Musubi__Instant *from = message;
    ((instant_t *) self)->set = from->when_case != MUSUBI__INSTANT__WHEN__NOT_SET;
    return true;
}

static const codec_t instant_codec =
  CODEC_RULED (instant_t, musubi__instant__descriptor, instant_rows, instant_rule);

static const codec_row_t frame_rows [] = {
  ROW_ONE ("start", frame_t, start, instant, SET_BY (frame_t, start.set)),
  ROW_ONE ("earliest", frame_t, earliest, instant, SET_BY (frame_t, earliest.set)),
  ROW_ONE ("latest", frame_t, latest, instant, SET_BY (frame_t, latest.set)),
  ROW_ONE ("deadline", frame_t, deadline, instant, SET_BY (frame_t, deadline.set)),
};
static const codec_t frame_codec = CODEC (frame_t, musubi__time_frame__descriptor, frame_rows);

static const codec_row_t requirement_rows [] = {
  ROW_TEXT ("attribute", requirement_t, attribute),
  ROW_TEXT ("value", requirement_t, value, OR_NONE, CASE_OF (requirement_t, numeric, false)),
  ROW_NUMBER ("min", requirement_t, min, FINITE, CASE_OF (requirement_t, numeric, true)),
};

static bool requirement_rule (void *self, const void *message, char why [WHY_BYTES])
{
    (void) self;
    const Musubi__Requirement *from = message;
    return from->test_case != MUSUBI__REQUIREMENT__TEST__NOT_SET ||
           wrong (why, ": needs a value or a min");
}

static const codec_t requirement_codec =
  CODEC_RULED (requirement_t, musubi__requirement__descriptor, requirement_rows, requirement_rule);

static const codec_row_t stage_rows [] = {
  ROW_NUMBER ("until_ms", stage_t, until_ms),
  ROW_NUMBER ("amount", stage_t, amount),
};
static const codec_t stage_codec = CODEC (stage_t, musubi__stage__descriptor, stage_rows);

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
static const codec_t compute_need_codec =
  CODEC (compute_need_t, musubi__compute_need__descriptor, compute_need_rows);

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

/*  A limit that is none in whole microseconds would say "any". */
static bool network_need_rule (void *self, const void *message, char why [WHY_BYTES])
{
    (void) self;
    double ms = ((const Musubi__NetworkNeed *) message)->latency_ms_max;
    return ms == 0 || ms >= 0.001 ||
           wrong (why, "latency_ms_max: %g should be at least 0.001, or 0 for any", ms);
}

static const codec_t network_need_codec = CODEC_RULED (
  network_need_t, musubi__network_need__descriptor, network_need_rows, network_need_rule);

static const codec_row_t data_need_rows [] = {
  ROW_TEXT ("file", data_need_t, file, OR_NONE),
  ROW_TEXT ("at", data_need_t, at, OR_NONE),
};
static const codec_t data_need_codec =
  CODEC (data_need_t, musubi__data_need__descriptor, data_need_rows);

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
};

static bool user_request_rule (void *self, const void *message, char why [WHY_BYTES])
{
    (void) message;
    (void) why;
    user_request_name (self);
    return true;
}

const codec_t user_request_codec =
  CODEC_RULED (user_request_t, musubi__request__descriptor, user_request_rows, user_request_rule);

/*  Planners write stages; nobody asks for them. */
static bool unstaged (const user_request_t *request, const char *prefix, char why [WHY_BYTES])
{
    for (size_t i = 0; i < request->compute_count; i++)
        if (request->compute [i].stages.count > 0)
            return wrong (why, "%scompute[%zu].stages: come with changes, they can't be asked for",
                          prefix, i);
    for (size_t i = 0; i < request->network_count; i++)
        if (request->network [i].stages.count > 0)
            return wrong (why, "%snetwork[%zu].stages: come with changes, they can't be asked for",
                          prefix, i);
    return true;
}

static const codec_row_t reserve_rows [] = {
  ROW_ONE ("request", reserve_t, request, user_request),
  ROW_FLAG ("dry_run", reserve_t, dry_run),
};

static bool reserve_rule (void *self, const void *message, char why [WHY_BYTES])
{
    (void) message;
    return unstaged (&((const reserve_t *) self)->request, "request.", why);
}

const codec_t reserve_codec =
  CODEC_RULED (reserve_t, musubi__reserve_request__descriptor, reserve_rows, reserve_rule);

/*  --- changes --- */

static const codec_row_t need_patch_rows [] = {
  ROW_TEXT ("id", need_patch_t, id, OR_NONE),
  ROW_NUMBER ("cpus", need_patch_t, cpus),
  ROW_TEXT ("site", need_patch_t, site, OR_NONE),
};
static const codec_t need_patch_codec =
  CODEC (need_patch_t, musubi__need_patch__descriptor, need_patch_rows);

static const codec_row_t connection_patch_rows [] = {
  ROW_TEXT ("id", connection_patch_t, id, OR_NONE),
  ROW_NUMBER ("mbps", connection_patch_t, mbps),
};
static const codec_t connection_patch_codec =
  CODEC (connection_patch_t, musubi__connection_patch__descriptor, connection_patch_rows);

static const codec_row_t request_patch_rows [] = {
  ROW_TEXT ("reservation", request_patch_t, reservation, OR_NONE),
  ROW_ONE ("window", request_patch_t, window, frame, SET_BY (request_patch_t, window_set)),
  ROW_NUMBER ("duration_ms", request_patch_t, duration_ms),
  ROW_LIST ("compute", request_patch_t, compute, compute_count, need_patch, 0, NEEDS_MAX),
  ROW_LIST ("network", request_patch_t, network, network_count, connection_patch, 0,
            NETWORK_NEEDS_MAX),
  ROW_LIST ("add_compute", request_patch_t, added.compute, added.compute_count, compute_need, 0,
            NEEDS_MAX),
  ROW_LIST ("add_network", request_patch_t, added.network, added.network_count, network_need, 0,
            NETWORK_NEEDS_MAX),
  ROW_CHARS_LIST ("remove", request_patch_t, removed, removed_count, KIND_TEXT, 0,
                  NEEDS_MAX + NETWORK_NEEDS_MAX, OR_NONE),
  ROW_FLAG ("dry_run", request_patch_t, dry_run),
};

static bool request_patch_rule (void *self, const void *message, char why [WHY_BYTES])
{
    (void) message;
    request_patch_t *patch = self;
    user_request_name (&patch->added);
    return unstaged (&patch->added, "add_", why);
}

const codec_t request_patch_codec = CODEC_RULED (
  request_patch_t, musubi__modify_request__descriptor, request_patch_rows, request_patch_rule);

/*  ShowReservationRequest and the participants' ShowRequest have the same layout. */
static const codec_row_t reservation_id_rows [] = {
  ROW_TEXT ("reservation", reservation_id_t, reservation, OR_NONE),
};

static bool reservation_id_rule (void *self, const void *message, char why [WHY_BYTES])
{
    (void) message;
    return name_sound (((const reservation_id_t *) self)->reservation) ||
           wrong (why, "reservation: must be a reservation's id");
}

const codec_t reservation_id_codec = CODEC_RULED (
  reservation_id_t, musubi__release_request__descriptor, reservation_id_rows, reservation_id_rule);

/*  --- answers --- */

static const codec_row_t placement_rows [] = {
  ROW_TEXT ("need", placement_t, need, OR_NONE),
  ROW_TEXT ("site", placement_t, site, OR_NONE),
  ROW_TEXT ("class_name", placement_t, class_name, OR_NONE),
  ROW_NUMBER ("cpus", placement_t, cpus),
  ROW_NUMBER ("from_ms", placement_t, from_ms),
  ROW_NUMBER ("until_ms", placement_t, until_ms),
};
const codec_t placement_codec = CODEC (placement_t, musubi__placement__descriptor, placement_rows);

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
const codec_t connection_codec =
  CODEC (connection_t, musubi__connection__descriptor, connection_rows);

static const codec_row_t reason_rows [] = {
  ROW_TEXT ("need", reason_t, need, OR_NONE), ROW_TEXT ("resource", reason_t, resource, OR_NONE),
  ROW_NUMBER ("from_ms", reason_t, from_ms),  ROW_NUMBER ("until_ms", reason_t, until_ms),
  ROW_NUMBER ("wanted", reason_t, wanted),    ROW_NUMBER ("free", reason_t, free),
  ROW_TEXT ("text", reason_t, text, OR_NONE),
};
static const codec_t reason_codec = CODEC (reason_t, musubi__reason__descriptor, reason_rows);

static const codec_row_t alternative_rows [] = {
  ROW_NUMBER ("start_ms", alternative_t, start_ms),
  ROW_TEXT ("change", alternative_t, change, OR_NONE),
};
static const codec_t alternative_codec =
  CODEC (alternative_t, musubi__alternative__descriptor, alternative_rows);

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
};
const codec_t answer_codec = CODEC (answer_t, musubi__answer__descriptor, answer_rows);

static const codec_t *const codecs [] = {
  &instant_codec,        &frame_codec,        &requirement_codec,      &stage_codec,
  &compute_need_codec,   &network_need_codec, &data_need_codec,        &user_request_codec,
  &reserve_codec,        &need_patch_codec,   &connection_patch_codec, &request_patch_codec,
  &reservation_id_codec, &placement_codec,    &connection_codec,       &reason_codec,
  &alternative_codec,    &answer_codec,
};
const codecs_t planner_request_codecs = CODECS (codecs);
