/*  store_copy - a copy of a store that may be in use.
 *
 *  LMDB lets a second process read one moment of the file while the first goes on writing. Other
 *  files are written once, named, and never changed, and only when that has been done do records
 *  leave for them: so a name that is new behind the copy of the records may be of a later moment,
 *  and the copy is made again.
 */
#include "store_state.h"

#include "must.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define COPY_TRIES_MAX 10

typedef struct {
    char from [STORE_PATH_BYTES]; /* the records' file */
    char to [STORE_PATH_BYTES];
} copy_names_t;

/*  --- the records --- */

static int copy_open (MDB_env **env, const char *path, unsigned flags)
{
    int code = mdb_env_create (env);
    return code ? code : mdb_env_open (*env, path, MDB_NOSUBDIR | MDB_RDONLY | flags, 0600);
}

/*  In a child: a damaged page can kill it. Free pages are left out. */
static int copy_records (void *owner)
{
    const copy_names_t *names = owner;
    MDB_env *env;
    int file = open (names->to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0)
        return errno;
    int code = copy_open (&env, names->from, MDB_NOTLS);
    if (code == MDB_SUCCESS)
        code = mdb_env_copyfd2 (env, file, MDB_CP_COMPACT);
    if (code == MDB_SUCCESS && fsync (file) != 0)
        code = errno;
    return code;
}

/*  Verifies every checksum. */
static int copy_count (MDB_txn *txn, store_copied_t *copied)
{
    MDB_dbi table;
    MDB_cursor *cursor;
    MDB_val key, sealed;
    int code = mdb_dbi_open (txn, NULL, 0, &table);
    if (code == MDB_SUCCESS)
        code = mdb_cursor_open (txn, table, &cursor);
    if (code != MDB_SUCCESS)
        return code;
    while ((code = mdb_cursor_get (cursor, &key, &sealed, MDB_NEXT)) == MDB_SUCCESS) {
        const uint8_t *at = key.mv_data;
        bytes_t value;
        bool sound = store_open_sealed (&key, &sealed, &value);
        copied->records++;
        copied->damaged += !sound;
        if (at [0] == TABLE_LEDGER && key.mv_size == 1 + 8 && sound)
            copied->last_row = number_get (at + 1, 8);
    }
    mdb_cursor_close (cursor);
    return code == MDB_NOTFOUND ? MDB_SUCCESS : code;
}

static int copy_read_back (const char *path, store_copied_t *copied)
{
    MDB_env *env = NULL;
    MDB_txn *txn;
    struct stat file;
    copied->bytes += stat (path, &file) == 0 ? (uint64_t) file.st_size : 0;
    int code = copy_open (&env, path, MDB_NOLOCK);
    if (code == MDB_SUCCESS)
        code = mdb_txn_begin (env, NULL, MDB_RDONLY, &txn);
    if (code == MDB_SUCCESS) {
        code = copy_count (txn, copied);
        mdb_txn_abort (txn); /* an environment's close frees no transaction */
    }
    mdb_env_close (env);
    return code;
}

/*  --- the files beside them --- */

static int copy_by_name (const FTSENT **a, const FTSENT **b)
{
    return strcmp ((*a)->fts_name, (*b)->fts_name);
}

/*  A line each, sorted: "ledger/1-100"; new. */
static char *names_beside (const char *folder)
{
    char *names;
    size_t size, skip = strlen (folder);
    skip += folder [skip - 1] != '/';
    FILE *list = must (open_memstream (&names, &size));
    char *const tops [] = {(char *) folder, NULL};
    FTS *walk = fts_open (tops, FTS_NOCHDIR | FTS_PHYSICAL, copy_by_name);
    for (FTSENT *entry; walk && (entry = fts_read (walk));)
        if (entry->fts_info == FTS_F && strchr (entry->fts_name, '\n') == NULL &&
            (entry->fts_level > 1 ||
             (strncmp (entry->fts_name, STORE_FILE, strlen (STORE_FILE)) != 0 &&
              strcmp (entry->fts_name, LOCK_FILE) != 0)))
            fprintf (list, "%s\n", entry->fts_path + skip);
    if (walk)
        fts_close (walk);
    fclose (list);
    return names;
}

