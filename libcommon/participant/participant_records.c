/*  participant_records - the tables in memory, their records in the store, and the start that makes
 *  the one from the other.
 *
 *  A record that cannot be understood is told loudly and left alone: it never stops a start, and
 *  whoever repairs it finds it where it was. It may have been a vote, or a commit: whoever asks
 *  about that txid gets no information (T7), and it is neither held nor made a tombstone anew.
 *  Everything else is as it was flushed: what is committed is booked, what is held or voted is
 *  taken, even where capacity has shrunk meanwhile.
 */
#include "member.h"
#include "must.h"
#include "participant_state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/*  --- orders --- */

static int participant_records_by_txid (const void *key, const void *thing)
{
    return txid_compare (key, &((const command_t *) thing)->txid);
}

typedef struct {
    const char *request;
    txid_t txid;
} requested_t;

static int participant_records_by_request (const void *key, const void *thing)
{
    const requested_t *requested = key;
    const command_t *command = thing;
    int order = strcmp (requested->request, command->request);
    return order != 0 ? order : txid_compare (&requested->txid, &command->txid);
}

/*  --- tallies --- */

static tally_t *tally_join (ordered_t *tallies, const char *name)
{
    tally_t *tally = ordered_find (tallies, name);
    if (!tally) {
        tally = must (calloc (1, sizeof *tally));
        assert (strlen (name) <= NAME_BYTES_MAX);
        memcpy (tally->name, name, strlen (name) + 1);
        ordered_add (tallies, tally->name, tally);
    }
    tally->commands++;
    return tally;
}

static void tally_leave (ordered_t *tallies, tally_t *tally)
{
    if (!tally || --tally->commands > 0)
        return;
    assert (tally->open == 0);
    ordered_remove (tallies, tally->name);
    free (tally);
}

/*  --- commands --- */

char *command_request_text (const plan_t *plan)
{
    char *request = must (malloc (strlen (plan->actor) + strlen (plan->request_id) + 2));
    strcat (strcat (strcpy (request, plan->actor), "\n"), plan->request_id);
    return request;
}

const command_t *command_of_request (const participant_t *self, const plan_t *plan)
{
    char *request = command_request_text (plan);
    requested_t at = {.request = request};
    const command_t *found = NULL, *command;
    while (!found && (command = ordered_after (self->requested, &at)) &&
           strcmp (command->request, request) == 0) {
        bool decided =
          command->state == COMMAND_COMMITTED || command->state == COMMAND_EDGE_REFUSED;
        if (decided && txid_compare (&command->txid, &plan->txid) != 0)
            found = command;
        at.txid = command->txid;
    }
    free (request);
    return found;
}

command_t *command_new (participant_t *self, const txid_t *txid, const plan_t *plan)
{
    command_t *command = must (calloc (1, sizeof *command));
    command->participant = self;
    command->txid = *txid;
    if (plan) {
        command->operation = plan->operation;
        command->plan = codec_encode (&plan_codec, plan);
        command->plan_untold = command->part_untold = true;
        command->actor = tally_join (self->actors, plan->actor);
        command->planner = tally_join (self->planners, plan->coordinator.name);
        command->base_version = plan->base_version;
        command->decide_by_ms = plan->decide_by_ms;
        command->edge_ms = plan->edge_ms;
        command->until_ms = plan->decide_by_ms;
    } else {
        char planner [NAME_BYTES_MAX + 1];
        command->planner = tally_join (self->planners, txid_planner (txid, planner));
        command->planner->tombstoned++;
        self->tombstones_count++;
    }
    ordered_add (self->commands, &command->txid, command);
    if (plan && *plan->home && *plan->request_id && !self->resource.claims) {
        command->request = command_request_text (plan);
        ordered_add (self->requested,
                     &(requested_t){.request = command->request, .txid = command->txid}, command);
    }
    return command;
}

void command_free (command_t *self)
{
    participant_t *participant = self->participant;
    assert (!self->reservation && !self->taken && !self->claim && !command_open (self));
    doubt_end (self);
    calls_cancel (participant->service->calls, self->question);
    timers_cancel (participant->service->timers, self->timer);
    if (self->done_unstored)
        TAILQ_REMOVE (&participant->done_unstored, self, done_link);
    if (self->shelving)
        TAILQ_REMOVE (&participant->shelving, self, open_link);
    ordered_remove (participant->commands, &self->txid);
    if (self->request)
        ordered_remove (participant->requested,
                        &(requested_t){.request = self->request, .txid = self->txid});
    free (self->request);
    if (self->plan.size == 0) {
        self->planner->tombstoned--;
        participant->tombstones_count--;
    }
    tally_leave (participant->actors, self->actor);
    tally_leave (participant->planners, self->planner);
    free (self->plan.data);
    free (self->part.data);
    free (self);
}

