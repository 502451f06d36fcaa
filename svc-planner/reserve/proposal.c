/*  proposal - a plan as it is put to the vote: the participants and their parts, the time by which
 *  it must be decided, and the answer for the user (T1, T4, T9, T11).
 */
#include "proposal.h"

#include "candidates.h"
#include "connections.h"
#include "least.h"
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

void proposal_clear (proposal_t *self)
{
    for (size_t i = 0; i < self->plan.participants_count && self->parts; i++)
        free (self->parts [i].part.data);
    free (self->parts);
    free (self->answer.data);
    codec_clear (&plan_codec, &self->plan);
    *self = (proposal_t){0};
}

/*  --- shares --- */

/*  Where the plan puts a need. */
static const option_t *option_of (const snapshot_t *snapshot, const choice_t *choice, size_t need)
{
    return &snapshot->needs [need].options [choice->options [need]];
}

static const char *proposal_site_of (const snapshot_t *snapshot, const choice_t *choice,
                                     size_t need)
{
    const site_class_t *place = &snapshot->places [option_of (snapshot, choice, need)->place];
    return participant_ref_short_name (snapshot->sources [place->source].party.name);
}

/*  The site that a data need's circuit comes from; NULL without one. */
static const char *proposal_source_of (const snapshot_t *snapshot, const choice_t *choice,
                                       size_t data)
{
    const user_request_t *request = snapshot->request;
    for (size_t i = 0; i < request->compute_count; i++)
        if (request->compute [i].derived.kind == DERIVED_SOURCE &&
            request->compute [i].derived.data == data)
            return proposal_site_of (snapshot, choice, i);
    return NULL;
}

static void share_choice (const snapshot_t *snapshot, const choice_t *choice, shares_t *shares)
{
    const user_request_t *request = snapshot->request;
    plan_shares_t of = {shares, snapshot, choice->start_ms};
    for (size_t i = 0; i < request->compute_count; i++)
        if (request->compute [i].derived.kind != DERIVED_SOURCE)
            plan_shares_need (
              &of, i, option_of (snapshot, choice, i),
              proposal_source_of (snapshot, choice, request->compute [i].derived.data));
    for (size_t i = 0; i < request->network_count; i++)
        plan_shares_path (&of, i, &choice->paths [i]);
}

/*  The lead and the cleaning gap of a site or domain, as the directory has them now. */
static void share_manner (share_t *share, const directory_entry_t *entry)
{
    share->lead_ms = greatest (share->lead_ms, participant_ref_lead_ms (entry));
    if (entry && entry->site)
        share->gap_ms = greatest (share->gap_ms, entry->site->cleaning_gap_ms);
}

static space_booking_t *proposal_room (const share_t *share, const space_booking_t *like)
{
    for (size_t i = 0; i < share->new.space_count; i++)
        if (strcmp (share->new.space [i].need, like->need) == 0 &&
            strcmp (share->new.space [i].node, like->node) == 0)
            return &share->new.space [i];
    return NULL;
}

/*  What storage has had until the change takes effect stays as it was (R10), and so does a file's
 *  circuit that has begun. */
static void share_begun (const plan_order_t *order, const snapshot_t *snapshot, share_t *share)
{
    int64_t effect_ms = order->effect_ms;
    for (size_t i = 0; i < share->old.space_count; i++) {
        space_booking_t kept = share->old.space [i];
        if (kept.from_ms > order->check_from_ms)
            continue;
        space_booking_t *new = proposal_room (share, &kept);
        bool same =
          new &&new->from_ms == kept.from_ms &&space_mib (new->bytes) == space_mib (kept.bytes);
        kept.until_ms = same ? new->until_ms : least (kept.until_ms, effect_ms);
        kept.due_ms = least (kept.due_ms, kept.until_ms);
        if (same)
            *new = kept;
        else
            share_store (share, &kept);
    }
    for (size_t i = 0; i < share->old.circuits_count; i++) {
        circuit_t circuit;
        const char *need = share->old.circuits [i].need;
        if (share->old.circuits [i].from_ms > order->check_from_ms ||
            user_request_network (snapshot->request, need) != SIZE_MAX)
            continue;
        codec_copy (&circuit_codec, &circuit, &share->old.circuits [i]);
        if (user_request_data (order->request, need) == SIZE_MAX)
            circuit.until_ms = least (circuit.until_ms, effect_ms);
        share_connect (share, &circuit);
    }
}

