/*  replica_wire - the catalogue's records, and what users ask and say. */
#include "replica_wire_own.h"

#include "message.h"
#include "must.h"
#include "turning.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static_assert ((int) COPY_EVICTING == MUSUBI__COPY_STATE__COPY_EVICTING, "same numbers");
static_assert ((int) SPREAD_DOMAINS == MUSUBI__SPREAD__SPREAD_DOMAINS, "same numbers");
static_assert ((int) TRANSFER_FAILED == MUSUBI__TRANSFER_STATE__TRANSFER_FAILED, "same numbers");

bool file_name_take (char to [FILE_NAME_BYTES_MAX + 1], const char *from, char why [WHY_BYTES])
{
    if (!from)
        return wrong (why, "name: missing");
    if (!file_name_check (from, why))
        return false;
    memcpy (to, from, strlen (from) + 1);
    return true;
}

/*  --- the catalogue's records --- */

/*  A record, and all that it points to. */
typedef struct {
    Musubi__FileRecord record;
    Musubi__ReplicaRule rule;
    Musubi__Copy *copies;
    Musubi__Copy **list;
} file_wire_t;

static void file_put (file_wire_t *to, const file_t *from)
{
    size_t count = from->copies_count;
    musubi__file_record__init (&to->record);
    musubi__replica_rule__init (&to->rule);
    to->record.name = (char *) from->name;
    to->record.size = from->size;
    if (from->digest_known)
        to->record.digest = bytes_put (from->digest, FILE_DIGEST_BYTES);
    to->record.owner = (char *) from->owner;
    to->record.created_ms = from->created_ms;
    to->record.kept = from->kept;
    to->record.pinned = from->pinned;
    to->record.expires_ms = from->expires_ms;
    to->record.used_ms = from->used_ms;
    to->rule.copies = from->rule.copies;
    to->rule.spread = (Musubi__Spread) from->rule.spread;
    to->record.rule = &to->rule;
    to->copies = must (calloc (count + 1, sizeof *to->copies));
    to->list = must (calloc (count + 1, sizeof (Musubi__Copy *)));
    for (size_t i = 0; i < count; i++) {
        musubi__copy__init (&to->copies [i]);
        to->copies [i].node = from->copies [i].node;
        to->copies [i].state = (Musubi__CopyState) from->copies [i].state;
        to->copies [i].proved_ms = from->copies [i].proved_ms;
        to->list [i] = &to->copies [i];
    }
    to->record.n_copies = count;
    to->record.copies = to->list;
}

static void file_put_end (file_wire_t *wire)
{
    free (wire->copies);
    free (wire->list);
}

packed_t file_record_encode (const file_t *file)
{
    file_wire_t wire;
    file_put (&wire, file);
    packed_t packed = packed_of (&wire.record.base);
    file_put_end (&wire);
    return packed;
}

static bool rule_take (replica_rule_t *to, const Musubi__ReplicaRule *from, char why [WHY_BYTES])
{
    *to = (replica_rule_t){0};
    if (!from)
        return true;
    if (from->copies > RULE_COPIES_MAX)
        return wrong (why, "rule.copies: at most %d", RULE_COPIES_MAX);
    if (!enum_valid ((int) from->spread, SPREAD_DOMAINS))
        return wrong (why, "rule.spread: %d is not known", (int) from->spread);
    *to = (replica_rule_t){.copies = from->copies, .spread = (spread_t) from->spread};
    return true;
}

static bool copies_take (file_t *to, const Musubi__FileRecord *from, char why [WHY_BYTES])
{
    if (from->n_copies == 0 || from->n_copies > COPIES_MAX)
        return wrong (why, "copies: from 1 to %d", COPIES_MAX);
    to->copies = must (calloc (from->n_copies, sizeof *to->copies));
    to->copies_count = from->n_copies;
    for (size_t i = 0; i < from->n_copies; i++) {
        const Musubi__Copy *copy = from->copies [i];
        if (!text_take (to->copies [i].node, NAME_BYTES_MAX, copy->node, TEXT_WORD, "copies.node",
                        why))
            return false;
        if (!enum_valid ((int) copy->state, COPY_EVICTING))
            return wrong (why, "copies.state: %d is not known", (int) copy->state);
        to->copies [i].state = (copy_state_t) copy->state;
        to->copies [i].proved_ms = copy->proved_ms;
    }
    return true;
}

static bool file_take (file_t *to, const Musubi__FileRecord *from, char why [WHY_BYTES])
{
    to->size = from->size;
    to->created_ms = from->created_ms;
    to->kept = from->kept;
    to->pinned = from->pinned;
    to->expires_ms = from->expires_ms;
    to->used_ms = from->used_ms;
    to->digest_known = from->digest.len > 0;
    if (to->digest_known &&
        !bytes_take (to->digest, FILE_DIGEST_BYTES, &from->digest, "digest", why))
        return false;
    return file_name_take (to->name, from->name, why) &&
           text_take (to->owner, NAME_BYTES_MAX, from->owner, TEXT_WORD_OR_NONE, "owner", why) &&
           rule_take (&to->rule, from->rule, why) && copies_take (to, from, why);
}

