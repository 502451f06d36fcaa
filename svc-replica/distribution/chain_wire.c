/*  chain_wire - the tables of messages and records, and answers to questions of people. */
#include "chain_wire.h"

#include "message.h"

#include "chain.pb-c.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define FILE_BYTES_MOST (INT64_MAX - 1) /* of a file, anywhere */
#define PACE_MS_MOST    3600000         /* longest pause between two questions or reports */

static_assert ((int) RECEIPT_VERIFIED == MUSUBI__RECEIPT_STATE__RECEIPT_VERIFIED &&
                 (int) RECEIPT_FAILED == MUSUBI__RECEIPT_STATE__RECEIPT_FAILED &&
                 (int) RECEIPT_FEEDING == MUSUBI__RECEIPT_STATE__RECEIPT_FEEDING,
               "same numbers");

bool content_equal (const content_t *a, const content_t *b)
{
    return a->size == b->size && memcmp (a->digest, b->digest, CHAIN_DIGEST_BYTES) == 0;
}

bool content_same (const content_t *a, const content_t *b)
{
    return a->digest_known && b->digest_known ? content_equal (a, b) : a->size == b->size;
}

uint64_t bad_chunks (const damage_t *damage)
{
    uint64_t chunks = 0;
    for (size_t i = 0; i < damage->bad_count; i++)
        chunks += (damage->bad [i].bytes + FLOW_CHUNK_BYTES - 1) / FLOW_CHUNK_BYTES;
    return chunks;
}

bool chain_file_name_right (const char *file, char why [WHY_BYTES])
{
    char name [CHAIN_FILE_BYTES_MAX + 1];
    return text_take (name, CHAIN_FILE_BYTES_MAX, file, TEXT_ANY, "file", why);
}

/*  --- Attend: the question --- */

static const codec_row_t bad_range_rows [] = {
  ROW_NUMBER ("offset", bad_range_t, offset, MOST (FILE_BYTES_MOST)),
  ROW_NUMBER ("bytes", bad_range_t, bytes, BETWEEN (1, FILE_BYTES_MOST)),
};
static const codec_t bad_range_codec = CODEC (bad_range_t, bad_range, bad_range_rows);

static const codec_row_t damage_rows [] = {
  ROW_NUMBER ("size", damage_t, found.size, MOST (FILE_BYTES_MOST)),
  ROW_FIXED ("digest", damage_t, found.digest, SET_BY (damage_t, found.digest_known)),
  ROW_ARRAY ("bad", damage_t, bad, bad_count, bad_range),
};
const codec_t damage_codec = CODEC (damage_t, damage, damage_rows);

static const codec_row_t stored_file_rows [] = {
  ROW_NUMBER ("number", stored_file_t, number, LEAST (1)),
  ROW_TEXT ("file", stored_file_t, file),
  ROW_NUMBER ("size", stored_file_t, content.size, MOST (FILE_BYTES_MOST)),
  ROW_FIXED ("digest", stored_file_t, content.digest, SET_BY (stored_file_t, content.digest_known)),
  ROW_TIME ("proved_ms", stored_file_t, proved_ms),
  ROW_FLAG ("gone", stored_file_t, gone),
  ROW_TIME ("used_ms", stored_file_t, used_ms),
  ROW_FIXED ("part", stored_file_t, part.bytes, SET_BY (stored_file_t, has_part)),
  ROW_TIME ("looked_ms", stored_file_t, looked_ms),
  ROW_ONE ("damage", stored_file_t, damage, damage, SET_BY (stored_file_t, quarantined)),
};
const codec_t stored_file_codec = CODEC (stored_file_t, stored_file, stored_file_rows);

