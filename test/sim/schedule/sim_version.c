/*  sim_version - puts a version together from all participants' records. */
#include "sim_version.h"

#include "sim_mend.h"
#include "sim_phases.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool same (const char *a, const char *b)
{
    return strcmp (a, b) == 0;
}

/*  The command that made the version which this one changes, from a home's records; NULL when it is
 *  not on record. */
static const sim_command_t *base_of (sim_check_t *self, const sim_command_t *command)
{
    for (size_t i = 0; i < self->participants_count; i++) {
        const sim_participant_t *home = sim_check_records (self, i);
        for (size_t c = 0; c < home->commands_count && home->home; c++) {
            const sim_command_t *base = &home->commands [c];
            if (base->state == COMMAND_COMMITTED &&
                base->base_version + 1 == command->base_version &&
                same (base->reservation, command->reservation))
                return base;
        }
    }
    return NULL;
}

/*  What a reservation must be once the command is committed: the wish of its reserve, and all
 *  changes since. False when no user was told of it. */
static bool wish_of (sim_check_t *self, const sim_command_t *command, sim_wish_t *wish)
{
    const sim_request_t *request = sim_check_request (self, command->actor, command->request_id);
    if (!request || request->answer.status != ANSWER_COMMITTED ||
        request->operation == OPERATION_RELEASE)
        return false;
    size_t body = request->told [0] ? 0 : 1;
    if (request->operation == OPERATION_RESERVE) {
        *wish = request->wish [body];
        return true;
    }
    const sim_command_t *base = base_of (self, command);
    if (!base || !wish_of (self, base, wish))
        return false;
    sim_book_patch (wish, &request->patch [body]);
    return true;
}

static const char *site_name (const sim_check_t *self, const sim_participant_t *site)
{
    return sim_check_name (self, site) + strlen ("lis/");
}

/*  The circuits of one need, from all domains, in the order of its path. */
typedef struct {
    const sim_circuit_t *circuits [SIM_CIRCUITS_MAX];
    size_t domains [SIM_CIRCUITS_MAX];
    size_t circuits_count;
    sim_hop_t hops [SIM_HOPS_MAX];
    size_t hops_count;
    bool gap; /* the hops don't join */
} sim_stretches_t;

static void stretch_insert (sim_stretches_t *self, const sim_circuit_t *circuit, size_t domain)
{
    if (self->circuits_count == SIM_CIRCUITS_MAX) {
        self->gap = true;
        return;
    }
    size_t at = self->circuits_count++;
    for (; at > 0 && self->circuits [at - 1]->hop > circuit->hop; at--) {
        self->circuits [at] = self->circuits [at - 1];
        self->domains [at] = self->domains [at - 1];
    }
    self->circuits [at] = circuit;
    self->domains [at] = domain;
}

/*  The phase that begins then. */
static void stretches_of (sim_check_t *self, const txid_t *txid, const char *need, int64_t from_ms,
                          sim_stretches_t *stretches)
{
    *stretches = (sim_stretches_t){0};
    for (size_t i = 0; i < self->participants_count; i++) {
        const sim_participant_t *domain = sim_check_records (self, i);
        const sim_command_t *command = sim_check_command (domain, txid);
        for (size_t c = 0; command && c < command->circuits_count; c++)
            if (same (command->circuits [c].need, need) && command->circuits [c].from_ms == from_ms)
                stretch_insert (stretches, &command->circuits [c], domain->domain);
    }
    for (size_t c = 0; c < stretches->circuits_count; c++) {
        const sim_circuit_t *circuit = stretches->circuits [c];
        stretches->gap = stretches->gap || circuit->hop != stretches->hops_count;
        for (size_t l = 0; l < circuit->links_count; l++) {
            if (stretches->hops_count == SIM_HOPS_MAX) {
                stretches->gap = true;
                return;
            }
            sim_hop_t *hop = &stretches->hops [stretches->hops_count++];
            hop->domain = stretches->domains [c];
            memcpy (hop->link, circuit->links [l], sizeof hop->link);
        }
    }
}

