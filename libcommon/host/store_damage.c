/*  store_damage - is a file sound enough to be opened? Every page is read as LMDB would read it.
 */
#include "store_state.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE_BYTES_LEAST 512 /* of LMDB's */

/*  Reads in every page of every record, and holds keys and their number against what LMDB relies
 *  on; the sum keeps the reads. */
static int store_damage_walk (MDB_txn *txn, MDB_dbi table, unsigned *sum)
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
        for (size_t i = 0; i < value.mv_size; i += PAGE_BYTES_LEAST)
            *sum += at [i];
        if (value.mv_size > 0)
            *sum += at [value.mv_size - 1];
    }
    if (code == MDB_NOTFOUND)
        code = count == stat.ms_entries ? MDB_SUCCESS : MDB_CORRUPTED;
    return code;
}

static int inspect (void *owner)
{
    const char *path = owner;
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
        code = store_damage_walk (txn, table, &sum);
    if (code == MDB_SUCCESS)
        code = store_damage_walk (txn, 0, &sum); /* LMDB's own table of free pages */
    if (code == MDB_SUCCESS)
        code = store_check_pages (env, txn);
    return code;
}

/*  A host opens its store before it has threads; in a process that has some, the child uses
 *  nothing of theirs but the allocator, which glibc keeps usable in it. */
store_answer_t store_try (int (*read) (void *owner), void *owner, const char *path,
                          char why [WHY_BYTES])
{
    pid_t child = fork ();
    if (child < 0)
        return store_fail_errno (why, "cannot start the check of", path);
    if (child == 0) {
        static const int deaths [] = {SIGBUS, SIGSEGV, SIGABRT, SIGFPE, SIGILL};
        for (size_t i = 0; i < sizeof deaths / sizeof deaths [0]; i++)
            signal (deaths [i], SIG_DFL); /* whatever this process does with them, a child dies */
        _exit ((int) store_answer_of (read (owner)));
    }
    int status;
    while (waitpid (child, &status, 0) < 0)
        if (errno != EINTR)
            return store_fail_errno (why, "cannot wait for the check of", path);
    if (WIFEXITED (status) && WEXITSTATUS (status) != STORE_DAMAGED)
        return (store_answer_t) WEXITSTATUS (status);
    return store_fail (why, STORE_DAMAGED, "store %.150s is damaged: restore it from a backup",
                       path);
}

store_answer_t store_check_damage (const char *path, char why [WHY_BYTES])
{
    struct stat file;
    if (stat (path, &file) != 0)
        return errno == ENOENT ? STORE_OK : store_fail_errno (why, "cannot examine", path);
    if (file.st_size == 0)
        return STORE_OK; /* a crash before the first write */
    store_answer_t answer = store_try (inspect, (void *) path, path, why);
    return answer == STORE_DAMAGED || *why ? answer : STORE_OK; /* the real open tells the rest */
}
