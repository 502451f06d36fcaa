/*  changes - each difference between two looks is told once, and nothing else. */
#include "changes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NINE INT64_C (1796115600000) /* 2026-12-01T09:00:00Z */

static json_t *parse (const char *text)
{
    json_error_t error;
    json_t *json = text ? json_loads (text, 0, &error) : NULL;
    if (text && !json)
        fail_msg ("%s: %s", text, error.text);
    return json;
}

/*  "committed activated provisioned:N", from the changes between two looks. */
static void assert_told (const char *before, const char *after, const char *wanted)
{
    json_t *then = parse (before);
    json_t *now = parse (after);
    json_t *changes = changes_between (then, now, NINE);
    char told [512] = "";
    size_t i;
    const json_t *change;
    json_array_foreach (changes, i, change)
    {
        const char *at = json_string_value (json_object_get (change, "at"));
        size_t length = strlen (told);
        snprintf (told + length, sizeof told - length, "%s%s%s%s", i ? " " : "",
                  json_string_value (json_object_get (change, "change")), at ? ":" : "",
                  at ? at : "");
        assert_string_equal (json_string_value (json_object_get (change, "time")),
                             "2026-12-01T09:00:00Z");
        assert_string_equal (json_string_value (json_object_get (change, "reservation")), "r");
    }
    if (strcmp (told, wanted) != 0)
        fail_msg ("from %s\n to %s\n is told as \"%s\", not \"%s\"", before ? before : "nothing",
                  after ? after : "nothing", told, wanted);
    json_decref (changes);
    json_decref (then);
    json_decref (now);
}

#define LOOK(status, state, version, more)                                                         \
    "{\"reservation\": \"r\", \"status\": \"" status "\", \"state\": \"" state                     \
    "\", \"version\": " version more "}"

static void a_reservation_goes_from_state_to_state (void **state)
{
    (void) state;
    static const char pending [] = LOOK ("pending", "created", "0", "");
    static const char reserved [] =
      LOOK ("committed", "reserved", "1", ", \"end\": \"2026-12-01T10:00:00Z\"");
    static const char changed [] =
      LOOK ("committed", "reserved", "2", ", \"end\": \"2026-12-01T10:00:00Z\"");
    static const char active [] =
      LOOK ("committed", "activated", "2", ", \"end\": \"2026-12-01T10:00:00Z\"");
    static const char released [] = LOOK ("released", "released", "3", "");
    static const char failed [] = LOOK ("failed", "failed", "1", "");
    assert_told (NULL, pending, "pending");
    assert_told (pending, pending, "");
    assert_told (pending, LOOK ("committing", "reserved", "1", ""), "committing");
    assert_told (pending, reserved, "committed");
    assert_told (reserved, changed, "modified");
    assert_told (changed, active, "activated");
    assert_told (active, active, "");
    assert_told (reserved, active, "modified activated");
    assert_told (active, released, "released");
    assert_told (pending, failed, "failed");
    assert_told (released, NULL, "gone");
    assert_told (NULL, NULL, "");
}

static void one_that_was_given_back_is_released_however_late_one_looks (void **state)
{
    (void) state;
    static const char over [] = ", \"end\": \"2026-12-01T09:00:00Z\"";
    char active [256];
    char released [256];
    snprintf (active, sizeof active, LOOK ("committed", "activated", "1", "%s"), over);
    snprintf (released, sizeof released, LOOK ("released", "released", "2", "%s"), over);
    assert_told (active, released, "released");
    snprintf (released, sizeof released, LOOK ("ended", "released", "1", "%s"), over);
    assert_told (active, released, "ended");
}

static void use_is_told_by_domain (void **state)
{
    (void) state;
    static const char none [] = LOOK ("committed", "reserved", "1", ", \"provisioned\": []");
    static const char both [] =
      LOOK ("committed", "reserved", "1", ", \"provisioned\": [\"N\", \"S\"]");
    static const char one [] = LOOK ("committed", "reserved", "1", ", \"provisioned\": [\"S\"]");
    assert_told (none, both, "provisioned:N provisioned:S");
    assert_told (both, one, "unprovisioned:N");
    assert_told (both, both, "");
    /* Lists tell no parts, and so nothing about the use of circuits. */
    assert_told (both, LOOK ("committed", "reserved", "1", ""), "");
    /* A release ends the use, too: one line is enough. */
    assert_told (both, LOOK ("released", "released", "2", ", \"provisioned\": []"), "released");
}

static void lost_nodes_are_told_by_site (void **state)
{
    (void) state;
    static const char whole [] = LOOK (
      "committed", "activated", "1", ", \"openings\": [{\"site\": \"ams\", \"degraded\": false}]");
    static const char degraded [] = LOOK (
      "committed", "activated", "1", ", \"openings\": [{\"site\": \"ams\", \"degraded\": true}]");
    assert_told (whole, degraded, "degraded:ams");
    assert_told (degraded, degraded, "");
    assert_told (degraded, whole, "healed:ams");
    assert_told (degraded, LOOK ("released", "released", "2", ""), "released");
}