static void append_row (command_t *self, const change_t *change)
{
    packed_t command = command_row_encode (self);
    ledger_append (ledger_of (self->participant->service),
                   &(ledger_entry_t){
                     .kind = LEDGER_MOVED,
                     .caller = change->by_time ? "" : NULL,
                     .txid = &self->txid,
                     .from = change->from,
                     .to = self->state,
                     .event = change->event,
                     .reservation = self->reservation ? self->reservation->id : NULL,
                     .old_version = change->old_version,
                     .new_version = change->new_version,
                     .command = {.data = command.data, .size = command.size},
                   });
    free (command.data);
    self->plan_untold = self->part_untold = false;
}

static void command_put_alone (command_t *self, const change_t *change)
{
    participant_t *participant = self->participant;
    if (self->done_unstored) {
        TAILQ_REMOVE (&participant->done_unstored, self, done_link);
        self->done_unstored = false;
    }
    uint8_t key [TXID_BYTES];
    txid_pack (&self->txid, key);
    service_put (participant->service, TABLE_COMMANDS, (bytes_t){.data = key, .size = sizeof key},
                 command_record_encode (self));
    append_row (self, change);
    shelf_later (self);
}

static void records_done_flush (participant_t *self, size_t most)
{
    command_t *command;
    while (most-- > 0 && (command = TAILQ_FIRST (&self->done_unstored)))
        command_put_alone (command,
                           &(change_t){.from = command->state, .event = "done", .by_time = true});
}

void command_put (command_t *self, const change_t *change)
{
    command_put_alone (self, change);
    records_done_flush (self->participant, DONE_BATCH);
}

static void on_done_time (void *owner, const moment_t *now, uint64_t token)
{
    (void) token;
    participant_t *self = owner;
    self->done_timer = 0;
    records_done_flush (self, DONE_BATCH);
    if (TAILQ_FIRST (&self->done_unstored))
        self->done_timer =
          timers_set (self->service->timers, now->mono_ms + 1, on_done_time, self, 0);
}

void records_done_later (participant_t *self, const moment_t *now)
{
    if (self->done_timer == 0 && TAILQ_FIRST (&self->done_unstored))
        self->done_timer =
          timers_set (self->service->timers, now->mono_ms + DONE_LAZY_MS, on_done_time, self, 0);
}

/*  --- reservations --- */

reservation_t *reservation_find (const participant_t *self, const char *id)
{
    return ordered_find (self->reservations, id);
}

reservation_t *reservation_new (participant_t *self, const char *id, const char *owner)
{
    assert (strlen (id) <= NAME_BYTES_MAX && strlen (owner) <= NAME_BYTES_MAX);
    size_t size = strlen (id) + 1;
    reservation_t *reservation = must (calloc (1, sizeof *reservation + size + strlen (owner) + 1));
    memcpy (reservation->id, id, size);
    reservation->owner = strcpy (reservation->id + size, owner);
    ordered_add (self->reservations, reservation->id, reservation);
    return reservation;
}

void reservation_free (participant_t *self, reservation_t *reservation)
{
    assert (!reservation->pending);
    if (reservation->current)
        self->resource.end (self->resource.owner, reservation->current);
    ordered_remove (self->reservations, reservation->id);
    free (reservation->part.data);
    free (reservation->was.data);
    free (reservation->plan.data);
    free (reservation);
}

void reservation_put (participant_t *self, reservation_t *reservation)
{
    service_put (self->service, TABLE_RESERVATIONS, text_bytes (reservation->id),
                 reservation_record_encode (reservation));
}

void reservation_part (reservation_t *reservation, part_kind_t kind, bytes_t part, span_t span)
{
    free (reservation->part.data);
    free (reservation->was.data);
    reservation->was = (packed_t){0};
    reservation->part = packed_copy (part);
    reservation->part_kind = kind;
    reservation->span = span;
    if (span.set && reservation->keep_ms < span.until_ms)
        reservation->keep_ms = span.until_ms;
}

/*  --- loading --- */

static int by_itself (const void *key, const void *thing)
{
    return txid_compare (key, thing);
}

/*  The record stays in the store, and nothing is told about its txid. */
static void tell_unreadable (participant_t *self, const txid_t *txid, const char *why)
{
    service_bad_record (self->service, "commands", why);
    if (records_unreadable (self, txid))
        return;
    txid_t *kept = must (malloc (sizeof *kept));
    *kept = *txid;
    ordered_add (self->unreadable, kept, kept);
}

