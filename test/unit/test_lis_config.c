/*  test_lis_config - a site's file is taken as meant, or refused with what would be right. */
#include "lis_config.h"

#include "lis.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char whole [] = "name = ams\n"
                             "gis = \"sim://g1, sim://g2\"\n"
                             "classes\n"
                             "    thin\n"
                             "        nodes = 64\n"
                             "        cpus_per_node = 16\n"
                             "        price = 0.25\n"
                             "        attributes\n"
                             "            os = linux\n"
                             "            memory_gb = 64\n"
                             "    fat\n"
                             "        nodes = 4\n"
                             "        price = 0.000001\n"
                             "disclosure = windows\n"
                             "lead = 10s\n"
                             "horizon = 30d\n"
                             "cleaning_gap = 2m\n"
                             "accounts\n"
                             "    guest = \"*\"\n"
                             "    climate = \"alice, bob@example.org\"\n"
                             "administrators = \"root, carol\"\n"
                             "limits\n"
                             "    retention = 2h\n";

static config_t *file_of (const char *text, const char *const *settings, size_t settings_count,
                          char why [LONG_WHY_BYTES])
{
    static const setting_table_t *const tables [] = {&lis_file_table};
    return config_open_text ("ams.zpl", text, strlen (text), settings, settings_count, tables, 1,
                             why);
}

/*  Makes a core of a file; false with why when the file is refused. */
static bool core_of (const char *text, const char *const *settings, size_t settings_count,
                     core_t *core, char why [LONG_WHY_BYTES])
{
    config_t *config = file_of (text, settings, settings_count, why);
    if (!config)
        return false;
    bool good = lis_core_from_config (config, core, why);
    config_destroy (&config);
    return good;
}

static const moment_t now = {.wall_ms = INT64_C (1700000000000),
                             .mono_ms = 1000,
                             .store_free_bytes = 1 << 30,
                             .store_bytes = 1 << 30};

static void start (core_t *core)
{
    assert (core->step && core->next);
    event_t event = {.kind = EVENT_START,
                     .start = {.store = {.id = {1}, .start = 1},
                               .endpoint = "sim://lis/ams",
                               .events = "sim://lis/ams/events"}};
    core->step (core->self, &now, &event);
    effect_t effect;
    while (core->next (core->self, &effect)) {
    }
}

static void a_file_says_what_the_site_is (void **state)
{
    (void) state;
    core_t core = {0};
    char why [LONG_WHY_BYTES];
    assert_true (core_of (whole, NULL, 0, &core, why));
    start (&core);
    const lis_t *lis = core.self;
    assert_string_equal (lis->provider.service->name, "lis/ams");
    const site_t *site = &lis->site;
    assert_int_equal (site->disclosure, DISCLOSE_WINDOWS);
    assert_int_equal (site->lead_ms, 10000);
    assert_int_equal (site->horizon_ms, INT64_C (30) * 86400000);
    assert_int_equal (site->cleaning_gap_ms, 120000);
    assert_int_equal (site->classes_count, 2);
    assert_string_equal (site->classes [0].name, "thin");
    assert_int_equal (site->classes [0].nodes, 64);
    assert_int_equal (site->classes [0].cpus_per_node, 16);
    assert_int_equal (site->classes [0].price, 250000);
    assert_int_equal (site->classes [0].attributes_count, 2);
    assert_string_equal (site->classes [0].attributes [1].name, "memory_gb");
    assert_string_equal (site->classes [0].attributes [1].value, "64");
    assert_string_equal (site->classes [1].name, "fat");
    assert_int_equal (site->classes [1].cpus_per_node, 1);
    assert_int_equal (site->classes [1].price, 1);
    core.destroy (core.self);
}

