/*  participant - the verbs on a command that is known, and how the parts are put together.
 *
 *  Every verb names a txid and may be repeated: what was done before is answered from the record.
 *  The caller's right is checked first: a caller without it learns nothing, not even whether the
 *  command exists.
 */
#include "member.h"
#include "participant_state.h"

#include "access.h"
#include "must.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOLD_TTL_MS  60000
#define DOUBT_MS_MAX 15000

static const setting_t participant_rows [] = {
  SET_MERGED_DURATION (participant_limits_t, hold_ttl_ms, "limits/hold_ttl",
                       "60s, or limits/hold_ttl_max where that is shorter"),
  SET_DURATION (participant_limits_t, hold_ttl_ms_max, "limits/hold_ttl_max", 300 * MS_SECOND, 100,
                MS_DAY,
                "longest life that a hold or a renewal grants; with renewals it lives twice as "
                "long at most"),
  SET_MERGED_DURATION (participant_limits_t, hold_age_ms_max, "limits/hold_age_max",
                       "twice limits/hold_ttl_max"),
  SET_COUNT (participant_limits_t, holds_max, "limits/holds_max", 65536, 16, SETTING_COUNT_MOST,
             "commands or claims held or prepared at once: a sixteenth of them for one actor, a "
             "quarter from one planner; four times as many transactions are remembered that will "
             "be refused when they come, as many as these of one planner"),
  SET_MERGED (participant_limits_t, holds_per_actor_max, "limits/holds_per_actor_max",
              "a sixteenth of limits/holds_max"),
  SET_MERGED (participant_limits_t, holds_per_planner_max, "limits/holds_per_planner_max",
              "a quarter of limits/holds_max"),
  SET_MERGED (participant_limits_t, tombstones_max, "limits/tombstones_max",
              "four times limits/holds_max"),
  SET_MERGED (participant_limits_t, tombstones_per_planner_max, "limits/tombstones_per_planner_max",
              "limits/holds_max"),
  SET_DURATION (participant_limits_t, retention_ms, "limits/retention", MS_DAY, MS_SECOND,
                100 * MS_YEAR,
                "how long finished records and claims are kept after the last window of their "
                "reservation"),
  SET_INSIDE (participant_limits_t, ledger, "", ledger_limits_t, &ledger_table),
  SET_DURATION (
    participant_limits_t, doubt_ms, "limits/doubt", 2 * MS_SECOND, 10, MS_DAY,
    "how long a vote waits for the decision before the coordinator is asked; between two "
    "such questions at most 15 s pass, or this if it is longer"),
  SET_MERGED_DURATION (participant_limits_t, doubt_ms_max, "limits/doubt_max",
                       "15s, or limits/doubt if that is longer"),
  SET_FIXED (participant_limits_t, list_max, "limits/list_max", 1000),
};

static const void *participant_rule (void *settings, char why [WHY_BYTES])
{
    (void) why;
    participant_limits_t *limits = settings;
    limits->hold_ttl_ms =
      limits->hold_ttl_ms_max < HOLD_TTL_MS ? limits->hold_ttl_ms_max : HOLD_TTL_MS;
    limits->hold_age_ms_max = 2 * limits->hold_ttl_ms_max;
    limits->holds_per_actor_max = limits->holds_max / 16;
    limits->holds_per_planner_max = limits->holds_max / 4;
    limits->tombstones_max = 4 * limits->holds_max;
    limits->tombstones_per_planner_max = limits->holds_max;
    limits->doubt_ms_max = limits->doubt_ms > DOUBT_MS_MAX ? limits->doubt_ms : DOUBT_MS_MAX;
    return NULL;
}

const setting_table_t participant_table =
  SETTING_TABLE (participant_limits_t, participant_rows, participant_rule);

