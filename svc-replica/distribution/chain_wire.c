/*  chain_wire - what storage nodes and their site say. What they keep is in chain_wire_kept.c. */
#include "chain_wire.h"

#include "chain.pb-c.h"
#include "chain_wire_own.h"
#include "message.h"
#include "must.h"
#include "transaction_wire.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define FIELD_BYTES 64

static_assert ((int) RECEIPT_VERIFIED == MUSUBI__RECEIPT_STATE__RECEIPT_VERIFIED &&
                 (int) RECEIPT_FAILED == MUSUBI__RECEIPT_STATE__RECEIPT_FAILED &&
                 (int) RECEIPT_FEEDING == MUSUBI__RECEIPT_STATE__RECEIPT_FEEDING,
               "same numbers");

/*  --- fields that several messages have --- */

bool digest_take (uint8_t *to, bool *known, const ProtobufCBinaryData *from, const char *field,
                  char why [WHY_BYTES])
{
    *known = from->len > 0;
    return !*known || bytes_take (to, CHAIN_DIGEST_BYTES, from, field, why);
}

/*  A sentence may be missing. */
bool why_take (char to [CHAIN_WHY_BYTES_MAX + 1], const char *from, const char *field,
               char why [WHY_BYTES])
{
    if (from && *from)
        return text_take (to, CHAIN_WHY_BYTES_MAX, from, TEXT_ANY, field, why);
    *to = '\0';
    return true;
}

bool chain_file_name_right (const char *file, char why [WHY_BYTES])
{
    char name [CHAIN_FILE_BYTES_MAX + 1];
    return text_take (name, CHAIN_FILE_BYTES_MAX, file, TEXT_ANY, "file", why);
}

bool size_valid (uint64_t size)
{
    return size <= INT64_MAX; /* of a file, anywhere */
}

/*  --- files --- */

void stored_file_put (Musubi__StoredFile *to, const stored_file_t *from)
{
    musubi__stored_file__init (to);
    to->number = from->number;
    to->file = (char *) from->file;
    to->size = from->size;
    to->digest = bytes_put (from->digest, from->digest_known ? CHAIN_DIGEST_BYTES : 0);
    to->proved_ms = from->proved_ms;
    to->used_ms = from->used_ms;
    to->gone = from->gone;
}

bool stored_file_take (stored_file_t *to, const Musubi__StoredFile *from, const char *field,
                       char why [WHY_BYTES])
{
    if (from->number == 0)
        return wrong (why, "%s.number: counts from 1", field);
    if (!text_take (to->file, CHAIN_FILE_BYTES_MAX, from->file, TEXT_ANY, "file", why) ||
        !digest_take (to->digest, &to->digest_known, &from->digest, "digest", why))
        return false;
    if (!size_valid (from->size) || !time_valid (from->proved_ms) || !time_valid (from->used_ms))
        return wrong (why, "%s: a size or time is out of range", field);
    to->number = from->number;
    to->size = from->size;
    to->proved_ms = from->proved_ms;
    to->used_ms = from->used_ms;
    to->gone = from->gone;
    return true;
}

/*  --- receipts --- */

typedef struct {
    Musubi__Receipt message;
    char *silent [FEEDERS_MAX];
    char *wrong [FEEDERS_MAX];
} receipt_wire_t;

static void receipt_put (receipt_wire_t *to, const receipt_t *from)
{
    musubi__receipt__init (&to->message);
    to->message.transfer = bytes_put (from->id.bytes, CHAIN_ID_BYTES);
    to->message.state = (Musubi__ReceiptState) from->state;
    to->message.epoch = from->epoch;
    to->message.has = from->has;
    to->message.received = from->received;
    to->message.fed = from->fed;
    to->message.feeder = (char *) from->feeder;
    for (size_t i = 0; i < from->silent_count; i++)
        to->silent [i] = (char *) from->silent [i];
    to->message.n_silent = from->silent_count;
    to->message.silent = to->silent;
    for (size_t i = 0; i < from->wrong_count; i++)
        to->wrong [i] = (char *) from->wrong [i];
    to->message.n_wrong = from->wrong_count;
    to->message.wrong = to->wrong;
    to->message.digest = bytes_put (from->digest, from->digest_known ? CHAIN_DIGEST_BYTES : 0);
    to->message.size = from->size;
    to->message.why = (char *) from->why;
    to->message.wrong_bytes = from->wrong_bytes;
    to->message.attempt = from->attempt;
}

