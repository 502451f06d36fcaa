/*  proposal - a plan as it is put to the vote: the participants and their parts, the time by which
 *  it must be decided, and the answer for the user (T1, T4, T9, T11).
 */
#include "proposal.h"

#include "candidates.h"
#include "connections.h"
#include "member.h"
#include "must.h"
#include "participant_ref.h"
#include "plan_shares.h"
#include "stages.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#define DECIDE_MS_MIN 100 /* no vote can be had in less */

/*  --- shares --- */

static int64_t proposal_later (int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/*  Where the plan puts a need. */
static const option_t *option_of (const pending_t *self, size_t need)
{
    return &self->plan.snapshot->needs [need]
              .options [self->plan.algorithm->result (self).options [need]];
}

static const path_t *proposal_path_of (const pending_t *self, size_t network_need)
{
    return &self->plan.algorithm->result (self).paths [network_need];
}

static const char *proposal_site_of (const pending_t *self, size_t need)
{
    const snapshot_t *snapshot = self->plan.snapshot;
    const site_class_t *place = &snapshot->places [option_of (self, need)->place];
    return participant_ref_short_name (snapshot->sources [place->source].party.name);
}

/*  The site that a data need's circuit comes from; NULL without one. */
static const char *proposal_source_of (const pending_t *self, size_t data)
{
    const user_request_t *request = self->plan.snapshot->request;
    for (size_t i = self->request.compute_count; i < request->compute_count; i++)
        if (request->compute [i].derived.kind == DERIVED_SOURCE &&
            request->compute [i].derived.data == data)
            return proposal_site_of (self, i);
    return NULL;
}

/*  What the algorithm chose. */
static void share_choice (const pending_t *self, shares_t *shares)
{
    const user_request_t *request = self->plan.snapshot->request;
    plan_shares_t of = {shares, self->plan.snapshot, self->plan.algorithm->result (self).start_ms};
    for (size_t i = 0; i < request->compute_count; i++)
        if (request->compute [i].derived.kind != DERIVED_SOURCE)
            plan_shares_need (&of, i, option_of (self, i),
                              proposal_source_of (self, request->compute [i].derived.data));
    for (size_t i = 0; i < request->network_count; i++)
        plan_shares_path (&of, i, proposal_path_of (self, i));
}

/*  The lead and the cleaning gap of a site or domain, as the directory has them now. */
static void share_manner (share_t *share, const directory_entry_t *entry)
{
    share->lead_ms = proposal_later (share->lead_ms, participant_ref_lead_ms (entry));
    if (entry && entry->site)
        share->gap_ms = proposal_later (share->gap_ms, entry->site->cleaning_gap_ms);
}

static space_booking_t *proposal_room (const share_t *share, const space_booking_t *like)
{
    for (size_t i = 0; i < share->new.space_count; i++)
        if (strcmp (share->new.space [i].need, like->need) == 0 &&
            strcmp (share->new.space [i].node, like->node) == 0)
            return &share->new.space [i];
    return NULL;
}

static int64_t proposal_earlier (int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/*  What storage has had until the change takes effect stays as it was (R10), and so does a file's
 *  circuit that has begun. */
static void share_begun (const pending_t *self, share_t *share)
{
    int64_t effect_ms = self->plan.effect_ms;
    for (size_t i = 0; i < share->old.space_count; i++) {
        space_booking_t kept = share->old.space [i];
        if (kept.from_ms > self->plan.check_from_ms)
            continue;
        space_booking_t *new = proposal_room (share, &kept);
        bool same =
          new &&new->from_ms == kept.from_ms &&space_mib (new->bytes) == space_mib (kept.bytes);
        kept.until_ms = same ? new->until_ms : proposal_earlier (kept.until_ms, effect_ms);
        kept.due_ms = proposal_earlier (kept.due_ms, kept.until_ms);
        if (same)
            *new = kept;
        else
            share_store (share, &kept);
    }
    for (size_t i = 0; i < share->old.circuits_count; i++) {
        circuit_t circuit;
        const char *need = share->old.circuits [i].need;
        if (share->old.circuits [i].from_ms > self->plan.check_from_ms ||
            user_request_network (self->plan.snapshot->request, need) != SIZE_MAX)
            continue;
        codec_copy (&circuit_codec, &circuit, &share->old.circuits [i]);
        if (user_request_data (&self->request, need) == SIZE_MAX)
            circuit.until_ms = proposal_earlier (circuit.until_ms, effect_ms);
        share_connect (share, &circuit);
    }
}

/*  What the reservation has now, at the participants that still know it. */
static void share_present (const pending_t *self, shares_t *shares)
{
    for (size_t i = 0; i < self->base.locate->count; i++) {
        const located_part_t *part = &self->base.locate->parts [i];
        const part_record_t *record = &part->record;
        holding_t old = holding_of (record);
        if (!part->known || (part_record_over (record) && holding_empty (&old)))
            continue;
        participant_ref_t party = part->party;
        memcpy (party.store, part->store, STORE_ID_BYTES);
        share_t *share = shares_of (shares, &party);
        if (!share)
            return;
        memcpy (share->party.store, part->store, STORE_ID_BYTES);
        share->old = old;
        if (self->operation == OPERATION_MODIFY && self->plan.snapshot)
            share_begun (self, share);
        share_manner (share, directory_find (directory_of (self->pendings->service), party.name));
    }
}

/*  --- the plan --- */

static void name_reservation (plan_t *plan)
{
    /* Six bytes of the store's id: short enough for people, long enough for a federation. */
    char store [2 * 6 + 1];
    sodium_bin2hex (store, sizeof store, plan->txid.store, 6);
    snprintf (plan->reservation, sizeof plan->reservation, "%s-%" PRIu32 "-%" PRIu64, store,
              plan->txid.start, plan->txid.counter);
}

/*  The request as the plan carries it, with absolute times: a later change or repair starts from
 *  it. */
static packed_t proposal_pack_request (const pending_t *self)
{
    if (self->repair_order && self->repair_order->step == REPAIR_BACK)
        return packed_copy (
          (bytes_t){self->repair_order->before->request, self->repair_order->before->request_size});
    if (self->operation == OPERATION_RELEASE) {
        const part_record_t *newest = locate_newest (self->base.locate);
        return packed_copy ((bytes_t){newest->plan.request, newest->plan.request_size});
    }
    user_request_t fixed;
    user_request_copy (&fixed, &self->request);
    user_request_fix (&fixed, self->pendings->settings, self->receipt.begun_wall_ms);
    packed_t packed = codec_encode (&user_request_codec, &fixed);
    user_request_clear (&fixed);
    return packed;
}

static void fill_participants (pending_t *self, const shares_t *shares,
                               const directory_entry_t *home)
{
    plan_t *plan = &self->vote.proposal.plan;
    plan->participants_count = shares->count + (home ? 1 : 0);
    assert (plan->participants_count > 0);
    plan->participants = must (calloc (plan->participants_count, sizeof *plan->participants));
    self->vote.proposal.parts =
      must (calloc (plan->participants_count, sizeof *self->vote.proposal.parts));
    for (size_t i = 0; i < shares->count; i++) {
        plan->participants [i] = shares->shares [i].party;
        self->vote.proposal.parts [i] = share_part (&shares->shares [i]);
    }
    if (home)
        plan->participants [shares->count] = participant_ref_of_entry (home);
}

/*  The participants of a released reservation, and those an earlier release awaits, that did not
 *  answer. The release goes on there once they do (R11). */
static size_t find_awaited (const pending_t *self, participant_ref_t awaited [PARTICIPANTS_MAX])
{
    size_t count = 0;
    if (self->operation != OPERATION_RELEASE)
        return 0;
    const plan_t *newest = &locate_newest (self->base.locate)->plan;
    size_t parties = newest->participants_count + newest->awaited_count;
    for (size_t i = 0; i < parties && count < PARTICIPANTS_MAX; i++) {
        const participant_ref_t *party = i < newest->participants_count
                                           ? &newest->participants [i]
                                           : &newest->awaited [i - newest->participants_count];
        if (strcmp (party->name, newest->home) != 0 &&
            !locate_heard (self->base.locate, party->name))
            awaited [count++] = *party;
    }
    return count;
}

/*  Name the participants that release now, and those that will later. */
static void proposal_tell_awaited (const plan_t *plan, answer_t *answer)
{
    char words [PARTICIPANT_REF_WORDS_BYTES], given [SENTENCE_BYTES] = "";
    for (size_t i = 0, at = 0; i + 1 < plan->participants_count && at < sizeof given; i++)
        at += (size_t) snprintf (given + at, sizeof given - at, "%s%s", i ? ", " : "",
                                 participant_ref_words (plan->participants [i].name, words));
    answer_reason (answer, "", "", "given back at: %s", given);
    answer->awaited_count = plan->awaited_count;
    answer->awaited = must (calloc (plan->awaited_count, sizeof *answer->awaited));
    for (size_t i = 0; i < plan->awaited_count; i++) {
        const char *name = plan->awaited [i].name;
        memcpy (answer->awaited [i], name, sizeof answer->awaited [i]);
        answer_reason (answer, "", name,
                       "%s does not answer: it will give its part back once it does",
                       participant_ref_words (name, words));
    }
}

static void fill_claim (pending_t *self, const moment_t *now)
{
    plan_t *plan = &self->vote.proposal.plan;
    answer_t answer = {.status = ANSWER_COMMITTED, .version = plan->base_version + 1};
    if (self->operation != OPERATION_RELEASE)
        answer_of_choice (self, &answer);
    else if (plan->awaited_count > 0)
        proposal_tell_awaited (plan, &answer);
    snprintf (answer.reservation, sizeof answer.reservation, "%s", plan->reservation);
    pending_sign (self, now, &answer);
    answer.rounds++; /* this one counts */
    self->vote.proposal.answer = codec_encode (&answer_codec, &answer);
    codec_clear (&answer_codec, &answer);
    attempt_part_t *claim = &self->vote.proposal.parts [plan->participants_count - 1];
    claim->kind = PART_CLAIM;
    claim->part =
      claim_part_encode (self->receipt.digest, packed_bytes (self->vote.proposal.answer));
}

/*  A change does not change the owner. */
static const char *owner_of (const pending_t *self)
{
    const part_record_t *newest = self->base.locate ? locate_newest (self->base.locate) : NULL;
    return self->operation != OPERATION_RESERVE && newest && *newest->owner ? newest->owner
                                                                            : self->receipt.actor;
}

static bool refuse_plan (pending_t *self, const char *why)
{
    answer_reason (&self->answer, "", "", "%s", why);
    return false;
}

static bool refuse_late (pending_t *self, int64_t edge_ms)
{
    reason_t *reason = answer_reason (&self->answer, "", "",
                                      "too late: the participants would have to act before the "
                                      "plan can be decided");
    reason->until_ms = edge_ms;
    return false;
}

/*  Request and answer must fit into the plan and the claim (transaction.h). */
static bool small_enough (pending_t *self)
{
    char why [WHY_BYTES];
    const plan_t *plan = &self->vote.proposal.plan;
    if (plan->request_size > PLAN_REQUEST_BYTES_MAX)
        snprintf (why, sizeof why, "the request has %zu bytes: participants keep at most %d",
                  plan->request_size, PLAN_REQUEST_BYTES_MAX);
    else if (self->vote.proposal.answer.size > CLAIM_ANSWER_BYTES_MAX)
        snprintf (
          why, sizeof why,
          "the answer, with its places and paths, would have %zu bytes: at most %d can be kept",
          self->vote.proposal.answer.size, CLAIM_ANSWER_BYTES_MAX);
    else
        return true;
    coordinator_drop (self->pendings->coordinator, &plan->txid);
    proposal_clear (&self->vote.proposal);
    return refuse_plan (self, why);
}

static bool propose_shares (pending_t *self, const moment_t *now, const shares_t *shares)
{
    pendings_t *pendings = self->pendings;
    const planner_settings_t *settings = pendings->settings;
    const directory_entry_t *home = NULL;
    if (!self->repair_order) /* a repair's plan answers no request */
        home = directory_find (directory_of (pendings->service), self->receipt.name.home);
    if (!home && !self->repair_order)
        return refuse_plan (self, "the request's home is not in the directory any more: ask again");
    char why [WHY_BYTES];
    if (!shares_fit (shares, why))
        return refuse_plan (self, why);
    int64_t wall_ms = timekeeper_most (&pendings->service->timekeeper, now);
    participant_ref_t awaited [PARTICIPANTS_MAX];
    size_t awaited_count = find_awaited (self, awaited);
    /* A silent participant's part may end later than all the others. */
    int64_t rest_ms = awaited_count > 0 ? locate_newest (self->base.locate)->plan.end_ms : 0;
    int64_t edge_ms = proposal_later (shares_edge (shares), rest_ms);
    if (self->operation == OPERATION_MODIFY && !self->repair_order) /* the past stays (R10) */
        edge_ms = proposal_earlier (edge_ms, shares_begun (shares));
    int64_t decide_by_ms = wall_ms + settings->decide_ms;
    if (decide_by_ms > edge_ms - settings->guard_ms)
        decide_by_ms = edge_ms - settings->guard_ms;
    if (decide_by_ms < wall_ms + DECIDE_MS_MIN)
        return refuse_late (self, edge_ms);

    proposal_clear (&self->vote.proposal);
    plan_t *plan = &self->vote.proposal.plan;
    *plan = (plan_t){.txid = coordinator_begin (pendings->coordinator),
                     .operation = self->operation,
                     .base_version = self->base.version,
                     .decide_by_ms = decide_by_ms,
                     .edge_ms = edge_ms,
                     .end_ms = proposal_later (shares_end (shares), rest_ms)};
    if (self->operation == OPERATION_RESERVE)
        name_reservation (plan);
    else
        snprintf (plan->reservation, sizeof plan->reservation, "%s", self->reservation);
    snprintf (plan->actor, sizeof plan->actor, "%s", self->receipt.actor);
    snprintf (plan->owner, sizeof plan->owner, "%s", owner_of (self));
    snprintf (plan->request_id, sizeof plan->request_id, "%s", self->receipt.name.full);
    snprintf (plan->home, sizeof plan->home, "%s", self->receipt.name.home);
    packed_t request = proposal_pack_request (self);
    plan->request = request.data;
    plan->request_size = request.size;
    coordinator_sign (pendings->coordinator, plan);
    fill_participants (self, shares, home);
    if (self->operation == OPERATION_RESERVE)
        candidates_note (self, shares);
    plan->awaited = must_copy (awaited, awaited_count * sizeof *awaited);
    plan->awaited_count = awaited_count;
    if (home)
        fill_claim (self, now);
    else
        plan->repairs = self->repair_order->plan->txid;
    return small_enough (self);
}

/*  Everyone gets back what it had before the change; participants that the change added leave. */
static void share_before (const pending_t *self, shares_t *shares)
{
    const before_t *before = self->repair_order->before;
    for (size_t i = 0; i < before->parts_count; i++) {
        const part_record_t *part = &before->parts [i];
        const directory_entry_t *entry =
          directory_find (directory_of (self->pendings->service), part->participant);
        participant_ref_t party = {0};
        if (entry)
            party = participant_ref_of_entry (entry);
        else
            memcpy (party.name, part->participant, sizeof party.name);
        share_t *share = shares_of (shares, &party);
        if (!share)
            return;
        share_manner (share, entry);
        for (size_t b = 0; b < part->bookings_count; b++)
            share_book (share, &part->bookings [b]);
        for (size_t c = 0; c < part->circuits_count; c++) {
            circuit_t circuit;
            codec_copy (&circuit_codec, &circuit, &part->circuits [c]);
            share_connect (share, &circuit);
        }
        for (size_t b = 0; b < part->space_count; b++)
            share_store (share, &part->space [b]);
    }
}

bool propose (pending_t *self, const moment_t *now)
{
    shares_t shares = {0};
    if (self->repair_order && self->repair_order->step == REPAIR_BACK)
        share_before (self, &shares);
    else if (self->operation != OPERATION_RELEASE)
        share_choice (self, &shares);
    if (self->operation != OPERATION_RESERVE)
        share_present (self, &shares);
    bool good = propose_shares (self, now, &shares);
    shares_clear (&shares);
    return good;
}

/*  A placement for each phase of the need. */
static void fill_placements (const pending_t *self, answer_t *answer, size_t at)
{
    const compute_need_t *need = &self->request.compute [at];
    const option_t *option = option_of (self, at);
    const site_class_t *place = &self->plan.snapshot->places [option->place];
    int64_t start_ms = self->plan.algorithm->result (self).start_ms;
    phase_t phases [PHASES_MAX];
    size_t count = compute_phases (&self->request, at, phases);
    for (size_t i = 0; i < count; i++) {
        placement_t *placement = &answer->compute [answer->compute_count++];
        snprintf (placement->need, sizeof placement->need, "%s", need->id);
        snprintf (placement->site, sizeof placement->site, "%s", proposal_site_of (self, at));
        snprintf (placement->class_name, sizeof placement->class_name, "%s", place->class_name);
        placement->cpus = place_nodes (place, phases [i].amount) * place->cpus_per_node;
        placement->from_ms = start_ms + phases [i].from_ms;
        placement->until_ms = start_ms + phases [i].until_ms;
        if (placement->from_ms < answer->start_ms)
            answer->start_ms = placement->from_ms;
        if (placement->until_ms > answer->end_ms)
            answer->end_ms = placement->until_ms;
    }
    answer->cost += snapshot_cost (self->plan.snapshot, at, option);
}

static void fill_path (const pending_t *self, size_t at, connection_t *connection)
{
    const path_t *path = proposal_path_of (self, at);
    if (path->links_count > 0) {
        connection_set_path (connection, self->plan.snapshot->graph, path);
        return;
    }
    size_t end = network_need_end (self->plan.snapshot->request, at, 0);
    connection->path = must (calloc (1, sizeof *connection->path));
    connection->path_count = 1;
    snprintf (connection->path [0], sizeof connection->path [0], "%s",
              proposal_site_of (self, end));
}

/*  A connection for each phase of the need, over the same path. A file that is at the site needs no
 *  circuit; of one that comes, the first end is the site that it comes from. */
static void fill_connections (const pending_t *self, answer_t *answer, size_t at)
{
    const user_request_t *request = self->plan.snapshot->request;
    const network_need_t *need = &request->network [at];
    const path_t *path = proposal_path_of (self, at);
    int64_t start_ms = self->plan.algorithm->result (self).start_ms;
    phase_t phases [PHASES_MAX];
    size_t count = network_phases (request, at, phases);
    for (size_t i = 0; i < count && (need->data == 0 || path->links_count > 0); i++) {
        connection_t *connection = &answer->network [answer->network_count++];
        *connection = (connection_t){.ends_count = 2,
                                     .mbps = phases [i].amount,
                                     .from_ms = start_ms + phases [i].from_ms,
                                     .until_ms = start_ms + phases [i].until_ms};
        memcpy (connection->need, need->id, sizeof connection->need);
        memcpy (connection->ends, need->ends, sizeof connection->ends);
        if (need->data > 0)
            snprintf (connection->ends [0], sizeof connection->ends [0], "%s",
                      proposal_site_of (self, network_need_end (request, at, 0)));
        fill_path (self, at, connection);
    }
    if (path->links_count > 0)
        answer->cost += snapshot_path_cost (self->plan.snapshot, at, path);
}

static void count_phases (const user_request_t *request, size_t *compute, size_t *network)
{
    phase_t phases [PHASES_MAX];
    *compute = *network = 0;
    for (size_t i = 0; i < request->compute_count; i++)
        *compute += compute_phases (request, i, phases);
    for (size_t i = 0; i < request->network_count; i++)
        *network += network_phases (request, i, phases);
}

/*  The rooms of a need for storage. */
static void fill_rooms (const pending_t *self, answer_t *answer, size_t at)
{
    const snapshot_t *snapshot = self->plan.snapshot;
    const derived_t *derived = &snapshot->request->compute [at].derived;
    const option_t *option = option_of (self, at);
    for (uint32_t k = 0; derived->kind == DERIVED_STORAGE && k < option->spread; k++) {
        space_booking_t booking = snapshot_space_booking (
          snapshot, at, option, k, self->plan.algorithm->result (self).start_ms,
          proposal_source_of (self, derived->data));
        answer->data =
          must (reallocarray (answer->data, answer->data_count + 1, sizeof *answer->data));
        answer->data [answer->data_count++] = room_of (&booking, proposal_site_of (self, at));
    }
}

void answer_of_choice (const pending_t *self, answer_t *answer)
{
    const user_request_t *request = self->plan.snapshot->request;
    size_t compute, network;
    free (answer->data);
    answer->data = NULL;
    answer->data_count = 0;
    free (answer->compute);
    connections_free (answer->network, answer->network_count);
    count_phases (request, &compute, &network);
    assert (compute > 0);
    answer->compute = must (calloc (compute, sizeof *answer->compute));
    answer->network = must (calloc (network + 1, sizeof *answer->network));
    answer->compute_count = answer->network_count = 0;
    answer->cost = 0;
    answer->start_ms = INT64_MAX;
    answer->end_ms = 0;
    for (size_t i = 0; i < self->request.compute_count; i++)
        fill_placements (self, answer, i);
    for (size_t i = 0; i < request->network_count; i++)
        fill_connections (self, answer, i);
    for (size_t i = self->request.compute_count; i < request->compute_count; i++)
        fill_rooms (self, answer, i);
}
