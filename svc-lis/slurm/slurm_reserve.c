/*  slurm_reserve - makes what Slurm has equal to what the site has promised. Each function asks
 *  Slurm first what there is, does what is missing, and asks again: what Slurm acknowledged it may
 *  have lost, or granted with fewer nodes.
 */
#include "slurm_reserve.h"

#include "clock.h"
#include "must.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CLEAR_MS 5000 /* that one step waits for jobs to end; then it is tried again */
#define AGAIN_MS 100
#define BEGUN_MS 2000 /* that Slurm may take to see that one has begun */

/*  --- what there is --- */

/*  One of ours as Slurm has it, beside what it should be. */
typedef struct {
    const batch_setup_t *setup;
    const back_end_order_t *order;
    name_list_t wanted; /* nodes, sorted */
    char *nodes;        /* likewise */
    bool there;
    bool active;
    bool overlaps;
    bool unread; /* Slurm has it, but it can't be told how */
    bool nodes_right, users_right, accounts_right, from_right, until_right;
    char *nodes_seen;
    name_list_t left;                /* nodes that it still has and must give back */
    size_t others;                   /* jobs on its nodes that are not of it */
    char other [BATCH_JOB_ID_BYTES]; /* the first of them */
    bool clears;                     /* those that don't end already are made to */
    bool vouched;                    /* no job may run into it */
    bool stays;                      /* one of them does not make way */
} slurm_pair_t;

static slurm_pair_t slurm_pair (const batch_setup_t *setup, const back_end_order_t *order)
{
    slurm_pair_t self = {.setup = setup, .order = order};
    for (size_t i = 0; i < order->nodes_count; i++)
        name_list_add (&self.wanted, order->nodes [i], "");
    slurm_nodes_sort (&self.wanted);
    self.nodes = name_list_text (&self.wanted, ',');
    return self;
}

static void slurm_pair_clear (slurm_pair_t *self)
{
    free (self->nodes);
    free (self->nodes_seen);
    name_list_clear (&self->wanted);
    name_list_clear (&self->left);
}

static const char *slurm_pair_charged (const slurm_pair_t *self)
{
    return self->order->charged ? self->order->charged : "";
}

/*  A start that has gone by is as right as any other that has. */
static void slurm_pair_compare (slurm_pair_t *self, const slurm_reservation_t *seen)
{
    int64_t now_ms = clock_ms (CLOCK_REALTIME), from_ms = slurm_time_whole (self->order->from_ms);
    self->there = true;
    self->unread = !seen->times_read || !seen->nodes_read;
    self->active = seen->active;
    self->overlaps = seen->overlaps;
    self->nodes_seen = name_list_text (&seen->nodes, ',');
    for (size_t i = 0; i < seen->nodes.count; i++)
        if (!name_list_has (&self->wanted, seen->nodes.words [i]))
            name_list_add (&self->left, seen->nodes.words [i], "");
    self->nodes_right = strcmp (self->nodes, self->nodes_seen) == 0;
    self->users_right = strcmp (seen->users, self->order->account) == 0;
    self->accounts_right =
      !*slurm_pair_charged (self) || strcmp (seen->accounts, slurm_pair_charged (self)) == 0;
    self->from_right = seen->from_ms == from_ms || (seen->from_ms <= now_ms && from_ms <= now_ms);
    self->until_right = seen->until_ms == slurm_time_whole (self->order->until_ms);
}

typedef struct {
    slurm_pair_t *pairs;
    size_t count;
} slurm_pairs_t;

static void slurm_pairs_take (void *owner, char *line)
{
    const slurm_pairs_t *self = owner;
    slurm_reservation_t seen;
    bool is = slurm_reservation_read (line, &seen);
    for (size_t i = 0; is && i < self->count; i++)
        if (strcmp (seen.name, self->pairs [i].order->reservation) == 0 &&
            strcmp (seen.partition, self->pairs [i].setup->queue) ==
              0) /* else it is another site's */
            slurm_pair_compare (&self->pairs [i], &seen);
    name_list_clear (&seen.nodes);
}

/*  Looks among all: there is no telling one that is not there from other refusals but by words. */
static bool slurm_pair_look (slurm_pair_t *self, char why [WHY_BYTES])
{
    slurm_pairs_t one = {self, 1};
    free (self->nodes_seen);
    self->nodes_seen = NULL;
    name_list_clear (&self->left);
    self->there = self->active = self->overlaps = self->unread = false;
    self->nodes_right = self->users_right = self->from_right = self->until_right = false;
    self->accounts_right = !*slurm_pair_charged (self);
    return SLURM_RESERVATIONS (self->setup, slurm_pairs_take, &one, why);
}

