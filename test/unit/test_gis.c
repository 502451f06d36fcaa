/*  gis: what the directory accepts, refuses, tells and forgets. The test asks the core alone. */
#include "../gis_everybody.h"
#include "directory_entry.h"
#include "gis_fixture.h"
#include "message.h"
#include "roster.h"

#include "bus.pb-c.h"

#include "gis.pb-c.h"

static const char *const other_gis [] = {"sim://gis/g2"};
static const char *const administrators [] = {"root"};

static gis_settings_t settings_of (const char *name)
{
    gis_settings_t settings = gis_for_everybody ();
    settings.name = name;
    settings.access.administrators = administrators;
    settings.access.administrators_count = 1;
    return settings;
}

static node_t *gis_alone (world_t *world)
{
    gis_settings_t settings = settings_of ("gis/g1");
    return gis_new (world, &settings);
}

static directory_entry_t entry_of (const char *name, uint8_t store, uint32_t start)
{
    directory_entry_t entry = {.store = {store}, .start = start};
    snprintf (entry.name, sizeof entry.name, "%s", name);
    snprintf (entry.endpoint, sizeof entry.endpoint, "sim://%.40s", name);
    return entry;
}

static call_status_t announce_as (node_t *gis, const char *actor, const directory_entry_t *entry,
                                  uint32_t lease_ms)
{
    return ask_packed (gis, actor, "Gis", "Announce", announce_encode (entry, lease_ms));
}

static call_status_t announce (node_t *gis, const char *name, uint8_t store, uint32_t start,
                               uint32_t lease_ms)
{
    directory_entry_t entry = entry_of (name, store, start);
    return announce_as (gis, name, &entry, lease_ms);
}

static call_status_t withdraw_as (node_t *gis, const char *actor, const char *name, uint8_t store,
                                  uint32_t start)
{
    uint8_t id [STORE_ID_BYTES] = {store};
    Musubi__WithdrawRequest request = MUSUBI__WITHDRAW_REQUEST__INIT;
    request.name = (char *) name;
    request.store = (ProtobufCBinaryData){.len = sizeof id, .data = id};
    request.start = start;
    packed_t body;
    body.data = message_pack (&request.base, &body.size);
    return ask_packed (gis, actor, "Gis", "Withdraw", body);
}

static directory_snapshot_t snapshot (node_t *gis, const char *after, const directory_mark_t *have)
{
    snapshot_request_t question = {0};
    char why [WHY_BYTES];
    directory_snapshot_t taken;
    snprintf (question.after, sizeof question.after, "%s", after);
    if (have)
        question.have = *have;
    assert_int_equal (ask_packed (gis, "anybody", "Gis", "Snapshot",
                                  codec_encode (&snapshot_request_codec, &question)),
                      CALL_OK);
    assert_true (
      codec_decode (&directory_snapshot_codec, &taken, kept_bytes (gis->world->body), why));
    return taken;
}

/*  Names of the entries of a page that is asked for. */
static const char *page_names (node_t *gis, const snapshot_request_t *question)
{
    static char names [512];
    char why [WHY_BYTES];
    directory_snapshot_t taken;
    size_t at = 0;
    assert_int_equal (
      ask_packed (gis, "x", "Gis", "Snapshot", codec_encode (&snapshot_request_codec, question)),
      CALL_OK);
    assert_true (
      codec_decode (&directory_snapshot_codec, &taken, kept_bytes (gis->world->body), why));
    names [0] = '\0';
    for (size_t i = 0; i < taken.entries_count; i++)
        at += (size_t) snprintf (names + at, sizeof names - at, "%s%s", i ? " " : "",
                                 taken.entries [i].name);
    for (size_t i = 0; i < taken.gone_count; i++)
        at += (size_t) snprintf (names + at, sizeof names - at, " -%s", taken.gone [i]);
    codec_clear (&directory_snapshot_codec, &taken);
    return names;
}

/*  The start number with which the name is listed; 0 = it is not listed. */
static uint32_t listed (node_t *gis, const char *name)
{
    directory_snapshot_t all = snapshot (gis, "", NULL);
    uint32_t start = 0;
    for (size_t i = 0; i < all.entries_count; i++)
        if (strcmp (all.entries [i].name, name) == 0)
            start = all.entries [i].start;
    codec_clear (&directory_snapshot_codec, &all);
    return start;
}

static uint64_t number_of (node_t *gis)
{
    directory_snapshot_t all = snapshot (gis, "", NULL);
    uint64_t number = all.mark.number;
    codec_clear (&directory_snapshot_codec, &all);
    return number;
}

static void it_lists_itself_for_ever (void **state)
{
    world_t *world = *state;
    node_t *gis = gis_alone (world);
    assert_int_equal (listed (gis, "gis/g1"), 1);
    world_run (world, 1000000);
    assert_int_equal (listed (gis, "gis/g1"), 1);
    assert_int_equal (withdraw_as (gis, "root", "gis/g1", 1, 1), CALL_OK);
    assert_int_equal (listed (gis, "gis/g1"), 1);
    assert_int_equal (announce (gis, "gis/g1", 77, 1, 5000), CALL_DENIED); /* an impostor */
}

