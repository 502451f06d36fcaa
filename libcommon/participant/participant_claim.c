/*  participant_claim - the answer that a home keeps with a claim (T2).
 *
 *  It comes with the hold or with the vote, and stays. It is replaced only once, when somebody
 *  could not keep a commit and the repair of that has ended (T10).
 */
#include "participant_state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool claim_same (const command_t *command, packed_t claim)
{
    return command->part.size == claim.size &&
           (claim.size == 0 || memcmp (command->part.data, claim.data, claim.size) == 0);
}

bool claims_match (packed_t kept, bytes_t other)
{
    part_body_t old = part_kept (PART_CLAIM, kept), new;
    char why [WHY_BYTES];
    bool same = part_decode (&new, PART_CLAIM, other, why) &&
                memcmp (old.claim.digest, new.claim.digest, DIGEST_BYTES) == 0;
    part_clear (&old);
    part_clear (&new);
    return same;
}

/*  Makes this claim the command's part. */
static void claim_keep (command_t *command, packed_t *claim, const part_body_t *part)
{
    const resource_t *resource = &command->participant->resource;
    command->span = resource->span (resource->owner, part);
    if (command->span.set && command->span.until_ms > command->until_ms)
        command->until_ms = command->span.until_ms;
    free (command->part.data);
    command->part_untold = true;
    command->part = *claim;
    *claim = (packed_t){0};
}

/*  Replaces the claim that the command was held with. */
static void claim_replace (command_t *command, const moment_t *now, const plan_t *plan,
                           packed_t *claim, const part_body_t *part)
{
    const resource_t *resource = &command->participant->resource;
    refusal_t refusal = {0};
    resource->drop (resource->owner, command->taken);
    command->taken = resource->take (resource->owner, now, plan, NULL, part, true, &refusal);
    assert (command->taken);
    codec_clear (&refusal_codec, &refusal);
    claim_keep (command, claim, part);
}

bool claim_complete (command_t *command, const moment_t *now, packed_t *claim, refusal_t *refusal,
                     char why [WHY_BYTES])
{
    const resource_t *resource = &command->participant->resource;
    if (claim_same (command, *claim))
        return true;
    if (command->state != COMMAND_HELD || !resource->claims ||
        !claims_match (command->part, packed_bytes (*claim)))
        return refuse_with (refusal, REFUSAL_CONFLICT,
                            "the transaction is held with another claim, or with none");
    part_body_t part = part_kept (PART_CLAIM, *claim);
    plan_t plan = command_plan (command);
    bool good = resource->valid (resource->owner, &plan, &part, refusal, why);
    if (good)
        claim_replace (command, now, &plan, claim, &part);
    codec_clear (&plan_codec, &plan);
    part_clear (&part);
    return good;
}

/*  --- amend --- */

/*  A claim that was committed before its coordinator died has not been fenced. A planner that says
 *  it has fenced the others is then believed, because nobody else can end the repair (T8). */
static bool may_amend (const participant_t *self, const request_t *request, const txid_t *txid,
                       const command_t *command, uint32_t epoch)
{
    if (epoch == 0)
        return participant_may (self, VERB_COMMIT, request, txid, command);
    if (!participant_is_planner (request->actor))
        return false;
    return !command || command->epoch == 0 ||
           (command->epoch == epoch && strcmp (command->fenced_by, request->actor) == 0);
}

/*  With the answer that was told: another planner may have repaired it, too, and come to another
 *  end (T10). */
static bool refuse_amended (const command_t *command, refusal_t *refusal)
{
    part_body_t part = part_kept (PART_CLAIM, command->part);
    refusal->answer = part.claim.answer.data;
    refusal->answer_size = part.claim.answer.size;
    part.claim.answer = (packed_t){0}; /* handed over */
    part_clear (&part);
    return refuse_with (refusal, REFUSAL_CONFLICT,
                        "the answer of this request is final: it has been amended, or "
                        "everybody has acknowledged it");
}

/*  The claim as it is, with another answer. */
static packed_t claim_with (const command_t *command, packed_t answer)
{
    part_body_t part = part_kept (PART_CLAIM, command->part);
    packed_t claim = claim_part_encode (part.claim.digest, packed_bytes (answer));
    part_clear (&part);
    return claim;
}

/*  False with *refusal, or why when the home does not understand it. */
static bool amend (command_t *command, packed_t *claim, refusal_t *refusal, char why [WHY_BYTES])
{
    participant_t *self = command->participant;
    const resource_t *resource = &self->resource;
    if (command->amended && claim_same (command, *claim))
        return true;
    if (command->amended || command->done)
        return refuse_amended (command, refusal);
    plan_t plan = command_plan (command);
    part_body_t part = part_kept (PART_CLAIM, *claim);
    bool good = resource->valid (resource->owner, &plan, &part, refusal, why);
    if (good) {
        claim_keep (command, claim, &part);
        command->amended = true;
        command_put (command, &(change_t){.from = command->state, .event = "amend"});
        service_count (self->service, "amended", 1);
        command_tell_final (command);
    }
    part_clear (&part);
    codec_clear (&plan_codec, &plan);
    return good;
}

void participant_on_amend (void *owner, const moment_t *now, const request_t *request, void *body)
{
    participant_t *self = owner;
    const amend_request_t *asked = body;
    char why [WHY_BYTES] = "";
    command_t *command;
    if (!reads_ready (self, request, &asked->txid, 1))
        return;
    command = command_find (self, &asked->txid);
    if (!may_amend (self, request, &asked->txid, command, asked->epoch)) {
        participant_answer_may_not (self, request, &asked->txid);
    } else if (!command || !self->resource.claims || command->state != COMMAND_COMMITTED) {
        participant_answer_ended (self, now, request, &asked->txid, command);
    } else {
        command_answer_t answer = command_answer (command, now);
        packed_t claim = claim_with (command, asked->answer);
        if (amend (command, &claim, &answer.refusal, why))
            participant_answer (self, request, &answer);
        else
            participant_answer_or_refuse (self, request, &answer, why);
        free (claim.data);
    }
}
