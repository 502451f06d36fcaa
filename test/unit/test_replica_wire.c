/*  test_replica_wire - what is said to a site's svc-replica and to indexes, and what is kept: there
 * and back, cut at every byte, and out of bounds.
 */
#include "replica_wire.h"

#include "message.h"

#include "replica.pb-c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NAME "era5/2020 äther.nc"

static const uint8_t digest [FILE_DIGEST_BYTES] = {1, 2, 3, [FILE_DIGEST_BYTES - 1] = 32};

static bytes_t bytes_of (packed_t packed)
{
    return (bytes_t){.data = packed.data, .size = packed.size};
}

static packed_t packed_message (const ProtobufCMessage *message)
{
    packed_t packed;
    packed.data = message_pack (message, &packed.size);
    return packed;
}

static ProtobufCBinaryData binary (const void *data, size_t size)
{
    return (ProtobufCBinaryData){.data = (uint8_t *) data, .len = size};
}

/*  --- decoders, one shape for all: false with why, or ended again --- */

typedef bool decode_fn (bytes_t body, char why [WHY_BYTES]);

static bool decode_record (bytes_t body, char why [WHY_BYTES])
{
    file_t file;
    bool good = file_record_decode (&file, body, why);
    if (good)
        assert_true (*file.name && file.copies_count > 0 && file.copies);
    else
        assert_null (file.copies);
    free (file.copies);
    return good;
}

static bool decode_put (bytes_t body, char why [WHY_BYTES])
{
    begin_question_t question;
    bool good = put_question_decode (&question, body, why);
    assert_true (!good || (*question.name && *question.guest && question.lifetime_ms >= 0));
    return good;
}

static bool decode_get (bytes_t body, char why [WHY_BYTES])
{
    begin_question_t question;
    bool good = get_question_decode (&question, body, why);
    assert_true (!good || (*question.name && question.lifetime_ms >= 0));
    return good;
}

static bool decode_transfer (bytes_t body, char why [WHY_BYTES])
{
    uint64_t transfer;
    char guest [NAME_BYTES_MAX + 1];
    return transfer_question_decode (&transfer, guest, body, why);
}

static bool decode_files (bytes_t body, char why [WHY_BYTES])
{
    files_question_t question;
    bool good = files_question_decode (&question, body, why);
    assert_true (!good || (question.most > 0 && question.most <= FILES_PAGE_MAX));
    return good;
}

static bool decode_said (said_kind_t kind, bytes_t body, char why [WHY_BYTES])
{
    said_t said;
    bool good = said_decode (&said, kind, body, why);
    assert_true (!good || *said.name);
    return good;
}

static bool decode_pin (bytes_t body, char why [WHY_BYTES])
{
    return decode_said (SAID_PIN, body, why);
}

static bool decode_lifetime (bytes_t body, char why [WHY_BYTES])
{
    return decode_said (SAID_LIFETIME, body, why);
}

static bool decode_rule (bytes_t body, char why [WHY_BYTES])
{
    return decode_said (SAID_RULE, body, why);
}

static bool decode_evict (bytes_t body, char why [WHY_BYTES])
{
    return decode_said (SAID_EVICT, body, why);
}

static bool decode_locate (bytes_t body, char why [WHY_BYTES])
{
    char name [FILE_NAME_BYTES_MAX + 1];
    return locate_decode (name, body, why);
}

static bool decode_located (bytes_t body, char why [WHY_BYTES])
{
    file_place_t *places;
    size_t count;
    bool good = located_decode (&places, &count, body, why);
    assert_true (good || (!places && count == 0));
    free (places);
    return good;
}

static bool decode_offer (bytes_t body, char why [WHY_BYTES])
{
    offer_question_t offer;
    return offer_question_decode (&offer, body, why);
}

static bool decode_offered (bytes_t body, char why [WHY_BYTES])
{
    offer_answer_t offer;
    return offer_answer_decode (&offer, body, why);
}

static bool decode_offer_end (bytes_t body, char why [WHY_BYTES])
{
    offer_end_t end;
    return offer_end_decode (&end, body, why);
}

