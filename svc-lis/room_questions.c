/*  room_questions - profiles, spans and utilisation, read off the calendars.
 *
 *  What an asker's own reservation holds counts as free: the interval is cut where that holding
 *  changes, and each piece is the calendar's answer plus what the holding has there.
 */
#include "room.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/*  A piece of an interval over which counted nodes are constant. */
typedef struct {
    interval_t over;
    int64_t counted;
} piece_t;

/*  The piece that starts at over.from: walks the stretches of one class from *at on. */
static piece_t piece_first (interval_t over, const stretches_t *counted, size_t *at)
{
    while (*at < counted->count && counted->list [*at].over.until <= over.from)
        (*at)++;
    piece_t piece = {.over = over};
    if (*at == counted->count)
        return piece;
    const stretch_t *stretch = &counted->list [*at];
    bool inside = stretch->over.from <= over.from;
    int64_t turn = inside ? stretch->over.until : stretch->over.from;
    piece.counted = inside ? stretch->nodes : 0;
    piece.over.until = turn < over.until ? turn : over.until;
    return piece;
}

static void profile_add (profile_t *profile, int64_t from_ms, int64_t nodes)
{
    if (profile->steps_count > 0 && profile->steps [profile->steps_count - 1].free == nodes)
        return;
    profile->steps [profile->steps_count++] = (profile_step_t){.from_ms = from_ms, .free = nodes};
}

/*  Every step as it is; false when there may be more than steps_max. */
static bool profile_exact (const calendar_t *calendar, interval_t over, const stretches_t *counted,
                           size_t steps_max, profile_t *profile)
{
    int64_t *times = reallocarray (NULL, 2 * steps_max, sizeof *times); /* written before read */
    if (!times)
        abort ();
    int64_t *free_nodes = times + steps_max;
    size_t left = steps_max;
    size_t at = 0;
    while (over.from < over.until) {
        piece_t piece = piece_first (over, counted, &at);
        size_t count = calendar_profile (calendar, piece.over, times, free_nodes, left);
        if (count > left)
            break;
        for (size_t i = 0; i < count; i++)
            profile_add (profile, times [i], free_nodes [i] + piece.counted);
        left -= count;
        over.from = piece.over.until;
    }
    free (times);
    return over.from == over.until;
}

static int64_t least_counted (const calendar_t *calendar, interval_t over,
                              const stretches_t *counted, size_t *at)
{
    int64_t least = INT64_MAX;
    while (over.from < over.until) {
        piece_t piece = piece_first (over, counted, at);
        int64_t nodes = calendar_least (calendar, piece.over) + piece.counted;
        least = nodes < least ? nodes : least;
        over.from = piece.over.until;
    }
    return least;
}

/*  The least of each of steps_max equal parts. */
static void profile_coarse (const calendar_t *calendar, interval_t over, const stretches_t *counted,
                            size_t steps_max, profile_t *profile)
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

void room_profile (const room_t *self, size_t class_index, interval_t over,
                   const stretches_t *counted, size_t steps_max, profile_t *profile)
{
    assert (over.from < over.until && steps_max > 0);
    const calendar_t *calendar = room_calendar (self, class_index);
    stretches_t of_class = counted ? stretches_of_class (counted, class_index) : (stretches_t){0};
    *profile = (profile_t){.until_ms = over.until};
    snprintf (profile->resource, sizeof profile->resource, "%s",
              room_class_name (self, class_index));
    /*  A booking turns the number twice, a counted stretch too: no more steps than that. */
    size_t steps_most = 2 * (calendar_bookings (calendar) + of_class.count) + 1;
    steps_max = steps_max < steps_most ? steps_max : steps_most;
    profile->steps = reallocarray (NULL, steps_max, sizeof *profile->steps);
    if (!profile->steps)
        abort ();
    if (!profile_exact (calendar, over, &of_class, steps_max, profile))
        profile_coarse (calendar, over, &of_class, steps_max, profile);
}

void room_profile_clear (profile_t *profile)
{
    free (profile->steps);
    *profile = (profile_t){0};
}

size_t room_spans (const room_t *self, const moment_t *now, size_t class_index, int64_t nodes,
                   int64_t duration_ms, interval_t over, interval_t *spans, size_t spans_max)
{
    int64_t gap_ms = room_site (self)->cleaning_gap_ms;
    int64_t soonest_ms = room_soonest_ms (self, now);
    int64_t horizon_ms = room_horizon_ms (self, now);
    interval_t window = {
      .from = over.from > soonest_ms ? over.from : soonest_ms,
      .until = over.until < horizon_ms ? over.until : horizon_ms,
    };
    if (window.until - window.from < duration_ms)
        return 0;
    window.until += gap_ms;
    size_t count = calendar_spans (room_calendar (self, class_index), window, duration_ms + gap_ms,
                                   nodes, spans, spans_max);
    for (size_t i = 0; i < count; i++)
        spans [i].until -= gap_ms;
    return count;
}

/*  Where there are no nodes, whatever is asked is taken. */
static double share (double booked, double whole)
{
    return booked < whole ? booked / whole : 1;
}

double room_utilisation (const room_t *self, size_t class_index, interval_t over)
{
    assert (over.from < over.until);
    const calendar_t *calendar = room_calendar (self, class_index);
    double whole = (double) calendar_capacity (calendar) * (double) (over.until - over.from);
    return share (calendar_booked (calendar, over), whole);
}

double room_utilisation_all (const room_t *self, interval_t over)
{
    assert (over.from < over.until);
    const site_t *site = room_site (self);
    double booked = 0;
    double whole = 0;
    for (size_t i = 0; i < site->classes_count; i++) {
        double cpus_per_node = site->classes [i].cpus_per_node;
        booked += cpus_per_node * calendar_booked (room_calendar (self, i), over);
        whole += cpus_per_node * site->classes [i].nodes * (double) (over.until - over.from);
    }
    return share (booked, whole);
}
