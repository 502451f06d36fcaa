/*  test_store_copy - a copy of a store in use is a store as it was at one moment, or is not there.
 */
#include "store_fixture.h"

static char target [128];

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

int main (void)
{
    const struct CMUnitTest tests [] = {
      STORE_TEST (it_has_what_was_flushed_while_the_store_goes_on),
      STORE_TEST (it_has_the_files_beside_but_no_locks),
      STORE_TEST (it_replaces_nothing),
      STORE_TEST (a_damaged_record_is_copied_and_counted),
      STORE_TEST (of_what_is_no_store_any_more_nothing_is_left),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
