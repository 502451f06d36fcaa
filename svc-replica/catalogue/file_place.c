/*  file_place - two of them compared, and what is said of a damaged one. */
#include "file_place.h"

#include <stdio.h>
#include <string.h>

void file_place_damaged (const file_place_t *place, const char *name, char why [WHY_BYTES])
{
    char bad [96] = "is damaged, and where is not known";
    if (place->bad > 0)
        snprintf (bad, sizeof bad, "has %llu bad MiB%s, %sat %llu MiB",
                  (unsigned long long) place->bad, place->bad > 1 ? "s" : "",
                  place->bad > 1 ? "the first " : "",
                  (unsigned long long) (place->bad_at / FLOW_CHUNK_BYTES));
    snprintf (why, WHY_BYTES,
              "%.40s's only copy of %.60s %.76s; get --salvage gives the rest, and its owner can "
              "put it again",
              place->site, name, bad);
}

const char *site_of (const char *name)
{
    static const char kind [] = "replica/";
    return strncmp (name, kind, sizeof kind - 1) == 0 ? name + sizeof kind - 1 : NULL;
}

int file_place_order (const file_place_t *a, const file_place_t *b)
{
    if (a->created_ms != b->created_ms)
        return a->created_ms < b->created_ms ? -1 : 1;
    return memcmp (a->content.digest, b->content.digest, FILE_DIGEST_BYTES);
}
