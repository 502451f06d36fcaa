/*  locate - asks about one reservation and judges the answers together. */
#include "locate.h"
#include "member.h"
#include "must.h"
#include "participant_ref.h"
#include "parties_wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void locate_add_part (locate_t *self, const participant_ref_t *party)
{
    self->parts = must_grow (self->parts, self->count, &self->room, sizeof *self->parts);
    self->parts [self->count++] = (located_part_t){.party = *party};
}

/*  So many participants are asked at once. */
#define LOCATE_PAGE 256

static const located_part_t *locate_part_of (const locate_t *self, const char *name)
{
    for (size_t i = 0; i < self->count; i++)
        if (strcmp (self->parts [i].party.name, name) == 0)
            return &self->parts [i];
    return NULL;
}

bool locate_heard (const locate_t *self, const char *name)
{
    const located_part_t *part = locate_part_of (self, name);
    return part && part->answered;
}

bool record_newer (const part_record_t *record, const part_record_t *than)
{
    if (!than || record->version != than->version)
        return !than || record->version > than->version;
    return record->plan_set && !than->plan_set;
}

const part_record_t *locate_newest (const locate_t *self)
{
    const part_record_t *newest = NULL;
    for (size_t i = 0; i < self->count; i++)
        if (self->parts [i].known && record_newer (&self->parts [i].record, newest))
            newest = &self->parts [i].record;
    return newest;
}

static const participant_ref_t *listed_party (const part_record_t *record, const char *name)
{
    if (!record || !record->plan_set || strcmp (record->plan.home, name) == 0)
        return NULL;
    return parties_find (record->plan.participants, record->plan.participants_count, name);
}

/*  --- the verdict --- */

static locate_verdict_t locate_say (locate_t *self, locate_verdict_t verdict, const char *culprit)
{
    snprintf (self->culprit, sizeof self->culprit, "%s", culprit);
    return verdict;
}

/*  Does it not know what it once voted for? One that answers with another store and has this
 *  version has booked it again (T14): from then on that store counts. */
static bool has_lost (const participant_ref_t *listed, const located_part_t *part, uint32_t version)
{
    return part->answered &&
           (!part->known || (memcmp (part->store, listed->store, STORE_ID_BYTES) != 0 &&
                             part->record.version != version));
}

static locate_verdict_t judge_nobody (locate_t *self)
{
    for (size_t i = 0; i < self->count; i++)
        if (!self->parts [i].answered)
            return locate_say (self, LOCATED_UNSURE, self->parts [i].party.name);
    return locate_say (self, LOCATED_NOWHERE, "");
}

static locate_verdict_t locate_judge (locate_t *self)
{
    const part_record_t *newest = locate_newest (self);
    if (!newest)
        return judge_nobody (self);
    bool all_over = true;
    const char *silent = NULL, *lost = NULL, *changing = NULL;
    for (size_t i = 0; i < self->count; i++) {
        const located_part_t *part = &self->parts [i];
        const participant_ref_t *listed = listed_party (newest, part->party.name);
        /* A pending change may still be made, even one at its edge. */
        if (part->known && (!listed || newest->version > 0))
            all_over = all_over && part_record_over (&part->record) && !part->record.pending_set;
        else if (part->known)
            all_over = false;
        if (part->known && (part->record.pending_set || part->record.version != newest->version) &&
            (listed || !part_record_over (&part->record)))
            changing = part->party.name;
        /* A repair may have released the others without this one. */
        if (!part->answered &&
            (part->in_question ||
             (self->of_plan &&
              parties_find (newest->plan.awaited, newest->plan.awaited_count, part->party.name))))
            silent = part->party.name;
        if (!listed)
            continue;
        if (!part->answered)
            silent = part->party.name;
        else if (has_lost (listed, part, newest->version))
            lost = part->party.name;
    }
    if (silent)
        return locate_say (self, LOCATED_SILENT, silent);
    if (all_over)
        return locate_say (self, LOCATED_OVER, "");
    if (changing)
        return locate_say (self, LOCATED_CHANGING, changing);
    if (lost)
        return locate_say (self, LOCATED_LOST, lost);
    return locate_say (self, LOCATED_AGREED, "");
}

