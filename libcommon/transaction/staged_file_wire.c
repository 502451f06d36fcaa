/*  staged_file_wire - the tables of staged_file.h. */
#include "staged_file.h"

#include "codec_table.h"

#include "replica.pb-c.h"

#include <assert.h>

static_assert ((int) STAGED_LATE == MUSUBI__STAGED_STATE__STAGED_LATE, "same numbers");

const char *staged_state_word (staged_state_t state)
{
    static const char *const words [] = {"awaited", "coming", "ready", "late"};
    return words [state];
}

static const codec_row_t staged_file_rows [] = {
  ROW_WORD ("need", staged_file_t, need),
  ROW_WORD ("node", staged_file_t, node),
  ROW_TEXT ("file", staged_file_t, file),
  ROW_ENUM ("state", staged_file_t, state, STAGED_LATE),
  ROW_NUMBER ("has", staged_file_t, has),
  ROW_NUMBER ("size", staged_file_t, size),
  ROW_WORD ("source", staged_file_t, source, OR_NONE),
  ROW_TEXT ("why", staged_file_t, why, OR_NONE),
};
const codec_t staged_file_codec = CODEC (staged_file_t, staged_file, staged_file_rows);
