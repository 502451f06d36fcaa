/*  answer_wire - answers to command verbs with their refusals, and the small messages around a
 *  txid, to and from proto/transaction.proto.
 */
#include "transaction_wire.h"

#include <stdlib.h>

/*  --- refusal --- */

static const codec_row_t step_rows [] = {
  ROW_TIME ("from_ms", profile_step_t, from_ms),
  ROW_NUMBER ("free", profile_step_t, free),
};
static const codec_t profile_step_codec = CODEC (profile_step_t, profile__step, step_rows);

static const codec_row_t profile_rows [] = {
  ROW_WORD ("resource", profile_t, resource),
  ROW_LIST ("steps", profile_t, steps, steps_count, profile_step, 1, PROFILE_STEPS_MAX),
  ROW_TIME ("until_ms", profile_t, until_ms),
};

static bool answer_profile_rule (void *self, char why [WHY_BYTES])
{
    const profile_t *profile = self;
    for (size_t i = 1; i < profile->steps_count; i++)
        if (profile->steps [i].from_ms <= profile->steps [i - 1].from_ms)
            return wrong (why, "steps[%zu].from_ms: must ascend", i);
    return profile->until_ms > profile->steps [profile->steps_count - 1].from_ms ||
           wrong (why, "until_ms: must be after the last step");
}

const codec_t profile_codec = CODEC_RULED (profile_t, profile, profile_rows, answer_profile_rule);

static const codec_row_t refusal_rows [] = {
  ROW_ENUM ("reason", refusal_t, reason, REFUSAL_REASONS - 1, FROM (REFUSAL_NONE + 1)),
  ROW_WORD ("resource", refusal_t, resource, OR_NONE),
  ROW_TEXT ("need", refusal_t, need, OR_NONE),
  ROW_NUMBER ("from_ms", refusal_t, from_ms),
  ROW_NUMBER ("until_ms", refusal_t, until_ms),
  ROW_NUMBER ("wanted", refusal_t, wanted),
  ROW_NUMBER ("free", refusal_t, free),
  ROW_NUMBER ("frees_ms", refusal_t, frees_ms),
  ROW_LIST ("fresh", refusal_t, fresh, fresh_count, profile, 0, PROFILES_MAX),
  ROW_ONE ("blocker", refusal_t, blocker, txid, SET_BY (refusal_t, blocker_set)),
  ROW_POINTER ("holder", refusal_t, holder, plan),
  ROW_BYTES ("answer", refusal_t, answer, answer_size, CLAIM_ANSWER_BYTES_MAX),
  ROW_FLAG ("done", refusal_t, done),
  ROW_TEXT ("text", refusal_t, text, OR_NONE),
};
const codec_t refusal_codec = CODEC (refusal_t, refusal, refusal_rows);

/*  --- command answer --- */

static const codec_row_t command_answer_rows [] = {
  ROW_ONE ("txid", command_answer_t, txid, txid),
  ROW_ENUM ("state", command_answer_t, state, COMMAND_STATES - 1),
  ROW_ONE ("refusal", command_answer_t, refusal, refusal,
           SET_BY (command_answer_t, refusal.reason)),
  ROW_NUMBER ("ttl_ms", command_answer_t, ttl_ms),
  ROW_FLAG ("late", command_answer_t, late),
  ROW_NUMBER ("epoch", command_answer_t, epoch),
};
const codec_t command_answer_codec = CODEC (command_answer_t, command_answer, command_answer_rows);

/*  --- small messages --- */

/*  CommitRequest and AbortRequest have the same layout, and so has OutcomeRequest without epoch. */
static const codec_row_t decision_rows [] = {
  ROW_ONE ("txid", decision_request_t, txid, txid),
  ROW_NUMBER ("epoch", decision_request_t, epoch),
};
const codec_t decision_request_codec = CODEC (decision_request_t, commit_request, decision_rows);

static const codec_row_t renew_rows [] = {
  ROW_ONE ("txid", renew_request_t, txid, txid),
  ROW_NUMBER ("ttl_ms", renew_request_t, ttl_ms),
};
const codec_t renew_request_codec = CODEC (renew_request_t, renew_request, renew_rows);

static const codec_row_t prepare_rows [] = {
  ROW_ONE ("txid", prepare_request_t, txid, txid),
  ROW_PACKED ("claim", prepare_request_t, claim.data, claim.size, &claim_part_codec,
              SET_BY (prepare_request_t, claim_set)),
};
const codec_t prepare_request_codec = CODEC (prepare_request_t, prepare_request, prepare_rows);

static const codec_row_t resolve_rows [] = {
  ROW_ONE ("txid", resolve_request_t, txid, txid),
  ROW_TIME ("decide_by_ms", resolve_request_t, decide_by_ms),
};
const codec_t resolve_request_codec = CODEC (resolve_request_t, resolve_request, resolve_rows);

static const codec_row_t fence_rows [] = {
  ROW_ONE ("txid", fence_request_t, txid, txid),
  ROW_NUMBER ("epoch", fence_request_t, epoch, LEAST (1)), /* 0 is the coordinator's own */
  ROW_TIME ("decide_by_ms", fence_request_t, decide_by_ms),
};
const codec_t fence_request_codec = CODEC (fence_request_t, fence_request, fence_rows);

static const codec_row_t done_rows [] = {
  ROW_LIST ("txids", done_request_t, txids, count, txid, 0, DONE_TXIDS_MAX),
};
const codec_t done_request_codec = CODEC (done_request_t, done_request, done_rows);

static const codec_row_t amend_rows [] = {
  ROW_ONE ("txid", amend_request_t, txid, txid),
  ROW_NUMBER ("epoch", amend_request_t, epoch),
  ROW_BYTES ("answer", amend_request_t, answer.data, answer.size, CLAIM_ANSWER_BYTES_MAX, FROM (1)),
};
const codec_t amend_request_codec = CODEC (amend_request_t, amend_request, amend_rows);

static const codec_row_t outcome_rows [] = {
  ROW_ONE ("txid", outcome_answer_t, txid, txid),
  ROW_ENUM ("outcome", outcome_answer_t, outcome, OUTCOME_ABORTED),
  ROW_FLAG ("done", outcome_answer_t, done),
};
const codec_t outcome_answer_codec = CODEC (outcome_answer_t, outcome_answer, outcome_rows);