void locate_abort_remains (const locate_t *self, coordinator_t *coordinator, const moment_t *now)
{
    for (size_t i = 0; i < self->count; i++) {
        const located_part_t *part = &self->parts [i];
        participant_ref_t party = part->party;
        memcpy (party.store, part->store, STORE_ID_BYTES);
        if (part->known && part->record.pending_set &&
            coordinator_aborted (coordinator, &part->record.pending))
            coordinator_abort (coordinator, now, &party, &part->record.pending, NULL, NULL);
    }
}

/*  --- the questions --- */

/*  The next of all that may have a part of any reservation; NULL first, NULL at the end. */
static const directory_entry_t *next_provider (const directory_t *directory,
                                               const directory_entry_t *entry)
{
    static const char *const kinds [] = {"lis", "nis", "replica"};
    const size_t count = sizeof kinds / sizeof kinds [0];
    size_t k = 0;
    while (entry && k < count && strncmp (entry->name, kinds [k], strlen (kinds [k])) != 0)
        k++;
    for (; k < count; k++, entry = NULL)
        while ((entry = directory_next (directory, kinds [k], entry)))
            if (entry->site || entry->domain || entry->storage)
                return entry;
    return NULL;
}

static void locate_ask (locate_t *self, const moment_t *now, size_t at);

/*  Asks the next ones that have not been asked. False: all have been. */
static bool ask_next (locate_t *self, const moment_t *now)
{
    size_t until =
      self->count - self->asked > LOCATE_PAGE ? self->asked + LOCATE_PAGE : self->count;
    bool any = self->asked < until;
    while (self->asked < until)
        locate_ask (self, now, self->asked++);
    return any;
}

/*  Add participants that the directory does not list, with their last address from the plan. */
static void add_parties (locate_t *self, const participant_ref_t *parties, size_t count,
                         const char *home)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp (parties [i].name, home) != 0 && !locate_part_of (self, parties [i].name))
            locate_add_part (self, &parties [i]);
}

static void add_participants (locate_t *self, const plan_t *plan)
{
    add_parties (self, plan->participants, plan->participants_count, plan->home);
    add_parties (self, plan->awaited, plan->awaited_count, plan->home);
}

static bool ask_listed (locate_t *self, const moment_t *now)
{
    const part_record_t *newest = locate_newest (self);
    if (!newest || !newest->plan_set)
        return false;
    plan_t plan;
    codec_copy (&plan_codec, &plan, &newest->plan); /* the list of parts moves as it grows */
    add_participants (self, &plan);
    codec_clear (&plan_codec, &plan);
    return ask_next (self, now);
}

/*  A participant that does not know what it voted for may have been asked before it voted, because
 *  a change was made in between. It is asked once more, now that another one has told of that. */
static bool ask_doubted (locate_t *self, const moment_t *now)
{
    const part_record_t *newest = locate_newest (self);
    bool asked = false;
    for (size_t i = 0; i < self->count && newest && newest->version > 0; i++) {
        located_part_t *part = &self->parts [i];
        const participant_ref_t *listed = listed_party (newest, part->party.name);
        if (!listed || !part->answered || part->known || part->asked_again ||
            memcmp (part->store, listed->store, STORE_ID_BYTES) != 0)
            continue;
        part->asked_again = asked = true;
        part->answered = false;
        locate_ask (self, now, i);
    }
    return asked;
}

static void add_directory (locate_t *self);
static bool ask_homes (locate_t *self, const moment_t *now);

/*  What was heard so far is not enough to say that it is nowhere, or lost: asks all others, too. */
static bool ask_everybody (locate_t *self, const moment_t *now)
{
    bool enough = self->verdict != LOCATED_NOWHERE && self->verdict != LOCATED_UNSURE &&
                  self->verdict != LOCATED_LOST;
    if (!self->narrow || enough)
        return false;
    self->narrow = false;
    add_directory (self);
    return ask_next (self, now);
}

/*  Nobody knows it who answered. Those that can't be asked may: they are parts without an
 *  answer. */
