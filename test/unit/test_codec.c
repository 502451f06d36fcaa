/*  test_codec - every table against the messages it is bound to: each row meets its field, values
 *  come out as they went in, each bound is refused by its path, and no bytes do harm.
 *
 *  codecs.h names the tables.
 */
#include "../codecs.h"
#include "message.h"
#include "prng.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef void codec_fn (const codec_t *codec);

static void each_codec (codec_fn *try)
{
    codecs_t all = all_codecs ();
    for (size_t i = 0; i < all.count; i++)
        try (all.list [i]);
}

/*  --- rows and fields --- */

static bool number_fits (codec_number_t number, ProtobufCType type)
{
    switch (number) {
    case NUMBER_U32:
        return type == PROTOBUF_C_TYPE_UINT32;
    case NUMBER_I32:
        return type == PROTOBUF_C_TYPE_INT32 || type == PROTOBUF_C_TYPE_SINT32;
    case NUMBER_U64:
        return type == PROTOBUF_C_TYPE_UINT64;
    case NUMBER_I64:
        return type == PROTOBUF_C_TYPE_INT64 || type == PROTOBUF_C_TYPE_SINT64;
    case NUMBER_DOUBLE:
    case NUMBER_MICROS:
        return type == PROTOBUF_C_TYPE_DOUBLE;
    }
    return false;
}

static bool type_fits (const codec_row_t *row, const ProtobufCFieldDescriptor *field)
{
    switch (row->kind) {
    case KIND_UNUSED:
        return true;
    case KIND_NUMBER:
        return number_fits (row->number, field->type);
    case KIND_FLAG:
        return field->type == PROTOBUF_C_TYPE_BOOL;
    case KIND_ENUM:
        return field->type == PROTOBUF_C_TYPE_ENUM;
    case KIND_WORD:
    case KIND_TEXT:
    case KIND_STRING:
        return field->type == PROTOBUF_C_TYPE_STRING;
    case KIND_FIXED:
    case KIND_BYTES:
        return field->type == PROTOBUF_C_TYPE_BYTES;
    case KIND_ONE:
        return field->type == PROTOBUF_C_TYPE_MESSAGE && field->descriptor == row->of->message &&
               row->size == row->of->size;
    case KIND_PACKED:
        return field->type == PROTOBUF_C_TYPE_MESSAGE && field->descriptor == row->of->message;
    }
    return false;
}

/*  The greatest value of an enum that has no gaps is where its row ends, too; a row without an end
 *  takes those that only newer peers know. */
static bool enum_fits (const codec_row_t *row, const ProtobufCFieldDescriptor *field)
{
    if (row->kind != KIND_ENUM)
        return true;
    const ProtobufCEnumDescriptor *values = field->descriptor;
    return row->most == INT32_MAX ||
           (row->most > 0 && row->most <= values->values [values->n_values - 1].value);
}

static bool row_meets (const codec_t *codec, const codec_row_t *row,
                       const ProtobufCFieldDescriptor *field)
{
    if (strcmp (row->field, field->name) != 0 || !type_fits (row, field) || !enum_fits (row, field))
        return false;
    if (row->kind == KIND_UNUSED)
        return true;
    size_t room = row->many == MANY_LIST || row->pointer ? sizeof (void *)
                  : row->many == MANY_ARRAY              ? row->size * row->count_most
                                                         : row->size;
    bool oneof = field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF;
    return row->at + room <= codec->size && row->beside + row->beside_size <= codec->size &&
           (row->many != MANY_NOT) == (field->label == PROTOBUF_C_LABEL_REPEATED) &&
           (row->many == MANY_NOT || row->count_most > 0) && (oneof || !row->cased) &&
           (!oneof || row->cased || row->pointer || row->beside_size > 0) &&
           (row->kind != KIND_BYTES || row->most > 0) &&
           (row->kind != KIND_STRING || row->most > 0);
}

static void rows_meet (const codec_t *codec)
{
    const ProtobufCMessageDescriptor *message = codec->message;
    if (codec->rows_count != message->n_fields)
        fail_msg ("%s: %zu rows, %u fields", message->short_name, codec->rows_count,
                  message->n_fields);
    for (size_t i = 0; i < codec->rows_count; i++)
        if (!row_meets (codec, &codec->rows [i], &message->fields [i]))
            fail_msg ("%s: row %s does not meet field %s", message->short_name,
                      codec->rows [i].field, message->fields [i].name);
}

