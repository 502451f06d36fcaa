/*  test_run_executor - how runs begin, what they may, and every way in which they end. */
#include "run_fixture.h"

#include <sched.h>
#include <sys/wait.h>

#define EXITING 4u /* PF_EXITING: nothing of its program is carried out any more */

/*  Does not count zombies, nor processes that nobody has waited for yet. */
static bool runs_still (pid_t pid)
{
    char path [64], letter = 'Z';
    unsigned flags = EXITING;
    snprintf (path, sizeof path, "/proc/%d/stat", (int) pid);
    FILE *file = fopen (path, "re");
    if (!file)
        return false;
    int got = fscanf (file, "%*d (%*[^)]) %c %*d %*d %*d %*d %*d %u", &letter, &flags);
    fclose (file);
    return got == 2 && letter != 'Z' && letter != 'X' && !(flags & EXITING);
}

static pid_t starter_of (const made_t *made)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    char path [RUN_PATH_BYTES];
    snprintf (path, sizeof path, "%s/%s/claim", runs, made->name);
    int claim = open (path, O_RDWR | O_CLOEXEC);
    assert_true (claim >= 0);
    assert_int_equal (fcntl (claim, F_GETLK, &lock), 0);
    assert_int_equal (lock.l_type, F_WRLCK);
    close (claim);
    return lock.l_pid;
}

/*  --- tests --- */

static void a_run_ends_with_its_code_and_its_output_is_kept (void **state)
{
    (void) state;
    made_t run = made ("echo hello; echo there >&2; exit 3");
    assert_int_not_equal (begin (&run).report.state, RUN_CLAIMED);
    stand_t stand = await_end (&run);
    assert_int_equal (stand.report.state, RUN_ENDED);
    assert_int_equal (stand.report.exit_code, 3);
    assert_int_equal (stand.report.signal, 0);
    assert_string_equal (stand.report.why, "");
    assert_true (stand.report.started_ms > 0 && stand.report.ended_ms >= stand.report.started_ms);
    char text [64];
    output_of (&run, text, sizeof text);
    assert_string_equal (text, "hello\nthere\n");
}

/*  What exceeds the limit is dropped and counted, and the run does not notice. */
static void output_is_kept_up_to_its_limit_and_the_run_goes_on (void **state)
{
    (void) state;
    char text [8192];
    made_t run = made ("yes | head -c 30000000 && echo wrote >&2 && exit 5");
    run.output_bytes_max = 1000;
    begin (&run);
    stand_t stand = await_end (&run);
    assert_int_equal (stand.report.exit_code, 5);
    assert_int_equal (stand.report.dropped, 30000000 + strlen ("wrote\n") - 1000);
    output_of (&run, text, sizeof text);
    assert_int_equal (strlen (text), 1000);
    assert_int_equal (strncmp (text, "y\ny\n", 4), 0);

    /*  The count is known while it runs, from its starter alone. */
    run = made ("yes | head -c 3000000; echo done; read forever </dev/zero");
    run.output_bytes_max = 1000;
    begin (&run);
    int64_t until_ms = mono_ms () + WAIT_MS_MAX;
    while ((stand = look (&run)).report.dropped != 3000000 + strlen ("done\n") - 1000) {
        assert_int_equal (stand.report.state, RUN_RUNNING);
        assert_true (mono_ms () < until_ms);
        rest ();
    }
    tell (&run, (work_order_t){.grace_ms = 0});
    assert_int_equal (await_end (&run).report.dropped, stand.report.dropped);

    /*  Nothing is kept that would take the room of others. */
    run = made ("echo hello; exit 4");
    run.room_bytes_least = UINT64_MAX / 2;
    begin (&run);
    stand = await_end (&run);
    assert_int_equal (stand.report.exit_code, 4);
    assert_int_equal (stand.report.dropped, strlen ("hello\n"));
    output_of (&run, text, sizeof text);
    assert_string_equal (text, "");
}