bool records_unreadable (const participant_t *self, const txid_t *txid)
{
    return ordered_find (self->unreadable, txid) != NULL;
}

/*  Reads a part that is in the store, and finds the time over which it books; an empty one is of
 *  kind PART_NONE. On true, end it with part_clear. */
static bool part_read (const participant_t *self, part_kind_t kind, packed_t packed,
                       part_body_t *part, span_t *span, char why [WHY_BYTES])
{
    *part = (part_body_t){.kind = PART_NONE};
    *span = (span_t){0};
    if (packed.size == 0)
        return true;
    if (kind != self->resource.part_kind)
        return wrong (why, "part_kind: this service books no parts of kind %d", (int) kind);
    if (!part_decode (part, kind, packed_bytes (packed), why))
        return false;
    *span = self->resource.span (self->resource.owner, part);
    return true;
}

/*  The plan in it, if there is one, checked together with it. */
static bool record_sound (const participant_t *self, const txid_t *txid,
                          const command_record_t *record, const plan_t *plan, span_t *span,
                          char why [WHY_BYTES])
{
    if (plan && txid_compare (&plan->txid, txid) != 0)
        return wrong (why, "plan: has another txid than the record's key");
    if (!plan && record->state != COMMAND_ABORTED)
        return wrong (why, "plan: missing");
    part_body_t part;
    if (!part_read (self, record->part_kind, record->part, &part, span, why))
        return false;
    part_clear (&part);
    return !plan || !self->resource.claims || record->part.size > 0 ||
           wrong (why, "part: missing, though a claim is never empty");
}

/*  Takes the record's part. */
static command_t *command_of_record (participant_t *self, const txid_t *txid,
                                     command_record_t *record, const plan_t *plan, span_t span)
{
    command_t *command = command_new (self, txid, plan);
    command->state = record->state;
    command->part_kind = record->part_kind;
    command->part = record->part;
    record->part = (packed_t){0};
    command->span = span;
    command->plan_untold = command->part_untold = false;
    command->held_ms = record->held_ms;
    command->expires_ms = record->expires_ms;
    command->prepared_ms = record->prepared_ms;
    command->until_ms = record->until_ms;
    if (!plan)
        command->decide_by_ms = record->until_ms;
    command->late = record->late;
    command->done = record->done;
    command->amended = record->amended;
    command->epoch = record->epoch;
    memcpy (command->fenced_by, record->fenced_by, sizeof command->fenced_by);
    return command;
}

command_t *command_read (participant_t *self, const txid_t *txid, bytes_t value)
{
    command_record_t record;
    plan_t kept = {0};
    span_t span;
    char why [WHY_BYTES];
    command_t *command = NULL;
    bool good = codec_decode (&command_record_codec, &record, value, why);
    const plan_t *plan = good && record.plan.size > 0 ? &kept : NULL;
    if (plan)
        good = codec_decode (&plan_codec, &kept, packed_bytes (record.plan), why);
    if (good && record_sound (self, txid, &record, plan, &span, why))
        command = command_of_record (self, txid, &record, plan, span);
    else
        tell_unreadable (self, txid, why);
    codec_clear (&plan_codec, &kept);
    codec_clear (&command_record_codec, &record);
    return command;
}

static void load_command (void *owner, bytes_t key, bytes_t value)
{
    participant_t *self = owner;
    txid_t txid;
    if (!txid_unpack (&txid, key))
        service_bad_record (self->service, "commands", "key: not a txid");
    else if (command_known (self, &txid))
        service_bad_record (self->service, "commands", "key: loaded twice");
    else if (!shelf_load (self, &txid, value))
        (void) command_read (self, &txid, value);
}

static void load_reservation (void *owner, bytes_t key, bytes_t value)
{
    participant_t *self = owner;
    reservation_record_t record;
    char id [NAME_BYTES_MAX + 1] = "";
    char why [WHY_BYTES] = "key: not an id";
    bool good = key.size > 0 && key.size <= NAME_BYTES_MAX && !memchr (key.data, 0, key.size);
    if (!good || !codec_decode (&reservation_record_codec, &record, value, why)) {
        service_bad_record (self->service, "reservations", why);
        return;
    }
    memcpy (id, key.data, key.size);
    if (reservation_find (self, id)) {
        service_bad_record (self->service, "reservations", "key: loaded twice");
        codec_clear (&reservation_record_codec, &record);
        return;
    }
    reservation_t *reservation = reservation_new (self, id, record.owner);
    reservation->version = record.version;
    reservation->made_by = record.made_by;
    reservation->part_kind = record.part_kind;
    reservation->part = record.part; /* and with the plan all that the record owned */
    reservation->was = record.was;
    reservation->plan = record.plan;
    reservation->released = record.released;
    reservation->failed = record.failed;
    reservation->keep_ms = record.until_ms;
}

