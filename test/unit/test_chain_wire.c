/*  test_chain_wire - what storage nodes and their site say and keep, and what is said on a
 *  connection of bulk bytes: there and back, cut at every byte, and out of bounds.
 */
#include "chain_wire.h"
#include "flow_wire.h"
#include "storage_work.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bytes_t bytes_of (const packed_t *packed)
{
    return (bytes_t){.data = packed->data, .size = packed->size};
}

static storage_attend_t a_question (stored_file_t *file, receipt_t *receipt)
{
    storage_attend_t attend = {.node = "disk-1",
                               .start = 3,
                               .number = 17,
                               .seen = 5,
                               .data = "tcp://10.0.0.7:4711",
                               .bytes_max = 1000,
                               .bytes_used = 600,
                               .guest = true,
                               .files = file,
                               .files_count = 1,
                               .receipts = receipt,
                               .receipts_count = 1};
    *file = (stored_file_t){.number = 4,
                            .file = "climate/run 1/äther",
                            .size = 500,
                            .digest_known = true,
                            .proved_ms = 1700000000000,
                            .used_ms = 1700000000001};
    *receipt = (receipt_t){.state = RECEIPT_FAILED,
                           .epoch = 9,
                           .has = 100,
                           .received = 120,
                           .fed = 7,
                           .feeder = "disk-2",
                           .silent = {"disk-3", "source/ams/disk-4"},
                           .silent_count = 2,
                           .wrong = {"source/ams/disk-5"},
                           .wrong_count = 1,
                           .digest_known = true,
                           .size = 500,
                           .why = "no room",
                           .wrong_bytes = true,
                           .attempt = 2};
    memset (attend.store, 0xab, sizeof attend.store);
    memset (file->digest, 0x12, sizeof file->digest);
    memset (receipt->id.bytes, 0x34, sizeof receipt->id.bytes);
    memset (receipt->digest, 0x56, sizeof receipt->digest);
    return attend;
}

static void a_question_comes_back_as_it_was (void **state)
{
    (void) state;
    stored_file_t file;
    receipt_t receipt;
    storage_attend_t sent = a_question (&file, &receipt), got;
    char why [WHY_BYTES];
    packed_t packed = storage_attend_encode (&sent);
    assert_true (storage_attend_decode (&got, bytes_of (&packed), why));
    assert_string_equal (got.node, sent.node);
    assert_memory_equal (got.store, sent.store, STORE_ID_BYTES);
    assert_int_equal (got.number, 17);
    assert_int_equal (got.seen, 5);
    assert_true (got.guest);
    assert_int_equal (got.files_count, 1);
    assert_string_equal (got.files [0].file, file.file);
    assert_memory_equal (got.files [0].digest, file.digest, CHAIN_DIGEST_BYTES);
    assert_int_equal (got.receipts_count, 1);
    assert_memory_equal (got.receipts [0].id.bytes, receipt.id.bytes, CHAIN_ID_BYTES);
    assert_int_equal (got.receipts [0].state, RECEIPT_FAILED);
    assert_int_equal (got.receipts [0].attempt, 2);
    assert_int_equal (got.receipts [0].silent_count, 2);
    assert_string_equal (got.receipts [0].silent [1], "source/ams/disk-4");
    assert_int_equal (got.receipts [0].wrong_count, 1);
    assert_string_equal (got.receipts [0].wrong [0], "source/ams/disk-5");
    assert_true (got.receipts [0].wrong_bytes);
    storage_attend_clear (&got);
    free (packed.data);
}

static void a_question_cut_anywhere_is_refused_or_is_another_sound_one (void **state)
{
    (void) state;
    stored_file_t file;
    receipt_t receipt;
    storage_attend_t sent = a_question (&file, &receipt), got;
    char why [WHY_BYTES];
    packed_t packed = storage_attend_encode (&sent);
    for (size_t size = 0; size < packed.size; size++) {
        uint8_t *part = malloc (size + 1);
        memcpy (part, packed.data, size);
        if (storage_attend_decode (&got, (bytes_t){.data = part, .size = size}, why)) {
            assert_true (got.start > 0 && got.number > 0 && *got.node);
            storage_attend_clear (&got);
        } else {
            assert_true (*why);
        }
        free (part);
    }
    free (packed.data);
}

