/*  ledger_replay - the rows in their order. */
#include "ledger_replay_state.h"

#include "must.h"

#include <assert.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_txid (const void *key, const void *thing)
{
    return txid_compare (key, &((const replay_entry_t *) thing)->txid);
}

static int by_id (const void *key, const void *thing)
{
    return strcmp (key, ((const replay_standing_t *) thing)->id);
}

static int by_claim (const void *key, const void *thing)
{
    return strcmp (key, ((const replay_claim_t *) thing)->key);
}

static int by_decision (const void *key, const void *thing)
{
    return txid_compare (key, &((const replay_decided_t *) thing)->txid);
}

static int by_use (const void *key, const void *thing)
{
    return strcmp (key, ((const replay_used_t *) thing)->reservation);
}

ledger_replay_t *ledger_replay_new (replay_tell_fn *tell, void *owner)
{
    ledger_replay_t *self = must (calloc (1, sizeof *self));
    self->tell = tell;
    self->owner = owner;
    self->commands = ordered_new (by_txid);
    self->reservations = ordered_new (by_id);
    self->claims = ordered_new (by_claim);
    self->decisions = ordered_new (by_decision);
    self->uses = ordered_new (by_use);
    return self;
}

void ledger_replay_destroy (ledger_replay_t **self_p)
{
    ledger_replay_t *self = *self_p;
    if (!self)
        return;
    for (replay_entry_t *one; (one = ordered_after (self->commands, NULL));) {
        ordered_remove (self->commands, &one->txid);
        free (one->stored.data);
        free (one);
    }
    for (replay_standing_t *one; (one = ordered_after (self->reservations, NULL));) {
        ordered_remove (self->reservations, one->id);
        replay_standing_free (one);
    }
    for (replay_claim_t *one; (one = ordered_after (self->claims, NULL));) {
        ordered_remove (self->claims, one->key);
        free (one->record.data);
        free (one);
    }
    for (replay_decided_t *one; (one = ordered_after (self->decisions, NULL));) {
        ordered_remove (self->decisions, &one->txid);
        free (one->record.data);
        free (one);
    }
    for (replay_used_t *one; (one = ordered_after (self->uses, NULL));) {
        ordered_remove (self->uses, one->reservation);
        free (one->record.data);
        free (one);
    }
    ordered_destroy (&self->commands);
    ordered_destroy (&self->reservations);
    ordered_destroy (&self->claims);
    ordered_destroy (&self->decisions);
    ordered_destroy (&self->uses);
    for (size_t i = 0; i < self->resources_count; i++)
        levels_clear (&self->resources [i].booked);
    free (self->resources);
    free (self);
    *self_p = NULL;
}

packed_t replay_copy (bytes_t from)
{
    packed_t copy = {.data = must (malloc (from.size + 1)), .size = from.size};
    if (from.size > 0)
        memcpy (copy.data, from.data, from.size);
    return copy;
}

void replay_violation (ledger_replay_t *self, const char *format, ...)
{
    char sentence [512];
    int used = snprintf (sentence, sizeof sentence, "row %" PRIu64 ": ", self->number);
    va_list args;
    va_start (args, format);
    vsnprintf (sentence + used, sizeof sentence - (size_t) used, format, args);
    va_end (args);
    self->figures.violations++;
    if (self->tell)
        self->tell (self->owner, sentence);
}

/*  --- the chain --- */

/*  From here on what is not known may have begun in rows that we have not seen. */
static void broken (ledger_replay_t *self)
{
    self->hole = true;
    self->figures.broken++;
}

static void check_number (ledger_replay_t *self, uint64_t number)
{
    replay_figures_t *figures = &self->figures;
    if (figures->first == 0) {
        figures->first = number;
        self->hole = number != 1; /* it was cut; ledger_replay_end looks whether that is told */
        return;
    }
    if (number == figures->last + 1)
        return;
    if (number > figures->last)
        replay_violation (self, "rows %" PRIu64 " to %" PRIu64 " are missing", figures->last + 1,
                          number - 1);
    else
        replay_violation (self, "it comes after row %" PRIu64, figures->last);
    self->chained = false;
    broken (self);
}

/*  Zeros stand for a row before that its own process found damaged: that one is told already. */
static void check_digest (ledger_replay_t *self, const ledger_row_t *row)
{
    static const uint8_t zeros [LEDGER_DIGEST_BYTES];
    if (row->number == 1 && memcmp (row->before, zeros, sizeof zeros) != 0) {
        replay_violation (self, "the first row names one before it");
        broken (self);
    }
    if (!self->chained || memcmp (row->before, self->digest, LEDGER_DIGEST_BYTES) == 0)
        return;
    replay_violation (self,
                      "it does not follow row %" PRIu64 ", which was another one when this "
                      "was written",
                      self->figures.last);
    broken (self);
}

