/*  commands: what a site's programs write is taken as a whole or refused by line and field, and
 *  what the functions of the table make of it. The programs are files that say what a test has
 *  written, and note how they were called.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "commands.h"
#include "must.h"

#define NODES  "version 1\nnode n1 up 4 1\nnode n2 up 2 0\n"
#define OURS   "musubi-ams-0123456789ab-1-1"
#define RUN    "00112233445566778899aabbccddeeff-1.0.1"
#define NAMED  "musubi-ams-" RUN
#define FROM_S 1795428000

static char folder [] = "/tmp/musubi-commands-XXXXXX";
static const batch_setup_t setup = {
  .site = "ams", .queue = "q", .programs = folder, .limit_ms = 60000};

/*  What jobs are given to end in is not waited for. */
int __wrap_nanosleep (const struct timespec *wanted, struct timespec *left)
{
    (void) wanted, (void) left;
    return 0;
}

/*  --- reading --- */

static command_told_t read_as (const char *program, commands_answer_t answer, const char *text,
                               commands_rows_t *rows, char why [WHY_BYTES])
{
    *rows = (commands_rows_t){.text = must (strdup (text))};
    *why = '\0';
    return commands_read (program, answer, rows, why);
}

static void lists_are_read_as_they_are_meant (void **state)
{
    (void) state;
    commands_rows_t rows;
    char why [WHY_BYTES];
    assert_int_equal (read_as ("list", COMMANDS_LIST,
                               NODES "node n3 down 0 0   fan  is broken\n"
                                     "reservation maint root 100  -  n2,n1\n"
                                     "job 7.srv  mine  - 5 60 n1\nend\n",
                               &rows, why),
                      COMMAND_DONE);
    assert_int_equal (rows.count, 5);
    assert_int_equal (rows.rows [0].kind, COMMANDS_NODE);
    assert_string_equal (rows.rows [0].key, "n1");
    assert_int_equal (rows.rows [0].state, COMMANDS_UP);
    assert_int_equal (rows.rows [0].cpus, 4);
    assert_int_equal (rows.rows [0].cpus_busy, 1);
    assert_string_equal (rows.rows [0].why, "");
    assert_int_equal (rows.rows [2].state, COMMANDS_DOWN);
    assert_string_equal (rows.rows [2].why, "fan  is broken");
    const commands_row_t *maint = &rows.rows [3], *job = &rows.rows [4];
    assert_string_equal (maint->key, "maint");
    assert_string_equal (maint->whose, "root");
    assert_int_equal (maint->from_ms, 100000);
    assert_int_equal (maint->until_ms, BATCH_FOREVER_MS);
    assert_int_equal (maint->nodes.count, 2);
    assert_string_equal (job->key, "7.srv");
    assert_string_equal (job->job, "mine");
    assert_string_equal (job->whose, "-");
    assert_int_equal (job->until_ms, 60000);
    commands_rows_clear (&rows);
}

static void states_and_deeds_are_read_as_they_are_meant (void **state)
{
    (void) state;
    static const batch_job_state_t meant [] = {BATCH_JOB_UNKNOWN, BATCH_JOB_QUEUED,
                                               BATCH_JOB_RUNNING, BATCH_JOB_SUSPENDED,
                                               BATCH_JOB_ENDED,   BATCH_JOB_LOST};
    commands_rows_t rows;
    char why [WHY_BYTES];
    assert_int_equal (read_as ("state", COMMANDS_STATE,
                               "run a gone -\nrun a queued 1 no room\nrun a running 1\n"
                               "run a suspended 1\nrun a ended 1\nrun a lost 1\nend\n",
                               &rows, why),
                      COMMAND_DONE);
    for (size_t i = 0; i < sizeof meant / sizeof *meant; i++)
        assert_int_equal (rows.rows [i].state, meant [i]);
    assert_string_equal (rows.rows [1].why, "no room");
    commands_rows_clear (&rows);
    assert_int_equal (read_as ("move", COMMANDS_DEED, "end", &rows, why), COMMAND_DONE);
    commands_rows_clear (&rows);
    assert_int_equal (read_as ("move", COMMANDS_DEED, "refused n1 is \303\251 taken\n", &rows, why),
                      COMMAND_REFUSED);
    assert_string_equal (why, "move: n1 is ?? taken");
    commands_rows_clear (&rows);
}