static void a_snapshot_tells_who_tells_and_how_far (void **state)
{
    world_t *world = *state;
    node_t *gis = gis_alone (world);
    announce (gis, "lis/b", 10, 1, 5000);
    announce (gis, "lis/a", 11, 1, 5000);
    directory_snapshot_t all = snapshot (gis, "", NULL);
    assert_int_equal (all.entries_count, 3);
    assert_string_equal (all.entries [0].name, "gis/g1");
    assert_string_equal (all.entries [1].name, "lis/a");
    assert_string_equal (all.entries [2].name, "lis/b");
    assert_memory_equal (all.mark.store, gis->host.store.id, STORE_ID_BYTES);
    assert_int_equal (all.mark.start, gis->host.store.start);
    assert_int_equal (all.mark.number, 3);
    assert_int_equal (all.homes_count, 1);
    assert_string_equal (all.homes [0], "gis/g1");
    directory_snapshot_t again = snapshot (gis, "", &all.mark);
    assert_true (again.unchanged);
    assert_int_equal (again.entries_count, 0);
    codec_clear (&directory_snapshot_codec, &again);
    announce (gis, "lis/c", 12, 1, 5000);
    again = snapshot (gis, "", &all.mark);
    assert_false (again.unchanged);
    assert_int_equal (again.entries_count, 4);
    codec_clear (&directory_snapshot_codec, &again);
    codec_clear (&directory_snapshot_codec, &all);
}

static directory_snapshot_t changes_since (node_t *gis, uint64_t number)
{
    snapshot_request_t question = {.changes = true};
    directory_snapshot_t taken;
    char why [WHY_BYTES];
    question.have = (directory_mark_t){.start = gis->host.store.start, .number = number};
    memcpy (question.have.store, gis->host.store.id, STORE_ID_BYTES);
    assert_int_equal (ask_packed (gis, "anybody", "Gis", "Snapshot",
                                  codec_encode (&snapshot_request_codec, &question)),
                      CALL_OK);
    assert_true (
      codec_decode (&directory_snapshot_codec, &taken, kept_bytes (gis->world->body), why));
    return taken;
}

static void who_missed_a_few_changes_is_told_those (void **state)
{
    world_t *world = *state;
    node_t *gis = gis_alone (world);
    announce (gis, "lis/a", 10, 1, 5000);
    announce (gis, "lis/b", 11, 1, 5000);
    uint64_t number = number_of (gis);
    announce (gis, "lis/d", 13, 1, 5000);
    announce (gis, "lis/c", 12, 1, 5000);
    announce (gis, "lis/c", 12, 2, 5000);
    withdraw_as (gis, "root", "lis/b", 11, 1);
    withdraw_as (gis, "root", "lis/d", 13, 1);
    announce (gis, "lis/d", 14, 1, 5000);
    directory_snapshot_t told = changes_since (gis, number);
    assert_true (told.changes);
    assert_int_equal (told.mark.number, number + 6);
    assert_int_equal (told.entries_count, 2);
    assert_string_equal (told.entries [0].name, "lis/c");
    assert_int_equal (told.entries [0].start, 2);
    assert_string_equal (told.entries [1].name, "lis/d");
    assert_int_equal (told.entries [1].store [0], 14);
    assert_int_equal (told.gone_count, 1);
    assert_string_equal (told.gone [0], "lis/b");
    codec_clear (&directory_snapshot_codec, &told);
    told = changes_since (gis, number + 6);
    assert_true (told.unchanged);
    codec_clear (&directory_snapshot_codec, &told);
}

/*  The log is a ring; and a page has an end. */
static void who_wants_some_kinds_is_told_of_those (void **state)
{
    static const char *const names [] = {"indexes/x", "index/b",   "lis/a",
                                         "replica/a", "planner/p", "index/a"};
    char kinds [2][NAME_BYTES_MAX + 1] = {"replica", "index"};
    world_t *world = *state;
    node_t *gis = gis_alone (world);
    for (uint8_t i = 0; i < 6; i++)
        announce (gis, names [i], i + 10, 1, 5000);
    snapshot_request_t question = {.kinds = kinds, .kinds_count = 2, .changes = true};
    assert_string_equal (page_names (gis, &question), "index/a index/b replica/a");
    strcpy (question.after, "index/a");
    assert_string_equal (page_names (gis, &question), "index/b replica/a");
    strcpy (question.after, "index/b");
    assert_string_equal (page_names (gis, &question), "replica/a");
    strcpy (question.after, "replica/a");
    assert_string_equal (page_names (gis, &question), "");

    strcpy (question.after, "");
    question.have = (directory_mark_t){.start = gis->host.store.start, .number = number_of (gis)};
    memcpy (question.have.store, gis->host.store.id, STORE_ID_BYTES);
    announce (gis, "lis/c", 20, 1, 5000);
    announce (gis, "index/c", 21, 1, 5000);
    withdraw_as (gis, "lis/a", "lis/a", 12, 1);
    withdraw_as (gis, "replica/a", "replica/a", 13, 1);
    assert_string_equal (page_names (gis, &question), "index/c -replica/a");
}