static bool decode_publish (bytes_t body, char why [WHY_BYTES])
{
    publish_t publish;
    bool good = publish_decode (&publish, body, why);
    assert_true (good || !publish.news);
    publish_clear (&publish);
    return good;
}

static bool decode_published (bytes_t body, char why [WHY_BYTES])
{
    uint64_t number;
    return publish_answer_decode (&number, body, why);
}

static bool decode_stale (bytes_t body, char why [WHY_BYTES])
{
    char name [FILE_NAME_BYTES_MAX + 1];
    char site [NAME_BYTES_MAX + 1];
    return stale_decode (name, site, body, why);
}

/*  Whole it is taken; cut anywhere it is refused with a reason, or is another sound one: each part
 *  lies in memory of its own, so that a step past its end is seen. Frees it. */
static void cut_anywhere (decode_fn *decode, packed_t packed)
{
    char why [WHY_BYTES] = "";
    assert_true (decode (bytes_of (packed), why));
    for (size_t size = 0; size < packed.size; size++) {
        uint8_t *part = malloc (size + 1);
        memcpy (part, packed.data, size);
        why [0] = '\0';
        if (!decode ((bytes_t){.data = part, .size = size}, why))
            assert_true (*why);
        free (part);
    }
    free (packed.data);
}

/*  Refused, by the name of its field. Frees it. */
static void refused_by (decode_fn *decode, packed_t packed, const char *field)
{
    char why [WHY_BYTES] = "";
    assert_false (decode (bytes_of (packed), why));
    if (strncmp (why, field, strlen (field)) != 0)
        fail_msg ("\"%s\" is not about %s", why, field);
    free (packed.data);
}

/*  --- records --- */

static file_t a_file (copy_t copies [2])
{
    file_t file = {.name = NAME,
                   .size = 12345678901,
                   .digest_known = true,
                   .owner = "alice",
                   .created_ms = 1700000000000,
                   .kept = true,
                   .pinned = true,
                   .expires_ms = 1800000000000,
                   .used_ms = 1750000000000,
                   .rule = {.copies = 3, .spread = SPREAD_DOMAINS},
                   .copies = copies,
                   .copies_count = 2};
    memcpy (file.digest, digest, sizeof digest);
    copies [0] = (copy_t){.node = "n1", .state = COPY_EVICTING, .proved_ms = 1700000000001};
    copies [1] = (copy_t){.node = "n2", .state = COPY_STAGED};
    return file;
}

static void a_files_record_comes_back_as_it_was (void **state)
{
    (void) state;
    copy_t copies [2];
    file_t sent = a_file (copies), got;
    char why [WHY_BYTES];
    packed_t packed = file_record_encode (&sent);
    assert_true (file_record_decode (&got, bytes_of (packed), why));
    assert_string_equal (got.name, NAME);
    assert_int_equal (got.size, 12345678901);
    assert_true (got.digest_known && got.kept && got.pinned);
    assert_memory_equal (got.digest, digest, sizeof digest);
    assert_string_equal (got.owner, "alice");
    assert_int_equal (got.created_ms, 1700000000000);
    assert_int_equal (got.expires_ms, 1800000000000);
    assert_int_equal (got.used_ms, 1750000000000);
    assert_int_equal (got.rule.copies, 3);
    assert_int_equal (got.rule.spread, SPREAD_DOMAINS);
    assert_int_equal (got.copies_count, 2);
    assert_string_equal (got.copies [0].node, "n1");
    assert_int_equal (got.copies [0].state, COPY_EVICTING);
    assert_int_equal (got.copies [0].proved_ms, 1700000000001);
    assert_int_equal (got.copies [1].state, COPY_STAGED);
    free (got.copies);
    cut_anywhere (decode_record, packed);
}

