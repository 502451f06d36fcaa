/*  ledger_tables - the records that must be there, by table and key; each that is given is taken
 *  out. */
#include "ledger_tables.h"

#include "must.h"

#include <inttypes.h>

/*  A record that must be there. value NULL: its content is not known. */
typedef struct {
    replay_key_t key;
    packed_t value;
} ledger_tables_wanted_t;

struct ledger_tables {
    const ledger_replay_t *replay;
    ledger_mender_t mender;
    ordered_t *wanted;
    size_t differences;
};

/*  Takes the value. */
static void ledger_tables_want (ledger_tables_t *self, const replay_key_t *key, packed_t value)
{
    ledger_tables_wanted_t *wanted = must (malloc (sizeof *wanted));
    *wanted = (ledger_tables_wanted_t){.key = *key, .value = value};
    ordered_add (self->wanted, &wanted->key, wanted);
}

static void wanted_free (void *thing)
{
    free (((ledger_tables_wanted_t *) thing)->value.data);
    free (thing);
}

/*  --- what the replay has --- */

/*  Is the whole record known: one with a plan, or a tombstone that was seen from its beginning? */
static bool ledger_tables_whole (const replay_command_t *command)
{
    return command->record.plan.size > 0 || !command->found;
}

static void want_commands (ledger_tables_t *self)
{
    const replay_command_t *one;
    for (const txid_t *after = NULL; (one = ordered_after (self->replay->commands, after));
         after = &one->txid) {
        replay_key_t key = {.table = TABLE_COMMANDS, .key_size = TXID_BYTES};
        txid_pack (&one->txid, key.key);
        if (!one->gone && ledger_replay_knows (self->replay, one->row))
            ledger_tables_want (self, &key,
                                ledger_tables_whole (one)
                                  ? codec_encode (&command_record_codec, &one->record)
                                  : (packed_t){0});
    }
}

static void want_reservations (ledger_tables_t *self)
{
    const replay_reservation_t *one;
    for (const char *after = NULL; (one = ledger_replay_reservation (self->replay, after));
         after = one->id) {
        replay_key_t key = {.table = TABLE_RESERVATIONS, .key_size = strlen (one->id)};
        memcpy (key.key, one->id, key.key_size);
        if (!one->found || ledger_replay_whole (self->replay))
            ledger_tables_want (
              self, &key,
              one->found ? (packed_t){0} : codec_encode (&reservation_record_codec, &one->record));
    }
}

static void want_kept (ledger_tables_t *self)
{
    const replay_kept_t *one;
    for (const replay_key_t *after = NULL; (one = ordered_after (self->replay->kept, after));
         after = &one->key)
        if (!one->gone && ledger_replay_knows (self->replay, one->row))
            ledger_tables_want (self, &one->key, packed_copy (packed_bytes (one->record)));
}

ledger_tables_t *ledger_tables_new (const ledger_replay_t *replay, const ledger_mender_t *mender)
{
    ledger_tables_t *self = must (calloc (1, sizeof *self));
    self->replay = replay;
    self->mender = *mender;
    self->wanted = ordered_new (replay_key_compare);
    want_commands (self);
    want_reservations (self);
    want_kept (self);
    return self;
}

void ledger_tables_destroy (ledger_tables_t **self_p)
{
    ledger_tables_t *self = *self_p;
    if (!self)
        return;
    ordered_end (&self->wanted, wanted_free);
    free (self);
    *self_p = NULL;
}

/*  --- telling --- */

/*  "command 3fa9c2d1-7-42", "the closed claim alice r1@g1". */
#define NAME_TEXT_BYTES (REPLAY_KEY_BYTES + 32)

static const char *ledger_tables_name_of (uint8_t table, bytes_t key, char text [NAME_TEXT_BYTES])
{
    static const char *const words [TABLES_MAX] = {
      [TABLE_COMMANDS] = "command",    [TABLE_RESERVATIONS] = "reservation",
      [TABLE_CLAIMS] = "closed claim", [TABLE_DECISIONS] = "decision",
      [TABLE_CAPACITIES] = "capacity", [TABLE_USES] = "use",
    };
    txid_t txid;
    char id [TXID_TEXT_BYTES];
    bool by_txid = table == TABLE_COMMANDS || table == TABLE_DECISIONS;
    if (by_txid && txid_unpack (&txid, key)) {
        snprintf (text, NAME_TEXT_BYTES, "%s %s", words [table], txid_text (&txid, id));
        return text;
    }
    size_t used = (size_t) snprintf (text, NAME_TEXT_BYTES, "%s ", words [table]);
    for (size_t i = 0; i < key.size && used + 1 < NAME_TEXT_BYTES; i++) {
        bool printable = key.data [i] > ' ' && key.data [i] < 0x7f;
        text [used++] = printable ? (char) key.data [i] : key.data [i] ? '?' : ' ';
    }
    text [used] = '\0';
    return text;
}

__attribute__ ((format (printf, 3, 4))) static void tell (ledger_tables_t *self, bool mended,
                                                          const char *format, ...)
{
    char sentence [512];
    format_rest (sentence, sizeof sentence, format);
    self->differences++;
    self->mender.tell (self->mender.owner, mended, sentence);
}

static bytes_t ledger_tables_key_of (const ledger_tables_wanted_t *wanted)
{
    return (bytes_t){.data = wanted->key.key, .size = wanted->key.key_size};
}