static bool slurm_pair_right (const slurm_pair_t *self, char why [WHY_BYTES])
{
    if (!self->there)
        return wrong (why, "Slurm has no reservation %.80s", self->order->reservation);
    if (!self->nodes_right)
        return wrong (why, "Slurm's reservation %.60s has the nodes %.60s instead of %.60s",
                      self->order->reservation, self->nodes_seen, self->nodes);
    if (!self->users_right)
        return wrong (why, "Slurm's reservation %.80s has other users than %.40s",
                      self->order->reservation, self->order->account);
    if (!self->accounts_right)
        return wrong (why, "Slurm's reservation %.80s has other accounts than %.40s",
                      self->order->reservation, self->order->charged);
    return (self->from_right && self->until_right) ||
           wrong (why, "Slurm's reservation %.80s has other times than the site's",
                  self->order->reservation);
}

/*  --- its jobs --- */

/*  Until no job of it is left on these nodes (NULL: at all), or false with why at that time. */
static bool slurm_empty (const slurm_pair_t *self, const char *nodes, int64_t until_ms,
                         char why [WHY_BYTES])
{
    for (;;) {
        text_auto_t *output = NULL;
        bool asked =
          BATCH_RUN (self->setup, &output, why, "squeue", "-h", "-R", self->order->reservation,
                     "-o", "%i", nodes ? "-w" : NULL, nodes) == COMMAND_DONE;
        bool empty = asked && *output == '\0';
        bool late = clock_ms (CLOCK_REALTIME) >= until_ms;
        if (asked && !empty)
            wrong (why, "Slurm's job %.*s of the reservation has not ended yet",
                   (int) strcspn (output, "\n"), output);
        if (empty || !asked || late)
            return empty;
        nanosleep (&(struct timespec){.tv_nsec = AGAIN_MS * 1000000}, NULL);
    }
}

static bool slurm_end_jobs (const slurm_pair_t *self, const char *nodes, char why [WHY_BYTES])
{
    text_auto_t *filter = must_print ("--reservation=%s", self->order->reservation);
    const char *where = nodes ? "-w" : NULL;
    int64_t grace_ms = self->order->grace_ms < CLEAR_MS ? self->order->grace_ms : CLEAR_MS;
    if (slurm_empty (self, nodes, 0, why))
        return true;
    if (BATCH_RUN (self->setup, NULL, why, "scancel", filter, where, nodes) != COMMAND_DONE)
        return false;
    if (slurm_empty (self, nodes, clock_ms (CLOCK_REALTIME) + grace_ms, why))
        return true;
    BATCH_RUN (self->setup, NULL, why, "scancel", "--full", "--signal=KILL", filter, where, nodes);
    return slurm_empty (self, nodes, clock_ms (CLOCK_REALTIME) + CLEAR_MS, why);
}

/*  On nodes that leave; a queued one may begin there as long as Slurm's reservation has them. */
static bool slurm_leave (const slurm_pair_t *self, const name_list_t *left, char why [WHY_BYTES])
{
    if (left->count == 0)
        return true;
    text_auto_t *nodes = name_list_text (left, ',');
    return slurm_end_jobs (self, nodes, why);
}

/*  --- made equal --- */

#define PAIR_WORDS 11

/*  One line of scontrol: each word stands in the text. Without IGNORE_JOBS Slurm refuses it where a
 *  job may run into it, and has begun none since. */
static void slurm_pair_words (const slurm_pair_t *self, char *words [PAIR_WORDS])
{
    char from [SLURM_TIME_BYTES], until [SLURM_TIME_BYTES];
    bool begun = slurm_time_whole (self->order->from_ms) <= clock_ms (CLOCK_REALTIME);
    size_t count = 0;
    words [count++] = must_print ("scontrol");
    words [count++] = must_print (self->there ? "update" : "create");
    words [count++] =
      must_print (self->there ? "reservationname=%s" : "reservation=%s", self->order->reservation);
    if (!self->nodes_right)
        words [count++] = must_print ("nodes=%s", self->nodes);
    if (!self->users_right)
        words [count++] = must_print ("users=%s", self->order->account);
    if (!self->accounts_right)
        words [count++] = must_print ("accounts=%s", self->order->charged);
    if (!self->from_right)
        words [count++] =
          must_print ("starttime=%s", begun ? "now" : slurm_time_text (self->order->from_ms, from));
    if (!self->until_right || !self->there)
        words [count++] = must_print ("endtime=%s", slurm_time_text (self->order->until_ms, until));
    if (!self->there)
        words [count++] = must_print ("partitionname=%s", self->setup->queue);
    if (!self->vouched)
        words [count++] = must_print ("flags=IGNORE_JOBS,OVERLAP");
    words [count] = NULL;
}