static bool feeders_take (char names [FEEDERS_MAX][FEEDER_NAME_BYTES_MAX + 1], size_t *names_count,
                          char *const *from, size_t count, const char *field, char why [WHY_BYTES])
{
    if (count > FEEDERS_MAX)
        return wrong (why, "%s: more than %d", field, FEEDERS_MAX);
    for (size_t i = 0; i < count; i++)
        if (!text_take (names [i], FEEDER_NAME_BYTES_MAX, from [i], TEXT_WORD, field, why))
            return false;
    *names_count = count;
    return true;
}

static bool receipt_take (receipt_t *to, const Musubi__Receipt *from, const char *field,
                          char why [WHY_BYTES])
{
    if (!enum_valid ((int) from->state, RECEIPT_FEEDING))
        return wrong (why, "%s.state: %d is not known", field, (int) from->state);
    if (!size_valid (from->size) || !size_valid (from->has))
        return wrong (why, "%s: a size is out of range", field);
    if (!bytes_take (to->id.bytes, CHAIN_ID_BYTES, &from->transfer, "transfer", why) ||
        !digest_take (to->digest, &to->digest_known, &from->digest, "digest", why) ||
        !why_take (to->why, from->why, "why", why) ||
        !text_take (to->feeder, FEEDER_NAME_BYTES_MAX, from->feeder, TEXT_WORD_OR_NONE, "feeder",
                    why) ||
        !feeders_take (to->silent, &to->silent_count, from->silent, from->n_silent, "silent",
                       why) ||
        !feeders_take (to->wrong, &to->wrong_count, from->wrong, from->n_wrong, "wrong", why))
        return false;
    to->state = (receipt_state_t) from->state;
    to->epoch = from->epoch;
    to->has = from->has;
    to->received = from->received;
    to->fed = from->fed;
    to->size = from->size;
    to->wrong_bytes = from->wrong_bytes;
    to->attempt = from->attempt;
    return true;
}

/*  --- Attend: the question --- */

packed_t storage_attend_encode (const storage_attend_t *attend)
{
    Musubi__StorageAttendRequest request = MUSUBI__STORAGE_ATTEND_REQUEST__INIT;
    Musubi__StoredFile **files_list =
      messages_new (&musubi__stored_file__descriptor, attend->files_count);
    receipt_wire_t *receipts = must (calloc (attend->receipts_count + 1, sizeof *receipts));
    Musubi__Receipt **receipts_list =
      must (calloc (attend->receipts_count + 1, sizeof (Musubi__Receipt *)));
    for (size_t i = 0; i < attend->files_count; i++)
        stored_file_put (files_list [i], &attend->files [i]);
    for (size_t i = 0; i < attend->receipts_count; i++) {
        receipt_put (&receipts [i], &attend->receipts [i]);
        receipts_list [i] = &receipts [i].message;
    }
    request.node = (char *) attend->node;
    request.store = bytes_put (attend->store, STORE_ID_BYTES);
    request.start = attend->start;
    request.number = attend->number;
    request.seen = attend->seen;
    request.data = (char *) attend->data;
    request.bytes_max = attend->bytes_max;
    request.bytes_used = attend->bytes_used;
    request.guest = attend->guest;
    request.n_files = attend->files_count;
    request.files = files_list;
    request.n_receipts = attend->receipts_count;
    request.receipts = receipts_list;
    packed_t packed = packed_of (&request.base);
    free (files_list);
    free (receipts);
    free (receipts_list);
    return packed;
}

void storage_attend_clear (storage_attend_t *self)
{
    free (self->files);
    free (self->receipts);
    *self = (storage_attend_t){0};
}

static bool attend_lists_take (storage_attend_t *to, const Musubi__StorageAttendRequest *from,
                               char why [WHY_BYTES])
{
    char field [FIELD_BYTES];
    if (from->n_files > STORED_FILES_MAX)
        return wrong (why, "files: more than %d", STORED_FILES_MAX);
    if (from->n_receipts > RECEIPTS_MAX)
        return wrong (why, "receipts: more than %d", RECEIPTS_MAX);
    to->files = must (calloc (from->n_files + 1, sizeof *to->files));
    to->receipts = must (calloc (from->n_receipts + 1, sizeof *to->receipts));
    for (size_t i = 0; i < from->n_files; i++) {
        snprintf (field, sizeof field, "files[%zu]", i);
        if (!stored_file_take (&to->files [i], from->files [i], field, why))
            return false;
        if (i > 0 && to->files [i].number <= to->files [i - 1].number)
            return wrong (why, "%s.number: must ascend", field);
    }
    for (size_t i = 0; i < from->n_receipts; i++) {
        snprintf (field, sizeof field, "receipts[%zu]", i);
        if (!receipt_take (&to->receipts [i], from->receipts [i], field, why))
            return false;
    }
    to->files_count = from->n_files;
    to->receipts_count = from->n_receipts;
    return true;
}

