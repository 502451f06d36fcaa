/*  sim_check - the checks, over plain arrays of recorded commands: nothing of the services' own
 *  arithmetic is used, so that an error there is not made again here.
 */
#include "sim_check.h"

#include "sim_grants.h"
#include "sim_mend.h"
#include "sim_shortage.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define AUDITOR        "auditor"
#define PEER           "planner/auditor" /* coordinators tell outcomes only to participants */
#define HOLD_MARGIN_US 400000            /* a timer's way through a busy queue, and slow clocks */

void sim_check_clear (sim_check_t *self)
{
    for (size_t i = 0; i < self->participants_count; i++) {
        free (self->participants [i].commands);
        free (self->participants [i].taken);
    }
    self->participants_count = 0;
}

static sim_participant_t *add (sim_check_t *self, int process)
{
    assert (self->participants_count < SIM_SITES_MAX);
    sim_participant_t *participant = &self->participants [self->participants_count++];
    *participant = (sim_participant_t){.process = process, .domain = SIZE_MAX, .stale = true};
    return participant;
}

static void add_resource (sim_participant_t *self, const char *name, int64_t quantity)
{
    assert (self->resources_count < SIM_RESOURCES_MAX);
    sim_resource_t *resource = &self->resources [self->resources_count++];
    *resource = (sim_resource_t){.quantity = quantity, .in_force = quantity};
    sim_text (resource->name, sizeof resource->name, name);
}

void sim_check_add_home (sim_check_t *self, int process)
{
    add (self, process)->home = true;
}

void sim_check_add_site (sim_check_t *self, int process, const site_t *site)
{
    sim_participant_t *participant = add (self, process);
    participant->lead_ms = site->lead_ms;
    participant->gap_ms = site->cleaning_gap_ms;
    participant->site = site;
    for (size_t i = 0; i < site->classes_count; i++)
        add_resource (participant, site->classes [i].name, site->classes [i].nodes);
}

void sim_check_add_storage (sim_check_t *self, int process, const char *const *nodes,
                            const uint32_t *mib, size_t count, int64_t lead_ms)
{
    sim_participant_t *participant = add (self, process);
    participant->lead_ms = lead_ms;
    for (size_t i = 0; i < count; i++)
        add_resource (participant, nodes [i], mib [i]);
}

void sim_check_add_domain (sim_check_t *self, int process, size_t domain)
{
    sim_participant_t *participant = add (self, process);
    const domain_t *links = &self->map->domains [domain];
    participant->domain = domain;
    participant->lead_ms = links->lead_ms;
    for (size_t i = 0; i < links->links_count; i++)
        add_resource (participant, links->links [i].name, links->links [i].mbps);
}

const char *sim_check_name (const sim_check_t *self, const sim_participant_t *participant)
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
    sim_recalled_t *recalled = sim_recalled_new (self->sim, from->process);
    for (bool first = true; more; first = false) {
        packed_t question = sim_wire_commands (first ? NULL : &next);
        sim_message_t *answer =
          sim_recalled_ask (recalled, "Participant", "Commands", AUDITOR,
                            (bytes_t){.data = question.data, .size = question.size});
        free (question.data);
        if (!answer || answer->status != CALL_OK ||
            !sim_wire_commands_read (sim_message_body (answer), &from->commands,
                                     &from->commands_count, &next, &more)) {
            sim_fail (self->sim, "%s does not show its commands: %s", sim_check_name (self, from),
                      answer ? answer->reason : "no answer");
            more = false;
        }
        free (answer);
    }
    sim_recalled_destroy (&recalled);
    return from;
}

const sim_participant_t *sim_check_named (sim_check_t *self, const char *name)
{
    for (size_t i = 0; i < self->participants_count; i++)
        if (strcmp (sim_check_name (self, &self->participants [i]), name) == 0)
            return sim_check_records (self, i);
    return NULL;
}

const sim_command_t *sim_check_command (const sim_participant_t *participant, const txid_t *txid)
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

