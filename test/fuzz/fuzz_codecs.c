/*  fuzz_codecs - any bytes as any message that has a table: the first two bytes pick it, the rest
 *  is the body. A message that is taken must be encoded, decoded and encoded again to the same
 *  bytes; a refusal must say why, and leave no memory behind.
 */
#include "../codecs.h"
#include "fuzzing.h"

/*  Picks a table by a sum over its message's name, so that seeds keep their meaning when tables are
 *  added; when no table has that sum, by its place. */
static const codec_t *pick (const uint8_t *by)
{
    static codecs_t all;
    unsigned wanted = (unsigned) by [0] << 8 | by [1];
    if (all.count == 0)
        all = all_codecs ();
    for (size_t i = 0; i < all.count; i++) {
        uint16_t sum = 0;
        for (const char *at = all.list [i]->message->short_name; *at; at++)
            sum = (uint16_t) (sum * 31 + (uint8_t) *at);
        if (sum == wanted)
            return all.list [i];
    }
    return all.list [wanted % all.count];
}

/*  When elements were skipped, the rest may break a rule. */
static bool passes_over (const codec_t *codec)
{
    for (size_t i = 0; i < codec->rows_count; i++)
        if (codec->rows [i].skips)
            return true;
    return false;
}

/*  The second encoding must say the same as the first. */
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
    const codec_t *codec = size < 2 ? NULL : pick (data);
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
