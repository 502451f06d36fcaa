/*  admission - verdicts and refusals. */
#include "admission.h"

#include "must.h"
#include "timetext.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t extra (const interval_change_t *change)
{
    return change->after - change->before;
}

static verdict_t admission_judged (refusal_reason_t reason, const interval_change_t *change)
{
    return (verdict_t){.reason = reason,
                       .resource = change->resource,
                       .over = change->over,
                       .wanted = change->after};
}

static verdict_t judge_outside (const free_capacity_t *room, const moment_t *now,
                                const interval_changes_t *changes)
{
    int64_t last_ms = free_capacity_horizon_ms (room, now) + free_capacity_terms (room)->gap_ms;
    for (size_t i = 0; i < changes->count; i++)
        if (extra (&changes->list [i]) > 0 && changes->list [i].over.until > last_ms)
            return admission_judged (REFUSAL_OUTSIDE, &changes->list [i]);
    return (verdict_t){.reason = REFUSAL_NONE};
}

/*  A reservation that gives back everything does not rewrite the past: a release always may. A
 *  modify that leaves what has begun would move it (R10). */
static bool leaves (const interval_changes_t *changes)
{
    for (size_t i = 0; i < changes->count; i++)
        if (changes->list [i].after > 0)
            return false;
    return true;
}

static verdict_t judge_near (const free_capacity_t *room, const moment_t *now,
                             const interval_changes_t *changes, judged_as_t as)
{
    int64_t soonest_ms = free_capacity_soonest_ms (room, now);
    int64_t now_ms = free_capacity_now_ms (room, now);
    bool may_give_back = as != JUDGED_MODIFY && leaves (changes);
    for (size_t i = 0; i < changes->count; i++) {
        const interval_change_t *change = &changes->list [i];
        bool too_near = extra (change) > 0 && change->over.from < soonest_ms;
        bool rewrites = extra (change) < 0 && change->over.from < now_ms && !may_give_back;
        if (too_near || rewrites)
            return admission_judged (REFUSAL_TOO_NEAR, change);
    }
    return (verdict_t){.reason = REFUSAL_NONE};
}

static verdict_t judge_short (const free_capacity_t *room, const interval_changes_t *changes)
{
    for (size_t i = 0; i < changes->count; i++) {
        const interval_change_t *change = &changes->list [i];
        const calendar_t *calendar = free_capacity_calendar (room, change->resource);
        verdict_t verdict = admission_judged (REFUSAL_SHORT, change);
        if (extra (change) <= 0 ||
            !calendar_short (calendar, change->over, extra (change), &verdict.over))
            continue;
        verdict.free = calendar_least (calendar, verdict.over) + change->before;
        return verdict;
    }
    return (verdict_t){.reason = REFUSAL_NONE};
}

verdict_t admission_judge (const free_capacity_t *room, const moment_t *now,
                           const interval_changes_t *changes, judged_as_t as)
{
    bool late = as == JUDGED_LATE;
    verdict_t verdict = {.reason = REFUSAL_NONE};
    if (!late)
        verdict = judge_outside (room, now, changes);
    if (!late && verdict.reason == REFUSAL_NONE)
        verdict = judge_near (room, now, changes, as);
    if (verdict.reason == REFUSAL_NONE)
        verdict = judge_short (room, changes);
    return verdict;
}

/*  The wish that could not be met; NULL when the verdict is about something given back. */
static const admission_want_t *wish_meant (const free_capacity_t *room, size_t resource,
                                           interval_t over, const admission_request_t *asked)
{
    const char *name = free_capacity_resource_name (room, resource);
    int64_t gap_ms = free_capacity_terms (room)->gap_ms;
    for (size_t i = 0; i < asked->wishes_count; i++) {
        const admission_want_t *wish = &asked->wishes [i];
        if (strcmp (wish->resource, name) == 0 && wish->from_ms <= over.from &&
            over.from < wish->until_ms + gap_ms)
            return wish;
    }
    return NULL;
}

