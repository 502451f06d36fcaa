/*  view - one reservation from the records of its participants.
 *
 *  It is "committed" only when every participant has acknowledged (T6): one of them has heard DONE,
 *  or all are at the same version. The latter proves it for a first version, but not for a change:
 *  a participant past its edge has the new version, too, with what it kept of the old one (T10).
 */
#include "view.h"

#include "connections.h"
#include "must.h"
#include "participant_ref.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const part_record_t *newest_of (const view_part_t *parts, size_t count)
{
    const part_record_t *newest = NULL;
    for (size_t i = 0; i < count; i++)
        if (parts [i].record && record_newer (parts [i].record, newest))
            newest = parts [i].record;
    return newest;
}

static const view_part_t *view_part_of (const view_part_t *parts, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp (parts [i].participant, name) == 0)
            return &parts [i];
    return NULL;
}

/*  What the participants of the newest plan say, taken together. */
typedef struct {
    bool silent;
    bool behind; /* one is not at the newest version */
    bool failed;
    bool booked; /* one still books something */
    bool ended;  /* one booked the newest version until its end: it was not released */
    bool done;
    bool awaited; /* one has not given back yet what is released */
} view_tally_t;

static view_tally_t count_parts (view_t *self, const view_part_t *parts, size_t count,
                                 const part_record_t *newest)
{
    view_tally_t tally = {0};
    for (size_t i = 0; i < count; i++) {
        const part_record_t *record = parts [i].record;
        if (!record)
            continue;
        tally.done = tally.done || (record->version == newest->version && record->done);
        tally.failed =
          tally.failed || (record->state == RECORD_FAILED && record->version == newest->version);
        holding_t holding = holding_of (record);
        tally.ended =
          tally.ended || (record->state == RECORD_RELEASED && !holding_empty (&holding) &&
                          record->version == newest->version);
        tally.booked =
          tally.booked || record->state == RECORD_RESERVED || record->state == RECORD_ACTIVATED;
    }
    const plan_t *plan = &newest->plan;
    size_t most = newest->plan_set ? plan->participants_count + plan->awaited_count : 0;
    self->silent = must (calloc (most + 1, sizeof *self->silent));
    for (size_t i = 0; newest->plan_set && i < plan->participants_count; i++) {
        const char *name = plan->participants [i].name;
        if (strcmp (name, plan->home) == 0)
            continue;
        const view_part_t *part = view_part_of (parts, count, name);
        if (!part || !part->answered) {
            self->silent [self->silent_count++] = name;
            tally.silent = true;
        } else if (!part->record || part->record->version != newest->version)
            tally.behind = true;
    }
    for (size_t i = 0; newest->plan_set && i < plan->awaited_count; i++) {
        const view_part_t *part = view_part_of (parts, count, plan->awaited [i].name);
        if (part && part->answered && (!part->record || part_record_over (part->record)))
            continue;
        self->silent [self->silent_count++] = plan->awaited [i].name;
        tally.awaited = true;
    }
    return tally;
}

static show_status_t view_judge (const view_tally_t *tally, const part_record_t *newest,
                                 bool *doubt)
{
    *doubt = false;
    show_status_t over = tally->ended ? SHOW_ENDED : SHOW_RELEASED;
    if (newest->version == 0)
        return SHOW_PENDING;
    if (tally->awaited)
        return SHOW_RELEASING;
    if (tally->failed && !tally->booked)
        return SHOW_FAILED;
    if (!tally->booked && !tally->behind && !tally->silent)
        return over;
    if (tally->done)
        return tally->booked ? SHOW_COMMITTED : over;
    if (tally->silent)
        return SHOW_UNKNOWN;
    if (tally->failed || tally->behind || !newest->plan_set)
        return SHOW_COMMITTING;
    *doubt = newest->plan.operation == OPERATION_MODIFY;
    return *doubt ? SHOW_COMMITTING : SHOW_COMMITTED;
}

static void view_span (view_t *self, int64_t from_ms, int64_t until_ms)
{
    if (self->start_ms == 0 || from_ms < self->start_ms)
        self->start_ms = from_ms;
    if (until_ms > self->end_ms)
        self->end_ms = until_ms;
}

