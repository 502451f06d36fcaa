/*  fuzz_ledger - any bytes as a saved ledger, as a page of one, or as the rows of a store: they are
 *  read, or refused with a message, and then replayed. The first byte says which:
 *
 *      f   a file, as cli/ledger_file writes it
 *      a   the body of an answer of Ledger.Rows
 *      r   rows, each after its length in two bytes; when the highest bit of the length is set, a
 *          sound row gets the right number and digest, so that the fuzzer gets past those checks
 *
 *  Two replays of the same rows give the same; at both ends of time nothing is booked; and
 *  records that were rebuilt by a replay don't change when they are rebuilt again. */
#include "fuzzing.h"
#include "ledger_audit.h"
#include "ledger_file.h"
#include "ledger_replay.h"
#include "ledger_tables.h"
#include "message.h"
#include "must.h"
#include "record_fetch.h"

#include "ledger.pb-c.h"

#include <sodium.h>
#include <sys/mman.h>
#include <unistd.h>

#define RECORDS_MAX 256

typedef struct {
    uint8_t table;
    packed_t key;
    packed_t value;
} ledger_record_t;

typedef struct {
    ledger_replay_t *replay;
    ledger_replay_t *again;
    uint64_t sentences [2]; /* told by each */
    uint8_t words [2][32];  /* what they told, chained */
    FILE *copy;             /* of the rows of a file; NULL = none */
    uint64_t number;        /* of the last row that was given; for rows only */
    uint8_t before [LEDGER_DIGEST_BYTES];
    ledger_record_t records [RECORDS_MAX];
    size_t records_count;
    size_t mended;
} ledger_trial_t;

static void tell (ledger_trial_t *self, int which, const char *sentence)
{
    crypto_generichash_state state;
    size_t size = strlen (sentence);
    REQUIRE (size > 0);
    self->sentences [which]++;
    crypto_generichash_init (&state, NULL, 0, sizeof self->words [which]);
    crypto_generichash_update (&state, self->words [which], sizeof self->words [which]);
    crypto_generichash_update (&state, (const uint8_t *) sentence, size);
    crypto_generichash_final (&state, self->words [which], sizeof self->words [which]);
}

static void tell_first (void *owner, const char *sentence)
{
    tell (owner, 0, sentence);
}

static void tell_again (void *owner, const char *sentence)
{
    tell (owner, 1, sentence);
}

static void take_row (void *owner, bytes_t row)
{
    ledger_trial_t *self = owner;
    bool read = ledger_replay_row (self->replay, row);
    REQUIRE (ledger_replay_row (self->again, row) == read);
    if (self->copy)
        ledger_file_row (self->copy, row);
}

/*  --- where rows come from --- */

static char *memory_path (int file, char path [64])
{
    if (file < 0)
        abort ();
    snprintf (path, 64, "/proc/self/fd/%d", file);
    return path;
}

static int memory_file (const uint8_t *data, size_t size)
{
    int file = memfd_create ("ledger", 0);
    if (file < 0 || write (file, data, size) != (ssize_t) size)
        abort ();
    return file;
}

static void no_row (void *owner, bytes_t row)
{
    (void) owner;
    (void) row;
}

/*  A file that is cut anywhere must be refused. */
static void cut_is_refused (int file, size_t size)
{
    uint8_t store [STORE_ID_BYTES];
    char why [WHY_BYTES] = "";
    char path [64];
    if (ftruncate (file, (off_t) size) != 0)
        abort ();
    REQUIRE (!ledger_file_read (memory_path (file, path), store, no_row, NULL, why));
    REQUIRE (why [0] != '\0');
}

/*  The rows that were read are written as the same bytes. */
static void try_file (ledger_trial_t *self, const uint8_t *data, size_t size)
{
    uint8_t store [STORE_ID_BYTES] = {0};
    char why [WHY_BYTES] = "";
    char path [64];
    char *copy = NULL;
    size_t copy_size = 0;
    int file = memory_file (data, size);
    self->copy = open_memstream (&copy, &copy_size);
    if (!self->copy)
        abort ();
    bool whole = ledger_file_read (memory_path (file, path), store, take_row, self, why);
    fclose (self->copy);
    size_t head = 16 + STORE_ID_BYTES;
    if (whole) {
        REQUIRE (size >= head + copy_size + 4 && memcmp (data + head, copy, copy_size) == 0);
        cut_is_refused (file, head + copy_size + 3);
        cut_is_refused (file, head + copy_size);
        cut_is_refused (file, (head + copy_size) / 2);
    } else {
        REQUIRE (why [0] != '\0' && memchr (why, '\0', sizeof why));
    }
    close (file);
    free (copy);
}

static void try_answer (ledger_trial_t *self, const uint8_t *data, size_t size)
{
    uint64_t last = 0;
    bool more;
    if (rows_read ((bytes_t){.data = data, .size = size}, take_row, self, &last, &more))
        self->number = last;
}

