/*  part_record_wire - reservations as participants tell them, by tables of proto/transaction.proto.
 */
#include "part_record.h"

#include "codec_table.h"

#include "transaction.pb-c.h"

#include <assert.h>
#include <string.h>

static_assert ((int) RECORD_FAILED == MUSUBI__RESERVATION_STATE__FAILED, "same numbers");

bool part_record_over (const part_record_t *self)
{
    return self->state == RECORD_RELEASED || self->state == RECORD_FAILED;
}

holding_t holding_of (const part_record_t *record)
{
    return (holding_t){record->bookings,       record->bookings_count, record->circuits,
                       record->circuits_count, record->space,          record->space_count};
}

bool holding_empty (const holding_t *self)
{
    return self->bookings_count + self->circuits_count + self->space_count == 0;
}

int64_t holding_end (const holding_t *self)
{
    int64_t end_ms = 0;
    for (size_t i = 0; i < self->bookings_count; i++)
        if (self->bookings [i].until_ms > end_ms)
            end_ms = self->bookings [i].until_ms;
    for (size_t i = 0; i < self->circuits_count; i++)
        if (self->circuits [i].until_ms > end_ms)
            end_ms = self->circuits [i].until_ms;
    for (size_t i = 0; i < self->space_count; i++)
        if (self->space [i].until_ms > end_ms)
            end_ms = self->space [i].until_ms;
    return end_ms;
}

/*  Handed on to users as the site has told it. */
static const codec_row_t opening_rows [] = {
  ROW_UNUSED ("phase"),      ROW_UNUSED ("wanted"),       ROW_UNUSED ("bound"),
  ROW_UNUSED ("ready"),      ROW_UNUSED ("degraded"),     ROW_UNUSED ("lent"),
  ROW_UNUSED ("given_back"), ROW_UNUSED ("cpu_ms"),       ROW_UNUSED ("offered_ms"),
  ROW_UNUSED ("trouble"),    ROW_UNUSED ("alternatives"), ROW_UNUSED ("disconnected"),
  ROW_UNUSED ("counted"),    ROW_UNUSED ("absent"),
};
const codec_t opening_codec = {.message = &musubi__opening_record__descriptor,
                               .rows = opening_rows,
                               .rows_count = sizeof opening_rows / sizeof *opening_rows};

static const codec_row_t holding_rows [] = {
  ROW_LIST ("bookings", holding_t, bookings, bookings_count, compute_booking, 0, BOOKINGS_MAX),
  ROW_LIST ("circuits", holding_t, circuits, circuits_count, circuit, 0, CIRCUITS_MAX),
  ROW_LIST ("space", holding_t, space, space_count, space_booking, 0, BOOKINGS_MAX),
};
static const codec_t holding_codec = CODEC (holding_t, holding, holding_rows);

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
  ROW_LIST ("space", part_record_t, space, space_count, space_booking, 0, BOOKINGS_MAX),
  ROW_LIST ("staged", part_record_t, staged, staged_count, staged_file, 0, BOOKINGS_MAX),
  ROW_ENUM ("circuit_state", part_record_t, circuit_state,
            MUSUBI__CIRCUIT_STATE__CIRCUITS_DEGRADED),
  ROW_TEXT ("circuit_trouble", part_record_t, circuit_trouble, OR_NONE),
  ROW_FLAG ("lacking", part_record_t, lacking),
  ROW_ONE ("was", part_record_t, was, holding, OR_NONE),
  ROW_NUMBER ("circuit_wait_us", part_record_t, circuit_wait_us),
};
const codec_t part_record_codec = CODEC (part_record_t, part_record, part_record_rows);

static const codec_row_t part_shown_rows [] = {
  ROW_ONE ("record", part_shown_t, record, part_record, SET_BY (part_shown_t, known)),
};
const codec_t part_shown_codec = CODEC (part_shown_t, show_answer, part_shown_rows);

static const codec_row_t parts_page_rows [] = {
  ROW_LIST ("records", parts_page_t, records, count, part_record, 0, ANY_COUNT),
  ROW_FLAG ("more", parts_page_t, more),
  ROW_WORD ("next", parts_page_t, next, OR_NONE),
};

/*  next must not lie before the last record. Older sites leave it out: then the last record is
 *  meant. */
static bool parts_page_rule (void *self, char why [WHY_BYTES])
{
    parts_page_t *page = self;
    const char *last = page->count > 0 ? page->records [page->count - 1].reservation : "";
    if (!page->more)
        *page->next = '\0';
    else if (!*page->next)
        memcpy (page->next, last, strlen (last) + 1);
    if (!page->more || (*page->next && strcmp (page->next, last) >= 0))
        return true;
    return wrong (why, "next: %s",
                  *page->next ? "must not sort before the last record" : "missing");
}

const codec_t parts_page_codec =
  CODEC_RULED (parts_page_t, list_answer, parts_page_rows, parts_page_rule);

/*  --- questions --- */

static const codec_row_t show_rows [] = {
  ROW_WORD ("reservation", show_request_t, reservation),
};
const codec_t show_request_codec = CODEC (show_request_t, show_request, show_rows);

/*  Planner.List's ListReservationsRequest has the same layout. */
static const codec_row_t list_rows [] = {
  ROW_WORD ("owner", list_request_t, owner, OR_NONE),
  ROW_TIME ("from_ms", list_request_t, from_ms),
  ROW_TIME ("until_ms", list_request_t, until_ms),
  ROW_WORD ("after", list_request_t, after, OR_NONE),
  ROW_NUMBER ("most", list_request_t, most),
};

static bool list_rule (void *self, char why [WHY_BYTES])
{
    const list_request_t *asked = self;
    bool all = asked->from_ms == 0 && asked->until_ms == 0;
    return all || interval_right (asked->from_ms, asked->until_ms, why);
}

const codec_t list_request_codec = CODEC_RULED (list_request_t, list_request, list_rows, list_rule);

static const codec_row_t commands_rows [] = {
  ROW_ONE ("after", commands_request_t, after, txid, SET_BY (commands_request_t, after_set)),
  ROW_NUMBER ("most", commands_request_t, most),
  ROW_ONE ("only", commands_request_t, only, txid, SET_BY (commands_request_t, only_set)),
};
const codec_t commands_request_codec = CODEC (commands_request_t, commands_request, commands_rows);
