/*  pending - receipt and answer of a user's request.
 *
 *  A request body is recognised by its digest: the same id with other bytes is a conflict, the same
 *  bytes again wait for the same answer (T2).
 */
#include "pending.h"

#include "member.h"
#include "must.h"
#include "participant_ref.h"
#include "planner_wire.h"
#include "planning.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#define BACKOFF_DOUBLINGS 4 /* then halved again, so that old requests go before new ones */
#define VOTE_MS           1000
#define CLOSING_SHARE     6 /* the last sixth of a request's time is for closing it */

static_assert (DIGEST_BYTES >= crypto_generichash_BYTES_MIN &&
                 DIGEST_BYTES <= crypto_generichash_BYTES_MAX,
               "BLAKE2b gives a digest of this size");

const char *const operation_words [] = {
  [OPERATION_RESERVE] = "reserve", [OPERATION_MODIFY] = "modify", [OPERATION_RELEASE] = "release"};

static void digest_body (uint8_t digest [DIGEST_BYTES], const request_t *request)
{
    crypto_generichash_state state;
    crypto_generichash_init (&state, NULL, 0, DIGEST_BYTES);
    crypto_generichash_update (&state, (const uint8_t *) request->method,
                               strlen (request->method) + 1);
    crypto_generichash_update (&state, request->body.data, request->body.size);
    crypto_generichash_final (&state, digest, DIGEST_BYTES);
}

/*  Answer without a pending request. */
static void pending_reply (pendings_t *pendings, const request_t *request, answer_status_t status,
                           const char *request_id, const char *reason)
{
    answer_t answer = {.status = status};
    snprintf (answer.planner, sizeof answer.planner, "%s", pendings->service->name);
    snprintf (answer.request_id, sizeof answer.request_id, "%s", request_id);
    answer_reason (&answer, "", "", "%s", reason);
    service_reply (pendings->service, request, codec_encode (&answer_codec, &answer));
    codec_clear (&answer_codec, &answer);
}

/*  A repeat of a request in progress waits for the same answer. */
static void receipt_join (receipt_t *self, pendings_t *pendings, const request_t *request,
                          const uint8_t digest [DIGEST_BYTES])
{
    /* Only the home knows which body the id belongs to: the one in progress may be the wrong one.
     */
    if (memcmp (self->digest, digest, DIGEST_BYTES) != 0)
        pending_reply (pendings, request, ANSWER_IN_PROGRESS, self->name.full,
                       "this request id is in progress for another request: ask again");
    else if (self->waiters_count == WAITERS_MAX)
        pending_reply (
          pendings, request, ANSWER_IN_PROGRESS, self->name.full,
          "the request is in progress, and as many as may do wait for its answer already");
    else
        self->waiters [self->waiters_count++] = request->reply_to;
}

static bool name_request (pendings_t *pendings, const moment_t *now, const request_t *request,
                          request_name_t *name)
{
    char why [WHY_BYTES], id [REQUEST_ID_BYTES_MAX + 1];
    const char *const *homes;
    size_t homes_count = directory_homes (directory_of (pendings->service), &homes);
    if (homes_count == 0)
        return service_refuse (pendings->service, request, CALL_OVERLOADED,
                               "the directory has not answered this planner yet: ask again");
    /* A request without an id gets one here, which the answer tells. */
    const char *wanted =
      *request->request_id ? request->request_id : sodium_bin2hex (id, sizeof id, now->entropy, 12);
    if (!request_name_parse (name, request->actor, wanted, homes, homes_count, why))
        return service_refuse (pendings->service, request, CALL_BAD_REQUEST, "%s", why);
    return true;
}

static bool receivable (pendings_t *pendings, const request_t *request)
{
    if (pendings->settings->finishing)
        return service_refuse (
          pendings->service, request, CALL_OVERLOADED,
          "this planner only settles what a dead one left: ask another planner");
    if (strlen (request->actor) > NAME_BYTES_MAX ||
        !word_sound (request->actor, strlen (request->actor)))
        return service_refuse (pendings->service, request, CALL_BAD_REQUEST,
                               "actor: must be a name without blanks, 1 to %d bytes",
                               NAME_BYTES_MAX);
    if (!directory_known (directory_of (pendings->service)))
        return service_refuse (pendings->service, request, CALL_OVERLOADED,
                               "the directory has not answered this planner yet: ask again");
    return true;
}

static bool room_for_one (pendings_t *pendings, const request_t *request)
{
    if (ordered_count (pendings->open) < pendings->settings->in_progress_max)
        return true;
    service_count (pendings->service, "overloaded", 1);
    return service_refuse (
      pendings->service, request, CALL_OVERLOADED,
      "%u requests are in progress, as many as limits/in_progress_max allows: ask "
      "again later, or another planner",
      pendings->settings->in_progress_max);
}

