/*  test_gridengine_read - what Grid Engine 8.1.9 writes is read as it is meant, wherever its lines
 *  end; odd and cut texts are refused, and till then say less but never what is not there. What it
 *  is told of a job is what the site means, and it is given the time that it needs.
 */
#include "gridengine_queue.h"

#include "must.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static const char jobs_text [] =
  "<?xml version='1.0'?>\n"
  "<job_info  xmlns:xsd=\"http://arc.liv.ac.uk/repos/darcs/sge/qstat.xsd\">\n"
  "  <queue_info>\n"
  "    <job_list state=\"running\">\n"
  "      <JB_job_number>2</JB_job_number>\n"
  "      <JAT_prio>0.50000</JAT_prio>\n"
  "      <JB_name>musubi-ams-1.0.1</JB_name>\n"
  "      <JB_owner>nobody</JB_owner>\n"
  "      <state>dr</state>\n"
  "      <JAT_start_time>2026-11-23T22:58:12</JAT_start_time>\n"
  "      <queue_name>musubi-ams-7dc2-1-1@g2</queue_name>\n"
  "      <slots>1</slots>\n"
  "      <full_job_name>musubi-ams-1.0.1</full_job_name>\n"
  "      <hard_request name=\"h_rt\" resource_contribution=\"0.000000\">300</hard_request>\n"
  "      <hard_request name=\"musubi\" resource_contribution=\"0.000000\">musubi-ams-7dc2-1-1"
  "</hard_request>\n"
  "      <hard_req_queue>musubi-ams-7dc2-1-1</hard_req_queue>\n"
  "      <binding>NONE</binding>\n"
  "    </job_list>\n"
  "  </queue_info>\n"
  "  <job_info>\n"
  "    <job_list state=\"pending\">\n"
  "      <JB_job_number>31</JB_job_number>\n"
  "      <state>qw</state>\n"
  "      <JB_submission_time>2026-11-23T22:58:00</JB_submission_time>\n"
  "      <queue_name></queue_name>\n"
  "      <slots>1</slots>\n"
  "      <tasks>3</tasks>\n"
  "      <full_job_name>array</full_job_name>\n"
  "    </job_list>\n"
  "    <job_list state=\"pending\">\n"
  "      <JB_job_number>32</JB_job_number>\n"
  "      <state>hqw</state>\n"
  "      <tasks>1-9:2</tasks>\n"
  "    </job_list>\n"
  "  </job_info>\n"
  "</job_info>\n";

static const char instances_text [] = "<job_info>\n"
                                      "  <queue_info>\n"
                                      "    <Queue-List>\n"
                                      "      <name>batch@g1</name>\n"
                                      "      <qtype>BIP</qtype>\n"
                                      "      <slots_used>1</slots_used>\n"
                                      "      <slots_resv>0</slots_resv>\n"
                                      "      <slots_total>2</slots_total>\n"
                                      "      <arch>lx-amd64</arch>\n"
                                      "      <job_list state=\"running\">\n"
                                      "        <JB_job_number>7</JB_job_number>\n"
                                      "        <state>r</state>\n"
                                      "        <name>no@instance</name>\n"
                                      "      </job_list>\n"
                                      "    </Queue-List>\n"
                                      "    <Queue-List>\n"
                                      "      <name>spare@g2.example.org</name>\n"
                                      "      <slots_total>16</slots_total>\n"
                                      "      <state>du</state>\n"
                                      "    </Queue-List>\n"
                                      "    <Queue-List>\n"
                                      "      <name>without-a-host</name>\n"
                                      "    </Queue-List>\n"
                                      "  </queue_info>\n"
                                      "</job_info>\n";

