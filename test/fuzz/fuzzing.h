/*  fuzzing - what the targets share: a check that prints its words and aborts, and numbers taken
 *  from the fuzzer's bytes.
 */
#ifndef MUSUBI_FUZZING_H
#define MUSUBI_FUZZING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/*  The return value that tells libFuzzer not to keep an input. */
#define FUZZ_UNWANTED (-1)

/*  Like an assert, but in every build. */
#define REQUIRE(promise)                                                                           \
    do {                                                                                           \
        if (!(promise)) {                                                                          \
            fprintf (stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #promise);                 \
            abort ();                                                                              \
        }                                                                                          \
    } while (0)

/*  The input as numbers; zeroes when it has run out. */
typedef struct {
    const uint8_t *at;
    size_t left;
} numbers_t;

static inline uint32_t number_byte (numbers_t *self)
{
    if (self->left == 0)
        return 0;
    self->left--;
    return *self->at++;
}

/*  Below the bound, which is at most 256. */
static inline uint32_t number_below (numbers_t *self, uint32_t bound)
{
    return number_byte (self) % bound;
}

#endif