/*  --- steps --- */

static const char *const step_words [STEPS] = {
  [STEP_RECEIVED] = "received", [STEP_LOCATE] = "locate", [STEP_PLAN] = "plan",
  [STEP_VOTE] = "vote",         [STEP_AGAIN] = "again",   [STEP_NEXT] = "next",
  [STEP_LOOK] = "look",         [STEP_LATE] = "late",     [STEP_GIVE_UP] = "give-up",
  [STEP_DOUBT] = "doubt",
};

enum {
    BEGUN = STATE (STEP_RECEIVED),
    PLANNING = STATE (STEP_LOCATE) | STATE (STEP_PLAN) | STATE (STEP_NEXT),
    OPEN = PLANNING | STATE (STEP_VOTE) | STATE (STEP_AGAIN),
};

static const state_step_t follows [] = {
  {BEGUN | STATE (STEP_LOCATE) | STATE (STEP_PLAN) | STATE (STEP_AGAIN), STEP_LOCATE,
   .repeats = true, .when = "where the reservation is must be asked"},
  {BEGUN | PLANNING, STEP_PLAN, .repeats = true, .when = "what is free must be asked"},
  {PLANNING, STEP_VOTE, .when = "there is a proposal"},
  {STATE (STEP_VOTE) | STATE (STEP_LOOK), STEP_AGAIN, .when = "another plan may be accepted"},
  {STATE (STEP_AGAIN), STEP_NEXT, .when = "the pause is over"},
  {STATE (STEP_VOTE), STEP_LOOK, .when = "the home has an answer, or another attempt"},
  {OPEN | STATE (STEP_LOOK), STEP_LATE, .when = "time has run out"},
  {OPEN | STATE (STEP_LATE), STEP_GIVE_UP, .when = "there will be no plan"},
  {PLANNING | STATE (STEP_LATE), STEP_DOUBT, .when = "who was silent could make one possible"},
};
const state_table_t pending_states = {
  .name = "pending", .states = step_words, STATE_STEPS (follows)};

void pending_go (pending_t *self, const moment_t *now, pending_step_t step)
{
    assert (states_allow (&pending_states, self->step, 0, step));
    self->step = step;
    self->pendings->steps [step](self, now);
}

/*  The at-th participant that has not acknowledged, by the home's decision (confirm) or by ours. */
static const participant_ref_t *awaited_at (const confirm_t *confirm,
                                            const coordinator_t *coordinator, const txid_t *ours,
                                            size_t at)
{
    return confirm ? confirm_awaited (confirm, at) : coordinator_awaited (coordinator, ours, at);
}

void pending_tell_open (pending_t *self, const moment_t *now)
{
    const confirm_t *confirm = self->close.confirm;
    const coordinator_t *coordinator = self->pendings->coordinator;
    const txid_t *ours = &self->vote.txid;
    const participant_ref_t *party = awaited_at (confirm, coordinator, ours, 0);
    for (size_t i = 0; party; party = awaited_at (confirm, coordinator, ours, ++i)) {
        char words [PARTICIPANT_REF_WORDS_BYTES];
        answer_reason (&self->answer, "", party->name,
                       "committed, but %s has not acknowledged yet: ask again",
                       participant_ref_words (party->name, words));
    }
    if (self->answer.reasons_count == 0)
        answer_reason (&self->answer, "", "",
                       "committed, but not every participant has acknowledged yet: ask again");
    pending_tell (self, now, ANSWER_IN_PROGRESS);
}

/*  Time is up: answer with what is known now. */
static void pending_on_limit (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    pending_t *self = owner;
    self->receipt.limit_timer = 0;
    if (self->repair_order && self->vote.decided) {
        return; /* nobody waits for it, and the coordinator drives it to its end */
    } else if (self->vote.decided || self->close.confirm) {
        self->answer.reasons_count = 0;
        pending_tell_open (self, now);
    } else if (self->close.giving_up) {
        answer_reason (&self->answer, "", self->receipt.name.home,
                       "the request's home does not answer: ask again");
        pending_tell (self, now, ANSWER_UNKNOWN);
    } else {
        int64_t rest_ms = self->pendings->settings->request_limit_ms / CLOSING_SHARE;
        self->receipt.limit_timer = timers_set (self->pendings->service->timers,
                                                now->mono_ms + rest_ms, pending_on_limit, self, 0);
        pending_go (self, now, STEP_LATE);
    }
}

