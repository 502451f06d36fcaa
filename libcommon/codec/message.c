/*  message - protobuf-c with the checks that its unpacker leaves to us. */
#include "message.h"

#include "must.h"

#include <stdlib.h>
#include <string.h>

size_t field_size (const ProtobufCFieldDescriptor *field)
{
    switch (field->type) {
    case PROTOBUF_C_TYPE_BYTES:
        return sizeof (ProtobufCBinaryData);
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_MESSAGE:
        return sizeof (void *);
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_DOUBLE:
        return sizeof (uint64_t);
    default: /* 32-bit numbers, enums, and protobuf-c's booleans */
        return sizeof (uint32_t);
    }
}

uint8_t *message_pack (const ProtobufCMessage *message, size_t *size)
{
    *size = protobuf_c_message_get_packed_size (message);
    uint8_t *data = must (malloc (*size ? *size : 1));
    protobuf_c_message_pack (message, data);
    return data;
}

void *messages_new (const ProtobufCMessageDescriptor *descriptor, size_t count)
{
    size_t aligned = (count / 2 + 1) * 2; /* pointers, so that messages follow as malloc aligns */
    void **list = must (calloc (1, aligned * sizeof *list + count * descriptor->sizeof_message));
    uint8_t *message = (uint8_t *) (list + aligned);
    for (size_t i = 0; i < count; i++, message += descriptor->sizeof_message) {
        list [i] = message;
        protobuf_c_message_init (descriptor, list [i]);
    }
    return list;
}

#define WIRE_LENGTH_DELIMITED 2 /* the type of a field that says its length (protobuf) */

static size_t put_varint (uint8_t *to, size_t value)
{
    size_t size = 0;
    for (; value > 0x7f; value >>= 7)
        to [size++] = (uint8_t) (value | 0x80);
    to [size++] = (uint8_t) value;
    return size;
}

void message_splice (packed_t *to, uint32_t field, const packed_t *packed, size_t count)
{
    size_t room = to->size;
    for (size_t i = 0; i < count; i++)
        room += SPLICE_BYTES_MAX + packed [i].size;
    to->data = must (realloc (to->data, room + 1));
    for (size_t i = 0; i < count; i++) {
        to->size += put_varint (to->data + to->size, field << 3 | WIRE_LENGTH_DELIMITED);
        to->size += put_varint (to->data + to->size, packed [i].size);
        memcpy (to->data + to->size, packed [i].data, packed [i].size);
        to->size += packed [i].size;
    }
}

bool utf8_valid (const char *text)
{
    const uint8_t *at = (const uint8_t *) text;
    while (*at) {
        if (*at < 0x80) {
            at++;
            continue;
        }
        int more = *at >= 0xc2 && *at <= 0xdf   ? 1
                   : (*at & 0xf0) == 0xe0       ? 2
                   : *at >= 0xf0 && *at <= 0xf4 ? 3
                                                : 0;
        if (more == 0)
            return false;
        uint32_t code = *at++ & (0x3f >> more);
        for (int i = 0; i < more; i++, at++) {
            if ((*at & 0xc0) != 0x80)
                return false;
            code = code << 6 | (*at & 0x3f);
        }
        bool overlong = (more == 2 && code < 0x800) || (more == 3 && code < 0x10000);
        if (overlong || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
            return false;
    }
    return true;
}

static bool message_sound (const ProtobufCMessage *message);

/*  One string or one message, when the field is such a thing. */
static bool member_sound (const ProtobufCFieldDescriptor *field, const void *member)
{
    if (field->type == PROTOBUF_C_TYPE_STRING) {
        const char *text = *(char *const *) member;
        return !text || utf8_valid (text);
    }
    if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
        const ProtobufCMessage *inner = *(ProtobufCMessage *const *) member;
        return !inner || message_sound (inner);
    }
    return true;
}

