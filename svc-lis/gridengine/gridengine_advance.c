/*  gridengine_advance - advance reservations. What others have is booked; one of ours keeps all
 *  slots of the site's queue on the hosts of a reservation that is named, until its own queue opens
 *  there.
 *
 *  Grid Engine can't change one, so another is made: beside the old one, or in its place where both
 *  want the same slots.
 */
#include "gridengine_queue.h"

#include "must.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LONGER_MS  60000 /* that Grid Engine gives each job beyond its limit: its duration_offset */
#define TIME_BYTES 20

/*  That of an order, as it is found. */
typedef struct {
    const back_end_order_t *order;
    bool there;         /* one is as it should be */
    name_list_t others; /* ids of those of its name that are not */
} grid_own_t;

/*  A look at all that there are, for one of several ends. */
typedef struct {
    const batch_setup_t *setup;
    name_list_t ids;
    batch_picture_t *picture; /* others' are booked there */
    name_list_t *names;       /* ours are added there */
    grid_own_t *owns;         /* ours are compared with these */
    size_t owns_count;
    batch_way_t way;       /* of one */
    name_list_t instances; /* of the site's queue on its hosts, */
    uint32_t slots;        /* and what they have */
} grid_advances_t;

/*  --- what there is --- */

static void grid_advance_note (void *owner, const grid_advance_t *advance)
{
    grid_advances_t *self = owner;
    name_list_add (&self->ids, advance->id, "");
}

static bool grid_advances_ask (grid_advances_t *self, const char *option, const char *which,
                               grid_advance_fn *visit, char why [WHY_BYTES])
{
    text_auto_t *output = NULL;
    return BATCH_RUN (self->setup, &output, why, "qrstat", option, which, "-xml") == COMMAND_DONE &&
           grid_advances_read (output, visit, self, why);
}

/*  One question for which there are, and one for all that these have. One that has gone in between
 *  is not told. */
static bool grid_advances_visit (grid_advances_t *self, grid_advance_fn *visit,
                                 char why [WHY_BYTES])
{
    bool good = grid_advances_ask (self, "-u", "*", grid_advance_note, why);
    text_auto_t *ids = name_list_text (&self->ids, ',');
    if (good && self->ids.count > 0)
        good = grid_advances_ask (self, "-ar", ids, visit, why);
    name_list_clear (&self->ids);
    return good;
}

/*  Its hosts in the site's queue. */
static void grid_advance_hosts (const grid_advances_t *self, const grid_advance_t *advance,
                                name_list_t *hosts)
{
    for (size_t i = 0; i < advance->instances->count; i++)
        if (grid_of_queue (advance->instances->words [i], self->setup->queue))
            name_list_add (hosts, strchr (advance->instances->words [i], '@') + 1, "");
}

/*  --- others' --- */

/*  Another site's, in whichever queue, claims its hosts before its own queue is there. */
static void grid_advance_claim (const batch_picture_t *picture, const grid_advance_t *advance)
{
    for (size_t i = 0; i < advance->instances->count; i++) {
        const char *at = strchr (advance->instances->words [i], '@');
        batch_node_t *node = at ? batch_picture_find (picture, at + 1) : NULL;
        if (node)
            batch_node_claim (node, advance->name);
    }
}

/*  One whose times can't be read, which are 0 then, is always there. */
static void grid_advance_take (void *owner, const grid_advance_t *advance)
{
    grid_advances_t *self = owner;
    batch_picture_t *picture = self->picture;
    bool ours = batch_name_ours (self->setup, advance->name) != NULL;
    bool read = advance->from_ms > 0 && advance->from_ms < advance->until_ms;
    char name [NAME_BYTES_MAX + 1];
    name_list_auto_t hosts = {0};
    grid_advance_hosts (self, advance, &hosts);
    if (hosts.count > 0 && ours && self->names)
        name_list_add (self->names, advance->name, "");
    if (!ours && picture)
        grid_advance_claim (picture, advance);
    if (hosts.count == 0 || ours || !picture)
        return;
    snprintf (name, sizeof name, "ar-%.32s", advance->id);
    if (picture->bookings_count >= BATCH_BOOKINGS_MAX) {
        wrong (picture->trouble, "Grid Engine has more than %d of others' reservations",
               BATCH_BOOKINGS_MAX);
        return;
    }
    if (!read)
        wrong (picture->trouble, "the times of Grid Engine's %.60s can't be read", name);
    batch_booking_t *booking = batch_picture_booking (picture, name, read ? advance->from_ms : 0,
                                                      read ? advance->until_ms : BATCH_FOREVER_MS);
    for (size_t i = 0; i < hosts.count; i++)
        batch_booking_node (booking, hosts.words [i]);
}

