/*  nodes_batch - the places of a site with a batch system follow the picture that its agent tells.
 *
 *      up there -> up       down there, or not there -> lost       no answer -> silent
 *      not heard there -> silent, and lost_ms later lost
 *      not told, where a picture tells only what is known -> silent
 *
 *  A node with fewer CPUs or GPUs there than its class sells, or without its features, counts as
 *  drained; more CPUs are the site's choice, of cores or of threads. While nothing there is up and
 *  not drained, the place of the batch system counts as drained, too: tasks would only wait there,
 *  or be refused.
 *
 *  What the batch system says of a node counts at once, as it has timeouts of its own. Silence says
 *  nothing: a node that was lost stays lost, and any other may well go on. So does one that is not
 *  heard there, as none is just after the batch system's own start. What others have booked
 *  there is stored with the place of the batch system, so that it counts from the start.
 */
#include "nodes_state.h"

#include "must.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t nodes_batch (const nodes_t *self)
{
    return self->batch;
}

const batch_picture_t *nodes_picture (const nodes_t *self)
{
    return self->picture;
}

const char *nodes_batch_silent (const nodes_t *self)
{
    if (self->batch == NODE_NONE)
        return NULL;
    if (self->places [self->batch].agent.state != AGENT_UP)
        return "the agent of the batch system is silent";
    if (!self->picture || self->picture->seen_ms == 0)
        return "the batch system has not been looked at yet";
    return *self->picture->why ? self->picture->why : NULL;
}

bool nodes_batch_unseen (const nodes_t *self)
{
    return self->unseen;
}

/*  Until when jobs have that node which don't make way; 0 = none has. */
static int64_t jobs_until (const nodes_t *self, const batch_node_t *node)
{
    return !node || self->limits.clear == CLEAR_END ? 0
           : self->limits.clear == CLEAR_REQUEUE    ? node->firm_until_ms
                                                    : node->busy_until_ms;
}

bool nodes_booked (const nodes_t *self, size_t node, int64_t from_ms, int64_t until_ms, bool jobs)
{
    size_t count = self->picture ? self->picture->bookings_count : 0;
    if (jobs && jobs_until (self, self->places [node].told) > from_ms)
        return true;
    for (size_t i = 0; i < count && !self->picture->bookings [i].jobs; i++) {
        const batch_booking_t *booking = &self->picture->bookings [i];
        int64_t booked_ms, ends_ms;
        bool over = false;
        for (size_t time = 0;
             batch_booking_next (booking, &time, &booked_ms, &ends_ms) && booked_ms < until_ms;)
            over = over || ends_ms > from_ms;
        for (size_t k = 0; over && k < booking->nodes_count; k++)
            if (strcmp (booking->nodes [k], self->places [node].name) == 0)
                return true;
    }
    return false;
}

/*  --- following --- */

static agent_state_t state_told (const nodes_t *self, const node_state_t *place)
{
    if (!self->picture || self->picture->seen_ms == 0)
        return place->agent.state; /* nothing was ever seen */
    bool silent = place->told ? place->told->silent : self->picture->partial;
    if (!(place->told && place->told->up) && !(silent && place->agent.state != AGENT_LOST))
        return AGENT_LOST;
    return silent || nodes_batch_silent (self) ? AGENT_SILENT : AGENT_UP;
}

/*  Has the batch system answered, and not heard the node, for so long that it counts as lost? */
static bool place_unheard (const nodes_t *self, const moment_t *now, node_state_t *place)
{
    bool unheard = place->told && place->told->silent && !nodes_batch_silent (self);
    if (!unheard)
        place->unheard_since_ms = 0;
    else if (place->unheard_since_ms == 0)
        place->unheard_since_ms = now->mono_ms;
    return unheard && now->mono_ms - place->unheard_since_ms >= self->limits.lost_ms;
}

static void place_follow (nodes_t *self, const moment_t *now, size_t node)
{
    node_state_t *place = &self->places [node];
    agent_state_t from = place->agent.state;
    agent_state_t to = place_unheard (self, now, place) ? AGENT_LOST : state_told (self, place);
    bool taken_out = place->told && place->told->drained;
    bool moved = to != from || taken_out != place->taken_out;
    place->taken_out = taken_out;
    place->agent.state = to;
    if (to == AGENT_UP)
        place->agent.heard_wall_ms = self->picture->seen_ms;
    if (!moved)
        return;
    outbox_log (self->service->outbox, to == AGENT_LOST ? LEVEL_WARNING : LEVEL_INFO,
                "node %s %s->%s%s why=\"%s\"", place->name, agent_state_word (from),
                agent_state_word (to), taken_out ? " drained" : "", nodes_at (self, node).why);
    service_count (self->service, "nodes_up", (to == AGENT_UP) - (from == AGENT_UP));
    nodes_tell_place (self, now, node);
}

void nodes_batch_follow (nodes_t *self, const moment_t *now)
{
    bool usable = !self->picture || self->picture->seen_ms == 0;
    for (size_t i = 0; i < self->places_count; i++) {
        if (i == self->batch)
            continue;
        place_follow (self, now, i);
        usable =
          usable || (self->places [i].agent.state != AGENT_LOST && !self->places [i].taken_out);
    }
    self->places [self->batch].taken_out = !usable;
    nodes_tell_place (self, now, self->batch);
}

static bool bookings_same (const batch_picture_t *one, const batch_picture_t *other)
{
    size_t count = one ? one->bookings_count : 0;
    bool same = count == other->bookings_count;
    for (size_t i = 0; same && i < count; i++)
        same = codec_same (&batch_booking_codec, &one->bookings [i], &other->bookings [i]);
    return same;
}