bool file_record_decode (file_t *file, bytes_t value, char why [WHY_BYTES])
{
    *file = (file_t){0};
    ProtobufCMessage *message = message_unpack (&musubi__file_record__descriptor, value);
    if (!message)
        return wrong (why, "not a FileRecord");
    bool good = file_take (file, (const Musubi__FileRecord *) message, why);
    message_free (message);
    if (!good) {
        free (file->copies);
        file->copies = NULL;
    }
    return good;
}

/*  --- put and get --- */

static bool lifetime_check (int64_t lifetime_ms, char why [WHY_BYTES])
{
    return (lifetime_ms >= 0 && lifetime_ms <= LIFETIME_MS_MAX) ||
           wrong (why, "lifetime_ms: from 0, which is for ever, to a hundred years");
}

/*  A name that turns text around is refused when it is new; one that is there can be got and
 * dropped. */
static bool put_take (begin_question_t *to, const Musubi__PutRequest *from, char why [WHY_BYTES])
{
    if (text_turns (from->name))
        return wrong (why,
                      "name: characters that turn text around, such as U+202E, are not allowed");
    to->size = from->size;
    to->lifetime_ms = from->lifetime_ms;
    return file_name_take (to->name, from->name, why) &&
           bytes_take (to->digest, FILE_DIGEST_BYTES, &from->digest, "digest", why) &&
           text_take (to->guest, NAME_BYTES_MAX, from->guest, TEXT_WORD, "guest", why) &&
           lifetime_check (from->lifetime_ms, why);
}

bool put_question_decode (begin_question_t *to, bytes_t body, char why [WHY_BYTES])
{
    *to = (begin_question_t){0};
    ProtobufCMessage *message = message_unpack (&musubi__put_request__descriptor, body);
    if (!message)
        return wrong (why, "not a PutRequest");
    bool good = put_take (to, (const Musubi__PutRequest *) message, why);
    message_free (message);
    return good;
}

bool get_question_decode (begin_question_t *to, bytes_t body, char why [WHY_BYTES])
{
    *to = (begin_question_t){0};
    ProtobufCMessage *message = message_unpack (&musubi__get_request__descriptor, body);
    if (!message)
        return wrong (why, "not a GetRequest");
    const Musubi__GetRequest *from = (const Musubi__GetRequest *) message;
    to->keep = from->keep;
    to->lifetime_ms = from->lifetime_ms;
    bool good =
      file_name_take (to->name, from->name, why) &&
      text_take (to->guest, NAME_BYTES_MAX, from->guest, TEXT_WORD_OR_NONE, "guest", why) &&
      lifetime_check (from->lifetime_ms, why);
    message_free (message);
    return good;
}

packed_t get_question_encode (const begin_question_t *question)
{
    Musubi__GetRequest request = MUSUBI__GET_REQUEST__INIT;
    request.name = (char *) question->name;
    request.guest = (char *) question->guest;
    request.keep = question->keep;
    request.lifetime_ms = question->lifetime_ms;
    return packed_of (&request.base);
}

packed_t begin_answer_encode (uint64_t transfer, uint64_t size, const uint8_t *digest)
{
    Musubi__BeginAnswer answer = MUSUBI__BEGIN_ANSWER__INIT;
    answer.transfer = transfer;
    answer.size = size;
    if (digest)
        answer.digest = bytes_put (digest, FILE_DIGEST_BYTES);
    return packed_of (&answer.base);
}

/*  --- how a transfer stands --- */

bool transfer_question_decode (uint64_t *transfer, char guest [NAME_BYTES_MAX + 1], bytes_t body,
                               char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__transfer_request__descriptor, body);
    if (!message)
        return wrong (why, "not a TransferRequest");
    const Musubi__TransferRequest *from = (const Musubi__TransferRequest *) message;
    *transfer = from->transfer;
    bool good = text_take (guest, NAME_BYTES_MAX, from->guest, TEXT_WORD_OR_NONE, "guest", why);
    message_free (message);
    return good;
}

static void hop_put (Musubi__Hop *to, const chain_receiver_t *from)
{
    static const char *const words [] = {"waiting", "receiving", "checking", "verified", "failed"};
    to->node = (char *) from->node;
    to->feeder = (char *) (from->feeder ? from->feeder : "");
    to->has = from->has;
    to->received = from->received;
    to->state = (char *) words [from->state];
}

