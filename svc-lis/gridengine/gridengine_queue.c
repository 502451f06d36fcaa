/*  gridengine_queue - each step asks Grid Engine first what there is, does what is missing, and asks
 *  again. The hosts of a queue are those in its own configuration, so what has to be given back at
 *  its end is known after any crash; they are given back before the queue goes.
 */
#include "gridengine_queue.h"

#include "must.h"
#include "name_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CLEAR_MS 5000 /* that one step waits for jobs to end; then it is tried again */
#define AGAIN_MS 100

command_told_t grid_run (const batch_setup_t *setup, const char *const *arguments, char **output,
                         char why [WHY_BYTES])
{
    command_told_t told = command_run (arguments, NULL, setup->limit_ms, output, why);
    return told == COMMAND_REFUSED && grid_silent (why) ? COMMAND_SILENT : told;
}

bool grid_silent (const char *why)
{
    return strstr (why, "unable to contact qmaster") || strstr (why, "unable to send message") ||
           strstr (why, "can't connect") || strstr (why, "commlib error");
}

bool grid_jobs_visit (const batch_setup_t *setup, grid_job_fn *visit, void *owner,
                      char why [WHY_BYTES])
{
    char *output;
    bool good = grid_run (setup, (const char *const []){"qstat", "-u", "*", "-r", "-xml", NULL},
                          &output, why) == COMMAND_DONE;
    if (good)
        grid_jobs_read (output, visit, owner);
    free (output);
    return good;
}

bool grid_instances_visit (const batch_setup_t *setup, grid_instance_fn *visit, void *owner,
                           char why [WHY_BYTES])
{
    char *output;
    bool good = grid_run (setup, (const char *const []){"qstat", "-f", "-xml", NULL}, &output,
                          why) == COMMAND_DONE;
    if (good)
        grid_instances_read (output, visit, owner);
    free (output);
    return good;
}

char *grid_queue_text (const batch_setup_t *setup, const char *queue, bool *silent,
                       char why [WHY_BYTES])
{
    char *text;
    command_told_t told =
      grid_run (setup, (const char *const []){"qconf", "-sq", queue, NULL}, &text, why);
    *silent = told == COMMAND_SILENT;
    if (told == COMMAND_DONE) {
        grid_unfold (text);
        return text;
    }
    free (text);
    return NULL;
}

/*  --- a reservation and its queue --- */

typedef struct {
    const batch_setup_t *setup;
    const back_end_order_t *order;
    char name [BATCH_NAME_BYTES_MAX + 1];
    char *now;         /* its configuration; NULL: it is not there */
    name_list_t hosts; /* in its configuration, and of the order */
    name_list_t
      listed;      /* in its access list: its account, and the instances that it has disabled */
    bool leaving;  /* hosts are those that it has and should not have any more */
    bool disabled; /* instances are looked for that are, or that are not */
    name_list_t others; /* such ones of other queues on its hosts */
    name_list_t own;    /* such ones of its own */
    size_t jobs;        /* jobs looked for */
    name_list_t ids;    /* of those that are not being deleted */
    name_list_t dead;   /* hosts that are not heard, */
    name_list_t stuck;  /* and its jobs there, which don't end by themselves */
} grid_queue_t;

static void grid_queue_clear (grid_queue_t *self)
{
    free (self->now);
    name_list_clear (&self->hosts);
    name_list_clear (&self->listed);
    name_list_clear (&self->others);
    name_list_clear (&self->own);
    name_list_clear (&self->ids);
    name_list_clear (&self->dead);
    name_list_clear (&self->stuck);
}

static bool grid_has (const name_list_t *list, const char *word)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp (list->words [i], word) == 0)
            return true;
    return false;
}

/*  The words of a key in an unfolded configuration. */
static void grid_words (const char *text, const char *key, name_list_t *list)
{
    char *words = grid_value (text, key);
    if (words && strcmp (words, "NONE") != 0)
        name_list_add (list, words, "");
    free (words);
}

static void grid_hosts_add (grid_queue_t *self)
{
    if (self->now)
        grid_words (self->now, "hostlist", &self->hosts);
    for (size_t i = 0; i < self->order->nodes_count; i++)
        if (!grid_has (&self->hosts, self->order->nodes [i]))
            name_list_add (&self->hosts, self->order->nodes [i], "");
}