/*  A script's way to its own output. */
static void a_run_may_open_its_output_anew (void **state)
{
    (void) state;
    char text [64];
    made_t run = made ("echo one >/dev/stderr; echo two >/dev/stdout");
    begin (&run);
    assert_int_equal (await_end (&run).report.exit_code, 0);
    output_of (&run, text, sizeof text);
    assert_string_equal (text, "one\ntwo\n");
}

static void what_a_run_makes_is_its_accounts_alone (void **state)
{
    (void) state;
    char text [64];
    made_t run = made ("umask; echo here >made; stat -c %a . made; stat -c %a ..");
    begin (&run);
    assert_int_equal (await_end (&run).report.exit_code, 0);
    output_of (&run, text, sizeof text);
    assert_string_equal (text, "0077\n700\n600\n711\n");
}

static void a_run_is_begun_once_however_often_it_is_ordered (void **state)
{
    (void) state;
    made_t run = made ("echo once; sleep 1000");
    begin (&run);
    await_output (&run, "once\n");
    assert_int_equal (begin (&run).report.state, RUN_RUNNING);
    tell (&run, (work_order_t){.grace_ms = LONG_GRACE_MS});
    assert_int_equal (await_end (&run).report.signal, SIGTERM);
    assert_int_equal (begin (&run).report.state, RUN_ENDED);
    char text [64];
    output_of (&run, text, sizeof text);
    assert_string_equal (text, "once\n");
}

static void its_environment_is_ours_and_what_its_order_adds (void **state)
{
    (void) state;
    made_t run =
      made ("echo $COLOUR $MUSUBI_NODE $MUSUBI_SITE $MUSUBI_TASK_INDEX $MUSUBI_RUN "
            "$MUSUBI_RESERVATION $MUSUBI_NEED $MUSUBI_OWNER $USER; pwd; env | grep -c .");
    begin (&run);
    await_end (&run);
    char text [512], wanted [512];
    output_of (&run, text, sizeof text);
    snprintf (wanted, sizeof wanted, "green n1 ams 3 1 r1 ocean alice %s\n%s/%s/work\n",
              own_account (), runs, run.name);
    assert_memory_equal (text, wanted, strlen (wanted));
    assert_null (getenv ("MUSUBI_SITE"));
}

static void arguments_are_never_given_to_a_shell (void **state)
{
    (void) state;
    made_t run = made ("$(touch evil); `true` * \"");
    run.arguments [0] = "echo";
    run.arguments [1] = "a  b";
    begin (&run);
    await_end (&run);
    char text [128];
    output_of (&run, text, sizeof text);
    assert_string_equal (text, "a  b $(touch evil); `true` * \"\n");
}

static void what_cannot_be_started_is_refused_with_what_is_wrong (void **state)
{
    (void) state;
    made_t run = made ("true");
    run.arguments [0] = "/no/such/program";
    begin (&run);
    stand_t stand = await_end (&run);
    assert_int_equal (stand.report.state, RUN_REFUSED);
    assert_string_equal (stand.report.why, "program /no/such/program: No such file or directory");
    assert_int_equal (stand.report.started_ms, 0);

    /*  A program may have any name: this one is cut in the middle of a character and contains a
     *  line break.
     */
    run = made ("true");
    run.arguments [0] = "/no\n/56789012345678901234567890123456789012345678\xc3\xa9";
    begin (&run);
    stand = await_end (&run);
    assert_int_equal (stand.report.state, RUN_REFUSED);
    assert_string_equal (stand.report.why,
                         "program /no?/56789012345678901234567890123456789012345678?: "
                         "No such file or directory");

    run = made ("true");
    run.order.folder = "/no/such/folder";
    begin (&run);
    assert_string_equal (await_end (&run).report.why,
                         "folder /no/such/folder: No such file or directory");

    run = made ("true");
    run.order.output = "/no/such/file";
    begin (&run);
    assert_string_equal (await_end (&run).report.why,
                         "output /no/such/file: No such file or directory");

    run = made ("true");
    run.order.account = "no-such-account";
    begin (&run);
    assert_string_equal (await_end (&run).report.why,
                         "account no-such-account: this node has none of that name");

    run = made ("true");
    run.order.account = "root";
    begin (&run);
    assert_string_equal (await_end (&run).report.why, "account root: nothing is run as root");
}

