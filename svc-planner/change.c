/*  change - modify and release: a reservation is found, looked at, and changed from the version it
 *  has to the next one (T11).
 *
 *  All its participants must answer and agree before a change begins; where another change is on
 *  its way, it is looked at again after a pause.
 */
#include "methods.h"

#include "party.h"
#include "planner_wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOCATES_MAX 16 /* looks at a reservation that is changing */
#define SILENT_MAX  2  /* looks while a participant is silent */

static void on_look_again (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    errand_t *self = owner;
    self->pause_timer = 0;
    errand_locate (self, now);
}

static void give_up (errand_t *self, const moment_t *now, const char *resource, const char *why)
{
    answer_reason (&self->answer, "", resource, "%s", why);
    errand_give_up (self, now);
}

/*  Give up for what one participant does: "network domain N does not answer, …". */
static void blame (errand_t *self, const moment_t *now, const char *what)
{
    char words [PARTY_WORDS_BYTES], why [WHY_BYTES];
    const char *culprit = locate_culprit (self->locate);
    snprintf (why, sizeof why, "%s %s", party_words (culprit, words), what);
    give_up (self, now, culprit, why);
}

/*  A pending command that an earlier life of this planner left without a decision. */
static void abort_remains (errand_t *self, const moment_t *now)
{
    coordinator_t *coordinator = self->planner->coordinator;
    for (size_t i = 0; i < locate_count (self->locate); i++) {
        const located_part_t *part = locate_part (self->locate, i);
        party_t party = part->party;
        memcpy (party.store, part->store, STORE_ID_BYTES);
        if (part->known && part->record.pending_set &&
            coordinator_aborted (coordinator, &part->record.pending))
            coordinator_abort (coordinator, now, &party, &part->record.pending, NULL, NULL);
    }
}

/*  --- modify --- */

/*  When the reservation starts now, as its bookings have it; false when it has none. */
static bool present_start (const errand_t *self, int64_t *start_ms)
{
    for (size_t i = 0; i < locate_count (self->locate); i++) {
        const part_record_t *record = &locate_part (self->locate, i)->record;
        for (size_t b = 0; b < record->bookings_count; b++) {
            size_t need = user_request_need (&self->request, record->bookings [b].need);
            if (need == SIZE_MAX)
                continue;
            *start_ms = record->bookings [b].from_ms - self->request.compute [need].offset_ms;
            return true;
        }
    }
    return false;
}

/*  The request as it would be after the change. */
static bool merge (errand_t *self, char why [WHY_BYTES])
{
    const part_record_t *newest = locate_newest (self->locate);
    user_request_clear (&self->request);
    if (!newest->plan_set || newest->plan.request_size == 0) {
        snprintf (why, WHY_BYTES, "the request it was made for is not on record any more");
        return false;
    }
    bytes_t packed = {.data = newest->plan.request, .size = newest->plan.request_size};
    return user_request_decode (&self->request, packed, why) &&
           user_request_patch (&self->request, &self->patch, why);
}

static bool keep_start (errand_t *self, char why [WHY_BYTES])
{
    int64_t start_ms;
    if (!present_start (self, &start_ms)) {
        snprintf (why, WHY_BYTES, "its sites book nothing for it any more");
        return false;
    }
    const instant_t *deadline = &self->request.window.deadline;
    if (deadline->set && start_ms + user_request_span (&self->request) > deadline->ms) {
        snprintf (why, WHY_BYTES, "it would end after its deadline: give a new window");
        return false;
    }
    self->starts = (starts_t){start_ms, start_ms, INT64_MAX};
    return true;
}

static void modify_located (errand_t *self, const moment_t *now)
{
    char why [WHY_BYTES];
    if (!merge (self, why) || (!self->patch.window_set && !keep_start (self, why))) {
        give_up (self, now, self->reservation, why);
        return;
    }
    errand_plan (self, now);
}

/*  --- release --- */

