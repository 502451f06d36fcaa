/*  lis_wire - tables: a site asked what it is. */
#include "lis_wire.h"

#include "codec_table.h"
#include "site_wire.h"

#include "lis.pb-c.h"

const codec_t site_question_codec = CODEC_EMPTY (musubi__site_request__descriptor);

static const codec_row_t site_told_rows [] = {
  ROW_STRING ("name", site_told_t, name, NAME_BYTES_MAX),
  ROW_POINTER ("site", site_told_t, site, site),
};
const codec_t site_told_codec =
  CODEC (site_told_t, musubi__site_answer__descriptor, site_told_rows);
