/*  transactions - records of several participants mean one thing together. */
#include "transactions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NINE  INT64_C (1796115600000) /* 2026-12-01T09:00:00Z */
#define STORE "3fa9c2d1000000000000000000000001"

static command_state_t state_of (const char *word)
{
    static const char *const words [COMMAND_STATES] = {
      [COMMAND_HELD] = "HELD",           [COMMAND_PREPARED] = "PREPARED",
      [COMMAND_COMMITTED] = "COMMITTED", [COMMAND_ABORTED] = "ABORTED",
      [COMMAND_EXPIRED] = "EXPIRED",     [COMMAND_REJECTED] = "REJECTED",
      [COMMAND_EDGE] = "EDGE",           [COMMAND_EDGE_REFUSED] = "EDGE_REFUSED"};
    command_state_t state = COMMAND_HELD;
    while (strcmp (words [state], word) != 0)
        state++;
    return state;
}

/*  The record of one participant: of the reservation r at version base + 1, by three of them. */
static void take (json_t *all, const char *participant, unsigned counter, unsigned base,
                  const char *state, int64_t held_ms)
{
    participant_ref_t parties [] = {{.name = "lis/a"}, {.name = "nis/N"}, {.name = "gis/g1"}};
    check_record_t record = {.plan = {.txid = {.store = {0x3f, 0xa9, 0xc2, 0xd1, [15] = 1},
                                               .start = 7,
                                               .counter = counter},
                                      .reservation = "r",
                                      .base_version = base,
                                      .participants = parties,
                                      .participants_count = 3,
                                      .coordinator = {.name = "planner/" STORE},
                                      .decide_by_ms = NINE,
                                      .actor = "alice"},
                             .state = state_of (state),
                             .held_ms = held_ms};
    transactions_take (all, participant, &record);
}

static const char *status_of (const json_t *form)
{
    return json_string_value (json_object_get (form, "status"));
}

/*  The verdict on three states together, at decide_by and after_ms; NULL = no record. */
static void assert_status (const char *a, const char *n, const char *g, int64_t after_ms,
                           const char *wanted, bool in_doubt)
{
    static const char *const names [] = {"lis/a", "nis/N", "gis/g1"};
    const char *const states [] = {a, n, g};
    json_t *all = json_object ();
    json_t *silent = json_object ();
    for (size_t i = 0; i < 3; i++) {
        if (states [i] && strcmp (states [i], "silent") == 0)
            json_object_set_new (silent, names [i], json_string ("no answer in time"));
        else if (states [i])
            take (all, names [i], 42, 0, states [i], NINE - 1000);
    }
    json_t *forms = transactions_forms (all, silent, NINE + after_ms);
    assert_int_equal (json_array_size (forms), 1);
    const json_t *form = json_array_get (forms, 0);
    if (strcmp (status_of (form), wanted) != 0)
        fail_msg ("%s %s %s is \"%s\", not \"%s\"", a, n ? n : "-", g ? g : "-", status_of (form),
                  wanted);
    assert_int_equal (transaction_in_doubt (form), in_doubt);
    json_decref (forms);
    json_decref (silent);
    json_decref (all);
}

static void states_of_all_mean_one_thing (void **state)
{
    (void) state;
    assert_status ("HELD", NULL, NULL, -1, "held", false);
    assert_status ("PREPARED", "HELD", NULL, -1, "voting", false);
    assert_status ("PREPARED", "PREPARED", "PREPARED", 0, "in doubt", true);
    assert_status ("PREPARED", NULL, "silent", 0, "in doubt", true);
    assert_status ("EDGE", "PREPARED", "PREPARED", 0, "in doubt", true);
    assert_status ("PREPARED", "COMMITTED", "COMMITTED", -1, "committing", false);
    assert_status ("PREPARED", "COMMITTED", "silent", 1, "committing", true);
    assert_status ("PREPARED", "ABORTED", NULL, 1, "aborting", true);
    assert_status ("PREPARED", "EXPIRED", NULL, -1, "aborting", false);
    assert_status ("EDGE_REFUSED", "COMMITTED", "COMMITTED", 1, "repair", false);
    assert_status ("COMMITTED", "COMMITTED", "COMMITTED", 1, "committed", false);
    assert_status ("ABORTED", NULL, NULL, 1, "aborted", false);
    assert_status ("EXPIRED", "EXPIRED", NULL, 1, "expired", false);
    assert_status ("REJECTED", NULL, NULL, 1, "rejected", false);
}

