/*  gridengine_hosts - the hosts of a reservation: other queues are disabled there and its own
 *  enabled, what is in the way goes, and at their end they are given back. An instance, such as
 *  batch@g1, is nobody's account, so an access list takes notes of them. What we disable of other
 *  queues is noted before; what we have enabled of its own is noted after. What is disabled, and
 *  should not be by these, an operator has disabled.
 */
#include "gridengine_queue.h"

#include "clock.h"
#include "must.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CLEAR_MS 5000 /* that one step waits for jobs to end; then it is tried again */
#define AGAIN_MS 100

static void grid_lists_clear (name_list_t *const *lists, size_t count)
{
    for (size_t i = 0; i < count; i++)
        name_list_clear (lists [i]);
}

void grid_queue_clear (grid_queue_t *self)
{
    name_list_t *const lists [] = {&self->hosts, &self->listed,  &self->on,      &self->off,
                                   &self->kept,  &self->own_on,  &self->own_off, &self->taken,
                                   &self->ids,   &self->unheard, &self->stuck};
    free (self->now);
    grid_lists_clear (lists, sizeof lists / sizeof *lists);
}

/*  --- notes --- */

bool grid_list_look (grid_queue_t *self, char why [WHY_BYTES])
{
    name_list_clear (&self->listed);
    return grid_listed (self->setup, self->order->reservation, &self->listed, why);
}

bool grid_list_change (grid_queue_t *self, bool add, const name_list_t *words, char why [WHY_BYTES])
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

void grid_notes_find (const grid_queue_t *self, bool own, name_list_t *notes)
{
    for (size_t i = 0; i < self->listed.count; i++) {
        const char *word = self->listed.words [i], *at = strchr (word, '@');
        if (at && name_list_has (&self->hosts, at + 1) &&
            (!own || grid_of_queue (word, self->order->reservation)))
            name_list_add (notes, word, "");
    }
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
    self->here += grid_of_queue (instance->name, self->setup->queue);
    self->used += own ? 0 : instance->used;
    if (own)
        name_list_add (disabled ? &self->own_off : &self->own_on, instance->name, "");
    else if (!grid_is_ours (self->setup, instance))
        name_list_add (!disabled ? &self->on
                       : noted   ? &self->off
                                 : &self->kept,
                       instance->name, "");
}

/*  Has an operator disabled this instance of its own, or the site's on its host before it
 *  opened? */
static bool grid_is_taken (const grid_queue_t *self, const char *own)
{
    char site [NAME_BYTES_MAX + BATCH_NAME_BYTES_MAX];
    snprintf (site, sizeof site, "%s%s", self->setup->queue, strchr (own, '@'));
    return name_list_has (&self->kept, site) ||
           (name_list_has (&self->off, site) && name_list_has (&self->listed, own));
}

bool grid_instances_look (grid_queue_t *self, char why [WHY_BYTES])
{
    name_list_t *const lists [] = {&self->on,      &self->off,   &self->kept,   &self->own_on,
                                   &self->own_off, &self->taken, &self->unheard};
    name_list_t off;
    grid_lists_clear (lists, sizeof lists / sizeof *lists);
    self->here = self->used = 0;
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

/*  Only of a job that was submitted with or without it is it told; others are as their queue is
 *  (rerun). */
static bool grid_job_again (const grid_queue_t *self, const char *id)
{
    char why [WHY_BYTES];
    text_auto_t *text = NULL;
    BATCH_RUN (self->setup, &text, why, "qstat", "-j", id);
    text_auto_t *restart = text ? grid_value (text, "restart:") : NULL;
    return restart && strcmp (restart, "y") == 0;
}

/*  Its owner is told why before. Grid Engine ends what may not be run again when it should be
 *  rescheduled. Whether it worked is seen by whether the job is gone. False: it does not make
 *  way. */
static bool grid_job_clear (const grid_queue_t *self, const char *id)
{
    char why [WHY_BYTES];
    if (self->order->clear == CLEAR_WAIT ||
        (self->order->clear == CLEAR_REQUEUE && !grid_job_again (self, id)))
        return false;
    text_auto_t *victim =
      must_print ("musubi=the reservation %s of %s needs its host; opening/clear of site %s",
                  self->order->reservation, self->order->owner, self->setup->site);
    BATCH_RUN (self->setup, NULL, why, "qalter", "-ac", victim, id);
    if (BATCH_RUN (self->setup, NULL, why, "qmod", "-rj", id) == COMMAND_REFUSED)
        BATCH_RUN (self->setup, NULL, why, "qdel", id);
    return true;
}

static bool grid_hosts_clear (grid_queue_t *self, char why [WHY_BYTES])
{
    int64_t until_ms = clock_ms (CLOCK_MONOTONIC) + CLEAR_MS;
    char stays [BATCH_JOB_ID_BYTES] = "";
    for (bool first = true;; first = false) {
        if (!grid_jobs_look (self, grid_other_note, why))
            return false;
        if (self->jobs == 0)
            return true;
        for (size_t i = 0; first && i < self->ids.count; i++)
            if (!grid_job_clear (self, self->ids.words [i]))
                snprintf (stays, sizeof stays, "%s", self->ids.words [i]);
        if (*stays)
            return wrong (why, "Grid Engine's job %s of others still runs on its hosts", stays);
        if (clock_ms (CLOCK_MONOTONIC) >= until_ms)
            return wrong (why, "%zu of Grid Engine's jobs of others still end on its hosts",
                          self->jobs);
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

/*  --- given back --- */

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
    grid_notes_find (self, true, &ended);
    return ended.count == 0 ||
           (grid_list_change (self, false, &ended, why) && grid_instances_look (self, why));
}

/*  Notes go even of instances that are not there any more. */
static bool grid_others_back (grid_queue_t *self, char why [WHY_BYTES])
{
    name_list_auto_t notes = {0};
    grid_notes_find (self, false, &notes);
    return grid_switch (self, &self->off, false, why) &&
           grid_list_change (self, false, &notes, why);
}

bool grid_give_back (grid_queue_t *self, char why [WHY_BYTES])
{
    return grid_list_look (self, why) && grid_instances_look (self, why) &&
           grid_notes_end (self, why) && grid_switch (self, &self->own_on, true, why) &&
           grid_queue_empty (self, why) && grid_others_back (self, why);
}

bool grid_hosts_leave (grid_queue_t *self, char why [WHY_BYTES])
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

/*  --- taken --- */

/*  Its hosts are its own: other queues are disabled there, and what runs in them makes way. Its
 *  advance reservation goes when nobody's job can begin there any more, and before its own can. */
static bool grid_hosts_take (grid_queue_t *self, char why [WHY_BYTES])
{
    return grid_list_change (self, true, &self->on, why) &&
           grid_switch (self, &self->on, true, why) &&
           (self->own_off.count == 0 ||
            grid_advance_remove (self->setup, self->order->reservation, why)) &&
           (self->used == 0 || grid_hosts_clear (self, why));
}

bool grid_settle (grid_queue_t *self, int64_t ahead_ms, char why [WHY_BYTES])
{
    if (ahead_ms <= 0)
        return grid_hosts_take (self, why) && grid_switch (self, &self->own_off, false, why) &&
               grid_list_change (self, true, &self->own_on, why);
    bool soon = self->order->clear != CLEAR_WAIT && ahead_ms <= self->setup->early_ms;
    return grid_switch (self, &self->own_on, true, why) &&
           (soon ? grid_hosts_take (self, why) : grid_others_back (self, why));
}