static void who_missed_too_much_is_told_everything (void **state)
{
    world_t *world = *state;
    node_t *gis = gis_alone (world);
    uint64_t number = number_of (gis);
    for (uint32_t start = 1; start <= ROSTER_LOG_MAX; start++)
        announce (gis, "lis/a", 10, start, 5000);
    directory_snapshot_t told = changes_since (gis, number);
    assert_true (told.changes);
    assert_int_equal (told.entries_count, 1);
    codec_clear (&directory_snapshot_codec, &told);
    announce (gis, "lis/a", 10, ROSTER_LOG_MAX + 1, 5000);
    told = changes_since (gis, number);
    assert_false (told.changes);
    assert_int_equal (told.entries_count, 2);
    assert_int_equal (told.homes_count, 1);
    codec_clear (&directory_snapshot_codec, &told);
}

static void services_are_found_by_name (void **state)
{
    static char names [3][NAME_BYTES_MAX + 1] = {"lis/b", "lis/nowhere", "lis/a"};
    world_t *world = *state;
    node_t *gis = gis_alone (world);
    found_t found;
    char why [WHY_BYTES];
    announce (gis, "lis/a", 10, 1, 5000);
    announce (gis, "lis/b", 11, 1, 5000);
    announce (gis, "lis/c", 12, 1, 5000);
    assert_int_equal (
      ask_packed (gis, "anybody", "Gis", "Find",
                  codec_encode (&find_codec, &(find_t){.names = names, .names_count = 3})),
      CALL_OK);
    assert_true (codec_decode (&found_codec, &found, kept_bytes (world->body), why));
    assert_int_equal (found.entries_count, 2);
    assert_string_equal (found.entries [0].name, "lis/b");
    assert_string_equal (found.entries [1].name, "lis/a");
    assert_string_equal (found.entries [1].endpoint, "sim://lis/a");
    codec_clear (&found_codec, &found);
}

static void a_repeat_keeps_the_lease_and_is_no_change (void **state)
{
    world_t *world = *state;
    node_t *gis = gis_alone (world);
    announce (gis, "lis/a", 10, 1, 5000);
    uint64_t number = number_of (gis);
    for (int i = 0; i < 10; i++) {
        world_run (world, 4000);
        assert_int_equal (announce (gis, "lis/a", 10, 1, 5000), CALL_OK);
    }
    assert_int_equal (number_of (gis), number);
    world_run (world, 4999);
    assert_int_equal (listed (gis, "lis/a"), 1);
    world_run (world, 2);
    assert_int_equal (listed (gis, "lis/a"), 0);
    assert_int_equal (number_of (gis), number + 1);
}

static void a_shorter_lease_counts_from_its_repeat (void **state)
{
    world_t *world = *state;
    node_t *gis = gis_alone (world);
    announce (gis, "lis/a", 10, 1, 60000);
    announce (gis, "lis/a", 10, 1, 5000);
    world_run (world, 5001);
    assert_int_equal (listed (gis, "lis/a"), 0);
}

static void leases_are_brought_into_bounds (void **state)
{
    static const struct {
        uint32_t asked_ms;
        uint32_t granted_ms;
    } cases [] = {{0, DIRECTORY_LEASE_MS}, {1, 3000}, {5000, 5000}, {UINT32_MAX, 60000}};
    world_t *world = *state;
    node_t *gis = gis_alone (world);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        announce_answer_t answer;
        char why [WHY_BYTES];
        assert_int_equal (announce (gis, "lis/a", 10, 1, cases [i].asked_ms), CALL_OK);
        assert_true (codec_decode (&announce_answer_codec, &answer, kept_bytes (world->body), why));
        assert_int_equal (answer.lease_ms, cases [i].granted_ms);
        assert_false (answer.before_set);
        assert_int_equal (answer.wall_ms, EPOCH_MS + world->now_ms);
    }
}

static void a_name_belongs_to_its_store_until_its_lease_ends (void **state)
{
    world_t *world = *state;
    node_t *gis = gis_alone (world);
    announce (gis, "lis/a", 10, 1, 5000);
    assert_int_equal (announce (gis, "lis/a", 99, 7, 5000), CALL_DENIED);
    assert_non_null (strstr (world->reason, "another store"));
    assert_int_equal (listed (gis, "lis/a"), 1);
    world_run (world, 5001);
    assert_int_equal (announce (gis, "lis/a", 99, 7, 5000), CALL_OK);
    assert_int_equal (listed (gis, "lis/a"), 7);
}

static void a_later_start_takes_its_place_and_an_earlier_one_is_refused (void **state)
{
    world_t *world = *state;
    node_t *gis = gis_alone (world);
    announce (gis, "lis/a", 10, 4, 5000);
    assert_int_equal (announce (gis, "lis/a", 10, 5, 5000), CALL_OK);
    assert_int_equal (announce (gis, "lis/a", 10, 4, 5000), CALL_DENIED); /* it was late */
    assert_int_equal (listed (gis, "lis/a"), 5);
}

static void names_are_announced_by_their_bearers_only (void **state)
{
    world_t *world = *state;
    node_t *gis = gis_alone (world);
    directory_entry_t entry = entry_of ("lis/a", 10, 1);
    assert_int_equal (announce_as (gis, "lis/b", &entry, 5000), CALL_DENIED);
    assert_int_equal (announce_as (gis, "", &entry, 5000), CALL_DENIED);
    assert_int_equal (listed (gis, "lis/a"), 0);
    assert_int_equal (announce_as (gis, "root", &entry, 5000), CALL_OK);
    assert_int_equal (withdraw_as (gis, "lis/b", "lis/a", 10, 1), CALL_DENIED);
    assert_int_equal (listed (gis, "lis/a"), 1);
}

