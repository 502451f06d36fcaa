/*  gridengine_jobs - a job has the name of its run, so that a second submission finds the first. */
#include "gridengine_jobs.h"

#include "gridengine_queue.h"
#include "must.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUBMIT_WORDS 28

typedef struct {
    const batch_setup_t *setup;
    const char *const *names;
    size_t count;
    batch_job_seen_t *seen;
} grid_looking_t;

/*  Of several jobs of a name, one that is not over counts. */
static void grid_job_note (void *owner, const grid_job_t *job)
{
    const grid_looking_t *self = owner;
    const char *run = batch_name_ours (self->setup, job->name);
    batch_job_state_t state = grid_job_state (job->state);
    for (size_t i = 0; run && i < self->count; i++) {
        batch_job_seen_t *seen = &self->seen [i];
        if (strcmp (run, self->names [i]) != 0 ||
            (seen->state >= BATCH_JOB_QUEUED && seen->state <= BATCH_JOB_SUSPENDED))
            continue;
        seen->state = state;
        snprintf (seen->id, sizeof seen->id, "%s", job->id);
        snprintf (seen->why, sizeof seen->why, "Grid Engine says %s", job->state);
    }
}

bool grid_jobs (const batch_setup_t *setup, const char *const *names, size_t count,
                batch_job_seen_t *seen, char why [WHY_BYTES])
{
    grid_looking_t looking = {setup, names, count, seen};
    memset (seen, 0, count * sizeof *seen);
    return grid_jobs_visit (setup, grid_job_note, &looking, why);
}

/*  --- submission --- */

static bool grid_one_host (const batch_setup_t *setup, const char *environment)
{
    char *text, why [WHY_BYTES];
    GRID_RUN (setup, &text, why, "qconf", "-sp", environment);
    char *rule = grid_value (text, "allocation_rule");
    bool one = rule && strcmp (rule, "$pe_slots") == 0;
    free (rule);
    free (text);
    return one;
}

/*  A parallel environment of the queue that gives all slots on one host, to be freed; NULL with why
 *  when there is none. */
static char *grid_environment (const batch_setup_t *setup, char why [WHY_BYTES])
{
    bool silent;
    char *text = grid_queue_text (setup, setup->queue, &silent, why), *found = NULL;
    char *list = text ? grid_value (text, "pe_list") : NULL, *rest = list;
    for (char *word; !found && rest && (word = strsep (&rest, " ,"));)
        if (*word && strcmp (word, "NONE") != 0 && grid_one_host (setup, word))
            found = must (strdup (word));
    free (list);
    if (text && !found)
        wrong (why,
               "Grid Engine's queue %.60s has no parallel environment with allocation_rule "
               "$pe_slots, which a task of several CPUs needs",
               setup->queue);
    free (text);
    return found;
}

static size_t grid_submit_words (const batch_job_t *job, const char *name, const char *queue,
                                 const char *environment, char *words [SUBMIT_WORDS])
{
    size_t count = 0;
    const char *const pairs [][2] = {{"-N", name},
                                     {"-S", "/bin/sh"},
                                     {"-r", "n"},
                                     {"-wd", job->folder},
                                     {"-q", queue},
                                     {"-o", job->output},
                                     {"-j", *job->errors ? "n" : "y"}};
    words [count++] = must_print ("qsub");
    words [count++] = must_print ("-terse");
    words [count++] = must_print ("-notify");
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        words [count++] = must_print ("%s", pairs [i][0]);
        words [count++] = must_print ("%s", pairs [i][1]);
    }
    if (*job->errors) {
        words [count++] = must_print ("-e");
        words [count++] = must_print ("%s", job->errors);
    }
    words [count++] = must_print ("-l");
    words [count++] =
      must_print ("h_rt=%" PRId64 "%s%s", (job->limit_ms + 999) / 1000,
                  *job->reservation ? "," GRID_COMPLEX "=" : "", *job->reservation ? queue : "");
    if (environment) {
        words [count++] = must_print ("-pe");
        words [count++] = must_print ("%s", environment);
        words [count++] = must_print ("%" PRIu32, job->cpus);
    }
    words [count] = NULL;
    return count;
}

/*  A queue that Grid Engine does not have may only not have been made yet, or again. */
static command_told_t grid_submit_new (const batch_setup_t *setup, const batch_job_t *job,
                                       const char *environment, char why [WHY_BYTES])
{
    char name [BATCH_NAME_BYTES_MAX + 1], queue [BATCH_NAME_BYTES_MAX + 1];
    char *words [SUBMIT_WORDS];
    packed_t output;
    snprintf (queue, sizeof queue, "%s", setup->queue);
    if (!batch_name (setup, job->name, name, why) ||
        (*job->reservation && !batch_name (setup, job->reservation, queue, why)))
        return COMMAND_REFUSED;
    size_t count = grid_submit_words (job, name, queue, environment, words);
    command_told_t told = command_run_as (job->account, (const char *const *) words, job->script,
                                          setup->limit_ms, &output, why);
    free (output.data);
    while (count > 0)
        free (words [--count]);
    bool later = grid_silent (why) || (*job->reservation && strstr (why, "unknown queue"));
    return told == COMMAND_REFUSED && later ? COMMAND_SILENT : told;
}

command_told_t grid_submit (const batch_setup_t *setup, const batch_job_t *job,
                            char why [WHY_BYTES])
{
    batch_job_seen_t seen;
    if (!grid_jobs (setup, &job->name, 1, &seen, why))
        return COMMAND_SILENT;
    if (seen.state >= BATCH_JOB_QUEUED && seen.state <= BATCH_JOB_SUSPENDED)
        return COMMAND_DONE;
    char *environment = job->cpus > 1 ? grid_environment (setup, why) : NULL;
    command_told_t told = job->cpus > 1 && !environment
                            ? COMMAND_REFUSED
                            : grid_submit_new (setup, job, environment, why);
    free (environment);
    return told;
}

/*  A deletion tells the job first (-notify), so both ends are one; a warning can't be sent. */
bool grid_signal (const batch_setup_t *setup, const char *id, batch_signal_t signal,
                  char why [WHY_BYTES])
{
    static const char *const words [][2] = {[BATCH_END] = {"qdel"},
                                            [BATCH_KILL] = {"qdel"},
                                            [BATCH_SUSPEND] = {"qmod", "-sj"},
                                            [BATCH_RESUME] = {"qmod", "-usj"}};
    if (signal == BATCH_WARN)
        return true;
    const char *const *word = words [signal];
    const char *arguments [4] = {word [0], word [1] ? word [1] : id, word [1] ? id : NULL};
    return grid_run (setup, arguments, NULL, why) == COMMAND_DONE;
}