static void release_located (errand_t *self, const moment_t *now)
{
    for (size_t i = 0; i < locate_count (self->locate); i++) {
        int64_t end_ms = part_record_end (&locate_part (self->locate, i)->record);
        self->keep_until_ms = end_ms > self->keep_until_ms ? end_ms : self->keep_until_ms;
    }
    if (propose_release (self, now))
        errand_vote (self, now);
    else
        errand_give_up (self, now);
}

/*  --- both --- */

static void proceed (errand_t *self, const moment_t *now)
{
    self->base_version = locate_newest (self->locate)->version;
    if (self->kind == ERRAND_MODIFY)
        modify_located (self, now);
    else
        release_located (self, now);
}

/*  why: what it is about whoever the verdict names. */
static void look_again (errand_t *self, const moment_t *now, uint32_t looks_max, const char *why)
{
    if (self->locates >= looks_max) {
        blame (self, now, why);
        return;
    }
    abort_remains (self, now);
    errand_pause (self, now, self->locates, on_look_again);
}

static void on_located (void *owner, const moment_t *now)
{
    errand_t *self = owner;
    self->answer.reasons_count = 0;
    switch (locate_verdict (self->locate)) {
    case LOCATED_AGREED:
        proceed (self, now);
        break;
    case LOCATED_CHANGING:
        look_again (self, now, LOCATES_MAX, "says that another change of it is under way");
        break;
    case LOCATED_SILENT:
        look_again (self, now, SILENT_MAX, "takes part and does not answer");
        break;
    case LOCATED_UNSURE:
        look_again (self, now, SILENT_MAX,
                    "does not answer, and nobody who does knows this reservation");
        break;
    case LOCATED_LOST:
        if (self->kind == ERRAND_RELEASE)
            proceed (self, now);
        else
            blame (self, now, "took part and has lost it: it can only be released");
        break;
    case LOCATED_OVER:
        give_up (self, now, self->reservation, "it has ended, or was released or failed");
        break;
    case LOCATED_NOWHERE:
        give_up (self, now, self->reservation, "nobody knows this reservation");
        break;
    }
}

void errand_locate (errand_t *self, const moment_t *now)
{
    errand_clear_planning (self);
    locate_destroy (&self->locate);
    self->locates++;
    self->locate =
      locate_new (self->planner->service, &self->planner->settings, &self->planner->suspects, now,
                  self->reservation, NULL, on_located, self);
}

void planner_on_modify (void *owner, const moment_t *now, const request_t *request)
{
    planner_t *planner = owner;
    char why [WHY_BYTES];
    request_patch_t patch;
    if (!modify_decode (request->body, &patch, why)) {
        service_refuse (planner->service, request, CALL_BAD_REQUEST, "%s", why);
        return;
    }
    if (!request_patch_check (&patch, why)) {
        service_refuse (planner->service, request, CALL_BAD_REQUEST, "%s", why);
        request_patch_clear (&patch);
        return;
    }
    errand_t *errand = errand_new (planner, now, request, ERRAND_MODIFY, false);
    if (!errand) {
        request_patch_clear (&patch);
        return;
    }
    errand->patch = patch;
    snprintf (errand->reservation, sizeof errand->reservation, "%s", patch.reservation);
    errand_log (errand, LEVEL_DEBUG, "received", "");
    errand_locate (errand, now);
}

void planner_on_release (void *owner, const moment_t *now, const request_t *request)
{
    planner_t *planner = owner;
    char why [WHY_BYTES], reservation [NAME_BYTES_MAX + 1];
    if (!reservation_decode (request->body, reservation, why)) {
        service_refuse (planner->service, request, CALL_BAD_REQUEST, "%s", why);
        return;
    }
    errand_t *errand = errand_new (planner, now, request, ERRAND_RELEASE, false);
    if (!errand)
        return;
    snprintf (errand->reservation, sizeof errand->reservation, "%s", reservation);
    errand_log (errand, LEVEL_DEBUG, "received", "");
    errand_locate (errand, now);
}