static void what_is_not_as_it_should_be_is_refused_by_line_and_field (void **state)
{
    (void) state;
    static const struct {
        const char *text, *why;
    } wrong_ones [] = {
      {"", "list: its answer was cut short: its last line should be \"end\""},
      {NODES, "list: its answer was cut short"},
      {NODES "en", "list: line 4: \"en\" should be one of its lines"},
      {NODES "end\nend\n", "list: line 5 stands behind its closing line"},
      {NODES "refused no\nend\n", "list: line 5 stands behind its closing line"},
      {"end\n", "list: it tells no node"},
      {"version 1\nend\n", "list: it tells no node"},
      {"version 2\nend\n", "list: line 1: \"version 2\" should be version 1"},
      {"node n1 up 1 0\nend\n", "list: line 1: \"node n1 up 1 0\" should be version 1"},
      {NODES "\nend\n", "list: line 4: \"\" should be one of its lines"},
      {NODES "run a gone -\nend\n", "list: line 4: \"run a gone -\" should be one of its lines"},
      {NODES "node n1 down 4 0\nend\n", "list: it tells node n1 twice"},
      {NODES "node\nend\n", "list: line 4: \"node\" should be one of its lines"},
      {NODES "node n3\nend\n", "list: line 4: state: \"\" should be one of up, drained"},
      {NODES "node n3 idle 1 0\nend\n", "list: line 4: state: \"idle\" should be one of up, dra"},
      {NODES "node n3 up two 0\nend\n", "list: line 4: cpus: \"two\" should be a whole number"},
      {NODES "node n3 up 1000001 0\nend\n", "cpus: \"1000001\" should be a whole number from 0 to"},
      {NODES "node n3 up 99999999999999999999999 0\nend\n", "list: line 4: cpus: \"9999"},
      {NODES "node n3 up -1 0\nend\n",
       "list: line 4: cpus: \"-1\" should be a whole number from 0"},
      {NODES "node n3 up 2 3\nend\n", "busy: \"3\" should be a whole number from 0 to 2"},
      {NODES "node a,b up 2 0\nend\n", "name: \"a,b\" should be a word of at most 63 bytes"},
      {NODES "reservation a b 1 2 n1\nreservation a b 3 4 n1\nend\n", "tells reservation a twice"},
      {NODES "reservation a b 2 2 n1\nend\n", "line 4: until: \"it\" should be later than from"},
      {NODES "reservation a b 1 2\nend\n", "list: line 4: nodes: \"\" should be names"},
      {NODES "reservation a b 1 2 n1,n1\nend\n", "list: line 4: nodes: \"n1,n1\" should be names"},
      {NODES "reservation a b 1 2 n1 n2\nend\n", "behind its last field: \"n2\" should be nothing"},
      {NODES "reservation a b 1 99999999999999 n1\nend\n", "line 4: until: \"99999999999999\""},
      {NODES "reservation a b - 2 n1\nend\n", "list: line 4: from: \"-\" should be a whole number"},
      {NODES "job 0123456789012345678901234567890x a - 1 2 n1\nend\n", "word of at most 31 bytes"},
      {NODES "job 1 a - 1 2 n1\njob 1 b - 1 2 n2\nend\n", "list: it tells job 1 twice"},
    };
    for (size_t i = 0; i < sizeof wrong_ones / sizeof *wrong_ones; i++) {
        commands_rows_t rows;
        char why [WHY_BYTES];
        assert_int_equal (read_as ("list", COMMANDS_LIST, wrong_ones [i].text, &rows, why),
                          COMMAND_SILENT);
        if (!strstr (why, wrong_ones [i].why))
            fail_msg ("%s: %s", wrong_ones [i].text, why);
        commands_rows_clear (&rows);
    }
}