static const codec_row_t receipt_rows [] = {
  ROW_FIXED ("transfer", receiver_report_t, id.bytes),
  ROW_ENUM ("state", receiver_report_t, state, RECEIPT_FEEDING),
  ROW_NUMBER ("epoch", receiver_report_t, epoch),
  ROW_NUMBER ("has", receiver_report_t, has, MOST (FILE_BYTES_MOST)),
  ROW_NUMBER ("received", receiver_report_t, received),
  ROW_NUMBER ("fed", receiver_report_t, fed),
  ROW_WORD ("feeder", receiver_report_t, feeder, OR_NONE),
  ROW_WORD_ARRAY ("silent", receiver_report_t, silent, silent_count),
  ROW_FIXED ("digest", receiver_report_t, content.digest,
             SET_BY (receiver_report_t, content.digest_known)),
  ROW_NUMBER ("size", receiver_report_t, content.size, MOST (FILE_BYTES_MOST)),
  ROW_TEXT ("why", receiver_report_t, why, OR_NONE),
  ROW_FLAG ("wrong_bytes", receiver_report_t, wrong_bytes),
  ROW_NUMBER ("attempt", receiver_report_t, attempt),
  ROW_WORD_ARRAY ("wrong", receiver_report_t, wrong, wrong_count),
};
static const codec_t receiver_report_codec = CODEC (receiver_report_t, receipt, receipt_rows);

static const codec_row_t arrival_report_rows [] = {
  ROW_TEXT ("path", chain_arrival_t, path),
  ROW_NUMBER ("size", chain_arrival_t, content.size, MOST (FILE_BYTES_MOST)),
  ROW_FIXED ("digest", chain_arrival_t, content.digest,
             SET_BY (chain_arrival_t, content.digest_known)),
  ROW_FLAG ("done", chain_arrival_t, done),
  ROW_TEXT ("why", chain_arrival_t, why, OR_NONE),
};
static const codec_t arrival_report_codec =
  CODEC (chain_arrival_t, arrival_report, arrival_report_rows);
typedef chain_arrival_t arrival_report_t, arrival_t;

static const codec_row_t storage_attend_rows [] = {
  ROW_WORD ("node", storage_attend_t, node),
  ROW_FIXED ("store", storage_attend_t, question.store),
  ROW_NUMBER ("start", storage_attend_t, question.start, LEAST (1)),
  ROW_NUMBER ("number", storage_attend_t, question.number, LEAST (1)),
  ROW_NUMBER ("seen", storage_attend_t, question.seen),
  ROW_WORD ("data", storage_attend_t, data, OR_NONE),
  ROW_NUMBER ("bytes_max", storage_attend_t, bytes_max, MOST (FILE_BYTES_MOST)),
  ROW_NUMBER ("bytes_used", storage_attend_t, bytes_used, MOST (FILE_BYTES_MOST)),
  ROW_FLAG ("guest", storage_attend_t, guest),
  ROW_LIST ("files", storage_attend_t, files, files_count, stored_file, 0, STORED_FILES_MAX),
  ROW_LIST ("receipts", storage_attend_t, receipts, receipts_count, receiver_report, 0,
            RECEIPTS_MAX),
  ROW_TEXT ("folder", storage_attend_t, folder, OR_NONE),
  ROW_LIST ("arrivals", storage_attend_t, arrivals, arrivals_count, arrival_report, 0,
            ARRIVALS_MAX),
};

static bool storage_attend_rule (void *self, char why [WHY_BYTES])
{
    const storage_attend_t *attend = self;
    for (size_t i = 1; i < attend->files_count; i++)
        if (attend->files [i].number <= attend->files [i - 1].number)
            return wrong (why, "files[%zu].number: must be greater than the number before it", i);
    return true;
}

const codec_t storage_attend_codec =
  CODEC_RULED (storage_attend_t, storage_attend_request, storage_attend_rows, storage_attend_rule);

/*  --- Attend: the answer --- */

static const codec_row_t feeder_rows [] = {
  ROW_WORD ("name", feeder_t, name),
  ROW_WORD ("endpoint", feeder_t, endpoint),
};
static const codec_t feeder_codec = CODEC (feeder_t, feeder, feeder_rows);

