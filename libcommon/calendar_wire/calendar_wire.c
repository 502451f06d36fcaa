/*  calendar_wire - protobuf <-> plain values. */
#include "calendar_wire.h"

#include "calendar.pb-c.h"
#include "message.h"
#include "planner.pb-c.h"
#include "transaction_wire.h"

/*  --- questions --- */

static const codec_row_t profile_rows [] = {
  ROW_WORD_LIST ("resources", profile_question_t, resources, resources_count, 0,
                 CALENDAR_RESOURCES_MOST),
  ROW_TIME ("from_ms", profile_question_t, over.from),
  ROW_TIME ("until_ms", profile_question_t, over.until),
  ROW_WORD ("reservation", profile_question_t, reservation, OR_NONE),
  ROW_FLAG ("without_work", profile_question_t, without_work),
  ROW_WORD ("actor", profile_question_t, actor, OR_NONE),
};

static bool calendar_profile_rule (void *self, char why [WHY_BYTES])
{
    const profile_question_t *asked = self;
    if (asked->without_work && *asked->reservation)
        return wrong (why, "without_work: leave one of reservation and without_work out");
    return interval_right (asked->over.from, asked->over.until, why);
}

const codec_t profile_question_codec =
  CODEC_RULED (profile_question_t, profile_request, profile_rows, calendar_profile_rule);

static const codec_row_t window_rows [] = {
  ROW_WORD ("resource", window_question_t, resource),
  ROW_NUMBER ("quantity", window_question_t, quantity, LEAST (1)),
  ROW_TIME ("from_ms", window_question_t, over.from),
  ROW_TIME ("until_ms", window_question_t, over.until),
};

/*  Of questions that begin with their time. */
static bool over_rule (void *self, char why [WHY_BYTES])
{
    const interval_t *over = self;
    return interval_right (over->from, over->until, why);
}

static const codec_t window_question_codec =
  CODEC_RULED (window_question_t, window, window_rows, over_rule);

static const codec_row_t windows_rows [] = {
  ROW_LIST ("windows", windows_question_t, windows, windows_count, window_question, 0,
            CALENDAR_WINDOWS_MOST),
  ROW_WORD ("reservation", windows_question_t, reservation, OR_NONE),
  ROW_WORD ("actor", windows_question_t, actor, OR_NONE),
};
const codec_t windows_question_codec = CODEC (windows_question_t, windows_request, windows_rows);

static const codec_row_t free_rows [] = {
  ROW_WORD ("resource", free_question_t, resource, OR_NONE),
  ROW_NUMBER ("amount", free_question_t, amount, LEAST (1)),
  ROW_NUMBER ("duration_ms", free_question_t, duration_ms, BETWEEN (1, TIME_MS_MAX)),
  ROW_TIME ("from_ms", free_question_t, over.from),
  ROW_TIME ("until_ms", free_question_t, over.until),
  ROW_NUMBER ("most", free_question_t, most),
  ROW_WORD ("actor", free_question_t, actor, OR_NONE),
};

const codec_t free_question_codec =
  CODEC_RULED (free_question_t, free_request, free_rows, over_rule);

static const codec_row_t utilisation_rows [] = {
  ROW_TIME ("from_ms", interval_t, from),
  ROW_TIME ("until_ms", interval_t, until),
};

const codec_t utilisation_question_codec =
  CODEC_RULED (interval_t, utilisation_request, utilisation_rows, over_rule);

static const codec_row_t capacity_rows [] = {
  ROW_WORD ("resource", capacity_question_t, resource),
  ROW_NUMBER ("quantity", capacity_question_t, quantity),
};
const codec_t capacity_question_codec =
  CODEC (capacity_question_t, capacity_request, capacity_rows);

/*  --- answers --- */

static const codec_row_t profiles_rows [] = {
  ROW_LIST ("profiles", profile_answer_t, profiles, count, profile, 0, PROFILES_MAX),
  ROW_NUMBER ("version", profile_answer_t, version),
};
const codec_t profile_answer_codec = CODEC (profile_answer_t, profile_answer, profiles_rows);

static const codec_row_t fits_rows [] = {
  ROW_FLAG_LIST ("fits", windows_answer_t, fits, count, 0, CALENDAR_WINDOWS_MOST),
  ROW_NUMBER ("version", windows_answer_t, version),
};
const codec_t windows_answer_codec = CODEC (windows_answer_t, windows_answer, fits_rows);

static const codec_row_t span_rows [] = {
  ROW_STRING ("resource", free_span_t, resource, NAME_BYTES_MAX),
  ROW_TIME ("from_ms", free_span_t, over.from),
  ROW_TIME ("until_ms", free_span_t, over.until),
};
static const codec_t free_span_codec = CODEC (free_span_t, free_span, span_rows);

static const codec_row_t spans_rows [] = {
  ROW_LIST ("spans", free_answer_t, spans, count, free_span, 0, ANY_COUNT),
  ROW_NUMBER ("utilisation", free_answer_t, utilisation, BETWEEN (0, 1)),
};
const codec_t free_answer_codec = CODEC (free_answer_t, free_answer, spans_rows);

static const codec_row_t use_rows [] = {
  ROW_STRING ("resource", resource_use_t, resource, NAME_BYTES_MAX),
  ROW_NUMBER ("utilisation", resource_use_t, utilisation),
};
static const codec_t resource_use_codec =
  CODEC (resource_use_t, utilisation_answer__resource_use, use_rows);

static const codec_row_t uses_rows [] = {
  ROW_LIST ("resources", utilisation_answer_t, uses, count, resource_use, 0, ANY_COUNT),
  ROW_NUMBER ("utilisation", utilisation_answer_t, utilisation),
};
const codec_t utilisation_answer_codec =
  CODEC (utilisation_answer_t, utilisation_answer, uses_rows);

static const codec_row_t overbooked_rows [] = {
  ROW_STRING_LIST ("overbooked", capacity_answer_t, names, count, NAME_BYTES_MAX, 0,
                   OVERBOOKED_MAX),
  ROW_NUMBER ("overbooked_count", capacity_answer_t, overbooked),
};
const codec_t capacity_answer_codec = CODEC (capacity_answer_t, capacity_answer, overbooked_rows);

/*  --- the request a plan serves --- */

static bool instant_read (const Musubi__Instant *from, int64_t now_ms, int64_t *ms)
{
    if (!from)
        return false;
    if (from->when_case == MUSUBI__INSTANT__WHEN_AT_MS)
        *ms = from->at_ms;
    else if (from->when_case == MUSUBI__INSTANT__WHEN_FROM_NOW_MS && time_valid (from->from_now_ms))
        *ms = now_ms + from->from_now_ms;
    else
        return false;
    return time_valid (*ms);
}

void request_frame_decode (bytes_t request, int64_t now_ms, interval_t *frame)
{
    message_auto_t *message =
      request.size > 0 ? message_unpack (&musubi__request__descriptor, request) : NULL;
    if (!message)
        return;
    const Musubi__TimeFrame *window = ((const Musubi__Request *) message)->window;
    interval_t told;
    if (window && instant_read (window->earliest, now_ms, &told.from) &&
        instant_read (window->deadline, now_ms, &told.until) && told.from < told.until)
        *frame = told;
}
