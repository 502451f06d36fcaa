/*  store - all tables in one LMDB database, the table's number before the key, so that one walk
 *  gives every record in order. The layout is drawn in disk-format.md.
 *
 *  LMDB's promise is ours: all syncs on, no writable map. What it does not do is done here: one
 *  process a store, the start number in every write, room counted with the disk's, a checksum
 *  before each value, and a look at a possibly damaged file from a process that may die of it.
 */
#include "store.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <lmdb.h>
#include <signal.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define LAYOUT         2
#define IDENTITY_BYTES 32 /* layout 4, start 4, id 16, stamp 8 */
#define CHECKSUM_BYTES crypto_shorthash_BYTES
#define PATH_BYTES     4096
#define DISK_LEAST     ((uint64_t) 1 << 20) /* a disk with less is full */
#define STORE_FILE     "store.mdb"
#define LOCK_FILE      "lock"

struct store {
    char folder [PATH_BYTES];
    int lock_file;
    MDB_env *env;
    MDB_dbi table;
    MDB_txn *batch; /* NULL: none begun */
    store_identity_t identity;
    bool adopted; /* and nothing was flushed since */
    uint8_t adopted_from [STORE_ID_BYTES];
    int64_t stamp_before_ms; /* when opened */
    int64_t stamp_ms;        /* last written */
    uint64_t bytes;
    uint64_t free_bytes;
    unsigned flushes_since_count;
    char why [STORE_WHY_BYTES];
};

__attribute__ ((format (printf, 3, 4))) static store_answer_t fail (char why [STORE_WHY_BYTES],
                                                                    store_answer_t answer,
                                                                    const char *format, ...)
{
    va_list arguments;
    va_start (arguments, format);
    vsnprintf (why, STORE_WHY_BYTES, format, arguments);
    va_end (arguments);
    return answer;
}

/*  LMDB's codes and errno's in our words. */
static store_answer_t answer_of (int code)
{
    switch (code) {
    case MDB_SUCCESS:
        return STORE_OK;
    case MDB_MAP_FULL:
    case MDB_TXN_FULL:
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return STORE_FULL;
    case MDB_CORRUPTED:
    case MDB_PAGE_NOTFOUND:
    case MDB_INVALID:
    case MDB_VERSION_MISMATCH:
    case MDB_PANIC:
    case MDB_INCOMPATIBLE:
    case MDB_CURSOR_FULL:
        return STORE_DAMAGED;
    default:
        return STORE_ERROR;
    }
}

static store_answer_t fail_mdb (char why [STORE_WHY_BYTES], int code, const char *doing)
{
    return fail (why, answer_of (code), "%s: %s", doing, mdb_strerror (code));
}

static store_answer_t fail_errno (char why [STORE_WHY_BYTES], const char *doing, const char *path)
{
    int error = errno;
    store_answer_t answer = answer_of (error);
    return fail (why, answer, "%s %.120s: %s", doing, path, strerror (error));
}

static void put_u32 (uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at [i] = (uint8_t) (value >> (24 - 8 * i));
}

static uint32_t get_u32 (const uint8_t *at)
{
    return (uint32_t) at [0] << 24 | (uint32_t) at [1] << 16 | (uint32_t) at [2] << 8 | at [3];
}

/*  name must outlive the key. */
#define IDENTITY_KEY_BYTES 6
static MDB_val identity_key (uint8_t name [IDENTITY_KEY_BYTES])
{
    static const uint8_t written [] = {TABLE_IDENTITY, 's', 't', 'o', 'r', 'e'};
    static_assert (sizeof written == IDENTITY_KEY_BYTES, "the key as it is on disk");
    memcpy (name, written, sizeof written);
    return (MDB_val){.mv_size = sizeof written, .mv_data = name};
}

/*  The store id before an adoption, until the core has told of it in its first batch. */
#define ADOPTED_KEY_BYTES 8
static MDB_val adopted_key (uint8_t name [ADOPTED_KEY_BYTES])
{
    static const uint8_t written [] = {TABLE_IDENTITY, 'a', 'd', 'o', 'p', 't', 'e', 'd'};
    static_assert (sizeof written == ADOPTED_KEY_BYTES, "the key as it is on disk");
    memcpy (name, written, sizeof written);
    return (MDB_val){.mv_size = sizeof written, .mv_data = name};
}