static void output_goes_where_its_order_says (void **state)
{
    (void) state;
    made_t run = made ("echo out; echo err >&2");
    run.order.output = "out.txt";
    run.order.errors = "err.txt";
    begin (&run);
    assert_int_equal (await_end (&run).report.exit_code, 0);
    char path [1024], text [16] = "";
    snprintf (path, sizeof path, "%s/%s/work/err.txt", runs, run.name);
    FILE *file = fopen (path, "re");
    assert_non_null (file);
    assert_non_null (fgets (text, sizeof text, file));
    fclose (file);
    assert_string_equal (text, "err\n");
    output_of (&run, text, sizeof text);
    assert_string_equal (text, "out\n");
    written (&run, true, text, sizeof text);
    assert_string_equal (text, "err\n");
}

/*  A task may put a link where its output was. */
static void what_its_account_may_not_read_is_not_read_for_it (void **state)
{
    (void) state;
    char secret [512], script [1024], text [256];
    snprintf (secret, sizeof secret, "%s/secret", runs);
    FILE *file = fopen (secret, "we");
    assert_non_null (file);
    fputs ("secret", file);
    fclose (file);
    assert_int_equal (chmod (secret, geteuid () == 0 ? 0640 : 0), 0);
    snprintf (script, sizeof script, "ln -sf %s out.txt", secret);
    made_t run = made (script);
    run.order.output = "out.txt";
    begin (&run);
    assert_int_equal (await_end (&run).report.exit_code, 0);
    output_of (&run, text, sizeof text);
    assert_string_equal (text, "(the output can't be read)");
    unlink (secret);
}

static void a_run_over_its_time_is_ended_and_told_why (void **state)
{
    (void) state;
    made_t run = made ("sleep 1000");
    run.order.limit_ms = 300;
    begin (&run);
    stand_t stand = await_end (&run);
    assert_int_equal (stand.report.state, RUN_ENDED);
    assert_int_equal (stand.report.signal, SIGTERM);
    assert_string_equal (stand.report.why, "it ran longer than its limit of 300ms");
    assert_true (stand.report.ended_ms - stand.report.started_ms >= 300);
}

/*  The time of all its processes together counts. */
static void a_run_over_its_processor_time_is_ended_and_told_why (void **state)
{
    (void) state;
    made_t run = made ("(while :; do :; done) & (while :; do :; done) & wait");
    run.order.cpu_limit_ms = 400;
    begin (&run);
    stand_t stand = await_end (&run);
    assert_string_equal (stand.report.why, "it used more processor time than its limit of 400ms");
    assert_true (stand.report.cpu_ms >= 400);
}

static void what_is_told_to_end_has_its_grace_and_not_more (void **state)
{
    (void) state;
    made_t run = made ("trap 'echo term; exit 7' TERM; echo ready; while :; do sleep 0.05; done");
    begin (&run);
    await_output (&run, "ready\n");
    tell (&run, (work_order_t){.grace_ms = LONG_GRACE_MS});
    stand_t stand = await_end (&run);
    assert_int_equal (stand.report.exit_code, 7);
    assert_string_equal (stand.report.why, "");

    run = made ("trap '' TERM; echo ready; while :; do sleep 0.05; done");
    begin (&run);
    await_output (&run, "ready\n");
    tell (&run, (work_order_t){.grace_ms = LONG_GRACE_MS});
    assert_int_equal (look (&run).report.state, RUN_RUNNING);
    tell (&run, (work_order_t){.grace_ms = 100}); /* in less time after all */
    assert_int_equal (await_end (&run).report.signal, SIGKILL);
}

