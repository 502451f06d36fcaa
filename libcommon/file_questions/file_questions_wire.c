/*  file_questions_wire - the tables of file_questions.h. */
#include "file_questions.h"

#include "codec_table.h"

#include "replica.pb-c.h"

#include <assert.h>

/*  The rule of all structs that begin with the name of a file. */
static bool staged_name_rule (void *self, char why [WHY_BYTES])
{
    return file_name_check (self, why);
}

static_assert (offsetof (stay_question_t, name) == 0 && offsetof (take_in_question_t, name) == 0 &&
                 offsetof (file_locate_t, name) == 0 && offsetof (staging_question_t, name) == 0,
               "they do");

static const codec_row_t stay_question_rows [] = {
  ROW_TEXT ("name", stay_question_t, name),
  ROW_WORD ("node", stay_question_t, node),
  ROW_WORD ("who", stay_question_t, who),
  ROW_NUMBER ("stay_ms", stay_question_t, stay_ms, MOST (STAY_MS_MAX)),
  ROW_FLAG ("look", stay_question_t, look),
  ROW_FLAG ("doubt", stay_question_t, doubt),
};
const codec_t stay_question_codec =
  CODEC_RULED (stay_question_t, stay_request, stay_question_rows, staged_name_rule);

static const codec_row_t stay_answer_rows [] = {
  ROW_ENUM ("state", stay_answer_t, state, STAGED_LATE),
  ROW_NUMBER ("size", stay_answer_t, size),
  ROW_FIXED ("digest", stay_answer_t, digest, SET_BY (stay_answer_t, digest_known)),
  ROW_NUMBER ("has", stay_answer_t, has),
  ROW_STRING ("path", stay_answer_t, path, STAGED_PATH_MAX),
  ROW_TEXT ("why", stay_answer_t, why, OR_NONE),
  ROW_WORD ("source", stay_answer_t, source, OR_NONE),
};
const codec_t stay_answer_codec = CODEC (stay_answer_t, stay_answer, stay_answer_rows);

static const codec_row_t take_in_question_rows [] = {
  ROW_TEXT ("name", take_in_question_t, name),
  ROW_WORD ("node", take_in_question_t, node),
  ROW_STRING ("path", take_in_question_t, path, STAGED_PATH_MAX),
  ROW_WORD ("owner", take_in_question_t, owner),
  ROW_WORD ("home", take_in_question_t, home, OR_NONE),
};
const codec_t take_in_question_codec =
  CODEC_RULED (take_in_question_t, take_in_request, take_in_question_rows, staged_name_rule);

static const codec_row_t take_in_answer_rows [] = {
  ROW_ENUM ("state", take_in_answer_t, state, STAGED_LATE),
  ROW_NUMBER ("size", take_in_answer_t, size),
  ROW_FIXED ("digest", take_in_answer_t, digest, SET_BY (take_in_answer_t, digest_known)),
  ROW_TEXT ("why", take_in_answer_t, why, OR_NONE),
};
const codec_t take_in_answer_codec = CODEC (take_in_answer_t, take_in_answer, take_in_answer_rows);

static const codec_row_t file_place_rows [] = {
  ROW_WORD ("site", file_place_t, site),
  ROW_NUMBER ("size", file_place_t, content.size),
  ROW_FIXED ("digest", file_place_t, content.digest),
  ROW_NUMBER ("created_ms", file_place_t, created_ms),
  ROW_NUMBER ("sound", file_place_t, sound),
  ROW_NUMBER ("staged", file_place_t, staged),
  ROW_FLAG ("kept", file_place_t, kept),
  ROW_WORD ("owner", file_place_t, owner, OR_NONE),
  ROW_NUMBER ("quarantined", file_place_t, quarantined),
  ROW_NUMBER ("bad", file_place_t, bad),
  ROW_NUMBER ("bad_at", file_place_t, bad_at),
  ROW_NUMBER ("nodes", file_place_t, nodes),
  ROW_NUMBER ("sending", file_place_t, sending),
  ROW_NUMBER ("feeds", file_place_t, feeds),
  ROW_WORD ("from", file_place_t, from, OR_NONE),
};
const codec_t file_place_codec = CODEC (file_place_t, place, file_place_rows);

static const codec_row_t locate_rows [] = {
  ROW_TEXT ("name", file_locate_t, name),
};
const codec_t locate_codec =
  CODEC_RULED (file_locate_t, locate_request, locate_rows, staged_name_rule);

static const codec_row_t places_told_rows [] = {
  ROW_LIST ("places", places_told_t, places, count, file_place, 0, PLACES_MAX),
  ROW_UNUSED ("silent"),
};
const codec_t places_told_codec = CODEC (places_told_t, locate_answer, places_told_rows);

static const codec_row_t staging_question_rows [] = {
  ROW_TEXT ("name", staging_question_t, name),
  ROW_NUMBER ("size", staging_question_t, size),
  ROW_WORD_LIST ("sites", staging_question_t, sites, sites_count, 0, STAGING_SITES_MAX),
};
static const codec_t staging_question_codec =
  CODEC_RULED (staging_question_t, staging_question, staging_question_rows, staged_name_rule);

static const codec_row_t staging_asked_rows [] = {
  ROW_LIST ("files", staging_asked_t, files, count, staging_question, 0, STAGING_FILES_MAX),
};
const codec_t staging_asked_codec = CODEC (staging_asked_t, staging_request, staging_asked_rows);

static const codec_row_t staging_answer_rows [] = {
  ROW_TEXT ("name", staging_answer_t, name),
  ROW_WORD_LIST ("nodes", staging_answer_t, nodes, nodes_count, 0, STAGING_NODES_MAX),
  ROW_WORD ("source", staging_answer_t, source, OR_NONE),
  ROW_NUMBER ("bytes_per_s", staging_answer_t, bytes_per_s),
  ROW_FLAG ("kept", staging_answer_t, kept),
};
static const codec_t staging_answer_codec = CODEC (staging_answer_t, staging, staging_answer_rows);

static const codec_row_t staging_told_rows [] = {
  ROW_LIST ("files", staging_told_t, files, count, staging_answer, 0, STAGING_FILES_MAX),
  ROW_NUMBER ("bytes_max", staging_told_t, bytes_max),
};
const codec_t staging_told_codec = CODEC (staging_told_t, staging_answer, staging_told_rows);
