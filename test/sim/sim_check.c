/*  sim_check - the checks, over plain arrays of recorded commands: nothing of the services' own
 *  arithmetic is used, so that an error there is not made again here.
 */
#include "sim_check.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define AUDITOR        "auditor"
#define PEER           "planner/auditor" /* outcomes are told to peers only */
#define CLOCKS_OFF_MS  6000              /* wall clocks are stepped and off by less */
#define HOLD_MARGIN_US 400000            /* a timer's way through a busy queue, and slow clocks */

void sim_check_clear (sim_check_t *self)
{
    for (size_t i = 0; i < self->participants_count; i++)
        free (self->participants [i].commands);
    self->participants_count = 0;
}

void sim_check_add (sim_check_t *self, int process, const site_t *site)
{
    assert (self->participants_count < SIM_SITES_MAX);
    self->participants [self->participants_count++] =
      (sim_participant_t){.process = process, .site = site, .stale = true};
}

static const char *name_of (const sim_check_t *self, const sim_participant_t *participant)
{
    return sim_name (self->sim, participant->process);
}

static bool same (const char *a, const char *b)
{
    return strcmp (a, b) == 0;
}

/*  --- records --- */

const sim_participant_t *sim_check_records (sim_check_t *self, size_t participant)
{
    sim_participant_t *from = &self->participants [participant];
    if (!from->stale)
        return from;
    from->stale = false;
    from->commands_count = 0;
    bool more = true;
    txid_t next;
    for (bool first = true; more; first = false) {
        packed_t question = sim_wire_commands (first ? NULL : &next);
        sim_message_t *answer =
          sim_recall (self->sim, from->process, "Participant", "Commands", AUDITOR,
                      (bytes_t){.data = question.data, .size = question.size});
        free (question.data);
        if (!answer || answer->status != CALL_OK ||
            !sim_wire_commands_read (sim_message_body (answer), &from->commands,
                                     &from->commands_count, &next, &more)) {
            sim_fail (self->sim, "%s does not show its commands: %s", name_of (self, from),
                      answer ? answer->reason : "no answer");
            more = false;
        }
        free (answer);
    }
    return from;
}

static const sim_participant_t *participant_named (sim_check_t *self, const char *name)
{
    for (size_t i = 0; i < self->participants_count; i++)
        if (strcmp (name_of (self, &self->participants [i]), name) == 0)
            return sim_check_records (self, i);
    return NULL;
}

static const sim_command_t *command_of (const sim_participant_t *participant, const txid_t *txid)
{
    for (size_t i = 0; i < participant->commands_count; i++)
        if (txid_compare (&participant->commands [i].txid, txid) == 0)
            return &participant->commands [i];
    return NULL;
}

static bool pending (command_state_t state)
{
    return state == COMMAND_HELD || state == COMMAND_PREPARED || state == COMMAND_EDGE;
}

/*  --- overbooking, at every instant --- */

/*  Nodes of a class that a command asks for at an instant, cleaning gap included. */
static int64_t nodes_at (const sim_command_t *command, const char *class_name, int64_t gap_ms,
                         int64_t at_ms)
{
    int64_t nodes = 0;
    for (size_t i = 0; i < command->bookings_count; i++) {
        const compute_booking_t *booking = &command->bookings [i];
        if (strcmp (booking->class_name, class_name) == 0 && booking->from_ms <= at_ms &&
            at_ms < booking->until_ms + gap_ms)
            nodes += booking->nodes;
    }
    return nodes;
}

/*  The command that made what the reservation has now: the committed one with the highest version.
 *  One whose edge was refused took its place with nothing. */
static const sim_command_t *current_of (const sim_participant_t *site, const char *reservation)
{
    assert (site->commands || site->commands_count == 0);
    const sim_command_t *current = NULL;
    for (size_t i = 0; i < site->commands_count; i++) {
        const sim_command_t *command = &site->commands [i];
        bool counts = command->state == COMMAND_COMMITTED || command->state == COMMAND_EDGE_REFUSED;
        if (counts && strcmp (command->reservation, reservation) == 0 &&
            (!current || command->base_version >= current->base_version))
            current = command;
    }
    return current && current->state == COMMAND_COMMITTED ? current : NULL;
}

