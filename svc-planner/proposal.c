/*  proposal - a plan as it is put to the vote: who takes part with what, until when it must be
 *  decided, and what the user will be told (T1, T4, T9, T11).
 */
#include "errand.h"

#include "must.h"
#include "planner_wire.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DECIDE_MS_MIN 100 /* no vote can be had in less */

/*  One participant's bookings, old and new. */
typedef struct {
    party_t party;
    int64_t lead_ms;
    int64_t gap_ms;
    const compute_booking_t *old; /* borrowed */
    size_t old_count;
    compute_booking_t *bookings;
    size_t count;
} share_t;

typedef struct {
    share_t shares [PARTICIPANTS_MAX];
    size_t count;
    bool full; /* there were more */
} shares_t;

void proposal_clear (proposal_t *self)
{
    for (size_t i = 0; i < self->plan.participants_count && self->parts; i++)
        free (self->parts [i].part.data);
    free (self->parts);
    free (self->answer.data);
    plan_clear (&self->plan);
    *self = (proposal_t){0};
}

/*  --- shares --- */

static share_t *share_of (shares_t *self, const party_t *party)
{
    for (size_t i = 0; i < self->count; i++)
        if (strcmp (self->shares [i].party.name, party->name) == 0)
            return &self->shares [i];
    if (self->count == PARTICIPANTS_MAX - 1) { /* one is the home's */
        self->full = true;
        return NULL;
    }
    share_t *share = &self->shares [self->count++];
    *share = (share_t){.party = *party};
    return share;
}

static void shares_clear (shares_t *self)
{
    for (size_t i = 0; i < self->count; i++)
        free (self->shares [i].bookings);
}

static void add_booking (share_t *share, const compute_booking_t *booking)
{
    share->bookings =
      must (realloc (share->bookings, (share->count + 1) * sizeof *share->bookings));
    share->bookings [share->count++] = *booking;
}

/*  What the search chose. */
static void share_choice (const errand_t *self, shares_t *shares)
{
    const size_t *choice = search_choice (self->search);
    for (size_t i = 0; i < self->request.compute_count; i++) {
        const compute_need_t *need = &self->request.compute [i];
        const option_t *option = &self->snapshot->needs [i].options [choice [i]];
        const place_t *place = &self->snapshot->places [option->place];
        const source_t *site = &self->snapshot->sources [place->source];
        share_t *share = share_of (shares, &site->party);
        if (!share)
            return;
        share->lead_ms = site->lead_ms;
        share->gap_ms = site->gap_ms;
        int64_t from_ms = search_start (self->search) + need->offset_ms;
        compute_booking_t booking = {.cpus = need->cpus,
                                     .nodes = option->nodes,
                                     .from_ms = from_ms,
                                     .until_ms = from_ms + need_duration (&self->request, i)};
        snprintf (booking.need, sizeof booking.need, "%s", need->id);
        snprintf (booking.class_name, sizeof booking.class_name, "%s", place->class_name);
        add_booking (share, &booking);
    }
}

/*  What the reservation has now, at those who still know it. */
static void share_present (const errand_t *self, shares_t *shares)
{
    for (size_t i = 0; i < locate_count (self->locate); i++) {
        const located_part_t *part = locate_part (self->locate, i);
        bool over = part->record.state == RECORD_RELEASED || part->record.state == RECORD_FAILED;
        if (!part->known || (over && part->record.bookings_count == 0))
            continue;
        party_t party = part->party;
        memcpy (party.store, part->store, STORE_ID_BYTES);
        share_t *share = share_of (shares, &party);
        if (!share)
            return;
        memcpy (share->party.store, part->store, STORE_ID_BYTES);
        share->old = part->record.bookings;
        share->old_count = part->record.bookings_count;
        const directory_entry_t *entry =
          directory_find (self->planner->service->directory, party.name);
        if (entry && entry->site && share->gap_ms < entry->site->cleaning_gap_ms)
            share->gap_ms = entry->site->cleaning_gap_ms;
        if (entry && entry->site && share->lead_ms < entry->site->lead_ms)
            share->lead_ms = entry->site->lead_ms;
    }
}

