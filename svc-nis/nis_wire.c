/*  nis_wire - protobuf <-> plain values. */
#include "nis_wire.h"

#include "circuit_usage.h"
#include "codec_table.h"
#include "nis.h"
#include "nis.pb-c.h"

#include <stdlib.h>

/*  --- Paths --- */

static const codec_row_t ask_rows [] = {
  ROW_WORD ("from", path_ask_t, from),
  ROW_WORD ("to", path_ask_t, to),
  ROW_NUMBER ("mbps", path_ask_t, mbps, LEAST (1)),
  ROW_TIME ("from_ms", path_ask_t, over.from),
  ROW_TIME ("until_ms", path_ask_t, over.until),
  ROW_MICROS ("latency_ms_max", path_ask_t, latency_us_max,
              (int64_t) LATENCY_US_MAX *PATH_HOPS_MAX),
  ROW_LIST ("require", path_ask_t, require, require_count, requirement, 0, PATH_REQUIRE_MAX),
  ROW_TEXT ("route", path_ask_t, route, OR_NONE),
};

/*  A limit too small to count is a limit all the same. */
static bool ask_rule (void *self, const void *message, char why [WHY_BYTES])
{
    path_ask_t *ask = self;
    if (((const Musubi__PathQuestion *) message)->latency_ms_max > 0 && ask->latency_us_max == 0)
        ask->latency_us_max = 1;
    ask->order = PATH_FREE;
    if (*ask->route && !path_order_parse (ask->route, &ask->order))
        return wrong (why, "route: \"%s\" should be free or fixed", ask->route);
    return interval_right (ask->over.from, ask->over.until, why);
}

static const codec_t path_ask_codec = CODEC_JUDGED (path_ask_t, path_question, ask_rows, ask_rule);

static const codec_row_t paths_rows [] = {
  ROW_LIST ("questions", paths_question_t, asks, asks_count, path_ask, 0, NIS_PATHS_MOST),
  ROW_WORD ("reservation", paths_question_t, reservation, OR_NONE),
};
const codec_t paths_question_codec = CODEC (paths_question_t, paths_request, paths_rows);

/*  --- use --- */

static const codec_row_t use_question_rows [] = {
  ROW_WORD ("reservation", use_t, reservation),
  ROW_ONE ("traffic", use_t, traffic, traffic, OR_NONE),
};
const codec_t use_question_codec = CODEC (use_t, use_request, use_question_rows);

static const codec_row_t use_answer_rows [] = {
  ROW_FLAG ("provisioned", use_told_t, provisioned),
  ROW_FLAG ("active", use_told_t, active),
  ROW_ENUM ("state", use_told_t, state, CIRCUITS_DEGRADED),
  ROW_TEXT ("trouble", use_told_t, trouble, OR_NONE),
};
const codec_t use_answer_codec = CODEC (use_told_t, use_answer, use_answer_rows);

static const codec_row_t use_record_rows [] = {
  ROW_FLAG ("provisioned", use_t, provisioned),
  ROW_ONE ("traffic", use_t, traffic, traffic, OR_NONE),
};
const codec_t use_record_codec = CODEC (use_t, use_record, use_record_rows);