static bool slurm_pair_make (slurm_pair_t *self, char why [WHY_BYTES])
{
    char *words [PAIR_WORDS];
    slurm_pair_words (self, words);
    bool made = batch_run (self->setup, (const char *const *) words, NULL, why) == COMMAND_DONE;
    for (char **word = words; *word; word++)
        free (*word);
    return made;
}

/*  Of one that was looked at and is not right. */
static bool slurm_pair_mend (slurm_pair_t *self, char why [WHY_BYTES])
{
    name_list_auto_t left = self->left;
    self->left = (name_list_t){0};
    return slurm_leave (self, &left, why) && slurm_pair_make (self, why) &&
           slurm_pair_look (self, why) && slurm_pair_right (self, why) &&
           slurm_leave (self, &left, why);
}

/*  --- what is in the way of one that is named --- */

typedef struct {
    const slurm_pair_t *pair;
    batch_way_t way;
} slurm_way_t;

/*  One without a limit ends when it ends. */
static void slurm_way_job (void *owner, char *line)
{
    slurm_way_t *self = owner;
    const char *id = command_field (&line), *user = command_field (&line);
    const char *until = command_field (&line);
    int64_t until_ms = BATCH_FOREVER_MS;
    if (strcmp (line, self->pair->order->reservation) != 0 &&
        (!slurm_time_read (until, &until_ms) || until_ms > self->pair->order->from_ms))
        batch_way_note (&self->way, until_ms, "Slurm's job", id, user);
}

static void slurm_way_reservation (void *owner, char *line)
{
    slurm_way_t *self = owner;
    const back_end_order_t *order = self->pair->order;
    slurm_reservation_t seen;
    bool is = slurm_reservation_read (line, &seen) && strcmp (seen.name, order->reservation) != 0 &&
              (self->pair->vouched || !batch_name_ours (self->pair->setup, seen.name)) &&
              seen.from_ms < order->until_ms && order->from_ms < seen.until_ms;
    for (size_t i = 0; is && i < seen.nodes.count; i++)
        if (name_list_has (&self->pair->wanted, seen.nodes.words [i]))
            batch_way_note (&self->way, seen.until_ms, "Slurm's reservation", seen.name,
                            seen.users);
    name_list_clear (&seen.nodes);
}

/*  Why Slurm has refused it, if that can be seen: else its own words stay. */
static bool slurm_way_tell (const slurm_pair_t *self, char why [WHY_BYTES])
{
    char asked [WHY_BYTES];
    slurm_way_t way = {.pair = self};
    if (BATCH_LINES (self->setup, slurm_way_job, &way, asked, "squeue", "-h", "-t", "R,S,CF,CG",
                     "-w", self->nodes, "-o", "%i|%u|%e|%v") == COMMAND_DONE &&
        SLURM_RESERVATIONS (self->setup, slurm_way_reservation, &way, asked) &&
        way.way.until_ms > 0)
        wrong (why, "%s", way.way.what);
    return false;
}

/*  Slurm begins no job of a reservation whose limit runs into the next one on its node, though it
 *  ends it with its own: it does of one that may overlap others, which it can't take back. */
static bool slurm_overlap (const slurm_pair_t *self, char why [WHY_BYTES])
{
    text_auto_t *named = must_print ("reservationname=%s", self->order->reservation);
    return self->vouched || self->overlaps ||
           BATCH_RUN (self->setup, NULL, why, "scontrol", "update", named, "flags+=OVERLAP") ==
             COMMAND_DONE;
}

/*  Slurm refuses such a one nothing: may it be what it should? Others of ours that wait make
 *  way. */
static bool slurm_overlaps_none (const slurm_pair_t *self, char why [WHY_BYTES])
{
    slurm_way_t way = {.pair = self};
    return self->vouched || (SLURM_RESERVATIONS (self->setup, slurm_way_reservation, &way, why) &&
                             (way.way.until_ms == 0 || wrong (why, "%s", way.way.what)));
}

/*  --- jobs in the way of its opening --- */

/*  Its owner is told why before it ends, and so is the site of a run's job, to try the task again.
 *  Whether it worked is seen by whether the job is gone. */
