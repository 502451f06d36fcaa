/*  test_chain_wire - rules between fields in the messages of storage nodes and their site, and the
 *  messages on a connection that carries bulk bytes. Single fields are test_codec's.
 */
#include "chain_wire.h"
#include "flow_wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void refused (const codec_t *codec, const void *self, const char *as)
{
    union {
        storage_attend_t attend;
        storage_wanted_t wanted;
    } got;
    char why [WHY_BYTES] = "";
    packed_t packed = codec_encode (codec, self);
    assert_false (
      codec_decode (codec, &got, (bytes_t){.data = packed.data, .size = packed.size}, why));
    assert_string_equal (why, as);
    free (packed.data);
}

static void files_that_do_not_ascend_are_refused (void **state)
{
    (void) state;
    stored_file_t files [] = {{.number = 4, .file = "a"}, {.number = 4, .file = "b"}};
    storage_attend_t attend = {.node = "disk-1",
                               .question.start = 3,
                               .question.number = 17,
                               .files = files,
                               .files_count = 2};
    refused (&storage_attend_codec, &attend,
             "files[1].number: must be greater than the number before it");
}

static void what_is_to_be_received_has_a_size (void **state)
{
    (void) state;
    wanted_transfer_t transfer = {.file = "new"};
    storage_wanted_t wanted = {.transfers = &transfer,
                               .transfers_count = 1,
                               .attend_ms = 10000,
                               .report_ms = 250,
                               .site = "ams"};
    refused (&storage_wanted_codec, &wanted,
             "transfers[0].size: must be known of a file that is to be received");
}

static void a_name_of_two_lines_names_no_file (void **state)
{
    (void) state;
    char why [WHY_BYTES];
    assert_true (chain_file_name_right ("climate/run 1/äther", why));
    assert_false (chain_file_name_right ("two\nlines", why));
    assert_false (chain_file_name_right ("", why));
}

static void a_hello_and_its_answer_come_back_as_they_were (void **state)
{
    (void) state;
    flow_hello_t hello = {.epoch = UINT64_C (0x0102030405060708)}, hello_got;
    flow_reply_t reply = {.answer = FLOW_BUSY, .has = 5, .size = 6, .attempt = FLOW_PROVED};
    flow_reply_t reply_got;
    uint8_t said [FLOW_HELLO_BYTES], answered [FLOW_ANSWER_BYTES];
    memset (hello.id, 1, sizeof hello.id);
    memset (hello.token, 2, sizeof hello.token);
    flow_hello_pack (said, &hello);
    assert_true (flow_hello_unpack (&hello_got, said));
    assert_memory_equal (&hello_got, &hello, sizeof hello);
    flow_reply_pack (answered, &reply);
    assert_true (flow_reply_unpack (&reply_got, answered));
    assert_int_equal (reply_got.answer, FLOW_BUSY);
    assert_int_equal (reply_got.has, 5);
    assert_int_equal (reply_got.size, 6);
    assert_true (reply_got.attempt == FLOW_PROVED);
    said [0] ^= 1;
    assert_false (flow_hello_unpack (&hello_got, said));
    answered [FLOW_MAGIC_BYTES] = 1; /* an answer that nobody knows */
    assert_false (flow_reply_unpack (&reply_got, answered));
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (files_that_do_not_ascend_are_refused),
      cmocka_unit_test (what_is_to_be_received_has_a_size),
      cmocka_unit_test (a_name_of_two_lines_names_no_file),
      cmocka_unit_test (a_hello_and_its_answer_come_back_as_they_were),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
