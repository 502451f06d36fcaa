/*  ledger_replay - the rows in their order, read from proto/ledger.proto as a judge reads them:
 *  rules between the fields of the records that rows carry are not applied, because these records
 *  are what is judged. */
#include "ledger_replay.h"

#include "ledger.pb-c.h"
#include "ledger_replay_state.h"
#include "ledger_wire.h"
#include "message.h"
#include "must.h"
#include "planner.pb-c.h"

#include <inttypes.h>
#include <sodium.h>

static const codec_row_t row_rows [] = {
  ROW_NUMBER ("number", ledger_row_t, number),
  ROW_FIXED ("before", ledger_row_t, before),
  ROW_NUMBER ("start", ledger_row_t, start),
  ROW_NUMBER ("wall_ms", ledger_row_t, wall_ms),
  ROW_ENUM ("kind", ledger_row_t, kind, INT32_MAX, FROM (LEDGER_STARTED)),
  ROW_UNUSED ("caller"),
  ROW_ONE ("txid", ledger_row_t, txid, txid, SET_BY (ledger_row_t, txid_set)),
  ROW_ENUM ("from", ledger_row_t, from, COMMAND_STATES - 1),
  ROW_ENUM ("to", ledger_row_t, to, COMMAND_STATES - 1),
  ROW_STRING ("event", ledger_row_t, event, RECORD_BYTES_MAX),
  ROW_TEXT ("reservation", ledger_row_t, reservation, OR_NONE),
  ROW_NUMBER ("old_version", ledger_row_t, old_version),
  ROW_NUMBER ("new_version", ledger_row_t, new_version),
  ROW_ONE ("command", ledger_row_t, command, command_record, SET_BY (ledger_row_t, command_set)),
  ROW_LIST ("quantities", ledger_row_t, quantities, quantities_count, ledger_quantity, 0,
            ANY_COUNT),
  ROW_STRING ("actor", ledger_row_t, actor, RECORD_BYTES_MAX),
  ROW_STRING ("request_id", ledger_row_t, request_id, RECORD_BYTES_MAX),
  ROW_BYTES ("record", ledger_row_t, record.data, record.size, RECORD_BYTES_MAX),
  ROW_FIXED ("old_store", ledger_row_t, old_store, SET_BY (ledger_row_t, old_store_set)),
  ROW_ONE ("readmitted", ledger_row_t, readmitted, reservation_record,
           SET_BY (ledger_row_t, readmitted_set)),
  ROW_NUMBER ("kept_from", ledger_row_t, kept_from),
  ROW_NUMBER ("exported_from", ledger_row_t, exported_from),
};
const codec_t ledger_row_codec = CODEC (ledger_row_t, ledger_row, row_rows);

bool decision_read (bytes_t record, bool *acknowledged)
{
    message_auto_t *message = message_unpack (&musubi__decision_record__descriptor, record);
    if (!message)
        return false;
    *acknowledged =
      ((const Musubi__DecisionRecord *) message)->phase == MUSUBI__DECISION_PHASE__SETTLED;
    return true;
}

/*  --- its life --- */

static int ledger_replay_by_txid (const void *key, const void *thing)
{
    return txid_compare (key, &((const replay_command_t *) thing)->txid);
}

int replay_key_compare (const void *key, const void *thing)
{
    const replay_key_t *one = key, *other = thing;
    if (one->table != other->table)
        return one->table < other->table ? -1 : 1;
    size_t shared = one->key_size < other->key_size ? one->key_size : other->key_size;
    int order = memcmp (one->key, other->key, shared);
    return order ? order : (one->key_size > other->key_size) - (one->key_size < other->key_size);
}

ledger_replay_t *ledger_replay_new (replay_tell_fn *tell, void *owner)
{
    ledger_replay_t *self = must (calloc (1, sizeof *self));
    self->tell = tell;
    self->owner = owner;
    self->commands = ordered_new (ledger_replay_by_txid);
    self->reservations = ordered_by_text (offsetof (replay_standing_t, shown.id));
    self->kept = ordered_new (replay_key_compare);
    return self;
}

static void command_free (void *thing)
{
    codec_clear (&command_record_codec, &((replay_command_t *) thing)->record);
    free (thing);
}

static void kept_free (void *thing)
{
    free (((replay_kept_t *) thing)->record.data);
    free (thing);
}

void ledger_replay_destroy (ledger_replay_t **self_p)
{
    ledger_replay_t *self = *self_p;
    if (!self)
        return;
    ordered_end (&self->commands, command_free);
    ordered_end (&self->reservations, replay_standing_free);
    ordered_end (&self->kept, kept_free);
    for (size_t i = 0; i < self->resources_count; i++)
        levels_clear (&self->resources [i].booked);
    free (self->resources);
    free (self->gaps);
    free (self);
    *self_p = NULL;
}

