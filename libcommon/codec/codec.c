/*  codec - the engine's outside, and what structs own. */
#include "codec_walk.h"
#include "message.h"
#include "must.h"

#include <assert.h>

packed_t packed_copy (bytes_t from)
{
    return (packed_t){.data = must_copy (from.data, from.size), .size = from.size};
}

bool wrong (char why [WHY_BYTES], const char *format, ...)
{
    format_rest (why, WHY_BYTES, format);
    return false;
}

/*  --- what is there --- */

static uint64_t beside (const codec_row_t *row, const uint8_t *self)
{
    if (row->beside_size == sizeof (uint64_t)) {
        uint64_t number;
        memcpy (&number, self + row->beside, sizeof number);
        return number;
    }
    if (row->beside_size == sizeof (uint32_t)) {
        uint32_t number;
        memcpy (&number, self + row->beside, sizeof number);
        return number;
    }
    return self [row->beside];
}

packed_t bytes_at (const uint8_t *member)
{
    packed_t bytes;
    memcpy (&bytes, member, sizeof bytes);
    return bytes;
}

size_t row_count (const codec_row_t *row, const uint8_t *self)
{
    if (row->many != MANY_NOT)
        return beside (row, self);
    if (row->cased)
        return beside (row, self) == row->which;
    if (row->beside_size > 0)
        return beside (row, self) != 0;
    if (row->pointer)
        return row_elements (row, self) != NULL;
    return row->kind != KIND_PACKED || bytes_at (self + row->at).size > 0;
}

const uint8_t *row_elements (const codec_row_t *row, const uint8_t *self)
{
    if (row->many != MANY_LIST && !row->pointer)
        return self + row->at;
    const uint8_t *elements;
    memcpy (&elements, self + row->at, sizeof elements);
    return elements;
}

/*  --- what is owned --- */

static bool owns (const codec_t *codec);

static bool element_owns (const codec_row_t *row)
{
    return row->kind == KIND_STRING || row->kind == KIND_BYTES || row->kind == KIND_PACKED ||
           (row->kind == KIND_ONE && owns (row->of));
}

static bool row_owns (const codec_row_t *row)
{
    return row->pointer || row->many == MANY_LIST || element_owns (row);
}

static bool owns (const codec_t *codec)
{
    for (size_t i = 0; i < codec->rows_count; i++)
        if (row_owns (&codec->rows [i]))
            return true;
    return false;
}

/*  How many elements may own memory, of a row that does. A single member counts even if its row
 *  says it is absent: it may have been filled, and is zero otherwise. Cases of a oneof share their
 *  place, so only the present one counts. */
static size_t owned_count (const codec_row_t *row, const uint8_t *self)
{
    return row->many == MANY_NOT && !row->cased && !row->pointer ? 1 : row_count (row, self);
}

static void free_owned (const codec_t *codec, const uint8_t *self);

static void element_free (const codec_row_t *row, const uint8_t *element)
{
    if (row->kind == KIND_ONE) {
        free_owned (row->of, element);
        return;
    }
    void *memory; /* of KIND_STRING the pointer; of the others the first member */
    memcpy (&memory, element, sizeof memory);
    free (memory);
}

static void free_owned (const codec_t *codec, const uint8_t *self)
{
    for (size_t r = 0; r < codec->rows_count; r++) {
        const codec_row_t *row = &codec->rows [r];
        if (row->kind != KIND_ONE && !row_owns (row))
            continue;
        const uint8_t *elements = row_elements (row, self);
        size_t count = elements ? owned_count (row, self) : 0;
        /* of one alone it is found out as fast by looking */
        if ((count == 1 && row->kind == KIND_ONE) || (count > 0 && element_owns (row)))
            for (size_t i = 0; i < count; i++)
                element_free (row, elements + i * row->size);
        if (row->pointer || row->many == MANY_LIST)
            free ((void *) elements);
    }
}

void codec_clear (const codec_t *codec, void *self)
{
    if (codec->size == 0)
        return; /* it has no fields, and self is NULL */
    assert (self);
    free_owned (codec, self);
    memset (self, 0, codec->size);
}

static void copy_owned (const codec_t *codec, uint8_t *self);

static void element_copy (const codec_row_t *row, uint8_t *element)
{
    if (row->kind == KIND_ONE) {
        copy_owned (row->of, element);
    } else if (row->kind == KIND_STRING) {
        char *text;
        memcpy (&text, element, sizeof text);
        text = text ? must (strdup (text)) : NULL;
        memcpy (element, &text, sizeof text);
    } else {
        packed_t bytes = bytes_at (element);
        bytes.data = must_copy (bytes.data, bytes.size);
        memcpy (element, &bytes, sizeof bytes);
    }
}

/*  A struct that was copied as it is: what it owns becomes its own. */
static void copy_owned (const codec_t *codec, uint8_t *self)
{
    for (size_t r = 0; r < codec->rows_count; r++) {
        const codec_row_t *row = &codec->rows [r];
        size_t count = row_owns (row) ? owned_count (row, self) : 0;
        if (row->pointer || row->many == MANY_LIST) {
            void *elements = must_copy (row_elements (row, self), count * row->size);
            memcpy (self + row->at, &elements, sizeof elements);
        }
        if (count == 0 || !element_owns (row))
            continue;
        uint8_t *elements = (uint8_t *) row_elements (row, self);
        for (size_t i = 0; i < count; i++)
            element_copy (row, elements + i * row->size);
    }
}

void codec_copy (const codec_t *codec, void *to, const void *from)
{
    memcpy (to, from, codec->size);
    copy_owned (codec, to);
}

/*  --- bytes --- */

size_t codec_size (const codec_t *codec)
{
    return codec->size;
}

packed_t packed_of (const ProtobufCMessage *message)
{
    packed_t packed;
    packed.data = message_pack (message, &packed.size);
    return packed;
}

packed_t codec_pack (const codec_t *codec, const void *self)
{
    ARENA (arena);
    return packed_of (codec_put (codec, self, &arena));
}

packed_t codec_encode (const codec_t *codec, const void *self)
{
    if (PROVE_MESSAGES)
        codec_prove (codec, self, false);
    return codec_pack (codec, self);
}

bool codec_same (const codec_t *codec, const void *a, const void *b)
{
    packed_t one = codec_pack (codec, a);
    packed_t other = codec_pack (codec, b);
    bool same = one.size == other.size && memcmp (one.data, other.data, one.size) == 0;
    free (one.data);
    free (other.data);
    return same;
}

void *codec_unpack (const ProtobufCMessageDescriptor *descriptor, bytes_t body, arena_t *arena,
                    char why [WHY_BYTES])
{
    ProtobufCMessage *message = message_unpack_in (descriptor, body, &arena->allocator);
    if (!message)
        wrong (why, "not a%s %s", strchr ("AEIO", descriptor->short_name [0]) ? "n" : "",
               descriptor->short_name);
    return message;
}