/*  As "qstat -F calendar -explain aAcE -xml" has written them. */
static const char explained_text [] =
  "<?xml version='1.0'?>\n"
  "<job_info  xmlns:xsd=\"http://arc.liv.ac.uk/repos/darcs/sge/qstat.xsd\">\n"
  "  <queue_info>\n"
  "    <Queue-List>\n"
  "      <name>batch@g1</name>\n"
  "      <qtype>BIP</qtype>\n"
  "      <slots_used>0</slots_used>\n"
  "      <slots_resv>0</slots_resv>\n"
  "      <slots_total>2</slots_total>\n"
  "      <load_avg>3.82275</load_avg>\n"
  "      <arch>lx-amd64</arch>\n"
  "      <state>E</state>\n"
  "      <message>queue batch marked QERROR as result of job 5&apos;s failure at host "
  "g1</message>\n"
  "      <resource name=\"calendar\" type=\"qf\">NONE</resource>\n"
  "    </Queue-List>\n"
  "    <Queue-List>\n"
  "      <name>batch@g2</name>\n"
  "      <slots_used>0</slots_used>\n"
  "      <slots_total>2</slots_total>\n"
  "      <state>aAC</state>\n"
  "      <load-alarm-reason>alarm hl:np_load_avg=1.936524 load-threshold=0.01"
  "</load-alarm-reason>\n"
  "      <suspend-alarm-reason>alarm hl:np_load_avg=1.936524 suspend-threshold=0.01"
  "</suspend-alarm-reason>\n"
  "      <resource name=\"calendar\" type=\"qf\">state</resource>\n"
  "    </Queue-List>\n"
  "    <Queue-List>\n"
  "      <name>batch@g3</name>\n"
  "      <slots_used>0</slots_used>\n"
  "      <slots_total>2</slots_total>\n"
  "      <state>ds</state>\n"
  "      <resource name=\"calendar\" type=\"qf\">night</resource>\n"
  "    </Queue-List>\n"
  "  </queue_info>\n"
  "  <job_info>\n"
  "  </job_info>\n"
  "</job_info>\n";

/*  As qrstat has written them: the first one's name and the second one's account are not quoted. */
static const char advances_text [] =
  "<?xml version='1.0'?>\n"
  "<qrstat xmlns:xsd=\"http://arc.liv.ac.uk/repos/darcs/sge/qrstat.xsd\">\n"
  "   <ar_summary>\n"
  "      <id>1</id>\n"
  "      <name>ar<&x</name>\n"
  "      <owner>root</owner>\n"
  "      <state>w</state>\n"
  "      <start_time>2026-11-29T16:04:00</start_time>\n"
  "      <end_time>2026-11-29T16:05:40</end_time>\n"
  "      <duration>00:01:40</duration>\n"
  "      <account>sge</account>\n"
  "      <resource_list>\n"
  "         <resource name=\"h_rt\" type=\"50\"/>\n"
  "      </resource_list>\n"
  "      <granted_slots_list>\n"
  "         <granted_slots  queue_instance=\"batch@g1\" slots=\"2\"/>\n"
  "         <granted_slots  queue_instance=\"batch@g2\" slots=\"2\"/>\n"
  "      </granted_slots_list>\n"
  "   </ar_summary>\n"
  "   <ar_summary>\n"
  "      <id>2</id>\n"
  "      <name>ok</name>\n"
  "      <account>a<b&c</account>\n"
  "   </ar_summary>\n"
  "</qrstat>\n";

typedef struct {
    bool good;
    size_t count;
    char text [4096];
    char why [WHY_BYTES];
} read_t;

static void tell (read_t *self, const char *line)
{
    self->count++;
    size_t size = strlen (self->text);
    snprintf (self->text + size, sizeof self->text - size, "%s\n", line);
}

static void tell_job (void *owner, const grid_job_t *job)
{
    char line [1024];
    snprintf (line, sizeof line, "%s %s [%s] at [%s] for [%s] %lld+%lld", job->id, job->name,
              job->state, job->instance, job->queue, (long long) job->started_ms,
              (long long) job->limit_ms);
    tell (owner, line);
}

static void tell_instance (void *owner, const grid_instance_t *instance)
{
    char line [1024];
    snprintf (line, sizeof line, "%s on %s [%s] %u/%u%s%s %s", instance->name, instance->host,
              instance->state, instance->used, instance->total, *instance->calendar ? " by " : "",
              instance->calendar, instance->said);
    tell (owner, line);
}

static void tell_advance (void *owner, const grid_advance_t *advance)
{
    char line [1024];
    char *instances = name_list_text (advance->instances, ',');
    snprintf (line, sizeof line, "%s %s of %s on [%s] %lld..%lld", advance->id, advance->name,
              advance->owner, instances, (long long) advance->from_ms,
              (long long) advance->until_ms);
    tell (owner, line);
    free (instances);
}

/*  A heap copy of just this size, so that a read or a write behind it is seen. */
static read_t read_jobs (const char *text, size_t size)
{
    read_t read = {0};
    char *copy = must (strndup (text, size));
    read.good = grid_jobs_read (copy, tell_job, &read, read.why);
    free (copy);
    return read;
}

static read_t read_instances (const char *text, size_t size)
{
    read_t read = {0};
    char *copy = must (strndup (text, size));
    read.good = grid_instances_read (copy, tell_instance, &read, read.why);
    free (copy);
    return read;
}

static read_t read_advances (const char *text, size_t size)
{
    read_t read = {0};
    char *copy = must (strndup (text, size));
    read.good = grid_advances_read (copy, tell_advance, &read, read.why);
    free (copy);
    return read;
}

