/*  test_file_transfer - only a file that has an end may be put; what has come of one that is
 *  fetched is kept for one that goes on with it, and for no two at a time.
 */
#include "file_transfer.h"
#include "folder_pack.h"
#include "transfer_client.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static char folder [] = "/tmp/musubi-carrying-XXXXXX";

static const char *path_of (const char *name)
{
    static char path [sizeof folder + 64];
    snprintf (path, sizeof path, "%s/%s", folder, name);
    return path;
}

static bool taken (const char *path, uint64_t *size)
{
    char digest [DIGEST_TEXT_BYTES];
    return file_digest ("put", path, size, digest);
}

static void a_file_is_read_to_its_end (void **state)
{
    (void) state;
    uint64_t size;
    FILE *file = fopen (path_of ("plain"), "w");
    assert_non_null (file);
    fputs ("abc", file);
    fclose (file);
    assert_true (taken (path_of ("plain"), &size));
    assert_int_equal (size, 3);
    unlink (path_of ("plain"));
}

/*  No process writes to this pipe: opening it like a file would wait for ever. */
static void a_pipe_is_refused_and_not_waited_for (void **state)
{
    (void) state;
    uint64_t size;
    assert_int_equal (mkfifo (path_of ("pipe"), 0600), 0);
    assert_false (taken (path_of ("pipe"), &size));
    assert_false (taken ("/dev/zero", &size));
    unlink (path_of ("pipe"));
}

/*  Its size is told as 0, like that of /proc/kmsg, which never ends. */
static void what_is_made_as_it_is_read_is_refused (void **state)
{
    (void) state;
    uint64_t size;
    struct stat told;
    assert_int_equal (stat ("/proc/self/status", &told), 0);
    assert_true (S_ISREG (told.st_mode) && told.st_size == 0);
    assert_false (taken ("/proc/self/status", &size));
}

/*  --- parts --- */

static void write_to (const char *path, const char *text)
{
    FILE *file = fopen (path, "w");
    assert_non_null (file);
    fputs (text, file);
    fclose (file);
}

/*  The folder for "x", as a guest fills it. */
static void fill (part_folder_t *part)
{
    char why [LONG_WHY_BYTES];
    assert_true (part_folder_open (part, path_of ("x"), why));
    (void) mkdir (path_of (".x.musubi-part/node"), 0700);
    (void) mkdir (path_of (".x.musubi-part/node/parts"), 0700);
    (void) mkdir (path_of (".x.musubi-part/store"), 0700);
}

static void a_part_stays_and_nothing_else_when_it_is_gone_on_with (void **state)
{
    (void) state;
    part_folder_t part;
    char why [LONG_WHY_BYTES];
    fill (&part);
    write_to (path_of (".x.musubi-part/node/parts/part"), "abc");
    write_to (path_of (".x.musubi-part/store/part"), "abc");
    part_folder_close (&part, true);
    assert_true (part_folder_open (&part, path_of ("x"), why));
    assert_int_equal (part_folder_bytes (&part), 3);
    assert_int_not_equal (access (path_of (".x.musubi-part/store"), F_OK), 0);
    part_folder_close (&part, false);
    assert_int_not_equal (access (path_of (".x.musubi-part"), F_OK), 0);
}

static void what_has_come_of_a_folder_stays_when_a_file_is_wanted_there (void **state)
{
    (void) state;
    part_folder_t part;
    char why [LONG_WHY_BYTES];
    fill (&part);
    (void) mkdir (path_of (".x.musubi-part/folder"), 0700);
    write_to (path_of (".x.musubi-part/folder/pack-0"), "abc");
    part_folder_close (&part, true);
    assert_true (part_folder_open (&part, path_of ("x"), why));
    assert_int_equal (access (path_of (".x.musubi-part/folder/pack-0"), F_OK), 0);
    part_folder_close (&part, false);
    assert_int_not_equal (access (path_of (".x.musubi-part"), F_OK), 0);
}

static void no_two_use_one_folder (void **state)
{
    (void) state;
    part_folder_t part, other;
    char why [LONG_WHY_BYTES];
    fill (&part);
    assert_false (part_folder_open (&other, path_of ("x"), why));
    assert_non_null (strstr (why, "/x is being fetched already by another get"));
    part_folder_close (&part, true);
    assert_int_not_equal (access (path_of (".x.musubi-part"), F_OK), 0); /* nothing had come */
}

