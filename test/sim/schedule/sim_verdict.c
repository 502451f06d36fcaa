/*  sim_verdict - the checks when all has settled: transactions, and what users were told. */
#include "sim_mend.h"
#include "sim_version.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool same (const char *a, const char *b)
{
    return strcmp (a, b) == 0;
}

static void check_mixed (sim_check_t *self, const sim_participant_t *participant,
                         const sim_command_t *command)
{
    for (size_t p = 0; p < command->parties_count; p++) {
        const sim_participant_t *party = sim_check_named (self, command->parties [p]);
        const sim_command_t *there = party ? sim_check_command (party, &command->txid) : NULL;
        command_state_t state = there ? there->state : COMMAND_UNKNOWN;
        char words [TXID_TEXT_BYTES];
        if (state == COMMAND_COMMITTED ||
            (state == COMMAND_EDGE_REFUSED &&
             (sim_check_undone (self, command) || sim_mend_overtaken (self, command))))
            continue;
        sim_fail (self->sim, "mixed outcome of %s (%s): committed at %s, %s at %s",
                  txid_text (&command->txid, words), command->request_id,
                  sim_check_name (self, participant), command_state_word (state),
                  command->parties [p]);
    }
}

/*  Two releases of one version share no participant: the later one gives back what a silent
 *  participant of the first still had. */
static bool apart (const sim_command_t *a, const sim_command_t *b)
{
    for (size_t i = 0; i < a->parties_count; i++)
        for (size_t j = 0; j < b->parties_count; j++)
            if (same (a->parties [i], b->parties [j]) && strncmp (a->parties [i], "gis/", 4) != 0)
                return false;
    return a->operation == OPERATION_RELEASE && b->operation == OPERATION_RELEASE;
}

/*  True when it is the rest of a release that its owner asked for. */
static bool is_rest (sim_check_t *self, const sim_command_t *command)
{
    for (size_t i = 0; i < self->participants_count && command->repairs.start > 0; i++) {
        const sim_command_t *first =
          sim_check_command (sim_check_records (self, i), &command->repairs);
        if (first && first->state == COMMAND_COMMITTED && *first->request_id &&
            first->operation == OPERATION_RELEASE)
            return apart (first, command) && first->base_version == command->base_version;
    }
    return false;
}

/*  One version follows another; each was made by one transaction of the owner. */
static void check_versions (sim_check_t *self, const sim_command_t *command)
{
    for (size_t i = 0; i < self->participants_count; i++) {
        const sim_participant_t *participant = sim_check_records (self, i);
        if (participant->home)
            continue;
        for (size_t c = 0; c < participant->commands_count; c++) {
            const sim_command_t *other = &participant->commands [c];
            char words [2][TXID_TEXT_BYTES];
            if (other->state != COMMAND_COMMITTED ||
                !same (other->reservation, command->reservation))
                continue;
            bool repair = !*other->request_id && !*command->request_id; /* looks, and looks again */
            if (other->base_version == command->base_version && !repair &&
                !apart (other, command) && txid_compare (&other->txid, &command->txid) != 0)
                sim_fail (self->sim, "%s: %s and %s both made version %u", command->reservation,
                          txid_text (&command->txid, words [0]),
                          txid_text (&other->txid, words [1]), command->base_version + 1);
            if (!same (other->actor, command->actor))
                sim_fail (self->sim, "%s of %s was changed by %s", command->reservation,
                          command->actor, other->actor);
        }
    }
}

/*  True when a part of it has been refused at its edge. A repair leaves parts alone that are over
 *  by then. */
static bool broken (sim_check_t *self, const char *reservation)
{
    for (size_t i = 0; i < self->participants_count; i++) {
        const sim_participant_t *participant = sim_check_records (self, i);
        for (size_t c = 0; c < participant->commands_count; c++)
            if (participant->commands [c].state == COMMAND_EDGE_REFUSED &&
                same (participant->commands [c].reservation, reservation))
                return true;
    }
    return false;
}

/*  A site that was silent at a release and came back too late to give anything back. */
static bool too_late (sim_check_t *self, const sim_command_t *command, const sim_command_t *release)
{
    int64_t now_ms = SIM_EPOCH_MS + sim_now_us (self->sim) / 1000;
    for (size_t b = 0; b < command->bookings_count; b++)
        if (command->bookings [b].until_ms > now_ms)
            return false;
    for (size_t c = 0; c < command->circuits_count; c++)
        if (command->circuits [c].until_ms > now_ms)
            return false;
    return release->operation == OPERATION_RELEASE &&
           (*release->request_id || is_rest (self, release));
}

/*  Compute and circuits of one reservation are at one version: a participant at an older one holds
 *  nothing of it any more. */
