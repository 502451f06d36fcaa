/*  decision_wire - the coordinator's log, to and from proto/planner.proto.
 */
#include "record.h"

#include "codec_table.h"

#include "planner.pb-c.h"

#include <assert.h>

static_assert ((int) DECISION_REPAIRED == MUSUBI__DECISION_PHASE__REPAIRED, "same numbers");

/*  --- what was before a change --- */

static const codec_row_t before_rows [] = {
  ROW_LIST ("parts", before_t, parts, parts_count, part_record, 1, PARTICIPANTS_MAX),
  ROW_BYTES ("request", before_t, request, request_size, PLAN_REQUEST_BYTES_MAX),
};
const codec_t before_codec = CODEC (before_t, before, before_rows);

/*  --- the coordinator's log --- */

static bool decision_whole (const decision_record_t *record)
{
    return record->phase == DECISION_DECIDED || record->phase == DECISION_REPAIRING;
}

static const codec_row_t decision_rows [] = {
  ROW_ENUM ("phase", decision_record_t, phase, DECISION_REPAIRED),
  ROW_ONE ("plan", decision_record_t, plan, plan,
           SET_BY (decision_record_t, plan.participants_count)),
  ROW_NUMBER ("end_ms", decision_record_t, end_ms),
  ROW_UNUSED ("lost"), /* see decision_rule and decision_encode */
  ROW_TEXT ("text", decision_record_t, text, OR_NONE),
  ROW_NUMBER ("epoch", decision_record_t, epoch),
  ROW_ONE ("before", decision_record_t, before, before,
           SET_BY (decision_record_t, before.parts_count)),
  ROW_NUMBER ("repair_tries", decision_record_t, repair_tries),
  ROW_LIST ("made", decision_record_t, made, made_count, participant_ref, 0, PARTICIPANTS_MAX),
};

static bool decision_rule (void *self, const void *message, char why [WHY_BYTES])
{
    decision_record_t *record = self;
    const Musubi__DecisionRecord *from = message;
    for (size_t i = 0; i < from->n_lost; i++) {
        if (from->lost [i] >= PARTICIPANTS_MAX)
            return wrong (why, "lost[%zu]: %u should be less than %d", i, from->lost [i],
                          PARTICIPANTS_MAX);
        record->lost [from->lost [i]] = true;
    }
    return !decision_whole (record) || from->plan || wrong (why, "plan: missing");
}

const codec_t decision_codec =
  CODEC_JUDGED (decision_record_t, decision_record, decision_rows, decision_rule);

packed_t decision_encode (const decision_record_t *self)
{
    arena_t arena;
    arena_init (&arena);
    decision_record_t told = *self;
    if (!decision_whole (self)) {
        told.plan = (plan_t){0};
        told.before = (before_t){0};
        told.made_count = 0;
    }
    Musubi__DecisionRecord *record = codec_put (&decision_codec, &told, &arena);
    uint32_t lost [PARTICIPANTS_MAX];
    record->lost = lost;
    for (uint32_t i = 0; i < PARTICIPANTS_MAX; i++)
        if (self->lost [i])
            lost [record->n_lost++] = i;
    packed_t packed = packed_of (&record->base);
    arena_end (&arena);
    return packed;
}
