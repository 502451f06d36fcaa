/*  change - modify and release: a reservation is located and changed from its version to the next
 *  one (T11).
 *
 *  Before a change begins, all participants of the reservation must answer and agree. While another
 *  change is in progress, it is located again after a pause.
 */
#include "candidates.h"
#include "least.h"
#include "member.h"
#include "participant_ref.h"
#include "phases.h"
#include "planner_wire.h"
#include "planning.h"
#include "proposal.h"
#include "repair_attempt.h"
#include "stages.h"
#include "timetext.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOCATES_MAX 16 /* how often a reservation that is changing is located */
#define SILENT_MAX  2  /* the same, while a participant is silent */

static void change_end (pending_t *self, const moment_t *now, pending_step_t step,
                        const char *resource, const char *why)
{
    answer_reason (&self->answer, "", resource, "%s", why);
    pending_go (self, now, step);
}

/*  How to end because of one participant. If that one has answered, the request is refused, except
 *  a release: no participant can make it fail for good (R11). */
static pending_step_t end_step (operation_t operation, locate_verdict_t verdict)
{
    return operation == OPERATION_RELEASE || verdict == LOCATED_SILENT || verdict == LOCATED_UNSURE
             ? STEP_DOUBT
             : STEP_GIVE_UP;
}

/*  Says "network domain N does not answer, …"; or of a change in the way, if a participant names
 *  it, "change 3fa9c2d1-7-42 (modify) … is pending at site ams". Returns the participant. */
static const char *blame (const locate_t *locate, const char *what, char why [WHY_BYTES])
{
    char txid [TXID_TEXT_BYTES], words [PARTICIPANT_REF_WORDS_BYTES];
    for (size_t i = 0; i < locate->count && locate->verdict == LOCATED_CHANGING; i++) {
        const located_part_t *part = &locate->parts [i];
        if (!part->known || !part->record.pending_set)
            continue;
        snprintf (why, WHY_BYTES, "change %s (%s) of the reservation is pending at %s",
                  txid_text (&part->record.pending, txid),
                  operation_words [part->record.pending_operation],
                  participant_ref_words (part->party.name, words));
        return part->party.name;
    }
    snprintf (why, WHY_BYTES, "%s %s", participant_ref_words (locate->culprit, words), what);
    return locate->culprit;
}

/*  --- modify --- */

/*  A change in the making: what it is made of, all borrowed; the reservation as it was before; and
 *  the request as it will be. */
typedef struct {
    const locate_t *locate;
    const request_patch_t *patch;
    const planner_settings_t *settings;
    const directory_t *directory;
    const lessons_t *lessons;
    int64_t wall_ms;       /* by our clock */
    int64_t latest_ms;     /* it may be as late as that */
    int64_t soonest_ms;    /* before this nothing new can begin */
    user_request_t before; /* its request; owned */
    int64_t start_ms;
    bool begun;      /* some of its bookings */
    int64_t lead_ms; /* longest lead of all participants, and of any that may join */
    user_request_t *request;
    bool keeps_start;
} modify_t;

/*  Find the start from the earliest bookings, and whether it has passed. False: nothing is booked.
 */
static bool find_start (modify_t *self)
{
    self->start_ms = INT64_MAX;
    for (size_t i = 0; i < self->locate->count; i++) {
        const part_record_t *record = &self->locate->parts [i].record;
        for (size_t b = 0; b < record->bookings_count && !part_record_over (record); b++) {
            const compute_booking_t *booking = &record->bookings [b];
            size_t need = user_request_need (&self->before, booking->need);
            if (need == SIZE_MAX)
                continue;
            int64_t start_ms = booking->from_ms - compute_first (&self->before, need);
            self->start_ms = start_ms < self->start_ms ? start_ms : self->start_ms;
            self->begun = self->begun || booking->from_ms <= self->wall_ms;
        }
    }
    return self->start_ms < INT64_MAX;
}

