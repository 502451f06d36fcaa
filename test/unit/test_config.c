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

static const config_key_t keys [] = {
  KEY_NEEDED (CONFIG_TEXT, "name", 0, 0, "who we are"),
  KEY_TEXT ("gis", "", "where the directory is"),
  KEY_DURATION ("limits/hold_ttl", "60s", 1000, 3600000, "life of a hold"),
  KEY_INTEGER ("limits/holds", "10", 1, 100, "holds at once"),
  KEY_REAL ("price/factor", "1.5", 0, 0, "on every price"),
  KEY_FLAG ("bind/trusted", "false", "all are friends"),
  KEY_NEEDED (CONFIG_INTEGER, "classes/*/nodes", 1, 1000000, "identical machines"),
  KEY_TEXT ("classes/*/attributes/*", NULL, "what a machine has"),
};
#define KEYS_COUNT (sizeof keys / sizeof keys [0])

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
    return config_parse ("site.zpl", text, strlen (text), settings, setting ? 1 : 0, keys,
                         KEYS_COUNT, why);
}

static void expect_refusal (const char *text, const char *setting, const char *words)
{
    char why [LONG_WHY_BYTES];
    config_t *config = load (text, setting, why);
    assert_null (config);
    assert_string_equal (why, words);
}

static void gives_what_is_written_and_presets_for_the_rest (void **state)
{
    (void) state;
    char why [LONG_WHY_BYTES];
    config_t *config = load (sound, NULL, why);
    assert_string_equal (why, "");
    assert_string_equal (config_text (config, "name"), "ams");
    assert_string_equal (config_text (config, "gis"), "");
    assert_int_equal (config_duration_ms (config, "limits/hold_ttl"), 90000);
    assert_int_equal (config_integer (config, "limits/holds"), 10);
    assert_true (config_real (config, "price/factor") == 1.5);
    assert_false (config_boolean (config, "bind/trusted"));
    assert_int_equal (config_integer (config, "classes/large/nodes"), 3);
    assert_string_equal (config_text (config, "classes/small/attributes/os"), "linux # 6");
    assert_null (config_text (config, "classes/large/attributes/os"));
    assert_true (config_has (config, "classes/small"));
    assert_false (config_has (config, "gis"));
    config_destroy (&config);
    config_destroy (&config);
}

static void names_of_a_section_come_in_file_order (void **state)
{
    (void) state;
    char why [LONG_WHY_BYTES];
    const char *names [4];
    config_t *config = load (sound, NULL, why);
    assert_int_equal (config_names (config, "classes", names, 4), 2);
    assert_string_equal (names [0], "small");
    assert_string_equal (names [1], "large");
    assert_int_equal (config_names (config, "classes", names, 1), 1);
    assert_int_equal (config_names (config, "nowhere", names, 4), 0);
    config_destroy (&config);
}

static void settings_go_before_the_file (void **state)
{
    (void) state;
    char why [LONG_WHY_BYTES];
    config_t *config = load (sound, "classes/small/nodes=7", why);
    assert_int_equal (config_integer (config, "classes/small/nodes"), 7);
    config_destroy (&config);
    config = load ("name = a\n", "classes/new/nodes=9", why);
    assert_int_equal (config_integer (config, "classes/new/nodes"), 9);
    config_destroy (&config);
    config = load ("", "name=x=y", why);
    assert_string_equal (config_text (config, "name"), "x=y");
    config_destroy (&config);
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
      {"price\n    factor = nan\n", "site.zpl:3: price/factor: 'nan' is not a number"},
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
    assert_null (config_load (NULL, NULL, 0, keys, KEYS_COUNT, why));
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
    assert_string_equal (config_text (config, "name"), "a b");
    assert_int_equal (config_integer (config, "limits/holds"), 3);
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
    assert_null (config_parse ("deep.zpl", text, used, NULL, 0, keys, KEYS_COUNT, why));
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
    assert_null (config_parse ("huge.zpl", text, size, NULL, 0, keys, KEYS_COUNT, why));
    assert_string_equal (why, "huge.zpl:1: more than 4194304 bytes");

    memset (text, 'a', ZPL_LINE_BYTES_MAX + 1);
    assert_null (config_parse ("long.zpl", text, size - 1, NULL, 0, keys, KEYS_COUNT, why));
    assert_string_equal (why, "long.zpl:1: a line longer than 65536 bytes");

    size_t used = 0;
    for (unsigned i = 0; i <= ZPL_NODES_MAX; i++)
        used += (size_t) sprintf (text + used, "n%u = 1\n", i);
    assert_null (config_parse ("many.zpl", text, used, NULL, 0, keys, KEYS_COUNT, why));
    assert_string_equal (why, "many.zpl:65537: more than 65536 names");
    free (text);
}

static void a_file_that_cannot_be_read_is_named (void **state)
{
    (void) state;
    char why [LONG_WHY_BYTES];
    assert_null (config_load ("/nowhere/x.zpl", NULL, 0, keys, KEYS_COUNT, why));
    assert_string_equal (why, "/nowhere/x.zpl: cannot be read: No such file or directory");
    assert_null (config_load ("/", NULL, 0, keys, KEYS_COUNT, why));
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
    config_t *config = config_load (name, NULL, 0, keys, KEYS_COUNT, why);
    unlink (name);
    assert_string_equal (why, "");
    assert_string_equal (config_text (config, "name"), "ams");
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
    config_describe (keys, KEYS_COUNT, describe_line);
    for (size_t i = 0; i < KEYS_COUNT; i++) {
        assert_non_null (strstr (described, keys [i].path));
        assert_non_null (strstr (described, keys [i].meaning));
    }
    assert_non_null (strstr (described, "limits/hold_ttl = 60s\n"
                                        "        a duration like 90s or 1h30m, from 1s to 1h: "
                                        "life of a hold\n"));
    assert_non_null (strstr (described, "name    (must be given)\n"));
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (gives_what_is_written_and_presets_for_the_rest),
      cmocka_unit_test (names_of_a_section_come_in_file_order),
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
