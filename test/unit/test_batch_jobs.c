/*  test_batch_jobs - what Slurm and Grid Engine say of jobs. Their commands are files that say what
 *  the real ones have said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "gridengine.h"
#include "must.h"
#include "slurm.h"

#define RUN_1 "00112233445566778899aabbccddeeff-1.0.1"
#define RUN_2 "00112233445566778899aabbccddeeff-1.1.1"

static char folder [] = "/tmp/musubi-jobs-XXXXXX";
static const batch_setup_t setup = {.site = "ams", .queue = "batch", .limit_ms = 60000};

static void text_put (const char *name, mode_t mode, const char *text)
{
    text_auto_t *path = must_print ("%s/%s", folder, name);
    FILE *to = must (fopen (path, "w"));
    fputs (text, to);
    fclose (to);
    assert_int_equal (chmod (path, mode), 0);
}

/*  Says that when its arguments have the word in them; nothing and a failure otherwise. */
static void command_says (const char *command, const char *word, const char *text)
{
    text_auto_t *says = must_print ("%s.says", command);
    text_auto_t *script =
      must_print ("#!/bin/sh\ncase \" $* \" in *' %s '*) exec cat '%s/%s' ;; esac\nexit 1\n", word,
                  folder, says);
    text_put (says, 0600, text);
    text_put (command, 0700, script);
}

static int folder_make (void **state)
{
    (void) state;
    if (!mkdtemp (folder))
        return -1;
    text_auto_t *path = must_print ("%s:%s", folder, getenv ("PATH"));
    return setenv ("PATH", path, 1);
}

static int folder_end (void **state)
{
    (void) state;
    char why [WHY_BYTES];
    const char *const rm [] = {"rm", "-rf", folder, NULL};
    return command_run (rm, NULL, 10000, NULL, why) == COMMAND_DONE ? 0 : -1;
}

static void jobs_are (const batch_system_t *system, batch_job_seen_t seen [2])
{
    static const char *const names [] = {RUN_1, RUN_2};
    char why [WHY_BYTES];
    memset (seen, 0, 2 * sizeof *seen);
    if (!system->jobs (&(batch_jobs_t){&setup, names, 2, seen}, why))
        fail_msg ("%s", why);
}

static void slurm_says_why_a_job_waits (void **state)
{
    (void) state;
    batch_job_seen_t seen [2];
    command_says ("squeue", "-h",
                  "musubi-ams-" RUN_1 "|3|PENDING|(null)|PENDING, Resources\n"
                  "musubi-ams-" RUN_2 "|2|RUNNING|(null)|RUNNING, None\n");
    jobs_are (&slurm, seen);
    assert_int_equal (seen [0].state, BATCH_JOB_QUEUED);
    assert_string_equal (seen [0].why, "Slurm says PENDING, Resources");
    assert_int_equal (seen [1].state, BATCH_JOB_RUNNING);
}

#define GRID_JOB(number, name, state)                                                              \
    "<job_list state=\"pending\"><JB_job_number>" number "</JB_job_number><state>" state           \
    "</state><full_job_name>musubi-ams-" name "</full_job_name></job_list>"
#define GRID_JOBS                                                                                  \
    "<?xml version='1.0'?><job_info><queue_info>" GRID_JOB ("5", RUN_1, "qw")                      \
      GRID_JOB ("7", RUN_2, "hqw") "</queue_info></job_info>\n"
#define GRID_RULE "==============================================================\n"

/*  qstat is asked twice: for the jobs, and why they wait. */
static void grid_says (const char *reasons)
{
    text_auto_t *script = must_print ("#!/bin/sh\n"
                                      "case \" $* \" in *' -xml '*) exec cat '%s/jobs' ;; esac\n"
                                      "[ \"$*\" = '-j 5,7' ] && exec cat '%s/reasons'\n"
                                      "exit 1\n",
                                      folder, folder);
    text_put ("jobs", 0600, GRID_JOBS);
    text_put ("reasons", 0600, reasons);
    text_put ("qstat", 0700, script);
}

static void grid_engine_says_why_a_job_waits (void **state)
{
    (void) state;
    batch_job_seen_t seen [2];
    grid_says (
      GRID_RULE
      "job_number:                 5\n"
      "job_type:                   binary\n"
      "scheduling info:            queue instance \"batch@g1\" dropped because it is full\n"
      "                            All queues dropped because of overload or full\n" GRID_RULE
      "job_number:                 7\n"
      "hard resource_list:         h_rt=100\n"
      "scheduling info:            queue instance \"batch@g1\" dropped because it is full\n"
      "                            Job is in hold state\n" GRID_RULE
      "job_number:                 9\n"
      "scheduling info:            of another job\n");
    jobs_are (&gridengine, seen);
    assert_int_equal (seen [0].state, BATCH_JOB_QUEUED);
    assert_string_equal (seen [0].why,
                         "Grid Engine says All queues dropped because of overload or full");
    assert_string_equal (seen [1].why, "Grid Engine says Job is in hold state");
}

