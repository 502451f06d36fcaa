/*  slurm_parse: lines of reservations, lists of nodes, times and states as Slurm 22.05 writes
 *  them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "slurm_parse.h"

static void nodes_are (const char *list, const char *wanted)
{
    name_list_t nodes = {0};
    assert_true (slurm_nodes_read (list, &nodes));
    char *text = name_list_text (&nodes, ',');
    assert_string_equal (text, wanted);
    free (text);
    name_list_clear (&nodes);
}

static void lists_of_nodes_are_told_apart (void **state)
{
    (void) state;
    nodes_are ("", "");
    nodes_are ("n1", "n1");
    nodes_are ("n1,m2", "n1,m2");
    nodes_are ("n[1-3]", "n1,n2,n3");
    nodes_are ("n[08-10,12],m[1]x,k", "n08,n09,n10,n12,m1x,k");
    nodes_are ("r[1-2]n[1-2]x,k", "r1n1x,r1n2x,r2n1x,r2n2x,k");
    nodes_are ("r[1][2-3][04]", "r1204,r1304");
}

static void broken_lists_are_refused (void **state)
{
    (void) state;
    static const char *const broken [] = {
      "n[1-",  "n[3-1]",     "n[a]",           "n[1-2]x[1-2",
      ",n1",   "n[]",        "n[1-999999999]", "n[99999999999999999999]",
      "n[-1]", "n[ 1-2]",    "n[+1-2]",        "n[1-65000,1-65000]",
      "n]1[",  "n[1-2]x[]",  "n[1-2]]x[1,]a[", "n[1-300]x[1-300]",
      "a[1-",  "n[1-2]x[a]", "n[1-2]x[1-2]["};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        name_list_t nodes = {0};
        assert_false (slurm_nodes_read (broken [i], &nodes));
        name_list_clear (&nodes);
    }
}

static void spans_are_read (void **state)
{
    (void) state;
    static const struct {
        const char *text;
        int64_t ms;
    } rows [] = {{"30:00", 1800000},  {"1:00:00", 3600000}, {"1-12:30:00", 131400000},
                 {"00:01.324", 1324}, {"00:00:00", 0},      {"infinite", -1},
                 {"UNLIMITED", -1},   {"n/a", -1},          {"", -1},
                 {"30", -1},          {"0x1:00", -1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t ms = -1;
        assert_int_equal (slurm_span_read (rows [i].text, &ms), rows [i].ms >= 0);
        assert_int_equal (ms, rows [i].ms);
    }
}

static void gpus_are_those_of_the_type_of_which_there_are_most (void **state)
{
    (void) state;
    static const struct {
        const char *gres;
        const char *type;
        uint32_t count;
    } rows [] = {{"(null)", "", 0},
                 {"gpu:4", "", 4},
                 {"gpu:a100:2", "a100", 2},
                 {"gpu:4(S:0,1)", "", 4},
                 {"nvme:3,gpu:a100:2(S:0,1),gpu:v100:3(IDX:0-2)", "v100", 3},
                 {"gpu:v100:3,gpu:a100:2", "v100", 3},
                 {"gpus:a100:2", "", 0},
                 {"fpga:gpu:2", "", 0},
                 {"", "", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        batch_node_t node = {.gpus = 0};
        slurm_gpus_read (rows [i].gres, &node);
        assert_string_equal (node.gpu, rows [i].type);
        assert_int_equal (node.gpus, rows [i].count);
    }
}

static void a_line_is_a_reservation (void **state)
{
    (void) state;
    char line [] = "ReservationName=musubi-ams-r1 StartTime=2026-11-23T21:45:40 "
                   "EndTime=2026-11-23T21:46:00 Duration=00:00:20 Nodes=n[2,1] NodeCnt=2 CoreCnt=4 "
                   "Features=(null) PartitionName=batch Flags=IGNORE_JOBS,SPEC_NODES TRES=cpu=4 "
                   "Users=nobody Groups=(null) State=ACTIVE MaxStartDelay=(null)";
    slurm_reservation_t seen;
    assert_true (slurm_reservation_read (line, &seen));
    char *nodes = name_list_text (&seen.nodes, ',');
    assert_string_equal (seen.name, "musubi-ams-r1");
    assert_string_equal (seen.users, "nobody");
    assert_string_equal (seen.partition, "batch");
    assert_string_equal (nodes, "n1,n2");
    assert_int_equal (seen.until_ms - seen.from_ms, 20000);
    assert_int_equal (seen.from_ms, 1795470340000);
    assert_true (seen.active);
    assert_false (seen.overlaps);
    free (nodes);
    name_list_clear (&seen.nodes);
}

/*  What anybody has written there is not Slurm's. */
static void a_comment_is_not_read (void **state)
{
    (void) state;
    char line [] =
      "ReservationName=maint StartTime=2026-11-23T21:45:40 EndTime=2026-11-23T21:46:00 Nodes=n1 "
      "Flags=MAINT,OVERLAP,WEEKLY,SPEC_NODES Comment=ask Users=bob of PartitionName=other "
      "State=ACTIVE";
    slurm_reservation_t seen;
    assert_true (slurm_reservation_read (line, &seen));
    assert_string_equal (seen.users, "");
    assert_string_equal (seen.partition, "");
    assert_false (seen.active);
    assert_true (seen.overlaps && seen.times_read && seen.nodes_read);
    assert_int_equal (seen.repeat, SLURM_WEEKLY);
    name_list_clear (&seen.nodes);
}

