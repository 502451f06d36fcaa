/*  gridengine_calendar - read as qmaster does it (disabled_year_entry in its sge_calendar.c), and
 *  asked at each moment when it may change, as state_at does there.
 *
 *  The manual says of a day that a year names that its week does not count on it. The qmaster takes
 *  it so only for the times that the year names on that day, and so does this.
 */
#include "gridengine_calendar.h"

#include "batch_picture.h"
#include "must.h"
#include "name_list.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define DAY_S     86400
#define YEARS_MS  (INT64_C (1830000) * DAY_S) /* five */
#define HALF_MS   INT64_C (1800000)           /* clocks are changed at such times */
#define SPANS_MAX 4096

void grid_calendar_clear (grid_calendar_t *self)
{
    free (self->spans);
    *self = (grid_calendar_t){0};
}

static int day_of (const struct tm *wall, bool yearly)
{
    return yearly ? (wall->tm_year + 1900) * 10000 + (wall->tm_mon + 1) * 100 + wall->tm_mday
                  : wall->tm_wday;
}

/*  --- read --- */

/*  "24.12.2027", "24.dec.2027"; "mon". */
static bool day_read (const char *text, bool yearly, int *day)
{
    struct tm told = {0};
    const char *end = strptime (text, yearly ? "%d.%m.%Y" : "%a", &told);
    if (yearly && !end)
        end = strptime (text, "%d.%b.%Y", &told);
    *day = day_of (&told, yearly);
    return end && !*end;
}

/*  "6", "6:30", "23:59:59"; "24". */
static bool clock_read (const char *text, int *second)
{
    int hour = 0, minute = 0, rest = 0, size = 0;
    sscanf (text, "%2d%n:%2d%n:%2d%n", &hour, &size, &minute, &size, &rest, &size);
    *second = (hour * 60 + minute) * 60 + rest;
    return size > 0 && text [size] == '\0' && minute < 60 && rest < 60 && *second <= DAY_S;
}

/*  It may be cut, but not to less than three letters. */
static bool state_read (const char *text, bool *open)
{
    *open = strcasecmp (text, "on") == 0;
    return *open || strcasecmp (text, "off") == 0 ||
           (strlen (text) > 2 && strncasecmp (text, "suspended", strlen (text)) == 0);
}

/*  A range that turns round the end of its week, or of its day, is two. */
static void span_add (grid_calendar_t *self, grid_span_t span)
{
    grid_span_t rest = span;
    if (span.first_day > span.last_day) {
        rest.first_day = 0;
        span.last_day = 6;
        span_add (self, rest);
    }
    rest = span;
    if (span.from_s > span.until_s) {
        rest.from_s = 0;
        span.until_s = DAY_S;
        span_add (self, rest);
    }
    self->spans = must_grow (self->spans, self->count, &self->room, sizeof *self->spans);
    self->spans [self->count++] = span;
    int last = span.open ? 0 : span.yearly ? span.last_day : INT_MAX;
    self->closes_last = last > self->closes_last ? last : self->closes_last;
}

/*  "mon-fri", "1.1.2027". */
static bool days_read (char *text, grid_span_t *span)
{
    char *last = text;
    const char *first = strsep (&last, "-");
    return day_read (first, span->yearly, &span->first_day) &&
           day_read (last ? last : first, span->yearly, &span->last_day) &&
           (!span->yearly || span->first_day <= span->last_day);
}

/*  "20-6". */
static bool clocks_read (char *text, grid_span_t *span)
{
    char *until = text, *from = strsep (&until, "-");
    return until && clock_read (from, &span->from_s) && clock_read (until, &span->until_s) &&
           span->from_s != span->until_s;
}

/*  On each of these days at each of these times. */
static bool spans_read (grid_calendar_t *self, grid_span_t span, const char *days,
                        const char *times)
{
    name_list_auto_t all = {0};
    name_list_add (&all, days, "");
    for (size_t day = 0; day < all.count; day++) {
        name_list_auto_t each = {0};
        name_list_add (&each, times, "");
        if (!days_read (all.words [day], &span))
            return false;
        for (size_t i = 0; i < each.count; i++) {
            if (!clocks_read (each.words [i], &span))
                return false;
            span_add (self, span);
        }
    }
    return self->count <= SPANS_MAX;
}