static void every_row_meets_its_field (void **state)
{
    (void) state;
    each_codec (rows_meet);
}

/*  --- values --- */

static prng_t prng;

static uint64_t below (uint64_t limit)
{
    return prng_below (&prng, limit);
}

static void fill (const codec_t *codec, uint8_t *self);

static int64_t a_number (const codec_row_t *row)
{
    int64_t least = row->least == INT64_MIN ? -1000 : row->least;
    int64_t most = row->most == 0 || row->most == NO_BOUND ? least + 1000 : row->most;
    uint64_t span = (uint64_t) most - (uint64_t) least + 1;
    return below (8) == 0 ? least : below (8) == 0 ? most : least + (int64_t) below (span);
}

static void fill_number (const codec_row_t *row, uint8_t *to)
{
    int64_t number = a_number (row);
    double real = (double) number;
    memcpy (to, row->number == NUMBER_DOUBLE ? (void *) &real : (void *) &number, row->size);
}

static void fill_chars (char *to, size_t most, bool blanks, bool empty)
{
    size_t longest = below (4) == 0 || most < 12 ? most : 12;
    size_t length = empty && below (4) == 0 ? 0 : 1 + below (longest);
    for (size_t i = 0; i < length; i++)
        to [i] = blanks && below (6) == 0 ? ' ' : (char) ('a' + below (26));
    to [length] = '\0';
}

static packed_t some_bytes (size_t least, size_t most)
{
    size_t size = least + below ((most - least > 40 ? 40 : most - least) + 1);
    packed_t bytes = {.data = size > 0 ? malloc (size) : NULL, .size = size};
    for (size_t i = 0; i < size; i++)
        bytes.data [i] = (uint8_t) below (256);
    return bytes;
}

static packed_t some_message (const codec_t *codec)
{
    void *self = calloc (1, codec->size + 1);
    fill (codec, self);
    packed_t packed = codec_encode (codec, self);
    codec_clear (codec, self);
    free (self);
    return packed;
}

static void fill_element (const codec_row_t *row, uint8_t *to)
{
    packed_t bytes;
    char *text;
    switch (row->kind) {
    case KIND_UNUSED:
        break;
    case KIND_NUMBER:
        fill_number (row, to);
        break;
    case KIND_FLAG:
        *(bool *) to = below (2) == 1;
        break;
    case KIND_ENUM:
        *(uint32_t *) to =
          (uint32_t) (row->least + (int64_t) below ((uint64_t) (row->most - row->least) + 1));
        break;
    case KIND_WORD:
    case KIND_TEXT:
        fill_chars ((char *) to, row->size - 1, row->kind == KIND_TEXT, row->empty);
        break;
    case KIND_STRING:
        text = calloc (1, 13);
        fill_chars (text, row->most < 12 ? (size_t) row->most : 12, true, true);
        memcpy (to, &text, sizeof text);
        break;
    case KIND_FIXED:
        for (size_t i = 0; i < row->size; i++)
            to [i] = (uint8_t) below (256);
        break;
    case KIND_BYTES:
        bytes =
          row->of ? some_message (row->of) : some_bytes ((size_t) row->least, (size_t) row->most);
        memcpy (to, &bytes, sizeof bytes);
        break;
    case KIND_ONE:
        fill (row->of, to);
        break;
    case KIND_PACKED:
        bytes = some_message (row->of);
        if (bytes.size == 0) { /* as none */
            free (bytes.data);
            bytes.data = NULL;
        }
        memcpy (to, &bytes, sizeof bytes);
        break;
    }
}

/*  A value of a oneof, or of none: the first of its rows says which. */
static bool is_filled (const codec_t *codec, size_t at, uint32_t *chosen)
{
    const ProtobufCFieldDescriptor *field = &codec->message->fields [at];
    if (!(field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF))
        return codec->rows [at].beside_size == 0 && !codec->rows [at].pointer ? true
                                                                              : below (3) > 0;
    size_t cases = 0, before = 0;
    for (size_t i = 0; i < codec->rows_count; i++)
        if (codec->message->fields [i].quantifier_offset == field->quantifier_offset &&
            codec->message->fields [i].flags & PROTOBUF_C_FIELD_FLAG_ONEOF) {
            before += i < at;
            cases++;
        }
    if (before == 0)
        *chosen = (uint32_t) below (cases);
    return *chosen == before;
}

