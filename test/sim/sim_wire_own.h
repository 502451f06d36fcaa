/*  sim_wire_own - what the sim_wire files share; for them only, as it sees protobuf. */
#ifndef MUSUBI_SIM_WIRE_OWN_H
#define MUSUBI_SIM_WIRE_OWN_H

#include "sim_wire.h"

#include "message.h"
#include "transaction.pb-c.h"

/*  False when the message has none. */
bool sim_txid_read (const Musubi__Txid *message, txid_t *txid);

#endif
