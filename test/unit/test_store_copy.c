/*  test_store_copy - a copy of a store in use is a store as it was at one moment, or is not there.
 */
#include "store_fixture.h"

#include <dlfcn.h>
#include <lmdb.h>
#include <signal.h>

static char target [128];

/*  What happens in the process that copies the records: */
static unsigned new_files; /* behind each of so many copies of them there is a new file */
static bool killed;        /* it is killed while it reads */

static unsigned lines_of (const char *name)
{
    char path [128];
    unsigned lines = 0;
    in_folder (path, name);
    FILE *file = fopen (path, "r");
    for (int letter; file && (letter = fgetc (file)) != EOF;)
        lines += letter == '\n';
    if (file)
        fclose (file);
    return lines;
}

static void add_line (const char *name)
{
    char path [128];
    in_folder (path, name);
    FILE *file = fopen (path, "a");
    assert_non_null (file);
    fputs ("sealed\n", file);
    fclose (file);
}

/*  In place of LMDB's. */
int mdb_env_copyfd2 (MDB_env *env, mdb_filehandle_t file, unsigned flags)
{
    int (*copy) (MDB_env *, mdb_filehandle_t, unsigned);
    *(void **) &copy = dlsym (RTLD_NEXT, "mdb_env_copyfd2");
    MDB_txn *txn;
    if (killed && mdb_txn_begin (env, NULL, MDB_RDONLY, &txn) == MDB_SUCCESS)
        raise (SIGKILL);
    int code = copy (env, file, flags);
    add_line ("copies");
    unsigned made = lines_of ("copies");
    char name [64];
    snprintf (name, sizeof name, "served/ledger/%u", made);
    if (made <= new_files)
        add_line (name);
    return code;
}

static int copy_to (store_copied_t *copied, char why [WHY_BYTES])
{
    snprintf (target, sizeof target, "%s/kept", folder);
    char served [128];
    in_folder (served, "served");
    return store_copy (served, target, copied, why);
}

static store_t *open_at (const char *name)
{
    char path [128], why [WHY_BYTES];
    store_t *store = NULL;
    in_folder (path, name);
    assert_int_equal (store_open (&store, path, MAP_BYTES, entropy, 1000, why), STORE_OK);
    return store;
}

static void write_file (const char *name, const char *words)
{
    char path [128];
    in_folder (path, name);
    FILE *file = fopen (path, "w");
    assert_non_null (file);
    fputs (words, file);
    fclose (file);
}

static bool is_there (const char *name)
{
    char path [128];
    struct stat found;
    in_folder (path, name);
    return lstat (path, &found) == 0;
}

static void flush_row (store_t *store, uint64_t number)
{
    uint8_t key [8];
    number_put (key, number, sizeof key);
    assert_int_equal (store_begin (store), STORE_OK);
    assert_int_equal (
      store_put (store, TABLE_LEDGER, (bytes_t){.data = key, .size = sizeof key}, text ("row")),
      STORE_OK);
    assert_int_equal (store_flush (store, 2000), STORE_OK);
}

static bool count (void *owner, uint8_t table, bytes_t key, bytes_t value, bool sound)
{
    (void) table;
    (void) key;
    (void) value;
    assert_true (sound);
    ++*(size_t *) owner;
    return true;
}

static size_t records_in (store_t *store)
{
    size_t records = 0;
    assert_int_equal (store_each (store, count, &records), STORE_OK);
    return records;
}

static void it_has_what_was_flushed_while_the_store_goes_on (void **state)
{
    (void) state;
    store_copied_t copied;
    char why [WHY_BYTES];
    store_t *served = open_at ("served");
    flush_one (served, 1, "a", "1");
    flush_row (served, 7);
    flush_row (served, 9);
    assert_int_equal (store_begin (served), STORE_OK);
    put (served, 1, "unflushed", "1");
    assert_int_equal (copy_to (&copied, why), STORE_OK);
    assert_int_equal (store_flush (served, 2000), STORE_OK);
    flush_one (served, 1, "later", "1");
    assert_int_equal (copied.last_row, 9);
    assert_int_equal (copied.records, 4); /* with the identity */
    assert_int_equal (copied.damaged, 0);
    store_t *kept = open_at ("kept");
    assert_memory_equal (store_facts (kept)->identity.id, store_facts (served)->identity.id,
                         STORE_ID_BYTES);
    assert_int_equal (store_facts (kept)->identity.start, 2);
    assert_int_equal (records_in (kept), 2); /* of the ledger only the last */
    assert_int_equal (records_in (served), 4);
    assert_false (is_there ("kept.partial"));
    store_close (&kept);
    store_close (&served);
}

