/*  test_config - what an operator writes is taken as meant, or refused where it stands.
 *
 *  The refusals are compared word for word: they are what a person has to go on.
 */
#include "config.h"
#include "zpl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct {
    const char *name;
    const char *value;
} attribute_row_t;

static const setting_t attribute_rows [] = {
  SET_NAME (attribute_row_t, name),
  SET_TEXT (attribute_row_t, value, "", NULL, "what a machine has"),
};
static const setting_table_t attributes = SETTING_TABLE (attribute_row_t, attribute_rows, NULL);

typedef struct {
    const char *name;
    uint32_t nodes;
    attribute_row_t *attributes;
    size_t attributes_count;
} class_row_t;

static const setting_t class_rows [] = {
  SET_NAME (class_row_t, name),
  SET_COUNT_NEEDED (class_row_t, nodes, "nodes", 1, 1000000, "identical machines"),
  SET_EACH (class_row_t, attributes, attributes_count, "attributes", attribute_row_t, &attributes,
            2),
};
static const setting_table_t classes = SETTING_TABLE (class_row_t, class_rows, NULL);

typedef struct {
    int64_t hold_ttl_ms;
    uint32_t holds;
    uint32_t holds_per_actor_max;
    int64_t doubt_ms;
} limits_row_t;

static const setting_t limits_rows [] = {
  SET_DURATION (limits_row_t, hold_ttl_ms, "hold_ttl", 60 * MS_SECOND, MS_SECOND, MS_HOUR,
                "life of a hold"),
  SET_COUNT (limits_row_t, holds, "holds", 10, 1, 100, "holds at once"),
  SET_MERGED (limits_row_t, holds_per_actor_max, "holds_per_actor_max", "half of limits/holds"),
  SET_FIXED_DURATION (limits_row_t, doubt_ms, "doubt", 2 * MS_SECOND),
};

static const void *limits_rule (void *settings, char why [WHY_BYTES])
{
    limits_row_t *limits = settings;
    limits->holds_per_actor_max = limits->holds / 2;
    snprintf (why, WHY_BYTES, "thirteen brings bad luck");
    return limits->holds == 13 ? &limits->holds : NULL;
}

static const setting_table_t limits = SETTING_TABLE (limits_row_t, limits_rows, limits_rule);

typedef enum { COLOUR_RED, COLOUR_GREEN, COLOUR_BLUE } colour_t;
static const char *const colours [] = {"red", "green", "blue", NULL};

typedef struct {
    const char *name;
    const char *gis;
    limits_row_t limits;
    double factor;
    bool trusted;
    colour_t colour;
    class_row_t *classes;
    size_t classes_count;
} town_t;

static const setting_t rows [] = {
  SET_TEXT_NEEDED (town_t, name, "name", "who we are"),
  SET_TEXT (town_t, gis, "gis", "", "where the directory is"),
  SET_INSIDE (town_t, limits, "limits/", limits_row_t, &limits),
  SET_REAL (town_t, factor, "price/factor", 2, 3, 0, 100, "on every price"),
  SET_FLAG (town_t, trusted, "bind/trusted", false, "all are friends"),
  SET_CHOICE (town_t, colour, "paint/colour", COLOUR_GREEN, colours, "of the door"),
  SET_EACH (town_t, classes, classes_count, "classes", class_row_t, &classes, 3),
};
static const setting_table_t table = SETTING_TABLE (town_t, rows, NULL);
static const setting_table_t *const tables [] = {&table};

static const char sound [] = "# a site\n"
                             "name = ams   # of Amsterdam\n"
                             "\n"
                             "limits\n"
                             "    hold_ttl = 1m30s\n"
                             "classes\n"
                             "    small\n"
                             "        nodes = 12\n"
                             "        attributes\n"
                             "            os = \"linux # 6\"\n"
                             "    large\n"
                             "        nodes = 3\n";

static config_t *load (const char *text, const char *setting, char why [LONG_WHY_BYTES])
{
    const char *settings [] = {setting};
    why [0] = '\0';
    return config_open_text ("site.zpl", text, strlen (text), settings, setting ? 1 : 0, tables, 1,
                             why);
}

static void expect_refusal (const char *text, const char *setting, const char *words)
{
    char why [LONG_WHY_BYTES];
    config_t *config = load (text, setting, why);
    assert_null (config);
    assert_string_equal (why, words);
}