static const char *const refusal_counters [REFUSAL_REASONS] = {
  [REFUSAL_SHORT] = "refused_short",
  [REFUSAL_TOO_NEAR] = "refused_too_near",
  [REFUSAL_OUTSIDE] = "refused_outside",
  [REFUSAL_UNKNOWN_RESOURCE] = "refused_unknown_resource",
  [REFUSAL_LIMIT] = "refused_limit",
  [REFUSAL_MAY_NOT] = "refused_may_not",
  [REFUSAL_BUSY_CHANGE] = "refused_busy",
  [REFUSAL_STALE_VERSION] = "refused_stale_version",
  [REFUSAL_LATE] = "refused_late",
  [REFUSAL_ENDED] = "refused_ended",
  [REFUSAL_CONFLICT] = "refused_conflict",
  [REFUSAL_CLAIM_BUSY] = "refused_claim_busy",
  [REFUSAL_CLAIM_ANSWERED] = "refused_claim_answered",
  [REFUSAL_STORE_FULL] = "refused_store_full",
  [REFUSAL_NO_RESERVATION] = "refused_no_reservation",
  [REFUSAL_FENCED] = "refused_fenced",
};

void participant_count_refusal (participant_t *self, const request_t *request,
                                const command_answer_t *answer)
{
    refusal_reason_t reason = answer->refusal.reason;
    assert (reason > 0 && reason < REFUSAL_REASONS);
    char text [TXID_TEXT_BYTES];
    service_count (self->service, refusal_counters [reason], 1);
    outbox_log (self->service->outbox, LEVEL_DEBUG, "hold %s refused verb=%s reason=%s state=%s",
                txid_text (&answer->txid, text), request->method, refusal_reason_word (reason),
                command_state_word (answer->state));
}

void participant_answer (participant_t *self, const request_t *request, command_answer_t *answer)
{
    if (answer->refusal.reason != REFUSAL_NONE)
        participant_count_refusal (self, request, answer);
    service_reply (self->service, request, codec_encode (&command_answer_codec, answer));
    codec_clear (&command_answer_codec, answer);
}

bool refuse_with (refusal_t *refusal, refusal_reason_t reason, const char *format, ...)
{
    va_list arguments;
    va_start (arguments, format);
    vsnprintf (refusal->text, sizeof refusal->text, format, arguments);
    va_end (arguments);
    refusal->reason = reason;
    return false;
}

/*  --- who asks about what --- */

bool participant_may (const participant_t *self, verb_t verb, const request_t *request,
                      const txid_t *txid, const command_t *command)
{
    char name [NAME_BYTES_MAX + 1];
    const char *object = command ? command->planner->name : txid_planner (txid, name);
    return may (self->access, verb, request->actor, request->actor, object);
}

command_answer_t participant_ended (const moment_t *now, const txid_t *txid,
                                    const command_t *command)
{
    command_answer_t answer = {.txid = *txid, .state = COMMAND_UNKNOWN};
    if (command)
        answer = command_answer (command, now);
    refuse_with (&answer.refusal, REFUSAL_ENDED, "the transaction is %s here",
                 command_state_word (answer.state));
    return answer;
}

void participant_answer_ended (participant_t *self, const moment_t *now, const request_t *request,
                               const txid_t *txid, const command_t *command)
{
    command_answer_t answer = participant_ended (now, txid, command);
    participant_answer (self, request, &answer);
}

void participant_answer_or_refuse (participant_t *self, const request_t *request,
                                   command_answer_t *answer, const char *why)
{
    if (answer->refusal.reason != REFUSAL_NONE)
        participant_answer (self, request, answer);
    else
        service_refuse (self->service, request, CALL_BAD_REQUEST, "%s", why);
}

static void participant_answer_state (const command_t *command, const moment_t *now,
                                      const request_t *request)
{
    command_answer_t answer = command_answer (command, now);
    participant_answer (command->participant, request, &answer);
}

void participant_answer_may_not (participant_t *self, const request_t *request, const txid_t *txid)
{
    command_answer_t answer = {.txid = *txid, .state = COMMAND_UNKNOWN};
    refuse_with (&answer.refusal, REFUSAL_MAY_NOT, "%.63s has no right to %s on this transaction",
                 request->actor, request->method);
    participant_answer (self, request, &answer);
}

bool participant_begin (participant_t *self, const moment_t *now, const request_t *request,
                        verb_t verb, const txid_t *txid, command_t **command)
{
    if (!reads_ready (self, request, txid, 1))
        return false;
    *command = command_find (self, txid);
    if (!participant_may (self, verb, request, txid, *command)) {
        participant_answer_may_not (self, request, txid);
        return false;
    }
    if (*command)
        command_age (*command, now);
    return true;
}

/*  --- renew --- */