static int64_t ends_ms (const sim_wish_t *wish, const sim_need_t *need)
{
    return need->offset_ms + (need->duration_ms ? need->duration_ms : wish->duration_ms);
}

/*  When a connection is wanted, from the reservation's start: as given, or while both ends last. */
static void wanted_over (const sim_wish_t *wish, const sim_network_need_t *need, int64_t *from_ms,
                         int64_t *until_ms)
{
    const sim_need_t *a = &wish->needs [need->ends [0]];
    const sim_need_t *b = &wish->needs [need->ends [1]];
    *from_ms = a->offset_ms > b->offset_ms ? a->offset_ms : b->offset_ms;
    *until_ms = ends_ms (wish, a) < ends_ms (wish, b) ? ends_ms (wish, a) : ends_ms (wish, b);
    if (need->duration_ms > 0) {
        *from_ms = need->offset_ms;
        *until_ms = need->offset_ms + need->duration_ms;
    }
}

/*  One phase of a connection must lead from one site to the other. */
static void check_phase (sim_check_t *self, const sim_command_t *command,
                         const sim_network_need_t *need, const sim_participant_t *const ends [2],
                         int64_t from_ms)
{
    sim_stretches_t stretches;
    sim_way_t way;
    char words [TXID_TEXT_BYTES], why [WHY_BYTES] = "its circuits don't follow each other";
    (void) txid_text (&command->txid, words);
    stretches_of (self, &command->txid, need->id, from_ms, &stretches);
    if (stretches.gap ||
        !sim_map_walk (self->map, site_name (self, ends [0]), site_name (self, ends [1]),
                       need->media, stretches.hops, stretches.hops_count, &way, why)) {
        sim_fail (self->sim, "%s: connection %s of %s: %s", words, need->id, command->request_id,
                  why);
        return;
    }
    if (need->latency_ms_max > 0 && (double) way.latency_us > need->latency_ms_max * 1000)
        sim_fail (self->sim, "%s: connection %s has %" PRId64 " us, more than was wished for",
                  words, need->id, way.latency_us);
    self->tally->counts [COUNT_CONNECTIONS]++;
    self->tally->counts [COUNT_CROSSINGS] += way.domains > 1;
}

/*  What had passed when the change was made must be as the version before had it. */
static bool past_stands (sim_check_t *self, const sim_command_t *command, const char *need,
                         bool network, const sim_phases_t *phases)
{
    sim_phases_t before;
    const sim_command_t *base = base_of (self, command);
    if (command->operation == OPERATION_RESERVE)
        return phases->count == 1;
    if (!base || !*command->request_id)
        return true; /* a repair puts the lost part elsewhere, perhaps later */
    if (network)
        sim_phases_network (self, &base->txid, need, &before);
    else
        sim_phases_compute (self, &base->txid, need, &before);
    self->tally->counts [COUNT_PHASES] += phases->count > 1;
    if (network && before.count == 0)
        return true; /* both ends were at one site: no link had it */
    return sim_phases_follow (phases, &before,
                              sim_phases_left_ms (self, &base->txid, &command->txid, need));
}

static void check_connection (sim_check_t *self, const sim_command_t *command,
                              const sim_wish_t *wish, const sim_network_need_t *need,
                              int64_t start_ms, const sim_phases_t *needs)
{
    const sim_participant_t *ends [2] = {needs [need->ends [0]].site, needs [need->ends [1]].site};
    char words [TXID_TEXT_BYTES];
    (void) txid_text (&command->txid, words);
    if (!ends [0] || !ends [1])
        return; /* that was reported already */
    sim_phases_t phases;
    sim_phases_network (self, &command->txid, need->id, &phases);
    if (phases.count == 0) { /* rightly so within one site, where no hop is needed */
        check_phase (self, command, need, ends, 0);
        return;
    }
    int64_t from_ms, until_ms;
    wanted_over (wish, need, &from_ms, &until_ms);
    const sim_phase_t *last = &phases.list [phases.count - 1];
    if (phases.broken || last->amount != need->mbps || last->until_ms != start_ms + until_ms ||
        phases.list [0].from_ms != start_ms + from_ms)
        sim_fail (self->sim,
                  "%s: connection %s has at last %u Mbit/s over [%" PRId64 ", %" PRId64 ")", words,
                  need->id, last->amount, phases.list [0].from_ms, last->until_ms);
    if (!past_stands (self, command, need->id, true, &phases))
        sim_fail (self->sim, "%s: connection %s of %s: what had passed is not as it was", words,
                  need->id, command->request_id);
    for (size_t i = 0; i < phases.count; i++)
        check_phase (self, command, need, ends, phases.list [i].from_ms);
}

