/*  folder and process - members are found again, one command at a time has the folder, and no other
 *  process is taken for a member.
 */
#include "folder.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct {
    char path [64];
    folder_t folder;
} folder_fixture_t;

static int set_up (void **state)
{
    folder_fixture_t *self = calloc (1, sizeof *self);
    char why [LONG_WHY_BYTES] = "";
    if (!self)
        return -1;
    snprintf (self->path, sizeof self->path, "/tmp/musubi-test-folder.XXXXXX");
    *state = self;
    return mkdtemp (self->path) && folder_open (&self->folder, self->path, true, why) ? 0 : -1;
}

static int tear_down (void **state)
{
    folder_fixture_t *self = *state;
    static const char *const files [] = {"lock", "members.json", "out", "log"};
    folder_close (&self->folder);
    for (size_t i = 0; i < sizeof files / sizeof files [0]; i++) {
        char path [128];
        snprintf (path, sizeof path, "%s/%s", self->path, files [i]);
        unlink (path);
    }
    int removed = rmdir (self->path);
    free (self);
    return removed;
}

static process_t start (const folder_fixture_t *fixture, const char *program,
                        char *const *arguments)
{
    char *out = folder_file (&fixture->folder, "out");
    char *log = folder_file (&fixture->folder, "log");
    process_t process = {0};
    assert_true (process_start (&process, program, arguments, out, log));
    free (out);
    free (log);
    return process;
}

static void a_thousand_members_have_their_ports (void **state)
{
    folder_fixture_t *self = *state;
    char name [16];
    for (int i = 0; i < 1000; i++) {
        snprintf (name, sizeof name, "n%d", i);
        assert_non_null (folder_add (&self->folder, "lis", name));
    }
    assert_int_equal (folder_count (&self->folder, "lis"), 1000);
}

static void members_are_found_again (void **state)
{
    folder_fixture_t *fixture = *state;
    folder_t *folder = &fixture->folder;
    char why [LONG_WHY_BYTES] = "";
    assert_non_null (folder_add (folder, "gis", "g1"));
    assert_non_null (folder_add (folder, "lis", "ams"));
    folder->members [1].process = (process_t){.pid = 42, .started = 4242};
    char endpoint [MEMBER_PLACE_BYTES];
    snprintf (endpoint, sizeof endpoint, "%s", folder->members [1].endpoint);
    assert_true (folder_save (folder));
    folder_close (folder);

    assert_true (folder_open (folder, fixture->path, false, why));
    assert_int_equal (folder->members_count, 2);
    assert_string_equal (folder->members [0].kind, "gis");
    assert_string_equal (folder->members [1].name, "ams");
    assert_string_equal (folder->members [1].endpoint, endpoint);
    assert_int_equal (folder->members [1].process.pid, 42);
    assert_true (folder->members [1].process.started == 4242);
    assert_int_equal (folder_count (folder, "gis"), 1);
}

static void all_ports_differ (void **state)
{
    folder_fixture_t *fixture = *state;
    folder_t *folder = &fixture->folder;
    for (int i = 0; i < 40; i++)
        assert_non_null (folder_add (folder, "lis", "site"));
    for (size_t i = 0; i < 80; i++)
        for (size_t j = 0; j < i; j++) {
            const folder_process_t *one = &folder->members [i / 2];
            const folder_process_t *other = &folder->members [j / 2];
            assert_string_not_equal (i % 2 ? one->events : one->endpoint,
                                     j % 2 ? other->events : other->endpoint);
        }
}

static void directories_are_told_to_each_other (void **state)
{
    folder_fixture_t *fixture = *state;
    folder_t *folder = &fixture->folder;
    assert_non_null (folder_add (folder, "gis", "g1"));
    assert_non_null (folder_add (folder, "lis", "ams"));
    assert_non_null (folder_add (folder, "gis", "g2"));
    char both [2 * MEMBER_PLACE_BYTES];
    snprintf (both, sizeof both, "%s,%s", folder->members [0].endpoint,
              folder->members [2].endpoint);
    char *all = folder_directories (folder, NULL);
    assert_string_equal (all, both);
    free (all);
    char *others = folder_directories (folder, &folder->members [0]);
    assert_string_equal (others, folder->members [2].endpoint);
    free (others);
}

