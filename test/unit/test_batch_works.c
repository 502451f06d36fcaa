/*  batch_works: the work of a batch system's agent, over a batch system that is made up here. Its
 *  jobs are the scripts that it is given, run by a shell when the test wants that.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "batch_works.h"
#include "command.h"
#include "must.h"
#include "node_work.h"

static batch_job_state_t job_state; /* of the one job that there is */
static size_t submitted;
static char *job_script;
static bool silent;
static char runs [64];
static char run_name_text [RUN_NAME_BYTES_MAX + 1];

static bool fake_jobs (const batch_jobs_t *asked, char why [WHY_BYTES])
{
    if (silent)
        return wrong (why, "no answer");
    for (size_t i = 0; i < asked->count; i++)
        asked->seen [i] = (batch_job_seen_t){.state = job_state, .id = "1", .why = "as it is"};
    return true;
}

static command_told_t fake_submit (const batch_setup_t *setup, const batch_job_t *job,
                                   char why [WHY_BYTES])
{
    (void) setup;
    (void) why;
    submitted++;
    free (job_script);
    job_script = must (strdup (job->script));
    job_state = BATCH_JOB_QUEUED;
    return COMMAND_DONE;
}

static bool fake_signal (const batch_setup_t *setup, const char *id, batch_signal_t signal,
                         char why [WHY_BYTES])
{
    (void) setup;
    (void) id;
    (void) why;
    assert_int_equal (signal, BATCH_END);
    job_state = BATCH_JOB_ENDED;
    return true;
}

static const batch_system_t fake = {
  .name = "fake", .jobs = fake_jobs, .submit = fake_submit, .signal = fake_signal};
static const batch_setup_t fake_setup = {.site = "ams", .queue = "batch", .limit_ms = 10000};

/*  The account that runs the test; root's tasks are nobody's. */
static const char *account (void)
{
    const struct passwd *entry = geteuid () != 0 ? getpwuid (geteuid ()) : NULL;
    return entry ? entry->pw_name : "nobody";
}

static bool work (const char *kind, const work_order_t *order, work_result_t *result)
{
    char why [WHY_BYTES];
    *result = (work_result_t){0};
    for (size_t i = 0; i < batch_works_count; i++)
        if (strcmp (batch_works [i].kind, kind) == 0)
            return batch_works [i].carry_out (order, result, why);
    fail_msg ("no work %s", kind);
    return false;
}

/*  --- files --- */

static char copies [96], arrivals [96]; /* of a storage node, beside the runs */
static run_file_t input_file, output_file;

static void file_put (const char *path, const char *text)
{
    FILE *file = fopen (path, "w");
    assert_non_null (file);
    fputs (text, file);
    fclose (file);
    assert_int_equal (chmod (path, 0640), 0);
}

static bool file_has (const char *path, const char *text)
{
    char told [64] = "";
    FILE *file = fopen (path, "r");
    if (!file)
        return false;
    size_t size = fread (told, 1, sizeof told - 1, file);
    fclose (file);
    return size == strlen (text) && strcmp (told, text) == 0;
}

/*  A storage node with one file, in folders that no other account reaches. */
static void storage_new (void)
{
    static char copy [128];
    snprintf (arrivals, sizeof arrivals, "%s-storage", runs);
    assert_int_equal (mkdir (arrivals, 0750), 0);
    snprintf (copies, sizeof copies, "%s-storage/files", runs);
    snprintf (arrivals, sizeof arrivals, "%s-storage/arrivals", runs);
    assert_int_equal (mkdir (copies, 0750) + mkdir (arrivals, 0750), 0);
    snprintf (copy, sizeof copy, "%s/era5", copies);
    file_put (copy, "right bytes\n");
    input_file = (run_file_t){.name = "era5", .path = "in/it's", .copy = copy, .size = 12};
    output_file = (run_file_t){.name = "b", .path = "b", .copy = "run.0"};
}

static void storage_end (void)
{
    char storage [96], why [WHY_BYTES];
    snprintf (storage, sizeof storage, "%s-storage", runs);
    const char *const rm [] = {"rm", "-rf", storage, NULL};
    command_run (rm, NULL, 10000, NULL, why);
}

static const char *in_runs (char path [256], const char *behind)
{
    snprintf (path, 256, "%s/%s%s", runs, run_name_text, behind);
    return path;
}

/*  --- what is done --- */

