/*  store_fixture - a folder for each test, and a store in it. */
#ifndef MUSUBI_STORE_FIXTURE_H
#define MUSUBI_STORE_FIXTURE_H

#include "store.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define MAP_BYTES ((uint64_t) 16 << 20)

static char folder [64];
static const uint8_t entropy [STORE_ID_BYTES] = "sixteen bytes id";

static inline int folder_new (void **state)
{
    (void) state;
    snprintf (folder, sizeof folder, "/tmp/musubi-store-XXXXXX");
    return mkdtemp (folder) ? 0 : -1;
}

static inline int remove_one (const char *path, const struct stat *seen, int kind,
                              struct FTW *place)
{
    (void) seen;
    (void) kind;
    (void) place;
    return remove (path);
}

static inline int folder_remove (void **state)
{
    (void) state;
    return nftw (folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static inline store_answer_t try_open (store_t **store, char why [WHY_BYTES])
{
    return store_open (store, folder, MAP_BYTES, entropy, 1000, why);
}

static inline store_t *open_store (void)
{
    store_t *store = NULL;
    char why [WHY_BYTES];
    store_answer_t answer = try_open (&store, why);
    assert_string_equal (why, "");
    assert_int_equal (answer, STORE_OK);
    return store;
}

static inline bytes_t text (const char *words)
{
    return (bytes_t){.data = (const uint8_t *) words, .size = strlen (words)};
}

static inline void put (store_t *store, uint8_t table, const char *key, const char *value)
{
    assert_int_equal (store_put (store, table, text (key), text (value)), STORE_OK);
}

static inline void flush_one (store_t *store, uint8_t table, const char *key, const char *value)
{
    assert_int_equal (store_begin (store), STORE_OK);
    put (store, table, key, value);
    assert_int_equal (store_flush (store, 2000), STORE_OK);
}

static inline void in_folder (char path [128], const char *name)
{
    snprintf (path, 128, "%s/%s", folder, name);
}

#define STORE_TEST(name) cmocka_unit_test_setup_teardown (name, folder_new, folder_remove)

#endif