/*  Its scheduler keeps none (schedd_job_info false), or they are gone by now. */
static void without_a_reason_a_job_waits_all_the_same (void **state)
{
    (void) state;
    batch_job_seen_t seen [2];
    grid_says (GRID_RULE "job_number:                 5\n"
                         "job_type:                   binary\n"
                         "scheduling info:            (Collecting of scheduler job information is "
                         "turned off)\n");
    jobs_are (&gridengine, seen);
    assert_string_equal (
      seen [0].why, "Grid Engine says (Collecting of scheduler job information is turned off)");
    assert_string_equal (seen [1].why, "Grid Engine says hqw");
    text_put ("reasons", 0000, "");
    text_auto_t *gone = must_print ("%s/reasons", folder);
    assert_int_equal (remove (gone), 0);
    jobs_are (&gridengine, seen);
    assert_int_equal (seen [0].state, BATCH_JOB_QUEUED);
    assert_string_equal (seen [0].why, "Grid Engine says qw");
}

static void counts (const batch_system_t *system, int64_t wanted)
{
    char why [WHY_BYTES];
    int64_t cpu_ms = 0;
    const back_end_order_t order = {
      .reservation = "musubi-ams-0123456789ab-1-1", .account = "alice", .from_ms = 1795980000000};
    if (!system->count (&setup, &order, &cpu_ms, why))
        fail_msg ("%s", why);
    assert_int_equal (cpu_ms, wanted);
}

/*  As sacct 22.05 writes jobs and their steps; Slurm's number 2 is another reservation. */
static void slurm_counts_all_jobs_of_a_reservation (void **state)
{
    (void) state;
    command_says ("sacctmgr", "names=musubi-ams-0123456789ab-1-1", "1\n1\n4\n");
    command_says ("sacct", "-S",
                  "1|00:01.331\n|00:01.331\n1|00:00.003\n|00:00.001\n|00:00.001\n"
                  "2|1-00:00:00\n4|01:00:00\n|01:00:00\n|00:00:00\n");
    counts (&slurm, 1331 + 3 + 3600000);
    command_says ("sacctmgr", "-n", "");
    command_says ("sacct", "-S", "|00:01.331\n"); /* a job of none */
    counts (&slurm, 0);
}

static void command_fails (const char *command, const char *said)
{
    text_auto_t *script = must_print ("#!/bin/sh\necho \"%s\" >&2\nexit 1\n", said);
    text_put (command, 0700, script);
}

static void without_slurmdbd_there_is_no_accounting (void **state)
{
    (void) state;
    char why [WHY_BYTES];
    int64_t cpu_ms;
    command_fails ("sacctmgr", "You are not running a supported accounting_storage plugin\n"
                               "Only 'accounting_storage/slurmdbd' is supported.");
    counts (&slurm, -1);
    command_fails ("sacctmgr", "sacctmgr: error: Sending PersistInit msg: Connection refused");
    assert_false (slurm.count (&setup, &(back_end_order_t){.reservation = "r"}, &cpu_ms, why));
}

static void grid_engine_counts_all_hosts_of_a_reservations_queue (void **state)
{
    (void) state;
    command_says (
      "qacct", "musubi-ams-0123456789ab-1-1",
      "HOST CLUSTER QUEUE                 WALLCLOCK     UTIME    STIME       CPU    MEMORY\n"
      "====================================================================================\n"
      "g1   musubi-ams-0123456789ab-1-1           8     2.631    0.020     2.650     0.003\n"
      "g2   musubi-ams-0123456789ab-1-1           3     1.321    0.013     1.334     0.001\n");
    counts (&gridengine, 2650 + 1334);
    command_fails ("qacct", "/grid/root/default/common/accounting: No such file or directory");
    counts (&gridengine, -1);
}

/*  Stands for the one that runs the command as another account. */
static char submitted [2048];

command_told_t __wrap_batch_run_submit (const batch_setup_t *by, const batch_job_t *job,
                                        const char *const *arguments, const char *later,
                                        char why [WHY_BYTES]);

command_told_t __wrap_batch_run_submit (const batch_setup_t *by, const batch_job_t *job,
                                        const char *const *arguments, const char *later,
                                        char why [WHY_BYTES])
{
    (void) by, (void) job, (void) later, (void) why;
    size_t size = 0;
    for (; *arguments; arguments++)
        size += (size_t) snprintf (submitted + size, sizeof submitted - size, " %s", *arguments);
    return COMMAND_DONE;
}

static void submit (const batch_system_t *system, const char *account, const char *qos)
{
    char why [WHY_BYTES];
    const batch_job_t job = {.name = "musubi-ams-" RUN_1,
                             .account = "nobody",
                             .charged = account,
                             .qos = qos,
                             .reservation = "musubi-ams-0123456789ab-1-1",
                             .held = "",
                             .cpus = 1,
                             .limit_ms = 60000,
                             .script = "",
                             .folder = "/tmp",
                             .output = "/tmp/out",
                             .errors = ""};
    assert_int_equal (system->submit (&setup, &job, why), COMMAND_DONE);
}