/*  What all reservations together take: for each the larger of what it has and what it may get. */
static int64_t taken_at (const sim_participant_t *site, const char *class_name, int64_t at_ms)
{
    int64_t taken = 0;
    int64_t gap_ms = site->site->cleaning_gap_ms;
    for (size_t i = 0; i < site->commands_count; i++) {
        const sim_command_t *command = &site->commands [i];
        bool first = true; /* of its reservation */
        for (size_t j = 0; j < i && first; j++)
            first = strcmp (site->commands [j].reservation, command->reservation) != 0;
        if (!first)
            continue;
        const sim_command_t *current = current_of (site, command->reservation);
        int64_t most = current ? nodes_at (current, class_name, gap_ms, at_ms) : 0;
        for (size_t j = i; j < site->commands_count; j++) {
            const sim_command_t *other = &site->commands [j];
            if ((other->state != COMMAND_HELD && other->state != COMMAND_PREPARED) ||
                strcmp (other->reservation, command->reservation) != 0)
                continue;
            int64_t nodes = nodes_at (other, class_name, gap_ms, at_ms);
            if (nodes > most)
                most = nodes;
        }
        taken += most;
    }
    return taken;
}

static void check_overbooking (sim_check_t *self, const sim_participant_t *site)
{
    for (size_t i = 0; i < site->commands_count; i++)
        for (size_t b = 0; b < site->commands [i].bookings_count; b++) {
            const compute_booking_t *booking = &site->commands [i].bookings [b];
            const node_class_t *nodes = site_class (site->site, booking->class_name);
            if (!nodes)
                continue;
            int64_t taken = taken_at (site, booking->class_name, booking->from_ms);
            if (taken > nodes->nodes)
                sim_fail (self->sim, "%s/%s is overbooked at %" PRId64 ": %" PRId64 " of %u nodes",
                          name_of (self, site), booking->class_name, booking->from_ms, taken,
                          nodes->nodes);
        }
}

/*  A vote on a hold comes while it lives (R1): the first flush that shows it tells when. */
static void check_votes_in_time (sim_check_t *self, const sim_participant_t *site)
{
    for (size_t i = 0; i < self->held_count; i++) {
        sim_held_t *held = &self->held [i];
        if (held->process != site->process || held->voted)
            continue;
        const sim_command_t *command = command_of (site, &held->txid);
        held->voted = command && command->state == COMMAND_PREPARED;
        char words [TXID_TEXT_BYTES];
        if (held->voted && sim_now_us (self->sim) > held->ends_us)
            sim_fail (self->sim, "%s lets %s be prepared after its hold has ended",
                      name_of (self, site), txid_text (&held->txid, words));
    }
}

void sim_check_flushed (sim_check_t *self, int process)
{
    for (size_t i = 0; i < self->participants_count; i++) {
        if (self->participants [i].process != process)
            continue;
        self->participants [i].stale = true;
        if (!self->participants [i].site)
            continue;
        const sim_participant_t *site = sim_check_records (self, i);
        check_overbooking (self, site);
        check_votes_in_time (self, site);
    }
}

/*  --- what leaves must be durable --- */

static sim_held_t *held_find (sim_check_t *self, int process, const txid_t *txid)
{
    for (size_t i = 0; i < self->held_count; i++)
        if (self->held [i].process == process && txid_compare (&self->held [i].txid, txid) == 0)
            return &self->held [i];
    return NULL;
}

