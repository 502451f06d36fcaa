/*  node_work_wire - codecs of states, tickets, orders of work and their results. */
#include "agent_state.h"

#include "message.h"

#include "agent.pb-c.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool run_name_parse (const char *name, uint8_t site [STORE_ID_BYTES], run_id_t *id)
{
    char again [RUN_NAME_BYTES_MAX + 1];
    for (size_t i = 0; i < STORE_ID_BYTES; i++)
        if (sscanf (name + 2 * i, "%2hhx", &site [i]) != 1)
            return false;
    if (sscanf (name + 2 * STORE_ID_BYTES, "-%" SCNu64 ".%" SCNu32 ".%" SCNu32, &id->task.bag,
                &id->task.index, &id->number) != 3)
        return false;
    return strcmp (run_name (site, id, again), name) == 0;
}

/*  A name becomes part of a path: nothing in it may lead to another folder. */
static bool node_work_name_right (const char *name, char why [WHY_BYTES])
{
    char text [RUN_NAME_BYTES_MAX + 1];
    return text_take (text, RUN_NAME_BYTES_MAX, name, TEXT_WORD, "name", why) &&
           ((!strchr (name, '/') && *name != '.') ||
            wrong (why, "name: \"%.60s\" should be a run's name, without slashes", name));
}

static const codec_row_t stand_rows [] = {
  ROW_WORD ("name", stand_t, name),
  ROW_ENUM ("state", stand_t, report.state, RUN_LOST),
  ROW_TIME ("started_ms", stand_t, report.started_ms),
  ROW_TIME ("ended_ms", stand_t, report.ended_ms),
  ROW_NUMBER ("exit_code", stand_t, report.exit_code),
  ROW_NUMBER ("signal", stand_t, report.signal),
  ROW_NUMBER ("cpu_ms", stand_t, report.cpu_ms, LEAST (0)),
  ROW_TEXT ("why", stand_t, report.why, OR_NONE),
  ROW_FLAG ("node_unfit", stand_t, report.node_unfit),
  ROW_NUMBER ("dropped", stand_t, report.dropped),
  ROW_FLAG ("suspended", stand_t, report.suspended),
  ROW_FLAG ("handed", stand_t, report.handed),
  ROW_FLAG ("queued", stand_t, queued),
};

static bool stand_rule (void *self, char why [WHY_BYTES])
{
    return node_work_name_right (((const stand_t *) self)->name, why);
}

const codec_t stand_codec = CODEC_RULED (stand_t, run_stand, stand_rows, stand_rule);

/*  The name of a program may be anything, and may be cut in the middle of a character; readers
 *  refuse control characters and broken UTF-8. */
static void sentence_clean (char *text)
{
    bool valid = utf8_valid (text);
    for (; *text; text++)
        if ((uint8_t) *text < ' ' || *text == 0x7f || (!valid && (*text & 0x80)))
            *text = '?';
}

packed_t stand_encode (const stand_t *stand)
{
    stand_t clean = *stand;
    sentence_clean (clean.report.why);
    return codec_encode (&stand_codec, &clean);
}

static const codec_row_t ticket_rows [] = {
  ROW_STRING ("name", ticket_t, name, RUN_NAME_BYTES_MAX),
  ROW_ONE ("run", ticket_t, id, run_id),
  ROW_STRING ("site", ticket_t, site, NAME_BYTES_MAX),
  ROW_STRING ("node", ticket_t, node, NAME_BYTES_MAX),
  ROW_POINTER ("order", ticket_t, order, run_order),
  ROW_NUMBER ("output_bytes_max", ticket_t, output_bytes_max),
  ROW_NUMBER ("room_bytes_least", ticket_t, room_bytes_least),
  ROW_STRING ("arrivals", ticket_t, arrivals, RECORD_BYTES_MAX),
};

static bool ticket_rule (void *self, char why [WHY_BYTES])
{
    ticket_t *ticket = self;
    char text [NAME_BYTES_MAX + 1];
    if (ticket->output_bytes_max == 0)
        ticket->output_bytes_max = OUTPUT_BYTES_MAX;
    return node_work_name_right (ticket->name, why) &&
           text_take (text, NAME_BYTES_MAX, ticket->site, TEXT_WORD_OR_NONE, "site", why) &&
           text_take (text, NAME_BYTES_MAX, ticket->node, TEXT_WORD, "node", why) &&
           (ticket->order || wrong (why, "order: missing"));
}

