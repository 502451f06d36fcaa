/*  directory: what a service knows of the others, while directories die, forget, and hints get
 *  lost. Followers and directories are the real cores; the network is gis_fixture's. The last part
 *  plays the directory by hand, to tell what no honest one would.
 */
#include "../gis_everybody.h"

#include "gis_fixture.h"
#include "member.h"

static const char *const one_gis [] = {"sim://gis/g1"};
static const char *const two_gis [] = {"sim://gis/g1", "sim://gis/g2"};
static const char *const first_only [] = {"sim://gis/g1"};
static const char *const second_only [] = {"sim://gis/g2"};
static const char *const homes [] = {"gis/g1", "gis/g2"};

static gis_settings_t settings_of (const char *name)
{
    gis_settings_t settings = gis_for_everybody ();
    settings.name = name;
    return settings;
}

static gis_settings_t settings_of_two (bool first)
{
    gis_settings_t settings = settings_of (first ? "gis/g1" : "gis/g2");
    settings.homes = homes;
    settings.homes_count = 2;
    settings.gis_endpoints = first ? second_only : first_only;
    settings.gis_count = 1;
    return settings;
}

static const directory_t *view (const node_t *node)
{
    return directory_of (node->service);
}

static void everybody_finds_everybody (void **state)
{
    world_t *world = *state;
    gis_settings_t settings = settings_of ("gis/g1");
    gis_new (world, &settings);
    node_t *a = follower_new (world, "lis/ams", one_gis, 1);
    node_t *b = follower_new (world, "planner/x", one_gis, 1);
    assert_false (directory_known (view (a)));
    world_run (world, 500);
    assert_true (directory_known (view (a)));
    for (int i = 0; i < 2; i++) {
        const node_t *node = i ? a : b;
        assert_true (sees (node, "lis/ams") && sees (node, "planner/x") && sees (node, "gis/g1"));
        assert_false (sees (node, "lis/nowhere"));
    }
    const directory_entry_t *entry = directory_find (view (b), "lis/ams");
    assert_string_equal (entry->endpoint, "sim://lis/ams");
    assert_int_equal (entry->start, 1);
    assert_memory_equal (entry->store, a->host.store.id, STORE_ID_BYTES);
    assert_null (entry->site);
}

static void kinds_are_walked_ascending_by_name (void **state)
{
    static const char *const names [] = {"lis/tyo", "planner/p", "lis/ams", "lisa/x", "lis/bcn"};
    static const char *const expect [] = {"lis/ams", "lis/bcn", "lis/tyo"};
    world_t *world = *state;
    gis_settings_t settings = settings_of ("gis/g1");
    gis_new (world, &settings);
    node_t *node = NULL;
    for (size_t i = 0; i < 5; i++)
        node = follower_new (world, names [i], one_gis, 1);
    world_run (world, 1000);
    const directory_entry_t *entry = NULL;
    for (size_t i = 0; i < 3; i++) {
        entry = directory_next (view (node), "lis", entry);
        assert_non_null (entry);
        assert_string_equal (entry->name, expect [i]);
    }
    assert_null (directory_next (view (node), "lis", entry));
    assert_null (directory_next (view (node), "nis", NULL));
    size_t all = 0;
    for (entry = NULL; (entry = directory_next (view (node), "", entry));)
        all++;
    assert_int_equal (all, 6);
}

static void homes_are_the_federations_list (void **state)
{
    world_t *world = *state;
    gis_settings_t settings = settings_of_two (true);
    gis_new (world, &settings);
    node_t *node = follower_new (world, "lis/ams", one_gis, 1);
    world_run (world, 500);
    const char *const *list;
    assert_int_equal (directory_homes (view (node), &list), 2);
    assert_string_equal (list [0], "gis/g1");
    assert_string_equal (list [1], "gis/g2");
    assert_int_equal (node->alarms, 0);
}