static void a_files_record_out_of_bounds_is_refused_by_its_field (void **state)
{
    (void) state;
    copy_t copies [2];
    file_t file = a_file (copies);
    file.rule.copies = RULE_COPIES_MAX + 1;
    refused_by (decode_record, file_record_encode (&file), "rule.copies");
    file = a_file (copies);
    file.rule.spread = (spread_t) 9;
    refused_by (decode_record, file_record_encode (&file), "rule.spread");
    file = a_file (copies);
    copies [1].state = (copy_state_t) 9;
    refused_by (decode_record, file_record_encode (&file), "copies.state");
    file = a_file (copies);
    copies [0].node [0] = '\0';
    refused_by (decode_record, file_record_encode (&file), "copies.node");
    file = a_file (copies);
    file.copies_count = 0;
    refused_by (decode_record, file_record_encode (&file), "copies");
    file = a_file (copies);
    memcpy (file.name, "../x", 5);
    refused_by (decode_record, file_record_encode (&file), "name");
}

/*  --- users --- */

static Musubi__PutRequest a_put (void)
{
    Musubi__PutRequest put = MUSUBI__PUT_REQUEST__INIT;
    put.name = NAME;
    put.size = 12345678901;
    put.digest = binary (digest, sizeof digest);
    put.guest = "guest-1";
    put.lifetime_ms = 86400000;
    return put;
}

static void a_put_is_read_as_it_was_said (void **state)
{
    (void) state;
    Musubi__PutRequest put = a_put ();
    begin_question_t got;
    char why [WHY_BYTES];
    packed_t packed = packed_message (&put.base);
    assert_true (put_question_decode (&got, bytes_of (packed), why));
    assert_string_equal (got.name, NAME);
    assert_int_equal (got.size, 12345678901);
    assert_memory_equal (got.digest, digest, sizeof digest);
    assert_string_equal (got.guest, "guest-1");
    assert_int_equal (got.lifetime_ms, 86400000);
    cut_anywhere (decode_put, packed);

    put.lifetime_ms = -1;
    refused_by (decode_put, packed_message (&put.base), "lifetime_ms");
    put = a_put ();
    put.lifetime_ms = LIFETIME_MS_MAX + 1;
    refused_by (decode_put, packed_message (&put.base), "lifetime_ms");
    put = a_put ();
    put.digest.len--;
    refused_by (decode_put, packed_message (&put.base), "digest");
    put = a_put ();
    put.guest = "";
    refused_by (decode_put, packed_message (&put.base), "guest");
    put = a_put ();
    put.name = "a//b";
    refused_by (decode_put, packed_message (&put.base), "name");
    put.name = "report\u202efdp.exe"; /* shown as "reportexe.pdf" */
    refused_by (decode_put, packed_message (&put.base), "name");
}

static void a_get_comes_back_as_it_was (void **state)
{
    (void) state;
    begin_question_t sent = {.name = NAME, .guest = "guest-2", .keep = true, .lifetime_ms = 60000};
    begin_question_t got;
    char why [WHY_BYTES];
    packed_t packed = get_question_encode (&sent);
    assert_true (get_question_decode (&got, bytes_of (packed), why));
    assert_string_equal (got.name, NAME);
    assert_string_equal (got.guest, "guest-2");
    assert_true (got.keep);
    assert_int_equal (got.lifetime_ms, 60000);
    cut_anywhere (decode_get, packed);
    sent.lifetime_ms = -5;
    refused_by (decode_get, get_question_encode (&sent), "lifetime_ms");
    sent = (begin_question_t){.name = "x", .guest = "two words"};
    refused_by (decode_get, get_question_encode (&sent), "guest");
    refused_by (decode_get, get_question_encode (&(begin_question_t){.keep = true}), "name");
}

