/*  message - protobuf bodies by descriptor: packing, checked unpacking. Pure.
 *
 *  The only users are the codec, the _wire files and service.c; the logic sees plain structs.
 */
#ifndef MUSUBI_MESSAGE_H
#define MUSUBI_MESSAGE_H

#include "core.h"

#include <protobuf-c/protobuf-c.h>

/*  Packed bytes, malloc'ed; the caller frees data. */
uint8_t *message_pack (const ProtobufCMessage *message, size_t *size);

/*  A repeated field: pointers to count messages of a kind, as its init makes them. All of it is one
 *  piece of memory: end it with free. Never NULL. */
void *messages_new (const ProtobufCMessageDescriptor *descriptor, size_t count);

bool utf8_valid (const char *text);

/*  NULL when the bytes are not such a message or larger than RECORD_BYTES_MAX: whoever
 *  takes bodies in has bounded those already. End it with
 *  message_free. Text that is not UTF-8 is refused. */
ProtobufCMessage *message_unpack (const ProtobufCMessageDescriptor *descriptor, bytes_t body);

/*  The same with memory from there. */
ProtobufCMessage *message_unpack_in (const ProtobufCMessageDescriptor *descriptor, bytes_t body,
                                     ProtobufCAllocator *allocator);
void message_free (ProtobufCMessage *message);

#endif
