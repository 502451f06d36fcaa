/*  storage_work_wire - the tables of storage_work.h. */
#include "storage_work.h"

#include "codec_table.h"

#include "chain.pb-c.h"

static const codec_row_t storage_work_rows [] = {
  ROW_STRING ("from", storage_work_t, from, STORAGE_PATH_BYTES - 1),
  ROW_STRING ("to", storage_work_t, to, STORAGE_PATH_BYTES - 1),
  ROW_STRING_LIST ("names", storage_work_t, names, names_count, STORAGE_PATH_BYTES - 1, 0,
                   ANY_COUNT),
  ROW_STRING ("marks", storage_work_t, marks, STORAGE_PATH_BYTES - 1),
  ROW_FIXED ("digest", storage_work_t, digest, SET_BY (storage_work_t, expected)),
  ROW_NUMBER ("mbps", storage_work_t, mbps),
  ROW_FLAG ("plain", storage_work_t, plain),
  ROW_NUMBER ("older_ms", storage_work_t, older_ms),
  ROW_NUMBER_LIST ("sizes", storage_work_t, sizes, sizes_count, 0, ANY_COUNT),
};
const codec_t storage_work_codec = CODEC (storage_work_t, storage_work, storage_work_rows);

static const codec_row_t storage_result_rows [] = {
  ROW_FLAG ("there", storage_result_t, there),
  ROW_NUMBER ("size", storage_result_t, content.size),
  ROW_FIXED ("digest", storage_result_t, content.digest,
             SET_BY (storage_result_t, content.digest_known)),
  ROW_ONE ("damage", storage_result_t, damage, damage, SET_BY (storage_result_t, damaged)),
  ROW_STRING_LIST ("names", storage_result_t, names, names_count, CHAIN_FILE_BYTES_MAX, 0,
                   ANY_COUNT),
};
const codec_t storage_result_codec =
  CODEC (storage_result_t, storage_work_result, storage_result_rows);