/*  "DAYS=TIMES=STATE", of which each may be left out. */
static bool entry_read (grid_calendar_t *self, bool yearly, char *entry)
{
    const char *days = yearly ? "1.1.1970-31.12.2037" : "sun-sat", *times = "0-24";
    int part = 0;
    grid_span_t span = {.yearly = yearly};
    for (char *word; (word = strsep (&entry, "="));) {
        int is = state_read (word, &span.open) ? 3 : word [strspn (word, "0123456789:,-")] ? 1 : 2;
        if (is <= part || !*word)
            return false;
        part = is;
        days = is == 1 ? word : days;
        times = is == 2 ? word : times;
    }
    return spans_read (self, span, days, times);
}

static bool entries_read (grid_calendar_t *self, bool yearly, char *text, char why [WHY_BYTES])
{
    if (strcasecmp (text, "none") == 0)
        return true;
    for (char *entry; (entry = strsep (&text, " "));) {
        char whole [128];
        snprintf (whole, sizeof whole, "%s", entry);
        if (*entry && !entry_read (self, yearly, entry))
            return wrong (why, "%s %.100s", yearly ? "year" : "week", whole);
    }
    return true;
}

bool grid_calendar_read (char *year, char *week, grid_calendar_t *calendar, char why [WHY_BYTES])
{
    *calendar = (grid_calendar_t){0};
    return entries_read (calendar, true, year, why) && entries_read (calendar, false, week, why);
}

/*  --- its times --- */

static struct tm clock_at (int64_t ms)
{
    struct tm wall = {0};
    localtime_r (&(time_t){(time_t) (ms / 1000)}, &wall);
    return wall;
}

static int second_of (const struct tm *wall)
{
    return (wall->tm_hour * 60 + wall->tm_min) * 60 + wall->tm_sec;
}

static bool closed_at (const grid_calendar_t *self, int64_t ms)
{
    struct tm wall = clock_at (ms);
    int second = second_of (&wall);
    bool told [2] = {false}, open [2] = {false};
    for (size_t i = 0; i < self->count; i++) {
        const grid_span_t *span = &self->spans [i];
        int day = day_of (&wall, span->yearly);
        if (day < span->first_day || day > span->last_day || second < span->from_s ||
            second >= span->until_s)
            continue;
        told [span->yearly] = true;
        open [span->yearly] = open [span->yearly] || span->open;
    }
    bool yearly = told [true];
    return told [yearly] && !open [yearly];
}

/*  The next moment at which it may change: by the wall, or half an hour on when clocks are
 *  changed. */
static int64_t moment_next (const grid_calendar_t *self, int64_t ms)
{
    struct tm wall = clock_at (ms);
    int second = second_of (&wall), next = DAY_S;
    for (size_t i = 0; i < 2 * self->count; i++) {
        const grid_span_t *span = &self->spans [i / 2];
        int one = i % 2 ? span->until_s : span->from_s;
        next = one > second && one < next ? one : next;
    }
    int64_t then_ms = ms + INT64_C (1000) * (next - second), half_ms = (ms / HALF_MS + 1) * HALF_MS;
    bool changed = clock_at (then_ms).tm_gmtoff != wall.tm_gmtoff;
    return changed && half_ms < then_ms ? half_ms : then_ms;
}

/*  May it be closed then or later? */
static bool closes_from (const grid_calendar_t *self, int64_t ms)
{
    struct tm wall = clock_at (ms);
    return day_of (&wall, true) <= self->closes_last;
}

/*  From the begin of the day on. */
size_t grid_calendar_times (const grid_calendar_t *self, int64_t now_ms, int64_t *times_ms,
                            size_t most)
{
    size_t count = 0;
    bool closed = false;
    struct tm now = clock_at (now_ms);
    int64_t from_ms = now_ms / 1000 * 1000 - INT64_C (1000) * second_of (&now), ms = from_ms;
    for (; ms < from_ms + YEARS_MS && count < most && (closed || closes_from (self, ms));
         ms = moment_next (self, ms)) {
        if (closed_at (self, ms) == closed)
            continue;
        times_ms [2 * count + closed] = ms;
        count += closed && ms > now_ms;
        closed = !closed;
    }
    bool rest = count < most && (closed || closes_from (self, ms));
    if (rest && !closed)
        times_ms [2 * count] = ms;
    count += rest;
    if (rest || count == most)
        times_ms [2 * count - 1] = BATCH_FOREVER_MS;
    return count;
}
