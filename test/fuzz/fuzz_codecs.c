/*  fuzz_codecs - any bytes as any message that has a table: the first two bytes pick it, the rest
 *  is the body. What is taken must come out and through again as the same bytes; a refusal must say
 *  why, and leave nothing behind.
 */
#include "../codecs.h"
#include "fuzzing.h"

static const codec_t *pick (uint8_t library, uint8_t number)
{
    if (library >= ALL_CODECS || number >= all_codecs [library]->count)
        return NULL;
    return all_codecs [library]->list [number];
}

/*  Without the elements that were passed over the rest may break a rule. */
static bool passes_over (const codec_t *codec)
{
    for (size_t i = 0; i < codec->rows_count; i++)
        if (codec->rows [i].skips)
            return true;
    return false;
}

/*  All that the first encoding says, and nothing that is told differently the second time. */
static void again (const codec_t *codec, void *self)
{
    char why [WHY_BYTES] = "";
    packed_t once = codec_encode (codec, self);
    codec_clear (codec, self);
    bool taken = codec_decode (codec, self, (bytes_t){once.data, once.size}, why);
    REQUIRE (taken || passes_over (codec));
    if (!taken) {
        free (once.data);
        return;
    }
    packed_t twice = codec_encode (codec, self);
    codec_clear (codec, self);
    REQUIRE (once.size == twice.size && memcmp (once.data, twice.data, once.size) == 0);
    free (once.data);
    free (twice.data);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    const codec_t *codec = size < 2 ? NULL : pick (data [0], data [1]);
    if (!codec)
        return FUZZ_UNWANTED;
    char why [WHY_BYTES] = "";
    uint8_t *self = calloc (1, codec->size + 1);
    uint8_t *body = malloc (size - 1); /* of its own, so that a step past its end is seen */
    if (!self || !body)
        abort ();
    memcpy (body, data + 2, size - 2);
    if (codec_decode (codec, self, (bytes_t){body, size - 2}, why))
        again (codec, self);
    else
        REQUIRE (why [0] != '\0' && memchr (why, '\0', WHY_BYTES));
    free (body);
    free (self);
    return 0;
}