static void withdrawing_names_one_start_of_one_store (void **state)
{
    world_t *world = *state;
    node_t *gis = gis_alone (world);
    announce (gis, "lis/a", 10, 2, 5000);
    assert_int_equal (withdraw_as (gis, "lis/a", "lis/a", 10, 1), CALL_OK); /* one before */
    assert_int_equal (withdraw_as (gis, "lis/a", "lis/a", 11, 2), CALL_OK); /* another */
    assert_int_equal (listed (gis, "lis/a"), 2);
    assert_int_equal (withdraw_as (gis, "lis/a", "lis/a", 10, 2), CALL_OK);
    assert_int_equal (listed (gis, "lis/a"), 0);
    assert_int_equal (withdraw_as (gis, "lis/a", "lis/a", 10, 2), CALL_OK); /* repeats */
}

static void announce_free (node_t *gis, const char *name, uint8_t store, uint8_t level)
{
    directory_entry_t entry = entry_of (name, store, 1);
    uint8_t levels [] = {1, level};
    free_summary_t summary = {EPOCH_MS, levels, sizeof levels};
    announcement_t told = {.entry = codec_encode (&directory_entry_codec, &entry),
                           .lease_ms = 5000,
                           .wall_ms = EPOCH_MS};
    if (level)
        told.summary = codec_encode (&free_summary_codec, &summary);
    packed_t body = codec_encode (&announcement_codec, &told);
    codec_clear (&announcement_codec, &told);
    assert_int_equal (ask_packed (gis, name, "Gis", "Announce", body), CALL_OK);
}

/*  Expects these names, and of each this level; 0 = nothing is told of it. */
static void expect_summaries (node_t *gis, directory_mark_t *have, const char *const *names,
                              const uint8_t *levels, size_t count)
{
    summaries_page_t page;
    char why [WHY_BYTES];
    assert_int_equal (ask_packed (gis, "anybody", "Gis", "Summaries",
                                  codec_encode (&summaries_question_codec, have)),
                      CALL_OK);
    assert_true (codec_decode (&summaries_page_codec, &page, kept_bytes (gis->world->body), why));
    assert_int_equal (page.summaries_count, count);
    assert_false (page.more);
    for (size_t i = 0; i < count; i++) {
        free_summary_t summary = {0};
        assert_string_equal (page.summaries [i].name, names [i]);
        if (page.summaries [i].summary.size > 0)
            assert_true (codec_decode (&free_summary_codec, &summary,
                                       packed_bytes (page.summaries [i].summary), why));
        assert_int_equal (summary.levels_size ? summary.levels [1] : 0, levels [i]);
        codec_clear (&free_summary_codec, &summary);
    }
    *have = page.mark;
    codec_clear (&summaries_page_codec, &page);
}

/*  A changed summary is told to who asks for it, once, and is no change of the entry. */
static void summaries_are_told_since_a_number (void **state)
{
    world_t *world = *state;
    node_t *gis = gis_alone (world);
    directory_mark_t have = {0};
    expect_summaries (gis, &have, NULL, NULL, 0);
    announce_free (gis, "lis/a", 10, 5);
    announce_free (gis, "lis/b", 11, 6);
    announce_free (gis, "lis/c", 12, 0); /* tells none */
    directory_snapshot_t before = snapshot (gis, "", NULL);
    expect_summaries (gis, &have, (const char *[]){"lis/a", "lis/b"}, (uint8_t []){5, 6}, 2);
    announce_free (gis, "lis/b", 11, 6);
    expect_summaries (gis, &have, NULL, NULL, 0);
    announce_free (gis, "lis/b", 11, 7);
    announce_free (gis, "lis/a", 10, 0);
    directory_mark_t other = have;
    expect_summaries (gis, &have, (const char *[]){"lis/b", "lis/a"}, (uint8_t []){7, 0}, 2);
    other.start++;
    expect_summaries (gis, &other, (const char *[]){"lis/b", "lis/a"}, (uint8_t []){7, 0}, 2);
    directory_snapshot_t after = snapshot (gis, "", NULL);
    assert_int_equal (after.mark.number, before.mark.number);
    codec_clear (&directory_snapshot_codec, &before);
    codec_clear (&directory_snapshot_codec, &after);
    withdraw_as (gis, "lis/b", "lis/b", 11, 1);
    expect_summaries (gis, &(directory_mark_t){0}, (const char *[]){"lis/a"}, (uint8_t []){0}, 1);
}

static void a_full_table_refuses_new_names_only (void **state)
{
    world_t *world = *state;
    gis_settings_t settings = settings_of ("gis/g1");
    settings.entries_max = 3;
    node_t *gis = gis_new (world, &settings);
    assert_int_equal (announce (gis, "lis/a", 10, 1, 5000), CALL_OK);
    assert_int_equal (announce (gis, "lis/b", 11, 1, 5000), CALL_OK);
    assert_int_equal (announce (gis, "lis/c", 12, 1, 5000), CALL_OVERLOADED);
    assert_non_null (strstr (world->reason, "entries_max"));
    assert_int_equal (announce (gis, "lis/b", 11, 2, 5000), CALL_OK);
    withdraw_as (gis, "lis/a", "lis/a", 10, 1);
    assert_int_equal (announce (gis, "lis/c", 12, 1, 5000), CALL_OK);
}

