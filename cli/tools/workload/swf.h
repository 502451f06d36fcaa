/*  swf - job logs in the Standard Workload Format (Feitelson et al., Parallel Workloads Archive),
 *  plain or gzipped.
 *
 *  Eighteen columns a line; comments begin with ';'. Used here: 2 submit time (s), 4 run time (s),
 *  8 requested processors, or 5 allocated ones where 8 is unknown (-1). A job without run time or
 *  processors is passed over; a line that is none of this is counted as bad, the first one named.
 */
#ifndef MUSUBI_SWF_H
#define MUSUBI_SWF_H

#include "bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SWF_JOBS_MAX       10000000
#define SWF_LINE_BYTES_MAX 4096

typedef struct {
    int64_t submit_s; /* since the log's start */
    int64_t run_s;    /* > 0 */
    uint32_t cpus;    /* > 0 */
} swf_job_t;

typedef struct {
    swf_job_t *jobs; /* in the file's order */
    size_t jobs_count;
    size_t passed_over; /* jobs without run time or processors */
    size_t bad_lines;
    char first_bad [WHY_BYTES]; /* "LINE: why" of the first bad line; "" when there is none */
} swf_log_t;

/*  Reads the file ("-" = standard input). False with why when it can't be read or holds no job.
 *  On true the caller ends it with swf_clear. */
bool swf_read (swf_log_t *self, const char *file, char why [WHY_BYTES]);
void swf_clear (swf_log_t *self);

/*  One line, newline or not. True when it is a job, a comment or empty; *is_job says which. */
bool swf_line (const char *line, swf_job_t *job, bool *is_job, char why [WHY_BYTES]);

#endif
