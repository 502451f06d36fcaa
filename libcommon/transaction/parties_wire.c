/*  parties_wire - to and from proto/gis.proto. */
#include "parties_wire.h"

#include "codec_table.h"

#include "gis.pb-c.h"

static const codec_row_t parties_question_rows [] = {
  ROW_WORD ("reservation", parties_question_t, reservation),
};
const codec_t parties_question_codec =
  CODEC (parties_question_t, parties_request, parties_question_rows);

static const codec_row_t parties_told_rows [] = {
  ROW_LIST ("parties", parties_told_t, list, count, participant_ref, 0, PARTIES_TOLD_MAX),
  ROW_FLAG ("more", parties_told_t, more),
};
const codec_t parties_told_codec = CODEC (parties_told_t, parties_answer, parties_told_rows);