static void participant_on_renew (void *owner, const moment_t *now, const request_t *request,
                                  void *body)
{
    participant_t *self = owner;
    const renew_request_t *asked = body;
    command_t *command;
    if (!participant_begin (self, now, request, VERB_RENEW, &asked->txid, &command))
        return;
    if (command && command->state == COMMAND_PREPARED) {
        participant_answer_state (command, now, request); /* a vote needs no renewal */
        return;
    }
    if (!command || command->state != COMMAND_HELD) {
        participant_answer_ended (self, now, request, &asked->txid, command);
        return;
    }
    uint32_t ttl_ms = asked->ttl_ms;
    if (ttl_ms == 0)
        ttl_ms = self->limits.hold_ttl_ms;
    if (ttl_ms > self->limits.hold_ttl_ms_max)
        ttl_ms = self->limits.hold_ttl_ms_max;
    int64_t end_mono_ms = command->held_mono_ms + self->limits.hold_age_ms_max;
    int64_t until_mono_ms = now->mono_ms + ttl_ms;
    if (until_mono_ms > end_mono_ms)
        until_mono_ms = end_mono_ms;
    if (until_mono_ms > command->expires_mono_ms) {
        command->expires_mono_ms = until_mono_ms;
        command->expires_ms = now->wall_ms + (until_mono_ms - now->mono_ms);
        command_watch (command, now);
        command_put (command, &(change_t){.from = command->state, .event = "renew"});
        service_count (self->service, "renewals", 1);
    } else if (command->expires_mono_ms >= end_mono_ms) {
        command_answer_t answer = command_answer (command, now);
        snprintf (answer.refusal.resource, sizeof answer.refusal.resource, "hold_age_ms_max");
        answer.refusal.wanted = now->mono_ms + ttl_ms - command->held_mono_ms;
        answer.refusal.free = self->limits.hold_age_ms_max;
        answer.refusal.frees_ms = command->expires_ms;
        refuse_with (&answer.refusal, REFUSAL_LIMIT, "a hold lives at most %g s, renewals included",
                     self->limits.hold_age_ms_max / 1e3);
        participant_answer (self, request, &answer);
        return;
    }
    participant_answer_state (command, now, request);
}

/*  --- prepare --- */

void participant_vote (command_t *command, const moment_t *now, const request_t *request)
{
    participant_t *self = command->participant;
    assert (command->state == COMMAND_HELD);
    bool undecided = command_decide_near (command, now);
    bool late = undecided || command_edge_near (command, now);
    if (late && command->operation != OPERATION_RELEASE) { /* R11, as with its hold */
        command_answer_t answer = command_answer (command, now);
        answer.refusal.until_ms = command->decide_by_ms;
        refuse_with (&answer.refusal, REFUSAL_LATE, "too late to vote: %s has passed",
                     undecided ? "decide_by" : "the edge of its window");
        participant_answer (self, request, &answer);
        return;
    }
    command_move (command, now, COMMAND_PREPARED, EVENT_PREPARE);
    participant_answer_state (command, now, request);
}

static void prepare_step (participant_t *self, const moment_t *now, const request_t *request,
                          const txid_t *txid, packed_t *claim)
{
    command_t *command;
    if (!participant_begin (self, now, request, VERB_PREPARE, txid, &command))
        return;
    if (!command || (command->state != COMMAND_HELD && command->state != COMMAND_PREPARED &&
                     command->state != COMMAND_COMMITTED)) {
        participant_answer_ended (self, now, request, txid, command);
        return;
    }
    char why [WHY_BYTES] = "";
    command_answer_t answer = command_answer (command, now);
    if (claim && !claim_complete (command, now, claim, &answer.refusal, why)) {
        participant_answer_or_refuse (self, request, &answer, why);
        return;
    }
    if (command->state == COMMAND_HELD)
        participant_vote (command, now, request);
    else
        participant_answer_state (command, now, request);
}

static void on_prepare (void *owner, const moment_t *now, const request_t *request, void *body)
{
    participant_t *self = owner;
    prepare_request_t *asked = body;
    prepare_step (self, now, request, &asked->txid, asked->claim_set ? &asked->claim : NULL);
}

/*  --- the decision --- */

/*  Finds the command and checks that the caller may decide it. False when the request has been
 *  answered. */