static void what_is_over_is_not_open (void **state)
{
    (void) state;
    static const struct {
        const char *state;
        bool open;
    } cases [] = {{"HELD", true},         {"PREPARED", true},   {"EDGE", true},
                  {"EDGE_REFUSED", true}, {"COMMITTED", false}, {"ABORTED", false},
                  {"EXPIRED", false},     {"REJECTED", false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases [0]; i++) {
        json_t *all = json_object ();
        take (all, "lis/a", 42, 0, cases [i].state, NINE);
        json_t *silent = json_object ();
        json_t *forms = transactions_forms (all, silent, NINE);
        assert_int_equal (transaction_open (json_array_get (forms, 0)), cases [i].open);
        json_decref (forms);
        json_decref (silent);
        json_decref (all);
    }
}

static void a_later_version_ends_a_repair (void **state)
{
    (void) state;
    json_t *silent = json_object ();
    json_t *all = json_object ();
    take (all, "lis/a", 42, 0, "EDGE_REFUSED", NINE);
    take (all, "nis/N", 42, 0, "COMMITTED", NINE);
    take (all, "nis/N", 43, 1, "PREPARED", NINE + 1);
    json_t *forms = transactions_forms (all, silent, NINE);
    assert_string_equal (status_of (json_array_get (forms, 0)), "repair");
    json_decref (forms);
    take (all, "nis/N", 43, 1, "COMMITTED", NINE + 1);
    forms = transactions_forms (all, silent, NINE);
    assert_string_equal (status_of (json_array_get (forms, 0)), "repaired");
    assert_false (transaction_open (json_array_get (forms, 0)));
    json_decref (forms);
    json_decref (all);
    json_decref (silent);
}

static void the_oldest_stands_first (void **state)
{
    (void) state;
    json_t *silent = json_object ();
    json_t *all = json_object ();
    take (all, "lis/a", 1, 0, "HELD", NINE + 2000);
    take (all, "nis/N", 1, 0, "HELD", NINE + 3000);
    take (all, "lis/a", 2, 0, "HELD", NINE + 1000);
    json_t *forms = transactions_forms (all, silent, NINE);
    assert_int_equal (json_array_size (forms), 2);
    const json_t *first = json_array_get (forms, 0);
    assert_string_equal (json_string_value (json_object_get (first, "txid")), STORE "-7-2");
    assert_string_equal (json_string_value (json_object_get (json_array_get (forms, 1), "since")),
                         "2026-12-01T09:00:02Z");
    json_decref (forms);
    json_decref (all);
    json_decref (silent);
}

static void who_has_no_record_is_unknown_or_silent (void **state)
{
    (void) state;
    json_t *silent = json_pack ("{s:s}", "gis/g1", "no answer in time");
    json_t *all = json_object ();
    take (all, "lis/a", 42, 0, "PREPARED", NINE);
    json_t *forms = transactions_forms (all, silent, NINE);
    json_t *form = json_array_get (forms, 0);
    static const char *const wanted [][2] = {
      {"lis/a", "prepared"}, {"nis/N", "unknown"}, {"gis/g1", "silent"}};
    for (size_t i = 0; i < 3; i++)
        assert_string_equal (json_string_value (json_object_get (
                               transaction_participant (form, wanted [i][0]), "state")),
                             wanted [i][1]);
    /* a tombstone found there ends it */
    transaction_set (form, "nis/N", "aborted", NINE);
    assert_string_equal (status_of (form), "aborting");
    json_decref (forms);
    json_decref (all);
    json_decref (silent);
}

static void what_could_be_done_is_told_only_where_it_helps (void **state)
{
    (void) state;
    static const struct {
        const char *n, *g;
        bool fence;
    } cases [] = {{"PREPARED", "PREPARED", true},
                  {"PREPARED", "silent", false},
                  {"PREPARED", NULL, false},
                  {"COMMITTED", "PREPARED", false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases [0]; i++) {
        json_t *all = json_object ();
        json_t *silent = json_object ();
        take (all, "lis/a", 42, 0, "PREPARED", NINE);
        take (all, "nis/N", 42, 0, cases [i].n, NINE);
        if (cases [i].g && strcmp (cases [i].g, "silent") == 0)
            json_object_set_new (silent, "gis/g1", json_string (""));
        else if (cases [i].g)
            take (all, "gis/g1", 42, 0, cases [i].g, NINE);
        json_t *forms = transactions_forms (all, silent, NINE);
        char *text = transaction_explain (json_array_get (forms, 0));
        bool told = strstr (text, "musubi txn resolve 3fa9c2d1-7-42 --fence") != NULL;
        if (told != cases [i].fence)
            fail_msg ("case %zu: %s", i, text);
        free (text);
        json_decref (forms);
        json_decref (silent);
        json_decref (all);
    }
}

static void txids_are_written_as_logs_do (void **state)
{
    (void) state;
    assert_true (txid_sound ("3fa9c2d1-7-42"));
    assert_true (txid_sound (STORE "-4294967295-18446744073709551615"));
    assert_true (txid_whole (STORE "-7-42"));
    assert_false (txid_whole ("3fa9c2d1-7-42"));
    static const char longer [] = STORE "0-7-42"; /* than a store id is */
    static const char *const bad [] = {"",
                                       "3fa9c2d1",
                                       "3fa9c2d1-7",
                                       "-7-42",
                                       "3fa9c2d1-7-",
                                       "3fa9c2d1--42",
                                       "3FA9-7-42",
                                       "3fa9c2d1-7-42-1",
                                       "3fa9c2d1-0-42",
                                       "3fa9-7-0",
                                       "3fa9-4294967296-1",
                                       longer,
                                       "3fa9-7-18446744073709551616"};
    for (size_t i = 0; i < sizeof bad / sizeof bad [0]; i++)
        if (txid_sound (bad [i]))
            fail_msg ("\"%s\" passes for a txid", bad [i]);
}

static void a_beginning_of_the_store_is_enough (void **state)
{
    (void) state;
    txid_t txid = txid_read (STORE "-7-42");
    assert_int_equal (txid.store [15], 1);
    assert_int_equal (txid.start, 7);
    assert_int_equal (txid.counter, 42);
    assert_true (txid_means ("3fa9c2d1-7-42", &txid));
    assert_true (txid_means (STORE "-7-42", &txid));
    assert_false (txid_means ("3fa9c2d1-7-4", &txid));
    assert_false (txid_means ("3fa9c2d2-7-42", &txid));
}

static void stores_are_found_by_their_first_letters (void **state)
{
    (void) state;
    txid_t before;
    txid_t first = txid_read ("3fa9c200000000000000000000000000-1-1");
    txid_t last = txid_read ("3fa9c2ffffffffffffffffffffffffff-9-9");
    assert_true (txid_before ("3fa9c2", &before));
    assert_true (txid_compare (&before, &first) < 0);
    assert_true (txid_store_compare (&before, "3fa9c2") < 0);
    assert_int_equal (txid_store_compare (&first, "3fa9c2"), 0);
    assert_int_equal (txid_store_compare (&last, "3fa9c2"), 0);
    assert_true (txid_store_compare (&last, "3fa9c1") > 0);
    assert_false (txid_before ("00000000", &before));
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (states_of_all_mean_one_thing),
      cmocka_unit_test (what_is_over_is_not_open),
      cmocka_unit_test (a_later_version_ends_a_repair),
      cmocka_unit_test (the_oldest_stands_first),
      cmocka_unit_test (who_has_no_record_is_unknown_or_silent),
      cmocka_unit_test (what_could_be_done_is_told_only_where_it_helps),
      cmocka_unit_test (txids_are_written_as_logs_do),
      cmocka_unit_test (a_beginning_of_the_store_is_enough),
      cmocka_unit_test (stores_are_found_by_their_first_letters),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