static void an_answer_that_is_cut_anywhere_is_never_read (void **state)
{
    (void) state;
    static const char whole [] = NODES "reservation a b 1 2 n1,n2\njob 1 a - 1 2 n1\nend\n";
    for (size_t size = 0; size + 2 < sizeof whole; size++) { /* "end" alone is whole, too */
        commands_rows_t rows;
        char why [WHY_BYTES], part [sizeof whole];
        snprintf (part, sizeof part, "%.*s", (int) size, whole);
        assert_int_equal (read_as ("list", COMMANDS_LIST, part, &rows, why), COMMAND_SILENT);
        assert_true (*why != '\0');
        commands_rows_clear (&rows);
    }
}

static void lines_and_their_number_are_bounded (void **state)
{
    (void) state;
    commands_rows_t rows;
    char why [WHY_BYTES], *text;
    size_t size;
    FILE *to = must (open_memstream (&text, &size));
    fprintf (to, NODES "node n3 up 1 0 %*s\nend\n", COMMANDS_LINE_BYTES_MAX, "x");
    fclose (to);
    assert_int_equal (read_as ("list", COMMANDS_LIST, text, &rows, why), COMMAND_SILENT);
    assert_string_equal (why,
                         "list: line 4: there should be at most 200000, of at most 131071 bytes");
    commands_rows_clear (&rows);
    free (text);
    to = must (open_memstream (&text, &size));
    for (int i = 0; i <= COMMANDS_LINES_MAX; i++)
        fputs ("run a gone -\n", to);
    fclose (to);
    assert_int_equal (read_as ("state", COMMANDS_STATE, text, &rows, why), COMMAND_SILENT);
    assert_non_null (strstr (why, "state: line 200001: there should be at most 200000"));
    commands_rows_clear (&rows);
    free (text);
}

/*  --- the table --- */

static void program_does (const char *program, const char *body)
{
    text_auto_t *path = must_print ("%s/%s", folder, program);
    FILE *to = must (fopen (path, "w"));
    fprintf (
      to, "#!/bin/sh\ncd %s\n[ ! -e cut ] || . ./cut\n[ %s = list ] || echo %s \"$@\" >>called\n%s",
      folder, program, program, body);
    fclose (to);
    assert_int_equal (chmod (path, 0755), 0);
}

static void program_says (const char *program, const char *text)
{
    text_auto_t *body = must_print ("cat <<'E'\n%sE\n", text);
    program_does (program, body);
}

/*  Since it was last asked. */
static void assert_called (const char *calls)
{
    char text [1024];
    text_auto_t *path = must_print ("%s/called", folder);
    FILE *from = fopen (path, "r");
    size_t size = from ? fread (text, 1, sizeof text - 1, from) : 0;
    text [size] = '\0';
    if (from)
        fclose (from);
    unlink (path);
    assert_string_equal (text, calls);
}

static int folder_make (void **state)
{
    (void) state;
    if (!mkdtemp (folder) || signal (SIGPIPE, SIG_IGN) == SIG_ERR) /* as the host does */
        return -1;
    static const char *const deeds [] = {"reserve", "move", "remove", "submit", "end"};
    for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++)
        program_says (deeds [i], "end\n");
    program_says ("list", NODES "end\n");
    program_says ("state", "end\n");
    return 0;
}

static int folder_end (void **state)
{
    (void) state;
    char why [WHY_BYTES];
    const char *const rm [] = {"rm", "-rf", folder, NULL};
    return command_run (rm, NULL, 10000, NULL, why) == COMMAND_DONE ? 0 : -1;
}

static void programs_that_others_may_write_are_not_run (void **state)
{
    (void) state;
    char why [WHY_BYTES];
    text_auto_t *program = must_print ("%s/move", folder);
    text_auto_t *other = must_print ("%s/other", folder);
    assert_int_equal (commands.check (&setup, true, why), BATCH_FIT);
    assert_int_equal (chmod (program, 0775), 0);
    assert_int_equal (commands.check (&setup, true, why), BATCH_UNFIT);
    assert_non_null (strstr (why, "/move should be a program of this account or root that nobody"));
    assert_int_equal (rename (program, other), 0);
    assert_int_equal (commands.check (&setup, true, why), BATCH_UNFIT);
    assert_non_null (strstr (why, "/move: No such file"));
    assert_int_equal (symlink (other, program), 0);
    assert_int_equal (commands.check (&setup, true, why), BATCH_UNFIT);
    assert_int_equal (unlink (program), 0);
    program_says ("move", "end\n");
    assert_int_equal (chmod (folder, 0777), 0);
    assert_int_equal (commands.check (&setup, true, why), BATCH_UNFIT);
    assert_non_null (strstr (why, "should be a folder of this account"));
    assert_int_equal (chmod (folder, 0700), 0);
    program_says ("list", "refused there is no queue q\n");
    assert_int_equal (commands.check (&setup, true, why), BATCH_UNFIT);
    assert_string_equal (why, "list: there is no queue q");
    program_does ("list", "echo broken >&2; exit 1\n");
    assert_int_equal (commands.check (&setup, true, why), BATCH_SILENT); /* it may answer later */
    assert_string_equal (why, "list: broken");
}