static int64_t find_lead (const modify_t *self)
{
    static const char *const kinds [] = {"lis", "nis", "replica"};
    int64_t lead_ms = 0;
    for (size_t i = 0; i < self->locate->count; i++)
        if (self->locate->parts [i].known)
            lead_ms = greatest (lead_ms, participant_ref_lead_ms (directory_find (
                                           self->directory, self->locate->parts [i].party.name)));
    for (size_t i = 0; i < self->lessons->count; i++)
        lead_ms = greatest (lead_ms, self->lessons->list [i].lead_ms);
    const user_request_t *added = &self->patch->added;
    bool joins =
      added->compute_count + added->network_count + added->data_count + added->space_count > 0;
    for (size_t k = 0; joins && k < sizeof kinds / sizeof kinds [0]; k++) {
        const directory_entry_t *entry = directory_next (self->directory, kinds [k], NULL);
        for (; entry; entry = directory_next (self->directory, kinds [k], entry))
            lead_ms = greatest (lead_ms, participant_ref_lead_ms (entry));
    }
    return lead_ms;
}

/*  Does the new window allow the present start? */
static bool admits_start (const modify_t *self)
{
    user_request_t fixed = {.window = self->patch->window};
    user_request_fix (&fixed, self->settings, self->wall_ms);
    const frame_t *window = &fixed.window;
    bool earliest = !window->earliest.set || window->earliest.ms <= self->start_ms;
    return (!window->start.set || window->start.ms == self->start_ms) && earliest &&
           (!window->latest.set || window->latest.ms >= self->start_ms);
}

/*  A reservation that has begun keeps its start: only what lies ahead can be changed (R10). */
static bool stays_begun (const modify_t *self, char why [WHY_BYTES])
{
    char start [TIMETEXT_BYTES];
    return !self->patch->window_set || admits_start (self) ||
           wrong (
             why,
             "it began at %s and can't be moved any more: only its end, CPUs and bandwidth can "
             "be changed",
             timetext_format (self->start_ms, start));
}

/*  A need that has begun stays at its site. */
static bool sites_stay (const modify_t *self, char why [WHY_BYTES])
{
    for (size_t i = 0; i < self->locate->count; i++) {
        const located_part_t *part = &self->locate->parts [i];
        const char *here = participant_ref_short_name (part->party.name);
        for (size_t b = 0; b < part->record.bookings_count && !part_record_over (&part->record);
             b++) {
            const compute_booking_t *booking = &part->record.bookings [b];
            for (size_t n = 0; n < self->patch->compute_count; n++) {
                const need_patch_t *patch = &self->patch->compute [n];
                if (booking->from_ms > self->wall_ms || !*patch->site ||
                    strcmp (patch->id, booking->need) != 0 || strcmp (patch->site, SITE_ANY) == 0 ||
                    strcmp (patch->site, here) == 0)
                    continue;
                return wrong (why, "need %.40s has begun at %.30s: it can't be moved to %.30s",
                              patch->id, here, patch->site);
            }
        }
    }
    return true;
}

static bool keep_start (modify_t *self, char why [WHY_BYTES])
{
    int64_t start_ms = self->start_ms;
    int64_t soonest_ms = self->soonest_ms + self->settings->try_ms;
    change_time_t time = {.now_ms = self->latest_ms - start_ms,
                          .soonest_ms = soonest_ms - start_ms,
                          .effect_ms = greatest (self->latest_ms + self->settings->margin_ms,
                                                 soonest_ms + self->lead_ms) -
                                       start_ms};
    if (!stages_make (self->request, &self->before, &time, why))
        return false;
    const instant_t *deadline = &self->request->window.deadline;
    if (deadline->set && start_ms + user_request_span (self->request) > deadline->ms)
        return wrong (why, "it would end after its deadline: give a new window");
    self->keeps_start = true;
    return true;
}