pending_t *pending_begin (pendings_t *pendings, const moment_t *now, operation_t operation,
                          const receipt_t *receipt)
{
    pending_t *self = must (calloc (1, sizeof *self));
    self->pendings = pendings;
    self->operation = operation;
    self->plan.algorithm = &algorithm_auto;
    self->number = ++pendings->begun;
    self->receipt = *receipt;
    self->receipt.begun_ms = now->mono_ms;
    self->receipt.begun_wall_ms = now->wall_ms;
    self->rounds.votable_ms = VOTE_MS;
    self->plan.check_from_ms = INT64_MIN;
    self->close.keep_until_ms = now->wall_ms;
    int64_t limit_ms = pendings->settings->request_limit_ms;
    self->receipt.limit_timer =
      timers_set (pendings->service->timers, now->mono_ms + limit_ms - limit_ms / CLOSING_SHARE,
                  pending_on_limit, self, 0);
    ordered_add (pendings->open, self, self);
    return self;
}

pending_t *pending_new (pendings_t *pendings, const moment_t *now, const request_t *request,
                        operation_t operation, bool dry_run)
{
    pending_t key = {0};
    receipt_t *receipt = &key.receipt;
    if (!receivable (pendings, request))
        return NULL;
    snprintf (receipt->actor, sizeof receipt->actor, "%s", request->actor);
    receipt->dry_run = dry_run;
    if (!dry_run) {
        if (!name_request (pendings, now, request, &receipt->name))
            return NULL;
        digest_body (receipt->digest, request);
        pending_t *same = ordered_find (pendings->open, &key);
        if (same) {
            receipt_join (&same->receipt, pendings, request, receipt->digest);
            return NULL;
        }
        if (!directory_find (directory_of (pendings->service), receipt->name.home)) {
            pending_reply (pendings, request, ANSWER_UNKNOWN, receipt->name.full,
                           "the request's home is not in the directory: ask again");
            return NULL;
        }
    }
    if (!room_for_one (pendings, request))
        return NULL;
    receipt->waiters [receipt->waiters_count++] = request->reply_to;
    service_count (pendings->service, "requests", 1);
    return pending_begin (pendings, now, operation, receipt);
}

void pending_stop (pending_t *self)
{
    service_t *service = self->pendings->service;
    timers_cancel (service->timers, self->pause_timer);
    calls_cancel (service->calls, self->close.call);
    self->pause_timer = 0;
    self->close.call = 0;
    confirm_destroy (&self->close.confirm);
    claim_look_clear (&self->close.look);
    attempt_destroy (&self->vote.attempt);
    locate_destroy (&self->base.locate);
    planning_clear (&self->plan);
}

void pending_destroy (pending_t *self)
{
    ordered_remove (self->pendings->open, self);
    timers_cancel (self->pendings->service->timers, self->receipt.limit_timer);
    pending_stop (self);
    if (self->vote.decided)
        coordinator_disown (self->pendings->coordinator, &self->vote.txid);
    proposal_clear (&self->vote.proposal);
    trail_clear (&self->trail);
    codec_clear (&answer_codec, &self->answer);
    codec_clear (&request_patch_codec, &self->patch);
    user_request_clear (&self->request);
    free (self->plan.present_paths);
    free (self->plan.obstacles.list);
    free (self);
}

void pending_log (const pending_t *self, log_level_t level, const char *move, const char *detail)
{
    outbox_log (self->pendings->service->outbox, level,
                "request %s %s actor=%s kind=%s rounds=%u reservation=%s%s%s",
                self->repair_order      ? "repair"
                : self->receipt.dry_run ? "dry-run"
                                        : self->receipt.name.full,
                move, self->receipt.actor, operation_words [self->operation], self->rounds.count,
                *self->reservation ? self->reservation : "-", *detail ? " why=" : "", detail);
}

void pending_sign (const pending_t *self, const moment_t *now, answer_t *answer)
{
    answer->rounds = self->rounds.count;
    answer->planning_ms = now->mono_ms - self->receipt.begun_ms;
    snprintf (answer->planner, sizeof answer->planner, "%s", self->pendings->service->name);
    snprintf (answer->algorithm, sizeof answer->algorithm, "%s", self->plan.algorithm->name);
    snprintf (answer->request_id, sizeof answer->request_id, "%s", self->receipt.name.full);
}

int64_t pending_soonest_ms (const pending_t *self, const moment_t *now)
{
    const service_t *service = self->pendings->service;
    return timekeeper_most (&service->timekeeper, now) + self->pendings->settings->guard_ms +
           self->rounds.votable_ms + llabs (directory_skew_ms (directory_of (service)));
}

