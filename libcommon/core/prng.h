/*  prng - the random numbers of a core: a stream stirred with the entropy of each moment.
 *
 *  Same moments, same numbers. Good enough for jitter and tie-breaks, not for secrets; identities
 *  are taken from the moment's entropy itself.
 */
#ifndef MUSUBI_PRNG_H
#define MUSUBI_PRNG_H

#include "core.h"

typedef struct {
    uint64_t state [4]; /* xoshiro256** (Blackman and Vigna 2018) */
} prng_t;

/*  A stream of its own for a seed, as tests and generators want it. */
void prng_seed (prng_t *self, uint64_t seed);

void prng_stir (prng_t *self, const uint8_t entropy [ENTROPY_BYTES]);
uint64_t prng_next (prng_t *self);

/*  Uniform in [0, bound); bound > 0. */
uint64_t prng_below (prng_t *self, uint64_t bound);

/*  Uniform in [0, 1). */
double prng_unit (prng_t *self);

#endif
