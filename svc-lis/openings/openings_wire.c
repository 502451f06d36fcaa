/*  openings_wire - tables: what people and back ends are told of openings, and what is kept. */
#include "openings_wire.h"

#include "codec_table.h"

#include "openings.pb-c.h"

#include <assert.h>
#include <string.h>

static_assert ((int) OPENING_OVER == MUSUBI__OPENING_PHASE__OPENING_OVER, "same numbers");
static_assert ((int) BOUND_CLEANING == MUSUBI__BOUND_STATE__BOUND_CLEANING, "same numbers");
static_assert ((int) BACK_END_RECONCILE == MUSUBI__BACK_END_STEP__BACK_END_RECONCILE,
               "same numbers");

/*  --- what is asked of a back end --- */

static const codec_row_t back_end_order_rows [] = {
  ROW_STRING ("reservation", back_end_order_t, reservation, NAME_BYTES_MAX),
  ROW_STRING ("owner", back_end_order_t, owner, NAME_BYTES_MAX),
  ROW_NUMBER ("from_ms", back_end_order_t, from_ms),
  ROW_NUMBER ("until_ms", back_end_order_t, until_ms),
  ROW_STRING_LIST ("nodes", back_end_order_t, nodes, nodes_count, NAME_BYTES_MAX, 0, ANY_COUNT),
};
static const codec_t back_end_order_codec =
  CODEC (back_end_order_t, musubi__back_end_reservation__descriptor, back_end_order_rows);

static const codec_row_t back_end_task_rows [] = {
  ROW_ENUM ("step", back_end_task_t, step, BACK_END_STEPS - 1),
  ROW_LIST ("reservations", back_end_task_t, orders, count, back_end_order, 0, ANY_COUNT),
};
const codec_t back_end_task_codec =
  CODEC (back_end_task_t, musubi__back_end_order__descriptor, back_end_task_rows);

/*  --- what people ask --- */

static const codec_row_t spent_question_rows [] = {
  ROW_WORD ("reservation", spent_question_t, reservation),
  ROW_NUMBER ("most", spent_question_t, most),
};
const codec_t spent_question_codec =
  CODEC (spent_question_t, musubi__reservation_use_request__descriptor, spent_question_rows);

static const codec_row_t use_step_rows [] = {
  ROW_NUMBER ("from_ms", use_step_t, from_ms),
  ROW_NUMBER ("until_ms", use_step_t, until_ms),
  ROW_NUMBER ("cpu_ms", use_step_t, cpu_ms),
  ROW_NUMBER ("offered_ms", use_step_t, offered_ms),
};
static const codec_t use_step_codec =
  CODEC (use_step_t, musubi__use_step__descriptor, use_step_rows);

static const codec_row_t spent_told_rows [] = {
  ROW_WORD ("reservation", spent_told_t, reservation),
  ROW_ARRAY ("steps", spent_told_t, steps, count, use_step),
  ROW_NUMBER ("cpu_ms", spent_told_t, cpu_ms),
  ROW_NUMBER ("offered_ms", spent_told_t, offered_ms),
};
const codec_t spent_told_codec =
  CODEC (spent_told_t, musubi__reservation_use__descriptor, spent_told_rows);

static const codec_row_t alternative_rows [] = {
  ROW_STRING ("class_name", alternative_t, class_name, NAME_BYTES_MAX),
  ROW_NUMBER ("nodes", alternative_t, nodes),
  ROW_NUMBER ("from_ms", alternative_t, over.from),
  ROW_NUMBER ("until_ms", alternative_t, over.until),
};
static const codec_t alternative_codec =
  CODEC (alternative_t, musubi__opening_alternative__descriptor, alternative_rows);

static const codec_row_t opening_told_rows [] = {
  ROW_ENUM ("phase", opening_told_t, phase, OPENING_PHASES - 1),
  ROW_NUMBER ("wanted", opening_told_t, wanted),
  ROW_NUMBER ("bound", opening_told_t, bound),
  ROW_FLAG ("ready", opening_told_t, ready),
  ROW_FLAG ("degraded", opening_told_t, degraded),
  ROW_FLAG ("lent", opening_told_t, lent),
  ROW_FLAG ("given_back", opening_told_t, given_back),
  ROW_NUMBER ("cpu_ms", opening_told_t, cpu_ms),
  ROW_NUMBER ("offered_ms", opening_told_t, offered_ms),
  ROW_STRING ("trouble", opening_told_t, trouble, WHY_BYTES),
  ROW_LIST ("alternatives", opening_told_t, alternatives, alternatives_count, alternative, 0,
            ANY_COUNT),
  ROW_FLAG ("disconnected", opening_told_t, disconnected),
};
const codec_t opening_told_codec =
  CODEC (opening_told_t, musubi__opening_record__descriptor, opening_told_rows);

