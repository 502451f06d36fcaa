/*  replica_wire - the tables of messages and records, and answers that are filled in directly. */
#include "replica_wire.h"

#include "bidi.h"
#include "chain_wire.h"
#include "codec_table.h"

#include "replica.pb-c.h"

#include <assert.h>

static_assert ((int) COPY_QUARANTINED == MUSUBI__COPY_STATE__COPY_QUARANTINED, "same numbers");
static_assert ((int) SPREAD_DOMAINS == MUSUBI__SPREAD__SPREAD_DOMAINS, "same numbers");
static_assert ((int) TRANSFER_FAILED == MUSUBI__TRANSFER_STATE__TRANSFER_FAILED, "same numbers");

/*  The rule of all structs that begin with the name of a file. */
static bool name_rule (void *self, char why [WHY_BYTES])
{
    return file_name_check (self, why);
}

static_assert (offsetof (file_t, name) == 0 && offsetof (begin_question_t, name) == 0 &&
                 offsetof (said_t, name) == 0 && offsetof (offer_question_t, name) == 0 &&
                 offsetof (offer_end_t, name) == 0 && offsetof (news_t, name) == 0 &&
                 offsetof (stale_t, name) == 0,
               "they do");

/*  --- the catalogue's records --- */

static const codec_row_t copy_rows [] = {
  ROW_WORD ("node", copy_t, node),
  ROW_ENUM ("state", copy_t, state, COPY_QUARANTINED),
  ROW_NUMBER ("proved_ms", copy_t, proved_ms),
  ROW_NUMBER ("bad", copy_t, bad),
  ROW_NUMBER ("bad_at", copy_t, bad_at),
};
static const codec_t copy_codec = CODEC (copy_t, copy, copy_rows);

static const codec_row_t replica_rule_rows [] = {
  ROW_NUMBER ("copies", replica_rule_t, copies),
  ROW_ENUM ("spread", replica_rule_t, spread, SPREAD_DOMAINS),
  ROW_NUMBER ("nodes", replica_rule_t, nodes),
  ROW_WORD ("sites", replica_rule_t, sites, OR_NONE),
};
static const codec_t replica_rule_codec = CODEC (replica_rule_t, replica_rule, replica_rule_rows);

static const codec_row_t file_rows [] = {
  ROW_TEXT ("name", file_t, name),
  ROW_NUMBER ("size", file_t, content.size),
  ROW_FIXED ("digest", file_t, content.digest, SET_BY (file_t, content.digest_known)),
  ROW_WORD ("owner", file_t, owner, OR_NONE),
  ROW_NUMBER ("created_ms", file_t, created_ms),
  ROW_FLAG ("kept", file_t, kept),
  ROW_FLAG ("pinned", file_t, pinned),
  ROW_NUMBER ("expires_ms", file_t, expires_ms),
  ROW_NUMBER ("used_ms", file_t, used_ms),
  ROW_ONE ("rule", file_t, rule, replica_rule, SET_BY (file_t, rule_set)),
  ROW_LIST ("copies", file_t, copies, copies_count, copy, 1, COPIES_MAX),
};
const codec_t file_codec = CODEC_RULED (file_t, file_record, file_rows, name_rule);

/*  --- put and get --- */

static const codec_row_t put_question_rows [] = {
  ROW_TEXT ("name", begin_question_t, name),
  ROW_NUMBER ("size", begin_question_t, size),
  ROW_FIXED ("digest", begin_question_t, digest),
  ROW_WORD ("guest", begin_question_t, guest),
  ROW_NUMBER ("lifetime_ms", begin_question_t, lifetime_ms, MOST (LIFETIME_MS_MAX)),
};

/*  A name that changes the direction of text can't be put any more. An older file with such a name
 *  can still be fetched and evicted. */
static bool put_question_rule (void *self, char why [WHY_BYTES])
{
    const begin_question_t *question = self;
    if (text_has_bidi_control (question->name))
        return wrong (
          why, "name: must not have characters that change the direction of text, such as U+202E");
    return name_rule (self, why);
}

const codec_t put_question_codec =
  CODEC_RULED (begin_question_t, put_request, put_question_rows, put_question_rule);

static const codec_row_t get_question_rows [] = {
  ROW_TEXT ("name", begin_question_t, name),
  ROW_WORD ("guest", begin_question_t, guest, OR_NONE),
  ROW_FLAG ("keep", begin_question_t, keep),
  ROW_NUMBER ("lifetime_ms", begin_question_t, lifetime_ms, MOST (LIFETIME_MS_MAX)),
  ROW_NUMBER ("nodes", begin_question_t, nodes),
  ROW_FLAG ("salvage", begin_question_t, salvage),
};
const codec_t get_question_codec =
  CODEC_RULED (begin_question_t, get_request, get_question_rows, name_rule);

