/*  slurm: what others have there, as the picture tells it; Slurm's commands are files that say what
 *  a test has written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "must.h"
#include "slurm.h"

#define NODE(name) name "|idle|2|0/2/0/2|up|no|infinite|UNLIMITED|(null)|(null)|none\n"
#define NODES      NODE ("n1") NODE ("n2") NODE ("n3")
#define TIMES      " StartTime=2026-11-23T10:00:00 EndTime=2026-11-23T11:00:00"
#define FROM_MS    1795428000000
#define HOUR_MS    3600000

static char folder [] = "/tmp/musubi-slurm-XXXXXX";

static void command_says (const char *command, const char *text)
{
    text_auto_t *path = must_print ("%s/%s", folder, command);
    text_auto_t *says = must_print ("%s/%s.says", folder, command);
    FILE *to = must (fopen (path, "w"));
    fprintf (to,
             "#!/bin/sh\ncase \"$*\" in *' -o %%l') exec cat '%s/limits';; esac\nexec cat '%s'\n",
             folder, says);
    fclose (to);
    assert_int_equal (chmod (path, 0700), 0);
    to = must (fopen (says, "w"));
    fputs (text, to);
    fclose (to);
}

/*  Of the partitions. */
static void limits_are (const char *text)
{
    text_auto_t *path = must_print ("%s/limits", folder);
    FILE *to = must (fopen (path, "w"));
    fputs (text, to);
    fclose (to);
}

static int folder_make (void **state)
{
    (void) state;
    if (!mkdtemp (folder) || setenv ("TZ", "UTC0", 1) != 0)
        return -1;
    text_auto_t *path = must_print ("%s:%s", folder, getenv ("PATH"));
    command_says ("sinfo", NODES);
    limits_are ("infinite\n");
    return setenv ("PATH", path, 1);
}

static int folder_end (void **state)
{
    (void) state;
    char why [WHY_BYTES];
    const char *const rm [] = {"rm", "-rf", folder, NULL};
    return command_run (rm, NULL, 10000, NULL, why) == COMMAND_DONE ? 0 : -1;
}

static batch_picture_t look (const char *reservations, const char *jobs)
{
    static const batch_setup_t setup = {.site = "ams", .queue = "batch", .limit_ms = 60000};
    batch_picture_t picture = {0};
    char why [WHY_BYTES] = "";
    command_says ("scontrol", reservations);
    command_says ("squeue", jobs);
    if (!slurm.look (&setup, &picture, why))
        fail_msg ("%s", why);
    return picture;
}

static void forget (batch_picture_t *picture)
{
    codec_clear (&batch_picture_codec, picture);
}

static void nothing_is_there (void **state)
{
    (void) state;
    batch_picture_t picture = look ("No reservations in the system\n", "");
    assert_int_equal (picture.nodes_count, 3);
    assert_int_equal (picture.bookings_count, 0);
    assert_string_equal (picture.trouble, "");
    forget (&picture);
}

static void only_others_are_told_and_those_that_recur_again (void **state)
{
    (void) state;
    batch_picture_t picture = look (
      "ReservationName=musubi-ams-0123456789ab-1-1" TIMES " Nodes=n1 PartitionName=batch Flags=\n"
      "ReservationName=maint" TIMES " Nodes=n[1-2] PartitionName=(null) Flags=MAINT,DAILY\n"
      "ReservationName=once" TIMES " Nodes=n3 PartitionName=(null) Flags=MAINT\n",
      "");
    assert_int_equal (picture.bookings_count, 2);
    assert_string_equal (picture.trouble, "");
    const batch_booking_t *maint = &picture.bookings [0], *once = &picture.bookings [1];
    assert_string_equal (maint->name, "maint");
    assert_int_equal (maint->nodes_count, 2);
    assert_int_equal (maint->from_ms, FROM_MS);
    assert_int_equal (maint->again_count, 2 * BATCH_TIMES_MAX);
    assert_int_equal (maint->again_ms [0], FROM_MS + 24 * HOUR_MS);
    assert_int_equal (maint->again_ms [1], FROM_MS + 25 * HOUR_MS);
    assert_string_equal (once->name, "once");
    assert_int_equal (once->again_count, 0);
    forget (&picture);
}

