/*  planner_wire - requests and answers, by tables of proto/planner.proto. */
#include "planner_wire.h"

#include "codec_table.h"

#include "planner.pb-c.h"

#include <assert.h>

static_assert ((int) ANSWER_CONFLICT == MUSUBI__ANSWER_STATUS__ANSWER_CONFLICT, "same numbers");
static_assert ((int) ANSWER_COMMITTED == MUSUBI__ANSWER_STATUS__ANSWER_COMMITTED, "same numbers");

/*  --- requests --- */

static bool unstaged (const user_request_t *request, const char *prefix, char why [WHY_BYTES])
{
    for (size_t i = 0; i < request->compute_count; i++)
        if (request->compute [i].stages.count > 0)
            return wrong (why, "%scompute[%zu].stages: must be empty: only planners write them",
                          prefix, i);
    for (size_t i = 0; i < request->network_count; i++)
        if (request->network [i].stages.count > 0)
            return wrong (why, "%snetwork[%zu].stages: must be empty: only planners write them",
                          prefix, i);
    return true;
}

static const codec_row_t reserve_rows [] = {
  ROW_ONE ("request", reserve_t, request, user_request),
  ROW_FLAG ("dry_run", reserve_t, dry_run),
};

static bool planner_reserve_rule (void *self, char why [WHY_BYTES])
{
    return unstaged (&((const reserve_t *) self)->request, "request.", why);
}

const codec_t reserve_codec =
  CODEC_RULED (reserve_t, musubi__reserve_request__descriptor, reserve_rows, planner_reserve_rule);

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

static bool request_patch_rule (void *self, char why [WHY_BYTES])
{
    request_patch_t *patch = self;
    user_request_name (&patch->added);
    return unstaged (&patch->added, "add_", why);
}

const codec_t request_patch_codec = CODEC_RULED (
  request_patch_t, musubi__modify_request__descriptor, request_patch_rows, request_patch_rule);

/*  ShowReservationRequest has the same layout. */
static const codec_row_t reservation_id_rows [] = {
  ROW_TEXT ("reservation", reservation_id_t, reservation, OR_NONE),
};

static bool reservation_id_rule (void *self, char why [WHY_BYTES])
{
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
