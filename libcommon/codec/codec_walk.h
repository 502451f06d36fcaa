/*  codec_walk - what the parts of the engine share. */
#ifndef MUSUBI_CODEC_WALK_H
#define MUSUBI_CODEC_WALK_H

#include "codec_table.h"

/*  How many elements the struct has of this row: of one that is not many 1, or 0 when it is not
 *  there. */
size_t row_count (const codec_row_t *row, const uint8_t *self);

/*  The first of them. Of a pointer, what it points to. */
const uint8_t *row_elements (const codec_row_t *row, const uint8_t *self);

/*  A packed_t, as KIND_BYTES and KIND_PACKED are. */
packed_t bytes_at (const uint8_t *member);

/*  As codec_encode and codec_decode, and proved by nothing. */
packed_t codec_pack (const codec_t *codec, const void *self);
bool codec_unpacked (const codec_t *codec, void *self, bytes_t body, bool rules,
                     char why [WHY_BYTES]);

/*  Encodes the struct, decodes the bytes and encodes again: both must be the same. taken: it came
 *  from a message, so it must decode; another struct may break the bounds of its table. */
void codec_prove (const codec_t *codec, const void *self, bool taken);

#endif