static void what_was_begun_and_how_it_stands_is_told (void **state)
{
    (void) state;
    packed_t packed = begin_answer_encode (UINT64_C (1) << 40, 7, digest);
    ProtobufCMessage *message =
      message_unpack (&musubi__begin_answer__descriptor, bytes_of (packed));
    const Musubi__BeginAnswer *begun = (const Musubi__BeginAnswer *) message;
    assert_int_equal (begun->transfer, UINT64_C (1) << 40);
    assert_int_equal (begun->size, 7);
    assert_int_equal (begun->digest.len, FILE_DIGEST_BYTES);
    message_free (message);
    free (packed.data);

    chain_receiver_t hops [] = {
      {.node = "n1", .state = RECEIVER_VERIFIED, .has = 100, .received = 120, .feeder = "g"},
      {.node = "guest-1", .state = RECEIVER_FAILED, .has = 1},
    };
    packed = transfer_answer_encode (&(transfer_told_t){.state = TRANSFER_FAILED,
                                                        .name = NAME,
                                                        .size = 100,
                                                        .source = "berlin",
                                                        .hops = hops,
                                                        .hops_count = 2,
                                                        .why = "disk full"});
    message = message_unpack (&musubi__transfer_answer__descriptor, bytes_of (packed));
    const Musubi__TransferAnswer *told = (const Musubi__TransferAnswer *) message;
    assert_int_equal (told->state, MUSUBI__TRANSFER_STATE__TRANSFER_FAILED);
    assert_string_equal (told->name, NAME);
    assert_string_equal (told->source, "berlin");
    assert_string_equal (told->why, "disk full");
    assert_int_equal (told->n_hops, 2);
    assert_string_equal (told->hops [0]->state, "verified");
    assert_string_equal (told->hops [0]->feeder, "g");
    assert_int_equal (told->hops [0]->received, 120);
    assert_string_equal (told->hops [1]->state, "failed");
    assert_string_equal (told->hops [1]->feeder, "");
    message_free (message);
    free (packed.data);

    Musubi__TransferRequest request = MUSUBI__TRANSFER_REQUEST__INIT;
    uint64_t transfer;
    char guest [NAME_BYTES_MAX + 1];
    char why [WHY_BYTES];
    request.transfer = 77;
    request.guest = "guest-1";
    packed = packed_message (&request.base);
    assert_true (transfer_question_decode (&transfer, guest, bytes_of (packed), why));
    assert_int_equal (transfer, 77);
    assert_string_equal (guest, "guest-1");
    cut_anywhere (decode_transfer, packed);
}

static void a_page_of_files_is_asked_for_and_told (void **state)
{
    (void) state;
    Musubi__FilesRequest request = MUSUBI__FILES_REQUEST__INIT;
    files_question_t question;
    char why [WHY_BYTES];
    request.after = "a";
    request.most = 7;
    packed_t packed = packed_message (&request.base);
    assert_true (files_question_decode (&question, bytes_of (packed), why));
    assert_string_equal (question.after, "a");
    assert_int_equal (question.most, 7);
    cut_anywhere (decode_files, packed);
    request.most = UINT32_MAX;
    cut_anywhere (decode_files, packed_message (&request.base));
    request.name = "./x";
    refused_by (decode_files, packed_message (&request.base), "name");

    copy_t copies [2];
    file_t file = a_file (copies);
    const file_t *files [] = {&file};
    chain_node_t node = {.name = "n1",
                         .state = CHAIN_NODE_UP,
                         .bytes_max = 100,
                         .bytes_files = 50,
                         .bytes_held = 20,
                         .feeds = 3};
    packed = files_answer_encode (files, 1, true, &node, 1);
    ProtobufCMessage *message =
      message_unpack (&musubi__files_answer__descriptor, bytes_of (packed));
    const Musubi__FilesAnswer *answer = (const Musubi__FilesAnswer *) message;
    assert_true (answer->more && answer->n_files == 1 && answer->n_nodes == 1);
    assert_string_equal (answer->files [0]->name, NAME);
    assert_int_equal (answer->files [0]->n_copies, 2);
    assert_true (answer->nodes [0]->up);
    assert_int_equal (answer->nodes [0]->limit, 100);
    assert_int_equal (answer->nodes [0]->used, 50);
    assert_int_equal (answer->nodes [0]->held, 20);
    assert_int_equal (answer->nodes [0]->sending, 3);
    message_free (message);
    free (packed.data);
}

