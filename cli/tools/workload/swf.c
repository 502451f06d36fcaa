/*  swf - one pass over the lines, through zlib, which reads plain files as they are. */
#include "swf.h"

#include "codec.h"
#include "must.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define BYTE_ORDER_MARK "\xef\xbb\xbf" /* some editors begin a text with it */

enum {
    COLUMN_SUBMIT = 2,
    COLUMN_RUN = 4,
    COLUMN_ALLOCATED = 5,
    COLUMN_REQUESTED = 8,
    COLUMNS = 18
};

bool swf_line (const char *line, swf_job_t *job, bool *is_job, char why [WHY_BYTES])
{
    *is_job = false;
    line += strspn (line, " \t\r\n");
    if (*line == '\0' || *line == ';')
        return true;

    double columns [COLUMNS + 1];
    int count = 0;
    while (*line && count < COLUMNS) {
        char *end;
        columns [++count] = strtod (line, &end);
        if (end == line || !strchr (" \t\r\n", *end))
            return wrong (why, "column %d is not a number: \"%.20s\"", count, line);
        line = end + strspn (end, " \t\r\n");
    }
    if (count < COLUMN_REQUESTED)
        return wrong (why, "has %d columns; at least %d are needed", count, COLUMN_REQUESTED);
    double cpus =
      columns [COLUMN_REQUESTED] > 0 ? columns [COLUMN_REQUESTED] : columns [COLUMN_ALLOCATED];
    double run_s = columns [COLUMN_RUN];
    double submit_s = columns [COLUMN_SUBMIT];
    if (!(cpus <= UINT32_MAX) || !(run_s <= 1e12) || !(submit_s >= 0 && submit_s <= 1e12))
        return wrong (why, "submit time, run time or processors out of range");
    if (cpus < 1 || run_s <= 0)
        return true;
    *job = (swf_job_t){.submit_s = (int64_t) submit_s,
                       .run_s = run_s < 1 ? 1 : (int64_t) run_s,
                       .cpus = (uint32_t) cpus};
    *is_job = true;
    return true;
}

/*  A line without its end, which is LF, CR, or both. A byte 0 would cut it, and becomes a bad one.
 *  Returns its size, which may be more than the buffer holds; below 0 at the end. */
static long swf_next (gzFile file, char line [SWF_LINE_BYTES_MAX])
{
    long size = 0;
    int byte;
    while ((byte = gzgetc (file)) != -1 && byte != '\n' && byte != '\r')
        if (size++ < SWF_LINE_BYTES_MAX - 1)
            line [size - 1] = byte ? (char) byte : '?';
    line [size < SWF_LINE_BYTES_MAX ? size : SWF_LINE_BYTES_MAX - 1] = '\0';
    int next = byte == '\r' ? gzgetc (file) : '\n';
    if (next != '\n' && next != -1)
        gzungetc (next, file);
    return byte == -1 && size == 0 ? -1 : size;
}

static bool read_lines (swf_log_t *self, gzFile file, char why [WHY_BYTES])
{
    char bytes [SWF_LINE_BYTES_MAX] = "";
    size_t room = 0;
    long size;
    for (size_t number = 1; (size = swf_next (file, bytes)) >= 0; number++) {
        swf_job_t job;
        bool is_job = false, whole = size < SWF_LINE_BYTES_MAX;
        char line_why [WHY_BYTES] = "the line is too long";
        bool marked = number == 1 && strncmp (bytes, BYTE_ORDER_MARK, 3) == 0;
        const char *line = bytes + (marked ? 3 : 0);
        bool good = whole ? swf_line (line, &job, &is_job, line_why) : *line == ';';
        if (!good && self->bad_lines++ == 0)
            snprintf (self->first_bad, sizeof self->first_bad, "%zu: %.200s", number, line_why);
        if (good && !is_job && *line != ';' && *line != '\0')
            self->passed_over++;
        if (!is_job)
            continue;
        if (self->jobs_count == SWF_JOBS_MAX)
            return wrong (why, "more than %d jobs", SWF_JOBS_MAX);
        self->jobs = must_grow (self->jobs, self->jobs_count, &room, sizeof *self->jobs);
        self->jobs [self->jobs_count++] = job;
    }
    int error;
    const char *message = gzerror (file, &error);
    if (error != Z_OK && error != Z_STREAM_END)
        return wrong (why, "damaged: %.200s", message);
    if (self->jobs_count == 0) {
        return wrong (why, "holds no job of the Standard Workload Format%s%.100s",
                      *self->first_bad ? "; line " : "", self->first_bad);
    }
    return true;
}

bool swf_read (swf_log_t *self, const char *name, char why [WHY_BYTES])
{
    *self = (swf_log_t){0};
    gzFile file =
      strcmp (name, "-") == 0 ? gzdopen (dup (STDIN_FILENO), "rb") : gzopen (name, "rb");
    if (!file)
        return wrong (why, "can't be read: %s", strerror (errno));
    bool read = read_lines (self, file, why);
    gzclose (file);
    if (!read)
        swf_clear (self);
    return read;
}

void swf_clear (swf_log_t *self)
{
    free (self->jobs);
    *self = (swf_log_t){0};
}
