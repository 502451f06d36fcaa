/*  gridengine_jobs - a job has the name of its run, so that a second submission finds the first. */
#include "gridengine_queue.h"

#include "clock.h"
#include "must.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void grid_job_note (void *owner, const grid_job_t *job)
{
    batch_job_seen_t *seen = batch_job_place (owner, job->name);
    if (!seen)
        return;
    seen->state = grid_job_state (job->state);
    snprintf (seen->id, sizeof seen->id, "%s", job->id);
    snprintf (seen->why, sizeof seen->why, "Grid Engine says %s", job->state);
}

/*  --- why they wait --- */

typedef struct {
    const batch_jobs_t *asked;
    batch_job_seen_t *job; /* that is being told; NULL: none of those that wait */
    bool reasons;          /* it is at what its scheduler says of it */
} grid_reasons_t;

static batch_job_seen_t *grid_waiting (const batch_jobs_t *asked, const char *id)
{
    for (size_t i = 0; i < asked->count; i++)
        if (asked->seen [i].state == BATCH_JOB_QUEUED && strcmp (asked->seen [i].id, id) == 0)
            return &asked->seen [i];
    return NULL;
}

/*  "KEY:  value", and further lines of it without a key; the last reason is that of all queues. */
static void grid_reason_take (void *owner, char *line)
{
    static const char number [] = "job_number:", reasons [] = "scheduling info:";
    grid_reasons_t *self = owner;
    bool begins = strncmp (line, reasons, sizeof reasons - 1) == 0;
    if (*line != ' ')
        self->reasons = begins;
    line += begins ? sizeof reasons - 1 : 0;
    if (strncmp (line, number, sizeof number - 1) == 0)
        self->job = grid_waiting (self->asked, line + sizeof number - 1 +
                                                 strspn (line + sizeof number - 1, " "));
    else if (self->reasons && self->job)
        snprintf (self->job->why, sizeof self->job->why, "Grid Engine says %s",
                  line + strspn (line, " "));
}

/*  One question for all; without an answer they wait all the same. */
static void grid_reasons_ask (const batch_jobs_t *asked)
{
    char unsaid [WHY_BYTES];
    grid_reasons_t self = {.asked = asked};
    name_list_auto_t ids = {0};
    for (size_t i = 0; i < asked->count; i++)
        if (asked->seen [i].state == BATCH_JOB_QUEUED)
            name_list_add (&ids, asked->seen [i].id, "");
    text_auto_t *list = name_list_text (&ids, ',');
    if (ids.count > 0)
        BATCH_LINES (asked->setup, grid_reason_take, &self, unsaid, "qstat", "-j", list);
}

bool grid_jobs (const batch_jobs_t *asked, char why [WHY_BYTES])
{
    if (!grid_jobs_visit (asked->setup, grid_job_note, (void *) asked, why))
        return false;
    grid_reasons_ask (asked);
    return true;
}

int64_t grid_job_until (const grid_job_t *job)
{
    return job->limit_ms > 0 && job->started_ms > 0 ? job->started_ms + job->limit_ms
                                                    : BATCH_FOREVER_MS;
}

int64_t grid_longest_ms (const batch_setup_t *setup)
{
    bool silent;
    int64_t longest_s = 0;
    char unsaid [WHY_BYTES];
    text_auto_t *text = grid_queue_text (setup, setup->queue, &silent, unsaid);
    text_auto_t *limits = text ? grid_value (text, "h_rt") : NULL;
    char *rest = limits;
    for (char *limit; rest && (limit = strsep (&rest, ","));) {
        int hours, minutes, seconds;
        const char *of_host = strchr (limit, '=');
        if (sscanf (of_host ? of_host + 1 : limit, "%d:%d:%d", &hours, &minutes, &seconds) != 3)
            return 0;
        int64_t limit_s = (hours * INT64_C (60) + minutes) * 60 + seconds;
        longest_s = limit_s > longest_s ? limit_s : longest_s;
    }
    return longest_s * 1000;
}

/*  --- submission --- */

/*  Does it give slots on many hosts, as many as they have; or all on one? */
static bool grid_spreads (const batch_setup_t *setup, const char *environment, bool spread)
{
    char why [WHY_BYTES];
    text_auto_t *text = NULL;
    BATCH_RUN (setup, &text, why, "qconf", "-sp", environment);
    text_auto_t *rule = grid_value (text, "allocation_rule");
    return rule && (spread ? strcmp (rule, "$fill_up") == 0 || strcmp (rule, "$round_robin") == 0
                           : strcmp (rule, "$pe_slots") == 0);
}

