/*  ledger_replay_moved - each step of a command, and what it does to its reservation or claim. */
#include "ledger_replay_state.h"
#include "must.h"
#include "participant_states.h"

#include <inttypes.h>

static const char *word (command_state_t state)
{
    return command_states.states [state];
}

static bool open_state (command_state_t state)
{
    return state == COMMAND_HELD || state == COMMAND_PREPARED;
}

static bool over (command_state_t state)
{
    return states_end (&command_states, state);
}

/*  --- commands --- */

static replay_command_t *moved_entry_of (ledger_replay_t *self, const ledger_row_t *row)
{
    replay_command_t *entry = ordered_find (self->commands, &row->txid);
    bool begins = row->from == COMMAND_UNKNOWN;
    bool doubted = entry && !ledger_replay_knows (self, entry->row);
    if (doubted || (entry && entry->gone && begins)) { /* or a new tombstone, long after */
        entry->found |= doubted;
        entry->gone = false;
        entry->state = row->from;
        if (begins)
            codec_clear (&command_record_codec, &entry->record);
    }
    if (entry)
        return entry;
    entry = must (calloc (1, sizeof *entry));
    entry->txid = row->txid;
    entry->found = !begins;
    entry->begun_ms = entry->found ? 0 : row->wall_ms;
    ordered_add (self->commands, &entry->txid, entry);
    if (entry->found && self->hole)
        entry->state = row->from;
    return entry;
}

static bool event_known (const char *event, int *number)
{
    for (*number = 0; *number < COMMAND_EVENTS; ++*number)
        if (strcmp (command_states.events [*number], event) == 0)
            return true;
    return false;
}

/*  A step of the state table, or a change that leaves the state: a hold is renewed, all have
 *  acknowledged, the answer of a claim is amended (T10), or it is fenced, which makes a tombstone
 *  of a transaction that is not known here. */
static bool allowed (const ledger_row_t *row)
{
    int event;
    if (row->from != row->to)
        return event_known (row->event, &event) &&
               states_allow (&command_states, row->from, (unsigned) event, row->to);
    if (strcmp (row->event, "renew") == 0)
        return row->from == COMMAND_HELD;
    if (strcmp (row->event, "amend") == 0)
        return row->from == COMMAND_COMMITTED;
    if (strcmp (row->event, "done") == 0)
        return row->from == COMMAND_COMMITTED || row->from == COMMAND_EDGE_REFUSED;
    return strcmp (row->event, "fence") == 0 && (!over (row->from) || row->from == COMMAND_ABORTED);
}

/*  Was the command in the state that the row says, and does the step exist? */
static void check_step (ledger_replay_t *self, const replay_command_t *entry,
                        const ledger_row_t *row)
{
    char text [TXID_TEXT_BYTES];
    txid_text (&row->txid, text);
    if (entry->state != row->from)
        replay_violation (self, "%s goes from %s to %s, but was %s", text, word (row->from),
                          word (row->to), word (entry->state));
    else if (!allowed (row))
        replay_violation (self,
                          "%s goes from %s to %s by \"%s\", which is not a step of the state table",
                          text, word (row->from), word (row->to), row->event);
}

/*  Takes the record from the row; what the row leaves out is as before. */
static void moved_take_record (ledger_replay_t *self, replay_command_t *entry, ledger_row_t *row)
{
    command_record_t before = entry->record;
    command_record_t *told = &row->command;
    if (!row->command_set) {
        replay_violation (self, "the row does not hold the record of the command");
        return;
    }
    if (told->plan.size == 0) {
        told->plan = before.plan;
        before.plan = (packed_t){0};
    }
    if (told->part.size == 0 && before.state != COMMAND_UNKNOWN) {
        told->part_kind = before.part_kind;
        told->part = before.part;
        before.part = (packed_t){0};
    }
    entry->record = *told;
    *told = before;
}

/*  --- reservations --- */

void replay_standing_free (void *thing)
{
    replay_standing_t *self = thing;
    codec_clear (&reservation_record_codec, &self->shown.record);
    free (self->current.list);
    free (self->wanted.list);
    free (self->counted.list);
    free (self);
}

static replay_standing_t *standing_of (ledger_replay_t *self, const char *id, const char *owner)
{
    replay_standing_t *standing = ordered_find (self->reservations, id);
    if (standing)
        return standing;
    standing = must (calloc (1, sizeof *standing));
    memcpy (standing->shown.id, id, strlen (id) + 1);
    memcpy (standing->shown.record.owner, owner, strlen (owner) + 1);
    ordered_add (self->reservations, standing->shown.id, standing);
    return standing;
}

