/*  test_balancer - the parts of a balancer by themselves: delivered work, flow times alone, what is
 *  read from members and from disk. `musubi-sim faults --balance` tries the whole balancer under
 *  faults.
 */
#include "balancer.h"
#include "balancer_config.h"
#include "balancer_wire.h"
#include "delivered_work.h"
#include "message.h"
#include "solo.h"

#include "balance.pb-c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool near (double a, double b)
{
    return a - b < 1e-9 && b - a < 1e-9;
}

/*  --- diligence --- */

/*  Steps of ten seconds, each with this much work done while tasks wait. */
static delivered_work_t watched (double cpus, double work_s, uint32_t steps)
{
    delivered_work_t watch = {.seen = false};
    queued_t bag = {.bag = 1, .waiting = 5, .task_s = 10};
    for (uint32_t i = 0; i <= steps; i++) {
        member_queue_t told = {
          .cpus = cpus, .done_s = i * work_s, .start = 1, .bags = &bag, .count = 1};
        delivered_work_see (&watch, &told, 10000 * (int64_t) i);
    }
    return watch;
}

static void who_does_less_than_half_of_its_cpus_is_short (void **state)
{
    (void) state;
    delivered_work_t honest = watched (4, 40, 6);
    delivered_work_t slow = watched (4, 20.1, 6);
    delivered_work_t liar = watched (40, 40, 6);
    delivered_work_t early = watched (40, 40, 5);
    assert_false (delivered_work_short (&honest, 6, 0.5));
    assert_false (delivered_work_short (&slow, 6, 0.5));
    assert_true (delivered_work_short (&liar, 6, 0.5));
    assert_false (delivered_work_short (&early, 6, 0.5));
    assert_false (delivered_work_short (&liar, 6, 0));
}

static void a_queue_that_drained_or_another_start_begins_anew (void **state)
{
    (void) state;
    queued_t bag = {.bag = 1, .waiting = 5, .task_s = 10};
    delivered_work_t watch = watched (40, 0, 5);
    member_queue_t empty = {.cpus = 40, .start = 1};
    delivered_work_see (&watch, &empty, 60000);
    assert_int_equal (watch.steps, 0);
    watch = watched (40, 0, 5);
    member_queue_t again = {.cpus = 40, .start = 2, .bags = &bag, .count = 1};
    assert_true (delivered_work_see (&watch, &again, 60000) == 0);
    assert_int_equal (watch.steps, 0);
}

/*  Tasks are longer than a step, so that they work although none has ended. */
static void what_runs_counts_as_far_as_it_has_come (void **state)
{
    (void) state;
    delivered_work_t watch = {.seen = false};
    double work_s = 0;
    for (int i = 0; i <= 3; i++) {
        queued_t bag = {
          .bag = 1, .running = 2, .waiting = 1, .task_s = 100, .running_s = 200 - 20 * i};
        member_queue_t told = {.cpus = 2, .start = 1, .bags = &bag, .count = 1};
        work_s += delivered_work_see (&watch, &told, 10000 * (int64_t) i);
    }
    assert_true (near (work_s, 60));
    assert_false (delivered_work_short (&watch, 3, 0.9));
}

/*  --- alone --- */

static void alone_jobs_wait_for_those_before (void **state)
{
    (void) state;
    solo_job_t jobs [] = {
      {.arrived_ms = 5000, .submitted_ms = 5000, .load_s = 40, .task_s = 2, .measured = true},
      {.arrived_ms = 1000, .submitted_ms = 1000, .load_s = 40, .task_s = 2, .measured = true},
    };
    /* two CPUs: the first on them from 1 to 21 s, its last task until 22; the other until 42 */
    assert_true (near (solo_flow (jobs, 2, 2, 1), (22.0 - 1) + (42.0 - 5)));
}