/*  True when a participant has something that no user asked for. */
static void check_nothing_else (sim_check_t *self, const sim_participant_t *participant,
                                const sim_command_t *command, const sim_wish_t *wish)
{
    for (size_t b = 0; b < command->bookings_count; b++) {
        bool asked = false;
        for (size_t n = 0; n < wish->needs_count; n++)
            asked = asked || same (wish->needs [n].id, command->bookings [b].need);
        for (size_t n = 0; n < wish->rooms_count; n++)
            asked = asked || same (wish->rooms [n].id, command->bookings [b].need);
        if (!asked)
            sim_fail (self->sim, "%s has booked %s for %s, which is no need of it",
                      sim_check_name (self, participant), command->bookings [b].need,
                      command->request_id);
    }
    for (size_t c = 0; c < command->circuits_count; c++) {
        bool asked = false;
        for (size_t n = 0; n < wish->network_count; n++)
            asked = asked || same (wish->network [n].id, command->circuits [c].need);
        for (size_t n = 0; n < wish->rooms_count; n++)
            asked = asked || (wish->rooms [n].mbps > 0 &&
                              same (wish->rooms [n].id, command->circuits [c].need));
        if (!asked)
            sim_fail (self->sim, "%s has a circuit %s for %s, which is no need of it",
                      sim_check_name (self, participant), command->circuits [c].need,
                      command->request_id);
    }
}

/*  A need has in the end what was asked for, at one site, and before that what it had. */
static void check_need (sim_check_t *self, const sim_command_t *command, const sim_wish_t *wish,
                        const sim_need_t *need, int64_t start_ms, const sim_phases_t *phases)
{
    char words [TXID_TEXT_BYTES];
    (void) txid_text (&command->txid, words);
    const sim_phase_t *last = phases->count > 0 ? &phases->list [phases->count - 1] : NULL;
    bool sound = last && !phases->broken && last->amount >= need->cpus &&
                 phases->list [0].from_ms == start_ms + need->offset_ms &&
                 last->until_ms == start_ms + ends_ms (wish, need) &&
                 (!*need->site || same (site_name (self, phases->site), need->site));
    const node_class_t *class = sound ? &phases->site->site->classes [0] : NULL;
    if (!sound || (uint64_t) phases->nodes * class->cpus_per_node < need->cpus)
        sim_fail (self->sim, "%s: need %s of %s was not placed as asked", words, need->id,
                  command->request_id);
    else if (!past_stands (self, command, need->id, false, phases))
        sim_fail (self->sim, "%s: need %s of %s: what had passed is not as it was", words, need->id,
                  command->request_id);
}

/*  The command of the version before, at the same storage; NULL when it had nothing there. */
static const sim_command_t *base_at (const sim_participant_t *storage, const sim_command_t *there)
{
    for (size_t c = 0; c < storage->commands_count; c++) {
        const sim_command_t *base = &storage->commands [c];
        if (base->state == COMMAND_COMMITTED && base->base_version + 1 == there->base_version &&
            same (base->reservation, there->reservation))
            return base;
    }
    return NULL;
}

/*  R10: what storage had when the change came stays as it was until that takes effect, at one and
 *  the same time for all of it. *effect_ms: 0 until the first of them tells. */
