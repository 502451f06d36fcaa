/*  replica_wire_own - what the replica_wire files share. Included by them only. */
#ifndef MUSUBI_REPLICA_WIRE_OWN_H
#define MUSUBI_REPLICA_WIRE_OWN_H

#include "replica_wire.h"
#include "transaction_wire.h"

#include "replica.pb-c.h"

/*  A file's name, checked. */
bool file_name_take (char to [FILE_NAME_BYTES_MAX + 1], const char *from, char why [WHY_BYTES]);

#endif
