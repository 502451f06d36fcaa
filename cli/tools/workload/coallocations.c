/*  coallocations - one pass over the lines of a log, through zlib, which reads plain files as they
 *  are; then one over its jobs, drawing k for each request in turn. */
#include "coallocations.h"

#include "codec.h"
#include "must.h"
#include "prng.h"
#include "timetext.h"

#include <assert.h>
#include <unistd.h>
#include <zlib.h>

/*  --- the log --- */

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

/*  --- the requests --- */

#define LINKS_STREAM UINT64_C (0x6c696e6b73) /* "links" */

static int64_t clip (int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

static uint32_t draw_mbps (prng_t *prng)
{
    uint64_t drawn = prng_below (prng, 10);
    return drawn < 6 ? 500 : drawn < 9 ? 1000 : 2000;
}

static void draw_links (coallocation_t *self, prng_t *prng)
{
    bool chain = self->needs == COALLOCATION_NEEDS_MAX;
    for (size_t a = 0; a < self->needs; a++)
        for (size_t b = a + 1; b < self->needs && (!chain || b == a + 1); b++)
            self->links [self->links_count++] =
              (coallocation_link_t){.ends = {a, b}, .mbps = draw_mbps (prng)};
}

size_t coallocations_make (const swf_log_t *log, const coallocation_settings_t *settings,
                           coallocation_t **made, size_t *clipped)
{
    assert (settings->compress > 0);
    *clipped = 0;
    size_t most = log->jobs_count / COALLOCATION_NEEDS_MIN;
    if (most > settings->requests)
        most = settings->requests;
    *made = must (calloc (most ? most : 1, sizeof **made));

    prng_t prng;
    prng_t links_prng; /* a stream of its own, or links would change what the needs are */
    prng_seed (&prng, settings->seed);
    prng_seed (&links_prng, settings->seed ^ LINKS_STREAM);
    size_t count = 0;
    size_t at = 0;
    int64_t first_s = log->jobs_count ? log->jobs [0].submit_s : 0;
    int64_t latest_s = first_s;
    while (count < most) {
        size_t needs = COALLOCATION_NEEDS_MIN +
                       prng_below (&prng, COALLOCATION_NEEDS_MAX - COALLOCATION_NEEDS_MIN + 1);
        if (at + needs > log->jobs_count)
            break;
        coallocation_t *one = &(*made) [count++];
        one->needs = needs;
        int64_t run_s = 0;
        if (log->jobs [at].submit_s > latest_s)
            latest_s = log->jobs [at].submit_s;
        for (size_t i = 0; i < needs; i++, at++) {
            const swf_job_t *job = &log->jobs [at];
            one->cpus [i] = job->cpus;
            if (settings->cpus_max && job->cpus > settings->cpus_max) {
                one->cpus [i] = settings->cpus_max;
                (*clipped)++;
            }
            if (job->run_s > run_s)
                run_s = job->run_s;
        }
        one->duration_ms =
          clip (run_s * 1000, COALLOCATION_DURATION_MS_MIN, COALLOCATION_DURATION_MS_MAX);
        one->earliest_ms = settings->start_ms +
                           (int64_t) ((double) (latest_s - first_s) * 1000.0 / settings->compress);
        one->latest_ms = one->earliest_ms + COALLOCATION_LATEST_SPANS * one->duration_ms;
        one->deadline_ms = one->latest_ms + one->duration_ms;
        if (settings->links)
            draw_links (one, &links_prng);
    }
    return count;
}

static json_t *time_written (int64_t ms, bool relative)
{
    char text [TIMETEXT_BYTES];
    char from_now [TIMETEXT_BYTES + 8];
    if (!relative)
        return json_string (timetext_format (ms, text));
    snprintf (from_now, sizeof from_now, "now+%s", timetext_format_duration (ms, text));
    return json_string (from_now);
}

json_t *coallocation_written (const coallocation_t *self, bool relative, const char *policy)
{
    static const char *const ids [COALLOCATION_NEEDS_MAX] = {"a", "b", "c", "d"};
    char duration [TIMETEXT_BYTES];
    json_t *compute = json_array ();
    for (size_t i = 0; i < self->needs; i++)
        json_array_append_new (
          compute, json_pack ("{s:s, s:I}", "id", ids [i], "cpus", (json_int_t) self->cpus [i]));
    json_t *written = json_pack ("{s:{s:o, s:o, s:o}, s:s, s:o, s:b}", "window", "earliest",
                                 time_written (self->earliest_ms, relative), "latest",
                                 time_written (self->latest_ms, relative), "deadline",
                                 time_written (self->deadline_ms, relative), "duration",
                                 timetext_format_duration (self->duration_ms, duration), "compute",
                                 compute, "distinct_sites", true);
    json_auto_t *network = json_array ();
    for (size_t i = 0; i < self->links_count; i++) {
        const coallocation_link_t *link = &self->links [i];
        json_array_append_new (network,
                               json_pack ("{s:[s, s], s:I}", "between", ids [link->ends [0]],
                                          ids [link->ends [1]], "mbps", (json_int_t) link->mbps));
    }
    if (!written || (self->links_count > 0 && json_object_set (written, "network", network) != 0) ||
        (policy && json_object_set_new (written, "policy", json_string (policy)) != 0))
        abort ();
    return written;
}
