/*  store_watch - is the file still the one that was opened, with the contents that were put? It
 *  is checked at each write, all records are read slowly in the background, and a last log line
 *  is written when the kernel reports that the file can't be read.
 */
#include "store_state.h"

#include "log.h"
#include "must.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXIT_MACHINE 1

/*  --- the file --- */

#define REMEDY                                                                                     \
    "started again, this service goes on with the file that is there then; to keep the old one, "  \
    "put it back first"

store_answer_t store_look (store_t *self)
{
    struct stat file;
    const char *path = self->path;
    if (stat (path, &file) != 0)
        return errno == ENOENT || errno == ENOTDIR
                 ? store_fail (self->facts.why, STORE_DAMAGED,
                               "%.120s was deleted or moved while it was served; " REMEDY, path)
                 : store_fail_errno (self->facts.why, "cannot examine", path);
    if (self->inode == 0) { /* the first look */
        self->device = file.st_dev;
        self->inode = file.st_ino;
    }
    if (file.st_dev != self->device || file.st_ino != self->inode)
        return store_fail (self->facts.why, STORE_DAMAGED,
                           "%.120s was replaced by another file while it was served; " REMEDY,
                           path);
    if (file.st_size < self->file_bytes)
        return store_fail (self->facts.why, STORE_DAMAGED,
                           "%.120s was cut from %lld to %lld bytes while it was served; " REMEDY,
                           path, (long long) self->file_bytes, (long long) file.st_size);
    self->file_bytes = file.st_size;
    return STORE_OK;
}

/*  --- the records --- */

static uint64_t hash_of (const MDB_val *key, const MDB_val *sealed)
{
    uint8_t sum [CHECKSUM_BYTES];
    uint64_t hash;
    store_checksum (key, sealed->mv_data, sealed->mv_size, sum);
    memcpy (&hash, sum, sizeof hash);
    return hash;
}

/*  True when it was not known yet. */
bool store_note_damage (store_t *self, const MDB_val *key, const MDB_val *sealed)
{
    uint64_t hash = hash_of (key, sealed);
    for (size_t i = 0; i < self->damages_count; i++)
        if (self->damages [i] == hash)
            return false;
    self->damages =
      must_grow (self->damages, self->damages_count, &self->damages_room, sizeof *self->damages);
    self->damages [self->damages_count++] = hash;
    return true;
}

/*  Damage found at the start has been reported then. The ledger is not read at the start, so the
 *  first pass reports its damage. Any other damage came while the store was served. */
static store_answer_t store_watch_judge (store_t *self, const MDB_val *key, const MDB_val *sealed,
                                         store_visit_fn *visit, void *owner)
{
    const uint8_t *at = key->mv_data;
    bytes_t value;
    if (at [0] == TABLE_IDENTITY || store_open_sealed (key, sealed, &value) ||
        !store_note_damage (self, key, sealed))
        return STORE_OK;
    visit (owner, at [0], (bytes_t){.data = at + 1, .size = key->mv_size - 1}, RECORD_DAMAGED,
           false);
    if (at [0] == TABLE_LEDGER && !self->scrubbed)
        return STORE_OK;
    return store_fail (self->facts.why, STORE_DAMAGED,
                       "%.120s: a record of table %u was changed on the disk while the store was "
                       "served; started again, this service goes on without that record",
                       self->path, at [0]);
}

static int scrub_on (store_t *self, MDB_cursor *cursor, size_t bytes, store_visit_fn *visit,
                     void *owner, store_answer_t *answer)
{
    MDB_val key = {.mv_size = self->scrub_key_size, .mv_data = self->scrub_key}, sealed;
    size_t used = 0;
    bool first = self->scrub_key_size == 0;
    int code = mdb_cursor_get (cursor, &key, &sealed, first ? MDB_FIRST : MDB_SET_RANGE);
    while (code == MDB_SUCCESS && *answer == STORE_OK && used < bytes) {
        if (key.mv_size == 0 || key.mv_size > sizeof self->scrub_key)
            return MDB_CORRUPTED;
        *answer = store_watch_judge (self, &key, &sealed, visit, owner);
        used += key.mv_size + sealed.mv_size;
        code = mdb_cursor_get (cursor, &key, &sealed, MDB_NEXT);
    }
    if (code == MDB_SUCCESS && key.mv_size > 0 && key.mv_size <= sizeof self->scrub_key) {
        memcpy (self->scrub_key, key.mv_data, key.mv_size);
        self->scrub_key_size = key.mv_size;
    }
    return code;
}

store_answer_t store_scrub (store_t *self, size_t bytes, store_visit_fn *visit, void *owner,
                            bool *ended)
{
    MDB_txn *txn;
    MDB_cursor *cursor;
    assert (!self->batch);
    *ended = false;
    store_answer_t answer = store_look (self);
    if (answer != STORE_OK)
        return answer;
    store_inside (true);
    int code = store_read_begin (self, &txn, &cursor);
    if (code == MDB_SUCCESS) {
        code = scrub_on (self, cursor, bytes, visit, owner, &answer);
        mdb_cursor_close (cursor);
        mdb_txn_abort (txn);
    }
    store_inside (false);
    if (code == MDB_NOTFOUND) {
        int dead;
        mdb_reader_check (self->env, &dead); /* a backup that was killed would keep old pages */
        *ended = self->scrubbed = true;
        self->scrub_key_size = 0;
        code = MDB_SUCCESS;
    }
    return code == MDB_SUCCESS ? answer : store_fail_mdb (self->facts.why, code, "cannot scrub");
}

/*  --- the last word --- */

static volatile sig_atomic_t inside;
static char guarded [STORE_PATH_BYTES];

void store_inside (bool now)
{
    inside = now;
}

/*  The fault is in our own reading of the map, not in the library that writes the line. */
static void on_fault (int number)
{
    if (number != SIGBUS && !inside)
        return; /* not the store's: it ends us as it would have */
    log_line (LEVEL_ALARM,
              "store failed doing=read why=\"%s can't be read (%s): it was cut or damaged while it "
              "was served\"; this process ends: started again, it goes on from what is stored",
              guarded, number == SIGBUS ? "SIGBUS" : "its pages are damaged");
    _exit (EXIT_MACHINE);
}

void store_guard (const store_t *self)
{
    static const int faults [] = {SIGBUS, SIGSEGV, SIGABRT};
    struct sigaction action = {.sa_handler = on_fault, .sa_flags = (int) SA_RESETHAND};
    memcpy (guarded, self->path, sizeof guarded);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigaction (faults [i], &action, NULL);
}
