/*  agent_wire - the records that an agent keeps, as plain values. */
#ifndef MUSUBI_AGENT_WIRE_H
#define MUSUBI_AGENT_WIRE_H

#include "nodes_wire.h"

/*  A decoded one owns its order. */
typedef struct {
    uint8_t site [STORE_ID_BYTES];
    run_id_t id;
    run_order_t *order; /* NULL: it is over */
    run_report_t end;   /* then */
} agent_record_t;

packed_t agent_record_encode (const agent_record_t *record);
bool agent_record_decode (agent_record_t *record, bytes_t value, char why [WHY_BYTES]);

#define AGENT_KEY_BYTES (STORE_ID_BYTES + RUN_KEY_BYTES)
void agent_key_pack (const uint8_t site [STORE_ID_BYTES], const run_id_t *id,
                     uint8_t key [AGENT_KEY_BYTES]);

#endif