static void identity_write (const store_t *self, uint8_t value [IDENTITY_BYTES])
{
    put_u32 (value, LAYOUT);
    put_u32 (value + 4, self->identity.start);
    memcpy (value + 8, self->identity.id, STORE_ID_BYTES);
    put_u32 (value + 24, (uint32_t) ((uint64_t) self->stamp_ms >> 32));
    put_u32 (value + 28, (uint32_t) self->stamp_ms);
}

/*  --- checksums: whatever a disk does to a record is seen; nobody is kept from forging one --- */

/*  Of the value, by a key that is made of the record's key. */
static void checksum (const MDB_val *key, const uint8_t *value, size_t size,
                      uint8_t sum [CHECKSUM_BYTES])
{
    static const uint8_t first [crypto_shorthash_KEYBYTES] = "musubi record 2";
    uint8_t second [crypto_shorthash_KEYBYTES] = {0};
    crypto_shorthash (second, key->mv_data, key->mv_size, first);
    crypto_shorthash (sum, value, size, second);
}

/*  Puts the value with its checksum before it. */
static int put_sealed (MDB_txn *txn, MDB_dbi table, MDB_val *key, bytes_t value)
{
    MDB_val room = {.mv_size = CHECKSUM_BYTES + value.size};
    int code = mdb_put (txn, table, key, &room, MDB_RESERVE);
    if (code != MDB_SUCCESS)
        return code;
    uint8_t *at = room.mv_data;
    if (value.size > 0)
        memcpy (at + CHECKSUM_BYTES, value.data, value.size);
    checksum (key, at + CHECKSUM_BYTES, value.size, at);
    return MDB_SUCCESS;
}

/*  False when this is not what was put. */
static bool open_sealed (const MDB_val *key, const MDB_val *sealed, bytes_t *value)
{
    const uint8_t *at = sealed->mv_data;
    uint8_t sum [CHECKSUM_BYTES];
    if (sealed->mv_size < CHECKSUM_BYTES)
        return false;
    *value = (bytes_t){.data = at + CHECKSUM_BYTES, .size = sealed->mv_size - CHECKSUM_BYTES};
    checksum (key, value->data, value->size, sum);
    return memcmp (sum, at, CHECKSUM_BYTES) == 0;
}

/*  The first layout had no checksums. */
static bool identity_unsealed (const MDB_val *value)
{
    return value->mv_size == IDENTITY_BYTES && get_u32 (value->mv_data) < LAYOUT;
}

static bool identity_read (const MDB_val *key, const MDB_val *sealed, store_identity_t *identity,
                           int64_t *stamp_ms)
{
    bytes_t value;
    if (!open_sealed (key, sealed, &value) || value.size != IDENTITY_BYTES ||
        get_u32 (value.data) != LAYOUT)
        return false;
    const uint8_t *at = value.data;
    identity->start = get_u32 (at + 4);
    memcpy (identity->id, at + 8, STORE_ID_BYTES);
    *stamp_ms = (int64_t) ((uint64_t) get_u32 (at + 24) << 32 | get_u32 (at + 28));
    return true;
}

static bool path_join (char path [PATH_BYTES], const char *folder, const char *name)
{
    return snprintf (path, PATH_BYTES, "%s/%s", folder, name) < PATH_BYTES;
}

/*  Makes a name in a folder durable. */
static void folder_sync (const char *folder)
{
    int file = open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0)
        return;
    fsync (file);
    close (file);
}

/*  The folder and those above it; a folder that is there already is fine. */
static bool folder_make (const char *folder)
{
    char path [PATH_BYTES];
    if (!*folder || snprintf (path, sizeof path, "%s", folder) >= PATH_BYTES) {
        errno = ENAMETOOLONG;
        return false;
    }
    for (char *slash = strchr (path + 1, '/'); slash; slash = strchr (slash + 1, '/')) {
        *slash = '\0';
        if (mkdir (path, 0755) != 0 && errno != EEXIST)
            return false;
        *slash = '/';
    }
    if (mkdir (path, 0700) != 0)
        return errno == EEXIST;
    char *slash = strrchr (path, '/');
    if (slash)
        slash [slash == path] = '\0';
    folder_sync (slash ? path : ".");
    return true;
}

static struct flock whole_file (void)
{
    return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET};
}