/*  How the run stands after that work. */
static stand_t stand_after (const char *kind, const char *const *arguments, size_t count)
{
    const char *names [] = {run_name_text};
    run_order_t order = {.arguments = arguments,
                         .arguments_count = count,
                         .folder = "",
                         .output = "",
                         .errors = "",
                         .account = account (),
                         .owner = "alice",
                         .reservation = "",
                         .need = "",
                         .cpus = 1,
                         .limit_ms = 60000,
                         .cpu_limit_ms = 60000};
    work_order_t asked = {.runs = runs, .names = names, .names_count = 1};
    if (*arrivals) {
        order.inputs = &input_file;
        order.outputs = &output_file;
        order.inputs_count = order.outputs_count = 1;
    }
    if (arguments)
        asked.ticket = (ticket_t){.name = run_name_text,
                                  .id = {{1, 0}, 1},
                                  .site = "ams",
                                  .node = "fake",
                                  .order = &order,
                                  .arrivals = *arrivals ? arrivals : NULL,
                                  .output_bytes_max = 1};
    work_result_t result;
    assert_true (work (kind, &asked, &result));
    stand_t stand = {0};
    if (result.stands)
        stand = *result.stands;
    assert_string_equal (stand.name, run_name_text);
    codec_clear (&work_result_codec, &result);
    return stand;
}

static void job_run (void)
{
    const char *const shell [] = {"sh", NULL};
    packed_t output;
    char why [WHY_BYTES];
    command_run_as (account (), shell, job_script, 10000, &output, why);
    free (output.data);
}

static int runs_new (void **state)
{
    (void) state;
    const uint8_t site [STORE_ID_BYTES] = {1};
    run_name (site, &(run_id_t){{1, 0}, 1}, run_name_text);
    snprintf (runs, sizeof runs, "/tmp/musubi-runs.XXXXXX");
    job_state = BATCH_JOB_UNKNOWN;
    submitted = 0;
    silent = false;
    *arrivals = '\0';
    batch_works_begin (&fake, &fake_setup);
    return mkdtemp (runs) && rmdir (runs) == 0 ? 0 : -1;
}

static int runs_end (void **state)
{
    (void) state;
    const char *const rm [] = {"rm", "-rf", runs, NULL};
    char why [WHY_BYTES];
    storage_end ();
    free (job_script);
    job_script = NULL;
    return command_run (rm, NULL, 10000, NULL, why) == COMMAND_DONE ? 0 : -1;
}

static const char *const counts [] = {"sh", "-c", "echo once >>../../count; exit 3"};
static const char *const killed [] = {"sh", "-c", "kill $$"};

static void a_run_is_submitted_once (void **state)
{
    (void) state;
    assert_true (stand_after (RUN_START, counts, 3).queued);
    assert_true (stand_after (RUN_START, counts, 3).queued);
    assert_int_equal (submitted, 1);
}

/*  A second job of the run, after a first one was thought lost, must do nothing. */
static void two_jobs_of_a_run_begin_it_once (void **state)
{
    (void) state;
    stand_after (RUN_START, counts, 3);
    job_run ();
    job_run ();
    job_state = BATCH_JOB_ENDED;
    stand_t stand = stand_after (RUN_LOOK, NULL, 0);
    assert_int_equal (stand.report.state, RUN_ENDED);
    assert_int_equal (stand.report.exit_code, 3);
    char path [128], told [16] = "";
    snprintf (path, sizeof path, "%s/count", runs);
    FILE *file = fopen (path, "r");
    assert_non_null (file);
    assert_int_equal (fread (told, 1, sizeof told - 1, file), 5);
    fclose (file);
}

static void an_end_is_told_when_the_job_is_forgotten (void **state)
{
    (void) state;
    stand_after (RUN_START, counts, 3);
    job_run ();
    job_state = BATCH_JOB_UNKNOWN;
    assert_int_equal (stand_after (RUN_LOOK, NULL, 0).report.state, RUN_ENDED);
}