static const town_t *town_of (const config_t *config)
{
    assert_non_null (config);
    return config_settings (config, &table);
}

static void gives_what_is_written_and_presets_for_the_rest (void **state)
{
    (void) state;
    char why [LONG_WHY_BYTES];
    config_t *config = load (sound, NULL, why);
    assert_string_equal (why, "");
    const town_t *site = town_of (config);
    assert_string_equal (site->name, "ams");
    assert_string_equal (site->gis, "");
    assert_int_equal (site->limits.hold_ttl_ms, 90000);
    assert_int_equal (site->limits.holds, 10);
    assert_int_equal (site->limits.holds_per_actor_max, 5);
    assert_int_equal (site->limits.doubt_ms, 2000);
    assert_true (site->factor == 1.5);
    assert_false (site->trusted);
    assert_int_equal (site->colour, COLOUR_GREEN);
    assert_true (config_given (config, &site->limits.hold_ttl_ms));
    assert_false (config_given (config, &site->gis));
    config_destroy (&config);
    config_destroy (&config);
}

static void sections_come_in_file_order (void **state)
{
    (void) state;
    char why [LONG_WHY_BYTES];
    config_t *config = load (sound, NULL, why);
    const town_t *site = town_of (config);
    assert_int_equal (site->classes_count, 2);
    assert_string_equal (site->classes [0].name, "small");
    assert_string_equal (site->classes [1].name, "large");
    assert_int_equal (site->classes [1].nodes, 3);
    assert_int_equal (site->classes [0].attributes_count, 1);
    assert_string_equal (site->classes [0].attributes [0].name, "os");
    assert_string_equal (site->classes [0].attributes [0].value, "linux # 6");
    assert_int_equal (site->classes [1].attributes_count, 0);
    config_destroy (&config);
    expect_refusal ("name = a\nclasses\n    a\n        nodes = 1\n    b\n        nodes = 1\n    c\n"
                    "        nodes = 1\n    d\n        nodes = 1\n",
                    NULL, "site.zpl:2: classes: at most 3 of them are allowed");
}

static void what_is_found_later_is_refused_where_it_stands (void **state)
{
    (void) state;
    char why [LONG_WHY_BYTES];
    config_t *config = load (sound, "limits/holds=7", why);
    const town_t *site = town_of (config);
    assert_false (config_refuse (config, &site->classes [0].nodes, why, "too many by %d", 2));
    assert_string_equal (why, "site.zpl:8: classes/small/nodes: too many by 2");
    assert_false (config_refuse (config, &site->classes [1].name, why, "no"));
    assert_string_equal (why, "site.zpl:11: classes/large: no");
    assert_false (config_refuse (config, &site->classes, why, "no"));
    assert_string_equal (why, "site.zpl:6: classes: no");
    assert_false (config_refuse (config, &site->classes [0].attributes [0].value, why, "no"));
    assert_string_equal (why, "site.zpl:10: classes/small/attributes/os: no");
    assert_false (config_refuse (config, &site->limits.holds, why, "no"));
    assert_string_equal (why, "--set limits/holds: no");
    assert_false (config_refuse (config, &site->gis, why, "no"));
    assert_string_equal (why, "site.zpl: gis: no");
    config_destroy (&config);
    expect_refusal ("name = a\nlimits\n    holds = 13\n", NULL,
                    "site.zpl:3: limits/holds: thirteen brings bad luck");
}

static void heard (void *owner, const char *text)
{
    size_t *count = owner;
    assert_non_null (strstr (text, ++*count == 1
                                     ? "site.zpl:3: limits/holds_per_actor_max is no setting any "
                                       "more: it is half of limits/holds, 5"
                                     : "site.zpl:4: limits/doubt is no setting any more: it is "
                                       "fixed at 2s"));
}