static void standing_remove (ledger_replay_t *self, replay_standing_t *standing)
{
    standing->current.count = 0;
    standing->taken = false;
    replay_count (self, standing, false);
    ordered_remove (self->reservations, standing->shown.id);
    replay_standing_free (standing);
}

void replay_doubt (ledger_replay_t *self)
{
    replay_standing_t *standing;
    self->whole_from = self->number;
    for (const char *at = NULL; (standing = ordered_after (self->reservations, at));
         at = standing->shown.id) {
        standing->shown.found = true;
        standing->pending = NULL;
        standing->taken = false;
        standing->current.count = 0;
        replay_count (self, standing, false);
    }
    for (size_t i = 0; i < self->resources_count; i++)
        self->resources [i].known = false;
}

/*  One step of a change, with all that it is judged by. */
typedef struct {
    ledger_replay_t *replay;
    replay_command_t *entry;
    const ledger_row_t *row;
    const plan_t *plan;
    replay_standing_t *standing;
    char text [TXID_TEXT_BYTES];
} replay_change_t;

static void check_base (const replay_change_t *change)
{
    const replay_standing_t *standing = change->standing;
    const plan_t *plan = change->plan;
    bool nothing = standing->current.count == 0;
    bool joins = standing->shown.record.version == 0 && plan->operation == OPERATION_MODIFY;
    if (standing->shown.found || joins || plan->base_version == standing->shown.record.version ||
        (nothing && plan->operation != OPERATION_RESERVE &&
         plan->base_version > standing->shown.record.version))
        return;
    replay_violation (
      change->replay, "%s changes version %" PRIu32 " of %s, which is at version %" PRIu32,
      change->text, plan->base_version, standing->shown.id, standing->shown.record.version);
}

/*  It becomes the pending change. */
static void moved_begin (replay_change_t *change)
{
    replay_standing_t *standing = change->standing;
    if (standing->pending && standing->pending != change->entry) {
        char other [TXID_TEXT_BYTES];
        replay_violation (change->replay, "%s begins while %s is pending on %s", change->text,
                          txid_text (&standing->pending->txid, other), standing->shown.id);
    }
    standing->pending = change->entry;
    check_base (change);
}

static void moved_want (replay_change_t *change, bool takes)
{
    int64_t until_ms;
    const command_record_t *record = &change->entry->record;
    if (!replay_part_spans (change->replay, record->part_kind, record->part,
                            &change->standing->wanted, &until_ms))
        replay_violation (change->replay, "the part of %s can't be read", change->text);
    change->standing->taken = true;
    replay_count (change->replay, change->standing, takes);
}

/*  The reservation is at its new version: with what the command wanted, or as it was (T10). */
static void moved_settle (replay_change_t *change, bool granted)
{
    replay_standing_t *standing = change->standing;
    reservation_record_t *record = &standing->shown.record;
    const command_record_t *told = &change->entry->record;
    int64_t until_ms = 0;
    if (granted) {
        replay_part_spans (change->replay, told->part_kind, told->part, &standing->current,
                           &until_ms);
        record->released = change->plan->operation == OPERATION_RELEASE;
        free (record->was.data);
        record->was = record->released ? record->part : (packed_t){0};
        if (!record->released)
            free (record->part.data);
        record->part = packed_copy (packed_bytes (told->part));
        if (!record->released)
            record->part_kind = told->part_kind;
        standing->shown.continued |= standing->shown.found;
        standing->shown.found = false;
    }
    record->failed = !granted && standing->current.count == 0;
    standing->taken = false;
    replay_count (change->replay, standing, false);
    record->version = change->plan->base_version + 1;
    record->made_by = change->entry->txid;
    free (record->plan.data);
    record->plan = (packed_t){0};
    if (until_ms < told->until_ms)
        until_ms = told->until_ms;
    if (record->until_ms < until_ms)
        record->until_ms = until_ms;
}

static void check_versions (const replay_change_t *change)
{
    const ledger_row_t *row = change->row;
    const replay_standing_t *standing = change->standing;
    bool unseen =
      standing->shown.found || (change->replay->hole && standing->shown.record.version == 0);
    if (row->new_version != change->plan->base_version + 1)
        replay_violation (change->replay, "%s makes version %" PRIu32 " of %s, not %" PRIu32,
                          change->text, row->new_version, standing->shown.id,
                          change->plan->base_version + 1);
    else if (!unseen && row->old_version != standing->shown.record.version)
        replay_violation (
          change->replay, "%s takes %s on from version %" PRIu32 ", but it is at version %" PRIu32,
          change->text, standing->shown.id, row->old_version, standing->shown.record.version);
}