static void alone_one_task_takes_its_own_time_on_however_many_cpus (void **state)
{
    (void) state;
    solo_job_t jobs [] = {{.load_s = 10, .task_s = 10, .measured = true},
                          {.load_s = 80, .task_s = 10}};
    assert_true (near (solo_flow (jobs, 2, 100, 1), 10));
    assert_true (near (solo_flow (jobs, 2, 100, 0.5), 5));
    assert_true (solo_flow (jobs, 0, 1, 1) == 0);
}

/*  --- what is read --- */

static packed_t packed (const ProtobufCMessage *message)
{
    packed_t made;
    made.data = message_pack (message, &made.size);
    return made;
}

static bool state_reads (const Musubi__StateAnswer *answer)
{
    packed_t bytes = packed (&answer->base);
    member_queue_t told = {0};
    char why [WHY_BYTES] = "";
    bool more;
    bool good = state_decode (&told, &more, (bytes_t){bytes.data, bytes.size}, why);
    assert_true (good == (*why == '\0'));
    member_queue_clear (&told);
    free (bytes.data);
    return good;
}

static void a_members_nonsense_is_refused (void **state)
{
    (void) state;
    Musubi__QueuedBag bag = MUSUBI__QUEUED_BAG__INIT;
    Musubi__QueuedBag *list [] = {&bag};
    Musubi__StateAnswer answer = MUSUBI__STATE_ANSWER__INIT;
    bag.bag = bag.home_bag = 1;
    bag.home = (char *) "lis/ams";
    bag.waiting = 2;
    bag.task_load_s = 10;
    answer.cpus = 4;
    answer.n_bags = 1;
    answer.bags = list;
    assert_true (state_reads (&answer));
    answer.cpus = -1;
    assert_false (state_reads (&answer));
    answer.cpus = 0.0 / 0.0;
    assert_false (state_reads (&answer));
    answer.cpus = 1e300;
    assert_false (state_reads (&answer));
    answer.cpus = 4;
    answer.done_s = -1;
    assert_false (state_reads (&answer));
    answer.done_s = 0;
    bag.task_load_s = 0;
    assert_false (state_reads (&answer));
    bag.task_load_s = 1e300;
    assert_false (state_reads (&answer));
    bag.task_load_s = 10;
    bag.movable = 3;
    assert_false (state_reads (&answer));
    bag.movable = 0;
    bag.waiting = UINT32_MAX;
    bag.task_load_s = 1e12;
    assert_false (state_reads (&answer));
    bag.waiting = 2;
    bag.task_load_s = 10;
    bag.home = (char *) "";
    assert_false (state_reads (&answer));
    bag.home = (char *) "lis/ams";
    bag.home_bag = 0;
    assert_false (state_reads (&answer));
}

static void damaged_bytes_are_refused_or_read (void **state)
{
    (void) state;
    order_t order = {.round = 7, .number = 3, .bag = 9, .count = 2, .task_s = 1.5};
    char why [WHY_BYTES];
    uint8_t key [ORDER_KEY_BYTES];
    strcpy (order.from, "lis/ams");
    strcpy (order.to.name, "lis/osa");
    strcpy (order.to.endpoint, "tcp://127.0.0.1:1");
    order.to.store [0] = 1;
    packed_t bytes = codec_encode (&stored_order_codec, &order);
    bytes_t whole = order_key (&order, key);
    order_t read;
    assert_true (stored_order_decode (&read, whole, (bytes_t){bytes.data, bytes.size}, why));
    assert_int_equal (read.round, 7);
    assert_int_equal (read.number, 3);
    assert_int_equal (read.bag, 9);
    assert_string_equal (read.from, "lis/ams");
    assert_string_equal (read.to.name, "lis/osa");
    assert_false (
      stored_order_decode (&read, (bytes_t){key, 4}, (bytes_t){bytes.data, bytes.size}, why));
    for (size_t cut = 0; cut < bytes.size; cut++)
        for (int damaged = 0; damaged < 256; damaged += 17) {
            uint8_t *exact = malloc (cut + 1);
            assert_non_null (exact);
            memcpy (exact, bytes.data, cut + 1);
            exact [cut] = (uint8_t) (exact [cut] + damaged);
            stored_order_decode (&read, whole, (bytes_t){exact, cut + 1}, why);
            free (exact);
        }
    free (bytes.data);
}

