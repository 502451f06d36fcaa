/*  test_store_watch - what is done to the file of a store while it is served is seen before
 *  anything more is promised, and told in words.
 */
#include "store_fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#define SCRUB_BYTES 2000 /* a few records */

static char path [128];

static store_t *filled_store (void)
{
    store_t *store = open_store ();
    in_folder (path, "store.mdb");
    assert_int_equal (store_begin (store), STORE_OK);
    for (int i = 0; i < 100; i++) {
        char key [32], value [300];
        snprintf (key, sizeof key, "key %03d", i);
        snprintf (value, sizeof value, "value %03d %0200d", i, i);
        put (store, i < 50 ? 1 : TABLE_LEDGER, key, value);
    }
    assert_int_equal (store_flush (store, 2000), STORE_OK);
    return store;
}

/*  A write can't be begun; the reason names the file and tells what has happened to it. */
static void expect_seen (store_t *store, const char *what)
{
    assert_int_equal (store_begin (store), STORE_DAMAGED);
    assert_non_null (strstr (store_facts (store)->why, path));
    assert_non_null (strstr (store_facts (store)->why, what));
    store_close (&store);
}

static void a_file_that_was_deleted_is_missed_at_the_next_write (void **state)
{
    (void) state;
    store_t *store = filled_store ();
    assert_int_equal (unlink (path), 0);
    expect_seen (store, "was deleted or moved");
}

static void a_folder_that_was_moved_is_missed_too (void **state)
{
    (void) state;
    char elsewhere [128];
    store_t *store = filled_store ();
    snprintf (elsewhere, sizeof elsewhere, "%s-moved", folder);
    assert_int_equal (rename (folder, elsewhere), 0);
    expect_seen (store, "was deleted or moved");
    assert_int_equal (rename (elsewhere, folder), 0);
}

static void what_was_flushed_into_a_file_that_is_gone_is_not_flushed (void **state)
{
    (void) state;
    store_t *store = filled_store ();
    assert_int_equal (store_begin (store), STORE_OK);
    put (store, 1, "promised", "for nothing");
    assert_int_equal (unlink (path), 0);
    assert_int_equal (store_flush (store, 3000), STORE_DAMAGED);
    assert_non_null (strstr (store_facts (store)->why, "was deleted or moved"));
    store_close (&store);
}

static void another_file_in_its_place_is_seen (void **state)
{
    (void) state;
    char copy [128], command [300];
    store_t *store = filled_store ();
    in_folder (copy, "copy.mdb");
    snprintf (command, sizeof command, "cp %s %s", path, copy);
    assert_int_equal (system (command), 0);
    assert_int_equal (rename (copy, path), 0);
    expect_seen (store, "another file");
}

static void a_file_cut_short_is_seen_before_it_is_read (void **state)
{
    (void) state;
    store_t *store = filled_store ();
    assert_int_equal (truncate (path, 8192), 0);
    expect_seen (store, "was cut from");
}

/*  Changes a byte in the value of a record, as a disk might. */
static void flip (const char *value)
{
    static char whole [1 << 20];
    int file = open (path, O_RDWR);
    assert_true (file >= 0);
    ssize_t size = read (file, whole, sizeof whole);
    size_t hits = 0;
    for (ssize_t at = 0; at + 10 < size; at++) /* free pages may have older copies */
        if (memcmp (whole + at, value, strlen (value)) == 0) {
            assert_int_equal (pwrite (file, "V", 1, at), 1);
            hits++;
        }
    close (file);
    assert_true (hits > 0);
}

static bool count_shown (void *owner, uint8_t table, bytes_t key, bytes_t value, bool sound)
{
    assert_false (sound);
    assert_int_equal (value.size, RECORD_DAMAGED.size);
    assert_true (key.size == 7 && (table == 1 || table == TABLE_LEDGER));
    ++*(size_t *) owner;
    return true;
}

/*  To the end of a pass, or to the first word against it. */
static store_answer_t scrub (store_t *store, size_t *shown)
{
    bool ended = false;
    store_answer_t answer = STORE_OK;
    for (int pieces = 0; !ended && answer == STORE_OK; pieces++) {
        assert_true (pieces < 40);
        answer = store_scrub (store, SCRUB_BYTES, count_shown, shown, &ended);
    }
    return answer;
}