static bool attend_take (storage_attend_t *to, const Musubi__StorageAttendRequest *from,
                         char why [WHY_BYTES])
{
    if (!text_take (to->node, NAME_BYTES_MAX, from->node, TEXT_WORD, "node", why) ||
        !bytes_take (to->store, STORE_ID_BYTES, &from->store, "store", why) ||
        !text_take (to->data, CHAIN_ENDPOINT_BYTES_MAX, from->data, TEXT_WORD_OR_NONE, "data", why))
        return false;
    if (from->start == 0 || from->number == 0)
        return wrong (why, "%s: counts from 1", from->start == 0 ? "start" : "number");
    if (!size_valid (from->bytes_max) || !size_valid (from->bytes_used))
        return wrong (why, "bytes_max, bytes_used: out of range");
    to->start = from->start;
    to->number = from->number;
    to->seen = from->seen;
    to->bytes_max = from->bytes_max;
    to->bytes_used = from->bytes_used;
    to->guest = from->guest;
    return attend_lists_take (to, from, why);
}

bool storage_attend_decode (storage_attend_t *attend, bytes_t body, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__storage_attend_request__descriptor, body);
    if (!message)
        return wrong (why, "not a StorageAttendRequest");
    *attend = (storage_attend_t){0};
    bool taken = attend_take (attend, (const Musubi__StorageAttendRequest *) message, why);
    message_free (message);
    if (!taken)
        storage_attend_clear (attend);
    return taken;
}

/*  --- Attend: the answer --- */

typedef struct {
    Musubi__WantedTransfer message;
    Musubi__Feeder feeders [FEEDERS_MAX];
    Musubi__Feeder *list [FEEDERS_MAX];
} wanted_wire_t;

static void wanted_put (wanted_wire_t *to, const wanted_transfer_t *from)
{
    musubi__wanted_transfer__init (&to->message);
    to->message.transfer = bytes_put (from->id.bytes, CHAIN_ID_BYTES);
    to->message.token = bytes_put (from->token, CHAIN_TOKEN_BYTES);
    to->message.file = (char *) from->file;
    to->message.feeds_only = from->feeds_only;
    to->message.size_known = from->size_known;
    to->message.size = from->size;
    to->message.digest = bytes_put (from->digest, from->digest_known ? CHAIN_DIGEST_BYTES : 0);
    to->message.mbps = from->mbps;
    to->message.feeds = from->feeds;
    to->message.epoch = from->epoch;
    to->message.attempt = from->attempt;
    to->message.looks = from->looks;
    for (size_t i = 0; i < from->feeders_count; i++) {
        musubi__feeder__init (&to->feeders [i]);
        to->feeders [i].name = (char *) from->feeders [i].name;
        to->feeders [i].endpoint = (char *) from->feeders [i].endpoint;
        to->list [i] = &to->feeders [i];
    }
    to->message.n_feeders = from->feeders_count;
    to->message.feeders = to->list;
}

packed_t storage_wanted_encode (const storage_wanted_t *wanted)
{
    Musubi__StorageAttendAnswer answer = MUSUBI__STORAGE_ATTEND_ANSWER__INIT;
    wanted_wire_t *transfers = must (calloc (wanted->transfers_count + 1, sizeof *transfers));
    Musubi__WantedTransfer **list =
      must (calloc (wanted->transfers_count + 1, sizeof (Musubi__WantedTransfer *)));
    char *drops [DROPS_MAX], *proves [PROVES_MAX];
    for (size_t i = 0; i < wanted->transfers_count; i++) {
        wanted_put (&transfers [i], &wanted->transfers [i]);
        list [i] = &transfers [i].message;
    }
    for (size_t i = 0; i < wanted->drops_count; i++)
        drops [i] = wanted->drops [i];
    for (size_t i = 0; i < wanted->proves_count; i++)
        proves [i] = wanted->proves [i];
    answer.number = wanted->number;
    answer.files_seen = wanted->files_seen;
    answer.n_transfers = wanted->transfers_count;
    answer.transfers = list;
    answer.n_drop = wanted->drops_count;
    answer.drop = drops;
    answer.n_prove = wanted->proves_count;
    answer.prove = proves;
    answer.attend_ms = wanted->attend_ms;
    answer.report_ms = wanted->report_ms;
    answer.site = (char *) wanted->site;
    packed_t packed = packed_of (&answer.base);
    free (transfers);
    free (list);
    return packed;
}

