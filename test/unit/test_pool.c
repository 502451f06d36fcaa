/*  test_pool - stores of one folder: each process that claims one has it to itself.
 *
 *  Other processes are forks of this one; it has no threads.
 */
#include "pool.h"
#include "store_fixture.h"

#include <signal.h>
#include <sys/wait.h>

static store_t *claim (void)
{
    store_t *store = NULL;
    char why [WHY_BYTES];
    assert_int_equal (pool_claim (&store, folder, MAP_BYTES, entropy, 0, why), STORE_OK);
    return store;
}

static void a_pool_gives_each_its_own_and_the_first_free_one_again (void **state)
{
    (void) state;
    store_t *first = claim (), *second = claim ();
    char first_folder [128];
    snprintf (first_folder, sizeof first_folder, "%.127s", store_facts (first)->folder);
    assert_string_not_equal (first_folder, store_facts (second)->folder);
    store_close (&first);
    first = claim ();
    assert_string_equal (first_folder, store_facts (first)->folder);
    assert_int_equal (store_facts (first)->identity.start, 2);
    store_close (&first);
    store_close (&second);
}

/*  As a finisher has it: open, not served. It ends a moment after a claim has begun. */
static void a_store_that_is_being_settled_is_waited_for (void **state)
{
    (void) state;
    store_t *store = claim ();
    char settled [128];
    snprintf (settled, sizeof settled, "%.127s", store_facts (store)->folder);
    store_close (&store);
    int held [2];
    assert_int_equal (pipe (held), 0);
    pid_t finisher = fork ();
    assert_true (finisher >= 0);
    if (finisher == 0) {
        char why [WHY_BYTES];
        if (store_open (&store, settled, MAP_BYTES, entropy, 0, why) != STORE_OK ||
            write (held [1], "", 1) != 1)
            _exit (1);
        usleep (300000);
        _exit (0); /* the kernel unlocks it */
    }
    char byte;
    assert_int_equal (read (held [0], &byte, 1), 1);
    store = claim ();
    assert_string_equal (store_facts (store)->folder, settled);
    store_close (&store);
    close (held [0]);
    close (held [1]);
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
        char why [WHY_BYTES];
        ssize_t ended = read (go [0], &byte, 1); /* all start when the pipe closes */
        if (ended == 0 && pool_claim (&store, folder, MAP_BYTES, entropy, 0, why) == STORE_OK)
            snprintf (path, sizeof path, "%s", store_facts (store)->folder + strlen (folder));
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
    snprintf (damaged, sizeof damaged, "%.127s", store_facts (store)->folder);
    store_close (&store);
    snprintf (path, sizeof path, "%s/store.mdb", damaged);
    assert_int_equal (truncate (path, 5000), 0);
    store = claim ();
    assert_string_not_equal (store_facts (store)->folder, damaged);
    store_close (&store);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      STORE_TEST (a_pool_gives_each_its_own_and_the_first_free_one_again),
      cmocka_unit_test_setup_teardown (a_store_that_is_being_settled_is_waited_for, folder_new,
                                       end_children),
      cmocka_unit_test_setup_teardown (many_claim_at_once_and_none_shares, folder_new,
                                       end_children),
      STORE_TEST (a_damaged_store_does_not_hold_up_its_pool),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