static bool room_passes (const sim_participant_t *storage, const sim_command_t *there,
                         const compute_booking_t *booking, int64_t *effect_ms)
{
    const sim_command_t *base =
      there->operation == OPERATION_MODIFY ? base_at (storage, there) : NULL;
    for (size_t b = 0; base && b < base->bookings_count; b++) {
        const compute_booking_t *was = &base->bookings [b];
        if (!same (was->need, booking->need) || !same (was->class_name, booking->class_name) ||
            was->nodes != booking->nodes || was->from_ms != booking->from_ms ||
            was->from_ms > there->held_ms + SIM_CLOCKS_OFF_MS)
            continue;
        if (booking->until_ms == was->until_ms)
            return was->until_ms <= there->held_ms + 2 * SIM_CLOCKS_OFF_MS; /* it ends by then */
        *effect_ms = *effect_ms ? *effect_ms : booking->until_ms;
        return booking->until_ms == *effect_ms && booking->until_ms < was->until_ms &&
               llabs (booking->until_ms - there->held_ms) < 2 * SIM_CLOCKS_OFF_MS;
    }
    return false;
}

/*  A booking without bytes: file1 lies at s1/d1 for good, file2 at s2/d1. */
static bool kept_there (const sim_room_t *room, const char *site, const compute_booking_t *booking)
{
    return booking->cpus == 0 && *room->file && same (room->file + strlen ("file"), site + 1) &&
           same (booking->class_name, "d1");
}

/*  A data or space need has its MiB, each time on another storage node of its need's site, from
 *  when that need begins, at the latest, to its end. What a repair can't bring in time comes
 *  late. */
static void check_room (sim_check_t *self, const sim_command_t *command, const sim_wish_t *wish,
                        const sim_room_t *room, int64_t start_ms, const sim_participant_t *site,
                        int64_t *effect_ms)
{
    const sim_need_t *at = &wish->needs [room->at];
    int64_t from_ms = start_ms + at->offset_ms, until_ms = start_ms + ends_ms (wish, at);
    uint32_t nodes = 0;
    bool sound = true;
    for (size_t i = 0; site && i < self->participants_count; i++) {
        const sim_participant_t *storage = sim_check_records (self, i);
        const sim_command_t *there = sim_check_command (storage, &command->txid);
        if (there && there->state == COMMAND_EDGE_REFUSED)
            return; /* what it had is put right by a repair */
        for (size_t b = 0; there && b < there->bookings_count; b++) {
            const compute_booking_t *booking = &there->bookings [b];
            if (!same (booking->need, room->id) ||
                (booking->until_ms != until_ms && room_passes (storage, there, booking, effect_ms)))
                continue;
            for (size_t other = 0; other < b; other++)
                sound = sound && !(same (there->bookings [other].need, room->id) &&
                                   there->bookings [other].until_ms == until_ms &&
                                   same (there->bookings [other].class_name, booking->class_name));
            bool late = booking->from_ms > from_ms && command->repairs.start > 0 &&
                        from_ms < there->held_ms + SIM_CLOCKS_OFF_MS;
            nodes++;
            sound =
              sound && strncmp (sim_check_name (self, storage), "replica/", 8) == 0 &&
              same (sim_check_name (self, storage) + 8, site_name (self, site)) &&
              (booking->cpus >= room->mib || kept_there (room, site_name (self, site), booking)) &&
              booking->until_ms == until_ms &&
              (late || (*room->file ? booking->from_ms <= from_ms : booking->from_ms == from_ms));
        }
    }
    char words [TXID_TEXT_BYTES];
    if (site && (!sound || nodes != (room->nodes > 0 ? room->nodes : 1)))
        sim_fail (self->sim, "%s: %s of %s has no room as asked, on %u nodes",
                  txid_text (&command->txid, words), room->id, command->request_id, nodes);
    self->tally->counts [COUNT_ROOMS]++;
}

/*  Every need has what was asked for, at one site, and all start together; every connection leads
 *  all the way. */