static void bits_flipped_under_a_served_store_are_found (void **state)
{
    (void) state;
    store_t *store = filled_store ();
    size_t shown = 0;
    assert_int_equal (scrub (store, &shown), STORE_OK);
    assert_int_equal (shown, 0);
    flip ("value 033");
    assert_int_equal (scrub (store, &shown), STORE_DAMAGED);
    assert_int_equal (shown, 1);
    assert_non_null (strstr (store_facts (store)->why, path));
    assert_non_null (strstr (store_facts (store)->why, "a record of table 1 was changed"));
    store_close (&store);
}

static void find_in_ledger (store_t *store, size_t *shown)
{
    flip ("value 077");
    assert_int_equal (scrub (store, shown), STORE_DAMAGED);
    assert_int_equal (*shown, 1);
}

static bool ignore (void *owner, uint8_t table, bytes_t key, bytes_t value, bool sound)
{
    (void) owner;
    (void) table;
    (void) key;
    (void) value;
    (void) sound;
    return true;
}

/*  Else what is damaged once would end the process at each start again. */
static void what_was_damaged_at_the_start_ends_nothing (void **state)
{
    (void) state;
    store_t *store = filled_store ();
    size_t shown = 0;
    assert_int_equal (scrub (store, &shown), STORE_OK);
    find_in_ledger (store, &shown);
    flip ("value 020");
    store_close (&store);
    store = open_store ();
    assert_int_equal (store_each (store, ignore, NULL), STORE_OK);
    for (int pass = 0; pass < 3; pass++) {
        shown = 0;
        assert_int_equal (scrub (store, &shown), STORE_OK);
        assert_int_equal (shown, pass == 0); /* the row; the record was shown by the start */
    }
    flush_one (store, 1, "key 020", "anew");
    assert_int_equal (scrub (store, &shown), STORE_OK);
    store_close (&store);
}

static void a_scrub_goes_on_where_it_was_whatever_is_written_meanwhile (void **state)
{
    (void) state;
    store_t *store = filled_store ();
    bool ended = false;
    size_t shown = 0;
    for (int i = 0; !ended; i++) {
        char key [32];
        assert_true (i < 60);
        snprintf (key, sizeof key, "key %03d", i);
        assert_int_equal (store_scrub (store, SCRUB_BYTES, count_shown, &shown, &ended), STORE_OK);
        assert_int_equal (store_begin (store), STORE_OK);
        assert_int_equal (store_delete (store, 1, text (key)), STORE_OK);
        assert_int_equal (store_flush (store, 3000), STORE_OK);
    }
    assert_int_equal (shown, 0);
    store_close (&store);
}

/*  The kernel's word for a page that is not there, when no look came before it. */
static void a_fault_ends_the_process_with_a_line_that_names_the_file (void **state)
{
    (void) state;
    int pipes [2];
    char line [1024] = "";
    store_t *store = filled_store ();
    assert_int_equal (pipe (pipes), 0);
    pid_t child = fork ();
    assert_true (child >= 0);
    if (child == 0) {
        dup2 (pipes [1], STDERR_FILENO);
        store_guard (store);
        raise (SIGBUS);
        _exit (0);
    }
    int status;
    assert_int_equal (waitpid (child, &status, 0), child);
    assert_true (WIFEXITED (status) && WEXITSTATUS (status) == 1);
    assert_true (read (pipes [0], line, sizeof line - 1) > 0);
    assert_non_null (strstr (line, path));
    assert_non_null (strstr (line, "alarm"));
    close (pipes [0]);
    close (pipes [1]);
    store_close (&store);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      STORE_TEST (a_file_that_was_deleted_is_missed_at_the_next_write),
      STORE_TEST (a_folder_that_was_moved_is_missed_too),
      STORE_TEST (what_was_flushed_into_a_file_that_is_gone_is_not_flushed),
      STORE_TEST (another_file_in_its_place_is_seen),
      STORE_TEST (a_file_cut_short_is_seen_before_it_is_read),
      STORE_TEST (bits_flipped_under_a_served_store_are_found),
      STORE_TEST (what_was_damaged_at_the_start_ends_nothing),
      STORE_TEST (a_scrub_goes_on_where_it_was_whatever_is_written_meanwhile),
      STORE_TEST (a_fault_ends_the_process_with_a_line_that_names_the_file),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