static bool ledger_tables_put (ledger_tables_t *self, const ledger_tables_wanted_t *wanted)
{
    if (!self->mender.put || !wanted->value.data)
        return false;
    self->mender.put (self->mender.owner, wanted->key.table, ledger_tables_key_of (wanted),
                      packed_bytes (wanted->value));
    return true;
}

/*  --- records --- */

/*  A capacity is on record while it was set to something else than what is configured. */
static void judge_capacity (ledger_tables_t *self, bytes_t key, bytes_t value, bool sound)
{
    char name [NAME_BYTES_MAX + 1] = "";
    if (key.size <= NAME_BYTES_MAX)
        memcpy (name, key.data, key.size);
    uint8_t bytes [4];
    const replay_resource_t *one = ledger_replay_named (self->replay, name);
    if (!one || !one->known) {
        if (!sound)
            tell (self, false,
                  "the record of the capacity of %s is damaged, and no row tells the capacity",
                  name);
        return;
    }
    int64_t quantity = one->quantity + one->missing; /* as configured, or set */
    number_put (bytes, (uint64_t) quantity, sizeof bytes);
    if (sound && value.size == sizeof bytes && memcmp (value.data, bytes, sizeof bytes) == 0)
        return;
    ledger_tables_wanted_t wanted = {.value = {.data = bytes, .size = sizeof bytes}};
    replay_key (&wanted.key, TABLE_CAPACITIES, key);
    tell (self, ledger_tables_put (self, &wanted),
          "the recorded capacity of %s %s: by its ledger it is %" PRId64, name,
          sound ? "differs" : "is damaged", quantity);
}

static bool ledger_tables_judged (uint8_t table)
{
    return table == TABLE_COMMANDS || table == TABLE_RESERVATIONS || table == TABLE_CLAIMS ||
           table == TABLE_DECISIONS || table == TABLE_USES;
}

/*  No row mentions the record. A damaged one is rubbish if no row is missing; anything else may be
 *  a promise. */
static void judge_unknown (ledger_tables_t *self, uint8_t table, bytes_t key, bool sound)
{
    const replay_figures_t *figures = &self->replay->figures;
    char text [NAME_TEXT_BYTES];
    if (sound && (figures->first != 1 || !ledger_replay_whole (self->replay)))
        return; /* from before the first row, or of rows that are missing */
    bool rubbish = !sound && figures->first == 1 && figures->broken == 0 && self->mender.put;
    if (rubbish)
        self->mender.put (self->mender.owner, table, key, (bytes_t){0});
    tell (self, rubbish, "%s: %s, and no row mentions it", ledger_tables_name_of (table, key, text),
          sound ? "it is in the store" : "its record is damaged");
}

static bool same_bytes (packed_t wanted, bytes_t value)
{
    return wanted.size == value.size && memcmp (wanted.data, value.data, value.size) == 0;
}

/*  A reservation is kept until its longest version has ended, and that one, as what it had when it
 *  was released, may lie before the first row. Older stores don't keep the latter. */
static bool ledger_tables_same (const ledger_tables_t *self, const ledger_tables_wanted_t *wanted,
                                bytes_t value)
{
    char why [WHY_BYTES];
    reservation_record_t stored;
    if (!wanted->value.data || same_bytes (wanted->value, value))
        return true;
    const replay_reservation_t *one =
      wanted->key.table == TABLE_RESERVATIONS
        ? ledger_replay_find (self->replay, ledger_tables_key_of (wanted))
        : NULL;
    if (!one || !codec_decode (&reservation_record_codec, &stored, value, why))
        return false;
    reservation_record_t longer = one->record;
    if (one->continued && longer.until_ms < stored.until_ms)
        longer.until_ms = stored.until_ms;
    if (stored.released && (one->continued || stored.was.size == 0)) {
        longer.was = stored.was;
        longer.part_kind = stored.part_kind;
    }
    packed_t packed = codec_encode (&reservation_record_codec, &longer);
    bool same = same_bytes (packed, value);
    free (packed.data);
    codec_clear (&reservation_record_codec, &stored);
    return same;
}

void ledger_tables_record (ledger_tables_t *self, uint8_t table, bytes_t key, bytes_t value,
                           bool sound)
{
    if (table == TABLE_CAPACITIES)
        judge_capacity (self, key, value, sound);
    bool mark =
      table == TABLE_DECISIONS && key.size != TXID_BYTES; /* the mark that it is busy is no
                                                             promise */
    if (!ledger_tables_judged (table) || (mark && sound))
        return;
    replay_key_t asked;
    char text [NAME_TEXT_BYTES];
    ledger_tables_wanted_t *wanted =
      replay_key (&asked, table, key) ? ordered_remove (self->wanted, &asked) : NULL;
    if (!wanted) {
        judge_unknown (self, table, key, sound);
        return;
    }
    if (!sound || !ledger_tables_same (self, wanted, value))
        tell (self, ledger_tables_put (self, wanted), "%s: its record %s",
              ledger_tables_name_of (table, key, text),
              sound ? "differs from its ledger" : "is damaged");
    wanted_free (wanted);
}

size_t ledger_tables_end (ledger_tables_t *self)
{
    char text [NAME_TEXT_BYTES];
    const replay_key_t *after = NULL;
    for (const ledger_tables_wanted_t *wanted; (wanted = ordered_after (self->wanted, after));
         after = &wanted->key)
        tell (self, ledger_tables_put (self, wanted), "%s: its record is missing",
              ledger_tables_name_of (wanted->key.table, ledger_tables_key_of (wanted), text));
    return self->differences;
}
