/*  votes - a site's or domain's no, and the home's (T2). */
#include "votes.h"

#include <string.h>

/*  --- a site's or domain's no --- */

static void note_reason (answer_t *answer, const participant_ref_t *party, const refusal_t *refusal)
{
    const char *resource = *refusal->resource ? refusal->resource : party->name;
    reason_t *reason = answer_reason (answer, refusal->need, resource, "%s: %s%s%s", party->name,
                                      refusal_reason_word (refusal->reason),
                                      *refusal->text ? ": " : "", refusal->text);
    reason->from_ms = refusal->from_ms;
    reason->until_ms = refusal->until_ms;
    reason->wanted = refusal->wanted;
    reason->free = refusal->free;
}

/*  In its own words, where it has some. */
static void learn_refused (const votes_t *self, size_t source, const refusal_t *refusal)
{
    lessons_learn (self->lessons, self->snapshot, source, 0,
                   *refusal->text ? refusal->text : refusal_reason_word (refusal->reason));
}

static void learn_fresh (snapshot_t *snapshot, size_t source, const refusal_t *refusal)
{
    for (size_t i = 0; i < refusal->fresh_count; i++) {
        free_profile_t *free_profile =
          snapshot_free_profile (snapshot, source, refusal->fresh [i].resource);
        if (free_profile)
            free_profile_patch (free_profile, &refusal->fresh [i]);
    }
}

static void learn_short (const votes_t *self, size_t source, const refusal_t *refusal)
{
    /* "ams/thin" is what site ams says; the snapshot has "thin", or nothing of that name. */
    const char *slash = strrchr (refusal->resource, '/');
    const char *resource = slash ? slash + 1 : refusal->resource;
    learn_fresh (self->snapshot, source, refusal);
    free_profile_t *free_profile = snapshot_free_profile (self->snapshot, source, resource);
    if (free_profile && refusal->from_ms < refusal->until_ms)
        free_profile_deny (free_profile, refusal->from_ms, refusal->until_ms, refusal->wanted);
    else if (refusal->fresh_count == 0)
        learn_refused (self, source, refusal);
}

/*  It says that the plan came too late, but by our clock there is time left: its clock is ahead,
 *  and will be in the next round. */
static bool clock_ahead (const plan_t *plan, const moment_t *now, const refusal_t *refusal)
{
    return refusal->reason == REFUSAL_LATE && now->wall_ms < plan->decide_by_ms &&
           now->wall_ms < plan->edge_ms;
}

/*  Later plans start that much later there: by how late the vote was, and by how long this round
 *  took. A source is left out when no plan could wait long enough for its clock, or when this plan,
 *  made before (algorithm ip has a list of them), did not wait as was learned already. */
static void learn_ahead (const votes_t *self, const moment_t *now, size_t source,
                         const refusal_t *refusal)
{
    int64_t round_ms = self->rounds->took_ms, decide_ms = self->attempt->settings->decide_ms;
    int64_t given_ms = self->attempt->plan.decide_by_ms - now->wall_ms + round_ms;
    bool near = refusal->free <= 0 && refusal->free > -decide_ms &&
                given_ms >= self->snapshot->sources [source].ahead_ms;
    if (near && given_ms + round_ms - refusal->free <= decide_ms)
        lessons_learn_ahead (self->lessons, self->snapshot, source, round_ms - refusal->free);
    else
        lessons_learn (self->lessons, self->snapshot, source, 0, "its clock is ahead");
}

static votes_verdict_t learn_refusal (const votes_t *self, const moment_t *now, size_t source,
                                      const refusal_t *refusal)
{
    operation_t operation = self->attempt->plan.operation;
    if (operation == OPERATION_RESERVE && source != SIZE_MAX &&
        clock_ahead (&self->attempt->plan, now, refusal)) {
        learn_ahead (self, now, source, refusal);
        return VOTES_AGAIN;
    }
    switch (refusal->reason) {
    case REFUSAL_BUSY_CHANGE:
    case REFUSAL_STALE_VERSION:
    case REFUSAL_NO_RESERVATION:
    case REFUSAL_ENDED: /* somebody took this planner for dead and ended this attempt (T7, T8) */
    case REFUSAL_LATE:
        return VOTES_AGAIN;
    default:
        break;
    }
    /* Without a source it has part of the reservation already, so no plan can avoid it. */
    if (operation == OPERATION_RELEASE || source == SIZE_MAX)
        return VOTES_GIVE_UP;
    if (refusal->reason == REFUSAL_CLAIM_ANSWERED) /* the request's home has forgotten it (T2) */
        return VOTES_GIVE_UP;
    if (refusal->reason == REFUSAL_SHORT)
        learn_short (self, source, refusal);
    else if (refusal->reason == REFUSAL_LIMIT && refusal->from_ms < refusal->until_ms)
        /* The limit on uncommitted holds is reached for now (hold_quota.h). A source that only
         * discloses windows teaches nothing: the same plan may be accepted after the pause, because
         * most holds end soon. */
        learn_fresh (self->snapshot, source, refusal);
    else if (refusal->reason == REFUSAL_TOO_NEAR && refusal->from_ms > now->wall_ms)
        lessons_learn (self->lessons, self->snapshot, source, refusal->from_ms - now->wall_ms,
                       NULL);
    else
        learn_refused (self, source, refusal);
    return VOTES_AGAIN;
}