static said_t said_of (said_kind_t kind, packed_t packed)
{
    said_t said;
    char why [WHY_BYTES];
    assert_true (said_decode (&said, kind, bytes_of (packed), why));
    assert_string_equal (said.name, NAME);
    return said;
}

static void what_owners_say_is_read_as_it_was_said (void **state)
{
    (void) state;
    Musubi__PinRequest pin = MUSUBI__PIN_REQUEST__INIT;
    Musubi__LifetimeRequest lifetime = MUSUBI__LIFETIME_REQUEST__INIT;
    Musubi__RuleRequest rule = MUSUBI__RULE_REQUEST__INIT;
    Musubi__ReplicaRule copies = MUSUBI__REPLICA_RULE__INIT;
    Musubi__EvictRequest evict = MUSUBI__EVICT_REQUEST__INIT;
    pin.name = lifetime.name = rule.name = evict.name = NAME;
    pin.pinned = true;
    lifetime.lifetime_ms = 3600000;
    copies.copies = RULE_COPIES_MAX;
    copies.spread = MUSUBI__SPREAD__SPREAD_DOMAINS;
    rule.rule = &copies;
    evict.kept = true;
    packed_t packed = packed_message (&pin.base);
    assert_true (said_of (SAID_PIN, packed).yes);
    cut_anywhere (decode_pin, packed);
    packed = packed_message (&lifetime.base);
    assert_int_equal (said_of (SAID_LIFETIME, packed).lifetime_ms, 3600000);
    cut_anywhere (decode_lifetime, packed);
    packed = packed_message (&rule.base);
    assert_int_equal (said_of (SAID_RULE, packed).rule.copies, RULE_COPIES_MAX);
    assert_int_equal (said_of (SAID_RULE, packed).rule.spread, SPREAD_DOMAINS);
    cut_anywhere (decode_rule, packed);
    packed = packed_message (&evict.base);
    assert_true (said_of (SAID_EVICT, packed).yes);
    cut_anywhere (decode_evict, packed);
    lifetime.lifetime_ms = -1;
    refused_by (decode_lifetime, packed_message (&lifetime.base), "lifetime_ms");
    copies.copies++;
    refused_by (decode_rule, packed_message (&rule.base), "rule.copies");
    evict.name = "";
    refused_by (decode_evict, packed_message (&evict.base), "name");

    packed = evict_answer_encode (2, 1);
    ProtobufCMessage *message =
      message_unpack (&musubi__evict_answer__descriptor, bytes_of (packed));
    assert_int_equal (((const Musubi__EvictAnswer *) message)->copies, 2);
    assert_int_equal (((const Musubi__EvictAnswer *) message)->left, 1);
    message_free (message);
    free (packed.data);
}

/*  --- sites and indexes --- */

static file_place_t a_place (const char *site)
{
    file_place_t place = {.size = 99,
                          .created_ms = 1700000000000,
                          .sound = 2,
                          .staged = 1,
                          .kept = true,
                          .owner = "alice"};
    snprintf (place.site, sizeof place.site, "%s", site);
    memcpy (place.digest, digest, sizeof digest);
    return place;
}

static void check_place (const file_place_t *place, const char *site)
{
    assert_string_equal (place->site, site);
    assert_int_equal (place->size, 99);
    assert_int_equal (place->created_ms, 1700000000000);
    assert_int_equal (place->sound, 2);
    assert_int_equal (place->staged, 1);
    assert_true (place->kept);
    assert_string_equal (place->owner, "alice");
    assert_memory_equal (place->digest, digest, sizeof digest);
}

