/*  openings_wire - codecs of what people and back ends are told of openings, and of what is
 *  stored. */
#include "openings_wire.h"

#include "codec_table.h"

#include "openings.pb-c.h"

#include <assert.h>

static_assert ((int) OPENING_OVER == MUSUBI__OPENING_PHASE__OPENING_OVER, "same numbers");
static_assert ((int) BOUND_CLEANING == MUSUBI__BOUND_STATE__BOUND_CLEANING, "same numbers");
static_assert ((int) BACK_END_RECONCILE == MUSUBI__BACK_END_STEP__BACK_END_RECONCILE &&
                 (int) BACK_END_CHARGES == MUSUBI__BACK_END_STEP__BACK_END_CHARGES,
               "same numbers");
static_assert ((int) USE_UNACCOUNTED == MUSUBI__USE_COUNTED__USE_UNACCOUNTED, "same numbers");
static_assert ((int) CLEAR_END == MUSUBI__OPENING_CLEAR__OPENING_CLEAR_END, "same numbers");

static const codec_row_t back_end_order_rows [] = {
  ROW_STRING ("reservation", back_end_order_t, reservation, NAME_BYTES_MAX),
  ROW_STRING ("owner", back_end_order_t, owner, NAME_BYTES_MAX),
  ROW_NUMBER ("from_ms", back_end_order_t, from_ms),
  ROW_NUMBER ("until_ms", back_end_order_t, until_ms),
  ROW_STRING_LIST ("nodes", back_end_order_t, nodes, nodes_count, NAME_BYTES_MAX, 0, ANY_COUNT),
  ROW_STRING ("account", back_end_order_t, account, ACCOUNT_BYTES_MAX),
  ROW_NUMBER ("grace_ms", back_end_order_t, grace_ms, BETWEEN (0, TIME_MS_MAX)),
  ROW_STRING ("charged", back_end_order_t, charged, CHARGED_BYTES_MAX),
  ROW_ENUM ("clear", back_end_order_t, clear, CLEAR_END),
  ROW_STRING ("qos", back_end_order_t, qos, CHARGED_BYTES_MAX),
};
static const codec_t back_end_order_codec =
  CODEC (back_end_order_t, back_end_reservation, back_end_order_rows);

static const codec_row_t back_end_task_rows [] = {
  ROW_ENUM ("step", back_end_task_t, step, BACK_END_STEPS - 1),
  ROW_LIST ("reservations", back_end_task_t, orders, count, back_end_order, 0, ANY_COUNT),
};
const codec_t back_end_task_codec = CODEC (back_end_task_t, back_end_order, back_end_task_rows);

static const codec_row_t reservation_use_question_rows [] = {
  ROW_WORD ("reservation", reservation_use_question_t, reservation),
  ROW_NUMBER ("most", reservation_use_question_t, most),
};
const codec_t reservation_use_question_codec =
  CODEC (reservation_use_question_t, reservation_use_request, reservation_use_question_rows);

static const codec_row_t use_step_rows [] = {
  ROW_NUMBER ("from_ms", use_step_t, from_ms),
  ROW_NUMBER ("until_ms", use_step_t, until_ms),
  ROW_NUMBER ("cpu_ms", use_step_t, cpu_ms),
  ROW_NUMBER ("offered_ms", use_step_t, offered_ms),
};
static const codec_t use_step_codec = CODEC (use_step_t, use_step, use_step_rows);

static const codec_row_t reservation_use_told_rows [] = {
  ROW_WORD ("reservation", reservation_use_told_t, reservation),
  ROW_ARRAY ("steps", reservation_use_told_t, steps, count, use_step),
  ROW_NUMBER ("cpu_ms", reservation_use_told_t, cpu_ms),
  ROW_NUMBER ("offered_ms", reservation_use_told_t, offered_ms),
};
const codec_t reservation_use_told_codec =
  CODEC (reservation_use_told_t, reservation_use, reservation_use_told_rows);

static const codec_row_t bound_rows [] = {
  ROW_WORD ("node", bound_t, name),
  ROW_ENUM ("state", bound_t, state, BOUND_STATES - 1),
  ROW_TIME ("at_ms", bound_t, at_ms),
};
static const codec_t bound_codec = CODEC (bound_t, stored_bound, bound_rows);

static const codec_row_t stored_opening_rows [] = {
  ROW_ENUM ("phase", stored_opening_t, phase, OPENING_PHASES - 1),
  ROW_LIST ("nodes", stored_opening_t, nodes, nodes_count, bound, 0, ANY_COUNT),
  ROW_TIME ("from_ms", stored_opening_t, from_ms),
  ROW_TIME ("until_ms", stored_opening_t, until_ms),
  ROW_FLAG ("lent", stored_opening_t, lent),
  ROW_FLAG ("given_back", stored_opening_t, given_back),
  ROW_WORD ("owner", stored_opening_t, owner, OR_NONE),
  ROW_LIST ("named", stored_opening_t, named, named_count, bound, 0, ANY_COUNT),
  ROW_FLAG ("told", stored_opening_t, told),
};

static bool stored_opening_rule (void *self, char why [WHY_BYTES])
{
    const stored_opening_t *opening = self;
    return opening->nodes_count == 0 || opening->phase != OPENING_OVER ||
           wrong (why, "nodes: should be none while the opening is %s",
                  opening_states.states [opening->phase]);
}

const codec_t stored_opening_codec =
  CODEC_RULED (stored_opening_t, stored_opening, stored_opening_rows, stored_opening_rule);

static const codec_row_t stored_use_rows [] = {
  ROW_TIME ("from_ms", stored_use_t, spent.from_ms),
  ROW_NUMBER ("width_ms", stored_use_t, spent.width_ms, BETWEEN (1, TIME_MS_MAX / CPU_USAGE_STEPS)),
  ROW_NUMBER_ARRAY ("cpu_ms", stored_use_t, spent.cpu_ms, spent.parts, CPU_USAGE_STEPS, LEAST (0)),
  ROW_NUMBER_ARRAY ("offered_ms", stored_use_t, spent.offered_ms, spent.parts, CPU_USAGE_STEPS,
                    LEAST (0)),
  ROW_NUMBER ("over_cpu_ms", stored_use_t, over_cpu_ms, LEAST (0)),
  ROW_TIME ("until_ms", stored_use_t, until_ms),
  ROW_ENUM ("counted", stored_use_t, counted, USE_UNACCOUNTED),
  ROW_NUMBER ("counted_cpu_ms", stored_use_t, counted_cpu_ms, LEAST (0)),
};
const codec_t stored_use_codec = CODEC (stored_use_t, stored_use, stored_use_rows);
