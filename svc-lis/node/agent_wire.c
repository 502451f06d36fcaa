/*  agent_wire - protobuf <-> plain values. */
#include "agent_wire.h"

#include "agent.pb-c.h"
#include "message.h"
#include "runs_wire.h"
#include "transaction_wire.h"

#include <string.h>

void agent_key_pack (const uint8_t site [STORE_ID_BYTES], const run_id_t *id,
                     uint8_t key [AGENT_KEY_BYTES])
{
    memcpy (key, site, STORE_ID_BYTES);
    run_key_pack (id, key + STORE_ID_BYTES);
}

packed_t agent_record_encode (const agent_record_t *record)
{
    Musubi__StoredAgentRun message = MUSUBI__STORED_AGENT_RUN__INIT;
    run_id_wire_t id;
    run_order_wire_t order;
    run_report_wire_t end;
    run_id_put (&id, &record->id);
    message.site = (ProtobufCBinaryData){.len = STORE_ID_BYTES, .data = (uint8_t *) record->site};
    message.run = &id.id;
    if (record->order) {
        run_order_put (&order, record->order);
        message.order = &order.order;
    } else {
        run_report_put (&end, &record->end);
        message.end = &end.report;
    }
    return packed_of (&message.base);
}

static bool record_take (agent_record_t *to, const Musubi__StoredAgentRun *from,
                         char why [WHY_BYTES])
{
    *to = (agent_record_t){0};
    if (!bytes_take (to->site, STORE_ID_BYTES, &from->site, "site", why) ||
        !run_id_take (&to->id, from->run, "run", why))
        return false;
    if (from->end) {
        if (!run_report_take (&to->end, from->end, "end", why))
            return false;
        return run_over (to->end.state) || wrong (why, "end.state: is no end");
    }
    to->order = run_order_take (from->order, why);
    return to->order != NULL;
}

bool agent_record_decode (agent_record_t *record, bytes_t value, char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack (&musubi__stored_agent_run__descriptor, value);
    if (!message)
        return wrong (why, "not a StoredAgentRun");
    bool taken = record_take (record, (const Musubi__StoredAgentRun *) message, why);
    message_free (message);
    return taken;
}
