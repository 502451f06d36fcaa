/*  test_replica_wire - names, rules between fields, and answers that are made of views. Single
 *  fields are test_codec's.
 */
#include "replica_wire.h"

#include "message.h"

#include "replica.pb-c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NAME "era5/2020 äther.nc"

static bytes_t bytes_of (packed_t packed)
{
    return (bytes_t){.data = packed.data, .size = packed.size};
}

/*  The message must be refused with the name of this field; frees it. */
static void refused_by (const codec_t *codec, packed_t packed, const char *field)
{
    uint8_t got [sizeof (file_t) + sizeof (publish_t)];
    char why [WHY_BYTES] = "";
    assert_false (codec_decode (codec, got, bytes_of (packed), why));
    if (strncmp (why, field, strlen (field)) != 0)
        fail_msg ("\"%s\" is not about %s", why, field);
    free (packed.data);
}

/*  --- names --- */

/*  The reason begins with the name of the field, in whichever message it is. */
static void a_name_that_is_none_is_refused_wherever_it_is_said (void **state)
{
    (void) state;
    static const codec_t *const codecs [] = {
      &put_question_codec, &get_question_codec, &said_pin_codec,       &said_lifetime_codec,
      &said_rule_codec,    &said_evict_codec,   &locate_codec,         &offer_question_codec,
      &offer_end_codec,    &stale_codec,        &files_question_codec,
    };
    union {
        begin_question_t begin;
        said_t said;
        offer_question_t offer;
        offer_end_t end;
        stale_t stale;
        files_question_t files;
    } said;
    static const char *const names [] = {"../x", "a//b", "a/../b", "./x", "/a", "a/"};
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++)
        for (size_t j = 0; j < sizeof names / sizeof *names; j++) {
            memset (&said, 0, sizeof said);
            strcpy (said.said.name, names [j]);
            if (codecs [i] == &put_question_codec)
                strcpy (said.begin.guest, "guest-1");
            if (codecs [i] == &stale_codec)
                strcpy (said.stale.site, "ams");
            refused_by (codecs [i], codec_encode (codecs [i], &said), "name");
        }
}

static file_t a_file (copy_t copies [2])
{
    file_t file = {.name = NAME,
                   .content.size = 12345678901,
                   .content.digest_known = true,
                   .owner = "alice",
                   .created_ms = 1700000000000,
                   .kept = true,
                   .pinned = true,
                   .expires_ms = 1800000000000,
                   .used_ms = 1750000000000,
                   .rule_set = true,
                   .rule = {.copies = 3, .spread = SPREAD_DOMAINS},
                   .copies = copies,
                   .copies_count = 2};
    memset (file.content.digest, 0x12, sizeof file.content.digest);
    copies [0] = (copy_t){.node = "n1", .state = COPY_EVICTING, .proved_ms = 1700000000001};
    copies [1] = (copy_t){.node = "n2", .state = COPY_STAGED};
    return file;
}

static void a_kept_file_without_a_name_is_refused (void **state)
{
    (void) state;
    copy_t copies [2];
    file_t file = a_file (copies);
    strcpy (file.name, "../x");
    refused_by (&file_codec, codec_encode (&file_codec, &file), "name");
}

static void a_name_that_turns_text_around_may_be_got_and_not_put (void **state)
{
    (void) state;
    begin_question_t question = {.name = "report\u202efdp.exe", /* shown as "reportexe.pdf" */
                                 .guest = "guest-1"};
    begin_question_t got;
    char why [WHY_BYTES];
    packed_t packed = codec_encode (&get_question_codec, &question);
    assert_true (codec_decode (&get_question_codec, &got, bytes_of (packed), why));
    free (packed.data);
    refused_by (&put_question_codec, codec_encode (&put_question_codec, &question), "name");
}

/*  --- rules between fields --- */

static void news_from_after_their_number_are_refused (void **state)
{
    (void) state;
    publish_t publish = {.site = "ams", .after = 13, .number = 12, .lease_ms = REPLICA_LEASE_MS};
    refused_by (&publish_codec, codec_encode (&publish_codec, &publish), "after");
}

static void a_page_has_a_length (void **state)
{
    (void) state;
    assert_int_equal (files_most (&(files_question_t){.most = 7}), 7);
    assert_int_equal (files_most (&(files_question_t){.most = 0}), FILES_PAGE_MAX);
    assert_int_equal (files_most (&(files_question_t){.most = UINT32_MAX}), FILES_PAGE_MAX);
}

/*  --- answers --- */

static void how_a_transfer_stands_is_told (void **state)
{
    (void) state;
    chain_receiver_t hops [] = {
      {.node = "n1", .state = RECEIVER_VERIFIED, .has = 100, .received = 120, .feeder = "g"},
      {.node = "guest-1", .state = RECEIVER_FAILED, .has = 1},
    };
    chain_transfer_t transfer = {.receivers = hops, .receivers_count = 2};
    file_t file = {.name = NAME, .content.size = 100};
    char *lacking [] = {"n2: is not up"};
    nodes_told_t nodes = {.have = 1, .lacking = lacking, .lacking_count = 1};
    packed_t packed = transfer_answer_encode (NULL, TRANSFER_FAILED, &file, "berlin", &transfer,
                                              &nodes, "disk full");
    ProtobufCMessage *message =
      message_unpack (&musubi__transfer_answer__descriptor, bytes_of (packed));
    const Musubi__TransferAnswer *told = (const Musubi__TransferAnswer *) message;
    assert_int_equal (told->state, MUSUBI__TRANSFER_STATE__TRANSFER_FAILED);
    assert_string_equal (told->name, NAME);
    assert_string_equal (told->source, "berlin");
    assert_string_equal (told->why, "disk full");
    assert_int_equal (told->nodes, 1);
    assert_int_equal (told->n_lacking, 1);
    assert_string_equal (told->lacking [0], "n2: is not up");
    assert_int_equal (told->n_hops, 1);
    assert_string_equal (told->hops [0]->state, "verified");
    assert_string_equal (told->hops [0]->feeder, "g");
    assert_int_equal (told->hops [0]->received, 120);
    message_free (message);
    free (packed.data);
}

static void a_page_of_files_is_told (void **state)
{
    (void) state;
    copy_t copies [2];
    file_t file = a_file (copies);
    const file_t *files [] = {&file};
    packed_t packed = files_answer_encode (files, 1, true, NULL);
    ProtobufCMessage *message =
      message_unpack (&musubi__files_answer__descriptor, bytes_of (packed));
    const Musubi__FilesAnswer *answer = (const Musubi__FilesAnswer *) message;
    assert_true (answer->more && answer->n_files == 1 && answer->n_nodes == 0);
    assert_string_equal (answer->files [0]->name, NAME);
    assert_int_equal (answer->files [0]->n_copies, 2);
    message_free (message);
    free (packed.data);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_name_that_is_none_is_refused_wherever_it_is_said),
      cmocka_unit_test (a_kept_file_without_a_name_is_refused),
      cmocka_unit_test (a_name_that_turns_text_around_may_be_got_and_not_put),
      cmocka_unit_test (news_from_after_their_number_are_refused),
      cmocka_unit_test (a_page_has_a_length),
      cmocka_unit_test (how_a_transfer_stands_is_told),
      cmocka_unit_test (a_page_of_files_is_told),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