/*  --- the edge (T9) --- */

static int64_t nodes_at (const compute_booking_t *bookings, size_t count, const char *class_name,
                         int64_t at_ms)
{
    int64_t nodes = 0;
    for (size_t i = 0; i < count; i++)
        if (bookings [i].from_ms <= at_ms && at_ms < bookings [i].until_ms &&
            strcmp (bookings [i].class_name, class_name) == 0)
            nodes += bookings [i].nodes;
    return nodes;
}

/*  Does the new need more than the old has, of some class, at this moment? */
static bool lacks (const share_t *share, int64_t at_ms)
{
    for (size_t i = 0; i < share->count; i++) {
        const char *class_name = share->bookings [i].class_name;
        if (nodes_at (share->bookings, share->count, class_name, at_ms) >
            nodes_at (share->old, share->old_count, class_name, at_ms))
            return true;
    }
    return false;
}

/*  The first moment at which it lacks something: that can only be where a new booking begins or an
 *  old one ends. INT64_MAX: never. */
static int64_t first_lack (const share_t *share)
{
    int64_t first_ms = INT64_MAX;
    for (size_t i = 0; i < share->count; i++)
        if (share->bookings [i].from_ms < first_ms && lacks (share, share->bookings [i].from_ms))
            first_ms = share->bookings [i].from_ms;
    for (size_t i = 0; i < share->old_count; i++)
        if (share->old [i].until_ms < first_ms && lacks (share, share->old [i].until_ms))
            first_ms = share->old [i].until_ms;
    return first_ms;
}

static int64_t edge_of (const shares_t *shares)
{
    int64_t lack_ms = INT64_MAX, lead_ms = 0, old_end_ms = 0;
    for (size_t i = 0; i < shares->count; i++) {
        const share_t *share = &shares->shares [i];
        int64_t first_ms = first_lack (share);
        lack_ms = first_ms < lack_ms ? first_ms : lack_ms;
        lead_ms = share->lead_ms > lead_ms ? share->lead_ms : lead_ms;
        for (size_t b = 0; b < share->old_count; b++)
            if (share->old [b].until_ms > old_end_ms)
                old_end_ms = share->old [b].until_ms;
    }
    return lack_ms < INT64_MAX ? lack_ms - lead_ms : old_end_ms;
}

/*  The last end of what is booked before or after, cleaning included. */
static int64_t end_of (const shares_t *shares)
{
    int64_t end_ms = 0;
    for (size_t i = 0; i < shares->count; i++) {
        const share_t *share = &shares->shares [i];
        for (size_t b = 0; b < share->count; b++)
            if (share->bookings [b].until_ms + share->gap_ms > end_ms)
                end_ms = share->bookings [b].until_ms + share->gap_ms;
        for (size_t b = 0; b < share->old_count; b++)
            if (share->old [b].until_ms + share->gap_ms > end_ms)
                end_ms = share->old [b].until_ms + share->gap_ms;
    }
    return end_ms;
}

/*  --- the plan --- */

static void name_reservation (plan_t *plan)
{
    /* Six bytes of the store's id: short enough for people, long enough for a federation. */
    int at = 0;
    for (int i = 0; i < 6; i++)
        at += snprintf (plan->reservation + at, sizeof plan->reservation - (size_t) at, "%02x",
                        plan->txid.store [i]);
    snprintf (plan->reservation + at, sizeof plan->reservation - (size_t) at,
              "-%" PRIu32 "-%" PRIu64, plan->txid.start, plan->txid.counter);
}

