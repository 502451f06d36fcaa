/*  coallocations - co-allocation requests made from the jobs of a log. Pure and seeded: same log,
 *  same settings, same requests.
 *
 *  Each takes k consecutive jobs, k uniform in 2 to 4: one need a job with its CPUs; duration:
 *  their longest run time clipped to [10 min, 4 h]; earliest start: start + the first one's submit
 *  time, compressed; latest start: earliest + 3 durations; deadline: latest + duration.
 *
 *  Logs know no networks: with links, every two of two or three needs are linked, four are linked
 *  in a chain, each link by itself at 0.5, 1 or 2 Gbit/s (drawn at 6 : 3 : 1) for the whole
 *  duration. The same needs come of a seed with links and without.
 */
#ifndef MUSUBI_COALLOCATIONS_H
#define MUSUBI_COALLOCATIONS_H

#include "bytes.h"

#include <jansson.h>

/*  --- job logs in the Standard Workload Format (Feitelson et al., Parallel Workloads Archive),
 *  plain or gzipped.
 *
 *  Eighteen columns a line; comments begin with ';'. Used here: 2 submit time (s), 4 run time (s),
 *  8 requested processors, or 5 allocated ones where 8 is unknown (-1). A job without run time or
 *  processors is passed over; a line that is none of this is counted as bad, the first one named.
 *  --- */

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

/*  --- requests --- */

#define COALLOCATION_NEEDS_MIN       2
#define COALLOCATION_NEEDS_MAX       4
#define COALLOCATION_DURATION_MS_MIN (10 * 60 * 1000)
#define COALLOCATION_DURATION_MS_MAX (4 * 60 * 60 * 1000)
#define COALLOCATION_LATEST_SPANS    3
#define COALLOCATION_LINKS_MAX       3

typedef struct {
    size_t ends [2]; /* needs */
    uint32_t mbps;
} coallocation_link_t;

typedef struct {
    uint32_t cpus [COALLOCATION_NEEDS_MAX];
    size_t needs;
    coallocation_link_t links [COALLOCATION_LINKS_MAX];
    size_t links_count;
    int64_t duration_ms;
    int64_t earliest_ms;
    int64_t latest_ms;   /* last start */
    int64_t deadline_ms; /* latest + duration */
} coallocation_t;

typedef struct {
    uint64_t seed;
    size_t requests;   /* at most so many; the log may give fewer */
    int64_t start_ms;  /* wall time that stands for the submit time of the first job used */
    double compress;   /* submit times are divided by this; > 0 */
    uint32_t cpus_max; /* needs are clipped to this; 0 = not */
    bool links;        /* with network needs */
} coallocation_settings_t;

/*  How many were made; *made is malloc'ed, the caller frees it. *clipped counts needs cut to
 *  cpus_max. Submit times that go backwards (excerpts joined) count as the latest seen before. */
size_t coallocations_make (const swf_log_t *log, const coallocation_settings_t *settings,
                           coallocation_t **made, size_t *clipped);

/*  The request as users write it, new: needs "a" to "d" at distinct sites, network needs "a-b" and
 *  so on. relative: its times count from now, else they are wall times. policy may be NULL. */
json_t *coallocation_written (const coallocation_t *self, bool relative, const char *policy);

#endif