static void a_job_charges_what_its_account_says (void **state)
{
    (void) state;
    submit (&slurm, "physics", "high");
    assert_non_null (strstr (submitted, " --account=physics "));
    assert_non_null (strstr (submitted, " --qos=high "));
    assert_non_null (strstr (submitted, " --reservation=musubi-ams-0123456789ab-1-1"));
    submit (&slurm, "", "");
    assert_null (strstr (submitted, "--account"));
    assert_null (strstr (submitted, "--qos"));
    submit (&gridengine, "physics", "");
    assert_non_null (strstr (submitted, " -P physics "));
    submit (&gridengine, "", "");
    assert_null (strstr (submitted, " -P "));
}

static void charges_are (const batch_system_t *system, account_t who, const char *wanted)
{
    char why [WHY_BYTES] = "";
    assert_int_equal (system->charges (&setup, &who, why), *wanted ? BATCH_UNFIT : BATCH_FIT);
    assert_string_equal (*wanted ? why : "", wanted);
}

/*  As sacctmgr 22.05 writes associations. */
static void what_slurm_does_not_let_charge_is_named (void **state)
{
    (void) state;
    char why [WHY_BYTES];
    command_says ("sacctmgr", "user=climate", "physics|normal,high\nother|normal\n");
    charges_are (&slurm, (account_t){.account = "climate", .charged = "physics"}, "");
    charges_are (&slurm, (account_t){.account = "climate", .charged = "physics", .qos = "high"},
                 "");
    charges_are (&slurm, (account_t){.account = "climate", .qos = "high"}, "");
    charges_are (&slurm, (account_t){.account = "climate", .charged = "nosuch"},
                 "Slurm has no account nosuch of the user climate, which has physics,other: see "
                 "sacctmgr show assoc");
    charges_are (&slurm, (account_t){.account = "climate", .charged = "other", .qos = "high"},
                 "Slurm has no QOS high for the user climate there, but normal: see sacctmgr show "
                 "assoc");
    command_fails ("sacctmgr", "You are not running a supported accounting_storage plugin");
    charges_are (&slurm, (account_t){.account = "climate", .charged = "physics"},
                 "this Slurm has no slurmdbd, which alone has accounts and QOS");
    command_fails ("sacctmgr", "sacctmgr: error: Sending PersistInit msg: Connection refused");
    assert_int_equal (
      slurm.charges (&setup, &(account_t){.account = "climate", .charged = "physics"}, why),
      BATCH_SILENT);
}

static void what_grid_engine_does_not_have_is_named (void **state)
{
    (void) state;
    command_says ("qconf", "physics", "name physics\n");
    charges_are (&gridengine, (account_t){.account = "climate", .charged = "physics"}, "");
    charges_are (&gridengine,
                 (account_t){.account = "climate", .charged = "physics", .qos = "high"},
                 "Grid Engine has no QOS, so not high either");
    charges_are (&gridengine, (account_t){.account = "climate", .charged = "nosuch"},
                 "Grid Engine has no project nosuch: see qconf -sprjl");
}

/*  What it does not limit on one host has no limit; a queue that can't be asked is not known. */
static void the_longest_job_of_a_queue_is_that_of_the_host_that_allows_most (void **state)
{
    (void) state;
    static const struct {
        const char *said;
        int64_t longest_ms;
    } rows [] = {{"INFINITY", 0},
                 {"24:00:00", 86400000},
                 {"24:00:00,[g1=36:00:30]", 129630000},
                 {"24:00:00,[g1=12:00:00],[g2=INFINITY]", 0},
                 {"36000", 0}};
    command_says ("qrstat", "-u", "<?xml version='1.0'?><qrstat></qrstat>\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char why [WHY_BYTES];
        batch_picture_t picture = {0};
        text_auto_t *queue = must_print ("qname                 batch\n"
                                         "s_rt                  1:00:00\n"
                                         "h_rt                  %s\n",
                                         rows [i].said);
        command_says ("qstat", "-xml", "<?xml version='1.0'?><job_info></job_info>\n");
        command_says ("qconf", "batch '*|*' -sc", queue); /* which has no complexes */
        if (!gridengine.look (&setup, &picture, why))
            fail_msg ("%s", why);
        assert_int_equal (picture.longest_ms, rows [i].longest_ms);
        codec_clear (&batch_picture_codec, &picture);
    }
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (slurm_says_why_a_job_waits),
      cmocka_unit_test (grid_engine_says_why_a_job_waits),
      cmocka_unit_test (without_a_reason_a_job_waits_all_the_same),
      cmocka_unit_test (slurm_counts_all_jobs_of_a_reservation),
      cmocka_unit_test (without_slurmdbd_there_is_no_accounting),
      cmocka_unit_test (grid_engine_counts_all_hosts_of_a_reservations_queue),
      cmocka_unit_test (a_job_charges_what_its_account_says),
      cmocka_unit_test (what_slurm_does_not_let_charge_is_named),
      cmocka_unit_test (what_grid_engine_does_not_have_is_named),
      cmocka_unit_test (the_longest_job_of_a_queue_is_that_of_the_host_that_allows_most),
    };
    return cmocka_run_group_tests (tests, folder_make, folder_end);
}
