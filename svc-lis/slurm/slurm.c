/*  slurm - the table of functions: is it fit, what does it say, jobs. */
#include "slurm.h"

#include "must.h"
#include "slurm_reserve.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define YEAR_LEAST  20 /* of its versions: 20.11 */
#define MONTH_LEAST 11
#define MINUTE_MS   60000

/*  --- is it fit? --- */

static batch_fitness_t slurm_fitness (command_told_t told)
{
    return told == COMMAND_SILENT ? BATCH_SILENT : told == COMMAND_DONE ? BATCH_FIT : BATCH_UNFIT;
}

static bool version_right (const char *said, char why [WHY_BYTES])
{
    int year = 0, month = 0;
    const char *number = said + strcspn (said, "0123456789");
    bool read = sscanf (number, "%d.%d", &year, &month) == 2;
    return (read && year * 100 + month >= YEAR_LEAST * 100 + MONTH_LEAST) ||
           wrong (why, "Slurm is %.40s: it should be %d.%d or newer", *number ? number : "unknown",
                  YEAR_LEAST, MONTH_LEAST);
}

static batch_fitness_t version_check (const batch_setup_t *setup, char why [WHY_BYTES])
{
    char *output;
    command_told_t told =
      slurm_run (setup, (const char *const []){"sinfo", "--version", NULL}, &output, why);
    output [strcspn (output, "\n")] = '\0';
    bool right = told != COMMAND_DONE || version_right (output, why);
    free (output);
    return right ? slurm_fitness (told) : BATCH_UNFIT;
}

static batch_fitness_t partition_check (const batch_setup_t *setup, char why [WHY_BYTES])
{
    char *output, *line;
    name_list_t known = {0};
    bool found = false;
    command_told_t told =
      slurm_run (setup, (const char *const []){"sinfo", "-h", "-o", "%R", NULL}, &output, why);
    char *text = output;
    while ((line = command_line (&text))) {
        found = found || strcmp (line, setup->queue) == 0;
        name_list_add (&known, line, "");
    }
    free (output);
    char *all = slurm_nodes_text (&known);
    name_list_clear (&known);
    if (told == COMMAND_DONE && !found) {
        wrong (why, "Slurm has no partition %.60s; it has %.120s", setup->queue, all);
        told = COMMAND_REFUSED;
    }
    free (all);
    return slurm_fitness (told);
}

/*  One that does not exist is deleted: who has the right is told so, others that they have not. */
static batch_fitness_t right_check (const batch_setup_t *setup, char why [WHY_BYTES])
{
    char name [BATCH_NAME_BYTES_MAX + 1], named [BATCH_NAME_BYTES_MAX + 16];
    if (!batch_name (setup, "may-we-reserve", name, why))
        return BATCH_UNFIT;
    snprintf (named, sizeof named, "reservation=%s", name);
    command_told_t told =
      slurm_run (setup, (const char *const []){"scontrol", "delete", named, NULL}, NULL, why);
    if (told != COMMAND_REFUSED || strstr (why, "reservation is invalid"))
        return told == COMMAND_SILENT ? BATCH_SILENT : BATCH_FIT;
    char said [WHY_BYTES];
    snprintf (said, sizeof said, "%s", why);
    wrong (why,
           "this account may not make reservations in Slurm (%.100s): run the site as SlurmUser or "
           "as an operator of Slurm",
           said);
    return BATCH_UNFIT;
}

static batch_fitness_t slurm_check (const batch_setup_t *setup, bool reserves, char why [WHY_BYTES])
{
    batch_fitness_t fitness = version_check (setup, why);
    if (fitness == BATCH_FIT)
        fitness = partition_check (setup, why);
    return fitness == BATCH_FIT && reserves ? right_check (setup, why) : fitness;
}

/*  --- the picture --- */

static void slurm_node_take (batch_picture_t *picture, char *line)
{
    batch_node_t *node = batch_picture_node (picture, command_field (&line));
    const char *state = command_field (&line), *cpus = command_field (&line);
    const char *used = command_field (&line), *reason = command_field (&line);
    node->up = slurm_node_up (state);
    node->drained = strncmp (state, "drain", 5) == 0;
    node->cpus = (uint32_t) strtoul (cpus, NULL, 10);
    node->cpus_busy = (uint32_t) strtoul (used, NULL, 10);
    if (strcmp (reason, "none") != 0)
        snprintf (node->why, sizeof node->why, "%s", reason);
    else if (!node->up)
        snprintf (node->why, sizeof node->why, "Slurm says %s", state);
}

static bool slurm_nodes_look (const batch_setup_t *setup, batch_picture_t *picture,
                              char why [WHY_BYTES])
{
    const char *const ask [] = {"sinfo",          "-h", "-N", "-p", setup->queue, "-o",
                                "%N|%T|%c|%C|%E", NULL};
    char *output, *line;
    bool good = slurm_run (setup, ask, &output, why) == COMMAND_DONE;
    char *text = output;
    while (good && (line = command_line (&text)))
        slurm_node_take (picture, line);
    free (output);
    return good;
}

