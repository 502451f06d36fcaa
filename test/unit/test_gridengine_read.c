/*  test_gridengine_read - what Grid Engine 8.1.9 writes is read as it is meant; odd and cut texts, and
 *  each prefix of a good one, say less but never what is not there. What it is told of a job is what
 *  the site means.
 */
#include "gridengine_queue.h"

#include "must.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

typedef struct {
    size_t count;
    char text [1024];
} read_t;

static void tell (read_t *self, const char *line)
{
    self->count++;
    size_t size = strlen (self->text);
    snprintf (self->text + size, sizeof self->text - size, "%s\n", line);
}

static void tell_job (void *owner, const grid_job_t *job)
{
    char line [256];
    snprintf (line, sizeof line, "%s %s [%s] at [%s] for [%s] %lld+%lld", job->id, job->name,
              job->state, job->instance, job->queue, (long long) job->started_ms,
              (long long) job->limit_ms);
    tell (owner, line);
}

static void tell_instance (void *owner, const grid_instance_t *instance)
{
    char line [256];
    snprintf (line, sizeof line, "%s on %s [%s] %u/%u", instance->name, instance->host,
              instance->state, instance->used, instance->total);
    tell (owner, line);
}

/*  A heap copy of just this size, so that a read or a write behind it is seen. */
static read_t read_jobs (const char *text, size_t size)
{
    read_t read = {0};
    char *copy = must (strndup (text, size));
    grid_jobs_read (copy, tell_job, &read);
    free (copy);
    return read;
}

static read_t read_instances (const char *text, size_t size)
{
    read_t read = {0};
    char *copy = must (strndup (text, size));
    grid_instances_read (copy, tell_instance, &read);
    free (copy);
    return read;
}

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
                         "batch@g1 on g1 [] 1/2\n"
                         "spare@g2.example.org on g2.example.org [du] 0/16\n");
}

static void a_cut_text_tells_what_was_whole (void **unused)
{
    (void) unused;
    read_t all = read_jobs (jobs_text, sizeof jobs_text);
    for (size_t size = 0; size < sizeof jobs_text; size++) {
        read_t cut = read_jobs (jobs_text, size);
        assert_memory_equal (cut.text, all.text, strlen (cut.text));
    }
    all = read_instances (instances_text, sizeof instances_text);
    for (size_t size = 0; size < sizeof instances_text; size++) {
        read_t cut = read_instances (instances_text, size);
        assert_memory_equal (cut.text, all.text, strlen (cut.text));
    }
}

static void odd_texts_tell_nothing_or_little (void **unused)
{
    (void) unused;
    static const char *const odd [] = {
      "",           "\n\n",      "error: commlib error: got select error (Connection refused)\n",
      "</job_list", "<job_list", "<state>r</state>\n<JB_job_number>5</JB_job_number>\n"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        assert_int_equal (read_jobs (odd [i], strlen (odd [i])).count, 0);
        assert_int_equal (read_instances (odd [i], strlen (odd [i])).count, 0);
    }
    const char *mixed = "<job_list>\n<JB_job_number\n<state\n<JB_job_number>123456789012345678901"
                        "</JB_job_number>\n<JAT_start_time>soon</JAT_start_time>\n</job_list>\n";
    assert_string_equal (read_jobs (mixed, strlen (mixed)).text,
                         "123456789012345  [] at [] for [] 0+0\n");
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

static void elements_and_attributes_are_found_whole (void **unused)
{
    (void) unused;
    char line [] = "  <granted_slots queue_instance=\"batch@g1\" slots=\"2\"/>";
    char cut [] = " queue_instance=\"batch@g", of_other [] = "<state_long>r</state_long>";
    assert_string_equal (grid_attribute (line, "queue_instance"), "batch@g1");
    assert_null (grid_attribute (line, "no"));
    assert_string_equal (grid_attribute (cut, "queue_instance"), "batch@g");
    assert_null (grid_element (of_other, "state"));
}

static void a_configuration_is_unfolded_and_changed (void **unused)
{
    (void) unused;
    char text [] = "qname                 batch\n"
                   "hostlist              g1, \\\n"
                   "                      g2\n"
                   "qname_of_no_key       x\n"
                   "slots                 2";
    grid_unfold (text);
    char *hosts = grid_value (text, "hostlist"), *slots = grid_value (text, "slots");
    char *no = grid_value (text, "host"), *changed = grid_value_set (text, "hostlist", "NONE");
    assert_string_equal (hosts, "g1, g2");
    assert_string_equal (slots, "2");
    assert_null (no);
    assert_string_equal (changed, "qname                 batch\n"
                                  "hostlist              NONE\n"
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

/*  Stands for the one that runs the command. */
static char submitted [32][256];
static size_t submitted_count;

command_told_t __wrap_batch_run_submit (const batch_setup_t *setup, const batch_job_t *job,
                                        const char *const *arguments, const char *later,
                                        char why [WHY_BYTES]);

command_told_t __wrap_batch_run_submit (const batch_setup_t *setup, const batch_job_t *job,
                                        const char *const *arguments, const char *later,
                                        char why [WHY_BYTES])
{
    (void) setup, (void) job, (void) later, (void) why;
    submitted_count = 0;
    for (size_t i = 0; arguments [i] && i < sizeof submitted / sizeof *submitted; i++)
        snprintf (submitted [submitted_count++], sizeof *submitted, "%s", arguments [i]);
    return COMMAND_DONE;
}

/*  A line "#$ -A other" of a script would be an option of qsub. */
static void no_line_of_a_script_is_an_option (void **state)
{
    (void) state;
    char why [WHY_BYTES];
    const char *prefix = NULL;
    batch_setup_t setup = {.site = "ams", .queue = "batch", .limit_ms = 10000};
    batch_job_t job = {.name = "musubi-ams-1.0.1",
                       .account = "nobody",
                       .reservation = "",
                       .held = "",
                       .cpus = 1,
                       .limit_ms = 1500,
                       .script = "echo '\n#$ -A other\n'\n",
                       .folder = "/tmp",
                       .output = "/tmp/out",
                       .errors = ""};
    assert_int_equal (grid_submit (&setup, &job, why), COMMAND_DONE);
    assert_string_equal (submitted [0], "qsub");
    for (size_t i = 0; i + 1 < submitted_count; i++)
        if (strcmp (submitted [i], "-C") == 0)
            prefix = submitted [i + 1];
    assert_non_null (prefix);
    assert_string_equal (prefix, "");
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (jobs_are_read),
      cmocka_unit_test (instances_are_read_without_their_jobs),
      cmocka_unit_test (a_cut_text_tells_what_was_whole),
      cmocka_unit_test (odd_texts_tell_nothing_or_little),
      cmocka_unit_test (a_state_is_one_of_ours),
      cmocka_unit_test (an_instance_is_of_its_queue_only),
      cmocka_unit_test (elements_and_attributes_are_found_whole),
      cmocka_unit_test (a_configuration_is_unfolded_and_changed),
      cmocka_unit_test (no_line_of_a_script_is_an_option),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