/*  A batch system that was killed has forgotten the job; it may go on all the same. */
static void a_run_is_lost_when_its_job_is_gone_for_long (void **state)
{
    (void) state;
    char path [256];
    stand_after (RUN_START, counts, 3);
    job_run ();
    snprintf (path, sizeof path, "%s/%s/end", runs, run_name_text);
    assert_int_equal (unlink (path), 0); /* it has begun, and is not over */
    snprintf (path, sizeof path, "%s/%s.gone", runs, run_name_text);
    const struct timespec before [2] = {{.tv_sec = time (NULL) - 31}, {.tv_sec = time (NULL) - 31}};
    for (int seen = 0; seen < 2; seen++) {
        job_state = BATCH_JOB_UNKNOWN;
        assert_int_equal (stand_after (RUN_LOOK, NULL, 0).report.state, RUN_RUNNING);
        assert_int_equal (utimensat (AT_FDCWD, path, before, 0), 0);
        job_state = BATCH_JOB_RUNNING; /* it is known again: what was noted counts no more */
        if (seen == 0)
            assert_int_equal (stand_after (RUN_LOOK, NULL, 0).report.state, RUN_RUNNING);
    }
    job_state = BATCH_JOB_UNKNOWN;
    stand_t stand = stand_after (RUN_LOOK, NULL, 0);
    assert_int_equal (stand.report.state, RUN_LOST);
    assert_string_equal (stand.report.why, "as it is");
}

/*  It ended by a signal; whether its node was needed is told with the job's end. */
static void a_killed_run_is_over_when_its_job_is (void **state)
{
    (void) state;
    stand_after (RUN_START, killed, 3);
    job_run ();
    job_state = BATCH_JOB_RUNNING;
    assert_int_equal (stand_after (RUN_LOOK, NULL, 0).report.state, RUN_RUNNING);
    job_state = BATCH_JOB_LOST;
    stand_t stand = stand_after (RUN_LOOK, NULL, 0);
    assert_int_equal (stand.report.state, RUN_LOST);
    assert_string_equal (stand.report.why, "as it is");
    job_state = BATCH_JOB_ENDED;
    stand = stand_after (RUN_LOOK, NULL, 0);
    assert_int_equal (stand.report.state, RUN_ENDED);
    assert_int_equal (stand.report.signal, SIGTERM);
}

static void silence_is_no_end (void **state)
{
    (void) state;
    stand_after (RUN_START, counts, 3);
    silent = true;
    const char *names [] = {run_name_text};
    work_result_t result;
    assert_false (
      work (RUN_LOOK, &(work_order_t){.runs = runs, .names = names, .names_count = 1}, &result));
    codec_clear (&work_result_codec, &result);
}

static void a_forgotten_job_is_submitted_again (void **state)
{
    (void) state;
    stand_after (RUN_START, counts, 3);
    job_state = BATCH_JOB_UNKNOWN;
    stand_t stand = stand_after (RUN_LOOK, NULL, 0);
    assert_int_equal (stand.report.state, RUN_CLAIMED);
    assert_false (stand.queued);
    assert_true (stand_after (RUN_START, counts, 3).queued);
    assert_int_equal (submitted, 2);
}

static void why_a_job_waits_is_told (void **state)
{
    (void) state;
    stand_after (RUN_START, counts, 3);
    stand_t stand = stand_after (RUN_LOOK, NULL, 0);
    assert_int_equal (stand.report.state, RUN_CLAIMED);
    assert_string_equal (stand.report.why, "as it is");
    job_state = BATCH_JOB_RUNNING; /* and its script has not begun yet */
    stand = stand_after (RUN_LOOK, NULL, 0);
    assert_true (stand.queued);
    assert_string_equal (stand.report.why, "");
}

/*  The batch system holds it, as its reservation went away. */
static void a_held_job_is_submitted_again (void **state)
{
    (void) state;
    stand_after (RUN_START, counts, 3);
    job_state = BATCH_JOB_HELD;
    stand_t stand = stand_after (RUN_LOOK, NULL, 0);
    assert_int_equal (stand.report.state, RUN_CLAIMED);
    assert_false (stand.queued);
    assert_true (stand_after (RUN_START, counts, 3).queued);
    assert_int_equal (submitted, 2);
}

static void a_held_job_goes_when_its_run_is_ended (void **state)
{
    (void) state;
    stand_after (RUN_START, counts, 3);
    job_state = BATCH_JOB_HELD;
    assert_int_equal (stand_after (RUN_SIGNAL, NULL, 0).report.state, RUN_REFUSED);
    assert_int_equal (job_state, BATCH_JOB_ENDED);
}

/*  The agent died between its mark and its signal. */
static void a_held_job_of_an_ended_run_is_not_over (void **state)
{
    (void) state;
    stand_after (RUN_START, counts, 3);
    stand_after (RUN_SIGNAL, NULL, 0);
    job_state = BATCH_JOB_HELD;
    stand_t stand = stand_after (RUN_LOOK, NULL, 0);
    assert_int_equal (stand.report.state, RUN_CLAIMED);
    assert_true (stand.queued);
}