static void where_a_file_is_comes_back_as_it_was (void **state)
{
    (void) state;
    file_place_t sent [] = {a_place ("ams"), a_place ("berlin")};
    static const char *const silent [] = {"oslo"};
    file_place_t *got;
    size_t count;
    char name [FILE_NAME_BYTES_MAX + 1];
    char why [WHY_BYTES];
    packed_t packed = located_encode (sent, 2, silent, 1);
    assert_true (located_decode (&got, &count, bytes_of (packed), why));
    assert_int_equal (count, 2);
    check_place (&got [0], "ams");
    check_place (&got [1], "berlin");
    free (got);
    ProtobufCMessage *message =
      message_unpack (&musubi__locate_answer__descriptor, bytes_of (packed));
    assert_int_equal (((const Musubi__LocateAnswer *) message)->n_silent, 1);
    assert_string_equal (((const Musubi__LocateAnswer *) message)->silent [0], "oslo");
    message_free (message);
    cut_anywhere (decode_located, packed);
    sent [1].site [0] = '\0';
    refused_by (decode_located, located_encode (sent, 2, NULL, 0), "places.site");

    packed = locate_encode (NAME);
    assert_true (locate_decode (name, bytes_of (packed), why));
    assert_string_equal (name, NAME);
    cut_anywhere (decode_locate, packed);
    refused_by (decode_locate, locate_encode ("a/../b"), "name");
}

static void an_offer_and_its_end_come_back_as_they_were (void **state)
{
    (void) state;
    offer_question_t asked = {.name = NAME, .mbps = 16}, question;
    offer_answer_t told = {.node = "n1", .endpoint = "tcp://10.0.0.7:4711", .sending = 3}, answer;
    offer_end_t ended = {.name = NAME, .wrong = true}, end;
    char why [WHY_BYTES];
    memset (asked.digest, 0x12, sizeof asked.digest);
    memset (asked.transfer.bytes, 0x34, sizeof asked.transfer.bytes);
    memset (asked.token, 0x56, sizeof asked.token);
    ended.transfer = asked.transfer;
    packed_t packed = offer_question_encode (&asked);
    assert_true (offer_question_decode (&question, bytes_of (packed), why));
    assert_string_equal (question.name, NAME);
    assert_memory_equal (question.digest, asked.digest, sizeof asked.digest);
    assert_memory_equal (question.transfer.bytes, asked.transfer.bytes, CHAIN_ID_BYTES);
    assert_memory_equal (question.token, asked.token, sizeof asked.token);
    assert_int_equal (question.mbps, 16);
    cut_anywhere (decode_offer, packed);

    packed = offer_answer_encode (&told);
    assert_true (offer_answer_decode (&answer, bytes_of (packed), why));
    assert_string_equal (answer.node, "n1");
    assert_string_equal (answer.endpoint, told.endpoint);
    assert_int_equal (answer.sending, 3);
    cut_anywhere (decode_offered, packed);
    refused_by (decode_offered, offer_answer_encode (&(offer_answer_t){.sending = 1}), "node");

    packed = offer_end_encode (&ended);
    assert_true (offer_end_decode (&end, bytes_of (packed), why));
    assert_string_equal (end.name, NAME);
    assert_true (end.wrong);
    assert_memory_equal (end.transfer.bytes, asked.transfer.bytes, CHAIN_ID_BYTES);
    cut_anywhere (decode_offer_end, packed);
    packed = offer_end_answer_encode ();
    assert_int_equal (packed.size, 0);
    free (packed.data);

    Musubi__OfferRequest request = MUSUBI__OFFER_REQUEST__INIT;
    request.name = NAME;
    request.digest = binary (digest, sizeof digest);
    request.transfer = binary (digest, CHAIN_ID_BYTES);
    request.token = binary (digest, CHAIN_TOKEN_BYTES - 1);
    refused_by (decode_offer, packed_message (&request.base), "token");
    request.transfer.len--;
    refused_by (decode_offer, packed_message (&request.base), "transfer");
}

static publish_t a_publication (news_t news [2])
{
    publish_t publish = {.site = "ams",
                         .start = 3,
                         .after = 10,
                         .number = 12,
                         .lease_ms = REPLICA_LEASE_MS,
                         .news = news,
                         .count = 2};
    memset (publish.store, 0xab, sizeof publish.store);
    news [0] = (news_t){.name = NAME, .place = a_place ("ams")};
    news [1] = (news_t){.name = "gone", .gone = true};
    return publish;
}