/*  Numbers and chains a row as its process would write it next. */
static void give_chained (ledger_trial_t *self, bytes_t bytes)
{
    ProtobufCMessage *message = message_unpack (&musubi__ledger_row__descriptor, bytes);
    if (!message)
        return;
    Musubi__LedgerRow row = *(const Musubi__LedgerRow *) message;
    row.number = ++self->number;
    row.before = (ProtobufCBinaryData){.len = sizeof self->before, .data = self->before};
    size_t size;
    uint8_t *packed = message_pack (&row.base, &size);
    message_free (message);
    take_row (self, (bytes_t){.data = packed, .size = size});
    crypto_generichash (self->before, sizeof self->before, packed, size, NULL, 0);
    free (packed);
}

static void try_rows (ledger_trial_t *self, const uint8_t *data, size_t size)
{
    while (size >= 2) {
        bool chained = data [0] & 0x80;
        size_t length = (size_t) (data [0] & 0x7f) << 8 | data [1];
        length = length < size - 2 ? length : size - 2;
        bytes_t row = {.data = data + 2, .size = length};
        if (chained)
            give_chained (self, row);
        else
            take_row (self, row);
        data += 2 + length;
        size -= 2 + length;
    }
}

/*  --- what replaying them gives --- */

static packed_t copy_of (bytes_t from)
{
    packed_t copy = {.data = must (malloc (from.size + 1)), .size = from.size};
    if (from.size > 0)
        memcpy (copy.data, from.data, from.size);
    return copy;
}

static void mend_told (void *owner, bool mended, const char *sentence)
{
    ledger_trial_t *self = owner;
    REQUIRE (sentence [0] != '\0');
    self->mended += mended;
}

static void mend_put (void *owner, uint8_t table, bytes_t key, bytes_t value)
{
    ledger_trial_t *self = owner;
    REQUIRE (value.data); /* nothing is there that could be damaged */
    if (self->records_count < RECORDS_MAX)
        self->records [self->records_count++] =
          (ledger_record_t){.table = table, .key = copy_of (key), .value = copy_of (value)};
}

/*  An empty store is rebuilt, and agrees with the ledger then. */
static void mend (ledger_trial_t *self)
{
    ledger_mender_t mender = {.tell = mend_told, .put = mend_put, .owner = self};
    ledger_tables_t *tables = ledger_tables_new (self->replay, &mender);
    ledger_tables_end (tables);
    ledger_tables_destroy (&tables);
    REQUIRE (self->mended == self->records_count || self->records_count == RECORDS_MAX);
    bool all = self->records_count < RECORDS_MAX;
    size_t kept = self->records_count;

    self->mended = 0;
    tables = ledger_tables_new (self->replay, &mender);
    for (size_t i = 0; i < kept; i++) {
        const ledger_record_t *record = &self->records [i];
        ledger_tables_record (tables, record->table, (bytes_t){record->key.data, record->key.size},
                              (bytes_t){record->value.data, record->value.size}, true);
    }
    REQUIRE (self->mended == 0);
    ledger_tables_end (tables);
    REQUIRE (self->mended == 0 || !all);
    ledger_tables_destroy (&tables);
    for (size_t i = 0; i < self->records_count; i++) {
        free (self->records [i].key.data);
        free (self->records [i].value.data);
    }
}

/*  Every booking ends. */
static void ends_free (const ledger_replay_t *replay)
{
    for (size_t n = 0; n < replay->resources_count; n++) {
        const replay_resource_t *one = &replay->resources [n];
        REQUIRE (levels_at (&one->booked, INT64_MAX - 1) == 0);
        REQUIRE (levels_next (&one->booked, INT64_MAX - 1) == INT64_MAX);
        REQUIRE (levels_at (&one->booked, -1) == 0);
    }
}

static void judge_told (void *owner, const char *sentence)
{
    size_t *told = owner;
    REQUIRE (sentence [0] != '\0');
    ++*told;
}

/*  Audits the rows as if they were two ledgers of a federation. */
static void judge (const ledger_trial_t *self)
{
    size_t told = 0;
    audit_ledger_t ledgers [2] = {
      {.name = "lis/one", .store = {1}, .replay = self->replay},
      {.name = "lis/two", .store = {2}, .replay = self->again},
    };
    audit_result_t result = ledger_audit_judge (ledgers, 2, judge_told, &told);
    REQUIRE (result.violations == told);
    REQUIRE (result.committed <= result.transactions);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    static ledger_trial_t self;
    if (size == 0 || !memchr ("far", data [0], 3))
        return FUZZ_UNWANTED;
    self = (ledger_trial_t){0};
    self.replay = ledger_replay_new (tell_first, &self);
    self.again = ledger_replay_new (tell_again, &self);
    if (data [0] == 'f')
        try_file (&self, data + 1, size - 1);
    else if (data [0] == 'a')
        try_answer (&self, data + 1, size - 1);
    else
        try_rows (&self, data + 1, size - 1);
    ledger_replay_end (self.replay, self.number);
    ledger_replay_end (self.again, self.number);
    REQUIRE (self.sentences [0] == self.sentences [1]);
    REQUIRE (memcmp (self.words [0], self.words [1], sizeof self.words [0]) == 0);
    REQUIRE (self.replay->figures.violations == self.sentences [0]);
    ends_free (self.replay);
    mend (&self);
    judge (&self);
    ledger_replay_destroy (&self.replay);
    ledger_replay_destroy (&self.again);
    return 0;
}