static void a_lone_gis_is_the_only_home (void **state)
{
    world_t *world = *state;
    gis_settings_t settings = settings_of ("gis/g1");
    gis_new (world, &settings);
    node_t *node = follower_new (world, "lis/ams", one_gis, 1);
    world_run (world, 500);
    const char *const *list;
    assert_int_equal (directory_homes (view (node), &list), 1);
    assert_string_equal (list [0], "gis/g1");
}

static void a_new_start_is_known_by_a_notice (void **state)
{
    world_t *world = *state;
    gis_settings_t settings = settings_of ("gis/g1");
    gis_new (world, &settings);
    node_t *a = follower_new (world, "lis/ams", one_gis, 1);
    node_t *b = follower_new (world, "lis/tyo", one_gis, 1);
    world_run (world, 2000);
    size_t asked = b->calls_of_snapshot;
    node_die (a);
    snprintf (a->entry.endpoint, sizeof a->entry.endpoint, "sim://moved");
    follower_up (a, one_gis, 1);
    world_run (world, 100);
    assert_string_equal (directory_find (view (b), "lis/ams")->endpoint, "sim://moved");
    assert_int_equal (directory_find (view (b), "lis/ams")->start, 2);
    assert_int_equal (b->calls_of_snapshot, asked); /* the hint was enough */
}

static void the_dead_are_forgotten_after_their_lease_by_all (void **state)
{
    world_t *world = *state;
    gis_settings_t settings = settings_of ("gis/g1");
    gis_new (world, &settings);
    node_t *a = follower_new (world, "lis/ams", one_gis, 1);
    node_t *b = follower_new (world, "lis/tyo", one_gis, 1);
    world_run (world, 20000);
    node_die (a);
    world_run (world, DIRECTORY_LEASE_MS - DIRECTORY_LEASE_MS / 3 - 100);
    assert_true (sees (b, "lis/ams")); /* its last heartbeat was at most a third ago */
    world_run (world, DIRECTORY_LEASE_MS / 3 + 200);
    assert_false (sees (b, "lis/ams"));
}

static void heartbeats_come_three_to_a_lease (void **state)
{
    world_t *world = *state;
    gis_settings_t settings = settings_of ("gis/g1");
    gis_new (world, &settings);
    node_t *node = follower_new (world, "lis/ams", one_gis, 1);
    world_run (world, 10 * DIRECTORY_LEASE_MS);
    assert_in_range (node->calls_of_announce, 30, 36);
}

static void a_quiet_view_is_polled_at_its_pace (void **state)
{
    world_t *world = *state;
    gis_settings_t settings = settings_of ("gis/g1");
    gis_new (world, &settings);
    node_t *node = follower_new (world, "lis/ams", one_gis, 1);
    world_run (world, 2000);
    size_t asked = node->calls_of_snapshot;
    world_run (world, 20 * DIRECTORY_POLL_MS);
    assert_in_range (node->calls_of_snapshot - asked, 19, 23);
}

static void lost_notices_are_made_up_for_by_polling (void **state)
{
    world_t *world = *state;
    gis_settings_t settings = settings_of ("gis/g1");
    gis_new (world, &settings);
    node_t *a = follower_new (world, "lis/ams", one_gis, 1);
    world_run (world, 2000);
    world->lose_notices = true;
    follower_new (world, "lis/tyo", one_gis, 1);
    world_run (world, DIRECTORY_POLL_MS + 100);
    assert_true (world->notices_lost > 0);
    assert_true (sees (a, "lis/tyo"));
}

static void a_gap_is_settled_by_a_snapshot_at_once (void **state)
{
    world_t *world = *state;
    gis_settings_t settings = settings_of ("gis/g1");
    gis_new (world, &settings);
    node_t *a = follower_new (world, "lis/ams", one_gis, 1);
    world_run (world, 2000);
    world->lose_notices = true;
    follower_new (world, "lis/lost", one_gis, 1);
    world_run (world, 20);
    assert_false (sees (a, "lis/lost"));
    world->lose_notices = false;
    follower_new (world, "lis/heard", one_gis, 1);
    world_run (world, 300); /* far less than a poll */
    assert_true (sees (a, "lis/lost") && sees (a, "lis/heard"));
}

