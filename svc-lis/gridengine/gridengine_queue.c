/*  gridengine_queue - each step asks Grid Engine first what there is, does what is missing, and
 *  asks again. The hosts of a queue are those in its own configuration, and those of the notes in
 *  its access list, so what has to be given back at its end is known after any crash, and when
 *  somebody has deleted the queue; they are given back before it goes (gridengine_hosts).
 */
#include "gridengine_queue.h"

#include "clock.h"
#include "must.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    return batch_name_ours (setup, grid_queue_name (instance->name, queue)) != NULL;
}

/*  --- as it is --- */

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

/*  The state of an instance when it is new, and when the daemon of its host starts. Until its
 *  start, or while hosts are new, it is to wait; from then on a daemon that starts must not disable
 *  it, as if an operator had. */
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

/*  --- made equal --- */

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

/*  Of an instance that somebody has deleted, by the queue or by its host: it is not enabled any
 *  more. */
static bool grid_gone_note (grid_queue_t *self, char why [WHY_BYTES])
{
    name_list_auto_t notes = {0}, there = {0}, gone = {0};
    if (self->now)
        grid_words (self->now, "hostlist", &there);
    grid_notes_find (self, true, &notes);
    for (size_t i = 0; i < notes.count; i++)
        if (!name_list_has (&there, strchr (notes.words [i], '@') + 1))
            name_list_add (&gone, notes.words [i], "");
    return grid_list_change (self, false, &gone, why);
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

static bool grid_has_begun (const grid_queue_t *self)
{
    text_auto_t *state = self->now ? grid_value (self->now, "initial_state") : NULL;
    return state && strcmp (state, "default") == 0;
}

/*  At its start its instances are enabled before its initial state changes. */
bool grid_keep (const batch_setup_t *setup, back_end_step_t step, const back_end_order_t *order,
                char why [WHY_BYTES])
{
    grid_queue_t self;
    bool changed = false;
    bool good = grid_queue_look (&self, setup, order, why);
    bool there = good && self.now;
    int64_t ahead_ms = step == BACK_END_OPEN ? 0 : order->from_ms - clock_ms (CLOCK_REALTIME);
    if (good && step == BACK_END_NAME) {
        good = grid_advance_keep (setup, order, why);
        if (!good || (!self.now && self.listed.count == 0)) {
            grid_queue_clear (&self);
            return good;
        }
    }
    self.begun = step == BACK_END_OPEN ? grid_has_begun (&self) : ahead_ms <= 0;
    good = good && grid_queue_equal (&self, &changed, why) && grid_instances_look (&self, why);
    bool switched = ahead_ms > 0 ? self.own_on.count > 0 : self.own_off.count + self.on.count > 0;
    good = good && grid_settle (&self, ahead_ms, why);
    self.begun = ahead_ms <= 0;
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
    good = good && grid_advance_remove (setup, order->reservation, why);
    grid_queue_clear (&self);
    return good;
}

/*  --- after a start --- */

/*  By the access lists, which go last. Ours over hosts of another queue of the cell are those of
 *  another site of this name. */
bool grid_list (const batch_setup_t *setup, name_list_t *names, char why [WHY_BYTES])
{
    text_auto_t *output = NULL;
    name_list_auto_t all = {0};
    bool good = grid_advances_look (setup, NULL, names, why) &&
                BATCH_RUN (setup, &output, why, "qconf", "-sul") == COMMAND_DONE;
    name_list_add (&all, good ? output : "", "");
    for (size_t i = 0; good && i < all.count; i++) {
        grid_queue_t one;
        back_end_order_t order = {.reservation = all.words [i]};
        if (!batch_name_ours (setup, order.reservation))
            continue;
        good = grid_queue_look (&one, setup, &order, why) && grid_instances_look (&one, why);
        if (good && (one.hosts.count == 0 || one.here > 0))
            name_list_add (names, order.reservation, "");
        grid_queue_clear (&one);
    }
    return good;
}
