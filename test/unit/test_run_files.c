/*  test_run_files - what a run reads of a storage node, and what it hands over to one. */
#include "run_fixture.h"

#include "must.h"

/*  A storage node's folders, beside the runs: files of its own, that others can't reach. */
static char storage_files [RUN_PATH_BYTES - 8];
static char storage_copy [RUN_PATH_BYTES];
static char storage_arrivals [RUN_PATH_BYTES];

static void storage_make (void)
{
    char folder [RUN_PATH_BYTES / 2];
    snprintf (folder, sizeof folder, "%s/storage", runs);
    snprintf (storage_files, sizeof storage_files, "%s/files", folder);
    snprintf (storage_copy, sizeof storage_copy, "%s/copy", storage_files);
    snprintf (storage_arrivals, sizeof storage_arrivals, "%s/arrivals", folder);
    mkdir (runs, 0711);
    mkdir (folder, 0750);
    mkdir (storage_files, 0750);
    mkdir (storage_arrivals, 0750);
    int copy = open (storage_copy, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);
    assert_true (copy >= 0 && write (copy, "right bytes\n", 12) == 12);
    close (copy);
}

static void storage_remove (void)
{
    char path [RUN_PATH_BYTES];
    snprintf (path, sizeof path, "%s/storage/arrivals/run.0", runs);
    unlink (path);
    unlink (storage_copy);
    snprintf (path, sizeof path, "%s/list", storage_files);
    unlink (path);
    rmdir (storage_files);
    rmdir (storage_arrivals);
    snprintf (path, sizeof path, "%s/storage", runs);
    rmdir (path);
}

static int files_remove (void **state)
{
    storage_remove ();
    return folder_remove (state);
}

static ino_t inode_of (const char *folder, const char *name)
{
    struct stat told;
    char path [2 * RUN_PATH_BYTES];
    snprintf (path, sizeof path, "%s/%s", folder, name);
    return stat (path, &told) == 0 ? told.st_ino : 0;
}

static made_t made_reading (const char *script, const run_file_t *in)
{
    made_t run = made (script);
    run.order.inputs = (run_file_t *) in;
    run.order.inputs_count = 1;
    run.arrivals = storage_arrivals;
    return run;
}

static void a_run_reads_the_copy_itself_and_hands_its_output_over (void **state)
{
    (void) state;
    char text [256], work [RUN_PATH_BYTES + 8], path [RUN_PATH_BYTES], wanted [64];
    struct stat told;
    storage_make ();
    run_file_t in = {.name = "era5/a", .path = "in/a", .copy = storage_copy, .size = 12};
    run_file_t out = {.name = "b", .path = "deep/b", .copy = "run.0"};
    made_t run = made_reading ("cat in/a; stat -Lc i%i in/a; mkdir deep; echo made >deep/b", &in);
    run.order.outputs = &out;
    run.order.outputs_count = 1;
    run.arrivals = storage_arrivals;
    begin (&run);
    stand_t stand = await_end (&run);
    assert_string_equal (stand.report.why, "");
    assert_int_equal (stand.report.exit_code, 0);
    assert_true (stand.report.handed);
    output_of (&run, text, sizeof text);
    assert_non_null (strstr (text, "right bytes"));
    assert_int_equal (stat (storage_copy, &told), 0);
    snprintf (wanted, sizeof wanted, "i%lu\n", (unsigned long) told.st_ino);
    assert_non_null (strstr (text, wanted)); /* no second copy */
    assert_int_equal (told.st_nlink, 1);     /* nor a name that keeps it */
    snprintf (work, sizeof work, "%s/work", run_path (path, runs, run.name));
    assert_int_equal (inode_of (storage_arrivals, "run.0"), inode_of (work, "deep/b"));
    snprintf (path, sizeof path, "%.4000s/run.0", storage_arrivals);
    assert_int_equal (stat (path, &told), 0);
    assert_int_equal (told.st_uid, geteuid ());
}

/*  Another account can't write the copy, whatever it tries. */
static void a_run_can_not_write_its_input (void **state)
{
    (void) state;
    char text [256];
    storage_make ();
    if (geteuid () != 0)
        return; /* one account for all */
    run_file_t in = {.name = "a", .path = "a", .copy = storage_copy, .size = 12};
    made_t run = made_reading ("echo worse >a; chmod 666 a; echo worse >>a; rm a; echo gone", &in);
    begin (&run);
    assert_int_equal (await_end (&run).report.exit_code, 0);
    int copy = open (storage_copy, O_RDONLY | O_CLOEXEC);
    assert_int_equal (read (copy, text, sizeof text), 12);
    assert_memory_equal (text, "right bytes\n", 12);
    close (copy);
    /*  One that it could write is refused. */
    assert_int_equal (chmod (storage_copy, 0666), 0);
    made_t refused = made_reading ("true", &in);
    begin (&refused);
    stand_t stand = await_end (&refused);
    assert_int_equal (stand.report.state, RUN_REFUSED);
    assert_non_null (strstr (stand.report.why, "could write its copy"));
    assert_false (stand.report.node_unfit);
}

