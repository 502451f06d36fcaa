/*  codec - a message as a plain struct: to bytes and from them, by a table.
 *
 *  Each codec is a static table that names every field of one message with its place in a struct,
 *  its kind and its bounds (codec_table.h). One engine does the rest: it encodes, decodes, checks,
 *  clears, copies and compares. Pure; nothing here sees the generated code.
 */
#ifndef MUSUBI_CODEC_H
#define MUSUBI_CODEC_H

#include "bytes.h"

#define FORMAT_WHY __attribute__ ((format (printf, 2, 3)))

/*  Bytes from malloc; the receiver frees data. */
typedef struct {
    uint8_t *data;
    size_t size;
} packed_t;

static inline bytes_t packed_bytes (packed_t lent)
{
    return (bytes_t){.data = lent.data, .size = lent.size};
}

/*  A copy; empty of none. */
packed_t packed_copy (bytes_t from);

/*  Writes why and returns false: return wrong (why, "edge_ms: …"). */
bool wrong (char why [WHY_BYTES], const char *format, ...) FORMAT_WHY;

typedef struct codec codec_t;

/*  Of its struct. */
size_t codec_size (const codec_t *codec);

packed_t codec_encode (const codec_t *codec, const void *self);

/*  On true *self owns what it points to: codec_clear. On false it is all zero, and why names the
 *  field by its path, what is wrong with it and what would be right:
 *  "participants[3].endpoint: longer than 255 bytes". */
bool codec_decode (const codec_t *codec, void *self, bytes_t body, char why [WHY_BYTES]);

/*  The same without the rules between fields: each field is checked by itself alone. */
bool codec_decode_fields (const codec_t *codec, void *self, bytes_t body, char why [WHY_BYTES]);

/*  Frees what the struct owns and zeroes it; harmless to repeat. */
void codec_clear (const codec_t *codec, void *self);

/*  Deep, of all that the codec names; members that it doesn't are copied as they are. */
void codec_copy (const codec_t *codec, void *to, const void *from);

/*  Do both encode to the same bytes? */
bool codec_same (const codec_t *codec, const void *a, const void *b);

#endif