typedef read_t read_fn (const char *text, size_t size);
static const struct {
    const char *text;
    read_fn *read;
} all [] = {{jobs_text, read_jobs},
            {instances_text, read_instances},
            {explained_text, read_instances},
            {advances_text, read_advances}};
#define ALL (sizeof all / sizeof *all)

static void jobs_are_read (void **unused)
{
    (void) unused;
    /* 2026-11-23T22:58:12Z is 1795474692 s; times are those of a host in UTC */
    assert_string_equal (read_jobs (jobs_text, sizeof jobs_text).text,
                         "2 musubi-ams-1.0.1 [dr] at [musubi-ams-7dc2-1-1@g2] for "
                         "[musubi-ams-7dc2-1-1] 1795474692000+300000\n"
                         "31.3 array [qw] at [] for [] 0+0\n"
                         "32  [hqw] at [] for [] 0+0\n");
}

static void instances_are_read_without_their_jobs (void **unused)
{
    (void) unused;
    assert_string_equal (read_instances (instances_text, sizeof instances_text).text,
                         "batch@g1 on g1 [] 1/2 \n"
                         "spare@g2.example.org on g2.example.org [du] 0/16 \n");
}

static void instances_are_read_with_what_explains_them (void **unused)
{
    (void) unused;
    assert_string_equal (read_instances (explained_text, sizeof explained_text).text,
                         "batch@g1 on g1 [E] 0/2 by NONE queue batch marked QERROR as result of "
                         "job 5's failure at host g1\n"
                         "batch@g2 on g2 [aAC] 0/2 by state alarm hl:np_load_avg=1.936524 "
                         "load-threshold=0.01\n"
                         "batch@g3 on g3 [ds] 0/2 by night \n");
}

