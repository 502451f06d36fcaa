/*  gridengine - the table of functions: is it fit, what does it say. */
#include "gridengine.h"

#include "clock.h"
#include "gridengine_calendar.h"
#include "gridengine_queue.h"
#include "must.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*  --- is it fit? --- */

/*  Jobs ask for the complex only when they want a reservation; forced, it keeps all others out. */
static batch_fitness_t grid_complex_check (const batch_setup_t *setup, char why [WHY_BYTES])
{
    text_auto_t *text = NULL;
    command_told_t told = BATCH_RUN (setup, &text, why, "qconf", "-sc");
    text_auto_t *complex = grid_value (text, GRID_COMPLEX);
    if (told != COMMAND_DONE || (complex && strstr (complex, " FORCED ")))
        return batch_fitness (told);
    wrong (why,
           "Grid Engine has no forced complex %s, which keeps other jobs out of "
           "reservations: add the line \"%s %s RESTRING == FORCED NO NONE 0\" by qconf -mc",
           GRID_COMPLEX, GRID_COMPLEX, GRID_COMPLEX);
    return BATCH_UNFIT;
}

/*  A queue that does not exist is deleted: who has the right is told so, others that they have
 *  not. */
static batch_fitness_t grid_right_check (const batch_setup_t *setup, char why [WHY_BYTES])
{
    char name [BATCH_NAME_BYTES_MAX + 1], said [WHY_BYTES] = "";
    if (!batch_name (setup, BATCH_NAME_OF_NONE, name, why))
        return BATCH_UNFIT;
    command_told_t told = BATCH_RUN (setup, NULL, said, "qconf", "-dq", name);
    if (told != COMMAND_REFUSED || strstr (said, "does not exist"))
        return told == COMMAND_SILENT ? BATCH_SILENT : BATCH_FIT;
    wrong (why,
           "this account may not make reservations in Grid Engine (%.100s): run the site as one of "
           "its managers (qconf -am)",
           said);
    return BATCH_UNFIT;
}

/*  Also without a parallel environment a site can begin: that it lacks is told only. */
static batch_fitness_t grid_check (const batch_setup_t *setup, bool reserves, char why [WHY_BYTES])
{
    bool silent;
    char said [WHY_BYTES];
    text_auto_t *text = grid_queue_text (setup, setup->queue, &silent, said);
    if (!text) {
        wrong (why, silent ? "%.*s%.150s" : "Grid Engine has no queue %.*s (%.150s)",
               silent ? 0 : 60, setup->queue, said);
        return silent ? BATCH_SILENT : BATCH_UNFIT;
    }
    batch_fitness_t fitness = reserves ? grid_complex_check (setup, why) : BATCH_FIT;
    if (fitness == BATCH_FIT && reserves)
        fitness = grid_right_check (setup, why);
    text_auto_t *environment =
      fitness == BATCH_FIT ? grid_environment (setup, reserves, said) : NULL;
    if (fitness == BATCH_FIT && !environment)
        fprintf (stderr, "svc-lis: %s\n", said);
    return fitness;
}

/*  --- the picture --- */

/*  Letters of a state that take nothing away: not heard, which is its daemon after max_unheard, and
 *  all since the qmaster's own start; more load than a threshold, which passes; closed by a
 *  calendar, which is a booking; and disabled, where that is by us. All others do, also those that
 *  are not known. */
#define GRID_UNHEARD "u"
#define GRID_PASSES  GRID_UNHEARD "aA"
#define GRID_CLOSED  "DC"
#define GRID_OURS    "d"

typedef struct {
    const batch_setup_t *setup;
    batch_picture_t *picture;
    name_list_t calendars; /* whose bookings are the picture's first */
    name_list_t broken;    /* hosts that are drained, whatever we have disabled */
    name_list_t unclear;   /* disabled instances of ours where the site's is disabled, too */
} grid_picture_t;

static bool grid_state_beyond (const char *state, const char *letters)
{
    return state [strspn (state, letters)] != '\0';
}

static void grid_calendar_note (grid_picture_t *self, const grid_instance_t *instance)
{
    char name [NAME_BYTES_MAX + 1];
    size_t i = 0;
    while (i < self->calendars.count && strcmp (self->calendars.words [i], instance->calendar) != 0)
        i++;
    if (i == self->calendars.count) {
        name_list_add (&self->calendars, instance->calendar, "");
        snprintf (name, sizeof name, "calendar-%.*s", NAME_BYTES_MAX - 9, instance->calendar);
        batch_picture_booking (self->picture, name, 0, BATCH_FOREVER_MS);
    }
    batch_booking_node (&self->picture->bookings [i], instance->host);
}

static batch_node_t *grid_node_add (grid_picture_t *self, const grid_instance_t *instance)
{
    batch_node_t *node = batch_picture_node (self->picture, instance->host);
    node->silent = strpbrk (instance->state, GRID_UNHEARD) != NULL;
    node->up = !node->silent;
    node->cpus = instance->total;
    return node;
}