/*  A lock of the open file, not of the process: a second open in this process is kept out too, and
 *  the kernel takes it back however we end. */
static store_answer_t lock (store_t *self, char why [STORE_WHY_BYTES])
{
    char path [PATH_BYTES];
    if (!path_join (path, self->folder, LOCK_FILE))
        return fail (why, STORE_ERROR, "store folder's name is too long");
    self->lock_file = open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (self->lock_file < 0)
        return fail_errno (why, "cannot open", path);
    struct flock wanted = whole_file ();
    if (fcntl (self->lock_file, F_OFD_SETLK, &wanted) != 0) {
        if (errno == EAGAIN || errno == EACCES)
            return fail (why, STORE_LOCKED, "store %.150s is served by another process",
                         self->folder);
        return fail_errno (why, "cannot lock", path);
    }
    return STORE_OK;
}

/*  Reads every byte of every record, and holds keys and their number against what LMDB relies on;
 *  the sum keeps the reads. */
static int walk (MDB_txn *txn, MDB_dbi table, unsigned *sum)
{
    MDB_cursor *cursor;
    MDB_stat stat;
    int code = mdb_cursor_open (txn, table, &cursor);
    if (code != MDB_SUCCESS)
        return code;
    mdb_stat (txn, table, &stat);
    MDB_val key, value, before = {0};
    size_t count = 0;
    while ((code = mdb_cursor_get (cursor, &key, &value, MDB_NEXT)) == MDB_SUCCESS) {
        if (++count > stat.ms_entries || key.mv_size == 0 ||
            key.mv_size > STORE_KEY_BYTES_MAX + 1 ||
            (count > 1 && mdb_cmp (txn, table, &before, &key) >= 0))
            return MDB_CORRUPTED;
        before = key;
        const uint8_t *at = value.mv_data;
        for (size_t i = 0; i < value.mv_size; i++)
            *sum += at [i];
    }
    if (code == MDB_NOTFOUND)
        code = count == stat.ms_entries ? MDB_SUCCESS : MDB_CORRUPTED;
    return code;
}

/*  One of LMDB's lists of free pages: how many, then their numbers, falling. Each is in the file,
 *  behind the two heads, and free once: a page that is not would be written over, or end us. */
static bool free_list_sound (const MDB_val *list, uint8_t *seen, size_t pages)
{
    size_t count, page, before = pages;
    if (list->mv_size < sizeof count)
        return false;
    memcpy (&count, list->mv_data, sizeof count);
    if (count > list->mv_size / sizeof count - 1)
        return false;
    const uint8_t *at = list->mv_data;
    for (size_t i = 1; i <= count; i++) {
        memcpy (&page, at + i * sizeof page, sizeof page);
        if (page < 2 || page >= before || seen [page])
            return false;
        seen [page] = 1;
        before = page;
    }
    return true;
}

static int walk_free (MDB_env *env, MDB_txn *txn)
{
    MDB_cursor *cursor;
    MDB_envinfo info;
    MDB_val key, list;
    mdb_env_info (env, &info);
    size_t pages = info.me_last_pgno + 1;
    uint8_t *seen = calloc (pages, 1);
    if (!seen)
        return MDB_CORRUPTED; /* as many pages as no file has */
    int code = mdb_cursor_open (txn, 0, &cursor);
    while (code == MDB_SUCCESS &&
           (code = mdb_cursor_get (cursor, &key, &list, MDB_NEXT)) == MDB_SUCCESS)
        if (!free_list_sound (&list, seen, pages))
            code = MDB_CORRUPTED;
    free (seen);
    return code == MDB_NOTFOUND ? MDB_SUCCESS : code;
}

static int inspect (const char *path)
{
    MDB_env *env;
    MDB_txn *txn;
    MDB_dbi table;
    unsigned sum = 0;
    int code = mdb_env_create (&env);
    if (code == MDB_SUCCESS)
        code = mdb_env_open (env, path, MDB_NOSUBDIR | MDB_RDONLY | MDB_NOLOCK, 0600);
    if (code == MDB_SUCCESS)
        code = mdb_txn_begin (env, NULL, MDB_RDONLY, &txn);
    if (code == MDB_SUCCESS)
        code = mdb_dbi_open (txn, NULL, 0, &table);
    if (code == MDB_SUCCESS)
        code = walk (txn, table, &sum);
    if (code == MDB_SUCCESS)
        code = walk (txn, 0, &sum); /* LMDB's own table of free pages */
    if (code == MDB_SUCCESS)
        code = walk_free (env, txn);
    return code;
}

