/*  sim_wire_sharing - what administrators and owners say to sites that share, and to their balancer
 *  (sim_wire.h).
 */
#ifndef MUSUBI_SIM_WIRE_SHARING_H
#define MUSUBI_SIM_WIRE_SHARING_H

#include "transaction.h"

/*  The caller frees what they return. */
packed_t sim_wire_join (const char *balancer, double level_s, bool automatic);

/*  A site's answer to State, with its CPUs multiplied; no data when it is no such answer. */
packed_t sim_wire_state_inflated (bytes_t body, double times);

typedef struct {
    char home [NAME_BYTES_MAX + 1];
    uint64_t bag;
    int64_t promised_ms; /* 0 = nothing */
} sim_guarantee_t;

/*  The step that a balancer's status is of; 0 when it can't be read. */
uint64_t sim_wire_step (bytes_t status);

/*  True when the site is one of the members. */
bool sim_wire_member (bytes_t body, const char *site);

/*  Counts the members, at most so many; SIZE_MAX when it can't be read. */
size_t sim_wire_guarantees_read (bytes_t body, sim_guarantee_t *guarantees, size_t most);

#endif