static void the_least_file_is_a_name_and_a_class (void **state)
{
    (void) state;
    static const char *const settings [] = {"name=lis/ams", "classes/thin/nodes=1"};
    core_t core = {0};
    char why [LONG_WHY_BYTES];
    assert_true (core_of ("", settings, 2, &core, why));
    start (&core);
    const lis_t *lis = core.self;
    assert_string_equal (lis->provider.service->name,
                         "lis/ams"); /* the kind may be written or not */
    assert_int_equal (lis->site.disclosure, DISCLOSE_PROFILE);
    assert_int_equal (lis->site.lead_ms, 5000);
    assert_int_equal (lis->site.cleaning_gap_ms, 0);
    core.destroy (core.self);
}

/*  A core without a file has what a file without settings says. */
static void the_defaults_are_those_of_a_file (void **state)
{
    (void) state;
    const lis_settings_t core = SETTINGS_PRESET (lis_settings_t, &lis_table);
    const lis_file_t file = SETTINGS_PRESET (lis_file_t, &lis_file_table);
    assert_memory_equal (&core, &file.numbers, sizeof core);
    const queue_limits_t queue = SETTINGS_PRESET (queue_limits_t, &queue_table);
    assert_memory_equal (&queue, &file.queue, sizeof queue);
    assert_int_equal (core.provider.limits.questions.resources_max, SITE_CLASSES_MAX);
    assert_int_equal (core.provider.limits.questions.profile_steps_max, 16384);
    assert_int_equal (core.provider.limits.bookings.fresh_steps_max, 2048);
}

