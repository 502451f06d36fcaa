/*  gis_wire - announcements and questions, to and from proto/gis.proto. */
#include "gis_wire.h"

#include "codec_table.h"
#include "directory.h"
#include "message.h"

#include "gis.pb-c.h"

#include <assert.h>

static_assert (GIS_HOMES_MAX <= DIRECTORY_HOMES_MAX, "readers take as many homes");
static_assert (GIS_ENTRIES_MAX <= DIRECTORY_ENTRIES_MAX, "readers keep as many entries");

/*  --- pages and changes --- */

static const codec_row_t snapshot_rows [] = {
  ROW_PACKED_LIST ("entries", entries_told_t, entries, count, &directory_entry_codec, 0,
                   GIS_PAGE_ENTRIES_MAX),
  ROW_NUMBER ("number", entries_told_t, mark.number),
  ROW_FIXED ("store", entries_told_t, mark.store),
  ROW_NUMBER ("start", entries_told_t, mark.start),
  ROW_STRING_LIST ("homes", entries_told_t, homes, homes_count, NAME_BYTES_MAX, 0, GIS_HOMES_MAX),
  ROW_FLAG ("unchanged", entries_told_t, unchanged),
  ROW_FLAG ("more", entries_told_t, more),
  ROW_FLAG ("changes", entries_told_t, changes),
  ROW_WORD_LIST ("gone", entries_told_t, gone, gone_count, 0, SNAPSHOT_GONE_MAX),
  ROW_LIST ("absent", entries_told_t, absent, absent_count, absence, 0, ABSENCES_MAX),
};
const codec_t snapshot_told_codec = CODEC (entries_told_t, snapshot_answer, snapshot_rows);

static const codec_row_t find_told_rows [] = {
  ROW_PACKED_LIST ("entries", entries_told_t, entries, count, &directory_entry_codec, 0,
                   GIS_PAGE_ENTRIES_MAX),
  ROW_FLAG ("more", entries_told_t, more),
};
const codec_t find_told_codec = CODEC (entries_told_t, find_answer, find_told_rows);

packed_t entries_told_encode (const codec_t *codec, const entries_told_t *told)
{
    entries_told_t rest = *told;
    rest.count = 0;
    packed_t body = codec_encode (codec, &rest);
    uint32_t field =
      protobuf_c_message_descriptor_get_field_by_name (codec->message, "entries")->id;
    message_splice (&body, field, told->entries, told->count);
    return body;
}

static const codec_row_t delta_rows [] = {
  ROW_NUMBER ("number", delta_told_t, number),
  ROW_PACKED ("entry", delta_told_t, entry.data, entry.size, &directory_entry_codec,
              SET_BY (delta_told_t, listed)),
  ROW_STRING ("gone", delta_told_t, name, NAME_BYTES_MAX, SET_BY (delta_told_t, gone)),
  ROW_ONE ("absent", delta_told_t, absent, absence, SET_BY (delta_told_t, remembered)),
};
const codec_t delta_told_codec = CODEC (delta_told_t, delta, delta_rows);
