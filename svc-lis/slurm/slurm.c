/*  slurm - the table of functions: is it fit, what does it say, jobs. */
#include "slurm.h"

#include "clock.h"
#include "must.h"
#include "slurm_reserve.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define YEAR_LEAST    20 /* of its versions: 20.11 */
#define MONTH_LEAST   11
#define MINUTE_MS     60000
#define OVERRUN_MS    300000
#define OTHERS_BYTES  96 /* of accounts or QOS that are told */
#define RECURRING_MAX 64 /* more are held without end from their second time on */

/*  --- is it fit? --- */

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
    text_auto_t *output = NULL;
    command_told_t told = BATCH_RUN (setup, &output, why, "sinfo", "--version");
    output [strcspn (output, "\n")] = '\0';
    bool right = told != COMMAND_DONE || version_right (output, why);
    return right ? batch_fitness (told) : BATCH_UNFIT;
}

static batch_fitness_t partition_check (const batch_setup_t *setup, char why [WHY_BYTES])
{
    text_auto_t *output = NULL;
    name_list_auto_t known = {0};
    command_told_t told = BATCH_RUN (setup, &output, why, "sinfo", "-h", "-o", "%R");
    name_list_add (&known, output, "");
    text_auto_t *all = name_list_text (&known, ',');
    bool right = told != COMMAND_DONE || name_list_has (&known, setup->queue) ||
                 wrong (why, "Slurm has no partition %.60s; it has %.120s", setup->queue, all);
    return right ? batch_fitness (told) : BATCH_UNFIT;
}