/*  HELD was told: from now on its life is known. */
static void held_note (sim_check_t *self, int process, const txid_t *txid, uint32_t ttl_ms)
{
    int64_t now_us = sim_now_us (self->sim);
    sim_held_t *held = held_find (self, process, txid);
    if (!held) {
        if (self->held_count == SIM_HOLDS_MAX)
            return;
        held = &self->held [self->held_count++];
        *held = (sim_held_t){.process = process, .txid = *txid, .first_us = now_us};
    }
    held->ends_us = now_us + 1000 * (int64_t) ttl_ms + HOLD_MARGIN_US;
    if (now_us > held->first_us + 1000 * (int64_t) self->hold_age_ms_max + HOLD_MARGIN_US)
        sim_fail (self->sim, "%s renews a hold beyond its greatest age",
                  sim_name (self->sim, process));
}

/*  What the process would say of a txid if it came back from its store now. */
static outcome_t outcome_recalled (sim_check_t *self, int process, const char *service,
                                   const txid_t *txid)
{
    packed_t question = sim_wire_txid (txid);
    sim_message_t *answer = sim_recall (self->sim, process, service, "Outcome", PEER,
                                        (bytes_t){.data = question.data, .size = question.size});
    free (question.data);
    outcome_t outcome = OUTCOME_LOST;
    if (!answer || answer->status != CALL_OK ||
        !sim_wire_outcome_read (sim_message_body (answer), &outcome))
        sim_fail (self->sim, "%s does not tell an outcome: %s", sim_name (self->sim, process),
                  answer ? answer->reason : "no answer");
    free (answer);
    return outcome;
}

/*  T1: what a HOLD replaces is aborted in the same write. */
static void check_replaced (sim_check_t *self, const sim_participant_t *participant,
                            const txid_t *by)
{
    size_t count = self->replaced_count < SIM_HOLDS_MAX ? self->replaced_count : SIM_HOLDS_MAX;
    for (size_t i = 0; i < count; i++) {
        const sim_replaced_t *replaced = &self->replaced [i];
        char words [2][TXID_TEXT_BYTES];
        if (replaced->process == participant->process && txid_compare (&replaced->by, by) == 0 &&
            outcome_recalled (self, participant->process, "Participant", &replaced->old) !=
              OUTCOME_ABORTED)
            sim_fail (self->sim, "%s votes for %s and has not aborted %s, which it replaces",
                      name_of (self, participant), txid_text (by, words [0]),
                      txid_text (&replaced->old, words [1]));
    }
}

static void note_replaced (sim_check_t *self, const sim_message_t *hold)
{
    txid_t by;
    txid_t old [REPLACES_MAX];
    size_t count = sim_wire_replaces (hold, &by, old);
    for (size_t i = 0; i < count; i++)
        self->replaced [self->replaced_count++ % SIM_HOLDS_MAX] =
          (sim_replaced_t){.process = hold->to, .by = by, .old = old [i]};
}

static void check_vote (sim_check_t *self, const sim_participant_t *participant,
                        const sim_message_t *message)
{
    txid_t txid;
    command_state_t state;
    uint32_t ttl_ms;
    refusal_reason_t refused;
    char words [TXID_TEXT_BYTES];
    if (!sim_wire_command_answer (sim_message_body (message), &txid, &state, &ttl_ms, &refused)) {
        sim_fail (self->sim, "%s: an answer to %s that can't be read", name_of (self, participant),
                  message->method);
        return;
    }
    if (state == COMMAND_HELD && refused == REFUSAL_NONE)
        held_note (self, participant->process, &txid, ttl_ms);
    if (state == COMMAND_PREPARED && same (message->method, "Hold"))
        check_replaced (self, participant, &txid);
    if (state != COMMAND_PREPARED && state != COMMAND_COMMITTED && state != COMMAND_ABORTED)
        return;
    const sim_command_t *durable = command_of (participant, &txid);
    command_state_t kept = durable ? durable->state : COMMAND_UNKNOWN;
    bool over = kept == COMMAND_ABORTED || kept == COMMAND_EXPIRED || kept == COMMAND_REJECTED;
    bool sound = state == COMMAND_PREPARED    ? kept != COMMAND_UNKNOWN && kept != COMMAND_HELD
                 : state == COMMAND_COMMITTED ? kept == COMMAND_COMMITTED
                                              : over;
    if (!durable && state == COMMAND_ABORTED) /* a tombstone, which is not listed */
        sound =
          outcome_recalled (self, participant->process, "Participant", &txid) == OUTCOME_ABORTED;
    if (!sound)
        sim_fail (self->sim, "%s answers %s with %s %s, its store says %s",
                  name_of (self, participant), message->method, txid_text (&txid, words),
                  command_state_word (state), command_state_word (kept));
}

