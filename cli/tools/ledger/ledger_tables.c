/*  ledger_tables - what must be there, by table and key; each record takes its own out. */
#include "ledger_tables.h"

#include "ledger_replay_wire.h"
#include "must.h"
#include "ordered.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_BYTES_MAX (NAME_BYTES_MAX + REQUEST_ID_BYTES_MAX + 2)

/*  A record that must be there. value NULL: it must, and what it says is not known. */
typedef struct {
    uint8_t table;
    uint8_t key [KEY_BYTES_MAX];
    size_t key_size;
    packed_t value;
} wanted_t;

struct ledger_tables {
    const ledger_replay_t *replay;
    ledger_mender_t mender;
    ordered_t *wanted;
    size_t differences;
};

static int by_table_and_key (const void *key, const void *thing)
{
    const wanted_t *a = key;
    const wanted_t *b = thing;
    if (a->table != b->table)
        return a->table < b->table ? -1 : 1;
    int order = memcmp (a->key, b->key, a->key_size < b->key_size ? a->key_size : b->key_size);
    if (order != 0)
        return order;
    return (a->key_size > b->key_size) - (a->key_size < b->key_size);
}

static void want (ledger_tables_t *self, uint8_t table, bytes_t key, bytes_t value)
{
    wanted_t *wanted = must (calloc (1, sizeof *wanted));
    assert (key.size <= sizeof wanted->key);
    wanted->table = table;
    wanted->key_size = key.size;
    memcpy (wanted->key, key.data, key.size);
    if (value.data) {
        wanted->value = (packed_t){.data = must (malloc (value.size + 1)), .size = value.size};
        memcpy (wanted->value.data, value.data, value.size);
    }
    ordered_add (self->wanted, wanted, wanted);
}

static void wanted_free (wanted_t *self)
{
    free (self->value.data);
    free (self);
}

static bytes_t text_key (const char *text)
{
    return (bytes_t){.data = (const uint8_t *) text, .size = strlen (text)};
}

/*  --- what the replay has --- */

/*  Told whole: a plan, or a tombstone that was seen from its beginning. */
static bool whole (const replay_command_t *command)
{
    stored_command_t stored;
    if (!stored_command_read (&stored, command->stored))
        return false;
    bool known = stored.plan.size > 0 || !command->found;
    stored_command_end (&stored);
    return known;
}

static void want_commands (ledger_tables_t *self)
{
    replay_command_t command;
    txid_t last;
    for (const txid_t *after = NULL; ledger_replay_command (self->replay, after, &command);
         after = &last) {
        uint8_t key [TXID_BYTES];
        last = command.txid;
        txid_pack (&command.txid, key);
        if (!command.gone)
            want (self, TABLE_COMMANDS, (bytes_t){.data = key, .size = sizeof key},
                  whole (&command) ? command.stored : (bytes_t){0});
    }
}

static void want_reservations (ledger_tables_t *self)
{
    replay_reservation_t standing;
    for (const char *after = NULL; ledger_replay_reservation (self->replay, after, &standing);
         after = standing.id) {
        packed_t packed =
          stored_reservation_pack (&(stored_reservation_t){.owner = standing.owner,
                                                           .version = standing.version,
                                                           .made_by = standing.made_by,
                                                           .part_kind = standing.part_kind,
                                                           .part = standing.part,
                                                           .released = standing.released,
                                                           .failed = standing.failed,
                                                           .until_ms = standing.until_ms,
                                                           .plan = standing.plan});
        want (self, TABLE_RESERVATIONS, text_key (standing.id),
              standing.found ? (bytes_t){0} : (bytes_t){.data = packed.data, .size = packed.size});
        free (packed.data);
    }
}

static void want_claims (ledger_tables_t *self)
{
    replay_closed_t closed;
    for (const char *after = NULL; ledger_replay_closed (self->replay, after, &closed);
         after = closed.key) {
        uint8_t key [KEY_BYTES_MAX];
        size_t size = strlen (closed.key);
        memcpy (key, closed.key, size);
        *(uint8_t *) memchr (key, '\n', size) = '\0';
        want (self, TABLE_CLAIMS, (bytes_t){.data = key, .size = size}, closed.record);
    }
}

static void want_decisions (ledger_tables_t *self)
{
    replay_decision_t decision;
    txid_t last;
    for (const txid_t *after = NULL; ledger_replay_decision (self->replay, after, &decision);
         after = &last) {
        uint8_t key [TXID_BYTES];
        last = decision.txid;
        txid_pack (&decision.txid, key);
        if (!decision.gone)
            want (self, TABLE_DECISIONS, (bytes_t){.data = key, .size = sizeof key},
                  decision.record);
    }
}

static void want_uses (ledger_tables_t *self)
{
    replay_use_t use;
    for (const char *after = NULL; ledger_replay_use (self->replay, after, &use);
         after = use.reservation)
        want (self, TABLE_USES, text_key (use.reservation), use.record);
}

ledger_tables_t *ledger_tables_new (const ledger_replay_t *replay, const ledger_mender_t *mender)
{
    ledger_tables_t *self = must (calloc (1, sizeof *self));
    self->replay = replay;
    self->mender = *mender;
    self->wanted = ordered_new (by_table_and_key);
    want_commands (self);
    want_reservations (self);
    want_claims (self);
    want_decisions (self);
    want_uses (self);
    return self;
}