static void an_old_name_is_taken_with_the_value_of_now_and_no_other (void **state)
{
    (void) state;
    char why [LONG_WHY_BYTES];
    size_t count = 0;
    config_t *config =
      load ("name = a\nlimits\n    holds_per_actor_max = 5\n    doubt = 2000ms\n", NULL, why);
    assert_non_null (config);
    config_warn (config, heard, &count);
    assert_int_equal (count, 2);
    config_destroy (&config);
    expect_refusal ("name = a\nlimits\n    doubt = 3s\n", NULL,
                    "site.zpl:3: limits/doubt is no setting any more: it is fixed at 2s");
    expect_refusal ("name = a\n", "limits/holds_per_actor_max=4",
                    "--set limits/holds_per_actor_max is no setting any more: it is half of "
                    "limits/holds, 5");
    config = load ("name = a\nlimits\n    holds = 8\n    holds_per_actor_max = 4\n", NULL, why);
    assert_non_null (config);
    config_destroy (&config);
}

static void settings_go_before_the_file (void **state)
{
    (void) state;
    char why [LONG_WHY_BYTES];
    config_t *config = load (sound, "classes/small/nodes=7", why);
    assert_int_equal (town_of (config)->classes [0].nodes, 7);
    config_destroy (&config);
    config = load ("name = a\n", "classes/new/nodes=9", why);
    assert_int_equal (town_of (config)->classes [0].nodes, 9);
    config_destroy (&config);
    config = load ("", "name=x=y", why);
    assert_string_equal (town_of (config)->name, "x=y");
    config_destroy (&config);
}

static bool limit_look (void *owner, const setting_t *row, const char *path, void *settings)
{
    const char *name = setting_limit_name (row);
    size_t *count = owner;
    if (!name)
        return true;
    ++*count;
    assert_string_equal (name, "holds_per_actor_max");
    assert_string_equal (path, "limits/holds_per_actor_max");
    assert_int_equal (setting_value (row, settings), 5);
    return true;
}

static void limits_are_told_by_their_members_names (void **state)
{
    (void) state;
    size_t count = 0;
    town_t town = SETTINGS_PRESET (town_t, &table);
    settings_walk (&table, &town, limit_look, &count);
    assert_int_equal (count, 1);
}

static void refuses_unknown_keys_and_says_what_was_meant (void **state)
{
    (void) state;
    expect_refusal ("name = a\nlimits\n    hold_tll = 5s\n", NULL,
                    "site.zpl:3: unknown key 'limits/hold_tll', did you mean 'limits/hold_ttl'?");
    expect_refusal ("name = a\n\nlimtis\n    hold_ttl = 5s\n", NULL,
                    "site.zpl:3: unknown section 'limtis', did you mean 'limits'?");
    expect_refusal (
      "name = a\nclasses\n    big\n        node = 5\n", NULL,
      "site.zpl:4: unknown key 'classes/big/node', did you mean 'classes/big/nodes'?");
    expect_refusal ("name = a\ncolour = red\n", NULL,
                    "site.zpl:2: unknown key 'colour'; --help lists all keys");
    expect_refusal ("name = a\nname/b = c\n", NULL,
                    "site.zpl:2: a name cannot contain '/'; write name = value");
    expect_refusal (sound, "limits/hold_tll=5s",
                    "--set: unknown key 'limits/hold_tll', did you mean "
                    "'limits/hold_ttl'?");
}

