/*  gis_config: a GIS's file becomes its settings; contradictions are told with the key. */
#include "gis_config.h"

#include "gis_fixture.h"

typedef struct {
    world_t *world;
    char why [LONG_WHY_BYTES];
} gis_config_fixture_t;

static int set_up (void **state)
{
    gis_config_fixture_t *self = calloc (1, sizeof *self);
    assert_non_null (self);
    void *world;
    world_set_up (&world);
    self->world = world;
    *state = self;
    return 0;
}

static int tear_down (void **state)
{
    gis_config_fixture_t *self = *state;
    void *world = self->world;
    world_tear_down (&world);
    free (self);
    return 0;
}

/*  The core that a file describes; false with why when it is refused. */
static bool core_of (gis_config_fixture_t *self, const char *text, core_t *core)
{
    static const setting_table_t *const tables [] = {&gis_file_table};
    config_t *config =
      config_open_text ("g.zpl", text, strlen (text), NULL, 0, tables, 1, self->why);
    if (!config)
        return false;
    bool good = gis_core_from_config (config, core, self->why);
    config_destroy (&config);
    return good;
}

/*  Its first snapshot, when it serves. */
static directory_snapshot_t snapshot_of (gis_config_fixture_t *self, const char *text)
{
    node_t *node = node_new (self->world, "gis/g1");
    directory_snapshot_t snapshot;
    char why [WHY_BYTES];
    snapshot_request_t question = {0};
    assert_true (core_of (self, text, &node->host.core));
    node_up (node);
    assert_int_equal (
      ask_packed (node, "x", "Gis", "Snapshot", codec_encode (&snapshot_request_codec, &question)),
      CALL_OK);
    assert_true (
      codec_decode (&directory_snapshot_codec, &snapshot, kept_bytes (self->world->body), why));
    return snapshot;
}

static void a_name_is_all_it_needs (void **state)
{
    directory_snapshot_t snapshot = snapshot_of (*state, "name = \"g1\"\n");
    assert_string_equal (snapshot.entries [0].name, "gis/g1");
    assert_int_equal (snapshot.homes_count, 1);
    assert_string_equal (snapshot.homes [0], "gis/g1");
    codec_clear (&directory_snapshot_codec, &snapshot);
}

static void homes_keep_their_order_and_need_no_prefix (void **state)
{
    directory_snapshot_t snapshot = snapshot_of (
      *state, "name = \"gis/g1\"\nhomes = \"g2, gis/g1,g3\"\ngis = \"sim://a,sim://b\"\n");
    assert_int_equal (snapshot.homes_count, 3);
    assert_string_equal (snapshot.homes [0], "gis/g2");
    assert_string_equal (snapshot.homes [1], "gis/g1");
    assert_string_equal (snapshot.homes [2], "gis/g3");
    codec_clear (&directory_snapshot_codec, &snapshot);
}

static void contradictions_are_refused_by_key (void **state)
{
    static const struct {
        const char *text;
        const char *why;
    } cases [] = {
      {"", "name"},
      {"name = \"g/1\"\n", "name:"},
      {"name = \"g1,g2\"\n", "name:"},
      {"name = \"gis/\"\n", "name:"},
      {"name = \"g1\"\nhomes = \"g2,g3\"\n", "homes: must include gis/g1"},
      {"name = \"g1\"\nhomes = \"g1,g1\"\n", "homes: gis/g1"},
      {"name = \"g1\"\nhomes = \"g1,g@2\"\n", "homes:"},
      {"name = \"g1\"\ngis = \"sim://a,sim://a\"\n", "gis: sim://a is named twice"},
      {"name = \"g1\"\nactors = \"alice,bob,alice\"\n", "actors: alice is named twice"},
      {"name = \"g1\"\nlease_min = \"20s\"\n",
       "lease_min is no setting any more: it is fixed at 3s"},
      {"name = \"g1\"\nlease_max = \"10ms\"\n", "lease_max"},
      {"name = \"g1\"\nlimits\n    hold_ttl = \"400s\"\n",
       "limits/hold_ttl is no setting any more: it is 60s"},
      {"name = \"g1\"\nlimits\n    hold_ttl_max = \"25h\"\n", "limits/hold_ttl_max:"},
      {"name = \"g1\"\nlimits\n    doubt_max = \"16s\"\n",
       "limits/doubt_max is no setting any more: it is 15s, or limits/doubt if that is longer, "
       "15s"},
      {"name = \"g1\"\nlimits\n    entries_max = \"0\"\n", "entries_max"},
      {"name = \"g1\"\nhome = \"g1\"\n", "home"},
    };
    gis_config_fixture_t *self = *state;
    core_t core;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_false (core_of (self, cases [i].text, &core));
        assert_non_null (strstr (self->why, cases [i].why));
    }
}

static void names_too_long_are_refused (void **state)
{
    static const char *const keys [] = {"name", "actors", "administrators", "homes"};
    gis_config_fixture_t *self = *state;
    core_t core;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char text [256];
        snprintf (text, sizeof text, "%s%s = \"%080d\"\n", i ? "name = \"g1\"\n" : "", keys [i], 1);
        assert_false (core_of (self, text, &core));
        assert_non_null (strstr (self->why, keys [i]));
    }
}

int main (void)
{
    const struct CMUnitTest tests [] = {
#define TEST(name) cmocka_unit_test_setup_teardown (name, set_up, tear_down)
      TEST (a_name_is_all_it_needs),
      TEST (homes_keep_their_order_and_need_no_prefix),
      TEST (contradictions_are_refused_by_key),
      TEST (names_too_long_are_refused),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