static void grid_node_take (void *owner, const grid_instance_t *instance)
{
    grid_picture_t *self = owner;
    if (!grid_of_queue (instance->name, self->setup->queue))
        return;
    bool timed = *instance->calendar && strcmp (instance->calendar, "NONE") != 0;
    if (grid_state_beyond (instance->state,
                           timed ? GRID_PASSES GRID_OURS GRID_CLOSED : GRID_PASSES GRID_OURS))
        name_list_add (&self->broken, instance->host, "");
    if (timed)
        grid_calendar_note (self, instance);
    batch_node_t *node = grid_node_add (self, instance);
    node->drained =
      grid_state_beyond (instance->state, timed ? GRID_PASSES GRID_CLOSED : GRID_PASSES);
    node->cpus_busy = instance->used;
    if (*instance->state)
        grid_state_tell (instance, node->why);
}

/*  Without the site's queue its hosts are those of all others, and take nothing. */
static void grid_orphan_take (void *owner, const grid_instance_t *instance)
{
    grid_picture_t *self = owner;
    if (batch_picture_find (self->picture, instance->host))
        return;
    batch_node_t *node = grid_node_add (self, instance);
    node->drained = true;
    name_list_add (&self->broken, instance->host, "");
    wrong (node->why, "Grid Engine has no queue %.60s with hosts", self->setup->queue);
}

static void grid_not_drained (const grid_picture_t *self, batch_node_t *node)
{
    if (name_list_has (&self->broken, node->node))
        return;
    node->drained = false;
    if (node->up)
        *node->why = '\0';
}

/*  A reservation of ours has disabled the other queues' instances where its own is enabled.
 *  Elsewhere its notes have to be asked. One of another site has the host, also before its queue
 *  opens. */
static void grid_ours_take (void *owner, const grid_instance_t *instance)
{
    grid_picture_t *self = owner;
    char queue [GRID_WORD_BYTES];
    batch_node_t *node = batch_picture_find (self->picture, instance->host);
    if (!node || grid_of_queue (instance->name, self->setup->queue))
        return;
    node->cpus_busy += instance->used;
    if (!grid_is_ours (self->setup, instance)) {
        if (batch_node_claim (node, grid_queue_name (instance->name, queue)))
            name_list_add (&self->broken, node->node, "");
    } else if (grid_state_beyond (instance->state, GRID_PASSES GRID_OURS)) {
        if (node->drained && !name_list_has (&self->broken, node->node))
            grid_state_tell (instance, node->why);
    } else if (strpbrk (instance->state, GRID_OURS) && node->drained)
        name_list_add (&self->unclear, instance->name, "");
    else
        grid_not_drained (self, node);
}

static void grid_picture_clear (grid_picture_t *self)
{
    name_list_clear (&self->calendars);
    name_list_clear (&self->broken);
    name_list_clear (&self->unclear);
}

static bool grid_nodes_look (grid_picture_t *self, char why [WHY_BYTES])
{
    text_auto_t *output = NULL;
    grid_picture_clear (self);
    codec_clear (&batch_picture_codec, self->picture);
    *self->picture = (batch_picture_t){.system = "gridengine"};
    bool good = BATCH_RUN (self->setup, &output, why, "qstat", "-F", "calendar", "-explain", "aAcE",
                           "-xml") == COMMAND_DONE &&
                grid_instances_read (output, grid_node_take, self, why);
    self->picture->gone = self->picture->nodes_count == 0;
    good =
      good && (!self->picture->gone || grid_instances_read (output, grid_orphan_take, self, why));
    batch_picture_sort (self->picture);
    return good && grid_instances_read (output, grid_ours_take, self, why);
}

/*  The notes of the reservations that are unclear. */
static bool grid_notes_look (const grid_picture_t *self, name_list_t *notes, char why [WHY_BYTES])
{
    char queue [BATCH_NAME_BYTES_MAX + 1], last [BATCH_NAME_BYTES_MAX + 1] = "";
    bool good = true;
    for (size_t i = 0; good && i < self->unclear.count; i++) {
        const char *own = self->unclear.words [i];
        snprintf (queue, sizeof queue, "%.*s", (int) strcspn (own, "@"), own);
        good = strcmp (queue, last) == 0 || grid_listed (self->setup, queue, notes, why);
        memcpy (last, queue, sizeof last);
    }
    return good;
}

/*  Both instances are disabled: by us while it opens or closes, else by an operator. Notes of what
 *  we disable are made before, those of what we have enabled go before we disable it; so they are
 *  read before and after the nodes. */