/*  A file's circuit ends before the reservation begins. */
static bool of_file (const part_record_t *records, size_t count, const char *need)
{
    for (size_t i = 0; i < count; i++)
        for (size_t b = 0; b < records [i].space_count; b++)
            if (strcmp (records [i].space [b].need, need) == 0)
                return true;
    return false;
}

static void span_record (view_t *self, const part_record_t *record, const part_record_t *records,
                         size_t count)
{
    for (size_t i = 0; i < record->bookings_count; i++)
        view_span (self, record->bookings [i].from_ms, record->bookings [i].until_ms);
    for (size_t i = 0; i < record->circuits_count; i++)
        if (!of_file (records, count, record->circuits [i].need))
            view_span (self, record->circuits [i].from_ms, record->circuits [i].until_ms);
}

static void view_add_placements (view_t *self, const part_record_t *record)
{
    self->compute = must (realloc (
      self->compute, (self->compute_count + record->bookings_count + 1) * sizeof *self->compute));
    for (size_t i = 0; i < record->bookings_count; i++) {
        const compute_booking_t *booking = &record->bookings [i];
        placement_t *placement = &self->compute [self->compute_count++];
        *placement = (placement_t){
          .cpus = booking->cpus, .from_ms = booking->from_ms, .until_ms = booking->until_ms};
        snprintf (placement->need, sizeof placement->need, "%s", booking->need);
        snprintf (placement->site, sizeof placement->site, "%s",
                  participant_ref_short_name (record->participant));
        snprintf (placement->class_name, sizeof placement->class_name, "%s", booking->class_name);
    }
}

/*  Where its files and its room are, and how far the files are there. */
static void view_add_rooms (view_t *self, const part_record_t *record)
{
    const char *site = participant_ref_short_name (record->participant);
    self->data = must (
      reallocarray (self->data, self->data_count + record->space_count + 1, sizeof *self->data));
    for (size_t i = 0; i < record->space_count; i++)
        self->data [self->data_count++] = room_of (&record->space [i], site);
    if (record->staged_count > 0)
        self->staging [self->staging_count++] =
          (site_staging_t){site, record->staged, record->staged_count};
}

/*  The request that it was made for; false when it is not on record. */
static bool view_read_request (const part_record_t *newest, user_request_t *request)
{
    char why [WHY_BYTES];
    if (plan_user_request (&newest->plan, request, why) && user_request_check (request, why))
        return true;
    user_request_clear (request);
    return false;
}

/*  A pending first version books nothing yet. If its request names the start, as a site's own
 *  commands do, the view shows what it asks for. */
static void add_wanted (view_t *self, const user_request_t *request)
{
    if (!request->window.start.set || request->window.start.from_now)
        return;
    self->compute =
      must (realloc (self->compute, (request->compute_count + 1) * sizeof *self->compute));
    self->compute_count = 0;
    for (size_t i = 0; i < request->compute_count; i++) {
        const compute_need_t *need = &request->compute [i];
        placement_t *placement = &self->compute [self->compute_count++];
        int64_t from_ms = request->window.start.ms + need->offset_ms;
        *placement = (placement_t){
          .cpus = need->cpus, .from_ms = from_ms, .until_ms = from_ms + need_duration (request, i)};
        snprintf (placement->need, sizeof placement->need, "%s", need->id);
        snprintf (placement->site, sizeof placement->site, "%s", need->site);
        view_span (self, placement->from_ms, placement->until_ms);
    }
}

static void add_connections (view_t *self, const part_record_t *const *records, size_t count,
                             const part_record_t *newest, const graph_t *graph)
{
    user_request_t request;
    bool known = view_read_request (newest, &request);
    if (known)
        memcpy (self->name, request.name, sizeof self->name);
    if (known && newest->version == 0)
        add_wanted (self, &request);
    self->network =
      connections_gather (records, count, known ? &request : NULL, graph, &self->network_count);
    user_request_clear (&request);
}