void sim_check_lowered (sim_check_t *self, int process, const char *resource, uint32_t quantity)
{
    for (size_t i = 0; i < self->participants_count; i++)
        for (size_t r = 0; r < self->participants [i].resources_count; r++)
            if (self->participants [i].process == process &&
                same (self->participants [i].resources [r].name, resource))
                self->participants [i].resources [r].in_force = quantity;
    sim_shortage_check (self, process);
}

/*  A vote on a hold must come while the hold lives (R1). The time of the vote is the first flush
 *  that shows it. */
static void check_votes_in_time (sim_check_t *self, const sim_participant_t *site)
{
    for (size_t i = 0; i < self->held_count; i++) {
        sim_held_t *held = &self->held [i];
        if (held->process != site->process || held->voted)
            continue;
        const sim_command_t *command = sim_check_command (site, &held->txid);
        held->voted = command && command->state == COMMAND_PREPARED;
        char words [TXID_TEXT_BYTES];
        if (held->voted && sim_now_us (self->sim) > held->ends_us)
            sim_fail (self->sim, "%s lets %s be prepared after its hold has ended",
                      sim_check_name (self, site), txid_text (&held->txid, words));
    }
}

void sim_check_flushed (sim_check_t *self, int process)
{
    for (size_t i = 0; i < self->participants_count; i++) {
        if (self->participants [i].process != process)
            continue;
        self->participants [i].stale = true;
        if (self->participants [i].home)
            continue;
        (void) sim_check_records (self, i);
        sim_grants_flushed (self, &self->participants [i]);
        check_votes_in_time (self, &self->participants [i]);
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

/*  HELD was told: from now on the hold's life is known. */
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
    held->ends_us = now_us + 1000 * (int64_t) ttl_ms + HOLD_MARGIN_US + self->back_us [process];
    if (now_us > held->first_us + 1000 * (int64_t) self->hold_age_ms_max + HOLD_MARGIN_US)
        sim_fail (self->sim, "%s renews a hold beyond its greatest age",
                  sim_name (self->sim, process));
}

/*  What the process would say of a txid if it restarted from its store now. */
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

/*  T1: a hold that replaces another is stored in the same write that aborts the other. */
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
                      sim_check_name (self, participant), txid_text (by, words [0]),
                      txid_text (&replaced->old, words [1]));
    }
}

static void check_asked (sim_check_t *self, const sim_message_t *hold)
{
    sim_asked_t asked;
    if (!sim_wire_hold_read (hold, &asked)) {
        sim_fail (self->sim, "%s sends a Hold that can't be read",
                  sim_name (self->sim, hold->from));
        return;
    }
    for (size_t i = 0; i < asked.replaces_count; i++)
        self->replaced [self->replaced_count++ % SIM_HOLDS_MAX] = (sim_replaced_t){
          .process = hold->to, .by = asked.command.txid, .old = asked.replaces [i]};
    bool committed_ever = *asked.command.request_id || asked.command.repairs.start > 0;
    if (!committed_ever || hold->to == SIM_NOBODY ||
        memcmp (hold->to_store, sim_identity (self->sim, hold->to)->id, STORE_ID_BYTES) != 0)
        return; /* it is never committed, or its receiver has moved away */
    for (size_t i = 0; i < self->participants_count; i++)
        if (self->participants [i].process == hold->to && !self->participants [i].home)
            sim_grants_asked (self, sim_check_records (self, i), &asked);
}