/*  Its projects are what it charges. */
batch_fitness_t grid_charges (const batch_setup_t *setup, const account_t *who,
                              char why [WHY_BYTES])
{
    if (*who->qos) {
        wrong (why, "Grid Engine has no QOS, so not %s either", who->qos);
        return BATCH_UNFIT;
    }
    command_told_t told = BATCH_RUN (setup, NULL, why, "qconf", "-sprj", who->charged);
    if (told == COMMAND_REFUSED)
        wrong (why, "Grid Engine has no project %s: see qconf -sprjl", who->charged);
    return batch_fitness (told);
}

char *grid_environment (const batch_setup_t *setup, bool spread, char why [WHY_BYTES])
{
    bool silent;
    text_auto_t *text = grid_queue_text (setup, setup->queue, &silent, why);
    text_auto_t *list = text ? grid_value (text, "pe_list") : NULL;
    char *found = NULL, *rest = list;
    for (char *word; !found && rest && (word = strsep (&rest, " ,"));)
        if (*word && strcmp (word, "NONE") != 0 && grid_spreads (setup, word, spread))
            found = must (strdup (word));
    if (text && !found)
        wrong (
          why,
          "Grid Engine's queue %.60s has no parallel environment with allocation_rule %s: name "
          "one in its pe_list (qconf -mq)",
          setup->queue,
          spread ? "$round_robin or $fill_up, which an advance reservation of hosts needs"
                 : "$pe_slots, which a task of several CPUs needs");
    return found;
}

#define GRID_NO_QUEUE "unknown queue" /* what qsub says of one that is not there, or not yet */
#define SUBMIT_MS_MAX 55000           /* a little less than musubi-as lets a program run */

/*  The time that the next submission is given, where that is longer than the setup's limit: twice
 *  that of the last one, done or too late. */
static atomic_llong grid_submit_ms;

command_told_t grid_submit (const batch_setup_t *setup, const batch_job_t *job,
                            char why [WHY_BYTES])
{
    bool reserved = *job->reservation, parallel = job->cpus > 1;
    text_auto_t *environment = parallel ? grid_environment (setup, false, why) : NULL;
    if (parallel && !environment)
        return COMMAND_REFUSED;
    text_auto_t *limits =
      must_print ("h_rt=%" PRId64 "%s%s%s%.0" PRIu32, (job->limit_ms + 999) / 1000,
                  reserved ? "," GRID_COMPLEX "=" : "", job->reservation,
                  job->gpus > 0 ? "," GRID_GPU "=" : "", job->gpus);
    text_auto_t *slots = must_print ("%" PRIu32, job->cpus);
    int64_t longer_ms = atomic_load (&grid_submit_ms);
    batch_setup_t patient = *setup;
    if (longer_ms > setup->limit_ms)
        patient.limit_ms = longer_ms < SUBMIT_MS_MAX ? longer_ms : SUBMIT_MS_MAX;
    int64_t begun_ms = clock_ms (CLOCK_MONOTONIC);
    /*  -C "": no line of the script is options; a task's arguments may have such lines. */
    command_told_t told =
      BATCH_SUBMIT (&patient, job, GRID_NO_QUEUE, why, "qsub", "-C", "", "-terse", "-notify", "-N",
                    job->name, "-S", "/bin/sh", "-r", "n", "-wd", job->folder, "-q",
                    reserved ? job->reservation : setup->queue, "-o", job->output, "-e",
                    *job->errors ? job->errors : job->output, "-j", *job->errors ? "n" : "y",
                    *job->charged ? "-P" : "-terse", *job->charged ? job->charged : "-terse", "-l",
                    limits, parallel ? "-pe" : NULL, environment, slots);
    atomic_store (&grid_submit_ms, 2 * (clock_ms (CLOCK_MONOTONIC) - begun_ms));
    return told == COMMAND_REFUSED && strcasestr (why, GRID_NO_QUEUE) ? COMMAND_SILENT : told;
}

/*  --- what a reservation used --- */

/*  "HOST CLUSTER-QUEUE WALLCLOCK UTIME STIME CPU …", in seconds. */
static void grid_use_take (void *owner, char *line)
{
    int64_t *cpu_ms = owner;
    double cpu_s;
    if (sscanf (line, "%*s %*s %*f %*f %*f %lf", &cpu_s) == 1)
        *cpu_ms += llround (cpu_s * 1000);
}

bool grid_count (const batch_setup_t *setup, const back_end_order_t *order, int64_t *cpu_ms,
                 char why [WHY_BYTES])
{
    *cpu_ms = 0;
    command_told_t told =
      BATCH_LINES (setup, grid_use_take, cpu_ms, why, "qacct", "-q", order->reservation);
    if (told == COMMAND_REFUSED) /* it keeps no accounting file, or none here */
        *cpu_ms = -1;
    return told != COMMAND_SILENT;
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
    return batch_run (setup, arguments, NULL, why) == COMMAND_DONE;
}
