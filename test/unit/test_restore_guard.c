/*  test_restore_guard - who may speak for its store. Followers of directories whose stores are
 *  set back, lost, or adopted.
 */
#include "../gis_everybody.h"
#include "gis_fixture.h"
#include "ledger.h"
#include "member.h"
#include "registration.h"
#include "restore_guard.h"

static const char *const one_gis [] = {"sim://gis/g1"};
static const char *const two_gis [] = {"sim://gis/g1", "sim://gis/g2"};

static gis_settings_t settings_of (const char *name)
{
    gis_settings_t settings = gis_for_everybody ();
    settings.name = name;
    settings.limits = SETTINGS_PRESET (participant_limits_t, &participant_table);
    return settings;
}

static node_t *gis_alone (world_t *world)
{
    gis_settings_t settings = settings_of ("gis/g1");
    return gis_new (world, &settings);
}

/*  It writes so many rows now. */
static void work (node_t *node, size_t rows)
{
    for (size_t i = 0; i < rows; i++) {
        outbox_clear (node->service->outbox);
        ledger_append (ledger_of (node->service),
                       &(ledger_entry_t){.kind = LEDGER_CLOSED_CLAIM, .actor = "alice"});
        memory_host_drain (&node->host);
    }
}

/*  The store is set back to what it was then, and so is its start number. */
static void backup_restore (node_t *node, records_t backup, uint32_t start)
{
    records_clear (&node->host.records);
    node->host.records = backup;
    node->host.store.start = start;
}

static restore_guard_state_t guard_of (const node_t *node)
{
    return restore_guard_state (restore_guard_of (node->service));
}

static bool serves (const node_t *node)
{
    char why [WHY_BYTES];
    return restore_guard_serves (restore_guard_of (node->service), "Participant", "Hold", why);
}

static bool says (const node_t *node, const char *what)
{
    return strstr (restore_guard_text (restore_guard_of (node->service)), what) != NULL;
}

/*  --- a start as usual --- */

static void without_a_directory_it_serves_at_once (void **state)
{
    node_t *node = follower_new (*state, "lis/ams", NULL, 0);
    assert_true (serves (node));
    assert_string_equal (restore_guard_text (restore_guard_of (node->service)), "");
}

static void it_serves_when_the_first_directory_has_answered (void **state)
{
    world_t *world = *state;
    gis_alone (world);
    node_t *node = follower_new (world, "lis/ams", one_gis, 1);
    assert_false (serves (node));
    assert_true (says (node, "not known yet"));
    world_run (world, 2 * WAY_MS + 1);
    assert_true (serves (node));
}