/*  T8: a participant that answers that it is fenced will know it after a death, too. */
static void check_fenced (sim_check_t *self, const sim_participant_t *participant,
                          const sim_message_t *message, const sim_command_t *durable,
                          command_state_t state)
{
    uint32_t epoch;
    bool open = state == COMMAND_PREPARED || state == COMMAND_EDGE;
    if (open && (!sim_wire_epoch_read (sim_message_body (message), &epoch) || epoch == 0 ||
                 !durable || durable->epoch < epoch))
        sim_fail (self->sim, "%s answers that it is fenced, its store knows of no such epoch",
                  sim_check_name (self, participant));
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
        sim_fail (self->sim, "%s: an answer to %s that can't be read",
                  sim_check_name (self, participant), message->method);
        return;
    }
    if (state == COMMAND_HELD && refused == REFUSAL_NONE)
        held_note (self, participant->process, &txid, ttl_ms);
    if (state == COMMAND_PREPARED && same (message->method, "Hold"))
        check_replaced (self, participant, &txid);
    const sim_command_t *durable = sim_check_command (participant, &txid);
    if (same (message->method, "Fence") && refused == REFUSAL_NONE)
        check_fenced (self, participant, message, durable, state);
    if (state != COMMAND_PREPARED && state != COMMAND_COMMITTED && state != COMMAND_ABORTED)
        return;
    command_state_t kept = durable ? durable->state : COMMAND_UNKNOWN;
    bool over = kept == COMMAND_ABORTED || kept == COMMAND_EXPIRED || kept == COMMAND_REJECTED;
    bool sound = state == COMMAND_PREPARED    ? kept != COMMAND_UNKNOWN && kept != COMMAND_HELD
                 : state == COMMAND_COMMITTED ? kept == COMMAND_COMMITTED
                                              : over;
    if (!durable && state == COMMAND_ABORTED) /* a tombstone, which no list shows */
        sound =
          outcome_recalled (self, participant->process, "Participant", &txid) == OUTCOME_ABORTED;
    if (!sound)
        sim_fail (self->sim, "%s answers %s with %s %s, its store says %s",
                  sim_check_name (self, participant), message->method, txid_text (&txid, words),
                  command_state_word (state), command_state_word (kept));
}

/*  T8: every participant that knows this txid is fenced or done with it, so a planner's own commit,
 *  which has no epoch, changes nothing any more. */
static bool fenced_off (sim_check_t *self, const txid_t *txid)
{
    size_t known = 0;
    for (size_t i = 0; i < self->participants_count; i++) {
        const sim_command_t *there = sim_check_command (&self->participants [i], txid);
        if (there && there->epoch == 0 && there->state != COMMAND_ABORTED)
            return false;
        known += there != NULL;
    }
    return known > 0;
}

/*  T4: a commit leaves only when the decision is durable. A commit that is leaving when the planner
 *  hears that a fence has aborted the transaction comes too late to matter. */
static void check_decision (sim_check_t *self, const sim_message_t *message)
{
    txid_t txid;
    char words [TXID_TEXT_BYTES];
    if (sim_wire_names_txid (message, &txid) &&
        outcome_recalled (self, message->from, "Coordinator", &txid) != OUTCOME_COMMITTED &&
        !fenced_off (self, &txid))
        sim_fail (self->sim, "%s sends Commit of %s, its store knows of no decision",
                  sim_name (self->sim, message->from), txid_text (&txid, words));
}

const sim_request_t *sim_check_request (const sim_check_t *self, const char *actor,
                                        const char *request_id)
{
    for (size_t i = 0; i < self->book->count; i++)
        if (sim_request_made (&self->book->requests [i], actor, request_id))
            return &self->book->requests [i];
    return NULL;
}

/*  The command of the request that was committed somewhere, NULL when there is none. */
const sim_command_t *sim_check_committed (sim_check_t *self, const sim_request_t *request)
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

/*  True when the participant still holds something whose time has not long passed by any clock. */
static bool holds_something (const sim_check_t *self, const sim_command_t *current)
{
    int64_t past_ms = SIM_EPOCH_MS + sim_now_us (self->sim) / 1000 + SIM_CLOCKS_OFF_MS;
    for (size_t i = 0; current && i < current->bookings_count; i++)
        if (current->bookings [i].until_ms > past_ms)
            return true;
    for (size_t i = 0; current && i < current->circuits_count; i++)
        if (current->circuits [i].until_ms > past_ms)
            return true;
    return false;
}