/*  LMDB trusts its pages, and reading a damaged file can kill the reader: so it is read first by a
 *  child, whose death is an answer. A host opens its store before it has threads; where there are
 *  some, the child uses nothing of theirs but the allocator, which glibc keeps usable in it. */
static store_answer_t check_damage (const char *path, char why [STORE_WHY_BYTES])
{
    struct stat file;
    if (stat (path, &file) != 0)
        return errno == ENOENT ? STORE_OK : fail_errno (why, "cannot look at", path);
    if (file.st_size == 0)
        return STORE_OK; /* a crash before the first write */
    pid_t child = fork ();
    if (child < 0)
        return fail_errno (why, "cannot start a look at", path);
    if (child == 0) {
        static const int deaths [] = {SIGBUS, SIGSEGV, SIGABRT, SIGFPE, SIGILL};
        for (size_t i = 0; i < sizeof deaths / sizeof deaths [0]; i++)
            signal (deaths [i], SIG_DFL); /* whatever this process does with them, a child dies */
        int code = inspect (path);
        _exit (answer_of (code) == STORE_DAMAGED ? 1 : 0); /* the rest is told by the real open */
    }
    int status;
    while (waitpid (child, &status, 0) < 0)
        if (errno != EINTR)
            return fail_errno (why, "cannot await a look at", path);
    if (WIFEXITED (status) && WEXITSTATUS (status) == 0)
        return STORE_OK;
    return fail (why, STORE_DAMAGED, "store %.150s is damaged: restore it from a backup", path);
}

/*  Pages that were freed and can be used again. */
static uint64_t count_free_pages (MDB_txn *txn)
{
    MDB_cursor *cursor;
    uint64_t pages = 0;
    if (mdb_cursor_open (txn, 0, &cursor) != MDB_SUCCESS)
        return 0;
    MDB_val key, value;
    while (mdb_cursor_get (cursor, &key, &value, MDB_NEXT) == MDB_SUCCESS) {
        size_t count; /* the first word: how many page numbers follow */
        if (value.mv_size >= sizeof count) {
            memcpy (&count, value.mv_data, sizeof count);
            pages += count;
        }
    }
    mdb_cursor_close (cursor);
    return pages;
}

/*  UINT64_MAX when the file system does not say. */
static uint64_t disk_free_bytes (const store_t *self)
{
    struct statvfs disk;
    if (statvfs (self->folder, &disk) != 0)
        return UINT64_MAX;
    return (uint64_t) disk.f_bavail * disk.f_frsize;
}

/*  The map is sparse, so the disk may be the narrower limit. */
static void count_room (store_t *self)
{
    MDB_txn *txn;
    MDB_envinfo info;
    MDB_stat stat;
    self->flushes_since_count = 0;
    mdb_env_info (self->env, &info);
    if (mdb_txn_begin (self->env, NULL, MDB_RDONLY, &txn) != MDB_SUCCESS)
        return;
    uint64_t spare_pages = count_free_pages (txn);
    mdb_stat (txn, self->table, &stat);
    mdb_txn_abort (txn);

    uint64_t page = stat.ms_psize;
    uint64_t grown = ((uint64_t) info.me_last_pgno + 1) * page;
    uint64_t can_grow = info.me_mapsize > grown ? info.me_mapsize - grown : 0;
    uint64_t disk_free = disk_free_bytes (self);
    can_grow = disk_free < can_grow ? disk_free : can_grow;
    self->bytes = grown + can_grow;
    self->free_bytes = can_grow + spare_pages * page;
}

