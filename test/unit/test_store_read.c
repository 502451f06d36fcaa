/*  test_store_read - pages of a table; and of the ledger no more at a start than its end. */
#include "store.h"

#include <ftw.h>
#include <lmdb.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MAP_BYTES ((uint64_t) 16 << 20)

static char folder [64];

static int folder_new (void **state)
{
    (void) state;
    snprintf (folder, sizeof folder, "/tmp/musubi-read-XXXXXX");
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

static store_t *open_store (void)
{
    static const uint8_t id [STORE_ID_BYTES] = "a store of tests";
    store_t *store = NULL;
    char why [WHY_BYTES];
    assert_int_equal (store_open (&store, folder, MAP_BYTES, id, 0, why), STORE_OK);
    return store;
}

static bytes_t text (const char *words)
{
    return (bytes_t){.data = (const uint8_t *) words, .size = strlen (words)};
}

static void put (store_t *store, uint8_t table, const char *key, const char *value)
{
    assert_int_equal (store_begin (store), STORE_OK);
    assert_int_equal (store_put (store, table, text (key), text (value)), STORE_OK);
    assert_int_equal (store_flush (store, 0), STORE_OK);
}

static void tell (char *all, bytes_t key, bytes_t value)
{
    bool damaged = value.size == 1 && *value.data == *RECORD_DAMAGED.data;
    sprintf (all + strlen (all), "%.*s=%.*s;", (int) key.size, (const char *) key.data,
             damaged ? 1 : (int) value.size, damaged ? "?" : (const char *) value.data);
}

/*  Records as "table key=value;", ? for a damaged value. */
static bool write_down (void *owner, uint8_t table, bytes_t key, bytes_t value, bool sound)
{
    char *all = owner;
    assert_int_equal (sound, value.size != 1 || *value.data != *RECORD_DAMAGED.data);
    sprintf (all + strlen (all), "%u ", table);
    tell (all, key, value);
    return true;
}

static void assert_start_sees (store_t *store, const char *expected)
{
    char all [4096] = "";
    assert_int_equal (store_each (store, write_down, all), STORE_OK);
    assert_string_equal (all, expected);
}

static void write_page (void *owner, const row_t *rows, size_t count, bool more)
{
    char *all = owner;
    assert_string_equal (all, ""); /* called once */
    for (size_t i = 0; i < count; i++)
        tell (all, rows [i].key, rows [i].value);
    strcat (all, more ? "more" : "end");
}

static void assert_page (store_t *store, uint8_t table, const char *from, uint32_t most,
                         uint32_t bytes, const char *expected)
{
    char all [4096] = "";
    read_order_t order = {.table = table, .from = text (from), .most = most, .bytes = bytes};
    assert_int_equal (store_read (store, &order, write_page, all), STORE_OK);
    assert_string_equal (all, expected);
}

/*  Damage as by a bad disk: one byte of a value is changed. */
static void damage (uint8_t table, const char *key)
{
    char path [96];
    uint8_t whole [32] = {table};
    size_t key_size = strlen (key);
    MDB_env *env;
    MDB_txn *txn;
    MDB_dbi dbi;
    MDB_val value, at = {.mv_size = 1 + key_size, .mv_data = whole};
    for (size_t i = 0; i < key_size; i++)
        whole [1 + i] = (uint8_t) key [i];
    snprintf (path, sizeof path, "%s/store.mdb", folder);
    assert_int_equal (mdb_env_create (&env), 0);
    assert_int_equal (mdb_env_set_mapsize (env, MAP_BYTES), 0);
    assert_int_equal (mdb_env_open (env, path, MDB_NOSUBDIR, 0600), 0);
    assert_int_equal (mdb_txn_begin (env, NULL, 0, &txn), 0);
    assert_int_equal (mdb_dbi_open (txn, NULL, 0, &dbi), 0);
    assert_int_equal (mdb_get (txn, dbi, &at, &value), 0);
    uint8_t copy [64] = {0};
    assert_in_range (value.mv_size, 1, sizeof copy);
    memcpy (copy, value.mv_data, value.mv_size);
    copy [value.mv_size - 1] ^= 1;
    value.mv_data = copy;
    assert_int_equal (mdb_put (txn, dbi, &at, &value, 0), 0);
    assert_int_equal (mdb_txn_commit (txn), 0);
    mdb_env_close (env);
}

/*  --- pages --- */

static void a_page_begins_at_its_key_or_the_next_and_ends_with_its_table (void **state)
{
    (void) state;
    store_t *store = open_store ();
    put (store, 2, "z", "before");
    put (store, TABLE_LEDGER, "b", "1");
    put (store, TABLE_LEDGER, "d", "2");
    put (store, TABLE_LEDGER, "f", "3");
    put (store, 8, "a", "behind");
    assert_page (store, TABLE_LEDGER, "", 100, 1000, "b=1;d=2;f=3;end");
    assert_page (store, TABLE_LEDGER, "b", 100, 1000, "b=1;d=2;f=3;end");
    assert_page (store, TABLE_LEDGER, "c", 100, 1000, "d=2;f=3;end");
    assert_page (store, TABLE_LEDGER, "g", 100, 1000, "end");
    assert_page (store, 3, "", 100, 1000, "end");
    assert_page (store, 8, "", 100, 1000, "a=behind;end");
    store_close (&store);
}

static void a_page_is_no_longer_than_asked_but_never_empty (void **state)
{
    (void) state;
    store_t *store = open_store ();
    put (store, TABLE_LEDGER, "a", "0123456789");
    put (store, TABLE_LEDGER, "b", "0123456789");
    put (store, TABLE_LEDGER, "c", "0123456789");
    assert_page (store, TABLE_LEDGER, "", 2, 1000, "a=0123456789;b=0123456789;more");
    assert_page (store, TABLE_LEDGER, "", 3, 1000, "a=0123456789;b=0123456789;c=0123456789;end");
    assert_page (store, TABLE_LEDGER, "b", 2, 1000, "b=0123456789;c=0123456789;end");
    assert_page (store, TABLE_LEDGER, "", 100, 1, "a=0123456789;more");
    assert_page (store, TABLE_LEDGER, "c", 100, 1, "c=0123456789;end");
    store_close (&store);
}

static void only_what_was_flushed_is_read (void **state)
{
    (void) state;
    store_t *store = open_store ();
    put (store, TABLE_LEDGER, "a", "1");
    assert_int_equal (store_begin (store), STORE_OK);
    assert_int_equal (store_put (store, TABLE_LEDGER, text ("b"), text ("2")), STORE_OK);
    assert_page (store, TABLE_LEDGER, "", 100, 1000, "a=1;end");
    assert_int_equal (store_flush (store, 0), STORE_OK);
    assert_page (store, TABLE_LEDGER, "", 100, 1000, "a=1;b=2;end");
    store_close (&store);
}

static void a_damaged_record_is_shown_in_its_place (void **state)
{
    (void) state;
    store_t *store = open_store ();
    put (store, TABLE_LEDGER, "a", "1");
    put (store, TABLE_LEDGER, "b", "2");
    put (store, TABLE_LEDGER, "c", "3");
    store_close (&store);
    damage (TABLE_LEDGER, "b");
    store = open_store ();
    assert_page (store, TABLE_LEDGER, "", 100, 1000, "a=1;b=?;c=3;end");
    store_close (&store);
}

/*  --- a start --- */

static void a_start_sees_the_last_row_of_the_ledger_alone (void **state)
{
    (void) state;
    store_t *store = open_store ();
    assert_start_sees (store, "");
    put (store, TABLE_LEDGER, "a", "1");
    assert_start_sees (store, "7 a=1;");
    put (store, TABLE_LEDGER, "b", "2");
    assert_start_sees (store, "7 b=2;");
    put (store, 1, "x", "x");
    put (store, 1, "y", "y");
    assert_start_sees (store, "1 x=x;1 y=y;7 b=2;");
    put (store, 8, "w", "w");
    put (store, 9, "v", "v");
    assert_start_sees (store, "1 x=x;1 y=y;7 b=2;8 w=w;9 v=v;");
    store_close (&store);
}

static void a_start_sees_what_is_damaged_behind_the_last_sound_row (void **state)
{
    (void) state;
    store_t *store = open_store ();
    put (store, TABLE_LEDGER, "a", "1");
    put (store, TABLE_LEDGER, "b", "2");
    put (store, TABLE_LEDGER, "c", "3");
    store_close (&store);
    damage (TABLE_LEDGER, "c");
    store = open_store ();
    assert_start_sees (store, "7 b=2;7 c=?;");
    put (store, 8, "x", "w");
    assert_start_sees (store, "7 b=2;7 c=?;8 x=w;");
    store_close (&store);
    damage (TABLE_LEDGER, "b");
    damage (TABLE_LEDGER, "a");
    store = open_store ();
    assert_start_sees (store, "7 a=?;7 b=?;7 c=?;8 x=w;");
    put (store, 1, "k", "r");
    assert_start_sees (store, "1 k=r;7 a=?;7 b=?;7 c=?;8 x=w;");
    store_close (&store);
}

#define READ_TEST(name) cmocka_unit_test_setup_teardown (name, folder_new, folder_remove)

int main (void)
{
    const struct CMUnitTest tests [] = {
      READ_TEST (a_page_begins_at_its_key_or_the_next_and_ends_with_its_table),
      READ_TEST (a_page_is_no_longer_than_asked_but_never_empty),
      READ_TEST (only_what_was_flushed_is_read),
      READ_TEST (a_damaged_record_is_shown_in_its_place),
      READ_TEST (a_start_sees_the_last_row_of_the_ledger_alone),
      READ_TEST (a_start_sees_what_is_damaged_behind_the_last_sound_row),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