static void moved_leave (replay_change_t *change)
{
    replay_standing_t *standing = change->standing;
    if (standing->pending == change->entry)
        standing->pending = NULL;
    if (standing->shown.record.version == 0 && !standing->pending && !standing->shown.found)
        standing_remove (change->replay, standing);
}

static void change_moved (replay_change_t *change, command_state_t from, command_state_t to)
{
    const char *id = change->plan->reservation;
    change->standing = standing_of (change->replay, id, change->plan->owner);
    if (change->row->reservation [0] && strcmp (change->row->reservation, id) != 0)
        replay_violation (change->replay, "%s is recorded as a change of %s, but its plan is of %s",
                          change->text, change->row->reservation, id);
    bool begins = from == COMMAND_UNKNOWN;
    if (change->replay->hole && change->standing->shown.record.version == 0 &&
        change->row->old_version > 0)
        change->standing->shown.found = true; /* its versions were cut off */
    if (change->entry->found && change->standing->pending != change->entry && !begins) {
        begins = true; /* it did, before the first row */
        change->standing->shown.found |= change->standing->shown.record.version == 0;
    }
    if (begins)
        moved_begin (change);
    if (open_state (to) && !change->standing->taken)
        moved_want (change, from == COMMAND_UNKNOWN);
    if (to == COMMAND_COMMITTED && from == COMMAND_EDGE)
        moved_want (change, true); /* T9: only into what is still free */
    if (to == COMMAND_EDGE || to == COMMAND_ABORTED || to == COMMAND_EXPIRED) {
        change->standing->taken = false;
        replay_count (change->replay, change->standing, false);
    }
    if (to == COMMAND_COMMITTED || to == COMMAND_EDGE_REFUSED) {
        check_versions (change);
        moved_settle (change, to == COMMAND_COMMITTED);
    }
    if (over (to))
        moved_leave (change);
}

/*  --- claims --- */

static replay_kept_t *claim_of (ledger_replay_t *self, const char *actor, const char *request_id,
                                bool make)
{
    char key [REPLAY_KEY_BYTES];
    int size = snprintf (key, sizeof key, "%.63s%c%.127s", actor, '\0', request_id);
    return replay_kept (self, TABLE_CLAIMS,
                        (bytes_t){.data = (const uint8_t *) key, .size = (size_t) size}, make);
}

/*  Its holder may have left it, and it may have been removed, in rows that are missing. */
static void claim_doubt (const ledger_replay_t *self, replay_kept_t *claim)
{
    if (claim->holder && !ledger_replay_knows (self, claim->holder->row))
        claim->holder = NULL;
    claim->gone |= !ledger_replay_knows (self, claim->row);
}

static void claim_moved (const replay_change_t *change, command_state_t to)
{
    ledger_replay_t *self = change->replay;
    const plan_t *plan = change->plan;
    replay_kept_t *claim = claim_of (self, plan->actor, plan->request_id, true);
    bool holds = open_state (to) || to == COMMAND_COMMITTED;
    claim_doubt (self, claim);
    if (holds && !claim->gone)
        replay_violation (self, "%s claims %s/%s, which is closed", change->text, plan->actor,
                          plan->request_id);
    else if (holds && claim->holder && claim->holder != change->entry) {
        char other [TXID_TEXT_BYTES];
        replay_violation (self, "%s claims %s/%s, which %s already holds", change->text,
                          plan->actor, plan->request_id, txid_text (&claim->holder->txid, other));
    }
    if (holds)
        claim->holder = change->entry;
    else if (claim->holder == change->entry)
        claim->holder = NULL;
}

void replay_closed_claim (ledger_replay_t *self, ledger_row_t *row)
{
    replay_kept_t *claim = claim_of (self, row->actor, row->request_id, true);
    char text [TXID_TEXT_BYTES];
    claim_doubt (self, claim);
    if (claim->holder)
        replay_violation (self, "%s/%s is closed while %s is %s there", row->actor, row->request_id,
                          txid_text (&claim->holder->txid, text), word (claim->holder->state));
    if (!claim->gone)
        replay_violation (self, "%s/%s is closed twice", row->actor, row->request_id);
    replay_keep (claim, row);
}

void replay_pruned_claim (ledger_replay_t *self, ledger_row_t *row)
{
    replay_kept_t *claim = claim_of (self, row->actor, row->request_id, false);
    if (claim && !claim->gone)
        claim->gone = true;
    else if (!self->hole)
        replay_violation (self, "the closed claim of %s/%s is removed, but was never closed",
                          row->actor, row->request_id);
}

/*  --- rows --- */

