/*  codec_prove - every struct that was encoded or decoded goes through its codec once more. */
#include "codec_walk.h"
#include "must.h"

#include <assert.h>
#include <stdlib.h>

void codec_prove (const codec_t *codec, const void *self, bool taken)
{
    char why [WHY_BYTES];
    packed_t said = codec_pack (codec, self);
    memory_auto void *again = must (calloc (1, codec->size + 1)); /* of what is empty, too */
    bool good =
      codec_unpacked (codec, again, (bytes_t){.data = said.data, .size = said.size}, false, why);
    assert (good || !taken);
    assert (!good || codec_same (codec, self, again));
    codec_clear (codec, again);
    free (said.data);
}
