/*  gridengine_queue - each step asks Grid Engine first what there is, does what is missing, and asks
 *  again. The hosts of a queue are those in its own configuration, and those of the notes in its
 *  access list, so what has to be given back at its end is known after any crash, and when somebody
 *  has deleted the queue; they are given back before it goes.
 */
#include "gridengine_queue.h"

#include "clock.h"
#include "must.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CLEAR_MS 5000 /* that one step waits for jobs to end; then it is tried again */
#define AGAIN_MS 100

bool grid_jobs_visit (const batch_setup_t *setup, grid_job_fn *visit, void *owner,
                      char why [WHY_BYTES])
{
    text_auto_t *output = NULL;
    return BATCH_RUN (setup, &output, why, "qstat", "-u", "*", "-r", "-xml") == COMMAND_DONE &&
           grid_jobs_read (output, visit, owner, why);
}

char *grid_queue_text (const batch_setup_t *setup, const char *queue, bool *silent,
                       char why [WHY_BYTES])
{
    char *text;
    command_told_t told = BATCH_RUN (setup, &text, why, "qconf", "-sq", queue);
    *silent = told == COMMAND_SILENT;
    if (told == COMMAND_DONE) {
        grid_unfold (text);
        return text;
    }
    free (text);
    return NULL;
}

/*  The words of a key in an unfolded configuration. */
static void grid_words (const char *text, const char *key, name_list_t *list)
{
    text_auto_t *words = grid_value (text, key);
    if (words && strcmp (words, "NONE") != 0)
        name_list_add (list, words, "");
}

bool grid_listed (const batch_setup_t *setup, const char *queue, name_list_t *listed,
                  char why [WHY_BYTES])
{
    text_auto_t *text = NULL;
    command_told_t told = BATCH_RUN (setup, &text, why, "qconf", "-su", queue);
    if (told == COMMAND_DONE) {
        grid_unfold (text);
        grid_words (text, "entries", listed);
    }
    return told != COMMAND_SILENT;
}

bool grid_is_ours (const batch_setup_t *setup, const grid_instance_t *instance)
{
    char queue [GRID_WORD_BYTES];
    snprintf (queue, sizeof queue, "%.*s", (int) strcspn (instance->name, "@"), instance->name);
    return batch_name_ours (setup, queue) != NULL;
}

/*  --- a reservation and its queue --- */

typedef struct {
    const batch_setup_t *setup;
    const back_end_order_t *order;
    char *now;          /* its configuration; NULL: it is not there */
    name_list_t hosts;  /* in its configuration, of the order, and of notes */
    name_list_t listed; /* in its access list: its account, and notes (grid_list_change) */
    bool leaving;       /* hosts are those that it has and should not have any more */
    bool begun;         /* its start has come */
    name_list_t on;     /* instances of other queues on its hosts: enabled, */
    name_list_t off;    /* disabled by us, */
    name_list_t kept;   /* disabled by an operator */
    name_list_t own_on; /* such ones of its own: enabled, */
    name_list_t own_off;
    name_list_t taken;   /* disabled by an operator */
    size_t used;         /* slots that jobs of other queues have on its hosts */
    size_t jobs;         /* jobs looked for */
    name_list_t ids;     /* of those that are not being deleted */
    name_list_t unheard; /* hosts, */
    name_list_t stuck;   /* and deleted jobs there, which don't end before they are heard */
} grid_queue_t;

static void grid_lists_clear (name_list_t *const *lists, size_t count)
{
    for (size_t i = 0; i < count; i++)
        name_list_clear (lists [i]);
}

static void grid_queue_clear (grid_queue_t *self)
{
    name_list_t *const lists [] = {&self->hosts, &self->listed,  &self->on,      &self->off,
                                   &self->kept,  &self->own_on,  &self->own_off, &self->taken,
                                   &self->ids,   &self->unheard, &self->stuck};
    free (self->now);
    grid_lists_clear (lists, sizeof lists / sizeof *lists);
}