/*  One that does not exist is deleted: who has the right is told so, others that they have not. */
static batch_fitness_t right_check (const batch_setup_t *setup, char why [WHY_BYTES])
{
    char name [BATCH_NAME_BYTES_MAX + 1], named [BATCH_NAME_BYTES_MAX + 16];
    if (!batch_name (setup, BATCH_NAME_OF_NONE, name, why))
        return BATCH_UNFIT;
    snprintf (named, sizeof named, "reservation=%s", name);
    command_told_t told = BATCH_RUN (setup, NULL, why, "scontrol", "delete", named);
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

/*  Of a line of associations. */
typedef struct {
    const account_t *who;
    bool there;
    bool allowed;               /* its QOS */
    char others [OTHERS_BYTES]; /* what would be right: accounts, or QOS of its account */
} slurm_charges_t;

static void slurm_association_take (void *owner, char *line)
{
    slurm_charges_t *self = owner;
    const char *account = command_field (&line);
    name_list_auto_t allowed = {0};
    bool other = *self->who->charged && strcmp (account, self->who->charged) != 0;
    size_t used = other || self->there ? strlen (self->others) : 0;
    if (!other || !self->there)
        snprintf (self->others + used, sizeof self->others - used, "%s%s", used > 0 ? "," : "",
                  other ? account : line);
    if (other)
        return;
    name_list_add (&allowed, line, "");
    self->there = true;
    self->allowed = self->allowed || !*self->who->qos || name_list_has (&allowed, self->who->qos);
}

static batch_fitness_t slurm_charges (const batch_setup_t *setup, const account_t *who,
                                      char why [WHY_BYTES])
{
    slurm_charges_t self = {.who = who};
    text_auto_t *user = must_print ("user=%s", who->account);
    command_told_t told = BATCH_LINES (setup, slurm_association_take, &self, why, "sacctmgr", "-n",
                                       "-P", "show", "assoc", user, "format=account,qos");
    if (told == COMMAND_REFUSED && strstr (why, "accounting_storage"))
        wrong (why, "this Slurm has no slurmdbd, which alone has accounts and QOS");
    else if (told == COMMAND_DONE && !self.there)
        wrong (why, "Slurm has no account %s of the user %s, which has %s: see sacctmgr show assoc",
               who->charged, who->account, *self.others ? self.others : "none");
    else if (told == COMMAND_DONE && !self.allowed)
        wrong (why, "Slurm has no QOS %s for the user %s there, but %s: see sacctmgr show assoc",
               who->qos, who->account, *self.others ? self.others : "none");
    else
        return told == COMMAND_DONE ? BATCH_FIT : BATCH_SILENT;
    return BATCH_UNFIT;
}

/*  --- the picture --- */

typedef struct {
    const batch_setup_t *setup;
    batch_picture_t *picture;
    size_t recurring;
    bool unlimited; /* a job of any length may begin */
} slurm_looking_t;

/*  Why the partition takes nothing, from its availability and whether it is root's; "" = it
 *  does. */
static void slurm_partition_closed (const slurm_looking_t *self, const char *availability,
                                    const char *root, char why [WHY_BYTES])
{
    const char *queue = self->setup->queue;
    *why = '\0';
    if (self->picture->gone)
        wrong (why, "Slurm has no partition %.60s with nodes", queue);
    else if (strcmp (availability, "up") != 0)
        wrong (why, "Slurm's partition %.60s has the state %.40s", queue, availability);
    else if (strcmp (root, "yes") == 0)
        wrong (why, "Slurm's partition %.60s is closed to all but root", queue);
}

static void slurm_node_take (void *owner, char *line)
{
    const slurm_looking_t *self = owner;
    char closed [WHY_BYTES];
    const char *name = command_field (&line), *state = command_field (&line);
    const char *cpus = command_field (&line), *used = command_field (&line);
    const char *availability = command_field (&line), *root = command_field (&line);
    const char *limit = command_field (&line), *cpus_most = command_field (&line);
    const char *features = command_field (&line), *gres = command_field (&line);
    const char *reason = line; /* any text, the rest of the line */
    size_t count = self->picture->nodes_count;
    if (count > 0 && strcmp (self->picture->nodes [count - 1].node, name) == 0)
        return; /* it is in two partitions; they come by name */
    batch_node_t *node = batch_picture_node (self->picture, name);
    slurm_node_state (state, node);
    slurm_partition_closed (self, availability, root, closed);
    node->drained = node->drained || *closed;
    uint32_t has = (uint32_t) strtoul (cpus, NULL, 10);
    uint32_t most = (uint32_t) strtoul (cpus_most, NULL, 10); /* "UNLIMITED" */
    node->cpus = most > 0 && most < has ? most : has;
    if (strcmp (features, "(null)") != 0)
        node->features = must_print ("%.*s", BATCH_FEATURES_BYTES_MAX, features);
    slurm_gpus_read (gres, node);
    if (!self->picture->gone)
        slurm_span_read (limit, &self->picture->longest_ms);
    node->cpus_busy = (uint32_t) strtoul (used, NULL, 10);
    if (*closed)
        snprintf (node->why, sizeof node->why, "%s", closed);
    else if (strcmp (reason, "none") != 0)
        snprintf (node->why, sizeof node->why, "%s", reason);
    else if (!node->up || node->drained)
        snprintf (node->why, sizeof node->why, "Slurm says %s", state);
}

#define SLURM_NODES(looking, why, ...)                                                             \
    (BATCH_LINES ((looking)->setup, slurm_node_take, looking, why, "sinfo", "-h", "-N", "-o",      \
                  "%N|%T|%c|%C|%a|%r|%l|%B|%f|%G|%E", __VA_ARGS__) == COMMAND_DONE)

/*  The nodes of a partition that is gone are still there. */
static bool slurm_nodes_look (slurm_looking_t *self, char why [WHY_BYTES])
{
    if (!SLURM_NODES (self, why, "-p", self->setup->queue))
        return false;
    self->picture->gone = self->picture->nodes_count == 0;
    if (self->picture->gone && !SLURM_NODES (self, why, "-a"))
        return false;
    batch_picture_sort (self->picture);
    return true;
}

static void slurm_booking_add (slurm_looking_t *self, const slurm_reservation_t *seen)
{
    batch_picture_t *picture = self->picture;
    if (seen->from_ms >= seen->until_ms || seen->nodes.count == 0)
        return;
    if (picture->bookings_count >= BATCH_BOOKINGS_MAX) {
        wrong (picture->trouble, "Slurm has more than %d of others' reservations",
               BATCH_BOOKINGS_MAX);
        return;
    }
    batch_booking_t *booking =
      batch_picture_booking (picture, seen->name, seen->from_ms, seen->until_ms);
    for (size_t i = 0; i < seen->nodes.count; i++)
        batch_booking_node (booking, seen->nodes.words [i]);
    if (seen->repeat == SLURM_ONCE)
        return;
    size_t times = self->recurring++ < RECURRING_MAX ? BATCH_TIMES_MAX : 1;
    booking->again_ms = must (calloc (2 * times, sizeof *booking->again_ms));
    booking->again_count = 2 * times;
    slurm_repeat_times (seen->repeat, seen->from_ms, seen->until_ms, booking->again_ms, times);
}

/*  Nodes that can't be read may be any of the queue. Of "No reservations in the system" one word is
 *  left. */
static void slurm_booking_take (void *owner, char *line)
{
    slurm_looking_t *self = owner;
    batch_picture_t *picture = self->picture;
    slurm_reservation_t seen;
    bool is = slurm_reservation_read (line, &seen);
    bool ours =
      batch_name_ours (self->setup, seen.name) && strcmp (seen.partition, self->setup->queue) == 0;
    if (!ours && !(seen.times_read && seen.nodes_read) && strcmp (line, "No") != 0)
        wrong (picture->trouble, "what Slurm says of a reservation can't be read: %.100s", line);
    for (size_t i = 0; !seen.nodes_read && i < picture->nodes_count; i++)
        name_list_add (&seen.nodes, picture->nodes [i].node, "");
    if (is && !ours)
        slurm_booking_add (self, &seen);
    name_list_clear (&seen.nodes);
}

/*  Until its limit; past it, which Slurm takes a while to see, until the next whole OVERRUN_MS;
 *  without one for ever. */
static int64_t slurm_job_until (const char *text)
{
    int64_t until_ms, now_ms = clock_ms (CLOCK_REALTIME);
    if (!slurm_time_read (text, &until_ms))
        return BATCH_FOREVER_MS;
    return until_ms > now_ms ? until_ms : (now_ms / OVERRUN_MS + 1) * OVERRUN_MS;
}

/*  Also tasks of the site's queue, which it puts on no node itself. */
static void slurm_job_take (void *owner, char *line)
{
    slurm_looking_t *self = owner;
    name_list_auto_t nodes = {0};
    int64_t since_ms;
    const char *id = command_field (&line), *list = command_field (&line);
    const char *from = command_field (&line), *until = command_field (&line);
    bool firm = strcmp (command_field (&line), SLURM_AGAIN) != 0;
    if (batch_name_ours (self->setup, command_field (&line)))
        return;
    if (!slurm_time_read (from, &since_ms) || !slurm_nodes_read (list, &nodes))
        wrong (self->picture->trouble, "what Slurm says of job %.30s can't be read: %.40s, %.80s",
               id, from, list);
    for (size_t i = 0; i < nodes.count; i++) {
        batch_node_t *node = batch_picture_find (self->picture, nodes.words [i]);
        if (node)
            batch_node_job (node, since_ms, slurm_job_until (until), firm);
    }
}

/*  "7-00:00:00", "1:00:00" or "30:00" of each partition, as their nodes may be the same;
 *  "infinite", and what can't be read, is without end. */
static void slurm_reach_take (void *owner, char *line)
{
    slurm_looking_t *self = owner;
    int64_t reach_ms = 0;
    slurm_span_read (line, &reach_ms);
    self->unlimited = self->unlimited || reach_ms == 0;
    if (reach_ms > self->picture->reach_ms || self->unlimited)
        self->picture->reach_ms = self->unlimited ? 0 : reach_ms;
}

static bool slurm_look (const batch_setup_t *setup, batch_picture_t *picture, char why [WHY_BYTES])
{
    slurm_looking_t looking = {.setup = setup, .picture = picture};
    snprintf (picture->system, sizeof picture->system, "slurm");
    picture->features = true;
    return slurm_nodes_look (&looking, why) &&
           SLURM_RESERVATIONS (setup, slurm_booking_take, &looking, why) &&
           BATCH_LINES (setup, slurm_reach_take, &looking, why, "sinfo", "-h", "-a", "-o", "%l") ==
             COMMAND_DONE &&
           BATCH_LINES (
             setup, slurm_job_take, &looking, why, "squeue", "-h", "-t", "R,S,CF", "-O",
             "JobArrayID:|,NodeList:|,StartTime:|,EndTime:|,Requeue:,BatchFlag:|,Reservation:|") ==
             COMMAND_DONE;
}

/*  --- jobs --- */

static void slurm_job_seen (void *owner, char *line)
{
    batch_job_seen_t *seen = batch_job_place (owner, command_field (&line));
    if (!seen)
        return;
    snprintf (seen->id, sizeof seen->id, "%s", command_field (&line));
    seen->state = slurm_job_state (command_field (&line));
    bool made_way = strcmp (command_field (&line), SLURM_MADE_WAY) == 0;
    snprintf (seen->why, sizeof seen->why, "Slurm says %s", line);
    if (seen->state != BATCH_JOB_ENDED || !made_way)
        return;
    seen->state = BATCH_JOB_LOST;
    snprintf (seen->why, sizeof seen->why, SLURM_MADE_WAY);
}

static bool slurm_jobs (const batch_jobs_t *asked, char why [WHY_BYTES])
{
    char name [BATCH_NAME_BYTES_MAX + 1];
    name_list_auto_t names = {0};
    bool good = true;
    for (size_t i = 0; good && i < asked->count; i++) {
        good = batch_name (asked->setup, asked->names [i], name, why);
        name_list_add (&names, good ? name : "", "");
    }
    text_auto_t *text = name_list_text (&names, ',');
    text_auto_t *list = must_print ("--name=%s", text);
    return good && BATCH_LINES (asked->setup, slurm_job_seen, (void *) asked, why, "squeue", "-h",
                                "-t", "all", list, "-o", "%j|%i|%T|%k|%T, %r") == COMMAND_DONE;
}

/*  Into its reservation, if that is there again. */
static command_told_t slurm_put_back (const batch_setup_t *setup, const batch_job_t *job,
                                      char why [WHY_BYTES])
{
    text_auto_t *which = must_print ("jobid=%s", job->held);
    text_auto_t *into = must_print ("reservationname=%s", job->reservation);
    bool back = BATCH_RUN (setup, NULL, why, "scontrol", "update", which, into) == COMMAND_DONE &&
                BATCH_RUN (setup, NULL, why, "scontrol", "release", job->held) == COMMAND_DONE;
    return back ? COMMAND_DONE : COMMAND_SILENT;
}

static command_told_t slurm_submit (const batch_setup_t *setup, const batch_job_t *job,
                                    char why [WHY_BYTES])
{
    if (*job->held)
        return slurm_put_back (setup, job, why);
    text_auto_t *name = must_print ("--job-name=%s", job->name);
    text_auto_t *partition = must_print ("--partition=%s", setup->queue);
    text_auto_t *cpus = must_print ("--cpus-per-task=%" PRIu32, job->cpus);
    text_auto_t *limit =
      must_print ("--time=%" PRId64, (job->limit_ms + MINUTE_MS - 1) / MINUTE_MS);
    text_auto_t *folder = must_print ("--chdir=%s", job->folder);
    text_auto_t *output = must_print ("--output=%s", job->output);
    text_auto_t *errors = must_print ("--error=%s", job->errors);
    text_auto_t *reservation = must_print ("--reservation=%s", job->reservation);
    text_auto_t *account = must_print ("--account=%s", job->charged);
    text_auto_t *qos = must_print ("--qos=%s", job->qos);
    text_auto_t *gpus = must_print ("--gres=gpu:%" PRIu32, job->gpus);
    command_told_t told =
      BATCH_SUBMIT (setup, job, "reservation is invalid", why, "sbatch", "--parsable",
                    "--no-requeue", "--export=ALL", "--open-mode=append", "--nodes=1", "--ntasks=1",
                    name, partition, cpus, limit, folder, output, *job->errors ? errors : output,
                    *job->charged ? account : partition, *job->qos ? qos : partition,
                    job->gpus > 0 ? gpus : partition, *job->reservation ? reservation : NULL);
    return told == COMMAND_REFUSED && slurm_refused_for_now (why) ? COMMAND_SILENT : told;
}

/*  --- what a reservation used --- */

typedef struct {
    name_list_t ids; /* that Slurm has given it, one after another if it was made again */
    int64_t cpu_ms;
} slurm_count_t;

static void slurm_id_take (void *owner, char *line)
{
    slurm_count_t *self = owner;
    name_list_add (&self->ids, line, "");
}

/*  A job; its steps have no reservation. */
static void slurm_use_take (void *owner, char *line)
{
    slurm_count_t *self = owner;
    int64_t cpu_ms;
    if (name_list_has (&self->ids, command_field (&line)) && slurm_span_read (line, &cpu_ms))
        self->cpu_ms += cpu_ms;
}

static bool slurm_count (const batch_setup_t *setup, const back_end_order_t *order, int64_t *cpu_ms,
                         char why [WHY_BYTES])
{
    char from [SLURM_TIME_BYTES];
    slurm_count_t self = {.cpu_ms = 0};
    text_auto_t *names = must_print ("names=%s", order->reservation);
    text_auto_t *start = must_print ("start=%s", slurm_time_text (order->from_ms, from));
    command_told_t told = BATCH_LINES (setup, slurm_id_take, &self, why, "sacctmgr", "-n", "-P",
                                       "show", "reservation", names, start, "format=id");
    bool none = told == COMMAND_REFUSED && strstr (why, "accounting_storage");
    if (told == COMMAND_DONE && self.ids.count > 0)
        told = BATCH_LINES (setup, slurm_use_take, &self, why, "sacct", "-a", "-n", "-P", "-r",
                            setup->queue, "-S", from, "--format=ReservationId,TotalCPU");
    name_list_clear (&self.ids);
    *cpu_ms = none ? -1 : self.cpu_ms;
    return none || told == COMMAND_DONE;
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
    return batch_run (setup, arguments, NULL, why) == COMMAND_DONE;
}

const batch_system_t slurm = {
  .name = "slurm",
  .check = slurm_check,
  .charges = slurm_charges,
  .look = slurm_look,
  .jobs = slurm_jobs,
  .submit = slurm_submit,
  .signal = slurm_signal,
  .keep = slurm_keep,
  .compare = slurm_compare,
  .close = slurm_close,
  .count = slurm_count,
  .list = slurm_list,
};