/*  T10: a transaction that was refused at the edge of some participants has been undone: no
 *  participant holds anything of the reservation any more. */
bool sim_check_undone (sim_check_t *self, const sim_command_t *command)
{
    for (size_t i = 0; i < self->participants_count; i++) {
        const sim_participant_t *party = sim_check_records (self, i);
        if (!party->home &&
            holds_something (
              self, sim_current (party->commands, party->commands_count, command->reservation)))
            return false;
    }
    return sim_mend_refused (self, command);
}

/*  T6: "committed" is told only when every participant has committed; T10: or when all participants
 *  of a repair that took its place have. */
void sim_check_acknowledged (sim_check_t *self, const sim_request_t *request)
{
    const sim_command_t *command = sim_check_committed (self, request);
    if (!command) {
        sim_fail (self->sim, "%s is told committed, and no participant has it",
                  request->request_id);
        return;
    }
    if (sim_mend_overtaken (self, command))
        return;
    for (size_t i = 0; i < command->parties_count; i++) {
        const sim_participant_t *party = sim_check_named (self, command->parties [i]);
        const sim_command_t *there = party ? sim_check_command (party, &command->txid) : NULL;
        command_state_t state = there ? there->state : COMMAND_UNKNOWN;
        if (state != COMMAND_COMMITTED)
            sim_fail (self->sim, "%s is told committed, at %s it is %s", request->request_id,
                      command->parties [i], command_state_word (state));
    }
}

/*  T10: after a fence two planners may repair one decision, and the plan of one may stand for a
 *  moment though the other has told "refused". That it goes again is judged at the end. */
static bool repaired_twice (sim_check_t *self, const sim_command_t *command)
{
    bool fenced = false;
    for (size_t i = 0; i < self->participants_count; i++) {
        const sim_command_t *there =
          sim_check_command (sim_check_records (self, i), &command->txid);
        fenced = fenced || (there && there->epoch > 0);
    }
    return fenced && command->operation == OPERATION_RESERVE && sim_mend_refused (self, command);
}

/*  T2: "refused" is told only when the home has closed the request; T10: or when what was committed
 *  of it has been undone or given back. */
static void check_refused (sim_check_t *self, const sim_request_t *request,
                           const char *request_id_told)
{
    const sim_command_t *command = sim_check_committed (self, request);
    if (command && (sim_check_undone (self, command) || sim_mend_went_back (self, command) ||
                    repaired_twice (self, command)))
        return;
    packed_t question = sim_wire_look (request->actor, request_id_told);
    bool closed = false;
    for (size_t i = 0; i < self->participants_count && !closed; i++) {
        if (!self->participants [i].home)
            continue;
        sim_message_t *answer =
          sim_recall (self->sim, self->participants [i].process, "Home", "Look", AUDITOR,
                      (bytes_t){.data = question.data, .size = question.size});
        sim_claim_t claim = CLAIM_FREE;
        bool done;
        closed = answer && answer->status == CALL_OK &&
                 sim_wire_look_read (sim_message_body (answer), &claim, &done) &&
                 claim == CLAIM_CLOSED;
        free (answer);
    }
    free (question.data);
    if (!closed)
        sim_fail (self->sim, "%s is told refused, and no home has closed it", request_id_told);
    if (command)
        sim_fail (self->sim, "%s is told refused, and is committed", request_id_told);
}

/*  A release gives back what its owner was told he has, when no other command has changed it or
 *  will. */
static bool own_and_untouched (const sim_check_t *self, const sim_request_t *release)
{
    bool own = false;
    for (size_t i = 0; i < self->book->count; i++) {
        const sim_request_t *other = &self->book->requests [i];
        if (other == release)
            continue;
        if (*other->target && same (other->target, release->target))
            return false;
        own =
          own || (other->operation == OPERATION_RESERVE && same (other->actor, release->actor) &&
                  other->answer.status == ANSWER_COMMITTED &&
                  same (other->answer.reservation, release->target));
    }
    return own;
}