static void refuses_bad_values_and_says_what_is_right (void **state)
{
    (void) state;
    static const struct {
        const char *lines;
        const char *words;
    } cases [] = {
      {"limits\n    hold_ttl = soon\n",
       "site.zpl:3: limits/hold_ttl: 'soon' is not a duration like 90s or 1h30m, from 1s to 1h"},
      {"limits\n    hold_ttl = 2h\n",
       "site.zpl:3: limits/hold_ttl: '2h' is not a duration like 90s or 1h30m, from 1s to 1h"},
      {"limits\n    holds = 101\n",
       "site.zpl:3: limits/holds: '101' is not an integer from 1 to 100"},
      {"limits\n    holds = 0\n", "site.zpl:3: limits/holds: '0' is not an integer from 1 to 100"},
      {"limits\n    holds = 7x\n",
       "site.zpl:3: limits/holds: '7x' is not an integer from 1 to 100"},
      {"limits\n    holds = 99999999999999999999\n",
       "site.zpl:3: limits/holds: '99999999999999999999' is not an integer from 1 to 100"},
      {"limits\n    holds =\n", "site.zpl:3: limits/holds: '' is not an integer from 1 to 100"},
      {"limits\n    holds\n",
       "site.zpl:3: limits/holds: no value; write holds = an integer from 1 to 100"},
      {"bind\n    trusted = maybe\n", "site.zpl:3: bind/trusted: 'maybe' is not true or false"},
      {"price\n    factor = nan\n", "site.zpl:3: price/factor: 'nan' is not a number from 0 to 50"},
      {"paint\n    colour = grey\n", "site.zpl:3: paint/colour: 'grey' is not red, green or blue"},
      {"limits = 5\n", "site.zpl:2: unknown key 'limits'; --help lists all keys"},
      {"gis\n    one = 1\n", "site.zpl:2: unknown section 'gis'; --help lists all keys"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases [0]; i++) {
        char text [256];
        snprintf (text, sizeof text, "name = a\n%s", cases [i].lines);
        expect_refusal (text, NULL, cases [i].words);
    }
    expect_refusal (sound, "limits/holds=many",
                    "--set limits/holds: 'many' is not an integer from 1 to 100");
    expect_refusal (sound, "limits/holds", "--set limits/holds: no value; write path=value");
    expect_refusal (sound, "limits//holds=1",
                    "--set limits//holds: not a path of names joined by '/'");
}

static void refuses_what_is_missing_in_each_section (void **state)
{
    (void) state;
    expect_refusal ("limits\n", NULL, "site.zpl: name is missing: text (who we are)");
    expect_refusal ("name = a\nclasses\n    x\n        nodes = 1\n    y\n", NULL,
                    "site.zpl:5: classes/y/nodes is missing: an integer from 1 to 1000000 "
                    "(identical machines)");
    char why [LONG_WHY_BYTES];
    assert_null (config_open (NULL, NULL, 0, tables, 1, why));
    assert_string_equal (why, "name is missing: text (who we are)");
}

static void refuses_broken_text_by_line (void **state)
{
    (void) state;
    static const struct {
        const char *text;
        const char *words;
    } cases [] = {
      {"name = a\n   gis = b\n", "site.zpl:2: indented by 3 spaces; indent by four a level"},
      {"name = a\n\tgis = b\n", "site.zpl:2: a tab; indent by four spaces"},
      {"limits\n        holds = 1\n",
       "site.zpl:2: indented by 2 levels where 1 is the deepest possible"},
      {"name = \"a\n", "site.zpl:1: a quote is opened and not closed"},
      {"name = \"a\" b\n", "site.zpl:1: 'b' after the value"},
      {"name = a\ngis = b\nname = c\n", "site.zpl:3: 'name' is given twice, first in line 1"},
      {"name: a\n", "site.zpl:1: a name cannot contain ':'; write name = value"},
      {"name = a'b\"c\n", "site.zpl:1: a value with both kinds of quotes, which no file can quote"},
      {"name b\n", "site.zpl:1: 'b' after the value"},
      {"= b\n", "site.zpl:1: a name cannot contain '='; write name = value"},
      {"n\xc3\xa9 = b\n", "site.zpl:1: a name cannot contain byte 0xc3; write name = value"},
      {"name = \x1b[2J\n", "site.zpl:1: a control character; settings are plain text"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases [0]; i++)
        expect_refusal (cases [i].text, NULL, cases [i].words);
}

static void takes_lines_of_other_systems (void **state)
{
    (void) state;
    char why [LONG_WHY_BYTES];
    config_t *config = load ("name = 'a b'\r\nlimits\r\n    holds = 3", NULL, why);
    assert_string_equal (why, "");
    assert_string_equal (town_of (config)->name, "a b");
    assert_int_equal (town_of (config)->limits.holds, 3);
    config_destroy (&config);
}

static void deep_nesting_is_bounded (void **state)
{
    (void) state;
    char *text = malloc (1 << 20);
    assert_non_null (text);
    size_t used = 0;
    for (int depth = 0; depth < 200; depth++)
        used += (size_t) sprintf (text + used, "%*sa\n", 4 * depth, "");
    char why [LONG_WHY_BYTES];
    assert_null (config_open_text ("deep.zpl", text, used, NULL, 0, tables, 1, why));
    assert_string_equal (why, "deep.zpl:17: nested deeper than 16 levels");
    free (text);
}

static void huge_text_is_bounded (void **state)
{
    (void) state;
    size_t size = ZPL_BYTES_MAX + 1;
    char *text = malloc (size);
    assert_non_null (text);
    memset (text, '\n', size);
    char why [LONG_WHY_BYTES];
    assert_null (config_open_text ("huge.zpl", text, size, NULL, 0, tables, 1, why));
    assert_string_equal (why, "huge.zpl:1: more than 4194304 bytes");

    memset (text, 'a', ZPL_LINE_BYTES_MAX + 1);
    assert_null (config_open_text ("long.zpl", text, size - 1, NULL, 0, tables, 1, why));
    assert_string_equal (why, "long.zpl:1: a line longer than 65536 bytes");

    size_t used = 0;
    for (unsigned i = 0; i <= ZPL_NODES_MAX; i++)
        used += (size_t) sprintf (text + used, "n%u = 1\n", i);
    assert_null (config_open_text ("many.zpl", text, used, NULL, 0, tables, 1, why));
    assert_string_equal (why, "many.zpl:65537: more than 65536 names");
    free (text);
}

static void a_file_that_cannot_be_read_is_named (void **state)
{
    (void) state;
    char why [LONG_WHY_BYTES];
    assert_null (config_open ("/nowhere/x.zpl", NULL, 0, tables, 1, why));
    assert_string_equal (why, "/nowhere/x.zpl: cannot be read: No such file or directory");
    assert_null (config_open ("/", NULL, 0, tables, 1, why));
    assert_string_equal (why, "/: cannot be read: Is a directory");
}

static void a_file_is_read_from_disk (void **state)
{
    (void) state;
    char name [] = "/tmp/musubi-config-XXXXXX", why [LONG_WHY_BYTES] = "";
    int file = mkstemp (name);
    assert_true (file >= 0);
    assert_int_equal (write (file, sound, sizeof sound - 1), sizeof sound - 1);
    close (file);
    config_t *config = config_open (name, NULL, 0, tables, 1, why);
    unlink (name);
    assert_string_equal (why, "");
    assert_string_equal (town_of (config)->name, "ams");
    config_destroy (&config);
}

static char described [4096];

static void describe_line (const char *text)
{
    size_t used = strlen (described);
    assert_true (used + strlen (text) < sizeof described);
    snprintf (described + used, sizeof described - used, "%s", text);
}

static void help_tells_every_key_with_type_preset_and_meaning (void **state)
{
    (void) state;
    described [0] = '\0';
    settings_describe (tables, 1, describe_line);
    assert_non_null (strstr (described, "  limits/hold_ttl = 1m\n"
                                        "        a duration like 90s or 1h30m, from 1s to 1h: "
                                        "life of a hold\n"));
    assert_non_null (strstr (described, "  classes/*/nodes    (must be given)\n"
                                        "        an integer from 1 to 1000000: identical "
                                        "machines\n"));
    assert_non_null (strstr (described, "  classes/*/attributes/*\n        text: what a machine "
                                        "has\n"));
    assert_non_null (strstr (described,
                             "  price/factor = 1.5\n        a number from 0 to 50: on every "
                             "price\n"));
    assert_non_null (strstr (described, "  paint/colour = green\n        red, green or blue: of "
                                        "the door\n"));
    assert_null (strstr (described, "doubt"));
    assert_non_null (strstr (described, "name    (must be given)\n"));
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (gives_what_is_written_and_presets_for_the_rest),
      cmocka_unit_test (sections_come_in_file_order),
      cmocka_unit_test (what_is_found_later_is_refused_where_it_stands),
      cmocka_unit_test (an_old_name_is_taken_with_the_value_of_now_and_no_other),
      cmocka_unit_test (limits_are_told_by_their_members_names),
      cmocka_unit_test (settings_go_before_the_file),
      cmocka_unit_test (refuses_unknown_keys_and_says_what_was_meant),
      cmocka_unit_test (refuses_bad_values_and_says_what_is_right),
      cmocka_unit_test (refuses_what_is_missing_in_each_section),
      cmocka_unit_test (refuses_broken_text_by_line),
      cmocka_unit_test (takes_lines_of_other_systems),
      cmocka_unit_test (deep_nesting_is_bounded),
      cmocka_unit_test (huge_text_is_bounded),
      cmocka_unit_test (a_file_that_cannot_be_read_is_named),
      cmocka_unit_test (a_file_is_read_from_disk),
      cmocka_unit_test (help_tells_every_key_with_type_preset_and_meaning),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
