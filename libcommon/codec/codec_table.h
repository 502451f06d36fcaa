/*  codec_table - how a codec's table is written. For _wire files, and code that fills answers.
 *
 *      static const codec_row_t party_rows [] = {
 *        ROW_WORD ("name", participant_ref_t, name),
 *        ROW_FIXED ("store", participant_ref_t, store),
 *        ROW_WORD ("endpoint", participant_ref_t, endpoint, OR_NONE),
 *      };
 *      const codec_t participant_ref_codec = CODEC (participant_ref_t, party, party_rows);
 *
 *  A row for every field of the message, in the order of their numbers; one that is of no use
 *  here is a ROW_UNUSED. Row and field meet by their place: test_codec proves that their names,
 *  types and sizes agree. A member of another type than its row's does not compile.
 *
 *  Behind a row's own arguments may stand, in any order: OR_NONE, MOST (n), LEAST (n), BETWEEN
 *  (from, to), FINITE, FROM (n), OF (codec), SET_BY (…), CASE_OF (…), SKIPPING.
 */
#ifndef MUSUBI_CODEC_TABLE_H
#define MUSUBI_CODEC_TABLE_H

#include "arena.h"
#include "codec.h"

#define TIME_MS_MAX 253402300799999 /* the last moment of the year 9999 */

typedef enum {
    KIND_UNUSED,
    KIND_NUMBER,
    KIND_FLAG,
    KIND_ENUM,
    KIND_WORD,   /* char [N]: no blanks, no control characters */
    KIND_TEXT,   /* char [N]: blanks are right */
    KIND_STRING, /* char *, owned: as text, of any length up to a bound */
    KIND_FIXED,  /* uint8_t [N]: just so many */
    KIND_BYTES,  /* a packed_t, or a pointer with its size right behind it; owned */
    KIND_ONE,    /* another codec's struct */
    KIND_PACKED, /* another message, kept as its bytes; owned as KIND_BYTES are */
} codec_kind_t;

typedef enum {
    NUMBER_U32,
    NUMBER_I32,
    NUMBER_U64,
    NUMBER_I64,
    NUMBER_DOUBLE,
    NUMBER_MICROS,
} codec_number_t;

typedef enum { MANY_NOT, MANY_LIST, MANY_ARRAY } codec_many_t;

typedef struct {
    const char *field;
    codec_kind_t kind;
    codec_number_t number;
    codec_many_t many;
    bool pointer;       /* KIND_ONE: the member points to it, and owns it; NULL = none */
    bool empty;         /* KIND_WORD, KIND_TEXT: may be ""; KIND_ONE: may be missing */
    bool cased;         /* beside says which case of a oneof is set: this one if it equals which */
    bool skips;         /* elements that are not right are passed over */
    uint32_t which;     /* see cased */
    size_t at;          /* of the member */
    size_t size;        /* of it, or of an element of it */
    size_t beside;      /* many: its count, a size_t. Else it is there when this is not 0 */
    size_t beside_size; /* 0 = there is nothing beside it */
    int64_t least;      /* a number, an enum; the size of a string or of bytes */
    int64_t most;       /* of a number 0: any */
    size_t count_least; /* many */
    size_t count_most;
    const codec_t *of;
} codec_row_t;

/*  A rule between fields, called when each is right by itself. Its sentence begins with the field:
 *  wrong (why, "home: …"). One that must see the generated struct, too: which of a oneof's cases
 *  there was, say. */
typedef bool codec_rule_fn (void *self, char why [WHY_BYTES]);
typedef bool codec_judge_fn (void *self, const void *message, char why [WHY_BYTES]);

/*  The rule of [from_ms, until_ms). */
bool interval_right (int64_t from_ms, int64_t until_ms, char why [WHY_BYTES]);

struct codec {
    const ProtobufCMessageDescriptor *message;
    size_t size; /* of the struct */
    const codec_row_t *rows;
    size_t rows_count;
    codec_rule_fn *rule; /* NULL = none */
    codec_judge_fn *judge;
};

/*  Of a message by the name that protobuf-c gives it, so that claim_closed is ClaimClosed; one
 *  without fields has a struct that is NULL. */
#define CODEC_EMPTY(name)                                                                          \
    {                                                                                              \
        .message = &musubi__##name##__descriptor                                                   \
    }
#define CODEC_WITH(type, name, table, ...)                                                         \
    {                                                                                              \
        .message = &musubi__##name##__descriptor, .size = sizeof (type), .rows = (table),          \
        .rows_count = sizeof (table) / sizeof *(table), __VA_ARGS__                                \
    }
#define CODEC(type, name, table)               CODEC_WITH (type, name, table)
#define CODEC_RULED(type, name, table, check)  CODEC_WITH (type, name, table, .rule = (check))
#define CODEC_JUDGED(type, name, table, check) CODEC_WITH (type, name, table, .judge = (check))

