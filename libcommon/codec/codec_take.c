/*  codec_take - a generated struct into the plain one, each field checked.
 *
 *  A refusal is written where it is found, as ": missing", and on the way out each level puts its
 *  field before it: nothing is spent on paths while all is well.
 */
#include "codec_walk.h"
#include "message.h"
#include "must.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/*  Are rules between fields asked, too? */
typedef struct {
    bool rules;
    char *why;
} codec_take_taking_t;

/*  --- paths --- */

/*  "endpoint: missing" becomes "participants[3].endpoint: missing". */
static bool codec_take_within (char why [WHY_BYTES], const char *field, size_t index)
{
    char inner [WHY_BYTES];
    memcpy (inner, why, WHY_BYTES);
    const char *dot = *inner == ':' || *inner == '[' ? "" : ".";
    return index == SIZE_MAX ? wrong (why, "%s%s%s", field, dot, inner)
                             : wrong (why, "[%zu]%s%s", index, dot, inner);
}

/*  --- values --- */

/*  A row without bounds accepts infinity and NaN, too. */
static bool double_right (const codec_row_t *row, double value, char why [WHY_BYTES])
{
    double least = row->least == INT64_MIN ? -HUGE_VAL : (double) row->least;
    double most = row->most == NO_BOUND ? HUGE_VAL : (double) row->most;
    if (row->most == 0 || (isfinite (value) && value >= least && value <= most))
        return true;
    return wrong (why, ": %g should be %g to %g", value, least, most);
}

static bool unsigned_right (const codec_row_t *row, uint64_t value, char why [WHY_BYTES])
{
    if (row->most == 0 || (value >= (uint64_t) row->least &&
                           (row->most == NO_BOUND || value <= (uint64_t) row->most)))
        return true;
    if (row->most == NO_BOUND)
        return wrong (why, ": %" PRIu64 " should be %" PRId64 " or more", value, row->least);
    return wrong (why, ": %" PRIu64 " should be %" PRId64 " to %" PRId64, value, row->least,
                  row->most);
}

static bool signed_right (const codec_row_t *row, int64_t value, char why [WHY_BYTES])
{
    if (row->most == 0 || (value >= row->least && value <= row->most))
        return true;
    if (row->most == TIME_MS_MAX && row->least == 0)
        return wrong (why, ": %" PRId64 " should be a time between 1970 and 9999", value);
    if (row->most == NO_BOUND)
        return wrong (why, ": %" PRId64 " should be %" PRId64 " or more", value, row->least);
    return wrong (why, ": %" PRId64 " should be %" PRId64 " to %" PRId64, value, row->least,
                  row->most);
}

static bool take_micros (const codec_row_t *row, uint8_t *to, double ms, char why [WHY_BYTES])
{
    double us = ms * 1000;
    if (!isfinite (us) || us < 0 || us > (double) row->most)
        return wrong (why, ": %.10g should be 0 to %.10g", ms, (double) row->most / 1000);
    int64_t whole = llround (us);
    memcpy (to, &whole, sizeof whole);
    return true;
}

static bool codec_take_number (const codec_row_t *row, uint8_t *to, const void *from,
                               char why [WHY_BYTES])
{
    union {
        uint32_t u32;
        int32_t i32;
        uint64_t u64;
        int64_t i64;
        double real;
    } value;
    if (row->size == sizeof value.u32) /* each of them faster than any size would be */
        memcpy (to, memcpy (&value, from, sizeof value.u32), sizeof value.u32);
    else
        memcpy (to, memcpy (&value, from, sizeof value), sizeof value);
    switch (row->number) {
    case NUMBER_U32:
        return unsigned_right (row, value.u32, why);
    case NUMBER_I32:
        return signed_right (row, value.i32, why);
    case NUMBER_U64:
        return unsigned_right (row, value.u64, why);
    case NUMBER_I64:
        return signed_right (row, value.i64, why);
    case NUMBER_DOUBLE:
        return double_right (row, value.real, why);
    case NUMBER_MICROS:
        return take_micros (row, to, value.real, why);
    }
    return false;
}