static void slurm_job_clear (const slurm_pair_t *self, const char *id, bool ours, bool again)
{
    static const char made_way [] = "comment=" SLURM_MADE_WAY;
    char why [WHY_BYTES];
    text_auto_t *job = must_print ("jobid=%s", id);
    text_auto_t *victim = must_print (
      "admincomment=the reservation %s of %s needs its node, by opening/clear of site %s",
      self->order->reservation, self->order->owner, self->setup->site);
    command_told_t told =
      BATCH_RUN (self->setup, NULL, why, "scontrol", "update", job, victim, ours ? made_way : NULL);
    if (ours && told != COMMAND_DONE)
        return;
    if (again)
        told = BATCH_RUN (self->setup, NULL, why, "scontrol", "requeue", id);
    if (!again || (told == COMMAND_REFUSED && self->order->clear == CLEAR_END))
        BATCH_RUN (self->setup, NULL, why, "scancel", id);
}

static void slurm_other_take (void *owner, char *line)
{
    slurm_pair_t *self = owner;
    const char *id = command_field (&line), *state = command_field (&line);
    bool again = strcmp (command_field (&line), SLURM_AGAIN) == 0;
    if (strcmp (command_field (&line), self->order->reservation) == 0)
        return;
    bool ends = strcmp (state, "COMPLETING") == 0;
    bool goes = self->order->clear == CLEAR_END || (self->order->clear == CLEAR_REQUEUE && again);
    self->stays = self->stays || !(ends || goes);
    if (self->others++ == 0 || !(ends || goes))
        snprintf (self->other, sizeof self->other, "%s", id);
    if (self->clears && goes && !ends)
        slurm_job_clear (self, id, batch_name_ours (self->setup, line) != NULL, again);
}

static bool slurm_clear (slurm_pair_t *self, char why [WHY_BYTES])
{
    int64_t until_ms = clock_ms (CLOCK_REALTIME) + CLEAR_MS;
    for (self->clears = true;; self->clears = false) {
        self->others = 0;
        self->stays = false;
        if (BATCH_LINES (self->setup, slurm_other_take, self, why, "squeue", "-h", "-t",
                         "R,S,CF,CG", "-w", self->nodes, "-O",
                         "JobArrayID:|,State:|,Requeue:,BatchFlag:|,Reservation:|,Name:") !=
            COMMAND_DONE)
            return false;
        if (self->others == 0)
            return true;
        if (self->stays || clock_ms (CLOCK_REALTIME) >= until_ms)
            return wrong (why, "Slurm's job %s of others still %s on its nodes", self->other,
                          self->stays ? "runs" : "ends");
        nanosleep (&(struct timespec){.tv_nsec = AGAIN_MS * 1000000}, NULL);
    }
}

/*  Slurm's clock is seen by whether it takes the reservation as begun. */
static bool slurm_begun (const slurm_pair_t *self, char why [WHY_BYTES])
{
    return self->active || clock_ms (CLOCK_REALTIME) <= self->order->from_ms + BEGUN_MS ||
           wrong (why, "Slurm's reservation %.80s has not begun: is its clock behind?",
                  self->order->reservation);
}

/*  Is the partition open to the account's groups? Whom this machine does not know, Slurm may
 *  know. */
static bool slurm_open_to (const batch_setup_t *setup, const char *account, char why [WHY_BYTES])
{
    text_auto_t *allows = NULL, *has = NULL;
    name_list_auto_t allowed = {0}, groups = {0};
    if (BATCH_RUN (setup, &allows, why, "sinfo", "-h", "-p", setup->queue, "-o", "%g") !=
        COMMAND_DONE)
        return false;
    name_list_add (&allowed, allows, "");
    if (allowed.count == 0 || name_list_has (&allowed, "all") ||
        BATCH_RUN (setup, &has, why, "id", "-Gn", account) != COMMAND_DONE)
        return true;
    name_list_add (&groups, has, "");
    for (size_t i = 0; i < groups.count; i++)
        if (name_list_has (&allowed, groups.words [i]))
            return true;
    allows [strcspn (allows, "\n")] = '\0';
    return wrong (why,
                  "Slurm's partition %.40s is closed to %.40s: only the groups %.80s may use it",
                  setup->queue, account, allows);
}

