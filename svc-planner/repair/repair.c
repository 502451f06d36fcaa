/*  repair - locate what each participant still has, take the next step, and locate again, until the
 *  reservation is whole or gone. Telling the home is the last step.
 */
#include "repair.h"

#include "home_wire.h"
#include "member.h"
#include "must.h"
#include "outcomes.h"
#include "participant_ref.h"
#include "repair_answer.h"
#include "shares.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AGAIN_MS        1000  /* pause before the next look, jittered */
#define LISTED_MS_MAX   60000 /* that an answer waits until all its participants are listed */
#define AGAIN_DOUBLINGS 2 /* while a release waits for silent participants, it doubles so often */

typedef struct {
    repairs_t *repairs;
    pendings_t *pendings;
    txid_t txid;                     /* of the decision */
    const decision_record_t *record; /* the coordinator's */
    plan_t plan;                     /* as decided */
    bool lost [PARTICIPANTS_MAX];
    before_t before;
    uint32_t epoch;
    uint32_t tries;
    int64_t end_ms;
    int64_t until_mono_ms;       /* no more plans are looked for after this */
    int64_t listed_by_ms;        /* it is told then, whoever is not listed; 0 = not waiting */
    char cause [SENTENCE_BYTES]; /* which participant could not keep its part, and why */
    char last [SENTENCE_BYTES];  /* why the last plan failed */
    repair_step_t step;
    repair_order_t repair_order;
    pending_t *replanning;
    uint64_t timer;
    uint32_t pauses;
    locate_t *locate;
    outcomes_t *outcomes;
    attempt_t *attempt;
    trail_t trail;
    bool releasing; /* a release is decided and being driven */
    txid_t release;
    int64_t release_end_ms;
    uint64_t call;              /* to the home */
    char text [SENTENCE_BYTES]; /* how it ended */
} repair_t;

static void repair_look (repair_t *self, const moment_t *now);

/*  Is the decision a release? Then all who voted have released, and the silent ones are awaited. */
static bool is_rest (const repair_t *self)
{
    return self->plan.operation == OPERATION_RELEASE;
}

static void repair_free (repair_t *self)
{
    pendings_t *pendings = self->pendings;
    ordered_remove (self->repairs->open, &self->txid);
    timers_cancel (pendings->service->timers, self->timer);
    calls_cancel (pendings->service->calls, self->call);
    if (self->replanning)
        pending_destroy (self->replanning);
    attempt_destroy (&self->attempt);
    if (self->releasing)
        coordinator_disown (pendings->coordinator, &self->release);
    outcomes_destroy (&self->outcomes);
    locate_destroy (&self->locate);
    trail_clear (&self->trail);
    codec_clear (&before_codec, &self->before);
    codec_clear (&plan_codec, &self->plan);
    free (self);
}

static void repair_on_again (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    repair_t *self = owner;
    self->timer = 0;
    repair_look (self, now);
}

static void repair_again (repair_t *self, const moment_t *now)
{
    service_t *service = self->pendings->service;
    uint64_t most_ms = AGAIN_MS;
    if (is_rest (self)) /* a participant may be away for days */
        most_ms <<= self->pauses < AGAIN_DOUBLINGS ? self->pauses++ : AGAIN_DOUBLINGS;
    int64_t pause_ms = (int64_t) (most_ms / 2 + prng_below (&service->prng, most_ms));
    timers_cancel (service->timers, self->timer);
    self->timer = timers_set (service->timers, now->mono_ms + pause_ms, repair_on_again, self, 0);
}

/*  --- the end --- */

static void repair_finish (repair_t *self, const moment_t *now, decision_end_t end)
{
    pendings_t *pendings = self->pendings;
    txid_t txid = self->txid;
    char text [SENTENCE_BYTES];
    memcpy (text, self->text, sizeof text);
    trail_abort (&self->trail, pendings->coordinator, now, NULL, "");
    repair_free (self);
    coordinator_repaired (pendings->coordinator, now, &txid, end, text);
}