/*  The identity as it is in the batch; a new store has none. */
static store_answer_t load_identity (store_t *self, const uint8_t entropy [STORE_ID_BYTES],
                                     char why [STORE_WHY_BYTES])
{
    uint8_t name [IDENTITY_KEY_BYTES];
    MDB_val key = identity_key (name), value;
    int code = mdb_get (self->batch, self->table, &key, &value);
    if (code == MDB_NOTFOUND) {
        MDB_stat stat;
        mdb_stat (self->batch, self->table, &stat);
        if (stat.ms_entries > 0)
            return fail (why, STORE_DAMAGED, "store %.150s has records and no identity",
                         self->folder);
        memcpy (self->identity.id, entropy, STORE_ID_BYTES);
        self->stamp_before_ms = INT64_MIN;
        return STORE_OK;
    }
    if (code != MDB_SUCCESS)
        return fail_mdb (why, code, "cannot read the store's identity");
    if (identity_unsealed (&value))
        return fail (
          why, STORE_DAMAGED,
          "store %.120s is of layout 1, which an earlier version wrote, not %d: let what "
          "is in it end under that version, or begin with an empty folder",
          self->folder, LAYOUT);
    if (!identity_read (&key, &value, &self->identity, &self->stamp_before_ms))
        return fail (why, STORE_DAMAGED,
                     "store %.120s: its identity is damaged, or of another layout than %d: restore "
                     "it from a backup",
                     self->folder, LAYOUT);
    return STORE_OK;
}

/*  One that is damaged was none: the next start tells nothing of it. */
static void load_adopted (store_t *self)
{
    uint8_t name [ADOPTED_KEY_BYTES];
    MDB_val key = adopted_key (name), value;
    bytes_t id;
    self->adopted = mdb_get (self->batch, self->table, &key, &value) == MDB_SUCCESS &&
                    open_sealed (&key, &value, &id) && id.size == STORE_ID_BYTES;
    if (self->adopted)
        memcpy (self->adopted_from, id.data, STORE_ID_BYTES);
}

static int put_identity (store_t *self)
{
    uint8_t bytes [IDENTITY_BYTES], name [IDENTITY_KEY_BYTES];
    identity_write (self, bytes);
    MDB_val key = identity_key (name);
    return put_sealed (self->batch, self->table, &key,
                       (bytes_t){.data = bytes, .size = sizeof bytes});
}

/*  T1: the start is counted, and flushed, before anything is served. */
static store_answer_t count_start (store_t *self, const uint8_t entropy [STORE_ID_BYTES],
                                   int64_t wall_ms, char why [STORE_WHY_BYTES])
{
    int code = mdb_txn_begin (self->env, NULL, 0, &self->batch);
    if (code == MDB_SUCCESS)
        code = mdb_dbi_open (self->batch, NULL, 0, &self->table);
    if (code != MDB_SUCCESS)
        return fail_mdb (why, code, "cannot begin the first write");
    store_answer_t answer = load_identity (self, entropy, why);
    if (answer != STORE_OK)
        return answer;
    if (self->identity.start == UINT32_MAX)
        return fail (why, STORE_ERROR, "store %.150s was started too often", self->folder);
    load_adopted (self);
    self->identity.start++;
    self->stamp_ms = wall_ms > self->stamp_before_ms ? wall_ms : self->stamp_before_ms;
    code = put_identity (self);
    if (code == MDB_SUCCESS) {
        code = mdb_txn_commit (self->batch);
        self->batch = NULL;
    }
    return code == MDB_SUCCESS ? STORE_OK : fail_mdb (why, code, "cannot flush the first write");
}

static store_answer_t open_env (store_t *self, uint64_t map_bytes, char why [STORE_WHY_BYTES])
{
    char path [PATH_BYTES];
    if (!path_join (path, self->folder, STORE_FILE))
        return fail (why, STORE_ERROR, "store folder's name is too long");
    store_answer_t answer = check_damage (path, why);
    if (answer != STORE_OK)
        return answer;
    int code = mdb_env_create (&self->env);
    if (code == MDB_SUCCESS)
        code = mdb_env_set_mapsize (self->env, map_bytes);
    if (code == MDB_SUCCESS) /* T13: no flag that would loosen a sync */
        code = mdb_env_open (self->env, path, MDB_NOSUBDIR | MDB_NOTLS, 0600);
    if (code != MDB_SUCCESS) {
        char doing [STORE_WHY_BYTES / 2];
        snprintf (doing, sizeof doing, "cannot open %.100s", path);
        return fail_mdb (why, code, doing);
    }
    return STORE_OK;
}

