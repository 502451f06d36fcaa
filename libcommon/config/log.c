/*  log - one write a line, so that lines of several processes on one terminal do not mix. */
#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LINE_BYTES 2048

static char log_name [NAME_BYTES_MAX + 1] = "musubi";
static log_level_t log_least = LEVEL_INFO;

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
static int stamp (char *text, size_t size)
{
    struct timespec now;
    struct tm utc;
    clock_gettime (CLOCK_REALTIME, &now);
    gmtime_r (&now.tv_sec, &utc);
    return snprintf (text, size, "%04d-%02d-%02dT%02d:%02d:%02d.%03ldZ", utc.tm_year + 1900,
                     utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec,
                     now.tv_nsec / 1000000);
}

void log_line (log_level_t level, const char *format, ...)
{
    static const char *const words [] = {[LEVEL_DEBUG] = "debug",
                                         [LEVEL_INFO] = "info",
                                         [LEVEL_WARNING] = "warning",
                                         [LEVEL_ALARM] = "alarm"};
    if (level < log_least)
        return;

    char line [LINE_BYTES];
    size_t used = (size_t) stamp (line, sizeof line);
    used += (size_t) snprintf (line + used, sizeof line - used, " %s %s ", words [level], log_name);
    va_list arguments;
    va_start (arguments, format);
    vsnprintf (line + used, sizeof line - 1 - used, format, arguments);
    va_end (arguments);
    defuse (line);
    used = strlen (line);
    line [used++] = '\n';
    ssize_t written = write (STDERR_FILENO, line, used);
    (void) written; /* nowhere left to complain */
}
