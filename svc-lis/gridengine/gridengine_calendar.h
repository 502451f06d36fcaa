/*  gridengine_calendar - when a calendar of Grid Engine closes the queues that have it: disables or
 *  suspends them (calendar_conf(5)). By the clock on the wall of our process's zone (TZ), which
 *  should be the qmaster's. Reads no clock.
 */
#ifndef MUSUBI_GRIDENGINE_CALENDAR_H
#define MUSUBI_GRIDENGINE_CALENDAR_H

#include "bytes.h"

/*  A time of certain days. What is open goes before what is closed, and what a year says of a
 *  moment before what a week does. */
typedef struct {
    bool yearly;
    bool open;
    int first_day; /* of a week: 0 = Sunday; of a year: as 20271231 */
    int last_day;
    int from_s; /* on each of these days */
    int until_s;
} grid_span_t;

typedef struct {
    grid_span_t *spans;
    size_t count;
    size_t room;
    int closes_last; /* the last day of a year on which it may be closed */
} grid_calendar_t;

/*  From what "qconf -scal" has under year and week, unfolded, which it cuts. False with why when
 *  something can't be read; what could is in it then. Clear it in any case. */
bool grid_calendar_read (char *year, char *week, grid_calendar_t *calendar, char why [WHY_BYTES]);
void grid_calendar_clear (grid_calendar_t *self);

/*  The times at which it is closed, from and until of each: the first so many (> 0) that end after
 *  now_ms, of the next five years. The last one of so many has no end, nor has what is closed
 *  beyond these years. Returns how many. */
size_t grid_calendar_times (const grid_calendar_t *self, int64_t now_ms, int64_t *times_ms,
                            size_t most);

#endif