static size_t home_index (const repair_t *self)
{
    size_t at = 0;
    while (at < self->plan.participants_count &&
           strcmp (self->plan.participants [at].name, self->plan.home) != 0)
        at++;
    return at;
}

/*  The home; NULL when it has lost the claim. */
static const participant_ref_t *repair_home_of (const repair_t *self)
{
    size_t at = home_index (self);
    bool kept = at < self->plan.participants_count && !self->lost [at];
    return kept ? &self->plan.participants [at] : NULL;
}

static void on_home_status (void *owner, const moment_t *now, uint64_t token,
                            const call_result_t *result)
{
    repair_t *self = owner;
    const participant_ref_t *home = &self->plan.participants [token];
    self->call = 0;
    self->lost [token] =
      result->status == CALL_OK && status_lost (result->body, result->store, home);
    repair_again (self, now);
}

/*  Another store answers at the home's address. The claim is lost only if the other one has the
 *  home's name; an address proves nothing (T16). */
static void ask_home_status (repair_t *self, const moment_t *now, const participant_ref_t *home)
{
    call_order_t order = participant_ref_status_order (home, self->pendings->settings);
    self->call = service_ask (self->pendings->service, now, &order, (packed_t){0}, on_home_status,
                              self, home_index (self));
}

static void repair_release (repair_t *self, const moment_t *now);
static bool stands (const repair_t *self, const moment_t *now);

/*  What the home told before: by us, before an earlier restart, or by a planner that fenced the
 *  decision and repaired it, too. False also when a home of the version before does not say so. */
static bool told_refused (const refusal_t *refusal)
{
    answer_t answer;
    char why [WHY_BYTES];
    bytes_t packed = {.data = refusal->answer, .size = refusal->answer_size};
    if (refusal->reason != REFUSAL_CONFLICT || packed.size == 0 ||
        !codec_decode (&answer_codec, &answer, packed, why))
        return false;
    bool refused = answer.status == ANSWER_REFUSED;
    codec_clear (&answer_codec, &answer);
    return refused;
}

static void on_amended (void *owner, const moment_t *now, uint64_t token,
                        const call_result_t *result)
{
    (void) token;
    repair_t *self = owner;
    command_answer_t answer;
    self->call = 0;
    int64_t forgotten_ms = self->end_ms + self->pendings->settings->retention_ms;
    if (timekeeper_least (&self->pendings->service->timekeeper, now) >= forgotten_ms) {
        repair_finish (self, now,
                       DECISION_END_RELEASED); /* the home has forgotten the claim by now */
        return;
    }
    if (result->status == CALL_WRONG_STORE) {
        ask_home_status (self, now, repair_home_of (self));
        return;
    }
    if (!call_take (result, &command_answer_codec, &answer, NULL)) {
        repair_again (self, now);
        return;
    }
    bool undo = told_refused (&answer.refusal) && stands (self, now);
    bool told = answer.refusal.reason == REFUSAL_NONE || answer.refusal.reason == REFUSAL_CONFLICT;
    bool gone = answer.refusal.reason == REFUSAL_ENDED;
    codec_clear (&command_answer_codec, &answer);
    if (undo)
        repair_release (self, now);
    else if (told || gone)
        repair_finish (self, now, told ? DECISION_END_REPAIRED : DECISION_END_RELEASED);
    else
        repair_again (self, now);
}

