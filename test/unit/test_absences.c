/*  absences: who was listed and is not now is told as silent or stopped, to those who follow, until
 *  it comes back, is withdrawn, or has to make room.
 */
#include "../gis_everybody.h"

#include "gis_fixture.h"
#include "member.h"

static const char *const one_gis [] = {"sim://gis/g1"};
static const char *const administrators [] = {"root"};

static gis_settings_t settings_of_gis (void)
{
    gis_settings_t settings = gis_for_everybody ();
    settings.name = "gis/g1";
    settings.absences.remembered_max = 2;
    settings.access.administrators = administrators;
    settings.access.administrators_count = 1;
    return settings;
}

static node_t *directory_up (world_t *world)
{
    gis_settings_t settings = settings_of_gis ();
    return gis_new (world, &settings);
}

static void again (node_t *gis)
{
    gis_settings_t settings = settings_of_gis ();
    node_die (gis);
    gis_up (gis, &settings);
}

static const absence_t *absent (const node_t *follower, const char *name)
{
    return directory_absent (directory_of (follower->service), name);
}

static int64_t wall_now (const world_t *world)
{
    return EPOCH_MS + world->now_ms;
}

/*  Says that it ends, as after SIGTERM, and ends. */
static void node_stop (node_t *node)
{
    node_step (node, &(event_t){.kind = EVENT_END});
    world_run (node->world, 100);
    node_die (node);
}

static void withdraw (node_t *gis, const char *actor, const node_t *node, call_status_t status)
{
    withdraw_t question = {.start = node->host.store.start};
    memcpy (question.name, node->name, strlen (node->name) + 1);
    memcpy (question.store, node->host.store.id, STORE_ID_BYTES);
    assert_int_equal (
      ask_packed (gis, actor, "Gis", "Withdraw", codec_encode (&withdraw_codec, &question)),
      status);
}

static void who_is_killed_is_silent_since_its_last_heartbeat (void **state)
{
    world_t *world = *state;
    directory_up (world);
    node_t *site = follower_new (world, "lis/ams", one_gis, 1);
    node_t *planner = follower_new (world, "planner/p", one_gis, 1);
    world_run (world, 20000);
    int64_t killed_ms = wall_now (world);
    node_die (site);
    world_run (world, DIRECTORY_LEASE_MS + 1000);
    assert_false (sees (planner, "lis/ams"));
    const absence_t *told = absent (planner, "lis/ams");
    assert_non_null (told);
    assert_false (told->stopped);
    assert_in_range (told->since_ms, killed_ms - DIRECTORY_LEASE_MS / 3, killed_ms);
    assert_memory_equal (told->store, site->host.store.id, STORE_ID_BYTES);
    assert_int_equal (told->start, 1);
    assert_ptr_equal (directory_next_absent (directory_of (planner->service), NULL), told);
    assert_null (directory_next_absent (directory_of (planner->service), told));

    follower_up (site, one_gis, 1);
    world_run (world, 1000);
    assert_true (sees (planner, "lis/ams"));
    assert_null (absent (planner, "lis/ams"));
}

static void who_stops_is_told_as_stopped_at_once (void **state)
{
    world_t *world = *state;
    directory_up (world);
    node_t *site = follower_new (world, "lis/ams", one_gis, 1);
    node_t *planner = follower_new (world, "planner/p", one_gis, 1);
    world_run (world, 3000);
    int64_t stopped_ms = wall_now (world);
    node_stop (site);
    world_run (world, 100);
    assert_false (sees (planner, "lis/ams"));
    const absence_t *told = absent (planner, "lis/ams");
    assert_non_null (told);
    assert_true (told->stopped);
    assert_in_range (told->since_ms, stopped_ms, stopped_ms + 100);
}

static void planners_are_not_remembered (void **state)
{
    world_t *world = *state;
    node_t *gis = directory_up (world);
    node_t *site = follower_new (world, "lis/ams", one_gis, 1);
    node_t *first = follower_new (world, "planner/p", one_gis, 1);
    node_t *second = follower_new (world, "planner/q", one_gis, 1);
    world_run (world, 3000);
    node_die (first);
    node_stop (second);
    world_run (world, 100);
    assert_false (sees (site, "planner/q"));
    world_run (world, DIRECTORY_LEASE_MS);
    assert_false (sees (site, "planner/p"));
    assert_null (directory_next_absent (directory_of (site->service), NULL));
    assert_int_equal (stored_of (gis, TABLE_ABSENCES), 1); /* the site's, which is listed */
}