static void refusal_say (const free_capacity_t *room, refusal_t *refusal)
{
    char from [TIMETEXT_BYTES];
    char until [TIMETEXT_BYTES];
    char lead [TIMETEXT_BYTES];
    timetext_format (refusal->from_ms, from);
    timetext_format (refusal->until_ms, until);
    timetext_format_duration (free_capacity_terms (room)->lead_ms, lead);
    switch (refusal->reason) {
    case REFUSAL_OUTSIDE:
        snprintf (refusal->text, sizeof refusal->text, "%s: bookings must end by %s",
                  refusal->resource, until);
        break;
    case REFUSAL_TOO_NEAR:
        snprintf (refusal->text, sizeof refusal->text,
                  "%s: must start at %s or later, %s ahead; what has passed can't change",
                  refusal->resource, from, lead);
        break;
    default:
        snprintf (refusal->text, sizeof refusal->text,
                  "%s has %lld %s free of the %lld wanted, from %s to %s", refusal->resource,
                  (long long) refusal->free, free_capacity_words (room)->quantity,
                  (long long) refusal->wanted, from, until);
    }
}

/*  The interval a fresh profile is about; false when nothing of it lies ahead. */
static bool fresh_interval (const free_capacity_t *room, const moment_t *now,
                            const admission_request_t *asked, interval_t *over)
{
    int64_t gap_ms = free_capacity_terms (room)->gap_ms;
    interval_t span = {INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < asked->wishes_count; i++) {
        const admission_want_t *wish = &asked->wishes [i];
        span.from = wish->from_ms < span.from ? wish->from_ms : span.from;
        span.until = wish->until_ms > span.until ? wish->until_ms : span.until;
    }
    if (asked->wishes_count == 0)
        return false;
    int64_t length_ms = span.until - span.from;
    *over = (interval_t){span.from - length_ms, span.until + 4 * length_ms};
    if (asked->frame.from < asked->frame.until) {
        over->from = asked->frame.from < over->from ? asked->frame.from : over->from;
        over->until = asked->frame.until > over->until ? asked->frame.until : over->until;
    }
    /*  Nobody can book in the past, nor beyond the horizon. */
    int64_t first_ms = free_capacity_now_ms (room, now);
    int64_t last_ms = free_capacity_horizon_ms (room, now);
    over->from = over->from > first_ms ? over->from : first_ms;
    over->until = (over->until < last_ms ? over->until : last_ms) + gap_ms;
    return over->from < over->until;
}

/*  The resources that are named, ascending, each once. */
static size_t named_find (const free_capacity_t *room, const admission_request_t *asked,
                          size_t *named)
{
    size_t found = 0;
    for (size_t i = 0; i < asked->wishes_count; i++)
        found += free_capacity_find (room, asked->wishes [i].resource, &named [found]);
    qsort (named, found, sizeof *named, size_compare);
    size_t count = 0;
    for (size_t i = 0; i < found; i++)
        if (count == 0 || named [count - 1] != named [i])
            named [count++] = named [i];
    return count;
}

static void fresh_add (const free_capacity_t *room, const moment_t *now,
                       const admission_request_t *asked, size_t steps_max, refusal_t *refusal)
{
    interval_t over;
    if (!fresh_interval (room, now, asked, &over))
        return;
    memory_auto size_t *named = must (calloc (asked->wishes_count + 1, sizeof *named));
    size_t count = named_find (room, asked, named);
    if (count > 0) {
        refusal->fresh = must (calloc (count, sizeof *refusal->fresh));
        refusal->fresh_count = count;
        free_capacity_profiles (room, named, count, over, asked->held, steps_max, refusal->fresh);
    }
}