static void fill_once (const codec_row_t *row, uint8_t *self)
{
    uint8_t *to = self + row->at;
    if (row->pointer) {
        uint8_t *inner = calloc (1, row->size);
        memcpy (to, &inner, sizeof inner);
        to = inner;
    }
    if (row->beside_size == 1)
        self [row->beside] = row->cased ? (uint8_t) row->which : 1;
    else if (row->cased)
        memcpy (self + row->beside, &row->which, sizeof row->which);
    fill_element (row, to);
}

static void fill_many (const codec_row_t *row, uint8_t *self)
{
    size_t most = row->count_most - row->count_least > 3 ? 3 : row->count_most - row->count_least;
    size_t count = row->count_least + below (most + 1);
    uint8_t *elements = self + row->at;
    if (row->many == MANY_LIST) {
        elements = count > 0 ? calloc (count, row->size) : NULL;
        memcpy (self + row->at, &elements, sizeof elements);
    }
    for (size_t i = 0; i < count; i++)
        fill_element (row, elements + i * row->size);
    memcpy (self + row->beside, &count, sizeof count);
}

static void fill (const codec_t *codec, uint8_t *self)
{
    uint32_t chosen = 0;
    for (size_t i = 0; i < codec->rows_count; i++) {
        const codec_row_t *row = &codec->rows [i];
        if (row->kind == KIND_UNUSED)
            continue;
        if (row->many != MANY_NOT)
            fill_many (row, self);
        else if (is_filled (codec, i, &chosen))
            fill_once (row, self);
    }
}

static void comes_back (const codec_t *codec)
{
    uint8_t *made = calloc (1, codec->size + 1), *read = calloc (1, codec->size + 1);
    uint8_t *copy = calloc (1, codec->size + 1);
    for (int round = 0; round < 50; round++) {
        char why [WHY_BYTES] = "";
        memset (made, 0, codec->size);
        fill (codec, made);
        packed_t packed = codec_encode (codec, made);
        if (!codec_decode_fields (codec, read, (bytes_t){packed.data, packed.size}, why))
            fail_msg ("%s: %s", codec->message->short_name, why);
        codec_copy (codec, copy, read);
        if (!codec_same (codec, made, read) || !codec_same (codec, made, copy))
            fail_msg ("%s: not what it was", codec->message->short_name);
        codec_clear (codec, made);
        codec_clear (codec, read);
        codec_clear (codec, read);
        codec_clear (codec, copy);
        free (packed.data);
    }
    free (made);
    free (read);
    free (copy);
}

static void what_goes_in_comes_out (void **state)
{
    (void) state;
    each_codec (comes_back);
}

/*  --- bounds --- */

/*  The message, with one field damaged, must be refused by that field's name. */
static void refused (const codec_t *codec, const void *message, const char *field, const char *how)
{
    packed_t packed = packed_of (message);
    uint8_t *read = calloc (1, codec->size + 1);
    char why [WHY_BYTES] = "";
    if (packed.size <= RECORD_BYTES_MAX) {
        bool taken = codec_decode_fields (codec, read, (bytes_t){packed.data, packed.size}, why);
        if (taken || strncmp (why, field, strlen (field)) != 0 ||
            !strchr (":[.", why [strlen (field)]))
            fail_msg ("%s.%s %s: %s", codec->message->short_name, field, how,
                      taken ? "was taken" : why);
        for (size_t i = 0; i < codec->size; i++)
            assert_int_equal (read [i], 0);
    }
    free (read);
    free (packed.data);
}