/*  The request as it is kept for those who plan again: with absolute times. */
static packed_t pack_request (const errand_t *self)
{
    if (self->kind == ERRAND_RELEASE) {
        const part_record_t *newest = locate_newest (self->locate);
        packed_t same = {0};
        if (newest && newest->plan_set && newest->plan.request_size > 0) {
            same.data = must (malloc (newest->plan.request_size));
            same.size = newest->plan.request_size;
            memcpy (same.data, newest->plan.request, same.size);
        }
        return same;
    }
    user_request_t fixed;
    user_request_copy (&fixed, &self->request);
    user_request_fix (&fixed, &self->planner->settings, self->begun_wall_ms);
    packed_t packed = user_request_encode (&fixed);
    user_request_clear (&fixed);
    return packed;
}

static void fill_participants (errand_t *self, const shares_t *shares,
                               const directory_entry_t *home)
{
    plan_t *plan = &self->proposal.plan;
    plan->participants_count = shares->count + 1;
    plan->participants = must (calloc (plan->participants_count, sizeof *plan->participants));
    self->proposal.parts = must (calloc (plan->participants_count, sizeof *self->proposal.parts));
    for (size_t i = 0; i < shares->count; i++) {
        plan->participants [i] = shares->shares [i].party;
        self->proposal.parts [i] = (attempt_part_t){
          .kind = PART_COMPUTE,
          .part = compute_part_encode (shares->shares [i].bookings, shares->shares [i].count)};
    }
    party_t *party = &plan->participants [shares->count];
    snprintf (party->name, sizeof party->name, "%s", home->name);
    snprintf (party->endpoint, sizeof party->endpoint, "%s", home->endpoint);
    memcpy (party->store, home->store, STORE_ID_BYTES);
}

static void fill_coordinator (party_t *party, const service_t *service)
{
    snprintf (party->name, sizeof party->name, "%s", service->name);
    snprintf (party->endpoint, sizeof party->endpoint, "%s", service->endpoint);
    memcpy (party->store, service->store.id, STORE_ID_BYTES);
}

static void fill_claim (errand_t *self, const moment_t *now)
{
    plan_t *plan = &self->proposal.plan;
    answer_t answer = {.status = ANSWER_COMMITTED,
                       .rounds = self->rounds + 1,
                       .planning_ms = now->mono_ms - self->begun_ms,
                       .version = plan->base_version + 1};
    if (self->kind != ERRAND_RELEASE)
        answer_of_choice (self, &answer);
    snprintf (answer.reservation, sizeof answer.reservation, "%s", plan->reservation);
    snprintf (answer.planner, sizeof answer.planner, "%s", self->planner->service->name);
    snprintf (answer.algorithm, sizeof answer.algorithm, "auto");
    snprintf (answer.request_id, sizeof answer.request_id, "%s", self->name.full);
    self->proposal.answer = answer_encode (&answer);
    answer_clear (&answer);
    attempt_part_t *claim = &self->proposal.parts [plan->participants_count - 1];
    claim->kind = PART_CLAIM;
    claim->part = claim_part_encode (self->digest, (bytes_t){.data = self->proposal.answer.data,
                                                             .size = self->proposal.answer.size});
}

/*  Whose it is stays so, whoever changes it. */
static const char *owner_of (const errand_t *self)
{
    const part_record_t *newest = self->locate ? locate_newest (self->locate) : NULL;
    return self->kind != ERRAND_RESERVE && newest && *newest->owner ? newest->owner : self->actor;
}

static bool refuse_plan (errand_t *self, const char *why)
{
    answer_reason (&self->answer, "", "", "%s", why);
    return false;
}

static bool refuse_late (errand_t *self, int64_t edge_ms)
{
    reason_t *reason = answer_reason (&self->answer, "", "",
                                      "too late: the sites would have to act before the plan "
                                      "can be decided");
    reason->until_ms = edge_ms;
    return false;
}