/*  *self is cleared by grid_queue_clear in any case. */
static bool grid_queue_look (grid_queue_t *self, const batch_setup_t *setup,
                             const back_end_order_t *order, char why [WHY_BYTES])
{
    bool silent = false;
    *self = (grid_queue_t){.setup = setup, .order = order};
    if (!batch_name (setup, order->reservation, self->name, why))
        return false;
    self->now = grid_queue_text (setup, self->name, &silent, why);
    if (!silent)
        grid_hosts_add (self);
    return !silent;
}

/*  --- its configuration --- */

static void grid_replace (char **text, const char *key, const char *value)
{
    char *changed = grid_value_set (*text, key, value);
    free (*text);
    *text = changed;
}

static char *grid_hosts_text (const back_end_order_t *order)
{
    char *text = NULL;
    size_t size;
    FILE *to = must (open_memstream (&text, &size));
    for (size_t i = 0; i < order->nodes_count; i++)
        fprintf (to, "%s%s", i > 0 ? " " : "", order->nodes [i]);
    if (order->nodes_count == 0)
        fputs ("NONE", to);
    fclose (to);
    return text;
}

/*  The site's queue, with what is different in this one. NULL with why. */
static char *grid_queue_wanted (const grid_queue_t *self, char why [WHY_BYTES])
{
    bool silent;
    char *text = grid_queue_text (self->setup, self->setup->queue, &silent, why);
    if (!text)
        return NULL;
    char *had = grid_value (text, "complex_values"), *hosts = grid_hosts_text (self->order);
    bool none = !had || strcmp (had, "NONE") == 0;
    char *complexes =
      must_print ("%s%s" GRID_COMPLEX "=%s", none ? "" : had, none ? "" : ",", self->name);
    int64_t grace_s = (self->order->grace_ms + 999) / 1000;
    char notify [32];
    snprintf (notify, sizeof notify, "00:%02d:%02d", (int) (grace_s / 60 % 60),
              (int) (grace_s % 60));
    grid_replace (&text, "qname", self->name);
    grid_replace (&text, "hostlist", hosts);
    grid_replace (&text, "initial_state", "disabled");
    grid_replace (&text, "user_lists", self->name);
    grid_replace (&text, "subordinate_list", "NONE");
    grid_replace (&text, "calendar", "NONE");
    grid_replace (&text, "complex_values", complexes);
    grid_replace (&text, "notify", notify);
    free (had);
    free (hosts);
    free (complexes);
    return text;
}

/*  qconf reads a configuration from a file only. */
static bool grid_queue_put (const grid_queue_t *self, const char *text, char why [WHY_BYTES])
{
    char path [] = "/tmp/musubi-queue-XXXXXX";
    int file = mkstemp (path);
    size_t size = strlen (text);
    bool good = file >= 0 && write (file, text, size) == (ssize_t) size;
    if (!good)
        wrong (why, "%s can't be written: %m", path);
    good = good && grid_run (self->setup,
                             (const char *const []){"qconf", self->now ? "-Mq" : "-Aq", path, NULL},
                             NULL, why) == COMMAND_DONE;
    if (file >= 0) {
        close (file);
        unlink (path);
    }
    return good;
}

/*  --- its access list --- */

/*  A list that is not there has nothing in it. */
static bool grid_list_look (grid_queue_t *self, char why [WHY_BYTES])
{
    char *text;
    command_told_t told =
      grid_run (self->setup, (const char *const []){"qconf", "-su", self->name, NULL}, &text, why);
    name_list_clear (&self->listed);
    if (told == COMMAND_DONE) {
        grid_unfold (text);
        grid_words (text, "entries", &self->listed);
    }
    free (text);
    return told != COMMAND_SILENT;
}

/*  What is in it already is refused, so whether it worked is seen in the list. */
static bool grid_list_add (grid_queue_t *self, const char *word, char why [WHY_BYTES])
{
    char said [WHY_BYTES] = "";
    if (grid_has (&self->listed, word))
        return true;
    grid_run (self->setup, (const char *const []){"qconf", "-au", word, self->name, NULL}, NULL,
              said);
    return grid_list_look (self, why) &&
           (grid_has (&self->listed, word) || wrong (why, "%s", said));
}