static void grid_hosts_add (grid_queue_t *self)
{
    if (self->now)
        grid_words (self->now, "hostlist", &self->hosts);
    for (size_t i = 0; i < self->order->nodes_count; i++)
        if (!name_list_has (&self->hosts, self->order->nodes [i]))
            name_list_add (&self->hosts, self->order->nodes [i], "");
    for (size_t i = 0; i < self->listed.count; i++) {
        const char *at = strchr (self->listed.words [i], '@');
        if (at && at > self->listed.words [i] && !name_list_has (&self->hosts, at + 1))
            name_list_add (&self->hosts, at + 1, "");
    }
}

static bool grid_list_look (grid_queue_t *self, char why [WHY_BYTES])
{
    name_list_clear (&self->listed);
    return grid_listed (self->setup, self->order->reservation, &self->listed, why);
}

/*  *self is cleared by grid_queue_clear in any case. */
static bool grid_queue_look (grid_queue_t *self, const batch_setup_t *setup,
                             const back_end_order_t *order, char why [WHY_BYTES])
{
    bool silent = false;
    *self = (grid_queue_t){.setup = setup, .order = order};
    self->now = grid_queue_text (setup, self->order->reservation, &silent, why);
    if (silent || !grid_list_look (self, why))
        return false;
    grid_hosts_add (self);
    return true;
}

/*  --- its configuration --- */

static void grid_replace (char **text, const char *key, const char *value)
{
    char *changed = grid_value_set (*text, key, value);
    free (*text);
    *text = changed;
}

/*  The state of an instance when it is new, and when the daemon of its host starts. Until its start, or
 *  while hosts are new, it is to wait; from then on a daemon that starts must not disable it, as if an
 *  operator had. */
static const char *grid_initial_state (const grid_queue_t *self)
{
    name_list_auto_t there = {0};
    if (self->now)
        grid_words (self->now, "hostlist", &there);
    bool all = self->begun;
    for (size_t i = 0; all && i < self->order->nodes_count; i++)
        all = name_list_has (&there, self->order->nodes [i]);
    return all ? "default" : "disabled";
}

/*  The site's queue, with what is different in this one, whose hosts are those of the order by now.
 *  NULL with why. */
static char *grid_queue_wanted (const grid_queue_t *self, char why [WHY_BYTES])
{
    bool silent;
    char *text = grid_queue_text (self->setup, self->setup->queue, &silent, why);
    if (!text)
        return NULL;
    text_auto_t *had = grid_value (text, "complex_values");
    text_auto_t *hosts = name_list_text (&self->hosts, ' ');
    bool none = !had || strcmp (had, "NONE") == 0;
    text_auto_t *complexes = must_print ("%s%s" GRID_COMPLEX "=%s", none ? "" : had,
                                         none ? "" : ",", self->order->reservation);
    int64_t grace_s = (self->order->grace_ms + 999) / 1000;
    char notify [32];
    snprintf (notify, sizeof notify, "00:%02d:%02d", (int) (grace_s / 60 % 60),
              (int) (grace_s % 60));
    grid_replace (&text, "qname", self->order->reservation);
    grid_replace (&text, "hostlist", *hosts ? hosts : "NONE");
    grid_replace (&text, "initial_state", grid_initial_state (self));
    grid_replace (&text, "user_lists", self->order->reservation);
    grid_replace (&text, "subordinate_list", "NONE");
    grid_replace (&text, "calendar", "NONE");
    grid_replace (&text, "complex_values", complexes);
    grid_replace (&text, "notify", notify);
    return text;
}

/*  qconf reads a configuration from a file only. */
static bool grid_queue_put (const grid_queue_t *self, const char *text, char why [WHY_BYTES])
{
    char path [] = "/tmp/musubi-queue-XXXXXX";
    descriptor_auto_t file = mkstemp (path);
    size_t size = strlen (text);
    bool good = (file >= 0 && write (file, text, size) == (ssize_t) size) ||
                wrong (why, "%s can't be written: %m", path);
    good = good && BATCH_RUN (self->setup, NULL, why, "qconf", self->now ? "-Mq" : "-Aq", path) ==
                     COMMAND_DONE;
    if (file >= 0)
        unlink (path);
    return good;
}

/*  --- its access list --- */

/*  Puts words into it, or takes them out; whether that worked is seen in the list. An instance, such as
 *  batch@g1, is nobody's account, so notes can be kept there: which instances of other queues we have
 *  disabled, noted before; and which of its own we have enabled, noted after. What is disabled, and
 *  should not be by these, an operator has disabled. */