static void doubled_notices_change_nothing (void **state)
{
    world_t *world = *state;
    gis_settings_t settings = settings_of ("gis/g1");
    gis_new (world, &settings);
    node_t *a = follower_new (world, "lis/ams", one_gis, 1);
    world_run (world, 2000);
    world->double_notices = true;
    size_t asked = a->calls_of_snapshot;
    node_t *b = follower_new (world, "lis/tyo", one_gis, 1);
    world_run (world, 100);
    assert_true (sees (a, "lis/tyo"));
    node_die (b);
    world_run (world, DIRECTORY_LEASE_MS + 100);
    assert_false (sees (a, "lis/tyo"));
    assert_true (a->calls_of_snapshot - asked <= 5); /* polls only */
}

static void a_gis_that_returns_empty_is_refilled (void **state)
{
    world_t *world = *state;
    gis_settings_t settings = settings_of ("gis/g1");
    node_t *gis = gis_new (world, &settings);
    node_t *a = follower_new (world, "lis/ams", one_gis, 1);
    node_t *b = follower_new (world, "lis/tyo", one_gis, 1);
    world_run (world, 3000);
    node_die (gis);
    world_run (world, 20000);                                 /* longer than a lease */
    assert_true (sees (a, "lis/tyo") && sees (b, "lis/ams")); /* what is known stays known */
    gis_up (gis, &settings);
    for (int i = 0; i < 100; i++) {
        world_run (world, 100);
        assert_true (sees (a, "lis/tyo") && sees (b, "lis/ams")); /* at every moment */
    }
    node_t *c = follower_new (world, "lis/new", one_gis, 1);
    world_run (world, 500);
    assert_true (sees (c, "lis/ams") && sees (c, "lis/tyo")); /* it was refilled */
}

static void a_gis_that_lost_us_is_told_before_the_next_heartbeat (void **state)
{
    world_t *world = *state;
    gis_settings_t settings = settings_of ("gis/g1");
    settings.lease_ms_min = settings.lease_ms_max = 600000; /* heartbeats far apart */
    node_t *gis = gis_new (world, &settings);
    follower_new (world, "lis/ams", one_gis, 1);
    world_run (world, 3000);
    node_die (gis);
    gis_up (gis, &settings);
    world_run (world, DIRECTORY_POLL_MS + 1000);
    node_t *c = follower_new (world, "lis/new", one_gis, 1);
    world_run (world, 500);
    assert_true (sees (c, "lis/ams"));
}

static void what_a_returned_gis_is_never_told_again_fades (void **state)
{
    world_t *world = *state;
    gis_settings_t settings = settings_of ("gis/g1");
    node_t *gis = gis_new (world, &settings);
    node_t *a = follower_new (world, "lis/ams", one_gis, 1);
    node_t *b = follower_new (world, "lis/tyo", one_gis, 1);
    world_run (world, 3000);
    node_die (gis);
    node_die (b);
    gis_up (gis, &settings);
    world_run (world, DIRECTORY_LEASE_MS / 2);
    assert_true (sees (a, "lis/tyo"));
    world_run (world, DIRECTORY_LEASE_MS + 2 * DIRECTORY_POLL_MS);
    assert_false (sees (a, "lis/tyo"));
}

/*  Of planners a directory knows nothing after it was started again: it never says that they are
 *  gone. */
static void what_two_starts_do_not_list_fades_in_turn (void **state)
{
    world_t *world = *state;
    gis_settings_t settings = settings_of ("gis/g1");
    node_t *gis = gis_new (world, &settings);
    node_t *a = follower_new (world, "lis/ams", one_gis, 1);
    node_t *gone [] = {follower_new (world, "planner/x", one_gis, 1),
                       follower_new (world, "planner/y", one_gis, 1)};
    world_run (world, 3000);
    for (size_t i = 0; i < 2; i++) {
        node_die (gis);
        node_die (gone [i]);
        gis_up (gis, &settings);
        world_run (world, DIRECTORY_LEASE_MS / 2);
        assert_true (sees (a, "planner/y"));
    }
    world_run (world, 2 * DIRECTORY_LEASE_MS);
    assert_true (sees (a, "lis/ams"));
    assert_false (sees (a, "planner/x") || sees (a, "planner/y"));
}