/*  T4: a commit leaves only when the decision is durable. */
static void check_decision (sim_check_t *self, const sim_message_t *message)
{
    txid_t txid;
    char words [TXID_TEXT_BYTES];
    if (sim_wire_names_txid (message, &txid) &&
        outcome_recalled (self, message->from, "Coordinator", &txid) != OUTCOME_COMMITTED)
        sim_fail (self->sim, "%s sends Commit of %s, its store knows of no decision",
                  sim_name (self->sim, message->from), txid_text (&txid, words));
}

static const sim_request_t *request_of (const sim_check_t *self, const char *actor,
                                        const char *request_id)
{
    for (size_t i = 0; i < self->book->count; i++)
        if (sim_request_made (&self->book->requests [i], actor, request_id))
            return &self->book->requests [i];
    return NULL;
}

/*  The command of the request that was committed somewhere, NULL when there is none. */
static const sim_command_t *committed_of (sim_check_t *self, const sim_request_t *request)
{
    for (size_t i = 0; i < self->participants_count; i++) {
        const sim_participant_t *participant = sim_check_records (self, i);
        for (size_t c = 0; c < participant->commands_count; c++) {
            const sim_command_t *command = &participant->commands [c];
            if (command->state == COMMAND_COMMITTED &&
                sim_request_made (request, command->actor, command->request_id))
                return command;
        }
    }
    return NULL;
}

/*  Does it still hold something that has not long passed by any clock? */
static bool holds_something (const sim_check_t *self, const sim_command_t *current)
{
    int64_t past_ms = SIM_EPOCH_MS + sim_now_us (self->sim) / 1000 + CLOCKS_OFF_MS;
    for (size_t i = 0; current && i < current->bookings_count; i++)
        if (current->bookings [i].until_ms > past_ms)
            return true;
    return false;
}

/*  T10: a transaction that was refused at the edge of some participants has been undone: whoever
 *  had committed it holds nothing of the reservation any more. */
static bool undone (sim_check_t *self, const sim_command_t *command)
{
    bool refused = false;
    for (size_t p = 0; p < command->parties_count; p++) {
        const sim_participant_t *party = participant_named (self, command->parties [p]);
        const sim_command_t *there = party ? command_of (party, &command->txid) : NULL;
        refused = refused || (there && there->state == COMMAND_EDGE_REFUSED);
        if (!party || !party->site)
            continue;
        if (holds_something (self, current_of (party, command->reservation)))
            return false;
    }
    return refused;
}

/*  T6: committed is told only when every participant has it. */
static void check_committed (sim_check_t *self, const sim_request_t *request)
{
    const sim_command_t *command = committed_of (self, request);
    if (!command) {
        sim_fail (self->sim, "%s is told committed, and no participant has it",
                  request->request_id);
        return;
    }
    for (size_t i = 0; i < command->parties_count; i++) {
        const sim_participant_t *party = participant_named (self, command->parties [i]);
        const sim_command_t *there = party ? command_of (party, &command->txid) : NULL;
        command_state_t state = there ? there->state : COMMAND_UNKNOWN;
        if (state != COMMAND_COMMITTED)
            sim_fail (self->sim, "%s is told committed, at %s it is %s", request->request_id,
                      command->parties [i], command_state_word (state));
    }
}