static bool grid_list_change (grid_queue_t *self, bool add, const name_list_t *words,
                              char why [WHY_BYTES])
{
    char said [WHY_BYTES] = "";
    name_list_auto_t other = {0};
    for (size_t i = 0; i < words->count; i++)
        if (name_list_has (&self->listed, words->words [i]) != add)
            name_list_add (&other, words->words [i], "");
    text_auto_t *joined = name_list_text (&other, ',');
    bool good =
      other.count == 0 || (BATCH_RUN (self->setup, NULL, said, "qconf", add ? "-au" : "-du", joined,
                                      self->order->reservation) != COMMAND_SILENT &&
                           grid_list_look (self, why));
    for (size_t i = 0; good && i < other.count; i++)
        good = name_list_has (&self->listed, other.words [i]) == add || wrong (why, "%s", said);
    return good;
}

static bool grid_access (grid_queue_t *self, char why [WHY_BYTES])
{
    const char *account = self->order->account;
    name_list_t one = {.words = (char *[]){(char *) account}, .count = 1};
    if (!grid_list_change (self, true, &one, why))
        return false;
    for (size_t i = 0; i < self->listed.count; i++) {
        const char *word = self->listed.words [i];
        if (strcmp (word, account) != 0 && (*word == '@' || !strchr (word, '@')))
            return wrong (why,
                          "Grid Engine's access list %.80s should be %.40s alone: it has %.60s",
                          self->order->reservation, account, word);
    }
    return true;
}

/*  --- queue instances --- */

static void grid_instance_note (void *owner, const grid_instance_t *instance)
{
    grid_queue_t *self = owner;
    bool disabled = strchr (instance->state, 'd') != NULL;
    bool own = grid_of_queue (instance->name, self->order->reservation);
    bool noted = self->listed.count == 0 || name_list_has (&self->listed, instance->name);
    if (strchr (instance->state, 'u') && !name_list_has (&self->unheard, instance->host))
        name_list_add (&self->unheard, instance->host, "");
    if (!name_list_has (&self->hosts, instance->host))
        return;
    self->used += own ? 0 : instance->used;
    if (own)
        name_list_add (disabled ? &self->own_off : &self->own_on, instance->name, "");
    else if (!grid_is_ours (self->setup, instance))
        name_list_add (!disabled ? &self->on
                       : noted   ? &self->off
                                 : &self->kept,
                       instance->name, "");
}

/*  Has an operator disabled this instance of its own, or the site's on its host before it opened? */
static bool grid_is_taken (const grid_queue_t *self, const char *own)
{
    char site [NAME_BYTES_MAX + BATCH_NAME_BYTES_MAX];
    snprintf (site, sizeof site, "%s%s", self->setup->queue, strchr (own, '@'));
    return name_list_has (&self->kept, site) ||
           (name_list_has (&self->off, site) && name_list_has (&self->listed, own));
}

static bool grid_instances_look (grid_queue_t *self, char why [WHY_BYTES])
{
    name_list_t *const lists [] = {&self->on,      &self->off,   &self->kept,   &self->own_on,
                                   &self->own_off, &self->taken, &self->unheard};
    name_list_t off;
    grid_lists_clear (lists, sizeof lists / sizeof *lists);
    self->used = 0;
    text_auto_t *output = NULL;
    bool good = BATCH_RUN (self->setup, &output, why, "qstat", "-f", "-xml") == COMMAND_DONE &&
                grid_instances_read (output, grid_instance_note, self, why);
    off = self->own_off;
    self->own_off = (name_list_t){0};
    for (size_t i = 0; i < off.count; i++)
        name_list_add (grid_is_taken (self, off.words [i]) ? &self->taken : &self->own_off,
                       off.words [i], "");
    name_list_clear (&off);
    return good;
}

/*  Switches one of the lists above; whether qmod has worked is seen in the instances. For what is
 *  enabled a scheduling run comes at once, where Grid Engine would wait for its next interval. */