static const codec_row_t begin_answer_rows [] = {
  ROW_NUMBER ("transfer", begin_answer_t, transfer),
  ROW_NUMBER ("size", begin_answer_t, content.size),
  ROW_FIXED ("digest", begin_answer_t, content.digest,
             SET_BY (begin_answer_t, content.digest_known)),
  ROW_NUMBER_ARRAY ("bad", begin_answer_t, bad, bad_count, 0),
};
const codec_t begin_answer_codec = CODEC (begin_answer_t, begin_answer, begin_answer_rows);

/*  --- how a transfer stands --- */

static const codec_row_t transfer_question_rows [] = {
  ROW_NUMBER ("transfer", transfer_question_t, transfer),
  ROW_WORD ("guest", transfer_question_t, guest, OR_NONE),
};
const codec_t transfer_question_codec =
  CODEC (transfer_question_t, transfer_request, transfer_question_rows);

static void hop_put (Musubi__Hop *to, const chain_receiver_t *from)
{
    to->node = (char *) from->node;
    to->feeder = (char *) from->feeder;
    to->has = from->has;
    to->received = from->received;
    to->state = (char *) receiver_states.states [from->state];
}

/*  False of one that has failed, and of a client that has gone away. */
static bool takes_part (const chain_t *chain, const chain_receiver_t *receiver)
{
    const chain_node_t *node = chain ? chain_node (chain, receiver->node) : NULL;
    return receiver->state != RECEIVER_FAILED &&
           !(node && node->guest && node->agent.state > AGENT_UP);
}

packed_t transfer_answer_encode (const chain_t *chain, transfer_state_t state, const file_t *file,
                                 const char *source, const chain_transfer_t *transfer,
                                 const nodes_told_t *nodes, const char *why)
{
    ARENA (arena);
    Musubi__TransferAnswer answer = MUSUBI__TRANSFER_ANSWER__INIT;
    answer.state = (Musubi__TransferState) state;
    answer.name = (char *) file->name;
    answer.size = file->content.size;
    answer.source = (char *) source;
    answer.why = (char *) why;
    answer.nodes = nodes->have;
    answer.lacking = nodes->lacking;
    answer.n_lacking = nodes->lacking_count;
    size_t receivers = transfer ? transfer->receivers_count : 0;
    answer.hops = codec_messages (&musubi__hop__descriptor, receivers, &arena);
    for (size_t i = 0; i < receivers; i++)
        if (takes_part (chain, &transfer->receivers [i]))
            hop_put (answer.hops [answer.n_hops++], &transfer->receivers [i]);
    return packed_of (&answer.base);
}

/*  --- files --- */

static const codec_row_t files_question_rows [] = {
  ROW_TEXT ("name", files_question_t, name, OR_NONE),
  ROW_TEXT ("after", files_question_t, after, OR_NONE),
  ROW_NUMBER ("most", files_question_t, most),
};

static bool files_question_rule (void *self, char why [WHY_BYTES])
{
    const files_question_t *question = self;
    return (!*question->name || file_name_check (question->name, why)) &&
           (!*question->after || file_name_check (question->after, why));
}

const codec_t files_question_codec =
  CODEC_RULED (files_question_t, files_request, files_question_rows, files_question_rule);

uint32_t files_most (const files_question_t *question)
{
    return question->most > 0 && question->most < FILES_PAGE_MAX ? question->most : FILES_PAGE_MAX;
}

static void nodes_put (Musubi__FilesAnswer *answer, const chain_t *chain, arena_t *arena)
{
    answer->nodes = codec_messages (&musubi__storage_node__descriptor, chain_nodes (chain), arena);
    for (size_t i = 0; i < chain_nodes (chain); i++) {
        chain_node_t *node = chain_node_at (chain, i);
        if (node->guest)
            continue;
        Musubi__StorageNode *to = answer->nodes [answer->n_nodes++];
        to->node = node->name;
        to->up = node->agent.state == AGENT_UP;
        to->limit = node->bytes_max;
        to->used = chain_bytes_files (node);
        to->held = chain_bytes_held (chain, node);
        to->sending = chain_feeds (chain, node);
    }
}

packed_t files_answer_encode (const file_t *const *files, size_t count, bool more,
                              const chain_t *chain)
{
    ARENA (arena);
    Musubi__FilesAnswer answer = MUSUBI__FILES_ANSWER__INIT;
    answer.n_files = count;
    answer.files = codec_messages (&musubi__file_record__descriptor, count, &arena);
    for (size_t i = 0; i < count; i++)
        codec_fill (&file_codec, files [i], answer.files [i], &arena);
    answer.more = more;
    if (chain)
        nodes_put (&answer, chain, &arena);
    return packed_of (&answer.base);
}

/*  --- what owners say --- */

static const codec_row_t said_pin_rows [] = {
  ROW_TEXT ("name", said_t, name),
  ROW_FLAG ("pinned", said_t, yes),
};
const codec_t said_pin_codec = CODEC_RULED (said_t, pin_request, said_pin_rows, name_rule);

static const codec_row_t said_lifetime_rows [] = {
  ROW_TEXT ("name", said_t, name),
  ROW_NUMBER ("lifetime_ms", said_t, lifetime_ms, MOST (LIFETIME_MS_MAX)),
};
const codec_t said_lifetime_codec =
  CODEC_RULED (said_t, lifetime_request, said_lifetime_rows, name_rule);