/*  --- start --- */

static void *take_forced (participant_t *self, const moment_t *now, const plan_t *plan,
                          const void *current, const part_body_t *part)
{
    return must (self->resource.take (self->resource.owner, now, plan, current, part, true, NULL));
}

/*  As much of the plan that made its version as a resource asks of what is committed. */
static void plan_made (plan_t *plan, const reservation_t *reservation)
{
    plan->txid = reservation->made_by;
    plan->base_version = reservation->version - 1;
    strcpy (plan->reservation, reservation->id);
    strcpy (plan->actor, reservation->owner);
    strcpy (plan->owner, reservation->owner);
}

/*  What is booked stays booked even when the configuration no longer fits it: only people can
 *  decide what is to become of it. Each such reservation is logged, up to a bound. */
static void tell_drift (participant_t *self, const moment_t *now, const reservation_t *reservation,
                        const plan_t *plan, const part_body_t *part, size_t *drifted)
{
    refusal_t refusal = {0};
    char why [WHY_BYTES] = "";
    if (reservation->span.until_ms <= now->wall_ms ||
        self->resource.valid (self->resource.owner, plan, part, &refusal, why))
        return;
    service_count (self->service, "drifted", 1);
    if (++*drifted <= DRIFTED_TOLD_MAX)
        outbox_log (
          self->service->outbox, LEVEL_ALARM,
          "reservation %s owner=%s stays booked, but no longer fits the configuration: %s",
          reservation->id, reservation->owner, refusal.reason == REFUSAL_NONE ? why : refusal.text);
    codec_clear (&refusal_codec, &refusal);
}

/*  As with a record that can't be understood: it stays in the store, and is not used. */
static void reservation_unreadable (participant_t *self, reservation_t *reservation,
                                    const char *why)
{
    packed_t record = reservation_record_encode (reservation);
    text_auto_t *told = must_print ("%s: %s", reservation->id, why);
    service_bad_record (self->service, "reservations", told);
    outbox_keep_aside (self->service->outbox, TABLE_RESERVATIONS, text_bytes (reservation->id),
                       packed_bytes (record));
    free (record.data);
    reservation_free (self, reservation);
}

static void book_reservations (participant_t *self, const moment_t *now)
{
    const resource_t *resource = &self->resource;
    size_t drifted = 0;
    plan_t plan = {0};
    if (resource->starting)
        resource->starting (resource->owner, true);
    reservation_t *next = ordered_next (self->reservations, NULL);
    for (reservation_t *reservation; (reservation = next);) {
        part_body_t part;
        char why [WHY_BYTES];
        next = ordered_next (self->reservations, reservation);
        if (reservation->part.size == 0)
            continue;
        if (!part_read (self, reservation->part_kind, reservation->part, &part, &reservation->span,
                        why)) {
            reservation_unreadable (self, reservation, why);
            continue;
        }
        plan_made (&plan, reservation);
        tell_drift (self, now, reservation, &plan, &part, &drifted);
        void *taken = take_forced (self, now, &plan, NULL, &part);
        reservation->current = resource->settle (resource->owner, NULL, taken);
        part_clear (&part);
    }
    if (resource->starting)
        resource->starting (resource->owner, false);
    if (drifted > DRIFTED_TOLD_MAX)
        outbox_log (self->service->outbox, LEVEL_ALARM,
                    "%zu more reservations stay booked, but no longer fit the configuration",
                    drifted - DRIFTED_TOLD_MAX);
}

/*  Makes it the pending change of its reservation again. False when another change is pending
 *  already, which no write of ours can have left behind. */
static bool rejoin (command_t *self, const plan_t *plan)
{
    participant_t *participant = self->participant;
    reservation_t *reservation = reservation_find (participant, plan->reservation);
    if (!reservation)
        reservation = reservation_new (participant, plan->reservation, plan->owner);
    if (reservation->pending)
        return false;
    reservation->pending = self;
    self->reservation = reservation;
    return true;
}

/*  The longest life that a hold may have; of one that this store itself coordinates, until its plan
 *  must be decided. */
static int64_t life_ms_max (const command_t *self)
{
    const participant_t *participant = self->participant;
    bool own = memcmp (self->txid.store, participant->service->store.id, STORE_ID_BYTES) == 0;
    return own ? DECIDE_AHEAD_MS_MAX : (int64_t) participant->limits.hold_ttl_ms_max;
}

