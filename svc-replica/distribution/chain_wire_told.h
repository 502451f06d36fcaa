/*  chain_wire_told - transfers and storage nodes, as people see them. */
#ifndef MUSUBI_CHAIN_WIRE_TOLD_H
#define MUSUBI_CHAIN_WIRE_TOLD_H

#include "chain_wire.h"

#define TRANSFERS_TOLD_MAX 256 /* in one answer, the first ones by id */

/*  id NULL = all. The caller frees what it gets. */
packed_t transfers_answer_encode (const chain_t *chain, const chain_id_t *id);
packed_t storage_nodes_answer_encode (const chain_t *chain);

#endif
