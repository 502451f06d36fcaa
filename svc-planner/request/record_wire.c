/*  record_wire - the views of reservations, by tables of proto/planner.proto. */
#include "record.h"

#include "codec_table.h"

#include "planner.pb-c.h"

#include <assert.h>
#include <stdlib.h>

static_assert ((int) SHOW_ENDED == MUSUBI__SHOW_STATUS__SHOW_ENDED, "same numbers");

void view_clear (view_t *self)
{
    free (self->compute);
    connections_free (self->network, self->network_count);
    free (self->silent);
    free (self->parts);
    free (self->openings);
    free (self->data);
    free (self->staging);
    free (self->circuits);
    free (self->lacking);
    free (self->shown);
    *self = (view_t){0};
}

static const codec_row_t site_opening_rows [] = {
  ROW_STRING ("site", site_opening_t, site, NAME_BYTES_MAX),
  ROW_PACKED ("opening", site_opening_t, opening.data, opening.size, &opening_codec),
};
static const codec_t site_opening_codec = CODEC (site_opening_t, site_opening, site_opening_rows);

static const codec_row_t site_staging_rows [] = {
  ROW_STRING ("site", site_staging_t, site, NAME_BYTES_MAX),
  ROW_LIST ("files", site_staging_t, files, files_count, staged_file, 0, ANY_COUNT),
};
static const codec_t site_staging_codec = CODEC (site_staging_t, site_staging, site_staging_rows);

static const codec_row_t domain_circuits_rows [] = {
  ROW_STRING ("domain", domain_circuits_t, domain, NAME_BYTES_MAX),
  ROW_ENUM ("state", domain_circuits_t, state, MUSUBI__CIRCUIT_STATE__CIRCUITS_DEGRADED),
  ROW_STRING ("trouble", domain_circuits_t, trouble, WHY_BYTES),
  ROW_NUMBER ("wait_us", domain_circuits_t, wait_us),
};
static const codec_t domain_circuits_codec =
  CODEC (domain_circuits_t, domain_circuits, domain_circuits_rows);

static const codec_row_t view_rows [] = {
  ROW_STRING ("reservation", view_t, reservation, NAME_BYTES_MAX),
  ROW_STRING ("owner", view_t, owner, NAME_BYTES_MAX),
  ROW_ENUM ("status", view_t, status, SHOW_ENDED),
  ROW_ENUM ("state", view_t, state, RECORD_FAILED),
  ROW_NUMBER ("version", view_t, version),
  ROW_NUMBER ("start_ms", view_t, start_ms),
  ROW_NUMBER ("end_ms", view_t, end_ms),
  ROW_LIST ("compute", view_t, compute, compute_count, placement, 0, ANY_COUNT),
  ROW_TEXT ("name", view_t, name, OR_NONE),
  ROW_STRING_LIST ("silent", view_t, silent, silent_count, NAME_BYTES_MAX, 0, ANY_COUNT),
  ROW_LIST ("parts", view_t, parts, parts_count, part_record, 0, ANY_COUNT),
  ROW_LIST ("network", view_t, network, network_count, connection, 0, ANY_COUNT),
  ROW_LIST ("openings", view_t, openings, openings_count, site_opening, 0, ANY_COUNT),
  ROW_LIST ("data", view_t, data, data_count, room, 0, ANY_COUNT),
  ROW_LIST ("staging", view_t, staging, staging_count, site_staging, 0, ANY_COUNT),
  ROW_LIST ("circuits", view_t, circuits, circuits_count, domain_circuits, 0, ANY_COUNT),
  ROW_STRING_LIST ("lacking", view_t, lacking, lacking_count, NAME_BYTES_MAX, 0, ANY_COUNT),
};
static const codec_t view_codec = CODEC (view_t, reservation_view, view_rows);

typedef struct {
    view_t *view;
    const char **silent;
    size_t silent_count;
} view_answer_t;

static const codec_row_t view_answer_rows [] = {
  ROW_POINTER ("view", view_answer_t, view, view),
  ROW_STRING_LIST ("silent", view_answer_t, silent, silent_count, NAME_BYTES_MAX, 0, ANY_COUNT),
};
const codec_t view_answer_codec = CODEC (view_answer_t, show_reservation_answer, view_answer_rows);

/*  The records may be more than one message carries: then the parts are left out, then the paths. A
 *  reservation made by our own plans always fits. */
packed_t show_answer_encode (const view_t *view, const char **silent, size_t silent_count)
{
    view_t less = view ? *view : (view_t){0};
    view_answer_t answer = {view ? &less : NULL, silent, silent_count};
    packed_t packed = codec_encode (&view_answer_codec, &answer);
    for (int cut = 0; cut < 2 && packed.size > BODY_BYTES_MAX && view; cut++) {
        less.parts_count = 0;
        less.network_count = cut == 0 ? view->network_count : 0;
        free (packed.data);
        packed = codec_encode (&view_answer_codec, &answer);
    }
    return packed;
}

static const codec_row_t views_page_rows [] = {
  ROW_LIST ("views", views_page_t, views, views_count, view, 0, ANY_COUNT),
  ROW_STRING_LIST ("silent", views_page_t, silent, silent_count, NAME_BYTES_MAX, 0, ANY_COUNT),
  ROW_FLAG ("more", views_page_t, more),
};
const codec_t views_page_codec = CODEC (views_page_t, list_reservations_answer, views_page_rows);