packed_t transfer_answer_encode (const transfer_told_t *told)
{
    Musubi__TransferAnswer answer = MUSUBI__TRANSFER_ANSWER__INIT;
    Musubi__Hop **list = messages_new (&musubi__hop__descriptor, told->hops_count);
    for (size_t i = 0; i < told->hops_count; i++)
        hop_put (list [i], &told->hops [i]);
    answer.state = (Musubi__TransferState) told->state;
    answer.name = (char *) told->name;
    answer.size = told->size;
    answer.source = (char *) told->source;
    answer.n_hops = told->hops_count;
    answer.hops = list;
    answer.why = (char *) told->why;
    packed_t packed = packed_of (&answer.base);
    free (list);
    return packed;
}

/*  --- files --- */

static bool files_take (files_question_t *to, const Musubi__FilesRequest *from,
                        char why [WHY_BYTES])
{
    to->most = from->most > 0 && from->most < FILES_PAGE_MAX ? from->most : FILES_PAGE_MAX;
    return (!*from->name || file_name_take (to->name, from->name, why)) &&
           (!*from->after || file_name_take (to->after, from->after, why));
}

bool files_question_decode (files_question_t *to, bytes_t body, char why [WHY_BYTES])
{
    *to = (files_question_t){0};
    ProtobufCMessage *message = message_unpack (&musubi__files_request__descriptor, body);
    if (!message)
        return wrong (why, "not a FilesRequest");
    bool good = files_take (to, (const Musubi__FilesRequest *) message, why);
    message_free (message);
    return good;
}

static void node_put (Musubi__StorageNode *to, const chain_node_t *from)
{
    to->node = (char *) from->name;
    to->up = from->state == CHAIN_NODE_UP;
    to->limit = from->bytes_max;
    to->used = from->bytes_files;
    to->held = from->bytes_held;
    to->sending = from->feeds;
}

packed_t files_answer_encode (const file_t *const *files, size_t count, bool more,
                              const chain_node_t *nodes, size_t nodes_count)
{
    Musubi__FilesAnswer answer = MUSUBI__FILES_ANSWER__INIT;
    file_wire_t *wires = must (calloc (count + 1, sizeof *wires));
    Musubi__FileRecord **list = must (calloc (count + 1, sizeof (Musubi__FileRecord *)));
    Musubi__StorageNode **node_list = messages_new (&musubi__storage_node__descriptor, nodes_count);
    for (size_t i = 0; i < count; i++) {
        file_put (&wires [i], files [i]);
        list [i] = &wires [i].record;
    }
    for (size_t i = 0; i < nodes_count; i++)
        node_put (node_list [i], &nodes [i]);
    answer.n_files = count;
    answer.files = list;
    answer.more = more;
    answer.n_nodes = nodes_count;
    answer.nodes = node_list;
    packed_t packed = packed_of (&answer.base);
    for (size_t i = 0; i < count; i++)
        file_put_end (&wires [i]);
    free (wires);
    free (list);
    free (node_list);
    return packed;
}

/*  --- what owners say --- */

static const ProtobufCMessageDescriptor *said_descriptor (said_kind_t kind)
{
    static const ProtobufCMessageDescriptor *const list [] = {
      [SAID_PIN] = &musubi__pin_request__descriptor,
      [SAID_LIFETIME] = &musubi__lifetime_request__descriptor,
      [SAID_RULE] = &musubi__rule_request__descriptor,
      [SAID_EVICT] = &musubi__evict_request__descriptor,
    };
    return list [kind];
}

static bool said_take (said_t *to, said_kind_t kind, const ProtobufCMessage *message,
                       char why [WHY_BYTES])
{
    switch (kind) {
    case SAID_PIN: {
        const Musubi__PinRequest *from = (const Musubi__PinRequest *) message;
        to->yes = from->pinned;
        return file_name_take (to->name, from->name, why);
    }
    case SAID_LIFETIME: {
        const Musubi__LifetimeRequest *from = (const Musubi__LifetimeRequest *) message;
        to->lifetime_ms = from->lifetime_ms;
        return file_name_take (to->name, from->name, why) && lifetime_check (to->lifetime_ms, why);
    }
    case SAID_RULE: {
        const Musubi__RuleRequest *from = (const Musubi__RuleRequest *) message;
        return file_name_take (to->name, from->name, why) && rule_take (&to->rule, from->rule, why);
    }
    case SAID_EVICT: {
        const Musubi__EvictRequest *from = (const Musubi__EvictRequest *) message;
        to->yes = from->kept;
        return file_name_take (to->name, from->name, why);
    }
    }
    return false;
}

bool said_decode (said_t *to, said_kind_t kind, bytes_t body, char why [WHY_BYTES])
{
    *to = (said_t){0};
    ProtobufCMessage *message = message_unpack (said_descriptor (kind), body);
    if (!message)
        return wrong (why, "not a %s", said_descriptor (kind)->short_name);
    bool good = said_take (to, kind, message, why);
    message_free (message);
    return good;
}

packed_t evict_answer_encode (uint32_t copies, uint32_t left)
{
    Musubi__EvictAnswer evicted = MUSUBI__EVICT_ANSWER__INIT;
    evicted.copies = copies;
    evicted.left = left;
    return packed_of (&evicted.base);
}
