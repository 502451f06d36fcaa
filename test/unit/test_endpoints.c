/*  endpoints - the order in which the command line, the environment, the settings and the last
 *  federation are believed.
 */
#include "endpoints.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct {
    char folder [64];
    endpoints_t places;
} endpoints_fixture_t;

static void write_text (const endpoints_fixture_t *self, const char *name, const char *text)
{
    char path [128];
    snprintf (path, sizeof path, "%s/%s", self->folder, name);
    FILE *file = fopen (path, "w");
    assert_non_null (file);
    fputs (text, file);
    fclose (file);
}

/*  A user with no environment, no settings and no federation. */
static int set_up (void **state)
{
    endpoints_fixture_t *self = calloc (1, sizeof *self);
    if (!self)
        return -1;
    snprintf (self->folder, sizeof self->folder, "/tmp/musubi-test-places.XXXXXX");
    *state = self;
    unsetenv ("MUSUBI_GIS");
    unsetenv ("MUSUBI_ACTOR");
    setenv ("USER", "carol", 1);
    return mkdtemp (self->folder) && setenv ("XDG_CONFIG_HOME", self->folder, 1) == 0 &&
               setenv ("XDG_STATE_HOME", self->folder, 1) == 0
             ? 0
             : -1;
}

static int tear_down (void **state)
{
    endpoints_fixture_t *self = *state;
    static const char *const names [] = {"musubi.zpl",        "gis",    "musubi/federation/gis",
                                         "musubi/federation", "musubi", ""};
    endpoints_clear (&self->places);
    for (size_t i = 0; i < sizeof names / sizeof names [0]; i++) {
        char path [128];
        snprintf (path, sizeof path, "%s/%s", self->folder, names [i]);
        remove (path);
    }
    free (self);
    return 0;
}

static void assert_gis (endpoints_fixture_t *self, const cli_t *cli, const char *wanted)
{
    endpoints_clear (&self->places);
    assert_true (endpoints_find (&self->places, cli));
    assert_string_equal (self->places.gis [0], wanted);
}

static void the_nearer_place_is_believed (void **state)
{
    endpoints_fixture_t *self = *state;
    char path [128];
    cli_t cli = {0};
    assert_false (endpoints_find (&self->places, &cli));

    snprintf (path, sizeof path, "%s/musubi", self->folder);
    mkdir (path, 0755);
    snprintf (path, sizeof path, "%s/musubi/federation", self->folder);
    mkdir (path, 0755);
    write_text (self, "musubi/federation/gis", "tcp://running:1\n");
    assert_gis (self, &cli, "tcp://running:1");

    write_text (self, "musubi.zpl", "gis = \"tcp://settings:1\"\ntimeout = 3s\n");
    assert_gis (self, &cli, "tcp://settings:1");
    assert_true (self->places.timeout_ms == 3000);

    setenv ("MUSUBI_GIS", "tcp://environment:1", 1);
    assert_gis (self, &cli, "tcp://environment:1");

    write_text (self, "gis", "tcp://folder:1\n");
    cli.dir = self->folder;
    assert_gis (self, &cli, "tcp://folder:1");

    cli.gis = "tcp://option:1";
    cli.timeout_ms = 5;
    assert_gis (self, &cli, "tcp://option:1");
    assert_true (self->places.timeout_ms == 5);
}

static void a_folder_without_a_running_federation_is_no_place (void **state)
{
    endpoints_fixture_t *self = *state;
    setenv ("MUSUBI_GIS", "tcp://environment:1", 1);
    cli_t cli = {.dir = self->folder};
    assert_false (endpoints_find (&self->places, &cli));
}

static void several_directories_stand_in_one_text (void **state)
{
    endpoints_fixture_t *self = *state;
    cli_t cli = {.gis = "tcp://a:1,ipc://b, tcp://c:3"};
    assert_gis (self, &cli, "tcp://a:1");
    assert_int_equal (self->places.gis_count, 3);
    assert_string_equal (self->places.gis [1], "ipc://b");
    assert_string_equal (self->places.gis [2], "tcp://c:3");
    cli.gis = "localhost:5600,[::1]:5601";
    assert_gis (self, &cli, "tcp://localhost:5600");
    assert_string_equal (self->places.gis [1], "tcp://[::1]:5601");
}

static void what_is_no_endpoint_is_refused (void **state)
{
    endpoints_fixture_t *self = *state;
    static const char *const cases [] = {"",    ",",        "localhost",  ":5600",
                                         "a:b", "http://a", "tcp://a:1,b"};
    for (size_t i = 0; i < sizeof cases / sizeof cases [0]; i++) {
        cli_t cli = {.gis = cases [i]};
        assert_false (endpoints_find (&self->places, &cli));
        endpoints_clear (&self->places);
    }
}

static void the_actor_is_the_option_or_the_environment_or_the_user (void **state)
{
    endpoints_fixture_t *self = *state;
    cli_t cli = {.gis = "tcp://a:1"};
    assert_gis (self, &cli, "tcp://a:1");
    assert_string_equal (self->places.actor, "carol");
    write_text (self, "musubi.zpl", "actor = dave\n");
    assert_gis (self, &cli, "tcp://a:1");
    assert_string_equal (self->places.actor, "dave");
    setenv ("MUSUBI_ACTOR", "bob", 1);
    assert_gis (self, &cli, "tcp://a:1");
    assert_string_equal (self->places.actor, "bob");
    cli.actor = "alice";
    assert_gis (self, &cli, "tcp://a:1");
    assert_string_equal (self->places.actor, "alice");
    cli.actor = "";
    endpoints_clear (&self->places);
    assert_false (endpoints_find (&self->places, &cli));
}

static void wrong_settings_are_told_not_passed_over (void **state)
{
    endpoints_fixture_t *self = *state;
    write_text (self, "musubi.zpl", "gsi = \"tcp://a:1\"\n");
    cli_t cli = {.gis = "tcp://a:1"};
    assert_false (endpoints_find (&self->places, &cli));
}

#define TEST(name) cmocka_unit_test_setup_teardown (name, set_up, tear_down)

int main (void)
{
    const struct CMUnitTest tests [] = {
      TEST (the_nearer_place_is_believed),
      TEST (a_folder_without_a_running_federation_is_no_place),
      TEST (several_directories_stand_in_one_text),
      TEST (what_is_no_endpoint_is_refused),
      TEST (the_actor_is_the_option_or_the_environment_or_the_user),
      TEST (wrong_settings_are_told_not_passed_over),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