static void add_silent (locate_t *self)
{
    const absence_t *absent = NULL;
    participant_ref_t party = {0};
    while ((absent = directory_next_absent (directory_of (self->service), absent))) {
        memcpy (party.name, absent->name, sizeof party.name);
        if (absent->votes && !locate_part_of (self, party.name))
            locate_add_part (self, &party);
    }
    snprintf (party.name, sizeof party.name, "%s", self->home_silent);
    if (*party.name)
        locate_add_part (self, &party);
}

static void locate_finish (locate_t *self, const moment_t *now)
{
    self->verdict = locate_judge (self);
    if (ask_everybody (self, now))
        return;
    if (self->verdict == LOCATED_NOWHERE && !self->of_plan) {
        if (!self->homes_asked && ask_homes (self, now))
            return;
        add_silent (self);
        self->verdict = locate_judge (self);
    }
    self->done (self->owner, now);
}

/*  Nobody is being asked: whose turn is it? */
static void locate_go_on (locate_t *self, const moment_t *now)
{
    if (!ask_next (self, now) && !ask_listed (self, now) && !ask_doubted (self, now))
        locate_finish (self, now);
}

/*  Does the directory list this store by another name? Then another service uses that address now,
 *  and the participant has lost nothing. */
static bool is_another (const locate_t *self, const char *name,
                        const uint8_t store [STORE_ID_BYTES])
{
    const directory_t *directory = directory_of (self->service);
    const directory_entry_t *entry = directory_find (directory, name);
    if (entry && memcmp (entry->store, store, STORE_ID_BYTES) == 0)
        return false;
    for (entry = NULL; (entry = next_provider (directory, entry));)
        if (memcmp (entry->store, store, STORE_ID_BYTES) == 0 && strcmp (entry->name, name) != 0)
            return true;
    return false;
}

static void learn_silence (locate_t *self, const moment_t *now, const located_part_t *part,
                           call_status_t status)
{
    bool silent = status == CALL_TIMED_OUT;
    if (self->unresponsive && !(silent && part->suspected))
        unresponsive_judge (self->unresponsive, now, part->party.name, silent);
}

static void on_shown (void *owner, const moment_t *now, uint64_t token, const call_result_t *result)
{
    locate_t *self = owner;
    located_part_t *part = &self->parts [token];
    char why [WHY_BYTES];
    part_shown_t shown;
    part->call = 0;
    learn_silence (self, now, part, result->status);
    if (result->status == CALL_OK && !is_another (self, part->party.name, result->store) &&
        codec_decode (&part_shown_codec, &shown, result->body, why)) {
        part->answered = true;
        part->known = shown.known;
        part->record = shown.record;
        memcpy (part->store, result->store, STORE_ID_BYTES);
        if (part->known && strcmp (part->record.reservation, self->reservation) != 0) {
            codec_clear (&part_record_codec, &part->record);
            part->known = part->answered = false;
        }
    }
    if (--self->waiting == 0)
        locate_go_on (self, now);
}

static void locate_ask (locate_t *self, const moment_t *now, size_t at)
{
    located_part_t *part = &self->parts [at];
    show_request_t question;
    memcpy (question.reservation, self->reservation, sizeof question.reservation);
    self->waiting++;
    part->suspected =
      self->unresponsive && unresponsive_has (self->unresponsive, now, part->party.name);
    part->call = service_ask (
      self->service, now,
      &(call_order_t){.peer = part->party.name,
                      .endpoint = part->party.endpoint,
                      .service = "Participant",
                      .method = "Show",
                      .timeout_ms = part->suspected ? unresponsive_try_ms (self->settings->try_ms)
                                                    : self->settings->try_ms,
                      .tries_max = part->suspected ? 1 : 2},
      codec_encode (&show_request_codec, &question), on_shown, self, at);
}

static void locate_on_nobody (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    locate_t *self = owner;
    self->timer = 0;
    locate_finish (self, now);
}