/*  T2: refused is told only when the home has closed the request; T10: or when what was committed
 *  of it has been undone. */
static void check_refused (sim_check_t *self, const sim_request_t *request,
                           const char *request_id_told)
{
    const sim_command_t *command = committed_of (self, request);
    if (command && undone (self, command))
        return;
    packed_t question = sim_wire_look (request->actor, request_id_told);
    bool closed = false;
    for (size_t i = 0; i < self->participants_count && !closed; i++) {
        if (self->participants [i].site)
            continue;
        sim_message_t *answer =
          sim_recall (self->sim, self->participants [i].process, "Home", "Look", AUDITOR,
                      (bytes_t){.data = question.data, .size = question.size});
        sim_claim_t claim = CLAIM_FREE;
        closed = answer && answer->status == CALL_OK &&
                 sim_wire_look_read (sim_message_body (answer), &claim) && claim == CLAIM_CLOSED;
        free (answer);
    }
    free (question.data);
    if (!closed)
        sim_fail (self->sim, "%s is told refused, and no home has closed it", request_id_told);
    if (command)
        sim_fail (self->sim, "%s is told refused, and is committed", request_id_told);
}

/*  T6 for show: committed is shown only when every participant has that version. */
static void check_shown (sim_check_t *self, const sim_message_t *message)
{
    sim_shown_t shown;
    uint32_t version;
    char reservation [NAME_BYTES_MAX + 1];
    if (!sim_wire_show_read (sim_message_body (message), &shown, reservation, &version) ||
        shown != SHOWN_COMMITTED)
        return;
    for (size_t i = 0; i < self->participants_count; i++) {
        const sim_participant_t *participant = sim_check_records (self, i);
        for (size_t c = 0; c < participant->commands_count; c++) {
            const sim_command_t *command = &participant->commands [c];
            if (command->base_version + 1 != version || command->state != COMMAND_COMMITTED ||
                !same (command->reservation, reservation))
                continue;
            for (size_t p = 0; p < command->parties_count; p++) {
                const sim_participant_t *party = participant_named (self, command->parties [p]);
                const sim_command_t *there = party ? command_of (party, &command->txid) : NULL;
                if (!there || there->state != COMMAND_COMMITTED)
                    sim_fail (self->sim, "%s is shown committed as version %u, not so at %s",
                              reservation, version, command->parties [p]);
            }
            return;
        }
    }
    sim_fail (self->sim, "%s is shown committed as version %u, no participant has it", reservation,
              version);
}

static void check_planner_answer (sim_check_t *self, const sim_message_t *message)
{
    if (same (message->method, "Show")) {
        check_shown (self, message);
        return;
    }
    sim_answer_t answer;
    const sim_request_t *request = request_of (self, message->actor, message->request_id);
    if (!request || !sim_wire_answer (sim_message_body (message), &answer))
        return;
    if (answer.status == ANSWER_COMMITTED)
        check_committed (self, request);
    if (answer.status == ANSWER_REFUSED)
        check_refused (self, request, answer.request_id);
}

void sim_check_left (sim_check_t *self, const sim_message_t *message)
{
    bool answer = message->kind == MESSAGE_ANSWER && message->status == CALL_OK;
    if (message->kind == MESSAGE_REQUEST && same (message->service, "Participant") &&
        same (message->method, "Commit"))
        check_decision (self, message);
    if (message->kind == MESSAGE_REQUEST && same (message->method, "Hold"))
        note_replaced (self, message);
    if (answer && same (message->service, "Planner"))
        check_planner_answer (self, message);
    static const char *const verbs [] = {"Hold", "Renew", "Prepare", "Commit", "Abort", "Resolve"};
    bool verb = false;
    for (size_t i = 0; i < sizeof verbs / sizeof verbs [0]; i++)
        verb = verb || same (message->method, verbs [i]);
    if (!answer || !verb || !same (message->service, "Participant"))
        return;
    for (size_t i = 0; i < self->participants_count; i++)
        if (self->participants [i].process == message->from)
            check_vote (self, sim_check_records (self, i), message);
}