/*  T15: what is left of a hold's life is judged by the wall clock, which the host never lets fall
 *  behind the last stamp stored. It is never more than a site grants. */
static void resume_life (command_t *self, const moment_t *now)
{
    int64_t left_ms = self->expires_ms - now->wall_ms;
    if (left_ms > life_ms_max (self))
        left_ms = life_ms_max (self);
    self->expires_mono_ms = now->mono_ms + (left_ms > 0 ? left_ms : 0);
    command_clock (self, now);
    int64_t age_ms = now->wall_ms - self->held_ms;
    self->held_mono_ms = now->mono_ms - (age_ms > 0 ? age_ms : 0);
}

/*  False when it cannot be taken up. */
static bool resume (command_t *self, const moment_t *now)
{
    participant_t *participant = self->participant;
    bool claims = participant->resource.claims;
    bool kept_claim = claims && self->state == COMMAND_COMMITTED;
    resume_life (self, now);
    if (command_finished (self) && !kept_claim)
        return true;
    plan_t plan = command_plan (self);
    bool good = claims || rejoin (self, &plan);
    if (good && self->state != COMMAND_EDGE) {
        const void *current = self->reservation ? self->reservation->current : NULL;
        part_body_t part = part_kept (self->part_kind, self->part);
        self->taken = take_forced (participant, now, &plan, current, &part);
        part_clear (&part);
    }
    codec_clear (&plan_codec, &plan);
    if (!good)
        return false;
    if (kept_claim) {
        self->claim = participant->resource.settle (participant->resource.owner, NULL, self->taken);
        self->taken = NULL;
        if (self->done || self->amended)
            command_tell_final (self);
        return true;
    }
    if (command_open (self))
        command_count (self, true);
    command_age (self, now);
    if (self->timer == 0)
        command_watch (self, now);
    if (self->state == COMMAND_PREPARED || self->state == COMMAND_EDGE)
        doubt_watch (self, now, doubt_delay_ms (self, participant->limits.doubt_ms));
    return true;
}

void records_start (participant_t *self, const moment_t *now)
{
    book_reservations (self, now);
    const txid_t *at = NULL;
    txid_t seen;
    for (command_t *command; (command = ordered_after (self->commands, at));) {
        seen = command->txid;
        at = &seen;
        if (resume (command, now))
            continue;
        tell_unreadable (self, &seen, "its reservation has another change pending already");
        command->state = COMMAND_ABORTED; /* in memory only: the record stays for whoever repairs */
        command_free (command);
    }
    outbox_log (self->service->outbox, LEVEL_INFO,
                "participant started commands=%zu open=%zu reservations=%zu",
                ordered_count (self->commands) + ordered_count (self->shelf), self->open_count,
                ordered_count (self->reservations));
}

void records_register (participant_t *self)
{
    self->commands = ordered_new (participant_records_by_txid);
    self->requested = ordered_new (participant_records_by_request);
    shelf_open (self);
    self->unreadable = ordered_new (by_itself);
    self->reservations = ordered_by_text (offsetof (reservation_t, id));
    self->actors = ordered_by_text (offsetof (tally_t, name));
    self->planners = ordered_by_text (offsetof (tally_t, name));
    TAILQ_INIT (&self->open);
    TAILQ_INIT (&self->done_unstored);
    reads_begin (self);
    service_load (self->service, TABLE_COMMANDS, load_command, self);
    if (!self->resource.claims)
        service_load (self->service, TABLE_RESERVATIONS, load_reservation, self);
}

void records_destroy (participant_t *self)
{
    const resource_t *resource = &self->resource;
    for (command_t *command; (command = ordered_after (self->commands, NULL));) {
        if (command->taken)
            resource->drop (resource->owner, command->taken);
        if (command->claim)
            resource->end (resource->owner, command->claim);
        command->taken = command->claim = NULL;
        if (command_open (command))
            command_count (command, false);
        if (command->reservation)
            command->reservation->pending = NULL;
        command->reservation = NULL;
        command->state = COMMAND_ABORTED;
        command_free (command);
    }
    for (reservation_t *reservation; (reservation = ordered_after (self->reservations, NULL));)
        reservation_free (self, reservation);
    for (txid_t *txid; (txid = ordered_after (self->unreadable, NULL));)
        free (ordered_remove (self->unreadable, txid));
    ordered_destroy (&self->unreadable);
    reads_end (self);
    shelf_close (self);
    ordered_destroy (&self->commands);
    ordered_destroy (&self->requested);
    ordered_destroy (&self->reservations);
    ordered_destroy (&self->actors);
    ordered_destroy (&self->planners);
}