static void spoil_number (const codec_t *codec, const codec_row_t *row, void *message,
                          uint8_t *value)
{
    uint8_t was [8];
    memcpy (was, value, row->size);
    for (int i = 0; i < 2; i++) {
        bool micros = row->number == NUMBER_MICROS;
        bool without = i == 0 ? row->least == INT64_MIN : row->most == NO_BOUND;
        bool whole = row->number == NUMBER_U32 || row->number == NUMBER_U64;
        if (row->most == 0 || without || (i == 0 && whole && row->least == 0))
            continue;
        int64_t beyond = i == 0 ? row->least - 1 : row->most + 1;
        double real = micros ? (double) beyond / 1000 : (double) beyond;
        memcpy (value, micros || row->number == NUMBER_DOUBLE ? (void *) &real : (void *) &beyond,
                row->size);
        refused (codec, message, row->field, "out of bounds");
    }
    if ((row->number == NUMBER_DOUBLE || row->number == NUMBER_MICROS) && row->most != 0) {
        double none = 0.0 / 0.0;
        memcpy (value, &none, sizeof none);
        refused (codec, message, row->field, "no number");
    }
    memcpy (value, was, row->size);
}

static void spoil_chars (const codec_t *codec, const codec_row_t *row, void *message, char **value)
{
    char *was = *value;
    size_t most = row->kind == KIND_STRING ? (size_t) row->most : row->size - 1;
    char *longer = calloc (1, most + 2);
    memset (longer, 'x', most + 1);
    *value = longer;
    refused (codec, message, row->field, "too long");
    if (row->kind != KIND_STRING) {
        *value = (char *) "a\n";
        refused (codec, message, row->field, "with a control character");
        *value = (char *) "";
        if (!row->empty)
            refused (codec, message, row->field, "missing");
    }
    if (row->kind == KIND_WORD) {
        *value = (char *) "a b";
        refused (codec, message, row->field, "with a blank");
    }
    *value = was;
    free (longer);
}

static void spoil_bytes (const codec_t *codec, const codec_row_t *row, void *message,
                         ProtobufCBinaryData *value)
{
    ProtobufCBinaryData was = *value;
    size_t most = row->kind == KIND_FIXED ? row->size : (size_t) row->most;
    if (most > RECORD_BYTES_MAX)
        return;
    value->data = calloc (1, most + 1);
    value->len = most + 1;
    refused (codec, message, row->field, "too large");
    value->len = row->kind == KIND_FIXED ? row->size - 1 : (size_t) row->least - 1;
    if (row->kind == KIND_FIXED || row->least > 0)
        refused (codec, message, row->field, "too small");
    free (value->data);
    *value = was;
}

static void spoil_enum (const codec_t *codec, const codec_row_t *row, void *message, int *value)
{
    int was = *value;
    if (row->most < INT_MAX) {
        *value = (int) row->most + 1;
        refused (codec, message, row->field, "beyond the last");
    }
    if (row->least > INT_MIN) {
        *value = (int) row->least - 1;
        refused (codec, message, row->field, "before the first");
    }
    *value = was;
}

/*  One value, wherever it stands. */
static void spoil_value (const codec_t *codec, const codec_row_t *row, void *message, void *value)
{
    if (row->skips)
        return;
    if (row->kind == KIND_NUMBER)
        spoil_number (codec, row, message, value);
    else if (row->kind == KIND_ENUM)
        spoil_enum (codec, row, message, value);
    else if (row->kind == KIND_WORD || row->kind == KIND_TEXT || row->kind == KIND_STRING)
        spoil_chars (codec, row, message, value);
    else if (row->kind == KIND_FIXED || row->kind == KIND_BYTES)
        spoil_bytes (codec, row, message, value);
}

/*  One too many, all the same; and one too few. */
static void spoil_count (const codec_t *codec, const codec_row_t *row,
                         const ProtobufCFieldDescriptor *field, uint8_t *message)
{
    size_t count, was_count;
    uint8_t *was, *more;
    size_t step = field->type == PROTOBUF_C_TYPE_BYTES ? sizeof (ProtobufCBinaryData)
                  : field->type == PROTOBUF_C_TYPE_UINT32 || field->type == PROTOBUF_C_TYPE_INT32 ||
                      field->type == PROTOBUF_C_TYPE_BOOL || field->type == PROTOBUF_C_TYPE_ENUM
                    ? 4
                    : 8;
    memcpy (&was_count, message + field->quantifier_offset, sizeof was_count);
    memcpy (&was, message + field->offset, sizeof was);
    if (was_count == 0)
        return;
    count = row->count_most + 1;
    more = count < 70000 ? calloc (count, step) : NULL;
    for (size_t i = 0; more && i < count; i++)
        memcpy (more + i * step, was, step);
    memcpy (message + field->offset, &more, sizeof more);
    memcpy (message + field->quantifier_offset, &count, sizeof count);
    if (more)
        refused (codec, message, row->field, "too many");
    count = row->count_least - 1;
    memcpy (message + field->quantifier_offset, &count, sizeof count);
    if (more && row->count_least > 0)
        refused (codec, message, row->field, "too few");
    memcpy (message + field->quantifier_offset, &was_count, sizeof was_count);
    memcpy (message + field->offset, &was, sizeof was);
    free (more);
}

