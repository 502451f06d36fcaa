/*  coallocations - one pass over the log, drawing k for each request in turn. */
#include "coallocations.h"

#include "must.h"
#include "prng.h"
#include "timetext.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

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
