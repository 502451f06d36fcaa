/*  test_store_damage - whatever a disk has done to a store: a clear word, never a crash, and never
 *  a record that is not what was put.
 */
#include "store_fixture.h"

#include "prng.h"

#include <lmdb.h>

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
    char why [WHY_BYTES];
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
    char path [128], why [WHY_BYTES];
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

/*  Each record is as fill_some put it, or is named as damaged. */
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
    char path [128], why [WHY_BYTES];
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

/*  Records short and long, in pages some of which are free. */
static void fill_and_clear (store_t *store, char letter)
{
    static char value [9001];
    char key [32];
    assert_int_equal (store_begin (store), STORE_OK);
    for (int i = 0; i < 80; i++) {
        size_t size = i % 16 == 0 ? 9000 : 200;
        memset (value, letter, size);
        value [size] = '\0';
        snprintf (key, sizeof key, "key %d", i);
        put (store, 1, key, value);
    }
    assert_int_equal (store_flush (store, 2000), STORE_OK);
    assert_int_equal (store_begin (store), STORE_OK);
    for (int i = 0; i < 80; i += 5) {
        snprintf (key, sizeof key, "key %d", i);
        assert_int_equal (store_delete (store, 1, text (key)), STORE_OK);
    }
    assert_int_equal (store_flush (store, 3000), STORE_OK);
}

/*  A store that opens although the header of a page, or of a record in it, was changed can be
 *  written on, all of it, and is sound behind that. */
static void changed_headers_never_end_a_writer (void **state)
{
    (void) state;
    char path [128], why [WHY_BYTES];
    in_folder (path, "store.mdb");
    store_t *store = open_store ();
    fill_and_clear (store, 'a');
    fill_and_clear (store, 'b');
    store_close (&store);
    static uint8_t whole [1 << 20];
    FILE *file = fopen (path, "r");
    assert_non_null (file);
    size_t size = fread (whole, 1, sizeof whole, file), opened = 0, refused = 0;
    fclose (file);
    assert_true (size > 0 && size < sizeof whole);

    prng_t prng;
    prng_seed (&prng, 3);
    for (size_t at = 2 * 4096ul; at < size; at++) {
        uint16_t node;
        memcpy (&node, whole + at / 4096 * 4096 + 16, sizeof node); /* the first one of its page */
        size_t place = at % 4096;
        if (place >= 20 && (place < node || place >= node + 8u))
            continue;
        uint8_t bits = (uint8_t) (1 + prng_below (&prng, 255));
        whole [at] ^= bits;
        write_file (path, whole, size);
        whole [at] ^= bits;
        store_answer_t answer = try_open (&store, why);
        assert_true (answer == STORE_OK || (answer == STORE_DAMAGED && *why));
        refused += answer == STORE_DAMAGED;
        if (!store)
            continue;
        opened++;
        fill_and_clear (store, 'c');
        store_close (&store);
        store = open_store ();
        store_close (&store);
    }
    assert_true (refused > 200 && opened > 20); /* what is in free pages is nobody's */
}

/*  The first layout, as it was: an identity of 32 bytes without a checksum. */
static void a_store_of_the_first_layout_is_refused_with_a_word_to_its_operator (void **state)
{
    (void) state;
    char path [128], why [WHY_BYTES];
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

int main (void)
{
    const struct CMUnitTest tests [] = {
      STORE_TEST (a_store_cut_short_is_called_damaged),
      STORE_TEST (a_file_that_is_no_store_is_called_damaged),
      STORE_TEST (scribbled_pages_never_crash),
      STORE_TEST (what_is_not_as_it_was_put_is_never_taken_for_it),
      STORE_TEST (changed_headers_never_end_a_writer),
      STORE_TEST (a_store_of_the_first_layout_is_refused_with_a_word_to_its_operator),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