static bool begin_decision (participant_t *self, const moment_t *now, const request_t *request,
                            verb_t verb, const decision_request_t *asked, command_t **command)
{
    return participant_begin (self, now, request, asked->epoch > 0 ? VERB_FENCE : verb,
                              &asked->txid, command) &&
           participant_epoch_valid (self, now, request, &asked->txid, *command, asked->epoch);
}

static void participant_on_commit (void *owner, const moment_t *now, const request_t *request,
                                   void *body)
{
    participant_t *self = owner;
    const decision_request_t *asked = body;
    command_t *command;
    if (!begin_decision (self, now, request, VERB_COMMIT, asked, &command))
        return;
    if (command && (command->state == COMMAND_PREPARED || command->state == COMMAND_EDGE))
        command_decide_commit (command, now, EVENT_COMMIT);
    if (command && command->state == COMMAND_COMMITTED)
        participant_answer_state (command, now, request);
    else
        participant_answer_ended (self, now, request, &asked->txid, command); /* nothing was done */
}

/*  An administrator may end what is only held; a vote is the coordinator's alone (T3). */
static bool may_abort (const participant_t *self, const request_t *request, const txid_t *txid,
                       const command_t *command)
{
    return !command || command->state == COMMAND_HELD ||
           participant_may (self, VERB_COMMIT, request, txid, command);
}

command_t *participant_tombstone_asked (participant_t *self, const moment_t *now,
                                        const request_t *request, const txid_t *txid,
                                        int64_t decide_by_ms, command_event_t event)
{
    command_answer_t answer = {.txid = *txid, .state = COMMAND_UNKNOWN};
    bool known = event == EVENT_ABORT || readmit_over (self, &answer.refusal);
    command_t *tombstone =
      known ? command_make_tombstone (self, now, txid, decide_by_ms, event, &answer.refusal) : NULL;
    if (!tombstone)
        participant_answer (self, request, &answer);
    return tombstone;
}

static void participant_on_abort (void *owner, const moment_t *now, const request_t *request,
                                  void *body)
{
    participant_t *self = owner;
    const decision_request_t *asked = body;
    command_t *command;
    if (!begin_decision (self, now, request, VERB_ABORT, asked, &command))
        return;
    if (asked->epoch == 0 && !may_abort (self, request, &asked->txid, command)) {
        participant_answer_may_not (self, request, &asked->txid);
        return;
    }
    if (!command) {
        int64_t decide_by_ms = now->wall_ms + DECIDE_AHEAD_MS_MAX;
        command =
          participant_tombstone_asked (self, now, request, &asked->txid, decide_by_ms, EVENT_ABORT);
        if (!command)
            return;
    } else if (!command_finished (command)) {
        command_move (command, now, COMMAND_ABORTED, EVENT_ABORT);
    }
    if (command->state == COMMAND_ABORTED || command->state == COMMAND_EXPIRED)
        participant_answer_state (command, now, request);
    else
        participant_answer_ended (self, now, request, &asked->txid, command);
}

/*  --- done --- */

static void on_done (void *owner, const moment_t *now, const request_t *request, void *body)
{
    participant_t *self = owner;
    const done_request_t *asked = body;
    for (size_t i = 0; i < asked->count; i++) {
        /* A shelved one is done, or came to nothing. */
        command_t *command = ordered_find (self->commands, &asked->txids [i]);
        if (command && (participant_may (self, VERB_DONE, request, &asked->txids [i], command) ||
                        strcmp (command->fenced_by, request->actor) == 0))
            command_mark_done (command, now);
    }
    outbox_reply (self->service->outbox, request->reply_to, (bytes_t){0}); /* DoneAnswer is empty */
}

/*  --- how the parts are put together --- */

static void participant_on_start (void *owner, const moment_t *now)
{
    participant_t *self = owner;
    records_start (self, now);
    prune_start (self, now);
}

/*  For the ledger: does what a row records still exist? */
static bool participant_stands (void *owner, const ledger_subject_t *subject)
{
    const participant_t *self = owner;
    return (subject->txid_set && command_known (self, &subject->txid)) ||
           (*subject->reservation && reservation_find (self, subject->reservation));
}

