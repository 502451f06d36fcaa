/*  slurm_parse - fields by their names, lists of nodes by their brackets. */
#include "slurm_parse.h"

#include "timetext.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLURM_DIGITS_MAX 9 /* of a number in a node's name */

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
    char *name = slurm_value (line, "ReservationName"), *users = slurm_value (line, "Users");
    char *partition = slurm_value (line, "PartitionName"), *nodes = slurm_value (line, "Nodes");
    char *from = slurm_value (line, "StartTime"), *until = slurm_value (line, "EndTime");
    char *state = slurm_value (line, "State");
    for (char *at = line; (at = strchr (at, ' ')); at++)
        *at = '\0';
    *reservation = (slurm_reservation_t){.name = name,
                                         .users = users,
                                         .partition = partition,
                                         .active = strcmp (state, "ACTIVE") == 0};
    bool read = *name && slurm_time_read (from, &reservation->from_ms) &&
                slurm_time_read (until, &reservation->until_ms) &&
                (strcmp (nodes, "(null)") == 0 || slurm_nodes_read (nodes, &reservation->nodes));
    slurm_nodes_sort (&reservation->nodes);
    return read;
}

/*  --- lists of nodes --- */

/*  How many digits there are; 0 when there are none, or too many. */
static size_t slurm_number (const char *at, unsigned long *number)
{
    size_t digits = strspn (at, "0123456789");
    *number = strtoul (at, NULL, 10);
    return digits <= SLURM_DIGITS_MAX ? digits : 0;
}

/*  "1-3" or "07" between what stands before and behind the brackets. */
static bool slurm_range_add (const char *range, int before, const char *list, const char *behind,
                             int behind_size, name_list_t *nodes)
{
    char name [NAME_BYTES_MAX + 1];
    unsigned long from;
    size_t width = slurm_number (range, &from);
    const char *end = range + width;
    unsigned long until = from;
    if (*end == '-') {
        size_t more = slurm_number (end + 1, &until);
        end += more ? 1 + more : 0;
    }
    if (width == 0 || (*end != ',' && *end != ']') || until < from ||
        until - from >= BATCH_NODES_MAX - nodes->count)
        return false;
    for (; from <= until; from++) {
        snprintf (name, sizeof name, "%.*s%0*lu%.*s", before, list, (int) width, from, behind_size,
                  behind);
        name_list_add (nodes, name, "");
    }
    return true;
}

/*  One part of a list, of that size: "n[1-3,07]x" or "m2". */
static bool slurm_part_add (const char *part, size_t size, name_list_t *nodes)
{
    char name [NAME_BYTES_MAX + 1];
    const char *open = memchr (part, '[', size);
    const char *close = open ? memchr (open, ']', size - (size_t) (open - part)) : NULL;
    if (size == 0 || size > NAME_BYTES_MAX + BATCH_NODES_MAX ||
        (open && (!close || close == open + 1)))
        return false;
    if (!open) {
        snprintf (name, sizeof name, "%.*s", (int) size, part);
        name_list_add (nodes, name, "");
        return size <= NAME_BYTES_MAX;
    }
    int behind = (int) (part + size - close - 1);
    if (memchr (close + 1, '[', (size_t) behind))
        return false;
    for (const char *range = open + 1; range < close; range += strcspn (range, ",]") + 1)
        if (!slurm_range_add (range, (int) (open - part), part, close + 1, behind, nodes))
            return false;
    return true;
}

static size_t slurm_part_size (const char *list)
{
    bool inside = false;
    size_t size = 0;
    for (; list [size] && (inside || list [size] != ','); size++)
        inside = list [size] == '[' || (inside && list [size] != ']');
    return size;
}

bool slurm_nodes_read (const char *list, name_list_t *nodes)
{
    while (*list) {
        size_t size = slurm_part_size (list);
        if (!slurm_part_add (list, size, nodes))
            return false;
        list += size + (list [size] == ',');
    }
    return true;
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

static bool slurm_word_in (const char *word, const char *const *words)
{
    while (*words && strcmp (*words, word) != 0)
        words++;
    return *words != NULL;
}

batch_job_state_t slurm_job_state (const char *word)
{
    static const char *const queued [] = {"PENDING",     "CONFIGURING",  "REQUEUED", "REQUEUE_HOLD",
                                          "REQUEUE_FED", "SPECIAL_EXIT", NULL};
    static const char *const running [] = {"RUNNING",  "COMPLETING", "SIGNALING",
                                           "RESIZING", "STAGE_OUT",  NULL};
    static const char *const ended [] = {"COMPLETED",     "FAILED",   "CANCELLED",
                                         "TIMEOUT",       "DEADLINE", "PREEMPTED",
                                         "OUT_OF_MEMORY", "REVOKED",  NULL};
    if (strcmp (word, "RESV_DEL_HOLD") == 0)
        return BATCH_JOB_HELD;
    if (slurm_word_in (word, queued))
        return BATCH_JOB_QUEUED;
    if (slurm_word_in (word, running))
        return BATCH_JOB_RUNNING;
    if (slurm_word_in (word, ended))
        return BATCH_JOB_ENDED;
    return strcmp (word, "SUSPENDED") == 0 || strcmp (word, "STOPPED") == 0 ? BATCH_JOB_SUSPENDED
                                                                            : BATCH_JOB_LOST;
}

/*  Whom Slurm has not heard yet, after its own start ("unknown") or for a while ("idle*"), it will call
 *  down itself when it is time. */
bool slurm_node_up (const char *state)
{
    static const char *const up [] = {"idle",     "allocated", "mixed",   "completing",
                                      "reserved", "maint",     "planned", "draining",
                                      "drained",  "unknown",   NULL};
    char word [32];
    size_t size = strspn (state, "abcdefghijklmnopqrstuvwxyz");
    snprintf (word, sizeof word, "%.*s", (int) size, state);
    return slurm_word_in (word, up) && !strpbrk (state + size, "!%");
}
