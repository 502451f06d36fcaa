/*  json - any protobuf message to and from JSON, by its descriptor.
 *
 *  One codec for all messages: protoc-c leaves in each descriptor the name, type and place of every
 *  field, so nothing here knows a single message. Reading keeps the path to where it stands, and
 *  whatever is refused is refused by that path, in words for the person who wrote the text.
 */
#include "json.h"

#include "message.h"
#include "must.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INT64_TEXT_BYTES 24

/*  A refusal quotes its input, which may be anything, so nothing in it may control a terminal.
 *  Cut text may also end within a letter: only ASCII stays. */
static void make_printable (char *text)
{
    for (; *text; text++)
        if ((unsigned char) *text < 0x20 || (unsigned char) *text >= 0x7f)
            *text = '?';
}

static void object_take (json_t *object, const char *key, json_t *value)
{
    must (json_object_set_new (object, key, value) == 0 ? object : NULL);
}

/*  --- message to JSON ---  */

static json_t *real_to_json (double value)
{
    if (isnan (value))
        return must (json_string ("NaN"));
    if (isinf (value))
        return must (json_string (value > 0 ? "Infinity" : "-Infinity"));
    return must (json_real (value));
}

/*  jansson's integers are int64; what does not fit travels as text, which is read back. */
static json_t *unsigned_to_json (uint64_t value)
{
    if (value <= INT64_MAX)
        return must (json_integer ((json_int_t) value));
    char text [INT64_TEXT_BYTES];
    snprintf (text, sizeof text, "%" PRIu64, value);
    return must (json_string (text));
}

/*  A value that a newer peer knows and we do not is shown as its number. */
static json_t *enum_to_json (const ProtobufCEnumDescriptor *descriptor, int value)
{
    const ProtobufCEnumValue *known = protobuf_c_enum_descriptor_get_value (descriptor, value);
    return must (known ? json_string (known->name) : json_integer (value));
}

static json_t *bytes_to_json (const ProtobufCBinaryData *bytes)
{
    char *hex = must (malloc (2 * bytes->len + 1));
    sodium_bin2hex (hex, 2 * bytes->len + 1, bytes->data, bytes->len);
    json_t *json = must (json_string (hex));
    free (hex);
    return json;
}

static json_t *member_to_json (const ProtobufCFieldDescriptor *field, const void *member)
{
    switch (field->type) {
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_SINT32:
    case PROTOBUF_C_TYPE_SFIXED32:
        return must (json_integer (*(const int32_t *) member));
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
        return must (json_integer (*(const int64_t *) member));
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_FIXED32:
        return unsigned_to_json (*(const uint32_t *) member);
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
        return unsigned_to_json (*(const uint64_t *) member);
    case PROTOBUF_C_TYPE_FLOAT:
        return real_to_json (*(const float *) member);
    case PROTOBUF_C_TYPE_DOUBLE:
        return real_to_json (*(const double *) member);
    case PROTOBUF_C_TYPE_BOOL:
        return json_boolean (*(const protobuf_c_boolean *) member);
    case PROTOBUF_C_TYPE_ENUM:
        return enum_to_json (field->descriptor, *(const int *) member);
    case PROTOBUF_C_TYPE_STRING:
        return must (json_string (*(const char *const *) member));
    case PROTOBUF_C_TYPE_BYTES:
        return bytes_to_json (member);
    case PROTOBUF_C_TYPE_MESSAGE:
        return json_from_message (*(const ProtobufCMessage *const *) member);
    }
    abort (); /* protoc-c has no other types */
}

/*  Is there something to write? Zero of a number is; an empty text outside a oneof is not. */
static bool field_present (const ProtobufCFieldDescriptor *field, const uint8_t *base)
{
    const void *member = base + field->offset;
    if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) {
        if (*(const uint32_t *) (base + field->quantifier_offset) != field->id)
            return false;
        return field->type != PROTOBUF_C_TYPE_MESSAGE || *(void *const *) member;
    }
    switch (field->type) {
    case PROTOBUF_C_TYPE_STRING:
        return *(const char *const *) member && **(const char *const *) member;
    case PROTOBUF_C_TYPE_MESSAGE:
        return *(void *const *) member;
    case PROTOBUF_C_TYPE_BYTES:
        return ((const ProtobufCBinaryData *) member)->len > 0;
    default:
        return field->label != PROTOBUF_C_LABEL_OPTIONAL ||
               *(const protobuf_c_boolean *) (base + field->quantifier_offset);
    }
}