static void check_agreement (sim_check_t *self, const sim_participant_t *participant,
                             const sim_command_t *command)
{
    const sim_command_t *current =
      sim_current (participant->commands, participant->commands_count, command->reservation);
    if (current != command || command->bookings_count + command->circuits_count == 0)
        return;
    for (size_t i = 0; i < self->participants_count; i++) {
        const sim_participant_t *other = sim_check_records (self, i);
        const sim_command_t *there =
          other->home ? NULL
                      : sim_current (other->commands, other->commands_count, command->reservation);
        if (there && there->base_version > command->base_version &&
            !broken (self, command->reservation) && !too_late (self, command, there))
            sim_fail (self->sim, "%s holds version %u of %s, %s is at version %u",
                      sim_check_name (self, participant), command->base_version + 1,
                      command->reservation, sim_check_name (self, other), there->base_version + 1);
    }
}

/*  T8, T10: a reservation that is released or changed without its owner's wish had a part that was
 *  refused at its edge. What a fence has aborted needs no repair. */
static void check_repair (sim_check_t *self, const sim_command_t *command)
{
    char words [TXID_TEXT_BYTES];
    if (is_rest (self, command))
        self->tally->counts [COUNT_RESTS]++;
    else if (!*command->request_id && !broken (self, command->reservation))
        sim_fail (self->sim, "%s repaired %s, of which nothing was refused",
                  txid_text (&command->txid, words), command->reservation);
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
            if (!participant->home) {
                check_versions (self, command);
                check_repair (self, command);
                check_agreement (self, participant, command);
                continue;
            }
            self->tally->counts [COUNT_COMMITTED]++; /* counted at its home, so once */
            sim_version_check (self, command);
        }
    }
}

/*  True when the placement is among what the sites have booked for that transaction. */
static bool booked (sim_check_t *self, const txid_t *txid, const sim_placement_t *placement)
{
    char name [2 * NAME_BYTES_MAX];
    snprintf (name, sizeof name, "lis/%s", placement->site);
    const sim_participant_t *site = sim_check_named (self, name);
    const sim_command_t *command = site ? sim_check_command (site, txid) : NULL;
    for (size_t b = 0; command && b < command->bookings_count; b++) {
        const compute_booking_t *booking = &command->bookings [b];
        if (same (booking->need, placement->need) &&
            same (booking->class_name, placement->class_name) &&
            booking->from_ms == placement->from_ms && booking->until_ms == placement->until_ms)
            return true;
    }
    return false;
}

/*  Each need is booked at least once: once for each of its phases. */
static bool told_all (const sim_answer_t *answer, const sim_wish_t *wish)
{
    for (size_t n = 0; n < wish->needs_count; n++) {
        bool told = false;
        for (size_t i = 0; i < answer->placements_count; i++)
            told = told || same (answer->placements [i].need, wish->needs [n].id);
        if (!told)
            return false;
    }
    for (size_t n = 0; n < wish->network_count; n++) {
        bool told = false;
        for (size_t i = 0; i < answer->connections_count; i++)
            told = told || same (answer->connections [i].need, wish->network [n].id);
        if (!told)
            return false;
    }
    return true;
}

static void count_planned (sim_check_t *self, const sim_request_t *request)
{
    const char *algorithm = request->wish [0].algorithm;
    if (request->operation == OPERATION_RESERVE && *algorithm)
        self->tally->counts [same (algorithm, "ip") ? COUNT_PROGRAMMED : COUNT_BACKTRACKED]++;
}

static void check_told (sim_check_t *self, const sim_request_t *request)
{
    const sim_command_t *command = sim_check_committed (self, request);
    if (command)
        count_planned (self, request);
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
        bool back = command && sim_mend_went_back (self, command);
        bool broken = back || (command && sim_check_undone (self, command));
        self->tally->counts [COUNT_TAKEN_BACK] += back;
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
    sim_check_acknowledged (self, request);
    if (sim_mend_refused (self, command)) { /* the answer tells of the plan that took its place */
        command = sim_mend_of (self, command);
        if (!command || command->base_version + 1 != request->answer.version)
            return; /* its owner has changed it since */
        self->tally->counts [COUNT_MENDED]++;
    }
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
    for (size_t i = 0; i < request->answer.connections_count; i++)
        if (command->repairs.start > 0 && *request->answer.connections [i].need == 'r' &&
            request->answer.connections [i].until_ms <= command->held_ms)
            continue; /* a file's circuit that had passed: nothing of it is repaired */
        else if (!sim_version_connected (self, &command->txid, &request->answer.connections [i]))
            sim_fail (self->sim, "%s: connection %s was told otherwise than the domains have it",
                      request->request_id, request->answer.connections [i].need);
    const sim_wish_t *wish = &request->wish [request->told [0] ? 0 : 1];
    if (request->operation == OPERATION_RESERVE && !told_all (&request->answer, wish))
        sim_fail (self->sim, "%s was not told everything that it has", request->request_id);
}

/*  One request id makes at most one transaction. */
static void check_once (sim_check_t *self, const sim_request_t *request)
{
    const sim_command_t *first = sim_check_committed (self, request);
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

void sim_check_once (sim_check_t *self)
{
    for (size_t i = 0; i < self->participants_count; i++)
        self->participants [i].stale = true;
    for (size_t i = 0; i < self->book->count; i++)
        check_once (self, &self->book->requests [i]);
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