void replay_violation (ledger_replay_t *self, const char *format, ...)
{
    char sentence [512];
    int used = snprintf (sentence, sizeof sentence, "row %" PRIu64 ": ", self->number);
    format_rest (sentence + used, sizeof sentence - (size_t) used, format);
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
    replay_doubt (self);
}

static void note_gap (ledger_replay_t *self, uint64_t number)
{
    self->gaps = must_grow (self->gaps, self->gaps_count, &self->gaps_room, sizeof *self->gaps);
    self->gaps [self->gaps_count++] = number;
}

static void check_number (ledger_replay_t *self, uint64_t number)
{
    replay_figures_t *figures = &self->figures;
    if (figures->first == 0) {
        figures->first = number;
        self->hole = number != 1; /* it was cut; ledger_replay_end looks for the row that says so */
        return;
    }
    if (number == figures->last + 1)
        return;
    if (number > figures->last) {
        replay_violation (self, "rows %" PRIu64 " to %" PRIu64 " are missing", figures->last + 1,
                          number - 1);
        note_gap (self, figures->last + 1);
        note_gap (self, number);
    } else
        replay_violation (self, "it comes after row %" PRIu64 ", whose number is not lower",
                          figures->last);
    self->chained = false;
    broken (self);
}

/*  Zeros stand for a previous row that its own process found damaged, which is reported already. */
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
                      "it does not follow from row %" PRIu64 ", which was different when this "
                      "one was written",
                      self->figures.last);
    broken (self);
}

/*  Of a start that fell, or has not begun, rows that are missing may tell. */
static void ledger_replay_check_time (ledger_replay_t *self, const ledger_row_t *row)
{
    replay_figures_t *figures = &self->figures;
    if (row->kind == LEDGER_ADOPTED) {
        /* a new store begins to count anew */
    } else if (self->chained && row->start < figures->start) {
        replay_violation (self,
                          "it was written in start %" PRIu32 ", after a row of start %" PRIu32,
                          row->start, figures->start);
    } else if (row->kind == LEDGER_STARTED && figures->rows > 0 && row->start == figures->start &&
               !self->adopted) {
        replay_violation (self, "start %" PRIu32 " begins twice", row->start);
    } else if (self->chained && row->kind != LEDGER_STARTED && row->start > figures->start) {
        replay_violation (self, "it was written in start %" PRIu32 ", which has not begun",
                          row->start);
    } else if (row->kind == LEDGER_STARTED && row->wall_ms < self->greatest_wall_ms) {
        /* T15: within a start a clock may be stepped */
        replay_violation (self, "start %" PRIu32 " begins earlier than the rows before it",
                          row->start);
    }
    self->adopted = row->kind == LEDGER_ADOPTED; /* the row before that of its start */
    if (row->wall_ms > self->greatest_wall_ms)
        self->greatest_wall_ms = row->wall_ms;
}

/*  --- records that rows hold as they are stored --- */

bool replay_key (replay_key_t *self, uint8_t table, bytes_t key)
{
    *self = (replay_key_t){.table = table, .key_size = key.size};
    if (key.size > sizeof self->key)
        return false;
    memcpy (self->key, key.data, key.size);
    return true;
}

replay_kept_t *replay_kept (ledger_replay_t *self, uint8_t table, bytes_t key, bool make)
{
    replay_key_t asked;
    if (!replay_key (&asked, table, key))
        return NULL;
    replay_kept_t *kept = ordered_find (self->kept, &asked);
    if (kept || !make)
        return kept;
    kept = must (calloc (1, sizeof *kept));
    kept->key = asked;
    kept->gone = true;
    ordered_add (self->kept, &kept->key, kept);
    return kept;
}

void replay_keep (replay_kept_t *self, const ledger_row_t *row)
{
    self->gone = false;
    self->row = row->number;
    free (self->record.data);
    self->record = packed_copy (packed_bytes (row->record));
}

static replay_kept_t *decision_of (ledger_replay_t *self, const ledger_row_t *row, bool make)
{
    uint8_t key [TXID_BYTES];
    txid_pack (&row->txid, key);
    return replay_kept (self, TABLE_DECISIONS, (bytes_t){.data = key, .size = sizeof key}, make);
}

static void decided (ledger_replay_t *self, ledger_row_t *row)
{
    if (row->txid_set)
        replay_keep (decision_of (self, row, true), row);
    else
        replay_violation (self, "a decision has no txid");
}

static void pruned_decision (ledger_replay_t *self, ledger_row_t *row)
{
    replay_kept_t *one = row->txid_set ? decision_of (self, row, false) : NULL;
    if (one)
        one->gone = true;
    else if (!self->hole)
        replay_violation (self, "a decision is removed that was not there");
}