static void a_warning_reaches_those_who_catch_it_and_harms_nobody (void **state)
{
    (void) state;
    made_t run = made ("trap 'echo warned' USR1; sleep 1000 & echo ready; while :; do wait; done");
    begin (&run);
    await_output (&run, "ready\n");
    tell (&run, (work_order_t){.warn = true, .grace_ms = 60000});
    await_output (&run, "warned\n");
    assert_int_equal (look (&run).report.state, RUN_RUNNING);
    tell (&run, (work_order_t){.grace_ms = 0});
    await_end (&run);
    made_t naive = made ("echo ready; sleep 1000");
    begin (&naive);
    await_output (&naive, "ready\n");
    tell (&naive, (work_order_t){.warn = true});
    tell (&naive, (work_order_t){.grace_ms = LONG_GRACE_MS});
    assert_int_equal (await_end (&naive).report.signal, SIGTERM);
}

/*  Waits until the run is told as suspended, or no longer so. */
static stand_t await_suspended (const made_t *made, bool suspended)
{
    int64_t until_ms = mono_ms () + WAIT_MS_MAX;
    for (;;) {
        stand_t stand = look (made);
        if (stand.report.suspended == suspended || run_over (stand.report.state))
            return stand;
        if (mono_ms () > until_ms)
            fail_msg ("run %s is not %s", made->name, suspended ? "suspended" : "resumed");
        rest ();
    }
}

static char letter_of (pid_t pid)
{
    char path [64], letter = '?';
    snprintf (path, sizeof path, "/proc/%d/stat", (int) pid);
    FILE *file = fopen (path, "re");
    assert_non_null (file);
    assert_int_equal (fscanf (file, "%*d (%*[^)]) %c", &letter), 1);
    fclose (file);
    return letter;
}

/*  In whatever session they are, and although one starts others all the time. */
static void a_suspended_run_stands_still_with_all_it_has_started (void **state)
{
    (void) state;
    made_t run =
      made ("trap 'echo warned; exit 7' USR1; setsid sh -c 'echo far=$$; while :; do :; done' & "
            "echo own=$$; while :; do true | true; done");
    begin (&run);
    await_output (&run, "far=");
    await_output (&run, "own=");
    pid_t far = number_in (&run, "far="), own = number_in (&run, "own=");
    tell (&run, (work_order_t){.suspend = true});
    stand_t stand = await_suspended (&run, true);
    assert_int_equal (stand.report.state, RUN_RUNNING);
    assert_int_equal (letter_of (far), 'T');
    assert_int_equal (letter_of (own), 'T');

    /*  Its processor time stands still, and so do all new ones: after another second's worth of
     *  this process's own time nothing has been added. */
    int64_t used_ms = processes_cpu_ms (starter_of (&run));
    for (int64_t until_ms = mono_ms () + 200; mono_ms () < until_ms;)
        continue;
    assert_int_equal (processes_cpu_ms (starter_of (&run)), used_ms);

    tell (&run, (work_order_t){.warn = true, .suspend = true}); /* a warning waits */
    assert_true (await_suspended (&run, true).report.suspended);
    tell (&run, (work_order_t){.warn = true, .resume = true});
    stand = await_end (&run);
    assert_int_equal (stand.report.exit_code, 7);
    assert_false (stand.report.suspended);
}

static void a_suspended_run_can_be_ended (void **state)
{
    (void) state;
    made_t run = made ("echo here; sleep 1000");
    begin (&run);
    await_output (&run, "here");
    tell (&run, (work_order_t){.suspend = true});
    await_suspended (&run, true);
    tell (&run, (work_order_t){.grace_ms = LONG_GRACE_MS});
    stand_t stand = await_end (&run);
    assert_int_equal (stand.report.signal, SIGTERM);
}