static json_t *repeated_to_json (const ProtobufCFieldDescriptor *field, const uint8_t *base)
{
    size_t count = *(const size_t *) (base + field->quantifier_offset);
    const uint8_t *members = *(const uint8_t *const *) (base + field->offset);
    json_t *array = must (json_array ());
    for (size_t i = 0; i < count; i++) {
        json_t *element = member_to_json (field, members + i * field_size (field));
        must (json_array_append_new (array, element) == 0 ? array : NULL);
    }
    return array;
}

json_t *json_from_message (const ProtobufCMessage *message)
{
    assert (message);
    const uint8_t *base = (const uint8_t *) message;
    json_t *object = must (json_object ());
    for (unsigned f = 0; f < message->descriptor->n_fields; f++) {
        const ProtobufCFieldDescriptor *field = &message->descriptor->fields [f];
        if (field->label == PROTOBUF_C_LABEL_REPEATED) {
            if (*(const size_t *) (base + field->quantifier_offset) > 0)
                object_take (object, field->name, repeated_to_json (field, base));
        } else if (field_present (field, base)) {
            object_take (object, field->name, member_to_json (field, base + field->offset));
        }
    }
    return object;
}

/*  --- JSON to message ---
 *
 *  The path grows and shrinks as the reader goes down and up; a step remembers the length to cut it
 *  back to.
 */
typedef struct {
    char path [WHY_BYTES];
    size_t path_length;
    unsigned depth;
    char *why;
} json_reader_t;

__attribute__ ((format (printf, 2, 3))) static bool refuse (const json_reader_t *reader,
                                                            const char *format, ...)
{
    /* A path may be as long as why is; cut, it still leaves room to say what is wrong. */
    int length = snprintf (reader->why, WHY_BYTES, "%.*s%s", WHY_BYTES / 2, reader->path,
                           reader->path_length ? ": " : "");
    format_rest (reader->why + length, WHY_BYTES - (size_t) length, format);
    make_printable (reader->why);
    return false;
}

__attribute__ ((format (printf, 2, 3))) static size_t path_enter (json_reader_t *reader,
                                                                  const char *format, ...)
{
    size_t before = reader->path_length;
    va_list arguments;
    va_start (arguments, format);
    int length = vsnprintf (reader->path + before, sizeof reader->path - before, format, arguments);
    va_end (arguments);
    reader->path_length = before + (size_t) length;
    if (reader->path_length >= sizeof reader->path)
        reader->path_length = sizeof reader->path - 1;
    return before;
}

static void path_leave (json_reader_t *reader, size_t before)
{
    reader->path_length = before;
    reader->path [before] = '\0';
}