/*  The answer that the home will give when the user asks again. */
static packed_t compose (const repair_t *self, answer_status_t status)
{
    answer_t answer = {.status = status};
    if (status == ANSWER_COMMITTED)
        repair_answer_standing (directory_of (self->pendings->service), self->locate, &answer);
    if (status == ANSWER_COMMITTED || self->plan.operation != OPERATION_RESERVE)
        memcpy (answer.reservation, self->plan.reservation, sizeof answer.reservation);
    memcpy (answer.planner, self->pendings->service->name, sizeof answer.planner);
    memcpy (answer.request_id, self->plan.request_id, sizeof answer.request_id);
    snprintf (answer.algorithm, sizeof answer.algorithm, "auto");
    answer_reason (&answer, "", "", "%s", self->text);
    packed_t packed = codec_encode (&answer_codec, &answer);
    if (packed.size > CLAIM_ANSWER_BYTES_MAX) { /* show still tells the paths */
        connections_free (answer.network, answer.network_count);
        answer.network = NULL;
        answer.network_count = 0;
        free (packed.data);
        packed = codec_encode (&answer_codec, &answer);
    }
    codec_clear (&answer_codec, &answer);
    return packed;
}

/*  The repair has ended: tell the home first, then the user (T2). */
static void repair_conclude (repair_t *self, const moment_t *now, answer_status_t status)
{
    const participant_ref_t *home = repair_home_of (self);
    if (!home) {
        repair_finish (self, now, DECISION_END_RELEASED);
        return;
    }
    packed_t answer = compose (self, status);
    packed_t body =
      codec_encode (&amend_request_codec, &(amend_request_t){self->txid, self->epoch, answer});
    call_order_t order =
      participant_ref_order (home, self->pendings->settings, "Participant", "Amend");
    self->call = service_ask (self->pendings->service, now, &order, body, on_amended, self, 0);
    free (answer.data);
}

static void conclude_restore_guard (repair_t *self, const moment_t *now, const char *how)
{
    snprintf (self->text, sizeof self->text, "%.120s: %s", self->cause, how);
    repair_conclude (self, now, ANSWER_COMMITTED);
}

static void conclude_failed (repair_t *self, const moment_t *now, const char *how)
{
    snprintf (self->text, sizeof self->text, "failed, %s: %.120s%s%.60s", how, self->cause,
              *self->last ? "; " : "", self->last);
    repair_conclude (self, now, ANSWER_REFUSED);
}

/*  The home has answered the release long since. */
static void conclude_rest (repair_t *self, const moment_t *now, const char *how)
{
    snprintf (self->text, sizeof self->text, "%.120s, %s", self->cause, how);
    repair_finish (self, now, DECISION_END_REPAIRED);
}

/*  --- another plan in its place --- */

static void on_mended (void *owner, const moment_t *now, repair_end_t end, const char *text)
{
    repair_t *self = owner;
    self->replanning = NULL;
    if (end == REPAIR_LOST || end == REPAIR_NO_PLAN)
        snprintf (self->last, sizeof self->last, "%s", text);
    if (end == REPAIR_NO_PLAN || (end == REPAIR_LOST && self->step == REPAIR_SAME))
        self->step++;
    if (end == REPAIR_DEFERRED)
        repair_again (self, now);
    else
        repair_look (self, now);
}

/*  A home that has lost the claim could let the request be carried out twice, so nothing of it may
 *  remain. */
static repair_step_t repair_next_step (const repair_t *self, const moment_t *now)
{
    const planner_settings_t *settings = self->pendings->settings;
    bool change = self->plan.operation == OPERATION_MODIFY && self->before.parts_count > 0;
    repair_step_t step = self->step;
    if (self->tries >= settings->repair_tries_max || now->mono_ms >= self->until_mono_ms)
        return REPAIR_NOTHING;
    if (step < REPAIR_BACK && !repair_home_of (self))
        step = REPAIR_BACK;
    if (step == REPAIR_BACK && !change)
        step = REPAIR_NOTHING;
    return step;
}

static void repair_order (repair_t *self, const moment_t *now)
{
    self->tries++;
    coordinator_repair_try (self->pendings->coordinator, &self->txid);
    service_count (self->pendings->service, "repair_tries", 1);
    self->repair_order = (repair_order_t){.step = self->step,
                                          .plan = &self->plan,
                                          .lost = self->lost,
                                          .before = &self->before,
                                          .ended = on_mended,
                                          .owner = self};
    self->replanning = pending_repair (self->pendings, now, &self->repair_order);
}