#define LATER_MS 2101194000000 /* 2036-08-01T09:00:00 */

static void jobs_have_their_nodes_until_their_limits (void **state)
{
    (void) state;
    batch_picture_t picture =
      look ("", "7|n[1-2]|2026-11-23T10:00:00|2036-08-01T09:00:00|11|(null)|\n"
                "8|n2|2026-11-23T11:00:00|2036-08-01T08:00:00|01|lunch|\n"
                "9|n3|2026-11-23T10:00:00|NONE|01|musubi-ams-0123456789ab-1-1|\n"
                "10|m1|2026-11-23T10:00:00|NONE|01|(null)|\n");
    const batch_node_t *n1 = &picture.nodes [0], *n2 = &picture.nodes [1];
    assert_int_equal (picture.bookings_count, 0);
    assert_string_equal (picture.trouble, "");
    assert_true (n1->busy_until_ms == LATER_MS && n1->firm_until_ms == 0);
    assert_true (n1->busy_since_ms == FROM_MS);
    assert_true (n2->busy_until_ms == LATER_MS && n2->firm_until_ms == LATER_MS - HOUR_MS);
    assert_true (n2->busy_since_ms == FROM_MS);
    assert_int_equal (picture.nodes [2].busy_until_ms, 0); /* of a reservation of ours */
    forget (&picture);
    picture = look ("", "7|n1|2026-11-23T10:00:00|NONE|10|(null)|\n");
    assert_true (picture.nodes [0].busy_until_ms == BATCH_FOREVER_MS);
    assert_true (picture.nodes [0].firm_until_ms == BATCH_FOREVER_MS); /* by srun */
    forget (&picture);
}

/*  It has not ended as long as Slurm says so, and the picture stays as it is for a while. */
static void a_job_past_its_limit_has_its_node_still (void **state)
{
    (void) state;
    int64_t now_ms = clock_ms (CLOCK_REALTIME);
    batch_picture_t picture =
      look ("", "7|n1|2026-11-23T09:00:00|2026-11-23T10:00:00|11|(null)|\n");
    assert_true (picture.nodes [0].busy_until_ms > now_ms);
    assert_true (picture.nodes [0].busy_until_ms <= clock_ms (CLOCK_REALTIME) + 300000);
    assert_int_equal (picture.nodes [0].busy_until_ms % 300000, 0);
    forget (&picture);
}

/*  Both as the partition limits them, and as sinfo 22.05 writes it. */
static void the_longest_job_and_the_cpus_that_one_may_have_are_told (void **state)
{
    (void) state;
    batch_picture_t picture = look ("", "");
    assert_int_equal (picture.longest_ms, 0);
    assert_int_equal (picture.nodes [0].cpus, 2);
    forget (&picture);
    command_says ("sinfo", "n1|planned|2|0/2/0/2|up|no|1-12:30:00|1|(null)|(null)|none\n");
    picture = look ("", "");
    assert_int_equal (picture.longest_ms, 36 * HOUR_MS + HOUR_MS / 2);
    assert_int_equal (picture.nodes [0].cpus, 1);
    forget (&picture);
    command_says ("sinfo", NODES);
}

static void a_node_has_features_and_gpus (void **state)
{
    (void) state;
    command_says ("sinfo", "n1|idle|2|0/2/0/2|up|no|infinite|UNLIMITED|haswell,ib|"
                           "gpu:a100:2(S:0-1),nvme:1|out, and back | again\n" NODE ("n2"));
    batch_picture_t picture = look ("", "");
    const batch_node_t *n1 = &picture.nodes [0];
    assert_true (picture.features);
    assert_string_equal (n1->features, "haswell,ib");
    assert_string_equal (n1->gpu, "a100");
    assert_int_equal (n1->gpus, 2);
    assert_string_equal (n1->why, "out, and back | again");
    assert_true (!picture.nodes [1].features || !*picture.nodes [1].features);
    assert_int_equal (picture.nodes [1].gpus, 0);
    forget (&picture);
    command_says ("sinfo", NODES);
}