static void what_cannot_be_read_is_told_apart (void **state)
{
    (void) state;
    char times [] = "ReservationName=a StartTime=Unknown EndTime=2026-11-23T21:46:00 Nodes=n1";
    char nodes [] =
      "ReservationName=a StartTime=2026-11-23T21:45:40 EndTime=2026-11-23T21:46:00 Nodes=n[1-";
    char neither [] = "ReservationName=a";
    slurm_reservation_t seen;
    assert_true (slurm_reservation_read (times, &seen));
    assert_true (!seen.times_read && seen.nodes_read);
    assert_int_equal (seen.from_ms, 0);
    assert_int_equal (seen.until_ms, BATCH_FOREVER_MS);
    name_list_clear (&seen.nodes);
    assert_true (slurm_reservation_read (nodes, &seen));
    assert_true (seen.times_read && !seen.nodes_read);
    name_list_clear (&seen.nodes);
    assert_true (slurm_reservation_read (neither, &seen));
    assert_true (!seen.times_read && !seen.nodes_read);
    name_list_clear (&seen.nodes);
}

static void one_that_floats_holds_always (void **state)
{
    (void) state;
    char line [] = "ReservationName=f StartTime=2026-11-29T15:14:50 EndTime=2026-11-29T15:24:50 "
                   "Nodes=n3 Flags=OVERLAP,SPEC_NODES,TIME_FLOAT Users=root State=INACTIVE";
    slurm_reservation_t seen;
    assert_true (slurm_reservation_read (line, &seen));
    assert_true (seen.times_read && seen.nodes_read);
    assert_int_equal (seen.from_ms, 0);
    assert_int_equal (seen.until_ms, BATCH_FOREVER_MS);
    assert_int_equal (seen.repeat, SLURM_ONCE);
    name_list_clear (&seen.nodes);
}

static void another_line_is_none (void **state)
{
    (void) state;
    char line [] = "No reservations in the system";
    slurm_reservation_t seen;
    assert_false (slurm_reservation_read (line, &seen));
    name_list_clear (&seen.nodes);
}

/*  Nothing may begin before its time, so a start is never rounded down. */
static void times_are_rounded_up_to_seconds (void **state)
{
    (void) state;
    char text [SLURM_TIME_BYTES];
    assert_string_equal (slurm_time_text (1795470340000, text), "2026-11-23T21:45:40");
    assert_string_equal (slurm_time_text (1795470340001, text), "2026-11-23T21:45:41");
    int64_t ms;
    assert_false (slurm_time_read ("Unknown", &ms));
    assert_false (slurm_time_read ("N/A", &ms));
}