bool grid_advances_look (const batch_setup_t *setup, batch_picture_t *picture, name_list_t *names,
                         char why [WHY_BYTES])
{
    grid_advances_t self = {.setup = setup, .picture = picture, .names = names};
    return grid_advances_visit (&self, grid_advance_take, why);
}

/*  --- ours --- */

static void grid_way_advance (grid_advances_t *self, const back_end_order_t *order,
                              const grid_advance_t *advance, const name_list_t *hosts)
{
    bool meets = advance->from_ms < order->until_ms && order->from_ms < advance->until_ms;
    for (size_t i = 0; meets && i < order->nodes_count; i++)
        if (name_list_has (hosts, order->nodes [i]))
            batch_way_note (&self->way, advance->until_ms, "Grid Engine's advance reservation",
                            advance->id, advance->owner);
}

/*  It is told in whole seconds, none too few. */
static void grid_owns_take (void *owner, const grid_advance_t *advance)
{
    grid_advances_t *self = owner;
    name_list_auto_t hosts = {0};
    grid_advance_hosts (self, advance, &hosts);
    for (size_t i = 0; i < self->owns_count; i++) {
        grid_own_t *own = &self->owns [i];
        const back_end_order_t *order = own->order;
        if (strcmp (order->reservation, advance->name) != 0) {
            grid_way_advance (self, order, advance, &hosts);
            continue;
        }
        bool is = !own->there && hosts.count == order->nodes_count &&
                  advance->from_ms == order->from_ms / 1000 * 1000 &&
                  advance->until_ms == (order->until_ms + 999) / 1000 * 1000;
        for (size_t k = 0; is && k < order->nodes_count; k++)
            is = name_list_has (&hosts, order->nodes [k]);
        own->there = own->there || is;
        if (!is)
            name_list_add (&own->others, advance->id, "");
    }
}

static bool grid_own_look (grid_advances_t *self, char why [WHY_BYTES])
{
    self->owns->there = false;
    name_list_clear (&self->owns->others);
    return grid_advances_visit (self, grid_owns_take, why);
}

bool grid_advance_remove (const batch_setup_t *setup, const char *which, char why [WHY_BYTES])
{
    return BATCH_RUN (setup, NULL, why, "qrdel", which) == COMMAND_DONE ||
           strstr (why, "does not exist");
}

static bool grid_others_remove (const grid_advances_t *self, char why [WHY_BYTES])
{
    text_auto_t *ids = name_list_text (&self->owns->others, ',');
    return !*ids || grid_advance_remove (self->setup, ids, why);
}

static void grid_way_job (void *owner, const grid_job_t *job)
{
    grid_advances_t *self = owner;
    int64_t until_ms = grid_job_until (job);
    if (until_ms + LONGER_MS > self->owns->order->from_ms &&
        name_list_has (&self->instances, job->instance))
        batch_way_note (&self->way, until_ms, "Grid Engine's job", job->id, job->owner);
}

/*  --- made --- */

static void grid_slots_take (void *owner, const grid_instance_t *instance)
{
    grid_advances_t *self = owner;
    if (name_list_has (&self->instances, instance->name))
        self->slots += instance->total;
}