/*  It stands for longer than its limit; what is left of that begins to count when it goes on. */
static void a_limit_stands_still_while_its_run_is_suspended (void **state)
{
    (void) state;
    for (int ends = 0; ends < 2; ends++) {
        made_t run = made (ends ? "sleep 1; exit 3" : "while :; do sleep 0.01; done");
        run.order.limit_ms = 3000;
        begin (&run);
        tell (&run, (work_order_t){.suspend = true});
        await_suspended (&run, true);
        for (int64_t until_ms = mono_ms () + run.order.limit_ms + 200; mono_ms () < until_ms;)
            rest ();
        assert_int_equal (look (&run).report.state, RUN_RUNNING);
        tell (&run, (work_order_t){.resume = true});
        stand_t stand = await_end (&run);
        if (ends)
            assert_int_equal (stand.report.exit_code, 3);
        else
            assert_non_null (strstr (stand.report.why, "ran longer than its limit"));
    }
}

static int pause_for_ever (void *nothing)
{
    (void) nothing;
    for (;;)
        pause ();
    return 0;
}

/*  Its parent waits in the kernel until it calls exec, which it does not while it is stopped. */
static void a_child_between_vfork_and_exec_does_not_keep_a_run_from_standing_still (void **state)
{
    (void) state;
    static char stack [65536];
    pid_t parent = fork ();
    if (parent == 0) {
        clone (pause_for_ever, stack + sizeof stack, CLONE_VFORK | SIGCHLD, NULL);
        _exit (0);
    }
    int64_t until_ms = mono_ms () + WAIT_MS_MAX;
    while (letter_of (parent) != 'D') {
        assert_true (mono_ms () < until_ms);
        rest ();
    }
    while (processes_stop (getpid ()) > 0) {
        assert_true (mono_ms () < until_ms);
        rest ();
    }
    assert_int_equal (letter_of (parent), 'D');
    processes_signal (getpid (), SIGKILL, 0);
    assert_int_equal (waitpid (parent, NULL, 0), parent);
}

static void nothing_of_a_run_is_left_after_its_end (void **state)
{
    (void) state;
    made_t run = made ("setsid sleep 1000 & echo one=$!; (trap '' TERM; sleep 1000) & echo two=$!; "
                       "(setsid sh -c 'sleep 1000 & echo three=$!') ; exit 0");
    begin (&run);
    stand_t stand = await_end (&run);
    assert_int_equal (stand.report.state, RUN_ENDED);
    assert_int_equal (stand.report.exit_code, 0);
    assert_false (runs_still (number_in (&run, "one=")));
    assert_false (runs_still (number_in (&run, "two=")));
    assert_false (runs_still (number_in (&run, "three=")));
}

static void a_run_whose_starter_was_killed_is_lost_and_nothing_of_it_runs (void **state)
{
    (void) state;
    made_t run = made ("echo main=$$; setsid sleep 1000 & echo child=$!; echo ready; sleep 1000");
    begin (&run);
    await_output (&run, "ready\n");
    pid_t program = number_in (&run, "main="), child = number_in (&run, "child=");
    assert_int_equal (kill (starter_of (&run), SIGKILL), 0);
    stand_t stand = await_end (&run);
    assert_int_equal (stand.report.state, RUN_LOST);
    assert_string_equal (stand.report.why, "its starter has died, or the machine was restarted");
    assert_false (runs_still (program));
    assert_false (runs_still (child));
    assert_int_equal (look (&run).report.state, RUN_LOST);
    assert_int_equal (begin (&run).report.state, RUN_LOST); /* never again */
}

static void a_starter_that_does_not_end_its_run_is_killed (void **state)
{
    (void) state;
    made_t run = made ("echo main=$$; sleep 1000");
    begin (&run);
    await_output (&run, "main=");
    pid_t program = number_in (&run, "main=");
    assert_int_equal (kill (starter_of (&run), SIGSTOP), 0);
    assert_int_equal (tell (&run, (work_order_t){.grace_ms = 0}).report.state, RUN_RUNNING);
    stand_t stand = tell (&run, (work_order_t){.grace_ms = 0, .force = true});
    assert_int_equal (stand.report.state, RUN_LOST);
    assert_string_equal (stand.report.why, "its starter did not end it in time and was killed");
    assert_false (runs_still (program));
}