static const codec_row_t said_rule_rows [] = {
  ROW_TEXT ("name", said_t, name),
  ROW_ONE ("rule", said_t, rule, replica_rule, SET_BY (said_t, rule_set)),
};
const codec_t said_rule_codec = CODEC_RULED (said_t, rule_request, said_rule_rows, name_rule);

static const codec_row_t said_evict_rows [] = {
  ROW_TEXT ("name", said_t, name),
  ROW_FLAG ("kept", said_t, yes),
};
const codec_t said_evict_codec = CODEC_RULED (said_t, evict_request, said_evict_rows, name_rule);

static const codec_row_t cache_evicted_rows [] = {
  ROW_NUMBER ("copies", cache_evicted_t, copies),
  ROW_NUMBER ("left", cache_evicted_t, left),
};
const codec_t cache_evicted_codec = CODEC (cache_evicted_t, evict_answer, cache_evicted_rows);

static const codec_row_t scrub_question_rows [] = {
  ROW_TIME ("since_ms", scrub_question_t, since_ms),
  ROW_NUMBER ("mbps", scrub_question_t, mbps),
};
const codec_t scrub_question_codec = CODEC (scrub_question_t, scrub_request, scrub_question_rows);

static const codec_row_t scrub_answer_rows [] = {
  ROW_TIME ("since_ms", scrub_answer_t, since_ms),
  ROW_NUMBER ("copies", scrub_answer_t, copies),
  ROW_NUMBER ("left", scrub_answer_t, left),
  ROW_NUMBER ("bytes", scrub_answer_t, bytes),
  ROW_NUMBER ("bytes_left", scrub_answer_t, bytes_left),
  ROW_NUMBER ("away", scrub_answer_t, away),
  ROW_NUMBER ("found", scrub_answer_t, found),
};
const codec_t scrub_answer_codec = CODEC (scrub_answer_t, scrub_answer, scrub_answer_rows);

/*  --- between sites --- */

static const codec_row_t offer_question_rows [] = {
  ROW_TEXT ("name", offer_question_t, name),
  ROW_FIXED ("digest", offer_question_t, digest),
  ROW_FIXED ("transfer", offer_question_t, transfer.bytes),
  ROW_FIXED ("token", offer_question_t, token),
  ROW_NUMBER ("mbps", offer_question_t, mbps),
  ROW_NUMBER ("feeds", offer_question_t, feeds),
};
const codec_t offer_question_codec =
  CODEC_RULED (offer_question_t, offer_request, offer_question_rows, name_rule);

static const codec_row_t offer_answer_rows [] = {
  ROW_WORD ("node", offer_answer_t, node, OR_NONE),
  ROW_WORD ("endpoint", offer_answer_t, endpoint, OR_NONE),
  ROW_NUMBER ("sending", offer_answer_t, sending),
};
const codec_t offer_answer_codec = CODEC (offer_answer_t, offer_answer, offer_answer_rows);

static const codec_row_t offer_end_rows [] = {
  ROW_TEXT ("name", offer_end_t, name),
  ROW_FIXED ("transfer", offer_end_t, transfer.bytes),
  ROW_FLAG ("wrong", offer_end_t, wrong),
};
const codec_t offer_end_codec =
  CODEC_RULED (offer_end_t, offer_end_request, offer_end_rows, name_rule);

/*  --- to indexes --- */

static const codec_row_t news_rows [] = {
  ROW_TEXT ("name", news_t, name),
  ROW_ONE ("place", news_t, place, file_place, SET_BY (news_t, there)),
};
static const codec_t news_codec = CODEC_RULED (news_t, told, news_rows, name_rule);

static const codec_row_t publish_rows [] = {
  ROW_WORD ("site", publish_t, site),
  ROW_FIXED ("store", publish_t, store),
  ROW_NUMBER ("start", publish_t, start),
  ROW_NUMBER ("after", publish_t, after),
  ROW_NUMBER ("number", publish_t, number),
  ROW_LIST ("told", publish_t, news, count, news, 0, PUBLISHED_MAX),
  ROW_NUMBER ("lease_ms", publish_t, lease_ms, BETWEEN (1, 10 * REPLICA_LEASE_MS)),
};

static bool publish_rule (void *self, char why [WHY_BYTES])
{
    const publish_t *publish = self;
    return publish->after <= publish->number ||
           wrong (why, "after: must not be greater than number");
}

const codec_t publish_codec = CODEC_RULED (publish_t, publish_request, publish_rows, publish_rule);

static const codec_row_t publish_answer_rows [] = {
  ROW_NUMBER ("number", publish_answer_t, number),
};
const codec_t publish_answer_codec = CODEC (publish_answer_t, publish_answer, publish_answer_rows);

static const codec_row_t stale_rows [] = {
  ROW_TEXT ("name", stale_t, name),
  ROW_WORD ("site", stale_t, site),
};
const codec_t stale_codec = CODEC_RULED (stale_t, stale_request, stale_rows, name_rule);