static void what_is_wrong_with_a_file_is_said (void **state)
{
    (void) state;
    static const struct {
        const char *script;
        const char *why;
    } cases [] = {{"true", "output b: the task has not written it"},
                  {"ln -s /etc/passwd b", "output b: "},
                  {"mkdir b", "no plain file of the task's account"},
                  {"echo x >b; exit 3", ""}};
    storage_make ();
    run_file_t out = {.name = "b", .path = "b", .copy = "run.1"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        made_t run = made (cases [i].script);
        run.order.outputs = &out;
        run.order.outputs_count = 1;
        run.arrivals = storage_arrivals;
        begin (&run);
        stand_t stand = await_end (&run);
        assert_int_equal (stand.report.state, RUN_ENDED);
        assert_false (stand.report.handed);
        assert_non_null (strstr (stand.report.why, cases [i].why));
        assert_int_equal (*cases [i].why == '\0', *stand.report.why == '\0');
        assert_int_equal (inode_of (storage_arrivals, "run.1"), 0);
    }
    run_file_t in = {.name = "a", .path = "a", .copy = storage_copy, .size = 13};
    for (size_t i = 0; i < 2; i++) {
        made_t run = made_reading ("true", &in);
        begin (&run);
        stand_t stand = await_end (&run);
        assert_int_equal (stand.report.state, RUN_REFUSED);
        assert_non_null (
          strstr (stand.report.why, i == 0 ? "has 12 bytes, and should have 13" : "No such file"));
        assert_true (stand.report.node_unfit); /* it is brought again, and the task tries again */
        unlink (storage_copy);
    }
}

static void refused_for (const run_file_t *in, const char *why)
{
    made_t run = made_reading ("cat in", in);
    begin (&run);
    stand_t stand = await_end (&run);
    assert_int_equal (stand.report.state, RUN_REFUSED);
    if (!strstr (stand.report.why, why))
        fail_msg ("%s", stand.report.why);
}