static const char *json_kind (const json_t *json)
{
    static const char *const kinds [] = {
      [JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array",
      [JSON_STRING] = "a text",    [JSON_INTEGER] = "a whole number",
      [JSON_REAL] = "a fraction",  [JSON_TRUE] = "true",
      [JSON_FALSE] = "false",      [JSON_NULL] = "null"};
    return kinds [json_typeof (json)];
}

/*  A text without NUL inside, which C could not carry; NULL when it is not such a text. */
static const char *plain_text (const json_t *json)
{
    const char *text = json_string_value (json);
    return text && strlen (text) == json_string_length (json) ? text : NULL;
}

/*  Leading digits as a number; returns what is behind them. */
static const char *digits_read (const char *text, uint64_t *number, bool *over)
{
    *number = 0;
    *over = false;
    for (; *text >= '0' && *text <= '9'; text++)
        *over |= __builtin_mul_overflow (*number, 10, number) ||
                 __builtin_add_overflow (*number, (uint64_t) (*text - '0'), number);
    return text;
}

static bool read_signed (const json_reader_t *reader, const json_t *json, int64_t least,
                         int64_t most, int64_t *value)
{
    const char *text = plain_text (json);
    if (json_is_integer (json)) {
        *value = json_integer_value (json);
    } else if (text) {
        bool minus = *text == '-', over;
        uint64_t magnitude;
        const char *end = digits_read (text + minus, &magnitude, &over);
        if (end == text + minus || *end != '\0')
            return refuse (reader, "wants a whole number, not \"%.40s\"", text);
        if (over || magnitude > (uint64_t) INT64_MAX + minus)
            return refuse (reader, "%.40s is out of range", text);
        *value = minus ? (int64_t) (0 - magnitude) : (int64_t) magnitude;
    } else {
        return refuse (reader, "wants a whole number, not %s", json_kind (json));
    }
    if (*value < least || *value > most)
        return refuse (reader, "%" PRId64 " is out of range: %" PRId64 " to %" PRId64, *value,
                       least, most);
    return true;
}

static bool read_unsigned (const json_reader_t *reader, const json_t *json, uint64_t *value)
{
    const char *text = plain_text (json);
    if (!text) {
        int64_t number;
        if (!read_signed (reader, json, 0, INT64_MAX, &number))
            return false;
        *value = (uint64_t) number;
        return true;
    }
    bool over;
    const char *end = digits_read (text, value, &over);
    if (end == text || *end != '\0')
        return refuse (reader, "wants a whole number from 0, not \"%.40s\"", text);
    if (over)
        return refuse (reader, "%.40s is out of range: 0 to %" PRIu64, text, UINT64_MAX);
    return true;
}

static bool json_read_real (const json_reader_t *reader, const json_t *json, double *value)
{
    const char *text = plain_text (json);
    if (json_is_number (json))
        *value = json_number_value (json);
    else if (text && strcmp (text, "NaN") == 0)
        *value = NAN;
    else if (text && (strcmp (text, "Infinity") == 0 || strcmp (text, "-Infinity") == 0))
        *value = *text == '-' ? -INFINITY : INFINITY;
    else
        return refuse (reader, "wants a number, not %s", json_kind (json));
    return true;
}

/*  "… is not one of A, B, C", as far as there is room. */
static bool refuse_enum (const json_reader_t *reader, const ProtobufCEnumDescriptor *descriptor,
                         const char *given)
{
    char names [WHY_BYTES] = "";
    size_t length = 0;
    for (unsigned i = 0; i < descriptor->n_values && length < sizeof names; i++)
        length += (size_t) snprintf (names + length, sizeof names - length, "%s%s", i ? ", " : "",
                                     descriptor->values [i].name);
    return refuse (reader, "%.40s is not one of %s", given, names);
}

static bool read_enum (const json_reader_t *reader, const json_t *json,
                       const ProtobufCEnumDescriptor *descriptor, int *value)
{
    const ProtobufCEnumValue *known = NULL;
    const char *text = plain_text (json);
    char number [INT64_TEXT_BYTES];
    if (text) {
        known = protobuf_c_enum_descriptor_get_value_by_name (descriptor, text);
    } else if (json_is_integer (json)) {
        json_int_t given = json_integer_value (json);
        snprintf (number, sizeof number, "%" JSON_INTEGER_FORMAT, given);
        text = number;
        if (given >= INT32_MIN && given <= INT32_MAX)
            known = protobuf_c_enum_descriptor_get_value (descriptor, (int) given);
    }
    if (!known)
        return refuse_enum (reader, descriptor, text ? text : json_kind (json));
    *value = known->value;
    return true;
}

static bool read_text (const json_reader_t *reader, const json_t *json, char **value)
{
    const char *text = plain_text (json);
    if (!text)
        return refuse (reader,
                       json_is_string (json) ? "wants a text without NUL, not %s"
                                             : "wants a text, not %s",
                       json_kind (json));
    *value = must (strdup (text));
    return true;
}

static bool read_bytes (const json_reader_t *reader, const json_t *json, ProtobufCBinaryData *value)
{
    const char *text = plain_text (json);
    if (!text)
        return refuse (reader, "wants bytes as hexadecimal text, not %s", json_kind (json));
    size_t length = strlen (text);
    if (length % 2 || strspn (text, "0123456789abcdefABCDEF") != length)
        return refuse (reader, "wants bytes as hexadecimal text, two digits each");
    value->len = length / 2;
    value->data = must (malloc (value->len + 1));
    sodium_hex2bin (value->data, value->len, text, length, NULL, NULL, NULL);
    return true;
}

static bool read_message (json_reader_t *reader, json_t *json, ProtobufCMessage *message);

/*  A message inside another. On false it may be half filled; whoever owns the outer one frees it.
 */
static bool read_inner (json_reader_t *reader, json_t *json,
                        const ProtobufCMessageDescriptor *descriptor, ProtobufCMessage **inner)
{
    *inner = must (malloc (descriptor->sizeof_message));
    descriptor->message_init (*inner);
    return read_message (reader, json, *inner);
}

static bool json_read_member (json_reader_t *reader, json_t *json,
                              const ProtobufCFieldDescriptor *field, void *member)
{
    int64_t number = 0;
    uint64_t natural = 0;
    double real = 0;
    switch (field->type) {
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_SINT32:
    case PROTOBUF_C_TYPE_SFIXED32:
        if (!read_signed (reader, json, INT32_MIN, INT32_MAX, &number))
            return false;
        *(int32_t *) member = (int32_t) number;
        return true;
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
        return read_signed (reader, json, INT64_MIN, INT64_MAX, member);
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_FIXED32:
        if (!read_signed (reader, json, 0, UINT32_MAX, &number))
            return false;
        *(uint32_t *) member = (uint32_t) number;
        return true;
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
        if (!read_unsigned (reader, json, &natural))
            return false;
        *(uint64_t *) member = natural;
        return true;
    case PROTOBUF_C_TYPE_FLOAT:
        if (!json_read_real (reader, json, &real))
            return false;
        *(float *) member = (float) real;
        return true;
    case PROTOBUF_C_TYPE_DOUBLE:
        return json_read_real (reader, json, member);
    case PROTOBUF_C_TYPE_BOOL:
        if (!json_is_boolean (json))
            return refuse (reader, "wants true or false, not %s", json_kind (json));
        *(protobuf_c_boolean *) member = json_is_true (json);
        return true;
    case PROTOBUF_C_TYPE_ENUM:
        return read_enum (reader, json, field->descriptor, member);
    case PROTOBUF_C_TYPE_STRING:
        return read_text (reader, json, member);
    case PROTOBUF_C_TYPE_BYTES:
        return read_bytes (reader, json, member);
    case PROTOBUF_C_TYPE_MESSAGE:
        return read_inner (reader, json, field->descriptor, member);
    }
    abort (); /* protoc-c has no other types */
}

/*  An element that could not be read is not counted; an inner message that could not be read is, so
 *  that what it already holds is freed with the rest. */
static bool read_repeated (json_reader_t *reader, json_t *json,
                           const ProtobufCFieldDescriptor *field, uint8_t *base)
{
    if (!json_is_array (json))
        return refuse (reader, "wants an array, not %s", json_kind (json));
    size_t size = field_size (field);
    uint8_t *members = must (calloc (json_array_size (json) + 1, size));
    *(uint8_t **) (base + field->offset) = members;
    size_t *count = (size_t *) (base + field->quantifier_offset);
    for (size_t i = 0; i < json_array_size (json); i++) {
        size_t before = path_enter (reader, "[%zu]", i);
        bool read = json_read_member (reader, json_array_get (json, i), field, members + i * size);
        if (read || field->type == PROTOBUF_C_TYPE_MESSAGE)
            (*count)++;
        if (!read)
            return false;
        path_leave (reader, before);
    }
    return true;
}

static const char *oneof_taken (const ProtobufCMessageDescriptor *descriptor,
                                const ProtobufCFieldDescriptor *field, uint32_t taken)
{
    for (unsigned f = 0; f < descriptor->n_fields; f++)
        if (descriptor->fields [f].id == taken &&
            descriptor->fields [f].quantifier_offset == field->quantifier_offset)
            return descriptor->fields [f].name;
    return "another";
}

static bool read_field (json_reader_t *reader, json_t *json, const ProtobufCFieldDescriptor *field,
                        ProtobufCMessage *message)
{
    uint8_t *base = (uint8_t *) message;
    if (json_is_null (json))
        return true;
    if (field->label == PROTOBUF_C_LABEL_REPEATED)
        return read_repeated (reader, json, field, base);
    if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) {
        uint32_t *taken = (uint32_t *) (base + field->quantifier_offset);
        if (*taken)
            return refuse (reader, "excludes %s: give one of them",
                           oneof_taken (message->descriptor, field, *taken));
        /* Members of a oneof share their room: clear it, then say whose it is. What a failed
         * reading leaves there is either nothing or a message to be freed. */
        memset (base + field->offset, 0, field_size (field));
        *taken = field->id;
    } else if (field->label == PROTOBUF_C_LABEL_OPTIONAL && field->quantifier_offset) {
        *(protobuf_c_boolean *) (base + field->quantifier_offset) = true;
    }
    return json_read_member (reader, json, field, base + field->offset);
}

