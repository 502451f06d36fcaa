/*  free_capacity_answers - profiles, spans and utilisation, read off the calendars.
 *
 *  What the caller's own reservation holds counts as free: the interval is cut where that holding
 *  changes, and to the calendar's answer for each piece is added what the reservation holds there.
 */
#include "free_capacity.h"

#include "must.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/*  A piece of an interval over which what is counted is constant. */
typedef struct {
    interval_t over;
    int64_t counted;
} free_capacity_answers_piece_t;

/*  The piece that starts at over.from: walks the stretches of one resource from *at on. */
static free_capacity_answers_piece_t piece_first (interval_t over, const interval_list_t *counted,
                                                  size_t *at)
{
    while (*at < counted->count && counted->list [*at].over.until <= over.from)
        (*at)++;
    free_capacity_answers_piece_t piece = {.over = over};
    if (*at == counted->count)
        return piece;
    const resource_interval_t *stretch = &counted->list [*at];
    bool inside = stretch->over.from <= over.from;
    int64_t turn = inside ? stretch->over.until : stretch->over.from;
    piece.counted = inside ? stretch->quantity : 0;
    piece.over.until = turn < over.until ? turn : over.until;
    return piece;
}

static void profile_add (profile_t *profile, int64_t from_ms, int64_t quantity)
{
    if (profile->steps_count > 0 && profile->steps [profile->steps_count - 1].free == quantity)
        return;
    profile->steps [profile->steps_count++] =
      (profile_step_t){.from_ms = from_ms, .free = quantity};
}

/*  Every step as it is; false when there may be more than steps_max. */
static bool profile_exact (const calendar_t *calendar, interval_t over,
                           const interval_list_t *counted, size_t steps_max, profile_t *profile)
{
    memory_auto int64_t *times = must (reallocarray (NULL, 2 * steps_max, sizeof *times));
    int64_t *free_there = times + steps_max;
    size_t left = steps_max;
    size_t at = 0;
    while (over.from < over.until) {
        free_capacity_answers_piece_t piece = piece_first (over, counted, &at);
        size_t count = calendar_profile (calendar, piece.over, times, free_there, left);
        if (count > left)
            break;
        for (size_t i = 0; i < count; i++)
            profile_add (profile, times [i], free_there [i] + piece.counted);
        left -= count;
        over.from = piece.over.until;
    }
    return over.from == over.until;
}

static int64_t least_counted (const calendar_t *calendar, interval_t over,
                              const interval_list_t *counted, size_t *at)
{
    int64_t least = INT64_MAX;
    while (over.from < over.until) {
        free_capacity_answers_piece_t piece = piece_first (over, counted, at);
        int64_t there = calendar_least (calendar, piece.over) + piece.counted;
        least = there < least ? there : least;
        over.from = piece.over.until;
    }
    return least;
}

/*  The least of each of steps_max equal parts. */
static void profile_coarse (const calendar_t *calendar, interval_t over,
                            const interval_list_t *counted, size_t steps_max, profile_t *profile)
{
    int64_t parts = (int64_t) steps_max;
    int64_t width = (over.until - over.from + parts - 1) / parts;
    size_t at = 0;
    profile->steps_count = 0;
    for (int64_t from = over.from; from < over.until; from += width) {
        int64_t until = over.until - from > width ? from + width : over.until;
        profile_add (profile, from,
                     least_counted (calendar, (interval_t){from, until}, counted, &at));
    }
}

/*  A booking changes the quantity twice, and so does a counted interval: there are no more steps
 *  than that. */
static size_t steps_most (const free_capacity_t *self, size_t resource,
                          const interval_list_t *counted)
{
    interval_list_t there = interval_list_of_resource (counted, resource);
    return 2 * (calendar_bookings (free_capacity_calendar (self, resource)) + there.count) + 1;
}

void free_capacity_profile (const free_capacity_t *self, size_t resource, interval_t over,
                            const interval_list_t *counted, size_t steps_max, profile_t *profile)
{
    assert (over.from < over.until && steps_max > 0);
    const calendar_t *calendar = free_capacity_calendar (self, resource);
    interval_list_t there = interval_list_of_resource (counted, resource);
    *profile = (profile_t){.until_ms = over.until};
    snprintf (profile->resource, sizeof profile->resource, "%s",
              free_capacity_resource_name (self, resource));
    size_t most = steps_most (self, resource, counted);
    steps_max = steps_max < most ? steps_max : most;
    profile->steps = must (reallocarray (NULL, steps_max, sizeof *profile->steps));
    if (!profile_exact (calendar, over, &there, steps_max, profile))
        profile_coarse (calendar, over, &there, steps_max, profile);
}

void free_capacity_profile_clear (profile_t *profile)
{
    free (profile->steps);
    *profile = (profile_t){0};
}