store_answer_t store_open (store_t **self_p, const char *folder, uint64_t map_bytes,
                           const uint8_t entropy [STORE_ID_BYTES], int64_t wall_ms,
                           char why [STORE_WHY_BYTES])
{
    assert (map_bytes >= STORE_BYTES_LEAST);
    why [0] = '\0';
    if (!folder_make (folder))
        return fail_errno (why, "cannot make folder", folder);
    store_t *self = calloc (1, sizeof *self);
    if (!self)
        abort ();
    snprintf (self->folder, sizeof self->folder, "%s", folder);
    self->lock_file = -1;

    store_answer_t answer = lock (self, why);
    if (answer == STORE_OK)
        answer = open_env (self, map_bytes, why);
    if (answer == STORE_OK)
        answer = count_start (self, entropy, wall_ms, why);
    if (answer != STORE_OK) {
        store_close (&self);
        return answer;
    }
    folder_sync (folder);
    count_room (self);
    *self_p = self;
    return STORE_OK;
}

void store_close (store_t **self_p)
{
    store_t *self = *self_p;
    if (!self)
        return;
    if (self->batch)
        mdb_txn_abort (self->batch);
    if (self->env)
        mdb_env_close (self->env);
    if (self->lock_file >= 0)
        close (self->lock_file);
    free (self);
    *self_p = NULL;
}