void sim_check_stepped (sim_check_t *self, int process, int64_t by_ms)
{
    for (size_t i = 0; by_ms < 0 && i < self->held_count; i++)
        if (self->held [i].process == process)
            self->held [i].ends_us -= 1000 * by_ms;
}

/*  --- when all has settled --- */

bool sim_check_settled (sim_check_t *self, char why [SIM_WHY_BYTES])
{
    for (size_t i = 0; i < self->participants_count; i++) {
        self->participants [i].stale = true; /* time alone ends holds */
        const sim_participant_t *participant = sim_check_records (self, i);
        for (size_t c = 0; c < participant->commands_count; c++) {
            const sim_command_t *command = &participant->commands [c];
            char words [TXID_TEXT_BYTES];
            if (!pending (command->state))
                continue;
            snprintf (why, SIM_WHY_BYTES, "%s of %s is still %s at %s",
                      txid_text (&command->txid, words), command->request_id,
                      command_state_word (command->state), name_of (self, participant));
            return false;
        }
    }
    return true;
}

static void check_mixed (sim_check_t *self, const sim_participant_t *participant,
                         const sim_command_t *command)
{
    for (size_t p = 0; p < command->parties_count; p++) {
        const sim_participant_t *party = participant_named (self, command->parties [p]);
        const sim_command_t *there = party ? command_of (party, &command->txid) : NULL;
        command_state_t state = there ? there->state : COMMAND_UNKNOWN;
        char words [TXID_TEXT_BYTES];
        if (state == COMMAND_COMMITTED || (state == COMMAND_EDGE_REFUSED && undone (self, command)))
            continue;
        sim_fail (self->sim, "mixed outcome of %s (%s): committed at %s, %s at %s",
                  txid_text (&command->txid, words), command->request_id,
                  name_of (self, participant), command_state_word (state), command->parties [p]);
    }
}

/*  One version follows another, each made by one transaction of the owner. */
static void check_versions (sim_check_t *self, const sim_command_t *command)
{
    for (size_t i = 0; i < self->participants_count; i++) {
        const sim_participant_t *participant = sim_check_records (self, i);
        if (!participant->site)
            continue;
        for (size_t c = 0; c < participant->commands_count; c++) {
            const sim_command_t *other = &participant->commands [c];
            char words [2][TXID_TEXT_BYTES];
            if (other->state != COMMAND_COMMITTED ||
                !same (other->reservation, command->reservation))
                continue;
            if (other->base_version == command->base_version &&
                txid_compare (&other->txid, &command->txid) != 0)
                sim_fail (self->sim, "%s: %s and %s both made version %u", command->reservation,
                          txid_text (&command->txid, words [0]),
                          txid_text (&other->txid, words [1]), command->base_version + 1);
            if (!same (other->actor, command->actor))
                sim_fail (self->sim, "%s of %s was changed by %s", command->reservation,
                          command->actor, other->actor);
        }
    }
}

static void check_transactions (sim_check_t *self)
{
    for (size_t i = 0; i < self->participants_count; i++) {
        const sim_participant_t *participant = sim_check_records (self, i);
        for (size_t c = 0; c < participant->commands_count; c++) {
            const sim_command_t *command = &participant->commands [c];
            if (command->state == COMMAND_EXPIRED)
                self->tally->counts [COUNT_EXPIRED]++;
            if (command->state != COMMAND_COMMITTED)
                continue;
            check_mixed (self, participant, command);
            if (participant->site)
                check_versions (self, command);
            else
                self->tally->counts [COUNT_COMMITTED]++; /* its home has it: once each */
        }
    }
}