static void it_has_the_files_beside_but_no_locks (void **state)
{
    (void) state;
    store_copied_t copied;
    char why [WHY_BYTES], path [128], words [8] = "";
    store_t *served = open_at ("served");
    in_folder (path, "served/ledger");
    assert_int_equal (mkdir (path, 0700), 0);
    write_file ("served/ledger/1-100", "sealed");
    assert_int_equal (copy_to (&copied, why), STORE_OK);
    in_folder (path, "kept/ledger/1-100");
    FILE *file = fopen (path, "r");
    assert_non_null (file);
    assert_non_null (fgets (words, sizeof words, file));
    fclose (file);
    assert_string_equal (words, "sealed");
    assert_false (is_there ("kept/lock"));
    assert_false (is_there ("kept/store.mdb-lock"));
    in_folder (path, "kept/store.mdb");
    struct stat records;
    assert_int_equal (stat (path, &records), 0);
    assert_int_equal (copied.bytes, records.st_size + (off_t) strlen ("sealed"));
    store_close (&served);
}

static store_t *open_with_a_folder_beside (void)
{
    char path [128];
    store_t *served = open_at ("served");
    in_folder (path, "served/ledger");
    assert_int_equal (mkdir (path, 0700), 0);
    flush_one (served, 1, "a", "1");
    return served;
}

static void a_file_that_is_new_behind_the_records_has_them_copied_again (void **state)
{
    (void) state;
    store_copied_t copied;
    char why [WHY_BYTES];
    store_t *served = open_with_a_folder_beside ();
    new_files = 2;
    assert_int_equal (copy_to (&copied, why), STORE_OK);
    assert_int_equal (lines_of ("copies"), 3);
    assert_int_equal (lines_of ("kept/ledger/1"), 1);
    assert_int_equal (lines_of ("kept/ledger/2"), 1);
    assert_int_equal (copied.records, 2); /* counted once, with the identity */
    store_close (&served);
}

static void when_files_are_new_each_time_it_gives_up (void **state)
{
    (void) state;
    store_copied_t copied;
    char why [WHY_BYTES];
    store_t *served = open_with_a_folder_beside ();
    new_files = 1000;
    assert_int_equal (copy_to (&copied, why), STORE_ERROR);
    assert_non_null (strstr (why, "change all the time: try again"));
    assert_false (is_there ("kept"));
    assert_false (is_there ("kept.partial"));
    store_close (&served);
}

static off_t size_of_served (void)
{
    char path [128];
    struct stat found;
    in_folder (path, "served/store.mdb");
    assert_int_equal (stat (path, &found), 0);
    return found.st_size;
}

/*  Each flush frees as many pages as it takes. */
static void flush_often (store_t *store)
{
    char value [3000];
    memset (value, 'v', sizeof value - 1);
    value [sizeof value - 1] = '\0';
    for (int i = 0; i < 200; i++)
        flush_one (store, 1, "a", value);
}

static void one_that_is_killed_keeps_no_pages_for_long (void **state)
{
    (void) state;
    store_copied_t copied;
    char why [WHY_BYTES];
    store_t *served = open_at ("served");
    flush_often (served);
    off_t small = size_of_served ();
    flush_often (served);
    assert_int_equal (size_of_served (), small); /* pages are used again */
    killed = true;
    assert_int_not_equal (copy_to (&copied, why), STORE_OK);
    assert_false (is_there ("kept"));
    assert_false (is_there ("kept.partial"));
    flush_often (served);
    off_t grown = size_of_served ();
    assert_true (grown > small + 200L * 4096); /* as long as it counts as a reader */
    size_t seen = 0;
    bool ended = false;
    while (!ended)
        assert_int_equal (store_scrub (served, 1 << 16, count, &seen, &ended), STORE_OK);
    flush_often (served);
    assert_int_equal (size_of_served (), grown);
    store_close (&served);
}