/*  What the reservation has now, at the participants that still know it. */
static void share_present (const plan_order_t *order, const snapshot_t *snapshot,
                           const directory_t *directory, shares_t *shares)
{
    for (size_t i = 0; i < order->base->count; i++) {
        const located_part_t *part = &order->base->parts [i];
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
        if (order->operation == OPERATION_MODIFY && snapshot)
            share_begun (order, snapshot, share);
        share_manner (share, directory_find (directory, party.name));
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
static packed_t proposal_pack_request (const plan_order_t *order,
                                       const planner_settings_t *settings)
{
    if (order->repair && order->repair->step == REPAIR_BACK)
        return packed_copy (
          (bytes_t){order->repair->before->request, order->repair->before->request_size});
    if (order->operation == OPERATION_RELEASE) {
        const part_record_t *newest = locate_newest (order->base);
        return packed_copy ((bytes_t){newest->plan.request, newest->plan.request_size});
    }
    user_request_t fixed;
    user_request_copy (&fixed, order->request);
    user_request_fix (&fixed, settings, order->begun_wall_ms);
    packed_t packed = codec_encode (&user_request_codec, &fixed);
    user_request_clear (&fixed);
    return packed;
}

static void fill_participants (proposal_t *proposal, const shares_t *shares,
                               const directory_entry_t *home)
{
    plan_t *plan = &proposal->plan;
    plan->participants_count = shares->count + (home ? 1 : 0);
    assert (plan->participants_count > 0);
    plan->participants = must (calloc (plan->participants_count, sizeof *plan->participants));
    proposal->parts = must (calloc (plan->participants_count, sizeof *proposal->parts));
    for (size_t i = 0; i < shares->count; i++) {
        plan->participants [i] = shares->shares [i].party;
        proposal->parts [i] = share_part (&shares->shares [i]);
    }
    if (home)
        plan->participants [shares->count] = participant_ref_of_entry (home);
}

/*  The participants of a released reservation, and those an earlier release awaits, that did not
 *  answer. The release goes on there once they do (R11). */
static size_t find_awaited (const plan_order_t *order, participant_ref_t awaited [PARTICIPANTS_MAX])
{
    size_t count = 0;
    if (order->operation != OPERATION_RELEASE)
        return 0;
    const plan_t *newest = &locate_newest (order->base)->plan;
    size_t parties = newest->participants_count + newest->awaited_count;
    for (size_t i = 0; i < parties && count < PARTICIPANTS_MAX; i++) {
        const participant_ref_t *party = i < newest->participants_count
                                           ? &newest->participants [i]
                                           : &newest->awaited [i - newest->participants_count];
        if (strcmp (party->name, newest->home) != 0 && !locate_heard (order->base, party->name))
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

/*  The answer for the user, as the home is to keep it. */
static void fill_claim (const plan_order_t *order, const snapshot_t *snapshot,
                        const choice_t *choice, const answer_t *signature, proposal_t *proposal)
{
    const plan_t *plan = &proposal->plan;
    answer_t answer = *signature;
    answer.status = ANSWER_COMMITTED;
    answer.version = plan->base_version + 1;
    if (choice)
        answer_of_choice (order->request, snapshot, choice, &answer);
    else if (plan->awaited_count > 0)
        proposal_tell_awaited (plan, &answer);
    snprintf (answer.reservation, sizeof answer.reservation, "%s", plan->reservation);
    proposal->answer = codec_encode (&answer_codec, &answer);
    codec_clear (&answer_codec, &answer);
    attempt_part_t *claim = &proposal->parts [plan->participants_count - 1];
    claim->kind = PART_CLAIM;
    claim->part = claim_part_encode (order->digest, packed_bytes (proposal->answer));
}

static bool refuse_plan (answer_t *answer, const char *why)
{
    answer_reason (answer, "", "", "%s", why);
    return false;
}

static bool refuse_late (answer_t *answer, int64_t edge_ms)
{
    reason_t *reason = answer_reason (answer, "", "",
                                      "too late: the participants would have to act before the "
                                      "plan can be decided");
    reason->until_ms = edge_ms;
    return false;
}

/*  Request and answer must fit into the plan and the claim (transaction.h). */
static bool small_enough (proposal_t *proposal, coordinator_t *coordinator, answer_t *answer)
{
    char why [WHY_BYTES];
    const plan_t *plan = &proposal->plan;
    if (plan->request_size > PLAN_REQUEST_BYTES_MAX)
        snprintf (why, sizeof why, "the request has %zu bytes: participants keep at most %d",
                  plan->request_size, PLAN_REQUEST_BYTES_MAX);
    else if (proposal->answer.size > CLAIM_ANSWER_BYTES_MAX)
        snprintf (
          why, sizeof why,
          "the answer, with its places and paths, would have %zu bytes: at most %d can be kept",
          proposal->answer.size, CLAIM_ANSWER_BYTES_MAX);
    else
        return true;
    coordinator_drop (coordinator, &plan->txid);
    proposal_clear (proposal);
    return refuse_plan (answer, why);
}

/*  Its times, beside those of shares. False: the participants would have to act too soon. */
static bool fill_times (const plan_order_t *order, const propose_terms_t *terms,
                        const shares_t *shares, plan_t *plan)
{
    /* A silent participant's part may end later than all the others. */
    int64_t rest_ms = plan->awaited_count > 0 ? locate_newest (order->base)->plan.end_ms : 0;
    plan->end_ms = greatest (shares_end (shares), rest_ms);
    plan->edge_ms = greatest (shares_edge (shares), rest_ms);
    if (order->operation == OPERATION_MODIFY && !order->repair) /* the past stays (R10) */
        plan->edge_ms = least (plan->edge_ms, shares_begun (shares));
    plan->decide_by_ms = least (terms->wall_ms + terms->settings->decide_ms,
                                plan->edge_ms - terms->settings->guard_ms);
    return plan->decide_by_ms >= terms->wall_ms + DECIDE_MS_MIN;
}

static void fill_names (const plan_order_t *order, plan_t *plan)
{
    plan->operation = order->operation;
    plan->base_version = order->base_version;
    if (order->operation == OPERATION_RESERVE)
        name_reservation (plan);
    else
        snprintf (plan->reservation, sizeof plan->reservation, "%s", order->reservation);
    snprintf (plan->actor, sizeof plan->actor, "%s", order->actor);
    snprintf (plan->owner, sizeof plan->owner, "%s", order->owner);
    snprintf (plan->request_id, sizeof plan->request_id, "%s", order->name->full);
    snprintf (plan->home, sizeof plan->home, "%s", order->name->home);
}

static bool propose_shares (const plan_order_t *order, const snapshot_t *snapshot,
                            const choice_t *choice, const propose_terms_t *terms,
                            const shares_t *shares, proposal_t *proposal, answer_t *answer)
{
    const directory_entry_t *home = NULL;
    if (!order->repair) /* a repair's plan answers no request */
        home = directory_find (terms->directory, order->name->home);
    if (!home && !order->repair)
        return refuse_plan (answer,
                            "the request's home is not in the directory any more: ask again");
    char why [WHY_BYTES];
    if (!shares_fit (shares, why))
        return refuse_plan (answer, why);
    participant_ref_t awaited [PARTICIPANTS_MAX];
    plan_t times = {.awaited_count = find_awaited (order, awaited)};
    if (!fill_times (order, terms, shares, &times))
        return refuse_late (answer, times.edge_ms);

    proposal_clear (proposal);
    plan_t *plan = &proposal->plan;
    *plan = times;
    plan->txid = coordinator_begin (terms->coordinator);
    fill_names (order, plan);
    packed_t request = proposal_pack_request (order, terms->settings);
    plan->request = request.data;
    plan->request_size = request.size;
    coordinator_sign (terms->coordinator, plan);
    fill_participants (proposal, shares, home);
    if (order->operation == OPERATION_RESERVE)
        recents_note (terms->recents, &plan->txid, shares);
    plan->awaited = must_copy (awaited, plan->awaited_count * sizeof *awaited);
    if (home)
        fill_claim (order, snapshot, choice, terms->signature, proposal);
    else
        plan->repairs = order->repair->plan->txid;
    return small_enough (proposal, terms->coordinator, answer);
}

/*  Everyone gets back what it had before the change; participants that the change added leave. */
static void share_before (const before_t *before, const directory_t *directory, shares_t *shares)
{
    for (size_t i = 0; i < before->parts_count; i++) {
        const part_record_t *part = &before->parts [i];
        const directory_entry_t *entry = directory_find (directory, part->participant);
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

bool propose (const plan_order_t *order, const snapshot_t *snapshot, const choice_t *choice,
              const propose_terms_t *terms, proposal_t *proposal, answer_t *answer)
{
    shares_t shares = {0};
    assert (choice || order->operation == OPERATION_RELEASE || order->repair);
    if (choice)
        share_choice (snapshot, choice, &shares);
    else if (order->repair && order->repair->step == REPAIR_BACK)
        share_before (order->repair->before, terms->directory, &shares);
    if (order->operation != OPERATION_RESERVE)
        share_present (order, snapshot, terms->directory, &shares);
    bool good = propose_shares (order, snapshot, choice, terms, &shares, proposal, answer);
    shares_clear (&shares);
    return good;
}

/*  A placement for each phase of the need. */
static void fill_placements (const user_request_t *request, const snapshot_t *snapshot,
                             const choice_t *choice, answer_t *answer, size_t at)
{
    const compute_need_t *need = &request->compute [at];
    const option_t *option = option_of (snapshot, choice, at);
    const site_class_t *place = &snapshot->places [option->place];
    int64_t start_ms = choice->start_ms;
    phase_t phases [PHASES_MAX];
    size_t count = compute_phases (request, at, phases);
    for (size_t i = 0; i < count; i++) {
        placement_t *placement = &answer->compute [answer->compute_count++];
        snprintf (placement->need, sizeof placement->need, "%s", need->id);
        snprintf (placement->site, sizeof placement->site, "%s",
                  proposal_site_of (snapshot, choice, at));
        snprintf (placement->class_name, sizeof placement->class_name, "%s", place->class_name);
        placement->cpus = place_nodes (place, phases [i].amount) * place->cpus_per_node;
        placement->from_ms = start_ms + phases [i].from_ms;
        placement->until_ms = start_ms + phases [i].until_ms;
        if (placement->from_ms < answer->start_ms)
            answer->start_ms = placement->from_ms;
        if (placement->until_ms > answer->end_ms)
            answer->end_ms = placement->until_ms;
    }
    answer->cost += snapshot_cost (snapshot, at, option);
}

static void fill_path (const snapshot_t *snapshot, const choice_t *choice, size_t at,
                       connection_t *connection)
{
    const path_t *path = &choice->paths [at];
    if (path->links_count > 0) {
        connection_set_path (connection, snapshot->graph, path);
        return;
    }
    size_t end = network_need_end (snapshot->request, at, 0);
    connection->path = must (calloc (1, sizeof *connection->path));
    connection->path_count = 1;
    snprintf (connection->path [0], sizeof connection->path [0], "%s",
              proposal_site_of (snapshot, choice, end));
}

/*  A connection for each phase of the need, over the same path. A file that is at the site needs no
 *  circuit; of one that comes, the first end is the site that it comes from. */
static void fill_connections (const snapshot_t *snapshot, const choice_t *choice, answer_t *answer,
                              size_t at)
{
    const user_request_t *request = snapshot->request;
    const network_need_t *need = &request->network [at];
    const path_t *path = &choice->paths [at];
    int64_t start_ms = choice->start_ms;
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
                      proposal_site_of (snapshot, choice, network_need_end (request, at, 0)));
        fill_path (snapshot, choice, at, connection);
    }
    if (path->links_count > 0)
        answer->cost += snapshot_path_cost (snapshot, at, path);
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
static void fill_rooms (const snapshot_t *snapshot, const choice_t *choice, answer_t *answer,
                        size_t at)
{
    const derived_t *derived = &snapshot->request->compute [at].derived;
    const option_t *option = option_of (snapshot, choice, at);
    for (uint32_t k = 0; derived->kind == DERIVED_STORAGE && k < option->spread; k++) {
        space_booking_t booking =
          snapshot_space_booking (snapshot, at, option, k, choice->start_ms,
                                  proposal_source_of (snapshot, choice, derived->data));
        answer->data =
          must (reallocarray (answer->data, answer->data_count + 1, sizeof *answer->data));
        answer->data [answer->data_count++] =
          room_of (&booking, proposal_site_of (snapshot, choice, at));
    }
}

void answer_of_choice (const user_request_t *asked, const snapshot_t *snapshot,
                       const choice_t *choice, answer_t *answer)
{
    const user_request_t *request = snapshot->request;
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
    for (size_t i = 0; i < asked->compute_count; i++)
        fill_placements (asked, snapshot, choice, answer, i);
    for (size_t i = 0; i < request->network_count; i++)
        fill_connections (snapshot, choice, answer, i);
    for (size_t i = asked->compute_count; i < request->compute_count; i++)
        fill_rooms (snapshot, choice, answer, i);
}