static void what_is_kept_of_members_and_jobs_is_read_again (void **state)
{
    (void) state;
    char why [WHY_BYTES];
    member_kept_t kept = {.automatic = true, .level_s = 61.5, .declared_s = 60, .given_s = 7};
    member_kept_t read;
    strcpy (kept.site, "lis/ams");
    packed_t bytes = codec_encode (&stored_member_codec, &kept);
    bytes_t name = {(const uint8_t *) kept.site, strlen (kept.site)};
    assert_true (stored_member_decode (&read, name, (bytes_t){bytes.data, bytes.size}, why));
    assert_memory_equal (&read.level_s, &kept.level_s, sizeof read.level_s);
    assert_string_equal (read.site, "lis/ams");
    assert_string_equal (read.aside, "");
    free (bytes.data);
    job_t job = {.bag = 258, .kept = {.promised_ms = 5, .load_s = 2, .task_s = 1}};
    job_t again;
    uint8_t key [JOB_KEY_BYTES];
    strcpy (job.home, "lis/osa");
    strcpy (job.kept.broken, "lis/ams is set aside");
    bytes = codec_encode (&stored_job_codec, &job.kept);
    assert_true (
      stored_job_decode (&again, job_key (&job, key), (bytes_t){bytes.data, bytes.size}, why));
    assert_int_equal (again.bag, 258);
    assert_string_equal (again.home, "lis/osa");
    assert_string_equal (again.kept.broken, job.kept.broken);
    assert_int_equal (again.kept.promised_ms, 5);
    free (bytes.data);
}

/*  --- configuration --- */

static bool configures (const char *text, char why [LONG_WHY_BYTES])
{
    core_t core;
    static const setting_table_t *const tables [] = {&balancer_file_table};
    config_t *config = config_open_text ("green.zpl", text, strlen (text), NULL, 0, tables, 1, why);
    bool good = config && balancer_core_from_config (config, &core, why);
    if (good)
        core.destroy (core.self);
    config_destroy (&config);
    return good;
}

static void contradictions_are_refused_by_key (void **state)
{
    (void) state;
    char why [LONG_WHY_BYTES];
    assert_true (configures ("name = green\ngis = \"tcp://127.0.0.1:1\"\n", why));
    assert_false (configures ("name = green\n", why));
    assert_non_null (strstr (why, "gis"));
    assert_false (configures ("name = \"a b\"\ngis = \"tcp://127.0.0.1:1\"\n", why));
    assert_non_null (strstr (why, "name"));
    assert_false (configures ("name = green\ngis = \"tcp://127.0.0.1:1\"\nstep = 2h\n", why));
    assert_non_null (strstr (why, "coalition"));
    assert_false (configures ("name = green\ngis = \"tcp://127.0.0.1:1\"\nstep = 0s\n", why));
    assert_non_null (strstr (why, "step"));
    assert_false (
      configures ("name = green\ngis = \"tcp://127.0.0.1:1\"\nlimits\n    members_max = 1\n", why));
    assert_non_null (strstr (why, "members_max"));
    assert_true (configures (
      "name = green\ngis = \"tcp://127.0.0.1:1\"\nlimits\n    members_max = 256\n", why));
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (who_does_less_than_half_of_its_cpus_is_short),
      cmocka_unit_test (a_queue_that_drained_or_another_start_begins_anew),
      cmocka_unit_test (what_runs_counts_as_far_as_it_has_come),
      cmocka_unit_test (alone_jobs_wait_for_those_before),
      cmocka_unit_test (alone_one_task_takes_its_own_time_on_however_many_cpus),
      cmocka_unit_test (a_members_nonsense_is_refused),
      cmocka_unit_test (damaged_bytes_are_refused_or_read),
      cmocka_unit_test (what_is_kept_of_members_and_jobs_is_read_again),
      cmocka_unit_test (contradictions_are_refused_by_key),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
