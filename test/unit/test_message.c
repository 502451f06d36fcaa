/*  message - packing and checked unpacking by descriptor. */
#include "message.h"

#include "gis.pb-c.h"
#include "planner.pb-c.h"
#include "transaction.pb-c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/*  A message with text in all places where text can stand: alone, repeated, in a oneof, inside. */
static uint8_t *entry_pack (char *name, char *attribute, size_t *size)
{
    Musubi__Attribute os = MUSUBI__ATTRIBUTE__INIT;
    os.name = attribute;
    os.value = "linux";
    Musubi__Attribute *attributes [] = {&os};
    Musubi__NodeClass thin = MUSUBI__NODE_CLASS__INIT;
    thin.name = "thin";
    thin.n_attributes = 1;
    thin.attributes = attributes;
    Musubi__NodeClass *classes [] = {&thin};
    Musubi__SiteDescription site = MUSUBI__SITE_DESCRIPTION__INIT;
    site.n_classes = 1;
    site.classes = classes;
    Musubi__Entry entry = MUSUBI__ENTRY__INIT;
    entry.name = name;
    entry.description_case = MUSUBI__ENTRY__DESCRIPTION_SITE;
    entry.site = &site;
    return message_pack (&entry.base, size);
}

static void what_is_packed_unpacks_to_the_same (void **state)
{
    (void) state;
    size_t size;
    uint8_t *packed = entry_pack ("lis/ams", "os", &size);
    ProtobufCMessage *message =
      message_unpack (&musubi__entry__descriptor, (bytes_t){packed, size});
    assert_non_null (message);
    size_t again_size;
    uint8_t *again = message_pack (message, &again_size);
    assert_int_equal (again_size, size);
    assert_memory_equal (again, packed, size);
    free (again);
    free (packed);
    message_free (message);
}

static void an_empty_message_packs_to_no_bytes (void **state)
{
    (void) state;
    Musubi__SnapshotRequest request = MUSUBI__SNAPSHOT_REQUEST__INIT;
    size_t size = 42;
    uint8_t *packed = message_pack (&request.base, &size);
    assert_non_null (packed);
    assert_int_equal (size, 0);
    free (packed);
    ProtobufCMessage *message =
      message_unpack (&musubi__snapshot_request__descriptor, (bytes_t){NULL, 0});
    assert_non_null (message);
    message_free (message);
}

static void cut_anywhere_it_is_refused_or_whole (void **state)
{
    (void) state;
    size_t size;
    uint8_t *packed = entry_pack ("lis/ams", "os", &size);
    for (size_t cut = 0; cut < size; cut++) {
        /* A copy of exactly that size, so that the sanitizer sees a step beyond. */
        uint8_t *part = malloc (cut ? cut : 1);
        assert_non_null (part);
        memcpy (part, packed, cut);
        ProtobufCMessage *message =
          message_unpack (&musubi__entry__descriptor, (bytes_t){part, cut});
        /* Only a cut between two fields leaves a message, of the fields before it. */
        if (message) {
            size_t again_size;
            uint8_t *again = message_pack (message, &again_size);
            assert_int_equal (again_size, cut);
            assert_memory_equal (again, part, cut);
            free (again);
        }
        message_free (message);
        free (part);
    }
    free (packed);
}

/*  Field by field it is the same, and no field reaches beyond what is there. */
static void cut_anywhere_its_fields_end_or_are_malformed (void **state)
{
    (void) state;
    size_t size;
    uint8_t *packed = entry_pack ("lis/ams", "os", &size);
    size_t whole = 0;
    for (size_t cut = 0; cut <= size; cut++) {
        uint8_t *copy = malloc (cut + 1); /* so that a sanitizer sees what is read beyond it */
        assert_non_null (copy);
        memcpy (copy, packed, cut);
        bytes_t rest = {.data = copy, .size = cut};
        size_t used = 0;
        wire_field_t field;
        while (wire_next (&rest, &field)) {
            assert_true (field.number > 0 && field.bytes.size < cut);
            assert_true (cut - rest.size > used);
            used = cut - rest.size;
        }
        whole += rest.size == 0;
        free (copy);
    }
    assert_true (whole > 1 && whole < size);
    free (packed);
}

static void a_number_of_ten_bytes_is_read_and_a_longer_one_malformed (void **state)
{
    (void) state;
    for (size_t bytes = 10; bytes <= 11; bytes++) {
        uint8_t packed [] = {0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0};
        packed [bytes] = 1;
        bytes_t rest = {.data = packed, .size = 1 + bytes};
        wire_field_t field;
        assert_int_equal (wire_next (&rest, &field), bytes == 10);
        assert_int_equal (rest.size, bytes == 10 ? 0 : 1 + bytes);
        if (bytes == 10)
            assert_true (field.number == 1 && field.value == UINT64_MAX);
    }
}

