/*  file_place - comparing. */
#include "file_place.h"

#include <string.h>

bool file_place_same (const file_place_t *a, const file_place_t *b)
{
    return a->size == b->size && memcmp (a->digest, b->digest, FILE_DIGEST_BYTES) == 0;
}

int file_place_order (const file_place_t *a, const file_place_t *b)
{
    if (a->created_ms != b->created_ms)
        return a->created_ms < b->created_ms ? -1 : 1;
    return memcmp (a->digest, b->digest, FILE_DIGEST_BYTES);
}
