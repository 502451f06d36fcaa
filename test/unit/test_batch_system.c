/*  batch_system: what is called ours in a batch system, and what is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "batch_system.h"
#include "transaction.h"

static const batch_setup_t ams = {.site = "ams", .queue = "batch"};

static void what_a_site_names_is_its_own (void **state)
{
    (void) state;
    static const uint8_t store [STORE_ID_BYTES] = {0xfe};
    char run [RUN_NAME_BYTES_MAX + 1], txid [TXID_TEXT_BYTES];
    run_name (store, &(run_id_t){{12, 0}, UINT32_MAX}, run);
    txid_text (&(txid_t){.start = 1, .counter = UINT64_MAX}, txid);
    const char *const ids [] = {"3fa9c2d10b7e-1-42", "plus-00000000deadbeef", run, txid,
                                BATCH_NAME_OF_NONE};
    char name [BATCH_NAME_BYTES_MAX + 1], why [WHY_BYTES];
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        assert_true (batch_name (&ams, ids [i], name, why));
        assert_memory_equal (name, "musubi-ams-", 11);
        assert_string_equal (batch_name_ours (&ams, name), ids [i]);
    }
}

static void what_another_site_names_is_not (void **state)
{
    (void) state;
    static const uint8_t store [STORE_ID_BYTES] = {7};
    static const char *const sites [] = {
      "ams-2", "ams-3fa9c2d10b7e", "ams-3fa9c2d10b7e-1",      "amstel", "am", "ams-plus",
      "ams-1", "ams-ams",          "ams-00000000000000000000"};
    char run [RUN_NAME_BYTES_MAX + 1], name [BATCH_NAME_BYTES_MAX + 1], why [WHY_BYTES];
    run_name (store, &(run_id_t){{12, 0}, 1}, run);
    const char *const ids [] = {"3fa9c2d10b7e-1-42", "3fa9c2d1-1-42", "plus-00000000deadbeef", run};
    for (size_t i = 0; i < sizeof sites / sizeof *sites; i++)
        for (size_t k = 0; k < sizeof ids / sizeof *ids; k++) {
            batch_setup_t other = {.site = sites [i], .queue = "batch"};
            assert_true (batch_name (&other, ids [k], name, why));
            assert_string_equal (batch_name_ours (&other, name), ids [k]);
            assert_null (batch_name_ours (&ams, name));
        }
}

static void what_only_looks_like_one_is_not (void **state)
{
    (void) state;
    static const char *const names [] = {"musubi-ams",
                                         "musubi-ams-",
                                         "musubi-ams-left",
                                         "musubi-ams-3fa9c2d10b7-1-42",
                                         "musubi-ams-3fa9c2d10b7e0-1-42",
                                         "musubi-ams-3FA9C2D10B7E-1-42",
                                         "musubi-ams-3fa9c2d10b7e-1-",
                                         "musubi-ams-3fa9c2d10b7e-1-42x",
                                         "musubi-ams-3fa9c2d10b7e-01-42",
                                         "musubi-ams-3fa9c2d10b7e-1-42@n1",
                                         "musubi-ams-3fa9c2d10b7e-1-123456789012345678901",
                                         "musubi-ams-3fa9c2d10b7e-1-42-1",
                                         "musubi-ams-plus-1",
                                         "musubi-ams-1.0.1",
                                         "other-ams-3fa9c2d10b7e-1-42",
                                         "ams-3fa9c2d10b7e-1-42",
                                         ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_null (batch_name_ours (&ams, names [i]));
}

static void a_prefix_tells_sites_of_one_name_apart (void **state)
{
    (void) state;
    static const char *const wrong_ones [] = {"", "a-b", "a b", "seventeen12345678"};
    const batch_setup_t other = {.prefix = "grid2", .site = "ams", .queue = "batch"};
    char name [BATCH_NAME_BYTES_MAX + 1], why [WHY_BYTES];
    assert_true (batch_prefix_check (other.prefix, why));
    assert_true (batch_name (&other, "3fa9c2d10b7e-1-42", name, why));
    assert_string_equal (name, "grid2-ams-3fa9c2d10b7e-1-42");
    assert_non_null (batch_name_ours (&other, name));
    assert_null (batch_name_ours (&ams, name));
    for (size_t i = 0; i < sizeof wrong_ones / sizeof *wrong_ones; i++)
        assert_false (batch_prefix_check (wrong_ones [i], why));
}

static void a_name_that_would_not_be_known_again_is_refused (void **state)
{
    (void) state;
    char name [BATCH_NAME_BYTES_MAX + 1], why [WHY_BYTES] = "";
    assert_false (batch_name (&ams, "r1", name, why));
    assert_non_null (strstr (why, "\"r1\": in a batch system a name should be the id"));
    batch_setup_t odd = {.site = "a b", .queue = "batch"};
    assert_false (batch_name (&odd, "3fa9c2d10b7e-1-42", name, why));
    assert_non_null (strstr (why, "\"a b\": in a batch system a site's name should be letters"));
}

/*  Its bookings are of others, each of the node of its number. */
static void a_node_that_another_site_has_reserved_is_drained (void **state)
{
    (void) state;
    static const struct {
        const char *name, *site; /* NULL: it is no site's */
    } bookings [] = {{"musubi-osa-3fa9c2d10b7e-1-42", "site osa has it, too, as musubi-osa-"},
                     {"musubi-ams-2-3fa9c2d1-1-42", "site ams-2 has it"},
                     {"other1-a-b-plus-00000000deadbeef", "site a-b has it"},
                     {"maintenance", NULL},
                     {"weekly-42-1-1", NULL},
                     {"musubi-3fa9c2d10b7e-1-42", NULL},
                     {"musubi-osa-left", NULL}};
    enum { COUNT = sizeof bookings / sizeof *bookings };
    batch_picture_t picture = {0};
    char node [] = "n0";
    for (int i = 0; i <= COUNT; i++, node [1]++)
        batch_picture_node (&picture, node);
    for (int i = 0; i < COUNT; i++) {
        node [1] = (char) ('0' + i);
        batch_booking_t *booking = batch_picture_booking (&picture, bookings [i].name, 1, 2);
        batch_booking_node (booking, node);
        batch_booking_node (booking, "elsewhere");
    }
    batch_drain_claimed (&picture);
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal (picture.nodes [i].drained, bookings [i].site != NULL);
        assert_non_null (
          strstr (picture.nodes [i].why, bookings [i].site ? bookings [i].site : ""));
    }
    assert_false (picture.nodes [COUNT].drained);
    codec_clear (&batch_picture_codec, &picture);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_node_that_another_site_has_reserved_is_drained),
      cmocka_unit_test (what_a_site_names_is_its_own),
      cmocka_unit_test (what_another_site_names_is_not),
      cmocka_unit_test (what_only_looks_like_one_is_not),
      cmocka_unit_test (a_prefix_tells_sites_of_one_name_apart),
      cmocka_unit_test (a_name_that_would_not_be_known_again_is_refused),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
