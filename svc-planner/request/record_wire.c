/*  record_wire - reservations as users are told of them, to proto/planner.proto. */
#include "record.h"

#include "codec_table.h"
#include "party.h"
#include "planner_wire.h"

#include "planner.pb-c.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static_assert ((int) SHOW_RELEASING == MUSUBI__SHOW_STATUS__SHOW_RELEASING, "same numbers");

void view_clear (view_t *self)
{
    free (self->compute);
    connections_free (self->network, self->network_count);
    free (self->silent);
    free (self->parts);
    *self = (view_t){0};
}

/*  --- what users are told --- */

static const codec_row_t view_rows [] = {
  ROW_STRING ("reservation", view_t, reservation, NAME_BYTES_MAX),
  ROW_STRING ("owner", view_t, owner, NAME_BYTES_MAX),
  ROW_ENUM ("status", view_t, status, SHOW_RELEASING),
  ROW_ENUM ("state", view_t, state, RECORD_FAILED),
  ROW_NUMBER ("version", view_t, version),
  ROW_NUMBER ("start_ms", view_t, start_ms),
  ROW_NUMBER ("end_ms", view_t, end_ms),
  ROW_LIST ("compute", view_t, compute, compute_count, placement, 0, ANY_COUNT),
  ROW_TEXT ("name", view_t, name, OR_NONE),
  ROW_STRING_LIST ("silent", view_t, silent, silent_count, NAME_BYTES_MAX, 0, ANY_COUNT),
  ROW_UNUSED ("parts"), /* see view_put */
  ROW_LIST ("network", view_t, network, network_count, connection, 0, ANY_COUNT),
  ROW_UNUSED ("openings"), /* see view_put */
};
const codec_t reservation_view_codec =
  CODEC (view_t, musubi__reservation_view__descriptor, view_rows);

/*  Without the request, which users sent themselves; openings are told apart. */
static Musubi__PartRecord *part_put (const part_record_t *from, arena_t *arena)
{
    Musubi__PartRecord *to = codec_put (&part_record_codec, from, arena);
    to->opening = NULL;
    if (to->plan)
        to->plan->request = (ProtobufCBinaryData){0};
    return to;
}

static Musubi__ReservationView *view_put (const view_t *from, arena_t *arena)
{
    char why [WHY_BYTES];
    Musubi__ReservationView *to = codec_put (&reservation_view_codec, from, arena);
    to->parts = arena_take (arena, from->parts_count * sizeof *to->parts);
    for (size_t i = 0; i < from->parts_count && !from->without_parts; i++)
        to->parts [to->n_parts++] = part_put (from->parts [i], arena);
    to->openings = codec_messages (&musubi__site_opening__descriptor, from->parts_count, arena);
    for (size_t i = 0; i < from->parts_count; i++) {
        const part_record_t *record = from->parts [i];
        if (record->opening.size == 0)
            continue;
        Musubi__SiteOpening *opening = to->openings [to->n_openings++];
        opening->site = (char *) party_short_name (record->participant);
        opening->opening = codec_unpack (&musubi__opening_record__descriptor,
                                         packed_bytes (record->opening), arena, why);
    }
    return to;
}

static packed_t show_encode (const view_t *view, const char *const *silent, size_t silent_count)
{
    arena_t arena;
    arena_init (&arena);
    Musubi__ShowReservationAnswer answer = MUSUBI__SHOW_RESERVATION_ANSWER__INIT;
    answer.view = view ? view_put (view, &arena) : NULL;
    answer.n_silent = silent_count;
    answer.silent = (char **) silent;
    packed_t packed = packed_of (&answer.base);
    arena_end (&arena);
    return packed;
}

/*  What participants say may be more than one message carries: then without their parts, then
 *  without paths. What our own plans make always fits. */
packed_t show_answer_encode (const view_t *view, const char *const *silent, size_t silent_count)
{
    packed_t packed = show_encode (view, silent, silent_count);
    if (packed.size <= BODY_BYTES_MAX || !view)
        return packed;
    view_t less = *view;
    for (int cut = 0; cut < 2 && packed.size > BODY_BYTES_MAX; cut++) {
        less.without_parts = true;
        less.network_count = cut == 0 ? view->network_count : 0;
        free (packed.data);
        packed = show_encode (&less, silent, silent_count);
    }
    return packed;
}

packed_t list_answer_encode (const view_t *views, size_t views_count, const char *const *silent,
                             size_t silent_count, bool more)
{
    arena_t arena;
    arena_init (&arena);
    Musubi__ListReservationsAnswer answer = MUSUBI__LIST_RESERVATIONS_ANSWER__INIT;
    answer.n_views = views_count;
    answer.views = arena_take (&arena, views_count * sizeof *answer.views);
    for (size_t i = 0; i < views_count; i++)
        answer.views [i] = view_put (&views [i], &arena);
    answer.n_silent = silent_count;
    answer.silent = (char **) silent;
    answer.more = more;
    packed_t packed = packed_of (&answer.base);
    arena_end (&arena);
    return packed;
}