static votes_verdict_t learn_party (const votes_t *self, const moment_t *now,
                                    const participant_ref_t *party, const vote_t *vote)
{
    size_t source = self->snapshot ? snapshot_source (self->snapshot, party->name) : SIZE_MAX;
    switch (vote->kind) {
    case VOTE_YES:
    case VOTE_WAITING:
        break;
    case VOTE_REFUSED:
        note_reason (self->answer, party, &vote->refusal);
        return learn_refusal (self, now, source, &vote->refusal);
    case VOTE_SILENT:
    case VOTE_LOST:
    case VOTE_WRONG:
        answer_reason (self->answer, "", party->name, "%s: %s", party->name, vote->why);
        self->rounds->unheard = self->rounds->unheard || vote->kind == VOTE_SILENT;
        if (source != SIZE_MAX)
            lessons_learn (self->lessons, self->snapshot, source, 0, vote->why);
        break;
    }
    return VOTES_AGAIN;
}

/*  --- the home's no (T2) --- */

static votes_verdict_t learn_home (const votes_t *self, const participant_ref_t *party,
                                   const vote_t *vote)
{
    const attempt_t *attempt = self->attempt;
    switch (vote->kind) {
    case VOTE_YES:
    case VOTE_WAITING:
        return VOTES_AGAIN;
    case VOTE_REFUSED:
        break;
    default:
        answer_reason (self->answer, "", party->name, "%s: %s", party->name, vote->why);
        return VOTES_NO_HOME;
    }
    switch (vote->refusal.reason) {
    case REFUSAL_CONFLICT:
        return VOTES_CONFLICT;
    case REFUSAL_CLAIM_ANSWERED:
        return VOTES_LOOK;
    case REFUSAL_CLAIM_BUSY:
        return trail_takes_remains (attempt->trail, attempt->coordinator, vote->refusal.holder)
                 ? VOTES_AGAIN
                 : VOTES_LOOK;
    case REFUSAL_ENDED:
    case REFUSAL_LATE:
        return VOTES_AGAIN;
    default:
        note_reason (self->answer, party, &vote->refusal);
        return VOTES_GIVE_UP;
    }
}

votes_verdict_t votes_learn (const votes_t *self, const moment_t *now)
{
    votes_verdict_t gravest = VOTES_AGAIN;
    const attempt_t *attempt = self->attempt;
    for (size_t i = 0; i < attempt->count; i++) {
        const participant_ref_t *party = &attempt->voters [i].party;
        const vote_t *vote = &attempt->voters [i].vote;
        votes_verdict_t verdict = strcmp (party->name, attempt->plan.home) == 0
                                    ? learn_home (self, party, vote)
                                    : learn_party (self, now, party, vote);
        gravest = verdict > gravest ? verdict : gravest;
    }
    return gravest;
}

/*  --- counting --- */

const char *vote_counter (const vote_t *vote)
{
    static const char *const refused [REFUSAL_REASONS] = {
      [REFUSAL_SHORT] = "no_short",
      [REFUSAL_TOO_NEAR] = "no_too_near",
      [REFUSAL_OUTSIDE] = "no_outside",
      [REFUSAL_UNKNOWN_RESOURCE] = "no_unknown_resource",
      [REFUSAL_LIMIT] = "no_limit",
      [REFUSAL_MAY_NOT] = "no_may_not",
      [REFUSAL_BUSY_CHANGE] = "no_busy_change",
      [REFUSAL_STALE_VERSION] = "no_stale_version",
      [REFUSAL_LATE] = "no_late",
      [REFUSAL_ENDED] = "no_ended",
      [REFUSAL_CONFLICT] = "no_conflict",
      [REFUSAL_CLAIM_BUSY] = "no_claim_busy",
      [REFUSAL_CLAIM_ANSWERED] = "no_claim_answered",
      [REFUSAL_STORE_FULL] = "no_store_full",
      [REFUSAL_NO_RESERVATION] = "no_no_reservation",
      [REFUSAL_FENCED] = "no_fenced",
    };
    if (vote->kind == VOTE_REFUSED)
        return refused [vote->refusal.reason];
    if (vote->kind == VOTE_SILENT)
        return "no_silent";
    return vote->kind == VOTE_LOST || vote->kind == VOTE_WRONG ? "no_not_understood" : NULL;
}