/*  An enum is an unsigned type to our compilers, so one compared as it is passes with a number
 *  below zero. */
static bool take_enum (const codec_row_t *row, uint8_t *to, const void *from, char why [WHY_BYTES])
{
    int32_t value;
    memcpy (&value, from, sizeof value);
    memcpy (to, from, sizeof value);
    return (value >= row->least && value <= row->most) ||
           wrong (why, ": %" PRId32 " is not known", value);
}

static bool characters_right (const char *text, bool blanks, char why [WHY_BYTES])
{
    for (const char *at = text; *at; at++) {
        uint8_t byte = (uint8_t) *at;
        if (byte < ' ' || byte == 0x7f || (byte == ' ' && !blanks))
            return wrong (why, ": character %u is not allowed", byte);
    }
    return true;
}

static bool take_chars (const codec_row_t *row, uint8_t *to, const char *text, char why [WHY_BYTES])
{
    size_t length = strlen (text);
    if (length >= row->size)
        return wrong (why, ": longer than %zu bytes", row->size - 1);
    if (length == 0 && !row->empty)
        return wrong (why, ": missing");
    memcpy (to, text, length + 1);
    return characters_right (text, row->kind == KIND_TEXT, why);
}

bool text_take (char *to, size_t bytes_max, const char *from, text_kind_t kind, const char *field,
                char why [WHY_BYTES])
{
    codec_row_t row = {.kind = kind == TEXT_ANY ? KIND_TEXT : KIND_WORD,
                       .size = bytes_max + 1,
                       .empty = kind == TEXT_WORD_OR_NONE};
    return take_chars (&row, (uint8_t *) to, from ? from : "", why) ||
           codec_take_within (why, field, SIZE_MAX);
}

static bool take_string (const codec_row_t *row, uint8_t *to, const char *text,
                         char why [WHY_BYTES])
{
    size_t length = strlen (text);
    if (length > (size_t) row->most)
        return wrong (why, ": longer than %" PRId64 " bytes", row->most);
    char *copy = must_copy (text, length + 1);
    memcpy (to, &copy, sizeof copy);
    return true;
}

bool interval_right (int64_t from_ms, int64_t until_ms, char why [WHY_BYTES])
{
    return from_ms < until_ms ||
           wrong (why, "until_ms: %" PRId64 " should be after from_ms, %" PRId64, until_ms,
                  from_ms);
}

/*  --- messages --- */

static bool take_message (const codec_t *codec, uint8_t *self, const uint8_t *message,
                          const codec_take_taking_t *taking);

/*  Checked by its codec, then kept as bytes again: with fields that only newer peers know. */
static bool take_packed (const codec_row_t *row, uint8_t *to, const ProtobufCMessage *from,
                         const codec_take_taking_t *taking)
{
    memory_auto void *checked = must (calloc (1, row->of->size));
    bool good = take_message (row->of, checked, (const uint8_t *) from, taking);
    codec_clear (row->of, checked);
    packed_t packed = good ? packed_of (from) : (packed_t){0};
    if (packed.size == 0) { /* nothing is owned of what counts as none */
        free (packed.data);
        packed.data = NULL;
    }
    memcpy (to, &packed, sizeof packed);
    return good;
}

static bool pleases (const codec_t *codec, bytes_t bytes, const codec_take_taking_t *taking)
{
    ARENA (arena);
    memory_auto void *checked = must (calloc (1, codec->size));
    void *message = codec_unpack (codec->message, bytes, &arena, taking->why);
    bool good = message ? take_message (codec, checked, message, taking)
                        : wrong (taking->why, ": not a packed %s", codec->message->short_name);
    codec_clear (codec, checked);
    return good;
}

