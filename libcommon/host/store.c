/*  store - all tables in one LMDB database, the table's number before the key, so that one walk
 *  gives every record in order. The layout is drawn in disk-format.md.
 *
 *  LMDB gives durability: all syncs on, no writable map. This file adds what LMDB lacks: one
 *  process a store, the start number checked in every write, free space that takes the disk's
 *  into account, a checksum before each value, and a look at a possibly damaged file by a child
 *  process that may crash.
 */
#include "store_state.h"

#include "must.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define DISK_LEAST ((uint64_t) 1 << 20) /* a disk with less is full */
#define MAP_AHEAD  ((uint64_t) 64 << 20)
#define HEAD_PAGES 2
#define PAGE_BYTES 4096
#define NODE_BYTES 32 /* of LMDB's own for a record, at most */

/*  The map is larger than the store may become: LMDB writes changed pages anew, frees the old ones
 *  two writes later and leaves gaps between large records; and what ends a promise is written even
 *  when the store is full. It is sparse: this costs nothing. */
static uint64_t map_ahead (const store_t *self)
{
    return self->bytes_most + MAP_AHEAD;
}

bool store_path (char path [STORE_PATH_BYTES], const char *folder, const char *name)
{
    return snprintf (path, STORE_PATH_BYTES, "%s/%s", folder, name) < STORE_PATH_BYTES;
}

void store_folder_sync (const char *folder)
{
    descriptor_auto_t file = open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0)
        return;
    fsync (file);
}