static void when_one_gis_dies_the_other_is_followed (void **state)
{
    world_t *world = *state;
    gis_settings_t first = settings_of_two (true);
    gis_settings_t second = settings_of_two (false);
    node_t *g1 = gis_new (world, &first);
    gis_new (world, &second);
    node_t *a = follower_new (world, "lis/ams", two_gis, 2);
    world_run (world, 3000);
    assert_true (sees (a, "gis/g1") && sees (a, "gis/g2"));
    node_die (g1);
    world_run (world, DIRECTORY_POLL_MS + 5000);
    node_t *b = follower_new (world, "lis/tyo", two_gis, 2);
    world_run (world, 5000);
    assert_true (sees (a, "lis/tyo") && sees (b, "lis/ams"));
    world_run (world, 2 * DIRECTORY_LEASE_MS);
    assert_false (sees (a, "gis/g1")); /* its lease at the other one has ended */
    gis_up (g1, &first);
    world_run (world, 2 * DIRECTORY_POLL_MS);
    assert_true (sees (a, "gis/g1"));
}

static void a_silent_gis_does_not_hold_up_announcing_to_the_other (void **state)
{
    world_t *world = *state;
    gis_settings_t second = settings_of_two (false);
    gis_new (world, &second); /* the first is never there */
    node_t *a = follower_new (world, "lis/ams", two_gis, 2);
    node_t *b = follower_new (world, "lis/tyo", second_only, 1);
    world_run (world, 500);
    assert_true (sees (b, "lis/ams"));
    world_run (world, 5000);
    assert_true (sees (a, "lis/tyo"));
    assert_true (a->warnings > 0);
    size_t warnings = a->warnings;
    world_run (world, 60000);
    assert_int_equal (a->warnings, warnings); /* told once, not at each try */
}

static void without_any_gis_asking_backs_off (void **state)
{
    world_t *world = *state;
    node_t *a = follower_new (world, "lis/ams", two_gis, 2);
    world_run (world, 60000);
    assert_false (directory_known (view (a)));
    assert_in_range (a->calls_of_snapshot, 15, 80);
    assert_in_range (a->calls_of_announce, 20, 120);
    gis_settings_t second = settings_of_two (false);
    node_t *nobody = node_new (world, "nobody");
    nobody->up = false;
    gis_new (world, &second);
    world_run (world, 10000);
    assert_true (directory_known (view (a)));
}

static void skew_is_measured_from_answers (void **state)
{
    world_t *world = *state;
    gis_settings_t settings = settings_of ("gis/g1");
    node_t *gis = gis_new (world, &settings);
    gis->skew_ms = 700;
    node_t *a = follower_new (world, "lis/ams", one_gis, 1);
    assert_int_equal (directory_skew_ms (view (a)), 0);
    world_run (world, 1000);
    assert_in_range (directory_skew_ms (view (a)), 700 - WAY_MS, 700 + WAY_MS);
    gis->skew_ms = -2500;
    world_run (world, DIRECTORY_LEASE_MS);
    assert_true (directory_skew_ms (view (a)) >= -2500 - WAY_MS);
    assert_true (directory_skew_ms (view (a)) <= -2500 + WAY_MS);
}