bool slurm_keep (const batch_setup_t *setup, back_end_step_t step, const back_end_order_t *order,
                 char why [WHY_BYTES])
{
    if (order->nodes_count == 0)
        return true; /* all that it had are lost: there is nothing to make until others come */
    slurm_pair_t self = slurm_pair (setup, order);
    self.vouched = step == BACK_END_NAME;
    char what [WHY_BYTES] = "";
    int64_t clear_ms = step == BACK_END_OPEN
                         ? 0
                         : order->from_ms - (order->clear == CLEAR_WAIT ? 0 : setup->early_ms);
    bool good =
      slurm_pair_look (&self, why) &&
      (!self.unread || wrong (why, "Slurm's reservation %.80s can't be read", order->reservation));
    bool right = good && slurm_pair_right (&self, what);
    good = good &&
           (right || (slurm_overlaps_none (&self, why) && slurm_pair_mend (&self, why)) ||
            (self.vouched && slurm_way_tell (&self, why))) &&
           slurm_overlap (&self, why);
    if (good && (step == BACK_END_OPEN || step == BACK_END_WATCH) &&
        clock_ms (CLOCK_REALTIME) >= clear_ms)
        good = slurm_clear (&self, why);
    if (good && step == BACK_END_WATCH)
        good = right ? slurm_begun (&self, why) : wrong (why, "%.200s; it was made again", what);
    slurm_pair_clear (&self);
    return good && slurm_open_to (setup, order->account, why);
}

bool slurm_compare (const batch_setup_t *setup, const back_end_order_t *orders, size_t count,
                    char **differ, char why [WHY_BYTES])
{
    slurm_pairs_t all = {must (calloc (count + 1, sizeof *all.pairs)), count};
    for (size_t i = 0; i < count; i++)
        all.pairs [i] = slurm_pair (setup, &orders [i]);
    bool good = SLURM_RESERVATIONS (setup, slurm_pairs_take, &all, why);
    for (size_t i = 0; i < count; i++) {
        char what [WHY_BYTES];
        if (good && !slurm_pair_right (&all.pairs [i], what))
            batch_differ_add (differ, setup, &orders [i], what);
        slurm_pair_clear (&all.pairs [i]);
    }
    free (all.pairs);
    return good;
}

/*  --- its end --- */

/*  Held first, so that it runs nowhere before its user has said so. */
static bool slurm_job_leave (const slurm_pair_t *self, const char *id, char why [WHY_BYTES])
{
    text_auto_t *job = must_print ("jobid=%s", id);
    text_auto_t *comment = must_print (
      "comment=the reservation %s has ended: release or cancel this job", self->order->reservation);
    return BATCH_RUN (self->setup, NULL, why, "scontrol", "uhold", id) != COMMAND_SILENT &&
           BATCH_RUN (self->setup, NULL, why, "scontrol", "update", job,
                      "reservationname=", comment) != COMMAND_SILENT;
}

/*  What its user has queued in it by sbatch is left to its user. */
static bool slurm_queued_leave (const slurm_pair_t *self, char why [WHY_BYTES])
{
    char *line;
    text_auto_t *output = NULL;
    bool good = BATCH_RUN (self->setup, &output, why, "squeue", "-h", "-t", "PD", "-R",
                           self->order->reservation, "-o", "%i|%j") == COMMAND_DONE;
    char *text = output;
    while (good && (line = command_line (&text))) {
        const char *id = command_field (&line);
        good = batch_name_ours (self->setup, line) || slurm_job_leave (self, id, why);
    }
    return good;
}

static bool slurm_pair_remove (slurm_pair_t *self, char why [WHY_BYTES])
{
    char refused [WHY_BYTES] = "";
    text_auto_t *named = must_print ("reservation=%s", self->order->reservation);
    if (!slurm_pair_look (self, why))
        return false;
    if (!self->there)
        return true;
    if (!slurm_queued_leave (self, why) || !slurm_end_jobs (self, NULL, why))
        return false;
    BATCH_RUN (self->setup, NULL, refused, "scontrol", "delete", named);
    return slurm_pair_look (self, why) && (!self->there || wrong (why, "%s", refused));
}

bool slurm_close (const batch_setup_t *setup, const back_end_order_t *order, char why [WHY_BYTES])
{
    slurm_pair_t self = slurm_pair (setup, order);
    bool good = slurm_pair_remove (&self, why);
    slurm_pair_clear (&self);
    return good;
}

/*  --- after a start --- */

typedef struct {
    const batch_setup_t *setup;
    name_list_t *names;
} slurm_listing_t;

static void slurm_list_take (void *owner, char *line)
{
    const slurm_listing_t *self = owner;
    slurm_reservation_t seen;
    if (slurm_reservation_read (line, &seen) && strcmp (seen.partition, self->setup->queue) == 0)
        name_list_add (self->names, seen.name, "");
    name_list_clear (&seen.nodes);
}

bool slurm_list (const batch_setup_t *setup, name_list_t *names, char why [WHY_BYTES])
{
    slurm_listing_t listing = {setup, names};
    return SLURM_RESERVATIONS (setup, slurm_list_take, &listing, why);
}