/*  An instance, such as batch@g1, is nobody's account. */
static bool grid_access (grid_queue_t *self, char why [WHY_BYTES])
{
    const char *account = self->order->account;
    if (!*account)
        return wrong (why, "%.60s has no local account here: name one under accounts",
                      self->order->owner);
    if (!grid_list_look (self, why) || !grid_list_add (self, account, why))
        return false;
    for (size_t i = 0; i < self->listed.count; i++) {
        const char *word = self->listed.words [i];
        if (strcmp (word, account) != 0 && (*word == '@' || !strchr (word, '@')))
            return wrong (why,
                          "Grid Engine's access list %.80s should be %.40s alone: it has %.60s",
                          self->name, account, word);
    }
    return true;
}

/*  --- queue instances --- */

static void grid_instance_note (void *owner, const grid_instance_t *instance)
{
    grid_queue_t *self = owner;
    bool disabled = strchr (instance->state, 'd') != NULL;
    if (strchr (instance->state, 'u') && !grid_has (&self->dead, instance->host))
        name_list_add (&self->dead, instance->host, "");
    if (disabled != self->disabled || !grid_has (&self->hosts, instance->host))
        return;
    if (grid_of_queue (instance->name, self->name))
        name_list_add (&self->own, instance->name, "");
    else if (strncmp (instance->name, "musubi-", 7) != 0 &&
             (!disabled || self->listed.count == 0 || grid_has (&self->listed, instance->name)))
        name_list_add (&self->others, instance->name, "");
}

/*  Looks for instances on its hosts that are disabled, or that are not. */
static bool grid_instances_look (grid_queue_t *self, bool disabled, char why [WHY_BYTES])
{
    name_list_clear (&self->others);
    name_list_clear (&self->own);
    self->disabled = disabled;
    return grid_instances_visit (self->setup, grid_instance_note, self, why);
}

/*  Instances of others are noted before they are disabled: what its end finds disabled and not noted,
 *  an operator has disabled. */
static bool grid_others_note (grid_queue_t *self, char why [WHY_BYTES])
{
    bool good = grid_instances_look (self, false, why);
    for (size_t i = 0; good && i < self->others.count; i++)
        good = grid_list_add (self, self->others.words [i], why);
    return good;
}

/*  Whether qmod has worked is seen in the instances. */
static bool grid_switch (grid_queue_t *self, name_list_t *list, bool disable, char why [WHY_BYTES])
{
    if (!grid_instances_look (self, !disable, why))
        return false;
    if (list->count == 0)
        return true;
    for (size_t i = 0; i < list->count; i++)
        grid_run (self->setup,
                  (const char *const []){"qmod", disable ? "-d" : "-e", list->words [i], NULL},
                  NULL, why);
    return grid_instances_look (self, !disable, why) &&
           (list->count == 0 || wrong (why, "Grid Engine's %.80s could not be %s", list->words [0],
                                       disable ? "disabled" : "enabled"));
}

/*  --- jobs --- */

static bool grid_job_deleted (const grid_job_t *job)
{
    return strchr (job->state, 'd') != NULL;
}

static void grid_other_note (void *owner, const grid_job_t *job)
{
    grid_queue_t *self = owner;
    const char *host = strchr (job->instance, '@');
    if (!host || !grid_has (&self->hosts, host + 1) || grid_of_queue (job->instance, self->name))
        return;
    self->jobs++;
    if (!grid_job_deleted (job))
        name_list_add (&self->ids, job->id, "");
}

static void grid_own_note (void *owner, const grid_job_t *job)
{
    grid_queue_t *self = owner;
    const char *host = strchr (job->instance, '@');
    bool there = grid_of_queue (job->instance, self->name) &&
                 (!self->leaving || grid_has (&self->hosts, host + 1));
    if (!there && (self->leaving || strcmp (job->queue, self->name) != 0))
        return;
    self->jobs++;
    if (host && grid_has (&self->dead, host + 1))
        name_list_add (&self->stuck, job->id, "");
    else if (!grid_job_deleted (job))
        name_list_add (&self->ids, job->id, "");
}

static bool grid_jobs_look (grid_queue_t *self, grid_job_fn *note, char why [WHY_BYTES])
{
    name_list_clear (&self->ids);
    name_list_clear (&self->stuck);
    self->jobs = 0;
    return grid_jobs_visit (self->setup, note, self, why);
}

static void grid_pause (void)
{
    nanosleep (&(struct timespec){.tv_nsec = AGAIN_MS * 1000000}, NULL);
}