static bool propose (errand_t *self, const moment_t *now, const shares_t *shares)
{
    planner_t *planner = self->planner;
    const planner_settings_t *settings = &planner->settings;
    const directory_entry_t *home = directory_find (planner->service->directory, self->name.home);
    if (!home)
        return refuse_plan (self, "the request's home is not in the directory any more");
    if (shares->full)
        return refuse_plan (self, "more sites would take part than a plan may have");
    int64_t wall_ms = timekeeper_most (&planner->service->timekeeper, now);
    int64_t edge_ms = edge_of (shares);
    int64_t decide_by_ms = wall_ms + settings->decide_ms;
    if (decide_by_ms > edge_ms - settings->guard_ms)
        decide_by_ms = edge_ms - settings->guard_ms;
    if (decide_by_ms < wall_ms + DECIDE_MS_MIN)
        return refuse_late (self, edge_ms);

    proposal_clear (&self->proposal);
    plan_t *plan = &self->proposal.plan;
    *plan = (plan_t){.txid = coordinator_begin (planner->coordinator),
                     .operation = (operation_t) self->kind,
                     .base_version = self->base_version,
                     .decide_by_ms = decide_by_ms,
                     .edge_ms = edge_ms,
                     .end_ms = end_of (shares)};
    if (self->kind == ERRAND_RESERVE)
        name_reservation (plan);
    else
        snprintf (plan->reservation, sizeof plan->reservation, "%s", self->reservation);
    snprintf (plan->actor, sizeof plan->actor, "%s", self->actor);
    snprintf (plan->owner, sizeof plan->owner, "%s", owner_of (self));
    snprintf (plan->request_id, sizeof plan->request_id, "%s", self->name.full);
    snprintf (plan->home, sizeof plan->home, "%s", self->name.home);
    packed_t request = pack_request (self);
    plan->request = request.data;
    plan->request_size = request.size;
    fill_coordinator (&plan->coordinator, planner->service);
    fill_participants (self, shares, home);
    fill_claim (self, now);
    self->proposal.end_ms = plan->end_ms;
    return true;
}

bool propose_choice (errand_t *self, const moment_t *now)
{
    shares_t shares = {0};
    share_choice (self, &shares);
    if (self->kind == ERRAND_MODIFY)
        share_present (self, &shares);
    bool good = propose (self, now, &shares);
    shares_clear (&shares);
    return good;
}

bool propose_release (errand_t *self, const moment_t *now)
{
    shares_t shares = {0};
    share_present (self, &shares);
    bool good = propose (self, now, &shares);
    shares_clear (&shares);
    return good;
}

void answer_of_choice (const errand_t *self, answer_t *answer)
{
    const size_t *choice = search_choice (self->search);
    size_t count = self->request.compute_count;
    free (answer->compute);
    answer->compute = must (calloc (count, sizeof *answer->compute));
    answer->compute_count = count;
    answer->cost = 0;
    answer->start_ms = INT64_MAX;
    answer->end_ms = 0;
    for (size_t i = 0; i < count; i++) {
        const option_t *option = &self->snapshot->needs [i].options [choice [i]];
        const place_t *place = &self->snapshot->places [option->place];
        placement_t *placement = &answer->compute [i];
        snprintf (placement->need, sizeof placement->need, "%s", self->request.compute [i].id);
        snprintf (placement->site, sizeof placement->site, "%s",
                  party_short_name (self->snapshot->sources [place->source].party.name));
        snprintf (placement->class_name, sizeof placement->class_name, "%s", place->class_name);
        placement->cpus = option->nodes * place->cpus_per_node;
        placement->from_ms = search_start (self->search) + self->request.compute [i].offset_ms;
        placement->until_ms = placement->from_ms + need_duration (&self->request, i);
        answer->cost += snapshot_cost (self->snapshot, i, option);
        if (placement->from_ms < answer->start_ms)
            answer->start_ms = placement->from_ms;
        if (placement->until_ms > answer->end_ms)
            answer->end_ms = placement->until_ms;
    }
}
