/*  store_state - what the parts of the store share: store.c opens it and writes, store_read.c
 *  reads, store_damage.c and store_pages.c check a file that may be damaged, store_watch.c one that
 *  is being served, store_copy.c copies one, store_record.c lays out and seals records. Only these
 *  see lmdb.h.
 */
#ifndef MUSUBI_STORE_STATE_H
#define MUSUBI_STORE_STATE_H

#include "segments.h"
#include "store.h"

#include <lmdb.h>
#include <sys/types.h>

#define LAYOUT         2
#define CHECKSUM_BYTES 8
#define IDENTITY_BYTES 32 /* layout 4, start 4, id 16, stamp 8 */

struct store {
    store_facts_t facts;
    char path [STORE_PATH_BYTES]; /* of the file */
    int lock_file;
    MDB_env *env;
    MDB_dbi table;
    MDB_txn *batch; /* NULL: none begun */
    segments_t *segments;
    uint8_t adopted_from [STORE_ID_BYTES];
    int64_t stamp_ms;    /* last written */
    uint64_t bytes_most; /* what it may grow to, as configured */
    /*  The file as it was looked at last; store_watch.c. */
    dev_t device;
    ino_t inode;
    off_t file_bytes;
    uint8_t scrub_key [1 + STORE_KEY_BYTES_MAX]; /* the next one to be read */
    size_t scrub_key_size;                       /* 0 = from the first one */
    bool scrubbed;                               /* once, since it was opened */
    uint64_t *damages;                           /* records that are known to be damaged */
    size_t damages_count;
    size_t damages_room;
};

/*  --- what goes wrong, in words --- */

__attribute__ ((format (printf, 3, 4))) store_answer_t store_fail (char why [WHY_BYTES],
                                                                   store_answer_t answer,
                                                                   const char *format, ...);
store_answer_t store_fail_mdb (char why [WHY_BYTES], int code, const char *doing);
store_answer_t store_fail_errno (char why [WHY_BYTES], const char *doing, const char *path);

/*  LMDB's codes and errno's in our words. */
store_answer_t store_answer_of (int code);

/*  --- records as they are on disk --- */

/*  The keys of two records: the identity, and the store id before an adoption, which is kept
 *  until the core has recorded the adoption in its first batch. */
MDB_val store_identity_key (void);
MDB_val store_adopted_key (void);

/*  Puts the value with its checksum before it. */
int store_put_sealed (MDB_txn *txn, MDB_dbi table, MDB_val *key, bytes_t value);

/*  False when the checksum is wrong. */
bool store_open_sealed (const MDB_val *key, const MDB_val *sealed, bytes_t *value);

void store_identity_write (const store_t *self, uint8_t value [IDENTITY_BYTES]);
bool store_identity_read (const MDB_val *key, const MDB_val *sealed, store_identity_t *identity,
                          int64_t *stamp_ms);

/*  Is it of the first layout, which had no checksums? */
bool store_identity_unsealed (const MDB_val *value);

void store_checksum (const MDB_val *key, const uint8_t *value, size_t size,
                     uint8_t sum [CHECKSUM_BYTES]);

int store_read_begin (store_t *self, MDB_txn **txn, MDB_cursor **cursor);

/*  --- damage --- */

/*  Is the file the one that was opened, and nothing of it gone? Else STORE_DAMAGED with why. */
store_answer_t store_look (store_t *self);

/*  Notes a damaged record; true if it was not noted before. */
bool store_note_damage (store_t *self, const MDB_val *key, const MDB_val *sealed);

/*  From here to there a fault is the store's; see store_guard. */
void store_inside (bool now);

/*  LMDB trusts its pages, and reading a damaged file can kill the reader: so it is read first by a
 *  child, whose death is an answer. */
store_answer_t store_check_damage (const char *path, char why [WHY_BYTES]);

/*  May LMDB write on these pages, too? A code of LMDB's or an errno. For that child. */
int store_check_pages (MDB_env *env, MDB_txn *txn);

/*  The same of any reading of the file: what read returns, a code of LMDB's or an errno, in our
 *  words. why is filled when the child died, or could not be started. */
store_answer_t store_try (int (*read) (void *owner), void *owner, const char *path,
                          char why [WHY_BYTES]);

/*  --- folders --- */

#define STORE_FILE "store.mdb"
#define LOCK_FILE  "lock"

/*  "folder/name"; false when it is too long. */
bool store_path (char path [STORE_PATH_BYTES], const char *folder, const char *name);

/*  Makes a name in a folder durable. */
void store_folder_sync (const char *folder);

/*  A folder that existed before may belong to somebody else, or be writable by others: then false.
 */
bool store_folder_ours (const char *folder, char why [WHY_BYTES]);

#endif