bool store_locked (const char *folder)
{
    char path [PATH_BYTES];
    if (!path_join (path, folder, LOCK_FILE))
        return false;
    int file = open (path, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return false;
    struct flock wanted = whole_file ();
    bool locked = fcntl (file, F_OFD_GETLK, &wanted) == 0 && wanted.l_type != F_UNLCK;
    close (file);
    return locked;
}

const char *store_folder (const store_t *self)
{
    return self->folder;
}

const store_identity_t *store_identity (const store_t *self)
{
    return &self->identity;
}

int64_t store_stamp_ms (const store_t *self)
{
    return self->stamp_before_ms;
}

uint64_t store_free_bytes (const store_t *self)
{
    return self->free_bytes;
}

uint64_t store_bytes (const store_t *self)
{
    return self->bytes;
}

const char *store_why (const store_t *self)
{
    return self->why;
}

static uint8_t table_of (const MDB_val *key)
{
    return *(const uint8_t *) key->mv_data;
}

static row_t row_of (const MDB_val *key, const MDB_val *sealed, bool *sound)
{
    const uint8_t *at = key->mv_data;
    row_t row = {.key = {.data = at + 1, .size = key->mv_size - 1}};
    *sound = open_sealed (key, sealed, &row.value);
    if (!*sound)
        row.value = RECORD_DAMAGED;
    return row;
}

/*  From the ledger's first row to its last sound one, or to the first when none is. */
static int ledger_end (MDB_cursor *cursor, MDB_val *key, MDB_val *value)
{
    uint8_t behind = TABLE_LEDGER + 1;
    *key = (MDB_val){.mv_size = 1, .mv_data = &behind};
    int code = mdb_cursor_get (cursor, key, value, MDB_SET_RANGE);
    code = mdb_cursor_get (cursor, key, value, code == MDB_NOTFOUND ? MDB_LAST : MDB_PREV);
    bool sound;
    while (code == MDB_SUCCESS && table_of (key) == TABLE_LEDGER) {
        row_of (key, value, &sound);
        if (sound)
            return code;
        code = mdb_cursor_get (cursor, key, value, MDB_PREV);
    }
    return code == MDB_SUCCESS || code == MDB_NOTFOUND
             ? mdb_cursor_get (cursor, key, value, code == MDB_NOTFOUND ? MDB_FIRST : MDB_NEXT)
             : code;
}

static int each_record (MDB_cursor *cursor, store_visit_fn *visit, void *owner)
{
    MDB_val key, value;
    bool more = true;
    bool ledger = false;
    int code = mdb_cursor_get (cursor, &key, &value, MDB_FIRST);
    while (more && code == MDB_SUCCESS) {
        if (table_of (&key) == TABLE_LEDGER && !ledger) {
            ledger = true;
            if ((code = ledger_end (cursor, &key, &value)) != MDB_SUCCESS)
                break;
        }
        bool sound;
        row_t row = row_of (&key, &value, &sound);
        if (table_of (&key) != TABLE_IDENTITY)
            more = visit (owner, table_of (&key), row.key, row.value, sound);
        if (more)
            code = mdb_cursor_get (cursor, &key, &value, MDB_NEXT);
    }
    return code == MDB_NOTFOUND ? MDB_SUCCESS : code;
}

static int read_begin (store_t *self, MDB_txn **txn, MDB_cursor **cursor)
{
    int code = mdb_txn_begin (self->env, NULL, MDB_RDONLY, txn);
    if (code != MDB_SUCCESS)
        return code;
    code = mdb_cursor_open (*txn, self->table, cursor);
    if (code != MDB_SUCCESS)
        mdb_txn_abort (*txn);
    return code;
}

store_answer_t store_each (store_t *self, store_visit_fn *visit, void *owner)
{
    MDB_txn *txn;
    MDB_cursor *cursor;
    int code = read_begin (self, &txn, &cursor);
    if (code != MDB_SUCCESS)
        return fail_mdb (self->why, code, "cannot begin reading");
    code = each_record (cursor, visit, owner);
    mdb_cursor_close (cursor);
    mdb_txn_abort (txn);
    return code == MDB_SUCCESS ? STORE_OK : fail_mdb (self->why, code, "cannot read on");
}

/*  Fills rows, of which there is room for order->most. */
static int read_rows (MDB_cursor *cursor, const read_order_t *order, row_t *rows, size_t *count,
                      bool *more)
{
    uint8_t bytes [1 + STORE_KEY_BYTES_MAX] = {order->table};
    assert (order->from.size <= STORE_KEY_BYTES_MAX);
    if (order->from.size > 0)
        memcpy (bytes + 1, order->from.data, order->from.size);
    MDB_val key = {.mv_size = 1 + order->from.size, .mv_data = bytes}, value;
    size_t used = 0;
    *count = 0;
    *more = false;
    int code = mdb_cursor_get (cursor, &key, &value, MDB_SET_RANGE);
    while (code == MDB_SUCCESS && table_of (&key) == order->table) {
        used += key.mv_size + value.mv_size;
        *more = *count == order->most || (*count > 0 && used > order->bytes);
        if (*more)
            return code;
        bool sound;
        rows [(*count)++] = row_of (&key, &value, &sound);
        code = mdb_cursor_get (cursor, &key, &value, MDB_NEXT);
    }
    return code == MDB_NOTFOUND ? MDB_SUCCESS : code;
}

store_answer_t store_read (store_t *self, const read_order_t *order, store_rows_fn *visit,
                           void *owner)
{
    MDB_txn *txn;
    MDB_cursor *cursor;
    size_t count;
    bool more;
    int code = read_begin (self, &txn, &cursor);
    if (code != MDB_SUCCESS)
        return fail_mdb (self->why, code, "cannot begin reading");
    row_t *rows = calloc (order->most, sizeof *rows);
    if (!rows)
        abort ();
    code = read_rows (cursor, order, rows, &count, &more);
    if (code == MDB_SUCCESS)
        visit (owner, rows, count, more);
    free (rows);
    mdb_cursor_close (cursor);
    mdb_txn_abort (txn);
    return code == MDB_SUCCESS ? STORE_OK : fail_mdb (self->why, code, "cannot read on");
}

/*  The batch is given up. */
static store_answer_t drop (store_t *self, store_answer_t answer)
{
    if (self->batch)
        mdb_txn_abort (self->batch);
    self->batch = NULL;
    return answer;
}

/*  T4: a store that carries another start number has been taken over, and whatever we would write
 *  is no longer ours to say. */
store_answer_t store_begin (store_t *self)
{
    assert (!self->batch);
    int code = mdb_txn_begin (self->env, NULL, 0, &self->batch);
    if (code != MDB_SUCCESS) {
        self->batch = NULL;
        return fail_mdb (self->why, code, "cannot begin a write");
    }
    uint8_t name [IDENTITY_KEY_BYTES];
    MDB_val key = identity_key (name), value;
    store_identity_t found = {0};
    int64_t stamp_ms;
    code = mdb_get (self->batch, self->table, &key, &value);
    if (code == MDB_NOTFOUND ||
        (code == MDB_SUCCESS && !identity_read (&key, &value, &found, &stamp_ms)))
        return drop (self, fail (self->why, STORE_DAMAGED, "the store's identity is gone"));
    if (code != MDB_SUCCESS)
        return drop (self, fail_mdb (self->why, code, "cannot read the store's identity"));
    if (found.start != self->identity.start ||
        memcmp (found.id, self->identity.id, STORE_ID_BYTES) != 0)
        return drop (self, fail (self->why, STORE_TAKEN,
                                 "the store was taken over: its start is %u, ours was %u",
                                 found.start, self->identity.start));
    return STORE_OK;
}

/*  The table's number, then the key. */
static MDB_val key_bytes (uint8_t table, bytes_t key, uint8_t bytes [1 + STORE_KEY_BYTES_MAX])
{
    assert (table != TABLE_IDENTITY && table < TABLES_MAX);
    assert (key.size > 0 && key.size <= STORE_KEY_BYTES_MAX);
    bytes [0] = table;
    memcpy (bytes + 1, key.data, key.size);
    return (MDB_val){.mv_size = 1 + key.size, .mv_data = bytes};
}

store_answer_t store_put (store_t *self, uint8_t table, bytes_t key, bytes_t value)
{
    assert (self->batch);
    uint8_t bytes [1 + STORE_KEY_BYTES_MAX];
    MDB_val whole_key = key_bytes (table, key, bytes);
    int code = put_sealed (self->batch, self->table, &whole_key, value);
    return code == MDB_SUCCESS ? STORE_OK : drop (self, fail_mdb (self->why, code, "cannot put"));
}

store_answer_t store_delete (store_t *self, uint8_t table, bytes_t key)
{
    assert (self->batch);
    uint8_t bytes [1 + STORE_KEY_BYTES_MAX];
    MDB_val whole_key = key_bytes (table, key, bytes);
    int code = mdb_del (self->batch, self->table, &whole_key, NULL);
    if (code != MDB_SUCCESS && code != MDB_NOTFOUND)
        return drop (self, fail_mdb (self->why, code, "cannot delete"));
    return STORE_OK;
}

store_answer_t store_adopt (store_t *self, const uint8_t id [STORE_ID_BYTES])
{
    store_answer_t answer = store_begin (self);
    if (answer != STORE_OK)
        return answer;
    store_identity_t before = self->identity;
    uint8_t name [ADOPTED_KEY_BYTES];
    MDB_val key = adopted_key (name);
    int code = put_sealed (self->batch, self->table, &key,
                           (bytes_t){.data = before.id, .size = STORE_ID_BYTES});
    memcpy (self->identity.id, id, STORE_ID_BYTES);
    if (code == MDB_SUCCESS)
        code = put_identity (self);
    if (code == MDB_SUCCESS) {
        code = mdb_txn_commit (self->batch);
        self->batch = NULL;
    }
    if (code != MDB_SUCCESS) {
        self->identity = before;
        return drop (self, fail_mdb (self->why, code, "cannot put it under a new id"));
    }
    self->adopted = true;
    memcpy (self->adopted_from, before.id, STORE_ID_BYTES);
    return STORE_OK;
}

const uint8_t *store_adopted_from (const store_t *self)
{
    return self->adopted ? self->adopted_from : NULL;
}

/*  The first batch of a core tells of the adoption: from then on it is not to be told again. */
static int end_adoption (store_t *self)
{
    uint8_t name [ADOPTED_KEY_BYTES];
    MDB_val key = adopted_key (name);
    if (!self->adopted)
        return MDB_SUCCESS;
    int code = mdb_del (self->batch, self->table, &key, NULL);
    return code == MDB_NOTFOUND ? MDB_SUCCESS : code;
}

store_answer_t store_flush (store_t *self, int64_t wall_ms)
{
    assert (self->batch);
    if (wall_ms > self->stamp_ms)
        self->stamp_ms = wall_ms;
    int code = put_identity (self);
    if (code == MDB_SUCCESS)
        code = end_adoption (self);
    if (code != MDB_SUCCESS)
        return drop (self, fail_mdb (self->why, code, "cannot stamp"));
    code = mdb_txn_commit (self->batch);
    self->batch = NULL;
    if (code == EIO && disk_free_bytes (self) < DISK_LEAST)
        code = ENOSPC; /* LMDB's word for a write that the disk took in part */
    if (code != MDB_SUCCESS)
        return fail_mdb (self->why, code, "cannot flush");
    self->adopted = false;
    if (++self->flushes_since_count >= STORE_COUNT_FLUSHES)
        count_room (self);
    return STORE_OK;
}