/*  --- the release --- */

static void on_released (void *owner, const moment_t *now, decision_end_t end, const char *text)
{
    (void) end; /* the next look shows what is left */
    (void) text;
    repair_t *self = owner;
    self->releasing = false;
    repair_look (self, now);
}

static void repair_on_voted (void *owner, const moment_t *now, bool prepared)
{
    repair_t *self = owner;
    pendings_t *pendings = self->pendings;
    plan_t *plan = &self->attempt->plan;
    self->release = plan->txid;
    self->releasing =
      prepared && coordinator_decide (pendings->coordinator, now, plan, self->attempt->mono_by_ms,
                                      self->release_end_ms, NULL, on_released, self);
    attempt_destroy (&self->attempt);
    if (!self->releasing)
        repair_again (self, now);
}

/*  Does the participant still book something? If its clock is ahead, it takes its part for over too
 *  early and has it again once the clock is set right. So such a part counts until it is over by
 *  our clock, too. */
static bool books (const repair_t *self, const moment_t *now, const located_part_t *part)
{
    const part_record_t *record = &part->record;
    int64_t now_ms = timekeeper_least (&self->pendings->service->timekeeper, now);
    bool stands = record->state == RECORD_RESERVED || record->state == RECORD_ACTIVATED;
    holding_t holding = holding_of (record);
    bool ahead = record->state == RECORD_RELEASED && holding_end (&holding) > now_ms;
    return part->known && !holding_empty (&holding) && (stands || ahead);
}

/*  Is it a plan that this repair has made? */
static bool repair_has_attempt (const repair_t *self, const part_record_t *record)
{
    return record->plan_set && txid_compare (&record->plan.repairs, &self->txid) == 0;
}

typedef struct {
    participant_ref_t list [PARTICIPANTS_MAX];
    size_t count;
} unheard_t;

static void add_unheard (const repair_t *self, unheard_t *unheard, const participant_ref_t *parties,
                         size_t count, const bool *lost)
{
    for (size_t i = 0; i < count; i++) {
        bool known = strcmp (parties [i].name, self->plan.home) == 0 || (lost && lost [i]) ||
                     locate_heard (self->locate, parties [i].name);
        if (!known && !parties_find (unheard->list, unheard->count, parties [i].name) &&
            unheard->count < PARTICIPANTS_MAX)
            unheard->list [unheard->count++] = parties [i];
    }
}

/*  The participants that may still have a part and have not answered. */
static void find_unheard (const repair_t *self, unheard_t *unheard)
{
    const plan_t *plan = &self->plan;
    const part_record_t *newest = locate_newest (self->locate);
    unheard->count = 0;
    add_unheard (self, unheard, plan->awaited, plan->awaited_count, NULL);
    if (plan->operation != OPERATION_RELEASE) /* else they have given it back */
        add_unheard (self, unheard, plan->participants, plan->participants_count, self->lost);
    add_unheard (self, unheard, self->record->made, self->record->made_count, NULL);
    if (!newest || !repair_has_attempt (self, newest))
        return;
    plan = &newest->plan;
    add_unheard (self, unheard, plan->participants, plan->participants_count, NULL);
    add_unheard (self, unheard, plan->awaited, plan->awaited_count, NULL);
}

/*  The release goes to all that book something. Its plan names the silent ones, too, so that they
 *  are not lost sight of if this is the last version on record. */
