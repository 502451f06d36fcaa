/*  settle_wire - Planner.Settle by tables, and the plan out of Participant.Commands. */
#include "settle_wire.h"

#include "codec_table.h"

#include "planner.pb-c.h"

static const codec_row_t settle_order_rows [] = {
  ROW_ONE ("txid", settle_order_t, txid, txid),
  ROW_WORD ("participant", settle_order_t, participant),
  ROW_FLAG ("fence", settle_order_t, fence),
};
const codec_t settle_order_codec = CODEC (settle_order_t, settle_request, settle_order_rows);

static const codec_row_t settle_voice_rows [] = {
  ROW_STRING ("participant", settle_voice_t, participant, NAME_BYTES_MAX),
  ROW_FLAG ("answered", settle_voice_t, answered),
  ROW_ENUM ("state", settle_voice_t, state, COMMAND_STATES - 1),
};
static const codec_t settle_voice_codec = CODEC (settle_voice_t, settle_voice, settle_voice_rows);

static const codec_row_t settle_answer_rows [] = {
  ROW_ONE ("txid", settle_answer_t, txid, txid),
  ROW_ENUM ("outcome", settle_answer_t, outcome, OUTCOME_ABORTED),
  ROW_FLAG ("done", settle_answer_t, done),
  ROW_ARRAY ("voices", settle_answer_t, voices, voices_count, settle_voice),
  ROW_TEXT ("text", settle_answer_t, text, OR_NONE),
};
const codec_t settle_answer_codec = CODEC (settle_answer_t, settle_answer, settle_answer_rows);

bool command_told_decode (bytes_t body, plan_t *plan, char why [WHY_BYTES])
{
    arena_t arena;
    arena_init (&arena);
    *plan = (plan_t){0};
    const Musubi__CommandsAnswer *answer =
      codec_unpack (&musubi__commands_answer__descriptor, body, &arena, why);
    const Musubi__Plan *told = answer && answer->n_commands > 0 ? answer->commands [0]->plan : NULL;
    bool good = answer && (!told || codec_take_field (&plan_codec, plan, told, "plan", why));
    arena_end (&arena);
    return good;
}