const codec_t ticket_codec = CODEC_RULED (ticket_t, run_ticket, ticket_rows, ticket_rule);

static const codec_row_t work_order_rows [] = {
  ROW_STRING ("runs", work_order_t, runs, RECORD_BYTES_MAX),
  ROW_STRING_LIST ("names", work_order_t, names, names_count, RUN_NAME_BYTES_MAX, 0,
                   WORK_NAMES_MAX),
  ROW_ONE ("ticket", work_order_t, ticket, ticket, SET_BY (work_order_t, ticket.name)),
  ROW_NUMBER ("lease_ms", work_order_t, lease_ms),
  ROW_STRING ("endpoint", work_order_t, endpoint, RECORD_BYTES_MAX),
  ROW_FLAG ("warn", work_order_t, warn),
  ROW_NUMBER ("grace_ms", work_order_t, grace_ms),
  ROW_FLAG ("force", work_order_t, force),
  ROW_FLAG ("errors", work_order_t, errors),
  ROW_NUMBER ("offset", work_order_t, offset),
  ROW_NUMBER ("most", work_order_t, most),
  ROW_NUMBER ("keep_ms", work_order_t, keep_ms),
  ROW_FLAG ("suspend", work_order_t, suspend),
  ROW_FLAG ("resume", work_order_t, resume),
};

static bool work_order_rule (void *self, char why [WHY_BYTES])
{
    const work_order_t *order = self;
    for (size_t i = 0; i < order->names_count; i++)
        if (!node_work_name_right (order->names [i], why))
            return false;
    return true;
}

const codec_t work_order_codec =
  CODEC_RULED (work_order_t, node_work, work_order_rows, work_order_rule);

static const codec_row_t work_result_rows [] = {
  ROW_LIST ("stands", work_result_t, stands, stands_count, stand, 0, ANY_COUNT),
  ROW_BYTES ("data", work_result_t, data.data, data.size, RECORD_BYTES_MAX),
  ROW_NUMBER ("size", work_result_t, size),
  ROW_STRING ("why", work_result_t, why, RUN_WHY_BYTES_MAX),
  ROW_ONE ("machine", work_result_t, machine, machine_state, SET_BY (work_result_t, looked)),
  ROW_POINTER ("batch", work_result_t, batch, batch_picture),
};
const codec_t work_result_codec = CODEC (work_result_t, node_work_result, work_result_rows);

static const codec_row_t run_ended_rows [] = {
  ROW_WORD ("name", run_ended_t, name),
};

static bool run_ended_rule (void *self, char why [WHY_BYTES])
{
    return node_work_name_right (((const run_ended_t *) self)->name, why);
}

const codec_t run_ended_codec =
  CODEC_RULED (run_ended_t, ended_request, run_ended_rows, run_ended_rule);

void agent_key_pack (const uint8_t site [STORE_ID_BYTES], const run_id_t *id,
                     uint8_t key [AGENT_KEY_BYTES])
{
    memcpy (key, site, STORE_ID_BYTES);
    run_key_pack (id, key + STORE_ID_BYTES);
}

static const codec_row_t agent_record_rows [] = {
  ROW_FIXED ("site", agent_record_t, site),
  ROW_ONE ("run", agent_record_t, id, run_id),
  ROW_POINTER ("order", agent_record_t, order, run_order),
  ROW_ONE ("end", agent_record_t, end, run_report, SET_BY (agent_record_t, over)),
};

static bool agent_record_rule (void *self, char why [WHY_BYTES])
{
    const agent_record_t *record = self;
    if (record->over == (record->order != NULL))
        return wrong (why, "order: %s", record->over ? "a run that is over has none" : "missing");
    return !record->over || run_over (record->end.state) ||
           wrong (why, "end.state: should be ended, refused or lost");
}

const codec_t agent_record_codec =
  CODEC_RULED (agent_record_t, stored_agent_run, agent_record_rows, agent_record_rule);