static void what_cannot_be_read_counts_as_all_and_is_told (void **state)
{
    (void) state;
    batch_picture_t picture = look ("ReservationName=odd" TIMES " Nodes=n[1- Flags=WEEKLY\n", "");
    assert_int_equal (picture.bookings_count, 1);
    assert_int_equal (picture.bookings [0].nodes_count, 3);
    assert_int_equal (picture.bookings [0].from_ms, FROM_MS);
    assert_true (picture.bookings [0].again_count > 0);
    assert_non_null (strstr (picture.trouble, "ReservationName=odd"));
    forget (&picture);
    picture = look ("ReservationName=odd StartTime=then EndTime=later Nodes=n2 Flags=\n", "");
    assert_int_equal (picture.bookings [0].nodes_count, 1);
    assert_int_equal (picture.bookings [0].from_ms, 0);
    assert_int_equal (picture.bookings [0].until_ms, BATCH_FOREVER_MS);
    assert_non_null (strstr (picture.trouble, "ReservationName=odd"));
    forget (&picture);
    picture = look ("something else\n", "");
    assert_non_null (strstr (picture.trouble, "can't be read"));
    forget (&picture);
    picture = look ("", "7|n[2|2026-11-23T09:00:00|2026-11-23T09:30:00|11|(null)|\n");
    assert_non_null (strstr (picture.trouble, "of job 7 can't be read"));
    forget (&picture);
}

static void more_than_fit_are_told (void **state)
{
    (void) state;
    char *text;
    size_t size;
    FILE *to = must (open_memstream (&text, &size));
    for (int i = 0; i <= BATCH_BOOKINGS_MAX; i++)
        fprintf (to, "ReservationName=%s" TIMES " Nodes=n1 Flags=\n", i == 0 ? "a" : "b");
    fclose (to);
    batch_picture_t picture = look (text, "");
    assert_int_equal (picture.bookings_count, BATCH_BOOKINGS_MAX);
    assert_string_equal (picture.bookings [0].name, "a");
    assert_non_null (strstr (picture.trouble, "more than 16384"));
    forget (&picture);
    free (text);
}

/*  They are held without end, not told less. */
static void many_that_recur_are_held_throughout (void **state)
{
    (void) state;
    char *text;
    size_t size;
    FILE *to = must (open_memstream (&text, &size));
    for (int i = 0; i < 65; i++)
        fprintf (to, "ReservationName=r%d" TIMES " Nodes=n1 Flags=WEEKLY\n", i);
    fclose (to);
    batch_picture_t picture = look (text, "");
    assert_int_equal (picture.bookings_count, 65);
    assert_int_equal (picture.bookings [63].again_count, 2 * BATCH_TIMES_MAX);
    assert_int_equal (picture.bookings [64].again_count, 2);
    assert_int_equal (picture.bookings [64].again_ms [0], FROM_MS + 7 * 24 * HOUR_MS);
    assert_int_equal (picture.bookings [64].again_ms [1], BATCH_FOREVER_MS);
    forget (&picture);
    free (text);
}

/*  Else it would be made again, and refused, for ever. */
static void one_of_ours_that_cannot_be_read_is_not_made_anew (void **state)
{
    (void) state;
    static const char *const nodes [] = {"n1"};
    const batch_setup_t setup = {.site = "ams", .queue = "batch", .limit_ms = 60000};
    const back_end_order_t order = {.reservation = "musubi-ams-0123456789ab-1-1",
                                    .account = "alice",
                                    .from_ms = FROM_MS,
                                    .until_ms = FROM_MS + HOUR_MS,
                                    .nodes = (const char **) nodes,
                                    .nodes_count = 1};
    char why [WHY_BYTES] = "";
    command_says ("scontrol", "ReservationName=musubi-ams-0123456789ab-1-1" TIMES
                              " Nodes=n[1 PartitionName=batch Users=alice\n");
    assert_false (slurm.keep (&setup, BACK_END_PREPARE, &order, why));
    assert_string_equal (why, "Slurm's reservation musubi-ams-0123456789ab-1-1 can't be read");
}