void ledger_tables_destroy (ledger_tables_t **self_p)
{
    ledger_tables_t *self = *self_p;
    if (!self)
        return;
    for (wanted_t *wanted; (wanted = ordered_after (self->wanted, NULL));) {
        ordered_remove (self->wanted, wanted);
        wanted_free (wanted);
    }
    ordered_destroy (&self->wanted);
    free (self);
    *self_p = NULL;
}

/*  --- telling --- */

/*  "command 3fa9c2d1-7-42", "the closed claim alice r1@g1". */
#define NAME_TEXT_BYTES (KEY_BYTES_MAX + 32)

static const char *name_of (uint8_t table, bytes_t key, char text [NAME_TEXT_BYTES])
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

static void tell (ledger_tables_t *self, bool mended, const char *format, ...)
  __attribute__ ((format (printf, 3, 4)));

static void tell (ledger_tables_t *self, bool mended, const char *format, ...)
{
    char sentence [512];
    va_list args;
    va_start (args, format);
    vsnprintf (sentence, sizeof sentence, format, args);
    va_end (args);
    self->differences++;
    self->mender.tell (self->mender.owner, mended, sentence);
}

static bool put (ledger_tables_t *self, const wanted_t *wanted)
{
    if (!self->mender.put || !wanted->value.data)
        return false;
    self->mender.put (self->mender.owner, wanted->table,
                      (bytes_t){.data = wanted->key, .size = wanted->key_size},
                      (bytes_t){.data = wanted->value.data, .size = wanted->value.size});
    return true;
}

/*  --- records --- */

/*  The quantity that was set, while it is not the one configured. */
static void judge_capacity (ledger_tables_t *self, bytes_t key, bytes_t value, bool sound)
{
    char name [NAME_BYTES_MAX + 1] = "";
    int64_t quantity;
    if (key.size <= NAME_BYTES_MAX)
        memcpy (name, key.data, key.size);
    uint8_t bytes [4];
    bool told = ledger_replay_set (self->replay, name, &quantity);
    for (int i = 0; told && i < 4; i++)
        bytes [i] = (uint8_t) ((uint64_t) quantity >> (24 - 8 * i));
    if (!told) {
        if (!sound)
            tell (self, false, "the capacity of %s is damaged, and no row tells it", name);
        return;
    }
    if (sound && value.size == sizeof bytes && memcmp (value.data, bytes, sizeof bytes) == 0)
        return;
    wanted_t wanted = {.table = TABLE_CAPACITIES,
                       .key_size = key.size,
                       .value = {.data = bytes, .size = sizeof bytes}};
    memcpy (wanted.key, key.data, key.size);
    tell (self, put (self, &wanted), "the capacity of %s %s: by its ledger there are %" PRId64,
          name, sound ? "is another one" : "is damaged", quantity);
}

static bool judged (uint8_t table)
{
    return table == TABLE_COMMANDS || table == TABLE_RESERVATIONS || table == TABLE_CLAIMS ||
           table == TABLE_DECISIONS || table == TABLE_USES;
}

/*  No row tells of it. What is damaged and nobody's is rubbish, if no row is missing; anything else
 *  may be a promise. */
static void judge_unknown (ledger_tables_t *self, uint8_t table, bytes_t key, bool sound)
{
    replay_figures_t figures = ledger_replay_figures (self->replay);
    char text [NAME_TEXT_BYTES];
    if (figures.first != 1 && sound)
        return; /* from before the first row */
    bool rubbish = !sound && figures.first == 1 && figures.broken == 0 && self->mender.erase;
    if (rubbish)
        self->mender.erase (self->mender.owner, table, key);
    tell (self, rubbish, "%s: %s, and no row tells of it", name_of (table, key, text),
          sound ? "it is in the store" : "its record is damaged");
}

void ledger_tables_record (ledger_tables_t *self, uint8_t table, bytes_t key, bytes_t value,
                           bool sound)
{
    if (table == TABLE_CAPACITIES)
        judge_capacity (self, key, value, sound);
    bool mark =
      table == TABLE_DECISIONS && key.size != TXID_BYTES; /* that it is busy: no promise */
    if (!judged (table) || (mark && sound))
        return;
    wanted_t asked = {.table = table, .key_size = key.size};
    wanted_t *wanted = NULL;
    char text [NAME_TEXT_BYTES];
    if (key.size <= sizeof asked.key) {
        memcpy (asked.key, key.data, key.size);
        wanted = ordered_remove (self->wanted, &asked);
    }
    if (!wanted) {
        judge_unknown (self, table, key, sound);
        return;
    }
    bool same =
      sound && (!wanted->value.data || (wanted->value.size == value.size &&
                                        memcmp (wanted->value.data, value.data, value.size) == 0));
    if (!same)
        tell (self, put (self, wanted), "%s: its record %s", name_of (table, key, text),
              sound ? "says another thing than its ledger" : "is damaged");
    wanted_free (wanted);
}

size_t ledger_tables_end (ledger_tables_t *self)
{
    char text [NAME_TEXT_BYTES];
    for (const wanted_t *wanted = NULL; (wanted = ordered_after (self->wanted, wanted));)
        tell (
          self, put (self, wanted), "%s: its record is missing",
          name_of (wanted->table, (bytes_t){.data = wanted->key, .size = wanted->key_size}, text));
    return self->differences;
}