static void an_entry_too_large_is_refused (void **state)
{
    world_t *world = *state;
    node_t *gis = gis_alone (world);
    char *endpoint = calloc (1, GIS_ENTRY_BYTES_MAX + 1);
    assert_non_null (endpoint);
    memset (endpoint, 'e', GIS_ENTRY_BYTES_MAX);
    Musubi__Entry entry = MUSUBI__ENTRY__INIT;
    entry.name = "lis/a";
    entry.endpoint = endpoint;
    Musubi__AnnounceRequest request = MUSUBI__ANNOUNCE_REQUEST__INIT;
    request.entry = &entry;
    packed_t body;
    body.data = message_pack (&request.base, &body.size);
    free (endpoint);
    assert_int_equal (ask_packed (gis, "lis/a", "Gis", "Announce", body), CALL_BAD_REQUEST);
    assert_non_null (strstr (world->reason, "entry: larger"));
}

/*  A chain of routers with names as long as may be: the description is just below its limit. */
static domain_t large_domain (const char *name)
{
    enum { VERTICES = 2600, LINKS = VERTICES - 1 };
    domain_t domain = {.vertices_count = VERTICES, .links_count = LINKS};
    domain.vertices = calloc (VERTICES, sizeof *domain.vertices);
    domain.links = calloc (LINKS, sizeof *domain.links);
    assert_true (domain.vertices && domain.links);
    for (size_t i = 0; i < VERTICES; i++) {
        vertex_t *vertex = &domain.vertices [i];
        vertex->kind = VERTEX_ROUTER;
        snprintf (vertex->name, sizeof vertex->name, "%s/%060zu", name, i);
    }
    for (size_t i = 0; i < LINKS; i++) {
        link_t *link = &domain.links [i];
        snprintf (link->name, sizeof link->name, "%063zu", i);
        memcpy (link->ends [0], domain.vertices [i].name, sizeof link->ends [0]);
        memcpy (link->ends [1], domain.vertices [i + 1].name, sizeof link->ends [1]);
        link->mbps = 1000;
    }
    return domain;
}

static void large_domains_come_page_by_page (void **state)
{
    world_t *world = *state;
    node_t *gis = gis_alone (world);
    char why [WHY_BYTES];
    static const char *const names [] = {"nis/N", "nis/S"};
    for (uint8_t i = 0; i < 2; i++) {
        domain_t domain = large_domain (names [i] + 4);
        assert_true (domain_check (&domain, names [i] + 4, why));
        directory_entry_t entry = entry_of (names [i], (uint8_t) (10 + i), 1);
        entry.domain = &domain;
        packed_t packed = codec_encode (&directory_entry_codec, &entry);
        assert_in_range (packed.size, DOMAIN_BYTES_MAX * 8 / 10, DOMAIN_BYTES_MAX);
        free (packed.data);
        assert_int_equal (announce_as (gis, names [i], &entry, 5000), CALL_OK);
        codec_clear (&domain_codec, &domain);
    }
    announce (gis, "planner/p", 12, 1, 5000);
    const char *after = "";
    char last [NAME_BYTES_MAX + 1];
    size_t pages = 0;
    size_t links = 0;
    size_t entries = 0;
    for (bool more = true; more; pages++) {
        directory_snapshot_t page = snapshot (gis, after, NULL);
        for (size_t i = 0; i < page.entries_count; i++, entries++)
            links += page.entries [i].domain ? page.entries [i].domain->links_count : 0;
        more = page.more;
        memcpy (last, page.last, sizeof last);
        after = last;
        codec_clear (&directory_snapshot_codec, &page);
    }
    assert_int_equal (pages, 2);
    assert_int_equal (entries, 4);
    assert_int_equal (links, 2 * 2599);
}

static void a_domain_is_announced_by_a_network_domain_only (void **state)
{
    world_t *world = *state;
    node_t *gis = gis_alone (world);
    vertex_t vertices [] = {{.name = "X1", .kind = VERTEX_EXCHANGE}, {.name = "ams"}};
    link_t links [] = {{.name = "x1", .ends = {"ams", "X1"}, .mbps = 1000, .latency_us = 500}};
    domain_t domain = {.vertices = vertices, .vertices_count = 2, .links = links, .links_count = 1};
    directory_entry_t entry = entry_of ("lis/ams", 10, 1);
    entry.domain = &domain;
    assert_int_equal (announce_as (gis, "lis/ams", &entry, 5000), CALL_BAD_REQUEST);
    assert_non_null (strstr (world->reason, "entry.domain: only a network domain"));

    entry = entry_of ("nis/N", 10, 1);
    entry.domain = &domain;
    assert_int_equal (announce_as (gis, "nis/N", &entry, 5000), CALL_OK);
    snprintf (links [0].ends [1], sizeof links [0].ends [1], "X2");
    assert_int_equal (announce_as (gis, "nis/N", &entry, 5000), CALL_BAD_REQUEST);
    assert_string_equal (world->reason, "entry.domain: link x1: the domain has no vertex \"X2\"");
    directory_snapshot_t all = snapshot (gis, "", NULL);
    assert_string_equal (all.entries [1].name, "nis/N");
    assert_string_equal (all.entries [1].domain->links [0].ends [1], "X1"); /* as it was */
    assert_int_equal (all.entries [1].domain->links [0].latency_us, 500);
    codec_clear (&directory_snapshot_codec, &all);
}

