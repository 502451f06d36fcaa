/*  planner_wire - requests, by tables of proto/planner.proto. */
#include "planner_wire.h"

#include "codec_table.h"

#include "planner.pb-c.h"

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
    for (size_t i = 0; i < request->data_count; i++)
        if (request->data [i].size > 0)
            return wrong (why, "%sdata[%zu].size: must be empty: only planners write it", prefix,
                          i);
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
  CODEC_RULED (reserve_t, reserve_request, reserve_rows, planner_reserve_rule);

/*  --- changes --- */

static const codec_row_t need_patch_rows [] = {
  ROW_TEXT ("id", need_patch_t, id, OR_NONE),
  ROW_NUMBER ("cpus", need_patch_t, cpus),
  ROW_TEXT ("site", need_patch_t, site, OR_NONE),
};
static const codec_t need_patch_codec = CODEC (need_patch_t, need_patch, need_patch_rows);

static const codec_row_t connection_patch_rows [] = {
  ROW_TEXT ("id", connection_patch_t, id, OR_NONE),
  ROW_NUMBER ("mbps", connection_patch_t, mbps),
};
static const codec_t connection_patch_codec =
  CODEC (connection_patch_t, connection_patch, connection_patch_rows);

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
                  NEEDS_MAX + NETWORK_NEEDS_MAX + FILES_MAX + SPACE_NEEDS_MAX, OR_NONE),
  ROW_FLAG ("dry_run", request_patch_t, dry_run),
  ROW_LIST ("add_data", request_patch_t, added.data, added.data_count, data_need, 0, FILES_MAX),
  ROW_LIST ("add_space", request_patch_t, added.space, added.space_count, space_need, 0,
            SPACE_NEEDS_MAX),
  ROW_LIST ("space", request_patch_t, space, space_count, space_need, 0, SPACE_NEEDS_MAX),
};

static bool request_patch_rule (void *self, char why [WHY_BYTES])
{
    request_patch_t *patch = self;
    user_request_name (&patch->added);
    return unstaged (&patch->added, "add_", why);
}

const codec_t request_patch_codec =
  CODEC_RULED (request_patch_t, modify_request, request_patch_rows, request_patch_rule);

/*  ShowReservationRequest has the same layout. */
static const codec_row_t reservation_id_rows [] = {
  ROW_TEXT ("reservation", reservation_id_t, reservation, OR_NONE),
};

static bool reservation_id_rule (void *self, char why [WHY_BYTES])
{
    return name_sound (((const reservation_id_t *) self)->reservation) ||
           wrong (why, "reservation: must be a reservation's id");
}

const codec_t reservation_id_codec =
  CODEC_RULED (reservation_id_t, release_request, reservation_id_rows, reservation_id_rule);
