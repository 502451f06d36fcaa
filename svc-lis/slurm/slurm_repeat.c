/*  slurm_repeat - as slurmctld does it (_advance_resv_time in its reservation.c), one time after the
 *  other.
 */
#include "slurm_repeat.h"

#include "batch_picture.h"
#include "name_list.h"

#include <time.h>

#define HOUR_MS INT64_C (3600000)

slurm_repeat_t slurm_repeat_read (const char *flags)
{
    static const char *const words [] = {
      [SLURM_HOURLY] = "HOURLY",   [SLURM_DAILY] = "DAILY",   [SLURM_WEEKDAY] = "WEEKDAY",
      [SLURM_WEEKEND] = "WEEKEND", [SLURM_WEEKLY] = "WEEKLY", [SLURM_FLOATS] = "TIME_FLOAT"};
    name_list_auto_t list = {0};
    name_list_add (&list, flags, "");
    slurm_repeat_t repeat = SLURM_FLOATS;
    while (repeat > SLURM_ONCE && !name_list_has (&list, words [repeat]))
        repeat--;
    return repeat;
}

static struct tm wall_at (int64_t ms)
{
    struct tm wall = {0};
    localtime_r (&(time_t){(time_t) (ms / 1000)}, &wall);
    return wall;
}

/*  Slurm takes the weekday at which it moves one. So one that runs over midnight may be moved from
 *  either day: it is held on every day. */
static int days_on (slurm_repeat_t repeat, int64_t from_ms, int64_t until_ms)
{
    static const int weekday [] = {1, 1, 1, 1, 1, 3, 2}, weekend [] = {6, 5, 4, 3, 2, 1, 1};
    int day = wall_at (from_ms).tm_wday; /* 0 = Sunday */
    if (repeat == SLURM_WEEKLY)
        return 7;
    if (repeat == SLURM_DAILY || wall_at (until_ms).tm_wday != day)
        return 1;
    return repeat == SLURM_WEEKDAY ? weekday [day] : weekend [day];
}

/*  So much later on the wall. Near a change of clocks a wall has two offsets from UTC: what it shows
 *  twice, or never, is the earlier or the later by either of them. Never back or on the spot. */
static int64_t moved (int64_t ms, int days, int hours, bool later)
{
    int64_t either [2];
    bool shown [2];
    struct tm wall = wall_at (ms);
    int64_t about_ms = ms + (24 * days + hours) * HOUR_MS;
    wall.tm_mday += days;
    wall.tm_hour += hours;
    int64_t utc_ms = (int64_t) timegm (&wall) * 1000;
    for (int after = 0; after < 2; after++) {
        int64_t offset_s = wall_at (about_ms + (after ? 12 : -12) * HOUR_MS).tm_gmtoff;
        either [after] = utc_ms - offset_s * 1000;
        shown [after] = wall_at (either [after]).tm_gmtoff == offset_s && either [after] > ms;
    }
    if (shown [0] != shown [1])
        return either [shown [1]];
    bool first = either [0] < either [1];
    return later || either [!first] <= ms ? either [first] : either [!first];
}

void slurm_repeat_times (slurm_repeat_t repeat, int64_t from_ms, int64_t until_ms,
                         int64_t *again_ms, size_t times)
{
    int64_t length_ms = until_ms - from_ms;
    for (size_t i = 0; i < times; i++) {
        int hours = repeat == SLURM_HOURLY, days = hours ? 0 : days_on (repeat, from_ms, until_ms);
        from_ms = moved (from_ms, days, hours, false);
        until_ms = moved (until_ms, days, hours, true);
        bool shorter = until_ms - from_ms < length_ms;
        again_ms [2 * i] = from_ms;
        again_ms [2 * i + 1] = shorter ? from_ms + length_ms : until_ms;
    }
    again_ms [2 * times - 1] = BATCH_FOREVER_MS;
}