/*  Is the placement among what the sites have booked for that transaction? */
static bool booked (sim_check_t *self, const txid_t *txid, const sim_placement_t *placement)
{
    char name [2 * NAME_BYTES_MAX];
    snprintf (name, sizeof name, "lis/%s", placement->site);
    const sim_participant_t *site = participant_named (self, name);
    const sim_command_t *command = site ? command_of (site, txid) : NULL;
    for (size_t b = 0; command && b < command->bookings_count; b++) {
        const compute_booking_t *booking = &command->bookings [b];
        if (same (booking->need, placement->need) &&
            same (booking->class_name, placement->class_name) &&
            booking->from_ms == placement->from_ms && booking->until_ms == placement->until_ms)
            return true;
    }
    return false;
}

static const sim_placement_t *placement_of (const sim_answer_t *answer, const char *need)
{
    for (size_t i = 0; i < answer->placements_count; i++)
        if (same (answer->placements [i].need, need))
            return &answer->placements [i];
    return NULL;
}

static bool sites_differ (const sim_answer_t *answer)
{
    for (size_t i = 0; i < answer->placements_count; i++)
        for (size_t j = 0; j < i; j++)
            if (same (answer->placements [i].site, answer->placements [j].site))
                return false;
    return true;
}

/*  Does the answer give what was wished for? Offsets count from the start of the reservation. */
static void check_wish (sim_check_t *self, const sim_request_t *request)
{
    const sim_wish_t *wish = &request->wish [request->told [0] ? 0 : 1];
    const sim_answer_t *answer = &request->answer;
    const sim_placement_t *first = placement_of (answer, wish->needs [0].id);
    int64_t start_ms = first ? first->from_ms - wish->needs [0].offset_ms : 0;
    int64_t latest_ms = wish->fixed ? wish->earliest_ms : wish->latest_ms;
    if (start_ms < wish->earliest_ms || start_ms > latest_ms)
        sim_fail (self->sim, "%s was not placed in its time frame", request->request_id);
    if (answer->placements_count != wish->needs_count ||
        (wish->distinct_sites && !sites_differ (answer)))
        sim_fail (self->sim, "%s was not placed at the sites it asked for", request->request_id);
    for (size_t i = 0; i < wish->needs_count; i++) {
        const sim_need_t *need = &wish->needs [i];
        const sim_placement_t *placed = placement_of (answer, need->id);
        int64_t duration_ms = need->duration_ms ? need->duration_ms : wish->duration_ms;
        bool sound = placed && placed->cpus >= need->cpus &&
                     placed->from_ms == start_ms + need->offset_ms &&
                     placed->until_ms - placed->from_ms == duration_ms &&
                     (!*need->site || same (placed->site, need->site));
        if (!sound)
            sim_fail (self->sim, "%s: need %s was not placed as asked", request->request_id,
                      need->id);
    }
}

static void check_told (sim_check_t *self, const sim_request_t *request)
{
    const sim_command_t *command = committed_of (self, request);
    if (request->conflict [0] || request->conflict [1])
        self->tally->counts [COUNT_CONFLICTS]++;
    if (!request->told [0] && !request->told [1]) {
        bool unfit = request->unfit [0] || request->unfit [1];
        if (command && unfit && !request->conflict [0] && !request->conflict [1])
            sim_fail (self->sim, "%s was denied and is committed", request->request_id);
        return;
    }
    if (request->answer.status == ANSWER_REFUSED) {
        self->tally->counts [COUNT_REFUSED]++;
        bool broken = command && undone (self, command);
        if (request->reworded && !broken)
            sim_fail (self->sim, "%s was refused in two different ways", request->request_id);
        if (command && !broken)
            sim_fail (self->sim, "%s was told refused and is committed", request->request_id);
        return;
    }
    if (!command) {
        sim_fail (self->sim, "%s was told committed and is lost", request->request_id);
        return;
    }
    check_committed (self, request);
    if (!same (command->reservation, request->answer.reservation) ||
        command->base_version + 1 != request->answer.version)
        sim_fail (self->sim, "%s was told %s version %u, recorded is %s version %u",
                  request->request_id, request->answer.reservation, request->answer.version,
                  command->reservation, command->base_version + 1);
    if (request->operation == OPERATION_RELEASE)
        return;
    for (size_t i = 0; i < request->answer.placements_count; i++)
        if (!booked (self, &command->txid, &request->answer.placements [i]))
            sim_fail (self->sim, "%s: need %s at %s was told and is not booked",
                      request->request_id, request->answer.placements [i].need,
                      request->answer.placements [i].site);
    if (request->operation == OPERATION_RESERVE)
        check_wish (self, request);
}

