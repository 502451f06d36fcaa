/*  codec_put - a struct into the generated one, which then points into it. */
#include "codec_walk.h"
#include "message.h"

#include <assert.h>
#include <string.h>

void *codec_messages (const ProtobufCMessageDescriptor *descriptor, size_t count, arena_t *arena)
{
    void **list = arena_take (arena, count * sizeof *list);
    for (size_t i = 0; i < count; i++) {
        list [i] = arena_take (arena, descriptor->sizeof_message);
        protobuf_c_message_init (descriptor, list [i]);
    }
    return list;
}

static void put_pointer (const void *pointer, void *to)
{
    memcpy (to, &pointer, sizeof pointer);
}

static void put_bytes (const uint8_t *data, size_t size, void *to)
{
    ProtobufCBinaryData bytes = {.len = size, .data = (uint8_t *) data};
    memcpy (to, &bytes, sizeof bytes);
}

static void put_packed (const ProtobufCFieldDescriptor *field, packed_t packed, void *to,
                        arena_t *arena)
{
    bytes_t bytes = {.data = packed.data, .size = packed.size};
    void *message = message_unpack_in (field->descriptor, bytes, &arena->allocator);
    assert (message);
    put_pointer (message, to);
}

static void put_number (const codec_row_t *row, const uint8_t *element, void *to)
{
    if (row->number == NUMBER_MICROS) {
        int64_t us;
        memcpy (&us, element, sizeof us);
        memcpy (to, &(double){(double) us / 1000}, sizeof (double));
    } else {
        memcpy (to, element, row->size);
    }
}

static void put_element (const codec_row_t *row, const ProtobufCFieldDescriptor *field,
                         const uint8_t *element, void *to, arena_t *arena)
{
    switch (row->kind) {
    case KIND_NUMBER:
        put_number (row, element, to);
        break;
    case KIND_ENUM:
    case KIND_STRING:
        memcpy (to, element, row->size);
        break;
    case KIND_FLAG: {
        protobuf_c_boolean flag = *(const bool *) element;
        memcpy (to, &flag, sizeof flag);
        break;
    }
    case KIND_WORD:
    case KIND_TEXT:
        put_pointer (element, to);
        break;
    case KIND_FIXED:
        put_bytes (element, row->size, to);
        break;
    case KIND_BYTES:
        put_bytes (bytes_at (element).data, bytes_at (element).size, to);
        break;
    case KIND_ONE:
        put_pointer (codec_put (row->of, element, arena), to);
        break;
    case KIND_PACKED:
        put_packed (field, bytes_at (element), to, arena);
        break;
    case KIND_UNUSED:
        break;
    }
}

static void put_many (const codec_row_t *row, const ProtobufCFieldDescriptor *field,
                      const uint8_t *self, uint8_t *message, arena_t *arena)
{
    size_t count = row_count (row, self);
    assert (row->many != MANY_ARRAY || count <= row->count_most);
    if (count == 0)
        return;
    const uint8_t *elements = row_elements (row, self);
    size_t step = field_size (field);
    uint8_t *list = arena_take (arena, count * step);
    for (size_t i = 0; i < count; i++)
        put_element (row, field, elements + i * row->size, list + i * step, arena);
    memcpy (message + field->quantifier_offset, &count, sizeof count);
    put_pointer (list, message + field->offset);
}

static void codec_put_row (const codec_row_t *row, const ProtobufCFieldDescriptor *field,
                           const uint8_t *self, uint8_t *message, arena_t *arena)
{
    if (row->kind == KIND_UNUSED)
        return;
    if (row->many != MANY_NOT) {
        put_many (row, field, self, message, arena);
        return;
    }
    if (row_count (row, self) == 0)
        return;
    if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF)
        memcpy (message + field->quantifier_offset, &field->id, sizeof field->id);
    put_element (row, field, row_elements (row, self), message + field->offset, arena);
}

void codec_fill (const codec_t *codec, const void *self, void *message, arena_t *arena)
{
    assert (codec->rows_count <= codec->message->n_fields);
    for (size_t i = 0; i < codec->rows_count; i++)
        codec_put_row (&codec->rows [i], &codec->message->fields [i], self, message, arena);
}

void *codec_put (const codec_t *codec, const void *self, arena_t *arena)
{
    void *message = arena_take (arena, codec->message->sizeof_message);
    protobuf_c_message_init (codec->message, message);
    codec_fill (codec, self, message, arena);
    return message;
}
