/*  chain_wire_own - fields that messages and records share. For chain_wire*.c only. */
#ifndef MUSUBI_CHAIN_WIRE_OWN_H
#define MUSUBI_CHAIN_WIRE_OWN_H

#include "chain_wire.h"

#include "chain.pb-c.h"

/*  Empty = not known. */
bool digest_take (uint8_t *to, bool *known, const ProtobufCBinaryData *from, const char *field,
                  char why [WHY_BYTES]);
bool why_take (char to [CHAIN_WHY_BYTES_MAX + 1], const char *from, const char *field,
               char why [WHY_BYTES]);
bool size_valid (uint64_t size);

void stored_file_put (Musubi__StoredFile *to, const stored_file_t *from);
bool stored_file_take (stored_file_t *to, const Musubi__StoredFile *from, const char *field,
                       char why [WHY_BYTES]);

#endif
