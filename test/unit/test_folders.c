/*  test_folders - folders as manifests and packs: what changes which pack, and what hostile ones
 *  are refused for.
 */
#include "folder_pack.h"
#include "json_fields.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define PIECE "pack-0123456789012345678901234567890123456789012345678901234567890123"
#define TOP   "{\"kind\":\"folder\",\"path\":\"\",\"mode\":493,\"mtime_ns\":0}"
#define IN_A  "{\"kind\":\"folder\",\"path\":\"a\",\"mode\":493,\"mtime_ns\":0}"
#define FILE_OF(path, more)                                                                        \
    "{\"kind\":\"file\",\"path\":\"" path "\",\"mode\":420,\"mtime_ns\":0," more "}"
#define FILE_AT(path) FILE_OF (path, "\"size\":3,\"piece\":0")

static char folder [] = "/tmp/musubi-folders-XXXXXX";

static json_t *read_members (const char *members)
{
    FILE *file = fopen ("list", "w");
    assert_non_null (file);
    fprintf (file, "{\"musubi_folder\":1,\"pieces\":[\"%s\"],\"members\":[%s]}", PIECE, members);
    fclose (file);
    return folder_manifest_read ("list");
}

static void a_right_list_is_read (void **state)
{
    (void) state;
    json_auto_t *list = read_members (TOP "," IN_A "," FILE_AT ("a/b") "," FILE_AT ("a-b"));
    assert_non_null (list);
    assert_string_equal (text_of (folder_manifest_find (list, "a-b"), "path"), "a-b");
    assert_null (folder_manifest_find (list, "a/c"));
    json_auto_t *groups = folder_manifest_groups (list);
    assert_int_equal (json_array_size (json_array_get (groups, 0)), 2);
}

/*  Those that are not done, in their order; and how many of them were meant. */
static void only_are (const char *like, size_t tops, const char *wanted)
{
    json_auto_t *list = read_members (TOP "," IN_A "," FILE_AT ("a/b") "," FILE_AT (
      "a/b.c") ","
               "{\"kind\":\"folder\",\"path\":\"a/d\"}," FILE_AT ("a/d/b") "," FILE_AT (
                 "a-b") "," FILE_AT ("b*"));
    char text [256] = "";
    const json_t *member;
    assert_non_null (list);
    assert_int_equal (folder_manifest_only (list, like), tops);
    for (size_t i = 0; (member = folder_member_next (list, NULL, &i));)
        snprintf (text + strlen (text), sizeof text - strlen (text), "%s ",
                  text_of (member, "path"));
    assert_string_equal (text, wanted);
}

static void a_list_is_cut_to_what_is_meant (void **state)
{
    (void) state;
    only_are ("", 1, " a a/b a/b.c a/d a/d/b a-b b* ");
    only_are ("a", 1, " a a/b a/b.c a/d a/d/b ");
    only_are ("a/b", 1, " a a/b ");
    only_are ("*/b", 1, " a a/b ");
    only_are ("a/?*", 3, " a a/b a/b.c a/d a/d/b ");
    only_are ("a/d/*", 1, " a a/d a/d/b ");
    only_are ("*", 3, " a a/b a/b.c a/d a/d/b a-b b* ");
    only_are ("b*", 1, " b* ");
    only_are ("a/", 0, "");
    only_are ("c*", 0, "");
}