static const char *grid_time_text (int64_t ms, char text [TIME_BYTES])
{
    struct tm parts;
    time_t s = (time_t) (ms / 1000);
    strftime (text, TIME_BYTES, "%Y%m%d%H%M.%S", gmtime_r (&s, &parts));
    return text;
}

/*  Silent also when the site's queue gives no way to ask for it: what there is stays. */
static command_told_t grid_own_make (grid_advances_t *self, char why [WHY_BYTES])
{
    const back_end_order_t *order = self->owns->order;
    char from [TIME_BYTES], until [TIME_BYTES], said [WHY_BYTES];
    text_auto_t *output = NULL;
    text_auto_t *environment = grid_environment (self->setup, true, why);
    self->slots = 0;
    if (!environment ||
        BATCH_RUN (self->setup, &output, why, "qstat", "-f", "-xml") != COMMAND_DONE ||
        !grid_instances_read (output, grid_slots_take, self, why))
        return COMMAND_SILENT;
    text_auto_t *where = name_list_text (&self->instances, ',');
    text_auto_t *slots = must_print ("%" PRIu32, self->slots);
    command_told_t told = BATCH_RUN (self->setup, NULL, said, "qrsub", "-N", order->reservation,
                                     "-a", grid_time_text (order->from_ms, from), "-e",
                                     grid_time_text (order->until_ms + 999, until), "-u",
                                     order->account, "-q", where, "-pe", environment, slots);
    if (told != COMMAND_DONE)
        wrong (why,
               "Grid Engine gives no advance reservation of %s slots by its parallel environment "
               "%.40s: %.100s",
               slots, environment, said);
    return told;
}

/*  Not in the place of another one before it was refused beside it. What is in its way is told
 *  where it can be seen, else Grid Engine's own words. */
static bool grid_own_put (grid_advances_t *self, char why [WHY_BYTES])
{
    char asked [WHY_BYTES];
    command_told_t told = grid_own_make (self, why);
    if (told == COMMAND_REFUSED && self->owns->others.count > 0)
        told = grid_others_remove (self, why) ? grid_own_make (self, why) : COMMAND_SILENT;
    if (told == COMMAND_REFUSED && grid_jobs_visit (self->setup, grid_way_job, self, asked) &&
        self->way.until_ms > 0)
        wrong (why, "%s", self->way.what);
    return told == COMMAND_DONE && grid_own_look (self, why) &&
           (self->owns->there || wrong (why, "Grid Engine has lost the advance reservation %.80s",
                                        self->owns->order->reservation));
}

bool grid_advance_keep (const batch_setup_t *setup, const back_end_order_t *order,
                        char why [WHY_BYTES])
{
    grid_own_t own = {.order = order};
    grid_advances_t self = {.setup = setup, .owns = &own, .owns_count = 1};
    text_auto_t *prefix = must_print ("%s@", setup->queue);
    for (size_t i = 0; i < order->nodes_count; i++)
        name_list_add (&self.instances, order->nodes [i], prefix);
    bool good = grid_own_look (&self, why) && (own.there || grid_own_put (&self, why)) &&
                grid_others_remove (&self, why);
    name_list_clear (&self.instances);
    name_list_clear (&own.others);
    return good;
}

/*  --- are they still so? --- */

bool grid_compare (const batch_setup_t *setup, const back_end_order_t *orders, size_t count,
                   char **differ, char why [WHY_BYTES])
{
    grid_own_t *owns = must (calloc (count + 1, sizeof *owns));
    grid_advances_t self = {.setup = setup, .owns = owns, .owns_count = count};
    for (size_t i = 0; i < count; i++)
        owns [i].order = &orders [i];
    bool good = grid_advances_visit (&self, grid_owns_take, why);
    for (size_t i = 0; i < count; i++) {
        char what [WHY_BYTES];
        wrong (what, "Grid Engine's advance reservation %.80s is gone, or another",
               orders [i].reservation);
        if (good && (!owns [i].there || owns [i].others.count > 0))
            batch_differ_add (differ, setup, &orders [i], what);
        name_list_clear (&owns [i].others);
    }
    free (owns);
    return good;
}