participant_t *participant_new (service_t *service, const resource_t *resource,
                                const participant_limits_t *limits, const access_t *access)
{
    participant_t *self = must (calloc (1, sizeof *self));
    self->service = service;
    self->resource = *resource;
    self->limits = *limits;
    self->access = access;
    ledger_access (ledger_of (service), access);
    ledger_limit (ledger_of (service), &limits->ledger);
    ledger_stands (ledger_of (service), participant_stands, self);
    records_register (self);
    service_limits (service, &participant_table, limits);
    service_at_start (service, participant_on_start, self);
    static const struct {
        const char *method;
        const codec_t *codec;
        serve_t when; /* what begins sees to the room in the store itself */
        method_fn *handle;
    } methods [] = {
      {"Hold", &hold_codec, ALWAYS, participant_on_hold},
      {"Renew", &renew_request_codec, ALWAYS, participant_on_renew},
      {"Prepare", &prepare_request_codec, ALWAYS, on_prepare},
      {"Commit", &decision_request_codec, ALWAYS, participant_on_commit},
      {"Abort", &decision_request_codec, ALWAYS, participant_on_abort},
      {"Resolve", &resolve_request_codec, ALWAYS, participant_on_resolve},
      {"Fence", &fence_request_codec, ALWAYS, participant_on_fence},
      {"Amend", &amend_request_codec, ALWAYS, participant_on_amend},
      {"Outcome", &decision_request_codec, ALWAYS, participant_on_outcome},
      {"Done", &done_request_codec, ALWAYS, on_done},
      {"Show", &show_request_codec, ALWAYS, participant_on_show},
      {"List", &list_request_codec, ALWAYS, participant_on_list},
      {"Commands", &commands_request_codec, ALWAYS, participant_on_commands},
    };
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        service_serve (service, "Participant", methods [i].method, methods [i].codec,
                       methods [i].when, methods [i].handle, self);
    return self;
}

void participant_destroy (participant_t **self_p)
{
    participant_t *self = *self_p;
    if (!self)
        return;
    timers_cancel (self->service->timers, self->done_timer);
    timers_cancel (self->service->timers, self->prune_timer);
    records_destroy (self);
    free (self);
    *self_p = NULL;
}

const void *participant_current (const participant_t *self, const char *reservation)
{
    const reservation_t *found = reservation_find (self, reservation);
    return found ? found->current : NULL;
}

static bool participant_view_of (const reservation_t *reservation, reservation_view_t *view)
{
    if (!reservation)
        return false;
    *view =
      (reservation_view_t){.id = reservation->id,
                           .owner = reservation->owner,
                           .version = reservation->version,
                           .over = reservation->released || reservation->failed,
                           .failed = reservation->failed,
                           .current = reservation->current,
                           .part = {.data = reservation->part.data, .size = reservation->part.size},
                           .made_by = reservation->made_by};
    return true;
}

bool participant_find (const participant_t *self, const char *reservation, reservation_view_t *view)
{
    return participant_view_of (reservation_find (self, reservation), view);
}

bool participant_next (const participant_t *self, const char *after, reservation_view_t *view)
{
    return participant_view_of (ordered_after (self->reservations, after), view);
}

bool participant_command (const participant_t *self, const txid_t *txid, plan_t *plan,
                          bytes_t *part)
{
    const command_t *command = ordered_find (self->commands, txid);
    if (!command || command->plan.size == 0)
        return false;
    *plan = command_plan (command);
    *part = packed_bytes (command->part);
    return true;
}

bool participant_ready (participant_t *self, const request_t *request, const txid_t *txid)
{
    return reads_ready (self, request, txid, 1);
}

void participant_commands (const participant_t *self, const txid_t *after,
                           bool (*visit) (void *owner, const command_view_t *command), void *owner)
{
    txid_t at;
    if (after)
        at = *after;
    const txid_t *key = after ? &at : NULL;
    bool more = true;
    for (command_t *command; more && (command = ordered_after (self->commands, key));) {
        at = command->txid;
        key = &at;
        if (command->plan.size == 0)
            continue; /* a tombstone has no plan to show */
        plan_t plan = command_plan (command);
        command_view_t view = {.plan = &plan,
                               .state = command->state,
                               .part = {.data = command->part.data, .size = command->part.size},
                               .done = command->done || command->amended,
                               .amended = command->amended};
        more = visit (owner, &view);
        codec_clear (&plan_codec, &plan);
    }
}
