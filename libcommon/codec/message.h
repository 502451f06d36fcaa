/*  message - packing and checked unpacking of protobuf bodies, by descriptor. Pure.
 *
 *  For the codec, _wire files, service.c, and code that fills an answer while it computes it.
 */
#ifndef MUSUBI_MESSAGE_H
#define MUSUBI_MESSAGE_H

#include "codec_table.h"

#include <protobuf-c/protobuf-c.h>

#define SPLICE_BYTES_MAX 15 /* of a spliced element, before its bytes: tag and length */

/*  Bytes of a field's value, or of an element of it, in a generated struct. */
size_t field_size (const ProtobufCFieldDescriptor *field);

/*  Packed bytes, malloc'ed; the caller frees data. */
uint8_t *message_pack (const ProtobufCMessage *message, size_t *size);

/*  Appends messages that are packed already as elements of a repeated field: what was packed once
 *  travels to many as it is. */
void message_splice (packed_t *to, uint32_t field, const packed_t *packed, size_t count);

/*  A repeated field: pointers to count messages of a kind, as its init makes them. All of it is one
 *  piece of memory: end it with free. Never NULL. */
void *messages_new (const ProtobufCMessageDescriptor *descriptor, size_t count);

bool utf8_valid (const char *text);

/*  NULL when the bytes are not such a message, hold text that is not UTF-8, or are larger than
 *  RECORD_BYTES_MAX (bodies were bounded when they were received). End it with message_free. */
ProtobufCMessage *message_unpack (const ProtobufCMessageDescriptor *descriptor, bytes_t body);

/*  The same, with memory from the allocator. */
ProtobufCMessage *message_unpack_in (const ProtobufCMessageDescriptor *descriptor, bytes_t body,
                                     ProtobufCAllocator *allocator);
void message_free (ProtobufCMessage *message);

/*  A message that is freed where its block ends, as jansson's json_auto_t is. */
static inline void message_auto_free (ProtobufCMessage **self_p)
{
    message_free (*self_p);
}

#define message_auto_t ProtobufCMessage __attribute__ ((cleanup (message_auto_free)))

/*  --- a message field by field, where unpacking all of it would cost too much --- */

typedef struct {
    uint32_t number;
    uint64_t value; /* of a number */
    bytes_t bytes;  /* of text, bytes and messages; within the message */
} wire_field_t;

/*  Takes the first field off. False when there is none, or, with *rest not empty, when it is
 *  malformed. */
bool wire_next (bytes_t *rest, wire_field_t *field);

/*  --- what every decoder checks --- */

/*  Words of names have no blanks and no control characters; text may have blanks. */
typedef enum { TEXT_WORD, TEXT_WORD_OR_NONE, TEXT_ANY } text_kind_t;
bool text_take (char *to, size_t bytes_max, const char *from, text_kind_t kind, const char *field,
                char why [WHY_BYTES]);

ProtobufCBinaryData bytes_put (const uint8_t *from, size_t size);

bool time_valid (int64_t ms);
bool interval_check (int64_t from_ms, int64_t until_ms, const char *field, char why [WHY_BYTES]);

#endif