static void a_run_that_was_ended_is_never_begun (void **state)
{
    (void) state;
    stand_t stand = stand_after (RUN_SIGNAL, NULL, 0);
    assert_int_equal (stand.report.state, RUN_REFUSED);
    assert_int_equal (stand_after (RUN_START, counts, 3).report.state, RUN_REFUSED);
    assert_int_equal (submitted, 0);
}

static const char *const copies_it [] = {"sh", "-c",
                                         "cat in/it* >b && echo worse 2>>log >in/it*; :"};

static void a_job_reads_its_input_and_its_output_is_handed_over (void **state)
{
    (void) state;
    char path [256];
    struct stat told;
    storage_new ();
    assert_true (stand_after (RUN_START, copies_it, 3).queued);
    job_run ();
    stand_t stand = stand_after (RUN_LOOK, NULL, 0);
    assert_int_equal (stand.report.state, RUN_RUNNING); /* something of it may write still */
    snprintf (path, sizeof path, "%s/run.0", arrivals);
    assert_int_equal (access (path, F_OK), -1);
    job_state = BATCH_JOB_ENDED;
    stand = stand_after (RUN_LOOK, NULL, 0);
    assert_int_equal (stand.report.state, RUN_ENDED);
    assert_string_equal (stand.report.why, "");
    assert_true (stand.report.handed);
    assert_true (file_has (path, "right bytes\n"));
    assert_int_equal (stat (path, &told), 0);
    assert_int_equal (told.st_uid, geteuid ());
    assert_int_equal (told.st_mode & 07777, 0640);
    assert_int_equal (stat (input_file.copy, &told), 0);
    assert_int_equal (told.st_nlink, 1); /* no name of the run's keeps it */
    if (geteuid () != 0)
        return; /* one account for all: it may write what is its own */
    assert_true (file_has (input_file.copy, "right bytes\n"));
    assert_int_equal (stat (in_runs (path, "/work"), &told), 0);
    assert_int_equal (told.st_mode & 07777, 0700);
}

/*  The agent has died after it had handed it over, and before it had stored that. */
static void what_was_handed_over_is_so_for_the_next_agent (void **state)
{
    (void) state;
    char path [256];
    storage_new ();
    stand_after (RUN_START, copies_it, 3);
    job_run ();
    job_state = BATCH_JOB_ENDED;
    for (int agent = 0; agent < 3; agent++) {
        stand_t stand = stand_after (RUN_LOOK, NULL, 0);
        assert_string_equal (stand.report.why, "");
        assert_true (stand.report.handed);
    }
    snprintf (path, sizeof path, "%s/run.0", arrivals);
    assert_true (file_has (path, "right bytes\n"));
}

/*  It leads to a file of the account, and to one of somebody else. */
static void an_output_that_is_a_link_is_not_handed_over (void **state)
{
    (void) state;
    static const char *const links [] = {"sh", "-c", "echo x >other; ln -s other b"};
    char path [256];
    storage_new ();
    stand_after (RUN_START, links, 3);
    job_run ();
    job_state = BATCH_JOB_ENDED;
    stand_t stand = stand_after (RUN_LOOK, NULL, 0);
    assert_int_equal (stand.report.state, RUN_ENDED);
    assert_false (stand.report.handed);
    assert_non_null (strstr (stand.report.why, "output b: Too many levels"));
    snprintf (path, sizeof path, "%s/work", in_runs ((char [256]){0}, ""));
    assert_int_equal (rename (path, in_runs ((char [256]){0}, "/aside")), 0);
    assert_int_equal (symlink ("aside", path), 0); /* nor is the folder a link */
    stand = stand_after (RUN_LOOK, NULL, 0);
    assert_false (stand.report.handed);
    assert_non_null (strstr (stand.report.why, "its folder: "));
}

static void a_copy_that_is_not_there_is_brought_again (void **state)
{
    (void) state;
    storage_new ();
    assert_int_equal (unlink (input_file.copy), 0);
    stand_t stand = stand_after (RUN_START, copies_it, 3);
    assert_int_equal (stand.report.state, RUN_REFUSED);
    assert_true (stand.report.node_unfit);
    assert_int_equal (submitted, 0);
    assert_int_equal (symlink ("/etc/passwd", input_file.copy), 0);
    stand = stand_after (RUN_START, copies_it, 3);
    assert_int_equal (stand.report.state, RUN_REFUSED);
    assert_false (stand.report.node_unfit);
    assert_non_null (strstr (stand.report.why, "Too many levels"));
    assert_int_equal (submitted, 0);
}

