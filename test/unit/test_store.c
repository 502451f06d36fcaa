/*  test_store - what was flushed is there, what was not is not; one process a store.
 *
 *  Other processes are forks of this one; it has no threads.
 */
#include "store.h"

#include "pool.h"
#include "prng.h"

#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <lmdb.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define MAP_BYTES ((uint64_t) 16 << 20)

static char folder [64];
static const uint8_t entropy [STORE_ID_BYTES] = "sixteen bytes id";

static int folder_new (void **state)
{
    (void) state;
    snprintf (folder, sizeof folder, "/tmp/musubi-store-XXXXXX");
    return mkdtemp (folder) ? 0 : -1;
}

static int remove_one (const char *path, const struct stat *seen, int kind, struct FTW *place)
{
    (void) seen;
    (void) kind;
    (void) place;
    return remove (path);
}

static int folder_remove (void **state)
{
    (void) state;
    return nftw (folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static store_answer_t try_open (store_t **store, char why [STORE_WHY_BYTES])
{
    return store_open (store, folder, MAP_BYTES, entropy, 1000, why);
}

static store_t *open_store (void)
{
    store_t *store = NULL;
    char why [STORE_WHY_BYTES];
    store_answer_t answer = try_open (&store, why);
    assert_string_equal (why, "");
    assert_int_equal (answer, STORE_OK);
    return store;
}

static bytes_t text (const char *words)
{
    return (bytes_t){.data = (const uint8_t *) words, .size = strlen (words)};
}

static void put (store_t *store, uint8_t table, const char *key, const char *value)
{
    assert_int_equal (store_put (store, table, text (key), text (value)), STORE_OK);
}

static void flush_one (store_t *store, uint8_t table, const char *key, const char *value)
{
    assert_int_equal (store_begin (store), STORE_OK);
    put (store, table, key, value);
    assert_int_equal (store_flush (store, 2000), STORE_OK);
}

/*  All records as "table key=value;" */
static bool write_down (void *owner, uint8_t table, bytes_t key, bytes_t value, bool sound)
{
    assert_true (sound);
    char *all = owner;
    sprintf (all + strlen (all), "%u %.*s=%.*s;", table, (int) key.size, (const char *) key.data,
             (int) value.size, (const char *) value.data);
    return true;
}

static void assert_holds (store_t *store, const char *expected)
{
    char all [4096] = "";
    assert_int_equal (store_each (store, write_down, all), STORE_OK);
    assert_string_equal (all, expected);
}

static void gives_back_what_was_flushed_in_order_of_table_and_key (void **state)
{
    (void) state;
    store_t *store = open_store ();
    assert_int_equal (store_begin (store), STORE_OK);
    put (store, 2, "a", "3");
    put (store, 1, "b", "2");
    put (store, 1, "a", "1");
    put (store, 1, "ab", "");
    assert_int_equal (store_flush (store, 2000), STORE_OK);
    store_close (&store);
    store_close (&store);
    store = open_store ();
    assert_holds (store, "1 a=1;1 ab=;1 b=2;2 a=3;");
    store_close (&store);
}

static void forgets_a_batch_that_was_not_flushed (void **state)
{
    (void) state;
    store_t *store = open_store ();
    flush_one (store, 1, "kept", "1");
    assert_int_equal (store_begin (store), STORE_OK);
    put (store, 1, "lost", "1");
    assert_int_equal (store_delete (store, 1, text ("kept")), STORE_OK);
    store_close (&store);
    store = open_store ();
    assert_holds (store, "1 kept=1;");
    store_close (&store);
}

static void the_last_put_counts_and_deleting_nothing_is_fine (void **state)
{
    (void) state;
    store_t *store = open_store ();
    assert_int_equal (store_begin (store), STORE_OK);
    put (store, 1, "a", "old");
    put (store, 1, "a", "new and longer");
    put (store, 1, "b", "gone");
    assert_int_equal (store_delete (store, 1, text ("b")), STORE_OK);
    assert_int_equal (store_delete (store, 1, text ("never")), STORE_OK);
    assert_int_equal (store_flush (store, 2000), STORE_OK);
    assert_holds (store, "1 a=new and longer;");
    store_close (&store);
}

static bool stop_at_first (void *owner, uint8_t table, bytes_t key, bytes_t value, bool sound)
{
    assert_true (sound);
    (void) table;
    (void) key;
    (void) value;
    ++*(int *) owner;
    return false;
}

static void a_visit_can_end_early (void **state)
{
    (void) state;
    store_t *store = open_store ();
    flush_one (store, 1, "a", "1");
    flush_one (store, 1, "b", "1");
    int visits = 0;
    assert_int_equal (store_each (store, stop_at_first, &visits), STORE_OK);
    assert_int_equal (visits, 1);
    store_close (&store);
}

static void the_id_stays_and_starts_are_counted (void **state)
{
    (void) state;
    for (uint32_t start = 1; start <= 3; start++) {
        store_t *store = open_store ();
        assert_int_equal (store_identity (store)->start, start);
        assert_memory_equal (store_identity (store)->id, entropy, STORE_ID_BYTES);
        store_close (&store);
    }
}

static void the_stamp_is_the_latest_ever_written (void **state)
{
    (void) state;
    store_t *store = open_store (); /* stamps 1000 */
    assert_true (store_stamp_ms (store) < 1000);
    assert_int_equal (store_begin (store), STORE_OK);
    assert_int_equal (store_flush (store, 5000), STORE_OK);
    assert_int_equal (store_begin (store), STORE_OK);
    assert_int_equal (store_flush (store, 4000), STORE_OK);
    store_close (&store);
    store = open_store ();
    assert_int_equal (store_stamp_ms (store), 5000);
    store_close (&store);
    store = open_store ();
    assert_int_equal (store_stamp_ms (store), 5000);
    store_close (&store);
}

/*  Runs as another process; returns its exit code. */
static int elsewhere (int (*act) (void))
{
    pid_t child = fork ();
    assert_true (child >= 0);
    if (child == 0)
        _exit (act ());
    int status;
    assert_int_equal (waitpid (child, &status, 0), child);
    assert_true (WIFEXITED (status));
    return WEXITSTATUS (status);
}

static int open_and_tell (void)
{
    store_t *store;
    char why [STORE_WHY_BYTES];
    return (int) try_open (&store, why);
}

static void a_second_process_is_locked_out (void **state)
{
    (void) state;
    assert_false (store_locked (folder));
    store_t *store = open_store ();
    assert_true (store_locked (folder));
    assert_int_equal (elsewhere (open_and_tell), STORE_LOCKED);
    assert_int_equal (open_and_tell (), STORE_LOCKED);
    store_close (&store);
    assert_false (store_locked (folder));
    assert_int_equal (elsewhere (open_and_tell), STORE_OK);
}

/*  A writer that tells each flushed number through a pipe, until it is killed. */
static void write_on (int told)
{
    store_t *store;
    char why [STORE_WHY_BYTES];
    if (try_open (&store, why) != STORE_OK)
        _exit (1);
    for (uint32_t number = 1;; number++) {
        char key [16];
        snprintf (key, sizeof key, "%08" PRIu32, number);
        if (store_begin (store) != STORE_OK ||
            store_put (store, 1, text (key), text ("told")) != STORE_OK ||
            store_flush (store, 2000) != STORE_OK ||
            write (told, &number, sizeof number) != sizeof number)
            _exit (1);
    }
}

static bool count_one (void *owner, uint8_t table, bytes_t key, bytes_t value, bool sound)
{
    assert_true (sound);
    (void) table;
    (void) key;
    (void) value;
    ++*(uint32_t *) owner;
    return true;
}

static void a_killed_process_leaves_what_it_told_and_no_lock (void **state)
{
    (void) state;
    uint32_t told_last = 0, number, starts = 4;
    for (uint32_t start = 1; start <= starts; start++) {
        int pipes [2];
        assert_int_equal (pipe (pipes), 0);
        pid_t child = fork ();
        assert_true (child >= 0);
        if (child == 0)
            write_on (pipes [1]);
        close (pipes [1]);
        while (read (pipes [0], &number, sizeof number) == sizeof number && number < 20 * start)
            ;
        assert_int_equal (kill (child, SIGKILL), 0);
        told_last = number > told_last ? number : told_last;
        while (read (pipes [0], &number, sizeof number) == sizeof number)
            told_last = number > told_last ? number : told_last;
        assert_int_equal (waitpid (child, NULL, 0), child);
        close (pipes [0]);
    }
    assert_true (told_last >= 20 * starts);
    store_t *store = open_store ();
    uint32_t found = 0;
    assert_int_equal (store_each (store, count_one, &found), STORE_OK);
    assert_true (found >= told_last && found <= told_last + 1);
    assert_int_equal (store_identity (store)->start, starts + 1);
    store_close (&store);
}

static void in_folder (char path [128], const char *name)
{
    snprintf (path, 128, "%s/%s", folder, name);
}

/*  Who takes a store over without its lock is an operator's mistake, or a file system's. */
static void a_store_that_was_taken_over_takes_no_more_writes (void **state)
{
    (void) state;
    char lock [128];
    in_folder (lock, "lock");
    store_t *store = open_store ();
    flush_one (store, 1, "ours", "1");
    assert_int_equal (unlink (lock), 0);
    assert_int_equal (elsewhere (open_and_tell), STORE_OK);
    assert_int_equal (store_begin (store), STORE_TAKEN);
    assert_string_equal (store_why (store), "the store was taken over: its start is 2, ours was 1");
    assert_int_equal (store_begin (store), STORE_TAKEN);
    store_close (&store);
}

static void a_full_map_refuses_and_keeps_what_it_has (void **state)
{
    (void) state;
    store_t *store = NULL;
    char why [STORE_WHY_BYTES];
    static const uint8_t value [20000];
    assert_int_equal (store_open (&store, folder, STORE_BYTES_LEAST, entropy, 0, why), STORE_OK);
    uint64_t free_before = store_free_bytes (store);
    assert_true (free_before > STORE_BYTES_LEAST / 2 && free_before <= store_bytes (store));
    uint32_t kept = 0, found = 0;
    store_answer_t answer = STORE_OK;
    while (kept < 1000) {
        assert_int_equal (store_begin (store), STORE_OK);
        answer = store_put (store, 1, (bytes_t){.data = (uint8_t *) &kept, .size = sizeof kept},
                            (bytes_t){.data = value, .size = sizeof value});
        if (answer == STORE_OK)
            answer = store_flush (store, 0);
        if (answer != STORE_OK)
            break;
        kept++;
    }
    assert_int_equal (answer, STORE_FULL);
    assert_true (kept > 10);
    store_close (&store);
    assert_int_equal (store_open (&store, folder, STORE_BYTES_LEAST, entropy, 0, why), STORE_OK);
    assert_int_equal (store_each (store, count_one, &found), STORE_OK);
    assert_int_equal (found, kept);
    assert_true (store_free_bytes (store) < free_before / 10);

    /*  Deleting always has room, and gives room back. */
    for (uint32_t i = 0; i < kept; i++) {
        assert_int_equal (store_begin (store), STORE_OK);
        assert_int_equal (
          store_delete (store, 1, (bytes_t){.data = (uint8_t *) &i, .size = sizeof i}), STORE_OK);
        assert_int_equal (store_flush (store, 0), STORE_OK);
    }
    for (int i = 0; i < STORE_COUNT_FLUSHES; i++)
        flush_one (store, 1, "x", "1");
    assert_true (store_free_bytes (store) > free_before / 2);
    store_close (&store);
}

#define NO_SMALL_DISK 77

/*  On a disk of 2 MiB, in a view of the file system of its own. Returns how the first write that
 *  failed did so, if all before it are still there. */
static int fill_the_disk (void)
{
    store_t *store;
    char why [STORE_WHY_BYTES];
    static const uint8_t value [100000];
    if ((unshare (CLONE_NEWNS) != 0 && unshare (CLONE_NEWUSER | CLONE_NEWNS) != 0) ||
        mount (NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount ("tmpfs", folder, "tmpfs", 0, "size=2m") != 0)
        return NO_SMALL_DISK;
    if (try_open (&store, why) != STORE_OK || store_bytes (store) > 2 << 20)
        return -1;
    store_answer_t answer = STORE_OK;
    uint32_t kept = 0, found = 0;
    for (; kept < 100; kept++) {
        bytes_t key = {.data = (const uint8_t *) &kept, .size = sizeof kept};
        answer = store_begin (store);
        if (answer == STORE_OK)
            answer = store_put (store, 1, key, (bytes_t){.data = value, .size = sizeof value});
        if (answer == STORE_OK)
            answer = store_flush (store, 0);
        if (answer != STORE_OK)
            break;
    }
    store_close (&store);
    if (mount ("tmpfs", folder, "tmpfs", MS_REMOUNT, "size=4m") != 0 ||
        try_open (&store, why) != STORE_OK || store_each (store, count_one, &found) != STORE_OK)
        return -1;
    return kept > 5 && found == kept ? (int) answer : -1;
}

static void a_full_disk_refuses_and_keeps_what_it_has (void **state)
{
    (void) state;
    int answer = elsewhere (fill_the_disk);
    if (answer == NO_SMALL_DISK)
        skip ();
    assert_int_equal (answer, STORE_FULL);
}

static void fill_some (void)
{
    store_t *store = open_store ();
    for (int batch = 0; batch < 6; batch++) {
        assert_int_equal (store_begin (store), STORE_OK);
        for (int i = 0; i < 50; i++) {
            char key [32], value [300];
            snprintf (key, sizeof key, "key %d %d", i, batch);
            snprintf (value, sizeof value, "%0250d", i);
            put (store, 1, key, value);
        }
        assert_int_equal (store_flush (store, 2000), STORE_OK);
    }
    store_close (&store);
}

static void assert_damaged (void)
{
    store_t *store = NULL;
    char why [STORE_WHY_BYTES];
    assert_int_equal (try_open (&store, why), STORE_DAMAGED);
    assert_null (store);
    assert_non_null (strstr (why, "damaged"));
}

static void a_store_cut_short_is_called_damaged (void **state)
{
    (void) state;
    char path [128];
    in_folder (path, "store.mdb");
    fill_some ();
    struct stat whole;
    assert_int_equal (stat (path, &whole), 0);
    static const off_t cuts [] = {1, 100, 4096, 5000, 3 * 4096};
    for (size_t i = 0; i < sizeof cuts / sizeof cuts [0]; i++) {
        assert_int_equal (truncate (path, cuts [i]), 0);
        assert_damaged ();
    }
}

static void a_file_that_is_no_store_is_called_damaged (void **state)
{
    (void) state;
    char path [128];
    in_folder (path, "store.mdb");
    FILE *file = fopen (path, "w");
    assert_non_null (file);
    for (int i = 0; i < 2000; i++)
        fputs ("Dear diary, ", file);
    fclose (file);
    assert_damaged ();
}

static void write_file (const char *path, const uint8_t *bytes, size_t size)
{
    FILE *file = fopen (path, "w");
    assert_non_null (file);
    assert_int_equal (fwrite (bytes, 1, size, file), size);
    assert_int_equal (fclose (file), 0);
}

/*  Whatever a disk does to the pages: a word, never a crash. What hits only unused bytes goes
 *  unseen. */
static void scribbled_pages_never_crash (void **state)
{
    (void) state;
    char path [128], why [STORE_WHY_BYTES];
    in_folder (path, "store.mdb");
    fill_some ();
    static uint8_t whole [1 << 20];
    FILE *file = fopen (path, "r");
    assert_non_null (file);
    size_t size = fread (whole, 1, sizeof whole, file);
    fclose (file);
    assert_true (size > 0 && size < sizeof whole);

    int damaged = 0;
    for (size_t page = 0; (page + 1) * 4096 <= size; page++) {
        uint8_t kept [4096];
        memcpy (kept, whole + page * 4096, sizeof kept);
        memset (whole + page * 4096, 0xa5, sizeof kept);
        write_file (path, whole, size);
        memcpy (whole + page * 4096, kept, sizeof kept);
        store_t *store = NULL;
        store_answer_t answer = try_open (&store, why);
        assert_true (answer == STORE_OK || answer == STORE_DAMAGED);
        damaged += answer == STORE_DAMAGED;
        store_close (&store);
    }
    assert_true (damaged > 10);
}

/*  What fill_some puts, or damaged. */
typedef struct {
    size_t sound;
    size_t damaged;
} visited_t;

static bool visit_filled (void *owner, uint8_t table, bytes_t key, bytes_t value, bool sound)
{
    visited_t *visited = owner;
    visited->sound += sound;
    visited->damaged += !sound;
    if (!sound) {
        assert_int_equal (value.size, RECORD_DAMAGED.size);
        return true;
    }
    int i, batch;
    char name [32], wanted [300];
    snprintf (name, sizeof name, "%.*s", (int) key.size, (const char *) key.data);
    assert_int_equal (sscanf (name, "key %d %d", &i, &batch), 2);
    snprintf (wanted, sizeof wanted, "%0250d", i);
    assert_int_equal (table, 1);
    assert_int_equal (value.size, strlen (wanted));
    assert_memory_equal (value.data, wanted, value.size);
    return true;
}

/*  Changed bytes, and ends that are missing, anywhere. */
static void what_is_not_as_it_was_put_is_never_taken_for_it (void **state)
{
    (void) state;
    char path [128], why [STORE_WHY_BYTES];
    in_folder (path, "store.mdb");
    fill_some ();
    static uint8_t whole [1 << 20];
    FILE *file = fopen (path, "r");
    assert_non_null (file);
    size_t size = fread (whole, 1, sizeof whole, file);
    fclose (file);
    assert_true (size > 0 && size < sizeof whole);

    prng_t prng;
    prng_seed (&prng, 7);
    visited_t all = {0};
    size_t refused = 0;
    for (int i = 0; i < 200; i++) {
        size_t at = prng_below (&prng, size);
        uint8_t bits = (uint8_t) (1 + prng_below (&prng, 255));
        bool cut = i % 10 == 0;
        whole [at] ^= bits;
        write_file (path, whole, cut ? at : size);
        whole [at] ^= bits;
        store_t *store = NULL;
        store_answer_t answer = try_open (&store, why);
        assert_true (answer == STORE_OK || (answer == STORE_DAMAGED && *why));
        refused += answer == STORE_DAMAGED;
        if (store)
            assert_int_equal (store_each (store, visit_filled, &all), STORE_OK);
        if (store && store_begin (store) == STORE_OK) { /* and it can be written on */
            put (store, 2, "more", "of it");
            assert_int_equal (store_flush (store, 3000), STORE_OK);
        }
        store_close (&store);
    }
    assert_true (refused > 0 && all.damaged > 0 && all.sound > 1000);
}

/*  The first layout, as it was: an identity of 32 bytes without a checksum. */
static void a_store_of_the_first_layout_is_refused_with_a_word_to_its_operator (void **state)
{
    (void) state;
    char path [128], why [STORE_WHY_BYTES];
    in_folder (path, "store.mdb");
    uint8_t name [] = {0, 's', 't', 'o', 'r', 'e'};
    uint8_t identity [32] = {0, 0, 0, 1, 0, 0, 0, 3};
    MDB_env *env;
    MDB_txn *txn;
    MDB_dbi table;
    MDB_val key = {.mv_size = sizeof name, .mv_data = name};
    MDB_val value = {.mv_size = sizeof identity, .mv_data = identity};
    assert_int_equal (mdb_env_create (&env), 0);
    assert_int_equal (mdb_env_open (env, path, MDB_NOSUBDIR, 0600), 0);
    assert_int_equal (mdb_txn_begin (env, NULL, 0, &txn), 0);
    assert_int_equal (mdb_dbi_open (txn, NULL, 0, &table), 0);
    assert_int_equal (mdb_put (txn, table, &key, &value, 0), 0);
    assert_int_equal (mdb_txn_commit (txn), 0);
    mdb_env_close (env);
    store_t *store = NULL;
    assert_int_equal (try_open (&store, why), STORE_DAMAGED);
    assert_non_null (strstr (why, "layout 1"));
    assert_non_null (strstr (why, "earlier version"));
}

static void a_folder_that_cannot_be_made_is_told (void **state)
{
    (void) state;
    store_t *store = NULL;
    char why [STORE_WHY_BYTES];
    assert_int_equal (store_open (&store, "/dev/null/store", MAP_BYTES, entropy, 0, why),
                      STORE_ERROR);
    assert_string_equal (why, "cannot make folder /dev/null/store: Not a directory");
}

static store_t *claim (void)
{
    store_t *store = NULL;
    char why [STORE_WHY_BYTES];
    assert_int_equal (pool_claim (&store, folder, MAP_BYTES, entropy, 0, why), STORE_OK);
    return store;
}

static void a_pool_gives_each_its_own_and_the_first_free_one_again (void **state)
{
    (void) state;
    store_t *first = claim (), *second = claim ();
    char first_folder [128];
    snprintf (first_folder, sizeof first_folder, "%s", store_folder (first));
    assert_string_not_equal (first_folder, store_folder (second));
    store_close (&first);
    first = claim ();
    assert_string_equal (first_folder, store_folder (first));
    assert_int_equal (store_identity (first)->start, 2);
    store_close (&first);
    store_close (&second);
}

#define CLAIMERS 12

static void many_claim_at_once_and_none_shares (void **state)
{
    (void) state;
    int go [2], told [2];
    assert_int_equal (pipe (go), 0);
    assert_int_equal (pipe (told), 0);
    for (int i = 0; i < CLAIMERS; i++) {
        pid_t child = fork ();
        assert_true (child >= 0);
        if (child > 0)
            continue;
        close (go [1]);
        char byte, path [64] = "";
        store_t *store;
        char why [STORE_WHY_BYTES];
        ssize_t ended = read (go [0], &byte, 1); /* all start when the pipe closes */
        if (ended == 0 && pool_claim (&store, folder, MAP_BYTES, entropy, 0, why) == STORE_OK)
            snprintf (path, sizeof path, "%s", store_folder (store) + strlen (folder));
        if (write (told [1], path, sizeof path) != sizeof path)
            _exit (1);
        pause (); /* holds its store until killed */
        _exit (0);
    }
    close (go [0]);
    close (go [1]);
    char paths [CLAIMERS][64];
    for (int i = 0; i < CLAIMERS; i++)
        assert_int_equal (read (told [0], paths [i], sizeof paths [i]), sizeof paths [i]);
    for (int i = 0; i < CLAIMERS; i++) {
        assert_true (paths [i][0]);
        for (int j = 0; j < i; j++)
            assert_string_not_equal (paths [i], paths [j]);
    }
    close (told [0]);
    close (told [1]);
}

/*  The claimers are this process's only children. */
static int end_children (void **state)
{
    char path [64];
    snprintf (path, sizeof path, "/proc/self/task/%d/children", (int) getpid ());
    FILE *file = fopen (path, "r");
    int child;
    while (file && fscanf (file, "%d", &child) == 1)
        kill (child, SIGKILL);
    if (file)
        fclose (file);
    while (wait (NULL) > 0)
        ;
    return folder_remove (state);
}

static void a_damaged_store_does_not_hold_up_its_pool (void **state)
{
    (void) state;
    store_t *store = claim ();
    char damaged [128], path [160];
    snprintf (damaged, sizeof damaged, "%s", store_folder (store));
    store_close (&store);
    snprintf (path, sizeof path, "%s/store.mdb", damaged);
    assert_int_equal (truncate (path, 5000), 0);
    store = claim ();
    assert_string_not_equal (store_folder (store), damaged);
    store_close (&store);
}

#define STORE_TEST(name) cmocka_unit_test_setup_teardown (name, folder_new, folder_remove)

int main (void)
{
    const struct CMUnitTest tests [] = {
      STORE_TEST (gives_back_what_was_flushed_in_order_of_table_and_key),
      STORE_TEST (forgets_a_batch_that_was_not_flushed),
      STORE_TEST (the_last_put_counts_and_deleting_nothing_is_fine),
      STORE_TEST (a_visit_can_end_early),
      STORE_TEST (the_id_stays_and_starts_are_counted),
      STORE_TEST (the_stamp_is_the_latest_ever_written),
      STORE_TEST (a_second_process_is_locked_out),
      STORE_TEST (a_killed_process_leaves_what_it_told_and_no_lock),
      STORE_TEST (a_store_that_was_taken_over_takes_no_more_writes),
      STORE_TEST (a_full_map_refuses_and_keeps_what_it_has),
      STORE_TEST (a_full_disk_refuses_and_keeps_what_it_has),
      STORE_TEST (a_store_cut_short_is_called_damaged),
      STORE_TEST (a_file_that_is_no_store_is_called_damaged),
      STORE_TEST (scribbled_pages_never_crash),
      STORE_TEST (what_is_not_as_it_was_put_is_never_taken_for_it),
      STORE_TEST (a_store_of_the_first_layout_is_refused_with_a_word_to_its_operator),
      STORE_TEST (a_folder_that_cannot_be_made_is_told),
      STORE_TEST (a_pool_gives_each_its_own_and_the_first_free_one_again),
      cmocka_unit_test_setup_teardown (many_claim_at_once_and_none_shares, folder_new,
                                       end_children),
      STORE_TEST (a_damaged_store_does_not_hold_up_its_pool),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
