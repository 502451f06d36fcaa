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

/*  The rest of a line that was too long for the buffer. */
static void skip_line (gzFile file)
{
    int byte;
    do
        byte = gzgetc (file);
    while (byte != -1 && byte != '\n');
}

static bool read_lines (swf_log_t *self, gzFile file, char why [WHY_BYTES])
{
    char line [SWF_LINE_BYTES_MAX];
    size_t room = 0;
    for (size_t number = 1; gzgets (file, line, sizeof line); number++) {
        swf_job_t job;
        bool is_job = false;
        char line_why [WHY_BYTES] = "the line is too long";
        bool whole = strchr (line, '\n') || gzeof (file);
        if (!whole)
            skip_line (file);
        bool good = whole ? swf_line (line, &job, &is_job, line_why) : *line == ';';
        if (!good && self->bad_lines++ == 0)
            snprintf (self->first_bad, sizeof self->first_bad, "%zu: %.200s", number, line_why);
        if (good && !is_job && *line != ';' && *line != '\n')
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
