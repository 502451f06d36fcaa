/*  rebuild - replays the rows, then makes the records what the rows come to. */
#include "rebuild.h"

#include "ledger_file.h"
#include "ledger_tables.h"
#include "ledger_wire.h"
#include "must.h"
#include "store.h"

#include <assert.h>
#include <inttypes.h>
#include <sodium.h>
#include <sys/stat.h>

#define PAGE_ROWS 1024

/*  A row, of the store or of the file. */
typedef struct {
    uint64_t number;
    packed_t bytes;
} kept_row_t;

typedef struct {
    kept_row_t *list;
    size_t count;
    size_t room;
} kept_rows_t;

/*  A record to be written. value NULL: deleted. */
typedef struct {
    uint8_t table;
    packed_t key;
    packed_t value;
} rebuild_change_t;

typedef struct {
    const cli_t *cli;
    bool anew; /* into a folder without a store: what is written is not listed */
    store_t *store;
    uint8_t file_store [STORE_ID_BYTES];
    kept_rows_t own;  /* of the store */
    bool more;        /* of them are to be read */
    kept_rows_t file; /* of the saved ledger */
    ledger_replay_t *replay;
    ledger_tables_t *tables;
    rebuild_change_t *changes;
    size_t changes_count;
    size_t changes_room;
    json_t *mended; /* sentences */
    json_t *left;
} rebuild_t;

static void note_sentence (void *owner, bool mended, const char *sentence)
{
    rebuild_t *self = owner;
    json_array_append_new (mended ? self->mended : self->left, json_string (sentence));
    if (!self->cli->json && !(mended && self->anew))
        printf ("%s %s\n", mended ? "MENDED" : "LEFT", sentence);
}

__attribute__ ((format (printf, 3, 4))) static void note (rebuild_t *self, bool mended,
                                                          const char *format, ...)
{
    char sentence [640];
    format_rest (sentence, sizeof sentence, format);
    note_sentence (self, mended, sentence);
}

/*  --- rows --- */

static void keep_row (kept_rows_t *rows, uint64_t number, bytes_t bytes)
{
    rows->list = must_grow (rows->list, rows->count, &rows->room, sizeof *rows->list);
    rows->list [rows->count++] = (kept_row_t){.number = number, .bytes = packed_copy (bytes)};
}

static void rows_clear (kept_rows_t *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        free (rows->list [i].bytes.data);
    free (rows->list);
}

static void take_file_row (void *owner, bytes_t bytes)
{
    rebuild_t *self = owner;
    ledger_row_t row;
    char why [WHY_BYTES];
    if (codec_decode_fields (&ledger_row_codec, &row, bytes, why)) /* else damaged when saved */
        keep_row (&self->file, row.number, bytes);
    codec_clear (&ledger_row_codec, &row);
}

static uint64_t last_of (const kept_rows_t *rows)
{
    return rows->count > 0 ? rows->list [rows->count - 1].number : 0;
}

static void rebuild_take_page (void *owner, const row_t *rows, size_t count, bool more)
{
    rebuild_t *self = owner;
    for (size_t i = 0; i < count; i++) {
        uint64_t number = ledger_number (rows [i].key);
        if (number > last_of (&self->own)) /* else the key was damaged, too */
            keep_row (&self->own, number, rows [i].value);
    }
    self->more = more && count > 0;
}

static bool read_own (rebuild_t *self)
{
    do {
        uint8_t key [LEDGER_KEY_BYTES];
        number_put (key, self->own.count > 0 ? last_of (&self->own) + 1 : 0, sizeof key);
        read_order_t order = {.table = TABLE_LEDGER,
                              .from = {.data = key, .size = sizeof key},
                              .most = PAGE_ROWS,
                              .bytes = BODY_BYTES_MAX};
        if (store_read (self->store, &order, rebuild_take_page, self) != STORE_OK)
            return false;
    } while (self->more);
    return true;
}

static void rebuild_change (void *owner, uint8_t table, bytes_t key, bytes_t value)
{
    rebuild_t *self = owner;
    self->changes =
      must_grow (self->changes, self->changes_count, &self->changes_room, sizeof *self->changes);
    self->changes [self->changes_count++] =
      (rebuild_change_t){.table = table, .key = packed_copy (key), .value = packed_copy (value)};
}

static void rebuild_put_row (rebuild_t *self, uint64_t number, bytes_t bytes)
{
    uint8_t key [LEDGER_KEY_BYTES];
    number_put (key, number, sizeof key);
    rebuild_change (self, TABLE_LEDGER, (bytes_t){.data = key, .size = sizeof key}, bytes);
}

/*  Does the next row hold the digest of this one? */
static bool rebuild_named (const kept_rows_t *rows, size_t next, const kept_row_t *row)
{
    uint8_t digest [LEDGER_DIGEST_BYTES];
    ledger_row_t after;
    char why [WHY_BYTES];
    if (next >= rows->count || rows->list [next].number != row->number + 1 ||
        !codec_decode_fields (&ledger_row_codec, &after, packed_bytes (rows->list [next].bytes),
                              why))
        return false;
    crypto_generichash (digest, sizeof digest, row->bytes.data, row->bytes.size, NULL, 0);
    bool same = memcmp (after.before, digest, sizeof digest) == 0;
    codec_clear (&ledger_row_codec, &after);
    return same;
}