/*  Make the request as it will be after the change, and find when it may start. */
static bool change_merge (modify_t *self, char why [WHY_BYTES])
{
    if (!plan_user_request (&locate_newest (self->locate)->plan, &self->before, why))
        return false;
    user_request_clear (self->request);
    user_request_copy (self->request, &self->before);
    if (!find_start (self))
        return wrong (why, "its sites have no bookings for it any more");
    if (!user_request_patch (self->request, self->patch, why) || !sites_stay (self, why))
        return false;
    if (self->patch->window_set && !self->begun)
        return true;
    if (self->begun && !stays_begun (self, why))
        return false;
    if (self->patch->window_set)
        user_request_fix (self->request, self->settings, self->wall_ms);
    self->lead_ms = find_lead (self);
    return keep_start (self, why);
}

static void modify_located (pending_t *self, const moment_t *now)
{
    char why [WHY_BYTES];
    service_t *service = self->pendings->service;
    modify_t modify = {.locate = self->base.locate,
                       .patch = &self->patch,
                       .settings = self->pendings->settings,
                       .directory = directory_of (service),
                       .lessons = &self->plan.lessons,
                       .wall_ms = now->wall_ms,
                       .latest_ms = timekeeper_most (&service->timekeeper, now),
                       .soonest_ms = pending_soonest_ms (self, now),
                       .request = &self->request};
    bool good = change_merge (&modify, why);
    user_request_clear (&modify.before);
    self->plan.keeps_start = modify.keeps_start;
    if (modify.keeps_start)
        self->plan.starts = (starts_t){modify.start_ms, modify.start_ms, INT64_MAX};
    if (good)
        pending_go (self, now, STEP_PLAN);
    else
        change_end (self, now, STEP_GIVE_UP, self->reservation, why);
}

/*  --- release --- */

/*  The version that is given back, of what is booked, and the end of its last window. */
static void find_release (const locate_t *locate, uint32_t *version, int64_t *end_ms)
{
    for (size_t i = 0; i < locate->count; i++) {
        const part_record_t *record = &locate->parts [i].record;
        holding_t holding = holding_of (record);
        int64_t ends_ms = holding_end (&holding);
        if (ends_ms > 0 && !part_record_over (record))
            *version = record->version;
        *end_ms = greatest (*end_ms, ends_ms);
    }
}

/*  R11: can the participants that answer release their parts without the others? While others are
 *  silent: if they agree on the version. After an earlier release: those that were silent then. In
 *  both cases no change may be pending, and one of them must book something: its vote bars other
 *  changes until the rest has been given back. */
static bool can_give_back (const locate_t *locate, bool others_silent)
{
    const part_record_t *newest = locate_newest (locate);
    bool released = newest->plan_set && newest->plan.operation == OPERATION_RELEASE;
    if (!newest->plan_set || newest->version == 0 || released == others_silent)
        return false;
    bool any_books = false;
    for (size_t i = 0; i < locate->count; i++) {
        const located_part_t *part = &locate->parts [i];
        bool old = part->record.version != newest->version && !part_record_over (&part->record);
        holding_t holding = holding_of (&part->record);
        if (part->known && (part->record.pending_set || (old && !released)))
            return false;
        any_books = any_books ||
                    (part->known && !part_record_over (&part->record) && !holding_empty (&holding));
    }
    return any_books;
}

/*  --- both --- */

static void proceed (pending_t *self, const moment_t *now)
{
    self->base.version = locate_newest (self->base.locate)->version;
    if (self->repair_order)
        repair_attempt_located (self, now);
    else if (self->operation == OPERATION_MODIFY)
        modify_located (self, now);
    else {
        find_release (self->base.locate, &self->base.version, &self->close.keep_until_ms);
        pending_go (self, now, pending_propose (self, now, NULL) ? STEP_VOTE : STEP_GIVE_UP);
    }
}

/*  Locate it again after a pause, or end once it was as often as that. why: what the participant
 *  that the verdict names did. */
