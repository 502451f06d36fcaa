/*  slurm_parse - fields by their names, lists of nodes by their brackets. */
#include "slurm_parse.h"

#include "batch_picture.h"
#include "name_list.h"
#include "timetext.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/*  --- what recurs: as slurmctld does it (_advance_resv_time in its reservation.c) --- */

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

/*  So much later on the wall. Near a change of clocks a wall has two offsets from UTC: what it
 *  shows twice, or never, is the earlier or the later by either of them. Never back or on the
 *  spot. */
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

#define SLURM_DIGITS_MAX 9 /* of a number in a node's name */
#define DAY_MS           INT64_C (86400000)

/*  The value of KEY=value in a line of "KEY=value KEY=value"; "" when it has none. Ends it with NUL
 *  only when the line is cut, so all values are looked for first. */
static char *slurm_value (char *line, const char *key)
{
    size_t size = strlen (key);
    for (char *found = line; (found = strstr (found, key)); found += size)
        if ((found == line || found [-1] == ' ') && found [size] == '=')
            return found + size + 1;
    return line + strlen (line);
}

bool slurm_reservation_read (char *line, slurm_reservation_t *reservation)
{
    char *comment = strstr (line, " Comment=");
    if (comment)
        *comment = '\0';
    char *name = slurm_value (line, "ReservationName"), *users = slurm_value (line, "Users");
    char *partition = slurm_value (line, "PartitionName"), *nodes = slurm_value (line, "Nodes");
    char *from = slurm_value (line, "StartTime"), *until = slurm_value (line, "EndTime");
    char *accounts = slurm_value (line, "Accounts");
    char *state = slurm_value (line, "State"), *flags = slurm_value (line, "Flags");
    for (char *at = line; (at = strchr (at, ' ')); at++)
        *at = '\0';
    *reservation = (slurm_reservation_t){.name = name,
                                         .users = users,
                                         .accounts = accounts,
                                         .partition = partition,
                                         .repeat = slurm_repeat_read (flags),
                                         .active = strcmp (state, "ACTIVE") == 0,
                                         .overlaps = strstr (flags, "OVERLAP") != NULL};
    reservation->times_read = slurm_time_read (from, &reservation->from_ms) &&
                              slurm_time_read (until, &reservation->until_ms) &&
                              reservation->from_ms < reservation->until_ms;
    if (!reservation->times_read || reservation->repeat == SLURM_FLOATS) {
        reservation->from_ms = 0;
        reservation->until_ms = BATCH_FOREVER_MS;
        reservation->repeat = SLURM_ONCE;
    }
    reservation->nodes_read =
      strcmp (nodes, "(null)") == 0 || (*nodes && slurm_nodes_read (nodes, &reservation->nodes));
    slurm_nodes_sort (&reservation->nodes);
    return *name != '\0';
}

/*  --- lists of nodes --- */

/*  How many digits there are; 0 when there are none, or too many. */
static size_t slurm_number (const char *at, unsigned long *number)
{
    size_t digits = strspn (at, "0123456789");
    *number = strtoul (at, NULL, 10);
    return digits <= SLURM_DIGITS_MAX ? digits : 0;
}

static bool slurm_part_add (const char *known, const char *part, const char **end,
                            name_list_t *nodes);

/*  "1-3" or "07" between what is known of the name and what stands behind the brackets. */
static bool slurm_range_add (const char *known, const char *range, const char *behind,
                             const char **end, name_list_t *nodes)
{
    char name [NAME_BYTES_MAX + 1];
    unsigned long from;
    size_t width = slurm_number (range, &from);
    unsigned long until = from;
    range += width;
    if (*range == '-') {
        size_t more = slurm_number (range + 1, &until);
        range += more ? 1 + more : 0;
    }
    bool good = width > 0 && (*range == ',' || *range == ']') && until >= from &&
                until - from < BATCH_NODES_MAX - nodes->count;
    for (; good && from <= until; from++) {
        int size = snprintf (name, sizeof name, "%s%0*lu", known, (int) width, from);
        good = size <= NAME_BYTES_MAX && slurm_part_add (name, behind, end, nodes);
    }
    return good;
}

/*  "r[1-2]n[1-3,07]x" or "m2", behind what is known of the name, up to a comma: *end. */
static bool slurm_part_add (const char *known, const char *part, const char **end,
                            name_list_t *nodes)
{
    char name [NAME_BYTES_MAX + 1];
    const char *open = part + strcspn (part, "[,"), *close = strchr (open, ']');
    int size = snprintf (name, sizeof name, "%s%.*s", known, (int) (open - part), part);
    *end = open;
    if (size > NAME_BYTES_MAX || nodes->count >= BATCH_NODES_MAX)
        return false;
    if (*open != '[') {
        name_list_add (nodes, name, "");
        return size > 0;
    }
    bool good = close && close > open + 1;
    for (part = open + 1; good && part < close; part += strcspn (part, ",]") + 1)
        good = slurm_range_add (name, part, close + 1, end, nodes);
    return good;
}