/*  Replays the rows in order. A row that is missing, damaged or different in the store is taken
 *  from the file and written back: rows never change, and what damaged the store could not reach
 *  the file. But the file may be damaged, too, so a row of the store stays if the next row holds
 *  its digest. */
static void replay_rows (rebuild_t *self)
{
    size_t own = 0;
    size_t file = 0;
    while (own < self->own.count || file < self->file.count) {
        const kept_row_t *row = own < self->own.count ? &self->own.list [own] : NULL;
        const kept_row_t *saved = file < self->file.count ? &self->file.list [file] : NULL;
        bool own_row = row && (!saved || row->number <= saved->number);
        bool file_row = saved && (!own_row || row->number == saved->number);
        bool differs = own_row && file_row &&
                       (row->bytes.size != saved->bytes.size ||
                        memcmp (row->bytes.data, saved->bytes.data, row->bytes.size) != 0);
        bool kept = differs && rebuild_named (&self->own, own + 1, row);
        if (differs && !kept && own + 1 == self->own.count) {
            note (self, false,
                  "row %" PRIu64 ": differs from the saved ledger, and no row after it tells which "
                  "is right: the store's row is kept",
                  row->number);
            kept = true;
        }
        if (file_row && (!own_row || (differs && !kept))) {
            note (self, true, "row %" PRIu64 ": taken from the saved ledger", saved->number);
            rebuild_put_row (self, saved->number, packed_bytes (saved->bytes));
            row = saved;
        }
        assert (row); /* one of them has not come to its end */
        ledger_replay_row (self->replay, packed_bytes (row->bytes));
        own += own_row;
        file += file_row;
    }
    ledger_replay_end (self->replay, self->replay->figures.last);
}

/*  --- records --- */

static void rebuild_tell_row (void *owner, const char *sentence)
{
    note (owner, false, "the ledger: %s", sentence);
}

static bool rebuild_take_record (void *owner, uint8_t table, bytes_t key, bytes_t value, bool sound)
{
    rebuild_t *self = owner;
    ledger_tables_record (self->tables, table, key, value, sound);
    return true;
}

/*  Lists the votes without a decision, which only a coordinator can end. */
static void tell_doubts (rebuild_t *self)
{
    const replay_command_t *one;
    for (const txid_t *after = NULL; (one = ordered_after (self->replay->commands, after));
         after = &one->txid) {
        plan_t plan;
        char why [WHY_BYTES];
        char text [TXID_TEXT_BYTES];
        if (one->gone || (one->state != COMMAND_PREPARED && one->state != COMMAND_EDGE) ||
            !codec_decode (&plan_codec, &plan, packed_bytes (one->record.plan), why))
            continue;
        note (self, false,
              "%s of %s is %s: once this store is served, its service asks %s how it ends; if "
              "that planner is gone for good, run musubi txn resolve --fence",
              txid_text (&one->txid, text), plan.reservation, command_state_word (one->state),
              plan.coordinator.name);
        codec_clear (&plan_codec, &plan);
    }
}

/*  --- writing --- */

static bool write_changes (rebuild_t *self)
{
    if (self->changes_count == 0)
        return true;
    store_answer_t answer = store_begin (self->store);
    for (size_t i = 0; answer == STORE_OK && i < self->changes_count; i++) {
        const rebuild_change_t *one = &self->changes [i];
        answer = one->value.data ? store_put (self->store, one->table, packed_bytes (one->key),
                                              packed_bytes (one->value))
                                 : store_delete (self->store, one->table, packed_bytes (one->key));
    }
    return answer == STORE_OK && store_flush (self->store, cli_wall_ms ()) == STORE_OK;
}

/*  The new store goes on from the old one's last row. */
static void put_adopted (rebuild_t *self)
{
    uint8_t before [LEDGER_DIGEST_BYTES] = {0};
    const kept_row_t *last = &self->file.list [self->file.count - 1];
    ledger_place_t place = {.number = last->number + 1,
                            .before = before,
                            .start = store_facts (self->store)->identity.start,
                            .wall_ms = cli_wall_ms ()};
    crypto_generichash (before, sizeof before, last->bytes.data, last->bytes.size, NULL, 0);
    packed_t row = ledger_row_encode (
      &place,
      &(ledger_entry_t){.kind = LEDGER_ADOPTED, .caller = "", .old_store = self->file_store});
    rebuild_put_row (self, place.number, packed_bytes (row));
    free (row.data);
}

static void tell_adopted (rebuild_t *self)
{
    note (self, false,
          "the store has a new id. Before it is served, make sure that the old one never will be "
          "again. Then set again the capacities that an administrator had changed, and run musubi "
          "audit: it names what others have committed and the saved ledger does not mention");
}

