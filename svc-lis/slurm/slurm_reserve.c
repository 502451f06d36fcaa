/*  slurm_reserve - makes what Slurm has equal to what the site has promised. Each function asks
 *  Slurm first what there is, does what is missing, and asks again: what Slurm acknowledged it may
 *  have lost, or granted with fewer nodes.
 */
#include "slurm_reserve.h"

#include "must.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CLEAR_MS 5000 /* that one step waits for jobs to end; then it is tried again */
#define AGAIN_MS 100
#define BEGUN_MS 2000 /* that Slurm may take to see that one has begun */

static int64_t slurm_now_ms (void)
{
    struct timespec now;
    clock_gettime (CLOCK_REALTIME, &now);
    return (int64_t) now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

command_told_t slurm_run (const batch_setup_t *setup, const char *const *arguments, char **output,
                          char why [WHY_BYTES])
{
    command_told_t told = command_run (arguments, NULL, setup->limit_ms, output, why);
    bool later = strcasestr (why, "contact slurm controller") || strcasestr (why, "timed out") ||
                 strcasestr (why, "temporarily unable") || strcasestr (why, "connection refused");
    return told == COMMAND_REFUSED && later ? COMMAND_SILENT : told;
}

/*  --- what there is --- */

bool slurm_reservations (const batch_setup_t *setup, slurm_reservation_fn *told, void *owner,
                         char why [WHY_BYTES])
{
    const char *const ask [] = {"scontrol", "-o", "show", "reservation", NULL};
    char *output, *line;
    bool good = slurm_run (setup, ask, &output, why) == COMMAND_DONE;
    char *text = output;
    while (good && (line = command_line (&text))) {
        slurm_reservation_t seen;
        if (slurm_reservation_read (line, &seen))
            good = told (owner, &seen, why);
        name_list_clear (&seen.nodes);
    }
    free (output);
    return good;
}

/*  One of ours as Slurm has it, beside what it should be. */
typedef struct {
    const batch_setup_t *setup;
    const back_end_order_t *order;
    char name [BATCH_NAME_BYTES_MAX + 1];
    char *nodes; /* wanted, sorted */
    bool there;
    bool active;
    bool nodes_right, users_right, from_right, until_right;
    char *nodes_seen;
    name_list_t left; /* nodes that it has and should not have any more */
} slurm_pair_t;

static bool slurm_pair_new (slurm_pair_t *self, const batch_setup_t *setup,
                            const back_end_order_t *order, char why [WHY_BYTES])
{
    *self = (slurm_pair_t){.setup = setup, .order = order};
    if (!batch_name (setup, order->reservation, self->name, why))
        return false;
    name_list_t nodes = {0};
    for (size_t i = 0; i < order->nodes_count; i++)
        name_list_add (&nodes, order->nodes [i], "");
    slurm_nodes_sort (&nodes);
    self->nodes = slurm_nodes_text (&nodes);
    name_list_clear (&nodes);
    return true;
}

static void slurm_pair_clear (slurm_pair_t *self)
{
    free (self->nodes);
    free (self->nodes_seen);
    name_list_clear (&self->left);
}

static void slurm_pair_take_left (slurm_pair_t *self, const name_list_t *seen)
{
    name_list_clear (&self->left);
    for (size_t i = 0; i < seen->count; i++) {
        size_t k = 0;
        while (k < self->order->nodes_count &&
               strcmp (self->order->nodes [k], seen->words [i]) != 0)
            k++;
        if (k == self->order->nodes_count)
            name_list_add (&self->left, seen->words [i], "");
    }
}

/*  A start that has gone by is as right as any other that has. */
static bool slurm_pair_take (void *owner, const slurm_reservation_t *seen, char why [WHY_BYTES])
{
    (void) why;
    slurm_pair_t *self = owner;
    int64_t now_ms = slurm_now_ms (), from_ms = slurm_time_whole (self->order->from_ms);
    if (strcmp (seen->name, self->name) != 0)
        return true;
    self->there = true;
    self->active = seen->active;
    self->nodes_seen = slurm_nodes_text (&seen->nodes);
    slurm_pair_take_left (self, &seen->nodes);
    self->nodes_right = strcmp (self->nodes, self->nodes_seen) == 0;
    self->users_right = strcmp (seen->users, self->order->account) == 0;
    self->from_right = seen->from_ms == from_ms || (seen->from_ms <= now_ms && from_ms <= now_ms);
    self->until_right = seen->until_ms == slurm_time_whole (self->order->until_ms);
    return true;
}

/*  Looks among all: there is no telling one that is not there from other refusals but by words. */
static bool slurm_pair_look (slurm_pair_t *self, char why [WHY_BYTES])
{
    free (self->nodes_seen);
    self->nodes_seen = NULL;
    self->there = self->active = false;
    self->nodes_right = self->users_right = self->from_right = self->until_right = false;
    return slurm_reservations (self->setup, slurm_pair_take, self, why);
}

static bool slurm_pair_right (const slurm_pair_t *self, char why [WHY_BYTES])
{
    if (!self->there)
        return wrong (why, "Slurm has no reservation %.80s", self->name);
    if (!self->nodes_right)
        return wrong (why, "Slurm's reservation %.60s has the nodes %.60s instead of %.60s",
                      self->name, self->nodes_seen, self->nodes);
    if (!self->users_right)
        return wrong (why, "Slurm's reservation %.80s has other users than %.40s", self->name,
                      self->order->account);
    return (self->from_right && self->until_right) ||
           wrong (why, "Slurm's reservation %.80s has other times than the site's", self->name);
}

/*  --- its jobs --- */

/*  Until no job of it is left on these nodes (NULL: at all), or false with why at that time. */
static bool slurm_empty (const slurm_pair_t *self, const char *nodes, int64_t until_ms,
                         char why [WHY_BYTES])
{
    const char *const ask [] = {"squeue", "-h", "-R", self->name, "-o", "%i", nodes ? "-w" : NULL,
                                nodes,    NULL};
    for (;;) {
        char *output;
        bool asked = slurm_run (self->setup, ask, &output, why) == COMMAND_DONE;
        bool empty = asked && *output == '\0';
        bool late = slurm_now_ms () >= until_ms;
        if (asked && !empty)
            wrong (why, "Slurm's job %.*s of the reservation has not ended yet",
                   (int) strcspn (output, "\n"), output);
        free (output);
        if (empty || !asked || late)
            return empty;
        nanosleep (&(struct timespec){.tv_nsec = AGAIN_MS * 1000000}, NULL);
    }
}

static bool slurm_end_jobs (const slurm_pair_t *self, const char *nodes, char why [WHY_BYTES])
{
    char filter [BATCH_NAME_BYTES_MAX + 16];
    snprintf (filter, sizeof filter, "--reservation=%s", self->name);
    const char *const end [] = {"scancel", filter, nodes ? "-w" : NULL, nodes, NULL};
    const char *const murder [] = {
      "scancel", "--full", "--signal=KILL", filter, nodes ? "-w" : NULL, nodes, NULL};
    int64_t grace_ms = self->order->grace_ms < CLEAR_MS ? self->order->grace_ms : CLEAR_MS;
    if (slurm_empty (self, nodes, 0, why))
        return true;
    if (slurm_run (self->setup, end, NULL, why) != COMMAND_DONE)
        return false;
    if (slurm_empty (self, nodes, slurm_now_ms () + grace_ms, why))
        return true;
    slurm_run (self->setup, murder, NULL, why);
    return slurm_empty (self, nodes, slurm_now_ms () + CLEAR_MS, why);
}

/*  On nodes that leave; a queued one may begin there as long as Slurm's reservation has them. */
static bool slurm_leave (const slurm_pair_t *self, const name_list_t *left, char why [WHY_BYTES])
{
    if (left->count == 0)
        return true;
    char *nodes = slurm_nodes_text (left);
    bool good = slurm_end_jobs (self, nodes, why);
    free (nodes);
    return good;
}

/*  --- made equal --- */

#define PAIR_WORDS 10

/*  One line of scontrol: each word stands in the text. */
static void slurm_pair_words (const slurm_pair_t *self, char *words [PAIR_WORDS])
{
    char from [SLURM_TIME_BYTES], until [SLURM_TIME_BYTES];
    bool begun = slurm_time_whole (self->order->from_ms) <= slurm_now_ms ();
    size_t count = 0;
    words [count++] = must_print ("scontrol");
    words [count++] = must_print (self->there ? "update" : "create");
    words [count++] =
      must_print (self->there ? "reservationname=%s" : "reservation=%s", self->name);
    if (!self->nodes_right)
        words [count++] = must_print ("nodes=%s", self->nodes);
    if (!self->users_right)
        words [count++] = must_print ("users=%s", self->order->account);
    if (!self->from_right)
        words [count++] =
          must_print ("starttime=%s", begun ? "now" : slurm_time_text (self->order->from_ms, from));
    if (!self->until_right || !self->there)
        words [count++] = must_print ("endtime=%s", slurm_time_text (self->order->until_ms, until));
    if (!self->there) {
        words [count++] = must_print ("partitionname=%s", self->setup->queue);
        words [count++] = must_print ("flags=IGNORE_JOBS");
    }
    words [count] = NULL;
}

static bool slurm_pair_make (slurm_pair_t *self, char why [WHY_BYTES])
{
    char *words [PAIR_WORDS];
    slurm_pair_words (self, words);
    bool made = slurm_run (self->setup, (const char *const *) words, NULL, why) == COMMAND_DONE;
    for (char **word = words; *word; word++)
        free (*word);
    return made;
}

/*  *changed (or NULL): it was not as it should be. */
static bool slurm_pair_equal (slurm_pair_t *self, bool *changed, char why [WHY_BYTES])
{
    if (!*self->order->account)
        return wrong (why, "%.60s has no local account here: name one under accounts",
                      self->order->owner);
    if (!slurm_pair_look (self, why))
        return false;
    if (slurm_pair_right (self, why))
        return true;
    *changed = true;
    name_list_t left = self->left;
    self->left = (name_list_t){0};
    bool good = slurm_leave (self, &left, why) && slurm_pair_make (self, why) &&
                slurm_pair_look (self, why) && slurm_pair_right (self, why) &&
                slurm_leave (self, &left, why);
    name_list_clear (&left);
    return good;
}

bool slurm_reserve (const batch_setup_t *setup, const back_end_order_t *order, char why [WHY_BYTES])
{
    slurm_pair_t self;
    bool changed = false;
    bool good =
      slurm_pair_new (&self, setup, order, why) && slurm_pair_equal (&self, &changed, why);
    slurm_pair_clear (&self);
    return good;
}

/*  --- jobs in the way --- */

typedef void slurm_job_fn (const slurm_pair_t *self, const char *id, bool ours);

/*  Who is on its nodes without being of the reservation: how many, and the first one's id; calls act
 *  for each that does not end already. */
static bool slurm_others (const slurm_pair_t *self, slurm_job_fn *act, size_t *count,
                          char first [BATCH_JOB_ID_BYTES], char why [WHY_BYTES])
{
    const char *const ask [] = {"squeue",    "-h", "-t",          "R,S,CF,CG", "-w",
                                self->nodes, "-o", "%i|%T|%v|%j", NULL};
    char *output, *line;
    bool good = slurm_run (self->setup, ask, &output, why) == COMMAND_DONE;
    char *text = output;
    *count = 0;
    while (good && (line = command_line (&text))) {
        const char *id = command_field (&line), *state = command_field (&line);
        if (strcmp (command_field (&line), self->name) == 0)
            continue;
        if ((*count)++ == 0)
            snprintf (first, BATCH_JOB_ID_BYTES, "%s", id);
        if (act && strcmp (state, "COMPLETING") != 0)
            act (self, id, batch_name_ours (self->setup, line) != NULL);
    }
    free (output);
    return good;
}

/*  Whether it worked is seen by whether the job is gone. A run's job is told why before, for the site to
 *  try the task again. */
static void slurm_job_clear (const slurm_pair_t *self, const char *id, bool ours)
{
    char why [WHY_BYTES], job [BATCH_JOB_ID_BYTES + 8], comment [] = "comment=" SLURM_MADE_WAY;
    snprintf (job, sizeof job, "jobid=%s", id);
    const char *const told [] = {"scontrol", "update", job, comment, NULL};
    const char *const requeue [] = {"scontrol", "requeue", id, NULL};
    const char *const cancel [] = {"scancel", id, NULL};
    if (slurm_run (self->setup, ours ? told : requeue, NULL, why) ==
        (ours ? COMMAND_DONE : COMMAND_REFUSED))
        slurm_run (self->setup, cancel, NULL, why);
}

static bool slurm_clear (const slurm_pair_t *self, char why [WHY_BYTES])
{
    size_t count;
    char first [BATCH_JOB_ID_BYTES];
    slurm_job_fn *act = self->setup->clear ? slurm_job_clear : NULL;
    int64_t until_ms = slurm_now_ms () + CLEAR_MS;
    for (;; act = NULL) {
        if (!slurm_others (self, act, &count, first, why))
            return false;
        if (count == 0)
            return true;
        if (!self->setup->clear || slurm_now_ms () >= until_ms)
            return wrong (why, "Slurm's job %s of others still %s on its nodes", first,
                          self->setup->clear ? "ends" : "runs");
        nanosleep (&(struct timespec){.tv_nsec = AGAIN_MS * 1000000}, NULL);
    }
}

bool slurm_open (const batch_setup_t *setup, const back_end_order_t *order, char why [WHY_BYTES])
{
    slurm_pair_t self;
    bool changed = false;
    bool good = slurm_pair_new (&self, setup, order, why) &&
                slurm_pair_equal (&self, &changed, why) && slurm_clear (&self, why);
    slurm_pair_clear (&self);
    return good;
}

/*  Slurm's clock is seen by whether it takes the reservation as begun. */
static bool slurm_begun (const slurm_pair_t *self, char why [WHY_BYTES])
{
    return self->active || slurm_now_ms () <= self->order->from_ms + BEGUN_MS ||
           wrong (why, "Slurm's reservation %.80s has not begun: is its clock behind?", self->name);
}

bool slurm_verify (const batch_setup_t *setup, const back_end_order_t *order, char why [WHY_BYTES])
{
    slurm_pair_t self;
    char what [WHY_BYTES] = "";
    bool changed = false;
    int64_t clear_ms = order->from_ms - (setup->clear ? setup->early_ms : 0);
    bool good = slurm_pair_new (&self, setup, order, why) && slurm_pair_look (&self, why);
    bool right = good && slurm_pair_right (&self, what);
    good = good && (right || slurm_pair_equal (&self, &changed, why)) &&
           (slurm_now_ms () < clear_ms || slurm_clear (&self, why)) &&
           (right ? slurm_begun (&self, why) : wrong (why, "%.200s; it was made again", what));
    slurm_pair_clear (&self);
    return good;
}

/*  --- its end --- */

/*  Held first, so that it runs nowhere before its user has said so. */
static bool slurm_job_leave (const slurm_pair_t *self, const char *id, char why [WHY_BYTES])
{
    text_auto_t *job = must_print ("jobid=%s", id);
    text_auto_t *comment =
      must_print ("comment=the reservation %s has ended: release or cancel this job", self->name);
    const char *const hold [] = {"scontrol", "uhold", id, NULL};
    const char *const leave [] = {"scontrol", "update", job, "reservationname=", comment, NULL};
    return slurm_run (self->setup, hold, NULL, why) != COMMAND_SILENT &&
           slurm_run (self->setup, leave, NULL, why) != COMMAND_SILENT;
}

/*  What its user has queued in it by sbatch is left to its user. */
static bool slurm_queued_leave (const slurm_pair_t *self, char why [WHY_BYTES])
{
    const char *const ask [] = {"squeue", "-h", "-t", "PD", "-R", self->name, "-o", "%i|%j", NULL};
    char *output, *line;
    bool good = slurm_run (self->setup, ask, &output, why) == COMMAND_DONE;
    char *text = output;
    while (good && (line = command_line (&text))) {
        const char *id = command_field (&line);
        good = batch_name_ours (self->setup, line) || slurm_job_leave (self, id, why);
    }
    free (output);
    return good;
}

static bool slurm_pair_remove (slurm_pair_t *self, char why [WHY_BYTES])
{
    char named [BATCH_NAME_BYTES_MAX + 16];
    snprintf (named, sizeof named, "reservation=%s", self->name);
    const char *const remove [] = {"scontrol", "delete", named, NULL};
    if (!slurm_pair_look (self, why))
        return false;
    if (!self->there)
        return true;
    if (!slurm_queued_leave (self, why) || !slurm_end_jobs (self, NULL, why))
        return false;
    char refused [WHY_BYTES] = "";
    slurm_run (self->setup, remove, NULL, refused);
    return slurm_pair_look (self, why) && (!self->there || wrong (why, "%s", refused));
}

bool slurm_close (const batch_setup_t *setup, const back_end_order_t *order, char why [WHY_BYTES])
{
    slurm_pair_t self;
    bool good = slurm_pair_new (&self, setup, order, why) && slurm_pair_remove (&self, why);
    slurm_pair_clear (&self);
    return good;
}

/*  --- after a start --- */

typedef struct {
    const batch_setup_t *setup;
    const back_end_order_t *orders;
    size_t count;
    name_list_t left; /* ours without an order */
} slurm_leftovers_t;

static bool slurm_leftover_take (void *owner, const slurm_reservation_t *seen, char why [WHY_BYTES])
{
    (void) why;
    slurm_leftovers_t *self = owner;
    const char *ours = batch_name_ours (self->setup, seen->name);
    if (!ours || strcmp (seen->partition, self->setup->queue) != 0)
        return true;
    for (size_t i = 0; i < self->count; i++)
        if (strcmp (self->orders [i].reservation, ours) == 0)
            return true;
    name_list_add (&self->left, ours, "");
    return true;
}

bool slurm_reconcile (const batch_setup_t *setup, const back_end_order_t *orders, size_t count,
                      char why [WHY_BYTES])
{
    slurm_leftovers_t self = {.setup = setup, .orders = orders, .count = count};
    bool good = slurm_reservations (setup, slurm_leftover_take, &self, why);
    for (size_t i = 0; good && i < self.left.count; i++)
        good = slurm_close (
          setup, &(back_end_order_t){.reservation = self.left.words [i], .account = ""}, why);
    name_list_clear (&self.left);
    return good;
}