static bool refuse_key (const json_reader_t *reader, const ProtobufCMessageDescriptor *descriptor)
{
    char names [WHY_BYTES] = "";
    size_t length = 0;
    for (unsigned f = 0; f < descriptor->n_fields && length < sizeof names; f++)
        length += (size_t) snprintf (names + length, sizeof names - length, "%s%s", f ? ", " : "",
                                     descriptor->fields [f].name);
    if (descriptor->n_fields == 0)
        return refuse (reader, "no such field: %s has none", descriptor->short_name);
    return refuse (reader, "no such field: %s has %s", descriptor->short_name, names);
}

static bool read_message (json_reader_t *reader, json_t *json, ProtobufCMessage *message)
{
    const ProtobufCMessageDescriptor *descriptor = message->descriptor;
    if (!json_is_object (json))
        return refuse (reader, "wants an object, not %s", json_kind (json));
    if (reader->depth >= JSON_NESTING_MAX)
        return refuse (reader, "nested deeper than %d", JSON_NESTING_MAX);
    reader->depth++;
    const char *key;
    json_t *value;
    json_object_foreach (json, key, value)
    {
        size_t before = path_enter (reader, reader->path_length ? ".%.100s" : "%.100s", key);
        const ProtobufCFieldDescriptor *field =
          protobuf_c_message_descriptor_get_field_by_name (descriptor, key);
        if (!field)
            return refuse_key (reader, descriptor);
        if (!read_field (reader, value, field, message))
            return false;
        path_leave (reader, before);
    }
    reader->depth--;
    return true;
}