/*  A release that an administrator had settled is refused, and nothing is given back (T8). */
static bool ended_by_fence (const sim_command_t *command)
{
    return command->operation == OPERATION_RELEASE && command->state == COMMAND_ABORTED &&
           command->epoch > 0;
}

/*  A participant that does not answer is no reason to refuse a release: the release is done at the
 *  others, and at the silent one later. */
static void check_release (sim_check_t *self, const sim_request_t *release,
                           const sim_answer_t *answer)
{
    if (!self->releases || !own_and_untouched (self, release))
        return;
    for (size_t i = 0; i < self->participants_count; i++) {
        const sim_participant_t *party = sim_check_records (self, i);
        for (size_t c = 0; c < party->commands_count; c++)
            if (same (party->commands [c].reservation, release->target) &&
                (party->commands [c].state == COMMAND_EDGE_REFUSED ||
                 ended_by_fence (&party->commands [c])))
                return;
    }
    for (size_t i = 0; i < self->participants_count; i++) {
        const sim_participant_t *party = sim_check_records (self, i);
        if (party->home ||
            !holds_something (
              self, sim_current (party->commands, party->commands_count, release->target)))
            continue;
        sim_fail (self->sim, "%s releases what %s still has, and is refused: %s",
                  release->request_id, sim_check_name (self, party), answer->reason);
        return;
    }
}

/*  T6 for Show: "committed" is shown only when every participant has that version. */
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
                const sim_participant_t *party = sim_check_named (self, command->parties [p]);
                const sim_command_t *there =
                  party ? sim_check_command (party, &command->txid) : NULL;
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
    const sim_request_t *request = sim_check_request (self, message->actor, message->request_id);
    if (!request || !sim_wire_answer (sim_message_body (message), &answer))
        return;
    if (answer.status == ANSWER_COMMITTED)
        sim_check_acknowledged (self, request);
    if (answer.status == ANSWER_REFUSED)
        check_refused (self, request, answer.request_id);
    if (answer.status == ANSWER_REFUSED && request->operation == OPERATION_RELEASE)
        check_release (self, request, &answer);
}

/*  T2, T10: a home that says it has the answer of a repair will know the answer after a death, too.
 */
static void check_amended (sim_check_t *self, const sim_participant_t *home,
                           const sim_message_t *message)
{
    txid_t txid;
    command_state_t state;
    uint32_t ttl_ms;
    refusal_reason_t refused;
    if (!sim_wire_command_answer (sim_message_body (message), &txid, &state, &ttl_ms, &refused) ||
        state != COMMAND_COMMITTED || refused != REFUSAL_NONE)
        return;
    const sim_command_t *claimed = sim_check_command (home, &txid);
    packed_t question =
      sim_wire_look (claimed ? claimed->actor : "", claimed ? claimed->request_id : "");
    sim_message_t *answer = sim_recall (self->sim, home->process, "Home", "Look", AUDITOR,
                                        (bytes_t){.data = question.data, .size = question.size});
    free (question.data);
    sim_claim_t claim = CLAIM_FREE;
    bool done = false;
    if (!answer || answer->status != CALL_OK ||
        !sim_wire_look_read (sim_message_body (answer), &claim, &done) || !done)
        sim_fail (self->sim, "%s says it has the answer of a repair, its store does not",
                  sim_check_name (self, home));
    free (answer);
}