static void news_come_back_as_they_were (void **state)
{
    (void) state;
    news_t news [2];
    publish_t sent = a_publication (news), got;
    uint64_t number;
    char name [FILE_NAME_BYTES_MAX + 1];
    char site [NAME_BYTES_MAX + 1];
    char why [WHY_BYTES];
    packed_t packed = publish_encode (&sent);
    assert_true (publish_decode (&got, bytes_of (packed), why));
    assert_string_equal (got.site, "ams");
    assert_memory_equal (got.store, sent.store, STORE_ID_BYTES);
    assert_int_equal (got.start, 3);
    assert_int_equal (got.after, 10);
    assert_int_equal (got.number, 12);
    assert_int_equal (got.lease_ms, REPLICA_LEASE_MS);
    assert_int_equal (got.count, 2);
    assert_string_equal (got.news [0].name, NAME);
    assert_false (got.news [0].gone);
    check_place (&got.news [0].place, "ams");
    assert_true (got.news [1].gone);
    publish_clear (&got);
    cut_anywhere (decode_publish, packed);
    sent.after = 13;
    refused_by (decode_publish, publish_encode (&sent), "after");
    sent = a_publication (news);
    sent.lease_ms = 0;
    refused_by (decode_publish, publish_encode (&sent), "lease_ms");
    sent = a_publication (news);
    sent.site [0] = '\0';
    refused_by (decode_publish, publish_encode (&sent), "site");

    packed = publish_answer_encode (UINT64_MAX);
    assert_true (publish_answer_decode (&number, bytes_of (packed), why));
    assert_true (number == UINT64_MAX);
    cut_anywhere (decode_published, packed);

    packed = stale_encode (NAME, "berlin");
    assert_true (stale_decode (name, site, bytes_of (packed), why));
    assert_string_equal (name, NAME);
    assert_string_equal (site, "berlin");
    cut_anywhere (decode_stale, packed);
    refused_by (decode_stale, stale_encode (NAME, ""), "site");
    packed = stale_answer_encode ();
    assert_int_equal (packed.size, 0);
    free (packed.data);
}

static void a_page_of_names_has_the_places_of_each (void **state)
{
    (void) state;
    file_place_t places [] = {a_place ("ams"), a_place ("berlin"), a_place ("oslo")};
    named_places_t files [] = {
      {.name = "a", .places_count = 2}, {.name = "b"}, {.name = "c", .places_count = 1}};
    packed_t packed = names_answer_encode (files, 3, places, true);
    ProtobufCMessage *message =
      message_unpack (&musubi__names_answer__descriptor, bytes_of (packed));
    const Musubi__NamesAnswer *answer = (const Musubi__NamesAnswer *) message;
    assert_true (answer->more && answer->n_files == 3);
    assert_int_equal (answer->files [0]->n_places, 2);
    assert_string_equal (answer->files [0]->places [1]->site, "berlin");
    assert_int_equal (answer->files [1]->n_places, 0);
    assert_string_equal (answer->files [2]->places [0]->site, "oslo");
    message_free (message);
    free (packed.data);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (a_files_record_comes_back_as_it_was),
      cmocka_unit_test (a_files_record_out_of_bounds_is_refused_by_its_field),
      cmocka_unit_test (a_put_is_read_as_it_was_said),
      cmocka_unit_test (a_get_comes_back_as_it_was),
      cmocka_unit_test (what_was_begun_and_how_it_stands_is_told),
      cmocka_unit_test (a_page_of_files_is_asked_for_and_told),
      cmocka_unit_test (what_owners_say_is_read_as_it_was_said),
      cmocka_unit_test (where_a_file_is_comes_back_as_it_was),
      cmocka_unit_test (an_offer_and_its_end_come_back_as_they_were),
      cmocka_unit_test (news_come_back_as_they_were),
      cmocka_unit_test (a_page_of_names_has_the_places_of_each),
    };
    return cmocka_run_group_tests (tests, NULL, NULL);
}