/*  --- what may stand behind a row --- */

#define OR_NONE  .empty = true
#define SKIPPING .skips = true

/*  Bounds of a number; with neither any is right. A double within bounds is finite. */
#define MOST(n)           .most = (n)
#define LEAST(n)          .least = (n), .most = NO_BOUND
#define BETWEEN(from, to) .least = (from), .most = (to)
#define FINITE            .least = INT64_MIN, .most = NO_BOUND
#define NO_BOUND          INT64_MAX

/*  The least of an enum, or of the size of bytes. */
#define FROM(n) .least = (n)

/*  Of KIND_BYTES: they are empty, or a packed message that pleases this codec. */
#define OF(codec) .of = (codec)

/*  The most elements of a repeated field that has no bound but the body it comes in. */
#define ANY_COUNT BODY_BYTES_MAX

/*  It is there when that member of the struct is not 0; a bool is set when it is taken. */
#define SET_BY(type, member)                                                                       \
    .beside = offsetof (type, member), .beside_size = sizeof (((type *) 0)->member)

/*  A case of a oneof: it is this one when that member is which, and taking it sets it so. */
#define CASE_OF(type, member, value) SET_BY (type, member), .cased = true, .which = (value)

/*  --- rows --- */

#define ROW_MEMBER(type, member) (((type *) 0)->member)

/*  Where a member is, if a pointer to it is of that type; else it does not compile. */
#define ROW_AT(type, member, pointer_type)                                                         \
    (offsetof (type, member) + 0 * sizeof (1 ? &ROW_MEMBER (type, member) : (pointer_type) 0))
#define ROW_NUMBER_OF(number)                                                                      \
    _Generic((number), uint32_t                                                                    \
             : NUMBER_U32, int32_t                                                                 \
             : NUMBER_I32, uint64_t                                                                \
             : NUMBER_U64, int64_t                                                                 \
             : NUMBER_I64, double                                                                  \
             : NUMBER_DOUBLE)
#define ROW_COUNT(type, count)                                                                     \
    .beside = ROW_AT (type, count, size_t *), .beside_size = sizeof (size_t)

#define ROW(name, ...)                                                                             \
    {                                                                                              \
        .field = (name), __VA_ARGS__                                                               \
    }

/*  Not taken, not put. */
#define ROW_UNUSED(name) ROW (name, .kind = KIND_UNUSED)

#define ROW_NUMBER(name, type, member, ...)                                                        \
    ROW (name, .kind = KIND_NUMBER, .number = ROW_NUMBER_OF (ROW_MEMBER (type, member)),           \
         .at = offsetof (type, member), .size = sizeof ROW_MEMBER (type, member), __VA_ARGS__)

/*  Wall time or a duration, ms: 0 to the year 9999. */
#define ROW_TIME(name, type, member) ROW_NUMBER (name, type, member, MOST (TIME_MS_MAX))

/*  Milliseconds as a double there, whole microseconds as an int64_t here: 0 to us_most. */
#define ROW_MICROS(name, type, member, us_most)                                                    \
    ROW (name, .kind = KIND_NUMBER, .number = NUMBER_MICROS,                                       \
         .at = ROW_AT (type, member, int64_t *), .size = sizeof (int64_t), .most = (us_most))

#define ROW_FLAG(name, type, member, ...)                                                          \
    ROW (name, .kind = KIND_FLAG, .at = ROW_AT (type, member, bool *), .size = sizeof (bool),      \
         __VA_ARGS__)

/*  Same numbers on both sides, up to last. */
#define ROW_ENUM(name, type, member, last, ...)                                                    \
    ROW (name, .kind = KIND_ENUM, .at = ROW_AT (type, member, unsigned *),                         \
         .size = sizeof (unsigned), .most = (last), __VA_ARGS__)

#define ROW_CHARS(name, type, member, what, ...)                                                   \
    ROW (name, .kind = (what),                                                                     \
         .at = ROW_AT (type, member, char (*) [sizeof ROW_MEMBER (type, member)]),                 \
         .size = sizeof ROW_MEMBER (type, member), __VA_ARGS__)
#define ROW_WORD(name, type, member, ...) ROW_CHARS (name, type, member, KIND_WORD, __VA_ARGS__)
#define ROW_TEXT(name, type, member, ...) ROW_CHARS (name, type, member, KIND_TEXT, __VA_ARGS__)

/*  most: bytes. One that is only ever put may be const char *. */
#define ROW_STRING(name, type, member, bytes_most, ...)                                            \
    ROW (name, .kind = KIND_STRING,                                                                \
         .at = offsetof (type, member) +                                                           \
               _Generic(ROW_MEMBER (type, member), char * : 0, const char * : 0),                  \
         .size = sizeof (char *), .most = (bytes_most), __VA_ARGS__)