/*  What a domain would keep of the reservation if it came back now; false when it keeps nothing. */
static bool part_recalled (sim_check_t *self, int process, const char *reservation,
                           sim_part_t *part)
{
    char next [NAME_BYTES_MAX + 1] = "";
    bool found = false;
    sim_recalled_t *recalled = sim_recalled_new (self->sim, process);
    for (bool more = true; more && !found;) {
        packed_t question = sim_wire_list (next);
        sim_message_t *answer =
          sim_recalled_ask (recalled, "Participant", "List", AUDITOR,
                            (bytes_t){.data = question.data, .size = question.size});
        free (question.data);
        sim_part_t *list = NULL;
        size_t count = 0;
        more = answer && answer->status == CALL_OK &&
               sim_wire_list_read (sim_message_body (answer), &list, &count, next, &more) && more;
        for (size_t i = 0; i < count && !found; i++)
            if (same (list [i].reservation, reservation)) {
                *part = list [i];
                found = true;
            }
        free (list);
        free (answer);
    }
    sim_recalled_destroy (&recalled);
    return found;
}

/*  A circuit that was told to be in use stays so as long as there is something to be used. */
static void check_use (sim_check_t *self, const sim_message_t *message)
{
    const char *reservation = message->request_id; /* see sim_operator.h */
    bool provisioned;
    sim_part_t part;
    if (!sim_wire_use_read (sim_message_body (message), &provisioned)) {
        sim_fail (self->sim, "%s: an answer to %s that can't be read",
                  sim_name (self->sim, message->from), message->method);
        return;
    }
    if (provisioned != same (message->method, "Provision"))
        sim_fail (self->sim, "%s answers %s of %s with provisioned=%d",
                  sim_name (self->sim, message->from), message->method, reservation, provisioned);
    if (!provisioned || self->uses_end)
        return;
    self->tally->counts [COUNT_PROVISIONED]++;
    if (self->used_count < SIM_USES_MAX) {
        sim_used_t *used = &self->used [self->used_count++];
        used->process = message->from;
        sim_text (used->reservation, sizeof used->reservation, reservation);
    }
    if (part_recalled (self, message->from, reservation, &part) && !part.ended &&
        part.circuits_count > 0 && !part.provisioned)
        sim_fail (self->sim, "%s tells that %s may be used, its store does not",
                  sim_name (self->sim, message->from), reservation);
}

void sim_check_left (sim_check_t *self, const sim_message_t *message)
{
    bool answer = message->kind == MESSAGE_ANSWER && message->status == CALL_OK;
    if (message->kind == MESSAGE_REQUEST && same (message->service, "Participant") &&
        same (message->method, "Commit"))
        check_decision (self, message);
    if (message->kind == MESSAGE_REQUEST && same (message->method, "Hold"))
        check_asked (self, message);
    if (answer && same (message->service, "Planner"))
        check_planner_answer (self, message);
    if (answer && same (message->service, "Nis") &&
        (same (message->method, "Provision") || same (message->method, "Release")))
        check_use (self, message);
    for (size_t i = 0; answer && same (message->method, "Amend") && i < self->participants_count;
         i++)
        if (self->participants [i].process == message->from)
            check_amended (self, sim_check_records (self, i), message);
    static const char *const verbs [] = {"Hold",  "Renew",   "Prepare", "Commit",
                                         "Abort", "Resolve", "Fence"};
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
    if (by_ms < 0)
        self->back_us [process] -= 1000 * by_ms;
    for (size_t i = 0; by_ms < 0 && i < self->held_count; i++)
        if (self->held [i].process == process)
            self->held [i].ends_us -= 1000 * by_ms;
}

/*  --- when all has settled --- */

bool sim_check_settled (sim_check_t *self, char why [LONG_WHY_BYTES])
{
    for (size_t i = 0; i < self->participants_count; i++) {
        self->participants [i].stale = true; /* holds that nobody decides are ended by time alone */
        const sim_participant_t *participant = sim_check_records (self, i);
        for (size_t c = 0; c < participant->commands_count; c++) {
            const sim_command_t *command = &participant->commands [c];
            char words [TXID_TEXT_BYTES];
            if (!pending (command->state))
                continue;
            snprintf (why, LONG_WHY_BYTES, "%s of %s is still %s at %s",
                      txid_text (&command->txid, words), command->request_id,
                      command_state_word (command->state), sim_check_name (self, participant));
            return false;
        }
    }
    return true;
}
