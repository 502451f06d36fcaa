/*  participant_prune - finished records are deleted some time after their windows have passed.
 *
 *  A sweep goes through the commands and then the reservations, a bounded number at a time, and
 *  rests until the next sweep. A commit stays until it is known that everybody has acknowledged it:
 *  another participant may still be in doubt about it, and would take "unknown" for "aborted" (T7).
 *  Its coordinator is asked.
 */
#include "member.h"
#include "participant_state.h"

#include <stdlib.h>
#include <string.h>

/*  Judged by the clock that is behind: a record deleted too late does no harm. */
static bool participant_prune_outlived (const participant_t *self, const moment_t *now,
                                        int64_t until_ms)
{
    int64_t at_ms = timekeeper_least (&self->service->timekeeper, now);
    return at_ms - self->limits.retention_ms >= until_ms;
}

static void prune_record (participant_t *self, const txid_t *txid)
{
    uint8_t key [TXID_BYTES];
    txid_pack (txid, key);
    outbox_delete (self->service->outbox, TABLE_COMMANDS,
                   (bytes_t){.data = key, .size = sizeof key});
    ledger_append (ledger_of (self->service),
                   &(ledger_entry_t){.kind = LEDGER_PRUNED_COMMAND, .txid = txid});
    service_count (self->service, "pruned", 1);
}

static void prune_command (participant_t *self, command_t *command)
{
    prune_record (self, &command->txid);
    if (command->claim)
        self->resource.end (self->resource.owner, command->claim);
    command->claim = NULL;
    command_free (command);
}

static void prune_reservation (participant_t *self, reservation_t *reservation)
{
    const usage_t *usage = &self->resource.usage;
    if (usage->forgotten)
        usage->forgotten (usage->owner, reservation->id);
    outbox_delete (self->service->outbox, TABLE_RESERVATIONS, text_bytes (reservation->id));
    ledger_append (ledger_of (self->service), &(ledger_entry_t){.kind = LEDGER_PRUNED_RESERVATION,
                                                                .reservation = reservation->id});
    reservation_free (self, reservation);
    service_count (self->service, "pruned", 1);
}

/*  Each returns false at the end of its table. */
static bool sweep_commands (participant_t *self, const moment_t *now)
{
    int asks = 0;
    for (int i = 0; i < PRUNE_STEP; i++) {
        command_t *command;
        shelved_t *shelved =
          shelf_next (self, self->prune_begun ? &self->prune_txid : NULL, &command);
        if (!shelved && !command)
            return false;
        self->prune_txid = shelved ? shelved->txid : command->txid;
        self->prune_begun = true;
        if (shelved) {
            if (participant_prune_outlived (self, now, shelved->until_ms)) {
                prune_record (self, &shelved->txid);
                shelf_drop (self, shelved);
            }
            continue;
        }
        if (!command_finished (command) ||
            !participant_prune_outlived (self, now, command->until_ms))
            continue;
        bool decided =
          command->state == COMMAND_COMMITTED || command->state == COMMAND_EDGE_REFUSED;
        if (!decided || command->done)
            prune_command (self, command);
        else if (asks++ < PRUNE_ASKS_MAX)
            doubt_ask_done (command, now);
    }
    return true;
}

static bool sweep_reservations (participant_t *self, const moment_t *now)
{
    for (int i = 0; i < PRUNE_STEP; i++) {
        reservation_t *reservation =
          ordered_after (self->reservations, self->prune_begun ? self->prune_id : NULL);
        if (!reservation)
            return false;
        strcpy (self->prune_id, reservation->id);
        self->prune_begun = true;
        if (!reservation->pending && participant_prune_outlived (self, now, reservation->keep_ms))
            prune_reservation (self, reservation);
    }
    return true;
}

static int64_t participant_prune_rest_ms (const participant_t *self)
{
    int64_t rest = self->limits.retention_ms / 8;
    if (rest < PRUNE_REST_MS_MIN)
        return PRUNE_REST_MS_MIN;
    return rest < PRUNE_REST_MS_MAX ? rest : PRUNE_REST_MS_MAX;
}

static void on_prune_time (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    participant_t *self = owner;
    int64_t pruned = service_counted (self->service, "pruned");
    bool more =
      self->prune_reservations ? sweep_reservations (self, now) : sweep_commands (self, now);
    bool busy = service_counted (self->service, "pruned") > pruned;
    int64_t pause_ms = busy ? PRUNE_BUSY_MS : PRUNE_PACE_MS;
    if (!more) {
        self->prune_begun = false;
        self->prune_reservations = !self->prune_reservations;
        if (!self->prune_reservations)
            pause_ms = participant_prune_rest_ms (self);
    }
    self->prune_timer =
      timers_set (self->service->timers, now->mono_ms + pause_ms, on_prune_time, self, 0);
}

void prune_start (participant_t *self, const moment_t *now)
{
    self->prune_timer =
      timers_set (self->service->timers, now->mono_ms + participant_prune_rest_ms (self),
                  on_prune_time, self, 0);
}
