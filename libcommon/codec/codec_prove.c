/*  codec_prove - every struct that was encoded or decoded goes through its codec once more. */
#include "codec_walk.h"
#include "must.h"

#include <stdio.h>
#include <stdlib.h>

/*  In builds without assert, too: who asks for the proof wants it. */
static void codec_prove_that (bool holds, const codec_t *codec, const char *what)
{
    if (holds)
        return;
    fprintf (stderr, "codec of %s: %s\n", codec->message->name, what);
    abort ();
}

void codec_prove (const codec_t *codec, const void *self, bool taken)
{
    char why [WHY_BYTES];
    packed_t said = codec_pack (codec, self);
    memory_auto void *again = must (calloc (1, codec->size + 1)); /* of what is empty, too */
    bool good =
      codec_unpacked (codec, again, (bytes_t){.data = said.data, .size = said.size}, false, why);
    codec_prove_that (good || !taken, codec, "what was taken is not taken again");
    codec_prove_that (!good || codec_same (codec, self, again), codec, "decoded again it differs");
    codec_clear (codec, again);
    free (said.data);
}