/*  With SET_BY it may be missing. */
#define ROW_FIXED(name, type, member, ...)                                                         \
    ROW (name, .kind = KIND_FIXED,                                                                 \
         .at = ROW_AT (type, member, uint8_t (*) [sizeof ROW_MEMBER (type, member)]),              \
         .size = sizeof ROW_MEMBER (type, member), __VA_ARGS__)

/*  The size must stand right behind the pointer. */
#define ROW_OWNED(name, type, data, count, what, ...)                                              \
    ROW (name, .kind = (what),                                                                     \
         .at =                                                                                     \
           offsetof (type, data) + _Generic(ROW_MEMBER (type, count), size_t : 0) +                \
           _Generic(ROW_MEMBER (type, data), uint8_t * : 0, const uint8_t * : 0) +                 \
           0 *                                                                                     \
             sizeof (                                                                              \
               char [offsetof (type, count) == offsetof (type, data) + sizeof (void *) ? 1 : -1]), \
         .size = sizeof (packed_t), __VA_ARGS__)
#define ROW_BYTES(name, type, data, count, bytes_most, ...)                                        \
    ROW_OWNED (name, type, data, count, KIND_BYTES, .most = (bytes_most), __VA_ARGS__)

/*  codec: that it must please. Without SET_BY or CASE_OF it is there when it has bytes. */
#define ROW_PACKED(name, type, data, count, codec, ...)                                            \
    ROW_OWNED (name, type, data, count, KIND_PACKED, .of = (codec), __VA_ARGS__)

#define ROW_PACKED_LIST(name, type, member, count, codec, count_from, count_to)                    \
    ROW (name, .kind = KIND_PACKED, .many = MANY_LIST, .at = ROW_AT (type, member, packed_t **),   \
         .size = sizeof (packed_t), .of = (codec), ROW_COUNT (type, count),                        \
         .count_least = (count_from), .count_most = (count_to))

/*  element: party, for a participant_ref_t by participant_ref_codec. One in place must be
 *  there, unless SET_BY; with OR_NONE one that is missing is taken as all zero. */
