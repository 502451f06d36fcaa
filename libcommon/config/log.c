/*  log - whole lines in a write, so that lines of several processes on one terminal do not mix. */
#include "log.h"

#include "must.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LINE_BYTES  2048
#define HELD_BYTES  (8 * LINE_BYTES)
#define STAMP_BYTES (sizeof "2026-12-01T09:00:00.125Z" - 1)

static char log_name [NAME_BYTES_MAX + 1] = "musubi";
static log_level_t log_least = LEVEL_INFO;
static _Thread_local char held [HELD_BYTES];
static _Thread_local size_t held_size;
static _Thread_local bool holding;

void log_open (const char *name, log_level_t least)
{
    snprintf (log_name, sizeof log_name, "%s", name);
    log_least = least;
}

/*  Words of peers get into log lines: characters that could forge a second line or control a
 *  terminal are shown as '?'. */
static void defuse (char *text)
{
    for (; *text; text++)
        if ((unsigned char) *text < ' ' || *text == 0x7f)
            *text = '?';
}

/*  "2026-12-01T09:00:00.125Z", always with milliseconds, so that columns line up. */
static void stamp (char *text, size_t size)
{
    struct timespec now;
    struct tm utc;
    clock_gettime (CLOCK_REALTIME, &now);
    gmtime_r (&now.tv_sec, &utc);
    snprintf (text, size, "%04d-%02d-%02dT%02d:%02d:%02d.%03ldZ", utc.tm_year + 1900,
              utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec,
              now.tv_nsec / 1000000);
}

static void held_write (void)
{
    if (held_size == 0)
        return;
    ssize_t written = write (STDERR_FILENO, held, held_size);
    (void) written; /* nowhere left to complain */
    held_size = 0;
}

void log_hold (void)
{
    holding = true;
}

void log_release (void)
{
    holding = false;
    held_write ();
}

void log_line (log_level_t level, const char *format, ...)
{
    static const char *const words [] = {[LEVEL_DEBUG] = "debug",
                                         [LEVEL_INFO] = "info",
                                         [LEVEL_WARNING] = "warning",
                                         [LEVEL_ALARM] = "alarm"};
    if (level < log_least)
        return;

    if (held_size > HELD_BYTES - LINE_BYTES)
        held_write ();
    char *line = held + held_size;
    size_t used = STAMP_BYTES;
    if (held_size > 0)
        memcpy (line, held, used); /* what leaves together has one time */
    else
        stamp (line, LINE_BYTES);
    used += (size_t) snprintf (line + used, LINE_BYTES - used, " %s %s ", words [level], log_name);
    format_rest (line + used, LINE_BYTES - 1 - used, format);
    defuse (line);
    used = strlen (line);
    line [used++] = '\n';
    held_size += used;
    if (!holding || level > LEVEL_INFO)
        held_write ();
}