static void a_state_is_told_in_words (void **unused)
{
    (void) unused;
    static const char *const rows [][3] = {
      {"d", "", "Grid Engine says d: disabled"},
      {"dS", "", "Grid Engine says dS: disabled, suspended for another queue"},
      {"E", "job 5 failed", "Grid Engine says E: job 5 failed"},
      {"dE", "job 5 failed", "Grid Engine says dE: disabled: job 5 failed"},
      {"?", "", "Grid Engine says ?"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char why [WHY_BYTES];
        grid_state_tell (&(grid_instance_t){.state = rows [i][0], .said = rows [i][1]}, why);
        assert_string_equal (why, rows [i][2]);
    }
}

static void advance_reservations_are_read_whatever_their_names (void **unused)
{
    (void) unused;
    assert_string_equal (read_advances (advances_text, sizeof advances_text).text,
                         "1 ar  x of root on [batch@g1,batch@g2] "
                         "1795968240000..1795968340000\n"
                         "2 ok of  on [] 0..0\n");
}

/*  As a printer may write it: all on one line, or each element on three. */
static void lines_end_where_they_may (void **unused)
{
    (void) unused;
    char one [8192], many [8192];
    for (size_t i = 0; i < ALL; i++) {
        size_t ones = 0, manys = 0;
        const char *text = all [i].text;
        for (size_t k = 0; text [k]; k++) {
            bool end = text [k] == '\n', closes = text [k] == '<' && text [k + 1] == '/';
            if (!end && !(text [k] == ' ' && text [k + 1] == ' '))
                one [ones++] = text [k];
            if (closes)
                manys += (size_t) sprintf (many + manys, "\n   ");
            many [manys++] = text [k];
            if (text [k] == '>' && strchr ("><", text [k + 1]) == NULL)
                manys += (size_t) sprintf (many + manys, "\r\n\t ");
        }
        read_t right = all [i].read (text, strlen (text));
        read_t short_read = all [i].read (one, ones), long_read = all [i].read (many, manys);
        assert_true (right.good && right.count > 0);
        assert_true (short_read.good);
        assert_string_equal (short_read.text, right.text);
        assert_true (long_read.good);
        assert_string_equal (long_read.text, right.text);
    }
}

static void a_cut_text_is_refused (void **unused)
{
    (void) unused;
    for (size_t i = 0; i < ALL; i++) {
        read_t right = all [i].read (all [i].text, strlen (all [i].text));
        for (size_t size = 0; size + 2 < strlen (all [i].text); size++) {
            read_t cut = all [i].read (all [i].text, size);
            assert_false (cut.good);
            assert_non_null (strstr (cut.why, "can't be read"));
            assert_memory_equal (cut.text, right.text, strlen (cut.text));
        }
    }
}

static void odd_texts_are_refused (void **unused)
{
    (void) unused;
    static const char *const odd [] = {
      "",           "\n\n",      "error: commlib error: got select error (Connection refused)\n",
      "</job_list", "<job_list", "<state>r</state>\n<JB_job_number>5</JB_job_number>\n"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        for (size_t k = 0; k < ALL; k++) {
            read_t read = all [k].read (odd [i], strlen (odd [i]));
            assert_false (read.good);
            assert_int_equal (read.count, 0);
        }
    const char *mixed =
      "<job_list><JB_job_number>123456789012345678901</JB_job_number><state><r/></state>"
      "<JAT_start_time>soon</JAT_start_time><hard_req_queue>batch@g1</hard_req_queue>"
      "<hard_req_queue>spare</hard_req_queue><soft_request name=\"h_rt\">7</soft_request>"
      "</job_list>";
    assert_string_equal (read_jobs (mixed, strlen (mixed)).text,
                         "123456789012345  [] at [] for [spare] 0+0\n");
}

/*  A word that does not fit is cut, and the next one is whole. */
static void a_long_word_is_cut (void **unused)
{
    (void) unused;
    char text [4 * GRID_WORD_BYTES], word [2 * GRID_WORD_BYTES] = {0};
    memset (word, 'n', sizeof word - 1);
    snprintf (text, sizeof text,
              "<x><Queue-List><name>batch@g1</name><state>%s</state><slots_used>7</slots_used>"
              "</Queue-List></x>",
              word);
    read_t read = read_instances (text, strlen (text));
    word [GRID_WORD_BYTES - 1] = '\0';
    assert_true (read.good);
    assert_int_equal (strlen (strchr (read.text, '[')), strlen ("[] 7/0 \n") + strlen (word));
}

static void a_state_is_one_of_ours (void **unused)
{
    (void) unused;
    static const struct {
        const char *said;
        batch_job_state_t state;
    } rows [] = {{"qw", BATCH_JOB_QUEUED},   {"hqw", BATCH_JOB_QUEUED},  {"Rq", BATCH_JOB_QUEUED},
                 {"r", BATCH_JOB_RUNNING},   {"t", BATCH_JOB_RUNNING},   {"dr", BATCH_JOB_RUNNING},
                 {"Rr", BATCH_JOB_RUNNING},  {"s", BATCH_JOB_SUSPENDED}, {"S", BATCH_JOB_SUSPENDED},
                 {"T", BATCH_JOB_SUSPENDED}, {"Eqw", BATCH_JOB_LOST}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal (grid_job_state (rows [i].said), rows [i].state);
}

static void an_instance_is_of_its_queue_only (void **unused)
{
    (void) unused;
    assert_true (grid_of_queue ("batch@g1", "batch"));
    assert_false (grid_of_queue ("batch2@g1", "batch"));
    assert_false (grid_of_queue ("batch", "batch"));
    assert_false (grid_of_queue ("bat", "batch"));
    assert_false (grid_of_queue ("", "batch"));
}

static void a_configuration_is_unfolded_and_changed (void **unused)
{
    (void) unused;
    char text [] = "qname                 batch\n"
                   "hostlist              g1, \\\n"
                   "                      g2\n"
                   "pe_list               a \\\n"
                   "                      b\n"
                   "qname_of_no_key       x\n"
                   "slots                 2";
    grid_unfold (text);
    char *hosts = grid_value (text, "hostlist"), *slots = grid_value (text, "slots");
    char *no = grid_value (text, "host"), *changed = grid_value_set (text, "hostlist", "NONE");
    assert_string_equal (hosts, "g1,g2");
    assert_string_equal (slots, "2");
    assert_null (no);
    assert_string_equal (changed, "qname                 batch\n"
                                  "hostlist              NONE\n"
                                  "pe_list               a b\n"
                                  "qname_of_no_key       x\n"
                                  "slots                 2");
    char *more = grid_value_set ("qname a\n", "slots", "3"), cut [] = "entries a,\\\n   ";
    assert_string_equal (more, "qname a\nslots                 3\n");
    grid_unfold (cut);
    assert_string_equal (cut, "entries a,");
    free (hosts);
    free (slots);
    free (changed);
    free (more);
}

/*  Stands for the one that runs the command, which takes so long. */
static int64_t submit_takes_ms;
static int64_t submit_limit_ms; /* what it was given */
static int64_t test_now_ms;

int __wrap_clock_gettime (clockid_t clock, struct timespec *time);

int __wrap_clock_gettime (clockid_t clock, struct timespec *time)
{
    (void) clock;
    *time = (struct timespec){test_now_ms / 1000, test_now_ms % 1000 * 1000000};
    return 0;
}

static const char *submit_refused; /* what it says */
static char submitted [32][256];
static size_t submitted_count;

command_told_t __wrap_batch_run_submit (const batch_setup_t *setup, const batch_job_t *job,
                                        const char *const *arguments, const char *later,
                                        char why [WHY_BYTES]);

command_told_t __wrap_batch_run_submit (const batch_setup_t *setup, const batch_job_t *job,
                                        const char *const *arguments, const char *later,
                                        char why [WHY_BYTES])
{
    (void) job, (void) later;
    submitted_count = 0;
    if (submit_refused) {
        wrong (why, "%s", submit_refused);
        return COMMAND_REFUSED;
    }
    submit_limit_ms = setup->limit_ms;
    bool late = submit_takes_ms > setup->limit_ms;
    test_now_ms += late ? setup->limit_ms : submit_takes_ms;
    for (size_t i = 0; arguments [i] && i < sizeof submitted / sizeof *submitted; i++)
        snprintf (submitted [submitted_count++], sizeof *submitted, "%s", arguments [i]);
    return late ? COMMAND_SILENT : COMMAND_DONE;
}

static const batch_setup_t setup = {.site = "ams", .queue = "batch", .limit_ms = 10000};
static const batch_job_t job = {.name = "musubi-ams-1.0.1",
                                .account = "nobody",
                                .charged = "",
                                .qos = "",
                                .reservation = "",
                                .held = "",
                                .cpus = 1,
                                .limit_ms = 1500,
                                .script = "echo '\n#$ -A other\n'\n",
                                .folder = "/tmp",
                                .output = "/tmp/out",
                                .errors = ""};

/*  A line "#$ -A other" of a script would be an option of qsub. */
static void no_line_of_a_script_is_an_option (void **state)
{
    (void) state;
    char why [WHY_BYTES];
    const char *prefix = NULL;
    assert_int_equal (grid_submit (&setup, &job, why), COMMAND_DONE);
    assert_string_equal (submitted [0], "qsub");
    for (size_t i = 0; i + 1 < submitted_count; i++)
        if (strcmp (submitted [i], "-C") == 0)
            prefix = submitted [i + 1];
    assert_non_null (prefix);
    assert_string_equal (prefix, "");
}

/*  The words are qsub's. */
static void a_task_waits_for_a_queue_that_is_gone (void **state)
{
    (void) state;
    char why [WHY_BYTES];
    submit_refused =
      "Unable to run job: Job was rejected because job requests unknown queue \"batch\"";
    assert_int_equal (grid_submit (&setup, &job, why), COMMAND_SILENT);
    submit_refused = "Unable to run job: error: no suitable queues";
    assert_int_equal (grid_submit (&setup, &job, why), COMMAND_REFUSED);
    submit_refused = NULL;
}

/*  Under load one that needs 45 s gets through with the fourth try; later ones are given no more
 *  than they need. */
static void a_submission_that_was_too_late_is_given_longer (void **state)
{
    (void) state;
    char why [WHY_BYTES];
    static const int64_t given [] = {10000, 20000, 40000, 55000};
    submit_takes_ms = 45000;
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        bool last = i + 1 == sizeof given / sizeof *given;
        assert_int_equal (grid_submit (&setup, &job, why), last ? COMMAND_DONE : COMMAND_SILENT);
        assert_int_equal (submit_limit_ms, given [i]);
    }
    submit_takes_ms = 100;
    assert_int_equal (grid_submit (&setup, &job, why), COMMAND_DONE);
    assert_int_equal (submit_limit_ms, 55000);
    assert_int_equal (grid_submit (&setup, &job, why), COMMAND_DONE);
    assert_int_equal (submit_limit_ms, 10000);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (jobs_are_read),
      cmocka_unit_test (instances_are_read_without_their_jobs),
      cmocka_unit_test (instances_are_read_with_what_explains_them),
      cmocka_unit_test (a_state_is_told_in_words),
      cmocka_unit_test (advance_reservations_are_read_whatever_their_names),
      cmocka_unit_test (lines_end_where_they_may),
      cmocka_unit_test (a_cut_text_is_refused),
      cmocka_unit_test (odd_texts_are_refused),
      cmocka_unit_test (a_long_word_is_cut),
      cmocka_unit_test (a_state_is_one_of_ours),
      cmocka_unit_test (an_instance_is_of_its_queue_only),
      cmocka_unit_test (a_configuration_is_unfolded_and_changed),
      cmocka_unit_test (no_line_of_a_script_is_an_option),
      cmocka_unit_test (a_task_waits_for_a_queue_that_is_gone),
      cmocka_unit_test (a_submission_that_was_too_late_is_given_longer),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