static void fill_release (repair_t *self, const moment_t *now, plan_t *plan)
{
    unheard_t unheard;
    find_unheard (self, &unheard);
    plan->awaited = must (malloc (sizeof unheard.list));
    memcpy (plan->awaited, unheard.list, sizeof unheard.list);
    plan->awaited_count = unheard.count;
    plan->participants = must (calloc (self->locate->count + 1, sizeof *plan->participants));
    for (size_t i = 0; i < self->locate->count; i++) {
        const located_part_t *part = &self->locate->parts [i];
        if (!books (self, now, part) || plan->participants_count == PARTICIPANTS_MAX)
            continue;
        participant_ref_t *party = &plan->participants [plan->participants_count++];
        *party = part->party;
        memcpy (party->store, part->store, STORE_ID_BYTES);
        /* The actor whom the other participants let release it. */
        snprintf (plan->actor, sizeof plan->actor, "%s",
                  is_rest (self) ? self->plan.actor : part->record.owner);
        snprintf (plan->owner, sizeof plan->owner, "%s", part->record.owner);
        plan->base_version = part->record.version;
        holding_t holding = holding_of (&part->record);
        int64_t end_ms = holding_end (&holding);
        plan->edge_ms = end_ms > plan->edge_ms ? end_ms : plan->edge_ms;
    }
    plan->repairs = self->txid;
    snprintf (plan->reservation, sizeof plan->reservation, "%s", self->plan.reservation);
    coordinator_sign (self->pendings->coordinator, plan);
}

/*  Put the release of everything that is still booked to the vote. This is done here and not by a
 *  pending request: it needs no plan, and may go only to some of the participants. */
static void repair_release (repair_t *self, const moment_t *now)
{
    pendings_t *pendings = self->pendings;
    const planner_settings_t *settings = pendings->settings;
    plan_t plan = {.operation = OPERATION_RELEASE, .end_ms = self->end_ms};
    fill_release (self, now, &plan);
    int64_t wall_ms = timekeeper_most (&pendings->service->timekeeper, now);
    plan.decide_by_ms = wall_ms + settings->decide_ms;
    if (plan.decide_by_ms > plan.edge_ms - settings->guard_ms)
        plan.decide_by_ms = plan.edge_ms - settings->guard_ms;
    if (plan.decide_by_ms <=
        wall_ms) { /* the reservation ends before a vote could: wait for that */
        codec_clear (&plan_codec, &plan);
        repair_again (self, now);
        return;
    }
    plan.txid = coordinator_begin (pendings->coordinator);
    self->release_end_ms = plan.edge_ms;
    attempt_part_t parts [PARTICIPANTS_MAX];
    for (size_t i = 0; i < plan.participants_count; i++)
        parts [i] =
          (attempt_part_t){.kind = participant_ref_part_kind (plan.participants [i].name)};
    trail_abort (&self->trail, pendings->coordinator, now, &plan, "");
    service_count (pendings->service, "repair_releases", 1);
    self->attempt = attempt_new (pendings->service, pendings->coordinator, settings, now, &plan,
                                 parts, &self->trail, false, repair_on_voted, self);
}

/*  --- the look --- */

/*  Have all participants of this version answered, and those its release awaits? */
static bool version_heard (const repair_t *self, const part_record_t *newest)
{
    if (!newest || !newest->plan_set)
        return true;
    const plan_t *plan = &newest->plan;
    for (size_t i = 0; i < plan->participants_count; i++) {
        const char *name = plan->participants [i].name;
        if (strcmp (name, plan->home) != 0 && !locate_heard (self->locate, name))
            return false;
    }
    for (size_t i = 0; i < plan->awaited_count; i++)
        if (!locate_heard (self->locate, plan->awaited [i].name))
            return false;
    return true;
}

/*  Does the directory list all that book something, or has it been waited for? One that has
 *  answered will be listed soon; the answer has paths, latencies and costs from there, and the home
 *  keeps it for ever. */
static bool all_listed (repair_t *self, const moment_t *now)
{
    const directory_t *directory = directory_of (self->pendings->service);
    for (size_t i = 0; i < self->locate->count; i++) {
        const located_part_t *part = &self->locate->parts [i];
        holding_t holding = holding_of (&part->record);
        if (part->known && !holding_empty (&holding) &&
            !directory_find (directory, part->party.name)) {
            if (self->listed_by_ms == 0)
                self->listed_by_ms = now->mono_ms + LISTED_MS_MAX;
            return now->mono_ms >= self->listed_by_ms;
        }
    }
    return true;
}