static void announcing_again_changes_the_entry_at_once_but_not_without_end (void **state)
{
    world_t *world = *state;
    gis_settings_t settings = settings_of ("gis/g1");
    gis_new (world, &settings);
    node_t *a = follower_new (world, "planner/p", one_gis, 1);
    node_t *b = follower_new (world, "lis/tyo", one_gis, 1);
    world_run (world, 2000);
    size_t announced = a->calls_of_announce;
    a->entry.planner = true;
    for (uint32_t i = 1; i <= 1000; i++) { /* its load changes each 10 ms */
        moment_t now = {.wall_ms = EPOCH_MS + world->now_ms, .mono_ms = world->now_ms};
        a->entry.in_progress = i;
        directory_announce (directory_of (a->service), &now, &a->entry);
        if (timers_due (a->service->timers) < a->host.alarm_ms)
            a->host.alarm_ms = timers_due (a->service->timers);
        world_run (world, 10);
    }
    assert_in_range (a->calls_of_announce - announced, 8, 14);
    world_run (world, 1100);
    assert_int_equal (directory_find (view (b), "planner/p")->in_progress, 1000);
    a->entry.finishing = true;
    moment_t now = {.wall_ms = EPOCH_MS + world->now_ms, .mono_ms = world->now_ms};
    directory_announce (directory_of (a->service), &now, &a->entry);
    a->host.alarm_ms = timers_due (a->service->timers);
    world_run (world, 300);
    assert_true (directory_find (view (b), "planner/p")->finishing);
}

static void a_large_table_comes_in_pages (void **state)
{
    world_t *world = *state;
    gis_settings_t settings = settings_of ("gis/g1");
    node_t *gis = gis_new (world, &settings);
    attribute_t attributes [CLASS_ATTRIBUTES_MAX] = {0};
    node_class_t classes [SITE_CLASSES_MAX] = {0};
    for (size_t i = 0; i < CLASS_ATTRIBUTES_MAX; i++) {
        snprintf (attributes [i].name, sizeof attributes [i].name, "attribute-%zu", i);
        snprintf (attributes [i].value, sizeof attributes [i].value, "%060zu", i);
    }
    for (size_t i = 0; i < SITE_CLASSES_MAX; i++) {
        snprintf (classes [i].name, sizeof classes [i].name, "class-%zu", i);
        classes [i].nodes = classes [i].cpus_per_node = 4;
        classes [i].attributes = attributes;
        classes [i].attributes_count = CLASS_ATTRIBUTES_MAX;
    }
    site_t site = {.classes = classes, .classes_count = SITE_CLASSES_MAX, .horizon_ms = 1000};
    for (int i = 0; i < 20; i++) { /* some 170 KiB each */
        directory_entry_t entry = {.store = {99, (uint8_t) i}, .start = 1, .site = &site};
        snprintf (entry.name, sizeof entry.name, "lis/%02d", i);
        snprintf (entry.endpoint, sizeof entry.endpoint, "sim://%d", i);
        assert_int_equal (
          ask_packed (gis, entry.name, "Gis", "Announce", announce_encode (&entry, 60000)),
          CALL_OK);
    }
    node_t *a = follower_new (world, "lis/ams", one_gis, 1);
    world_run (world, 200);
    assert_true (a->calls_of_snapshot > 3);
    for (int i = 0; i < 20; i++) {
        char name [16];
        snprintf (name, sizeof name, "lis/%02d", i);
        const directory_entry_t *entry = directory_find (view (a), name);
        assert_non_null (entry);
        assert_int_equal (entry->site->classes_count, SITE_CLASSES_MAX);
        assert_string_equal (entry->site->classes [63].attributes [31].name, "attribute-31");
    }
}

