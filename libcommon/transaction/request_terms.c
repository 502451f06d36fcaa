/*  request_terms - where a request id is kept. */
#include "request_terms.h"

uint64_t request_slot (const char *actor, const char *id)
{
    uint64_t hash = UINT64_C (14695981039346656037);
    const char *const parts [] = {actor, "/", id};
    for (int i = 0; i < 3; i++)
        for (const char *at = parts [i]; *at; at++)
            hash = (hash ^ (uint8_t) *at) * UINT64_C (1099511628211);
    return hash;
}