static void text_that_is_not_utf_8_is_refused_wherever_it_stands (void **state)
{
    (void) state;
    static char *const bad [] = {"\xff",
                                 "\x80",
                                 "a\xc3",
                                 "\xc0\xaf",
                                 "\xe0\x80\x80",
                                 "\xed\xa0\x80",
                                 "\xf4\x90\x80\x80",
                                 "\xf0\x80\x80\x80",
                                 "\xe2\x82",
                                 "\xf8\x88\x80\x80\x80"};
    for (size_t i = 0; i < sizeof bad / sizeof bad [0]; i++)
        for (int inside = 0; inside < 2; inside++) {
            size_t size;
            uint8_t *packed =
              entry_pack (inside ? "lis/ams" : bad [i], inside ? bad [i] : "os", &size);
            if (message_unpack (&musubi__entry__descriptor, (bytes_t){packed, size}))
                fail_msg ("text %zu is taken %s", i, inside ? "inside" : "outside");
            free (packed);
        }
}

static void repeated_text_is_checked_too (void **state)
{
    (void) state;
    char *between [] = {"a", "\xff"};
    Musubi__NetworkNeed need = MUSUBI__NETWORK_NEED__INIT;
    need.n_between = 2;
    need.between = between;
    size_t size;
    uint8_t *packed = message_pack (&need.base, &size);
    assert_null (message_unpack (&musubi__network_need__descriptor, (bytes_t){packed, size}));
    free (packed);
}

static void text_of_every_length_of_utf_8_passes (void **state)
{
    (void) state;
    size_t size;
    uint8_t *packed =
      entry_pack ("a\xc3\xa9\xe7\xb5\x90\xf0\x9f\x8c\x8d\xed\x9f\xbf\xf4\x8f\xbf\xbf", "os", &size);
    ProtobufCMessage *message =
      message_unpack (&musubi__entry__descriptor, (bytes_t){packed, size});
    assert_non_null (message);
    message_free (message);
    free (packed);
}

static void a_record_over_the_limit_is_refused (void **state)
{
    (void) state;
    Musubi__ClaimPart claim = MUSUBI__CLAIM_PART__INIT;
    claim.answer.len = RECORD_BYTES_MAX;
    claim.answer.data = calloc (1, RECORD_BYTES_MAX);
    assert_non_null (claim.answer.data);
    size_t size;
    uint8_t *packed = message_pack (&claim.base, &size);
    assert_true (size > RECORD_BYTES_MAX);
    assert_null (message_unpack (&musubi__claim_part__descriptor, (bytes_t){packed, size}));
    free (packed);

    /*  What is kept of a body as large as one can be, with what is added. */
    claim.answer.len = BODY_BYTES_MAX;
    packed = message_pack (&claim.base, &size);
    ProtobufCMessage *message =
      message_unpack (&musubi__claim_part__descriptor, (bytes_t){packed, size});
    assert_non_null (message);
    message_free (message);
    free (packed);
    free (claim.answer.data);
}

static void fields_of_a_newer_peer_pass (void **state)
{
    (void) state;
    static const uint8_t newer [] = {0x10, 0x07, 0xf8, 0x3f, 0x01}; /* start = 7; field 1023 = 1 */
    ProtobufCMessage *message =
      message_unpack (&musubi__txid__descriptor, (bytes_t){newer, sizeof newer});
    assert_non_null (message);
    message_free (message);
}

/*  Nothing has the number 0. Written with more bytes than needed, protobuf-c takes it. */
static void a_field_of_number_0_is_refused (void **state)
{
    (void) state;
    static const uint8_t zero [] = {0x10, 0x07, 0x80, 0x00, 0x01}; /* start = 7; field 0 = 1 */
    assert_null (message_unpack (&musubi__txid__descriptor, (bytes_t){zero, sizeof zero}));
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (what_is_packed_unpacks_to_the_same),
      cmocka_unit_test (an_empty_message_packs_to_no_bytes),
      cmocka_unit_test (cut_anywhere_it_is_refused_or_whole),
      cmocka_unit_test (cut_anywhere_its_fields_end_or_are_malformed),
      cmocka_unit_test (a_number_of_ten_bytes_is_read_and_a_longer_one_malformed),
      cmocka_unit_test (text_that_is_not_utf_8_is_refused_wherever_it_stands),
      cmocka_unit_test (repeated_text_is_checked_too),
      cmocka_unit_test (text_of_every_length_of_utf_8_passes),
      cmocka_unit_test (a_record_over_the_limit_is_refused),
      cmocka_unit_test (fields_of_a_newer_peer_pass),
      cmocka_unit_test (a_field_of_number_0_is_refused),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