static void states_are_known (void **state)
{
    (void) state;
    assert_int_equal (slurm_job_state ("PENDING"), BATCH_JOB_QUEUED);
    assert_int_equal (slurm_job_state ("RESV_DEL_HOLD"), BATCH_JOB_HELD);
    assert_int_equal (slurm_job_state ("COMPLETING"), BATCH_JOB_RUNNING);
    assert_int_equal (slurm_job_state ("SUSPENDED"), BATCH_JOB_SUSPENDED);
    assert_int_equal (slurm_job_state ("TIMEOUT"), BATCH_JOB_ENDED);
    assert_int_equal (slurm_job_state ("NODE_FAIL"), BATCH_JOB_LOST);
}

static void node_is (const char *state, bool up, bool drained)
{
    batch_node_t node = {.up = !up, .drained = !drained};
    slurm_node_state (state, &node);
    assert_int_equal (node.up, up);
    assert_int_equal (node.drained, drained);
}

static void states_of_nodes_are_known (void **state)
{
    (void) state;
    static const char *const up [] = {"idle", "idle*", "idle~", "mixed", "unknown", "powered_down"};
    static const char *const drained [] = {"drained", "draining", "drained*"};
    static const char *const down [] = {"down", "down*", "down$", "inval"};
    for (size_t i = 0; i < sizeof up / sizeof *up; i++)
        node_is (up [i], true, false);
    for (size_t i = 0; i < sizeof drained / sizeof *drained; i++)
        node_is (drained [i], true, true);
    for (size_t i = 0; i < sizeof down / sizeof *down; i++)
        node_is (down [i], false, false);
}

/*  Newer versions of Slurm have other states: a job that has one is there, a node gets nothing
 *  new. */
static void an_unknown_state_is_never_lost (void **state)
{
    (void) state;
    static const char *const words [] = {"EXPEDITING", "POWER_UP_NODE", "UPDATE_DB", ""};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_true (batch_job_lives (slurm_job_state (words [i])));
    node_is ("blocked", true, true);
    node_is ("reboot_issued", true, true);
    node_is ("", true, true);
}

static void a_refusal_that_may_end_is_told_from_others (void **state)
{
    (void) state;
    static const char *const now [] = {
      "Batch job submission failed: Required partition not available (inactive or drain)",
      "Batch job submission failed: User's group not permitted to use this partition",
      "Batch job submission failed: Access/permission denied",
      "Batch job submission failed: Invalid partition name specified",
      "Batch job submission failed: Requested node configuration is not available"};
    for (size_t i = 0; i < sizeof now / sizeof *now; i++)
        assert_true (slurm_refused_for_now (now [i]));
    assert_false (slurm_refused_for_now ("Requested time limit is invalid"));
    assert_false (slurm_refused_for_now ("Invalid user id"));
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (lists_of_nodes_are_told_apart),
      cmocka_unit_test (broken_lists_are_refused),
      cmocka_unit_test (spans_are_read),
      cmocka_unit_test (gpus_are_those_of_the_type_of_which_there_are_most),
      cmocka_unit_test (a_line_is_a_reservation),
      cmocka_unit_test (a_comment_is_not_read),
      cmocka_unit_test (what_cannot_be_read_is_told_apart),
      cmocka_unit_test (one_that_floats_holds_always),
      cmocka_unit_test (another_line_is_none),
      cmocka_unit_test (times_are_rounded_up_to_seconds),
      cmocka_unit_test (states_are_known),
      cmocka_unit_test (states_of_nodes_are_known),
      cmocka_unit_test (an_unknown_state_is_never_lost),
      cmocka_unit_test (a_refusal_that_may_end_is_told_from_others),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
