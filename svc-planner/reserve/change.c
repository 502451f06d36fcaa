/*  change - modify and release: a reservation is located and changed from its version to the next
 *  one (T11).
 *
 *  Before a change begins, all participants of the reservation must answer and agree. While another
 *  change is in progress, it is located again after a pause.
 */
#include "candidates.h"
#include "member.h"
#include "participant_ref.h"
#include "phases.h"
#include "planner_wire.h"
#include "proposal.h"
#include "repair_attempt.h"
#include "stages.h"
#include "timetext.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOCATES_MAX 16 /* how often a reservation that is changing is located */
#define SILENT_MAX  2  /* the same, while a participant is silent */

static void give_up (pending_t *self, const moment_t *now, const char *resource, const char *why)
{
    answer_reason (&self->answer, "", resource, "%s", why);
    pending_go (self, now, STEP_GIVE_UP);
}

/*  End because of one participant. If that one has answered, the request is refused, except a
 *  release: no participant can make it fail for good (R11). */
static void end_for (pending_t *self, const moment_t *now, const char *participant, const char *why)
{
    locate_verdict_t verdict = self->base.locate->verdict;
    if (self->operation != OPERATION_RELEASE && verdict != LOCATED_SILENT &&
        verdict != LOCATED_UNSURE) {
        give_up (self, now, participant, why);
        return;
    }
    answer_reason (&self->answer, "", participant, "%s", why);
    pending_go (self, now, STEP_DOUBT);
}

/*  End with "network domain N does not answer, …". */
static void blame (pending_t *self, const moment_t *now, const char *what)
{
    char words [PARTICIPANT_REF_WORDS_BYTES], why [WHY_BYTES];
    const char *culprit = self->base.locate->culprit;
    snprintf (why, sizeof why, "%s %s", participant_ref_words (culprit, words), what);
    end_for (self, now, culprit, why);
}

/*  End with the change that is in the way, "change 3fa9c2d1-7-42 (modify) … is pending at site
 *  ams", if a participant names it; else as blame does. */
static void blame_change (pending_t *self, const moment_t *now, const char *what)
{
    for (size_t i = 0; i < self->base.locate->count; i++) {
        const located_part_t *part = &self->base.locate->parts [i];
        char why [WHY_BYTES], txid [TXID_TEXT_BYTES], party [PARTICIPANT_REF_WORDS_BYTES];
        if (!part->known || !part->record.pending_set)
            continue;
        snprintf (why, sizeof why, "change %s (%s) of the reservation is pending at %s",
                  txid_text (&part->record.pending, txid),
                  operation_words [part->record.pending_operation],
                  participant_ref_words (part->party.name, party));
        end_for (self, now, part->party.name, why);
        return;
    }
    blame (self, now, what);
}

/*  --- modify --- */

/*  The reservation as it is before the change. */
typedef struct {
    user_request_t before; /* its request; owned */
    int64_t start_ms;
    bool begun;      /* some of its bookings */
    int64_t lead_ms; /* longest lead of all participants, and of any that may join */
} present_state_t;