/*  It may change its entry for as long as it ends what it has begun. */
static void who_ends_is_not_announced_again (void **state)
{
    world_t *world = *state;
    directory_up (world);
    node_t *site = follower_new (world, "lis/ams", one_gis, 1);
    node_t *planner = follower_new (world, "planner/p", one_gis, 1);
    world_run (world, 3000);
    assert_true (sees (site, "planner/p"));
    node_step (planner, &(event_t){.kind = EVENT_END});
    planner->entry.in_progress++;
    moment_t now = planner->host.now;
    directory_announce (directory_of (planner->service), &now, &planner->entry);
    node_step (planner, &(event_t){.kind = EVENT_TIMER});
    world_run (world, 3000);
    assert_false (sees (site, "planner/p"));
}

static void a_directory_that_starts_anew_remembers (void **state)
{
    world_t *world = *state;
    node_t *gis = directory_up (world);
    node_t *site = follower_new (world, "lis/ams", one_gis, 1);
    node_t *planner = follower_new (world, "planner/p", one_gis, 1);
    world_run (world, 3000);
    node_die (site);
    world_run (world, DIRECTORY_LEASE_MS + 1000);
    int64_t since_ms = absent (planner, "lis/ams")->since_ms;
    again (gis);
    node_t *late = follower_new (world, "planner/q", one_gis, 1);
    world_run (world, 3000);
    assert_int_equal (absent (late, "lis/ams")->since_ms, since_ms);
    assert_int_equal (absent (planner, "lis/ams")->since_ms, since_ms);
}

static void who_ends_together_with_the_directory_is_missed_after_a_lease (void **state)
{
    world_t *world = *state;
    node_t *gis = directory_up (world);
    node_t *site = follower_new (world, "lis/ams", one_gis, 1);
    node_t *other = follower_new (world, "lis/ber", one_gis, 1);
    world_run (world, 3000);
    node_die (site);
    again (gis);
    int64_t started_ms = wall_now (world);
    world_run (world, DIRECTORY_LEASE_MS - 100);
    assert_null (absent (other, "lis/ams"));
    world_run (world, 1000);
    assert_int_equal (absent (other, "lis/ams")->since_ms, started_ms);
    assert_null (absent (other, "lis/ber"));
}

static void withdrawing_forgets (void **state)
{
    world_t *world = *state;
    node_t *gis = directory_up (world);
    node_t *site = follower_new (world, "lis/ams", one_gis, 1);
    node_t *planner = follower_new (world, "planner/p", one_gis, 1);
    world_run (world, 3000);
    node_die (site);
    world_run (world, DIRECTORY_LEASE_MS + 1000);
    withdraw (gis, "planner/p", site, CALL_DENIED);
    world_run (world, 100);
    assert_non_null (absent (planner, "lis/ams"));
    withdraw (gis, "root", site, CALL_OK);
    world_run (world, 100);
    assert_null (absent (planner, "lis/ams"));
    assert_int_equal (stored_of (gis, TABLE_ABSENCES), 0);
}

static void who_was_heard_of_longest_ago_makes_room (void **state)
{
    world_t *world = *state;
    node_t *gis = directory_up (world);
    node_t *planner = follower_new (world, "planner/p", one_gis, 1);
    node_t *sites [3];
    for (size_t i = 0; i < 3; i++) {
        char name [NAME_BYTES_MAX + 1];
        snprintf (name, sizeof name, "lis/s%zu", i);
        sites [i] = follower_new (world, name, one_gis, 1);
    }
    world_run (world, 3000);
    for (size_t i = 3; i > 0; i--) { /* the last one is the first to go */
        node_stop (sites [i - 1]);
        world_run (world, 1000);
    }
    assert_null (absent (planner, "lis/s2"));
    assert_non_null (absent (planner, "lis/s1"));
    assert_non_null (absent (planner, "lis/s0"));
    assert_int_equal (stored_of (gis, TABLE_ABSENCES), 2);
    world_run (world, settings_of_gis ().absences.remembered_ms + 60000);
    assert_null (directory_next_absent (directory_of (planner->service), NULL));
    assert_int_equal (stored_of (gis, TABLE_ABSENCES), 0);
}

int main (void)
{
#define TEST(name) cmocka_unit_test_setup_teardown (name, world_set_up, world_tear_down)
    const struct CMUnitTest tests [] = {
      TEST (who_is_killed_is_silent_since_its_last_heartbeat),
      TEST (who_stops_is_told_as_stopped_at_once),
      TEST (planners_are_not_remembered),
      TEST (who_ends_is_not_announced_again),
      TEST (a_directory_that_starts_anew_remembers),
      TEST (who_ends_together_with_the_directory_is_missed_after_a_lease),
      TEST (withdrawing_forgets),
      TEST (who_was_heard_of_longest_ago_makes_room),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