static void it_replaces_nothing (void **state)
{
    (void) state;
    store_copied_t copied;
    char why [WHY_BYTES], path [128];
    store_t *served = open_at ("served");
    in_folder (path, "kept");
    assert_int_equal (mkdir (path, 0700), 0);
    assert_int_equal (copy_to (&copied, why), STORE_ERROR);
    assert_non_null (strstr (why, "exists"));
    assert_false (is_there ("kept/store.mdb"));
    assert_int_equal (rmdir (path), 0);
    write_file ("kept.partial", "of another backup");
    assert_int_equal (copy_to (&copied, why), STORE_ERROR);
    assert_non_null (strstr (why, "interrupted"));
    assert_true (is_there ("kept.partial"));
    assert_false (is_there ("kept"));
    store_close (&served);
}

/*  Changes one byte of a value in the file. */
static void spoil (const char *value)
{
    char path [128];
    in_folder (path, "served/store.mdb");
    FILE *file = fopen (path, "r+");
    struct stat found;
    assert_int_equal (stat (path, &found), 0);
    char *bytes = malloc ((size_t) found.st_size);
    assert_int_equal (fread (bytes, 1, (size_t) found.st_size, file), found.st_size);
    char *at = memmem (bytes, (size_t) found.st_size, value, strlen (value));
    assert_non_null (at);
    for (; at; at = memmem (at, (size_t) (bytes + found.st_size - at), value, strlen (value)))
        *at = '!';
    rewind (file);
    assert_int_equal (fwrite (bytes, 1, (size_t) found.st_size, file), found.st_size);
    fclose (file);
    free (bytes);
}

static void a_damaged_record_is_copied_and_counted (void **state)
{
    (void) state;
    store_copied_t copied;
    char why [WHY_BYTES];
    store_t *served = open_at ("served");
    flush_one (served, 1, "a", "a value like no other");
    store_close (&served);
    spoil ("a value like no other");
    assert_int_equal (copy_to (&copied, why), STORE_OK);
    assert_int_equal (copied.damaged, 1);
    assert_true (is_there ("kept/store.mdb"));
}

static void of_what_is_no_store_any_more_nothing_is_left (void **state)
{
    (void) state;
    store_copied_t copied;
    char why [WHY_BYTES], path [128];
    store_t *served = open_at ("served");
    for (int i = 0; i < 200; i++) {
        char key [32];
        snprintf (key, sizeof key, "key %d", i);
        flush_one (served, 1, key, "as many as need more than a page, and then some more of them");
    }
    store_close (&served);
    in_folder (path, "served/store.mdb");
    assert_int_equal (truncate (path, 3L * 4096), 0);
    assert_int_equal (copy_to (&copied, why), STORE_DAMAGED);
    assert_non_null (strstr (why, "damaged"));
    assert_false (is_there ("kept"));
    assert_false (is_there ("kept.partial"));
    assert_int_equal (unlink (path), 0);
    assert_int_not_equal (copy_to (&copied, why), STORE_OK);
    assert_int_not_equal (strlen (why), 0);
    assert_false (is_there ("kept"));
    assert_false (is_there ("kept.partial"));
}

static int calm_folder (void **state)
{
    new_files = 0;
    killed = false;
    return folder_new (state);
}

#define COPY_TEST(name) cmocka_unit_test_setup_teardown (name, calm_folder, folder_remove)

int main (void)
{
    const struct CMUnitTest tests [] = {
      COPY_TEST (it_has_what_was_flushed_while_the_store_goes_on),
      COPY_TEST (it_has_the_files_beside_but_no_locks),
      COPY_TEST (a_file_that_is_new_behind_the_records_has_them_copied_again),
      COPY_TEST (when_files_are_new_each_time_it_gives_up),
      COPY_TEST (one_that_is_killed_keeps_no_pages_for_long),
      COPY_TEST (it_replaces_nothing),
      COPY_TEST (a_damaged_record_is_copied_and_counted),
      COPY_TEST (of_what_is_no_store_any_more_nothing_is_left),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
