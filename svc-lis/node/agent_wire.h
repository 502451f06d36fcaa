/*  agent_wire - the records that an agent keeps, as plain values. */
#ifndef MUSUBI_AGENT_WIRE_H
#define MUSUBI_AGENT_WIRE_H

#include "nodes_wire.h"

typedef struct {
    uint8_t site [STORE_ID_BYTES];
    run_id_t id;
    run_order_t *order; /* NULL: it is over */
    bool over;
    run_report_t end; /* then */
} agent_record_t;
extern const codec_t agent_record_codec;

#define AGENT_KEY_BYTES (STORE_ID_BYTES + RUN_KEY_BYTES)
void agent_key_pack (const uint8_t site [STORE_ID_BYTES], const run_id_t *id,
                     uint8_t key [AGENT_KEY_BYTES]);

#endif