static void fields_of_newer_peers_are_passed_on (void **state)
{
    world_t *world = *state;
    node_t *gis = gis_alone (world);
    directory_entry_t entry = entry_of ("nis/x", 10, 1);
    packed_t packed = codec_encode (&directory_entry_codec, &entry);
    static const uint8_t newer [] = {0xfa, 0x01, 3, 'n', 'e', 'w'}; /* field 31 */
    uint8_t request [256] = {0x0a, (uint8_t) (packed.size + sizeof newer)};
    assert_true (packed.size + sizeof newer < 100);
    memcpy (request + 2, packed.data, packed.size);
    memcpy (request + 2 + packed.size, newer, sizeof newer);
    bytes_t body = {.data = request, .size = 2 + packed.size + sizeof newer};
    free (packed.data);
    assert_int_equal (ask (gis, "nis/x", "Gis", "Announce", body), CALL_OK);
    directory_snapshot_t all = snapshot (gis, "", NULL);
    codec_clear (&directory_snapshot_codec, &all);
    assert_non_null (memmem (world->body.data, world->body.size, newer, sizeof newer));
}

/*  --- find --- */

static void announce_site (node_t *gis, const char *name, uint8_t store, const char *os,
                           uint32_t nodes, uint32_t cpus_per_node)
{
    attribute_t attributes [] = {{"os", ""}, {"memory", "64"}};
    snprintf (attributes [0].value, sizeof attributes [0].value, "%s", os);
    node_class_t classes [] = {{.name = "thin",
                                .nodes = nodes,
                                .cpus_per_node = cpus_per_node,
                                .attributes = attributes,
                                .attributes_count = 2},
                               {.name = "odd", .nodes = 1, .cpus_per_node = 1000}};
    site_t site = {.classes = classes, .classes_count = 2, .horizon_ms = 1000};
    directory_entry_t entry = entry_of (name, store, 1);
    entry.site = &site;
    assert_int_equal (announce_as (gis, name, &entry, 60000), CALL_OK);
}

/*  The names found, joined by blanks. */
static const char *find_names (node_t *gis, Musubi__FindRequest *request)
{
    static char names [1024];
    world_t *world = gis->world;
    packed_t body;
    body.data = message_pack (&request->base, &body.size);
    assert_int_equal (ask_packed (gis, "anybody", "Gis", "Find", body), CALL_OK);
    ProtobufCMessage *message =
      message_unpack (&musubi__find_answer__descriptor, kept_bytes (world->body));
    assert_non_null (message);
    const Musubi__FindAnswer *answer = (const Musubi__FindAnswer *) message;
    assert_false (answer->more);
    size_t at = 0;
    names [0] = '\0';
    for (size_t i = 0; i < answer->n_entries; i++)
        at += (size_t) snprintf (names + at, sizeof names - at, "%s%s", i ? " " : "",
                                 answer->entries [i]->name);
    message_free (message);
    return names;
}

/*  A repeated announcement that changes nothing makes no delta; a link out of service does. */
static void heartbeats_of_a_domain_are_no_changes (void **state)
{
    world_t *world = *state;
    node_t *gis = gis_alone (world);
    domain_t domain = large_domain ("N");
    directory_entry_t entry = entry_of ("nis/N", 10, 1);
    entry.domain = &domain;
    assert_int_equal (announce_as (gis, "nis/N", &entry, 5000), CALL_OK);
    uint64_t number = number_of (gis);
    for (int i = 0; i < 10; i++) {
        world_run (world, 4000);
        assert_int_equal (announce_as (gis, "nis/N", &entry, 5000), CALL_OK);
    }
    assert_int_equal (number_of (gis), number);
    domain.links [7].mbps = 0;
    assert_int_equal (announce_as (gis, "nis/N", &entry, 5000), CALL_OK);
    assert_int_equal (number_of (gis), number + 1);
    assert_int_equal (announce_as (gis, "nis/S", &entry, 5000), CALL_DENIED);
    codec_clear (&domain_codec, &domain);
    world_run (world, 5100);
    assert_int_equal (listed (gis, "nis/N"), 0);
}

static void domains_are_found_by_kind_and_have_no_cpus (void **state)
{
    world_t *world = *state;
    node_t *gis = gis_alone (world);
    vertex_t vertices [] = {{.name = "ams"}};
    domain_t domain = {.vertices = vertices, .vertices_count = 1};
    directory_entry_t entry = entry_of ("nis/N", 10, 1);
    entry.domain = &domain;
    assert_int_equal (announce_as (gis, "nis/N", &entry, 5000), CALL_OK);
    announce_site (gis, "lis/a", 11, "linux", 16, 4);
    Musubi__FindRequest find = MUSUBI__FIND_REQUEST__INIT;
    find.kind = "nis";
    assert_string_equal (find_names (gis, &find), "nis/N");
    find.cpus = 1;
    assert_string_equal (find_names (gis, &find), "");
    find.kind = "";
    assert_string_equal (find_names (gis, &find), "lis/a");
}