static void the_picture_tells_what_others_have (void **state)
{
    (void) state;
    batch_picture_t picture = {0};
    char why [WHY_BYTES];
    program_says ("list", NODES
                  "node n3 drained 2 0 fan\nnode n4 silent 2 0\nnode n5 down 2 0\n"
                  "reservation " OURS " nobody 10 20 n1\nreservation maint root 10 20 n1,n2\n"
                  "reservation musubi-ams-2-0123456789ab-1-1 root 10 20 n1\n"
                  "job 1 " NAMED " - 1 2 n1\njob 2 x " OURS " 1 3 n1,n3\njob 3 x - 1 4 n2\nend\n");
    assert_true (commands.look (&setup, &picture, why));
    assert_true (picture.partial);
    assert_int_equal (picture.nodes_count, 5);
    assert_true (picture.nodes [0].up && picture.nodes [0].cpus == 4);
    assert_true (picture.nodes [2].up && picture.nodes [2].drained);
    assert_true (!picture.nodes [3].up && picture.nodes [3].silent);
    assert_true (!picture.nodes [4].up && !picture.nodes [4].silent);
    assert_int_equal (picture.bookings_count, 2);
    assert_string_equal (picture.bookings [0].name, "maint");
    assert_string_equal (picture.bookings [1].name, "musubi-ams-2-0123456789ab-1-1");
    assert_int_equal (picture.nodes [0].busy_until_ms,
                      2000); /* by job 1, which is in none of ours */
    assert_int_equal (picture.nodes [1].firm_until_ms, 4000);
    assert_int_equal (picture.nodes [2].busy_until_ms, 0);
    codec_clear (&batch_picture_codec, &picture);
    picture = (batch_picture_t){0};
    program_says ("list", NODES);
    assert_false (commands.look (&setup, &picture, why));
}

static void a_run_that_is_not_told_is_not_known_to_be_gone (void **state)
{
    (void) state;
    static const char *const names [] = {RUN};
    batch_job_seen_t seen = {0};
    const batch_jobs_t asked = {&setup, names, 1, &seen};
    char why [WHY_BYTES];
    program_says ("state", "end\n");
    assert_false (commands.jobs (&asked, why));
    assert_string_equal (why, "state: it does not tell run " RUN ", nor that it is gone");
    program_says ("state", "run " NAMED " gone -\nend\n");
    assert_true (commands.jobs (&asked, why));
    assert_int_equal (seen.state, BATCH_JOB_UNKNOWN);
    program_does ("state", "read -r name\necho run $name ended 1\necho run $name running 2\n"
                           "echo run $name lost 3\necho end\n");
    assert_true (commands.jobs (&asked, why));
    assert_int_equal (seen.state, BATCH_JOB_RUNNING); /* of several that which lives */
    assert_string_equal (seen.id, "2");
    assert_called ("state q\nstate q\nstate q\n");
}

static back_end_order_t order_of (const char *const *nodes, size_t count)
{
    return (back_end_order_t){.reservation = OURS,
                              .account = "nobody",
                              .from_ms = FROM_S * INT64_C (1000) - 1,
                              .until_ms = FROM_S * INT64_C (1000) + 3599001,
                              .nodes = nodes,
                              .nodes_count = count,
                              .grace_ms = 0};
}