static void a_folder_that_others_may_write_to_is_refused (void **state)
{
    (void) state;
    part_folder_t part;
    char why [LONG_WHY_BYTES];
    assert_int_equal (mkdir (path_of (".x.musubi-part"), 0700), 0);
    assert_int_equal (chmod (path_of (".x.musubi-part"), 0777), 0);
    assert_false (part_folder_open (&part, path_of ("x"), why));
    assert_non_null (strstr (why, ".x.musubi-part: can't be used"));
    assert_int_equal (rmdir (path_of (".x.musubi-part")), 0);
}

static void the_verified_file_gets_the_name_and_the_mode_that_umask_says (void **state)
{
    (void) state;
    part_folder_t part;
    struct stat found;
    char why [LONG_WHY_BYTES];
    fill (&part);
    assert_false (part_folder_whole (&part));
    write_to (path_of (".x.musubi-part/whole"), "abcd");
    part_folder_close (&part, true); /* the client was killed before it saw that */
    assert_true (part_folder_open (&part, path_of ("x"), why));
    assert_false (part_folder_whole (&part)); /* it is looked at again first */
    assert_int_equal (part_folder_bytes (&part), 4);
    write_to (path_of (".x.musubi-part/whole"), "abcd");
    write_to (path_of ("x"), "older");
    mode_t before = umask (026);
    assert_true (part_folder_name (&part, path_of ("x"), why));
    assert_int_equal (umask (before), 026);
    part_folder_close (&part, false);
    assert_int_equal (stat (path_of ("x"), &found), 0);
    assert_int_equal (found.st_size, 4);
    assert_int_equal (found.st_mode & 0777, 0640);
    unlink (path_of ("x"));
}

static void a_folder_that_nobody_has_gone_on_with_is_removed (void **state)
{
    (void) state;
    part_folder_t part;
    char why [LONG_WHY_BYTES];
    struct timespec days_ago [2] = {[0] = {.tv_nsec = UTIME_OMIT}};
    for (int days = PARTS_KEPT_DAYS - 1; days <= PARTS_KEPT_DAYS + 1; days += 2) {
        fill (&part);
        write_to (path_of (".x.musubi-part/node/parts/part"), "abc");
        part_folder_close (&part, true);
        days_ago [1].tv_sec = time (NULL) - days * 86400;
        assert_int_equal (utimensat (AT_FDCWD, path_of (".x.musubi-part"), days_ago, 0), 0);
        assert_true (part_folder_open (&part, path_of ("y"), why));
        part_folder_close (&part, false);
        assert_int_equal (access (path_of (".x.musubi-part"), F_OK) == 0, days < PARTS_KEPT_DAYS);
    }
}

static void the_own_address_is_the_one_towards_the_service (void **state)
{
    (void) state;
    static const char *const services [] = {"tcp://127.0.0.1:5570", "ipc:///run/x",
                                            "tcp://[::1]:1"};
    static const char *const own [] = {"tcp://127.0.0.1:0", "tcp://127.0.0.1:0", "tcp://[::1]:0"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        char *found = own_address (services [i]);
        if (found) /* a machine need not have IPv6 */
            assert_string_equal (found, own [i]);
        assert_true (found || strchr (services [i], '['));
        free (found);
    }
    assert_null (own_address ("tcp://nowhere.invalid:5570"));
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_file_is_read_to_its_end),
      cmocka_unit_test (a_pipe_is_refused_and_not_waited_for),
      cmocka_unit_test (what_is_made_as_it_is_read_is_refused),
      cmocka_unit_test (a_part_stays_and_nothing_else_when_it_is_gone_on_with),
      cmocka_unit_test (what_has_come_of_a_folder_stays_when_a_file_is_wanted_there),
      cmocka_unit_test (no_two_use_one_folder),
      cmocka_unit_test (a_folder_that_others_may_write_to_is_refused),
      cmocka_unit_test (the_verified_file_gets_the_name_and_the_mode_that_umask_says),
      cmocka_unit_test (a_folder_that_nobody_has_gone_on_with_is_removed),
      cmocka_unit_test (the_own_address_is_the_one_towards_the_service),
    };
    if (!mkdtemp (folder))
        return 1;
    int failed = cmocka_run_group_tests (tests, NULL, NULL);
    rmdir (folder);
    return failed;
}