/*  It is made for the account that its owner charges; one that Slurm has for another is changed. */
static void a_reservation_is_for_the_account_that_is_charged (void **state)
{
    (void) state;
    static const char *const nodes [] = {"n1"};
    const batch_setup_t setup = {.site = "ams", .queue = "batch", .limit_ms = 60000};
    back_end_order_t order = {.reservation = "musubi-ams-0123456789ab-1-1",
                              .account = "alice",
                              .charged = "physics",
                              .from_ms = FROM_MS,
                              .until_ms = FROM_MS + HOUR_MS,
                              .nodes = nodes,
                              .nodes_count = 1};
    char why [WHY_BYTES] = "";
#define LINE                                                                                       \
    "ReservationName=musubi-ams-0123456789ab-1-1" TIMES                                            \
    " Nodes=n1 PartitionName=batch Users=alice Accounts="
    command_says ("sinfo", "all\n");
    command_says ("scontrol", LINE "physics State=INACTIVE\n");
    assert_true (slurm.keep (&setup, BACK_END_PREPARE, &order, why));
    command_says ("scontrol", LINE "other State=INACTIVE\n");
    assert_false (slurm.keep (&setup, BACK_END_PREPARE, &order, why));
    assert_string_equal (why, "Slurm's reservation musubi-ams-0123456789ab-1-1 has other accounts "
                              "than physics");
    order.charged = "";
    assert_true (slurm.keep (&setup, BACK_END_PREPARE, &order, why));
    command_says ("sinfo", NODES);
#undef LINE
}

static void the_longest_job_that_may_begin_is_told (void **state)
{
    (void) state;
    static const struct {
        const char *limits;
        int64_t reach_ms;
    } wanted [] = {{"30:00\n", HOUR_MS / 2},
                   {"1:00:00\n30:00\n", HOUR_MS},
                   {"2-00:00:00\n", 48 * HOUR_MS},
                   {"1:00:00\n1-02:30:00\n", 53 * HOUR_MS / 2},
                   {"30:00\ninfinite\n", 0},
                   {"infinite\n30:00\n", 0},
                   {"n/a\n", 0},
                   {"", 0}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        limits_are (wanted [i].limits);
        batch_picture_t picture = look ("", "");
        assert_int_equal (picture.reach_ms, wanted [i].reach_ms);
        forget (&picture);
    }
}

/*  scontrol refuses what it is to create, and notes it. */
static void scontrol_refuses (void)
{
    text_auto_t *path = must_print ("%s/scontrol", folder);
    FILE *to = must (fopen (path, "w"));
    fprintf (to,
             "#!/bin/sh\n[ \"$1\" != create ] || { echo \"$@\" >'%s/created'; "
             "echo 'Requested nodes are busy' >&2; exit 1; }\nexec cat '%s/scontrol.says'\n",
             folder, folder);
    fclose (to);
}

static bool created_has (const char *words)
{
    char line [512] = "";
    text_auto_t *path = must_print ("%s/created", folder);
    FILE *from = must (fopen (path, "r"));
    assert_non_null (fgets (line, sizeof line, from));
    fclose (from);
    return strstr (line, words) != NULL;
}

static void one_that_is_named_ends_nobodys_job_and_says_whose_is_in_its_way (void **state)
{
    (void) state;
    static const char *const nodes [] = {"n1", "n2"};
    const batch_setup_t setup = {.site = "ams", .queue = "batch", .limit_ms = 60000};
    const back_end_order_t order = {.reservation = "musubi-ams-0123456789ab-1-1",
                                    .account = "alice",
                                    .from_ms = FROM_MS,
                                    .until_ms = FROM_MS + HOUR_MS,
                                    .nodes = nodes,
                                    .nodes_count = 2};
    char why [WHY_BYTES] = "";
    command_says ("scontrol", "");
    scontrol_refuses ();
    command_says ("squeue", "7|bob|2026-11-23T10:00:00|\n8|eve|2026-11-23T10:30:00|\n"
                            "9|alice|2026-11-23T10:45:00|musubi-ams-0123456789ab-1-1\n");
    assert_false (slurm.keep (&setup, BACK_END_NAME, &order, why));
    assert_string_equal (why, "Slurm's job 8 of eve is in its way until 2026-11-23T10:30:00Z");
    assert_true (created_has ("nodes=n1,n2"));
    assert_false (created_has ("IGNORE_JOBS"));
    command_says ("squeue", "8|eve|NONE|\n");
    assert_false (slurm.keep (&setup, BACK_END_NAME, &order, why));
    assert_string_equal (why, "Slurm's job 8 of eve is in its way until it is ended");
    command_says ("squeue", "");
    command_says ("scontrol",
                  "ReservationName=maint" TIMES " Nodes=n[2-3] Users=root Flags=MAINT\n");
    scontrol_refuses ();
    assert_false (slurm.keep (&setup, BACK_END_NAME, &order, why));
    assert_string_equal (why, "Slurm's reservation maint of root is in its way until "
                              "2026-11-23T11:00:00Z");
    why [0] = '\0';
    assert_false (slurm.keep (&setup, BACK_END_PREPARE, &order, why));
    assert_string_equal (why, "Slurm's reservation maint of root is in its way until "
                              "2026-11-23T11:00:00Z");
    command_says ("scontrol", "ReservationName=musubi-ams-0123456789ab-1-2" TIMES
                              " Nodes=n[2-3] Users=root Flags=SPEC_NODES\n");
    scontrol_refuses ();
    assert_false (slurm.keep (&setup, BACK_END_PREPARE, &order, why));
    assert_true (created_has ("flags=IGNORE_JOBS,OVERLAP"));
}

