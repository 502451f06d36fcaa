/*  record_wire - records of reservations, to and from proto/transaction.proto and
 *  proto/planner.proto.
 */
#include "record.h"

#include "codec_table.h"
#include "planner_wire.h"

#include "planner.pb-c.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static_assert ((int) RECORD_FAILED == MUSUBI__RESERVATION_STATE__FAILED, "same numbers");
static_assert ((int) SHOW_RELEASING == MUSUBI__SHOW_STATUS__SHOW_RELEASING, "same numbers");

bool part_record_over (const part_record_t *self)
{
    return self->state == RECORD_RELEASED || self->state == RECORD_FAILED;
}

int64_t part_record_end (const part_record_t *self)
{
    int64_t end_ms = 0;
    for (size_t i = 0; i < self->bookings_count; i++)
        if (self->bookings [i].until_ms > end_ms)
            end_ms = self->bookings [i].until_ms;
    for (size_t i = 0; i < self->circuits_count; i++)
        if (self->circuits [i].until_ms > end_ms)
            end_ms = self->circuits [i].until_ms;
    return end_ms;
}

void view_clear (view_t *self)
{
    free (self->compute);
    connections_free (self->network, self->network_count);
    free (self->silent);
    free (self->parts);
    free (self->openings);
    *self = (view_t){0};
}

/*  --- what participants tell --- */

/*  Handed on to users as the site has told it. */
static const codec_row_t opening_rows [] = {
  ROW_UNUSED ("phase"),      ROW_UNUSED ("wanted"),       ROW_UNUSED ("bound"),
  ROW_UNUSED ("ready"),      ROW_UNUSED ("degraded"),     ROW_UNUSED ("lent"),
  ROW_UNUSED ("given_back"), ROW_UNUSED ("cpu_ms"),       ROW_UNUSED ("offered_ms"),
  ROW_UNUSED ("trouble"),    ROW_UNUSED ("alternatives"), ROW_UNUSED ("disconnected"),
};
static const codec_t opening_codec = {.message = &musubi__opening_record__descriptor,
                                      .rows = opening_rows,
                                      .rows_count = sizeof opening_rows / sizeof *opening_rows};

static const codec_row_t part_record_rows [] = {
  ROW_WORD ("participant", part_record_t, participant, OR_NONE),
  ROW_WORD ("reservation", part_record_t, reservation),
  ROW_WORD ("owner", part_record_t, owner, OR_NONE),
  ROW_NUMBER ("version", part_record_t, version),
  ROW_ENUM ("state", part_record_t, state, RECORD_FAILED),
  ROW_LIST ("bookings", part_record_t, bookings, bookings_count, compute_booking, 0, BOOKINGS_MAX),
  ROW_ONE ("plan", part_record_t, plan, plan, SET_BY (part_record_t, plan_set)),
  ROW_FLAG ("done", part_record_t, done),
  ROW_ONE ("pending", part_record_t, pending, txid, SET_BY (part_record_t, pending_set)),
  ROW_ENUM ("pending_state", part_record_t, pending_state, COMMAND_STATES - 1),
  ROW_ENUM ("pending_operation", part_record_t, pending_operation, OPERATION_RELEASE),
  ROW_LIST ("circuits", part_record_t, circuits, circuits_count, circuit, 0, CIRCUITS_MAX),
  ROW_FLAG ("provisioned", part_record_t, provisioned),
  ROW_PACKED ("opening", part_record_t, opening.data, opening.size, &opening_codec),
};
const codec_t part_record_codec =
  CODEC (part_record_t, musubi__part_record__descriptor, part_record_rows);

static const codec_row_t part_shown_rows [] = {
  ROW_ONE ("record", part_shown_t, record, part_record, SET_BY (part_shown_t, known)),
};
const codec_t part_shown_codec =
  CODEC (part_shown_t, musubi__show_answer__descriptor, part_shown_rows);

static const codec_row_t parts_page_rows [] = {
  ROW_LIST ("records", parts_page_t, records, count, part_record, 0, ANY_COUNT),
  ROW_FLAG ("more", parts_page_t, more),
  ROW_WORD ("next", parts_page_t, next, OR_NONE),
};

/*  Where to go on is not before the last one told; older sites do not say. */
static bool parts_page_rule (void *self, const void *message, char why [WHY_BYTES])
{
    (void) message;
    parts_page_t *page = self;
    const char *last = page->count > 0 ? page->records [page->count - 1].reservation : "";
    if (!page->more)
        *page->next = '\0';
    else if (!*page->next)
        memcpy (page->next, last, strlen (last) + 1);
    if (!page->more || (*page->next && strcmp (page->next, last) >= 0))
        return true;
    return wrong (why, "next: %s", *page->next ? "before the last record" : "missing");
}

const codec_t parts_page_codec =
  CODEC_RULED (parts_page_t, musubi__list_answer__descriptor, parts_page_rows, parts_page_rule);

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
static const codec_t view_codec = CODEC (view_t, musubi__reservation_view__descriptor, view_rows);

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
    Musubi__ReservationView *to = codec_put (&view_codec, from, arena);
    to->n_parts = from->parts_count;
    to->parts = arena_take (arena, to->n_parts * sizeof *to->parts);
    for (size_t i = 0; i < to->n_parts; i++)
        to->parts [i] = part_put (from->parts [i], arena);
    to->n_openings = from->openings_count;
    to->openings = codec_messages (&musubi__site_opening__descriptor, to->n_openings, arena);
    for (size_t i = 0; i < to->n_openings; i++) {
        const part_record_t *record = from->openings [i];
        const char *slash = strchr (record->participant, '/');
        to->openings [i]->site = (char *) (slash ? slash + 1 : record->participant);
        to->openings [i]->opening = codec_unpack (
          opening_codec.message, (bytes_t){record->opening.data, record->opening.size}, arena, why);
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
        less.parts_count = 0;
        less.network_count = cut == 0 ? view->network_count : 0;
        free (packed.data);
        packed = show_encode (&less, silent, silent_count);
    }
    return packed;
}

/*  ListRequest has the same layout. */
static const codec_row_t list_question_rows [] = {
  ROW_WORD ("owner", list_question_t, owner, OR_NONE),
  ROW_TIME ("from_ms", list_question_t, from_ms),
  ROW_TIME ("until_ms", list_question_t, until_ms),
  ROW_WORD ("after", list_question_t, after, OR_NONE),
  ROW_NUMBER ("most", list_question_t, most),
};

static bool list_question_rule (void *self, const void *message, char why [WHY_BYTES])
{
    (void) message;
    const list_question_t *question = self;
    return question->from_ms <= question->until_ms ||
           wrong (why, "until_ms: must be a time after from_ms");
}

const codec_t list_question_codec =
  CODEC_RULED (list_question_t, musubi__list_reservations_request__descriptor, list_question_rows,
               list_question_rule);

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

static const codec_t *const codecs [] = {
  &opening_codec,    &part_record_codec, &part_shown_codec,
  &parts_page_codec, &view_codec,        &list_question_codec,
};
const codecs_t planner_record_codecs = CODECS (codecs);
