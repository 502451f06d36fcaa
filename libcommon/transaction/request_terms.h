/*  request_terms - what clients and planners must agree on before a request is read: how much it
 *  may hold, and which home keeps a request id.
 */
#ifndef MUSUBI_REQUEST_TERMS_H
#define MUSUBI_REQUEST_TERMS_H

#include <stdint.h>

#define NEEDS_MAX         64 /* compute needs of a request */
#define NETWORK_NEEDS_MAX 64 /* of a request */
#define FILES_MAX         64 /* data needs of a request */
#define SPACE_NEEDS_MAX   64 /* of a request */
#define DATA_NODES_MAX    32 /* storage nodes at which a data need may want its file, by number */
#define NEED_BYTES_MAX    (UINT64_C (1) << 50) /* of one space need */
#define CPUS_MAX          1000000              /* of one need */

/*  The number that says which home keeps an actor's bare request id: its remainder by the number of
 *  homes is the index in their list. Part of the contract (T2): FNV-1a, 64 bits, of "actor/id". */
uint64_t request_slot (const char *actor, const char *id);

#endif