#define OPENING(flags)                                                                             \
    LOOK ("committed", "activated", "1", ", \"openings\": [{\"site\": \"ams\"" flags "}]")

static void how_its_nodes_stand_is_told_by_site (void **state)
{
    (void) state;
    static const char silent [] =
      OPENING (", \"disconnected\": true, \"trouble\": \"slurmctld does not answer\"");
    assert_told (OPENING (""), OPENING (", \"ready\": true"), "ready:ams");
    assert_told (OPENING (", \"ready\": true"), silent, "disconnected:ams");
    assert_told (silent, OPENING (", \"ready\": true"), "ready:ams connected:ams");
    json_t *before = parse (OPENING (""));
    json_t *after = parse (silent);
    json_t *changes = changes_between (before, after, NINE);
    assert_string_equal (json_string_value (json_object_get (json_array_get (changes, 0), "why")),
                         "slurmctld does not answer");
    json_decref (changes);
    json_decref (before);
    json_decref (after);
}

#define FILE_IS(state)                                                                             \
    LOOK (                                                                                         \
      "committed", "reserved", "1",                                                                \
      ", \"staging\": [{\"site\": \"ams\", \"node\": \"d1\", \"file\": \"x\", \"state\": \"" state \
      "\"}]")

static void late_files_are_told_by_name (void **state)
{
    (void) state;
    assert_told (FILE_IS ("coming"), FILE_IS ("late"), "degraded:x at ams/d1");
    assert_told (FILE_IS ("late"), FILE_IS ("late"), "");
    assert_told (FILE_IS ("late"), FILE_IS ("ready"), "healed:x at ams/d1");
}

static void a_silent_domain_has_not_given_up_its_use (void **state)
{
    (void) state;
    static const char both [] =
      LOOK ("committed", "reserved", "1", ", \"provisioned\": [\"N\", \"S\"], \"silent\": []");
    static const char deaf [] =
      LOOK ("unknown", "reserved", "1", ", \"provisioned\": [\"S\"], \"silent\": [\"nis/N\"]");
    assert_told (both, deaf, "unknown silent:nis/N");
    assert_told (deaf, deaf, "");
    assert_told (deaf, both, "committed provisioned:N back:nis/N");
}

static void silence_of_the_federation_names_no_reservation (void **state)
{
    (void) state;
    json_t *before = parse ("[\"lis/a\", \"lis/b\"]");
    json_t *after = parse ("[\"lis/b\", \"lis/c\"]");
    json_t *changes = changes_of_silence ("", before, after, NINE);
    json_t *expected =
      parse ("[{\"time\": \"2026-12-01T09:00:00Z\", \"change\": \"silent\", \"at\": \"lis/c\"},"
             " {\"time\": \"2026-12-01T09:00:00Z\", \"change\": \"back\", \"at\": \"lis/a\"}]");
    assert_true (json_equal (changes, expected));
    json_decref (changes);
    json_decref (expected);
    json_decref (before);
    json_decref (after);
}

static void a_line_says_when_who_and_what (void **state)
{
    (void) state;
    static const char *const cases [][2] = {
      {"{\"time\": \"2026-12-01T09:00:00.250Z\", \"reservation\": \"r-1\", \"change\":"
       " \"committed\", \"was\": \"pending\", \"name\": \"coupled\"}",
       "2026-12-01T09:00:00Z  r-1  pending -> committed  (coupled)\n"},
      {"{\"time\": \"2026-12-01T09:00:00Z\", \"reservation\": \"r-1\", \"change\": \"modified\","
       " \"version\": 3}",
       "2026-12-01T09:00:00Z  r-1  modified, version 3\n"},
      {"{\"time\": \"2026-12-01T09:00:00Z\", \"change\": \"silent\", \"at\": \"nis/N\"}",
       "2026-12-01T09:00:00Z  nis/N silent\n"},
      {"{\"time\": \"2026-12-01T09:00:00Z\", \"reservation\": \"r-1\", \"change\": \"degraded\","
       " \"at\": \"ams\", \"why\": \"open: root has deleted it\"}",
       "2026-12-01T09:00:00Z  r-1  ams degraded: open: root has deleted it\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases [0]; i++) {
        char *text = NULL;
        size_t size;
        FILE *file = open_memstream (&text, &size);
        json_t *change = parse (cases [i][0]);
        change_print (change, file);
        fclose (file);
        assert_string_equal (text, cases [i][1]);
        free (text);
        json_decref (change);
    }
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_reservation_goes_from_state_to_state),
      cmocka_unit_test (one_that_was_given_back_is_released_however_late_one_looks),
      cmocka_unit_test (use_is_told_by_domain),
      cmocka_unit_test (lost_nodes_are_told_by_site),
      cmocka_unit_test (how_its_nodes_stand_is_told_by_site),
      cmocka_unit_test (late_files_are_told_by_name),
      cmocka_unit_test (a_silent_domain_has_not_given_up_its_use),
      cmocka_unit_test (silence_of_the_federation_names_no_reservation),
      cmocka_unit_test (a_line_says_when_who_and_what),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