void nodes_picture_forget (nodes_t *self)
{
    for (size_t i = 0; i < self->places_count; i++)
        self->places [i].told = NULL;
    if (self->picture)
        codec_clear (&batch_picture_codec, self->picture);
    free (self->picture);
    self->picture = NULL;
}

static void picture_judge (const nodes_t *self, batch_picture_t *picture)
{
    for (size_t i = 0; i < picture->nodes_count; i++) {
        size_t node;
        batch_node_t *told = &picture->nodes [i];
        if (nodes_find (self, told->node, &node) && node != self->batch &&
            !batch_node_fits (picture, told, &self->site->classes [self->places [node].class],
                              told->why))
            told->drained = true;
    }
}

typedef struct {
    const char *node;
    int64_t since_ms;
    int64_t until_ms;
} jobs_there_t;

static int jobs_there_compare (const void *one, const void *other)
{
    const jobs_there_t *a = one, *b = other;
    if (a->until_ms != b->until_ms)
        return a->until_ms < b->until_ms ? -1 : 1;
    return strcmp (a->node, b->node);
}

/*  The nodes on which jobs run that don't make way, those of one end together, behind all
 *  others. */
static void picture_jobs_book (const nodes_t *self, batch_picture_t *picture)
{
    jobs_there_t *there = must (calloc (picture->nodes_count + 1, sizeof *there));
    batch_booking_t *booking = NULL;
    size_t count = 0;
    for (size_t i = 0; i < picture->nodes_count; i++) {
        const batch_node_t *node = &picture->nodes [i];
        int64_t until_ms = jobs_until (self, node);
        if (node->busy_since_ms < until_ms)
            there [count++] = (jobs_there_t){node->node, node->busy_since_ms, until_ms};
    }
    qsort (there, count, sizeof *there, jobs_there_compare);
    for (size_t i = 0; i < count; i++) {
        if (booking && booking->until_ms == there [i].until_ms) {
            booking->from_ms =
              there [i].since_ms < booking->from_ms ? there [i].since_ms : booking->from_ms;
        } else if (picture->bookings_count < BATCH_BOOKINGS_MAX) {
            booking =
              batch_picture_booking (picture, "jobs", there [i].since_ms, there [i].until_ms);
            booking->jobs = true;
        } else {
            wrong (picture->trouble, "there are more than %d times at which nodes are taken",
                   BATCH_BOOKINGS_MAX);
            break;
        }
        batch_booking_node (booking, there [i].node);
    }
    free (there);
}

/*  Nothing can be reserved where no job has an end within the horizon. */
static void picture_full_tell (const nodes_t *self, batch_picture_t *picture)
{
    int64_t horizon_ms = picture->seen_ms + self->site->horizon_ms;
    size_t there = 0, free = 0;
    for (size_t i = 0; i < picture->nodes_count; i++) {
        const batch_node_t *node = &picture->nodes [i];
        bool usable = (node->up || node->silent) && !node->drained;
        there += usable;
        free += usable && jobs_until (self, node) < horizon_ms;
    }
    if (there > 0 && free == 0 && !*picture->trouble)
        wrong (picture->trouble,
               "jobs that may run beyond the horizon are on all of %zu nodes, so nothing can be "
               "reserved: give jobs a limit there, or set opening/clear = %send",
               there, self->limits.clear == CLEAR_REQUEUE ? "" : "requeue or ");
}

void nodes_batch_take (nodes_t *self, const moment_t *now, batch_picture_t **picture)
{
    picture_judge (self, *picture);
    picture_jobs_book (self, *picture);
    picture_full_tell (self, *picture);
    if (self->picture && codec_same (&batch_picture_codec, self->picture, *picture))
        return;
    if (self->picture &&
        (*picture)->seen_ms == 0) { /* its agent has started anew, and seen nothing */
        memcpy (self->picture->why, (*picture)->why, sizeof self->picture->why);
        nodes_batch_follow (self, now);
        return;
    }
    self->unseen = self->unseen && (*picture)->seen_ms == 0;
    bool booked = !bookings_same (self->picture, *picture);
    if (strcmp (self->picture ? self->picture->trouble : "", (*picture)->trouble) != 0)
        outbox_log (self->service->outbox, LEVEL_WARNING, "batch system trouble=\"%s\"",
                    (*picture)->trouble);
    nodes_picture_forget (self);
    self->picture = *picture;
    *picture = NULL;
    if (booked)
        nodes_place_store (self, self->batch);
    for (size_t i = 0; i < self->picture->nodes_count; i++) {
        size_t node;
        if (nodes_find (self, self->picture->nodes [i].node, &node) && node != self->batch)
            self->places [node].told = &self->picture->nodes [i];
    }
    nodes_batch_follow (self, now);
}

void nodes_batch_load (nodes_t *self, stored_node_t *kept)
{
    if (!self->picture)
        self->picture = must (calloc (1, sizeof *self->picture));
    self->picture->bookings = kept->bookings;
    self->picture->bookings_count = kept->bookings_count;
    kept->bookings = NULL;
    kept->bookings_count = 0;
}

/*  Before its agent has ever come, nothing is known to be there. */
void nodes_batch_start (nodes_t *self)
{
    self->unseen = !self->places [self->batch].agent.came;
    for (size_t i = 0; i < self->places_count; i++)
        if (i != self->batch && !self->places [self->batch].agent.came)
            self->places [i].agent.state = AGENT_LOST;
}