static void check_time (ledger_replay_t *self, const ledger_row_t *row)
{
    replay_figures_t *figures = &self->figures;
    if (row->kind == LEDGER_ADOPTED) {
        /* a new store begins to count anew */
    } else if (row->start < figures->start) {
        replay_violation (self, "it is of start %" PRIu32 ", after one of start %" PRIu32,
                          row->start, figures->start);
    } else if (row->kind == LEDGER_STARTED && figures->rows > 0 && row->start == figures->start) {
        replay_violation (self, "start %" PRIu32 " begins twice", row->start);
    } else if (row->kind != LEDGER_STARTED && figures->rows > 0 && row->start > figures->start) {
        replay_violation (self, "it is of start %" PRIu32 ", which has not begun", row->start);
    } else if (row->kind == LEDGER_STARTED && row->wall_ms < self->greatest_wall_ms) {
        /* T15: within a start a clock may be stepped */
        replay_violation (self, "start %" PRIu32 " begins earlier than what came before it",
                          row->start);
    }
    if (row->wall_ms > self->greatest_wall_ms)
        self->greatest_wall_ms = row->wall_ms;
}

/*  --- the other kinds --- */

static void decided (ledger_replay_t *self, const ledger_row_t *row)
{
    if (!row->txid_set) {
        replay_violation (self, "a decision without its txid");
        return;
    }
    replay_decided_t *one = ordered_find (self->decisions, &row->txid);
    if (!one) {
        one = must (calloc (1, sizeof *one));
        one->txid = row->txid;
        ordered_add (self->decisions, &one->txid, one);
    }
    one->gone = false;
    one->row = row->number;
    free (one->record.data);
    one->record = replay_copy (row->record);
}

static void pruned_decision (ledger_replay_t *self, const ledger_row_t *row)
{
    replay_decided_t *one = row->txid_set ? ordered_find (self->decisions, &row->txid) : NULL;
    if (one)
        one->gone = true;
    else if (!self->hole)
        replay_violation (self, "a decision leaves that was not there");
}

static void switched (ledger_replay_t *self, const ledger_row_t *row)
{
    replay_used_t *one = ordered_find (self->uses, row->reservation);
    if (!one) {
        one = must (calloc (1, sizeof *one));
        memcpy (one->reservation, row->reservation, strlen (row->reservation) + 1);
        ordered_add (self->uses, one->reservation, one);
    }
    one->gone = strcmp (row->event, "forgotten") == 0;
    free (one->record.data);
    one->record = replay_copy (row->record);
}

static void take (ledger_replay_t *self, const ledger_row_t *row)
{
    switch (row->kind) {
    case LEDGER_STARTED:
        replay_quantities (self, row, true);
        break;
    case LEDGER_CHANGED_CAPACITY:
        replay_quantities (self, row, false);
        break;
    case LEDGER_MOVED:
        replay_moved (self, row);
        break;
    case LEDGER_CLOSED_CLAIM:
        replay_closed_claim (self, row);
        break;
    case LEDGER_DECIDED:
        decided (self, row);
        break;
    case LEDGER_SWITCHED:
        switched (self, row);
        break;
    case LEDGER_PRUNED_COMMAND:
        replay_pruned_command (self, row);
        break;
    case LEDGER_PRUNED_RESERVATION:
        replay_pruned_reservation (self, row);
        break;
    case LEDGER_PRUNED_CLAIM:
        replay_pruned_claim (self, row);
        break;
    case LEDGER_PRUNED_DECISION:
        pruned_decision (self, row);
        break;
    case LEDGER_ADOPTED:
        self->figures.adopted++;
        if (row->old_store.size == STORE_ID_BYTES)
            memcpy (self->figures.before_id, row->old_store.data, STORE_ID_BYTES);
        break;
    case LEDGER_READMITTED:
        replay_readmitted (self, row);
        break;
    case LEDGER_CUT:
        if (row->kept_from > self->kept_from)
            self->kept_from = row->kept_from;
        break;
    default: /* of a newer ledger: it is chained, and that is all that can be said */
        break;
    }
}

bool ledger_replay_row (ledger_replay_t *self, bytes_t bytes)
{
    ledger_row_t row;
    char why [WHY_BYTES];
    replay_figures_t *figures = &self->figures;
    if (!row_read (&row, bytes, why)) {
        self->number = figures->last + 1;
        if (figures->first == 0)
            figures->first = self->number;
        replay_violation (self, "can't be read: %s", why);
        figures->last = self->number;
        self->chained = false;
        broken (self);
        return false;
    }
    self->number = row.number;
    check_number (self, row.number);
    check_digest (self, &row);
    check_time (self, &row);
    if (figures->rows++ == 0)
        figures->first_wall_ms = row.wall_ms;
    figures->last = row.number;
    figures->last_wall_ms = row.wall_ms;
    figures->start = row.start;
    take (self, &row);
    row_end (&row);
    self->chained =
      crypto_generichash (self->digest, sizeof self->digest, bytes.data, bytes.size, NULL, 0) == 0;
    return true;
}