/*  Everything at once for a while, then quiet: the view must be the directory's table. */
static void after_any_disturbance_views_agree (void **state)
{
    world_t *world = *state;
    const uint64_t seed = 20260801;
    print_message ("seed %llu\n", (unsigned long long) seed);
    prng_t chance;
    prng_seed (&chance, seed);
    gis_settings_t first = settings_of_two (true);
    gis_settings_t second = settings_of_two (false);
    node_t *gis [] = {gis_new (world, &first), gis_new (world, &second)};
    static const char *const names [] = {"lis/a", "lis/b", "lis/c", "planner/d"};
    node_t *followers [4];
    for (size_t i = 0; i < 4; i++)
        followers [i] = follower_new (world, names [i], two_gis, 2);
    for (int round = 0; round < 300; round++) {
        world->lose_notices = prng_below (&chance, 3) == 0;
        world->double_notices = prng_below (&chance, 3) == 0;
        size_t i = prng_below (&chance, 4);
        size_t g = prng_below (&chance, 2);
        if (prng_below (&chance, 10) == 0 && followers [i]->up) {
            node_die (followers [i]);
        } else if (!followers [i]->up) {
            follower_up (followers [i], two_gis, 2);
        } else if (prng_below (&chance, 10) == 0) {
            if (gis [g]->up)
                node_die (gis [g]);
            else
                gis_up (gis [g], g == 0 ? &first : &second);
        }
        world_run (world, (int64_t) prng_below (&chance, 3000));
    }
    world->lose_notices = world->double_notices = false;
    for (size_t i = 0; i < 4; i++)
        if (!followers [i]->up)
            follower_up (followers [i], two_gis, 2);
    for (size_t g = 0; g < 2; g++)
        if (!gis [g]->up)
            gis_up (gis [g], g == 0 ? &first : &second);
    world_run (world, 3 * DIRECTORY_LEASE_MS);
    for (size_t i = 0; i < 4; i++) {
        size_t count = 0;
        for (const directory_entry_t *entry = NULL;
             (entry = directory_next (view (followers [i]), "", entry));)
            count++;
        assert_int_equal (count, 6);
        for (size_t k = 0; k < 4; k++)
            assert_int_equal (directory_find (view (followers [i]), names [k])->start,
                              followers [k]->host.store.start);
        assert_int_equal (directory_find (view (followers [i]), "gis/g1")->start,
                          gis [0]->host.store.start);
    }
}

/*  --- one that does not follow --- */

static node_t *asker_new (world_t *world)
{
    node_t *node = node_new (world, "lis/asker");
    node->entry = (directory_entry_t){.name = "lis/asker", .endpoint = "sim://lis/asker"};
    node->service = member_new (node->name, two_gis, 2);
    member_follow_none (node->service);
    service_at_start (node->service, follower_start, node);
    node->host.core = service_as_core (node->service);
    node_up (node);
    return node;
}

/*  Wants the address as a call does, lets a second pass, and looks again. */
static const char *address_found (node_t *node, const char *name)
{
    directory_t *directory = directory_of (node->service);
    directory_address (directory, &node->host.now, name);
    node_step (node, &(event_t){.kind = EVENT_TIMER});
    world_run (node->world, 1000);
    return directory_address (directory, &node->host.now, name);
}

static void who_does_not_follow_is_told_the_homes_and_finds_addresses (void **state)
{
    world_t *world = *state;
    gis_settings_t first = settings_of_two (true), second = settings_of_two (false);
    node_t *gis = gis_new (world, &first);
    gis_new (world, &second);
    node_t *asker = asker_new (world), *other = follower_new (world, "lis/ams", two_gis, 2);
    const char *const *told;
    assert_false (directory_known (view (asker)));
    world_run (world, 1000);
    assert_true (directory_known (view (asker)));
    assert_int_equal (directory_homes (view (asker), &told), 2);
    assert_string_equal (told [1], "gis/g2");
    assert_true (sees (other, "lis/asker"));
    assert_int_equal (asker->calls_of_snapshot, 0);
    assert_string_equal (address_found (asker, "lis/ams"), "sim://lis/ams");
    assert_null (address_found (asker, "lis/nowhere"));
    assert_false (sees (asker, "gis/g2")); /* it keeps only what it asked for */

    node_die (gis);
    node_die (other);
    world_run (world, 2 * DIRECTORY_LEASE_MS);
    assert_true (directory_hears (view (asker)));
    assert_string_equal (address_found (asker, "lis/ams"),
                         "sim://lis/ams"); /* while none is newer */
    follower_new (world, "lis/ber", second_only, 1);
    address_found (asker, "lis/ber"); /* the first one is silent, and the second one's turn comes */
    assert_string_equal (address_found (asker, "lis/ber"), "sim://lis/ber");
    assert_int_equal (asker->alarms, 0);
}