static bool message_sound (const ProtobufCMessage *message)
{
    const ProtobufCMessageDescriptor *descriptor = message->descriptor;
    const uint8_t *base = (const uint8_t *) message;
    for (unsigned i = 0; i < message->n_unknown_fields; i++)
        if (message->unknown_fields [i].tag == 0)
            return false; /* no field has it; protobuf-c reads it when it is longer than needed */
    for (unsigned f = 0; f < descriptor->n_fields; f++) {
        const ProtobufCFieldDescriptor *field = &descriptor->fields [f];
        if (field->type != PROTOBUF_C_TYPE_STRING && field->type != PROTOBUF_C_TYPE_MESSAGE)
            continue;
        if (field->label == PROTOBUF_C_LABEL_REPEATED) {
            size_t count = *(const size_t *) (base + field->quantifier_offset);
            void *const *members = *(void *const *const *) (base + field->offset);
            for (size_t i = 0; i < count; i++)
                if (!member_sound (field, &members [i]))
                    return false;
        } else {
            bool other_of_oneof =
              (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) &&
              *(const uint32_t *) (base + field->quantifier_offset) != field->id;
            if (!other_of_oneof && !member_sound (field, base + field->offset))
                return false;
        }
    }
    return true;
}

ProtobufCMessage *message_unpack_in (const ProtobufCMessageDescriptor *descriptor, bytes_t body,
                                     ProtobufCAllocator *allocator)
{
    if (body.size > RECORD_BYTES_MAX)
        return NULL;
    ProtobufCMessage *message =
      protobuf_c_message_unpack (descriptor, allocator, body.size, body.data);
    if (message && !message_sound (message)) {
        protobuf_c_message_free_unpacked (message, allocator);
        return NULL;
    }
    return message;
}

ProtobufCMessage *message_unpack (const ProtobufCMessageDescriptor *descriptor, bytes_t body)
{
    return message_unpack_in (descriptor, body, NULL);
}

void message_free (ProtobufCMessage *message)
{
    if (message)
        protobuf_c_message_free_unpacked (message, NULL);
}

/*  --- field by field --- */

static inline bool wire_varint (bytes_t *rest, uint64_t *value)
{
    const uint8_t *data = rest->data;
    size_t most = rest->size < 10 ? rest->size : 10;
    uint64_t sum = 0;
    for (size_t i = 0; i < most; i++) {
        sum |= (uint64_t) (data [i] & 0x7f) << (7 * i);
        if (data [i] >= 0x80)
            continue;
        *value = sum;
        *rest = (bytes_t){.data = data + i + 1, .size = rest->size - i - 1};
        return true;
    }
    return false;
}

bool wire_next (bytes_t *rest, wire_field_t *field)
{
    bytes_t at = *rest;
    uint64_t key, size;
    *field = (wire_field_t){0};
    if (at.size == 0 || !wire_varint (&at, &key))
        return false;
    field->number = (uint32_t) (key >> 3);
    unsigned kind = key & 7;
    if (kind == PROTOBUF_C_WIRE_TYPE_VARINT) {
        if (!wire_varint (&at, &field->value))
            return false;
        *rest = at;
        return true;
    }
    size = kind == PROTOBUF_C_WIRE_TYPE_64BIT ? 8 : 4;
    bool known = kind == PROTOBUF_C_WIRE_TYPE_64BIT || kind == PROTOBUF_C_WIRE_TYPE_32BIT ||
                 (kind == PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED && wire_varint (&at, &size));
    if (!known || size > at.size)
        return false;
    field->bytes = (bytes_t){.data = at.data, .size = size};
    *rest = (bytes_t){.data = at.data + size, .size = at.size - size};
    return true;
}

/*  --- what every decoder checks --- */

ProtobufCBinaryData bytes_put (const uint8_t *from, size_t size)
{
    return (ProtobufCBinaryData){.len = size, .data = (uint8_t *) from};
}

bool time_valid (int64_t ms)
{
    return ms >= 0 && ms <= TIME_MS_MAX;
}

bool interval_check (int64_t from_ms, int64_t until_ms, const char *field, char why [WHY_BYTES])
{
    if (!time_valid (from_ms) || !time_valid (until_ms))
        return wrong (why, "%s: from_ms and until_ms must be between 1970 and 9999", field);
    if (from_ms >= until_ms)
        return wrong (why, "%s: from_ms must be before until_ms", field);
    return true;
}