bool pending_propose (pending_t *self, const moment_t *now, const choice_t *choice)
{
    pendings_t *pendings = self->pendings;
    answer_t signature = {.status = ANSWER_UNKNOWN};
    const part_record_t *newest = self->base.locate ? locate_newest (self->base.locate) : NULL;
    pending_sign (self, now, &signature);
    signature.rounds++; /* this one counts */
    plan_order_t order = {.operation = self->operation,
                          .request = &self->request,
                          .actor = self->receipt.actor,
                          /* A change does not change the owner. */
                          .owner = newest && *newest->owner ? newest->owner : self->receipt.actor,
                          .reservation = self->reservation,
                          .name = &self->receipt.name,
                          .digest = self->receipt.digest,
                          .begun_wall_ms = self->receipt.begun_wall_ms,
                          .base = self->base.locate,
                          .base_version = self->base.version,
                          .effect_ms = self->plan.effect_ms,
                          .check_from_ms = self->plan.check_from_ms,
                          .repair = self->repair_order};
    propose_terms_t terms = {.coordinator = pendings->coordinator,
                             .directory = directory_of (pendings->service),
                             .settings = pendings->settings,
                             .recents = &pendings->recents,
                             .wall_ms = timekeeper_most (&pendings->service->timekeeper, now),
                             .signature = &signature};
    return propose (&order, self->plan.snapshot, choice, &terms, &self->vote.proposal,
                    &self->answer);
}

const char *answer_first_reason (const answer_t *answer, const char *otherwise)
{
    return answer->reasons_count > 0 ? answer->reasons [0].text : otherwise;
}

void pending_tell_packed (pending_t *self, const char *counter, const char *move,
                          const char *detail, packed_t answer)
{
    service_t *service = self->pendings->service;
    service_count (service, counter, 1);
    pending_log (self, LEVEL_INFO, move, detail);
    for (size_t i = 0; i < self->receipt.waiters_count; i++)
        outbox_reply (service->outbox, self->receipt.waiters [i], packed_bytes (answer));
    pending_destroy (self);
}

void pending_tell (pending_t *self, const moment_t *now, answer_status_t status)
{
    static const char *const counters [] = {
      [ANSWER_UNKNOWN] = "told_unknown",         [ANSWER_COMMITTED] = "told_committed",
      [ANSWER_REFUSED] = "told_refused",         [ANSWER_PLANNED] = "told_planned",
      [ANSWER_IN_PROGRESS] = "told_in_progress", [ANSWER_CONFLICT] = "told_conflict",
    };
    answer_t *answer = &self->answer;
    answer->status = status;
    pending_sign (self, now, answer);
    /* The ids that an undecided reserve has tried name no reservation. */
    if (self->operation != OPERATION_RESERVE || status == ANSWER_IN_PROGRESS)
        snprintf (answer->reservation, sizeof answer->reservation, "%s", self->reservation);
    packed_t packed = codec_encode (&answer_codec, answer);
    pending_tell_packed (self, counters [status], answer_status_word (status),
                         answer_first_reason (answer, ""), packed);
    free (packed.data);
}

static void on_pause (void *owner, const moment_t *now, uint64_t step)
{
    pending_t *self = owner;
    self->pause_timer = 0;
    pending_go (self, now, (pending_step_t) step);
}

void pending_pause (pending_t *self, const moment_t *now, uint32_t round, pending_step_t step)
{
    service_t *service = self->pendings->service;
    int64_t base_ms = self->pendings->settings->backoff_ms;
    if (self->rounds.took_ms > 0 && 2 * self->rounds.took_ms < base_ms)
        base_ms = 2 * self->rounds.took_ms;
    int64_t most_ms = base_ms;
    for (uint32_t i = 1; i < round && i < BACKOFF_DOUBLINGS; i++)
        most_ms *= 2;
    for (uint32_t i = BACKOFF_DOUBLINGS; i < round && most_ms > base_ms; i++)
        most_ms /= 2;
    int64_t pause_ms = 1 + (int64_t) prng_below (&service->prng, (uint64_t) most_ms + 1);
    timers_cancel (service->timers, self->pause_timer);
    self->pause_timer = timers_set (service->timers, now->mono_ms + pause_ms, on_pause, self, step);
}

/*  By actor and request id; dry runs have no request id and are told apart by number. */
int pending_compare (const void *key, const void *thing)
{
    const pending_t *first = key, *second = thing;
    int order = strcmp (first->receipt.actor, second->receipt.actor);
    if (order == 0)
        order = strcmp (first->receipt.name.full, second->receipt.name.full);
    if (order != 0 || *first->receipt.name.full)
        return order;
    return (first->number > second->number) - (first->number < second->number);
}