void ledger_replay_end (ledger_replay_t *self, uint64_t last)
{
    replay_figures_t *figures = &self->figures;
    if (figures->first > 1 && figures->first > self->kept_from) {
        self->number = figures->first;
        replay_violation (self,
                          "the rows before it are missing, and no row tells that they were cut");
        figures->broken++;
    }
    if (last > figures->last) {
        self->number = last;
        replay_violation (self, "rows %" PRIu64 " to %" PRIu64 " are missing", figures->last + 1,
                          last);
        broken (self);
    }
}

/*  --- what is shown --- */

replay_figures_t ledger_replay_figures (const ledger_replay_t *self)
{
    return self->figures;
}

static void show_command (const replay_entry_t *from, replay_command_t *to)
{
    *to = (replay_command_t){.txid = from->txid,
                             .state = from->state,
                             .gone = from->gone,
                             .decided = from->decided,
                             .found = from->found,
                             .row = from->row,
                             .wall_ms = from->wall_ms,
                             .stored = {.data = from->stored.data, .size = from->stored.size}};
}

bool ledger_replay_command (const ledger_replay_t *self, const txid_t *after,
                            replay_command_t *command)
{
    const replay_entry_t *entry = ordered_after (self->commands, after);
    if (entry)
        show_command (entry, command);
    return entry != NULL;
}

bool ledger_replay_find (const ledger_replay_t *self, const txid_t *txid, replay_command_t *command)
{
    const replay_entry_t *entry = ordered_find (self->commands, txid);
    if (entry)
        show_command (entry, command);
    return entry != NULL;
}

bool ledger_replay_reservation (const ledger_replay_t *self, const char *after,
                                replay_reservation_t *reservation)
{
    const replay_standing_t *standing = ordered_after (self->reservations, after);
    while (standing && standing->version == 0)
        standing = ordered_after (self->reservations, standing->id);
    if (!standing)
        return false;
    *reservation =
      (replay_reservation_t){.id = standing->id,
                             .owner = standing->owner,
                             .found = standing->found,
                             .version = standing->version,
                             .made_by = standing->made_by,
                             .part_kind = standing->part_kind,
                             .part = {.data = standing->part.data, .size = standing->part.size},
                             .released = standing->released,
                             .failed = standing->failed,
                             .until_ms = standing->keep_ms,
                             .plan = {.data = standing->plan.data, .size = standing->plan.size}};
    return true;
}

bool ledger_replay_closed (const ledger_replay_t *self, const char *after_key,
                           replay_closed_t *closed)
{
    const replay_claim_t *claim = ordered_after (self->claims, after_key);
    while (claim && !claim->closed)
        claim = ordered_after (self->claims, claim->key);
    if (claim)
        *closed = (replay_closed_t){
          .key = claim->key, .record = {.data = claim->record.data, .size = claim->record.size}};
    return claim != NULL;
}

bool ledger_replay_decision (const ledger_replay_t *self, const txid_t *after,
                             replay_decision_t *decision)
{
    const replay_decided_t *one = ordered_after (self->decisions, after);
    if (one)
        *decision =
          (replay_decision_t){.txid = one->txid,
                              .gone = one->gone,
                              .row = one->row,
                              .record = {.data = one->record.data, .size = one->record.size}};
    return one != NULL;
}

bool ledger_replay_use (const ledger_replay_t *self, const char *after, replay_use_t *use)
{
    const replay_used_t *one = ordered_after (self->uses, after);
    while (one && one->gone)
        one = ordered_after (self->uses, one->reservation);
    if (one)
        *use = (replay_use_t){.reservation = one->reservation,
                              .record = {.data = one->record.data, .size = one->record.size}};
    return one != NULL;
}

const char *ledger_replay_resource (const ledger_replay_t *self, size_t n)
{
    return n < self->resources_count ? self->resources [n].name : NULL;
}

static const replay_resource_t *find_resource (const ledger_replay_t *self, const char *name)
{
    for (size_t i = 0; i < self->resources_count; i++)
        if (strcmp (self->resources [i].name, name) == 0)
            return &self->resources [i];
    return NULL;
}

bool ledger_replay_quantity (const ledger_replay_t *self, const char *resource, int64_t *quantity)
{
    const replay_resource_t *one = find_resource (self, resource);
    if (!one || !one->known)
        return false;
    *quantity = one->quantity;
    return true;
}

bool ledger_replay_set (const ledger_replay_t *self, const char *resource, int64_t *quantity)
{
    const replay_resource_t *one = find_resource (self, resource);
    if (!one || !one->known)
        return false;
    *quantity = one->quantity + one->missing;
    return true;
}

int64_t ledger_replay_free (const ledger_replay_t *self, const char *resource, int64_t at_ms,
                            int64_t *until_ms)
{
    const replay_resource_t *one = find_resource (self, resource);
    assert (one && one->known);
    *until_ms = levels_next (&one->booked, at_ms);
    return one->quantity - levels_at (&one->booked, at_ms);
}