static bool take_bytes (const codec_row_t *row, uint8_t *to, bytes_t from,
                        const codec_take_taking_t *taking)
{
    if (from.size > (size_t) row->most || from.size < (size_t) row->least)
        return row->least > 0 ? wrong (taking->why, ": must be %" PRId64 " to %" PRId64 " bytes",
                                       row->least, row->most)
                              : wrong (taking->why, ": larger than %" PRId64 " bytes", row->most);
    if (row->of && from.size > 0 && !pleases (row->of, from, taking))
        return false;
    packed_t copy = packed_copy (from);
    memcpy (to, &copy, sizeof copy);
    return true;
}

static bool take_pointed (const codec_row_t *row, uint8_t *to, const uint8_t *from,
                          const codec_take_taking_t *taking)
{
    uint8_t *inner = must (calloc (1, row->size));
    memcpy (to, &inner, sizeof inner);
    return take_message (row->of, inner, from, taking);
}

/*  from is where the value stands in the generated struct. */
static bool take_element (const codec_row_t *row, uint8_t *to, const void *from,
                          const codec_take_taking_t *taking)
{
    const void *pointer;
    ProtobufCBinaryData bytes;
    switch (row->kind) {
    case KIND_NUMBER:
        return codec_take_number (row, to, from, taking->why);
    case KIND_FLAG:
        *(bool *) to = *(const protobuf_c_boolean *) from != 0;
        return true;
    case KIND_ENUM:
        return take_enum (row, to, from, taking->why);
    case KIND_FIXED:
        memcpy (&bytes, from, sizeof bytes);
        if (bytes.len != row->size)
            return wrong (taking->why, ": must be %zu bytes", row->size);
        memcpy (to, bytes.data, bytes.len);
        return true;
    case KIND_BYTES:
        memcpy (&bytes, from, sizeof bytes);
        return take_bytes (row, to, (bytes_t){.data = bytes.data, .size = bytes.len}, taking);
    case KIND_UNUSED:
        return true;
    default:
        break;
    }
    memcpy (&pointer, from, sizeof pointer);
    if (row->kind == KIND_STRING)
        return take_string (row, to, pointer, taking->why);
    if (row->kind == KIND_PACKED)
        return take_packed (row, to, pointer, taking);
    if (row->kind != KIND_ONE)
        return take_chars (row, to, pointer, taking->why);
    return row->pointer ? take_pointed (row, to, pointer, taking)
                        : take_message (row->of, to, pointer, taking);
}

/*  --- rows --- */

static bool count_right (const codec_row_t *row, size_t count, char why [WHY_BYTES])
{
    if (count >= row->count_least && count <= row->count_most)
        return true;
    return row->count_least > 0
             ? wrong (why, ": %zu, must be %zu to %zu", count, row->count_least, row->count_most)
             : wrong (why, ": more than %zu", row->count_most);
}

/*  Elements that are passed over leave nothing behind. */
static void drop_element (const codec_row_t *row, uint8_t *element)
{
    if (row->kind == KIND_ONE)
        codec_clear (row->of, element);
    else
        memset (element, 0, row->size);
}

static bool take_many (const codec_row_t *row, const ProtobufCFieldDescriptor *field, uint8_t *self,
                       const uint8_t *message, const codec_take_taking_t *taking)
{
    size_t count;
    const uint8_t *from;
    memcpy (&count, message + field->quantifier_offset, sizeof count);
    memcpy (&from, message + field->offset, sizeof from);
    if (!count_right (row, count, taking->why))
        return false;
    if (row->many == MANY_LIST && count > 0) {
        void *list = must (calloc (count, row->size));
        memcpy (self + row->at, &list, sizeof list);
    }
    uint8_t *elements = (uint8_t *) row_elements (row, self);
    size_t taken = 0;
    for (size_t i = 0; i < count; i++) {
        size_t had = taken + 1; /* as many as are to be cleared, should this one fail */
        memcpy (self + row->beside, &had, sizeof had);
        uint8_t *element = elements + taken * row->size;
        if (take_element (row, element, from + i * field_size (field), taking))
            taken++;
        else if (row->skips)
            drop_element (row, element);
        else
            return codec_take_within (taking->why, "", i);
    }
    memcpy (self + row->beside, &taken, sizeof taken);
    return true;
}