void storage_wanted_clear (storage_wanted_t *self)
{
    free (self->transfers);
    free (self->drops);
    free (self->proves);
    *self = (storage_wanted_t){0};
}

static bool wanted_take (wanted_transfer_t *to, const Musubi__WantedTransfer *from,
                         const char *field, char why [WHY_BYTES])
{
    if (!bytes_take (to->id.bytes, CHAIN_ID_BYTES, &from->transfer, "transfer", why) ||
        !bytes_take (to->token, CHAIN_TOKEN_BYTES, &from->token, "token", why) ||
        !text_take (to->file, CHAIN_FILE_BYTES_MAX, from->file, TEXT_ANY, "file", why) ||
        !digest_take (to->digest, &to->digest_known, &from->digest, "digest", why))
        return false;
    if (!size_valid (from->size) || from->n_feeders > FEEDERS_MAX)
        return wrong (why, "%s: size or feeders are out of range", field);
    if (!from->feeds_only && !from->size_known)
        return wrong (why, "%s: what is to be received has no size", field);
    for (size_t i = 0; i < from->n_feeders; i++)
        if (!text_take (to->feeders [i].name, FEEDER_NAME_BYTES_MAX, from->feeders [i]->name,
                        TEXT_WORD, "feeders.name", why) ||
            !text_take (to->feeders [i].endpoint, CHAIN_ENDPOINT_BYTES_MAX,
                        from->feeders [i]->endpoint, TEXT_WORD, "feeders.endpoint", why))
            return false;
    to->feeders_count = from->n_feeders;
    to->feeds_only = from->feeds_only;
    to->size_known = from->size_known;
    to->size = from->size;
    to->mbps = from->mbps;
    to->feeds = from->feeds;
    to->epoch = from->epoch;
    to->attempt = from->attempt;
    to->looks = from->looks;
    return true;
}

static bool names_take (char (**to) [CHAIN_FILE_BYTES_MAX + 1], size_t *count, char **from,
                        size_t from_count, size_t most, const char *field, char why [WHY_BYTES])
{
    if (from_count > most)
        return wrong (why, "%s: more than %zu", field, most);
    *to = must (calloc (from_count + 1, sizeof **to));
    for (size_t i = 0; i < from_count; i++)
        if (!text_take ((*to) [i], CHAIN_FILE_BYTES_MAX, from [i], TEXT_ANY, field, why))
            return false;
    *count = from_count;
    return true;
}

static bool answer_take (storage_wanted_t *to, const Musubi__StorageAttendAnswer *from,
                         char why [WHY_BYTES])
{
    char field [FIELD_BYTES];
    if (from->n_transfers > WANTED_MAX)
        return wrong (why, "transfers: more than %d", WANTED_MAX);
    if (from->attend_ms < 1 || from->attend_ms > 3600000 || from->report_ms < 1 ||
        from->report_ms > 3600000)
        return wrong (why, "attend_ms, report_ms: out of range");
    to->transfers = must (calloc (from->n_transfers + 1, sizeof *to->transfers));
    for (size_t i = 0; i < from->n_transfers; i++) {
        snprintf (field, sizeof field, "transfers[%zu]", i);
        if (!wanted_take (&to->transfers [i], from->transfers [i], field, why))
            return false;
    }
    to->transfers_count = from->n_transfers;
    to->number = from->number;
    to->files_seen = from->files_seen;
    to->attend_ms = from->attend_ms;
    to->report_ms = from->report_ms;
    return text_take (to->site, NAME_BYTES_MAX, from->site, TEXT_WORD, "site", why) &&
           names_take (&to->drops, &to->drops_count, from->drop, from->n_drop, DROPS_MAX, "drop",
                       why) &&
           names_take (&to->proves, &to->proves_count, from->prove, from->n_prove, PROVES_MAX,
                       "prove", why);
}

bool storage_wanted_decode (storage_wanted_t *wanted, bytes_t body, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__storage_attend_answer__descriptor, body);
    if (!message)
        return wrong (why, "not a StorageAttendAnswer");
    *wanted = (storage_wanted_t){0};
    bool taken = answer_take (wanted, (const Musubi__StorageAttendAnswer *) message, why);
    message_free (message);
    if (!taken)
        storage_wanted_clear (wanted);
    return taken;
}