int64_t free_capacity_least (const free_capacity_t *self, size_t resource, interval_t over,
                             const interval_list_t *counted)
{
    assert (over.from < over.until);
    interval_list_t there = interval_list_of_resource (counted, resource);
    size_t at = 0;
    return least_counted (free_capacity_calendar (self, resource), over, &there, &at);
}

/*  The most that each may have so that all together have no more than the total: those that need
 *  less than an even share leave the rest to the others. Sorts the needs. */
static size_t share_even (size_t *needs, size_t count, size_t total)
{
    qsort (needs, count, sizeof *needs, size_compare);
    for (size_t i = 0; i < count; i++) {
        size_t share = total / (count - i);
        if (needs [i] > share)
            return share;
        total -= needs [i];
    }
    return SIZE_MAX;
}

void free_capacity_profiles (const free_capacity_t *self, const size_t *resources, size_t count,
                             interval_t over, const interval_list_t *counted, size_t steps_max,
                             profile_t *profiles)
{
    assert (count <= steps_max);
    memory_auto size_t *needs = must (calloc (count + 1, sizeof *needs));
    for (size_t i = 0; i < count; i++)
        needs [i] = steps_most (self, resources [i], counted);
    size_t most = share_even (needs, count, steps_max);
    for (size_t i = 0; i < count; i++)
        free_capacity_profile (self, resources [i], over, counted, most, &profiles [i]);
}

/*  The count and the levels of one resource, up to the last span in which something is taken. */
static size_t summarise (const calendar_t *calendar, int64_t from_ms,
                         uint8_t told [FREE_SUMMARY_SPANS + 1])
{
    told [0] = 0;
    for (size_t span = 0; span < FREE_SUMMARY_SPANS; span++) {
        int64_t begin_ms = free_summary_begin (from_ms, span);
        interval_t over = {begin_ms, free_summary_begin (from_ms, span + 1)};
        if (calendar_fits (calendar, (interval_t){begin_ms, CALENDAR_HORIZON_MS},
                           calendar_capacity (calendar)))
            break;
        int64_t most = calendar_most (calendar, over);
        told [span + 1] = free_summary_level (most > 0 ? (uint64_t) most : 0);
        if (most < calendar_capacity (calendar))
            told [0] = (uint8_t) (span + 1);
    }
    return told [0] + 1u;
}

void free_capacity_summary (const free_capacity_t *self, int64_t from_ms, free_summary_t *summary)
{
    uint8_t levels [FREE_SUMMARY_BYTES_MAX];
    size_t size = 0, told = 0;
    for (size_t i = 0; i < free_capacity_offers (self); i++) {
        if (FREE_SUMMARY_BYTES_MAX - size <= FREE_SUMMARY_SPANS)
            break;
        uint8_t *count = &levels [size];
        size += summarise (free_capacity_calendar (self, i), from_ms, count);
        if (*count > 0)
            told = size;
    }
    *summary = (free_summary_t){0};
    if (told > 0)
        *summary = (free_summary_t){from_ms, must_copy (levels, told), told};
}

size_t free_capacity_spans (const free_capacity_t *self, const moment_t *now, size_t resource,
                            int64_t quantity, int64_t duration_ms, interval_t over,
                            interval_t *spans, size_t spans_max)
{
    int64_t gap_ms = free_capacity_terms (self)->gap_ms;
    int64_t soonest_ms = free_capacity_soonest_ms (self, now);
    int64_t horizon_ms = free_capacity_horizon_ms (self, now);
    interval_t window = {
      .from = over.from > soonest_ms ? over.from : soonest_ms,
      .until = over.until < horizon_ms ? over.until : horizon_ms,
    };
    if (window.until - window.from < duration_ms)
        return 0;
    window.until += gap_ms;
    size_t count = calendar_spans (free_capacity_calendar (self, resource), window,
                                   duration_ms + gap_ms, quantity, spans, spans_max);
    for (size_t i = 0; i < count; i++)
        spans [i].until -= gap_ms;
    return count;
}

/*  Where there is no capacity, all of it counts as taken. */
static double free_capacity_answers_share (double booked, double whole)
{
    return booked < whole ? booked / whole : 1;
}

double free_capacity_utilisation (const free_capacity_t *self, size_t resource, interval_t over)
{
    assert (over.from < over.until);
    const calendar_t *calendar = free_capacity_calendar (self, resource);
    double whole = (double) calendar_capacity (calendar) * (double) (over.until - over.from);
    return free_capacity_answers_share (calendar_booked (calendar, over), whole);
}

double free_capacity_utilisation_all (const free_capacity_t *self, interval_t over)
{
    assert (over.from < over.until);
    double booked = 0;
    double whole = 0;
    for (size_t i = 0; i < free_capacity_offers (self); i++) {
        const resource_offer_t *offer = free_capacity_offer (self, i);
        booked += offer->unit * calendar_booked (free_capacity_calendar (self, i), over);
        whole += (double) offer->unit * offer->quantity * (double) (over.until - over.from);
    }
    return free_capacity_answers_share (booked, whole);
}