/*  A file is the reservation; jobs that are told so end. */
static void system_of_files (const char *jobs)
{
    text_auto_t *path = must_print ("%s/jobs", folder);
    FILE *to = must (fopen (path, "w"));
    fputs (jobs, to);
    fclose (to);
    program_does ("list", "printf '" NODES "'\ncat there jobs 2>/dev/null\necho end\n");
    program_does ("reserve", "echo reservation $2 $3 $4 $5 $6 >there\necho end\n");
    program_does ("move", "echo reservation $2 $3 $4 $5 $6 >there\necho end\n");
    program_does ("remove", "rm there\necho end\n");
    program_does ("end", "grep -v \"^job $2 \" jobs >left\nmv left jobs\necho end\n");
}

static void a_reservation_is_made_mended_and_removed (void **state)
{
    (void) state;
    static const char *const nodes [] = {"n1", "n2"}, *const one [] = {"n2"};
    back_end_order_t order = order_of (nodes, 2);
    char why [WHY_BYTES] = "";
    system_of_files ("");
    assert_called ("");
    assert_true (commands.keep (&setup, BACK_END_PREPARE, &order, why));
    assert_called ("reserve q " OURS " nobody 1795428000 1795431600 n1,n2\n");
    assert_true (commands.keep (&setup, BACK_END_WATCH, &order, why));
    assert_called ("");
    order.account = "daemon";
    assert_false (commands.keep (&setup, BACK_END_WATCH, &order, why));
    assert_string_equal (why, "reservation " OURS
                              " has another account than its owner's; it was made again");
    assert_called ("move q " OURS " daemon 1795428000 1795431600 n1,n2\n");
    system_of_files ("job 1 x " OURS " 1 2 n1\njob 2 x " OURS " 1 2 n2\njob 3 x - 1 2 n1\n");
    order = order_of (one, 1);
    assert_true (commands.keep (&setup, BACK_END_PREPARE, &order, why));
    assert_called ("end q 1 end\nmove q " OURS " nobody 1795428000 1795431600 n2\n");
    system_of_files ("job 2 x " OURS " 1 2 n2\njob 3 x - 1 2 n1\n");
    assert_true (commands.close (&setup, &order, why));
    assert_called ("end q 2 end\nremove q " OURS "\n");
    assert_true (commands.close (&setup, &order, why));
    assert_called ("");
}

static void others_make_way_at_its_opening_alone (void **state)
{
    (void) state;
    static const char *const nodes [] = {"n1"};
    back_end_order_t order = order_of (nodes, 1);
    char why [WHY_BYTES] = "";
    system_of_files ("job 3 x - 1 2 n1\njob 4 x - 1 2 n2\n");
    assert_true (commands.keep (&setup, BACK_END_PREPARE, &order, why));
    assert_called ("reserve q " OURS " nobody 1795428000 1795431600 n1\n");
    assert_false (commands.keep (&setup, BACK_END_OPEN, &order, why));
    assert_string_equal (why, "job 3 of others still runs there");
    assert_called ("");
    order.clear = CLEAR_END;
    assert_true (commands.keep (&setup, BACK_END_OPEN, &order, why));
    assert_called ("end q 3 clear\n");
    assert_true (commands.close (&setup, &order, why));
    assert_called ("remove q " OURS "\n");
}

static void a_program_that_lies_has_done_nothing (void **state)
{
    (void) state;
    static const char *const nodes [] = {"n1"};
    back_end_order_t order = order_of (nodes, 1);
    char why [WHY_BYTES] = "";
    system_of_files ("");
    program_says ("reserve", "end\n"); /* and does nothing */
    assert_false (commands.keep (&setup, BACK_END_PREPARE, &order, why));
    assert_string_equal (why, "reservation " OURS " is not there");
    program_says ("reserve", "refused n1 is taken\n");
    assert_false (commands.keep (&setup, BACK_END_PREPARE, &order, why));
    assert_string_equal (why, "reserve: n1 is taken");
    program_does ("reserve", "echo reservation $2 $3 $4 $5 $6 >there\n"); /* and breaks off */
    assert_false (commands.keep (&setup, BACK_END_PREPARE, &order, why));
    assert_non_null (strstr (why, "reserve: its answer was cut short"));
    assert_called ("reserve q " OURS " nobody 1795428000 1795431600 n1\n"
                   "reserve q " OURS " nobody 1795428000 1795431600 n1\n"
                   "reserve q " OURS " nobody 1795428000 1795431600 n1\n");
    assert_true (commands.keep (&setup, BACK_END_PREPARE, &order, why)); /* it is there */
    program_says ("remove", "end\n");
    assert_false (commands.close (&setup, &order, why));
    assert_string_equal (why, "reservation " OURS " is still there");
    program_says ("list", NODES "");
    assert_false (commands.close (&setup, &order, why)); /* not: nothing is there */
    assert_called ("remove q " OURS "\n");
}