static void check_wish (sim_check_t *self, const sim_command_t *command, const sim_wish_t *wish)
{
    sim_phases_t needs [SIM_NEEDS_MAX] = {0};
    char words [TXID_TEXT_BYTES];
    (void) txid_text (&command->txid, words);
    for (size_t n = 0; n < wish->needs_count; n++)
        sim_phases_compute (self, &command->txid, wish->needs [n].id, &needs [n]);
    int64_t start_ms =
      needs [0].count > 0 ? needs [0].list [0].from_ms - wish->needs [0].offset_ms : 0;
    int64_t latest_ms = wish->fixed ? wish->earliest_ms : wish->latest_ms;
    if (start_ms < wish->earliest_ms || start_ms > latest_ms)
        sim_fail (self->sim, "%s: %s was not placed in its time frame", words, command->request_id);
    for (size_t n = 0; n < wish->needs_count; n++) {
        check_need (self, command, wish, &wish->needs [n], start_ms, &needs [n]);
        for (size_t other = 0; other < n && wish->distinct_sites; other++)
            if (needs [other].site == needs [n].site)
                sim_fail (self->sim, "%s: %s wanted different sites", words, command->request_id);
    }
    for (size_t n = 0; n < wish->network_count; n++)
        check_connection (self, command, wish, &wish->network [n], start_ms, needs);
    int64_t effect_ms = 0;
    for (size_t n = 0; n < wish->rooms_count; n++)
        check_room (self, command, wish, &wish->rooms [n], start_ms,
                    needs [wish->rooms [n].at].site, &effect_ms);
}

void sim_version_check (sim_check_t *self, const sim_command_t *command)
{
    sim_wish_t wish;
    bool release = command->operation == OPERATION_RELEASE;
    bool known = !release && wish_of (self, command, &wish);
    for (size_t p = 0; p < command->parties_count; p++) {
        const sim_participant_t *party = sim_check_named (self, command->parties [p]);
        const sim_command_t *there = party ? sim_check_command (party, &command->txid) : NULL;
        if (there && there->state == COMMAND_EDGE_REFUSED) { /* undone, or put right: check_mixed */
            const sim_command_t *mend = sim_mend_of (self, command);
            if (mend && known)
                check_wish (self, mend, &wish);
            return;
        }
        if (release && there && there->bookings_count + there->circuits_count > 0)
            sim_fail (self->sim, "%s keeps something of %s, which it releases",
                      command->parties [p], command->reservation);
        if (known && there)
            check_nothing_else (self, party, there, &wish);
    }
    if (known)
        check_wish (self, command, &wish);
}

bool sim_version_connected (sim_check_t *self, const txid_t *txid,
                            const sim_connection_t *connection)
{
    sim_stretches_t stretches;
    stretches_of (self, txid, connection->need, connection->from_ms, &stretches);
    bool alike = stretches.hops_count == connection->links_count &&
                 connection->path_count == connection->links_count + 1;
    for (size_t h = 0; h < stretches.hops_count && alike; h++) {
        char link [2 * SIM_POINT_BYTES];
        snprintf (link, sizeof link, "%s/%s", self->map->names [stretches.hops [h].domain],
                  stretches.hops [h].link);
        alike = same (link, connection->links [h]);
    }
    for (size_t c = 0; c < stretches.circuits_count && alike; c++)
        alike = stretches.circuits [c]->mbps == connection->mbps &&
                stretches.circuits [c]->from_ms == connection->from_ms &&
                stretches.circuits [c]->until_ms == connection->until_ms;
    sim_way_t way;
    char why [WHY_BYTES];
    if (!alike || !sim_map_walk (self->map, connection->path [0],
                                 connection->path [connection->path_count - 1], "", stretches.hops,
                                 stretches.hops_count, &way, why))
        return false;
    for (size_t v = 0; v < connection->path_count && alike; v++)
        alike = same (way.vertices [v], connection->path [v]);
    return alike && way.latency_us == connection->latency_us;
}