/*  --- the whole --- */

static bool has_store (const char *folder)
{
    char path [512];
    struct stat found;
    snprintf (path, sizeof path, "%s/store.mdb", folder);
    return stat (path, &found) == 0;
}

static int rebuild_open_store (rebuild_t *self, const char *folder)
{
    uint8_t entropy [STORE_ID_BYTES];
    char why [WHY_BYTES];
    randombytes_buf (entropy, sizeof entropy);
    switch (store_open (&self->store, folder, STORE_BYTES_DEFAULT, entropy, cli_wall_ms (), why)) {
    case STORE_OK:
        return EXIT_DONE;
    case STORE_LOCKED:
        return cli_fail (EXIT_USAGE, "audit: %s is being served: stop its process first", folder);
    default:
        return cli_fail (EXIT_REFUSED,
                         "audit: %s: %s. What can't be opened can't be rebuilt in place: rebuild a "
                         "saved ledger (--from FILE) into an empty folder",
                         folder, why);
    }
}

/*  Can this store be repaired from the file? */
static int rebuild_check_file (rebuild_t *self, const char *folder, const char *from)
{
    if (memcmp (self->file_store, store_facts (self->store)->identity.id, STORE_ID_BYTES) != 0)
        return cli_fail (EXIT_USAGE, "audit: %s is the ledger of another store than %s", from,
                         folder);
    if (last_of (&self->file) > last_of (&self->own))
        return cli_fail (EXIT_REFUSED,
                         "audit: %s has rows up to %" PRIu64 ", but %s ends at row %" PRIu64
                         ": the store is an old copy and has forgotten promises. Rebuild the file "
                         "into an empty folder instead",
                         from, last_of (&self->file), folder, last_of (&self->own));
    return EXIT_DONE;
}

static int rebuild_read_file (rebuild_t *self, const char *from)
{
    char why [WHY_BYTES];
    if (!ledger_file_read (from, self->file_store, take_file_row, self, why))
        return cli_fail (EXIT_USAGE, "audit: %s: %s", from, why);
    if (self->file.count == 0)
        return cli_fail (EXIT_USAGE, "audit: %s: the saved ledger has no rows", from);
    return EXIT_DONE;
}

static void rebuild_end (rebuild_t *self)
{
    ledger_tables_destroy (&self->tables);
    ledger_replay_destroy (&self->replay);
    for (size_t i = 0; i < self->changes_count; i++) {
        free (self->changes [i].key.data);
        free (self->changes [i].value.data);
    }
    free (self->changes);
    rows_clear (&self->own);
    rows_clear (&self->file);
    store_close (&self->store);
    json_decref (self->mended);
    json_decref (self->left);
}

static int make_whole (rebuild_t *self)
{
    ledger_mender_t mender = {.tell = note_sentence, .put = rebuild_change, .owner = self};
    self->replay = ledger_replay_new (rebuild_tell_row, self);
    replay_rows (self);
    self->tables = ledger_tables_new (self->replay, &mender);
    if (store_each (self->store, rebuild_take_record, self) != STORE_OK)
        return cli_fail (EXIT_REFUSED, "audit: %s", store_facts (self->store)->why);
    ledger_tables_end (self->tables);
    tell_doubts (self);
    if (self->anew) {
        put_adopted (self);
        tell_adopted (self);
    }
    if (!write_changes (self))
        return cli_fail (EXIT_REFUSED, "audit: nothing is written: %s",
                         store_facts (self->store)->why);
    size_t left = json_array_size (self->left);
    uint64_t rows = self->replay->figures.rows;
    if (!cli_json (self->cli, json_pack ("{s:I, s:O, s:O}", "rows", (json_int_t) rows, "mended",
                                         self->mended, "left", self->left)))
        printf ("%" PRIu64 " rows: %zu %s, %zu left to you\n", rows, json_array_size (self->mended),
                self->anew ? "written" : "mended", left);
    return left > 0 ? EXIT_REFUSED : EXIT_DONE;
}

int rebuild_run (const cli_t *cli, const char *store, const char *from)
{
    bool anew = !has_store (store);
    if (anew && !from)
        return cli_fail (
          EXIT_USAGE,
          "audit: there is no store in %s; with --from FILE one is made of a saved ledger", store);
    rebuild_t self = {.cli = cli, .anew = anew, .mended = json_array (), .left = json_array ()};
    int code = from ? rebuild_read_file (&self, from) : EXIT_DONE;
    if (code == EXIT_DONE)
        code = rebuild_open_store (&self, store);
    if (code == EXIT_DONE && !read_own (&self))
        code = cli_fail (EXIT_REFUSED, "audit: %s", store_facts (self.store)->why);
    if (code == EXIT_DONE && from && !anew)
        code = rebuild_check_file (&self, store, from);
    if (code == EXIT_DONE)
        code = make_whole (&self);
    rebuild_end (&self);
    return code;
}