static char *file_text (const char *name)
{
    text_auto_t *path = must_print ("%s/%s", folder, name);
    char *text = must (calloc (1, 1024));
    FILE *from = fopen (path, "r");
    if (from && fread (text, 1, 1023, from) == 0)
        *text = '\0';
    if (from)
        fclose (from);
    return text;
}

/*  So many programs are well, and the next one fails: before it does anything, or when it has done
 *  it. */
static void cut_after (int well, bool done)
{
    text_auto_t *cut = must_print ("%s/cut", folder);
    text_auto_t *left = must_print ("%s/left_well", folder);
    FILE *to = must (fopen (cut, "w"));
    fprintf (
      to,
      "fails () { n=$(cat left_well); echo $((n - 1)) >left_well; [ $n != 0 ] || exit 1; }\n%s\n",
      done ? "trap fails EXIT" : "fails");
    fclose (to);
    to = must (fopen (left, "w"));
    fprintf (to, "%d\n", well);
    fclose (to);
}

static void uncut (void)
{
    text_auto_t *cut = must_print ("%s/cut", folder);
    unlink (cut);
}

/*  A reservation that moves from n1 to n2, with jobs on both, and then ends. */
static void what_is_cut_anywhere_is_equal_when_it_is_done_again (void **state)
{
    (void) state;
    static const char *const before [] = {"n1"}, *const after [] = {"n2"};
    back_end_order_t order = order_of (before, 1), moved = order_of (after, 1);
    char why [WHY_BYTES] = "";
    size_t cuts = 0;
    order.clear = moved.clear = CLEAR_END;
    for (int well = 0; well < 12; well++)
        for (int done = 0; done < 2; done++) {
            system_of_files ("job 1 x " OURS " 1 2 n1\njob 2 x - 1 2 n2\njob 3 x - 1 2 n1\n");
            assert_true (commands.keep (&setup, BACK_END_PREPARE, &order, why));
            cut_after (well, done);
            bool whole = commands.keep (&setup, BACK_END_OPEN, &moved, why);
            cuts += !whole;
            uncut ();
            assert_true (commands.keep (&setup, BACK_END_OPEN, &moved, why));
            text_auto_t *there = file_text ("there"), *jobs = file_text ("jobs");
            assert_string_equal (there, "reservation " OURS " nobody 1795428000 1795431600 n2\n");
            assert_string_equal (jobs, "job 3 x - 1 2 n1\n");
            cut_after (well, done);
            cuts += !commands.close (&setup, &moved, why);
            uncut ();
            assert_true (commands.close (&setup, &moved, why));
            text_auto_t *none = file_text ("there");
            assert_string_equal (none, "");
        }
    assert_true (cuts >= 20);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (lists_are_read_as_they_are_meant),
      cmocka_unit_test (states_and_deeds_are_read_as_they_are_meant),
      cmocka_unit_test (what_is_not_as_it_should_be_is_refused_by_line_and_field),
      cmocka_unit_test (an_answer_that_is_cut_anywhere_is_never_read),
      cmocka_unit_test (lines_and_their_number_are_bounded),
      cmocka_unit_test (programs_that_others_may_write_are_not_run),
      cmocka_unit_test (the_picture_tells_what_others_have),
      cmocka_unit_test (a_run_that_is_not_told_is_not_known_to_be_gone),
      cmocka_unit_test (a_reservation_is_made_mended_and_removed),
      cmocka_unit_test (others_make_way_at_its_opening_alone),
      cmocka_unit_test (a_program_that_lies_has_done_nothing),
      cmocka_unit_test (what_is_cut_anywhere_is_equal_when_it_is_done_again),
    };
    return cmocka_run_group_tests (tests, folder_make, folder_end);
}