/*  Is something there? In proto3 an empty string, no bytes and nothing are the same. */
static bool field_there (const codec_row_t *row, const ProtobufCFieldDescriptor *field,
                         const uint8_t *message)
{
    const uint8_t *value = message + field->offset;
    if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) {
        uint32_t which;
        memcpy (&which, message + field->quantifier_offset, sizeof which);
        return which == field->id;
    }
    if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
        const void *inner;
        memcpy (&inner, value, sizeof inner);
        return inner != NULL;
    }
    if (row->kind == KIND_FIXED && row->beside_size > 0) {
        ProtobufCBinaryData bytes;
        memcpy (&bytes, value, sizeof bytes);
        return bytes.len > 0;
    }
    return true;
}

static void say_there (const codec_row_t *row, uint8_t *self)
{
    if (row->beside_size == sizeof (bool))
        self [row->beside] = row->cased ? (uint8_t) row->which : true;
    else if (row->cased)
        memcpy (self + row->beside, &row->which, sizeof row->which);
}

static bool codec_take_row (const codec_row_t *row, const ProtobufCFieldDescriptor *field,
                            uint8_t *self, const uint8_t *message,
                            const codec_take_taking_t *taking)
{
    if (row->kind == KIND_UNUSED)
        return true;
    if (row->many != MANY_NOT)
        return take_many (row, field, self, message, taking);
    if (!field_there (row, field, message))
        return row->kind != KIND_ONE || row->pointer || row->empty || row->beside_size > 0 ||
               wrong (taking->why, ": missing");
    say_there (row, self);
    return take_element (row, self + row->at, message + field->offset, taking);
}

static bool take_message (const codec_t *codec, uint8_t *self, const uint8_t *message,
                          const codec_take_taking_t *taking)
{
    for (size_t i = 0; i < codec->rows_count; i++)
        if (!codec_take_row (&codec->rows [i], &codec->message->fields [i], self, message, taking))
            return codec_take_within (taking->why, codec->rows [i].field, SIZE_MAX);
    return !taking->rules || ((!codec->rule || codec->rule (self, taking->why)) &&
                              (!codec->judge || codec->judge (self, message, taking->why)));
}

/*  --- outside --- */

static bool take_all (const codec_t *codec, void *self, const void *message, bool rules,
                      char why [WHY_BYTES])
{
    codec_take_taking_t taking = {.rules = rules, .why = why};
    if (codec->size > 0)
        memset (self, 0, codec->size);
    if (take_message (codec, self, message, &taking))
        return true;
    codec_clear (codec, self);
    return false;
}

bool codec_take (const codec_t *codec, void *self, const void *message, char why [WHY_BYTES])
{
    return take_all (codec, self, message, true, why);
}

bool codec_take_field (const codec_t *codec, void *self, const void *message, const char *field,
                       char why [WHY_BYTES])
{
    if (message ? codec_take (codec, self, message, why) : wrong (why, ": missing"))
        return true;
    memset (self, 0, codec->size);
    return codec_take_within (why, field, SIZE_MAX);
}

bool codec_unpacked (const codec_t *codec, void *self, bytes_t body, bool rules,
                     char why [WHY_BYTES])
{
    ARENA (arena);
    if (codec->size > 0)
        memset (self, 0, codec->size);
    void *message = codec_unpack (codec->message, body, &arena, why);
    return message && take_all (codec, self, message, rules, why);
}

static bool codec_take_decode (const codec_t *codec, void *self, bytes_t body, bool rules,
                               char why [WHY_BYTES])
{
    bool good = codec_unpacked (codec, self, body, rules, why);
    if (PROVE_MESSAGES && good)
        codec_prove (codec, self, true);
    return good;
}

bool codec_decode (const codec_t *codec, void *self, bytes_t body, char why [WHY_BYTES])
{
    return codec_take_decode (codec, self, body, true, why);
}

bool codec_decode_fields (const codec_t *codec, void *self, bytes_t body, char why [WHY_BYTES])
{
    return codec_take_decode (codec, self, body, false, why);
}