static bool grid_unclear_judge (grid_picture_t *self, char why [WHY_BYTES])
{
    name_list_auto_t before = {0};
    name_list_auto_t after = {0};
    bool good = grid_notes_look (self, &before, why) && grid_nodes_look (self, why) &&
                grid_notes_look (self, &after, why);
    for (size_t i = 0; good && i < self->unclear.count; i++) {
        char site [NAME_BYTES_MAX + BATCH_NAME_BYTES_MAX];
        const char *own = self->unclear.words [i], *host = strchr (own, '@');
        snprintf (site, sizeof site, "%s%s", self->setup->queue, host);
        if ((name_list_has (&before, site) || name_list_has (&after, site)) &&
            !(name_list_has (&before, own) && name_list_has (&after, own)))
            grid_not_drained (self, batch_picture_find (self->picture, host + 1));
    }
    return good;
}

/*  --- its calendars --- */

#define CALENDARS_MAX 64 /* more are closed without end from their first time on */

/*  *read: what it says; one that can't be read is always closed. False: there is no answer. */
static bool grid_calendar_ask (const grid_picture_t *self, const char *name,
                               grid_calendar_t *calendar, bool *read, char why [WHY_BYTES])
{
    text_auto_t *text = NULL;
    command_told_t told = BATCH_RUN (self->setup, &text, why, "qconf", "-scal", name);
    grid_unfold (text);
    text_auto_t *year = grid_value (text, "year"), *week = grid_value (text, "week");
    *read = told == COMMAND_DONE && year && week && grid_calendar_read (year, week, calendar, why);
    if (told != COMMAND_SILENT && !*read)
        wrong (self->picture->trouble, "Grid Engine's calendar %.60s can't be read: %.120s", name,
               why);
    return told != COMMAND_SILENT;
}

/*  The times of a calendar's booking, which is for ever until then. False when it has none. */
static bool grid_calendar_book (const grid_calendar_t *calendar, size_t most,
                                batch_booking_t *booking)
{
    int64_t *times_ms = must (calloc (2 * most, sizeof *times_ms));
    size_t count = grid_calendar_times (calendar, clock_ms (CLOCK_REALTIME), times_ms, most);
    if (count > 0) {
        booking->from_ms = times_ms [0];
        booking->until_ms = times_ms [1];
        booking->again_count = 2 * (count - 1);
        booking->again_ms = must_copy (&times_ms [2], booking->again_count * sizeof *times_ms);
    }
    free (times_ms);
    return count > 0;
}

/*  The bookings of calendars are the picture's first, and the only ones by now. */
static bool grid_calendars_look (grid_picture_t *self, char why [WHY_BYTES])
{
    batch_picture_t *picture = self->picture;
    size_t count = picture->bookings_count;
    bool good = true;
    picture->bookings_count = 0;
    for (size_t i = 0; i < count; i++) {
        batch_booking_t booking = picture->bookings [i];
        grid_calendar_t calendar = {0};
        bool read = false;
        good = good && grid_calendar_ask (self, self->calendars.words [i], &calendar, &read, why);
        if (!read ||
            grid_calendar_book (&calendar, i < CALENDARS_MAX ? BATCH_TIMES_MAX : 1, &booking))
            picture->bookings [picture->bookings_count++] = booking;
        else
            codec_clear (&batch_booking_codec, &booking);
        grid_calendar_clear (&calendar);
    }
    return good;
}

/*  --- jobs --- */

/*  Grid Engine's list of jobs does not tell which may be run again. */
static void grid_job_take (void *owner, const grid_job_t *job)
{
    const grid_picture_t *self = owner;
    const char *host = strchr (job->instance, '@');
    batch_node_t *node = host ? batch_picture_find (self->picture, host + 1) : NULL;
    char queue [GRID_WORD_BYTES];
    if (node)
        node->gpus += job->gpus;
    if (node && !batch_name_ours (self->setup, grid_queue_name (job->instance, queue)))
        batch_node_job (node, job->started_ms, grid_job_until (job), true);
}

static bool grid_look (const batch_setup_t *setup, batch_picture_t *picture, char why [WHY_BYTES])
{
    grid_picture_t self = {.setup = setup, .picture = picture};
    bool good = grid_nodes_look (&self, why) &&
                (self.unclear.count == 0 || grid_unclear_judge (&self, why)) &&
                grid_calendars_look (&self, why) && grid_features_look (setup, picture, why) &&
                grid_advances_look (setup, picture, NULL, why) &&
                grid_jobs_visit (setup, grid_job_take, &self, why);
    picture->reach_ms = picture->longest_ms = good ? grid_longest_ms (setup) : 0;
    grid_picture_clear (&self);
    return good;
}

const batch_system_t gridengine = {
  .name = "gridengine",
  .check = grid_check,
  .charges = grid_charges,
  .look = grid_look,
  .jobs = grid_jobs,
  .submit = grid_submit,
  .signal = grid_signal,
  .keep = grid_keep,
  .compare = grid_compare,
  .close = grid_close,
  .count = grid_count,
  .list = grid_list,
};
