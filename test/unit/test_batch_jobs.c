/*  test_batch_jobs - what Slurm and Grid Engine say of jobs. Their commands are files that say what the real ones have said. */
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
        command_says ("qstat", "-f", "<?xml version='1.0'?><job_info></job_info>\n");
        command_says ("qconf", "batch", queue);
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
      cmocka_unit_test (the_longest_job_of_a_queue_is_that_of_the_host_that_allows_most),
    };
    return cmocka_run_group_tests (tests, folder_make, folder_end);
}
