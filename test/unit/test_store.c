/*  test_store - flushed records are kept, others are not, and one process opens a store.
 *
 *  Other processes are forks of this one; it has no threads.
 */
#include "store_fixture.h"

#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>

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
        assert_int_equal (store_facts (store)->identity.start, start);
        assert_memory_equal (store_facts (store)->identity.id, entropy, STORE_ID_BYTES);
        store_close (&store);
    }
}

static void the_stamp_is_the_latest_ever_written (void **state)
{
    (void) state;
    store_t *store = open_store (); /* stamps 1000 */
    assert_true (store_facts (store)->stamp_ms < 1000);
    assert_int_equal (store_begin (store), STORE_OK);
    assert_int_equal (store_flush (store, 5000), STORE_OK);
    assert_int_equal (store_begin (store), STORE_OK);
    assert_int_equal (store_flush (store, 4000), STORE_OK);
    store_close (&store);
    store = open_store ();
    assert_int_equal (store_facts (store)->stamp_ms, 5000);
    store_close (&store);
    store = open_store ();
    assert_int_equal (store_facts (store)->stamp_ms, 5000);
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
    char why [WHY_BYTES];
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
    char why [WHY_BYTES];
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
    assert_int_equal (store_facts (store)->identity.start, starts + 1);
    store_close (&store);
}

/*  Only an operator's or a file system's mistake lets a process take a store over without its lock.
 */
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
    assert_string_equal (store_facts (store)->why,
                         "the store was taken over: its start is 2, ours was 1");
    assert_int_equal (store_begin (store), STORE_TAKEN);
    store_close (&store);
}

static void a_full_store_says_so_and_still_takes_what_ends_something (void **state)
{
    (void) state;
    store_t *store = NULL;
    char why [WHY_BYTES];
    static const uint8_t value [20000];
    assert_int_equal (store_open (&store, folder, STORE_BYTES_LEAST, entropy, 0, why), STORE_OK);
    uint64_t free_before = store_facts (store)->free_bytes;
    assert_true (free_before > STORE_BYTES_LEAST / 2 && free_before <= store_facts (store)->bytes);
    uint32_t kept = 0, found = 0, beyond = 0;
    while (beyond < 60) { /* more than the whole store once again */
        assert_int_equal (store_begin (store), STORE_OK);
        assert_int_equal (store_put (store, 1,
                                     (bytes_t){.data = (uint8_t *) &kept, .size = sizeof kept},
                                     (bytes_t){.data = value, .size = sizeof value}),
                          STORE_OK);
        assert_int_equal (store_flush (store, 0), STORE_OK);
        beyond += store_facts (store)->free_bytes == 0;
        kept++;
    }
    assert_true (kept - beyond > 40 && kept - beyond < 60);
    store_close (&store);
    assert_int_equal (store_open (&store, folder, STORE_BYTES_LEAST, entropy, 0, why), STORE_OK);
    assert_int_equal (store_each (store, count_one, &found), STORE_OK);
    assert_int_equal (found, kept);
    assert_true (store_facts (store)->free_bytes < free_before / 10);

    /*  Deleting always has room, and gives room back. */
    for (uint32_t i = 0; i < kept; i++) {
        assert_int_equal (store_begin (store), STORE_OK);
        assert_int_equal (
          store_delete (store, 1, (bytes_t){.data = (uint8_t *) &i, .size = sizeof i}), STORE_OK);
        assert_int_equal (store_flush (store, 0), STORE_OK);
    }
    assert_true (store_facts (store)->free_bytes > free_before / 2);
    store_close (&store);
}

#define NO_SMALL_DISK 77

/*  On a disk of 2 MiB, in a view of the file system of its own. Returns how the first write that
 *  failed did so, if all before it are still there. */
static int fill_the_disk (void)
{
    store_t *store;
    char why [WHY_BYTES];
    static const uint8_t value [100000];
    if ((unshare (CLONE_NEWNS) != 0 && unshare (CLONE_NEWUSER | CLONE_NEWNS) != 0) ||
        mount (NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount ("tmpfs", folder, "tmpfs", 0, "size=2m,mode=700") != 0)
        return NO_SMALL_DISK;
    if (try_open (&store, why) != STORE_OK || store_facts (store)->bytes > 2 << 20)
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

static void a_folder_that_others_may_write_is_refused (void **state)
{
    (void) state;
    char others [128];
    store_t *store = NULL;
    char why [WHY_BYTES];
    snprintf (others, sizeof others, "%s/others", folder);
    assert_int_equal (mkdir (others, 0700), 0);
    assert_int_equal (chmod (others, 0770), 0);
    assert_int_equal (store_open (&store, others, MAP_BYTES, entropy, 0, why), STORE_ERROR);
    assert_non_null (
      strstr (why, "/others can be written by others (mode 0770): run chmod go-w on it"));
    assert_int_equal (chmod (others, 0750), 0);
    assert_int_equal (store_open (&store, others, MAP_BYTES, entropy, 0, why), STORE_OK);
    store_close (&store);
    if (geteuid () != 0)
        return;
    assert_int_equal (chown (others, 12345, 0), 0);
    assert_int_equal (store_open (&store, others, MAP_BYTES, entropy, 0, why), STORE_ERROR);
    assert_non_null (strstr (why, "/others belongs to user 12345: run the service as that user"));
}

static void a_folder_that_cannot_be_made_is_told (void **state)
{
    (void) state;
    store_t *store = NULL;
    char why [WHY_BYTES];
    assert_int_equal (store_open (&store, "/dev/null/store", MAP_BYTES, entropy, 0, why),
                      STORE_ERROR);
    assert_string_equal (why, "cannot make folder /dev/null/store: Not a directory");
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      STORE_TEST (a_folder_that_others_may_write_is_refused),
      STORE_TEST (gives_back_what_was_flushed_in_order_of_table_and_key),
      STORE_TEST (forgets_a_batch_that_was_not_flushed),
      STORE_TEST (the_last_put_counts_and_deleting_nothing_is_fine),
      STORE_TEST (a_visit_can_end_early),
      STORE_TEST (the_id_stays_and_starts_are_counted),
      STORE_TEST (the_stamp_is_the_latest_ever_written),
      STORE_TEST (a_second_process_is_locked_out),
      STORE_TEST (a_killed_process_leaves_what_it_told_and_no_lock),
      STORE_TEST (a_store_that_was_taken_over_takes_no_more_writes),
      STORE_TEST (a_full_store_says_so_and_still_takes_what_ends_something),
      STORE_TEST (a_full_disk_refuses_and_keeps_what_it_has),
      STORE_TEST (a_folder_that_cannot_be_made_is_told),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