static void a_hostile_list_is_refused (void **state)
{
    (void) state;
    static const char *const bad [] = {
      "",
      IN_A,
      TOP "," TOP,
      TOP "," FILE_AT ("/etc/passwd"),
      TOP "," FILE_AT (".."),
      TOP "," IN_A "," FILE_AT ("a/../../x"),
      TOP "," FILE_AT ("a//b"),
      TOP "," FILE_AT ("a/b"),
      TOP "," FILE_AT ("a") "," FILE_AT ("a/b"),
      TOP ",{\"kind\":\"link\",\"path\":\"a\",\"target\":\"/\"}," FILE_AT ("a/b"),
      TOP "," FILE_AT ("a") "," FILE_AT ("a"),
      TOP "," FILE_AT ("b") "," FILE_AT ("a"),
      TOP "," FILE_OF ("a", "\"size\":3,\"piece\":1"),
      TOP "," FILE_OF ("a", "\"size\":3,\"piece\":-1"),
      TOP "," FILE_OF ("a", "\"size\":-3,\"piece\":0"),
      TOP "," FILE_OF ("a", "\"size\":3"),
      TOP "," FILE_OF ("a", "\"size\":3,\"piece\":0,\"done\":true"),
      TOP ",{\"kind\":\"device\",\"path\":\"a\"}",
      TOP ",{\"kind\":\"link\",\"path\":\"a\"}",
      TOP ",7",
      TOP "," FILE_AT ("a\\u001b[2Jb"),
      TOP "," FILE_AT ("a\\u009b2Jb"),
      TOP ",{\"kind\":\"link\",\"path\":\"a\",\"target\":\"b\\u001b]0;c\"}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (read_members (bad [i]))
            fail_msg ("taken: %s", bad [i]);
}

/*  A pack of files with these names, each with the bytes "abc". */
static void pack_make (const char *const *names, size_t count, mode_t type)
{
    struct archive *pack = archive_write_new ();
    archive_write_set_format_pax_restricted (pack);
    assert_int_equal (archive_write_open_filename (pack, "pack"), ARCHIVE_OK);
    for (size_t i = 0; i < count; i++) {
        struct archive_entry *entry = archive_entry_new ();
        archive_entry_copy_pathname (entry, names [i]);
        archive_entry_set_mode (entry, type | 04755);
        archive_entry_copy_symlink (entry, type == AE_IFLNK ? "/tmp" : NULL);
        archive_entry_set_size (entry, type == AE_IFREG ? 3 : 0);
        assert_int_equal (archive_write_header (pack, entry), ARCHIVE_OK);
        if (type == AE_IFREG)
            assert_int_equal (archive_write_data (pack, "abc", 3), 3);
        archive_entry_free (entry);
    }
    archive_write_free (pack);
}

static bool unpacked (const char *members)
{
    json_auto_t *list = read_members (members);
    assert_non_null (list);
    json_auto_t *groups = folder_manifest_groups (list);
    return folder_unpack_others (list, false) &&
           folder_unpack (list, 0, json_array_get (groups, 0), "pack");
}

static void a_pack_is_unpacked_and_never_setuid (void **state)
{
    (void) state;
    struct stat status;
    umask (022);
    pack_make ((const char *const []){"a/b", "c"}, 2, AE_IFREG);
    assert_true (unpacked (TOP "," IN_A "," FILE_AT ("a/b") "," FILE_AT ("c")));
    assert_int_equal (stat ("a/b", &status), 0);
    assert_int_equal (status.st_mode & 07777, 0644);
    assert_int_equal (status.st_size, 3);
    assert_int_equal (system ("rm -r a c"), 0);
}

static void modes_are_cut_by_the_umask (void **state)
{
    (void) state;
    struct stat status;
    mode_t before = umask (027);
    pack_make ((const char *const []){"a/b"}, 1, AE_IFREG);
    json_auto_t *list =
      read_members ("{\"kind\":\"folder\",\"path\":\"\",\"mode\":511,\"mtime_ns\":0},"
                    "{\"kind\":\"folder\",\"path\":\"a\",\"mode\":511,\"mtime_ns\":0},"
                    "{\"kind\":\"file\",\"path\":\"a/b\",\"mode\":438,\"mtime_ns\":0,\"size\":3,"
                    "\"piece\":0}");
    json_auto_t *groups = folder_manifest_groups (list);
    assert_true (folder_unpack_others (list, false) &&
                 folder_unpack (list, 0, json_array_get (groups, 0), "pack") &&
                 folder_unpack_others (list, true));
    assert_int_equal (stat (".", &status), 0);
    assert_int_equal (status.st_mode & 07777, 0750);
    assert_int_equal (stat ("a", &status), 0);
    assert_int_equal (status.st_mode & 07777, 0750);
    assert_int_equal (stat ("a/b", &status), 0);
    assert_int_equal (status.st_mode & 07777, 0640);
    umask (before);
    assert_int_equal (system ("rm -r a"), 0);
}

/*  Of a folder with one file "f", read and packed; as another machine reads its list. */
static json_t *one_file_list (void)
{
    json_auto_t *list = folder_tree_read ("in", LINKS_KEEP);
    folder_pack_plan (list);
    json_auto_t *groups = folder_manifest_groups (list);
    assert_true (folder_pack_write (json_array_get (groups, 0), "in", "pack"));
    json_array_set_new (json_object_get (list, "pieces"), 0, json_string (PIECE));
    assert_true (folder_manifest_write (list, "list"));
    return folder_manifest_read ("list");
}

static void bytes_decide_whether_a_file_is_here (void **state)
{
    (void) state;
    struct stat status;
    assert_int_equal (system ("mkdir in && echo AAAA >in/f && touch -d 2020-01-01 in/f"), 0);
    json_auto_t *list = one_file_list ();
    const json_t *member = folder_manifest_find (list, "f");
    assert_non_null (member);
    assert_int_equal (system ("cp in/f f && touch -d 2021-01-01 f && chmod 600 f"), 0);
    assert_true (folder_unpack_has (AT_FDCWD, member));
    assert_true (folder_unpack_settle ("f", member));
    assert_int_equal (stat ("f", &status), 0);
    assert_int_equal (folder_time_ns (status.st_mtim), number_of (member, "mtime_ns"));
    assert_int_equal (status.st_mode & 0700, 0600);
    assert_int_equal (system ("echo BBBB >f && touch -d 2020-01-01 f"), 0);
    assert_false (folder_unpack_has (AT_FDCWD, member));
    assert_int_equal (system ("ln -sf in/f f"), 0);
    assert_false (folder_unpack_has (AT_FDCWD, member));
    assert_int_equal (system ("rm f"), 0);
}

/*  Versions before read members with the keys that they know, and wrote lists without digests. */
static void lists_are_read_by_and_from_the_version_before (void **state)
{
    (void) state;
    json_auto_t *list = one_file_list (), *written = json_load_file ("list", 0, NULL);
    const json_t *member;
    for (size_t i = 0; (member = item_of (written, "members", i)); i++)
        assert_null (key_unknown (member, "path kind mode mtime_ns size piece target"));
    json_object_del (written, "digests");
    assert_int_equal (json_dump_file (written, "list", 0), 0);
    json_auto_t *older = folder_manifest_read ("list");
    assert_non_null (older);
    assert_int_equal (system ("cp -p in/f f"), 0);
    assert_true (folder_unpack_has (AT_FDCWD, folder_manifest_find (list, "f")));
    assert_false (folder_unpack_has (AT_FDCWD, folder_manifest_find (older, "f")));
    assert_int_equal (system ("rm -r in f"), 0);
}

/*  This year may be beyond what the disk can hold. */
static void a_time_comes_back_or_is_told (void **state)
{
    (void) state;
    struct stat status;
    char said [512] = "";
    json_auto_t *list = read_members (
      TOP ",{\"kind\":\"folder\",\"path\":\"a\",\"mode\":493,\"mtime_ns\":-8000000000000000000}");
    int before = dup (STDERR_FILENO);
    assert_non_null (freopen ("said", "w", stderr));
    assert_true (folder_unpack_others (list, false));
    assert_true (folder_unpack_others (list, true));
    fflush (stderr);
    assert_true (dup2 (before, STDERR_FILENO) >= 0);
    close (before);
    FILE *file = fopen ("said", "r");
    size_t got = fread (said, 1, sizeof said - 1, file);
    fclose (file);
    assert_int_equal (stat ("a", &status), 0);
    if (status.st_mtim.tv_sec != -8000000000)
        assert_non_null (strstr (said, "a: this disk can't hold its time"));
    else
        assert_int_equal (got, 0);
    assert_int_equal (system ("rm -r a said"), 0);
}

static void a_time_beyond_the_list_is_the_nearest (void **state)
{
    (void) state;
    assert_int_equal (folder_time_ns ((struct timespec){.tv_sec = 1, .tv_nsec = 5}), 1000000005);
    assert_int_equal (folder_time_ns ((struct timespec){.tv_sec = 10413792000}), INT64_MAX);
    assert_int_equal (folder_time_ns ((struct timespec){.tv_sec = -10413792000}), INT64_MIN);
}

static void a_hostile_pack_is_refused (void **state)
{
    (void) state;
    static const struct {
        const char *names [2];
        size_t count;
        mode_t type;
    } bad [] = {
      {{"../x", "c"}, 2, AE_IFREG}, {{"c", "x"}, 2, AE_IFREG}, {{"c", "c"}, 2, AE_IFREG},
      {{"d", "c"}, 2, AE_IFREG},    {{"c"}, 1, AE_IFREG},      {{"c", "d"}, 2, AE_IFLNK},
      {{NULL}, 0, AE_IFREG},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pack_make (bad [i].names, bad [i].count, bad [i].type);
        if (unpacked (TOP "," FILE_AT ("c") "," FILE_AT ("d")))
            fail_msg ("pack %zu was taken", i);
        assert_int_not_equal (access ("x", F_OK), 0);
        assert_int_not_equal (access ("../x", F_OK), 0);
        unlink ("c");
    }
    pack_make ((const char *const []){"c"}, 1, AE_IFREG);
    assert_false (unpacked (TOP "," FILE_OF ("c", "\"size\":1099511627776,\"piece\":0")));
    assert_int_equal (truncate ("pack", 514), 0);
    assert_false (unpacked (TOP "," FILE_AT ("c")));
    unlink ("c");
}

static void nothing_is_written_through_a_link_that_is_there (void **state)
{
    (void) state;
    assert_int_equal (mkdir ("other", 0755), 0);
    assert_int_equal (symlink ("other", "a"), 0);
    pack_make ((const char *const []){"a/b"}, 1, AE_IFREG);
    assert_false (unpacked (TOP "," IN_A "," FILE_AT ("a/b")));
    assert_int_not_equal (access ("other/b", F_OK), 0);
    unlink ("a");
    rmdir ("other");
}

/*  The pieces of a folder of so many files of 100 kB, without the one called by that number: of
 *  each the names of its members, one after the other. */
static json_t *planned (int files, int without)
{
    json_auto_t *list = json_pack ("{s:[], s:[]}", "pieces", "members");
    for (int i = 0; i < files; i++) {
        char path [16];
        snprintf (path, sizeof path, "f%04d", i);
        if (i != without)
            json_array_append_new (
              json_object_get (list, "members"),
              json_pack ("{s:s, s:s, s:i}", "kind", "file", "path", path, "size", 100000));
    }
    folder_pack_plan (list);
    json_auto_t *groups = folder_manifest_groups (list);
    json_t *names = json_object (), *group, *member;
    size_t at, in;
    json_array_foreach (groups, at, group)
    {
        char all [8192] = "";
        json_array_foreach (group, in, member)
          strncat (all, text_of (member, "path"), sizeof all - strlen (all) - 1);
        assert_true (json_array_size (group) * 100864 <= PACK_BYTES_MAX);
        json_object_set_new (names, all, json_true ());
    }
    return names;
}

static void a_file_that_goes_changes_a_pack_or_two (void **state)
{
    (void) state;
    json_auto_t *all = planned (2000, -1);
    assert_true (json_object_size (all) >= 8);
    for (int without = 3; without < 2000; without += 97) {
        json_auto_t *less = planned (2000, without);
        size_t changed = 0;
        const char *pack;
        json_t *value;
        json_object_foreach (all, pack, value) changed += !json_object_get (less, pack);
        assert_in_range (changed, 1, 4);
    }
}

static void large_files_go_alone (void **state)
{
    (void) state;
    json_auto_t *list =
      json_pack ("{s:[], s:[{s:s, s:s, s:i}, {s:s, s:s, s:i}, {s:s, s:s, s:i}]}", "pieces",
                 "members", "kind", "file", "path", "a", "size", 5, "kind", "file", "path", "b",
                 "size", 1048577, "kind", "file", "path", "c", "size", 1048576);
    folder_pack_plan (list);
    assert_int_equal (json_array_size (json_object_get (list, "pieces")), 2);
    assert_int_equal (number_of (folder_manifest_find (list, "b"), "piece"), 1);
    assert_int_equal (number_of (folder_manifest_find (list, "c"), "piece"), 0);
}

static void a_folder_comes_back_as_it_was (void **state)
{
    (void) state;
    assert_int_equal (system ("mkdir -p in/d && echo 1 >in/d/f && ln -s d in/l && mkfifo in/p"), 0);
    json_auto_t *list = folder_tree_read ("in", LINKS_KEEP);
    assert_non_null (list);
    assert_int_equal (json_array_size (json_object_get (list, "members")), 4);
    folder_pack_plan (list);
    json_auto_t *groups = folder_manifest_groups (list);
    assert_true (folder_pack_write (json_array_get (groups, 0), "in", "pack"));
    json_array_set_new (json_object_get (list, "pieces"), 0, json_string (PIECE));
    assert_int_equal (mkdir ("out", 0755), 0);
    assert_int_equal (chdir ("out"), 0);
    assert_true (folder_unpack_others (list, false));
    assert_true (folder_unpack (list, 0, json_array_get (groups, 0), "../pack"));
    assert_true (folder_unpack_others (list, true));
    assert_int_equal (chdir (".."), 0);
    assert_int_equal (system ("rm in/p && diff -r --no-dereference in out && rm -r in out"), 0);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_right_list_is_read),
      cmocka_unit_test (a_list_is_cut_to_what_is_meant),
      cmocka_unit_test (a_hostile_list_is_refused),
      cmocka_unit_test (a_pack_is_unpacked_and_never_setuid),
      cmocka_unit_test (modes_are_cut_by_the_umask),
      cmocka_unit_test (bytes_decide_whether_a_file_is_here),
      cmocka_unit_test (lists_are_read_by_and_from_the_version_before),
      cmocka_unit_test (a_time_comes_back_or_is_told),
      cmocka_unit_test (a_time_beyond_the_list_is_the_nearest),
      cmocka_unit_test (a_hostile_pack_is_refused),
      cmocka_unit_test (nothing_is_written_through_a_link_that_is_there),
      cmocka_unit_test (a_file_that_goes_changes_a_pack_or_two),
      cmocka_unit_test (large_files_go_alone),
      cmocka_unit_test (a_folder_comes_back_as_it_was),
    };
    char files [sizeof folder + 8];
    if (!mkdtemp (folder) || chdir (folder) != 0 || mkdir ("top", 0755) != 0 || chdir ("top") != 0)
        return 1;
    int failed = cmocka_run_group_tests (tests, NULL, NULL);
    snprintf (files, sizeof files, "rm -r %s", folder);
    return failed + (system (files) != 0);
}