static void a_folder_has_one_master_at_a_time (void **state)
{
    folder_fixture_t *fixture = *state;
    folder_t second;
    char why [LONG_WHY_BYTES] = "";
    assert_false (folder_open (&second, fixture->path, false, why));
    assert_non_null (strstr (why, "another `musubi up` or `musubi down`"));
    folder_close (&second);
}

static void a_broken_list_is_told_not_overwritten (void **state)
{
    folder_fixture_t *fixture = *state;
    char why [LONG_WHY_BYTES] = "";
    char *path = folder_file (&fixture->folder, "members.json");
    FILE *file = fopen (path, "w");
    fputs ("{\"members\": [", file);
    fclose (file);
    folder_close (&fixture->folder);
    assert_false (folder_open (&fixture->folder, fixture->path, true, why));
    assert_non_null (strstr (why, "members.json:1"));
    free (path);
}

static void a_process_lives_until_it_is_ended (void **state)
{
    folder_fixture_t *fixture = *state;
    char *const arguments [] = {"sleep", "1000", NULL};
    process_t process = start (fixture, "/bin/sleep", arguments);
    assert_true (process_lives (&process));
    assert_int_equal (process_end (&process, 1, 10000), 0);
    assert_false (process_lives (&process));
}

static void a_dead_process_does_not_live_before_its_parent_looks (void **state)
{
    folder_fixture_t *fixture = *state;
    char *const arguments [] = {"true", NULL};
    process_t process = start (fixture, "/bin/true", arguments);
    siginfo_t info;
    assert_int_equal (waitid (P_PID, (id_t) process.pid, &info, WEXITED | WNOWAIT), 0);
    assert_false (process_lives (&process));
    waitpid (process.pid, NULL, 0);
}

static void another_process_of_that_number_is_left_alone (void **state)
{
    folder_fixture_t *fixture = *state;
    char *const arguments [] = {"sleep", "1000", NULL};
    process_t process = start (fixture, "/bin/sleep", arguments);
    process_t stranger = {.pid = process.pid, .started = process.started + 1};
    assert_false (process_lives (&stranger));
    assert_int_equal (process_end (&stranger, 1, 50), 0);
    assert_true (process_lives (&process));
    process_end (&process, 1, 10000);
}

static void one_that_does_not_listen_is_killed (void **state)
{
    folder_fixture_t *fixture = *state;
    char *const arguments [] = {"sh", "-c", "trap '' TERM; echo ready; while :; do sleep 1; done",
                                NULL};
    process_t process = start (fixture, "/bin/sh", arguments);
    char *out = folder_file (&fixture->folder, "out");
    for (bool ready = false; !ready;) { /* the trap is set once it says so */
        FILE *file = fopen (out, "r");
        ready = file && fgetc (file) == 'r';
        if (file)
            fclose (file);
    }
    free (out);
    assert_int_equal (process_end (&process, 1, 200), 1);
    assert_false (process_lives (&process));

    /* A process that it started is found by its session, and ended as well. */
    process_t found [8];
    size_t count = process_stragglers (&process, 1, found, 8);
    process_end (found, count, 10000);
    assert_int_equal (process_stragglers (&process, 1, found, 8), 0);
}

static void a_program_that_is_not_there_is_told (void **state)
{
    (void) state;
    process_t process = {0};
    char *const arguments [] = {"nothing", NULL};
    assert_false (
      process_start (&process, "/nonexistent/svc-none", arguments, "/dev/null", "/dev/null"));
}

#define TEST(name) cmocka_unit_test_setup_teardown (name, set_up, tear_down)

int main (void)
{
    const struct CMUnitTest tests [] = {
      TEST (members_are_found_again),
      TEST (all_ports_differ),
      TEST (directories_are_told_to_each_other),
      TEST (a_folder_has_one_master_at_a_time),
      TEST (a_broken_list_is_told_not_overwritten),
      TEST (a_process_lives_until_it_is_ended),
      TEST (a_dead_process_does_not_live_before_its_parent_looks),
      TEST (another_process_of_that_number_is_left_alone),
      TEST (one_that_does_not_listen_is_killed),
      TEST (a_thousand_members_have_their_ports),
      cmocka_unit_test (a_program_that_is_not_there_is_told),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