static bool moved_plan_of (const replay_command_t *entry, plan_t *plan, char why [WHY_BYTES])
{
    return codec_decode (&plan_codec, plan, packed_bytes (entry->record.plan), why);
}

/*  The step of a command that has a plan, by its record as it is now. */
static void moved_step (ledger_replay_t *self, replay_command_t *entry, const ledger_row_t *row)
{
    plan_t plan;
    char why [WHY_BYTES];
    replay_change_t change = {.replay = self, .entry = entry, .row = row, .plan = &plan};
    txid_text (&row->txid, change.text);
    if (!moved_plan_of (entry, &plan, why)) {
        replay_violation (self, "the plan of %s can't be read: %s", change.text, why);
        return;
    }
    if (txid_compare (&plan.txid, &row->txid) != 0)
        replay_violation (self, "%s has the plan of another transaction", change.text);
    else if (entry->record.part_kind == PART_CLAIM)
        claim_moved (&change, row->to);
    else if (row->from != row->to)
        change_moved (&change, row->from, row->to);
    codec_clear (&plan_codec, &plan);
}

void replay_moved (ledger_replay_t *self, ledger_row_t *row)
{
    if (!row->txid_set || row->to == COMMAND_UNKNOWN) {
        replay_violation (self, "a step has no txid or no state");
        return;
    }
    replay_command_t *entry = moved_entry_of (self, row);
    check_step (self, entry, row);
    moved_take_record (self, entry, row);
    entry->state = row->to;
    entry->decided |= row->to == COMMAND_COMMITTED || row->to == COMMAND_EDGE_REFUSED;
    entry->row = row->number;

    char text [TXID_TEXT_BYTES];
    txid_text (&row->txid, text);
    if (entry->record.state != row->to)
        replay_violation (self, "%s goes to %s, but its record says %s", text, word (row->to),
                          word (entry->record.state));
    if (entry->record.plan.size > 0)
        moved_step (self, entry, row);
    else if (row->to != COMMAND_ABORTED && !entry->found)
        replay_violation (self, "%s is %s without a plan", text, word (row->to));
}

/*  A command whose record was removed does not hold its claim any more. */
static void claim_left (ledger_replay_t *self, const replay_command_t *entry)
{
    plan_t plan;
    char why [WHY_BYTES];
    if (entry->record.part_kind != PART_CLAIM || !moved_plan_of (entry, &plan, why))
        return;
    replay_kept_t *claim = claim_of (self, plan.actor, plan.request_id, false);
    if (claim && claim->holder == entry)
        claim->holder = NULL;
    codec_clear (&plan_codec, &plan);
}

void replay_pruned_command (ledger_replay_t *self, ledger_row_t *row)
{
    replay_command_t *entry = row->txid_set ? ordered_find (self->commands, &row->txid) : NULL;
    char text [TXID_TEXT_BYTES];
    if (!entry || entry->gone) {
        if (!self->hole)
            replay_violation (self, "a record is removed that was not there");
        return;
    }
    if (!over (entry->state) && ledger_replay_knows (self, entry->row))
        replay_violation (self, "%s is removed while it is %s", txid_text (&row->txid, text),
                          word (entry->state));
    entry->gone = true;
    claim_left (self, entry);
}

void replay_pruned_reservation (ledger_replay_t *self, ledger_row_t *row)
{
    replay_standing_t *standing = ordered_find (self->reservations, row->reservation);
    if (!standing) {
        if (!self->hole)
            replay_violation (self, "reservation %s is removed, but was not there",
                              row->reservation);
        return;
    }
    if (standing->pending)
        replay_violation (self, "reservation %s is removed while a change of it is pending",
                          standing->shown.id);
    for (size_t i = 0; i < standing->counted.count; i++) {
        if (standing->counted.list [i].until_ms > row->wall_ms) {
            replay_violation (self, "reservation %s is removed before its end", standing->shown.id);
            break;
        }
    }
    standing_remove (self, standing);
}

void replay_readmitted (ledger_replay_t *self, ledger_row_t *row)
{
    int64_t until_ms;
    if (!row->readmitted_set || row->reservation [0] == '\0') {
        replay_violation (self, "the reservation that is booked again can't be read");
        return;
    }
    replay_standing_t *standing = standing_of (self, row->reservation, "");
    reservation_record_t before = standing->shown.record;
    standing->shown.record = row->readmitted;
    standing->shown.found = standing->shown.continued = false;
    row->readmitted = before;
    if (!replay_part_spans (self, standing->shown.record.part_kind, standing->shown.record.part,
                            &standing->current, &until_ms))
        replay_violation (self, "the bookings of %s, which is booked again, can't be read",
                          standing->shown.id);
    replay_count (self, standing, false);
}