static void finds_by_kind_attributes_and_cpus (void **state)
{
    world_t *world = *state;
    node_t *gis = gis_alone (world);
    announce_site (gis, "lis/a", 10, "linux", 16, 4);
    announce_site (gis, "lis/b", 11, "solaris", 16, 4);
    announce_site (gis, "lis/c", 12, "linux", 2, 4);
    announce (gis, "planner/p", 13, 1, 60000);

    Musubi__FindRequest all = MUSUBI__FIND_REQUEST__INIT;
    assert_string_equal (find_names (gis, &all), "gis/g1 lis/a lis/b lis/c planner/p");
    all.kind = "planner";
    assert_string_equal (find_names (gis, &all), "planner/p");
    all.kind = "nis";
    assert_string_equal (find_names (gis, &all), "");
    all.kind = "lis";
    all.after = "lis/a";
    assert_string_equal (find_names (gis, &all), "lis/b lis/c");

    Musubi__FindRequest find = MUSUBI__FIND_REQUEST__INIT;
    find.cpus = 1000; /* only in the class without attributes */
    assert_string_equal (find_names (gis, &find), "lis/a lis/b lis/c");
    Musubi__Requirement os = MUSUBI__REQUIREMENT__INIT;
    os.attribute = "os";
    os.test_case = MUSUBI__REQUIREMENT__TEST_VALUE;
    os.value = "linux";
    Musubi__Requirement memory = MUSUBI__REQUIREMENT__INIT;
    memory.attribute = "memory";
    memory.test_case = MUSUBI__REQUIREMENT__TEST_MIN;
    memory.min = 32;
    Musubi__Requirement *require [] = {&os, &memory};
    find.require = require;
    find.n_require = 2;
    assert_string_equal (find_names (gis, &find), ""); /* by one class, not by two */
    find.cpus = 64;
    assert_string_equal (find_names (gis, &find), "lis/a");
    find.cpus = 0;
    assert_string_equal (find_names (gis, &find), "lis/a lis/c");
    memory.min = 128;
    assert_string_equal (find_names (gis, &find), "");
}

static void questions_that_cannot_be_meant_are_refused (void **state)
{
    world_t *world = *state;
    node_t *gis = gis_alone (world);
    Musubi__Requirement neither = MUSUBI__REQUIREMENT__INIT;
    neither.attribute = "os";
    Musubi__Requirement *require [FIND_REQUIRE_MAX + 1];
    for (size_t i = 0; i <= FIND_REQUIRE_MAX; i++)
        require [i] = &neither;
    Musubi__FindRequest find = MUSUBI__FIND_REQUEST__INIT;
    find.require = require;
    for (size_t n = 1; n <= FIND_REQUIRE_MAX + 1; n += FIND_REQUIRE_MAX) {
        find.n_require = n;
        packed_t body;
        body.data = message_pack (&find.base, &body.size);
        assert_int_equal (ask_packed (gis, "x", "Gis", "Find", body), CALL_BAD_REQUEST);
    }
    static const char *const methods [] = {"Announce", "Withdraw", "Snapshot", "Find"};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal (ask (gis, "x", "Gis", methods [i],
                               (bytes_t){.data = (const uint8_t *) "\xff\xff", .size = 2}),
                          CALL_BAD_REQUEST);
    assert_int_equal (ask (gis, "x", "Gis", "Announce", (bytes_t){0}), CALL_BAD_REQUEST);
    assert_int_equal (ask (gis, "x", "Gis", "Dance", (bytes_t){0}), CALL_UNKNOWN_METHOD);
}

static void messages_cut_short_or_scrambled_never_break_it (void **state)
{
    world_t *world = *state;
    node_t *gis = gis_alone (world);
    announce_site (gis, "lis/a", 10, "linux", 16, 4);
    directory_entry_t entry = entry_of ("lis/a", 10, 1);
    packed_t body = announce_encode (&entry, 5000);
    for (size_t size = 0; size < body.size; size++)
        ask (gis, "lis/a", "Gis", "Announce", (bytes_t){.data = body.data, .size = size});
    const uint64_t seed = 20260802;
    print_message ("seed %llu\n", (unsigned long long) seed);
    prng_t chance;
    prng_seed (&chance, seed);
    static const char *const services [] = {"Gis", "Gis", "Gis", "Gis", "Home", "Home"};
    static const char *const methods [] = {"Announce", "Withdraw", "Snapshot",
                                           "Find",     "Look",     "Close"};
    for (int i = 0; i < 20000; i++) {
        packed_t copy = kept_copy (kept_bytes (body));
        for (uint64_t k = prng_below (&chance, 4); k-- > 0;)
            copy.data [prng_below (&chance, copy.size)] = (uint8_t) prng_next (&chance);
        size_t which = prng_below (&chance, 6);
        ask_packed (gis, "lis/a", services [which], methods [which], copy);
    }
    free (body.data);
    assert_true (listed (gis, "gis/g1") > 0);
}

/*  --- two of them --- */