static const codec_row_t wanted_transfer_rows [] = {
  ROW_FIXED ("transfer", wanted_transfer_t, id.bytes),
  ROW_FIXED ("token", wanted_transfer_t, token),
  ROW_TEXT ("file", wanted_transfer_t, file),
  ROW_FLAG ("feeds_only", wanted_transfer_t, feeds_only),
  ROW_FLAG ("size_known", wanted_transfer_t, size_known),
  ROW_NUMBER ("size", wanted_transfer_t, content.size, MOST (FILE_BYTES_MOST)),
  ROW_FIXED ("digest", wanted_transfer_t, content.digest,
             SET_BY (wanted_transfer_t, content.digest_known)),
  ROW_NUMBER ("mbps", wanted_transfer_t, mbps),
  ROW_NUMBER ("feeds", wanted_transfer_t, feeds),
  ROW_NUMBER ("epoch", wanted_transfer_t, epoch),
  ROW_ARRAY ("feeders", wanted_transfer_t, feeders, feeders_count, feeder),
  ROW_NUMBER ("attempt", wanted_transfer_t, attempt),
  ROW_NUMBER ("looks", wanted_transfer_t, looks),
};

static bool wanted_transfer_rule (void *self, char why [WHY_BYTES])
{
    const wanted_transfer_t *wanted = self;
    return wanted->feeds_only || wanted->size_known ||
           wrong (why, "size: must be known of a file that is to be received");
}

static const codec_t wanted_transfer_codec =
  CODEC_RULED (wanted_transfer_t, wanted_transfer, wanted_transfer_rows, wanted_transfer_rule);

static const codec_row_t arrival_rows [] = {
  ROW_TEXT ("path", chain_arrival_t, path),
  ROW_TEXT ("file", chain_arrival_t, file),
  ROW_NUMBER ("room", chain_arrival_t, room, MOST (FILE_BYTES_MOST)),
  ROW_FIXED ("digest", chain_arrival_t, named, SET_BY (chain_arrival_t, is_named)),
  ROW_FLAG ("have", chain_arrival_t, have),
};
static const codec_t arrival_codec = CODEC (chain_arrival_t, arrival, arrival_rows);

static const codec_row_t storage_wanted_rows [] = {
  ROW_NUMBER ("number", storage_wanted_t, number),
  ROW_NUMBER ("files_seen", storage_wanted_t, files_seen),
  ROW_LIST ("transfers", storage_wanted_t, transfers, transfers_count, wanted_transfer, 0,
            WANTED_MAX),
  ROW_TEXT_LIST ("drop", storage_wanted_t, drops, drops_count, 0, DROPS_MAX),
  ROW_TEXT_LIST ("prove", storage_wanted_t, proves, proves_count, 0, PROVES_MAX),
  ROW_NUMBER ("attend_ms", storage_wanted_t, attend_ms, BETWEEN (1, PACE_MS_MOST)),
  ROW_NUMBER ("report_ms", storage_wanted_t, report_ms, BETWEEN (1, PACE_MS_MOST)),
  ROW_WORD ("site", storage_wanted_t, site),
  ROW_TEXT_LIST ("scrub", storage_wanted_t, scrubs, scrubs_count, 0, PROVES_MAX),
  ROW_NUMBER ("scrub_mbps", storage_wanted_t, scrub_mbps),
  ROW_LIST ("arrivals", storage_wanted_t, arrivals, arrivals_count, arrival, 0, ARRIVALS_MAX),
};
const codec_t storage_wanted_codec =
  CODEC (storage_wanted_t, storage_attend_answer, storage_wanted_rows);

/*  --- records --- */

static const codec_row_t kept_node_rows [] = {
  ROW_FIXED ("store", kept_node_t, store),
  ROW_NUMBER ("start", kept_node_t, start),
  ROW_FLAG ("guest", kept_node_t, guest),
  ROW_NUMBER ("bytes_max", kept_node_t, bytes_max),
};
const codec_t kept_node_codec = CODEC (kept_node_t, kept_storage_node, kept_node_rows);

