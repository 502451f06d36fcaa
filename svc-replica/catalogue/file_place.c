/*  file_place - compares two of them. */
#include "file_place.h"

#include <string.h>

int file_place_order (const file_place_t *a, const file_place_t *b)
{
    if (a->created_ms != b->created_ms)
        return a->created_ms < b->created_ms ? -1 : 1;
    return memcmp (a->content.digest, b->content.digest, FILE_DIGEST_BYTES);
}