/*  --- what is kept --- */

static const codec_row_t stored_bound_rows [] = {
  ROW_WORD ("node", stored_bound_t, node),
  ROW_ENUM ("state", stored_bound_t, state, BOUND_STATES - 1),
  ROW_TIME ("at_ms", stored_bound_t, at_ms),
};
static const codec_t stored_bound_codec =
  CODEC (stored_bound_t, musubi__stored_bound__descriptor, stored_bound_rows);

static const codec_row_t stored_opening_rows [] = {
  ROW_ENUM ("phase", stored_opening_t, phase, OPENING_PHASES - 1),
  ROW_LIST ("nodes", stored_opening_t, nodes, nodes_count, stored_bound, 0, ANY_COUNT),
  ROW_TIME ("from_ms", stored_opening_t, from_ms),
  ROW_TIME ("until_ms", stored_opening_t, until_ms),
  ROW_FLAG ("lent", stored_opening_t, lent),
  ROW_FLAG ("given_back", stored_opening_t, given_back),
  ROW_WORD ("owner", stored_opening_t, owner, OR_NONE),
};

static bool stored_opening_rule (void *self, const void *message, char why [WHY_BYTES])
{
    (void) message;
    const stored_opening_t *opening = self;
    return opening->nodes_count == 0 ||
           (opening->phase != OPENING_WAITING && opening->phase != OPENING_OVER) ||
           wrong (why, "nodes: bound while it is %s", opening_phase_word (opening->phase));
}

const codec_t stored_opening_codec = CODEC_RULED (
  stored_opening_t, musubi__stored_opening__descriptor, stored_opening_rows, stored_opening_rule);

/*  Its parts are in place in a stored_use_t. */
typedef struct {
    int64_t from_ms;
    int64_t width_ms;
    int64_t *cpu_ms;
    size_t cpu_ms_count;
    int64_t *offered_ms;
    size_t offered_ms_count;
    int64_t over_cpu_ms;
    int64_t until_ms;
} use_record_t;

static const codec_row_t use_record_rows [] = {
  ROW_TIME ("from_ms", use_record_t, from_ms),
  ROW_NUMBER ("width_ms", use_record_t, width_ms, BETWEEN (1, TIME_MS_MAX / SPENT_STEPS)),
  ROW_NUMBER_LIST ("cpu_ms", use_record_t, cpu_ms, cpu_ms_count, SPENT_STEPS, SPENT_STEPS,
                   LEAST (0)),
  ROW_NUMBER_LIST ("offered_ms", use_record_t, offered_ms, offered_ms_count, SPENT_STEPS,
                   SPENT_STEPS, LEAST (0)),
  ROW_NUMBER ("over_cpu_ms", use_record_t, over_cpu_ms, LEAST (0)),
  ROW_TIME ("until_ms", use_record_t, until_ms),
};
static const codec_t use_record_codec =
  CODEC (use_record_t, musubi__stored_use__descriptor, use_record_rows);

packed_t stored_use_encode (const stored_use_t *self)
{
    use_record_t record = {.from_ms = self->spent.from_ms,
                           .width_ms = self->spent.width_ms,
                           .cpu_ms = (int64_t *) self->spent.cpu_ms,
                           .cpu_ms_count = SPENT_STEPS,
                           .offered_ms = (int64_t *) self->spent.offered_ms,
                           .offered_ms_count = SPENT_STEPS,
                           .over_cpu_ms = self->over_cpu_ms,
                           .until_ms = self->until_ms};
    return codec_encode (&use_record_codec, &record);
}

bool stored_use_decode (stored_use_t *self, bytes_t value, char why [WHY_BYTES])
{
    use_record_t record;
    if (!codec_decode (&use_record_codec, &record, value, why))
        return false;
    *self = (stored_use_t){.spent = {.from_ms = record.from_ms, .width_ms = record.width_ms},
                           .over_cpu_ms = record.over_cpu_ms,
                           .until_ms = record.until_ms};
    memcpy (self->spent.cpu_ms, record.cpu_ms, sizeof self->spent.cpu_ms);
    memcpy (self->spent.offered_ms, record.offered_ms, sizeof self->spent.offered_ms);
    codec_clear (&use_record_codec, &record);
    return true;
}

static const codec_t *const codecs [] = {
  &back_end_order_codec, &back_end_task_codec, &spent_question_codec, &use_step_codec,
  &spent_told_codec,     &alternative_codec,   &opening_told_codec,   &stored_bound_codec,
  &stored_opening_codec, &use_record_codec,
};
const codecs_t openings_codecs = CODECS (codecs);