static int64_t change_later (int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/*  Find the start from the earliest bookings, and whether it has passed. False: nothing is booked.
 */
static bool find_start (const pending_t *self, const moment_t *now, present_state_t *present)
{
    present->start_ms = INT64_MAX;
    for (size_t i = 0; i < self->base.locate->count; i++) {
        const part_record_t *record = &self->base.locate->parts [i].record;
        for (size_t b = 0; b < record->bookings_count && !part_record_over (record); b++) {
            const compute_booking_t *booking = &record->bookings [b];
            size_t need = user_request_need (&present->before, booking->need);
            if (need == SIZE_MAX)
                continue;
            int64_t start_ms = booking->from_ms - compute_first (&present->before, need);
            present->start_ms = start_ms < present->start_ms ? start_ms : present->start_ms;
            present->begun = present->begun || booking->from_ms <= now->wall_ms;
        }
    }
    return present->start_ms < INT64_MAX;
}

static int64_t find_lead (const pending_t *self)
{
    static const char *const kinds [] = {"lis", "nis", "replica"};
    const directory_t *directory = directory_of (self->pendings->service);
    int64_t lead_ms = 0;
    for (size_t i = 0; i < self->base.locate->count; i++)
        if (self->base.locate->parts [i].known)
            lead_ms =
              change_later (lead_ms, participant_ref_lead_ms (directory_find (
                                       directory, self->base.locate->parts [i].party.name)));
    for (size_t i = 0; i < self->plan.lessons.count; i++)
        lead_ms = change_later (lead_ms, self->plan.lessons.list [i].lead_ms);
    const user_request_t *added = &self->patch.added;
    bool joins =
      added->compute_count + added->network_count + added->data_count + added->space_count > 0;
    for (size_t k = 0; joins && k < sizeof kinds / sizeof kinds [0]; k++) {
        const directory_entry_t *entry = directory_next (directory, kinds [k], NULL);
        for (; entry; entry = directory_next (directory, kinds [k], entry))
            lead_ms = change_later (lead_ms, participant_ref_lead_ms (entry));
    }
    return lead_ms;
}

/*  Does the new window allow the present start? */
static bool admits_start (const pending_t *self, const moment_t *now, int64_t start_ms)
{
    user_request_t fixed = {.window = self->patch.window};
    user_request_fix (&fixed, self->pendings->settings, now->wall_ms);
    const frame_t *window = &fixed.window;
    bool earliest = !window->earliest.set || window->earliest.ms <= start_ms;
    return (!window->start.set || window->start.ms == start_ms) && earliest &&
           (!window->latest.set || window->latest.ms >= start_ms);
}

/*  A reservation that has begun keeps its start: only what lies ahead can be changed (R10). */
static bool stays_begun (pending_t *self, const moment_t *now, const present_state_t *present,
                         char why [WHY_BYTES])
{
    char start [TIMETEXT_BYTES];
    return !self->patch.window_set || admits_start (self, now, present->start_ms) ||
           wrong (
             why,
             "it began at %s and can't be moved any more: only its end, CPUs and bandwidth can "
             "be changed",
             timetext_format (present->start_ms, start));
}

/*  A need that has begun stays at its site. */
static bool sites_stay (const pending_t *self, const moment_t *now, char why [WHY_BYTES])
{
    for (size_t i = 0; i < self->base.locate->count; i++) {
        const located_part_t *part = &self->base.locate->parts [i];
        const char *here = participant_ref_short_name (part->party.name);
        for (size_t b = 0; b < part->record.bookings_count && !part_record_over (&part->record);
             b++) {
            const compute_booking_t *booking = &part->record.bookings [b];
            for (size_t n = 0; n < self->patch.compute_count; n++) {
                const need_patch_t *patch = &self->patch.compute [n];
                if (booking->from_ms > now->wall_ms || !*patch->site ||
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

static bool keep_start (pending_t *self, const moment_t *now, const present_state_t *present,
                        char why [WHY_BYTES])
{
    const planner_settings_t *settings = self->pendings->settings;
    int64_t wall_ms = timekeeper_most (&self->pendings->service->timekeeper, now);
    int64_t soonest_ms = pending_soonest_ms (self, now) + settings->try_ms;
    int64_t start_ms = present->start_ms;
    change_time_t time = {
      .now_ms = wall_ms - start_ms,
      .soonest_ms = soonest_ms - start_ms,
      .effect_ms =
        change_later (wall_ms + settings->margin_ms, soonest_ms + present->lead_ms) - start_ms};
    if (!stages_make (&self->request, &present->before, &time, why))
        return false;
    const instant_t *deadline = &self->request.window.deadline;
    if (deadline->set && start_ms + user_request_span (&self->request) > deadline->ms)
        return wrong (why, "it would end after its deadline: give a new window");
    self->plan.starts = (starts_t){start_ms, start_ms, INT64_MAX};
    self->plan.keeps_start = true;
    return true;
}

/*  Make the request as it will be after the change, and find when it may start. */
static bool change_merge (pending_t *self, const moment_t *now, present_state_t *present,
                          char why [WHY_BYTES])
{
    if (!plan_user_request (&locate_newest (self->base.locate)->plan, &present->before, why))
        return false;
    user_request_clear (&self->request);
    user_request_copy (&self->request, &present->before);
    if (!find_start (self, now, present))
        return wrong (why, "its sites have no bookings for it any more");
    if (!user_request_patch (&self->request, &self->patch, why) || !sites_stay (self, now, why))
        return false;
    if (self->patch.window_set && !present->begun)
        return true;
    if (present->begun && !stays_begun (self, now, present, why))
        return false;
    if (self->patch.window_set)
        user_request_fix (&self->request, self->pendings->settings, now->wall_ms);
    present->lead_ms = find_lead (self);
    return keep_start (self, now, present, why);
}

static void modify_located (pending_t *self, const moment_t *now)
{
    char why [WHY_BYTES];
    present_state_t present = {0};
    self->plan.keeps_start = false;
    bool good = change_merge (self, now, &present, why);
    user_request_clear (&present.before);
    if (good)
        pending_go (self, now, STEP_PLAN);
    else
        give_up (self, now, self->reservation, why);
}

/*  --- release --- */

static void release_located (pending_t *self, const moment_t *now)
{
    for (size_t i = 0; i < self->base.locate->count; i++) {
        const part_record_t *record = &self->base.locate->parts [i].record;
        holding_t holding = holding_of (record);
        int64_t end_ms = holding_end (&holding);
        if (end_ms > 0 && !part_record_over (record))
            self->base.version = record->version;
        self->close.keep_until_ms =
          end_ms > self->close.keep_until_ms ? end_ms : self->close.keep_until_ms;
    }
    pending_go (self, now, pending_propose (self, now, NULL) ? STEP_VOTE : STEP_GIVE_UP);
}

/*  R11: can the participants that answer release their parts without the others? While others are
 *  silent: if they agree on the version. After an earlier release: those that were silent then. In
 *  both cases no change may be pending, and one of them must book something: its vote bars other
 *  changes until the rest has been given back. */
static bool can_give_back (const pending_t *self, bool others_silent)
{
    const part_record_t *newest = locate_newest (self->base.locate);
    bool released = newest->plan_set && newest->plan.operation == OPERATION_RELEASE;
    if (self->operation != OPERATION_RELEASE || !newest->plan_set || newest->version == 0 ||
        released == others_silent)
        return false;
    bool any_books = false;
    for (size_t i = 0; i < self->base.locate->count; i++) {
        const located_part_t *part = &self->base.locate->parts [i];
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
    else
        release_located (self, now);
}

/*  Locate it again after a pause, or end. why: what the participant that the verdict names did. */
static void change_look_again (pending_t *self, const moment_t *now, uint32_t looks_max,
                               const char *why)
{
    if (self->base.looks >= looks_max && self->repair_order) {
        repair_attempt_end (self, now, REPAIR_DEFERRED, why);
        return;
    }
    if (self->base.looks >= looks_max) {
        if (self->base.locate->verdict == LOCATED_CHANGING)
            blame_change (self, now, why);
        else
            blame (self, now, why);
        return;
    }
    locate_abort_remains (self->base.locate, self->pendings->coordinator, now);
    pending_pause (self, now, self->base.looks, STEP_LOCATE);
}

static void change_on_located (void *owner, const moment_t *now)
{
    pending_t *self = owner;
    self->answer.reasons_count = 0;
    switch (self->base.locate->verdict) {
    case LOCATED_AGREED:
        proceed (self, now);
        break;
    case LOCATED_CHANGING:
        if (can_give_back (self, false))
            proceed (self, now);
        else
            change_look_again (self, now, LOCATES_MAX,
                               "says that another change of the reservation is in progress");
        break;
    case LOCATED_SILENT:
        if (self->base.looks >= SILENT_MAX && can_give_back (self, true))
            proceed (self, now);
        else
            change_look_again (self, now,
                               self->operation == OPERATION_RELEASE ? LOCATES_MAX : SILENT_MAX,
                               "takes part in the reservation and does not answer");
        break;
    case LOCATED_UNSURE:
        change_look_again (self, now, SILENT_MAX,
                           "does not answer, and nobody else knows this reservation");
        break;
    case LOCATED_LOST:
        if (self->operation == OPERATION_RELEASE || self->repair_order)
            proceed (self, now);
        else
            blame (self, now,
                   "has lost its part of the reservation, which can only be released now");
        break;
    case LOCATED_OVER:
        if (
          self
            ->repair_order) /* every part may have been lost at its edge: the repair plans all anew */
            proceed (self, now);
        else
            give_up (self, now, self->reservation,
                     "the reservation has ended, was released or failed");
        break;
    case LOCATED_NOWHERE:
        give_up (self, now, self->reservation, "nobody knows this reservation");
        break;
    }
}

void pending_locate (pending_t *self, const moment_t *now)
{
    pending_clear_planning (self);
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
    bool good = request_patch_check (patch, why);
    if (!good)
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
