/*  replica_wire_own - what the replica_wire files share. Included by them only. */
#ifndef MUSUBI_REPLICA_WIRE_OWN_H
#define MUSUBI_REPLICA_WIRE_OWN_H

#include "replica_wire.h"
#include "transaction_wire.h"

#include "replica.pb-c.h"

/*  A file's name, checked. */
bool file_name_take (char to [FILE_NAME_BYTES_MAX + 1], const char *from, char why [WHY_BYTES]);

/*  Exactly so many bytes. */
bool fixed_take (uint8_t *to, size_t bytes, const ProtobufCBinaryData *from, const char *field,
                 char why [WHY_BYTES]);
ProtobufCBinaryData fixed_put (const uint8_t *bytes, size_t count);

#endif