bool slurm_nodes_read (const char *list, name_list_t *nodes)
{
    bool good = true;
    for (; good && *list; list += *list == ',')
        good = slurm_part_add ("", list, &list, nodes);
    return good;
}

static int slurm_node_compare (const void *a, const void *b)
{
    return strcmp (*(char *const *) a, *(char *const *) b);
}

void slurm_nodes_sort (name_list_t *nodes)
{
    if (nodes->count > 1)
        qsort (nodes->words, nodes->count, sizeof *nodes->words, slurm_node_compare);
}

/*  --- times and states --- */

bool slurm_time_read (const char *text, int64_t *ms)
{
    char zoned [SLURM_TIME_BYTES + 8];
    bool relative;
    snprintf (zoned, sizeof zoned, "%sZ", text);
    return timetext_parse (zoned, ms, &relative) && !relative;
}

int64_t slurm_time_whole (int64_t ms)
{
    return (ms + 999) / 1000 * 1000;
}

const char *slurm_time_text (int64_t ms, char text [SLURM_TIME_BYTES])
{
    char zoned [TIMETEXT_BYTES];
    snprintf (text, SLURM_TIME_BYTES, "%.19s", timetext_format (slurm_time_whole (ms), zoned));
    return text;
}

bool slurm_span_read (const char *text, int64_t *ms)
{
    const char *dash = strchr (text, '-'), *at = dash ? dash + 1 : text;
    double seconds = 0, part;
    int size = 0;
    if (!strchr (at, ':') || strspn (at, "0123456789:.") != strlen (at))
        return false;
    for (; sscanf (at, "%lf%n", &part, &size) == 1; at += size + (at [size] == ':'))
        seconds = seconds * 60 + part;
    *ms = (dash ? strtoll (text, NULL, 10) * DAY_MS : 0) + llround (seconds * 1000);
    return true;
}

/*  What stands in parentheses, such as sockets, has commas of its own. */
void slurm_gpus_read (const char *gres, batch_node_t *node)
{
    for (; *gres; gres += strcspn (gres, ","), gres += *gres == ',') {
        char type [NAME_BYTES_MAX + 1] = "";
        uint32_t count = 0;
        if (sscanf (gres, "gpu:%63[^:,(]:%" SCNu32, type, &count) != 2 &&
            sscanf (gres, "gpu:%" SCNu32, &count) == 1)
            *type = '\0';
        if (count <= node->gpus)
            continue;
        node->gpus = count;
        snprintf (node->gpu, sizeof node->gpu, "%s", type);
    }
}

static bool slurm_word_in (const char *word, const char *words)
{
    name_list_auto_t list = {0};
    name_list_add (&list, words, "");
    return name_list_has (&list, word);
}

/*  A word that is not known is of a job that is there, and neither over nor lost. */
batch_job_state_t slurm_job_state (const char *word)
{
    if (strcmp (word, "RESV_DEL_HOLD") == 0)
        return BATCH_JOB_HELD;
    if (slurm_word_in (word, "RUNNING COMPLETING SIGNALING RESIZING STAGE_OUT"))
        return BATCH_JOB_RUNNING;
    if (slurm_word_in (word, "SUSPENDED STOPPED"))
        return BATCH_JOB_SUSPENDED;
    if (slurm_word_in (word, "COMPLETED FAILED CANCELLED TIMEOUT DEADLINE PREEMPTED OUT_OF_MEMORY "
                             "REVOKED"))
        return BATCH_JOB_ENDED;
    return slurm_word_in (word, "NODE_FAIL BOOT_FAIL LAUNCH_FAILED RECONFIG_FAIL")
             ? BATCH_JOB_LOST
             : BATCH_JOB_QUEUED;
}

/*  Whom Slurm has not heard yet, after its own start ("unknown") or for a while ("idle*"), it will
 *  call down itself when it is time; whom it has switched off to save power it switches on for a
 *  job. */
void slurm_node_state (const char *state, batch_node_t *node)
{
    char word [32];
    size_t size = strspn (state, "abcdefghijklmnopqrstuvwxyz_");
    snprintf (word, sizeof word, "%.*s", (int) size, state);
    node->up = !slurm_word_in (word, "down error future inval");
    node->drained =
      node->up && !slurm_word_in (word, "idle allocated mixed completing reserved maint planned "
                                        "unknown powering_down powering_up powered_down");
}

bool slurm_refused_for_now (const char *why)
{
    static const char *const words [] = {
      "partition not available",         /* DRAIN, INACTIVE */
      "invalid partition name",          /* it is gone */
      "not permitted to use this",       /* closed to its group or its account */
      "access/permission denied",        /* to all but root, or from this machine */
      "node configuration is not avail", /* no node is there that has so many CPUs */
    };
    bool is = false;
    for (size_t i = 0; !is && i < sizeof words / sizeof *words; i++)
        is = strcasestr (why, words [i]) != NULL;
    return is;
}