static void what_neither_promises_nor_tells_of_promises_is_served_meanwhile (void **state)
{
    node_t *node = follower_new (*state, "lis/ams", one_gis, 1);
    static const struct {
        const char *service;
        const char *method;
        bool served;
    } cases [] = {{"Participant", "Hold", false}, {"Participant", "Resolve", false},
                  {"Participant", "Show", false}, {"Home", "Look", false},
                  {"Home", "Close", false},       {"Coordinator", "Outcome", false},
                  {"Planner", "Reserve", false},  {"Planner", "Settle", false},
                  {"Planner", "Show", true},      {"Service", "Status", true},
                  {"Calendar", "Profile", true},  {"Gis", "Announce", true},
                  {"Ledger", "Rows", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char why [WHY_BYTES];
        assert_int_equal (restore_guard_serves (restore_guard_of (node->service), cases [i].service,
                                                cases [i].method, why),
                          cases [i].served);
    }
}

static void one_that_is_cut_off_serves_after_a_while_with_an_alarm (void **state)
{
    world_t *world = *state;
    node_t *node = follower_new (world, "lis/ams", one_gis, 1);
    world_run (world, RESTORE_GUARD_WAIT_MS - 1);
    assert_false (serves (node));
    assert_int_equal (node->alarms, 0);
    world_run (world, 1);
    assert_true (serves (node));
    assert_int_equal (node->alarms, 1);
}

static void a_store_that_goes_on_serves_again (void **state)
{
    world_t *world = *state;
    gis_alone (world);
    node_t *node = follower_new (world, "lis/ams", one_gis, 1);
    for (size_t rows = 0; rows < 4; rows++) {
        world_run (world, 2 * DIRECTORY_LEASE_MS);
        work (node, rows);
        world_run (world, DIRECTORY_LEASE_MS);
        node_die (node);
        follower_up (node, one_gis, 1);
        world_run (world, 2 * WAY_MS + 1);
        assert_int_equal (guard_of (node), RESTORE_GUARD_GOOD);
    }
    assert_int_equal (node->alarms, 0);
}

/*  --- a backup --- */

static void a_store_that_was_set_back_serves_nobody (void **state)
{
    world_t *world = *state;
    node_t *gis = gis_alone (world);
    node_t *node = follower_new (world, "lis/ams", one_gis, 1);
    records_t backup = records_copy (&node->host.records);
    world_run (world, 1000);
    work (node, 9);
    world_run (world, DIRECTORY_LEASE_MS); /* a heartbeat tells of row 10 */
    node_die (node);
    world_run (world, DIRECTORY_LEASE_MS);
    backup_restore (node, backup, 1);
    follower_up (node, one_gis, 1);
    world_run (world, 2 * WAY_MS + 1);
    assert_int_equal (guard_of (node), RESTORE_GUARD_BACKUP);
    assert_false (serves (node));
    assert_true (says (node, "restored backup: its ledger ends at row 2, and had come to row 10 "
                             "before; adopt it with --adopt"));
    assert_int_equal (node->alarms, 1);
    size_t announced = node->calls_of_announce;
    world_run (world, 10 * DIRECTORY_LEASE_MS);
    assert_false (serves (node));
    assert_int_equal (node->calls_of_announce, announced);
    assert_int_equal (stored_of (gis, TABLE_WATERMARKS), 1);
}

static void a_backup_that_came_by_itself_to_the_row_remembered_is_known_by_its_digest (void **state)
{
    world_t *world = *state;
    gis_alone (world);
    node_t *node = follower_new (world, "lis/ams", one_gis, 1);
    records_t backup = records_copy (&node->host.records);
    world_run (world, 1000);
    work (node, 1);
    world_run (world, DIRECTORY_LEASE_MS); /* row 2 */
    node_die (node);
    backup_restore (node, backup, 1);
    follower_up (node, one_gis, 1); /* its start is row 2 */
    world_run (world, 2 * WAY_MS + 1);
    assert_int_equal (guard_of (node), RESTORE_GUARD_BACKUP);
    assert_true (says (node, "row 2 of its ledger is not the one"));
}

static void a_backup_that_served_unseen_is_found_when_a_directory_is_heard (void **state)
{
    world_t *world = *state;
    gis_settings_t settings = settings_of ("gis/g1");
    node_t *gis = gis_new (world, &settings);
    node_t *node = follower_new (world, "lis/ams", one_gis, 1);
    records_t backup = records_copy (&node->host.records);
    world_run (world, 1000);
    work (node, 3);
    world_run (world, DIRECTORY_LEASE_MS); /* row 4 */
    node_die (node);
    node_die (gis);
    backup_restore (node, backup, 1);
    follower_up (node, one_gis, 1);
    world_run (world, RESTORE_GUARD_WAIT_MS + 1);
    assert_true (serves (node));
    work (node, 20); /* far beyond what the directory remembers */
    gis_up (gis, &settings);
    world_run (world, 10000);
    assert_int_equal (guard_of (node), RESTORE_GUARD_BACKUP);
    assert_true (says (node, "row 4 of its ledger is not the one"));
    node_die (node); /* the directory still remembers the true row */
    follower_up (node, one_gis, 1);
    world_run (world, 1000);
    assert_int_equal (guard_of (node), RESTORE_GUARD_BACKUP);
}

static void every_directory_is_asked_before_it_is_told_more (void **state)
{
    world_t *world = *state;
    gis_settings_t first = settings_of ("gis/g1"), second = settings_of ("gis/g2");
    gis_new (world, &first);
    node_t *g2 = gis_new (world, &second);
    node_t *node = follower_new (world, "lis/ams", two_gis, 2);
    world_run (world, 1000);
    records_t backup = records_copy (&node->host.records);
    work (node, 5);
    world_run (world, DIRECTORY_LEASE_MS);
    node_die (node);
    node_die (&world->nodes [0]); /* and it loses all that it knew */
    records_clear (&world->nodes [0].host.records);
    gis_up (&world->nodes [0], &first);
    node_die (g2);
    backup_restore (node, backup, 1);
    follower_up (node, two_gis, 2);
    world_run (world, 1000);
    assert_true (serves (node)); /* the one that answers remembers nothing */
    gis_up (g2, &second);
    world_run (world, 10000);
    assert_int_equal (guard_of (node), RESTORE_GUARD_BACKUP);
}

/*  --- another store --- */

typedef struct {
    size_t times;
    uint8_t store [STORE_ID_BYTES];
} lost_t;

static void on_lost (void *owner, const moment_t *now, const uint8_t store [STORE_ID_BYTES])
{
    (void) now;
    lost_t *lost = owner;
    lost->times++;
    memcpy (lost->store, store, STORE_ID_BYTES);
}

/*  As follower_up, of one that makes up for what was lost, and that waits so long for a directory.
 */
static void waiting_up (node_t *node, const char *const *gis, size_t gis_count, lost_t *lost,
                        int64_t wait_ms)
{
    node->service = member_new (node->name, gis, gis_count);
    restore_guard_on_lost (restore_guard_of (node->service), on_lost, lost);
    restore_guard_wait (restore_guard_of (node->service), wait_ms);
    service_at_start (node->service, follower_start, node);
    node->host.core = service_as_core (node->service);
    node_up (node);
}

static void careful_up (node_t *node, lost_t *lost)
{
    waiting_up (node, one_gis, 1, lost, RESTORE_GUARD_WAIT_MS);
}

static void store_new (node_t *node, uint8_t id)
{
    records_clear (&node->host.records);
    memset (node->host.store.id, id, STORE_ID_BYTES);
    node->host.store.start = 0;
}

static void a_lost_store_is_told_until_it_is_made_up_for (void **state)
{
    world_t *world = *state;
    gis_alone (world);
    lost_t lost = {0};
    node_t *node = follower_new (world, "lis/ams", one_gis, 1);
    uint8_t before [STORE_ID_BYTES];
    memcpy (before, node->host.store.id, STORE_ID_BYTES);
    world_run (world, 1000);
    node_die (node);
    world_run (world, 2 * DIRECTORY_LEASE_MS);
    store_new (node, 77);
    careful_up (node, &lost);
    world_run (world, DIRECTORY_LEASE_MS);
    assert_int_equal (lost.times, 1);
    assert_memory_equal (lost.store, before, STORE_ID_BYTES);
    node_die (node); /* before it was made up for */
    careful_up (node, &lost);
    world_run (world, DIRECTORY_LEASE_MS);
    assert_int_equal (lost.times, 2);
    moment_t now = {.mono_ms = world->now_ms, .wall_ms = EPOCH_MS + world->now_ms};
    restore_guard_settled (restore_guard_of (node->service), &now);
    world_run (world, DIRECTORY_LEASE_MS);
    node_die (node);
    careful_up (node, &lost);
    world_run (world, DIRECTORY_LEASE_MS);
    assert_int_equal (lost.times, 2);
    assert_int_equal (guard_of (node), RESTORE_GUARD_GOOD);
}

/*  Of two directories the one is away, and the other refuses who has lost its store, for the lease
 *  of the lost one is not over. */
static void come_back_without_store (world_t *world, int64_t wait_ms)
{
    gis_settings_t first = settings_of ("gis/g1"), second = settings_of ("gis/g2");
    node_t *away = gis_new (world, &first);
    gis_new (world, &second);
    node_t *node = follower_new (world, "lis/ams", two_gis, 2);
    lost_t lost = {0};
    uint8_t before [STORE_ID_BYTES];
    memcpy (before, node->host.store.id, STORE_ID_BYTES);
    world_run (world, ANNOUNCE_GAP_MS + 100); /* both list it, and know its store */
    node_die (node);
    node_die (away);
    store_new (node, 77);
    size_t announced = node->calls_of_announce;
    waiting_up (node, two_gis, 2, &lost, wait_ms);
    while (lost.times == 0 && !serves (node))
        world_run (world, 1);
    assert_int_equal (lost.times, 1);
    assert_memory_equal (lost.store, before, STORE_ID_BYTES);
    assert_int_equal (node->alarms, 1); /* that a store was lost */
    assert_true (node->calls_of_announce > announced + 2);
}

static void T2_who_is_refused_for_a_lost_store_waits_until_that_is_told (void **state)
{
    static const int64_t waits_ms [] = {1000, RESTORE_GUARD_WAIT_MS};
    (void) state;
    for (size_t i = 0; i < sizeof waits_ms / sizeof *waits_ms; i++) {
        void *world;
        world_set_up (&world);
        come_back_without_store (world, waits_ms [i]);
        world_tear_down (&world);
    }
}

static void who_is_refused_for_ever_serves_in_the_end_with_an_alarm (void **state)
{
    world_t *world = *state;
    gis_alone (world);
    node_t *good = follower_new (world, "lis/ams", one_gis, 1);
    world_run (world, 1000);
    node_t *mistake = node_new (world, "lis/ams");
    snprintf (mistake->endpoint, sizeof mistake->endpoint, "sim://other");
    memcpy (&mistake->entry, &good->entry, sizeof mistake->entry);
    follower_up (mistake, one_gis, 1);
    world_run (world, RESTORE_GUARD_WAIT_MS + DIRECTORY_LEASE_MS);
    assert_false (serves (mistake));
    assert_int_equal (mistake->alarms, 0);
    world_run (world, ANNOUNCE_REFUSED_MS + 2 * WAY_MS);
    assert_true (serves (mistake));
    assert_int_equal (mistake->alarms, 1);
}

static void a_store_that_another_has_taken_the_place_of_serves_nobody (void **state)
{
    world_t *world = *state;
    gis_settings_t settings = settings_of ("gis/g1");
    node_t *gis = gis_new (world, &settings);
    node_t *node = follower_new (world, "lis/ams", one_gis, 1);
    world_run (world, 1000);
    records_t old = records_copy (&node->host.records);
    uint8_t before [STORE_ID_BYTES];
    memcpy (before, node->host.store.id, STORE_ID_BYTES);
    node_die (node);
    world_run (world, 2 * DIRECTORY_LEASE_MS);
    store_new (node, 77);
    follower_up (node, one_gis, 1); /* it has nothing to make up for */
    world_run (world, DIRECTORY_LEASE_MS);
    assert_true (serves (node));
    node_die (node);
    node_die (gis);
    gis_up (gis, &settings); /* it has stored it */
    world_run (world, 2 * DIRECTORY_LEASE_MS);
    backup_restore (node, old, 1);
    memcpy (node->host.store.id, before, STORE_ID_BYTES);
    follower_up (node, one_gis, 1);
    world_run (world, DIRECTORY_LEASE_MS);
    assert_int_equal (guard_of (node), RESTORE_GUARD_BACKUP);
    assert_true (says (node, "an old store"));
}

static void two_live_stores_of_one_name_do_not_end_each_other (void **state)
{
    world_t *world = *state;
    gis_alone (world);
    node_t *good = follower_new (world, "lis/ams", one_gis, 1);
    world_run (world, 1000);
    node_t *mistake = node_new (world, "lis/ams");
    snprintf (mistake->endpoint, sizeof mistake->endpoint, "sim://other");
    memcpy (&mistake->entry, &good->entry, sizeof mistake->entry);
    follower_up (mistake, one_gis, 1);
    world_run (world, 3 * DIRECTORY_LEASE_MS);
    node_die (good);
    node_die (mistake);
    follower_up (good, one_gis, 1);
    world_run (world, 1000);
    assert_int_equal (guard_of (good), RESTORE_GUARD_GOOD);
}

static void an_adoption_is_told_in_the_ledger (void **state)
{
    world_t *world = *state;
    node_t *node = follower_new (world, "lis/ams", NULL, 0);
    uint64_t last = ledger_last (ledger_of (node->service));
    uint8_t before [STORE_ID_BYTES] = {9, 9};
    node_step (node, &(event_t){.kind = EVENT_START,
                                .start = {.store = {.id = {1}, .start = 2},
                                          .endpoint = node->endpoint,
                                          .events = node->events,
                                          .adopted_from = before}});
    assert_int_equal (ledger_last (ledger_of (node->service)), last + 2); /* adopted, started */
}

int main (void)
{
    const struct CMUnitTest tests [] = {
#define TEST(name) cmocka_unit_test_setup_teardown (name, world_set_up, world_tear_down)
      TEST (without_a_directory_it_serves_at_once),
      TEST (it_serves_when_the_first_directory_has_answered),
      TEST (what_neither_promises_nor_tells_of_promises_is_served_meanwhile),
      TEST (one_that_is_cut_off_serves_after_a_while_with_an_alarm),
      TEST (a_store_that_goes_on_serves_again),
      TEST (a_store_that_was_set_back_serves_nobody),
      TEST (a_backup_that_came_by_itself_to_the_row_remembered_is_known_by_its_digest),
      TEST (a_backup_that_served_unseen_is_found_when_a_directory_is_heard),
      TEST (every_directory_is_asked_before_it_is_told_more),
      TEST (a_lost_store_is_told_until_it_is_made_up_for),
      cmocka_unit_test (T2_who_is_refused_for_a_lost_store_waits_until_that_is_told),
      TEST (who_is_refused_for_ever_serves_in_the_end_with_an_alarm),
      TEST (a_store_that_another_has_taken_the_place_of_serves_nobody),
      TEST (two_live_stores_of_one_name_do_not_end_each_other),
      TEST (an_adoption_is_told_in_the_ledger),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