static int64_t grid_now_ms (void)
{
    struct timespec now;
    clock_gettime (CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/*  Whether it worked is seen by whether the job is gone. */
static void grid_job_clear (const grid_queue_t *self, const char *id)
{
    char why [WHY_BYTES];
    if (grid_run (self->setup, (const char *const []){"qmod", "-rj", id, NULL}, NULL, why) ==
        COMMAND_REFUSED)
        grid_run (self->setup, (const char *const []){"qdel", id, NULL}, NULL, why);
}

static bool grid_hosts_clear (grid_queue_t *self, char why [WHY_BYTES])
{
    int64_t until_ms = grid_now_ms () + CLEAR_MS;
    for (bool first = true;; first = false) {
        if (!grid_jobs_look (self, grid_other_note, why))
            return false;
        if (self->jobs == 0)
            return true;
        if (!self->setup->clear || grid_now_ms () >= until_ms)
            return wrong (why, "%zu of Grid Engine's jobs of others still %s on its hosts",
                          self->jobs, self->setup->clear ? "end" : "run");
        for (size_t i = 0; first && i < self->ids.count; i++)
            grid_job_clear (self, self->ids.words [i]);
        grid_pause ();
    }
}

static bool grid_queue_empty (grid_queue_t *self, char why [WHY_BYTES])
{
    int64_t grace_ms = self->order->grace_ms < CLEAR_MS ? self->order->grace_ms : CLEAR_MS;
    int64_t until_ms = grid_now_ms () + grace_ms + AGAIN_MS;
    for (;; grid_pause ()) {
        if (!grid_jobs_look (self, grid_own_note, why))
            return false;
        if (self->jobs == 0)
            return true;
        for (size_t i = 0; i < self->ids.count; i++)
            grid_run (self->setup, (const char *const []){"qdel", self->ids.words [i], NULL}, NULL,
                      why);
        for (size_t i = 0; i < self->stuck.count; i++)
            grid_run (self->setup,
                      (const char *const []){"qdel", "-f", self->stuck.words [i], NULL}, NULL, why);
        if (grid_now_ms () >= until_ms)
            return wrong (why, "%zu of Grid Engine's jobs of the reservation have not ended yet",
                          self->jobs);
    }
}

/*  Its end on these hosts: its jobs there end, and the other queues have them again. */
static bool grid_give_back (grid_queue_t *self, char why [WHY_BYTES])
{
    return grid_list_look (self, why) && grid_switch (self, &self->own, true, why) &&
           grid_queue_empty (self, why) && grid_switch (self, &self->others, false, why);
}

/*  Hosts that it should not have any more are given back before its configuration changes. */
static bool grid_hosts_leave (grid_queue_t *self, char why [WHY_BYTES])
{
    grid_queue_t leave = {.setup = self->setup, .order = self->order, .leaving = true};
    name_list_t stay = {0};
    memcpy (leave.name, self->name, sizeof leave.name);
    for (size_t i = 0; i < self->order->nodes_count; i++)
        name_list_add (&stay, self->order->nodes [i], "");
    for (size_t i = 0; i < self->hosts.count; i++)
        if (!grid_has (&stay, self->hosts.words [i]))
            name_list_add (&leave.hosts, self->hosts.words [i], "");
    bool good = leave.hosts.count == 0 || grid_give_back (&leave, why);
    grid_queue_clear (&leave);
    name_list_clear (&self->hosts);
    self->hosts = stay;
    return good;
}

/*  --- made equal --- */

/*  *changed: it was not as it should be. */
static bool grid_queue_equal (grid_queue_t *self, bool *changed, char why [WHY_BYTES])
{
    bool silent;
    if (!grid_access (self, why) || !grid_hosts_leave (self, why))
        return false;
    char *wanted = grid_queue_wanted (self, why);
    if (!wanted)
        return false;
    bool right = self->now && strcmp (self->now, wanted) == 0;
    if (!right) {
        *changed = true;
        right = grid_queue_put (self, wanted, why);
        free (self->now);
        self->now = right ? grid_queue_text (self->setup, self->name, &silent, why) : NULL;
        if (self->now && strcmp (self->now, wanted) != 0)
            right = wrong (why, "Grid Engine's queue %.80s is not what was asked for", self->name);
    }
    free (wanted);
    return right && self->now;
}

bool grid_reserve (const batch_setup_t *setup, const back_end_order_t *order, char why [WHY_BYTES])
{
    grid_queue_t self;
    bool changed = false;
    bool good =
      grid_queue_look (&self, setup, order, why) && grid_queue_equal (&self, &changed, why);
    grid_queue_clear (&self);
    return good;
}

/*  --- its start --- */

/*  A scheduling run comes at once, where Grid Engine would wait for its next interval. */
static bool grid_queue_open (grid_queue_t *self, char why [WHY_BYTES])
{
    char ignored [WHY_BYTES];
    if (!grid_others_note (self, why) || !grid_switch (self, &self->others, true, why) ||
        !grid_hosts_clear (self, why) || !grid_switch (self, &self->own, false, why))
        return false;
    grid_run (self->setup, (const char *const []){"qconf", "-tsm", NULL}, NULL, ignored);
    return true;
}

bool grid_open (const batch_setup_t *setup, const back_end_order_t *order, char why [WHY_BYTES])
{
    grid_queue_t self;
    bool changed = false;
    bool good = grid_queue_look (&self, setup, order, why) &&
                grid_queue_equal (&self, &changed, why) && grid_queue_open (&self, why);
    grid_queue_clear (&self);
    return good;
}

/*  Before its start it is still closed. */
static bool grid_begun (const back_end_order_t *order)
{
    struct timespec now;
    clock_gettime (CLOCK_REALTIME, &now);
    return (int64_t) now.tv_sec * 1000 + now.tv_nsec / 1000000 >= order->from_ms;
}

bool grid_verify (const batch_setup_t *setup, const back_end_order_t *order, char why [WHY_BYTES])
{
    grid_queue_t self;
    bool changed = false, begun = grid_begun (order);
    bool good = grid_queue_look (&self, setup, order, why);
    bool there = good && self.now;
    good =
      good && grid_queue_equal (&self, &changed, why) && grid_instances_look (&self, begun, why);
    if (good && (changed || self.own.count > 0)) {
        const char *what = !there ? "was gone" : changed ? "was another" : "was switched";
        good = (begun ? grid_queue_open (&self, why) : grid_switch (&self, &self.own, true, why)) &&
               wrong (why, "Grid Engine's queue %.80s %s; it was made again", self.name, what);
    }
    grid_queue_clear (&self);
    return good;
}

/*  --- its end --- */

static bool grid_queue_remove (grid_queue_t *self, char why [WHY_BYTES])
{
    bool silent;
    char said [WHY_BYTES] = "";
    if (!grid_give_back (self, why))
        return false;
    grid_run (self->setup, (const char *const []){"qconf", "-dq", self->name, NULL}, NULL, said);
    char *left = grid_queue_text (self->setup, self->name, &silent, why);
    if (left || silent) {
        free (left);
        return silent ? false : wrong (why, "%s", said);
    }
    return true;
}

/*  The list goes after the queue that names it. */
bool grid_close (const batch_setup_t *setup, const back_end_order_t *order, char why [WHY_BYTES])
{
    grid_queue_t self;
    char said [WHY_BYTES] = "";
    bool good =
      grid_queue_look (&self, setup, order, why) && (!self.now || grid_queue_remove (&self, why));
    good = good && (grid_run (setup, (const char *const []){"qconf", "-dul", self.name, NULL}, NULL,
                              said) == COMMAND_DONE ||
                    strstr (said, "does not exist") || wrong (why, "%s", said));
    grid_queue_clear (&self);
    return good;
}

/*  --- after a start --- */

static bool grid_ordered (const back_end_order_t *orders, size_t count, const char *reservation)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp (orders [i].reservation, reservation) == 0)
            return true;
    return false;
}

/*  show: -sql for queues, -sul for access lists that were left behind. */
static bool grid_leftovers_close (const batch_setup_t *setup, const char *show,
                                  const back_end_order_t *orders, size_t count,
                                  char why [WHY_BYTES])
{
    char *output, *line;
    bool good =
      grid_run (setup, (const char *const []){"qconf", show, NULL}, &output, why) == COMMAND_DONE;
    char *text = output;
    while (good && (line = command_line (&text))) {
        const char *ours = batch_name_ours (setup, line);
        if (ours && !grid_ordered (orders, count, ours))
            good = grid_close (setup, &(back_end_order_t){.reservation = ours}, why);
    }
    free (output);
    return good;
}

bool grid_reconcile (const batch_setup_t *setup, const back_end_order_t *orders, size_t count,
                     char why [WHY_BYTES])
{
    return grid_leftovers_close (setup, "-sql", orders, count, why) &&
           grid_leftovers_close (setup, "-sul", orders, count, why);
}