static const codec_row_t chain_origin_rows [] = {
  ROW_WORD ("node", chain_origin_t, node, OR_NONE),
  ROW_WORD ("name", chain_origin_t, name),
  ROW_WORD ("endpoint", chain_origin_t, endpoint, OR_NONE),
  ROW_FLAG ("failed", chain_origin_t, failed),
  ROW_TEXT ("why", chain_origin_t, why, OR_NONE),
  ROW_FLAG ("wrong", chain_origin_t, wrong),
};
static const codec_t chain_origin_codec = CODEC (chain_origin_t, kept_source, chain_origin_rows);

static const codec_row_t chain_receiver_rows [] = {
  ROW_WORD ("node", chain_receiver_t, node),
  ROW_NUMBER ("state", chain_receiver_t, state, MOST (RECEIVER_FAILED)),
  ROW_TEXT ("why", chain_receiver_t, why, OR_NONE),
  ROW_NUMBER ("attempt", chain_receiver_t, attempt),
  ROW_NUMBER ("looks", chain_receiver_t, looks),
  ROW_WORD ("data", chain_receiver_t, data, OR_NONE),
};
static const codec_t chain_receiver_codec =
  CODEC (chain_receiver_t, kept_receiver, chain_receiver_rows);

static const codec_row_t chain_transfer_rows [] = {
  ROW_FIXED ("token", chain_transfer_t, token),
  ROW_TEXT ("file", chain_transfer_t, file),
  ROW_FLAG ("size_known", chain_transfer_t, size_known),
  ROW_NUMBER ("size", chain_transfer_t, content.size, MOST (FILE_BYTES_MOST)),
  ROW_FIXED ("digest", chain_transfer_t, content.digest,
             SET_BY (chain_transfer_t, content.digest_known)),
  ROW_ARRAY ("sources", chain_transfer_t, sources, sources_count, chain_origin),
  ROW_LIST ("receivers", chain_transfer_t, receivers, receivers_count, chain_receiver, 0,
            CHAIN_RECEIVERS_MAX),
  ROW_NUMBER ("mbps", chain_transfer_t, mbps),
  ROW_NUMBER ("feeds", chain_transfer_t, feeds),
  ROW_NUMBER ("epoch", chain_transfer_t, epoch),
  ROW_NUMBER ("owner", chain_transfer_t, owner),
  ROW_FLAG ("loan", chain_transfer_t, loan),
  ROW_FLAG ("over", chain_transfer_t, over),
  ROW_TEXT ("why", chain_transfer_t, why, OR_NONE),
  ROW_NUMBER ("until_ms", chain_transfer_t, until_ms),
};
const codec_t chain_transfer_codec = CODEC (chain_transfer_t, kept_transfer, chain_transfer_rows);

/*  --- as people read it --- */

chain_id_text_t chain_id_text (const chain_id_t *id)
{
    chain_id_text_t short_id;
    snprintf (short_id.text, sizeof short_id.text, "%02x%02x%02x%02x", id->bytes [0], id->bytes [1],
              id->bytes [2], id->bytes [3]);
    return short_id;
}

static void chain_node_put (Musubi__StorageNodeRecord *to, const chain_t *chain,
                            const chain_node_t *from)
{
    to->node = (char *) from->name;
    to->state = (char *) agent_state_word (from->agent.state);
    to->bytes_max = from->bytes_max;
    to->bytes_used = chain_bytes_files (from);
    to->bytes_held = chain_bytes_held (chain, from);
    to->files = (uint32_t) ordered_count (from->files);
    to->data = (char *) from->data;
    to->guest = from->guest;
    to->heard_ms = from->agent.heard_wall_ms;
}

packed_t storage_nodes_answer_encode (const chain_t *chain)
{
    ARENA (arena);
    Musubi__StorageNodesAnswer answer = MUSUBI__STORAGE_NODES_ANSWER__INIT;
    answer.n_nodes = chain_nodes (chain);
    answer.nodes =
      codec_messages (&musubi__storage_node_record__descriptor, answer.n_nodes, &arena);
    for (size_t i = 0; i < answer.n_nodes; i++)
        chain_node_put (answer.nodes [i], chain, chain_node_at (chain, i));
    return packed_of (&answer.base);
}