static void an_address_that_has_changed_is_found_after_a_lease (void **state)
{
    world_t *world = *state;
    gis_settings_t settings = settings_of ("gis/g1");
    gis_new (world, &settings);
    node_t *asker = asker_new (world), *other = follower_new (world, "lis/ams", one_gis, 1);
    world_run (world, 1000);
    assert_string_equal (address_found (asker, "lis/ams"), "sim://lis/ams");
    strcpy (other->entry.endpoint, "sim://moved");
    directory_announce (directory_of (other->service), &other->host.now, &other->entry);
    node_step (other, &(event_t){.kind = EVENT_TIMER});
    world_run (world, 2 * DIRECTORY_LEASE_MS);
    assert_string_equal (address_found (asker, "lis/ams"), "sim://moved");
}

/*  --- one that follows some kinds --- */

/*  Follows the kind, and lets what was ordered leave. */
static void node_follow (node_t *node, const char *kind)
{
    directory_follow (directory_of (node->service), &node->host.now, kind);
    node_step (node, &(event_t){.kind = EVENT_TIMER});
}

static void who_follows_a_kind_is_told_of_it_alone (void **state)
{
    world_t *world = *state;
    gis_settings_t settings = settings_of ("gis/g1");
    gis_new (world, &settings);
    node_t *asker = asker_new (world);
    follower_new (world, "replica/ams", one_gis, 1);
    follower_new (world, "lis/ams", one_gis, 1);
    node_follow (asker, "replica");
    assert_false (directory_known (view (asker)));
    world_run (world, 1000);
    const char *const *told;
    assert_true (directory_known (view (asker)));
    assert_int_equal (directory_homes (view (asker), &told), 1);
    assert_true (sees (asker, "replica/ams"));
    assert_false (sees (asker, "lis/ams") || sees (asker, "gis/g1"));

    assert_string_equal (address_found (asker, "lis/ams"), "sim://lis/ams");
    assert_string_equal (address_found (asker, "gis/g1"), "sim://gis/g1");
    node_t *late = follower_new (world, "replica/ber", one_gis, 1);
    world_run (world, DIRECTORY_POLL_MS + 1000);
    assert_true (sees (asker, "replica/ber"));
    node_die (late);
    world_run (world, 2 * DIRECTORY_LEASE_MS);
    assert_false (sees (asker, "replica/ber"));
    assert_true (sees (asker, "replica/ams"));
    for (size_t i = 0; i < 4; i++)
        assert_string_equal (asker->heard [i], ""); /* no notices of the others */
}

static void another_kind_may_be_followed_later (void **state)
{
    world_t *world = *state;
    gis_settings_t settings = settings_of ("gis/g1");
    gis_new (world, &settings);
    node_t *asker = asker_new (world);
    follower_new (world, "replica/ams", one_gis, 1);
    follower_new (world, "nis/ring", one_gis, 1);
    node_follow (asker, "replica");
    world_run (world, 1000);
    assert_false (sees (asker, "nis/ring"));
    node_follow (asker, "nis");
    world_run (world, 1000);
    assert_true (sees (asker, "nis/ring") && sees (asker, "replica/ams"));
    size_t asked = asker->calls_of_snapshot;
    node_follow (asker, "nis");
    world_run (world, 1000);
    assert_int_equal (asker->calls_of_snapshot, asked);
}

/*  Asks at once for what has changed, and for an address, too. */
static void refresh (void *owner, const moment_t *now, uint64_t token)
{
    node_t *node = owner;
    assert_int_equal (directory_refresh (directory_of (node->service), now), token);
    directory_address (directory_of (node->service), now, "replica/ams");
}