/*  Adds all that may have a part of it, but for those that are there already. */
static void add_directory (locate_t *self)
{
    const directory_t *directory = directory_of (self->service);
    size_t before = self->count;
    for (const directory_entry_t *entry = NULL; (entry = next_provider (directory, entry));) {
        bool had = false;
        for (size_t i = 0; i < before && !had; i++)
            had = strcmp (self->parts [i].party.name, entry->name) == 0;
        participant_ref_t party = participant_ref_of_entry (entry);
        if (!had)
            locate_add_part (self, &party);
    }
}

static bool is_large (const locate_t *self)
{
    const directory_entry_t *entry = NULL;
    size_t count = 0;
    while (count <= self->settings->locate_all_max &&
           (entry = next_provider (directory_of (self->service), entry)))
        count++;
    return count > self->settings->locate_all_max;
}

/*  --- what homes know --- */

static void locate_on_parties (void *owner, const moment_t *now, uint64_t token,
                               const call_result_t *result)
{
    locate_t *self = owner;
    parties_told_t told;
    self->home_calls [token] = 0;
    if (call_take (result, &parties_told_codec, &told, NULL)) {
        add_parties (self, told.list, told.count, "");
        codec_clear (&parties_told_codec, &told);
    } else {
        const char *const *homes;
        directory_homes (directory_of (self->service), &homes);
        snprintf (self->home_silent, sizeof self->home_silent, "%s", homes [token]);
    }
    if (--self->homes_waiting == 0)
        locate_go_on (self, now);
}

/*  False: there is nobody to ask. */
static bool ask_homes (locate_t *self, const moment_t *now)
{
    const char *const *homes;
    size_t homes_count = directory_homes (directory_of (self->service), &homes);
    if (homes_count == 0)
        return false;
    self->homes_asked = true;
    self->homes_waiting = homes_count;
    parties_question_t question;
    memcpy (question.reservation, self->reservation, sizeof question.reservation);
    for (size_t i = 0; i < homes_count; i++)
        self->home_calls [i] = service_ask (self->service, now,
                                            &(call_order_t){.peer = homes [i],
                                                            .service = "Home",
                                                            .method = "Parties",
                                                            .timeout_ms = self->settings->try_ms,
                                                            .tries_max = 1},
                                            codec_encode (&parties_question_codec, &question),
                                            locate_on_parties, self, i);
    return true;
}

locate_t *locate_new (service_t *service, const planner_settings_t *settings,
                      unresponsive_t *unresponsive, const moment_t *now, const char *reservation,
                      const plan_t *plan, locate_done_fn *done, void *owner)
{
    locate_t *self = must (calloc (1, sizeof *self));
    self->service = service;
    self->settings = settings;
    self->unresponsive = unresponsive;
    self->done = done;
    self->owner = owner;
    snprintf (self->reservation, sizeof self->reservation, "%s", reservation);
    self->of_plan = plan != NULL;
    bool release = plan && plan->operation == OPERATION_RELEASE;
    self->narrow = !plan && is_large (self) && ask_homes (self, now);
    if (self->narrow)
        return self;
    if (!release)
        add_directory (self);
    if (release) /* all others have released it */
        add_parties (self, plan->awaited, plan->awaited_count, "");
    else if (plan)
        add_participants (self, plan);
    for (size_t i = 0; i < self->count && plan; i++)
        self->parts [i].in_question =
          parties_find (plan->participants, plan->participants_count, self->parts [i].party.name);
    if (!ask_next (self, now))
        self->timer = timers_set (service->timers, now->mono_ms, locate_on_nobody, self, 0);
    return self;
}

void locate_destroy (locate_t **self_p)
{
    locate_t *self = *self_p;
    if (!self)
        return;
    for (size_t i = 0; i < DIRECTORY_HOMES_MAX; i++)
        calls_cancel (self->service->calls, self->home_calls [i]);
    for (size_t i = 0; i < self->count; i++) {
        calls_cancel (self->service->calls, self->parts [i].call);
        codec_clear (&part_record_codec, &self->parts [i].record);
    }
    timers_cancel (self->service->timers, self->timer);
    free (self->parts);
    free (self);
    *self_p = NULL;
}