static void slurm_booking_add (batch_picture_t *picture, const char *name, int64_t from_ms,
                               int64_t until_ms, const name_list_t *nodes)
{
    if (from_ms >= until_ms || nodes->count == 0 || picture->bookings_count >= BATCH_BOOKINGS_MAX)
        return;
    batch_booking_t *booking = batch_picture_booking (picture, name, from_ms, until_ms);
    for (size_t i = 0; i < nodes->count; i++)
        batch_booking_node (booking, nodes->words [i]);
}

typedef struct {
    const batch_setup_t *setup;
    batch_picture_t *picture;
} slurm_looking_t;

static bool slurm_booking_take (void *owner, const slurm_reservation_t *seen, char why [WHY_BYTES])
{
    (void) why;
    const slurm_looking_t *self = owner;
    if (!batch_name_ours (self->setup, seen->name) ||
        strcmp (seen->partition, self->setup->queue) != 0)
        slurm_booking_add (self->picture, seen->name, seen->from_ms, seen->until_ms, &seen->nodes);
    return true;
}

/*  A job without a limit is no booking: nobody knows until when. */
static void slurm_job_take (const batch_setup_t *setup, batch_picture_t *picture, char *line)
{
    char name [NAME_BYTES_MAX + 1];
    int64_t from_ms, until_ms;
    name_list_t nodes = {0};
    snprintf (name, sizeof name, "job-%s", command_field (&line));
    const char *list = command_field (&line), *from = command_field (&line);
    const char *until = command_field (&line), *reservation = command_field (&line);
    if (!batch_name_ours (setup, reservation) && !batch_name_ours (setup, line) &&
        slurm_time_read (from, &from_ms) && slurm_time_read (until, &until_ms) &&
        slurm_nodes_read (list, &nodes))
        slurm_booking_add (picture, name, from_ms, until_ms, &nodes);
    name_list_clear (&nodes);
}

static bool slurm_jobs_look (const batch_setup_t *setup, batch_picture_t *picture,
                             char why [WHY_BYTES])
{
    const char *const ask [] = {
      "squeue", "-h", "-t", "R,S", "-p", setup->queue, "-o", "%i|%N|%S|%e|%v|%j", NULL};
    char *output, *line;
    bool good = slurm_run (setup, ask, &output, why) == COMMAND_DONE;
    char *text = output;
    while (good && (line = command_line (&text)))
        slurm_job_take (setup, picture, line);
    free (output);
    return good;
}

static bool slurm_look (const batch_setup_t *setup, batch_picture_t *picture, char why [WHY_BYTES])
{
    slurm_looking_t looking = {setup, picture};
    snprintf (picture->system, sizeof picture->system, "slurm");
    return slurm_nodes_look (setup, picture, why) &&
           slurm_reservations (setup, slurm_booking_take, &looking, why) &&
           (!setup->jobs || slurm_jobs_look (setup, picture, why));
}

/*  --- jobs --- */

/*  Of several jobs of a name, one that is not over counts. */
static void slurm_job_seen (batch_job_seen_t *seen, char *line)
{
    const char *id = command_field (&line);
    batch_job_state_t state = slurm_job_state (command_field (&line));
    bool made_way = strcmp (command_field (&line), SLURM_MADE_WAY) == 0;
    if (seen->state >= BATCH_JOB_QUEUED && seen->state <= BATCH_JOB_SUSPENDED)
        return;
    seen->state = state;
    snprintf (seen->id, sizeof seen->id, "%s", id);
    snprintf (seen->why, sizeof seen->why, "Slurm says %s", line);
    if (state != BATCH_JOB_ENDED || !made_way)
        return;
    seen->state = BATCH_JOB_LOST;
    snprintf (seen->why, sizeof seen->why, SLURM_MADE_WAY);
}

static void slurm_job_match (char *line, const batch_setup_t *setup, const char *const *names,
                             size_t count, batch_job_seen_t *seen)
{
    const char *run = batch_name_ours (setup, command_field (&line));
    for (size_t i = 0; run && i < count; i++)
        if (strcmp (run, names [i]) == 0)
            slurm_job_seen (&seen [i], line);
}

static bool slurm_jobs (const batch_setup_t *setup, const char *const *names, size_t count,
                        batch_job_seen_t *seen, char why [WHY_BYTES])
{
    size_t room = count * (BATCH_NAME_BYTES_MAX + 1) + 8, size;
    char *list = must (malloc (room)), *output, *line;
    bool good = true;
    memset (seen, 0, count * sizeof *seen);
    size = (size_t) sprintf (list, "--name=");
    for (size_t i = 0; good && i < count; i++) {
        size += i > 0 ? (size_t) sprintf (list + size, ",") : 0;
        good = batch_name (setup, names [i], list + size, why);
        size += strlen (list + size);
    }
    const char *const ask [] = {"squeue", "-h", "-t", "all", list, "-o", "%j|%i|%T|%k|%T, %r",
                                NULL};
    if (good) {
        good = slurm_run (setup, ask, &output, why) == COMMAND_DONE;
        char *text = output;
        while (good && (line = command_line (&text)))
            slurm_job_match (line, setup, names, count, seen);
        free (output);
    }
    free (list);
    return good;
}