static void those_that_are_not_as_they_were_told_are_found_by_one_question (void **state)
{
    (void) state;
    static const char *const nodes [] = {"n2", "n1"};
    const batch_setup_t setup = {.site = "ams", .queue = "batch", .limit_ms = 60000};
    back_end_order_t orders [] = {
      {.reservation = "musubi-ams-0123456789ab-1-1", .nodes_count = 2},
      {.reservation = "musubi-ams-0123456789ab-1-2", .nodes_count = 1},
      {.reservation = "musubi-ams-0123456789ab-1-3", .nodes_count = 1},
    };
    char why [WHY_BYTES];
    text_auto_t *differ = NULL;
    for (size_t i = 0; i < 3; i++) {
        orders [i].account = "alice";
        orders [i].from_ms = FROM_MS;
        orders [i].until_ms = FROM_MS + HOUR_MS;
        orders [i].nodes = nodes;
    }
    command_says ("scontrol", "ReservationName=musubi-ams-0123456789ab-1-1" TIMES
                              " Nodes=n[1-2] PartitionName=batch Users=alice\n"
                              "ReservationName=musubi-ams-0123456789ab-1-2" TIMES
                              " Nodes=n1 PartitionName=batch Users=alice\n"
                              "ReservationName=musubi-ams-0123456789ab-1-3" TIMES
                              " Nodes=n2 PartitionName=other Users=alice\n");
    assert_true (slurm.compare (&setup, orders, 3, &differ, why));
    assert_string_equal (
      differ, "0123456789ab-1-2 Slurm's reservation musubi-ams-0123456789ab-1-2 has the nodes n1 "
              "instead of n2\n"
              "0123456789ab-1-3 Slurm has no reservation musubi-ams-0123456789ab-1-3\n");
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (nothing_is_there),
      cmocka_unit_test (only_others_are_told_and_those_that_recur_again),
      cmocka_unit_test (the_longest_job_and_the_cpus_that_one_may_have_are_told),
      cmocka_unit_test (jobs_have_their_nodes_until_their_limits),
      cmocka_unit_test (a_job_past_its_limit_has_its_node_still),
      cmocka_unit_test (a_node_has_features_and_gpus),
      cmocka_unit_test (what_cannot_be_read_counts_as_all_and_is_told),
      cmocka_unit_test (more_than_fit_are_told),
      cmocka_unit_test (many_that_recur_are_held_throughout),
      cmocka_unit_test (a_reservation_is_for_the_account_that_is_charged),
      cmocka_unit_test (one_of_ours_that_cannot_be_read_is_not_made_anew),
      cmocka_unit_test (the_longest_job_that_may_begin_is_told),
      cmocka_unit_test (one_that_is_named_ends_nobodys_job_and_says_whose_is_in_its_way),
      cmocka_unit_test (those_that_are_not_as_they_were_told_are_found_by_one_question),
    };
    return cmocka_run_group_tests (tests, folder_make, folder_end);
}
