/*  agent_wire - the table of what an agent keeps. */
#include "agent_wire.h"

#include "codec_table.h"
#include "node_work.h"

#include "agent.pb-c.h"

#include <string.h>

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
        return wrong (why, "order: %s", record->over ? "of one that is over" : "missing");
    return !record->over || run_over (record->end.state) || wrong (why, "end.state: is no end");
}

const codec_t agent_record_codec = CODEC_RULED (
  agent_record_t, musubi__stored_agent_run__descriptor, agent_record_rows, agent_record_rule);