#define SUBMIT_WORDS 20

static size_t submit_words (const batch_setup_t *setup, const batch_job_t *job, const char *name,
                            const char *reservation, char *words [SUBMIT_WORDS])
{
    size_t count = 0;
    words [count++] = must_print ("sbatch");
    words [count++] = must_print ("--parsable");
    words [count++] = must_print ("--job-name=%s", name);
    words [count++] = must_print ("--partition=%s", setup->queue);
    words [count++] = must_print ("--no-requeue");
    words [count++] = must_print ("--export=ALL");
    words [count++] = must_print ("--open-mode=append");
    words [count++] = must_print ("--nodes=1");
    words [count++] = must_print ("--ntasks=1");
    words [count++] = must_print ("--cpus-per-task=%" PRIu32, job->cpus);
    words [count++] = must_print ("--time=%" PRId64, (job->limit_ms + MINUTE_MS - 1) / MINUTE_MS);
    words [count++] = must_print ("--chdir=%s", job->folder);
    words [count++] = must_print ("--output=%s", job->output);
    if (*job->errors)
        words [count++] = must_print ("--error=%s", job->errors);
    if (*reservation)
        words [count++] = must_print ("--reservation=%s", reservation);
    words [count] = NULL;
    return count;
}

/*  A reservation that Slurm does not have may only not have been made yet, or again. */
static command_told_t slurm_submit_new (const batch_setup_t *setup, const batch_job_t *job,
                                        char why [WHY_BYTES])
{
    char name [BATCH_NAME_BYTES_MAX + 1], reservation [BATCH_NAME_BYTES_MAX + 1] = "";
    char *words [SUBMIT_WORDS];
    if (!batch_name (setup, job->name, name, why) ||
        (*job->reservation && !batch_name (setup, job->reservation, reservation, why)))
        return COMMAND_REFUSED;
    packed_t output;
    size_t count = submit_words (setup, job, name, reservation, words);
    command_told_t told = command_run_as (job->account, (const char *const *) words, job->script,
                                          setup->limit_ms, &output, why);
    free (output.data);
    while (count > 0)
        free (words [--count]);
    bool later = strcasestr (why, "contact slurm controller") || strcasestr (why, "timed out") ||
                 strcasestr (why, "reservation is invalid");
    return told == COMMAND_REFUSED && later ? COMMAND_SILENT : told;
}

/*  Into its reservation, if that is there again. */
static command_told_t slurm_put_back (const batch_setup_t *setup, const batch_job_t *job,
                                      const char *id, char why [WHY_BYTES])
{
    char name [BATCH_NAME_BYTES_MAX + 1];
    if (!batch_name (setup, job->reservation, name, why))
        return COMMAND_REFUSED;
    text_auto_t *which = must_print ("jobid=%s", id);
    text_auto_t *into = must_print ("reservationname=%s", name);
    const char *const update [] = {"scontrol", "update", which, into, NULL};
    const char *const release [] = {"scontrol", "release", id, NULL};
    bool back = slurm_run (setup, update, NULL, why) == COMMAND_DONE &&
                slurm_run (setup, release, NULL, why) == COMMAND_DONE;
    return back ? COMMAND_DONE : COMMAND_SILENT;
}

static command_told_t slurm_submit (const batch_setup_t *setup, const batch_job_t *job,
                                    char why [WHY_BYTES])
{
    batch_job_seen_t seen;
    if (!slurm_jobs (setup, &job->name, 1, &seen, why))
        return COMMAND_SILENT;
    if (seen.state >= BATCH_JOB_QUEUED && seen.state <= BATCH_JOB_SUSPENDED)
        return COMMAND_DONE;
    if (seen.state == BATCH_JOB_HELD)
        return slurm_put_back (setup, job, seen.id, why);
    return slurm_submit_new (setup, job, why);
}

static bool slurm_signal (const batch_setup_t *setup, const char *id, batch_signal_t signal,
                          char why [WHY_BYTES])
{
    static const char *const words [][3] = {[BATCH_WARN] = {"scancel", "--full", "--signal=USR1"},
                                            [BATCH_END] = {"scancel"},
                                            [BATCH_KILL] = {"scancel", "--full", "--signal=KILL"},
                                            [BATCH_SUSPEND] = {"scontrol", "suspend"},
                                            [BATCH_RESUME] = {"scontrol", "resume"}};
    const char *arguments [5] = {0};
    size_t count = 0;
    for (; count < 3 && words [signal][count]; count++)
        arguments [count] = words [signal][count];
    arguments [count] = id;
    return slurm_run (setup, arguments, NULL, why) == COMMAND_DONE;
}

const batch_system_t slurm = {
  .name = "slurm",
  .check = slurm_check,
  .look = slurm_look,
  .jobs = slurm_jobs,
  .submit = slurm_submit,
  .signal = slurm_signal,
  .reserve = slurm_reserve,
  .open = slurm_open,
  .verify = slurm_verify,
  .close = slurm_close,
  .reconcile = slurm_reconcile,
};