static void switched (ledger_replay_t *self, ledger_row_t *row)
{
    bytes_t id = text_bytes (row->reservation);
    replay_kept_t *use = replay_kept (self, TABLE_USES, id, true);
    replay_keep (use, row);
    use->gone = strcmp (row->event, "forgotten") == 0;
}

/*  --- the rows --- */

static void adopted (ledger_replay_t *self, ledger_row_t *row)
{
    self->figures.adopted++;
    if (row->old_store_set)
        memcpy (self->figures.before_id, row->old_store, STORE_ID_BYTES);
}

static void ledger_replay_cut (ledger_replay_t *self, ledger_row_t *row)
{
    if (row->kept_from > self->kept_from)
        self->kept_from = row->kept_from;
}

/*  Names the segment that rows are missing of. */
static void ledger_replay_exported (ledger_replay_t *self, ledger_row_t *row)
{
    for (size_t i = 0; i < self->gaps_count; i += 2)
        if (row->exported_from < self->gaps [i + 1] && self->gaps [i] < row->kept_from)
            replay_violation (self,
                              "the segment ledger/%" PRIu64 "-%" PRIu64
                              ".seg is gone or damaged, which has these rows",
                              row->exported_from, row->kept_from - 1);
    if (row->kept_from == self->figures.first)
        self->front = row->exported_from;
}

/*  By the kind of a row. One of a newer ledger is chained, and that is all that can be said. */
static void (*const takers [LEDGER_KINDS]) (ledger_replay_t *self, ledger_row_t *row) = {
  [LEDGER_STARTED] = replay_quantities,
  [LEDGER_CHANGED_CAPACITY] = replay_quantities,
  [LEDGER_MOVED] = replay_moved,
  [LEDGER_CLOSED_CLAIM] = replay_closed_claim,
  [LEDGER_DECIDED] = decided,
  [LEDGER_SWITCHED] = switched,
  [LEDGER_PRUNED_COMMAND] = replay_pruned_command,
  [LEDGER_PRUNED_RESERVATION] = replay_pruned_reservation,
  [LEDGER_PRUNED_CLAIM] = replay_pruned_claim,
  [LEDGER_PRUNED_DECISION] = pruned_decision,
  [LEDGER_ADOPTED] = adopted,
  [LEDGER_READMITTED] = replay_readmitted,
  [LEDGER_CUT] = ledger_replay_cut,
  [LEDGER_EXPORTED] = ledger_replay_exported,
};

bool ledger_replay_row (ledger_replay_t *self, bytes_t bytes)
{
    ledger_row_t row;
    char why [WHY_BYTES];
    replay_figures_t *figures = &self->figures;
    if (!codec_decode_fields (&ledger_row_codec, &row, bytes, why)) {
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
    ledger_replay_check_time (self, &row);
    if (figures->rows++ == 0)
        figures->first_wall_ms = row.wall_ms;
    figures->last = row.number;
    figures->last_wall_ms = row.wall_ms;
    figures->start = row.start;
    if (row.kind < LEDGER_KINDS && takers [row.kind])
        takers [row.kind](self, &row);
    codec_clear (&ledger_row_codec, &row);
    self->chained =
      crypto_generichash (self->digest, sizeof self->digest, bytes.data, bytes.size, NULL, 0) == 0;
    return true;
}

static bool front_missing (const ledger_replay_t *self)
{
    return self->figures.first > 1 && self->figures.first > self->kept_from;
}

bool ledger_replay_whole (const ledger_replay_t *self)
{
    return self->figures.broken == 0 && !front_missing (self);
}

void ledger_replay_end (ledger_replay_t *self, uint64_t last)
{
    replay_figures_t *figures = &self->figures;
    if (front_missing (self)) {
        self->number = figures->first;
        replay_violation (self,
                          "the rows before it are missing, and no row says that they were cut off");
        if (self->front > 0)
            replay_violation (self,
                              "the segment ledger/%" PRIu64 "-%" PRIu64
                              ".seg is gone or damaged, which has some of them",
                              self->front, figures->first - 1);
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

const replay_reservation_t *ledger_replay_reservation (const ledger_replay_t *self,
                                                       const char *after)
{
    const replay_standing_t *standing = ordered_after (self->reservations, after);
    while (standing && standing->shown.record.version == 0)
        standing = ordered_after (self->reservations, standing->shown.id);
    return standing ? &standing->shown : NULL;
}

const replay_reservation_t *ledger_replay_find (const ledger_replay_t *self, bytes_t id)
{
    char name [NAME_BYTES_MAX + 1] = "";
    memcpy (name, id.data, id.size < sizeof name ? id.size : 0);
    const replay_standing_t *standing = ordered_find (self->reservations, name);
    return standing ? &standing->shown : NULL;
}

replay_resource_t *ledger_replay_named (const ledger_replay_t *self, const char *name)
{
    return list_find (self->resources, self->resources_count, sizeof *self->resources, name);
}