/*  One request id makes at most one transaction. */
static void check_once (sim_check_t *self, const sim_request_t *request)
{
    const sim_command_t *first = committed_of (self, request);
    for (size_t i = 0; first && i < self->participants_count; i++) {
        const sim_participant_t *participant = sim_check_records (self, i);
        for (size_t c = 0; c < participant->commands_count; c++) {
            const sim_command_t *command = &participant->commands [c];
            char words [2][TXID_TEXT_BYTES];
            if (command->state == COMMAND_COMMITTED &&
                sim_request_made (request, command->actor, command->request_id) &&
                txid_compare (&command->txid, &first->txid) != 0)
                sim_fail (self->sim, "%s was done twice: %s and %s", request->request_id,
                          txid_text (&first->txid, words [0]),
                          txid_text (&command->txid, words [1]));
        }
    }
}

/*  Does the list show what the last committed command has booked? */
static void check_part (sim_check_t *self, const sim_participant_t *site, const sim_part_t *part)
{
    const sim_command_t *current = current_of (site, part->reservation);
    if (!current)
        return; /* never committed here, or broken at its edge */
    if (part->pending)
        sim_fail (self->sim, "%s lists %s with a change that is over", name_of (self, site),
                  part->reservation);
    bool same_bookings = part->bookings_count == current->bookings_count;
    for (size_t i = 0; same_bookings && i < part->bookings_count; i++) {
        const compute_booking_t *a = &part->bookings [i];
        const compute_booking_t *b = &current->bookings [i];
        same_bookings = same (a->need, b->need) && same (a->class_name, b->class_name) &&
                        a->nodes == b->nodes && a->from_ms == b->from_ms &&
                        a->until_ms == b->until_ms;
    }
    if (!same_bookings || part->version != current->base_version + 1)
        sim_fail (self->sim, "%s lists %s otherwise than its last commit made it",
                  name_of (self, site), part->reservation);
}

void sim_check_said (sim_check_t *self, size_t participant, const sim_command_t *commands,
                     size_t commands_count, const sim_part_t *parts, size_t parts_count)
{
    self->participants [participant].stale = true;
    const sim_participant_t *stored = sim_check_records (self, participant);
    if (stored->commands_count != commands_count)
        sim_fail (self->sim, "%s says it has %zu commands, its store has %zu",
                  name_of (self, stored), commands_count, stored->commands_count);
    for (size_t i = 0; i < commands_count && i < stored->commands_count; i++) {
        const sim_command_t *kept = &stored->commands [i];
        char words [TXID_TEXT_BYTES];
        if (txid_compare (&kept->txid, &commands [i].txid) != 0 ||
            kept->state != commands [i].state)
            sim_fail (self->sim, "%s says %s is %s, its store says %s", name_of (self, stored),
                      txid_text (&commands [i].txid, words),
                      command_state_word (commands [i].state), command_state_word (kept->state));
    }
    for (size_t i = 0; stored->site && i < parts_count; i++)
        check_part (self, stored, &parts [i]);
}

void sim_check_end (sim_check_t *self)
{
    for (size_t i = 0; i < self->participants_count; i++)
        self->participants [i].stale = true;
    check_transactions (self);
    for (size_t i = 0; i < self->book->count; i++) {
        check_told (self, &self->book->requests [i]);
        check_once (self, &self->book->requests [i]);
    }
}