/*  An agent died while it was made, and anybody may make a folder of that name. */
/*  It would keep its inputs on their disk. */
static void a_folder_that_no_job_takes_is_removed (void **state)
{
    (void) state;
    char path [256];
    storage_new ();
    stand_after (RUN_START, copies_it, 3);
    assert_int_equal (access (in_runs (path, ".work"), F_OK), 0);
    assert_int_equal (stand_after (RUN_SIGNAL, NULL, 0).report.state, RUN_REFUSED);
    assert_int_equal (access (path, F_OK), -1);
}

static void a_folder_that_is_not_whole_is_made_anew (void **state)
{
    (void) state;
    char path [256], trap [300];
    storage_new ();
    assert_int_equal (mkdir (runs, 0777) + chmod (runs, 01777), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal (mkdir (in_runs (path, ".work"), i == 0 ? 01700 : 0700), 0);
        snprintf (trap, sizeof trap, "%s/b", path);
        file_put (trap, "not the task's");
        assert_int_equal (i == 0 || geteuid () != 0 ? 0 : chown (path, 5, 60), 0);
        job_state = BATCH_JOB_UNKNOWN;
        assert_true (stand_after (RUN_START, copies_it, 3).queued);
        assert_int_equal (access (trap, F_OK), i == 0 || geteuid () == 0 ? -1 : 0);
        if (i == 0)
            assert_int_equal (rename (path, in_runs ((char [256]){0}, ".aside")), 0);
    }
}

static void a_folder_that_is_whole_stays_for_a_job_that_may_take_it (void **state)
{
    (void) state;
    char path [256];
    struct stat before, after;
    storage_new ();
    stand_after (RUN_START, copies_it, 3);
    assert_int_equal (stat (in_runs (path, ".work"), &before), 0);
    job_state = BATCH_JOB_UNKNOWN;
    stand_after (RUN_START, copies_it, 3);
    assert_int_equal (submitted, 2);
    assert_int_equal (stat (path, &after), 0);
    assert_int_equal (before.st_ino, after.st_ino);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test_setup_teardown (a_run_is_submitted_once, runs_new, runs_end),
      cmocka_unit_test_setup_teardown (two_jobs_of_a_run_begin_it_once, runs_new, runs_end),
      cmocka_unit_test_setup_teardown (a_run_is_lost_when_its_job_is_gone_for_long, runs_new,
                                       runs_end),
      cmocka_unit_test_setup_teardown (an_end_is_told_when_the_job_is_forgotten, runs_new,
                                       runs_end),
      cmocka_unit_test_setup_teardown (a_killed_run_is_over_when_its_job_is, runs_new, runs_end),
      cmocka_unit_test_setup_teardown (silence_is_no_end, runs_new, runs_end),
      cmocka_unit_test_setup_teardown (a_forgotten_job_is_submitted_again, runs_new, runs_end),
      cmocka_unit_test_setup_teardown (why_a_job_waits_is_told, runs_new, runs_end),
      cmocka_unit_test_setup_teardown (a_held_job_is_submitted_again, runs_new, runs_end),
      cmocka_unit_test_setup_teardown (a_held_job_goes_when_its_run_is_ended, runs_new, runs_end),
      cmocka_unit_test_setup_teardown (a_held_job_of_an_ended_run_is_not_over, runs_new, runs_end),
      cmocka_unit_test_setup_teardown (a_run_that_was_ended_is_never_begun, runs_new, runs_end),
      cmocka_unit_test_setup_teardown (a_job_reads_its_input_and_its_output_is_handed_over,
                                       runs_new, runs_end),
      cmocka_unit_test_setup_teardown (what_was_handed_over_is_so_for_the_next_agent, runs_new,
                                       runs_end),
      cmocka_unit_test_setup_teardown (an_output_that_is_a_link_is_not_handed_over, runs_new,
                                       runs_end),
      cmocka_unit_test_setup_teardown (a_copy_that_is_not_there_is_brought_again, runs_new,
                                       runs_end),
      cmocka_unit_test_setup_teardown (a_folder_that_no_job_takes_is_removed, runs_new, runs_end),
      cmocka_unit_test_setup_teardown (a_folder_that_is_not_whole_is_made_anew, runs_new, runs_end),
      cmocka_unit_test_setup_teardown (a_folder_that_is_whole_stays_for_a_job_that_may_take_it,
                                       runs_new, runs_end),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