/*  The folder and those above it; a folder that is there already is fine. */
static bool store_folder_make (const char *folder)
{
    char path [STORE_PATH_BYTES];
    if (!*folder || snprintf (path, sizeof path, "%s", folder) >= STORE_PATH_BYTES) {
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
    store_folder_sync (slash ? path : ".");
    return true;
}

bool store_folder_ours (const char *folder, char why [WHY_BYTES])
{
    struct stat found;
    bool known = stat (folder, &found) == 0;
    errno = EPERM;
    if (known && found.st_uid != geteuid ())
        store_fail (why, STORE_ERROR,
                    "store folder %.120s belongs to user %u: run the service as that user", folder,
                    (unsigned) found.st_uid);
    else if (known && (found.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        store_fail (
          why, STORE_ERROR,
          "store folder %.120s can be written by others (mode %04o): run chmod go-w on it", folder,
          (unsigned) found.st_mode & 07777);
    else
        return true;
    return false;
}

/*  Of the lock file: who has a store open locks the first byte, who serves it for its life all. */
static struct flock lock_bytes (off_t from, off_t bytes)
{
    return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = from, .l_len = bytes};
}

/*  A lock of the open file, not of the process: a second open in this process is kept out too, and
 *  the kernel takes it back however we end. */
static store_answer_t lock (store_t *self, char why [WHY_BYTES])
{
    char path [STORE_PATH_BYTES];
    if (!store_path (path, self->facts.folder, LOCK_FILE))
        return store_fail (why, STORE_ERROR, "store folder's name is too long");
    self->lock_file = open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (self->lock_file < 0)
        return store_fail_errno (why, "cannot open", path);
    struct flock wanted = lock_bytes (0, 1);
    if (fcntl (self->lock_file, F_OFD_SETLK, &wanted) != 0) {
        if (errno == EAGAIN || errno == EACCES)
            return store_fail (why, STORE_LOCKED, "store %.150s is served by another process",
                               self->facts.folder);
        return store_fail_errno (why, "cannot lock", path);
    }
    return STORE_OK;
}

/*  UINT64_MAX when the file system does not say; what a write may need beside its records is not
 *  counted. */
static uint64_t disk_free_bytes (const store_t *self)
{
    struct statvfs disk;
    if (statvfs (self->facts.folder, &disk) != 0)
        return UINT64_MAX;
    uint64_t bytes = (uint64_t) disk.f_bavail * disk.f_frsize;
    return bytes > DISK_LEAST ? bytes - DISK_LEAST : 0;
}

/*  Pages that hold something now. */
static uint64_t pages_of (const MDB_stat *stat)
{
    return stat->ms_branch_pages + stat->ms_leaf_pages + stat->ms_overflow_pages;
}

/*  The batch, with what is used when it is flushed; room is counted to the page, or by the disk
 *  where that has less. */
static int commit_batch (store_t *self)
{
    MDB_envinfo info;
    MDB_stat records, spare;
    mdb_stat (self->batch, self->table, &records);
    mdb_stat (self->batch, 0, &spare); /* LMDB's own table of free pages */
    int code = mdb_txn_commit (self->batch);
    self->batch = NULL;
    if (code != MDB_SUCCESS)
        return code;
    mdb_env_info (self->env, &info);
    uint64_t page = records.ms_psize;
    uint64_t file = ((uint64_t) info.me_last_pgno + 1) * page;
    uint64_t used = (HEAD_PAGES + pages_of (&records) + pages_of (&spare)) * page;
    uint64_t disk_free = disk_free_bytes (self);
    uint64_t can_hold = disk_free < UINT64_MAX - file ? file + disk_free : UINT64_MAX;
    self->facts.bytes = can_hold < self->bytes_most ? can_hold : self->bytes_most;
    self->facts.free_bytes = used < self->facts.bytes ? self->facts.bytes - used : 0;
    if (info.me_mapsize < file + map_ahead (self) / 2) /* no transaction is open */
        mdb_env_set_mapsize (self->env, file + map_ahead (self));
    return MDB_SUCCESS;
}

/*  What a put takes at most, until the flush says how much it was: twice its bytes, for leaves that
 *  were split are half full, or whole pages. */
static void count_put (store_t *self, size_t key_size, size_t value_size)
{
    uint64_t bytes = key_size + CHECKSUM_BYTES + value_size + NODE_BYTES;
    uint64_t taken = 2 * bytes;
    if (bytes > PAGE_BYTES / 2)
        taken = (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES + 2 * (key_size + NODE_BYTES);
    self->facts.free_bytes -= taken < self->facts.free_bytes ? taken : self->facts.free_bytes;
}

/*  The identity as it is in the batch; a new store has none. */
static store_answer_t load_identity (store_t *self, const uint8_t entropy [STORE_ID_BYTES],
                                     char why [WHY_BYTES])
{
    MDB_val key = store_identity_key (), value;
    int code = mdb_get (self->batch, self->table, &key, &value);
    if (code == MDB_NOTFOUND) {
        MDB_stat stat;
        mdb_stat (self->batch, self->table, &stat);
        if (stat.ms_entries > 0)
            return store_fail (why, STORE_DAMAGED,
                               "store %.150s has records but no identity: restore it from a backup",
                               self->facts.folder);
        if (!segments_put_aside (self->facts.folder, entropy))
            return store_fail_errno (why, "cannot rename the ledger folder of the store before in",
                                     self->facts.folder);
        memcpy (self->facts.identity.id, entropy, STORE_ID_BYTES);
        self->facts.stamp_ms = INT64_MIN;
        return STORE_OK;
    }
    if (code != MDB_SUCCESS)
        return store_fail_mdb (why, code, "cannot read the store's identity");
    if (store_identity_unsealed (&value))
        return store_fail (why, STORE_DAMAGED,
                           "store %.120s has layout 1 of an earlier version, not %d: let "
                           "everything in it end under that version, or begin with an empty folder",
                           self->facts.folder, LAYOUT);
    if (!store_identity_read (&key, &value, &self->facts.identity, &self->facts.stamp_ms))
        return store_fail (why, STORE_DAMAGED,
                           "store %.120s: its identity is damaged, or its layout is not %d: "
                           "restore it from a backup",
                           self->facts.folder, LAYOUT);
    return STORE_OK;
}

/*  A damaged record counts as none: then this start reports no adoption. */
static void load_adopted (store_t *self)
{
    MDB_val key = store_adopted_key (), value;
    bytes_t id;
    if (mdb_get (self->batch, self->table, &key, &value) == MDB_SUCCESS &&
        store_open_sealed (&key, &value, &id) && id.size == STORE_ID_BYTES)
        self->facts.adopted_from = memcpy (self->adopted_from, id.data, STORE_ID_BYTES);
}

static int put_identity (store_t *self)
{
    uint8_t bytes [IDENTITY_BYTES];
    store_identity_write (self, bytes);
    MDB_val key = store_identity_key ();
    return store_put_sealed (self->batch, self->table, &key,
                             (bytes_t){.data = bytes, .size = sizeof bytes});
}

/*  T1: the start is counted, and flushed, before anything is served. */
static store_answer_t count_start (store_t *self, const uint8_t entropy [STORE_ID_BYTES],
                                   int64_t wall_ms, char why [WHY_BYTES])
{
    int code = mdb_txn_begin (self->env, NULL, 0, &self->batch);
    if (code == MDB_SUCCESS)
        code = mdb_dbi_open (self->batch, NULL, 0, &self->table);
    if (code != MDB_SUCCESS)
        return store_fail_mdb (why, code, "cannot begin the first write");
    store_answer_t answer = load_identity (self, entropy, why);
    if (answer != STORE_OK)
        return answer;
    if (self->facts.identity.start == UINT32_MAX)
        return store_fail (why, STORE_ERROR, "store %.150s was started too often",
                           self->facts.folder);
    load_adopted (self);
    self->facts.identity.start++;
    self->stamp_ms = wall_ms > self->facts.stamp_ms ? wall_ms : self->facts.stamp_ms;
    code = put_identity (self);
    if (code == MDB_SUCCESS)
        code = commit_batch (self);
    return code == MDB_SUCCESS ? STORE_OK
                               : store_fail_mdb (why, code, "cannot flush the first write");
}

static store_answer_t open_env (store_t *self, char why [WHY_BYTES])
{
    const char *path = self->path;
    if (!store_path (self->path, self->facts.folder, STORE_FILE))
        return store_fail (why, STORE_ERROR, "store folder's name is too long");
    store_answer_t answer = store_check_damage (path, why);
    if (answer != STORE_OK)
        return answer;
    int code = mdb_env_create (&self->env);
    if (code == MDB_SUCCESS)
        code = mdb_env_set_mapsize (self->env, self->bytes_most + map_ahead (self));
    if (code == MDB_SUCCESS) /* T13: no flag that would loosen a sync */
        code = mdb_env_open (self->env, path, MDB_NOSUBDIR | MDB_NOTLS, 0600);
    if (code != MDB_SUCCESS) {
        char doing [WHY_BYTES / 2];
        snprintf (doing, sizeof doing, "cannot open %.100s", path);
        return store_fail_mdb (why, code, doing);
    }
    return STORE_OK;
}

store_answer_t store_open (store_t **self_p, const char *folder, uint64_t bytes_most,
                           const uint8_t entropy [STORE_ID_BYTES], int64_t wall_ms,
                           char why [WHY_BYTES])
{
    assert (bytes_most >= STORE_BYTES_LEAST);
    why [0] = '\0';
    if (!store_folder_make (folder))
        return store_fail_errno (why, "cannot make folder", folder);
    if (!store_folder_ours (folder, why))
        return STORE_ERROR;
    store_t *self = must (calloc (1, sizeof *self));
    snprintf (self->facts.folder, sizeof self->facts.folder, "%s", folder);
    self->bytes_most = bytes_most;
    self->lock_file = -1;

    store_answer_t answer = lock (self, why);
    if (answer == STORE_OK)
        answer = open_env (self, why);
    if (answer == STORE_OK)
        answer = count_start (self, entropy, wall_ms, why);
    if (answer != STORE_OK) {
        store_close (&self);
        return answer;
    }
    store_folder_sync (folder);
    answer = store_look (self);
    if (answer != STORE_OK) {
        memcpy (why, self->facts.why, WHY_BYTES);
        store_close (&self);
        return answer;
    }
    self->segments = segments_open (folder);
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
    segments_close (&self->segments);
    free (self->damages);
    free (self);
    *self_p = NULL;
}

bool store_segment (void *owner, bytes_t arguments, uint8_t **result, size_t *result_size)
{
    const store_t *self = owner;
    return segments_work (self->segments, arguments, result, result_size);
}

void store_serve (store_t *self)
{
    struct flock wanted = lock_bytes (0, 0);
    fcntl (self->lock_file, F_OFD_SETLK, &wanted); /* nobody else can have what we have */
}

static bool lock_taken (const char *folder, off_t from, off_t bytes)
{
    char path [STORE_PATH_BYTES];
    if (!store_path (path, folder, LOCK_FILE))
        return false;
    descriptor_auto_t file = open (path, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return false;
    struct flock wanted = lock_bytes (from, bytes);
    return fcntl (file, F_OFD_GETLK, &wanted) == 0 && wanted.l_type != F_UNLCK;
}

bool store_locked (const char *folder)
{
    return lock_taken (folder, 0, 1);
}

bool store_served (const char *folder)
{
    return lock_taken (folder, 1, 0);
}

const store_facts_t *store_facts (const store_t *self)
{
    return &self->facts;
}

/*  The batch is given up. */
static store_answer_t store_drop (store_t *self, store_answer_t answer)
{
    store_inside (false);
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
    store_answer_t looked = store_look (self);
    if (looked != STORE_OK)
        return looked;
    store_inside (true);
    int code = mdb_txn_begin (self->env, NULL, 0, &self->batch);
    if (code != MDB_SUCCESS) {
        self->batch = NULL;
        return store_drop (self, store_fail_mdb (self->facts.why, code, "cannot begin a write"));
    }
    MDB_val key = store_identity_key (), value;
    store_identity_t found = {0};
    int64_t stamp_ms;
    code = mdb_get (self->batch, self->table, &key, &value);
    if (code == MDB_NOTFOUND ||
        (code == MDB_SUCCESS && !store_identity_read (&key, &value, &found, &stamp_ms)))
        return store_drop (
          self, store_fail (self->facts.why, STORE_DAMAGED, "the store's identity is gone"));
    if (code != MDB_SUCCESS)
        return store_drop (
          self, store_fail_mdb (self->facts.why, code, "cannot read the store's identity"));
    if (found.start != self->facts.identity.start ||
        memcmp (found.id, self->facts.identity.id, STORE_ID_BYTES) != 0)
        return store_drop (self,
                           store_fail (self->facts.why, STORE_TAKEN,
                                       "the store was taken over: its start is %u, ours was %u",
                                       found.start, self->facts.identity.start));
    store_inside (false);
    return STORE_OK;
}

/*  The table's number, then the key. */
static MDB_val store_key_bytes (uint8_t table, bytes_t key, uint8_t bytes [1 + STORE_KEY_BYTES_MAX])
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
    MDB_val whole_key = store_key_bytes (table, key, bytes);
    store_inside (true);
    int code = store_put_sealed (self->batch, self->table, &whole_key, value);
    store_inside (false);
    count_put (self, whole_key.mv_size, value.size);
    return code == MDB_SUCCESS
             ? STORE_OK
             : store_drop (self, store_fail_mdb (self->facts.why, code, "cannot put"));
}

store_answer_t store_delete (store_t *self, uint8_t table, bytes_t key)
{
    assert (self->batch);
    uint8_t bytes [1 + STORE_KEY_BYTES_MAX];
    MDB_val whole_key = store_key_bytes (table, key, bytes);
    store_inside (true);
    int code = mdb_del (self->batch, self->table, &whole_key, NULL);
    store_inside (false);
    if (code != MDB_SUCCESS && code != MDB_NOTFOUND)
        return store_drop (self, store_fail_mdb (self->facts.why, code, "cannot delete"));
    return STORE_OK;
}

store_answer_t store_adopt (store_t *self, const uint8_t id [STORE_ID_BYTES])
{
    store_answer_t answer = store_begin (self);
    if (answer != STORE_OK)
        return answer;
    store_identity_t before = self->facts.identity;
    MDB_val key = store_adopted_key ();
    int code = store_put_sealed (self->batch, self->table, &key,
                                 (bytes_t){.data = before.id, .size = STORE_ID_BYTES});
    memcpy (self->facts.identity.id, id, STORE_ID_BYTES);
    if (code == MDB_SUCCESS)
        code = put_identity (self);
    if (code == MDB_SUCCESS)
        code = commit_batch (self);
    if (code != MDB_SUCCESS) {
        self->facts.identity = before;
        return store_drop (
          self, store_fail_mdb (self->facts.why, code, "cannot give the store a new id"));
    }
    self->facts.adopted_from = memcpy (self->adopted_from, before.id, STORE_ID_BYTES);
    return STORE_OK;
}

/*  The core records the adoption in its first batch; after that it must not be reported again. */
static int end_adoption (store_t *self)
{
    MDB_val key = store_adopted_key ();
    if (!self->facts.adopted_from)
        return MDB_SUCCESS;
    int code = mdb_del (self->batch, self->table, &key, NULL);
    return code == MDB_NOTFOUND ? MDB_SUCCESS : code;
}

store_answer_t store_flush (store_t *self, int64_t wall_ms)
{
    assert (self->batch);
    if (wall_ms > self->stamp_ms)
        self->stamp_ms = wall_ms;
    store_inside (true);
    int code = put_identity (self);
    if (code == MDB_SUCCESS)
        code = end_adoption (self);
    if (code != MDB_SUCCESS)
        return store_drop (self,
                           store_fail_mdb (self->facts.why, code, "cannot write the time stamp"));
    code = commit_batch (self);
    store_inside (false);
    if (code == EIO && disk_free_bytes (self) < DISK_LEAST)
        code = ENOSPC; /* LMDB's word for a write that the disk took in part */
    if (code != MDB_SUCCESS)
        return store_fail_mdb (self->facts.why, code, "cannot flush");
    self->facts.adopted_from = NULL;
    return store_look (self); /* what was written to a file that is gone is not stored */
}