static void node_refresh (node_t *node, bool waits)
{
    timers_set (node->service->timers, node->host.now.mono_ms, refresh, node, waits);
    node_step (node, &(event_t){.kind = EVENT_TIMER});
}

static void count_heard (void *owner, const moment_t *now)
{
    (void) now;
    size_t *heard = owner;
    ++*heard;
}

static void who_follows_a_kind_may_ask_at_once_what_has_changed (void **state)
{
    world_t *world = *state;
    gis_settings_t settings = settings_of ("gis/g1");
    node_t *gis = gis_new (world, &settings);
    node_t *asker = asker_new (world);
    directory_t *directory = directory_of (asker->service);
    size_t heard = 0;
    node_refresh (asker, false); /* nothing is followed */
    node_follow (asker, "replica");
    world_run (world, 1000);
    directory_on_heard (directory, count_heard, &heard);
    follower_new (world, "replica/new", one_gis, 1);
    world_run (world, 50); /* it is listed, and no poll is due */
    assert_false (sees (asker, "replica/new"));
    node_refresh (asker, true);
    assert_int_equal (heard, 0);
    world_run (world, 50);
    assert_int_equal (heard, 1);
    assert_true (sees (asker, "replica/new"));

    node_die (gis);
    node_refresh (asker, true);
    world_run (world, 5000);
    assert_true (heard > 1); /* who waits goes on with what is known */
    assert_true (sees (asker, "replica/new"));
}

static void what_is_followed_and_was_found_by_name_does_not_fade (void **state)
{
    world_t *world = *state;
    gis_settings_t settings = settings_of ("gis/g1");
    gis_new (world, &settings);
    follower_new (world, "replica/ams", one_gis, 1);
    world_run (world, 1000);
    node_t *asker = asker_new (world);
    node_follow (asker, "replica");
    node_refresh (asker, false); /* both questions leave together */
    for (int i = 0; i < 3 * DIRECTORY_LEASE_MS / 100; i++) {
        world_run (world, 100);
        assert_true (sees (asker, "replica/ams"));
    }
}

int main (void)
{
    const struct CMUnitTest tests [] = {
#define TEST(name) cmocka_unit_test_setup_teardown (name, world_set_up, world_tear_down)
      TEST (everybody_finds_everybody),
      TEST (kinds_are_walked_ascending_by_name),
      TEST (homes_are_the_federations_list),
      TEST (a_lone_gis_is_the_only_home),
      TEST (a_new_start_is_known_by_a_notice),
      TEST (the_dead_are_forgotten_after_their_lease_by_all),
      TEST (heartbeats_come_three_to_a_lease),
      TEST (a_quiet_view_is_polled_at_its_pace),
      TEST (lost_notices_are_made_up_for_by_polling),
      TEST (a_gap_is_settled_by_a_snapshot_at_once),
      TEST (doubled_notices_change_nothing),
      TEST (a_gis_that_returns_empty_is_refilled),
      TEST (a_gis_that_lost_us_is_told_before_the_next_heartbeat),
      TEST (what_a_returned_gis_is_never_told_again_fades),
      TEST (what_two_starts_do_not_list_fades_in_turn),
      TEST (when_one_gis_dies_the_other_is_followed),
      TEST (a_silent_gis_does_not_hold_up_announcing_to_the_other),
      TEST (without_any_gis_asking_backs_off),
      TEST (skew_is_measured_from_answers),
      TEST (announcing_again_changes_the_entry_at_once_but_not_without_end),
      TEST (a_large_table_comes_in_pages),
      TEST (after_any_disturbance_views_agree),
      TEST (who_does_not_follow_is_told_the_homes_and_finds_addresses),
      TEST (an_address_that_has_changed_is_found_after_a_lease),
      TEST (who_follows_a_kind_is_told_of_it_alone),
      TEST (another_kind_may_be_followed_later),
      TEST (who_follows_a_kind_may_ask_at_once_what_has_changed),
      TEST (what_is_followed_and_was_found_by_name_does_not_fade),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
