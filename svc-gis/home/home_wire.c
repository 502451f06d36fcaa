/*  home_wire - questions about claims, and their records, to and from proto/gis.proto. */
#include "home_wire.h"

#include "codec_table.h"
#include "message.h"

#include "gis.pb-c.h"
#include "planner.pb-c.h"

#include <assert.h>
#include <stdio.h>

static_assert ((int) CLAIM_CLOSED == MUSUBI__CLAIM_STATE__CLOSED, "same numbers");
static_assert ((int) CLAIM_COMMITTED == MUSUBI__CLAIM_STATE__COMMITTED_CLAIM, "same numbers");

/*  --- look, close --- */

static const codec_row_t look_rows [] = {
  ROW_WORD ("actor", look_t, actor),
  ROW_WORD ("request_id", look_t, request_id),
  ROW_FIXED ("digest", look_t, digest, SET_BY (look_t, digest_set)),
};
const codec_t look_codec = CODEC (look_t, look_request, look_rows);

static const codec_row_t close_rows [] = {
  ROW_WORD ("actor", close_t, claim.actor),
  ROW_WORD ("request_id", close_t, claim.request_id),
  ROW_FIXED ("digest", close_t, claim.digest),
  ROW_BYTES ("answer", close_t, answer.data, answer.size, CLAIM_ANSWER_BYTES_MAX, FROM (1)),
  ROW_TIME ("keep_until_ms", close_t, keep_until_ms),
};

static bool close_rule (void *self, char why [WHY_BYTES])
{
    close_t *order = self;
    order->claim.digest_set = true;
    return answer_right ((bytes_t){order->answer.data, order->answer.size}) ||
           wrong (why, "answer: not an Answer");
}

const codec_t close_codec = CODEC_RULED (close_t, close_request, close_rows, close_rule);

static const codec_row_t look_answer_rows [] = {
  ROW_ENUM ("state", look_answer_t, state, CLAIM_CLOSED),
  ROW_FLAG ("conflict", look_answer_t, conflict),
  ROW_BYTES ("answer", look_answer_t, answer.data, answer.size, CLAIM_ANSWER_BYTES_MAX),
  ROW_FLAG ("done", look_answer_t, done),
  ROW_BYTES ("holder", look_answer_t, holder.data, holder.size, RECORD_BYTES_MAX, OF (&plan_codec)),
};
const codec_t look_answer_codec = CODEC (look_answer_t, look_answer, look_answer_rows);

static const codec_row_t close_answer_rows [] = {
  ROW_FLAG ("closed", close_answer_t, closed),
  ROW_ONE ("look", close_answer_t, look, look_answer),
};
const codec_t close_answer_codec = CODEC (close_answer_t, close_answer, close_answer_rows);

/*  --- recall --- */

static const codec_row_t recalled_rows [] = {
  ROW_ONE ("plan", recalled_t, plan, plan),
  ROW_ENUM ("state", recalled_t, state, COMMAND_STATES - 1),
  ROW_UNUSED ("bookings"),
  ROW_UNUSED ("done"),
  ROW_UNUSED ("prepared_ms"),
  ROW_UNUSED ("circuits"),
  ROW_UNUSED ("held_ms"),
  ROW_UNUSED ("epoch"),
  ROW_UNUSED ("fenced_by"),
  ROW_UNUSED ("space"),
};
static const codec_t recalled_codec = CODEC (recalled_t, command_record, recalled_rows);

static const codec_row_t recalled_page_rows [] = {
  ROW_LIST ("commands", recalled_page_t, commands, count, recalled, 0, ANY_COUNT),
  ROW_FLAG ("more", recalled_page_t, more),
  ROW_ONE ("next", recalled_page_t, next, txid, SET_BY (recalled_page_t, next.start)),
};

static bool recalled_page_rule (void *self, char why [WHY_BYTES])
{
    const recalled_page_t *page = self;
    return !page->more || page->next.start > 0 || wrong (why, "next: missing");
}

const codec_t recalled_page_codec =
  CODEC_RULED (recalled_page_t, commands_answer, recalled_page_rows, recalled_page_rule);

packed_t recalled_answer_encode (const plan_t *plan)
{
    char text [320];
    Musubi__Reason reason = MUSUBI__REASON__INIT, *reasons [] = {&reason};
    Musubi__Answer answer = MUSUBI__ANSWER__INIT;
    snprintf (text, sizeof text,
              "this request was carried out before: it made version %u of reservation %s, and its "
              "home %s has lost the answer; look at the reservation, or use another request id",
              plan->base_version + 1, plan->reservation, plan->home);
    reason.text = text;
    answer.status = MUSUBI__ANSWER_STATUS__ANSWER_REFUSED;
    answer.reservation = (char *) plan->reservation;
    answer.request_id = (char *) plan->request_id;
    answer.n_reasons = 1;
    answer.reasons = reasons;
    return packed_of (&answer.base);
}

/*  --- records --- */

static const codec_row_t closed_rows [] = {
  ROW_FIXED ("digest", closed_record_t, digest),
  ROW_BYTES ("answer", closed_record_t, answer.data, answer.size, CLAIM_ANSWER_BYTES_MAX, FROM (1)),
  ROW_TIME ("keep_until_ms", closed_record_t, keep_until_ms),
  ROW_NUMBER ("closed_ms", closed_record_t, closed_ms),
};
const codec_t closed_record_codec = CODEC (closed_record_t, closed_record, closed_rows);

bool answer_right (bytes_t answer)
{
    ARENA (arena);
    return message_unpack_in (&musubi__answer__descriptor, answer, &arena.allocator);
}

int64_t answer_end_ms (bytes_t answer)
{
    int64_t end_ms = 0;
    for (wire_field_t field; wire_next (&answer, &field);)
        end_ms = field.number == 4 ? (int64_t) field.value : end_ms;
    return time_valid (end_ms) ? end_ms : 0;
}