/*  Has another change or release been committed since? It went to all participants, so its own
 *  coordinator repairs what it leaves. */
static bool superseded (const repair_t *self, const part_record_t *newest)
{
    return newest && newest->version > self->plan.base_version + 1 && newest->plan_set &&
           !repair_has_attempt (self, newest);
}

/*  Is part of it released already? Then no plan may take its place. */
static bool is_released (const repair_t *self, const part_record_t *newest)
{
    return is_rest (self) || (newest && repair_has_attempt (self, newest) &&
                              newest->plan.operation == OPERATION_RELEASE);
}

/*  Take the next step, now that no change is pending. */
static void repair_act (repair_t *self, const moment_t *now, const part_record_t *newest,
                        size_t booked)
{
    unheard_t unheard;
    find_unheard (self, &unheard);
    bool heard = unheard.count == 0;
    repair_step_t step = is_released (self, newest) ? REPAIR_NOTHING : repair_next_step (self, now);
    if (step != REPAIR_NOTHING && heard) {
        self->step = step;
        repair_order (self, now);
    } else if (step != REPAIR_NOTHING) {
        repair_again (self, now);
    } else if (booked > 0) {
        repair_release (self, now);
    } else if (heard && is_rest (self)) {
        conclude_rest (self, now, "and has given it back since");
    } else if (heard) {
        conclude_failed (self, now, "and released again everywhere");
    } else {
        repair_again (self, now);
    }
}

static size_t booked_of (const repair_t *self, const moment_t *now)
{
    size_t booked = 0;
    for (size_t i = 0; i < self->locate->count; i++)
        booked += books (self, now, &self->locate->parts [i]);
    return booked;
}

/*  Is the version from before the change in force again? */
static bool went_back (const repair_t *self, const plan_t *plan)
{
    const before_t *before = &self->before;
    bool same = plan->request_size == before->request_size &&
                memcmp (plan->request, before->request, before->request_size) == 0;
    bool changed = plan->request_size != self->plan.request_size ||
                   memcmp (plan->request, self->plan.request, plan->request_size) != 0;
    return self->plan.operation == OPERATION_MODIFY && same && changed;
}

/*  Have all participants of the plan that this repair made acknowledged it? */
static void repair_on_outcomes (void *owner, const moment_t *now, outcomes_verdict_t verdict)
{
    repair_t *self = owner;
    const part_record_t *newest = locate_newest (self->locate);
    const plan_t *plan = &newest->plan;
    switch (verdict) {
    case OUTCOMES_COMPLETE:
        if (plan->operation == OPERATION_RELEASE) {
            repair_act (self, now, newest, booked_of (self, now));
        } else if (went_back (self, plan)) {
            self->last [0] = '\0';
            conclude_failed (self, now, "and is as it was before");
        } else if (!repair_home_of (self) && self->plan.operation == OPERATION_RESERVE) {
            repair_act (self, now, newest, booked_of (self, now));
        } else if (version_heard (self, newest) && all_listed (self, now)) {
            conclude_restore_guard (self, now, "repaired: its places are now those of this answer");
        } else {
            repair_again (self, now); /* all keep it, but what they have is not known yet */
        }
        break;
    case OUTCOMES_GONE:
        self->step = self->step == REPAIR_SAME ? REPAIR_ELSEWHERE : self->step;
        repair_act (self, now, newest, booked_of (self, now));
        break;
    case OUTCOMES_OPEN:
        repair_again (self, now);
        break;
    }
}

/*  Does a plan that a repair has put in the place of a new reservation still book something? Not if
 *  its window has passed before it was looked for. */