ProtobufCMessage *json_to_message (const ProtobufCMessageDescriptor *descriptor, json_t *json,
                                   char why [WHY_BYTES])
{
    assert (descriptor && json);
    json_reader_t reader = {.why = why};
    ProtobufCMessage *message = NULL;
    if (read_inner (&reader, json, descriptor, &message))
        return message;
    message_free (message);
    return NULL;
}

/*  --- text to JSON ---  */

/*  The deepest nesting, counted without recursion: brackets outside texts. Where it passes the
 *  limit, false with the place. */
static bool nesting_allowed (const char *text, size_t size, size_t *line, size_t *column)
{
    size_t depth = 0;
    bool quoted = false;
    *line = 1;
    *column = 0;
    for (size_t i = 0; i < size; i++) {
        (*column)++;
        char letter = text [i];
        if (letter == '\n') {
            (*line)++;
            *column = 0;
        }
        if (quoted && letter == '\\') {
            i++;
            (*column)++;
        } else if (letter == '"') {
            quoted = !quoted;
        } else if (!quoted && (letter == '{' || letter == '[')) {
            if (++depth > JSON_NESTING_MAX)
                return false;
        } else if (!quoted && (letter == '}' || letter == ']') && depth > 0) {
            depth--;
        }
    }
    return true;
}

json_t *json_parse (const char *text, size_t size, char why [WHY_BYTES])
{
    size_t line;
    size_t column;
    if (size > BODY_BYTES_MAX) {
        snprintf (why, WHY_BYTES, "line 1 column 1: %zu bytes; at most %u are taken", size,
                  BODY_BYTES_MAX);
        return NULL;
    }
    if (!nesting_allowed (text, size, &line, &column)) {
        snprintf (why, WHY_BYTES, "line %zu column %zu: nested deeper than %d", line, column,
                  JSON_NESTING_MAX);
        return NULL;
    }
    json_error_t error;
    json_t *json = json_loadb (text, size, JSON_REJECT_DUPLICATES, &error);
    if (json)
        return json;
    must (json_error_code (&error) == json_error_out_of_memory ? NULL : why);
    make_printable (error.text);
    snprintf (why, WHY_BYTES, "line %d column %d: %s", error.line, error.column, error.text);
    return NULL;
}