static void view_add_part (view_t *self, const part_record_t *record)
{
    part_record_t *part = &self->parts [self->parts_count++];
    *part = *record;
    part->opening = (packed_t){0};
    part->plan.request = NULL;
    part->plan.request_size = 0;
    if (record->opening.size > 0)
        self->openings [self->openings_count++] =
          (site_opening_t){participant_ref_short_name (record->participant), record->opening};
    if (record->circuit_state != 0)
        self->circuits [self->circuits_count++] = (domain_circuits_t){
          participant_ref_short_name (record->participant), record->circuit_state,
          record->circuit_trouble, record->circuit_wait_us};
    if (record->lacking)
        self->lacking [self->lacking_count++] = record->participant;
}

static void add_details (view_t *self, const part_record_t *shown, size_t count,
                         const view_part_t *parts, const part_record_t *newest,
                         const graph_t *graph)
{
    const part_record_t **records = must (calloc (count + 1, sizeof *records));
    self->owner = newest->owner;
    self->parts = must (calloc (count + 1, sizeof *self->parts));
    self->openings = must (calloc (count + 1, sizeof *self->openings));
    self->staging = must (calloc (count + 1, sizeof *self->staging));
    self->circuits = must (calloc (count + 1, sizeof *self->circuits));
    self->lacking = must (calloc (count + 1, sizeof *self->lacking));
    for (size_t i = 0, part = 0; i < count; i++, part++) {
        records [i] = &shown [i];
        view_add_placements (self, records [i]);
        view_add_rooms (self, records [i]);
        while (!parts [part].record)
            part++;
        view_add_part (self, parts [part].record);
    }
    add_connections (self, records, count, newest, graph);
    free (records);
}

/*  With what it had, when that was given back early. */
static part_record_t view_shown (const part_record_t *record)
{
    part_record_t shown = *record;
    holding_t now = holding_of (record), was = record->was;
    if (record->state != RECORD_RELEASED || !holding_empty (&now))
        return shown;
    shown.bookings = was.bookings, shown.bookings_count = was.bookings_count;
    shown.circuits = was.circuits, shown.circuits_count = was.circuits_count;
    shown.space = was.space, shown.space_count = was.space_count;
    return shown;
}

const part_record_t *view_build (view_t *self, const view_part_t *parts, size_t count,
                                 const read_request_t *asker, const graph_t *graph)
{
    const part_record_t *newest = newest_of (parts, count);
    assert (newest);
    *self = (view_t){.reservation = newest->reservation,
                     .owner = "",
                     .hidden = asker && !read_request_may_see (asker, newest->owner),
                     .version = newest->version,
                     .state = newest->state};
    view_tally_t tally = count_parts (self, parts, count, newest);
    bool doubt;
    self->status = view_judge (&tally, newest, &doubt);
    part_record_t *shown = self->shown = must (calloc (count, sizeof *shown));
    size_t shown_count = 0;
    for (size_t i = 0; i < count; i++) {
        const part_record_t *record = parts [i].record;
        if (!record)
            continue;
        if (record->state == RECORD_ACTIVATED && self->state == RECORD_RESERVED)
            self->state = RECORD_ACTIVATED;
        shown [shown_count++] = view_shown (record);
    }
    for (size_t i = 0; i < shown_count; i++)
        span_record (self, &shown [i], shown, shown_count);
    if (self->hidden)
        self->silent_count = 0; /* their names would tell where it is */
    else
        add_details (self, shown, shown_count, parts, newest, graph);
    return doubt ? newest : NULL;
}

const part_record_t *view_located (view_t *self, const locate_t *locate,
                                   const read_request_t *asker, const graph_t *graph)
{
    view_part_t *parts = must (calloc (locate->count, sizeof *parts));
    for (size_t i = 0; i < locate->count; i++) {
        const located_part_t *part = &locate->parts [i];
        parts [i] = (view_part_t){.participant = part->party.name,
                                  .answered = part->answered,
                                  .record = part->known ? &part->record : NULL};
    }
    const part_record_t *doubted = view_build (self, parts, locate->count, asker, graph);
    free (parts);
    return doubted;
}