/*  Where only windows are disclosed: tells the asked window and no quantity. */
static void hide (refusal_t *refusal, const admission_want_t *wish)
{
    refusal->free = 0;
    if (!wish)
        return;
    refusal->from_ms = wish->from_ms;
    refusal->until_ms = wish->until_ms;
}

void admission_refuse (const free_capacity_t *room, const moment_t *now, const verdict_t *verdict,
                       const admission_request_t *asked, size_t steps_max, refusal_t *refusal)
{
    assert (verdict->reason != REFUSAL_NONE && steps_max >= free_capacity_offers (room));
    const admission_want_t *wish = wish_meant (room, verdict->resource, verdict->over, asked);
    *refusal = (refusal_t){.reason = verdict->reason,
                           .from_ms = verdict->over.from,
                           .until_ms = verdict->over.until,
                           .wanted = verdict->wanted,
                           .free = verdict->free};
    snprintf (refusal->resource, sizeof refusal->resource, "%s/%s", free_capacity_name (room),
              free_capacity_resource_name (room, verdict->resource));
    if (wish)
        memcpy (refusal->need, wish->need, sizeof refusal->need);
    if (verdict->reason == REFUSAL_TOO_NEAR)
        refusal->from_ms = free_capacity_soonest_ms (room, now);
    if (verdict->reason == REFUSAL_OUTSIDE)
        refusal->until_ms = free_capacity_horizon_ms (room, now);

    if (free_capacity_terms (room)->disclosure == DISCLOSE_PROFILE) {
        refusal_say (room, refusal);
        fresh_add (room, now, asked, steps_max, refusal);
        return;
    }
    if (verdict->reason != REFUSAL_SHORT) {
        refusal_say (room, refusal);
        return;
    }
    hide (refusal, wish);
    snprintf (refusal->text, sizeof refusal->text,
              "%s has no room in this window; how much is free is not disclosed",
              refusal->resource);
}

/*  The fresh profile: as much of the resource as the share leaves beside what is held. */
static void fresh_share (const free_capacity_t *room, const excess_t *excess, refusal_t *refusal)
{
    profile_t *fresh = must (calloc (1, sizeof *fresh));
    fresh->steps = must (calloc (1, sizeof *fresh->steps));
    fresh->steps [0] =
      (profile_step_t){.from_ms = excess->over.from, .free = excess->before + excess->free};
    fresh->steps_count = 1;
    fresh->until_ms = excess->over.until;
    snprintf (fresh->resource, sizeof fresh->resource, "%s",
              free_capacity_resource_name (room, excess->resource));
    refusal->fresh = fresh;
    refusal->fresh_count = 1;
}

void admission_refuse_excess (const free_capacity_t *room, const excess_t *excess,
                              const admission_request_t *asked, refusal_t *refusal)
{
    const admission_want_t *wish = wish_meant (room, excess->resource, excess->over, asked);
    *refusal = (refusal_t){.reason = REFUSAL_LIMIT,
                           .from_ms = excess->over.from,
                           .until_ms = excess->over.until,
                           .wanted = excess->wanted,
                           .free = excess->free};
    snprintf (refusal->resource, sizeof refusal->resource, "%s", excess->limit);
    if (wish)
        memcpy (refusal->need, wish->need, sizeof refusal->need);
    if (free_capacity_terms (room)->disclosure == DISCLOSE_PROFILE) {
        snprintf (refusal->text, sizeof refusal->text,
                  "uncommitted holds of %s/%s: of the %lld %s wanted, %lld are left by %s",
                  free_capacity_name (room), free_capacity_resource_name (room, excess->resource),
                  (long long) excess->wanted, free_capacity_words (room)->quantity,
                  (long long) excess->free, excess->limit);
        fresh_share (room, excess, refusal);
        return;
    }
    hide (refusal, wish);
    snprintf (refusal->text, sizeof refusal->text,
              "too much of %s/%s is held without being committed: see the limit %s",
              free_capacity_name (room), free_capacity_resource_name (room, excess->resource),
              excess->limit);
}