/*  The account of the storage node owns its folder, and tells what it likes. */
static void an_agent_opens_only_what_is_the_storage_node_s (void **state)
{
    (void) state;
    char secret [RUN_PATH_BYTES], aside [RUN_PATH_BYTES];
    struct stat told;
    storage_make ();
    snprintf (aside, sizeof aside, "%s/storage/aside", runs);
    assert_int_equal (mkdir (aside, 0700), 0);
    snprintf (secret, sizeof secret, "%s/storage/aside/copy", runs);
    int file = open (secret, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true (file >= 0 && write (file, "secret bytes", 12) == 12);
    close (file);
    run_file_t in = {.name = "a", .path = "in", .copy = secret, .size = 12};
    unlink (storage_copy);
    refused_for (&in, "No such file"); /* another folder than the storage node's */
    in.copy = storage_copy;
    assert_int_equal (symlink (secret, storage_copy), 0);
    refused_for (&in, "Too many levels");
    unlink (storage_copy);
    rmdir (storage_files);
    assert_int_equal (symlink (aside, storage_files), 0);
    refused_for (&in, "Too many levels"); /* a link in the middle */
    unlink (storage_files);
    assert_int_equal (stat (secret, &told), 0);
    assert_int_equal (told.st_mode & 07777, 0600);
    if (geteuid () == 0) {
        assert_int_equal (rename (aside, storage_files), 0); /* root's file in games' folder */
        assert_int_equal (chown (storage_files, 5, 60), 0);
        refused_for (&in, "no plain file of the storage node");
        assert_int_equal (stat (storage_copy, &told), 0);
        assert_int_equal (told.st_mode & 07777, 0600);
    }
    unlink (secret);
    rmdir (aside);
}

#define LARGE "file-0123456789012345678901234567890123456789012345678901234567890123"

/*  How a run ends that has a folder of one large member, and prints of it what the script says. */
static stand_t ended_with (const char *member, const char *path, const char *script,
                           char text [256])
{
    char list [RUN_PATH_BYTES];
    struct stat told;
    snprintf (list, sizeof list, "%s/list", storage_files);
    FILE *file = fopen (list, "w");
    assert_non_null (file);
    fprintf (file,
             "{\"musubi_folder\":1,\"pieces\":[\"" LARGE "\"],\"members\":["
             "{\"kind\":\"folder\",\"path\":\"\",\"mode\":320,\"mtime_ns\":0},%s]}",
             member);
    fclose (file);
    assert_int_equal (stat (list, &told), 0);
    text_auto_t *list_path = must_print (".folder/%s/1700000000000-1-0123", path);
    text_auto_t *piece_path = must_print (".folder/%s/" LARGE, path);
    run_file_t in [] = {
      {.name = "run7/.folder/1700000000000-1-0123", .path = list_path, .copy = list},
      {.name = "run7/.folder/" LARGE, .path = piece_path, .copy = storage_copy, .size = 12}};
    in [0].size = (uint64_t) told.st_size;
    made_t run = made_reading (script, in);
    run.order.inputs_count = 2;
    begin (&run);
    stand_t stand = await_end (&run);
    output_of (&run, text, 256);
    return stand;
}

#define MEMBER(more) "{\"kind\":\"file\",\"path\":\"a\",\"mtime_ns\":0,\"piece\":0," more "}"

static void a_folder_is_laid_out_before_the_program_starts (void **state)
{
    (void) state;
    static const struct {
        const char *member, *path, *why;
    } bad [] = {
      {MEMBER ("\"mode\":420,\"size\":13"), "in/.folder",
       "input in: a: its piece has not as many bytes as the list says"},
      {MEMBER ("\"mode\":420,\"size\":12"), "in/.folder/b", "input in: the folder has no member b"},
      {MEMBER ("\"mode\":420,\"size\":12,\"path\":\"../a\""), "in/.folder",
       "input in: ../a: \".\" and \"..\" lead out of the folder"},
    };
    char text [256], wanted [64];
    struct stat told;
    storage_make ();
    stand_t stand = ended_with (MEMBER ("\"mode\":420,\"size\":12"), "in/.folder",
                                "stat -c %a in; stat -Lc i%i in/a; cat in/a", text);
    assert_string_equal (stand.report.why, "");
    assert_int_equal (stat (storage_copy, &told), 0);
    snprintf (wanted, sizeof wanted, "500\ni%lu\nright bytes\n", (unsigned long) told.st_ino);
    assert_string_equal (text, wanted); /* no second copy */
    stand = ended_with (MEMBER ("\"mode\":320,\"size\":12"), "x/b/.folder/a",
                        "stat -c '%a %Y' x/b; cat x/b", text);
    assert_string_equal (stand.report.why, "");
    assert_string_equal (text, "500 0\nright bytes\n"); /* its copy may not be executed */
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        stand = ended_with (bad [i].member, bad [i].path, "echo begun", text);
        assert_int_equal (stand.report.state, RUN_ENDED);
        assert_string_equal (stand.report.why, bad [i].why);
        assert_string_equal (text, "");
    }
}

/*  Nor writes elsewhere: not through a link, nor where a site's name of an output leads. */
static void an_output_gets_into_no_other_folder (void **state)
{
    (void) state;
    storage_make ();
    run_file_t out = {.name = "b", .path = "b", .copy = "../files/run.2"};
    for (size_t i = 0; i < 2; i++) {
        made_t run = made ("echo x >b");
        run.order.outputs = &out;
        run.order.outputs_count = 1;
        run.arrivals = storage_arrivals;
        begin (&run);
        assert_false (await_end (&run).report.handed);
        assert_int_equal (inode_of (storage_files, "run.2"), 0);
        rmdir (storage_arrivals);
        assert_true (i > 0 || symlink (storage_files, storage_arrivals) == 0);
        out.copy = "run.2";
    }
    unlink (storage_arrivals);
}

int main (int argc, char **argv)
{
    if (argc > 1 && strcmp (argv [1], "starter") == 0)
        return starter_main (argc - 1, argv + 1);
#define TEST(name) cmocka_unit_test_setup_teardown (name, folder_make, files_remove)
    const struct CMUnitTest tests [] = {
      TEST (a_run_reads_the_copy_itself_and_hands_its_output_over),
      TEST (a_run_can_not_write_its_input),
      TEST (what_is_wrong_with_a_file_is_said),
      TEST (a_folder_is_laid_out_before_the_program_starts),
      TEST (an_agent_opens_only_what_is_the_storage_node_s),
      TEST (an_output_gets_into_no_other_folder),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
