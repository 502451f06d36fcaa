/*  decoders - every decoder of every service, in lists: a fuzz target tries one with any bytes.
 *
 *  A refusal must name a reason that fits. What has an encoder too must come out of it and through
 *  the decoder again as the same bytes; of the rest, what the logic asserts on is looked at.
 *  Entries are added at the end of a list: the corpus names them by number.
 */
#ifndef MUSUBI_DECODERS_H
#define MUSUBI_DECODERS_H

#include "fuzzing.h"
#include "transaction.h"

typedef void decoder_fn (bytes_t body);

typedef struct {
    decoder_fn *const *tries;
    size_t count;
} decoders_t;

extern const decoders_t decoders_transaction; /* and a participant's records */
extern const decoders_t decoders_directory;   /* headers, the directory, homes and their records */
extern const decoders_t decoders_questions;   /* sites, domains and their records */
extern const decoders_t decoders_planner;     /* users' requests, what peers answer, decisions */
extern const decoders_t decoders_client;      /* what the client is told */

static inline bytes_t bytes_of (packed_t packed)
{
    return (bytes_t){.data = packed.data, .size = packed.size};
}

/*  Encoded, and encoded once more after decoding it: both end here. */
static inline void same_then_free (packed_t once, packed_t twice)
{
    REQUIRE (once.size == twice.size);
    REQUIRE (once.size == 0 || memcmp (once.data, twice.data, once.size) == 0);
    free (once.data);
    free (twice.data);
}

/*  Hands taken on, after a look at the reason when it is false. */
static inline bool taken_or_told (bool taken, const char why [WHY_BYTES])
{
    REQUIRE (taken || (why [0] != '\0' && memchr (why, '\0', WHY_BYTES)));
    return taken;
}

#endif