/*  When a batch system is told of reservations that wait, of how many, and when nodes are bound. */
static void only_slurm_and_grid_engine_have_named_nodes (void **state)
{
    (void) state;
    static const struct {
        const char *back_end, *bind; /* NULL = not given */
        uint32_t ahead;
        int64_t reach_ms, bind_ms;
    } cases [] = {{"back_end=slurm", NULL, 500, 0, 9000},
                  {"back_end=slurm", "opening/bind=7d", 500, INT64_C (7) * 86400000, 9000},
                  {"back_end=slurm", "opening/bind=2s", 500, 2000, 2000},
                  {"back_end=gridengine", "opening/bind=7d", 500, INT64_C (7) * 86400000, 9000},
                  {"back_end=commands", "opening/bind=7d", 0, 0, 9000},
                  {"back_end=runner", "opening/bind=7d", 0, 0, 9000},
                  {"back_end=runner", NULL, 0, 0, 5000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *settings [] = {"name=ams", "classes/thin/nodes=1", "lead=9s",
                                   cases [i].back_end, cases [i].bind};
        char why [LONG_WHY_BYTES];
        bool runs;
        runner_settings_t made;
        static const site_t site = {.lead_ms = 9000};
        config_t *config = file_of ("", settings, cases [i].bind ? 5 : 4, why);
        assert_non_null (config);
        assert_true (runner_config_read (config, config_settings (config, &lis_file_table), &site,
                                         &runs, &made, why));
        assert_int_equal (made.openings.ahead, cases [i].ahead);
        assert_int_equal (made.openings.reach_ms, cases [i].reach_ms);
        assert_int_equal (made.openings.bind_ms, cases [i].bind_ms);
        runner_config_clear (&made);
        config_destroy (&config);
    }
}

static void refuses_what_makes_no_site (void **state)
{
    (void) state;
    static const struct {
        const char *setting;
        const char *why; /* a part of it */
    } cases [] = {
      {"name=", "name"},
      {"name=a b", "name: \"a b\" is no site name"},
      {"name=a/b", "name: \"a/b\" is no site name"},
      {"name=0123456789012345678901234567890123456789012345678901234567890", "1 to 59 letters"},
      {"disclosure=all", "disclosure: 'all' is not profile or windows"},
      {"lead=1h", "horizon: must be longer than lead"},
      {"lead=soon", "lead"},
      {"limits/hold_ttl=10m", "limits/hold_ttl is no setting any more"},
      {"limits/profile_steps_max=10", "limits/profile_steps_max is no setting any more"},
      {"queue/life=2m", "queue/life is no setting any more: it is fixed at 1m"},
      {"queue/retention=1h", "queue/retention is no setting any more: it is limits/retention, 1d"},
      {"limits/bags_per_actor_max=9", "it is a tenth of limits/bags_max, 10000"},
      {"sharing/again=1s", "it is a tenth of sharing/lost, at most 60s, 1m"},
      {"limits/spans=10", "limits/spans"},
      {"back_end=rnner", "back_end: \"rnner\" should be none, runner, or one of slurm, gridengine"},
      {"classes/thin/nodes=-1", "classes/thin/nodes"},
      {"classes/thin/cpus_per_node=0", "classes/thin/cpus_per_node"},
      {"classes/thin/price=-0.1", "classes/thin/price"},
      {"classes/fat/price=1", "classes/fat/nodes"},
      {"classes/thin/attributes/os=", "classes/thin/attributes/os"},
      {"accounts/x=0123456789012345678901234567890123456789012345678901234567890123",
       "is longer than 63 bytes"},
      {"administrators=0123456789012345678901234567890123456789012345678901234567890123",
       "is longer than 63 bytes"},
      {"administrators=root, alice, root", "administrators: root is named twice"},
      {"accounts/x=alice, bob, alice", "accounts/x: alice has an account already"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *settings [] = {cases [i].setting};
        core_t core = {0};
        char why [LONG_WHY_BYTES] = "";
        static const char base [] = "name = ams\nhorizon = 1h\nclasses\n    thin\n"
                                    "        nodes = 1\n";
        assert_false (core_of (base, settings, 1, &core, why));
        if (!strstr (why, cases [i].why))
            print_message ("%s: %s\n", cases [i].setting, why);
        assert_non_null (strstr (why, cases [i].why));
    }
    core_t core = {0};
    char why [LONG_WHY_BYTES] = "";
    assert_false (core_of ("name = ams\n", NULL, 0, &core, why));
    assert_non_null (strstr (why, "classes"));
}

/*  The configuration with this setting on top is refused with these words, or right (""). */
static void with_setting (const char *base, const char *setting, const char *wanted)
{
    core_t core = {0};
    char why [LONG_WHY_BYTES] = "";
    bool good = core_of (base, &setting, 1, &core, why);
    assert_int_equal (good, !*wanted);
    if (good)
        core.destroy (core.self);
    else if (!strstr (why, wanted))
        fail_msg ("%s: %s", setting, why);
}

static void what_follows_from_others_may_be_said_as_it_is (void **state)
{
    (void) state;
    static const struct {
        const char *settings [2];
        const char *why; /* a part of it; "" = it is right */
    } cases [] = {
      {{"nodes/lost=330s", "nodes/lease=5m"}, ""},
      {{"nodes/lost=11m30s", "nodes/lease=11m"}, ""},
      {{"nodes/lost=330s", "nodes/lease=11m"},
       "nodes/lost is no setting any more: it is nodes/lease and 30s, 11m30s"},
      {{"nodes/lease=25s", "nodes/silent=25s"}, "nodes/lease: must be longer than nodes/silent"},
      {{"nodes/silent=10s", "nodes/attend=10s"}, "nodes/silent: must be longer than nodes/attend"},
      {{"limits/retention=1h", "queue/retention=1h"}, ""},
      {{"limits/bags_max=9", "limits/bags_per_actor_max=1"}, ""},
      {{"limits/bags_max=25", "limits/bags_per_actor_max=2"}, ""},
      {{"sharing/lost=0s", "sharing/again=100ms"}, ""},
      {{"sharing/lost=5s", "sharing/again=500ms"}, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char why [LONG_WHY_BYTES] = "";
        config_t *config = file_of ("name = ams\n", cases [i].settings, 2, why);
        assert_int_equal (config != NULL, !*cases [i].why);
        if (!strstr (why, cases [i].why))
            fail_msg ("%s: %s", cases [i].settings [0], why);
        config_destroy (&config);
    }
}

/*  What the queue has in common with openings and records. */
static void the_queue_goes_with_what_it_is_beside (void **state)
{
    (void) state;
    static const char *const settings [] = {"name=ams", "opening/warning=2m", "opening/grace=3s",
                                            "limits/retention=2h"};
    char why [LONG_WHY_BYTES];
    config_t *config = file_of ("", settings, 4, why);
    assert_non_null (config);
    const lis_file_t *file = config_settings (config, &lis_file_table);
    assert_int_equal (file->queue.warning_ms, 120000);
    assert_int_equal (file->queue.grace_ms, 3000);
    assert_int_equal (file->queue.retention_ms, 7200000);
    config_destroy (&config);
}

static void an_actor_has_one_account (void **state)
{
    (void) state;
    static const char base [] = "name = ams\nback_end = runner\nclasses\n    thin\n"
                                "        nodes = 2\naccounts\n    x = \"alice, *\"\n";
    with_setting (base, "accounts/y=bob", "");
    with_setting (base, "accounts/y=alice", "accounts/y: alice has an account already");
}

/*  Two sections may have one local account; each says what its actors charge. */
static void an_account_says_what_is_charged (void **state)
{
    (void) state;
    static const char text [] = "name = ams\nback_end = runner\nclasses\n    thin\n"
                                "        nodes = 2\naccounts\n"
                                "    climate = \"alice, bob\"\n"
                                "        account = physics\n"
                                "    climate-fast = carol\n"
                                "        user = climate\n"
                                "        qos = high\n";
    static const account_t wanted [] = {
      {"alice", "climate", "physics", "", "accounts/climate", ""},
      {"bob", "climate", "physics", "", "accounts/climate", ""},
      {"carol", "climate", "", "high", "accounts/climate-fast", ""}};
    core_t core = {0};
    char why [LONG_WHY_BYTES] = "";
    assert_true (core_of (text, NULL, 0, &core, why));
    const runner_t *runner = ((const lis_t *) core.self)->runner;
    assert_int_equal (runner->accounts_count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal (runner->accounts [i].actor, wanted [i].actor);
        assert_string_equal (runner->accounts [i].account, wanted [i].account);
        assert_string_equal (runner->accounts [i].charged, wanted [i].charged);
        assert_string_equal (runner->accounts [i].qos, wanted [i].qos);
        assert_string_equal (runner->accounts [i].section, wanted [i].section);
    }
    core.destroy (core.self);
    with_setting (text, "accounts/climate/account=a,b",
                  "accounts/climate/account: \"a,b\" should be letters");
    with_setting (text, "accounts/nobodys/account=physics",
                  "accounts/nobodys: name the actors that have this account");
    with_setting (text, "accounts/climate/qos=-x",
                  "accounts/climate/qos: \"-x\" should be letters");
    with_setting (text, "accounts/climate-fast/user=01234567890123456789012345678901",
                  "accounts/climate-fast/user: ");
}

/*  A batch system's jobs are left alone if nothing is said; tasks of a runner's queue are not. */
static void whose_jobs_may_end_is_as_the_back_end_has_it (void **state)
{
    (void) state;
    static const struct {
        const char *settings [2];
        size_t count;
        clear_t clear;
        const char *why; /* a part of it; NULL = it is right */
    } cases [] = {
      {{"back_end=runner"}, 1, CLEAR_END, NULL},
      {{"back_end=slurm"}, 1, CLEAR_WAIT, NULL},
      {{"back_end=runner", "opening/clear=wait"}, 2, CLEAR_WAIT, NULL},
      {{"back_end=gridengine", "opening/clear=requeue"}, 2, CLEAR_REQUEUE, NULL},
      {{"back_end=slurm", "opening/clear=end"}, 2, CLEAR_END, NULL},
      {{"back_end=slurm", "opening/end_for=carol, dan"}, 2, CLEAR_WAIT, NULL},
      {{"back_end=runner", "opening/clear=requeue"},
       2,
       0,
       "opening/clear: \"requeue\" should be wait or end"},
      {{"back_end=slurm", "opening/clear=stop"},
       2,
       0,
       "opening/clear: \"stop\" should be wait, requeue or end"},
      {{"back_end=runner", "opening/end_for=carol"},
       2,
       0,
       "opening/end_for: is for a site with a batch system"},
    };
    static const site_t site = {.lead_ms = 5000};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char why [LONG_WHY_BYTES] = "";
        runner_settings_t runner;
        bool runs;
        config_t *config = file_of ("name = ams\n", cases [i].settings, cases [i].count, why);
        assert_non_null (config);
        assert_int_equal (runner_config_read (config, config_settings (config, &lis_file_table),
                                              &site, &runs, &runner, why),
                          !cases [i].why);
        if (cases [i].why && !strstr (why, cases [i].why))
            fail_msg ("%s", why);
        if (!cases [i].why) {
            assert_int_equal (runner.nodes.clear, cases [i].clear);
            assert_int_equal (runner.openings.clear, cases [i].clear == CLEAR_END);
        }
        runner_config_clear (&runner);
        config_destroy (&config);
    }
}

static void refuses_nodes_that_can_not_be_told_apart (void **state)
{
    (void) state;
    static const char base [] = "name = ams\nback_end = runner\nclasses\n"
                                "    thin\n        nodes = 2\n"
                                "    fat\n        nodes = 1\n";
    static const struct {
        const char *setting;
        const char *why; /* a part of it; "" = it is right */
    } cases [] = {
      {"classes/fat/names=f1", ""},
      {"classes/thin/names=n[08-09]", ""},
      {"classes/fat/names=thin-002", "two nodes are called thin-002"},
      {"classes/thin/names=n1", "classes/thin/names: names 1 nodes, should be 2"},
      {"classes/thin/names=n1 n/2", "\"n/2\" should be 1 to 58 letters"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        with_setting (base, cases [i].setting, cases [i].why);
}

static void refuses_too_many_classes_and_attributes (void **state)
{
    (void) state;
    char text [16384] = "name = ams\nclasses\n";
    size_t size = strlen (text);
    for (int i = 0; i < 65; i++)
        size +=
          (size_t) snprintf (text + size, sizeof text - size, "    c%d\n        nodes = 1\n", i);
    core_t core = {0};
    char why [LONG_WHY_BYTES] = "";
    assert_false (core_of (text, NULL, 0, &core, why));
    assert_non_null (strstr (why, "classes: at most 64 of them are allowed"));

    size = (size_t) snprintf (text, sizeof text,
                              "name = ams\nclasses\n    c\n        nodes = 1\n"
                              "        attributes\n");
    for (int i = 0; i < 33; i++)
        size += (size_t) snprintf (text + size, sizeof text - size, "            a%d = x\n", i);
    assert_false (core_of (text, NULL, 0, &core, why));
    assert_non_null (strstr (why, "attributes: at most 32 of them are allowed"));
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_file_says_what_the_site_is),
      cmocka_unit_test (the_least_file_is_a_name_and_a_class),
      cmocka_unit_test (the_defaults_are_those_of_a_file),
      cmocka_unit_test (only_slurm_and_grid_engine_have_named_nodes),
      cmocka_unit_test (refuses_what_makes_no_site),
      cmocka_unit_test (what_follows_from_others_may_be_said_as_it_is),
      cmocka_unit_test (the_queue_goes_with_what_it_is_beside),
      cmocka_unit_test (an_actor_has_one_account),
      cmocka_unit_test (an_account_says_what_is_charged),
      cmocka_unit_test (whose_jobs_may_end_is_as_the_back_end_has_it),
      cmocka_unit_test (refuses_nodes_that_can_not_be_told_apart),
      cmocka_unit_test (refuses_too_many_classes_and_attributes),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