#define ROW_ONE(name, type, member, element, ...)                                                  \
    ROW (name, .kind = KIND_ONE, .at = ROW_AT (type, member, element##_t *),                       \
         .size = sizeof (element##_t), .of = &element##_codec, __VA_ARGS__)
#define ROW_POINTER(name, type, member, element, ...)                                              \
    ROW (name, .kind = KIND_ONE, .at = ROW_AT (type, member, element##_t **),                      \
         .size = sizeof (element##_t), .of = &element##_codec, .pointer = true, __VA_ARGS__)

/*  A message of which the fields are members of this struct itself. */
#define ROW_INSIDE(name, type, codec, ...)                                                         \
    ROW (name, .kind = KIND_ONE, .at = 0, .size = sizeof (type), .of = (codec), __VA_ARGS__)

/*  --- rows of repeated fields ---
 *
 *  A list is malloc'ed; an array is in place, and its length is its bound. */

#define ROW_LIST(name, type, member, count, element, count_from, count_to, ...)                    \
    ROW (name, .kind = KIND_ONE, .many = MANY_LIST, .at = ROW_AT (type, member, element##_t **),   \
         .size = sizeof (element##_t), .of = &element##_codec, ROW_COUNT (type, count),            \
         .count_least = (count_from), .count_most = (count_to), __VA_ARGS__)
#define ROW_ARRAY(name, type, member, count, element, ...)                                         \
    ROW (name, .kind = KIND_ONE, .many = MANY_ARRAY,                                               \
         .at = ROW_AT (type, member,                                                               \
                       element##_t (*) [sizeof ROW_MEMBER (type, member) / sizeof (element##_t)]), \
         .size = sizeof (element##_t), .of = &element##_codec, ROW_COUNT (type, count),            \
         .count_most = sizeof ROW_MEMBER (type, member) / sizeof (element##_t), __VA_ARGS__)
#define ROW_CHARS_LIST(name, type, member, count, what, count_from, count_to, ...)                 \
    ROW (name, .kind = (what), .many = MANY_LIST,                                                  \
         .at = ROW_AT (type, member, char (**) [sizeof *ROW_MEMBER (type, member)]),               \
         .size = sizeof *ROW_MEMBER (type, member), ROW_COUNT (type, count),                       \
         .count_least = (count_from), .count_most = (count_to), __VA_ARGS__)
#define ROW_WORD_LIST(name, type, member, count, ...)                                              \
    ROW_CHARS_LIST (name, type, member, count, KIND_WORD, __VA_ARGS__)
#define ROW_TEXT_LIST(name, type, member, count, ...)                                              \
    ROW_CHARS_LIST (name, type, member, count, KIND_TEXT, __VA_ARGS__)
#define ROW_IN_PLACE(name, type, member, count, what, unit, ...)                                   \
    ROW (name, .kind = (what), .many = MANY_ARRAY,                                                 \
         .at = ROW_AT (                                                                            \
           type, member,                                                                           \
           unit (*) [sizeof ROW_MEMBER (type, member) / sizeof ROW_MEMBER (type, member) [0]]      \
                    [sizeof ROW_MEMBER (type, member) [0]]),                                       \
         .size = sizeof ROW_MEMBER (type, member) [0], ROW_COUNT (type, count),                    \
         .count_most = sizeof ROW_MEMBER (type, member) / sizeof ROW_MEMBER (type, member) [0],    \
         __VA_ARGS__)
#define ROW_WORD_ARRAY(name, type, member, count, ...)                                             \
    ROW_IN_PLACE (name, type, member, count, KIND_WORD, char, __VA_ARGS__)
#define ROW_FIXED_ARRAY(name, type, member, count, ...)                                            \
    ROW_IN_PLACE (name, type, member, count, KIND_FIXED, uint8_t, __VA_ARGS__)

/*  char **, each owned; one that is only ever put may be const. */
#define ROW_STRING_LIST(name, type, member, count, bytes_most, count_from, count_to, ...)          \
    ROW (name, .kind = KIND_STRING, .many = MANY_LIST,                                             \
         .at = offsetof (type, member) + _Generic(ROW_MEMBER (type, member), char ** : 0,          \
                                                  const char ** : 0, const char *const * : 0),     \
         .size = sizeof (char *), .most = (bytes_most), ROW_COUNT (type, count),                   \
         .count_least = (count_from), .count_most = (count_to), __VA_ARGS__)
#define ROW_NUMBER_LIST(name, type, member, count, count_from, count_to, ...)                      \
    ROW (name, .kind = KIND_NUMBER, .many = MANY_LIST,                                             \
         .number = ROW_NUMBER_OF (*ROW_MEMBER (type, member)), .at = offsetof (type, member),      \
         .size = sizeof *ROW_MEMBER (type, member), ROW_COUNT (type, count),                       \
         .count_least = (count_from), .count_most = (count_to), __VA_ARGS__)
#define ROW_NUMBER_ARRAY(name, type, member, count, count_from, ...)                               \
    ROW (name, .kind = KIND_NUMBER, .many = MANY_ARRAY,                                            \
         .number = ROW_NUMBER_OF (*ROW_MEMBER (type, member)), .at = offsetof (type, member),      \
         .size = sizeof *ROW_MEMBER (type, member), ROW_COUNT (type, count),                       \
         .count_least = (count_from),                                                              \
         .count_most = sizeof ROW_MEMBER (type, member) / sizeof *ROW_MEMBER (type, member),       \
         __VA_ARGS__)
#define ROW_FLAG_LIST(name, type, member, count, count_from, count_to, ...)                        \
    ROW (name, .kind = KIND_FLAG, .many = MANY_LIST,                                               \
         .at = offsetof (type, member) +                                                           \
               _Generic(ROW_MEMBER (type, member), bool * : 0, const bool * : 0),                  \
         .size = sizeof (bool), ROW_COUNT (type, count), .count_least = (count_from),              \
         .count_most = (count_to), __VA_ARGS__)

/*  --- generated structs ---
 *
 *  For what a table can't say: an answer that is computed while it is filled, a message of which
 *  a part alone is wanted. */

/*  Filled from the struct, and pointing into it; what else it needs is taken from the arena. */
void *codec_put (const codec_t *codec, const void *self, arena_t *arena);

/*  Fills one that was initialised; what it had stays where the struct has nothing to say. Of a
 *  message without lists and other messages the arena may be NULL. */
void codec_fill (const codec_t *codec, const void *self, void *message, arena_t *arena);

/*  A repeated field: count messages, each initialised. */
void *codec_messages (const ProtobufCMessageDescriptor *descriptor, size_t count, arena_t *arena);

/*  As codec_decode. */
bool codec_take (const codec_t *codec, void *self, const void *message, char why [WHY_BYTES]);

/*  The same of a field of another message: why begins with its name. A message that is NULL is
 *  missing. */
bool codec_take_field (const codec_t *codec, void *self, const void *message, const char *field,
                       char why [WHY_BYTES]);

/*  NULL with why when the bytes are no such message. */
void *codec_unpack (const ProtobufCMessageDescriptor *descriptor, bytes_t body, arena_t *arena,
                    char why [WHY_BYTES]);

/*  A generated struct as bytes. */
packed_t packed_of (const ProtobufCMessage *message);

#endif