static void spoil_row (const codec_t *codec, const codec_row_t *row,
                       const ProtobufCFieldDescriptor *field, uint8_t *message)
{
    if (row->many != MANY_NOT) {
        size_t count;
        void *first;
        memcpy (&count, message + field->quantifier_offset, sizeof count);
        memcpy (&first, message + field->offset, sizeof first);
        if (count > 0)
            spoil_value (codec, row, message, first);
        spoil_count (codec, row, field, message);
        return;
    }
    uint32_t which = field->id;
    if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF)
        memcpy (&which, message + field->quantifier_offset, sizeof which);
    if (which != field->id)
        return;
    spoil_value (codec, row, message, message + field->offset);
    void *none = NULL, *was;
    bool needed = row->kind == KIND_ONE && !row->pointer && !row->empty && row->beside_size == 0;
    memcpy (&was, message + field->offset, sizeof was);
    if (needed)
        memcpy (message + field->offset, &none, sizeof none);
    if (needed)
        refused (codec, (ProtobufCMessage *) message, row->field, "missing");
    memcpy (message + field->offset, &was, sizeof was);
}

static void bounds_hold (const codec_t *codec)
{
    uint8_t *made = calloc (1, codec->size + 1);
    for (int round = 0; round < 4; round++) {
        arena_t arena;
        arena_init (&arena);
        memset (made, 0, codec->size);
        fill (codec, made);
        uint8_t *message = codec_put (codec, made, &arena);
        for (size_t i = 0; i < codec->rows_count; i++)
            spoil_row (codec, &codec->rows [i], &codec->message->fields [i], message);
        arena_end (&arena);
        codec_clear (codec, made);
    }
    free (made);
}

static void each_bound_is_refused_by_its_field (void **state)
{
    (void) state;
    each_codec (bounds_hold);
}

/*  --- any bytes --- */

static void try_bytes (const codec_t *codec, const uint8_t *data, size_t size)
{
    uint8_t *exact = malloc (size + 1), *read = calloc (1, codec->size + 1); /* of its own size */
    char why [WHY_BYTES] = "";
    if (size > 0)
        memcpy (exact, data, size);
    if (codec_decode (codec, read, (bytes_t){exact, size}, why))
        codec_clear (codec, read);
    else
        assert_true (*why);
    free (exact);
    free (read);
}

static void bytes_do_no_harm (const codec_t *codec)
{
    packed_t packed = some_message (codec);
    for (size_t cut = 0; cut <= packed.size && cut < 2000; cut++)
        try_bytes (codec, packed.data, cut);
    for (int flip = 0; flip < 300 && packed.size > 0; flip++) {
        uint8_t *at = &packed.data [below (packed.size)], was = *at;
        *at = (uint8_t) below (256);
        try_bytes (codec, packed.data, packed.size);
        if (below (4) > 0)
            *at = was;
    }
    free (packed.data);
}

static void cut_and_damaged_bytes_do_no_harm (void **state)
{
    (void) state;
    each_codec (bytes_do_no_harm);
}

int main (void)
{
    const struct CMUnitTest tests [] = {
      cmocka_unit_test (every_row_meets_its_field),
      cmocka_unit_test (what_goes_in_comes_out),
      cmocka_unit_test (each_bound_is_refused_by_its_field),
      cmocka_unit_test (cut_and_damaged_bytes_do_no_harm),
    };
    const char *seed = getenv ("MUSUBI_SEED");
    prng_seed (&prng, seed ? strtoull (seed, NULL, 10) : 20261122);
    return cmocka_run_group_tests (tests, NULL, NULL);
}