static bool stands (const repair_t *self, const moment_t *now)
{
    const part_record_t *newest = self->locate ? locate_newest (self->locate) : NULL;
    return self->plan.operation == OPERATION_RESERVE && newest &&
           repair_has_attempt (self, newest) && booked_of (self, now) > 0;
}

static void repair_on_located (void *owner, const moment_t *now)
{
    repair_t *self = owner;
    const pendings_t *pendings = self->pendings;
    const part_record_t *newest = locate_newest (self->locate);
    size_t booked = booked_of (self, now), pending = 0;
    for (size_t i = 0; i < self->locate->count; i++)
        pending += self->locate->parts [i].known && self->locate->parts [i].record.pending_set;
    if (superseded (self, newest)) {
        bool released = newest->plan.operation == OPERATION_RELEASE;
        if (!version_heard (self, newest) || (released && booked > 0))
            repair_again (self, now);
        else if (released)
            conclude_failed (self, now, "and released since");
        else
            conclude_restore_guard (self, now, "it has been changed since");
    } else if (pending > 0 || !directory_known (directory_of (pendings->service))) {
        locate_abort_remains (self->locate, self->pendings->coordinator, now);
        repair_again (self, now);
    } else if (newest && repair_has_attempt (self, newest) &&
               (!is_released (self, newest) || booked == 0)) {
        coordinator_made (pendings->coordinator, &self->txid, &newest->plan);
        outcomes_destroy (&self->outcomes);
        self->outcomes = outcomes_new (pendings->service, pendings->settings, now, &newest->plan,
                                       repair_on_outcomes, self);
    } else {
        repair_act (self, now, newest, booked);
    }
}

static void repair_look (repair_t *self, const moment_t *now)
{
    pendings_t *pendings = self->pendings;
    /* T14: a store restored from an old backup may have forgotten decisions. It would call them
     * aborted and give out their txids again, so nothing is done until it is known to be whole. */
    if (restore_guard_state (restore_guard_of (pendings->service)) != RESTORE_GUARD_GOOD) {
        repair_again (self, now);
        return;
    }
    if (timekeeper_least (&pendings->service->timekeeper, now) >= self->end_ms) {
        (is_rest (self) ? conclude_rest : conclude_failed) (self, now, "and its window has passed");
        return;
    }
    locate_destroy (&self->locate);
    self->locate = locate_new (pendings->service, pendings->settings, NULL, now,
                               self->plan.reservation, &self->plan, repair_on_located, self);
}

void repair_begin (void *owner, const moment_t *now, const decision_record_t *record)
{
    repairs_t *repairs = owner;
    pendings_t *pendings = repairs->pendings;
    repair_t *self = must (calloc (1, sizeof *self));
    self->repairs = repairs;
    self->pendings = pendings;
    self->txid = record->plan.txid;
    self->record = record;
    codec_copy (&plan_codec, &self->plan, &record->plan);
    codec_copy (&before_codec, &self->before, &record->before);
    memcpy (self->lost, record->lost, sizeof self->lost);
    memcpy (self->cause, record->text, sizeof self->cause);
    self->epoch = record->epoch;
    self->tries = record->repair_tries;
    self->end_ms = record->end_ms;
    self->until_mono_ms = now->mono_ms + pendings->settings->repair_limit_ms;
    ordered_add (repairs->open, &self->txid, self);
    /* Later, because the coordinator is in the midst of this decision. */
    self->timer = timers_set (pendings->service->timers, now->mono_ms + pendings->settings->done_ms,
                              repair_on_again, self, 0);
}

static int compare_repair (const void *key, const void *thing)
{
    return txid_compare (key, &((const repair_t *) thing)->txid);
}

void repairs_open (repairs_t *self)
{
    self->open = ordered_new (compare_repair);
}

void repairs_close (repairs_t *self)
{
    repair_t *repair;
    while ((repair = ordered_after (self->open, NULL)))
        repair_free (repair);
    ordered_destroy (&self->open);
}