static bool grid_switch (grid_queue_t *self, const name_list_t *list, bool disable,
                         char why [WHY_BYTES])
{
    char ignored [WHY_BYTES];
    if (list->count == 0)
        return true;
    text_auto_t *joined = name_list_text (list, ',');
    BATCH_RUN (self->setup, NULL, ignored, "qmod", disable ? "-d" : "-e", joined);
    if (!disable)
        BATCH_RUN (self->setup, NULL, ignored, "qconf", "-tsm");
    return grid_instances_look (self, why) &&
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
    if (!host || !name_list_has (&self->hosts, host + 1) ||
        grid_of_queue (job->instance, self->order->reservation))
        return;
    self->jobs++;
    if (!grid_job_deleted (job))
        name_list_add (&self->ids, job->id, "");
}

static void grid_own_note (void *owner, const grid_job_t *job)
{
    grid_queue_t *self = owner;
    const char *host = strchr (job->instance, '@');
    bool there = grid_of_queue (job->instance, self->order->reservation) &&
                 (!self->leaving || name_list_has (&self->hosts, host + 1));
    if (!there && (self->leaving || strcmp (job->queue, self->order->reservation) != 0))
        return;
    self->jobs++;
    if (!grid_job_deleted (job))
        name_list_add (&self->ids, job->id, "");
    else if (host && name_list_has (&self->unheard, host + 1))
        name_list_add (&self->stuck, job->id, "");
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

/*  Whether it worked is seen by whether the job is gone. */
static void grid_job_clear (const grid_queue_t *self, const char *id)
{
    char why [WHY_BYTES];
    if (BATCH_RUN (self->setup, NULL, why, "qmod", "-rj", id) == COMMAND_REFUSED)
        BATCH_RUN (self->setup, NULL, why, "qdel", id);
}

static bool grid_hosts_clear (grid_queue_t *self, char why [WHY_BYTES])
{
    int64_t until_ms = clock_ms (CLOCK_MONOTONIC) + CLEAR_MS;
    for (bool first = true;; first = false) {
        if (!grid_jobs_look (self, grid_other_note, why))
            return false;
        if (self->jobs == 0)
            return true;
        if (!self->setup->clear || clock_ms (CLOCK_MONOTONIC) >= until_ms)
            return wrong (why, "%zu of Grid Engine's jobs of others still %s on its hosts",
                          self->jobs, self->setup->clear ? "end" : "run");
        for (size_t i = 0; first && i < self->ids.count; i++)
            grid_job_clear (self, self->ids.words [i]);
        grid_pause ();
    }
}

/*  That a host is not heard ends no job: only one that is to end, has had its grace and is still
 *  there is taken from Grid Engine's list, and killed when the host is heard. */
static bool grid_queue_empty (grid_queue_t *self, char why [WHY_BYTES])
{
    int64_t grace_ms = self->order->grace_ms < CLEAR_MS ? self->order->grace_ms : CLEAR_MS;
    int64_t until_ms = clock_ms (CLOCK_MONOTONIC) + grace_ms + AGAIN_MS;
    for (;; grid_pause ()) {
        if (!grid_jobs_look (self, grid_own_note, why))
            return false;
        if (self->jobs == 0)
            return true;
        bool late = clock_ms (CLOCK_MONOTONIC) >= until_ms;
        for (size_t i = 0; i < self->ids.count; i++)
            BATCH_RUN (self->setup, NULL, why, "qdel", self->ids.words [i]);
        for (size_t i = 0; late && i < self->stuck.count; i++)
            BATCH_RUN (self->setup, NULL, why, "qdel", "-f", self->stuck.words [i]);
        if (late)
            return wrong (why, "%zu of Grid Engine's jobs of the reservation have not ended yet",
                          self->jobs);
    }
}

/*  Its notes of what we have enabled of its own, on its hosts. */
static void grid_own_notes (const grid_queue_t *self, name_list_t *notes)
{
    for (size_t i = 0; i < self->listed.count; i++)
        if (grid_of_queue (self->listed.words [i], self->order->reservation) &&
            name_list_has (&self->hosts, strchr (self->listed.words [i], '@') + 1))
            name_list_add (notes, self->listed.words [i], "");
}

/*  What an operator has disabled of its own, or a host of it, stays disabled for all. */
static bool grid_notes_end (grid_queue_t *self, char why [WHY_BYTES])
{
    char own [NAME_BYTES_MAX + BATCH_NAME_BYTES_MAX];
    name_list_auto_t ended = {0};
    for (size_t i = 0; i < self->off.count; i++) {
        snprintf (own, sizeof own, "%s%s", self->order->reservation,
                  strchr (self->off.words [i], '@'));
        if (name_list_has (&self->taken, own))
            name_list_add (&ended, self->off.words [i], "");
    }
    grid_own_notes (self, &ended);
    return ended.count == 0 ||
           (grid_list_change (self, false, &ended, why) && grid_instances_look (self, why));
}

static bool grid_others_back (grid_queue_t *self, char why [WHY_BYTES])
{
    return grid_switch (self, &self->off, false, why) &&
           grid_list_change (self, false, &self->on, why);
}

/*  Its end on these hosts: its jobs there end, and the other queues have them again. */
static bool grid_give_back (grid_queue_t *self, char why [WHY_BYTES])
{
    return grid_list_look (self, why) && grid_instances_look (self, why) &&
           grid_notes_end (self, why) && grid_switch (self, &self->own_on, true, why) &&
           grid_queue_empty (self, why) && grid_others_back (self, why);
}

/*  Hosts that it should not have any more are given back before its configuration changes. */
static bool grid_hosts_leave (grid_queue_t *self, char why [WHY_BYTES])
{
    grid_queue_t leave = {.setup = self->setup, .order = self->order, .leaving = true};
    name_list_t stay = {0};
    for (size_t i = 0; i < self->order->nodes_count; i++)
        name_list_add (&stay, self->order->nodes [i], "");
    for (size_t i = 0; i < self->hosts.count; i++)
        if (!name_list_has (&stay, self->hosts.words [i]))
            name_list_add (&leave.hosts, self->hosts.words [i], "");
    bool good =
      leave.hosts.count == 0 || (grid_give_back (&leave, why) && grid_list_look (self, why));
    grid_queue_clear (&leave);
    name_list_clear (&self->hosts);
    self->hosts = stay;
    return good;
}

/*  --- made equal --- */

/*  When somebody has deleted it, none of its instances is enabled any more. */
static bool grid_gone_note (grid_queue_t *self, char why [WHY_BYTES])
{
    name_list_auto_t notes = {0};
    if (!self->now)
        grid_own_notes (self, &notes);
    return grid_list_change (self, false, &notes, why);
}

/*  *changed: it was not as it should be. */
static bool grid_queue_equal (grid_queue_t *self, bool *changed, char why [WHY_BYTES])
{
    bool silent;
    if (!grid_access (self, why) || !grid_gone_note (self, why) || !grid_hosts_leave (self, why))
        return false;
    text_auto_t *wanted = grid_queue_wanted (self, why);
    if (!wanted)
        return false;
    bool right = self->now && strcmp (self->now, wanted) == 0;
    if (!right) {
        *changed = true;
        right = grid_queue_put (self, wanted, why);
        free (self->now);
        self->now =
          right ? grid_queue_text (self->setup, self->order->reservation, &silent, why) : NULL;
        if (self->now && strcmp (self->now, wanted) != 0)
            right = wrong (why, "Grid Engine's queue %.80s is not what was asked for",
                           self->order->reservation);
    }
    return right && self->now;
}

/*  --- its start --- */

/*  Its hosts are its own: other queues are disabled there, and what runs in them makes way. */
static bool grid_hosts_take (grid_queue_t *self, char why [WHY_BYTES])
{
    return grid_list_change (self, true, &self->on, why) &&
           grid_switch (self, &self->on, true, why) &&
           (self->used == 0 || grid_hosts_clear (self, why));
}

/*  What has to be done at its start is done ahead, so that little is left then. */
static bool grid_settle (grid_queue_t *self, int64_t ahead_ms, char why [WHY_BYTES])
{
    if (ahead_ms <= 0)
        return grid_hosts_take (self, why) && grid_switch (self, &self->own_off, false, why) &&
               grid_list_change (self, true, &self->own_on, why);
    bool soon = self->setup->clear && ahead_ms <= self->setup->early_ms;
    return grid_switch (self, &self->own_on, true, why) &&
           (soon ? grid_hosts_take (self, why) : grid_others_back (self, why));
}

bool grid_keep (const batch_setup_t *setup, back_end_step_t step, const back_end_order_t *order,
                char why [WHY_BYTES])
{
    grid_queue_t self;
    bool changed = false;
    bool good = grid_queue_look (&self, setup, order, why);
    bool there = good && self.now;
    int64_t ahead_ms = step == BACK_END_OPEN ? 0 : order->from_ms - clock_ms (CLOCK_REALTIME);
    self.begun = ahead_ms <= 0;
    good = good && grid_queue_equal (&self, &changed, why) && grid_instances_look (&self, why);
    bool switched = ahead_ms > 0 ? self.own_on.count > 0 : self.own_off.count + self.on.count > 0;
    good = good && grid_settle (&self, ahead_ms, why);
    if (good && self.begun && step != BACK_END_WATCH)
        good = grid_queue_equal (&self, &changed, why);
    if (good && step == BACK_END_WATCH && (changed || switched))
        good = wrong (why, "Grid Engine's queue %.80s %s; it was made again", order->reservation,
                      !there    ? "was gone"
                      : changed ? "was another"
                                : "was switched");
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
    BATCH_RUN (self->setup, NULL, said, "qconf", "-dq", self->order->reservation);
    text_auto_t *left = grid_queue_text (self->setup, self->order->reservation, &silent, why);
    return !silent && (!left || wrong (why, "%s", said));
}

/*  The list goes after the queue that names it. */
bool grid_close (const batch_setup_t *setup, const back_end_order_t *order, char why [WHY_BYTES])
{
    grid_queue_t self;
    char said [WHY_BYTES] = "";
    bool good = grid_queue_look (&self, setup, order, why);
    if (good && (self.now || self.listed.count > 0))
        good = grid_queue_remove (&self, why);
    good =
      good && (BATCH_RUN (setup, NULL, said, "qconf", "-dul", order->reservation) == COMMAND_DONE ||
               strstr (said, "does not exist") || wrong (why, "%s", said));
    grid_queue_clear (&self);
    return good;
}

/*  --- after a start --- */

static bool grid_names (const batch_setup_t *setup, const char *show, name_list_t *names,
                        char why [WHY_BYTES])
{
    text_auto_t *output = NULL;
    bool good = BATCH_RUN (setup, &output, why, "qconf", show) == COMMAND_DONE;
    name_list_add (names, good ? output : "", "");
    return good;
}

typedef struct {
    const batch_setup_t *setup;
    name_list_t hosts; /* of the site's queue */
} grid_site_t;

static void grid_site_take (void *owner, const grid_instance_t *instance)
{
    grid_site_t *self = owner;
    if (grid_of_queue (instance->name, self->setup->queue))
        name_list_add (&self->hosts, instance->host, "");
}

/*  Adds the name if it is of ours, over hosts of the site's queue: a site of the same name may have
 *  another queue of the cell. */
static bool grid_list_one (const grid_site_t *self, const char *name, name_list_t *names,
                           char why [WHY_BYTES])
{
    grid_queue_t one;
    if (!batch_name_ours (self->setup, name) || name_list_has (names, name))
        return true;
    bool good = grid_queue_look (&one, self->setup, &(back_end_order_t){.reservation = name}, why);
    bool here = one.hosts.count == 0;
    for (size_t i = 0; i < one.hosts.count; i++)
        here |= name_list_has (&self->hosts, one.hosts.words [i]);
    if (good && here)
        name_list_add (names, name, "");
    grid_queue_clear (&one);
    return good;
}

/*  Its queues, and access lists that were left behind. */
bool grid_list (const batch_setup_t *setup, name_list_t *names, char why [WHY_BYTES])
{
    grid_site_t site = {.setup = setup};
    text_auto_t *output = NULL;
    name_list_auto_t all = {0};
    bool good = BATCH_RUN (setup, &output, why, "qstat", "-f", "-xml") == COMMAND_DONE &&
                grid_instances_read (output, grid_site_take, &site, why) &&
                grid_names (setup, "-sql", &all, why) && grid_names (setup, "-sul", &all, why);
    for (size_t i = 0; good && i < all.count; i++)
        good = grid_list_one (&site, all.words [i], names, why);
    name_list_clear (&site.hosts);
    return good;
}
