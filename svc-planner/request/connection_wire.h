/*  connection_wire - what answers and views share of proto/planner.proto: placements and
 * connections in generated structs. Included by _wire files only; putting as in transaction_wire.h.
 */
#ifndef MUSUBI_CONNECTION_WIRE_H
#define MUSUBI_CONNECTION_WIRE_H

#include "answer.h"

#include "planner.pb-c.h"

/*  Placements into the message's repeated field, in one piece of memory: end it with free. */
Musubi__Placement **placements_put (const placement_t *from, size_t count);

/*  Connections with the lists they point to; the text is borrowed. connections_put_end frees the
 *  rest. */
typedef struct {
    Musubi__Connection **list;
    char *(*ends) [2];
    char **words; /* of all paths and links */
} connections_wire_t;

void connections_put (connections_wire_t *to, const connection_t *from, size_t count);
void connections_put_end (connections_wire_t *wire);

#endif