/*  With the folder that it is in, which is made. */
static bool copy_file (const char *from, const char *to, store_copied_t *copied)
{
    char above [STORE_PATH_BYTES];
    snprintf (above, sizeof above, "%.*s", (int) (strrchr (to, '/') - to), to);
    if (mkdir (above, 0700) != 0 && errno != EEXIST)
        return false;
    int in = open (from, O_RDONLY | O_CLOEXEC);
    int out = in < 0 ? -1 : open (to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ssize_t sent = out < 0 ? -1 : 1;
    while (sent > 0 && (sent = sendfile (out, in, NULL, 1 << 30)) > 0)
        copied->bytes += (uint64_t) sent;
    bool good = sent == 0 && fsync (out) == 0;
    int error = errno;
    if (in >= 0)
        close (in);
    if (out >= 0)
        close (out);
    store_folder_sync (above);
    errno = error;
    return good;
}

static store_answer_t copy_beside (const char *names, const char *folder, const char *target,
                                   store_copied_t *copied, char why [WHY_BYTES])
{
    for (const char *at = names; *at; at = strchr (at, '\n') + 1) {
        char from [STORE_PATH_BYTES], to [STORE_PATH_BYTES];
        char name [STORE_PATH_BYTES];
        snprintf (name, sizeof name, "%.*s", (int) strcspn (at, "\n"), at);
        if (!store_path (from, folder, name) || !store_path (to, target, name) ||
            !copy_file (from, to, copied))
            return store_fail_errno (why, "cannot copy", name);
    }
    return STORE_OK;
}

/*  --- both --- */

static void copy_remove (const char *folder)
{
    char *const tops [] = {(char *) folder, NULL};
    FTS *walk = fts_open (tops, FTS_NOCHDIR | FTS_PHYSICAL, NULL);
    for (FTSENT *entry; walk && (entry = fts_read (walk));)
        if (entry->fts_info != FTS_D)
            remove (entry->fts_accpath);
    if (walk)
        fts_close (walk);
}

/*  names: of the files beside the records, before; replaced by those behind. */
static store_answer_t copy_once (const copy_names_t *copy, const char *folder, char **names,
                                 bool *same, char why [WHY_BYTES])
{
    store_answer_t answer = store_try (copy_records, (void *) copy, copy->from, why);
    if (answer != STORE_OK && !*why)
        store_fail (why, answer, "cannot copy %.120s to %.120s: %s", copy->from, copy->to,
                    answer == STORE_FULL ? "the disk is full" : "it can't be read or written");
    char *behind = names_beside (folder);
    *same = strcmp (*names, behind) == 0;
    free (*names);
    *names = behind;
    return answer;
}

static store_answer_t copy_all (const char *folder, const char *target, store_copied_t *copied,
                                char why [WHY_BYTES])
{
    copy_names_t copy;
    if (!store_path (copy.from, folder, STORE_FILE) || !store_path (copy.to, target, STORE_FILE))
        return store_fail (why, STORE_ERROR, "the names of the folders are too long");
    text_auto_t *names = names_beside (folder);
    bool same = false;
    store_answer_t answer = STORE_OK;
    for (int i = 0; i < COPY_TRIES_MAX && answer == STORE_OK && !same; i++)
        answer = copy_once (&copy, folder, &names, &same, why);
    if (answer == STORE_OK && !same)
        answer =
          store_fail (why, STORE_ERROR, "files in %.150s change all the time: try again", folder);
    if (answer == STORE_OK)
        answer = copy_beside (names, folder, target, copied, why);
    if (answer == STORE_OK)
        answer = store_check_damage (copy.to, why);
    int code = answer == STORE_OK ? copy_read_back (copy.to, copied) : MDB_SUCCESS;
    return code == MDB_SUCCESS ? answer : store_fail_mdb (why, code, "cannot read the copy back");
}

store_answer_t store_copy (const char *folder, const char *target, store_copied_t *copied,
                           char why [WHY_BYTES])
{
    char partial [STORE_PATH_BYTES];
    struct stat found;
    why [0] = '\0';
    *copied = (store_copied_t){0};
    if (stat (folder, &found) != 0)
        return store_fail_errno (why, "cannot read", folder);
    if (!store_folder_ours (folder, why))
        return STORE_ERROR;
    snprintf (partial, sizeof partial, "%.4000s.partial", target);
    if (lstat (target, &found) == 0)
        return store_fail (why, STORE_ERROR, "%.150s exists: give a name that is free", target);
    if (mkdir (partial, 0700) != 0)
        return errno == EEXIST ? store_fail (why, STORE_ERROR,
                                             "%.150s exists: another backup makes it now, or was "
                                             "interrupted; in that case delete it",
                                             partial)
                               : store_fail_errno (why, "cannot make", partial);
    store_answer_t answer = copy_all (folder, partial, copied, why);
    store_folder_sync (partial);
    if (answer == STORE_OK &&
        renameat2 (AT_FDCWD, partial, AT_FDCWD, target, RENAME_NOREPLACE) != 0)
        answer = store_fail_errno (why, "cannot give its name to", partial);
    if (answer != STORE_OK)
        copy_remove (partial);
    *(strrchr (partial, '/') ? strrchr (partial, '/') + 1 : partial) = '\0';
    store_folder_sync (*partial ? partial : ".");
    return answer;
}