static void change_look_again (pending_t *self, const moment_t *now, uint32_t looks_max,
                               const char *why)
{
    if (self->base.looks >= looks_max && self->repair_order) {
        repair_attempt_end (self, now, REPAIR_DEFERRED, why);
        return;
    }
    if (self->base.looks >= looks_max) {
        char words [WHY_BYTES];
        const char *culprit = blame (self->base.locate, why, words);
        change_end (self, now, end_step (self->operation, self->base.locate->verdict), culprit,
                    words);
        return;
    }
    locate_abort_remains (self->base.locate, self->pendings->coordinator, now);
    pending_pause (self, now, self->base.looks, STEP_LOCATE);
}

static void change_on_located (void *owner, const moment_t *now)
{
    pending_t *self = owner;
    bool releases = self->operation == OPERATION_RELEASE;
    const locate_t *locate = self->base.locate;
    self->answer.reasons_count = 0;
    switch (locate->verdict) {
    case LOCATED_AGREED:
        proceed (self, now);
        break;
    case LOCATED_CHANGING:
        if (releases && can_give_back (locate, false))
            proceed (self, now);
        else
            change_look_again (self, now, LOCATES_MAX,
                               "says that another change of the reservation is in progress");
        break;
    case LOCATED_SILENT:
        if (self->base.looks >= SILENT_MAX && releases && can_give_back (locate, true))
            proceed (self, now);
        else
            change_look_again (self, now, releases ? LOCATES_MAX : SILENT_MAX,
                               "takes part in the reservation and does not answer");
        break;
    case LOCATED_UNSURE:
        change_look_again (self, now, SILENT_MAX,
                           "does not answer, and nobody else knows this reservation");
        break;
    case LOCATED_LOST:
        if (releases || self->repair_order)
            proceed (self, now);
        else
            change_look_again (
              self, now, 0, "has lost its part of the reservation, which can only be released now");
        break;
    case LOCATED_OVER:
        /* Every part may have been lost at its edge: a repair plans all anew. */
        if (self->repair_order)
            proceed (self, now);
        else
            change_end (self, now, STEP_GIVE_UP, self->reservation,
                        "the reservation has ended, was released or failed");
        break;
    case LOCATED_NOWHERE:
        change_end (self, now, STEP_GIVE_UP, self->reservation, "nobody knows this reservation");
        break;
    }
}

void pending_locate (pending_t *self, const moment_t *now)
{
    planning_clear (&self->plan);
    locate_destroy (&self->base.locate);
    self->base.looks++;
    self->base.locate =
      locate_new (self->pendings->service, self->pendings->settings, self->pendings->unresponsive,
                  now, self->reservation, NULL, change_on_located, self);
}

void planner_on_modify (void *owner, const moment_t *now, const request_t *request, void *body)
{
    pendings_t *pendings = owner;
    char why [WHY_BYTES];
    request_patch_t *patch = body;
    bool good = request_patch_check (patch, why) ||
                service_refuse (pendings->service, request, CALL_BAD_REQUEST, "%s", why);
    pending_t *pending =
      good ? pending_new (pendings, now, request, OPERATION_MODIFY, patch->dry_run) : NULL;
    if (!pending)
        return;
    pending->patch = *patch;
    *patch = (request_patch_t){0};
    snprintf (pending->reservation, sizeof pending->reservation, "%s", pending->patch.reservation);
    pending_log (pending, LEVEL_DEBUG, "received", "");
    pending_go (pending, now, STEP_LOCATE);
}

void planner_on_release (void *owner, const moment_t *now, const request_t *request, void *body)
{
    pendings_t *pendings = owner;
    const reservation_id_t *asked = body;
    pending_t *pending = pending_new (pendings, now, request, OPERATION_RELEASE, false);
    if (!pending)
        return;
    memcpy (pending->reservation, asked->reservation, sizeof pending->reservation);
    pending_log (pending, LEVEL_DEBUG, "received", "");
    pending_go (pending, now, STEP_LOCATE);
}