static void one_that_nobody_has_begun_is_refused_for_ever_when_it_is_to_end (void **state)
{
    (void) state;
    made_t run = made ("echo never");
    stand_t stand = tell (&run, (work_order_t){.grace_ms = 0});
    assert_int_equal (stand.report.state, RUN_REFUSED);
    assert_string_equal (stand.report.why, "it was ended before it began");
    assert_int_equal (begin (&run).report.state, RUN_REFUSED);
    made_t other = made ("echo never");
    assert_int_equal (look (&other).report.state, RUN_CLAIMED);
    assert_int_equal (tell (&other, (work_order_t){.warn = true}).report.state, RUN_CLAIMED);
}

/*  True if the lease was renewed before it ended; if not, the test has shown nothing. */
static bool ends_with_its_renewed_lease (int64_t first_ms)
{
    made_t run = made ("echo ready; sleep 1000");
    int64_t first_until_ms = mono_ms () + first_ms;
    begin_leased (&run, first_ms);
    await_output (&run, "ready\n");
    int64_t until_ms = mono_ms () + first_ms + 1000;
    run_executor_test_done_t done =
      carry_out (RUN_LEASE, &(work_order_t){.runs = runs, .lease_ms = until_ms, .endpoint = ""});
    assert_true (done.ok);
    codec_clear (&work_result_codec, &done.result);
    bool in_time = mono_ms () < first_until_ms;
    stand_t stand = await_end (&run);
    assert_string_equal (stand.report.why,
                         "its site was silent for longer than its lease (nodes/lease)");
    if (in_time)
        assert_true (mono_ms () >= until_ms - 2); /* two clocks, each cut off at a millisecond */
    return in_time;
}

static void a_run_ends_when_its_lease_does_and_not_while_it_is_renewed (void **state)
{
    (void) state;
    int64_t first_ms = 500;
    while (!ends_with_its_renewed_lease (first_ms)) {
        first_ms *= 2; /* a machine so slow needs a longer one */
        assert_true (first_ms < WAIT_MS_MAX);
    }
}

int main (int argc, char **argv)
{
    if (argc > 1 && strcmp (argv [1], "starter") == 0)
        return starter_main (argc - 1, argv + 1);
#define TEST(name) cmocka_unit_test_setup_teardown (name, folder_make, folder_remove)
    const struct CMUnitTest tests [] = {
      TEST (a_run_ends_with_its_code_and_its_output_is_kept),
      TEST (output_is_kept_up_to_its_limit_and_the_run_goes_on),
      TEST (a_run_may_open_its_output_anew),
      TEST (what_a_run_makes_is_its_accounts_alone),
      TEST (a_run_is_begun_once_however_often_it_is_ordered),
      TEST (its_environment_is_ours_and_what_its_order_adds),
      TEST (arguments_are_never_given_to_a_shell),
      TEST (what_cannot_be_started_is_refused_with_what_is_wrong),
      TEST (output_goes_where_its_order_says),
      TEST (what_its_account_may_not_read_is_not_read_for_it),
      TEST (a_run_over_its_time_is_ended_and_told_why),
      TEST (a_run_over_its_processor_time_is_ended_and_told_why),
      TEST (what_is_told_to_end_has_its_grace_and_not_more),
      TEST (a_warning_reaches_those_who_catch_it_and_harms_nobody),
      TEST (a_suspended_run_stands_still_with_all_it_has_started),
      TEST (a_suspended_run_can_be_ended),
      TEST (a_limit_stands_still_while_its_run_is_suspended),
      TEST (a_child_between_vfork_and_exec_does_not_keep_a_run_from_standing_still),
      TEST (nothing_of_a_run_is_left_after_its_end),
      TEST (a_run_whose_starter_was_killed_is_lost_and_nothing_of_it_runs),
      TEST (a_starter_that_does_not_end_its_run_is_killed),
      TEST (one_that_nobody_has_begun_is_refused_for_ever_when_it_is_to_end),
      TEST (a_run_ends_when_its_lease_does_and_not_while_it_is_renewed),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
