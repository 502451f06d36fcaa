/*  test_file_transfer - only a file that has an end may be put. */
#include "file_transfer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder [] = "/tmp/musubi-carrying-XXXXXX";

static const char *path_of (const char *name)
{
    static char path [sizeof folder + 32];
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

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_file_is_read_to_its_end),
      cmocka_unit_test (a_pipe_is_refused_and_not_waited_for),
      cmocka_unit_test (what_is_made_as_it_is_read_is_refused),
    };
    if (!mkdtemp (folder))
        return 1;
    int failed = cmocka_run_group_tests (tests, NULL, NULL);
    rmdir (folder);
    return failed;
}
