/*  fuzz_text - any text as the small things that people and logs write. The first byte says which:
 *  a time, a duration, a rate, a job log, a rank of nodes.
 */
#include "coallocations.h"
#include "fuzzing.h"
#include "graphml.h"
#include "rank.h"
#include "timetext.h"

#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

/*  A value that can be read is written as text that reads as the same value. */
static void try_time (const char *text)
{
    int64_t ms;
    bool relative;
    if (!timetext_parse (text, &ms, &relative) || relative)
        return;
    char written [TIMETEXT_BYTES];
    int64_t again;
    timetext_format (ms, written);
    REQUIRE (timetext_parse (written, &again, &relative) && !relative && again == ms);
}

static void try_duration (const char *text)
{
    int64_t ms;
    if (!timetext_parse_duration (text, &ms))
        return;
    REQUIRE (ms >= 0);
    char written [TIMETEXT_BYTES];
    int64_t again;
    timetext_format_duration (ms, written);
    REQUIRE (timetext_parse_duration (written, &again) && again == ms);
}

static void job_sound (const swf_job_t *job)
{
    REQUIRE (job->submit_s >= 0 && job->run_s > 0 && job->cpus > 0);
}

static void try_line (const char *text)
{
    swf_job_t job;
    bool is_job;
    char why [WHY_BYTES] = "";
    if (!swf_line (text, &job, &is_job, why))
        REQUIRE (why [0] != '\0' && memchr (why, '\0', sizeof why));
    else if (is_job)
        job_sound (&job);
}

/*  A whole log, perhaps gzipped, as a file without a name. */
static void try_log (const char *text, size_t size)
{
    int file = memfd_create ("log", 0);
    if (file < 0 || write (file, text, size) != (ssize_t) size)
        abort ();
    char path [64];
    snprintf (path, sizeof path, "/proc/self/fd/%d", file);
    swf_log_t log;
    char why [WHY_BYTES] = "";
    if (swf_read (&log, path, why)) {
        REQUIRE (log.jobs_count > 0);
        for (size_t i = 0; i < log.jobs_count; i++)
            job_sound (&log.jobs [i]);
        swf_clear (&log);
    } else {
        REQUIRE (why [0] != '\0' && memchr (why, '\0', sizeof why));
    }
    close (file);
}

/*  The values are large, so that products leave every bound that is not kept. */
static void try_rank (const char *text)
{
    static const rank_values_t values = {
      .of = {1e18, -1e18, 0.5, 16, 0, 1e12, 3, INFINITY},
    };
    char why [WHY_BYTES] = "";
    node_rank_t *rank = rank_new (text, why);
    if (rank)
        REQUIRE (fabs (rank_value (rank, &values)) <= RANK_VALUE_MAX);
    else
        REQUIRE (why [0] != '\0' && memchr (why, '\0', sizeof why));
    free (rank);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    if (size == 0)
        return FUZZ_UNWANTED;
    char *text = malloc (size); /* without the first byte, with a NUL */
    if (!text)
        abort ();
    memcpy (text, data + 1, size - 1);
    text [size - 1] = '\0';
    int kept = 0;
    switch (data [0]) {
    case 't':
        try_time (text);
        break;
    case 'd':
        try_duration (text);
        break;
    case 'r':
        graphml_rate (text);
        break;
    case 'k':
        try_rank (text);
        break;
    case 'l':
        try_line (text);
        break;
    case 'f':
        try_log (text, size - 1);
        break;
    default:
        kept = FUZZ_UNWANTED;
    }
    free (text);
    return kept;
}
