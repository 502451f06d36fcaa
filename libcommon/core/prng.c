/*  prng - xoshiro256** seeded by splitmix64. */
#include "prng.h"

#include <assert.h>
#include <string.h>

static uint64_t rotate (uint64_t x, int by)
{
    return (x << by) | (x >> (64 - by));
}

void prng_seed (prng_t *self, uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        seed += 0x9e3779b97f4a7c15u;
        uint64_t z = seed;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        self->state [i] = z ^ (z >> 31);
    }
}

void prng_stir (prng_t *self, const uint8_t entropy [ENTROPY_BYTES])
{
    uint64_t words [4];
    static_assert (sizeof words == ENTROPY_BYTES, "one word of entropy for each word of state");
    memcpy (words, entropy, sizeof words);
    for (int i = 0; i < 4; i++)
        self->state [i] ^= words [i];
    if (!(self->state [0] | self->state [1] | self->state [2] | self->state [3]))
        prng_seed (self, 0); /* the one state that xoshiro never leaves */
}

uint64_t prng_next (prng_t *self)
{
    uint64_t *s = self->state;
    uint64_t result = rotate (s [1] * 5, 7) * 9;
    uint64_t t = s [1] << 17;
    s [2] ^= s [0];
    s [3] ^= s [1];
    s [1] ^= s [2];
    s [0] ^= s [3];
    s [2] ^= t;
    s [3] = rotate (s [3], 45);
    return result;
}

uint64_t prng_below (prng_t *self, uint64_t bound)
{
    assert (bound > 0);
    uint64_t threshold = -bound % bound; /* reject the short first turn, so that all are equal */
    for (;;) {
        uint64_t drawn = prng_next (self);
        if (drawn >= threshold)
            return drawn % bound;
    }
}

double prng_unit (prng_t *self)
{
    return (double) (prng_next (self) >> 11) * 0x1.0p-53;
}