static void a_question_out_of_bounds_is_refused_by_its_field (void **state)
{
    (void) state;
    stored_file_t file;
    receipt_t receipt;
    storage_attend_t sent = a_question (&file, &receipt), got;
    char why [WHY_BYTES];
    sent.start = 0;
    packed_t packed = storage_attend_encode (&sent);
    assert_false (storage_attend_decode (&got, bytes_of (&packed), why));
    assert_non_null (strstr (why, "start"));
    free (packed.data);
    sent = a_question (&file, &receipt);
    receipt.has = UINT64_MAX;
    packed = storage_attend_encode (&sent);
    assert_false (storage_attend_decode (&got, bytes_of (&packed), why));
    assert_non_null (strstr (why, "receipts[0]"));
    free (packed.data);
    sent = a_question (&file, &receipt);
    snprintf (file.file, sizeof file.file, "two\nlines");
    packed = storage_attend_encode (&sent);
    assert_false (storage_attend_decode (&got, bytes_of (&packed), why));
    assert_non_null (strstr (why, "file"));
    free (packed.data);
}

static storage_wanted_t an_answer (wanted_transfer_t *transfer)
{
    static char drops [1][CHAIN_FILE_BYTES_MAX + 1] = {"old"};
    *transfer = (wanted_transfer_t){.file = "new",
                                    .size_known = true,
                                    .size = 77,
                                    .digest_known = true,
                                    .mbps = 50,
                                    .feeds = 1,
                                    .epoch = 12,
                                    .attempt = 1,
                                    .looks = 3,
                                    .feeders = {{"disk-2", "tcp://10.0.0.8:1"}},
                                    .feeders_count = 1};
    return (storage_wanted_t){.number = 8,
                              .files_seen = 4,
                              .transfers = transfer,
                              .transfers_count = 1,
                              .drops = drops,
                              .drops_count = 1,
                              .attend_ms = 10000,
                              .report_ms = 250,
                              .site = "ams"};
}

static void an_answer_comes_back_as_it_was_and_cut_never_harms (void **state)
{
    (void) state;
    wanted_transfer_t transfer;
    storage_wanted_t sent = an_answer (&transfer), got;
    char why [WHY_BYTES];
    packed_t packed = storage_wanted_encode (&sent);
    assert_true (storage_wanted_decode (&got, bytes_of (&packed), why));
    assert_int_equal (got.files_seen, 4);
    assert_int_equal (got.transfers_count, 1);
    assert_string_equal (got.transfers [0].feeders [0].endpoint, "tcp://10.0.0.8:1");
    assert_int_equal (got.transfers [0].epoch, 12);
    assert_int_equal (got.transfers [0].looks, 3);
    assert_string_equal (got.drops [0], "old");
    storage_wanted_clear (&got);
    for (size_t size = 0; size < packed.size; size++) {
        if (storage_wanted_decode (&got, (bytes_t){.data = packed.data, .size = size}, why))
            storage_wanted_clear (&got);
    }
    free (packed.data);
    transfer.size_known = false;
    packed = storage_wanted_encode (&sent);
    assert_false (storage_wanted_decode (&got, bytes_of (&packed), why));
    assert_non_null (strstr (why, "no size"));
    free (packed.data);
}

static void a_stored_transfer_comes_back_as_it_was (void **state)
{
    (void) state;
    kept_receiver_t receivers [2] = {{.node = "disk-1", .state = RECEIVER_VERIFIED},
                                     {.node = "disk-2", .attempt = 2, .looks = 4}};
    kept_transfer_t sent = {.file = "new",
                            .size_known = true,
                            .size = 77,
                            .sources = {{.node = "g", .name = "g", .wrong = true, .why = "gone"}},
                            .sources_count = 1,
                            .receivers = receivers,
                            .receivers_count = 2,
                            .mbps = 5,
                            .feeds = 1,
                            .epoch = 3,
                            .owner = 99,
                            .until_ms = 5},
                    got;
    char why [WHY_BYTES];
    packed_t packed = kept_transfer_encode (&sent);
    assert_true (kept_transfer_decode (&got, bytes_of (&packed), why));
    assert_int_equal (got.receivers_count, 2);
    assert_int_equal (got.receivers [0].state, RECEIVER_VERIFIED);
    assert_int_equal (got.receivers [1].attempt, 2);
    assert_int_equal (got.receivers [1].looks, 4);
    assert_true (got.sources [0].wrong);
    assert_int_equal (got.owner, 99);
    assert_false (got.digest_known);
    free (got.receivers);
    free (packed.data);
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
      cmocka_unit_test (a_question_comes_back_as_it_was),
      cmocka_unit_test (a_question_cut_anywhere_is_refused_or_is_another_sound_one),
      cmocka_unit_test (a_question_out_of_bounds_is_refused_by_its_field),
      cmocka_unit_test (an_answer_comes_back_as_it_was_and_cut_never_harms),
      cmocka_unit_test (a_stored_transfer_comes_back_as_it_was),
      cmocka_unit_test (a_hello_and_its_answer_come_back_as_they_were),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