static void two_directories_list_each_other (void **state)
{
    world_t *world = *state;
    static const char *const first_gis [] = {"sim://gis/g1"};
    gis_settings_t first = settings_of ("gis/g1");
    gis_settings_t second = settings_of ("gis/g2");
    first.gis_endpoints = other_gis;
    second.gis_endpoints = first_gis;
    first.gis_count = second.gis_count = 1;
    node_t *g1 = gis_new (world, &first);
    node_t *g2 = gis_new (world, &second);
    world_run (world, 3000); /* the first one's first announcement found nobody */
    assert_int_equal (listed (g1, "gis/g2"), 1);
    assert_int_equal (listed (g2, "gis/g1"), 1);
    node_die (g2);
    world_run (world, 3 * DIRECTORY_LEASE_MS);
    assert_int_equal (listed (g1, "gis/g2"), 0);
    gis_up (g2, &second);
    world_run (world, 3000);
    assert_int_equal (listed (g1, "gis/g2"), 2);
    assert_int_equal (listed (g2, "gis/g1"), 1);
}

/*  A second process serves a copy of a store's folder. */
static void a_copy_of_a_store_that_is_served_beside_it_is_told (void **state)
{
    world_t *world = *state;
    static const char *const gis_endpoints [] = {"sim://gis/g1"};
    gis_settings_t settings = settings_of ("gis/g1");
    node_t *gis = gis_new (world, &settings);
    node_t *original = follower_new (world, "lis/ams", gis_endpoints, 1);
    world_run (world, 3000);
    node_die (original);
    follower_up (original, gis_endpoints, 1);
    world_run (world, 3000);
    node_t *copy = node_new (world, "lis/ams");
    memcpy (copy->host.store.id, original->host.store.id, STORE_ID_BYTES);
    snprintf (copy->endpoint, sizeof copy->endpoint, "sim://copy");
    copy->entry = original->entry;
    snprintf (copy->entry.endpoint, sizeof copy->entry.endpoint, "sim://copy");
    follower_up (copy, gis_endpoints, 1);
    world_run (world, 3000);
    assert_int_equal (ask (gis, "alice", "Service", "Status", (bytes_t){0}), CALL_OK);
    Musubi__StatusAnswer *answer = (Musubi__StatusAnswer *) message_unpack (
      &musubi__status_answer__descriptor, kept_bytes (world->body));
    assert_int_equal (answer->n_warnings, 1);
    assert_non_null (strstr (answer->warnings [0], "lis/ams is served twice"));
    assert_non_null (strstr (answer->warnings [0], "sim://copy"));
    assert_non_null (strstr (answer->warnings [0], "sim://lis/ams"));
    message_free (&answer->base);
    node_die (copy);
    world_run (world, GIS_COPY_TOLD_MS);
    assert_int_equal (ask (gis, "alice", "Service", "Status", (bytes_t){0}), CALL_OK);
    answer = (Musubi__StatusAnswer *) message_unpack (&musubi__status_answer__descriptor,
                                                      kept_bytes (world->body));
    assert_int_equal (answer->n_warnings, 0);
    message_free (&answer->base);
}

static void settings_are_copied (void **state)
{
    world_t *world = *state;
    char name [] = "gis/g1";
    char home [] = "gis/g1";
    const char *list [] = {home};
    gis_settings_t settings = settings_of (name);
    settings.homes = list;
    settings.homes_count = 1;
    node_t *gis = gis_new (world, &settings);
    memset (name, 'x', 6);
    memset (home, 'x', 6);
    list [0] = NULL;
    directory_snapshot_t all = snapshot (gis, "", NULL);
    assert_string_equal (all.homes [0], "gis/g1");
    assert_string_equal (all.entries [0].name, "gis/g1");
    codec_clear (&directory_snapshot_codec, &all);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
#define TEST(name) cmocka_unit_test_setup_teardown (name, world_set_up, world_tear_down)
      TEST (it_lists_itself_for_ever),
      TEST (a_copy_of_a_store_that_is_served_beside_it_is_told),
      TEST (a_snapshot_tells_who_tells_and_how_far),
      TEST (who_missed_a_few_changes_is_told_those),
      TEST (who_wants_some_kinds_is_told_of_those),
      TEST (who_missed_too_much_is_told_everything),
      TEST (services_are_found_by_name),
      TEST (a_repeat_keeps_the_lease_and_is_no_change),
      TEST (a_shorter_lease_counts_from_its_repeat),
      TEST (leases_are_brought_into_bounds),
      TEST (a_name_belongs_to_its_store_until_its_lease_ends),
      TEST (a_later_start_takes_its_place_and_an_earlier_one_is_refused),
      TEST (names_are_announced_by_their_bearers_only),
      TEST (withdrawing_names_one_start_of_one_store),
      TEST (summaries_are_told_since_a_number),
      TEST (a_full_table_refuses_new_names_only),
      TEST (an_entry_too_large_is_refused),
      TEST (large_domains_come_page_by_page),
      TEST (a_domain_is_announced_by_a_network_domain_only),
      TEST (fields_of_newer_peers_are_passed_on),
      TEST (finds_by_kind_attributes_and_cpus),
      TEST (heartbeats_of_a_domain_are_no_changes),
      TEST (domains_are_found_by_kind_and_have_no_cpus),
      TEST (questions_that_cannot_be_meant_are_refused),
      TEST (messages_cut_short_or_scrambled_never_break_it),
      TEST (two_directories_list_each_other),
      TEST (settings_are_copied),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
